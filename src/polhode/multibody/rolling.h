#pragma once

#include "polhode/multibody/constraint.h"

namespace polhode {

/// The rows of a body that touches a plane at `lever` from its mass centre and does not slip there: two in the plane,
/// and one along its normal n, which is one on positions too. `lever_dot`: how the lever changes, the point of contact
/// wandering over the body.
///
///   d·(v + ω × ℓ) = 0,   γ = −d·(ω × ℓ̇)                      (MEC-21)
template <class S>
void contact_rows(const Vec3<double>& normal_N, const Vec3<double>& point_N, const End<S>& end, const Vec3<S>& lever,
                  const Vec3<S>& lever_dot, ConstraintRow<S>* rows) {
  const Vec3<double>& up = normal_N;
  const bool x_is_least = std::fabs(up.x) <= std::fabs(up.y) && std::fabs(up.x) <= std::fabs(up.z);
  const Vec3<double> other = axis_vector<double>(x_is_least ? 0 : std::fabs(up.y) <= std::fabs(up.z) ? 1 : 2);
  const Vec3<double> t1 = cross(other, up) / norm(cross(other, up));
  const Vec3<double> t2 = cross(up, t1);
  const Vec3<S> n = as<S>(normal_N);
  const Vec3<S> directions[3] = {as<S>(t1), as<S>(t2), n};
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3<S>& d = directions[k];
    rows[k] = {};
    rows[k].sides[1] = {cross(lever, d), d};
    rows[k].gamma = -dot(d, cross(end.w, lever_dot));
  }
  rows[2].value = dot(n, end.r + lever - as<S>(point_N));
}

/// A wheel on a plane that does not slip and does not leave it: a ring of radius R about an axis of the body, thickened
/// by an edge radius ρ (0: a knife edge). R = 0 is a ball of radius ρ.
///
///   c = −R m/|m| − ρ n,   m = n − (n·a) a,   v + ω × (ℓ + c) = 0      (MEC-21)
///
/// a: the axis, n: the normal of the plane, ℓ: from the mass centre to the centre of the ring. Of the three rows the
/// first two lie in the plane; the last, along n, is also one on positions.
struct Rolling {
  static constexpr std::string_view kWord = "rolling";
  static constexpr std::size_t kEnds = 2;

  std::string name;
  BodyId body = kGround;
  Vec3<double> center_B{};       ///< of the ring, from the origin of the body's frame
  Vec3<double> axis_B{0, 0, 1};  ///< a unit vector
  double radius = 0;
  double edge_radius = 0;
  Vec3<double> point_N{};          ///< of the plane
  Vec3<double> normal_N{0, 0, 1};  ///< a unit vector, to the side where the body is

  std::vector<Hold> holds() const { return {Hold::ground(), Hold::axis(body, center_B, axis_B)}; }
  std::size_t row_count() const { return 3; }
  bool on_positions(std::size_t row) const { return row == 2; }
  double reach() const { return radius + edge_radius; }

  /// From the mass centre to the point of contact, space components. `end`: the body, with its lever to the centre of
  /// the ring and the axis as third axis of its frame.
  template <class S>
  Vec3<S> contact_lever(const End<S>& end) const {
    const Vec3<S> n = as<S>(normal_N);
    Vec3<S> lever = end.lever - S(edge_radius) * n;
    if (radius > 0) {
      const Vec3<S> a = end.axis(2);
      const Vec3<S> m = n - dot(n, a) * a;
      lever -= (S(radius) / norm(m)) * m;
    }
    return lever;
  }

  template <class S>
  void rows(double, const std::array<End<S>, 2>& ends, ConstraintRow<S>* rows) const {
    const End<S>& end = ends[1];
    const Vec3<S> n = as<S>(normal_N);
    const Vec3<S> lever = contact_lever(end);
    // how the lever changes: the ring's lowest point wanders along it
    Vec3<S> lever_dot = cross(end.w, end.lever);
    if (radius > 0) {
      const Vec3<S> a = end.axis(2);
      const Vec3<S> adot = cross(end.w, a);
      const Vec3<S> m = n - dot(n, a) * a;
      const Vec3<S> mdot = -(dot(n, adot) * a) - dot(n, a) * adot;
      const S size = norm(m);
      const Vec3<S> e = m / size;
      lever_dot -= (S(radius) / size) * (mdot - dot(e, mdot) * e);
    }
    contact_rows(normal_N, point_N, end, lever, lever_dot, rows);
  }

  void check(ConstraintReview& review) const;
  std::string gap_in_words() const { return "the contact of rolling '" + name + "' is off its plane by"; }
  std::vector<ConstraintQuantity> quantities() const;
  std::vector<PlaneInSpace> planes() const { return {{point_N, normal_N}}; }
};

}  // namespace polhode
