#pragma once

#include "polhode/multibody/constraints.h"
#include "polhode/multibody/elimination_order.h"
#include "polhode/multibody/forces.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

/// A mechanism: bodies, joints, forces. The model is constant once built; what changes is the row of numbers y, and
/// scratch memory is apart. One model serves many threads.
namespace polhode {

/// Where a body's frame is at the start, and how it moves.
struct BodyStart {
  Vec3<double> r_N{};  ///< origin of the body's frame
  EulerParameters<double> e_NB = EulerParameters<double>::identity();
  Vec3<double> v_N{};  ///< of that origin
  Vec3<double> w_B{};
};

struct BodyDescription {
  std::string name;
  MassProperties mass;
  BodyStart start;
  Physical physical = Physical::require;  ///< what the gate lets through
};

/// An angle of a joint whose whole turns are counted.
struct CountedAngle {
  int joint = 0;
  Coordinate coordinate = Coordinate::turn;
  friend auto operator<=>(const CountedAngle&, const CountedAngle&) = default;
};

/// A frame of a constraint on its body, in components of the body.
struct ConstraintEnd {
  BodyId body = kGround;
  Vec3<double> lever_B{};  ///< from the mass centre; on ground, from the origin of space
  Mat3<double> axes_B{};   ///< columns
};

/// A constraint of any kind, as solvers see it.
struct ModelConstraint {
  ConstraintId id;
  int first_row = 0;  ///< among the rows of all constraints
  int rows = 0;
  std::vector<ConstraintEnd> ends;  ///< bodies that the rows act on, in the order of their sides
};

class Model {
 public:
  std::size_t body_count() const { return bodies_.size(); }
  std::size_t joint_count() const { return joints().size(); }
  std::size_t wheel_count() const { return wheels_.size(); }
  /// The bodies' part of y, 13 numbers a body: r_N of the mass centre, e, v_N of the mass centre, w_B.
  std::size_t bodies_size() const { return 13 * bodies_.size(); }
  /// All of y: behind the bodies' part one number a wheel, its rate σ about its axis seen from space (MEC-38).
  std::size_t state_size() const { return bodies_size() + wheels_.size(); }

  const std::vector<BodyDescription>& bodies() const { return bodies_; }
  const std::vector<JointDescription>& joints() const { return all<JointDescription>(); }
  const std::vector<Wrench>& wrenches() const { return wrenches_; }
  const std::vector<Spring>& springs() const { return springs_; }
  const std::vector<JointSpring>& joint_springs() const { return joint_springs_; }
  const std::vector<JointLimit>& joint_limits() const { return joint_limits_; }
  const std::vector<JointFriction>& joint_frictions() const { return joint_frictions_; }
  const std::vector<Bushing>& bushings() const { return bushings_; }
  const std::vector<Drag>& drags() const { return drags_; }
  const std::vector<CentralGravity>& central_gravities() const { return central_gravities_; }
  const std::vector<ForceLaw>& force_laws() const { return force_laws_; }
  const std::vector<JointLaw>& joint_laws() const { return joint_laws_; }
  const std::vector<WrenchLaw>& wrench_laws() const { return wrench_laws_; }
  const std::vector<ReactionWheel>& wheels() const { return wheels_; }
  /// What is left of a body's inertia when its wheels turn on their own (MEC-38): the inertia in its equations of
  /// motion. That of bodies() includes the wheels.
  const Mat3<double>& carrier_J_B(BodyId body) const { return carrier_J_B_[static_cast<std::size_t>(body)]; }
  /// Whether anything but uniform gravity acts.
  bool has_forces() const { return has_forces_; }

  /// All constraints of a kind.
  template <Constraint C>
  const std::vector<C>& all() const {
    return std::get<std::vector<C>>(lists_);
  }
  /// All constraints of all kinds, in the order of their rows; joints first.
  const std::vector<ModelConstraint>& constraints() const { return constraints_; }
  const ModelConstraint& constraint(const ConstraintId& id) const {
    return constraints_[first_of_kind_[id.kind] + static_cast<std::size_t>(id.index)];
  }
  std::size_t row_count() const { return row_count_; }
  /// Calls `use(constraint)` with the constraint as its own type.
  template <class Use>
  decltype(auto) with(const ConstraintId& id, const Use& use) const {
    return with_constraint(lists_, id, use);
  }
  /// Calls `use(constraint, id)` for all, in order, each as its own type.
  template <class Use>
  void each(const Use& use) const {
    each_constraint(lists_, use);
  }
  /// "driver 'motor' of joint 'knee'"
  std::string in_words(const ConstraintId& id) const;
  /// The rows of a constraint; `end(s)` gives its frame number s at a state.
  template <class S, class EndOf>
  void rows(const ConstraintId& id, double t, const EndOf& end, ConstraintRow<S>* rows) const {
    with(id, [&](const auto& one) {
      constexpr std::size_t kEnds = std::remove_cvref_t<decltype(one)>::kEnds;
      const auto ends = [&]<std::size_t... I>(std::index_sequence<I...>) {
        return std::array<End<S>, kEnds>{end(I)...};
      }(std::make_index_sequence<kEnds>{});
      one.rows(t, ends, rows);
    });
  }
  /// The same at a state y.
  void rows(const ModelConstraint& constraint, double t, std::span<const double> y, ConstraintRow<double>* rows) const;
  const Vec3<double>& gravity_N() const { return gravity_N_; }
  /// The length that angles are weighed with: the longest way from a mass centre to a joint of its body, or 1.
  double length() const { return length_; }
  const EliminationOrder& elimination() const { return elimination_; }

