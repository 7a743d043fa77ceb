// Constraints on velocities, and Euler parameters as coordinates.
#include "multibody/mechanisms.h"
#include "multibody/random_mechanism.h"
#include "polhode/core/error.h"
#include "polhode/math/degree.h"
#include "polhode/multibody/constraint_rows.h"
#include "polhode/multibody/euler_forms.h"

#include <algorithm>
#include <cmath>

using namespace polhode;
using test::Random;

TEST_CASE("a coin rolls as published, and is carried by the plane as published") {
  ModelBuilder builder;
  builder.gravity({0, 0, -9.81});
  const double r = 0.01;
  const double lean = math::kDegree;
  BodyStart start;
  start.e_NB = exp(Vec3<double>{0, lean, 0});
  start.r_N = {r * math::sin(lean), 0, r * math::cos(lean)};
  const Vec3<double> w_N{0, 0, 10 * math::kPi<double>};
  start.w_B = rotate_back(start.e_NB, w_N);
  start.v_N = cross(w_N, start.r_N);  // the contact is the origin
  const BodyId coin = builder.body("coin", from_principal_moments(1, {0.5 * r * r, 0.25 * r * r, 0.25 * r * r}), start);
  Rolling rolling;
  rolling.name = "edge";
  rolling.body = coin;
  rolling.axis_B = {1, 0, 0};
  rolling.radius = r;
  builder.add(rolling);
  const Model model = builder.build();
  const MechanismSystem system(model);
  std::vector<double> y = model.start();
  Scratch scratch(model);
  CHECK(residuals(model, 0, y, scratch).velocity < 1e-15);
  CHECK(mobility(model, 0, y, scratch).freedoms == 3);
  const double before = energy(model, y).total();
  // Exudyn's rollingCoinTest, after Rill and Schaeffer (2010): 0.002004099927 at 0.5 s with steps of 5e-4 s; these by
  // an integrator of order 8 to 1e-12
  const std::vector<Vec3<double>> contacts{
      {0.00140708380, 0.00145518325, 0}, {0.000236636243, -0.00101025642, 0}, {0.00200494702, 0.00259692310, 0}};
  test::run(system, y, {0.1, 0.3, 0.5}, 1e-12, [&](std::size_t i, std::span<const double> at) {
    const End<double> end = model.end(at, model.constraint({kConstraintKind<Rolling>, 0}).ends[1]);
    CHECK(norm(end.r + rolling.contact_lever(end) - contacts[i]) < 2e-11);
  });
  std::vector<double> ydot(y.size());
  evaluate(model, 0.5, y, ydot, scratch);
  const Vec3<double> force_N = with_constraint_now(model, y, scratch, {kConstraintKind<Rolling>, 0},
                                                   [](const ConstraintNow& now) { return now.on(1).lin; });
  CHECK(norm(force_N - Vec3<double>{-0.80781349, -0.63491378, 9.83551981}) < 1e-6);
  CHECK(std::fabs(energy(model, y).total() - before) < 1e-11);
  CHECK(residuals(model, 0, y, scratch).position < 1e-14);
}

