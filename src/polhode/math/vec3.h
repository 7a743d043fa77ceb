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
  friend bool operator==(const Vec3&, const Vec3&) = default;
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

/// √(Σ xᵢ²) of plain reals from the sum of squares already at hand, without overflow or underflow: when
/// that sum left the range where it is good, it is formed again from the components scaled by a power of two,
/// so the result is as accurate at 1e-300 as at 1.
template <PlainReal S, std::size_t N>
S safe_norm(const S& sum_of_squares, const S (&x)[N]) {
  constexpr S kEpsilon = std::numeric_limits<S>::epsilon();
  constexpr S kSafeLow = std::numeric_limits<S>::min() / (kEpsilon * kEpsilon);
  if (sum_of_squares > kSafeLow && sum_of_squares <= std::numeric_limits<S>::max()) {
    return std::sqrt(sum_of_squares);
  }
  if (std::isnan(sum_of_squares)) { return sum_of_squares; }
  S largest = 0;
  for (const S& component : x) { largest = std::fmax(largest, std::fabs(component)); }
  if (largest == 0 || !std::isfinite(largest)) { return largest; }
  const int exponent = std::ilogb(largest);
  S sum = 0;
  for (const S& component : x) {
    const S scaled = std::scalbn(component, -exponent);
    sum += scaled * scaled;
  }
  return std::scalbn(std::sqrt(sum), exponent);
}

/// |a|. Plain reals: no overflow or underflow on the way.
template <class S>
S norm(const Vec3<S>& a) {
  if constexpr (PlainReal<S>) {
    return safe_norm(norm_squared(a), {a.x, a.y, a.z});
  } else {
    return math::sqrt(norm_squared(a));
  }
}

template <PlainReal S>
bool is_finite(const Vec3<S>& v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

/// Unit vector of coordinate axis 0, 1 or 2.
template <class S>
constexpr Vec3<S> axis_vector(std::size_t axis) {
  Vec3<S> e{S(0), S(0), S(0)};
  e[axis] = S(1);
  return e;
}

}  // namespace polhode