  /// Angles whose whole turns something looks at. y knows angles without whole turns only, so a run carries along the
  /// `turns`: each of these angles as it was after the last accepted step, whole turns included. Steps must be so short
  /// that the angles change by less than half a turn. Functions that take `turns` may be given none: then angles are
  /// in (−π, π].
  const std::vector<CountedAngle>& counted() const { return counted_; }
  /// The angle q of a joint, or any other coordinate of it, with the whole turns that bring it nearest to `turns`.
  template <class S>
  S unwrapped(std::span<const double> turns, int joint, Coordinate coordinate, const S& q) const {
    if (turns.empty()) { return q; }
    const auto j = static_cast<std::size_t>(joint);
    for (std::size_t i = first_counted_[j]; i < first_counted_[j + 1]; ++i) {
      if (counted_[i].coordinate == coordinate) { return nearest_turn(q, turns[i]); }
    }
    return q;
  }
  /// `turns` at the state y, by those of a state less than half a turn away.
  void count_turns(std::span<const double> y, std::span<double> turns) const;

  /// By name; fails with the nearest name.
  BodyId body(std::string_view name) const;
  int joint(std::string_view name) const;

  /// y as described; joints may still be open by what the description leaves open.
  std::vector<double> start() const;
  /// Speed Ω of a wheel relative to its body, rad/s.
  double wheel_speed(std::span<const double> y, std::size_t wheel) const { return wheel_speed<double>(y, wheel); }
  template <class S>
  S wheel_speed(std::span<const S> y, std::size_t wheel) const {
    const ReactionWheel& own = wheels_[wheel];
    return y[bodies_size() + wheel] - dot(as<S>(own.axis_B), view(y, own.body).w_B);
  }
  /// The wheel at the speed Ω relative to its body, whose rate y has already.
  void set_wheel_speed(std::span<double> y, std::size_t wheel, double speed) const;

  static BodyView view(std::span<const double> y, BodyId body) { return view<double>(y, body); }
  template <class S>
  static BodyViewOf<S> view(std::span<const S> y, BodyId body) {
    const S* s = y.data() + 13 * static_cast<std::size_t>(body);
    return {{s[0], s[1], s[2]}, {s[3], {s[4], s[5], s[6]}}, {s[7], s[8], s[9]}, {s[10], s[11], s[12]}};
  }
  static void set(std::span<double> y, BodyId body, const BodyView& view);
  /// A point of a body, or of ground.
  Vec3<double> point_N(std::span<const double> y, BodyId body, const Vec3<double>& r_BP_B) const;

  /// A frame on a body, or on ground, at a state.
  End<double> end(std::span<const double> y, BodyId body, const FrameOnBody& frame) const {
    return end<double>(y, body, frame);
  }
  template <class S>
  End<S> end(std::span<const S> y, BodyId body, const FrameOnBody& frame) const {
    const Mat3<S> axes_B = as<S>(rotation_matrix(frame.e_BF));
    if (body == kGround) { return {{}, {}, {}, as<S>(frame.r_BF_B), axes_B}; }
    const BodyViewOf<S> b = view(y, body);
    const Mat3<S> R = rotation_matrix(b.e_NB);
    return {b.r_N, b.v_N, R * b.w_B, R * as<S>(frame.r_BF_B - bodies_[static_cast<std::size_t>(body)].mass.center_B),
            R * axes_B};
  }
  /// The ends of a joint at a state.
  std::pair<End<double>, End<double>> ends(std::span<const double> y, int joint) const {
    return ends<double>(y, joint);
  }
  template <class S>
  std::pair<End<S>, End<S>> ends(std::span<const S> y, int joint) const {
    const JointDescription& j = joints()[static_cast<std::size_t>(joint)];
    return {end(y, j.first, j.on_first), end(y, j.second, j.on_second)};
  }
  std::vector<CoordinateValue> coordinates(std::span<const double> y, int joint) const;
  End<double> end(std::span<const double> y, const ConstraintEnd& frame) const;

