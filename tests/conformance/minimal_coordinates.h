#pragma once

#include "conformance/drawn_mechanism.h"

#include <Eigen/Dense>

#include <span>

/// Newton, Euler and Kane by hand, in long double, for mechanisms drawn by lot: nothing of the engine's rooms of
/// mechanisms is called. Poses are functions of the freedoms of the joints of a tree; velocities and accelerations are
/// their derivatives along a path, by Taylor series of order two.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdouble-promotion"  // doubles are taken as exact numbers here, on purpose

namespace polhode::drawn {

using Real = long double;

/// A number that moves: value, rate and acceleration.
struct Moving {
  Real x = 0;
  Real v = 0;
  Real a = 0;
  constexpr Moving() = default;
  constexpr Moving(Real value, Real rate = 0, Real acceleration = 0) : x(value), v(rate), a(acceleration) {}

  friend constexpr Moving operator+(const Moving& p, const Moving& q) { return {p.x + q.x, p.v + q.v, p.a + q.a}; }
  friend constexpr Moving operator-(const Moving& p, const Moving& q) { return {p.x - q.x, p.v - q.v, p.a - q.a}; }
  friend constexpr Moving operator-(const Moving& p) { return {-p.x, -p.v, -p.a}; }
  friend constexpr Moving operator*(const Moving& p, const Moving& q) {
    return {p.x * q.x, p.v * q.x + p.x * q.v, p.a * q.x + 2 * p.v * q.v + p.x * q.a};
  }
};
/// f of something that moves, from f, f' and f'' there.
constexpr Moving chained(const Moving& p, Real f, Real f1, Real f2) { return {f, f1 * p.v, f2 * p.v * p.v + f1 * p.a}; }
inline Moving sin(const Moving& p) { return chained(p, std::sin(p.x), std::cos(p.x), -std::sin(p.x)); }
inline Moving cos(const Moving& p) { return chained(p, std::cos(p.x), -std::sin(p.x), -std::cos(p.x)); }
inline Moving sqrt(const Moving& p) {
  const Real root = std::sqrt(p.x);
  return chained(p, root, 1 / (2 * root), -1 / (4 * root * p.x));
}
inline Moving inverse(const Moving& p) { return chained(p, 1 / p.x, -1 / (p.x * p.x), 2 / (p.x * p.x * p.x)); }

using Vector = Vec3<Moving>;
using Turn = Mat3<Moving>;

inline Vector at_rest(const Vec3<double>& v) { return {Moving(v.x), Moving(v.y), Moving(v.z)}; }
inline Vec3<Real> in_real(const Vec3<double>& v) { return {v.x, v.y, v.z}; }
/// The matrix of Euler parameters, [Kane1983] written out; |e| = 1 to rounding is made good.
inline Mat3<Real> matrix_of(const EulerParameters<double>& e) {
  const Real n = std::sqrt(Real(e.e0) * e.e0 + Real(e.ev.x) * e.ev.x + Real(e.ev.y) * e.ev.y + Real(e.ev.z) * e.ev.z);
  const Real w = e.e0 / n;
  const Real x = e.ev.x / n;
  const Real y = e.ev.y / n;
  const Real z = e.ev.z / n;
  Mat3<Real> R;
  R(0, 0) = 1 - 2 * (y * y + z * z);
  R(0, 1) = 2 * (x * y - w * z);
  R(0, 2) = 2 * (x * z + w * y);
  R(1, 0) = 2 * (x * y + w * z);
  R(1, 1) = 1 - 2 * (x * x + z * z);
  R(1, 2) = 2 * (y * z - w * x);
  R(2, 0) = 2 * (x * z - w * y);
  R(2, 1) = 2 * (y * z + w * x);
  R(2, 2) = 1 - 2 * (x * x + y * y);
  return R;
}
inline Turn at_rest(const Mat3<Real>& R) {
  Turn to;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) { to(i, j) = Moving(R(i, j)); }
  }
  return to;
}

