// Every kind of load that acts on one body has a Taylor series, or says why it has none: the method `taylor` against
// dop853 in long double, which shares nothing with it but the law.
#include "polhode/core/error.h"
#include "polhode/force/forces.h"
#include "polhode/formula/compiler.h"
#include "polhode/formula/function.h"
#include "polhode/formulation/body_system.h"
#include "polhode/integrator/driver.h"

#include <doctest/doctest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

using namespace polhode;

namespace {

/// Names of formulas: time, an angular velocity, a position, the speed of a wheel.
class Names final : public formula::Scope {
 public:
  std::optional<formula::Input> find(std::string_view name) const override {
    for (std::uint32_t i = 0; i < kAll.size(); ++i) {
      if (kAll[i] == name) { return formula::Input{i, formula::Pace::state}; }
    }
    return {};
  }
  std::vector<std::string_view> names() const override { return kAll; }
  template <class S>
  static S seen(std::uint32_t id, const BodyState<S>& s, std::span<const S> speeds) {
    return id == 0 ? s.t : id == 1 ? s.w_B.y : id == 2 ? s.r_N.x : speeds[0];
  }

 private:
  inline static const std::vector<std::string_view> kAll{"t", "wy", "x", "speed"};
};

/// Formulas for any number type.
template <class S>
class Formulas final : public force::Binder<S> {
 public:
  force::VectorFunction<S> vector(const ExpressionVector& expressions) const override {
    force::VectorFunction<S> made;
    for (std::size_t i = 0; i < 3; ++i) { made.constant[i] = S(expressions[i].value); }
    if (force::is_constant(expressions)) { return made; }
    const formula::Function function = bound(expressions);
    made.looks_at = LawOf::rates_too;
    made.law = [function, constant = made.constant](const BodyState<S>& s) {
      std::array<S, 3> v;
      call(function, s, {}, v);
      return constant + Vec3<S>{v[0], v[1], v[2]};
    };
    return made;
  }
  force::ScalarFunction<S> scalar(const Expression& expression) const override {
    if (expression.formula.empty()) { return {S(expression.value), {}}; }
    const formula::Function function = bound({&expression, 1});
    return {S(0), [function](const BodyState<S>& s, std::span<const S> speeds) {
              std::array<S, 1> v;
              call(function, s, speeds, v);
              return v[0];
            }};
  }
  force::BodyLaw<S> code(const std::string&) const override {
    return [](const BodyState<S>& s) { return force::BodyWrench<S>{s.r_N, s.w_B}; };
  }

 private:
  static formula::Function bound(std::span<const Expression> expressions) {
    const Names names;
    formula::Compiler compiler(names);
    for (const Expression& one : expressions) { compiler.add(one.formula.empty() ? "0" : one.formula); }
    REQUIRE(compiler.mistakes().empty());
    return formula::Function(compiler.finish(), {});
  }
  static void call(const formula::Function& function, const BodyState<S>& s, std::span<const S> speeds,
                   std::span<S> values) {
    std::vector<S> inputs;
    for (const formula::Input& input : function.inputs()) { inputs.push_back(Names::seen(input.id, s, speeds)); }
    function(std::span<const S>(inputs), values);
  }
};

template <class S>
force::BodyFacts<S> facts() {
  force::BodyFacts<S> made;
  made.mass = S(2);
  made.center_B = {S(0), S(0), S(0.5)};
  made.reference_B = made.center_B;
  made.J_B = Mat3<S>{{{S(1), S(0.125), S(0)}, {S(0.125), S(1.5), S(0)}, {S(0), S(0), S(0.75)}}};
  return made;
}

/// A body that travels under one load.
template <class S>
OneBody<S> body_under(const force::Acts& what) {
  OneBody<S> body;
  body.J_B = facts<S>().J_B;
  body.mass = facts<S>().mass;
  const auto add = [what](auto& load, const auto& its_facts, const auto& binder) {
    std::visit(
        [&](const auto& one) {
          if constexpr (std::remove_cvref_t<decltype(one)>::kind.on_one_body) {
            static_cast<void>(one.add_to(load, its_facts, binder));
          }
        },
        what);
  };
  add(body.load, facts<S>(), Formulas<S>());
  body.recorded_laws = [add] {
    using Term = SeriesTerm<S>;
    std::vector<RecordedLoad<S>> made(1);
    made[0].name = "load 'it'";
    add(made[0].load, facts<Term>(), Formulas<Term>());
    return made;
  };
  return body;
}

/// The state after 2 s.
template <class S>
std::vector<S> end_of(const OneBody<S>& body, const char* method, const S& tolerance) {
  const BodySystem<S> system(formulation<S>("euler-body"), body);
  BodyState<S> state;
  state.t = S(0);
  state.r_N = {S(3), S(0.5), S(-0.25)};
  state.v_N = {S(0.5), S(1), S(-0.5)};
  state.e_NB = {S(0.5), {S(0.5), S(-0.5), S(0.5)}};
  state.w_B = {S(0.5), S(1.25), S(-0.75)};
  std::vector<S> y(system.size());
  system.set_state(state, y);
  RunOptions<S> options;
  options.relative_tolerance = tolerance;
  options.absolute_tolerance = tolerance;
  const auto stepper = integrator<S>(method).bind(system);
  REQUIRE(integrate<S>(system, *stepper, options, S(0), S(2), y).status == RunStatus::done);
  return y;
}

template <class S>
double difference_from(const std::vector<S>& a, const std::vector<long double>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const long double size = 1 + std::fabs(b[i]);
    most = std::max(most, static_cast<double>(std::fabs(static_cast<long double>(a[i]) - b[i]) / size));
  }
  return most;
}

