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
