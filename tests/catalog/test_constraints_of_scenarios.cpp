// [[constraints]] of scenarios.
#include "polhode/catalog/mechanism_scenario.h"
#include "polhode/catalog/model_check.h"
#include "polhode/core/error.h"
#include "polhode/multibody/dynamics.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace polhode;

namespace {

std::string bead(const std::string& constraint) {
  return "title = \"x\"\n[parameters]\nR = 0.5\n[[bodies]]\nname = \"bead\"\nshape = \"sphere\"\nmass = 1\n"
         "radius = 0.1\nposition = [0.4, 0, -0.3]\n[[constraints]]\nname = \"wire\"\nkind = \"point-on-curve\"\n"
         "body = \"bead\"\n" +
         constraint + "\n[run]\nduration = 1\n";
}
std::string told_of(const std::string& constraint) {
  try {
    static_cast<void>(catalog::read_mechanism(bead(constraint), "m.toml"));
  } catch (const Error& error) { return error.what(); }
  return {};
}
bool tells(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a point on a curve is read: two formulas take two freedoms, one takes one") {
  const catalog::MechanismScenario wire =
      catalog::read_mechanism(bead("curve = [\"x^2 + z^2 - R^2\", \"y\"]"), "m.toml");
  Scratch scratch(*wire.plan.model);
  CHECK(mobility(*wire.plan.model, 0, wire.plan.start, scratch).freedoms == 4);
  CHECK(std::fabs(norm(Model::view(wire.plan.start, 0).r_N) - 0.5) < 1e-15);
  const catalog::MechanismScenario bowl = catalog::read_mechanism(bead("surface = \"x^2 + z^2 - R^2\""), "m.toml");
  Scratch of_bowl(*bowl.plan.model);
  CHECK(mobility(*bowl.plan.model, 0, bowl.plan.start, of_bowl).freedoms == 5);
}

TEST_CASE("check does not say that a body on a wire hangs on nothing") {
  const catalog::MechanismScenario wire =
      catalog::read_mechanism(bead("curve = [\"x^2 + z^2 - R^2\", \"y\"]"), "m.toml");
  const std::string text = to_text(catalog::check_mechanism(wire), "x");
  CHECK_FALSE(tells(text, "hangs on nothing"));
  CHECK_FALSE(tells(text, "floats"));
}

TEST_CASE("what is wrong with a curve is told where it stands") {
  CHECK(tells(told_of("curve = [\"x^2 + Q\", \"y\"]"), "unknown name 'Q'"));
  CHECK(tells(told_of("curve = [\"x*t\", \"y\"]"), "this formula is made of x, y, z"));
  CHECK(tells(told_of(""), "neither curve nor surface"));
  CHECK(tells(told_of("surface = \"x\"\ncurve = [\"x\", \"y\"]"), "both curve and surface"));
  CHECK(tells(told_of("surface = 3"), "the number 3 in place of a formula"));
  CHECK(tells(told_of("surface = \"x - 0.4\"\non = \"bead\""), "as its own point is"));
  CHECK(tells(told_of("surface = \"x - 0.4\"\non = \"hoop\""), "unknown body 'hoop'"));
  // no gradient, no direction
  CHECK(tells(told_of("surface = \"0*x\""), "cannot be assembled: point-on-curve 'wire' has no value or no direction"));
}
