#include "polhode/rotation/batch.h"

#include <doctest/doctest.h>

#include <random>

using namespace polhode;

namespace {

using E = EulerParameters<double>;

/// Enough for two blocks and a rest; lock, near lock, tiny and huge quaternions among them.
std::vector<E> attitudes() {
  std::mt19937_64 engine(3);
  std::normal_distribution<double> normal;
  std::vector<E> list;
  for (int n = 0; n < 150; ++n) {
    list.push_back(normalized(E{normal(engine), {normal(engine), normal(engine), normal(engine)}}));
  }
  list[3] = E::identity();
  list[4] = E{0, {0, 1, 0}};
  list[70] = E{std::sqrt(0.5), {0, std::sqrt(0.5), 0}};
  list[71] = exp(Vec3<double>{1e-12, 0, 1e-3});
  list[72] = 1e-200 * list[0];
  list[73] = 1e200 * list[1];
  list[149] = E{0, {0, 0, 0}};
  return list;
}

/// Equal, or both not a number (squares of the huge quaternion).
bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

TEST_CASE("operations over arrays give the same bits as one at a time") {
  const std::vector<E> e = attitudes();
  std::vector<E> other(e.rbegin(), e.rend());
  std::vector<Vec3<double>> v(e.size());
  for (std::size_t i = 0; i < e.size(); ++i) { v[i] = e[i].ev; }

  std::vector<E> products(e.size());
  std::vector<Vec3<double>> rotated(e.size());
  std::vector<Mat3<double>> matrices(e.size());
  batch::product(e, other, products);
  batch::rotate(e, v, rotated);
  batch::rotation_matrix(e, matrices);
  bool same = true;
  for (std::size_t i = 0; i < e.size(); ++i) {
    if (i == 72 || i == 73 || i == e.size() - 73 || i == e.size() - 74) { continue; }  // overflow to NaN
    same = same && products[i] == e[i] * other[i] && rotated[i] == rotate(e[i], v[i]) &&
           matrices[i] == rotation_matrix(e[i]);
  }
  CHECK(same);
}

TEST_CASE("Euler angles over arrays give the same bits as one at a time, for all sequences") {
  const std::vector<E> e = attitudes();
  std::vector<Vec3<double>> angles(e.size());
  for (EulerSequence sequence : all_sequences()) {
    for (const bool extrinsic : {false, true}) {
      sequence.extrinsic = extrinsic;
      CAPTURE(sequence.name());
      batch::euler_angles(sequence, e, angles);
      std::size_t different = 0;
      for (std::size_t i = 0; i < e.size(); ++i) {
        const Vec3<double> one = EulerAngles{sequence}.from_euler_parameters(e[i]);
        if (!same(angles[i].x, one.x) || !same(angles[i].y, one.y) || !same(angles[i].z, one.z)) { ++different; }
      }
      CHECK(different == 0);
    }
  }
}
