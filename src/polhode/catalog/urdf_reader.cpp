#include "polhode/catalog/mesh_shelf.h"
#include "polhode/catalog/robot_frame.h"
#include "polhode/catalog/urdf.h"
#include "polhode/catalog/urdf_robot.h"
#include "polhode/core/counted.h"
#include "polhode/core/error.h"
#include "polhode/multibody/model.h"
#include "polhode/rotation/axis_angle.h"
#include "polhode/rotation/euler_angles.h"
#include "polhode/rotation/rotation_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <set>

namespace polhode::catalog {
namespace {

namespace fs = std::filesystem;

/// Limits farther out are none: some programs write them in place of infinity.
constexpr double kNoLimit = 1e9;
/// Behind its limit, in rad or m, the push of a stop has the size of the joint's effort.
constexpr double kDepthOfTurn = 0.02;
constexpr double kDepthOfSlide = 0.002;
/// The damper of a stop by its stiffness, s.
constexpr double kStopDamping = 0.002;

EulerParameters<double> attitude_of_rpy(const Vec3<double>& rpy) {
  static const EulerAngles kYawPitchRoll{EulerSequence::parse("3-2-1")};
  return kYawPitchRoll.to_euler_parameters(Vec3<double>{rpy.z, rpy.y, rpy.x});
}
RobotFrame frame_of_origin(const UrdfOrigin& origin) { return {attitude_of_rpy(origin.rpy), origin.xyz}; }

NumberVector numbers_of(const Vec3<double>& v) { return {v.x, v.y, v.z}; }

scenario::Attitude attitude_as_numbers(const EulerParameters<double>& e) {
  scenario::Attitude attitude;
  if (e.ev == Vec3<double>{}) { return attitude; }
  attitude.quaternion_wxyz = {e.e0, e.ev.x, e.ev.y, e.ev.z};
  return attitude;
}

/// The nearest fraction of whole numbers, as far as its denominator goes [continued fractions].
std::pair<double, double> fraction_of(double x) {
  constexpr double kMostDenominator = 10000;
  const double size = std::fabs(x);
  double p = std::floor(size);
  double q = 1;
  double p_before = 1;
  double q_before = 0;
  for (double rest = size - p; std::fabs(p / q - size) > 1e-12 * size && rest > 1e-9;) {
    const double inverse = 1 / rest;
    const double whole = std::floor(inverse);
    const double p_next = whole * p + p_before;
    const double q_next = whole * q + q_before;
    if (q_next > kMostDenominator) { break; }
    p_before = std::exchange(p, p_next);
    q_before = std::exchange(q, q_next);
    rest = inverse - whole;
  }
  return {x < 0 ? -p : p, q};
}

/// Gives every element a name of its own that scenarios allow.
class NameGiver {
 public:
  /// `prefix` goes before what does not begin with a letter.
  std::string body(std::string_view name) { return give(name, "link_", bodies_); }
  std::string joint(std::string_view name) { return give(name, "joint_", joints_); }

 private:
  std::string give(std::string_view name, std::string_view prefix, std::set<std::string>& of_its_kind) {
    constexpr std::size_t kLongest = 100;
    std::string allowed;
    for (const char c : name) {
      const auto byte = static_cast<unsigned char>(c);
      if ((byte & 0xc0U) == 0x80) { continue; }  // behind the first byte of a letter beyond ASCII
      const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      const bool other = (c >= '0' && c <= '9') || c == '_' || c == '-';
      if (allowed.empty() && !letter) { allowed = prefix; }
      allowed += letter || other ? c : '_';
      if (allowed.size() >= kLongest) { break; }
    }
    if (allowed.empty()) { allowed = prefix; }
    if (const std::string key = formula_name(allowed); is_free(key, of_its_kind)) {
      of_its_kind.insert(key);
      return allowed;
    }
    // a joint that is called as its link, or what two names have become
    if (&of_its_kind == &joints_ && !allowed.ends_with("joint")) {
      const std::string other = allowed + "_joint";
      if (const std::string key = formula_name(other); is_free(key, of_its_kind)) {
        of_its_kind.insert(key);
        return other;
      }
    }
    for (int& n = next_[formula_name(allowed)];;) {
      n = std::max(n, 1) + 1;
      const std::string other = fmt::format("{}_{}", allowed, n);
      if (const std::string key = formula_name(other); is_free(key, of_its_kind)) {
        of_its_kind.insert(key);
        return other;
      }
    }
  }
  /// In formulas a - is a _.
  static std::string formula_name(std::string name) {
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
  }
  bool is_free(const std::string& key, const std::set<std::string>& of_its_kind) const {
    if (key == "ground" || bodies_.contains(key) || joints_.contains(key)) { return false; }
    // JOINT_slide_x of a joint that slides is not to be a coordinate of a body called JOINT_slide
    constexpr std::string_view kSlide = "_slide";
    return &of_its_kind == &joints_
               ? !bodies_.contains(key + std::string(kSlide))
               : !key.ends_with(kSlide) || !joints_.contains(key.substr(0, key.size() - kSlide.size()));
  }

