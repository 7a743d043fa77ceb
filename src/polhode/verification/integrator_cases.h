#pragma once

#include "polhode/formulation/body_system.h"
#include "polhode/integrator/integrator.h"

#include <array>
#include <string>
#include <vector>

/// The three bodies that integrators are measured on. All start from the same attitude and rate.
namespace polhode::verification {

enum class Case {
  free_body,        ///< asymmetric, nothing acts; h is kept
  heavy_top,        ///< held at a point, without symmetry; h_z is kept
  gravity_gradient  ///< a full inertia matrix under DYN-33
};
inline constexpr std::array kCases{Case::free_body, Case::heavy_top, Case::gravity_gradient};

/// Where the centre of the gravity gradient is. On the orbit the load depends on time, which is what the order is
/// measured with; what is kept there is one number (Jacobi's integral) and no momentum. With a fixed centre energy and
/// momentum part again, T + V and h·u, and long runs judge each.
enum class Centre { on_orbit, fixed };

/// "free body"
std::string name_of(Case which);
/// "h", "h_z", "h·u"
std::string momentum_of(Case which);
/// Labels of what acts.
std::string labels_of(Case which);

template <class S>
OneBody<S> body_of(Case which, Centre centre = Centre::on_orbit);

template <class S>
BodyState<S> start_state();

/// What a motion keeps, the centre fixed.
struct Kept {
  double energy;
  Vec3<double> momentum;  ///< h_N, or one component of it in x
};
Kept kept_at(Case which, const OneBody<double>& body, const BodyState<double>& state);
/// Kinetic and potential energy, each taken positive: what energies are compared with.
double energy_scale(Case which, const OneBody<double>& body, const BodyState<double>& state);

/// Which equations a method follows: the whole of them, or J' ω̇' = n'.
enum class Law { whole, without_gyroscopic_term };
Law law_of(const MethodDescription& method);

/// The state at t_end by a Taylor series in 50 digits that shares nothing with the integrators (taylor.h). The centre
/// of the gravity gradient is on its orbit.
BodyState<long double> reference_state(Case which, Law law, double t_end);

/// The order that a method has on a case: the declared one, but for body-no-gyro. That turns a free body about a fixed
/// axis at a constant rate, and all its error is 2 atan(x/2) against x = |ω| dt: one order more.
int order_on(const MethodDescription& method, Case which);

/// The form of the equations in which a method is what it says: canonical for those that are symplectic in canonical
/// variables, if `long_run`; else the one that every method takes.
std::string form_for(const MethodDescription& method, bool long_run);

}  // namespace polhode::verification
