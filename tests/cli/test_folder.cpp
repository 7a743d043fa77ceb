// The folder of a run as a user meets it: kills, reruns, two at once, files of others, streams that fail.
#include "polhode/core/sha256.h"
#include "support/run_program.h"

#include <nlohmann/json.hpp>

#include <set>

namespace {

/// 10^6 rows; with a second title another scenario.
std::string endless(const std::string& title = "one") {
  return "title = \"" + title +
         "\"\n[body]\nprincipal_moments = [1, 2, 3]\n[initial]\nw_body = [0.3, 1, -0.4]\n[run]\nduration = 20000\n"
         "output_interval = 0.02\nintegrator = \"gauss4\"\nstep = 0.02\ncheckpoint_rows = 500\n";
}

/// The same with 1001 rows.
std::string brief(const std::string& title = "one") {
  std::string text = endless(title);
  return text.replace(text.find("20000"), 5, "20");
}

/// Shell: a run in the folder d that stands still in the middle; $run is its process.
std::string halted(const std::string& arguments) {
  return "polhode run " + arguments +
         " -o d -q & run=$!; until [ ! -e d/certificate.json ] && [ -e d/run.plog ] && [ $(stat -c %s d/run.plog) -gt "
         "100000 ]; do sleep 0.01; done; kill -STOP $run; ";
}
const char* const kKilled = "kill -KILL $run; wait $run; true";

std::set<std::string> files_in(const Workshop& work, const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(work.path() / folder)) {
    names.insert(entry.path().filename().string());
  }
  names.erase(".polhode-lock");
  return names;
}

nlohmann::json manifest_of(const Workshop& work, const std::string& folder) {
  return nlohmann::json::parse(work.read(folder + "/manifest.json"));
}

/// Whether the manifest lists every file but itself, with the bytes that it has.
bool lists_all(const Workshop& work, const std::string& folder) {
  std::set<std::string> names = files_in(work, folder);
  names.erase("manifest.json");
  const nlohmann::json manifest = manifest_of(work, folder);
  for (const auto& file : manifest.at("files")) {
    const std::string text = work.read(folder + "/" + file.at("name").get<std::string>());
    if (file.at("bytes") != text.size() || file.at("sha256") != polhode::sha256(text)) { return false; }
    names.erase(file.at("name"));
  }
  return names.empty();
}

}  // namespace

TEST_CASE("a folder holds the files of its last run and no others of ours, and its manifest lists them") {
  const Workshop work;
  work.write("x.toml", brief());
  REQUIRE(work.polhode("run x.toml -q -o d --format csv,json --svg").status == 0);
  CHECK(files_in(work, "d").size() > 6);
  CHECK(lists_all(work, "d"));
  const auto manifest = manifest_of(work, "d");
  CHECK(manifest.at("command") == "run");
  CHECK(manifest.at("scenario") == "../x.toml");
  CHECK(manifest.at("scenario_sha256") == polhode::sha256(brief()));
  CHECK(manifest.at("finished") == true);
  const auto certificate = nlohmann::json::parse(work.read("d/certificate.json"));
  CHECK(certificate.at("scenario_sha256") == polhode::sha256(brief()));

  work.write("d/notes.txt", "mine");
  work.write("d/results.csv.part", "mine too");
  work.write("y.toml", brief("two"));
  REQUIRE(work.polhode("run y.toml -q -o d --format json --no-report").status == 0);
  CHECK(files_in(work, "d") == std::set<std::string>{"run.plog", "results.json", "certificate.json", "manifest.json",
                                                     "notes.txt", "results.csv.part"});
  CHECK(work.read("d/notes.txt") == "mine");
  CHECK(work.read("d/results.csv.part") == "mine too");
  CHECK(manifest_of(work, "d").at("scenario_sha256") == polhode::sha256(brief("two")));

  // two runs have the same bytes, in the manifest too
  const std::string before = work.read("d/manifest.json");
  REQUIRE(work.polhode("run y.toml -q -o d --format json --no-report").status == 0);
  CHECK(work.read("d/manifest.json") == before);
}

TEST_CASE("a rerun that is killed leaves no certificate, result or report of the run before") {
  const Workshop work;
  work.write("x.toml", brief());
  work.write("long.toml", endless());
  REQUIRE(work.polhode("run x.toml -q -o d --format csv,json").status == 0);
  REQUIRE(work.exists("d/report.html"));
  work.command(halted("long.toml") + kKilled);
  CHECK(files_in(work, "d") == std::set<std::string>{"run.plog", "manifest.json"});
  CHECK(manifest_of(work, "d").at("finished") == false);
  CHECK(manifest_of(work, "d").at("scenario_sha256") == polhode::sha256(endless()));
}

