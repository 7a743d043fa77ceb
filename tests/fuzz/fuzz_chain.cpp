// Any bytes as a file of a chain of joints: read, and put into space.
#include "fuzz/fuzz.h"
#include "polhode/drawing/chain.h"

using namespace polhode;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return test::must_not_break(
      data, size, [](std::string_view bytes) { drawing::to_linkage(drawing::read_chain(bytes, "fuzz.toml")); });
}
