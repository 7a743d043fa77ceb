#pragma once

#include "polhode/multibody/constraint_keys.h"
#include "polhode/multibody/rolling.h"

namespace polhode {

/// An ellipsoid on a plane that does not slip and does not leave it: a rattleback, an egg.
///
///   c = −A g(ν),   g_i = a_i² ν_i/s,   s = √(Σ a_i² ν_i²),   ν = Aᵀ n       (MEC-46)
///
/// A: axes of the ellipsoid, those of its body; a_i: its semi-axes; n: the normal of the plane. c leads from the centre
/// to the point of contact, where the plane touches; for a ball c = −a n. While the body turns, ν̇ = −Aᵀ (ω × n), and
/// the contact wanders with ġ.
struct RollingEllipsoid {
  static constexpr std::string_view kWord = "rolling-ellipsoid";
  static constexpr std::size_t kEnds = 2;

  std::string name;
  BodyId body = kGround;
  Vec3<double> center_B{};  ///< of the ellipsoid, from the origin of the body's frame
  Vec3<double> semi_axes{};
  Vec3<double> point_N{};          ///< of the plane
  Vec3<double> normal_N{0, 0, 1};  ///< a unit vector, to the side where the body is

  std::vector<Hold> holds() const {
    return {Hold::ground(), Hold::frame(body, {center_B, EulerParameters<double>::identity()})};
  }
  std::size_t row_count() const { return 3; }
  bool on_positions(std::size_t row) const { return row == 2; }
  double reach() const { return std::fmax(semi_axes.x, std::fmax(semi_axes.y, semi_axes.z)); }

  /// From the mass centre to the point of contact, space components.
  template <class S>
  Vec3<S> contact_lever(const End<S>& end) const {
    return end.lever - end.axes * touching(transpose_times(end.axes, as<S>(normal_N)));
  }

  template <class S>
  void rows(double, const std::array<End<S>, 2>& ends, ConstraintRow<S>* rows) const {
    const End<S>& end = ends[1];
    const Vec3<S> n = as<S>(normal_N);
    const Vec3<S> nu = transpose_times(end.axes, n);
    const Vec3<S> nudot = -transpose_times(end.axes, cross(end.w, n));
    const Vec3<S> stretched = squares_times(nu);
    const S s = norm(Vec3<S>{S(semi_axes.x) * nu.x, S(semi_axes.y) * nu.y, S(semi_axes.z) * nu.z});
    const S sdot = dot(stretched, nudot) / s;
    const Vec3<S> g = stretched / s;
    const Vec3<S> gdot = squares_times(nudot) / s - (sdot / s) * g;
    const Vec3<S> lever = end.lever - end.axes * g;
    contact_rows(normal_N, point_N, end, lever, cross(end.w, lever) - end.axes * gdot, rows);
  }

  void check(ConstraintReview& review) const;
  std::string gap_in_words() const { return "the contact of rolling ellipsoid '" + name + "' is off its plane by"; }
  std::vector<ConstraintQuantity> quantities() const;
  std::vector<PlaneInSpace> planes() const { return {{point_N, normal_N}}; }

  /// One of [[constraints]] with kind = "rolling-ellipsoid".
  struct Given {
    static constexpr ConstraintKind kind{"rolling-ellipsoid", "an ellipsoid of a body rolls on a plane without slip",
                                         "v + w x c = 0, c: to the point where the plane touches"};
    std::string body{};
    NumberVector semi_axes{};                    ///< along the axes of the body, m
    std::optional<NumberVector> centre_body{};   ///< m; the origin of its axes if not given
    std::optional<NumberVector> plane_point{};   ///< space, m
    std::optional<NumberVector> plane_normal{};  ///< space
    friend bool operator==(const Given&, const Given&) = default;

    template <class Self, class Keys>
    static void keys(Self& self, Keys& keys) {
      keys.must("body", self.body);
      keys.must("semi_axes", self.semi_axes);
      keys.may("centre_body", self.centre_body);
      keys.may("plane_point", self.plane_point);
      keys.may("plane_normal", self.plane_normal);
    }
    std::optional<RollingEllipsoid> build(ConstraintBinder& binder) const;
  };

 private:
  template <class S>
  Vec3<S> squares_times(const Vec3<S>& v) const {
    return {S(semi_axes.x * semi_axes.x) * v.x, S(semi_axes.y * semi_axes.y) * v.y, S(semi_axes.z * semi_axes.z) * v.z};
  }
  /// g(ν)
  template <class S>
  Vec3<S> touching(const Vec3<S>& nu) const {
    return squares_times(nu) / norm(Vec3<S>{S(semi_axes.x) * nu.x, S(semi_axes.y) * nu.y, S(semi_axes.z) * nu.z});
  }
};

}  // namespace polhode
