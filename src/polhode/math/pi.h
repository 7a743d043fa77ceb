#pragma once

#include "polhode/math/elementary.h"

namespace polhode::math {

/// π in the digits of S, whatever number type it is.
template <class S>
S pi() {
  if constexpr (PlainReal<S>) {
    return kPi<S>;
  } else {
    static const S kValue = math::atan2(S(0), S(-1));
    return kValue;
  }
}

}  // namespace polhode::math
