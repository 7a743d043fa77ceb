// Loops: published mechanisms with redundant constraints, positions where the rank falls, and what they cost.
#include "multibody/mechanisms.h"
#include "multibody/random_mechanism.h"
#include "polhode/multibody/least_reactions.h"
#include "polhode/multibody/reference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

using namespace polhode;

namespace {

/// Windows of rods (1 kg, 1 m): uprights hinged to ground, bars hinged to their tops, all hinges about z, upright at
/// the start, the tops moving at 1 m/s.
Model four_bars(int windows, double speed = 1) {
  ModelBuilder builder;
  builder.gravity({0, -9.81, 0});
  const MassProperties rod = from_principal_moments(1, {1.0 / 12, 1e-3, 1.0 / 12});  // along y
  const MassProperties bar = from_principal_moments(1, {1e-3, 1.0 / 12, 1.0 / 12});  // along x
  std::vector<BodyId> uprights;
  for (int i = 0; i <= windows; ++i) {
    BodyStart start;
    start.r_N = {static_cast<double>(i), 0.5, 0};
    start.v_N = {0.5 * speed, 0, 0};
    start.w_B = {0, 0, -speed};
    uprights.push_back(builder.body("upright " + std::to_string(i), rod, start));
    builder.joint_at("revolute", "foot " + std::to_string(i), kGround, uprights.back(), {static_cast<double>(i), 0, 0},
                     {0, 0, 1});
  }
  for (int i = 0; i < windows; ++i) {
    BodyStart start;
    start.r_N = {i + 0.5, 1, 0};
    start.v_N = {speed, 0, 0};
    const BodyId b = builder.body("bar " + std::to_string(i), bar, start);
    const auto k = static_cast<std::size_t>(i);
    builder.joint_at("revolute", "left " + std::to_string(i), uprights[k], b, {static_cast<double>(i), 1, 0},
                     {0, 0, 1});
    builder.joint_at("revolute", "right " + std::to_string(i), b, uprights[k + 1], {i + 1.0, 1, 0}, {0, 0, 1});
  }
  return builder.build();
}

Model bricard() {
  ModelBuilder builder;
  builder.gravity({0, -9.81, 0});
  const std::vector<Vec3<double>> P{{0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
  const std::vector<Vec3<double>> axes{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
  std::vector<BodyId> rods;
  for (std::size_t i = 0; i < 5; ++i) {
    rods.push_back(test::add_rod(builder, "rod " + std::to_string(i + 1), P[i], P[i + 1], 1.01 / 12, 0.02 / 12));
  }
  for (std::size_t i = 0; i < 6; ++i) {
    builder.joint_at("revolute", "hinge " + std::to_string(i + 1), i == 0 ? kGround : rods[i - 1],
                     i == 5 ? kGround : rods[i], P[i], axes[i]);
  }
  return builder.build();
}

/// Loops in a row, each closed on the last body of the one before; nothing else touches ground.
Model chain_of_loops(int loops) {
  ModelBuilder builder;
  builder.gravity({0, -9.81, 0});
  const MassProperties rod = from_principal_moments(1, {1.0 / 12, 1e-2, 1.0 / 12});
  BodyId base = kGround;
  for (int i = 0; i < loops; ++i) {
    const double y = 2.0 * i;
    const auto add = [&](const char* name, double x, double height) {
      BodyStart start;
      start.r_N = {x, y + height, 0};
      return builder.body(name + std::to_string(i), rod, start);
    };
    const BodyId left = add("left ", 0, 0.5);
    const BodyId right = add("right ", 1, 0.5);
    const BodyId top = add("top ", 0.5, 1);
    const std::string n = std::to_string(i);
    builder.joint_at("revolute", "a" + n, base, left, {0, y, 0}, {0, 0, 1});
    builder.joint_at("revolute", "b" + n, base, right, {1, y, 0}, {0, 0, 1});
    builder.joint_at("revolute", "c" + n, left, top, {0, y + 1, 0}, {0, 0, 1});
    builder.joint_at("spherical", "d" + n, right, top, {1, y + 1, 0}, {0, 0, 1});
    base = top;
  }
  return builder.build();
}

/// Loops on one floating body.
Model star_of_loops(int loops) {
  ModelBuilder builder;
  const MassProperties ball = from_principal_moments(1, {0.1, 0.1, 0.1});
  const BodyId hub = builder.body("hub", ball, {});
  for (int i = 0; i < loops; ++i) {
    const double angle = 6.283 * i / loops;
    const Vec3<double> out{std::cos(angle), std::sin(angle), 0};
    const Vec3<double> side{-out.y, out.x, 0};
    BodyStart first;
    first.r_N = out + 0.1 * side;
    first.v_N = side;
    BodyStart second;
    second.r_N = out - 0.1 * side;
    const std::string n = std::to_string(i);
    const BodyId a = builder.body("a" + n, ball, first);
    const BodyId b = builder.body("b" + n, ball, second);
    builder.joint_at("spherical", "to a" + n, hub, a, 0.5 * first.r_N, {0, 0, 1});
    builder.joint_at("revolute", "to b" + n, hub, b, 0.5 * second.r_N, {0, 0, 1});
    builder.joint_at("spherical", "between " + n, a, b, out, {0, 0, 1});
  }
  return builder.build();
}

/// A four-bar whose hinges have the directions `axes` of a frame, at points of it; the whole turned by `e` and held by
/// ground or by a body that flies.
struct FourBarAnywhere {
  std::array<Vec3<double>, 4> points{{{0, 0, 0}, {0.2, 1, 0}, {1.3, 0.9, 0}, {1, 0, 0}}};
  std::array<Vec3<double>, 4> axes{{{0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}}};
  std::string closing = "revolute";
  EulerParameters<double> e{};
  bool flies = false;

  Model build() const {
    ModelBuilder builder;
    builder.gravity({0, -9.81, 0});
    const MassProperties box = from_principal_moments(1, {0.1, 0.07, 0.05});
    const auto body = [&](const char* name, const Vec3<double>& r) {
      BodyStart start;
      start.r_N = rotate(e, r);
      start.e_NB = e * exp(Vec3<double>{0.3, 0.2, -0.4});
      start.v_N = {0.1, 0.2, 0.3};
      start.w_B = {0.4, -0.3, 0.8};
      return builder.body(name, box, start);
    };
    const BodyId base = flies ? body("base", {0.5, -0.5, 0.1}) : kGround;
    const std::array<BodyId, 5> links{base, body("left", 0.5 * (points[0] + points[1])),
                                      body("bar", 0.5 * (points[1] + points[2])),
                                      body("right", 0.5 * (points[2] + points[3])), base};
    for (std::size_t i = 0; i < 4; ++i) {
      builder.joint_at(i == 2 ? closing : "revolute", "joint " + std::to_string(i), links[i], links[i + 1],
                       rotate(e, points[i]), rotate(e, axes[i]));
    }
    return builder.build();
  }
};
/// Rows of what closes the only loop that enter the elimination.
int acting_rows_of(const Model& model) {
  REQUIRE(model.elimination().closures.size() == 1);
  return model.elimination().closures.front().acting;
}

double against_dense(const Model& model, std::span<const double> y) {
  return test::acceleration_difference(model, y, dense_solution(model, 0, y));
}

}  // namespace

TEST_CASE("two four-bars pass their flat positions and stay where the exact motion is") {
  const Model model = four_bars(2);
  const MechanismSystem system(model);
  std::vector<double> y = model.start();
  Scratch scratch(model);
  // planar in space: of five rows of each loop two are needed
  const Mobility now = mobility(model, 0, y, scratch);
  CHECK(now.freedoms == 1);
  CHECK(now.redundant_rows == 6);
  CHECK(dense_solution(model, 0, y).freedoms == 1);
  // parallel uprights: 3 θ̈ = 3.5 g sin θ
  const std::vector<Vec3<double>> tops{
      {0.057815795768, 0.998327267863, 0}, {0.117616102376, 0.993059138451, 0}, {0.328458111536, 0.944518538180, 0}};
  const double before = energy(model, y).total();
  double gap = 0;
  test::run(system, y, {2, 4, 10}, 1e-9, [&](std::size_t i, std::span<const double> at) {
    CHECK(norm(model.point_N(at, 0, {0, 0.5, 0}) - tops[i]) < 1e-7);
    gap = std::max(gap, residuals(model, 0, at, scratch).position);
  });
  CHECK(gap < 1e-12);
  CHECK(std::fabs(energy(model, y).total() - before) < 1e-7);
}

TEST_CASE("where the rods of a four-bar lie flat it has one freedom more, and the elimination knows it") {
  const Model model = four_bars(1, 0);
  std::vector<double> y = model.start();
  // both uprights by a quarter turn to the right, the bar down
  const EulerParameters<double> turned{std::sqrt(0.5), {0, 0, -std::sqrt(0.5)}};
  Model::set(y, 0, {{0.5, 0, 0}, turned, {}, {}});
  Model::set(y, 1, {{1.5, 0, 0}, turned, {}, {}});
  Model::set(y, 2, {{1.5, 0, 0}, {1, {0, 0, 0}}, {}, {}});
  Scratch scratch(model);
  REQUIRE(residuals(model, 0, y, scratch).position < 1e-15);
  CHECK(mobility(model, 0, y, scratch).freedoms == 2);
  CHECK(dense_solution(model, 0, y).freedoms == 2);
  CHECK(against_dense(model, y) < 1e-12);
}

TEST_CASE("near their flat position two four-bars let go of their loops smoothly") {
  const Model model = four_bars(2, 0);
  Scratch scratch(model);
  std::vector<double> y = model.start();
  std::vector<double> ydot(y.size());
  std::vector<double> seen;
  int freedoms = 3;
  for (double delta = 1e-6; delta < 1e-3; delta *= 1.02) {
    // all uprights that far from lying to the right, at 1 rad/s
    const Vec3<double> up{std::cos(delta), std::sin(delta), 0};
    const Vec3<double> v{up.y, -up.x, 0};
    const EulerParameters<double> e = exp(Vec3<double>{0, 0, delta - 0.5 * math::kPi<double>});
    Model::set(y, 0, {0.5 * up, e, 0.5 * v, {0, 0, -1}});
    Model::set(y, 1, {Vec3<double>{1, 0, 0} + 0.5 * up, e, 0.5 * v, {0, 0, -1}});
    Model::set(y, 2, {Vec3<double>{2, 0, 0} + 0.5 * up, e, 0.5 * v, {0, 0, -1}});
    Model::set(y, 3, {up + Vec3<double>{0.5, 0, 0}, {1, {0, 0, 0}}, v, {0, 0, 0}});
    Model::set(y, 4, {up + Vec3<double>{1.5, 0, 0}, {1, {0, 0, 0}}, v, {0, 0, 0}});
    evaluate(model, 0, y, ydot, scratch);
    seen.push_back(acceleration_of(model, scratch, 1).ang.z);
    const int now = mobility(model, 0, y, scratch).freedoms;
    CHECK(now <= freedoms);
    freedoms = now;
  }
  CHECK(freedoms == 1);
  const double change = std::fabs(seen.back() - seen.front());
  CHECK(change > 0.1);
  double step = 0;
  for (std::size_t i = 1; i < seen.size(); ++i) { step = std::max(step, std::fabs(seen[i] - seen[i - 1])); }
  CHECK(step < 0.1 * change);  // a threshold has all of it in one step
}

TEST_CASE("ten four-bars through their flat positions: the cost grows with the tolerance, and errors do not") {
  constexpr int kWindows = 10;
  const Model model = four_bars(kWindows);
  const MechanismSystem system(model);
  // parallel uprights: ((n + 1)/3 + n) θ̈ = ((n + 1)/2 + n) g sin θ
  const double k = 9.81 * ((kWindows + 1) / 2.0 + kWindows) / ((kWindows + 1) / 3.0 + kWindows);
  double angle = 0;
  double rate = 1;
  constexpr int kSteps = 100000;
  const double h = 10.0 / kSteps;
  for (int i = 0; i < kSteps; ++i) {
    const double a1 = k * std::sin(angle);
    const double a2 = k * std::sin(angle + 0.5 * h * rate);
    const double a3 = k * std::sin(angle + 0.5 * h * rate + 0.25 * h * h * a1);
    const double a4 = k * std::sin(angle + h * rate + 0.5 * h * h * a2);
    angle += h * rate + h * h / 6 * (a1 + a2 + a3);
    rate += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  const auto run_at = [&](double tolerance, double error) {
    std::vector<double> y = model.start();
    const RunResult<double> result = test::run(system, y, {10}, tolerance, [](std::size_t, std::span<const double>) {});
    const Vec3<double> top = model.point_N(y, 0, {0, 0.5, 0});
    CHECK(norm(top - Vec3<double>{std::sin(angle), std::cos(angle), 0}) < error);
    return result.statistics.evaluations;
  };
  CHECK(run_at(1e-8, 3e-7) < 3000);
  CHECK(run_at(1e-10, 5e-9) < 12000);  // 22000 with a threshold
  CHECK(run_at(1e-12, 5e-9) < 24000);  // 92000
}

TEST_CASE("Bricard's mechanism moves although its rows say it cannot, and comes back") {
  const Model model = bricard();
  const MechanismSystem system(model);
  std::vector<double> y = model.start();
  Scratch scratch(model);
  CHECK(mobility(model, 0, y, scratch).freedoms == 1);
  CHECK(mobility(model, 0, y, scratch).redundant_rows == 1);
  CHECK(redundancies(model, 0, y).size() == 1);
  const std::vector<std::vector<double>> rows = test::rows_of("bricard.csv");
  std::vector<double> times;
  for (const std::vector<double>& row : rows) { times.push_back(row[0]); }
  const double before = energy(model, y).total();
  test::run(system, y, times, 1e-11, [&](std::size_t i, std::span<const double> at) {
    const Vec3<double> third = model.point_N(at, 1, {0, 0, 0.5});
    const Vec3<double> fifth = model.point_N(at, 3, {0, 0, 0.5});
    CHECK(norm(third - Vec3<double>{rows[i][1], rows[i][2], rows[i][3]}) < 1e-6);
    CHECK(norm(fifth - Vec3<double>{rows[i][4], rows[i][5], rows[i][6]}) < 1e-6);
  });
  CHECK(std::fabs(energy(model, y).total() - before) < 1e-8);
  CHECK(residuals(model, 0, y, scratch).position < 1e-12);
}

TEST_CASE("rows that hold by the structure of a loop stay out of the elimination, and it agrees with dense matrices") {
  test::Random random(41);
  FourBarAnywhere spherical;
  for (std::size_t i = 0; i < 4; ++i) {
    spherical.axes[i] = spherical.points[i] + Vec3<double>{-0.4, -0.3, 1.5};
    spherical.points[i] = spherical.axes[i];
  }
  FourBarAnywhere by_ball;
  by_ball.closing = "spherical";
  FourBarAnywhere by_cylinder;
  by_cylinder.closing = "cylindrical";
  const std::vector<std::pair<FourBarAnywhere, int>> loops{{{}, 2}, {spherical, 2}, {by_ball, 2}, {by_cylinder, 2}};
  for (const auto& [loop, acting] : loops) {
    for (int n = 0; n < 12; ++n) {
      FourBarAnywhere turned = loop;
      // the first as it is; one in the plane of a diagonal of space
      if (n > 0) { turned.e = random.attitude(); }
      if (n == 1) { turned.e = exp(std::acos(1 / std::sqrt(3.0)) / std::sqrt(2.0) * Vec3<double>{-1, 1, 0}); }
      turned.flies = n % 2 == 1;
      CAPTURE(turned.closing);
      CAPTURE(n);
      const Model model = turned.build();
      std::vector<double> y = model.start();
      Scratch scratch(model);
      project(model, 0, y, scratch);
      CHECK(acting_rows_of(model) == acting);
      // a quarter of the motion away, and opened: the rows that stay out close with the others
      for (std::size_t b = 0; b < model.body_count(); ++b) {
        BodyView body = Model::view(y, static_cast<BodyId>(b));
        body.r_N += random.vector(1e-3);
        body.e_NB = normalized(body.e_NB * exp(random.vector(1e-3)));
        Model::set(y, static_cast<BodyId>(b), body);
      }
      project(model, 0, y, scratch);
      CHECK(residuals(model, 0, y, scratch).position < 1e-13);
      CHECK(residuals(model, 0, y, scratch).velocity < 1e-12);
      const DenseSolution dense = dense_solution(model, 0, y);
      CHECK(mobility(model, 0, y, scratch).freedoms == dense.freedoms);
      CHECK(mobility(model, 0, y, scratch).freedoms == (turned.flies ? 7 : 1));
      CHECK(against_dense(model, y) < 1e-10);
      // redundant constraints are counted as before
      CHECK(mobility(model, 0, y, scratch).redundant_rows == static_cast<int>(model.row_count()) - dense.rank);
      CHECK(redundancies(model, 0, y).size() == model.row_count() - static_cast<std::size_t>(dense.rank));
      const LeastReactions least = least_reactions(model, y, scratch);
      for (std::size_t j = 0; j < 4; ++j) {
        CHECK(norm(least.reactions[j].force_N - dense.reactions[j].force_N) < 1e-9);
        CHECK(norm(least.reactions[j].moment_N - dense.reactions[j].moment_N) < 1e-9);
      }
    }
  }
}

TEST_CASE("a loop that is nearly plane keeps its rows, and so do loops that are nothing special") {
  FourBarAnywhere loop;
  for (std::size_t tilted = 0; tilted < 4; ++tilted) {
    for (const double tilt : {1e-6, 1e-9}) {
      FourBarAnywhere twin = loop;
      twin.axes[tilted].x = tilt;
      const Model model = twin.build();
      // with the axis of what closes the loop, all others move in a plane: 3 of its rows act, and lock it
      const bool closes = model.elimination().closures.front().joint == static_cast<int>(tilted);
      CHECK(acting_rows_of(model) == (closes ? 3 : 5));
    }
  }
  CHECK(acting_rows_of(bricard()) == 5);
  CHECK(acting_rows_of(loop.build()) == 2);
  // a loop closed by a ball, all hinges about the same axis but one across
  FourBarAnywhere ball;
  ball.closing = "spherical";
  ball.axes[0] = {1, 0, 0};
  const Model open = ball.build();
  CHECK(acting_rows_of(open) == 3);
}

TEST_CASE("a frame that does not fit the other one keeps the rows of the joint") {
  // hinges about z all, but the second frame of what closes the loop is turned by 1e-6: no position closes it
  const auto with_turn = [](double turn) {
    ModelBuilder builder;
    const MassProperties box = from_principal_moments(1, {0.1, 0.07, 0.05});
    BodyStart up;
    up.r_N = {0, 0.5, 0};
    const BodyId left = builder.body("left", box, up);
    up.r_N = {1, 0.5, 0};
    const BodyId right = builder.body("right", box, up);
    builder.joint_at("revolute", "a", kGround, left, {0, 0, 0}, {0, 0, 1});
    builder.joint_at("revolute", "b", kGround, right, {1, 0, 0}, {0, 0, 1});
    builder.joint("cylindrical", "c", left, {{0.5, 0, 0}, EulerParameters<double>::identity()}, right,
                  {{-0.5, 0, 0}, exp(Vec3<double>{turn, 0, 0})});
    return builder.build();
  };
  CHECK(acting_rows_of(with_turn(0)) == 2);
  CHECK(acting_rows_of(with_turn(1e-6)) == 4);
}

TEST_CASE("a door on two hinges of one axis has no loop left to eliminate") {
  ModelBuilder builder;
  builder.gravity({-9.81, 0, 0});
  BodyStart start;
  start.r_N = {0.5, 0, 0.2};
  start.w_B = {0, 1, 0};
  const BodyId door = builder.body("door", from_principal_moments(2, {0.1, 0.2, 0.2}), start);
  builder.joint_at("revolute", "upper", kGround, door, {0, 1, 0}, {0, 1, 0});
  builder.joint_at("cylindrical", "lower", kGround, door, {0, -1, 0}, {0, 1, 0});
  const Model model = builder.build();
  std::vector<double> y = model.start();
  Scratch scratch(model);
  project(model, 0, y, scratch);
  CHECK(acting_rows_of(model) == 0);
  CHECK(model.elimination().loop_numbers == 0);
  CHECK(against_dense(model, y) < 1e-12);
  CHECK(mobility(model, 0, y, scratch).redundant_rows == 4);
}

TEST_CASE("chains, windows and stars of loops: elimination and dense matrices agree") {
  for (const Model& model : {four_bars(5), chain_of_loops(5), star_of_loops(5)}) {
    const std::vector<double> y = test::consistent_start(model);
    Scratch scratch(model);
    CHECK(residuals(model, 0, y, scratch).velocity < 1e-12);
    CHECK(mobility(model, 0, y, scratch).freedoms == dense_solution(model, 0, y).freedoms);
    CHECK(against_dense(model, y) < 1e-10);
  }
}

TEST_CASE("chains, windows and stars of loops: the numbers kept grow as their count, and no faster") {
  const auto numbers = [](const Model& model) { return model.elimination().loop_numbers; };
  CHECK(numbers(four_bars(80)) < 2.1 * numbers(four_bars(40)));
  CHECK(numbers(chain_of_loops(80)) < 2.1 * numbers(chain_of_loops(40)));
  CHECK(numbers(star_of_loops(80)) < 2.1 * numbers(star_of_loops(40)));
  // a closed ring of many bodies has one long loop: also linear
  CHECK(numbers(four_bars(80)) > 1.9 * numbers(four_bars(40)));
}

TEST_CASE("a hinge doubled by another on the same axis: named, and its reactions halved") {
  ModelBuilder builder;
  builder.gravity({0, -9.81, 0});
  BodyStart start;
  start.r_N = {0.5, 0, 0};
  const BodyId door = builder.body("door", from_principal_moments(2, {0.1, 0.2, 0.2}), start);
  builder.joint_at("revolute", "upper", kGround, door, {0, 1, 0}, {0, 1, 0});
  builder.joint_at("revolute", "lower", kGround, door, {0, -1, 0}, {0, 1, 0});
  const Model model = builder.build();
  const std::vector<double> y = model.start();
  Scratch scratch(model);
  CHECK(mobility(model, 0, y, scratch).freedoms == 1);
  CHECK(mobility(model, 0, y, scratch).redundant_rows == 5);
  const DenseSolution dense = dense_solution(model, 0, y);
  CHECK(dense.rank == 5);
  CHECK_FALSE(dense.determined[0]);
  // the weight is shared; what turns the door is held by forces and moments of equal size above and below
  CHECK(std::fabs(dense.reactions[0].force_N.y - 9.81) < 1e-12);
  CHECK(std::fabs(dense.reactions[1].force_N.y - 9.81) < 1e-12);
  CHECK(std::fabs(dense.reactions[0].force_N.x + dense.reactions[1].force_N.x) < 1e-12);
  const double by_forces =
      -2 * dense.reactions[0].force_N.x + dense.reactions[0].moment_N.z + dense.reactions[1].moment_N.z;
  CHECK(std::fabs(by_forces - 0.5 * 2 * 9.81) < 1e-11);
  const std::vector<Redundancy> named = redundancies(model, 0, y);
  REQUIRE(named.size() == 5);
  int both = 0;
  for (const Redundancy& r : named) {
    both += r.text.find("'upper' and 'lower' both fix") != std::string::npos;
    CHECK(r.text.find("of body 'door'") != std::string::npos);
  }
  CHECK(both == 5);
}

TEST_CASE("reactions of least size are no larger than those of the elimination, and balance as well") {
  const Model model = four_bars(2);
  const std::vector<double> y = model.start();
  Scratch scratch(model);
  std::vector<double> ydot(y.size());
  evaluate(model, 0, y, ydot, scratch);
  std::vector<Reaction> any(model.joint_count());
  reactions(model, y, scratch, any);
  const DenseSolution dense = dense_solution(model, 0, y);
  const auto size = [&](const std::vector<Reaction>& list) {
    double sum = 0;
    for (const Reaction& r : list) {
      sum += dot(r.force_N, r.force_N) + dot(r.moment_N, r.moment_N) / (model.length() * model.length());
    }
    return sum;
  };
  CHECK(size(dense.reactions) <= size(any) * (1 + 1e-12));
  for (const std::vector<Reaction>& list : {any, dense.reactions}) {
    Vec3<double> from_ground{};
    for (std::size_t j = 0; j < 3; ++j) { from_ground += list[j].force_N; }
    Vec3<double> rate{};
    for (std::size_t b = 0; b < model.body_count(); ++b) {
      rate += acceleration_of(model, scratch, static_cast<BodyId>(b)).lin - model.gravity_N();
    }
    CHECK(norm(from_ground - rate) < 1e-11);
  }
}

TEST_CASE("reactions of least size loop by loop are those of the dense solution, and so are the flags") {
  test::Random random(32);
  std::vector<Model> models{four_bars(3), bricard(), chain_of_loops(3), star_of_loops(4)};
  for (int k = 0; k < 12; ++k) {
    models.push_back(test::random_mechanism(random, {4 + k % 4,
                                                     1 + k % 3,
                                                     k % 3 == 0,
                                                     {"revolute", "cylindrical", "prismatic"},
                                                     {"spherical", "revolute", "point-on-line"}})
                         .build());
  }
  int undetermined = 0;
  double twin = 0;
  for (const Model& model : models) {
    const std::vector<double> y = test::consistent_start(model);
    const DenseSolution dense = dense_solution(model, 0, y);
    if (dense.least_kept < 1e-3) { continue; }  // nearly singular: the two do not call the same zero
    Scratch scratch(model);
    std::vector<double> ydot(y.size());
    evaluate(model, 0, y, ydot, scratch);
    const LeastReactions least = least_reactions(model, y, scratch);
    std::vector<Reaction> any(model.joint_count());
    reactions(model, y, scratch, any);
    LeastReactionSolver solver(model);
    std::vector<Reaction> sparse(model.joint_count());
    solver.solve(y, scratch, sparse);
    CHECK(least.redundant_rows == dense.rows - dense.rank);
    CHECK(redundancies(model, 0, y).size() == static_cast<std::size_t>(least.redundant_rows));
    double size = 1;
    for (const Reaction& r : dense.reactions) { size = std::max({size, norm(r.force_N), norm(r.moment_N)}); }
    for (std::size_t j = 0; j < model.joint_count(); ++j) {
      CAPTURE(j);
      CHECK(least.determined[j] == dense.determined[j]);
      undetermined += !least.determined[j];
      CHECK(norm(least.reactions[j].force_N - dense.reactions[j].force_N) < 1e-8 * size);
      CHECK(norm(least.reactions[j].moment_N - dense.reactions[j].moment_N) < 1e-8 * size);
      CHECK(norm(sparse[j].force_N - dense.reactions[j].force_N) < 1e-8 * size);
      CHECK(norm(sparse[j].moment_N - dense.reactions[j].moment_N) < 1e-8 * size);
      twin = std::max(twin, norm(any[j].moment_N - dense.reactions[j].moment_N));
    }
  }
  CHECK(undetermined > 20);
  CHECK(twin > 0.1);  // what the elimination leaves is another choice
}

TEST_CASE("reactions of least size where drivers and gears share the work: those of the dense solution") {
  ModelBuilder builder;
  builder.gravity({1, -9.81, 0.5});
  BodyStart start;
  start.r_N = {0.5, 0, 0};
  const BodyId door = builder.body("door", from_principal_moments(2, {0.1, 0.2, 0.2}), start);
  const int upper = builder.joint_at("revolute", "upper", kGround, door, {0, 1, 0}, {0, 1, 0});
  builder.joint_at("revolute", "lower", kGround, door, {0, -1, 0}, {0, 1, 0});
  start.r_N = {2, 0, 0};
  const BodyId wheel = builder.body("wheel", from_principal_moments(1, {0.1, 0.2, 0.1}), start);
  const int axle = builder.joint_at("revolute", "axle", kGround, wheel, {2, 0, 0}, {0, 1, 0});
  builder.joint_at("cylindrical", "second bearing", kGround, wheel, {2, 1, 0}, {0, 1, 0});
  builder.add(Coupling{"gears", upper, Coordinate::turn, 2, axle, Coordinate::turn, 1, 0});
  builder.add(Driver{"motor", axle, Coordinate::turn, [](double t) { return std::array<double, 3>{t * t, 2 * t, 2}; }});
  const Model model = builder.build();
  const std::vector<double> y = test::consistent_start(model);
  const DenseSolution dense = dense_solution(model, 0, y);
  Scratch scratch(model);
  std::vector<double> ydot(y.size());
  evaluate(model, 0, y, ydot, scratch);
  LeastReactionSolver solver(model);
  std::vector<Reaction> sparse(model.joint_count());
  for (const int again : {0, 1}) {
    CAPTURE(again);
    solver.solve(y, scratch, sparse);
    for (std::size_t j = 0; j < model.joint_count(); ++j) {
      CHECK(norm(sparse[j].force_N - dense.reactions[j].force_N) < 1e-9);
      CHECK(norm(sparse[j].moment_N - dense.reactions[j].moment_N) < 1e-9);
    }
  }
}

TEST_CASE("reactions of least size: their factor grows as the number of loops, and no faster") {
  const auto numbers = [](const Model& model) {
    const std::vector<double> y = test::consistent_start(model);
    Scratch scratch(model);
    std::vector<double> ydot(y.size());
    evaluate(model, 0, y, ydot, scratch);
    LeastReactionSolver solver(model);
    std::vector<Reaction> sparse(model.joint_count());
    solver.solve(y, scratch, sparse);
    return static_cast<double>(solver.factor_size());
  };
  CHECK(numbers(four_bars(80)) < 2.1 * numbers(four_bars(40)));
  CHECK(numbers(chain_of_loops(80)) < 2.1 * numbers(chain_of_loops(40)));
  CHECK(numbers(star_of_loops(80)) < 2.1 * numbers(star_of_loops(40)));
}

TEST_CASE("self-stress of a redundancy holds every body in balance") {
  const Model model = four_bars(2);
  const std::vector<double> y = model.start();
  const std::vector<Redundancy> found = redundancies(model, 0, y);
  REQUIRE(found.size() == 6);
  for (const Redundancy& r : found) {
    for (BodyId b = 0; b < static_cast<BodyId>(model.body_count()); ++b) {
      Vec3<double> force{};
      Vec3<double> moment{};
      for (std::size_t i = 0; i < r.joints.size(); ++i) {
        const JointDescription& joint = model.joints()[static_cast<std::size_t>(r.joints[i])];
        const double sign = joint.second == b ? 1 : joint.first == b ? -1 : 0;
        const Vec3<double> at = model.ends(y, r.joints[i]).second.point();
        force += sign * r.wrenches[i].force_N;
        moment += sign * (model.length() * r.wrenches[i].moment_N + cross(at, r.wrenches[i].force_N));
      }
      CHECK(norm(force) < 1e-12);
      CHECK(norm(moment) < 1e-12);
    }
  }
}

TEST_CASE("projection finds the nearest state by mass: what it changes does no work on what joints allow") {
  test::Random random(31);
  for (int k = 0; k < 10; ++k) {
    const Model model = test::random_mechanism(random, {5, 1, false, {"revolute", "spherical"}, {"distance"}}).build();
    const std::vector<double> good = test::consistent_start(model);
    std::vector<double> y = good;
    for (double& x : y) { x += random.between(-1e-3, 1e-3); }
    Scratch scratch(model);
    CHECK(residuals(model, 0, y, scratch).position > 1e-4);
    const ProjectionReport report = project(model, 0, y, scratch);
    CHECK(report.iterations <= 5);
    const Residuals left = residuals(model, 0, y, scratch);
    CHECK(left.position < 1e-13);
    CHECK(left.velocity < 1e-12);
    double moved = 0;
    for (std::size_t i = 0; i < y.size(); ++i) { moved = std::max(moved, std::fabs(y[i] - good[i])); }
    CHECK(moved < 0.1);
    // velocities: the change is across, in the metric of mass, to every allowed velocity (here: a projected random one)
    std::vector<double> before = y;
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (i % 13 >= 7) { before[i] += random.between(-1, 1); }
    }
    std::vector<double> after = before;
    project(model, 0, after, scratch);
    std::vector<double> allowed = y;
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (i % 13 >= 7) { allowed[i] = random.between(-1, 1); }
    }
    project(model, 0, allowed, scratch);
    double work = 0;
    for (std::size_t b = 0; b < model.body_count(); ++b) {
      const auto id = static_cast<BodyId>(b);
      const BodyView from = Model::view(before, id);
      const BodyView to = Model::view(after, id);
      const BodyView u = Model::view(allowed, id);
      const MassProperties& mass = model.bodies()[b].mass;
      work += mass.mass * dot(to.v_N - from.v_N, u.v_N) + dot(mass.J_B * (to.w_B - from.w_B), u.w_B);
    }
    CHECK(std::fabs(work) < 1e-11);
  }
}
