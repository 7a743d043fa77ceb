#pragma once

#include "polhode/force/loads.h"
#include "polhode/formula/number.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// What acts, as a scenario says it: a kind is one header with a plain struct, its keys, its law for any number type,
/// and a line in kinds.def.
namespace polhode::force {

/// A kind of force, for documents.
struct Kind {
  std::string_view name;       ///< "spring"
  std::string_view summary;    ///< in words
  std::string_view equation;   ///< in one line
  bool on_one_body = false;    ///< may act on a body that is alone
  bool in_mechanisms = false;  ///< may act in a mechanism
};

/// Takes what is wrong with the numbers of a table.
class Complaints {
 public:
  virtual ~Complaints() = default;
  /// `key` is that of the table which is at fault; "": the table itself.
  virtual void problem(std::string_view key, std::string what, std::string allowed = {}, std::string cure = {}) = 0;
  /// A key that must be there and is not.
  virtual void missing(std::string_view key, std::string_view wanted) = 0;
  /// Whether the numbers are those of the initial state; false where they have changed during a run.
  virtual bool at_start() const { return true; }
  /// A key that has no meaning here.
  virtual void unknown_key(std::string_view key, const std::vector<std::string_view>& known) = 0;
};

/// What a law must know of the body that it acts on.
template <class S>
struct BodyFacts {
  S mass{};
  Vec3<S> center_B{};     ///< mass centre, from the origin of the body's axes
  Vec3<S> reference_B{};  ///< the point that J_B and all levers count from: mass centre, or fixed point of a held body
  Mat3<S> J_B{};          ///< about that point
  bool held = false;      ///< at that point
  Vec3<S> wheels_B{};     ///< momentum of the wheels at constant speed in it, relative to it
};

/// What a force on one body means for the balances of energy and momentum, and for pictures.
template <class S>
struct Effects {
  /// Its potential energy; empty: it has none, and energy is balanced by work.
  std::function<S(const BodyState<S>&)> potential{};
  /// Its moment about the reference point: any, none at all, or none about the direction axis_N in space.
  enum class Torque { any, none, not_about_axis } torque = Torque::any;
  Vec3<S> axis_N{};
  Vec3<S> momentum_B{};                ///< of what turns inside the body, relative to it
  bool turns = true;                   ///< false: its force goes through the reference point, and turns nothing
  std::optional<Vec3<S>> gravity_N{};  ///< pictures: what is up
  struct Line {
    Vec3<S> anchor_N;
    Vec3<S> at_B;
  };
  std::optional<Line> spring{};  ///< pictures
};

/// Where a force stands: keys of the other kind are unknown there.
enum class Where { one_body, mechanism };

/// The key "body": which body of a mechanism is meant. A body that is alone has no name.
inline void check_body(Complaints& complaints, Where where, const std::string& body) {
  if (where == Where::mechanism && body.empty()) { complaints.missing("body", "the name of a body"); }
  if (where == Where::one_body && !body.empty()) {
    complaints.problem("body", "there is one body alone, and it has no name", {}, "leave out body");
  }
}

/// Three expressions, bound to what they look at: constant, or a function of the state of the body.
template <class S>
struct VectorFunction {
  Vec3<S> constant{};                                 ///< counts where there is no law
  std::function<Vec3<S>(const BodyState<S>&)> law{};  ///< may be empty
  LawOf looks_at = LawOf::time_and_pose;
};
/// An expression, bound to what it looks at: constant, or a function of the state of the body and the speeds of its
/// wheels.
template <class S>
struct ScalarFunction {
  S constant{};  ///< counts where there is no law
  std::function<S(const BodyState<S>&, std::span<const S> wheel_speeds)> law{};
};
/// What a law given as code returns: a force at the mass centre, and a moment about it.
template <class S>
struct BodyWrench {
  Vec3<S> force_N{};   ///< space components, N
  Vec3<S> moment_B{};  ///< body components, N m
};
template <class S>
using BodyLaw = std::function<BodyWrench<S>(const BodyState<S>&)>;
/// Laws given as code, by their names.
using Laws = Named<BodyLaw<double>>;

/// Binds the expressions of a force.
template <class S>
class Binder {
 public:
  virtual ~Binder() = default;
  virtual VectorFunction<S> vector(const ExpressionVector& expressions) const = 0;
  virtual ScalarFunction<S> scalar(const Expression& expression) const = 0;
  /// The function that is bound to a name; there is one.
  virtual BodyLaw<S> code(const std::string& name) const = 0;
};

/// The values of three numbers; formulas have been evaluated.
template <class S = double>
Vec3<S> values(const NumberVector& v) {
  return {S(v[0].value), S(v[1].value), S(v[2].value)};
}
template <class S = double>
Vec3<S> values(const std::optional<NumberVector>& v) {
  return v ? values<S>(*v) : Vec3<S>{};
}
inline Vec3<double> values(const ExpressionVector& v) { return {v[0].value, v[1].value, v[2].value}; }

/// Whether no entry is a formula.
inline bool is_constant(const ExpressionVector& v) {
  return v[0].formula.empty() && v[1].formula.empty() && v[2].formula.empty();
}

/// Zero whatever the parameters are.
inline bool is_zero(const Number& number) { return number.value == 0 && number.formula.empty(); }

/// Notes a number below zero.
inline void check_not_negative(Complaints& complaints, std::string_view key, const Number& number, std::string what,
                               std::string wanted, std::string cure = {}) {
  if (number.value < 0) { complaints.problem(key, std::move(what), std::move(wanted), std::move(cure)); }
}

}  // namespace polhode::force
