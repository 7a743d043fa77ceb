#pragma once

#include "polhode/core/error.h"
#include "polhode/io/row_reader.h"
#include "polhode/rotation/euler_parameters.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// A referee for logs of other engines: times, quaternions and angular velocities in, verdicts out.
namespace polhode::audit {

/// Where the scalar part stands among the four numbers.
enum class Order { wxyz, xyzw };
/// What the quaternion does with components of a vector.
enum class Direction { body_to_space, space_to_body };
/// Whose components the angular velocity has.
enum class RateFrame { body, space };

struct Convention {
  Order order = Order::wxyz;
  Direction direction = Direction::body_to_space;
  RateFrame frame = RateFrame::body;

  friend bool operator==(const Convention&, const Convention&) = default;
};

std::string_view to_string(Order order);
std::string_view to_string(Direction direction);
std::string_view to_string(RateFrame frame);

/// What an engine writes, and under which names.
struct LogMap {
  std::string_view name;
  std::string_view summary;
  Convention convention;
  std::string_view quaternion;  ///< names of its columns, blanks between; "" for the usual names only
  std::string_view rates;
  bool mrp = false;  ///< attitude in modified Rodrigues parameters, three columns
};

/// All maps of maps.def.
const std::vector<LogMap>& log_maps();
/// By name; fails with the nearest name.
const LogMap& log_map(std::string_view name);

/// One body's log as plain data. The four numbers of a quaternion stand in the order of the file; which of them is the
/// scalar is a question, not a fact.
struct RotationLog {
  std::vector<double> t;
  std::vector<std::array<double, 4>> q;
  std::vector<Vec3<double>> w;
  /// What the names of the columns and the map say about it.
  Convention assumed;
  bool degrees = false;           ///< the names of the rates say degree/s
  std::size_t repeated_rows = 0;  ///< equal to the row before them, time included: left out
  bool mrp = false;               ///< q was made from modified Rodrigues parameters: its order is no question

  std::size_t size() const { return t.size(); }
};

struct LogColumns {
  const LogMap* map = nullptr;       ///< nullptr: generic
  std::vector<std::string> names{};  ///< time, quaternion, rates by name; empty: found
  std::optional<Order> order{};      ///< overrides what names and map say
  std::optional<Direction> direction{};
  std::optional<RateFrame> frame{};
};

/// Fewest rows that can be judged.
inline constexpr std::size_t kFewestRows = 8;

/// Rows of a CSV text (io/row_reader.h). Columns are found by their names, by the map's, or as said in `columns`; a
/// text without header has eight columns: time, quaternion, rates. Fails with every mistake and its location: numbers
/// that are not, times that do not rise, quaternions that are no attitude. A row that repeats the one before it, time
/// included, is left out; a time whose name says ms, us, ns or min is read as such.
RotationLog read_log(const std::string& file, const LogColumns& columns, io::RowReader::Fill fill);

}  // namespace polhode::audit
