#include "polhode/rotation.h"

#include <doctest/doctest.h>

using namespace polhode;

namespace {

using B = BodyVector<double>;
using N = SpaceVector<double>;
using E = EulerParameters<double>;

// What must not compile, asked of the compiler itself: each concept is false because the expression is ill-formed.
template <class X, class Y>
concept Adds = requires(X x, Y y) { x + y; };
template <class X, class Y>
concept Subtracts = requires(X x, Y y) { x - y; };
template <class X, class Y>
concept AddsTo = requires(X x, Y y) { x += y; };
template <class X, class Y>
concept Dots = requires(X x, Y y) { dot(x, y); };
template <class X, class Y>
concept Crosses = requires(X x, Y y) { cross(x, y); };
template <class X, class Y>
concept Compares = requires(X x, Y y) { x == y; };
template <class X>
concept GoesToSpace = requires(E e, X x) { to_space(e, x); };
template <class X>
concept GoesToBody = requires(E e, X x) { to_body(e, x); };

}  // namespace

TEST_CASE("vectors of two frames do not mix: adding, comparing, multiplying or assigning them does not compile") {
  static_assert(Adds<B, B>);
  static_assert(Adds<N, N>);
  static_assert(!Adds<B, N>);
  static_assert(!Adds<N, B>);
  static_assert(!Adds<B, Vec3<double>>);
  static_assert(!Subtracts<B, N>);
  static_assert(AddsTo<B&, B>);
  static_assert(!AddsTo<B&, N>);
  static_assert(Dots<B, B>);
  static_assert(!Dots<B, N>);
  static_assert(Crosses<N, N>);
  static_assert(!Crosses<B, N>);
  static_assert(Compares<B, B>);
  static_assert(!Compares<B, N>);
  static_assert(!std::is_convertible_v<B, N>);
  static_assert(!std::is_assignable_v<B&, N>);
  static_assert(!std::is_constructible_v<B, N>);
  static_assert(!std::is_convertible_v<Vec3<double>, B>);  // the frame must be said
  static_assert(!std::is_convertible_v<B, Vec3<double>>);
}

TEST_CASE("only a rotation takes a vector from one frame to the other, and it knows the direction") {
  static_assert(GoesToSpace<B>);
  static_assert(!GoesToSpace<N>);
  static_assert(GoesToBody<N>);
  static_assert(!GoesToBody<B>);
  const E e = exp(Vec3<double>{0.1, -0.4, 0.7});
  const B w(1, 2, 3);
  CHECK(norm(to_body(e, to_space(e, w)) - w) < 4e-15);  // a few ulp of |w| = 3.7
  // the same rate of the Euler parameters, whichever frame ω is given in
  CHECK(norm(rate(e, w) - rate(e, to_space(e, w))) < 1e-15);
}
