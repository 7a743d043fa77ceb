// Each function is one loop without a branch, compiled for several widths, and a second look at the lanes that the loop
// is not for: huge angles, NaN, what is outside of the domain. Loops take in the functions of elementary_double.h whole
// (gnu::flatten), so that what is compiled for wide instructions is in these functions alone; elsewhere the processor
// meets none that it may not have.
#include "polhode/math/lanes.h"

#include "polhode/math/elementary_double.h"

#include <atomic>

namespace polhode::math::lanes {
namespace {

using namespace portable::detail;

// ---- one lane: `quick` where `fits`, else `any` ---------------------------------------------------------------------

struct Sin {
  static bool fits(double x) { return magnitude(x) <= kModerateAngle; }
  static double quick(double x) { return portable::sincos_moderate(x).sin; }
  static double any(double x) { return portable::sin(x); }
};
struct Cos {
  static bool fits(double x) { return magnitude(x) <= kModerateAngle; }
  static double quick(double x) { return portable::sincos_moderate(x).cos; }
  static double any(double x) { return portable::cos(x); }
};
/// The quotient of portable::tan with its sides exchanged in odd quadrants.
struct Tan {
  static bool fits(double x) { return (magnitude(x) <= kModerateAngle) & (x != 0); }
  static double quick(double x) {
    const ReducedAngle angle = reduce_moderate(magnitude(x));
    const SinCosParts parts = sincos_parts(angle.r);
    const std::uint64_t odd = 0 - (angle.quadrant & 1);
    const Pair s = ordered_sum(parts.sin.high, parts.sin.low);
    const Pair c = ordered_sum(parts.cos.high, parts.cos.low);
    const Pair n{choose(odd, c.high, s.high), choose(odd, c.low, s.low)};
    const Pair d{choose(odd, s.high, c.high), choose(odd, s.low, c.low)};
    return flip(quotient(n, d), (bits(x) ^ odd) & kSignBit);
  }
  static double any(double x) { return portable::tan(x); }
};
struct Asin {
  static bool fits(double x) { return magnitude(x) <= 1; }
  static double quick(double x) { return angle_of<LessByBits>(Pair{magnitude(x), 0}, leg(x), bits(x) & kSignBit, 0); }
  static double any(double x) { return portable::asin(x); }
};
struct Acos {
  static bool fits(double x) { return magnitude(x) <= 1; }
  static double quick(double x) { return angle_of<LessByBits>(leg(x), Pair{magnitude(x), 0}, 0, bits(x) & kSignBit); }
  static double any(double x) { return portable::acos(x); }
};
struct Atan {
  static bool fits(double x) { return magnitude(x) <= 0x1p60; }
  static double quick(double x) { return angle_of<LessByBits>(Single{magnitude(x)}, Single{1}, bits(x) & kSignBit, 0); }
  static double any(double x) { return portable::atan(x); }
};
struct Atan2 {
  static bool fits(double y, double x) {
    const double larger = magnitude(y) > magnitude(x) ? magnitude(y) : magnitude(x);
    return (larger >= kModerateLow) & (larger <= kModerateHigh) & (x == x) & (y == y);
  }
  static double quick(double y, double x) { return portable::atan2_moderate(y, x); }
  static double any(double y, double x) { return portable::atan2(y, x); }
};
struct Exp {
  static bool fits(double) { return true; }
  static double quick(double x) { return portable::exp(x); }
  static double any(double x) { return portable::exp(x); }
};
struct Log {
  static bool fits(double x) { return (x > 0) & (x < kInfinity); }
  static double quick(double x) { return log_parts<false>(x).high; }
  static double any(double x) { return portable::log(x); }
};
struct Log10 {
  static bool fits(double x) { return (x > 0) & (x < kInfinity); }
  static double quick(double x) { return times(log_parts(x), portable::kInverseLn10High, portable::kInverseLn10Low); }
  static double any(double x) { return portable::log10(x); }
};
/// |x|^y with the sign of x where y is odd: for whole y the last bit of y + 2^52.
struct Pow {
  static bool fits(double x, double y) {
    const double ax = magnitude(x);
    const double ay = magnitude(y);
    const bool whole = (ay < 0x1p52) & ((ay + 0x1p52) - 0x1p52 == ay);
    return (ax > 0) & (ax < kInfinity) & (ay <= 0x1p66) & ((x > 0) | whole);
  }
  static double quick(double x, double y) {
    const std::uint64_t odd = 0 - (bits(magnitude(y) + 0x1p52) & 1);
    const Pair log_x = log_parts(magnitude(x));
    const Pair exponent = exact_product(y, log_x.high);
    const double power = portable::detail::exp({exponent.high, exponent.low + y * log_x.low});
    return flip(power, bits(x) & odd & kSignBit);
  }
  static double any(double x, double y) { return portable::pow(x, y); }
};
struct Hypot {
  static bool fits(double x, double y) {
    const double sum = x * x + y * y;
    return (sum > 0x1p-900) & (sum < 0x1p1020);
  }
  static double quick(double x, double y) { return std::sqrt(x * x + y * y); }
  static double any(double x, double y) { return portable::hypot(x, y); }
};
/// The series near zero and the difference of exponentials, both; one of them counts.
struct Sinh {
  static bool fits(double x) { return magnitude(x) < 40; }
  static double quick(double x) {
    const double ax = magnitude(x);
    const LessByBits far(kHalfLn2, ax);
    return flip(far.choose(hyperbolic_parts(ax).sinh.high, hyperbolic_parts_near_zero(ax).sinh.high),
                bits(x) & kSignBit);
  }
  static double any(double x) { return portable::sinh(x); }
};
struct Cosh {
  static bool fits(double x) { return magnitude(x) < 40; }
  static double quick(double x) {
    const double ax = magnitude(x);
    const LessByBits far(kHalfLn2, ax);
    return far.choose(hyperbolic_parts(ax).cosh.high, hyperbolic_parts_near_zero(x).cosh.high);
  }
  static double any(double x) { return portable::cosh(x); }
};
struct Tanh {
  static bool fits(double x) {
    const double ax = magnitude(x);
    return (ax >= 0x1p-28) & (ax <= 20);
  }
  static double quick(double x) {
    const double ax = magnitude(x);
    const LessByBits is_far(kHalfLn2, ax);
    const HyperbolicParts far = hyperbolic_parts(ax);
    const HyperbolicParts near = hyperbolic_parts_near_zero(ax);
    const Pair n{is_far.choose(far.sinh.high, near.sinh.high), is_far.choose(far.sinh.low, near.sinh.low)};
    const Pair d{is_far.choose(far.cosh.high, near.cosh.high), is_far.choose(far.cosh.low, near.cosh.low)};
    return flip(quotient(n, d), bits(x) & kSignBit);
  }
  static double any(double x) { return portable::tanh(x); }
};
/// Divides by three what has bits of its own for it: one by one.
struct Cbrt {
  static bool fits(double) { return true; }
  static double quick(double x) { return portable::cbrt(x); }
  static double any(double x) { return portable::cbrt(x); }
};

// ---- loops ----------------------------------------------------------------------------------------------------------

template <class F>
[[gnu::always_inline]] inline void loop(const double* __restrict x, double* __restrict to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) { to[i] = F::quick(x[i]); }
  std::uint64_t left = 0;
  for (std::size_t i = 0; i < count; ++i) { left |= F::fits(x[i]) ? 0U : 1U; }
  if (left == 0) { return; }
  for (std::size_t i = 0; i < count; ++i) {
    if (!F::fits(x[i])) { to[i] = F::any(x[i]); }
  }
}
template <class F>
[[gnu::always_inline]] inline void loop(const double* __restrict x, const double* __restrict y, double* __restrict to,
                                        std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) { to[i] = F::quick(x[i], y[i]); }
  std::uint64_t left = 0;
  for (std::size_t i = 0; i < count; ++i) { left |= F::fits(x[i], y[i]) ? 0U : 1U; }
  if (left == 0) { return; }
  for (std::size_t i = 0; i < count; ++i) {
    if (!F::fits(x[i], y[i])) { to[i] = F::any(x[i], y[i]); }
  }
}

