#pragma once

#include "polhode/formulation/forced_rotor_series.h"
#include "polhode/formulation/series_lanes.h"

/// Taylor series of a loaded body in principal axes, four numbers at a time. Included by files that are compiled for
/// different instruction sets: nothing here has linkage, nothing of the standard library is called.
namespace polhode {
namespace {

/// Three components in turn, (2 3 1) and (3 1 2): a × b = a.ahead b.behind − a.behind b.ahead, entry by entry.
template <class Lanes>
struct Turned {
  Lanes ahead;
  Lanes behind;
  void set(const Lanes& v) {
    ahead = v.template permuted<1, 2, 0, 3>();
    behind = v.template permuted<2, 0, 1, 3>();
  }
};

/// Rows 1 ... order of the series from row 0; the first 7 numbers a row of `stride`, (e | ω').
///
///   (k + 1) e_{k+1} = ½ Σ_j e_j ∘ (0; ω'_{k−j})
///   (k + 1) ω1_{k+1} = (J2 − J3)/J1 Σ_j ω2_j ω3_{k−j} + steady₁, if k = 0, + Σ_d (C_d d_k)₁ + pull₁ Σ_j u2_j u3_{k−j}
///   (k + 1) d_{k+1} = Σ_j d_j × ω'_{k−j} + n (partner of d)_k                              (DYN-36)
///
/// and so on in turn; D directions d, u is the first of them. As in the series of a free body, sums for k and k + 1 run
/// over the earlier rows together, and the row before enters at the end.
template <class Lanes, std::size_t kMostOrder, std::size_t D, bool kPulls, class S = typename Lanes::Number>
inline void expand_forced_rotor(const RotorForcing<S>& forcing, std::size_t order, std::size_t stride, S* rows) {
  struct RowTerm {
    Lanes e;
    Turned<Lanes> w;
    Turned<Lanes> d[D];
  };
  struct Sums {
    Lanes a, b, c;  // e ω1, e ω2, e ω3
    Lanes g;        // ω2 ω3, ω3 ω1, ω1 ω2
    Lanes u;        // the same of the first direction
    Lanes d[D];
    void clear() {
      a.set(S(0), S(0), S(0), S(0));
      b = a;
      c = a;
      g = a;
      u = a;
      for (std::size_t i = 0; i < D; ++i) { d[i] = a; }
    }
    void add(const RowTerm& p, const RowTerm& q) {
      a.add_product(p.e, q.w.behind[1]);
      b.add_product(p.e, q.w.behind[2]);
      c.add_product(p.e, q.w.behind[0]);
      g.add_product(p.w.ahead, q.w.behind);
      if constexpr (kPulls) { u.add_product(p.d[0].ahead, q.d[0].behind); }
      for (std::size_t i = 0; i < D; ++i) { d[i].add_product(p.d[i].ahead, q.w.behind); }
      for (std::size_t i = 0; i < D; ++i) { d[i].subtract_product(p.d[i].behind, q.w.ahead); }
    }
  };
  static constexpr Shares<S, kMostOrder> kShares;
  // e with its entries permuted as in its products with i, j and k
  const auto with_i = [](const Lanes& x) { return x.template permuted<1, 0, 3, 2>(); };
  const auto with_j = [](const Lanes& x) { return x.template permuted<2, 3, 0, 1>(); };
  const auto with_k = [](const Lanes& x) { return x.template permuted<3, 2, 1, 0>(); };
  const auto vector = [](const S* v) {
    Lanes made;
    made.set(v[0], v[1], v[2], S(0));
    return made;
  };

  RowTerm list[kMostOrder + 1];
  RowTerm& first = list[0];
  first.e.set(rows[0], rows[1], rows[2], rows[3]);
  first.w.set(vector(rows + 4));
  Lanes columns[D][3];  // for components 2, 3 and 1, as they lie in `ahead`
  bool is_linear[D];
  for (std::size_t i = 0; i < D; ++i) {
    const auto& direction = forcing.direction[i];
    first.d[i].set(vector(direction.start));
    columns[i][0] = vector(direction.columns + 3);
    columns[i][1] = vector(direction.columns + 6);
    columns[i][2] = vector(direction.columns);
    is_linear[i] = false;
    for (std::size_t j = 0; j < 9; ++j) { is_linear[i] = is_linear[i] || direction.columns[j] != S(0); }
  }
  Lanes half1, half2, half3;
  half1.set(S(-0.5), S(0.5), S(0.5), S(-0.5));
  half2.set(S(-0.5), S(-0.5), S(0.5), S(0.5));
  half3.set(S(-0.5), S(0.5), S(-0.5), S(0.5));
  const Lanes c = vector(forcing.gyration);
  const Lanes pull = vector(forcing.pull);
  const Lanes steady = vector(forcing.steady);
  // What multiplies the row before: parts of row 0.
  Lanes w1, w2, w3, e1, e2, e3, c_ahead, c_behind, pull_ahead, pull_behind;
  w1.set_product(half1, first.w.behind[1]);
  w2.set_product(half2, first.w.behind[2]);
  w3.set_product(half3, first.w.behind[0]);
  e1.set_product(half1, with_i(first.e));
  e2.set_product(half2, with_j(first.e));
  e3.set_product(half3, with_k(first.e));
  c_ahead.set_product(c, first.w.ahead);
  c_behind.set_product(c, first.w.behind);
  pull_ahead.set_product(pull, first.d[0].ahead);
  pull_behind.set_product(pull, first.d[0].behind);

  // Row k + 1 from the sum over the rows 1 ... k − 1, and from row k.
  const auto close = [&](std::size_t k, const Sums& sum) {
    const S share = kShares.of[k];
    const RowTerm& last = list[k];
    RowTerm& next = list[k + 1];
    Lanes w;
    w.set_product(sum.g, c);
    if (k == 0) { w = steady; }
    if constexpr (kPulls) { w.add_product(sum.u, pull); }
    for (std::size_t i = 0; i < D; ++i) {
      if (!is_linear[i]) { continue; }
      for (std::size_t j = 0; j < 3; ++j) { w.add_product(columns[i][j], last.d[i].ahead[j]); }
    }
    Lanes e;
    e.set_product(with_i(sum.a), half1);
    e.add_product(with_j(sum.b), half2);
    e.add_product(with_k(sum.c), half3);
    if (k > 0) {
      w.add_product(c_ahead, last.w.behind);
      if constexpr (kPulls) { w.add_product(pull_ahead, last.d[0].behind); }
      e.add_product(e1, last.w.behind[1]);
      e.add_product(e2, last.w.behind[2]);
      e.add_product(e3, last.w.behind[0]);
    }
    w.add_product(c_behind, last.w.ahead);
    if constexpr (kPulls) { w.add_product(pull_behind, last.d[0].ahead); }
    e.add_product(w1, with_i(last.e));
    e.add_product(w2, with_j(last.e));
    e.add_product(w3, with_k(last.e));
    w.set_product(w, share);
    next.w.set(w);
    next.e.set_product(e, share);
    for (std::size_t i = 0; i < D; ++i) {
      Lanes d = sum.d[i];
      if (forcing.direction[i].rate != S(0)) {
        const Turned<Lanes>& partner = last.d[forcing.direction[i].partner];
        d.add_product(partner.behind.template permuted<1, 2, 0, 3>(), forcing.direction[i].rate);
      }
      if (k > 0) {
        d.add_product(first.d[i].ahead, last.w.behind);
        d.subtract_product(first.d[i].behind, last.w.ahead);
      }
      d.add_product(last.d[i].ahead, first.w.behind);
      d.subtract_product(last.d[i].behind, first.w.ahead);
      d.set_product(d, share);
      next.d[i].set(d);
    }
    S* row = rows + stride * (k + 1);
    for (std::size_t i = 0; i < 4; ++i) { row[i] = next.e[i]; }
    for (std::size_t i = 0; i < 3; ++i) { row[4 + i] = w[i]; }
  };

  for (std::size_t k = 0; k < order; k += 2) {
    Sums sum;       // for k
    Sums sum_next;  // for k + 1
    sum.clear();
    sum_next.clear();
    if (k > 0) {
      const RowTerm* low = list + k / 2;
      const RowTerm* high = low;
      sum.add(*low, *high);
      sum_next.add(*low, high[1]);
      sum_next.add(high[1], *low);
      while (--low > list) {
        ++high;
        sum.add(*low, *high);
        sum_next.add(*low, high[1]);
        sum.add(*high, *low);
        sum_next.add(high[1], *low);
      }
    }
    close(k, sum);
    if (k + 1 < order) { close(k + 1, sum_next); }
  }
}

/// The same with D and kPulls chosen by what acts.
template <class Lanes, std::size_t kMostOrder, class S = typename Lanes::Number>
inline void expand_forced_rotor(const RotorForcing<S>& forcing, std::size_t order, std::size_t stride, S* rows) {
  switch (2 * forcing.directions + (forcing.pulls ? 1 : 0)) {
    case 2:
      return expand_forced_rotor<Lanes, kMostOrder, 1, false>(forcing, order, stride, rows);
    case 3:
      return expand_forced_rotor<Lanes, kMostOrder, 1, true>(forcing, order, stride, rows);
    case 4:
      return expand_forced_rotor<Lanes, kMostOrder, 2, false>(forcing, order, stride, rows);
    case 5:
      return expand_forced_rotor<Lanes, kMostOrder, 2, true>(forcing, order, stride, rows);
    case 6:
      return expand_forced_rotor<Lanes, kMostOrder, 3, false>(forcing, order, stride, rows);
    default:
      return expand_forced_rotor<Lanes, kMostOrder, 3, true>(forcing, order, stride, rows);
  }
}

}  // namespace
}  // namespace polhode
