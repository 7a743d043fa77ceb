#pragma once

#include "polhode/force/gravity_gradient_torque.h"
#include "polhode/force/kind.h"

#include <cmath>

namespace polhode::force {

/// Torque of the Earth on a satellite in a circular orbit: GravityGradient.
struct OrbitGradient {
  static constexpr Kind kind{"gravity_gradient", "torque of the Earth on a satellite, circular orbit",
                             "n' = 3 n^2 u' x J u', u' the direction to the centre", true, true};
  std::string body{};                 ///< of a mechanism
  Number orbit_rate{};                ///< n, rad/s
  NumberVector orbit_normal_space{};  ///< any length
  NumberVector centre_space{};        ///< direction to the centre at t = 0, any length
  friend bool operator==(const OrbitGradient&, const OrbitGradient&) = default;

  template <class Self, class Keys>
  static void keys(Self& self, Keys& keys) {
    keys.may("body", self.body);
    keys.must("orbit_rate", self.orbit_rate);
    keys.must("orbit_normal_space", self.orbit_normal_space);
    keys.must("centre_space", self.centre_space);
  }
  void check(Complaints& complaints, Where where) const {
    check_body(complaints, where, body);
    if (!(orbit_rate.value > 0)) { complaints.problem("orbit_rate", "orbit_rate is not positive", "wanted: rad/s"); }
    bool directions = true;
    for (const auto& [key, v] :
         {std::pair{"orbit_normal_space", &orbit_normal_space}, std::pair{"centre_space", &centre_space}}) {
      if (norm(values(*v)) > 1e-9) { continue; }
      complaints.problem(key, std::string(key) + " has no direction");
      directions = false;
    }
    if (directions && std::fabs(dot(unit(orbit_normal_space), unit(centre_space))) > 1e-9) {
      complaints.problem("centre_space", "the direction to the centre is not across the normal of the orbit");
    }
  }

  template <class S>
  GravityGradient<S> law(const Mat3<S>& J_B) const {
    const Vec3<double> p_N = unit(orbit_normal_space);
    const Vec3<double> u_N = unit(centre_space);
    const Vec3<double> across_N = u_N - dot(p_N, u_N) * p_N;  // across to rounding
    const Vec3<double> first_N = across_N / norm(across_N);
    const auto as = [](const Vec3<double>& v) { return Vec3<S>{S(v.x), S(v.y), S(v.z)}; };
    return GravityGradient<S>::circular_orbit(J_B, S(orbit_rate.value), as(first_N), as(p_N));
  }
  template <class S>
  Effects<S> add_to(Load<S>& load, const BodyFacts<S>& facts, const Binder<S>&) const {
    load.add_moment(law(facts.J_B), LawOf::time_and_pose);
    return {};
  }

 private:
  static Vec3<double> unit(const NumberVector& v) {
    const Vec3<double> numbers = values(v);
    return numbers / norm(numbers);
  }
};

}  // namespace polhode::force
