#include "polhode/formulation/body_system.h"

#include "polhode/core/error.h"
#include "polhode/formulation/describe.h"
#include "polhode/formulation/euler_body.h"
#include "polhode/formulation/free_rotor_series.h"
#include "polhode/formulation/schemes.h"
#include "polhode/math/symmetric_eigen.h"
#include "polhode/motion/free_motion.h"
#include "polhode/rotation/vector_charts.h"

#include <fmt/format.h>

#include <cmath>
#include <sstream>

namespace polhode {
namespace {

/// f0 − 1 of a turn f by |f|² = 1, so that a small turn keeps its digits:  f0 − 1 = −x/(1 + √(1 − x)),  x the square of
/// the vector part. A root is rounded without preference for one side; f0 itself, a cosine, need not be, and |e| would
/// drift with it.
template <class S>
S scalar_less_one(const S& x, const S& f0) {
  return f0 > S(0.5) ? -x / (S(1) + math::sqrt(S(1) - x)) : f0 - S(1);
}

/// exp(a) − 1
template <class S>
EulerParameters<S> exp_less_one(const Vec3<S>& a) {
  const EulerParameters<S> f = exp(a);
  return {scalar_less_one(norm_squared(f.ev), f.e0), f.ev};
}

/// Change of h' when the body turns by 1 + d and h stays in space: Fᵀ h' − h' = −2 (f0 f × h' − f × (f × h')).
template <class S>
Vec3<S> turned_back(const EulerParameters<S>& d, const Vec3<S>& h_B) {
  const Vec3<S> f_cross_h = cross(d.ev, h_B);
  return S(-2) * (f_cross_h + (d.e0 * f_cross_h - cross(d.ev, f_cross_h)));
}

/// The turn q by which a body has to be turned further, h staying in space, so that a change of ω' (in two parts) and
/// h' that should have left its kinetic energy T alone does so. δT is due to rounding, and q of its size:
///
///   δT = δω'·(h' + ½ δh'),   then h' → h' − q × h' takes away  q·g,   g = h' × ω'
///
/// q = δT g/|g|², but softly near the principal axes, where g is 0 and T the same all around.
template <class S>
Vec3<S> turn_that_keeps_energy(const Vec3<S>& w_B, const Vec3<S>& dw_B, const Vec3<S>& dw_rest_B, const Vec3<S>& h_B,
                               const Vec3<S>& dh_B) {
  const S w = norm(w_B);
  const S h = norm(h_B);
  if (!(w > S(0) && h > S(0))) { return {S(0), S(0), S(0)}; }
  constexpr S kSoft = S(0.01L);  // of |h'|² |ω'|²
  const Vec3<S> mean_h = (h_B + S(0.5) * dh_B) / h;
  const S dT = dot(dw_B / w, mean_h) + dot(dw_rest_B / w, mean_h);
  const Vec3<S> g = cross((h_B + dh_B) / h, (w_B + dw_B) / w);
  return (dT / (norm_squared(g) + kSoft)) * g;
}

/// y + rest ← y + rest + change
template <class S>
void add(S* y, S* rest, const Vec3<S>& change) {
  for (std::size_t i = 0; i < 3; ++i) { math::add_carrying(y[i], rest[i], change[i]); }
}
template <class S>
void add(S* y, S* rest, const RotorChange<S>& change) {
  add(y, rest, change.main);
  for (std::size_t i = 0; i < 3; ++i) { rest[i] = rest[i] + change.rest[i]; }
}
template <class S>
void add(S* y, S* rest, const EulerParameters<S>& change) {
  math::add_carrying(*y, *rest, change.e0);
  add(y + 1, rest + 1, change.ev);
}

/// The sum y + rest stays what it is, and rest becomes what y alone rounds away.
template <class S>
void gather(S* y, S* rest, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const math::TwoParts<S> sum = math::two_sum(y[i], rest[i]);
    y[i] = sum.high;
    rest[i] = sum.low;
  }
}
/// A turn takes rest to rest + (turn − 1) rest, the last part being left out of y until the next turn. |turn − 1| is up
/// to 2: beyond a turn of 60 degrees of a rate, of 120 of an attitude, rest would grow from turn to turn without a
/// bound. From 29 degrees on, where |turn − 1| is at most 1/2, it is gathered into y at once. `d0`: cosine of half the
/// turn, less one.
template <class S>
bool lets_rest_grow(const S& d0) {
  return d0 < S(-0.03125);
}

template <class S>
Vec3<double> rounded_to_double(const Vec3<S>& v) {
  return {static_cast<double>(v.x), static_cast<double>(v.y), static_cast<double>(v.z)};
}
template <class S>
std::string show(const Vec3<S>& v) {
  Vec3<double> d = rounded_to_double(v);
  for (std::size_t i = 0; i < 3; ++i) {
    if (std::isnan(d[i])) { d[i] = std::fabs(d[i]); }  // its sign means nothing
  }
  return fmt::format("({:.9g} {:.9g} {:.9g})", d.x, d.y, d.z);
}

/// Constants of a load must be finite; what a law returns is seen in the run.
template <class S>
void check_load(const Load<S>& load) {
  Problems problems;
  const auto check = [&](const Vec3<S>& v, const char* what, std::size_t n) {
    if (is_finite(v)) { return; }
    problems.add({.what = fmt::format("load: {} {} is {}", what, n + 1, show(v)),
                  .allowed = "finite numbers",
                  .cure = "leave it out, or give a law of time and state"});
  };
  for (std::size_t n = 0; n < load.forces_space.size(); ++n) {
    check(load.forces_space[n].f_N, "force in space components", n);
    check(load.forces_space[n].u_B, "point of the force in space components", n);
  }
  for (std::size_t n = 0; n < load.forces_body.size(); ++n) {
    check(load.forces_body[n].f_B, "force in body components", n);
    check(load.forces_body[n].u_B, "point of the force in body components", n);
  }
  for (std::size_t n = 0; n < load.moments_body.size(); ++n) {
    check(load.moments_body[n], "moment in body components", n);
  }
  for (std::size_t n = 0; n < load.moments_space.size(); ++n) {
    check(load.moments_space[n], "moment in space components", n);
  }
  std::move(problems).fail_if_any();
}

constexpr std::size_t kMostWheels = 32;

/// Wheels are parts of the body: without them something must be left that has inertia about every axis.
template <class S>
void check_wheels(const OneBody<S>& body) {
  if (body.load.wheels.empty()) { return; }
  if (body.load.wheels.size() > kMostWheels) {
    fail(Error(Problem{.what = fmt::format("{} reaction wheels", body.load.wheels.size()),
                       .allowed = fmt::format("allowed: {}", kMostWheels),
                       .cure = {}}));
  }
  if (body.inertia_law) { fail(Error("reaction wheels in a body whose inertia changes with time are not known")); }
  const SymmetricEigen<S, 3> left = symmetric_eigen(carrier_inertia(body.J_B, body.load.wheels));
  const S least = std::fmin(left.values[0], std::fmin(left.values[1], left.values[2]));
  if (least > S(0)) { return; }
  fail(Error(Problem{.what = fmt::format("the body without its reaction wheels has a moment of inertia of {:.3g} kg m²",
                                         static_cast<double>(least)),
                     .allowed = "wanted: above 0",
                     .cure = "the body's inertia includes its wheels: give more to the body, or less to the wheels"}));
}

/// What wheels do to what is left of the body: −ω' × Σ I (Ω + s'·ω') s' − Σ τ s'          (DYN-37)
template <class S>
Vec3<S> wheel_moment_B(const std::vector<MotorWheel<S>>& wheels, const BodyState<S>& state, std::span<const S> speeds) {
  Vec3<S> momentum_B{S(0), S(0), S(0)};
  Vec3<S> torque_B{S(0), S(0), S(0)};
  for (std::size_t i = 0; i < wheels.size(); ++i) {
    momentum_B = momentum_B + wheels[i].momentum(state.w_B, speeds[i]) * wheels[i].axis_B;
    torque_B = torque_B + wheels[i].torque(state, speeds, i) * wheels[i].axis_B;
  }
  return -cross(state.w_B, momentum_B) - torque_B;
}

/// Ω̇ = τ/I − s'·ω̇'                                                                     (DYN-37)
template <class S>
void wheel_rates(const std::vector<MotorWheel<S>>& wheels, const BodyState<S>& state, const Vec3<S>& wdot_B,
                 std::span<const S> speeds, std::span<S> rates) {
  for (std::size_t i = 0; i < wheels.size(); ++i) {
    rates[i] = wheels[i].torque(state, speeds, i) / wheels[i].inertia - dot(wheels[i].axis_B, wdot_B);
  }
}

template <class S>
Vec3<SeriesTerm<S>> recorded(const Vec3<S>& v) {
  return {SeriesTerm<S>(v.x), SeriesTerm<S>(v.y), SeriesTerm<S>(v.z)};
}
template <class S>
Mat3<SeriesTerm<S>> recorded(const Mat3<S>& m) {
  Mat3<SeriesTerm<S>> result;
  for (std::size_t i = 0; i < 9; ++i) { result(i / 3, i % 3) = SeriesTerm<S>(m(i / 3, i % 3)); }
  return result;
}
/// The constants of a load, on recorded numbers. The moment of a force that is constant in the body is so, too.
template <class S>
Load<SeriesTerm<S>> recorded_constants(const Load<S>& load) {
  Load<SeriesTerm<S>> made;
  for (const PointForce<S>& p : load.forces_space) { made.add_force_space(recorded(p.f_N), recorded(p.u_B)); }
  for (const auto& p : load.forces_body) {
    made.add_force_body(recorded(p.f_B), {});
    made.add_moment_body(recorded(cross(p.u_B, p.f_B)));
  }
  for (const Vec3<S>& m_B : load.moments_body) { made.add_moment_body(recorded(m_B)); }
  for (const Vec3<S>& m_N : load.moments_space) { made.add_moment_space(recorded(m_N)); }
  return made;
}
/// Adds the laws of a recorded load to another one; while one is evaluated, the recorder knows its name.
template <class S>
void add_laws(const RecordedLoad<S>& from, Load<SeriesTerm<S>>& to) {
  using Term = SeriesTerm<S>;
  for (const auto& law : from.load.force_laws) {
    to.add_force([law, name = from.name](const BodyState<Term>& s) {
      s.t.recorder()->set_place(name);
      return law(s);
    });
  }
  for (const auto& law : from.load.moment_laws) {
    to.add_moment([law, name = from.name](const BodyState<Term>& s) {
      s.t.recorder()->set_place(name);
      return law(s);
    });
  }
  for (MotorWheel<Term> wheel : from.load.wheels) {
    wheel.command = [command = wheel.command, name = from.name](const BodyState<Term>& s,
                                                                std::span<const Term> speeds) {
      s.t.recorder()->set_place(name);
      return command(s, speeds);
    };
    to.add_wheel(std::move(wheel));
  }
}

}  // namespace

