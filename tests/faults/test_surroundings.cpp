// What surrounds a command: little memory, few threads, small files, another locale, odd names, folders in the way,
// a reader that leaves, another command at the same work.
#include "faulty_run.h"

#include <algorithm>
#include <cstdlib>

namespace {

bool is_one_line(const std::string& err) {
  return err.starts_with("polhode: ") && std::count(err.begin(), err.end(), '\n') == 1;
}

/// 60 000 bodies: some hundred MB.
const char* const kManyBodies =
    "title = \"many\"\n[[bodies]]\nname = \"rod{i}\"\ncopies = 60000\ncopy_offset = [1, 0, 0]\nmass = 1\n"
    "principal_moments = [1, 1, 1]\n[[joints]]\nname = \"pin{i}\"\ncopies = 60000\ncopy_offset = [1, 0, 0]\n"
    "kind = \"spherical\"\nbodies = [\"ground\", \"rod{i}\"]\npoint = [0, 0, 0]\n[run]\nduration = 1\n";

FolderBytes bytes_in(const Workshop& work, const std::string& folder) {
  FolderBytes found;
  for (const auto& entry : std::filesystem::directory_iterator(work.path() / folder)) {
    const std::string name = entry.path().filename().string();
    if (name != ".polhode-lock") { found[name] = polhode::test::text_of(entry.path()); }
  }
  return found;
}

std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) { quoted += c == '\'' ? "'\\''" : std::string(1, c); }
  return quoted + "'";
}

}  // namespace

TEST_CASE("too little memory is told in one line with exit code 1") {
  const Workshop work;
  work.write("many.toml", kManyBodies);
  for (const char* kilobytes : {"100000", "200000"}) {
    for (const std::string command : {"run many.toml -q -o d", "check many.toml -q"}) {
      CAPTURE(std::string(kilobytes));
      CAPTURE(command);
      const auto result = work.command("ulimit -v " + std::string(kilobytes) + "; polhode " + command);
      CHECK(result.status == 1);
      CHECK(is_one_line(result.err));
      CHECK(result.err.find("not enough memory") != std::string::npos);
    }
  }
}

TEST_CASE("a sweep and a comparison that get no threads beside the first give the same bytes") {
  const Workshop work;
  work.write("x.toml", kSpinningBody);
  for (const std::string command :
       {"sweep x.toml --over spin=1:3:20 -q --threads 8 -o ", "compare x.toml --formulation f1,f5 --no-times -q -o "}) {
    CAPTURE(command);
    REQUIRE(work.polhode(command + "whole").status == 0);
    // the stack of a thread takes more than is left
    const auto few = work.command("ulimit -v 100000; polhode " + command + "few");
    CAPTURE(few.err);
    CHECK(few.status == 0);
    CHECK((bytes_in(work, "few") == bytes_in(work, "whole")));
    work.command("rm -rf few whole");
  }
}

TEST_CASE("a file that may not grow further is told by name, and a run goes on when there is room") {
  const Workshop work;
  work.write("x.toml", kSpinningBody);
  REQUIRE(work.polhode("run x.toml -q -o whole").status == 0);
  for (const char* blocks : {"8", "20", "100"}) {  // of 512 bytes
    CAPTURE(std::string(blocks));
    const auto full = work.command("ulimit -f " + std::string(blocks) + "; polhode run x.toml -q -o d");
    CHECK(full.status == 1);
    CHECK(is_one_line(full.err));
    CHECK(full.err.find("File too large") != std::string::npos);
    CHECK(full.err.find("d/") != std::string::npos);
    CHECK(work.polhode("run x.toml -q -o d --resume").status == 0);
    CHECK((bytes_in(work, "d") == bytes_in(work, "whole")));
    work.command("rm -rf d");
  }
}

