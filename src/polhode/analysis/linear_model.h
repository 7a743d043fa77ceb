#pragma once

#include "polhode/analysis/coordinates.h"
#include "polhode/analysis/steady_motion.h"

#include <complex>
#include <span>
#include <string>
#include <vector>

/// Equations of motion of a mechanism linearised about a state, in as few coordinates as it has freedoms. Labels
/// (ANA-n): docs/theory/analysis.md.
namespace polhode::analysis {

/// Numbers in rows.
struct DenseMatrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<double> entries;  ///< row by row

  DenseMatrix() = default;
  DenseMatrix(std::size_t r, std::size_t c) : rows(r), columns(c), entries(r * c) {}
  double& operator()(std::size_t r, std::size_t c) { return entries[r * columns + c]; }
  double operator()(std::size_t r, std::size_t c) const { return entries[r * columns + c]; }
  friend bool operator==(const DenseMatrix&, const DenseMatrix&) = default;
};

/// One coordinate, or rate, of a linear model.
struct LinearState {
  LocalCoordinate of;  ///< nothing of a wheel
  bool is_rate = false;
  int wheel = -1;  ///< its speed
  std::string name;
};

/// What to linearise about.
enum class About {
  steady,  ///< an equilibrium or a steady motion; anything else fails
  state,   ///< what the state is, steady or not
};

/// A mechanism near one state y₀.
///
///   ẋ = A x                                                 (ANA-1)
///
/// x: changes of independent coordinates, then of independent rates, then of speeds of wheels. Euler parameters do not
/// appear, so there is no mode of their norm; holonomic and nonholonomic constraints are eliminated. About a steady
/// motion ẏ = σ(y), x is what is seen moving along with it, and A does not depend on time. About a moment of another
/// motion A holds there alone.
class LinearModel {
 public:
  /// Fails where the state is none to linearise about. `preferred`: names of coordinates and rates that shall be among
  /// the independent ones. `y` fulfils the constraints; the model must outlive this.
  /// `later_times`: as find_motion() has them.
  LinearModel(const Model& model, double t, std::span<const double> y, std::span<const double> turns, About about,
              std::span<const std::string> preferred = {}, std::span<const double> later_times = {});

  const std::vector<LinearState>& states() const { return states_; }
  std::size_t position_count() const { return positions_; }
  const DenseMatrix& A() const { return A_; }
  const MotionFound& motion() const { return motion_; }
  /// By state: a coordinate on which no rate depends, nor any coordinate that is not ignorable itself.
  const std::vector<bool>& ignorable() const { return ignorable_; }

  /// ẋ for a change of ẏ by forces that change by a unit: a column of B.
  std::vector<double> by_rates(std::span<const double> ydot) const;
  /// The change of y that changes x_k by 1, and the others not.
  std::span<const double> direction(std::size_t k) const {
    return std::span(directions_).subspan(k * y_.size(), y_.size());
  }
  std::span<const double> state() const { return y_; }
  double time() const { return t_; }

 private:
  void choose(std::span<const std::string> preferred);
  void differentiate();

  const Model* model_;
  double t_;
  std::vector<double> y_;
  std::vector<double> turns_;
  MotionFound motion_;
  std::vector<LinearState> states_;
  std::size_t positions_ = 0;
  std::vector<double> directions_;
  std::vector<double> flow_;  ///< f − σ at the state
  DenseMatrix A_;
  std::vector<bool> ignorable_;
};

/// An eigenvalue with its mode shape.
struct Mode {
  std::complex<double> eigenvalue;
  std::vector<std::complex<double>> shape;  ///< by state, largest entry 1
  /// −Re λ/|λ|; 1: decays without swinging, below 0: grows
  double damping() const;
};
/// Sorted by real part, largest first. States on which nothing depends, and those that do not change, are taken out
/// first: each gives an eigenvalue 0 to the last bit, and none to the others' rounding.
std::vector<Mode> modes(const DenseMatrix& A);
std::vector<std::complex<double>> eigenvalues(const DenseMatrix& A);

}  // namespace polhode::analysis