/// 1 + s [v] + c [v]²
inline Turn rodrigues(const Vector& v, const Moving& s, const Moving& c) {
  Turn skew;
  skew(0, 1) = -v.z;
  skew(0, 2) = v.y;
  skew(1, 0) = v.z;
  skew(1, 2) = -v.x;
  skew(2, 0) = -v.y;
  skew(2, 1) = v.x;
  Turn one;
  for (std::size_t i = 0; i < 3; ++i) { one(i, i) = Moving(1); }
  return one + s * skew + c * (skew * skew);
}
/// By a rotation vector that is zero now: exact to the second order.
inline Turn small_turn(const Vector& v) { return rodrigues(v, Moving(1), Moving(0.5L)); }
/// By one that is not.
inline Turn turn_by(const Vector& v) {
  const Moving squared = dot(v, v);
  const Moving angle = sqrt(squared);
  return rodrigues(v, sin(angle) * inverse(angle), (Moving(1) - cos(angle)) * inverse(squared));
}

inline std::size_t freedoms_of(FreeTurns turns) {
  switch (turns) {
    case FreeTurns::none:
      return 0;
    case FreeTurns::about_z:
      return 1;
    case FreeTurns::about_x1_y2:
    case FreeTurns::no_twist:
      return 2;
    default:
      return 3;
  }
}
inline std::size_t freedoms_of(FreeSlides slides) {
  switch (slides) {
    case FreeSlides::none:
    case FreeSlides::screw:
      return 0;
    case FreeSlides::along_z:
    case FreeSlides::circle:
      return 1;
    case FreeSlides::in_plane:
    case FreeSlides::sphere:
      return 2;
    default:
      return 3;
  }
}
inline std::size_t freedoms_of(const DrawnJoint& joint) { return freedoms_of(joint.turns) + freedoms_of(joint.slides); }

struct Pose {
  Vector r;
  Turn R;
};

/// The second frame from the first, the freedoms of the joint counted from where it stands.
inline Pose relative_motion(const DrawnJoint& joint, std::span<const Moving> q) {
  Pose at;
  const auto [a, b] = joint.angles;
  const Moving zero;
  switch (joint.turns) {
    case FreeTurns::none:
      at.R = small_turn({});
      break;
    case FreeTurns::about_z:
      at.R = turn_by({zero, zero, Moving(a) + q[0]});
      break;
    case FreeTurns::about_x1_y2:
      at.R = turn_by({Moving(a) + q[0], zero, zero}) * turn_by({zero, Moving(b) + q[1], zero});
      break;
    case FreeTurns::no_twist:
      at.R = turn_by({Moving(a) + q[0], Moving(b) + q[1], zero});
      break;
    case FreeTurns::all:
      at.R = at_rest(matrix_of(joint.attitude)) * small_turn({q[0], q[1], q[2]});
      break;
  }
  const std::span<const Moving> s = q.subspan(freedoms_of(joint.turns));
  const Moving length(joint.parameter);
  switch (joint.slides) {
    case FreeSlides::none:
      break;
    case FreeSlides::along_z:
      at.r = {zero, zero, Moving(joint.slide.z) + s[0]};
      break;
    case FreeSlides::screw:
      at.r = {zero, zero, length * (Moving(a) + q[0])};
      break;
    case FreeSlides::in_plane:
      at.r = {Moving(joint.slide.x) + s[0], Moving(joint.slide.y) + s[1], zero};
      break;
    case FreeSlides::circle:
      at.r = {length * cos(Moving(joint.phase) + s[0]), length * sin(Moving(joint.phase) + s[0]), zero};
      break;
    case FreeSlides::sphere: {
      const Vec3<double>& n = joint.slide;
      const Vec3<double> other = std::fabs(n.x) < 0.5 ? Vec3<double>{1, 0, 0} : Vec3<double>{0, 1, 0};
      const Vector across = at_rest(cross(n, other));
      const Vector second = at_rest(cross(n, cross(n, other)));
      at.r = length * (small_turn(s[0] * across + s[1] * second) * at_rest(n));
      break;
    }
    case FreeSlides::all:
      at.r = at_rest(joint.slide) + Vector{s[0], s[1], s[2]};
      break;
  }
  return at;
}

/// A body as it moves: its mass centre, its axes, and their derivatives.
struct BodyMotion {
  Vec3<Real> r{};
  Vec3<Real> v{};
  Vec3<Real> a{};
  Mat3<Real> R{};
  Vec3<Real> w{};      ///< space components
  Vec3<Real> alpha{};  ///< the same
};

