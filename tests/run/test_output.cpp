// What a run hands out: columns that are asked for, rows at given times, points that are followed, peaks.
#include "polhode/polhode.h"

#include "polhode/catalog/mechanism_scenario.h"
#include "polhode/simulation/certificate.h"
#include "support/sinks.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace polhode;

namespace {

Scenario scenario_of(const std::string& text) {
  const io::ScenarioFile file(text, "test.toml");
  for (const Problem& problem : file.problems()) { FAIL(to_line(problem)); }
  return file.scenario();
}

/// Two links on hinges that are not parallel, with one of each force.
const std::string kArm = R"toml(
title = "arm"
[[bodies]]
name = "upper"
shape = "box"
mass = 2
edges = [0.1, 0.1, 1]
position = [0, 0, -0.5]
[[bodies]]
name = "lower"
shape = "box"
mass = 1.5
edges = [0.1, 0.2, 1]
position = [0, 0, -1.5]
[[joints]]
name = "shoulder"
kind = "revolute"
bodies = ["ground", "upper"]
point = [0, 0, 0]
axis = [0, 1, 0]
start = { turn = 0.4, turn_rate = 0.3 }
[[joints]]
name = "elbow"
kind = "revolute"
bodies = ["upper", "lower"]
point = [0, 0, -1]
axis = [0.4, 1, 0]
start = { turn = 0.2 }
[gravity]
g_space = [0, 0, -9.81]
[[forces]]
kind = "motor"
name = "servo"
joint = "shoulder"
target = "0.5*sin(3*t)"
stiffness = 20
damping = 2
[[forces]]
kind = "spring"
name = "band"
bodies = ["ground", "lower"]
first_point = [1, 0, 0]
second_point = [0, 0, -0.5]
stiffness = 15
free_length = 0.5
damping = 0.4
[[forces]]
kind = "joint_spring"
name = "bend"
joint = "elbow"
stiffness = 7
zero = 0.1
[[forces]]
kind = "joint_friction"
joint = "elbow"
dry = 0.3
velocity = 5
viscous = 0.1
[[forces]]
kind = "drag"
body = "lower"
linear = 0.3
[[forces]]
kind = "bushing"
name = "mount"
bodies = ["ground", "lower"]
first_point = [0, 0, -2]
second_point = [0, 0, -0.5]
stiffness = [3, 4, 5, 1, 1, 1]
[run]
duration = 1
output_interval = 0.01
tolerance = 1e-12
)toml";

/// d/dt of a column in the middle rows, by central differences of sixth order; rows are dt apart.
std::vector<double> derivative(const std::vector<double>& x, double dt) {
  std::vector<double> d(x.size());
  for (std::size_t i = 3; i + 3 < x.size(); ++i) {
    d[i] = (45 * (x[i + 1] - x[i - 1]) - 9 * (x[i + 2] - x[i - 2]) + (x[i + 3] - x[i - 3])) / (60 * dt);
  }
  return d;
}

double largest_size(const std::vector<double>& x) {
  double most = 0;
  for (std::size_t i = 3; i + 3 < x.size(); ++i) { most = std::fmax(most, std::fabs(x[i])); }
  return most;
}

/// Largest difference in the rows that have a derivative, relative to the largest value.
double difference(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  std::vector<double> d(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) { d[i] = a[i] - b[i]; }
  return largest_size(d) / largest_size(b);
}

/// What is left out of a difference of sixth order over dt = 0.01 s is dt⁶/140 times a seventh derivative: of motions
/// of up to 15 rad/s some 1e-7 to 1e-6 of a value; the error of dense output, some 1e-11, over dt is less.
constexpr double kDifferences = 1e-5;

Vec3<double> vector_at(const Trajectory& run, std::size_t row, const std::string& symbol, const std::string& end) {
  Vec3<double> v{};
  for (std::size_t k = 0; k < 3; ++k) { v[k] = run.column(symbol + "xyz"[k] + end)[row]; }
  return v;
}
EulerParameters<double> attitude_at(const Trajectory& run, std::size_t row, const std::string& body) {
  return {run.column(body + "e0")[row],
          {run.column(body + "e1")[row], run.column(body + "e2")[row], run.column(body + "e3")[row]}};
}

