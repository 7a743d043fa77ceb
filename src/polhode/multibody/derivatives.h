#pragma once

#include "polhode/multibody/dynamics.h"

#include <memory>
#include <span>

/// Exact derivatives of mechanisms. Joint rows, motions, forces and inertia are templates on the number type; the
/// elimination is not differentiated. Where K z = r has been solved, the derivative follows from the same factors:
///
///   K z' = r' − K' z                                        (MEC-40)
///
/// z: accelerations and multipliers; r' − K' z: what the equations of motion, at these accelerations and multipliers,
/// lack when the state changes, by dual numbers, element by element. Labels: docs/theory/mechanisms.md.
namespace polhode {

/// What derivatives along directions need besides Scratch: memory of one thread.
class Directional {
 public:
  explicit Directional(const Model& model);
  ~Directional();
  Directional(Directional&&) noexcept;
  Directional& operator=(Directional&&) noexcept;

  /// Evaluates at a state, for all that follows: evaluate(). `turns` as in Scratch, and must stay.
  void at(double t, std::span<const double> y, std::span<const double> turns = {}, double baumgarte_rate = 0);
  /// ẏ there.
  std::span<const double> rates() const;
  const Scratch& scratch() const;

  /// d/dε of ẏ(y + ε dy).
  void along(std::span<const double> dy, std::span<double> dydot);
  /// After along(): the derivatives of λ of all closures, and of all reactions.
  std::span<const double> multipliers_along() const;
  void reactions_along(std::span<Reaction> result) const;

  /// The derivative of project() at a state that fulfils the constraints: dy ← the nearest change that they allow,
  /// weighed by mass and inertia.
  void project_along(std::span<double> dy);

  /// Derivatives of all q̈ of the spanning tree with respect to its coordinates and their rates: a column each, those of
  /// the coordinates first, of tree_freedoms() numbers. Joints stay closed; a coordinate of a joint moves along its
  /// column of JointMotion, with the rates of all joints as they are, in terms of these columns. Loops and whatever
  /// else closes may be left open by the motion: see docs/theory/mechanisms.md. The state must fulfil the constraints.
  void tree_jacobian(std::span<double> columns);
  std::size_t tree_freedoms() const;

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

/// The force of uniform gravity, springs, motors and laws on the bodies of a model has exact derivatives: every law is
/// code for any number type. Else the parts that are not are told by their names.
std::vector<std::string> laws_without_derivatives(const Model& model);

}  // namespace polhode
