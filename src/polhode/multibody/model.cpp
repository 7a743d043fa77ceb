#include "polhode/multibody/model.h"

#include "polhode/core/error.h"
#include "polhode/rotation/rotation_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
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
bool all_finite(std::initializer_list<double> numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}

using Matrix6 = Matrix<double, 6, 6>;
bool is_finite(const Matrix6& A) {
  return std::all_of(&A(0, 0), &A(0, 0) + 36, [](double x) { return std::isfinite(x); });
}
double largest_entry(const Matrix6& A) {
  double most = 0;
  for (std::size_t i = 0; i < 36; ++i) { most = std::max(most, std::fabs(A(i / 6, i % 6))); }
  return most;
}
bool is_symmetric(const Matrix6& A) {
  const double enough = kSymmetryTolerance * largest_entry(A);
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!(std::fabs(A(i, j) - A(j, i)) <= enough)) { return false; }
    }
  }
  return true;
}
/// Whether xᵀ A x can be negative, by elimination with the largest diagonal entry first.
bool may_be_negative(const Matrix6& given) {
  Matrix6 A;
  for (std::size_t i = 0; i < 36; ++i) { A(i / 6, i % 6) = 0.5 * (given(i / 6, i % 6) + given(i % 6, i / 6)); }
  const double rounding = 1e-12 * largest_entry(A);
  bool done[6] = {};
  for (int step = 0; step < 6; ++step) {
    std::size_t k = 6;
    for (std::size_t i = 0; i < 6; ++i) {
      if (done[i]) { continue; }
      if (A(i, i) < -rounding) { return true; }
      if (k == 6 || A(i, i) > A(k, k)) { k = i; }
    }
    done[k] = true;
    for (std::size_t i = 0; i < 6; ++i) {
      if (done[i]) { continue; }
      if (A(k, k) <= rounding) {
        if (std::fabs(A(i, k)) > rounding) { return true; }
        continue;
      }
      for (std::size_t j = 0; j < 6; ++j) {
        if (!done[j]) { A(i, j) -= A(i, k) * A(k, j) / A(k, k); }
      }
    }
  }
  return false;
}

/// The frame with the given z, and x as near as possible to the given one (any, if it is zero).
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

Mat3<double> attitude(const EulerParameters<double>& e) { return rotation_matrix(e); }

/// Names of the welds that already hold two bodies together, in order; empty: none do.
std::vector<std::string> welded_way(const std::vector<JointDescription>& joints, std::size_t before, BodyId from,
                                    BodyId to) {
  std::map<BodyId, std::size_t> came_by{{from, before}};
  std::deque<BodyId> queue{from};
  while (!queue.empty()) {
    const BodyId body = queue.front();
    queue.pop_front();
    for (std::size_t j = 0; j < before; ++j) {
      if (joints[j].kind->row_count() < 6 || (joints[j].first != body && joints[j].second != body)) { continue; }
      const BodyId other = joints[j].first == body ? joints[j].second : joints[j].first;
      if (came_by.emplace(other, j).second) { queue.push_back(other); }
    }
  }
  std::vector<std::string> names;
  if (from == to || came_by.find(to) == came_by.end()) { return names; }
  for (BodyId body = to; body != from;) {
    const JointDescription& weld = joints[came_by[body]];
    names.push_back(weld.name);
    body = weld.first == body ? weld.second : weld.first;
  }
  return names;
}

}  // namespace

