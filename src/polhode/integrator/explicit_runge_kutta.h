#pragma once

#include "polhode/integrator/method.h"

namespace polhode {

/// dt Σ_j w_j k_j at entry i. W::at(j) are constants, j < W::count; zeros cost nothing.
template <class W, class S, class Slopes>
S weighted_sum(const S& dt, const Slopes& k, std::size_t i) {
  return [&]<std::size_t... J>(std::index_sequence<J...>) {
    constexpr std::size_t kFirst = [] {
      std::size_t j = 0;
      while (W::at(j) == 0) { ++j; }
      return j;
    }();
    S sum = (dt * S(W::at(kFirst))) * k[kFirst][i];
    const auto add = [&]<std::size_t j>(std::integral_constant<std::size_t, j>) {
      if constexpr (j > kFirst && W::at(j) != 0) { sum += (dt * S(W::at(j))) * k[j][i]; }
    };
    (add(std::integral_constant<std::size_t, J>{}), ...);
    return sum;
  }(std::make_index_sequence<W::count>{});
}

/// Explicit Runge-Kutta step by a tableau T: stages, slopes (stages and what dense output adds), c, a, b as constants;
/// `adaptive`: T::Error are the weights of an error estimate; `last_is_end`: the last stage is the slope at the end.
///
///   k_i = f(t + c_i dt, y + dt Σ_j a_ij k_j),   y ← y + dt Σ_i b_i k_i          (INT-1)
///
/// Slopes at the start (a rejected step starts there again) and at the end are kept for the next step.
template <class S, std::size_t N, class T>
class ExplicitRungeKutta : public Stepper<S> {
 public:
  ExplicitRungeKutta(const MethodDescription& description, const System<S>& system)
      : Stepper<S>(description),
        system_(&system),
        y_start_(system.size()),
        y_end_(system.size()),
        stage_(system.size()),
        error_(system.size()),
        k_(rows<S, N, T::slopes>(system.size())),
        start_(system.size()),
        end_(system.size()) {}

  StepStatus step(const S& t, const S& dt, std::span<S> y) final {
    t_ = t;
    dt_ = dt;
    for (std::size_t i = 0; i < y_start_.size(); ++i) { y_start_[i] = y[i]; }
    first_slope();
    later_slopes(std::make_index_sequence<T::stages - 1>{});
    for (std::size_t i = 0; i < y_end_.size(); ++i) { y_end_[i] = y_start_[i] + weighted_sum<EndWeights>(dt, k_, i); }
    const std::size_t bad = first_not_finite(y_end_);
    if (bad < y_end_.size()) {
      this->bad_index_ = bad;
      restart();
      return StepStatus::not_finite;
    }
    if constexpr (T::adaptive) {
      estimate_error();
      start_.set(t, y_start_);
      end_slope_known_ = T::last_is_end;
      end_.set(t + dt, y_end_);
    }
    for (std::size_t i = 0; i < y_end_.size(); ++i) { y[i] = y_end_[i]; }
    return StepStatus::ok;
  }
  void restart() final {
    start_.forget();
    end_.forget();
    end_slope_known_ = false;
  }

 protected:
  template <std::size_t I>
  struct StageWeights {
    static constexpr std::size_t count = I;
    static constexpr long double at(std::size_t j) { return T::a[I][j]; }
  };
  struct EndWeights {
    static constexpr std::size_t count = T::stages;
    static constexpr long double at(std::size_t j) { return T::b[j]; }
  };

  virtual void estimate_error() {}

  void evaluate(const S& t, const StateArray<S, N>& y, StateArray<S, N>& slope) const {
    ++this->evaluations_;
    system_->rhs(t, y, slope);
  }
  template <std::size_t I>
  void slope_of_stage() const {
    for (std::size_t i = 0; i < stage_.size(); ++i) {
      stage_[i] = y_start_[i] + weighted_sum<StageWeights<I>>(dt_, k_, i);
    }
    evaluate(t_ + S(T::c[I]) * dt_, stage_, k_[I]);
  }

  const System<S>* system_;
  S t_{};
  S dt_{};
  StateArray<S, N> y_start_;
  StateArray<S, N> y_end_;
  mutable StateArray<S, N> stage_;
  StateArray<S, N> error_;
  mutable std::array<StateArray<S, N>, T::slopes> k_;
  mutable bool end_slope_known_ = false;  ///< k_[T::end_slope] is f at the end of the last step

 private:
  void first_slope() {
    if constexpr (T::adaptive) {
      if (end_slope_known_ && end_.is_at(t_, y_start_)) {
        std::swap(k_[0], k_[T::end_slope]);
        return;
      }
      if (start_.is_at(t_, y_start_)) { return; }
    }
    evaluate(t_, y_start_, k_[0]);
  }
  template <std::size_t... I>
  void later_slopes(std::index_sequence<I...>) {
    (slope_of_stage<I + 1>(), ...);
  }

  Point<S> start_;
  Point<S> end_;
};

}  // namespace polhode
