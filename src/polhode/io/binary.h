#pragma once

#include "polhode/core/error.h"

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

/// Plain values one behind the other, as the frames of logs hold them (result_log.h).
namespace polhode::io {

template <class T>
void put(std::string& to, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

inline void put_row(std::string& to, std::span<const double> row) {
  put(to, static_cast<std::uint64_t>(row.size()));
  to.append(reinterpret_cast<const char*>(row.data()), row.size_bytes());
}

inline void put_text(std::string& to, std::string_view text) {
  put(to, static_cast<std::uint64_t>(text.size()));
  to.append(text);
}

/// Takes them off the front again. Fails where there are too few bytes.
class Content {
 public:
  explicit Content(std::string_view bytes) : bytes_(bytes) {}
  bool empty() const { return bytes_.empty(); }

  template <class T>
  T take() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    const std::string_view bytes = take_bytes(sizeof(T));
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  std::vector<double> take_row() {
    const auto count = take<std::uint64_t>();
    if (bytes_.size() / sizeof(double) < count) { fail_to_understand(); }
    const std::string_view bytes = take_bytes(count * sizeof(double));
    std::vector<double> row(count);
    if (count > 0) { std::memcpy(row.data(), bytes.data(), bytes.size()); }
    return row;
  }
  std::string_view take_text() { return take_bytes(take<std::uint64_t>()); }

 private:
  [[noreturn]] static void fail_to_understand() {
    fail(Error("the log holds a frame that this version does not understand"));
  }
  std::string_view take_bytes(std::uint64_t count) {
    if (bytes_.size() < count) { fail_to_understand(); }
    const std::string_view bytes = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return bytes;
  }

  std::string_view bytes_;
};

}  // namespace polhode::io
