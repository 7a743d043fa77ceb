// Pages: well formed, closed to the world, the same every time, and no larger for a longer run.
#include "polhode/core/sha256.h"
#include "polhode/report/audit_page.h"
#include "polhode/report/compare_page.h"
#include "polhode/report/run_page.h"
#include "simulation/plans.h"
#include "support/xml.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

using namespace polhode;
using report::Figure;
using simulation::OneBodyPlan;

namespace {

struct TemporaryFile {
  TemporaryFile() {
    static int count = 0;
    const std::string name = "polhode-report-" + std::to_string(getpid()) + "-" + std::to_string(++count);
    path = (std::filesystem::temp_directory_path() / name).string();
  }
  ~TemporaryFile() { std::filesystem::remove(path); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  std::string path;
};

const char* const kHostile = "</title></p><script>alert(1)</script><img src=x onerror=alert(1)> \"' & \x01 \xff";

/// What the tags or the style of a page must not hold, or "".
std::string danger(const std::string& html) {
  std::string tags;
  for (std::size_t at = html.find('<'); at != std::string::npos; at = html.find('<', at + 1)) {
    tags += html.substr(at, html.find('>', at) - at);
  }
  for (const char* bad : {"<script", "<img", "<iframe", "<link", "<object", "<base", "<a ",
                          " src=", " href=", " style=", " on", "https:", "javascript:"}) {
    if (tags.find(bad) != std::string::npos) { return bad; }
  }
  for (const char* bad : {"url(", "@import"}) {
    if (html.find(bad) != std::string::npos) { return bad; }
  }
  const std::string space = "http://www.w3.org/2000/svg";  // the name of a language, not an address
  for (std::size_t at = tags.find("http:"); at != std::string::npos; at = tags.find("http:", at + 1)) {
    if (tags.compare(at, space.size(), space) != 0) { return "http:"; }
  }
  return "";
}

std::string why_not_page(const std::string& html) {
  const std::string head = "<!DOCTYPE html>\n";
  if (!html.starts_with(head)) { return "no doctype"; }
  return test::why_not_xml(html.substr(head.size()));
}

/// A run with its log, and the page of it.
struct Run {
  explicit Run(const OneBodyPlan& plan_given, const std::string& title = "a title", const std::string& event = "flip")
      : plan(plan_given) {
    plan.events.push_back(
        {{event, 0, simulation::Action::record}, [](const BodyState<double>& s) { return s.w_B.x; }, {}, {}});
    simulation::Simulation simulation(plan);
    head.title = title;
    head.scenario_file = title;
    head.scenario_text = title;
    head.scenario_sha256 = "0123";
    head.version = "1";
    head.formulation = plan.formulation;
    head.integrator = plan.integrator;
    head.columns = simulation.columns();
    head.events = {event};
    io::LogWriter log = io::LogWriter::create(file.path, "{}");
    outcome = simulation.run(log);
    log.end("{}");
    certificate = certificate_of(plan, outcome);
  }
  report::RunStory story() const {
    return {&head, &plan, &outcome, &certificate, "3-2-1", {{head.events[0], "12 times"}}};
  }
  report::RunPlots plots() const {
    io::LogReader log(file.path);
    return report::plots_of_run(log, story());
  }
  std::string page() const { return report::run_page(story(), plots()); }
  std::string viewer() const {
    std::string html;
    io::LogReader log(file.path);
    report::write_run_viewer(log, story(), [&](std::string_view text) { html += text; });
    return html;
  }

