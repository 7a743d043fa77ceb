#pragma once

#include "polhode/formulation/augmented.h"

namespace polhode {

/// Simplified gyroscopic term, Qp2 without its part along e; the same equations as f6.   (DYN-17)
template <class Visit>
void visit_f8(Visit& visit) {
  AugmentedForm form;
  form.name = "f8";
  form.equation = "M4 e.. + g_simp + e lambda = Qp2 without its part along e";
  form.reference = "Sherif2015 (29) with section 4.3";
  form.gyro = Gyro::simplified;
  form.force = ForceForm::qp2_reduced;
  visit_augmented(visit, form);
}

}  // namespace polhode
