// Each function is one loop without a branch, compiled for several widths, and a second look at the lanes that the loop
// is not for: huge angles, NaN, what is outside of the domain. Loops take in the functions of elementary_double.h whole
// (gnu::flatten), so that what is compiled for wide instructions is in these functions alone; elsewhere the processor
// meets none that it may not have.
#include "polhode/math/lanes.h"

#include "polhode/math/elementary_double.h"

#include <atomic>
#include <iterator>
#include <type_traits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace polhode::math::lanes {
namespace {

using namespace portable::detail;
using portable::kLogFirst;
using portable::kLogTable;
using portable::kLogTableBits;
using portable::LogRow;

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
/// Logarithms and powers take a row of a table for each lane; subnormal numbers are not for the quick way.
bool is_normal_and_positive(double x) { return (x >= 0x1p-1022) & (x < kInfinity); }
template <bool kExactSquare>
Pair normal_log(double x, const LogRow& row) {
  const LogSplit split = log_split(x);
  return log_sum<kExactSquare>(split.k, split.m, row);
}
struct Log {
  static constexpr bool kByLogTable = true;
  static bool fits(double x) { return is_normal_and_positive(x); }
  static double quick(double x, const LogRow& row) { return normal_log<false>(x, row).high; }
  static double any(double x) { return portable::log(x); }
};
struct Log10 {
  static constexpr bool kByLogTable = true;
  static bool fits(double x) { return is_normal_and_positive(x); }
  static double quick(double x, const LogRow& row) {
    return times(normal_log<true>(x, row), portable::kInverseLn10High, portable::kInverseLn10Low);
  }
  static double any(double x) { return portable::log10(x); }
};
/// |x|^y with the sign of x where y is odd: for whole y the last bit of y + 2^52.
struct Pow {
  static constexpr bool kByLogTable = true;
  static bool fits(double x, double y) {
    const double ay = magnitude(y);
    const bool whole = (ay < 0x1p52) & ((ay + 0x1p52) - 0x1p52 == ay);
    return is_normal_and_positive(magnitude(x)) & (ay <= 0x1p66) & ((x > 0) | whole);
  }
  static double quick(double x, double y, const LogRow& row) {
    const std::uint64_t odd = 0 - (bits(magnitude(y) + 0x1p52) & 1);
    const Pair log_x = normal_log<true>(magnitude(x), row);
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
/// The nearest whole number by adding and taking away 2^52, one less where that is above x; -0 stays -0.
struct Floor {
  static bool fits(double x) { return magnitude(x) < 0x1p52; }
  static double quick(double x) {
    const double nearest = flip((magnitude(x) + 0x1p52) - 0x1p52, bits(x) & kSignBit);
    return nearest - LessByBits(x, nearest).choose(1, 0);
  }
  static double any(double x) { return std::floor(x); }
};
/// x − y ⌊x/y⌋
struct Modulo {
  static bool fits(double x, double y) { return Floor::fits(x / y); }
  static double quick(double x, double y) { return x - y * Floor::quick(x / y); }
  static double any(double x, double y) { return x - y * std::floor(x / y); }
};

// ---- what moves numbers: lanes of a choice, rows of the table of logarithms -----------------------------------------

/// Lanes of a block: as many as a loop over rows found beforehand takes at once.
constexpr std::size_t kBlock = 32;
struct LogRows {
  alignas(64) double c[kBlock];
  alignas(64) double high[kBlock];
  alignas(64) double low[kBlock];
};

/// One number after the other. Rows of the table are found where they are needed.
struct OneByOne {
  static constexpr bool kLooksUpBefore = false;
  static std::uint64_t truths(const double* truth, std::size_t count) {
    std::uint64_t which = 0;
    for (std::size_t i = 0; i < count; ++i) { which |= ((bits(truth[i]) >> 61U) & 1U) << i; }  // 1.0 has this bit
    return which;
  }
  static void take(std::uint64_t which, const double* from, std::size_t, double* to, std::size_t room) {
    std::size_t taken = 0;
    for (; which != 0; which &= which - 1) { to[taken++] = from[std::countr_zero(which)]; }
    for (; taken < room; ++taken) { to[taken] = to[0]; }
  }
  static void put(std::uint64_t which, const double* from, double* to, std::size_t) {
    for (; which != 0; which &= which - 1) { to[std::countr_zero(which)] = *from++; }
  }
};

#if defined(__x86_64__)
#define POLHODE_AVX512 [[gnu::target("avx512f,avx512dq,avx512vl")]]

/// The table of logarithms by columns.
struct LogColumns {
  alignas(64) double c[1U << kLogTableBits];
  alignas(64) double high[1U << kLogTableBits];
  alignas(64) double low[1U << kLogTableBits];
};
constexpr LogColumns kLogColumns = [] {
  LogColumns columns{};
  for (std::size_t i = 0; i < std::size(kLogTable); ++i) {
    columns.c[i] = kLogTable[i].c;
    columns.high[i] = kLogTable[i].high;
    columns.low[i] = kLogTable[i].low;
  }
  return columns;
}();
static_assert(kLogTableBits == 6 && std::size(kLogTable) == 64, "wide permutations look into four times 16 numbers");

/// Eight numbers at once, by masks and permutations.
struct EightAtOnce {
  static constexpr bool kLooksUpBefore = true;

  POLHODE_AVX512 static __mmask8 first(std::size_t count) {
    return count >= 8 ? 0xffU : static_cast<__mmask8>((1U << count) - 1U);
  }
  POLHODE_AVX512 static std::uint64_t truths(const double* truth, std::size_t count) {
    std::uint64_t which = 0;
    for (std::size_t i = 0; i < count; i += 8) {
      const __m512i eight = _mm512_castpd_si512(_mm512_maskz_loadu_pd(first(count - i), truth + i));
      which |= std::uint64_t{_mm512_test_epi64_mask(eight, eight)} << i;
    }
    return which;
  }
  POLHODE_AVX512 static void take(std::uint64_t which, const double* from, std::size_t count, double* to,
                                  std::size_t room) {
    std::size_t taken = 0;
    for (std::size_t i = 0; i < count; i += 8) {
      const auto of_eight = static_cast<__mmask8>(which >> i);
      const __m512d some = _mm512_maskz_compress_pd(of_eight, _mm512_maskz_loadu_pd(first(count - i), from + i));
      _mm512_mask_storeu_pd(to + taken, first(room - taken), some);  // what it has too many is written over
      taken += static_cast<std::size_t>(std::popcount(of_eight));
    }
    const __m512d again = _mm512_set1_pd(to[0]);
    for (; taken < room; taken += 8) { _mm512_mask_storeu_pd(to + taken, first(room - taken), again); }
  }
  POLHODE_AVX512 static void put(std::uint64_t which, const double* from, double* to, std::size_t count) {
    for (std::size_t i = 0; i < count; i += 8) {
      const auto of_eight = static_cast<__mmask8>(which >> i);
      const auto length = static_cast<std::size_t>(std::popcount(of_eight));
      _mm512_mask_storeu_pd(to + i, of_eight,
                            _mm512_maskz_expand_pd(of_eight, _mm512_maskz_loadu_pd(first(length), from)));
      from += length;
    }
  }

  /// Eight rows of one column. A permutation takes the last four bits of an index and two registers.
  POLHODE_AVX512 static __m512d look_up(const double* column, __m512i row, __mmask8 fifth, __mmask8 sixth) {
    const __m512d a = _mm512_permutex2var_pd(_mm512_load_pd(column), row, _mm512_load_pd(column + 8));
    const __m512d b = _mm512_permutex2var_pd(_mm512_load_pd(column + 16), row, _mm512_load_pd(column + 24));
    const __m512d c = _mm512_permutex2var_pd(_mm512_load_pd(column + 32), row, _mm512_load_pd(column + 40));
    const __m512d d = _mm512_permutex2var_pd(_mm512_load_pd(column + 48), row, _mm512_load_pd(column + 56));
    return _mm512_mask_blend_pd(sixth, _mm512_mask_blend_pd(fifth, a, b), _mm512_mask_blend_pd(fifth, c, d));
  }
  /// The rows for the logarithms of |x|, `count` ≤ kBlock of them: of log_split the last six bits of `row`.
  POLHODE_AVX512 static void look_up(const double* x, std::size_t count, LogRows& rows) {
    for (std::size_t i = 0; i < count; i += 8) {
      const __m512i x_bits = _mm512_castpd_si512(_mm512_maskz_loadu_pd(first(count - i), x + i));
      const __m512i above_first = _mm512_sub_epi64(x_bits, _mm512_set1_epi64(std::bit_cast<long long>(kLogFirst)));
      // without a mask g++ 12 warns of its own header
      const __m512i row = _mm512_maskz_srli_epi64(0xff, above_first, 52 - kLogTableBits);
      const __mmask8 fifth = _mm512_test_epi64_mask(row, _mm512_set1_epi64(16));
      const __mmask8 sixth = _mm512_test_epi64_mask(row, _mm512_set1_epi64(32));
      _mm512_store_pd(rows.c + i, look_up(kLogColumns.c, row, fifth, sixth));
      _mm512_store_pd(rows.high + i, look_up(kLogColumns.high, row, fifth, sixth));
      _mm512_store_pd(rows.low + i, look_up(kLogColumns.low, row, fifth, sixth));
    }
  }
};
#endif

// ---- loops ----------------------------------------------------------------------------------------------------------

/// Whether a function wants a row of the table of logarithms of its first number.
template <class F>
concept ByLogTable = requires { F::kByLogTable; };

template <class F, class Moves, class... Others>
[[gnu::always_inline]] inline void quick_loop(double* __restrict to, std::size_t count, const double* __restrict x,
                                              const Others* __restrict... others) {
  if constexpr (!ByLogTable<F>) {
    for (std::size_t i = 0; i < count; ++i) { to[i] = F::quick(x[i], others[i]...); }
  } else if constexpr (!Moves::kLooksUpBefore) {
    for (std::size_t i = 0; i < count; ++i) { to[i] = F::quick(x[i], others[i]..., kLogTable[log_split(x[i]).row]); }
  } else {
    for (std::size_t first = 0; first < count; first += kBlock) {
      const std::size_t length = count - first < kBlock ? count - first : kBlock;
      LogRows rows;
      Moves::look_up(x + first, length, rows);
      for (std::size_t i = 0; i < length; ++i) {
        to[first + i] = F::quick(x[first + i], others[first + i]..., LogRow{rows.c[i], rows.high[i], rows.low[i]});
      }
    }
  }
}
template <class F, class Moves, class... Numbers>
[[gnu::always_inline]] inline void loop(double* __restrict to, std::size_t count, const Numbers* __restrict... x) {
  quick_loop<F, Moves>(to, count, x...);
  std::uint64_t left = 0;
  for (std::size_t i = 0; i < count; ++i) { left |= F::fits(x[i]...) ? 0U : 1U; }
  if (left == 0) { return; }
  for (std::size_t i = 0; i < count; ++i) {
    if (!F::fits(x[i]...)) { to[i] = F::any(x[i]...); }
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

// ---- widths ---------------------------------------------------------------------------------------------------------

/// How numbers are moved with each.
#define POLHODE_MOVES_plain OneByOne
#define POLHODE_MOVES_avx2 OneByOne
#define POLHODE_MOVES_avx512 EightAtOnce

/// One width of instructions: its name, whether the processor has it, and the loops compiled for it.
#define POLHODE_WIDTH(width)                                                                               \
  struct width {                                                                                           \
    using Moves = POLHODE_MOVES_##width;                                                                   \
    static constexpr std::string_view kName = #width;                                                      \
    static bool has();                                                                                     \
    template <class F>                                                                                     \
    POLHODE_FOR_##width static void run(const double* x, double* to, std::size_t count) {                  \
      loop<F, Moves>(to, count, x);                                                                        \
    }                                                                                                      \
    template <class F>                                                                                     \
    POLHODE_FOR_##width static void run(const double* x, const double* y, double* to, std::size_t count) { \
      loop<F, Moves>(to, count, x, y);                                                                     \
    }                                                                                                      \
  };
POLHODE_WIDTHS(POLHODE_WIDTH)
#undef POLHODE_WIDTH

bool plain::has() { return true; }
#if defined(__x86_64__)
bool avx2::has() { return __builtin_cpu_supports("avx2") != 0; }
bool avx512::has() {
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
         __builtin_cpu_supports("avx512vl") != 0;
}
#endif

// ---- choosing -------------------------------------------------------------------------------------------------------

struct Functions {
  std::string_view name;
  bool (*has)();
  std::uint64_t (*truths)(const double*, std::size_t);
  void (*take)(std::uint64_t, const double*, std::size_t, double*, std::size_t);
  void (*put)(std::uint64_t, const double*, double*, std::size_t);
#define OF_ONE(function, how) OfOne function;
#define OF_TWO(function, how) OfTwo function;
#include "polhode/math/lanes.def"
#undef OF_ONE
#undef OF_TWO
};

template <class Width>
constexpr Functions functions_of() {
  return {
      Width::kName, Width::has, Width::Moves::truths, Width::Moves::take, Width::Moves::put,
#define OF_ONE(function, how) Width::template run<how>,
#define OF_TWO(function, how) Width::template run<how>,
#include "polhode/math/lanes.def"
#undef OF_ONE
#undef OF_TWO
  };
}
/// From the narrowest to the widest.
#define POLHODE_ROW(width) functions_of<width>(),
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

#define OF_ONE(function, how) \
  void function(const double* x, double* to, std::size_t count) { now().function(x, to, count); }
#define OF_TWO(function, how) \
  void function(const double* x, const double* y, double* to, std::size_t count) { now().function(x, y, to, count); }
#include "polhode/math/lanes.def"
#undef OF_ONE
#undef OF_TWO

std::uint64_t truths(const double* truth, std::size_t count) { return now().truths(truth, count); }
void take(std::uint64_t which, const double* from, std::size_t count, double* to, std::size_t room) {
  now().take(which, from, count, to, room);
}
void put(std::uint64_t which, const double* from, double* to, std::size_t count) { now().put(which, from, to, count); }

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
