#pragma once

#include "polhode/catalog/mechanism_scenario.h"
#include "polhode/io/output_folder.h"
#include "polhode/io/result.h"
#include "polhode/simulation/certificate.h"

#include <nlohmann/json_fwd.hpp>

#include <memory>

namespace polhode::app {

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

/// What `run` simulates: one body or a mechanism. Log, resuming, progress, certificate and files are the same for both.
class Subject {
 public:
  virtual ~Subject() = default;

  virtual const io::ResultHead& head() const = 0;
  virtual const simulation::RunPlan& plan() const = 0;
  virtual const simulation::Runner& runner() const = 0;
  virtual const std::vector<catalog::MeshFacts>& meshes() const = 0;
  /// What should be said before the run.
  virtual std::vector<std::string> remarks() const { return {}; }
  /// From the start, or from a snapshot.
  virtual const simulation::RunEnd& run(simulation::Sink& sink, const simulation::Snapshot* from) = 0;
  /// Of a row, what certify() wants to see again; time first.
  virtual std::vector<double> sample(std::span<const double> row) const = 0;
  /// Of the run that has ended.
  virtual simulation::Certificate certificate() const = 0;
  virtual void certify(simulation::Certificate& certificate, const std::vector<std::vector<double>>& samples,
                       const std::function<bool()>& keep_going) const = 0;
  /// Where it ended, for people and as part of the JSON object.
  virtual std::string final_text() const = 0;
  virtual void add_final(nlohmann::ordered_json& json) const = 0;
  /// What is known about this motion besides, a line each; may be empty.
  virtual std::vector<std::pair<std::string, std::string>> facts() const { return {}; }
  /// Names of the files that write_report() makes with `svg`, besides report.html.
  virtual std::vector<std::string> svg_names() const { return {}; }
  /// Writes report.html (with `page`) and each plot (with `svg`) into the folder; says which files.
  virtual std::vector<std::string> write_report(const ReportParts& parts) const = 0;
};

/// What the file itself says at the head of its results.
void fill_head(const catalog::ScenarioHead& scenario, const simulation::RunPlan& plan, io::ResultHead& head);

/// Of a scenario file, whichever it describes.
std::unique_ptr<Subject> read_subject(const std::string& file, catalog::MeshPlaces meshes);
std::unique_ptr<Subject> one_body_subject(std::string_view text, const std::string& file, catalog::MeshPlaces meshes);
std::unique_ptr<Subject> mechanism_subject(std::string_view text, const std::string& file, catalog::MeshPlaces meshes);

/// Velocities of a file that its joints do not allow, for JSON.
nlohmann::ordered_json adjusted_json(const std::vector<catalog::AdjustedVelocity>& adjusted);

}  // namespace polhode::app