/// One of each kind that acts on one body, formulas with every function that is smooth.
std::vector<force::Acts> loads() {
  std::vector<force::Acts> all;
  force::Moment moment;
  moment.moment_body = ExpressionVector{"0.3*sin(2*t) - 0.1*wy^3", "exp(-t)*tanh(wy)", "sqrt(2 + x^2)/(1 + t)"};
  all.emplace_back(moment);
  moment = {};
  moment.moment_space = ExpressionVector{"atan2(wy, 3 + t)", "log(2 + x*x)^1.5", 0.25};
  all.emplace_back(moment);
  force::Force push;
  push.force_body = ExpressionVector{"cos(t)", 0.5, "cosh(wy/4) - sinh(t/3)"};
  push.at_body = NumberVector{0.25, 0.5, -0.25};
  all.emplace_back(push);
  force::Gravity gravity;
  gravity.g_space = {0.5, 0.0, -9.75};
  all.emplace_back(gravity);
  force::OrbitGradient gradient;
  gradient.orbit_rate = 0.75;
  gradient.orbit_normal_space = {0.0, 0.0, 1};
  gradient.centre_space = {1, 0.0, 0.0};
  all.emplace_back(gradient);
  force::CentralGravity centre;
  centre.mu = 4;
  all.emplace_back(centre);
  force::Spring spring;
  spring.stiffness = 12.0;
  spring.damping = 0.5;
  spring.length = 0.5;
  spring.anchor_space = NumberVector{0.0, 0.0, 1};
  spring.at_body = NumberVector{0.25, 0.0, 0.5};
  all.emplace_back(spring);
  force::Damping damping;
  damping.linear = 0.25;
  damping.quadratic = 0.5;
  all.emplace_back(damping);
  force::EnergySink sink;
  sink.coefficient = 0.125;
  all.emplace_back(sink);
  force::MagneticDamping magnetic;
  magnetic.coefficient = 0.5;
  magnetic.field_space = ExpressionVector{"cos(t)", "sin(t)", 0.5};
  all.emplace_back(magnetic);
  force::Wheel wheel;
  wheel.axis_body = {0.0, 0.0, 1};
  wheel.momentum = 0.75;
  all.emplace_back(wheel);
  force::ReactionWheel motor;
  motor.axis_body = {0.0, 1, 0.0};
  motor.inertia = 0.125;
  motor.speed = 2.0;
  motor.motor_torque = "0.1*cos(3*t) - 0.05*speed";
  motor.friction = 0.0625;
  all.emplace_back(motor);
  force::Drag drag;
  drag.at_body = {0.25, 0.25, 0.0};
  drag.linear = 0.25;
  drag.quadratic = 0.5;
  drag.medium_space = {1, 0.0, 0.0};
  all.emplace_back(drag);
  return all;
}

std::string kind_of(const force::Acts& what) {
  return std::visit([](const auto& one) { return std::string(std::remove_cvref_t<decltype(one)>::kind.name); }, what);
}

}  // namespace

