#pragma once

#include "polhode/formulation/augmented.h"

namespace polhode {

/// Simplified gyroscopic term and Qp1: Lagrange's equations of T = 2 ėᵀ Lᵀ J' L ė as they stand; λ = 4T.   (DYN-17)
template <class Visit>
void visit_f5(Visit& visit) {
  AugmentedForm form;
  form.name = "f5";
  form.equation = "M4 e.. + g_simp + e lambda = Qp1";
  form.reference = "Sherif2015 (29) (39)";
  form.gyro = Gyro::simplified;
  form.force = ForceForm::qp1;
  visit_augmented(visit, form);
}

}  // namespace polhode
