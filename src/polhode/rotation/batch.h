#pragma once

#include "polhode/rotation/euler_angles.h"

#include <span>

/// The everyday operations over arrays: the same bits as one at a time, in loops that the compiler can put into vector
/// instructions. All spans of a call have the length of the first; output may be an input, but not overlap it in part.
namespace polhode::batch {

/// out[i] = a[i] ∘ b[i]                                      (KIN-1)
void product(std::span<const EulerParameters<double>> a, std::span<const EulerParameters<double>> b,
             std::span<EulerParameters<double>> out);

/// Body components to space components, v_N[i] = A(e_NB[i]) v_B[i]      (KIN-3)
void rotate(std::span<const EulerParameters<double>> e_NB, std::span<const Vec3<double>> v_B,
            std::span<Vec3<double>> v_N);

/// R_NB[i] = A(e_NB[i])                                       (KIN-4)
void rotation_matrix(std::span<const EulerParameters<double>> e_NB, std::span<Mat3<double>> R_NB);

/// Angles of one sequence, as EulerAngles::from_euler_parameters      (KIN-36, KIN-37)
void euler_angles(const EulerSequence& sequence, std::span<const EulerParameters<double>> e_NB,
                  std::span<Vec3<double>> angles);

/// out[i] = slerp(a[i], b[i], s)                              (KIN-11)
void slerp(std::span<const EulerParameters<double>> a, std::span<const EulerParameters<double>> b, double s,
           std::span<EulerParameters<double>> out);

}  // namespace polhode::batch
