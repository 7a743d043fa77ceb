// What acts on one body: every law against its equation written out, potentials against the power of their forces, and
// what is wrong with the numbers of a table.
#include "polhode/force/central_gravity.h"
#include "polhode/force/damping.h"
#include "polhode/force/drag.h"
#include "polhode/force/energy_sink.h"
#include "polhode/force/gravity.h"
#include "polhode/force/gravity_gradient.h"
#include "polhode/force/magnetic_damping.h"
#include "polhode/force/moment.h"
#include "polhode/force/point_force.h"
#include "polhode/force/reaction_wheel.h"
#include "polhode/force/spring.h"
#include "polhode/force/wheel.h"
#include "polhode/math/dual.h"
#include "polhode/rotation/rotation_matrix.h"
#include "support/random.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <span>
#include <string>
#include <vector>

using namespace polhode;
using force::BodyFacts;
using force::Effects;
using force::Where;

namespace {

using D = Dual<double>;

/// Expressions that are numbers are constant; one with a formula is 0.3 ω' + (t, 2t, 3t).
template <class S>
class LawBinder final : public force::Binder<S> {
 public:
  static Vec3<S> by_law(const BodyState<S>& s) { return S(0.3) * s.w_B + Vec3<S>{s.t, S(2) * s.t, S(3) * s.t}; }
  force::VectorFunction<S> vector(const ExpressionVector& e) const override {
    force::VectorFunction<S> bound;
    bound.constant = {S(e[0].value), S(e[1].value), S(e[2].value)};
    if (!force::is_constant(e)) { bound.law = by_law, bound.looks_at = LawOf::rates_too; }
    return bound;
  }
  force::ScalarFunction<S> scalar(const Expression& e) const override {
    force::ScalarFunction<S> bound{S(e.value), {}};
    if (!e.formula.empty()) {
      bound.law = [](const BodyState<S>& s, std::span<const S> speeds) { return s.w_B.y - S(0.5) * speeds[0]; };
    }
    return bound;
  }
  force::BodyLaw<S> code(const std::string&) const override { return {}; }
};

template <class S>
Vec3<S> as(const Vec3<double>& v) {
  return {S(v.x), S(v.y), S(v.z)};
}
NumberVector numbers(const Vec3<double>& v) { return {v.x, v.y, v.z}; }
ExpressionVector expressions(const Vec3<double>& v) { return {v.x, v.y, v.z}; }

/// A body with a full inertia matrix whose levers count from another point than the origin of its axes.
BodyFacts<double> some_body(test::Random& random) {
  BodyFacts<double> facts;
  const Mat3<double> U = rotation_matrix(random.attitude());
  facts.mass = random.between(0.5, 2);
  facts.center_B = random.vector(0.3);
  facts.reference_B = random.vector(0.2);
  facts.J_B = U * diagonal(1.0, 1.7, 2.2) * transpose(U);
  facts.wheels_B = random.vector(1);
  return facts;
}
template <class S>
BodyFacts<S> as(const BodyFacts<double>& facts) {
  BodyFacts<S> other{S(facts.mass), as<S>(facts.center_B), as<S>(facts.reference_B), {},
                     facts.held,    as<S>(facts.wheels_B)};
  for (std::size_t i = 0; i < 9; ++i) { other.J_B(i / 3, i % 3) = S(facts.J_B(i / 3, i % 3)); }
  return other;
}
BodyState<double> some_state(test::Random& random) {
  return {random.between(0.2, 2), random.vector(2), random.vector(1), random.attitude(), random.vector(1)};
}
/// Where it is, with its velocity as dual part; time stands still.
BodyState<D> moving(const BodyState<double>& s) {
  const EulerParameters<double> edot = rate_from_body(s.e_NB, s.w_B);
  const auto dual = [](const Vec3<double>& x, const Vec3<double>& dx) -> Vec3<D> {
    return {{x.x, dx.x}, {x.y, dx.y}, {x.z, dx.z}};
  };
  return {D(s.t), dual(s.r_N, s.v_N), as<D>(s.v_N), {{s.e_NB.e0, edot.e0}, dual(s.e_NB.ev, edot.ev)}, as<D>(s.w_B)};
}

/// Rᵀ v and R v by products of Euler parameters.
Vec3<double> to_B(const BodyState<double>& s, const Vec3<double>& v_N) {
  return (conjugate(s.e_NB) * EulerParameters<double>{0, v_N} * s.e_NB).ev;
}
Vec3<double> to_N(const BodyState<double>& s, const Vec3<double>& v_B) {
  return (s.e_NB * EulerParameters<double>{0, v_B} * conjugate(s.e_NB)).ev;
}

/// A load of one kind at a state.
struct Acting {
  Load<double> load;
  Effects<double> effects;
  Vec3<double> force_N, torque_B;

