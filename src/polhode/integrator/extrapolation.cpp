#include "polhode/integrator/method.h"
#include "polhode/integrator/midpoint_dense.h"
#include "polhode/integrator/rough_power.h"

#include <algorithm>

namespace polhode {
namespace {

/// Gragg, Bulirsch and Stoer: the modified midpoint rule with n_j = 2, 4, 6, ... substeps h = dt/n_j,
///
///   z₁ = y + h f(t, y),   z_{i+1} = z_{i−1} + 2h f(t + ih, z_i),   T_j1 = ¼ (z_{n−1} + 2 z_n + z_{n+1}) (INT-19)
///   T_j,k+1 = T_jk + (T_jk − T_{j−1,k}) / ((n_j/n_{j−k})² − 1) (INT-20)
///
/// T_jj has order 2j; T_jj − T_j,j−1 estimates its error. With tolerances, row count and step are those of the least
/// work a unit of time [HairerNorsettWanner1993, section II.9]; without, rows are added until rounding stops them.
/// Dense output is a polynomial (INT-24), made when first asked for: steps do not depend on it.
///
/// Where f switches with the sign of y, the z_i jump from side to side, ever farther, and the mean that T_j1 takes
/// hides it: all rows agree, with a step of any length. Such a step is refused.
template <class S, std::size_t N>
class Extrapolation final : public Stepper<S> {
  static constexpr std::size_t kMostRows = 10;

 public:
  Extrapolation(const MethodDescription& description, const System<S>& system)
      : Stepper<S>(description),
        system_(&system),
        own_f_(system.explicit_kernels().f),
        own_(system.explicit_kernels().midpoint),
        n_(system.size()),
        y_start_(n_),
        first_slope_(n_),
        slope_(n_),
        z_before_(n_),
        z_(n_),
        last_slope_(n_),
        sign_changes_(n_),
        error_(n_),
        start_(n_),
        table_(kMostRows * n_),
        dense_(n_),
        half_dense_(n_),
        middle_slope_(n_) {}

  void set_tolerance(const S& relative, const S& absolute) override {
    relative_ = relative;
    absolute_ = absolute;
    adaptive_ = true;
    next_ = S(0);
    rows_ = 1;
    target_ = 4;
  }
  S propose(const S&, std::span<const S>, int direction) override { return S(direction) * next_; }

  StepStatus step(const S& t, const S& dt, std::span<S> y) override {
    if (!start_.is_at(t, y)) {
      copy_row(y, y_start_);
      ++this->evaluations_;
      system_->rhs(t, y_start_, first_slope_);
      start_.set(t, y_start_);
    }
    t_ = t;
    dt_ = dt;
    dense_ready_ = false;
    const bool finite = adaptive_ ? adaptive_step() : step_to_rounding();
    const std::span<const S> result = best();
    this->bad_index_ = first_not_finite(result);
    if (!finite || this->bad_index_ < n_) {
      if (this->bad_index_ == n_) { this->bad_index_ = 0; }
      next_ = std::fabs(dt) / 4;
      start_.forget();
      return StepStatus::not_finite;
    }
    copy_row(result, y);
    return StepStatus::ok;
  }
  std::span<const S> error_estimate() const override { return error_; }
  std::size_t zigzag() const override { return zigzag_; }
  int error_order() const override { return static_cast<int>(2 * rows_) - 2; }
  bool interpolate(const S& theta, std::span<S> y) const override {
    if (!dense_ready_) {
      prepare(dense_, S(0), dt_, y_start_, first_slope_, best());
      dense_ready_ = true;
      half_ = kNoHalf;
    }
    if (dense_.reached()) {
      dense_.at(theta, y);
      return true;
    }
    // a step too long for one polynomial has one for each half, the one that was asked for last
    const int half = theta < S(0.5) ? 0 : 1;
    if (half != half_) {
      const S length = dt_ / 2;
      const std::span<const S> middle = dense_.middle();
      evaluate_at(t_ + length, middle, middle_slope_);
      if (half == 0) {
        prepare(half_dense_, S(0), length, y_start_, first_slope_, middle);
      } else {
        prepare(half_dense_, length, length, middle, middle_slope_, best());
      }
      half_ = half;
    }
    half_dense_.at(2 * theta - S(half), y);
    return true;
  }
  void restart() override { start_.forget(); }

 private:
  static constexpr S kRounding = 4 * std::numeric_limits<S>::epsilon();
  static constexpr double substeps(std::size_t j) { return static_cast<double>(2 * (j + 1)); }
  /// evaluations up to row j
  static constexpr double work(std::size_t j) { return 1 + static_cast<double>((j + 1) * (j + 2)); }

