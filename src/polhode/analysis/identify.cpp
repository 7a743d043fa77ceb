#include "polhode/analysis/identify.h"

#include "polhode/analysis/eigen.h"
#include "polhode/analysis/identify_model.h"
#include "polhode/core/counted.h"
#include "polhode/core/error.h"

#include <Eigen/LU>
#include <Eigen/SVD>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace polhode {
namespace {

using analysis::as_eigen;
using analysis::FitEnd;
using analysis::FitPoint;
using analysis::FitProblem;
using analysis::IdentifyModel;
using analysis::Loss;
using analysis::RecordingRows;
using analysis::SharedUnknown;
using analysis::to_index;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// 95 % of the efficiency of least squares where all noise is normal [Huber1981].
constexpr double kHuber = 1.345;

// ---- noise ----------------------------------------------------------------------------------------------------------

/// The standard deviation of residuals, from their median: of a few wrong numbers it sees nothing.
double robust_deviation(std::vector<double> sizes) {
  if (sizes.empty()) { return 0; }
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  return 1.4826 * *middle;
}

/// Residuals of every sensor, in its unit.
std::vector<std::vector<double>> residuals_by_sensor(const IdentifyModel& model,
                                                     const std::vector<RecordingRows>& rows) {
  std::vector<std::vector<double>> by(model.sensors().size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto layout = model.layout(r);
    for (std::size_t i = 0; i < layout.size(); ++i) {
      const std::size_t sensor = layout[i].first;
      by[sensor].push_back(rows[r].residuals[i] * model.noise[sensor]);
    }
  }
  return by;
}

/// Residuals below this part of what a sensor shows are rounding.
constexpr double kExact = 1e-12;

/// Noise of the sensors that have none given, by the residuals; the largest relative change of one.
double estimate_noise(IdentifyModel& model, const std::vector<RecordingRows>& rows, bool robust, double share_left,
                      const std::vector<bool>& given) {
  double change = 0;
  const std::vector<std::vector<double>> all = residuals_by_sensor(model, rows);
  for (std::size_t s = 0; s < all.size(); ++s) {
    if (given[s] || all[s].empty()) { continue; }
    double sum = 0;
    std::vector<double> sizes;
    for (const double r : all[s]) {
      sum += r * r;
      sizes.push_back(std::fabs(r));
    }
    const double plain = std::sqrt(sum / (static_cast<double>(all[s].size()) * share_left));
    const double median = robust_deviation(std::move(sizes)) / std::sqrt(share_left);
    double now = robust && median > 0 ? median : plain;
    now = std::fmax(now, kExact * model.sensors()[s].size);
    change = std::fmax(change, std::fabs(now / model.noise[s] - 1));
    model.noise[s] = now;
  }
  return change;
}

// ---- what is told ---------------------------------------------------------------------------------------------------

/// Directions in the space of unknowns that nothing measured depends on, made of as few unknowns each as can be: rows.
MatrixXd sparse_rows(MatrixXd rows) {
  std::vector<bool> used(static_cast<std::size_t>(rows.cols()));
  for (Index r = 0; r < rows.rows(); ++r) {
    Index best = -1;
    Index pivot = r;
    double most = 0;
    for (Index i = r; i < rows.rows(); ++i) {
      for (Index c = 0; c < rows.cols(); ++c) {
        if (!used[static_cast<std::size_t>(c)] && std::fabs(rows(i, c)) > most) {
          most = std::fabs(rows(i, c));
          best = c;
          pivot = i;
        }
      }
    }
    if (best < 0) { break; }
    used[static_cast<std::size_t>(best)] = true;
    rows.row(r).swap(rows.row(pivot));
    rows.row(r) /= rows(r, best);
    for (Index i = 0; i < rows.rows(); ++i) {
      if (i != r) { rows.row(i) -= rows(i, best) * rows.row(r); }
    }
  }
  return rows;
}

/// What the log says of the shared unknowns.
struct Told {
  MatrixXd covariance;
  MatrixXd blind;  ///< rows: relative changes that nothing measured depends on
  std::vector<bool> told;
  std::size_t rank = 0;
};

/// Below this part of the largest singular value, a direction is one of differences' rounding.
constexpr double kBlind = 1e-6;
/// Parts of a blind direction below this are rounding.
constexpr double kPart = 1e-3;

Told told_by(const MatrixXd& information, const VectorXd& scale) {
  Told result;
  const Index n = scale.size();
  result.told.assign(static_cast<std::size_t>(n), true);
  result.covariance = MatrixXd::Zero(n, n);
  if (n == 0) { return result; }
  const Eigen::JacobiSVD<MatrixXd> svd(information * scale.asDiagonal(), Eigen::ComputeFullV);
  const VectorXd& sizes = svd.singularValues();
  const MatrixXd& V = svd.matrixV();
  const double least = kBlind * sizes[0];
  std::vector<Index> blind;
  for (Index i = 0; i < n; ++i) {
    if (!(sizes[i] > least)) {
      blind.push_back(i);
      continue;
    }
    ++result.rank;
    const VectorXd v = scale.asDiagonal() * V.col(i) / sizes[i];
    result.covariance += v * v.transpose();
  }
  MatrixXd rows(to_index(blind.size()), n);
  for (std::size_t i = 0; i < blind.size(); ++i) { rows.row(to_index(i)) = V.col(blind[i]).transpose(); }
  result.blind = sparse_rows(rows);
  for (Index c = 0; c < n; ++c) {
    for (Index r = 0; r < result.blind.rows(); ++r) {
      if (std::fabs(result.blind(r, c)) > kPart) { result.told[static_cast<std::size_t>(c)] = false; }
    }
  }
  return result;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += i == 0 ? "" : i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text;
}

/// A blind direction in words, and what is told of its unknowns all the same.
class BlindDirection {
 public:
  BlindDirection(const VectorXd& direction, const std::vector<IdentifiedValue>& values) : values_(&values) {
    for (Index i = 0; i < direction.size(); ++i) {
      if (std::fabs(direction[i]) <= kPart) { continue; }
      parts_.push_back(static_cast<std::size_t>(i));
      // of the relative change, as the value itself has its sign
      const double sign = values[static_cast<std::size_t>(i)].value < 0 ? -1 : 1;
      shares_.push_back(sign * direction[i]);
    }
  }

