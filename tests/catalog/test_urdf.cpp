// Robots in URDF: to scenarios and back.
#include "catalog/robots.h"
#include "polhode/catalog/mechanism_scenario.h"
#include "polhode/catalog/model_check.h"
#include "polhode/catalog/urdf.h"
#include "polhode/math/degree.h"
#include "polhode/multibody/dynamics.h"
#include "support/cases.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

using namespace polhode;

namespace {

using catalog::ImportedRobot;
using catalog::UrdfReading;
using catalog::WrittenUrdf;
using test::Robot;
using test::Triple;

/// Joints by name: a coordinate and its rate.
using Motion = std::map<std::string, std::pair<double, double>>;

/// A state by chance; joints that follow others do.
Motion any_motion(const Robot& robot, test::Random& random) {
  Motion motion;
  for (const test::JointNumbers& joint : robot.joints) {
    if (joint.type == "fixed") { continue; }
    auto& [q, rate] = motion[joint.name];
    if (joint.follows >= 0) {
      const auto& [master, master_rate] = motion.at(robot.joints[static_cast<std::size_t>(joint.follows)].name);
      q = joint.multiplier * master + joint.offset;
      rate = joint.multiplier * master_rate;
    } else {
      const double most = joint.type == "prismatic" ? 0.2 : 2.9;  // into the stops at times
      q = random.between(-most, most);
      rate = random.between(-2, 2);
    }
  }
  return motion;
}

Scenario in_motion(Scenario scenario, const Motion& motion) {
  for (scenario::Joint& joint : scenario.joints) {
    const auto found = motion.find(joint.name);
    // what follows another joint starts where that one puts it
    const bool follows = std::any_of(scenario.couplings.begin(), scenario.couplings.end(),
                                     [&](const scenario::Coupling& one) { return one.joints[0] == joint.name; });
    if (found == motion.end() || follows) { continue; }
    const std::string coordinate = joint.kind == "prismatic" ? "slide_z" : "turn";
    joint.start =
        Named<Number>{{coordinate, Number(found->second.first)}, {coordinate + "_rate", Number(found->second.second)}};
  }
  return scenario;
}

/// Where a joint with one coordinate is when a run begins.
double at_start(const Scenario& scenario, const std::string& name) {
  const catalog::MechanismScenario made = catalog::understand_mechanism(scenario);
  const Model& model = *made.plan.model;
  return model.coordinates(made.plan.start, model.joint(name))[0].value;
}

/// A free root, thrown: the same for two scenarios.
void throw_root(Scenario& scenario, const std::string& root) {
  for (scenario::Body& body : scenario.bodies) {
    if (body.name != root) { continue; }
    body.velocity = NumberVector{0.3, -0.2, 0.5};
    body.rate.w_body = NumberVector{0.7, 0.4, -1.1};
  }
}

/// Angular and linear accelerations of all mass centres, by body.
std::map<std::string, Pair> accelerations(const Scenario& scenario) {
  const catalog::MechanismScenario made = catalog::understand_mechanism(scenario);
  const Model& model = *made.plan.model;
  Scratch scratch(model);
  std::vector<double> ydot(made.plan.start.size());
  evaluate(model, 0, made.plan.start, ydot, scratch);
  std::map<std::string, Pair> all;
  for (std::size_t b = 0; b < model.body_count(); ++b) {
    all[model.bodies()[b].name] = acceleration_of(model, scratch, static_cast<BodyId>(b));
  }
  return all;
}

/// The largest difference, over the largest acceleration.
double difference(const Scenario& one, const Scenario& other) {
  const auto a = accelerations(one);
  const auto b = accelerations(other);
  REQUIRE(a.size() == b.size());
  double most = 0;
  double size = 0;
  for (const auto& [name, of_it] : a) {
    REQUIRE(b.contains(name));
    const Pair d = of_it - b.at(name);
    most = std::max({most, norm(d.ang), norm(d.lin)});
    size = std::max({size, norm(of_it.ang), norm(of_it.lin)});
  }
  return most / size;
}

/// How far bodies of a scenario are from where the rules of URDF have them, mass centre and inertia in space.
double distance_from_rules(const Robot& robot, const Motion& motion, const Scenario& scenario) {
  std::vector<double> q;
  for (const test::JointNumbers& joint : robot.joints) {
    q.push_back(motion.contains(joint.name) ? motion.at(joint.name).first : 0);
  }
  const std::vector<Robot::Pose> poses = robot.poses(q);
  const catalog::MechanismScenario made = catalog::understand_mechanism(in_motion(scenario, motion));
  const Model& model = *made.plan.model;
  double most = 0;
  for (std::size_t l = 0; l < robot.links.size(); ++l) {
    const test::LinkNumbers& link = robot.links[l];
    if (link.mass == 0) { continue; }
    const BodyId body = model.body(link.name);
    const MassProperties& mass = model.bodies()[static_cast<std::size_t>(body)].mass;
    const BodyView now = Model::view(made.plan.start, body);
    Robot::Pose pose = poses[l];
    Robot::move(pose, link.centre);
    const test::Square R = Robot::times(pose.R, Robot::matrix_of_rpy(link.rpy));
    const test::Square J = Robot::times(Robot::times(R, link.J), Robot::transposed(R));
    const Mat3<double> J_N = turned(rotation_matrix(now.e_NB), mass.J_B);
    most = std::max(most, std::fabs(mass.mass - link.mass));
    for (std::size_t i = 0; i < 3; ++i) {
      most = std::max(most, std::fabs(now.r_N[i] - pose.r[i]));
      for (std::size_t k = 0; k < 3; ++k) { most = std::max(most, std::fabs(J_N(i, k) - J[i][k])); }
    }
  }
  return most;
}

std::string message_of(const std::string& text, const UrdfReading& how = {}) {
  try {
    catalog::read_urdf(text, "robot.urdf", how);
  } catch (const Error& error) { return error.what(); }
  return "";
}

bool has_note(const std::vector<catalog::RobotNote>& notes, const std::string& part) {
  return std::any_of(notes.begin(), notes.end(),
                     [&](const catalog::RobotNote& note) { return note.text.find(part) != std::string::npos; });
}

const std::string kInertial =
    "<inertial><mass value='1'/><inertia ixx='0.1' ixy='0' ixz='0' iyy='0.1' iyz='0' izz='0.1'/></inertial>";

/// A robot of links "a" (the root), "b", ... with mass, and joints between them.
std::string robot_text(const std::string& joints, const std::string& links = "ab") {
  std::string text = "<robot name='test'>\n";
  for (const char name : links) { text += "<link name='" + std::string(1, name) + "'>" + kInertial + "</link>\n"; }
  return text + joints + "</robot>\n";
}
std::string joint_text(const std::string& type, const std::string& more = "", char parent = 'a', char child = 'b') {
  return fmt::format("<joint name='{}{}_joint' type='{}'><parent link='{}'/><child link='{}'/>{}</joint>\n", parent,
                     child, type, parent, child, more);
}

/// A folder of its own that goes with the object.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("polhode-urdf-" + std::to_string(getpid()))) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
    return at(name);
  }
  std::string at(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace

TEST_CASE("urdf: in every robot the bodies are where the rules of URDF have them, with their inertia, at any angles") {
  test::Random random(7);
  std::size_t most_joints = 0;
  for (const auto& [robot, is_free] : test::robots()) {
    const ImportedRobot imported = catalog::read_urdf(robot.urdf(), "robot.urdf", UrdfReading{.floating = is_free});
    CAPTURE(imported.name);
    CHECK(imported.root_free == is_free);
    CHECK(imported.links == robot.links.size());
    most_joints = std::max(most_joints, robot.joints.size());
    for (int state = 0; state < 3; ++state) {
      const Motion motion = any_motion(robot, random);
      // rounding of up to 50 transforms of size 10, and of a loop closed by a coupling
      CHECK(distance_from_rules(robot, motion, imported.scenario) < 1e-12);
      // one number changed in its ninth digit is noticed
      Robot twin = robot;
      twin.joints[1].rpy[2] += 1e-9;
      CHECK(distance_from_rules(twin, motion, imported.scenario) > 1e-12);
    }
  }
  CHECK(most_joints >= 50);
}

TEST_CASE(
    "urdf: another order of the three turns, an axis seen from the parent, or inertia about the link's origin show") {
  test::Random random(8);
  const Robot robot = test::robots().front().first;
  const ImportedRobot imported = catalog::read_urdf(robot.urdf(), "robot.urdf");
  const Motion motion = any_motion(robot, random);
  REQUIRE(distance_from_rules(robot, motion, imported.scenario) < 1e-12);
  Robot order = robot;
  for (test::JointNumbers& joint : order.joints) { std::swap(joint.rpy[0], joint.rpy[2]); }
  CHECK(distance_from_rules(order, motion, imported.scenario) > 1e-3);
  Robot axes = robot;
  for (test::JointNumbers& joint : axes.joints) {
    joint.axis = Robot::times(Robot::transposed(Robot::matrix_of_rpy(joint.rpy)), joint.axis);
  }
  CHECK(distance_from_rules(axes, motion, imported.scenario) > 1e-3);
  Robot moved = robot;
  for (test::LinkNumbers& link : moved.links) {
    const auto& [x, y, z] = link.centre;
    link.J[0][0] += link.mass * (y * y + z * z);
    link.J[1][1] += link.mass * (x * x + z * z);
    link.J[2][2] += link.mass * (x * x + y * y);
  }
  CHECK(distance_from_rules(moved, motion, imported.scenario) > 1e-3);
}

TEST_CASE("urdf: robot to scenario to robot to scenario has the same accelerations in any state") {
  test::Random random(9);
  for (const auto& [robot, is_free] : test::robots()) {
    const ImportedRobot first = catalog::read_urdf(robot.urdf(), "robot.urdf", UrdfReading{.floating = is_free});
    CAPTURE(first.name);
    const WrittenUrdf written = catalog::to_urdf(first.scenario);
    CHECK(written.root_free == is_free);
    const ImportedRobot second = catalog::read_urdf(written.text, "again.urdf", UrdfReading{.floating = is_free});
    CHECK(second.scenario.bodies.size() == first.scenario.bodies.size());
    CHECK(second.scenario.joints.size() == first.scenario.joints.size());
    CHECK(second.scenario.forces.size() == first.scenario.forces.size());
    CHECK(second.scenario.couplings.size() == first.scenario.couplings.size());
    for (int state = 0; state < 2; ++state) {
      const Motion motion = any_motion(robot, random);
      Scenario one = in_motion(first.scenario, motion);
      Scenario other = in_motion(second.scenario, motion);
      if (is_free) {
        throw_root(one, first.root);
        throw_root(other, first.root);
      }
      // rounding, times how much lighter the last links are than the first
      CHECK(difference(one, other) < 1e-12);
      // a twin with one mass changed in its fifth digit
      other.bodies.back().inertia.shape.mass->value *= 1 + 1e-5;
      CHECK(difference(one, other) > 1e-12);
    }
    // as text the way back is stable: numbers are written with all their digits
    CHECK(catalog::to_urdf(second.scenario).text.size() < 2 * written.text.size());
  }
}

TEST_CASE("urdf: the KUKA LBR iiwa has its published pose, and its mass matrix hangs together") {
  const std::vector<std::vector<double>> rows = test::rows_of("kuka_iiwa.csv");
  std::string text = "<robot name='iiwa'><link name='world'/>\n";
  for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
    const std::vector<double>& r = rows[i];
    text += fmt::format(
        "<joint name='joint_{0}' type='revolute'><origin xyz='{1} {2} {3}' rpy='{4} {5} {6}'/><parent link='{15}'/>"
        "<child link='link_{0}'/><axis xyz='0 0 1'/><limit lower='-3' upper='3' effort='300' velocity='10'/></joint>\n"
        "<link name='link_{0}'><inertial><origin xyz='{8} {9} {10}' rpy='0 0 0'/><mass value='{7}'/><inertia "
        "ixx='{11}' "
        "ixy='0' ixz='0' iyy='{12}' iyz='0' izz='{13}'/></inertial></link>{14}",
        i + 1, r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8], r[9], r[10], r[11], r[12], "\n",
        i == 0 ? std::string("world") : fmt::format("link_{}", i));
  }
  const ImportedRobot robot = catalog::read_urdf(text + "</robot>", "iiwa.urdf");
  REQUIRE(robot.scenario.bodies.size() == 7);
  const auto last_link = [&](double scale) {
    Motion motion;
    for (int i = 1; i <= 7; ++i) {
      motion[fmt::format("joint_{}", i)] = {scale * (i % 2 == 1 ? 60 : 30) * math::kDegree, 0};
    }
    return catalog::understand_mechanism(in_motion(robot.scenario, motion));
  };
  const catalog::MechanismScenario bent = last_link(1);
  const BodyId end = bent.plan.model->body("link_7");
  const Vec3<double> origin = bent.plan.model->point_N(bent.plan.start, end, {});
  const Mat3<double> R = rotation_matrix(Model::view(bent.plan.start, end).e_NB);
  const std::vector<double>& published = rows.back();
  double most = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    most = std::max(most, std::fabs(origin[i] - published[i]));
    for (std::size_t k = 0; k < 3; ++k) { most = std::max(most, std::fabs(R(i, k) - published[3 + 3 * i + k])); }
  }
  CHECK(most < 1e-14);  // printed with 16 digits
  // stretched out it ends at 1.261 m
  const catalog::MechanismScenario straight = last_link(0);
  CHECK(norm(straight.plan.model->point_N(straight.plan.start, end, {}) - Vec3<double>{0, 0, 1.261}) < 1e-14);
}

