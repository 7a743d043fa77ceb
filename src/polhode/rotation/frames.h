#pragma once

#include "polhode/math/vec3.h"

namespace polhode {

/// The two frames of one body: B turns with it, N stays. Also the tags that pick an equation:
/// angular_velocity<Body>(e_NB, edot) is ω', angular_velocity<Space>(e_NB, edot) is ω.
struct Body {};
struct Space {};

template <class F>
concept Frame = std::same_as<F, Body> || std::same_as<F, Space>;

/// Three components that know their frame. Vectors of one frame add; vectors of two frames do not
/// compile together, and only a rotation takes one into the other. Costs nothing at run time.
/// `raw()` and the explicit constructor are the doors to the formulas, where the frame stands in the name.
template <Frame F, class S>
struct FrameVector {
  S x{};
  S y{};
  S z{};

  constexpr FrameVector() = default;
  constexpr FrameVector(const S& x_, const S& y_, const S& z_) : x(x_), y(y_), z(z_) {}
  constexpr explicit FrameVector(const Vec3<S>& v) : x(v.x), y(v.y), z(v.z) {}
  constexpr Vec3<S> raw() const { return {x, y, z}; }

  friend constexpr FrameVector operator+(const FrameVector& a, const FrameVector& b) {
    return FrameVector(a.raw() + b.raw());
  }
  friend constexpr FrameVector operator-(const FrameVector& a, const FrameVector& b) {
    return FrameVector(a.raw() - b.raw());
  }
  friend constexpr FrameVector operator-(const FrameVector& a) { return FrameVector(-a.raw()); }
  friend constexpr FrameVector operator*(const S& s, const FrameVector& a) { return FrameVector(s * a.raw()); }
  friend constexpr FrameVector operator*(const FrameVector& a, const S& s) { return FrameVector(a.raw() * s); }
  friend constexpr FrameVector operator/(const FrameVector& a, const S& s) { return FrameVector(a.raw() / s); }
  constexpr FrameVector& operator+=(const FrameVector& b) { return *this = *this + b; }
  constexpr FrameVector& operator-=(const FrameVector& b) { return *this = *this - b; }
  friend bool operator==(const FrameVector&, const FrameVector&) = default;

  friend constexpr S dot(const FrameVector& a, const FrameVector& b) { return dot(a.raw(), b.raw()); }
  friend constexpr FrameVector cross(const FrameVector& a, const FrameVector& b) {
    return FrameVector(cross(a.raw(), b.raw()));
  }
  friend S norm(const FrameVector& a) { return norm(a.raw()); }
};

template <class S>
using BodyVector = FrameVector<Body, S>;
template <class S>
using SpaceVector = FrameVector<Space, S>;

}  // namespace polhode
