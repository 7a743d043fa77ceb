#pragma once

#include "polhode/multibody/model.h"

#include <span>
#include <vector>

/// Accelerations, reactions and projection of a mechanism, by elimination along its spanning tree: freedoms from the
/// leaves to ground, loops where they close. Linear in the number of bodies for trees and for chains of loops. Labels
/// (MEC-n): docs/theory/mechanisms.md.
namespace polhode {

/// A pivot of a loop below this part of its value for free bodies counts as zero: the constraint is redundant, or says
/// nothing here; its force fades out about there (MEC-42). A row at the angle δ to others leaves δ² of a pivot. What
/// joints are open by rounding, Φ of some 1e-16 L, moves them by Φ/δ at a speed of Φ ω/δ²; so 1e-9, δ = 3e-5, keeps
/// both small, and what is not held while δ is less does not get far.
inline constexpr double kRankTolerance = 1e-9;

/// A force at a point of a body, both seen in space.
struct ForceAtPoint {
  std::size_t node = 0;    ///< of the body, see EliminationOrder
  Vec3<double> lever_N{};  ///< from the mass centre
  Vec3<double> f_N{};
};

/// Working memory of one thread: everything that an evaluation writes, sized once; and what it looks at besides y.
class Scratch {
 public:
  explicit Scratch(const Model& model);

  /// What an evaluation leaves for one node (see EliminationOrder).
  struct Node {
    Mat3<double> R{};
    Vec3<double> w{};          ///< angular velocity, space components
    ArticulatedInertia sum{};  ///< of the children, felt here
    Pair force_sum{};
    Pair S{};  ///< of a hinge
    Pair U{};
    double inverse_D = 0;
    double u = 0;
    double q = 0;          ///< what is found for the coordinate of a hinge: q̈
    Vec3<double> shift{};  ///< from the parent's mass centre to the own one, by way of the joint
    Pair c{};
    Pair a{};  ///< the result: (α, a) of the mass centre
  };
  std::vector<Node> nodes;
  std::vector<Pair> applied;  ///< by node: moment about the mass centre, force
  std::vector<Pair> S;        ///< columns of joints that are not hinges
  std::vector<Pair> U;
  std::vector<double> inverse_D;  ///< 6 numbers a column
  std::vector<double> u;
  std::vector<double> q;                    ///< what is found for these columns: q̈
  std::vector<ConstraintRow<double>> rows;  ///< of all closures
  std::vector<double> lambda;               ///< their multipliers
  std::vector<double> loop_numbers;
  std::vector<Pair> wrench;         ///< by body, for force laws; by node, for reactions
  std::vector<double> wheel_rates;  ///< σ̇ of every wheel
  std::span<const double> turns;    ///< Model::counted(); none: angles are in (−π, π]
  /// Where forces at points are to be told apart from moments, they are added here; for the forms of euler_forms.h.
  std::vector<ForceAtPoint>* at_points = nullptr;
  double baumgarte_rate = 0;
  bool fades_out = true;   ///< rows of loops that lie flat, smoothly (MEC-42); false: at a threshold
  Power force_power{};     ///< of all forces, at the last evaluation
  int loop_rank = 0;       ///< of the last evaluation: closure rows that carry force
  double least_pivot = 1;  ///< of those that do, relative to its row
};

/// ẏ of all bodies, and of wheels inside them, under forces and joints.
///
///   M a + Cᵀλ = f,   C a = γ                                (MEC-16)
///
/// With a rate β > 0 what is open closes by itself, in the place of projection; for comparison only [Baumgarte1972].
///
///   C a = γ − 2β (C v − rate) − β² Φ                        (MEC-32)
void evaluate(const Model& model, double t, std::span<const double> y, std::span<double> ydot, Scratch& scratch,
              double baumgarte_rate = 0);
/// (α, a) of every body in space components, after evaluate().
Pair acceleration_of(const Model& model, const Scratch& scratch, BodyId body);

/// What a joint does to its second body: force, and moment about the second joint point; space components. Motors and
/// springs of joints are not part of it.
struct Reaction {
  Vec3<double> force_N{};
  Vec3<double> moment_N{};
};
/// Of all joints, after evaluate() at the same state. Where constraints are redundant the reactions are one of many
/// choices.
void reactions(const Model& model, std::span<const double> y, Scratch& scratch, std::span<Reaction> result);

/// A constraint that is no joint of the tree, after evaluate() at the same state: calls `use(ConstraintNow)`.
template <class Use>
decltype(auto) with_constraint_now(const Model& model, std::span<const double> y, const Scratch& scratch,
                                   const ConstraintId& id, const Use& use) {
  const ModelConstraint& constraint = model.constraint(id);
  const auto index = static_cast<std::size_t>(&constraint - model.constraints().data());
  const Closure& closure =
      model.elimination().closures[static_cast<std::size_t>(model.elimination().closure_of[index])];
  std::array<End<double>, kMostSides> ends;
  for (std::size_t s = 0; s < constraint.ends.size(); ++s) { ends[s] = model.end(y, constraint.ends[s]); }
  const auto first = static_cast<std::size_t>(closure.first_row);
  const auto rows = static_cast<std::size_t>(closure.rows);
  return use(ConstraintNow{std::span(ends).first(constraint.ends.size()), std::span(scratch.rows).subspan(first, rows),
                           std::span(scratch.lambda).subspan(first, rows)});
}

/// How far a state is from its joints, loops and drivers: lengths in metre, angles times Model::length().
struct Residuals {
  double position = 0;
  double velocity = 0;
};
Residuals residuals(const Model& model, double t, std::span<const double> y, Scratch& scratch);

/// y ← the nearest state that the joints allow: positions by Newton's method, then velocities, both with the change
/// weighed by mass and inertia (MEC-20); |e| = 1 in passing.
struct ProjectionReport {
  double moved = 0;     ///< largest change of a position (angles times Model::length()), m
  double residual = 0;  ///< of positions, where Newton's method ended
  int iterations = 0;
};
ProjectionReport project(const Model& model, double t, std::span<double> y, Scratch& scratch);

/// What a driver exerts on its coordinate, N or N m, after evaluate().
double driver_force(const Model& model, const Scratch& scratch, int driver);

/// Of all forces and drivers, after evaluate() at the same state.
///
///   d/dt E = supplied − dissipated                          (MEC-30)
Power power(const Model& model, const Scratch& scratch);

struct Energy {
  double kinetic = 0;    ///< of bodies and wheels
  double potential = 0;  ///< of gravity, springs, stops and bushings
  double terms = 0;      ///< sizes of what both are sums of: what rounding is small against
  double total() const { return kinetic + potential; }
};
Energy energy(const Model& model, std::span<const double> y, std::span<const double> turns = {});

/// Freedoms at a state, and redundant constraints of joints there.
struct Mobility {
  int freedoms = 0;
  int redundant_rows = 0;
};
Mobility mobility(const Model& model, double t, std::span<const double> y, Scratch& scratch);

}  // namespace polhode
