#pragma once

#include "polhode/math/scalar.h"

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/cpp_int.hpp>

#include <cmath>
#include <limits>

namespace polhode::test {

/// 50 decimal digits, without expression templates so that it behaves like a number in our formulas.
using Precise = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<50>, boost::multiprecision::et_off>;
using Rational =
    boost::multiprecision::number<boost::multiprecision::cpp_rational_backend, boost::multiprecision::et_off>;

/// |computed − exact| in units of the last place of `exact`.
inline double ulps(double computed, const Precise& exact) {
  const double rounded = static_cast<double>(exact);
  int exponent = 0;
  std::frexp(rounded, &exponent);
  const Precise unit = boost::multiprecision::ldexp(Precise(1), std::max(exponent - 53, -1074));
  return static_cast<double>(boost::multiprecision::abs(Precise(computed) - exact) / unit);
}

}  // namespace polhode::test
