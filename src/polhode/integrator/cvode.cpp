#include "polhode/integrator/linear_solver.h"
#include "polhode/integrator/own_steps.h"

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

namespace polhode {
namespace {

struct FreeContext {
  void operator()(SUNContext context) const { SUNContext_Free(&context); }
};
struct FreeSolver {
  void operator()(void* solver) const { CVodeFree(&solver); }
};
using Context = std::unique_ptr<_SUNContext, FreeContext>;
using Vector = std::unique_ptr<_generic_N_Vector, FreeBy<N_VDestroy>>;
using DenseMatrix = std::unique_ptr<_generic_SUNMatrix, FreeBy<SUNMatDestroy>>;
using LinearSolver = std::unique_ptr<_generic_SUNLinearSolver, FreeBy<SUNLinSolFree>>;
using FixedPoint = std::unique_ptr<_generic_SUNNonlinearSolver, FreeBy<SUNNonlinSolFree>>;

std::span<double> entries(N_Vector v) { return {N_VGetArrayPointer(v), static_cast<std::size_t>(N_VGetLength(v))}; }

/// Of a run: what rounding lets CVODE reach.
constexpr double kLeastTolerance = 1e-12;

enum class Family { adams, bdf };

/// Linear multistep methods of variable order and step by CVODE [Hindmarsh2005]:
///
///   Σ_i α_i y_{n−i} + h_n Σ_i β_i f_{n−i} = 0,   Adams: orders 1 to 12; BDF: 1 to 5                      (INT-22)
///
/// Adams solves its equations by fixed points, BDF by Newton's method: with the system's own Jacobian where it has one,
/// else with a dense one of differences. By default to 1e-12.
class Cvode final : public OwnSteps {
 public:
  Cvode(const MethodDescription& description, const System<double>& system, Family family)
      : OwnSteps(description, system), system_(&system), n_(system.size()), error_(n_) {
    SUNContext context = nullptr;
    demand(SUNContext_Create(nullptr, &context) == 0 && context != nullptr);
    context_.reset(context);
    const auto n = static_cast<sunindextype>(n_);
    y_.reset(N_VNew_Serial(n, context));
    inside_.reset(N_VNew_Serial(n, context));
    solver_.reset(CVodeCreate(family == Family::adams ? CV_ADAMS : CV_BDF, context));
    demand(y_ && inside_ && solver_);
    N_VConst(0, y_.get());
    demand(CVodeSetErrHandlerFn(solver_.get(), say_nothing, nullptr) == CV_SUCCESS);
    demand(CVodeInit(solver_.get(), right_side, 0, y_.get()) == CV_SUCCESS);
    demand(CVodeSetUserData(solver_.get(), this) == CV_SUCCESS);
    demand(CVodeSStolerances(solver_.get(), kDefaultTolerance, kDefaultTolerance) == CV_SUCCESS);
    if (family == Family::adams) {
      fixed_point_.reset(SUNNonlinSol_FixedPoint(y_.get(), 0, context));
      demand(fixed_point_ && CVodeSetNonlinearSolver(solver_.get(), fixed_point_.get()) == CV_SUCCESS);
    } else {
      if (system.jacobian() != nullptr) {
        use_exact_jacobian();
        return;
      }
      matrix_.reset(SUNDenseMatrix(n, n, context));
      linear_.reset(SUNLinSol_Dense(y_.get(), matrix_.get(), context));
      demand(matrix_ && linear_ && CVodeSetLinearSolver(solver_.get(), linear_.get(), matrix_.get()) == CV_SUCCESS);
    }
  }

  void set_tolerance(const double& relative, const double& absolute) override {
    demand(CVodeSStolerances(solver_.get(), per_step(relative), per_step(absolute)) == CV_SUCCESS);
    restart();
  }

  std::span<const double> error_estimate() const override { return error_; }
  int error_order() const override {
    int order = 0;
    return CVodeGetLastOrder(solver_.get(), &order) == CV_SUCCESS ? order : 0;
  }

 private:
  static constexpr double kDefaultTolerance = 1e-12;
  /// CVODE holds the error of each of its many short steps; so that a run ends within about its tolerance, as with the
  /// other methods, a fiftieth of it is asked for (`polhode verify integrators`: at most 10 tolerances at the end), but
  /// no more than rounding lets it reach.
  static constexpr double kSteps = 50;
  static double per_step(double tolerance) { return std::fmax(tolerance, kLeastTolerance) / kSteps; }

  static void demand(bool good) {
    if (!good) { fail(Error("CVODE refused to be set up; the installed SUNDIALS may be broken or out of memory")); }
  }
  static void say_nothing(int, const char*, const char*, char*, void*) {}

