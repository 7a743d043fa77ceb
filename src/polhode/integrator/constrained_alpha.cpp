#include "polhode/integrator/generalised_alpha.h"
#include "polhode/integrator/method.h"

#include "polhode/math/block_lu.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <vector>

namespace polhode {
namespace {

using Numbers = std::vector<double>;

/// The generalised-α method on the group, for constraints of index 3 and of stabilised index 2
/// [BrulsCardonaArnold2012; ArnoldBrulsCardona2015]. Second order, for constant steps.
///
///   x₁ = x₀ · exp(h Δ),   Δ = v₀ + (½ − β) h a₀ + β h a₁   (− M⁻¹ Cᵀ η/h, index 2)      (MEC-34)
///   v₁ = v₀ + (1 − γ) h a₀ + γ h a₁
///   (1 − α_m) a₁ + α_m a₀ = (1 − α_f) v̇₁ + α_f v̇₀
///   M v̇₁ + Cᵀ λ = f(x₁, v₁),   Φ(x₁) = 0   (and C v₁ = rate, index 2)
///
/// v̇ is the acceleration, a a helper of the method. Rows of velocities alone stand as C v₁ = rate with index 3 too.
/// Newton's method has the exact matrix, sparse, and keeps it as long as it converges well (MEC-43).
class ConstrainedAlpha final : public Stepper<double> {
 public:
  ConstrainedAlpha(const MethodDescription& description, const System<double>& system,
                   const ConstrainedAlphaOptions& options)
      : Stepper<double>(description),
        second_(system.second_order()),
        constraints_(system.constraints()),
        options_(options),
        on_positions_(constraints_->on_positions()),
        n_(second_->velocity_size()),
        m_(constraints_->row_count()),
        alpha_m_((2 * options.rho_inf - 1) / (options.rho_inf + 1)),
        alpha_f_(options.rho_inf / (options.rho_inf + 1)),
        gamma_(0.5 + alpha_f_ - alpha_m_),
        beta_(0.25 * (gamma_ + 0.5) * (gamma_ + 0.5)),
        enough_(options.tolerance * constraints_->typical_length()),
        mass_(constraints_->typical_mass()),
        y0_(system.size()),
        y1_(system.size()),
        v0_(n_),
        a0_(n_),
        vdot0_(n_),
        lambda0_(m_),
        now_{Numbers(n_), Numbers(m_), Numbers(m_)},
        vdot_(n_),
        moved_(n_),
        along_(n_),
        numbers_(n_),
        phi_(m_),
        speed_(m_),
        C0_(constraints_->empty_rows()),
        C_(C0_),
        left_(size()),
        scale_(size()),
        by_velocity_(n_),
        is_reached_(n_),
        end_(system.size()) {
    reached_.reserve(n_);
    prepare();
  }

  StepStatus step(const double& t, const double& dt, std::span<double> y) override {
    if (!is_prepared_) { prepare(); }
    copy_row(y, y0_);
    second_->velocity(y0_, v0_);
    if (!end_.is_at(y)) {
      ++evaluations_;
      second_->acceleration(t, y0_, vdot0_);
      a0_ = vdot0_;
      std::fill(lambda0_.begin(), lambda0_.end(), 0.0);
      factored_for_ = 0;
    }
    end_.forget();
    constraints_->rows(t, y0_, phi_, speed_, C0_);
    const int rounds = solve(t, dt);
    if (rounds == 0) {
      factored_for_ = 0;
      return StepStatus::no_convergence;
    }
    residual(t, dt, now_);
    copy_row(y1_, y);
    vdot_of(now_.a, vdot_);
    std::swap(vdot0_, vdot_);
    std::swap(a0_, now_.a);
    std::swap(lambda0_, now_.lambda);
    if (rounds > 6) { factored_for_ = 0; }
    end_.set(t + dt, y);
    return StepStatus::ok;
  }
  /// What the system is made of may have changed as well.
  void restart() override {
    end_.forget();
    is_prepared_ = false;
  }

  std::string trouble() const override {
    std::size_t worst = m_;
    double open = enough_;  // what is less is closed
    for (std::size_t r = 0; r < m_; ++r) {
      if (std::fabs(phi_[r]) > open || std::isnan(phi_[r])) {
        open = std::fabs(phi_[r]);
        worst = r;
      }
    }
    std::array<char, 60> text{};
    std::snprintf(text.data(), text.size(), " is open by %.3g m", open);
    return worst == m_ ? std::string("the equations of motion do not balance")
                       : constraints_->row_name(worst) + text.data();
  }

