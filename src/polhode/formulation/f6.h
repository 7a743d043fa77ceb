#pragma once

#include "polhode/formulation/augmented.h"

namespace polhode {

/// Simplified gyroscopic term, Qp1 without its part along e: λ = 4T + 2 Σ f·(Au').   (DYN-17)
template <class Visit>
void visit_f6(Visit& visit) {
  AugmentedForm form;
  form.name = "f6";
  form.equation = "M4 e.. + g_simp + e lambda = Qp1 without its part along e";
  form.reference = "Sherif2015 (29) with (82)";
  form.gyro = Gyro::simplified;
  form.force = ForceForm::qp1_reduced;
  visit_augmented(visit, form);
}

}  // namespace polhode