TEST_CASE("urdf: every type of joint becomes what it is, and comes back") {
  const std::string limit = "<limit lower='-1' upper='2' effort='30' velocity='1'/>";
  const auto scenario_of = [&](const std::string& type, const std::string& more = "") {
    return catalog::read_urdf(robot_text(joint_text(type, more)), "robot.urdf").scenario;
  };
  const std::map<std::string, std::string> kinds{{"revolute", "revolute"},
                                                 {"continuous", "revolute"},
                                                 {"prismatic", "prismatic"},
                                                 {"fixed", "weld"},
                                                 {"planar", "planar"}};
  for (const auto& [type, kind] : kinds) {
    CAPTURE(type);
    const Scenario scenario = scenario_of(type, type == "fixed" || type == "planar" ? "" : limit);
    REQUIRE(scenario.joints.size() == 2);  // and the one that holds the root
    CHECK(scenario.joints[0].kind == "weld");
    CHECK(scenario.joints[0].bodies == std::array<std::string, 2>{"ground", "a"});
    CHECK(scenario.joints[1].kind == kind);
    CHECK(scenario.joints[1].bodies == std::array<std::string, 2>{"a", "b"});
    CHECK(scenario.forces.size() == (type == "revolute" || type == "prismatic" ? 1 : 0));
    const std::string back = catalog::to_urdf(scenario).text;
    CHECK(back.find("type=\"" + type + "\"") != std::string::npos);
    CHECK_NOTHROW(catalog::understand_mechanism(scenario));
  }
  const Scenario floating = scenario_of("floating");
  CHECK(floating.joints.size() == 1);
  const std::string back = catalog::to_urdf(floating).text;
  CHECK(back.find("<joint name=\"b_floating\" type=\"floating\">") != std::string::npos);
  CHECK(catalog::read_urdf(back, "again.urdf").scenario.joints.size() == 1);
}

