#include "polhode/catalog/representation_support.h"
#include "polhode/core/error.h"
#include "polhode/rotation/checks.h"

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
  BodyVector<double> angular_velocity(const EulerParameters<double>& e_NB, std::span<const double>,
                                      std::span<const double> xdot) const override {
    return polhode::angular_velocity<Body>(rotation_of(e_NB), matrix_in(xdot));
  }
  void write_rates(const EulerParameters<double>& e_NB, const BodyVector<double>& w, std::span<const double>,
                   std::span<double> xdot) const override {
    put_matrix(matrix_rate(rotation_of(e_NB), w), xdot);  // (KIN-21)
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
