#include "polhode/math/dual.h"
#include "polhode/rotation.h"

#include <doctest/doctest.h>

#include "support/random.h"

using namespace polhode;

namespace {

double distance(const Mat3<double>& a, const Mat3<double>& b) { return frobenius_norm(a - b); }

/// Every promise of a chart at one point, by dual numbers: nothing here knows the chart's formulas.
template <class C>
void check_chart(const C& chart, const Vec3<double>& x, test::Random& random) {
  const Conditioning<double> conditioning = chart.conditioning(x);
  const double scale = conditioning.condition_number * (1 + 1 / std::fabs(conditioning.determinant));
  const double tolerance = 2e-14 * scale * scale;  // rounding, amplified by S and S⁻¹ once each
  const Vec3<double> xdot = random.vector(1);
  const Vec3<double> xddot = random.vector(1);

  // there and back
  const EulerParameters<double> e = chart.to_euler_parameters(x);
  CHECK(std::fabs(norm(e) - 1) < 1e-15 * scale);
  const EulerParameters<double> again = chart.to_euler_parameters(chart.from_euler_parameters(e));
  CHECK(1 - std::fabs(dot(e, again)) < tolerance);

  // ω from x(t) = x + ẋ t + ẍ t²/2 with second-order duals: e, ė, ë along the path
  using D = Dual<Dual<double>>;
  Vec3<D> path;
  for (std::size_t i = 0; i < 3; ++i) { path[i] = D({x[i], xdot[i]}, {xdot[i], xddot[i]}); }
  const EulerParameters<D> e_path = chart.to_euler_parameters(path);
  const auto part = [&](auto pick) {
    return EulerParameters<double>{pick(e_path.e0), {pick(e_path.ev.x), pick(e_path.ev.y), pick(e_path.ev.z)}};
  };
  const auto edot = part([](const D& d) { return d.value.derivative; });
  const auto eddot = part([](const D& d) { return d.derivative.derivative; });

  const auto check_frame = [&]<class F>(F) {
    const FrameVector<F, double> w = angular_velocity<F>(e, edot);
    const FrameVector<F, double> wdot = angular_acceleration<F>(e, edot, eddot);
    CHECK(norm(angular_velocity<F>(chart, x, xdot) - w) < tolerance);
    CHECK(norm(coordinate_rate(chart, x, w) - xdot) < tolerance);
    CHECK(norm(angular_acceleration<F>(chart, x, xdot, xddot) - wdot) < tolerance);
    CHECK(norm(coordinate_acceleration(chart, x, xdot, wdot) - xddot) < tolerance * (1 + norm(xdot)));

    // rate matrix, inverse, partials, determinant and condition as numbers
    const Mat3<double> S = rate_matrix<F>(chart, x);
    CHECK(distance(S * inverse_rate_matrix<F>(chart, x), identity<double, 3>()) < tolerance);
    CHECK(determinant(S) == doctest::Approx(conditioning.determinant).epsilon(1e-12 * scale));
    const SymmetricEigen<double, 3> eigen = symmetric_eigen(transpose(S) * S);
    CHECK(std::sqrt(eigen.values[0] / eigen.values[2]) ==
          doctest::Approx(conditioning.condition_number).epsilon(1e-13 * scale * scale));
    const auto partials = rate_partials<F>(chart, x);
    for (std::size_t i = 0; i < 3; ++i) {
      Vec3<Dual<double>> moved;
      for (std::size_t k = 0; k < 3; ++k) { moved[k] = {x[k], k == i ? 1.0 : 0.0}; }
      const auto S_dual = rate_matrix<F>(chart, moved);
      Mat3<double> expected;
      for (std::size_t r = 0; r < 3; ++r) {
        for (std::size_t c = 0; c < 3; ++c) { expected(r, c) = S_dual(r, c).derivative; }
      }
      CHECK(distance(partials[i], expected) < tolerance);
    }
  };
  check_frame(Body{});
  check_frame(Space{});
}

}  // namespace

TEST_CASE("all 12 Euler sequences, intrinsic and extrinsic, keep every promise of a chart") {
  test::Random random;
  for (EulerSequence sequence : all_sequences()) {
    for (const bool extrinsic : {false, true}) {
      sequence.extrinsic = extrinsic;
      CAPTURE(sequence.name());
      for (int n = 0; n < 20; ++n) {
        const double middle = sequence.proper() ? random.between(0.2, 2.9) : random.between(-1.4, 1.4);
        check_chart(EulerAngles{sequence}, {random.between(-3, 3), middle, random.between(-3, 3)}, random);
      }
    }
  }
}