  TemporaryFile file;
  OneBodyPlan plan;
  io::ResultHead head;
  simulation::Outcome outcome;
  simulation::Certificate certificate;
};

const Figure& figure(const report::RunPlots& plots, const std::string& name) {
  for (const Figure& one : plots.figures) {
    if (one.name == name) { return one; }
  }
  FAIL("no figure " << name);
  return plots.figures.front();
}

}  // namespace

TEST_CASE("the page of a run is well formed, asks nothing of the world and has every plot") {
  OneBodyPlan plan = test::top_plan();
  plan.formulation = "f6";
  const Run run(plan);
  const std::string html = run.page();
  CHECK(why_not_page(html) == "");
  CHECK(danger(html) == "");
  CHECK(html.find("default-src 'none'") != std::string::npos);
  CHECK(html.find("Not established") != std::string::npos);
  for (const char* name : {"attitude", "angles", "rates-body", "rates-space", "momentum", "energy", "energy-drift",
                           "momentum-drift", "norm", "multiplier"}) {
    CAPTURE(name);
    CHECK(html.find("<figure id=\"" + std::string(name) + "\">") != std::string::npos);
  }
  for (const char* words :
       {"polhode run 'a title", "polhode compare 'a title", "SHA-256", "scalar first", "event 'flip'", "index 1"}) {
    CHECK(html.find(words) != std::string::npos);
  }
  CHECK(run.page() == html);
}

TEST_CASE("script in every string of a run or a comparison ends up as text") {
  OneBodyPlan plan = test::free_plan();
  Run run(plan, kHostile, kHostile);
  run.head.version = kHostile;
  run.head.scenario_sha256 = kHostile;
  run.head.epoch = kHostile;
  run.head.formulation = kHostile;
  run.head.integrator = kHostile;
  run.outcome.message = kHostile;
  run.certificate.reason = kHostile;
  run.certificate.method = kHostile;
  run.certificate.notes = {kHostile};
  run.certificate.attitude_error = 1;
  run.certificate.evidence.push_back({kHostile, 1, 0, kHostile});
  report::RunStory story = run.story();
  story.more = {{kHostile, kHostile}};
  const std::string html = report::run_page(story, run.plots());
  CHECK(why_not_page(html) == "");
  CHECK(danger(html) == "");
  CHECK(html.find("&lt;script&gt;alert(1)") != std::string::npos);
  CHECK(run.viewer().find("<script>alert") == std::string::npos);
  CHECK(run.viewer().find("&lt;script&gt;alert(1)") != std::string::npos);
  for (const Figure& one : run.plots().figures) { CHECK(test::why_not_xml(drawing::draw(one.chart)) == ""); }

  comparison::Comparison compared;
  compared.times = {0, 1};
  comparison::Row row;
  row.choice = {kHostile, kHostile};
  row.standing = comparison::Standing::off;
  row.reason = kHostile;
  row.multiplier = comparison::Multiplier{.closed_form = kHostile};
  row.series = {{{1, {}}, {1, {}}}, {{}, {}}, {1, 2}, {1, 2}, {1, 2}, {1, 2}, {1, 2}, {1, 2}};
  compared.rows = {row};
  compared.reference = {false, kHostile, 0, kHostile};
  const comparison::Origin origin{kHostile, kHostile, kHostile, kHostile, kHostile};
  const std::string other = report::compare_page(compared, origin, report::plots_of_comparison(compared));
  CHECK(why_not_page(other) == "");
  CHECK(danger(other) == "");
  std::string viewer;
  report::write_compare_viewer(compared, origin, {}, {}, [&](std::string_view text) { viewer += text; });
  CHECK(viewer.find("<script>alert") == std::string::npos);
  CHECK(viewer.find("&lt;script&gt;alert(1)") != std::string::npos);

  audit::Report audited;
  audited.verdicts = {{kHostile, kHostile, audit::Answer::no, kHostile, kHostile}};
  audited.motion = {{0, 1}, {{1, {}}, {1, {}}}, {{0, 0, 1}, {0, 0, 1}}};
  viewer.clear();
  report::write_audit_viewer(audited, kHostile, kHostile, [&](std::string_view text) { viewer += text; });
  CHECK(viewer.find("<script>alert") == std::string::npos);
  CHECK(viewer.find("&lt;script&gt;alert(1)") != std::string::npos);

  // the judges see what they are for
  CHECK(danger(report::page("t", kHostile)) == "<script");
  CHECK(why_not_page(report::page("t", kHostile)) != "");
}

TEST_CASE("the security policy names the one style of the page, by its digest") {
  const std::string html = report::page("t", "");
  const std::size_t begin = html.find("<style>") + 7;
  const std::string hex = sha256(html.substr(begin, html.find("</style>") - begin));
  // base 64 read back to hexadecimal digits
  const std::size_t at = html.find("'sha256-") + 8;
  const std::string digest = html.substr(at, html.find('\'', at) - at);
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bits;
  for (const char c : digest) {
    if (c == '=') { continue; }
    for (int bit = 5; bit >= 0; --bit) { bits += (digits.find(c) >> static_cast<unsigned>(bit) & 1U) != 0 ? '1' : '0'; }
  }
  std::string read;
  for (std::size_t i = 0; i + 4 <= 256; i += 4) {
    read += "0123456789abcdef"[std::stoul(bits.substr(i, 4), nullptr, 2)];
  }
  CHECK(digest.size() == 44);
  CHECK(read == hex);
}

TEST_CASE("the plots show the run: rates in both frames, energy, drift, closed form of the multiplier, events") {
  OneBodyPlan plan = test::top_plan();
  plan.formulation = "f6";
  const Run run(plan);
  const report::RunPlots plots = run.plots();
  const auto& rates = figure(plots, "rates-space").chart.panels[0].lines;
  REQUIRE(rates.size() == 3);
  const Vec3<double> w_N = rotate(plan.start.e_NB, plan.start.w_B);
  for (std::size_t i = 0; i < 3; ++i) { CHECK(rates[i].points[0].second == doctest::Approx(w_N[i])); }
  CHECK(figure(plots, "energy").chart.panels[0].lines.size() == 3);
  const auto& multiplier = figure(plots, "multiplier").chart.panels[0].lines;
  REQUIRE(multiplier.size() == 2);
  CHECK(multiplier[1].peer);
  REQUIRE(multiplier[0].points.size() == multiplier[1].points.size());
  for (std::size_t i = 0; i < multiplier[0].points.size(); ++i) {
    CHECK(std::fabs(multiplier[0].points[i].second - multiplier[1].points[i].second) < 1e-7);
  }
  CHECK(figure(plots, "attitude").chart.panels[0].moments.size() == run.outcome.statistics.events);
  // a form without multiplier has no plot of it
  const Run without(test::top_plan());
  for (const Figure& one : without.plots().figures) { CHECK(one.name != "multiplier"); }
}

TEST_CASE("a closed form follows parameters that events have set") {
  OneBodyPlan plan = test::free_plan();
  plan.formulation = "f6";
  plan.parameters = {1.0};
  plan.potential = {};
  plan.momentum = OneBodyPlan::Momentum::balance;
  plan.events.push_back({{"off", 1, simulation::Action::change, {{0, 0.0}}},
                         [](const BodyState<double>& s) { return s.t - 5.05; },
                         {},
                         {}});
  const auto with = [plan](std::span<const double> p) {
    auto other = std::make_shared<OneBodyPlan>(plan);
    other->parameters.assign(p.begin(), p.end());
    other->body.load.add_force(
        [x = p[0]](const BodyState<double>&) { return PointForce<double>{{0, 0, -x}, {0, 0, 0.5}}; });
    return other;
  };
  plan = *with(plan.parameters);
  // Run adds an event to the plan
  plan.with = [with](std::span<const double> p) {
    const std::shared_ptr<OneBodyPlan> other = with(p);
    other->events.push_back(
        {{"flip", 0, simulation::Action::record}, [](const BodyState<double>& s) { return s.w_B.x; }, {}, {}});
    return other;
  };
  Run run(plan);
  run.head.events = {"off", "flip"};
  const report::RunPlots plots = run.plots();
  const auto& lines = figure(plots, "multiplier").chart.panels[0].lines;
  for (std::size_t i = 0; i < lines[0].points.size(); ++i) {
    CHECK(std::fabs(lines[0].points[i].second - lines[1].points[i].second) < 1e-7);
  }
}

TEST_CASE("a run of many rows has a page no larger than one of few") {
  OneBodyPlan plan = test::free_plan();
  plan.integrator = "rk4";
  plan.step = 0.01;
  plan.output_interval = 0.01;
  plan.duration = 20;
  const Run few(plan);
  plan.duration = 600;
  const Run many(plan);
  CHECK(many.outcome.rows == 60'001);
  // what would be all ink is shown in detail too
  CHECK(few.plots().beginning.empty());
  REQUIRE(many.plots().beginning.size() == 4);
  CHECK(many.plots().beginning[0].chart.panels[0].lines[0].points.size() == 600);
  CHECK(why_not_page(many.page()) == "");
  CHECK(many.page().size() < 5 * few.page().size());
  CHECK(many.page().size() < 1'000'000);
}
