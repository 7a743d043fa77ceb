#include "polhode/analysis/equilibrium.h"

#include "polhode/analysis/eigen.h"
#include "polhode/core/index.h"
#include "polhode/multibody/redundancy.h"
#include "polhode/simulation/mechanism.h"

#include <fmt/format.h>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/SVD>

#include <algorithm>
#include <cmath>

namespace polhode::analysis {
namespace {

/// A joint that projection leaves open by this part of the model's length does not close.
constexpr double kCloses = 1e-9;
/// The least steps say that all digits are there: Newton's method doubles them.
constexpr double kSmallStep = 1e-8;
/// Of the largest entry of K: what is less is zero, by rounding of derivatives.
constexpr double kZero = 1e-10;

/// The bound of a step: turns in rad, shifts in lengths of the model.
double extent(const Freedoms& freedoms, const Eigen::VectorXd& motion) {
  return std::fmax(freedoms.largest_turn(motion), freedoms.largest_shift(motion));
}

/// Steps of one search.
class EquilibriumSearch {
 public:
  EquilibriumSearch(const Model& model, Position start, const SearchOptions& options)
      : options_(options), balance_(model), here_(std::move(start)), parts_(balance_.parts()) {}

  Equilibrium operator()() {
    Equilibrium result;
    result.end = search(result);
    result.position = here_;
    result.freedoms = static_cast<int>(parts_.freedoms.count());
    result.residual = parts_.residual;
    if (result.found()) { describe(balance_, result); }
    return result;
  }

 private:
  SearchEnd search(Equilibrium& result) {
    if (!balance_.close(here_)) {
      result.reason = simulation::widest_gap(*parts_.model, parts_.t, here_.y);
      return SearchEnd::cannot_close;
    }
    if (!balance_.at(here_)) { return not_finite(result); }
    int polished = 0;
    int falling = 0;
    for (; result.steps < options_.most_steps; ++result.steps) {
      if (options_.keep_going && !options_.keep_going()) {
        result.reason = "interrupted";
        return SearchEnd::interrupted;
      }
      if (parts_.freedoms.count() == 0) { return SearchEnd::found; }
      balance_.differentiate(here_);
      if (!parts_.K.allFinite()) { return not_finite(result); }
      const Eigen::VectorXd g = parts_.g;
      const Eigen::VectorXd p = step();
      const Eigen::VectorXd motion = parts_.freedoms.Q() * p;
      const double size = extent(parts_.freedoms, motion);
      const double work = g.dot(p);
      const double bend = p.dot(parts_.K * p);
      if (!(size > 0)) { return SearchEnd::found; }
      if (size <= kSmallStep && polished >= kMostPolishing) { return SearchEnd::found; }

      const Position before = here_;
      const double norm_before = g.norm();
      const double residual_before = parts_.residual;
      const std::vector<double> along(motion.data(), motion.data() + motion.size());
      const Eigen::VectorXd momentum = parts_.freedoms.times_mass(motion);
      const bool closes = balance_.move(here_, along, 1);
      const bool finite = closes && balance_.at(here_);
      if (size <= kSmallStep) {
        // the last digits: as long as they get better
        ++polished;
        if (!finite || !(parts_.residual < residual_before)) {
          here_ = before;
          balance_.at(here_);
          balance_.differentiate(here_);
          return SearchEnd::found;
        }
        continue;
      }
      polished = 0;
      bool good = finite;
      double gain = 0;
      if (finite) {
        // trapezium of the work of the forces on the way; of |g|² with `nearest`
        const double work_after = parts_.a.dot(momentum);
        gain = options_.nearest ? (norm_before * norm_before - parts_.g.squaredNorm()) : 0.5 * (work + work_after);
        good = gain > 0;
      }
      if (!good) {
        bound_ = 0.25 * size;
        here_ = before;
        balance_.at(here_);
        if (bound_ < 1e-14) {
          result.reason =
              closes ? "steps became too small: forces jump, or rounding hides where they balance"
                     : "the mechanism cannot move on: " + simulation::widest_gap(*parts_.model, parts_.t, before.y);
          return SearchEnd::no_convergence;
        }
        continue;
      }
      const double expected = options_.nearest ? norm_before * norm_before : work - 0.5 * bend;
      if (gain > 0.75 * expected && size > 0.5 * bound_) { bound_ *= 2; }
      if (gain < 0.25 * expected) { bound_ *= 0.5; }
      // forces that stay as they are, however far it goes
      falling = std::fabs(bend) < 1e-6 * work && size > 0.25 ? falling + 1 : 0;
      constexpr int kFalls = 30;
      if (falling >= kFalls && !options_.nearest) { return nothing_holds(result, along); }
    }
    balance_.differentiate(here_);
    const Eigen::VectorXd motion = parts_.freedoms.Q() * parts_.g;
    result.unheld = unheld(motion);
    result.reason = fmt::format("no equilibrium found in {} steps: {:.6g} {} still act on the {}", result.steps,
                                result.unheld->force, result.unheld->turns ? "N m" : "N", result.unheld->text);
    return SearchEnd::no_convergence;
  }

