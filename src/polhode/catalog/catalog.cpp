#include "polhode/catalog/catalog.h"

#include "polhode/catalog/conventions.h"
#include "polhode/catalog/representations.h"
#include "polhode/rotation/euler_sequence.h"

namespace polhode::catalog {
namespace {

Kind sequences() {
  Kind kind{.name = "sequences",
            .summary = "orders of three turns about coordinate axes, intrinsic; add :extrinsic for space axes",
            .entries = {}};
  for (const EulerSequence& sequence : all_sequences()) {
    kind.entries.push_back({sequence.name(),
                            sequence.proper() ? "proper Euler angles, lock at middle angle 0 and 180 deg"
                                              : "Tait-Bryan angles, lock at middle angle +-90 deg",
                            "SchwabMeijaard2006"});
  }
  return kind;
}

}  // namespace

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> kAll{sequences(), representation_kind(), convention_kind()};
  return kAll;
}

}  // namespace polhode::catalog