std::vector<std::string> names_of(const std::vector<simulation::Column>& columns) {
  std::vector<std::string> names;
  names.reserve(columns.size());
  for (const simulation::Column& column : columns) { names.push_back(column.name); }
  return names;
}

std::string refusal(const Scenario& scenario) {
  try {
    static_cast<void>(simulate(scenario));
  } catch (const Error& error) { return error.what(); }
  return "nothing";
}

}  // namespace

TEST_CASE("accelerations of a mechanism are the derivatives of its velocities, and not of each other's") {
  const Trajectory run = simulate(scenario_of(kArm + "[output]\nextra = [\"accelerations\", \"rates\"]\n"));
  REQUIRE(run.done());
  const auto differs = [&](const std::string& value, const std::string& rate) {
    return difference(derivative(run.column(value), 0.01), run.column(rate));
  };
  for (const std::string body : {"upper", "lower"}) {
    for (const std::string axis : {"x", "y", "z"}) {
      CAPTURE(body + axis);
      // the upper link turns about y alone
      if (body == "upper" && axis != "y") {
        CHECK(largest_size(run.column(body + ".alpha" + axis + "_body_rad_s2")) < 1e-9);
        continue;
      }
      CHECK(differs(body + ".w" + axis + "_body_rad_s", body + ".alpha" + axis + "_body_rad_s2") < kDifferences);
      CHECK(differs(body + ".w" + axis + "_space_rad_s", body + ".alpha" + axis + "_space_rad_s2") < kDifferences);
    }
    for (const std::string axis : {"x", "z"}) {
      CHECK(differs(body + ".v" + axis + "_space_m_s", body + ".a" + axis + "_space_m_s2") < kDifferences);
    }
  }
  for (const std::string joint : {"shoulder", "elbow"}) {
    CHECK(differs(joint + ".turn_rad_s", joint + ".turn_rad_s2") < kDifferences);
  }
  // wrong twins: the other frame, the other joint
  CHECK(differs("lower.wx_body_rad_s", "lower.alphax_space_rad_s2") > 1e-3);
  CHECK(differs("shoulder.turn_rad_s", "elbow.turn_rad_s2") > 1e-3);
}

TEST_CASE("the acceleration of a ball joint is the derivative of its rate") {
  const Trajectory run = simulate(scenario_of(R"(
title = "two on a ball joint"
[[bodies]]
name = "one"
principal_moments = [1, 2, 2.5]
mass = 1
position = [-0.5, 0, 0]
w_body = [1, 2, 3]
[[bodies]]
name = "other"
principal_moments = [2, 1, 1.5]
mass = 2
position = [0.5, 0, 0]
w_body = [-1, 0.5, 1]
[[joints]]
name = "ball"
kind = "spherical"
bodies = ["one", "other"]
point = [0, 0, 0]
[run]
duration = 1
output_interval = 0.01
tolerance = 1e-12
[output]
columns = ["ball.rotation_*"]
)"));
  REQUIRE(run.done());
  for (const std::string axis : {"x", "y", "z"}) {
    const std::string name = "ball.rotation_" + axis + "_rad_s";
    CHECK(difference(derivative(run.column(name), 0.01), run.column(name + "2")) < kDifferences);
  }
  // the wrong twin: the rate is not that of the rotation vector
  CHECK(difference(derivative(run.column("ball.rotation_x_rad"), 0.01), run.column("ball.rotation_x_rad_s")) > 1e-3);
}

TEST_CASE("a tracked point moves with its body: its velocity and acceleration are derivatives of its position") {
  const std::string points = R"([[output.points]]
name = "tip"
body = "lower"
at_body = [0.05, 0.1, -0.5]
)";
  const Trajectory run = simulate(scenario_of(kArm + points));
  REQUIRE(run.done());
  for (std::size_t row = 0; row < run.rows(); row += 20) {
    const Vec3<double> there =
        vector_at(run, row, "lower.r", "_space_m") + rotate(attitude_at(run, row, "lower."), {0.05, 0.1, -0.5});
    CHECK(norm(vector_at(run, row, "tip.r", "_space_m") - there) < 1e-14);
  }
  for (const std::string axis : {"x", "y", "z"}) {
    CHECK(difference(derivative(run.column("tip.r" + axis + "_space_m"), 0.01),
                     run.column("tip.v" + axis + "_space_m_s")) < kDifferences);
    CHECK(difference(derivative(run.column("tip.v" + axis + "_space_m_s"), 0.01),
                     run.column("tip.a" + axis + "_space_m_s2")) < kDifferences);
  }
  // the wrong twin: the mass centre is another point
  CHECK(difference(derivative(run.column("lower.rx_space_m"), 0.01), run.column("tip.vx_space_m_s")) > 1e-2);
}