  template <class Kind>
  Acting(const Kind& kind, const BodyFacts<double>& facts, const BodyState<double>& state)
      : effects(kind.add_to(load, facts, LawBinder<double>())) {
    const LoadNow<double> now(load, state);
    force_N = now.force_N();
    torque_B = now.torque_B();
  }
};

void check_close(const Vec3<double>& found, const Vec3<double>& wanted) {
  CHECK(norm(found - wanted) < 1e-12 * (1 + norm(wanted)));
}

/// Power of a force on a motion is what its potential loses, by dual numbers.
template <class Kind>
void check_potential(const Kind& kind, const BodyFacts<double>& facts, const BodyState<double>& state, const D& V) {
  const Acting now(kind, facts, state);
  REQUIRE(now.effects.potential);
  const double power = dot(now.force_N, state.v_N) + dot(now.torque_B, state.w_B);
  CHECK(std::fabs(power) > 1e-6);
  CHECK(std::fabs(power + V.derivative) < 1e-12 * (1 + std::fabs(power)));
  CHECK(now.effects.potential(state) == doctest::Approx(V.value));
}

/// What is complained of, "key: what".
class Heard final : public force::Complaints {
 public:
  void problem(std::string_view key, std::string what, std::string, std::string) override {
    said.push_back(std::string(key) + ": " + what);
  }
  void missing(std::string_view key, std::string_view) override { said.push_back("missing " + std::string(key)); }
  void unknown_key(std::string_view key, const std::vector<std::string_view>&) override {
    said.push_back("unknown " + std::string(key));
  }
  std::vector<std::string> said;
};
template <class Kind>
std::string complaints(const Kind& kind, Where where = Where::one_body) {
  Heard heard;
  kind.check(heard, where);
  std::string all;
  for (const std::string& one : heard.said) { all += (all.empty() ? "" : "; ") + one; }
  return all;
}

}  // namespace

TEST_CASE("forces at points and moments, in space and in the body, constant and by law") {
  test::Random random(61);
  for (int n = 0; n < 4; ++n) {
    const BodyFacts<double> facts = some_body(random);
    const BodyState<double> s = some_state(random);
    const Vec3<double> f = random.vector(2);
    const Vec3<double> m = random.vector(2);
    const Vec3<double> at = random.vector(1);
    const Vec3<double> u_B = at - facts.reference_B;
    const Vec3<double> law = LawBinder<double>::by_law(s);
    const ExpressionVector formula{"x", 0.0, 0.0};
    force::Force one;
    one.at_body = numbers(at);
    one.force_space = expressions(f);
    const Acting in_space(one, facts, s);
    check_close(in_space.force_N, f);
    check_close(in_space.torque_B, cross(u_B, to_B(s, f)));
    CHECK(in_space.effects.turns);
    CHECK_FALSE(in_space.load.looks_at_rates);
    check_potential(one, facts, s, force::Force::Law<D>{as<D>(f), as<D>(u_B)}.potential(moving(s)));
    one.at_body.reset();  // the mass centre
    check_close(Acting(one, facts, s).torque_B, cross(facts.center_B - facts.reference_B, to_B(s, f)));
    BodyFacts<double> at_centre = facts;
    at_centre.reference_B = facts.center_B;
    CHECK_FALSE(Acting(one, at_centre, s).effects.turns);
    one.moment_space = expressions(m);
    const Acting both(one, at_centre, s);
    check_close(both.torque_B, to_B(s, m));
    CHECK(both.effects.turns);
    CHECK_FALSE(both.effects.potential);
    one = {};
    one.at_body = numbers(at);
    one.force_body = expressions(f);
    one.moment_body = expressions(m);
    const Acting in_body(one, facts, s);
    check_close(in_body.force_N, to_N(s, f));
    check_close(in_body.torque_B, cross(u_B, f) + m);
    CHECK_FALSE(in_body.effects.potential);
    one.force_body = formula;
    one.force_space = formula;
    one.moment_body.reset();
    const Acting by_law(one, facts, s);
    check_close(by_law.force_N, law + to_N(s, law));
    check_close(by_law.torque_B, cross(u_B, to_B(s, law) + law));
    CHECK(by_law.load.looks_at_rates);
    CHECK_FALSE(by_law.effects.potential);
    force::Moment moment;
    moment.moment_space = formula;
    check_close(Acting(moment, facts, s).torque_B, to_B(s, law));
    moment.moment_space.reset();
    moment.moment_body = formula;
    check_close(Acting(moment, facts, s).torque_B, law);
    moment.moment_body = expressions(m);
    check_close(Acting(moment, facts, s).torque_B, m);
    check_close(Acting(moment, facts, s).force_N, {});
  }
}

