#include "polhode/analysis/driven.h"

#include "polhode/analysis/eigen.h"
#include "polhode/core/index.h"
#include "polhode/multibody/elimination_order.h"
#include "polhode/rotation/axis_angle.h"
#include "polhode/simulation/mechanism.h"

#include <fmt/format.h>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>

#include <algorithm>
#include <cmath>

namespace polhode::analysis {
namespace {

/// A prediction that is off by more than this part of the model's length makes a step shorter.
constexpr double kTrusted = 0.02;
/// What projection leaves open at most, of the model's length.
constexpr double kFollows = 1e-10;
/// A least singular value that falls to this part of what it is around is that of a dead point.
constexpr double kDead = 1e-3;

/// The row of a driver on (φ; d) of all bodies.
Eigen::VectorXd driver_row(const Model& model, std::span<const double> y, const Driver& driver) {
  Eigen::VectorXd row = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(6 * model.body_count()));
  const auto [first, second] = model.ends(y, driver.joint);
  const RowOf<double> parts = coordinate_row(driver.coordinate, first, second);
  const JointDescription& joint = model.joints()[at(driver.joint)];
  const auto add = [&](BodyId body, const Pair& part) {
    if (body == kGround) { return; }
    for (std::size_t k = 0; k < 3; ++k) {
      row(6 * body + static_cast<Eigen::Index>(k)) += part.ang[k];
      row(6 * body + 3 + static_cast<Eigen::Index>(k)) += part.lin[k];
    }
  };
  add(joint.first, parts.first);
  add(joint.second, parts.second);
  return row;
}

/// The state after a time with the velocities and accelerations of another one.
std::vector<double> predicted(const DrivenState& from, double h) {
  std::vector<double> y = from.y;
  for (std::size_t b = 0; 13 * b + 13 <= y.size(); ++b) {
    BodyView body = Model::view(from.y, static_cast<BodyId>(b));
    const double* const s = from.ydot.data() + 13 * b;
    const Vec3<double> a{s[7], s[8], s[9]};
    const Vec3<double> wdot{s[10], s[11], s[12]};
    body.r_N += h * body.v_N + (0.5 * h * h) * a;
    const Vec3<double> turn = h * body.w_B + (0.5 * h * h) * wdot;
    const double angle = norm(turn);
    if (angle > 0) {
      const EulerParameters<double> e{math::cos(0.5 * angle), (math::sin(0.5 * angle) / angle) * turn};
      body.e_NB = normalized(body.e_NB * e);
    }
    body.v_N += h * a;
    body.w_B += h * wdot;
    Model::set(y, static_cast<BodyId>(b), body);
  }
  return y;
}

}  // namespace

DrivenMotion::DrivenMotion(const Model& model)
    : model_(&model),
      scratch_(model),
      freedoms_(std::make_unique<Freedoms>(model)),
      least_(model),
      reactions_(model.joint_count()) {}

DrivenMotion::~DrivenMotion() = default;

DrivenFaults DrivenMotion::faults(const Model& model, double t, std::span<const double> y) {
  DrivenFaults result;
  for (const Driver& driver : model.all<Driver>()) {
    if (driver.of_rate) {
      result.unfit.push_back(fmt::format(
          "driver '{}' gives a rate by a formula: positions need its value; write value in its place", driver.name));
    }
  }
  model.each([&](const auto& one, const ConstraintId& id) {
    using Kind = std::remove_cvref_t<decltype(one)>;
    if constexpr (!std::is_same_v<Kind, Driver>) {
      for (std::size_t r = 0; r < one.row_count(); ++r) {
        if (constraint::on_positions(one, r)) { continue; }
        result.unfit.push_back(
            fmt::format("{} holds velocities alone, so that positions depend on the way there; "
                        "'polhode run' follows drivers along it",
                        model.in_words(id)));
        break;
      }
    }
  });
  const Model undriven = with_drivers(model, {});
  Scratch scratch(undriven);
  std::vector<double> ydot(y.size());
  evaluate(undriven, t, y, ydot, scratch);
  Freedoms freedoms(undriven);
  freedoms.at(y, scratch);
  const std::vector<Driver>& drivers = model.all<Driver>();
  const Eigen::Index n = freedoms.count();
  const auto k = static_cast<Eigen::Index>(drivers.size());
  // rows of drivers on the freedoms, one after the other: what is left of each behind those before
  Eigen::MatrixXd basis(n, 0);
  for (Eigen::Index d = 0; d < k; ++d) {
    Eigen::VectorXd row = freedoms.Q().transpose() * driver_row(undriven, y, drivers[at(d)]);
    const double size = row.norm();
    for (int twice = 0; twice < 2 && basis.cols() > 0; ++twice) { row -= basis * (basis.transpose() * row); }
    if (!(row.norm() > 1e-6 * size)) {
      result.fighting.push_back(fmt::format("driver '{}' drives the {}, which {}", drivers[at(d)].name,
                                            coordinate_in_words(model, drivers[at(d)].joint, drivers[at(d)].coordinate),
                                            size > 0 ? "other drivers move already" : "cannot move at this position"));
      continue;
    }
    basis.conservativeResize(n, basis.cols() + 1);
    basis.col(basis.cols() - 1) = row.normalized();
  }
  if (basis.cols() < n) {
    Eigen::MatrixXd left = Eigen::MatrixXd::Identity(n, n);
    if (basis.cols() > 0) {
      const Eigen::HouseholderQR<Eigen::MatrixXd> factor(basis);
      left = (factor.householderQ() * Eigen::MatrixXd::Identity(n, n)).rightCols(n - basis.cols());
    }
    // as few joints in each as possible: eliminated among the coordinates, one after the other
    for (Eigen::Index c = 0; c < left.cols(); ++c) {
      result.undriven.push_back(freedoms.in_words(y, freedoms.Q() * left.col(c)).text);
    }
    std::sort(result.undriven.begin(), result.undriven.end());
    result.undriven.erase(std::unique(result.undriven.begin(), result.undriven.end()), result.undriven.end());
  }
  result.singular = k == n && !result.fighting.empty();
  return result;
}

