#include "polhode/math/dual.h"
#include "polhode/multibody/constraint_rows.h"
#include "polhode/multibody/dynamics.h"
#include "polhode/multibody/euler_forms.h"
#include "polhode/verification/larger.h"
#include "polhode/verification/verification.h"

#include <array>
#include <cmath>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace polhode::verification {
namespace {

using D = Dual<double>;
using D2 = Dual<Dual<double>>;

constexpr int kTrials = 8;

/// Rounding of some hundred operations on numbers of size 1 to 10, and angles up to 100 times as steep as their frames.
constexpr double kJointRounding = 1e-13;
/// Reactions and accelerations come from an elimination that may lose three digits.
constexpr double kSolved = 1e-12;
/// Differences over 2e-5 s: a third derivative of up to 100 times 1e-10, and rounding divided by 1e-5.
constexpr double kDifferences = 1e-8;

/// Repeatable random numbers: the raw engine only, since library distributions differ between machines.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  double between(double low, double high) {
    return low + (high - low) * (static_cast<double>(engine_() >> 11U) * 0x1p-53);
  }
  Vec3<double> vector(double size) { return {between(-size, size), between(-size, size), between(-size, size)}; }
  EulerParameters<double> attitude() { return exp(vector(1.5)); }

 private:
  std::mt19937_64 engine_;
};

/// A relation in double: the worst deviation as a fraction of what is allowed, over some random points.
struct JointCheck {
  std::string equation;
  std::string label;
  std::string function;
  std::string statement;
  std::string twin;
  std::function<double(Random& random, bool twin)> residual;
};

// ---- rows against dual numbers -------------------------------------------------------------------------

template <class S>
Vec3<S> lift(const Vec3<double>& v) {
  return {S(v.x), S(v.y), S(v.z)};
}

/// A body in any motion, with a frame on it.
struct Moving {
  Vec3<double> r, v, a;
  EulerParameters<double> e;
  Vec3<double> w_B, wdot_B;
  Vec3<double> lever_B;
  EulerParameters<double> e_BF;

  explicit Moving(Random& random)
      : r(random.vector(1)),
        v(random.vector(1)),
        a(random.vector(1)),
        e(random.attitude()),
        w_B(random.vector(1)),
        wdot_B(random.vector(1)),
        lever_B(random.vector(1)),
        e_BF(random.attitude()) {}

  End<double> end() const {
    const Mat3<double> R = rotation_matrix(e);
    return {r, v, R * w_B, R * lever_B, R * rotation_matrix(e_BF)};
  }
  Pair velocity() const { return {rotate(e, w_B), v}; }
  Pair acceleration() const { return {rotate(e, wdot_B), a}; }

  /// Where it is a little later, to second order.
  End<D2> later() const {
    const D2 t{D{0, 1}, D{1, 0}};
    const EulerParameters<double> edot = rate_from_body(e, w_B);
    const EulerParameters<double> eddot = acceleration_from_body(e, w_B, wdot_B);
    const auto taylor = [&](double x0, double x1, double x2) { return D2(x0) + t * D2(x1) + t * t * D2(0.5 * x2); };
    const auto path = [&](const Vec3<double>& x0, const Vec3<double>& x1, const Vec3<double>& x2) -> Vec3<D2> {
      return {taylor(x0.x, x1.x, x2.x), taylor(x0.y, x1.y, x2.y), taylor(x0.z, x1.z, x2.z)};
    };
    const EulerParameters<D2> now{taylor(e.e0, edot.e0, eddot.e0), path(e.ev, edot.ev, eddot.ev)};
    const Mat3<D2> R = rotation_matrix(now);
    const EulerParameters<D2> frame{D2(e_BF.e0), lift<D2>(e_BF.ev)};
    return {path(r, v, a), {}, {}, R * lift<D2>(lever_B), R * rotation_matrix(frame)};
  }
};

/// Rates of rows, or their second rates, against dual numbers. The twins leave out the first body, or γ.
double off_rows(std::span<const Row> rows, std::span<const D2> values, const Moving& first, const Moving& second,
                bool of_gamma, bool twin) {
  double worst = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    const double rate = (twin ? 0 : dot(row.first, first.velocity())) + dot(row.second, second.velocity());
    const double next = dot(row.first, first.acceleration()) + dot(row.second, second.acceleration());
    const double right = of_gamma ? values[i].derivative.derivative : values[i].value.derivative;
    const double found = of_gamma ? next - (twin ? 0 : row.gamma) : rate;
    worst = larger(worst, std::fabs(found - right) / (kJointRounding * (1 + right * right)));
  }
  return worst;
}

constexpr double kParameter = 0.4;

double off_joint_rows(const JointKind& kind, Random& random, bool of_gamma, bool twin) {
  const Moving first(random);
  const Moving second(random);
  std::array<Row, kMostRows> rows;
  std::array<D2, kMostRows> values;
  const std::size_t n = joint_rows(kind, kParameter, first.end(), second.end(), rows);
  joint_values(kind, kParameter, first.later(), second.later(), values);
  return off_rows({rows.data(), n}, {values.data(), n}, first, second, of_gamma, twin);
}

double off_coordinate(Coordinate coordinate, Random& random, bool of_gamma, bool twin) {
  const Moving first(random);
  const Moving second(random);
  const Row row = coordinate_row(coordinate, first.end(), second.end());
  const D2 value = coordinate_value(coordinate, first.later(), second.later());
  return off_rows({&row, 1}, {&value, 1}, first, second, of_gamma, twin);
}

// ---- a mechanism in motion -----------------------------------------------------------------------------

MassProperties random_mass(Random& random) {
  const Vec3<double> s{random.between(0.2, 1), random.between(0.2, 1), random.between(0.2, 1)};
  const Vec3<double> moments{s.y * s.y + s.z * s.z, s.x * s.x + s.z * s.z, s.x * s.x + s.y * s.y};
  const Mat3<double> R = rotation_matrix(random.attitude());
  return from_inertia_matrix(random.between(0.5, 2), turned(R, diagonal(moments.x, moments.y, moments.z)),
                             random.vector(0.3));
}

/// Bodies 0, 1, 2 in a row, joined by two joints of a kind; 0 floats, and a rod from 0 to 2 may close a loop.
struct Chain {
  ModelBuilder builder;

  Chain(const JointKind& kind, Random& random, bool closed = true) {
    builder.gravity(random.vector(10));
    BodyStart at;
    for (int b = 0; b < 3; ++b) {
      const EulerParameters<double> e_FB = random.attitude();
      const Vec3<double> r_BF_B = random.vector(0.7);
      BodyStart start;
      if (b == 0) {
        start.e_NB = random.attitude();
      } else {
        // frames of the joint agree at the start, but for a rod along x
        const Vec3<double> on_before = random.vector(0.7);
        const EulerParameters<double> turned_before = random.attitude();
        const double length = kind.parameter.empty() ? 0 : kParameter;
        const bool rod = kind.parameter == "length";
        const EulerParameters<double> e_NF = at.e_NB * turned_before;
        start.e_NB = e_NF * e_FB;
        start.r_N = at.r_N + rotate(at.e_NB, on_before) + rotate(e_NF, Vec3<double>{rod ? length : 0, 0, 0}) -
                    rotate(start.e_NB, r_BF_B);
        builder.joint(kind.name, "joint " + std::to_string(b), b - 1, {on_before, turned_before}, b,
                      {r_BF_B, conjugate(e_FB)}, length);
      }
      start.v_N = random.vector(2);
      start.w_B = random.vector(2);
      builder.body("body " + std::to_string(b), random_mass(random), start);
      at = start;
    }
    if (!closed) { return; }
    builder.rod_at("rod", 0, random.vector(1) + Vec3<double>{2, 0, 0}, 2, random.vector(1) - Vec3<double>{2, 0, 0});
  }
};

