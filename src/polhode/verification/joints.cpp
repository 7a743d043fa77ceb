#include "polhode/math/dual.h"
#include "polhode/multibody/constraint_rows.h"
#include "polhode/multibody/dynamics.h"
#include "polhode/verification/verification.h"

#include <array>
#include <cmath>
#include <functional>
#include <random>
#include <string>

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
    worst = std::max(worst, std::fabs(found - right) / (kJointRounding * (1 + right * right)));
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
    worst = std::max(worst, std::fabs(work) / (kSolved * (1 + norm(r.force_N) + norm(r.moment_N))));
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
    worst = std::max(worst, (norm(force) + norm(moment)) / (kSolved * size));
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
      worst = std::max(worst, std::fabs(left) / (10 * kSolved * (1 + std::fabs(rows[i].gamma))));
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
    worst = std::max(worst, std::fabs(after[i] - before[i]) / (2 * dt) / (100 * kDifferences));
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

/// A body's frame with its velocity as dual part.
End<D> moving_end(const Evaluated& m, BodyId body, const FrameOnBody& frame) {
  const EulerParameters<D> e_BF{D(frame.e_BF.e0), lift<D>(frame.e_BF.ev)};
  if (body < 0) { return {{}, {}, {}, lift<D>(frame.r_BF_B), rotation_matrix(e_BF)}; }
  const BodyView b = Model::view(m.y, body);
  const EulerParameters<double> edot = rate_from_body(b.e_NB, b.w_B);
  const auto dual = [](const Vec3<double>& x, const Vec3<double>& dx) -> Vec3<D> {
    return {D{x.x, dx.x}, D{x.y, dx.y}, D{x.z, dx.z}};
  };
  const Mat3<D> R = rotation_matrix(EulerParameters<D>{D{b.e_NB.e0, edot.e0}, dual(b.e_NB.ev, edot.ev)});
  const Vec3<double> lever_B = frame.r_BF_B - m.model.bodies()[static_cast<std::size_t>(body)].mass.center_B;
  return {dual(b.r_N, b.v_N), {}, {}, R * lift<D>(lever_B), R * rotation_matrix(e_BF)};
}

/// d/dt of the potential of all forces but uniform gravity, by dual numbers.
double potential_rate(const Evaluated& m) {
  D sum(0);
  const auto point = [&](BodyId body, const Vec3<double>& r) {
    return moving_end(m, body, {r, EulerParameters<double>::identity()}).point();
  };
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

/// Forces between bodies add up to nothing, and so do their moments about any point, with those on wheels; the twin
/// counts bodies 1, 2, 3 times.
double off_pairs(const Evaluated& m, bool twin) {
  Vec3<double> force{};
  Vec3<double> moment{};
  double size = 1;
  for (BodyId b = 0; b < static_cast<BodyId>(m.model.body_count()); ++b) {
    const Pair f = (twin ? b + 1.0 : 1.0) * m.applied(b);
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
         b.add(ForceLaw([](const MechanismView& now, std::span<Pair> f) {
           f[1] += Pair{{0.5, 1, 2}, -3.0 * Model::view(now.y, 1).r_N};
         }));
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
    if (!load.between_bodies) { continue; }
    list.push_back({name + ", pairs", load.label, load.function, "forces and moments on all bodies add up to nothing",
                    "bodies counted once, twice, three times",
                    [make](Random& random, bool twin) { return off_pairs(make(random), twin); }});
  }
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
  return std::max(std::fabs(gained - power(m.model, m.scratch).supplied) / size, std::fabs(turning)) /
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
  return std::max(std::fabs(sum), std::fabs(rates)) / (100 * kSolved);
}

std::vector<JointCheck> joint_checks() {
  std::vector<JointCheck> list;
  add_joints(list);
  add_rolling(list);
  list.push_back(
      {"gears", "MEC-15", "Coupling", "c₁ q̇₁ + c₂ q̇₂ = 0 and c₁ q̈₁ + c₂ q̈₂ = 0", "other numbers of teeth", off_gears});
  list.push_back({"driver", "MEC-30", "Driver", "q̈ as the law says, and d/dt E = −λ q̇", "another q̈", off_driver});
  add_forces(list);
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
      item.residual = std::max(item.residual, check.residual(random, false));
      item.twin_residual = std::max(item.twin_residual, check.residual(again, true));
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