bool DrivenMotion::complete(DrivenState& state) {
  scratch_.turns = state.turns;
  state.ydot.resize(state.y.size());
  evaluate(*model_, state.t, state.y, state.ydot, scratch_);
  freedoms_->at(state.y, scratch_);
  const Eigen::MatrixXd& rows = freedoms_->rows_on_basis();
  const Eigen::Index f = rows.cols();
  state.least = 1;
  if (f > 0) {
    if (rows.rows() < f) { return false; }
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(rows);
    state.least = svd.singularValues()(f - 1);
  }
  // rows that hold by structure left out
  std::vector<Eigen::Index> acting;
  for (const Closure& closure : model_->elimination().closures) {
    for (int r = 0; r < closure.acting; ++r) { acting.push_back(closure.first_row + r); }
  }
  state.side = 0;
  if (static_cast<Eigen::Index>(acting.size()) == f) {
    Eigen::MatrixXd square(f, f);
    for (Eigen::Index r = 0; r < f; ++r) { square.row(r) = freedoms_->rows_on_tree().row(acting[at(r)]); }
    const double det = f > 0 ? square.partialPivLu().determinant() : 1;
    state.side = det > 0 ? 1 : det < 0 ? -1 : 0;
  }
  return std::all_of(state.ydot.begin(), state.ydot.end(), [](double x) { return std::isfinite(x); });
}

std::optional<DrivenState> DrivenMotion::start(double t, std::vector<double> y, std::vector<double> turns) {
  DrivenState state;
  state.t = t;
  state.y = std::move(y);
  state.turns = std::move(turns);
  state.turns.resize(model_->counted().size());
  scratch_.turns = state.turns;
  const ProjectionReport report = project(*model_, t, state.y, scratch_);
  model_->count_turns(state.y, state.turns);
  if (!(report.residual <= kFollows * model_->length()) || !complete(state)) {
    trouble_ = simulation::widest_gap(*model_, t, state.y);
    return {};
  }
  return state;
}

bool DrivenMotion::step(const DrivenState& from, double t, DrivenState& to) {
  to.t = t;
  to.y = predicted(from, t - from.t);
  to.turns = from.turns;
  scratch_.turns = to.turns;
  const ProjectionReport report = project(*model_, t, to.y, scratch_);
  model_->count_turns(to.y, to.turns);
  const double L = model_->length();
  if (!(report.residual <= kFollows * L)) {
    trouble_ = simulation::widest_gap(*model_, t, to.y);
    return false;
  }
  if (!(report.moved <= kTrusted * L)) {
    trouble_ = "the mechanism would have to jump";
    return false;
  }
  return complete(to);
}

bool DrivenMotion::advance(DrivenState& state, double t) {
  double h = t - state.t;
  const double smallest = 1e-13 * std::fmax(std::fabs(t), std::fabs(h));
  DrivenState next;
  while (state.t != t) {
    const bool last = std::fabs(t - state.t) <= std::fabs(h);
    if (!step(state, last ? t : state.t + h, next)) {
      h = 0.25 * (last ? t - state.t : h);
      if (!(std::fabs(h) > smallest)) { return false; }
      continue;
    }
    std::swap(state, next);
    h *= 2;
  }
  return true;
}

void DrivenMotion::look(const DrivenState& state) {
  now_ = &state;
  scratch_.turns = state.turns;
  std::vector<double> ydot(state.y.size());
  evaluate(*model_, state.t, state.y, ydot, scratch_);
}