  bool is_common_factor() const {
    return parts_.size() > 1 && all_have_values() &&
           std::all_of(shares_.begin(), shares_.end(), [&](double x) { return std::fabs(x / shares_[0] - 1) < 1e-4; });
  }
  bool is_product() const {
    return parts_.size() == 2 && all_have_values() && std::fabs(shares_[1] / shares_[0] + 1) < 1e-4;
  }

  std::string in_words() const {
    std::vector<std::string> names;
    for (const std::size_t i : parts_) { names.push_back(value(i).name); }
    if (parts_.size() == 1) { return fmt::format("{}: nothing in the log depends on it", names[0]); }
    if (is_common_factor()) {
      return fmt::format("{}: only their ratios are told; times one factor they give the same log", listed(names));
    }
    if (is_product()) { return fmt::format("{}: only their product is told", listed(names)); }
    std::string change;
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      const IdentifiedValue& one = value(parts_[k]);
      change += change.empty() ? "" : ", ";
      change += one.value != 0 ? fmt::format("{} by {:+.3g} %", one.name, shares_[k] / shares_[0])
                               : fmt::format("{} by {:+.3g}", one.name, 0.01 * shares_[k] / shares_[0]);
    }
    return fmt::format("{}: only together; the log stays the same where they change so: {}", listed(names), change);
  }

  std::vector<IdentifiedCombination> combinations(const MatrixXd& covariance) const {
    std::vector<IdentifiedCombination> found;
    if (!is_common_factor() && !is_product()) { return found; }
    const std::size_t reference = *std::max_element(parts_.begin(), parts_.end(), [&](std::size_t a, std::size_t b) {
      return std::fabs(value(a).value) < std::fabs(value(b).value);
    });
    const double power = is_product() ? 1 : -1;
    for (const std::size_t i : parts_) {
      if (i == reference) { continue; }
      // the relative error of a product or ratio
      VectorXd by = VectorXd::Zero(covariance.rows());
      by[to_index(i)] = 1 / value(i).value;
      by[to_index(reference)] = power / value(reference).value;
      const double size = value(i).value * std::pow(value(reference).value, power);
      found.push_back({fmt::format("{}{}{}", value(i).name, is_product() ? "*" : "/", value(reference).name), size,
                       std::fabs(size) * std::sqrt(by.dot(covariance * by))});
    }
    return found;
  }

 private:
  const IdentifiedValue& value(std::size_t i) const { return (*values_)[i]; }
  bool all_have_values() const {
    return std::all_of(parts_.begin(), parts_.end(), [&](std::size_t i) { return value(i).value != 0; });
  }

