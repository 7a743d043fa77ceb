#pragma once

#include "polhode/math/dual.h"
#include "polhode/math/jet.h"
#include "polhode/multibody/constraint_keys.h"

namespace polhode {

/// A point of a body stays on a curve, or on a surface, that is fixed to another body or to ground. The curve is where
/// two formulas of x, y, z are zero, the surface where one is.
///
///   Φᵢ = fᵢ(x)/|∇fᵢ|,   x = R₁ᵀ (P₂ − P₁)                    (MEC-39)
///
/// P₁ and R₁: origin and axes of the body that carries the curve. Φ is a length, near the curve the distance from the
/// surface fᵢ = 0; its multiplier is a force along the normal n of that surface. With d = P₂ − P₁ and the velocity
/// ẋ_N = Ṗ₂ − Ṗ₁ − ω₁ × d relative to the curve:
///
///   γᵢ = −(n·(ω₂×(ω₂×ℓ₂) − ω₁×(ω₁×ℓ₁) − ω₁×(ω₁×d) − 2 ω₁×ẋ_N) + ẋᵀ Hᵢ ẋ/|∇fᵢ|)
///
/// ∇f and ẋᵀ H ẋ, the second derivative of f along ẋ, are exact. Off the curve, terms with the factor f are left out.
struct PointOnCurve {
  static constexpr std::string_view kWord = "point-on-curve";
  static constexpr std::size_t kEnds = 2;
  static constexpr std::size_t kMostSurfaces = 2;

  std::string name;
  BodyId body = kGround;
  Vec3<double> point_B{};
  BodyId carrier = kGround;  ///< the body that the curve is fixed to
  PointFunction zero_on_it;  ///< one formula, or two
  std::string formulas{};    ///< as the user wrote them, for messages

  std::vector<Hold> holds() const {
    return {Hold::frame(carrier, {}), Hold::frame(body, {point_B, EulerParameters<double>::identity()})};
  }
  std::size_t row_count() const { return zero_on_it.size(); }

  template <class S>
  void rows(double, const std::array<End<S>, 2>& ends, ConstraintRow<S>* rows) const {
    const End<S>& first = ends[0];
    const End<S>& second = ends[1];
    const Vec3<S> d = second.point() - first.point();
    const Vec3<S> xdot_N = second.point_velocity() - first.point_velocity() - cross(first.w, d);
    const Vec3<S> x = transpose_times(first.axes, d);
    const Vec3<S> xdot = transpose_times(first.axes, xdot_N);
    const Vec3<S> carried =
        second.centripetal() - first.centripetal() - cross(first.w, cross(first.w, d)) - S(2) * cross(first.w, xdot_N);

    // f and ẋᵀ H ẋ from a series in time of f(x + ẋ τ), ∇f from dual numbers
    using Series = Jet<S, 2>;
    std::array<Series, kMostSurfaces> along{};
    Vec3<Series> path;
    for (std::size_t k = 0; k < 3; ++k) {
      path[k].c[0] = x[k];
      path[k].c[1] = xdot[k];
    }
    const std::size_t n = row_count();
    zero_on_it(path, std::span<Series>(along.data(), n));
    std::array<Vec3<S>, kMostSurfaces> gradient{};
    for (std::size_t k = 0; k < 3; ++k) {
      std::array<Dual<S>, kMostSurfaces> value{};
      Vec3<Dual<S>> shifted{x.x, x.y, x.z};
      shifted[k].derivative = S(1);
      zero_on_it(shifted, std::span<Dual<S>>(value.data(), n));
      for (std::size_t i = 0; i < n; ++i) { gradient[i][k] = value[i].derivative; }
    }
    for (std::size_t i = 0; i < n; ++i) {
      const S size = norm(gradient[i]);
      const Vec3<S> n_N = first.axes * (gradient[i] / size);
      rows[i] = {};
      rows[i].sides[0] = {-cross(first.lever + d, n_N), -n_N};
      rows[i].sides[1] = {cross(second.lever, n_N), n_N};
      rows[i].value = along[i].c[0] / size;
      rows[i].gamma = -(dot(n_N, carried) + S(2) * along[i].c[2] / size);
    }
  }

  void check(ConstraintReview& review) const;
  std::vector<ConstraintQuantity> quantities() const;

  /// One of [[constraints]] with kind = "point-on-curve".
  struct Given {
    static constexpr ConstraintKind kind{"point-on-curve", "a point of a body stays on a curve or a surface",
                                         "f(x, y, z) = 0 for two formulas, or for one"};
    std::string body{};
    std::optional<NumberVector> point_body{};          ///< in the axes of the body, m; its origin if not given
    std::string on = "ground";                         ///< the body that carries the curve
    std::optional<std::array<Expression, 2>> curve{};  ///< formulas of x, y, z in the axes of that body
    std::optional<Expression> surface{};
    friend bool operator==(const Given&, const Given&) = default;

    template <class Self, class Keys>
    static void keys(Self& self, Keys& keys) {
      keys.must("body", self.body);
      keys.may("point_body", self.point_body);
      keys.may("on", self.on);
      keys.may("curve", self.curve);
      keys.may("surface", self.surface);
    }
    std::optional<PointOnCurve> build(ConstraintBinder& binder) const;
  };
};

}  // namespace polhode
