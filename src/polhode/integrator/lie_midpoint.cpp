#include "polhode/integrator/method.h"

namespace polhode {
namespace {

/// Implicit midpoint rule on the group:
///
///   a = dt ξ(t + dt/2, y · exp(a/2)),   y ← y · exp(a)          (INT-9) [HairerLubichWanner2006, section IV.8]
///
/// Symmetric: y and y · exp(a) are half a step either side of the same midpoint.
template <class S>
class LieMidpoint final : public Stepper<S> {
 public:
  LieMidpoint(const MethodDescription& description, const System<S>& system)
      : Stepper<S>(description),
        group_(system.group_action()),
        y_(system.size()),
        a_(group_->algebra_size()),
        half_(a_.size()),
        xi_(a_.size()) {}

  StepStatus step(const S& t, const S& dt, std::span<S> y) override {
    ++this->evaluations_;
    group_->algebra(t, y, xi_);
    for (std::size_t i = 0; i < a_.size(); ++i) { a_[i] = dt * xi_[i]; }
    RoundingStop<S> stop;
    auto verdict = RoundingStop<S>::Verdict::go_on;
    while (verdict == RoundingStop<S>::Verdict::go_on) {
      if (first_not_finite(a_) < a_.size()) { break; }
      for (std::size_t i = 0; i < a_.size(); ++i) { half_[i] = a_[i] / 2; }
      copy_row(y, y_);
      group_->act(y_, half_);
      ++this->evaluations_;
      group_->algebra(t + dt / 2, y_, xi_);
      S change(0);
      S largest(0);
      for (std::size_t i = 0; i < a_.size(); ++i) {
        const S a = dt * xi_[i];
        change = std::fmax(change, std::fabs(a - a_[i]));
        largest = std::fmax(largest, std::fabs(a));
        a_[i] = a;
      }
      verdict = stop.judge(change > S(0) ? change / largest : S(0));
    }
    if (first_not_finite(a_) < a_.size()) {
      this->bad_index_ = first_not_finite(a_);
      return StepStatus::not_finite;
    }
    if (verdict == RoundingStop<S>::Verdict::failed) { return StepStatus::no_convergence; }
    copy_row(y, y_);
    group_->act(y_, a_);
    this->bad_index_ = first_not_finite(y_);
    if (this->bad_index_ < y_.size()) { return StepStatus::not_finite; }
    copy_row(y_, y);
    return StepStatus::ok;
  }

 private:
  const GroupAction<S>* group_;
  std::vector<S> y_;
  std::vector<S> a_;
  std::vector<S> half_;
  std::vector<S> xi_;
};

}  // namespace

void add_lie_midpoint(MethodList& list) {
  list.add({.name = "lie-midpoint",
            .summary = "implicit midpoint rule on the group",
            .reference = "HairerLubichWanner2006 section IV.8",
            .order = 2,
            .symmetric = true,
            .needs = {"group action"}},
           Bind<LieMidpoint>{});
}

}  // namespace polhode