template <class S>
BodySystem<S>::BodySystem(const Formulation<S>& form, const OneBody<S>& body)
    : form_(&form),
      body_(&body),
      form_size_(form.size()),
      translates_(body.mass.has_value()),
      wheel_count_(body.load.wheels.size()) {
  if (translates_ && !(*body.mass > S(0) && std::isfinite(*body.mass))) {
    fail(Error("mass of a translating body is not a positive number; leave it out for a body that is held"));
  }
  check_load(body.load);
  check_wheels(body);
  if (!body.inertia_law) {
    check_inertia(body.J_B, "one body: ");
    constant_inertia_ = inertia_now(carrier_inertia(body.J_B, body.load.wheels));
    const SymmetricEigen<S, 3> eigen = symmetric_eigen(body.J_B);
    axes_B_ = eigen.vectors;
    if (determinant(axes_B_) < S(0)) {
      for (std::size_t i = 0; i < 3; ++i) { axes_B_(i, 2) = -axes_B_(i, 2); }
    }
    moments_ = {eigen.values[0], eigen.values[1], eigen.values[2]};
  }
  const std::string& name = form.description().name;
  if (name == "euler-body") { kind_ = Kind::euler_body; }
  if (name == "momentum-body") { kind_ = Kind::momentum_body; }
  if (name == "momentum-space") { kind_ = Kind::momentum_space; }
  if (name == "canonical") { kind_ = Kind::canonical; }
  rotor_form_ = kind_ == Kind::euler_body || kind_ == Kind::momentum_body;
  velocity_form_ = rotor_form_ || kind_ == Kind::momentum_space;

  const Mat3<S>& J = body.J_B;
  principal_ = constant() && J(0, 1) == S(0) && J(0, 2) == S(0) && J(1, 2) == S(0);
  if (principal_) {
    rotor_.gyration = {(J(1, 1) - J(2, 2)) / J(0, 0), (J(2, 2) - J(0, 0)) / J(1, 1), (J(0, 0) - J(1, 1)) / J(2, 2)};
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t i = (k + 1) % 3;
      const std::size_t j = (k + 2) % 3;
      ratio_[k] = math::two_quotient(J(j, j), J(i, i));
      inverse_ratio_[k] = math::two_quotient(J(i, i), J(j, j));
    }
  }
  for (const auto& law : body.load.moment_laws) {
    if (const auto* gradient = law.template target<GravityGradient<S>>()) { gradients_.push_back(gradient); }
  }
  free_rotor_ = principal_ && kind_ == Kind::euler_body && body.load.empty() && !translates_;
  polynomial_ = wheel_count_ == 0 && body.load.force_laws.empty() && gradients_.size() == body.load.moment_laws.size();
  forcing_ = find_forcing();
  recorded_ = std::make_shared<RecordedSeries>();
}

template <class S>
void BodySystem<S>::check_inertia(const Mat3<S>& J_B, const std::string& who) const {
  const Physical physical =
      body_->physical == Physical::allow_any_positive ? Physical::allow_any_positive : Physical::require;
  MassProperties properties{.mass = 1, .center_B = {}, .J_B = {}};
  for (std::size_t i = 0; i < 9; ++i) { properties.J_B(i / 3, i % 3) = static_cast<double>(J_B(i / 3, i % 3)); }
  require_physical(properties, physical, who.c_str());
}

