#pragma once

#include "polhode/core/error.h"

namespace polhode::io {

/// A file that was open took no more: a full disk, a broken device. Nobody's mistake, so a program ends with another
/// exit code than for a wrong input.
class WriteError : public Error {
 public:
  using Error::Error;
};

}  // namespace polhode::io