TEST_CASE("the rows of an unfinished run are discarded only when that is asked for") {
  const Workshop work;
  work.write("long.toml", endless());
  work.write("x.toml", brief("two"));
  work.command(halted("long.toml") + kKilled);
  const std::string log = work.read("d/run.plog");
  const auto refused = [&](const std::string& arguments, const std::string& message) {
    CAPTURE(arguments);
    const auto result = work.polhode("run " + arguments + " -q -o d");
    CHECK(result.status == 2);
    CHECK(result.err == "polhode: " + message + "\n");
    CHECK((work.read("d/run.plog") == log));
  };
  refused("long.toml",
          "'d' holds a run that did not come to its end; go on with it by --resume, choose another folder with -o, or "
          "discard it with --overwrite");
  refused("x.toml",
          "'d' holds a run of '../long.toml' that did not come to its end; go on with it by --resume and its own "
          "scenario, choose another folder with -o, or discard it with --overwrite");
  refused("x.toml --resume",
          "d/run.plog is the log of another scenario; start anew with --overwrite in place of --resume, or choose "
          "another folder with -o");
  refused("long.toml --resume --overwrite",
          "--resume goes on with what is in the folder and --overwrite discards it; give one of them");
  // the same file with another text: neither way leads to the other
  work.write("long.toml", endless("three"));
  refused("long.toml",
          "'d' holds a run that did not come to its end, and the scenario has changed since; go on with it by --resume "
          "and the scenario as it was, choose another folder with -o, or discard it with --overwrite");
  refused("long.toml --resume",
          "d/run.plog is the log of another scenario; start anew with --overwrite in place of --resume, or choose "
          "another folder with -o");
  CHECK(work.polhode("run x.toml -q -o d --overwrite").status == 0);
  CHECK(lists_all(work, "d"));
}

TEST_CASE("a scenario whose name is not UTF-8 runs, and runs again into its folder") {
  const Workshop work;
  work.write("l\xe4.toml", brief());
  for (const char* arguments : {"", "", " --resume", " --json"}) {
    CAPTURE(arguments);
    const auto result = work.polhode("run l\xe4.toml -q" + std::string(arguments));
    CHECK(result.status == 0);
    CHECK(result.err.empty());
    CHECK(nlohmann::json::parse(work.read("l\xe4.run/certificate.json")).contains("verdict"));
    CHECK(manifest_of(work, "l\xe4.run").at("finished") == true);
  }
}

TEST_CASE("a named pipe in place of a log, a result or a mesh is refused and not waited for") {
  const Workshop work;
  work.write("x.toml", brief());
  work.write("mesh.toml",
             "title = \"m\"\n[body]\nshape = \"mesh\"\nfile = \"pipe.obj\"\nmass = 1\n[initial]\nw_body = [1, 0, 0]\n"
             "[run]\nduration = 1\n");
  REQUIRE(work.command("mkfifo pipe pipe.obj; mkdir d; mkfifo d/run.plog").status == 0);
  // 124 is what timeout ends with when a command waits for ever
  for (const char* arguments :
       {"convert pipe --to csv -o out.csv", "convert d --to csv -o out.csv", "draw pipe -o out.svg",
        "draw d -o out.svg", "run x.toml -o d --resume", "run mesh.toml"}) {
    CAPTURE(arguments);
    const auto result = work.command("timeout 60 polhode " + std::string(arguments));
    CHECK(result.status == 2);
    CHECK(result.err.starts_with("polhode: "));
  }
}

TEST_CASE("one run at a time writes into a folder: the second is refused, and the first ends as if it were alone") {
  const Workshop work;
  std::string text = endless();
  text.replace(text.find("20000"), 5, "4000");  // 2 10^5 rows
  work.write("long.toml", text);
  work.write("other.toml", endless("two"));
  REQUIRE(work.polhode("run long.toml -q -o alone --no-report").status == 0);
  const auto both = work.command(halted("long.toml --no-report") +
                                 "for more in 'long.toml --resume' other.toml 'other.toml --overwrite' long.toml; do "
                                 "polhode run $more -o d; echo $?; done; kill -CONT $run; wait $run; echo first $?");
  CHECK(both.out.substr(0, 8) == "2\n2\n2\n2\n");
  CHECK(both.out.ends_with("first 0\n"));
  const std::string line =
      "polhode: cannot write into the folder 'd': another command is writing there; wait for it, or choose another "
      "folder with -o\n";
  CHECK(both.err == line + line + line + line);
  CHECK((work.read("d/results.csv") == work.read("alone/results.csv")));
  CHECK((work.read("d/run.plog") == work.read("alone/run.plog")));
  CHECK(work.read("d/manifest.json") == work.read("alone/manifest.json"));
}

