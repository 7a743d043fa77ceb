#include "polhode/io/moment.h"

#include "polhode/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>

namespace polhode::io {
namespace {

constexpr std::int64_t kPart = 1'000'000'000'000;
constexpr std::int64_t kDay = 86400;
constexpr std::size_t kDigits = 12;  // of each part

std::int64_t day_number(int year, unsigned month, unsigned day) {
  using namespace std::chrono;
  return sys_days{std::chrono::year{year} / std::chrono::month{month} / std::chrono::day{day}}
      .time_since_epoch()
      .count();
}

/// The days that begin after a leap second: IERS Bulletin C.
const std::array<std::int64_t, 27>& days_after_leap_seconds() {
  static const std::array<std::int64_t, 27> kDays{
      day_number(1972, 7, 1), day_number(1973, 1, 1), day_number(1974, 1, 1), day_number(1975, 1, 1),
      day_number(1976, 1, 1), day_number(1977, 1, 1), day_number(1978, 1, 1), day_number(1979, 1, 1),
      day_number(1980, 1, 1), day_number(1981, 7, 1), day_number(1982, 7, 1), day_number(1983, 7, 1),
      day_number(1985, 7, 1), day_number(1988, 1, 1), day_number(1990, 1, 1), day_number(1991, 1, 1),
      day_number(1992, 7, 1), day_number(1993, 7, 1), day_number(1994, 7, 1), day_number(1996, 1, 1),
      day_number(1997, 7, 1), day_number(1999, 1, 1), day_number(2006, 1, 1), day_number(2009, 1, 1),
      day_number(2012, 7, 1), day_number(2015, 7, 1), day_number(2017, 1, 1)};
  return kDays;
}

/// Seconds from the origin to the start of a day.
std::int64_t start_of(std::int64_t day, Calendar calendar) {
  if (calendar == Calendar::uniform) { return day * kDay; }
  const auto& leaps = days_after_leap_seconds();
  return day * kDay + (std::upper_bound(leaps.begin(), leaps.end(), day) - leaps.begin());
}

/// Takes `count` digits off the front.
std::optional<int> take_digits(std::string_view& text, std::size_t count) {
  int value = 0;
  if (text.size() < count) { return {}; }
  for (std::size_t i = 0; i < count; ++i) {
    if (text[i] < '0' || text[i] > '9') { return {}; }
    value = 10 * value + (text[i] - '0');
  }
  text.remove_prefix(count);
  return value;
}
bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) { return false; }
  text.remove_prefix(1);
  return true;
}

/// Digits behind the point, those past 24 dropped.
void set_fraction(Moment& moment, std::string_view digits) {
  std::int64_t* const parts[] = {&moment.pico, &moment.yocto};
  for (std::size_t part = 0; part < 2; ++part) {
    std::int64_t value = 0;
    for (std::size_t i = part * kDigits; i < (part + 1) * kDigits; ++i) {
      value = 10 * value + (i < digits.size() ? digits[i] - '0' : 0);
    }
    *parts[part] = value;
  }
}

/// Both parts of the fraction back to their range.
Moment carried(Moment m) {
  const auto carry = [](std::int64_t& part, std::int64_t& next) {
    const std::int64_t over = part < 0 ? -1 : part >= kPart ? 1 : 0;
    part -= over * kPart;
    next += over;
  };
  carry(m.yocto, m.pico);
  carry(m.pico, m.seconds);
  return m;
}

/// ".5", or "" for none.
std::string fraction_text(const Moment& moment) {
  std::string text = fmt::format(".{:012d}{:012d}", moment.pico, moment.yocto);
  text.erase(text.find_last_not_of('0') + 1);
  return text == "." ? "" : text;
}

}  // namespace