  const std::vector<IdentifiedValue>* values_;
  std::vector<std::size_t> parts_;
  std::vector<double> shares_;
};

// ---- the whole ------------------------------------------------------------------------------------------------------

class Identifying {
 public:
  Identifying(const Scenario& scenario, const MeasuredLog& log, const IdentifyOptions& options)
      : log_(log), options_(options), model_(scenario, log, options) {
    found_.title = scenario.title;
    found_.parameters = options.parameters;
    for (const double noise : model_.noise) { given_.push_back(noise > 0); }
  }

  Identification operator()() {
    problem_.loss.huber = options_.robust ? kHuber : 0;
    problem_.keep_going = options_.keep_going;
    problem_.rows = [this](const FitPoint& point) { return model_.rows(point); };
    first_look();
    search();
    tell();
    return std::move(found_);
  }

 private:
  /// At the start: what can be predicted at all, own unknowns without effect, and a first idea of the noise.
  void first_look() {
    for (double& noise : model_.noise) { noise = noise > 0 ? noise : 1; }
    const std::vector<RecordingRows> rows = model_.rows(model_.start());
    for (const RecordingRows& one : rows) {
      if (one.possible) { continue; }
      fail(Error(Problem{.what = fmt::format("the fit cannot begin: {}", model_.trouble()),
                         .allowed = {},
                         .cure = "give parameters a better start with --set"}));
    }
    const std::vector<std::string> dropped = model_.drop_own_without_effect(rows);
    if (!dropped.empty()) {
      found_.not_told.push_back(
          fmt::format("{}: nothing in the log depends on {}", listed(dropped), dropped.size() == 1 ? "it" : "them"));
    }
    start_ = model_.start();
    static_cast<void>(estimate_noise(model_, rows, options_.robust, 1, given_));
  }

  void search() {
    problem_.shared_scale = model_.shared_scale();
    problem_.own_scale = model_.own_scale();
    const bool all_given = std::all_of(given_.begin(), given_.end(), [](bool given) { return given; });
    // with one sensor its noise scales everything, and changes no estimate
    const bool weights_matter = model_.sensors().size() > 1 || options_.robust;
    constexpr int kMostRounds = 12;
    FitPoint point = start_;
    for (int round = 0;; ++round) {
      end_ = analysis::fit(problem_, point);
      found_.iterations += end_.iterations;
      point = end_.point;
      if (all_given || end_.interrupted) { break; }
      const double change = estimate_noise(model_, end_.rows, options_.robust, share_left(), given_);
      if (change < (weights_matter ? 0.01 : 0.9) || round == kMostRounds) { break; }
    }
    end_.rows = model_.rows(end_.point);  // over the noise as it is now known
    found_.converged = end_.converged;
    found_.interrupted = end_.interrupted;
  }

  std::size_t number_count() const {
    std::size_t count = 0;
    for (const RecordingRows& rows : end_.rows) { count += rows.residuals.size(); }
    return count;
  }
  /// Of the residuals, what unknowns have not taken.
  double share_left() const {
    const double numbers = static_cast<double>(number_count());
    const double unknowns = static_cast<double>(model_.shared().size() + model_.own().size() * log_.recordings.size());
    return std::fmax(1, numbers - unknowns) / numbers;
  }

  /// Of the covariance: how much wider the loss makes it than least squares have it [Huber1981 §7.6].
  double widening() const {
    if (problem_.loss.huber <= 0) { return 1; }
    double squares = 0;
    double inside = 0;
    for (const RecordingRows& rows : end_.rows) {
      for (const double r : rows.residuals) {
        const double psi = r * problem_.loss.weight(r) * problem_.loss.weight(r);
        squares += psi * psi;
        inside += std::fabs(r) <= problem_.loss.huber ? 1 : 0;
      }
    }
    const double numbers = static_cast<double>(number_count());
    inside /= numbers;
    return squares / numbers / std::fmax(inside * inside, 1e-6);
  }

