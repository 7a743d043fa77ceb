#include "polhode/analysis/linear_model.h"

#include "polhode/core/error.h"
#include "polhode/math/dual.h"

#include <fmt/format.h>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>

#include <algorithm>
#include <cmath>

namespace polhode::analysis {
namespace {

using Second = Dual<Dual<double>>;  ///< along the motion, and along a direction

/// Rows (coordinates) of `of` that depend on none before them, the best first: Gram-Schmidt with pivots
/// [GolubVanLoan2013, section 5.4]. `weight` scales a row where rows are compared.
std::vector<std::size_t> independent_rows(Eigen::MatrixXd of, const std::vector<double>& weight) {
  std::vector<std::size_t> chosen;
  const Eigen::VectorXd size = of.rowwise().norm();
  const double largest = size.size() == 0 ? 0 : size.maxCoeff();
  for (Eigen::Index n = 0; n < std::min(of.rows(), of.cols()); ++n) {
    Eigen::Index best = -1;
    double most = 0;
    for (Eigen::Index r = 0; r < of.rows(); ++r) {
      const double left = of.row(r).norm();
      // what is left of a row by rounding is nothing
      if (!(left > 1e-9 * std::fmax(size(r), 1e-6 * largest))) { continue; }
      const double value = left * weight[at(r)];
      if (value > most * (1 + 1e-9)) {
        most = value;
        best = r;
      }
    }
    if (best < 0) { break; }
    chosen.push_back(at(best));
    const Eigen::RowVectorXd unit = of.row(best).normalized();
    for (int twice = 0; twice < 2; ++twice) { of -= (of * unit.transpose()) * unit; }
  }
  return chosen;
}

/// Changes of poses, with velocities that go with them, and of velocities alone, that all constraints allow: those of
/// the tree, as far as what closes loops, rolls or is driven lets them.
///
///   G z = 0,   H p = −K z,   H w = 0                        (ANA-4)
///
/// G: rows on positions by poses; K, H: speeds of all rows by poses and by rates.
struct Allowed {
  Eigen::MatrixXd poses;
  Eigen::MatrixXd rates;
};
Allowed allowed_directions(const Model& model, double t, std::span<const double> y) {
  const TreeDirections tree = tree_directions(model, y);
  const auto size = static_cast<Eigen::Index>(y.size());
  const auto n = static_cast<Eigen::Index>(tree.count);
  const Eigen::Map<const Eigen::MatrixXd> poses(tree.poses.data(), size, n);
  const Eigen::Map<const Eigen::MatrixXd> rates(tree.rates.data(), size, n);
  if (model.elimination().closures.empty()) { return {poses, rates}; }
  const auto rows = static_cast<Eigen::Index>(model.row_count());
  Eigen::MatrixXd G(rows, n);
  Eigen::MatrixXd K(rows, n);
  Eigen::MatrixXd H(rows, n);
  std::vector<Dual<double>> state(y.size());
  std::vector<Dual<double>> values;
  std::vector<Dual<double>> speeds;
  const auto along = [&](const Eigen::Map<const Eigen::MatrixXd>& directions, Eigen::Index k) {
    for (std::size_t i = 0; i < y.size(); ++i) { state[i] = {y[i], directions(static_cast<Eigen::Index>(i), k)}; }
    constraint_values(model, t, StateNow<Dual<double>>(model, state), values, speeds);
  };
  for (Eigen::Index k = 0; k < n; ++k) {
    along(poses, k);
    for (Eigen::Index r = 0; r < rows; ++r) {
      G(r, k) = values[at(r)].derivative;
      K(r, k) = speeds[at(r)].derivative;
    }
    along(rates, k);
    for (Eigen::Index r = 0; r < rows; ++r) { H(r, k) = speeds[at(r)].derivative; }
  }
  // what a row says, in units of its own
  const auto left_free = [&](const Eigen::MatrixXd& a) -> Eigen::MatrixXd {
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(a.transpose());
    qr.setThreshold(kRankTolerance);
    const Eigen::MatrixXd Q = qr.householderQ();
    return Q.rightCols(n - qr.rank());
  };
  const Eigen::MatrixXd z = left_free(G);
  const Eigen::MatrixXd w = left_free(H);
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver;
  solver.setThreshold(kRankTolerance);
  solver.compute(H);
  const Eigen::MatrixXd p = solver.solve(-K * z);
  return {poses * z + rates * p, rates * w};
}

/// Fails where nearby states have fewer freedoms: loops that lie flat, a cross that has folded.
void require_regular(const Model& model, double t, std::span<const double> y, std::span<const double> turns,
                     const Eigen::MatrixXd& poses, Eigen::Index freedoms) {
  if (model.elimination().closures.empty() || poses.cols() == 0) { return; }
  Scratch scratch(model);
  scratch.turns = turns;
  std::vector<double> near(y.begin(), y.end());
  for (Eigen::Index k = 0; k < poses.cols(); ++k) {
    // a hundredth of each, no two alike
    const double step = 0.01 * (1 + 0.37 * std::sin(3.0 * static_cast<double>(k + 1)));
    for (std::size_t i = 0; i < near.size(); ++i) { near[i] += step * poses(static_cast<Eigen::Index>(i), k); }
  }
  project(model, t, near, scratch);
  if (!std::all_of(near.begin(), near.end(), [](double x) { return std::isfinite(x); })) { return; }
  const Allowed there = allowed_directions(model, t, near);
  if (there.poses.cols() == poses.cols() && there.rates.cols() == freedoms) { return; }
  fail(Error(
      Problem{.what = fmt::format("the configuration is singular: {} coordinates and {} rates here, {} and {} nearby",
                                  poses.cols(), freedoms, there.poses.cols(), there.rates.cols()),
              .allowed = "its linear equations are not those of any motion",
              .cure = "linearise about another state"}));
}

double weight_of(const LocalCoordinate& one, double length) {
  using Of = LocalCoordinate::Of;
  // coordinates that a user knows by name are better than those of bodies that float, attitudes better than positions
  const double known = one.of == Of::joint ? 10 : one.of == Of::body_position ? 0.2 : 1;
  return known * (one.is_angle ? 1 : 1 / length);
}

}  // namespace

LinearModel::LinearModel(const Model& model, double t, std::span<const double> y, std::span<const double> turns,
                         About about, std::span<const std::string> preferred, std::span<const double> later_times)
    : model_(&model), t_(t), y_(y.begin(), y.end()), turns_(turns.begin(), turns.end()) {
  motion_ = find_motion(model, t_, y_, turns_, later_times);
  if (about == About::steady && motion_.kind == MotionFound::Kind::none) {
    std::string why;
    if (!std::isfinite(motion_.residual)) {
      why = "its accelerations are not finite";
    } else if (motion_.by_time) {
      why = "what acts on it changes with time";
    } else if (motion_.changes) {
      why = "it is balanced at this moment alone: its forces change along its own motion";
    } else {
      why = fmt::format("accelerations are {:.3g} times the forces, and {:.3g} of the speeds follow no symmetry",
                        motion_.residual, motion_.drift);
    }
    fail(
        Error(Problem{.what = "the state is no equilibrium and no steady motion",
                      .allowed = why,
                      .cure = "--about state linearises at this moment; polhode solve FILE statics finds equilibria"}));
  }
  choose(preferred);
  differentiate();
}

void LinearModel::choose(std::span<const std::string> preferred) {
  const Model& model = *model_;
  const std::vector<LocalCoordinate> all = local_coordinates(model);
  const std::size_t size = y_.size();
  const auto [poses, rates] = allowed_directions(model, t_, y_);
  require_regular(model, t_, y_, turns_, poses, rates.cols());

  // how coordinates and rates change along each direction
  const auto rows = static_cast<Eigen::Index>(all.size());
  Eigen::MatrixXd q_by_pose(rows, poses.cols());
  Eigen::MatrixXd u_by_pose(rows, poses.cols());
  Eigen::MatrixXd u_by_rate(rows, rates.cols());
  std::vector<Dual<double>> state(size);
  const auto along = [&](const Eigen::MatrixXd& directions, Eigen::Index k, const auto& take) {
    for (std::size_t i = 0; i < size; ++i) { state[i] = {y_[i], directions(static_cast<Eigen::Index>(i), k)}; }
    const StateNow<Dual<double>> now(model, state);
    for (Eigen::Index r = 0; r < rows; ++r) { take(r, local_coordinate(all[at(r)], now, y_)); }
  };
  for (Eigen::Index k = 0; k < poses.cols(); ++k) {
    along(poses, k, [&](Eigen::Index r, const CoordinateValueOf<Dual<double>>& x) {
      q_by_pose(r, k) = x.value.derivative;
      u_by_pose(r, k) = x.rate.derivative;
    });
  }
  for (Eigen::Index k = 0; k < rates.cols(); ++k) {
    along(rates, k,
          [&](Eigen::Index r, const CoordinateValueOf<Dual<double>>& x) { u_by_rate(r, k) = x.rate.derivative; });
  }

  std::vector<double> weight(all.size());
  const auto is_preferred = [&](const std::string& name) {
    return std::find(preferred.begin(), preferred.end(), name) != preferred.end();
  };
  for (const std::string& name : preferred) {
    std::vector<std::string_view> known;
    for (const LocalCoordinate& one : all) {
      known.push_back(one.name);
      known.push_back(one.rate_name);
    }
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      fail(Error(unknown_name("coordinate", name, known)));
    }
  }
  for (std::size_t r = 0; r < all.size(); ++r) {
    weight[r] = weight_of(all[r], model.length()) * (is_preferred(all[r].name) ? 1e4 : 1);
  }
  const std::vector<std::size_t> positions = independent_rows(q_by_pose, weight);
  // rates of independent coordinates are better than others
  for (std::size_t r = 0; r < all.size(); ++r) {
    const bool own = std::find(positions.begin(), positions.end(), r) != positions.end();
    weight[r] = weight_of(all[r], model.length()) * (own ? 3 : 1) * (is_preferred(all[r].rate_name) ? 1e4 : 1);
  }
  const std::vector<std::size_t> speeds = independent_rows(u_by_rate, weight);
  positions_ = positions.size();
  const auto sorted = [](std::vector<std::size_t> list) {
    std::sort(list.begin(), list.end());
    return list;
  };
  const std::vector<std::size_t> q = sorted(positions);
  const std::vector<std::size_t> u = sorted(speeds);
  for (const std::size_t r : q) { states_.push_back({all[r], false, -1, all[r].name}); }
  for (const std::size_t r : u) { states_.push_back({all[r], true, -1, all[r].rate_name}); }

