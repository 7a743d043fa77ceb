#pragma once

#include "polhode/catalog/scenario.h"
#include "polhode/io/formula.h"
#include "polhode/simulation/assembly.h"
#include "polhode/simulation/mechanism.h"

#include <map>
#include <set>

/// Scenario files of mechanisms: [[bodies]], [[joints]] and what acts on them. Keys: docs/scenario.md.
namespace polhode::catalog {

/// A velocity that a file gives and that joints, couplings, rolling or drivers do not allow as it stands.
struct AdjustedVelocity {
  bool of_joint = false;  ///< of a body otherwise
  std::string name;
  std::string key;            ///< "velocity", "w_body_deg", "turn_rate"
  std::vector<double> given;  ///< in the units of the key
  std::vector<double> used;
};
/// "w_body of body 'frame' from [0, 0, 1] to [0, 0, 1.0001]"
std::string to_text(const AdjustedVelocity& adjusted);

/// A scenario of a mechanism, understood.
struct MechanismScenario : ScenarioHead {
  simulation::MechanismPlan plan;
  std::vector<std::vector<Outline>> outlines;  ///< by body, how it looks
  std::vector<bool> has_shape;                 ///< by body; one without looks like a body of its inertia
  std::vector<std::string> closing;            ///< what was moved to close the drawing, in words
  std::vector<AdjustedVelocity> adjusted;      ///< what was changed so that the velocities fit the joints
};

/// Whether a file describes a mechanism; fails where it is not TOML.
bool is_mechanism(std::string_view bytes, const std::string& file);

/// Reads a scenario with [[bodies]]; fails with every mistake in it at once, each with its place; then, where the file
/// itself is sound, where the mechanism is not, or where a joint cannot close.
MechanismScenario read_mechanism(std::string_view bytes, std::string file,
                                 MeshPlaces meshes = MeshPlaces::below_scenario);

/// What formulas of a mechanism can see: t, the parameters, coordinates and rates of joints, places and rates of
/// bodies. Angles that go round have two names: JOINT_turn counts whole turns, JOINT_turn_wrapped is in (−π, π].
class MechanismScope : public ParameterSet {
 public:
  MechanismScope();

  /// All bodies and joints, once they are known; a - in a name becomes _.
  void add_elements(const std::vector<std::string>& bodies,
                    const std::vector<std::pair<std::string, const JointKind*>>& joints);
  /// The names of a joint that cannot be built, of every kind where its own is not known: formulas that use them are
  /// not at fault, and are never evaluated.
  void add_unusable(const std::string& joint, const JointKind* kind);
  /// A formula of all these names.
  std::shared_ptr<const io::Formula> formula(const io::TomlValue& value);
  /// Makes the names that some formula uses stand for a state.
  void set(const Model& model, const MechanismView& now);
  /// Angles that some formula uses with their whole turns.
  const std::vector<CountedAngle>& counted() const { return counted_; }

  /// The names of time and parameters alone.
  io::FormulaNames time_names;

 private:
  struct Element {
    int index = 0;
    std::size_t first = 0;  ///< among the numbers
    std::size_t count = 0;
    bool used = false;
  };
  double t_ = 0;
  std::vector<double> numbers_;
  std::vector<Element> bodies_;
  std::vector<Element> joints_;
  std::map<const double*, CountedAngle> turns_;  ///< numbers that are angles with their whole turns
  std::vector<CountedAngle> counted_;
};

/// A number or a formula of the state.
class ScalarLaw {
 public:
  /// Notes what is wrong in the table; zero is left then.
  ScalarLaw(io::TomlTable& table, const io::TomlValue& value, std::string_view key,
            const std::shared_ptr<MechanismScope>& scope);
  bool constant() const { return formula_ == nullptr; }
  /// Where the scope has been set.
  double operator()() const { return formula_ ? (*formula_)() : number_; }

 private:
  double number_ = 0;
  std::shared_ptr<const io::Formula> formula_;
};

/// A coordinate of a joint.
struct JointPlace {
  int joint = 0;
  Coordinate coordinate = Coordinate::turn;
};

/// What forces, drivers and couplings of a file are added to, and how they find bodies and joints by name.
struct ElementContext {
  ModelBuilder* builder = nullptr;
  std::shared_ptr<MechanismScope> scope;
  /// The model that laws will act in; set once it is built.
  std::shared_ptr<const Model*> model = std::make_shared<const Model*>(nullptr);
  const std::map<std::string, BodyId>* bodies = nullptr;
  const std::map<std::string, int>* joints = nullptr;
  /// Names of elements that are there but cannot be built, and beginnings of names whose copies were not counted right:
  /// what refers to them is not at fault.
  const std::set<std::string>* unusable = nullptr;
  const std::vector<std::string>* uncounted = nullptr;
  mutable int unknown_names = 0;                         ///< told so far
  const std::vector<const JointKind*>* kinds = nullptr;  ///< by joint
  int copy = 1;                                          ///< what {i} stands for

  /// A name with {i}, {i+1}, {i-2} replaced.
  std::string named(std::string text) const;
  /// A body by the name under `key`, "ground" included where allowed; notes a problem and gives nothing otherwise.
  std::optional<BodyId> body(io::TomlTable& table, std::string_view key, bool ground = false) const;
  std::optional<BodyId> body_called(io::TomlTable& table, std::string_view key, const std::string& name,
                                    bool ground) const;
  std::optional<int> joint(io::TomlTable& table, std::string_view key) const;
  std::optional<int> joint_called(io::TomlTable& table, std::string_view key, const std::string& name) const;
  /// The coordinate of a joint that can be acted on: under "coordinate", or the only one.
  std::optional<Coordinate> coordinate(io::TomlTable& table, int joint) const;
  std::optional<Coordinate> coordinate_called(io::TomlTable& table, std::string_view key, int joint,
                                              const std::string& name) const;
  /// Both, under "joint" and "coordinate".
  std::optional<JointPlace> joint_place(io::TomlTable& table) const;
};

/// A kind of force of mechanisms: a file force_NAME.cpp and a line in forces.def.
struct ForceKind {
  std::string_view name;     ///< "spring"
  std::string_view summary;  ///< in words
  std::string_view equation;
  /// Reads its keys and adds itself; notes what is wrong in the table.
  void (*add)(io::TomlTable& table, ElementContext& context);
};

const std::vector<const ForceKind*>& force_kinds();

/// The key "wrap" of forces on an angle: whether its whole turns do not count. Notes where there are none to count.
bool read_wrap(io::TomlTable& table, const std::optional<JointPlace>& place);

/// A number that must not be negative.
double not_negative(io::TomlTable& table, std::string_view key, double fallback);

/// Adds a law that acts on a coordinate of a joint with Q(t, q, q̇), the scope set to the state.
void add_joint_law(ElementContext& context, int joint, Coordinate coordinate,
                   std::function<double(double t, const CoordinateValue& q)> Q);

}  // namespace polhode::catalog