TEST_CASE("a log that lost rows while the run went on is told, and no table is made of it") {
  const Workshop work;
  std::string text = endless();
  text.replace(text.find("20000"), 5, "4000");
  work.write("long.toml", text);
  const auto cut = work.command(halted("long.toml --no-report") +
                                "truncate -s 50000 d/run.plog; kill -CONT $run; wait $run; echo $?");
  CHECK(cut.out == "1\n");
  CHECK(cut.err.find("rows, and the run gave out 200001; something else has written to the folder") !=
        std::string::npos);
  CHECK_FALSE(work.exists("d/results.csv"));
  CHECK(manifest_of(work, "d").at("finished") == false);
}

TEST_CASE("a file that is not ours is neither written over nor written through") {
  const Workshop work;
  work.write("x.toml", brief());
  const auto refused = [&](const std::string& options, const std::string& message) {
    CAPTURE(options);
    const auto result = work.polhode("run x.toml -q -o d " + options);
    CHECK(result.status == 2);
    CHECK(result.err.starts_with("polhode: " + message));
  };
  // somebody's table, of a name that this run would not even write
  work.command("mkdir d && echo theirs >d/results.json");
  refused("", "'d/results.json' is not a file that the last command left here; move it away, ");
  CHECK(work.read("d/results.json") == "theirs\n");
  CHECK_FALSE(work.exists("d/run.plog"));
  CHECK(work.polhode("run x.toml -q -o d --overwrite").status == 0);
  CHECK_FALSE(work.exists("d/results.json"));
  // ours, changed by hand
  work.command("echo more >>d/results.csv");
  refused("", "'d/results.csv' is not a file that the last command left here");
  CHECK(work.read("d/results.csv").ends_with("more\n"));
  CHECK(work.exists("d/certificate.json"));  // nothing was taken away before the refusal
  // links, also dangling and also of the log that is gone on with
  for (const std::string name : {"results.csv", "run.plog", "certificate.json", "manifest.json"}) {
    CAPTURE(name);
    work.command("rm -rf d; echo theirs >target");
    REQUIRE(work.polhode("run x.toml -q -o d").status == 0);
    work.command("cp d/" + name + " keep; mv d/" + name + " target; ln -s ../target d/" + name);
    refused("--overwrite", "'d/" + name + "' is not a plain file");
    CHECK((work.read("target") == work.read("keep")));
    if (name == "run.plog") {
      refused("--resume", "'d/run.plog' is not a plain file");
      CHECK((work.read("target") == work.read("keep")));
    }
  }
  // another program's manifest
  work.command("rm -rf d; mkdir d; echo '{\"name\": \"a web page\"}' >d/manifest.json");
  refused("", "'d/manifest.json' is not a file that the last command left here");
  // a manifest from elsewhere does not lead out of the folder
  work.command("rm -rf d; mkdir d");
  work.write("precious", "precious");
  work.write("d/manifest.json",
             R"({"format":"polhode folder 1","command":"run","version":"0","scenario":"","scenario_sha256":"",)"
             R"("finished":true,"files":[{"name":"../precious"}]})");
  refused("", "'d/manifest.json' is not a file that the last command left here");
  CHECK(work.polhode("run x.toml -q -o d --overwrite").status == 0);
  CHECK(work.read("precious") == "precious");
}

TEST_CASE("a stranger's file in the place of a plot is refused before anything is computed") {
  const Workshop work;
  work.write("x.toml", brief());
  REQUIRE(work.polhode("run x.toml -q -o all --no-report --svg").status == 0);
  std::size_t plots = 0;
  for (const std::string& name : files_in(work, "all")) {
    if (!name.ends_with(".svg")) { continue; }
    CAPTURE(name);
    ++plots;
    work.command("rm -rf d; mkdir d; echo theirs >d/" + name);
    const auto refused = work.polhode("run x.toml -q -o d --svg");
    CHECK(refused.status == 2);
    CHECK(refused.err.starts_with("polhode: 'd/" + name + "' is not a file that the last command left here"));
    CHECK(files_in(work, "d") == std::set<std::string>{name});
    CHECK(work.read("d/" + name) == "theirs\n");
  }
  CHECK(plots >= 7);
  // a plot that this run does not make, or was not asked for, is in nobody's way
  work.command("rm -rf d; mkdir d; echo theirs >d/path.svg");
  CHECK(work.polhode("run x.toml -q -o d --svg --overwrite").status == 0);
  CHECK(work.read("d/path.svg") == "theirs\n");
  work.command("rm -rf d; mkdir d; echo theirs >d/rates-body.svg");
  CHECK(work.polhode("run x.toml -q -o d").status == 0);
  CHECK(work.read("d/rates-body.svg") == "theirs\n");
}

