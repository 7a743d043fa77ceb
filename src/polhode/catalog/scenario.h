#pragma once

#include "polhode/body/outline.h"
#include "polhode/catalog/catalog.h"
#include "polhode/io/formula.h"
#include "polhode/io/result.h"
#include "polhode/io/toml_reader.h"
#include "polhode/simulation/plan.h"

#include <string>
#include <string_view>
#include <vector>

namespace polhode::catalog {

/// A file with a mesh that a scenario uses.
struct MeshFacts {
  std::string file;  ///< as the scenario names it
  std::size_t triangles = 0;
  std::size_t drawn = 0;  ///< of these, in pictures
  MassProperties body;    ///< in the axes of the file
};
/// In words.
std::string to_text(const MeshFacts& mesh);

/// What every scenario file says.
struct ScenarioHead {
  std::string file;    ///< as the user named it
  std::string text;    ///< all of it
  std::string sha256;  ///< of the text and, behind it, the bytes of the meshes, each once
  std::vector<MeshFacts> meshes;
  std::string title;
  std::string epoch;                                         ///< "2026-01-01T00:00:00", UTC, or "" where none is given
  std::vector<std::pair<std::string, std::string>> message;  ///< [aem]: keys of io::kMessageKeys
};

/// A scenario of one body, understood: what to run and how.
struct Scenario : ScenarioHead {
  std::string sequence;  ///< of the Euler angles that the start is given in, "3-2-1", or ""
  MassProperties mass_properties;
  std::vector<Outline> outlines;  ///< how it looks
  Vec3<double> reference_B{};     ///< the point that the plan's J counts from: mass centre, or fixed point
  bool held = false;              ///< at that point
  io::PicturedScene scene;        ///< up and springs, as its loads say
  /// Loads that do nothing, by kind: their force goes through the mass centre of a body that does not travel.
  std::vector<std::string> idle_loads;
  simulation::Plan plan;
};

/// Where the meshes of a scenario may lie: below its folder, links followed, or anywhere that can be read.
enum class MeshPlaces { below_scenario, anywhere };

/// Reads a scenario; fails with every mistake in it at once, each with its place. Keys: docs/scenario.md.
Scenario read_scenario(std::string_view bytes, std::string file, MeshPlaces meshes = MeshPlaces::below_scenario);

/// The parameters of a file, which formulas see by their names.
class ParameterSet {
 public:
  ParameterSet();
  ParameterSet(const ParameterSet&) = delete;
  ParameterSet& operator=(const ParameterSet&) = delete;

  io::FormulaNames names;  ///< of parameters, and of what else formulas see
  /// A number of the file, by its own name; keeps its place.
  void add_parameter(const std::string& name, double value);
  /// The parameters, in the order in which they were added.
  const std::vector<std::string>& parameter_names() const { return parameter_names_; }
  std::shared_ptr<std::vector<double>> parameters() const { return parameters_; }

 private:
  static constexpr std::size_t kMostParameters = 256;
  std::shared_ptr<std::vector<double>> parameters_ = std::make_shared<std::vector<double>>();
  std::vector<std::string> parameter_names_;
};

/// What formulas of one body can see: time, attitude, rates, place, and the parameters of the file. One set a scenario;
/// laws that are made of formulas share it.
class FormulaScope : public ParameterSet {
 public:
  FormulaScope();

  /// Makes the names stand for `state`.
  void set(const BodyState<double>& state);

  /// The names with what they mean, for documents.
  static const std::vector<std::pair<std::string, std::string>>& meanings();

 private:
  std::array<double, 26> numbers_{};
};

/// Three numbers or formulas; a function of the state.
class VectorLaw {
 public:
  /// Notes what is wrong in the table; a law of zeros is left then.
  VectorLaw(io::TomlTable& table, std::string_view key, const std::shared_ptr<FormulaScope>& scope);
  bool constant() const { return formulas_.empty(); }
  LawOf looks_at() const { return looks_at_; }
  /// Where constant() holds.
  const Vec3<double>& value() const { return value_; }
  Vec3<double> operator()(const BodyState<double>& state) const;

 private:
  Vec3<double> value_{};
  std::vector<io::Formula> formulas_;  ///< none or three
  std::shared_ptr<FormulaScope> scope_;
  LawOf looks_at_ = LawOf::time_and_place;
};

/// What a load is added to.
struct LoadContext {
  simulation::Plan* plan;
  const MassProperties* body;
  Vec3<double> reference_B{};  ///< the point that J and u count from: mass centre, or fixed point of a held body
  bool held = false;
  std::shared_ptr<FormulaScope> scope;
  /// What the load adds to the potential energy; left empty: it has none, and energy is balanced by work.
  std::function<double(const BodyState<double>&)> potential;
  /// The direction about which it has no moment, in space; or it has none at all about the mass centre.
  enum class Torque { any, none, not_about_axis } torque = Torque::any;
  Vec3<double> axis_N{};
  io::PicturedScene* scene = nullptr;  ///< what pictures show of loads
  bool turns = true;  ///< false: its force goes through the point that J counts from, and turns nothing
};

/// A kind of load: a file load_NAME.cpp and a line in loads.def.
struct LoadKind {
  std::string_view name;     ///< "gravity"
  std::string_view summary;  ///< in words
  std::string_view equation;
  /// Reads its keys and adds itself; notes what is wrong in the table.
  void (*add)(io::TomlTable& table, LoadContext& context);
};

const std::vector<const LoadKind*>& load_kinds();

}  // namespace polhode::catalog
