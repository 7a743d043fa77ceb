#pragma once

#include "polhode/formulation/a1.h"
#include "polhode/formulation/a2.h"
#include "polhode/formulation/a3.h"
#include "polhode/formulation/canonical.h"
#include "polhode/formulation/euler_body.h"
#include "polhode/formulation/euler_space.h"
#include "polhode/formulation/f1.h"
#include "polhode/formulation/f10.h"
#include "polhode/formulation/f12.h"
#include "polhode/formulation/f2.h"
#include "polhode/formulation/f3.h"
#include "polhode/formulation/f4.h"
#include "polhode/formulation/f5.h"
#include "polhode/formulation/f6.h"
#include "polhode/formulation/f7.h"
#include "polhode/formulation/f8.h"
#include "polhode/formulation/f9.h"
#include "polhode/formulation/momentum_body.h"
#include "polhode/formulation/momentum_space.h"
#include "polhode/formulation/s1.h"

namespace polhode {

/// Calls visit(form) with every form, in the order of the table: plain structs whose members take any number type,
/// fractions and counted numbers included. A form is a header of its own, named above and below.
template <class Visit>
void for_each_form(Visit&& visit) {
  visit_euler_body(visit);
  visit_euler_space(visit);
  visit_momentum_space(visit);
  visit_momentum_body(visit);
  visit_canonical(visit);
  visit_f1(visit);
  visit_f2(visit);
  visit_f3(visit);
  visit_f4(visit);
  visit_f5(visit);
  visit_f6(visit);
  visit_f7(visit);
  visit_f8(visit);
  visit_f9(visit);
  visit_f10(visit);
  visit_f12(visit);
  visit_a1(visit);
  visit_a2(visit);
  visit_a3(visit);
  visit_s1(visit);
}

}  // namespace polhode
