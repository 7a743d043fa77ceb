#include "polhode/multibody/model.h"

#include "polhode/core/error.h"
#include "polhode/core/index.h"
#include "polhode/math/symmetric_eigen.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <numeric>
#include <set>

namespace polhode {
namespace {

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

bool is_frame(const FrameOnBody& frame) { return std::fabs(norm(frame.e_BF) - 1) < 1e-6 && is_finite(frame.r_BF_B); }
bool is_unit(const Vec3<double>& v) { return std::fabs(norm(v) - 1) < 1e-9; }

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

/// Everything that can be wrong with a description, collected.
class ModelCheck final : public ConstraintReview {
 public:
  explicit ModelCheck(const Model& model) : model_(model) {}

  Problems problems() {
    if (model_.bodies().empty()) { add("a mechanism without bodies", "add at least one body"); }
    if (!is_finite(model_.gravity_N())) { add("gravity is not finite", "give finite numbers"); }
    bodies();
    joints();
    welds();
    forces_on_coordinates();
    model_.each([&](const auto& one, const ConstraintId&) { constraint::check(one, *this); });
    driven_twice();
    forces();
    wheels();
    return std::move(problems_);
  }

 private:
  void add(std::string what, std::string cure) {
    problems_.add(Problem{.what = std::move(what), .allowed = {}, .cure = std::move(cure)});
  }
  void problem(std::string what, std::string cure) override { add(std::move(what), std::move(cure)); }
  BodyId body_count() const { return static_cast<BodyId>(model_.body_count()); }
  bool exists(BodyId body) const override { return body >= kGround && body < body_count(); }
  std::string name_of(BodyId body) const {
    return body == kGround ? "ground" : "body '" + model_.bodies()[static_cast<std::size_t>(body)].name + "'";
  }

