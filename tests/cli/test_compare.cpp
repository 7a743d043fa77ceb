// polhode compare as a user meets it, and the pages that run and compare leave to look at.
#include "support/run_program.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <vector>

namespace {

const char* const kBody = R"(title = "quick <b>"
[body]
principal_moments = [1, 2, 3]
[initial]
euler = { sequence = "3-2-1", angles_deg = [10, 20, 30] }
w_body = [0.3, 1, -0.4]
[run]
duration = 5
output_interval = 0.05
chart_distance_deg = 20
)";

std::string source(const std::string& path) {
  std::ifstream file(std::string(POLHODE_SOURCE_DIR) + "/" + path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

const nlohmann::json& row(const nlohmann::json& object, const std::string& form) {
  for (const nlohmann::json& one : object.at("rows")) {
    if (one.at("formulation") == form) { return one; }
  }
  FAIL("no row " << form);
  return object;
}

}  // namespace

TEST_CASE("compare runs every form, says which reference was used, and writes table and page") {
  const Workshop work;
  work.write("quick.toml", kBody);
  const auto result = work.polhode("compare quick.toml");
  CHECK(result.status == 0);
  CHECK(result.out.starts_with("quick <b>\nreference: exact motion (free body)"));
  CHECK(result.out.find("\nf12 ") != std::string::npos);
  CHECK(result.out.find("constraint row 2e^T, lambda = 2T") != std::string::npos);
  CHECK(result.out.find("cannot run: f11: (M4 e'' + g = Q without the constraint row) is rank 3") != std::string::npos);
  CHECK(result.out.find("1 cannot run this of ") != std::string::npos);
  CHECK(result.err.find("Next: polhode compare") != std::string::npos);
  const std::string csv = work.read("quick.compare/compare.csv");
  CHECK(csv.find("\nformulation,integrator,standing,attitude_difference_rad,") != std::string::npos);
  CHECK(csv.find("\nf11,dop853,cannot run,,,,") != std::string::npos);
  const std::string page = work.read("quick.compare/compare.html");
  CHECK(page.find("quick &lt;b&gt;") != std::string::npos);
  CHECK(page.find("All that can run this agree") != std::string::npos);
  CHECK(page.find("exact motion (free body)") != std::string::npos);
  // the same bytes again, with any number of threads
  CHECK(work.polhode("compare quick.toml -q --threads 1 -o again").status == 0);
  CHECK((work.read("again/compare.csv") == csv));
  CHECK((work.read("again/compare.html") == page));
}

TEST_CASE("compare as JSON has a row a choice, and keeps what the clock says apart") {
  const Workshop work;
  work.write("quick.toml", kBody);
  const std::string command =
      "compare quick.toml --json --no-report --formulation f5,f12,f11,euler-body --integrator dop853,rk4 --step 0.005";
  const auto result = work.polhode(command);
  CHECK(result.status == 0);
  CHECK(result.err.empty());
  auto json = nlohmann::json::parse(result.out);
  CHECK(json.at("what") == "compare");
  CHECK(json.at("rows").size() == 8);
  CHECK(json.at("timing").size() == 8);
  CHECK(json.at("timing").at(0).at("ns_per_step") > 0);
  CHECK(json.at("reference").at("exact") == true);
  CHECK(json.at("all_agree") == true);
  CHECK(json.at("counts") ==
        nlohmann::json{{"agrees", 6}, {"coarse", 0}, {"off", 0}, {"singular", 0}, {"cannot run", 2}, {"not run", 0}});
  CHECK(row(json, "f11").at("standing") == "cannot run");
  const auto& f12 = row(json, "f12");
  CHECK(f12.at("standing") == "agrees");
  CHECK(f12.at("attitude_difference_rad") < 1e-7);
  CHECK(f12.at("multiplier").at("row_scale") == 2);
  CHECK(f12.at("multiplier").at("closed_form") == "2T");
  CHECK(f12.at("multiplier").at("error") < 1e-9);
  CHECK(row(json, "euler-body").at("multiplier").is_null());
  CHECK(work.count_files() == 1);  // nothing but the scenario
  json.erase("timing");
  auto again = nlohmann::json::parse(work.polhode(command).out);
  again.erase("timing");
  CHECK(again == json);
}

TEST_CASE("a mechanism through standard input is compared as from its file") {
  const Workshop work;
  REQUIRE(work.polhode("new top-on-ball-joint -q").status == 0);
  const std::string options = " --formulation f1,f5 --no-report --csv -";
  const auto from_file = work.polhode("compare top-on-ball-joint.toml" + options);
  const auto from_input = work.polhode("compare -" + options, work.read("top-on-ball-joint.toml"));
  CHECK(from_file.status == 0);
  CHECK(from_input.status == 0);
  const auto rows = [](const std::string& csv) { return csv.substr(csv.find("\nf1,")); };
  CHECK((rows(from_input.out) == rows(from_file.out)));
  CHECK(work.polhode("compare - --step 0.1", work.read("top-on-ball-joint.toml")).err.find("--step is for one body") !=
        std::string::npos);
}

TEST_CASE("compare exits with 1 where a row is off, and says why; a form that cannot run is no failure") {
  const Workshop work;
  work.write("quick.toml", kBody);
  const auto coarse =
      work.polhode("compare quick.toml --formulation euler-body --integrator rk4 --step 0.1 --no-report -q");
  CHECK(coarse.status == 0);
  CHECK(coarse.out.find(" coarse\n") != std::string::npos);
  CHECK(coarse.out.find("1 agree only with finer steps of 1 row\n") != std::string::npos);
  const auto told = work.polhode("compare quick.toml --formulation euler-body --integrator rk4 --step 0.1 --json -o c");
  CHECK(told.status == 0);
  CHECK(nlohmann::json::parse(told.out).at("all_agree") == false);
  CHECK(nlohmann::json::parse(told.out).at("counts").at("coarse") == 1);
  CHECK(work.read("c/compare.html").find("0 agree, 1 only with finer steps<") != std::string::npos);
  CHECK(work.read("c/compare.html").find("All that can run this agree") == std::string::npos);
  CHECK(coarse.out.find("finer rad") != std::string::npos);
  // no form gets beyond the third second
  work.write("nan.toml", std::string(kBody) + "[[load]]\nkind = \"moment\"\nmoment_body = [\"sqrt(3 - t)\", 0, 0]\n");
  const auto off = work.polhode("compare nan.toml --formulation euler-body,f5 --no-report -q");
  CHECK(off.status == 1);
  CHECK(off.out.find("off: euler-body: not-finite at t = ") != std::string::npos);
  CHECK(off.out.find("it did not reach the end") != std::string::npos);
  const auto none = work.polhode("compare quick.toml --formulation f5 --integrator splitting4 --step 0.01 --no-report");
  CHECK(none.status == 0);
  CHECK(none.out.find("needs exact flows") != std::string::npos);
}

TEST_CASE("compare answers bad input with one line and exit code 2, and leaves nothing behind") {
  const Workshop work;
  work.write("quick.toml", kBody);
  const std::vector<std::pair<const char*, const char*>> corpus{
      {"compare nothing.toml", "cannot read 'nothing.toml': No such file or directory"},
      {"compare quick.toml --formulation f55", "unknown formulation 'f55'"},
      {"compare quick.toml --integrator rk5", "unknown integrator 'rk5'"},
      {"compare quick.toml --step 0", "--step 0; wanted: more than 0, in seconds"},
      {"compare quick.toml --step x", "--step x: 'x' is not a number"},
      {"compare quick.toml --json --csv -", "--json and '--csv -' both want standard output"},
      {"compare quick.toml --formulation f5 -o /proc/none", "cannot make the folder '/proc/none'"},
  };
  for (const auto& [arguments, message] : corpus) {
    CAPTURE(arguments);
    const auto result = work.polhode(arguments);
    CHECK(result.status == 2);
    CHECK(result.out.empty());
    CHECK(result.err.find(message) != std::string::npos);
  }
  CHECK(work.count_files() == 1);
}

TEST_CASE("compare says so where --step is not used") {
  const Workshop work;
  work.write("quick.toml", kBody);
  const std::string some = "compare quick.toml --no-report -q --formulation euler-body --step 0.01";
  CHECK(work.polhode(some).err.find("--step 0.01 is not used: dop853 goes by the tolerance") != std::string::npos);
  CHECK(work.polhode(some + " --integrator dop853,rk4").err.empty());
  std::string fixed = kBody;
  fixed.replace(fixed.find("[run]\n"), 6, "[run]\nintegrator = \"rk4\"\nstep = 0.002\n");
  work.write("quick.toml", fixed);
  CHECK(work.polhode(some).err.find("--step 0.01 is not used: the scenario has step = 0.002") != std::string::npos);
}

TEST_CASE("Ctrl-C leaves a table of what was compared, and exits with 130") {
  const Workshop work;
  std::string longer = kBody;
  longer.replace(longer.find("duration = 5"), 12, "duration = 50000");
  work.write("long.toml", longer);
  const auto hit = work.interrupted("compare long.toml --threads 1");
  CHECK(hit.status == 130);
  CHECK(hit.out.find("not run") != std::string::npos);
  CHECK(work.read("long.compare/compare.csv").find(",not run,") != std::string::npos);
  CHECK(work.read("long.compare/compare.html").find("Interrupted") != std::string::npos);
}

TEST_CASE("the table in docs/compare.md is what the command above it prints") {
  const Workshop work;
  const std::string page = source("docs/compare.md");
  const std::string fence = "```\n";
  const std::string prompt = "    polhode ";
  const std::size_t at = page.find(prompt + "compare spinning-top.toml --formulation");
  REQUIRE(at != std::string::npos);
  const std::string command = page.substr(at + prompt.size(), page.find('\n', at) - at - prompt.size());
  const std::size_t begin = page.find(fence, at) + fence.size();
  work.polhode("new spinning-top");
  const auto result = work.polhode(command);
  CHECK(result.status == 0);
  CHECK(result.out == page.substr(begin, page.find("```", begin) - begin));
}

TEST_CASE("a run leaves a page to look at, unless told not to; plots as files when asked") {
  const Workshop work;
  work.polhode("new t-handle");
  const auto run = work.polhode("run t-handle.toml --certify -q");
  CHECK(run.out.find("t-handle.run/report.html") != std::string::npos);
  const std::string page = work.read("t-handle.run/report.html");
  CHECK((page.starts_with("<!doctype html>\n") || page.starts_with("<!DOCTYPE html>\n")));
  for (const char* words :
       {"Certified", "event 'flip'", "half period of the exact motion", "polhode run t-handle.toml --certify"}) {
    CAPTURE(words);
    CHECK(page.find(words) != std::string::npos);
  }
  CHECK(work.polhode("run t-handle.toml -q --no-report -o none").status == 0);
  CHECK_FALSE(work.exists("none/report.html"));
  // the picture of the README
  CHECK(work.polhode("run t-handle.toml -q --svg --no-report -o pictures").status == 0);
  CHECK(work.exists("pictures/attitude.svg"));
  CHECK((work.read("pictures/rates-body.svg") == source("docs/images/t-handle-rates.svg")));
}

TEST_CASE("script in every string of a scenario is shown, not run") {
  const Workshop work;
  const std::string bad = "</title><script>alert(1)</script>";
  work.write("bad.toml", "# " + bad + "\ntitle = \"" + bad +
                             "\"\n[body]\nprincipal_moments = [1, 2, 3]\n[initial]\nw_body = [0.3, 1, -0.4]\n"
                             "[run]\nduration = 5\n[[event]]\nname = \"" +
                             bad + "\"\nrate_body = \"x\"\n");
  CHECK(work.polhode("run bad.toml -q").status == 0);
  CHECK(work.polhode("compare bad.toml -q --formulation f5").status == 0);
  for (const char* name : {"bad.run/report.html", "bad.compare/compare.html"}) {
    CAPTURE(name);
    const std::string page = work.read(name);
    CHECK(page.find("<script>alert") == std::string::npos);
    CHECK(page.find("&lt;script&gt;alert(1)") != std::string::npos);
  }
}