TEST_CASE("gravity: m g at the mass centre, with its potential") {
  test::Random random(62);
  for (const bool held : {false, true}) {
    BodyFacts<double> facts = some_body(random);
    facts.held = held;
    const BodyState<double> s = some_state(random);
    const Vec3<double> g = random.vector(9);
    const force::Gravity gravity{{}, numbers(g)};
    const Acting now(gravity, facts, s);
    check_close(now.force_N, facts.mass * g);
    check_close(now.torque_B, cross(facts.center_B - facts.reference_B, to_B(s, facts.mass * g)));
    check_potential(gravity, facts, s, gravity.law(as<D>(facts)).potential(moving(s)));
    CHECK(now.effects.turns);
    CHECK((now.effects.torque == Effects<double>::Torque::not_about_axis) == held);
    CHECK((now.effects.torque == Effects<double>::Torque::none) == !held);
    check_close(now.effects.axis_N, g / norm(g));
    REQUIRE(now.effects.gravity_N);
    check_close(*now.effects.gravity_N, g);
    facts.reference_B = facts.center_B;
    CHECK_FALSE(Acting(gravity, facts, s).effects.turns);
  }
  CHECK(complaints(force::Gravity{}) == "g_space: g_space is zero");
}

TEST_CASE("a spring to a point in space pulls along the line to it, with its damper, and has a potential without one") {
  test::Random random(63);
  for (int n = 0; n < 6; ++n) {
    const BodyFacts<double> facts = some_body(random);
    const BodyState<double> s = some_state(random);
    const Vec3<double> anchor = random.vector(1);
    const Vec3<double> at = random.vector(1);
    force::Spring spring;
    spring.anchor_space = numbers(anchor);
    spring.at_body = numbers(at);
    spring.stiffness = 30;
    spring.length = 0.4;
    check_potential(spring, facts, s, spring.law(as<D>(facts)).potential(moving(s)));
    const Acting undamped(spring, facts, s);
    CHECK_FALSE(undamped.load.looks_at_rates);
    spring.damping = 2;
    const Acting now(spring, facts, s);
    CHECK(now.load.looks_at_rates);
    CHECK_FALSE(now.effects.potential);
    CHECK(now.effects.turns);
    const Vec3<double> u_B = at - facts.reference_B;
    // the point by dual numbers: its place and its velocity
    const BodyState<D> path = moving(s);
    const Vec3<D> d = path.r_N + rotate(path.e_NB, as<D>(u_B)) - as<D>(anchor);
    const D size = norm(d);
    const double pull = 30 * (size.value - 0.4) + 2 * size.derivative;
    const Vec3<double> f = (-pull / size.value) * Vec3<double>{d.x.value, d.y.value, d.z.value};
    check_close(now.force_N, f);
    check_close(now.torque_B, cross(u_B, to_B(s, f)));
    REQUIRE(now.effects.spring);
    check_close(now.effects.spring->anchor_N, anchor);
    check_close(now.effects.spring->at_B, at);
    // at its anchor it has no direction
    BodyState<double> there = s;
    there.r_N = anchor;
    spring.at_body = numbers(facts.reference_B);
    const Acting none(spring, facts, there);
    CHECK(norm(none.force_N) == 0);
    CHECK_FALSE(none.effects.turns);
  }
}

