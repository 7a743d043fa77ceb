#pragma once

#include "polhode/core/system.h"
#include "polhode/multibody/dynamics.h"
#include "polhode/multibody/euler_forms.h"

#include <array>
#include <atomic>
#include <memory>

namespace polhode {

struct MechanismOptions {
  bool count_work = false;    ///< y ends with the work supplied and the energy dissipated since the start
  double baumgarte_rate = 0;  ///< 1/s; 0: none, which is right with projection
  /// Whether rows of loops fade out smoothly where they lie flat (MEC-42). Not for methods that keep a history: their
  /// steps stop at the jump of a threshold, and would be led astray between two projections otherwise.
  bool fades_out = true;
  /// Accelerations by a form with Euler parameters, 7 a body, in the place of Newton-Euler velocities: dense, and with
  /// memory of its own in every evaluation; for comparison.
  const EulerForm* form = nullptr;
  JointJacobian jacobian = JointJacobian::through_rate;
};

/// A mechanism as a system for the integrators: y = 13 numbers a body and one a wheel (Model::state_size), index 1,
/// with projection. With count_work two numbers follow, so that energy(y) − supplied + dissipated stays what it was
/// (MEC-30).
///
/// The model must outlive it. Scratch memory is taken from a small store and given back, so that one system serves many
/// threads (as long as no turns are counted); nothing is allocated once each of them has been here.
class MechanismSystem final : public System<double>,
                              public Projection<double>,
                              public Partition<double>,
                              public SecondOrder<double>,
                              public Constraints<double>,
                              public Jacobian<double> {
 public:
  explicit MechanismSystem(const Model& model, const MechanismOptions& options = {});
  ~MechanismSystem() override;
  MechanismSystem(const MechanismSystem&) = delete;
  MechanismSystem& operator=(const MechanismSystem&) = delete;

  const Model& model() const { return *model_; }
  /// Goes on with a model of the same bodies and constraints, under other forces. Only between steps.
  void use(const Model& model);

  /// Whole turns counted so far, by Model::counted(): what the right side depends on besides t and y. Zero at first;
  /// changed only between steps, by the owner of the system: from the state that a step has led to.
  std::span<const double> turns() const { return turns_; }
  void set_turns(std::span<const double> turns);
  void count_turns(std::span<const double> y) { model_->count_turns(y.first(model_->state_size()), turns_); }

  std::string name() const override { return "mechanism"; }
  std::size_t size() const override { return model_->state_size() + (options_.count_work ? 2 : 0); }
  std::string entry_name(std::size_t i) const override;
  void rhs(const double& t, std::span<const double> y, std::span<double> ydot) const override;
  std::string trouble(const double& t, std::span<const double> y) const override;
  std::string absence(std::string_view capability) const override {
    return capability == "update schemes" ? "they step one body, without joints" : "";
  }
  const Projection<double>* projection() const override { return this; }
  const Partition<double>* partition() const override { return this; }
  const SecondOrder<double>* second_order() const override { return options_.count_work ? nullptr : this; }
  const Constraints<double>* constraints() const override { return options_.count_work ? nullptr : this; }
  const Jacobian<double>* jacobian() const override {
    return options_.count_work || options_.form != nullptr ? nullptr : this;
  }

  void project(std::span<double> y) const override { project_at(0, y); }
  void project_at(const double& t, std::span<double> y) const override;
  bool is_velocity(std::size_t i) const override { return i >= model_->bodies_size() || i % 13 >= 7; }

  // v and forces: six numbers a body, (ω'; v) and (moment in body components; force in space components); then one a
  // wheel, σ and τ: the angle that σ moves is no part of y, so a wheel has no coordinate and is in no row
  std::size_t velocity_size() const override { return 6 * model_->body_count() + model_->wheel_count(); }
  void velocity(std::span<const double> y, std::span<double> v) const override;
  void set_velocity(std::span<double> y, std::span<const double> v) const override;
  void move(std::span<double> y, std::span<const double> a) const override;
  void acceleration(const double& t, std::span<const double> y, std::span<double> vdot) const override;

  std::size_t row_count() const override;
  std::vector<bool> on_positions() const override;
  std::string row_name(std::size_t r) const override;
  SparseRows<double> empty_rows() const override;
  void rows(const double& t, std::span<const double> y, std::span<double> phi, std::span<double> speed,
            SparseRows<double>& C) const override;
  std::unique_ptr<LinearisedConstraints<double>> linearised() const override;
  void force(const double& t, std::span<const double> y, std::span<double> f) const override;
  void times_mass(std::span<const double> x, std::span<double> result) const override;
  void over_mass(std::span<const double> f, std::span<double> result) const override;
  void coordinate_rate(std::span<const double> y, std::span<const double> v, std::span<double> ydot) const override;
  double typical_length() const override { return model_->length(); }
  double typical_mass() const override;

  std::unique_ptr<Linearisation<double>> linearisation() const override;
  bool is_exact() const override;

 private:
  /// Calls use(w, i) for every wheel w, i being its number among velocities.
  template <class Use>
  void each_wheel(const Use& use) const {
    for (std::size_t w = 0; w < model_->wheel_count(); ++w) { use(w, 6 * model_->body_count() + w); }
  }
  void evaluate_form(double t, std::span<const double> y, std::span<double> ydot) const;
  struct Memory;
  /// Memory for the time of one call.
  class Loan;

  const Model* model_;
  MechanismOptions options_;
  std::vector<double> turns_;
  mutable std::array<std::atomic<Memory*>, 64> store_{};
};

}  // namespace polhode