  void evaluate_at(const S& t, std::span<const S> y, std::span<S> rate) const {
    ++this->evaluations_;
    system_->rhs(t, y, rate);
  }
  /// Dense output from t_ + after on.
  void prepare(MidpointDense<S>& dense, const S& after, const S& length, std::span<const S> y, std::span<const S> slope,
               std::span<const S> end) const {
    dense.prepare([this](const S& t, std::span<const S> at, std::span<S> rate) { evaluate_at(t, at, rate); },
                  t_ + after, length, y, slope, end, adaptive_ ? relative_ : kRounding,
                  adaptive_ ? absolute_ : kRounding);
  }

  /// T_{j,k+1} of the newest row j
  std::span<S> column(std::size_t k) { return std::span<S>(table_).subspan(k * n_, n_); }
  std::span<const S> best() const { return std::span<const S>(table_).subspan((rows_ - 1) * n_, n_); }

  /// Row j of the table in place of row j − 1.
  void add_row(std::size_t j) {
    if (own_ != nullptr) {
      const std::size_t count = 2 * (j + 1);
      this->evaluations_ += count;
      own_(own_f_, {count, t_, dt_ / S(substeps(j)), y_start_.data(), first_slope_.data(), z_.data(),
                    last_slope_.data(), sign_changes_.data()});
    } else {
      midpoint(j);
    }
    for (std::size_t k = 0; k < j; ++k) {
      const S ratio = S(substeps(j)) / S(substeps(j - 1 - k));
      const S divisor = ratio * ratio - 1;
      const std::span<S> row = column(k);
      for (std::size_t i = 0; i < z_.size(); ++i) {
        const S old = row[i];
        row[i] = z_[i];
        z_[i] = z_[i] + (z_[i] - old) / divisor;
      }
    }
    copy_row(z_, column(j));
  }

  void midpoint(std::size_t j) {
    const std::size_t count = 2 * (j + 1);
    const S h = dt_ / S(substeps(j));
    for (std::size_t i = 0; i < z_.size(); ++i) {
      z_before_[i] = y_start_[i];
      z_[i] = y_start_[i] + h * first_slope_[i];
      last_slope_[i] = first_slope_[i];
      sign_changes_[i] = S(0);
    }
    for (std::size_t m = 1; m < count; ++m) {
      evaluate(m, h);
      for (std::size_t i = 0; i < z_.size(); ++i) {
        const S next = z_before_[i] + 2 * h * slope_[i];
        z_before_[i] = z_[i];
        z_[i] = next;
      }
    }
    evaluate(count, h);
    // ¼ (z_{n−1} + 2 z_n + z_{n+1}) = ½ (z_{n−1} + z_n + h f_n)
    for (std::size_t i = 0; i < z_.size(); ++i) { z_[i] = (z_before_[i] + z_[i] + h * slope_[i]) / 2; }
  }
  void evaluate(std::size_t m, const S& h) {
    ++this->evaluations_;
    system_->rhs(t_ + S(static_cast<double>(m)) * h, z_, slope_);
    for (std::size_t i = 0; i < z_.size(); ++i) {
      sign_changes_[i] = std::signbit(slope_[i]) != std::signbit(last_slope_[i]) ? sign_changes_[i] + 1 : S(0);
      last_slope_[i] = slope_[i];
    }
  }

  /// The entry whose slopes in the newest row changed their sign four times running at its end, and are the largest
  /// against what is allowed; n_: none.
  std::size_t entry_of_zigzag() const {
    const S most = static_cast<S>(substeps(rows_ - 1));
    const S h = dt_ / most;
    std::size_t worst = n_;
    S most_slope = S(10);
    for (std::size_t i = 0; i < n_; ++i) {
      const S allowed = absolute_ + relative_ * std::fabs(y_start_[i]);
      const S slope = std::fabs(h) * std::fmin(std::fabs(first_slope_[i]), std::fabs(last_slope_[i]));
      if (sign_changes_[i] < std::fmin(S(4), most - 1) || !(slope > most_slope * allowed)) { continue; }
      most_slope = slope / allowed;
      worst = i;
    }
    return worst;
  }

  /// Error of row j ≥ 1 in units of what is allowed.
  double judge(const S& relative, const S& absolute) {
    const std::span<const S> other = column(rows_ - 2);
    for (std::size_t i = 0; i < n_; ++i) { error_[i] = best()[i] - other[i]; }
    return static_cast<double>(error_norm<S>(error_, y_start_, best(), relative, absolute));
  }

