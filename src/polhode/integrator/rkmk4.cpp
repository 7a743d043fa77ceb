#include "polhode/integrator/method.h"
#include "polhode/integrator/tableaux.h"

namespace polhode {
namespace {

/// Runge-Kutta-Munthe-Kaas: the classical method for a(t) with y(t) = y · exp(a(t)), a(0) = 0,
///
///   k_i = dexp⁻¹_{u_i} ξ(t + c_i dt, y · exp(u_i)),  u_i = dt Σ_j a_ij k_j,   y ← y · exp(dt Σ b_i k_i)   (INT-10)
///
/// [MuntheKaas1999]
template <class S>
class Rkmk4 final : public Stepper<S> {
  static constexpr std::size_t kStages = Rk4Tableau::stages;

 public:
  Rkmk4(const MethodDescription& description, const System<S>& system)
      : Stepper<S>(description),
        group_(system.group_action()),
        y_(system.size()),
        u_(group_->algebra_size()),
        xi_(u_.size()) {
    for (auto& k : k_) { k.assign(u_.size(), S(0)); }
  }

  StepStatus step(const S& t, const S& dt, std::span<S> y) override {
    for (std::size_t i = 0; i < kStages; ++i) {
      combine(dt, Rk4Tableau::a[i], i);
      copy_row(y, y_);
      group_->act(y_, u_);
      ++this->evaluations_;
      group_->algebra(t + S(Rk4Tableau::c[i]) * dt, y_, xi_);
      group_->dexp_inverse(u_, xi_, k_[i]);
    }
    combine(dt, Rk4Tableau::b, kStages);
    copy_row(y, y_);
    group_->act(y_, u_);
    this->bad_index_ = first_not_finite(y_);
    if (this->bad_index_ < y_.size()) { return StepStatus::not_finite; }
    copy_row(y_, y);
    return StepStatus::ok;
  }

 private:
  void combine(const S& dt, const long double (&weights)[kStages], std::size_t count) {
    for (std::size_t i = 0; i < u_.size(); ++i) {
      S sum(0);
      for (std::size_t j = 0; j < count; ++j) { sum += S(weights[j]) * k_[j][i]; }
      u_[i] = dt * sum;
    }
  }

  const GroupAction<S>* group_;
  std::vector<S> y_;
  std::vector<S> u_;
  std::vector<S> xi_;
  std::array<std::vector<S>, kStages> k_;
};

}  // namespace

void add_rkmk4(MethodList& list) {
  list.add({.name = "rkmk4",
            .summary = "Runge-Kutta-Munthe-Kaas method on the group",
            .reference = "MuntheKaas1999",
            .order = 4,
            .needs = {"group action"}},
           Bind<Rkmk4>{});
}

}  // namespace polhode
