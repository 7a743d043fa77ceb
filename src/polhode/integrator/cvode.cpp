#include "polhode/integrator/method.h"

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
template <auto Free>
struct FreeBy {
  template <class T>
  void operator()(T* thing) const {
    Free(thing);
  }
};
using Context = std::unique_ptr<_SUNContext, FreeContext>;
using Vector = std::unique_ptr<_generic_N_Vector, FreeBy<N_VDestroy>>;
using DenseMatrix = std::unique_ptr<_generic_SUNMatrix, FreeBy<SUNMatDestroy>>;
using LinearSolver = std::unique_ptr<_generic_SUNLinearSolver, FreeBy<SUNLinSolFree>>;
using FixedPoint = std::unique_ptr<_generic_SUNNonlinearSolver, FreeBy<SUNNonlinSolFree>>;

std::span<double> entries(N_Vector v) { return {N_VGetArrayPointer(v), static_cast<std::size_t>(N_VGetLength(v))}; }

enum class Family { adams, bdf };

/// Linear multistep methods of variable order and step by CVODE [Hindmarsh2005]:
///
///   Σ_i α_i y_{n−i} + h_n Σ_i β_i f_{n−i} = 0,   Adams: orders 1 to 12; BDF: 1 to 5                      (INT-22)
///
/// Adams solves its equations by fixed points, BDF by Newton's method with a Jacobian of differences. CVODE keeps its
/// own history and chooses its own steps: `propose` makes one, and `step` reads the state off its polynomial, which is
/// also the dense output. It evaluates f a little beyond the end of the run. A step that nobody proposed is made of as
/// many of CVODE's as it takes, by default to 1e-12.
class Cvode final : public Stepper<double> {
 public:
  Cvode(const MethodDescription& description, const System<double>& system, Family family)
      : Stepper<double>(description), system_(&system), n_(system.size()), error_(n_), end_(n_) {
    SUNContext context = nullptr;
    demand(SUNContext_Create(nullptr, &context) == 0 && context != nullptr);
    context_.reset(context);
    const auto n = static_cast<sunindextype>(n_);
    y_.reset(N_VNew_Serial(n, context));
    estimate_.reset(N_VNew_Serial(n, context));
    solver_.reset(CVodeCreate(family == Family::adams ? CV_ADAMS : CV_BDF, context));
    demand(y_ && estimate_ && solver_);
    N_VConst(0, y_.get());
    demand(CVodeSetErrHandlerFn(solver_.get(), say_nothing, nullptr) == CV_SUCCESS);
    demand(CVodeInit(solver_.get(), right_side, 0, y_.get()) == CV_SUCCESS);
    demand(CVodeSetUserData(solver_.get(), this) == CV_SUCCESS);
    demand(CVodeSStolerances(solver_.get(), kDefaultTolerance, kDefaultTolerance) == CV_SUCCESS);
    if (family == Family::adams) {
      fixed_point_.reset(SUNNonlinSol_FixedPoint(y_.get(), 0, context));
      demand(fixed_point_ && CVodeSetNonlinearSolver(solver_.get(), fixed_point_.get()) == CV_SUCCESS);
    } else {
      matrix_.reset(SUNDenseMatrix(n, n, context));
      linear_.reset(SUNLinSol_Dense(y_.get(), matrix_.get(), context));
      demand(matrix_ && linear_ && CVodeSetLinearSolver(solver_.get(), linear_.get(), matrix_.get()) == CV_SUCCESS);
    }
  }

  void set_tolerance(const double& relative, const double& absolute) override {
    demand(CVodeSStolerances(solver_.get(), per_step(relative), per_step(absolute)) == CV_SUCCESS);
    end_.forget();
  }

  double propose(const double& t, std::span<const double> y, int direction) override {
    start_from(t, y, direction);
    if (direction_ * (t_reached_ - t) <= 0 && !advance(t + direction)) { return 0; }
    return t_reached_ - t;
  }

