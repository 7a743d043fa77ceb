#include "polhode/catalog/model_check.h"

#include "polhode/core/counted.h"
#include "polhode/core/index.h"
#include "polhode/multibody/constraint_rows.h"
#include "polhode/multibody/redundancy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace polhode::catalog {
namespace {

/// Digits that a neighbour's inertia costs are lost: of 16, so many may go before it hurts at tolerance 1e-10.
constexpr double kHurtingRatio = 1e5;
/// Directions and points nearer than this part of the model's length are the same.
constexpr double kSame = 1e-9;

/// A row that a motion violates by less than this part of what it could is not violated.
constexpr double kHolds = 1e-9;
/// A joint is far from a body beyond so many extents of the body, and so many sizes of any other.
constexpr double kFar = 20;
constexpr double kFarther = 4;

/// How far a shape can reach from a point of its body, from above.
double reach_of(const Outline& outline, const Vec3<double>& from_B) {
  double radius = 0;
  for (const double length : outline.lengths) { radius += length * length; }
  radius = std::sqrt(radius) * (outline.shape == "box" ? 0.5 : 1);
  if (outline.surface) {
    for (const Vec3<double>& point : outline.surface->points) { radius = std::fmax(radius, norm(point)); }
  }
  return norm(outline.r_BC_B - from_B) + radius;
}

class Check {
 public:
  explicit Check(const MechanismScenario& scenario)
      : scenario_(scenario), model_(*scenario.plan.model), y_(scenario.plan.start), scratch_(model_) {
    for (const std::string& move : scenario.closing) { note("to close the joints, " + move); }
    result_.adjusted = scenario.adjusted;
    for (const AdjustedVelocity& one : scenario.adjusted) {
      note("to fit the joints, the start was changed: " + to_text(one));
    }
  }

  ModelCheck operator()() {
    result_.bodies = model_.body_count();
    result_.joints = model_.joint_count();
    count_freedoms();
    look_at_bodies();
    look_at_groups();
    look_at_axes();
    look_at_distances();
    look_at_ratios();
    check_constraints();
    result_.limit_messages();
    return std::move(result_);
  }

 private:
  void add(Finding finding) { result_.findings.push_back(std::move(finding)); }
  void add(Finding::Level level, std::string text) { add({level, std::move(text)}); }
  void note(std::string text) { add(Finding::Level::note, std::move(text)); }
  void warn(std::string text) { add(Finding::Level::warning, std::move(text)); }
  void wrong(std::string text) { add(Finding::Level::wrong, std::move(text)); }

  const std::string& name(BodyId body) const {
    static const std::string kGroundName = "ground";
    return body == kGround ? kGroundName : model_.bodies()[at(body)].name;
  }

  void count_freedoms() {
    const Mobility mobility = polhode::mobility(model_, 0, y_, scratch_);
    result_.freedoms = mobility.freedoms;
    result_.independent = static_cast<int>(6 * model_.body_count()) - mobility.freedoms;
    result_.rows = result_.independent + mobility.redundant_rows;
    if (mobility.redundant_rows > 0) {
      result_.untold_redundancies = mobility.redundant_rows;
      for (const RedundancyCause& one : causes_of(model_, redundancies(model_, 0, y_))) {
        result_.redundancies.push_back(one.text);
        result_.untold_redundancies -= one.directions;
      }
      const LeastReactions least = least_reactions(model_, y_, scratch_);
      for (std::size_t j = 0; j < least.determined.size(); ++j) {
        if (!least.determined[j]) { result_.undetermined_joints.push_back(model_.joints()[j].name); }
      }
    }
    if (result_.freedoms == 0) {
      if (model_.all<Driver>().empty()) {
        warn("nothing can move: the joints leave no freedom");
      } else {
        note("every freedom is driven: forces decide reactions, not the motion");
      }
    }
  }