  std::set<std::string> bodies_;
  std::set<std::string> joints_;
  std::map<std::string, int> next_;
};

/// Finds the meshes that a robot names.
class MeshFinder {
 public:
  MeshFinder(const std::string& file, const UrdfReading& how) : how_(&how) {
    folder_ = fs::path(file).parent_path();
    roots_.push_back(canonical(folder_));
    for (const std::string& one : how.packages) { roots_.push_back(canonical(one)); }
    scenario_ = canonical(how.scenario_folder);
  }

  struct Found {
    std::string name;      ///< from the folder of the scenario; "": it is left out
    std::string why_not;   ///< then
    bool outside = false;  ///< of the folder of the scenario
  };
  /// Fails where there is no such file, or where it must not be read.
  Found find(const std::string& name) {
    const auto [known, is_new] = found_.try_emplace(name);
    if (is_new) { known->second = look(name); }
    return known->second;
  }

 private:
  static fs::path canonical(const fs::path& path) {
    std::error_code none;
    return fs::weakly_canonical(fs::absolute(path.empty() ? fs::path(".") : path, none), none);
  }
  static bool is_below(const fs::path& file, const fs::path& folder) {
    const fs::path way = file.lexically_relative(folder);
    return !way.empty() && *way.begin() != "..";
  }

  Found look(const std::string& name) const {
    const std::size_t dot = name.rfind('.');
    std::string ending = dot == std::string::npos ? "" : name.substr(dot);
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    if (ending != ".obj" && ending != ".stl") {
      return {"",
              fmt::format("{} is no format that is read (OBJ and STL are)", ending.empty() ? "it" : plain_text(ending)),
              false};
    }
    const fs::path file = canonical(path_of(name));
    if (!how_->allow_outside &&
        std::none_of(roots_.begin(), roots_.end(), [&](const fs::path& root) { return is_below(file, root); })) {
      fail(Error(Problem{
          .what = fmt::format("the mesh '{}' lies outside the folders of the robot and its packages", plain_text(name)),
          .allowed = "meshes below the robot's folder or below one given with --package-path",
          .cure = "give its folder with --package-path, allow it with --allow-outside, or leave out "
                  "all meshes with --no-meshes"}));
    }
    std::string relative = file.lexically_relative(scenario_).generic_string();
    const bool outside = relative.empty() || relative == ".." || relative.starts_with("../");
    if (outside && !how_->allow_outside) {
      return {"",
              "it lies outside the folder of the scenario: write the scenario above it, or use --allow-outside here "
              "and where it is run",
              true};
    }
    if (relative.empty()) { relative = file.generic_string(); }
    if (plain_text(relative) != relative) { return {"", "its name is no plain text, or too long", outside}; }
    try {
      io::read_mesh(mesh_bytes(file.string()), relative);
    } catch (const Error& error) { return {"", error.problems().front().what, outside}; }
    return {relative, "", outside};
  }

  /// Where a mesh is looked for; fails where it is not there.
  fs::path path_of(const std::string& name) const {
    std::vector<fs::path> tried;
    for (const std::string_view scheme : {"package://", "model://"}) {
      if (!name.starts_with(scheme)) { continue; }
      const std::string rest = name.substr(scheme.size());
      const std::size_t slash = rest.find('/');
      const std::string package = rest.substr(0, slash);
      const std::string inner = slash == std::string::npos ? "" : rest.substr(slash + 1);
      for (const std::string& folder : how_->packages) {
        tried.push_back(fs::path(folder) / package / inner);
        if (canonical(folder).filename() == package) { tried.push_back(fs::path(folder) / inner); }
      }
      for (const fs::path& path : tried) {
        if (is_file(path)) { return path; }
      }
      fail(Error(Problem{
          .what = fmt::format("the mesh '{}' is not found: {}", plain_text(name),
                              how_->packages.empty()
                                  ? "no folder of packages is given"
                                  : fmt::format("package '{}' is not there, or has no such file", plain_text(package))),
          .allowed = {},
          .cure = fmt::format("give the folder that holds '{}' with --package-path{}, or leave out all meshes with "
                              "--no-meshes",
                              plain_text(package), guess(package))}));
    }
    fs::path path = name.starts_with("file://") ? fs::path(name.substr(7)) : fs::path(name);
    if (path.is_relative()) { path = folder_ / path; }
    if (is_file(path)) { return path; }
    fail(Error(Problem{.what = fmt::format("the mesh '{}' is not there", plain_text(name)),
                       .allowed = {},
                       .cure = "put it there, or leave out all meshes with --no-meshes"}));
  }
  static bool is_file(const fs::path& path) {
    std::error_code none;
    return fs::is_regular_file(path, none);
  }
  /// A folder above the robot that is called as the package: the one to give.
  std::string guess(const std::string& package) const {
    for (fs::path at = canonical(folder_); at.has_relative_path(); at = at.parent_path()) {
      if (at.filename() == package) { return fmt::format(" (perhaps {})", plain_text(at.parent_path().string())); }
    }
    return "";
  }

