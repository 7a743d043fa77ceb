// The same mechanism told in another way moves in the same way.
#include "multibody/mechanisms.h"
#include "multibody/random_mechanism.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace polhode;
using test::Random;

namespace {

/// Another way to tell: a world that is turned and shifted, other units, bodies and joints in another order.
struct Retelling {
  EulerParameters<double> turn = EulerParameters<double>::identity();
  Vec3<double> shift{};
  double length = 1, mass = 1, time = 1;
  std::vector<BodyId> order{};  ///< order[k]: the old number of the new body k; empty: as it was
  bool joints_reversed = false;

  Vec3<double> position(const Vec3<double>& r) const { return rotate(turn, length * r) + shift; }
  double force() const { return mass * length / (time * time); }
};

BodyId new_number(const Retelling& how, BodyId old) {
  if (old < 0 || how.order.empty()) { return old; }
  return static_cast<BodyId>(std::find(how.order.begin(), how.order.end(), old) - how.order.begin());
}

Model retold(const Model& model, const Retelling& how) {
  ModelBuilder builder;
  const double speed = how.length / how.time;
  builder.gravity(rotate(how.turn, (speed / how.time) * model.gravity_N()));
  const auto number = [&](BodyId old) { return new_number(how, old); };
  const auto frame = [&](BodyId body, const FrameOnBody& f) -> FrameOnBody {
    if (body < 0) { return {how.position(f.r_BF_B), how.turn * f.e_BF}; }
    return {how.length * f.r_BF_B, f.e_BF};
  };
  for (std::size_t k = 0; k < model.body_count(); ++k) {
    const BodyDescription& body = model.bodies()[how.order.empty() ? k : static_cast<std::size_t>(how.order[k])];
    MassProperties mass = body.mass;
    mass.mass *= how.mass;
    mass.center_B = how.length * mass.center_B;
    mass.J_B = (how.mass * how.length * how.length) * mass.J_B;
    const BodyStart start{how.position(body.start.r_N), how.turn * body.start.e_NB,
                          rotate(how.turn, speed * body.start.v_N), body.start.w_B / how.time};
    builder.body(body.name, mass, start);
  }
  const std::size_t joints = model.joint_count();
  for (std::size_t k = 0; k < joints; ++k) {
    const JointDescription& joint = model.joints()[how.joints_reversed ? joints - 1 - k : k];
    builder.joint(joint.kind->name, joint.name, number(joint.first), frame(joint.first, joint.on_first),
                  number(joint.second), frame(joint.second, joint.on_second), how.length * joint.parameter);
  }
  for (Spring spring : model.springs()) {
    const auto point = [&](BodyId body, const Vec3<double>& r) { return body < 0 ? how.position(r) : how.length * r; };
    spring.on_first_B = point(spring.first, spring.on_first_B);
    spring.on_second_B = point(spring.second, spring.on_second_B);
    spring.first = number(spring.first);
    spring.second = number(spring.second);
    spring.stiffness *= how.force() / how.length;
    spring.damping *= how.force() / speed;
    spring.free_length *= how.length;
    spring.force *= how.force();
    builder.add(spring);
  }
  return builder.build();
}

/// Largest difference between a mechanism and the same retold, relative to the largest acceleration or reaction.
double difference(const Model& model, const Retelling& how, bool forget_turn = false) {
  const Model other = retold(model, how);
  const auto evaluated = [](const Model& m, std::vector<Reaction>& forces, Scratch& scratch) {
    const std::vector<double> y = test::consistent_start(m);
    std::vector<double> ydot(y.size());
    evaluate(m, 0, y, ydot, scratch);
    forces.resize(m.joint_count());
    reactions(m, y, scratch, forces);
  };
  Scratch a(model);
  Scratch b(other);
  std::vector<Reaction> forces_a;
  std::vector<Reaction> forces_b;
  evaluated(model, forces_a, a);
  evaluated(other, forces_b, b);
  const EulerParameters<double> turn = forget_turn ? EulerParameters<double>::identity() : how.turn;
  double off = 0;
  double size = 1;
  for (BodyId k = 0; k < static_cast<BodyId>(model.body_count()); ++k) {
    const Pair was = acceleration_of(model, a, k);
    const Pair is = acceleration_of(other, b, new_number(how, k));
    const double t2 = how.time * how.time;
    off = std::max(
        {off, norm(rotate(turn, was.lin) - (t2 / how.length) * is.lin), norm(rotate(turn, was.ang) - t2 * is.ang)});
    size = std::max({size, norm(was.lin), norm(was.ang)});
  }
  for (std::size_t j = 0; j < model.joint_count(); ++j) {
    const Reaction& was = forces_a[j];
    const Reaction& is = forces_b[static_cast<std::size_t>(other.joint(model.joints()[j].name))];
    off = std::max({off, norm(rotate(turn, was.force_N) - is.force_N / how.force()),
                    norm(rotate(turn, was.moment_N) - is.moment_N / (how.force() * how.length))});
    size = std::max({size, norm(was.force_N), norm(was.moment_N)});
  }
  return off / size;
}

/// Trees and loops without redundant constraints, with a spring to ground and one between bodies.
Model some_mechanism(Random& random, int k) {
  ModelBuilder builder = test::random_mechanism(
      random, {4 + k % 3, k % 2, k % 3 == 0, {"revolute", "spherical", "universal", "cylindrical"}, {"distance"}});
  builder.add(Spring{0, random.vector(0.5), kGround, random.vector(2), 20, 1, 0.3, 0});
  builder.add(Spring{1, random.vector(0.5), 2, random.vector(0.5), 20, 1, 0.3, 2});
  return builder.build();
}

}  // namespace

