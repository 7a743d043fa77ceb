#include "polhode/simulation/assembly.h"

#include "polhode/core/counted.h"
#include "polhode/core/error.h"
#include "polhode/core/index.h"
#include "polhode/rotation/axis_angle.h"
#include "polhode/simulation/mechanism.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <queue>

namespace polhode::simulation {
namespace {

/// Angles and lengths (in lengths of the model) go this far at once.
constexpr double kStep = 0.1;
/// A joint that Newton's method leaves open by this part of the model's length cannot close.
constexpr double kClosed = 1e-10;

/// A displacement of space: x → e x e* + d.
struct Displacement {
  EulerParameters<double> e = EulerParameters<double>::identity();
  Vec3<double> d{};
  Vec3<double> operator()(const Vec3<double>& x) const { return rotate(e, x) + d; }
};

/// What one joint adds: a turn about z and a slide, space components.
struct Increment {
  double turn = 0;
  Vec3<double> slide{};  ///< along the axes of the first frame
};

/// A joint by which a body is reached from one that is known already.
struct Reach {
  int joint;
  BodyId known;  ///< may be ground
  BodyId next;
};
/// Joints in the order in which bodies are reached, each body once: from ground and from the bodies `known`; then from
/// the first of `roots` that is not reached yet, and so on. Joints are tried in passes from first to last, a body that
/// is reached counting at once; a queue of (pass, joint) does this without looking at joints whose bodies are out of
/// reach.
std::vector<Reach> spanning_order(const Model& model, std::vector<bool> known, const std::vector<BodyId>& roots) {
  std::vector<std::vector<int>> joints_of(model.body_count());
  using Turn = std::pair<std::size_t, int>;
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns;
  const auto is_known = [&](BodyId b) { return b == kGround || known[at(b)]; };
  for (std::size_t j = 0; j < model.joint_count(); ++j) {
    const JointDescription& joint = model.joints()[j];
    for (const BodyId b : {joint.first, joint.second}) {
      if (b != kGround) { joints_of[at(b)].push_back(static_cast<int>(j)); }
    }
    if (is_known(joint.first) != is_known(joint.second)) { turns.emplace(0, static_cast<int>(j)); }
  }
  std::vector<Reach> order;
  order.reserve(model.body_count());
  const auto reach_all = [&] {
    while (!turns.empty()) {
      const auto [pass, j] = turns.top();
      turns.pop();
      const JointDescription& joint = model.joints()[at(j)];
      if (is_known(joint.first) == is_known(joint.second)) { continue; }
      const bool forward = is_known(joint.first);
      const BodyId next = forward ? joint.second : joint.first;
      order.push_back({j, forward ? joint.first : joint.second, next});
      known[at(next)] = true;
      for (const int k : joints_of[at(next)]) { turns.emplace(k > j ? pass : pass + 1, k); }
    }
  };
  reach_all();
  for (const BodyId root : roots) {
    if (known[at(root)]) { continue; }
    known[at(root)] = true;
    for (const int k : joints_of[at(root)]) { turns.emplace(0, k); }
    reach_all();
  }
  return order;
}

std::vector<BodyId> all_bodies(const Model& model) {
  std::vector<BodyId> all(model.body_count());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

void move(const Model& model, const std::vector<Increment>& increments, std::span<double> y) {
  std::vector<Displacement> moved(model.body_count());
  const std::vector<double> before(y.begin(), y.end());
  for (const Reach& reach : spanning_order(model, std::vector<bool>(model.body_count()), all_bodies(model))) {
    const Displacement parent = reach.known == kGround ? Displacement{} : moved[at(reach.known)];
    const auto [first, second] = model.ends(before, reach.joint);
    const Increment& more = increments[at(reach.joint)];
    const double side = reach.next == model.joints()[at(reach.joint)].second ? 1 : -1;
    const Vec3<double> z = rotate(parent.e, first.axis(2));
    const Vec3<double> slide = rotate(parent.e, first.axes * more.slide);
    const double half = 0.5 * side * more.turn;
    const EulerParameters<double> turn{math::cos(half), math::sin(half) * z};
    Displacement& next = moved[at(reach.next)];
    next.e = normalized(turn * parent.e);
    next.d = parent(second.point()) + side * slide - rotate(next.e, second.point());
  }
  for (std::size_t b = 0; b < model.body_count(); ++b) {
    BodyView body = Model::view(y, static_cast<BodyId>(b));
    body.r_N = moved[b](body.r_N);
    body.e_NB = normalized(moved[b].e * body.e_NB);
    Model::set(y, static_cast<BodyId>(b), body);
  }
}

/// Puts what is given of the bodies' velocities into y.
void give(const std::vector<GivenVelocity>& velocities, std::span<double> y) {
  for (std::size_t b = 0; b < velocities.size(); ++b) {
    const GivenVelocity& given = velocities[b];
    BodyView body = Model::view(y, static_cast<BodyId>(b));
    if (given.v_N) { body.v_N = *given.v_N; }
    if (given.w) { body.w_B = given.w_in_space ? rotate_back(body.e_NB, *given.w) : *given.w; }
    Model::set(y, static_cast<BodyId>(b), body);
  }
}

/// Velocities that follow from rates of joints; `rates` as Increment, a unit of time long. y holds what is given.
void follow(const Model& model, const std::vector<Increment>& rates, const std::vector<GivenVelocity>& velocities,
            std::span<double> y) {
  // what is given in part takes the rest from its joints; where nothing moves it, it moves the others
  std::vector<bool> known(velocities.size());
  std::vector<BodyId> roots;
  for (const bool partly : {true, false}) {
    for (std::size_t b = 0; b < velocities.size(); ++b) {
      const GivenVelocity& given = velocities[b];
      known[b] = given.v_N && given.w;
      if ((given.v_N || given.w) == partly) { roots.push_back(static_cast<BodyId>(b)); }
    }
  }
  for (const Reach& reach : spanning_order(model, known, roots)) {
    const auto [first, second] = model.ends(y, reach.joint);
    const Increment& more = rates[at(reach.joint)];
    const bool forward = reach.next == model.joints()[at(reach.joint)].second;
    const Vec3<double> w = more.turn * first.axis(2);
    const Vec3<double> u = first.axes * more.slide;
    const Vec3<double> P = second.point();
    const End<double>& from = forward ? first : second;
    const End<double>& to = forward ? second : first;
    const double side = forward ? 1 : -1;
    const GivenVelocity& given = velocities[at(reach.next)];
    const Vec3<double> w_next = given.w ? to.w : from.w + side * w;
    const Vec3<double> v_point = from.v + cross(from.w, P - from.r) + side * u;
    BodyView body = Model::view(y, reach.next);
    if (!given.v_N) {
      // in the body's own axes a given rate along the arm moves nothing, to the last digit
      const Vec3<double> arm_B =
          model.joints()[at(reach.joint)].on_second.r_BF_B - model.bodies()[at(reach.next)].mass.center_B;
      body.v_N = v_point - (given.w && forward ? rotate(body.e_NB, cross(body.w_B, arm_B)) : cross(w_next, P - to.r));
    }
    if (!given.w) { body.w_B = rotate_back(body.e_NB, w_next); }
    Model::set(y, reach.next, body);
  }
}

void add(Increment& increment, Coordinate coordinate, double amount) {
  switch (coordinate) {
    case Coordinate::turn:
      increment.turn += amount;
      break;
    case Coordinate::slide_x:
      increment.slide.x += amount;
      break;
    case Coordinate::slide_y:
      increment.slide.y += amount;
      break;
    case Coordinate::slide_z:
      increment.slide.z += amount;
      break;
    default:
      break;
  }
}

/// Fails where what is asked for does not fit the bodies and joints there are.
void require_fitting(const Model& model, const FloatingGroups& floating, const std::vector<StartValue>& starts,
                     const std::vector<GivenPose>& put, const std::vector<GivenVelocity>& velocities) {
  Problems problems;
  const auto add_problem = [&](std::string what, std::string allowed) {
    problems.add({.what = std::move(what), .allowed = std::move(allowed), .cure = {}});
  };
  if (velocities.size() != model.body_count()) {
    add_problem(fmt::format("velocities of {} are given for {}", counted(velocities.size(), "body", "bodies"),
                            model.body_count()),
                "wanted: one entry a body, empty where nothing is given");
  }
  const auto finite = [](const std::optional<Vec3<double>>& v) { return !v || is_finite(*v); };
  for (std::size_t b = 0; b < velocities.size(); ++b) {
    if (finite(velocities[b].v_N) && finite(velocities[b].w)) { continue; }
    add_problem(fmt::format("the given velocity of body {} is not finite", b), "wanted: finite numbers");
  }
  for (const StartValue& start : starts) {
    if (start.joint >= 0 && at(start.joint) < model.joint_count()) { continue; }
    add_problem(fmt::format("a start value for joint {}", start.joint),
                fmt::format("joints are numbered from 0, and there are {}", model.joint_count()));
  }
  for (const GivenPose& pose : put) {
    if (pose.body < 0 || at(pose.body) >= model.body_count()) {
      add_problem(fmt::format("a start position for body {}", pose.body),
                  fmt::format("bodies are numbered from 0, and there are {}", model.body_count()));
    } else if (floating.with(pose.body).empty()) {
      add_problem(fmt::format("a start position for body '{}', which joints hold to the ground",
                              model.bodies()[at(pose.body)].name),
                  "wanted: start values of its joints");
    }
  }
  std::move(problems).fail_if_any();
}

/// A given component weighs so many times its mass where velocities are projected: the more, the fewer projections it
/// takes until the given values are kept, and the sooner a row that moves heavy bodies alone looks like none.
constexpr double kHeld = 1e4;
/// Given values that are kept to this part of the largest speed are kept: joints at small angles to each other make
/// that much of rounding.
constexpr double kKept = 1e-10;
/// Projections have settled where the next one changes velocities by this part of the largest speed.
constexpr double kSettled = 1e-13;
/// Joints that open at this part of the largest speed do so by rounding.
constexpr double kClosedRate = 1e-13;

/// Largest difference of the velocities of two states, m/s.
double velocity_difference(const Model& model, std::span<const double> y1, std::span<const double> y2) {
  const double L = speed_length(model);
  double most = 0;
  for (BodyId b = 0; b < static_cast<BodyId>(model.body_count()); ++b) {
    const BodyView one = Model::view(y1, b);
    const BodyView other = Model::view(y2, b);
    most = std::max({most, norm(one.v_N - other.v_N), L * norm(one.w_B - other.w_B)});
  }
  return most;
}

/// What of the given velocities y does not keep: Assembly::changes.
void compare_with_given(const Model& model, const std::vector<StartValue>& starts,
                        const std::vector<GivenVelocity>& velocities, Assembly& assembly) {
  const double L = speed_length(model);
  const std::vector<double>& y = assembly.y;
  assembly.changes.clear();
  assembly.largest_speed = 0;
  const auto compare = [&](Assembly::Change::Of of, std::size_t index, const Vec3<double>& given,
                           const Vec3<double>& used, double length) {
    assembly.largest_speed = std::fmax(assembly.largest_speed, length * norm(given));
    assembly.changes.push_back({of, index, given, used, length * norm(used - given)});
  };
  for (std::size_t b = 0; b < model.body_count(); ++b) {
    const BodyView body = Model::view(y, static_cast<BodyId>(b));
    const GivenVelocity& given = velocities[b];
    assembly.largest_speed = std::max({assembly.largest_speed, norm(body.v_N), L * norm(body.w_B)});
    if (given.v_N) { compare(Assembly::Change::Of::velocity, b, *given.v_N, body.v_N, 1); }
    if (given.w) {
      compare(Assembly::Change::Of::rate, b, *given.w, given.w_in_space ? rotate(body.e_NB, body.w_B) : body.w_B, L);
    }
  }
  for (std::size_t i = 0; i < starts.size(); ++i) {
    if (!starts[i].rate || starts[i].driven) { continue; }
    const auto [first, second] = model.ends(y, starts[i].joint);
    compare(Assembly::Change::Of::coordinate, i, {*starts[i].rate, 0, 0},
            {joint_coordinate(starts[i].coordinate, first, second).rate, 0, 0}, is_angle(starts[i].coordinate) ? L : 1);
  }
  const auto kept = [&](const Assembly::Change& change) { return change.speed <= kKept * assembly.largest_speed; };
  std::erase_if(assembly.changes, kept);
}

/// Velocities that fulfil all constraints and keep what is given, where there are such; otherwise the nearest to what
/// is given. Projections weighed by mass, with the given components kHeld times as heavy, change these by what the rest
/// cannot do, and a little more; put back and projected again, the little more shrinks by kHeld each time.
void keep_given(const Model& rates, const ModelBuilder& with_rates, const ModelBuilder& with_drivers,
                const std::vector<StartValue>& starts, const std::vector<GivenVelocity>& velocities,
                Assembly& assembly) {
  compare_with_given(rates, starts, velocities, assembly);
  if (assembly.changes.empty()) { return; }
  std::vector<double>& y = assembly.y;
  const auto weighed = [&](ModelBuilder builder) {
    for (std::size_t b = 0; b < velocities.size(); ++b) {
      builder.weigh(static_cast<BodyId>(b), velocities[b].v_N ? kHeld : 1, velocities[b].w ? kHeld : 1);
    }
    return builder.build();
  };
  const Model held_rates = weighed(with_rates);
  Scratch scratch(held_rates);
  constexpr int kMostProjections = 200;
  for (int k = 0; k < kMostProjections; ++k) {
    const std::vector<double> last = y;
    give(velocities, y);
    project(held_rates, 0, y, scratch);
    compare_with_given(rates, starts, velocities, assembly);
    if (velocity_difference(rates, last, y) <= kSettled * assembly.largest_speed) { break; }
  }
  if (assembly.changes.empty()) {
    // to the last digit, where the joints allow it to theirs
    const std::vector<double> projected = y;
    give(velocities, y);
    if (residuals(held_rates, 0, y, scratch).velocity > kClosedRate * assembly.largest_speed) { y = projected; }
    return;
  }
  // rates of joints that contradict each other, or the joints, may have left a joint's own constraint out
  const Model held = weighed(with_drivers);
  Scratch of_held(held);
  project(held, 0, y, of_held);
  compare_with_given(rates, starts, velocities, assembly);
}

}  // namespace

double speed_length(const Model& model) {
  double longest = 0;
  for (const ModelConstraint& constraint : model.constraints()) {
    const double more = model.with(constraint.id, [](const auto& one) { return constraint::reach(one); });
    for (const ConstraintEnd& end : constraint.ends) {
      if (end.body != kGround) { longest = std::fmax(longest, norm(end.lever_B) + more); }
    }
  }
  return longest > 0 ? longest : 1;
}

FloatingGroups::FloatingGroups(const Model& model) : group_of_(model.body_count()) {
  // the last number stands for ground
  std::vector<std::size_t> leader(model.body_count() + 1);
  std::iota(leader.begin(), leader.end(), std::size_t{0});
  const auto find = [&](BodyId body) {
    std::size_t k = body == kGround ? model.body_count() : at(body);
    while (leader[k] != k) { k = leader[k] = leader[leader[k]]; }
    return k;
  };
  for (const JointDescription& joint : model.joints()) { leader[find(joint.first)] = find(joint.second); }
  std::vector<std::size_t> number(leader.size(), 0);  // of a group, by leader; 0: held
  groups_.emplace_back();
  for (std::size_t b = 0; b < model.body_count(); ++b) {
    const std::size_t found = find(static_cast<BodyId>(b));
    if (found == find(kGround)) { continue; }
    if (number[found] == 0) {
      number[found] = groups_.size();
      groups_.emplace_back();
    }
    group_of_[b] = number[found];
    groups_[number[found]].push_back(static_cast<BodyId>(b));
  }
}

const std::vector<BodyId>& FloatingGroups::with(BodyId body) const { return groups_[group_of_[at(body)]]; }

Assembly assemble(const ModelBuilder& builder, const std::vector<StartValue>& starts, const std::vector<GivenPose>& put,
                  const std::vector<GivenVelocity>& velocities) {
  // the given coordinates are held by drivers, whose values go from those of the drawing to those asked for
  struct Held {
    std::vector<double> value;
    std::vector<double> rate;
  };
  const auto held = std::make_shared<Held>();
  held->value.resize(starts.size());
  held->rate.resize(starts.size());
  ModelBuilder with_positions = builder;
  ModelBuilder with_rates = builder;
  ModelBuilder with_drivers = builder;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const auto law = [held, i](double) { return std::array<double, 3>{held->value[i], held->rate[i], 0}; };
    const Driver driver{"start", starts[i].joint, starts[i].coordinate, law};
    if (starts[i].value) { with_positions.add(driver); }
    if (starts[i].rate) { with_rates.add(driver); }
    if (starts[i].rate && starts[i].driven) { with_drivers.add(driver); }
  }
  const Model positioned = with_positions.build();
  const FloatingGroups floating(positioned);
  require_fitting(positioned, floating, starts, put, velocities);
  const Model rates = with_rates.build();
  Assembly result;
  result.y = positioned.start();
  std::vector<double>& y = result.y;
  const double enough = kClosed * positioned.length();
  const auto coordinate_now = [&](const StartValue& start) {
    const auto [first, second] = positioned.ends(y, start.joint);
    return joint_coordinate(start.coordinate, first, second).value;
  };
  const auto close = [&](const Model& model, Scratch& scratch) {
    const ProjectionReport report = project(model, 0, y, scratch);
    if (report.residual <= enough) { return true; }
    result.failure = widest_gap(model, 0, y);
    double most = -1;
    for (std::size_t j = 0; j < model.joint_count(); ++j) {
      const double gap = joint_gap(model, y, static_cast<int>(j));
      if (!(gap <= most)) {
        most = gap;
        result.open_joint = static_cast<int>(j);
      }
    }
    return false;
  };