TEST_CASE("forces by name: with them, gravity and the reaction a body accelerates as it does") {
  const Trajectory run = simulate(scenario_of(kArm + "[output]\nextra = [\"accelerations\", \"forces\"]\n"));
  REQUIRE(run.done());
  const double m = 1.5;
  double most = 0;
  double without_drag = 0;
  for (std::size_t row = 0; row < run.rows(); row += 7) {
    const Vec3<double> end =
        vector_at(run, row, "lower.r", "_space_m") + rotate(attitude_at(run, row, "lower."), {0, 0, -0.5});
    const Vec3<double> away = end - Vec3<double>{1, 0, 0};
    const Vec3<double> drag = vector_at(run, row, "drag-1.f", "_space_N");
    const Vec3<double> sum = vector_at(run, row, "elbow.f", "_space_N") + Vec3<double>{0, 0, -9.81 * m} -
                             run.column("band.force_N")[row] * (away / norm(away)) +
                             vector_at(run, row, "mount.f", "_space_N");
    const Vec3<double> ma = m * vector_at(run, row, "lower.a", "_space_m_s2");
    most = std::fmax(most, norm(sum + drag - ma));
    without_drag = std::fmax(without_drag, norm(sum - ma));
    // the laws themselves
    CHECK(norm(drag + 0.3 * vector_at(run, row, "lower.v", "_space_m_s")) < 1e-14);
    CHECK(run.column("bend.torque_Nm")[row] ==
          doctest::Approx(-7 * (run.column("elbow.turn_rad")[row] - 0.1)).epsilon(1e-12));
    const double t = run.column("t_s")[row];
    CHECK(run.column("servo.torque_Nm")[row] ==
          doctest::Approx(20 * (0.5 * std::sin(3 * t) - run.column("shoulder.turn_rad")[row]) +
                          2 * (1.5 * std::cos(3 * t) - run.column("shoulder.turn_rad_s")[row]))
              .epsilon(1e-12));
    // the axes of the mount on the ground are those of space
    const Vec3<double> shift = end - Vec3<double>{0, 0, -2};
    CHECK(run.column("mount.fy_space_N")[row] == doctest::Approx(-4 * shift.y).epsilon(1e-9));
  }
  CHECK(most < 1e-9);  // of some 20 N: rounding
  CHECK(without_drag > 0.01);
}

TEST_CASE("forces by name: their powers are what the ledger sums up as work supplied and dissipated") {
  const Trajectory run = simulate(scenario_of(kArm + "[output]\nextra = [\"forces\"]\n"));
  const std::vector<double> supplied = derivative(run.column("work_supplied_J"), 0.01);
  const std::vector<double> dissipated = derivative(run.column("work_dissipated_J"), 0.01);
  const auto rate = run.column("elbow.turn_rad_s");
  std::vector<double> by_motor(run.rows());
  std::vector<double> by_friction(run.rows());
  std::vector<double> by_all(run.rows());
  for (std::size_t row = 0; row < run.rows(); ++row) {
    by_motor[row] = run.column("servo.torque_Nm")[row] * run.column("shoulder.turn_rad_s")[row];
    by_friction[row] = -run.column("joint_friction-1.torque_Nm")[row] * rate[row];
    const Vec3<double> v = vector_at(run, row, "lower.v", "_space_m_s");
    const EulerParameters<double> e = attitude_at(run, row, "lower.");
    const Vec3<double> arm = rotate(e, Vec3<double>{0, 0, -0.5});
    const Vec3<double> d = vector_at(run, row, "lower.r", "_space_m") + arm - Vec3<double>{1, 0, 0};
    const Vec3<double> w = rotate(e, vector_at(run, row, "lower.w", "_body_rad_s"));
    const double stretching = dot(d, v + cross(w, arm)) / norm(d);
    by_all[row] =
        by_friction[row] - dot(vector_at(run, row, "drag-1.f", "_space_N"), v) + 0.4 * stretching * stretching;
  }
  // the ledger integrates each step by Gauss' formula: its derivative is good to the steps' error
  CHECK(difference(supplied, by_motor) < 1e-5);
  CHECK(difference(dissipated, by_all) < 1e-5);
  CHECK(difference(dissipated, by_friction) > 1e-3);
}

