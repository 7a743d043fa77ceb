// A grid over parameters, a row a run.
#include "polhode/run/sweep.h"

#include "polhode/core/error.h"
#include "polhode/run/sweep_page.h"

#include <doctest/doctest.h>

#include <atomic>
#include <cmath>

using namespace polhode;

namespace {

constexpr double kAcross = 0.3;    // rate across the axis, rad/s
constexpr double kDuration = 2.0;  // s
constexpr double kGravity = 9.81;  // m/s²

/// Free, J = (1, 1, "j"), ω' = (0.3, 0, "spin").
Scenario symmetric_body() {
  Scenario s;
  s.title = "symmetric";
  s.parameters["spin"] = 3.0;
  s.parameters["j"] = 1.5;
  s.body.emplace().inertia.principal_moments = NumberVector{1.0, 1.0, "j"};
  s.initial.emplace().rate.w_body = NumberVector{kAcross, 0.0, "spin"};
  s.run.emplace().duration = kDuration;
  s.event.push_back({.name = "half", .formula = Expression("t - 1")});
  return s;
}

/// A rod 1 m long that hangs on a hinge at its end.
Scenario swept_pendulum() {
  Scenario s;
  s.title = "pendulum";
  s.parameters["amplitude"] = 1.0;
  s.gravity.emplace().g_space = NumberVector{0.0, 0.0, -kGravity};
  scenario::Body rod{.name = "rod", .position = {0.0, 0.0, -0.5}};
  rod.inertia.shape = {.shape = "box", .mass = 2.0, .edges = NumberVector{0.1, 0.1, 1.0}};
  s.bodies.push_back(rod);
  s.joints.push_back({.name = "hinge",
                      .kind = "revolute",
                      .bodies = {"ground", "rod"},
                      .point = NumberVector{0.0, 0.0, 0.0},
                      .axis = NumberVector{0.0, 1.0, 0.0},
                      .start = Named<Number>{{"turn", "amplitude"}}});
  s.run.emplace().duration = 6.0;
  s.event.push_back({.name = "bottom", .joint = "hinge", .value = 0.0});
  return s;
}

std::string why_no_sweep(const Scenario& scenario, const std::vector<SweepAxis>& over,
                         const SweepOptions& options = {}) {
  try {
    const Sweep made(scenario, over, options);
  } catch (const Error& error) { return error.what(); }
  return "nothing";
}

std::string why_unreadable(const char* text) {
  try {
    static_cast<void>(SweepAxis::read(text));
  } catch (const Error& error) { return error.what(); }
  return "nothing";
}

/// All that is written of a table.
std::string bytes_of(const SweepTable& table) {
  std::string text = io::csv_head({"t", "v", "f", "h", table_facts(table.head), table_columns(table.head)});
  for (const SweepRow& row : table.rows) { text += io::csv_row(table_row(table.head, row)); }
  return text;
}

}  // namespace

TEST_CASE("an axis has its ends to the bit, and few decimals between them where there are few") {
  const SweepAxis tenths = SweepAxis::read("a=0:1:11");
  for (std::size_t i = 0; i < 11; ++i) {
    CHECK(tenths.value(i) == std::stod("0." + std::to_string(i)) + (i == 10 ? 0.9 : 0));
  }
  const SweepAxis sevenths = SweepAxis::read("a=-0.1:0.7:9");
  CHECK(sevenths.value(0) == -0.1);
  CHECK(sevenths.value(3) == 0.2);
  CHECK(sevenths.value(8) == 0.7);
  CHECK(SweepAxis::read("a=0:1:4").value(1) == 1.0 / 3);
  const SweepAxis decades = SweepAxis::read("a=1e-3:1e3:7:log");
  const double expected[] = {1e-3, 1e-2, 0.1, 1, 10, 100, 1e3};
  for (std::size_t i = 0; i < 7; ++i) { CHECK(decades.value(i) == expected[i]); }
  const SweepAxis negative = SweepAxis::read("a=-8:-1:4:log");
  CHECK(negative.value(1) == -4);
  CHECK(negative.value(2) == -2);
  // values that differ in the last digits only stay different
  const SweepAxis narrow{.parameter = "a", .from = 1, .to = 1 + 8e-16, .count = 4};
  for (std::size_t i = 1; i < 4; ++i) { CHECK(narrow.value(i) > narrow.value(i - 1)); }
  CHECK(SweepAxis::read("a=+2:2:1").value(0) == 2);
  CHECK(to_text(decades) == "a from 0.001 to 1000, 7 values, logarithmic");
}