  void look_at_bodies() {
    for (const BodyDescription& body : model_.bodies()) {
      const double missing = missing_moment(body.mass.J_B);
      const Vec3<double> moments = principal_axes(body.mass.J_B).moments;
      if (missing > kFlatTolerance * moments.z) {
        add(impossible_moments(fmt::format("body '{}': ", body.name), moments, body.physical));
      }
      if (moments.x * 1e8 < moments.z) {
        warn(fmt::format("body '{}' is thin as a line: its moments span from {:.3g} to {:.3g} kg m2", body.name,
                         moments.x, moments.z));
      }
    }
  }

  /// Bodies that hang together by constraints; what touches neither ground nor a plane floats.
  void look_at_groups() {
    std::vector<int> group(model_.body_count());
    for (std::size_t b = 0; b < group.size(); ++b) { group[b] = static_cast<int>(b); }
    const auto root = [&](int b) {
      while (group[at(b)] != b) { b = group[at(b)] = group[at(group[at(b)])]; }
      return b;
    };
    std::vector<bool> held(model_.body_count());
    for (const ModelConstraint& constraint : model_.constraints()) {
      for (const ConstraintEnd& end : constraint.ends) {
        const BodyId first = constraint.ends.front().body;
        if (first >= 0 && end.body >= 0) { group[at(root(first))] = root(end.body); }
      }
    }
    const auto hold = [&](BodyId body) {
      if (body >= 0) { held[at(root(body))] = true; }
    };
    for (const ModelConstraint& constraint : model_.constraints()) {
      const bool to_ground = std::any_of(constraint.ends.begin(), constraint.ends.end(),
                                         [](const ConstraintEnd& end) { return end.body == kGround; });
      if (!to_ground) { continue; }
      for (const ConstraintEnd& end : constraint.ends) { hold(end.body); }
    }
    std::vector<int> roots;
    for (std::size_t b = 0; b < group.size(); ++b) {
      if (root(static_cast<int>(b)) == static_cast<int>(b)) { roots.push_back(static_cast<int>(b)); }
    }
    std::vector<int> size(group.size(), 0);
    for (std::size_t b = 0; b < group.size(); ++b) { ++size[at(root(static_cast<int>(b)))]; }
    std::vector<std::string> loose;
    for (const int one : roots) {
      if (held[at(one)]) { continue; }
      const std::string& name = model_.bodies()[at(one)].name;
      loose.push_back(size[at(one)] == 1
                          ? fmt::format("body '{}'", name)
                          : fmt::format("the {} around '{}'",
                                        counted(static_cast<std::size_t>(size[at(one)]), "body", "bodies"), name));
    }
    if (roots.size() == 1 && !loose.empty()) {
      note(loose[0] +
           (size[at(roots[0])] == 1 ? " floats: no joint holds it" : " float: no joint holds them to ground"));
      return;
    }
    constexpr std::size_t kMostNamed = 8;
    for (std::size_t i = 0; i < std::min(loose.size(), kMostNamed); ++i) {
      warn(loose[i] + " hangs on nothing that the rest of the mechanism hangs on: is a joint missing?");
    }
    if (loose.size() > kMostNamed) { warn(fmt::format("and so do {} more", loose.size() - kMostNamed)); }
  }

  /// Hinges about one line that share a body.
  void look_at_axes() {
    std::vector<std::vector<Hinge>> hinges(model_.body_count());
    for (std::size_t j = 0; j < model_.joint_count(); ++j) {
      const JointDescription& joint = model_.joints()[j];
      if (joint.kind->turns != FreeTurns::about_z) { continue; }
      const Hinge hinge = hinge_of(static_cast<int>(j));
      for (const BodyId body : {joint.first, joint.second}) {
        if (body != kGround) { hinges[at(body)].push_back(hinge); }
      }
    }
    std::set<std::pair<int, int>> told;
    for (std::size_t b = 0; b < hinges.size(); ++b) {
      // the same line has the same key: neighbours in the order of keys are compared
      std::vector<Hinge>& list = hinges[b];
      std::sort(list.begin(), list.end(),
                [](const Hinge& x, const Hinge& y) { return std::pair(x.key, x.joint) < std::pair(y.key, y.joint); });
      for (std::size_t i = 0; i < list.size(); ++i) {
        for (std::size_t k = i + 1; k < list.size() && list[k].key - list[i].key < 10 * kSame; ++k) {
          if (!same_line(list[i], list[k])) { continue; }
          const auto [first, second] = std::minmax(list[i].joint, list[k].joint);
          if (told.emplace(first, second).second) { tell_one_line(first, second, static_cast<BodyId>(b)); }
        }
      }
    }
  }

