#include "polhode/integrator/method.h"
#include "polhode/math/group_kernels.h"

namespace polhode {
namespace {

/// A shell on cf4_step().
template <class S>
class Cf4 final : public Stepper<S> {
 public:
  Cf4(const MethodDescription& description, const System<S>& system)
      : Stepper<S>(description), group_(system.group_action()) {
    rows_.y.assign(system.size(), S(0));
    rows_.y2 = rows_.y;
    rows_.a.assign(group_->algebra_size(), S(0));
    rows_.xi.fill(rows_.a);
  }

  StepStatus step(const S& t, const S& dt, std::span<S> y) override {
    this->evaluations_ += 4;
    cf4_step(*group_, t, dt, y, rows_);
    this->bad_index_ = first_not_finite(rows_.y);
    if (this->bad_index_ < y.size()) {
      for (auto& xi : rows_.xi) { xi.assign(xi.size(), S(0)); }  // 0 times a kept NaN would be NaN
      return StepStatus::not_finite;
    }
    copy_row(rows_.y, y);
    return StepStatus::ok;
  }

 private:
  const GroupAction<S>* group_;
  Cf4Rows<std::vector<S>, std::vector<S>> rows_;
};

}  // namespace

void add_cf4(MethodList& list) {
  list.add({.name = "cf4",
            .summary = "commutator-free method on the group",
            .reference = "CelledoniMarthinsenOwren2003",
            .order = 4,
            .needs = {"group action"}},
           Bind<Cf4>{});
}

}  // namespace polhode