TEST_CASE("an axis that cannot be read is told with what is wrong and what would be right") {
  CHECK(why_unreadable("spin") ==
        "'spin': no NAME= in front; wanted: NAME=FROM:TO:COUNT, or NAME=FROM:TO:COUNT:log; such as spin=1:10:4");
  CHECK(why_unreadable("a=1:2").find("'a=1:2': 2 values behind the =") == 0);
  CHECK(why_unreadable("a=1:2x:3").find("'2x' is not a number") != std::string::npos);
  CHECK(why_unreadable("a=1:inf:3").find("inf is not a number up to 1e300") != std::string::npos);
  CHECK(why_unreadable("a=1:2:3.5").find("COUNT '3.5' is not a whole number") != std::string::npos);
  CHECK(why_unreadable("a=1:2:-3").find("COUNT '-3' is not a whole number") != std::string::npos);
  CHECK(why_unreadable("a=1:2:0").find("COUNT must be 1 or more") != std::string::npos);
  CHECK(why_unreadable("a=1:2:1").find("one value cannot be both 1 and 2") != std::string::npos);
  CHECK(why_unreadable("a=1:1:2").find("2 values from 1 to 1 are all the same") != std::string::npos);
  CHECK(why_unreadable("a=1:2:3:lin").find("unknown spacing 'lin'") != std::string::npos);
  CHECK(why_unreadable("a=1:2:3:").find("unknown spacing ''") != std::string::npos);
  CHECK(why_unreadable("a=0:2:3:log").find("logarithmic spacing needs ends of one sign") != std::string::npos);
  CHECK(why_unreadable("a=0:2:1000001").find("at most 1000000 points") != std::string::npos);
}

TEST_CASE(
    "finals and extremes of a sweep are those of the free symmetric body, in closed form; another moment is seen") {
  const SweepTable table = sweep(symmetric_body(), {SweepAxis::read("j=0.5:1.5:3"), SweepAxis::read("spin=-4:6:5")},
                                 {.columns = {"wy_body_rad_s", "wx_body_rad_s"}, .certify = true, .threads = 2});
  REQUIRE(table.rows.size() == 15);
  CHECK_FALSE(table.interrupted);
  double twin = 0;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const SweepRow& row = table.rows[i];
    CHECK(row.point == i);
    const std::size_t line = i / 5;  // the last axis varies fastest
    const double j = 0.5 + 0.5 * static_cast<double>(line);
    const double spin = -4 + 2.5 * static_cast<double>(i % 5);
    CHECK(row.values == std::vector<double>{j, spin});
    // ω1 = a cos νt, ω2 = a sin νt, ν = (J3 − J1)/J1 ω3
    const double turned = (j - 1) * spin * kDuration;
    REQUIRE((row.columns[0] && row.columns[1]));
    // steps by a tolerance of 1e-10 over at most 12 rad; measured 3e-10
    CHECK(std::fabs(row.columns[0]->final - kAcross * std::sin(turned)) < 1e-8);
    CHECK(std::fabs(row.columns[1]->final - kAcross * std::cos(turned)) < 1e-8);
    twin = std::fmax(twin, std::fabs(row.columns[0]->final - kAcross * std::sin(turned * 1.01)));
    CHECK(row.columns[1]->largest.value == doctest::Approx(kAcross).epsilon(1e-9));
    if (std::fabs(turned) > 3.2) {  // it goes through −a: a row lies within a thousandth of the duration of it
      CHECK(row.columns[1]->smallest.value == doctest::Approx(-kAcross).epsilon(1e-4));
      const double phase = (j - 1) * spin * row.columns[1]->smallest.t;
      CHECK(std::cos(phase) == doctest::Approx(-1).epsilon(1e-4));
    }
    CHECK(row.ending == "done");
    CHECK(row.t_end == kDuration);
    REQUIRE(row.events.size() == 1);
    CHECK(row.events[0].count == 1);
    CHECK(row.events[0].first == doctest::Approx(1).epsilon(1e-12));
    CHECK(row.verdict == simulation::Verdict::yes);
    CHECK(row.attitude_error.value_or(1) < 1e-8);
  }
  CHECK(twin > 1e-3);
}

