#pragma once

#include "polhode/math/dual.h"
#include "polhode/rotation/euler_angles.h"
#include "polhode/verification/numbers.h"

#include <array>
#include <cstdint>
#include <random>

/// What the formulas of the checks are written with: random points, derivatives along a motion, small matrices.
namespace polhode::verification {

/// One random point, and the choice between a relation and its wrong twin. All that is drawn is a fraction with small
/// numerator and denominator. Only the engine's own output is used: every machine draws the same.
template <class S>
class Trial {
 public:
  Trial(std::uint64_t seed, bool twin) : sign(twin ? -1 : 1), engine_(seed), twin_(twin) {}

  const S sign;  ///< +1, and −1 for the twin

  /// What the relation says, or what the twin says instead.
  template <class T>
  T pick(const T& right, const T& wrong) const {
    return twin_ ? wrong : right;
  }

  /// A fraction between −9 and 9, not 0.
  S number() {
    const int top = 1 + static_cast<int>(engine_() % 9);
    const int bottom = 1 + static_cast<int>(engine_() % 7);
    return S(engine_() % 2 == 0 ? top : -top) / S(bottom);
  }
  Vec3<S> vector() {
    const S x = number();
    const S y = number();
    return {x, y, number()};
  }
  EulerParameters<S> quaternion() {
    const S e0 = number();
    return {e0, vector()};
  }
  Mat3<S> matrix() {
    const Vec3<S> a = vector();
    const Vec3<S> b = vector();
    return from_columns(a, b, vector());
  }
  /// A unit quaternion with rational components, e0 ≠ 0: stereographic projection of a rational point.
  EulerParameters<S> unit() {
    for (;;) {
      const Vec3<S> x = vector() / S(4);
      const S f = S(1) / (S(1) + norm_squared(x));
      const EulerParameters<S> e{(S(1) - norm_squared(x)) * f, (S(2) * f) * x};
      if (!(e.e0 == S(0))) { return e; }
    }
  }
  /// A rotation about one axis: rational sine and cosine, neither 0, from the tangent t of a quarter or half angle.
  math::SinCos<S> turn() {
    for (;;) {
      const S t = number() / S(4);
      const S f = S(1) / (S(1) + t * t);
      const math::SinCos<S> a{S(2) * t * f, (S(1) - t * t) * f};
      if (!(a.cos == S(0))) { return a; }
    }
  }
  Turns<S> turns() {
    const auto a = turn();
    const auto b = turn();
    return {a, b, turn()};
  }
  /// Symmetric and positive definite.
  Mat3<S> inertia() {
    const Mat3<S> m = matrix();
    return identity<S, 3>() + transpose(m) * m;
  }
  /// d without its part along the unit quaternion e.
  EulerParameters<S> tangent(const EulerParameters<S>& e) {
    const EulerParameters<S> d = quaternion();
    return d - dot(e, d) * e;
  }

