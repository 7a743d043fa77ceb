#include "polhode/integrator/own_steps.h"

#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <Eigen/QR>

#include <algorithm>
#include <cstdlib>

namespace polhode {
namespace {

using Dense = Eigen::MatrixXd;
using Index = Eigen::Index;

struct FreeContext {
  void operator()(SUNContext context) const { SUNContext_Free(&context); }
};
struct FreeSolver {
  void operator()(void* solver) const { IDAFree(&solver); }
};
using Context = std::unique_ptr<_SUNContext, FreeContext>;
using Numbers = std::unique_ptr<_generic_N_Vector, FreeBy<N_VDestroy>>;
using DenseMatrix = std::unique_ptr<_generic_SUNMatrix, FreeBy<SUNMatDestroy>>;
using LinearSolver = std::unique_ptr<_generic_SUNLinearSolver, FreeBy<SUNLinSolFree>>;

std::span<double> entries(N_Vector v) { return {N_VGetArrayPointer(v), static_cast<std::size_t>(N_VGetLength(v))}; }

void demand(bool good) {
  if (!good) { fail(Error("IDA refused to be set up; the installed SUNDIALS may be broken or out of memory")); }
}
void say_nothing(int, const char*, const char*, char*, void*) {}

/// Of a run: what rounding lets IDA reach.
constexpr double kLeastTolerance = 5e-12;

/// The equations for IDA, unknowns z = (y | λ | η), with rows that are independent at the start:
///
///   ẋ = the motion of positions with v − M⁻¹ Cᵀ η,   v̇ + M⁻¹ (Cᵀ λ − f) = 0,   Φ = 0,   C v = rate        (MEC-35)
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
        C_(static_cast<Index>(on_positions_.size()), static_cast<Index>(velocities_)),
        f_(velocities_),
        sum_(velocities_),
        v_(velocities_),
        vdot_(velocities_),
        rate_(n_),
        spread_(n_) {}

  std::size_t state_size() const { return n_; }
  std::size_t size() const { return n_ + 2 * kept_.size(); }

  /// Keeps a set of independent constraints.
  void keep_independent_rows(double t, std::span<const double> y) {
    kept_.clear();
    if (on_positions_.empty()) { return; }
    take_rows(t, y);
    Eigen::ColPivHouseholderQR<Dense> qr(C_.transpose());
    qr.setThreshold(1e-9);
    for (Index k = 0; k < qr.rank(); ++k) {
      kept_.push_back(static_cast<std::size_t>(qr.colsPermutation().indices()(k)));
    }
    std::sort(kept_.begin(), kept_.end());
  }

  /// z and ż where constraints hold.
  void start(double t, std::span<const double> y, std::span<double> z, std::span<double> zdot) {
    system_->rhs(t, y, zdot.first(n_));
    copy_row(y, z);
    if (kept_.empty()) { return; }
    take_rows(t, y);
    second_->velocity(zdot.first(n_), vdot_);
    constraints_->times_mass(vdot_, sum_);
    constraints_->force(t, y, f_);
    Dense Ct(static_cast<Index>(velocities_), static_cast<Index>(kept_.size()));
    Eigen::VectorXd right(static_cast<Index>(velocities_));
    for (std::size_t i = 0; i < velocities_; ++i) { right(static_cast<Index>(i)) = f_[i] - sum_[i]; }
    for (std::size_t r = 0; r < kept_.size(); ++r) {
      Ct.col(static_cast<Index>(r)) = C_.row(static_cast<Index>(kept_[r])).transpose();
    }
    const Eigen::VectorXd lambda = Ct.colPivHouseholderQr().solve(right);
    for (std::size_t r = 0; r < kept_.size(); ++r) { z[n_ + r] = lambda(static_cast<Index>(r)); }
  }

