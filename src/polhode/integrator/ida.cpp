#include "polhode/integrator/linear_solver.h"
#include "polhode/integrator/own_steps.h"
#include "polhode/math/block_lu.h"

#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

namespace polhode {
namespace {

struct FreeContext {
  void operator()(SUNContext context) const { SUNContext_Free(&context); }
};
struct FreeSolver {
  void operator()(void* solver) const { IDAFree(&solver); }
};
using Context = std::unique_ptr<_SUNContext, FreeContext>;
using Numbers = std::unique_ptr<_generic_N_Vector, FreeBy<N_VDestroy>>;

std::span<double> entries(N_Vector v) { return {N_VGetArrayPointer(v), static_cast<std::size_t>(N_VGetLength(v))}; }

void demand(bool good) {
  if (!good) { fail(Error("IDA refused to be set up; the installed SUNDIALS may be broken or out of memory")); }
}
void say_nothing(int, const char*, const char*, char*, void*) {}

/// Of a run: what rounding lets IDA reach.
constexpr double kLeastTolerance = 5e-12;

/// The equations for IDA, unknowns z = (y | λ | η), with rows that are independent at the start:
///
///   ẋ = the motion of positions with v − M⁻¹ Cᵀ η,   v̇ + M⁻¹ (Cᵀ λ − f) = 0,   C v = rate,   Φ = 0        (MEC-35)
///
/// The matrix ∂/∂z + c ∂/∂ż of Newton's method is exact but for ∂(M⁻¹ Cᵀ η)/∂y, which vanishes with η, and sparse
/// (MEC-43).
class StabilisedForm {
 public:
  explicit StabilisedForm(const System<double>& system)
      : system_(&system),
        second_(system.second_order()),
        constraints_(system.constraints()),
        on_positions_(constraints_->on_positions()),
        n_(system.size()),
        velocities_(second_->velocity_size()),
        phi_(on_positions_.size()),
        speed_(on_positions_.size()),
        all_(on_positions_.size()),
        C_(constraints_->empty_rows()),
        f_(velocities_),
        sum_(velocities_),
        v_(velocities_),
        vdot_(velocities_),
        rate_(n_),
        spread_(n_) {}

  std::size_t state_size() const { return n_; }
  std::size_t size() const { return n_ + 2 * kept_.size(); }

  /// z and ż where constraints hold; keeps a set of independent constraints.
  ///
  ///   M x + Cᵀ λ = f − M v̇,   C x = 0: x = 0, and λ of rows that have no pivot is left out
  void start(double t, std::span<const double> y, std::vector<double>& z, std::vector<double>& zdot) {
    linear_ = constraints_->linearised();
    velocity_of_.assign(n_, velocities_);
    for (std::size_t i = 0; i < velocities_; ++i) { velocity_of_[linear_->velocity_entries()[i]] = i; }
    transposed_ = linear_->reach();
    std::vector<double> ydot(n_);
    system_->rhs(t, y, ydot);
    linear_->at(t, y, {}, {});
    const std::size_t m = on_positions_.size();
    SparseAssembly<double> assembly(velocities_ + m);
    assembly.begin();
    std::vector<std::vector<std::pair<std::size_t, double>>> transposed(velocities_);
    for (std::size_t r = 0; r < m; ++r) {
      linear_->C().each(r, [&](std::size_t i, double value) { transposed[i].emplace_back(r, value); });
    }
    for (std::size_t i = 0; i < velocities_; ++i) {
      linear_->mass().each(i, [&](std::size_t j, double value) { assembly.add(j, value); });
      for (const auto& [r, value] : transposed[i]) { assembly.add(velocities_ + r, value); }
      assembly.end_row();
    }
    for (std::size_t r = 0; r < m; ++r) {
      linear_->C().each(r, [&](std::size_t i, double value) { assembly.add(i, value); });
      assembly.end_row();
    }
    std::vector<std::size_t> blocks;
    for (const std::size_t entry : linear_->velocity_entries()) { blocks.push_back(linear_->block_of_entry()[entry]); }
    blocks.insert(blocks.end(), linear_->block_of_row().begin(), linear_->block_of_row().end());
    std::vector<bool> may_be_redundant(velocities_ + m, true);
    std::fill(may_be_redundant.begin(), may_be_redundant.begin() + static_cast<std::ptrdiff_t>(velocities_), false);
    math::BlockLu<double> factor(assembly.matrix(), blocks, may_be_redundant);
    const bool good = factor.factor(std::span<const double>(assembly.matrix().values));
    kept_.clear();
    number_.assign(m, m);
    for (std::size_t r = 0; r < m; ++r) {
      if (good && factor.left_out(velocities_ + r)) { continue; }
      number_[r] = kept_.size();
      kept_.push_back(r);
    }
    second_->velocity(ydot, vdot_);
    constraints_->times_mass(vdot_, sum_);
    constraints_->force(t, y, f_);
    std::vector<double> right(velocities_ + m);
    for (std::size_t i = 0; i < velocities_; ++i) { right[i] = f_[i] - sum_[i]; }
    if (good) { factor.solve(right); }
    z.assign(size(), 0.0);
    zdot.assign(size(), 0.0);
    copy_row(y, z);
    copy_row(ydot, zdot);
    for (std::size_t k = 0; good && k < kept_.size(); ++k) { z[n_ + k] = right[velocities_ + kept_[k]]; }
    prepare_matrix();
  }