 private:
  friend class ModelBuilder;
  /// Fills constraints_: what solvers see of lists_.
  void find_constraints();

  std::vector<BodyDescription> bodies_;
  ConstraintLists lists_;
  std::vector<ModelConstraint> constraints_;
  std::array<std::size_t, std::tuple_size_v<ConstraintLists>> first_of_kind_{};
  std::size_t row_count_ = 0;
  std::vector<Wrench> wrenches_;
  std::vector<Spring> springs_;
  std::vector<JointSpring> joint_springs_;
  std::vector<JointLimit> joint_limits_;
  std::vector<JointFriction> joint_frictions_;
  std::vector<Bushing> bushings_;
  std::vector<Drag> drags_;
  std::vector<CentralGravity> central_gravities_;
  std::vector<ForceLaw> force_laws_;
  std::vector<JointLaw> joint_laws_;
  std::vector<WrenchLaw> wrench_laws_;
  std::vector<ReactionWheel> wheels_;
  std::vector<Mat3<double>> carrier_J_B_;   ///< by body
  std::vector<CountedAngle> counted_;       ///< in order, each once
  std::vector<std::size_t> first_counted_;  ///< by joint, and one more
  bool has_forces_ = false;
  Vec3<double> gravity_N_{};
  double length_ = 1;
  EliminationOrder elimination_;
};

/// Fails with everything that is wrong with a description, all at once.
void require_sound(const Model& model);

/// The frame with the given z, and x as near as possible to the given one (any, if it is zero).
EulerParameters<double> frame_with_axis(const Vec3<double>& z_N, const Vec3<double>& x_N);

/// Collects a mechanism piece by piece; build() checks it as a whole and says everything that is wrong at once.
class ModelBuilder {
 public:
  BodyId body(std::string name, const MassProperties& mass, const BodyStart& start,
              Physical physical = Physical::require);

  /// Multiplies the mass and the inertia of a body that is there already: a weight in projections.
  void weigh(BodyId body, double mass_factor, double inertia_factor);

  int joint(std::string_view kind, std::string name, BodyId first, const FrameOnBody& on_first, BodyId second,
            const FrameOnBody& on_second, double parameter = 0);
  /// The joint frames where the bodies start: at a point of space, z along the given direction (x, if given, across
  /// it).
  int joint_at(std::string_view kind, std::string name, BodyId first, BodyId second, const Vec3<double>& point_N,
               const Vec3<double>& z_N, const Vec3<double>& x_N = {});
  /// A massless rod between two points of space where the bodies start; its length is their distance.
  int rod_at(std::string name, BodyId first, const Vec3<double>& point1_N, BodyId second, const Vec3<double>& point2_N);

  void gravity(const Vec3<double>& g_N) { model_.gravity_N_ = g_N; }
  void add(const Wrench& wrench) { model_.wrenches_.push_back(wrench); }
  void add(const Spring& spring) { model_.springs_.push_back(spring); }
  void add(const JointSpring& spring) { model_.joint_springs_.push_back(spring); }
  void add(const JointLimit& limit) { model_.joint_limits_.push_back(limit); }
  void add(const JointFriction& friction) { model_.joint_frictions_.push_back(friction); }
  void add(const Bushing& bushing) { model_.bushings_.push_back(bushing); }
  void add(const Drag& drag) { model_.drags_.push_back(drag); }
  void add(const CentralGravity& gravity) { model_.central_gravities_.push_back(gravity); }
  template <Constraint C>
  void add(C constraint) {
    std::get<std::vector<C>>(model_.lists_).push_back(std::move(constraint));
  }
  void add(ForceLaw law) { model_.force_laws_.push_back(std::move(law)); }
  void add(JointLaw law) { model_.joint_laws_.push_back(std::move(law)); }
  void add(WrenchLaw law) { model_.wrench_laws_.push_back(std::move(law)); }
  /// One without a name is called "wheel1", "wheel2" by its number among all wheels.
  void add(ReactionWheel wheel) { model_.wheels_.push_back(std::move(wheel)); }
  /// For laws that look at an angle with its whole turns; springs and stops ask for it themselves.
  void count_turns(int joint, Coordinate coordinate) { model_.counted_.push_back({joint, coordinate}); }

  /// Fails with everything that is wrong.
  Model build() const;

 private:
  std::vector<JointDescription>& joints() { return std::get<std::vector<JointDescription>>(model_.lists_); }

  Model model_;
};

}  // namespace polhode
