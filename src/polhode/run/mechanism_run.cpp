#include "polhode/core/counted.h"
#include "polhode/io/files.h"
#include "polhode/io/viewer_page.h"
#include "polhode/report/pictures.h"
#include "polhode/run/run.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace polhode::run {
namespace {

using catalog::MechanismScenario;
using simulation::Outcome;
using Json = nlohmann::ordered_json;

class MechanismPresentation final : public Presentation {
 public:
  explicit MechanismPresentation(MechanismScenario scenario)
      : scenario_(std::move(scenario)), model_(*scenario_.plan.model) {}

  const catalog::ScenarioHead& scenario() const override { return scenario_; }
  const simulation::Plan& plan() const override { return scenario_.plan; }
  const std::vector<catalog::MeshFacts>& meshes() const override { return scenario_.meshes; }
  void complete(io::ResultHead& head) const override {
    head.formulation = scenario_.plan.formulation;
    for (const auto& event : scenario_.plan.events) { head.events.push_back(event.name); }
    head.bodies = report::pictured_bodies(scenario_);
    head.joints = report::pictured_joints(scenario_);
    head.scene = report::pictured_scene(scenario_);
  }
  std::vector<std::string> remarks() const override {
    std::vector<std::string> lines;
    lines.reserve(scenario_.closing.size() + scenario_.adjusted.size());
    for (const std::string& move : scenario_.closing) { lines.push_back("To close the joints, " + move + "."); }
    for (const catalog::AdjustedVelocity& adjusted : scenario_.adjusted) {
      lines.push_back("To fit the joints, the start was changed: " + to_text(adjusted) + ".");
    }
    constexpr std::size_t kMostRemarks = 12;
    if (lines.size() > kMostRemarks) {
      const std::size_t left_out = lines.size() - (kMostRemarks - 1);
      lines.resize(kMostRemarks - 1);
      lines.push_back(fmt::format("And {} more of this kind.", left_out));
    }
    return lines;
  }
  std::string final_text(const Outcome& outcome) const override {
    // all joints of a small mechanism, the first ones of a large
    constexpr std::size_t kMostLines = 12;
    std::string text = fmt::format("{}, {}; at the end:\n", counted(model_.body_count(), "body", "bodies"),
                                   counted(model_.joint_count(), "joint"));
    std::size_t lines = 0;
    for (std::size_t j = 0; j < model_.joint_count() && lines < kMostLines; ++j) {
      const std::vector<CoordinateValue> q = model_.coordinates(outcome.y, static_cast<int>(j));
      for (std::size_t k = 0; k < q.size() && lines < kMostLines; ++k, ++lines) {
        const Coordinate coordinate = model_.joints()[j].kind->coordinates[k];
        const std::string_view unit = to_text(coordinate).starts_with("slide") ? "m" : "rad";
        text += fmt::format("  {:<24} {:>16.9g} {}, {:.9g} {}/s\n",
                            fmt::format("{}.{}", model_.joints()[j].name, to_text(coordinate)), q[k].value, unit,
                            q[k].rate, unit);
      }
    }
    for (std::size_t w = 0; w < model_.wheel_count() && lines < kMostLines; ++w, ++lines) {
      text += fmt::format("  {:<24} {:>16.9g} rad/s\n", model_.wheels()[w].name + ".speed",
                          model_.wheel_speed(outcome.y, w));
    }
    if (lines == kMostLines) { text += "  and more\n"; }
    const simulation::LedgerState& s = outcome.ledger;
    return text + fmt::format("work supplied {:.6g} J, dissipated {:.6g} J\n", s.supplied, s.dissipated);
  }
  std::string final_json(const Outcome& outcome) const override {
    Json json;
    json["bodies"] = model_.body_count();
    json["joints"] = model_.joint_count();
    json["final"] = Json::object();
    for (std::size_t b = 0; b < model_.body_count(); ++b) {
      const BodyView body = Model::view(outcome.y, static_cast<BodyId>(b));
      json["final"][model_.bodies()[b].name] = {{"e", {body.e_NB.e0, body.e_NB.ev.x, body.e_NB.ev.y, body.e_NB.ev.z}},
                                                {"w_body_rad_s", {body.w_B.x, body.w_B.y, body.w_B.z}},
                                                {"r_space_m", {body.r_N.x, body.r_N.y, body.r_N.z}},
                                                {"v_space_m_s", {body.v_N.x, body.v_N.y, body.v_N.z}}};
    }
    for (std::size_t j = 0; j < model_.joint_count(); ++j) {
      const std::vector<CoordinateValue> q = model_.coordinates(outcome.y, static_cast<int>(j));
      for (std::size_t k = 0; k < q.size(); ++k) {
        const std::string name(to_text(model_.joints()[j].kind->coordinates[k]));
        json["final"][model_.joints()[j].name][name] = q[k].value;
        json["final"][model_.joints()[j].name][name + "_rate"] = q[k].rate;
      }
    }
    for (std::size_t w = 0; w < model_.wheel_count(); ++w) {
      json["final"][model_.wheels()[w].name] = {{"speed_rad_s", model_.wheel_speed(outcome.y, w)}};
    }
    json["work_supplied_J"] = outcome.ledger.supplied;
    json["work_dissipated_J"] = outcome.ledger.dissipated;
    json["closed_by"] = scenario_.closing;
    json["adjusted_velocities"] = Json::parse(catalog::to_json(scenario_.adjusted));
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  std::vector<std::string> svg_names(const io::ResultHead&) const override { return {}; }
  /// The page of the viewer, from one pass over the log. Plots alone, as files, are for one body.
  std::vector<std::string> write_report(const ReportParts& parts, const Outcome& outcome) const override {
    if (!parts.page) { return {}; }
    const io::ResultHead& head = parts.head;
    io::PageWords words;
    words.summary = {
        {"bodies", std::to_string(model_.body_count())},
        {"joints", std::to_string(model_.joint_count())},
        {"integrator", head.integrator},
        {"ended", fmt::format("{} at t = {:g} s, {}", simulation::to_text(outcome.ending), outcome.t,
                              counted(outcome.rows, "row"))},
        {"work", fmt::format("{} ({} rejected), {}", counted(outcome.statistics.steps, "step"),
                             outcome.statistics.rejected, counted(outcome.statistics.evaluations, "evaluation"))},
        {"work supplied", fmt::format("{:.6g} J", outcome.ledger.supplied)},
        {"work dissipated", fmt::format("{:.6g} J", outcome.ledger.dissipated)}};
    for (const catalog::MeshFacts& mesh : scenario_.meshes) {
      words.summary.emplace_back("mesh " + mesh.file, catalog::to_text(mesh));
    }
    for (const auto& [name, often] : parts.events) { words.summary.emplace_back("event '" + name + "'", often); }
    const std::string scenario = head.scenario_arguments();
    words.commands = {"polhode run " + scenario,
                      fmt::format("polhode check {}    # degrees of freedom, redundancy", scenario),
                      "polhode list examples"};
    words.every = io::rows_between(outcome.rows, head.columns.size());
    io::write_into(*parts.folder, "report.html", [&](io::OutputFile& file) {
      const io::Write write = [&](std::string_view text) { file.write(text); };
      io::ViewerPage page(parts.head, words, write);
      io::LogReader log(parts.log);
      while (const std::optional<io::LogReader::Frame> frame = log.next()) {
        if (frame->kind == io::FrameKind::rows) {
          io::each_row(frame->content, head.columns.size(), [&](std::span<const double> row) { page.row(row); });
        } else if (frame->kind == io::FrameKind::event) {
          const simulation::EventOccurrence occurrence = io::read_event(frame->content);
          if (occurrence.event < head.events.size()) { page.event(head.events[occurrence.event], occurrence.t); }
        }
      }
      page.end();
    });
    return {parts.folder->path_of("report.html")};
  }

 private:
  MechanismScenario scenario_;
  const Model& model_;
};

}  // namespace

std::unique_ptr<const Presentation> presentation_of(MechanismScenario scenario) {
  return std::make_unique<MechanismPresentation>(std::move(scenario));
}

}  // namespace polhode::run