TEST_CASE("a driven rod: the torque of its driver holds it against gravity, and its angle counts whole turns") {
  const std::string text = R"(
title = "rod"
[[bodies]]
name = "rod"
shape = "box"
mass = 3
edges = [1, 0.1, 0.1]
position = [0.5, 0, 0]
[[joints]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "rod"]
point = [0, 0, 0]
axis = [0, 1, 0]
[gravity]
g_space = [0, 0, -9.81]
[[drivers]]
name = "drive"
joint = "hinge"
rate = 5
[run]
duration = 5
checkpoint_rows = 40
output_interval = 0.02
[output]
extra = ["turns", "forces"]
)";
  const Trajectory run = simulate(scenario_of(text));
  REQUIRE(run.done());
  bool wrapped = false;
  for (std::size_t row = 0; row < run.rows(); ++row) {
    const double t = run.column("t_s")[row];
    // r × f about y, r = (cos θ, 0, −sin θ)/2: the driver takes m g cos θ/2 off
    CHECK(std::fabs(run.column("drive.torque_Nm")[row] + 3 * 9.81 * 0.5 * std::cos(5 * t)) < 1e-8);
    CHECK(std::fabs(run.column("hinge.turn_unwrapped_rad")[row] - 5 * t) < 1e-8);
    wrapped = wrapped || std::fabs(run.column("hinge.turn_rad")[row] - 5 * t) > 1;
  }
  CHECK(wrapped);

  // the same bits from a checkpoint
  const catalog::MechanismScenario made = catalog::understand_mechanism(scenario_of(text));
  test::Keeper whole;
  simulation::Simulation(made.plan).run(whole);
  REQUIRE(whole.snapshots.size() > 4);
  CHECK(whole.snapshots[4].discrete.size() == 1);
  test::Keeper rest;
  simulation::Simulation(made.plan).resume(whole.snapshots[4], rest);
  REQUIRE(rest.rows.size() < whole.rows.size());
  CHECK(std::equal(rest.rows.rbegin(), rest.rows.rend(), whole.rows.rbegin()));
}

