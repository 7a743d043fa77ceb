#pragma once

#include "support/random.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

/// Robots of our own, made by chance with the structure that robots have: as URDF, and as the plain numbers in it, so
/// that a test can compose transforms by the rules of URDF and of nothing else.
namespace polhode::test {

using Triple = std::array<double, 3>;
/// Rows.
using Square = std::array<Triple, 3>;

struct LinkNumbers {
  std::string name;
  double mass = 0;  ///< 0: without <inertial>
  Triple centre{};
  Triple rpy{};  ///< of the axes of J
  Square J{};
};
struct JointNumbers {
  std::string name;
  std::string type;
  int parent = 0;
  int child = 0;
  Triple xyz{};
  Triple rpy{};
  Triple axis{1, 0, 0};
  std::string more;  ///< elements besides
  int follows = -1;  ///< by <mimic>
  double multiplier = 1;
  double offset = 0;
};

class Robot {
 public:
  Robot(std::string name, std::uint64_t seed) : name_(std::move(name)), random_(seed) {}

  int link(const std::string& name, bool with_mass = true) {
    LinkNumbers link;
    link.name = name;
    if (with_mass) {
      link.mass = random_.logarithmic(0.2, 10);
      link.centre = triple(0.1);
      link.rpy = random_.between(0, 1) < 0.5 ? Triple{} : triple(3);
      // moments of a box, turned a little: the products of inertia are not zero
      const Triple edge{random_.between(0.05, 0.3), random_.between(0.05, 0.3), random_.between(0.05, 0.3)};
      const double k = link.mass / 12;
      const Square moments{{{k * (edge[1] * edge[1] + edge[2] * edge[2]), 0, 0},
                            {0, k * (edge[0] * edge[0] + edge[2] * edge[2]), 0},
                            {0, 0, k * (edge[0] * edge[0] + edge[1] * edge[1])}}};
      const Square R = matrix_of_rpy(triple(1));
      link.J = times(times(R, moments), transposed(R));
    }
    links.push_back(link);
    return static_cast<int>(links.size()) - 1;
  }
  /// A joint with a pose and an axis by chance, or along an axis; from a link to a new one.
  int joint(const std::string& type, int parent, const std::string& name, bool with_mass = true,
            const std::string& more = "") {
    JointNumbers joint;
    joint.name = name + "_joint";
    joint.type = type;
    joint.parent = parent;
    joint.child = link(name, with_mass);
    joint.xyz = triple(0.4);
    const double right = std::acos(0.0);
    const double kind = random_.between(0, 3);
    joint.rpy = kind < 1 ? Triple{} : kind < 2 ? Triple{right, 0, -right} : triple(3);
    if (kind > 2.7) { joint.rpy[1] = right; }  // roll and yaw about one axis
    const Vec3<double> n = random_.direction();
    joint.axis = kind < 1.5 ? Triple{0, kind < 1 ? 1.0 : 0.0, kind < 1 ? 0.0 : 1.0} : Triple{n.x, n.y, n.z};
    joint.more = more;
    joints.push_back(joint);
    return joint.child;
  }
  void follow(int multiplier_of, double multiplier, double offset) {
    JointNumbers& joint = joints.back();
    joint.follows = multiplier_of;
    joint.multiplier = multiplier;
    joint.offset = offset;
  }

  std::string urdf() const {
    std::string text = fmt::format("<?xml version=\"1.0\"?>\n<robot name=\"{}\">\n", name_);
    for (const LinkNumbers& link : links) {
      if (link.mass == 0) {
        text += fmt::format("  <link name=\"{}\"/>\n", link.name);
        continue;
      }
      text += fmt::format(
          "  <link name=\"{}\">\n    <inertial>\n      {}\n      <mass value=\"{}\"/>\n      <inertia ixx=\"{}\" "
          "ixy=\"{}\" ixz=\"{}\" iyy=\"{}\" iyz=\"{}\" izz=\"{}\"/>\n    </inertial>\n  </link>\n",
          link.name, origin(link.centre, link.rpy), link.mass, link.J[0][0], link.J[0][1], link.J[0][2], link.J[1][1],
          link.J[1][2], link.J[2][2]);
    }
    for (const JointNumbers& joint : joints) {
      text += fmt::format(
          "  <joint name=\"{}\" type=\"{}\">\n    {}\n    <parent link=\"{}\"/>\n    <child link=\"{}\"/>\n",
          joint.name, joint.type, origin(joint.xyz, joint.rpy), links[static_cast<std::size_t>(joint.parent)].name,
          links[static_cast<std::size_t>(joint.child)].name);
      if (joint.type != "fixed") { text += fmt::format("    <axis xyz=\"{}\"/>\n", fmt::join(joint.axis, " ")); }
      if (joint.follows >= 0) {
        text += fmt::format("    <mimic joint=\"{}\" multiplier=\"{}\" offset=\"{}\"/>\n",
                            joints[static_cast<std::size_t>(joint.follows)].name, joint.multiplier, joint.offset);
      }
      text += joint.more + "  </joint>\n";
    }
    return text + "</robot>\n";
  }

