// Parameters from measured data: on data made by runs with known values and known noise. 500 trials with
// POLHODE_LONG=1.
#include "polhode/analysis/identify.h"
#include "polhode/analysis/identify_model.h"
#include "polhode/core/error.h"
#include "polhode/io/scenario_toml.h"
#include "polhode/rotation/euler_parameters.h"
#include "polhode/rotation/rotation_matrix.h"
#include "polhode/run/simulate.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

using namespace polhode;

namespace {

Scenario identify_scenario(const std::string& text) {
  const io::ScenarioFile file(text, "test.toml");
  for (const Problem& problem : file.problems()) { FAIL_CHECK(problem.what); }
  return file.scenario();
}

const char* const kRacket = R"toml(title = "racket"
[parameters]
J1 = 0.00121
J2 = 0.01646
J3 = 0.01748
wx = 0.4
wy = 6.3
wz = 0.3
[body]
principal_moments = ["J1", "J2", "J3"]
[initial]
w_body = ["wx", "wy", "wz"]
[run]
duration = 1.2
output_interval = 0.02
tolerance = 1e-9
)toml";

const std::vector<std::string> kRates{"wx_body_rad_s", "wy_body_rad_s", "wz_body_rad_s"};

/// Numbers of a normal distribution, the same on every machine.
class Noise {
 public:
  explicit Noise(std::uint64_t seed) : random_(seed) {}
  double operator()() {
    // twelve uniform numbers: their tails end at 6 sigma, which no check here looks at
    double sum = -6;
    for (int i = 0; i < 12; ++i) { sum += static_cast<double>(random_() >> 11) * 0x1p-53; }
    return sum;
  }

 private:
  std::mt19937_64 random_;
};

/// Columns of a run with noise.
Recording recorded(const CompiledScenario& scenario, const Named<double>& values,
                   const std::vector<std::string>& columns, double sigma, Noise& noise) {
  SimulateOptions options;
  options.parameters = values;
  const Trajectory run = simulate(scenario, options);
  Recording recording{"run", run.column("t_s"), {}};
  std::vector<std::vector<double>> all;
  for (const std::string& column : columns) { all.push_back(run.column(column)); }
  for (std::size_t i = 0; i < recording.t.size(); ++i) {
    for (const std::vector<double>& one : all) { recording.numbers.push_back(one[i] + sigma * noise()); }
  }
  return recording;
}

/// Throws of the racket, each with a start of its own.
MeasuredLog tosses(std::size_t count, double sigma, std::uint64_t seed) {
  static const CompiledScenario scenario(identify_scenario(kRacket));
  Noise noise(seed);
  MeasuredLog log{kRates, {}};
  for (std::size_t k = 0; k < count; ++k) {
    const Named<double> start{{"wx", 2 * noise()}, {"wy", 7 + noise()}, {"wz", 2 * noise()}};
    log.recordings.push_back(recorded(scenario, start, kRates, sigma, noise));
  }
  return log;
}

std::string says(const Scenario& scenario, const MeasuredLog& log, const IdentifyOptions& options) {
  try {
    static_cast<void>(identify(scenario, log, options));
  } catch (const Error& error) { return error.what(); }
  return "";
}

bool has_line(const std::vector<std::string>& lines, const std::string& part) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& line) { return line.find(part) != std::string::npos; });
}

/// Which of few unknowns are further off than three standard deviations.
struct Coverage {
  std::size_t trials = 0;
  std::vector<std::size_t> outside;

  void add(const std::vector<double>& errors_over_sigma) {
    outside.resize(errors_over_sigma.size());
    ++trials;
    for (std::size_t i = 0; i < outside.size(); ++i) { outside[i] += std::fabs(errors_over_sigma[i]) > 3 ? 1U : 0U; }
  }
};

}  // namespace

TEST_CASE("identify finds the moments of a racket from its rates, exactly where there is no noise") {
  IdentifyOptions options;
  options.unknown = {"J2", "J3"};
  options.unknown_start = true;
  options.parameters = {{"J2", 0.0155}, {"J3", 0.0165}};
  const Identification found = identify(identify_scenario(kRacket), tosses(3, 0, 1), options);
  CHECK(found.converged);
  // the runs of data and fit keep 1e-9
  CHECK(std::fabs(found["J2"].value / 0.01646 - 1) < 1e-6);
  CHECK(std::fabs(found["J3"].value / 0.01748 - 1) < 1e-6);
  CHECK(has_line(found.not_told, "start_ax, start_ay and start_az: nothing in the log depends on them"));
  REQUIRE(found.own.size() == 3);
  CHECK(found.own[0].size() == 3);
  CHECK(found["J2"].start == 0.0155);
}