 private:
  /// What one step solves for.
  struct Unknowns {
    Numbers a, lambda, eta;
  };

  /// Where entries of the matrix are, and the order of its elimination.
  void prepare() {
    linear_ = constraints_->linearised();
    velocity_of_.assign(y0_.size(), n_);
    std::vector<std::size_t> blocks;
    for (std::size_t i = 0; i < n_; ++i) {
      const std::size_t entry = linear_->velocity_entries()[i];
      velocity_of_[entry] = i;
      blocks.push_back(linear_->block_of_entry()[entry]);
    }
    reach0_ = linear_->reach();
    find_transposed(linear_->C());
    assembly_.emplace(size());
    assemble(1);
    std::vector<bool> may_be_redundant(size(), true);
    std::fill(may_be_redundant.begin(), may_be_redundant.begin() + static_cast<std::ptrdiff_t>(n_), false);
    for (std::size_t sets = 0; sets < (two() ? 2U : 1U); ++sets) {
      blocks.insert(blocks.end(), linear_->block_of_row().begin(), linear_->block_of_row().end());
    }
    factor_.emplace(assembly_->matrix(), blocks, may_be_redundant);
    factored_for_ = 0;
    is_prepared_ = true;
  }

  bool two() const { return options_.index == ConstrainedIndex::two; }
  std::size_t size() const { return n_ + m_ + (two() ? m_ : 0); }
  double force_scale(double dt) const { return beta_ * dt * dt / mass_; }

  void vdot_of(const Numbers& a, Numbers& vdot) const {
    for (std::size_t i = 0; i < n_; ++i) {
      vdot[i] = ((1 - alpha_m_) * a[i] + alpha_m_ * a0_[i] - alpha_f_ * vdot0_[i]) / (1 - alpha_f_);
    }
  }

  /// The state at the end of the step into y1_, moved by along_; η moves positions by −M⁻¹ Cᵀ η, C of the step's start.
  void end_state(double dt, const Unknowns& u) {
    for (std::size_t i = 0; i < n_; ++i) { along_[i] = dt * (v0_[i] + dt * ((0.5 - beta_) * a0_[i] + beta_ * u.a[i])); }
    if (two()) {
      std::fill(numbers_.begin(), numbers_.end(), 0.0);
      C0_.add_transposed(u.eta, 1, numbers_);
      constraints_->over_mass(numbers_, moved_);
      for (std::size_t i = 0; i < n_; ++i) { along_[i] -= moved_[i]; }
    }
    copy_row(y0_, y1_);
    second_->move(y1_, along_);
    for (std::size_t i = 0; i < n_; ++i) { moved_[i] = v0_[i] + dt * ((1 - gamma_) * a0_[i] + gamma_ * u.a[i]); }
    second_->set_velocity(y1_, moved_);
  }

  /// All equations into left_: forces times β h²/m, then for each λ its constraint; with index 2 that on velocities,
  /// and for each η that on positions. Positions as lengths, velocities times h β/γ.
  void residual(double t, double dt, const Unknowns& u) {
    end_state(dt, u);
    ++evaluations_;
    constraints_->rows(t + dt, y1_, phi_, speed_, C_);
    constraints_->force(t + dt, y1_, numbers_);
    vdot_of(u.a, vdot_);
    constraints_->times_mass(vdot_, moved_);
    for (std::size_t i = 0; i < n_; ++i) { moved_[i] -= numbers_[i]; }
    C_.add_transposed(u.lambda, 1, moved_);
    for (std::size_t i = 0; i < n_; ++i) { left_[i] = force_scale(dt) * moved_[i]; }
    const double by_time = dt * beta_ / gamma_;
    for (std::size_t r = 0; r < m_; ++r) {
      left_[n_ + r] = two() || !on_positions_[r] ? by_time * speed_[r] : phi_[r];
      if (two()) { left_[n_ + m_ + r] = on_positions_[r] ? phi_[r] : u.eta[r]; }
    }
  }