TEST_CASE("rolling and blades: the rows are derivatives of each other") {
  Random random(41);
  for (int k = 0; k < 20; ++k) {
    ModelBuilder builder;
    BodyStart start;
    start.r_N = random.vector(1);
    start.e_NB = random.attitude();
    const BodyId body = builder.body("wheel", test::random_body(random), start);
    Rolling rolling;
    rolling.name = "rim";
    rolling.body = body;
    rolling.center_B = random.vector(0.3);
    rolling.axis_B = random.direction();
    rolling.radius = k % 3 == 0 ? 0 : 0.4;
    rolling.edge_radius = k % 2 == 0 ? 0.1 : 0.0;
    if (rolling.radius == 0) { rolling.edge_radius = 0.2; }
    rolling.normal_N = random.direction();
    builder.add(rolling);
    Blade blade;
    blade.name = "blade";
    blade.body = body;
    blade.point_B = random.vector(0.3);
    blade.across_B = random.direction();
    builder.add(blade);
    const Model model = builder.build();
    std::vector<double> y = model.start();
    for (std::size_t i = 7; i < 13; ++i) { y[i] = random.between(-1, 1); }
    // any acceleration: rates of the rows' velocities against C a − γ, by central differences
    const Pair a{random.vector(1), random.vector(1)};
    const auto velocities = [&](double t) {
      std::vector<double> at = y;
      const BodyView b = Model::view(y, body);
      const Vec3<double> wdot_B = rotate_back(b.e_NB, a.ang);
      const EulerParameters<double> edot = rate_from_body(b.e_NB, b.w_B);
      const EulerParameters<double> eddot = acceleration_from_body(b.e_NB, b.w_B, wdot_B);
      Model::set(at, body,
                 {b.r_N + t * b.v_N + (0.5 * t * t) * a.lin, normalized(b.e_NB + t * edot + (0.5 * t * t) * eddot),
                  b.v_N + t * a.lin, b.w_B + t * wdot_B});
      std::vector<ListedRow> rows;
      constraint_rows(model, 0, at, rows);
      const BodyView moved = Model::view(at, body);
      std::array<double, 5> v{};
      for (std::size_t i = 0; i < 4; ++i) { v[i] = dot(rows[i].sides[1], {rotate(moved.e_NB, moved.w_B), moved.v_N}); }
      v[4] = rows[2].value;
      return v;
    };
    const double h = 1e-5;
    const std::array<double, 5> before = velocities(-h);
    const std::array<double, 5> now = velocities(0);
    const std::array<double, 5> after = velocities(h);
    std::vector<ListedRow> rows;
    constraint_rows(model, 0, y, rows);
    for (std::size_t i = 0; i < 4; ++i) {
      CHECK(std::fabs((after[i] - before[i]) / (2 * h) - (dot(rows[i].sides[1], a) - rows[i].gamma)) < 1e-7);
    }
    CHECK(std::fabs((after[4] - before[4]) / (2 * h) - now[2]) < 1e-7);
    CHECK(std::fabs(rows[3].gamma) > 1e-6);
  }
}

TEST_CASE("every form with Euler parameters: one motion, the same reactions, multipliers by their rules") {
  Random random(42);
  for (int k = 0; k < 6; ++k) {
    ModelBuilder builder = test::random_mechanism(
        random, {4, k % 2, k == 5, {"revolute", "spherical", "universal", "prismatic", "screw"}, {"distance"}});
    Wrench wrench;
    wrench.body = 1;
    wrench.r_BP_B = {0.2, 0.1, -0.3};
    wrench.force = {1, -2, 0.5};
    wrench.moment = {0.3, 0.1, -0.2};
    builder.add(wrench);
    const Model model = builder.build();
    const std::vector<double> y = test::consistent_start(model);
    const DenseSolution dense = dense_solution(model, 0, y);
    REQUIRE(dense.rank == dense.rows);
    for (const EulerForm& form : euler_forms()) {
      for (const JointJacobian jacobian : {JointJacobian::through_rate, JointJacobian::raw}) {
        CAPTURE(std::string(form.name));
        const EulerSolution s = euler_solution(model, 0, y, form, jacobian);
        const std::vector<double> expected = norm_multipliers_by_rule(model, 0, y, form.name, jacobian, s.lambda);
        double raw_difference = 0;
        for (std::size_t b = 0; b < model.body_count(); ++b) {
          const BodyView body = Model::view(y, static_cast<BodyId>(b));
          CHECK(norm(s.a[b].ang - dense.a[b].ang) < 1e-8);
          CHECK(norm(s.a[b].lin - dense.a[b].lin) < 1e-8);
          CHECK(std::fabs(s.norm_multipliers[b] - expected[b]) < 1e-8);
          // as if the body were alone
          double alone = 0;
          if (form.simplified_gyro) { alone += 2 * dot(body.w_B, model.bodies()[b].mass.J_B * body.w_B); }
          if (b == 1) {
            const Vec3<double> u_B = wrench.r_BP_B - model.bodies()[b].mass.center_B;
            if (form.force_along_e) { alone += 2 * dot(wrench.force, rotate(body.e_NB, u_B)); }
            if (form.mixed_force_along_e) { alone += 2 * dot(wrench.force, u_B); }
          }
          alone /= form.row_factor;
          if (jacobian == JointJacobian::through_rate) {
            CHECK(std::fabs(s.norm_multipliers[b] - alone) < 1e-8);
          } else {
            raw_difference = std::max(raw_difference, std::fabs(s.norm_multipliers[b] - alone));
          }
        }
        if (jacobian == JointJacobian::raw) { CHECK(raw_difference > 1e-3); }
        REQUIRE(s.lambda.size() == dense.lambda.size());
        double size = 1;
        for (const double x : dense.lambda) { size = std::max(size, std::fabs(x)); }
        for (std::size_t i = 0; i < s.lambda.size(); ++i) {
          CHECK(std::fabs(s.lambda[i] - dense.lambda[i]) < 1e-8 * size);
        }
      }
    }
  }
}

