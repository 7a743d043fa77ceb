#pragma once

#include "polhode/force/bushing.h"
#include "polhode/force/central_gravity.h"
#include "polhode/force/code.h"
#include "polhode/force/damping.h"
#include "polhode/force/drag.h"
#include "polhode/force/energy_sink.h"
#include "polhode/force/gravity.h"
#include "polhode/force/gravity_gradient.h"
#include "polhode/force/magnetic_damping.h"
#include "polhode/force/moment.h"
#include "polhode/force/on_joint.h"
#include "polhode/force/point_force.h"
#include "polhode/force/spring.h"
#include "polhode/force/wheel.h"

#include <variant>
#include <vector>

namespace polhode::force {

namespace detail {
/// A list in which each entry ends with a comma has one entry too many: it goes first, and is left out here.
template <class First, class... Rest>
struct VariantOfRest {
  using Type = std::variant<Rest...>;
};
}  // namespace detail

/// Anything that acts: one of the kinds of kinds.def.
using Acts = detail::VariantOfRest<void
#define FORCE(name) , name
#include "polhode/force/kinds.def"
#undef FORCE
                                   >::Type;

/// All kinds, in the order of kinds.def.
inline const std::vector<Kind>& kinds() {
  static const std::vector<Kind> kAll{
#define FORCE(name) name::kind,
#include "polhode/force/kinds.def"
#undef FORCE
  };
  return kAll;
}

}  // namespace polhode::force