 private:
  std::mt19937_64 engine_;
  bool twin_;
};

using X = Trial<Exact>;
using F = Trial<Fine>;

// ---- size of a residual: the largest entry ---------------------------------------------------------

template <class V>
Number<V> size(const Number<V>& x) {
  return x < Number<V>(0) ? -x : x;
}
/// The larger; a NaN stays.
template <class V>
Number<V> larger(const Number<V>& a, const Number<V>& b) {
  return a == a && !(b <= a) ? b : a;
}
template <class S>
S size(const Vec3<S>& v) {
  return larger(larger(size(v.x), size(v.y)), size(v.z));
}
template <class S>
S size(const EulerParameters<S>& e) {
  return larger(size(e.e0), size(e.ev));
}
template <class S, std::size_t R, std::size_t C>
S size(const Matrix<S, R, C>& a) {
  S largest(0);
  for (const auto& row_of_a : a.m) {
    for (const S& entry : row_of_a) { largest = larger(largest, size(entry)); }
  }
  return largest;
}
template <class A, class... Rest>
auto size(const A& a, const Rest&... rest) {
  return larger(size(a), size(rest...));
}

// ---- matrices as the sources write them -------------------------------------------------------------

template <class S>
Matrix<S, 3, 1> col(const Vec3<S>& v) {
  return {{{v.x}, {v.y}, {v.z}}};
}
template <class S>
Matrix<S, 4, 1> col(const EulerParameters<S>& e) {
  return {{{e.e0}, {e.ev.x}, {e.ev.y}, {e.ev.z}}};
}
template <class S, std::size_t R, std::size_t C>
Matrix<S, C, R> tr(const Matrix<S, R, C>& a) {
  return transpose(a);
}
/// [a, b]
template <class S, std::size_t R, std::size_t C, std::size_t D>
Matrix<S, R, C + D> beside(const Matrix<S, R, C>& a, const Matrix<S, R, D>& b) {
  Matrix<S, R, C + D> joined;
  for (std::size_t i = 0; i < R; ++i) {
    for (std::size_t j = 0; j < C + D; ++j) { joined(i, j) = j < C ? a(i, j) : b(i, j - C); }
  }
  return joined;
}
/// [a; b]
template <class S, std::size_t R, std::size_t P, std::size_t C>
Matrix<S, R + P, C> above(const Matrix<S, R, C>& a, const Matrix<S, P, C>& b) {
  return transpose(beside(transpose(a), transpose(b)));
}
template <class S>
Mat3<S> unit3() {
  return identity<S, 3>();
}
/// v with M = ṽ, from the entries below the diagonal and one above.
template <class S>
Vec3<S> axial(const Mat3<S>& M) {
  return {M(2, 1), M(0, 2), M(1, 0)};
}
/// a × b written out, not asking the library.
template <class S>
Vec3<S> written_cross(const Vec3<S>& a, const Vec3<S>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

// ---- derivatives: x + ẋ ε ------------------------------------------------------------------------------

template <class S>
Vec3<Dual<S>> along(const Vec3<S>& x, const Vec3<S>& xdot) {
  return {{x.x, xdot.x}, {x.y, xdot.y}, {x.z, xdot.z}};
}
template <class S>
EulerParameters<Dual<S>> along(const EulerParameters<S>& e, const EulerParameters<S>& edot) {
  return {{e.e0, edot.e0}, along(e.ev, edot.ev)};
}
/// Sine and cosine of an angle of which they are known, plus rate·ε.
template <class S>
math::SinCos<Dual<S>> along(const math::SinCos<S>& a, const S& rate) {
  return {{a.sin, a.cos * rate}, {a.cos, -a.sin * rate}};
}
template <class S>
Turns<Dual<S>> along(const Turns<S>& t, const Vec3<S>& rates) {
  return {along(t[0], rates.x), along(t[1], rates.y), along(t[2], rates.z)};
}

template <class S>
S derivative(const Dual<S>& x) {
  return x.derivative;
}
template <class S>
S value(const Dual<S>& x) {
  return x.value;
}
template <class S>
Vec3<S> derivative(const Vec3<Dual<S>>& v) {
  return {v.x.derivative, v.y.derivative, v.z.derivative};
}
template <class S>
Vec3<S> value(const Vec3<Dual<S>>& v) {
  return {v.x.value, v.y.value, v.z.value};
}
template <class S>
EulerParameters<S> derivative(const EulerParameters<Dual<S>>& e) {
  return {e.e0.derivative, derivative(e.ev)};
}
template <class S>
EulerParameters<S> value(const EulerParameters<Dual<S>>& e) {
  return {e.e0.value, value(e.ev)};
}
template <class S, std::size_t R, std::size_t C>
Matrix<S, R, C> derivative(const Matrix<Dual<S>, R, C>& a) {
  Matrix<S, R, C> d;
  for (std::size_t i = 0; i < R; ++i) {
    for (std::size_t j = 0; j < C; ++j) { d(i, j) = a(i, j).derivative; }
  }
  return d;
}
template <class S, std::size_t R, std::size_t C>
Matrix<S, R, C> value(const Matrix<Dual<S>, R, C>& a) {
  Matrix<S, R, C> v;
  for (std::size_t i = 0; i < R; ++i) {
    for (std::size_t j = 0; j < C; ++j) { v(i, j) = a(i, j).value; }
  }
  return v;
}

/// x(t) = x + ẋ t + ẍ t²/2 with its first and second derivatives; the same for turns, of which x are the angles.
template <class T>
auto path(const T& x, const T& xdot, const T& xddot) {
  return along(along(x, xdot), along(xdot, xddot));
}
template <class S>
Turns<Dual<Dual<S>>> path(const Turns<S>& t, const Vec3<S>& rates, const Vec3<S>& second) {
  return along(along(t, rates), along(rates, second));
}

/// Rotation matrix for any |e| ≠ 0.
template <class S>
Mat3<S> attitude(const EulerParameters<S>& e) {
  return (S(1) / norm_squared(e)) * rotation_matrix(e);
}

/// Angular velocity and acceleration as their definition has them, ω̃' = AᵀȦ and ω̃ = ȦAᵀ, from A(t) by dual
/// numbers: no rate map of the library is asked.
template <class S>
struct Turning {
  Mat3<S> A, Adot, Addot;
  Vec3<S> w_B, wdot_B, w_N, wdot_N;

  explicit Turning(const Mat3<Dual<Dual<S>>>& A_path)
      : A(value(value(A_path))),
        Adot(derivative(value(A_path))),
        Addot(derivative(derivative(A_path))),
        w_B(axial(transpose(A) * Adot)),
        wdot_B(axial(transpose(A) * Addot + transpose(Adot) * Adot)),
        w_N(axial(Adot * transpose(A))),
        wdot_N(axial(Addot * transpose(A) + Adot * transpose(Adot))) {}
};

/// A motion in Euler parameters of any norm.
template <class S>
struct Motion : Turning<S> {
  EulerParameters<S> e, edot, eddot;
  Mat34<S> L, G, Ldot, Gdot;

  Motion(const EulerParameters<S>& e_, const EulerParameters<S>& edot_, const EulerParameters<S>& eddot_)
      : Turning<S>(attitude(path(e_, edot_, eddot_))),
        e(e_),
        edot(edot_),
        eddot(eddot_),
        L(E_body(e)),
        G(E_space(e)),
        Ldot(E_body(edot)),
        Gdot(E_space(edot)) {}
};

/// On the unit sphere: e·e = 1, e·ė = 0, e·ë = −ė·ė.
template <class S>
Motion<S> motion(Trial<S>& t) {
  const EulerParameters<S> e = t.unit();
  const EulerParameters<S> edot = t.tangent(e);
  const EulerParameters<S> eddot = t.tangent(e) - dot(edot, edot) * e;
  return {e, edot, eddot};
}

/// Off the sphere: any e, ė, ë.
template <class S>
Motion<S> motion_off_sphere(Trial<S>& t) {
  const EulerParameters<S> e = t.quaternion();
  const EulerParameters<S> edot = t.quaternion();
  return {e, edot, t.quaternion()};
}

/// [∂f/∂p0 … ∂f/∂p3] of a vector function of four Euler parameters.
template <class S, class Function>
Mat34<S> jacobian(const Function& f, const EulerParameters<S>& p) {
  Mat34<S> J;
  for (std::size_t j = 0; j < 4; ++j) {
    EulerParameters<S> d{S(j == 0 ? 1 : 0), {S(0), S(0), S(0)}};
    if (j > 0) { d.ev = axis_vector<S>(j - 1); }
    const Vec3<S> column_j = derivative(f(along(p, d)));
    for (std::size_t i = 0; i < 3; ++i) { J(i, j) = column_j[i]; }
  }
  return J;
}

}  // namespace polhode::verification