TEST_CASE("drag and damping go against what moves through the medium, linear and quadratic") {
  test::Random random(64);
  for (int n = 0; n < 4; ++n) {
    const BodyFacts<double> facts = some_body(random);
    const BodyState<double> s = some_state(random);
    const Vec3<double> at = random.vector(1);
    const Vec3<double> medium = random.vector(1);
    const force::Drag drag{{}, numbers(at), 0.5, 0.8, numbers(medium)};
    const Acting now(drag, facts, s);
    const Vec3<double> u_B = at - facts.reference_B;
    const Vec3<double> through = s.v_N + cross(to_N(s, s.w_B), to_N(s, u_B)) - medium;
    const Vec3<double> f = -(0.5 + 0.8 * norm(through)) * through;
    check_close(now.force_N, f);
    check_close(now.torque_B, cross(u_B, to_B(s, f)));
    CHECK(now.effects.turns);
    CHECK_FALSE(Acting(force::Drag{{}, numbers(facts.reference_B), 0.5, 0.8, {}}, facts, s).effects.turns);
    const force::Damping damping{{}, Number(0.5), Number(0.8)};
    check_close(Acting(damping, facts, s).torque_B, -(0.5 + 0.8 * norm(s.w_B)) * s.w_B);
    check_close(Acting(force::Damping{{}, Number(0.5), {}}, facts, s).torque_B, -0.5 * s.w_B);
    check_close(Acting(force::Damping{{}, {}, Number(0.8)}, facts, s).torque_B, -(0.8 * norm(s.w_B)) * s.w_B);
  }
}

TEST_CASE("a magnetic field brakes what turns across it; an energy sink takes energy and no momentum") {
  test::Random random(65);
  for (int n = 0; n < 4; ++n) {
    const BodyFacts<double> facts = some_body(random);
    const BodyState<double> s = some_state(random);
    const Vec3<double> b = random.vector(2);
    const Vec3<double> b_B = to_B(s, b);
    const Acting magnetic(force::MagneticDamping{{}, 0.7, expressions(b)}, facts, s);
    // −k b × (ω × b) = −k (b² ω − (b·ω) b)
    check_close(magnetic.torque_B, -0.7 * (dot(b, b) * s.w_B - dot(b_B, s.w_B) * b_B));
    CHECK(dot(magnetic.torque_B, s.w_B) < 0);
    const Vec3<double> moved = to_B(s, LawBinder<double>::by_law(s));
    check_close(Acting(force::MagneticDamping{{}, 0.7, {"x", 0.0, 0.0}}, facts, s).torque_B,
                -0.7 * (dot(moved, moved) * s.w_B - dot(moved, s.w_B) * moved));
    const Acting sink(force::EnergySink{{}, 0.7}, facts, s);
    const Vec3<double> h = facts.J_B * s.w_B + facts.wheels_B;
    // k h × (h × ω) = k ((h·ω) h − h² ω)
    check_close(sink.torque_B, 0.7 * (dot(h, s.w_B) * h - dot(h, h) * s.w_B));
    CHECK(dot(sink.torque_B, s.w_B) < 0);
    CHECK(std::fabs(dot(sink.torque_B, h)) < 1e-12 * norm(sink.torque_B) * norm(h));
  }
  CHECK(complaints(force::MagneticDamping{{}, -0.1, {}}) == "coefficient: a negative coefficient adds energy");
  CHECK(complaints(force::EnergySink{{}, -0.1}) == "coefficient: a negative sink adds energy");
  CHECK(complaints(force::EnergySink{{}, 0.0}).empty());
}

