// polhode solve as a user meets it.
#include "support/run_program.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace {

/// Half of a shallow truss that snaps through: F = k z (l₀/s − 1).
const char* const kTruss = R"(title = "A truss that snaps through"
[parameters]
load = 0
[[bodies]]
name = "mass"
mass = 1
principal_moments = [0.01, 0.01, 0.01]
position = [0, 0, 0.75]
[[joints]]
name = "guide"
kind = "prismatic"
bodies = ["ground", "mass"]
point = [0, 0, 0]
axis = [0, 0, 1]
start = { slide_z = 0.1 }
[[forces]]
kind = "spring"
bodies = ["ground", "mass"]
first_point = [1, 0, 0]
second_point = [0, 0, 0]
stiffness = 400
free_length = 1.25
[[forces]]
kind = "force"
body = "mass"
force_space = [0, 0, "-load"]
[run]
duration = 1
)";

const char* const kSolvedArm = R"(title = "An arm"
[parameters]
depth = 0.5
[gravity]
g_space = [0, 0, -9.81]
[[bodies]]
name = "arm"
mass = 2
principal_moments = [0.1, 0.2, 0.2]
position = [0.5, 0, 0]
[[joints]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "arm"]
point = [0, 0, 0]
axis = [0, 1, 0]
[run]
duration = 2
output_interval = 0.5
)";

const char* const kFalling = R"(title = "Let go"
[gravity]
g_space = [0, 0, -9.81]
[[bodies]]
name = "ball"
mass = 1
principal_moments = [0.1, 0.1, 0.1]
[run]
duration = 1
)";

