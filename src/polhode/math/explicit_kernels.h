#pragma once

#include "polhode/core/system.h"
#include "polhode/math/tableaux.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <utility>

/// Steps of the explicit methods as templates over the right-hand side, any `f(t, const S* y, S* ydot)`, which is
/// inlined into them. S is double, long double or a pack of lanes, whose lanes have the bits of double. What steppers
/// do beside it (step control, dense output) is in the room integrator.
///
/// The functions marked POLHODE_KERNEL compile for a GPU too, where CUDA's compiler reads them: no memory is asked for
/// and nothing is virtual.
namespace polhode {

#if defined(__CUDACC__)
#define POLHODE_KERNEL __host__ __device__ inline
#define POLHODE_INLINED
#elif defined(__GNUC__)
#define POLHODE_KERNEL [[gnu::always_inline]] inline
#define POLHODE_INLINED __attribute__((always_inline))
#else
#define POLHODE_KERNEL inline
#define POLHODE_INLINED
#endif

namespace kernel {

/// body(0), body(1), ... body(N − 1) with constants: straight code, so that no loop becomes a vector loop. Those load
/// two numbers at once right after a right-hand side has written them one by one, and wait for both stores.
template <std::size_t N, class Body>
POLHODE_KERNEL constexpr void unrolled(const Body& body) {
  [&]<std::size_t... I>(std::index_sequence<I...>)
      POLHODE_INLINED { (body(std::integral_constant<std::size_t, I>{}), ...); }(std::make_index_sequence<N>{});
}

/// What constants of a tableau are rounded to, when the step is compiled: a GPU has no long double, and cannot read a
/// tableau when it runs.
template <class S>
using Constant = std::conditional_t<std::is_same_v<S, long double>, long double, double>;

/// N numbers in registers, in parts that are added and multiplied at once.
template <class S, std::size_t N>
struct Row {
  static constexpr std::size_t kParts = N;
  static constexpr std::size_t kStride = N;  ///< how far apart rows lie in memory
  std::array<S, N> part;

  POLHODE_KERNEL static Row of(const S* y) {
    Row row;
    unrolled<N>([&](auto i) POLHODE_INLINED { row.part[i] = y[i]; });
    return row;
  }
  POLHODE_KERNEL void to(S* y) const {
    unrolled<N>([&](auto i) POLHODE_INLINED { y[i] = part[i]; });
  }
  /// Among rows in memory, kStride apart.
  POLHODE_KERNEL void store(S* y) const { to(y); }
  POLHODE_KERNEL static Row stored(const S* y) { return of(y); }
};

#if defined(__GNUC__) && !defined(__CUDACC__)
/// Doubles by twos, which every processor in use adds and multiplies at once. They are put together in registers.
using PairOfDoubles [[gnu::vector_size(16)]] = double;
template <std::size_t N>
struct Row<double, N> {
  static constexpr std::size_t kParts = (N + 1) / 2;
  static constexpr std::size_t kStride = 2 * kParts;
  std::array<PairOfDoubles, kParts> part;

