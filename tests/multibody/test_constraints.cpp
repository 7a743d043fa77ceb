// The list of constraints: what holds for every kind, and a point on a curve.
#include "multibody/mechanisms.h"
#include "multibody/random_mechanism.h"
#include "polhode/core/error.h"
#include "polhode/math/dual.h"
#include "polhode/multibody/constraint_rows.h"
#include "polhode/multibody/least_reactions.h"

#include <cmath>
#include <complex>

using namespace polhode;
using test::Random;

namespace {

/// A mechanism with every kind of constraint, at a state that fulfils them all.
struct EveryKind {
  Model model;
  std::vector<double> y;

  explicit EveryKind(Random& random) : model(make(random)), y(model.start()) {
    // a ring that lies nearly flat has no contact to speak of, and a wire may be out of reach: another one then
    for (int tries = 0; !starts(random); ++tries) {
      REQUIRE(tries < 20);
      model = make(random);
      y = model.start();
    }
  }

  bool starts(Random& random) {
    for (std::size_t b = 0; b < model.body_count(); ++b) {
      for (std::size_t i = 7; i < 13; ++i) { y[13 * b + i] = random.between(-1, 1); }
    }
    Scratch scratch(model);
    project(model, 0, y, scratch);
    const Residuals left = residuals(model, 0, y, scratch);
    const ModelConstraint& rim = model.constraint({kConstraintKind<Rolling>, 0});
    const double flat = dot(model.end(y, rim.ends[1]).axis(2), model.all<Rolling>()[0].normal_N);
    return left.position < 1e-13 && left.velocity < 1e-13 && std::fabs(flat) < 0.9;
  }

  static Model make(Random& random) {
    ModelBuilder builder;
    builder.gravity({0, 0, -9.81});
    const auto body = [&](const char* name, const Vec3<double>& r_N) {
      BodyStart start;
      start.r_N = r_N;
      start.e_NB = random.attitude();
      return builder.body(name, test::random_body(random), start);
    };
    const BodyId a = body("a", {0, 0, 0});
    const BodyId b = body("b", {1, 0, 0});
    const BodyId c = body("c", {0, 2, 1});
    const BodyId d = body("d", {3, 0, 2});
    const int first = builder.joint_at("revolute", "first", kGround, a, {0, 0, 0}, {0.2, 0.1, 1});
    const int second = builder.joint_at("cylindrical", "second", a, b, {0.5, 0.1, 0}, {0.3, 1, 0.2});
    builder.add(Coupling{"teeth", first, Coordinate::turn, 2, second, Coordinate::turn, -3, 0.1});
    builder.add(Driver{"motor", second, Coordinate::slide_z,
                       [](double t) { return std::array<double, 3>{0.1 + 0.3 * t, 0.3, 0}; }});
    Rolling rolling{.name = "rim", .body = c, .center_B = random.vector(0.2), .axis_B = random.direction()};
    rolling.radius = 0.4;
    rolling.edge_radius = 0.1;
    rolling.normal_N = random.direction();
    builder.add(rolling);
    builder.add(Blade{"blade", d, random.vector(0.2), random.direction()});
    builder.add(VelocityConstraint{
        "slow", b, test::random_frame(random), d, test::random_frame(random),
        [](double, const End<double>& one, const End<double>& two) { return Coincide{2}.row(one, two); }});
    builder.add(PointOnCurve{.name = "wire",
                             .body = d,
                             .point_B = random.vector(0.2),
                             .carrier = b,
                             .zero_on_it = point_function({"x^2 + k*y^2 - z", "sin(x) + y - 0.3"}, {{"k", 0.7}})});
    const BodyId e = body("e", {5, 0, 0});
    builder.add(RollingEllipsoid{.name = "stone",
                                 .body = e,
                                 .center_B = random.vector(0.2),
                                 .semi_axes = {0.5, 0.3, 0.2},
                                 .normal_N = random.direction()});
    return builder.build();
  }
};

/// A frame on a body that moves with accelerations `a`, as a dual number of time.
template <class S>
End<Dual<S>> moving(const Model& model, std::span<const double> y, const ConstraintEnd& end, const Pair& a) {
  using D = Dual<S>;
  const auto vec = [](const Vec3<double>& v) { return Vec3<D>{D(S(v.x)), D(S(v.y)), D(S(v.z))}; };
  Mat3<D> axes;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) { axes(i, j) = D(S(end.axes_B(i, j))); }
  }
  if (end.body == kGround) { return {{}, {}, {}, vec(end.lever_B), axes}; }
  static_cast<void>(model);
  const BodyView body = Model::view(y, end.body);
  const auto with = [](const Vec3<double>& value, const Vec3<double>& rate) {
    return Vec3<D>{D(S(value.x), S(rate.x)), D(S(value.y), S(rate.y)), D(S(value.z), S(rate.z))};
  };
  const EulerParameters<double> edot = rate_from_body(body.e_NB, body.w_B);
  const EulerParameters<D> e{D(S(body.e_NB.e0), S(edot.e0)), with(body.e_NB.ev, edot.ev)};
  const Mat3<D> R = rotation_matrix(e);
  return {with(body.r_N, body.v_N), with(body.v_N, a.lin), R * with(body.w_B, rotate_back(body.e_NB, a.ang)),
          R * vec(end.lever_B), R * axes};
}

}  // namespace

