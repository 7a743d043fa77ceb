// Result files as a user meets them: run --format, convert RESULT --to FORMAT, kills, full disks, broken files.
#include "support/run_program.h"
#include "support/small_results.h"

#include <fcntl.h>
#include <sys/file.h>
#include <nlohmann/json.hpp>

using namespace polhode;

namespace {

const char* const kScenario = R"(title = "short"
epoch = "2026-01-31T12:00:00"
[aem]
object_name = "CRATE"
object_id = "2026-001A"
[body]
principal_moments = [1, 2, 3]
[initial]
w_body = [0.3, 1, -0.4]
[run]
duration = 20
output_interval = 0.02
[[event]]
name = "turn"
rate_body = "x"
)";

/// 10^5 rows: long enough to be killed or to fill a disk.
std::string long_scenario() {
  std::string text = kScenario;
  text.replace(text.find("duration = 20"), 13, "integrator = \"gauss4\"\nstep = 0.02\nduration = 2000");
  return text;
}

std::vector<std::string> formats() {
  return small_results::has_hdf5() ? std::vector<std::string>{"csv", "hdf5", "json", "aem"}
                                   : std::vector<std::string>{"csv", "json", "aem"};
}
std::string file_of(const std::string& format) { return "results." + (format == "hdf5" ? std::string("h5") : format); }

}  // namespace

TEST_CASE("a run writes every format, and convert makes the same bytes from the log and from each other") {
  const Workshop work;
  work.write("short.toml", kScenario);
  std::string list;
  for (const std::string& format : formats()) { list += (list.empty() ? "" : ",") + format; }
  REQUIRE(work.polhode("run short.toml -q --format " + list).status == 0);
  for (const std::string& to : formats()) {
    for (const std::string& from : formats()) {
      CAPTURE(from);
      CAPTURE(to);
      if (from == "aem" && to != "aem") { continue; }  // has less than the others
      const auto done = work.polhode("convert short.run/" + file_of(from) + " --to " + to + " -o out");
      CHECK(done.status == 0);
      CHECK((work.read("out") == work.read("short.run/" + file_of(to))));
    }
    CHECK(work.polhode("convert short.run --to " + to + " -o out").status == 0);
    CHECK((work.read("out") == work.read("short.run/" + file_of(to))));
  }
  const std::string aem = work.read("short.run/results.aem");
  CHECK(aem.find("\nOBJECT_NAME = CRATE\nOBJECT_ID = 2026-001A\nREF_FRAME_A = EME2000\n") != std::string::npos);
  CHECK(aem.find("\nCREATION_DATE = 2026-01-31T12:00:00\n") != std::string::npos);
  CHECK(work.polhode("convert short.run --to csv").out == work.read("short.run/results.csv"));
  const auto summary = nlohmann::json::parse(work.polhode("convert short.run/results.csv --to aem -o out --json").out);
  CHECK(summary.at("rows") == 1001);
  CHECK(summary.at("input_format") == "csv");
  CHECK(summary.at("events").get<int>() > 0);
  CHECK(summary.at("last_t_s") == 20);
  CHECK(summary.at("left_out").size() > 5);
  const auto said = work.polhode("convert short.run/results.csv --to aem -o out").err;
  CHECK(said.find("1001 rows") != std::string::npos);
  CHECK(said.find("aem has no room for wx_body_rad_s wy_body_rad_s") != std::string::npos);
}

