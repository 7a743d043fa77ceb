#pragma once

#include "polhode/math/double_double.h"
#include "polhode/math/elliptic.h"

#include <cmath>

namespace polhode::motion {

/// A phase that grows in proportion to time, counted in turns and kept in the wide number type, so that its fraction
/// is right to the last digit of S after any number of turns.
///
///   turns = rate t + start,   turns = whole + part,  |part| ≤ ½              (MOT-12)
template <class S, class W = Wide<S>>
struct Phase {
  W rate{};
  W start{};

  struct At {
    S part;
    bool odd;  ///< whole is odd
  };
  At at(const S& t) const {
    using std::round;
    const W turns = rate * W(t) + start;
    const W whole = round(turns);
    const W half = whole * W(0.5);
    return {static_cast<S>(turns - whole), round(half) != half};
  }
  /// 2π part: the angle in [−π, π].
  S angle(const S& t) const { return S(2) * elliptic::pi<S>() * at(t).part; }
};

}  // namespace polhode::motion