TEST_CASE("event times of a swept pendulum have the period of the elliptic integral; that of small angles is seen") {
  const SweepTable table = sweep(swept_pendulum(), {SweepAxis::read("amplitude=0.1:2.9:8")});
  // about the hinge: J = m ((1 + 0.01)/12 + 1/4), and m g l with l = 1/2
  const double slow = std::sqrt(((1 + 0.01) / 12 + 0.25) / (kGravity * 0.5));
  REQUIRE(table.rows.size() == 8);
  REQUIRE(table.head.columns.size() == 2);  // without being asked: joint coordinates and the energy balance
  CHECK(table.head.columns[0].name == "hinge.turn_rad");
  CHECK(table.head.columns[1].name == "energy_balance_J");
  for (const SweepRow& row : table.rows) {
    const double amplitude = row.values[0];
    const double quarter = slow * std::comp_ellint_1(std::sin(amplitude / 2));
    const EventFacts& bottom = row.events[0];
    CAPTURE(amplitude);
    REQUIRE(bottom.count >= 2);
    // steps by a tolerance of 1e-10, energies to 1e-10 of themselves: measured 1e-9
    CHECK(bottom.first == doctest::Approx(quarter).epsilon(1e-8));
    const double half = (bottom.last - bottom.first) / static_cast<double>(bottom.count - 1);
    CHECK(half == doctest::Approx(2 * quarter).epsilon(1e-8));
    const double small_angle = slow * 1.5707963267948966;
    CHECK(std::fabs(bottom.first / small_angle - 1) > 0.9 * amplitude * amplitude / 16);
    CHECK(row.columns[0]->largest.value == doctest::Approx(amplitude).epsilon(1e-9));
  }
}

TEST_CASE("a sweep has the same bytes on 1, 2 and 7 threads, refused points among them") {
  const std::vector<SweepAxis> over{SweepAxis::read("j=0.5:3:6"), SweepAxis::read("spin=1:100:3:log")};
  const auto on = [&](unsigned threads) {
    return sweep(symmetric_body(), over, {.certify = true, .threads = threads});
  };
  const SweepTable one = on(1);
  const std::string bytes = bytes_of(one);
  for (const unsigned threads : {2U, 7U}) {
    const SweepTable many = on(threads);
    CHECK((bytes_of(many) == bytes));
    REQUIRE(many.rows.size() == one.rows.size());
    for (std::size_t i = 0; i < many.rows.size(); ++i) { CHECK(many.rows[i].curves == one.rows[i].curves); }
  }
  // J3 = 2.5 and 3 are beyond J1 + J2
  CHECK(one.rows[11].ending == "done");
  CHECK(one.rows[12].ending == "refused");
  CHECK_FALSE(one.rows[12].has_run());
  CHECK(one.rows[12].reason.find("body.principal_moments: no rigid body has these moments") == 0);
  CHECK(one.rows[12].reason.find('\n') == std::string::npos);
  CHECK(bytes.find("\n12,2.5,1,refused,,,,,") != std::string::npos);
  const SweepTable two_points = sweep(symmetric_body(), {SweepAxis::read("spin=1:2:2")});
  CHECK((bytes_of(two_points) != bytes_of(sweep(symmetric_body(), {SweepAxis::read("spin=1:3:2")}))));
}