TEST_CASE("a spring pulls at its ends: its part of a norm's multiplier is 2 f·(A u') and 2 u'·f of that pull") {
  Random random(44);
  for (int k = 0; k < 4; ++k) {
    ModelBuilder builder = test::random_mechanism(random, {3, 0, false, {"spherical", "revolute"}, {}});
    const Spring spring{0, random.vector(1), 2, random.vector(1), 30, 2, 0.4, 3, {}};
    builder.add(spring);
    const Drag drag{1, random.vector(1), 0.5, 0.8, random.vector(1), {}};
    builder.add(drag);
    const Model model = builder.build();
    const std::vector<double> y = test::consistent_start(model);
    const auto arm_B = [&](BodyId b, const Vec3<double>& r_B) {
      return r_B - model.bodies()[static_cast<std::size_t>(b)].mass.center_B;
    };
    const auto point = [&](BodyId b, const Vec3<double>& r_B) {
      const BodyView body = Model::view(y, b);
      const Vec3<double> arm_N = rotate(body.e_NB, arm_B(b, r_B));
      return std::pair{body.r_N + arm_N, body.v_N + cross(rotate(body.e_NB, body.w_B), arm_N)};
    };
    const auto [r0, v0] = point(0, spring.on_first_B);
    const auto [r2, v2] = point(2, spring.on_second_B);
    const double length = norm(r2 - r0);
    const double pull = 30 * (length - 0.4) + 2 * dot(r2 - r0, v2 - v0) / length + 3;
    const Vec3<double> through = point(1, drag.r_BP_B).second - drag.medium_N;
    const std::array<Vec3<double>, 3> f_N{(pull / length) * (r2 - r0), -(0.5 + 0.8 * norm(through)) * through,
                                          -(pull / length) * (r2 - r0)};
    const std::array<Vec3<double>, 3> u_B{arm_B(0, spring.on_first_B), arm_B(1, drag.r_BP_B),
                                          arm_B(2, spring.on_second_B)};
    for (const std::string_view name : {"f1", "f2", "f3"}) {
      const EulerSolution s = euler_solution(model, 0, y, euler_form(name));
      const std::vector<double> closed =
          norm_multipliers_by_rule(model, 0, y, name, JointJacobian::through_rate, s.lambda);
      for (std::size_t b = 0; b < 3; ++b) {
        CAPTURE(name);
        CAPTURE(b);
        const Mat3<double> A = rotation_matrix(Model::view(y, static_cast<BodyId>(b)).e_NB);
        double expected = 0;
        if (name != "f1") { expected += 2 * dot(f_N[b], A * u_B[b]); }
        if (name == "f3") { expected += 2 * dot(f_N[b], u_B[b]); }
        CHECK(std::fabs(s.norm_multipliers[b] - expected) < 1e-8);
        CHECK(std::fabs(closed[b] - expected) < 1e-10);
      }
    }
  }
}

