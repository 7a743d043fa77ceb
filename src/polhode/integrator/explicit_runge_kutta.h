#pragma once

#include "polhode/integrator/method.h"
#include "polhode/math/explicit_kernels.h"

#include <algorithm>

/// Steppers of the explicit Runge-Kutta methods: what surrounds the kernels of math/explicit_kernels.h.
///
///   k_i = f(t + c_i dt, y + dt Σ_j a_ij k_j),   y ← y + dt Σ_i b_i k_i          (INT-1)
///
/// A tableau T has stages, slopes (stages and what dense output adds), c, a, b as constants; `adaptive`: it has weights
/// of an error estimate; `last_is_end`: the last stage is the slope at the end. N is the size of the system, or 0.
///
/// A system that offers kernels of its own is stepped by them; others, whose right-hand side is not known before the
/// program runs, by the same sums in loops around rhs().
namespace polhode {

/// The kernel of tableau T among those of a system; nullptr where there is none.
template <class T, class Kernel, class S>
Kernel own_kernel(const ExplicitKernels<S>& kernels) {
  if constexpr (requires { T::template kernel<S>; }) { return kernels.*T::template kernel<S>; }
  return nullptr;
}

/// Slopes and end of a step through rhs(); rows lie n apart. Returns the index of the first entry of the end that is
/// not finite, or n.
template <class T, class S, class Size>
std::size_t step_through_rhs(const System<S>& system, const S& t, const S& dt, const AdaptiveStep<S>& rows, S* stage,
                             Size n) {
  const auto slope = [&](std::size_t j) { return rows.slopes + j * n; };
  const auto evaluate = [&](const S& at, const S* from, S* to) {
    system.rhs(at, std::span<const S>(from, n), std::span<S>(to, n));
  };
  if (rows.first_slope == nullptr) {
    evaluate(t, rows.y, slope(0));
  } else if (rows.first_slope != slope(0)) {
    std::copy_n(rows.first_slope, std::size_t{n}, slope(0));
  }
  kernel::unrolled<T::stages - 1>([&](auto before) {
    constexpr std::size_t kStage = before + 1;
    for (std::size_t i = 0; i < n; ++i) {
      stage[i] = rows.y[i] + kernel::weighted_sum<kernel::StageWeights<T, kStage>>(
                                 dt, [&](std::size_t j) { return rows.slopes[j * n + i]; });
    }
    evaluate(t + S(T::c[kStage]) * dt, stage, slope(kStage));
  });
  for (std::size_t i = 0; i < n; ++i) {
    rows.end[i] = rows.y[i] + kernel::weighted_sum<kernel::EndWeights<T>>(
                                  dt, [&](std::size_t j) { return rows.slopes[j * n + i]; });
  }
  return first_not_finite(std::span<const S>(rows.end, n));
}
/// The size of a row: a constant where N is one.
template <std::size_t N>
constexpr auto size_of_row(std::size_t n) {
  if constexpr (N > 0) {
    return std::integral_constant<std::size_t, N>{};
  } else {
    return n;
  }
}

/// Without error estimate.
template <class S, std::size_t N, class T>
class FixedRungeKutta final : public Stepper<S> {
 public:
  FixedRungeKutta(const MethodDescription& description, const System<S>& system)
      : Stepper<S>(description),
        system_(&system),
        own_f_(system.explicit_kernels().f),
        own_(own_kernel<T, Kernel>(system.explicit_kernels())),
        rows_(own_ == nullptr ? (T::stages + 2) * system.size() : 0) {}

  StepStatus step(const S& t, const S& dt, std::span<S> y) override {
    this->evaluations_ += T::stages;
    const std::size_t bad = own_ != nullptr ? own_(own_f_, t, dt, y.data()) : step_by_loops(t, dt, y);
    if (bad == y.size()) { return StepStatus::ok; }
    this->bad_index_ = bad;
    return StepStatus::not_finite;
  }

 private:
  using Kernel = typename ExplicitKernels<S>::Fixed;

  std::size_t step_by_loops(const S& t, const S& dt, std::span<S> y) {
    const auto n = size_of_row<N>(y.size());
    S* const end = rows_.data() + (T::stages + 1) * n;
    const AdaptiveStep<S> rows{y.data(), nullptr, rows_.data(), end, nullptr};
    const std::size_t bad = step_through_rhs<T>(*system_, t, dt, rows, rows_.data() + T::stages * n, n);
    if (bad == n) {
      for (std::size_t i = 0; i < n; ++i) { y[i] = end[i]; }
    }
    return bad;
  }