  SearchEnd not_finite(Equilibrium& result) const {
    result.reason = "forces are not finite at a position of the search";
    return SearchEnd::not_finite;
  }

  UnheldFreedom unheld(const Eigen::VectorXd& motion) const {
    const FreedomInWords words = parts_.freedoms.in_words(here_.y, motion);
    const double work = parts_.a.dot(parts_.freedoms.times_mass(motion));
    return {words.text, words.rate != 0 ? work / words.rate : 0, words.turns};
  }

  SearchEnd nothing_holds(Equilibrium& result, const std::vector<double>& along) {
    // the last motion, seen where it led to
    Eigen::VectorXd motion = Eigen::Map<const Eigen::VectorXd>(along.data(), static_cast<Eigen::Index>(along.size()));
    const Eigen::MatrixXd& Q = parts_.freedoms.Q();
    motion = Q * (Q.transpose() * parts_.freedoms.times_mass(motion));
    result.unheld = unheld(motion);
    result.reason = fmt::format("nothing holds the {}: {:.6g} {} push it on and on", result.unheld->text,
                                result.unheld->force, result.unheld->turns ? "N m" : "N");
    return SearchEnd::nothing_holds;
  }

  /// (K + μ) p = g                                             (ANA-23)
  Eigen::VectorXd step() {
    const Eigen::MatrixXd& K = parts_.K;
    const Eigen::VectorXd& g = parts_.g;
    const Eigen::MatrixXd& Q = parts_.freedoms.Q();
    const auto small_enough = [&](const Eigen::VectorXd& p) {
      const Eigen::VectorXd motion = Q * p;
      constexpr double kMostTurn = 1;  // rad: whole turns stay known
      return parts_.freedoms.largest_turn(motion) <= std::fmin(bound_, kMostTurn) &&
             parts_.freedoms.largest_shift(motion) <= bound_;
    };
    // the least μ that keeps the bound; from all of a range that is too wide to miss it
    const auto bounded = [&](double least, double largest, const auto& solve) {
      Eigen::VectorXd p = solve(least);
      if (p.allFinite() && small_enough(p)) { return p; }
      double low = least;
      double high = std::fmax(largest, 1e-30);
      while (!small_enough(solve(high)) && high < 1e250) { high *= 16; }
      for (int k = 0; k < 60 && high > 1.05 * low; ++k) {
        const double middle = low > 0 ? std::sqrt(low * high) : high / 16;
        if (low == 0 && middle < 1e-12 * largest) { break; }
        (small_enough(solve(middle)) ? high : low) = middle;
      }
      return Eigen::VectorXd(solve(high));
    };
    if (options_.nearest) {
      const Eigen::JacobiSVD<Eigen::MatrixXd> svd(K, Eigen::ComputeFullU | Eigen::ComputeFullV);
      const Eigen::VectorXd s = svd.singularValues();
      const Eigen::VectorXd rotated = svd.matrixU().transpose() * g;
      return bounded(0, s(0) * s(0), [&](double mu) {
        Eigen::VectorXd q(s.size());
        for (Eigen::Index i = 0; i < s.size(); ++i) {
          q(i) = s(i) > kZero * s(0) ? rotated(i) * s(i) / (s(i) * s(i) + mu) : 0;
        }
        return Eigen::VectorXd(svd.matrixV() * q);
      });
    }
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(0.5 * (K + K.transpose()));
    const Eigen::VectorXd& kappa = eigen.eigenvalues();
    const double largest = std::fmax(std::fabs(kappa(0)), std::fabs(kappa(kappa.size() - 1)));
    const double zero = kZero * largest;
    Eigen::VectorXd pushed = eigen.eigenvectors().transpose() * g;
    if (kappa(0) > zero) {  // Newton's step, with all of K
      const Eigen::VectorXd p = K.partialPivLu().solve(g);
      if (p.allFinite() && small_enough(p) && g.dot(p) > 0) { return p; }
    }
    if (kappa(0) < -zero && g.norm() <= 1e-6 * forces()) {
      // on top of a hill nothing pushes: a nudge, always to the same side
      const Eigen::VectorXd motion = Q * eigen.eigenvectors().col(0);
      const double nudge = 0.01 / extent(parts_.freedoms, motion);
      if (std::fabs(pushed(0) / kappa(0)) < nudge) { pushed(0) = (pushed(0) < 0 ? -1 : 1) * nudge * -kappa(0); }
    }
    const double scale = g.norm();
    const double least = kappa(0) < -zero ? -1.0000001 * kappa(0) : 0;
    return bounded(least, std::fmax(2 * largest, scale), [&](double mu) {
      Eigen::VectorXd q(kappa.size());
      for (Eigen::Index i = 0; i < kappa.size(); ++i) {
        const double divisor = kappa(i) + mu;
        // a freedom that nothing pulls back: still where nothing pushes either
        const bool idle = std::fabs(kappa(i)) <= zero && std::fabs(pushed(i)) <= 1e-12 * forces();
        q(i) = idle ? 0 : divisor > 0 ? pushed(i) / divisor : (pushed(i) == 0 ? 0 : 1e300);
      }
      return Eigen::VectorXd(eigen.eigenvectors() * q);
    });
  }

