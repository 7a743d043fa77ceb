#include "polhode/run/run.h"

#include "polhode/catalog/varied.h"
#include "polhode/core/error.h"
#include "polhode/core/version.h"
#include "polhode/io/scenario_toml.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace polhode::run {

namespace {

template <class AnyScenario>
std::unique_ptr<Run> run_of(AnyScenario scenario, std::shared_ptr<const simulation::Plan> plan = nullptr) {
  return std::make_unique<Run>(presentation_of(std::move(scenario)), std::move(plan));
}

/// The scenario of a file with the derivatives of its columns.
std::shared_ptr<const simulation::Plan> varied_plan(std::string_view text, const std::string& file,
                                                    const Source& source) {
  if (source.sensitivities.empty()) { return nullptr; }
  const io::ScenarioFile read(text, file);
  const std::string folder = std::filesystem::path(file).parent_path().string();
  return catalog::sensitivity_plan(catalog::CompiledScenario(read.scenario(), folder, {}, source.meshes),
                                   source.parameters, source.sensitivities);
}

/// What the scenario itself says at the head of its results.
void fill_head(const catalog::ScenarioHead& scenario, const simulation::Plan& plan, io::ResultHead& head) {
  head.title = scenario.title;
  head.scenario_file = std::filesystem::path(scenario.file).filename().string();
  head.scenario_text = scenario.text;
  head.scenario_sha256 = scenario.sha256;
  head.parameters = scenario.set;
  head.laws = scenario.laws;
  head.version = std::string(version());
  head.integrator = plan.integrator;
  head.portable = integrator<double>(plan.integrator).description().portable;
  head.epoch = scenario.epoch;
  head.message = scenario.message;
}

}  // namespace

Run::Run(std::unique_ptr<const Presentation> presentation, std::shared_ptr<const simulation::Plan> plan_to_run)
    : presentation_(std::move(presentation)),
      plan_(std::move(plan_to_run)),
      simulation_(plan()),
      poses_(simulation_.columns(), plan()) {
  fill_head(presentation_->scenario(), plan(), head_);
  head_.columns = simulation_.columns();
  presentation_->complete(head_);
}

const simulation::Outcome& Run::go(simulation::Sink& sink, const simulation::Snapshot* from) {
  return outcome_ = from != nullptr ? simulation_.resume(*from, sink) : simulation_.run(sink);
}

bool Run::is_sample(std::uint64_t row) const {
  constexpr std::uint64_t kLookedAt = 1000;
  const std::uint64_t all = simulation_.rows();
  return row % std::max<std::uint64_t>(1, all / kLookedAt) == 0 || row + 1 == all;
}

simulation::Certificate Run::certificate() const {
  simulation::Certificate certificate = simulation::certificate_of(plan(), outcome_);
  for (const std::string& law : head().laws) {
    certificate.notes.push_back(fmt::format("law '{}' is code, which nothing can look into", law));
  }
  return certificate;
}

void Run::certify(simulation::Certificate& certificate, const std::vector<std::vector<double>>& samples,
                  const simulation::EventTimes& events, const std::function<bool()>& keep_going) const {
  try {
    simulation::certify(certificate, plan(), samples, &events, keep_going);
  } catch (const Error& problem) {  // the results are there, whatever a finer run meets
    certificate.notes.push_back(fmt::format("the error could not be measured: {}", problem.what()));
  }
  if (keep_going && !keep_going()) { certificate.notes.emplace_back("certifying was interrupted"); }
}

std::unique_ptr<Run> read(std::string_view text, const std::string& file, const Source& source) {
  if (catalog::is_mechanism(text, file)) {
    catalog::MechanismScenario scenario = catalog::read_mechanism(text, file, source.meshes, source.parameters);
    return run_of(std::move(scenario), varied_plan(text, file, source));
  }
  catalog::OneBodyScenario scenario = catalog::read_scenario(text, file, source.meshes, source.parameters);
  return run_of(std::move(scenario), varied_plan(text, file, source));
}

std::unique_ptr<Run> prepare(const Scenario& scenario, const Named<double>& parameters, const std::string& folder,
                             const force::Laws& laws) {
  if (scenario.is_mechanism()) { return run_of(catalog::understand_mechanism(scenario, parameters, folder, laws)); }
  return run_of(catalog::understand(scenario, parameters, folder, laws));
}

std::unique_ptr<Run> prepare(const catalog::CompiledScenario& scenario, const Named<double>& parameters,
                             const std::vector<std::string>& sensitivities) {
  std::shared_ptr<const simulation::Plan> varied;
  if (!sensitivities.empty()) { varied = catalog::sensitivity_plan(scenario, parameters, sensitivities); }
  if (scenario.scenario().is_mechanism()) { return run_of(scenario.mechanism(parameters), std::move(varied)); }
  return run_of(scenario.one_body(parameters), std::move(varied));
}

}  // namespace polhode::run
