#include "polhode/multibody/model.h"

#include "polhode/core/error.h"
#include "polhode/core/index.h"
#include "polhode/rotation/rotation_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace polhode {
namespace {

template <class Things>
int index_of(const Things& things, std::string_view what, std::string_view name) {
  std::vector<std::string_view> known;
  for (std::size_t i = 0; i < things.size(); ++i) {
    if (things[i].name == name) { return static_cast<int>(i); }
    known.push_back(things[i].name);
  }
  fail(Error(unknown_name(what, name, known)));
}

}  // namespace

EulerParameters<double> frame_with_axis(const Vec3<double>& z_N, const Vec3<double>& x_N) {
  const Vec3<double> z = z_N / norm(z_N);
  Vec3<double> x = x_N;
  if (norm(x) == 0) {
    const bool x_is_least = std::fabs(z.x) <= std::fabs(z.y) && std::fabs(z.x) <= std::fabs(z.z);
    x = axis_vector<double>(x_is_least ? 0 : std::fabs(z.y) <= std::fabs(z.z) ? 1 : 2);
  }
  x = x - dot(x, z) * z;
  x = x / norm(x);
  return from_matrix(from_columns(x, cross(z, x), z));
}

BodyId Model::body(std::string_view name) const { return index_of(bodies_, "body", name); }
int Model::joint(std::string_view name) const { return index_of(joints(), "joint", name); }

void Model::set(std::span<double> y, BodyId body, const BodyView& view) {
  double* s = y.data() + 13 * static_cast<std::size_t>(body);
  const double values[13] = {view.r_N.x,     view.r_N.y,     view.r_N.z, view.e_NB.e0, view.e_NB.ev.x,
                             view.e_NB.ev.y, view.e_NB.ev.z, view.v_N.x, view.v_N.y,   view.v_N.z,
                             view.w_B.x,     view.w_B.y,     view.w_B.z};
  for (std::size_t i = 0; i < 13; ++i) { s[i] = values[i]; }
}

std::vector<double> Model::start() const {
  std::vector<double> y(state_size());
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const BodyStart& start = bodies_[i].start;
    const EulerParameters<double> e = normalized(start.e_NB);
    const Vec3<double> center_N = rotate(e, bodies_[i].mass.center_B);
    const Vec3<double> w_N = rotate(e, start.w_B);
    set(y, static_cast<BodyId>(i), {start.r_N + center_N, e, start.v_N + cross(w_N, center_N), start.w_B});
  }
  for (std::size_t w = 0; w < wheels_.size(); ++w) { set_wheel_speed(y, w, wheels_[w].speed_at_start); }
  return y;
}

void Model::set_wheel_speed(std::span<double> y, std::size_t wheel, double speed) const {
  const ReactionWheel& own = wheels_[wheel];
  y[bodies_size() + wheel] = speed + dot(own.axis_B, view(y, own.body).w_B);
}

Vec3<double> Model::point_N(std::span<const double> y, BodyId body, const Vec3<double>& r_BP_B) const {
  if (body == kGround) { return r_BP_B; }
  const BodyView b = view(y, body);
  return b.r_N + rotate(b.e_NB, r_BP_B - bodies_[static_cast<std::size_t>(body)].mass.center_B);
}

void Model::count_turns(std::span<const double> y, std::span<double> turns) const {
  for (std::size_t i = 0; i < counted_.size(); ++i) {
    const auto [first, second] = ends(y, counted_[i].joint);
    turns[i] = nearest_turn(coordinate_value(counted_[i].coordinate, first, second), turns[i]);
  }
}

std::vector<CoordinateValue> Model::coordinates(std::span<const double> y, int joint) const {
  const auto [first, second] = ends(y, joint);
  std::vector<CoordinateValue> values;
  for (const Coordinate coordinate : joints()[static_cast<std::size_t>(joint)].kind->coordinates) {
    values.push_back(joint_coordinate(coordinate, first, second));
  }
  return values;
}

