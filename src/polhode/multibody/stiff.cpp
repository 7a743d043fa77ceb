#include "polhode/multibody/stiff.h"

#include "polhode/core/error.h"
#include "polhode/multibody/descriptor_form.h"

#include <fmt/format.h>

#include <Eigen/QR>

#include <algorithm>
#include <cmath>

namespace polhode {
namespace {

using Dense = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Index = Eigen::Index;

std::span<const double> span_of(const Vector& v) { return {v.data(), static_cast<std::size_t>(v.size())}; }
Vector vector_of(const DescriptorForm::Numbers& v) {
  return Eigen::Map<const Vector>(v.data(), static_cast<Index>(v.size()));
}

}  // namespace

class StiffStepper::Work {
 public:
  Work(const Model& model, const StiffOptions& options)
      : model_(model), options_(options), form_(model), n_(static_cast<Index>(form_.size())) {
    const double rho = options.rho_infinity;
    if (!(rho >= 0 && rho < 1)) {
      fail(Error(Problem{.what = fmt::format("spectral radius {} at infinite frequency", rho),
                         .allowed = "from 0 up to, but not including, 1",
                         .cure = "take 0.7"}));
    }
    alpha_m_ = (2 * rho - 1) / (rho + 1);
    alpha_f_ = rho / (rho + 1);
    gamma_ = 0.5 + alpha_f_ - alpha_m_;
    beta_ = 0.25 * (gamma_ + 0.5) * (gamma_ + 0.5);
  }

  void start(double t, std::span<const double> y) {
    t_ = t;
    y_.assign(y.begin(), y.end());
    std::vector<double> ydot(y.size());
    Scratch scratch(model_);
    evaluate(model_, t, y, ydot, scratch);
    vdot_ = vector_of(form_.accelerations(ydot));
    a_ = vdot_;
    condition_rows(model_, t, y, rows_);
    m_ = static_cast<Index>(rows_.size());
    lambda_ = Vector::Zero(m_);
    factorised_for_ = 0;
  }

  StiffReport step(double dt);

  double t_ = 0;
  std::vector<double> y_;
  Vector lambda_;

 private:
  /// What one step solves for.
  struct Unknowns {
    Vector a, lambda, eta;
  };

  bool two() const { return options_.index == StiffIndex::two; }
  Index size() const { return n_ + m_ + (two() ? m_ : 0); }

  /// State at the end of the step; a step of η moves places by −M⁻¹ Cᵀ η, C of the step's start.
  void state(double dt, const Unknowns& u, std::vector<double>& y) const {
    const Vector along = a_ * (0.5 - beta_) + u.a * beta_;
    const Vector fresh = a_ * (1 - gamma_) + u.a * gamma_;
    y.resize(y_.size());
    for (std::size_t b = 0; b < model_.body_count(); ++b) {
      BodyView body = Model::view(y_, static_cast<BodyId>(b));
      Vec3<double> turn = dt * (body.w_B + dt * three_of(span_of(along), 6 * b));
      Vec3<double> shift = dt * (body.v_N + dt * three_of(span_of(along), 6 * b + 3));
      if (two()) {
        turn -= three_of(moved_, 6 * b);
        shift -= three_of(moved_, 6 * b + 3);
      }
      body.r_N += shift;
      body.e_NB = normalized(body.e_NB * exp(turn));
      body.w_B += dt * three_of(span_of(fresh), 6 * b);
      body.v_N += dt * three_of(span_of(fresh), 6 * b + 3);
      Model::set(y, static_cast<BodyId>(b), body);
    }
  }

  Vector vdot_of(const Vector& a) const {
    return ((1 - alpha_m_) * a + alpha_m_ * a_ - alpha_f_ * vdot_) / (1 - alpha_f_);
  }

  /// All equations at once, with rows of places as lengths, of velocities times h β/γ, of forces times β h²/m.
  Vector residual(double dt, const Unknowns& u) {
    if (two()) { moved_ = form_.divided_by_mass(form_.transposed(start_rows_, y_, span_of(u.eta))); }
    state(dt, u, y1_);
    condition_rows(model_, t_ + dt, y1_, rows_);
    Vector left(size());
    const Vector vdot = vdot_of(u.a);
    left.head(n_) = force_scale(dt) * vector_of(form_.dynamics(t_ + dt, y1_, span_of(vdot), span_of(u.lambda), rows_));
    const double velocity_scale = dt * beta_ / gamma_;
    for (Index r = 0; r < m_; ++r) {
      const ConditionRow& row = rows_[static_cast<std::size_t>(r)];
      left(n_ + r) = row.on_places ? row.value : velocity_scale * DescriptorForm::speed(row, y1_);
      if (two()) { left(n_ + m_ + r) = row.on_places ? velocity_scale * DescriptorForm::speed(row, y1_) : u.eta(r); }
    }
    return left;
  }
  double force_scale(double dt) const { return beta_ * dt * dt / mass_scale_; }

  void factorise(double dt, const Unknowns& u);
  /// Where conditions are open most.
  std::string worst_element(double& open) const {
    open = 0;
    std::string name = "the equations of motion";
    for (const ConditionRow& row : rows_) {
      if (row.on_places && std::fabs(row.value) > open) {
        open = std::fabs(row.value);
        name = element_of(model_, row);
      }
    }
    return name;
  }