  const System<S>* system_;
  const void* own_f_;
  Kernel own_;
  std::vector<S> rows_;  ///< slopes, a stage, the end
};

/// With error estimate and dense output. Slopes at the start (a rejected step starts there again) and at the end are
/// kept for the next step.
template <class S, std::size_t N, class T>
class AdaptiveRungeKutta : public Stepper<S> {
 public:
  AdaptiveRungeKutta(const MethodDescription& description, const System<S>& system)
      : Stepper<S>(description),
        system_(&system),
        y_start_(system.size()),
        y_end_(system.size()),
        error_(system.size()),
        own_f_(system.explicit_kernels().f),
        own_(own_kernel<T, Kernel>(system.explicit_kernels())),
        stride_(own_ != nullptr ? system.explicit_kernels().stride : system.size()),
        stage_(system.size()),
        slopes_(T::slopes * stride_) {}

  StepStatus step(const S& t, const S& dt, std::span<S> y) final {
    const S* first = known_first_slope(t, y);
    this->evaluations_ += first != nullptr ? T::stages - 1 : T::stages;
    t_ = t;
    dt_ = dt;
    for (std::size_t i = 0; i < y_start_.size(); ++i) { y_start_[i] = y[i]; }
    dense_ready_ = false;
    const std::size_t bad = fill(
        {.y = y.data(), .first_slope = first, .slopes = slopes_.data(), .end = y_end_.data(), .error = error_.data()});
    if (bad < y_end_.size()) [[unlikely]] {
      this->bad_index_ = bad;
      restart();
      return StepStatus::not_finite;
    }
    start_known_ = true;
    end_slope_known_ = T::last_is_end;
    for (std::size_t i = 0; i < y_end_.size(); ++i) { y[i] = y_end_[i]; }
    return StepStatus::ok;
  }
  void restart() final {
    start_known_ = false;
    end_slope_known_ = false;
  }
  std::span<const S> error_estimate() const final { return error_; }
  int error_order() const final { return T::error_order; }

 protected:
  /// Entry i of slope j.
  const S& k(std::size_t j, std::size_t i) const { return slopes_[j * stride_ + i]; }
  auto entry(std::size_t i) const {
    return [this, i](std::size_t j) { return k(j, i); };
  }
  void evaluate(const S& t, std::span<const S> y, std::size_t j) const {
    ++this->evaluations_;
    system_->rhs(t, y, {slopes_.data() + j * stride_, y_start_.size()});
  }
  /// A slope beyond those of the step, for dense output.
  template <std::size_t I>
  void slope_of_stage() const {
    for (std::size_t i = 0; i < stage_.size(); ++i) {
      stage_[i] = y_start_[i] + kernel::weighted_sum<kernel::StageWeights<T, I>>(dt_, entry(i));
    }
    evaluate(t_ + S(T::c[I]) * dt_, stage_, I);
  }

  const System<S>* system_;
  S t_{};
  S dt_{};
  StateArray<S, N> y_start_;
  StateArray<S, N> y_end_;
  StateArray<S, N> error_;
  mutable bool end_slope_known_ = false;  ///< slope T::end_slope is f at the end of the last step
  mutable bool dense_ready_ = false;

 private:
  using Kernel = typename ExplicitKernels<S>::Adaptive;
  std::size_t fill(const AdaptiveStep<S>& rows) {
    if (own_ != nullptr) { return own_(own_f_, t_, dt_, rows); }
    const auto n = size_of_row<N>(y_start_.size());
    const std::size_t bad = step_through_rhs<T>(*system_, t_, dt_, rows, stage_.data(), n);
    if (bad < n) { return bad; }
    for (std::size_t i = 0; i < n; ++i) {
      error_[i] = kernel::error_of_entry<T>(dt_, [&](std::size_t j) { return rows.slopes[j * n + i]; });
    }
    return n;
  }

  const S* known_first_slope(const S& t, std::span<const S> y) const {
    if (end_slope_known_ && same_time(t, t_ + dt_) && same_row(y, y_end_)) {
      return slopes_.data() + T::end_slope * stride_;
    }
    return start_known_ && same_time(t, t_) && same_row(y, y_start_) ? slopes_.data() : nullptr;
  }

  const void* own_f_;
  Kernel own_;
  std::size_t stride_;  ///< from one row of slopes to the next
  mutable StateArray<S, N> stage_;
  mutable std::vector<S> slopes_;
  bool start_known_ = false;  ///< slope 0 is f at the start of the last step
};

}  // namespace polhode
