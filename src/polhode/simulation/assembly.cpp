#include "polhode/simulation/assembly.h"

#include "polhode/core/index.h"
#include "polhode/rotation/axis_angle.h"
#include "polhode/simulation/mechanism.h"

#include <cmath>
#include <memory>

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

/// Joints in the order in which bodies are reached from ground, each body once; then from bodies that nothing holds.
struct Reach {
  int joint;
  BodyId known;  ///< may be ground
  BodyId next;
};
std::vector<Reach> spanning_order(const Model& model, const std::vector<bool>& known_already) {
  std::vector<bool> known = known_already;
  std::vector<Reach> order;
  const auto is_known = [&](BodyId b) { return b == kGround || known[at(b)]; };
  for (std::size_t begin = 0; begin <= model.body_count(); ++begin) {
    for (bool found = true; found;) {
      found = false;
      for (std::size_t j = 0; j < model.joint_count(); ++j) {
        const JointDescription& joint = model.joints()[j];
        if (is_known(joint.first) == is_known(joint.second)) { continue; }
        const bool forward = is_known(joint.first);
        order.push_back(
            {static_cast<int>(j), forward ? joint.first : joint.second, forward ? joint.second : joint.first});
        known[at(order.back().next)] = true;
        found = true;
      }
    }
    if (begin < model.body_count()) { known[begin] = true; }  // floats
  }
  return order;
}

void move(const Model& model, const std::vector<Increment>& increments, std::span<double> y) {
  std::vector<Displacement> moved(model.body_count());
  const std::vector<double> before(y.begin(), y.end());
  for (const Reach& reach : spanning_order(model, std::vector<bool>(model.body_count()))) {
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

/// Velocities that follow from rates of joints; `rates` as Increment, a unit of time long.
void follow(const Model& model, const std::vector<Increment>& rates, const std::vector<bool>& own,
            std::span<double> y) {
  for (const Reach& reach : spanning_order(model, own)) {
    const auto [first, second] = model.ends(y, reach.joint);
    const Increment& more = rates[at(reach.joint)];
    const bool forward = reach.next == model.joints()[at(reach.joint)].second;
    const Vec3<double> w = more.turn * first.axis(2);
    const Vec3<double> u = first.axes * more.slide;
    const Vec3<double> P = second.point();
    const End<double>& from = forward ? first : second;
    const End<double>& to = forward ? second : first;
    const double side = forward ? 1 : -1;
    const Vec3<double> w_next = from.w + side * w;
    const Vec3<double> v_point = from.v + cross(from.w, P - from.r) + side * u;
    BodyView body = Model::view(y, reach.next);
    body.v_N = v_point - cross(w_next, P - to.r);
    body.w_B = rotate_back(body.e_NB, w_next);
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

}  // namespace

std::vector<BodyId> floating_with(const Model& model, BodyId body) {
  std::vector<bool> with(model.body_count());
  with[at(body)] = true;
  for (bool found = true; found;) {
    found = false;
    for (const JointDescription& joint : model.joints()) {
      const auto is_in = [&](BodyId b) { return b != kGround && with[at(b)]; };
      if (is_in(joint.first) == is_in(joint.second)) { continue; }
      const BodyId next = is_in(joint.first) ? joint.second : joint.first;
      if (next == kGround) { return {}; }
      with[at(next)] = true;
      found = true;
    }
  }
  std::vector<BodyId> list;
  for (std::size_t b = 0; b < with.size(); ++b) {
    if (with[b]) { list.push_back(static_cast<BodyId>(b)); }
  }
  return list;
}

Assembly assemble(const ModelBuilder& builder, const std::vector<StartValue>& starts,
                  const std::vector<StartPlace>& put, const std::vector<bool>& has_own_velocity) {
  // the given coordinates are held by drivers, whose values go from those of the drawing to those asked for
  struct Held {
    std::vector<double> value;
    std::vector<double> rate;
  };
  const auto held = std::make_shared<Held>();
  held->value.resize(starts.size());
  held->rate.resize(starts.size());
  ModelBuilder with_places = builder;
  ModelBuilder with_rates = builder;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const auto law = [held, i](double) { return std::array<double, 3>{held->value[i], held->rate[i], 0}; };
    const Driver driver{"start", starts[i].joint, starts[i].coordinate, law};
    if (starts[i].value) { with_places.add(driver); }
    if (starts[i].rate) { with_rates.add(driver); }
  }
  const Model places = with_places.build();
  const Model rates = with_rates.build();
  Assembly result;
  result.y = places.start();
  std::vector<double>& y = result.y;
  const double enough = kClosed * places.length();
  const auto coordinate_now = [&](const StartValue& start) {
    const auto [first, second] = places.ends(y, start.joint);
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
  Scratch scratch(places);
  if (!close(places, scratch)) { return result; }
  for (std::size_t b = 0; b < places.body_count(); ++b) {
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
    longest = std::fmax(longest, std::fabs(way[i]) / (turns ? 1 : places.length()));
  }
  const int steps = static_cast<int>(std::fmin(std::ceil(longest / kStep), 10000));
  const std::vector<double> from = held->value;
  for (int k = 1; k <= steps; ++k) {
    std::vector<Increment> increments(places.joint_count());
    for (std::size_t i = 0; i < starts.size(); ++i) {
      if (!starts[i].value) { continue; }
      const double next = k == steps ? from[i] + way[i] : from[i] + way[i] * k / steps;
      add(increments[at(starts[i].joint)], starts[i].coordinate, next - held->value[i]);
      held->value[i] = next;
    }
    move(places, increments, y);
    if (!close(places, scratch)) { return result; }
  }

  // put what floats where it starts
  for (const StartPlace& start : put) {
    const BodyView now = Model::view(y, start.body);
    Displacement moved;
    if (start.e_NB) { moved.e = normalized(*start.e_NB * conjugate(now.e_NB)); }
    const Vec3<double> origin_N = places.point_N(y, start.body, {});
    moved.d = start.r_N.value_or(origin_N) - rotate(moved.e, origin_N);
    for (const BodyId b : floating_with(places, start.body)) {
      BodyView body = Model::view(y, b);
      body.r_N = moved(body.r_N);
      body.e_NB = normalized(moved.e * body.e_NB);
      Model::set(y, b, body);
    }
  }

  // velocities: as the bodies have them, as the joints bring them, and the nearest that are possible
  std::vector<Increment> increments(places.joint_count());
  for (std::size_t i = 0; i < starts.size(); ++i) {
    if (!starts[i].rate) { continue; }
    held->rate[i] = *starts[i].rate;
    held->value[i] = coordinate_now(starts[i]);
    add(increments[at(starts[i].joint)], starts[i].coordinate, *starts[i].rate);
  }
  for (std::size_t b = 0; b < places.body_count(); ++b) {
    const BodyDescription& description = places.bodies()[b];
    BodyView body = Model::view(y, static_cast<BodyId>(b));
    body.w_B = description.start.w_B;
    body.v_N = description.start.v_N + cross(rotate(body.e_NB, body.w_B), rotate(body.e_NB, description.mass.center_B));
    Model::set(y, static_cast<BodyId>(b), body);
  }
  follow(places, increments, has_own_velocity, y);
  Scratch of_rates(rates);
  static_cast<void>(close(rates, of_rates));
  return result;
}

}  // namespace polhode::simulation