/// Somewhere else than at its start, all joints closed and velocities consistent.
std::vector<double> moved_start(const Model& model, Random& random, Scratch& scratch) {
  for (double reach = 0.3;; reach *= 0.5) {
    std::vector<double> y = model.start();
    for (std::size_t i = 0; i < y.size(); ++i) { y[i] += reach * random.between(-1, 1); }
    project(model, 0, y, scratch);
    if (residuals(model, 0, y, scratch).position < 1e-12 || reach < 1e-3) { return y; }
  }
}

/// A mechanism at such a state, evaluated.
struct Evaluated {
  Model model;
  Scratch scratch;
  std::vector<double> y;
  std::vector<double> ydot;

  Evaluated(const ModelBuilder& builder, Random& random)
      : model(builder.build()), scratch(model), y(moved_start(model, random, scratch)), ydot(y.size()) {
    evaluate(model, 0, y, ydot, scratch);
  }
  Pair velocity(BodyId body) const {
    if (body < 0) { return {}; }
    const BodyView b = Model::view(y, body);
    return {rotate(b.e_NB, b.w_B), b.v_N};
  }
  Pair acceleration(BodyId body) const { return body < 0 ? Pair{} : acceleration_of(model, scratch, body); }
  Pair applied(BodyId body) const {
    return scratch
        .applied[body < 0 ? 0
                          : static_cast<std::size_t>(model.elimination().node_of_body[static_cast<std::size_t>(body)])];
  }
  std::vector<Reaction> joint_reactions() {
    std::vector<Reaction> result(model.joint_count());
    reactions(model, y, scratch, result);
    return result;
  }
};

/// Power of a joint's reactions on both bodies; the twin takes the force at the mass centres.
double off_work(const JointKind& kind, Random& random, bool twin) {
  Evaluated m(Chain(kind, random).builder, random);
  const std::vector<Reaction> all = m.joint_reactions();
  double worst = 0;
  for (int j = 0; j < 2; ++j) {
    const Reaction& r = all[static_cast<std::size_t>(j)];
    const auto [first, second] = m.model.ends(m.y, j);
    const Vec3<double> point = second.point();
    const auto speed = [&](const End<double>& end) { return twin ? end.v : end.v + cross(end.w, point - end.r); };
    const double work = dot(r.force_N, speed(second) - speed(first)) + dot(r.moment_N, second.w - first.w);
    worst = larger(worst, std::fabs(work) / (kSolved * (1 + norm(r.force_N) + norm(r.moment_N))));
  }
  return worst;
}

/// Newton and Euler for every body, with the reactions; the twin does not reverse them on the first body.
double off_balance(const JointKind& kind, Random& random, bool twin) {
  Evaluated m(Chain(kind, random).builder, random);
  const std::vector<Reaction> all = m.joint_reactions();
  double worst = 0;
  for (BodyId b = 0; b < 3; ++b) {
    const BodyView body = Model::view(m.y, b);
    const MassProperties& mass = m.model.bodies()[static_cast<std::size_t>(b)].mass;
    const Mat3<double> J = turned(rotation_matrix(body.e_NB), mass.J_B);
    const Pair a = m.acceleration(b);
    const Vec3<double> w = m.velocity(b).ang;
    Vec3<double> force = mass.mass * (a.lin - m.model.gravity_N());
    Vec3<double> moment = J * a.ang + cross(w, J * w);
    double size = 1;
    for (std::size_t j = 0; j < all.size(); ++j) {
      const JointDescription& joint = m.model.joints()[j];
      const double sign = joint.second == b ? 1 : joint.first == b ? (twin ? 1 : -1) : 0;
      const Vec3<double> point = m.model.ends(m.y, static_cast<int>(j)).second.point();
      force -= sign * all[j].force_N;
      moment -= sign * (all[j].moment_N + cross(point - body.r_N, all[j].force_N));
      size += norm(all[j].force_N) + norm(all[j].moment_N);
    }
    worst = larger(worst, (norm(force) + norm(moment)) / (kSolved * size));
  }
  return worst;
}

/// Accelerations fulfil the rows; the twin leaves γ out.
double off_acceleration(const JointKind& kind, Random& random, bool twin) {
  const Evaluated m(Chain(kind, random).builder, random);
  double worst = 0;
  for (std::size_t j = 0; j < m.model.joint_count(); ++j) {
    const JointDescription& joint = m.model.joints()[j];
    const auto [first, second] = m.model.ends(m.y, static_cast<int>(j));
    std::array<Row, kMostRows> rows;
    const std::size_t n = joint_rows(*joint.kind, joint.parameter, first, second, rows);
    for (std::size_t i = 0; i < n; ++i) {
      const double left = dot(rows[i].first, m.acceleration(joint.first)) +
                          dot(rows[i].second, m.acceleration(joint.second)) - (twin ? 0 : rows[i].gamma);
      worst = larger(worst, std::fabs(left) / (10 * kSolved * (1 + std::fabs(rows[i].gamma))));
    }
  }
  return worst;
}

void add_joints(std::vector<JointCheck>& list) {
  for (const JointKind& kind : joint_kinds()) {
    const std::string name = "joint " + std::string(kind.name);
    const auto add = [&](const char* what, const char* label, const char* function, const char* statement,
                         const char* twin, auto residual) {
      list.push_back({name + ": " + what, label, function, statement, twin,
                      [&kind, residual](Random& random, bool wrong) { return residual(kind, random, wrong); }});
    };
    add("Jacobian", "MEC-1", "joint_rows", "c₁·(ω₁; v₁) + c₂·(ω₂; v₂) = Φ̇ by dual numbers", "without the first body",
        [](const JointKind& k, Random& r, bool wrong) { return off_joint_rows(k, r, false, wrong); });
    add("γ", "MEC-1", "joint_rows", "c₁·(α₁; a₁) + c₂·(α₂; a₂) − γ = Φ̈ by nested dual numbers", "without γ",
        [](const JointKind& k, Random& r, bool wrong) { return off_joint_rows(k, r, true, wrong); });
    add("no work", "MEC-16", "reactions", "f·(v₂ − v₁) + m·(ω₂ − ω₁) = 0 at the joint point",
        "velocities of the mass centres", off_work);
    add("balance", "MEC-16", "reactions", "m (a − g) and J α + ω × J ω of every body are the sums of its reactions",
        "the same wrench on both bodies", off_balance);
    add("accelerations", "MEC-9 MEC-16", "evaluate", "accelerations fulfil C a = γ, in a tree and in a loop",
        "without γ", off_acceleration);
  }
  for (const Coordinate coordinate : {Coordinate::turn, Coordinate::slide_x, Coordinate::slide_y, Coordinate::slide_z,
                                      Coordinate::cross_x, Coordinate::cross_y, Coordinate::swing}) {
    const std::string name = "coordinate " + std::string(to_text(coordinate));
    list.push_back({name + ": row", "MEC-12", "coordinate_row", "row·(ω; v) = q̇ by dual numbers",
                    "without the first body",
                    [coordinate](Random& r, bool wrong) { return off_coordinate(coordinate, r, false, wrong); }});
    list.push_back({name + ": γ", "MEC-12", "coordinate_row", "row·(α; a) − γ = q̈ by nested dual numbers", "without γ",
                    [coordinate](Random& r, bool wrong) { return off_coordinate(coordinate, r, true, wrong); }});
  }
}

