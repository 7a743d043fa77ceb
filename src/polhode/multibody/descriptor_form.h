#pragma once

#include "polhode/multibody/condition_rows.h"
#include "polhode/multibody/dynamics.h"

#include <Eigen/Core>

/// The equations of a mechanism as they stand, with dense matrices, for implicit solvers. Vectors by body: (moment in
/// body components; force in space components), and (ω̇'; v̇) accordingly.
namespace polhode {

class DescriptorForm {
 public:
  explicit DescriptorForm(const Model& model);

  Eigen::Index size() const { return n_; }  ///< 6 numbers a body
  /// C, rows by body as above.
  Eigen::MatrixXd jacobian(const std::vector<ConditionRow>& rows, std::span<const double> y) const;
  /// Cᵀ x
  Eigen::VectorXd transposed(const std::vector<ConditionRow>& rows, std::span<const double> y,
                             const Eigen::VectorXd& x) const;
  /// M⁻¹ f
  Eigen::VectorXd divided_by_mass(const Eigen::VectorXd& f) const;
  /// M v̇ + Cᵀ λ − f
  Eigen::VectorXd dynamics(double t, std::span<const double> y, const Eigen::VectorXd& vdot,
                           const Eigen::VectorXd& lambda, const std::vector<ConditionRow>& rows);
  /// C v − rate, one row
  static double speed(const ConditionRow& row, std::span<const double> y);
  /// (ω̇'; v̇) by body out of ẏ.
  Eigen::VectorXd accelerations(std::span<const double> ydot) const;

 private:
  const Model& model_;
  Scratch scratch_;
  Eigen::Index n_;
};

inline Vec3<double> three_of(const Eigen::VectorXd& v, Eigen::Index i) { return {v(i), v(i + 1), v(i + 2)}; }

}  // namespace polhode