  const UrdfReading* how_;
  fs::path folder_;
  std::vector<fs::path> roots_;
  fs::path scenario_;
  std::map<std::string, Found> found_;
};

/// Links and joints to bodies, joints and forces.
class RobotBuilder {
 public:
  RobotBuilder(UrdfRobot robot, const std::string& file, const UrdfReading& how)
      : robot_(std::move(robot)), file_(&file), how_(&how), meshes_(file, how) {}

  ImportedRobot build() {
    find_tree();
    std::move(problems_).fail_if_any();
    find_starts();
    std::move(problems_).fail_if_any();
    order_links();
    std::move(problems_).fail_if_any();
    group_links();
    std::move(problems_).fail_if_any();
    result_.name = robot_.name.empty() ? "robot" : plain_text(robot_.name);
    result_.links = robot_.links.size();
    result_.scenario.title = result_.name;
    result_.scenario.gravity = scenario::MechanismGravity{.g_space = NumberVector{0.0, 0.0, -9.81}};
    result_.scenario.run = scenario::Run{.duration = 1, .output_interval = 0.01};
    add_bodies();
    add_joints();
    add_mimics();
    add_what_acts();
    std::move(problems_).fail_if_any();
    tell_the_rest();
    return std::move(result_);
  }

 private:
  static constexpr int kNone = -1;

  /// Links that are one body: those without mass go with what they are fixed to.
  struct Group {
    int first = kNone;      ///< link toward the root
    int with_mass = kNone;  ///< whose mass, frame and name the body has; kNone of ground and where there is none
    bool is_ground = false;
    bool carries = false;  ///< something with mass hangs on it
    std::string name;      ///< of the body, "ground"
  };

  const UrdfLink& link(int l) const { return robot_.links[static_cast<std::size_t>(l)]; }
  const UrdfJoint& joint(int j) const { return robot_.joints[static_cast<std::size_t>(j)]; }
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  std::string link_name(int l) const { return fmt::format("'{}'", plain_text(link(l).name)); }
  std::string joint_name(int j) const { return fmt::format("'{}'", plain_text(joint(j).name)); }

  void problem(int line, std::string what, std::string allowed = {}, std::string cure = {}) {
    problems_.add({std::move(what), std::move(allowed), std::move(cure), {*file_, line, 0}});
  }
  void note(RobotNote::Kind kind, std::string text, int line = 0) {
    result_.notes.push_back({kind, std::move(text), line});
  }

  // ---- the tree -----------------------------------------------------------------------------------------------------

  void find_tree() {
    std::map<std::string, int> links;
    for (int l = 0; l < static_cast<int>(robot_.links.size()); ++l) {
      const auto [same, is_new] = links.emplace(link(l).name, l);
      if (!is_new) {
        problem(link(l).line,
                fmt::format("two links are called {}; the other is in line {}", link_name(l), link(same->second).line),
                {}, "rename one");
      }
    }
    joint_above_.assign(robot_.links.size(), kNone);
    joints_below_.resize(robot_.links.size());
    parent_.assign(robot_.joints.size(), kNone);
    child_.assign(robot_.joints.size(), kNone);
    for (int j = 0; j < static_cast<int>(robot_.joints.size()); ++j) {
      const UrdfJoint& one = joint(j);
      const auto [same, is_new] = joint_index_.emplace(one.name, j);
      if (!is_new) {
        problem(
            one.line,
            fmt::format("two joints are called {}; the other is in line {}", joint_name(j), joint(same->second).line),
            {}, "rename one");
      }
      for (const auto& [name, to, end] :
           {std::tuple{&one.parent, &parent_[at(j)], "parent"}, std::tuple{&one.child, &child_[at(j)], "child"}}) {
        if (const auto found = links.find(*name); found != links.end()) {
          *to = found->second;
        } else {
          // the nearest name is looked for a few times, among names of usual length
          constexpr std::size_t kMostSuggestions = 12;
          constexpr std::size_t kLongestName = 100;
          std::vector<std::string_view> known;
          if (name->size() <= kLongestName && unknown_links_++ < kMostSuggestions) {
            for (const auto& [known_name, l] : links) {
              if (known_name.size() <= kLongestName) { known.emplace_back(known_name); }
            }
          }
          const std::string near = nearest_name(*name, known);
          problem(one.line,
                  fmt::format("the {} of joint {} is '{}', and there is no such link", end, joint_name(j),
                              plain_text(*name)),
                  {}, near.empty() ? "" : fmt::format("did you mean '{}'?", plain_text(near)));
        }
      }
      if (parent_[at(j)] == kNone || child_[at(j)] == kNone) { continue; }
      if (parent_[at(j)] == child_[at(j)]) {
        problem(one.line, fmt::format("joint {} joins link {} with itself", joint_name(j), link_name(child_[at(j)])));
        continue;
      }
      int& above = joint_above_[at(child_[at(j)])];
      if (above != kNone) {
        problem(one.line,
                fmt::format("link {} is the child of two joints, {} and {}: the robot is no tree",
                            link_name(child_[at(j)]), joint_name(above), joint_name(j)),
                "URDF describes trees",
                "leave out the joint that closes the loop, and write it under [[joints]] of the scenario");
        continue;
      }
      above = j;
      joints_below_[at(parent_[at(j)])].push_back(j);
    }
  }