// ---- rolling, blades, curves --------------------------------------------------------------------------------

/// A body under one constraint, evaluated.
Evaluated held_by(const std::function<void(ModelBuilder&)>& constrain, Random& random) {
  ModelBuilder builder;
  builder.gravity({0, 0, -9.81});
  BodyStart start;
  start.r_N = {0, 0, 1};
  start.e_NB = exp(Vec3<double>{1.2, 0.2, 0.1});
  start.v_N = random.vector(1);
  start.w_B = random.vector(2);
  builder.body("wheel", random_mass(random), start);
  constrain(builder);
  return {builder, random};
}
Rolling wheel(double radius, double edge) { return {"wheel", 0, {0.1, 0, 0}, {0, 0, 1}, radius, edge, {}, {0, 0, 1}}; }
const Blade kBlade{"blade", 0, {0.2, 0.1, 0}, {0, 1, 0}};

/// The rows at a state, times velocities.
std::vector<double> slip(const Model& model, std::span<const double> y) {
  std::vector<ListedRow> rows;
  constraint_rows(model, 0, y, rows);
  std::vector<double> rates;
  for (const ListedRow& row : rows) {
    double rate = 0;
    for (std::size_t s = 0; s < row.bodies.size(); ++s) {
      if (row.bodies[s] == kGround) { continue; }
      const BodyView body = Model::view(y, row.bodies[s]);
      rate += dot(row.sides[s], {rotate(body.e_NB, body.w_B), body.v_N});
    }
    rates.push_back(rate);
  }
  return rates;
}

/// Along the motion rates stay zero; the twin keeps the angular velocity as it is.
double off_slip(const Evaluated& m, bool twin) {
  const double dt = 1e-5;
  const auto at = [&](double by) {
    std::vector<double> y = m.y;
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (!(twin && i >= 10)) { y[i] += by * m.ydot[i]; }
    }
    return slip(m.model, y);
  };
  const std::vector<double> before = at(-dt);
  const std::vector<double> after = at(dt);
  double worst = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    worst = larger(worst, std::fabs(after[i] - before[i]) / (2 * dt) / (100 * kDifferences));
  }
  return worst;
}
/// Power of what holds it; the twin takes the velocity of the mass centre.
double off_contact_work(const Evaluated& m, bool twin) {
  const BodyView body = Model::view(m.y, 0);
  const MassProperties& mass = m.model.bodies()[0].mass;
  const Mat3<double> J = turned(rotation_matrix(body.e_NB), mass.J_B);
  const Pair a = m.acceleration(0);
  const Pair v = m.velocity(0);
  // what must have acted, from the accelerations
  const Vec3<double> force = mass.mass * (a.lin - m.model.gravity_N());
  const Vec3<double> moment = J * a.ang + cross(v.ang, J * v.ang);
  const double work = dot(force, v.lin) + (twin ? 0 : dot(moment, v.ang));
  return std::fabs(work) / (kSolved * (1 + norm(force) + norm(moment)));
}

void add_rolling(std::vector<JointCheck>& list) {
  struct Kind {
    const char* name;
    const char* label;
    const char* by;
    std::function<void(ModelBuilder&)> constrain;
  };
  const auto rolling = [](double radius, double edge) {
    return [radius, edge](ModelBuilder& builder) { builder.add(wheel(radius, edge)); };
  };
  const auto on = [](std::vector<std::string> formulas) {
    return [formulas](ModelBuilder& builder) {
      builder.add(PointOnCurve{.name = "wire",
                               .body = 0,
                               .point_B = {0.3, -0.2, 0.1},
                               .carrier = kGround,
                               .zero_on_it = point_function(formulas)});
    };
  };
  for (const Kind& kind :
       {Kind{"rolling disc, knife edge", "MEC-21", "Rolling::rows", rolling(0.7, 0)},
        Kind{"rolling torus", "MEC-21", "Rolling::rows", rolling(0.6, 0.2)},
        Kind{"rolling ball", "MEC-21", "Rolling::rows", rolling(0, 0.8)},
        Kind{"blade", "MEC-22", "Blade::rows", [](ModelBuilder& builder) { builder.add(kBlade); }},
        Kind{"point on an ellipsoid", "MEC-39", "PointOnCurve::rows", on({"x^2 + y^2/2 + z^2/3 - 1"})},
        Kind{"point on a curve", "MEC-39", "PointOnCurve::rows", on({"x^2 + y^2 - z", "sin(x) + y"})}}) {
    const auto make = [constrain = kind.constrain](Random& random) { return held_by(constrain, random); };
    list.push_back({std::string(kind.name) + ": γ", kind.label, kind.by,
                    "rates of the rows stay zero along the motion, by differences", "without the change of ω",
                    [make](Random& random, bool twin) { return off_slip(make(random), twin); }});
    list.push_back({std::string(kind.name) + ": no work", kind.label, "evaluate",
                    "what must act for these accelerations has no power", "without the moment",
                    [make](Random& random, bool twin) { return off_contact_work(make(random), twin); }});
  }
}

// ---- forces --------------------------------------------------------------------------------------------

/// A body's frame with its velocity as dual part, in the state y.
End<D> moving_end(const Model& model, std::span<const double> y, BodyId body, const FrameOnBody& frame) {
  const EulerParameters<D> e_BF{D(frame.e_BF.e0), lift<D>(frame.e_BF.ev)};
  if (body < 0) { return {{}, {}, {}, lift<D>(frame.r_BF_B), rotation_matrix(e_BF)}; }
  const BodyView b = Model::view(y, body);
  const EulerParameters<double> edot = rate_from_body(b.e_NB, b.w_B);
  const auto dual = [](const Vec3<double>& x, const Vec3<double>& dx) -> Vec3<D> {
    return {D{x.x, dx.x}, D{x.y, dx.y}, D{x.z, dx.z}};
  };
  const Mat3<D> R = rotation_matrix(EulerParameters<D>{D{b.e_NB.e0, edot.e0}, dual(b.e_NB.ev, edot.ev)});
  const Vec3<double> lever_B = frame.r_BF_B - model.bodies()[static_cast<std::size_t>(body)].mass.center_B;
  return {dual(b.r_N, b.v_N), {}, {}, R * lift<D>(lever_B), R * rotation_matrix(e_BF)};
}
End<D> moving_end(const Evaluated& m, BodyId body, const FrameOnBody& frame) {
  return moving_end(m.model, m.y, body, frame);
}
/// A point of a body with its velocity as dual part.
Vec3<D> moving_point(const Model& model, std::span<const double> y, BodyId body, const Vec3<double>& r_BP_B) {
  return moving_end(model, y, body, {r_BP_B, EulerParameters<double>::identity()}).point();
}

