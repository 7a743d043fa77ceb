#include "polhode/math/elementary_double.h"

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <initializer_list>

namespace portable = polhode::math::portable;

namespace {

/// FNV-1a over the 8 bytes of each result; every NaN counts as the same.
class Checksum {
 public:
  void add(double x) {
    std::uint64_t bits = x != x ? 0x7ff8'0000'0000'0000U : std::bit_cast<std::uint64_t>(x);
    for (int byte = 0; byte < 8; ++byte, bits >>= 8) { value_ = (value_ ^ (bits & 0xff)) * 0x0000'0100'0000'01b3U; }
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf2'9ce4'8422'2325U;
};

/// A fixed sequence of doubles: mantissa, sign and exponent from a linear congruential generator (Knuth's constants).
class FixedArguments {
 public:
  explicit FixedArguments(std::uint64_t seed) : state_(seed) {}
  /// A number of size 2^low to 2^(high + 1).
  double next(int low, int high) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    const std::uint64_t range = static_cast<std::uint64_t>(high - low) + 1;
    const std::uint64_t exponent = static_cast<std::uint64_t>(1023 + low) + (state_ >> 33) % range;
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    const std::uint64_t sign_and_mantissa = (state_ & 0x8000'0000'0000'0000U) | (state_ >> 10 & 0x000f'ffff'ffff'ffffU);
    return std::bit_cast<double>(sign_and_mantissa | exponent << 52);
  }

 private:
  std::uint64_t state_;
};

template <class Function>
void add_all(Checksum& sum, Function function) {
  FixedArguments arguments(1);
  for (int i = 0; i < 4000; ++i) {
    sum.add(function(arguments.next(-8, 8)));
    sum.add(function(arguments.next(-1022, 1023)));
  }
}

}  // namespace

TEST_CASE("all elementary functions give the same bits on every machine and compiler") {
  Checksum sum;
  for (const auto function :
       {portable::sin, portable::cos, portable::tan, portable::asin, portable::acos, portable::atan,
        static_cast<double (*)(double)>(portable::exp), portable::expm1, portable::log, portable::log1p, portable::log2,
        portable::log10, portable::sinh, portable::cosh, portable::tanh, portable::asinh, portable::acosh,
        portable::atanh, portable::cbrt}) {
    add_all(sum, function);
  }
  for (const auto function : {portable::atan2, portable::pow, portable::hypot}) {
    FixedArguments second(2);
    add_all(sum, [&second, function](double x) { return function(x, second.next(-6, 6)); });
  }
  // a loop that becomes vector code
  double x[1000];
  double y[1000];
  double angle[1000];
  double sine[1000];
  FixedArguments arguments(1);
  for (int i = 0; i < 1000; ++i) {
    x[i] = arguments.next(-8, 8);
    y[i] = arguments.next(-8, 8);
  }
  for (int i = 0; i < 1000; ++i) {
    angle[i] = portable::atan2_moderate(y[i], x[i]);
    sine[i] = portable::sincos_moderate(x[i]).sin;
  }
  for (int i = 0; i < 1000; ++i) {
    sum.add(angle[i]);
    sum.add(sine[i]);
  }
  CHECK(sum.value() == 2131277354636674102U);
}
