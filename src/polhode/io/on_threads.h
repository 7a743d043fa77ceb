#pragma once

#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace polhode::io {

/// Does `work` on this thread and on others beside it, `count` in all, and returns when all have come back. Where the
/// system has no more threads to give, those that are there do it: `work` takes its share from what is left to do. It
/// must not throw.
template <class Work>
void on_threads(std::size_t count, const Work& work) {
  std::vector<std::thread> others;
  others.reserve(count);
  try {
    while (others.size() + 1 < count) { others.emplace_back(work); }
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): fewer threads, the same results
  }
  work();
  for (std::thread& other : others) { other.join(); }
}

}  // namespace polhode::io