TEST_CASE("urdf: limits become stops, damping and friction become friction, and efforts say how stiff stops are") {
  const std::string more =
      "<limit lower='-1' upper='2' effort='30' velocity='1'/><dynamics damping='0.5' friction='0.2'/>";
  ImportedRobot robot = catalog::read_urdf(robot_text(joint_text("revolute", more)), "robot.urdf");
  REQUIRE(robot.scenario.forces.size() == 2);
  const auto& stop = std::get<force::JointStop>(robot.scenario.forces[0].what);
  CHECK(stop.lower == Number(-1));
  CHECK(stop.upper == Number(2));
  CHECK(stop.stiffness.value == doctest::Approx(1500));  // 30 N m after 0.02 rad
  const auto& friction = std::get<force::JointFriction>(robot.scenario.forces[1].what);
  CHECK(friction.dry == Number(0.2));
  CHECK(friction.viscous == Number(0.5));
  CHECK(has_note(robot.notes, "the stiffness of the stops of 1 joint"));
  CHECK(has_note(robot.notes, "the greatest velocity of 1 joint"));
  const std::string back = catalog::to_urdf(robot.scenario).text;
  CHECK(back.find("<limit lower=\"-1\" upper=\"2\" effort=\"30\"") != std::string::npos);
  CHECK(back.find("<dynamics damping=\"0.5\" friction=\"0.2\"/>") != std::string::npos);

  const auto stops = [&](const std::string& limit, const UrdfReading& how) {
    return catalog::read_urdf(robot_text(joint_text("revolute", limit)), "robot.urdf", how).scenario.forces.size();
  };
  CHECK(stops("<limit lower='-1' upper='2' effort='0' velocity='1'/>", {}) == 0);
  CHECK(stops("<limit lower='-1' upper='2' effort='0' velocity='1'/>", {.stop_stiffness = 100}) == 1);
  CHECK(stops("<limit lower='-1' upper='2' effort='9' velocity='1'/>", {.stop_stiffness = 0}) == 0);
  CHECK(stops("<limit lower='-1e16' upper='1e16' effort='9' velocity='1'/>", {}) == 0);
  CHECK(stops("<limit lower='-inf' upper='1' effort='9' velocity='1'/>", {}) == 1);
  CHECK(stops("<limit effort='9' velocity='1'/>", {}) == 0);
}