/// d/dt of the potential of all forces but uniform gravity, by dual numbers.
double potential_rate(const Evaluated& m) {
  D sum(0);
  const auto point = [&](BodyId body, const Vec3<double>& r) { return moving_point(m.model, m.y, body, r); };
  for (const Spring& spring : m.model.springs()) {
    sum += potential(spring, norm(point(spring.second, spring.on_second_B) - point(spring.first, spring.on_first_B)));
  }
  const auto coordinates = [&](const auto& forces) {
    for (const auto& force : forces) {
      const JointDescription& joint = m.model.joints()[static_cast<std::size_t>(force.joint)];
      sum += potential(force, coordinate_value(force.coordinate, moving_end(m, joint.first, joint.on_first),
                                               moving_end(m, joint.second, joint.on_second)));
    }
  };
  coordinates(m.model.joint_springs());
  coordinates(m.model.joint_limits());
  for (const Bushing& bushing : m.model.bushings()) {
    sum += potential(bushing, bushing_strain(moving_end(m, bushing.first, bushing.on_first),
                                             moving_end(m, bushing.second, bushing.on_second)));
  }
  for (const CentralGravity& gravity : m.model.central_gravities()) {
    for (BodyId b = 0; b < static_cast<BodyId>(m.model.body_count()); ++b) {
      const MassProperties& mass = m.model.bodies()[static_cast<std::size_t>(b)].mass;
      const End<D> end = moving_end(m, b, {mass.center_B, EulerParameters<double>::identity()});
      sum += potential(gravity, mass, end.r, end.axes);
    }
  }
  return sum.derivative;
}

/// d/dt of the momentum of a wheel about its axis, space components.
Vec3<double> momentum_rate_N(const Evaluated& m, std::size_t wheel) {
  const ReactionWheel& own = m.model.wheels()[wheel];
  const std::size_t at = m.model.bodies_size() + wheel;
  const Vec3<double> axis_N = rotate(Model::view(m.y, own.body).e_NB, own.axis_B);
  return own.inertia * (m.ydot[at] * axis_N + m.y[at] * cross(m.velocity(own.body).ang, axis_N));
}

/// Work of the forces on the bodies and on the wheels in them is what the potential loses, and what is supplied and
/// dissipated; the twin has the sign of these wrong.
double off_power(const Evaluated& m, bool twin) {
  double work = 0;
  double size = 1;
  for (BodyId b = 0; b < static_cast<BodyId>(m.model.body_count()); ++b) {
    const double part = dot(m.applied(b), m.velocity(b));
    work += part;
    size += std::fabs(part);
  }
  for (std::size_t w = 0; w < m.model.wheel_count(); ++w) {
    const std::size_t at = m.model.bodies_size() + w;
    const double part = m.model.wheels()[w].inertia * m.y[at] * m.ydot[at];
    work += part;
    size += std::fabs(part);
  }
  const Power now = power(m.model, m.scratch);
  const double told = now.supplied - now.dissipated - potential_rate(m);
  return std::fabs(work - (twin ? -told : told)) / (kJointRounding * size);
}

/// Virtual power of everything that the model describes, for bodies with the velocities of `other` at the state of `m`:
/// forces as their laws are printed, written out here, against the rates of points and coordinates by dual numbers. No
/// row, no rotation and no rate of the library's own takes part. Wheels and uniform gravity are left out; a far centre
/// acts by its potential. `sign` goes before what potentials do not check: damping, friction, drag, stated forces.
double virtual_power(const Evaluated& m, std::span<const double> other, double sign) {
  double sum = 0;
  const auto now = [&](BodyId body, const Vec3<double>& r) { return moving_point(m.model, m.y, body, r); };
  const auto along = [&](BodyId body, const Vec3<double>& r) { return moving_point(m.model, other, body, r); };
  const auto rates = [](const Vec3<D>& r) { return Vec3<double>{r.x.derivative, r.y.derivative, r.z.derivative}; };
  const auto axis_of = [](const End<D>& end, std::size_t k) {
    return Vec3<double>{end.axes(0, k).value, end.axes(1, k).value, end.axes(2, k).value};
  };
  for (const Wrench& wrench : m.model.wrenches()) {
    const End<D> end = moving_end(m, wrench.body, {wrench.r_BP_B, EulerParameters<double>::identity()});
    const auto in_space = [&](const Vec3<double>& v) {
      return wrench.in_body ? v.x * axis_of(end, 0) + v.y * axis_of(end, 1) + v.z * axis_of(end, 2) : v;
    };
    const BodyView moving = Model::view(other, wrench.body);
    const Vec3<double> w_N =
        moving.w_B.x * axis_of(end, 0) + moving.w_B.y * axis_of(end, 1) + moving.w_B.z * axis_of(end, 2);
    sum += sign *
           (dot(in_space(wrench.force), rates(along(wrench.body, wrench.r_BP_B))) + dot(in_space(wrench.moment), w_N));
  }
  for (const Spring& spring : m.model.springs()) {
    const D s = norm(now(spring.second, spring.on_second_B) - now(spring.first, spring.on_first_B));
    const D moved = norm(along(spring.second, spring.on_second_B) - along(spring.first, spring.on_first_B));
    const double f = spring.stiffness * (s.value - spring.free_length) + sign * spring.damping * s.derivative;
    sum -= (f + spring.force) * moved.derivative;  // MEC-13
  }
  const auto on_coordinates = [&](const auto& forces, const auto& law) {
    for (const auto& force : forces) {
      const JointDescription& joint = m.model.joints()[static_cast<std::size_t>(force.joint)];
      const auto coordinate = [&](std::span<const double> y) {
        return coordinate_value(force.coordinate, moving_end(m.model, y, joint.first, joint.on_first),
                                moving_end(m.model, y, joint.second, joint.on_second));
      };
      const D q = coordinate(m.y);
      sum += law(force, q.value, q.derivative) * coordinate(other).derivative;
    }
  };
  on_coordinates(m.model.joint_springs(), [&](const JointSpring& spring, double q, double rate) {
    return -spring.stiffness * (q - spring.zero) + sign * (spring.force - spring.damping * rate);  // MEC-14
  });
  on_coordinates(m.model.joint_limits(), [&](const JointLimit& limit, double q, double rate) {
    const int side = q > limit.upper ? 1 : q < limit.lower ? -1 : 0;
    const double depth = side > 0 ? q - limit.upper : limit.lower - q;
    const bool soft = depth < limit.softness;
    const double rho = soft ? depth * depth / (2 * limit.softness) : depth - limit.softness / 2;
    const double slope = soft ? depth / limit.softness : 1;
    const double deeper = side * rate > 0 ? side * rate : 0;
    return -side * (limit.stiffness * rho + sign * limit.damping * slope * deeper);  // MEC-25
  });
  on_coordinates(m.model.joint_frictions(), [&](const JointFriction& friction, double, double rate) {
    const double x = rate / friction.velocity;
    return -sign * (friction.dry * x / std::sqrt(1 + x * x) + friction.viscous * rate);  // MEC-26
  });
  for (const Bushing& bushing : m.model.bushings()) {
    const auto strain = [&](std::span<const double> y) {
      return bushing_strain(moving_end(m.model, y, bushing.first, bushing.on_first),
                            moving_end(m.model, y, bushing.second, bushing.on_second));
    };
    const std::array<D, 6> s = strain(m.y);
    const std::array<D, 6> moved = strain(other);
    for (std::size_t i = 0; i < 6; ++i) {
      for (std::size_t j = 0; j < 6; ++j) {
        const double Q = bushing.stiffness(i, j) * s[j].value + sign * bushing.damping(i, j) * s[j].derivative;
        sum -= Q * moved[i].derivative;  // MEC-27
      }
    }
  }
  for (const Drag& drag : m.model.drags()) {
    const Vec3<double> through = rates(now(drag.body, drag.r_BP_B)) - drag.medium_N;
    const double size = drag.linear + drag.quadratic * norm(through);
    sum -= sign * size * dot(through, rates(along(drag.body, drag.r_BP_B)));  // MEC-28
  }
  for (const CentralGravity& gravity : m.model.central_gravities()) {
    for (BodyId b = 0; b < static_cast<BodyId>(m.model.body_count()); ++b) {
      const MassProperties& mass = m.model.bodies()[static_cast<std::size_t>(b)].mass;
      const End<D> end = moving_end(m.model, other, b, {mass.center_B, EulerParameters<double>::identity()});
      sum -= sign * potential(gravity, mass, end.r, end.axes).derivative;
    }
  }
  return sum;
}