  // ---- the rules of URDF, written out ------------------------------------------------------------------------------

  static Square times(const Square& a, const Square& b) {
    Square c{};
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        for (std::size_t k = 0; k < 3; ++k) { c[i][j] += a[i][k] * b[k][j]; }
      }
    }
    return c;
  }
  static Triple times(const Square& a, const Triple& v) {
    Triple w{};
    for (std::size_t i = 0; i < 3; ++i) { w[i] = a[i][0] * v[0] + a[i][1] * v[1] + a[i][2] * v[2]; }
    return w;
  }
  static Square transposed(const Square& a) {
    Square t{};
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) { t[i][j] = a[j][i]; }
    }
    return t;
  }
  /// Turns about fixed axes x, then y, then z.
  static Square matrix_of_rpy(const Triple& rpy) {
    const auto about = [](std::size_t axis, double angle) {
      Square R{};
      const std::size_t j = (axis + 1) % 3;
      const std::size_t k = (axis + 2) % 3;
      R[axis][axis] = 1;
      R[j][j] = R[k][k] = std::cos(angle);
      R[j][k] = -std::sin(angle);
      R[k][j] = std::sin(angle);
      return R;
    };
    return times(times(about(2, rpy[2]), about(1, rpy[1])), about(0, rpy[0]));
  }
  /// A turn about any axis, by its Taylor series in closed form.
  static Square matrix_of_turn(const Triple& n, double angle) {
    const double s = std::sin(angle);
    const double v = 1 - std::cos(angle);
    Square R{};
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) { R[i][j] = n[i] * n[j] * v + (i == j ? 1 - v : 0); }
    }
    R[0][1] -= n[2] * s;
    R[0][2] += n[1] * s;
    R[1][0] += n[2] * s;
    R[1][2] -= n[0] * s;
    R[2][0] -= n[1] * s;
    R[2][1] += n[0] * s;
    return R;
  }

  struct Pose {
    Square R{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    Triple r{};
  };
  /// Of every link where the joints are at q; the root link is where space is.
  std::vector<Pose> poses(const std::vector<double>& q) const {
    std::vector<Pose> all(links.size());
    for (std::size_t j = 0; j < joints.size(); ++j) {  // parents stand before their children
      const JointNumbers& joint = joints[j];
      const Pose& parent = all[static_cast<std::size_t>(joint.parent)];
      Pose& child = all[static_cast<std::size_t>(joint.child)];
      child = parent;
      move(child, joint.xyz);
      child.R = times(child.R, matrix_of_rpy(joint.rpy));
      if (joint.type == "prismatic") {
        move(child, {q[j] * joint.axis[0], q[j] * joint.axis[1], q[j] * joint.axis[2]});
      } else if (joint.type == "revolute" || joint.type == "continuous") {
        child.R = times(child.R, matrix_of_turn(joint.axis, q[j]));
      }
    }
    return all;
  }
  static void move(Pose& pose, const Triple& by) {
    const Triple d = times(pose.R, by);
    for (std::size_t i = 0; i < 3; ++i) { pose.r[i] += d[i]; }
  }

  std::vector<LinkNumbers> links;
  std::vector<JointNumbers> joints;

 private:
  static std::string origin(const Triple& xyz, const Triple& rpy) {
    return fmt::format("<origin xyz=\"{}\" rpy=\"{}\"/>", fmt::join(xyz, " "), fmt::join(rpy, " "));
  }
  Triple triple(double size) {
    const Vec3<double> v = random_.vector(size);
    return {v.x, v.y, v.z};
  }

  std::string name_;
  Random random_;
};

