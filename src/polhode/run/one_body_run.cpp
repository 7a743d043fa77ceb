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
using simulation::Outcome;
using Json = nlohmann::ordered_json;

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

class OneBodyPresentation final : public Presentation {
 public:
  explicit OneBodyPresentation(OneBodyScenario scenario) : scenario_(std::move(scenario)) {}

  const catalog::ScenarioHead& scenario() const override { return scenario_; }
  const simulation::Plan& plan() const override { return scenario_.plan; }
  const std::vector<catalog::MeshFacts>& meshes() const override { return scenario_.meshes; }
  void complete(io::ResultHead& head) const override {
    head.formulation = scenario_.plan.formulation;
    head.portable = head.portable && scenario_.plan.form().description().portable;
    for (const simulation::OneBodyEvent& event : scenario_.plan.events) { head.events.push_back(event.name); }
    // without an attitude there is nothing to draw
    if (simulation::PoseColumns(head.columns, scenario_.plan).complete()) {
      head.bodies.push_back(report::pictured_body(scenario_));
    }
    head.scene = scenario_.scene;
  }
  std::string final_text(const Outcome& outcome) const override {
    const EulerParameters<double>& e = outcome.state.e_NB;
    const Vec3<double>& w = outcome.state.w_B;
    // fixed digits below each other, unless a run has exploded
    constexpr double kLarge = 100;
    const bool plain = std::fabs(e.e0) < kLarge && norm(e.ev) < kLarge;
    const std::string attitude = plain ? fmt::format("{:.9f} {:.9f} {:.9f} {:.9f}", e.e0, e.ev.x, e.ev.y, e.ev.z)
                                       : fmt::format("{:.9g} {:.9g} {:.9g} {:.9g}", e.e0, e.ev.x, e.ev.y, e.ev.z);
    return fmt::format("final attitude        {}  (scalar first, body to space)\n", attitude) +
           fmt::format("final rate            {:.9g} {:.9g} {:.9g} rad/s  (body)\n", w.x, w.y, w.z);
  }
  std::string final_json(const Outcome& outcome) const override {
    Json json;
    const EulerParameters<double>& e = outcome.state.e_NB;
    const Vec3<double>& w = outcome.state.w_B;
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
  std::vector<std::string> svg_names(const io::ResultHead& head) const override {
    std::vector<std::string> names =
        report::plot_names({&head, &scenario_.plan, nullptr, nullptr, report::angles_to_draw(scenario_)});
    for (std::string& name : names) { name += ".svg"; }
    return names;
  }
  /// Plots without script where there is no viewer.
  std::vector<std::string> write_report(const ReportParts& parts, const Outcome& outcome) const override {
    report::RunStory story{&parts.head, &scenario_.plan, &outcome, parts.certificate,
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
  OneBodyScenario scenario_;
};

}  // namespace

std::unique_ptr<const Presentation> presentation_of(OneBodyScenario scenario) {
  return std::make_unique<OneBodyPresentation>(std::move(scenario));
}

}  // namespace polhode::run