/// A law of the user's, its forces by body and place.
Pair law_of_the_users(const Vec3<double>& r_N) { return {{0.5, 1, 2}, -3.0 * r_N}; }

/// The same velocities for the moments and forces that the library applies: both powers agree for any velocities, so
/// that each force has its place, its direction and its sign.
double off_law(const Evaluated& m, Random& random, bool of_the_users, bool twin) {
  double worst = 0;
  for (int n = 0; n < 4; ++n) {
    std::vector<double> other = m.y;
    double found = 0;
    double size = 1;
    double told = 0;
    for (BodyId b = 0; b < static_cast<BodyId>(m.model.body_count()); ++b) {
      BodyView moving = Model::view(other, b);
      moving.v_N = random.vector(1);
      moving.w_B = random.vector(1);
      Model::set(other, b, moving);
      const Pair velocity{rotate(moving.e_NB, moving.w_B), moving.v_N};
      found += dot(m.applied(b), velocity);
      size += norm(m.applied(b).ang) + norm(m.applied(b).lin);
      if (of_the_users && b == 1) { told += (twin ? -1 : 1) * dot(law_of_the_users(moving.r_N), velocity); }
    }
    told += virtual_power(m, other, twin ? -1 : 1);
    worst = larger(worst, std::fabs(found - told) / (10 * kJointRounding * size));
  }
  return worst;
}

/// Forces between bodies add up to nothing, and so do their moments about any point, with those on wheels; the twin
/// has the force on one body of a pair reversed.
double off_pairs(const Evaluated& m, bool twin) {
  Vec3<double> force{};
  Vec3<double> moment{};
  double size = 1;
  BodyId last = 0;
  for (BodyId b = 0; b < static_cast<BodyId>(m.model.body_count()); ++b) {
    if (norm(m.applied(b).ang) + norm(m.applied(b).lin) > 0) { last = b; }
  }
  for (BodyId b = 0; b < static_cast<BodyId>(m.model.body_count()); ++b) {
    const Pair f = (twin && b == last ? -1.0 : 1.0) * m.applied(b);
    force += f.lin;
    moment += f.ang + cross(Model::view(m.y, b).r_N, f.lin);
    size += norm(f.ang) + norm(f.lin);
  }
  for (std::size_t w = 0; w < m.model.wheel_count(); ++w) { moment += momentum_rate_N(m, w); }
  return (norm(force) + norm(moment)) / (kJointRounding * size);
}

Matrix<double, 6, 6> random_symmetric(Random& random) {
  Matrix<double, 6, 6> A;
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j <= i; ++j) { A(i, j) = A(j, i) = random.between(-1, 1) + (i == j ? 6 : 0); }
  }
  return A;
}

void add_wheel(ModelBuilder& builder, Random& random, BodyId body) {
  ReactionWheel wheel;
  wheel.body = body;
  const Vec3<double> axis = random.vector(1);
  wheel.axis_B = axis / norm(axis);
  wheel.inertia = random.between(0.005, 0.02);
  wheel.speed_at_start = random.between(-100, 100);
  wheel.friction = 0.003;
  wheel.command = [](const MechanismView& now) { return 0.5 + Model::view(now.y, 0).w_B.x; };
  builder.add(std::move(wheel));
}

/// Bodies with wheels: the whole has the angular momentum that gravity gives it, with the inertia as the user gives it,
/// wheels included, and speeds relative to the bodies; the twin leaves out what it takes to turn a spinning wheel.
///
///   Σ r × m (a − g) + A (J' ω̇' + ω' × J' ω' + Σ I (Ω̇ s' + ω' × Ω s')) = 0
double off_wheels(Random& random, bool twin) {
  Chain chain(joint_kind("universal"), random);
  for (const BodyId body : {0, 1, 1, 2}) { add_wheel(chain.builder, random, body); }
  const Evaluated m(chain.builder, random);
  Vec3<double> sum{};
  double size = 1;
  const auto enter = [&](const Vec3<double>& part) {
    sum += part;
    size += norm(part);
  };
  for (BodyId b = 0; b < 3; ++b) {
    const BodyView body = Model::view(m.y, b);
    const MassProperties& mass = m.model.bodies()[static_cast<std::size_t>(b)].mass;
    const Pair a = m.acceleration(b);
    const Vec3<double> wdot_B = rotate_back(body.e_NB, a.ang);
    enter(cross(body.r_N, mass.mass * (a.lin - m.model.gravity_N())));
    enter(rotate(body.e_NB, mass.J_B * wdot_B + cross(body.w_B, mass.J_B * body.w_B)));
    for (std::size_t w = 0; w < m.model.wheel_count(); ++w) {
      const ReactionWheel& wheel = m.model.wheels()[w];
      if (wheel.body != b) { continue; }
      const double speed = m.model.wheel_speed(m.y, w);
      const double speed_rate = m.ydot[m.model.bodies_size() + w] - dot(wheel.axis_B, wdot_B);
      enter(rotate(body.e_NB, (wheel.inertia * speed_rate) * wheel.axis_B));
      if (!twin) { enter(rotate(body.e_NB, cross(body.w_B, (wheel.inertia * speed) * wheel.axis_B))); }
    }
  }
  return norm(sum) / (kSolved * size);
}