double period_of(const Coupling& c) {
  const bool first = is_angle(c.first_coordinate);
  const bool second = is_angle(c.second_coordinate);
  if (first && second) { return 2 * math::kPi<double>; }
  return first || second ? 2 * math::kPi<double> * std::fabs(first ? c.first_factor : c.second_factor) : 0;
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

End<double> Model::end(std::span<const double> y, BodyId body, const FrameOnBody& frame) const {
  const Mat3<double> axes_B = attitude(frame.e_BF);
  if (body == kGround) { return {{}, {}, {}, frame.r_BF_B, axes_B}; }
  const BodyView b = view(y, body);
  const Mat3<double> R = attitude(b.e_NB);
  return {b.r_N, b.v_N, R * b.w_B, R * (frame.r_BF_B - bodies_[static_cast<std::size_t>(body)].mass.center_B),
          R * axes_B};
}

std::pair<End<double>, End<double>> Model::ends(std::span<const double> y, int joint) const {
  const JointDescription& j = joints_[static_cast<std::size_t>(joint)];
  return {end(y, j.first, j.on_first), end(y, j.second, j.on_second)};
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
  for (std::size_t j = 0; j < model.joints_.size(); ++j) {
    const JointDescription& joint = model.joints_[j];
    if (joint.kind->row_count() < 6) { continue; }
    const std::vector<std::string> way = welded_way(model.joints_, j, joint.first, joint.second);
    if (way.empty()) { continue; }
    std::string ring;
    for (const std::string& name : way) { ring += fmt::format("'{}', ", name); }
    add(fmt::format("welds {}'{}' form a ring", ring, joint.name), "remove one of them");
  }
  if (!is_finite(model.gravity_N_)) { add("gravity is not finite", "give finite numbers"); }
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
          "take a turn, a slide or an angle of a cross, of a joint that has one");
    }
  };
  const auto at_joint = [&](const char* what, int joint) {
    const bool known = joint >= 0 && static_cast<std::size_t>(joint) < model.joints_.size();
    return known ? fmt::format("{} at joint '{}'", what, model.joints_[static_cast<std::size_t>(joint)].name)
                 : std::string(what);
  };
  for (const JointSpring& spring : model.joint_springs_) {
    const std::string who = at_joint("spring", spring.joint);
    offers(spring.joint, spring.coordinate, who);
    if (!all_finite({spring.stiffness, spring.damping, spring.zero, spring.force})) {
      add(who + ": a number is not finite", "give finite numbers");
    }
  }
  for (const JointLimit& limit : model.joint_limits_) {
    const std::string who = at_joint("limit", limit.joint);
    offers(limit.joint, limit.coordinate, who);
    if (!(limit.lower < limit.upper)) {
      add(fmt::format("{}: from {} to {}", who, limit.lower, limit.upper), "give lower < upper");
    } else if (is_angle(limit.coordinate) && std::isfinite(limit.upper - limit.lower) &&
               limit.upper - limit.lower >= 2 * math::kPi<double>) {
      add(fmt::format("{}: from {} to {} rad is a whole turn or more", who, limit.lower, limit.upper),
          "an angle is known up to whole turns: leave less than one");
    }
    if (!(limit.stiffness > 0 && limit.damping >= 0 && limit.softness > 0 &&
          all_finite({limit.stiffness, limit.damping, limit.softness}))) {
      add(fmt::format("{}: stiffness {}, damping {}, softness {}", who, limit.stiffness, limit.damping, limit.softness),
          "give a stiffness and a softness greater than 0, and a damping that is not negative");
    }
  }
  for (const JointFriction& friction : model.joint_frictions_) {
    const std::string who = at_joint("friction", friction.joint);
    offers(friction.joint, friction.coordinate, who);
    if (!(friction.dry >= 0 && friction.viscous >= 0 && friction.velocity > 0 &&
          all_finite({friction.dry, friction.viscous, friction.velocity}))) {
      add(fmt::format("{}: dry {}, viscous {}, velocity {}", who, friction.dry, friction.viscous, friction.velocity),
          "give friction that is not negative, and a velocity greater than 0");
    }
  }
  for (const Coupling& c : model.couplings_) {
    const std::string who = "coupling '" + c.name + "'";
    offers(c.first_joint, c.first_coordinate, who);
    offers(c.second_joint, c.second_coordinate, who);
    const bool two_angles = is_angle(c.first_coordinate) && is_angle(c.second_coordinate);
    if (!all_finite({c.first_factor, c.second_factor, c.constant})) {
      add(fmt::format("{}: factors {} and {}, constant {}", who, c.first_factor, c.second_factor, c.constant),
          "give finite numbers");
    }
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
    if (!driver.law) {
      add(who + " has no law", "give value, rate and acceleration as a function of time");
    } else if (const auto [value, rate, acceleration] = driver.law(0); !all_finite({value, rate, acceleration})) {
      add(fmt::format("{}: its law gives {}, {}, {} at t = 0", who, value, rate, acceleration), "give finite numbers");
    }
    const auto [first, is_new] = driven.emplace(std::pair{driver.joint, driver.coordinate}, driver.name);
    if (!is_new) {
      add(fmt::format("drivers '{}' and '{}' drive the same coordinate", first->second, driver.name), "remove one");
    }
  }
  const auto conflict = [&](int joint1, Coordinate coordinate1, int joint2, Coordinate coordinate2,
                            const std::string& by) {
    const auto a = driven.find({joint1, coordinate1});
    const auto b = driven.find({joint2, coordinate2});
    if (a == driven.end() || b == driven.end()) { return; }
    add(fmt::format("drivers '{}' and '{}' drive two coordinates that {} ties together", a->second, b->second, by),
        "remove one");
  };
  for (std::size_t j = 0; j < model.joints_.size(); ++j) {
    if (model.joints_[j].kind->slides != Slides::screw) { continue; }
    const int joint = static_cast<int>(j);
    conflict(joint, Coordinate::turn, joint, Coordinate::slide_z, "screw '" + model.joints_[j].name + "'");
  }
  for (const Coupling& c : model.couplings_) {
    conflict(c.first_joint, c.first_coordinate, c.second_joint, c.second_coordinate, "coupling '" + c.name + "'");
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
    if (!is_finite(rolling.center_B) || !is_finite(rolling.point_N) ||
        !all_finite({rolling.radius, rolling.edge_radius})) {
      add(fmt::format("rolling '{}': a number is not finite", rolling.name), "give finite numbers");
    }
  }
  for (const Blade& blade : model.blades_) {
    if (!exists(blade.body) || blade.body < 0 || !is_unit(blade.across_B) || !is_finite(blade.point_B)) {
      add(fmt::format("blade '{}': no body {}, no finite point, or no unit vector across", blade.name, blade.body),
          "give the number of a body, a point and a unit vector");
    }
  }
  const auto two_bodies = [&](BodyId first, BodyId second, const char* who) {
    body_exists(first, who);
    body_exists(second, who);
    if (first == second && exists(first)) {
      add(fmt::format(
              "{} from {} to itself", who,
              first == kGround ? "ground" : "body '" + model.bodies_[static_cast<std::size_t>(first)].name + "'"),
          "give two different bodies");
    }
  };
  for (const Wrench& wrench : model.wrenches_) {
    body_exists(wrench.body, "wrench");
    if (!is_finite(wrench.r_BP_B) || !is_finite(wrench.force) || !is_finite(wrench.moment)) {
      add("wrench: a number is not finite", "give finite numbers");
    }
  }
  for (const Spring& spring : model.springs_) {
    two_bodies(spring.first, spring.second, "spring");
    if (!is_finite(spring.on_first_B) || !is_finite(spring.on_second_B) ||
        !all_finite({spring.stiffness, spring.damping, spring.free_length, spring.force})) {
      add("spring: a number is not finite", "give finite numbers");
    }
  }
  for (const Bushing& bushing : model.bushings_) {
    two_bodies(bushing.first, bushing.second, "bushing");
    for (const FrameOnBody* frame : {&bushing.on_first, &bushing.on_second}) {
      if (!(std::fabs(norm(frame->e_BF) - 1) < 1e-6) || !is_finite(frame->r_BF_B)) {
        add(fmt::format("bushing: a frame is no frame (|e| = {:.6g})", norm(frame->e_BF)), "give a unit quaternion");
      }
    }
    if (!is_finite(bushing.stiffness) || !is_finite(bushing.damping)) {
      add("bushing: a number is not finite", "give finite numbers");
    } else if (!is_symmetric(bushing.stiffness)) {
      add("bushing: the stiffness matrix is not symmetric", "give K(i, j) = K(j, i): only then it keeps energy");
    } else if (may_be_negative(bushing.damping)) {
      add("bushing: the damping matrix gives energy to some motions", "give a matrix with x·C x ≥ 0 for all x");
    }
  }
  for (const Drag& drag : model.drags_) {
    if (!exists(drag.body) || drag.body < 0) {
      add(fmt::format("drag: no body {}", drag.body), "give the number of a body");
    }
    if (!is_finite(drag.r_BP_B) || !is_finite(drag.medium_N) ||
        !(drag.linear >= 0 && drag.quadratic >= 0 && all_finite({drag.linear, drag.quadratic}))) {
      add(fmt::format("drag: linear {}, quadratic {}, or a vector that is not finite", drag.linear, drag.quadratic),
          "give finite numbers that are not negative");
    }
  }
  for (const CentralGravity& gravity : model.central_gravities_) {
    if (!is_finite(gravity.center_N) || !std::isfinite(gravity.mu)) {
      add(fmt::format("central gravity: mu {}, or a centre that is not finite", gravity.mu), "give finite numbers");
    }
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
  for (Bushing& bushing : model.bushings_) {
    bushing.on_first.e_BF = normalized(bushing.on_first.e_BF);
    bushing.on_second.e_BF = normalized(bushing.on_second.e_BF);
  }
  model.has_forces_ = !model.wrenches_.empty() || !model.springs_.empty() || !model.joint_springs_.empty() ||
                      !model.joint_limits_.empty() || !model.joint_frictions_.empty() || !model.bushings_.empty() ||
                      !model.drags_.empty() || !model.central_gravities_.empty() || !model.force_laws_.empty();
  model.plan_ = make_plan(model);
  return model;
}

}  // namespace polhode