TEST_CASE("a message needs a date: the scenario's, or one that convert is given") {
  const Workshop work;
  std::string text = kScenario;
  text.erase(text.find("epoch"), text.find("[aem]") - text.find("epoch"));
  work.write("short.toml", text);
  const auto refused = work.polhode("run short.toml --format aem");
  CHECK(refused.status == 2);
  CHECK(refused.err.find("times of an AEM are dates, and this result has no epoch; give the date of t = 0") !=
        std::string::npos);
  CHECK_FALSE(work.exists("short.run"));
  CHECK(work.polhode("run short.toml -q").status == 0);
  CHECK(work.polhode("convert short.run --to aem -o a.aem").status == 2);
  CHECK_FALSE(work.exists("a.aem"));
  CHECK(work.polhode("convert short.run --to aem -o a.aem --epoch 2016-12-31T23:59:60").status == 0);
  CHECK(work.read("a.aem").find("\nSTART_TIME = 2016-12-31T23:59:60\n") != std::string::npos);
  CHECK(work.polhode("convert short.run --to aem --epoch 2016-12-31").err.find("is no moment") != std::string::npos);
  CHECK(work.polhode("convert a.aem --to csv --epoch 2016-12-31T00:00:00")
            .err.find("has an epoch: 2016-12-31T23:59:60") != std::string::npos);
}

TEST_CASE("a killed run gives its results by convert, and leaves nothing that a later run does not take away") {
  const Workshop work;
  work.write("long.toml", long_scenario());
  REQUIRE(work.polhode("run long.toml -q -o whole").status == 0);
  const std::string whole = work.read("whole/results.csv");
  for (const char* delay : {"0.1", "0.25"}) {
    work.command("rm -rf cut");
    work.command(std::string("timeout --foreground -s KILL ") + delay + " polhode run long.toml -q -o cut");
    if (!work.exists("cut/run.plog") || work.exists("cut/results.csv")) { continue; }
    const auto done = work.polhode("convert cut --to csv -o cut.csv");
    if (done.status != 0) { continue; }  // killed before the header was on the disk
    const std::string csv = work.read("cut.csv");
    CHECK((whole.starts_with(csv)));
    // killed while the results were written, the log is whole
    const bool warned =
        done.err.find("warning: cut/run.plog is the log of a run that did not reach its end") != std::string::npos;
    CHECK(warned == (csv.size() < whole.size()));
  }
  // what a kill while results were written would leave
  work.command("mkdir -p old && echo half >old/results.csv.polhode-part && echo half >old/results.json.polhode-part");
  REQUIRE(work.polhode("run long.toml -q -o old").status == 0);
  CHECK_FALSE(work.exists("old/results.csv.polhode-part"));
  CHECK_FALSE(work.exists("old/results.json.polhode-part"));
  CHECK((work.read("old/results.csv") == whole));
  // one that somebody is writing now stays, and is not written over
  work.command("echo theirs >old/results.json.polhode-part");
  const int theirs = open((work.path() / "old/results.json.polhode-part").c_str(), O_WRONLY | O_CLOEXEC);
  REQUIRE(flock(theirs, LOCK_EX | LOCK_NB) == 0);
  const auto busy = work.polhode("convert old --to json -o old/results.json");
  CHECK(busy.status == 2);
  CHECK(busy.err.find("'old/results.json' is being written by another command") != std::string::npos);
  CHECK(work.read("old/results.json.polhode-part") == "theirs\n");
  close(theirs);
  CHECK(work.polhode("convert old --to json -o old/results.json").status == 0);
  CHECK_FALSE(work.exists("old/results.json.polhode-part"));
}

TEST_CASE(
    "a full disk ends a run with 1, the file and the cause; what was written is readable and can be gone on from") {
  const Workshop work;
  work.write("long.toml", long_scenario());
  REQUIRE(work.polhode("run long.toml -q -o whole").status == 0);
  // files may not grow beyond 2048 blocks of 512 bytes
  const auto full = work.command("ulimit -f 2048; polhode run long.toml -q -o full");
  CHECK(full.status == 1);
  CHECK(
      full.err ==
      "polhode: cannot write full/run.plog: File too large; what was written so far is readable; make room, then go on "
      "with --resume\n");
  const auto rows = nlohmann::json::parse(work.polhode("convert full --to csv -o full.csv --json").out);
  CHECK(rows.at("rows").get<int>() > 1000);
  CHECK((work.read("whole/results.csv").starts_with(work.read("full.csv"))));
  CHECK(work.polhode("run long.toml -q --resume -o full").status == 0);
  CHECK((work.read("full/results.csv") == work.read("whole/results.csv")));
  // while a result is made
  for (const std::string& format : formats()) {
    CAPTURE(format);
    const auto half = work.command("ulimit -f 2048; polhode convert whole --to " + format + " -o half");
    CHECK(half.status == 1);
    CHECK(half.err.find("File too large") != std::string::npos);
    CHECK(half.err.find("half") != std::string::npos);
    CHECK_FALSE(work.exists("half"));
    CHECK_FALSE(work.exists("half.polhode-part"));
  }
}

