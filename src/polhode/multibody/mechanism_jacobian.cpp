#include "polhode/multibody/mechanism_jacobian.h"

#include "polhode/math/block_lu.h"
#include "polhode/multibody/derivatives.h"

#include <algorithm>
#include <optional>

namespace polhode {
namespace {

/// Cᵀ of a C, in its own memory: where entries are does not change.
class Transposed {
 public:
  explicit Transposed(const SparseRows<double>& C) : places_(C.columns.size()) {
    matrix_.column_count = C.row_count();
    matrix_.starts.assign(C.column_count + 1, 0);
    for (const std::size_t column : C.columns) { ++matrix_.starts[column + 1]; }
    for (std::size_t i = 0; i < C.column_count; ++i) { matrix_.starts[i + 1] += matrix_.starts[i]; }
    matrix_.columns.resize(C.columns.size());
    matrix_.values.resize(C.columns.size());
    std::vector<std::size_t> next = matrix_.starts;
    for (std::size_t r = 0; r < C.row_count(); ++r) {
      for (std::size_t k = C.starts[r]; k < C.starts[r + 1]; ++k) {
        places_[k] = next[C.columns[k]]++;
        matrix_.columns[places_[k]] = r;
      }
    }
  }
  const SparseRows<double>& of(const SparseRows<double>& C) {
    for (std::size_t k = 0; k < places_.size(); ++k) { matrix_.values[places_[k]] = C.values[k]; }
    return matrix_;
  }

 private:
  SparseRows<double> matrix_;
  std::vector<std::size_t> places_;
};

/// Which multipliers may be redundant: all that follow the first n unknowns.
std::vector<bool> behind(std::size_t n, std::size_t multipliers) {
  std::vector<bool> result(n + multipliers, true);
  std::fill(result.begin(), result.begin() + static_cast<std::ptrdiff_t>(n), false);
  return result;
}

/// The state at which a mechanism is linearised, and all that solvers read of it.
class MechanismLinearisation final : public Linearisation<double> {
 public:
  MechanismLinearisation(const Model& model, const Constraints<double>& constraints, std::span<const double> turns,
                         double baumgarte_rate)
      : constraints_(&constraints),
        turns_(turns),
        baumgarte_rate_(baumgarte_rate),
        directional_(std::make_unique<Directional>(model)),
        linear_(constraints.linearised()),
        C_(constraints.empty_rows()),
        transposed_(C_),
        velocities_(linear_->velocity_entries().size()),
        rows_(C_.row_count()),
        equations_(velocities_ + rows_),
        velocity_of_(model.state_size(), velocities_),
        phi_(rows_),
        speed_(rows_),
        vdot_(velocities_),
        f_(velocities_),
        sum_(velocities_),
        right_(velocities_ + rows_),
        lambda_(rows_) {
    for (std::size_t i = 0; i < velocities_; ++i) { velocity_of_[linear_->velocity_entries()[i]] = i; }
    assemble_motion();
    std::vector<std::size_t> blocks;
    for (const std::size_t entry : linear_->velocity_entries()) { blocks.push_back(linear_->block_of_entry()[entry]); }
    blocks.insert(blocks.end(), linear_->block_of_row().begin(), linear_->block_of_row().end());
    motion_.emplace(equations_.matrix(), blocks, behind(velocities_, rows_));
  }

  bool at(const double& t, std::span<const double> y) override {
    directional_->at(t, y, turns_, baumgarte_rate_);
    const std::span<const double> ydot = directional_->rates();
    if (!std::all_of(ydot.begin(), ydot.end(), [](double x) { return std::isfinite(x); })) { return false; }
    // λ of all rows: M x + Cᵀ λ = f − M v̇, C x = 0, so that x = 0
    for (std::size_t i = 0; i < velocities_; ++i) { vdot_[i] = ydot[linear_->velocity_entries()[i]]; }
    constraints_->rows(t, y, phi_, speed_, C_);
    constraints_->force(t, y, f_);
    constraints_->times_mass(vdot_, sum_);
    assemble_motion();
    if (!motion_->factor(std::span<const double>(equations_.matrix().values))) { return false; }
    for (std::size_t i = 0; i < velocities_; ++i) { right_[i] = f_[i] - sum_[i]; }
    std::fill(right_.begin() + static_cast<std::ptrdiff_t>(velocities_), right_.end(), 0.0);
    motion_->solve(right_);
    std::copy(right_.begin() + static_cast<std::ptrdiff_t>(velocities_), right_.end(), lambda_.begin());
    return linear_->at(t, y, lambda_, vdot_);
  }
  void times(std::span<const double> x, std::span<double> result) const override { directional_->along(x, result); }
  std::unique_ptr<ShiftedSolver<double>> solver() const override;

  const LinearisedConstraints<double>& linear() const { return *linear_; }
  double baumgarte_rate() const { return baumgarte_rate_; }
  std::size_t velocity_of(std::size_t entry) const { return velocity_of_[entry]; }
  std::size_t velocities() const { return velocities_; }
  std::size_t rows() const { return rows_; }
  std::size_t size() const { return velocity_of_.size(); }

 private:
  void assemble_motion() {
    const SparseRows<double>& Ct = transposed_.of(C_);
    equations_.begin();
    for (std::size_t i = 0; i < velocities_; ++i) {
      linear_->mass().each(i, [&](std::size_t j, double value) { equations_.add(j, value); });
      Ct.each(i, [&](std::size_t r, double value) { equations_.add(velocities_ + r, value); });
      equations_.end_row();
    }
    for (std::size_t r = 0; r < rows_; ++r) {
      C_.each(r, [&](std::size_t i, double value) { equations_.add(i, value); });
      equations_.end_row();
    }
  }