  struct Hinge {
    int joint = 0;
    Vec3<double> point{};
    Vec3<double> z{};
    double key = 0;
  };
  Hinge hinge_of(int joint) const {
    const End<double> end = model_.ends(y_, joint).first;
    Hinge hinge{joint, end.point(), end.axis(2), 0};
    // of the line alone: numbers that do not change with the sign of z or along it, mixed so that other lines have
    // others
    const Vec3<double> foot = (hinge.point - dot(hinge.point, hinge.z) * hinge.z) / model_.length();
    const auto mixed = [](const Vec3<double>& v) { return 0.5377 * v.x + 0.3119 * v.y + 0.7861 * v.z; };
    const double along = mixed(hinge.z);
    hinge.key = mixed(foot) + along * along;
    return hinge;
  }
  bool same_line(const Hinge& a, const Hinge& b) const {
    return norm(cross(a.z, b.z)) <= kSame && norm(cross(a.z, b.point - a.point)) <= kSame * model_.length();
  }

  void tell_one_line(int first, int second, BodyId common) {
    const JointDescription& a = model_.joints()[at(first)];
    const JointDescription& b = model_.joints()[at(second)];
    const bool same_pair = std::minmax(a.first, a.second) == std::minmax(b.first, b.second);
    if (same_pair) {
      warn(fmt::format("joints '{}' and '{}' are hinges about one line between the same two bodies: one would do",
                       a.name, b.name));
    } else if (can_spin(common, model_.ends(y_, first).first)) {
      warn(fmt::format("joints '{}' and '{}' turn about one line: body '{}' between them can spin on its own", a.name,
                       b.name, name(common)));
    }
  }

  /// Whether a body can turn about the z axis of `line` while all others stand still.
  bool can_spin(BodyId body, const End<double>& line) {
    if (rows_of_.empty()) {
      constraint_rows(model_, 0, y_, rows_);
      rows_of_.resize(model_.body_count());
      for (std::size_t r = 0; r < rows_.size(); ++r) {
        for (const BodyId one : rows_[r].bodies) {
          if (one != kGround) { rows_of_[at(one)].push_back(r); }
        }
      }
    }
    const Vec3<double> w = line.axis(2);
    const Pair motion{w, cross(w, Model::view(y_, body).r_N - line.point())};
    for (const std::size_t r : rows_of_[at(body)]) {
      double speed = 0;
      double size = 0;
      for (std::size_t s = 0; s < rows_[r].bodies.size(); ++s) {
        if (rows_[r].bodies[s] != body) { continue; }
        speed += dot(rows_[r].sides[s], motion);
        size += norm(rows_[r].sides[s].ang) * norm(motion.ang) + norm(rows_[r].sides[s].lin) * norm(motion.lin);
      }
      if (std::fabs(speed) > kHolds * size) { return false; }
    }
    return true;
  }