TEST_CASE("the truth lies within three standard deviations in 99 of 100 trials") {
  const bool all = std::getenv("POLHODE_LONG") != nullptr;
  const std::size_t trials = all ? 500 : 40;
  Coverage given, estimated;
  const Scenario scenario = identify_scenario(kRacket);
  for (std::size_t k = 0; k < trials; ++k) {
    const MeasuredLog log = tosses(2, 0.02, 100 + k);
    IdentifyOptions options;
    options.unknown = {"J2", "J3"};
    options.own = {"wx=wx_body_rad_s", "wy=wy_body_rad_s", "wz=wz_body_rad_s"};
    options.threads = 1;
    options.bias = {"w_body_rad_s"};
    if (k % 2 == 0) { options.noise = {{"w_body_rad_s", 0.02}}; }
    const Identification found = identify(scenario, log, options);
    REQUIRE(found.converged);
    std::vector<double> errors{(found["J2"].value - 0.01646) / found["J2"].sigma,
                               (found["J3"].value - 0.01748) / found["J3"].sigma};
    for (const std::string& column : kRates) {
      const IdentifiedValue& bias = found["bias of " + column];
      errors.push_back(bias.value / bias.sigma);
    }
    (k % 2 == 0 ? given : estimated).add(errors);
  }
  // 0.27 % of normal errors are further off; for 1 in 100 of 250 the limit is 2, and chance takes one of ten checks
  // beyond 4 once in 3000 times
  for (const Coverage& coverage : {given, estimated}) {
    for (const std::size_t outside : coverage.outside) { CHECK(outside <= (all ? 4 : 1)); }
  }
}

TEST_CASE("uncertainties are no larger than they need be: errors fill them") {
  // the sum of squares of errors over sigma is chi squared with 60 freedoms: outside of [32, 98] once in 400 times
  double sum = 0;
  for (std::size_t k = 0; k < 30; ++k) {
    IdentifyOptions options;
    options.unknown = {"J2", "J3"};
    options.own = {"wx=wx_body_rad_s", "wy=wy_body_rad_s", "wz=wz_body_rad_s"};
    options.parameters = {{"J1", 0.00121}};
    options.threads = 1;
    const Identification found = identify(identify_scenario(kRacket), tosses(1, 0.02, 900 + k), options);
    // J2 and J3 are correlated: independent combinations by the Cholesky factor of their covariance
    const double a = (found["J2"].value - 0.01646) / found["J2"].sigma;
    const double b = (found["J3"].value - 0.01748) / found["J3"].sigma;
    const double r = found.correlation(0, 1);
    sum += a * a + (b - r * a) * (b - r * a) / (1 - r * r);
  }
  CHECK(sum > 32);
  CHECK(sum < 98);
}

TEST_CASE("of a free body only ratios of moments are told, and identify says so") {
  IdentifyOptions options;
  options.inertias = {{"J1", "J2", "J3"}};
  options.unknown_start = true;
  options.parameters = {{"J1", 0.0015}, {"J2", 0.015}, {"J3", 0.016}};
  const Identification found = identify(identify_scenario(kRacket), tosses(4, 0.01, 5), options);
  CHECK(found.converged);
  CHECK(has_line(found.not_told, "J1, J2 and J3: only their ratios are told"));
  CHECK_FALSE(found["J1"].told);
  REQUIRE(found.combinations.size() == 2);
  CHECK(found.combinations[0].name == "J1/J3");
  CHECK(std::fabs(found.combinations[0].value - 0.00121 / 0.01748) < 4 * found.combinations[0].sigma);
  CHECK(std::fabs(found.combinations[1].value - 0.01646 / 0.01748) < 4 * found.combinations[1].sigma);
  CHECK(found.combinations[1].sigma < 0.002);
  // the wrong twin: with one of them known the others are told
  options.inertias.clear();
  options.unknown = {"J2", "J3"};
  options.parameters = {{"J2", 0.0155}, {"J3", 0.0165}};
  const Identification twin = identify(identify_scenario(kRacket), tosses(4, 0.01, 5), options);
  CHECK(twin["J2"].told);
  CHECK_FALSE(has_line(twin.not_told, "ratios"));
}

