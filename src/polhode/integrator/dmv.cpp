#include "polhode/integrator/method.h"
#include "polhode/math/error_free.h"
#include "polhode/math/matrix.h"
#include "polhode/math/small_solve.h"

namespace polhode {
namespace {

/// Discrete mechanics of Moser and Veselov, with torque: the variational integrator of a rotor. Momentum p = J' ω',
/// torque n'; the step turns the body by F = the rotation of f = (1; g)/√(1 + |g|²):
///
///   p½ = p + dt/2 n'(t, e)
///   J' g + g × J' g = ½ dt (1 + |g|²) p½                    (INT-13)
///   e ← e ∘ f,   p ← Fᵀ p½ + dt/2 n'(t + dt, e)             (INT-14)
///
/// INT-13 is F J_d − J_d Fᵀ = dt p̃½ with J_d = ½ tr(J') I − J' of [MoserVeselov1991], written in Euler parameters; the
/// torque enters by the trapezoidal rule as in [LeeLeokMcClamroch2007]. Solved by Newton's method in g.
template <class S>
class Dmv final : public Stepper<S> {
 public:
  Dmv(const MethodDescription& description, const System<S>& system)
      : Stepper<S>(description), rotor_(system.rotor()), end_(system.size()) {
    std::array<S, 9> J{};
    rotor_->inertia(J);
    for (std::size_t i = 0; i < 9; ++i) { J_B_(i / 3, i % 3) = J[i]; }
    J_inverse_B_ = inverse(J_B_);
  }

  StepStatus step(const S& t, const S& dt, std::span<S> y) override {
    end_.go_on_from(y);
    const Vec3<S> w_B{y[4], y[5], y[6]};
    const Vec3<S> kick = (dt / 2) * torque(t, y);
    const Vec3<S> p_half = J_B_ * w_B + kick;

    Vec3<S> g = (dt / 2) * w_B;
    if (!solve((dt / 2) * p_half, g)) {
      end_.forget();
      return failed(p_half);
    }
    const S length = math::sqrt(S(1) + norm_squared(g));
    const S f0 = S(1) / length;
    const Vec3<S> fv = f0 * g;
    // f0 − 1 without cancellation
    const std::array<S, 4> f_less_one{-norm_squared(g) / (length * (S(1) + length)), fv.x, fv.y, fv.z};
    rotor_->turn(end_.y(), end_.rest(), f_less_one);
    // all changes of p before J'⁻¹, so that its rounding does not pile up;  Fᵀ p − p = −2 (f0 f × p − f × (f × p))
    const Vec3<S> f_cross_p = cross(fv, p_half);
    const Vec3<S> change = kick - S(2) * (f0 * f_cross_p - cross(fv, f_cross_p));
    const Vec3<S> w_turned_B = w_B + J_inverse_B_ * change;
    for (std::size_t i = 0; i < 3; ++i) { end_.y()[4 + i] = w_turned_B[i]; }
    const Vec3<S> dp = change + (dt / 2) * torque(t + dt, end_.y());
    // corrected once: what J'⁻¹ has rounded away would turn every change in the same direction
    const Vec3<S> dw_B = J_inverse_B_ * dp;
    const Vec3<S> dw_rest_B = J_inverse_B_ * (dp - J_B_ * dw_B);
    for (std::size_t i = 0; i < 3; ++i) {
      S& w = end_.y()[4 + i];
      S& rest = end_.rest()[4 + i];
      w = w_B[i];
      math::add_carrying(w, rest, dw_B[i]);
      rest += dw_rest_B[i];
    }
    this->bad_index_ = first_not_finite(end_.y());
    if (this->bad_index_ < y.size()) {
      end_.forget();
      return StepStatus::not_finite;
    }
    copy_row(end_.y(), y);
    return StepStatus::ok;
  }
  void restart() override { end_.forget(); }

 private:
  Vec3<S> torque(const S& t, std::span<const S> y) {
    std::array<S, 3> n{};
    ++this->evaluations_;
    rotor_->torque(t, y, n);
    return {n[0], n[1], n[2]};
  }

  /// J g + g × J g − (1 + |g|²) m = 0, derivative J + g̃ J − (J g)~ − 2 m gᵀ
  bool solve(const Vec3<S>& m, Vec3<S>& g) const {
    RoundingStop<S> stop;
    for (;;) {
      const Vec3<S> Jg = J_B_ * g;
      const Vec3<S> r = Jg + cross(g, Jg) - (S(1) + norm_squared(g)) * m;
      Mat3<S> A = J_B_ + skew(g) * J_B_ - skew(Jg) - S(2) * outer(m, g);
      std::array<S, 3> d{-r.x, -r.y, -r.z};
      if (!std::isfinite(r.x + r.y + r.z) || !solve_in_place(A, d)) { return false; }
      const Vec3<S> step{d[0], d[1], d[2]};
      g = g + step;
      const S change = norm(step);
      switch (stop.judge(change > S(0) ? change / (norm(g) + change) : S(0))) {
        case RoundingStop<S>::Verdict::converged:
          return true;
        case RoundingStop<S>::Verdict::failed:
          return false;
        case RoundingStop<S>::Verdict::go_on:
          break;
      }
    }
  }
  StepStatus failed(const Vec3<S>& p_half) {
    for (std::size_t i = 0; i < 3; ++i) {
      if (!std::isfinite(p_half[i])) {
        this->bad_index_ = 4 + i;
        return StepStatus::not_finite;
      }
    }
    return StepStatus::no_convergence;
  }

  const Rotor<S>* rotor_;
  Mat3<S> J_B_{};
  Mat3<S> J_inverse_B_{};
  CarriedState<S> end_;
};

}  // namespace

void add_dmv(MethodList& list) {
  list.add({.name = "dmv",
            .summary = "discrete Moser-Veselov, variational, torque by the trapezoidal rule",
            .reference = "MoserVeselov1991; LeeLeokMcClamroch2007",
            .order = 2,
            .symmetric = true,
            .symplectic = true,
            .needs = {"rotor"}},
           Bind<Dmv>{});
}

}  // namespace polhode
