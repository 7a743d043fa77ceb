#pragma once

#include "polhode/rotation/euler_parameters.h"

namespace polhode {

/// An attitude and how it changes: ω' and its time derivative, the angular acceleration in body components.
template <class S>
struct AttitudeMotion {
  EulerParameters<S> e_NB = EulerParameters<S>::identity();
  BodyVector<S> w{};
  BodyVector<S> wdot{};
};

/// The motion of B in N, of that of A in N and that of B in A, whose space frame is A; unit Euler parameters.
///
///   e_NB = e_NA ∘ e_AB,  ω'_NB = ω'_AB + A_ABᵀ ω'_NA,  ω̇'_NB = ω̇'_AB + A_ABᵀ ω̇'_NA + (A_ABᵀ ω'_NA) × ω'_AB    (KIN-68)
template <class S>
constexpr AttitudeMotion<S> operator*(const AttitudeMotion<S>& a_in_n, const AttitudeMotion<S>& b_in_a) {
  const EulerParameters<S>& e_AB = b_in_a.e_NB;
  const BodyVector<S> carried(rotate_back(e_AB, a_in_n.w.raw()));
  const BodyVector<S> carried_rate(rotate_back(e_AB, a_in_n.wdot.raw()));
  return {a_in_n.e_NB * e_AB, b_in_a.w + carried, b_in_a.wdot + carried_rate + cross(carried, b_in_a.w)};
}

/// The motion of N in B.
///
///   e_BN = e*,  ω'_BN = −A ω',  ω̇'_BN = −A ω̇'               (KIN-69)
template <class S>
constexpr AttitudeMotion<S> inverse(const AttitudeMotion<S>& motion) {
  return {conjugate(motion.e_NB), BodyVector<S>(-rotate(motion.e_NB, motion.w.raw())),
          BodyVector<S>(-rotate(motion.e_NB, motion.wdot.raw()))};
}

}  // namespace polhode
