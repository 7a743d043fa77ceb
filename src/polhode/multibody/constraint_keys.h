#pragma once

#include "polhode/force/kind.h"
#include "polhode/formula/function.h"
#include "polhode/multibody/constraint.h"

/// What kinds of constraints need that scenarios write under [[constraints]]: a struct `Given` inside the kind, with
/// its keys, a ConstraintKind, and a function build().
namespace polhode {

/// A kind of [[constraints]], for documents.
struct ConstraintKind {
  std::string_view name;      ///< "point-on-curve"
  std::string_view summary;   ///< in words
  std::string_view equation;  ///< in one line
};

/// Formulas of the coordinates x, y, z of a point, in m.
class PointFunction {
 public:
  PointFunction() = default;
  /// `axes`: for each input of the function, which coordinate it is: 0, 1, 2.
  PointFunction(formula::Function function, std::vector<std::size_t> axes)
      : function_(std::move(function)), axes_(std::move(axes)), size_(function_.output_count()) {}

  std::size_t size() const { return size_; }
  template <class S>
  void operator()(const Vec3<S>& x, std::span<S> values) const {
    std::array<S, 3> inputs{};
    for (std::size_t i = 0; i < axes_.size(); ++i) { inputs[i] = x[axes_[i]]; }
    function_(std::span<const S>(inputs.data(), axes_.size()), values);
  }

 private:
  formula::Function function_;
  std::vector<std::size_t> axes_;
  std::size_t size_ = 0;
};

/// Made of texts, with the values of the parameters in them; fails with every mistake.
PointFunction point_function(const std::vector<std::string>& formulas, const Named<double>& parameters = {});

/// Finds what the keys of a constraint name, and notes what is wrong.
class ConstraintBinder {
 public:
  virtual ~ConstraintBinder() = default;
  virtual force::Complaints& complaints() = 0;
  /// A body by its name.
  virtual std::optional<BodyId> body(std::string_view key, const std::string& name) = 0;
  virtual std::optional<BodyId> body_or_ground(std::string_view key, const std::string& name) = 0;
  /// Formulas of x, y, z, parameters, and definitions of them; `indexed`: they are the entries of a list.
  virtual std::optional<PointFunction> of_point(std::string_view key, std::span<const Expression> formulas,
                                                bool indexed) = 0;
};

}  // namespace polhode