  /// The matrix of Newton's method at now_. Unknowns are scaled to lengths: a = u/(β h²), λ = l m/(β h²), η = m w.
  void factor(double t, double dt) {
    if (two()) {
      linear_->at(t, y0_, {}, {});
      reach0_.values = linear_->reach().values;
    }
    end_state(dt, now_);
    linear_->at(t + dt, y1_, now_.lambda, {});
    linear_->move(y0_, along_);
    for (std::size_t i = 0; i < n_; ++i) { scale_[i] = 1 / (beta_ * dt * dt); }
    for (std::size_t r = 0; r < m_; ++r) {
      scale_[n_ + r] = 1 / force_scale(dt);
      if (two()) { scale_[n_ + m_ + r] = mass_; }
    }
    assemble(dt);
    factored_for_ = factor_->factor(std::span<const double>(assembly_->matrix().values)) ? dt : 0;
  }

  /// One row of a matrix ∂/∂y as a row of unknowns: x₁ moves with u − M⁻¹ Cᵀ m w, v₁ with γ u/(β h).
  void add_row(const SparseRows<double>& of_y, std::size_t row, const SparseRows<double>& moves, double dt, double by) {
    reached_.clear();
    of_y.each(row, [&](std::size_t entry, double value) {
      if (velocity_of_[entry] < n_) {
        assembly_->add(velocity_of_[entry], by * gamma_ / (beta_ * dt) * value);
        return;
      }
      moves.each(entry, [&](std::size_t i, double move) {
        assembly_->add(i, by * value * move);
        if (!two()) { return; }
        if (!is_reached_[i]) { reached_.push_back(i); }
        is_reached_[i] = true;
        by_velocity_[i] += value * move;
      });
    });
    for (const std::size_t i : reached_) {
      reach0_.each(
          i, [&](std::size_t r, double reach) { assembly_->add(n_ + m_ + r, -by * mass_ * by_velocity_[i] * reach); });
      by_velocity_[i] = 0;
      is_reached_[i] = false;
    }
  }

  void assemble(double dt) {
    const SparseRows<double>& moves = linear_->moves();
    const double forces_by = force_scale(dt);
    const double mass_by = (1 - alpha_m_) / (1 - alpha_f_) / mass_;
    // Cᵀ by velocity
    const SparseRows<double>& C = linear_->C();
    for (std::size_t k = 0; k < C.values.size(); ++k) { transposed_.values[transposed_place_[k]] = C.values[k]; }
    assembly_->begin();
    for (std::size_t i = 0; i < n_; ++i) {
      linear_->mass().each(i, [&](std::size_t j, double value) { assembly_->add(j, mass_by * value); });
      add_row(linear_->forces(), i, moves, dt, forces_by);
      transposed_.each(i, [&](std::size_t r, double value) { assembly_->add(n_ + r, value); });
      assembly_->end_row();
    }
    const double by_time = dt * beta_ / gamma_;
    for (std::size_t r = 0; r < m_; ++r) {
      const bool velocities = two() || !on_positions_[r];
      add_row(velocities ? linear_->speeds() : linear_->positions(), r, moves, dt, velocities ? by_time : 1);
      assembly_->end_row();
    }
    for (std::size_t r = 0; two() && r < m_; ++r) {
      if (on_positions_[r]) {
        add_row(linear_->positions(), r, moves, dt, 1);
      } else {
        assembly_->add(n_ + m_ + r, mass_);
      }
      assembly_->end_row();
    }
  }
  void find_transposed(const SparseRows<double>& C) {
    std::vector<std::size_t> counts(n_ + 1, 0);
    for (const std::size_t column : C.columns) { ++counts[column + 1]; }
    for (std::size_t i = 0; i < n_; ++i) { counts[i + 1] += counts[i]; }
    transposed_.starts = counts;
    transposed_.column_count = m_;
    transposed_.columns.resize(C.columns.size());
    transposed_.values.resize(C.columns.size());
    transposed_place_.resize(C.columns.size());
    for (std::size_t r = 0; r < m_; ++r) {
      for (std::size_t k = C.starts[r]; k < C.starts[r + 1]; ++k) {
        transposed_place_[k] = counts[C.columns[k]]++;
        transposed_.columns[transposed_place_[k]] = r;
      }
    }
  }

