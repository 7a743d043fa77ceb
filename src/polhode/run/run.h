#pragma once

#include "polhode/catalog/compiled_scenario.h"
#include "polhode/io/output_folder.h"
#include "polhode/io/result.h"
#include "polhode/simulation/certificate.h"

#include <memory>

/// From a scenario to its run, and from the run to its files.
namespace polhode::run {

/// What a report is made of.
struct ReportParts {
  io::OutputFolder* folder;
  std::string log;
  io::ResultHead head;  ///< with the certificate
  const simulation::Certificate* certificate;
  std::vector<std::pair<std::string, std::string>> events;  ///< name, and "28 times, every 2.155 s"
  bool page = true;
  bool svg = false;
};

/// What is told of a run besides its numbers: of one body, or of a mechanism. It holds the scenario and its plan.
class Presentation {
 public:
  virtual ~Presentation() = default;

  virtual const catalog::ScenarioHead& scenario() const = 0;
  virtual const simulation::Plan& plan() const = 0;
  virtual const std::vector<catalog::MeshFacts>& meshes() const = 0;
  /// Enters what only this kind has: formulation, events, and what pictures are made of.
  virtual void complete(io::ResultHead& head) const = 0;
  /// What should be said before the run.
  virtual std::vector<std::string> remarks() const { return {}; }
  /// Where it ended: for people, and the members of a JSON object.
  virtual std::string final_text(const simulation::Outcome& outcome) const = 0;
  virtual std::string final_json(const simulation::Outcome& outcome) const = 0;
  /// What is known about this motion besides, a line each; may be empty.
  virtual std::vector<std::pair<std::string, std::string>> facts() const { return {}; }
  /// Names of the files that write_report() makes with `svg`, besides report.html.
  virtual std::vector<std::string> svg_names(const io::ResultHead& head) const = 0;
  /// Writes report.html (with `page`) and each plot (with `svg`) into the folder; says which files.
  virtual std::vector<std::string> write_report(const ReportParts& parts, const simulation::Outcome& outcome) const = 0;
};

/// One run of a scenario, of one body or of a mechanism.
class Run {
 public:
  /// `plan`: what is run in place of the presentation's own plan, with columns of its own besides.
  explicit Run(std::unique_ptr<const Presentation> presentation,
               std::shared_ptr<const simulation::Plan> plan = nullptr);

  const io::ResultHead& head() const { return head_; }
  const simulation::Plan& plan() const { return plan_ ? *plan_ : presentation_->plan(); }
  const simulation::Simulation& simulation() const { return simulation_; }
  simulation::Simulation& simulation() { return simulation_; }
  const Presentation& presentation() const { return *presentation_; }
  /// From the start, or from a snapshot that an equal run has given out.
  const simulation::Outcome& go(simulation::Sink& sink, const simulation::Snapshot* from = nullptr);
  /// How it ended.
  const simulation::Outcome& end() const { return outcome_; }
  /// Of a row, what certify() wants to see again; time first. Nothing where the columns leave it out.
  std::vector<double> sample(std::span<const double> row) const { return poses_.of(row); }
  /// Whether certify() looks at a row, by its number from 0: a thousand or two, spread evenly, and the last.
  bool is_sample(std::uint64_t row) const;
  /// Of the run that has ended.
  simulation::Certificate certificate() const;
  /// Measures the error at rows of which `samples` are what sample() gives, and judges the events, given by their
  /// times; what a finer run meets is noted.
  void certify(simulation::Certificate& certificate, const std::vector<std::vector<double>>& samples,
               const simulation::EventTimes& events, const std::function<bool()>& keep_going) const;

 private:
  std::unique_ptr<const Presentation> presentation_;
  std::shared_ptr<const simulation::Plan> plan_;
  simulation::Simulation simulation_;
  simulation::PoseColumns poses_;
  io::ResultHead head_;
  simulation::Outcome outcome_;
};

/// Where a scenario comes from, and what takes the place of its own parameters.
struct Source {
  catalog::MeshLocations meshes = catalog::MeshLocations::below_scenario;
  Named<double> parameters{};
  /// Parameters with respect to which a run carries the derivatives of its columns.
  std::vector<std::string> sensitivities{};
};

/// Of a scenario file, whichever it describes; fails with every mistake in it at once, each with its location.
std::unique_ptr<Run> read(std::string_view text, const std::string& file, const Source& source = {});
/// Of a scenario that is there as data: meshes are found from `folder`, code by the names of `laws`.
std::unique_ptr<Run> prepare(const Scenario& scenario, const Named<double>& parameters, const std::string& folder,
                             const force::Laws& laws);
/// Of one that was compiled before, quickly. `sensitivities` as Source has them.
std::unique_ptr<Run> prepare(const catalog::CompiledScenario& scenario, const Named<double>& parameters,
                             const std::vector<std::string>& sensitivities = {});

// ---- the two kinds --------------------------------------------------------------------------------------------------

std::unique_ptr<const Presentation> presentation_of(catalog::OneBodyScenario scenario);
std::unique_ptr<const Presentation> presentation_of(catalog::MechanismScenario scenario);

}  // namespace polhode::run
