#pragma once

#include "polhode/core/error.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

/// A fuzzer is one file: a function that takes any bytes. It may fail with an Error and with nothing else; sanitizers
/// see to the rest.
namespace polhode::test {

template <class Try>
int must_not_break(const std::uint8_t* data, std::size_t size, const Try& attempt) {
  try {
    attempt(std::string_view(reinterpret_cast<const char*>(data), size));
  } catch (const Error&) {
    return 0;  // bad input, refused as it should be
  }
  return 0;
}

}  // namespace polhode::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
