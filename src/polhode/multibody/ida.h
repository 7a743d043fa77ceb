#pragma once

#include "polhode/multibody/dynamics.h"

#include <string>

namespace polhode {

/// Whether this build has IDA (SUNDIALS).
bool has_ida();

struct IdaOptions {
  double relative_tolerance = 1e-8;
  double absolute_tolerance = 1e-8;
  long most_steps = 1000000;
};

struct IdaReport {
  bool done = false;
  double t = 0;  ///< where it ended
  long steps = 0;
  long evaluations = 0;  ///< of the residual, without those for Jacobians
  std::string trouble;
};

/// A run of a mechanism by backward differences of variable order and step, the reference for stiff ones: IDA of
/// SUNDIALS [Hindmarsh2005] on the equations with index 2, stabilised [GearLeimkuhlerGupta1985].
///
///   ṙ = v − m⁻¹ C_rᵀ η,   ė = ½ e ∘ (0; ω' − J'⁻¹ C_ω'ᵀ η)          (MEC-35)
///   M v̇ + Cᵀ λ = f,   Φ = 0,   C v = rate
///
/// From a consistent state. Of rows that repeat each other at the start one is kept; if the rank changes on the way,
/// the run fails. Jacobians by differences, dense. Without SUNDIALS it fails with what to install.
IdaReport run_ida(const Model& model, double t, double t_end, std::span<double> y, const IdaOptions& options = {});

}  // namespace polhode
