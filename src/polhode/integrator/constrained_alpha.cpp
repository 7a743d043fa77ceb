#include "polhode/integrator/generalised_alpha.h"
#include "polhode/integrator/method.h"

#include <Eigen/QR>

#include <cstdio>

namespace polhode {
namespace {

using Dense = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Index = Eigen::Index;

std::span<double> span_of(Vector& v) { return {v.data(), static_cast<std::size_t>(v.size())}; }

/// Householder's QR with pivots, which solves in place: nothing is allocated after the first matrix of its size.
/// Entries of linearly dependent columns become zero.
class RankedQr {
 public:
  explicit RankedQr(Index n) : qr_(n, n), temporary_(n) { qr_.setThreshold(1e-11); }
  void factor(const Dense& A) { qr_.compute(A); }
  /// x ← A⁻¹ b; b is used up
  void solve(Vector& b, Vector& x) {
    const Dense& QR = qr_.matrixQR();
    const Index n = QR.rows();
    const Index rank = qr_.nonzeroPivots() > 0 ? qr_.rank() : 0;
    for (Index k = 0; k < rank; ++k) {
      b.tail(n - k).applyHouseholderOnTheLeft(QR.col(k).tail(n - k - 1), qr_.hCoeffs()(k), temporary_.data());
    }
    x.setZero();
    if (rank == 0) { return; }
    QR.topLeftCorner(rank, rank).triangularView<Eigen::Upper>().solveInPlace(b.head(rank));
    for (Index k = 0; k < rank; ++k) { x(qr_.colsPermutation().indices()(k)) = b(k); }
  }

 private:
  Eigen::ColPivHouseholderQR<Dense> qr_;
  Vector temporary_;
};

/// The generalised-α method on the group, for constraints of index 3 and of stabilised index 2
/// [BrulsCardonaArnold2012; ArnoldBrulsCardona2015]. Second order, for constant steps.
///
///   x₁ = x₀ · exp(h Δ),   Δ = v₀ + (½ − β) h a₀ + β h a₁   (− M⁻¹ Cᵀ η/h, index 2)      (MEC-34)
///   v₁ = v₀ + (1 − γ) h a₀ + γ h a₁
///   (1 − α_m) a₁ + α_m a₀ = (1 − α_f) v̇₁ + α_f v̇₀
///   M v̇₁ + Cᵀ λ = f(x₁, v₁),   Φ(x₁) = 0   (and C v₁ = rate, index 2)
///
/// v̇ is the acceleration, a a helper of the method. Rows of velocities alone stand as C v₁ = rate with index 3 too.
/// Newton's method keeps its matrix as long as it converges well. Dense matrices: for some hundred bodies at most.
class ConstrainedAlpha final : public Stepper<double> {
 public:
  ConstrainedAlpha(const MethodDescription& description, const System<double>& system,
                   const ConstrainedAlphaOptions& options)
      : Stepper<double>(description),
        second_(system.second_order()),
        constraints_(system.constraints()),
        options_(options),
        on_positions_(constraints_->on_positions()),
        n_(static_cast<Index>(second_->velocity_size())),
        m_(static_cast<Index>(constraints_->row_count())),
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
        lambda0_(Vector::Zero(m_)),
        now_{Vector(n_), Vector(m_), Vector(m_)},
        other_{Vector(n_), Vector(m_), Vector(m_)},
        vdot_(n_),
        moved_(n_),
        along_(n_),
        numbers_(n_),
        phi_(m_),
        speed_(m_),
        C0_(m_, n_),
        C_(m_, n_),
        C_kept_(m_, n_),
        left_(size()),
        here_(size()),
        change_(size()),
        scale_(size()),
        A_(size(), size()),
        factor_(size()),
        end_(system.size()) {}

