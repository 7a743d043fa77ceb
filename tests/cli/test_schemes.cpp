#include "support/run_program.h"
#include "support/xml.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <vector>

namespace {

struct SchemesCase {
  const char* arguments;
  const char* message;
};

const nlohmann::json& row(const nlohmann::json& object, const std::string& name, const std::string& precision) {
  for (const nlohmann::json& one : object.at("schemes")) {
    if (one.at("name") == name && one.at("precision") == precision) { return one; }
  }
  FAIL("no row " << name);
  return object;
}

/// Without what the clock says.
nlohmann::json repeatable(nlohmann::json object) {
  for (nlohmann::json& one : object.at("schemes")) { one.erase("ns_per_step"); }
  object.erase("recommended");
  return object;
}

}  // namespace

TEST_CASE("schemes answers bad input with one line that says what is wrong and what would be right, and exit code 2") {
  const Workshop shop;
  const std::vector<SchemesCase> corpus{
      {"--moments 1,2", "--moments 1,2: 2 numbers; wanted: 3 finite numbers with commas between"},
      {"--moments 1,2,nan", "--moments 1,2,nan: 'nan' is not finite; wanted: 3 finite numbers with commas between"},
      {"--inertia 1,2,3", "--inertia 1,2,3: 3 numbers; wanted: 6 finite numbers with commas between"},
      {"--moments 1,2,3 --inertia 1,2,3,0,0,0", "--moments and --inertia say the same thing; give one of them"},
      {"--spin 0", "--spin 0; wanted: more than 0"},
      {"--spin -3", "--spin -3; wanted: more than 0"},
      {"--spin inf", "--spin inf: 'inf' is not finite; wanted: 1 finite number"},
      {"--spin 1 --spin-rpm 10", "--spin and --spin-rpm say the same thing; give one of them"},
      {"--step 0", "--step 0; wanted: more than 0"},
      {"--step -0.1", "--step -0.1; wanted: more than 0"},
      {"--step x", "--step x: 'x' is not a number; wanted: 1 finite number"},
      {"--step 0.1 --hz 60", "--step and --hz say the same thing; give one of them"},
      {"--turns 1e6", "--turns 1e+06; allowed: up to 1e5"},
      {"--spin 1 --step 50",
       "a spin of 1 rad/s and a step of 50 s make 50 rad a step; allowed: 0.0001 to 20; give --spin in rad/s (or "
       "--spin-rpm) and --step in seconds (or --hz)"},
      {"--precision half", "unknown precision 'half'; known: float double both"},
      {"--precision flot", "unknown precision 'flot'; known: float double both; did you mean 'float'?"},
      {"--json --plot -", "--json and '--plot -' both want standard output; give the picture a file name"},
  };
  for (const SchemesCase& example : corpus) {
    CAPTURE(example.arguments);
    const Workshop::Result result = shop.polhode(std::string("schemes ") + example.arguments);
    CHECK(result.status == 2);
    CHECK(result.out == "");
    CHECK(result.err == std::string("polhode: ") + example.message + "\n");
  }
  for (const char* moments : {"0,1,1", "-1,2,3", "1,1,5"}) {
    CAPTURE(moments);
    const Workshop::Result result = shop.polhode(std::string("schemes --moments ") + moments);
    CHECK(result.status == 2);
    CHECK(result.out == "");
    CHECK(result.err.starts_with("polhode: "));
  }
  CHECK(shop.polhode("schemes --moment 1,2,3").err.find("did you mean '--moments'?") != std::string::npos);
  CHECK(shop.count_files() == 0);
}

