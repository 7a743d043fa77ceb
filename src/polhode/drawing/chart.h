#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace polhode::drawing {

enum class Scale { linear, logarithmic };

struct ChartAxis {
  std::string label;  ///< "" for none
  Scale scale = Scale::linear;
  double low = 0;  ///< low < high: fixed; else as the points need it
  double high = 0;
};

/// One line of a chart: points (x, y). One that is not finite (but an infinite y), or not positive on a logarithmic
/// axis, breaks the line.
struct ChartLine {
  std::string name;
  std::vector<std::pair<double, double>> points;
  int style = 0;       ///< picks colour, dashes and mark; equal styles and names share a line of the legend
  bool marks = false;  ///< a mark at every point
  bool peer = false;   ///< black and dashed: what the other lines are compared with
  double shade = -1;   ///< from 0 to 1: a colour between blue and orange in place of that of the style
};

/// A moment on the x axis.
struct ChartMoment {
  double x = 0;
  std::string name;
};

/// Values beyond the ends of the y axis are drawn on its edge, points beyond those of the x axis not at all. Of a long
/// line, each column of the picture shows its first, least, largest and last value: no spike is lost.
struct ChartPanel {
  std::string title;
  ChartAxis x;
  ChartAxis y;
  std::vector<ChartLine> lines;
  std::vector<ChartMoment> moments{};
};

struct Chart {
  std::string title;
  std::string note;
  std::vector<ChartPanel> panels;
  std::size_t columns = 2;  ///< panels in a row
  double panel_width = 360;
  double panel_height = 250;
  enum class Legend { right, above } legend = Legend::right;
};

/// As SVG, with one legend for all panels and a text alternative that tells the range of every line. The same bytes for
/// the same input. The picture is made for white paper; in a page with chart_style() it follows the colours of the
/// page.
std::string draw(const Chart& chart);

/// What `draw` says in place of the picture.
std::string description(const Chart& chart);

/// Rules of CSS for pages that hold charts, light and dark.
std::string_view chart_style();

}  // namespace polhode::drawing