  void tell() {
    const MatrixXd by_fit = as_eigen(model_.values_by_shared(end_.point.shared));
    const std::vector<double> values = model_.values(end_.point.shared);
    const std::vector<double> start = model_.values(start_.shared);
    VectorXd scale(to_index(values.size()));
    for (std::size_t k = 0; k < values.size(); ++k) {
      const SharedUnknown& one = model_.shared()[k];
      found_.values.push_back({one.name, start[k], values[k], 0, true});
      scale[to_index(k)] = values[k] != 0 && !one.of_sensor() ? std::fabs(values[k]) : one.unit;
    }
    // R of the values as people know them: R_θ (dvalue/dθ)⁻¹
    MatrixXd information = as_eigen(analysis::shared_information(end_, Loss{}));
    if (!values.empty()) { information = information * by_fit.inverse(); }
    Told told = told_by(information, scale);
    told.covariance *= widening();
    found_.correlation = analysis::DenseMatrix(found_.values.size(), found_.values.size());
    for (std::size_t i = 0; i < found_.values.size(); ++i) {
      found_.values[i].told = told.told[i];
      found_.values[i].sigma = std::sqrt(told.covariance(to_index(i), to_index(i)));
    }
    for (std::size_t i = 0; i < found_.values.size(); ++i) {
      for (std::size_t k = 0; k < found_.values.size(); ++k) {
        const double both = found_.values[i].sigma * found_.values[k].sigma;
        const bool known = found_.values[i].told && found_.values[k].told && both > 0;
        found_.correlation(i, k) = known ? told.covariance(to_index(i), to_index(k)) / both : 0;
      }
    }
    for (Index r = 0; r < told.blind.rows(); ++r) {
      const BlindDirection blind(told.blind.row(r).transpose(), found_.values);
      found_.not_told.push_back(blind.in_words());
      for (IdentifiedCombination& one : blind.combinations(told.covariance)) {
        found_.combinations.push_back(std::move(one));
      }
    }
    for (const IdentifiedValue& one : found_.values) {
      if (one.told && one.value != 0 && one.sigma > std::fabs(one.value) &&
          one.name.find(" of ") == std::string::npos) {
        found_.not_told.push_back(fmt::format("{}: hardly; its uncertainty is larger than itself", one.name));
      }
    }
    tell_own(told, by_fit);
    tell_sensors();
    tell_curves();
    found_.freedoms = static_cast<double>(found_.numbers) - static_cast<double>(told.rank) -
                      static_cast<double>(model_.own().size() * log_.recordings.size());
    for (const std::string& note : model_.notes()) { found_.notes.push_back(note); }
    if (!found_.converged && !found_.interrupted) {
      found_.notes.push_back("the search did not come to an end: better starts, or fewer unknowns, may help");
    }
    const bool all_given = std::all_of(given_.begin(), given_.end(), [](bool given) { return given; });
    const double ratio = found_.chi_squared / std::fmax(found_.freedoms, 1);
    // beyond five standard deviations of chi squared
    if (all_given && std::fabs(ratio - 1) > 5 * std::sqrt(2 / std::fmax(found_.freedoms, 1))) {
      found_.notes.push_back(fmt::format(
          "residuals are {:.3g} times what the noise that was given would leave: {}", std::sqrt(ratio),
          ratio > 1
              ? "the scenario does not describe all of the log, or the noise is larger; uncertainties are too small"
              : "the noise is smaller than said; uncertainties are too large"));
    }
  }

  /// Values of the own unknowns, their uncertainty with that of the shared ones.
  void tell_own(const Told& told, const MatrixXd& by_fit) {
    if (model_.own().empty()) { return; }
    const MatrixXd of_fit =
        by_fit.size() > 0 ? MatrixXd(by_fit.inverse() * told.covariance * by_fit.inverse().transpose()) : MatrixXd();
    const std::vector<double> own_scale = model_.own_scale();
    for (std::size_t r = 0; r < log_.recordings.size(); ++r) {
      found_.recordings.push_back(log_.recordings[r].name);
      const MatrixXd O = as_eigen(end_.rows[r].by_own);
      const VectorXd scale = as_eigen(own_scale);
      MatrixXd inverse = MatrixXd::Zero(O.cols(), O.rows());
      VectorXd blind = VectorXd::Ones(O.cols());
      if (O.rows() > 0) {
        const Eigen::JacobiSVD<MatrixXd> svd(O * scale.asDiagonal(), Eigen::ComputeThinU | Eigen::ComputeFullV);
        const VectorXd& sizes = svd.singularValues();
        blind.setZero();
        for (Index i = 0; i < O.cols(); ++i) {
          if (i < sizes.size() && sizes[i] > kBlind * sizes[0]) {
            inverse += svd.matrixV().col(i) * svd.matrixU().col(i).transpose() / sizes[i];
          } else {
            blind += svd.matrixV().col(i).cwiseAbs();
          }
        }
      }
      inverse = scale.asDiagonal() * inverse;
      MatrixXd covariance = widening() * inverse * inverse.transpose();
      if (of_fit.size() > 0) {
        const MatrixXd by_shared = inverse * as_eigen(end_.rows[r].by_shared);
        covariance += by_shared * of_fit * by_shared.transpose();
      }
      std::vector<IdentifiedValue>& list = found_.own.emplace_back();
      for (std::size_t k = 0; k < model_.own().size(); ++k) {
        const analysis::OwnUnknown& one = model_.own()[k];
        list.push_back({one.parameter, one.start[r], end_.point.own[r][k],
                        std::sqrt(covariance(to_index(k), to_index(k))), blind[to_index(k)] < kPart});
      }
    }
    for (std::size_t k = 0; k < model_.own().size(); ++k) {
      const auto in_vain = std::count_if(found_.own.begin(), found_.own.end(),
                                         [&](const std::vector<IdentifiedValue>& list) { return !list[k].told; });
      if (in_vain > 0) {
        found_.not_told.push_back(fmt::format("{}: in {} of {} not told, or only together with others of its recording",
                                              model_.own()[k].parameter, in_vain,
                                              counted(found_.own.size(), "recording")));
      }
    }
  }

