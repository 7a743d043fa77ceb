// polhode run and new, as a user meets them; runs that are killed and go on.
#include "support/run_program.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <random>

namespace {

/// Long enough to be interrupted: 10^5 rows with fixed steps.
const char* const kLong = R"(title = "long"
[body]
principal_moments = [1, 2, 3]
[initial]
w_body = [0.3, 1, -0.4]
[run]
duration = 2000
output_interval = 0.02
integrator = "gauss4"
step = 0.02
checkpoint_rows = 500
accuracy = 0.1
[[event]]
name = "turn"
rate_body = "x"
)";

}  // namespace

TEST_CASE("an example can be written, run and certified; the summary says what was seen and where the files are") {
  const Workshop work;
  CHECK(work.polhode("new t-handle").status == 0);
  CHECK(work.exists("t-handle.toml"));
  CHECK(work.polhode("new t-handle").status == 2);  // nothing is written over unasked
  CHECK(work.polhode("new t-handle --force").status == 0);
  CHECK(work.polhode("new t-handel").err.find("did you mean 't-handle'?") != std::string::npos);
  const auto run = work.polhode("run t-handle.toml --certify --format csv,json");
  CHECK(run.status == 0);
  CHECK(run.out.find("certificate: yes") != std::string::npos);
  CHECK(run.out.find("event 'flip': ") != std::string::npos);
  CHECK(run.out.find("half period of the exact motion") != std::string::npos);
  CHECK(run.err.find("Next: ") != std::string::npos);
  for (const char* name : {"run.plog", "results.csv", "results.json", "certificate.json"}) {
    CHECK(run.out.find(name) != std::string::npos);
    CHECK(work.exists(std::string("t-handle.run/") + name));
  }
  const std::string csv = work.read("t-handle.run/results.csv");
  CHECK(csv.starts_with("# polhode "));
  CHECK(csv.find("scalar first") != std::string::npos);
  CHECK(csv.find("T-handle: the flip of Dzhanibekov") != std::string::npos);
  CHECK(csv.find("\nt_s,e0,e1,e2,e3,wx_body_rad_s,") != std::string::npos);
  const auto results = nlohmann::json::parse(work.read("t-handle.run/results.json"));
  CHECK(results.at("rows").size() == 3001);
  CHECK(results.at("head").at("columns").size() == results.at("rows").at(0).size());
  CHECK(results.at("events").size() > 5);
  CHECK(nlohmann::json::parse(work.read("t-handle.run/certificate.json")).at("verdict") == "yes");
}

TEST_CASE("flips come at the half period that the exact motion has") {
  const Workshop work;
  work.polhode("new t-handle");
  const auto run = work.polhode("run t-handle.toml --json");
  const auto json = nlohmann::json::parse(run.out);
  const auto& times = json.at("events").at("flip");
  REQUIRE(times.size() > 5);
  const double half_period = json.at("half_period_of_exact_motion_s");
  for (std::size_t i = 1; i < times.size(); ++i) {
    const double interval = times[i].get<double>() - times[i - 1].get<double>();
    CHECK(interval == doctest::Approx(half_period).epsilon(1e-7));  // tolerance 1e-11, grown near the unstable axis
  }
  CHECK(json.at("certificate").at("verdict") == "not established");
  CHECK(json.at("end").at("ending") == "done");
}