using OfOne = void (*)(const double*, double*, std::size_t);
using OfTwo = void (*)(const double*, const double*, double*, std::size_t);

#define POLHODE_FOR_plain [[gnu::flatten]]
#define POLHODE_FOR_avx2 [[gnu::flatten, gnu::target("avx2")]]
#if defined(__clang__)  // which takes all of the width unasked
#define POLHODE_FOR_avx512 [[gnu::flatten, gnu::target("avx512f,avx512dq,avx512vl")]]
#else
#define POLHODE_FOR_avx512 [[gnu::flatten, gnu::target("avx512f,avx512dq,avx512vl,prefer-vector-width=512")]]
#endif
#if defined(__x86_64__)
#define POLHODE_WIDTHS(WIDTH) WIDTH(plain) WIDTH(avx2) WIDTH(avx512)
#else
#define POLHODE_WIDTHS(WIDTH) WIDTH(plain)
#endif

#define POLHODE_LOOPS(width)                                                                               \
  template <class F>                                                                                       \
  POLHODE_FOR_##width void width##_loop(const double* x, double* to, std::size_t count) {                  \
    loop<F>(x, to, count);                                                                                 \
  }                                                                                                        \
  template <class F>                                                                                       \
  POLHODE_FOR_##width void width##_loop(const double* x, const double* y, double* to, std::size_t count) { \
    loop<F>(x, y, to, count);                                                                              \
  }
