#include "polhode/math/matrix.h"

#include <doctest/doctest.h>

#include <boost/multiprecision/cpp_int.hpp>

#include <limits>
#include <random>

using namespace polhode;

namespace {

using Fraction = boost::multiprecision::cpp_rational;

class Fractions {
 public:
  Fraction next() {
    const int numerator = static_cast<int>(random_() % 2001) - 1000;
    const int denominator = static_cast<int>(random_() % 99) + 1;
    return {numerator, denominator};
  }
  Vec3<Fraction> vector() { return {next(), next(), next()}; }
  Mat3<Fraction> matrix() { return from_columns(vector(), vector(), vector()); }

 private:
  std::mt19937 random_{7};
};

/// The determinant by its definition: the sum over the six permutations.
Fraction leibniz(const Mat3<Fraction>& a) {
  return a(0, 0) * a(1, 1) * a(2, 2) + a(0, 1) * a(1, 2) * a(2, 0) + a(0, 2) * a(1, 0) * a(2, 1) -
         a(0, 2) * a(1, 1) * a(2, 0) - a(0, 1) * a(1, 0) * a(2, 2) - a(0, 0) * a(1, 2) * a(2, 1);
}

const Mat3<Fraction> kOne = identity<Fraction, 3>();

}  // namespace

TEST_CASE("determinant, cofactor and inverse satisfy their definitions exactly on fractions") {
  Fractions fractions;
  for (int i = 0; i < 50; ++i) {
    const Mat3<Fraction> a = fractions.matrix();
    const Mat3<Fraction> b = fractions.matrix();
    const Fraction det = determinant(a);
    CHECK(det == leibniz(a));
    CHECK(determinant(a * b) == det * determinant(b));
    CHECK(transpose(a) * cofactor(a) == det * kOne);  // Xᵀ cof X = det(X) I
    CHECK(cofactor(a * b) == cofactor(a) * cofactor(b));
    REQUIRE(det != 0);
    CHECK(a * inverse(a) == kOne);
    CHECK(inverse(a) * a == kOne);
  }
}

TEST_CASE("skew, cross, dot and outer products satisfy their identities exactly on fractions") {
  Fractions fractions;
  for (int i = 0; i < 50; ++i) {
    const Vec3<Fraction> u = fractions.vector();
    const Vec3<Fraction> v = fractions.vector();
    const Vec3<Fraction> w = fractions.vector();
    const Mat3<Fraction> a = fractions.matrix();
    CHECK(skew(v) * w == cross(v, w));
    CHECK(transpose(skew(v)) == -skew(v));
    CHECK(cross(u, v) == -cross(v, u));
    CHECK(dot(u, cross(v, w)) == determinant(from_columns(u, v, w)));
    CHECK(cross(u, cross(v, w)) == dot(u, w) * v - dot(u, v) * w);
    CHECK(outer(u, v) * w == dot(v, w) * u);
    CHECK(trace(outer(u, v)) == dot(u, v));
    CHECK(skew(u) * skew(v) == outer(v, u) - dot(u, v) * kOne);
    CHECK(transpose(a) * skew(a * v) * a == determinant(a) * skew(v));  // Xᵀ (Xv)~ X = det(X) ṽ
    CHECK(cofactor(a) * skew(v) == skew(a * v) * a);                    // (cof X) ṽ = (Xv)~ X
    CHECK(transpose_times(a, v) == transpose(a) * v);
    CHECK(norm_squared(u + v) + norm_squared(u - v) == Fraction(2) * (norm_squared(u) + norm_squared(v)));
  }
}

TEST_CASE("rows, columns, diagonals and products of other shapes sit where they should") {
  const Mat3<int> a{{{1, 2, 3}, {4, 5, 6}, {7, 8, 10}}};
  CHECK(row(a, 1) == Vec3<int>{4, 5, 6});
  CHECK(column(a, 2) == Vec3<int>{3, 6, 10});
  CHECK(a(2, 0) == 7);
  CHECK(trace(a) == 16);
  CHECK(determinant(a) == -3);
  CHECK(diagonal(1, 2, 3) * Vec3<int>{1, 1, 1} == Vec3<int>{1, 2, 3});
  CHECK(axis_vector<int>(1) == Vec3<int>{0, 1, 0});
  const Mat34<int> wide{{{1, 0, 2, 0}, {0, 1, 0, 3}, {1, 1, 1, 1}}};
  CHECK(wide * transpose(wide) == Mat3<int>{{{5, 0, 3}, {0, 10, 4}, {3, 4, 4}}});
  CHECK((transpose(wide) * wide)(3, 1) == 4);
  Vec3<int> v{1, 2, 3};
  v += {1, 1, 1};
  v *= 2;
  v -= {4, 0, 0};
  CHECK(v == Vec3<int>{0, 6, 8});
  CHECK(v[2] == 8);
  v[0] = 5;
  CHECK(v / 2 == Vec3<int>{2, 3, 4});
}

TEST_CASE("the norm is as accurate at 1e-300 and 1e300 as at 1") {
  // scaling by powers of two is exact, so the norm of a scaled vector is the scaled norm, to the bit
  const Vec3<double> v{0.3, -0.4, 1.2};
  const double length = norm(v);
  CHECK(length == doctest::Approx(1.3).epsilon(4e-16));  // sum of three squares and a root: 2 ulp
  for (const double scale : {0x1p-1000, 0x1p-600, 0x1p-500, 0x1p-300, 0x1p300, 0x1p500, 0x1p511, 0x1p1000, 0x1p1022}) {
    CAPTURE(scale);
    CHECK(norm(scale * v) == scale * length);
  }
  CHECK(norm(Vec3<double>{3e-300, 0, -4e-300}) == doctest::Approx(5e-300).epsilon(4e-16));
  CHECK(norm(Vec3<double>{3e300, 0, -4e300}) == doctest::Approx(5e300).epsilon(4e-16));
  CHECK(norm(Vec3<double>{3 * 0x1p-1074, 0, 4 * 0x1p-1074}) == 5 * 0x1p-1074);
  CHECK(norm(Vec3<double>{0, -0.0, 0}) == 0);
  CHECK(std::isinf(norm(Vec3<double>{1, -std::numeric_limits<double>::infinity(), 0})));
  CHECK(std::isnan(norm(Vec3<double>{1, std::numeric_limits<double>::quiet_NaN(), 0})));
  CHECK(norm(Vec3<float>{3e30F, 4e30F, 0}) == doctest::Approx(5e30).epsilon(2e-7));
  CHECK(norm(Vec3<float>{3e-30F, 4e-30F, 0}) == doctest::Approx(5e-30).epsilon(2e-7));
}

TEST_CASE("the Frobenius norm is the root of the sum of all squares") {
  CHECK(frobenius_norm(Mat3<double>{{{1, 2, 0}, {0, 4, 0}, {2, 0, 0}}}) == 5);
  CHECK(frobenius_norm(Matrix<double, 1, 2>{{{3, 4}}}) == 5);
}
