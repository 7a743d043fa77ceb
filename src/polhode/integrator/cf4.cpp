#include "polhode/integrator/method.h"

namespace polhode {
namespace {

/// Commutator-free method of order 4 with two exponentials at the end, one of them shared by two stages:
///
///   ξ1 = ξ(t, y)
///   ξ2 = ξ(t + dt/2, y2),  y2 = y · exp(dt ξ1/2)
///   ξ3 = ξ(t + dt/2, y · exp(dt ξ2/2))
///   ξ4 = ξ(t + dt, y2 · exp(dt (ξ3 − ξ1/2)))
///   y ← y · exp(dt (3 ξ1 + 2 ξ2 + 2 ξ3 − ξ4)/12) · exp(dt (−ξ1 + 2 ξ2 + 2 ξ3 + 3 ξ4)/12)          (INT-11)
///
/// [CelledoniMarthinsenOwren2003]
template <class S>
class Cf4 final : public Stepper<S> {
 public:
  Cf4(const MethodDescription& description, const System<S>& system)
      : Stepper<S>(description), group_(system.group_action()), y_(system.size()), y2_(system.size()) {
    for (auto& xi : xi_) { xi.assign(group_->algebra_size(), S(0)); }
    a_.assign(group_->algebra_size(), S(0));
  }

  StepStatus step(const S& t, const S& dt, std::span<S> y) override {
    const S half = dt / 2;
    this->evaluations_ += 4;
    group_->algebra(t, y, xi_[0]);

    copy_row(y, y2_);
    exponent(half, 1, 0, 0, 0);
    group_->act(y2_, a_);
    group_->algebra(t + half, y2_, xi_[1]);

    copy_row(y, y_);
    exponent(half, 0, 1, 0, 0);
    group_->act(y_, a_);
    group_->algebra(t + half, y_, xi_[2]);

    exponent(half, -1, 0, 2, 0);
    group_->act(y2_, a_);
    group_->algebra(t + dt, y2_, xi_[3]);

    copy_row(y, y_);
    exponent(dt / 12, 3, 2, 2, -1);
    group_->act(y_, a_);
    exponent(dt / 12, -1, 2, 2, 3);
    group_->act(y_, a_);
    this->bad_index_ = first_not_finite(y_);
    if (this->bad_index_ < y_.size()) {
      for (auto& xi : xi_) { xi.assign(xi.size(), S(0)); }  // 0 times a kept NaN would be NaN
      return StepStatus::not_finite;
    }
    copy_row(y_, y);
    return StepStatus::ok;
  }

 private:
  void exponent(const S& dt, int w1, int w2, int w3, int w4) {
    for (std::size_t i = 0; i < a_.size(); ++i) {
      a_[i] = dt * (S(w1) * xi_[0][i] + S(w2) * xi_[1][i] + S(w3) * xi_[2][i] + S(w4) * xi_[3][i]);
    }
  }

  const GroupAction<S>* group_;
  std::vector<S> y_;
  std::vector<S> y2_;
  std::vector<S> a_;
  std::array<std::vector<S>, 4> xi_;
};

}  // namespace

void add_cf4(MethodList& list) {
  list.add({.name = "cf4",
            .summary = "commutator-free method on the group",
            .reference = "CelledoniMarthinsenOwren2003",
            .order = 4,
            .needs = {"group action"}},
           Bind<Cf4>{});
}

}  // namespace polhode