  /// 1 − γ ∂f/∂y and its factors, of the system.
  struct Shifted {
    std::unique_ptr<Linearisation<double>> at;
    std::unique_ptr<ShiftedSolver<double>> solver;
    double gamma = 0;
    bool factor() { return solver->factor(gamma); }
    void solve(std::span<double> b) { solver->solve(b); }
  };
  void use_exact_jacobian() {
    has_own_linear_ = true;
    demand(own_linear_.attach(context_.get(), [&](SUNLinearSolver linear, SUNMatrix matrix) {
      return CVodeSetLinearSolver(solver_.get(), linear, matrix) == CV_SUCCESS;
    }));
    demand(CVodeSetLinSysFn(solver_.get(), shifted_matrix) == CV_SUCCESS);
  }
  static int shifted_matrix(double t, N_Vector y, N_Vector, SUNMatrix, int is_known, int* is_new, double gamma,
                            void* self, N_Vector, N_Vector, N_Vector) {
    constexpr int kTryShorterStep = 1;
    auto* cvode = static_cast<Cvode*>(self);
    cvode->shifted_.gamma = gamma;
    *is_new = is_known == 0 ? 1 : 0;
    return is_known != 0 || cvode->shifted_.at->at(t, entries(y)) ? 0 : kTryShorterStep;
  }

  static int right_side(double t, N_Vector y, N_Vector ydot, void* self) {
    constexpr int kTryShorterStep = 1;
    auto* cvode = static_cast<Cvode*>(self);
    ++cvode->evaluations_;
    cvode->system_->rhs(t, entries(y), entries(ydot));
    const std::size_t bad = first_not_finite(entries(ydot));
    if (bad == cvode->n_) { return 0; }
    cvode->bad_index_ = bad;
    cvode->met_not_finite_ = true;
    return kTryShorterStep;
  }

  void start(double t, std::span<const double> y) override {
    if (has_own_linear_) {  // what the system is made of may have changed
      shifted_.solver.reset();
      shifted_.at = system_->jacobian()->linearisation();
      shifted_.solver = shifted_.at->solver();
    }
    copy_row(y, entries(y_.get()));
    demand(CVodeReInit(solver_.get(), t, y_.get()) == CV_SUCCESS);
  }
  bool advance(double towards, double& t_reached) override {
    met_not_finite_ = false;
    if (CVode(solver_.get(), towards, y_.get(), &t_reached, CV_ONE_STEP) < 0) { return false; }
    demand(CVodeGetEstLocalErrors(solver_.get(), inside_.get()) == CV_SUCCESS);
    copy_row(entries(inside_.get()), error_);
    return true;
  }
  double last_length() const override {
    double last = 0;
    demand(CVodeGetLastStep(solver_.get(), &last) == CV_SUCCESS);
    return last;
  }
  bool read(double t, std::span<double> y) const override {
    if (CVodeGetDky(solver_.get(), t, 0, inside_.get()) != CV_SUCCESS) { return false; }
    copy_row(entries(inside_.get()), y);
    return true;
  }
  StepStatus failure() const override { return met_not_finite_ ? StepStatus::not_finite : StepStatus::no_convergence; }

  const System<double>* system_;
  std::size_t n_;
  // in the order in which they are made; CVODE lets go of the others before they go
  Context context_;
  Vector y_;
  Vector inside_;
  DenseMatrix matrix_;
  LinearSolver linear_;
  Shifted shifted_;
  OwnLinearSolver<Shifted> own_linear_{shifted_};
  bool has_own_linear_ = false;
  FixedPoint fixed_point_;
  std::unique_ptr<void, FreeSolver> solver_;
  std::vector<double> error_;
  bool met_not_finite_ = false;
};

template <Family family>
class CvodeMethod final : public Integrator<double> {
 public:
  explicit CvodeMethod(MethodDescription description) : description_(std::move(description)) {}
  const MethodDescription& description() const override { return description_; }
  std::unique_ptr<Stepper<double>> bind(const System<double>& system) const override {
    return std::make_unique<Cvode>(description_, system, family);
  }

 private:
  MethodDescription description_;
};

template <Family family>
void add(MethodList& list, const char* name, const char* summary) {
  list.in_double.push_back(std::make_shared<CvodeMethod<family>>(MethodDescription{.name = name,
                                                                                   .summary = summary,
                                                                                   .reference = "Hindmarsh2005",
                                                                                   .order = 0,
                                                                                   .adaptive = true,
                                                                                   .dense = true,
                                                                                   .portable = false,
                                                                                   .keeps_history = true,
                                                                                   .least_tolerance = kLeastTolerance,
                                                                                   .needs = {}}));
}

}  // namespace

void add_cvode(MethodList& list) {
  add<Family::adams>(list, "cvode-adams", "CVODE of SUNDIALS, Adams methods, variable order and step, not stiff");
  add<Family::bdf>(list, "cvode-bdf", "CVODE of SUNDIALS, backward differences, variable order and step, stiff");
}

}  // namespace polhode