  // directions that change one coordinate each
  const auto m_q = static_cast<Eigen::Index>(q.size());
  const auto m_u = static_cast<Eigen::Index>(u.size());
  if (m_q != poses.cols() || m_u != rates.cols()) {
    fail(Error(fmt::format("{} coordinates and {} rates tell {} and {} freedoms apart: the state is singular", m_q, m_u,
                           poses.cols(), rates.cols())));
  }
  Eigen::MatrixXd Q(m_q, m_q);
  Eigen::MatrixXd P(m_u, m_q);
  Eigen::MatrixXd U(m_u, m_u);
  for (Eigen::Index i = 0; i < m_q; ++i) { Q.row(i) = q_by_pose.row(static_cast<Eigen::Index>(q[at(i)])); }
  for (Eigen::Index i = 0; i < m_u; ++i) {
    P.row(i) = u_by_pose.row(static_cast<Eigen::Index>(u[at(i)]));
    U.row(i) = u_by_rate.row(static_cast<Eigen::Index>(u[at(i)]));
  }
  const auto inverse = [](const Eigen::MatrixXd& a) -> Eigen::MatrixXd {
    if (a.size() == 0) { return a; }
    return a.partialPivLu().inverse();
  };
  const Eigen::MatrixXd Q_inverse = inverse(Q);
  const Eigen::MatrixXd U_inverse = inverse(U);
  directions_.resize(size * (q.size() + u.size() + model.wheel_count()));
  Eigen::Map<Eigen::MatrixXd> to(directions_.data(), static_cast<Eigen::Index>(size),
                                 m_q + m_u + static_cast<Eigen::Index>(model.wheel_count()));
  to.setZero();
  if (m_q > 0) { to.leftCols(m_q) = poses * Q_inverse - rates * (U_inverse * (P * Q_inverse)); }
  if (m_u > 0) { to.middleCols(m_q, m_u) = rates * U_inverse; }
  for (std::size_t w = 0; w < model.wheel_count(); ++w) {
    LinearState wheel;
    wheel.wheel = static_cast<int>(w);
    wheel.is_rate = true;
    wheel.name = model.wheels()[w].name + "_speed";
    std::replace(wheel.name.begin(), wheel.name.end(), '-', '_');
    states_.push_back(std::move(wheel));
    to(static_cast<Eigen::Index>(model.bodies_size() + w), m_q + m_u + static_cast<Eigen::Index>(w)) = 1;
  }
}