  bool step_to_rounding() {
    double last = std::numeric_limits<double>::max();
    for (std::size_t j = 0; j < kMostRows; ++j) {
      add_row(j);
      rows_ = j + 1;
      if (first_not_finite(best()) < n_) { return false; }
      if (j < 2) { continue; }
      const double error = judge(4 * std::numeric_limits<S>::epsilon(), std::numeric_limits<S>::epsilon());
      if (error <= 1 || (error >= last && error < 100)) { return true; }
      last = error;
    }
    return true;
  }

  bool adaptive_step() {
    std::array<double, kMostRows> length{};
    std::array<double, kMostRows> cost{};
    const double h = static_cast<double>(std::fabs(dt_));
    double error = 0;
    const std::size_t last_row = std::min(target_ + 1, kMostRows - 1);
    bool done = false;
    for (std::size_t j = 0; j <= last_row && !done; ++j) {
      add_row(j);
      rows_ = j + 1;
      if (first_not_finite(best()) < n_) { return false; }
      // choose_next() looks at no row before these
      if (j == 0 || j + 2 < target_) { continue; }
      error = judge(relative_, absolute_);
      const double exponent = 1 / static_cast<double>(2 * j + 1);
      const double factor = error > 0 ? 0.94 * rough_power(0.65 / error, exponent) : 4;
      length[j] = h * std::fmin(4, std::fmax(0.02, factor));
      cost[j] = work(j) / length[j];
      if (j + 1 < target_) { continue; }
      // hopeless rows are not waited for
      const double missing = j + 1 == target_ ? substeps(target_) * substeps(last_row) / 4
                             : j == target_   ? substeps(last_row) / 2
                                              : 1;
      done = error <= 1 || error > missing * missing;
    }
    zigzag_ = error <= 1 ? entry_of_zigzag() : n_;
    if (zigzag_ < n_) {
      error_[zigzag_] = std::numeric_limits<S>::max();
      next_ = std::fabs(dt_) / 4;
      return true;
    }
    choose_next(length, cost, error <= 1);
    return true;
  }
  void choose_next(const std::array<double, kMostRows>& length, const std::array<double, kMostRows>& cost, bool good) {
    const std::size_t j = std::min(rows_ - 1, good ? rows_ - 1 : target_);
    std::size_t best = j;
    if (j >= 3 && cost[j - 1] < 0.8 * cost[j]) { best = j - 1; }
    double next = length[best];
    // row 1 has no row before it to compare with: always worth a try
    if (good && best == j && j + 2 < kMostRows && (j == 1 || cost[j] < 0.9 * cost[j - 1])) {
      best = j + 1;
      next = length[j] * work(j + 1) / work(j);
    }
    target_ = std::max<std::size_t>(best, 2);
    next_ = S(next);
  }

  const System<S>* system_;
  const void* own_f_;
  typename ExplicitKernels<S>::Midpoint own_;  ///< the system's own, or nullptr
  std::size_t n_;
  StateArray<S, N> y_start_;
  StateArray<S, N> first_slope_;
  StateArray<S, N> slope_;
  StateArray<S, N> z_before_;
  StateArray<S, N> z_;
  StateArray<S, N> last_slope_;
  StateArray<S, N> sign_changes_;  ///< of the slopes in the newest row, running
  std::vector<S> error_;
  Point<S> start_;
  std::vector<S> table_;
  static constexpr int kNoHalf = -1;
  mutable MidpointDense<S> dense_;
  mutable MidpointDense<S> half_dense_;
  mutable std::vector<S> middle_slope_;
  mutable bool dense_ready_ = false;
  mutable int half_ = kNoHalf;  ///< which half_dense_ is for
  S t_{};
  S dt_{};
  S relative_{};
  S absolute_{};
  S next_{};
  bool adaptive_ = false;
  std::size_t target_ = 4;  ///< row, from 0, that should reach the tolerance
  std::size_t rows_ = 1;
  std::size_t zigzag_ = std::numeric_limits<std::size_t>::max();
};

}  // namespace

void add_extrapolation(MethodList& list) {
  list.add({.name = "extrapolation",
            .summary = "Gragg-Bulirsch-Stoer extrapolation, order and step by the tolerance",
            .reference = "HairerNorsettWanner1993 section II.9",
            .order = 0,
            .adaptive = true,
            .dense = true,
            .needs = {}},
           BindBySize<Extrapolation>{});
}

}  // namespace polhode
