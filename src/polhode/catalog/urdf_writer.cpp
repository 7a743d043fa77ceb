#include "polhode/catalog/compiled_scenario.h"
#include "polhode/catalog/robot_frame.h"
#include "polhode/catalog/urdf.h"
#include "polhode/catalog/urdf_robot.h"
#include "polhode/core/counted.h"
#include "polhode/core/error.h"
#include "polhode/core/refuse.h"
#include "polhode/rotation/euler_angles.h"
#include "polhode/scenario/blueprint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

namespace polhode::catalog {
namespace {

/// As urdf_reader.cpp has them.
constexpr double kWithoutLimit = 1e9;
constexpr double kTurnBehindStop = 0.02;
constexpr double kSlideBehindStop = 0.002;

/// Below this an angle or a component of a direction is the rounding of zero.
constexpr double kRoundingOfZero = 4e-16;

std::string in_xml(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

double without_noise(double x) { return std::fabs(x) < kRoundingOfZero ? 0 : x; }
std::string vector_text(const Vec3<double>& v) {
  return fmt::format("{} {} {}", v.x + 0.0, v.y + 0.0, v.z + 0.0);  // no zero has a sign
}

/// "" where it is the identity.
std::string origin_text(const RobotFrame& frame) {
  static const EulerAngles kYawPitchRoll{EulerSequence::parse("3-2-1")};
  const Vec3<double> ypr = kYawPitchRoll.from_euler_parameters(frame.e);
  const Vec3<double> rpy{without_noise(ypr.z), without_noise(ypr.y), without_noise(ypr.x)};
  const Vec3<double> zero{};
  if (frame.r == zero && rpy == zero) { return ""; }
  return fmt::format("<origin xyz=\"{}\" rpy=\"{}\"/>", vector_text(frame.r), vector_text(rpy));
}

/// A mechanism as a tree of links.
class UrdfWriter {
 public:
  UrdfWriter(const Scenario& scenario, const UrdfWriting& how)
      : how_(&how),
        mechanism_(CompiledScenario(scenario, how.scenario_folder, {}, how.meshes).mechanism(how.parameters)),
        model_(*mechanism_.plan.model) {
    scenario::Review review;
    const scenario::Blueprint blueprint(scenario, review);
    scenario_ = blueprint.at(blueprint.parameters(how.parameters, review), review);
    review.fail_if_any();
    for (std::size_t n = 0; n < scenario_.bodies.size(); ++n) {
      const std::optional<Number>& copies = scenario_.bodies[n].copies.copies;
      source_.insert(source_.end(), copies ? static_cast<std::size_t>(copies->value) : 1, n);
    }
  }

  WrittenUrdf write() {
    find_tree();
    collect_what_acts();
    collect_mimics();
    const std::string title = scenario_.title.empty() ? "robot" : scenario_.title;
    line(0, "<?xml version=\"1.0\"?>");
    line(0, fmt::format("<robot name=\"{}\">", in_xml(title)));
    if (has_world_) {
      line(1, fmt::format("<link name=\"{}\"/>", in_xml(world_)));
      ++result_.links;
    }
    for (const BodyId body : order_) { write_link(body); }
    for (const BodyId body : order_) { write_joint(body); }
    line(0, "</robot>");
    tell_the_rest();
    result_.root = has_world_ ? world_ : name_of(order_.front());
    result_.root_free = !has_world_;
    return std::move(result_);
  }

 private:
  static constexpr int kNoJoint = -1;

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  const JointDescription& joint(int j) const { return model_.joints()[at(j)]; }
  const std::string& name_of(BodyId body) const { return body == kGround ? world_ : model_.bodies()[at(body)].name; }
  void line(int depth, const std::string& text) {
    result_.text += std::string(2 * static_cast<std::size_t>(depth), ' ') + text + '\n';
  }
  void note(RobotNote::Kind kind, std::string text) { result_.notes.push_back({kind, std::move(text), 0}); }

  // ---- the tree -----------------------------------------------------------------------------------------------------

  /// From ground, and from bodies that nothing holds to it, to the leaves.
  void find_tree() {
    static const std::set<std::string_view> kKnown{"weld", "revolute", "prismatic", "planar"};
    std::vector<std::vector<int>> joints(model_.body_count() + 1);  // by body, ground first
    for (int j = 0; j < static_cast<int>(model_.joint_count()); ++j) {
      if (!kKnown.contains(joint(j).kind->name)) {
        fail(Error(Problem{.what = fmt::format("joint '{}' is of kind '{}', and URDF has none such", joint(j).name,
                                               joint(j).kind->name),
                           .allowed = "in URDF: weld revolute prismatic planar, and bodies that are free",
                           .cure = "take joints of these kinds, with bodies between them that have a little mass"}));
      }
      joints[at(joint(j).first + 1)].push_back(j);
      joints[at(joint(j).second + 1)].push_back(j);
    }
    joint_above_.assign(model_.body_count(), kNoJoint);
    std::vector<bool> seen(model_.body_count() + 1);
    std::vector<BodyId> frees;
    const auto walk = [&](BodyId root) {
      std::vector<BodyId> way{root};
      seen[at(root + 1)] = true;
      for (std::size_t i = 0; i < way.size(); ++i) {
        for (const int j : joints[at(way[i] + 1)]) {
          if (way[i] != kGround && j == joint_above_[at(way[i])]) { continue; }
          const BodyId next = joint(j).first == way[i] ? joint(j).second : joint(j).first;
          if (seen[at(next + 1)]) {
            fail(Error(Problem{.what = fmt::format("joint '{}' closes a loop, and URDF describes trees", joint(j).name),
                               .allowed = {},
                               .cure = "leave it out of what is written; other programs close the loop by means of "
                                       "their own"}));
          }
          seen[at(next + 1)] = true;
          joint_above_[at(next)] = j;
          way.push_back(next);
          order_.push_back(next);
        }
      }
    };
    walk(kGround);
    has_world_ = !order_.empty();
    for (BodyId body = 0; body < static_cast<BodyId>(model_.body_count()); ++body) {
      if (seen[at(body + 1)]) { continue; }
      order_.push_back(body);
      frees.push_back(body);
      walk(body);
    }
    has_world_ = has_world_ || frees.size() > 1;
    std::set<std::string_view> names;
    for (const BodyDescription& body : model_.bodies()) { names.insert(body.name); }
    for (const char* one : {"world", "ground_link", "world_of_all"}) {
      world_ = one;
      if (!names.contains(world_)) { break; }
    }
    // link frames
    links_.resize(model_.body_count());
    for (const BodyId body : order_) {
      const int above = joint_above_[at(body)];
      if (above != kNoJoint) { links_[at(body)].r = on_child(above, body).r; }
    }
  }
  /// A frame of a joint on the body that it moves, and on the one toward the root.
  RobotFrame on_child(int j, BodyId child) const {
    const FrameOnBody& frame = joint(j).second == child ? joint(j).on_second : joint(j).on_first;
    return {frame.e_BF, frame.r_BF_B};
  }
  RobotFrame on_parent(int j, BodyId child) const {
    const FrameOnBody& frame = joint(j).second == child ? joint(j).on_first : joint(j).on_second;
    return {frame.e_BF, frame.r_BF_B};
  }
  BodyId parent_of(int j, BodyId child) const { return joint(j).second == child ? joint(j).first : joint(j).second; }

  // ---- links --------------------------------------------------------------------------------------------------------

  void write_link(BodyId body) {
    const BodyDescription& given = model_.bodies()[at(body)];
    const Vec3<double> origin = links_[at(body)].r;
    ++result_.links;
    line(1, fmt::format("<link name=\"{}\">", in_xml(given.name)));
    line(2, "<inertial>");
    const std::string where = origin_text({EulerParameters<double>::identity(), given.mass.center_B - origin});
    if (!where.empty()) { line(3, where); }
    line(3, fmt::format("<mass value=\"{}\"/>", given.mass.mass));
    const Mat3<double>& J = given.mass.J_B;
    line(3, fmt::format("<inertia ixx=\"{}\" ixy=\"{}\" ixz=\"{}\" iyy=\"{}\" iyz=\"{}\" izz=\"{}\"/>", J(0, 0),
                        J(0, 1) + 0.0, J(0, 2) + 0.0, J(1, 1), J(1, 2) + 0.0, J(2, 2)));
    line(2, "</inertial>");
    if (given.physical != Physical::require && missing_moment(J) > 0) {
      note(RobotNote::Kind::chosen, fmt::format("link '{}' has an inertia that no body has: {:.3g} kg m² are missing",
                                                given.name, missing_moment(J)));
    }
    if (mechanism_.has_shape[at(body)]) { write_visuals(body, origin); }
    line(1, "</link>");
  }

  void write_visuals(BodyId body, const Vec3<double>& origin) {
    const scenario::Body& source = scenario_.bodies[source_[at(body)]];
    const std::vector<Outline>& outlines = mechanism_.outlines[at(body)];
    for (std::size_t i = 0; i < outlines.size(); ++i) {
      const Outline& outline = outlines[i];
      const scenario::Shape& shape = !source.outline.empty()        ? source.outline[i].shape
                                     : !source.inertia.part.empty() ? source.inertia.part[i].shape
                                                                    : source.inertia.shape;
      std::string geometry;
      if (outline.hole) {
        ++shapes_left_out_["holes"];
      } else if (outline.shape == "box") {
        geometry = fmt::format("<box size=\"{}\"/>", fmt::join(outline.lengths, " "));
      } else if (outline.shape == "sphere") {
        geometry = fmt::format("<sphere radius=\"{}\"/>", outline.lengths[0]);
      } else if (outline.shape == "cylinder") {
        geometry = fmt::format("<cylinder radius=\"{}\" length=\"{}\"/>", outline.lengths[0], outline.lengths[1]);
      } else if (outline.shape == "mesh") {
        const double scale = shape.scale ? shape.scale->value : 1;
        geometry = fmt::format("<mesh filename=\"{}\"{}/>", in_xml(mesh_from_urdf(shape.file)),
                               scale == 1 ? "" : fmt::format(" scale=\"{0} {0} {0}\"", scale));
      } else {
        ++shapes_left_out_[outline.shape];
      }
      if (geometry.empty()) { continue; }
      const std::string where = origin_text({outline.e_BC, outline.r_BC_B - origin});
      line(2, fmt::format("<visual>{}<geometry>{}</geometry></visual>", where, geometry));
    }
  }

  /// The file of a mesh as it is found from the robot's folder.
  std::string mesh_from_urdf(const std::string& file) const {
    namespace fs = std::filesystem;
    std::error_code none;
    const auto folder = [&](const std::string& name) {
      return fs::weakly_canonical(fs::absolute(name.empty() ? "." : name, none), none);
    };
    const fs::path path = fs::weakly_canonical(folder(how_->scenario_folder) / file, none);
    const std::string relative = path.lexically_relative(folder(how_->urdf_folder)).generic_string();
    return relative.empty() ? path.generic_string() : relative;
  }

  // ---- joints -------------------------------------------------------------------------------------------------------

  struct OfJoint {
    const JointLimit* stop = nullptr;
    double dry = 0;
    double viscous = 0;
    std::string mimic;  ///< the element
  };

  void collect_what_acts() {
    of_joint_.resize(model_.joint_count());
    std::size_t more = 0;
    for (const JointLimit& limit : model_.joint_limits()) {
      OfJoint& to = of_joint_[at(limit.joint)];
      const bool fits = has_one_coordinate(limit.joint) && limit.coordinate != Coordinate::swing;
      if (to.stop == nullptr && fits) {
        to.stop = &limit;
      } else {
        ++more;
      }
    }
    if (more > 0) {
      note(RobotNote::Kind::left_out, counted(more, "stop beside another of its joint, or of a planar joint",
                                              "stops beside another of their joint, or of planar joints"));
    }
    for (const JointFriction& friction : model_.joint_frictions()) {
      if (!has_one_coordinate(friction.joint)) {
        note(RobotNote::Kind::left_out, fmt::format("friction of joint '{}'", joint(friction.joint).name));
        continue;
      }
      of_joint_[at(friction.joint)].dry += friction.dry;
      of_joint_[at(friction.joint)].viscous += friction.viscous;
    }
    std::map<std::string, std::size_t> left_out;
    for (const auto* list : {&scenario_.load, &scenario_.forces}) {
      for (const scenario::Acting& acting : *list) {
        const std::string_view kind =
            std::visit([](const auto& one) { return std::string_view(one.kind.name); }, acting.what);
        if (kind == "joint_stop" || kind == "joint_friction") { continue; }
        if (const auto* spring = std::get_if<force::JointSpring>(&acting.what);
            spring != nullptr && spring->stiffness.value == 0) {
          continue;
        }
        ++left_out[std::string(kind)];
      }
    }
    for (const JointSpring& spring : model_.joint_springs()) {
      if (spring.stiffness == 0 && spring.force == 0 && has_one_coordinate(spring.joint)) {
        of_joint_[at(spring.joint)].viscous += spring.damping;
      }
    }
    for (const auto& [kind, count] : left_out) {
      note(RobotNote::Kind::left_out, fmt::format("{} of kind {}", counted(count, "force"), kind));
    }
  }
  bool has_one_coordinate(int j) const {
    return joint(j).kind->name == "revolute" || joint(j).kind->name == "prismatic";
  }

  /// Couplings as joints that mimic others: each follows one, and none itself.
  void collect_mimics() {
    std::map<int, int> follows;
    const auto may_follow = [&](int j, int master) {
      if (follows.contains(j) || !has_one_coordinate(j) || !has_one_coordinate(master)) { return false; }
      for (int k = master; k != j;) {
        const auto next = follows.find(k);
        if (next == follows.end()) { return true; }
        k = next->second;
      }
      return false;
    };
    for (const Coupling& c : model_.all<Coupling>()) {
      int j = c.first_joint;
      int master = c.second_joint;
      double own = c.first_factor;
      double other = c.second_factor;
      if (!may_follow(j, master) || own == 0) {
        std::swap(j, master);
        std::swap(own, other);
      }
      if (own == 0 || other == 0 || !may_follow(j, master)) {
        note(RobotNote::Kind::left_out, fmt::format("coupling '{}': no joint can mimic another there", c.name));
        continue;
      }
      follows[j] = master;
      of_joint_[at(j)].mimic = fmt::format("<mimic joint=\"{}\" multiplier=\"{}\" offset=\"{}\"/>",
                                           in_xml(joint(master).name), -other / own, c.constant / own + 0.0);
    }
  }

  void write_joint(BodyId body) {
    const int j = joint_above_[at(body)];
    if (j == kNoJoint) {
      if (has_world_) { write_floating(body); }
      return;
    }
    const BodyId parent = parent_of(j, body);
    const RobotFrame parent_link = parent == kGround ? RobotFrame{} : links_[at(parent)];
    const RobotFrame where = inverse(parent_link) * on_parent(j, body) * inverse(on_child(j, body)) * links_[at(body)];
    const OfJoint& more = of_joint_[at(j)];
    const std::string_view kind = joint(j).kind->name;
    const bool slides = kind == "prismatic";
    std::string_view type = kind;
    if (kind == "weld") { type = "fixed"; }
    if (kind == "revolute" && more.stop == nullptr) { type = "continuous"; }
    ++result_.joints;
    line(1, fmt::format("<joint name=\"{}\" type=\"{}\">", in_xml(joint(j).name), type));
    const std::string origin = origin_text(where);
    if (!origin.empty()) { line(2, origin); }
    line(2, fmt::format("<parent link=\"{}\"/><child link=\"{}\"/>", in_xml(name_of(parent)), in_xml(name_of(body))));
    if (kind != "weld") {
      // turns and slides of the child, as seen from its parent, whichever of the two is the joint's first body
      const double sign = joint(j).second == body ? 1 : -1;
      Vec3<double> axis = rotate(on_child(j, body).e, Vec3<double>{0, 0, sign});
      for (std::size_t i = 0; i < 3; ++i) { axis[i] = without_noise(axis[i]); }
      line(2, fmt::format("<axis xyz=\"{}\"/>", vector_text(axis)));
    }
    if (more.stop != nullptr) {
      const double effort = more.stop->stiffness * (slides ? kSlideBehindStop : kTurnBehindStop);
      line(2, fmt::format("<limit lower=\"{}\" upper=\"{}\" effort=\"{}\" velocity=\"{}\"/>",
                          std::max(more.stop->lower, -kWithoutLimit) + 0.0,
                          std::min(more.stop->upper, kWithoutLimit) + 0.0, effort, kWithoutLimit));
      ++stops_;
    } else if (slides) {
      line(2, fmt::format("<limit lower=\"{}\" upper=\"{}\" effort=\"{}\" velocity=\"{}\"/>", -kWithoutLimit,
                          kWithoutLimit, kWithoutLimit, kWithoutLimit));
    }
    if (more.dry > 0 || more.viscous > 0) {
      line(2, fmt::format("<dynamics damping=\"{}\" friction=\"{}\"/>", more.viscous, more.dry));
    }
    if (!more.mimic.empty()) { line(2, more.mimic); }
    line(1, "</joint>");
  }

  void write_floating(BodyId body) {
    const BodyStart& start = model_.bodies()[at(body)].start;
    ++result_.joints;
    line(1, fmt::format("<joint name=\"{}_floating\" type=\"floating\">", in_xml(name_of(body))));
    const std::string origin = origin_text({start.e_NB, start.r_N});
    if (!origin.empty()) { line(2, origin); }
    line(2, fmt::format("<parent link=\"{}\"/><child link=\"{}\"/>", in_xml(world_), in_xml(name_of(body))));
    line(1, "</joint>");
  }

  // ---- notes --------------------------------------------------------------------------------------------------------

  void tell_the_rest() {
    using Kind = RobotNote::Kind;
    for (const auto& [shape, count] : shapes_left_out_) {
      note(Kind::left_out,
           shape == "holes" ? counted(count, "hole") : fmt::format("{} of kind {}", counted(count, "shape"), shape));
    }
    for (const auto& [count, what] :
         std::initializer_list<std::pair<std::size_t, const char*>>{{scenario_.drivers.size(), "driver"},
                                                                    {scenario_.rolling.size(), "rolling contact"},
                                                                    {scenario_.blades.size(), "blade"},
                                                                    {scenario_.constraints.size(), "constraint"},
                                                                    {scenario_.event.size(), "event"}}) {
      if (count > 0) { note(Kind::left_out, counted(count, what)); }
    }
    const bool moved = std::any_of(scenario_.bodies.begin(), scenario_.bodies.end(),
                                   [](const scenario::Body& body) {
                                     return body.velocity || body.start || !(body.rate == scenario::Rate{});
                                   }) ||
                       std::any_of(scenario_.joints.begin(), scenario_.joints.end(),
                                   [](const scenario::Joint& joint) { return joint.start && !joint.start->empty(); });
    if (moved) { note(Kind::left_out, "the initial state: joints are written at zero"); }
    if (scenario_.gravity) { note(Kind::left_out, "gravity, [run] and [output]: URDF has none"); }
    if (!scenario_.parameters.empty()) {
      note(Kind::changed, "numbers that are formulas of parameters are written as their values");
    }
    if (stops_ > 0) {
      note(Kind::chosen,
           fmt::format("the effort of {}: what the stop gives {} rad or {} m behind the limit; the velocity "
                       "has no limit",
                       counted(stops_, "joint"), kTurnBehindStop, kSlideBehindStop));
    }
    if (!has_world_) {
      note(Kind::chosen,
           fmt::format("the root link '{}' is free: read it back with --floating", name_of(order_.front())));
    }
    result_.notes = in_order_of_kind(result_.notes);
  }

  const UrdfWriting* how_;
  MechanismScenario mechanism_;
  const Model& model_;
  Scenario scenario_;                ///< every number with its value
  std::vector<std::size_t> source_;  ///< by body: which of [[bodies]] it was made of
  WrittenUrdf result_;
  std::vector<int> joint_above_;   ///< by body
  std::vector<BodyId> order_;      ///< from the root to the leaves
  std::vector<RobotFrame> links_;  ///< by body: its link's frame in its axes
  bool has_world_ = false;
  std::string world_;
  std::vector<OfJoint> of_joint_;
  std::map<std::string, std::size_t> shapes_left_out_;
  std::size_t stops_ = 0;
};

}  // namespace

WrittenUrdf to_urdf(const Scenario& scenario, const UrdfWriting& how) {
  if (!scenario.is_mechanism()) {
    refuse("the scenario has one body alone: URDF describes links and joints",
           "write the body under [[bodies]], and a [run] for mechanisms");
  }
  return UrdfWriter(scenario, how).write();
}

}  // namespace polhode::catalog