std::string solved_source(const std::string& path) {
  std::ifstream file(std::string(POLHODE_SOURCE_DIR) + "/" + path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("solve statics: coordinates, reactions, stability; --write makes a scenario that stays at rest") {
  const Workshop work;
  work.write("arm.toml", kSolvedArm);
  const auto result = work.polhode("solve arm.toml statics --write rest.toml");
  CAPTURE(result.err);
  CHECK(result.status == 0);
  CHECK(result.out.starts_with("An arm\nequilibrium: stable, 1 freedom, "));
  CHECK(result.out.find("hinge.turn  1.5708 rad = 90 deg\n") != std::string::npos);
  CHECK(result.out.find("hinge  (0, 0, 19.62) N, (0, 0, 0) N m\n") != std::string::npos);
  CHECK(result.out.find("files: rest.toml\n") != std::string::npos);
  // a run from there does not move: the coordinate is still counted from the first drawing
  const auto run = work.polhode("run rest.toml --json --no-report");
  CAPTURE(run.err);
  CHECK(run.status == 0);
  const auto again = work.polhode("solve rest.toml statics --json");
  const auto json = nlohmann::json::parse(again.out);
  CHECK(json["ending"] == "found");
  CHECK(json["steps"] <= 2);
  CHECK(std::fabs(json["joints"]["hinge"]["turn_rad"].get<double>() - 1.5707963267948966) < 1e-14);
  CHECK(json["stability"]["kind"] == "stable");
}

TEST_CASE("solve statics says what nothing holds, and exits with 1") {
  const Workshop work;
  work.write("falling.toml", kFalling);
  const auto result = work.polhode("solve falling.toml statics");
  CHECK(result.status == 1);
  CHECK(result.out == "Let go\nnothing holds the body 'ball' along (0, 0, -1): 9.81 N push it on and on\n");
  const auto json = nlohmann::json::parse(work.polhode("solve falling.toml statics --json").out);
  CHECK(json["ending"] == "nothing-holds");
  CHECK(std::fabs(json["unheld"]["force"].get<double>() - 9.81) < 1e-9);
}

TEST_CASE("solve statics --over passes the fold of a truss, whose load has a closed form") {
  const Workshop work;
  work.write("truss.toml", kTruss);
  const auto result = work.polhode("solve truss.toml statics --over load=0:40:9 --csv curve.csv --svg curve.svg");
  CAPTURE(result.out);
  CAPTURE(result.err);
  CHECK(result.status == 0);
  // s³ = l₀ b²
  const double s = std::cbrt(1.25);
  const double z = std::sqrt(s * s - 1);
  const auto json = nlohmann::json::parse(work.polhode("solve truss.toml statics --over load=0:40:9 --json").out);
  REQUIRE(json["folds"].size() == 1);
  CHECK(std::fabs(json["folds"][0].get<double>() - 400 * z * (1.25 / s - 1)) < 1e-9);
  CHECK(json["ending"] == "complete");
  CHECK(work.read("curve.csv").find("\nload,mark,stability,negative,least_eigenvalue_1_s2,guide.slide_z_m,") !=
        std::string::npos);
  CHECK(work.read("curve.svg").starts_with("<svg"));
  CHECK(work.polhode("solve truss.toml statics --over lod=0:40:9").err.find("did you mean 'load'?") !=
        std::string::npos);
}

TEST_CASE("solve kinematics of the four-bar example: the crank turns evenly, once a second") {
  const Workshop work;
  work.write("four-bar.toml", solved_source("examples/four-bar.toml"));
  const auto json = nlohmann::json::parse(work.polhode("solve four-bar.toml kinematics --times 0:1:5 --json").out);
  CHECK(json["ending"] == "done");
  CHECK(json["dead_points"].empty());
  REQUIRE(json["rows"].size() == 5);
  const double turn = 2 * 3.14159265358979323846;
  CHECK(std::fabs(json["rows"][1]["motor.turn_rad_s"].get<double>() - turn) < 1e-11);
  CHECK(std::fabs(json["rows"][1]["motor.turn_rad_s2"].get<double>()) < 1e-9);
  // after a turn the rocker is where it was
  CHECK(std::fabs(json["rows"][4]["foot.turn_rad"].get<double>()) < 1e-12);
}

TEST_CASE("solve inverse: torque for a wanted turn by a formula and from a table, which agree") {
  const Workshop work;
  work.write("arm.toml", kSolvedArm);
  const auto formula =
      work.polhode("solve arm.toml inverse --along 'hinge.turn=depth*sin(2*t)' --set depth=0.4 --json");
  CAPTURE(formula.err);
  CHECK(formula.status == 0);
  const auto by_formula = nlohmann::json::parse(formula.out);
  REQUIRE(by_formula["rows"].size() == 5);
  std::string table = "t,hinge.turn\n";
  for (int k = 0; k <= 400; ++k) {
    char line[80];
    std::snprintf(line, sizeof line, "%.17g,%.17g\n", k * 0.005, 0.4 * std::sin(2 * k * 0.005));
    table += line;
  }
  work.write("wanted.csv", table);
  const auto by_table = nlohmann::json::parse(work.polhode("solve arm.toml inverse --table wanted.csv --json").out);
  for (std::size_t i = 0; i < 5; ++i) {
    const double t = by_formula["rows"][i]["t_s"];
    const double q = 0.4 * std::sin(2 * t);
    // τ = (J + m l²) q̈ − m g l cos q; positive turns take the arm down
    const double torque = 0.7 * (-4 * q) - 2 * 9.81 * 0.5 * std::cos(q);
    CHECK(std::fabs(by_formula["rows"][i]["to-hinge-turn.torque_Nm"].get<double>() - torque) < 1e-12);
    // inside the table: of fourth order in 0.005 s
    if (i > 0 && i < 4) {
      CHECK(std::fabs(by_table["rows"][i]["to-hinge-turn.torque_Nm"].get<double>() - torque) < 1e-7);
    }
  }
}

TEST_CASE("solve refuses what cannot be solved, in words") {
  const Workshop work;
  work.write("arm.toml", kSolvedArm);
  const auto undriven = work.polhode("solve arm.toml kinematics");
  CHECK(undriven.status == 2);
  CHECK(undriven.err.find("nothing drives the turn of joint 'hinge'; 'solve kinematics' wants all freedoms driven; add "
                          "[[drivers]], or --along JOINT.COORDINATE=FORMULA") != std::string::npos);
  CHECK(work.polhode("solve arm.toml dynamics").err.find("unknown question 'dynamics'") != std::string::npos);
  CHECK(work.polhode("solve arm.toml kinematics --nearest").status == 2);
  CHECK(work.polhode("solve arm.toml inverse --along hinge.turn").status == 2);
  CHECK(work.polhode("solve arm.toml inverse --along hinge.trun=t").status == 2);
  work.write(
      "one.toml",
      "title = \"one\"\n[body]\nprincipal_moments = [1, 2, 2]\n[initial]\nw_body = [1, 0, 0]\n[run]\nduration = 1\n");
  const auto one = work.polhode("solve one.toml statics");
  CHECK(one.status == 2);
  CHECK(one.err.find("a scenario of one body") != std::string::npos);
}
