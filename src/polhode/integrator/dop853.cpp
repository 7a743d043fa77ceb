#include "polhode/integrator/explicit_runge_kutta.h"

namespace polhode {
namespace {

/// Dormand and Prince 8(5,3), with the error estimate of (INT-5). Dense output of order 7 from four more slopes, which
/// are evaluated when first asked for:
///
///   y(t + θ dt) = y0 + θ (Δ + θ̄ (r3 + θ (r4 + θ̄ (r5 + θ (r6 + θ̄ (r7 + θ r8))))))          (INT-6)
///   Δ = y1 − y0,  θ̄ = 1 − θ,  r3 = dt k1 − Δ,  r4 = Δ − dt k13 − r3,  r_{5+i} = dt Σ d_ij k_j
template <class S, std::size_t N>
class Dop853 final : public AdaptiveRungeKutta<S, N, Dop853Tableau> {
  using Base = AdaptiveRungeKutta<S, N, Dop853Tableau>;

 public:
  Dop853(const MethodDescription& description, const System<S>& system)
      : Base(description, system), r_(rows<S, N, 4>(system.size())) {}

  bool interpolate(const S& theta, std::span<S> y) const override {
    if (!this->dense_ready_) { prepare_dense(); }
    const S rest = S(1) - theta;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const S change = this->y_end_[i] - this->y_start_[i];
      const S r3 = this->dt_ * this->k(0, i) - change;
      const S r4 = change - this->dt_ * this->k(12, i) - r3;
      const S inner = r_[0][i] + theta * (r_[1][i] + rest * (r_[2][i] + theta * r_[3][i]));
      y[i] = this->y_start_[i] + theta * (change + rest * (r3 + theta * (r4 + rest * inner)));
    }
    return true;
  }

 private:
  template <std::size_t I>
  struct DenseWeights {
    static constexpr std::size_t count = 16;
    static constexpr long double at(std::size_t j) { return Dop853Tableau::dense[I][j]; }
  };

  void prepare_dense() const {
    if (!this->end_slope_known_) {
      this->evaluate(this->t_ + this->dt_, this->y_end_, 12);
      this->end_slope_known_ = true;
    }
    this->template slope_of_stage<13>();
    this->template slope_of_stage<14>();
    this->template slope_of_stage<15>();
    for (std::size_t i = 0; i < this->error_.size(); ++i) {
      r_[0][i] = kernel::weighted_sum<DenseWeights<0>>(this->dt_, this->entry(i));
      r_[1][i] = kernel::weighted_sum<DenseWeights<1>>(this->dt_, this->entry(i));
      r_[2][i] = kernel::weighted_sum<DenseWeights<2>>(this->dt_, this->entry(i));
      r_[3][i] = kernel::weighted_sum<DenseWeights<3>>(this->dt_, this->entry(i));
    }
    this->dense_ready_ = true;
  }

  mutable std::array<StateArray<S, N>, 4> r_;
};

}  // namespace

void add_dop853(MethodList& list) {
  list.add({.name = "dop853",
            .summary = "Dormand and Prince 8(5,3), dense output of order 7",
            .reference = "HairerNorsettWanner1993 section II.5",
            .order = 8,
            .adaptive = true,
            .dense = true,
            .needs = {}},
           BindBySize<Dop853>{});
}

}  // namespace polhode
