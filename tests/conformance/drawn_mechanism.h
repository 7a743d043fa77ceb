#pragma once

#include "polhode/multibody/joint.h"
#include "polhode/rotation/rotation_matrix.h"
#include "support/random.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

/// Mechanisms drawn by lot, as data and as a scenario file: a pose of every body first, then joints where it allows
/// them, so that every loop closes.
namespace polhode::drawn {

constexpr int kSpace = -1;  ///< in place of a body

/// A frame on a body, from the origin of its axes.
struct Frame {
  Vec3<double> r_B{};
  EulerParameters<double> e_BF;
};

/// A joint, and where it stands: the second frame as it is seen from the first.
struct DrawnJoint {
  std::string name;
  std::string kind;
  FreeTurns turns = FreeTurns::all;
  FreeSlides slides = FreeSlides::all;
  double parameter = 0;  ///< length or pitch
  int first = kSpace;
  int second = kSpace;
  Frame on_first;
  Frame on_second;
  std::array<double, 2> angles{};    ///< about z; of a cross about x and y; of no twist the rotation vector
  EulerParameters<double> attitude;  ///< where all turns are free
  Vec3<double> slide{};              ///< of points that do not meet; of a sphere the direction
  double phase = 0;                  ///< on a circle
};

struct DrawnBody {
  std::string name;
  double mass = 1;
  Mat3<double> J_B{};  ///< about the mass centre
  Vec3<double> centre_B{};
  Vec3<double> r_N{};  ///< of the origin of its axes
  EulerParameters<double> e_NB;
  Vec3<double> v_N{};  ///< of the mass centre
  Vec3<double> w_B{};
};

struct DrawnSpring {
  std::array<int, 2> bodies{kSpace, kSpace};
  std::array<Vec3<double>, 2> points_B{};
  double stiffness = 0;
  double damping = 0;
  double length = 0;
};

/// Spring and damper of a hinge or a slide.
struct DrawnJointSpring {
  int joint = 0;
  bool turn = true;
  double stiffness = 0;
  double damping = 0;
  double zero = 0;
  double near = 0;  ///< the angle is known up to whole turns: it is the one nearest to this
};

/// A force at a point that swings with time, and a moment against the angular velocity by a formula.
struct DrawnPush {
  int body = 0;
  Vec3<double> force_N{};
  Vec3<double> at_B{};
  double frequency = 0;
  double drag = 0;  ///< N m s, of each component
};

struct Mechanism {
  std::vector<DrawnBody> bodies;
  std::vector<DrawnJoint> tree;  ///< by body: its joint to a body before it, or to space; of one that floats, all free
  std::vector<DrawnJoint> loops;
  Vec3<double> gravity_N{};
  std::vector<DrawnSpring> springs;
  std::vector<DrawnJointSpring> joint_springs;
  std::vector<DrawnPush> pushes;
  double duration = 0.1;

  bool floats() const { return tree[0].kind.empty(); }
  /// Nothing acts but between its bodies.
  bool is_alone() const {
    const bool held = std::any_of(tree.begin() + 1, tree.end(), [](const DrawnJoint& joint) {
      return joint.first == kSpace || joint.second == kSpace;
    });
    const bool pulled = std::any_of(springs.begin(), springs.end(), [](const DrawnSpring& spring) {
      return spring.bodies[0] == kSpace || spring.bodies[1] == kSpace;
    });
    return floats() && !held && !pulled && norm(gravity_N) == 0 && pushes.empty();
  }
  /// Nothing takes energy or brings it.
  bool is_conservative() const {
    return pushes.empty() &&
           std::all_of(springs.begin(), springs.end(), [](const DrawnSpring& spring) { return spring.damping == 0; }) &&
           std::all_of(joint_springs.begin(), joint_springs.end(),
                       [](const DrawnJointSpring& spring) { return spring.damping == 0; });
  }
};

// ---- by lot ---------------------------------------------------------------------------------------------------------

class Lot : public test::Random {
 public:
  using Random::Random;
  int number(int count) { return std::min(count - 1, static_cast<int>(between(0, count))); }
  bool one_in(int count) { return number(count) == 0; }
  Frame frame() { return {vector(0.5), attitude()}; }
};

inline DrawnBody body_by_lot(Lot& lot, int number) {
  DrawnBody body;
  body.name = fmt::format("b{}", number);
  body.mass = lot.between(0.5, 2);
  // a box, turned in its axes: moments that a body can have
  const Vec3<double> s{lot.between(0.2, 1), lot.between(0.2, 1), lot.between(0.2, 1)};
  const double m = body.mass / 12;
  const Mat3<double> R = rotation_matrix(lot.attitude());
  body.J_B = R * diagonal(m * (s.y * s.y + s.z * s.z), m * (s.x * s.x + s.z * s.z), m * (s.x * s.x + s.y * s.y)) *
             transpose(R);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < i; ++j) { body.J_B(i, j) = body.J_B(j, i); }
  }
  body.centre_B = lot.vector(0.3);
  return body;
}

