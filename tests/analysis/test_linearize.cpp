// Linearised equations against closed forms, a published case, and differences of the whole equations.
#include "polhode/analysis/linearize.h"
#include "polhode/analysis/root_locus.h"
#include "polhode/io/files.h"
#include "polhode/io/scenario_toml.h"
#include "support/cases.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <fstream>

using namespace polhode;

namespace {

using Complex = std::complex<double>;
constexpr Complex kImaginary{0, 1};

Scenario from_toml(const std::string& text) {
  const io::ScenarioFile file(text, "test.toml");
  for (const Problem& problem : file.problems()) { FAIL_CHECK(problem.what); }
  return file.scenario();
}

Scenario example(const std::string& name) {
  return Scenario::read(std::string(POLHODE_SOURCE_DIR) + "/examples/" + name + ".toml");
}

/// How far a value is from the nearest eigenvalue.
double distance(const std::vector<Complex>& all, const Complex& value) {
  double least = 1e300;
  for (const Complex& one : all) { least = std::fmin(least, std::abs(one - value)); }
  return least;
}

std::size_t count_zeros(const std::vector<Complex>& all) {
  return static_cast<std::size_t>(std::count(all.begin(), all.end(), Complex(0)));
}

std::size_t index_of(const Linearization& linear, const std::string& name) {
  for (std::size_t i = 0; i < linear.states.size(); ++i) {
    if (linear.states[i].name == name) { return i; }
  }
  FAIL("no state " << name);
  return 0;
}

double entry(const Linearization& linear, const std::string& row, const std::string& column) {
  return linear.A(index_of(linear, row), index_of(linear, column));
}

std::string says(const Scenario& scenario, const LinearizeOptions& options = {}) {
  try {
    static_cast<void>(linearize(scenario, options));
  } catch (const Error& error) { return error.what(); }
  return "";
}

const char* const kTop = R"toml(title = "top"
[parameters]
spin = 60.0
tilt = 0.0
precession = 0.0
[body]
principal_moments = [0.002, 0.002, 0.0008]
mass = 0.5
mass_centre = [0, 0, 0.05]
fixed_point = [0, 0, 0]
[initial]
euler = { sequence = "3-1-3", angles = [0, "tilt", 0] }
w_body = [0, "precession*sin(tilt)", "spin"]
[[load]]
kind = "gravity"
g_space = [0, 0, -9.81]
[run]
duration = 1
)toml";

const char* const kConical = R"toml(title = "a bob on an arm that turns about a pole"
[parameters]
W = 6.0
[gravity]
g_space = [0, 0, -9.81]
[[bodies]]
name = "hub"
mass = 1
principal_moments = [1, 1, 1]
w_space = [0, 0, "W"]
[[bodies]]
name = "bob"
mass = 1.5
principal_moments = [1e-3, 1e-3, 1e-3]
position = ["sin(acos(9.81/W^2))", 0, "-9.81/W^2"]
w_space = [0, 0, "W"]
[[joints]]
name = "pole"
kind = "revolute"
bodies = ["ground", "hub"]
point = [0, 0, 0]
axis = [0, 0, 1]
[[joints]]
name = "knee"
kind = "revolute"
bodies = ["hub", "bob"]
point = [0, 0, 0]
axis = [0, 1, 0]
[run]
duration = 1
)toml";

}  // namespace

TEST_CASE("a pendulum has the matrix of its closed form, hanging and upside down") {
  // rod: J = m (l²/3 + d²/12) about its end, θ̈ = −(m g l/2 J) sin θ
  for (const double angle : {0.0, 3.141592653589793}) {
    Scenario s = from_toml(R"toml(title = "rod"
[parameters]
angle = 0
[gravity]
g_space = [0, 0, -9.81]
[[bodies]]
name = "rod"
shape = "box"
mass = 2
edges = [0.1, 0.1, 1.2]
position = [0, 0, -0.6]
[[joints]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "rod"]
point = [0, 0, 0]
axis = [0, 1, 0]
start = { turn = "angle" }
[run]
duration = 1
)toml");
    const Linearization linear = linearize(s, {.parameters = {{"angle", angle}}});
    REQUIRE(linear.states.size() == 2);
    CHECK(linear.steady);
    CHECK(linear.states[0].name == "hinge_turn");
    CHECK(linear.states[1].name == "hinge_turn_rate");
    const double expected = -9.81 * 0.6 / (1.2 * 1.2 / 3 + 0.01 / 12) * std::cos(angle);
    CHECK(linear.A(0, 0) == 0);
    CHECK(linear.A(0, 1) == doctest::Approx(1).epsilon(1e-15));
    CHECK(linear.A(1, 0) == doctest::Approx(expected).epsilon(1e-13));
    CHECK(linear.A(1, 0) != doctest::Approx(expected * 4 / 3).epsilon(1e-3));  // the twin: all mass at the end, 2g/l
    CHECK(linear.A(1, 1) == 0);
  }
}

