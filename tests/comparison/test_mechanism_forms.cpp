// Mechanisms under the forms with Euler parameters: what each form makes of forces at points, and what tells a wrong
// one.
#include "polhode/catalog/mechanism_scenario.h"
#include "polhode/comparison/mechanism_forms.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

using namespace polhode;
using comparison::FormRow;

namespace {

/// Two rods on each other, a hinge and a ball joint, with one force.
simulation::MechanismPlan loaded_rods(const std::string& force) {
  const std::string text =
      "title = \"rods\"\n[gravity]\ng_space = [0, 0, -9.81]\n"
      "[[bodies]]\nname = \"upper\"\nshape = \"box\"\nmass = 1\nedges = [0.1, 0.2, 1]\nposition = [0, 0, -0.5]\n"
      "[[bodies]]\nname = \"lower\"\nshape = \"box\"\nmass = 2\nedges = [0.1, 0.3, 1]\nposition = [0, 0, -1.5]\n"
      "[[joints]]\nname = \"hinge\"\nkind = \"revolute\"\nbodies = [\"ground\", \"upper\"]\npoint = [0, 0, 0]\n"
      "axis = [0, 1, 0]\nstart = { turn_deg = 50, turn_rate = 2 }\n"
      "[[joints]]\nname = \"ball\"\nkind = \"spherical\"\nbodies = [\"upper\", \"lower\"]\npoint = [0, 0, -1]\n" +
      force + "[run]\nduration = 1\noutput_interval = 0.1\n";
  return catalog::read_mechanism(text, "rods.toml").plan;
}

struct PointForceText {
  const char* what;
  const char* text;
};
constexpr PointForceText kPointForces[] = {
    {"a formula in space",
     "[[forces]]\nkind = \"force\"\nbody = \"lower\"\nat_body = [0.1, 0.2, -0.4]\nforce_space = [\"3*cos(t)\", 1, "
     "-2]\n"},
    {"a formula in the body",
     "[[forces]]\nkind = \"force\"\nbody = \"upper\"\nat_body = [0.1, 0.2, -0.4]\nforce_body = [1, \"2 + t\", -2]\n"},
    {"drag",
     "[[forces]]\nkind = \"drag\"\nbody = \"lower\"\nat_body = [0.2, 0.1, -0.5]\nlinear = 0.7\nquadratic = 0.3\n"
     "medium_space = [1, 0.5, 0]\n"},
    {"a spring",
     "[[forces]]\nkind = \"spring\"\nbodies = [\"ground\", \"lower\"]\nfirst_point = [1, 0.3, 0]\n"
     "second_point = [0.1, 0.1, -0.5]\nstiffness = 3\ndamping = 0.4\n"},
};

double largest(const FormRow& row) { return std::max(std::fabs(row.multiplier_least), std::fabs(row.multiplier_most)); }

}  // namespace

TEST_CASE("mechanisms: every force at a point has its part in the multipliers of the forms that keep one along e") {
  for (const PointForceText& force : kPointForces) {
    CAPTURE(force.what);
    const std::vector<FormRow> rows = comparison::compare_mechanism_forms(loaded_rods(force.text), 5).rows;
    REQUIRE(rows.size() == 18);
    for (const FormRow& row : rows) {
      CAPTURE(row.form);
      CAPTURE(row.raw);
      CHECK(row.acceleration < comparison::kFormsAgree);
      CHECK(row.reaction.value_or(1) < comparison::kFormsAgree);
      CHECK(row.multiplier_off < comparison::kFormsAgree);
      if (row.form == "f1" && !row.raw) { CHECK(largest(row) < 1e-9); }
      if (row.form == "f2" && !row.raw) { CHECK(largest(row) > 0.05); }
    }
  }
}

TEST_CASE(
    "mechanisms: a form that loses the forces' part along e, or the kinetic energy, is told by its multiplier alone") {
  for (const PointForceText& force : kPointForces) {
    CAPTURE(force.what);
    std::vector<EulerForm> spoilt(euler_forms().begin(), euler_forms().end());
    for (EulerForm& form : spoilt) {
      form.force_along_e = false;
      form.mixed_force_along_e = false;
      form.simplified_gyro = false;
    }
    for (const FormRow& row : comparison::compare_mechanism_forms(loaded_rods(force.text), 5, spoilt).rows) {
      CAPTURE(row.form);
      CHECK(row.acceleration < comparison::kFormsAgree);
      CHECK(row.reaction.value_or(1) < comparison::kFormsAgree);
      CHECK((row.multiplier_off < comparison::kFormsAgree) == (row.form == "f1"));
    }
  }
}

