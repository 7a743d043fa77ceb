#pragma once

#include "polhode/multibody/dynamics.h"
#include "polhode/multibody/least_reactions.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// Mechanisms all of whose freedoms are driven: positions, velocities and accelerations follow from the drivers alone,
/// and so do the forces that drivers and joints must bear. Labels: docs/theory/analysis.md.
namespace polhode::analysis {

/// Where a driven mechanism is at a time, and how it moves.
struct DrivenState {
  double t = 0;
  std::vector<double> y;
  std::vector<double> turns;  ///< by Model::counted()
  std::vector<double> ydot;
  double least = 0;  ///< least singular value of the rows, each of size 1: zero where the position is singular
  int side = 0;      ///< sign of the determinant of the rows where they are square: it tells branches apart; else 0
};

/// What a row of a table tells of a coordinate of a joint.
struct CoordinateMotion {
  double value = 0;
  double rate = 0;
  double acceleration = 0;
};

/// A position in which the rows of joints and drivers depend on each other.
struct DeadPoint {
  double t = 0;
  double least = 0;      ///< of the singular values there
  bool changes = false;  ///< beyond it the mechanism is on another branch
  std::string text;      ///< what could move there while all drivers stand
};

/// Why a mechanism is not driven as a whole; all "" where it is.
struct DrivenFaults {
  std::vector<std::string> undriven;  ///< combinations of freedoms that no driver moves
  std::vector<std::string> fighting;  ///< drivers that move what others move already
  std::vector<std::string> unfit;     ///< drivers of rates, constraints on velocities alone
  bool singular = false;  ///< as many drivers as freedoms, none of which repeats another one but here: a dead point
};

class Freedoms;

/// Positions, velocities and accelerations of a mechanism whose drivers move all of its freedoms.
///
///   Φ(x, t) = 0,   C v = rate,   C a = γ                     (ANA-30)
///
/// Positions by Newton's method from what velocities and accelerations predict, so that a mechanism goes on smoothly
/// through positions where it could go on in two ways. The model must outlive it.
class DrivenMotion {
 public:
  explicit DrivenMotion(const Model& model);
  ~DrivenMotion();
  DrivenMotion(const DrivenMotion&) = delete;
  DrivenMotion& operator=(const DrivenMotion&) = delete;

  const Model& model() const { return *model_; }
  /// Looks at the state of a model, whose drivers may be none.
  static DrivenFaults faults(const Model& model, double t, std::span<const double> y);

  /// At `t`, from a position that is near; nothing where the mechanism does not close.
  std::optional<DrivenState> start(double t, std::vector<double> y, std::vector<double> turns);
  /// From a state to another time, earlier or later, in as many steps as it takes. False: it cannot follow its drivers
  /// beyond state.t.
  bool advance(DrivenState& state, double t);
  /// Of a state, for all that follows.
  void look(const DrivenState& state);

  // after look()
  CoordinateMotion coordinate(int joint, Coordinate coordinate) const;
  double driver(int index) const { return driver_force(*model_, scratch_, index); }
  /// By joint; where constraints are redundant the least ones.
  const std::vector<Reaction>& reactions();
  Pair acceleration(BodyId body) const { return acceleration_of(*model_, scratch_, body); }
  /// Σ of the power of all drivers.
  double driver_power() const;

  /// How far a joint would be open where advance() came to its end, in words.
  const std::string& trouble() const { return trouble_; }
  /// The motions that rows leave at a state but for what is nearly singular, in words: what could move at a dead point.
  std::string loosest(const DrivenState& state);

 private:
  bool step(const DrivenState& from, double t, DrivenState& to);
  bool complete(DrivenState& state);

  const Model* model_;
  Scratch scratch_;
  std::unique_ptr<Freedoms> freedoms_;
  LeastReactionSolver least_;
  std::vector<Reaction> reactions_;
  const DrivenState* now_ = nullptr;
  std::string trouble_;
};

/// The dead point between two states of one motion, at which the least singular value σ is zero. Where the mechanism
/// goes to another branch there, σ changes its sign with that of the determinant, and the time is that of a cubic
/// through four moments near it; where it turns back, that of the least σ, which must be below kDead of what it is
/// around:
///
///   det C = 0;   σ(t) → min                                  (ANA-31)
///
/// Nothing where there is none.
std::optional<DeadPoint> dead_point(DrivenMotion& motion, const DrivenState& before, const DrivenState& after);

}  // namespace polhode::analysis
