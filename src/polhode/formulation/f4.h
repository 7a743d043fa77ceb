#pragma once

#include "polhode/formulation/augmented.h"

namespace polhode {

/// Full gyroscopic term, Qp2 without its part along e; the same equations as f2.   (DYN-17)
template <class Visit>
void visit_f4(Visit& visit) {
  AugmentedForm form;
  form.name = "f4";
  form.equation = "M4 e.. + g_full + e lambda = Qp2 without its part along e";
  form.reference = "Sherif2015 section 4.3";
  form.gyro = Gyro::full;
  form.force = ForceForm::qp2_reduced;
  visit_augmented(visit, form);
}

}  // namespace polhode
