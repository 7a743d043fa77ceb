#pragma once

#include "polhode/multibody/dynamics.h"
#include "support/random.h"

#include <string>
#include <vector>

namespace polhode::test {

inline FrameOnBody random_frame(Random& random) { return {random.vector(0.7), random.attitude()}; }

/// Where the second frame is, seen from the first, somewhere that the joint allows.
struct Allowed {
  Vec3<double> r;
  EulerParameters<double> e;
  double parameter;
};
inline Allowed somewhere_allowed(const JointKind& kind, Random& random) {
  Allowed a{{0, 0, 0}, EulerParameters<double>::identity(), 0};
  const double angle = random.between(-3, 3);
  const auto about = [](const Vec3<double>& axis, double by) { return exp(by * axis); };
  switch (kind.turns) {
    case FreeTurns::none:
      break;
    case FreeTurns::about_z:
      a.e = about({0, 0, 1}, angle);
      break;
    case FreeTurns::about_x1_y2:
      a.e = about({1, 0, 0}, angle) * about({0, 1, 0}, random.between(-1, 1));
      break;
    case FreeTurns::no_twist:
      a.e = exp(Vec3<double>{random.between(-1, 1), random.between(-1, 1), 0});
      break;
    case FreeTurns::all:
      a.e = random.attitude();
      break;
  }
  if (!kind.parameter.empty()) { a.parameter = random.between(0.2, 0.6); }
  const double s = random.between(-0.5, 0.5);
  switch (kind.slides) {
    case FreeSlides::none:
      break;
    case FreeSlides::along_z:
      a.r = {0, 0, s};
      break;
    case FreeSlides::screw:
      a.r = {0, 0, a.parameter * angle};
      break;
    case FreeSlides::in_plane:
      a.r = {s, random.between(-0.5, 0.5), 0};
      break;
    case FreeSlides::circle:
      a.r = a.parameter * Vec3<double>{std::cos(angle), std::sin(angle), 0};
      break;
    case FreeSlides::sphere:
      a.r = a.parameter * random.direction();
      break;
    case FreeSlides::all:
      a.r = random.vector(1);
      break;
  }
  return a;
}

inline MassProperties random_body(Random& random) {
  // a box of random size, turned and moved in its frame
  const double m = random.between(0.5, 2);
  const Vec3<double> s{random.between(0.2, 1), random.between(0.2, 1), random.between(0.2, 1)};
  const Mat3<double> J =
      diagonal(m / 12 * (s.y * s.y + s.z * s.z), m / 12 * (s.x * s.x + s.z * s.z), m / 12 * (s.x * s.x + s.y * s.y));
  return from_inertia_matrix(m, turned(rotation_matrix(random.attitude()), J), random.vector(0.3));
}

struct RandomOptions {
  int bodies = 6;
  int loops = 0;
  bool floating = false;                  ///< the first body hangs on nothing
  std::vector<std::string> kinds{};       ///< of the tree; empty: all
  std::vector<std::string> loop_kinds{};  ///< empty: all
};

/// A mechanism whose joints are closed where it starts; velocities are not yet consistent.
inline ModelBuilder random_mechanism(Random& random, const RandomOptions& options) {
  ModelBuilder builder;
  builder.gravity(random.vector(10));
  std::vector<BodyStart> starts;
  const auto pick = [&](const std::vector<std::string>& names) -> const JointKind& {
    if (names.empty()) {
      const auto kinds = joint_kinds();
      return kinds[static_cast<std::size_t>(random.between(0, 0.999999) * static_cast<double>(kinds.size()))];
    }
    return joint_kind(names[static_cast<std::size_t>(random.between(0, 0.999999) * static_cast<double>(names.size()))]);
  };
  const auto pose = [&](BodyId body) { return body < 0 ? BodyStart{} : starts[static_cast<std::size_t>(body)]; };
  const auto some_body = [&](BodyId below) { return static_cast<BodyId>(random.between(0, below + 0.999999)) - 1; };
  for (BodyId b = 0; b < options.bodies; ++b) {
    const bool joined = b > 0 || !options.floating;
    BodyId other = some_body(b);
    if (options.floating && other < 0) { other = 0; }
    BodyStart start;
    start.e_NB = random.attitude();
    start.r_N = random.vector(1);
    start.v_N = random.vector(2);
    start.w_B = random.vector(2);
    if (!joined) {
      starts.push_back(start);
      builder.body("b" + std::to_string(b), random_body(random), start);
      continue;
    }
    const JointKind& kind = pick(options.kinds);
    const FrameOnBody own = random_frame(random);
    const FrameOnBody theirs = random_frame(random);
    const Allowed at = somewhere_allowed(kind, random);
    const bool own_is_second = random.between(0, 1) < 0.7;
    // frame F of the other body in space, then ours from it
    const BodyStart base = pose(other);
    const EulerParameters<double> e_NF = base.e_NB * theirs.e_BF;
    const Vec3<double> r_NF = base.r_N + rotate(base.e_NB, theirs.r_BF_B);
    const EulerParameters<double> e_own = own_is_second ? e_NF * at.e : e_NF * conjugate(at.e);
    start.e_NB = e_own * conjugate(own.e_BF);
    const Vec3<double> r_own = own_is_second ? r_NF + rotate(e_NF, at.r) : r_NF - rotate(e_own, at.r);
    start.r_N = r_own - rotate(start.e_NB, own.r_BF_B);
    starts.push_back(start);
    builder.body("b" + std::to_string(b), random_body(random), start);
    const std::string name = "j" + std::to_string(b);
    if (own_is_second) {
      builder.joint(kind.name, name, other, theirs, b, own, at.parameter);
    } else {
      builder.joint(kind.name, name, b, own, other, theirs, at.parameter);
    }
  }
  for (int l = 0; l < options.loops; ++l) {
    const BodyId second = static_cast<BodyId>(random.between(0, options.bodies - 0.000001));
    BodyId first = some_body(options.bodies);
    if (first == second) { first = second == 0 && options.floating ? 1 : second - 1; }
    if (options.floating && first < 0) { first = second == 0 ? 1 : 0; }
    const JointKind& kind = pick(options.loop_kinds);
    const FrameOnBody on_first = random_frame(random);
    const Allowed at = somewhere_allowed(kind, random);
    const BodyStart a = pose(first);
    const BodyStart b = pose(second);
    const EulerParameters<double> e_NF = a.e_NB * on_first.e_BF;
    const Vec3<double> r_second = a.r_N + rotate(a.e_NB, on_first.r_BF_B) + rotate(e_NF, at.r);
    const FrameOnBody on_second{rotate_back(b.e_NB, r_second - b.r_N), conjugate(b.e_NB) * (e_NF * at.e)};
    builder.joint(kind.name, "l" + std::to_string(l), first, on_first, second, on_second, at.parameter);
  }
  return builder;
}

/// Its start with velocities that the joints allow.
inline std::vector<double> consistent_start(const Model& model) {
  std::vector<double> y = model.start();
  Scratch scratch(model);
  project(model, 0, y, scratch);
  return y;
}

}  // namespace polhode::test