TEST_CASE("a reader that leaves ends a command quietly, whatever it was writing") {
  const Workshop work;
  work.write("x.toml", kSpinningBody);
  std::string rows;
  for (int i = 0; i < 20000; ++i) { rows += "0.6 0 0.8 0\n"; }
  work.write("rows", rows);
  REQUIRE(work.polhode("run x.toml -q -o whole").status == 0);
  for (const std::string command : {"convert --from quaternion_wxyz --to matrix -i rows", "convert whole --to csv",
                                    "list", "sweep x.toml --over spin=1:3:200 --csv - --no-report"}) {
    CAPTURE(command);
    const auto result = work.command("{ polhode " + command + " -q; echo $? >status; } | head -n 1");
    CHECK(result.status == 0);
    CHECK(result.err.empty());
    CHECK(std::count(result.out.begin(), result.out.end(), '\n') == 1);
    const std::string status = work.read("status");
    CHECK((status == "141\n" || status == "0\n"));  // 0: the pipe held all of it
  }
}

TEST_CASE("a locale with a decimal comma changes no byte") {
  const Workshop work;
  // made here, where it is not installed
  if (work.command("localedef -i de_DE -f UTF-8 ./de_DE.UTF-8 >made 2>&1; test -e de_DE.UTF-8/LC_NUMERIC").status !=
      0) {
    MESSAGE("left out: localedef cannot make de_DE.UTF-8 here");
    return;
  }
  const std::string german = "LOCPATH=" + shell_quoted(work.path().string()) + " LC_ALL=de_DE.UTF-8 ";
  REQUIRE(work.command(german + "locale decimal_point").out == ",\n");
  work.write("x.toml", kSpinningBody);
  work.write("arm.toml", kFaultyArm);
  work.write("rows", "0.6 0 0.8 0\n");
  for (const std::string command :
       {"run x.toml -q --format csv,json --set spin=1.5 -o ", "sweep x.toml --over spin=1.5:2.5:3 -q -o ",
        "compare x.toml --formulation f1 --no-times -q -o "}) {
    CAPTURE(command);
    const auto plain = work.polhode(command + "d");
    REQUIRE(plain.status == 0);
    const FolderBytes whole = bytes_in(work, "d");
    work.command("rm -rf d");
    const auto local = work.command(german + "polhode " + command + "d");
    CHECK(local.status == 0);
    CHECK(local.out == plain.out);
    CHECK((bytes_in(work, "d") == whole));
    work.command("rm -rf d");
  }
  for (const std::string command : {"convert --from quaternion_wxyz --to euler:3-2-1 --deg -i rows -q",
                                    "linearize arm.toml -q", "check arm.toml -q", "draw 3-1-3 -o -"}) {
    CAPTURE(command);
    const auto plain = work.polhode(command);
    const auto local = work.command(german + "polhode " + command);
    CHECK(local.status == plain.status);
    CHECK(local.out == plain.out);
    CHECK(local.err == plain.err);
  }
}

TEST_CASE("names with blanks, quotes, newlines, other alphabets, dashes in front and of any length work") {
  const Workshop work;
  const std::string longest(200, 'n');
  for (const std::string& name : {std::string("a name"), std::string("it's \"it\""), std::string("two\nlines"),
                                  std::string("приц\xc3\xa9ssion"), std::string("-dash"), longest}) {
    CAPTURE(name);
    work.write(name + ".toml", kSpinningBody);
    work.write(name + ".rows", "0.6 0 0.8 0\n");
    const std::string at = "./";  // a name with a dash in front is a path like this, as everywhere
    const auto file = [&](const std::string& end) { return shell_quoted(at + name + end); };
    CHECK(work.polhode("run " + file(".toml") + " -q").status == 0);
    CHECK(work.polhode("run " + file(".toml") + " -q --resume").status == 0);
    CHECK(work.exists(name + ".run/results.csv"));
    CHECK(work.polhode("sweep " + file(".toml") + " --over spin=1:2:2 -q -o " + file(".grid")).status == 0);
    CHECK(work.exists(name + ".grid/sweep.csv"));
    CHECK(work.polhode("convert --from quaternion_wxyz --to matrix -q -i " + file(".rows") + " -o " + file(".out"))
              .status == 0);
    CHECK(work.exists(name + ".out"));
  }
  // longer than a name may be: one line, nothing left
  const auto refused = work.polhode("run -q x.toml -o " + std::string(300, 'n'));
  CHECK(refused.status == 2);
  CHECK(is_one_line(refused.err));
}