/// A dozen robots with the structure of those that people build: trees of 3 to 50 joints.
inline std::vector<std::pair<Robot, bool>> robots() {
  std::vector<std::pair<Robot, bool>> all;  // and whether the root is free
  const std::string stops = "    <limit lower=\"-2.5\" upper=\"2.5\" effort=\"50\" velocity=\"3\"/>\n";
  const std::string loss = "    <dynamics damping=\"0.4\" friction=\"0.02\"/>\n";
  const auto chain = [&](Robot& robot, int from, const std::string& name, int count, const std::string& type) {
    for (int i = 1; i <= count; ++i) {
      from = robot.joint(type, from, fmt::format("{}_{}", name, i), true, (type == "revolute" ? stops : "") + loss);
    }
    return from;
  };
  {
    Robot arm("six-axis arm", 1);  // fixed to a base, with a flange and a tool point that weigh nothing
    const int base = arm.link("base");
    const int wrist = chain(arm, base, "arm", 6, "revolute");
    arm.joint("fixed", arm.joint("fixed", wrist, "flange", false), "tool0", false);
    all.emplace_back(arm, false);
  }
  {
    Robot arm("seven-axis arm with a gripper", 2);
    const int hand = arm.joint("fixed", chain(arm, arm.link("world", false), "link", 8, "revolute"), "hand");
    arm.joint("prismatic", hand, "finger_1", true,
              "    <limit lower=\"-0.1\" upper=\"0.1\" effort=\"5\" velocity=\"1\"/>\n");
    const int first = static_cast<int>(arm.joints.size()) - 1;
    arm.joint("prismatic", hand, "finger_2");
    arm.follow(first, -1, 0.01);
    all.emplace_back(arm, false);
  }
  {
    Robot scara("four-axis arm", 3);
    const int elbow = chain(scara, scara.link("pedestal"), "arm", 2, "revolute");
    scara.joint("continuous", scara.joint("prismatic", elbow, "quill", true, loss), "spindle");
    all.emplace_back(scara, false);
  }
  {
    Robot dog("quadruped", 4);
    const int trunk = dog.link("trunk");
    dog.joint("fixed", trunk, "imu", false);
    for (const char* leg : {"FL", "FR", "RL", "RR"}) {
      dog.joint("fixed", chain(dog, trunk, leg, 3, "revolute"), std::string(leg) + "_foot");
    }
    all.emplace_back(dog, true);
  }
  {
    Robot insect("hexapod", 5);
    const int body = insect.link("body");
    for (int leg = 1; leg <= 6; ++leg) { chain(insect, body, fmt::format("leg{}", leg), 3, "revolute"); }
    all.emplace_back(insect, true);
  }
  {
    Robot human("humanoid", 6);
    const int pelvis = human.link("pelvis");
    const int torso = chain(human, pelvis, "waist", 3, "revolute");
    chain(human, torso, "neck", 2, "revolute");
    for (const char* side : {"left", "right"}) {
      chain(human, torso, std::string(side) + "_arm", 7, "revolute");
      chain(human, pelvis, std::string(side) + "_leg", 6, "revolute");
    }
    all.emplace_back(human, true);
  }
  {
    Robot hand("hand", 7);
    const int palm = hand.link("palm");
    for (const char* finger : {"thumb", "index", "middle", "ring", "little"}) {
      const int tip = chain(hand, palm, finger, 3, "revolute");
      const int master = static_cast<int>(hand.joints.size()) - 1;
      hand.joint("revolute", tip, std::string(finger) + "_tip");
      hand.follow(master, 0.75, 0.1);
    }
    all.emplace_back(hand, false);
  }
  {
    Robot cart("mobile manipulator", 8);
    const int chassis = cart.link("chassis");
    for (int wheel = 1; wheel <= 4; ++wheel) {
      cart.joint("continuous", chassis, fmt::format("wheel{}", wheel), true, loss);
    }
    const int mount = cart.joint("fixed", chassis, "mount", false);
    cart.joint("fixed", chain(cart, cart.joint("fixed", mount, "column"), "arm", 6, "revolute"), "camera");
    all.emplace_back(cart, true);
  }
  {
    Robot snake("snake", 9);
    chain(snake, snake.link("head"), "piece", 50, "continuous");
    all.emplace_back(snake, true);
  }
  {
    Robot gantry("gantry", 10);
    const int z = chain(gantry, gantry.link("frame"), "axis", 3, "prismatic");
    gantry.joint("continuous", z, "spindle");
    all.emplace_back(gantry, false);
  }
  {
    Robot torso("two arms", 11);
    const int column = torso.joint("prismatic", torso.link("base", false), "lift", true, loss);
    chain(torso, column, "head", 2, "revolute");
    for (const char* side : {"l", "r"}) { chain(torso, column, std::string(side) + "_arm", 7, "revolute"); }
    all.emplace_back(torso, false);
  }
  {
    Robot excavator("excavator", 12);
    const int cabin = excavator.joint("continuous", excavator.link("tracks"), "cabin", true, loss);
    chain(excavator, cabin, "boom", 3, "revolute");
    const int master = static_cast<int>(excavator.joints.size()) - 2;
    excavator.joint("continuous", cabin, "fan");
    excavator.follow(master, -3, 0);
    all.emplace_back(excavator, false);
  }
  return all;
}

}  // namespace polhode::test
