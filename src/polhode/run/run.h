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

/// One run of a scenario, of one body or of a mechanism. Log, resuming, certificate and files are the same for both.
class Run {
 public:
  virtual ~Run() = default;

  virtual const io::ResultHead& head() const = 0;
  virtual const simulation::RunPlan& plan() const = 0;
  virtual const simulation::Runner& runner() const = 0;
  virtual const std::vector<catalog::MeshFacts>& meshes() const = 0;
  /// What should be said before the run.
  virtual std::vector<std::string> remarks() const { return {}; }
  /// From the start, or from a snapshot that an equal run has given out.
  virtual const simulation::RunEnd& go(simulation::Sink& sink, const simulation::Snapshot* from = nullptr) = 0;
  /// How it ended.
  virtual const simulation::RunEnd& end() const = 0;
  /// Of a row, what certify() wants to see again; time first. Nothing where the columns leave it out.
  virtual std::vector<double> sample(std::span<const double> row) const = 0;
  /// Of the run that has ended.
  simulation::Certificate certificate() const;
  /// Measures the error at rows of which `samples` are what sample() gives; what a finer run meets is noted.
  void certify(simulation::Certificate& certificate, const std::vector<std::vector<double>>& samples,
               const std::function<bool()>& keep_going) const;
  /// Where it ended: for people, and the members of a JSON object.
  virtual std::string final_text() const = 0;
  virtual std::string final_json() const = 0;
  /// What is known about this motion besides, a line each; may be empty.
  virtual std::vector<std::pair<std::string, std::string>> facts() const { return {}; }
  /// Names of the files that write_report() makes with `svg`, besides report.html.
  virtual std::vector<std::string> svg_names() const { return {}; }
  /// Writes report.html (with `page`) and each plot (with `svg`) into the folder; says which files.
  virtual std::vector<std::string> write_report(const ReportParts& parts) const = 0;

 protected:
  virtual simulation::Certificate own_certificate() const = 0;
  virtual void measure(simulation::Certificate& certificate, const std::vector<std::vector<double>>& samples,
                       const std::function<bool()>& keep_going) const = 0;
};

/// Where a scenario comes from, and what takes the place of its own parameters.
struct Source {
  catalog::MeshPlaces meshes = catalog::MeshPlaces::below_scenario;
  Named<double> parameters{};
};

/// Of a scenario file, whichever it describes; fails with every mistake in it at once, each with its place.
std::unique_ptr<Run> read(std::string_view text, const std::string& file, const Source& source = {});
/// Of a scenario that is there as data: meshes are found from `folder`, code by the names of `laws`.
std::unique_ptr<Run> prepare(const Scenario& scenario, const Named<double>& parameters, const std::string& folder,
                             const force::Laws& laws);
/// Of one that was compiled before, quickly.
std::unique_ptr<Run> prepare(const catalog::CompiledScenario& scenario, const Named<double>& parameters);

// ---- the two kinds --------------------------------------------------------------------------------------------------

std::unique_ptr<Run> run_of(catalog::OneBodyScenario scenario);
std::unique_ptr<Run> run_of(catalog::MechanismScenario scenario);
/// What the scenario itself says at the head of its results.
void fill_head(const catalog::ScenarioHead& scenario, const simulation::RunPlan& plan, io::ResultHead& head);

}  // namespace polhode::run
