#pragma once

#include "polhode/rotation/vector_charts.h"
#include "polhode/verification/trial.h"

#include <functional>
#include <vector>

/// Three coordinates q with ω' = S(q) q̇ at one rational point, all from the library: what Bernstein2023 reasons about.
namespace polhode::verification {

struct Coordinates {
  Mat3<Exact> A;  ///< rotation matrix
  Mat3<Exact> S;  ///< body rate matrix
  Mat3<Exact> S_inverse;
  std::array<Mat3<Exact>, 3> D;        ///< ∂S/∂q1, ∂S/∂q2, ∂S/∂q3
  Exact determinant;                   ///< of S, by the chart's own formula
  Mat3<Exact> C;                       ///< space rate matrix
  std::array<Mat3<Exact>, 3> D_space;  ///< its derivatives, by dual numbers
  /// S and C along q + q̇ ε, A along q + q̇ t + q̈ t²/2.
  std::function<Mat3<Dual<Exact>>(const Vec3<Exact>& qdot)> S_along;
  std::function<Mat3<Dual<Exact>>(const Vec3<Exact>& qdot)> C_along;
  std::function<Mat3<Dual<Dual<Exact>>>(const Vec3<Exact>& qdot, const Vec3<Exact>& qddot)> A_path;
};

/// Euler angles in the order of Bernstein2023: the last turn first, as (Φ, Θ, Ψ) for 3-2-1.
Coordinates last_turn_first(const EulerSequence& sequence, const Turns<Exact>& turns);
/// Euler angles in the order of the turns.
Coordinates euler_angles(const EulerSequence& sequence, const Turns<Exact>& turns);

/// Reduced Euler parameters x of a unit quaternion, e0 with its own sign; Rodrigues; modified Rodrigues.
Coordinates reduced_parameters(const EulerParameters<Exact>& e);
Coordinates rodrigues(const EulerParameters<Exact>& e);
Coordinates modified_rodrigues(const EulerParameters<Exact>& e);

/// The sequences 3-2-1 and 3-1-3 in the order of Bernstein2023.
inline constexpr EulerSequence k321{{2, 1, 0}, false};
inline constexpr EulerSequence k313{{2, 0, 2}, false};

/// A motion in given coordinates under Euler's equation: J' ω̇' + ω' × J' ω' = τ'.
struct CoordinateMotion : Coordinates {
  Vec3<Exact> qdot, qddot;
  Turning<Exact> turning;
  Mat3<Exact> J;
  Mat3<Exact> Sdot;  ///< Σ q̇ᵢ ∂ᵢS

  CoordinateMotion(Coordinates c, X& t)
      : Coordinates(std::move(c)),
        qdot(t.vector()),
        qddot(t.vector()),
        turning(A_path(qdot, qddot)),
        J(t.inertia()),
        Sdot(qdot.x * D[0] + qdot.y * D[1] + qdot.z * D[2]) {}

  const Vec3<Exact>& w() const { return turning.w_B; }
  const Vec3<Exact>& wdot() const { return turning.wdot_B; }
  Vec3<Exact> torque() const { return J * wdot() + cross(w(), J * w()); }
  /// ∂ᵢSⱼ, counted from 1 as in the source.
  Vec3<Exact> d(std::size_t i, std::size_t j) const { return column(D[i - 1], j - 1); }
  Vec3<Exact> S_column(std::size_t j) const { return column(S, j - 1); }
  /// [∂1S v, ∂2S v, ∂3S v]
  Mat3<Exact> columns_D(const Vec3<Exact>& v) const { return from_columns(D[0] * v, D[1] * v, D[2] * v); }
};

}  // namespace polhode::verification