  /// Joints that lie farther from a mass centre than kFar times the extent of that body, and kFarther times the extent
  /// of any other body or the way from it to another joint of its own.
  void look_at_distances() {
    struct Size {
      double extent = 0;
      double longest = 0;  ///< way to a joint
      int to = -1;         ///< which it is
      double next = 0;     ///< to another joint
      double without(int joint) const { return std::fmax(extent, joint == to ? next : longest); }
    };
    std::vector<Size> sizes(model_.body_count());
    for (std::size_t b = 0; b < sizes.size(); ++b) {
      for (const Outline& outline : scenario_.outlines[b]) {
        sizes[b].extent = std::fmax(sizes[b].extent, reach_of(outline, model_.bodies()[b].mass.center_B));
      }
    }
    const auto each_side = [&](int j, const auto& look) {
      const JointDescription& joint = model_.joints()[at(j)];
      for (const auto& [body, frame] : {std::pair{joint.first, &joint.on_first}, {joint.second, &joint.on_second}}) {
        if (body != kGround) { look(body, norm(frame->r_BF_B - model_.bodies()[at(body)].mass.center_B)); }
      }
    };
    const int joints = static_cast<int>(model_.joint_count());
    for (int j = 0; j < joints; ++j) {
      each_side(j, [&](BodyId body, double way) {
        Size& size = sizes[at(body)];
        if (way > size.longest) {
          size.next = size.longest;
          size.longest = way;
          size.to = j;
        } else {
          size.next = std::fmax(size.next, way);
        }
      });
    }
    // the three largest bodies: one of them is neither of a joint's two
    std::vector<BodyId> largest(model_.body_count());
    std::iota(largest.begin(), largest.end(), 0);
    const auto three = largest.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(3, largest.size()));
    std::partial_sort(largest.begin(), three, largest.end(),
                      [&](BodyId a, BodyId b) { return sizes[at(a)].without(-1) > sizes[at(b)].without(-1); });
    for (int j = 0; j < joints; ++j) {
      const JointDescription& joint = model_.joints()[at(j)];
      std::string far;
      each_side(j, [&](BodyId body, double way) {
        const BodyId partner = body == joint.first ? joint.second : joint.first;
        double others = partner == kGround ? 0 : sizes[at(partner)].without(j);
        for (auto one = largest.begin(); one != three; ++one) {
          if (*one != body && *one != partner) { others = std::fmax(others, sizes[at(*one)].without(-1)); }
        }
        if (way <= kFar * sizes[at(body)].extent || way <= kFarther * others) { return; }
        far += fmt::format("{}{:.3g} m from the mass centre of body '{}', which reaches {:.3g} m",
                           far.empty() ? "" : " and ", way, name(body), sizes[at(body)].extent);
      });
      if (!far.empty()) { note(fmt::format("joint '{}' lies {}: is its point meant?", joint.name, far)); }
    }
  }

  void look_at_ratios() {
    for (const JointDescription& joint : model_.joints()) {
      if (joint.first == kGround || joint.second == kGround) { continue; }
      const MassProperties& a = model_.bodies()[at(joint.first)].mass;
      const MassProperties& b = model_.bodies()[at(joint.second)].mass;
      const double ratio = a.mass > b.mass ? a.mass / b.mass : b.mass / a.mass;
      if (ratio > kHurtingRatio) {
        warn(
            fmt::format("joint '{}' holds '{}' and '{}', whose masses are in the ratio {:.1e}: about {:.0f} digits of "
                        "the lighter one's motion are lost",
                        joint.name, name(joint.first), name(joint.second), ratio, std::floor(std::log10(ratio))));
      }
    }
  }

  /// Constraints that contradict each other.
  void check_constraints() {
    const Residuals open = residuals(model_, 0, y_, scratch_);
    if (open.position > kSame * model_.length()) {
      wrong(fmt::format("{}: joints and drivers contradict each other", simulation::widest_gap(model_, 0, y_)));
    }
    std::vector<double> ydot(y_.size());
    evaluate(model_, 0, y_, ydot, scratch_);
    double speed = 0;
    double acceleration = 0;
    for (std::size_t b = 0; b < model_.body_count(); ++b) {
      const BodyView body = Model::view(y_, static_cast<BodyId>(b));
      const Pair a = acceleration_of(model_, scratch_, static_cast<BodyId>(b));
      if (!is_finite(a.lin) || !is_finite(a.ang)) {
        wrong(
            fmt::format("the acceleration of body '{}' is not finite at the start: look at what forces and drivers "
                        "give at t = 0",
                        name(static_cast<BodyId>(b))));
        return;
      }
      speed = std::max({speed, norm(body.v_N), model_.length() * norm(body.w_B)});
      acceleration = std::max({acceleration, norm(a.lin), model_.length() * norm(a.ang)});
    }
    if (open.velocity > kSame * (speed + model_.length())) {
      wrong(fmt::format("velocities at the start contradict joints or drivers by {:.3g} m/s", open.velocity));
    }
    const double left = simulation::acceleration_residual(model_, 0, y_, scratch_);
    if (left > 1e-7 * (acceleration + model_.length())) {
      wrong(fmt::format("no accelerations fulfil all joints and drivers at the start: {:.3g} m/s2 are left", left));
    }
  }

