#pragma once

#include "polhode/run/trajectory.h"

#include <string>
#include <utility>
#include <vector>

namespace polhode {

/// The largest and the smallest value of every column of a run with their times, and of the size of every vector that
/// three columns make: gathered row by row, at the rows' times.
class Peaks {
 public:
  Peaks() = default;
  explicit Peaks(const std::vector<simulation::Column>& columns);

  /// The next row; time is its first number.
  void row(std::span<const double> row);

  struct Extremes {
    std::string name;  ///< of a column, or of a vector: "w_body_rad_s" of wx, wy and wz
    std::string unit;
    std::string meaning;
    bool is_size = false;  ///< of a vector
    Peak largest{};
    Peak smallest{};

    /// The one that is farther from zero.
    const Peak& farthest() const;
  };
  /// Columns but time in their order, each vector behind its third component; nothing before the first row.
  std::vector<Extremes> all() const;

  /// The few that most people look for: the largest rate, reaction of a joint, torque and force of what acts. "largest
  /// rate", "15.2 rad/s (w_body_rad_s), at t = 3.1 s".
  std::vector<std::pair<std::string, std::string>> in_words() const;

 private:
  struct Entry {
    Extremes extremes;
    std::size_t first = 0;  ///< its index in a row
  };
  std::vector<Entry> entries_;
  bool empty_ = true;
};

/// Of a whole run.
Peaks peaks_of(const Trajectory& trajectory);

/// [{"column": "wx_body_rad_s", "largest": 15, "largest_at_s": 0.1, "smallest": -15, "smallest_at_s": 2.3}, ...]; with
/// "size_of" in place of "column" for vectors.
std::string to_json(const Peaks& peaks);

}  // namespace polhode
