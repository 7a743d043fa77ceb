#include "polhode/report/pictures.h"

#include "polhode/core/error.h"
#include "polhode/io/result_log.h"
#include "polhode/rotation/euler_sequence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace polhode::report {
namespace {

namespace fs = std::filesystem;

/// More moments than this show no more.
constexpr std::size_t kMostMoments = 2000;

/// Shapes, joints, springs, gravity and floor; no moment yet.
drawing::MechanismPicture picture_of(const catalog::MechanismScenario& scenario, const std::string& name) {
  drawing::MechanismPicture picture;
  picture.name = name;
  picture.title = scenario.title;
  picture.bodies = pictured_bodies(scenario);
  for (io::PicturedBody& body : picture.bodies) {
    if (!body.shaped) { body.outlines.clear(); }
  }
  picture.joints = pictured_joints(scenario);
  static_cast<io::PicturedScene&>(picture) = pictured_scene(scenario);
  return picture;
}

/// Whether two planes with unit normals are one, whichever side is meant, in a mechanism of a size.
bool is_same_plane(const io::PicturedPlane& a, const io::PicturedPlane& b, double size) {
  constexpr double kRounding = 1e-9;
  return norm(cross(a.normal, b.normal)) < kRounding &&
         std::fabs(dot(a.normal, b.point - a.point)) <= kRounding * (size + norm(b.point - a.point));
}

}  // namespace

std::string angles_to_draw(const catalog::OneBodyScenario& scenario) {
  if (!scenario.sequence.empty()) { return scenario.sequence; }
  for (const EulerSequence& sequence : all_sequences()) {
    if (scenario.plan.formulation.find(":" + sequence.name()) != std::string::npos) { return sequence.name(); }
  }
  return {};
}

io::PicturedBody pictured_body(const catalog::OneBodyScenario& scenario) {
  return {.name = "body",
          .mass = scenario.mass_properties.mass,
          .reference_B = scenario.reference_B,
          .held = scenario.held,
          .J_B = scenario.plan.body.J_B,
          .outlines = scenario.outlines};
}

std::vector<io::PicturedBody> pictured_bodies(const catalog::MechanismScenario& scenario) {
  std::vector<io::PicturedBody> bodies;
  const Model& model = *scenario.plan.model;
  for (std::size_t b = 0; b < model.body_count(); ++b) {
    const MassProperties& mass = model.bodies()[b].mass;
    const bool jointed = std::any_of(model.joints().begin(), model.joints().end(), [&](const JointDescription& joint) {
      return joint.first == static_cast<BodyId>(b) || joint.second == static_cast<BodyId>(b);
    });
    bodies.push_back({.name = model.bodies()[b].name,
                      .mass = mass.mass,
                      .reference_B = mass.center_B,
                      .held = false,
                      .J_B = mass.J_B,
                      .outlines = scenario.outlines[b],
                      .shaped = scenario.has_shape[b] || !jointed});
  }
  return bodies;
}

std::vector<io::PicturedJoint> pictured_joints(const catalog::MechanismScenario& scenario) {
  std::vector<io::PicturedJoint> joints;
  for (const JointDescription& joint : scenario.plan.model->joints()) {
    joints.push_back({.name = joint.name,
                      .kind = std::string(joint.kind->name),
                      .first = joint.first,
                      .second = joint.second,
                      .r_first = joint.on_first.r_BF_B,
                      .e_first = joint.on_first.e_BF,
                      .r_second = joint.on_second.r_BF_B,
                      .e_second = joint.on_second.e_BF});
  }
  return joints;
}

io::PicturedScene pictured_scene(const catalog::MechanismScenario& scenario) {
  const Model& model = *scenario.plan.model;
  io::PicturedScene scene;
  for (const Spring& spring : model.springs()) {
    scene.springs.push_back({"spring", spring.first, spring.on_first_B, spring.second, spring.on_second_B});
  }
  for (const Bushing& bushing : model.bushings()) {
    scene.springs.push_back(
        {"bushing", bushing.first, bushing.on_first.r_BF_B, bushing.second, bushing.on_second.r_BF_B});
  }
  if (norm(model.gravity_N()) > 0) { scene.up_N = -model.gravity_N(); }
  std::vector<PlaneInSpace> planes;
  model.each([&](const auto& one, const ConstraintId&) {
    for (const PlaneInSpace& plane : constraint::planes(one)) { planes.push_back(plane); }
  });
  for (const PlaneInSpace& one : planes) {
    const io::PicturedPlane plane{one.point_N, one.normal_N};
    if (!scene.floor) {
      scene.up_N = scene.up_N.value_or(plane.normal);
      scene.floor = plane;
      continue;
    }
    const auto same = [&](const io::PicturedPlane& other) { return is_same_plane(other, plane, model.length()); };
    if (!same(*scene.floor) && std::none_of(scene.other_floors.begin(), scene.other_floors.end(), same)) {
      scene.other_floors.push_back(plane);
    }
  }
  return scene;
}

drawing::MechanismPicture start_picture(const catalog::MechanismScenario& scenario, const std::string& name) {
  drawing::MechanismPicture picture = picture_of(scenario, name);
  std::vector<drawing::Stance>& moment = picture.moments.emplace_back();
  for (std::size_t b = 0; b < picture.bodies.size(); ++b) {
    const BodyView body = Model::view(scenario.plan.start, static_cast<BodyId>(b));
    moment.push_back({body.r_N, body.e_NB});
  }
  return picture;
}

drawing::MechanismPicture run_picture(const std::string& log_path, const std::string& name,
                                      catalog::MeshLocations meshes) {
  io::LogReader log(log_path);
  const io::ResultHead head = io::head_from_json(log.header_json(), log_path);
  if (!head.is_mechanism()) {
    fail(Error(Problem{.what = fmt::format("'{}' is a run of one body", log_path),
                       .allowed = "wanted: a run of a mechanism",
                       .cure = "polhode run writes a report of one body"}));
  }
  drawing::MechanismPicture picture =
      picture_of(catalog::read_mechanism(head.scenario_text, fs::path(head.scenario_file).filename().string(), meshes,
                                         head.parameters),
                 name);
  struct Columns {
    std::size_t e = 0;
    std::size_t r = 0;
  };
  std::vector<Columns> columns;
  columns.reserve(picture.bodies.size());
  for (const io::PicturedBody& body : picture.bodies) {
    columns.push_back({head.column(body.name + ".e0"), head.column(body.name + ".rx_space_m")});
  }
  std::size_t every = 1;  // twice as far apart whenever there are too many
  std::size_t rows = 0;
  const auto take = [&](std::span<const double> row) {
    if (rows++ % every != 0) { return; }
    std::vector<drawing::Stance>& moment = picture.moments.emplace_back();
    for (const auto& [e, r] : columns) {
      moment.push_back({{row[r], row[r + 1], row[r + 2]}, {row[e], {row[e + 1], row[e + 2], row[e + 3]}}});
    }
    if (picture.moments.size() < 2 * kMostMoments) { return; }
    for (std::size_t i = 0; i < kMostMoments; ++i) { picture.moments[i] = std::move(picture.moments[2 * i]); }
    picture.moments.resize(kMostMoments);
    every *= 2;
  };
  while (const std::optional<io::LogReader::Frame> frame = log.next()) {
    if (frame->kind == io::FrameKind::rows) { io::each_row(frame->content, head.columns.size(), take); }
  }
  return picture;
}

}  // namespace polhode::report