  StepStatus step(const double& t, const double& dt, std::span<double> y) override {
    copy_row(y, y0_);
    second_->velocity(y0_, span_of(v0_));
    if (!end_.is_at(y)) {
      ++evaluations_;
      second_->acceleration(t, y0_, span_of(vdot0_));
      a0_ = vdot0_;
      lambda0_.setZero();
      factored_for_ = 0;
    }
    end_.forget();
    constraints_->rows(t, y0_, span_of(phi_), span_of(speed_), {C0_.data(), static_cast<std::size_t>(C0_.size())});
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
  void restart() override { end_.forget(); }

  std::string trouble() const override {
    Index worst = -1;
    double open = enough_;  // what is less is closed
    for (Index r = 0; r < m_; ++r) {
      if (std::fabs(phi_(r)) > open || std::isnan(phi_(r))) {
        open = std::fabs(phi_(r));
        worst = r;
      }
    }
    std::array<char, 60> text{};
    std::snprintf(text.data(), text.size(), " is open by %.3g m", open);
    return worst < 0 ? std::string("the equations of motion do not balance")
                     : constraints_->row_name(static_cast<std::size_t>(worst)) + text.data();
  }

 private:
  /// What one step solves for.
  struct Unknowns {
    Vector a, lambda, eta;
  };

  bool two() const { return options_.index == ConstrainedIndex::two; }
  bool on_positions(Index r) const { return on_positions_[static_cast<std::size_t>(r)]; }
  Index size() const { return n_ + m_ + (two() ? m_ : 0); }
  double force_scale(double dt) const { return beta_ * dt * dt / mass_; }

  void vdot_of(const Vector& a, Vector& vdot) const {
    vdot = ((1 - alpha_m_) * a + alpha_m_ * a0_ - alpha_f_ * vdot0_) / (1 - alpha_f_);
  }

  /// The state at the end of the step into y1_; η moves positions by −M⁻¹ Cᵀ η, C of the step's start.
  void end_state(double dt, const Unknowns& u) {
    along_ = dt * (v0_ + dt * ((0.5 - beta_) * a0_ + beta_ * u.a));
    if (two()) {
      numbers_.noalias() = C0_.transpose() * u.eta;
      constraints_->over_mass(span_of(numbers_), span_of(moved_));
      along_ -= moved_;
    }
    copy_row(y0_, y1_);
    second_->move(y1_, span_of(along_));
    along_ = v0_ + dt * ((1 - gamma_) * a0_ + gamma_ * u.a);
    second_->set_velocity(y1_, span_of(along_));
  }

  /// All equations into left_: positions as lengths, velocities times h β/γ, forces times β h²/m.
  void residual(double t, double dt, const Unknowns& u) {
    end_state(dt, u);
    ++evaluations_;
    constraints_->rows(t + dt, y1_, span_of(phi_), span_of(speed_), {C_.data(), static_cast<std::size_t>(C_.size())});
    constraints_->force(t + dt, y1_, span_of(numbers_));
    vdot_of(u.a, vdot_);
    constraints_->times_mass(span_of(vdot_), span_of(along_));
    along_ -= numbers_;
    along_.noalias() += C_.transpose() * u.lambda;
    left_.head(n_) = force_scale(dt) * along_;
    const double by_time = dt * beta_ / gamma_;
    for (Index r = 0; r < m_; ++r) {
      left_(n_ + r) = on_positions(r) ? phi_(r) : by_time * speed_(r);
      if (two()) { left_(n_ + m_ + r) = on_positions(r) ? by_time * speed_(r) : u.eta(r); }
    }
  }

  /// The matrix of Newton's method at now_: forces by differences, constraints by their rows. Unknowns are scaled to
  /// lengths.
  void factor(double t, double dt) {
    const double by = 1e-7 * constraints_->typical_length();
    const double of_a = 1 / (beta_ * dt * dt);
    residual(t, dt, now_);
    here_ = left_;
    C_kept_ = C_;
    A_.setZero();
    scale_.head(n_).setConstant(of_a);
    scale_.segment(n_, m_).setConstant(1 / force_scale(dt));
    for (Index i = 0; i < n_; ++i) {
      other_ = now_;
      other_.a(i) += by * of_a;
      residual(t, dt, other_);
      A_.col(i).head(n_) = (left_.head(n_) - here_.head(n_)) / by;
    }
    A_.block(n_, 0, m_, n_) = C_kept_;
    A_.block(0, n_, n_, m_) = C_kept_.transpose();
    if (two()) {
      scale_.tail(m_).setConstant(mass_);
      A_.block(n_ + m_, 0, m_, n_) = C_kept_;
      for (Index r = 0; r < m_; ++r) {
        other_ = now_;
        other_.eta(r) += by * mass_;
        residual(t, dt, other_);
        A_.col(n_ + m_ + r).head(n_) = (left_.head(n_) - here_.head(n_)) / by;
        numbers_ = mass_ * C0_.row(r).transpose();
        constraints_->over_mass(span_of(numbers_), span_of(moved_));
        A_.col(n_ + m_ + r).segment(n_, m_).noalias() = C_kept_ * moved_;
        A_.col(n_ + m_ + r).segment(n_, m_) *= -1;
      }
      for (Index r = 0; r < m_; ++r) {
        if (on_positions(r)) { continue; }
        A_.row(n_ + r).tail(m_).setZero();
        A_.row(n_ + m_ + r).setZero();
        A_(n_ + m_ + r, n_ + m_ + r) = mass_;
      }
    }
    factor_.factor(A_);
    factored_for_ = dt;
  }

  /// now_ by Newton's method, with the matrix that is there, else with a fresh one; rounds it took, 0: none did.
  int solve(double t, double dt) {
    for (const bool again : {false, true}) {
      now_.a = a0_;
      now_.lambda = lambda0_;
      now_.eta.setZero();
      if (again || factored_for_ != dt) { factor(t, dt); }
      double before = 0;
      for (int k = 0; k < options_.most_iterations; ++k) {
        residual(t, dt, now_);
        here_ = left_;
        factor_.solve(left_, change_);
        if (!change_.allFinite()) { break; }
        now_.a -= scale_.head(n_).cwiseProduct(change_.head(n_));
        now_.lambda -= scale_.segment(n_, m_).cwiseProduct(change_.segment(n_, m_));
        if (two()) { now_.eta -= scale_.tail(m_).cwiseProduct(change_.tail(m_)); }
        const double length = largest(change_.head(n_));
        if (length < enough_ && largest(here_.tail(here_.size() - n_)) < enough_) { return k + 1; }
        // slow, or going away: a fresh matrix
        if (k > 2 && !again && length > 0.3 * before) { break; }
        if (k > 2 && length > 1e3 * constraints_->typical_length()) { break; }
        before = length;
      }
    }
    return 0;
  }
  template <class Part>
  static double largest(const Part& part) {
    return part.size() == 0 ? 0 : part.cwiseAbs().maxCoeff();
  }

  const SecondOrder<double>* second_;
  const Constraints<double>* constraints_;
  ConstrainedAlphaOptions options_;
  std::vector<bool> on_positions_;
  Index n_;
  Index m_;
  double alpha_m_;
  double alpha_f_;
  double gamma_;
  double beta_;
  double enough_;
  double mass_;
  std::vector<double> y0_;
  std::vector<double> y1_;
  Vector v0_;
  Vector a0_;
  Vector vdot0_;
  Vector lambda0_;
  Unknowns now_;
  Unknowns other_;
  Vector vdot_;
  Vector moved_;  ///< M⁻¹ Cᵀ η
  Vector along_;
  Vector numbers_;
  Vector phi_;
  Vector speed_;
  Dense C0_;  ///< of the step's start
  Dense C_;
  Dense C_kept_;
  Vector left_;
  Vector here_;
  Vector change_;
  Vector scale_;
  Dense A_;
  RankedQr factor_;
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
