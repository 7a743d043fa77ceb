#pragma once

#include "polhode/formulation/series_lanes.h"

/// Taylor series of a free body in principal axes, four numbers at a time. Included by files that are compiled for
/// different instruction sets: nothing here has linkage, nothing of the standard library is called.
namespace polhode {
namespace {

/// Rows 1 ... order of the series from row 0; 7 numbers a row, (e | ω').
///
///   (k + 1) e_{k+1} = ½ Σ_j e_j ∘ (0; ω'_{k−j}),   (k + 1) ω1_{k+1} = (J2 − J3)/J1 Σ_j ω2_j ω3_{k−j} and so on in turn
///   (DYN-32)
///
/// Sums Σ_j e_j ω_i,k−j and Σ_j (ω2, ω3, ω1)_j (ω3, ω1, ω2)_k−j run side by side; products of e come out of the first
/// three by permutation. What a row waits for is the row before it, so whatever needs that one comes last: two
/// sums, for k and k + 1, run over the earlier rows together from the middle outwards, oldest first, eight additions
/// under way at a time, and the row before enters at the end, on a short way of its own.
template <class Lanes, std::size_t kMostOrder, class S = typename Lanes::Number>
inline void expand_free_rotor(const S* gyration, std::size_t order, S* rows) {
  struct Term {
    Lanes e;
    Lanes ahead;   // ω2 ω3 ω1
    Lanes behind;  // ω3 ω1 ω2
  };
  struct Sums {
    Lanes a, b, c;  // e ω1, e ω2, e ω3
    Lanes g;        // ω2 ω3, ω3 ω1, ω1 ω2
    void clear() {
      a.set(S(0), S(0), S(0), S(0));
      b = a;
      c = a;
      g = a;
    }
    void add(const Term& p, const Term& q) {
      a.add_product(p.e, q.behind[1]);
      b.add_product(p.e, q.behind[2]);
      c.add_product(p.e, q.behind[0]);
      g.add_product(p.ahead, q.behind);
    }
  };
  static constexpr Shares<S, kMostOrder> kShares;
  // e with its entries permuted as in its products with i, j and k
  const auto with_i = [](const Lanes& x) { return x.template permuted<1, 0, 3, 2>(); };
  const auto with_j = [](const Lanes& x) { return x.template permuted<2, 3, 0, 1>(); };
  const auto with_k = [](const Lanes& x) { return x.template permuted<3, 2, 1, 0>(); };

  Term list[kMostOrder + 1];
  Term& first = list[0];
  first.e.set(rows[0], rows[1], rows[2], rows[3]);
  first.ahead.set(rows[5], rows[6], rows[4], S(0));
  first.behind.set(rows[6], rows[4], rows[5], S(0));
  Lanes c;
  Lanes half1;
  Lanes half2;
  Lanes half3;
  c.set(gyration[0], gyration[1], gyration[2], S(0));
  half1.set(S(-0.5), S(0.5), S(0.5), S(-0.5));
  half2.set(S(-0.5), S(-0.5), S(0.5), S(0.5));
  half3.set(S(-0.5), S(0.5), S(-0.5), S(0.5));
  // What multiplies the row before: parts of row 0.
  Lanes w1, w2, w3;
  Lanes e1, e2, e3;
  Lanes c_ahead, c_behind;
  w1.set_product(half1, first.behind[1]);
  w2.set_product(half2, first.behind[2]);
  w3.set_product(half3, first.behind[0]);
  e1.set_product(half1, with_i(first.e));
  e2.set_product(half2, with_j(first.e));
  e3.set_product(half3, with_k(first.e));
  c_ahead.set_product(c, first.ahead);
  c_behind.set_product(c, first.behind);

  // Row k + 1 from the sum over the rows 1 ... k − 1, and from row k.
  const auto close = [&](std::size_t k, const Sums& sum) {
    const S share = kShares.of[k];
    const Term& last = list[k];
    Lanes w;
    w.set_product(sum.g, c);
    Lanes e;
    e.set_product(with_i(sum.a), half1);
    e.add_product(with_j(sum.b), half2);
    e.add_product(with_k(sum.c), half3);
    if (k > 0) {
      w.add_product(c_ahead, last.behind);
      e.add_product(e1, last.behind[1]);
      e.add_product(e2, last.behind[2]);
      e.add_product(e3, last.behind[0]);
    }
    w.add_product(c_behind, last.ahead);
    e.add_product(w1, with_i(last.e));
    e.add_product(w2, with_j(last.e));
    e.add_product(w3, with_k(last.e));
    Term& next = list[k + 1];
    w.set_product(w, share);
    next.ahead = w.template permuted<1, 2, 0, 3>();
    next.behind = w.template permuted<2, 0, 1, 3>();
    next.e.set_product(e, share);
    S* row = rows + 7 * (k + 1);
    for (std::size_t i = 0; i < 4; ++i) { row[i] = next.e[i]; }
    for (std::size_t i = 0; i < 3; ++i) { row[4 + i] = w[i]; }
  };

  for (std::size_t k = 0; k < order; k += 2) {
    Sums sum;       // for k
    Sums sum_next;  // for k + 1
    sum.clear();
    sum_next.clear();
    if (k > 0) {
      const Term* low = list + k / 2;
      const Term* high = low;
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

}  // namespace
}  // namespace polhode