TEST_CASE("no broken result makes the program crash or leave anything behind") {
  const Workshop work;
  const small_results::Folder folder;
  const std::vector<small_results::Broken> corpus = small_results::broken_results(folder);
  for (const small_results::Broken& broken : corpus) {
    CAPTURE(broken.name);
    small_results::write_bytes((work.path() / "broken").string(), broken.bytes);
    const auto result = work.polhode("convert broken --to json -o out");
    CHECK(result.status == 2);
    CHECK(result.out.empty());
    CHECK(result.err.starts_with("polhode: "));
    std::string wanted = broken.says;
    if (const std::size_t at = wanted.find('%'); at != std::string::npos) { wanted.replace(at, 1, "broken"); }
    CHECK(result.err.find(wanted) != std::string::npos);
    CHECK(work.count_files() == 1);
  }
}

TEST_CASE("a wrong command line for results is answered with the right one") {
  const Workshop work;
  work.write("a.csv", small_results::kCsv);
  const auto refused = [&](const std::string& arguments, const std::string& message) {
    CAPTURE(arguments);
    const auto result = work.polhode("convert " + arguments);
    CHECK(result.status == 2);
    CHECK(result.err.substr(0, result.err.find('\n')) == "polhode: " + message);
  };
  refused("--to csv", "there is no result to convert; name it: polhode convert t-handle.run --to csv");
  refused("a.csv b.csv --to json", "2 names for one result; name one, such as t-handle.run");
  refused("a.csv -i b.csv --to json", "a result is named twice; leave out -i");
  refused("a.csv --to json --json", "with --json standard output holds the summary; give the result a file: -o FILE");
  CHECK(work.polhode("convert a.csv --to xml").err.starts_with("polhode: unknown format 'xml'; known: csv "));
  refused("absent --to xml", "--from is missing; both are needed, such as --from quaternion_wxyz --to euler:3-2-1");
  refused("absent --to csv", "cannot read 'absent': No such file or directory");
  if (small_results::has_hdf5()) {
    refused("a.csv --to hdf5", "HDF5 is written back and forth in a file, not to standard output; give -o FILE");
  }
  // the grammar of rotations is as it was
  CHECK(work.polhode("convert --from quaternion_wxyz --to matrix -q -- 1 0 0 0").out == "1 0 0 0 1 0 0 0 1\n");
}

TEST_CASE("the commands in docs/formats.md print what the page says, and its tables name every column and key") {
  const Workshop work;
  std::ifstream page(std::string(POLHODE_SOURCE_DIR) + "/docs/formats.md");
  REQUIRE(page.good());
  const std::string all(std::istreambuf_iterator<char>(page), {});
  const std::vector<PageCommand> commands = console_of(all);
  for (const auto& [command, expected] : commands) {
    CAPTURE(command);
    const Workshop::Result result = work.command(command);
    CHECK(result.out + without_next(result.err) == expected);
  }
  CHECK(commands.size() >= 5);
  for (const io::MessageKey& key : io::kMessageKeys) {
    CAPTURE(key.name);
    CHECK(all.find("| `" + std::string(key.name) + "` |") != std::string::npos);
  }
  for (const io::ResultWriter* writer : io::result_writers()) {
    CAPTURE(writer->name);
    CHECK(all.find("`" + std::string(writer->file_name) + "`") != std::string::npos);
  }
}