TEST_CASE("a sleeping top sways at the two rates of its equation, above and below the spin that holds it up") {
  const Scenario s = from_toml(kTop);
  const double J1 = 0.002 + 0.5 * 0.05 * 0.05;
  const double J3 = 0.0008;
  const double mgl = 0.5 * 9.81 * 0.05;
  for (const double spin : {5.0, 20.0, 60.0, 200.0}) {
    const Linearization linear = linearize(s, {.parameters = {{"spin", spin}}});
    CHECK(linear.about.starts_with("steady motion: spin of body 'body' about [0, 0, 1]"));
    const std::vector<Complex> all = linear.eigenvalues();
    REQUIRE(all.size() == 6);
    CHECK(count_zeros(all) == 2);
    // J₁ θ̈ − i J₃ s θ̇ − m g l θ = 0 for the complex tilt θ
    const Complex root = std::sqrt(Complex(J3 * J3 * spin * spin - 4 * J1 * mgl));
    for (const double sign : {-1.0, 1.0}) {
      const Complex value = kImaginary * (J3 * spin + sign * root) / (2 * J1);
      CHECK(distance(all, value) < 1e-12 * std::abs(value));
      CHECK(distance(all, std::conj(value)) < 1e-12 * std::abs(value));
      // the twin: the spin counted against the transverse moment
      CHECK(distance(all, kImaginary * (J1 * spin + sign * root) / (2 * J1)) > 1e-3 * std::abs(value));
    }
  }
}

TEST_CASE("a top that precesses evenly nods at the rate that its effective potential gives") {
  const double J1 = 0.002 + 0.5 * 0.05 * 0.05;
  const double J3 = 0.0008;
  const double mgl = 0.5 * 9.81 * 0.05;
  const double tilt = 0.6;
  const double spin = 300;  // ω₃, about the axis
  // J₁ cos θ Ω² − J₃ ω₃ Ω + m g l = 0, the slow one
  const double a = J1 * std::cos(tilt);
  const double slow = (J3 * spin - std::sqrt(J3 * J3 * spin * spin - 4 * a * mgl)) / (2 * a);
  const Linearization linear =
      linearize(from_toml(kTop), {.parameters = {{"spin", spin}, {"tilt", tilt}, {"precession", slow}}});
  CHECK(linear.steady);
  CHECK(linear.residual < 1e-12);
  // V_eff = (p_φ − p_ψ cos θ)²/(2 J₁ sin² θ) + m g l cos θ; its second derivative over J₁
  const double p_psi = J3 * spin;
  const double p_phi = J1 * slow * std::sin(tilt) * std::sin(tilt) + p_psi * std::cos(tilt);
  const auto slope = [&](long double x) {
    const long double s = std::sin(x);
    const long double c = std::cos(x);
    const long double b = static_cast<long double>(p_phi) - static_cast<long double>(p_psi) * c;
    return b * static_cast<long double>(p_psi) / (static_cast<long double>(J1) * s) -
           b * b * c / (static_cast<long double>(J1) * s * s * s) - static_cast<long double>(mgl) * s;
  };
  const long double h = 1e-4L;
  const long double second =
      (8 * (slope(static_cast<long double>(tilt) + h) - slope(static_cast<long double>(tilt) - h)) -
       (slope(static_cast<long double>(tilt) + 2 * h) - slope(static_cast<long double>(tilt) - 2 * h))) /
      (12 * h);
  const double nod = std::sqrt(static_cast<double>(second) / J1);
  CHECK(distance(linear.eigenvalues(), Complex(0, nod)) < 1e-9 * nod);
  // the twin: that of a body without gravity, J₃ ω₃/J₁, is off by more
  CHECK(distance(linear.eigenvalues(), Complex(0, J3 * spin / J1)) > 1e-4 * nod);
}

