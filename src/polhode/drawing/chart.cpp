#include "polhode/drawing/chart.h"

#include "polhode/drawing/svg.h"
#include "polhode/math/elementary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>

namespace polhode::drawing {
namespace {

using svg::number;

// lengths on paper
constexpr double kPanelWidth = 360;
constexpr double kPanelHeight = 250;
constexpr double kLeft = 74;  // of a panel: room for numbers and label
constexpr double kAbove = 34;
constexpr double kBelow = 50;
constexpr double kGap = 18;
constexpr double kTitle = 62;
constexpr double kLegendLine = 17;
constexpr double kLegendWidth = 210;

// Okabe and Ito's colours, without the yellow that is too pale for lines, and two greys
constexpr std::array<std::string_view, 8> kColours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                   "#e69f00", "#56b4e9", "#222222", "#8a8a8a"};
constexpr std::array<std::string_view, 4> kDashes{"", "7 3", "2 3", "9 3 2 3"};

double log10(double x) { return math::log(x) / math::log(10.0); }

std::string stroke(int style) {
  const auto n = static_cast<std::size_t>(std::max(style, 0));
  const std::string_view dashes = kDashes[n / kColours.size() % kDashes.size()];
  return fmt::format("fill=\"none\" stroke=\"{}\" stroke-width=\"2\"{}", kColours[n % kColours.size()],
                     dashes.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", dashes));
}

std::string text(double x, double y, double size, std::string_view anchor, std::string_view content) {
  return fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"{}\">{}</text>\n", number(x), number(y),
                     number(size), anchor, svg::with_subscripts(content, size));
}

/// A logarithmic axis from `low` to `high` on paper from `from` to `to`.
struct Axis {
  double low;
  double high;
  double from;
  double to;

  double at(double value) const {
    const double part = math::log(value / low) / math::log(high / low);
    return from + std::clamp(part, 0.0, 1.0) * (to - from);
  }
  /// Powers of ten inside, every `stride`-th.
  std::vector<int> powers(int stride) const {
    std::vector<int> list;
    const auto first = static_cast<int>(std::ceil(log10(low) - 1e-9));
    const auto last = static_cast<int>(std::floor(log10(high) + 1e-9));
    for (int n = first; n <= last; ++n) {
      if (n % stride == 0) { list.push_back(n); }
    }
    return list;
  }
};

bool is_drawn(const std::pair<double, double>& p) {
  return std::isfinite(p.first) && p.first > 0 && !std::isnan(p.second) && p.second > 0;
}

std::string power_of_ten(int n) {
  if (n >= -2 && n <= 2) { return svg::readable(math::pow(10.0, static_cast<double>(n)), 2); }
  return fmt::format("10<tspan dy=\"-5\" font-size=\"9\">{}</tspan>", svg::readable(n, 0));
}

std::string panel_svg(const ChartPanel& panel, double left, double top) {
  double x_low = 1e300;
  double x_high = 0;
  for (const ChartLine& line : panel.lines) {
    for (const auto& p : line.points) {
      if (!is_drawn(p)) { continue; }
      x_low = std::min(x_low, p.first);
      x_high = std::max(x_high, p.first);
    }
  }
  if (!(x_low < x_high)) {  // nothing, or one point: a decade around it
    const double middle = x_high > 0 ? x_high : 1;
    x_low = middle / 3;
    x_high = middle * 3;
  }
  const double right = left + kPanelWidth;
  const double bottom = top + kPanelHeight;
  const Axis x{x_low, x_high, left, right};
  const Axis y{panel.y_low, panel.y_high, bottom, top};

  std::string s = text((left + right) / 2, top - 10, 14, "middle", panel.title);
  s += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#ffffff\" stroke=\"#888888\"/>\n",
                   number(left), number(top), number(kPanelWidth), number(kPanelHeight));
  const double decades = log10(panel.y_high / panel.y_low);
  for (const int n : y.powers(decades > 8 ? 2 : 1)) {
    const double at = y.at(math::pow(10.0, static_cast<double>(n)));
    s += fmt::format("<path d=\"M{} {}H{}\" stroke=\"#dddddd\"/>\n", number(left), number(at), number(right));
    s += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"12\" text-anchor=\"end\">{}</text>\n", number(left - 6),
                     number(at + 4), power_of_ten(n));
  }
  const auto first = static_cast<int>(std::floor(log10(x_low)));
  for (int n = first; math::pow(10.0, static_cast<double>(n)) <= x_high; ++n) {
    for (const int digit : {1, 2, 5}) {
      const double value = digit * math::pow(10.0, static_cast<double>(n));
      if (value < x_low * (1 - 1e-9) || value > x_high * (1 + 1e-9)) { continue; }
      const double at = x.at(value);
      s += fmt::format("<path d=\"M{} {}V{}\" stroke=\"#dddddd\"/>\n", number(at), number(top), number(bottom));
      s += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"12\" text-anchor=\"middle\">{}</text>\n", number(at),
                       number(bottom + 17), svg::readable(value, 4));
    }
  }
  s += text((left + right) / 2, bottom + 38, 13, "middle", panel.x_label);
  s += fmt::format(
      "<text transform=\"translate({} {}) rotate(-90)\" font-size=\"13\" text-anchor=\"middle\">{}</text>\n",
      number(left - 54), number((top + bottom) / 2), svg::escape(panel.y_label));
  for (const ChartLine& line : panel.lines) {
    std::string path;
    bool pen_down = false;
    for (const auto& p : line.points) {
      if (!is_drawn(p)) {
        pen_down = false;
        continue;
      }
      const double height = std::isinf(p.second) ? panel.y_high : p.second;
      path += fmt::format("{}{} {}", pen_down ? 'L' : 'M', number(x.at(p.first)), number(y.at(height)));
      pen_down = true;
    }
    if (!path.empty()) { s += fmt::format("<path d=\"{}\" {}/>\n", path, stroke(line.style)); }
  }
  return s;
}

}  // namespace