TEST_CASE("central gravity is that of the points that a body is made of, to the next order of its size") {
  test::Random random(66);
  for (int n = 0; n < 4; ++n) {
    // six points of 0.2 kg on three axes across each other: a mass, an inertia, and no more
    const Vec3<double> arms{0.02, 0.05, 0.08};
    BodyFacts<double> facts;
    facts.mass = 1.2;
    const auto second = [&](std::size_t i) { return 0.4 * arms[i] * arms[i]; };
    facts.J_B = diagonal(second(1) + second(2), second(0) + second(2), second(0) + second(1));
    const BodyState<double> s = some_state(random);
    const Vec3<double> centre = s.r_N + (3 / norm(Vec3<double>{1, 2, -2})) * Vec3<double>{1, 2, -2};
    const force::CentralGravity gravity{{}, 50, numbers(centre)};
    const Acting now(gravity, facts, s);
    Vec3<double> force{};
    Vec3<double> torque{};
    double V = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      for (const double side : {-1.0, 1.0}) {
        Vec3<double> u_B{};
        u_B[i] = side * arms[i];
        const Vec3<double> d = s.r_N + to_N(s, u_B) - centre;
        const Vec3<double> f = (-50 * 0.2 / (norm(d) * norm(d) * norm(d))) * d;
        force = force + f;
        torque = torque + cross(u_B, to_B(s, f));
        V -= 50 * 0.2 / norm(d);
      }
    }
    // the order after is smaller by (0.08/3)², and its number is of size 5
    const double next = 50 * 1.2 * 5 * std::pow(0.08 / 3, 4);
    CHECK(norm(now.force_N - force) < next);
    CHECK(norm(now.torque_B - torque) < next);
    CHECK(std::fabs(now.effects.potential(s) - V) < next);
    // and what the inertia adds is larger
    CHECK(norm(torque) > 10 * next);
    const Vec3<double> d = s.r_N - centre;
    CHECK(norm(cross(d, now.force_N) + to_N(s, now.torque_B)) < 1e-12 * norm(now.force_N));
    const BodyFacts<double> other = some_body(random);
    const BodyState<D> path = moving(s);
    check_potential(gravity, other, s,
                    gravity.law(D(other.mass), as<D>(other).J_B).potential(path.r_N, rotation_matrix(path.e_NB)));
    CHECK_FALSE(now.load.looks_at_rates);
  }
  CHECK(complaints(force::CentralGravity{{}, 0.0, {}}) == "mu: mu is not positive");
  CHECK(complaints(force::CentralGravity{{}, 1.0, {}}).empty());
}

TEST_CASE("the gradient of an orbit turns the body toward a centre that goes around") {
  test::Random random(67);
  for (int n = 0; n < 4; ++n) {
    const BodyFacts<double> facts = some_body(random);
    const BodyState<double> s = some_state(random);
    const Vec3<double> p = random.direction();
    const Vec3<double> across = cross(p, random.direction());
    const Vec3<double> u = across / norm(across);
    const force::OrbitGradient orbit{{}, 0.7, numbers(3.0 * p), numbers(5.0 * u)};
    const Acting now(orbit, facts, s);
    // u turned by n t about p, by Rodrigues' formula
    const double angle = 0.7 * s.t;
    const Vec3<double> u_B = to_B(s, std::cos(angle) * u + std::sin(angle) * cross(p, u));
    check_close(now.torque_B, (3 * 0.7 * 0.7) * cross(u_B, facts.J_B * u_B));
    CHECK_FALSE(now.load.looks_at_rates);
    const GravityGradient<double> law = orbit.law(facts.J_B);
    check_close(law.ahead_N(s.t), std::cos(angle) * cross(p, u) - std::sin(angle) * u);
    check_close(law.direction_N(s.t), to_N(s, u_B));
    const Vec3<long double> far = law.as<long double>()(
        {static_cast<long double>(s.t), {}, {}, {static_cast<long double>(s.e_NB.e0), as<long double>(s.e_NB.ev)}, {}});
    check_close({static_cast<double>(far.x), static_cast<double>(far.y), static_cast<double>(far.z)}, now.torque_B);
    const GravityGradient<double> still = GravityGradient<double>::fixed_centre(facts.J_B, 0.49, u);
    check_close(still.direction_N(5), u);
    CHECK(norm(still.ahead_N(5)) == 0);
  }
  CHECK(complaints(force::OrbitGradient{{}, 0.0, numbers({0, 0, 1}), numbers({1, 0, 0})}) ==
        "orbit_rate: orbit_rate is not positive");
  CHECK(complaints(force::OrbitGradient{{}, 1.0, {}, numbers({1, 0, 0})}) ==
        "orbit_normal_space: orbit_normal_space has no direction");
  CHECK(complaints(force::OrbitGradient{{}, 1.0, numbers({0, 0, 1}), numbers({1, 0, 0.1})}) ==
        "centre_space: the direction to the centre is not across the normal of the orbit");
  CHECK(complaints(force::OrbitGradient{{}, 1.0, numbers({0, 0, 2}), numbers({3, 0, 0})}).empty());
}

