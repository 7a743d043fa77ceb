#pragma once

#include "polhode/run/run.h"

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

/// `polhode solve`: equilibria, driven motion and forces of wanted motions of a scenario file, for people, as JSON and
/// as files.
namespace polhode::analysis {

struct SolveOptions {
  std::string what;                  ///< "statics", "kinematics", "inverse"
  bool nearest = false;              ///< statics: SearchOptions::nearest
  std::string over{};                ///< statics: "NAME=FROM:TO:COUNT"; "": one equilibrium
  std::vector<std::string> along{};  ///< "JOINT.COORDINATE=FORMULA": wanted motion besides or in place of drivers
  std::string table{};               ///< a CSV file of wanted motion
  std::string times{};               ///< "FROM:TO:COUNT" of rows; "": those of [run] and [output]
  std::string write{};               ///< statics: the scenario at the equilibrium, to this file
  std::string csv{};                 ///< the table to this file; "-": standard output
  std::string svg{};                 ///< a plot to this file
  bool json = false;                 ///< the answer as JSON too
  std::FILE* standard_output = nullptr;
  std::function<bool()> keep_going{};
};

struct Solved {
  std::string text;  ///< for people
  std::string json;  ///< one object, where it was wanted
  std::vector<std::string> files;
  bool good = true;  ///< what was asked for was reached
  bool interrupted = false;
};

/// Fails with what is wrong with the scenario or the question.
Solved solve(const std::string& text, const std::string& file, const run::Source& source, const SolveOptions& options);

/// The scenario with joints given on their bodies and bodies drawn where y has them, at rest: what a run of it starts
/// from. Fails where something of it stands for many (copies).
Scenario drawn_at(const Scenario& scenario, const Model& model, std::span<const double> y,
                  std::span<const double> turns);

}  // namespace polhode::analysis