TEST_CASE("urdf: a joint whose range leaves out zero starts at the end of it that is nearest") {
  const std::string more = "<limit lower='-2.5' upper='-0.5' effort='30' velocity='1'/>";
  const ImportedRobot robot = catalog::read_urdf(robot_text(joint_text("revolute", more)), "robot.urdf");
  CHECK(at_start(robot.scenario, "ab_joint") == doctest::Approx(-0.5).epsilon(1e-14));
  CHECK(has_note(robot.notes, "'ab_joint' starts at -0.5 rad"));
  const std::string slide = "<limit lower='0.25' upper='0.5' effort='30' velocity='1'/>";
  CHECK(at_start(catalog::read_urdf(robot_text(joint_text("prismatic", slide)), "r").scenario, "ab_joint") == 0.25);
}

TEST_CASE("urdf: a joint that mimics another is coupled to it by whole numbers, and starts where it must") {
  const auto robot_with = [](const std::string& mimic, const std::string& type = "continuous") {
    return catalog::read_urdf(robot_text(joint_text(type, mimic) + joint_text("continuous", "", 'b', 'c'), "abc"),
                              "robot.urdf");
  };
  const ImportedRobot robot = robot_with("<mimic joint='bc_joint' multiplier='-0.75' offset='0.2'/>");
  REQUIRE(robot.scenario.couplings.size() == 1);
  const scenario::Coupling& coupling = robot.scenario.couplings[0];
  CHECK(coupling.joints == std::array<std::string, 2>{"ab_joint", "bc_joint"});
  CHECK(coupling.factors == std::array<Number, 2>{Number(4), Number(3)});
  CHECK(coupling.constant == Number(0.8));
  CHECK(at_start(robot.scenario, "ab_joint") == doctest::Approx(0.2).epsilon(1e-14));
  CHECK(at_start(robot.scenario, "bc_joint") == 0);
  // also where whole turns of the teeth would hide it
  const ImportedRobot far = robot_with("<mimic joint='bc_joint' multiplier='-0.75' offset='2.5'/>");
  CHECK(at_start(far.scenario, "ab_joint") == doctest::Approx(2.5).epsilon(1e-14));
  CHECK(catalog::to_urdf(robot.scenario).text.find("<mimic joint=\"bc_joint\" multiplier=\"-0.75\" offset=\"0.2\"/>") !=
        std::string::npos);
  // of a slide any number will do
  const ImportedRobot slide = robot_with("<mimic joint='bc_joint' multiplier='0.0123456'/>", "prismatic");
  CHECK(slide.scenario.couplings[0].factors == std::array<Number, 2>{Number(1), Number(-0.0123456)});
  // what is no fraction is the nearest one, and it is told
  const ImportedRobot near = robot_with("<mimic joint='bc_joint' multiplier='3.14159265358979'/>");
  CHECK(near.scenario.couplings[0].factors == std::array<Number, 2>{Number(113), Number(-355)});
  CHECK(has_note(near.notes, "with 355/113 in place of 3.14159265358979"));
  // none at all: it stands still
  const ImportedRobot still = robot_with("<mimic joint='bc_joint' multiplier='0' offset='0.3'/>");
  REQUIRE(still.scenario.drivers.size() == 1);
  CHECK(still.scenario.drivers[0].value == Expression(0.3));
  CHECK(at_start(still.scenario, "ab_joint") == doctest::Approx(0.3).epsilon(1e-14));
  CHECK(message_of(robot_text(joint_text("continuous", "<mimic joint='ab_joint'/>"))).find("mimics itself") !=
        std::string::npos);
  CHECK(message_of(robot_text(joint_text("continuous", "<mimic joint='bc_joint'/>") +
                                  joint_text("continuous", "<mimic joint='ab_joint'/>", 'b', 'c'),
                              "abc"))
            .find("mimics itself, directly or by way of others") != std::string::npos);
}

