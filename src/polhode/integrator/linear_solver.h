#pragma once

#include "polhode/integrator/own_steps.h"

#include <sundials/sundials_context.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

#include <memory>
#include <span>

namespace polhode {

/// Our own factors as a direct linear solver of SUNDIALS. The matrix that SUNDIALS hands around is empty: Equations has
/// it, and offers bool factor() and void solve(b), b ← x.
template <class Equations>
class OwnLinearSolver {
 public:
  explicit OwnLinearSolver(Equations& equations) : equations_(&equations) {}

  /// Makes both anew and calls set(solver, matrix), which says whether that went well.
  template <class Set>
  bool attach(SUNContext context, const Set& set) {
    solver_.reset();
    matrix_.reset(SUNMatNewEmpty(context));
    solver_.reset(SUNLinSolNewEmpty(context));
    if (!matrix_ || !solver_) { return false; }
    matrix_->ops->getid = [](SUNMatrix) { return SUNMATRIX_CUSTOM; };
    matrix_->ops->zero = [](SUNMatrix) { return 0; };
    matrix_->ops->destroy = SUNMatFreeEmpty;
    solver_->content = equations_;
    solver_->ops->gettype = [](SUNLinearSolver) { return SUNLINEARSOLVER_DIRECT; };
    solver_->ops->getid = [](SUNLinearSolver) { return SUNLINEARSOLVER_CUSTOM; };
    solver_->ops->setup = [](SUNLinearSolver self, SUNMatrix) { return of(self).factor() ? 0 : kSingular; };
    solver_->ops->solve = [](SUNLinearSolver self, SUNMatrix, N_Vector x, N_Vector b, double) {
      N_VScale(1, b, x);
      of(self).solve({N_VGetArrayPointer(x), static_cast<std::size_t>(N_VGetLength(x))});
      return 0;
    };
    solver_->ops->free = [](SUNLinearSolver self) {
      self->content = nullptr;  // is not its own
      SUNLinSolFreeEmpty(self);
      return 0;
    };
    return set(solver_.get(), matrix_.get());
  }

 private:
  static constexpr int kSingular = 1;  ///< SUNDIALS tries a shorter step
  static Equations& of(SUNLinearSolver self) { return *static_cast<Equations*>(self->content); }

  Equations* equations_;
  std::unique_ptr<_generic_SUNMatrix, FreeBy<SUNMatDestroy>> matrix_;
  std::unique_ptr<_generic_SUNLinearSolver, FreeBy<SUNLinSolFree>> solver_;
};

}  // namespace polhode
