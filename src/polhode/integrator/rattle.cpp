#include "polhode/integrator/method.h"

#include <algorithm>

namespace polhode {
namespace {

/// RATTLE for a Hamiltonian H(q, p) that need not be separable, with constraints g(q) = 0, G = ∂g/∂q:
///
///   p½ = p − dt/2 (∂H/∂q(q, p½) + G(q)ᵀ λ)
///   q₁ = q + dt/2 (∂H/∂p(q, p½) + ∂H/∂p(q₁, p½)),   g(q₁) = 0
///   p₁ = p½ − dt/2 (∂H/∂q(q₁, p½) + G(q₁)ᵀ μ),   G(q₁) ∂H/∂p(q₁, p₁) = 0          (INT-15)
///
/// [HairerLubichWanner2006, section VII.1.3]. p½ and q₁ by fixed-point iteration, λ in the same rounds by Newton's
/// method with the matrix −dt²/2 G H_pp Gᵀ, whose H_pp Gᵀ is a difference of ∂H/∂p (exact where H is quadratic in p).
template <class S>
class Rattle final : public Stepper<S> {
 public:
  Rattle(const MethodDescription& description, const System<S>& system)
      : Stepper<S>(description),
        mechanics_(system.constrained_hamiltonian()),
        n_(mechanics_->coordinate_count()),
        m_(mechanics_->constraint_count()),
        p_half_(n_),
        q_new_(n_),
        p_new_(n_),
        dq_(n_),
        dp_old_(n_),
        dp_new_(n_),
        trial_(n_),
        G_old_(m_ * n_),
        G_new_(m_ * n_),
        lambda_(m_),
        g_(m_),
        matrix_(m_ * m_) {}

  StepStatus step(const S& t, const S& dt, std::span<S> y) override {
    const std::span<const S> q = y.first(n_);
    const std::span<const S> p = y.last(n_);
    const StepStatus first = solve_half(t, dt, q, p);
    if (first != StepStatus::ok) { return first; }

    mechanics_->dH_dq(t + dt, q_new_, p_half_, dq_);
    mechanics_->constraint_jacobian(q_new_, G_new_);
    for (std::size_t i = 0; i < n_; ++i) { p_new_[i] = p_half_[i] - dt / 2 * dq_[i]; }
    const StepStatus second = project_momentum(t + dt);
    if (second != StepStatus::ok) { return second; }
    std::copy(q_new_.begin(), q_new_.end(), y.begin());
    std::copy(p_new_.begin(), p_new_.end(), y.begin() + static_cast<std::ptrdiff_t>(n_));
    return StepStatus::ok;
  }

 private:
  using Verdict = typename RoundingStop<S>::Verdict;

  /// p½, q₁ and λ
  StepStatus solve_half(const S& t, const S& dt, std::span<const S> q, std::span<const S> p) {
    std::fill(lambda_.begin(), lambda_.end(), S(0));
    mechanics_->constraint_jacobian(q, G_old_);
    copy_row(p, p_half_);
    copy_row(q, q_new_);
    mechanics_->dH_dp(t, q, p, dp_old_);
    for (std::size_t i = 0; i < n_; ++i) { q_new_[i] += dt * dp_old_[i]; }
    // λ carries the rounding of g times 2/dt²; once it has settled it stays, so that p½ and q₁ settle to their own
    for (const bool settled : {false, true}) {
      RoundingStop<S> stop;
      S least_size(0);
      for (Verdict verdict = Verdict::go_on; verdict == Verdict::go_on;) {
        S change(0);
        mechanics_->dH_dq(t, q, p_half_, dq_);
        S largest = least_size;
        for (std::size_t i = 0; i < n_; ++i) {
          S force = dq_[i];
          for (std::size_t c = 0; c < m_; ++c) { force += G_old_[c * n_ + i] * lambda_[c]; }
          trial_[i] = p[i] - dt / 2 * force;
          largest = std::fmax(largest, std::fabs(trial_[i]));
        }
        if (const StepStatus status = take(trial_, p_half_, largest, n_, change); status != StepStatus::ok) {
          return status;
        }
        ++this->evaluations_;
        mechanics_->dH_dp(t, q, p_half_, dp_old_);
        mechanics_->dH_dp(t + dt, q_new_, p_half_, dp_new_);
        largest = S(0);
        for (std::size_t i = 0; i < n_; ++i) {
          trial_[i] = q[i] + dt / 2 * (dp_old_[i] + dp_new_[i]);
          largest = std::fmax(largest, std::fabs(trial_[i]));
        }
        if (const StepStatus status = take(trial_, q_new_, largest, 0, change); status != StepStatus::ok) {
          return status;
        }
        if (!settled) {
          if (!improve_multiplier(t, dt)) { return StepStatus::no_convergence; }
          least_size = momentum_to_move(dt);
        }
        verdict = stop.judge(change);
        if (verdict == Verdict::failed) { return StepStatus::no_convergence; }
      }
    }
    return StepStatus::ok;
  }

  /// λ ← λ − (∂g/∂λ)⁻¹ g
  bool improve_multiplier(const S& t, const S& dt) {
    mechanics_->constraint(q_new_, g_);
    mechanics_->constraint_jacobian(q_new_, G_new_);
    if (!inverse_mass(t + dt, q_new_, p_half_, G_old_)) { return false; }
    for (std::size_t c = 0; c < m_; ++c) { lambda_[c] += g_[c] / (dt * dt / 2); }
    return true;
  }

