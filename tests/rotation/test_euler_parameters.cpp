#include "polhode/math/dual.h"
#include "polhode/rotation.h"
#include "support/precise.h"
#include "support/random.h"

#include <doctest/doctest.h>

#include <array>
#include <complex>
#include <limits>
#include <vector>

using namespace polhode;
using test::Rational;

namespace {

template <class S>
EulerParameters<S> fraction(int a, int b, int c, int d, int over) {
  return {S(a) / S(over), {S(b) / S(over), S(c) / S(over), S(d) / S(over)}};
}

double largest(const Mat3<double>& a) {
  double most = 0;
  for (const auto& r : a.m) {
    for (const double x : r) { most = std::max(most, std::fabs(x)); }
  }
  return most;
}

}  // namespace

TEST_CASE("the convention: scalar first, i j = k, body to space, right-handed") {
  const EulerParameters<double> i{0, {1, 0, 0}};
  const EulerParameters<double> j{0, {0, 1, 0}};
  const EulerParameters<double> k{0, {0, 0, 1}};
  CHECK(i * j == k);
  // a quarter turn about z takes the body's x axis to the space y axis
  const double r = std::sqrt(0.5);
  const EulerParameters<double> quarter{r, {0, 0, r}};
  CHECK(norm(rotate(quarter, Vec3<double>{1, 0, 0}) - Vec3<double>{0, 1, 0}) < 1e-15);
  CHECK(norm(rotate_back(quarter, Vec3<double>{0, 1, 0}) - Vec3<double>{1, 0, 0}) < 1e-15);
}

TEST_CASE("golden values of the catalogue, exact in fractions where they are: q = (2,4,5,6)/9") {
  const auto e = fraction<Rational>(2, 4, 5, 6, 9);
  const Mat3<Rational> A = rotation_matrix(e);
  // 81 A is integer: row 1 of the golden table to its 15 digits
  const double golden[3][3] = {{-0.506172839506173, 0.197530864197531, 0.839506172839506},
                               {0.790123456790123, -0.283950617283951, 0.543209876543210},
                               {0.345679012345679, 0.938271604938272, -0.0123456790123457}};
  for (std::size_t r = 0; r < 3; ++r) {
    for (std::size_t c = 0; c < 3; ++c) {
      CHECK(denominator(Rational(81) * A(r, c)) == 1);
      CHECK(std::fabs(static_cast<double>(A(r, c)) - golden[r][c]) < 1e-15);
    }
  }
  CHECK(A * transpose(A) == identity<Rational, 3>());
  CHECK(determinant(A) == 1);

  // ω' = (0.3, −0.2, 0.5): ω, q̇
  const Vec3<Rational> w_B{Rational(3, 10), Rational(-1, 5), Rational(1, 2)};
  const Vec3<Rational> w_N = rotate(e, w_B);
  const double golden_w[3] = {0.228395061728395, 0.565432098765432, -0.0901234567901235};
  for (std::size_t n = 0; n < 3; ++n) { CHECK(std::fabs(static_cast<double>(w_N[n]) - golden_w[n]) < 1e-15); }
  const EulerParameters<Rational> edot = rate_from_body(e, w_B);
  const double golden_edot[4] = {-0.177777777777778, 0.238888888888889, -0.0333333333333333, -0.0722222222222222};
  CHECK(std::fabs(static_cast<double>(edot.e0) - golden_edot[0]) < 1e-15);
  for (std::size_t n = 0; n < 3; ++n) {
    CHECK(std::fabs(static_cast<double>(edot.ev[n]) - golden_edot[n + 1]) < 1e-15);
  }
  CHECK(edot == rate_from_space(e, w_N));

  // angles (row 9) and reduced parameters (row 10)
  const auto ed = fraction<double>(2, 4, 5, 6, 9);
  const Vec3<double> angles_321 = EulerAngles{EulerSequence::parse("3-2-1")}.from_euler_parameters(ed);
  CHECK(norm(angles_321 - Vec3<double>{2.14055278027788, -0.352962310309272, 1.58395346226765}) < 1e-14);
  const Vec3<double> angles_313 = EulerAngles{EulerSequence::parse("3-1-3")}.from_euler_parameters(ed);
  CHECK(norm(angles_313 - Vec3<double>{2.14510115696960, 1.58314231944149, 0.352990387826910}) < 1e-14);
  const Mat3<double> S = ReducedEulerParameters{}.body_rate_matrix(ed.ev);
  CHECK(determinant(S) == doctest::Approx(36.0).epsilon(1e-14));
  CHECK(norm(row(S, 0) - Vec3<double>{2.22222222222222, 3.55555555555556, 1.55555555555556}) < 2e-14);
}