/// From the words of the form's description, where a frame in brackets follows its components.
template <class S>
std::string BodySystem<S>::entry_name(std::size_t i) const {
  if (i >= size() - wheel_count_) {
    return "speed of wheel '" + body_->load.wheels[i - (size() - wheel_count_)].name + "'";
  }
  if (i >= form_size_) {
    const std::size_t k = i - form_size_;
    return std::string(k < 3 ? "r_N." : "v_N.") + "xyz"[k % 3];
  }
  std::istringstream words(form_->description().unknowns);
  std::string name;
  std::string frame;
  std::string prefix;
  std::size_t n = 0;
  for (std::string word; words >> word;) {
    if (word == "|") { continue; }
    if (word == "reference") {
      prefix = "reference ";
    } else if (word.front() == '(') {
      frame = word;
    } else {
      if (n == i) { name = prefix + word; }
      ++n;
    }
  }
  POLHODE_ASSERT(!name.empty());
  if (name.front() != 'w' && name.front() != 'h') { return name; }
  return std::string(1, name.front()) + (frame == "(space)" ? "_N." : "_B.") + "xyz"[name[1] - '1'];
}

template <class S>
BodyState<S> BodySystem<S>::body_state(const S& t, std::span<const S> y) const {
  BodyState<S> state;
  state.t = t;
  form_->from_state(inertia_at(t), y.first(form_size_), state.e_NB, state.w_B);
  if (translates_) {
    state.r_N = take_vector(y.data() + form_size_);
    state.v_N = take_vector(y.data() + form_size_ + 3);
  }
  return state;
}

template <class S>
void BodySystem<S>::set_state(const BodyState<S>& state, std::span<S> y) const {
  set_body(state, y);
  for (std::size_t i = 0; i < wheel_count_; ++i) {
    y[size() - wheel_count_ + i] = body_->load.wheels[i].speed_at_start;
  }
}

template <class S>
void BodySystem<S>::change_state(const BodyState<S>& from, const BodyState<S>& to, std::span<S> y) const {
  set_body(to, y);
  for (std::size_t i = 0; i < wheel_count_; ++i) {
    S& speed = y[size() - wheel_count_ + i];
    speed = speed - dot(body_->load.wheels[i].axis_B, to.w_B - from.w_B);
  }
}

template <class S>
void BodySystem<S>::set_body(const BodyState<S>& state, std::span<S> y) const {
  if (body_->inertia_law) {
    check_inertia(body_->inertia_law(state.t).J_B,
                  fmt::format("inertia law at t = {:.6g}: ", static_cast<double>(state.t)));
  }
  form_->to_state(inertia_at(state.t), state.e_NB, state.w_B, y.first(form_size_));
  if (translates_) {
    put(y.data() + form_size_, state.r_N);
    put(y.data() + form_size_ + 3, state.v_N);
  }
  check_start(state, y);
}

/// Near a singularity rounding grows with the condition number of the chart; an initial state that loses half of its
/// digits is refused.
template <class S>
void BodySystem<S>::check_start(const BodyState<S>& state, std::span<const S> y) const {
  if (!std::isfinite(state.e_NB.e0) || !is_finite(state.e_NB.ev) || !is_finite(state.w_B)) {
    fail(Error(Problem{.what = fmt::format("initial state: attitude ({:.9g}; {}), body rate {} rad/s",
                                           static_cast<double>(state.e_NB.e0), show(state.e_NB.ev), show(state.w_B)),
                       .allowed = "finite numbers",
                       .cure = {}}));
  }
  const FormDescription& description = form_->description();
  if (description.singularity.empty()) { return; }
  const S worst = 1 / std::sqrt(std::numeric_limits<S>::epsilon());
  if (form_->chart_condition(y.first(form_size_)) < worst) { return; }
  // the best of the same family
  const std::string family = description.name.substr(0, description.name.find(':') + 1);
  std::string best;
  S least = worst;
  std::vector<S> other(form_size_);
  for (const auto& form : formulations<S>()) {
    if (!form->description().name.starts_with(family)) { continue; }
    form->to_state(inertia_at(state.t), state.e_NB, {S(0), S(0), S(0)}, other);
    if (const S condition = form->chart_condition(other); condition < least) {
      least = condition;
      best = form->description().name;
    }
  }
  fail(
      Error(Problem{.what = "formulation '" + description.name +
                            "' cannot start here: the attitude is at its singularity (" + description.singularity + ")",
                    .allowed = {},
                    .cure = "try " + (best.empty() ? "" : "'" + best + "', or ") +
                            "Euler parameters, which have none: 'euler-body'"}));
}

template <class S>
void BodySystem<S>::translation_rates(const LoadNow<S>& load, std::span<const S> y, std::span<S> ydot) const {
  if (!translates_) { return; }
  put(ydot.data() + form_size_, take_vector(y.data() + form_size_ + 3));
  put(ydot.data() + form_size_ + 3, load.force_N() / *body_->mass);
}

template <class S>
void BodySystem<S>::rhs(const S& t, std::span<const S> y, std::span<S> ydot) const {
  if (free_rotor_) { return rotor_(t, y.data(), ydot.data()); }
  loaded_rhs(t, y, ydot);
}

template <class S>
ExplicitKernels<S> BodySystem<S>::explicit_kernels() const {
  if constexpr (std::is_same_v<S, double>) {
    if (free_rotor_) { return explicit_kernels_of<7, S>(rotor_); }
  }
  return {};
}

/// Apart from rhs(), so that a free rotor does not pay for its stack frame.
template <class S>
[[gnu::noinline]] void BodySystem<S>::loaded_rhs(const S& t, std::span<const S> y, std::span<S> ydot) const {
  if (kind_ == Kind::euler_body && constant() && wheel_count_ == 0) {
    // the form that most runs are in, without the copies of inertia that others need
    BodyState<S> state;
    state.t = t;
    EulerBody{}.from_state(constant_inertia_, y.data(), state.e_NB, state.w_B);
    if (translates_) {
      state.r_N = take_vector(y.data() + form_size_);
      state.v_N = take_vector(y.data() + form_size_ + 3);
    }
    const LoadNow<S> load(body_->load, state);
    EulerBody{}.rates(constant_inertia_, load, y.data(), ydot.data());
    return translation_rates(load, y, ydot);
  }
  const BodyState<S> state = body_state(t, y);
  const std::vector<MotorWheel<S>>& wheels = body_->load.wheels;
  const Vec3<S> inside_B = wheel_count_ > 0 ? wheel_moment_B(wheels, state, wheel_speeds(y)) : Vec3<S>{};
  const LoadNow<S> load(body_->load, state, wheel_count_ > 0 ? &inside_B : nullptr);
  const FormResult<S> result = form_->rates(inertia_at(t), load, y.first(form_size_), ydot.first(form_size_));
  if (wheel_count_ > 0) { wheel_rates(wheels, state, result.wdot_B, wheel_speeds(y), ydot.last(wheel_count_)); }
  if (!result.solvable) {
    for (S& rate : ydot) { rate = std::numeric_limits<S>::quiet_NaN(); }
  }
  translation_rates(load, y, ydot);
}

