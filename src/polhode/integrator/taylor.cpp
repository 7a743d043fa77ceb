#include "polhode/integrator/method.h"

#include <algorithm>

namespace polhode {
namespace {

/// Taylor series of the solution, y(t + h) = Σ y_k hᵏ. Order and step by the tolerance ε [JorbaZou2005]:
///
///   p = ⌈1 − 0.65 ln ε⌉,   h = min((s/|y_{p−1}|)^{1/(p−1)}, (s/|y_p|)^{1/p}),   s = absolute + relative |y| (INT-18)
///
/// (½ in place of 0.65 there: best for long series, while a step here has a price of its own), with largest norms: the
/// last two terms are as large as the error allowed. Without tolerances ε is the rounding unit. The series is its own
/// dense output.
template <class S>
class Taylor final : public Stepper<S> {
 public:
  Taylor(const MethodDescription& description, const System<S>& system)
      : Stepper<S>(description),
        taylor_(system.taylor_series()),
        n_(system.size()),
        order_(order_for(std::numeric_limits<S>::epsilon())),
        rows_((order_ + 1) * n_),
        y_(n_),
        error_(n_),
        at_(n_) {}

  void set_tolerance(const S& relative, const S& absolute) override {
    relative_ = relative;
    absolute_ = absolute;
    // never above the order that memory was taken for
    order_ = std::min(rows_.size() / n_ - 1, order_for(std::fmax(relative, absolute)));
    at_.forget();
  }
  S propose(const S& t, std::span<const S> y, int direction) override {
    expand(t, y);
    S size(0);
    for (const S& entry : y) { size = std::fmax(size, std::fabs(entry)); }
    const double allowed = static_cast<double>(absolute_ + relative_ * size);
    const double last = reach(allowed, order_);
    const double before = reach(allowed, order_ - 1);
    const double length = std::fmin(last, before);
    return S(direction) * S(length);
  }

  StepStatus step(const S& t, const S& dt, std::span<S> y) override {
    expand(t, y);
    dt_ = dt;
    sum(dt, y_);
    this->bad_index_ = first_not_finite(y_);
    if (this->bad_index_ < n_) {
      at_.forget();
      return StepStatus::not_finite;
    }
    S power(1);
    for (std::size_t k = 0; k < order_; ++k) { power *= dt; }
    for (std::size_t i = 0; i < n_; ++i) { error_[i] = power * rows_[order_ * n_ + i]; }
    copy_row(y_, y);
    return StepStatus::ok;
  }
  std::span<const S> error_estimate() const override { return error_; }
  int error_order() const override { return static_cast<int>(order_) - 1; }
  bool interpolate(const S& theta, std::span<S> y) const override {
    sum(theta * dt_, y);
    return true;
  }
  void restart() override { at_.forget(); }

 private:
  static std::size_t order_for(const S& tolerance) {
    // ln ε from the binary exponent: the same on every build
    const double log2 = static_cast<double>(std::ilogb(tolerance));
    return static_cast<std::size_t>(std::ceil(1 - 0.65 * 0.6931471805599453 * log2));
  }
  void expand(const S& t, std::span<const S> y) {
    if (at_.is_at(t, y)) { return; }
    ++this->evaluations_;
    taylor_->coefficients(t, y, order_, std::span<S>(rows_).first((order_ + 1) * n_));
    at_.set(t, y);
  }
  void sum(const S& h, std::span<S> y) const {
    for (std::size_t i = 0; i < n_; ++i) { y[i] = rows_[order_ * n_ + i]; }
    for (std::size_t k = order_; k-- > 0;) {
      for (std::size_t i = 0; i < n_; ++i) { y[i] = y[i] * h + rows_[k * n_ + i]; }
    }
  }
  /// How far term k stays below what is allowed.
  double reach(double allowed, std::size_t k) const {
    S size(0);
    for (std::size_t i = 0; i < n_; ++i) { size = std::fmax(size, std::fabs(rows_[k * n_ + i])); }
    constexpr double kFar = 1e30;  // a term that vanishes sets no limit
    if (!(static_cast<double>(size) > allowed / kFar)) { return kFar; }
    return portable_power(allowed / static_cast<double>(size), 1.0 / static_cast<double>(k));
  }

  const TaylorSeries<S>* taylor_;
  std::size_t n_;
  std::size_t order_;
  std::vector<S> rows_;
  std::vector<S> y_;
  std::vector<S> error_;
  Point<S> at_;
  S dt_{};
  S relative_ = std::numeric_limits<S>::epsilon();
  S absolute_ = std::numeric_limits<S>::epsilon();
};

}  // namespace

void add_taylor(MethodList& list) {
  list.add({.name = "taylor",
            .summary = "Taylor series, order and step by the tolerance",
            .reference = "JorbaZou2005",
            .order = 0,
            .adaptive = true,
            .dense = true,
            .needs = {"Taylor series"}},
           Bind<Taylor>{});
}

}  // namespace polhode