inline BodyMotion motion_of(const Pose& pose, const Vec3<double>& centre_B) {
  BodyMotion m;
  const Vector centre = pose.r + pose.R * at_rest(centre_B);
  Mat3<Real> R1;
  Mat3<Real> R2;
  for (std::size_t i = 0; i < 3; ++i) {
    m.r[i] = centre[i].x;
    m.v[i] = centre[i].v;
    m.a[i] = centre[i].a;
    for (std::size_t j = 0; j < 3; ++j) {
      m.R(i, j) = pose.R(i, j).x;
      R1(i, j) = pose.R(i, j).v;
      R2(i, j) = pose.R(i, j).a;
    }
  }
  // [ω] = Ṙ Rᵀ and its derivative
  const Mat3<Real> W = R1 * transpose(m.R);
  const Mat3<Real> A = R2 * transpose(m.R) + R1 * transpose(R1);
  m.w = {W(2, 1), W(0, 2), W(1, 0)};
  m.alpha = {A(2, 1), A(0, 2), A(1, 0)};
  return m;
}

/// All bodies of a tree, with the freedoms of all joints one behind the other.
inline std::vector<BodyMotion> motions_of(const Mechanism& m, std::span<const Moving> q) {
  std::vector<Pose> poses;
  std::vector<BodyMotion> motions;
  for (std::size_t b = 0; b < m.bodies.size(); ++b) {
    const DrawnJoint& joint = m.tree[b];
    const Pose at = relative_motion(joint, q.first(freedoms_of(joint)));
    q = q.subspan(freedoms_of(joint));
    const bool own_is_second = joint.second == static_cast<int>(b);
    const int other = own_is_second ? joint.first : joint.second;
    const Frame& own = own_is_second ? joint.on_second : joint.on_first;
    const Frame& theirs = own_is_second ? joint.on_first : joint.on_second;
    const Pose base = other == kSpace ? Pose{{}, small_turn({})} : poses[static_cast<std::size_t>(other)];
    const Turn R_NF = base.R * at_rest(matrix_of(theirs.e_BF));
    const Vector r_NF = base.r + base.R * at_rest(theirs.r_B);
    const Turn R_own = own_is_second ? R_NF * at.R : R_NF * transpose(at.R);
    const Vector r_own = own_is_second ? r_NF + R_NF * at.r : r_NF - R_own * at.r;
    Pose pose;
    pose.R = R_own * transpose(at_rest(matrix_of(own.e_BF)));
    pose.r = r_own - pose.R * at_rest(own.r_B);
    poses.push_back(pose);
    motions.push_back(motion_of(pose, m.bodies[b].centre_B));
  }
  return motions;
}

inline std::size_t freedoms_of(const Mechanism& m) {
  std::size_t count = 0;
  for (const DrawnJoint& joint : m.tree) { count += freedoms_of(joint); }
  return count;
}

/// With even rates u from now on.
inline std::vector<BodyMotion> motions_at(const Mechanism& m, std::span<const Real> u) {
  std::vector<Moving> q;
  q.reserve(u.size());
  for (const Real rate : u) { q.emplace_back(0, rate); }
  return motions_of(m, q);
}

// ---- what acts ------------------------------------------------------------------------------------------------------

/// On one body: force, and moment about its mass centre.
struct Effort {
  Vec3<Real> force{};
  Vec3<Real> moment{};
};

/// A deliberate mistake, for which a twin of the check must be caught.
enum class Mistake { none, no_gyroscopic_moment, no_lever_of_springs, no_coriolis, reaction_at_wrong_point };

struct MaterialPoint {
  Vec3<Real> lever{};  ///< from the mass centre
  Vec3<Real> r{};
  Vec3<Real> v{};
};
inline MaterialPoint point_of(const Mechanism& m, std::span<const BodyMotion> bodies, int body,
                              const Vec3<double>& r_B) {
  if (body == kSpace) { return {{}, in_real(r_B), {}}; }
  const auto b = static_cast<std::size_t>(body);
  const Vec3<Real> lever = bodies[b].R * in_real(r_B - m.bodies[b].centre_B);
  return {lever, bodies[b].r + lever, bodies[b].v + cross(bodies[b].w, lever)};
}

