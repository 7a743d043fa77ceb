#include "one_body/plot.h"

#include "polhode/drawing/svg.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

namespace polhode::bench {
namespace {

using drawing::svg::escape;
using drawing::svg::number;

constexpr double kTop = 64;
constexpr double kLeft = 76;
constexpr double kWidth = 400;   // of a panel
constexpr double kHeight = 460;  // of a panel
constexpr double kEntry = 20;    // of the legend
constexpr double kGap = 40;
constexpr double kLegend = 206;
constexpr double kBottom = 60;

/// Okabe and Ito's colours, yellow left out: it does not show on white.
constexpr std::array<std::string_view, 7> kColours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                   "#e69f00", "#56b4e9", "#7a5195"};
constexpr std::array<std::string_view, 3> kDashes{"", "7 3", "2 3"};

struct Look {
  std::string colour;
  std::string dash;
  std::size_t marker;
  bool is_hollow;
  double width;
};
/// By the place among the curves of its kind: no two look the same, up to 21 of ours and 4 peers.
Look look_of(std::size_t place, bool is_peer) {
  if (is_peer) { return {"#111111", "5 3", place, true, 1.6}; }
  const std::size_t round = place / kColours.size();
  return {std::string(kColours[place % kColours.size()]), std::string(kDashes[round % kDashes.size()]), round, false,
          1.6};
}
std::vector<Look> looks_of(const std::vector<Curve>& curves) {
  std::vector<Look> looks;
  std::size_t ours = 0;
  std::size_t peers = 0;
  for (const Curve& curve : curves) { looks.push_back(look_of(curve.is_peer ? peers++ : ours++, curve.is_peer)); }
  return looks;
}

std::string marker(const Look& look, double x, double y) {
  const double r = 3.4;
  const std::string paint = look.is_hollow ? "fill=\"#ffffff\" stroke=\"" + look.colour + "\" stroke-width=\"1.3\""
                                           : "fill=\"" + look.colour + '"';
  const auto path = [&](const std::vector<std::array<double, 2>>& corners) {
    std::string d;
    for (const auto& corner : corners) {
      d += fmt::format("{}{} {}", d.empty() ? "M" : " L", number(x + r * corner[0]), number(y + r * corner[1]));
    }
    return fmt::format("<path d=\"{} Z\" {}/>", d, paint);
  };
  switch (look.marker % 4) {
    case 0:
      return fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" {}/>", number(x), number(y), number(r), paint);
    case 1:
      return path({{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}});
    case 2:
      return path({{0, -1.2}, {1.1, 0.8}, {-1.1, 0.8}});
    default:
      return path({{0, -1.25}, {1.25, 0}, {0, 1.25}, {-1.25, 0}});
  }
}

std::string text(double x, double y, std::string_view anchor, double size, std::string_view content,
                 std::string_view more = {}) {
  return fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\" font-size=\"{}\"{}>{}</text>\n", number(x), number(y),
                     anchor, number(size), more, content);
}
std::string power_of_ten(int exponent) {
  return fmt::format("10<tspan dy=\"-4.5\" font-size=\"8.5\">{}{}</tspan>", exponent < 0 ? "−" : "",
                     exponent < 0 ? -exponent : exponent);
}

/// One panel with its left edge at `left`.
class Frame {
 public:
  Frame(const Axes& axes, double left) : axes_(&axes), left_(left) {}
  double x(double value) const {
    return left_ + kWidth * (std::log10(value) - axes_->x_first) / (axes_->x_last - axes_->x_first);
  }
  double y(double value) const {
    return kTop + kHeight * (axes_->y_last - std::log10(value)) / (axes_->y_last - axes_->y_first);
  }
  bool holds(const PlotPoint& p) const {
    return p.x > 0 && p.y > 0 && x(p.x) >= left_ && x(p.x) <= left_ + kWidth && y(p.y) >= kTop &&
           y(p.y) <= kTop + kHeight;
  }

