#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
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
// Empty where the engine is not installed.
Evaluation bullet_chain(std::size_t n);  ///< articulated bodies
Evaluation simbody_chain(std::size_t n);
Evaluation dart_chain(std::size_t n);
Evaluation ode_chain(std::size_t n);

/// N windows of rods (1 kg, 1 m): uprights hinged to ground, bars hinged to their tops; upright at the start, tops
/// moving at 1 m/s, gravity; 10 s, through the positions where all lie flat.
struct FourBarRun {
  bool installed = true;
  std::string method;
  double cpu_seconds = 0;   ///< a simulated second
  double gap = 0;           ///< largest distance of hinge points, m
  double energy_error = 0;  ///< largest, J
  double angle = 0;         ///< of the first upright after 10 s, rad
  double angle_error = 0;   ///< of ours: from the motion of one pendulum that all uprights make
  std::size_t steps = 0;    ///< of ours
  std::size_t evaluations = 0;
};
FourBarRun polhode_four_bar(int windows, double tolerance = 1e-8);
FourBarRun mujoco_four_bar(int windows);

/// One evaluation at a state that leaves no term out: bent and moving. For engines that python_peers.py compares.
struct EvaluationAtState {
  std::vector<double> angles;  ///< of the hinges, rad; of the N-four-bar: of its uprights from the vertical, all equal
  std::vector<double> rates;   ///< rad/s
  std::function<void()> run;
  std::function<std::vector<double>()> accelerations;  ///< of the same angles, after run(), rad/s²
};
/// Angles 0.5 sin(i + 1) and rates cos(2 i + 1) of the hinges i = 0, 1, ..., from the chain that hangs straight.
EvaluationAtState polhode_bent_chain(std::size_t n);
/// Uprights at 0.5 rad, 1 rad/s. Bars are hinged to the upright on their left; on their right by the joint `closing`.
EvaluationAtState polhode_tilted_four_bar(int windows, std::string_view closing);

/// Prints what steps of stiff chains of up to so many rods take, and what derivatives cost in evaluations.
void stiff_chains(std::size_t longest);

/// Answers requests on standard input, a line each, so that a program in another language can take turns with us:
///
///   chain N              {"angles": [..], "rates": [..], "accelerations": [..]}
///   four-bar N CLOSING   the same; CLOSING is a joint, such as revolute
///   time COUNT           CPU seconds of COUNT evaluations of the mechanism named last
///   run N DIGITS         {"steps": .., "evaluations": .., "error": ..} of the N-four-bar at the tolerance 10^-DIGITS
///
/// Returns the exit status: 2 after a request that cannot be answered.
int answer_requests();

}  // namespace polhode::bench