TEST_CASE("every kind of constraint: its rows are derivatives of each other, exactly") {
  Random random(71);
  for (int k = 0; k < 20; ++k) {
    const EveryKind of(random);
    std::vector<Pair> a;
    for (std::size_t b = 0; b < of.model.body_count(); ++b) { a.push_back({random.vector(2), random.vector(2)}); }
    for (const ModelConstraint& constraint : of.model.constraints()) {
      if (constraint.id.kind == kConstraintKind<VelocityConstraint>) { continue; }  // for double alone
      INFO(of.model.in_words(constraint.id));
      std::vector<End<Dual<double>>> ends;
      for (const ConstraintEnd& end : constraint.ends) {
        ends.push_back(
            moving<double>(of.model, of.y, end, end.body == kGround ? Pair{} : a[static_cast<std::size_t>(end.body)]));
      }
      std::array<ConstraintRow<Dual<double>>, kMostRows> rows;
      of.model.rows(constraint.id, 0, [&](std::size_t s) { return ends[s]; }, rows.data());
      std::array<ConstraintRow<double>, kMostRows> plain;
      of.model.rows(constraint, 0, of.y, plain.data());
      for (std::size_t r = 0; r < static_cast<std::size_t>(constraint.rows); ++r) {
        Dual<double> speed(0.0);
        double acceleration = -plain[r].gamma;
        for (std::size_t s = 0; s < constraint.ends.size(); ++s) {
          speed += dot(rows[r].sides[s], {ends[s].w, ends[s].v});
          const BodyId body = constraint.ends[s].body;
          if (body != kGround) { acceleration += dot(plain[r].sides[s], a[static_cast<std::size_t>(body)]); }
        }
        // the same numbers as for double, to the rounding of R w_B against the w that a state holds
        CHECK(std::fabs(rows[r].value.value - plain[r].value) < 1e-14);
        CHECK(std::fabs(rows[r].gamma.value - plain[r].gamma) < 1e-13 * (1 + std::fabs(plain[r].gamma)));
        const bool on_positions =
            of.model.with(constraint.id, [&](const auto& one) { return constraint::on_positions(one, r); });
        if (on_positions) { CHECK(std::fabs(rows[r].value.derivative - speed.value) < 1e-13); }
        CHECK(std::fabs(speed.derivative - acceleration) < 1e-12 * (1 + std::fabs(acceleration)));
        CHECK(std::fabs(speed.value - plain[r].rate) < 1e-12);  // the state fulfils it
      }
    }
  }
}

TEST_CASE("every kind of constraint: the same rows for complex numbers") {
  Random random(72);
  const EveryKind of(random);
  for (const ModelConstraint& constraint : of.model.constraints()) {
    if (constraint.id.kind == kConstraintKind<VelocityConstraint>) { continue; }
    INFO(of.model.in_words(constraint.id));
    const auto in = [&](auto zero) {
      using S = decltype(zero);
      std::array<ConstraintRow<S>, kMostRows> rows;
      of.model.rows(
          constraint.id, 0,
          [&](std::size_t s) {
            const End<double> end = of.model.end(of.y, constraint.ends[s]);
            End<S> same{as<S>(end.r), as<S>(end.v), as<S>(end.w), as<S>(end.lever), {}};
            for (std::size_t i = 0; i < 3; ++i) {
              for (std::size_t j = 0; j < 3; ++j) { same.axes(i, j) = S(end.axes(i, j)); }
            }
            return same;
          },
          rows.data());
      return rows;
    };
    const auto plain = in(0.0);
    const auto complex = in(std::complex<double>());
    for (std::size_t r = 0; r < static_cast<std::size_t>(constraint.rows); ++r) {
      const double size = 1 + std::fabs(plain[r].gamma);
      CHECK(std::fabs(plain[r].value - complex[r].value.real()) < 1e-14);
      CHECK(std::fabs(plain[r].gamma - complex[r].gamma.real()) < 1e-13 * size);
      CHECK(complex[r].gamma.imag() == 0);
      CHECK(std::fabs(plain[r].sides[1].ang.x - complex[r].sides[1].ang.x.real()) < 1e-14);
    }
  }
}

