// polhode run and check on mechanisms, as a user meets them.
#include "support/run_program.h"

#include <nlohmann/json.hpp>

#include <cmath>

TEST_CASE("a mechanism runs: summary, certificate, formats that give back the same, an AEM refused") {
  const Workshop work;
  CHECK(work.polhode("new four-bar").status == 0);
  const auto run = work.polhode("run four-bar.toml --no-report --format csv,json,hdf5 --certify");
  CAPTURE(run.err);
  CHECK(run.status == 0);
  CHECK(run.out.find("certificate: yes") != std::string::npos);
  CHECK(run.out.find("3 bodies, 4 joints") != std::string::npos);
  CHECK(run.out.find("work supplied") != std::string::npos);
  CHECK(run.out.find("constraints close loops") != std::string::npos);
  const std::string csv = work.read("four-bar.run/results.csv");
  CHECK(csv.find("\nt_s,crank.e0,crank.e1,") != std::string::npos);
  CHECK(csv.find("motor.turn_rad,motor.turn_rad_s,motor.fx_space_N,") != std::string::npos);
  for (const char* from : {"results.json", "results.h5", "run.plog"}) {
    CAPTURE(from);
    CHECK(work.polhode(std::string("convert four-bar.run/") + from + " --to csv -o again.csv -q").status == 0);
    CHECK((work.read("again.csv") == csv));
  }
  const auto refused = work.polhode("run four-bar.toml --format aem -o other");
  CHECK(refused.status == 2);
  CHECK(refused.err.find("this result has 3 bodies") != std::string::npos);
  CHECK_FALSE(work.exists("other"));
  CHECK(refused.err.find("--to aem --body crank") != std::string::npos);
  // one of its bodies is one object
  const std::string convert = "convert four-bar.run --epoch 2026-01-31T12:00:00 --to ";
  CHECK(work.polhode(convert + "aem --body coupler -o coupler.aem -q").status == 0);
  CHECK(work.read("coupler.aem").find("ATTITUDE_TYPE = QUATERNION") != std::string::npos);
  CHECK(work.polhode(convert + "csv --body coupler -o coupler.csv -q").status == 0);
  CHECK(work.read("coupler.csv").find("\nt_s,e0,e1,e2,e3,wx_body_rad_s,") != std::string::npos);
  const auto unknown = work.polhode(convert + "csv --body couple");
  CHECK(unknown.status == 2);
  CHECK(unknown.err.find("did you mean 'coupler'") != std::string::npos);
  const auto json = nlohmann::json::parse(work.polhode("run four-bar.toml --no-report --json -q").out);
  CHECK(json.at("joints") == 4);
  CHECK(json.at("final").at("motor").contains("turn"));
}

TEST_CASE("one body of a mechanism keeps the events, told with its own attitude and rate") {
  const Workshop work;
  work.polhode("new double-pendulum -q");
  REQUIRE(work.polhode("run double-pendulum.toml --no-report --format json -q").status == 0);
  const auto events_of = [&](const std::string& file) { return nlohmann::json::parse(work.read(file)).at("events"); };
  const auto all = events_of("double-pendulum.run/results.json");
  REQUIRE(all.size() >= 3);
  // the first body is the one that events are told with
  CHECK(work.polhode("convert double-pendulum.run --body upper --to json -o upper.json").err.find("warning") ==
        std::string::npos);
  CHECK(events_of("upper.json") == all);
  const auto done = work.polhode("convert double-pendulum.run --body lower --to json -o lower.json");
  CHECK(done.err.find("warning: attitude and rate of 'lower' at events lie between its rows: the result holds those of "
                      "the first body") != std::string::npos);
  const auto lower = events_of("lower.json");
  REQUIRE(lower.size() == all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    CAPTURE(i);
    for (const char* key : {"name", "row", "t_s"}) { CHECK(lower[i].at(key) == all[i].at(key)); }
    // the elbow passes zero: both rods have one attitude then, and rates of their own
    double cosine = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      cosine += lower[i].at("e")[k].get<double>() * all[i].at("e")[k].get<double>();
    }
    // between rows 0.01 s apart the angle is off by no more than 0.01²/8 of its second derivative, some 100 rad/s²
    CHECK(2 * std::acos(std::min(1.0, std::fabs(cosine))) < 2e-3);
    CHECK(std::fabs(lower[i].at("w_body_rad_s")[1].get<double>() - all[i].at("w_body_rad_s")[1].get<double>()) > 0.1);
  }
  // and through files that are converted again, and HDF5
  for (const char* format : {"csv", "hdf5"}) {
    if (std::string(format) == "hdf5" &&
        work.polhode("list formats").out.find("not in this build") != std::string::npos) {
      continue;
    }
    CHECK(work.polhode(std::string("convert double-pendulum.run --body lower -q --to ") + format + " -o one").status ==
          0);
    CHECK(work.polhode("convert one --to json -o again.json -q").status == 0);
    CHECK(events_of("again.json") == lower);
  }
}

