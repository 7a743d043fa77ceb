#pragma once

#include <cstddef>

namespace polhode {

/// Longest series of a loaded body that is computed here.
inline constexpr std::size_t kMostForcedRotorOrder = 48;

/// What acts on a body in principal axes, as rates of ω': constant in the body, linear in directions d that stand still
/// in space or go around there, quadratic in the first of them, u. Plain numbers: files that are compiled for different
/// instruction sets share it.
template <class S>
struct RotorForcing {
  static constexpr std::size_t kMostDirections = 3;
  /// ḋ' = d' × ω' + rate (partner)'
  struct Direction {
    S start[3];           ///< d' where the series starts
    S columns[9];         ///< what each component of d' adds to ω̇', one after the other
    S rate;               ///< 0: it stands still in space
    std::size_t partner;  ///< counts where the rate is not 0
  };
  S gyration[3];  ///< (J2 − J3)/J1 and its like
  S steady[3];    ///< of ω̇'
  S pull[3];      ///< ω̇1 has pull₁ u2 u3, and so on in turn
  bool pulls;     ///< false: `pull` is zero
  std::size_t directions;
  Direction direction[kMostDirections];
};

/// Taylor series of such a body: rows 1 ... order from row 0; the first 7 numbers a row of `stride`, (e | ω') (DYN-36).
/// One to three directions. The same bits on every processor.
void forced_rotor_series(const RotorForcing<double>& forcing, std::size_t order, std::size_t stride, double* rows);
void forced_rotor_series(const RotorForcing<long double>& forcing, std::size_t order, std::size_t stride,
                         long double* rows);

}  // namespace polhode