TEST_CASE("a free body about its middle axis leaves it at the rate of Euler's equations") {
  const Scenario s = from_toml(R"toml(title = "free"
[body]
principal_moments = [3, 2, 1.5]
[initial]
w_body = [0, 2, 0]
[run]
duration = 1
)toml");
  const std::vector<Complex> all = linearize(s).eigenvalues();
  const double rate = 2 * std::sqrt((3.0 - 2.0) * (2.0 - 1.5) / (3.0 * 1.5));
  CHECK(distance(all, rate) < 1e-13);
  CHECK(distance(all, -rate) < 1e-13);
  // seen from the body, a turned space goes round: ±i ω; the rest stands
  CHECK(distance(all, Complex(0, 2)) < 1e-13);
  CHECK(count_zeros(all) == 2);
}

TEST_CASE("a satellite on its orbit swings as gravity gradient says, and its orbit as Kepler's") {
  const Scenario s = from_toml(R"toml(title = "satellite"
[parameters]
n = 0.001
mu = 1e9
r = "(mu/n^2)^(1/3)"
[gravity]
mu = "mu"
[[bodies]]
name = "craft"
mass = 1000
principal_moments = [9, 10, 1.2]
position = ["r", 0, 0]
velocity = [0, "n*r", 0]
matrix = [[0, 0, 1], [1, 0, 0], [0, 1, 0]]
w_space = [0, 0, "n"]
[run]
duration = 1
)toml");
  const Linearization linear = linearize(s);
  CHECK(linear.about == "steady motion: turn about z at 0.001 rad/s");
  const std::vector<Complex> all = linear.eigenvalues();
  REQUIRE(all.size() == 12);
  // body x along the orbit, y across it, z up: pitch about y; roll and yaw together [Hughes1986, section 9.3]. The
  // radius is 1000 m and the body of 0.1 m: gravity gradient and orbit influence each other by 1e-8.
  const double n = 0.001;
  const double pitch = n * std::sqrt(3 * (9 - 1.2) / 10);
  CHECK(distance(all, Complex(0, pitch)) < 1e-6 * n);
  const double k1 = (10 - 1.2) / 9;
  const double k3 = (10 - 9.0) / 1.2;
  const double b = 1 + 3 * k1 + k1 * k3;
  const double root = std::sqrt(b * b - 16 * k1 * k3);
  for (const double sign : {-1.0, 1.0}) {
    const double rate = n * std::sqrt((b + sign * root) / 2);
    CHECK(distance(all, Complex(0, rate)) < 1e-6 * n);
  }
  CHECK(distance(all, Complex(0, n)) < 1e-6 * n);
  CHECK(distance(all, Complex(0, n * std::sqrt(3 * (10 - 9.0) / 1.2))) > 1e-3 * n);  // the twin: yaw alone
}

TEST_CASE("the same satellite under a torque that turns with time: what keeps step with it is steady") {
  const Scenario s = from_toml(R"toml(title = "satellite"
[body]
principal_moments = [9, 10, 1.2]
[initial]
matrix = [[0, 0, 1], [1, 0, 0], [0, 1, 0]]
w_space = [0, 0, 0.001]
[[load]]
kind = "gravity_gradient"
orbit_rate = 0.001
orbit_normal_space = [0, 0, 1]
centre_space = [-1, 0, 0]
[run]
duration = 1
)toml");
  const Linearization linear = linearize(s);
  CHECK(linear.steady);
  const double pitch = 0.001 * std::sqrt(3 * (9 - 1.2) / 10);
  CHECK(distance(linear.eigenvalues(), Complex(0, pitch)) < 1e-9 * pitch);
}