namespace {

/// x, or ẋ, of a state on numbers that carry directions.
template <class S, class Take>
void each_state(const Model& model, const std::vector<LinearState>& states, std::span<const S> y,
                std::span<const double> reference, const Take& take) {
  const StateNow<S> now(model, y);
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (states[i].wheel >= 0) {
      take(i, model.wheel_speed(y, static_cast<std::size_t>(states[i].wheel)));
      continue;
    }
    const CoordinateValueOf<S> value = local_coordinate(states[i].of, now, reference);
    take(i, states[i].is_rate ? value.rate : value.value);
  }
}

}  // namespace

std::vector<double> LinearModel::by_rates(std::span<const double> ydot) const {
  std::vector<Dual<double>> y(y_.size());
  for (std::size_t i = 0; i < y.size(); ++i) { y[i] = {y_[i], ydot[i]}; }
  std::vector<double> result(states_.size());
  each_state<Dual<double>>(*model_, states_, y, y_,
                           [&](std::size_t i, const Dual<double>& x) { result[i] = x.derivative; });
  return result;
}

/// A_k = d/dε (ẋ) along direction k, with ẏ = f − σ:
///
///   A_k = D²x(d_k, f − σ) + Dx (∂f/∂y − ∂σ/∂y) d_k          (ANA-1)
void LinearModel::differentiate() {
  const Model& model = *model_;
  const std::size_t m = states_.size();
  const std::size_t size = y_.size();
  Directional directional(model);
  directional.at(t_, y_, turns_);
  const std::vector<double> f(directional.rates().begin(), directional.rates().end());
  const std::vector<double> sigma = motion_.motion.at(model, y_);
  flow_.resize(size);
  for (std::size_t i = 0; i < size; ++i) { flow_[i] = f[i] - sigma[i]; }

  A_ = DenseMatrix(m, m);
  std::vector<double> change(size);
  std::vector<double> sigma_change(size);
  std::vector<Second> y(size);
  for (std::size_t k = 0; k < m; ++k) {
    const std::span<const double> d = direction(k);
    directional.along(d, change);
    motion_.motion.along(model, y_, d, sigma_change);
    for (std::size_t i = 0; i < size; ++i) { y[i] = {{y_[i], flow_[i]}, {d[i], change[i] - sigma_change[i]}}; }
    each_state<Second>(model, states_, y, y_,
                       [&](std::size_t i, const Second& x) { A_(i, k) = x.derivative.derivative; });
  }
  for (const double x : A_.entries) {
    if (std::isfinite(x)) { continue; }
    std::string names;
    for (std::size_t k = 0; k < m; ++k) {
      bool finite = true;
      for (std::size_t i = 0; i < m; ++i) { finite = finite && std::isfinite(A_(i, k)); }
      if (!finite) { names += (names.empty() ? "" : ", ") + states_[k].name; }
    }
    fail(Error(Problem{.what = fmt::format("what acts has no derivative by {} at this state", names),
                       .allowed = "a root of zero, or a length that vanishes, has none",
                       .cure = "write the law without it, or linearise about another state"}));
  }
  // What rounding leaves of sums that vanish is zero: against the row, coordinates and rates each by themselves, and
  // against forces and speeds.
  for (std::size_t i = 0; i < m; ++i) {
    const bool angle = states_[i].wheel >= 0 || states_[i].of.is_angle;
    for (const auto& [first, end] : {std::pair{std::size_t{0}, positions_}, std::pair{positions_, m}}) {
      double scale = (states_[i].is_rate ? motion_.forces : motion_.speed) / (angle ? model.length() : 1);
      for (std::size_t k = first; k < end; ++k) { scale = std::fmax(scale, std::fabs(A_(i, k))); }
      for (std::size_t k = first; k < end; ++k) {
        if (std::fabs(A_(i, k)) <= 1e-13 * scale) { A_(i, k) = 0; }
      }
    }
  }
  // A coordinate is ignorable where nothing else depends on it but coordinates that are ignorable.
  ignorable_.assign(m, false);
  for (std::size_t k = 0; k < positions_; ++k) {
    bool matters = false;
    for (std::size_t i = positions_; i < m; ++i) { matters = matters || A_(i, k) != 0; }
    ignorable_[k] = !matters;
  }
  for (bool again = true; again;) {
    again = false;
    for (std::size_t k = 0; k < positions_; ++k) {
      for (std::size_t i = 0; i < positions_ && ignorable_[k]; ++i) {
        if (A_(i, k) == 0 || ignorable_[i]) { continue; }
        ignorable_[k] = false;
        again = true;
      }
    }
  }
}

