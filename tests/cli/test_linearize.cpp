// polhode linearize as a user meets it.
#include "support/run_program.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace {

std::string linearize_source(const std::string& path) {
  std::ifstream file(std::string(POLHODE_SOURCE_DIR) + "/" + path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("the commands in docs/linearize.md print what the page says") {
  const Workshop work;
  const std::vector<PageCommand> commands = console_of(linearize_source("docs/linearize.md"));
  for (const auto& [command, expected] : commands) {
    CAPTURE(command);
    const Workshop::Result result = work.command(command);
    if (command.starts_with("polhode new")) { continue; }
    CHECK(result.out == expected);
  }
  CHECK(commands.size() >= 4);
  CHECK(work.read("eigenvalues.svg").starts_with("<svg"));
}

TEST_CASE("linearize writes matrices and eigenvalues in every format, and refuses what it cannot write") {
  const Workshop work;
  work.write("bicycle.toml", linearize_source("examples/whipple-bicycle.toml"));
  const auto json = work.polhode("linearize bicycle.toml --set v=6 --input T_lean,T_steer --json");
  CHECK(json.status == 0);
  const nlohmann::json object = nlohmann::json::parse(json.out);
  CHECK(object["steady"] == true);
  CHECK(object["states"].size() == 10);
  CHECK(object["A"].size() == 10);
  CHECK(object["B"][0].size() == 2);
  CHECK(object["modes"].size() == 10);
  CHECK(object["position_count"] == 7);
  double capsize = 1;
  for (const auto& mode : object["modes"]) {
    if (mode["real"] != 0.0 && std::fabs(mode["real"].get<double>()) < std::fabs(capsize)) { capsize = mode["real"]; }
  }
  CHECK(std::fabs(capsize + 0.00406690076970) < 1e-12);
  for (const char* name : {"model.m", "model.json", "model.csv"}) {
    CHECK(work.polhode(std::string("linearize bicycle.toml -o ") + name).status == 0);
    CHECK(work.read(name).size() > 500);
  }
  for (const char* name : {"over.svg", "over.json", "over.csv", "over.html"}) {
    CHECK(work.polhode(std::string("linearize bicycle.toml --over v=1:8:8 -o ") + name).status == 0);
    CHECK(work.read(name).size() > 500);
  }
  CHECK(work.read("over.html").find("polhode linearize bicycle.toml --over v=1:8:8") != std::string::npos);
  for (const auto& [arguments, message] : {
           std::pair{"linearize bicycle.toml -o model.svg", "format 'svg' is not one of state matrices"},
           std::pair{"linearize bicycle.toml -o model", "'model' does not say what it shall hold"},
           std::pair{"linearize bicycle.toml --over w=1:2:3", "unknown parameter 'w'"},
           std::pair{"linearize bicycle.toml --over v=1:2", "wanted: NAME=FROM:TO:COUNT"},
           std::pair{"linearize bicycle.toml --input v", "cannot change during a run"},
           std::pair{"linearize bicycle.toml --about motion", "unknown kind of state 'motion'"},
           std::pair{"linearize bicycle.toml --set push=0.2", "the state is no equilibrium and no steady motion"},
           std::pair{"linearize bicycle.toml -o bicycle.toml --format csv", "bicycle.toml"},
           std::pair{"linearize none.toml", "none.toml"},
       }) {
    CAPTURE(arguments);
    const auto result = work.polhode(arguments);
    CHECK(result.status == 2);
    CHECK(result.out.empty());
    CHECK(result.err.find(message) != std::string::npos);
  }
  CHECK(work.read("bicycle.toml") == linearize_source("examples/whipple-bicycle.toml"));
  const auto moving = work.polhode("linearize bicycle.toml --set push=0.2 --about state");
  CHECK(moving.status == 0);
  CHECK(moving.out.find("hold at this moment alone") != std::string::npos);
}

TEST_CASE("Ctrl-C ends a root locus with what is there, and exits with 130") {
  const Workshop work;
  work.write("bicycle.toml", linearize_source("examples/whipple-bicycle.toml"));
  const auto hit = work.interrupted("linearize bicycle.toml --over v=0:10:900000 -o over.csv");
  CHECK(hit.status == 130);
  CHECK(work.read("over.csv").find("\nv,real_1,imaginary_1") != std::string::npos);
}
