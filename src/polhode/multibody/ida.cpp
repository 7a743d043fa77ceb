#include "polhode/multibody/ida.h"

#include "polhode/core/error.h"
#include "polhode/multibody/descriptor_form.h"

#include <fmt/format.h>

#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>

namespace polhode {
namespace {

using Dense = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Index = Eigen::Index;

struct FreeContext {
  void operator()(SUNContext context) const { SUNContext_Free(&context); }
};
struct FreeSolver {
  void operator()(void* solver) const { IDAFree(&solver); }
};
template <auto Free>
struct FreeBy {
  template <class T>
  void operator()(T* thing) const {
    Free(thing);
  }
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

/// Unknowns (y | λ | η), with rows that are independent at the start.
class StabilisedForm {
 public:
  StabilisedForm(const Model& model, double t, std::span<const double> y) : model_(model), form_(model), n_(y.size()) {
    condition_rows(model, t, y, all_);
    if (!all_.empty()) {
      Eigen::ColPivHouseholderQR<Dense> qr(transposed_jacobian(all_, y));
      qr.setThreshold(1e-9);
      for (Index k = 0; k < qr.rank(); ++k) {
        kept_.push_back(static_cast<std::size_t>(qr.colsPermutation().indices()(k)));
      }
    }
    std::sort(kept_.begin(), kept_.end());
  }
  std::size_t size() const { return n_ + 2 * kept_.size(); }
  std::size_t state_size() const { return n_; }

  /// ẏ and λ where conditions hold.
  void start(double t, std::span<const double> y, std::span<double> z, std::span<double> zdot) {
    Scratch scratch(model_);
    evaluate(model_, t, y, zdot.first(n_), scratch);
    std::copy(y.begin(), y.end(), z.begin());
    take_rows(t, y);
    if (kept_.empty()) { return; }
    const std::vector<double> none(kept_.size());
    const std::vector<double> missing = form_.dynamics(t, y, form_.accelerations(zdot.first(n_)), none, rows_);
    const Vector lambda = transposed_jacobian(rows_, y).colPivHouseholderQr().solve(
        -Eigen::Map<const Vector>(missing.data(), static_cast<Index>(missing.size())));
    for (std::size_t r = 0; r < kept_.size(); ++r) { z[n_ + r] = lambda(static_cast<Index>(r)); }
  }

  void residual(double t, std::span<const double> z, std::span<const double> zdot, std::span<double> left) {
    const std::span<const double> y = z.first(n_);
    take_rows(t, y);
    const std::span<const double> lambda = z.subspan(n_, kept_.size());
    const std::span<const double> eta = z.subspan(n_ + kept_.size());
    const std::vector<double> back = form_.divided_by_mass(form_.transposed(rows_, y, eta));
    const std::vector<double> force = form_.dynamics(t, y, form_.accelerations(zdot.first(n_)), lambda, rows_);
    for (std::size_t b = 0; b < model_.body_count(); ++b) {
      const std::size_t i = 6 * b;
      const BodyView body = Model::view(y, static_cast<BodyId>(b));
      const EulerParameters<double> edot = rate_from_body(body.e_NB, body.w_B - three_of(back, i));
      const Vec3<double> rdot = body.v_N - three_of(back, i + 3);
      // forces over mass and moments over the mean moment: of the size of accelerations
      const MassProperties& mass = model_.bodies()[b].mass;
      const Vec3<double> turning = (3 / trace(mass.J_B)) * three_of(force, i);
      const Vec3<double> pushing = three_of(force, i + 3) / mass.mass;
      const double right[13] = {rdot.x,    rdot.y,    rdot.z,    edot.e0,   edot.ev.x, edot.ev.y, edot.ev.z,
                                pushing.x, pushing.y, pushing.z, turning.x, turning.y, turning.z};
      for (std::size_t k = 0; k < 13; ++k) { left[13 * b + k] = k < 7 ? zdot[13 * b + k] - right[k] : right[k]; }
    }
    for (std::size_t r = 0; r < kept_.size(); ++r) {
      const double speed = DescriptorForm::speed(rows_[r], y);
      left[n_ + r] = speed;
      left[n_ + kept_.size() + r] = rows_[r].on_places ? rows_[r].value : eta[r];
    }
  }