TEST_CASE("a mechanism's run that was cut off goes on to the same bytes") {
  const Workshop work;
  CHECK(work.polhode("new slider-crank").status == 0);
  std::string text = work.read("slider-crank.toml");
  text.replace(text.find("tolerance"), 0, "checkpoint_rows = 50\n");
  work.write("slider-crank.toml", text);
  CHECK(work.polhode("run slider-crank.toml --no-report -q").status == 0);
  const std::string csv = work.read("slider-crank.run/results.csv");
  const std::string log = work.read("slider-crank.run/run.plog");
  for (const std::size_t part : {3U, 2U}) {
    work.write("slider-crank.run/run.plog", log.substr(0, log.size() / part));
    CHECK(work.polhode("run slider-crank.toml --no-report -q --resume").status == 0);
    CHECK((work.read("slider-crank.run/run.plog") == log));
    CHECK((work.read("slider-crank.run/results.csv") == csv));
  }
}

TEST_CASE("check tells freedoms and redundancy in words; what is wrong exits with 1") {
  const Workshop work;
  work.polhode("new four-bar -q");
  const auto good = work.polhode("check four-bar.toml");
  CHECK(good.status == 0);
  CHECK(good.out.find("3 bodies, 4 joints: 0 degrees of freedom") != std::string::npos);
  CHECK(good.out.find("together fix more than once") != std::string::npos);
  CHECK(good.out.find("Nothing is wrong.") != std::string::npos);
  CHECK(good.err.find("polhode run four-bar.toml") != std::string::npos);
  const auto json = nlohmann::json::parse(work.polhode("check four-bar.toml --json").out);
  CHECK(json.at("redundancies").size() == 1);
  CHECK(json.at("rows") == json.at("independent_rows").get<int>() + 3);
  CHECK(json.at("sound") == true);
  work.write("bad.toml",
             "title = \"x\"\n[run]\nduration = 1\n[[bodies]]\nname = \"a\"\nmass = 1\nprincipal_moments = [1, 1, 9]\n");
  const auto bad = work.polhode("check bad.toml");
  CHECK(bad.status == 1);
  CHECK(bad.out.find("wrong: bad.toml:7:") != std::string::npos);
  CHECK(work.polhode("run bad.toml").status == 2);
  CHECK(work.polhode("check nothing.toml").status == 2);
  work.write("broken.toml", "title = ");
  CHECK(work.polhode("check broken.toml").status == 2);
  work.polhode("new t-handle -q");
  CHECK(work.polhode("check t-handle.toml").out.find("1 body, 0 joints: 3 degrees of freedom") != std::string::npos);
}