  const Constraints<double>* constraints_;
  std::span<const double> turns_;
  double baumgarte_rate_;
  std::unique_ptr<Directional> directional_;
  std::unique_ptr<LinearisedConstraints<double>> linear_;
  SparseRows<double> C_;
  Transposed transposed_;
  std::size_t velocities_;
  std::size_t rows_;
  SparseAssembly<double> equations_;
  std::vector<std::size_t> velocity_of_;  ///< by entry of y; velocities_: a coordinate
  std::optional<math::BlockLu<double>> motion_;
  std::vector<double> phi_, speed_, vdot_, f_, sum_, right_, lambda_;
};

/// (1 − g ∂f/∂y) x = b with ∂f/∂y never formed (MEC-45). Unknowns are x and l = g δλ:
///
///   x_q − g ∂q̇/∂y x = b_q,   M x_v + g ∂(Cᵀ λ − f)/∂y x + Cᵀ l = M b_v,   C x_v + g ∂(C v̇ − γ)/∂y x = C b_v
template <class T>
class ShiftedEquations {
 public:
  explicit ShiftedEquations(const MechanismLinearisation& at)
      : at_(&at), transposed_(at.linear().C()), assembly_(at.size() + at.rows()), b_(at.size() + at.rows()) {
    assemble(T(1));
    const LinearisedConstraints<double>& linear = at.linear();
    std::vector<std::size_t> blocks(linear.block_of_entry().begin(), linear.block_of_entry().end());
    blocks.insert(blocks.end(), linear.block_of_row().begin(), linear.block_of_row().end());
    factor_.emplace(assembly_.matrix(), blocks, behind(at.size(), at.rows()));
  }
  bool factor(const T& g) {
    assemble(g);
    return factor_->factor(std::span<const T>(assembly_.matrix().values));
  }
  void solve(std::span<T> b) {
    const LinearisedConstraints<double>& linear = at_->linear();
    for (std::size_t i = 0; i < b.size(); ++i) {
      if (at_->velocity_of(i) == at_->velocities()) {
        b_[i] = b[i];
        continue;
      }
      b_[i] = T(0);
      linear.mass().each(at_->velocity_of(i),
                         [&](std::size_t j, double value) { b_[i] += value * b[linear.velocity_entries()[j]]; });
    }
    for (std::size_t r = 0; r < at_->rows(); ++r) {
      T& sum = b_[b.size() + r];
      sum = T(0);
      linear.C().each(r, [&](std::size_t j, double value) { sum += value * b[linear.velocity_entries()[j]]; });
    }
    factor_->solve(b_);
    std::copy(b_.begin(), b_.begin() + static_cast<std::ptrdiff_t>(b.size()), b.begin());
  }

 private:
  void assemble(const T& g) {
    const LinearisedConstraints<double>& linear = at_->linear();
    const SparseRows<double>& Ct = transposed_.of(linear.C());
    const double beta = at_->baumgarte_rate();
    const auto add = [&](const SparseRows<double>& of_y, std::size_t row, const T& by) {
      of_y.each(row, [&](std::size_t j, double value) { assembly_.add(j, by * value); });
    };
    assembly_.begin();
    for (std::size_t i = 0; i < at_->size(); ++i) {
      const std::size_t velocity = at_->velocity_of(i);
      if (velocity == at_->velocities()) {
        assembly_.add(i, T(1));
        add(linear.rates(), i, -g);
      } else {
        linear.mass().each(velocity,
                           [&](std::size_t j, double value) { assembly_.add(linear.velocity_entries()[j], T(value)); });
        add(linear.forces(), velocity, g);
        Ct.each(velocity, [&](std::size_t r, double value) { assembly_.add(at_->size() + r, T(value)); });
      }
      assembly_.end_row();
    }
    for (std::size_t r = 0; r < at_->rows(); ++r) {
      linear.C().each(r, [&](std::size_t j, double value) { assembly_.add(linear.velocity_entries()[j], T(value)); });
      add(linear.accelerations(), r, g);
      if (beta != 0) {
        add(linear.speeds(), r, 2 * beta * g);
        add(linear.positions(), r, beta * beta * g);
      }
      assembly_.end_row();
    }
  }

  const MechanismLinearisation* at_;
  Transposed transposed_;
  SparseAssembly<T> assembly_;
  std::optional<math::BlockLu<T>> factor_;
  std::vector<T> b_;
};

class MechanismShiftedSolver final : public ShiftedSolver<double> {
 public:
  explicit MechanismShiftedSolver(const MechanismLinearisation& at) : at_(&at) {}
  bool factor(const std::complex<double>& g) override {
    if (g.imag() == 0) {
      if (!real_) { real_.emplace(*at_); }
      return real_->factor(g.real());
    }
    if (!complex_) { complex_.emplace(*at_); }
    return complex_->factor(g);
  }
  void solve(std::span<double> b) override { real_->solve(b); }
  void solve(std::span<std::complex<double>> b) override { complex_->solve(b); }

 private:
  const MechanismLinearisation* at_;
  std::optional<ShiftedEquations<double>> real_;
  std::optional<ShiftedEquations<std::complex<double>>> complex_;
};

std::unique_ptr<ShiftedSolver<double>> MechanismLinearisation::solver() const {
  return std::make_unique<MechanismShiftedSolver>(*this);
}

}  // namespace

std::unique_ptr<Linearisation<double>> mechanism_linearisation(const Model& model,
                                                               const Constraints<double>& constraints,
                                                               std::span<const double> turns, double baumgarte_rate) {
  return std::make_unique<MechanismLinearisation>(model, constraints, turns, baumgarte_rate);
}

}  // namespace polhode
