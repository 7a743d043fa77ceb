#pragma once

#include "polhode/core/error.h"

namespace polhode::io {

/// Writing to an open file failed: a full disk, a broken device. It is not a mistake in the input, so a program ends
/// with another exit code.
class WriteError : public Error {
 public:
  using Error::Error;
};

}  // namespace polhode::io