  /// Which joints follow others, and where every joint starts.
  void find_starts() {
    followed_.assign(robot_.joints.size(), kNone);
    for (int j = 0; j < static_cast<int>(robot_.joints.size()); ++j) {
      const UrdfJoint& given = joint(j);
      if (!given.mimic) { continue; }
      const auto found = joint_index_.find(given.mimic->joint);
      const int line = given.mimic->line;
      if (found == joint_index_.end()) {
        problem(line, fmt::format("joint {} mimics '{}', and there is no such joint", joint_name(j),
                                  plain_text(given.mimic->joint)));
      } else if (!given.has_coordinate() || !joint(found->second).has_coordinate()) {
        problem(line,
                fmt::format("joint {} mimics {}: {} is {}", joint_name(j), joint_name(found->second),
                            given.has_coordinate() ? "that" : "it",
                            given.has_coordinate() ? joint(found->second).type : given.type),
                "wanted: joints that are revolute, continuous or prismatic");
      } else {
        followed_[at(j)] = found->second;
      }
    }
    start_.resize(robot_.joints.size());
    enum class Seen : std::uint8_t { no, on_the_way, done };
    std::vector<Seen> seen(robot_.joints.size(), Seen::no);
    for (int j = 0; j < static_cast<int>(robot_.joints.size()); ++j) {
      std::vector<int> way;
      int k = j;
      for (; k != kNone && seen[at(k)] == Seen::no; k = followed_[at(k)]) {
        seen[at(k)] = Seen::on_the_way;
        way.push_back(k);
      }
      if (k != kNone && seen[at(k)] == Seen::on_the_way) {
        problem(joint(k).mimic->line,
                fmt::format("joint {} mimics itself, directly or by way of others", joint_name(k)));
        followed_[at(k)] = kNone;
      }
      // those that are followed first
      for (std::size_t i = way.size(); i-- > 0;) {
        seen[at(way[i])] = Seen::done;
        start_[at(way[i])] = start_of(way[i]);
        if (std::fabs(start_[at(way[i])]) > kNoLimit) {
          problem(joint(way[i]).line,
                  fmt::format("joint {} would start at {:g}", joint_name(way[i]), start_[at(way[i])]),
                  "allowed: 1e9 rad or m", "check its limits, and multipliers and offsets of what it mimics");
          start_[at(way[i])] = 0;
        }
      }
    }
  }
  double start_of(int j) {
    const UrdfJoint& given = joint(j);
    if (followed_[at(j)] != kNone) {
      return given.mimic->multiplier * start_[at(followed_[at(j)])] + given.mimic->offset;
    }
    const double start = has_stops(given) ? std::clamp(0.0, given.lower, given.upper) : 0;
    if (start != 0) {
      note(RobotNote::Kind::chosen,
           fmt::format("joint {} starts at {:g} {}, the end of its range that is nearest to zero", joint_name(j), start,
                       given.slides() ? "m" : "rad"),
           given.line);
    }
    return start;
  }

  /// What a joint does to its child where the robot is drawn.
  RobotFrame moved(int j) const {
    const double q = start_[at(j)];
    if (q == 0) { return {}; }
    if (joint(j).slides()) { return {EulerParameters<double>::identity(), q * joint(j).axis}; }
    return {to_euler_parameters(AxisAngle<double>{joint(j).axis, q}), {}};
  }

  /// From the root to the leaves, with the pose of each link where the robot is drawn.
  void order_links() {
    std::vector<int> roots;
    for (int l = 0; l < static_cast<int>(robot_.links.size()); ++l) {
      if (joint_above_[at(l)] == kNone) { roots.push_back(l); }
    }
    if (roots.size() > 1) {
      std::string names;
      for (std::size_t i = 0; i < std::min<std::size_t>(roots.size(), 5); ++i) {
        names += (i > 0 ? ", " : "") + link_name(roots[i]);
      }
      problem(
          link(roots[1]).line,
          fmt::format("{} links have no joint above them: {}{}", roots.size(), names, roots.size() > 5 ? ", ..." : ""),
          "a robot has one root", "join them by joints, of type fixed or floating");
      return;
    }
    if (roots.empty()) {
      problem(link(0).line, "no link is the root: the joints go in a circle", "URDF describes trees",
              "leave out the joint that closes the loop, and write it under [[joints]] of the scenario");
      return;
    }
    root_ = roots.front();
    pose_.resize(robot_.links.size());
    order_ = {root_};
    for (std::size_t i = 0; i < order_.size(); ++i) {
      for (const int j : joints_below_[at(order_[i])]) {
        order_.push_back(child_[at(j)]);
        pose_[at(child_[at(j)])] = pose_[at(order_[i])] * frame_of_origin(joint(j).origin) * moved(j);
      }
    }
    if (order_.size() == robot_.links.size()) { return; }
    std::vector<bool> reached(robot_.links.size());
    for (const int l : order_) { reached[at(l)] = true; }
    const auto lost = static_cast<int>(std::find(reached.begin(), reached.end(), false) - reached.begin());
    problem(link(lost).line,
            fmt::format("the joints above link {} go in a circle and never come to the root {}", link_name(lost),
                        link_name(root_)),
            "URDF describes trees",
            "leave out the joint that closes the loop, and write it under [[joints]] of the scenario");
  }