TEST_CASE(
    "velocities that were adjusted are told by check and run, for people and in JSON; beyond rounding they are "
    "refused") {
  const Workshop work;
  const auto coin = [](const std::string& velocity, const std::string& run) {
    return "title = \"coin\"\n[run]\nduration = 0.01\n" + run +
           "[[bodies]]\nname = \"coin\"\nshape = \"sphere\"\nmass = 1\nradius = 0.5\nposition = [0, 0, 0.5]\nvelocity "
           "= [" +
           velocity +
           ", 0, 0]\nw_body = [0, 2, 0]\n[[rolling]]\nname = \"floor\"\nbody = \"coin\"\nedge_radius = 0.5\n";
  };
  work.write("coin.toml", coin("1.0005", ""));
  const std::string told = "velocity of body 'coin' from [1.0005, 0, 0] to [";
  CHECK(work.polhode("check coin.toml").out.find("note: to fit the joints, the start was changed: " + told) !=
        std::string::npos);
  CHECK(work.polhode("run coin.toml --no-report").err.find("To fit the joints, the start was changed: " + told) !=
        std::string::npos);
  for (const char* command : {"check coin.toml --json", "run coin.toml --no-report --json"}) {
    const auto json = nlohmann::json::parse(work.polhode(command).out);
    CAPTURE(command);
    const auto& one = json.at("adjusted_velocities").at(0);
    CHECK(one.at("body") == "coin");
    CHECK(one.at("key") == "velocity");
    CHECK(one.at("given").at(0) == 1.0005);
    CHECK(std::fabs(one.at("used").at(0).get<double>() - 1) < 5e-4);
  }
  work.write("coin.toml", coin("1.1", ""));
  const auto refused = work.polhode("run coin.toml");
  CHECK(refused.status == 2);
  CHECK(refused.err.find("coin.toml:10:") != std::string::npos);
  CHECK(refused.err.find("nearest allowed: [1.0") != std::string::npos);
  CHECK(work.polhode("check coin.toml").status == 1);
  work.write("coin.toml", coin("1.1", "adjust_velocities = true\n"));
  CHECK(work.polhode("run coin.toml --no-report -q").status == 0);
  // one of each is told as one
  work.write("coin.toml", coin("1", ""));
  CHECK(work.polhode("run coin.toml --no-report").out.find("1 body, 0 joints; at the end") != std::string::npos);
}

TEST_CASE("compare shows a mechanism under every form with Euler parameters; rolling through rates alone") {
  const Workshop work;
  work.polhode("new double-pendulum -q");
  const auto compare = work.polhode("compare double-pendulum.toml");
  CAPTURE(compare.out);
  CHECK(compare.status == 0);
  CHECK(compare.out.find("f5     rate") != std::string::npos);
  CHECK(compare.out.find("f12    raw") != std::string::npos);
  CHECK(compare.out.find("18 agree of 18 rows") != std::string::npos);
  const auto json = nlohmann::json::parse(work.polhode("compare double-pendulum.toml --json").out);
  CHECK(json.at("all_agree") == true);
  CHECK(json.at("counts") == nlohmann::json{{"agrees", 18}, {"off", 0}});
  CHECK(json.at("rows").size() == 18);
  work.polhode("new rolling-coin -q");
  const auto coin = work.polhode("compare rolling-coin.toml --json");
  CHECK(coin.status == 0);
  CHECK(nlohmann::json::parse(coin.out).at("rows").size() == 9);
  // it has no joint: no reaction was looked at, and none is said to agree
  CHECK(nlohmann::json::parse(coin.out).at("rows").at(0).at("reaction_difference").is_null());
}