  void residual(double t, std::span<const double> z, std::span<const double> zdot, std::span<double> left) {
    const std::span<const double> y = z.first(n_);
    const std::size_t m = kept_.size();
    const std::span<const double> eta = z.subspan(n_ + m);
    constraints_->rows(t, y, phi_, speed_, C_);
    // M⁻¹ (Cᵀ λ − f) + v̇, spread over the entries of y that are velocities
    constraints_->force(t, y, f_);
    C_.add_transposed(of_all_rows(z.subspan(n_, m)), -1, f_);
    constraints_->over_mass(f_, sum_);
    second_->velocity(zdot.first(n_), vdot_);
    for (std::size_t i = 0; i < velocities_; ++i) { vdot_[i] -= sum_[i]; }
    std::fill(spread_.begin(), spread_.end(), 0.0);
    second_->set_velocity(spread_, vdot_);
    // positions
    std::fill(f_.begin(), f_.end(), 0.0);
    C_.add_transposed(of_all_rows(eta), 1, f_);
    constraints_->over_mass(f_, sum_);
    second_->velocity(y, v_);
    for (std::size_t i = 0; i < velocities_; ++i) { v_[i] -= sum_[i]; }
    copy_row(zdot.first(n_), rate_);  // what is left alone leaves no residual
    constraints_->coordinate_rate(y, v_, rate_);
    for (std::size_t i = 0; i < n_; ++i) { left[i] = zdot[i] - rate_[i] + spread_[i]; }
    for (std::size_t r = 0; r < m; ++r) {
      left[n_ + r] = speed_[kept_[r]];
      left[n_ + m + r] = on_positions_[kept_[r]] ? phi_[kept_[r]] : eta[r];
    }
  }

  /// ∂/∂z + c ∂/∂ż of the residual at z, equations of velocities times M. False: not finite there.
  bool linearise(double t, std::span<const double> z, double c) {
    const std::size_t m = kept_.size();
    if (!linear_->at(t, z.first(n_), of_all_rows(z.subspan(n_, m)), {})) { return false; }
    assemble(c);
    return true;
  }
  bool factor() { return factor_->factor(std::span<const double>(assembly_->matrix().values)); }
  void solve(std::span<double> b) {
    second_->velocity(b.first(n_), v_);
    constraints_->times_mass(v_, vdot_);
    second_->set_velocity(b.first(n_), vdot_);
    factor_->solve(b);
  }

 private:
  std::span<const double> of_all_rows(std::span<const double> of_kept) {
    std::fill(all_.begin(), all_.end(), 0.0);
    for (std::size_t k = 0; k < kept_.size(); ++k) { all_[kept_[k]] = of_kept[k]; }
    return all_;
  }