  /// A link without <inertial>, or with one that is all zero.
  static bool has_mass(const UrdfLink& link) {
    return link.inertial && !(link.inertial->mass == 0 && link.inertial->J == Mat3<double>{});
  }

  /// Which links are one body.
  void group_links() {
    group_of_.assign(robot_.links.size(), kNone);
    result_.root = plain_text(link(root_).name);
    const bool is_world = link(root_).name == "world" && !has_mass(link(root_));
    if (is_world && how_->floating) {
      problem(link(root_).line, "the root link is 'world', which does not move, and --floating asks for a free root",
              {}, "leave out --floating");
      return;
    }
    result_.root_free = how_->floating;
    for (const int l : order_) {
      const int above = joint_above_[at(l)];
      const int parent_group = above == kNone ? kNone : group_of_[at(parent_[at(above)])];
      if (above == kNone || joint(above).moves()) {
        Group& own = new_group(l);
        own.is_ground = above == kNone && !how_->floating && !has_mass(link(l));
      } else {
        Group& parent = groups_[at(parent_group)];
        if (!has_mass(link(l))) {
          group_of_[at(l)] = parent_group;
        } else if (!parent.is_ground && parent.with_mass == kNone) {
          group_of_[at(l)] = parent_group;
          parent.with_mass = l;
        } else {
          new_group(l);
        }
      }
    }
    // from the leaves to the root: what carries something with mass
    for (std::size_t g = groups_.size(); g-- > 0;) {
      Group& group = groups_[g];
      group.carries = group.carries || group.with_mass != kNone;
      const int above = joint_above_[at(group.first)];
      if (group.carries && above != kNone) { groups_[at(group_of_[at(parent_[at(above)])])].carries = true; }
    }
    for (const Group& group : groups_) {
      if (group.is_ground || group.with_mass != kNone || !group.carries) { continue; }
      const int above = joint_above_[at(group.first)];
      problem(link(group.first).line,
              above == kNone ? fmt::format("the root link {} has no mass, and is to be free", link_name(group.first))
                             : fmt::format("link {} has no mass, and joint {} moves it: nothing says how it answers to "
                                           "a force",
                                           link_name(group.first), joint_name(above)),
              "links without mass are fixed to one that has some, or carry nothing",
              "give it an <inertial>, as small as what it stands for");
    }
    if (std::none_of(groups_.begin(), groups_.end(), [](const Group& one) { return one.with_mass != kNone; }) &&
        problems_.empty()) {
      problem(link(root_).line, "no link has mass: there is nothing that moves", "wanted: links with <inertial>");
    }
  }
  Group& new_group(int l) {
    group_of_[at(l)] = static_cast<int>(groups_.size());
    Group& group = groups_.emplace_back();
    group.first = l;
    group.with_mass = has_mass(link(l)) ? l : kNone;
    return group;
  }

  // ---- bodies -------------------------------------------------------------------------------------------------------

  void add_bodies() {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      Group& group = groups_[g];
      if (group.with_mass == kNone) {
        if (group.is_ground) { group.name = "ground"; }
        continue;
      }
      const UrdfLink& of = link(group.with_mass);
      group.name = names_.body(of.name);
      if (group.name != of.name) {
        note(RobotNote::Kind::changed, fmt::format("link {} is body '{}'", link_name(group.with_mass), group.name),
             of.line);
      }
      scenario::Body body;
      body.name = group.name;
      body.position = numbers_of(pose_[at(group.with_mass)].r);
      body.attitude = attitude_as_numbers(pose_[at(group.with_mass)].e);
      add_inertia(body.inertia, of);
      body_index_[static_cast<int>(g)] = result_.scenario.bodies.size();
      result_.scenario.bodies.push_back(std::move(body));
    }
    std::string merged;
    std::size_t merged_count = 0;
    for (const int l : order_) {
      const Group& group = groups_[at(group_of_[at(l)])];
      if (l != group.with_mass && !group.name.empty() && !(group.is_ground && l == root_)) {
        constexpr std::size_t kMostNames = 8;
        if (++merged_count <= kMostNames) {
          merged += fmt::format("{}{} of '{}'", merged.empty() ? "" : ", ", link_name(l), group.name);
        }
      }
      add_visuals(l, group);
    }
    if (merged_count > 0) {
      note(RobotNote::Kind::changed,
           fmt::format("links without mass are part of what they are fixed to: {}{}", merged,
                       merged_count > 8 ? fmt::format(", and {} more", merged_count - 8) : ""));
    }
    for (const auto& [why, meshes] : meshes_left_out_) {
      note(RobotNote::Kind::left_out,
           fmt::format("{} (the first: '{}'): {}", counted(meshes.count, "mesh", "meshes"), plain_text(meshes.first),
                       why),
           meshes.line);
    }
    if (meshes_outside_ > 0) {
      note(RobotNote::Kind::chosen,
           fmt::format("{} outside the folder of the scenario: check and run it with --allow-outside",
                       counted(meshes_outside_, "mesh lies", "meshes lie")));
    }
  }

