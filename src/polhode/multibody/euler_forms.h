#pragma once

#include "polhode/multibody/reference.h"

#include <string_view>

/// Mechanisms with Euler parameters as coordinates, 7 a body and a row for each norm, in the forms F1 to F8 and F12 of
/// one body (see docs/theory/forms.md): the motion and the reactions are those of dense_solution, and each form has its
/// own multiplier of the norm.
namespace polhode {

/// How a form writes the gyroscopic term, forces at points, and the row of the norm.
struct EulerForm {
  std::string_view name;
  bool simplified_gyro;      ///< DYN-11 in place of DYN-10
  bool force_along_e;        ///< forces keep 2 f·(A u') along e
  bool mixed_force_along_e;  ///< and 2 u'·f
  double row_factor;         ///< the row is c eᵀ
};
std::span<const EulerForm> euler_forms();
/// By name, "f5"; fails with the nearest name.
const EulerForm& euler_form(std::string_view name);

/// Which derivative of the joints' constraints their forces follow.
enum class JointJacobian : std::uint8_t {
  through_rate,  ///< Φ_ω' · 2L: nothing along e
  raw            ///< ∂Φ/∂e of the homogeneous rotation matrix: something along e as well
};

/// Whether nothing but joints is asked of the bodies, as the raw Jacobian wants it.
bool has_joints_only(const Model& model);

struct EulerSolution {
  std::vector<Pair> a;  ///< (α, a) by body, space components
  std::vector<EulerParameters<double>> eddot;
  std::vector<double> norm_multipliers;  ///< by body
  std::vector<double> wheel_rates;       ///< σ̇ of every wheel (MEC-38): the same under every form
  std::vector<double> lambda;  ///< in the order of constraint_rows(); where constraints are redundant, of least norm
};

/// Solves, for all bodies at once, with Φ the constraints of joints, couplings, drivers, rolling and blades:
///
///   m a + Φ_rᵀ λ = f
///   4LᵀJ'L ë + g + c e λ_c + Φ_eᵀ λ = Q
///   c eᵀ ë = −c ė·ė,   Φ_r a + Φ_e ë = γ                    (MEC-23)
///
/// Needs |e| = 1. With the raw Jacobian joints only: the others are refused. Dense and cubic in the number of bodies.
/// Forces at points are written as the form does it; forces on coordinates and in bushings act through the rates, as
/// joints do, and a user's ForceLaw gives moments about mass centres: these have nothing along e.
EulerSolution euler_solution(const Model& model, double t, std::span<const double> y, const EulerForm& form,
                             JointJacobian jacobian = JointJacobian::through_rate, std::span<const double> turns = {});

/// The multipliers of the norms, by body, as the closed expressions of docs/theory/forms.md give them by the form's
/// name, MEC-24: from the kinetic energies and from the forces at points as the model describes them, with no part of
/// MEC-23 solved. `lambda`: the multipliers of the joints, for the raw Jacobian.
std::vector<double> norm_multipliers_by_rule(const Model& model, double t, std::span<const double> y,
                                             std::string_view form, JointJacobian jacobian,
                                             std::span<const double> lambda, std::span<const double> turns = {});

}  // namespace polhode
