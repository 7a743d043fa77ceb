#pragma once

#include "polhode/math/symmetric_eigen.h"
#include "polhode/rotation/rate_matrix_check.h"

namespace polhode {

/// A chart of one's own. Derived gives, for any number type, to_euler_parameters(x), from_euler_parameters(e) and
/// body_rate_matrix(x); what else a Chart has follows: the inverse by cofactors, partial derivatives by dual numbers,
/// the condition number by singular values. How far the singularity is stays unknown: such a chart is not switched.
///
/// check_rate_matrix tells whether body_rate_matrix can be one; that it belongs to to_euler_parameters is for its
/// author to check (a rate matrix of other axes passes too).
template <class Derived>
struct OwnChart {
  template <class S>
  Mat3<S> inverse_body_rate_matrix(const Vec3<S>& x) const {
    return inverse(derived().body_rate_matrix(x));
  }
  template <class S>
  std::array<Mat3<S>, 3> body_rate_partials(const Vec3<S>& x) const {
    return rate_partials_of([this](const auto& q) { return derived().body_rate_matrix(q); }, x);
  }
  template <class S>
  Conditioning<S> conditioning(const Vec3<S>& x) const {
    const Mat3<S> rate = derived().body_rate_matrix(x);
    const SymmetricEigen<S, 3> squares = symmetric_eigen(transpose(rate) * rate);
    const S none = std::numeric_limits<S>::infinity();
    return {determinant(rate), squares.values[2] > S(0) ? math::sqrt(squares.values[0] / squares.values[2]) : none,
            none};
  }
  template <class S>
  Vec3<S> center() const {
    return {S(0), S(0), S(0)};
  }

 private:
  const Derived& derived() const { return static_cast<const Derived&>(*this); }
};

}  // namespace polhode
