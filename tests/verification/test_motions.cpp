#include "polhode/verification/verification.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

using namespace polhode::verification;

TEST_CASE("every exact motion holds and every wrong twin is caught by far") {
  const Report report = verify_motions();
  for (const Item& item : report.items) {
    CAPTURE(item.equation);
    CAPTURE(item.trouble);
    CAPTURE(item.residual);
    CHECK(item.ok);
    CHECK(item.twin_killed);
    CHECK(item.twin_residual > 1e-10);  // the gentlest twin changes a rate by 1e-9; measured 6e-8 and more
  }
  CHECK(report.passed());
  const Report described = describe_motions();
  REQUIRE(described.items.size() == report.items.size());
  for (std::size_t n = 0; n < report.items.size(); ++n) {
    CHECK(described.items[n].equation == report.items[n].equation);
  }
}

TEST_CASE("every row of the table of golden values is held, 1 to 15") {
  const Report report = describe_motions();
  for (int row = 1; row <= 15; ++row) {
    const std::string name = "golden " + std::to_string(row) + ":";
    CAPTURE(name);
    CHECK(std::count_if(report.items.begin(), report.items.end(),
                        [&](const Item& item) { return item.equation.starts_with(name); }) == 1);
  }
}