  const Model& model_;
  StiffOptions options_;
  DescriptorForm form_;
  Index n_;
  Index m_ = 0;
  double alpha_m_ = 0, alpha_f_ = 0, gamma_ = 0, beta_ = 0;
  double mass_scale_ = 1;
  Vector a_, vdot_;
  DescriptorForm::Numbers moved_;  ///< M⁻¹ Cᵀ η
  std::vector<double> y1_;
  std::vector<ConditionRow> rows_, start_rows_;
  Eigen::ColPivHouseholderQR<Dense> factor_;
  Vector column_scale_;
  double factorised_for_ = 0;  ///< the step that factor_ belongs to; 0: none
};

/// The matrix of Newton's method: forces by differences, conditions by their rows. Unknowns are scaled to lengths.
void StiffStepper::Work::factorise(double dt, const Unknowns& u) {
  const Vector here = residual(dt, u);
  const std::vector<ConditionRow> rows = rows_;
  const std::vector<double> y = y1_;
  Dense A = Dense::Zero(size(), size());
  column_scale_ = Vector::Ones(size());
  const double of_a = 1 / (beta_ * dt * dt);
  const double by = 1e-7 * model_.length();
  const DescriptorForm::Numbers jacobian = form_.jacobian(rows, y);
  const Eigen::Map<const Dense> C(jacobian.data(), m_, n_);
  for (Index i = 0; i < n_; ++i) {
    Unknowns moved = u;
    moved.a(i) += by * of_a;
    A.col(i).head(n_) = (residual(dt, moved).head(n_) - here.head(n_)) / by;
    column_scale_(i) = of_a;
  }
  A.block(n_, 0, m_, n_) = C;
  const double of_lambda = 1 / force_scale(dt);
  A.block(0, n_, n_, m_) = C.transpose();
  column_scale_.segment(n_, m_).setConstant(of_lambda);
  if (two()) {
    A.block(n_ + m_, 0, m_, n_) = C;
    for (Index r = 0; r < m_; ++r) {
      if (!rows[static_cast<std::size_t>(r)].on_places) { A.row(n_ + m_ + r).setZero(); }
      Unknowns moved = u;
      moved.eta(r) += by * mass_scale_;
      const Vector more = (moved.eta - u.eta) / by;
      const Vector change = vector_of(form_.divided_by_mass(form_.transposed(start_rows_, y_, span_of(more))));
      A.col(n_ + m_ + r).head(n_) = (residual(dt, moved).head(n_) - here.head(n_)) / by;
      A.col(n_ + m_ + r).segment(n_, m_) = -(C * change);
      A(n_ + m_ + r, n_ + m_ + r) = rows[static_cast<std::size_t>(r)].on_places ? 0 : mass_scale_;
      column_scale_(n_ + m_ + r) = mass_scale_;
    }
    for (Index r = 0; r < m_; ++r) {
      if (!rows[static_cast<std::size_t>(r)].on_places) { A.row(n_ + r).tail(m_).setZero(); }
    }
  }
  factor_.setThreshold(1e-11);
  factor_.compute(A);
  factorised_for_ = dt;
}

StiffReport StiffStepper::Work::step(double dt) {
  StiffReport report;
  double total = 0;
  for (const BodyDescription& body : model_.bodies()) { total += body.mass.mass; }
  mass_scale_ = total / static_cast<double>(model_.body_count());
  condition_rows(model_, t_, y_, start_rows_);
  const double enough = options_.tolerance * model_.length();
  Unknowns u;
  for (const bool again : {false, true}) {
    u = {a_, lambda_, Vector::Zero(m_)};
    if (again || factorised_for_ != dt) {
      factorise(dt, u);
      ++report.factorisations;
    }
    double before = 0;
    for (int k = 0; k < options_.most_iterations; ++k) {
      const Vector left = residual(dt, u);
      const Vector change = -factor_.solve(left);
      if (!change.allFinite()) { break; }
      ++report.iterations;
      u.a += column_scale_.head(n_).cwiseProduct(change.head(n_));
      u.lambda += column_scale_.segment(n_, m_).cwiseProduct(change.segment(n_, m_));
      if (two()) { u.eta += column_scale_.tail(m_).cwiseProduct(change.tail(m_)); }
      const double size = change.head(n_).lpNorm<Eigen::Infinity>();
      if (size < enough && left.tail(left.size() - n_).lpNorm<Eigen::Infinity>() < enough) {
        report.converged = true;
        break;
      }
      // slow, or going away: a fresh matrix
      if (k > 2 && !again && size > 0.3 * before) { break; }
      if (k > 2 && size > 1e3 * model_.length()) { break; }
      before = size;
    }
    if (report.converged) { break; }
  }
  residual(dt, u);
  double open = 0;
  const std::string worst = worst_element(open);
  report.residual = open;
  if (!report.converged) {
    report.trouble =
        fmt::format("step of {} s at t = {} s does not converge: {} is open by {:.3g} m", dt, t_, worst, open);
    factorised_for_ = 0;
    return report;
  }
  const Vector vdot = vdot_of(u.a);
  y_ = y1_;
  t_ += dt;
  a_ = u.a;
  vdot_ = vdot;
  lambda_ = u.lambda;
  if (report.iterations > 6) { factorised_for_ = 0; }
  return report;
}

StiffStepper::StiffStepper(const Model& model, const StiffOptions& options)
    : work_(std::make_unique<Work>(model, options)) {}
StiffStepper::~StiffStepper() = default;

void StiffStepper::start(double t, std::span<const double> y) { work_->start(t, y); }
StiffReport StiffStepper::step(double dt) { return work_->step(dt); }
double StiffStepper::t() const { return work_->t_; }
std::span<const double> StiffStepper::y() const { return work_->y_; }
std::span<const double> StiffStepper::lambda() const {
  return {work_->lambda_.data(), static_cast<std::size_t>(work_->lambda_.size())};
}

}  // namespace polhode