TEST_CASE("forms with Euler parameters take drivers, gears and rolling through rates; a raw Jacobian refuses them") {
  ModelBuilder builder;
  builder.gravity({0, 0, -9.81});
  BodyStart start;
  start.r_N = {0, 0, 0.3};
  start.w_B = {0.1, 0.2, 4};
  start.e_NB = exp(Vec3<double>{1.4, 0, 0});
  const BodyId disc = builder.body("disc", from_principal_moments(1, {0.0225, 0.0225, 0.045}), start);
  builder.add(Rolling{"edge", disc, {}, {0, 0, 1}, 0.3, 0, {}, {0, 0, 1}});
  start = {};
  start.r_N = {3, 0, 0};
  const BodyId wheel = builder.body("wheel", from_principal_moments(1, {0.1, 0.1, 0.2}), start);
  const int axle = builder.joint_at("revolute", "axle", kGround, wheel, {3, 0, 0}, {0, 0, 1});
  builder.add(Driver{"motor", axle, Coordinate::turn,
                     [](double t) { return std::array<double, 3>{math::sin(t), math::cos(t), -math::sin(t)}; }});
  const Model model = builder.build();
  const std::vector<double> y = test::consistent_start(model);
  const double t = 0.4;
  const DenseSolution dense = dense_solution(model, t, y);
  for (const EulerForm& form : euler_forms()) {
    const EulerSolution s = euler_solution(model, t, y, form);
    for (std::size_t b = 0; b < model.body_count(); ++b) {
      CHECK(norm(s.a[b].ang - dense.a[b].ang) < 1e-10);
      CHECK(norm(s.a[b].lin - dense.a[b].lin) < 1e-10);
    }
    REQUIRE(s.lambda.size() == dense.lambda.size());
    for (std::size_t i = 0; i < s.lambda.size(); ++i) { CHECK(std::fabs(s.lambda[i] - dense.lambda[i]) < 1e-9); }
    CHECK_THROWS_WITH_AS(euler_solution(model, t, y, form, JointJacobian::raw),
                         doctest::Contains("the raw Jacobian knows joints only"), Error);
  }
}

TEST_CASE("a mechanism moves the same by every form with Euler parameters") {
  Random random(43);
  const Model model = test::random_mechanism(random, {3, 1, false, {"revolute", "spherical"}, {"distance"}}).build();
  const std::vector<double> start = test::consistent_start(model);
  const auto moved = [&](const MechanismOptions& options) {
    const MechanismSystem system(model, options);
    std::vector<double> y = start;
    test::run(system, y, {0.3}, 1e-11, [](std::size_t, std::span<const double>) {});
    return y;
  };
  const std::vector<double> right = moved({});
  for (const EulerForm& form : euler_forms()) {
    for (const JointJacobian jacobian : {JointJacobian::through_rate, JointJacobian::raw}) {
      const std::vector<double> y = moved({.form = &form, .jacobian = jacobian});
      double off = 0;
      for (std::size_t i = 0; i < y.size(); ++i) { off = std::max(off, std::fabs(y[i] - right[i])); }
      CHECK(off < 1e-8);
    }
  }
}