POLHODE_WIDTHS(POLHODE_LOOPS)
#undef POLHODE_LOOPS

// ---- choosing -------------------------------------------------------------------------------------------------------

struct Functions {
  std::string_view name;
  bool (*has)();
  OfOne sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, exp, log, log10, cbrt;
  OfTwo atan2, pow, hypot;
};

bool has_plain() { return true; }
#if defined(__x86_64__)
bool has_avx2() { return __builtin_cpu_supports("avx2") != 0; }
bool has_avx512() {
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
         __builtin_cpu_supports("avx512vl") != 0;
}
#endif

/// From the narrowest to the widest.
#define POLHODE_ROW(width) \
  {#width,                 \
   has_##width,            \
   width##_loop<Sin>,      \
   width##_loop<Cos>,      \
   width##_loop<Tan>,      \
   width##_loop<Asin>,     \
   width##_loop<Acos>,     \
   width##_loop<Atan>,     \
   width##_loop<Sinh>,     \
   width##_loop<Cosh>,     \
   width##_loop<Tanh>,     \
   width##_loop<Exp>,      \
   width##_loop<Log>,      \
   width##_loop<Log10>,    \
   width##_loop<Cbrt>,     \
   width##_loop<Atan2>,    \
   width##_loop<Pow>,      \
   width##_loop<Hypot>},
constexpr Functions kAll[] = {POLHODE_WIDTHS(POLHODE_ROW)};
#undef POLHODE_ROW

const Functions* widest() {
  const Functions* best = kAll;
  for (const Functions& one : kAll) {
    if (one.has()) { best = &one; }
  }
  return best;
}

std::atomic<const Functions*>& chosen() {
  static std::atomic<const Functions*> functions = widest();
  return functions;
}
const Functions& now() { return *chosen().load(std::memory_order_relaxed); }

}  // namespace

#define POLHODE_LANES(function) \
  void function(const double* x, double* to, std::size_t count) { now().function(x, to, count); }
POLHODE_LANES(sin)
POLHODE_LANES(cos)
POLHODE_LANES(tan)
POLHODE_LANES(asin)
POLHODE_LANES(acos)
POLHODE_LANES(atan)
POLHODE_LANES(sinh)
POLHODE_LANES(cosh)
POLHODE_LANES(tanh)
POLHODE_LANES(exp)
POLHODE_LANES(log)
POLHODE_LANES(log10)
POLHODE_LANES(cbrt)
#undef POLHODE_LANES
#define POLHODE_LANES(function) \
  void function(const double* x, const double* y, double* to, std::size_t count) { now().function(x, y, to, count); }
POLHODE_LANES(atan2)
POLHODE_LANES(pow)
POLHODE_LANES(hypot)
#undef POLHODE_LANES

std::string_view instructions() { return now().name; }

bool take_instructions(std::string_view name) {
  for (const Functions& one : kAll) {
    if (one.name != name || !one.has()) { continue; }
    chosen().store(&one, std::memory_order_relaxed);
    return true;
  }
  return false;
}

}  // namespace polhode::math::lanes