 private:
  Dense transposed_jacobian(const std::vector<ConditionRow>& rows, std::span<const double> y) const {
    const std::vector<double> C = form_.jacobian(rows, y);
    const auto columns = static_cast<Index>(form_.size());
    return Eigen::Map<const Dense>(C.data(), static_cast<Index>(rows.size()), columns).transpose();
  }
  void take_rows(double t, std::span<const double> y) {
    condition_rows(model_, t, y, all_);
    rows_.clear();
    for (const std::size_t r : kept_) { rows_.push_back(all_[r]); }
  }

  const Model& model_;
  DescriptorForm form_;
  std::size_t n_;
  std::vector<ConditionRow> all_, rows_;
  std::vector<std::size_t> kept_;
};

int residual_of(double t, N_Vector z, N_Vector zdot, N_Vector left, void* problem) {
  static_cast<StabilisedForm*>(problem)->residual(t, entries(z), entries(zdot), entries(left));
  for (const double x : entries(left)) {
    if (!std::isfinite(x)) { return 1; }  // a shorter step may do
  }
  return 0;
}

}  // namespace

bool has_ida() { return true; }

IdaReport run_ida(const Model& model, double t, double t_end, std::span<double> y, const IdaOptions& options) {
  IdaReport report;
  report.t = t;
  StabilisedForm problem(model, t, y);
  SUNContext raw = nullptr;
  demand(SUNContext_Create(nullptr, &raw) == 0 && raw != nullptr);
  const Context context(raw);
  const auto size = static_cast<sunindextype>(problem.size());
  const Numbers z(N_VNew_Serial(size, raw));
  const Numbers zdot(N_VNew_Serial(size, raw));
  const Numbers kinds(N_VNew_Serial(size, raw));
  demand(z && zdot && kinds);
  N_VConst(0, z.get());
  N_VConst(0, zdot.get());
  for (std::size_t i = 0; i < problem.size(); ++i) { entries(kinds.get())[i] = i < problem.state_size() ? 1 : 0; }
  problem.start(t, y, entries(z.get()), entries(zdot.get()));

  const DenseMatrix matrix(SUNDenseMatrix(size, size, raw));
  const LinearSolver linear(SUNLinSol_Dense(z.get(), matrix.get(), raw));
  const std::unique_ptr<void, FreeSolver> solver(IDACreate(raw));
  demand(matrix && linear && solver);
  demand(IDASetErrHandlerFn(solver.get(), say_nothing, nullptr) == IDA_SUCCESS);
  demand(IDAInit(solver.get(), residual_of, t, z.get(), zdot.get()) == IDA_SUCCESS);
  demand(IDASetUserData(solver.get(), &problem) == IDA_SUCCESS);
  demand(IDASStolerances(solver.get(), options.relative_tolerance, options.absolute_tolerance) == IDA_SUCCESS);
  demand(IDASetLinearSolver(solver.get(), linear.get(), matrix.get()) == IDA_SUCCESS);
  demand(IDASetId(solver.get(), kinds.get()) == IDA_SUCCESS);
  // multipliers follow their conditions, and their error is of a lower order
  demand(IDASetSuppressAlg(solver.get(), 1) == IDA_SUCCESS);
  demand(IDASetMaxNumSteps(solver.get(), options.most_steps) == IDA_SUCCESS);
  demand(IDASetStopTime(solver.get(), t_end) == IDA_SUCCESS);

  const int status = t_end > t ? IDASolve(solver.get(), t_end, &report.t, z.get(), zdot.get(), IDA_NORMAL) : 0;
  report.done = status >= 0;
  IDAGetNumSteps(solver.get(), &report.steps);
  IDAGetNumResEvals(solver.get(), &report.evaluations);
  std::copy_n(entries(z.get()).begin(), y.size(), y.begin());
  if (!report.done) {
    char* name = IDAGetReturnFlagName(status);
    report.trouble = fmt::format("IDA stopped at t = {} s after {} steps: {}", report.t, report.steps, name);
    std::free(name);
  }
  return report;
}

}  // namespace polhode
