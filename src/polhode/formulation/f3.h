#pragma once

#include "polhode/formulation/augmented.h"

namespace polhode {

/// Full gyroscopic term and Qp2: λ = 2 Σ f·(Au') + 2 Σ u'·f.   (DYN-17)
template <class Visit>
void visit_f3(Visit& visit) {
  AugmentedForm form;
  form.name = "f3";
  form.equation = "M4 e.. + g_full + e lambda = Qp2";
  form.reference = "Sherif2015 section 4.3";
  form.gyro = Gyro::full;
  form.force = ForceForm::qp2;
  visit_augmented(visit, form);
}

}  // namespace polhode