TEST_CASE("schemes tells which scheme explodes, drifts, holds, and which physics is wrong") {
  const Workshop shop;
  const Workshop::Result result = shop.polhode("schemes --moments 1,2,3 --spin 6 --hz 60 --turns 50 --json");
  CHECK(result.status == 0);
  CHECK(result.err == "");
  const nlohmann::json object = nlohmann::json::parse(result.out);
  CHECK(object.at("what") == "schemes");
  CHECK(std::fabs(object.at("angle_per_step_rad").get<double>() - 0.1) < 1e-12);
  for (const char* precision : {"float", "double"}) {
    CAPTURE(precision);
    CHECK(row(object, "body", precision).at("verdict") == "explodes");
    CHECK(row(object, "newton-gyro", precision).at("verdict") == "drifts");
    CHECK(row(object, "newton-gyro", precision).at("energy_drift_per_turn") < -1e-3);
    CHECK(row(object, "body-no-gyro", precision).at("verdict") == "wrong physics");
    CHECK(row(object, "body-no-gyro", precision).at("period_error").is_null());
    CHECK(row(object, "world-implicit", precision).at("verdict") == "drifts");
    CHECK(row(object, "midpoint-newton5", precision).at("verdict") == "holds");
    const nlohmann::json& ours = row(object, "step.hpp", precision);
    CHECK(ours.at("verdict") == "holds");
    CHECK(ours.at("stable") == true);
    CHECK(std::fabs(ours.at("period_error").get<double>()) < 1e-4);
    CHECK(ours.at("energy_worst") < 1e-4);
    CHECK(ours.at("ns_per_step") > 0);
  }
  CHECK(row(object, "rk4", "double").at("verdict") == "holds");
  // which one is recommended hangs on the clock; that it holds and flips on time does not
  for (const char* precision : {"float", "double"}) {
    const nlohmann::json& advised =
        row(object, object.at("recommended").at(precision).at("name").get<std::string>(), precision);
    CHECK(advised.at("verdict") == "holds");
    CHECK(std::fabs(advised.at("period_error").get<double>()) < 0.01);
  }
}

TEST_CASE("schemes repeats to the bit, but for the clock; a matrix and its moments give the same") {
  const Workshop shop;
  const std::string options = "schemes --precision float --spin-rpm 60 --step 0.05 --turns 20 --json";
  const nlohmann::json first = nlohmann::json::parse(shop.polhode(options + " --moments 1,2,3").out);
  const nlohmann::json second = nlohmann::json::parse(shop.polhode(options + " --moments 3,1,2").out);
  CHECK(repeatable(first) == repeatable(second));
  const nlohmann::json matrix = nlohmann::json::parse(shop.polhode(options + " --inertia 2,1,3,0,0,0").out);
  CHECK(repeatable(first) == repeatable(matrix));
}

TEST_CASE("schemes prints a table with a recommendation and its reason, and suggests a plot") {
  const Workshop shop;
  const Workshop::Result result = shop.polhode("schemes --precision float --turns 10");
  CHECK(result.status == 0);
  CHECK(result.out.starts_with("scheme "));
  CHECK(result.out.find("Recommended in float: ") != std::string::npos);
  CHECK(result.out.find("double") == std::string::npos);
  CHECK(result.err.find("Next: polhode schemes") != std::string::npos);
  CHECK(shop.polhode("schemes --precision float --turns 10 -q").err == "");

  // a sphere does not flip, and every scheme with right physics is asked for less
  const Workshop::Result sphere = shop.polhode("schemes --precision float --moments 1,1,1 --turns 10");
  CHECK(sphere.status == 0);
  CHECK(sphere.err.find("it does not flip") != std::string::npos);
}

TEST_CASE("schemes draws errors over step size, the same bytes every time") {
  const Workshop shop;
  CHECK(shop.polhode("schemes --precision float --turns 5 --plot a.svg -q").status == 0);
  const std::string picture = shop.read("a.svg");
  CHECK(polhode::test::why_not_xml(picture) == "");
  for (const char* words : {"flip period, float", "energy, float", "step.hpp", "midpoint-newton5"}) {
    CAPTURE(words);
    CHECK(picture.find(words) != std::string::npos);
  }
  const Workshop::Result piped = shop.polhode("schemes --precision float --turns 5 --plot - -q");
  CHECK(piped.out == picture);
  CHECK(shop.polhode("schemes --precision float --turns 5 --plot absent/a.svg").status == 2);
}
