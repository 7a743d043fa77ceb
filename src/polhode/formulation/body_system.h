#pragma once

#include "polhode/body/mass_properties.h"
#include "polhode/core/system.h"
#include "polhode/force/gravity_gradient_torque.h"
#include "polhode/formulation/forced_rotor_series.h"
#include "polhode/formulation/formulation.h"
#include "polhode/formulation/free_rotor_rates.h"
#include "polhode/math/error_free.h"
#include "polhode/math/series.h"

#include <array>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

namespace polhode {

/// The laws of one load on recorded numbers, by which the motion has a Taylor series (math/series.h).
template <class S>
struct RecordedLoad {
  std::string name;  ///< for messages: "load 'brake'"
  Load<SeriesTerm<S>> load;
};

/// One body and what acts on it. Free bodies refer to their mass centre, held ones to the fixed point: J_B and all
/// points u_B count from there.
template <class S>
struct OneBody {
  Mat3<S> J_B{};
  /// Inertia that changes with time (no internal momentum, no mass flow), in place of J_B.
  std::function<InertiaNow<S>(const S& t)> inertia_law;
  Load<S> load;
  /// The laws of `load`, all of them in their order, on recorded numbers; asked for when a Taylor series is. Empty:
  /// only gravity gradients among them have a series.
  std::function<std::vector<RecordedLoad<S>>()> recorded_laws;
  /// Mass of a body that is free to translate; a held body, or one whose translation is of no interest, has none.
  std::optional<S> mass;
  /// Charts are switched when nearer to their singularity than this [rad]; 0: never.
  S least_chart_distance{0};
  /// allow_any_positive: moments with J1 + J2 < J3, which no body has, are let through.
  Physical physical = Physical::require;

  /// Adds a law that takes states of any number type, so that it has a Taylor series, too; `name` is for messages:
  ///
  ///   body.add_moment_law("damper", [](const auto& s) { return -0.1 * s.w_B; });
  template <class Law>
  void add_moment_law(std::string name, Law law, LawOf looks_at = LawOf::rates_too) {
    load.add_moment(law, looks_at);
    record(std::move(name), [law](Load<SeriesTerm<S>>& to) { to.add_moment(law); });
  }
  template <class Law>
  void add_force_law(std::string name, Law law, LawOf looks_at = LawOf::rates_too) {
    load.add_force(law, looks_at);
    record(std::move(name), [law](Load<SeriesTerm<S>>& to) { to.add_force(law); });
  }