template <class S>
std::string BodySystem<S>::trouble(const S& t, std::span<const S> y) const {
  const BodyState<S> state = body_state(t, y);
  const LoadNow<S> load(body_->load, state);
  const Vec3<S> tau_B = load.torque_B();
  const Vec3<S> f_N = load.force_N();
  const std::string when = fmt::format(" at t = {:.6g}", static_cast<double>(t));
  if (body_->inertia_law) {
    const InertiaNow<S> now = body_->inertia_law(t);
    for (std::size_t i = 0; i < 3; ++i) {
      if (!is_finite(row(now.J_B, i)) || !is_finite(row(now.Jdot_B, i))) {
        return fmt::format("the inertia law is not finite: row {} of J_B = {}, of its rate {}", i + 1,
                           show(row(now.J_B, i)), show(row(now.Jdot_B, i))) +
               when;
      }
    }
    const SymmetricEigen<S, 3> eigen = symmetric_eigen(now.J_B);
    const Vec3<S> moments{eigen.values[0], eigen.values[1], eigen.values[2]};
    if (!(std::fmin(moments.x, std::fmin(moments.y, moments.z)) > S(0))) {
      return "the inertia law is not positive definite: principal moments " + show(moments) + " kg m²" + when;
    }
  }
  // before the loads: at a singularity there is no attitude, and no load either
  const std::string& singularity = form_->description().singularity;
  std::vector<S> ydot(form_size_);
  if (!singularity.empty() && !form_->rates(inertia_at(t), load, y.first(form_size_), ydot).solvable) {
    return "the chart is at its singularity (" + singularity + ")" + when;
  }
  for (std::size_t i = 0; i < wheel_count_; ++i) {
    const MotorWheel<S>& wheel = body_->load.wheels[i];
    if (!std::isfinite(wheel.torque(state, wheel_speeds(y), i))) {
      return "the motor torque of wheel '" + wheel.name + "' is not finite" + when;
    }
  }
  if (!is_finite(tau_B)) { return "the loads are not finite: tau_B = " + show(tau_B) + when; }
  if (!is_finite(f_N)) { return "the loads are not finite: f_N = " + show(f_N) + when; }
  return {};
}

template <class S>
std::string BodySystem<S>::absence(std::string_view capability) const {
  const auto of_held = [&](bool right_form, const char* forms) -> std::string {
    if (!right_form) { return forms; }
    if (!constant()) { return "the inertia changes with time"; }
    return translates_ ? "the body travels" : "";
  };
  if (capability == "Taylor series") {
    if (kind_ != Kind::euler_body) { return "only euler-body does"; }
    if (!constant()) { return "the inertia changes with time"; }
    return taylor_series() != nullptr ? "" : recorded_->obstacle;
  }
  if (wheel_count_ > 0 && capability != "partition" && capability != "group action" && capability != "constraints") {
    return "the speed of a reaction wheel is part of the state, which methods by right sides alone carry";
  }
  if (capability == "partition" || capability == "group action") {
    return velocity_form_ ? "" : "only euler-body, momentum-body and momentum-space do";
  }
  if (capability == "exact flows" || capability == "free flow") {
    if (!rotor_form_) { return "only euler-body and momentum-body do"; }
    if (!constant()) { return "the inertia changes with time"; }
    return body_->load.looks_at_rates ? "a load looks at rates" : "";
  }
  if (capability == "second order") { return kind_ == Kind::euler_body ? "" : "only euler-body does"; }
  if (capability == "rotor") { return of_held(kind_ == Kind::euler_body, "only euler-body does"); }
  if (capability == "constrained Hamiltonian") { return of_held(kind_ == Kind::canonical, "only canonical does"); }
  if (capability == "update schemes") {
    if (!velocity_form_) { return "only euler-body, momentum-body and momentum-space do"; }
    return constant() ? "" : "the inertia changes with time";
  }
  return capability == "constraints" ? "only mechanisms do" : "";
}

template <class S>
FormResult<S> BodySystem<S>::result(const S& t, std::span<const S> y) const {
  std::array<S, 16> ydot{};
  POLHODE_ASSERT(form_size_ <= ydot.size());
  const BodyState<S> state = body_state(t, y);
  const Vec3<S> inside_B = wheel_count_ > 0 ? wheel_moment_B(body_->load.wheels, state, wheel_speeds(y)) : Vec3<S>{};
  return form_->rates(inertia_at(t), LoadNow<S>(body_->load, state, wheel_count_ > 0 ? &inside_B : nullptr),
                      y.first(form_size_), std::span<S>(ydot.data(), form_size_));
}

// ---- group action: e moves by the group of rotations, the rest by addition ---------------------------------------

template <class S>
void BodySystem<S>::algebra(const S& t, std::span<const S> y, std::span<S> xi) const {
  const auto fill = [&](auto ydot) {
    const std::span<S> rates(ydot.data(), size());
    rhs(t, y, rates);
    const BodyState<S> state = body_state(t, y);
    put(xi.data(), kind_ == Kind::momentum_space ? rotate(state.e_NB, state.w_B) : state.w_B);
    for (std::size_t i = 4; i < size(); ++i) { xi[i - 1] = rates[i]; }
  };
  if (wheel_count_ == 0) { return fill(std::array<S, 16>{}); }
  fill(std::array<S, 16 + kMostWheels>{});
}

template <class S>
void BodySystem<S>::act(std::span<S> y, std::span<const S> a) const {
  const EulerParameters<S> d = exp_less_one(take_vector(a.data()));
  const EulerParameters<S> e_NB = take_euler_parameters(y.data());
  put(y.data(), e_NB + (kind_ == Kind::momentum_space ? d * e_NB : e_NB * d));
  for (std::size_t i = 4; i < size(); ++i) { y[i] = y[i] + a[i - 1]; }
}

template <class S>
void BodySystem<S>::dexp_inverse(std::span<const S> a, std::span<const S> xi, std::span<S> result) const {
  // a is a rotation vector: ξ = S(a) ȧ in body components, S(a)ᵀ ȧ in space components
  const Vec3<S> turn = take_vector(a.data());
  const Mat3<S> inverse_rate = RotationVector{}.inverse_body_rate_matrix(turn);
  const Vec3<S> w = take_vector(xi.data());
  put(result.data(), kind_ == Kind::momentum_space ? transpose_times(inverse_rate, w) : inverse_rate * w);
  for (std::size_t i = 3; i < xi.size(); ++i) { result[i] = xi[i]; }
}

// ---- exact flows -------------------------------------------------------------------------------------------------

template <class S>
Vec3<S> BodySystem<S>::rotor_momentum(std::span<const S> y) const {
  const Vec3<S> v = take_vector(y.data() + 4);
  return kind_ == Kind::euler_body ? constant_inertia_.J_B * v : v;
}