  void add_inertia(scenario::Inertia& to, const UrdfLink& of) {
    const UrdfInertial& given = *of.inertial;
    const RobotFrame frame = frame_of_origin(given.origin);
    const bool is_turned = !(given.origin.rpy == Vec3<double>{});
    const Mat3<double> J = is_turned ? turned(rotation_matrix(frame.e), given.J) : given.J;
    try {
      static_cast<void>(from_inertia_matrix(given.mass, J, given.origin.xyz, Physical::require));
    } catch (const Error& error) {
      if (!allows(given, J)) {
        for (const Problem& one : error.problems()) {
          const bool impossible = one.what.starts_with("no rigid body");
          problem(given.line, fmt::format("link '{}': {}", plain_text(of.name), one.what), one.allowed,
                  impossible
                      ? "mend the numbers (the program that exported them may have mixed up units or axes), or let "
                        "them through with --allow-impossible-inertia"
                      : one.cure);
        }
      } else {
        to.allow_impossible_inertia = true;
        note(RobotNote::Kind::chosen,
             fmt::format("link '{}' keeps an inertia that no body has: {:.3g} kg m² are missing", plain_text(of.name),
                         missing_moment(J)),
             given.line);
      }
    }
    to.shape.mass = given.mass;
    if (!(given.origin.xyz == Vec3<double>{})) { to.mass_centre = numbers_of(given.origin.xyz); }
    if (J(0, 1) == 0 && J(0, 2) == 0 && J(1, 2) == 0) {
      to.principal_moments = NumberVector{J(0, 0), J(1, 1), J(2, 2)};
    } else {
      to.inertia_matrix = NumberMatrix{numbers_of(row(J, 0)), numbers_of(row(J, 1)), numbers_of(row(J, 2))};
    }
  }
  bool allows(const UrdfInertial& given, const Mat3<double>& J) const {
    if (!how_->allow_impossible_inertia) { return false; }
    try {
      static_cast<void>(from_inertia_matrix(given.mass, J, given.origin.xyz, Physical::allow_any_positive));
    } catch (const Error&) { return false; }
    return true;
  }

  void add_visuals(int l, const Group& group) {
    if (group.with_mass == kNone) {
      visuals_without_body_ += link(l).visuals.size();
      return;
    }
    scenario::Body& body = result_.scenario.bodies[body_index_.at(group_of_[at(l)])];
    for (const UrdfVisual& visual : link(l).visuals) {
      scenario::Part part;
      if (!add_shape(part.shape, visual)) { continue; }
      if (l == group.with_mass) {
        part.position = numbers_of(visual.origin.xyz);
        const Vec3<double>& rpy = visual.origin.rpy;
        if (!(rpy == Vec3<double>{})) {
          part.attitude.euler = scenario::Euler{.sequence = "3-2-1", .angles = NumberVector{rpy.z, rpy.y, rpy.x}};
        }
      } else {
        const RobotFrame frame = inverse(pose_[at(group.with_mass)]) * pose_[at(l)] * frame_of_origin(visual.origin);
        part.position = numbers_of(frame.r);
        part.attitude = attitude_as_numbers(frame.e);
      }
      body.outline.push_back(std::move(part));
    }
  }

  bool add_shape(scenario::Shape& to, const UrdfVisual& visual) {
    to.shape = visual.shape;
    if (visual.shape == "box") {
      to.edges = numbers_of(visual.size);
    } else if (visual.shape == "mesh") {
      return add_mesh(to, visual);
    } else {
      to.radius = visual.radius;
      if (visual.shape != "sphere") { to.length = visual.length; }
    }
    return true;
  }

  bool add_mesh(scenario::Shape& to, const UrdfVisual& visual) {
    const auto [x, y, z] = visual.size;
    const auto leave_out = [&](const std::string& why) {
      MeshesLeftOut& meshes = meshes_left_out_[why];
      if (meshes.count++ == 0) {
        meshes.first = visual.file;
        meshes.line = visual.line;
      }
      return false;
    };
    if (!how_->meshes) { return leave_out("--no-meshes"); }
    if (!(x > 0 && x == y && y == z)) { return leave_out("its scale is not the same, above 0, along all three axes"); }
    try {
      const MeshFinder::Found found = meshes_.find(visual.file);
      if (found.name.empty()) { return leave_out(found.why_not); }
      to.file = found.name;
      if (found.outside) { ++meshes_outside_; }
    } catch (const Error& error) {
      const Problem& one = error.problems().front();
      problem(visual.line, one.what, one.allowed, one.cure);
      return false;
    }
    if (x != 1) { to.scale = x; }
    return true;
  }

  // ---- joints -------------------------------------------------------------------------------------------------------