  void prepare_matrix() {
    const std::size_t m = kept_.size();
    assembly_.emplace(size());
    assemble(1);
    std::vector<std::size_t> blocks(linear_->block_of_entry().begin(), linear_->block_of_entry().end());
    for (int sets = 0; sets < 2; ++sets) {
      for (const std::size_t r : kept_) { blocks.push_back(linear_->block_of_row()[r]); }
    }
    std::vector<bool> may_be_redundant(n_ + 2 * m, false);
    factor_.emplace(assembly_->matrix(), blocks, may_be_redundant);
  }
  void assemble(double c) {
    const std::size_t m = kept_.size();
    SparseAssembly<double>& A = *assembly_;
    const SparseRows<double>& C = linear_->C();
    // Cᵀ has the entries of M⁻¹ Cᵀ
    std::fill(transposed_.values.begin(), transposed_.values.end(), 0.0);
    for (std::size_t r = 0; r < C.row_count(); ++r) {
      C.each(r, [&](std::size_t i, double value) {
        const auto begin = transposed_.columns.begin() + static_cast<std::ptrdiff_t>(transposed_.starts[i]);
        const auto end = transposed_.columns.begin() + static_cast<std::ptrdiff_t>(transposed_.starts[i + 1]);
        transposed_.values[static_cast<std::size_t>(std::lower_bound(begin, end, r) - transposed_.columns.begin())] =
            value;
      });
    }
    A.begin();
    for (std::size_t i = 0; i < n_; ++i) {
      const std::size_t velocity = velocity_of_[i];
      if (velocity < velocities_) {
        linear_->mass().each(velocity,
                             [&](std::size_t j, double value) { A.add(linear_->velocity_entries()[j], c * value); });
        linear_->forces().each(velocity, [&](std::size_t j, double value) { A.add(j, value); });
        transposed_.each(velocity, [&](std::size_t r, double value) {
          if (number_[r] < m) { A.add(n_ + number_[r], value); }
        });
      } else {
        A.add(i, c);
        linear_->rates().each(i, [&](std::size_t j, double value) { A.add(j, -value); });
        linear_->rates_by_velocity().each(i, [&](std::size_t j, double by) {
          linear_->reach().each(j, [&](std::size_t r, double value) {
            if (number_[r] < m) { A.add(n_ + m + number_[r], by * value); }
          });
        });
      }
      A.end_row();
    }
    for (std::size_t k = 0; k < m; ++k) {
      linear_->speeds().each(kept_[k], [&](std::size_t j, double value) { A.add(j, value); });
      A.end_row();
    }
    for (std::size_t k = 0; k < m; ++k) {
      if (on_positions_[kept_[k]]) {
        linear_->positions().each(kept_[k], [&](std::size_t j, double value) { A.add(j, value); });
      } else {
        A.add(n_ + m + k, 1);
      }
      A.end_row();
    }
  }

  const System<double>* system_;
  const SecondOrder<double>* second_;
  const Constraints<double>* constraints_;
  std::vector<bool> on_positions_;
  std::size_t n_;
  std::size_t velocities_;
  std::unique_ptr<LinearisedConstraints<double>> linear_;
  std::vector<std::size_t> velocity_of_;  ///< by entry of y; velocities_: a coordinate
  std::vector<std::size_t> kept_;
  std::vector<std::size_t> number_;  ///< by row: its number among those kept
  std::vector<double> phi_;
  std::vector<double> speed_;
  std::vector<double> all_;  ///< λ or η by row
  SparseRows<double> C_;
  SparseRows<double> transposed_;  ///< Cᵀ
  std::optional<SparseAssembly<double>> assembly_;
  std::optional<math::BlockLu<double>> factor_;
  std::vector<double> f_;
  std::vector<double> sum_;
  std::vector<double> v_;
  std::vector<double> vdot_;
  std::vector<double> rate_;
  std::vector<double> spread_;
};

/// Backward differences of variable order and step by IDA [Hindmarsh2005] on the stabilised equations with index 2
/// [GearLeimkuhlerGupta1985]: the reference for stiff mechanisms. Where the rank of the constraints changes on the way,
/// the run fails.
class Ida final : public OwnSteps {
 public:
  Ida(const MethodDescription& description, const System<double>& system)
      : OwnSteps(description, system), form_(system), linear_(form_) {
    SUNContext context = nullptr;
    demand(SUNContext_Create(nullptr, &context) == 0 && context != nullptr);
    context_.reset(context);
  }

  void set_tolerance(const double& relative, const double& absolute) override {
    relative_ = per_step(relative);
    absolute_ = per_step(absolute);
    restart();
  }
  bool keeps_tolerance() const override { return true; }
  std::string trouble_of_own() const override { return trouble_; }

 private:
  static constexpr double kDefaultTolerance = 1e-9;
  static constexpr double kAnything = 1e30;
  /// IDA holds the error of each of its many short steps; see CVODE.
  static constexpr double kSteps = 50;
  static double per_step(double tolerance) { return std::fmax(tolerance, kLeastTolerance) / kSteps; }

  static int residual_of(double t, N_Vector z, N_Vector zdot, N_Vector left, void* self) {
    constexpr int kTryShorterStep = 1;
    auto* ida = static_cast<Ida*>(self);
    ++ida->evaluations_;
    ida->form_.residual(t, entries(z), entries(zdot), entries(left));
    return first_not_finite(entries(left)) == entries(left).size() ? 0 : kTryShorterStep;
  }

  static int jacobian_of(double t, double c, N_Vector z, N_Vector, N_Vector, SUNMatrix, void* self, N_Vector, N_Vector,
                         N_Vector) {
    constexpr int kTryShorterStep = 1;
    return static_cast<Ida*>(self)->form_.linearise(t, entries(z), c) ? 0 : kTryShorterStep;
  }