  // close the drawing
  for (std::size_t i = 0; i < starts.size(); ++i) { held->value[i] = coordinate_now(starts[i]); }
  const std::vector<double> drawn = y;
  Scratch scratch(positioned);
  if (!close(positioned, scratch)) { return result; }
  for (std::size_t b = 0; b < positioned.body_count(); ++b) {
    const BodyView before = Model::view(drawn, static_cast<BodyId>(b));
    const BodyView after = Model::view(y, static_cast<BodyId>(b));
    const EulerParameters<double> turn = conjugate(before.e_NB) * after.e_NB;
    result.closing.push_back({norm(after.r_N - before.r_N), 2 * math::atan2(norm(turn.ev), std::fabs(turn.e0))});
  }

  // go where the start is asked for
  std::vector<double> way(starts.size());
  double longest = 0;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    held->value[i] = coordinate_now(starts[i]);
    if (!starts[i].value) { continue; }
    way[i] = *starts[i].value - held->value[i];
    const bool turns = is_angle(starts[i].coordinate);
    if (turns) { way[i] = std::remainder(way[i], 2 * math::kPi<double>); }
    longest = std::fmax(longest, std::fabs(way[i]) / (turns ? 1 : positioned.length()));
  }
  const int steps = static_cast<int>(std::fmin(std::ceil(longest / kStep), 10000));
  const std::vector<double> from = held->value;
  for (int k = 1; k <= steps; ++k) {
    std::vector<Increment> increments(positioned.joint_count());
    for (std::size_t i = 0; i < starts.size(); ++i) {
      if (!starts[i].value) { continue; }
      const double next = k == steps ? from[i] + way[i] : from[i] + way[i] * k / steps;
      add(increments[at(starts[i].joint)], starts[i].coordinate, next - held->value[i]);
      held->value[i] = next;
    }
    move(positioned, increments, y);
    if (!close(positioned, scratch)) { return result; }
  }

