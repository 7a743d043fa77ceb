#include "polhode/drawing/chart.h"

#include "polhode/drawing/svg.h"
#include "polhode/math/elementary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

namespace polhode::drawing {
namespace {

using svg::number;
using Points = std::vector<std::pair<double, double>>;

// lengths on paper
constexpr double kLeft = 74;  // of a panel: room for numbers and label
constexpr double kAbove = 34;
constexpr double kBelow = 50;
constexpr double kGap = 18;
constexpr double kTitle = 34;
constexpr double kNote = 22;
constexpr double kLegendLine = 18;
constexpr double kLegendWidth = 210;
constexpr double kChartMargin = 16;
constexpr double kSwatch = 34;
constexpr double kSmall = 12;
constexpr double kMedium = 13;

// Okabe and Ito's colours without the yellow that is too pale for lines, a purple and a grey. Black is for peers.
constexpr std::array<std::string_view, 8> kColours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                   "#e69f00", "#56b4e9", "#7a5195", "#8a8a8a"};
constexpr std::array<std::string_view, 4> kDashes{"", "7 3", "2 3", "9 3 2 3"};

constexpr std::string_view kStyle = R"(.chart{fill:currentColor}
.chart .paper{fill:none}
.chart .frame{fill:none;stroke:currentColor;stroke-opacity:.45}
.chart .grid{stroke:currentColor;stroke-opacity:.13}
.chart .moment{stroke:currentColor;stroke-opacity:.5}
.chart .peer{stroke:currentColor}
.chart .hollow{fill:none;stroke:currentColor}
@media (prefers-color-scheme:dark){
.chart .c0{stroke:#4aa8e8}
.chart .c1{stroke:#f58a3c}
.chart .c2{stroke:#2fc79a}
.chart .c3{stroke:#e6a2c8}
.chart .c4{stroke:#f0b83c}
.chart .c5{stroke:#8fd0f5}
.chart .c6{stroke:#b394d0}
.chart .c7{stroke:#a5a5a5}
}
)";

double log10(double x) { return math::log(x) / math::log(10.0); }
double power_of_ten(int n) { return math::pow(10.0, static_cast<double>(n)); }

/// Between blue and orange by way of violet and rose, all equally far from white and from black: an order can be seen
/// on either paper.
std::string shade_colour(double shade) {
  constexpr std::array<std::array<double, 3>, 5> kStops{
      {{31, 111, 196}, {110, 108, 184}, {168, 102, 156}, {206, 98, 110}, {222, 122, 42}}};
  const double at = std::clamp(shade, 0.0, 1.0) * (kStops.size() - 1);
  const auto stop = std::min(static_cast<std::size_t>(at), kStops.size() - 2);
  const double part = at - static_cast<double>(stop);
  std::string colour = "#";
  for (std::size_t k = 0; k < 3; ++k) {
    colour += fmt::format("{:02x}", std::lround(kStops[stop][k] + part * (kStops[stop + 1][k] - kStops[stop][k])));
  }
  return colour;
}

/// How a line looks: by its style, the same in every panel and in the legend.
struct Look {
  std::string stroke;
  std::string fill;
  std::size_t mark = 0;
};
Look look_of(const ChartLine& line) {
  const auto n = static_cast<std::size_t>(std::max(line.style, 0));
  if (line.peer) {
    return {"fill=\"none\" class=\"peer\" stroke=\"#111111\" stroke-width=\"1.6\" stroke-dasharray=\"5 3\"",
            "class=\"hollow\" fill=\"#ffffff\" stroke=\"#111111\" stroke-width=\"1.3\"", n};
  }
  if (line.shade >= 0) {
    const std::string colour = shade_colour(line.shade);
    return {fmt::format("fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\" stroke-linejoin=\"round\"", colour),
            fmt::format("fill=\"{0}\" stroke=\"{0}\"", colour), n};
  }
  const std::size_t colour = n % kColours.size();
  const std::size_t round = n / kColours.size();
  const std::string_view dashes = kDashes[round % kDashes.size()];
  return {fmt::format("fill=\"none\" class=\"c{}\" stroke=\"{}\" stroke-width=\"1.8\" stroke-linejoin=\"round\"{}",
                      colour, kColours[colour], dashes.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", dashes)),
          fmt::format("class=\"c{0}\" fill=\"{1}\" stroke=\"{1}\"", colour, kColours[colour]), round};
}

std::string mark(const Look& look, double x, double y) {
  constexpr double kSize = 3.4;
  const auto corners = [&](std::initializer_list<std::pair<double, double>> list) {
    std::string d;
    for (const auto& [right, down] : list) {
      d += fmt::format("{}{} {}", d.empty() ? 'M' : 'L', number(x + kSize * right), number(y + kSize * down));
    }
    return fmt::format("<path d=\"{}Z\" {}/>", d, look.fill);
  };
  switch (look.mark % 4) {
    case 0:
      return fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" {}/>", number(x), number(y), number(kSize), look.fill);
    case 1:
      return corners({{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}});
    case 2:
      return corners({{0, -1.2}, {1.1, 0.8}, {-1.1, 0.8}});
    default:
      return corners({{0, -1.25}, {1.25, 0}, {0, 1.25}, {-1.25, 0}});
  }
}

/// `content` is markup.
std::string text(double x, double y, double size, std::string_view anchor, std::string_view content) {
  return fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"{}\">{}</text>\n", number(x), number(y),
                     number(size), anchor, content);
}
std::string words(double x, double y, double size, std::string_view anchor, std::string_view content) {
  return text(x, y, size, anchor, svg::with_subscripts(content, size));
}
std::string ten_to_the(int n) {
  return fmt::format("10<tspan dy=\"-5\" font-size=\"9\">{}</tspan>", svg::readable(n, 0));
}

// ---- axes -----------------------------------------------------------------------------------------------------------

struct Tick {
  double value;
  std::string label;  ///< markup; "" for a line of the grid alone
};

/// Smallest and largest of what is drawn.
struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  bool empty() const { return low > high; }
  void take(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

bool can_show(const ChartAxis& axis, double value) { return axis.scale == Scale::linear || value > 0; }

/// An axis with both ends, on paper from `from` to `to`.
struct Axis {
  Scale scale = Scale::linear;
  double low = 0;
  double high = 1;
  double from = 0;
  double to = 1;
  std::vector<Tick> ticks;
  int exponent = 0;  ///< labels of a linear axis are to be multiplied by this power of ten

  double at(double value) const {
    const double part = scale == Scale::linear
                            ? (value - low) / (high - low)
                            : (math::log(value) - math::log(low)) / (math::log(high) - math::log(low));
    return from + std::clamp(part, 0.0, 1.0) * (to - from);
  }
  bool holds(double value) const {
    const double slack = 1e-9;
    return scale == Scale::linear ? value >= low - slack * (high - low) && value <= high + slack * (high - low)
                                  : value >= low * (1 - slack) && value <= high * (1 + slack);
  }
};

void make_linear_ticks(Axis& axis, int most) {
  const double rough = (axis.high - axis.low) / most;
  const auto power = static_cast<int>(std::floor(log10(rough)));
  double step = power_of_ten(power);
  for (const int digit : {2, 5, 10}) {
    if (step < rough) { step = digit * power_of_ten(power); }
  }
  const double size = std::max(std::fabs(axis.low), std::fabs(axis.high));
  const auto magnitude = static_cast<int>(std::floor(log10(size)));
  if (magnitude > 4 || magnitude < -2) { axis.exponent = magnitude; }
  const double unit = power_of_ten(axis.exponent);
  const int decimals = std::clamp(-static_cast<int>(std::floor(log10(step / unit) + 1e-9)), 0, 12);
  const double first = std::ceil(axis.low / step - 1e-9);
  const double last = std::floor(axis.high / step + 1e-9);
  for (int i = 0; i <= static_cast<int>(last - first); ++i) {
    const double value = (first + i) * step;
    axis.ticks.push_back({value, svg::readable(value / unit, decimals)});
  }
}

void make_logarithmic_ticks(Axis& axis, int most) {
  const double decades = log10(axis.high) - log10(axis.low);
  const int stride = std::max(1, static_cast<int>(std::ceil(decades / most)));
  const auto first = static_cast<int>(std::floor(log10(axis.low) + 1e-9));
  const auto last = static_cast<int>(std::ceil(log10(axis.high) - 1e-9));
  const bool plain = first >= -3 && last <= 4;
  for (int n = first; n <= last; ++n) {
    for (const int digit : {1, 2, 5}) {
      if (digit > 1 && decades > 3) { break; }
      const double value = digit * power_of_ten(n);
      if (!axis.holds(value)) { continue; }
      const bool labelled = decades <= 3 || n % stride == 0;
      axis.ticks.push_back({value, !labelled ? "" : plain ? svg::readable(value, 4) : digit == 1 ? ten_to_the(n) : ""});
    }
  }
}

/// `pad`: leaves a little room beyond the points; `most` ticks.
Axis make_axis(const ChartAxis& wanted, Range range, double from, double to, bool pad, int most) {
  // beyond these neither differences nor powers of ten are numbers any more
  constexpr double kLargest = 1e300;
  constexpr double kSmallest = 1e-300;
  range.high = std::min(range.high, kLargest);
  range.low = std::max(range.low, wanted.scale == Scale::linear ? -kLargest : kSmallest);
  Axis axis;
  axis.scale = wanted.scale;
  axis.from = from;
  axis.to = to;
  if (wanted.low < wanted.high) {
    axis.low = wanted.low;
    axis.high = wanted.high;
  } else if (wanted.scale == Scale::linear) {
    if (range.empty()) { range = {0, 1}; }
    const double size = std::max(std::fabs(range.low), std::fabs(range.high));
    double room = pad ? 0.05 * (range.high - range.low) : 0;
    // what differs by rounding alone is drawn as a constant
    if (!(range.high - range.low > std::max(1e-9 * size, kSmallest))) { room = size > kSmallest ? 0.1 * size : 1; }
    axis.low = range.low - room;
    axis.high = range.high + room;
  } else if (range.empty() || range.low == range.high) {
    const double middle = range.empty() ? 1 : range.low;
    axis.low = middle / 3;
    axis.high = middle * 3;
  } else if (pad) {
    axis.low = power_of_ten(static_cast<int>(std::floor(log10(range.low) + 1e-9)));
    axis.high = power_of_ten(static_cast<int>(std::ceil(log10(range.high) - 1e-9)));
    if (!(axis.low < axis.high)) { axis.high = 10 * axis.low; }
  } else {
    axis.low = range.low;
    axis.high = range.high;
  }
  if (axis.scale == Scale::linear) {
    make_linear_ticks(axis, most);
  } else {
    make_logarithmic_ticks(axis, most);
  }
  return axis;
}

// ---- lines ----------------------------------------------------------------------------------------------------------

/// The points of one unbroken stretch on paper, no more than four a column one unit wide.
std::string path_of(const Points& on_paper) {
  const bool all = on_paper.size() <= 400;
  const auto coordinate = [all](double v) { return all ? number(v) : number(std::round(v * 10) / 10); };
  std::string d;
  const auto put = [&](const std::pair<double, double>& p) {
    d += fmt::format("{}{} {}", d.empty() ? 'M' : 'L', coordinate(p.first), coordinate(p.second));
  };
  for (std::size_t begin = 0; begin < on_paper.size();) {
    const double column = std::floor(on_paper[begin].first);
    std::size_t end = begin + 1;
    while (!all && end < on_paper.size() && std::floor(on_paper[end].first) == column) { ++end; }
    if (end - begin <= 4) {
      for (std::size_t i = begin; i < end; ++i) { put(on_paper[i]); }
    } else {
      std::array<std::size_t, 4> kept{begin, begin, begin, end - 1};
      for (std::size_t i = begin; i < end; ++i) {
        if (on_paper[i].second < on_paper[kept[1]].second) { kept[1] = i; }
        if (on_paper[i].second > on_paper[kept[2]].second) { kept[2] = i; }
      }
      std::sort(kept.begin(), kept.end());
      const auto last = std::unique(kept.begin(), kept.end());
      std::for_each(kept.begin(), last, [&](std::size_t i) { put(on_paper[i]); });
    }
    begin = end;
  }
  return d;
}

std::string line_svg(const ChartLine& line, const ChartPanel& panel, const Axis& x, const Axis& y) {
  const Look look = look_of(line);
  std::string path;
  std::string marks;
  Points stretch;
  const auto lift = [&] {
    path += path_of(stretch);
    stretch.clear();
  };
  for (const auto& [px, py] : line.points) {
    if (!std::isfinite(px) || std::isnan(py) || !can_show(panel.x, px) || !can_show(panel.y, py) || !x.holds(px)) {
      lift();
      continue;
    }
    const double height = std::isinf(py) ? (py > 0 ? y.high : y.low) : py;
    stretch.emplace_back(x.at(px), y.at(height));
    if (line.marks) { marks += mark(look, stretch.back().first, stretch.back().second); }
  }
  lift();
  if (path.empty()) { return {}; }
  return fmt::format("<g><title>{}</title><path d=\"{}\" {}/>{}</g>\n", svg::escape(line.name), path, look.stroke,
                     marks);
}

/// Vertical lines, one for each position on paper; where there are many, ticks at the upper edge.
std::string moments_svg(const ChartPanel& panel, const Axis& x, double top, double bottom) {
  constexpr std::size_t kMany = 60;
  if (panel.moments.size() > kMany) { bottom = top + 6; }
  std::vector<std::pair<std::string, std::string>> by_name;  // name and path
  std::set<std::pair<std::string, long>> seen;
  for (const ChartMoment& moment : panel.moments) {
    if (!std::isfinite(moment.x) || !can_show(panel.x, moment.x) || !x.holds(moment.x)) { continue; }
    const double at = x.at(moment.x);
    if (!seen.insert({moment.name, std::lround(at)}).second) { continue; }
    if (by_name.empty() || by_name.back().first != moment.name) { by_name.emplace_back(moment.name, ""); }
    by_name.back().second += fmt::format("M{} {}V{}", number(at), number(top), number(bottom));
  }
  std::string s;
  for (const auto& [name, path] : by_name) {
    s += fmt::format(
        "<g><title>{}</title><path d=\"{}\" class=\"moment\" stroke=\"#999999\" stroke-dasharray=\"1 3\"/></g>\n",
        svg::escape(name), path);
  }
  return s;
}

struct Ranges {
  Range x, y;
};
void take(Ranges& ranges, const ChartPanel& panel, const ChartLine& line) {
  for (const auto& [x, y] : line.points) {
    if (!std::isfinite(x) || std::isnan(y) || !can_show(panel.x, x) || !can_show(panel.y, y)) { continue; }
    ranges.x.take(x);
    if (std::isfinite(y)) { ranges.y.take(y); }
  }
}
Ranges ranges_of(const ChartPanel& panel) {
  Ranges ranges;
  for (const ChartLine& line : panel.lines) { take(ranges, panel, line); }
  return ranges;
}

std::string panel_svg(const Chart& chart, const ChartPanel& panel, double left, double top) {
  const double right = left + chart.panel_width;
  const double bottom = top + chart.panel_height;
  const Ranges ranges = ranges_of(panel);
  const Axis x =
      make_axis(panel.x, ranges.x, left, right, false, std::max(3, static_cast<int>(chart.panel_width / 60)));
  const Axis y =
      make_axis(panel.y, ranges.y, bottom, top, true, std::max(3, static_cast<int>(chart.panel_height / 38)));

  std::string s = words((left + right) / 2, top - 10, 14, "middle", panel.title);
  s += fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"frame\" fill=\"none\" stroke=\"#888888\"/>\n",
      number(left), number(top), number(chart.panel_width), number(chart.panel_height));
  std::string grid;
  std::string labels;
  for (const Tick& tick : y.ticks) {
    grid += fmt::format("M{} {}H{}", number(left), number(y.at(tick.value)), number(right));
    if (!tick.label.empty()) { labels += text(left - 6, y.at(tick.value) + 4, kSmall, "end", tick.label); }
  }
  double free_from = -1e9;  // labels of the x axis must not run into each other
  for (const Tick& tick : x.ticks) {
    const double at = x.at(tick.value);
    grid += fmt::format("M{} {}V{}", number(at), number(top), number(bottom));
    const double half = svg::text_width(tick.label.substr(0, tick.label.find('<')), kSmall) / 2 + 4;
    if (tick.label.empty() || at - half < free_from) { continue; }
    labels += text(at, bottom + 17, kSmall, "middle", tick.label);
    free_from = at + half;
  }
  s += fmt::format("<path d=\"{}\" class=\"grid\" stroke=\"#dddddd\"/>\n", grid);
  s += labels;
  if (y.exponent != 0) { s += text(left, top - 6, kSmall, "start", "×" + ten_to_the(y.exponent)); }
  if (x.exponent != 0) { s += text(right, bottom + 34, kSmall, "end", "×" + ten_to_the(x.exponent)); }
  if (!panel.x.label.empty()) { s += words((left + right) / 2, bottom + 38, kMedium, "middle", panel.x.label); }
  if (!panel.y.label.empty()) {
    s += fmt::format(
        "<text transform=\"translate({} {}) rotate(-90)\" font-size=\"{}\" text-anchor=\"middle\">{}</text>\n",
        number(left - 54), number((top + bottom) / 2), number(kMedium), svg::with_subscripts(panel.y.label, kMedium));
  }
  s += moments_svg(panel, x, top, bottom);
  for (const ChartLine& line : panel.lines) { s += line_svg(line, panel, x, y); }
  return s;
}

// ---- legend ---------------------------------------------------------------------------------------------------------

std::vector<const ChartLine*> legend_of(const Chart& chart) {
  std::vector<const ChartLine*> legend;
  std::set<std::tuple<std::string, int, bool>> seen;
  for (const ChartPanel& panel : chart.panels) {
    for (const ChartLine& line : panel.lines) {
      if (!line.name.empty() && seen.insert({line.name, line.style, line.peer}).second) { legend.push_back(&line); }
    }
  }
  return legend;
}

std::string entry_svg(const ChartLine& line, double x, double y) {
  const Look look = look_of(line);
  return fmt::format("<path d=\"M{} {}h{}\" {}/>", number(x), number(y), number(kSwatch), look.stroke) +
         (line.marks ? mark(look, x + kSwatch / 2, y) : "") +
         words(x + kSwatch + 8, y + 4, kMedium, "start", line.name);
}

/// Where the entries of a legend above the panels stand, and how high it is.
struct Row {
  std::vector<Point> at;
  double height = 0;
};
Row row_of(const std::vector<const ChartLine*>& legend, double width) {
  Row row;
  double x = kChartMargin;
  double y = 0;
  for (const ChartLine* line : legend) {
    const double needed = kSwatch + 8 + svg::text_width(line->name, kMedium) + 14;
    if (x > kChartMargin && x + needed > width) {
      x = kChartMargin;
      y += kLegendLine;
    }
    row.at.push_back({x, y});
    x += needed;
  }
  row.height = legend.empty() ? 0 : y + kLegendLine;
  return row;
}

std::string shown(double value) { return fmt::format("{:.4g}", value); }

}  // namespace

std::string_view chart_style() { return kStyle; }

std::string description(const Chart& chart) {
  constexpr std::size_t kMostLines = 12;
  std::string s;
  for (const ChartPanel& panel : chart.panels) {
    const Ranges all = ranges_of(panel);
    s += fmt::format("{}{}{}", s.empty() ? "" : " ", panel.title, panel.title.empty() ? "" : ": ");
    if (all.x.empty()) {
      s += "nothing to show.";
      continue;
    }
    s += fmt::format("{} from {} to {}", panel.x.label.empty() ? "x" : panel.x.label, shown(all.x.low),
                     shown(all.x.high));
    std::size_t told = 0;
    for (const ChartLine& line : panel.lines) {
      Ranges own;
      take(own, panel, line);
      if (own.y.empty() || ++told > kMostLines) { continue; }
      s += fmt::format("; {} between {} and {}", line.name, shown(own.y.low), shown(own.y.high));
    }
    if (told > kMostLines) { s += fmt::format("; and {} more lines", told - kMostLines); }
    if (!panel.moments.empty()) { s += fmt::format("; {} moments are marked", panel.moments.size()); }
    s += '.';
  }
  return s;
}

std::string draw(const Chart& chart) {
  const std::size_t columns = std::max<std::size_t>(1, std::min(chart.panels.size(), chart.columns));
  const std::size_t rows = (chart.panels.size() + columns - 1) / columns;
  const double cell_width = kLeft + chart.panel_width + kGap;
  const bool titled =
      std::any_of(chart.panels.begin(), chart.panels.end(), [](const ChartPanel& p) { return !p.title.empty(); });
  const bool labelled =
      std::any_of(chart.panels.begin(), chart.panels.end(), [](const ChartPanel& p) { return !p.x.label.empty(); });
  const double above = titled ? kAbove : 22;
  const double cell_height = above + chart.panel_height + (labelled ? kBelow : 26);
  const bool legend_at_right = chart.legend == Chart::Legend::right;

  const std::vector<const ChartLine*> legend = legend_of(chart);
  const double panels_width = static_cast<double>(columns) * cell_width;
  const double width = panels_width + (legend_at_right ? 12 + kLegendWidth : 0);
  const Row row = legend_at_right ? Row{} : row_of(legend, width);
  double top = kTitle + (chart.note.empty() ? 0 : kNote);
  const double legend_top = top + (legend_at_right ? above + 8 : 9);
  top += row.height;
  const double panels_height = static_cast<double>(rows) * cell_height;
  const double legend_height = legend_at_right ? above + kLegendLine * static_cast<double>(legend.size()) + 10 : 0;
  const double height = top + std::max(panels_height, legend_height);
  std::string s = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "role=\"img\" font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\" fill=\"#222222\">\n"
      "<title>{2}</title>\n<desc>{3}</desc>\n"
      "<rect class=\"paper\" width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
      number(width), number(height), svg::escape(chart.title), svg::escape(description(chart)));
  s += words(kChartMargin, 25, 17, "start", chart.title);
  if (!chart.note.empty()) { s += words(kChartMargin, 47, kMedium, "start", chart.note); }
  for (std::size_t n = 0; n < chart.panels.size(); ++n) {
    const std::size_t row_number = n / columns;
    s += panel_svg(chart, chart.panels[n], kLeft + static_cast<double>(n % columns) * cell_width,
                   top + above + static_cast<double>(row_number) * cell_height);
  }
  for (std::size_t n = 0; n < legend.size(); ++n) {
    const Point at = legend_at_right ? Point{panels_width + 12, kLegendLine * static_cast<double>(n)} : row.at[n];
    s += entry_svg(*legend[n], at.x, legend_top + at.y);
  }
  return s + "</svg>\n";
}

}  // namespace polhode::drawing