TEST_CASE("urdf: the root is held unless it is to be free; 'world' and a root without mass are ground") {
  const std::string text = robot_text(joint_text("continuous"));
  CHECK(catalog::read_urdf(text, "r").scenario.joints.size() == 2);
  const ImportedRobot free = catalog::read_urdf(text, "r", UrdfReading{.floating = true});
  CHECK(free.root_free);
  CHECK(free.scenario.joints.size() == 1);
  CHECK(has_note(free.notes, "the root link 'a' is free"));
  const std::string on_world =
      "<robot name='w'><link name='world'/><link name='b'>" + kInertial +
      "</link><joint name='j' type='continuous'><parent link='world'/><child link='b'/></joint></robot>";
  const ImportedRobot held = catalog::read_urdf(on_world, "r");
  REQUIRE(held.scenario.joints.size() == 1);
  CHECK(held.scenario.joints[0].bodies[0] == "ground");
  CHECK(message_of(on_world, UrdfReading{.floating = true}).find("leave out --floating") != std::string::npos);
}

TEST_CASE("urdf: links without mass go with what they are fixed to, fall away at the ends, and are refused between") {
  const auto chain = [](const std::string& first, const std::string& second, const std::string& more = "") {
    return "<robot name='m'><link name='a'>" + kInertial + "</link><link name='b'/><link name='c'>" + more +
           "</link>\n<joint name='j1' type='" + first +
           "'><origin xyz='1 0 0'/><parent link='a'/><child link='b'/></joint><joint name='j2' type='" + second +
           "'><origin xyz='0 2 0'/><parent link='b'/><child link='c'/></joint></robot>";
  };
  // fixed to its parent
  ImportedRobot robot = catalog::read_urdf(chain("fixed", "continuous", kInertial), "r");
  REQUIRE(robot.scenario.bodies.size() == 2);
  CHECK(robot.scenario.joints[1].bodies == std::array<std::string, 2>{"a", "c"});
  CHECK(robot.scenario.joints[1].point == NumberVector{1.0, 2.0, 0.0});
  CHECK(has_note(robot.notes, "links without mass are part of what they are fixed to: 'b' of 'a'"));
  // what it looks like goes along, to where it is on the body
  const std::string seen =
      "<robot name='s'><link name='a'>" + kInertial +
      "</link><link name='b'><visual><origin xyz='0.5 0 0'/><geometry><sphere radius='1'/></geometry></visual></link>"
      "<joint name='j' type='fixed'><origin xyz='1 0 0' rpy='0 0 1.5707963267948966'/><parent link='a'/><child "
      "link='b'/></joint></robot>";
  const Scenario with_sphere = catalog::read_urdf(seen, "r").scenario;
  REQUIRE(with_sphere.bodies[0].outline.size() == 1);
  CHECK(with_sphere.bodies[0].outline[0].position[0].value == doctest::Approx(1).epsilon(1e-15));
  CHECK(with_sphere.bodies[0].outline[0].position[1].value == doctest::Approx(0.5).epsilon(1e-15));
  // its child fixed to it
  robot = catalog::read_urdf(chain("continuous", "fixed", kInertial), "r");
  REQUIRE(robot.scenario.bodies.size() == 2);
  CHECK(robot.scenario.joints[1].bodies == std::array<std::string, 2>{"a", "c"});
  CHECK(robot.scenario.joints[1].point == NumberVector{1.0, 0.0, 0.0});
  CHECK(robot.scenario.bodies[1].position == NumberVector{1.0, 2.0, 0.0});
  CHECK_NOTHROW(catalog::understand_mechanism(robot.scenario));
  // nothing behind it
  robot = catalog::read_urdf(chain("continuous", "continuous"), "r");
  CHECK(robot.scenario.bodies.size() == 1);
  CHECK(robot.scenario.joints.size() == 1);
  CHECK(has_note(robot.notes, "joint 'j1' moves nothing that has mass"));
  // something behind it
  CHECK(
      message_of(chain("continuous", "continuous", kInertial)).find("link 'b' has no mass, and joint 'j1' moves it") !=
      std::string::npos);
}

TEST_CASE("urdf: names that scenarios do not allow are changed, and told") {
  const std::string text =
      "<robot name='n'><link name='1 base'>" + kInertial + "</link><link name='arm'>" + kInertial +
      "</link><link name='ground'>" + kInertial + "</link><link name='arm-2'>" + kInertial +
      "</link><joint name='arm' type='continuous'><parent link='1 base'/><child link='arm'/></joint>"
      "<joint name='j' type='continuous'><parent link='arm'/><child link='ground'/></joint>"
      "<joint name='arm_2' type='continuous'><parent link='arm'/><child link='arm-2'/></joint></robot>";
  const ImportedRobot robot = catalog::read_urdf(text, "r");
  CHECK(robot.scenario.bodies[0].name == "link_1_base");
  CHECK(robot.scenario.bodies[2].name == "ground_2");
  CHECK(robot.scenario.joints[1].name == "arm_joint");
  CHECK(robot.scenario.joints[3].name == "arm_2_joint");
  CHECK(has_note(robot.notes, "link '1 base' is body 'link_1_base'"));
  CHECK(has_note(robot.notes, "joint 'arm' is called 'arm_joint'"));
  CHECK_NOTHROW(catalog::understand_mechanism(robot.scenario));
}

