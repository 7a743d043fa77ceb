#pragma once

#include <array>
#include <string>
#include <string_view>

namespace polhode {

/// Order of three turns about coordinate axes: neighbours differ, 12 in all. Axes count from 0 here
/// and from 1 in names: 3-1-3 is {2, 0, 2}.
struct EulerSequence {
  std::array<int, 3> axes{2, 1, 0};
  bool extrinsic = false;  ///< turns about space axes, in the order written

  friend constexpr bool operator==(const EulerSequence&, const EulerSequence&) = default;

  /// "Proper" Euler angles use the first axis again (3-1-3), Tait-Bryan angles use three axes (3-2-1).
  constexpr bool proper() const { return axes[0] == axes[2]; }

  /// "3-1-3" or "3-1-3:extrinsic".
  std::string name() const;

  /// Reads "3-1-3", "313" or "ZXZ", each optionally with ":intrinsic" or ":extrinsic". Fails with one
  /// line otherwise; lower-case letters too, because some programs mean extrinsic by them.
  static EulerSequence parse(std::string_view text);
};

/// All 12, intrinsic, in the order 1-2-1, 1-2-3, ... 3-2-3.
const std::array<EulerSequence, 12>& all_sequences();

}  // namespace polhode
