#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

/// An open chain of n hinged rods (1 kg, 1 m, cross section 0.1 m), hinge axes alternating y and x, the first hinge at
/// 45 degrees, gravity: one evaluation of forward dynamics, by us and by what is installed.
namespace polhode::bench {

/// One evaluation, ready to be repeated; the state is made before.
struct Evaluation {
  std::function<void()> run;
  /// Acceleration of the first hinge, to see that all compute the same.
  std::function<double()> first_hinge_acceleration;
};

Evaluation polhode_chain(std::size_t n);
/// Bullet's articulated bodies; empty where it is not installed.
Evaluation bullet_chain(std::size_t n);

}  // namespace polhode::bench