TEST_CASE("wheels: a momentum at constant speed, and a motor with its limits and its friction") {
  test::Random random(68);
  const BodyFacts<double> facts = some_body(random);
  const BodyState<double> s = some_state(random);
  const Vec3<double> axis = random.direction();
  const Acting now(force::Wheel{{}, numbers(4.0 * axis), 0.3}, facts, s);
  check_close(now.torque_B, -cross(s.w_B, 0.3 * axis));
  check_close(now.effects.momentum_B, 0.3 * axis);
  CHECK(now.effects.potential(s) == 0);
  CHECK(now.effects.torque == Effects<double>::Torque::none);
  CHECK(complaints(force::Wheel{}) == "axis_body: axis_body has no direction");

  force::ReactionWheel wheel;
  wheel.axis_body = numbers(4.0 * axis);
  wheel.inertia = 0.02;
  wheel.speed = 50;
  wheel.max_torque = 0.4;
  wheel.max_speed_rpm = 6000;
  wheel.friction = 0.003;
  wheel.motor_torque = 0.3;
  CHECK(complaints(wheel).empty());
  const Acting motor(wheel, facts, s);
  REQUIRE(motor.load.wheels.size() == 1);
  CHECK(motor.load.looks_at_rates);
  CHECK_FALSE(motor.load.constant());
  const MotorWheel<double>& own = motor.load.wheels[0];
  check_close(own.axis_B, axis);
  CHECK(own.inertia == 0.02);
  CHECK(own.speed_at_start == 50);
  const double most = 6000 * 2 * math::kPi<double> / 60;
  CHECK(*own.max_speed == doctest::Approx(most));
  const auto torque = [&](double speed) {
    const std::array<double, 1> speeds{speed};
    return own.torque(s, speeds, 0);
  };
  CHECK(torque(100) == doctest::Approx(0.3 - 0.003 * 100));
  CHECK(own.momentum(s.w_B, 100) == doctest::Approx(0.02 * (100 + dot(axis, s.w_B))));
  // up to the largest torque, and to nothing over the last hundredth of the largest speed, either way round
  CHECK(own.limited(2, 100) == 0.4);
  CHECK(own.limited(-2, 100) == -0.4);
  CHECK(own.limited(0.3, 0.995 * most) == doctest::Approx(0.15).epsilon(1e-9));
  CHECK(own.limited(-0.3, -0.9975 * most) == doctest::Approx(-0.075).epsilon(1e-9));
  CHECK(own.limited(-0.3, most) == -0.3);  // what makes it slower is given
  CHECK(own.limited(0.3, 1.1 * most) == 0);
  wheel.motor_torque = "law";
  wheel.max_torque.reset();
  wheel.max_speed_rpm.reset();
  const Acting by_law(wheel, facts, s);
  const std::array<double, 1> speeds{20};
  CHECK(by_law.load.wheels[0].motor_torque(s, speeds, 0) == doctest::Approx(s.w_B.y - 10));
  // what is left of a body whose wheel turns on its own
  const Mat3<double> left = carrier_inertia(facts.J_B, motor.load.wheels);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      CHECK(left(i, k) == doctest::Approx(facts.J_B(i, k) - 0.02 * axis[i] * axis[k]));
    }
  }
  wheel.speed = 700;
  wheel.max_speed = 600;
  CHECK(complaints(wheel) == "speed: the wheel starts faster than its largest speed");
  wheel.speed_rpm = 1;
  wheel.inertia = 0.0;
  wheel.friction = -1;
  wheel.max_torque = 0;
  CHECK(
      complaints(wheel) ==
      "inertia: inertia is not positive; speed_rpm: both speed and speed_rpm; max_torque: max_torque is not positive; "
      "friction: negative friction adds energy; speed: the wheel starts faster than its largest speed");
}