inline DrawnJoint joint_by_lot(Lot& lot, const JointKind& kind, std::string name) {
  DrawnJoint joint;
  joint.name = std::move(name);
  joint.kind = kind.name;
  joint.turns = kind.turns;
  joint.slides = kind.slides;
  joint.on_first = lot.frame();
  joint.on_second = lot.frame();
  if (!kind.parameter.empty()) { joint.parameter = lot.between(0.2, 0.6); }
  // a cross and a coupling of constant velocity stay away from where they lock
  const double size = kind.turns == FreeTurns::no_twist ? 0.7 : 1;
  joint.angles = {lot.between(0.1, size), lot.between(-size, size)};
  if (kind.turns == FreeTurns::about_z) { joint.angles[0] = lot.between(-2.5, 2.5); }
  joint.attitude = lot.attitude();
  joint.slide = kind.slides == FreeSlides::sphere ? lot.direction() : lot.vector(0.5);
  joint.phase = lot.between(-3, 3);
  return joint;
}

/// The second frame from the first.
struct Relative {
  Vec3<double> r;
  EulerParameters<double> e;
};
inline Relative relative_pose(const DrawnJoint& joint) {
  Relative at{{}, EulerParameters<double>::identity()};
  const auto [a, b] = joint.angles;
  switch (joint.turns) {
    case FreeTurns::none:
      break;
    case FreeTurns::about_z:
      at.e = exp(Vec3<double>{0, 0, a});
      break;
    case FreeTurns::about_x1_y2:
      at.e = exp(Vec3<double>{a, 0, 0}) * exp(Vec3<double>{0, b, 0});
      break;
    case FreeTurns::no_twist:
      at.e = exp(Vec3<double>{a, b, 0});
      break;
    case FreeTurns::all:
      at.e = joint.attitude;
      break;
  }
  switch (joint.slides) {
    case FreeSlides::none:
      break;
    case FreeSlides::along_z:
      at.r = {0, 0, joint.slide.z};
      break;
    case FreeSlides::screw:
      at.r = {0, 0, joint.parameter * a};
      break;
    case FreeSlides::in_plane:
      at.r = {joint.slide.x, joint.slide.y, 0};
      break;
    case FreeSlides::circle:
      at.r = joint.parameter * Vec3<double>{std::cos(joint.phase), std::sin(joint.phase), 0};
      break;
    case FreeSlides::sphere:
      at.r = joint.parameter * joint.slide;
      break;
    case FreeSlides::all:
      at.r = joint.slide;
      break;
  }
  return at;
}

inline DrawnBody pose_of(const Mechanism& mechanism, int body) {
  return body == kSpace ? DrawnBody{} : mechanism.bodies[static_cast<std::size_t>(body)];
}

/// Puts the new body where its joint wants it.
inline void place(const Mechanism& mechanism, const DrawnJoint& joint, bool own_is_second, DrawnBody& body) {
  const Relative at = relative_pose(joint);
  const Frame& own = own_is_second ? joint.on_second : joint.on_first;
  const Frame& theirs = own_is_second ? joint.on_first : joint.on_second;
  const DrawnBody base = pose_of(mechanism, own_is_second ? joint.first : joint.second);
  const EulerParameters<double> e_NF = base.e_NB * theirs.e_BF;
  const Vec3<double> r_NF = base.r_N + rotate(base.e_NB, theirs.r_B);
  const EulerParameters<double> e_own = own_is_second ? e_NF * at.e : e_NF * conjugate(at.e);
  const Vec3<double> r_own = own_is_second ? r_NF + rotate(e_NF, at.r) : r_NF - rotate(e_own, at.r);
  body.e_NB = normalized(e_own * conjugate(own.e_BF));
  body.r_N = r_own - rotate(body.e_NB, own.r_B);
}