  POLHODE_KERNEL static Row of(const double* y) {
    Row row;
    unrolled<kParts>([&](auto i) POLHODE_INLINED {
      if constexpr (2 * i + 1 < N) {
        row.part[i] = PairOfDoubles{y[2 * i], y[2 * i + 1]};
      } else {
        row.part[i] = PairOfDoubles{y[2 * i], 0.0};
      }
    });
    return row;
  }
  POLHODE_KERNEL void to(double* y) const {
    unrolled<N>([&](auto i) POLHODE_INLINED { y[i] = part[i / 2][i % 2]; });
  }
  POLHODE_KERNEL void store(double* y) const { __builtin_memcpy(y, part.data(), sizeof(part)); }
  POLHODE_KERNEL static Row stored(const double* y) {
    Row row;
    __builtin_memcpy(row.part.data(), y, sizeof(row.part));
    return row;
  }
};
#endif

/// dt Σ_j w_j k_j, k(j) for the slopes. W::at(j) are constants, j < W::count; zeros cost nothing.
template <class W, class S, class Slopes>
POLHODE_KERNEL auto weighted_sum(const S& dt, const Slopes& k) {
  constexpr std::size_t kFirst = [] {
    std::size_t j = 0;
    while (W::at(j) == 0) { ++j; }
    return j;
  }();
  constexpr auto kFirstWeight = static_cast<Constant<S>>(W::at(kFirst));
  auto sum = (dt * S(kFirstWeight)) * k(kFirst);
  unrolled<W::count>([&](auto j) POLHODE_INLINED {
    if constexpr (j > kFirst && W::at(j) != 0) {
      constexpr auto kWeight = static_cast<Constant<S>>(W::at(j));
      sum += (dt * S(kWeight)) * k(j);
    }
  });
  return sum;
}

/// Rows of a tableau as weights.
template <class T, std::size_t I>
struct StageWeights {
  static constexpr std::size_t count = I;
  static constexpr long double at(std::size_t j) { return T::a[I][j]; }
};
template <class T>
struct EndWeights {
  static constexpr std::size_t count = T::stages;
  static constexpr long double at(std::size_t j) { return T::b[j]; }
};
template <class T>
struct ErrorWeights {
  static constexpr std::size_t count = T::stages;
  static constexpr long double at(std::size_t j) { return T::error[j]; }
};
template <class T>
struct Error5Weights {
  static constexpr std::size_t count = T::stages;
  static constexpr long double at(std::size_t j) { return T::error5[j]; }
};
template <class T>
struct Error3Weights {
  static constexpr std::size_t count = T::stages;
  static constexpr long double at(std::size_t j) { return T::b[j] - T::low3[j]; }
};

/// base + dt Σ_j w_j k_j
template <class W, class S, std::size_t N, class Slopes>
POLHODE_KERNEL Row<S, N> ahead(const Row<S, N>& base, const S& dt, const Slopes& k) {
  Row<S, N> result;
  unrolled<Row<S, N>::kParts>([&](auto i) POLHODE_INLINED {
    result.part[i] = base.part[i] + weighted_sum<W>(dt, [&](auto j) POLHODE_INLINED { return k[j].part[i]; });
  });
  return result;
}

template <class S, std::size_t N, class F>
POLHODE_KERNEL Row<S, N> slope(const F& f, const S& t, const Row<S, N>& y) {
  std::array<S, N> at;
  std::array<S, N> rate;
  y.to(at.data());
  f(t, at.data(), rate.data());
  return Row<S, N>::of(rate.data());
}

/// Slopes 2 to `stages` of tableau T; k[0] is there.
///
///   k_i = f(t + c_i dt, y + dt Σ_j a_ij k_j)                                             (INT-1)
template <class T, class S, std::size_t N, class F, class Slopes>
POLHODE_KERNEL void later_slopes(const F& f, const S& t, const S& dt, const Row<S, N>& y, Slopes& k) {
  unrolled<T::stages - 1>([&](auto before) POLHODE_INLINED {
    constexpr std::size_t kStage = before + 1;
    constexpr auto kTime = static_cast<Constant<S>>(T::c[kStage]);
    k[kStage] = slope(f, t + S(kTime) * dt, ahead<StageWeights<T, kStage>>(y, dt, k));
  });
}

/// |x| and √x, of parts.
template <class S>
POLHODE_KERNEL S size_of(const S& x) {
  return std::fabs(x);
}
template <class S>
POLHODE_KERNEL S root_of(const S& x) {
  return std::sqrt(x);
}
#if defined(__GNUC__) && !defined(__CUDACC__)
POLHODE_KERNEL PairOfDoubles size_of(const PairOfDoubles& x) { return PairOfDoubles{std::fabs(x[0]), std::fabs(x[1])}; }
POLHODE_KERNEL PairOfDoubles root_of(const PairOfDoubles& x) { return PairOfDoubles{std::sqrt(x[0]), std::sqrt(x[1])}; }
#endif

/// Two estimates of orders 5 and 3 joined into one that behaves as order 7.
///
///   e = e5² / √(e5² + e3²/100)                                                           (INT-5)
///
/// Scaled by the larger, so that no square underflows; where both are zero, by 1. A choice, no branch: which is larger
/// cannot be foreseen.
template <class Part>
POLHODE_KERNEL Part joined_estimate(const Part& estimate5, const Part& estimate3) {
  const Part one = Part{} + 1;
  const Part e5 = size_of(estimate5);
  const Part low = (Part{} + static_cast<Constant<Part>>(0.1L)) * size_of(estimate3);
  const Part larger = low > e5 ? low : e5;
  const Part scale = larger == Part{} ? one : larger;
  const Part r5 = e5 / scale;
  const Part r3 = low / scale;
  const Part sum = r5 * r5 + r3 * r3;
  const Part square = larger == Part{} ? one : sum;
  return e5 * (r5 / root_of(square));
}

/// The error estimate of tableau T at one entry, k(j) for its slopes.
template <class T, class S, class Slopes>
POLHODE_KERNEL auto error_of_entry(const S& dt, const Slopes& k) {
  if constexpr (requires { T::error5; }) {
    return joined_estimate(weighted_sum<Error5Weights<T>>(dt, k), weighted_sum<Error3Weights<T>>(dt, k));
  } else {
    return weighted_sum<ErrorWeights<T>>(dt, k);
  }
}
/// The same at all entries.
template <class T, std::size_t N, class S, class Slopes>
POLHODE_KERNEL void error_estimate(const S& dt, const Slopes& k, S* error) {
  Row<S, N> e;
  unrolled<Row<S, N>::kParts>([&](auto i) POLHODE_INLINED {
    e.part[i] = error_of_entry<T>(dt, [&](auto j) POLHODE_INLINED { return k[j].part[i]; });
  });
  e.to(error);
}

/// Index of the first entry that is not finite, or N.
template <std::size_t N, class S>
POLHODE_KERNEL std::size_t first_not_finite(const S* y) {
  bool finite = true;
  unrolled<N>([&](auto i) POLHODE_INLINED { finite = finite & std::isfinite(y[i]); });
  if (finite) [[likely]] { return N; }
  std::size_t i = 0;
  while (std::isfinite(y[i])) { ++i; }
  return i;
}

}  // namespace kernel

/// One step of the explicit method with tableau T: y(t + dt).
///
///   y ← y + dt Σ_i b_i k_i                                                               (INT-1)
template <class T, std::size_t N, class S, class F>
POLHODE_KERNEL std::array<S, N> explicit_step(const F& f, const S& t, const S& dt, const std::array<S, N>& y) {
  using Numbers = kernel::Row<S, N>;
  const Numbers start = Numbers::of(y.data());
  std::array<Numbers, T::stages> k;
  k[0] = kernel::slope(f, t, start);
  kernel::later_slopes<T>(f, t, dt, start, k);
  std::array<S, N> end;
  kernel::ahead<kernel::EndWeights<T>>(start, dt, k).to(end.data());
  return end;
}

/// One row of Gragg's modified midpoint rule: `count` substeps of length h from y, whose slope is known.
///
///   z₁ = y + h f(t, y),   z_{i+1} = z_{i−1} + 2h f(t + ih, z_i),   ¼ (z_{n−1} + 2 z_n + z_{n+1})     (INT-19)
///
/// `look(m, slope)` sees f(t + mh, z_m) for the last `watched` of them.
template <std::size_t N, class S, class F, class Look>
POLHODE_KERNEL void midpoint_row(const F& f, std::size_t count, const S& t, const S& h, const S* y,
                                 const S* first_slope, S* result, std::size_t watched, const Look& look) {
  using Numbers = kernel::Row<S, N>;
  constexpr std::size_t kParts = Numbers::kParts;
  const S twice = S(2) * h;
  Numbers before = Numbers::of(y);
  const Numbers first = Numbers::of(first_slope);
  Numbers z;
  kernel::unrolled<kParts>([&](auto i) POLHODE_INLINED { z.part[i] = before.part[i] + h * first.part[i]; });
  const auto advance = [&](std::size_t m) POLHODE_INLINED {
    const Numbers slope = kernel::slope(f, t + S(static_cast<double>(m)) * h, z);
    kernel::unrolled<kParts>([&](auto i) POLHODE_INLINED {
      const auto next = before.part[i] + twice * slope.part[i];
      before.part[i] = z.part[i];
      z.part[i] = next;
    });
    return slope;
  };
  std::size_t m = 1;
  for (; m + watched <= count; ++m) { advance(m); }
  std::array<S, N> seen;
  for (; m < count; ++m) {
    advance(m).to(seen.data());
    look(m, seen.data());
  }
  const Numbers slope = kernel::slope(f, t + S(static_cast<double>(count)) * h, z);
  slope.to(seen.data());
  look(count, seen.data());
  // ¼ (z_{n−1} + 2 z_n + z_{n+1}) = ½ (z_{n−1} + z_n + h f_n)
  Numbers mean;
  kernel::unrolled<kParts>(
      [&](auto i) POLHODE_INLINED { mean.part[i] = (before.part[i] + z.part[i] + h * slope.part[i]) / S(2); });
  mean.to(result);
}

// ---- for steppers ---------------------------------------------------------------------------------------------------

namespace kernel {

template <class T, std::size_t N, class S, class F>
std::size_t fixed_step(const void* f, const S& t, const S& dt, S* y) {
  const F rhs = *static_cast<const F*>(f);
  const S length = dt;
  using Numbers = kernel::Row<S, N>;
  const Numbers start = Numbers::of(y);
  std::array<Numbers, T::stages> k;
  k[0] = slope(rhs, t, start);
  later_slopes<T>(rhs, t, length, start, k);
  std::array<S, N> end;
  ahead<EndWeights<T>>(start, length, k).to(end.data());
  const std::size_t bad = first_not_finite<N>(end.data());
  if (bad == N) {
    unrolled<N>([&](auto i) POLHODE_INLINED { y[i] = end[i]; });
  }
  return bad;
}

template <class T, std::size_t N, class S, class F>
std::size_t adaptive_step(const void* f, const S& t, const S& dt, const AdaptiveStep<S>& rows) {
  const F rhs = *static_cast<const F*>(f);
  const S length = dt;
  using Numbers = kernel::Row<S, N>;
  const Numbers start = Numbers::of(rows.y);
  std::array<Numbers, T::stages> k;
  k[0] = rows.first_slope != nullptr ? Numbers::stored(rows.first_slope) : slope(rhs, t, start);
  later_slopes<T>(rhs, t, length, start, k);
  std::array<S, N> end;
  ahead<EndWeights<T>>(start, length, k).to(end.data());
  if (const std::size_t bad = first_not_finite<N>(end.data()); bad < N) [[unlikely]] { return bad; }
  unrolled<T::stages>([&](auto j) POLHODE_INLINED { k[j].store(rows.slopes + j * Numbers::kStride); });
  unrolled<N>([&](auto i) POLHODE_INLINED { rows.end[i] = end[i]; });
  error_estimate<T, N>(length, k, rows.error);
  return N;
}

template <std::size_t N, class S, class F>
void midpoint(const void* f, const MidpointRow<S>& row) {
  const F rhs = *static_cast<const F*>(f);
  std::array<S, N> last;
  std::array<S, N> changes;
  unrolled<N>([&](auto i) POLHODE_INLINED {
    last[i] = row.first_slope[i];
    changes[i] = S(0);
  });
  constexpr std::size_t kWatched = 5;  // four changes of sign
  midpoint_row<N>(rhs, row.count, row.t, row.h, row.y, row.first_slope, row.result, kWatched,
                  [&](std::size_t m, const S* slope) POLHODE_INLINED {
                    const bool counts = m == 1 || m + kWatched > row.count + 1;
                    unrolled<N>([&](auto i) POLHODE_INLINED {
                      const bool changed = counts && std::signbit(slope[i]) != std::signbit(last[i]);
                      changes[i] = changed ? changes[i] + S(1) : S(0);
                      last[i] = slope[i];
                    });
                  });
  unrolled<N>([&](auto i) POLHODE_INLINED {
    row.last_slope[i] = last[i];
    row.sign_changes[i] = changes[i];
  });
}

}  // namespace kernel

/// The steps of all explicit methods with f compiled into them, for a System of N numbers to offer. f must live as long
/// as they are used; each step begins with a copy of it.
template <std::size_t N, class S, class F>
ExplicitKernels<S> explicit_kernels_of(const F& f) {
  return {.f = &f,
          .stride = kernel::Row<S, N>::kStride,
          .explicit_euler = &kernel::fixed_step<ExplicitEulerTableau, N, S, F>,
          .rk4 = &kernel::fixed_step<Rk4Tableau, N, S, F>,
          .dopri5 = &kernel::adaptive_step<Dopri5Tableau, N, S, F>,
          .dop853 = &kernel::adaptive_step<Dop853Tableau, N, S, F>,
          .midpoint = &kernel::midpoint<N, S, F>};
}

}  // namespace polhode
