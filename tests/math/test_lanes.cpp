// Elementary functions of many numbers at once: the bits of each alone, whatever the width of the instructions.
#include "polhode/math/lanes.h"

#include "polhode/math/elementary.h"
#include "polhode/math/pack.h"

#include <doctest/doctest.h>

#include <bit>
#include <limits>
#include <random>
#include <vector>

using namespace polhode;

namespace {

struct OneArgument {
  const char* name;
  void (*many)(const double*, double*, std::size_t);
  double (*one)(double);
};
struct TwoArguments {
  const char* name;
  void (*many)(const double*, const double*, double*, std::size_t);
  double (*one)(double, double);
};
namespace alone {
using namespace math::portable;
using polhode::modulo;
using std::floor;
}  // namespace alone
const OneArgument kOfOneNumber[] = {
#define OF_ONE(function, how) {#function, math::lanes::function, [](double x) { return alone::function(x); }},
#define OF_TWO(function, how)
#include "polhode/math/lanes.def"
#undef OF_ONE
#undef OF_TWO
};
const TwoArguments kOfTwoNumbers[] = {
#define OF_ONE(function, how)
#define OF_TWO(function, how) \
  {#function, math::lanes::function, [](double x, double y) { return alone::function(x, y); }},
#include "polhode/math/lanes.def"
#undef OF_ONE
#undef OF_TWO
};

/// All bits; one NaN is as good as another.
bool same_lane(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

/// Zeros, ones, edges of domains and of ways of computing, multiples of π/2, whole and half numbers, the smallest and
/// the largest, infinities, NaN; each with its neighbours and both signs.
std::vector<double> special_lane_numbers() {
  using Limits = std::numeric_limits<double>;
  std::vector<double> all{Limits::quiet_NaN(), Limits::infinity()};
  for (const double x : {0.0,
                         0.25,
                         0.5,
                         1.0,
                         1.5,
                         2.0,
                         3.0,
                         20.0,
                         40.0,
                         45.55,
                         709.78,
                         711.0,
                         745.2,
                         746.0,
                         0x1.62e42fefa39efp-2,
                         0x1p-28,
                         0x1p-30,
                         0x1p-600,
                         0x1p-900,
                         0x1p-960,
                         0x1p-1022,
                         0x1p510,
                         0x1p52,
                         0x1p53,
                         0x1p60,
                         0x1p66,
                         0x1p960,
                         1e300,
                         math::portable::kModerateAngle,
                         1.5707963267948966,
                         3.141592653589793,
                         1e22,
                         0x1.6ac5b262ca1ffp849,
                         Limits::denorm_min(),
                         Limits::max()}) {
    for (const double y : {std::nextafter(x, 0), x, std::nextafter(x, Limits::infinity())}) { all.push_back(y); }
  }
  const std::size_t positive = all.size();
  for (std::size_t i = 0; i < positive; ++i) { all.push_back(-all[i]); }
  return all;
}

std::vector<double> random_lane_numbers(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> all;
  all.reserve(count);
  std::uniform_real_distribution<double> near(-3, 3);
  std::uniform_real_distribution<double> far(-800, 800);
  for (std::size_t i = 0; i < count; ++i) {
    all.push_back(i % 3 == 0 ? near(random) : i % 3 == 1 ? far(random) : std::bit_cast<double>(random()));
  }
  return all;
}

/// Numbers of pieces of all lengths up to four widths and one more: whole vectors, what is left over, and a stray lane.
template <class Check>
void in_pieces(std::size_t count, const Check& check) {
  std::size_t length = 1;
  for (std::size_t first = 0; first < count; first += length, length = length % 33 + 1) {
    check(first, std::min(length, count - first));
  }
}

}  // namespace

TEST_CASE("elementary functions of many numbers at once have the bits of each alone, for every width there is") {
  const std::string widest(math::lanes::instructions());
  std::vector<double> numbers = special_lane_numbers();
  const std::vector<double> more = random_lane_numbers(30000, 5);
  numbers.insert(numbers.end(), more.begin(), more.end());
  std::vector<double> found(numbers.size());
  int widths = 0;
  for (const char* width : {"plain", "avx2", "avx512"}) {
    if (!math::lanes::take_instructions(width)) { continue; }
    CAPTURE(width);
    CHECK(math::lanes::instructions() == width);
    ++widths;
    for (const OneArgument& function : kOfOneNumber) {
      CAPTURE(function.name);
      in_pieces(numbers.size(), [&](std::size_t first, std::size_t length) {
        function.many(numbers.data() + first, found.data() + first, length);
      });
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (same_lane(found[i], function.one(numbers[i]))) { continue; }
        if (wrong++ == 0) {
          CAPTURE(numbers[i]);
          CAPTURE(found[i]);
          CHECK(found[i] == function.one(numbers[i]));
        }
      }
      CHECK(wrong == 0);
    }
    // every special number with every other, then chance; whole exponents too
    std::vector<double> x;
    std::vector<double> y;
    for (const double a : special_lane_numbers()) {
      for (const double b : special_lane_numbers()) {
        x.push_back(a);
        y.push_back(b);
      }
    }
    for (std::size_t i = 0; i + 1 < more.size(); ++i) {
      x.push_back(more[i]);
      y.push_back(i % 2 == 0 ? more[i + 1] : std::floor(more[i + 1]));
    }
    std::vector<double> of_both(x.size());
    for (const TwoArguments& function : kOfTwoNumbers) {
      CAPTURE(function.name);
      in_pieces(x.size(), [&](std::size_t first, std::size_t length) {
        function.many(x.data() + first, y.data() + first, of_both.data() + first, length);
      });
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        if (same_lane(of_both[i], function.one(x[i], y[i]))) { continue; }
        if (wrong++ == 0) {
          CAPTURE(x[i]);
          CAPTURE(y[i]);
          CAPTURE(of_both[i]);
          CHECK(of_both[i] == function.one(x[i], y[i]));
        }
      }
      CHECK(wrong == 0);
    }
  }
  CHECK(widths >= 1);
  CHECK_FALSE(math::lanes::take_instructions("eight at once"));
  CHECK(math::lanes::take_instructions(widest));
}

