#include "polhode/integrator/explicit_runge_kutta.h"

namespace polhode {
namespace {

/// y ← y + dt f(t, y)      (INT-2)
template <class S, std::size_t N>
using ExplicitEuler = FixedRungeKutta<S, N, ExplicitEulerTableau>;

}  // namespace

void add_explicit_euler(MethodList& list) {
  list.add({.name = "explicit-euler",
            .summary = "explicit Euler",
            .reference = "HairerNorsettWanner1993 section II.1",
            .order = 1,
            .needs = {}},
           BindBySize<ExplicitEuler>{});
}

}  // namespace polhode
