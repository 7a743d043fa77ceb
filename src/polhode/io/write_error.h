#pragma once

#include "polhode/core/error.h"

#include <string>

namespace polhode::io {

/// Writing to an open file failed: a full disk, a broken device. It is not a mistake in the input, so a program ends
/// with another exit code.
class WriteError : public Error {
 public:
  using Error::Error;
};

/// Fails because a file or folder could not be opened for writing, by errno: with a WriteError where the system is at
/// fault (a full disk, a broken device, no more descriptors), with an Error where the name is.
[[noreturn]] void fail_to_open(Problem problem, int cause);

/// Has the system put what an open file holds on its disk, so that a file that then gets its name is not empty after a
/// power cut. False, with errno, where it could not; pipes, devices and file systems without this are left alone.
bool put_on_disk(int descriptor);
/// The same for a folder: the names in it.
void put_names_on_disk(const std::string& folder);

}  // namespace polhode::io