/// Closes a loop: the second frame goes where the joint wants it.
inline void close(const Mechanism& mechanism, DrawnJoint& joint) {
  const Relative at = relative_pose(joint);
  const DrawnBody first = pose_of(mechanism, joint.first);
  const DrawnBody second = pose_of(mechanism, joint.second);
  const EulerParameters<double> e_NF = first.e_NB * joint.on_first.e_BF;
  const Vec3<double> r = first.r_N + rotate(first.e_NB, joint.on_first.r_B) + rotate(e_NF, at.r);
  joint.on_second = {rotate_back(second.e_NB, r - second.r_N), conjugate(second.e_NB) * (e_NF * at.e)};
}

inline void forces_by_lot(Lot& lot, Mechanism& m) {
  const int bodies = static_cast<int>(m.bodies.size());
  const bool alone = m.floats() && lot.one_in(2);
  const bool conservative = lot.one_in(2);
  if (!alone && !lot.one_in(4)) { m.gravity_N = lot.vector(10); }
  for (int n = lot.number(3); n > 0; --n) {
    DrawnSpring spring;
    spring.bodies[1] = lot.number(bodies);
    spring.bodies[0] = alone ? lot.number(bodies) : lot.number(bodies + 1) - 1;
    if (spring.bodies[0] == spring.bodies[1]) { continue; }
    spring.points_B = {lot.vector(0.5), lot.vector(0.5)};
    spring.stiffness = lot.between(1, 50);
    spring.damping = conservative ? 0 : lot.between(0, 3);
    spring.length = lot.between(0, 1);
    m.springs.push_back(spring);
  }
  for (std::size_t j = 0; j < m.tree.size(); ++j) {
    const bool hinge = m.tree[j].kind == "revolute";
    if ((!hinge && m.tree[j].kind != "prismatic") || lot.one_in(2)) { continue; }
    m.joint_springs.push_back({static_cast<int>(j), hinge, lot.between(0, 20), conservative ? 0 : lot.between(0, 2),
                               lot.between(-1, 1), m.tree[j].angles[0]});
  }
  if (alone || conservative) { return; }
  for (int n = lot.number(3); n > 0; --n) {
    m.pushes.push_back({lot.number(bodies), lot.vector(5), lot.vector(0.5), lot.between(1, 10), lot.between(0, 0.2)});
  }
}

inline Mechanism tree_by_lot(Lot& lot, int bodies) {
  Mechanism m;
  m.duration = lot.between(0.02, 0.2);
  const bool floats = lot.one_in(3);
  for (int b = 0; b < bodies; ++b) {
    DrawnBody body = body_by_lot(lot, b);
    if (b == 0 && floats) {
      DrawnJoint free;
      free.second = 0;
      body.r_N = free.slide = lot.vector(1);
      body.e_NB = free.attitude = lot.attitude();
      m.tree.push_back(free);
      m.bodies.push_back(body);
      continue;
    }
    const auto kinds = joint_kinds();
    DrawnJoint joint = joint_by_lot(lot, kinds[static_cast<std::size_t>(lot.number(static_cast<int>(kinds.size())))],
                                    fmt::format("j{}", b));
    const int other = floats ? lot.number(b) : lot.number(b + 1) - 1;
    const bool own_is_second = !lot.one_in(3);
    joint.first = own_is_second ? other : b;
    joint.second = own_is_second ? b : other;
    place(m, joint, own_is_second, body);
    m.tree.push_back(joint);
    m.bodies.push_back(body);
  }
  forces_by_lot(lot, m);
  return m;
}

inline void add_loops_by_lot(Lot& lot, Mechanism& m, int loops) {
  constexpr std::array kKinds{"distance",  "spherical",   "point-on-plane",    "point-on-line", "revolute-spherical",
                              "universal", "cylindrical", "constant-velocity", "revolute",      "planar"};
  const int bodies = static_cast<int>(m.bodies.size());
  for (int l = 0; l < loops; ++l) {
    DrawnJoint joint = joint_by_lot(lot, joint_kind(kKinds[static_cast<std::size_t>(lot.number(kKinds.size()))]),
                                    fmt::format("l{}", l));
    joint.second = lot.number(bodies);
    joint.first = m.floats() ? lot.number(bodies) : lot.number(bodies + 1) - 1;
    if (joint.first == joint.second) { continue; }
    close(m, joint);
    m.loops.push_back(joint);
  }
}

// ---- as a scenario file ---------------------------------------------------------------------------------------------

