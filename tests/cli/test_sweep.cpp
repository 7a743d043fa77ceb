// polhode sweep as a user meets it.
#include "support/run_program.h"
#include "support/small_results.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <vector>

namespace {

const char* const kSwept = R"(title = "swept <b>"
[parameters]
spin = 3
j = 1.5
[body]
principal_moments = [1, 1, "j"]
[initial]
w_body = [0.3, 0, "spin"]
[[event]]
name = "half"
formula = "t - 1"
[run]
duration = 2
)";

std::string swept_source(const std::string& path) {
  std::ifstream file(std::string(POLHODE_SOURCE_DIR) + "/" + path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Rows of a table, comments and names left out.
std::vector<std::string> rows_of(const std::string& csv) {
  std::vector<std::string> rows;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('#') && !line.starts_with("point,")) { rows.push_back(line); }
  }
  return rows;
}

}  // namespace

TEST_CASE("sweep writes a table and a page, the same bytes on any number of threads") {
  const Workshop work;
  work.write("quick.toml", kSwept);
  const std::string formats = small_results::has_hdf5() ? " --format csv,hdf5" : "";
  const std::string sweep = "sweep quick.toml --over j=0.5:2:4 --over spin=1:100:3:log" + formats;
  const auto result = work.polhode(sweep);
  CHECK(result.status == 0);
  CHECK(result.out.starts_with(
      "swept <b>\nover: j from 0.5 to 2, 4 values; spin from 1 to 100, 3 values, logarithmic\n\npoint  "));
  CHECK(result.out.find("\nall 12 runs came to their end\nfiles: quick.sweep/sweep.csv, ") != std::string::npos);
  CHECK(result.err.find("Next: polhode sweep quick.toml --over j=0.5:2:4 --over spin=1:100:3:log --certify") !=
        std::string::npos);
  const std::string csv = work.read("quick.sweep/sweep.csv");
  CHECK(csv.starts_with("# polhode "));
  CHECK(csv.find("\n# scenario: quick.toml, SHA-256 ") != std::string::npos);
  CHECK(csv.find("\npoint,j,spin,ending,t_end_s,final_wx_body_rad_s,largest_wx_body_rad_s,") != std::string::npos);
  const std::vector<std::string> rows = rows_of(csv);
  REQUIRE(rows.size() == 12);
  CHECK(rows[0].starts_with("0,0.5,1,done,2,"));
  CHECK(rows[1].starts_with("1,0.5,10,done,2,"));
  CHECK(rows[11].starts_with("11,2,100,done,2,"));
  const std::string page = work.read("quick.sweep/sweep.html");
  CHECK(page.find("swept &lt;b&gt;: a sweep") != std::string::npos);
  CHECK(page.find("polhode sweep quick.toml --over j=0.5:2:4 --over spin=1:100:3:log") != std::string::npos);
  for (const char* threads : {"1", "2", "7"}) {
    CHECK(work.polhode(sweep + " -q -o again --threads " + threads).status == 0);
    CHECK((work.read("again/sweep.csv") == csv));
    CHECK((work.read("again/sweep.html") == page));
    if (small_results::has_hdf5()) { CHECK((work.read("again/sweep.h5") == work.read("quick.sweep/sweep.h5"))); }
  }
  CHECK(work.read("again/manifest.json").find("\"sweep.csv\"") != std::string::npos);
}

TEST_CASE("sweep goes into a pipe, and leaves no folder when told so") {
  const Workshop work;
  const auto piped = work.polhode("sweep - --over spin=1:2:3 --columns e0 --csv - --no-report", kSwept);
  CHECK(piped.status == 0);
  CHECK(rows_of(piped.out).size() == 3);
  CHECK(piped.out.find("\npoint,spin,ending,t_end_s,final_e0,largest_e0,") != std::string::npos);
  CHECK(work.count_files() == 0);
  // FILE may stand anywhere
  work.write("quick.toml", kSwept);
  const auto last = work.polhode("sweep --no-report --columns e0 --csv - --over spin=1:2:3 quick.toml");
  CHECK(last.status == 0);
  CHECK((rows_of(last.out) == rows_of(piped.out)));
}

