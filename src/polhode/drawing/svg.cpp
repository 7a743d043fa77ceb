#include "polhode/drawing/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace polhode::drawing::svg {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// Length of the valid UTF-8 character that starts at text[i] and that XML may hold; 0 if there is none.
std::size_t character_length(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t n) -> unsigned {
    return n < text.size() ? static_cast<unsigned char>(text[n]) : 0;
  };
  const unsigned first = byte(i);
  if (first < 0x80) { return first >= 0x20 || first == '\t' || first == '\n' || first == '\r' ? 1 : 0; }
  const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  unsigned code = first & (size == 4 ? 0x07U : size == 3 ? 0x0FU : 0x1FU);
  for (std::size_t n = 1; n < size; ++n) {
    if ((byte(i + n) & 0xC0U) != 0x80) { return 0; }
    code = (code << 6U) | (byte(i + n) & 0x3FU);
  }
  const unsigned least = size == 4 ? 0x10000 : size == 3 ? 0x800 : 0x80;
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (first < 0xC2 || first > 0xF4 || code < least || code > 0x10FFFF || surrogate) { return 0; }
  return code == 0xFFFE || code == 0xFFFF ? 0 : size;
}

/// One stretch of text, on the line or lowered.
struct Run {
  std::string text;
  bool lowered = false;
};

std::vector<Run> runs_of(std::string_view text) {
  std::vector<Run> runs{{}};
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] != '_' || i + 1 == text.size()) {
      runs.back().text += text[i++];
      continue;
    }
    std::string lowered;
    if (text[i + 1] == '{') {
      const std::size_t close = std::min(text.find('}', i), text.size());
      lowered = text.substr(i + 2, close - i - 2);
      i = std::min(close + 1, text.size());
    } else {
      const std::size_t size = std::max<std::size_t>(character_length(text, i + 1), 1);
      lowered = text.substr(i + 1, size);
      i += 1 + size;
    }
    runs.push_back({lowered, true});
    runs.push_back({});
  }
  std::erase_if(runs, [](const Run& run) { return run.text.empty(); });
  return runs;
}

constexpr double kSubscriptSize = 0.72;
constexpr double kSubscriptDrop = 0.28;

/// Width of the characters in units of the font size.
double width_in_ems(std::string_view text) {
  double width = 0;
  for (std::size_t i = 0; i < text.size(); i += std::max<std::size_t>(character_length(text, i), 1)) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool combining = c == 0xCC || c == 0xCD;  // U+0300 to U+037F: the dot of a rate
    const bool narrow = c == ' ' || c == '.' || c == ',' || c == '\'' || c == 'l' || c == 'i' || c == '(' || c == ')';
    width += combining ? 0 : narrow ? 0.34 : 0.62;
  }
  return width;
}

}  // namespace

std::string escape(std::string_view text) {
  std::string safe;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t size = character_length(text, i);
    const char c = text[i];
    if (size == 0) {
      safe += kReplacement;
    } else if (c == '&') {
      safe += "&amp;";
    } else if (c == '<') {
      safe += "&lt;";
    } else if (c == '>') {
      safe += "&gt;";
    } else if (c == '"') {
      safe += "&quot;";
    } else {
      safe += text.substr(i, size);
    }
    i += std::max<std::size_t>(size, 1);
  }
  return safe;
}

std::string number(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') { text.pop_back(); }
  return text == "-0" ? "0" : text;
}

std::string point(Point p) { return number(p.x) + ' ' + number(p.y); }

std::string shade(std::string_view colour, double factor) {
  std::string shaded = "#";
  for (std::size_t i = 1; i < 7; i += 2) {
    const auto digit = [&](std::size_t n) {
      const char c = colour[n];
      return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
    };
    const double level = digit(i) * 16 + digit(i + 1);
    const double made = factor <= 1 ? level * factor : 255 - (255 - level) * (2 - factor);
    shaded += fmt::format("{:02x}", std::lround(std::clamp(made, 0.0, 255.0)));
  }
  return shaded;
}

std::string readable(double value, int decimals) {
  const double size = std::fabs(value);
  std::string text = size >= 1e6 ? fmt::format("{:.4g}", size) : fmt::format("{:.{}f}", size, decimals);
  if (text.find('.') != std::string::npos && text.find('e') == std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') { text.pop_back(); }
  }
  return value < 0 && text != "0" ? "\u2212" + text : text;
}

std::string stated(double value, int decimals) {
  const double size = std::fabs(value);
  if (size == 0 || size >= std::pow(10, 1 - decimals)) { return readable(value, decimals); }
  return (value < 0 ? "\u2212" : "") + fmt::format("{:.3g}", size);
}

std::string degrees(double angle) { return stated(angle / kDegree, 2) + "°"; }

std::string with_subscripts(std::string_view text, double font_size) {
  std::string content;
  double lowered_by = 0;
  for (const Run& run : runs_of(text)) {
    const double wanted = run.lowered ? kSubscriptDrop * font_size : 0;
    if (wanted == lowered_by && !run.lowered) {
      content += escape(run.text);
      continue;
    }
    // a blank at the start of a tspan is dropped by some programs: it becomes a shift
    const bool blank = run.text.starts_with(' ');
    content += fmt::format("<tspan dy=\"{}\"{}{}>{}</tspan>", number(wanted - lowered_by),
                           blank ? " dx=\"" + number(0.3 * font_size) + '"' : "",
                           run.lowered ? " font-size=\"" + number(kSubscriptSize * font_size) + '"' : "",
                           escape(std::string_view(run.text).substr(blank ? 1 : 0)));
    lowered_by = wanted;
  }
  return content;
}

double text_width(std::string_view text, double font_size) {
  double width = 0;
  for (const Run& run : runs_of(text)) {
    width += width_in_ems(run.text) * font_size * (run.lowered ? kSubscriptSize : 1);
  }
  return width;
}

}  // namespace polhode::drawing::svg