/// The axes and the point of a joint frame.
struct FrameNow {
  MaterialPoint point;
  Mat3<Real> R;
};
inline FrameNow frame_of(const Mechanism& m, std::span<const BodyMotion> bodies, int body, const Frame& frame) {
  const Mat3<Real> own = matrix_of(frame.e_BF);
  return {point_of(m, bodies, body, frame.r_B), body == kSpace ? own : bodies[static_cast<std::size_t>(body)].R * own};
}

inline Vec3<Real> column(const Mat3<Real>& R, std::size_t j) { return {R(0, j), R(1, j), R(2, j)}; }

/// Angle of a hinge or length of a slide, its rate, and the axis in space.
struct JointNow {
  Real q = 0;
  Real rate = 0;
  Vec3<Real> axis{};
  Vec3<Real> point{};  ///< of the second frame
};
inline JointNow joint_now(const Mechanism& m, std::span<const BodyMotion> bodies, const DrawnJointSpring& spring) {
  const DrawnJoint& joint = m.tree[static_cast<std::size_t>(spring.joint)];
  const FrameNow first = frame_of(m, bodies, joint.first, joint.on_first);
  const FrameNow second = frame_of(m, bodies, joint.second, joint.on_second);
  const Vec3<Real> axis = column(first.R, 2);
  const auto w = [&](int body) { return body == kSpace ? Vec3<Real>{} : bodies[static_cast<std::size_t>(body)].w; };
  const Vec3<Real> turning = w(joint.second) - w(joint.first);
  const Vec3<Real> way = second.point.r - first.point.r;
  JointNow now{0, 0, axis, second.point.r};
  if (spring.turn) {
    const Mat3<Real> R = transpose(first.R) * second.R;
    now.q = std::atan2(R(1, 0), R(0, 0));
    const Real turn = 2 * std::acos(Real(-1));
    now.q += std::nearbyint((Real(spring.near) - now.q) / turn) * turn;
    now.rate = dot(axis, turning);
  } else {
    now.q = dot(axis, way);
    now.rate = dot(axis, second.point.v - first.point.v - cross(w(joint.first), way));
  }
  return now;
}

inline void push_at(std::vector<Effort>& loads, std::span<const BodyMotion> bodies, int body, const Vec3<Real>& point,
                    const Vec3<Real>& force) {
  if (body == kSpace) { return; }
  const auto b = static_cast<std::size_t>(body);
  loads[b].force += force;
  loads[b].moment += cross(point - bodies[b].r, force);
}

/// Everything but joints.
inline std::vector<Effort> loads_on(const Mechanism& m, std::span<const BodyMotion> bodies, Real t, Mistake mistake) {
  std::vector<Effort> loads(m.bodies.size());
  for (std::size_t b = 0; b < m.bodies.size(); ++b) { loads[b].force = Real(m.bodies[b].mass) * in_real(m.gravity_N); }
  for (const DrawnSpring& spring : m.springs) {
    std::array<MaterialPoint, 2> ends;
    for (std::size_t i = 0; i < 2; ++i) { ends[i] = point_of(m, bodies, spring.bodies[i], spring.points_B[i]); }
    const Vec3<Real> way = ends[1].r - ends[0].r;
    const Real length = std::sqrt(dot(way, way));
    const Vec3<Real> along = way / length;
    const Real pull = spring.stiffness * (length - spring.length) + spring.damping * dot(along, ends[1].v - ends[0].v);
    for (std::size_t i = 0; i < 2; ++i) {
      const int body = spring.bodies[i];
      if (body == kSpace) { continue; }
      const Vec3<Real> at =
          mistake == Mistake::no_lever_of_springs ? bodies[static_cast<std::size_t>(body)].r : ends[i].r;
      push_at(loads, bodies, body, at, (i == 0 ? pull : -pull) * along);
    }
  }
  for (const DrawnJointSpring& spring : m.joint_springs) {
    const DrawnJoint& joint = m.tree[static_cast<std::size_t>(spring.joint)];
    const JointNow now = joint_now(m, bodies, spring);
    const Real Q = -spring.stiffness * (now.q - spring.zero) - spring.damping * now.rate;
    for (const auto& [body, sign] : {std::pair{joint.first, Real(-1)}, std::pair{joint.second, Real(1)}}) {
      if (body == kSpace) { continue; }
      if (spring.turn) {
        loads[static_cast<std::size_t>(body)].moment += (sign * Q) * now.axis;
      } else {
        push_at(loads, bodies, body, now.point, (sign * Q) * now.axis);
      }
    }
  }
  for (const DrawnPush& push : m.pushes) {
    const auto b = static_cast<std::size_t>(push.body);
    const Real swing = std::cos(Real(push.frequency) * t);
    push_at(loads, bodies, push.body, point_of(m, bodies, push.body, push.at_B).r, swing * in_real(push.force_N));
    loads[b].moment -= Real(push.drag) * bodies[b].w;
  }
  return loads;
}

