#include "polhode/catalog/representation_support.h"
#include "polhode/core/refuse.h"

#include <fmt/format.h>

namespace polhode::catalog {
namespace {

Mat3<double> matrix_in(std::span<const double> x) {
  return {{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}, {x[6], x[7], x[8]}}};
}
void put_matrix(const Mat3<double>& A, std::span<double> x) {
  for (std::size_t i = 0; i < 9; ++i) { x[i] = A(i / 3, i % 3); }
}

/// A/|e|², orthogonal for any |e|                           (KIN-4)
Mat3<double> rotation_of(const EulerParameters<double>& e) { return (1 / norm_squared(e)) * rotation_matrix(e); }

double largest_entry(const Mat3<double>& A) {
  double largest = 0;
  for (const auto& row : A.m) {
    for (const double entry : row) {
      if (!(std::fabs(entry) <= largest)) { largest = std::fabs(entry); }
    }
  }
  return largest;
}

Mat3<double> over(Mat3<double> A, double unit) {
  for (auto& row : A.m) {
    for (double& entry : row) { entry /= unit; }
  }
  return A;
}
Mat3<double> symmetric_part(const Mat3<double>& A) { return 0.5 * (A + transpose(A)); }

/// The rotation nearest to A does not depend on the size of A, so it is sought for A/2ⁿ with entries up to 1 to 2.
/// Fails where it is not unique, and for a mirrored frame, which is not noise.
Reading nearest(const Mat3<double>& A) {
  const double largest = largest_entry(A);
  if (!std::isfinite(largest)) { require_rotation(A); }
  Mat3<double> scaled = A;
  if (largest > 0) {
    for (auto& row : scaled.m) {
      for (double& entry : row) { entry = std::scalbn(entry, -std::ilogb(largest)); }
    }
  }
  constexpr double kRounding = 1e-14;  // of a determinant of such entries
  if (determinant(scaled) < -kRounding) {
    fail(Error(Problem{.what = fmt::format("matrix is left-handed: det A = {:.6g}, a rotation has +1", determinant(A)),
                       .allowed = {},
                       .cure = "one axis is mirrored; rows must be x y z of one right-handed frame in the other"}));
  }
  const NearestRotation<double> found = nearest_rotation(scaled);
  constexpr double kLeastGap = 1e-10;  // below it rounding decides
  if (!(found.uniqueness > kLeastGap)) {
    fail(Error(Problem{.what = "the rotation nearest to this matrix is not unique: the matrix is singular in two "
                               "directions",
                       .allowed = {},
                       .cure = "at least two of its columns must be independent"}));
  }
  const double size = std::fmax(largest, 1.0);
  return {found.e_NB, size * frobenius_norm((1 / size) * A - (1 / size) * rotation_matrix(found.e_NB))};
}

/// Rotation matrix R_NB, row by row: v_N = R_NB v_B; its columns are the body axes in space components.
class Matrix final : public Representation {
 public:
  explicit Matrix(std::string name)
      : Representation(std::move(name), columns_named("r11", "r12", "r13", "r21", "r22", "r23", "r31", "r32", "r33")) {}