End<double> Model::end(std::span<const double> y, const ConstraintEnd& frame) const {
  if (frame.body == kGround) { return {{}, {}, {}, frame.lever_B, frame.axes_B}; }
  const BodyView b = view(y, frame.body);
  const Mat3<double> R = rotation_matrix(b.e_NB);
  return {b.r_N, b.v_N, R * b.w_B, R * frame.lever_B, R * frame.axes_B};
}

void Model::rows(const ModelConstraint& constraint, double t, std::span<const double> y,
                 ConstraintRow<double>* rows) const {
  this->rows(constraint.id, t, [&](std::size_t s) { return end(y, constraint.ends[s]); }, rows);
}

std::string Model::in_words(const ConstraintId& id) const {
  return with(id, [&](const auto& one) {
    std::string text = fmt::format("{} '{}'", std::remove_cvref_t<decltype(one)>::kWord, one.name);
    if constexpr (requires { one.joint; }) { text += fmt::format(" of joint '{}'", joints()[at(one.joint)].name); }
    return text;
  });
}

BodyId ModelBuilder::body(std::string name, const MassProperties& mass, const BodyStart& start, Physical physical) {
  model_.bodies_.push_back({std::move(name), mass, start, physical});
  return static_cast<BodyId>(model_.bodies_.size()) - 1;
}

void ModelBuilder::weigh(BodyId body, double mass_factor, double inertia_factor) {
  MassProperties& mass = model_.bodies_[static_cast<std::size_t>(body)].mass;
  mass.mass *= mass_factor;
  mass.J_B = inertia_factor * mass.J_B;
}

int ModelBuilder::joint(std::string_view kind, std::string name, BodyId first, const FrameOnBody& on_first,
                        BodyId second, const FrameOnBody& on_second, double parameter) {
  joints().push_back({std::move(name), &joint_kind(kind), first, second, on_first, on_second, parameter});
  return static_cast<int>(joints().size()) - 1;
}

namespace {

/// A frame of space as a frame on a body where it starts.
FrameOnBody on_body(const std::vector<BodyDescription>& bodies, BodyId body, const Vec3<double>& point_N,
                    const EulerParameters<double>& e_NF) {
  if (body < 0 || static_cast<std::size_t>(body) >= bodies.size()) { return {point_N, e_NF}; }
  const BodyStart& start = bodies[static_cast<std::size_t>(body)].start;
  const EulerParameters<double> e = normalized(start.e_NB);
  return {rotate_back(e, point_N - start.r_N), conjugate(e) * e_NF};
}

}  // namespace

int ModelBuilder::joint_at(std::string_view kind, std::string name, BodyId first, BodyId second,
                           const Vec3<double>& point_N, const Vec3<double>& z_N, const Vec3<double>& x_N) {
  if (!(norm(z_N) > 0) || !is_finite(z_N) || norm(cross(x_N, z_N)) < 1e-9 * norm(x_N) * norm(z_N)) {
    fail(Error(
        Problem{.what = fmt::format("joint '{}': axis ({}, {}, {}) gives no direction", name, z_N.x, z_N.y, z_N.z),
                .allowed = "a vector that is not zero, and x not along it",
                .cure = {}}));
  }
  const EulerParameters<double> e_NF = frame_with_axis(z_N, x_N);
  const FrameOnBody on_first = on_body(model_.bodies_, first, point_N, e_NF);
  const FrameOnBody on_second = on_body(model_.bodies_, second, point_N, e_NF);
  return joint(kind, std::move(name), first, on_first, second, on_second);
}

int ModelBuilder::rod_at(std::string name, BodyId first, const Vec3<double>& point1_N, BodyId second,
                         const Vec3<double>& point2_N) {
  const EulerParameters<double> one = EulerParameters<double>::identity();
  return joint("distance", std::move(name), first, on_body(model_.bodies_, first, point1_N, one), second,
               on_body(model_.bodies_, second, point2_N, one), norm(point2_N - point1_N));
}

