#pragma once

#include "polhode/force/loads.h"
#include "polhode/math/counted.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Rotational equations of motion of one body, every row of table C2 of docs/theory/forms.md: same motion, different
/// unknowns, multipliers and costs. A form is a struct in a header of its own with the members that describe.h asks
/// for, named in forms.h.
namespace polhode {

/// What a form says of itself.
struct FormDescription {
  std::string name;       ///< "f5", "a1:3-2-1"
  std::string equation;   ///< in one line
  std::string unknowns;   ///< state as the integrator sees it: "e0 e1 e2 e3 w1 w2 w3"
  std::string reference;  ///< key of docs/references.bib with equation numbers
  std::size_t size = 0;   ///< of the state
  bool portable = true;

  /// Multiplier of the norm constraint, where there is one: λ belongs to the constraint row c eᵀ.
  std::optional<int> row_scale;
  std::string multiplier;  ///< closed form of λ, "4T + 2 Σ f·(Au')"

  std::string singularity;  ///< "" or in words: "middle angle ±90 deg"
  /// The gyroscopic term as the form writes it, "w' x J' w'", and the unknowns of the form that its degree counts,
  /// "w'": those in which it is a polynomial. With all of these times s the term is s^degree times what it was; what
  /// else it depends on, the angles or parameters of a chart in sines, cosines and roots, stays as it is. Both empty,
  /// and the degree 0, where the equations have no such term.
  std::string gyroscopic_term{};
  std::string gyroscopic_unknowns{};
  int gyroscopic_degree = 0;
  int force_jacobian_degree = 0;  ///< degree in e of the matrix that takes f to the generalised force, 0 where none
  OperationCount cost{};          ///< of its rates under one force, counted by running them
};

/// Rates of a form at a state: ω̇' is common to all, so that forms can be compared pointwise.
template <class S>
struct FormResult {
  Vec3<S> wdot_B{};
  std::optional<S> multiplier;
  bool solvable = true;  ///< false: the equations of this form have no unique solution here (singular chart)
};

template <class S>
class Formulation {
 public:
  virtual ~Formulation() = default;
  virtual const FormDescription& description() const = 0;
  std::size_t size() const { return description().size; }

  /// State of this form from attitude and body rate, and back.
  virtual void to_state(const InertiaNow<S>& inertia, const EulerParameters<S>& e_NB, const Vec3<S>& w_B,
                        std::span<S> y) const = 0;
  virtual void from_state(const InertiaNow<S>& inertia, std::span<const S> y, EulerParameters<S>& e_NB,
                          Vec3<S>& w_B) const = 0;

  /// ẏ, with ω̇' and the multiplier.
  virtual FormResult<S> rates(const InertiaNow<S>& inertia, const LoadNow<S>& load, std::span<const S> y,
                              std::span<S> ydot) const = 0;

  /// Back to the unit sphere, e → e/|e|, ė without its part along e; forms without such coordinates do nothing.
  virtual void project(std::span<S> y) const = 0;

  /// Moves a chart that is nearer to its singularity than `least_distance` [rad]; says whether it did.
  virtual bool switch_chart(std::span<S> y, const S& least_distance) const = 0;

  /// Condition number of the rate matrix of the form's chart at a state: how much rounding grows there. 1 without
  /// chart.
  virtual S chart_condition(std::span<const S> y) const = 0;

  /// Closed form of the multiplier (row scaling included) from attitude, rate and load: what rates() must return.
  virtual std::optional<S> expected_multiplier(const InertiaNow<S>& inertia, const LoadNow<S>& load,
                                               const EulerParameters<S>& e_NB, const Vec3<S>& w_B) const = 0;
};

/// Every form, in the order of the table; families such as "a1" appear once for each of their sequences.
/// Instantiated for double and long double.
template <class S>
const std::vector<std::shared_ptr<const Formulation<S>>>& formulations();
template <>
const std::vector<std::shared_ptr<const Formulation<double>>>& formulations<double>();
template <>
const std::vector<std::shared_ptr<const Formulation<long double>>>& formulations<long double>();

/// By name; fails with the nearest name, and for "f11" with the reason why it cannot be solved.
template <class S>
const Formulation<S>& formulation(std::string_view name);
template <>
const Formulation<double>& formulation<double>(std::string_view name);
template <>
const Formulation<long double>& formulation<long double>(std::string_view name);

}  // namespace polhode