namespace {

/// A skate with its blade, by its own kind or as a constraint that a user would write.
Model skate(bool as_constraint, double sideways = 0) {
  ModelBuilder builder;
  BodyStart start;
  start.w_B = {0, 0, 1.5};
  start.v_N = {2, 0, 0};
  const BodyId body = builder.body("skate", from_principal_moments(2, {0.1, 0.2, 0.3}), start);
  builder.joint_at("planar", "ice", kGround, body, {0, 0, 0}, {0, 0, 1});
  const Vec3<double> point_B{0.3, 0, 0};
  if (!as_constraint) {
    builder.add(Blade{"blade", body, point_B, {0, 1, 0}});
    return builder.build();
  }
  VelocityConstraint constraint;
  constraint.name = "blade";
  constraint.second = body;
  constraint.on_second.r_BF_B = point_B;
  constraint.row = [sideways](double, const End<double>&, const End<double>& end) {
    const Vec3<double> b = end.axis(1);
    Row row;
    row.second = {cross(end.lever, b), b};
    // d/dt (b·v_P) = b·(a + α × ℓ) + b·ω × (ω × ℓ) + (ω × b)·v_P = 0
    row.gamma = -dot(b, end.centripetal()) - dot(cross(end.w, b), end.point_velocity());
    row.rate = sideways;
    return row;
  };
  builder.add(constraint);
  return builder.build();
}

}  // namespace

TEST_CASE("a constraint on velocities as a user writes it does what the kind of its own does, and work is counted") {
  const Model own = skate(false);
  const Model written = skate(true);
  const std::vector<double> start = test::consistent_start(own);
  const auto end_of = [](const Model& model, std::vector<double> y) {
    const MechanismSystem system(model);
    test::run(system, y, {2}, 1e-11, [](std::size_t, std::span<const double>) {});
    return y;
  };
  const std::vector<double> right = end_of(own, start);
  const std::vector<double> found = end_of(written, start);
  for (std::size_t i = 0; i < right.size(); ++i) { CHECK(std::fabs(found[i] - right[i]) < 1e-9); }
  CHECK(std::fabs(right[0] - start[0]) > 0.1);

  // dragged sideways: the drag works
  const Model dragged = skate(true, 0.5);
  const MechanismSystem system(dragged, {.count_work = true});
  std::vector<double> y = test::consistent_start(dragged);
  Scratch scratch(dragged);
  CHECK(residuals(dragged, 0, y, scratch).velocity < 1e-14);
  const double before = energy(dragged, y).total();
  const std::size_t n = y.size();
  y.resize(n + 2, 0.0);
  test::run(system, y, {2}, 1e-11, [](std::size_t, std::span<const double>) {});
  const double after = energy(dragged, std::span<const double>(y).first(n)).total();
  CHECK(std::fabs(after - before - y[n]) < 1e-8);
  CHECK(std::fabs(y[n]) > 1e-2);

  const DenseSolution dense = dense_solution(dragged, 0, std::span<const double>(y).first(n));
  std::vector<double> ydot(n);
  evaluate(dragged, 0, std::span<const double>(y).first(n), ydot, scratch);
  CHECK(norm(acceleration_of(dragged, scratch, 0).lin - dense.a[0].lin) < 1e-10);
}

TEST_CASE("a driver of a rate holds the rate and no position") {
  const auto wheel = [](bool of_rate) {
    ModelBuilder builder;
    const BodyId body = builder.body("wheel", from_principal_moments(1, {0.1, 0.1, 0.2}), {});
    const int axle = builder.joint_at("revolute", "axle", kGround, body, {0, 0, 0}, {0, 0, 1});
    builder.add(Driver{
        "motor", axle, Coordinate::turn,
        [of_rate](double t) { return std::array<double, 3>{of_rate ? 17 : math::sin(t), math::cos(t), -math::sin(t)}; },
        of_rate});
    return builder.build();
  };
  for (const bool of_rate : {false, true}) {
    const Model model = wheel(of_rate);
    const MechanismSystem system(model);
    std::vector<double> y = test::consistent_start(model);
    test::run(system, y, {2}, 1e-11, [](std::size_t, std::span<const double>) {});
    CHECK(std::fabs(model.coordinates(y, 0)[0].value - std::sin(2.0)) < 1e-9);
    Scratch scratch(model);
    CHECK(residuals(model, 2, y, scratch).position < 1e-12);
  }
}