  /// now_ by Newton's method, with the matrix that is there, else with a fresh one; rounds it took, 0: none did.
  int solve(double t, double dt) {
    for (const bool again : {false, true}) {
      now_.a = a0_;
      now_.lambda = lambda0_;
      std::fill(now_.eta.begin(), now_.eta.end(), 0.0);
      if (again || factored_for_ != dt) { factor(t, dt); }
      if (factored_for_ != dt) { continue; }
      double before = 0;
      for (int k = 0; k < options_.most_iterations; ++k) {
        residual(t, dt, now_);
        const double open = largest(std::span<const double>(left_).subspan(n_));
        factor_->solve(left_);
        if (first_not_finite(left_) < left_.size()) { break; }
        for (std::size_t i = 0; i < n_; ++i) { now_.a[i] -= scale_[i] * left_[i]; }
        for (std::size_t r = 0; r < m_; ++r) {
          now_.lambda[r] -= scale_[n_ + r] * left_[n_ + r];
          if (two()) { now_.eta[r] -= scale_[n_ + m_ + r] * left_[n_ + m_ + r]; }
        }
        const double length = largest(std::span<const double>(left_).first(n_));
        if (length < enough_ && open < enough_) { return k + 1; }
        // slow, or going away: a fresh matrix
        if (k > 2 && !again && length > 0.3 * before) { break; }
        if (k > 2 && length > 1e3 * constraints_->typical_length()) { break; }
        before = length;
      }
    }
    return 0;
  }
  static double largest(std::span<const double> part) {
    double most = 0;
    for (const double x : part) { most = std::fabs(x) > most ? std::fabs(x) : most; }
    return most;
  }

  const SecondOrder<double>* second_;
  const Constraints<double>* constraints_;
  ConstrainedAlphaOptions options_;
  std::vector<bool> on_positions_;
  std::size_t n_;
  std::size_t m_;
  double alpha_m_;
  double alpha_f_;
  double gamma_;
  double beta_;
  double enough_;
  double mass_;
  std::unique_ptr<LinearisedConstraints<double>> linear_;
  std::optional<SparseAssembly<double>> assembly_;
  Numbers y0_;
  Numbers y1_;
  Numbers v0_;
  Numbers a0_;
  Numbers vdot0_;
  Numbers lambda0_;
  Unknowns now_;
  Numbers vdot_;
  Numbers moved_;
  Numbers along_;  ///< h Δ
  Numbers numbers_;
  Numbers phi_;
  Numbers speed_;
  SparseRows<double> C0_;  ///< of the step's start
  SparseRows<double> C_;
  SparseRows<double> reach0_;      ///< M⁻¹ Cᵀ of the step's start
  SparseRows<double> transposed_;  ///< Cᵀ
  std::vector<std::size_t> transposed_place_;
  Numbers left_;
  Numbers scale_;
  std::vector<std::size_t> velocity_of_;  ///< by entry of y; n_: a coordinate
  Numbers by_velocity_;
  std::vector<bool> is_reached_;
  std::vector<std::size_t> reached_;
  std::optional<math::BlockLu<double>> factor_;
  bool is_prepared_ = false;
  double factored_for_ = 0;  ///< the step that factor_ belongs to; 0: none
  Point<double> end_;
};

struct BindConstrainedAlpha {
  ConstrainedAlphaOptions options;
  template <class S>
  std::unique_ptr<Stepper<S>> operator()(const MethodDescription& description, const System<S>& system) const {
    return std::make_unique<ConstrainedAlpha>(description, system, options);
  }
};

}  // namespace

std::shared_ptr<const Integrator<double>> constrained_alpha(const ConstrainedAlphaOptions& options) {
  if (!(options.rho_inf >= 0 && options.rho_inf < 1)) {
    fail(Error(Problem{.what = "generalised-alpha: rho_inf = " + std::to_string(options.rho_inf),
                       .allowed = "from 0 up to, but not including, 1",
                       .cure = "take 0.7"}));
  }
  const bool two = options.index == ConstrainedIndex::two;
  return std::make_shared<DescribedMethod<double, BindConstrainedAlpha>>(
      MethodDescription{
          .name = two ? "generalised-alpha-index2" : "generalised-alpha-index3",
          .summary = two ? "generalised-alpha for stiff mechanisms; positions and velocities held"
                         : "generalised-alpha for stiff mechanisms; positions held, velocities to its order",
          .reference = two ? "ArnoldBrulsCardona2015" : "BrulsCardonaArnold2012",
          .order = 2,
          .portable = false,
          .keeps_history = true,
          .holds_constraints = true,
          .needs = {"second order", "constraints"}},
      BindConstrainedAlpha{options});
}

void add_constrained_alpha(MethodList& list) {
  list.in_double.push_back(constrained_alpha({.index = ConstrainedIndex::two}));
  list.in_double.push_back(constrained_alpha({.index = ConstrainedIndex::three}));
}

}  // namespace polhode
