#include "polhode/analysis/freedoms.h"
#include "polhode/analysis/solve.h"
#include "polhode/core/error.h"
#include "polhode/core/index.h"

#include <fmt/format.h>

#include <cmath>

namespace polhode::analysis {
namespace {

NumberVector numbers_of(const Vec3<double>& v) { return {v.x, v.y, v.z}; }

/// An attitude by Euler parameters; none for the identity.
scenario::Attitude attitude_by(const EulerParameters<double>& e) {
  scenario::Attitude attitude;
  if (e.ev.x == 0 && e.ev.y == 0 && e.ev.z == 0) { return attitude; }
  attitude.quaternion_wxyz = std::array<Number, 4>{e.e0, e.ev.x, e.ev.y, e.ev.z};
  return attitude;
}

}  // namespace

Scenario drawn_at(const Scenario& scenario, const Model& model, std::span<const double> y,
                  std::span<const double> turns) {
  Scenario result = scenario;
  const auto refuse_copies = [](const auto& list, std::string_view table) {
    for (const auto& one : list) {
      if (one.copies.copies) {
        fail(Error(
            Problem{.what = fmt::format("[[{}]] '{}' has copies, which start at their own places", table, one.name),
                    .allowed = "--write wants every body, joint and coupling in a table of its own",
                    .cure = "write them out, or leave --write away"}));
      }
    }
  };
  refuse_copies(result.bodies, "bodies");
  refuse_copies(result.joints, "joints");
  refuse_copies(result.couplings, "couplings");
  for (scenario::Body& body : result.bodies) {
    const BodyId id = model.body(body.name);
    const BodyView now = Model::view(y, id);
    body.position = numbers_of(model.point_N(y, id, {}));
    body.attitude = attitude_by(normalized(now.e_NB));
    body.velocity.reset();
    body.rate = {};
    body.start.reset();
  }
  for (scenario::Joint& joint : result.joints) {
    const int index = model.joint(joint.name);
    const JointDescription& made = model.joints()[at(index)];
    const auto frame = [](const FrameOnBody& on) {
      scenario::JointFrame result_frame;
      result_frame.point = numbers_of(on.r_BF_B);
      result_frame.attitude = attitude_by(on.e_BF);
      return result_frame;
    };
    joint.on_first = frame(made.on_first);
    joint.on_second = frame(made.on_second);
    joint.point.reset();
    joint.axis.reset();
    joint.x_axis.reset();
    joint.second_point.reset();
    if (made.kind->parameter == "length") { joint.length = made.parameter; }
    joint.start.reset();
    // whole turns are no part of a drawing
    for (const CountedAngle& angle : model.counted()) {
      if (angle.joint != index || turns.empty()) { continue; }
      const double value = coordinate_at(model, y, turns, index, angle.coordinate);
      bool driven = false;
      for (const polhode::Driver& driver : model.all<polhode::Driver>()) {
        driven = driven || (driver.joint == index && driver.coordinate == angle.coordinate);
      }
      if (std::fabs(value) > math::kPi<double> && !driven) {
        if (!joint.start) { joint.start.emplace(); }
        (*joint.start)[to_text(angle.coordinate)] = value;
      }
    }
  }
  for (std::size_t c = 0; c < result.couplings.size(); ++c) {
    if (!result.couplings[c].constant) { result.couplings[c].constant = model.all<Coupling>()[c].constant; }
  }
  return result;
}

}  // namespace polhode::analysis