  /// The size of what balances, as accelerations weighed by mass.
  double forces() const {
    double sum = 0;
    const Model& model = *parts_.model;
    for (std::size_t i = 1; i < model.elimination().nodes.size(); ++i) {
      const TreeNode& tree = model.elimination().nodes[i];
      const Pair& applied = parts_.directional.scratch().applied[i];
      const double L = model.length();
      const double force = norm(applied.lin) + norm(applied.ang) / L + tree.mass * norm(model.gravity_N());
      sum += force * force / tree.mass;
    }
    return std::sqrt(sum);
  }

  static constexpr int kMostPolishing = 4;
  SearchOptions options_;
  Balance balance_;
  Position here_;
  const Balance::Parts& parts_;
  double bound_ = 0.3;
};

}  // namespace

std::string_view to_text(SearchEnd end) {
  switch (end) {
    case SearchEnd::found:
      return "found";
    case SearchEnd::nothing_holds:
      return "nothing-holds";
    case SearchEnd::no_convergence:
      return "no-convergence";
    case SearchEnd::cannot_close:
      return "cannot-close";
    case SearchEnd::not_finite:
      return "not-finite";
    case SearchEnd::interrupted:
      return "interrupted";
  }
  return "";
}

std::string_view to_text(Stability::Kind kind) {
  switch (kind) {
    case Stability::Kind::stable:
      return "stable";
    case Stability::Kind::neutral:
      return "neutral";
    case Stability::Kind::unstable:
      return "unstable";
    case Stability::Kind::flutter:
      return "flutter";
  }
  return "";
}

Model at_rest(const Model& model, double t, std::span<const double> y, std::span<const double> turns) {
  std::vector<Driver> drivers = model.all<Driver>();
  for (Driver& driver : drivers) {
    const double value =
        driver.of_rate ? coordinate_at(model, y, turns, driver.joint, driver.coordinate) : driver.law(t)[0];
    driver.of_rate = false;
    driver.law = [value](double) { return std::array<double, 3>{value, 0, 0}; };
  }
  return with_drivers(model, std::move(drivers));
}

Balance::Balance(const Model& model, double t) : parts_(std::make_unique<Parts>(model, t)) {}
Balance::~Balance() = default;
Balance::Balance(Balance&&) noexcept = default;
const Model& Balance::model() const { return *parts_->model; }
Scratch& Balance::scratch() { return parts_->projecting; }

bool Balance::at(const Position& position) {
  Parts& p = *parts_;
  p.turns = position.turns;
  p.directional.at(p.t, position.y, p.turns);
  p.freedoms.at(position.y, p.directional.scratch());
  p.a = p.freedoms.accelerations(position.y, p.directional.rates());
  const Eigen::VectorXd unbalanced = p.freedoms.times_mass(p.a);
  p.g = p.freedoms.Q().transpose() * unbalanced;
  p.residual = 0;
  for (Eigen::Index row = 0; row < unbalanced.size(); row += 6) {
    p.residual = std::max(
        {p.residual, unbalanced.segment(row, 3).norm() / p.model->length(), unbalanced.segment(row + 3, 3).norm()});
  }
  return p.a.allFinite() && p.freedoms.Q().allFinite();
}

void Balance::differentiate(const Position& position) {
  Parts& p = *parts_;
  const Eigen::MatrixXd& Q = p.freedoms.Q();
  p.K.resize(Q.cols(), Q.cols());
  for (Eigen::Index c = 0; c < Q.cols(); ++c) {
    p.freedoms.as_change(position.y, Q.col(c), p.dy);
    p.directional.along(p.dy, p.dydot);
    // ω̇ in space components; that the axes of B turn with the change matters only where ω̇ is not zero
    p.K.col(c) = -Q.transpose() * p.freedoms.times_mass(p.freedoms.accelerations(position.y, p.dydot));
  }
}

bool Balance::close(Position& position) {
  Parts& p = *parts_;
  p.projecting.turns = position.turns;
  const ProjectionReport report = project(*p.model, p.t, position.y, p.projecting);
  come_to_rest(*p.model, position.y);
  p.model->count_turns(position.y, position.turns);
  p.projecting.turns = {};
  return report.residual <= kCloses * p.model->length();
}

bool Balance::move(Position& position, const std::vector<double>& motion, double factor) {
  Parts& p = *parts_;
  Eigen::VectorXd x =
      factor * Eigen::Map<const Eigen::VectorXd>(motion.data(), static_cast<Eigen::Index>(motion.size()));
  if (!p.rolls) {
    p.freedoms.move(x, position.y);
    return close(position);
  }
  // constraints on velocities alone are kept along the way, by the midpoint rule
  constexpr double kPiece = 0.01;  // rad, or lengths of the model: what slips is of its square
  const int pieces = 1 + static_cast<int>(std::fmin(extent(p.freedoms, x) / kPiece, 1000));
  x /= pieces;
  const auto allowed = [&](const Position& where) {
    p.directional.at(p.t, where.y, where.turns);
    p.freedoms.at(where.y, p.directional.scratch());
    return Eigen::VectorXd(p.freedoms.Q() * (p.freedoms.Q().transpose() * p.freedoms.times_mass(x)));
  };
  for (int k = 0; k < pieces; ++k) {
    Position middle = position;
    p.freedoms.move(0.5 * allowed(position), middle.y);
    if (!close(middle)) { return false; }
    p.freedoms.move(allowed(middle), position.y);
    if (!close(position)) { return false; }
  }
  return true;
}

Stability Balance::stability(const Position& position) const {
  const Parts& p = *parts_;
  Stability result;
  const Eigen::Index n = p.K.rows();
  if (n == 0) { return result; }
  const double size = p.K.cwiseAbs().maxCoeff();
  const double skew = (p.K - p.K.transpose()).cwiseAbs().maxCoeff();
  constexpr double kSymmetric = 1e-7;  // of the largest entry: derivatives of residual forces are not symmetric
  result.symmetric = skew <= kSymmetric * size;
  Eigen::VectorXd weakest;
  if (result.symmetric) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(0.5 * (p.K + p.K.transpose()));
    for (Eigen::Index i = 0; i < n; ++i) { result.eigenvalues.emplace_back(eigen.eigenvalues()(i), 0.0); }
    weakest = eigen.eigenvectors().col(0);
  } else {
    const Eigen::EigenSolver<Eigen::MatrixXd> eigen(p.K);
    std::vector<Eigen::Index> order(static_cast<std::size_t>(n));
    for (Eigen::Index i = 0; i < n; ++i) { order[static_cast<std::size_t>(i)] = i; }
    const auto key = [&](Eigen::Index i) {
      return std::pair{eigen.eigenvalues()(i).real(), eigen.eigenvalues()(i).imag()};
    };
    std::sort(order.begin(), order.end(), [&](Eigen::Index a, Eigen::Index b) { return key(a) < key(b); });
    for (const Eigen::Index i : order) { result.eigenvalues.push_back(eigen.eigenvalues()(i)); }
    weakest = eigen.eigenvectors().col(order[0]).real();
  }
  double largest = 0;
  for (const std::complex<double>& kappa : result.eigenvalues) { largest = std::fmax(largest, std::abs(kappa)); }
  constexpr double kNeutral = 1e-9;
  bool flutters = false;
  for (const std::complex<double>& kappa : result.eigenvalues) {
    if (std::abs(kappa) <= kNeutral * largest || largest == 0) {
      ++result.neutral;
    } else if (kappa.real() < 0) {
      ++result.negative;
    }
    flutters = flutters || std::fabs(kappa.imag()) > 1e-6 * largest;
  }
  using Kind = Stability::Kind;
  result.kind = result.negative > 0  ? Kind::unstable
                : flutters           ? Kind::flutter
                : result.neutral > 0 ? Kind::neutral
                                     : Kind::stable;
  result.weakest = p.freedoms.in_words(position.y, p.freedoms.Q() * weakest).text;
  return result;
}

