// Any bytes as the log of another engine: read, and judged with and without an inertia.
#include "fuzz/fuzz.h"
#include "polhode/audit/audit.h"

#include <algorithm>

using namespace polhode;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return test::must_not_break(data, size, [](std::string_view bytes) {
    const audit::RotationLog log = audit::read_log("fuzz.csv", {}, [&bytes](char* to, std::size_t room) {
      const std::size_t count = bytes.copy(to, std::min(room, bytes.size()));
      bytes.remove_prefix(count);
      return count;
    });
    audit::audit(log, {});
    audit::audit(log, {.J_B = diagonal(1.0, 2.0, 2.5)});
  });
}
