#pragma once

#include "polhode/core/schemes.h"
#include "polhode/rotation/euler_parameters.h"

#include <type_traits>

/// The steps of the four update schemes: first order, two of them wrong physics on purpose. Each is tested by exact
/// one-step facts (docs/theory/schemes.md); integrators "world", "body" and their kin run them in scenarios, through
/// UpdateSchemes of core/system.h.
namespace polhode {

/// By name; fails with the nearest name.
const Scheme& scheme(std::string_view name);

/// L: angular momentum, space or body components as the scheme says; p: linear momentum, space.
template <class S>
struct SchemeState {
  EulerParameters<S> e_NB{};
  Vec3<S> L{};
  Vec3<S> r_N{};
  Vec3<S> p_N{};
};

namespace detail {
/// Solves x = f(x) by iteration from x, to 64 roundings or for 200 rounds; false if it did not settle or is not finite.
template <class S, class F>
bool iterate_to_rest(Vec3<S>& x, F&& f) {
  for (int round = 0; round < 200; ++round) {
    const Vec3<S> next = f(x);
    const auto change = value_of(norm(next - x));
    using Value = std::remove_cvref_t<decltype(change)>;
    x = next;
    if (!(change > Value(64) * unit_roundoff<S>() * value_of(norm(next)))) { return change - change == Value(0); }
  }
  return false;
}
}  // namespace detail

/// One step h under the space torque tau_N, taken at the start of the step; e_NB is normalised at its end, as the
/// scheme demands. False if the implicit equation was not solved (state unchanged).
///
///   world:  L ← L + h (τ + [no gyro: ω × L]),  ω = A J'⁻¹ Aᵀ L,  e ← e + ½ h (0; ω) ∘ e        (SCH-1)
///   body:   L' ← L' + h (τ' − [gyro: ω' × L']), ω' = J'⁻¹ L',    e ← e + ½ h e ∘ (0; ω')        (SCH-2)
template <class S>
bool scheme_step(const Scheme& scheme, SchemeIndex index, const Mat3<S>& J_inverse_B, const Vec3<S>& tau_N, const S& h,
                 SchemeState<S>& state) {
  const EulerParameters<S> e_NB = state.e_NB;
  const auto rate_N = [&](const EulerParameters<S>& e, const Vec3<S>& L_N) {
    return rotate(e, J_inverse_B * rotate_back(e, L_N));
  };
  if (scheme.world) {
    Vec3<S> L_N = state.L + h * tau_N;
    if (!scheme.gyroscopic) { L_N = L_N + h * cross(rate_N(e_NB, state.L), state.L); }
    Vec3<S> w_N = rate_N(e_NB, L_N);
    const auto turned = [&](const Vec3<S>& w) { return e_NB + (S(0.5) * h) * (pure(w) * e_NB); };
    if (index == SchemeIndex::implicit &&
        !detail::iterate_to_rest(w_N, [&](const Vec3<S>& w) { return rate_N(normalized(turned(w)), L_N); })) {
      return false;
    }
    state.L = L_N;
    state.e_NB = normalized(turned(w_N));
    return true;
  }
  const Vec3<S> tau_B = rotate_back(e_NB, tau_N);
  Vec3<S> L_B = state.L + h * tau_B;
  if (scheme.gyroscopic) {
    const auto with_gyro = [&](const Vec3<S>& at) { return state.L + h * (tau_B - cross(J_inverse_B * at, at)); };
    L_B = with_gyro(state.L);
    if (index == SchemeIndex::implicit && !detail::iterate_to_rest(L_B, with_gyro)) { return false; }
  }
  state.L = L_B;
  state.e_NB = normalized(e_NB + (S(0.5) * h) * (e_NB * pure(J_inverse_B * L_B)));
  return true;
}

/// Translation, the same for all four: p ← p + h f, then r ← r + h p/m with the new p.      (SCH-3)
template <class S>
void scheme_translate(const S& mass, const Vec3<S>& f_N, const S& h, SchemeState<S>& state) {
  state.p_N = state.p_N + h * f_N;
  state.r_N = state.r_N + (h / mass) * state.p_N;
}

/// h' = J' ω', from the state as the scheme keeps it.
template <class S>
Vec3<S> scheme_momentum_B(const Scheme& scheme, const SchemeState<S>& state) {
  return scheme.world ? rotate_back(state.e_NB, state.L) : state.L;
}

/// Kinetic energy, that of translation included.
///
///   T = ½ p·p/m + ½ Lᵀ A J'⁻¹ Aᵀ L = ½ p·p/m + ½ L'ᵀ J'⁻¹ L'                    (SCH-4)
template <class S>
S scheme_energy(const Scheme& scheme, const S& mass, const Mat3<S>& J_inverse_B, const SchemeState<S>& state) {
  const Vec3<S> L_B = scheme_momentum_B(scheme, state);
  return S(0.5) * (norm_squared(state.p_N) / mass + dot(L_B, J_inverse_B * L_B));
}

}  // namespace polhode
