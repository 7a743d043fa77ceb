#include "polhode/integrator/explicit_runge_kutta.h"
#include "polhode/integrator/tableaux.h"

namespace polhode {
namespace {

/// Dormand and Prince 8(5,3). Two estimates, of orders 5 and 3, are joined into one that behaves as order 7:
///
///   e = e5² / √(e5² + e3²/100)                                                           (INT-5)
///
/// Dense output of order 7 from four more slopes, which are evaluated when first asked for:
///
///   y(t + θ dt) = y0 + θ (Δ + θ̄ (r3 + θ (r4 + θ̄ (r5 + θ (r6 + θ̄ (r7 + θ r8))))))          (INT-6)
///   Δ = y1 − y0,  θ̄ = 1 − θ,  r3 = dt k1 − Δ,  r4 = Δ − dt k13 − r3,  r_{5+i} = dt Σ d_ij k_j
template <class S, std::size_t N>
class Dop853 final : public ExplicitRungeKutta<S, N, Dop853Tableau> {
  using Base = ExplicitRungeKutta<S, N, Dop853Tableau>;

 public:
  Dop853(const MethodDescription& description, const System<S>& system)
      : Base(description, system), r_(rows<S, N, 4>(system.size())) {}

  std::span<const S> error_estimate() const override { return this->error_; }
  int error_order() const override { return 7; }

  bool interpolate(const S& theta, std::span<S> y) const override {
    if (!dense_ready_) { prepare_dense(); }
    const S rest = S(1) - theta;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const S change = this->y_end_[i] - this->y_start_[i];
      const S r3 = this->dt_ * this->k_[0][i] - change;
      const S r4 = change - this->dt_ * this->k_[12][i] - r3;
      const S inner = r_[0][i] + theta * (r_[1][i] + rest * (r_[2][i] + theta * r_[3][i]));
      y[i] = this->y_start_[i] + theta * (change + rest * (r3 + theta * (r4 + rest * inner)));
    }
    return true;
  }

 private:
  struct Error5Weights {
    static constexpr std::size_t count = 12;
    static constexpr long double at(std::size_t j) { return Dop853Tableau::error5[j]; }
  };
  struct Error3Weights {
    static constexpr std::size_t count = 12;
    static constexpr long double at(std::size_t j) { return Dop853Tableau::b[j] - Dop853Tableau::low3[j]; }
  };
  template <std::size_t I>
  struct DenseWeights {
    static constexpr std::size_t count = 16;
    static constexpr long double at(std::size_t j) { return Dop853Tableau::dense[I][j]; }
  };

  void estimate_error() override {
    dense_ready_ = false;
    for (std::size_t i = 0; i < this->error_.size(); ++i) {
      const S e5 = std::fabs(weighted_sum<Error5Weights>(this->dt_, this->k_, i));
      const S e3 = std::fabs(weighted_sum<Error3Weights>(this->dt_, this->k_, i));
      // scaled by the larger, so that no square underflows; where both are zero, by 1: a compiler that takes several
      // entries at once divides in all of them
      const S low = S(0.1L) * e3;
      const S larger = std::fmax(e5, low);
      const bool nothing = larger == S(0);
      const S scale = nothing ? S(1) : larger;
      const S r5 = e5 / scale;
      const S r3 = low / scale;
      const S square = nothing ? S(1) : r5 * r5 + r3 * r3;
      this->error_[i] = e5 * (r5 / std::sqrt(square));
    }
  }
  void prepare_dense() const {
    if (!this->end_slope_known_) {
      this->evaluate(this->t_ + this->dt_, this->y_end_, this->k_[12]);
      this->end_slope_known_ = true;
    }
    this->template slope_of_stage<13>();
    this->template slope_of_stage<14>();
    this->template slope_of_stage<15>();
    for (std::size_t i = 0; i < this->error_.size(); ++i) {
      r_[0][i] = weighted_sum<DenseWeights<0>>(this->dt_, this->k_, i);
      r_[1][i] = weighted_sum<DenseWeights<1>>(this->dt_, this->k_, i);
      r_[2][i] = weighted_sum<DenseWeights<2>>(this->dt_, this->k_, i);
      r_[3][i] = weighted_sum<DenseWeights<3>>(this->dt_, this->k_, i);
    }
    dense_ready_ = true;
  }

  mutable std::array<StateArray<S, N>, 4> r_;
  mutable bool dense_ready_ = false;
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