TEST_CASE("a ball that rolls down: point and force of contact are those of the exact motion") {
  // a = 5/7 g sin α along the plane; the plane gives m (a − g)
  const Trajectory run = simulate(scenario_of(R"(
title = "ball"
[[bodies]]
name = "ball"
shape = "sphere"
mass = 2
radius = 0.1
position = [0, 0, 0.1]
[gravity]
g_space = [3, 0, -9]
[[rolling]]
name = "floor"
body = "ball"
edge_radius = 0.1
[run]
duration = 1
[output]
extra = ["contacts", "accelerations"]
)"));
  REQUIRE(run.done());
  for (const std::size_t row : {std::size_t{0}, run.rows() / 2, run.rows() - 1}) {
    const double t = run.column("t_s")[row];
    CHECK(norm(vector_at(run, row, "ball.a", "_space_m_s2") - Vec3<double>{15.0 / 7, 0, 0}) < 1e-9);
    CHECK(norm(vector_at(run, row, "floor.f", "_space_N") - Vec3<double>{-2 * 6.0 / 7, 0, 18}) < 1e-9);
    CHECK(norm(vector_at(run, row, "floor.r", "_space_m") - Vec3<double>{0.5 * 15.0 / 7 * t * t, 0, 0}) < 1e-9);
    // the wrong twin: what would slide without friction
    CHECK(std::fabs(vector_at(run, row, "floor.f", "_space_N").x) > 1);
  }
}

TEST_CASE("multipliers of the norms of a mechanism: none in f1, 4 T in f5, half of it in f12, a spring's part in f6") {
  const Trajectory run = simulate(scenario_of(kArm + "[output]\nextra = [\"multipliers\"]\n"));
  REQUIRE(run.done());
  const Vec3<double> J = (1.5 / 12) * Vec3<double>{0.2 * 0.2 + 1, 0.1 * 0.1 + 1, 0.1 * 0.1 + 0.2 * 0.2};
  bool springs_part = false;
  for (std::size_t row = 0; row < run.rows(); row += 10) {
    const Vec3<double> w_B = vector_at(run, row, "lower.w", "_body_rad_s");
    const double expected = 2 * (J.x * w_B.x * w_B.x + J.y * w_B.y * w_B.y + J.z * w_B.z * w_B.z);
    const double scale = 20;  // J: what the equations are made of, m g lengths
    CHECK(std::fabs(run.column("lower.norm_multiplier_f1_J")[row]) < 1e-9 * scale);
    CHECK(std::fabs(run.column("lower.norm_multiplier_f5_J")[row] - expected) < 1e-9 * scale);
    CHECK(std::fabs(2 * run.column("lower.norm_multiplier_f12_J")[row] - expected) < 1e-9 * scale);
    springs_part = springs_part || std::fabs(run.column("lower.norm_multiplier_f6_J")[row] - expected) > 0.1;
  }
  CHECK(springs_part);
}

// ---- one body -------------------------------------------------------------------------------------------------------

namespace {

const std::string kThrown = R"(
title = "thrown"
[body]
principal_moments = [2, 1, 1.5]
mass = 3
mass_centre = [0.1, 0, 0]
[initial]
w_body = [1, 2, 3]
velocity = [1, 0, 2]
[[load]]
kind = "gravity"
name = "weight"
g_space = [0, 0, -9.81]
[[load]]
kind = "spring"
anchor_space = [0, 0, 3]
at_body = [0.2, 0, 0.5]
stiffness = 40
length = 1
[[load]]
kind = "damping"
linear = 0.2
[run]
duration = 1
output_interval = 0.01
tolerance = 1e-12
)";

}  // namespace