double Mode::damping() const {
  const double size = std::abs(eigenvalue);
  return size > 0 ? -eigenvalue.real() / size : 0;
}

namespace {

/// The states that are left when those on which no other depends, and those that never change, are taken out, one after
/// the other.
std::vector<std::size_t> coupled_states(const DenseMatrix& A) {
  std::vector<std::size_t> left(A.rows);
  for (std::size_t i = 0; i < left.size(); ++i) { left[i] = i; }
  for (bool again = true; again;) {
    again = false;
    for (std::size_t p = 0; p < left.size(); ++p) {
      bool column = false;
      bool row = false;
      for (const std::size_t i : left) {
        column = column || A(i, left[p]) != 0;
        row = row || A(left[p], i) != 0;
      }
      if (column && row) { continue; }
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(p));
      again = true;
      break;
    }
  }
  return left;
}

Eigen::MatrixXd part_of(const DenseMatrix& A, const std::vector<std::size_t>& some) {
  const auto n = static_cast<Eigen::Index>(some.size());
  Eigen::MatrixXd part(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index k = 0; k < n; ++k) { part(i, k) = A(some[at(i)], some[at(k)]); }
  }
  return part;
}

void sort_values(std::vector<std::complex<double>>& values) {
  std::sort(values.begin(), values.end(), [](const auto& a, const auto& b) {
    return a.real() != b.real() ? a.real() > b.real() : a.imag() > b.imag();
  });
}

}  // namespace