  void add_joints() {
    made_.assign(robot_.joints.size(), kNone);
    names_of_joints_.resize(robot_.joints.size());
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const Group& group = groups_[g];
      const int above = joint_above_[at(group.first)];
      if (above == kNone) {
        if (!group.is_ground && !how_->floating) { hold_root(group); }
        continue;
      }
      const Group& parent = groups_[at(group_of_[at(parent_[at(above)])])];
      const UrdfJoint& given = joint(above);
      if (group.with_mass == kNone) {
        note(RobotNote::Kind::left_out,
             fmt::format("joint {} moves nothing that has mass: it is left out with link {}", joint_name(above),
                         link_name(group.first)),
             given.line);
        continue;
      }
      if (given.type == "floating") {
        note(RobotNote::Kind::changed,
             fmt::format("joint {} is floating: body '{}' is free, without a joint", joint_name(above), group.name),
             given.line);
        continue;
      }
      scenario::Joint made;
      made.name = names_.joint(given.name);
      if (made.name != given.name) {
        note(RobotNote::Kind::changed, fmt::format("joint {} is called '{}'", joint_name(above), made.name),
             given.line);
      }
      made.kind = given.type == "fixed" ? "weld" : given.type == "continuous" ? "revolute" : given.type;
      made.bodies = {parent.name, group.name};
      const RobotFrame& where = pose_[at(group.first)];
      if (start_[at(above)] == 0) {
        made.point = numbers_of(where.r);
        if (made.kind != "weld") { made.axis = numbers_of(rotate(where.e, given.axis)); }
      } else {
        // drawn off its zero: frames on both bodies say where that is
        const RobotFrame axes{frame_with_axis(given.axis, {}), {}};
        const RobotFrame first = parent.with_mass == kNone ? RobotFrame{} : inverse(pose_[at(parent.with_mass)]);
        made.on_first = joint_frame(first * where * inverse(moved(above)) * axes);
        made.on_second = joint_frame(inverse(pose_[at(group.with_mass)]) * where * axes);
      }
      made_[at(above)] = static_cast<int>(result_.scenario.joints.size());
      names_of_joints_[at(above)] = made.name;
      result_.scenario.joints.push_back(std::move(made));
    }
  }

  static scenario::JointFrame joint_frame(const RobotFrame& frame) {
    scenario::JointFrame given;
    given.point = numbers_of(frame.r);
    given.attitude = attitude_as_numbers(frame.e);
    return given;
  }

  void hold_root(const Group& group) {
    scenario::Joint weld;
    weld.name = names_.joint(group.name + "_to_ground");
    weld.kind = "weld";
    weld.bodies = {"ground", group.name};
    weld.point = numbers_of(pose_[at(group.first)].r);
    result_.scenario.joints.push_back(std::move(weld));
  }

  std::string_view coordinate_of(int j) const { return joint(j).slides() ? "slide_z" : "turn"; }

  void add_mimics() {
    for (int j = 0; j < static_cast<int>(robot_.joints.size()); ++j) {
      if (followed_[at(j)] != kNone) { add_mimic(j, followed_[at(j)]); }
    }
  }

  void add_mimic(int j, int master) {
    const UrdfMimic& mimic = *joint(j).mimic;
    if (made_[at(j)] == kNone) { return; }
    if (made_[at(master)] == kNone) {
      note(RobotNote::Kind::left_out,
           fmt::format("joint {} mimics {}, which is left out: it moves by itself", joint_name(j), joint_name(master)),
           mimic.line);
      return;
    }
    const std::string name = names_.joint(names_of_joints_[at(j)] + "_mimic");
    if (mimic.multiplier == 0) {
      scenario::Driver driver;
      driver.name = name;
      driver.on = {.joint = names_of_joints_[at(j)], .coordinate = std::string(coordinate_of(j))};
      driver.value = Expression(mimic.offset);
      result_.scenario.drivers.push_back(std::move(driver));
      return;
    }
    scenario::Coupling coupling;
    coupling.name = name;
    coupling.joints = {names_of_joints_[at(j)], names_of_joints_[at(master)]};
    double own = 1;
    double other = mimic.multiplier;
    if (!joint(j).slides() && !joint(master).slides()) {
      std::tie(other, own) = fraction_of(mimic.multiplier);
      if (std::fabs(other / own - mimic.multiplier) > 1e-12 * std::fabs(mimic.multiplier)) {
        note(RobotNote::Kind::changed,
             fmt::format("joint {} mimics {} with {:g}/{:g} in place of {}: turns are coupled by whole numbers",
                         joint_name(j), joint_name(master), other, own, mimic.multiplier),
             mimic.line);
      }
    }
    coupling.factors = {own, -other};
    coupling.constant = own * mimic.offset;
    result_.scenario.couplings.push_back(std::move(coupling));
  }

  // ---- what acts ----------------------------------------------------------------------------------------------------

  static bool has_stops(const UrdfJoint& joint) {
    return joint.has_limit && (joint.type == "revolute" || joint.type == "prismatic") && joint.lower < joint.upper &&
           (joint.lower > -kNoLimit || joint.upper < kNoLimit);
  }

