#pragma once

#include "polhode/math/matrix.h"

/// Pairs of vectors and 6 × 6 matrices of mechanisms, all in space components about a body's own mass centre: from one
/// body to the next there is a shift, and never a turn. Label (MEC-n): docs/theory/mechanisms.md.
namespace polhode {

/// A symmetric 3 × 3 matrix by its six numbers.
struct Sym3 {
  double xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;

  Sym3& operator+=(const Sym3& b) {
    xx += b.xx, xy += b.xy, xz += b.xz, yy += b.yy, yz += b.yz, zz += b.zz;
    return *this;
  }
};

inline Vec3<double> operator*(const Sym3& a, const Vec3<double>& v) {
  return {a.xx * v.x + a.xy * v.y + a.xz * v.z, a.xy * v.x + a.yy * v.y + a.yz * v.z,
          a.xz * v.x + a.yz * v.y + a.zz * v.z};
}

/// R J Rᵀ from the upper triangle of J: 45 mul, 30 add.
inline Sym3 turned_sym(const Mat3<double>& R, const Mat3<double>& J) {
  const Mat3<double> K = R * J;
  const auto entry = [&](std::size_t i, std::size_t j) {
    return K(i, 0) * R(j, 0) + K(i, 1) * R(j, 1) + K(i, 2) * R(j, 2);
  };
  return {entry(0, 0), entry(0, 1), entry(0, 2), entry(1, 1), entry(1, 2), entry(2, 2)};
}

/// Angular and linear part: (ω, v), (α, a), or (moment, force).
template <class S>
struct PairOf {
  Vec3<S> ang{};
  Vec3<S> lin{};

  PairOf& operator+=(const PairOf& b) {
    ang += b.ang;
    lin += b.lin;
    return *this;
  }
  friend PairOf operator+(const PairOf& a, const PairOf& b) { return {a.ang + b.ang, a.lin + b.lin}; }
  friend PairOf operator-(const PairOf& a, const PairOf& b) { return {a.ang - b.ang, a.lin - b.lin}; }
  friend PairOf operator*(const S& s, const PairOf& a) { return {s * a.ang, s * a.lin}; }
};
using Pair = PairOf<double>;

template <class S>
S dot(const PairOf<S>& a, const PairOf<S>& b) {
  return dot(a.ang, b.ang) + dot(a.lin, b.lin);
}

/// What resists acceleration: of one body, or of a body with its subtree.
///
///   (moment; force) = [A B; Bᵀ C] (α; a)                    (MEC-10)
struct ArticulatedInertia {
  Sym3 A{};
  Mat3<double> B{};
  Sym3 C{};

  ArticulatedInertia& operator+=(const ArticulatedInertia& b) {
    A += b.A;
    B = B + b.B;
    C += b.C;
    return *this;
  }
};

inline Pair operator*(const ArticulatedInertia& M, const Pair& a) {
  return {M.A * a.ang + M.B * a.lin, transpose_times(M.B, a.ang) + M.C * a.lin};
}

/// M − U Uᵀ/D: what is left when the freedom with U = M S, D = Sᵀ U gives way.
inline void take_away(ArticulatedInertia& M, const Pair& U, double inverse_D) {
  const Vec3<double> a = inverse_D * U.ang;
  const Vec3<double> l = inverse_D * U.lin;
  M.A.xx -= a.x * U.ang.x;
  M.A.xy -= a.x * U.ang.y;
  M.A.xz -= a.x * U.ang.z;
  M.A.yy -= a.y * U.ang.y;
  M.A.yz -= a.y * U.ang.z;
  M.A.zz -= a.z * U.ang.z;
  M.B(0, 0) -= a.x * U.lin.x;
  M.B(0, 1) -= a.x * U.lin.y;
  M.B(0, 2) -= a.x * U.lin.z;
  M.B(1, 0) -= a.y * U.lin.x;
  M.B(1, 1) -= a.y * U.lin.y;
  M.B(1, 2) -= a.y * U.lin.z;
  M.B(2, 0) -= a.z * U.lin.x;
  M.B(2, 1) -= a.z * U.lin.y;
  M.B(2, 2) -= a.z * U.lin.z;
  M.C.xx -= l.x * U.lin.x;
  M.C.xy -= l.x * U.lin.y;
  M.C.xz -= l.x * U.lin.z;
  M.C.yy -= l.y * U.lin.y;
  M.C.yz -= l.y * U.lin.z;
  M.C.zz -= l.z * U.lin.z;
}

/// The same resistance felt at another point of a rigid continuation, d from there to here.
///
///   C' = C,   B' = B + d̃ C,   A' = A + d̃ Bᵀ − B' d̃          (MEC-11)
inline ArticulatedInertia shifted(const ArticulatedInertia& M, const Vec3<double>& d) {
  ArticulatedInertia s;
  s.C = M.C;
  s.B = {{{M.B(0, 0) + (d.y * M.C.xz - d.z * M.C.xy), M.B(0, 1) + (d.y * M.C.yz - d.z * M.C.yy),
           M.B(0, 2) + (d.y * M.C.zz - d.z * M.C.yz)},
          {M.B(1, 0) + (d.z * M.C.xx - d.x * M.C.xz), M.B(1, 1) + (d.z * M.C.xy - d.x * M.C.yz),
           M.B(1, 2) + (d.z * M.C.xz - d.x * M.C.zz)},
          {M.B(2, 0) + (d.x * M.C.xy - d.y * M.C.xx), M.B(2, 1) + (d.x * M.C.yy - d.y * M.C.xy),
           M.B(2, 2) + (d.x * M.C.yz - d.y * M.C.xz)}}};
  // rows of d̃ Bᵀ: d × (columns of Bᵀ = rows of B); (X d̃)ᵢ = X_i × d by rows
  const Mat3<double>& B = M.B;
  const Mat3<double>& X = s.B;
  s.A.xx = M.A.xx + (d.y * B(0, 2) - d.z * B(0, 1)) - (X(0, 1) * d.z - X(0, 2) * d.y);
  s.A.xy = M.A.xy + (d.y * B(1, 2) - d.z * B(1, 1)) - (X(0, 2) * d.x - X(0, 0) * d.z);
  s.A.xz = M.A.xz + (d.y * B(2, 2) - d.z * B(2, 1)) - (X(0, 0) * d.y - X(0, 1) * d.x);
  s.A.yy = M.A.yy + (d.z * B(1, 0) - d.x * B(1, 2)) - (X(1, 2) * d.x - X(1, 0) * d.z);
  s.A.yz = M.A.yz + (d.z * B(2, 0) - d.x * B(2, 2)) - (X(1, 0) * d.y - X(1, 1) * d.x);
  s.A.zz = M.A.zz + (d.x * B(2, 1) - d.y * B(2, 0)) - (X(2, 0) * d.y - X(2, 1) * d.x);
  return s;
}

}  // namespace polhode