TEST_CASE("a disc that rolls straight on is held up by its spin beyond the speed of the closed form") {
  const char* const text = R"toml(title = "disc"
[parameters]
w = 10.0
[gravity]
g_space = [0, 0, -9.81]
[[bodies]]
name = "disc"
mass = 2
principal_moments = [0.005, 0.01, 0.005]
position = [0, 0, 0.1]
velocity = ["w*0.1", 0, 0]
w_body = [0, "w", 0]
[[rolling]]
name = "rim"
body = "disc"
axis_body = [0, 1, 0]
radius = 0.1
[run]
duration = 1
)toml";
  const Scenario s = from_toml(text);
  const double A = 0.005;
  const double C = 0.01;
  const double mr2 = 0.02;
  for (const double w : {2.0, 5.0, 10.0, 30.0}) {
    const Linearization linear = linearize(s, {.parameters = {{"w", w}}});
    CHECK(linear.position_count == 5);  // one of its three constraints is on positions
    REQUIRE(linear.states.size() == 8);
    const std::vector<Complex> all = linear.eigenvalues();
    const Complex rate = std::sqrt(Complex((2 * 9.81 * 0.1 - (C + mr2) * C * w * w / A) / (A + mr2)));
    CHECK(distance(all, rate) < 1e-12 * std::abs(rate));
    CHECK(count_zeros(all) == 6);
    CHECK(std::count(linear.ignorable.begin(), linear.ignorable.end(), true) == 4);
  }
  // where stability changes: ω² = m g r A/((C + m r²) C)
  const RootLocus locus = root_locus(CompiledScenario(s), SweepAxis::read("w=2:20:13"));
  REQUIRE(locus.changes.size() >= 1);
  const double critical = std::sqrt(2 * 9.81 * 0.1 * A / ((C + mr2) * C));
  // there three eigenvalues meet at zero, one of them by rank: rounding of 1e-14 parts them by its third root
  CHECK(locus.changes[0].parameter == doctest::Approx(critical).epsilon(1e-8));
  CHECK_FALSE(locus.changes[0].becomes_unstable);
}

TEST_CASE("a pendulum on a turning arm swings about its cone at the rate of the closed form") {
  const Linearization linear = linearize(from_toml(kConical));
  CHECK(linear.steady);
  CHECK(linear.about.find("turn of joint 'pole' at 6 rad/s") != std::string::npos);
  // (J_h + m l² sin²θ) Ω conserved: θ̈ = −(Ω² sin²θ) δ − (2 Ω sin θ cos θ) δΩ, δΩ = −2 m l² s c Ω δ/(J_h + m l² s²)
  const double W = 6;
  const double c = 9.81 / (W * W);
  const double s2 = 1 - c * c;
  const double m = 1.5;
  const double J = 1e-3;  // of the bob, about every axis
  const double about_pole = 1 + J + m * s2;
  const double stiffness = m * W * W * s2 + 4 * m * m * W * W * s2 * c * c / about_pole;
  const double rate = std::sqrt(stiffness / (m + J));
  CHECK(distance(linear.eigenvalues(), Complex(0, rate)) < 1e-9 * rate);
  CHECK(distance(linear.eigenvalues(), Complex(0, W * std::sqrt(s2))) >
        1e-3 * rate);  // the twin: the arm held at its rate
}

TEST_CASE("Whipple's bicycle: eigenvalues as published, at every speed") {
  const CompiledScenario bicycle(example("whipple-bicycle"));
  for (const std::vector<double>& row : test::rows_of("whipple_bicycle.csv")) {
    const std::vector<Complex> all = linearize(bicycle, {.parameters = {{"v", row[0]}}}).eigenvalues();
    REQUIRE(all.size() == 10);
    CHECK(count_zeros(all) == 6);
    // 13 or 14 digits are printed, a few with the last one or two wrong
    for (const Complex& value : {Complex(row[1]), Complex(row[2]), Complex(row[3], row[4])}) {
      CHECK(distance(all, value) < 1e-11 * std::abs(value) + 1e-11);
    }
  }
  const std::vector<Complex> standing = linearize(bicycle, {.parameters = {{"v", 0.0}}}).eigenvalues();
  for (const double value : {-5.53094371765393, -3.13164324790656, 3.13164324790656, 5.53094371765393}) {
    CHECK(distance(standing, value) < 1e-12 * std::fabs(value));
  }
}