/// Change of ω', or of h', with that of h'. By changes, so that J'⁻¹ J' = 1 + rounding does not act at every step in
/// the same direction; and corrected once, since the same rounding turns a change, too, always in the same direction.
/// The correction is not added up here: most of it would be rounded away, and not evenly.
template <class S>
RotorChange<S> BodySystem<S>::rotor_change(const Vec3<S>& dh_B) const {
  if (kind_ != Kind::euler_body) { return {dh_B, {S(0), S(0), S(0)}}; }
  const Vec3<S> dw_B = constant_inertia_.J_inverse_B * dh_B;
  return {dw_B, constant_inertia_.J_inverse_B * (dh_B - constant_inertia_.J_B * dw_B)};
}

/// The body turns by 1 + d while h stays in space, h' changing by dh_B; what is in `rest` turns along. Returns the
/// change of ω' or h' without that of its rest.
template <class S>
RotorChange<S> BodySystem<S>::turn_rotor(const EulerParameters<S>& d, const Vec3<S>& dh_B, std::span<S> y,
                                         std::span<S> rest) const {
  const RotorChange<S> dv = rotor_change(dh_B);
  const EulerParameters<S> e_rest = take_euler_parameters(rest.data());
  const Vec3<S> dv_rest = rotor_change(turned_back(d, rotor_momentum(rest))).main;
  add(y.data(), rest.data(), take_euler_parameters(y.data()) * d);
  put(rest.data(), take_euler_parameters(rest.data()) + e_rest * d);
  add(y.data() + 4, rest.data() + 4, RotorChange<S>{dv.main, dv.rest + dv_rest});
  return dv;
}

/// DYN-30 where the principal axes are those of the body: the turn is in the plane of the two other axes.
template <class S>
void BodySystem<S>::principal_flow(std::size_t k, const S& dt, S* y, S* rest) const {
  const std::size_t i = (k + 1) % 3;
  const std::size_t j = (k + 2) % 3;
  const auto J = [&](std::size_t axis) -> const S& { return body_->J_B(axis, axis); };
  const bool rates = kind_ == Kind::euler_body;
  const S half = S(0.5) * dt * (rates ? y[4 + k] : y[4 + k] / J(k));
  const math::SinCos<S> f = math::sincos(half);
  const S d0 = scalar_less_one(f.sin * f.sin, f.cos);
  // y_a → y_a + c y_a + s_ab y_b,  y_b → y_b + c y_b − s_ba y_a
  const auto turn_pair = [&](std::size_t a, std::size_t b, const S& c, const math::TwoParts<S>& s_ab,
                             const math::TwoParts<S>& s_ba) {
    const S y_a = y[a];
    const S y_b = y[b];
    const S change_of_rest_a = (c * rest[a] + s_ab.high * rest[b]) + s_ab.low * y_b;
    const S change_of_rest_b = (c * rest[b] - s_ba.high * rest[a]) - s_ba.low * y_a;
    math::add_carrying(y[a], rest[a], c * y_a + s_ab.high * y_b);
    math::add_carrying(y[b], rest[b], c * y_b - s_ba.high * y_a);
    rest[a] += change_of_rest_a;
    rest[b] += change_of_rest_b;
  };
  const math::TwoParts<S> half_sine{f.sin, S(0)};
  turn_pair(1 + k, 0, d0, half_sine, half_sine);
  turn_pair(1 + i, 1 + j, d0, half_sine, half_sine);
  // h_i and h_j turn by the whole angle: sine 2 s c, cosine less one −2 s². What the ratios of moments have rounded
  // away would act at every step in the same direction.
  const S sine = S(2) * (f.sin + f.sin * d0);
  const auto sine_times = [&](const math::TwoParts<S>& ratio) {
    return math::TwoParts<S>{sine * ratio.high, sine * ratio.low};
  };
  constexpr math::TwoParts<S> kOne{S(1), S(0)};
  turn_pair(4 + i, 4 + j, S(-2) * f.sin * f.sin, sine_times(rates ? ratio_[k] : kOne),
            sine_times(rates ? inverse_ratio_[k] : kOne));
  if (lets_rest_grow(d0)) { gather(y, rest, 7); }
}

/// Kinetic energy split by principal axes, T = Σ h_i²/2J_i: each part turns the body about its axis at the constant
/// rate ω_i = h_i/J_i while h stays in space. The kick adds dt n' at a fixed attitude.
///
///   e → e ∘ exp(ω_i dt a_i),   h' → exp(−ω_i dt a_i) h'     (DYN-30) [Reich1994]
template <class S>
void BodySystem<S>::flow(std::size_t k, const S& t, const S& dt, std::span<S> y, std::span<S> rest) const {
  if (k < 3 && principal_ && !translates_) { return principal_flow(k, dt, y.data(), rest.data()); }
  if (k < 3) {
    const Vec3<S> axis_B = column(axes_B_, k);
    const Vec3<S> h_B = rotor_momentum(y);
    const S angle = dt * dot(axis_B, h_B) / moments_[k];
    const EulerParameters<S> d = exp_less_one(angle * axis_B);
    turn_rotor(d, turned_back(d, h_B), y, rest);
    if (lets_rest_grow(d.e0)) { gather(y.data(), rest.data(), 7); }
    if (k == 0) { drift_of_position(dt, y, rest); }
    return;
  }
  kick(t, dt, y, rest);
}

// ---- free flow -----------------------------------------------------------------------------------------------------

/// The body moves as a free one does (MOT-13 to MOT-17), seen as a further turn d of the body out of where it is; h'
/// is turned back by the same d, so that h stays in space whatever rounding does to d.
///
///   e → e ∘ d(dt; h'),   h' → d* ∘ h' ∘ d                   (DYN-35) [VanZonSchofield2007; Celledoni2008]
///
/// In double the closed form is set up in plain doubles: the time is short. What that and rounding do to the energy is
/// taken back, by a turn too small for anything but `rest`.
template <class S>
void BodySystem<S>::drift(const S& dt, std::span<S> y, std::span<S> rest) const {
  const Vec3<S> h_B = rotor_momentum(y);
  const Vec3<S> v = take_vector(y.data() + 4);
  const Vec3<S> w_B = kind_ == Kind::euler_body ? v : constant_inertia_.J_inverse_B * v;
  constexpr S kFastest = S(1e99L);  // FreeMotion refuses rates from 1e100; here they are a status, not an error
  if (!(norm(w_B) < kFastest)) {
    for (S& entry : y) { entry = std::numeric_limits<S>::quiet_NaN(); }
    return;
  }
  const FreeMotion<S, S> motion(moments_, EulerParameters<S>::identity(), transpose_times(axes_B_, w_B));
  const EulerParameters<S> d_P = motion.at(dt).e_NB;
  const Vec3<S> f = axes_B_ * d_P.ev;
  const EulerParameters<S> d{scalar_less_one(norm_squared(f), d_P.e0), f};
  const Vec3<S> dh_B = turned_back(d, h_B);
  const RotorChange<S> dv = turn_rotor(d, dh_B, y, rest);
  const Vec3<S> dw_B = kind_ == Kind::euler_body ? dv.main : constant_inertia_.J_inverse_B * dh_B;
  const Vec3<S> half_q = S(0.5) * turn_that_keeps_energy(w_B, dw_B, dv.rest, h_B, dh_B);
  put(rest.data(), take_euler_parameters(rest.data()) + take_euler_parameters(y.data()) * pure(half_q));
  put(rest.data() + 4, take_vector(rest.data() + 4) - S(2) * rotor_change(cross(half_q, h_B + dh_B)).main);
  if (lets_rest_grow(d.e0)) { gather(y.data(), rest.data(), 7); }
  drift_of_position(dt, y, rest);
}

