// Any bytes as a result: log, CSV, JSON or AEM, read to its end.
#include "fuzz/fuzz.h"
#include "polhode/io/result.h"

#include <cstdlib>

#include <sys/mman.h>
#include <unistd.h>

using namespace polhode;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return test::must_not_break(data, size, [](std::string_view bytes) {
    if (bytes.starts_with("\x89HDF")) { return; }  // the library that reads them is not ours
    struct File {
      int number = memfd_create("fuzz", MFD_CLOEXEC);
      ~File() { close(number); }
    } file;
    if (write(file.number, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) { std::abort(); }
    const auto reader = io::open_result("/proc/self/fd/" + std::to_string(file.number));
    while (reader->next() != io::ResultReader::Item::end) {}
  });
}
