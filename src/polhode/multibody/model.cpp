#include "polhode/multibody/model.h"

#include "polhode/core/error.h"
#include "polhode/rotation/rotation_matrix.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>

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

bool is_finite(const Vec3<double>& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

Mat3<double> attitude(const EulerParameters<double>& e) { return rotation_matrix(e); }

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
int Model::joint(std::string_view name) const { return index_of(joints_, "joint", name); }

BodyView Model::view(std::span<const double> y, BodyId body) {
  const double* s = y.data() + 13 * static_cast<std::size_t>(body);
  return {{s[0], s[1], s[2]}, {s[3], {s[4], s[5], s[6]}}, {s[7], s[8], s[9]}, {s[10], s[11], s[12]}};
}

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
  return y;
}

Vec3<double> Model::point_N(std::span<const double> y, BodyId body, const Vec3<double>& r_BP_B) const {
  if (body == kGround) { return r_BP_B; }
  const BodyView b = view(y, body);
  return b.r_N + rotate(b.e_NB, r_BP_B - bodies_[static_cast<std::size_t>(body)].mass.center_B);
}

std::pair<End<double>, End<double>> Model::ends(std::span<const double> y, int joint) const {
  const JointDescription& j = joints_[static_cast<std::size_t>(joint)];
  const auto end = [&](BodyId body, const FrameOnBody& frame) -> End<double> {
    const Mat3<double> axes_B = attitude(frame.e_BF);
    if (body == kGround) { return {{}, {}, {}, frame.r_BF_B, axes_B}; }
    const BodyView b = view(y, body);
    const Mat3<double> R = attitude(b.e_NB);
    return {b.r_N, b.v_N, R * b.w_B, R * (frame.r_BF_B - bodies_[static_cast<std::size_t>(body)].mass.center_B),
            R * axes_B};
  };
  return {end(j.first, j.on_first), end(j.second, j.on_second)};
}

std::vector<CoordinateValue> Model::coordinates(std::span<const double> y, int joint) const {
  const auto [first, second] = ends(y, joint);
  std::vector<CoordinateValue> values;
  for (const Coordinate coordinate : joints_[static_cast<std::size_t>(joint)].kind->coordinates) {
    values.push_back(joint_coordinate(coordinate, first, second));
  }
  return values;
}

namespace {

/// A body with a point and one axis, the third of its frame.
End<double> end_with_axis(std::span<const double> y, BodyId body, const MassProperties& mass,
                          const Vec3<double>& point_B, const Vec3<double>& axis_B) {
  const BodyView b = Model::view(y, body);
  const Mat3<double> R = attitude(b.e_NB);
  return {b.r_N, b.v_N, R * b.w_B, R * (point_B - mass.center_B), from_columns({}, {}, R * axis_B)};
}

}  // namespace

End<double> Model::rolling_end(std::span<const double> y, const Rolling& rolling) const {
  return end_with_axis(y, rolling.body, bodies_[static_cast<std::size_t>(rolling.body)].mass, rolling.center_B,
                       rolling.axis_B);
}
End<double> Model::blade_end(std::span<const double> y, const Blade& blade) const {
  return end_with_axis(y, blade.body, bodies_[static_cast<std::size_t>(blade.body)].mass, blade.point_B,
                       blade.across_B);
}

BodyId ModelBuilder::body(std::string name, const MassProperties& mass, const BodyStart& start, Physical physical) {
  model_.bodies_.push_back({std::move(name), mass, start, physical});
  return static_cast<BodyId>(model_.bodies_.size()) - 1;
}