TEST_CASE("Whipple's bicycle: mass, stiffness and damping matrices as published") {
  const CompiledScenario bicycle(example("whipple-bicycle"));
  const std::vector<std::string> q{"frame_turn_x", "steer_turn"};
  const std::vector<std::string> u{"frame_wx_body", "steer_turn_rate"};
  using Matrix2 = std::array<std::array<double, 2>, 2>;
  const Matrix2 M{{{80.81722, 2.31941332208709}, {2.31941332208709, 0.29784188199686}}};
  const Matrix2 K0{{{-80.95, -2.59951685249872}, {-2.59951685249872, -0.80329488458618}}};
  const Matrix2 K2{{{0, 76.59734589573222}, {0, 2.65431523794604}}};
  const Matrix2 C1{{{0, 33.86641391492494}, {-0.85035641456978, 1.68540397397560}}};
  for (const double v : {0.0, 3.0, 8.0}) {
    const Linearization linear =
        linearize(bicycle, {.inputs = {"T_lean", "T_steer"}, .states = {"frame_wx_body"}, .parameters = {{"v", v}}});
    CHECK(linear.differences.empty());
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t k = 0; k < 2; ++k) {
        double mass = 0;
        double damping = 0;
        double stiffness = 0;
        for (std::size_t j = 0; j < 2; ++j) {
          // M q̈ + v C₁ q̇ + (g K₀ + v² K₂) q = T: B is the inverse of M
          mass += M[i][j] * linear.B(index_of(linear, u[j]), k);
          damping -= M[i][j] * entry(linear, u[j], u[k]);
          stiffness -= M[i][j] * entry(linear, u[j], q[k]);
        }
        CHECK(mass == doctest::Approx(i == k ? 1 : 0).epsilon(1e-12));
        CHECK(damping == doctest::Approx(v * C1[i][k]).epsilon(1e-10));
        CHECK(stiffness == doctest::Approx(9.81 * K0[i][k] + v * v * K2[i][k]).epsilon(1e-10));
      }
    }
    // the twin: a trail of the other sign would turn this one round
    if (v > 0) { CHECK(entry(linear, u[1], q[0]) > 0); }
  }
}

TEST_CASE("Whipple's bicycle: the speeds at which it begins to stand and to fall") {
  const RootLocus locus = root_locus(CompiledScenario(example("whipple-bicycle")), SweepAxis::read("v=0:10:41"));
  CHECK(locus.zeros == 6);
  std::vector<StabilityChange> beyond;
  for (const StabilityChange& one : locus.changes) {
    if (one.parameter > 3) { beyond.push_back(one); }
  }
  REQUIRE(beyond.size() == 2);
  CHECK(beyond[0].parameter == doctest::Approx(4.29238253634111).epsilon(1e-12));
  CHECK(beyond[0].eigenvalue.imag() == doctest::Approx(3.43503384866144).epsilon(1e-10));
  CHECK_FALSE(beyond[0].becomes_unstable);
  CHECK(beyond[1].parameter == doctest::Approx(6.02426201538837).epsilon(1e-12));
  CHECK(beyond[1].eigenvalue.imag() == 0);
  CHECK(beyond[1].becomes_unstable);
  const std::string text = to_text(locus);
  CHECK(text.find("v = 4.2923825363") != std::string::npos);
  const drawing::Chart chart = to_chart(locus);
  CHECK(chart.panels.size() == 3);
  CHECK(to_csv(locus).find("v,real_1,imaginary_1,real_2") != std::string::npos);
}