/// J in space components.
inline Mat3<Real> inertia_now(const DrawnBody& body, const Mat3<Real>& R) {
  Mat3<Real> J;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) { J(i, j) = body.J_B(i, j); }
  }
  return R * J * transpose(R);
}

/// What a body's motion needs: m a, and J α + ω × J ω.
inline Effort needed(const DrawnBody& body, const BodyMotion& motion, Mistake mistake) {
  const Mat3<Real> J = inertia_now(body, motion.R);
  const Real gyroscopic = mistake == Mistake::no_gyroscopic_moment ? 0 : 1;
  return {Real(body.mass) * motion.a, J * motion.alpha + gyroscopic * cross(motion.w, J * motion.w)};
}

inline Real energy_of(const Mechanism& m, std::span<const BodyMotion> bodies) {
  Real energy = 0;
  for (std::size_t b = 0; b < m.bodies.size(); ++b) {
    const BodyMotion& one = bodies[b];
    energy += Real(m.bodies[b].mass) * (dot(one.v, one.v) / 2 - dot(in_real(m.gravity_N), one.r));
    energy += dot(one.w, inertia_now(m.bodies[b], one.R) * one.w) / 2;
  }
  for (const DrawnSpring& spring : m.springs) {
    const Vec3<Real> way = point_of(m, bodies, spring.bodies[1], spring.points_B[1]).r -
                           point_of(m, bodies, spring.bodies[0], spring.points_B[0]).r;
    const Real stretch = std::sqrt(dot(way, way)) - spring.length;
    energy += spring.stiffness * stretch * stretch / 2;
  }
  for (const DrawnJointSpring& spring : m.joint_springs) {
    const Real d = joint_now(m, bodies, spring).q - spring.zero;
    energy += spring.stiffness * d * d / 2;
  }
  return energy;
}

/// Linear and angular momentum, the second about the origin of space.
inline Effort momentum_of(const Mechanism& m, std::span<const BodyMotion> bodies) {
  Effort sum;
  for (std::size_t b = 0; b < m.bodies.size(); ++b) {
    const Vec3<Real> p = Real(m.bodies[b].mass) * bodies[b].v;
    sum.force += p;
    sum.moment += cross(bodies[b].r, p) + inertia_now(m.bodies[b], bodies[b].R) * bodies[b].w;
  }
  return sum;
}

// ---- Kane -----------------------------------------------------------------------------------------------------------

struct KaneSolution {
  std::vector<BodyMotion> bodies;  ///< with their accelerations
  Real condition = 0;              ///< of the mass matrix, its diagonal scaled to one
};

