#include "polhode/math/counted.h"

#include "polhode/math/elementary.h"
#include "polhode/math/matrix.h"

#include <doctest/doctest.h>

using namespace polhode;

TEST_CASE("counted numbers count what is done to them, and compute as doubles do") {
  Counted result;
  const OperationCount count = count_operations([&] {
    const Counted a(3);
    result = math::sqrt(a * a + Counted(16)) / Counted(2) - Counted(0.5) + math::sin(Counted(0)) - (-a);
  });
  CHECK(value_of(result) == 5);  // 5/2 - 1/2 + 0 + 3
  CHECK(count.multiplications == 1);
  CHECK(count.additions == 4);
  CHECK(count.divisions == 1);
  CHECK(count.roots == 1);
  CHECK(count.functions == 1);
  CHECK(count.flops() == 7);
}

TEST_CASE("a matrix times a vector is 9 products and 6 sums, a cross product 6 and 3") {
  const Vec3<Counted> v{1, 2, 3};
  const Mat3<Counted> m = identity<Counted, 3>();
  const OperationCount product = count_operations([&] { (void)(m * v); });
  CHECK(product.multiplications == 9);
  CHECK(product.additions == 6);
  const OperationCount across = count_operations([&] { (void)cross(v, v); });
  CHECK(across.multiplications == 6);
  CHECK(across.additions == 3);
}