TEST_CASE("a run that fails on its way is a row with its reason and what it had") {
  Scenario s = symmetric_body();
  s.parameters["stop"] = 5.0;
  s.load.push_back({.what = force::Moment{.moment_body = ExpressionVector{"sqrt(stop - t)", 0.0, 0.0}}});
  const SweepTable table = sweep(s, {SweepAxis::read("stop=1:5:2")});
  CHECK(table.rows[0].ending == "not-finite");
  CHECK_FALSE(table.rows[0].reason.empty());
  CHECK_FALSE(table.rows[0].done());
  CHECK(table.rows[0].t_end <= 1.0 + 1e-9);
  CHECK(table.rows[0].columns[0].has_value());
  CHECK(table.rows[1].done());
}

TEST_CASE("a sweep that can be run at no point fails with what is wrong; the first points may be refused") {
  CHECK(why_no_sweep(symmetric_body(), {SweepAxis::read("j=3:9:4")}).find("no rigid body has these moments") !=
        std::string::npos);
  const SweepTable table = sweep(symmetric_body(), {SweepAxis::read("j=3:1:3")});
  CHECK(table.head.first_that_runs == 1);
  CHECK(table.rows[0].ending == "refused");
  CHECK(table.rows[1].ending == "done");
  Scenario broken = symmetric_body();
  broken.run->integrator = "rk5";
  CHECK(why_no_sweep(broken, {SweepAxis::read("spin=1:2:100000")}).find("rk5") != std::string::npos);
}

TEST_CASE("axes and columns that are none of the scenario's are told with the nearest") {
  const SweepAxis spin = SweepAxis::read("spin=1:2:2");
  CHECK(why_no_sweep(symmetric_body(), {SweepAxis::read("spun=1:2:2")}) ==
        "unknown parameter 'spun'; known: spin j; did you mean 'spin'?");
  CHECK(why_no_sweep(symmetric_body(), {spin, spin}) == "spin is swept twice");
  CHECK(why_no_sweep(symmetric_body(), {}).find("none is given") != std::string::npos);
  CHECK(why_no_sweep(symmetric_body(), {spin}, {.parameters = {{"spin", 1.0}}}) == "spin is both set and swept");
  CHECK(why_no_sweep(symmetric_body(), {spin}, {.columns = {"wx_body_rad"}}).find("did you mean 'wx_body_rad_s'?") !=
        std::string::npos);
  CHECK(why_no_sweep(symmetric_body(), {SweepAxis::read("spin=1:2:2000"), SweepAxis::read("j=1:2:501")}) ==
        "a grid of 2000 x 501 points; at most 1000000; take fewer values, or several sweeps");
  Scenario plain = symmetric_body();
  plain.parameters = {};
  CHECK(why_no_sweep(plain, {spin}).find("the scenario has no [parameters]") != std::string::npos);
}

TEST_CASE("a parameter that is set is the same at every point, and in the head of the table") {
  const SweepTable table = sweep(symmetric_body(), {SweepAxis::read("j=1:1.5:2")},
                                 {.columns = {"wz_body_rad_s"}, .parameters = {{"spin", 7.5}}});
  for (const SweepRow& row : table.rows) { CHECK(row.columns[0]->final == doctest::Approx(7.5)); }
  CHECK(bytes_of(table).find("# set: spin = 7.5\n") != std::string::npos);
}

TEST_CASE("an interrupted sweep hands out the rows that it has, in order and as they would have been") {
  const std::vector<SweepAxis> over{SweepAxis::read("spin=1:40:40")};
  const SweepTable whole = sweep(symmetric_body(), over, {.threads = 1});
  for (const unsigned threads : {1U, 4U}) {
    std::atomic<bool> going{true};
    SweepOptions options{.threads = threads};
    options.keep_going = [&] { return going.load(); };
    options.on_progress = [&](std::uint64_t done, std::uint64_t total) {
      CHECK(total == 40);
      if (done == 7) { going = false; }
    };
    const SweepTable part = sweep(symmetric_body(), over, options);
    CHECK(part.interrupted);
    CHECK(part.rows.size() >= 7);
    CHECK(part.rows.size() < 40);
    for (std::size_t i = 0; i < part.rows.size(); ++i) {
      const SweepRow& row = part.rows[i];
      CHECK((i == 0 || row.point > part.rows[i - 1].point));
      CHECK((io::csv_row(table_row(part.head, row)) == io::csv_row(table_row(whole.head, whole.rows[row.point]))));
    }
  }
}