std::vector<std::complex<double>> eigenvalues(const DenseMatrix& A) {
  const std::vector<std::size_t> some = coupled_states(A);
  std::vector<std::complex<double>> values(A.rows - some.size());
  if (!some.empty()) {
    const Eigen::EigenSolver<Eigen::MatrixXd> solver(part_of(A, some), false);
    for (Eigen::Index i = 0; i < solver.eigenvalues().size(); ++i) { values.push_back(solver.eigenvalues()(i)); }
  }
  sort_values(values);
  return values;
}

std::vector<Mode> modes(const DenseMatrix& A) {
  const std::vector<std::size_t> some = coupled_states(A);
  std::vector<Mode> all;
  if (!some.empty()) {
    const Eigen::EigenSolver<Eigen::MatrixXd> solver(part_of(A, some));
    for (Eigen::Index k = 0; k < solver.eigenvalues().size(); ++k) {
      Mode mode{solver.eigenvalues()(k), std::vector<std::complex<double>>(A.rows)};
      const Eigen::VectorXcd v = solver.eigenvectors().col(k);
      for (Eigen::Index i = 0; i < v.size(); ++i) { mode.shape[some[at(i)]] = v(i); }
      // states that others do not depend on follow: λ x_i = Σ A_ik x_k
      const std::complex<double> lambda = mode.eigenvalue;
      if (std::abs(lambda) > 0) {
        std::vector<bool> known(A.rows);
        for (const std::size_t i : some) { known[i] = true; }
        for (std::size_t round = 0; round < A.rows - some.size(); ++round) {
          for (std::size_t i = 0; i < A.rows; ++i) {
            if (known[i]) { continue; }
            std::complex<double> sum = 0;
            for (std::size_t j = 0; j < A.columns; ++j) { sum += A(i, j) * mode.shape[j]; }
            mode.shape[i] = sum / lambda;
          }
        }
      }
      std::complex<double> largest = 0;
      for (const auto& x : mode.shape) {
        if (std::abs(x) > std::abs(largest) * (1 + 1e-9)) { largest = x; }
      }
      for (auto& x : mode.shape) { x /= largest; }
      all.push_back(std::move(mode));
    }
  }
  std::vector<bool> left(A.rows, true);
  for (const std::size_t i : some) { left[i] = false; }
  for (std::size_t i = 0; i < A.rows; ++i) {
    if (!left[i]) { continue; }
    Mode mode{0, std::vector<std::complex<double>>(A.rows)};
    mode.shape[i] = 1;
    all.push_back(std::move(mode));
  }
  std::sort(all.begin(), all.end(), [](const Mode& a, const Mode& b) {
    const auto& x = a.eigenvalue;
    const auto& y = b.eigenvalue;
    return x.real() != y.real() ? x.real() > y.real() : x.imag() > y.imag();
  });
  return all;
}

}  // namespace polhode::analysis
