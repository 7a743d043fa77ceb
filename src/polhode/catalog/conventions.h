#pragma once

#include "polhode/catalog/representations.h"

namespace polhode::catalog {

/// Where a program writes the scalar of a quaternion.
enum class Scalar {
  none,   ///< it writes no quaternions
  first,  ///< w x y z
  last,   ///< x y z w
  either  ///< both are in use: the name must say which
};

/// What a program's matrix or quaternion does to components, or, for angles, how it names the turns.
enum class Sense {
  none,           ///< it writes none
  ambiguous,      ///< its parts differ: the name must say which part
  body_to_space,  ///< as ours: v_N = A v_B
  space_to_body   ///< the inverse: v_B = Aᵀ v_N
};

enum class EulerHabit {
  none,               ///< it writes no Euler angles
  one_sequence,       ///< only its own sequence
  as_ours,            ///< any; 3-2-1 and ZYX are intrinsic, in the order of the turns
  upper_intrinsic,    ///< any; ZYX is intrinsic, zyx extrinsic
  lower_intrinsic,    ///< any; zyx is intrinsic, ZYX extrinsic
  letters_only,       ///< any, in letters, intrinsic: it counts axes from 0
  product_of_frames,  ///< any; named and written last turn first, as the factors of the space to body matrix stand
  last_angle_first    ///< any; named in the order of the turns, written last angle first
};

/// How another program (or paper) writes rotations: what `REP@TOOL` means. Facts only, each with its source.
struct Convention {
  std::string_view name;
  std::string_view summary;  ///< in words, for people
  std::string_view source;   ///< where it is documented
  Scalar scalar = Scalar::none;
  /// Whether its quaternion has the components of our e_NB (body_to_space) or of the conjugate. Its product does not
  /// matter to one attitude. Also for `others`.
  Sense quaternion = Sense::none;
  Sense matrix = Sense::none;
  EulerHabit euler = EulerHabit::none;
  std::string_view sequence = "";  ///< its own or default sequence in our spelling; "" when it has none
  std::string_view others = "";    ///< further representations it writes, by our names, blank between
};

const std::vector<Convention>& conventions();

/// By name; fails naming the nearest.
const Convention& convention(std::string_view name);

/// What REP@TOOL means: the representation with values as the tool writes them. `rep` is a name of ours, or
/// `quaternion` and `euler` alone for the tool's own habit. Fails with one line where the tool does not write it so.
RepresentationPtr representation_of(const Convention& tool, std::string_view rep);

/// A direction beside @TOOL is refused: the tool has its own, and where its words for directions are not ours (CCSDS
/// calls "A to B" what has the numbers of our body to space) it could be read either way. `name` is what was written.
[[noreturn]] void refuse_direction(const Convention& tool, std::string_view name, std::string_view rep,
                                   std::string_view direction);

/// The kind for `polhode list`.
Kind convention_kind();

}  // namespace polhode::catalog