  StepStatus step(const double& t, const double& dt, std::span<double> y) override {
    start_from(t, y, dt < 0 ? -1 : 1);
    const double t_end = t + dt;
    while (direction_ * (t_reached_ - t_end) < 0) {
      if (!advance(t_end)) { return failed(); }
    }
    t_ = t;
    dt_ = dt;
    double last = 0;
    demand(CVodeGetLastStep(solver_.get(), &last) == CV_SUCCESS);
    one_polynomial_ = direction_ * (t - (t_reached_ - last)) >= 0;
    if (!read(t_end, y)) { return failed(); }
    demand(CVodeGetEstLocalErrors(solver_.get(), estimate_.get()) == CV_SUCCESS);
    copy_row(entries(estimate_.get()), error_);
    end_.set(t_end, y);
    return StepStatus::ok;
  }

  std::span<const double> error_estimate() const override { return error_; }
  int error_order() const override {
    int order = 0;
    return CVodeGetLastOrder(solver_.get(), &order) == CV_SUCCESS ? order : 0;
  }
  bool interpolate(const double& theta, std::span<double> y) const override {
    return one_polynomial_ && read(t_ + theta * dt_, y);
  }
  void restart() override { end_.forget(); }

 private:
  static constexpr double kDefaultTolerance = 1e-12;
  /// CVODE holds the error of each of its many short steps; so that a run ends within about its tolerance, as with the
  /// other methods, a fiftieth of it is asked for (`polhode verify integrators`: at most 10 tolerances at the end), but
  /// no more than rounding lets it reach.
  static double per_step(double tolerance) { return std::fmax(tolerance / 50, 2e-14); }

  static void demand(bool good) {
    if (!good) { fail(Error("CVODE refused to be set up; the installed SUNDIALS may be broken or out of memory")); }
  }
  static void say_nothing(int, const char*, const char*, char*, void*) {}

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

  /// Goes on from the last step where (t, y) is its end, else starts anew.
  void start_from(const double& t, std::span<const double> y, int direction) {
    if (direction == direction_ && end_.is_at(t, y)) { return; }
    copy_row(y, entries(y_.get()));
    demand(CVodeReInit(solver_.get(), t, y_.get()) == CV_SUCCESS);
    t_reached_ = t;
    direction_ = direction;
    end_.set(t, y);
  }
  /// One step of CVODE's own; `towards` gives the first one its direction and scale.
  bool advance(double towards) {
    met_not_finite_ = false;
    const double before = t_reached_;
    const int status = CVode(solver_.get(), towards, y_.get(), &t_reached_, CV_ONE_STEP);
    // before a point that it cannot pass its steps shrink to nothing, and are successes all the same
    const double least = 16 * std::numeric_limits<double>::epsilon() * std::fabs(before);
    if (status >= 0 && direction_ * (t_reached_ - before) > least) { return true; }
    end_.forget();
    return false;
  }
  /// The state at t, inside CVODE's last step.
  bool read(double t, std::span<double> y) const {
    if (CVodeGetDky(solver_.get(), t, 0, estimate_.get()) != CV_SUCCESS) { return false; }
    copy_row(entries(estimate_.get()), y);
    return true;
  }
  StepStatus failed() {
    end_.forget();
    return met_not_finite_ ? StepStatus::not_finite : StepStatus::no_convergence;
  }

  const System<double>* system_;
  std::size_t n_;
  // in the order in which they are made; CVODE lets go of the others before they go
  Context context_;
  Vector y_;
  Vector estimate_;
  DenseMatrix matrix_;
  LinearSolver linear_;
  FixedPoint fixed_point_;
  std::unique_ptr<void, FreeSolver> solver_;
  std::vector<double> error_;
  Point<double> end_;  ///< of the last step that was handed out
  double t_reached_ = 0;
  int direction_ = 1;
  double t_ = 0;
  double dt_ = 0;
  bool one_polynomial_ = false;  ///< the last step lies inside one of CVODE's
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
                                                                                   .needs = {}}));
}

}  // namespace

void add_cvode(MethodList& list) {
  add<Family::adams>(list, "cvode-adams", "CVODE of SUNDIALS, Adams methods, variable order and step, not stiff");
  add<Family::bdf>(list, "cvode-bdf", "CVODE of SUNDIALS, backward differences, variable order and step, stiff");
}

}  // namespace polhode
