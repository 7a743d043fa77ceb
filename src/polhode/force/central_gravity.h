#pragma once

#include "polhode/force/kind.h"
#include "polhode/rotation/rotation_matrix.h"

namespace polhode::force {

/// A far centre that attracts: inverse square, and the terms of the next order, which turn a body and pull it aside by
/// its inertia. With r from the centre to the mass centre, u = r/|r|:
///
///   V = −μ m/r − μ (tr J − 3 u·J u)/(2 r³)                   (MEC-29) [Hughes1986, chapter 8]
///   f = −μ m u/r² − (3μ/2r⁴) ((tr J − 5 u·J u) u + 2 J u),   n = (3μ/r³) u × J u
///
/// r × f + n = 0: angular momentum about the centre is kept. On any orbit: the mass centre goes where f takes it.
struct CentralGravity {
  static constexpr Kind kind{"central_gravity", "a far centre that attracts, with gravity gradient, on any orbit",
                             "f = -mu m u/r^2 and what J adds to it, n' = 3 mu/r^3 u' x J u'", true, true};
  std::string body{};  ///< of a mechanism; "": all bodies
  Number mu{};         ///< m³/s²
  NumberVector centre_space{};
  friend bool operator==(const CentralGravity&, const CentralGravity&) = default;

  template <class Self, class Keys>
  static void keys(Self& self, Keys& keys) {
    keys.may("body", self.body);
    keys.must("mu", self.mu);
    keys.may("centre_space", self.centre_space);
  }
  void check(Complaints& complaints, Where where) const {
    if (where == Where::one_body) { check_body(complaints, where, body); }
    if (!(mu.value > 0)) { complaints.problem("mu", "mu is not positive", "wanted: m3/s2, such as 3.986004418e14"); }
  }

  template <class S>
  struct Pull {
    Vec3<S> moment_N;  ///< about the mass centre
    Vec3<S> force_N;
  };
  template <class S>
  struct Law {
    S mu;
    Vec3<S> center_N;
    S mass;
    Mat3<S> J_B;  ///< about the mass centre

    Pull<S> operator()(const Vec3<S>& r_N, const Mat3<S>& R_NB) const {
      const Vec3<S> d = r_N - center_N;
      const S r = norm(d);
      const Vec3<S> u = d / r;
      const Vec3<S> Ju = R_NB * (J_B * transpose_times(R_NB, u));
      const S r2 = r * r;
      const S next = S(3) * mu / (S(2) * r2 * r2);
      const Vec3<S> force = (-mu * mass / r2 - next * (trace(J_B) - S(5) * dot(u, Ju))) * u - (S(2) * next) * Ju;
      return {(S(3) * mu / (r2 * r)) * cross(u, Ju), force};
    }
    S potential(const Vec3<S>& r_N, const Mat3<S>& R_NB) const {
      const Vec3<S> d = r_N - center_N;
      const S r2 = dot(d, d);
      const S r = math::sqrt(r2);
      const Vec3<S> u_B = transpose_times(R_NB, d / r);
      S uJu(0);
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) { uJu += J_B(i, j) * u_B[i] * u_B[j]; }
      }
      return -(mu * mass / r) - mu * (trace(J_B) - S(3) * uJu) / (S(2) * r * r2);
    }
  };
  template <class S>
  Law<S> law(const S& mass, const Mat3<S>& J_B) const {
    return {S(mu.value), values<S>(centre_space), mass, J_B};
  }
  /// On a free body, which travels: its reference point is the mass centre.
  template <class S>
  Effects<S> add_to(Load<S>& load, const BodyFacts<S>& facts, const Binder<S>&) const {
    const Law<S> here = law(facts.mass, facts.J_B);
    load.add_force(
        [here](const BodyState<S>& s) {
          return PointForce<S>{here(s.r_N, rotation_matrix(s.e_NB)).force_N, {S(0), S(0), S(0)}};
        },
        LawOf::time_and_pose);
    load.add_moment(
        [here](const BodyState<S>& s) {
          const Mat3<S> R_NB = rotation_matrix(s.e_NB);
          return transpose_times(R_NB, here(s.r_N, R_NB).moment_N);
        },
        LawOf::time_and_pose);
    Effects<S> effects;
    effects.potential = [here](const BodyState<S>& s) { return here.potential(s.r_N, rotation_matrix(s.e_NB)); };
    return effects;
  }
};

}  // namespace polhode::force