TEST_CASE("a turned and shifted world turns accelerations and reactions, and changes nothing else") {
  Random random(61);
  double twin = 0;
  for (int k = 0; k < 8; ++k) {
    const Model model = some_mechanism(random, k);
    Retelling how;
    how.turn = random.attitude();
    how.shift = random.vector(3);
    CHECK(difference(model, how) < 1e-10);  // rounding, and Newton's method to close the joints
    twin = std::max(twin, difference(model, how, true));
  }
  CHECK(twin > 0.1);
}

TEST_CASE("the order in which bodies and joints are told does not matter") {
  Random random(62);
  for (int k = 0; k < 8; ++k) {
    const Model model = some_mechanism(random, k);
    Retelling how;
    how.order.resize(model.body_count());
    std::iota(how.order.begin(), how.order.end(), 0);
    std::reverse(how.order.begin(), how.order.end());
    std::swap(how.order.front(), how.order[1]);
    how.joints_reversed = true;
    CHECK(difference(model, how) < 1e-9);  // another tree, so another order of elimination
  }
}

TEST_CASE("other units of length, mass and time give the same motion in them") {
  Random random(63);
  double twin = 0;
  for (int k = 0; k < 8; ++k) {
    const Model model = some_mechanism(random, k);
    Retelling how;
    how.length = 1000;
    how.mass = 1 / 0.45359237;
    how.time = 1.0 / 60;
    CHECK(difference(model, how) < 1e-9);
    how.time = 1;
    twin = std::max(twin, norm(retold(model, how).gravity_N() - model.gravity_N()));
  }
  CHECK(twin > 1000);  // the numbers themselves are others
}

TEST_CASE("a body cut in two and welded together moves as before, and the weld carries what it must") {
  Random random(64);
  for (int k = 0; k < 6; ++k) {
    const MassProperties whole = test::random_body(random);
    // halves on both sides of the mass centre, each with half of what inertia is left
    const Vec3<double> d = random.vector(0.05);
    const Mat3<double> apart = whole.mass * (dot(d, d) * identity<double, 3>() - outer(d, d));
    MassProperties half = whole;
    half.mass = 0.5 * whole.mass;
    half.J_B = 0.5 * (whole.J_B - apart);
    MassProperties right = half;
    right.center_B += d;
    MassProperties left = half;
    left.center_B -= d;
    BodyStart start;
    start.r_N = random.vector(1);
    start.e_NB = random.attitude();
    start.w_B = random.vector(2);
    const Vec3<double> point = random.vector(1);
    const Vec3<double> axis = random.direction();
    const FrameOnBody seam = test::random_frame(random);
    const auto build = [&](bool cut) {
      ModelBuilder builder;
      builder.gravity({1, 2, -9});
      const BodyId first = builder.body("first", cut ? right : whole, start);
      builder.joint_at("universal", "cross", kGround, first, point, axis);
      if (cut) { builder.joint("weld", "weld", first, seam, builder.body("second", left, start), seam); }
      return builder.build();
    };
    const Model one = build(false);
    const Model two = build(true);
    const std::vector<double> y1 = test::consistent_start(one);
    const std::vector<double> y2 = test::consistent_start(two);
    std::vector<double> ydot1(y1.size());
    std::vector<double> ydot2(y2.size());
    Scratch s1(one);
    Scratch s2(two);
    evaluate(one, 0, y1, ydot1, s1);
    evaluate(two, 0, y2, ydot2, s2);
    const Pair a = acceleration_of(one, s1, 0);
    for (const BodyId b : {0, 1}) { CHECK(norm(acceleration_of(two, s2, b).ang - a.ang) < 1e-9); }
    // the mean of both centres is the centre of the whole
    CHECK(norm(0.5 * (acceleration_of(two, s2, 0).lin + acceleration_of(two, s2, 1).lin) - a.lin) < 1e-9);
    std::vector<Reaction> r1(1);
    std::vector<Reaction> r2(2);
    reactions(one, y1, s1, r1);
    reactions(two, y2, s2, r2);
    CHECK(norm(r1[0].force_N - r2[0].force_N) < 1e-9);
    CHECK(norm(r1[0].moment_N - r2[0].moment_N) < 1e-9);
    CHECK(norm(r2[1].force_N) > 0.1);
  }
}