  void bodies() {
    std::set<std::string> names;
    for (const BodyDescription& body : model_.bodies()) {
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
  }

  void joints() {
    std::set<std::string> joint_names;
    for (const JointDescription& joint : model_.joints()) {
      const std::string who = fmt::format("joint '{}' ({})", joint.name, joint.kind->name);
      if (!joint_names.insert(joint.name).second) {
        add(fmt::format("two joints are called '{}'", joint.name), "rename one");
      }
      if (!exists(joint.first) || !exists(joint.second)) {
        add(fmt::format("{}: no body {}", who, exists(joint.first) ? joint.second : joint.first),
            fmt::format("bodies are numbered 0 to {}, ground is -1", body_count() - 1));
        continue;
      }
      if (joint.first == joint.second) {
        add(fmt::format("{} joins {} with itself", who, name_of(joint.first)), "give two different bodies");
      }
      for (const FrameOnBody* frame : {&joint.on_first, &joint.on_second}) {
        if (!is_frame(*frame)) {
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
  }

  void welds() {
    // groups of bodies that are welded together; the last number stands for ground
    std::vector<int> leader(model_.body_count() + 1);
    std::iota(leader.begin(), leader.end(), 0);
    const auto group = [&](BodyId body) {
      auto k = body < 0 ? model_.body_count() : static_cast<std::size_t>(body);
      while (static_cast<std::size_t>(leader[k]) != k) {
        leader[k] = leader[static_cast<std::size_t>(leader[k])];
        k = static_cast<std::size_t>(leader[k]);
      }
      return k;
    };
    for (std::size_t j = 0; j < model_.joint_count(); ++j) {
      const JointDescription& joint = model_.joints()[j];
      const bool sound = exists(joint.first) && exists(joint.second) && joint.first != joint.second;
      if (joint.kind->row_count() < 6 || !sound) { continue; }
      if (group(joint.first) != group(joint.second)) {
        leader[group(joint.first)] = static_cast<int>(group(joint.second));
        continue;
      }
      // the way round is looked for among all joints: of many rings only the first are told with theirs
      constexpr int kMostRings = 12;
      std::string ring;
      if (++rings_ <= kMostRings) {
        for (const std::string& name : welded_way(model_.joints(), j, joint.first, joint.second)) {
          ring += fmt::format("'{}', ", name);
        }
      }
      add(fmt::format("welds {}'{}' form a ring", ring, joint.name), "remove one of them");
    }
  }

  void offers(int joint, Coordinate coordinate, const std::string& who) override {
    if (joint < 0 || static_cast<std::size_t>(joint) >= model_.joints().size()) {
      add(fmt::format("{}: no joint {}", who, joint),
          fmt::format("joints are numbered 0 to {}", model_.joints().size() - 1));
      return;
    }
    const JointDescription& j = model_.joints()[static_cast<std::size_t>(joint)];
    const std::vector<Coordinate> known = j.kind->acted_on();
    if (std::find(known.begin(), known.end(), coordinate) == known.end()) {
      add(fmt::format("{}: joint '{}' ({}) has no coordinate '{}' that can be acted on", who, j.name, j.kind->name,
                      to_text(coordinate)),
          "take a turn, a slide, an angle of a cross or a swing, of a joint that has one");
    }
  }
  std::string at_joint(const char* what, int joint) const {
    const bool known = joint >= 0 && static_cast<std::size_t>(joint) < model_.joint_count();
    return known ? fmt::format("{} at joint '{}'", what, model_.joints()[static_cast<std::size_t>(joint)].name)
                 : std::string(what);
  }
  void body_exists(BodyId body, const char* who) {
    if (!exists(body)) { add(fmt::format("{}: no body {}", who, body), "give the number of a body, or -1 for ground"); }
  }
  void two_bodies(BodyId first, BodyId second, const char* who) {
    body_exists(first, who);
    body_exists(second, who);
    if (first == second && exists(first)) {
      add(fmt::format("{} from {} to itself", who, name_of(first)), "give two different bodies");
    }
  }

  void forces_on_coordinates() {
    for (const JointSpring& spring : model_.joint_springs()) {
      const std::string who = at_joint("spring", spring.joint);
      offers(spring.joint, spring.coordinate, who);
      if (!all_finite({spring.stiffness, spring.damping, spring.zero, spring.force})) {
        add(who + ": a number is not finite", "give finite numbers");
      }
    }
    for (const JointLaw& law : model_.joint_laws()) {
      const std::string who = at_joint("law", law.joint);
      offers(law.joint, law.coordinate, who);
      if (!law.law) { add(who + " without a function", "give a function of the state"); }
    }
    for (const JointLimit& limit : model_.joint_limits()) {
      const std::string who = at_joint("limit", limit.joint);
      offers(limit.joint, limit.coordinate, who);
      if (!(limit.lower < limit.upper)) {
        add(fmt::format("{}: from {} to {}", who, limit.lower, limit.upper), "give lower < upper");
      } else if ((limit.wrap || !counts_turns(limit.coordinate)) && is_angle(limit.coordinate) &&
                 std::isfinite(limit.upper - limit.lower) && limit.upper - limit.lower >= 2 * math::kPi<double>) {
        add(fmt::format("{}: from {} to {} rad is a whole turn or more", who, limit.lower, limit.upper),
            "its whole turns do not count: leave less than one");
      }
      if (!(limit.stiffness > 0 && limit.damping >= 0 && limit.softness > 0 &&
            all_finite({limit.stiffness, limit.damping, limit.softness}))) {
        add(fmt::format("{}: stiffness {}, damping {}, softness {}", who, limit.stiffness, limit.damping,
                        limit.softness),
            "give a stiffness and a softness greater than 0, and a damping that is not negative");
      }
    }
    for (const JointFriction& friction : model_.joint_frictions()) {
      const std::string who = at_joint("friction", friction.joint);
      offers(friction.joint, friction.coordinate, who);
      if (!(friction.dry >= 0 && friction.viscous >= 0 && friction.velocity > 0 &&
            all_finite({friction.dry, friction.viscous, friction.velocity}))) {
        add(fmt::format("{}: dry {}, viscous {}, velocity {}", who, friction.dry, friction.viscous, friction.velocity),
            "give friction that is not negative, and a velocity greater than 0");
      }
    }
  }

  void driven_twice() {
    std::map<std::pair<int, Coordinate>, std::string> driven;
    for (const Driver& driver : model_.all<Driver>()) {
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
    for (std::size_t j = 0; j < model_.joints().size(); ++j) {
      if (model_.joints()[j].kind->slides != FreeSlides::screw) { continue; }
      const int joint = static_cast<int>(j);
      conflict(joint, Coordinate::turn, joint, Coordinate::slide_z, "screw '" + model_.joints()[j].name + "'");
    }
    for (const Coupling& c : model_.all<Coupling>()) {
      conflict(c.first_joint, c.first_coordinate, c.second_joint, c.second_coordinate, "coupling '" + c.name + "'");
    }
  }

  void forces() {
    for (const WrenchLaw& law : model_.wrench_laws()) { body_exists(law.body, "wrench law"); }
    for (const Wrench& wrench : model_.wrenches()) {
      body_exists(wrench.body, "wrench");
      if (!is_finite(wrench.r_BP_B) || !is_finite(wrench.force) || !is_finite(wrench.moment)) {
        add("wrench: a number is not finite", "give finite numbers");
      }
    }
    for (const Spring& spring : model_.springs()) {
      two_bodies(spring.first, spring.second, "spring");
      if (!is_finite(spring.on_first_B) || !is_finite(spring.on_second_B) ||
          !all_finite({spring.stiffness, spring.damping, spring.free_length, spring.force})) {
        add("spring: a number is not finite", "give finite numbers");
      }
    }
    for (const Bushing& bushing : model_.bushings()) {
      two_bodies(bushing.first, bushing.second, "bushing");
      for (const FrameOnBody* frame : {&bushing.on_first, &bushing.on_second}) {
        if (!is_frame(*frame)) {
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
    for (const Drag& drag : model_.drags()) {
      if (!exists(drag.body) || drag.body < 0) {
        add(fmt::format("drag: no body {}", drag.body), "give the number of a body");
      }
      if (!is_finite(drag.r_BP_B) || !is_finite(drag.medium_N) ||
          !(drag.linear >= 0 && drag.quadratic >= 0 && all_finite({drag.linear, drag.quadratic}))) {
        add(fmt::format("drag: linear {}, quadratic {}, or a vector that is not finite", drag.linear, drag.quadratic),
            "give finite numbers that are not negative");
      }
    }
    for (const CentralGravity& gravity : model_.central_gravities()) {
      if (!is_finite(gravity.center_N) || !std::isfinite(gravity.mu)) {
        add(fmt::format("central gravity: mu {}, or a centre that is not finite", gravity.mu), "give finite numbers");
      }
    }
  }

  /// Wheels are parts of their bodies: without them something must be left that has inertia about every axis.
  void wheels() {
    std::map<BodyId, Mat3<double>> left;
    std::set<std::string> names;
    for (const ReactionWheel& wheel : model_.wheels()) {
      const std::string who = "wheel '" + wheel.name + "'";
      if (!names.insert(wheel.name).second) { add("two wheels are called '" + wheel.name + "'", "rename one"); }
      if (!exists(wheel.body) || wheel.body < 0) {
        add(fmt::format("{}: no body {}", who, wheel.body), "give the number of a body");
        continue;
      }
      if (!is_unit(wheel.axis_B)) { add(who + ": its axis is no unit vector", "give a unit vector"); }
      const double torque = wheel.max_torque.value_or(1);
      const double speed = wheel.max_speed.value_or(1);
      if (!(wheel.inertia > 0 && torque > 0 && speed > 0 && wheel.friction >= 0 &&
            all_finite({wheel.inertia, torque, speed, wheel.friction, wheel.speed_at_start}))) {
        add(fmt::format("{}: inertia {}, speed {}, friction {}, or a limit that is not above 0", who, wheel.inertia,
                        wheel.speed_at_start, wheel.friction),
            "give an inertia and limits greater than 0, a finite speed, and friction that is not negative");
        continue;
      }
      if (wheel.max_speed && std::fabs(wheel.speed_at_start) > *wheel.max_speed) {
        add(who + " starts faster than its largest speed", "give a lower speed or a higher limit");
      }
      Mat3<double>& J_B = left.try_emplace(wheel.body, model_.bodies()[at(wheel.body)].mass.J_B).first->second;
      J_B = carrier_inertia(J_B, std::span(&wheel, 1));
    }
    for (const auto& [body, J_B] : left) {
      const SymmetricEigen<double, 3> eigen = symmetric_eigen(J_B);
      const double least = std::min({eigen.values[0], eigen.values[1], eigen.values[2]});
      if (least > 0) { continue; }
      add(fmt::format("{} without its reaction wheels has a moment of inertia of {:.3g} kg m²", name_of(body), least),
          "its inertia includes its wheels: give more to the body, or less to the wheels");
    }
  }

  const Model& model_;
  Problems problems_;
  int rings_ = 0;
};

}  // namespace

void require_sound(const Model& model) { ModelCheck(model).problems().fail_if_any(); }

}  // namespace polhode
