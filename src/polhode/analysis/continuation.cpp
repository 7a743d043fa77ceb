#include "polhode/analysis/continuation.h"

#include "polhode/analysis/eigen.h"
#include "polhode/core/counted.h"
#include "polhode/core/error.h"

#include <fmt/format.h>
#include <Eigen/LU>
#include <Eigen/SVD>

#include <algorithm>
#include <cmath>
#include <optional>

namespace polhode::analysis {
namespace {

class CurveWalk {
 public:
  CurveWalk(const ModelAt& model_at, const CurveOptions& options)
      : model_at_(model_at), options_(options), range_(options.to - options.from) {}

  Curve operator()(const Position& start) {
    Curve curve;
    Position from = start;
    if (const auto model = model_of(options_.from)) { from.turns.resize(model->counted().size()); }
    std::optional<Place> place = fixed({options_.from, std::move(from)});
    if (!place || !finish(*place, nullptr)) {
      curve.end = fmt::format("no equilibrium at the start, {:g}", options_.from);
      return curve;
    }
    if (place->point.stability.neutral > 0) {
      curve.end = fmt::format("nothing holds the {}: the equilibria of one value of the parameter are no single points",
                              place->point.stability.weakest);
      return curve;
    }
    place->point.mark = CurvePoint::Mark::end;
    curve.points.push_back(place->point);
    double h = kFirstStep;
    Place here = std::move(*place);
    const Place first = here;
    while (static_cast<int>(curve.points.size()) < options_.most_points) {
      if (options_.keep_going && !options_.keep_going()) {
        curve.end = "interrupted";
        curve.interrupted = true;
        return curve;
      }
      std::optional<Place> next = step(here, h);
      if (!next || next->tangent_before < kMostBend) {
        h *= 0.5;
        if (h < kLeastStep) {
          curve.end = fmt::format("the curve could not be followed beyond {:.10g}{}", here.point.parameter,
                                  trouble_.empty() ? "" : ": " + trouble_);
          return curve;
        }
        continue;
      }
      // where it leaves the range
      const double pi = share(next->point.parameter);
      const bool leaves = pi >= 1 || (pi <= 0 && share(here.point.parameter) > 0);
      add_between(curve, here, *next, h);
      if (leaves) {
        curve.end = fmt::format("the curve leaves the range at {:g}", pi >= 1 ? options_.to : options_.from);
        curve.complete = true;
        return curve;
      }
      curve.points.push_back(next->point);
      here = std::move(*next);
      h = std::fmin(corrections_ <= 3 ? 1.5 * h : h, kLongestStep);
    }
    curve.end = fmt::format("the curve goes on after {}", counted(curve.points.size(), "point"));
    return curve;
  }

 private:
  static constexpr double kFirstStep = 0.01;
  static constexpr double kLongestStep = 0.04;
  static constexpr double kLeastStep = 1e-8;
  static constexpr double kMostBend = 0.95;  ///< the least cosine between tangents, one step apart

  struct Place {
    CurvePoint point;
    std::shared_ptr<const Model> model{};
    Eigen::VectorXd motion{};  ///< of all bodies, along the curve, for a unit of arclength
    double pi_dot = 0;
    double tangent_before = 1;  ///< cosine to the tangent before
  };

  double share(double parameter) const { return (parameter - options_.from) / range_; }

  std::shared_ptr<const Model> model_of(double parameter) {
    try {
      return model_at_(parameter);
    } catch (const Error& error) {
      trouble_ = error.what();
      return nullptr;
    }
  }

  /// √m L: what makes motions of freedoms comparable with the parameter's share.
  static double unit(const Model& model) {
    double mass = 0;
    for (const BodyDescription& body : model.bodies()) { mass += body.mass.mass; }
    return std::sqrt(mass) * model.length();
  }

  /// ∂(M a)/∂π, on the bodies.
  std::optional<Eigen::VectorXd> by_parameter(const Position& position, double parameter) {
    constexpr double kDifference = 1e-5;  // of the range: the square of it is lost, and rounding over it
    std::array<Eigen::VectorXd, 2> side;
    for (std::size_t k = 0; k < 2; ++k) {
      const std::shared_ptr<const Model> model = model_of(parameter + (k == 0 ? -kDifference : kDifference) * range_);
      if (!model) { return {}; }
      Balance balance(*model);
      Position there = position;
      if (!balance.close(there) || !balance.at(there)) { return {}; }
      side[k] = balance.parts().freedoms.times_mass(balance.parts().a);
    }
    return Eigen::VectorXd((side[1] - side[0]) / (2 * kDifference));
  }