  const MechanismScenario& scenario_;
  const Model& model_;
  const std::vector<double>& y_;
  Scratch scratch_;
  std::vector<ListedRow> rows_;
  std::vector<std::vector<std::size_t>> rows_of_;  ///< by body, once they are asked for
  ModelCheck result_;
};

}  // namespace

std::string_view to_text(Finding::Level level) {
  switch (level) {
    case Finding::Level::note:
      return "note";
    case Finding::Level::warning:
      return "warning";
    case Finding::Level::wrong:
      return "wrong";
  }
  return "unknown";
}

void ModelCheck::limit_messages() {
  // where there are many of both, a third is left to the redundancies
  const std::size_t told_findings =
      std::min(findings.size(), kMostMessages - std::min(redundancies.size(), kMostMessages / 3));
  const std::size_t told_redundancies = std::min(redundancies.size(), kMostMessages - told_findings);
  if (told_findings < findings.size()) {
    std::stable_sort(findings.begin(), findings.end(),
                     [](const Finding& a, const Finding& b) { return a.level > b.level; });
    findings_left_out += findings.size() - told_findings;
    findings.resize(told_findings);
  }
  redundancies_left_out += redundancies.size() - told_redundancies;
  redundancies.resize(told_redundancies);
}

bool ModelCheck::wrong() const {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& f) { return f.level == Finding::Level::wrong; });
}

Finding impossible_moments(const std::string& who, const Vec3<double>& moments, Physical physical) {
  const bool allowed = physical == Physical::allow_any_positive;
  return {
      allowed ? Finding::Level::note : Finding::Level::wrong,
      fmt::format("{}moments {:.6g}, {:.6g}, {:.6g} kg m2 belong to no body: the two smaller ones must make up the "
                  "largest{}",
                  who, moments.x, moments.y, moments.z, allowed ? "; allow_impossible_inertia lets them through" : "")};
}

ModelCheck check_one_body(const OneBodyScenario& scenario) {
  ModelCheck check;
  check.bodies = 1;
  const simulation::OneBodyPlan& plan = scenario.plan;
  check.freedoms = plan.body.mass ? 6 : 3;
  const Vec3<double> moments = principal_axes(scenario.mass_properties.J_B).moments;
  if (missing_moment(scenario.mass_properties.J_B) > kFlatTolerance * moments.z) {
    check.findings.push_back(impossible_moments("", moments, plan.body.physical));
  }
  // what the first step would meet
  const BodySystem<double> system(polhode::formulation<double>(plan.formulation), plan.body);
  std::vector<double> y(system.size());
  std::vector<double> ydot(system.size());
  system.set_state(plan.start, y);
  system.rhs(plan.start.t, y, ydot);
  const auto bad = std::find_if(ydot.begin(), ydot.end(), [](double rate) { return !std::isfinite(rate); });
  if (bad != ydot.end()) {
    const std::string cause = system.trouble(plan.start.t, y);
    check.findings.push_back(
        {Finding::Level::wrong, cause.empty()
                                    ? fmt::format("the rate of {} is not finite at the start",
                                                  system.entry_name(static_cast<std::size_t>(bad - ydot.begin())))
                                    : cause});
  }
  for (const std::string& load : scenario.idle_loads) {
    check.findings.push_back(
        {Finding::Level::note,
         fmt::format(
             "the load '{}' does nothing: its force goes through the mass centre, and the body neither travels nor "
             "is held; give position or velocity in [initial], or fixed_point in [body]",
             load)});
  }
  if (scenario.held) { check.findings.push_back({Finding::Level::note, "the body is held at a point"}); }
  check.limit_messages();
  return check;
}

ModelCheck check_mechanism(const MechanismScenario& scenario) { return Check(scenario)(); }

}  // namespace polhode::catalog