TEST_CASE("urdf: an inertia that no body has is refused with what is missing, or let through and told") {
  std::string text = robot_text(joint_text("continuous"));
  text.replace(text.find("izz='0.1'"), 9, "izz='0.5'");
  const std::string message = message_of(text);
  CHECK(message.find("robot.urdf:2: link 'a': no rigid body has these moments: J1 + J2 = 0.2 < J3 = 0.5 kg m², 0.3 "
                     "missing") != std::string::npos);
  CHECK(message.find("--allow-impossible-inertia") != std::string::npos);
  const ImportedRobot robot = catalog::read_urdf(text, "r", UrdfReading{.allow_impossible_inertia = true});
  CHECK(robot.scenario.bodies[0].inertia.allow_impossible_inertia);
  CHECK_FALSE(robot.scenario.bodies[1].inertia.allow_impossible_inertia);
  CHECK(has_note(robot.notes, "keeps an inertia that no body has: 0.3 kg m² are missing"));
  CHECK_NOTHROW(catalog::understand_mechanism(robot.scenario));
  // a negative moment is let through by nothing
  text.replace(text.find("izz='0.5'"), 9, "izz='-.5'");
  CHECK(message_of(text, UrdfReading{.allow_impossible_inertia = true}).find("not positive definite") !=
        std::string::npos);
}

TEST_CASE("urdf: what is wrong with a file is told with its line and a cure") {
  const std::string ok = robot_text(joint_text("continuous"));
  REQUIRE(message_of(ok).empty());
  const auto told = [&](const std::string& text, const std::string& part) {
    const std::string message = message_of(text);
    CAPTURE(message);
    CAPTURE(part);
    CHECK(message.find(part) != std::string::npos);
  };
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = ok;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  told("", "robot.urdf");
  told("hello", "no XML");
  told("<robot><link name='a'></robot>", "robot.urdf:1: no XML: an element ends that is not the one that is open");
  told("<robot><link name='a' name='b'/></robot>", "an attribute without quotes, or given twice");
  told(std::string("<robot>\n\0</robot>", 18), "robot.urdf:2: a byte that is zero");
  told("<sdf version='1.6'/>", "<sdf>: this is no URDF but sdf; wanted: <robot>");
  told("<html/>", "<html>: this is no URDF");
  told("<robot xmlns:xacro='x'>\n<xacro:property name='a' value='1'/></robot>",
       "robot.urdf:2: <xacro:property>: this is a xacro file");
  told("<robot><link name='a'><visual><xacro:x/></visual></link></robot>", "this is a xacro file");
  told(with("value='1'", "value='${m}'"), "'${m}' is an expression of xacro");
  told("<!DOCTYPE robot [<!ENTITY a 'b'>]>\n<robot/>", "robot.urdf:1: a declaration '<!'");
  told("<robot name='r'/>", "the robot has no link");
  told(with("value='1'", "value='nan'"), "robot.urdf:2: value: 'nan' is not a number");
  told(with("value='1'", "value='1e999'"), "is beyond the range of numbers");
  told(with("value='1'", "value='1,5'"), "'1,5' is not a number");
  told(with("value='1'", "value=''"), "has 0 numbers; wanted: one");
  told(with("<mass value='1'/>", ""), "<inertial> of link 'a' without <mass>");
  told(with("value='1'", "value='-1'"), "link 'a': mass -1 kg is not positive");
  told(with("value='1'", "value='0'"), "link 'a': mass 0 kg is not positive");
  told(robot_text(joint_text("continuous", "<origin xyz='1 2'/>")), "has 2 numbers; wanted: three");
  told(robot_text(joint_text("continuous", "<origin xyz='1e300 0 0'/>")), "check the units");
  told(robot_text(joint_text("continuous", "<axis xyz='0 0 0'/>")), "the axis of joint 'ab_joint' is zero");
  told(robot_text(joint_text("hinge")), "joint 'ab_joint': unknown type of joint 'hinge'");
  told(robot_text(joint_text("revolut")), "did you mean 'revolute'?");
  told(robot_text(joint_text("revolute", "<limit lower='1' upper='-1' effort='1' velocity='1'/>")),
       "the lower limit of joint 'ab_joint' is above the upper one: 1 > -1");
  told(robot_text(joint_text("continuous", "<dynamics damping='-1'/>")), "damping of joint 'ab_joint' is -1");
  told(with("child link='b'", "child link='x'"), "the child of joint 'ab_joint' is 'x', and there is no such link");
  told(with("child link='b'", "child link='a'"), "joins link 'a' with itself");
  told(with("<child link='b'/>", ""), "joint 'ab_joint' without child");
  told(robot_text(joint_text("continuous"), "aab"), "robot.urdf:3: two links are called 'a'; the other is in line 2");
  told(robot_text(joint_text("continuous") + joint_text("continuous")), "two joints are called 'ab_joint'");
  told(robot_text("", "ab"), "2 links have no joint above them: 'a', 'b'");
  told(robot_text(joint_text("continuous") + joint_text("continuous", "", 'b', 'c') + joint_text("fixed", "", 'a', 'c'),
                  "abc"),
       "link 'c' is the child of two joints, 'bc_joint' and 'ac_joint': the robot is no tree");
  told(robot_text(joint_text("continuous") + joint_text("continuous", "", 'b', 'a')), "the joints go in a circle");
  told(robot_text(joint_text("continuous", "", 'b', 'c') + joint_text("continuous", "", 'c', 'b'), "abc"),
       "go in a circle and never come to the root 'a'");
  told("<robot name='r'><link name='a'/></robot>", "no link has mass: there is nothing that moves");
  // all mistakes at once
  const std::string both = message_of(robot_text(joint_text("hinge", "<axis xyz='0 0'/>")));
  CHECK(both.find("hinge") != std::string::npos);
  CHECK(both.find("has 2 numbers") != std::string::npos);
}

