#include "polhode/integrator/method.h"

namespace polhode {
namespace {

/// Kick, then drift with the new velocity:
///
///   v ← v + dt v̇(t, q, v),   q ← q + dt q̇(t + dt, q, v)          (INT-7) [HairerLubichWanner2006, section I.1.2]
template <class S>
class SemiImplicitEuler final : public Stepper<S> {
 public:
  SemiImplicitEuler(const MethodDescription& description, const System<S>& system)
      : Stepper<S>(description), system_(&system), rate_(system.size()), y_(system.size()) {
    const Partition<S>& partition = *system.partition();
    for (std::size_t i = 0; i < system.size(); ++i) {
      (partition.is_velocity(i) ? velocities_ : coordinates_).push_back(i);
    }
  }
  StepStatus step(const S& t, const S& dt, std::span<S> y) override {
    copy_row(y, y_);
    this->evaluations_ += 2;
    system_->rhs(t, y_, rate_);
    for (const std::size_t i : velocities_) { y_[i] += dt * rate_[i]; }
    system_->rhs(t + dt, y_, rate_);
    for (const std::size_t i : coordinates_) { y_[i] += dt * rate_[i]; }
    this->bad_index_ = first_not_finite(y_);
    if (this->bad_index_ < y_.size()) { return StepStatus::not_finite; }
    copy_row(y_, y);
    return StepStatus::ok;
  }

 private:
  const System<S>* system_;
  std::vector<S> rate_;
  std::vector<S> y_;
  std::vector<std::size_t> velocities_;
  std::vector<std::size_t> coordinates_;
};

}  // namespace

void add_semi_implicit_euler(MethodList& list) {
  list.add({.name = "semi-implicit-euler",
            .summary = "kick, then drift (symplectic Euler where the partition is canonical)",
            .reference = "HairerLubichWanner2006 section I.1.2",
            .order = 1,
            .needs = {"partition"}},
           Bind<SemiImplicitEuler>{});
}

}  // namespace polhode