TEST_CASE("at any moment the matrix is the derivative of the whole equations along what constraints allow") {
  // an independent way: move the coordinate, put the mechanism back on its constraints, evaluate, and take differences
  struct Case {
    std::string name;
    double at;
  };
  for (const Case& one : {Case{"manipulator", 0.13}, Case{"double-pendulum", 0.4}, Case{"flyball-governor", 0.2},
                          Case{"gyroscope-gimbals", 0.3}, Case{"furuta", 0.2}, Case{"rolling-coin", 0.21},
                          Case{"slider-crank", 0.1}, Case{"top-on-ball-joint", 0.2}, Case{"wheels-and-panels", 0.5},
                          Case{"bricard", 0.3}, Case{"bead-on-hoop", 0.4}}) {
    CAPTURE(one.name);
    const CompiledScenario compiled(example(one.name));
    const simulation::MechanismPlan plan = compiled.mechanism().plan;
    const Model& model = *plan.model;
    // a state on the way, by the run
    class Rows final : public simulation::Sink {
     public:
      bool row(std::span<const double>) override { return true; }
      bool event(const simulation::EventOccurrence&) override { return true; }
      bool go_on() override { return true; }
      bool checkpoint(const simulation::Snapshot&) override { return true; }
    } rows;
    simulation::Simulation simulation(plan);
    REQUIRE(simulation.begin(rows));
    REQUIRE(simulation.advance(one.at));
    const simulation::Outcome now = simulation.standing();
    const std::vector<double> turns = simulation.discrete();
    Scratch scratch(model);
    scratch.turns = turns;
    std::vector<double> y = now.y;
    project(model, now.t, y, scratch);
    const analysis::LinearModel linear(model, now.t, y, turns, About::state);
    const std::size_t m = linear.states().size();
    REQUIRE(m > 0);
    REQUIRE(linear.motion().kind == analysis::MotionFound::Kind::none);

    const auto x_of = [&](std::span<const double> state) {
      const analysis::StateNow<double> here(model, state);
      std::vector<double> x;
      for (const analysis::LinearState& s : linear.states()) {
        if (s.wheel >= 0) {
          x.push_back(model.wheel_speed(state, static_cast<std::size_t>(s.wheel)));
          continue;
        }
        const CoordinateValue value = analysis::local_coordinate(s.of, here, std::span<const double>(y));
        x.push_back(s.is_rate ? value.rate : value.value);
      }
      return x;
    };
    // ẋ at a state: x a little later less x a little before, along ẏ
    const auto xdot_of = [&](std::span<const double> state) {
      std::vector<double> ydot(state.size());
      evaluate(model, now.t, state, ydot, scratch);
      constexpr double h = 1e-4;
      std::vector<double> result(m);
      for (const auto& [factor, weight] : {std::pair{1, 8.0}, std::pair{2, -1.0}}) {
        for (const double sign : {1.0, -1.0}) {
          std::vector<double> moved(state.begin(), state.end());
          for (std::size_t i = 0; i < moved.size(); ++i) { moved[i] += sign * factor * h * ydot[i]; }
          const std::vector<double> x = x_of(moved);
          for (std::size_t i = 0; i < m; ++i) { result[i] += sign * weight * x[i] / (12 * h); }
        }
      }
      return result;
    };
    // Newton: the state on the constraints whose coordinates are x₀ + h e_k
    const std::vector<double> x0 = x_of(y);
    const auto state_at = [&](std::size_t k, double h) {
      std::vector<double> state = y;
      std::vector<double> wanted = x0;
      wanted[k] += h;
      for (int i = 0; i < 8; ++i) {
        const std::vector<double> x = x_of(state);
        for (std::size_t j = 0; j < m; ++j) {
          const std::span<const double> d = linear.direction(j);
          for (std::size_t n = 0; n < state.size(); ++n) { state[n] += (wanted[j] - x[j]) * d[n]; }
        }
        project(model, now.t, state, scratch);
      }
      return state;
    };
    double largest = 0;
    double worst = 0;
    for (std::size_t k = 0; k < m; ++k) {
      constexpr double h = 1e-3;
      const std::vector<double> up = xdot_of(state_at(k, h));
      const std::vector<double> down = xdot_of(state_at(k, -h));
      const std::vector<double> far_up = xdot_of(state_at(k, 2 * h));
      const std::vector<double> far_down = xdot_of(state_at(k, -2 * h));
      for (std::size_t i = 0; i < m; ++i) {
        const double difference = (8 * (up[i] - down[i]) - (far_up[i] - far_down[i])) / (12 * h);
        largest = std::fmax(largest, std::fabs(difference));
        worst = std::fmax(worst, std::fabs(difference - linear.A()(i, k)));
      }
    }
    CAPTURE(largest);
    // differences of fourth order with h = 1e-3, inner ones with rounding of 1e-16/1e-4/1e-3
    CHECK(worst < 2e-7 * largest);
    CHECK(largest > 0);
  }
}