void add_forces(std::vector<JointCheck>& list) {
  struct Load {
    const char* name;
    const char* label;
    const char* function;
    const char* joint;
    bool between_bodies;
    void (*add)(ModelBuilder& builder, Random& random);
  };
  static const std::vector<Load> kLoads{
      {"wrench", "MEC-30", "Wrench", "revolute", false,
       [](ModelBuilder& b, Random& r) {
         b.add(Wrench{1, r.vector(1), r.vector(5), r.vector(5), r.between(0, 1) < 0.5});
       }},
      {"spring and damper", "MEC-13", "Spring", "revolute", true,
       [](ModelBuilder& b, Random& r) { b.add(Spring{0, r.vector(1), 2, r.vector(1), 30, 2, 0.4, 3}); }},
      {"spring of a hinge", "MEC-14", "JointSpring", "revolute", true,
       [](ModelBuilder& b, Random&) { b.add(JointSpring{1, Coordinate::turn, 20, 2, 2.5, 3}); }},
      {"springs of a cross", "MEC-14 MEC-31", "JointSpring", "universal", true,
       [](ModelBuilder& b, Random&) {
         b.add(JointSpring{1, Coordinate::cross_x, 20, 2, 0.3, 3});
         b.add(JointSpring{0, Coordinate::cross_y, 20, 2, 0.3, 3});
       }},
      {"spring, friction and stop of a swing", "MEC-14 MEC-25 MEC-26 MEC-36", "Swing", "spherical", true,
       [](ModelBuilder& b, Random&) {
         b.add(JointSpring{1, Coordinate::swing, 20, 2, 0.3, 3});
         b.add(JointFriction{1, Coordinate::swing, 2, 0.3, 0.5});
         b.add(JointLimit{0, Coordinate::swing, 0, 0.2, 20, 3, 0.1});
       }},
      {"stop of a hinge", "MEC-25", "JointLimit", "revolute", true,
       [](ModelBuilder& b, Random&) { b.add(JointLimit{1, Coordinate::turn, 2, 2.1, 20, 3, 1}); }},
      {"stop of a slide", "MEC-25", "JointLimit", "prismatic", true,
       [](ModelBuilder& b, Random&) { b.add(JointLimit{0, Coordinate::slide_z, 1, 2, 200, 3, 1e-3}); }},
      {"friction", "MEC-26", "JointFriction", "cylindrical", true,
       [](ModelBuilder& b, Random&) {
         b.add(JointFriction{1, Coordinate::turn, 2, 0.3, 0.5});
         b.add(JointFriction{0, Coordinate::slide_z, 2, 0.3, 0.5});
       }},
      {"bushing", "MEC-27", "Bushing", "spherical", true,
       [](ModelBuilder& b, Random& r) {
         b.add(Bushing{0,
                       {r.vector(0.5), r.attitude()},
                       2,
                       {r.vector(0.5), r.attitude()},
                       random_symmetric(r),
                       random_symmetric(r)});
       }},
      {"drag", "MEC-28", "Drag", "spherical", false,
       [](ModelBuilder& b, Random& r) { b.add(Drag{1, r.vector(1), 0.5, 0.8, r.vector(1)}); }},
      {"reaction wheels", "MEC-38", "ReactionWheel", "universal", true,
       [](ModelBuilder& b, Random& r) {
         add_wheel(b, r, 1);
         add_wheel(b, r, 1);
         add_wheel(b, r, 2);
       }},
      {"central gravity", "MEC-29", "CentralGravity", "spherical", false,
       [](ModelBuilder& b, Random&) { b.add(CentralGravity{{3, 4, -2}, 50}); }},
      {"law of the user's", "MEC-30", "ForceLaw", "revolute", false,
       [](ModelBuilder& b, Random&) {
         b.add(ForceLaw(
             [](const MechanismView& now, std::span<Pair> f) { f[1] += law_of_the_users(Model::view(now.y, 1).r_N); }));
       }},
  };
  for (const Load& load : kLoads) {
    const auto make = [&load](Random& random) {
      Chain chain(joint_kind(load.joint), random);
      load.add(chain.builder, random);
      return Evaluated(chain.builder, random);
    };
    const std::string name = "force: " + std::string(load.name);
    list.push_back({name + ", power", load.label, load.function,
                    "Σ f·v = supplied − dissipated − V̇, with V̇ by dual numbers", "the other sign",
                    [make](Random& random, bool twin) { return off_power(make(random), twin); }});
    // of wheels: "bodies with reaction wheels: momentum"
    if (std::string_view(load.function) != "ReactionWheel") {
      const bool of_the_users = std::string_view(load.function) == "ForceLaw";
      list.push_back({name + ", law", load.label, load.function,
                      "Σ f·v = Σ Q q̇ for any v, with Q as the law is printed and q̇ by dual numbers",
                      "the other sign of what has no potential, or of the potential if that is all",
                      [make, of_the_users](Random& random, bool twin) {
                        const Evaluated m = make(random);
                        return off_law(m, random, of_the_users, twin);
                      }});
    }
    if (!load.between_bodies) { continue; }
    list.push_back({name + ", pairs", load.label, load.function, "forces and moments on all bodies add up to nothing",
                    "one body's force reversed",
                    [make](Random& random, bool twin) { return off_pairs(make(random), twin); }});
  }
}

// ---- Euler parameters as coordinates -------------------------------------------------------------------

/// A row's derivative by ė: what a rate of the second body's Euler parameters does to Φ, by dual numbers, is the row's
/// angular part carried to ė, 2 Lᵀ ang' = 2 Gᵀ ang; the twin carries ang' by G.
double off_edot_jacobian(Random& random, bool twin) {
  double worst = 0;
  for (const JointKind& kind : joint_kinds()) {
    const Moving first(random);
    const Moving second(random);
    std::array<Row, kMostRows> rows;
    const std::size_t n = joint_rows(kind, kParameter, first.end(), second.end(), rows);
    const EulerParameters<double> edot = rate_from_body(second.e, second.w_B);
    const auto dual = [](double x, double dx) { return D{x, dx}; };
    const Mat3<D> R = rotation_matrix(EulerParameters<D>{
        dual(second.e.e0, edot.e0),
        {dual(second.e.ev.x, edot.ev.x), dual(second.e.ev.y, edot.ev.y), dual(second.e.ev.z, edot.ev.z)}});
    const Mat3<D> R1 = rotation_matrix(EulerParameters<D>{D(first.e.e0), lift<D>(first.e.ev)});
    const auto end = [](const Moving& body, const Mat3<D>& R_of_body) {
      const EulerParameters<D> frame{D(body.e_BF.e0), lift<D>(body.e_BF.ev)};
      return End<D>{lift<D>(body.r), {}, {}, R_of_body * lift<D>(body.lever_B), R_of_body * rotation_matrix(frame)};
    };
    std::array<D, kMostRows> values;
    joint_values(kind, kParameter, end(first, R1), end(second, R), values);
    for (std::size_t i = 0; i < n; ++i) {
      const Vec3<double>& ang = rows[i].second.ang;
      const Vec3<double> ang_B = rotate_back(second.e, ang);
      const EulerParameters<double> by_e = jacobian_for_edot(second.e, ang);
      const EulerParameters<double> by_L = 2.0 * transpose_times(E_body(second.e), ang_B);
      const EulerParameters<double> by_G = 2.0 * transpose_times(E_space(second.e), twin ? ang_B : ang);
      const double right = values[i].derivative;
      const double gap = larger(std::fabs(dot(by_e, edot) - right), norm(by_e - by_L), norm(by_e - by_G));
      worst = larger(worst, gap / (kJointRounding * (1 + right * right)));
    }
  }
  return worst;
}

