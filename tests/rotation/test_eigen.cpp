#include "polhode/rotation/eigen.h"
#include "polhode/rotation/rotation_matrix.h"
#include "support/random.h"

#include <doctest/doctest.h>

using namespace polhode;

TEST_CASE("Eigen agrees: product, rotation and matrix of the same attitude are the same") {
  test::Random random;
  for (int n = 0; n < 50; ++n) {
    const EulerParameters<double> a = random.attitude();
    const EulerParameters<double> b = random.attitude();
    CHECK(norm(from_eigen(Eigen::Quaterniond(to_eigen(a) * to_eigen(b))) - a * b) < 1e-15);
    const Vec3<double> v = random.vector(1);
    CHECK(norm(to_vec3(to_eigen(a) * eigen_view(v)) - rotate(a, v)) < 2e-15);
    CHECK(frobenius_norm(to_mat3(to_eigen(a).toRotationMatrix()) - rotation_matrix(a)) < 2e-15);
  }
}

TEST_CASE("Eigen views share memory with our vectors and matrices") {
  Vec3<double> v{1, 2, 3};
  eigen_view(v).y() = 7;
  CHECK(v == Vec3<double>{1, 7, 3});
  Mat3<double> a{{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}};
  CHECK(eigen_view(a)(0, 2) == 3);
  eigen_view(a)(2, 0) = 0;
  CHECK(a(2, 0) == 0);
}
