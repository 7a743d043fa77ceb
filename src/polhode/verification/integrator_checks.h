#pragma once

#include "polhode/verification/integrator_cases.h"

#include <functional>

/// What `verify integrators` measures, one function a property. Each takes `twin`: the same thing made wrong.
namespace polhode::verification {

/// Asked now and then in a long run; true ends it.
using Stop = std::function<bool()>;

/// Slope of the error over three steps (h, h/2, h/4 up to order 4, h, 2h/3, h/2 above), the error between 1e-3 and
/// 1e-11, in double below order 6 and in long double from there. The twin makes every step too long by a share that
/// shrinks as h^(order − 1): one order less.
struct MeasuredOrder {
  double slope = 0;
  double coarse = 0;  ///< largest error
  double fine = 0;    ///< smallest
};
MeasuredOrder measured_order(const MethodDescription& method, Case which, bool twin);

/// Largest error of one, two and four steps of a method that is exact on this case. The twin makes every step too long
/// by 1e-9.
double error_of_exact(const MethodDescription& method, Case which, bool twin);

/// Largest of error/(10 tolerance), in the norm that steps by tolerance go by, for tolerances 1e-4, 1e-5, ..., 1e-12.
/// The twin always runs at 1e-4.
double error_over_tolerance(const MethodDescription& method, Case which, bool twin);

/// Largest change of an entry of y after steps forward and the same number backward. The twin goes back with steps
/// that are too long by 1e-9.
double reversal_error(const MethodDescription& method, Case which, bool twin);

/// Energy and momentum of a long run with fixed steps, against the start.
struct LongRun {
  double energy_trend = 0;        ///< fitted slope times the run, relative
  double energy_trend_error = 0;  ///< its standard error
  double energy_swing = 0;        ///< largest deviation, relative
  double energy_drift = 0;        ///< at the end, relative
  double momentum_drift = 0;      ///< largest deviation, relative
  bool finished = false;          ///< false: the run ended in a NaN or was stopped
  double steps_per_turn = 0;
};
/// A turn is 2π/|ω(0)|. With `loss` the rates shrink on the way, all together by that share: what a twin does.
LongRun long_run(const MethodDescription& method, Case which, double turns, double loss, const Stop& stop);

}  // namespace polhode::verification