TEST_CASE("two runs have the same bytes, and so has one that was killed, twice, and went on") {
  const Workshop work;
  work.write("long.toml", kLong);
  REQUIRE(work.polhode("run long.toml --quiet").status == 0);
  const std::string csv = work.read("long.run/results.csv");
  const std::string log = work.read("long.run/run.plog");
  const std::string certificate = work.read("long.run/certificate.json");
  const std::string page = work.read("long.run/report.html");
  REQUIRE(page.size() > 10'000);
  REQUIRE(csv.size() > 10'000'000);
  std::mt19937_64 random(7);
  int killed = 0;
  const int tries = std::getenv("POLHODE_LONG") != nullptr ? 100 : 3;
  for (int n = 0; n < tries; ++n) {
    const std::string folder = "k" + std::to_string(n);
    for (int kill = 0; kill < 2; ++kill) {
      const double delay = 0.02 + 0.0001 * static_cast<double>(random() % 3000);
      // in the foreground: timeout waits until the killed process is gone, and its lock with it
      const auto hit = work.command("timeout --foreground -s KILL " + std::to_string(delay) +
                                    " polhode run long.toml --resume -q -o " + folder);
      killed += hit.status != 0 ? 1 : 0;
      const std::string results = folder + "/results.csv";
      CHECK((!work.exists(results) || work.read(results) == csv));  // there whole, or not there
    }
    const auto rest = work.polhode("run long.toml --resume -q -o " + folder);
    CHECK(rest.status == 0);
    CHECK((work.read(folder + "/results.csv") == csv));
    CHECK((work.read(folder + "/run.plog") == log));
    CHECK(work.read(folder + "/certificate.json") == certificate);
    CHECK((work.read(folder + "/report.html") == page));
    work.command("rm -r " + folder);
  }
  CHECK(killed > 0);
}

TEST_CASE("Ctrl-C closes the log, says how to go on and exits with 130") {
  const Workshop work;
  work.write("long.toml", kLong);
  const auto hit = work.interrupted("run long.toml");
  CHECK(hit.status == 130);
  CHECK(hit.err.find("polhode run long.toml --resume") != std::string::npos);
  CHECK_FALSE(work.exists("long.run/results.csv"));
  CHECK(work.polhode("run long.toml --resume -q").status == 0);
  CHECK(work.exists("long.run/results.csv"));
}

TEST_CASE("what cannot be run is told, and nothing is left behind") {
  const Workshop work;
  CHECK(work.polhode("run nothing.toml").status == 2);
  work.write(
      "bad.toml",
      "title = \"x\"\n[body]\nprincipal_moments = [1, 2, 9]\n[initial]\nw_body = [1, 0, 0]\n[run]\nduration = 1\n");
  const auto bad = work.polhode("run bad.toml");
  CHECK(bad.status == 2);
  CHECK(bad.err.find("bad.toml:3:21") != std::string::npos);
  CHECK_FALSE(work.exists("bad.run"));
  work.write("long.toml", kLong);
  CHECK(work.polhode("run long.toml --format excel").err.find("unknown format 'excel'") != std::string::npos);
  CHECK_FALSE(work.exists("long.run"));
  CHECK(work.polhode("run long.toml -o /proc/none").status == 2);
  // a method that does not fit the form
  std::string odd = kLong;
  odd.replace(odd.find("gauss4"), 6, "splitting4\"\nformulation = \"f5");
  work.write("odd.toml", odd);
  CHECK(work.polhode("run odd.toml").err.find("needs exact flows") != std::string::npos);
  // the log of something else is not gone on with
  work.polhode("new game-crate");
  work.polhode("run game-crate.toml -q -o one");
  work.polhode("new tumbling-brick");
  CHECK(work.polhode("run tumbling-brick.toml -q --resume -o one").err.find("the log of another scenario") !=
        std::string::npos);
}

TEST_CASE("a run whose certificate says no exits with 1") {
  const Workshop work;
  std::string rough = kLong;
  rough.replace(rough.find("gauss4"), 6, "explicit-euler");
  rough.replace(rough.find("duration = 2000"), 15, "duration = 100 ");
  work.write("rough.toml", rough);
  const auto run = work.polhode("run rough.toml");
  CHECK(run.status == 1);
  CHECK(run.out.find("certificate: no") != std::string::npos);
}

TEST_CASE("a run that meets a NaN stops with the time, and no file holds one") {
  const Workshop work;
  const std::string scenario =
      "title = \"x\"\n[body]\nprincipal_moments = [1, 2, 3]\n[initial]\nw_body = [1, 0, 0]\n"
      "[[load]]\nkind = \"moment\"\nmoment_body = [\"sqrt(3 - t)\", 0, 0]\n[run]\nduration = 9\n";
  // the first step past 3 s sees it, or, for a method that looks nowhere but at its start, the rows inside that step
  for (const char* method :
       {"", "step = 0.25\nintegrator = \"gauss4\"\n", "step = 0.25\nintegrator = \"explicit-euler\"\n"}) {
    CAPTURE(method);
    work.write("moment.toml", scenario + method);
    for (const char* command : {"run moment.toml --no-report", "run moment.toml --no-report --resume"}) {
      const auto run = work.polhode(command);
      CHECK(run.status == 1);
      CHECK(run.out.find("not-finite at t = ") != std::string::npos);
      CHECK(run.out.find("the loads are not finite: tau_B = (nan 0 0) at t = 3") != std::string::npos);
      CHECK(work.read("moment.run/results.csv").find("nan") == std::string::npos);
    }
    CHECK(work.polhode("convert moment.run/run.plog --to csv").status == 0);
  }
  // at the start
  std::string at_once = scenario;
  at_once.replace(at_once.find("sqrt(3 - t)"), 11, "1/0");
  work.write("once.toml", at_once);
  CHECK(work.polhode("run once.toml --no-report").out.find("the loads are not finite: tau_B = (inf 0 0) at t = 0") !=
        std::string::npos);
}

TEST_CASE("check and run refuse the same start, with its location") {
  const Workshop work;
  const auto file = [&](const std::string& body, const std::string& run, const std::string& more = "") {
    work.write("one.toml",
               "title = \"x\"\n[body]\n" + body + "\n[run]\nduration = 1\n" + run + "\n[initial]\n" +
                   "w_body = [0.3, 1, -0.4]\neuler = { sequence = \"3-2-1\", angles_deg = [10, 90, 20] }\n" + more);
  };
  const std::string good = "principal_moments = [1, 2, 2.5]";
  const auto both_say = [&](const std::string& text) {
    const auto check = work.polhode("check one.toml");
    CAPTURE(check.out);
    CHECK(check.status == 1);
    CHECK(check.out.find("wrong: " + text) != std::string::npos);
    const auto run = work.polhode("run one.toml");
    CAPTURE(run.err);
    CHECK(run.status == 2);
    CHECK(run.err.find(text) != std::string::npos);
    CHECK_FALSE(work.exists("one.run"));
  };
  file(good, "formulation = \"a1:3-2-1\"");
  both_say("one.toml:6:15: formulation 'a1:3-2-1' cannot start here: the attitude is at its singularity");
  file(good, "formulation = \"f5\"\nintegrator = \"splitting4\"\nstep = 0.01");
  both_say("one.toml:7:14: integrator 'splitting4' needs exact flows");
  file(good, "integrator = \"taylor\"", "[[load]]\nkind = \"moment\"\nmoment_body = [\"abs(t)\", 0, 0]\n");
  both_say("one.toml:6:14: integrator 'taylor' needs Taylor series");
  file(good, "integrator = \"generalised-alpha-index3\"\nstep = 0.01");
  both_say("one.toml:6:14: integrator 'generalised-alpha-index3' needs constraints");
  // what a run stops at when it starts
  file(good, "", "[[load]]\nkind = \"moment\"\nmoment_body = [\"1/0\", 0, 0]\n");
  CHECK(work.polhode("check one.toml").out.find("wrong: the loads are not finite: tau_B = (inf 0 0) at t = 0") !=
        std::string::npos);
  // allowed on purpose
  file("principal_moments = [0.1, 0.2, 0.4]", "");
  both_say("one.toml:3:21: no rigid body has these moments");
  file("principal_moments = [0.1, 0.2, 0.4]\nallow_impossible_inertia = true", "");
  const auto check = work.polhode("check one.toml");
  CHECK(check.status == 0);
  CHECK(check.out.find("note: moments 0.1, 0.2, 0.4 kg m2 belong to no body") != std::string::npos);
  const auto run = work.polhode("run one.toml --certify");
  CHECK(run.status == 0);
  CHECK(run.out.find("certificate: yes") != std::string::npos);
}

namespace {

std::string one_body(const std::string& run, const std::string& more = "", const std::string& rate = "[1, 0.5, 0.2]") {
  return "title = \"x\"\n[body]\nprincipal_moments = [1, 2, 2.5]\n[initial]\nw_body = " + rate + "\n" + more +
         "[run]\n" + run + "\n";
}

}  // namespace

TEST_CASE("certifying never costs the results: a tolerance at rounding is not established, and the table is there") {
  const Workshop work;
  work.write("x.toml", one_body("duration = 2\ntolerance = 1e-14",
                                "[[load]]\nkind = \"moment\"\nmoment_body = [\"0.1*sin(t)\", 0, 0]\n"));
  const auto run = work.polhode("run x.toml --certify --no-report");
  CHECK(run.status == 0);
  CHECK(run.out.find("certificate: not established: no finer run can show the error") != std::string::npos);
  CHECK(work.exists("x.run/results.csv"));
}

TEST_CASE("after a no, Next names a step or tolerance that does, from what the file has") {
  const Workshop work;
  const auto next_of = [&](const std::string& text) {
    work.write("x.toml", text);
    const std::string err = work.polhode("run x.toml --certify --no-report").err;
    return err.substr(err.find("Next: "));
  };
  // rk4 at 0.1 s is off by some 1e-4: (5e-7/1e-4)^(1/4) of the step, and two digits of it
  const std::string coarse = one_body("duration = 20\nintegrator = \"rk4\"\nstep = 0.1");
  const std::string next = next_of(coarse);
  CHECK(next.starts_with("Next: step = 0.0"));
  CHECK(next.find(" in [run] of x.toml (it is 0.1), then polhode run x.toml --no-report --certify\n") !=
        std::string::npos);
  const std::string step = next.substr(6, next.find(" in [run]") - 6);
  const auto finer = one_body("duration = 20\nintegrator = \"rk4\"\n" + step);
  work.write("x.toml", finer);
  CHECK(work.polhode("run x.toml --certify --no-report").out.find("certificate: yes") != std::string::npos);
  const std::string by_tolerance = next_of(one_body("duration = 20\ntolerance = 1e-5"));
  CHECK(by_tolerance.starts_with("Next: tolerance = "));
  CHECK(by_tolerance.find("(it is 1e-05)") != std::string::npos);
  CHECK(next_of(one_body("duration = 20")).starts_with("Next: polhode compare x.toml"));
}

TEST_CASE("a run that explodes is told in short numbers, without loads that there are not, and one is one") {
  const Workshop work;
  for (const char* method : {"explicit-euler", "rk4", "dop853"}) {
    for (const char* rate : {"[1e3, 1e3, 1e3]", "[1e90, 1e90, 1e90]"}) {
      CAPTURE(std::string(method));
      CAPTURE(std::string(rate));
      work.write("x.toml", one_body(std::string("duration = 100\nintegrator = \"") + method + "\"" +
                                        (std::string(method) == "dop853" ? "" : "\nstep = 0.1"),
                                    "", rate));
      const auto run = work.polhode("run x.toml --certify --no-report");
      CHECK(run.out.find("-nan") == std::string::npos);
      CHECK(run.out.find("load") == std::string::npos);
      std::size_t digits = 0;
      for (const char c : run.out) {
        digits = c >= '0' && c <= '9' ? digits + 1 : 0;
        CHECK(digits < 20);
      }
    }
  }
  work.write("x.toml", one_body("duration = 1e-3\noutput_interval = 1e-3"));
  const auto one = work.polhode("run x.toml --no-report");
  CHECK(one.out.find(", 2 rows, 1 step (0 rejected), ") != std::string::npos);
}

TEST_CASE("what a program cannot read to an end is refused: a pipe without a writer, a file without an end") {
  const Workshop work;
  CHECK(work.command("mkfifo pipe").status == 0);
  const auto unwritten = work.polhode("run pipe");
  CHECK(unwritten.status == 2);
  CHECK(unwritten.err ==
        "polhode: 'pipe' is a pipe that no program writes to; start the program that writes to it first, or give a "
        "file\n");
  const auto endless = work.polhode("run /dev/zero");
  CHECK(endless.status == 2);
  CHECK(endless.err == "polhode: '/dev/zero' is longer than 64 MiB; a scenario has 16 MiB at most\n");
  // a pipe with one is a file
  work.write("x.toml", one_body("duration = 1"));
  CHECK(work.command("cat x.toml > pipe & polhode check pipe").status == 0);
}

TEST_CASE("more events than allowed are refused in one line") {
  const Workshop work;
  std::string events;
  for (int i = 0; i < 10'001; ++i) { events += "[[event]]\nname = \"e\"\nformula = \"t - 1\"\n"; }
  work.write("x.toml", one_body("duration = 1", events));
  const auto run = work.polhode("run x.toml");
  CHECK(run.status == 2);
  CHECK(run.err.find("10001 events; allowed: 10000") != std::string::npos);
  CHECK(std::count(run.err.begin(), run.err.end(), '\n') == 1);
}

TEST_CASE("a run for which there is not enough memory ends with 1 and one line that says so, and a small one runs") {
  const Workshop work;
  const auto chain = [](int links) {
    return "title = \"chain\"\n[gravity]\ng_space = [0, 0, -9.81]\n[[bodies]]\nname = \"b{i}\"\ncopies = " +
           std::to_string(links) +
           "\ncopy_offset = [0, 0, -1]\nshape = \"box\"\nmass = 1\nedges = [0.1, 0.1, 1]\n"
           "[[joints]]\nname = \"j{i}\"\ncopies = " +
           std::to_string(links - 1) +
           "\nkind = \"revolute\"\nbodies = [\"b{i}\", \"b{i+1}\"]\npoint = [0, 0, -0.5]\n"
           "copy_offset = [0, 0, -1]\naxis = [0, 1, 0]\n[run]\nduration = 0.001\noutput_interval = 0.001\n";
  };
  work.write("long.toml", chain(3000));
  work.write("short.toml", chain(3));
  const std::string little = "ulimit -v 200000; polhode run ";
  if (work.command(little + "short.toml -q").status != 0) { return; }  // a sanitizer takes more than that to start
  const auto run = work.command(little + "long.toml");
  CHECK(run.status == 1);
  CHECK(run.err.find("polhode: there is not enough memory for this") != std::string::npos);
  CHECK(std::count(run.err.begin(), run.err.end(), '\n') == 1);
  CHECK_FALSE(work.exists("long.run/manifest.json.polhode-part"));
}

TEST_CASE(
    "a log cut short is no result with a certificate, and what goes on from it is certified as the whole run is") {
  const Workshop work;
  work.write("x.toml", one_body("duration = 20\noutput_interval = 0.005\n"));
  REQUIRE(work.polhode("run x.toml --certify -q -o whole").status == 0);
  REQUIRE(work.polhode("run x.toml --certify -q -o cut").status == 0);
  const std::string certificate = work.read("whole/certificate.json");
  REQUIRE(certificate.find("\"verdict\": \"yes\"") != std::string::npos);
  const std::string log = work.read("cut/run.plog");
  std::filesystem::resize_file(work.path() / "cut/run.plog", log.size() / 2);
  // what is left of it says that it is cut
  const auto left = work.polhode("convert cut/run.plog --to csv -o left.csv --json");
  CAPTURE(left.out);
  CHECK((left.out + left.err).find("the log of a run that did not reach its end") != std::string::npos);
  CHECK(work.polhode("run x.toml --certify -q --resume -o cut").status == 0);
  CHECK(work.read("cut/certificate.json") == certificate);
  CHECK((work.read("cut/results.csv") == work.read("whole/results.csv")));
}