TEST_CASE("rotation vector, Rodrigues, modified Rodrigues and reduced Euler parameters keep every promise of a chart") {
  test::Random random;
  for (int n = 0; n < 60; ++n) {
    check_chart(RotationVector{}, random.vector(n < 20 ? 1e-3 : 2.9), random);
    check_chart(Rodrigues{}, random.vector(n < 20 ? 1e-3 : 3), random);
    check_chart(ModifiedRodrigues{}, random.vector(n < 20 ? 1e-3 : 2), random);
    check_chart(ReducedEulerParameters{}, random.vector(n < 20 ? 1e-3 : 0.56), random);
  }
  const Vec3<double> zero{};
  check_chart(RotationVector{}, zero, random);
  check_chart(Rodrigues{}, zero, random);
  check_chart(ModifiedRodrigues{}, zero, random);
  check_chart(ReducedEulerParameters{}, zero, random);
}

TEST_CASE("axis and angle: rate matrix, inverse, rate, determinant, condition and distance, in both frames") {
  test::Random random;
  for (int n = 0; n < 60; ++n) {
    const AxisAngle<double> a{random.direction(), random.between(0.2, 6)};
    const Vec3<double> any = random.vector(1);
    const AxisAngleRate<double> rate{any - dot(any, a.axis) * a.axis, random.between(-1, 1)};
    const auto stacked = [](const AxisAngleRate<double>& r) {
      return Matrix<double, 4, 1>{{{r.axis_rate.x}, {r.axis_rate.y}, {r.axis_rate.z}, {r.angle_rate}}};
    };
    const auto check_frame = [&]<class F>(F) {
      const Mat34<double> W = rate_matrix<F>(a);
      const Matrix<double, 4, 3> W_inverse = inverse_rate_matrix<F>(a);
      const Matrix<double, 3, 1> w = W * stacked(rate);
      const FrameVector<F, double> expected = angular_velocity<F>(a, rate);
      CHECK(norm(Vec3<double>{w(0, 0), w(1, 0), w(2, 0)} - expected.raw()) < 1e-14);
      CHECK(frobenius_norm(W_inverse * w - stacked(axis_angle_rate(a, expected))) < 2e-13);  // cot 0.1 = 10
      CHECK(frobenius_norm(W * W_inverse - identity<double, 3>()) < 2e-14);
      // along (n + ṅ t, μ + μ̇ t), by dual numbers
      using D = Dual<double>;
      AxisAngle<D> moving{{}, {a.angle, rate.angle_rate}};
      for (std::size_t i = 0; i < 3; ++i) { moving.axis[i] = {a.axis[i], rate.axis_rate[i]}; }
      const Mat34<D> W_dual = rate_matrix<F>(moving);
      const Mat34<double> W_rate = rate_matrix_rate<F>(a, rate);
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 4; ++j) {
          CHECK(W_rate(i, j) == doctest::Approx(W_dual(i, j).derivative).epsilon(1e-13));
        }
      }
      // on the rates that exist: an orthonormal frame n, u, v; columns W(u; 0), W(v; 0), W(0; 1)
      const Vec3<double> u = cross(a.axis, any) / norm(cross(a.axis, any));
      const Vec3<double> v = cross(a.axis, u);
      const Mat3<double> reduced =
          from_columns(angular_velocity<F>(a, {u, 0}).raw(), angular_velocity<F>(a, {v, 0}).raw(),
                       angular_velocity<F>(a, {{}, 1}).raw());
      const Conditioning<double> conditions = conditioning(a);
      CHECK(determinant(reduced) == doctest::Approx(conditions.determinant).epsilon(1e-12));
      const SymmetricEigen<double, 3> eigen = symmetric_eigen(transpose(reduced) * reduced);
      CHECK(std::sqrt(eigen.values[0] / eigen.values[2]) ==
            doctest::Approx(conditions.condition_number).epsilon(1e-12));
    };
    check_frame(Body{});
    check_frame(Space{});
    CHECK(conditioning(a).distance ==
          doctest::Approx(std::min(a.angle, 2 * math::kPi<double> - a.angle)).epsilon(1e-14));
  }
  CHECK(std::isinf(conditioning(AxisAngle<double>{}).condition_number));
  CHECK(conditioning(AxisAngle<double>{}).distance == 0);
}

TEST_CASE("axis and angle leave a whole turn by moving their reference, and the attitude and its rate stay") {
  test::Random random;
  for (int n = 0; n < 20; ++n) {
    AxisAnglePoint<double> point{random.attitude(), {random.direction(), random.between(1e-3, 0.1)}};
    const EulerParameters<double> before = to_euler_parameters(point);
    CHECK(switch_chart(point, 0.2));
    CHECK(norm(to_euler_parameters(point) - before) < 1e-15);
    CHECK(conditioning(point.at).distance == doctest::Approx(math::kPi<double>));
    CHECK_FALSE(switch_chart(point, 0.2));
    const BodyVector<double> w(random.vector(1));
    const AxisAngleRate<double> rate_there = axis_angle_rate(point.at, w);
    CHECK(std::fabs(dot(rate_there.axis_rate, point.at.axis)) < 1e-15);
    CHECK(norm(angular_velocity<Body>(point.at, rate_there) - w) < 1e-14);
  }
}