TEST_CASE("two scenarios of one name in two folders do not share the default folder") {
  const Workshop work;
  work.command("mkdir a b");
  work.write("a/x.toml", brief());
  work.write("b/x.toml", brief("two"));
  REQUIRE(work.polhode("run a/x.toml -q").status == 0);
  const std::string log = work.read("x.run/run.plog");
  const auto refused = work.polhode("run b/x.toml -q");
  CHECK(refused.status == 2);
  CHECK(refused.err ==
        "polhode: 'x.run' belongs to another scenario, '../a/x.toml' as seen from there; choose another folder with "
        "-o, or write over it with --overwrite\n");
  CHECK((work.read("x.run/run.plog") == log));
  CHECK(work.command("cd a && polhode run ../b/../a/x.toml -q -o ../x.run").status == 0);  // the same file
  CHECK(work.polhode("run ./a/x.toml -q").status == 0);
  CHECK(work.polhode("run b/x.toml -q -o b.run").status == 0);
  CHECK(work.polhode("run b/x.toml -q --overwrite").status == 0);
  // and of comparisons
  const std::string few = " --formulation f1 --no-times -q";
  CHECK(work.polhode("compare a/x.toml" + few).status == 0);
  CHECK(lists_all(work, "x.compare"));
  CHECK(work.polhode("compare b/x.toml" + few).status == 2);
  work.command("echo theirs >x.compare/compare.csv");
  CHECK(work.polhode("compare a/x.toml" + few).status == 2);
  CHECK(work.read("x.compare/compare.csv") == "theirs\n");
}

TEST_CASE("no command writes over what it has read, whatever the output is called") {
  const Workshop work;
  work.polhode("new four-bar -q");
  work.polhode("new wing-nut -q");
  work.write("x.toml", brief());
  REQUIRE(work.polhode("run x.toml -q").status == 0);
  work.command(
      "cp x.run/results.csv l.csv; printf '1 0 0 0\\n0 1 0 0\\n' >rows; mkdir sub; ln -s ../rows sub/link; "
      "ln rows hard; ln -s l.csv soft.csv; ln -s four-bar.toml f.toml; ln -s x.run there");
  work.command("cp four-bar.toml chain.toml; cp examples/chain-arm.toml . 2>/dev/null; true");
  const std::string all = "cat four-bar.toml wing-nut.toml wing-nut.obj x.toml l.csv rows x.run/* | sha256sum";
  const std::string before = work.command(all).out;
  const std::string rotations = "convert --from quaternion_wxyz --to matrix ";
  for (const std::string& arguments :
       {std::string("draw four-bar.toml -o four-bar.toml"), std::string("draw four-bar.toml -o f.toml"),
        std::string("draw four-bar.toml -o ./sub/../four-bar.toml"), std::string("audit l.csv --page l.csv"),
        std::string("audit soft.csv --page l.csv"), std::string("audit - --page l.csv <l.csv"),
        std::string("compare x.toml --csv x.toml --formulation f1 --no-report"),
        std::string("compare wing-nut.toml --csv wing-nut.obj --formulation f1 --no-report"),
        rotations + "-i rows -o rows", rotations + "-i rows -o sub/link", rotations + "-i hard -o rows",
        rotations + "-i - -o rows <rows", rotations + "-i rows >>rows",
        std::string("convert l.csv --to json -o soft.csv"), std::string("convert x.run --to csv -o x.run/run.plog"),
        std::string("convert x.run --to csv -o there/run.plog"),
        std::string("convert x.run/results.csv --to json -o x.run/results.csv")}) {
    CAPTURE(arguments);
    const auto result = work.polhode(arguments);
    CHECK(result.status == 2);
    CHECK(result.err.find("it is an input of this command; choose another name for the output") != std::string::npos);
    CHECK(work.command(all).out == before);
  }
  // other names are free
  CHECK(work.polhode(rotations + "-i rows -o out -q").status == 0);
  CHECK(work.polhode(rotations + "-i rows -o out -q").status == 0);
}

