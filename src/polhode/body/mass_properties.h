#pragma once

#include "polhode/body/inertia.h"
#include "polhode/rotation/euler_parameters.h"

#include <cstdint>
#include <span>

/// Mass, mass centre and inertia of a rigid body: made from numbers, moved, turned, put together, taken apart
/// into principal axes. What comes from outside passes a gate; nothing impossible is let through in silence.
namespace polhode {

/// The ten numbers that the motion of a rigid body depends on, in its own frame B.
///
///   m = ∫ dm,   c = (1/m) ∫ r dm,   J = ∫ (d·d I − d dᵀ) dm,  d = r − c      (INE-1)
///
/// Off the diagonal J_B(0, 1) = −∫ x y dm: the entries of the tensor, with their minus sign.
struct MassProperties {
  double mass = 0;          ///< kg
  Vec3<double> center_B{};  ///< from the origin of B to the mass centre, m
  Mat3<double> J_B{};       ///< about the mass centre, kg m²

  friend bool operator==(const MassProperties&, const MassProperties&) = default;
};

/// What the gate lets through. In every case: finite, mass > 0, J symmetric.
enum class Physical : std::uint8_t {
  require,                 ///< a body that turns: all moments positive, J1 + J2 ≥ J3
  allow_lines_and_points,  ///< a part of a body: J1 + J2 ≥ J3, moments may be zero (thin rod, point mass)
  allow_any_positive,      ///< all moments positive; J1 + J2 < J3 is let through: the motion can still be computed
};

/// A flat body has J1 + J2 = J3, and written with six digits (what most programs print) each moment has an error of up
/// to 5e-6 of itself, their sum by 5e-6 (J1 + J2 + J3) = 1e-5 J3. So much may be missing, in units of ½ tr J.
inline constexpr double kFlatTolerance = 1e-5;

/// A moment below this part of the largest one is rounding of zero: eigenvalues are good to a few units of
/// 2^-52 of the largest, and J⁻¹ would hold no correct digit.
inline constexpr double kZeroMomentTolerance = 0x1p-48;

/// Entries (i, j) and (j, i) may differ by this part of the largest entry: single precision, or seven digits.
inline constexpr double kSymmetryTolerance = 1e-6;

/// Passes `body` on, or fails with everything that is wrong with it. `who` begins the message ("body 'rotor': ").
MassProperties require_physical(const MassProperties& body, Physical physical = Physical::require,
                                const char* who = "");

/// What is missing in J1 + J2 ≥ J3, in kg m²; zero or less: some body has this inertia.
///
///   J3 − J1 − J2  for the moments J1 ≤ J2 ≤ J3              (INE-7)
double missing_moment(const Mat3<double>& J_B);

// ---- from numbers ------------------------------------------------------------------------------

/// Axes of B are principal axes: J_B = diag(moments).
MassProperties from_principal_moments(double mass, const Vec3<double>& moments, const Vec3<double>& center_B = {},
                                      Physical physical = Physical::require);

/// J about the mass centre, products of inertia with their minus sign (INE-1). Must be symmetric within
/// kSymmetryTolerance; of two entries that differ by less the mean is taken.
MassProperties from_inertia_matrix(double mass, const Mat3<double>& J_B, const Vec3<double>& center_B = {},
                                   Physical physical = Physical::require);

/// J about another point P of the body, components of B: taken back to the mass centre (INE-5).
MassProperties from_inertia_about(const Vec3<double>& r_BP_B, double mass, const Mat3<double>& J_P_B,
                                  const Vec3<double>& center_B, Physical physical = Physical::require);

/// Products of inertia by name, so that their order cannot be mistaken.
struct Products {
  double xy = 0;
  double xz = 0;
  double yz = 0;
};

/// Programs disagree about the sign of a product of inertia.
enum class ProductSign : std::uint8_t {
  minus,  ///< −∫ x y dm: entries of the inertia matrix (URDF, MuJoCo, most mechanics texts)
  plus,   ///< +∫ x y dm: must change sign to become entries of the matrix (an option of many CAD programs)
};

/// Moments (Jxx, Jyy, Jzz) and products about the mass centre; which sign the products have must be said.
MassProperties from_moments_and_products(double mass, const Vec3<double>& moments, const Products& products,
                                         ProductSign sign, const Vec3<double>& center_B = {},
                                         Physical physical = Physical::require);

// ---- moved and turned --------------------------------------------------------------------------

/// Inertia about a point P fixed in the body, components of B (parallel axes).
///
///   J_P = J_C + m (d·d I − d dᵀ),   d from P to the mass centre              (INE-5)
Mat3<double> inertia_about(const MassProperties& body, const Vec3<double>& r_BP_B);

/// The same body described in another frame A, whose components of the attitude and origin of B are given.
///
///   c_A = r_AB + R_AB c_B,   J_A = R_AB J_B R_ABᵀ           (INE-6)
///
/// |e| = 1 is required within kUnitTolerance; its rest does not scale the result, since R = A(e)/|e|².
MassProperties in_frame(const EulerParameters<double>& e_AB, const Vec3<double>& r_AB_A, const MassProperties& body_B);

// ---- put together ------------------------------------------------------------------------------

/// A part, described in its own frame C, and where it sits in the body B.
struct Part {
  MassProperties body_C;
  EulerParameters<double> e_BC = EulerParameters<double>::identity();
  Vec3<double> r_BC_B{};  ///< from the origin of B to the origin of C
  bool hole = false;      ///< taken away instead of added: what the part describes is missing
};

/// One body of welded parts.
///
///   m = Σ ±mᵢ,   c = (1/m) Σ ±mᵢ cᵢ,   J = Σ ±(Jᵢ + mᵢ (dᵢ·dᵢ I − dᵢ dᵢᵀ)),  dᵢ = cᵢ − c      (INE-9)
///
/// Parts may be lines and points. Holes are subtracted, and the rest must be something that a body can be.
/// The whole may be a line or a point again; call require_physical before using it in equations of motion.
MassProperties composed(std::span<const Part> parts);

// ---- principal axes ----------------------------------------------------------------------------

/// Principal moments and the frame P in which J is diagonal.
struct PrincipalAxes {
  Vec3<double> moments;          ///< J1 ≤ J2 ≤ J3, kg m²
  EulerParameters<double> e_BP;  ///< takes P components to B components: axis i of P is the axis of moment i

  /// Distances between neighbouring moments. The axes of two moments are known to about 2^-52 J3 / gap radian;
  /// with gap = 0 any two orthogonal axes in their plane would do as well.
  double lower_gap() const { return moments.y - moments.x; }
  double upper_gap() const { return moments.z - moments.y; }
};

/// J_B = R_BP diag(J1, J2, J3) R_BPᵀ, R_BP right-handed.     (INE-10) [GolubVanLoan2013, section 8.5]
///
/// Of the four right-handed frames that differ by half turns the one nearest to B is taken. A matrix that is already
/// diagonal and in ascending order gives the identity, equal moments included. Orthogonal to rounding
/// whatever the moments are. J_B must be finite and symmetric.
PrincipalAxes principal_axes(const Mat3<double>& J_B);

}  // namespace polhode