TEST_CASE("urdf: what is made to cost much ends soon") {
  const auto repeated = [](const std::string& text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) { all += text; }
    return all;
  };
  CHECK(message_of("<robot>" + repeated("<a>", 1000000)).find("deep in each other") != std::string::npos);
  CHECK(message_of("<robot>" + repeated("<a>", 200000) + repeated("</a>", 200000) + "</robot>").find("deep") !=
        std::string::npos);
  std::string attributes = "<robot";
  for (int i = 0; i < 300000; ++i) { attributes += fmt::format(" a{}=''", i); }
  CHECK(message_of(attributes + "/>").find("a tag of more than 16384 bytes") != std::string::npos);
  CHECK(message_of("<robot>" + repeated("<link/>", 1000000) + "</robot>").find("larger than 4 MiB") !=
        std::string::npos);
  CHECK(message_of("<robot>" + repeated("<link/>", 500000) + "</robot>").find("a link without name") !=
        std::string::npos);
  CHECK(message_of("<robot>" + repeated("<!--", 10) + "</robot>").find("no XML") != std::string::npos);
  // no nearest name is looked for among long names
  std::string unknown = "<robot>";
  for (int i = 0; i < 250; ++i) {
    const std::string name = std::string(3000, 'n') + std::to_string(i);
    unknown += fmt::format(
        "<link name='{0}'/><joint name='j{0}' type='fixed'><parent link='p{0}'/><child link='c{0}'/></joint>", name);
  }
  CHECK(message_of(unknown + "</robot>").find("there is no such link") != std::string::npos);
  // many elements of many kinds are counted, not listed
  std::string kinds = "<robot name='k'><link name='a'>" + kInertial + "</link>";
  for (int i = 0; i < 20000; ++i) { kinds += fmt::format("<k{0}/>", i); }
  const ImportedRobot robot = catalog::read_urdf(kinds + "</robot>", "r");
  CHECK(robot.notes.size() < 120);
  CHECK(has_note(robot.notes, "19900 elements of other kinds"));
  // and many links with one name after all
  std::string links = "<robot name='l'><link name='a'>" + kInertial + "</link>";
  for (int i = 0; i < 3000; ++i) {
    links += fmt::format(
        "<link name='{0}é'>{1}</link><joint name='j{0}' type='continuous'><parent link='a'/><child "
        "link='{0}é'/></joint>",
        std::string(200, 'x') + std::to_string(i), kInertial);
  }
  CHECK(catalog::read_urdf(links + "</robot>", "r").scenario.bodies.size() == 3001);
}

TEST_CASE("urdf: visuals become outlines: boxes, cylinders, spheres, and meshes that can be read") {
  const Folder folder;
  const std::string obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";  // open: it is only looked at
  folder.write("bot/robot.urdf", "");
  folder.write("bot/meshes/a.obj", obj);
  folder.write("packages/arms/meshes/b.STL",
               "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex "
               "0 1 0\nendloop\nendfacet\nendsolid\n");
  folder.write("outside.obj", obj);
  folder.write("bot/broken.obj", "v 0 0\n");
  const auto robot_with = [&](const std::string& geometry) {
    return "<robot name='v'><link name='a'>" + kInertial + "<visual><origin xyz='1 2 3' rpy='0.1 0.2 0.3'/><geometry>" +
           geometry + "</geometry></visual></link></robot>";
  };
  const auto part_of = [&](const std::string& geometry, UrdfReading how = {}) {
    if (how.scenario_folder.empty()) { how.scenario_folder = folder.at("bot"); }
    const Scenario scenario = catalog::read_urdf(robot_with(geometry), folder.at("bot/robot.urdf"), how).scenario;
    return scenario.bodies[0].outline.empty() ? scenario::Part{} : scenario.bodies[0].outline[0];
  };
  const scenario::Part box = part_of("<box size='0.1 0.2 0.3'/>");
  CHECK(box.shape.edges == NumberVector{0.1, 0.2, 0.3});
  CHECK(box.position == NumberVector{1, 2, 3});
  REQUIRE(box.attitude.euler);
  CHECK(box.attitude.euler->angles == NumberVector{0.3, 0.2, 0.1});
  CHECK(part_of("<sphere radius='0.1'/>").shape.radius == Number(0.1));
  CHECK(part_of("<cylinder radius='0.1' length='2'/>").shape.length == Number(2));
  const scenario::Part mesh = part_of("<mesh filename='meshes/a.obj' scale='0.001 0.001 0.001'/>");
  CHECK(mesh.shape.file == "meshes/a.obj");
  CHECK(mesh.shape.scale == Number(0.001));
  CHECK(part_of("<mesh filename='meshes/a.dae'/>").shape.shape.empty());
  CHECK(part_of("<mesh filename='broken.obj'/>").shape.shape.empty());
  CHECK(part_of("<mesh filename='meshes/a.obj' scale='1 1 -1'/>").shape.shape.empty());
  CHECK(part_of("<mesh filename='meshes/none.obj'/>", {.meshes = false}).shape.shape.empty());
  // packages
  const std::string in_package = "<mesh filename='package://arms/meshes/b.STL'/>";
  const auto message_for = [&](const std::string& geometry, UrdfReading how = {}) -> std::string {
    how.scenario_folder = folder.at("bot");
    try {
      catalog::read_urdf(robot_with(geometry), folder.at("bot/robot.urdf"), how);
    } catch (const Error& error) { return error.what(); }
    return "";
  };
  CHECK(message_for(in_package)
            .find("'package://arms/meshes/b.STL' is not found: no folder of packages is given; give "
                  "the folder that holds 'arms' with --package-path") != std::string::npos);
  CHECK(message_for("<mesh filename='package://bot/x.obj'/>").find("(perhaps ") != std::string::npos);
  for (const char* path : {"packages", "packages/arms"}) {
    CHECK(part_of(in_package, {.packages = {folder.at(path)}, .scenario_folder = folder.at("")}).shape.file ==
          "packages/arms/meshes/b.STL");
  }
  // outside of the scenario's folder: left out, unless it is allowed
  CHECK(part_of(in_package, {.packages = {folder.at("packages")}}).shape.shape.empty());
  CHECK(part_of(in_package, {.packages = {folder.at("packages")}, .allow_outside = true}).shape.file ==
        "../packages/arms/meshes/b.STL");
  // outside of what may be read
  for (const char* name : {"../outside.obj", "package://arms/../../outside.obj"}) {
    const std::string geometry = fmt::format("<mesh filename='{}'/>", name);
    CHECK(message_for(geometry, {.packages = {folder.at("packages")}}).find("lies outside the folders of the robot") !=
          std::string::npos);
  }
  CHECK(message_for("<mesh filename='file://" + folder.at("outside.obj") + "'/>").find("lies outside") !=
        std::string::npos);
  CHECK(message_for("<mesh filename='meshes/none.obj'/>")
            .find("the mesh 'meshes/none.obj' is not there; put it there, or leave out all meshes with --no-meshes") !=
        std::string::npos);
  // the picture is that of the visuals, and the way back has them
  const Scenario scenario = catalog::read_urdf(robot_with("<mesh filename='meshes/a.obj'/>"),
                                               folder.at("bot/robot.urdf"), {.scenario_folder = folder.at("bot")})
                                .scenario;
  const catalog::MechanismScenario made = catalog::understand_mechanism(scenario, {}, folder.at("bot"));
  REQUIRE(made.outlines[0].size() == 1);
  CHECK(made.outlines[0][0].surface->triangles.size() == 1);
  const WrittenUrdf written =
      catalog::to_urdf(scenario, {.scenario_folder = folder.at("bot"), .urdf_folder = folder.at("")});
  CHECK(written.text.find("<mesh filename=\"bot/meshes/a.obj\"/>") != std::string::npos);
}

