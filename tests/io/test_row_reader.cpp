#include "polhode/io/row_reader.h"

#include <doctest/doctest.h>

#include <array>
#include <cstring>

using namespace polhode;

namespace {

/// Hands out `text` in pieces of `piece` bytes.
RowReader reader_of(std::string text, std::size_t piece, std::vector<std::string> columns) {
  return RowReader("rows.txt", std::move(columns),
                   [text = std::move(text), piece, at = std::size_t{0}](char* to, std::size_t size) mutable {
                     const std::size_t count = std::min({piece, size, text.size() - at});
                     std::memcpy(to, text.data() + at, count);
                     at += count;
                     return count;
                   });
}

}  // namespace

TEST_CASE("rows are the same however the text is cut into pieces") {
  const std::string text = "# head\na,b\n1,2\r\n\n 3 ,+4e0 # tail\n-5,.5";
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{1000}}) {
    CAPTURE(piece);
    RowReader reader = reader_of(text, piece, {"a", "b"});
    std::array<double, 2> row{};
    Problem problem;
    std::vector<double> all;
    std::vector<int> lines;
    while (reader.next(row, problem) == RowReader::Found::row) {
      all.insert(all.end(), row.begin(), row.end());
      lines.push_back(reader.line());
    }
    CHECK(all == std::vector<double>{1, 2, 3, 4, -5, 0.5});
    CHECK(lines == std::vector<int>{3, 5, 6});
    CHECK(reader.separator() == ',');
  }
}

TEST_CASE("a line longer than a block is read all the same, and the next row after a mistake too") {
  RowReader reader = reader_of(std::string(3 << 20, ' ') + "1 2\nx 2\n3 4\n1 2 3\n", 1 << 16, {"a", "b"});
  std::array<double, 2> row{};
  Problem problem;
  CHECK(reader.next(row, problem) == RowReader::Found::row);
  CHECK(row == std::array<double, 2>{1, 2});
  CHECK(reader.next(row, problem) == RowReader::Found::mistake);
  CHECK(to_line(problem) == "rows.txt:2:1: 'x' is not a number");
  CHECK(reader.next(row, problem) == RowReader::Found::row);
  CHECK(row == std::array<double, 2>{3, 4});
  CHECK(reader.next(row, problem) == RowReader::Found::mistake);
  CHECK(to_line(problem) == "rows.txt:4:1: 3 numbers; 2 needed: a b");
  CHECK(reader.next(row, problem) == RowReader::Found::end);
}

TEST_CASE("a header is one line of names, and a number that is not finite is no name") {
  RowReader reader = reader_of("nan,1\nb,c\n", 1000, {"a", "b"});
  std::array<double, 2> row{};
  Problem problem;
  CHECK(reader.next(row, problem) == RowReader::Found::mistake);
  CHECK(to_line(problem) == "rows.txt:1:1: 'nan' is not finite; all numbers must be finite");
  CHECK(reader.next(row, problem) == RowReader::Found::mistake);  // too late for a header
}