TEST_CASE("off the unit sphere every function does what its equation says: matrix of degree 2, rates exact") {
  const auto unit = fraction<Rational>(2, 4, 5, 6, 9);
  const Rational size(7, 3);
  const EulerParameters<Rational> e = size * unit;
  CHECK(rotation_matrix(e) == size * size * rotation_matrix(unit));
  const Vec3<Rational> v{Rational(1, 3), Rational(-2, 7), Rational(5)};
  CHECK(rotate(e, v) == rotation_matrix(e) * v);
  CHECK(e * inverse(e) == EulerParameters<Rational>::identity());

  // any ė, with a part along e: the angular velocity is that of A(t) = R(e)/|e|², found by dual numbers
  const EulerParameters<Rational> edot = fraction<Rational>(3, -1, 4, 2, 5);
  using D = Dual<Rational>;
  const EulerParameters<D> moving{{e.e0, edot.e0}, {{e.ev.x, edot.ev.x}, {e.ev.y, edot.ev.y}, {e.ev.z, edot.ev.z}}};
  const Mat3<D> A = (D(1) / norm_squared(moving)) * rotation_matrix(moving);
  Mat3<Rational> value;
  Mat3<Rational> derivative;
  for (std::size_t r = 0; r < 3; ++r) {
    for (std::size_t c = 0; c < 3; ++c) {
      value(r, c) = A(r, c).value;
      derivative(r, c) = A(r, c).derivative;
    }
  }
  CHECK(transpose(value) * derivative == skew(body_rate(e, edot)));
  CHECK(derivative * transpose(value) == skew(space_rate(e, edot)));
  CHECK(norm_squared(space_rate(e, edot)) == norm_squared(body_rate(e, edot)));
}

TEST_CASE("accelerations of Euler parameters and back, exactly, on and off the sphere, in both frames") {
  const EulerParameters<Rational> e = Rational(5, 4) * fraction<Rational>(2, 4, 5, 6, 9);
  const Vec3<Rational> w_B{Rational(3, 10), Rational(-1, 5), Rational(1, 2)};
  const Vec3<Rational> wdot_B{Rational(-1, 3), Rational(2, 9), Rational(4, 7)};
  const EulerParameters<Rational> edot = rate_from_body(e, w_B);
  const EulerParameters<Rational> eddot = acceleration_from_body(e, w_B, wdot_B);
  CHECK(body_acceleration(e, edot, eddot) == wdot_B);
  // ω̇ in space components is the rotated ω̇' (the extra term ω × ω vanishes)
  const Mat3<Rational> R_NB = (Rational(1) / norm_squared(e)) * rotation_matrix(e);
  CHECK(space_acceleration(e, edot, eddot) == R_NB * wdot_B);
  CHECK(acceleration_from_space(e, R_NB * w_B, R_NB * wdot_B) == eddot);
  // a part of ë along e and of ė along e does not change ω̇ of the true rotation: compare with duals of ω
  const EulerParameters<Rational> skewed = edot + Rational(1, 7) * e;
  using D = Dual<Rational>;
  const auto along = [](const Rational& value, const Rational& rate) { return D(value, rate); };
  const EulerParameters<D> ep{along(e.e0, skewed.e0),
                              {along(e.ev.x, skewed.ev.x), along(e.ev.y, skewed.ev.y), along(e.ev.z, skewed.ev.z)}};
  const EulerParameters<D> vp{
      along(skewed.e0, eddot.e0),
      {along(skewed.ev.x, eddot.ev.x), along(skewed.ev.y, eddot.ev.y), along(skewed.ev.z, eddot.ev.z)}};
  const Vec3<D> w = body_rate(ep, vp);
  CHECK(body_acceleration(e, skewed, eddot) == Vec3<Rational>{w.x.derivative, w.y.derivative, w.z.derivative});
}