TEST_CASE("every kind of constraint: elimination, dense solution and closed wrenches agree") {
  Random random(73);
  for (int k = 0; k < 10; ++k) {
    const EveryKind of(random);
    const DenseSolution dense = dense_solution(of.model, 0, of.y);
    REQUIRE(dense.rank == dense.rows);
    CHECK(test::acceleration_difference(of.model, of.y, dense) < 1e-9);
    Scratch scratch(of.model);
    std::vector<double> ydot(of.y.size());
    evaluate(of.model, 0, of.y, ydot, scratch);
    // the force of the wire: equal and opposite on what carries it, along no direction in which the point can move
    with_constraint_now(of.model, of.y, scratch, {kConstraintKind<PointOnCurve>, 0}, [](const ConstraintNow& now) {
      const Pair on_body = now.on(1);
      CHECK(norm(on_body.lin + now.on(0).lin) < 1e-12);
      const Vec3<double> d = now.ends[1].point() - now.ends[0].point();
      const Vec3<double> relative =
          now.ends[1].point_velocity() - now.ends[0].point_velocity() - cross(now.ends[0].w, d);
      CHECK(std::fabs(dot(on_body.lin, relative)) < 1e-11 * (1 + norm(on_body.lin)));
      CHECK(norm(on_body.lin) > 1e-3);
    });
  }
}

TEST_CASE("a bead on a hoop that turns follows the pendulum equation of its angle") {
  // θ̈ = sin θ (ω² cos θ − g/R), from the lowest point
  const double R = 0.5;
  const double omega = 6;
  const double g = 9.81;
  ModelBuilder builder;
  builder.gravity({0, 0, -g});
  const BodyId hoop = builder.body("hoop", from_principal_moments(1, {0.125, 0.25, 0.125}), {});
  const double theta0 = 0.3;
  BodyStart start;
  start.r_N = {R * std::sin(theta0), 0, -R * std::cos(theta0)};
  start.v_N = cross(Vec3<double>{0, 0, omega}, start.r_N);
  const BodyId bead = builder.body("bead", from_principal_moments(0.1, {1e-5, 1e-5, 1e-5}), start);
  const int axle = builder.joint_at("revolute", "axle", kGround, hoop, {0, 0, 0}, {0, 0, 1});
  builder.add(Driver{"motor", axle, Coordinate::turn,
                     [omega](double t) { return std::array<double, 3>{omega * t, omega, 0}; }});
  builder.add(PointOnCurve{.name = "wire",
                           .body = bead,
                           .point_B = {},
                           .carrier = hoop,
                           .zero_on_it = point_function({"x^2 + z^2 - R^2", "y"}, {{"R", R}})});
  const Model model = builder.build();
  std::vector<double> y = model.start();
  Scratch scratch(model);
  project(model, 0, y, scratch);
  CHECK(mobility(model, 0, y, scratch).freedoms == 4);  // θ, and the bead's own rotation

  // the same angle by small steps of its own equation
  const auto slope = [&](long double theta) {
    return std::sin(theta) *
           (static_cast<long double>(omega * omega) * std::cos(theta) - static_cast<long double>(g / R));
  };
  std::vector<double> expected;
  long double theta = static_cast<long double>(theta0);
  long double rate = 0;
  const long double h = 1e-4L;
  for (int n = 1; n <= 30000; ++n) {
    const long double k1 = rate;
    const long double l1 = slope(theta);
    const long double k2 = rate + h / 2 * l1;
    const long double l2 = slope(theta + h / 2 * k1);
    const long double k3 = rate + h / 2 * l2;
    const long double l3 = slope(theta + h / 2 * k2);
    const long double k4 = rate + h * l3;
    const long double l4 = slope(theta + h * k3);
    theta += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    rate += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
    if (n % 10000 == 0) { expected.push_back(static_cast<double>(theta)); }
  }
  const MechanismSystem system(model);
  test::run(system, y, {1, 2, 3}, 1e-12, [&](std::size_t i, std::span<const double> at) {
    const Vec3<double> r = Model::view(at, bead).r_N;
    const double found = std::atan2(std::hypot(r.x, r.y), -r.z);
    CHECK(std::fabs(found - std::fabs(expected[i])) < 2e-10);  // ten times the tolerance, grown over 3 s
    CHECK(std::fabs(norm(r) - R) < 1e-13);
  });
  CHECK(expected[0] > 0.5);  // it has climbed
}

