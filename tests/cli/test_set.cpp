// --set NAME=VALUE: values of parameters from the command line.
#include "support/run_program.h"

#include <nlohmann/json.hpp>

namespace {

const char* const kSpin = R"(title = "spin"
[parameters]
spin = 3.0
twice = "2*spin"
[body]
principal_moments = [1, 2, 3]
[initial]
w_body = ["spin", 0.1, "0.01*twice"]
[run]
duration = 1
output_interval = 0.1
checkpoint_rows = 2
)";

const char* const kPendulum = R"(title = "rod"
[parameters]
length = 1.0
[gravity]
g_space = [0, 0, -9.81]
[[bodies]]
name = "rod"
shape = "box"
mass = 1
edges = ["length", 0.1, 0.1]
position = ["length/2", 0, 0]
[[joints]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "rod"]
point = [0, 0, 0]
axis = [0, 1, 0]
[run]
duration = 0.1
)";

/// The first row of a table.
std::string first_row(const std::string& csv) {
  const std::size_t head = csv.find("\nt_s,");
  const std::size_t row = csv.find('\n', head + 1) + 1;
  return csv.substr(row, csv.find('\n', row) - row);
}

}  // namespace

TEST_CASE("--set takes the place of a parameter, of what is made of it, and the result says so") {
  const Workshop work;
  work.write("spin.toml", kSpin);
  CHECK(work.polhode("run spin.toml --no-report").status == 0);
  CHECK(first_row(work.read("spin.run/results.csv")).starts_with("0,1,0,0,0,3,0.1,0.06,"));
  CHECK(work.read("spin.run/results.csv").find("# set: ") == std::string::npos);
  const auto run = work.polhode("run spin.toml --no-report --set spin=5 -o five --format csv,json");
  CHECK(run.status == 0);
  CHECK(run.err.find("polhode run spin.toml --set spin=5 -o five") != std::string::npos);
  const std::string csv = work.read("five/results.csv");
  CHECK(first_row(csv).starts_with("0,1,0,0,0,5,0.1,0.1,"));
  CHECK(csv.find("# set: {\"spin\":5.0}\n") != std::string::npos);
  CHECK(nlohmann::json::parse(work.read("five/results.json")).at("head").at("set").at("spin") == 5);
  CHECK(nlohmann::json::parse(work.read("five/certificate.json")).at("set").at("spin") == 5);
  // from one format to another and back
  CHECK(work.polhode("convert five --to json -o five.json").status == 0);
  CHECK(work.polhode("convert five.json --to csv -o five.csv").status == 0);
  CHECK(work.read("five.csv") == csv);
  // two at once, a formula replaced by a number
  CHECK(work.polhode("run spin.toml --no-report --set spin=5 --set twice=1 -o both").status == 0);
  CHECK(first_row(work.read("both/results.csv")).starts_with("0,1,0,0,0,5,0.1,0.01,"));
}

TEST_CASE("--set is told what is wrong with it") {
  const Workshop work;
  work.write("spin.toml", kSpin);
  const std::vector<std::pair<const char*, const char*>> corpus{
      {"run spin.toml --set spun=5", "did you mean 'spin'?"},
      {"run spin.toml --set spin", "--set spin: no value; wanted: NAME=VALUE"},
      {"run spin.toml --set =5", "no value"},
      {"run spin.toml --set spin=fast", "'fast' is not a number"},
      {"run spin.toml --set spin=nan", "'nan' is not finite"},
      {"run spin.toml --set spin=1 --set spin=2", "--set gives 'spin' two values"},
      {"run spin.toml --set spin=1e308", ""},
  };
  for (const auto& [arguments, message] : corpus) {
    CAPTURE(arguments);
    const auto result = work.polhode(arguments);
    CHECK(result.status == 2);
    CHECK(result.out.empty());
    CHECK(result.err.find(message) != std::string::npos);
  }
  CHECK(work.count_files() == 1);
  std::string bare = kSpin;
  const std::size_t begin = bare.find("[parameters]");
  bare.erase(begin, bare.find("[body]") - begin);
  bare.replace(bare.find("[\"spin\", 0.1, \"0.01*twice\"]"), 27, "[1, 0.1, 0]");
  work.write("bare.toml", bare);
  CHECK(work.polhode("run bare.toml --set spin=5").err.find("no parameter 'spin': the scenario has no [parameters]") !=
        std::string::npos);
}

TEST_CASE("a log is gone on with only by the same --set") {
  const Workshop work;
  work.write("spin.toml", kSpin);
  CHECK(work.polhode("run spin.toml --no-report --set spin=5").status == 0);
  const auto other = work.polhode("run spin.toml --no-report --set spin=6 --resume");
  CHECK(other.status == 2);
  CHECK(other.err.find("is the log of another choice of parameters (--set)") != std::string::npos);
  CHECK(work.polhode("run spin.toml --no-report --resume").status == 2);
  CHECK(work.polhode("run spin.toml --no-report --set spin=5 --resume").status == 0);
}

TEST_CASE("every command that takes a scenario takes --set, geometry included") {
  const Workshop work;
  work.write("rod.toml", kPendulum);
  work.write("spin.toml", kSpin);
  CHECK(work.polhode("check rod.toml --set length=2").status == 0);
  CHECK(work.polhode("check rod.toml --set length=-2").status == 1);
  CHECK(work.polhode("draw rod.toml --set length=3 -o long.svg").status == 0);
  CHECK(work.polhode("draw rod.toml -o short.svg").status == 0);
  CHECK(work.read("long.svg") != work.read("short.svg"));
  CHECK(work.polhode("compare rod.toml --set length=2 --csv -").status == 0);
  CHECK(work.polhode("compare spin.toml --set spin=1 --formulation f5 --no-times").status == 0);
  // the period of a longer rod: the first acceleration about the hinge is 3 g / 2 L
  for (const double length : {1.0, 2.0}) {
    CAPTURE(length);
    const std::string folder = length == 1 ? "one" : "two";
    CHECK(work.polhode("run rod.toml --no-report -o " + folder + " --set length=" + std::to_string(length)).status ==
          0);
    const auto summary = nlohmann::json::parse(work.polhode("run rod.toml --no-report --json --overwrite -o " + folder +
                                                            " --set length=" + std::to_string(length))
                                                   .out);
    // at rest, level, after a time this short: rate = 3 g / (2 L (1 + (0.1/L)^2/4 ...)) t, to 1 %
    const double rate = summary.at("final").at("hinge").at("turn_rate");
    CHECK(rate == doctest::Approx(3 * 9.81 / (2 * length) * 0.1).epsilon(0.01));
  }
  // the picture of a run is that of its parameters
  CHECK(work.polhode("draw two -o two.svg").status == 0);
}
