#pragma once

#include "polhode/multibody/dynamics.h"

#include <complex>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// Positions in which a mechanism stays at rest, and whether it does so when it is touched. Labels:
/// docs/theory/analysis.md.
namespace polhode::analysis {

/// A position: velocities in y are zero.
struct Position {
  std::vector<double> y;
  std::vector<double> turns;  ///< by Model::counted()
};

/// A mechanism whose drivers stand where they are at a time: those of a rate at the coordinate that `y` has.
Model at_rest(const Model& model, double t, std::span<const double> y, std::span<const double> turns);

/// What a combination of freedoms feels and does not do anything about.
struct UnheldFreedom {
  std::string text;    ///< "body 'ball' along (0, 0, -1)"
  double force = 0;    ///< generalised: N m on an angle, N on a length
  bool turns = false;  ///< an angle
};

enum class SearchEnd { found, nothing_holds, no_convergence, cannot_close, not_finite, interrupted };
std::string_view to_text(SearchEnd end);

struct SearchOptions {
  /// The equilibrium that Newton's method finds from here, stable or not; else one that is a minimum of the potential,
  /// where there is one.
  bool nearest = false;
  int most_steps = 1000;
  std::function<bool()> keep_going{};
};

/// How an equilibrium answers a small push, in tangent space:
///
///   ẍ = −K x,   K = −Qᵀ M ∂a/∂x Q                           (ANA-22)
///
/// a eigenvalue κ of K above zero is the square of an angular frequency, one below zero that of a rate of growth.
struct Stability {
  enum class Kind { stable, neutral, unstable, flutter };
  std::vector<std::complex<double>> eigenvalues;  ///< 1/s², by their real parts, least first
  int negative = 0;                               ///< real parts below zero
  int neutral = 0;                                ///< zero but for rounding
  bool symmetric = true;                          ///< the forces have a potential here
  Kind kind = Kind::stable;
  std::string weakest;  ///< the freedom of the least eigenvalue, in words; "" where there is none
};
std::string_view to_text(Stability::Kind kind);

struct Equilibrium {
  SearchEnd end = SearchEnd::no_convergence;
  std::string reason;   ///< one line, where none was found
  Position position;    ///< where the search ended
  int steps = 0;        ///< tried
  int freedoms = 0;     ///< of the mechanism there, those of drivers not among them
  double residual = 0;  ///< the largest force that is not balanced, N; moments divided by Model::length()
  std::optional<UnheldFreedom> unheld;
  Stability stability;
  std::vector<Reaction> reactions;    ///< by joint; where constraints are redundant the least ones
  std::vector<bool> determined;       ///< by joint: whether its reaction is the only one
  std::vector<double> driver_forces;  ///< by driver, N or N m

  bool found() const { return end == SearchEnd::found; }
};

/// What a mechanism lacks to equilibrium at a position, and its derivatives. With accelerations a from rest and Q of
/// ANA-20,
///
///   g = Qᵀ M a = Qᵀ f = 0                                   (ANA-21)
///
/// f being all that acts but constraints. The model must outlive it and be at rest.
class Balance {
 public:
  explicit Balance(const Model& model, double t = 0);
  ~Balance();
  Balance(Balance&&) noexcept;

  /// Whether all is finite there.
  bool at(const Position& position);
  struct Parts;
  const Parts& parts() const { return *parts_; }
  /// Fills what Parts says of derivatives.
  void differentiate(const Position& position);
  /// Takes a position along a motion of the bodies and closes joints again; whether they close.
  bool move(Position& position, const std::vector<double>& motion, double factor);
  /// Puts a position back on the constraints; whether they close.
  bool close(Position& position);
  const Model& model() const;
  Scratch& scratch();
  Stability stability(const Position& position) const;

 private:
  std::unique_ptr<Parts> parts_;
};

/// Looks for an equilibrium from a position on, which may be far from it. The model is at rest: at_rest().
///
/// Steps solve (K + μ) p = g (ANA-23): with μ = 0 Newton's, with a large μ along the forces. μ is as small as a bound
/// for turns and shifts allows, and keeps K + μ positive, so that steps go downhill whether or not there is a
/// potential; a step that the forces at its end say went uphill is taken back, and the bound shrinks. With `nearest`
/// steps make |g| small in the same manner.
Equilibrium find_equilibrium(const Model& model, Position start, const SearchOptions& options = {});

/// Reactions, forces of drivers and stability at a position that is one of equilibrium.
void describe(Balance& balance, Equilibrium& equilibrium);

}  // namespace polhode::analysis