  void residual(double t, std::span<const double> z, std::span<const double> zdot, std::span<double> left) {
    const std::span<const double> y = z.first(n_);
    const std::size_t m = kept_.size();
    const std::span<const double> eta = z.subspan(n_ + m);
    take_rows(t, y);
    // M⁻¹ (Cᵀ λ − f) + v̇, spread over the entries of y that are velocities
    constraints_->force(t, y, f_);
    add_transposed(z.subspan(n_, m), -1);
    constraints_->over_mass(f_, sum_);
    second_->velocity(zdot.first(n_), vdot_);
    for (std::size_t i = 0; i < velocities_; ++i) { vdot_[i] -= sum_[i]; }
    std::fill(spread_.begin(), spread_.end(), 0.0);
    second_->set_velocity(spread_, vdot_);
    // positions
    std::fill(f_.begin(), f_.end(), 0.0);
    add_transposed(eta, 1);
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

 private:
  void take_rows(double t, std::span<const double> y) {
    constraints_->rows(t, y, phi_, speed_, {C_.data(), static_cast<std::size_t>(C_.size())});
  }
  /// f_ += sign Cᵀ x, of the kept rows
  void add_transposed(std::span<const double> x, double sign) {
    for (std::size_t i = 0; i < velocities_; ++i) {
      double sum = 0;
      for (std::size_t r = 0; r < kept_.size(); ++r) {
        sum += C_(static_cast<Index>(kept_[r]), static_cast<Index>(i)) * x[r];
      }
      f_[i] += sign * sum;
    }
  }

  const System<double>* system_;
  const SecondOrder<double>* second_;
  const Constraints<double>* constraints_;
  std::vector<bool> on_positions_;
  std::size_t n_;
  std::size_t velocities_;
  std::vector<std::size_t> kept_;
  std::vector<double> phi_;
  std::vector<double> speed_;
  Dense C_;
  std::vector<double> f_;
  std::vector<double> sum_;
  std::vector<double> v_;
  std::vector<double> vdot_;
  std::vector<double> rate_;
  std::vector<double> spread_;
};

/// Backward differences of variable order and step by IDA [Hindmarsh2005] on the stabilised equations with index 2
/// [GearLeimkuhlerGupta1985]: the reference for stiff mechanisms. Jacobians by differences, dense.
/// Where the rank of the constraints changes on the way, the run fails.
class Ida final : public OwnSteps {
 public:
  Ida(const MethodDescription& description, const System<double>& system)
      : OwnSteps(description, system), form_(system) {
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

  void start(double t, std::span<const double> y) override {
    form_.keep_independent_rows(t, y);
    const auto size = static_cast<sunindextype>(form_.size());
    SUNContext context = context_.get();
    solver_.reset();
    z_.reset(N_VNew_Serial(size, context));
    zdot_.reset(N_VNew_Serial(size, context));
    inside_.reset(N_VNew_Serial(size, context));
    const Numbers kinds(N_VNew_Serial(size, context));
    const Numbers allowed(N_VNew_Serial(size, context));
    demand(z_ && zdot_ && inside_ && kinds && allowed);
    N_VConst(0, z_.get());
    N_VConst(0, zdot_.get());
    for (std::size_t i = 0; i < form_.size(); ++i) {
      const bool of_state = i < form_.state_size();
      entries(kinds.get())[i] = of_state ? 1 : 0;
      entries(allowed.get())[i] = of_state ? absolute_ : kAnything;
    }
    form_.start(t, y, entries(z_.get()), entries(zdot_.get()));
    matrix_.reset(SUNDenseMatrix(size, size, context));
    linear_.reset(SUNLinSol_Dense(z_.get(), matrix_.get(), context));
    solver_.reset(IDACreate(context));
    demand(matrix_ && linear_ && solver_);
    void* solver = solver_.get();
    demand(IDASetErrHandlerFn(solver, say_nothing, nullptr) == IDA_SUCCESS);
    demand(IDAInit(solver, residual_of, t, z_.get(), zdot_.get()) == IDA_SUCCESS);
    demand(IDASetUserData(solver, this) == IDA_SUCCESS);
    demand(IDASVtolerances(solver, relative_, allowed.get()) == IDA_SUCCESS);
    demand(IDASetLinearSolver(solver, linear_.get(), matrix_.get()) == IDA_SUCCESS);
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
  DenseMatrix matrix_;
  LinearSolver linear_;
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