/// At a fixed attitude: h' → h' + dt n', v → v + dt f/m.
template <class S>
void BodySystem<S>::kick(const S& t, const S& dt, std::span<S> y, std::span<S> rest) const {
  const BodyState<S> state = body_state(t, y);
  const LoadNow<S> load(body_->load, state);
  add(y.data() + 4, rest.data() + 4, rotor_change(dt * load.torque_B()));
  if (translates_) {
    const std::size_t velocity = form_size_ + 3;
    add(y.data() + velocity, rest.data() + velocity, (dt / *body_->mass) * load.force_N());
  }
}

template <class S>
void BodySystem<S>::drift_of_position(const S& dt, std::span<S> y, std::span<S> rest) const {
  if (!translates_) { return; }
  const Vec3<S> v_N = take_vector(y.data() + form_size_ + 3);
  add(y.data() + form_size_, rest.data() + form_size_, dt * v_N);
}

// ---- second order --------------------------------------------------------------------------------------------------

template <class S>
void BodySystem<S>::velocity(std::span<const S> y, std::span<S> v) const {
  put(v.data(), take_vector(y.data() + 4));
  if (translates_) { put(v.data() + 3, take_vector(y.data() + form_size_ + 3)); }
}
template <class S>
void BodySystem<S>::set_velocity(std::span<S> y, std::span<const S> v) const {
  put(y.data() + 4, take_vector(v.data()));
  if (translates_) { put(y.data() + form_size_ + 3, take_vector(v.data() + 3)); }
}
template <class S>
void BodySystem<S>::move(std::span<S> y, std::span<const S> a) const {
  const EulerParameters<S> e_NB = take_euler_parameters(y.data());
  put(y.data(), e_NB + e_NB * exp_less_one(take_vector(a.data())));
  if (translates_) { put(y.data() + form_size_, take_vector(y.data() + form_size_) + take_vector(a.data() + 3)); }
}
template <class S>
void BodySystem<S>::acceleration(const S& t, std::span<const S> y, std::span<S> vdot) const {
  std::array<S, 16> ydot{};
  rhs(t, y, std::span<S>(ydot.data(), size()));
  put(vdot.data(), take_vector(ydot.data() + 4));
  if (translates_) { put(vdot.data() + 3, take_vector(ydot.data() + form_size_ + 3)); }
}

// ---- Hamilton's equations on the sphere |e| = 1 ---------------------------------------------------------------------

/// z = e* ∘ π, w = (z0/J0; J'⁻¹ z):  ∂H/∂π = ¼ e ∘ w,  ∂H/∂e = ¼ π ∘ w*;  the load enters as −2 e ∘ (0; n').
/// J0 = tr J' only acts off the tangent e·π = 0 and drops out of the motion.      (DYN-31)
template <class S>
void BodySystem<S>::dH_dp(const S&, std::span<const S> q, std::span<const S> p, std::span<S> result) const {
  const EulerParameters<S> e_NB = take_euler_parameters(q.data());
  const EulerParameters<S> z = conjugate(e_NB) * take_euler_parameters(p.data());
  const EulerParameters<S> w{z.e0 / trace(body_->J_B), constant_inertia_.J_inverse_B * z.ev};
  put(result.data(), S(0.25) * (e_NB * w));
}
template <class S>
void BodySystem<S>::dH_dq(const S& t, std::span<const S> q, std::span<const S> p, std::span<S> result) const {
  const EulerParameters<S> e_NB = take_euler_parameters(q.data());
  const EulerParameters<S> pi = take_euler_parameters(p.data());
  const EulerParameters<S> z = conjugate(e_NB) * pi;
  const EulerParameters<S> w{z.e0 / trace(body_->J_B), constant_inertia_.J_inverse_B * z.ev};
  BodyState<S> state;
  state.t = t;
  state.e_NB = e_NB;
  state.w_B = S(0.5) * w.ev;
  const Vec3<S> tau_B = LoadNow<S>(body_->load, state).torque_B();
  put(result.data(), S(0.25) * (pi * conjugate(w)) - S(2) * (e_NB * pure(tau_B)));
}
template <class S>
void BodySystem<S>::constraint(std::span<const S> q, std::span<S> g) const {
  g[0] = norm_squared(take_euler_parameters(q.data())) - S(1);
}
template <class S>
void BodySystem<S>::constraint_jacobian(std::span<const S> q, std::span<S> G) const {
  for (std::size_t i = 0; i < 4; ++i) { G[i] = S(2) * q[i]; }
}

// ---- rotor
// -----------------------------------------------------------------------------------------------------------

template <class S>
void BodySystem<S>::inertia(std::span<S> J_B) const {
  for (std::size_t i = 0; i < 9; ++i) { J_B[i] = body_->J_B(i / 3, i % 3); }
}
template <class S>
void BodySystem<S>::torque(const S& t, std::span<const S> y, std::span<S> tau_B) const {
  const BodyState<S> state = body_state(t, y);
  put(tau_B.data(), LoadNow<S>(body_->load, state).torque_B());
}

template <class S>
void BodySystem<S>::turn(std::span<S> y, std::span<S> rest, std::span<const S> d) const {
  add(y.data(), rest.data(), take_euler_parameters(y.data()) * take_euler_parameters(d.data()));
}

// ---- Taylor series
// -----------------------------------------------------------------------------------------------------

