#pragma once

#include "polhode/math/elementary.h"
#include "polhode/math/scalar.h"

#include <cstddef>

namespace polhode {

/// Three components in one frame; the frame stands in the name of the variable (`w_B`, `tau_N`),
/// or in the type, where BodyVector and SpaceVector are used. An aggregate: Vec3<double>{1, 2, 3}.
template <class S>
struct Vec3 {
  S x{};
  S y{};
  S z{};

  constexpr S& operator[](std::size_t i) { return i == 0 ? x : i == 1 ? y : z; }
  constexpr const S& operator[](std::size_t i) const { return i == 0 ? x : i == 1 ? y : z; }

  constexpr Vec3& operator+=(const Vec3& b) { return *this = *this + b; }
  constexpr Vec3& operator-=(const Vec3& b) { return *this = *this - b; }
  constexpr Vec3& operator*=(const S& s) { return *this = *this * s; }

  friend constexpr Vec3 operator+(const Vec3& a, const Vec3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend constexpr Vec3 operator-(const Vec3& a, const Vec3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend constexpr Vec3 operator-(const Vec3& a) { return {-a.x, -a.y, -a.z}; }
  friend constexpr Vec3 operator*(const S& s, const Vec3& a) { return {s * a.x, s * a.y, s * a.z}; }
  friend constexpr Vec3 operator*(const Vec3& a, const S& s) { return {a.x * s, a.y * s, a.z * s}; }
  friend constexpr Vec3 operator/(const Vec3& a, const S& s) { return {a.x / s, a.y / s, a.z / s}; }
  friend constexpr bool operator==(const Vec3&, const Vec3&) = default;
};

template <class S>
constexpr S dot(const Vec3<S>& a, const Vec3<S>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

template <class S>
constexpr Vec3<S> cross(const Vec3<S>& a, const Vec3<S>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// a·a, without a root: exact on fractions.
template <class S>
constexpr S norm_squared(const Vec3<S>& a) {
  return dot(a, a);
}

namespace detail {
/// √(Σ xᵢ²) of plain reals without overflow or underflow: scaled by a power of two when a square
/// would leave the normal range, so the result is as accurate at 1e-300 as at 1.
template <PlainReal S, std::size_t N>
S scaled_norm(const S (&x)[N]) {
  S largest = 0;
  for (const S& component : x) {
    if (!(std::fabs(component) <= largest)) { largest = std::fabs(component); }  // a NaN is kept
  }
  constexpr int kExponentRange = std::numeric_limits<S>::max_exponent;
  const int exponent = std::ilogb(largest);
  if (largest > 0 && std::isfinite(largest) &&
      (exponent < -kExponentRange / 2 + 64 || exponent > kExponentRange / 2 - 2)) {
    S sum = 0;
    for (const S& component : x) {
      const S scaled = std::scalbn(component, -exponent);
      sum += scaled * scaled;
    }
    return std::scalbn(std::sqrt(sum), exponent);
  }
  S sum = 0;
  for (const S& component : x) { sum += component * component; }
  return std::sqrt(sum);
}
}  // namespace detail

/// |a|. Plain reals: no overflow or underflow on the way.
template <class S>
S norm(const Vec3<S>& a) {
  if constexpr (PlainReal<S>) {
    const S squared = norm_squared(a);
    constexpr S kSafeLow =
        std::numeric_limits<S>::min() / (std::numeric_limits<S>::epsilon() * std::numeric_limits<S>::epsilon());
    if (squared > kSafeLow && squared <= std::numeric_limits<S>::max()) { return std::sqrt(squared); }
    return detail::scaled_norm<S>({a.x, a.y, a.z});
  } else {
    return math::sqrt(norm_squared(a));
  }
}

/// Unit vector of coordinate axis 0, 1 or 2.
template <class S>
constexpr Vec3<S> axis_vector(std::size_t axis) {
  Vec3<S> e{S(0), S(0), S(0)};
  e[axis] = S(1);
  return e;
}

}  // namespace polhode
