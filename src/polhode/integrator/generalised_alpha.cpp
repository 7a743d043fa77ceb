#include "polhode/integrator/generalised_alpha.h"

#include "polhode/integrator/method.h"

namespace polhode {
namespace {

/// Generalised-α on a group, v̇ = acceleration(t, y), a the algorithmic acceleration:
///
///   q₁ = q · exp(dt v + dt² ((½ − β) a + β a₁)),   v₁ = v + dt ((1 − γ) a + γ a₁)
///   (1 − α_m) a₁ + α_m a = (1 − α_f) v̇₁ + α_f v̇                                        (INT-16)
///   α_m = (2ρ − 1)/(ρ + 1),  α_f = ρ/(ρ + 1),  γ = ½ + α_f − α_m,  β = ¼ (γ + ½)²      (INT-17)
///
/// [ChungHulbert1993; BrulsCardona2010]. a₁ by fixed-point iteration. a is kept between steps; a fresh start takes
/// a = v̇, which costs one error of order dt² that is not repeated.
template <class S>
class GeneralisedAlpha final : public Stepper<S> {
 public:
  GeneralisedAlpha(const MethodDescription& description, const System<S>& system, const S& rho)
      : Stepper<S>(description),
        second_(system.second_order()),
        y_(system.size()),
        v_(second_->velocity_size()),
        v_new_(v_.size()),
        vdot_(v_.size()),
        vdot_new_(v_.size()),
        a_(v_.size()),
        a_new_(v_.size()),
        move_(v_.size()),
        end_(system.size()),
        alpha_m_((2 * rho - 1) / (rho + 1)),
        alpha_f_(rho / (rho + 1)),
        gamma_(S(0.5) + alpha_f_ - alpha_m_),
        beta_((gamma_ + S(0.5)) * (gamma_ + S(0.5)) / 4) {}

  StepStatus step(const S& t, const S& dt, std::span<S> y) override {
    second_->velocity(y, v_);
    if (!end_.is_at(y)) {
      ++this->evaluations_;
      second_->acceleration(t, y, vdot_);
      copy_row(vdot_, a_);
    }
    end_.forget();
    copy_row(vdot_, a_new_);
    RoundingStop<S> stop;
    auto verdict = RoundingStop<S>::Verdict::go_on;
    int round = 0;
    while (verdict == RoundingStop<S>::Verdict::go_on) {
      for (std::size_t i = 0; i < v_.size(); ++i) {
        move_[i] = dt * (v_[i] + dt * ((S(0.5) - beta_) * a_[i] + beta_ * a_new_[i]));
        v_new_[i] = v_[i] + dt * ((1 - gamma_) * a_[i] + gamma_ * a_new_[i]);
      }
      copy_row(y, y_);
      second_->move(y_, move_);
      second_->set_velocity(y_, v_new_);
      this->bad_index_ = first_not_finite(y_);
      if (this->bad_index_ < y_.size()) { return StepStatus::not_finite; }
      ++this->evaluations_;
      second_->acceleration(t + dt, y_, vdot_new_);
      S change(0);
      S largest(0);
      for (std::size_t i = 0; i < v_.size(); ++i) {
        const S a = ((1 - alpha_f_) * vdot_new_[i] + alpha_f_ * vdot_[i] - alpha_m_ * a_[i]) / (1 - alpha_m_);
        change = std::fmax(change, std::fabs(a - a_new_[i]));
        largest = std::fmax(largest, std::fabs(a));
        a_new_[i] = a;
      }
      if (!(change <= std::numeric_limits<S>::max())) { return StepStatus::no_convergence; }
      if (++round > kPatience) {
        for (const S& v : v_new_) { largest = std::fmax(largest, std::fabs(v / dt)); }
      }
      verdict = stop.judge(change > S(0) ? change / largest : S(0));
    }
    if (verdict == RoundingStop<S>::Verdict::failed) { return StepStatus::no_convergence; }
    copy_row(y_, y);
    std::swap(a_, a_new_);
    std::swap(vdot_, vdot_new_);
    end_.set(t + dt, y);
    return StepStatus::ok;
  }
  void restart() override { end_.forget(); }

 private:
  /// Accelerations that are nothing but rounding, of a motion that is even for a moment, do not settle by their own
  /// size. After so many rounds changes are judged by what they make of velocities.
  static constexpr int kPatience = 100;

  const SecondOrder<S>* second_;
  std::vector<S> y_;
  std::vector<S> v_;
  std::vector<S> v_new_;
  std::vector<S> vdot_;
  std::vector<S> vdot_new_;
  std::vector<S> a_;
  std::vector<S> a_new_;
  std::vector<S> move_;
  Point<S> end_;
  S alpha_m_;
  S alpha_f_;
  S gamma_;
  S beta_;
};

/// rho_inf as a long double serves both number types.
struct BindGeneralisedAlpha {
  long double rho_inf;
  template <class S>
  std::unique_ptr<Stepper<S>> operator()(const MethodDescription& description, const System<S>& system) const {
    return std::make_unique<GeneralisedAlpha<S>>(description, system, static_cast<S>(rho_inf));
  }
};

MethodDescription describe() {
  return {.name = "generalised-alpha",
          .summary = "generalised-alpha on the group, high frequencies damped",
          .reference = "ChungHulbert1993; BrulsCardona2010",
          .order = 2,
          .keeps_history = true,
          .needs = {"second order"}};
}

template <class S>
std::shared_ptr<const Integrator<S>> make(const S& rho_inf) {
  if (!(rho_inf >= S(0) && rho_inf <= S(1))) {
    fail(Error(Problem{.what = "generalised-alpha: rho_inf = " + std::to_string(static_cast<double>(rho_inf)),
                       .allowed = "0 to 1",
                       .cure = "1 damps nothing, 0.9 is usual"}));
  }
  return std::make_shared<DescribedMethod<S, BindGeneralisedAlpha>>(
      describe(), BindGeneralisedAlpha{static_cast<long double>(rho_inf)});
}

}  // namespace

template <>
std::shared_ptr<const Integrator<double>> generalised_alpha<double>(const double& rho_inf) {
  return make(rho_inf);
}
template <>
std::shared_ptr<const Integrator<long double>> generalised_alpha<long double>(const long double& rho_inf) {
  return make(rho_inf);
}

void add_generalised_alpha(MethodList& list) { list.add(describe(), BindGeneralisedAlpha{0.9L}); }

}  // namespace polhode