TEST_CASE("complex step and dual numbers give the same derivative of a rotated vector, log and exp") {
  const double h = 1e-30;
  test::Random random;
  for (int n = 0; n < 50; ++n) {
    const EulerParameters<double> e = random.attitude();
    const EulerParameters<double> de{random.between(-1, 1), random.vector(1)};
    const Vec3<double> v = random.vector(1);
    using C = std::complex<double>;
    const EulerParameters<C> ec{{e.e0, h * de.e0},
                                {{e.ev.x, h * de.ev.x}, {e.ev.y, h * de.ev.y}, {e.ev.z, h * de.ev.z}}};
    using D = Dual<double>;
    const EulerParameters<D> ed{{e.e0, de.e0}, {{e.ev.x, de.ev.x}, {e.ev.y, de.ev.y}, {e.ev.z, de.ev.z}}};
    const auto compare = [&](const Vec3<C>& by_complex, const Vec3<D>& by_dual) {
      for (std::size_t i = 0; i < 3; ++i) {
        CHECK(by_complex[i].imag() / h == doctest::Approx(by_dual[i].derivative).epsilon(1e-12));
      }
    };
    compare(rotate(ec, Vec3<C>{v.x, v.y, v.z}), rotate(ed, Vec3<D>{v.x, v.y, v.z}));
    compare(log(ec), log(ed));
    compare(exp(ec.ev).ev, exp(ed.ev).ev);
    const EulerAngles chart{EulerSequence::parse("3-2-1")};
    compare(chart.from_euler_parameters(ec), chart.from_euler_parameters(ed));
  }
  // at no rotation at all the logarithm is still differentiable: d log = 2 de
  const EulerParameters<Dual<double>> start{{1, 0}, {{0, 0.1}, {0, 0.2}, {0, 0.3}}};
  CHECK(log(start).x.derivative == doctest::Approx(0.2).epsilon(1e-15));
  CHECK(exp(Vec3<Dual<double>>{{0, 1}, {0, 0}, {0, 0}}).ev.x.derivative == doctest::Approx(0.5).epsilon(1e-15));
}

TEST_CASE("the templates work in float and long double to their own rounding") {
  const auto check = [](auto one) {
    using S = decltype(one);
    const EulerParameters<S> e{S(2) / S(9), {S(4) / S(9), S(5) / S(9), S(6) / S(9)}};
    const S tolerance = 16 * std::numeric_limits<S>::epsilon();
    CHECK(norm(exp(log(e)) - e) < tolerance);
    for (const EulerSequence& sequence : all_sequences()) {
      const EulerAngles chart{sequence};
      CHECK(norm(nearest_sign(chart.to_euler_parameters(chart.from_euler_parameters(e)), e) - e) < tolerance);
    }
    CHECK(norm(nearest_sign(from_matrix(rotation_matrix(e)), e) - e) < tolerance);
    CHECK(norm(nearest_rotation(rotation_matrix(e)).e_NB - e) < tolerance);
    const Vec3<S> mrp = ModifiedRodrigues{}.from_euler_parameters(e);
    CHECK(norm(ModifiedRodrigues{}.to_euler_parameters(mrp) - e) < tolerance);
  };
  check(1.0F);
  check(1.0);
  check(1.0L);
}

TEST_CASE("log keeps the sign of e, rotation_vector takes the short way, a whole turn has a logarithm") {
  const EulerParameters<double> e = exp(Vec3<double>{0, 0, 5});  // e0 < 0: more than half a turn
  CHECK(e.e0 < 0);
  CHECK(norm(log(e) - Vec3<double>{0, 0, 5}) < 1e-14);
  CHECK(norm(rotation_vector(e) - Vec3<double>{0, 0, 5 - 2 * math::pi<double>()}) < 1e-14);
  CHECK(norm(log(EulerParameters<double>{-1, {0, 0, 0}})) == 2 * math::pi<double>());
  CHECK(log(EulerParameters<double>{1, {0, 0, 0}}) == Vec3<double>{0, 0, 0});
  CHECK(exp(Vec3<double>{0, 0, 0}) == EulerParameters<double>::identity());
}