TEST_CASE("one body: accelerations are derivatives of velocities, loads by name add up to what moves it") {
  const Trajectory run = simulate(scenario_of(kThrown + R"([output]
extra = ["accelerations", "rates", "forces"]
[[output.points]]
name = "nose"
at_body = [0.2, 0.3, 0.4]
)"));
  REQUIRE(run.done());
  const auto differs = [&](const std::string& value, const std::string& rate) {
    return difference(derivative(run.column(value), 0.01), run.column(rate));
  };
  for (const std::string axis : {"x", "y", "z"}) {
    CAPTURE(axis);
    CHECK(differs("w" + axis + "_body_rad_s", "alpha" + axis + "_body_rad_s2") < kDifferences);
    CHECK(differs("w" + axis + "_space_rad_s", "alpha" + axis + "_space_rad_s2") < kDifferences);
    CHECK(differs("v" + axis + "_space_m_s", "a" + axis + "_space_m_s2") < kDifferences);
    CHECK(differs("nose.r" + axis + "_space_m", "nose.v" + axis + "_space_m_s") < kDifferences);
    CHECK(differs("nose.v" + axis + "_space_m_s", "nose.a" + axis + "_space_m_s2") < kDifferences);
  }
  CHECK(differs("wx_body_rad_s", "alphax_space_rad_s2") > 1e-3);
  std::array<std::vector<double>, 3> torque;
  for (std::size_t row = 0; row < run.rows(); ++row) {
    const EulerParameters<double> e = attitude_at(run, row, "");
    const Vec3<double> r = vector_at(run, row, "r", "_space_m");
    // points are given from the origin of the body's axes, 0.1 m from the mass centre
    CHECK(norm(vector_at(run, row, "nose.r", "_space_m") - (r + rotate(e, Vec3<double>{0.1, 0.3, 0.4}))) < 1e-13);
    const Vec3<double> m = rotate(e, vector_at(run, row, "m", "_body_Nm"));
    for (std::size_t k = 0; k < 3; ++k) { torque[k].push_back(m[k]); }
    const Vec3<double> f = vector_at(run, row, "f", "_space_N");
    CHECK(norm(f - 3.0 * vector_at(run, row, "a", "_space_m_s2")) < 1e-12 * 100);
    // load by load
    const Vec3<double> spring = vector_at(run, row, "spring-2.f", "_space_N");
    CHECK(norm(vector_at(run, row, "weight.f", "_space_N") - Vec3<double>{0, 0, -29.43}) < 1e-12);
    CHECK(norm(vector_at(run, row, "weight.f", "_space_N") + spring - f) < 1e-12 * 100);
    const Vec3<double> away = r + rotate(e, Vec3<double>{0.1, 0, 0.5}) - Vec3<double>{0, 0, 3};
    CHECK(norm(spring + 40 * (norm(away) - 1) * (away / norm(away))) < 1e-12 * 100);
    CHECK(norm(vector_at(run, row, "damping-3.m", "_body_Nm") + 0.2 * vector_at(run, row, "w", "_body_rad_s")) < 1e-14);
  }
  for (std::size_t k = 0; k < 3; ++k) {
    const std::string h = std::string("h") + "xyz"[k] + "_space_Nms";
    CHECK(difference(derivative(run.column(h), 0.01), torque[k]) < kDifferences);
  }
}

// ---- choice ---------------------------------------------------------------------------------------------------------

TEST_CASE("a * stands for any characters, or none") {
  using simulation::fits;
  CHECK(fits("e0", "e0"));
  CHECK_FALSE(fits("e0", "e01"));
  CHECK(fits("arm.*", "arm.e0"));
  CHECK_FALSE(fits("arm.*", "arms.e0"));
  CHECK(fits("*_rad_s", "arm.wx_body_rad_s"));
  CHECK_FALSE(fits("*_rad_s", "arm.alphax_body_rad_s2"));
  CHECK(fits("*.w*_rad_s", "arm.wx_body_rad_s"));
  CHECK(fits("*a*a*", "banana"));
  CHECK_FALSE(fits("*x*a*", "banana"));
  CHECK(fits("**", ""));
  CHECK_FALSE(fits("", "x"));
}

TEST_CASE("columns are chosen by name and pattern, with the bits that they have in a whole result") {
  const Trajectory all = simulate(scenario_of(kArm));
  const Trajectory some = simulate(scenario_of(kArm + R"([output]
columns = ["kinetic_J", "lower.w*_body_rad_s", "servo.torque_Nm", "*.turn_rad"]
)"));
  CHECK(names_of(some.columns()) == std::vector<std::string>{"t_s", "lower.wx_body_rad_s", "lower.wy_body_rad_s",
                                                             "lower.wz_body_rad_s", "shoulder.turn_rad",
                                                             "elbow.turn_rad", "kinetic_J", "servo.torque_Nm"});
  for (const std::string& name : names_of(some.columns())) {
    if (name != "servo.torque_Nm") { CHECK(some.column(name) == all.column(name)); }
  }
  CHECK_FALSE(all.has("servo.torque_Nm"));
  // everything there is
  const Trajectory most = simulate(scenario_of(kArm + "[output]\ncolumns = [\"*\"]\n"));
  CHECK(most.columns().size() > 2 * all.columns().size());
  std::vector<std::string> names = names_of(most.columns());
  std::sort(names.begin(), names.end());
  CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
}

TEST_CASE("columns, groups and times that cannot be are told with the nearest name and where they are") {
  const auto told = [](const std::string& output) { return refusal(scenario_of(kArm + "[output]\n" + output)); };
  CHECK(told("columns = [\"t_s\", \"kinetc_J\"]").find("output.columns[1]: unknown column 'kinetc_J'") !=
        std::string::npos);
  CHECK(told("columns = [\"kinetc_J\"]").find("did you mean 'kinetic_J'?") != std::string::npos);
  CHECK(told("columns = [\"amr.*\"]").find("no column fits 'amr.*'") != std::string::npos);
  CHECK(told("extra = [\"acceleration\"]").find("did you mean 'accelerations'?") != std::string::npos);
  std::string no_interval = kThrown;
  const std::string interval = "output_interval = 0.01\n";
  no_interval.replace(no_interval.find(interval), interval.size(), "");
  CHECK(refusal(scenario_of(no_interval + "[output]\ntimes = [0, 2]")).find("output.times[1]: a row at 2 s") !=
        std::string::npos);
  CHECK(refusal(scenario_of(no_interval + "[output]\ntimes = [0.5, 0.5]"))
            .find("output.times[1]: the time 0.5 s behind 0.5 s") != std::string::npos);
  CHECK(told("times = [0.5]").find("both times and output_interval") != std::string::npos);
  CHECK(told("[[output.points]]\nname = \"tip\"\nat_body = [0, 0, 0]").find("body is missing") != std::string::npos);
  CHECK(told("[[output.points]]\nname = \"elbow\"\nbody = \"lower\"\nat_body = [0, 0, 0]")
            .find("two elements are called 'elbow'") != std::string::npos);
  CHECK(refusal(scenario_of(kThrown + "[output]\ncolumns = [\"multiplier\"]")).find("unknown column 'multiplier'") !=
        std::string::npos);
}

TEST_CASE("rows at given times are those of the motion there; the run goes on to its end") {
  std::string text = kThrown;
  const std::string interval = "output_interval = 0.01\n";
  text.replace(text.find(interval), interval.size(), "checkpoint_rows = 2\n");
  text += R"(
[parameters]
early = 0.1
[[event]]
name = "late"
formula = "t - 0.9"
[output]
times = ["early", 0.25, "2*early + 0.3", 0.7]
)";
  const Trajectory grid = simulate(scenario_of(kThrown));
  const Trajectory run = simulate(scenario_of(text));
  REQUIRE(run.done());
  CHECK(run.end().t == 1);
  CHECK(run.end().rows == 4);
  CHECK(run.column("t_s") == std::vector<double>{0.1, 0.25, 0.5, 0.7});
  for (std::size_t i = 0; i < 4; ++i) {
    const auto row = static_cast<std::size_t>(std::lround(100 * run.column("t_s")[i]));
    // steps by a tolerance of 1e-12, begun anew at other checkpoints
    CHECK(std::fabs(run.column("wx_body_rad_s")[i] - grid.column("wx_body_rad_s")[row]) < 1e-9);
  }
  REQUIRE(run.events().size() == 1);
  CHECK(run.events()[0].t == doctest::Approx(0.9).epsilon(1e-10));

  // the same bits from every checkpoint
  const catalog::OneBodyScenario made = catalog::understand(scenario_of(text));
  test::Keeper whole;
  simulation::Simulation(made.plan).run(whole);
  CHECK(whole.rows.size() == 4);
  for (const simulation::Snapshot& snapshot : whole.snapshots) {
    test::Keeper rest;
    const simulation::Outcome outcome = simulation::Simulation(made.plan).resume(snapshot, rest);
    CHECK(outcome.t == 1);
    CHECK(outcome.rows == 4);
    CHECK(rest.rows.size() == 4 - snapshot.rows);
    CHECK(std::equal(rest.rows.rbegin(), rest.rows.rend(), whole.rows.rbegin()));
  }
  // a row at the end and one at the start
  text.replace(text.find("[\"early\""), 8, "[0, \"early\"");
  text.replace(text.find(", 0.7]"), 6, ", 1]");
  CHECK(simulate(scenario_of(text)).column("t_s") == std::vector<double>{0, 0.1, 0.25, 0.5, 1});
}

TEST_CASE("the certificate is the same whichever columns are handed out") {
  for (const std::string& text : {kArm, kThrown}) {
    std::string coarse = text;
    coarse.replace(coarse.find("tolerance = 1e-12"), 17, "tolerance = 1e-8");
    const Trajectory all = simulate(scenario_of(coarse), {.certify = true});
    const Trajectory some = simulate(scenario_of(coarse + "[output]\ncolumns = [\"kinetic_J\"]\n"), {.certify = true});
    REQUIRE(all.certificate().attitude_error.has_value());
    CHECK(*all.certificate().attitude_error > 0);
    CHECK(some.certificate().attitude_error == all.certificate().attitude_error);
    CHECK(some.certificate().method == all.certificate().method);
  }
}

TEST_CASE("[output] is written and read back equal") {
  const Scenario scenario = scenario_of(kThrown + R"([output]
columns = ["e*", "kinetic_J"]
extra = ["rates"]
times = [0, "1/3", 0.5]
files = false
[[output.points]]
name = "nose"
at_body = [1, "2*3", 0]
)");
  REQUIRE(scenario.output.has_value());
  CHECK_FALSE(scenario.output->files);
  CHECK(scenario.output->points.size() == 1);
  CHECK(scenario_of(io::to_toml(scenario)) == scenario);
  Scenario other = scenario;
  other.output->columns[0] = "e0";
  CHECK(io::hash_of(other) != io::hash_of(scenario));
}

// ---- peaks ----------------------------------------------------------------------------------------------------------

TEST_CASE("peaks are the largest and smallest values of columns, and of the sizes of vectors, with their times") {
  const Trajectory run = simulate(scenario_of(kArm + "[output]\nextra = [\"forces\"]\n"));
  const Peaks peaks = peaks_of(run);
  std::size_t sizes = 0;
  for (const Peaks::Extremes& one : peaks.all()) {
    CAPTURE(one.name);
    if (!one.is_size) {
      CHECK(one.largest.value == run.largest(one.name).value);
      CHECK(one.largest.t == run.largest(one.name).t);
      CHECK(one.smallest.value == run.smallest(one.name).value);
      CHECK(one.smallest.t == run.smallest(one.name).t);
      continue;
    }
    ++sizes;
    if (one.name != "lower.w_body_rad_s") { continue; }
    double most = 0;
    double when = 0;
    for (std::size_t row = 0; row < run.rows(); ++row) {
      const double size = norm(vector_at(run, row, "lower.w", "_body_rad_s"));
      if (size > most) { when = run.column("t_s")[row]; }
      most = std::fmax(most, size);
    }
    CHECK(one.largest.value == doctest::Approx(most).epsilon(1e-15));
    CHECK(one.largest.t == when);
    CHECK(one.largest.value > run.largest("lower.wy_body_rad_s").value);
  }
  CHECK(sizes == 2 * 3 + 2 * 2 + 3);  // w, r, v of bodies; f, m of joints; drag, and both of the bushing
  const auto words = peaks.in_words();
  const auto has = [&](const std::string& what, const std::string& name) {
    return std::any_of(words.begin(), words.end(), [&](const auto& line) {
      return line.first == what && line.second.find("(" + name + ")") != std::string::npos;
    });
  };
  CHECK(words.size() == 5);
  CHECK(has("largest torque on a joint", "servo.torque_Nm"));
  CHECK(has("largest force", "band.force_N"));
  CHECK(to_json(peaks).find(R"({"size_of":"lower.w_body_rad_s","largest":)") != std::string::npos);
  CHECK(Peaks(run.columns()).all().empty());
}

TEST_CASE("the certificate is that of the whole run, whichever times rows are handed out at") {
  Scenario s;
  s.title = "driven";
  s.body.emplace().inertia.principal_moments = NumberVector{1.0, 1.5, 2.0};
  s.initial.emplace().rate.w_body = NumberVector{0.5, 0.9, 0.3};
  s.load.push_back({.what = force::Moment{.moment_space = ExpressionVector{"0.1*sin(t)", 0.0, 0.0}}});
  s.run.emplace().duration = 50.0;
  s.run->integrator = "rk4";
  s.run->step = 0.2;
  const Trajectory whole = simulate(s, {.certify = true});
  s.output.emplace().times = {0.0, 0.001};
  const Trajectory early = simulate(s, {.certify = true});
  REQUIRE(early.rows() == 2);
  REQUIRE(whole.certificate().attitude_error);
  CHECK(*whole.certificate().attitude_error > 1e-6);
  CHECK(early.certificate().verdict == whole.certificate().verdict);
  CHECK(*early.certificate().attitude_error == doctest::Approx(*whole.certificate().attitude_error).epsilon(1e-3));
  const auto energy = [](const Trajectory& run) { return run.certificate().evidence.at(0).value; };
  CHECK(energy(early) == doctest::Approx(energy(whole)).epsilon(1e-3));
  // not certified, the balance at the end counts, too
  CHECK(energy(simulate(s)) > 0);
}
