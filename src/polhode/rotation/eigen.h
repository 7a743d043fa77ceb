#pragma once

#include "polhode/rotation/euler_parameters.h"

#include <Eigen/Geometry>

/// To and from Eigen's types. Not part of polhode/rotation.h: including it requires Eigen.
///
/// Vectors and matrices are viewed in place, without a copy. Eigen's quaternion has the same product and
/// direction as ours but stores the scalar last, so it is converted by value, by component name.
namespace polhode {

template <class S>
using EigenRowMajor3 = Eigen::Matrix<S, 3, 3, Eigen::RowMajor>;

template <class S>
Eigen::Map<Eigen::Matrix<S, 3, 1>> eigen_view(Vec3<S>& v) {
  static_assert(sizeof(Vec3<S>) == 3 * sizeof(S));
  return Eigen::Map<Eigen::Matrix<S, 3, 1>>(&v.x);
}
template <class S>
Eigen::Map<const Eigen::Matrix<S, 3, 1>> eigen_view(const Vec3<S>& v) {
  static_assert(sizeof(Vec3<S>) == 3 * sizeof(S));
  return Eigen::Map<const Eigen::Matrix<S, 3, 1>>(&v.x);
}
template <class S>
Eigen::Map<EigenRowMajor3<S>> eigen_view(Mat3<S>& a) {
  return Eigen::Map<EigenRowMajor3<S>>(&a.m[0][0]);
}
template <class S>
Eigen::Map<const EigenRowMajor3<S>> eigen_view(const Mat3<S>& a) {
  return Eigen::Map<const EigenRowMajor3<S>>(&a.m[0][0]);
}

template <class Derived>
Vec3<typename Derived::Scalar> to_vec3(const Eigen::MatrixBase<Derived>& v) {
  EIGEN_STATIC_ASSERT_VECTOR_SPECIFIC_SIZE(Derived, 3);
  return {v.x(), v.y(), v.z()};
}
template <class Derived>
Mat3<typename Derived::Scalar> to_mat3(const Eigen::MatrixBase<Derived>& a) {
  EIGEN_STATIC_ASSERT_MATRIX_SPECIFIC_SIZE(Derived, 3, 3);
  Mat3<typename Derived::Scalar> result;
  eigen_view(result) = a;
  return result;
}

template <class S>
Eigen::Quaternion<S> to_eigen(const EulerParameters<S>& e) {
  return {e.e0, e.ev.x, e.ev.y, e.ev.z};
}
template <class S>
EulerParameters<S> from_eigen(const Eigen::Quaternion<S>& q) {
  return {q.w(), {q.x(), q.y(), q.z()}};
}

}  // namespace polhode