inline std::string numbers(const Vec3<double>& v) { return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", v.x, v.y, v.z); }
inline std::string numbers(const EulerParameters<double>& e) {
  return fmt::format("[{:.17g}, {:.17g}, {:.17g}, {:.17g}]", e.e0, e.ev.x, e.ev.y, e.ev.z);
}
inline std::string in_quotes(int body) { return body == kSpace ? "\"ground\"" : fmt::format("\"b{}\"", body); }

inline std::string to_toml(const DrawnJoint& joint) {
  const auto frame = [](const Frame& at) {
    return fmt::format("{{ point = {}, quaternion_wxyz = {} }}", numbers(at.r_B), numbers(at.e_BF));
  };
  std::string text = fmt::format(
      "[[joints]]\nname = \"{}\"\nkind = \"{}\"\nbodies = [{}, {}]\non_first = {}\non_second = {}\n", joint.name,
      joint.kind, in_quotes(joint.first), in_quotes(joint.second), frame(joint.on_first), frame(joint.on_second));
  const std::string_view parameter = joint_kind(joint.kind).parameter;
  if (!parameter.empty()) { text += fmt::format("{} = {:.17g}\n", parameter, joint.parameter); }
  return text;
}

inline std::string to_toml(const Mechanism& m) {
  std::string text = "title = \"drawn by lot\"\n";
  if (norm(m.gravity_N) > 0) { text += fmt::format("[gravity]\ng_space = {}\n", numbers(m.gravity_N)); }
  for (const DrawnBody& body : m.bodies) {
    const auto row = [&](std::size_t i) {
      return numbers(Vec3<double>{body.J_B(i, 0), body.J_B(i, 1), body.J_B(i, 2)});
    };
    text += fmt::format(
        "[[bodies]]\nname = \"{}\"\nmass = {:.17g}\nmass_centre = {}\ninertia_matrix = [{}, {}, {}]\nposition = {}\n"
        "quaternion_wxyz = {}\nvelocity = {}\nw_body = {}\n",
        body.name, body.mass, numbers(body.centre_B), row(0), row(1), row(2), numbers(body.r_N), numbers(body.e_NB),
        numbers(body.v_N), numbers(body.w_B));
  }
  for (const std::vector<DrawnJoint>* list : {&m.tree, &m.loops}) {
    for (const DrawnJoint& joint : *list) { text += joint.kind.empty() ? "" : to_toml(joint); }
  }
  for (const DrawnSpring& spring : m.springs) {
    text += fmt::format(
        "[[forces]]\nkind = \"spring\"\nbodies = [{}, {}]\nfirst_point = {}\nsecond_point = {}\nstiffness = {:.17g}\n"
        "damping = {:.17g}\nfree_length = {:.17g}\n",
        in_quotes(spring.bodies[0]), in_quotes(spring.bodies[1]), numbers(spring.points_B[0]),
        numbers(spring.points_B[1]), spring.stiffness, spring.damping, spring.length);
  }
  for (const DrawnJointSpring& spring : m.joint_springs) {
    text += fmt::format(
        "[[forces]]\nkind = \"joint_spring\"\njoint = \"{}\"\nstiffness = {:.17g}\ndamping = {:.17g}\nzero = {:.17g}\n",
        m.tree[static_cast<std::size_t>(spring.joint)].name, spring.stiffness, spring.damping, spring.zero);
  }
  for (const DrawnPush& push : m.pushes) {
    const auto swinging = [&](double f) { return fmt::format("\"{:.17g}*cos({:.17g}*t)\"", f, push.frequency); };
    const auto drag = [&](char axis) { return fmt::format("\"-{:.17g}*b{}_w{}_body\"", push.drag, push.body, axis); };
    text += fmt::format(
        "[[forces]]\nkind = \"force\"\nbody = {}\nforce_space = [{}, {}, {}]\nat_body = {}\nmoment_body = [{}, {}, "
        "{}]\n",
        in_quotes(push.body), swinging(push.force_N.x), swinging(push.force_N.y), swinging(push.force_N.z),
        numbers(push.at_B), drag('x'), drag('y'), drag('z'));
  }
  const bool winds = std::any_of(m.joint_springs.begin(), m.joint_springs.end(),
                                 [](const DrawnJointSpring& spring) { return spring.turn; });
  return text +
         fmt::format(
             "[run]\nduration = {:.17g}\noutput_interval = {:.17g}\ntolerance = 1e-10\nadjust_velocities = true\n"
             "[output]\nextra = [\"accelerations\"{}]\n",
             m.duration, m.duration, winds ? ", \"turns\"" : "");
}

}  // namespace polhode::drawn