  // put what floats where it starts
  for (const GivenPose& start : put) {
    const BodyView now = Model::view(y, start.body);
    Displacement moved;
    if (start.e_NB) { moved.e = normalized(*start.e_NB * conjugate(now.e_NB)); }
    const Vec3<double> origin_N = positioned.point_N(y, start.body, {});
    moved.d = start.r_N.value_or(origin_N) - rotate(moved.e, origin_N);
    for (const BodyId b : floating.with(start.body)) {
      BodyView body = Model::view(y, b);
      body.r_N = moved(body.r_N);
      body.e_NB = normalized(moved.e * body.e_NB);
      Model::set(y, b, body);
    }
  }

  // velocities: as the bodies have them, as the joints bring them, and the nearest that are possible
  std::vector<Increment> increments(positioned.joint_count());
  for (std::size_t i = 0; i < starts.size(); ++i) {
    if (!starts[i].rate) { continue; }
    held->rate[i] = *starts[i].rate;
    held->value[i] = coordinate_now(starts[i]);
    add(increments[at(starts[i].joint)], starts[i].coordinate, *starts[i].rate);
  }
  for (std::size_t b = 0; b < positioned.body_count(); ++b) {
    BodyView body = Model::view(y, static_cast<BodyId>(b));
    body.v_N = {};
    body.w_B = {};
    Model::set(y, static_cast<BodyId>(b), body);
  }
  give(velocities, y);
  follow(positioned, increments, velocities, y);
  Scratch of_rates(rates);
  static_cast<void>(close(rates, of_rates));
  keep_given(rates, with_rates, with_drivers, starts, velocities, result);
  return result;
}

}  // namespace polhode::simulation