TEST_CASE("errors of sensors are found beside the parameters") {
  // bias, scale and axes of the gyro, and attitudes that come late
  const char* text = R"toml(title = "driven"
[parameters]
J1 = 0.02
J2 = 0.03
J3 = 0.04
[body]
principal_moments = ["J1", "J2", "J3"]
[initial]
w_body = [1.0, 2.0, -1.5]
[[load]]
kind = "moment"
moment_body = ["0.05*sin(3*t)", "0.04*cos(2*t)", "0.03*sin(t)"]
[run]
duration = 3
output_interval = 0.01
tolerance = 1e-10
)toml";
  const Scenario scenario = identify_scenario(text);
  const Trajectory run = simulate(scenario);
  const Vec3<double> mu{0.02, -0.03, 0.01}, bias{0.05, -0.02, 0.01}, scale{0.01, -0.02, 0.005};
  const double late = 0.013;
  const CompiledScenario compiled(scenario);
  MeasuredLog log{{"wx_body_rad_s", "wy_body_rad_s", "wz_body_rad_s", "e0", "e1", "e2", "e3"}, {}};
  Recording recording{"run", {}, {}};
  Noise noise(3);
  // attitudes at t - late
  Scenario shifted = scenario;
  shifted.output.emplace();
  shifted.run->output_interval.reset();
  for (int i = 0; i < 280; ++i) { shifted.output->times.emplace_back(0.1 + 0.01 * i - late); }
  const Trajectory earlier = simulate(shifted);
  const Mat3<double> R = rotation_matrix(exp(mu));
  for (std::size_t i = 0; i < 280; ++i) {
    const std::size_t row = i + 10;
    recording.t.push_back(run.column("t_s")[row]);
    const Vec3<double> w{run.column("wx_body_rad_s")[row], run.column("wy_body_rad_s")[row],
                         run.column("wz_body_rad_s")[row]};
    const Vec3<double> seen = R * w;
    for (std::size_t k = 0; k < 3; ++k) {
      recording.numbers.push_back((1 + scale[k]) * seen[k] + bias[k] + 0.002 * noise());
    }
    const Vec3<double> turn{0.002 * noise(), 0.002 * noise(), 0.002 * noise()};
    EulerParameters<double> e{earlier.column("e0")[i],
                              {earlier.column("e1")[i], earlier.column("e2")[i], earlier.column("e3")[i]}};
    e = e * exp(turn);
    const double sign = i % 3 == 0 ? -1 : 1;  // the same attitude
    for (const double x : {e.e0, e.ev.x, e.ev.y, e.ev.z}) { recording.numbers.push_back(sign * x); }
  }
  log.recordings.push_back(recording);
  IdentifyOptions options;
  options.inertias = {{"J1", "J2", "J3"}};
  options.parameters = {{"J1", 0.021}, {"J2", 0.0305}, {"J3", 0.039}};
  options.bias = options.scale = options.misalignment = {"w_body_rad_s"};
  options.time_offset = {{"e", 0.05}};
  const Identification found = identify(scenario, log, options);
  CHECK(found.converged);
  const auto check = [&](const std::string& name, double truth, double most_sigma) {
    const IdentifiedValue& one = found[name];
    CAPTURE(name);
    CHECK(one.told);
    CHECK(std::fabs(one.value - truth) < 4 * one.sigma);
    CHECK(one.sigma < most_sigma);
  };
  check("J1", 0.02, 4e-4);
  check("J2", 0.03, 4e-4);
  check("J3", 0.04, 4e-4);
  const std::string axes = "xyz";
  for (std::size_t k = 0; k < 3; ++k) {
    check(fmt::format("bias of w{}_body_rad_s", axes[k]), bias[k], 0.002);
    check(fmt::format("scale error of w{}_body_rad_s", axes[k]), scale[k], 0.002);
    check(fmt::format("misalignment of w_body_rad_s about {}", axes[k]), mu[k], 0.002);
  }
  check("time offset of e", late, 0.001);
  // the noise of both sensors was estimated
  for (const IdentifiedSensor& sensor : found.sensors) { CHECK(std::fabs(sensor.noise / 0.002 - 1) < 0.15); }
}

