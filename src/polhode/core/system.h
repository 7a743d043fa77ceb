#pragma once

#include "polhode/core/schemes.h"
#include "polhode/core/sparse.h"

#include <complex>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// What an integrator sees: a row of numbers y and how it changes. Beyond the right-hand side a system may
/// offer capabilities; an integrator names those it needs, and a missing one is an error that says so.
///
/// During a step a system is constant: all that changes is in y, so that one system serves many threads. Discrete state
/// that y does not hold (whole turns counted) may be part of a system; its owner changes it between steps.
/// S is double or long double.
namespace polhode {

/// Which entries of y are velocities; the others are coordinates that they move. For methods that kick, then drift.
template <class S>
class Partition {
 public:
  virtual ~Partition() = default;
  virtual bool is_velocity(std::size_t i) const = 0;
};

/// y lives on a manifold on which a Lie group acts: ẏ is the infinitesimal action of ξ(t, y).
///
///   y(t + dt) = act(y, dt ξ) for constant ξ;  act(y, a) = y · exp(a)
template <class S>
class GroupAction {
 public:
  virtual ~GroupAction() = default;
  virtual std::size_t algebra_size() const = 0;
  /// ξ(t, y)
  virtual void algebra(const S& t, std::span<const S> y, std::span<S> xi) const = 0;
  /// y ← y · exp(a)
  virtual void act(std::span<S> y, std::span<const S> a) const = 0;
  /// result = ȧ where y · exp(a) moves with ξ = xi: the inverse of the differential of exp, in closed form
  virtual void dexp_inverse(std::span<const S> a, std::span<const S> xi, std::span<S> result) const = 0;
};

/// Parts of the vector field whose flows are known exactly; ẏ is their sum.
///
/// Wherever a `rest` accompanies y, the state is y + rest: `rest` holds what sums have rounded away. Rates and angles
/// may be taken from y alone. `rest` belongs to the y it was returned with; for any other y pass zeros.
template <class S>
class ExactFlows {
 public:
  virtual ~ExactFlows() = default;
  virtual std::size_t count() const = 0;
  /// y ← flow of part k over dt; t is the time at which loads are taken.
  virtual void flow(std::size_t k, const S& t, const S& dt, std::span<S> y, std::span<S> rest) const = 0;
};

/// The free motion, known exactly, and a kick by the load; ẏ is the sum of both.
template <class S>
class FreeFlow {
 public:
  virtual ~FreeFlow() = default;
  /// y ← free motion over dt
  virtual void drift(const S& dt, std::span<S> y, std::span<S> rest) const = 0;
  /// velocities of y ← velocities + dt times what the load at t adds to them in a unit of time, coordinates untouched
  virtual void kick(const S& t, const S& dt, std::span<S> y, std::span<S> rest) const = 0;
};

/// A second-order system on a group: velocity v, coordinates moved by v; v̇ = acceleration(t, y).
template <class S>
class SecondOrder {
 public:
  virtual ~SecondOrder() = default;
  virtual std::size_t velocity_size() const = 0;
  virtual void velocity(std::span<const S> y, std::span<S> v) const = 0;
  virtual void set_velocity(std::span<S> y, std::span<const S> v) const = 0;
  /// coordinates of y ← coordinates · exp(a), velocity untouched
  virtual void move(std::span<S> y, std::span<const S> a) const = 0;
  virtual void acceleration(const S& t, std::span<const S> y, std::span<S> vdot) const = 0;
};

/// The derivative of the equations of Constraints at one state, entry by entry; columns of ∂/∂y are the entries of y.
/// Where entries are does not depend on the state. It must not outlive its system.
template <class S>
class LinearisedConstraints {
 public:
  virtual ~LinearisedConstraints() = default;
  /// Takes all at (t, y) with these λ and v̇, which may be left out: then they are zero. False: it is not finite there.
  virtual bool at(const S& t, std::span<const S> y, std::span<const S> lambda, std::span<const S> vdot) = 0;

