#include "polhode/verification/numbers.h"

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/cpp_int.hpp>

#include <stdexcept>

namespace polhode::verification {

namespace mp = boost::multiprecision;

struct Fraction {
  mp::cpp_rational number;
};
struct LongReal {
  mp::cpp_bin_float_50 number;
};

namespace {

template <class Value, class Expression>
Number<Value> make(const Expression& number) {
  return Number<Value>(std::make_shared<const Value>(Value{number}));
}

}  // namespace

template <class Value>
const Value& Number<Value>::value() const {
  static const Value kZero{};
  return value_ ? *value_ : kZero;
}
template <class Value>
Number<Value> Number<Value>::converted(long double x) {
  return make<Value>(decltype(Value::number)(x));
}
template <class Value>
Number<Value> Number<Value>::plus(const Number& b) const {
  return make<Value>(value().number + b.value().number);
}
template <class Value>
Number<Value> Number<Value>::minus(const Number& b) const {
  return make<Value>(value().number - b.value().number);
}
template <class Value>
Number<Value> Number<Value>::times(const Number& b) const {
  return make<Value>(value().number * b.value().number);
}
template <class Value>
Number<Value> Number<Value>::over(const Number& b) const {
  return make<Value>(value().number / b.value().number);
}
template <class Value>
int Number<Value>::compare(const Number& b) const {
  if constexpr (std::is_same_v<Value, LongReal>) {
    if (mp::isnan(value().number) || mp::isnan(b.value().number)) { return kUnordered; }
  }
  return value().number.compare(b.value().number) < 0 ? -1 : value().number.compare(b.value().number) > 0 ? 1 : 0;
}
template <class Value>
double Number<Value>::rounded() const {
  return static_cast<double>(value().number);
}
template class Number<Fraction>;
template class Number<LongReal>;

Exact sqrt(const Exact& x) {
  const mp::cpp_rational& square = x.value().number;
  if (square >= 0) {
    const mp::cpp_int top = mp::sqrt(mp::cpp_int(mp::numerator(square)));
    const mp::cpp_int bottom = mp::sqrt(mp::cpp_int(mp::denominator(square)));
    const mp::cpp_rational root(top, bottom);
    if (root * root == square) { return make<Fraction>(root); }
  }
  throw std::domain_error("the root of " + square.str() + " is not a fraction");
}

Fine sqrt(const Fine& x) { return make<LongReal>(mp::sqrt(x.value().number)); }
Fine sin(const Fine& x) { return make<LongReal>(mp::sin(x.value().number)); }
Fine cos(const Fine& x) { return make<LongReal>(mp::cos(x.value().number)); }
Fine tan(const Fine& x) { return make<LongReal>(mp::tan(x.value().number)); }
Fine asin(const Fine& x) { return make<LongReal>(mp::asin(x.value().number)); }
Fine acos(const Fine& x) { return make<LongReal>(mp::acos(x.value().number)); }
Fine atan(const Fine& x) { return make<LongReal>(mp::atan(x.value().number)); }
Fine atan2(const Fine& y, const Fine& x) { return make<LongReal>(mp::atan2(y.value().number, x.value().number)); }
Fine epsilon() { return make<LongReal>(std::numeric_limits<mp::cpp_bin_float_50>::epsilon()); }

}  // namespace polhode::verification