TEST_CASE("few wrong numbers do little harm to a robust fit, and much to one that is not") {
  MeasuredLog log = tosses(2, 0.01, 31);
  for (const std::size_t i : {30U, 61U, 100U, 133U}) { log.recordings[0].numbers[i] += 25; }
  IdentifyOptions options;
  options.unknown = {"J2", "J3"};
  options.unknown_start = true;
  options.parameters = {{"J2", 0.0155}, {"J3", 0.0165}};
  const auto error = [](const Identification& found) { return std::fabs(found["J3"].value / 0.01748 - 1); };
  const double plain = error(identify(identify_scenario(kRacket), log, options));
  options.robust = true;
  const Identification found = identify(identify_scenario(kRacket), log, options);
  CHECK(found["J3"].sigma > 0);
  CHECK(std::fabs(found["J3"].value - 0.01748) < 4 * found["J3"].sigma);
  CHECK(error(found) < plain / 5);
  CHECK(found.sensors[0].outliers == 4);
  CHECK(std::fabs(found.sensors[0].noise / 0.01 - 1) < 0.2);
}

TEST_CASE("a mechanism's parameters are found from the angle of its joint") {
  const char* text = R"toml(title = "pendulum"
[parameters]
l = 0.5
c = 0.02
start = 60.0
[[bodies]]
name = "rod"
mass = 1.0
principal_moments = [0.01, 0.01, 0.002]
position = [0, 0, "-l"]
[[joints]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "rod"]
point = [0, 0, 0]
axis = [0, 1, 0]
start = { turn_deg = "start" }
[gravity]
g_space = [0, 0, -9.81]
[[forces]]
kind = "joint_spring"
joint = "hinge"
coordinate = "turn"
stiffness = 0
damping = "c"
[run]
duration = 4
output_interval = 0.05
tolerance = 1e-9
)toml";
  const Scenario scenario = identify_scenario(text);
  Noise noise(8);
  MeasuredLog log{{"hinge.turn_rad"}, {}};
  log.recordings.push_back(recorded(CompiledScenario(scenario), {}, log.columns, 0.005, noise));
  IdentifyOptions options;
  options.unknown = {"l", "c", "start"};
  options.parameters = {{"l", 0.45}, {"c", 0.01}, {"start", 55}};
  const Identification found = identify(scenario, log, options);
  CHECK(found.converged);
  for (const auto& [name, truth] : {std::pair{"l", 0.5}, std::pair{"c", 0.02}, std::pair{"start", 60.0}}) {
    CAPTURE(name);
    CHECK(std::fabs(found[name].value - truth) < 4 * found[name].sigma);
    CHECK(found[name].sigma < 0.1 * truth);
  }
  CHECK(fitted(scenario, found).parameters.find("l")->value == found["l"].value);
}

TEST_CASE("an inertia by numbers of any size is one that a body can have, and comes back") {
  Noise noise(17);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> theta;
    for (int i = 0; i < 6; ++i) { theta.push_back(noise()); }
    const std::vector<double> J = analysis::inertia_from(theta);
    Eigen::Matrix3d matrix;
    matrix << J[0], J[3], J[4], J[3], J[1], J[5], J[4], J[5], J[2];
    const Eigen::Matrix3d sigma = matrix.trace() / 2 * Eigen::Matrix3d::Identity() - matrix;
    CHECK(sigma.determinant() > 0);
    CHECK(sigma(0, 0) > 0);
    CHECK(sigma(0, 0) * sigma(1, 1) - sigma(0, 1) * sigma(0, 1) > 0);
    const std::vector<double> back = analysis::coordinates_of_inertia(J);
    // a diagonal of L below 1e-2 of the size is taken further inside
    if (*std::min_element(theta.begin(), theta.begin() + 3) < -1.5) { continue; }
    for (std::size_t i = 0; i < 6; ++i) { CHECK(std::fabs(back[i] - theta[i]) < 1e-9); }
  }
  CHECK_THROWS_WITH(static_cast<void>(analysis::coordinates_of_inertia(std::vector<double>{1, 1, 3})),
                    doctest::Contains("no body has the inertia 1, 1, 3"));
}

