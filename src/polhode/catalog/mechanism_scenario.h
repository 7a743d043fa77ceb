#pragma once

#include "polhode/catalog/scenario.h"
#include "polhode/multibody/joint_motion.h"
#include "polhode/simulation/assembly.h"
#include "polhode/simulation/mechanism.h"

#include <mutex>
#include <unordered_map>

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
/// A list in JSON.
std::string to_json(const std::vector<AdjustedVelocity>& adjusted);

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

/// Reads a scenario with [[bodies]]; fails with every mistake in it at once, each with its location; then, where the
/// file itself is sound, where the mechanism is not, or where a joint cannot close.
MechanismScenario read_mechanism(std::string_view bytes, std::string file,
                                 MeshLocations meshes = MeshLocations::below_scenario,
                                 const ParameterValues& values = {});
/// The same for a scenario that is there as data; meshes are found from `folder`.
MechanismScenario understand_mechanism(const polhode::Scenario& scenario, const ParameterValues& values = {},
                                       const std::string& folder = "", const force::Laws& laws = {});

/// What formulas of a mechanism can see besides parameters and definitions: t, coordinates and rates of joints,
/// positions and rates of bodies, speeds of reaction wheels. A - in a name becomes _. Angles that go round have two
/// names: JOINT_turn counts whole turns, JOINT_turn_wrapped is in (−π, π].
class MechanismNames final : public scenario::Names {
 public:
  using NamedJoint = std::pair<std::string, const JointKind*>;
  /// `unusable`: joints that cannot be built, with their kind where it is known. `wheels`: names of reaction wheels.
  MechanismNames(const polhode::Scenario& scenario, const std::vector<std::string>& bodies,
                 const std::vector<NamedJoint>& joints, const std::vector<NamedJoint>& unusable,
                 const std::vector<std::string>& wheels = {});

  std::optional<formula::Input> find(std::string_view name) const override;
  std::vector<std::string_view> names() const override;
  /// Of a name of the form ELEMENT_QUANTITY: which quantities the element has.
  std::string why_unknown(std::string_view name) const override;
  /// Names that mean two things.
  const std::vector<std::string>& taken() const { return taken_; }

  enum class Of : std::uint8_t { body, joint, wheel };
  /// What a name stands for; nothing for time.
  struct Source {
    Of of = Of::body;
    int index = 0;
    int component = 0;                   ///< among the numbers of the body, joint or wheel
    std::optional<Coordinate> turns_of;  ///< an angle with its whole turns
  };
  std::optional<Source> source(std::uint32_t id) const;
  /// How many numbers formulas can see of an element.
  std::size_t numbers_of(Of of, int index) const;

 private:
  std::optional<formula::Input> find_body(std::string_view name) const;
  std::optional<formula::Input> find_state(std::string_view name) const;

  std::unordered_map<std::string, int> bodies_;
  std::unordered_map<std::string, int> joints_;
  std::vector<const JointKind*> kinds_;
  std::vector<std::uint32_t> joint_ids_;  ///< of the first number of each joint
  std::unordered_map<std::string, int> wheel_speeds_;
  std::uint32_t wheel_id_ = 0;  ///< of the first wheel
  std::unordered_map<std::string, const JointKind*> unusable_;
  std::vector<std::string> taken_;
  std::vector<std::string> body_names_;  ///< as the user writes them
  std::vector<NamedJoint> named_joints_;
  mutable std::once_flag list_once_;
  mutable std::vector<std::string> listed_;  ///< for messages
};

/// Formulas as functions of the state of a mechanism.
class MechanismFunction {
 public:
  MechanismFunction(formula::Function function, const MechanismNames& names);
  /// One value a formula, for any number type.
  template <class S>
  void operator()(const MechanismViewOf<S>& now, std::span<S> values) const;
  /// Angles that are looked at with their whole turns.
  const std::vector<CountedAngle>& counted() const { return counted_; }
  /// What the formulas look at.
  Reads reads() const;
  const formula::Function& function() const { return function_; }
  /// What the formulas look at, in the order of function().inputs().
  template <class S>
  void look(const MechanismViewOf<S>& now, std::span<S> inputs) const;

 private:
  /// Why a name of the form ELEMENT_QUANTITY is none; "" where it has not that form.
  std::string why_unknown(std::string_view name) const;

  struct Element {
    MechanismNames::Of of = MechanismNames::Of::body;
    int index = 0;
    std::size_t first = 0;  ///< among the numbers seen
  };
  formula::Function function_;
  std::vector<Element> elements_;
  std::vector<std::size_t> from_;  ///< by input: among the numbers seen; 0 is time
  std::size_t count_ = 1;
  std::vector<CountedAngle> counted_;
  std::vector<std::string> body_names_;
  std::vector<std::pair<std::string, const JointKind*>> named_joints_;
};

template <class S>
void MechanismFunction::operator()(const MechanismViewOf<S>& now, std::span<S> values) const {
  thread_local std::vector<S> inputs;
  if (inputs.size() < from_.size()) { inputs.resize(from_.size()); }
  look(now, std::span<S>(inputs.data(), from_.size()));
  function_(std::span<const S>(inputs.data(), from_.size()), values);
}

template <class S>
void MechanismFunction::look(const MechanismViewOf<S>& now, std::span<S> inputs) const {
  thread_local std::vector<S> seen;
  if (seen.size() < count_) { seen.resize(count_); }
  seen[0] = S(now.t);
  for (const Element& element : elements_) {
    S* to = seen.data() + element.first;
    if (element.of == MechanismNames::Of::wheel) {
      *to = now.model.wheel_speed(now.y, static_cast<std::size_t>(element.index));
      continue;
    }
    if (element.of == MechanismNames::Of::body) {
      const BodyViewOf<S> body = Model::view(now.y, element.index);
      const Vec3<S> w_N = rotate(body.e_NB, body.w_B);
      for (const Vec3<S>& v : {body.r_N, body.v_N}) {
        for (std::size_t k = 0; k < 3; ++k) { *to++ = v[k]; }
      }
      *to++ = body.e_NB.e0;
      for (const Vec3<S>& v : {body.e_NB.ev, body.w_B, w_N}) {
        for (std::size_t k = 0; k < 3; ++k) { *to++ = v[k]; }
      }
      continue;
    }
    const auto [first, second] = now.model.ends(now.y, element.index);
    for (const Coordinate coordinate : now.model.joints()[static_cast<std::size_t>(element.index)].kind->coordinates) {
      const CoordinateValueOf<S> q = joint_coordinate(coordinate, first, second);
      *to++ = now.model.unwrapped(now.turns, element.index, coordinate, q.value);
      *to++ = q.rate;
      if (counts_turns(coordinate)) { *to++ = q.value; }
    }
  }
  for (std::size_t i = 0; i < from_.size(); ++i) { inputs[i] = seen[from_[i]]; }
}

}  // namespace polhode::catalog