TEST_CASE("some of many numbers are taken and put back where they were, for every width there is") {
  const std::string widest(math::lanes::instructions());
  std::mt19937_64 random(23);
  for (const char* width : {"plain", "avx2", "avx512"}) {
    if (!math::lanes::take_instructions(width)) { continue; }
    CAPTURE(width);
    for (std::size_t count = 1; count <= 64; ++count) {
      std::vector<double> truth(count);
      std::vector<double> from(count);
      std::vector<double> expected;
      std::uint64_t bits = 0;
      for (std::size_t i = 0; i < count; ++i) {
        truth[i] = random() % 2 == 0 ? 1 : 0;
        from[i] = static_cast<double>(i) + 0.5;
        if (truth[i] == 0) { continue; }
        bits |= std::uint64_t{1} << i;
        expected.push_back(from[i]);
      }
      CHECK(math::lanes::truths(truth.data(), count) == bits);
      if (expected.empty()) { continue; }
      const std::size_t room = (expected.size() + 7) / 8 * 8;
      const std::size_t some = expected.size();
      expected.resize(room, expected[0]);
      expected.push_back(-1);  // what is behind stays
      std::vector<double> taken(room + 1, -1);
      math::lanes::take(bits, from.data(), count, taken.data(), room);
      CHECK(taken == expected);
      for (std::size_t i = 0; i < some; ++i) { taken[i] = -taken[i]; }
      std::vector<double> back(count + 1, 7);
      math::lanes::put(bits, taken.data(), back.data(), count);
      for (std::size_t i = 0; i < count; ++i) { REQUIRE(back[i] == (truth[i] != 0 ? -from[i] : 7)); }
      CHECK(back[count] == 7);
    }
  }
  CHECK(math::lanes::take_instructions(widest));
}

TEST_CASE("lanes that a quick way is not for do not spoil their neighbours, nor the other way round") {
  Pack<32> x;
  for (std::size_t i = 0; i < 32; ++i) { x[i] = 0.1 * static_cast<double>(i); }
  const Pack<32> plain = sin(x);
  for (std::size_t bad = 0; bad < 32; ++bad) {
    Pack<32> with_one = x;
    with_one[bad] = bad % 2 == 0 ? 1e22 : std::numeric_limits<double>::quiet_NaN();
    const Pack<32> found = sin(with_one);
    for (std::size_t i = 0; i < 32; ++i) { CHECK(same_lane(found[i], i == bad ? math::sin(with_one[bad]) : plain[i])); }
  }
}
