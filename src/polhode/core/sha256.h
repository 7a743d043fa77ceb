#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace polhode {

/// SHA-256 of bytes given in pieces [FIPS2015]: the name of a result or of an input by its content.
class Sha256 {
 public:
  Sha256& add(std::string_view bytes);
  /// The eight bytes of x, low byte first, on every machine: equal digests mean equal bits.
  Sha256& add(double x);

  /// 64 hexadecimal digits, lower case, of all bytes so far; more may follow.
  std::string hex() const;

 private:
  static constexpr std::size_t kBlock = 64;

  void add_byte(std::uint8_t byte);
  void compress();

  std::array<std::uint32_t, 8> state_{0x6A09E667U, 0xBB67AE85U, 0x3C6EF372U, 0xA54FF53AU,
                                      0x510E527FU, 0x9B05688CU, 0x1F83D9ABU, 0x5BE0CD19U};
  std::array<std::uint8_t, kBlock> block_{};
  std::uint64_t length_ = 0;  ///< bytes so far
};

/// SHA-256 of a text, 64 hexadecimal digits.
std::string sha256(std::string_view text);

}  // namespace polhode