void describe(Balance& balance, Equilibrium& equilibrium) {
  const Model& model = balance.model();
  const Position& position = equilibrium.position;
  balance.at(position);
  balance.differentiate(position);
  equilibrium.freedoms = static_cast<int>(balance.parts().freedoms.count());
  equilibrium.residual = balance.parts().residual;
  equilibrium.stability = balance.stability(position);
  Scratch& scratch = balance.scratch();
  scratch.turns = position.turns;
  std::vector<double> ydot(position.y.size());
  evaluate(model, balance.parts().t, position.y, ydot, scratch);
  LeastReactions least = least_reactions(model, position.y, scratch);
  equilibrium.reactions = std::move(least.reactions);
  equilibrium.determined = std::move(least.determined);
  equilibrium.driver_forces.clear();
  for (std::size_t d = 0; d < model.all<Driver>().size(); ++d) {
    equilibrium.driver_forces.push_back(driver_force(model, scratch, static_cast<int>(d)));
  }
  scratch.turns = {};
}

Equilibrium find_equilibrium(const Model& model, Position start, const SearchOptions& options) {
  come_to_rest(model, start.y);
  if (start.turns.empty()) { start.turns.assign(model.counted().size(), 0); }
  model.count_turns(start.y, start.turns);
  return EquilibriumSearch(model, std::move(start), options)();
}

}  // namespace polhode::analysis
