#pragma once

#include "polhode/rotation/euler_angles.h"
#include "polhode/rotation/rotation_matrix.h"

#include <cstddef>
#include <limits>
#include <memory>

/// Rotations row by row: what a Rotation of Python does with arrays. Long arrays are divided between two threads, and
/// trigonometric functions are taken of a block of rows at once; each row has the bits that it would have alone.
namespace polhode::python {

using Attitude = EulerParameters<double>;
using Vector = Vec3<double>;
using Matrix3 = Mat3<double>;

inline constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

/// One row for all (step 0), or a row for each (step 1).
template <class T>
struct Rows {
  const T* first;
  std::size_t step;
  const T& operator[](std::size_t i) const { return first[i * step]; }
};

struct AxesAndAngles {
  Vector* axes;
  double* angles;
};

/// Room for `count` doubles, not yet written.
std::shared_ptr<double[]> room_for(std::size_t count);

namespace rows {

// Each writes rows 0 to n - 1 of `out`; those that check give the first row that is wrong, or kNone.

/// How a quaternion is written: its four numbers in memory, and whether it is the conjugate of ours.
struct Writing {
  bool scalar_first = true;
  bool space_to_body = false;
};

/// Wrong: not finite, zero, or |e| further than `tolerance` from 1. What is right is divided by its norm.
std::size_t from_quaternions(const double* in, Writing writing, double tolerance, std::size_t n, Attitude* out);
void to_quaternions(const Attitude* in, Writing writing, bool canonical, std::size_t n, double* out);

/// Wrong: not a rotation to `tolerance`.
std::size_t from_matrices(const Matrix3* in, bool space_to_body, double tolerance, std::size_t n, Attitude* out);
/// The rotation nearest to each. Wrong: not finite, or several are the nearest, or left-handed where that is not
/// allowed.
std::size_t from_noisy_matrices(const Matrix3* in, bool space_to_body, bool left_handed_too, std::size_t n,
                                Attitude* out);
void to_matrices(const Attitude* in, bool space_to_body, std::size_t n, Matrix3* out);

/// Wrong: not finite. `unit`: the angles are in it, in rad.
std::size_t from_rotation_vectors(const Vector* in, double unit, std::size_t n, Attitude* out);
void to_rotation_vectors(const Attitude* in, double unit, std::size_t n, Vector* out);
std::size_t from_euler_angles(const EulerSequence& sequence, const Vector* in, double unit, std::size_t n,
                              Attitude* out);
void to_euler_angles(const EulerSequence& sequence, const Attitude* in, double unit, std::size_t n, Vector* out);
/// Nearer to lock than `nearness` [rad] the third angle of the order written is 0 and the first takes its turn. Gives
/// the first such row.
std::size_t to_euler_angles_locked(const EulerSequence& sequence, const Attitude* in, double nearness, double unit,
                                   std::size_t n, Vector* out);

/// Wrong: not finite, or the axis is not of length 1 to `tolerance`.
std::size_t from_axes_and_angles(Rows<Vector> axes, Rows<double> angles, double unit, double tolerance, std::size_t n,
                                 Attitude* out);
void to_axes_and_angles(const Attitude* in, double unit, std::size_t n, AxesAndAngles out);

std::size_t from_modified_rodrigues(const Vector* in, std::size_t n, Attitude* out);
void to_modified_rodrigues(const Attitude* in, std::size_t n, Vector* out);
std::size_t from_rodrigues(const Vector* in, std::size_t n, Attitude* out);
/// Wrong: half a turn.
std::size_t to_rodrigues(const Attitude* in, std::size_t n, Vector* out);

void multiply(Rows<Attitude> a, Rows<Attitude> b, std::size_t n, Attitude* out);
void invert(const Attitude* in, std::size_t n, Attitude* out);
void to_space(Rows<Attitude> e_NB, Rows<Vector> v_B, std::size_t n, Vector* out);
void to_body(Rows<Attitude> e_NB, Rows<Vector> v_N, std::size_t n, Vector* out);
void angles(const Attitude* in, std::size_t n, double* out);
void angles_between(Rows<Attitude> a, Rows<Attitude> b, std::size_t n, double* out);
void slerp(Rows<Attitude> a, Rows<Attitude> b, Rows<double> s, std::size_t n, Attitude* out);
/// exp(s log e), the shorter way round.
void power(const Attitude* in, double s, std::size_t n, Attitude* out);

// Rates: ω in body (w_B) or in space components (w_N), of either the Euler parameters or Euler angles.
void euler_parameter_rates(Rows<Attitude> e_NB, Rows<Vector> w, bool body, std::size_t n, Attitude* out);
void velocities(Rows<Attitude> e_NB, Rows<Attitude> edot, bool body, std::size_t n, Vector* out);
void euler_rates(const EulerSequence& sequence, Rows<Attitude> e_NB, Rows<Vector> w, bool body, std::size_t n,
                 Vector* out);
void velocities_of_euler(const EulerSequence& sequence, Rows<Attitude> e_NB, Rows<Vector> rates, bool body,
                         std::size_t n, Vector* out);
void distances_to_lock(const EulerSequence& sequence, const Attitude* in, std::size_t n, double* out);

/// The attitude with the least sum of weighted squares ‖R − Rᵢ‖², and how unique it is.
NearestRotation<double> mean(const Attitude* in, const double* weights, std::size_t n);

}  // namespace rows
}  // namespace polhode::python
