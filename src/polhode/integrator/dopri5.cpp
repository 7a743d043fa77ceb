#include "polhode/integrator/explicit_runge_kutta.h"

namespace polhode {
namespace {

/// Dormand and Prince 5(4), the last slope of a step is the first of the next; continuous extension of order 4:
///
///   y(t + θ dt) = y0 + θ (Δ + (1 − θ)(r3 + θ (r4 + (1 − θ) r5)))                        (INT-4)
///   Δ = y1 − y0,  r3 = dt k1 − Δ,  r4 = Δ − dt k7 − r3,  r5 = dt Σ d_j k_j
template <class S, std::size_t N>
class Dopri5 final : public AdaptiveRungeKutta<S, N, Dopri5Tableau> {
 public:
  using AdaptiveRungeKutta<S, N, Dopri5Tableau>::AdaptiveRungeKutta;

  bool interpolate(const S& theta, std::span<S> y) const override {
    const S rest = S(1) - theta;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const S change = this->y_end_[i] - this->y_start_[i];
      const S r3 = this->dt_ * this->k(0, i) - change;
      const S r4 = change - this->dt_ * this->k(6, i) - r3;
      const S r5 = kernel::weighted_sum<DenseWeights>(this->dt_, this->entry(i));
      y[i] = this->y_start_[i] + theta * (change + rest * (r3 + theta * (r4 + rest * r5)));
    }
    return true;
  }

 private:
  struct DenseWeights {
    static constexpr std::size_t count = 7;
    static constexpr long double at(std::size_t j) { return Dopri5Tableau::dense[j]; }
  };
};

}  // namespace

void add_dopri5(MethodList& list) {
  list.add({.name = "dopri5",
            .summary = "Dormand and Prince 5(4)",
            .reference = "DormandPrince1980; HairerNorsettWanner1993 section II.5",
            .order = 5,
            .adaptive = true,
            .dense = true,
            .needs = {}},
           BindBySize<Dopri5>{});
}

}  // namespace polhode