/// What a form with Euler parameters has along e, by the number in its name: table C2 of docs/theory/forms.md.
struct AlongE {
  bool energy, plain, mixed;
  int row_factor;
};
AlongE along_e(std::string_view form) {
  const int number = std::stoi(std::string(form.substr(1)));
  const int force = (number - 1) % 4;  // Qp1, its part along e taken away, Qp2, the same of it
  return {number >= 5, number != 12 && force > 0, number != 12 && force == 2, number == 12 ? 2 : 1};
}

/// A chain in a loop of a rod with every kind of force at a point: what the forms differ in.
Evaluated held_in_euler_parameters(Random& random) {
  Chain chain(joint_kind("universal"), random);
  chain.builder.add(Spring{0, random.vector(1), 2, random.vector(1), 30, 2, 0.4, 3});
  chain.builder.add(Spring{kGround, random.vector(1), 1, random.vector(1), 20, 0.5, 0.1, -2});
  chain.builder.add(Wrench{1, random.vector(1), random.vector(5), random.vector(5), true});
  chain.builder.add(Wrench{2, random.vector(1), random.vector(5), random.vector(5), false});
  chain.builder.add(Drag{0, random.vector(1), 0.5, 0.8, random.vector(1)});
  chain.builder.add(JointSpring{1, Coordinate::cross_x, 20, 2, 0.3, 3});
  return {chain.builder, random};
}
/// Dense equations of some twenty unknowns, factorised without regard to their structure.
constexpr double kDense = 1e-9;

/// The equations with ë, λ_c and λ in place of α: Newton's and Euler's laws hold with Φᵀλ of the rows through rates,
/// the motion is that of the elimination, e·ë = −ė·ė; the twin reverses λ.
double off_euler_solution(Random& random, bool twin) {
  const Evaluated m = held_in_euler_parameters(random);
  std::vector<ListedRow> rows;
  constraint_rows(m.model, 0, m.y, rows);
  double worst = 0;
  for (const EulerForm& form : euler_forms()) {
    for (const JointJacobian jacobian : {JointJacobian::through_rate, JointJacobian::raw}) {
      const EulerSolution s = euler_solution(m.model, 0, m.y, form, jacobian);
      double size = 1;
      std::vector<Pair> held(m.model.body_count());
      for (std::size_t r = 0; r < rows.size(); ++r) {
        for (std::size_t k = 0; k < rows[r].bodies.size(); ++k) {
          if (rows[r].bodies[k] == kGround) { continue; }
          const Pair part = s.lambda[r] * rows[r].sides[k];
          held[static_cast<std::size_t>(rows[r].bodies[k])] += (twin ? -1.0 : 1.0) * part;
          size += norm(part.ang) + norm(part.lin);
        }
      }
      for (std::size_t b = 0; b < m.model.body_count(); ++b) {
        const BodyId id = static_cast<BodyId>(b);
        const BodyView body = Model::view(m.y, id);
        const MassProperties& mass = m.model.bodies()[b].mass;
        const EulerParameters<double> edot = rate_from_body(body.e_NB, body.w_B);
        // α of ë as KIN-18 has it, written out: ω̇' is 2 times the vector part of e* ∘ ë
        const Vec3<double> wdot_B = 2.0 * (conjugate(body.e_NB) * s.eddot[b]).ev;
        const Vec3<double> n_B = rotate_back(body.e_NB, m.applied(id).ang - held[b].ang);
        const Vec3<double> turning = mass.J_B * wdot_B + cross(body.w_B, mass.J_B * body.w_B) - n_B;
        const Vec3<double> moving = mass.mass * (s.a[b].lin - m.model.gravity_N()) - m.applied(id).lin + held[b].lin;
        const Pair gap = s.a[b] - m.acceleration(id);
        const double norm_row = std::fabs(dot(body.e_NB, s.eddot[b]) + dot(edot, edot));
        worst = larger(worst, larger(norm(turning), norm(moving), norm_row) / (kDense * size),
                       (norm(gap.ang) + norm(gap.lin)) / (kDense * size));
      }
    }
  }
  return worst;
}

/// The multiplier of each norm: solved for, by the library's closed expression, and as MEC-24 has it, written out here
/// with dual numbers; the twin reverses the part of the springs.
double off_norm_multipliers(Random& random, bool twin) {
  const Evaluated m = held_in_euler_parameters(random);
  struct AtPoint {
    BodyId body;
    Vec3<double> r_BP_B, f_N;
  };
  std::vector<AtPoint> forces;
  const auto point = [&](BodyId body, const Vec3<double>& r) { return moving_point(m.model, m.y, body, r); };
  const auto values = [](const Vec3<D>& r) { return Vec3<double>{r.x.value, r.y.value, r.z.value}; };
  for (const Spring& spring : m.model.springs()) {
    const Vec3<D> d = point(spring.second, spring.on_second_B) - point(spring.first, spring.on_first_B);
    const D s = norm(d);
    const double f = spring.stiffness * (s.value - spring.free_length) + spring.damping * s.derivative + spring.force;
    const Vec3<double> pull = ((twin ? -f : f) / s.value) * values(d);
    forces.push_back({spring.first, spring.on_first_B, pull});
    forces.push_back({spring.second, spring.on_second_B, -pull});
  }
  for (const Wrench& wrench : m.model.wrenches()) {
    const Mat3<double> R = rotation_matrix(Model::view(m.y, wrench.body).e_NB);
    forces.push_back({wrench.body, wrench.r_BP_B, wrench.in_body ? R * wrench.force : wrench.force});
  }
  for (const Drag& drag : m.model.drags()) {
    const Vec3<D> p = point(drag.body, drag.r_BP_B);
    const Vec3<double> through = Vec3<double>{p.x.derivative, p.y.derivative, p.z.derivative} - drag.medium_N;
    forces.push_back({drag.body, drag.r_BP_B, -(drag.linear + drag.quadratic * norm(through)) * through});
  }
  double worst = 0;
  for (const EulerForm& form : euler_forms()) {
    const AlongE parts = along_e(form.name);
    for (const JointJacobian jacobian : {JointJacobian::through_rate, JointJacobian::raw}) {
      const EulerSolution s = euler_solution(m.model, 0, m.y, form, jacobian);
      const std::vector<double> closed = norm_multipliers_by_rule(m.model, 0, m.y, form.name, jacobian, s.lambda);
      for (std::size_t b = 0; b < m.model.body_count(); ++b) {
        const BodyView body = Model::view(m.y, static_cast<BodyId>(b));
        const Mat3<double> A = rotation_matrix(body.e_NB);
        const MassProperties& mass = m.model.bodies()[b].mass;
        double expected = parts.energy ? 2 * dot(body.w_B, mass.J_B * body.w_B) : 0;
        double size = 1 + std::fabs(expected);
        for (const AtPoint& force : forces) {
          if (force.body != static_cast<BodyId>(b)) { continue; }
          const Vec3<double> u_B = force.r_BP_B - mass.center_B;
          if (parts.plain) { expected += 2 * dot(force.f_N, A * u_B); }
          if (parts.mixed) { expected += 2 * dot(u_B, force.f_N); }
          size += norm(force.f_N);
        }
        if (jacobian == JointJacobian::raw) {
          // Φ_e e: as e grows, the homogeneous A grows twice as fast
          std::size_t row = 0;
          for (const JointDescription& joint : m.model.joints()) {
            const auto end = [&](BodyId of, const FrameOnBody& frame) {
              End<D> grown = moving_end(m, of, frame);
              const double rate = of == static_cast<BodyId>(b) ? 2 : 0;
              for (std::size_t i = 0; i < 3; ++i) {
                grown.r[i].derivative = 0;
                grown.lever[i].derivative = rate * grown.lever[i].value;
                for (std::size_t k = 0; k < 3; ++k) { grown.axes(i, k).derivative = rate * grown.axes(i, k).value; }
              }
              return grown;
            };
            std::array<D, kMostRows> grown;
            joint_values(*joint.kind, joint.parameter, end(joint.first, joint.on_first),
                         end(joint.second, joint.on_second), grown);
            for (std::size_t i = 0; i < joint.kind->row_count(); ++i, ++row) {
              expected -= s.lambda[row] * grown[i].derivative;
              size += std::fabs(s.lambda[row]);
            }
          }
        }
        expected /= parts.row_factor;
        worst = larger(worst, std::fabs(s.norm_multipliers[b] - expected) / (kDense * size),
                       std::fabs(closed[b] - expected) / (kDense * size));
      }
    }
  }
  return worst;
}

