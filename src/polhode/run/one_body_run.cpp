#include "polhode/io/files.h"
#include "polhode/io/viewer_page.h"
#include "polhode/motion/free_motion.h"
#include "polhode/report/pictures.h"
#include "polhode/report/run_page.h"
#include "polhode/run/run.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace polhode::run {
namespace {

using catalog::OneBodyScenario;
using simulation::AttitudeRow;
using simulation::Certificate;
using simulation::Simulation;
using Json = nlohmann::ordered_json;

io::ResultHead head_of(const OneBodyScenario& scenario, const Simulation& simulation) {
  io::ResultHead head;
  fill_head(scenario, scenario.plan, head);
  head.formulation = scenario.plan.formulation;
  head.portable = head.portable && simulation.system().form().description().portable;
  head.columns = simulation.columns();
  for (const simulation::PlannedEvent& event : scenario.plan.events) { head.events.push_back(event.name); }
  // without an attitude there is nothing to draw
  if (simulation::PoseColumns(head.columns).complete()) { head.bodies.push_back(report::pictured_body(scenario)); }
  head.scene = scenario.scene;
  return head;
}

/// The half period of the free body's rate: from one flip to the next.
std::optional<double> theory_of_flips(const OneBodyScenario& scenario) {
  const bool changes = std::any_of(scenario.plan.events.begin(), scenario.plan.events.end(),
                                   [](const auto& event) { return event.action == simulation::Action::change; });
  if (changes || !scenario.plan.body.load.empty() || scenario.plan.body.inertia_law) { return {}; }
  const FreeMotion<double> motion(scenario.plan.body.J_B, scenario.plan.start.e_NB, scenario.plan.start.w_B);
  const bool flips = motion.branch() == FreeBranch::about_largest || motion.branch() == FreeBranch::about_smallest;
  if (!flips || !std::isfinite(motion.period())) { return {}; }
  return motion.period() / 2;
}

class OneBodyRun final : public Run {
 public:
  explicit OneBodyRun(OneBodyScenario scenario)
      : scenario_(std::move(scenario)),
        simulation_(scenario_.plan),
        poses_(simulation_.columns()),
        head_(head_of(scenario_, simulation_)) {}

  const io::ResultHead& head() const override { return head_; }
  const simulation::RunPlan& plan() const override { return scenario_.plan; }
  const std::vector<catalog::MeshFacts>& meshes() const override { return scenario_.meshes; }
  const simulation::Runner& runner() const override { return simulation_; }

  const simulation::RunEnd& end() const override { return outcome_; }
  const simulation::RunEnd& go(simulation::Sink& sink, const simulation::Snapshot* from) override {
    return outcome_ = from != nullptr ? simulation_.resume(*from, sink) : simulation_.run(sink);
  }
  std::vector<double> sample(std::span<const double> row) const override { return poses_.of(row); }
  std::string final_text() const override {
    const EulerParameters<double>& e = outcome_.state.e_NB;
    const Vec3<double>& w = outcome_.state.w_B;
    // fixed digits below each other, unless a run has exploded
    constexpr double kLarge = 100;
    const bool plain = std::fabs(e.e0) < kLarge && norm(e.ev) < kLarge;
    const std::string attitude = plain ? fmt::format("{:.9f} {:.9f} {:.9f} {:.9f}", e.e0, e.ev.x, e.ev.y, e.ev.z)
                                       : fmt::format("{:.9g} {:.9g} {:.9g} {:.9g}", e.e0, e.ev.x, e.ev.y, e.ev.z);
    return fmt::format("final attitude        {}  (scalar first, body to space)\n", attitude) +
           fmt::format("final rate            {:.9g} {:.9g} {:.9g} rad/s  (body)\n", w.x, w.y, w.z);
  }
  std::string final_json() const override {
    Json json;
    const EulerParameters<double>& e = outcome_.state.e_NB;
    const Vec3<double>& w = outcome_.state.w_B;
    json["final"] = {{"e", {e.e0, e.ev.x, e.ev.y, e.ev.z}}, {"w_body_rad_s", {w.x, w.y, w.z}}};
    if (const std::optional<double> flips = theory_of_flips(scenario_)) {
      json["half_period_of_exact_motion_s"] = *flips;
    }
    return json.dump();
  }
  std::vector<std::pair<std::string, std::string>> facts() const override {
    const std::optional<double> flips = theory_of_flips(scenario_);
    if (!flips) { return {}; }
    return {{"half period of the exact motion", fmt::format("{:.6g} s", *flips)}};
  }
  std::vector<std::string> svg_names() const override {
    std::vector<std::string> names =
        report::plot_names({&head_, &scenario_.plan, nullptr, nullptr, report::angles_to_draw(scenario_)});
    for (std::string& name : names) { name += ".svg"; }
    return names;
  }
  /// Plots without script where there is no viewer.
  std::vector<std::string> write_report(const ReportParts& parts) const override {
    report::RunStory story{&parts.head, &scenario_.plan, &outcome_, parts.certificate,
                           report::angles_to_draw(scenario_)};
    story.events = parts.events;
    story.more = facts();
    for (const catalog::MeshFacts& mesh : scenario_.meshes) {
      story.more.emplace_back("mesh " + mesh.file, catalog::to_text(mesh));
    }
    std::vector<std::string> files;
    const auto named = [&](const std::string& name) {
      files.push_back(parts.folder->path_of(name));
      return name;
    };
    const bool viewer = parts.page && io::has_viewer();
    if (viewer) {
      io::write_into(*parts.folder, named("report.html"), [&](io::OutputFile& file) {
        io::LogReader reader(parts.log);
        report::write_run_viewer(reader, story, [&](std::string_view text) { file.write(text); });
      });
    }
    if ((!parts.page || viewer) && !parts.svg) { return files; }
    io::LogReader reader(parts.log);
    const report::RunPlots plots = report::plots_of_run(reader, story);
    if (parts.page && !viewer) { io::write_into(*parts.folder, named("report.html"), report::run_page(story, plots)); }
    for (const report::Figure& figure : parts.svg ? plots.figures : std::vector<report::Figure>{}) {
      io::write_into(*parts.folder, named(figure.name + ".svg"), drawing::draw(figure.chart));
    }
    return files;
  }

 private:
  Certificate own_certificate() const override { return simulation::certificate_of(scenario_.plan, outcome_); }
  void measure(Certificate& certificate, const std::vector<std::vector<double>>& samples,
               const std::function<bool()>& keep_going) const override {
    std::vector<AttitudeRow> rows;
    rows.reserve(samples.size());
    for (const std::vector<double>& s : samples) {
      if (!s.empty()) { rows.push_back({s[0], {s[1], {s[2], s[3], s[4]}}}); }
    }
    simulation::certify(certificate, scenario_.plan, rows, keep_going);
  }

  OneBodyScenario scenario_;
  Simulation simulation_;
  simulation::PoseColumns poses_;
  io::ResultHead head_;
  simulation::Outcome outcome_;
};

}  // namespace

std::unique_ptr<Run> run_of(OneBodyScenario scenario) { return std::make_unique<OneBodyRun>(std::move(scenario)); }

}  // namespace polhode::run