TEST_CASE("urdf: what a scenario has beyond URDF is refused, or left out and told") {
  Scenario scenario = catalog::read_urdf(robot_text(joint_text("continuous")), "r").scenario;
  scenario.joints[1].kind = "spherical";
  const auto message_for = [](const Scenario& one) -> std::string {
    try {
      catalog::to_urdf(one);
    } catch (const Error& error) { return error.what(); }
    return "";
  };
  CHECK(message_for(scenario).find("joint 'ab_joint' is of kind 'spherical', and URDF has none such") !=
        std::string::npos);
  scenario.joints[1].kind = "revolute";
  scenario::Joint closing = scenario.joints[1];
  closing.name = "closing";
  closing.bodies = {"ground", "b"};
  scenario.joints.push_back(closing);
  CHECK(message_for(scenario).find("closes a loop, and URDF describes trees") != std::string::npos);
  scenario.joints.pop_back();
  scenario.forces.push_back({.what = force::JointSpring{.on = {.joint = "ab_joint"}, .stiffness = 3}});
  scenario.joints[1].start = Named<Number>{{"turn", Number(1)}};
  const WrittenUrdf written = catalog::to_urdf(scenario);
  CHECK(has_note(written.notes, "1 force of kind joint_spring"));
  CHECK(has_note(written.notes, "the initial state"));
  CHECK(has_note(written.notes, "gravity, [run] and [output]"));
  CHECK(message_for(Scenario{}).find("one body alone") != std::string::npos);
}

TEST_CASE("urdf: a joint whose second body is nearer to the root is written with its axis turned round") {
  Scenario scenario =
      catalog::read_urdf(robot_text(joint_text("continuous", "<axis xyz='0 0 1'/><dynamics damping='1'/>")), "r")
          .scenario;
  std::swap(scenario.joints[1].bodies[0], scenario.joints[1].bodies[1]);
  const ImportedRobot again = catalog::read_urdf(catalog::to_urdf(scenario).text, "r");
  CHECK(again.scenario.joints[1].axis == NumberVector{0.0, 0.0, -1.0});
  const Motion motion{{"ab_joint", {0.7, 1.3}}};
  CHECK(difference(in_motion(scenario, motion), in_motion(again.scenario, motion)) < 1e-13);
}

TEST_CASE("urdf: the scenario begins with what it is from and what of it is not there, and reads back equal") {
  std::string text = robot_text(joint_text("continuous") + "<transmission name='t'/><gazebo/><gazebo/>");
  text.replace(text.find("'test'"), 6, "'a \"robot\" &#10; é'");
  const ImportedRobot robot = catalog::read_urdf(text, "r");
  const std::string toml = catalog::to_toml(robot, "robot.urdf");
  CHECK(toml.starts_with("# Robot 'a \"robot\" ? é', read from robot.urdf by polhode import.\n#\n# Left out:\n"));
  CHECK(toml.find("# - 1 <transmission> (line ") != std::string::npos);
  CHECK(toml.find("# - 2 <gazebo> (line ") != std::string::npos);
  const io::ScenarioFile file(toml, "robot.toml");
  CHECK(file.problems().empty());
  CHECK(file.scenario() == robot.scenario);
  std::string title;
  CHECK_FALSE(catalog::check_file(toml, "robot.toml", catalog::MeshLocations::below_scenario, {}, title).wrong());
}