void add_euler_parameters(std::vector<JointCheck>& list) {
  list.push_back({"Euler parameters: Jacobian", "MEC-2", "jacobian_for_edot",
                  "∂Φ̇/∂ė = 2 Lᵀ ang' = 2 Gᵀ ang, times ė the rate of Φ by dual numbers, every row of every joint",
                  "2 Gᵀ ang'", off_edot_jacobian});
  list.push_back({"Euler parameters: motion", "MEC-23", "euler_solution",
                  "F1 to F8, F12, both Jacobians: J'ω̇' + ω' × J'ω' + Φ_ω'ᵀ λ = n', m a + Φ_rᵀ λ = f, e·ë = −ė·ė, "
                  "accelerations of the elimination",
                  "−λ", off_euler_solution});
  list.push_back({"Euler parameters: multipliers of the norms", "MEC-24", "euler_solution, norm_multipliers_by_rule",
                  "λ₁ = 4T + 2 Σ f·(A u') + 2 Σ u'·f − λᵀ (Φ_e e), as far as the form has each part",
                  "springs' part of f·(A u') and u'·f reversed", off_norm_multipliers});
}

/// A driven hinge and gears: what is supplied is what the energy gains; the twin forgets the rate of the law.
double off_driver(Random& random, bool twin) {
  Chain chain(joint_kind("revolute"), random);
  chain.builder.add(Driver{"motor", 0, Coordinate::turn,
                           [twin](double t) { return std::array<double, 3>{2 * t, 2, twin ? 3.0 : 0.0}; }});
  const Evaluated m(chain.builder, random);
  const double dt = 1e-5;
  const auto energy_at = [&](double by) {
    std::vector<double> y = m.y;
    for (std::size_t i = 0; i < y.size(); ++i) { y[i] += by * m.ydot[i]; }
    return energy(m.model, y).total();
  };
  const double gained = (energy_at(dt) - energy_at(-dt)) / (2 * dt);
  const Row row = coordinate_row(Coordinate::turn, m.model.ends(m.y, 0).first, m.model.ends(m.y, 0).second);
  const double turning = dot(row.first, m.acceleration(0)) + dot(row.second, m.acceleration(1)) - row.gamma;
  const double size = 1 + std::fabs(gained);
  return larger(std::fabs(gained - power(m.model, m.scratch).supplied) / size, std::fabs(turning)) /
         (100 * kDifferences);
}
/// Both wheels of a pair of gears: c₁ q̈₁ + c₂ q̈₂ = 0, and no power; the twin has other teeth.
double off_gears(Random& random, bool twin) {
  Chain chain(joint_kind("revolute"), random, false);
  chain.builder.add(Coupling{"gears", 0, Coordinate::turn, 2, 1, Coordinate::turn, 3, 0});
  const Evaluated m(chain.builder, random);
  double sum = 0;
  double rates = 0;
  for (int j = 0; j < 2; ++j) {
    const auto [first, second] = m.model.ends(m.y, j);
    const Row row = coordinate_row(Coordinate::turn, first, second);
    const double factor = j == 0 ? 2 : twin ? 4 : 3;
    sum += factor * (dot(row.first, m.acceleration(j)) + dot(row.second, m.acceleration(j + 1)) - row.gamma);
    rates += factor * (dot(row.first, m.velocity(j)) + dot(row.second, m.velocity(j + 1)));
  }
  return larger(std::fabs(sum), std::fabs(rates)) / (100 * kSolved);
}

std::vector<JointCheck> joint_checks() {
  std::vector<JointCheck> list;
  add_joints(list);
  add_rolling(list);
  list.push_back(
      {"gears", "MEC-15", "Coupling", "c₁ q̇₁ + c₂ q̇₂ = 0 and c₁ q̈₁ + c₂ q̈₂ = 0", "other numbers of teeth", off_gears});
  list.push_back({"driver", "MEC-30", "Driver", "q̈ as the law says, and d/dt E = −λ q̇", "another q̈", off_driver});
  add_forces(list);
  add_euler_parameters(list);
  list.push_back({"bodies with reaction wheels: momentum", "MEC-38", "ReactionWheel, carrier_inertia, evaluate",
                  "Σ r × m (a − g) + A (J'ω̇' + ω' × J'ω' + Σ I (Ω̇ s' + ω' × Ω s')) = 0, J' with the wheels",
                  "without ω' × I Ω s'", off_wheels});
  return list;
}

Item describe(const JointCheck& check) {
  Item item;
  item.source = "own";
  item.equation = check.equation;
  item.label = check.label;
  item.function = check.function;
  item.statement = check.statement;
  item.twin = check.twin;
  item.arithmetic = "double";
  return item;
}

}  // namespace

Report verify_joints() {
  Report report{"joints", {}};
  for (const JointCheck& check : joint_checks()) {
    Item item = describe(check);
    for (std::uint64_t seed = 1; seed <= kTrials; ++seed) {
      Random random(seed);
      Random again(seed);
      item.residual = larger(item.residual, check.residual(random, false));
      item.twin_residual = larger(item.twin_residual, check.residual(again, true));
    }
    item.ok = item.residual < 1;
    item.twin_killed = item.twin_residual > 100;
    report.items.push_back(std::move(item));
  }
  return report;
}

Report describe_joints() {
  Report report{"joints", {}};
  for (const JointCheck& check : joint_checks()) { report.items.push_back(describe(check)); }
  return report;
}

}  // namespace polhode::verification