  std::string grid(bool with_numbers_at_left) const {
    std::string out;
    for (int n = axes_->x_first; n <= axes_->x_last; ++n) {
      const double at = x(std::pow(10.0, n));
      out += line(at, kTop, at, kTop + kHeight);
      out += text(at, kTop + kHeight + 19, "middle", 12, power_of_ten(n));
    }
    for (int n = axes_->y_first; n <= axes_->y_last; ++n) {
      const double at = y(std::pow(10.0, n));
      out += line(left_, at, left_ + kWidth, at);
      if (with_numbers_at_left && (n - axes_->y_first) % 2 == 0) {
        out += text(left_ - 8, at + 4, "end", 12, power_of_ten(n));
      }
    }
    out += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#555555\"/>\n",
                       number(left_), number(kTop), number(kWidth), number(kHeight));
    return out;
  }
  std::string curve(const Curve& curve, const Look& look, std::size_t clip) const {
    std::string d;
    std::string markers;
    for (const PlotPoint& p : curve.points) {
      d += fmt::format("{}{} {}", d.empty() ? "M" : " L", number(x(p.x)), number(y(p.y)));
      if (holds(p)) { markers += marker(look, x(p.x), y(p.y)); }
    }
    if (d.empty()) { return {}; }
    return fmt::format(
        "<g><title>{}</title><path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" stroke-linejoin=\"round\" "
        "stroke-dasharray=\"{}\" clip-path=\"url(#panel-{})\"/>{}</g>\n",
        escape(curve.name), d, look.colour, number(look.width), look.dash.empty() ? "none" : look.dash, clip, markers);
  }

 private:
  static std::string line(double x1, double y1, double x2, double y2) {
    return fmt::format("<path d=\"M{} {} L{} {}\" stroke=\"#dddddd\"/>\n", number(x1), number(y1), number(x2),
                       number(y2));
  }
  const Axes* axes_;
  double left_;
};

}  // namespace

std::string log_log_plot(const std::string& title, const Axes& axes, const std::vector<Panel>& panels) {
  const double count = static_cast<double>(panels.size());
  const double legend_left = kLeft + count * (kWidth + kGap);
  const double width = legend_left + kLegend;
  const std::size_t entries = panels.empty() ? 0 : panels.front().curves.size();
  const double height = std::fmax(kTop + kHeight + kBottom, kTop + kEntry * static_cast<double>(entries + 1));
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\" "
      "font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" fill=\"#222222\">\n<title>{2}</title>\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
      number(width), number(height), escape(title));
  out += text(kLeft, 26, "start", 16, escape(title), " font-weight=\"bold\"");
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const double left = kLeft + static_cast<double>(i) * (kWidth + kGap);
    const Frame frame(axes, left);
    out += fmt::format("<clipPath id=\"panel-{}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/></clipPath>\n", i,
                       number(left), number(kTop), number(kWidth), number(kHeight));
    out += text(left + kWidth / 2, kTop - 10, "middle", 13, escape(panels[i].title));
    out += frame.grid(i == 0);
    const std::vector<Look> looks = looks_of(panels[i].curves);
    for (std::size_t c = 0; c < looks.size(); ++c) { out += frame.curve(panels[i].curves[c], looks[c], i); }
    out += text(left + kWidth / 2, kTop + kHeight + 44, "middle", 13, escape(axes.x_label));
  }
  const double middle = kTop + kHeight / 2;
  out += text(20, middle, "middle", 13, escape(axes.y_label),
              fmt::format(" transform=\"rotate(-90 20 {})\"", number(middle)));

  const std::vector<Look> looks = panels.empty() ? std::vector<Look>{} : looks_of(panels.front().curves);
  for (std::size_t c = 0; c < looks.size(); ++c) {
    const double at = kTop + 8 + kEntry * static_cast<double>(c);
    const Look& look = looks[c];
    out += fmt::format(
        "<path d=\"M{} {} h34\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" stroke-dasharray=\"{}\"/>{}\n",
        number(legend_left), number(at), look.colour, number(look.width), look.dash.empty() ? "none" : look.dash,
        marker(look, legend_left + 17, at));
    out += text(legend_left + 42, at + 4, "start", 12, escape(panels.front().curves[c].name));
  }
  return out + "</svg>\n";
}

}  // namespace polhode::bench
