#include "polhode/io/row_reader.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>

using namespace polhode;
using io::RowReader;

namespace {

/// Hands out `text` in pieces of `piece` bytes.
RowReader reader_of(std::string text, std::size_t piece, std::vector<std::string> columns) {
  return RowReader("rows.txt", std::move(columns),
                   [text = std::move(text), piece, at = std::size_t{0}](char* to, std::size_t size) mutable {
                     const std::size_t count = std::min({piece, size, text.size() - at});
                     std::copy_n(text.data() + at, count, to);
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
      lines.push_back(reader.location().line);
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
  CHECK(to_line(problem) == "rows.txt:2:1: 'x' is not a number; a number is written like -1.5e-3");
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

namespace {

/// What the first line of `text` is taken for: "row", "header", or the message.
std::string first_line(const std::string& text, const std::vector<std::string>& columns) {
  RowReader reader = reader_of(text, 1000, columns);
  std::vector<double> row(columns.size());
  Problem problem;
  switch (reader.next(row, problem)) {
    case RowReader::Found::row:
      return reader.location().line == 1 ? "row" : "header";
    case RowReader::Found::mistake:
      return to_line(problem);
    case RowReader::Found::end:
      return "header";
  }
  return "";
}

}  // namespace

TEST_CASE("a first row with a slip of the pen is a mistake, not a header") {
  const std::vector<std::string> columns{"w", "x", "y", "z"};
  CHECK(first_line("O.6 0.8 0 0\n", columns) ==
        "rows.txt:1:1: 'O.6' is not a number; a number is written like -1.5e-3");
  CHECK(first_line("Infty 0 0 0\n", columns) ==
        "rows.txt:1:1: 'Infty' is not a number; a number is written like -1.5e-3");
  CHECK(first_line("nan(0x1) 0 0 0\n", columns).starts_with("rows.txt:1:1: 'nan(0x1)' is not "));
  CHECK(first_line("\"1\",\"0\",\"0\",\"0\"\n", columns) ==
        "rows.txt:1:1: '\"1\"' is not a number; a number is written like -1.5e-3; numbers stand without quotes");
  CHECK(first_line("a,b,c,-inf\n", columns).starts_with("rows.txt:1:1: 'a' is not a number"));
}

TEST_CASE("a header names as many columns as there are, in our order where it uses our names") {
  const std::vector<std::string> columns{"w", "x", "y", "z"};
  CHECK(first_line("w,x,y,z\n1,0,0,0\n", columns) == "header");
  CHECK(first_line("\"q0\";\"q1\";\"q2\";\"q3\"\n", columns) == "header");
  CHECK(first_line("roll pitch yaw\n", {"theta1_rad", "theta2_rad", "theta3_rad"}) == "header");
  CHECK(first_line("info,nano,c,d\n", columns) == "header");
  CHECK(first_line("a,b,c,d,e\n1,0,0,0\n", columns) == "rows.txt:1:1: a header of 5 names; 4 columns needed: w x y z");
  CHECK(first_line("x,y,z,w\n0,0,0,1\n", columns) ==
        "rows.txt:1:1: the header says x y z w; here the columns are w x y z; choose the representation that has the "
        "order of the file, or reorder its columns");
  CHECK(first_line("X,\"Y\",Z,W\n0,0,0,1\n", columns).starts_with("rows.txt:1:1: the header says x y z w;"));
}

TEST_CASE("a row has one kind of separator: decimal commas are not read as numbers of their own") {
  const std::vector<std::string> columns{"a", "b", "c", "d"};
  const std::string cure = "; one kind of separator in a row; decimal commas are not read: write points";
  CHECK(first_line("0,1;0,2\n", columns) == "rows.txt:1:4: a semicolon between numbers, after a comma" + cure);
  CHECK(first_line("1,0 0;0\n", columns) == "rows.txt:1:4: a blank between numbers, after a comma" + cure);
  CHECK(first_line("1 0\t0 , 0\n", columns) == "rows.txt:1:7: a comma between numbers, after a blank" + cure);
  CHECK(first_line("0,1 0,2 0,3 0,4\n", columns) == "rows.txt:1:4: a blank between numbers, after a comma" + cure);
  CHECK(first_line("1;2,3;4\n", columns) == "rows.txt:1:4: a comma between numbers, after a semicolon" + cure);
  for (const char* text : {" 1 , 2,3 ,\t4 \r\n", "1\t2  3\t 4\n", "1; 2 ;3;4 # and , so on\n", "1 2 3 4 \n"}) {
    CAPTURE(text);
    CHECK(first_line(text, columns) == "row");
  }
}

TEST_CASE("bytes that a terminal might obey do not appear in a message") {
  CHECK(first_line("1 \x9b\x1b[2J\n", {"a", "b"}) ==
        "rows.txt:1:3: '??[2J' is not a number; a number is written like -1.5e-3");
}

TEST_CASE("a header that is taken names the columns; a row of numbers is left to be read") {
  RowReader named = reader_of("# note\n\n\"A\", b ,C\n1,2,3\n4,5\n", 7, {});
  std::vector<std::string> names;
  CHECK(named.take_header(names));
  CHECK(names == std::vector<std::string>{"a", "b", "c"});
  std::array<double, 3> row{};
  Problem problem;
  CHECK(named.next(row, problem) == RowReader::Found::row);
  CHECK(row == std::array<double, 3>{1, 2, 3});
  CHECK(named.location().line == 4);
  CHECK(named.next(row, problem) == RowReader::Found::mistake);
  CHECK(to_line(problem) == "rows.txt:5:1: 2 numbers; 3 needed: a b c");

  RowReader plain = reader_of(
      "\xEF\xBB\xBF"
      "1 2 3\nx y z\n",
      1000, {"a", "b", "c"});
  CHECK_FALSE(plain.take_header(names));
  CHECK(names.empty());
  CHECK(plain.next(row, problem) == RowReader::Found::row);
  CHECK(row == std::array<double, 3>{1, 2, 3});
  CHECK(plain.location().line == 1);
  CHECK(plain.next(row, problem) == RowReader::Found::mistake);  // too late for a header

  RowReader empty = reader_of("# nothing\n", 1000, {"a"});
  CHECK_FALSE(empty.take_header(names));
}
