#include "polhode/core/sha256.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

#include <algorithm>
#include <bit>
#include <cstring>

namespace polhode {
namespace {

/// First 32 bits of the fractional parts of the cube roots of the first 64 primes [FIPS2015, section 4.2.2].
constexpr std::array<std::uint32_t, 64> kRound{
    0x428A2F98U, 0x71374491U, 0xB5C0FBCFU, 0xE9B5DBA5U, 0x3956C25BU, 0x59F111F1U, 0x923F82A4U, 0xAB1C5ED5U,
    0xD807AA98U, 0x12835B01U, 0x243185BEU, 0x550C7DC3U, 0x72BE5D74U, 0x80DEB1FEU, 0x9BDC06A7U, 0xC19BF174U,
    0xE49B69C1U, 0xEFBE4786U, 0x0FC19DC6U, 0x240CA1CCU, 0x2DE92C6FU, 0x4A7484AAU, 0x5CB0A9DCU, 0x76F988DAU,
    0x983E5152U, 0xA831C66DU, 0xB00327C8U, 0xBF597FC7U, 0xC6E00BF3U, 0xD5A79147U, 0x06CA6351U, 0x14292967U,
    0x27B70A85U, 0x2E1B2138U, 0x4D2C6DFCU, 0x53380D13U, 0x650A7354U, 0x766A0ABBU, 0x81C2C92EU, 0x92722C85U,
    0xA2BFE8A1U, 0xA81A664BU, 0xC24B8B70U, 0xC76C51A3U, 0xD192E819U, 0xD6990624U, 0xF40E3585U, 0x106AA070U,
    0x19A4C116U, 0x1E376C08U, 0x2748774CU, 0x34B0BCB5U, 0x391C0CB3U, 0x4ED8AA4AU, 0x5B9CCA4FU, 0x682E6FF3U,
    0x748F82EEU, 0x78A5636FU, 0x84C87814U, 0x8CC70208U, 0x90BEFFFAU, 0xA4506CEBU, 0xBEF9A3F7U, 0xC67178F2U};

#if defined(__x86_64__)
/// Whether the processor has instructions for it, which are five times as fast.
bool has_instructions() {
  constexpr unsigned kSha = 1U << 29U;
  static const bool kThere = [] {
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & kSha) != 0;
  }();
  return kThere;
}

/// The whole blocks at the front of `bytes` into the state, as compress() does one; returns how many bytes they are.
/// The instructions hold the state as (f e b a) and (h g d c), low words first, and do two rounds, or four words of the
/// message schedule, at a time.
__attribute__((target("sha,sse4.1"))) std::size_t compress_blocks(std::array<std::uint32_t, 8>& state,
                                                                  std::string_view bytes) {
  const auto* const words = reinterpret_cast<const __m128i*>(bytes.data());
  const auto* const rounds = reinterpret_cast<const __m128i*>(kRound.data());
  auto* const halves = reinterpret_cast<__m128i*>(state.data());
  const __m128i big_endian = _mm_set_epi64x(0x0C0D0E0F08090A0B, 0x0405060700010203);
  const __m128i badc = _mm_shuffle_epi32(_mm_loadu_si128(halves), 0xB1);
  const __m128i hgfe = _mm_shuffle_epi32(_mm_loadu_si128(halves + 1), 0x1B);
  __m128i feba = _mm_alignr_epi8(badc, hgfe, 8);
  __m128i hgdc = _mm_blend_epi16(hgfe, badc, 0xF0);
  const std::size_t blocks = bytes.size() / 64;
  for (std::size_t block = 0; block < blocks; ++block) {
    const __m128i feba_before = feba;
    const __m128i hgdc_before = hgdc;
    __m128i w[4];
    for (std::size_t i = 0; i < 4; ++i) { w[i] = _mm_shuffle_epi8(_mm_loadu_si128(words + 4 * block + i), big_endian); }
    for (std::size_t i = 0; i < 16; ++i) {
      const __m128i sum = _mm_add_epi32(w[i % 4], _mm_loadu_si128(rounds + i));
      hgdc = _mm_sha256rnds2_epu32(hgdc, feba, sum);
      feba = _mm_sha256rnds2_epu32(feba, hgdc, _mm_shuffle_epi32(sum, 0x0E));
      const __m128i last = w[(i + 3) % 4];
      const __m128i part =
          _mm_add_epi32(_mm_sha256msg1_epu32(w[i % 4], w[(i + 1) % 4]), _mm_alignr_epi8(last, w[(i + 2) % 4], 4));
      w[i % 4] = _mm_sha256msg2_epu32(part, last);
    }
    feba = _mm_add_epi32(feba, feba_before);
    hgdc = _mm_add_epi32(hgdc, hgdc_before);
  }
  const __m128i abef = _mm_shuffle_epi32(feba, 0x1B);
  const __m128i dchg = _mm_shuffle_epi32(hgdc, 0xB1);
  _mm_storeu_si128(halves, _mm_blend_epi16(abef, dchg, 0xF0));
  _mm_storeu_si128(halves + 1, _mm_alignr_epi8(dchg, abef, 8));
  return 64 * blocks;
}
#else
bool has_instructions() { return false; }
std::size_t compress_blocks(std::array<std::uint32_t, 8>&, std::string_view) { return 0; }
#endif

}  // namespace

/// One block into the state [FIPS2015, section 6.2.2].
void Sha256::compress() {
  std::array<std::uint32_t, 64> w{};
  for (std::size_t i = 0; i < 16; ++i) {
    for (std::size_t j = 0; j < 4; ++j) { w[i] = (w[i] << 8U) | block_[4 * i + j]; }
  }
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3U);
    const std::uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10U);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + kRound[i] + w[i];
    const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const std::array<std::uint32_t, 8> change{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) { state_[i] += change[i]; }
}

void Sha256::add_byte(std::uint8_t byte) {
  block_[length_ % kBlock] = byte;
  ++length_;
  if (length_ % kBlock == 0) { compress(); }
}

Sha256& Sha256::add(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t at = length_ % kBlock;
    if (at == 0 && bytes.size() >= kBlock && has_instructions()) {
      const std::size_t done = compress_blocks(state_, bytes);
      length_ += done;
      bytes.remove_prefix(done);
      continue;
    }
    const std::size_t count = std::min(bytes.size(), kBlock - at);
    std::memcpy(block_.data() + at, bytes.data(), count);
    length_ += count;
    bytes.remove_prefix(count);
    if (length_ % kBlock == 0) { compress(); }
  }
  return *this;
}

Sha256& Sha256::add(double x) {
  auto bits = std::bit_cast<std::uint64_t>(x);
  for (int i = 0; i < 8; ++i, bits >>= 8U) { add_byte(static_cast<std::uint8_t>(bits & 0xFFU)); }
  return *this;
}

std::string Sha256::hex() const {
  // A one bit, zeros, and the length in bits fill up the last block.
  Sha256 padded = *this;
  padded.add_byte(0x80U);
  while (padded.length_ % kBlock != kBlock - 8) { padded.add_byte(0); }
  for (unsigned shift = 64; shift > 0; shift -= 8) {
    padded.add_byte(static_cast<std::uint8_t>(((8 * length_) >> (shift - 8)) & 0xFFU));
  }
  std::string text;
  for (const std::uint32_t word : padded.state_) {
    for (unsigned shift = 32; shift > 0; shift -= 4) { text += "0123456789abcdef"[(word >> (shift - 4)) & 0xFU]; }
  }
  return text;
}

std::string sha256(std::string_view text) { return Sha256{}.add(text).hex(); }

}  // namespace polhode
