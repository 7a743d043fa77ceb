#include "polhode/integrator/method.h"

namespace polhode {
namespace {

/// The update schemes of game engines (SCH-1 to SCH-3) [EngineNotes]. A step is the system's, and a shorter step of the
/// same scheme is its dense output: slopes of the equations of motion would be another law where the gyroscopic term is
/// left out.
template <class S>
class UpdateScheme final : public Stepper<S> {
 public:
  UpdateScheme(const MethodDescription& description, const Scheme& scheme, SchemeIndex index, const System<S>& system)
      : Stepper<S>(description),
        system_(&system),
        schemes_(system.update_schemes()),
        scheme_(&scheme),
        index_(index),
        start_(system.size()),
        end_(system.size()),
        rate_(system.size()) {}

  StepStatus step(const S& t, const S& dt, std::span<S> y) override {
    t_ = t;
    dt_ = dt;
    copy_row(y, start_);
    copy_row(y, end_);
    ++this->evaluations_;
    if (!schemes_->update(*scheme_, index_, t, dt, end_)) {
      // a load that is not finite has no solution either: the rates tell
      ++this->evaluations_;
      system_->rhs(t, y, rate_);
      this->bad_index_ = first_not_finite(rate_);
      return this->bad_index_ < y.size() ? StepStatus::not_finite : StepStatus::no_convergence;
    }
    this->bad_index_ = first_not_finite(end_);
    if (this->bad_index_ < y.size()) { return StepStatus::not_finite; }
    copy_row(end_, y);
    return StepStatus::ok;
  }
  /// A scheme looks at loads where a step begins. Inside, where they may cease to be finite, the rates are asked, and
  /// such an entry is handed on.
  bool interpolate(const S& theta, std::span<S> y) const override {
    copy_row(start_, y);
    this->evaluations_ += 2;
    if (!schemes_->update(*scheme_, index_, t_, theta * dt_, y)) { return false; }
    system_->rhs(t_ + theta * dt_, y, rate_);
    if (const std::size_t bad = first_not_finite(rate_); bad < y.size()) { y[bad] = rate_[bad]; }
    return true;
  }
  std::string trouble() const override {
    return "the iteration for the index n + 1 does not settle: the body turns too far in a step";
  }

 private:
  const System<S>* system_;
  const UpdateSchemes<S>* schemes_;
  const Scheme* scheme_;
  SchemeIndex index_;
  S t_{};
  S dt_{};
  std::vector<S> start_;
  std::vector<S> end_;
  mutable std::vector<S> rate_;
};

struct BindScheme {
  const Scheme* scheme;
  SchemeIndex index;

  template <class S>
  std::unique_ptr<Stepper<S>> operator()(const MethodDescription& description, const System<S>& system) const {
    return std::make_unique<UpdateScheme<S>>(description, *scheme, index, system);
  }
};

}  // namespace

void add_update_schemes(MethodList& list) {
  for (const Scheme& scheme : kSchemes) {
    for (const SchemeIndex index : {SchemeIndex::lagged, SchemeIndex::implicit}) {
      const bool implicit = index == SchemeIndex::implicit;
      if (implicit && !has_implicit_index(scheme)) { continue; }
      list.add({.name = std::string(scheme.name) + (implicit ? "-implicit" : ""),
                .summary = std::string(scheme.summary) + (implicit ? "; index n + 1 by iteration" : ""),
                .reference = "EngineNotes",
                .order = 1,
                .dense = true,
                .needs = {"update schemes"},
                .leaves_out = scheme.gyroscopic ? "" : "the gyroscopic term"},
               BindScheme{&scheme, index});
    }
  }
}

}  // namespace polhode