TEST_CASE("inputs and outputs: a cart that is pushed, and what is seen of its pendulum") {
  const Scenario s = from_toml(R"toml(title = "cart and pole"
[parameters]
push = 0.0
[gravity]
g_space = [0, 0, -9.81]
[[bodies]]
name = "cart"
mass = 3
principal_moments = [1, 1, 1]
[[bodies]]
name = "pole"
mass = 0.5
principal_moments = [1e-12, 1e-12, 1e-12]
position = [0, 0, 0.8]
[[joints]]
name = "rail"
kind = "prismatic"
bodies = ["ground", "cart"]
point = [0, 0, 0]
axis = [1, 0, 0]
[[joints]]
name = "hinge"
kind = "revolute"
bodies = ["cart", "pole"]
point = [0, 0, 0]
axis = [0, 1, 0]
[[forces]]
name = "motor"
kind = "joint_force"
joint = "rail"
force = "push"
[run]
duration = 1
)toml");
  const Linearization linear = linearize(s, {.inputs = {"push"}, .outputs = {"pole.rx_space_m", "hinge.turn_rad"}});
  REQUIRE(linear.states.size() == 4);
  CHECK(linear.ignorable[0]);
  // M = 3, m = 0.5, l = 0.8, θ from upright: M ẍ = u − m g θ, M l θ̈ = (M + m) g θ − u
  CHECK(entry(linear, "rail_slide_z_rate", "hinge_turn") == doctest::Approx(-0.5 * 9.81 / 3).epsilon(1e-10));
  CHECK(entry(linear, "hinge_turn_rate", "hinge_turn") == doctest::Approx(3.5 * 9.81 / (3 * 0.8)).epsilon(1e-10));
  CHECK(linear.B(index_of(linear, "rail_slide_z_rate"), 0) == doctest::Approx(1.0 / 3).epsilon(1e-10));
  CHECK(linear.B(index_of(linear, "hinge_turn_rate"), 0) == doctest::Approx(-1 / (3 * 0.8)).epsilon(1e-10));
  CHECK(linear.C(0, 0) == doctest::Approx(1).epsilon(1e-9));
  CHECK(linear.C(0, 1) == doctest::Approx(0.8).epsilon(1e-9));
  CHECK(linear.C(1, 1) == doctest::Approx(1).epsilon(1e-9));
  CHECK(linear.D(0, 0) == 0);
  const Linearization without = linearize(s, {.without_ignorable = true});
  CHECK(without.states.size() == 3);
  CHECK(without.left_out == std::vector<std::string>{"rail_slide_z"});
  const std::string matlab = to_matlab(linear);
  CHECK(matlab.find("A = [\n") != std::string::npos);
  CHECK(matlab.find("inputs = { 'push' };") != std::string::npos);
  CHECK(to_json(linear).find("\"position_count\": 2") != std::string::npos);
  CHECK(to_csv(linear).find("matrix,row,rail_slide_z,hinge_turn") != std::string::npos);
}

TEST_CASE("what cannot be linearised is told with the reason") {
  const Scenario pendulum = example("double-pendulum");
  CHECK(says(pendulum).find("the state is no equilibrium and no steady motion; accelerations are") !=
        std::string::npos);
  CHECK(says(pendulum).find("--about state") != std::string::npos);
  // a pendulum that passes below is balanced at this moment alone
  const Scenario passing = from_toml(R"toml(title = "passing"
[gravity]
g_space = [0, 0, -9.81]
[[bodies]]
name = "rod"
shape = "box"
mass = 2
edges = [0.1, 0.1, 1.2]
position = [0, 0, -0.6]
[[joints]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "rod"]
point = [0, 0, 0]
axis = [0, 1, 0]
start = { turn_rate = 2 }
[run]
duration = 1
)toml");
  CHECK(says(passing).find("balanced at this moment alone") != std::string::npos);
  LinearizeOptions options;
  options.inputs = {"spinn"};
  CHECK(says(from_toml(kTop), options).find("unknown parameter 'spinn'") != std::string::npos);
  options.inputs = {"spin"};
  CHECK(says(from_toml(kTop), options).find("cannot change during a run") != std::string::npos);
  options.inputs = {};
  options.outputs = {"wx"};
  CHECK(says(from_toml(kTop), options).find("unknown column 'wx'") != std::string::npos);
  options.outputs = {};
  options.states = {"knee_turn"};
  CHECK(says(from_toml(kConical), options).empty());
  options.states = {"nee_turn"};
  CHECK(says(from_toml(kConical), options).find("did you mean 'knee_turn'") != std::string::npos);
  options.states = {};
  options.at = -1;
  CHECK(says(from_toml(kConical), options).find("wanted is 0 or more") != std::string::npos);
}

