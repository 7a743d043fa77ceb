#pragma once

#include "polhode/core/error.h"

#include <utility>

namespace polhode {

/// Fails with one problem: what is wrong, and what to do.
[[noreturn]] inline void refuse(std::string what, std::string cure) {
  fail(Error(Problem{.what = std::move(what), .allowed = {}, .cure = std::move(cure)}));
}

}  // namespace polhode