TEST_CASE("sweep as JSON has the axes, the columns and a row a point") {
  const Workshop work;
  work.write("quick.toml", kSwept);
  const auto result =
      work.polhode("sweep quick.toml --over j=1:3:3 --columns wz_body_rad_s --certify --json --no-report");
  CHECK(result.status == 1);  // a point was refused
  CHECK(result.err.empty());
  const auto json = nlohmann::json::parse(result.out);
  CHECK(json.at("what") == "sweep");
  CHECK(json.at("points") == 3);
  CHECK(json.at("over").at(0).at("parameter") == "j");
  CHECK(json.at("counts") == nlohmann::json{{"done", 2}, {"refused", 1}});
  CHECK(json.at("certificates") == nlohmann::json{{"yes", 2}});
  CHECK(json.at("interrupted") == false);
  REQUIRE(json.at("rows").size() == 3);
  CHECK(json.at("rows").at(0).at("final_wz_body_rad_s") == 3);
  CHECK(json.at("rows").at(1).at("half_count") == 1);
  CHECK(json.at("rows").at(2).at("ending") == "refused");
  CHECK(json.at("rows").at(2).at("final_wz_body_rad_s").is_null());
  CHECK(json.at("rows").at(2).at("reason").get<std::string>().find("no rigid body has these moments") !=
        std::string::npos);
  CHECK(work.count_files() == 1);
}

TEST_CASE("sweep answers bad input with one line and exit code 2, and leaves nothing behind") {
  const Workshop work;
  work.write("quick.toml", kSwept);
  work.write("plain.toml", "title = \"p\"\n[body]\nprincipal_moments = [1, 1, 1]\n[initial]\n[run]\nduration = 1\n");
  work.write("wrong.toml", std::string(kSwept) + "steps = 3\n");
  const std::vector<std::pair<const char*, const char*>> corpus{
      {"sweep nothing.toml --over a=1:2:2", "cannot read 'nothing.toml': No such file or directory"},
      {"sweep quick.toml", "nothing to sweep over; wanted: --over NAME=FROM:TO:COUNT"},
      {"sweep quick.toml --over spin", "'spin': no NAME= in front"},
      {"sweep quick.toml --over spun=1:2:2", "unknown parameter 'spun'; known: spin j; did you mean 'spin'?"},
      {"sweep quick.toml --over spin=1:2:2 --columns wx_body_rad", "did you mean 'wx_body_rad_s'?"},
      {"sweep quick.toml --over spin=1:2:2 --format aem", "unknown format 'aem'"},
      {"sweep quick.toml --over spin=1:2:2 --json --csv -", "--json and '--csv -' both want standard output"},
      {"sweep quick.toml --over spin=1:2:2000000", "a grid has at most 1000000 points"},
      {"sweep quick.toml --over j=3:9:3", "quick.toml:6:21: no rigid body has these moments"},
      {"sweep plain.toml --over spin=1:2:2", "no parameter 'spin': the scenario has no [parameters]"},
      {"sweep wrong.toml --over spin=1:2:2", "wrong.toml:14:1: unknown key 'steps'"},
      {"sweep quick.toml --over spin=1:2:2 -o /proc/none", "cannot make the folder '/proc/none'"},
  };
  for (const auto& [arguments, message] : corpus) {
    CAPTURE(arguments);
    const auto result = work.polhode(arguments);
    CHECK(result.status == 2);
    CHECK(result.out.empty());
    CHECK(result.err.find(message) != std::string::npos);
    CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
  }
  CHECK(work.count_files() == 3);
}

TEST_CASE("Ctrl-C leaves a table and a page of what was swept, and exits with 130") {
  const Workshop work;
  std::string longer = kSwept;
  longer.replace(longer.find("duration = 2"), 12, "duration = 5000");
  work.write("long.toml", longer);
  const auto hit = work.interrupted("sweep long.toml --over spin=1:100:100000 --threads 2");
  CHECK(hit.status == 130);
  CHECK(hit.out.find("interrupted after ") != std::string::npos);
  const std::string csv = work.read("long.sweep/sweep.csv");
  CHECK(csv.find("\n# interrupted: ") != std::string::npos);
  CHECK(csv.ends_with(" of 100000 points\n"));
  CHECK(csv.find("\npoint,spin,ending,") != std::string::npos);
  CHECK(rows_of(csv).size() < 100000);
  CHECK(work.read("long.sweep/sweep.html").find("Interrupted after ") != std::string::npos);
  CHECK(work.read("long.sweep/manifest.json").find("\"sweep.html\"") != std::string::npos);
}

TEST_CASE("the commands in docs/sweep.md print what the page says") {
  const Workshop work;
  const std::string page = swept_source("docs/sweep.md");
  const std::string fence = "```toml\n";
  const std::size_t begin = page.find(fence);
  REQUIRE(begin != std::string::npos);
  work.write("pendulum.toml",
             page.substr(begin + fence.size(), page.find("```\n", begin + fence.size()) - begin - fence.size()));
  const std::vector<PageCommand> commands = console_of(page);
  for (const auto& [command, expected] : commands) {
    CAPTURE(command);
    const Workshop::Result result = work.command(command);
    CHECK(result.out + without_next(result.err) == expected);
  }
  CHECK(commands.size() >= 2);
}
