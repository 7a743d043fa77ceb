#include "polhode/io/table.h"

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

using namespace polhode::io;

TEST_CASE("a table as CSV: words that a reader would take for more are in quotes, what is no number is empty") {
  const std::vector<TableCell> row{std::uint64_t{18446744073709551615U},
                                   0.1,
                                   TableCell{},
                                   std::numeric_limits<double>::quiet_NaN(),
                                   -std::numeric_limits<double>::infinity(),
                                   std::string("plain"),
                                   std::string("a, \"b\"\nc"),
                                   std::string("#4")};
  CHECK(csv_row(row) == "18446744073709551615,0.1,,,,plain,\"a, \"\"b\"\" c\",\"#4\"\n");
  CHECK(csv_row({}) == "\n");
}

TEST_CASE("the head of a table tells where it comes from, in lines that no title can break") {
  const TableHead head{"a\ntitle",
                       "1.2",
                       "x.toml",
                       "abc",
                       {{"over", "k from 1 to 2"}},
                       {{"k", "", "parameter"}, {"w, x", "rad/s", "rate"}}};
  CHECK(csv_head(head) ==
        "# polhode 1.2: a title\n# scenario: x.toml, SHA-256 abc\n# over: k from 1 to 2\n# column: k parameter\n"
        "# column: w, x [rad/s] rate\nk,\"w, x\"\n");
  CHECK(csv_comment("interrupted", "1 of 2\r\nnext") == "# interrupted: 1 of 2  next\n");
}