TEST_CASE("a NaN goes in and comes out: it is not taken for zero") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(std::isnan(exp(Vec3<double>{nan, 0, 0}).e0));
  CHECK(std::isnan(norm(Vec3<double>{nan, 1, 2})));
  CHECK(std::isnan(norm(Vec3<double>{1, nan, 2})));
  CHECK(std::isnan(rotation_angle(EulerParameters<double>{1, {0, nan, 0}})));
}

TEST_CASE("slerp ends where it should, moves at constant rate, and takes the short way whatever the signs") {
  test::Random random;
  for (int n = 0; n < 100; ++n) {
    const EulerParameters<double> a = random.attitude();
    const EulerParameters<double> b = random.attitude();
    CHECK(norm(nearest_sign(slerp(a, b, 1.0), b) - b) < 1e-14);
    CHECK(norm(slerp(a, b, 0.0) - a) < 1e-15);
    const double whole = rotation_angle(relative_rotation(a, b));
    CHECK(rotation_angle(relative_rotation(a, slerp(a, b, 0.3))) == doctest::Approx(0.3 * whole).epsilon(1e-13));
    CHECK(norm(slerp(a, b, 0.3) - slerp(a, -b, 0.3)) < 1e-14);
  }
}

TEST_CASE("canonical sign and sign-continuous sequences") {
  CHECK(canonical(EulerParameters<double>{-0.5, {0.5, 0.5, 0.5}}).e0 == 0.5);
  CHECK(canonical(EulerParameters<double>{0, {0, -1, 0}}) == EulerParameters<double>{0, {0, 1, 0}});
  std::vector<EulerParameters<double>> path;
  for (int n = 0; n < 200; ++n) { path.push_back(canonical(exp(Vec3<double>{0, 0, 0.1 * n}))); }
  make_continuous(std::span<EulerParameters<double>>(path));
  for (std::size_t n = 1; n < path.size(); ++n) { CHECK(norm(path[n] - path[n - 1]) < 0.06); }
  CHECK(norm(path.back() - exp(Vec3<double>{0, 0, 19.9})) < 1e-13);
}

TEST_CASE("the nearest rotation of a noisy, mirrored or singular matrix, and its distance") {
  test::Random random;
  for (int n = 0; n < 200; ++n) {
    const EulerParameters<double> e = random.attitude();
    Mat3<double> noisy = rotation_matrix(e);
    for (auto& r : noisy.m) {
      for (double& x : r) { x += random.between(-0.1, 0.1); }
    }
    const NearestRotation<double> near = nearest_rotation(noisy);
    const Mat3<double> R = rotation_matrix(near.e_NB);
    CHECK(near.distance == doctest::Approx(frobenius_norm(noisy - R)).epsilon(1e-14));
    CHECK(near.distance <= frobenius_norm(noisy - rotation_matrix(e)) + 1e-14);
    // stationary: Rᵀ A is symmetric at the optimum
    const Mat3<double> P = transpose(R) * noisy;
    CHECK(largest(P - transpose(P)) < 1e-14);
    // and no small turn is better
    for (int k = 0; k < 5; ++k) {
      const EulerParameters<double> other = near.e_NB * exp(random.vector(1e-3));
      CHECK(frobenius_norm(noisy - rotation_matrix(other)) >= near.distance - 1e-15);
    }
  }
  CHECK(nearest_rotation(identity<double, 3>()).distance == 0);
  CHECK(nearest_rotation(identity<double, 3>()).uniqueness == doctest::Approx(4));
  CHECK(nearest_rotation(-identity<double, 3>()).uniqueness == doctest::Approx(0));  // a mirror: no nearest one
}