  virtual const SparseRows<S>& mass() const = 0;           ///< M
  virtual const SparseRows<S>& C() const = 0;              ///< by row and velocity
  virtual const SparseRows<S>& reach() const = 0;          ///< M⁻¹ Cᵀ
  virtual const SparseRows<S>& forces() const = 0;         ///< ∂(Cᵀ λ − f)/∂y
  virtual const SparseRows<S>& positions() const = 0;      ///< ∂Φ/∂y; zero for constraints on velocities alone
  virtual const SparseRows<S>& speeds() const = 0;         ///< ∂(C v − rate)/∂y
  virtual const SparseRows<S>& accelerations() const = 0;  ///< ∂/∂y of the time derivative of C v − rate, v̇ fixed
  /// How coordinates of y change when moved with v: ∂/∂y, v being that of y, and ∂/∂v. Rows of velocities are empty.
  virtual const SparseRows<S>& rates() const = 0;
  virtual const SparseRows<S>& rates_by_velocity() const = 0;
  /// Takes moves() = ∂(x · exp(a))/∂a of the coordinates of x; rows of velocities are empty.
  virtual void move(std::span<const S> x, std::span<const S> a) = 0;
  virtual const SparseRows<S>& moves() const = 0;

  /// Where velocity i stands in y.
  virtual std::span<const std::size_t> velocity_entries() const = 0;
  /// A good order of elimination: blocks of entries of y, and of constraints, by their numbers.
  virtual std::span<const std::size_t> block_of_entry() const = 0;
  virtual std::span<const std::size_t> block_of_row() const = 0;
  /// False: some of it is made of differences.
  virtual bool is_exact() const = 0;
};

/// Equations of motion and their constraint equations, for methods that solve both together:
///
///   M v̇ + Cᵀ λ = f(t, y),   Φ(t, y) = 0,   C v = rate(t)
///
/// v is that of SecondOrder. M is constant. Constraints on velocities alone have no Φ; constraints may be redundant.
template <class S>
class Constraints {
 public:
  virtual ~Constraints() = default;
  virtual std::size_t row_count() const = 0;
  /// By row: whether it is a constraint on positions; false: on velocities alone.
  virtual std::vector<bool> on_positions() const = 0;
  /// What row r belongs to: "joint 'knee'".
  virtual std::string row_name(std::size_t r) const = 0;
  /// C with zeros: where its entries are.
  virtual SparseRows<S> empty_rows() const = 0;
  /// Φ (zero for constraints on velocities alone), C v − rate, and the values of C, which is one of empty_rows().
  virtual void rows(const S& t, std::span<const S> y, std::span<S> phi, std::span<S> speed, SparseRows<S>& C) const = 0;
  virtual std::unique_ptr<LinearisedConstraints<S>> linearised() const = 0;
  virtual void force(const S& t, std::span<const S> y, std::span<S> f) const = 0;
  /// M x
  virtual void times_mass(std::span<const S> x, std::span<S> result) const = 0;
  /// M⁻¹ f
  virtual void over_mass(std::span<const S> f, std::span<S> result) const = 0;
  /// Coordinates of ydot ← how they change when moved with v; velocities of ydot untouched.
  virtual void coordinate_rate(std::span<const S> y, std::span<const S> v, std::span<S> ydot) const = 0;
  /// Scales for lengths and masses.
  virtual S typical_length() const = 0;
  virtual S typical_mass() const = 0;
};

/// Hamilton's equations with constraints g(q) = 0: y = (q | p), equal halves.
template <class S>
class ConstrainedHamiltonian {
 public:
  virtual ~ConstrainedHamiltonian() = default;
  virtual std::size_t coordinate_count() const = 0;
  virtual std::size_t constraint_count() const = 0;
  virtual void dH_dq(const S& t, std::span<const S> q, std::span<const S> p, std::span<S> result) const = 0;
  virtual void dH_dp(const S& t, std::span<const S> q, std::span<const S> p, std::span<S> result) const = 0;
  virtual void constraint(std::span<const S> q, std::span<S> g) const = 0;
  /// constraint_count() rows of coordinate_count() numbers
  virtual void constraint_jacobian(std::span<const S> q, std::span<S> G) const = 0;
};

/// A rotor: constant inertia in principal axes or full, y = (e0 e1 e2 e3 | ω'), torque as a function of attitude; for
/// the discrete mechanics of Moser and Veselov.
template <class S>
class Rotor {
 public:
  virtual ~Rotor() = default;
  /// J_B row by row, 9 numbers
  virtual void inertia(std::span<S> J_B) const = 0;
  virtual void torque(const S& t, std::span<const S> y, std::span<S> tau_B) const = 0;
  /// e ← e ∘ (1 + d) = e + e ∘ d: a further turn, seen from the body, by the four Euler parameters 1 + d. Given less
  /// the identity, so that a small turn keeps its digits and |e| does not drift.
  virtual void turn(std::span<S> y, std::span<S> rest, std::span<const S> d) const = 0;
};

/// Taylor coefficients of the solution through (t, y): row k holds y⁽ᵏ⁾/k!.
template <class S>
class TaylorSeries {
 public:
  virtual ~TaylorSeries() = default;
  /// Numbers a row that coefficients() needs besides those of y: further functions of the solution that the recurrence
  /// runs over.
  virtual std::size_t auxiliary_size() const { return 0; }
  /// rows: (order + 1) rows of size() numbers, and behind them room for (order + 1) rows of auxiliary_size()
  virtual void coefficients(const S& t, std::span<const S> y, std::size_t order, std::span<S> rows) const = 0;
};

/// One body as game engines step it [EngineNotes]: the scheme keeps momenta, and a step is its rule, no quadrature of
/// ẏ.
template <class S>
class UpdateSchemes {
 public:
  virtual ~UpdateSchemes() = default;
  /// y ← y one step dt of the scheme later, the load taken at (t, y). False: the equation of the implicit index was not
  /// solved, and y is as before.
  virtual bool update(const Scheme& scheme, SchemeIndex index, const S& t, const S& dt, std::span<S> y) const = 0;
};

/// Projection of y onto its manifold, after a completed step.
template <class S>
class Projection {
 public:
  virtual ~Projection() = default;
  /// y ← the nearest point of the manifold (unit norm, constraints)
  virtual void project(std::span<S> y) const = 0;
  /// The same where the manifold moves with time (drivers of a mechanism).
  virtual void project_at(const S& t, std::span<S> y) const {
    static_cast<void>(t);
    project(y);
  }
};

/// Coordinates with singularities that can be moved away: charts.
template <class S>
class ChartSwitching {
 public:
  virtual ~ChartSwitching() = default;
  /// y ← the same state in better coordinates, if these are too near their singularity; says whether it did.
  virtual bool switch_chart(std::span<S> y) const = 0;
};

/// Solves (1 − g ∂f/∂y) x = b, the equation of Newton's method in an implicit step, for one number g. Its memory is its
/// own: nothing is allocated after the first factor() of a kind, real or complex.
template <class S>
class ShiftedSolver {
 public:
  virtual ~ShiftedSolver() = default;
  /// For the linearisation as it is now; in real arithmetic where the imaginary part of g is 0. False: the matrix is
  /// singular or not finite, and solve() must not be called.
  virtual bool factor(const std::complex<S>& g) = 0;
  /// b ← x, after factor() of a real g.
  virtual void solve(std::span<S> b) = 0;
  /// b ← x, after factor() of a g that is not real.
  virtual void solve(std::span<std::complex<S>> b) = 0;
};

/// ∂f/∂y at one state, in its own memory. It must not outlive its system, nor a solver its linearisation.
template <class S>
class Linearisation {
 public:
  virtual ~Linearisation() = default;
  /// Takes it at (t, y). False: it is not finite there, and none is known until the next success.
  virtual bool at(const S& t, std::span<const S> y) = 0;
  /// result = ∂f/∂y x
  virtual void times(std::span<const S> x, std::span<S> result) const = 0;
  /// A new solver. It refers to this linearisation: factor() takes the state of the last at().
  virtual std::unique_ptr<ShiftedSolver<S>> solver() const = 0;
};

/// The derivative of the right-hand side, for methods that solve implicit equations.
template <class S>
class Jacobian {
 public:
  virtual ~Jacobian() = default;
  virtual std::unique_ptr<Linearisation<S>> linearisation() const = 0;
  /// False: some of it is made of differences.
  virtual bool is_exact() const = 0;
};

/// Rows of a step that an explicit method with an error estimate reads and fills.
template <class S>
struct AdaptiveStep {
  const S* y;            ///< at the start of the step
  const S* first_slope;  ///< f there, one of the rows of `slopes`; nullptr: not known
  S* slopes;             ///< one row a stage, ExplicitKernels::stride apart
  S* end;                ///< y at the end of the step
  S* error;              ///< its error estimate
};
/// A row of the modified midpoint rule.
template <class S>
struct MidpointRow {
  std::size_t count;  ///< of substeps
  S t;
  S h;
  const S* y;
  const S* first_slope;
  S* result;
  S* last_slope;    ///< at the last substep
  S* sign_changes;  ///< of slopes in the last four substeps, those in a row at the end
};

/// Steps of the explicit methods into which the right-hand side of one system is compiled, by explicit_kernels_of() in
/// math/explicit_kernels.h; methods go through rhs() where there are none. The same bits either way. Steps return the
/// index of the first entry of the end that is not finite, and leave y as it was; or else the size.
template <class S>
struct ExplicitKernels {
  using Fixed = std::size_t (*)(const void* f, const S& t, const S& dt, S* y);  ///< in place
  using Adaptive = std::size_t (*)(const void* f, const S& t, const S& dt, const AdaptiveStep<S>& rows);
  using Midpoint = void (*)(const void* f, const MidpointRow<S>& row);