std::optional<Moment> read_moment(std::string_view text, Calendar calendar) {
  const std::optional<int> year = take_digits(text, 4);
  if (!year || !take(text, '-')) { return {}; }
  std::int64_t day = 0;
  if (text.find('T') == 3) {
    const std::optional<int> of_year = take_digits(text, 3);
    const bool leap = std::chrono::year{*year}.is_leap();
    if (!of_year || *of_year < 1 || *of_year > (leap ? 366 : 365)) { return {}; }
    day = day_number(*year, 1, 1) + *of_year - 1;
  } else {
    const std::optional<int> month = take_digits(text, 2);
    if (!month || !take(text, '-')) { return {}; }
    const std::optional<int> of_month = take_digits(text, 2);
    if (!of_month) { return {}; }
    const std::chrono::year_month_day date{std::chrono::year{*year}, std::chrono::month{static_cast<unsigned>(*month)},
                                           std::chrono::day{static_cast<unsigned>(*of_month)}};
    if (!date.ok()) { return {}; }
    day = day_number(*year, static_cast<unsigned>(*month), static_cast<unsigned>(*of_month));
  }
  if (!take(text, 'T')) { return {}; }
  const std::optional<int> hour = take_digits(text, 2);
  if (!hour || *hour > 23 || !take(text, ':')) { return {}; }
  const std::optional<int> minute = take_digits(text, 2);
  if (!minute || *minute > 59 || !take(text, ':')) { return {}; }
  const std::optional<int> second = take_digits(text, 2);
  if (!second || *second > 60) { return {}; }
  Moment moment;
  moment.seconds = start_of(day, calendar) + std::int64_t{3600} * *hour + std::int64_t{60} * *minute + *second;
  // a 61st second is one only where the next day begins after it
  if (*second == 60 && (*hour != 23 || *minute != 59 || moment.seconds >= start_of(day + 1, calendar))) { return {}; }
  if (take(text, '.')) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
    set_fraction(moment, text.substr(0, end));
    text.remove_prefix(end);
  }
  take(text, 'Z');
  if (!text.empty()) { return {}; }
  return moment;
}

std::string to_text(const Moment& moment, Calendar calendar) {
  std::int64_t day = moment.seconds / kDay - (moment.seconds % kDay < 0 ? 1 : 0);
  while (start_of(day, calendar) > moment.seconds) { --day; }
  while (start_of(day + 1, calendar) <= moment.seconds) { ++day; }
  const std::int64_t of_day = moment.seconds - start_of(day, calendar);
  const bool leap = of_day == kDay;  // 23:59:60
  const std::int64_t minutes = leap ? kDay / 60 - 1 : of_day / 60;
  const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{day}}};
  const int year = static_cast<int>(date.year());
  if (year < 0 || year > 9999) { fail(Error(fmt::format("the year {} cannot be written in four digits", year))); }
  return fmt::format("{:04d}-{:02d}-{:02d}T{:02d}:{:02d}:{:02d}{}", year, static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()), minutes / 60, minutes % 60, of_day - 60 * minutes,
                     fraction_text(moment));
}

Moment later(const Moment& moment, double t) {
  constexpr double kLongest = 1e15;  // 3e7 years; longer ones, and what is no number, are a mistake
  if (!(t > -kLongest && t < kLongest)) { fail(Error(fmt::format("{} s cannot be added to a date", t))); }
  char buffer[512];  // the smallest number has 324 decimals and 17 digits
  std::string_view text(
      buffer, static_cast<std::size_t>(std::to_chars(buffer, buffer + sizeof buffer, t, std::chars_format::fixed).ptr -
                                       buffer));
  const bool minus = take(text, '-');
  const std::size_t point = std::min(text.find('.'), text.size());
  Moment step;
  std::from_chars(text.data(), text.data() + point, step.seconds);
  if (point < text.size()) { set_fraction(step, text.substr(point + 1)); }
  const std::int64_t sign = minus ? -1 : 1;
  return carried(
      {moment.seconds + sign * step.seconds, moment.pico + sign * step.pico, moment.yocto + sign * step.yocto});
}

double seconds_between(const Moment& start, const Moment& moment) {
  Moment step = carried({moment.seconds - start.seconds, moment.pico - start.pico, moment.yocto - start.yocto});
  const bool minus = step.seconds < 0;
  if (minus) { step = carried({-step.seconds, -step.pico, -step.yocto}); }
  const std::string text = fmt::format("{}{}", step.seconds, fraction_text(step));
  double t = 0;
  std::from_chars(text.data(), text.data() + text.size(), t);
  return minus ? -t : t;
}

}  // namespace polhode::io