TEST_CASE(
    "mechanisms: right forms agree however light, heavy, small or unequal the bodies are, and a wrong one does not") {
  const auto plan = [](double upper, double lower, double length) {
    const auto number = [](double x) { return std::to_string(x * 1e20) + "e-20"; };
    const std::string l = number(length);
    const std::string text =
        "title = \"rods\"\n[gravity]\ng_space = [0, 0, -9.81]\n"
        "[[bodies]]\nname = \"upper\"\nshape = \"box\"\nmass = " +
        number(upper) + "\nedges = [" + number(0.1 * length) + ", " + number(0.2 * length) + ", " + l +
        "]\nposition = [0, 0, " + number(-0.5 * length) +
        "]\n[[bodies]]\nname = \"lower\"\nshape = \"box\"\nmass = " + number(lower) + "\nedges = [" +
        number(0.1 * length) + ", " + number(0.3 * length) + ", " + l + "]\nposition = [0, 0, " +
        number(-1.5 * length) +
        "]\n[[joints]]\nname = \"hinge\"\nkind = \"revolute\"\nbodies = [\"ground\", \"upper\"]\npoint = [0, 0, 0]\n"
        "axis = [0, 1, 0]\nstart = { turn_deg = 50, turn_rate = 2 }\n"
        "[[joints]]\nname = \"ball\"\nkind = \"spherical\"\nbodies = [\"upper\", \"lower\"]\npoint = [0, 0, " +
        number(-length) + "]\n[run]\nduration = 0.01\noutput_interval = 0.005\n";
    return catalog::read_mechanism(text, "rods.toml").plan;
  };
  struct Sizes {
    double upper, lower, length;
  };
  for (const Sizes& sizes : {Sizes{1, 2, 1}, Sizes{1e-7, 2e-7, 1}, Sizes{1e-10, 2e-10, 1}, Sizes{1e-9, 2e-9, 1e-3},
                             Sizes{1e-13, 2e-13, 1}, Sizes{1e9, 2e9, 1}, Sizes{1, 1e-9, 1}, Sizes{1e-9, 1, 1}}) {
    CAPTURE(sizes.upper);
    CAPTURE(sizes.lower);
    CAPTURE(sizes.length);
    const simulation::MechanismPlan rods = plan(sizes.upper, sizes.lower, sizes.length);
    const comparison::FormComparison right = comparison::compare_mechanism_forms(rods, 3);
    CHECK(right.rows.size() == 18);
    for (const FormRow& row : right.rows) {
      CAPTURE(row.form);
      CAPTURE(row.raw);
      CAPTURE(row.acceleration);
      CAPTURE(row.reaction.value_or(0));
      CAPTURE(row.multiplier_off);
      CHECK(row.agrees());
    }
    std::vector<EulerForm> spoilt{euler_form("f7")};
    spoilt[0].simplified_gyro = false;
    for (const FormRow& row : comparison::compare_mechanism_forms(rods, 3, spoilt).rows) { CHECK_FALSE(row.agrees()); }
  }
}

TEST_CASE("mechanisms: what an event has set is not held against the states before it") {
  // 2 f·u' = 2·3·0.2 while a is 1, -40 times as much afterwards
  const auto rows_of = [](const std::string& event) {
    return comparison::compare_mechanism_forms(
               catalog::read_mechanism("title = \"f\"\n[parameters]\na = 1.0\n"
                                       "[[bodies]]\nname = \"b\"\nmass = 1\nprincipal_moments = [1, 1, 1]\n"
                                       "[[forces]]\nkind = \"force\"\nbody = \"b\"\nat_body = [0.2, 0, 0]\n"
                                       "force_body = [\"3*a\", 0, 0]\n" +
                                           event + "[run]\nduration = 1\noutput_interval = 0.1\n",
                                       "f.toml")
                   .plan,
               10)
        .rows;
  };
  for (const FormRow& row : rows_of("[[event]]\nname = \"e\"\nformula = \"t - 0.55\"\naction = \"set\"\n"
                                    "set = { a = -40.0 }\n")) {
    if (row.form != "f2" || row.raw) { continue; }
    CHECK(row.multiplier_most == doctest::Approx(1.2));
    CHECK(row.multiplier_least == doctest::Approx(-48));
    CHECK(row.multiplier_off < comparison::kFormsAgree);
  }
}

