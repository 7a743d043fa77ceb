#include "polhode/integrator/method.h"
#include "polhode/integrator/rough_power.h"

#include <algorithm>

namespace polhode {
namespace {

/// Taylor series of the solution, y(t + h) = Σ y_k hᵏ. Order and step by the tolerance ε [JorbaZou2005]:
///
///   p = 2 ⌈(1 − 0.8 ln ε)/2⌉,   h = min(|y_{p−1}|^{−1/(p−1)}, |y_p|^{−1/p}),   |y_k| = max_i |y_k,i|/s_i (INT-18)
///   s_i = absolute + relative |y_i|
///
/// In no entry is a last term larger than the error allowed there. (½ in place of 0.8 in the paper: best for long
/// series, while a step here has a price of its own; measured in docs/theory/integrators.md.) Without tolerances ε is
/// the rounding unit. The series is its own dense output.
///
/// A series made of recorded operations goes on beyond an edge of a root or an angle, |v| of drag at rest say, where
/// the motion does not: in the middle and at the end of a step its slope is held against f. What they differ by, dt (f
/// − Σ k y_k h^{k−1})/(p + 1), which is a further term of the series where it holds, counts as error.
template <class S, std::size_t N>
class Taylor final : public Stepper<S> {
 public:
  Taylor(const MethodDescription& description, const System<S>& system)
      : Stepper<S>(description),
        system_(&system),
        taylor_(system.taylor_series()),
        order_(order_for(std::numeric_limits<S>::epsilon())),
        y_(system.size()),
        most_order_(order_),
        width_(system.size() + taylor_->auxiliary_size()),
        rows_((order_ + 1) * width_),
        weight_(system.size()),
        error_(system.size()),
        defect_(system.size()),
        inside_(system.size()),
        slope_(system.size()),
        odd_(N > 0 ? 0 : system.size()),
        at_(system.size()) {}

  void set_tolerance(const S& relative, const S& absolute) override {
    relative_ = relative;
    absolute_ = absolute;
    order_ = std::min(most_order_, order_for(std::fmax(relative, absolute)));
    at_.forget();
  }
  S propose(const S& t, std::span<const S> y, int direction) override {
    // divisions first: they pass while the series is made
    constexpr S kHuge = S(1e30);  // an entry that is zero and may not err has to stay zero
    for (std::size_t i = 0; i < y_.size(); ++i) {
      const S allowed = absolute_ + relative_ * std::fabs(y[i]);
      weight_[i] = allowed > S(0) ? S(1) / allowed : kHuge;
    }
    expand(t, y);
    const double log2 = std::min(log2_reach(order_), log2_reach(order_ - 1));
    const auto length = static_cast<S>(rough_exp2(log2));
    reach_ = log2 < kFar ? length : S(0);
    return S(direction) * length;
  }

  StepStatus step(const S& t, const S& dt, std::span<S> y) override {
    expand(t, y);
    dt_ = dt;
    if (is_recorded()) {
      for (S& one : defect_) { one = S(0); }
      look_for_edge(t, S(0.5) * dt);
      look_for_edge(t, dt);
    }
    if constexpr (N > 0) {
      std::array<S, N> value;
      return finish(value, y);
    } else {
      return finish(y_, y);
    }
  }
  /// The last term.
  std::span<const S> error_estimate() const override {
    S power(1);
    for (std::size_t k = 0; k < order_; ++k) { power *= dt_; }
    const S* last = row(order_);
    for (std::size_t i = 0; i < error_.size(); ++i) { error_[i] = power * last[i]; }
    if (is_recorded()) {
      for (std::size_t i = 0; i < error_.size(); ++i) { error_[i] = std::fmax(std::fabs(error_[i]), defect_[i]); }
    }
    return error_;
  }
  int error_order() const override { return static_cast<int>(order_) - 1; }
  /// No longer than what propose found from the same series.
  bool keeps_tolerance() const override { return std::fabs(dt_) <= reach_ && !is_recorded(); }
  bool interpolate(const S& theta, std::span<S> y) const override {
    sum(theta * dt_, y);
    return true;
  }
  void restart() override { at_.forget(); }
  /// A root or a quotient of zero has a value, perhaps, and no series: |ω'| ω' at rest.
  std::string trouble() const override {
    for (std::size_t k = 2; k <= order_; ++k) {
      for (std::size_t i = 0; i < y_.size(); ++i) {
        if (std::isfinite(row(k)[i])) { continue; }
        return "its Taylor series ends at order " + std::to_string(k - 1) +
               ": a law takes a root of zero, or divides by zero, here; try 'dop853'";
      }
    }
    return {};
  }

 private:
  static constexpr double kOrderFactor = 0.8;
  static constexpr double kFar = 100;  ///< log2 of a length without limit: the last terms vanish