std::string draw(const Chart& chart) {
  const std::size_t columns = std::min<std::size_t>(chart.panels.size(), 2);
  const std::size_t rows = (chart.panels.size() + 1) / 2;
  const double cell_width = kLeft + kPanelWidth + kGap;
  const double cell_height = kAbove + kPanelHeight + kBelow;

  std::vector<std::pair<std::string, int>> legend;
  std::set<std::pair<std::string, int>> seen;
  for (const ChartPanel& panel : chart.panels) {
    for (const ChartLine& line : panel.lines) {
      if (seen.insert({line.name, line.style}).second) { legend.emplace_back(line.name, line.style); }
    }
  }
  const double legend_left = static_cast<double>(columns) * cell_width + 12;
  const double width = legend_left + kLegendWidth;
  const double height = kTitle + std::max(static_cast<double>(rows) * cell_height,
                                          kAbove + kLegendLine * static_cast<double>(legend.size()) + 10);
  std::string s = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\" fill=\"#222222\">\n<title>{2}</title>\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
      number(width), number(height), svg::escape(chart.title));
  s += text(16, 28, 18, "start", chart.title);
  s += text(16, 50, 13, "start", chart.note);
  for (std::size_t n = 0; n < chart.panels.size(); ++n) {
    s += panel_svg(chart.panels[n], kLeft + static_cast<double>(n % 2) * cell_width,
                   kTitle + kAbove + static_cast<double>(n / 2) * cell_height);
  }
  double at = kTitle + kAbove + 8;
  for (const auto& [name, style] : legend) {
    s += fmt::format("<path d=\"M{} {}h34\" {}/>\n", number(legend_left), number(at), stroke(style));
    s += text(legend_left + 42, at + 4, 12.5, "start", name);
    at += kLegendLine;
  }
  return s + "</svg>\n";
}

}  // namespace polhode::drawing