CoordinateMotion DrivenMotion::coordinate(int joint, Coordinate coordinate) const {
  const auto [first, second] = model_->ends(now_->y, joint);
  const CoordinateValue q = joint_coordinate(coordinate, first, second);
  CoordinateMotion result{model_->unwrapped(now_->turns, joint, coordinate, q.value), q.rate, 0};
  // q̈ = c₁·(α₁; a₁) + c₂·(α₂; a₂) − γ                        (MEC-1)
  const RowOf<double> row = coordinate_row(coordinate, first, second);
  const JointDescription& own = model_->joints()[at(joint)];
  if (own.first != kGround) { result.acceleration += dot(row.first, acceleration(own.first)); }
  if (own.second != kGround) { result.acceleration += dot(row.second, acceleration(own.second)); }
  result.acceleration -= row.gamma;
  return result;
}

const std::vector<Reaction>& DrivenMotion::reactions() {
  least_.solve(now_->y, scratch_, reactions_);
  return reactions_;
}

double DrivenMotion::driver_power() const {
  double sum = 0;
  const std::vector<Driver>& drivers = model_->all<Driver>();
  for (std::size_t d = 0; d < drivers.size(); ++d) {
    sum += driver(static_cast<int>(d)) * coordinate(drivers[d].joint, drivers[d].coordinate).rate;
  }
  return sum;
}

std::string DrivenMotion::loosest(const DrivenState& state) {
  look(state);
  const Model undriven = with_drivers(*model_, {});
  Scratch scratch(undriven);
  std::vector<double> ydot(state.y.size());
  evaluate(undriven, state.t, state.y, ydot, scratch);
  Freedoms freedoms(undriven);
  freedoms.at(state.y, scratch);
  const std::vector<Driver>& drivers = model_->all<Driver>();
  Eigen::MatrixXd rows(static_cast<Eigen::Index>(drivers.size()), freedoms.count());
  for (std::size_t d = 0; d < drivers.size(); ++d) {
    rows.row(static_cast<Eigen::Index>(d)) =
        (freedoms.Q().transpose() * driver_row(undriven, state.y, drivers[d])).normalized().transpose();
  }
  if (rows.cols() == 0) { return ""; }
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(rows, Eigen::ComputeFullV);
  return freedoms.in_words(state.y, freedoms.Q() * svd.matrixV().col(rows.cols() - 1)).text;
}

std::optional<DeadPoint> dead_point(DrivenMotion& motion, const DrivenState& before, const DrivenState& after) {
  const double around = std::fmax(before.least, after.least);
  const double width = after.t - before.t;
  const auto look_at = [&](double t) {
    DrivenState state = before;
    if (!motion.advance(state, t)) { state.least = 0; }
    return state;
  };
  DeadPoint found;
  found.changes = before.side * after.side < 0;
  double a = before.t;
  double b = after.t;
  if (found.changes) {
    // σ with the sign of the side goes through zero smoothly; near it positions are known badly, so halving stops early
    const auto signed_at = [&](double t) {
      const DrivenState state = look_at(t);
      return state.side * before.side * state.least;
    };
    for (int k = 0; k < 14; ++k) {
      const double middle = 0.5 * (a + b);
      (signed_at(middle) > 0 ? a : b) = middle;
    }
    // t as a cubic of σ through four moments off it
    const double off = 2e-3 * width;
    std::array<double, 4> t{};
    std::array<double, 4> value{};
    for (std::size_t k = 0; k < 4; ++k) {
      const std::array<double, 4> places{-2, -1, 1, 2};
      t[k] = std::clamp(a + places[k] * off, before.t, after.t);
      value[k] = signed_at(t[k]);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      double weight = 1;
      for (std::size_t other = 0; other < 4; ++other) {
        if (other != k) { weight *= value[other] / (value[other] - value[k]); }
      }
      found.t += weight * t[k];
    }
    if (!(found.t >= before.t && found.t <= after.t)) { found.t = a; }
  } else {
    // golden section: σ falls to zero and rises again like |t − t₀|
    const double ratio = 0.5 * (std::sqrt(5.0) - 1);
    double c = b - ratio * (b - a);
    double d = a + ratio * (b - a);
    double at_c = look_at(c).least;
    double at_d = look_at(d).least;
    while (b - a > 1e-6 * width) {
      if (at_c < at_d) {
        b = d;
        d = c;
        at_d = at_c;
        c = b - ratio * (b - a);
        at_c = look_at(c).least;
      } else {
        a = c;
        c = d;
        at_c = at_d;
        d = a + ratio * (b - a);
        at_d = look_at(d).least;
      }
    }
    found.t = 0.5 * (a + b);
    found.least = std::fmin(at_c, at_d);
    if (!(found.least <= kDead * around)) { return {}; }
  }
  found.text = motion.loosest(look_at(found.t));
  return found;
}

}  // namespace polhode::analysis
