#include "polhode/verification/form_sweep.h"
#include "polhode/verification/verification.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

using namespace polhode::verification;

namespace {

/// The full run has 10000 states; these are the first of them.
const Report& all_forms() {
  static const Report kReport = verify_forms(300);
  return kReport;
}

}  // namespace

TEST_CASE("every form holds, in fractions and in double, and every wrong twin is caught") {
  for (const Item& item : all_forms().items) {
    CAPTURE(item.source);
    CAPTURE(item.equation);
    CAPTURE(item.trouble);
    CHECK(item.ok);
    CHECK(item.twin_killed);
    // exact means exact; 50 digits leave ten for rounding; in double the residual is a fraction of the bound
    CHECK(item.residual <= (item.arithmetic == "exact" ? 0 : item.arithmetic == "double" ? 1 : 1e-40));
    CHECK(item.twin_residual > (item.arithmetic == "double" ? 1e3 : 1e-6));
  }
  CHECK(all_forms().passed());
}

TEST_CASE("the description of the forms lists what is checked") {
  const Report described = describe_forms();
  REQUIRE(described.items.size() == all_forms().items.size());
  for (std::size_t n = 0; n < described.items.size(); ++n) {
    CHECK(described.items[n].equation == all_forms().items[n].equation);
    CHECK(described.items[n].statement == all_forms().items[n].statement);
  }
}

TEST_CASE("the sweep has an item for each of the 24 families and each of the 9 with a multiplier") {
  const auto count = [](const std::string& start) {
    return std::count_if(all_forms().items.begin(), all_forms().items.end(),
                         [&](const Item& item) { return item.equation.starts_with(start); });
  };
  CHECK(count("sweep, acceleration of ") == 24);
  CHECK(count("sweep, multiplier of ") == 9);
  CHECK(count("sweep, power") == 1);
}

TEST_CASE("a sweep is the same every time, and more states can only find worse") {
  const std::vector<Item> few = sweep_forms(20);
  const std::vector<Item> again = sweep_forms(20);
  const std::vector<Item> more = sweep_forms(40);
  for (std::size_t n = 0; n < few.size(); ++n) {
    CHECK(few[n].residual == again[n].residual);
    CHECK(few[n].residual <= more[n].residual);
    CHECK(few[n].residual > 0);  // rounding is there: the comparison is not of a thing with itself
  }
}

TEST_CASE("a sweep over no states finds no twin wrong") {
  for (const Item& item : sweep_forms(0)) { CHECK_FALSE(item.twin_killed); }
}
