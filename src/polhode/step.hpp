// polhode/step.hpp: a time step for spinning rigid bodies that never explodes. One header, C++17, float or double; no
// heap, no exceptions, nothing but <cmath> (sqrt) and <limits>. Licence: Apache-2.0.
//
//   using namespace polhode::step;
//   const Inertia<float> inertia(0.8f, 1.9f, 2.4f);                       // principal moments, once a kind of body
//   Rotor<float> rotor = start(inertia, {1, 0, 0, 0}, {0.1f, 9, 0.1f});   // attitude, body-frame angular velocity
//   for (;;) {                                                            // the game loop
//     push(inertia, rotor, {torque.x * dt, torque.y * dt, torque.z * dt});  // world-frame impulses, any number of them
//     advance(inertia, rotor, dt);
//     draw(rotor.e_NB);                                                   // w x y z, body to world
//     collide(angular_velocity_N(inertia, rotor));                        // world frame, for the rest of the engine
//   }
//
// Conventions. Quaternions are scalar first (w x y z), unit, Hamilton's product; they take body components to world
// components. Names carry their frame: _N world, _B body. Body axes are principal axes of inertia. A body modelled in
// other axes F has a constant e_FB (principal axes in F), and is drawn at product(e_NB, conjugate(e_FB)). Any units
// that fit together; in float keep momenta between 1e-15 and 1e15 of them.
//
// What holds. Between pushes the angular momentum is a constant: it is stored, not integrated. So is the kinetic
// energy: every step leads the body back to it. Both hold for any step size; what errs is where on its curve the body
// is: order 3 up to |w dt| = 0.36, order 4 beyond. A push changes the energy by its work, impulse · (w before +
// w after)/2. For a smooth torque push half of it before and half after the step. + - * / sqrt only: without fused
// multiply-adds the same bits everywhere. Measured numbers and the equations (STP-3 to STP-8): docs/schemes.md and
// docs/theory/schemes.md.
#pragma once

#include <cmath>
#include <limits>  // (min)() and (max)() in brackets: some platforms have macros of these names

// A short step takes little longer than a call.
#if defined(__GNUC__)
#define POLHODE_STEP_INLINE inline __attribute__((always_inline))
#elif defined(_MSC_VER)
#define POLHODE_STEP_INLINE __forceinline
#else
#define POLHODE_STEP_INLINE inline
#endif

namespace polhode::step {

template <class S>
struct Vector {
  S x{};
  S y{};
  S z{};
};

/// Scalar first.
template <class S>
struct Quaternion {
  S w{1};
  S x{};
  S y{};
  S z{};
};

/// Principal moments of inertia about the mass centre, and what the step needs of them.
template <class S>
struct Inertia {
  /// In any order; each finite and > 0 (an axis cannot be locked).
  constexpr Inertia(S J1, S J2, S J3);
  /// Whether some body has these moments: finite, positive, none larger than the other two together (but for 1e-5).
  constexpr bool physical() const;