TEST_CASE("a chain of a hundred rods: as many coordinates as hinges, the same matrix by the tree's closed forms") {
  Scenario s = from_toml(R"toml(title = "chain"
[gravity]
g_space = [0, 0, -9.81]
[[bodies]]
name = "rod"
copies = 100
copy_offset = [0, 0, -0.1]
shape = "box"
mass = 0.3
edges = [0.01, 0.01, 0.1]
position = [0, 0, -0.05]
[[joints]]
name = "first"
kind = "revolute"
bodies = ["ground", "rod1"]
point = [0, 0, 0]
axis = [0, 1, 0]
[[joints]]
name = "hinge{i}"
copies = 99
copy_offset = [0, 0, -0.1]
kind = "revolute"
bodies = ["rod{i}", "rod{i+1}"]
point = [0, 0, -0.1]
axis = [0, 1, 0]
[run]
duration = 1
)toml");
  const catalog::MechanismScenario made = CompiledScenario(s).mechanism();
  const Model& model = *made.plan.model;
  const analysis::LinearModel linear(model, 0, made.plan.start, made.plan.start_turns, About::steady);
  REQUIRE(linear.states().size() == 200);
  Directional directional(model);
  directional.at(0, made.plan.start, made.plan.start_turns);
  std::vector<double> columns(200 * 100);
  directional.tree_jacobian(columns);
  double largest = 0;
  double worst = 0;
  for (std::size_t k = 0; k < 200; ++k) {
    for (std::size_t i = 0; i < 100; ++i) {
      largest = std::fmax(largest, std::fabs(columns[k * 100 + i]));
      worst = std::fmax(worst, std::fabs(columns[k * 100 + i] - linear.A()(100 + i, k)));
    }
  }
  CHECK(largest > 1);
  CHECK(worst < 1e-9 * largest);  // condition number of the mass matrix of 100 rods: some 1e6
}

TEST_CASE("Whipple's bicycle: pushed to the side it sways and stands up, or falls, as its eigenvalues say") {
  const CompiledScenario bicycle(example("whipple-bicycle"));
  const auto lean_at_end = [&](double v, double duration) {
    Scenario s = bicycle.scenario();
    s.run->duration = duration;
    const Trajectory run = simulate(s, {.parameters = {{"v", v}, {"push", 0.01}}});
    REQUIRE(run.done());
    const auto last = [&](const char* name) { return run.column(name).back(); };
    // sine of the lean: third row of the rotation matrix, column of the axis to the left
    return 2 * (last("frame.e0") * last("frame.e1") + last("frame.e2") * last("frame.e3"));
  };
  // the slowest mode decays by exp(−0.3229 · 10), the swing much faster; pushed by 0.01 rad/s it leans by some 0.001
  // rad
  CHECK(std::fabs(lean_at_end(5, 10)) < 1e-4);
  // below the weave speed the swing grows by exp(1.7 · 2.5)
  CHECK(std::fabs(lean_at_end(3, 2.5)) > 1e-2);
}

TEST_CASE("a rattleback turns back one way round, and its eigenvalues change sign with its spin") {
  const CompiledScenario stone(example("rattleback"));
  const auto at = [&](double spin) {
    return linearize(stone, {.parameters = {{"spin", spin}, {"tilt_deg", 0.0}}}).eigenvalues();
  };
  // the motion backwards in time is one with the opposite spin: no energy is lost
  const std::vector<Complex> forth = at(-5);
  const std::vector<Complex> back = at(5);
  REQUIRE(forth.size() == back.size());
  for (const Complex& value : forth) { CHECK(distance(back, -value) < 1e-9 * 110); }
  CHECK(forth.front().real() > 2);
  CHECK(back.front().real() < 0.25);
  // without the turn of the axes of inertia nothing grows: the twin
  Scenario straight = stone.scenario();
  (*straight.bodies[0].inertia.inertia_matrix)[0][1] = 0.0;
  (*straight.bodies[0].inertia.inertia_matrix)[1][0] = 0.0;
  const std::vector<Complex> even =
      linearize(straight, {.parameters = {{"spin", -5.0}, {"tilt_deg", 0.0}}}).eigenvalues();
  CHECK(std::fabs(even.front().real()) < 1e-6);
  // and in the large: from -5 rad/s to 5 within 12 s, and hardly at all from 5 rad/s
  const auto spin_after = [&](double spin) {
    Scenario s = stone.scenario();
    s.run->duration = 12.0;
    s.run->tolerance = 1e-8;
    return simulate(s, {.parameters = {{"spin", spin}}}).column("stone.wz_body_rad_s").back();
  };
  CHECK(spin_after(-5) > 4.5);
  CHECK(spin_after(5) > 4.5);
}
