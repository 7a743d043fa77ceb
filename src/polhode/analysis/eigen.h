#pragma once

#include "polhode/analysis/equilibrium.h"
#include "polhode/analysis/freedoms.h"
#include "polhode/analysis/linear_model.h"
#include "polhode/multibody/derivatives.h"

#include <Eigen/Core>

#include <span>
#include <vector>

/// The freedoms of a mechanism at a position: an orthonormal basis of all motions that its constraints allow, and what
/// can be said of one. Including it requires Eigen: for the sources of this room, and no other header includes it.
/// Labels: docs/theory/analysis.md.
namespace polhode::analysis {

// Our own numbers as Eigen's, in place.

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

inline Eigen::Index to_index(std::size_t i) { return static_cast<Eigen::Index>(i); }
inline Eigen::Map<const Eigen::VectorXd> as_eigen(const std::vector<double>& x) {
  return {x.data(), to_index(x.size())};
}
inline Eigen::Map<const RowMajor> as_eigen(const DenseMatrix& a) {
  return {a.entries.data(), to_index(a.rows), to_index(a.columns)};
}

/// Small motions of all bodies are columns of 6 numbers a body, (φ; d): a turn about and a shift of the mass centre,
/// space components. Where the constraints are C x = 0, rows on velocities alone included,
///
///   Q:  C Q = 0,   Qᵀ M Q = 1                               (ANA-20)
///
/// T are the motions of the joints of the spanning tree, one column a freedom; with M = G Gᵀ and Gᵀ T = B U (QR), the
/// rows of what closes loops, on B, leave N, and Q = G⁻ᵀ B N. Redundant constraints do no harm: a row that says less
/// than kIndependent of itself behind the others counts as none.
class Freedoms {
 public:
  static constexpr double kIndependent = 3e-5;  ///< √kRankTolerance: the angle between rows

  explicit Freedoms(const Model& model);
  /// At a state that `scratch` was evaluated at.
  void at(std::span<const double> y, const Scratch& scratch);

  const Model& model() const { return *model_; }
  Eigen::Index count() const { return Q_.cols(); }
  const Eigen::MatrixXd& Q() const { return Q_; }
  /// Rows of all closures, each of the size 1 for free bodies: on T, a smooth function of the position, and on B.
  const Eigen::MatrixXd& rows_on_tree() const { return rows_; }
  const Eigen::MatrixXd& rows_on_basis() const { return on_basis_; }
  /// M x
  Eigen::VectorXd times_mass(const Eigen::VectorXd& x) const;
  /// The largest turn, and the largest shift in lengths of the model.
  double largest_turn(const Eigen::VectorXd& x) const;
  double largest_shift(const Eigen::VectorXd& x) const;
  /// A motion as a change of y: of positions alone.
  void as_change(std::span<const double> y, const Eigen::VectorXd& x, std::span<double> dy) const;
  /// y after a motion: each body turned and shifted by itself; velocities as they were.
  void move(const Eigen::VectorXd& x, std::span<double> y) const;
  /// Accelerations of all bodies out of ẏ at a state at rest, (α; a).
  Eigen::VectorXd accelerations(std::span<const double> y, std::span<const double> ydot) const;
  FreedomInWords in_words(std::span<const double> y, const Eigen::VectorXd& x) const;

 private:
  const Model* model_;
  Eigen::MatrixXd T_;
  Eigen::MatrixXd rows_;
  Eigen::MatrixXd on_basis_;
  Eigen::MatrixXd Q_;
  std::vector<Mat3<double>> J_N_;  ///< by body
};

/// What Balance knows at a position.
struct Balance::Parts {
  Parts(const Model& of, double time)
      : model(&of),
        t(time),
        directional(of),
        projecting(of),
        freedoms(of),
        rolls(holds_velocities(of)),
        dy(of.state_size()),
        dydot(of.state_size()) {}

  const Model* model;
  double t;
  Directional directional;
  Scratch projecting;
  Freedoms freedoms;
  bool rolls;         ///< some constraints are on velocities alone
  Eigen::VectorXd a;  ///< accelerations from rest, (α; a) by body
  Eigen::VectorXd g;  ///< ANA-21
  Eigen::MatrixXd K;  ///< ANA-22
  double residual = 0;
  std::vector<double> dy, dydot;
  std::vector<double> turns;  ///< as the last evaluation was given them
};

}  // namespace polhode::analysis