  /// The momentum that moves g by 1 in a step, |G| / (dt G H_pp Gᵀ): g is known to rounding of 1, and p½ to rounding of
  /// this, which a short step makes larger than p itself.
  S momentum_to_move(const S& dt) const {
    S size(0);
    for (std::size_t c = 0; c < m_; ++c) {
      for (std::size_t i = 0; i < n_; ++i) {
        size = std::fmax(size, std::fabs(G_old_[c * n_ + i] / (dt * matrix_[c * m_ + c])));
      }
    }
    return size;
  }

  /// old ← now; `change` grows to the largest change against `largest`
  StepStatus take(std::span<const S> now, std::span<S> old, const S& largest, std::size_t offset, S& change) {
    const std::size_t bad = first_not_finite(now);
    if (bad < now.size()) {
      this->bad_index_ = offset + bad;
      return StepStatus::not_finite;
    }
    for (std::size_t i = 0; i < now.size(); ++i) {
      const S difference = std::fabs(now[i] - old[i]);
      if (difference > S(0)) { change = std::fmax(change, difference / largest); }
      old[i] = now[i];
    }
    return StepStatus::ok;
  }

  /// p₁ ← p₁ − G(q₁)ᵀ μ with G(q₁) ∂H/∂p(q₁, p₁) = 0
  StepStatus project_momentum(const S& t) {
    constexpr int kMostRounds = 4;  // one is enough where H is quadratic in p, the second mends rounding
    for (int round = 0; round < kMostRounds; ++round) {
      ++this->evaluations_;
      mechanics_->dH_dp(t, q_new_, p_new_, dp_new_);
      for (std::size_t c = 0; c < m_; ++c) {
        g_[c] = S(0);
        for (std::size_t i = 0; i < n_; ++i) { g_[c] += G_new_[c * n_ + i] * dp_new_[i]; }
      }
      if (!inverse_mass(t, q_new_, p_new_, G_new_)) { return StepStatus::no_convergence; }
      for (std::size_t c = 0; c < m_; ++c) {
        for (std::size_t i = 0; i < n_; ++i) { p_new_[i] -= G_new_[c * n_ + i] * g_[c]; }
      }
    }
    const std::size_t bad = first_not_finite(p_new_);
    this->bad_index_ = n_ + bad;
    return bad < n_ ? StepStatus::not_finite : StepStatus::ok;
  }

  /// g ← (G₁ H_pp Gᵀ)⁻¹ g with G₁ = G_new and the rows of G, which are scaled to the size of p in the difference
  bool inverse_mass(const S& t, std::span<const S> q, std::span<const S> p, std::span<const S> G) {
    mechanics_->dH_dp(t, q, p, dp_new_);
    S size(0);
    for (const S& momentum : p) { size = std::fmax(size, std::fabs(momentum)); }
    if (!(size > S(0))) { size = S(1); }
    for (std::size_t c = 0; c < m_; ++c) {
      for (std::size_t i = 0; i < n_; ++i) { trial_[i] = p[i] + size * G[c * n_ + i]; }
      mechanics_->dH_dp(t, q, trial_, dp_old_);
      for (std::size_t d = 0; d < m_; ++d) {
        S sum(0);
        for (std::size_t i = 0; i < n_; ++i) { sum += G_new_[d * n_ + i] * (dp_old_[i] - dp_new_[i]); }
        matrix_[d * m_ + c] = sum / size;
      }
    }
    return eliminate();
  }

  /// Gauss elimination with row pivoting on matrix_ | g_
  bool eliminate() {
    const auto at = [&](std::size_t i, std::size_t j) -> S& { return matrix_[i * m_ + j]; };
    for (std::size_t k = 0; k < m_; ++k) {
      std::size_t pivot = k;
      for (std::size_t i = k + 1; i < m_; ++i) {
        if (std::fabs(at(i, k)) > std::fabs(at(pivot, k))) { pivot = i; }
      }
      if (!(std::fabs(at(pivot, k)) > S(0))) { return false; }
      if (pivot != k) {
        for (std::size_t j = 0; j < m_; ++j) { std::swap(at(k, j), at(pivot, j)); }
        std::swap(g_[k], g_[pivot]);
      }
      for (std::size_t i = k + 1; i < m_; ++i) {
        const S factor = at(i, k) / at(k, k);
        for (std::size_t j = k; j < m_; ++j) { at(i, j) -= factor * at(k, j); }
        g_[i] -= factor * g_[k];
      }
    }
    for (std::size_t k = m_; k-- > 0;) {
      for (std::size_t j = k + 1; j < m_; ++j) { g_[k] -= at(k, j) * g_[j]; }
      g_[k] /= at(k, k);
    }
    return true;
  }

  const ConstrainedHamiltonian<S>* mechanics_;
  std::size_t n_;
  std::size_t m_;
  std::vector<S> p_half_;
  std::vector<S> q_new_;
  std::vector<S> p_new_;
  std::vector<S> dq_;
  std::vector<S> dp_old_;
  std::vector<S> dp_new_;
  std::vector<S> trial_;
  std::vector<S> G_old_;  ///< at q, m_ rows
  std::vector<S> G_new_;  ///< at q₁
  std::vector<S> lambda_;
  std::vector<S> g_;
  std::vector<S> matrix_;
};

}  // namespace

void add_rattle(MethodList& list) {
  list.add({.name = "rattle",
            .summary = "RATTLE: symplectic, constraints kept to rounding",
            .reference = "HairerLubichWanner2006 section VII.1.3",
            .order = 2,
            .symmetric = true,
            .symplectic = true,
            .needs = {"constrained Hamiltonian"}},
           Bind<Rattle>{});
}

}  // namespace polhode
