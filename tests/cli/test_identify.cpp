// polhode identify as a user meets it, and runs with derivatives.
#include "support/run_program.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>

namespace {

using IdentifyJson = nlohmann::json;

const std::string kRacketFiles = std::string(POLHODE_SOURCE_DIR) + "/examples/racket-tosses";

/// An entry of a list by its name.
const IdentifyJson& named(const IdentifyJson& list, const std::string& name) {
  for (const IdentifyJson& one : list) {
    if (one["name"] == name) { return one; }
  }
  FAIL("no " << name);
  return list;
}

}  // namespace

TEST_CASE("identify finds the moments of the racket that was tossed, as far as they are told") {
  const Workshop work;
  const auto run = work.polhode("identify " + kRacketFiles + ".toml " + kRacketFiles +
                                ".csv --inertia J1,J2,J3 --unknown-start --bias w_body_rad_s --json");
  REQUIRE(run.status == 0);
  const IdentifyJson found = IdentifyJson::parse(run.out);
  CHECK(found["converged"] == true);
  const auto check = [](const IdentifyJson& one, double truth) {
    CHECK(std::fabs(one["value"].get<double>() - truth) < 3.5 * one["sigma"].get<double>());
  };
  // what the data were made with
  check(named(found["combinations"], "J1/J3"), 0.00121 / 0.01748);
  check(named(found["combinations"], "J2/J3"), 0.01646 / 0.01748);
  check(named(found["values"], "bias of wx_body_rad_s"), 0.05);
  check(named(found["values"], "bias of wy_body_rad_s"), -0.03);
  check(named(found["values"], "bias of wz_body_rad_s"), 0.02);
  CHECK(named(found["values"], "J1")["told"] == false);
  CHECK(named(found["values"], "J1")["sigma"].is_null());
  CHECK(std::fabs(found["sensors"][0]["noise"].get<double>() / 0.02 - 1) < 0.05);
  CHECK(found["own"].size() == 12);
}

TEST_CASE("identify writes a scenario with what it found, a table and a plot") {
  const Workshop work;
  const auto run = work.polhode("identify " + kRacketFiles + ".toml " + kRacketFiles +
                                ".csv --unknown J2,J3 --set J1=0.00121 --unknown-start --bias w_body_rad_s "
                                "--csv values.csv --svg plot.svg --write fitted.toml");
  CHECK(run.status == 0);
  CHECK(run.out.find("12 recordings") != std::string::npos);
  CHECK(work.read("values.csv").find("\n,J2,") != std::string::npos);
  CHECK(work.read("plot.svg").starts_with("<svg"));
  const auto again = work.polhode("check fitted.toml --json");
  CHECK(again.status == 0);
  CHECK(work.read("fitted.toml").find("J1 = 0.00121") != std::string::npos);
  CHECK(work.read("fitted.toml").find("J2 = 0.0164") != std::string::npos);
}

TEST_CASE("identify tells what is wrong with a question") {
  const Workshop work;
  const std::string both = kRacketFiles + ".toml " + kRacketFiles + ".csv ";
  CHECK(work.polhode("identify " + both).status == 2);
  CHECK(work.polhode("identify " + both).err.find("nothing is unknown") != std::string::npos);
  CHECK(work.polhode("identify " + both + "--unknown J5").err.find("unknown parameter 'J5'") != std::string::npos);
  CHECK(work.polhode("identify " + both + "--unknown J2 --noise w_body_rad_s").err.find("no value") !=
        std::string::npos);
  CHECK(work.polhode("identify " + both + "--unknown J2 --json --csv -").err.find("all want standard output") !=
        std::string::npos);
}

TEST_CASE("a run with --sensitivity has columns for the derivatives") {
  const Workshop work;
  work.write("spin.toml", R"toml(title = "spin"
[parameters]
M = 0.3
J = 0.2
[body]
principal_moments = [0.2, 0.2, "J"]
[initial]
w_body = [0, 0, 0]
[[load]]
kind = "moment"
moment_body = [0, 0, "M"]
[run]
duration = 2
output_interval = 1
)toml");
  const auto run = work.polhode("run spin.toml --sensitivity M,J --no-report");
  REQUIRE(run.status == 0);
  const std::string csv = work.read("spin.run/results.csv");
  CHECK(csv.find("wz_body_rad_s_by_M") != std::string::npos);
  CHECK(csv.find("wz_body_rad_s_by_J") != std::string::npos);
  CHECK(csv.find("norm_error_by") == std::string::npos);
  CHECK(work.polhode("run spin.toml --sensitivity K").err.find("unknown parameter 'K'") != std::string::npos);
}