TEST_CASE("what is wrong with a table is told with its key, once alone and once in a mechanism") {
  force::Spring spring;
  CHECK(complaints(spring) == "missing stiffness; missing anchor_space; missing at_body");
  CHECK(complaints(spring, Where::mechanism) == "missing bodies; missing first_point; missing second_point");
  spring.bodies = {"a", "b"};
  spring.first_point = numbers({});
  spring.second_point = numbers({});
  CHECK(complaints(spring, Where::mechanism).empty());
  spring.free_length = -1;
  spring.pull = 1;
  CHECK(complaints(spring, Where::mechanism) == "free_length: a negative free_length");
  spring.stiffness = -1;
  spring.damping = -1;
  spring.length = -1;
  spring.anchor_space = numbers({});
  spring.at_body = numbers({});
  CHECK(complaints(spring) ==
        "unknown bodies; unknown first_point; unknown second_point; unknown free_length; unknown pull; stiffness: a "
        "negative stiffness; damping: a negative damping; length: a negative length; free_length: a negative "
        "free_length");
  CHECK(complaints(spring, Where::mechanism) ==
        "unknown anchor_space; unknown at_body; unknown length; stiffness: a negative stiffness; damping: a negative "
        "damping; length: a negative length; free_length: a negative free_length");
  spring.body = "a";
  CHECK(complaints(spring).starts_with("body: there is one body alone, and it has no name; unknown bodies"));
  CHECK(complaints(spring, Where::mechanism).starts_with("unknown bodies"));

  CHECK(complaints(force::Force{}) == ": a force without force and moment");
  CHECK(complaints(force::Moment{}) == ": a moment needs its frame");
  CHECK(complaints(force::Damping{}) == ": damping without a coefficient");
  CHECK(complaints(force::Damping{{}, Number(-1.0), {}}) == "linear: negative damping adds energy");
  CHECK(complaints(force::Damping{{}, {}, Number(-1.0)}) == "quadratic: negative damping adds energy");
  CHECK(complaints(force::Drag{{}, {}, -1.0, 0.0, {}}) == "linear: a negative linear");
  CHECK(complaints(force::Drag{{}, {}, 0.0, -1.0, {}}) == "quadratic: a negative quadratic");
  // every kind on one body of a mechanism asks for its name
  const auto asks = [](const auto& kind) { return complaints(kind, Where::mechanism).starts_with("missing body"); };
  CHECK(asks(force::Force{}));
  CHECK(asks(force::Moment{}));
  CHECK(asks(force::Damping{}));
  CHECK(asks(force::Drag{}));
  CHECK(asks(force::MagneticDamping{}));
  CHECK(asks(force::EnergySink{}));
  CHECK(asks(force::OrbitGradient{}));
  CHECK(asks(force::Wheel{}));
  CHECK(asks(force::ReactionWheel{}));
  CHECK_FALSE(asks(force::Gravity{}));
  CHECK_FALSE(asks(force::CentralGravity{}));
  CHECK(complaints(force::EnergySink{"a", 0.1}).starts_with("body: there is one body alone"));
  CHECK(complaints(force::EnergySink{"a", 0.1}, Where::mechanism).empty());
}
