#include "polhode/catalog/model_check.h"

#include "polhode/core/index.h"
#include "polhode/multibody/redundancy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace polhode::catalog {
namespace {

/// Digits that a neighbour's inertia costs are lost: of 16, so many may go before it hurts at tolerance 1e-10.
constexpr double kHurtingRatio = 1e5;
/// Directions and points nearer than this part of the model's length are the same.
constexpr double kSame = 1e-9;

class Check {
 public:
  explicit Check(const MechanismScenario& scenario)
      : model_(*scenario.plan.model), y_(scenario.plan.start), scratch_(model_) {
    for (const std::string& move : scenario.closing) { note("to close the joints, " + move); }
  }

  ModelCheck operator()() {
    result_.bodies = model_.body_count();
    result_.joints = model_.joint_count();
    count_freedoms();
    look_at_bodies();
    look_at_groups();
    look_at_axes();
    look_at_ratios();
    look_at_conditions();
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
      for (const Redundancy& one : redundancies(model_, 0, y_)) { result_.redundancies.push_back(one.text); }
      const LeastReactions least = least_reactions(model_, y_, scratch_);
      for (std::size_t j = 0; j < least.determined.size(); ++j) {
        if (!least.determined[j]) { result_.undetermined_joints.push_back(model_.joints()[j].name); }
      }
    }
    if (result_.freedoms == 0) {
      if (model_.drivers().empty()) {
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

  /// Bodies that hang together by joints; what touches neither ground nor a plane floats.
  void look_at_groups() {
    std::vector<int> group(model_.body_count());
    for (std::size_t b = 0; b < group.size(); ++b) { group[b] = static_cast<int>(b); }
    const auto root = [&](int b) {
      while (group[at(b)] != b) { b = group[at(b)]; }
      return b;
    };
    std::vector<bool> held(model_.body_count());
    for (const JointDescription& joint : model_.joints()) {
      if (joint.first >= 0 && joint.second >= 0) { group[at(root(joint.first))] = root(joint.second); }
    }
    const auto hold = [&](BodyId body) {
      if (body >= 0) { held[at(root(body))] = true; }
    };
    for (const JointDescription& joint : model_.joints()) {
      if (joint.first == kGround || joint.second == kGround) {
        hold(joint.first);
        hold(joint.second);
      }
    }
    for (const Rolling& rolling : model_.rollings()) { hold(rolling.body); }
    for (const Blade& blade : model_.blades()) { hold(blade.body); }
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
      loose.push_back(size[at(one)] == 1 ? fmt::format("body '{}'", name)
                                         : fmt::format("the {} bodies around '{}'", size[at(one)], name));
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

  /// Hinges about one line.
  void look_at_axes() {
    const auto turns = [&](std::size_t j) { return model_.joints()[j].kind->turns == FreeTurns::about_z; };
    for (std::size_t i = 0; i < model_.joint_count(); ++i) {
      if (!turns(i)) { continue; }
      const JointDescription& a = model_.joints()[i];
      const End<double> end_a = model_.ends(y_, static_cast<int>(i)).first;
      for (std::size_t k = i + 1; k < model_.joint_count(); ++k) {
        const JointDescription& b = model_.joints()[k];
        if (!turns(k)) { continue; }
        BodyId common = kGround - 1;
        for (const BodyId body : {a.first, a.second}) {
          if (body != kGround && (body == b.first || body == b.second)) { common = body; }
        }
        if (common < kGround + 1) { continue; }
        const End<double> end_b = model_.ends(y_, static_cast<int>(k)).first;
        const Vec3<double> z = end_a.axis(2);
        if (norm(cross(z, end_b.axis(2))) > kSame ||
            norm(cross(z, end_b.point() - end_a.point())) > kSame * model_.length()) {
          continue;
        }
        const bool same_pair =
            (a.first == b.first && a.second == b.second) || (a.first == b.second && a.second == b.first);
        warn(same_pair
                 ? fmt::format(
                       "joints '{}' and '{}' are hinges about one line between the same two bodies: one would do",
                       a.name, b.name)
                 : fmt::format("joints '{}' and '{}' turn about one line: body '{}' between them can spin on its own",
                               a.name, b.name, name(common)));
      }
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

  /// Conditions that hold each other off.
  void look_at_conditions() {
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

  const Model& model_;
  const std::vector<double>& y_;
  Scratch scratch_;
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

ModelCheck check_one_body(const Scenario& scenario) {
  ModelCheck check;
  check.bodies = 1;
  const simulation::Plan& plan = scenario.plan;
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
  if (scenario.held) { check.findings.push_back({Finding::Level::note, "the body is held at a point"}); }
  return check;
}

ModelCheck check_mechanism(const MechanismScenario& scenario) { return Check(scenario)(); }

}  // namespace polhode::catalog