void Model::find_constraints() {
  constraints_.clear();
  first_of_kind_.fill(0);
  row_count_ = 0;
  each_constraint(lists_, [&](const auto& one, const ConstraintId& id) {
    if (id.index == 0) { first_of_kind_[id.kind] = constraints_.size(); }
    ModelConstraint found{id, static_cast<int>(row_count_), static_cast<int>(one.row_count()), {}};
    const auto add = [&](const Hold& hold) {
      const Vec3<double> center_B = hold.body == kGround ? Vec3<double>{} : bodies_[at(hold.body)].mass.center_B;
      found.ends.push_back({hold.body, hold.body == kGround ? hold.point_B : hold.point_B - center_B, hold.axes_B});
    };
    for (const Hold& hold : one.holds()) {
      if (hold.joint < 0) {
        add(hold);
        continue;
      }
      for (const Hold& frame : joints()[at(hold.joint)].holds()) { add(frame); }
    }
    row_count_ += one.row_count();
    constraints_.push_back(std::move(found));
  });
}

Model ModelBuilder::build() const {
  Model model = model_;
  for (std::size_t w = 0; w < model.wheels_.size(); ++w) {
    if (model.wheels_[w].name.empty()) { model.wheels_[w].name = fmt::format("wheel{}", w + 1); }
  }
  require_sound(model);
  double longest = 0;
  std::vector<JointDescription>& joints = std::get<std::vector<JointDescription>>(model.lists_);
  for (JointDescription& joint : joints) {
    joint.on_first.e_BF = normalized(joint.on_first.e_BF);
    joint.on_second.e_BF = normalized(joint.on_second.e_BF);
    const auto reach = [&](BodyId body, const FrameOnBody& frame) {
      if (body == kGround) { return 0.0; }
      return norm(frame.r_BF_B - model.bodies_[static_cast<std::size_t>(body)].mass.center_B);
    };
    longest = std::max({longest, reach(joint.first, joint.on_first), reach(joint.second, joint.on_second)});
  }
  model.length_ = longest > 0 ? longest : 1;
  for (Bushing& bushing : model.bushings_) {
    bushing.on_first.e_BF = normalized(bushing.on_first.e_BF);
    bushing.on_second.e_BF = normalized(bushing.on_second.e_BF);
  }
  // which turns are counted, joint by joint
  const auto count = [&](const auto& forces) {
    for (const auto& force : forces) {
      if (!force.wrap && force.stiffness != 0) { model.counted_.push_back({force.joint, force.coordinate}); }
    }
  };
  count(model.joint_springs_);
  count(model.joint_limits_);
  std::erase_if(model.counted_, [](const CountedAngle& angle) { return !counts_turns(angle.coordinate); });
  std::sort(model.counted_.begin(), model.counted_.end());
  model.counted_.erase(std::unique(model.counted_.begin(), model.counted_.end()), model.counted_.end());
  for (std::size_t j = 0; j <= joints.size(); ++j) {
    const auto before = [](const CountedAngle& angle, std::size_t joint) { return at(angle.joint) < joint; };
    const auto first = std::lower_bound(model.counted_.begin(), model.counted_.end(), j, before);
    model.first_counted_.push_back(static_cast<std::size_t>(first - model.counted_.begin()));
  }
  model.has_forces_ = !model.wrenches_.empty() || !model.springs_.empty() || !model.joint_springs_.empty() ||
                      !model.joint_limits_.empty() || !model.joint_frictions_.empty() || !model.bushings_.empty() ||
                      !model.drags_.empty() || !model.central_gravities_.empty() || !model.force_laws_.empty() ||
                      !model.joint_laws_.empty() || !model.wrench_laws_.empty() || !model.wheels_.empty();
  for (const BodyDescription& body : model.bodies_) { model.carrier_J_B_.push_back(body.mass.J_B); }
  for (const ReactionWheel& wheel : model.wheels_) {
    Mat3<double>& left_B = model.carrier_J_B_[at(wheel.body)];
    left_B = carrier_inertia(left_B, std::span(&wheel, 1));
  }
  model.find_constraints();
  model.elimination_ = elimination_order(model);
  return model;
}

}  // namespace polhode