  /// [−K X, g_π] of a balance that was differentiated.
  std::optional<Eigen::MatrixXd> matrix(const Balance& balance, const Position& position, double parameter) {
    const auto slope = by_parameter(position, parameter);
    if (!slope) { return {}; }
    const Balance::Parts& parts = balance.parts();
    const Eigen::Index n = parts.K.rows();
    Eigen::MatrixXd A(n, n + 1);
    A.leftCols(n) = -unit(balance.model()) * parts.K;
    A.col(n) = parts.freedoms.Q().transpose() * *slope;
    return A;
  }

  /// Tangent and stability. The direction goes on from `before`, or into the range.
  bool finish(Place& place, const Place* before) {
    Balance balance(*place.model);
    if (!balance.at(place.point.position)) { return false; }
    balance.differentiate(place.point.position);
    const auto A = matrix(balance, place.point.position, place.point.parameter);
    if (!A || !A->allFinite()) { return false; }
    const Balance::Parts& parts = balance.parts();
    place.point.residual = parts.residual;
    place.point.stability = balance.stability(place.point.position);
    const Eigen::Index n = parts.K.rows();
    // rows of one size: stiff freedoms do not hide soft ones
    Eigen::MatrixXd scaled = *A;
    for (Eigen::Index r = 0; r < n; ++r) {
      const double size = scaled.row(r).norm();
      if (size > 0) { scaled.row(r) /= size; }
    }
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(scaled, Eigen::ComputeFullV);
    const Eigen::VectorXd tangent = svd.matrixV().col(n);
    const double X = unit(*place.model);
    place.motion = parts.freedoms.Q() * (X * tangent.head(n));
    place.pi_dot = tangent(n);
    double along = place.pi_dot;
    if (before != nullptr) {
      along = before->pi_dot * place.pi_dot +
              (parts.freedoms.Q().transpose() * parts.freedoms.times_mass(before->motion)).dot(tangent.head(n)) / X;
    }
    if (along < 0) {
      place.motion = -place.motion;
      place.pi_dot = -place.pi_dot;
    }
    place.tangent_before = std::fabs(along);
    return true;
  }

  /// Newton's method from a guess, the parameter fixed.
  std::optional<Place> fixed(const std::pair<double, Position>& guess) {
    return corrected(guess.first, guess.second, nullptr);
  }

  /// Newton's method on ANA-24; without `from` the parameter is fixed.
  std::optional<Place> corrected(double parameter, Position position, const Place* from) {
    Place place;
    place.model = model_of(parameter);
    if (!place.model) { return {}; }
    double last = 1e300;
    for (corrections_ = 0; corrections_ < 12; ++corrections_) {
      Balance balance(*place.model);
      if (!balance.close(position)) {
        trouble_ = "the mechanism does not close";
        return {};
      }
      if (!balance.at(position)) {
        trouble_ = "forces are not finite";
        return {};
      }
      balance.differentiate(position);
      const Balance::Parts& parts = balance.parts();
      const Eigen::Index n = parts.K.rows();
      const double X = unit(*place.model);
      Eigen::VectorXd change(n + 1);
      if (from == nullptr) {
        change.head(n) = (X * parts.K).partialPivLu().solve(parts.g);
        change(n) = 0;
      } else {
        const auto A = matrix(balance, position, parameter);
        if (!A) { return {}; }
        Eigen::MatrixXd square(n + 1, n + 1);
        square.topRows(n) = *A;
        square.row(n).head(n) =
            (parts.freedoms.Q().transpose() * parts.freedoms.times_mass(from->motion)).transpose() / X;
        square(n, n) = from->pi_dot;
        Eigen::VectorXd right(n + 1);
        right.head(n) = -parts.g;
        right(n) = 0;
        change = square.fullPivLu().solve(right);
      }
      const double size = change.norm();
      trouble_ = "Newton's method does not converge";
      if (!change.allFinite() || size > 0.5 || (corrections_ > 3 && size > last)) {
        // the last digits may dance
        if (std::isfinite(size) && last < 1e-9) { break; }
        return {};
      }
      parts.freedoms.move(parts.freedoms.Q() * (X * change.head(n)), position.y);
      if (change(n) != 0) {
        parameter += range_ * change(n);
        place.model = model_of(parameter);
        if (!place.model) { return {}; }
      }
      last = size;
      if (size < 1e-11) {
        Balance closing(*place.model);
        closing.close(position);
        break;
      }
    }
    if (!(last < 1e-9)) { return {}; }
    place.point.parameter = parameter;
    place.point.position = std::move(position);
    return place;
  }

  std::optional<Place> step(const Place& from, double h) {
    Position guess = from.point.position;
    Balance balance(*from.model);
    balance.at(guess);
    balance.parts().freedoms.move(h * from.motion, guess.y);
    std::optional<Place> next = corrected(from.point.parameter + h * from.pi_dot * range_, std::move(guess), &from);
    const int corrections = corrections_;
    if (next && !finish(*next, &from)) { next.reset(); }
    corrections_ = corrections;
    return next;
  }