TEST_CASE("every kind of load on one body: taylor agrees with dop853 in long double") {
  std::set<std::string> seen{"code"};  // below
  for (const force::Acts& what : loads()) {
    const std::string kind = kind_of(what);
    CAPTURE(kind);
    seen.insert(kind);
    // some hundreds of steps of dop853, each right to 1e-18; some tens of taylor, each right to its tolerance; errors
    // of rates turn the body for up to 2 s
    const std::vector<long double> reference = end_of<long double>(body_under<long double>(what), "dop853", 1e-18L);
    CHECK(difference_from(end_of<long double>(body_under<long double>(what), "taylor", 1e-18L), reference) < 2e-15);
    CHECK(difference_from(end_of<double>(body_under<double>(what), "taylor", 1e-14), reference) < 1e-12);
    // the wrong twin: the body without the load
    const OneBody<double> free = [&] {
      OneBody<double> without = body_under<double>(what);
      without.load = {};
      without.recorded_laws = nullptr;
      return without;
    }();
    const std::vector<double> elsewhere = end_of<double>(free, "taylor", 1e-14);
    std::vector<long double> same_size(reference.begin(), reference.begin() + 13);
    CHECK(difference_from(elsewhere, same_size) > 1e-3);
  }
  for (const force::Kind& kind : force::kinds()) {
    if (!kind.on_one_body) { continue; }
    const std::string name(kind.name);
    CAPTURE(name);
    CHECK(seen.contains(name));
  }
}

TEST_CASE("loads with an edge and code have no series, and the one that is in the way is named") {
  const auto why = [](const OneBody<double>& body) {
    const BodySystem<double> system(formulation<double>("euler-body"), body);
    CHECK(system.taylor_series() == nullptr);
    return system.absence("Taylor series");
  };
  for (const auto& [formula, function] :
       std::initializer_list<std::pair<const char*, const char*>>{{"abs(wy)", "abs"},
                                                                  {"min(t, 1)", "min"},
                                                                  {"max(t, 1)", "max"},
                                                                  {"step(t - 1)", "step"},
                                                                  {"sign(wy)", "sign"},
                                                                  {"floor(t)", "floor"},
                                                                  {"mod(t, 2)", "mod"},
                                                                  {"t > 1 ? 2 : x", "<"},
                                                                  {"t <= 1 ? 2 : x", "<="}}) {
    force::Moment moment;
    moment.moment_body = ExpressionVector{0.0, formula, 0.0};
    CHECK(why(body_under<double>(moment)) ==
          "load 'it': '" + std::string(function) + "' has an edge, across which there is no series");
  }
  force::ReactionWheel motor;
  motor.axis_body = {0.0, 1, 0.0};
  motor.inertia = 0.125;
  motor.motor_torque = "sin(t)";
  motor.max_torque = 0.5;
  CHECK(why(body_under<double>(motor)) == "load 'it': '<' has an edge, across which there is no series");
  // an edge among constants is none
  force::Moment constant;
  constant.moment_body = ExpressionVector{0.0, "min(2, 3)*t", 0.0};
  CHECK(BodySystem<double>(formulation<double>("euler-body"),
                           *std::make_unique<OneBody<double>>(body_under<double>(constant)))
            .absence("Taylor series")
            .empty());
  force::Code code;
  OneBody<double> coded = body_under<double>(code);
  coded.recorded_laws = nullptr;  // as a program does that gives a law of plain numbers
  CHECK(why(coded) == "a law of the load is code, which has no series");
}

TEST_CASE("laws of a program that take any number type have a series; those with a branch are named") {
  OneBody<double> body = body_under<double>(force::Gravity{});
  body.load = {};
  body.recorded_laws = nullptr;
  body.add_moment_law("damper", [](const auto& s) { return -0.5 * s.w_B; });
  body.add_force_law("thruster", [](const auto& s) {
    using S = std::remove_cvref_t<decltype(s.t)>;
    return PointForce<S>{{math::sin(s.t), S(0), S(1)}, {S(0), S(0.25), S(0)}};
  });
  const std::vector<double> taylor = end_of<double>(body, "taylor", 1e-13);
  const std::vector<double> dop853 = end_of<double>(body, "dop853", 1e-13);
  for (std::size_t i = 0; i < taylor.size(); ++i) { CHECK(std::fabs(taylor[i] - dop853[i]) < 1e-11); }  // 100 steps
  body.add_moment_law("brake", [](const auto& s) {
    const auto size = s.w_B.z > 1.0 ? 2.0 * s.w_B.z : s.w_B.z;
    return -size * s.w_B;
  });
  CHECK(BodySystem<double>(formulation<double>("euler-body"), body).absence("Taylor series") ==
        "brake: '<' has an edge, across which there is no series");
}