TEST_CASE("what takes the rows may fail, and the sweep fails with it") {
  const Scenario s = symmetric_body();
  const Sweep all(s, {SweepAxis::read("spin=1:40:40")}, {.threads = 3});
  CHECK_THROWS_WITH_AS(static_cast<void>(all.run([](const SweepRow& row) {
                         if (row.point == 5) { throw Error("the disk is full"); }
                       })),
                       "the disk is full", Error);
}

TEST_CASE("curves of a bounded number of runs are kept, thinned, the ends of the grid among them") {
  Scenario s = symmetric_body();
  s.run->output_interval = 1e-4;  // 20001 rows
  const SweepTable table = sweep(s, {SweepAxis::read("j=1:1.5:5"), SweepAxis::read("spin=1:9:9")});
  std::size_t drawn = 0;
  for (const SweepRow& row : table.rows) {
    if (row.curves.empty()) { continue; }
    ++drawn;
    for (const auto& curve : row.curves) {
      CHECK(curve.size() <= 800);
      CHECK(curve.size() > 100);
      CHECK(curve.front().first == 0);
      CHECK(curve.back().first == kDuration);
    }
  }
  CHECK(drawn <= 16);
  CHECK(drawn >= 12);
  CHECK_FALSE(table.rows.front().curves.empty());
  CHECK_FALSE(table.rows.back().curves.empty());
}

TEST_CASE("names of columns are all different, whatever parameters and events are called") {
  Scenario s = symmetric_body();
  s.parameters["ending"] = 1.0;
  s.event.push_back({.name = "half", .formula = Expression("t - 1.5")});
  s.event.push_back({.name = "a, \"b\"", .formula = Expression("t - 1.6")});
  const SweepTable table = sweep(s, {SweepAxis::read("ending=1:2:2")}, {.columns = {"e0"}});
  const std::string bytes = bytes_of(table);
  CHECK(bytes.find("\npoint,ending,ending_,t_end_s,final_e0,largest_e0,largest_e0_t_s,smallest_e0,smallest_e0_t_s,"
                   "half_count,half_first_t_s,half_last_t_s,\"a, \"\"b\"\"_count\",\"a, \"\"b\"\"_first_t_s\",") !=
        std::string::npos);
  CHECK(table.rows[0].events[0].count == 2);  // two events of one name are told as one
  CHECK(table.rows[0].events[0].first == doctest::Approx(1));
  CHECK(table.rows[0].events[0].last == doctest::Approx(1.5));
}

TEST_CASE("the page of a sweep holds no script, escapes what it is given and counts what failed") {
  Scenario s = symmetric_body();
  s.title = "<script>";
  const Sweep all(s, {SweepAxis::read("j=1:3:5"), SweepAxis::read("spin=1:3:3")});
  SweepPage page(all.head());
  CHECK(all.run([&](const SweepRow& row) { page.row(row); }));
  CHECK(page.in_words() == "9 of 15 runs came to their end, 6 refused");
  const std::string html = page.html({.title = s.title, .version = "1", .scenario_file = "a.toml"}, "text & more",
                                     "polhode sweep a.toml", "sweep.csv");
  CHECK(html.find("<script>") == std::string::npos);
  CHECK(html.find("&lt;script&gt;: a sweep") != std::string::npos);
  CHECK(html.find("text &amp; more") != std::string::npos);
  CHECK(html.find("id=\"finals\"") != std::string::npos);
  CHECK(html.find("id=\"events\"") != std::string::npos);
  CHECK(html.find("id=\"over-time\"") != std::string::npos);
  CHECK(html.find("j = 1.5, spin = 3") != std::string::npos);
  SweepPage none(all.head());
  CHECK(none.in_words() == "no run");
  CHECK(none.html({.title = "t"}, "", "", "").find("Interrupted after 0 of 15 points") != std::string::npos);
}