/// Accelerations of a tree at rates u of its freedoms:
///
///   Σ_b v_kᵀ (m a − F) + ω_kᵀ (J α + ω × J ω − M) = 0   for every freedom k   [Kane1983 §6.1]
///
/// with the partial velocities v_k, ω_k: those at u_k = 1, all others zero.
inline KaneSolution kane(const Mechanism& m, std::span<const Real> u, Mistake mistake) {
  const std::size_t n = u.size();
  KaneSolution solution{motions_at(m, u), 0};
  std::vector<BodyMotion>& now = solution.bodies;
  if (mistake == Mistake::no_coriolis) {
    for (BodyMotion& body : now) { body.a = body.alpha = {}; }
  }
  const std::vector<Effort> loads = loads_on(m, now, 0, mistake);
  std::vector<std::vector<BodyMotion>> partial;
  std::vector<Real> one(n, 0);
  for (std::size_t k = 0; k < n; ++k) {
    one[k] = 1;
    partial.push_back(motions_at(m, one));
    one[k] = 0;
  }
  using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
  using Column = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
  const auto size = static_cast<Eigen::Index>(n);
  Matrix M = Matrix::Zero(size, size);
  Column f = Column::Zero(size);
  for (std::size_t b = 0; b < m.bodies.size(); ++b) {
    const Effort left = needed(m.bodies[b], now[b], mistake);
    const Mat3<Real> J = inertia_now(m.bodies[b], now[b].R);
    for (std::size_t k = 0; k < n; ++k) {
      const BodyMotion& vk = partial[k][b];
      f(static_cast<Eigen::Index>(k)) +=
          dot(vk.v, loads[b].force - left.force) + dot(vk.w, loads[b].moment - left.moment);
      const Vec3<Real> p = Real(m.bodies[b].mass) * vk.v;
      const Vec3<Real> h = J * vk.w;
      for (std::size_t l = 0; l < n; ++l) {
        M(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(l)) +=
            dot(p, partial[l][b].v) + dot(h, partial[l][b].w);
      }
    }
  }
  if (n == 0) { return solution; }
  const Column scale = M.diagonal().cwiseSqrt().cwiseInverse();
  const Matrix scaled = scale.asDiagonal() * M * scale.asDiagonal();
  const Column udot = scale.asDiagonal() * scaled.ldlt().solve(scale.asDiagonal() * f);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> values(scaled.cast<double>(), Eigen::EigenvaluesOnly);
  solution.condition = values.eigenvalues().maxCoeff() / values.eigenvalues().minCoeff();
  for (std::size_t b = 0; b < m.bodies.size(); ++b) {
    for (std::size_t k = 0; k < n; ++k) {
      now[b].a += udot(static_cast<Eigen::Index>(k)) * partial[k][b].v;
      now[b].alpha += udot(static_cast<Eigen::Index>(k)) * partial[k][b].w;
    }
  }
  return solution;
}

// ---- joints ---------------------------------------------------------------------------------------------------------

/// How far a joint is open: from what its kind allows, metre and radian alike.
inline Real gap_of(const Mechanism& m, std::span<const BodyMotion> bodies, const DrawnJoint& joint) {
  const FrameNow first = frame_of(m, bodies, joint.first, joint.on_first);
  const FrameNow second = frame_of(m, bodies, joint.second, joint.on_second);
  const Vec3<Real> r = transpose_times(first.R, second.point.r - first.point.r);
  const Mat3<Real> R = transpose(first.R) * second.R;
  const auto size = [](std::initializer_list<Real> parts) {
    Real most = 0;
    for (const Real part : parts) { most = std::max(most, std::fabs(part)); }
    return most;
  };
  Real gap = 0;
  switch (joint.turns) {
    case FreeTurns::none:
      gap = size({R(0, 1), R(0, 2), R(1, 0), R(1, 2), R(2, 0), R(2, 1)});
      break;
    case FreeTurns::about_z:
      gap = size({R(0, 2), R(1, 2), R(2, 0), R(2, 1)});
      break;
    case FreeTurns::about_x1_y2:
      gap = size({R(0, 1)});
      break;
    case FreeTurns::no_twist:
      gap = size({R(1, 0) - R(0, 1)});
      break;
    case FreeTurns::all:
      break;
  }
  const Real off = std::sqrt(dot(r, r)) - joint.parameter;
  switch (joint.slides) {
    case FreeSlides::none:
      return std::max(gap, size({r.x, r.y, r.z}));
    case FreeSlides::along_z:
      return std::max(gap, size({r.x, r.y}));
    case FreeSlides::screw: {
      // the turn up to whole ones
      const Real rest = r.z / joint.parameter - std::atan2(R(1, 0), R(0, 0));
      return std::max(gap, size({r.x, r.y, std::sin(rest / 2)}));
    }
    case FreeSlides::in_plane:
      return std::max(gap, size({r.z}));
    case FreeSlides::circle:
      return std::max(gap, size({r.z, off}));
    case FreeSlides::sphere:
      return std::max(gap, size({off}));
    case FreeSlides::all:
      return gap;
  }
  return gap;
}

}  // namespace polhode::drawn

#pragma GCC diagnostic pop