int ModelBuilder::joint(std::string_view kind, std::string name, BodyId first, const FrameOnBody& on_first,
                        BodyId second, const FrameOnBody& on_second, double parameter) {
  model_.joints_.push_back({std::move(name), &joint_kind(kind), first, second, on_first, on_second, parameter});
  return static_cast<int>(model_.joints_.size()) - 1;
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

Model ModelBuilder::build() const {
  Problems problems;
  const auto add = [&](std::string what, std::string cure) {
    problems.add(Problem{.what = std::move(what), .allowed = {}, .cure = std::move(cure)});
  };
  Model model = model_;
  const auto count = static_cast<BodyId>(model.bodies_.size());
  if (count == 0) { add("a mechanism without bodies", "add at least one body"); }
  std::set<std::string> names;
  for (const BodyDescription& body : model.bodies_) {
    if (!names.insert(body.name).second) { add(fmt::format("two bodies are called '{}'", body.name), "rename one"); }
    const double length = norm(body.start.e_NB);
    if (!(std::fabs(length - 1) < 1e-6)) {
      add(fmt::format("body '{}': the Euler parameters of its start have the norm {:.6g}", body.name, length),
          "give a unit quaternion, scalar first");
    }
    if (!is_finite(body.start.r_N) || !is_finite(body.start.v_N) || !is_finite(body.start.w_B)) {
      add(fmt::format("body '{}': its start is not finite", body.name), "give finite numbers");
    }
    require_physical(body.mass, body.physical, fmt::format("body '{}': ", body.name).c_str());
  }
  const auto exists = [&](BodyId body) { return body >= kGround && body < count; };
  std::set<std::string> joint_names;
  for (const JointDescription& joint : model.joints_) {
    const std::string who = fmt::format("joint '{}' ({})", joint.name, joint.kind->name);
    if (!joint_names.insert(joint.name).second) {
      add(fmt::format("two joints are called '{}'", joint.name), "rename one");
    }
    if (!exists(joint.first) || !exists(joint.second)) {
      add(fmt::format("{}: no body {}", who, exists(joint.first) ? joint.second : joint.first),
          fmt::format("bodies are numbered 0 to {}, ground is -1", count - 1));
      continue;
    }
    if (joint.first == joint.second) {
      add(fmt::format("{} joins {} with itself", who,
                      joint.first == kGround
                          ? std::string("ground")
                          : "body '" + model.bodies_[static_cast<std::size_t>(joint.first)].name + "'"),
          "give two different bodies");
    }
    for (const FrameOnBody* frame : {&joint.on_first, &joint.on_second}) {
      if (!(std::fabs(norm(frame->e_BF) - 1) < 1e-6) || !is_finite(frame->r_BF_B)) {
        add(fmt::format("{}: a frame is no frame (|e| = {:.6g})", who, norm(frame->e_BF)), "give a unit quaternion");
      }
    }
    if (joint.kind->parameter == "length" && !(joint.parameter > 0 && std::isfinite(joint.parameter))) {
      add(fmt::format("{}: length {} m", who, joint.parameter), "give a length greater than 0");
    }
    if (joint.kind->parameter == "pitch" && !std::isfinite(joint.parameter)) {
      add(fmt::format("{}: pitch {}", who, joint.parameter), "give a finite pitch, metre a radian");
    }
  }
  const auto offers = [&](int joint, Coordinate coordinate, const std::string& who) {
    if (joint < 0 || static_cast<std::size_t>(joint) >= model.joints_.size()) {
      add(fmt::format("{}: no joint {}", who, joint),
          fmt::format("joints are numbered 0 to {}", model.joints_.size() - 1));
      return;
    }
    const JointDescription& j = model.joints_[static_cast<std::size_t>(joint)];
    bool has = false;
    for (const Coordinate c : j.kind->coordinates) { has = has || (c == coordinate && has_row(c)); }
    if (!has) {
      add(fmt::format("{}: joint '{}' ({}) has no coordinate '{}' that can be acted on", who, j.name, j.kind->name,
                      to_text(coordinate)),
          "take a turn or a slide of a joint that has one");
    }
  };
  for (const JointSpring& spring : model.joint_springs_) {
    offers(spring.joint, spring.coordinate, "spring of a joint");
  }
  for (const Coupling& c : model.couplings_) {
    const std::string who = "coupling '" + c.name + "'";
    offers(c.first_joint, c.first_coordinate, who);
    offers(c.second_joint, c.second_coordinate, who);
    const bool two_angles = c.first_coordinate == Coordinate::turn && c.second_coordinate == Coordinate::turn;
    if (two_angles &&
        (std::nearbyint(c.first_factor) != c.first_factor || std::nearbyint(c.second_factor) != c.second_factor)) {
      add(fmt::format("{}: factors {} and {} of two angles", who, c.first_factor, c.second_factor),
          "give numbers of teeth, whole numbers");
    }
    if (c.first_factor == 0 || c.second_factor == 0) {
      add(who + ": a factor is 0", "give two factors that are not 0");
    }
  }
  std::map<std::pair<int, Coordinate>, std::string> driven;
  for (const Driver& driver : model.drivers_) {
    const std::string who = "driver '" + driver.name + "'";
    offers(driver.joint, driver.coordinate, who);
    if (!driver.law) { add(who + " has no law", "give value, rate and acceleration as a function of time"); }
    const auto [first, is_new] = driven.emplace(std::pair{driver.joint, driver.coordinate}, driver.name);
    if (!is_new) {
      add(fmt::format("drivers '{}' and '{}' drive the same coordinate", first->second, driver.name), "remove one");
    }
  }
  const auto body_exists = [&](BodyId body, const char* who) {
    if (!exists(body)) { add(fmt::format("{}: no body {}", who, body), "give the number of a body, or -1 for ground"); }
  };
  const auto is_unit = [](const Vec3<double>& v) { return std::fabs(norm(v) - 1) < 1e-9; };
  for (const Rolling& rolling : model.rollings_) {
    if (!exists(rolling.body) || rolling.body < 0) {
      add(fmt::format("rolling '{}': no body {}", rolling.name, rolling.body), "give the number of a body");
    }
    if (!is_unit(rolling.axis_B) || !is_unit(rolling.normal_N)) {
      add(fmt::format("rolling '{}': axis or normal is no unit vector", rolling.name), "give unit vectors");
    }
    if (!(rolling.radius >= 0 && rolling.edge_radius >= 0 && rolling.radius + rolling.edge_radius > 0)) {
      add(fmt::format("rolling '{}': radius {} m, edge radius {} m", rolling.name, rolling.radius, rolling.edge_radius),
          "give radii that are not negative, and not both 0");
    }
  }
  for (const Blade& blade : model.blades_) {
    if (!exists(blade.body) || blade.body < 0 || !is_unit(blade.across_B)) {
      add(fmt::format("blade '{}': no body {}, or no unit vector across", blade.name, blade.body),
          "give the number of a body and a unit vector");
    }
  }
  for (const Wrench& wrench : model.wrenches_) { body_exists(wrench.body, "wrench"); }
  for (const Spring& spring : model.springs_) {
    body_exists(spring.first, "spring");
    body_exists(spring.second, "spring");
  }
  std::move(problems).fail_if_any();

  double longest = 0;
  for (JointDescription& joint : model.joints_) {
    joint.on_first.e_BF = normalized(joint.on_first.e_BF);
    joint.on_second.e_BF = normalized(joint.on_second.e_BF);
    const auto reach = [&](BodyId body, const FrameOnBody& frame) {
      if (body == kGround) { return 0.0; }
      return norm(frame.r_BF_B - model.bodies_[static_cast<std::size_t>(body)].mass.center_B);
    };
    longest = std::max({longest, reach(joint.first, joint.on_first), reach(joint.second, joint.on_second)});
  }
  model.length_ = longest > 0 ? longest : 1;
  model.plan_ = make_plan(model);
  return model;
}

}  // namespace polhode
