#pragma once

#include "polhode/formulation/formulation.h"

namespace polhode::test {

/// A form with a planted fault: the rates of its momentum get `extra` times ω' × h' added, its multiplier is scaled.
class Spoilt final : public Formulation<double> {
 public:
  Spoilt(const char* name, double extra, double scale)
      : right_(&formulation<double>(name)), extra_(extra), scale_(scale) {}
  const FormDescription& description() const override { return right_->description(); }
  void to_state(const InertiaNow<double>& inertia, const EulerParameters<double>& e_NB, const Vec3<double>& w_B,
                std::span<double> y) const override {
    right_->to_state(inertia, e_NB, w_B, y);
  }
  void from_state(const InertiaNow<double>& inertia, std::span<const double> y, EulerParameters<double>& e_NB,
                  Vec3<double>& w_B) const override {
    right_->from_state(inertia, y, e_NB, w_B);
  }
  FormResult<double> rates(const InertiaNow<double>& inertia, const LoadNow<double>& load, std::span<const double> y,
                           std::span<double> ydot) const override {
    FormResult<double> result = right_->rates(inertia, load, y, ydot);
    if (extra_ != 0) {
      const Vec3<double> h_B{y[4], y[5], y[6]};
      const Vec3<double> more = extra_ * cross(inertia.J_inverse_B * h_B, h_B);
      for (std::size_t i = 0; i < 3; ++i) { ydot[4 + i] += more[i]; }
    }
    if (result.multiplier) { *result.multiplier *= scale_; }
    return result;
  }
  void project(std::span<double> y) const override { right_->project(y); }
  bool switch_chart(std::span<double> y, const double& least) const override { return right_->switch_chart(y, least); }
  double chart_condition(std::span<const double> y) const override { return right_->chart_condition(y); }
  std::optional<double> expected_multiplier(const InertiaNow<double>& inertia, const LoadNow<double>& load,
                                            const EulerParameters<double>& e_NB,
                                            const Vec3<double>& w_B) const override {
    return right_->expected_multiplier(inertia, load, e_NB, w_B);
  }

 private:
  const Formulation<double>* right_;
  double extra_;
  double scale_;
};

}  // namespace polhode::test