TEST_CASE(
    "compare passes over no option of a mechanism: forms, table and folder are as asked for, a method is refused") {
  const Workshop work;
  work.polhode("new double-pendulum -q");
  const auto some = work.polhode("compare double-pendulum.toml --formulation f12,f5,f5 --csv table.csv --no-report");
  CAPTURE(some.out);
  CHECK(some.status == 0);
  CHECK(some.out.find("4 agree of 4 rows") != std::string::npos);
  CHECK(some.out.find("files: table.csv") != std::string::npos);
  const std::string table = work.read("table.csv");
  CHECK(table.find("\nform,jacobian,standing,acceleration_difference,") != std::string::npos);
  CHECK(table.find("\nf12,rate,agrees,") < table.find("\nf5,raw,agrees,"));
  CHECK(work.polhode("compare double-pendulum.toml --csv - --formulation f5 --no-report").out.find("# polhode") == 0);
  const auto json = nlohmann::json::parse(work.polhode("compare double-pendulum.toml --json -o here").out);
  CHECK(json.at("files") == nlohmann::json{"here/compare.csv"});
  CHECK(json.at("states") == 21);
  CHECK(json.at("end").at("ending") == "done");
  CHECK(work.read("here/compare.csv").find("\nf1,raw,agrees,") != std::string::npos);
  CHECK(work.polhode("compare double-pendulum.toml").out.find("files: double-pendulum.compare/compare.csv") !=
        std::string::npos);
  for (const char* option : {"--integrator rk4", "--step 0.1"}) {
    CAPTURE(option);
    const auto refused = work.polhode(std::string("compare double-pendulum.toml --no-report ") + option);
    CHECK(refused.status == 2);
    CHECK(refused.out.empty());
    CHECK(refused.err.find("is for one body") != std::string::npos);
  }
  const auto unknown = work.polhode("compare double-pendulum.toml --no-report --formulation euler-body");
  CHECK(unknown.status == 2);
  CHECK(unknown.err.find("'euler-body'") != std::string::npos);
}

TEST_CASE("compare of a mechanism whose run does not reach its end says so, and exits with 1") {
  const Workshop work;
  work.polhode("new double-pendulum -q");
  std::string text = work.read("double-pendulum.toml");
  text.replace(text.find("tolerance = 1e-11"), 17, "integrator = \"explicit-euler\"\nstep = 0.5");
  text.replace(text.find("duration = 5"), 12, "duration = 100");
  work.write("coarse.toml", text);
  const auto cut = work.polhode("compare coarse.toml --no-report");
  CAPTURE(cut.out);
  CHECK(cut.status == 1);
  CHECK(cut.out.find("which ended at t = ") != std::string::npos);
  CHECK(cut.out.find("the run did not reach its end") != std::string::npos);
  const auto json = nlohmann::json::parse(work.polhode("compare coarse.toml --no-report --json").out);
  CHECK(json.at("all_agree") == false);
  CHECK(json.at("end").at("ending") == "no-convergence");
}

TEST_CASE("a mechanism runs by methods that hold its joints themselves, and by forms with Euler parameters") {
  const Workshop work;
  work.polhode("new flyball-governor -q");
  const std::string text = work.read("flyball-governor.toml");
  const auto run = [&](const std::string& lines) {
    std::string other = text;
    const std::size_t tolerance = other.find("tolerance = 1e-9");
    const std::size_t duration = other.find("duration = 2");
    REQUIRE(tolerance != std::string::npos);
    REQUIRE(duration < tolerance);
    other.replace(tolerance, 16, lines);
    other.replace(duration, 12, "duration = 0.1");
    work.write("other.toml", other);
    return work.polhode("run other.toml --no-report --json -q -o out");
  };
  const auto sleeve = [](const std::string& out) {
    return nlohmann::json::parse(out).at("final").at("slide").at("slide_z").get<double>();
  };
  const double right = sleeve(run("tolerance = 1e-9").out);
  for (const char* lines :
       {"integrator = \"generalised-alpha-index2\"\nstep = 2e-4",
        "integrator = \"generalised-alpha-index3\"\nstep = 2e-4", "integrator = \"generalised-alpha\"\nstep = 1e-4",
        "integrator = \"cvode-bdf\"\ntolerance = 1e-8", "integrator = \"ida\"\ntolerance = 1e-8",
        "formulation = \"f5\"\ntolerance = 1e-6", "formulation = \"f12\"\njacobian = \"raw\"\ntolerance = 1e-6"}) {
    CAPTURE(lines);
    const auto ran = run(lines);
    if (ran.err.find("this build has no integrator") != std::string::npos) { continue; }
    CAPTURE(ran.err);
    CHECK(std::fabs(sleeve(ran.out) - right) < 2e-6);  // it moves by some 1e-2 m; the fixed steps are of order 2
  }
  const auto held = run("integrator = \"generalised-alpha-index2\"\nstep = 1e-3\nprojection = \"every_step\"");
  CHECK(held.status == 2);
  CHECK(held.err.find("holds the joints by its own equations") != std::string::npos);
}