  /// Even, as the sum wants it, and never so low that the last terms say nothing.
  static std::size_t order_for(const S& tolerance) {
    // ln ε from the binary exponent: the same on every build
    const double log2 = static_cast<double>(std::ilogb(tolerance));
    const double half = 0.5 * (1 - kOrderFactor * 0.6931471805599453 * log2);
    return 2 * static_cast<std::size_t>(std::ceil(std::fmax(half, 2.0)));
  }
  const S* row(std::size_t k) const { return rows_.data() + k * y_.size(); }
  /// Series of polynomials need no further functions, or those of a gravity gradient, and have no edges.
  bool is_recorded() const { return width_ > y_.size(); }
  /// What the slope of the series at t + h and the right side differ by, into defect_, as far as it is the larger.
  void look_for_edge(const S& t, const S& h) {
    sum(h, std::span<S>(inside_));
    ++this->evaluations_;
    system_->rhs(t + h, inside_, slope_);
    const S share = std::fabs(dt_) / S(static_cast<double>(order_ + 1));
    for (std::size_t i = 0; i < defect_.size(); ++i) {
      S derivative(0);
      for (std::size_t k = order_; k > 0; --k) { derivative = derivative * h + S(static_cast<double>(k)) * row(k)[i]; }
      defect_[i] = std::fmax(defect_[i], share * std::fabs(slope_[i] - derivative));
    }
  }
  void expand(const S& t, std::span<const S> y) {
    if (at_.is_at(t, y)) { return; }
    ++this->evaluations_;
    reach_ = S(0);
    taylor_->coefficients(t, y, order_, std::span<S>(rows_).first((order_ + 1) * width_));
    at_.set(t, y);
  }
  template <class Value>
  StepStatus finish(Value& value, std::span<S> y) {
    sum(dt_, value);
    this->bad_index_ = first_not_finite(value);
    if (this->bad_index_ < y.size()) {
      at_.forget();
      return StepStatus::not_finite;
    }
    copy_row(value, y);
    return StepStatus::ok;
  }
  /// y ← Σ y_k hᵏ
  void sum(const S& h, std::span<S> y) const {
    if constexpr (N > 0) {
      std::array<S, N> even;  // these stay in registers
      std::array<S, N> odd;
      sum_into(h, even, odd);
      copy_row(even, y);
    } else {
      sum_into(h, y, odd_);
    }
  }
  /// Even and odd powers apart, so that half as many operations wait for one another.
  template <class Even, class Odd>
  void sum_into(const S& h, Even& even, Odd& odd) const {
    const std::size_t n = y_.size();
    const S square = h * h;
    for (std::size_t i = 0; i < n; ++i) {
      even[i] = row(order_)[i];
      odd[i] = row(order_ - 1)[i];
    }
    for (std::size_t k = order_ - 2; k > 0; k -= 2) {
      const S* to_even = row(k);
      const S* to_odd = row(k - 1);
      for (std::size_t i = 0; i < n; ++i) {
        even[i] = even[i] * square + to_even[i];
        odd[i] = odd[i] * square + to_odd[i];
      }
    }
    // what is small first: one rounding of the size of y
    for (std::size_t i = 0; i < n; ++i) { even[i] = row(0)[i] + (even[i] * square + odd[i] * h); }
  }
  /// log2 of how far term k stays below what is allowed, entry by entry.
  double log2_reach(std::size_t k) const {
    const double share = 1.0 / static_cast<double>(k);
    const S* term = row(k);
    const auto larger = [](const S& a, const S& b) { return a < b ? b : a; };
    std::array<S, 4> largest{};  // four at a time: fewer wait for one another
    for (std::size_t i = 0; i < y_.size(); ++i) {
      largest[i % 4] = larger(largest[i % 4], std::fabs(term[i]) * weight_[i]);
    }
    const double size = static_cast<double>(larger(larger(largest[0], largest[1]), larger(largest[2], largest[3])));
    if (!(size > 1e-300)) { return kFar; }
    // beyond is no step that ends well
    return size < 1e300 ? -rough_log2(size) * share : -kFar;
  }

  const System<S>* system_;
  const TaylorSeries<S>* taylor_;
  std::size_t order_;
  StateArray<S, N> y_;
  std::size_t most_order_;  ///< that memory was taken for
  std::size_t width_;       ///< of a row, with what the series needs besides y
  std::vector<S> rows_;
  StateArray<S, N> weight_;
  mutable StateArray<S, N> error_;
  std::vector<S> defect_;
  std::vector<S> inside_;
  std::vector<S> slope_;
  mutable StateArray<S, 0> odd_;  ///< scratch where the size is not known beforehand
  Point<S> at_;
  S dt_{};
  S reach_{};  ///< length found by propose for the series as it stands; 0: none
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
           BindBySize<Taylor>{});
}

}  // namespace polhode