  void add_what_acts() {
    std::size_t chosen = 0;
    std::size_t velocities = 0;
    std::size_t softest = 0;
    for (int j = 0; j < static_cast<int>(robot_.joints.size()); ++j) {
      const UrdfJoint& given = joint(j);
      if (made_[at(j)] == kNone || !given.moves()) { continue; }
      if (!given.has_coordinate()) {
        if (given.damping > 0 || given.friction > 0 || given.has_limit) {
          note(RobotNote::Kind::left_out,
               fmt::format("limits, damping and friction of the planar joint {}", joint_name(j)), given.line);
        }
        continue;
      }
      velocities += given.has_limit && given.velocity > 0 ? 1U : 0U;
      const force::OnJoint on{.joint = names_of_joints_[at(j)], .coordinate = std::string(coordinate_of(j))};
      if (has_stops(given)) {
        const double depth = given.slides() ? kDepthOfSlide : kDepthOfTurn;
        const bool by_effort = given.effort > 0 && given.effort < kNoLimit;
        const double stiffness = how_->stop_stiffness.value_or(by_effort ? given.effort / depth : 0);
        if (stiffness > 0) {
          force::JointStop stop{.on = on, .stiffness = stiffness, .damping = kStopDamping * stiffness};
          if (given.lower > -kNoLimit) { stop.lower = given.lower; }
          if (given.upper < kNoLimit) { stop.upper = given.upper; }
          chosen += how_->stop_stiffness ? 0U : 1U;
          result_.scenario.forces.push_back({.what = stop});
        } else {
          ++softest;
        }
      } else if (given.has_limit && given.type != "continuous" && given.lower == given.upper) {
        note(RobotNote::Kind::left_out,
             fmt::format("the limits of joint {} leave it no range ({} to {}): it has no stops; a joint that does not "
                         "move is of type fixed",
                         joint_name(j), given.lower, given.upper),
             given.line);
      }
      if (given.damping > 0 || given.friction > 0) {
        result_.scenario.forces.push_back(
            {.what = force::JointFriction{.on = on, .dry = given.friction, .viscous = given.damping}});
      }
    }
    if (chosen > 0) {
      note(
          RobotNote::Kind::chosen,
          fmt::format("the stiffness of the stops of {}, which URDF does not say: the joint's effort is reached {} rad "
                      "or {} m behind the limit; --stop-stiffness says another",
                      counted(chosen, "joint"), kDepthOfTurn, kDepthOfSlide));
    }
    if (softest > 0) {
      note(RobotNote::Kind::left_out,
           fmt::format("the limits of {}: {}", counted(softest, "joint"),
                       how_->stop_stiffness ? "--stop-stiffness is 0"
                                            : "no effort says how stiff the stops are; --stop-stiffness does"));
    }
    if (velocities > 0) {
      note(RobotNote::Kind::left_out,
           fmt::format("the greatest velocity of {}: nothing here limits one", counted(velocities, "joint")));
    }
  }

  void tell_the_rest() {
    for (const UrdfRobot::LeftOut& one : robot_.left_out) {
      note(RobotNote::Kind::left_out, fmt::format("{} {}", one.count, one.what), one.line);
    }
    if (visuals_without_body_ > 0) {
      note(RobotNote::Kind::left_out,
           fmt::format("{} of links that are ground, or are left out", counted(visuals_without_body_, "visual")));
    }
    note(RobotNote::Kind::chosen,
         result_.root_free ? fmt::format("the root link '{}' is free; without --floating ground holds it", result_.root)
         : groups_.front().is_ground
             ? fmt::format("the root link '{}' has no mass: it is ground{}", result_.root,
                           link(root_).name == "world" ? "" : "; --floating leaves it free")
             : fmt::format("ground holds the root link '{}'; --floating leaves it free", result_.root));
    note(RobotNote::Kind::chosen, "gravity along -z, 9.81 m/s²; a run of 1 s; every joint at zero unless told above");
    result_.notes = in_order_of_kind(result_.notes);
  }

  struct MeshesLeftOut {
    std::size_t count = 0;
    std::string first;
    int line = 0;
  };

  UrdfRobot robot_;
  const std::string* file_;
  const UrdfReading* how_;
  MeshFinder meshes_;
  Problems problems_;
  ImportedRobot result_;
  NameGiver names_;
  std::map<std::string, int> joint_index_;
  std::vector<int> parent_;                     ///< by joint: a link
  std::vector<int> child_;                      ///< by joint: a link
  std::vector<int> joint_above_;                ///< by link
  std::vector<std::vector<int>> joints_below_;  ///< by link
  int root_ = kNone;
  std::vector<int> order_;        ///< links, from the root to the leaves
  std::vector<RobotFrame> pose_;  ///< by link, in space, where the robot is drawn
  std::vector<Group> groups_;
  std::vector<int> group_of_;                             ///< by link
  std::map<int, std::size_t> body_index_;                 ///< by group
  std::vector<int> made_;                                 ///< by joint: in the scenario
  std::vector<std::string> names_of_joints_;              ///< by joint: in the scenario
  std::vector<int> followed_;                             ///< by joint: the one that it mimics
  std::vector<double> start_;                             ///< by joint: where the robot is drawn
  std::map<std::string, MeshesLeftOut> meshes_left_out_;  ///< by the reason
  std::size_t meshes_outside_ = 0;
  std::size_t visuals_without_body_ = 0;
  std::size_t unknown_links_ = 0;
};

}  // namespace

ImportedRobot read_urdf(std::string_view text, const std::string& file, const UrdfReading& how) {
  return RobotBuilder(parse_urdf(text, file), file, how).build();
}

}  // namespace polhode::catalog