TEST_CASE("a folder in the place of a file and a file in the place of a folder are told by name") {
  const Workshop work;
  work.write("x.toml", kSpinningBody);
  work.write("arm.toml", kFaultyArm);
  work.write("rows", "0.6 0 0.8 0\n");
  work.command("mkdir folder; echo mine >file; ln -s nowhere/at/all dangling; ln -s circle circle");
  for (const auto& [command, blamed] :
       {std::pair{"run folder -q", "'folder' is a folder"}, std::pair{"run x.toml -q -o file", "'file'"},
        std::pair{"run x.toml -q -o file/below", "'file/below'"},
        std::pair{"sweep x.toml --over spin=1:2:2 -q -o file", "'file'"},
        std::pair{"compare x.toml -q -o file", "'file'"}, std::pair{"run circle -q", "'circle'"},
        std::pair{"convert --from quaternion_wxyz --to matrix -i rows -o folder", "'folder'"},
        std::pair{"convert --from quaternion_wxyz --to matrix -i rows -o file/below", "'file/below'"},
        std::pair{"convert --from quaternion_wxyz --to matrix -i rows -o dangling", "'dangling'"},
        std::pair{"linearize arm.toml -q -o folder/none/model.m", "'folder/none/model.m'"}}) {
    CAPTURE(std::string(command));
    const auto result = work.polhode(command);
    CAPTURE(result.err);
    CHECK(result.status == 2);
    CHECK(is_one_line(result.err));
    CHECK(result.err.find(blamed) != std::string::npos);
    CHECK(work.read("file") == "mine\n");
    CHECK(std::filesystem::is_empty(work.path() / "folder"));
  }
}

TEST_CASE("a folder that may not be written into is told by name, and nothing is left in it") {
  const Workshop work;
  work.write("x.toml", kSpinningBody);
  work.command("mkdir locked; chmod 755 . ; chmod 555 locked");
  // root may write anywhere: then the command is run as nobody
  const std::string as_user = geteuid() == 0 ? "setpriv --reuid 65534 --regid 65534 --clear-groups " : "";
  if (work.command(as_user + "polhode --version").status != 0) {
    MESSAGE("left out: the program cannot be run here as a user without rights");
    return;
  }
  for (const std::string command :
       {"run x.toml -q -o locked", "run x.toml -q -o locked/below", "sweep x.toml --over spin=1:2:2 -q -o locked",
        "draw 3-1-3 -q -o locked/cans.svg"}) {
    CAPTURE(command);
    const auto result = work.command(as_user + "polhode " + command);
    CAPTURE(result.err);
    CHECK(result.status == 2);
    CHECK(is_one_line(result.err));
    CHECK(result.err.find("Permission denied") != std::string::npos);
    CHECK(result.err.find("'locked") != std::string::npos);
    CHECK(std::filesystem::is_empty(work.path() / "locked"));
  }
}

