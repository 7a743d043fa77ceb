#pragma once

#include "polhode/multibody/condition_rows.h"
#include "polhode/multibody/dynamics.h"

#include <span>
#include <vector>

/// The equations of a mechanism as they stand, for implicit solvers with dense matrices. Rows of numbers by body:
/// (moment in body components; force in space components), and (ω̇'; v̇) accordingly.
namespace polhode {

class DescriptorForm {
 public:
  using Numbers = std::vector<double>;

  explicit DescriptorForm(const Model& model);

  std::size_t size() const { return n_; }  ///< 6 numbers a body
  /// C, column by column.
  Numbers jacobian(const std::vector<ConditionRow>& rows, std::span<const double> y) const;
  /// Cᵀ x
  Numbers transposed(const std::vector<ConditionRow>& rows, std::span<const double> y, std::span<const double> x) const;
  /// M⁻¹ f
  Numbers divided_by_mass(std::span<const double> f) const;
  /// M v̇ + Cᵀ λ − f
  Numbers dynamics(double t, std::span<const double> y, std::span<const double> vdot, std::span<const double> lambda,
                   const std::vector<ConditionRow>& rows);
  /// C v − rate, one row
  static double speed(const ConditionRow& row, std::span<const double> y);
  /// (ω̇'; v̇) by body out of ẏ.
  Numbers accelerations(std::span<const double> ydot) const;

 private:
  const Model& model_;
  Scratch scratch_;
  std::size_t n_;
};

inline Vec3<double> three_of(std::span<const double> v, std::size_t i) { return {v[i], v[i + 1], v[i + 2]}; }

}  // namespace polhode