  void start(double t, std::span<const double> y) override {
    std::vector<double> z;
    std::vector<double> zdot;
    form_.start(t, y, z, zdot);
    const auto size = static_cast<sunindextype>(form_.size());
    SUNContext context = context_.get();
    solver_.reset();
    z_.reset(N_VNew_Serial(size, context));
    zdot_.reset(N_VNew_Serial(size, context));
    inside_.reset(N_VNew_Serial(size, context));
    const Numbers kinds(N_VNew_Serial(size, context));
    const Numbers allowed(N_VNew_Serial(size, context));
    demand(z_ && zdot_ && inside_ && kinds && allowed);
    copy_row(z, entries(z_.get()));
    copy_row(zdot, entries(zdot_.get()));
    for (std::size_t i = 0; i < form_.size(); ++i) {
      const bool of_state = i < form_.state_size();
      entries(kinds.get())[i] = of_state ? 1 : 0;
      entries(allowed.get())[i] = of_state ? absolute_ : kAnything;
    }
    solver_.reset(IDACreate(context));
    demand(solver_ != nullptr);
    void* solver = solver_.get();
    demand(IDASetErrHandlerFn(solver, say_nothing, nullptr) == IDA_SUCCESS);
    demand(IDAInit(solver, residual_of, t, z_.get(), zdot_.get()) == IDA_SUCCESS);
    demand(IDASetUserData(solver, this) == IDA_SUCCESS);
    demand(IDASVtolerances(solver, relative_, allowed.get()) == IDA_SUCCESS);
    demand(linear_.attach(context, [&](SUNLinearSolver linear, SUNMatrix matrix) {
      return IDASetLinearSolver(solver, linear, matrix) == IDA_SUCCESS;
    }));
    demand(IDASetJacFn(solver, jacobian_of) == IDA_SUCCESS);
    demand(IDASetId(solver, kinds.get()) == IDA_SUCCESS);
    // multipliers follow from the state and the constraints, and are known to rounding over the step only
    demand(IDASetSuppressAlg(solver, 1) == IDA_SUCCESS);
    // IDA's own first step, half a tolerance long, may be too short for the digits of t: then a longer one, which it
    // shortens where it has to
    double squares = 0;
    for (std::size_t i = 0; i < form_.state_size(); ++i) {
      const double one = entries(zdot_.get())[i] / (relative_ * std::fabs(entries(z_.get())[i]) + absolute_);
      squares += one * one;
    }
    const double own = 0.5 / std::sqrt(squares / static_cast<double>(form_.size()));
    const double least = 1e4 * std::numeric_limits<double>::epsilon() * std::fabs(t);
    first_step_ = own < least ? least : 0;
  }
  bool advance(double towards, double& t_reached) override {
    if (first_step_ > 0) {
      demand(IDASetInitStep(solver_.get(), std::copysign(first_step_, towards - t_reached)) == IDA_SUCCESS);
      first_step_ = 0;
    }
    const int status = IDASolve(solver_.get(), towards, &t_reached, z_.get(), zdot_.get(), IDA_ONE_STEP);
    if (status >= 0) { return true; }
    char* name = IDAGetReturnFlagName(status);
    trouble_ = name;
    std::free(name);
    return false;
  }
  double last_length() const override {
    double last = 0;
    demand(IDAGetLastStep(solver_.get(), &last) == IDA_SUCCESS);
    return last;
  }
  bool read(double t, std::span<double> y) const override {
    if (IDAGetDky(solver_.get(), t, 0, inside_.get()) != IDA_SUCCESS) { return false; }
    copy_row(entries(inside_.get()).first(y.size()), y);
    return true;
  }

  StabilisedForm form_;
  // in the order in which they are made; IDA lets go of the others before they go
  Context context_;
  Numbers z_;
  Numbers zdot_;
  Numbers inside_;
  OwnLinearSolver<StabilisedForm> linear_;
  std::unique_ptr<void, FreeSolver> solver_;
  double relative_ = kDefaultTolerance;
  double absolute_ = kDefaultTolerance;
  double first_step_ = 0;  ///< 0: as IDA likes
  std::string trouble_;
};

struct BindIda {
  template <class S>
  std::unique_ptr<Stepper<S>> operator()(const MethodDescription& description, const System<S>& system) const {
    return std::make_unique<Ida>(description, system);
  }
};

}  // namespace

void add_ida(MethodList& list) {
  list.in_double.push_back(std::make_shared<DescribedMethod<double, BindIda>>(
      MethodDescription{
          .name = "ida",
          .summary = "IDA of SUNDIALS, backward differences with constraints, variable order and step, stiff",
          .reference = "Hindmarsh2005",
          .order = 0,
          .adaptive = true,
          .dense = true,
          .portable = false,
          .keeps_history = true,
          .holds_constraints = true,
          .least_tolerance = kLeastTolerance,
          .needs = {"second order", "constraints"}},
      BindIda{}));
}

}  // namespace polhode
