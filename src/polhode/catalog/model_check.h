#pragma once

#include "polhode/catalog/mechanism_scenario.h"

/// Is a body or a mechanism physical and well posed? In words.
namespace polhode::catalog {

struct Finding {
  enum class Level { note, warning, wrong } level = Level::note;
  std::string text;
};
std::string_view to_text(Finding::Level level);

/// What switches as time goes, or with the state.
struct FoundSwitch {
  std::string law;    ///< "load 'push'", "event 'noon'"
  std::string words;  ///< what it compares, as a formula of t; "" of the state
  bool of_time = true;
  std::vector<double> times{};  ///< within the run, s; the first few
  std::size_t count = 0;        ///< of times; of switches of the state, how many there are
  bool is_more = false;         ///< than `count`, which is as far as they were counted
  double last = 0;              ///< of the times, s
  bool is_decided = true;       ///< of the whole law: no other switch is left within the run
};

/// What it is at its start.
struct ModelCheck {
  std::size_t bodies = 0;
  std::size_t joints = 0;
  int rows = 0;         ///< constraints of joints, couplings, drivers, rolling
  int independent = 0;  ///< of these
  int freedoms = 0;
  std::vector<std::string> redundancies;         ///< in words, one a cause
  int untold_redundancies = 0;                   ///< of loops too many to be looked at one by one
  std::vector<std::string> undetermined_joints;  ///< whose reactions other choices could share differently
  std::vector<AdjustedVelocity> adjusted;        ///< given velocities that the joints do not allow
  std::vector<Finding> findings;
  std::vector<FoundSwitch> switches;
  bool lands = true;                     ///< whether steps end on switches by time
  std::vector<std::string> opaque_laws;  ///< given as code: nobody can look into them
  bool wrong() const;

  /// Redundancies and findings together are no more than so many, the gravest first; the rest is counted.
  static constexpr std::size_t kMostMessages = 12;
  void limit_messages();
  std::size_t redundancies_left_out = 0;
  std::size_t findings_left_out = 0;
  std::size_t switches_left_out = 0;
};
/// Moments of which the largest is too large; a note where the file allows them.
Finding impossible_moments(const std::string& who, const Vec3<double>& moments, Physical physical);
ModelCheck check_one_body(const OneBodyScenario& scenario);
ModelCheck check_mechanism(const MechanismScenario& scenario);
/// What in the plan switches; at most kMostMessages of it.
void look_at_switches(const simulation::Plan& plan, ModelCheck& check);
/// What a file is found to be, and its title; what its reader refuses is a finding too.
ModelCheck check_file(std::string_view text, const std::string& file, MeshLocations meshes,
                      const ParameterValues& values, std::string& title);
/// For people, and as a JSON object.
std::string to_text(const ModelCheck& check, const std::string& title);
std::string to_json(const ModelCheck& check, const std::string& title);

}  // namespace polhode::catalog
