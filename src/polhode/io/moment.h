#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace polhode::io {

/// A moment on a calendar, kept as decimals: a time of a run added to it and taken off again is the same number.
struct Moment {
  std::int64_t seconds = 0;  ///< since 1970-01-01T00:00:00 of its time system, leap seconds counted
  std::int64_t pico = 0;     ///< 0 to 10^12 - 1, units of 10^-12 s
  std::int64_t yocto = 0;    ///< 0 to 10^12 - 1, units of 10^-24 s

  bool operator==(const Moment&) const = default;
};

/// A calendar: days of 86400 s (TAI, TT, GPS, ...), or UTC with the leap seconds from 1972 to 2017. There has been none
/// since; one that will come is not known here.
enum class Calendar { uniform, utc };

/// "2026-01-31T12:00:00", or with the day of the year, "2026-031T12:00:00"; any fraction of a second, of which 24
/// digits count, and a Z at the end are allowed. Nothing where there is no such moment.
std::optional<Moment> read_moment(std::string_view text, Calendar calendar);

/// "2026-01-31T12:00:00.5": as many decimals as it takes. Fails after the year 9999.
std::string to_text(const Moment& moment, Calendar calendar);

/// The decimals of t are those of the shortest form that reads back to the same bits.
Moment later(const Moment& moment, double t);
/// Seconds from `start` to `moment`: later(start, t) is t later than start, to the bit where 24 decimals hold t.
double seconds_between(const Moment& start, const Moment& moment);

}  // namespace polhode::io