TEST_CASE("a gallery writes over galleries, and over nothing else") {
  const Workshop work;
  work.command("mkdir -p g/t-handle; echo mine >g/t-handle/t-handle.toml; echo mine >g/index.html");
  const auto refused = work.polhode("gallery -o g");
  CHECK(refused.status == 2);
  CHECK(refused.err.find("'g/index.html' is not a file that the last command left here") != std::string::npos);
  work.command("rm g/index.html");
  CHECK(work.polhode("gallery -o g").err.find("'g/t-handle/t-handle.toml' is not a file") != std::string::npos);
  CHECK(work.read("g/t-handle/t-handle.toml") == "mine\n");
}

TEST_CASE("talk that cannot be written is dropped, and the command does its work") {
  const Workshop work;
  work.write("x.toml", brief());
  REQUIRE(work.polhode("run x.toml -q -o whole").status == 0);
  for (const std::string stream : {"2>&-", "2>/dev/full", "2>&- >&- <&-", "2>/dev/full >/dev/full"}) {
    CAPTURE(stream);
    const bool output = stream.find(" >") == std::string::npos;
    CHECK(work.command("polhode run x.toml -o d " + stream).status == (output ? 0 : 1));
    CHECK((work.read("d/results.csv") == work.read("whole/results.csv")));
    CHECK((work.read("d/run.plog") == work.read("whole/run.plog")));
    CHECK(lists_all(work, "d"));
    CHECK(work.command("polhode run nothing.toml " + stream).status == 2);
    CHECK(work.command("polhode lst " + stream).status == 2);
    CHECK(work.command("polhode list " + stream).status == (output ? 0 : 1));
  }
  // somebody listened to the talk and left
  CHECK(work.command("mkfifo talk; head -c 1 talk >/dev/null & polhode run x.toml -o d 2>talk").status == 0);
}

TEST_CASE("standard output that cannot be written is told, with exit code 1 and all files complete") {
  const Workshop work;
  work.write("x.toml", brief());
  REQUIRE(work.polhode("run x.toml -q -o whole").status == 0);
  for (const std::string arguments : {"run x.toml -q -o d", "list", "--help", "run --help", "--version"}) {
    CAPTURE(arguments);
    const auto closed = work.command("polhode " + arguments + " >&-");
    CHECK(closed.status == 1);
    CHECK(closed.err == "polhode: cannot write 'standard output': Bad file descriptor\n");
    const auto full = work.command("polhode " + arguments + " >/dev/full");
    CHECK(full.status == 1);
    CHECK(full.err == "polhode: cannot write 'standard output': No space left on device\n");
  }
  CHECK(lists_all(work, "d"));
  CHECK((work.read("d/results.csv") == work.read("whole/results.csv")));
}

TEST_CASE("a pipe that is no longer read ends a command quietly") {
  const Workshop work;
  work.write("x.toml", brief());
  REQUIRE(work.polhode("run x.toml -q -o whole").status == 0);
  for (const std::string arguments : {"run x.toml -q -o d", "list", "convert whole --to csv -q"}) {
    CAPTURE(arguments);
    // the reader has gone before the first byte
    const auto result = work.command("{ until [ -e gone ]; do sleep 0.01; done; polhode " + arguments +
                                     "; echo $? >status; } | { exec <&-; touch gone; }");
    CHECK(result.err.empty());
    CHECK(work.read("status") == "141\n");
    work.command("rm gone status");
  }
  CHECK(lists_all(work, "d"));
  CHECK((work.read("d/results.csv") == work.read("whole/results.csv")));
}

TEST_CASE("SIGTERM and SIGHUP close the log as Ctrl-C does, and the exit code tells which it was") {
  const Workshop work;
  work.write("long.toml", endless());
  work.write("x.toml", brief());
  for (const auto& [signal, status] : {std::pair{"TERM", 143}, std::pair{"HUP", 129}}) {
    CAPTURE(signal);
    const auto hit = work.interrupted(std::string("run long.toml -o d") + signal, signal);
    CHECK(hit.status == status);
    CHECK(hit.err.find(std::string("polhode run long.toml -o d") + signal + " --resume\n") != std::string::npos);
    CHECK(manifest_of(work, std::string("d") + signal).at("finished") == false);
    CHECK(work.polhode(std::string("convert d") + signal + " --to csv -o out -q").status == 0);
  }
}
