#pragma once

#include "polhode/core/system.h"

#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Methods that carry a System through time. They know systems, not bodies. A method is a file with a step function and
/// a line in integrators.def; what it needs of a system beyond the right-hand side is part of its description.
namespace polhode {

/// How a step ended. What numerics may do on a bad day is a status, not an exception.
enum class StepStatus {
  ok,
  not_finite,      ///< a NaN or an infinity appeared; y is as before the step
  no_convergence,  ///< an implicit equation was not solved; y is as before the step
};

struct MethodDescription {
  std::string name;                ///< "rk4"
  std::string summary;             ///< in words
  std::string reference;           ///< key of docs/references.bib
  int order = 0;                   ///< 0: variable
  bool adaptive = false;           ///< has an error estimate of its own
  bool dense = false;              ///< has dense output of its own
  bool symmetric = false;          ///< a step forward and one backward cancel (to solver tolerance)
  bool symplectic = false;         ///< symplectic or variational: no energy trend expected
  bool portable = true;            ///< same bits on every build
  bool keeps_history = false;      ///< goes by earlier steps: what changes y between two of them costs it order or time
  bool holds_constraints = false;  ///< solves constraints with the equations of motion: needs no projection
  double least_tolerance = 1e-14;  ///< rounding lets it reach no less: smaller ones are taken as this
  std::vector<std::string> needs;  ///< capabilities by name: "group action", "exact flows"
  /// What of the equations of motion it leaves out, in words: "the gyroscopic term". Such a method converges to another
  /// motion, and its order is that of its way there. "": nothing.
  std::string leaves_out{};
};

/// A method bound to one system, with its scratch memory: nothing is allocated in a step. Not shared between threads.
/// Integrator and system must outlive it.
template <class S>
class Stepper {
 public:
  explicit Stepper(const MethodDescription& description) : description_(&description) {}
  virtual ~Stepper() = default;
  Stepper(const Stepper&) = delete;
  Stepper& operator=(const Stepper&) = delete;

  const MethodDescription& description() const { return *description_; }

  /// y(t) → y(t + dt), in place; dt may be negative.
  virtual StepStatus step(const S& t, const S& dt, std::span<S> y) = 0;

  /// Error estimate of the last step, one number an entry of y, empty for methods without one.
  virtual std::span<const S> error_estimate() const { return {}; }
  /// The estimate shrinks as dt^(error_order + 1): what the step size controller goes by.
  virtual int error_order() const { return 0; }
  /// The last step is known to keep the tolerance: its error estimate need not be tested.
  virtual bool keeps_tolerance() const { return false; }

  /// The entry of y whose rate changed its sign from evaluation to evaluation at the end of the last step, by more than
  /// the tolerance could overlook: what the step says of it means nothing. None: the size of y, or more.
  virtual std::size_t zigzag() const { return std::numeric_limits<std::size_t>::max(); }

  /// Tolerances of an adaptive run; methods of variable order choose their order by them. Without: to rounding.
  virtual void set_tolerance(const S& relative, const S& absolute) {
    static_cast<void>(relative);
    static_cast<void>(absolute);
  }
  /// Length of the step that the method would take next from (t, y), with its tolerance; 0 for "no opinion", which
  /// leaves it to the driver's controller. `direction` is +1 or -1.
  virtual S propose(const S& t, std::span<const S> y, int direction) {
    static_cast<void>(t);
    static_cast<void>(y);
    static_cast<void>(direction);
    return S(0);
  }

  /// y at t + theta dt inside the last step, 0 ≤ theta ≤ 1; false for methods without dense output (the driver then
  /// uses a polynomial of degree 5 through both ends and the slopes at four points).
  virtual bool interpolate(const S& theta, std::span<S> y) const {
    static_cast<void>(theta);
    static_cast<void>(y);
    return false;
  }
  /// The caller changed y between two steps (projection, event, chart switch): forget what was kept from the last step.
  /// Methods also notice by themselves when y is not what they left behind.
  virtual void restart() {}

  /// Evaluations of the right-hand side (or of what stands for it) so far.
  std::size_t evaluations() const { return evaluations_; }
  /// After not_finite: which entry of y it was.
  std::size_t bad_index() const { return bad_index_; }
  /// After no_convergence: what was not solved, after not_finite: what was not finite, in words, or "".
  virtual std::string trouble() const { return {}; }

 protected:
  mutable std::size_t evaluations_ = 0;
  std::size_t bad_index_ = 0;

 private:
  const MethodDescription* description_;
};

template <class S>
class Integrator {
 public:
  virtual ~Integrator() = default;
  virtual const MethodDescription& description() const = 0;
  /// Fails with one line when the system lacks what the method needs.
  virtual std::unique_ptr<Stepper<S>> bind(const System<S>& system) const = 0;
};

/// All methods, in the order of integrators.def. Instantiated for double and long double.
template <class S>
const std::vector<std::shared_ptr<const Integrator<S>>>& integrators();

/// Methods that this build lacks, and what it takes to have them.
struct AbsentMethod {
  std::string name;
  std::string cure;
};
const std::vector<AbsentMethod>& absent_integrators();

/// By name; fails with the nearest name, or with what it takes to have the method.
template <class S>
const Integrator<S>& integrator(std::string_view name);

/// Whether the system has the capability of that name.
template <class S>
bool offers(const System<S>& system, std::string_view capability);

}  // namespace polhode
