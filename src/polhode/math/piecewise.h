#pragma once

#include "polhode/math/scalar.h"

#include <cmath>
#include <type_traits>

/// Functions made of pieces, for every number type: comparisons, choices, |x|, floor, sign, least, largest. A truth is
/// a number, 1 or 0, so that lanes and intervals can hold several at once: `choose(truth, a, b)` in place of a branch.
///
/// One piece belongs to each value: a dual number has the derivative of the piece that its value lies on. Other number
/// types (Dual, Jet, Interval, Pack) add overloads beside their definition, found by argument-dependent lookup.
namespace polhode {

/// Whether a number holds one value, so that a branch not taken need not be computed. False for packs of lanes and for
/// intervals, and for what is made of them.
template <class S>
inline constexpr bool kHoldsOneValue = true;

template <class S>
concept OneValue = kHoldsOneValue<S>;

/// A number type that holds fewer values, of the same kind; void: there is none. Packs have one, with fewer lanes.
template <class S>
struct NarrowerOf {
  using type = void;
};
template <class S>
using Narrower = typename NarrowerOf<S>::type;
template <class S>
concept Narrows = !std::is_void_v<Narrower<S>>;

template <OneValue S>
S less(const S& a, const S& b) {
  return S(value_of(a) < value_of(b) ? 1.0 : 0.0);
}
template <OneValue S>
S less_or_equal(const S& a, const S& b) {
  return S(value_of(a) <= value_of(b) ? 1.0 : 0.0);
}
template <OneValue S>
S equal(const S& a, const S& b) {
  return S(value_of(a) == value_of(b) ? 1.0 : 0.0);
}
template <OneValue S>
S both(const S& a, const S& b) {
  return S(value_of(a) != 0 && value_of(b) != 0 ? 1.0 : 0.0);
}
template <OneValue S>
S either(const S& a, const S& b) {
  return S(value_of(a) != 0 || value_of(b) != 0 ? 1.0 : 0.0);
}
template <OneValue S>
S negation(const S& a) {
  return S(value_of(a) == 0 ? 1.0 : 0.0);
}
/// `then` where the truth is not 0, `otherwise` where it is.
template <OneValue S>
S choose(const S& truth, const S& then, const S& otherwise) {
  return value_of(truth) != 0 ? then : otherwise;
}

/// Whether a truth is `wanted`: then what would count otherwise need not be computed. Packs say so where it is in all
/// lanes.
template <OneValue S>
bool is_settled(const S& truth, bool wanted) {
  return (value_of(truth) != 0) == wanted;
}

/// |x|; the sign bit of a plain number is cleared, of -0 too.
template <OneValue S>
S absolute(const S& x) {
  if constexpr (PlainReal<S>) {
    return std::fabs(x);
  } else {
    return std::signbit(value_of(x)) ? -x : x;
  }
}
template <OneValue S>
S floor_of(const S& x) {
  using std::floor;
  return S(floor(value_of(x)));
}
/// −1, 0 or 1.
template <OneValue S>
S sign_of(const S& x) {
  return S(value_of(x) > 0 ? 1.0 : value_of(x) < 0 ? -1.0 : 0.0);
}
/// 0 below zero, else 1; 1 for a NaN.
template <OneValue S>
S step_of(const S& x) {
  return S(value_of(x) < 0 ? 0.0 : 1.0);
}
/// The smaller one; of a number and a NaN the number; the first of two zeros, whatever their signs.
template <OneValue S>
S least(const S& a, const S& b) {
  return value_of(b) < value_of(a) || std::isnan(value_of(a)) ? b : a;
}
template <OneValue S>
S largest(const S& a, const S& b) {
  return value_of(b) > value_of(a) || std::isnan(value_of(a)) ? b : a;
}
/// x − y ⌊x/y⌋: from 0 up to y, with the sign of y.
template <OneValue S>
S modulo(const S& x, const S& y) {
  return x - y * floor_of(S(x / y));
}

}  // namespace polhode