 private:
  template <class Add>
  void record(std::string name, Add add) {
    recorded_laws = [before = recorded_laws, name = std::move(name), add] {
      std::vector<RecordedLoad<S>> all = before ? before() : std::vector<RecordedLoad<S>>();
      all.push_back({name, {}});
      add(all.back().load);
      return all;
    };
  }
};

/// Change of ω' or h' as an unevaluated sum: added to main, rest would be rounded away.
template <class S>
struct RotorChange {
  Vec3<S> main;
  Vec3<S> rest;
};

/// One body under one formulation as a System.
///
/// State: that of the formulation, then r_N and v_N of the reference point if the body translates, then the speeds of
/// the wheels with motors. With such wheels the formulation carries what is left of the body without them (DYN-37).
/// Capabilities follow from the formulation and the load:
///   projection           forms with Euler parameters
///   chart switching      forms in charts, if least_chart_distance > 0
///   partition            euler-body, momentum-body, momentum-space
///   group action         the same three
///   exact flows          euler-body, momentum-body: constant inertia, no load law that looks at rates
///   free flow            the same
///   second order         euler-body
///   rotor                euler-body, constant inertia, held
///   constrained H.       canonical, constant inertia, held
///   Taylor series        euler-body, constant inertia, every load made of functions without an edge
///   update schemes       euler-body, momentum-body, momentum-space: constant inertia
template <class S>
class BodySystem final : public System<S>,
                         private Partition<S>,
                         private GroupAction<S>,
                         private ExactFlows<S>,
                         private FreeFlow<S>,
                         private SecondOrder<S>,
                         private ConstrainedHamiltonian<S>,
                         private Rotor<S>,
                         private TaylorSeries<S>,
                         private UpdateSchemes<S>,
                         private Projection<S>,
                         private ChartSwitching<S> {
 public:
  /// Both must outlive the system, and stay as they are. Fails for a body that cannot be and for loads that are not
  /// finite. An inertia law is looked at where a state is set.
  BodySystem(const Formulation<S>& form, const OneBody<S>& body);

  std::string name() const override { return "formulation '" + form_->description().name + "'"; }
  std::size_t size() const override { return form_size_ + (translates_ ? 6 : 0) + wheel_count_; }
  /// As the form calls its unknowns, with the frame: "e0", "w_B.y", "h_N.z", "x2.", "r_N.x".
  std::string entry_name(std::size_t i) const override;
  void rhs(const S& t, std::span<const S> y, std::span<S> ydot) const override;
  /// A load law or an inertia law that returned a NaN, or a chart at its singularity.
  std::string trouble(const S& t, std::span<const S> y) const override;
  /// Forms that have it, or what about the body or its loads is in the way.
  std::string absence(std::string_view capability) const override;

  /// The state as plain data, and back; wheels have their initial speeds. An initial state at a singularity of
  /// the form's chart is refused.
  BodyState<S> body_state(const S& t, std::span<const S> y) const;
  void set_state(const BodyState<S>& state, std::span<S> y) const;
  /// From one state of the body to another at once, as an impulse on it does: wheels keep their momenta, not their
  /// speeds.
  void change_state(const BodyState<S>& from, const BodyState<S>& to, std::span<S> y) const;
  /// Of the wheels with motors, rad/s, relative to the body.
  std::span<const S> wheel_speeds(std::span<const S> y) const { return y.last(wheel_count_); }
  /// Multiplier and ω̇' at a state.
  FormResult<S> result(const S& t, std::span<const S> y) const;
  /// Without the wheels that have motors.
  InertiaNow<S> inertia_at(const S& t) const { return body_->inertia_law ? body_->inertia_law(t) : constant_inertia_; }
  const Formulation<S>& form() const { return *form_; }
  const OneBody<S>& body() const { return *body_; }

  /// Of a free body in principal axes, in double.
  ExplicitKernels<S> explicit_kernels() const override;
  const Partition<S>* partition() const override { return velocity_form_ ? this : nullptr; }
  const GroupAction<S>* group_action() const override { return velocity_form_ ? this : nullptr; }
  const ExactFlows<S>* exact_flows() const override { return splits() ? this : nullptr; }
  const FreeFlow<S>* free_flow() const override { return splits() ? this : nullptr; }
  const SecondOrder<S>* second_order() const override {
    return kind_ == Kind::euler_body && wheel_count_ == 0 ? this : nullptr;
  }
  const Rotor<S>* rotor() const override {
    return kind_ == Kind::euler_body && constant() && !translates_ && wheel_count_ == 0 ? this : nullptr;
  }
  const ConstrainedHamiltonian<S>* constrained_hamiltonian() const override {
    return kind_ == Kind::canonical && constant() && !translates_ && wheel_count_ == 0 ? this : nullptr;
  }
  const TaylorSeries<S>* taylor_series() const override {
    return kind_ == Kind::euler_body && constant() && (polynomial_ || program()) ? this : nullptr;
  }
  const UpdateSchemes<S>* update_schemes() const override {
    return velocity_form_ && constant() && wheel_count_ == 0 ? this : nullptr;
  }
  const Projection<S>* projection() const override { return this; }
  const ChartSwitching<S>* chart_switching() const override {
    return body_->least_chart_distance > S(0) && !form_->description().singularity.empty() ? this : nullptr;
  }

 private:
  enum class Kind { euler_body, momentum_body, momentum_space, canonical, other };

  /// Directions in space of which the load of a body in principal axes is made (DYN-36), for its series.
  struct SeriesForcing {
    RotorForcing<S> numbers{};  ///< but for where the directions are
    std::array<Vec3<S>, RotorForcing<S>::kMostDirections> still_N{};
    const GravityGradient<S>* gradient = nullptr;  ///< the first direction and, on an orbit, the second are its own
    Vec3<S> acceleration_N{};                      ///< of a body that travels
  };
  /// The series of any other load; or why there is none.
  struct RecordedSeries {
    std::once_flag once;
    std::optional<SeriesProgram<S>> program;
    std::string obstacle;
  };

  bool constant() const { return !body_->inertia_law; }
  bool splits() const { return rotor_form_ && constant() && !body_->load.looks_at_rates; }
  void set_body(const BodyState<S>& state, std::span<S> y) const;
  void check_start(const BodyState<S>& state, std::span<const S> y) const;
  void check_inertia(const Mat3<S>& J_B, const std::string& who) const;
  std::optional<SeriesForcing> find_forcing() const;
  void forced_coefficients(const S& t, std::span<const S> y, std::size_t order, std::span<S> rows) const;
  void polynomial_coefficients(const S& t, std::size_t order, std::span<S> rows) const;
  const SeriesProgram<S>* program() const;
  void record(RecordedSeries& to) const;
  void loaded_rhs(const S& t, std::span<const S> y, std::span<S> ydot) const;
  void principal_flow(std::size_t k, const S& dt, S* y, S* rest) const;
  Vec3<S> rotor_momentum(std::span<const S> y) const;
  RotorChange<S> rotor_change(const Vec3<S>& dh_B) const;
  RotorChange<S> turn_rotor(const EulerParameters<S>& d, const Vec3<S>& dh_B, std::span<S> y, std::span<S> rest) const;
  void drift_of_position(const S& dt, std::span<S> y, std::span<S> rest) const;
  void translation_rates(const LoadNow<S>& load, std::span<const S> y, std::span<S> ydot) const;

  // Partition
  bool is_velocity(std::size_t i) const override {
    return i >= form_size_ ? !translates_ || i >= form_size_ + 3 : i >= 4;
  }
  // GroupAction: y · exp(a), a = (turn | the rest of y without e)
  std::size_t algebra_size() const override { return size() - 1; }
  void algebra(const S& t, std::span<const S> y, std::span<S> xi) const override;
  void act(std::span<S> y, std::span<const S> a) const override;
  void dexp_inverse(std::span<const S> a, std::span<const S> xi, std::span<S> result) const override;
  // ExactFlows: turns about the three principal axes, and a kick if something acts
  std::size_t count() const override { return body_->load.empty() && !translates_ ? 3 : 4; }
  void flow(std::size_t k, const S& t, const S& dt, std::span<S> y, std::span<S> rest) const override;
  // FreeFlow
  void drift(const S& dt, std::span<S> y, std::span<S> rest) const override;
  void kick(const S& t, const S& dt, std::span<S> y, std::span<S> rest) const override;
  // SecondOrder
  std::size_t velocity_size() const override { return translates_ ? 6 : 3; }
  void velocity(std::span<const S> y, std::span<S> v) const override;
  void set_velocity(std::span<S> y, std::span<const S> v) const override;
  void move(std::span<S> y, std::span<const S> a) const override;
  void acceleration(const S& t, std::span<const S> y, std::span<S> vdot) const override;
  // ConstrainedHamiltonian: H = ⅛ πᵀ Q diag(1/J0, J⁻¹) Qᵀ π, J0 any positive number, g = |e|² − 1
  std::size_t coordinate_count() const override { return 4; }
  std::size_t constraint_count() const override { return 1; }
  void dH_dq(const S& t, std::span<const S> q, std::span<const S> p, std::span<S> result) const override;
  void dH_dp(const S& t, std::span<const S> q, std::span<const S> p, std::span<S> result) const override;
  void constraint(std::span<const S> q, std::span<S> g) const override;
  void constraint_jacobian(std::span<const S> q, std::span<S> G) const override;
  // Rotor
  void inertia(std::span<S> J_B) const override;
  void torque(const S& t, std::span<const S> y, std::span<S> tau_B) const override;
  void turn(std::span<S> y, std::span<S> rest, std::span<const S> d) const override;
  // TaylorSeries
  std::size_t auxiliary_size() const override { return polynomial_ ? 6 * gradients_.size() : program()->memory_size(); }
  void coefficients(const S& t, std::span<const S> y, std::size_t order, std::span<S> rows) const override;
  // UpdateSchemes
  bool update(const Scheme& scheme, SchemeIndex index, const S& t, const S& dt, std::span<S> y) const override;
  // Projection, ChartSwitching
  void project(std::span<S> y) const override { form_->project(y.first(form_size_)); }
  bool switch_chart(std::span<S> y) const override {
    return form_->switch_chart(y.first(form_size_), body_->least_chart_distance);
  }

  const Formulation<S>* form_;
  const OneBody<S>* body_;
  InertiaNow<S> constant_inertia_{};
  std::size_t form_size_;
  bool translates_;
  std::size_t wheel_count_;
  Kind kind_ = Kind::other;
  bool velocity_form_ = false;  ///< y = (e | ω', h' or h)
  bool rotor_form_ = false;     ///< y = (e | ω' or h')
  bool principal_ = false;      ///< J' is constant and diagonal
  bool free_rotor_ = false;     ///< euler-body, principal, held by nothing and nothing acts: 7 numbers, 30 operations
  bool polynomial_ = false;     ///< no laws but gravity gradients
  std::vector<const GravityGradient<S>*> gradients_;  ///< among the moment laws of the load
  std::optional<SeriesForcing> forcing_;              ///< where the load is made of a few directions
  std::shared_ptr<RecordedSeries> recorded_;          ///< made when it is first asked for
  std::array<math::TwoParts<S>, 3> ratio_{};          ///< J3/J2 and its like, where principal
  std::array<math::TwoParts<S>, 3> inverse_ratio_{};  ///< J2/J3 and its like
  FreeRotorRates<S> rotor_{};                         ///< where principal
  Mat3<S> axes_B_{};                                  ///< principal axes as columns, right-handed
  Vec3<S> moments_{};                                 ///< principal moments, in the order of axes_B_
};

extern template class BodySystem<double>;
extern template class BodySystem<long double>;

}  // namespace polhode
