#pragma once

#include "polhode/math/elliptic.h"
#include "polhode/math/matrix.h"
#include "polhode/motion/checks.h"
#include "polhode/rotation/euler_parameters.h"

#include <cmath>

/// Small helpers of the exact motions, between number types.
namespace polhode::motion {

template <class To, class From>
Vec3<To> convert(const Vec3<From>& v) {
  return {static_cast<To>(v.x), static_cast<To>(v.y), static_cast<To>(v.z)};
}

template <class To, class From>
Mat3<To> convert(const Mat3<From>& a) {
  Mat3<To> b;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) { b(i, j) = static_cast<To>(a(i, j)); }
  }
  return b;
}

template <class S>
void require_start_of(const EulerParameters<S>& e, const Vec3<S>& w_B) {
  require_start({static_cast<double>(e.e0), convert<double>(e.ev)}, convert<double>(w_B));
}

/// A power of two near |x| ≠ 0, so that dividing by it is exact and what is left is of order 1.
template <class W>
W binary_unit(const W& x) {
  return W(std::ldexp(1.0, std::ilogb(static_cast<double>(x))));
}

template <class W>
W size(const W& x) {
  return elliptic::detail::size(x);
}

template <class W>
W clamp01(const W& x) {
  return x < W(0) ? W(0) : (x > W(1) ? W(1) : x);
}

/// e_SB of the axes S made of body axes in cyclic order so that body axis `axis` comes third.
template <class S>
EulerParameters<S> cyclic_axes(std::size_t axis) {
  if (axis == 2) { return EulerParameters<S>::identity(); }
  const S h(0.5);
  const S s = axis == 0 ? -h : h;
  return {h, {s, s, s}};
}

}  // namespace polhode::motion