  const void* f = nullptr;
  std::size_t stride = 0;  ///< from one row of slopes to the next
  Fixed explicit_euler = nullptr;
  Fixed rk4 = nullptr;
  Adaptive dopri5 = nullptr;
  Adaptive dop853 = nullptr;
  Midpoint midpoint = nullptr;
};

template <class S>
class System {
 public:
  virtual ~System() = default;

  /// What it is called in messages: "formulation 'f5'".
  virtual std::string name() const { return "unnamed"; }
  virtual std::size_t size() const = 0;
  /// What entry i of y is called in messages: "w_B.y".
  virtual std::string entry_name(std::size_t i) const { return "entry " + std::to_string(i); }
  /// ẏ = f(t, y). May write NaN where the equations have no solution; steps report it.
  virtual void rhs(const S& t, std::span<const S> y, std::span<S> ydot) const = 0;

  /// Where ẏ is not finite: the cause, in words ("the loads are not finite: ..."), or "".
  virtual std::string trouble(const S& t, std::span<const S> y) const {
    static_cast<void>(t);
    static_cast<void>(y);
    return {};
  }

  /// Why it lacks the capability of that name, in words ("the body travels"), or "".
  virtual std::string absence(std::string_view capability) const {
    static_cast<void>(capability);
    return {};
  }

  /// Empty where there are none.
  virtual ExplicitKernels<S> explicit_kernels() const { return {}; }

  // Capabilities: nullptr where there is none.
  virtual const Partition<S>* partition() const { return nullptr; }
  virtual const GroupAction<S>* group_action() const { return nullptr; }
  virtual const ExactFlows<S>* exact_flows() const { return nullptr; }
  virtual const FreeFlow<S>* free_flow() const { return nullptr; }
  virtual const SecondOrder<S>* second_order() const { return nullptr; }
  virtual const Constraints<S>* constraints() const { return nullptr; }
  virtual const ConstrainedHamiltonian<S>* constrained_hamiltonian() const { return nullptr; }
  virtual const Rotor<S>* rotor() const { return nullptr; }
  virtual const TaylorSeries<S>* taylor_series() const { return nullptr; }
  virtual const UpdateSchemes<S>* update_schemes() const { return nullptr; }
  virtual const Jacobian<S>* jacobian() const { return nullptr; }
  virtual const Projection<S>* projection() const { return nullptr; }
  virtual const ChartSwitching<S>* chart_switching() const { return nullptr; }
};

}  // namespace polhode
