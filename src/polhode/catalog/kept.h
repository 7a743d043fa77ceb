#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace polhode::catalog {

/// What has been made once and is asked for again, by keys; any number of threads may ask at once. What two of them
/// make at the same time must be equal: the first to be kept stays.
template <class T>
class Kept {
 public:
  /// nullptr where there is none.
  std::shared_ptr<const T> find(const std::string& key) const {
    const std::lock_guard lock(mutex_);
    const auto found = all_.find(key);
    return found == all_.end() ? nullptr : found->second;
  }
  /// Keeps and gives it. Where there are very many, as in a search over numbers of copies, it is given only.
  std::shared_ptr<const T> keep(const std::string& key, T made) const {
    constexpr std::size_t kMost = 4096;
    auto shared = std::make_shared<const T>(std::move(made));
    const std::lock_guard lock(mutex_);
    if (all_.size() < kMost) { all_.emplace(key, shared); }
    return shared;
  }

 private:
  mutable std::mutex mutex_;
  mutable std::unordered_map<std::string, std::shared_ptr<const T>> all_;
};

}  // namespace polhode::catalog
