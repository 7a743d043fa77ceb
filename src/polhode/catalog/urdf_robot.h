#pragma once

#include "polhode/body/mass_properties.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// A robot as its URDF file says it: links and joints with their numbers, each with its line; what it means follows in
/// urdf_reader.cpp.
namespace polhode::catalog {

/// An element <origin>: roll, pitch, yaw about the fixed axes x, y, z.
///
///   R = R_z(yaw) R_y(pitch) R_x(roll)
struct UrdfOrigin {
  Vec3<double> xyz{};
  Vec3<double> rpy{};
};

/// An element <visual>.
struct UrdfVisual {
  UrdfOrigin origin;
  std::string shape;    ///< box, cylinder, sphere, capsule, mesh
  Vec3<double> size{};  ///< of a box; of a mesh its scale
  double radius = 0;
  double length = 0;
  std::string file;  ///< of a mesh, as it is written
  int line = 0;
};

struct UrdfInertial {
  UrdfOrigin origin;
  double mass = 0;
  Mat3<double> J{};  ///< about the mass centre, in the axes of the origin
  int line = 0;
};

struct UrdfLink {
  std::string name;
  int line = 0;
  std::optional<UrdfInertial> inertial{};
  std::vector<UrdfVisual> visuals{};
};

/// An element <mimic>: this coordinate is multiplier times that of another joint, and offset.
struct UrdfMimic {
  std::string joint;
  double multiplier = 1;
  double offset = 0;
  int line = 0;
};

struct UrdfJoint {
  std::string name;
  int line = 0;
  std::string type;
  std::string parent;
  std::string child;
  UrdfOrigin origin;
  Vec3<double> axis{1, 0, 0};  ///< of unit length
  bool has_limit = false;
  double lower = 0;
  double upper = 0;
  double effort = 0;
  double velocity = 0;
  double damping = 0;
  double friction = 0;
  std::optional<UrdfMimic> mimic{};

  bool moves() const { return type != "fixed"; }
  bool slides() const { return type == "prismatic"; }
  /// One turn or one slide.
  bool has_coordinate() const { return type == "revolute" || type == "continuous" || type == "prismatic"; }
};

struct UrdfRobot {
  std::string name;
  std::vector<UrdfLink> links;
  std::vector<UrdfJoint> joints;
  /// Elements without a meaning here: what they are, how many, the line of the first.
  struct LeftOut {
    std::string what;
    std::size_t count = 0;
    int line = 0;
  };
  std::vector<LeftOut> left_out;
};

/// Fails with everything that is wrong with the text, each with its line.
UrdfRobot parse_urdf(std::string_view text, const std::string& file);

/// A text of a file as messages, comments and titles may hold it: no control characters, no broken UTF-8; shortened
/// where it is long.
std::string plain_text(std::string_view text);

}  // namespace polhode::catalog