TEST_CASE("what cannot be asked of a log is told") {
  const Scenario scenario = identify_scenario(kRacket);
  const MeasuredLog log = tosses(1, 0.01, 2);
  IdentifyOptions options;
  CHECK(says(scenario, log, options).find("nothing is unknown") != std::string::npos);
  options.unknown = {"J4"};
  CHECK(says(scenario, log, options).find("unknown parameter 'J4'") != std::string::npos);
  options.unknown = {"J2", "J2"};
  CHECK(says(scenario, log, options).find("'J2' is unknown twice") != std::string::npos);
  options.unknown = {"J2"};
  options.bias = {"gyro"};
  CHECK(says(scenario, log, options).find("unknown sensor 'gyro'") != std::string::npos);
  options.bias.clear();
  options.measured = {"wx"};
  CHECK(says(scenario, log, options).find("unknown column of the log 'wx'") != std::string::npos);
  options.measured.clear();
  options.inertias = {{"J1", "J3"}};
  CHECK(says(scenario, log, options).find("--inertia J1,J3: 2 parameters") != std::string::npos);
  options.inertias.clear();
  MeasuredLog other = log;
  other.columns = {"temperature", "voltage", "current"};
  CHECK(says(scenario, other, options).find("no column of the log is one of a run") != std::string::npos);
}

TEST_CASE("logs are read with their units and recordings, and mistakes have a place") {
  const std::string folder = std::filesystem::temp_directory_path() / "polhode-measured";
  std::filesystem::create_directories(folder);
  const std::string file = folder + "/log.csv";
  const auto write = [&](const std::string& text) { std::ofstream(file) << text; };
  const auto wrong = [&]() -> std::string {
    try {
      static_cast<void>(read_measured({file}));
    } catch (const Error& error) { return error.what(); }
    return "";
  };
  write("# two throws\nrecording,t_ms,wx_body_deg_s\n1,0,180\n1,10,90\n2,0,45\n");
  const MeasuredLog log = read_measured({file});
  REQUIRE(log.columns == std::vector<std::string>{"wx_body_rad_s"});
  REQUIRE(log.recordings.size() == 2);
  CHECK(log.recordings[0].name == "log.csv 1");
  CHECK(std::fabs(log.recordings[0].t[1] - 0.01) < 1e-15);
  CHECK(std::fabs(log.recordings[0].numbers[0] - std::acos(-1.0)) < 1e-14);
  CHECK(log.samples() == 3);
  CHECK(read_measured({file, file}).recordings.size() == 4);
  write("t_s,a\n0,1\n0.1,2\n0.05,3\n");
  CHECK(wrong().find("log.csv:4") != std::string::npos);
  CHECK(wrong().find("does not rise") != std::string::npos);
  write("time,a\n0,1\n");
  CHECK(wrong().find("no column of time") != std::string::npos);
  write("0,1\n1,2\n");
  CHECK(wrong().find("no header") != std::string::npos);
  write("t_s,a\n0,x\n");
  CHECK(wrong().find("log.csv:2") != std::string::npos);
  write("t_s,a\n");
  CHECK(wrong().find("the log has no rows") != std::string::npos);
  std::filesystem::remove_all(folder);
}

TEST_CASE("what identify has found is told for people, as JSON, as a table and as a plot") {
  IdentifyOptions options;
  options.unknown = {"J2", "J3"};
  options.unknown_start = true;
  const Identification found = identify(identify_scenario(kRacket), tosses(2, 0.01, 6), options);
  const std::string text = to_text(found);
  CHECK(text.find("122 rows in 2 recordings, 366 measured numbers") != std::string::npos);
  CHECK(text.find("± 1 sigma") != std::string::npos);
  CHECK(text.find("noise 0.0") != std::string::npos);
  CHECK(text.find("what the log does not tell") != std::string::npos);
  CHECK(to_json(found).find("\"name\": \"J2\"") != std::string::npos);
  CHECK(to_csv(found).find("\nrun,start_wx,") != std::string::npos);
  CHECK(to_chart(found).panels.size() == 4);
}
