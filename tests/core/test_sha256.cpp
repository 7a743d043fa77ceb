#include "polhode/core/sha256.h"

#include <doctest/doctest.h>

#include <string>

using namespace polhode;

TEST_CASE("SHA-256 of the messages of the standard") {
  // examples that NIST publishes with FIPS 180-4
  CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(
      sha256("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrst"
             "nopqrstu") == "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  CHECK(sha256(std::string(1'000'000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("SHA-256 does not depend on how the bytes are cut, and can go on after it was read") {
  const std::string text(300, 'x');
  for (const std::size_t cut : {0U, 1U, 55U, 56U, 63U, 64U, 65U, 119U, 128U, 300U}) {
    Sha256 hash;
    hash.add(std::string_view(text).substr(0, cut));
    CHECK(hash.hex() == sha256(text.substr(0, cut)));
    hash.add(std::string_view(text).substr(cut));
    CHECK(hash.hex() == sha256(text));
  }
}

TEST_CASE("SHA-256 of whole blocks at once is that of the same bytes one by one") {
  // blocks at once may be left to the processor's own instructions; bytes one by one never are
  std::string text;
  for (int i = 0; i < 1000; ++i) { text += static_cast<char>(i * i + 7 * i); }
  for (const std::size_t size : {64U, 127U, 128U, 192U, 640U, 1000U}) {
    Sha256 slow;
    for (std::size_t i = 0; i < size; ++i) { slow.add(text.substr(i, 1)); }
    CHECK(slow.hex() == sha256(text.substr(0, size)));
  }
}

TEST_CASE("SHA-256 of a number is that of its eight bytes, low byte first") {
  const std::string one("\0\0\0\0\0\0\xF0\x3F", 8);
  CHECK(Sha256{}.add(1.0).hex() == sha256(one));
  CHECK(Sha256{}.add(0.0).hex() != Sha256{}.add(-0.0).hex());  // equal numbers, other bits
}