/// A body in principal axes under loads that are constant in the body, stand still in space, or are one gravity
/// gradient (DYN-36): its series is made of those directions. Up to three, or none where there are more.
template <class S>
std::optional<typename BodySystem<S>::SeriesForcing> BodySystem<S>::find_forcing() const {
  const Load<S>& load = body_->load;
  const bool known = polynomial_ && gradients_.size() < 2;
  if (kind_ != Kind::euler_body || !principal_ || free_rotor_ || !known) { return {}; }
  if (translates_ && !load.forces_body.empty()) { return {}; }  // they turn in space
  const Mat3<S>& J = body_->J_B;
  const Vec3<S> moments{J(0, 0), J(1, 1), J(2, 2)};
  SeriesForcing found;
  RotorForcing<S>& to = found.numbers;
  Vec3<S> moment_B{S(0), S(0), S(0)};
  for (const Vec3<S>& m_B : load.moments_body) { moment_B = moment_B + m_B; }
  for (const auto& p : load.forces_body) { moment_B = moment_B + cross(p.u_B, p.f_B); }
  for (std::size_t i = 0; i < 3; ++i) {
    to.gyration[i] = rotor_.gyration[i];
    to.steady[i] = moment_B[i] / moments[i];
  }
  if (!gradients_.empty()) {
    found.gradient = gradients_[0];
    const Mat3<S>& K = found.gradient->inertia_B();
    if (K(0, 1) != S(0) || K(0, 2) != S(0) || K(1, 2) != S(0)) { return {}; }
    to.pulls = true;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t j = (i + 1) % 3;
      const std::size_t k = (i + 2) % 3;
      to.pull[i] = S(3) * found.gradient->strength() * (K(k, k) - K(j, j)) / moments[i];
    }
    to.directions = 1;
    if (const S& rate = found.gradient->rate(); rate != S(0)) {
      to.directions = 2;
      to.direction[0].rate = rate;
      to.direction[0].partner = 1;
      to.direction[1].rate = -rate;
      to.direction[1].partner = 0;
    }
  }
  // one direction if all are parallel, else those of the axes of space
  std::vector<PointForce<S>> turning;
  for (const PointForce<S>& p : load.forces_space) {
    if (translates_) { found.acceleration_N = found.acceleration_N + p.f_N / *body_->mass; }
    if (norm_squared(p.u_B) > S(0) && norm_squared(p.f_N) > S(0)) { turning.push_back(p); }
  }
  Vec3<S> moment_N{S(0), S(0), S(0)};
  for (const Vec3<S>& m_N : load.moments_space) { moment_N = moment_N + m_N; }
  const bool has_moment = norm_squared(moment_N) > S(0);
  if (turning.empty() && !has_moment) {
    if (to.directions == 0) { to.directions = 1; }  // that of nothing
    return found;
  }
  const Vec3<S> first_N = has_moment ? moment_N : turning[0].f_N;
  bool parallel = true;
  for (const PointForce<S>& p : turning) { parallel = parallel && norm_squared(cross(first_N, p.f_N)) == S(0); }
  const std::size_t count = parallel ? 1 : 3;
  if (to.directions + count > RotorForcing<S>::kMostDirections) { return {}; }
  for (std::size_t axis = 0; axis < count; ++axis) {
    const Vec3<S> d_N = parallel ? first_N : axis_vector<S>(axis);
    const auto share_of = [&](const Vec3<S>& v_N) { return dot(v_N, d_N) / norm_squared(d_N); };
    auto& direction = to.direction[to.directions];
    for (std::size_t c = 0; c < 3; ++c) {
      Vec3<S> column = share_of(moment_N) * axis_vector<S>(c);
      for (const PointForce<S>& p : turning) { column = column + share_of(p.f_N) * cross(p.u_B, axis_vector<S>(c)); }
      for (std::size_t i = 0; i < 3; ++i) { direction.columns[3 * c + i] = column[i] / moments[i]; }
    }
    found.still_N[to.directions++] = d_N;
  }
  return found;
}

template <class S>
void BodySystem<S>::forced_coefficients(const S& t, std::span<const S> y, std::size_t order, std::span<S> rows) const {
  const std::size_t n = size();
  const EulerParameters<S> e_NB = take_euler_parameters(y.data());
  RotorForcing<S> forcing = forcing_->numbers;
  const auto start = [&](std::size_t i, const Vec3<S>& d_N) {
    put(forcing.direction[i].start, rotate_back(e_NB, d_N));
  };
  for (std::size_t i = 0; i < forcing.directions; ++i) { start(i, forcing_->still_N[i]); }
  if (const GravityGradient<S>* gradient = forcing_->gradient) {
    start(0, gradient->direction_N(t));
    if (gradient->rate() != S(0)) { start(1, gradient->ahead_N(t)); }
  }
  forced_rotor_series(forcing, order, n, rows.data());
  if (!translates_) { return; }
  const Vec3<S> zero{S(0), S(0), S(0)};
  for (std::size_t k = 1; k <= order; ++k) {
    S* row = rows.data() + k * n + 7;
    put(row, k == 1 ? take_vector(y.data() + 10) : k == 2 ? S(0.5) * forcing_->acceleration_N : zero);
    put(row + 3, k == 1 ? forcing_->acceleration_N : zero);
  }
}

/// The equations are polynomials, so the coefficients come by convolution, (k + 1) y_{k+1} = f_k:
///
///   f_k(e) = ½ Σ_j e_j ∘ (0; ω'_{k−j}),   f_k(ω') = J'⁻¹ (n'_k − Σ_j ω'_j × J' ω'_{k−j})
///   (Aᵀ f)_k = Σ_j e*_j ∘ (0; f) ∘ e_{k−j}                  (DYN-32)
///
/// and by DYN-36 for gravity gradients. For loads without laws of their own in any axes, and for any number of
/// directions.
template <class S>
void BodySystem<S>::polynomial_coefficients(const S& t, std::size_t order, std::span<S> rows) const {
  const std::size_t n = size();
  const Load<S>& load = body_->load;
  const auto e = [&](std::size_t k) { return take_euler_parameters(rows.data() + k * n); };
  const auto w = [&](std::size_t k) { return take_vector(rows.data() + k * n + 4); };

  // constant vectors that turn with, or against, the body enter through their sums
  Vec3<S> moment_B{S(0), S(0), S(0)};
  for (const Vec3<S>& m_B : load.moments_body) { moment_B = moment_B + m_B; }
  for (const auto& p : load.forces_body) { moment_B = moment_B + cross(p.u_B, p.f_B); }
  Vec3<S> moment_N{S(0), S(0), S(0)};
  for (const Vec3<S>& m_N : load.moments_space) { moment_N = moment_N + m_N; }
  Vec3<S> force_N{S(0), S(0), S(0)};
  for (const auto& p : load.forces_space) { force_N = force_N + p.f_N; }
  Vec3<S> force_B{S(0), S(0), S(0)};
  for (const auto& p : load.forces_body) { force_B = force_B + p.f_B; }
  // rows of (u' | v') of each gradient, behind those of y
  const auto directions = [&](std::size_t g, std::size_t k) {
    return rows.data() + (order + 1) * n + 6 * (g * (order + 1) + k);
  };
  const auto u = [&](std::size_t g, std::size_t k) { return take_vector(directions(g, k)); };
  const auto v = [&](std::size_t g, std::size_t k) { return take_vector(directions(g, k) + 3); };
  for (std::size_t g = 0; g < gradients_.size(); ++g) {
    put(directions(g, 0), rotate_back(e(0), gradients_[g]->direction_N(t)));
    put(directions(g, 0) + 3, rotate_back(e(0), gradients_[g]->ahead_N(t)));
  }
  const bool turning_load = !load.moments_space.empty() || !load.forces_space.empty();

  for (std::size_t k = 0; k < order; ++k) {
    EulerParameters<S> edot{S(0), {S(0), S(0), S(0)}};
    Vec3<S> gyroscopic{S(0), S(0), S(0)};
    for (std::size_t j = 0; j <= k; ++j) {
      edot = edot + e(j) * pure(w(k - j));
      gyroscopic = gyroscopic + cross(w(j), constant_inertia_.J_B * w(k - j));
    }
    Vec3<S> torque_B = k == 0 ? moment_B : Vec3<S>{S(0), S(0), S(0)};
    if (turning_load) {
      const auto turned_back = [&](const Vec3<S>& v_N) {
        Vec3<S> sum{S(0), S(0), S(0)};
        for (std::size_t j = 0; j <= k; ++j) { sum = sum + (conjugate(e(j)) * (pure(v_N) * e(k - j))).ev; }
        return sum;
      };
      torque_B = torque_B + turned_back(moment_N);
      for (const PointForce<S>& p : load.forces_space) { torque_B = torque_B + cross(p.u_B, turned_back(p.f_N)); }
    }
    const S next = S(static_cast<double>(k + 1));
    for (std::size_t g = 0; g < gradients_.size(); ++g) {
      const GravityGradient<S>& gradient = *gradients_[g];
      Vec3<S> pull{S(0), S(0), S(0)};
      Vec3<S> udot = gradient.rate() * v(g, k);
      Vec3<S> vdot = -gradient.rate() * u(g, k);
      for (std::size_t j = 0; j <= k; ++j) {
        pull = pull + cross(u(g, j), gradient.inertia_B() * u(g, k - j));
        udot = udot + cross(u(g, j), w(k - j));
        vdot = vdot + cross(v(g, j), w(k - j));
      }
      torque_B = torque_B + (S(3) * gradient.strength()) * pull;
      put(directions(g, k + 1), udot / next);
      put(directions(g, k + 1) + 3, vdot / next);
    }
    S* row = rows.data() + (k + 1) * n;
    put(row, (S(0.5) / next) * edot);
    put(row + 4, (constant_inertia_.J_inverse_B * (torque_B - gyroscopic)) / next);
    if (translates_) {
      Vec3<S> force = k == 0 ? force_N : Vec3<S>{S(0), S(0), S(0)};
      if (!load.forces_body.empty()) {
        for (std::size_t j = 0; j <= k; ++j) { force = force + (e(j) * (pure(force_B) * conjugate(e(k - j)))).ev; }
      }
      put(row + form_size_, take_vector(rows.data() + k * n + form_size_ + 3) / next);
      put(row + form_size_ + 3, force / (next * *body_->mass));
    }
  }
}

