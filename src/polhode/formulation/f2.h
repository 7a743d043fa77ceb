#pragma once

#include "polhode/formulation/augmented.h"

namespace polhode {

/// Full gyroscopic term, Qp1 without its part along e: λ = 2 Σ f·(Au').   (DYN-17)
template <class Visit>
void visit_f2(Visit& visit) {
  AugmentedForm form;
  form.name = "f2";
  form.equation = "M4 e.. + g_full + e lambda = Qp1 without its part along e";
  form.reference = "Sherif2015 (82)-(84)";
  form.gyro = Gyro::full;
  form.force = ForceForm::qp1_reduced;
  visit_augmented(visit, form);
}

}  // namespace polhode
