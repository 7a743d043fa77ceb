#pragma once

#include "polhode/formulation/augmented.h"

namespace polhode {

/// Full gyroscopic term and Qp1: λ = 0.                        (DYN-17)
template <class Visit>
void visit_f1(Visit& visit) {
  AugmentedForm form;
  form.name = "f1";
  form.equation = "M4 e.. + g_full + e lambda = Qp1";
  form.reference = "Sherif2015 (23) (34) (79)";
  form.gyro = Gyro::full;
  form.force = ForceForm::qp1;
  visit_augmented(visit, form);
}

}  // namespace polhode