template <class S>
const SeriesProgram<S>* BodySystem<S>::program() const {
  RecordedSeries& recorded = *recorded_;
  std::call_once(recorded.once, [&] { record(recorded); });
  return recorded.program ? &*recorded.program : nullptr;
}

/// The right-hand side of euler-body under any load, recorded.
template <class S>
void BodySystem<S>::record(RecordedSeries& to) const {
  using Term = SeriesTerm<S>;
  Load<Term> load = recorded_constants(body_->load);
  if (body_->recorded_laws) {
    for (const RecordedLoad<S>& one : body_->recorded_laws()) { add_laws(one, load); }
  }
  if (load.moment_laws.size() + gradients_.size() == body_->load.moment_laws.size()) {
    for (const GravityGradient<S>* gradient : gradients_) { load.add_moment(gradient->template as<Term>()); }
  }
  if (load.force_laws.size() != body_->load.force_laws.size() ||
      load.moment_laws.size() != body_->load.moment_laws.size() || load.wheels.size() != wheel_count_) {
    to.obstacle = "a law of the load is code, which has no series";
    return;
  }
  SeriesRecorder<S> recorder(size());
  std::vector<Term> y(size());
  for (std::size_t i = 0; i < size(); ++i) { y[i] = recorder.state(i); }
  BodyState<Term> state;
  state.t = recorder.time();
  state.e_NB = take_euler_parameters(y.data());
  state.w_B = take_vector(y.data() + 4);
  if (translates_) {
    state.r_N = take_vector(y.data() + 7);
    state.v_N = take_vector(y.data() + 10);
  }
  const std::span<const Term> speeds = std::span<const Term>(y).last(wheel_count_);
  const Vec3<Term> inside_B = wheel_moment_B(load.wheels, state, speeds);
  const LoadNow<Term> now(load, state, wheel_count_ > 0 ? &inside_B : nullptr);
  const InertiaNow<Term> inertia{recorded(constant_inertia_.J_B), recorded(constant_inertia_.J_inverse_B), {}};
  std::vector<Term> ydot(size());
  const Vec3<Term> wdot_B = EulerBody{}.rates(inertia, now, y.data(), ydot.data()).wdot_B;
  if (translates_) {
    put(ydot.data() + 7, state.v_N);
    put(ydot.data() + 10, now.force_N() / Term(*body_->mass));
  }
  wheel_rates(load.wheels, state, wdot_B, speeds, std::span<Term>(ydot).last(wheel_count_));
  to.obstacle = recorder.obstacle();
  if (to.obstacle.empty()) { to.program = recorder.finish(ydot); }
}

template <class S>
void BodySystem<S>::coefficients(const S& t, std::span<const S> y, std::size_t order, std::span<S> rows) const {
  for (std::size_t i = 0; i < size(); ++i) { rows[i] = y[i]; }
  if (free_rotor_ && order <= kMostFreeRotorOrder) { return free_rotor_series(rotor_.gyration, order, rows.data()); }
  if (forcing_ && order <= kMostForcedRotorOrder) { return forced_coefficients(t, y, order, rows); }
  if (polynomial_) { return polynomial_coefficients(t, order, rows); }
  program()->expand(t, y, order, size(), rows.data(), rows.data() + (order + 1) * size());
}

// ---- update schemes ------------------------------------------------------------------------------------------------

/// SCH-1 to SCH-3. The momentum that the scheme keeps is the one of y where the form has it, else made of y and back:
/// "world" keeps L of a free body to the last bit in the form momentum-space, to rounding in the two others.
template <class S>
bool BodySystem<S>::update(const Scheme& scheme, SchemeIndex index, const S& t, const S& dt, std::span<S> y) const {
  const BodyState<S> state = body_state(t, y);
  const LoadNow<S> load(body_->load, state);
  SchemeState<S> moved{state.e_NB, take_vector(y.data() + 4), {}, {}};
  if (kind_ == Kind::euler_body) { moved.L = constant_inertia_.J_B * moved.L; }
  const bool kept_in_space = kind_ == Kind::momentum_space;
  if (scheme.world != kept_in_space) {
    moved.L = scheme.world ? rotate(state.e_NB, moved.L) : rotate_back(state.e_NB, moved.L);
  }
  const Vec3<S> tau_N = rotate(state.e_NB, load.torque_B());
  if (!scheme_step(scheme, index, constant_inertia_.J_inverse_B, tau_N, dt, moved)) { return false; }
  if (translates_) {
    moved.r_N = state.r_N;
    moved.p_N = *body_->mass * state.v_N;
    scheme_translate(*body_->mass, load.force_N(), dt, moved);
    put(y.data() + form_size_, moved.r_N);
    put(y.data() + form_size_ + 3, moved.p_N / *body_->mass);
  }
  put(y.data(), moved.e_NB);
  const Vec3<S> h_B = scheme_momentum_B(scheme, moved);
  const Vec3<S> h = !kept_in_space ? h_B : scheme.world ? moved.L : rotate(moved.e_NB, h_B);
  put(y.data() + 4, kind_ == Kind::euler_body ? constant_inertia_.J_inverse_B * h : h);
  return true;
}

template class BodySystem<double>;
template class BodySystem<long double>;

}  // namespace polhode
