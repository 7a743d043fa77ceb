#pragma once

#include "polhode/formulation/augmented.h"

namespace polhode {

/// Simplified gyroscopic term and Qp2: λ = 4T + 2 Σ f·(Au') + 2 Σ u'·f.   (DYN-17)
template <class Visit>
void visit_f7(Visit& visit) {
  AugmentedForm form;
  form.name = "f7";
  form.equation = "M4 e.. + g_simp + e lambda = Qp2";
  form.reference = "Sherif2015 (29) with section 4.3";
  form.gyro = Gyro::simplified;
  form.force = ForceForm::qp2;
  visit_augmented(visit, form);
}

}  // namespace polhode