TEST_CASE("mechanisms: a wrong multiplier is told also where energies are billionths of a joule") {
  const std::string text =
      "title = \"small\"\n[[bodies]]\nname = \"rod\"\nshape = \"box\"\nmass = 1e-3\nedges = [1e-3, 2e-3, 1e-2]\n"
      "position = [0, 0, -5e-3]\n"
      "[[joints]]\nname = \"ball\"\nkind = \"spherical\"\nbodies = [\"ground\", \"rod\"]\npoint = [0, 0, 0]\n"
      "[[forces]]\nkind = \"force\"\nbody = \"rod\"\nat_body = [0, 0, -5e-3]\nforce_space = [1e-6, 2e-6, 0]\n"
      "[run]\nduration = 1\noutput_interval = 0.1\n";
  const simulation::MechanismPlan plan = catalog::read_mechanism(text, "small.toml").plan;
  for (const FormRow& row : comparison::compare_mechanism_forms(plan, 5).rows) {
    CAPTURE(row.form);
    CHECK(row.multiplier_off < comparison::kFormsAgree);
  }
  std::vector<EulerForm> spoilt(euler_forms().begin(), euler_forms().end());
  for (EulerForm& form : spoilt) { form.simplified_gyro = !form.simplified_gyro; }
  for (const FormRow& row : comparison::compare_mechanism_forms(plan, 5, spoilt).rows) {
    CAPTURE(row.form);
    CHECK(row.multiplier_off > comparison::kFormsAgree);
  }
}

TEST_CASE("mechanisms: a comparison knows how many states it looked at, and how the run ended") {
  const simulation::MechanismPlan whole = loaded_rods("");
  const comparison::FormComparison done = comparison::compare_mechanism_forms(whole, 20);
  CHECK(done.states == 11);  // all there are
  CHECK(done.all_agree());
  simulation::MechanismPlan coarse = loaded_rods("");
  coarse.integrator = "explicit-euler";
  coarse.step = 0.5;
  coarse.duration = 100;
  const comparison::FormComparison cut = comparison::compare_mechanism_forms(coarse, 20);
  CAPTURE(cut.end.message);
  CHECK(cut.end.ending == simulation::Ending::no_convergence);
  CHECK(cut.states < 20);
  CHECK_FALSE(cut.all_agree());
}

TEST_CASE("mechanisms: all forms agree on one that rests, and on a balanced rotor, whose reactions are rounding") {
  const std::string rod =
      "title = \"still\"\n[[bodies]]\nname = \"rod\"\nshape = \"box\"\nmass = 2\nedges = [0.1, 0.1, 1]\n";
  const std::string run = "[run]\nduration = 1\noutput_interval = 0.1\n";
  const std::string corpus[] = {
      "[gravity]\ng_space = [0, 0, -9.81]\n[[joints]]\nname = \"w\"\nkind = \"weld\"\nbodies = [\"ground\", \"rod\"]\n"
      "point = [0.3, 0.2, 0]\n",
      "[[joints]]\nname = \"w\"\nkind = \"revolute\"\nbodies = [\"ground\", \"rod\"]\npoint = [0, 0, 0.5]\n"
      "axis = [0, 0, 1]\nstart = { turn_rate = 30 }\n",
      "[gravity]\ng_space = [0, 0, -9.81]\n[[joints]]\nname = \"w\"\nkind = \"revolute\"\nbodies = [\"ground\", "
      "\"rod\"]\npoint = [0, 0.1, 0.5]\naxis = [0, 0, 1]\nstart = { turn = 0.7 }\n",
  };
  for (const std::string& joints : corpus) {
    CAPTURE(joints);
    for (const FormRow& row :
         comparison::compare_mechanism_forms(catalog::read_mechanism(rod + joints + run, "still.toml").plan, 5).rows) {
      CAPTURE(row.form);
      CAPTURE(row.raw);
      CHECK(row.agrees());
    }
  }
}

TEST_CASE("mechanisms: a form without a solution is off") {
  std::vector<EulerForm> spoilt(euler_forms().begin(), euler_forms().begin() + 1);
  spoilt[0].row_factor = std::numeric_limits<double>::quiet_NaN();
  for (const FormRow& row : comparison::compare_mechanism_forms(loaded_rods(""), 5, spoilt).rows) {
    CHECK_FALSE(row.agrees());
  }
}
