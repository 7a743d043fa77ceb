#pragma once

#include <string>
#include <utility>
#include <vector>

namespace polhode::drawing {

/// One line of a chart: points (x, y), both positive; a point that is not finite or not positive breaks the line.
struct ChartLine {
  std::string name;
  std::vector<std::pair<double, double>> points;
  int style = 0;  ///< picks colour and dashes; lines of the same style and name share a line of the legend
};

/// One panel with logarithmic axes.
struct ChartPanel {
  std::string title;
  std::string x_label;
  std::string y_label;
  double y_low = 1e-8;  ///< smaller values are drawn on the lower edge, larger ones than y_high on the upper
  double y_high = 1;
  std::vector<ChartLine> lines;
};

struct Chart {
  std::string title;
  std::string note;
  std::vector<ChartPanel> panels;  ///< in rows of two
};

/// As SVG, with one legend for all panels. The same bytes for the same input.
std::string draw(const Chart& chart);

}  // namespace polhode::drawing