TEST_CASE("a point on a curve says what is wrong with it") {
  const auto problem = [](const PointOnCurve& wire) -> std::string {
    ModelBuilder builder;
    builder.body("bead", from_principal_moments(1, {1, 1, 1}), {});
    builder.add(wire);
    try {
      static_cast<void>(builder.build());
    } catch (const Error& error) { return error.what(); }
    return {};
  };
  const PointFunction circle = point_function({"x^2 + y^2 - 1", "z"});
  CHECK(problem({.name = "wire", .body = 0, .zero_on_it = circle}).empty());
  CHECK(problem({.name = "wire", .body = 3, .zero_on_it = circle}).find("point-on-curve 'wire' of body 3") !=
        std::string::npos);
  CHECK(problem({.name = "wire", .body = 0, .carrier = 0, .zero_on_it = circle}).find("two different bodies") !=
        std::string::npos);
  CHECK(problem({.name = "wire", .body = 0, .zero_on_it = {}}).find("0 formulas") != std::string::npos);
  CHECK_THROWS_WITH_AS(point_function({"x^2 + radius"}), doctest::Contains("radius"), Error);
}

TEST_CASE("an ellipsoid with equal axes rolls as a ball, one with unequal axes touches where it is lowest") {
  Random random(173);
  for (int k = 0; k < 20; ++k) {
    End<double> end;
    end.r = random.vector(1);
    end.v = random.vector(1);
    end.w = random.vector(2);
    end.lever = random.vector(0.3);
    end.axes = rotation_matrix(random.attitude());
    RollingEllipsoid stone{.name = "stone", .semi_axes = {0.4, 0.4, 0.4}};
    stone.normal_N = random.direction();
    Rolling ball{.name = "ball", .radius = 0, .edge_radius = 0.4, .normal_N = stone.normal_N};
    std::array<ConstraintRow<double>, 3> of_stone;
    std::array<ConstraintRow<double>, 3> of_ball;
    stone.rows<double>(0, {End<double>{}, end}, of_stone.data());
    ball.rows<double>(0, {End<double>{}, end}, of_ball.data());
    for (std::size_t r = 0; r < 3; ++r) {
      CHECK(norm(of_stone[r].sides[1].ang - of_ball[r].sides[1].ang) < 1e-15);
      CHECK(std::fabs(of_stone[r].gamma - of_ball[r].gamma) < 1e-14);
      CHECK(std::fabs(of_stone[r].value - of_ball[r].value) < 1e-15);
    }
    // no point of the surface is lower than the contact, and that lies on the surface
    stone.semi_axes = {0.5, 0.3, 0.2};
    const Vec3<double> c_F = transpose_times(end.axes, stone.contact_lever(end) - end.lever);
    const Vec3<double> unit{c_F.x / 0.5, c_F.y / 0.3, c_F.z / 0.2};
    CHECK(std::fabs(norm(unit) - 1) < 1e-14);
    for (int i = 0; i < 50; ++i) {
      const Vec3<double> u = random.direction();
      const Vec3<double> other = end.axes * Vec3<double>{0.5 * u.x, 0.3 * u.y, 0.2 * u.z};
      CHECK(dot(stone.normal_N, other) >= dot(stone.normal_N, stone.contact_lever(end) - end.lever) - 1e-14);
    }
    // the twin: straight below the centre, as for a ball
    CHECK(norm(stone.contact_lever(end) - end.lever + 0.3 * stone.normal_N) > 1e-3);
  }
}
