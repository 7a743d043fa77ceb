#pragma once

#include "polhode/simulation/plan.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

/// Runs that carry the derivatives of their state along. Labels (ANA-n): docs/theory/analysis.md.
namespace polhode::simulation {

/// A central difference: φ'(0) ≈ Σ weight φ(at), where φ is smooth over a unit.
struct Stencil {
  std::span<const double> at;
  std::span<const double> weight;
};
/// Of order 6: an error of 10⁻¹⁸ φ⁗‴ and of 10⁻¹² φ by rounding.
Stencil fine_stencil();
/// Of order 2: two points alone, 10⁻¹⁰ φ‴ and 10⁻¹¹ φ. For searches.
Stencil quick_stencil();

/// A way through the space of parameters, p(ε).
struct SensitivityDirection {
  std::string name;  ///< of what varies: "spin"
  /// ∂/∂name = (d/dε)/unit
  double unit = 1;
  /// The scenario at p(ε) for every ε of the stencil.
  std::vector<std::shared_ptr<const Plan>> plans;
};

/// A run of a plan, and its first variation along directions of its parameters:
///
///   ẏ = f(t, y; p),   ṡ = ∂f/∂y s + ∂f/∂p dp/dε,   s(0) = dy₀/dε                  (ANA-50)
///
/// Where an event acts, s jumps by (ANA-51). Behind the columns of the plan stand their derivatives, COLUMN_by_NAME.
/// The right-hand side and all that reads the state are differentiated by the stencil at one state: no difference of
/// two runs is taken, so no noise of their steps enters. Methods that need more of a system than its right-hand side
/// are replaced by dop853.
struct SensitivityPlan final : Plan {
  SensitivityPlan(std::shared_ptr<const Plan> plan, std::vector<SensitivityDirection> along,
                  Stencil differences = fine_stencil());

  std::shared_ptr<const Plan> inner;
  std::vector<SensitivityDirection> directions;
  Stencil stencil;

  std::unique_ptr<Subject> subject() const override;
  std::unique_ptr<Plan> copy() const override { return std::make_unique<SensitivityPlan>(*this); }
  std::vector<OfferedColumn> offered_columns() const override { return inner->offered_columns(); }
  std::vector<std::string> column_prefixes() const override { return inner->column_prefixes(); }
  double length() const override { return inner->length(); }
  bool judges_positions() const override { return inner->judges_positions(); }
  ProjectionUse usual_projection() const override { return inner->usual_projection(); }
  std::vector<Evidence> evidence(const LedgerState& ledger, std::vector<std::string>& notes) const override {
    return inner->evidence(ledger, notes);
  }
  std::optional<ExactMotion> exact_motion() const override { return inner->exact_motion(); }
};

/// "spin": what stands behind a column in the name of its derivative, "wx_body_rad_s_by_spin".
std::string derivative_column(std::string_view column, std::string_view parameter);
/// Whether a column has a derivative in such runs: all but time, errors (balances, residuals), and sums of work.
bool has_derivative(std::string_view column);

}  // namespace polhode::simulation
