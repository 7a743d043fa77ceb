#include "polhode/io/write_error.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace polhode::io {

void fail_to_open(Problem problem, int cause) {
  for (const int of_system : {ENOSPC, EDQUOT, EIO, EMFILE, ENFILE, ENOMEM}) {
    if (cause == of_system) { throw WriteError(std::move(problem)); }
  }
  fail(Error(std::move(problem)));
}

bool put_on_disk(int descriptor) {
  if (fsync(descriptor) == 0) { return true; }
  return errno == EINVAL || errno == ENOTSUP || errno == EROFS || errno == ENOSYS;
}

void put_names_on_disk(const std::string& folder) {
  const int descriptor = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) { return; }
  static_cast<void>(put_on_disk(descriptor));  // the files are there, whatever their names outlast
  close(descriptor);
}

}  // namespace polhode::io
