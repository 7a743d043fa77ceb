#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

/// Tables of results whose rows are no moments of a run, such as those of a sweep: written row by row, so that memory
/// does not grow with them.
namespace polhode::io {

struct TableColumn {
  enum class Holds { numbers, whole_numbers, words };
  std::string name;
  std::string unit;     ///< "" of words
  std::string meaning;  ///< one line
  Holds holds = Holds::numbers;
};

/// What stands in a row: nothing, or what its column holds.
using TableCell = std::variant<std::monostate, double, std::uint64_t, std::string>;

/// Where a table comes from, and what its columns are.
struct TableHead {
  std::string title{};
  std::string version{};        ///< of the program
  std::string scenario_file{};  ///< its name, without folders
  std::string scenario_sha256{};
  std::vector<std::pair<std::string, std::string>> facts{};  ///< names and one line each
  std::vector<TableColumn> columns{};
};

/// Comment lines begin with '#'; the last line has the names of the columns.
std::string csv_head(const TableHead& head);
/// Numbers in the shortest form that reads back to the same bits; what is not there, or no finite number, is empty.
std::string csv_row(std::span<const TableCell> row);
/// A comment between or behind the rows.
std::string csv_comment(std::string_view name, std::string_view text);

/// The same as HDF5: a dataset a column. A number that is not there is NaN, words are "".
class Hdf5Table {
 public:
  /// Writes over the file. Fails where this build has no HDF5.
  Hdf5Table(const TableHead& head, const std::string& path);
  ~Hdf5Table();
  Hdf5Table(const Hdf5Table&) = delete;
  Hdf5Table& operator=(const Hdf5Table&) = delete;

  void row(std::span<const TableCell> row);
  /// To be called once, after the last row; a line on it goes into the head.
  void finish(std::string_view name = {}, std::string_view text = {});

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};
/// Fails where this build cannot write HDF5.
void require_hdf5();

}  // namespace polhode::io
