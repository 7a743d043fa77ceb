#include "polhode/multibody/joint.h"
#include "polhode/verification/verification.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace polhode;
using namespace polhode::verification;

TEST_CASE("every joint and every force holds what verify joints asks, and every wrong twin is caught by far") {
  const Report report = verify_joints();
  for (const Item& item : report.items) {
    CAPTURE(item.equation);
    CAPTURE(item.residual);
    CAPTURE(item.twin_residual);
    CHECK(item.ok);
    CHECK(item.twin_killed);
  }
  CHECK(report.passed());
  const Report described = describe_joints();
  REQUIRE(described.items.size() == report.items.size());
  for (std::size_t n = 0; n < report.items.size(); ++n) {
    CHECK(described.items[n].equation == report.items[n].equation);
  }
  for (const char* label : {"MEC-2", "MEC-23", "MEC-24"}) {
    CHECK(std::any_of(report.items.begin(), report.items.end(), [&](const Item& item) { return item.label == label; }));
  }
  for (const JointKind& kind : joint_kinds()) {
    const std::string name = "joint " + std::string(kind.name) + ":";
    CHECK(std::count_if(report.items.begin(), report.items.end(),
                        [&](const Item& item) { return item.equation.starts_with(name); }) == 5);
  }
}
