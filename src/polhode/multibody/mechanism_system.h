#pragma once

#include "polhode/core/system.h"
#include "polhode/multibody/dynamics.h"

#include <array>
#include <atomic>
#include <memory>

namespace polhode {

struct MechanismOptions {
  bool count_work = false;    ///< y ends with the work supplied and the energy dissipated since the start
  double baumgarte_rate = 0;  ///< 1/s; 0: none, which is right with projection
};

/// A mechanism as a system for the integrators: y = 13 numbers a body (Model::state_size), index 1, with projection.
/// With count_work two numbers follow, so that energy(y) − supplied + dissipated stays what it was (MEC-30).
///
/// The model must outlive it. Scratch memory is taken from a small store and given back, so that one system serves many
/// threads; nothing is allocated once each of them has been here.
class MechanismSystem final : public System<double>, public Projection<double>, public Partition<double> {
 public:
  explicit MechanismSystem(const Model& model, const MechanismOptions& options = {});
  ~MechanismSystem() override;
  MechanismSystem(const MechanismSystem&) = delete;
  MechanismSystem& operator=(const MechanismSystem&) = delete;

  const Model& model() const { return model_; }

  std::string name() const override { return "mechanism"; }
  std::size_t size() const override { return model_.state_size() + (options_.count_work ? 2 : 0); }
  std::string entry_name(std::size_t i) const override;
  void rhs(const double& t, std::span<const double> y, std::span<double> ydot) const override;
  const Projection<double>* projection() const override { return this; }
  const Partition<double>* partition() const override { return this; }

  void project(std::span<double> y) const override { project_at(0, y); }
  void project_at(const double& t, std::span<double> y) const override;
  bool is_velocity(std::size_t i) const override { return i >= model_.state_size() || i % 13 >= 7; }

 private:
  /// A scratch for the time of one call.
  class Loan;

  const Model& model_;
  MechanismOptions options_;
  mutable std::array<std::atomic<Scratch*>, 64> store_{};
};

}  // namespace polhode