TEST_CASE(
    "a sweep in a folder keeps others out, and what it has not finished is discarded only when that is asked for") {
  const Workshop work;
  std::string text = kSpinningBody;
  text.replace(text.find("duration = 2"), 12, "duration = 200");
  work.write("x.toml", text);
  work.write("y.toml", kSpinningBody);
  const std::string sweep = "sweep x.toml --over spin=1:3:400 -q --threads 1";
  const std::string busy =
      "polhode " + sweep +
      " -o d & sweep=$!; until [ -e d/sweep.plog ] && [ $(stat -c %s d/sweep.plog) -gt 20000 ]; do "
      "sleep 0.01; done; kill -STOP $sweep; ";
  const auto both = work.command(busy + "polhode " + sweep +
                                 " -o d; polhode run y.toml -q -o d; kill -KILL $sweep; "
                                 "wait $sweep; true");
  CHECK(both.err.find("another command is writing there") != both.err.rfind("another command is writing there"));
  const std::string log = work.read("d/sweep.plog");
  const auto refused = [&](const std::string& arguments, const std::string& message) {
    CAPTURE(arguments);
    const auto result = work.polhode(arguments + " -o d");
    CHECK(result.status == 2);
    CHECK(result.err == "polhode: " + message + "\n");
    CHECK((work.read("d/sweep.plog") == log));
  };
  refused(
      sweep,
      "'d' holds a sweep that did not come to its end; go on with it by --resume, choose another folder with -o, or "
      "discard it with --overwrite");
  refused("run y.toml -q",
          "'d' holds a sweep of '../x.toml' that did not come to its end; go on with it by polhode sweep --resume and "
          "its own scenario, choose another folder with -o, or discard it with --overwrite");
  refused("compare x.toml --formulation f1 -q",
          "'d' holds a sweep of '../x.toml' that did not come to its end; go on with it by polhode sweep --resume, "
          "choose another folder with -o, or discard it with --overwrite");
  const std::string other = "start anew with --overwrite in place of --resume, or choose another folder with -o";
  refused(sweep + " --certify --resume", "d/sweep.plog is the log of another choice of --certify; " + other);
  refused("sweep x.toml --over spin=1:3:401 -q --resume", "d/sweep.plog is the log of another grid (--over); " + other);
  refused("sweep y.toml --over spin=1:3:400 -q --resume", "d/sweep.plog is the log of another scenario; " + other);
  refused(sweep + " --resume --overwrite",
          "--resume goes on with what is in the folder and --overwrite discards it; give one of them");
  CHECK(work.polhode("sweep y.toml --over spin=1:3:3 -q --overwrite -o d").status == 0);
  CHECK_FALSE(work.exists("d/sweep.plog"));
  // and the other way round
  text.replace(text.find("duration = 200"), 14, "duration = 20000");
  work.write("long.toml", text);
  work.command(
      "rm -rf d; polhode run long.toml -q -o d & run=$!; until [ -e d/run.plog ] && [ $(stat -c %s d/run.plog) -gt "
      "20000 ]; do sleep 0.01; done; kill -KILL $run; wait $run; true");
  const auto kept = work.polhode("sweep long.toml --over spin=1:3:3 -q -o d");
  CHECK(kept.status == 2);
  CHECK(
      kept.err ==
      "polhode: 'd' holds a run of '../long.toml' that did not come to its end; go on with it by polhode run --resume, "
      "choose another folder with -o, or discard it with --overwrite\n");
}

TEST_CASE("a sweep that was interrupted goes on where it was") {
  const Workshop work;
  std::string text = kSpinningBody;
  text.replace(text.find("duration = 2"), 12, "duration = 20");
  work.write("x.toml", text);
  const std::string sweep = "sweep x.toml --over spin=1:3:300 --threads 2";
  REQUIRE(work.polhode(sweep + " -q -o whole").status == 0);
  const auto hit = work.interrupted(sweep + " -o d");
  REQUIRE(hit.status == 130);
  CHECK(hit.err.find("Next: polhode " + sweep.substr(0, sweep.find(" --threads")) + " -o d --resume\n") !=
        std::string::npos);
  CHECK(work.read("d/manifest.json").find("\"finished\": false") != std::string::npos);
  CHECK(work.polhode(sweep + " -q -o d --resume").status == 0);
  CHECK((bytes_in(work, "d") == bytes_in(work, "whole")));
}
