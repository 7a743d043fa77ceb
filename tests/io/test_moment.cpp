// Moments on a calendar: decimals are kept, leap seconds are counted, what is no moment is refused.
#include "polhode/core/error.h"
#include "polhode/io/moment.h"

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <random>

using namespace polhode;
using io::Calendar;
using io::Moment;

namespace {

Moment moment(const char* text, Calendar calendar = Calendar::utc) {
  const std::optional<Moment> found = io::read_moment(text, calendar);
  REQUIRE(found.has_value());
  return *found;
}

}  // namespace

TEST_CASE("a moment comes back as it was written, without zeros at its end") {
  for (const char* text :
       {"1970-01-01T00:00:00", "2026-01-31T12:00:00.5", "1969-12-31T23:59:59.999999999999999999999999",
        "2000-02-29T00:00:00.000000000001", "2016-12-31T23:59:60.25", "9999-12-31T23:59:59"}) {
    CHECK(io::to_text(moment(text), Calendar::utc) == text);
  }
  CHECK(moment("1970-01-01T00:00:00").seconds == 0);
  CHECK(moment("2026-031T12:00:00.50Z") == moment("2026-01-31T12:00:00.5"));
  CHECK(moment("2024-366T00:00:00") == moment("2024-12-31T00:00:00"));
}

TEST_CASE("a leap second lies between 2016 and 2017, and in UTC only") {
  const Moment before = moment("2016-12-31T23:59:59.5");
  CHECK(io::to_text(io::later(before, 1), Calendar::utc) == "2016-12-31T23:59:60.5");
  CHECK(io::to_text(io::later(before, 2), Calendar::utc) == "2017-01-01T00:00:00.5");
  CHECK(io::seconds_between(before, moment("2017-01-01T00:00:00.5")) == 2);
  const Moment uniform = moment("2016-12-31T23:59:59.5", Calendar::uniform);
  CHECK(io::to_text(io::later(uniform, 1), Calendar::uniform) == "2017-01-01T00:00:00.5");
  CHECK_FALSE(io::read_moment("2016-12-31T23:59:60", Calendar::uniform).has_value());
  // 27 of them since 1972: GPS time, which has none, was 19 s behind TAI at its start in 1980 and TAI is 37 s ahead now
  CHECK(moment("2026-01-01T00:00:00").seconds - moment("2026-01-01T00:00:00", Calendar::uniform).seconds == 27);
  CHECK(moment("1972-01-01T00:00:00") == moment("1972-01-01T00:00:00", Calendar::uniform));
}

TEST_CASE("a time added to a moment and taken off again has the same bits") {
  std::mt19937_64 random(5);
  const Moment start = moment("2026-01-31T12:00:00.7");
  int exact = 0;
  for (int n = 0; n < 20000; ++n) {
    const double t = static_cast<double>(random() % 1000000007U) * (n % 2 == 0 ? 1e-3 : 0.02 / 3);
    const double back = io::seconds_between(start, io::later(start, t));
    exact += std::bit_cast<std::uint64_t>(back) == std::bit_cast<std::uint64_t>(t) ? 1 : 0;
    const Moment read = *io::read_moment(io::to_text(io::later(start, t), Calendar::utc), Calendar::utc);
    CHECK(io::seconds_between(start, read) == t);
  }
  CHECK(exact == 20000);
  CHECK(io::seconds_between(start, io::later(start, -0.3)) == -0.3);
  CHECK(io::seconds_between(start, io::later(start, 1e-300)) == 0);  // below 1e-24 s nothing is left
  // a sum in doubles, the wrong twin, loses what the decimals keep
  CHECK((0.7 + 0.1) - 0.7 != 0.1);
  CHECK_THROWS_AS(io::later(start, 1e300), Error);
  CHECK_THROWS_AS(io::to_text(io::later(start, 9e14), Calendar::utc), Error);
}

TEST_CASE("what is no moment is not read as one") {
  for (const char* text : {"",
                           "yesterday",
                           "2026-01-31",
                           "2026-01-31 12:00:00",
                           "2026-02-29T00:00:00",
                           "2026-13-01T00:00:00",
                           "2026-00-01T00:00:00",
                           "2026-01-31T24:00:00",
                           "2026-01-31T12:60:00",
                           "2026-01-31T12:00:60",
                           "2026-06-30T23:59:60",
                           "2026-366T00:00:00",
                           "2026-000T00:00:00",
                           "2026-01-31T12:00:00x",
                           "2026-01-31T12:00",
                           "2026-01-31T12:00:00.5.5",
                           "26-01-31T12:00:00",
                           "2026-1-31T12:00:00",
                           "2026-01-31T12:00:0",
                           "-026-01-31T12:00:00"}) {
    CAPTURE(text);
    CHECK_FALSE(io::read_moment(text, Calendar::utc).has_value());
  }
}