  Vector<S> J_B{};
  S inverse{};              ///< 1/Jm, Jm the middle moment
  Vector<S> p{};            ///< Jm/J
  Vector<S> q{};            ///< Jm/J − 1
  Vector<S> delta{};        ///< (q3 − q2, q1 − q3, q2 − q1)
  Vector<S> delta_delta{};  ///< (δ2 δ3, δ3 δ1, δ1 δ2)
  Vector<S> p_squared{};
  S scalar_cubic{};         ///< κ = Σ p² δ
  Vector<S> cubic[3] = {};  ///< rows of M in (STP-4)
  S range{};                ///< R: the largest q less the smallest
  int high = 2;             ///< axis of the largest moment
  int low = 0;              ///< axis of the smallest
};

/// The state of one body. Read what you like; change it by the functions below.
template <class S>
struct Rotor {
  Quaternion<S> e_NB;  ///< attitude
  S h{};               ///< size of the angular momentum
  Vector<S> n_N;       ///< its direction in the world
  Vector<S> n_B;       ///< and in the body
  S energy{};          ///< E: what Σ q n_B² has to be, 2 T Jm/h² − 1
  Vector<S> r_B;       ///< q − E, without cancellation: the momentum stays on Σ r n_B² = 0
};

/// A body at an attitude (of any length but 0) with a body-frame angular velocity.
template <class S>
Rotor<S> start(const Inertia<S>& inertia, const Quaternion<S>& e_NB, const Vector<S>& w_B);

/// Adds an angular impulse, world components: torque times time, or what a contact gives.
template <class S>
void push(const Inertia<S>& inertia, Rotor<S>& rotor, const Vector<S>& impulse_N);

/// The push that leads to this angular velocity, for engines whose solver works on velocities.
template <class S>
void set_angular_velocity_N(const Inertia<S>& inertia, Rotor<S>& rotor, const Vector<S>& w_N);

/// Free motion for a time dt of either sign. |w dt| up to 2.4 is one step; more is cut into pieces, at most 32:
/// beyond |w dt| = 75 the body turns too little, and that is all.
template <class S>
POLHODE_STEP_INLINE void advance(const Inertia<S>& inertia, Rotor<S>& rotor, S dt);

template <class S>
constexpr Vector<S> momentum_N(const Rotor<S>& rotor);
template <class S>
constexpr Vector<S> angular_velocity_B(const Inertia<S>& inertia, const Rotor<S>& rotor);
template <class S>
constexpr Vector<S> angular_velocity_N(const Inertia<S>& inertia, const Rotor<S>& rotor);
template <class S>
constexpr S kinetic_energy(const Inertia<S>& inertia, const Rotor<S>& rotor);

/// e_AC = e_AB e_BC, Hamilton's product.
template <class S>
constexpr Quaternion<S> product(const Quaternion<S>& a, const Quaternion<S>& b) {
  return {(a.w * b.w - a.x * b.x) - (a.y * b.y + a.z * b.z), (a.w * b.x + a.x * b.w) + (a.y * b.z - a.z * b.y),
          (a.w * b.y + a.y * b.w) + (a.z * b.x - a.x * b.z), (a.w * b.z + a.z * b.w) + (a.x * b.y - a.y * b.x)};
}

template <class S>
constexpr Quaternion<S> conjugate(const Quaternion<S>& a) {
  return {a.w, -a.x, -a.y, -a.z};
}

// ---- how it is done ------------------------------------------------------------------------------------------------

namespace detail {

template <class S>
constexpr S dot(const Vector<S>& a, const Vector<S>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class S>
constexpr Vector<S> cross(const Vector<S>& a, const Vector<S>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class S>
constexpr Vector<S> times(const S& s, const Vector<S>& a) {
  return {s * a.x, s * a.y, s * a.z};
}
/// Component by component.
template <class S>
constexpr Vector<S> each(const Vector<S>& a, const Vector<S>& b) {
  return {a.x * b.x, a.y * b.y, a.z * b.z};
}
/// (a2 a3, a3 a1, a1 a2)
template <class S>
constexpr Vector<S> others(const Vector<S>& a) {
  return {a.y * a.z, a.z * a.x, a.x * a.y};
}
template <class S>
constexpr S norm_squared(const Quaternion<S>& a) {
  return (a.w * a.w + a.x * a.x) + (a.y * a.y + a.z * a.z);
}
template <class S>
constexpr Quaternion<S> times(const S& s, const Quaternion<S>& a) {
  return {s * a.w, s * a.x, s * a.y, s * a.z};
}
template <class S>
S root(const S& a) {
  using std::sqrt;
  return sqrt(a);
}

/// Rᵀ v for e of any length; f = 2/|e|².
template <class S>
constexpr Vector<S> rotate_back(const Quaternion<S>& e, const Vector<S>& v, const S& f) {
  const Vector<S> t{v.y * e.z - v.z * e.y, v.z * e.x - v.x * e.z, v.x * e.y - v.y * e.x};
  return {v.x + f * (e.w * t.x + (t.y * e.z - t.z * e.y)), v.y + f * (e.w * t.y + (t.z * e.x - t.x * e.z)),
          v.z + f * (e.w * t.z + (t.x * e.y - t.y * e.x))};
}

/// |½ w dt|² up to which steps are tiny, up to which the series is used, and up to which a step is not cut.
template <class S>
constexpr S kSlow = S(1e-4);
template <class S>
constexpr S kShort = S(0.0324);
template <class S>
constexpr S kLong = S(1.44);

/// Energy of a unit momentum along n_B, in the units of Rotor::energy: itself, and its distances from the axes of the
/// largest and the smallest moment.                                                        (STP-3)
template <class S>
struct Energy {
  S itself;
  S above;
  S below;
};
template <class S>
constexpr Energy<S> energy_of(const Inertia<S>& inertia, const Vector<S>& n_B) {
  const S q[3] = {inertia.q.x, inertia.q.y, inertia.q.z};
  const S least = q[inertia.high];
  const S most = q[inertia.low];
  const Vector<S> square = each(n_B, n_B);
  return {dot(inertia.q, square), dot({q[0] - least, q[1] - least, q[2] - least}, square),
          dot({most - q[0], most - q[1], most - q[2]}, square)};
}
/// n goes around the axis of the largest moment where E < 0, else around that of the smallest. There q − E is small.
template <class S>
constexpr void set_energy(const Inertia<S>& inertia, Rotor<S>& rotor, const Energy<S>& energy) {
  const S E = energy.itself;
  S r[3] = {inertia.q.x - E, inertia.q.y - E, inertia.q.z - E};
  if (E < S(0)) {
    r[inertia.high] = energy.above > S(0) ? -energy.above : S(0);
  } else {
    r[inertia.low] = energy.below > S(0) ? energy.below : S(0);
  }
  rotor.energy = E;
  rotor.r_B = {r[0], r[1], r[2]};
}

/// A short step: the quaternion of the turn by its series in time, to order 3, and with it a turn that leads back to
/// the curve of the energy: Newton's, but no component changes by more than half.
///
///   c = (1 − ½ z² Σp²n² − z³ κ n1n2n3;  n ∘ (z p + z³ M n²) + z² p ∘ ν + σ ν)                    (STP-4)
///   σ = ¼ f/(Σ r² n² + R |f|),   f = Σ r n²                                                 (STP-5)
///
/// z = ½ h dt/Jm, ν = ṅ Jm/h = δ ∘ (n2n3, n3n1, n1n2), κ = Σp²δ; ∘ by components.
template <class S>
POLHODE_STEP_INLINE void advance_by_series(const Inertia<S>& inertia, Rotor<S>& rotor, const S& z,
                                           const Vector<S>& square, const Vector<S>& other, const Vector<S>& nu,
                                           const S& speed) {
  const Vector<S> n = rotor.n_B;
  const Vector<S> part = each(rotor.r_B, square);
  const S f = part.x + part.y + part.z;
  const S ff = dot(rotor.r_B, part) + (std::numeric_limits<S>::min)();
  const S sigma = (S(0.25) * f) / (ff + inertia.range * (f < S(0) ? -f : f));

  const S z2 = z * z;
  const S z3 = z2 * z;
  const Vector<S>& p = inertia.p;
  const Quaternion<S> c{S(1) - z2 * (S(0.5) * speed + (z * inertia.scalar_cubic) * (n.x * other.x)),
                        (n.x * (z * p.x + z3 * dot(inertia.cubic[0], square)) + z2 * (p.x * nu.x)) + sigma * nu.x,
                        (n.y * (z * p.y + z3 * dot(inertia.cubic[1], square)) + z2 * (p.y * nu.y)) + sigma * nu.y,
                        (n.z * (z * p.z + z3 * dot(inertia.cubic[2], square)) + z2 * (p.z * nu.z)) + sigma * nu.z};
  // |c| = 1 up to order 4: one Newton iteration for 1/|c| and 2/|c|²
  const S size = norm_squared(c);
  rotor.n_B = rotate_back(c, n, S(4) - S(2) * size);
  const Quaternion<S> before = rotor.e_NB;
  rotor.e_NB = times(S(2) - S(0.5) * (size + norm_squared(before)), product(before, c));
  // n is turned with the body, so that a step need not wait for the attitude of the last; now and then (when w or x of
  // the attitude changes its sign, and where steps are tiny) it is taken anew from the attitude, and rounding with it
  const S w = before.w * rotor.e_NB.w;
  const S x = before.x * rotor.e_NB.x;
  if ((w < x ? w : x) < S(0) || z2 * speed < kSlow<S>) { rotor.n_B = rotate_back(rotor.e_NB, rotor.n_N, S(2)); }
}

/// A long step: first where n goes on its curve, then the attitude that takes it there.
///
/// Hirota and Kimura's discrete top, up to length, with a step z g that is right next to all three axes:
///   v = n (1 + g² (Y − 2y)) + 2 z g ν,   y = z² (δ2δ3 n1², δ3δ1 n2², δ1δ2 n3²),  Y = Σ y,
///   g = 1 − Y/3 + 2Y²/15 ≈ tanh √Y/√Y                                                      (STP-6) [HirotaKimura2000]
/// Onto the curve; v = v₊ + v₋ by the sign of r:
///   m = v₊ √B + v₋ √A, normalised,   A = Σ r v₊²,  B = −Σ r v₋²                             (STP-7)
/// From n to m on the shortest way, and a turn β about m. ω · n = 2T/h is constant; what is left is the area between
/// the curve and the shortest way:
///   c = (C (1 + m·n);  C m × n + S (m + n)),   C, S = cos, sin β,
///   β = z (1 + E) − ⅙ z² n · (ν × ν(m))                                                     (STP-8)
///
/// False, and nothing done, if n would go to the other side of the body in one step.
template <class S>
bool advance_along_curve(const Inertia<S>& inertia, Rotor<S>& rotor, const S& z, const Vector<S>& square,
                         const Vector<S>& nu) {
  const Vector<S> n = rotor.n_B;
  const S tiny = (std::numeric_limits<S>::min)();
  const S z2 = z * z;

  const Vector<S> y = each(times(z2, inertia.delta_delta), square);
  const S Y = y.x + y.y + y.z;
  const S g = (S(1) - S(1.0 / 3) * Y) + S(2.0 / 15) * (Y * Y);
  const S gg = g * g;
  const S zg = (S(2) * z) * g;
  const Vector<S> v{(n.x + zg * nu.x) + gg * (n.x * (Y - S(2) * y.x)),
                    (n.y + zg * nu.y) + gg * (n.y * (Y - S(2) * y.y)),
                    (n.z + zg * nu.z) + gg * (n.z * (Y - S(2) * y.z))};

  const Vector<S>& r = rotor.r_B;
  const Vector<S> up{r.x > S(0) ? S(1) : S(0), r.y > S(0) ? S(1) : S(0), r.z > S(0) ? S(1) : S(0)};
  const Vector<S> vv = each(v, v);
  const Vector<S> vv_up = each(up, vv);
  const Vector<S> vv_down{vv.x - vv_up.x, vv.y - vv_up.y, vv.z - vv_up.z};
  const S A = dot(r, vv_up) + tiny;
  const S B = tiny - dot(r, vv_down);
  const S scale = S(1) / root(B * (vv_up.x + vv_up.y + vv_up.z) + A * (vv_down.x + vv_down.y + vv_down.z));
  const S of_down = root(A);
  const S of_up = root(B) - of_down;
  const Vector<S> u{v.x * (of_down + up.x * of_up), v.y * (of_down + up.y * of_up), v.z * (of_down + up.z * of_up)};

  // the way starts at Rᵀ n_N: what rounding has left between n_B and the attitude ends here
  const S size = norm_squared(rotor.e_NB);
  const Vector<S> t = rotate_back(rotor.e_NB, rotor.n_N, S(4) - S(2) * size);
  const S beside = S(1) + scale * dot(u, t);
  if (!(beside > S(0.05))) { return false; }
  const Vector<S> m = times(scale, u);
  const S half_area = (scale * scale) * dot(each(times(S(1.0 / 6) * z2, inertia.delta), cross(n, nu)), others(u));
  const S beta = z * (S(1) + rotor.energy);
  const S b2 = beta * beta;
  const S cosine = S(1) - b2 * (S(0.5) - b2 * (S(1.0 / 24) - b2 * S(1.0 / 720)));
  const S sine = beta * (S(1) - b2 * (S(1.0 / 6) - b2 * (S(1.0 / 120) - b2 * S(1.0 / 5040))));
  const S C = cosine + half_area * sine;
  const S s = sine - half_area * cosine;
  const Vector<S> across = times(scale, cross(u, t));
  const Quaternion<S> e =
      product(rotor.e_NB, Quaternion<S>{C * beside, C * across.x + s * (m.x + t.x), C * across.y + s * (m.y + t.y),
                                        C * across.z + s * (m.z + t.z)});
  const S length = (S(2) * size * (cosine * cosine + sine * sine)) * (beside * (S(1) + half_area * half_area));
  rotor.e_NB = times(S(1) / root(length), e);
  rotor.n_B = m;
  return true;
}

/// A step that is too long for one, in at most 32 pieces.
template <class S>
void advance_in_pieces(const Inertia<S>& inertia, Rotor<S>& rotor, const S& z) {
  S left = z;
  for (int n = 0; n < 32 && !(left == S(0)); ++n) {
    const Vector<S> square = each(rotor.n_B, rotor.n_B);
    const Vector<S> nu = each(inertia.delta, others(rotor.n_B));
    const S most = root(kLong<S> / dot(inertia.p_squared, square));
    S piece = left > most ? most : left < -most ? -most : left;
    for (int halved = 0; halved < 8 && !advance_along_curve(inertia, rotor, piece, square, nu); ++halved) {
      piece = S(0.5) * piece;
    }
    left = left - piece;
  }
}

}  // namespace detail

template <class S>
constexpr Inertia<S>::Inertia(S J1, S J2, S J3) : J_B{J1, J2, J3} {
  const S J[3] = {J1, J2, J3};
  const S less = J1 < J2 ? J1 : J2;
  const S more = J1 < J2 ? J2 : J1;
  const S middle = J3 < less ? less : more < J3 ? more : J3;
  inverse = S(1) / middle;
  S ratio[3] = {};
  S excess[3] = {};
  S difference[3] = {};
  for (int i = 0; i < 3; ++i) {
    ratio[i] = middle / J[i];
    excess[i] = (middle - J[i]) / J[i];
  }
  for (int i = 0; i < 3; ++i) {
    difference[i] = excess[(i + 2) % 3] - excess[(i + 1) % 3];
    scalar_cubic += ratio[i] * ratio[i] * difference[i];
  }
  p = {ratio[0], ratio[1], ratio[2]};
  q = {excess[0], excess[1], excess[2]};
  delta = {difference[0], difference[1], difference[2]};
  delta_delta = detail::others(delta);
  p_squared = detail::each(p, p);
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3;
    const int k = (i + 2) % 3;
    const S curl = ratio[j] * ratio[k] / S(3);
    const S along = S(2) / S(3) * ratio[i] * difference[i];
    S row[3] = {};
    row[i] = -ratio[i] * ratio[i] * ratio[i] / S(6);
    row[j] = (along + curl) * difference[k] - ratio[i] * ratio[j] * ratio[j] / S(6);
    row[k] = (along - curl) * difference[j] - ratio[i] * ratio[k] * ratio[k] / S(6);
    cubic[i] = {row[0], row[1], row[2]};
  }
  low = J1 <= J2 ? (J1 <= J3 ? 0 : 2) : (J2 <= J3 ? 1 : 2);
  high = J3 >= J2 ? (J3 >= J1 ? 2 : 0) : (J2 >= J1 ? 1 : 0);
  range = excess[low] - excess[high];
}

template <class S>
constexpr bool Inertia<S>::physical() const {
  const S sum = J_B.x + J_B.y + J_B.z;
  const S most = S(0.500005) * sum;  // of the largest; half of the sum for a flat body
  return J_B.x > S(0) && J_B.y > S(0) && J_B.z > S(0) && sum <= (std::numeric_limits<S>::max)() && J_B.x <= most &&
         J_B.y <= most && J_B.z <= most;
}

template <class S>
Rotor<S> start(const Inertia<S>& inertia, const Quaternion<S>& e_NB, const Vector<S>& w_B) {
  Rotor<S> rotor;
  rotor.e_NB = detail::times(S(1) / detail::root(detail::norm_squared(e_NB)), e_NB);
  const Vector<S> h_B = detail::each(inertia.J_B, w_B);
  rotor.h = detail::root(detail::dot(h_B, h_B));
  if (!(rotor.h == S(0))) {
    rotor.n_B = {h_B.x / rotor.h, h_B.y / rotor.h, h_B.z / rotor.h};
    rotor.n_N = detail::rotate_back(conjugate(rotor.e_NB), rotor.n_B, S(2));
    detail::set_energy(inertia, rotor, detail::energy_of(inertia, rotor.n_B));
  }
  return rotor;
}

template <class S>
void push(const Inertia<S>& inertia, Rotor<S>& rotor, const Vector<S>& impulse_N) {
  const Vector<S> h_N{rotor.h * rotor.n_N.x + impulse_N.x, rotor.h * rotor.n_N.y + impulse_N.y,
                      rotor.h * rotor.n_N.z + impulse_N.z};
  const S size = detail::root(detail::dot(h_N, h_N));
  if (size == S(0)) {
    rotor.h = S(0);
    return;
  }
  // what the last step still owes to the energy, in units of the new h²; no more of it than it was
  const Vector<S> n_B = rotor.n_B;
  const S owed_now = -detail::dot(rotor.r_B, detail::each(n_B, n_B));
  const S shrink = rotor.h < size ? rotor.h / size : S(1);
  const S owed = owed_now * (shrink * shrink);
  rotor.h = size;
  rotor.n_N = {h_N.x / size, h_N.y / size, h_N.z / size};
  rotor.n_B = detail::rotate_back(rotor.e_NB, rotor.n_N, S(2));
  const detail::Energy<S> after = detail::energy_of(inertia, rotor.n_B);
  detail::set_energy(inertia, rotor, {after.itself + owed, after.above + owed, after.below - owed});
}

template <class S>
void set_angular_velocity_N(const Inertia<S>& inertia, Rotor<S>& rotor, const Vector<S>& w_N) {
  const Vector<S> w_B = detail::rotate_back(rotor.e_NB, w_N, S(2));
  const Vector<S> h_N = detail::rotate_back(conjugate(rotor.e_NB), detail::each(inertia.J_B, w_B), S(2));
  const Vector<S> old_N = momentum_N(rotor);
  push(inertia, rotor, {h_N.x - old_N.x, h_N.y - old_N.y, h_N.z - old_N.z});
}

template <class S>
POLHODE_STEP_INLINE void advance(const Inertia<S>& inertia, Rotor<S>& rotor, S dt) {
  const S z = (S(0.5) * dt * inertia.inverse) * rotor.h;
  const Vector<S> square = detail::each(rotor.n_B, rotor.n_B);
  const Vector<S> other = detail::others(rotor.n_B);
  const Vector<S> nu = detail::each(inertia.delta, other);
  const S speed = detail::dot(inertia.p_squared, square);
  const S length = z * z * speed;  // |½ w dt|²
  if (length <= detail::kShort<S>) {
    detail::advance_by_series(inertia, rotor, z, square, other, nu, speed);
    return;
  }
  if (length <= detail::kLong<S> && detail::advance_along_curve(inertia, rotor, z, square, nu)) { return; }
  detail::advance_in_pieces(inertia, rotor, z);
}

template <class S>
constexpr Vector<S> momentum_N(const Rotor<S>& rotor) {
  return detail::times(rotor.h, rotor.n_N);
}

template <class S>
constexpr Vector<S> angular_velocity_B(const Inertia<S>& inertia, const Rotor<S>& rotor) {
  return detail::times(rotor.h * inertia.inverse, detail::each(inertia.p, rotor.n_B));
}

template <class S>
constexpr Vector<S> angular_velocity_N(const Inertia<S>& inertia, const Rotor<S>& rotor) {
  return detail::rotate_back(conjugate(rotor.e_NB), angular_velocity_B(inertia, rotor), S(2));
}

template <class S>
constexpr S kinetic_energy(const Inertia<S>& inertia, const Rotor<S>& rotor) {
  return S(0.5) * rotor.h * rotor.h * inertia.inverse * detail::dot(inertia.p, detail::each(rotor.n_B, rotor.n_B));
}

}  // namespace polhode::step

#undef POLHODE_STEP_INLINE
