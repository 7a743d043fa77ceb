#include "numbers.h"

#include "polhode/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace polhode::app {
namespace {

std::string_view without_blanks(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

}  // namespace

std::vector<double> parse_list(const char* option, const std::string& text, std::size_t count) {
  std::vector<double> values;
  const auto wrong = [&](const std::string& what) {
    fail(Error(Problem{.what = fmt::format("{} {}: {}", option, text, what),
                       .allowed = count == 1 ? std::string("wanted: 1 finite number")
                                             : fmt::format("wanted: {} finite numbers with commas between", count),
                       .cure = {}}));
  };
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view word = without_blanks(std::string_view(text).substr(begin, end - begin));
    if (word.empty()) { wrong("an empty entry"); }
    const bool plus = word.size() > 1 && word[0] == '+' && word[1] != '-';
    double value = 0;
    const char* const word_end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data() + (plus ? 1 : 0), word_end, value);
    if (error == std::errc::result_out_of_range) { wrong(fmt::format("'{}' is beyond the range of numbers", word)); }
    if (error != std::errc{} || stop != word_end) { wrong(fmt::format("'{}' is not a number", word)); }
    if (!std::isfinite(value)) { wrong(fmt::format("'{}' is not finite", word)); }
    values.push_back(value);
    begin = end + 1;
  }
  if (values.size() != count) { wrong(fmt::format("{} number{}", values.size(), values.size() == 1 ? "" : "s")); }
  return values;
}

Vec3<double> parse_vector(const char* option, const std::string& text) {
  const std::vector<double> values = parse_list(option, text, 3);
  return {values[0], values[1], values[2]};
}

}  // namespace polhode::app
