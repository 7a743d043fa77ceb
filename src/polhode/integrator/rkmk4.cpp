#include "polhode/integrator/method.h"
#include "polhode/math/group_kernels.h"

namespace polhode {
namespace {

/// A shell on rkmk4_step().
template <class S>
class Rkmk4 final : public Stepper<S> {
 public:
  Rkmk4(const MethodDescription& description, const System<S>& system)
      : Stepper<S>(description), group_(system.group_action()) {
    rows_.y.assign(system.size(), S(0));
    rows_.u.assign(group_->algebra_size(), S(0));
    rows_.xi = rows_.u;
    rows_.k.fill(rows_.u);
  }

  StepStatus step(const S& t, const S& dt, std::span<S> y) override {
    this->evaluations_ += Rk4Tableau::stages;
    rkmk4_step(*group_, t, dt, y, rows_);
    this->bad_index_ = first_not_finite(rows_.y);
    if (this->bad_index_ < y.size()) { return StepStatus::not_finite; }
    copy_row(rows_.y, y);
    return StepStatus::ok;
  }

 private:
  const GroupAction<S>* group_;
  Rkmk4Rows<std::vector<S>, std::vector<S>> rows_;
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
