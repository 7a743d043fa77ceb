#pragma once

#include "polhode/integrator/method.h"
#include "polhode/math/error_free.h"
#include "polhode/math/tableaux.h"

namespace polhode {

/// Gauss-Legendre collocation with `Stages` stages, order 2 Stages; symmetric and symplectic.
///
///   Z_i = dt Σ_j a_ij f(t + c_j dt, y + Z_j),   y ← y + dt Σ_j b_j f_j          (INT-8)
///
/// Fixed-point iteration, started from the last step's slopes, until rounding stops it. So that rounding brings no
/// drift [HairerMcLachlanRazakarivony2008]: what each sum y + increment rounds away is carried to the next step, and
/// coefficients are split into a short part and a small rest, so that their own rounding error does not count.
template <class S, std::size_t Stages>
class Gauss final : public Stepper<S> {
  using Tableau = GaussTableau<Stages>;

 public:
  Gauss(const MethodDescription& description, const System<S>& system)
      : Stepper<S>(description),
        system_(&system),
        n_(system.size()),
        y_stage_(n_),
        y_new_(n_),
        size_(n_, S(0)),
        carry_(n_, S(0)),
        carry_new_(n_, S(0)),
        end_(n_) {
    for (std::size_t j = 0; j < Stages; ++j) {
      slope_[j].assign(n_, S(0));
      z_[j].assign(n_, S(0));
      for (std::size_t i = 0; i < Stages; ++i) { a_[i][j] = split(Tableau::a[i][j]); }
      b_[j] = split(Tableau::b[j]);
    }
  }

  StepStatus step(const S& t, const S& dt, std::span<S> y) override {
    if (!end_.is_at(y)) {
      for (S& rest : carry_) { rest = S(0); }
      for (S& size : size_) { size = S(0); }
      // all slopes as at the start
      ++this->evaluations_;
      system_->rhs(t, y, slope_[0]);
      for (std::size_t j = 1; j < Stages; ++j) { copy_row(slope_[0], slope_[j]); }
    }
    end_.forget();
    if (!solve(t, dt, y)) { return failed(y); }
    for (std::size_t i = 0; i < n_; ++i) {
      y_new_[i] = y[i];
      carry_new_[i] = carry_[i];
      math::add_carrying(y_new_[i], carry_new_[i], dt * weighted(b_, i));
    }
    this->bad_index_ = first_not_finite(y_new_);
    if (this->bad_index_ < n_) { return StepStatus::not_finite; }
    std::swap(carry_, carry_new_);
    copy_row(y_new_, y);
    end_.set(t + dt, y);
    return StepStatus::ok;
  }
  void restart() override { end_.forget(); }

 private:
  struct Split {
    S head;
    S rest;
  };
  static Split split(long double x) {
    const long double head = std::nearbyint(x * 1024) / 1024;
    return {static_cast<S>(head), static_cast<S>(x - head)};
  }
  S weighted(const std::array<Split, Stages>& weights, std::size_t i) const {
    S heads(0);
    S rests(0);
    for (std::size_t j = 0; j < Stages; ++j) {
      heads += weights[j].head * slope_[j][i];
      rests += weights[j].rest * slope_[j][i];
    }
    return heads + rests;
  }

  bool solve(const S& t, const S& dt, std::span<const S> y) {
    largest_ = S(0);
    for (std::size_t i = 0; i < n_; ++i) {
      size_[i] = std::fmax(size_[i], std::fabs(y[i]));
      largest_ = std::fmax(largest_, std::fabs(y[i]));
    }
    for (std::size_t j = 0; j < Stages; ++j) {
      for (std::size_t i = 0; i < n_; ++i) { z_[j][i] = dt * weighted(a_[j], i); }
    }
    RoundingStop<S> stop;
    S floor = std::numeric_limits<S>::epsilon() * largest_;
    for (int round = 1;; ++round) {
      for (std::size_t j = 0; j < Stages; ++j) {
        for (std::size_t i = 0; i < n_; ++i) { y_stage_[i] = y[i] + (z_[j][i] + carry_[i]); }
        if (first_not_finite(y_stage_) < n_) { return false; }
        ++this->evaluations_;
        system_->rhs(t + S(Tableau::c[j]) * dt, y_stage_, slope_[j]);
      }
      S change(0);
      for (std::size_t j = 0; j < Stages; ++j) {
        for (std::size_t i = 0; i < n_; ++i) {
          const S z = dt * weighted(a_[j], i);
          const S scale = std::fmax(size_[i], std::fabs(z)) + floor;
          const S difference = std::fabs(z - z_[j][i]);
          if (!(difference <= std::numeric_limits<S>::max())) { return false; }
          if (difference > S(0)) { change = std::fmax(change, difference / scale); }
          z_[j][i] = z;
        }
      }
      switch (stop.judge(change)) {
        case RoundingStop<S>::Verdict::converged:
          return true;
        case RoundingStop<S>::Verdict::failed:
          return false;
        case RoundingStop<S>::Verdict::go_on:
          break;
      }
      if (round == kPatience) {
        stop = {};
        floor = largest_;
      }
    }
  }

  /// Entries that are nothing but rounding (of a mechanism, its motion out of its plane) do not settle against their
  /// own size. After so many rounds changes are judged against the largest entry.
  static constexpr int kPatience = 100;

  StepStatus failed(std::span<const S> y) {
    for (std::size_t j = 0; j < Stages; ++j) {
      for (std::size_t i = 0; i < n_; ++i) {
        if (!std::isfinite(slope_[j][i]) || !std::isfinite(y[i])) {
          this->bad_index_ = i;
          return StepStatus::not_finite;
        }
      }
    }
    return StepStatus::no_convergence;
  }

  const System<S>* system_;
  std::size_t n_;
  std::vector<S> y_stage_;
  std::vector<S> y_new_;
  /// Largest that each entry has been in this run: changes are judged against it. An entry on its way through zero
  /// would otherwise end the iteration by its rounding, before the others have settled, and momentum would drift.
  std::vector<S> size_;
  std::vector<S> carry_;  ///< what the last sum rounded away
  std::vector<S> carry_new_;
  Point<S> end_;
  S largest_{};
  std::array<std::vector<S>, Stages> slope_;
  std::array<std::vector<S>, Stages> z_;
  std::array<std::array<Split, Stages>, Stages> a_{};
  std::array<Split, Stages> b_{};
};

template <std::size_t Stages>
void add_gauss(MethodList& list) {
  list.add({.name = "gauss" + std::to_string(2 * Stages),
            .summary = Stages == 1 ? "implicit midpoint rule" : "Gauss-Legendre collocation",
            .reference = "HairerLubichWanner2006 section II.1.3; HairerMcLachlanRazakarivony2008",
            .order = static_cast<int>(2 * Stages),
            .symmetric = true,
            .symplectic = true,
            .needs = {}},
           []<class S>(const MethodDescription& description, const System<S>& system) -> std::unique_ptr<Stepper<S>> {
             return std::make_unique<Gauss<S, Stages>>(description, system);
           });
}

}  // namespace polhode