  void tell_sensors() {
    const std::vector<std::vector<double>> all = residuals_by_sensor(model_, end_.rows);
    for (std::size_t s = 0; s < all.size(); ++s) {
      const analysis::Sensor& sensor = model_.sensors()[s];
      IdentifiedSensor one{sensor.name, sensor.names, model_.noise[s], !given_[s], 0, 0};
      double sum = 0;
      for (const double r : all[s]) {
        sum += r * r;
        one.outliers += std::fabs(r) > 4 * one.noise ? 1U : 0U;
      }
      found_.numbers += all[s].size();
      found_.chi_squared += sum / (one.noise * one.noise);
      one.residual = std::sqrt(sum / std::fmax(1, static_cast<double>(all[s].size())));
      found_.sensors.push_back(std::move(one));
    }
    found_.samples = log_.samples();
  }

  void tell_curves() {
    for (std::size_t r = 0; r < log_.recordings.size(); ++r) {
      const auto layout = model_.layout(r);
      const std::vector<std::size_t> samples = model_.samples(r);
      std::map<std::pair<std::size_t, std::size_t>, IdentifiedCurve> curves;
      for (std::size_t i = 0; i < layout.size(); ++i) {
        const auto [s, component] = layout[i];
        const analysis::Sensor& sensor = model_.sensors()[s];
        IdentifiedCurve& curve = curves[layout[i]];
        const bool attitude = sensor.kind == analysis::Sensor::Kind::attitude;
        curve.sensor = sensor.name;
        curve.column = attitude ? fmt::format("turn {} of {}", component + 1, sensor.name) : sensor.names[component];
        curve.t.push_back(log_.recordings[r].t[samples[i]]);
        curve.residual.push_back(end_.rows[r].residuals[i] * model_.noise[s]);
        if (!attitude) {
          curve.measured.push_back(log_.row(log_.recordings[r], samples[i])[sensor.columns[component]]);
        }
      }
      std::vector<IdentifiedCurve>& list = found_.curves.emplace_back();
      for (auto& [place, curve] : curves) { list.push_back(std::move(curve)); }
    }
  }

  const MeasuredLog& log_;
  const IdentifyOptions& options_;
  IdentifyModel model_;
  std::vector<bool> given_;  ///< by sensor: its noise
  FitProblem problem_;
  FitPoint start_;
  FitEnd end_;
  Identification found_;
};

}  // namespace

const IdentifiedValue& Identification::operator[](std::string_view name) const {
  std::vector<std::string_view> known;
  for (const IdentifiedValue& one : values) {
    if (one.name == name) { return one; }
    known.push_back(one.name);
  }
  fail(Error(unknown_name("unknown", name, known)));
}

Identification identify(const Scenario& scenario, const MeasuredLog& log, const IdentifyOptions& options) {
  return Identifying(scenario, log, options)();
}

Scenario fitted(const Scenario& scenario, const Identification& found) {
  Scenario result = scenario;
  for (const auto& [name, value] : found.parameters) { result.parameters[name] = value; }
  for (const IdentifiedValue& one : found.values) {
    if (result.parameters.contains(one.name)) { result.parameters[one.name] = one.value; }
  }
  return result;
}

}  // namespace polhode