  /// A step h where f of the place changes its sign, between two steps at which it does: the secant's, kept inside
  /// [DowellJarratt1971].
  template <class F>
  std::optional<std::pair<Place, double>> where(const Place& from, double low, double f_low, double high, double f_high,
                                                const F& f, double enough) {
    std::optional<std::pair<Place, double>> best;
    int kept = 0;
    for (int k = 0; k < 60; ++k) {
      double h = high - f_high * (high - low) / (f_high - f_low);
      if (!(h > low && h < high)) { h = 0.5 * (low + high); }
      std::optional<Place> place = step(from, h);
      if (!place) { return best; }
      const double value = f(*place);
      best = std::pair{std::move(*place), h};
      if (std::fabs(value) <= enough || high - low < 1e-13) { return best; }
      if ((value < 0) == (f_high < 0)) {
        high = h;
        f_high = value;
        if (kept == 1) { f_low *= 0.5; }
        kept = 1;
      } else {
        low = h;
        f_low = value;
        if (kept == -1) { f_high *= 0.5; }
        kept = -1;
      }
    }
    return best;
  }

  /// Points at values of the grid, folds, branchings and the end of the range between two places that are h apart.
  void add_between(Curve& curve, const Place& from, const Place& to, double h) {
    std::vector<std::pair<double, CurvePoint>> found;
    double fold = h;
    const Place* turned = nullptr;
    std::optional<std::pair<Place, double>> at_fold;
    if ((from.pi_dot < 0) != (to.pi_dot < 0)) {
      at_fold = where(from, 0, from.pi_dot, h, to.pi_dot, [](const Place& place) { return place.pi_dot; }, 1e-9);
    }
    const auto add_grid = [&](double low, const Place& a, double high, const Place& b) {
      const double p0 = a.point.parameter;
      const double p1 = b.point.parameter;
      for (std::size_t k = 0; k < options_.count; ++k) {
        const double value = options_.count < 2 ? options_.to
                                                : options_.from + range_ * static_cast<double>(k) /
                                                                      static_cast<double>(options_.count - 1);
        if (!((value > std::fmin(p0, p1) && value < std::fmax(p0, p1)) || value == p1)) { continue; }
        const auto place = where(
            from, low, share(p0) - share(value), high, share(p1) - share(value),
            [&](const Place& one) { return share(one.point.parameter) - share(value); }, 1e-7);
        if (!place) { continue; }
        std::optional<Place> exact = fixed({value, place->first.point.position});
        if (!exact || !finish(*exact, &from)) { exact = place->first; }
        exact->point.mark = k == 0 || k + 1 == options_.count ? CurvePoint::Mark::end : CurvePoint::Mark::grid;
        found.emplace_back(place->second, exact->point);
      }
    };
    if (at_fold) {
      turned = &at_fold->first;
      fold = at_fold->second;
      CurvePoint point = turned->point;
      point.mark = CurvePoint::Mark::fold;
      point.stability.kind = Stability::Kind::neutral;
      found.emplace_back(fold, point);
      add_grid(0, from, fold, *turned);
      add_grid(fold, *turned, h, to);
    } else {
      add_grid(0, from, h, to);
      const int before = from.point.stability.negative;
      const int after = to.point.stability.negative;
      if (before != after) {
        // halving by how many eigenvalues are below zero
        double low = 0;
        double high = h;
        std::optional<Place> last;
        for (int k = 0; k < 24; ++k) {
          std::optional<Place> place = step(from, 0.5 * (low + high));
          if (!place) { break; }
          (place->point.stability.negative == before ? low : high) = 0.5 * (low + high);
          last = std::move(place);
        }
        if (last) {
          last->point.mark = CurvePoint::Mark::branching;
          last->point.stability.kind = Stability::Kind::neutral;
          found.emplace_back(high, last->point);
        }
      }
    }
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& [at, point] : found) {
      const double pi = share(point.parameter);
      if (pi < -1e-12 || pi > 1 + 1e-12) { continue; }
      curve.points.push_back(std::move(point));
    }
  }

  const ModelAt& model_at_;
  const CurveOptions& options_;
  double range_;
  int corrections_ = 0;
  std::string trouble_;
};

}  // namespace

std::string_view to_text(CurvePoint::Mark mark) {
  switch (mark) {
    case CurvePoint::Mark::between:
      return "between";
    case CurvePoint::Mark::grid:
      return "grid";
    case CurvePoint::Mark::fold:
      return "fold";
    case CurvePoint::Mark::branching:
      return "branching";
    case CurvePoint::Mark::end:
      return "end";
  }
  return "";
}

Curve follow(const ModelAt& model_at, const Position& start, const CurveOptions& options) {
  return CurveWalk(model_at, options)(start);
}

}  // namespace polhode::analysis