  Reading read(std::span<const double> x, Noise noise) const override {
    const Mat3<double> A = matrix_in(x);
    if (noise == Noise::project) { return nearest(A); }
    const EulerParameters<double> e = from_matrix(require_rotation(A));  // (KIN-20)
    return {e, frobenius_norm(A - rotation_of(e))};
  }
  void write(const EulerParameters<double>& e_NB, std::span<double> x) const override {
    put_matrix(rotation_of(e_NB), x);
  }
  /// RᵀȦ is skew where A is the rotation R and stays one. Of a matrix A = R P, P symmetric, the nearest rotation turns
  /// with
  ///
  ///   RᵀȦ = ω̃' P + Ṗ,  whose skew part is that of ω̃' P:  (tr P I − P) ω' = 2 ax(RᵀȦ)
  ///
  /// and 2 ω' = 2 ax(RᵀȦ) where P = I. ax: the axial vector of the skew part.
  RateReading read_rates(const EulerParameters<double>& e_NB, std::span<const double> x, std::span<const double> xdot,
                         Noise noise) const override {
    const Mat3<double> R = rotation_of(e_NB);
    const double unit_rate = largest_of(xdot);
    if (unit_rate == 0) { return {{}, 0}; }
    const Mat3<double> Adot = over(matrix_in(xdot), unit_rate);
    const Mat3<double> stretch = symmetric_part(transpose(R) * Adot);
    if (noise == Noise::refuse) {
      const double distance = unit_rate * frobenius_norm(stretch);
      if (frobenius_norm(stretch) > kRateTolerance * frobenius_norm(Adot)) {
        refuse(fmt::format("matrix rates are not those of a rotation: an entry of the symmetric part of AᵀȦ is {:.3g}, "
                           "not 0 (tolerance {:g} of their size)",
                           unit_rate * largest_entry(stretch), kRateTolerance),
               fmt::format("the nearest rates of a rotation are {:.3g} away", distance));
      }
      return {angular_velocity<Body>(R, matrix_in(xdot)), distance};
    }
    const double unit_value = largest_of(x);
    const Mat3<double> P = symmetric_part(transpose(R) * over(matrix_in(x), unit_value));
    const Vec3<double> ax = angular_velocity<Body>(R, Adot).raw();
    const Vec3<double> w = 2.0 * (inverse(trace(P) * identity<double, 3>() - P) * ax) / unit_value;  // over unit_rate
    return {BodyVector<double>(unit_rate * w),
            unit_rate * frobenius_norm(Adot - matrix_rate(R, BodyVector<double>(w)))};
  }
  void write_rates(const EulerParameters<double>& e_NB, const BodyVector<double>& w, std::span<const double>,
                   std::span<double> xdot) const override {
    put_matrix(matrix_rate(rotation_of(e_NB), w), xdot);  // (KIN-21)
  }
  /// AᵀÄ + (AᵀÄ)ᵀ = −2 ȦᵀȦ where A is a rotation and stays one. Of a matrix A = R P the nearest rotation follows the
  /// time derivative of what gave its ω':
  ///
  ///   (tr P I − P) ω̇' = 2 ax(RᵀÄ − ω̃' RᵀȦ) − (tr Ṗ I − Ṗ) ω',   Ṗ = RᵀȦ − ω̃' P
  RateReading read_accelerations(const EulerParameters<double>& e_NB, const BodyVector<double>& w,
                                 std::span<const double> x, std::span<const double> xdot, std::span<const double> xddot,
                                 Noise noise) const override {
    const Mat3<double> R = rotation_of(e_NB);
    const Mat3<double> Adot = matrix_in(xdot);
    const Mat3<double> Addot = matrix_in(xddot);
    const Mat3<double> stretch = symmetric_part(transpose(R) * Addot) + transpose(Adot) * Adot;
    const double distance = frobenius_norm(stretch);
    const double size = frobenius_norm(Adot);
    if (noise == Noise::refuse) {
      if (distance > kAccelerationTolerance * (frobenius_norm(Addot) + size * size)) {
        refuse(fmt::format("matrix accelerations are not those of a rotation with these rates: an entry of the "
                           "symmetric part of AᵀÄ + ȦᵀȦ is {:.3g}, not 0 (tolerance {:g} of their size)",
                           largest_entry(stretch), kAccelerationTolerance),
               fmt::format("the nearest accelerations of a rotation are {:.3g} away", distance));
      }
      return {angular_acceleration<Body>(R, Addot), distance};
    }
    const Mat3<double> W = skew(w.raw());
    const Mat3<double> P = symmetric_part(transpose(R) * matrix_in(x));
    const Mat3<double> Pdot = symmetric_part(transpose(R) * Adot - W * P);
    const Vec3<double> ax =
        angular_velocity<Body>(identity<double, 3>(), transpose(R) * Addot - W * (transpose(R) * Adot)).raw();
    const auto spread = [](const Mat3<double>& M) { return trace(M) * identity<double, 3>() - M; };
    return {BodyVector<double>(inverse(spread(P)) * (2.0 * ax - spread(Pdot) * w.raw())), distance};
  }
  void write_accelerations(const AttitudeMotion<double>& motion, std::span<const double>, std::span<const double>,
                           std::span<double> xddot) const override {
    put_matrix(matrix_acceleration(rotation_of(motion.e_NB), motion.w, motion.wdot), xddot);  // (KIN-22)
  }
};

RepresentationPtr make_matrix(std::string name, std::string_view parameter) {
  refuse_parameter("matrix", parameter);
  return std::make_shared<Matrix>(std::move(name));
}

}  // namespace

extern const RepresentationFamily matrix_family{
    .name = "matrix",
    .usage = "matrix",
    .summary = "rotation matrix, body to space, row by row (9 numbers); columns are the body axes",
    .source = "SchwabMeijaard2006",
    .make = make_matrix};

}  // namespace polhode::catalog
