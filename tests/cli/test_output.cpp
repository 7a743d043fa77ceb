// [output] of a scenario, as a user of polhode run meets it.
#include "support/run_program.h"

#include <nlohmann/json.hpp>

namespace {

const std::string kFewColumns = R"(title = "small"
epoch = "2026-01-31T12:00:00"
[body]
principal_moments = [1, 2, 3]
[initial]
w_body = [0.3, 1, -0.4]
[run]
duration = 2
tolerance = 1e-9
)";

}  // namespace

TEST_CASE("a run with files = false writes none and prints its summary, with peaks and certificate") {
  const Workshop work;
  work.write("small.toml", kFewColumns + "[output]\nfiles = false\n");
  const auto run = work.polhode("run small.toml --certify");
  CHECK(run.status == 0);
  CHECK(run.out.find("files: none") != std::string::npos);
  CHECK(run.out.find("largest rate: ") != std::string::npos);
  CHECK(run.out.find("certificate: yes") != std::string::npos);
  CHECK_FALSE(work.exists("small.run"));
  CHECK(work.polhode("run small.toml --resume").status == 2);
  // the same numbers as with files
  work.write("large.toml", kFewColumns);
  const auto with_files = nlohmann::json::parse(work.polhode("run large.toml --certify --json").out);
  const auto without = nlohmann::json::parse(work.polhode("run small.toml --certify --json").out);
  CHECK(without.at("files").empty());
  CHECK_FALSE(with_files.at("files").empty());
  CHECK(without.at("peaks") == with_files.at("peaks"));
  CHECK(without.at("certificate") == with_files.at("certificate"));
  CHECK(without.at("final") == with_files.at("final"));
}

TEST_CASE("a result without attitude is written, reported, converted and certified; only an AEM is refused") {
  const Workshop work;
  work.write("small.toml", kFewColumns + "[output]\ncolumns = [\"kinetic_J\", \"w*_rad_s\"]\n");
  const auto run = work.polhode("run small.toml --certify --svg --format csv,json");
  CAPTURE(run.err);
  CHECK(run.status == 0);
  CHECK(run.out.find("certificate: yes") != std::string::npos);
  const std::string csv = work.read("small.run/results.csv");
  CHECK(csv.find("\nt_s,wx_body_rad_s,wy_body_rad_s,wz_body_rad_s,kinetic_J,wx_space_rad_s,") != std::string::npos);
  CHECK(work.exists("small.run/report.html"));
  CHECK(work.exists("small.run/rates-body.svg"));
  CHECK_FALSE(work.exists("small.run/attitude.svg"));
  CHECK(work.polhode("convert small.run --to csv -o again.csv").status == 0);
  CHECK(work.read("again.csv") == csv);
  CHECK(work.polhode("convert small.run/results.json --to csv -o from-json.csv").status == 0);
  CHECK(work.read("from-json.csv") == csv);
  const auto aem = work.polhode("convert small.run --to aem -o small.aem");
  CHECK(aem.status == 2);
  CHECK(aem.err.find("this result has no column 'e0'") != std::string::npos);
  CHECK(work.polhode("run small.toml --format aem --overwrite").status == 2);
}

TEST_CASE("a column that there is not is told with its line and the nearest name") {
  const Workshop work;
  work.write("small.toml", kFewColumns + "[output]\ncolumns = [\"e0\",\n  \"kinetc_J\"]\n");
  const auto run = work.polhode("run small.toml");
  CHECK(run.status == 2);
  CHECK(run.err.find("small.toml:12:3: unknown column 'kinetc_J'") != std::string::npos);
  CHECK(run.err.find("did you mean 'kinetic_J'?") != std::string::npos);
}

TEST_CASE("a mechanism without poses is certified and converted; one body cannot be taken out of it") {
  const Workshop work;
  CHECK(work.polhode("new double-pendulum -q").status == 0);
  const std::string text = work.read("double-pendulum.toml");
  work.write("few.toml", text + "\n[output]\ncolumns = [\"kinetic_J\", \"*_unwrapped_rad\"]\n");
  const auto all = nlohmann::json::parse(work.polhode("run double-pendulum.toml --certify --json").out);
  const auto few = nlohmann::json::parse(work.polhode("run few.toml --certify --json").out);
  REQUIRE(all.at("certificate").at("attitude_error_rad").is_number());
  // whole turns are counted, which limits steps: not the same bits
  CHECK(few.at("certificate").at("verdict") == all.at("certificate").at("verdict"));
  CHECK(few.at("certificate").at("attitude_error_rad").is_number());
  CHECK(work.polhode("convert few.run --to csv -o again.csv").status == 0);
  CHECK(work.read("again.csv") == work.read("few.run/results.csv"));
  const auto body = work.polhode("convert few.run --to csv -o one.csv --body upper");
  CHECK(body.status == 2);
  CHECK(body.err.find("this result has no column 'upper.e0'") != std::string::npos);
}
