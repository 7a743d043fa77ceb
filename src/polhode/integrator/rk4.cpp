#include "polhode/integrator/explicit_runge_kutta.h"

namespace polhode {
namespace {

template <class S, std::size_t N>
using Rk4 = FixedRungeKutta<S, N, Rk4Tableau>;

}  // namespace

void add_rk4(MethodList& list) {
  list.add({.name = "rk4",
            .summary = "classical Runge-Kutta method",
            .reference = "HairerNorsettWanner1993 section II.1",
            .order = 4,
            .needs = {}},
           BindBySize<Rk4>{});
}

}  // namespace polhode
