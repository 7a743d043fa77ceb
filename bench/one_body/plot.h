#pragma once

#include <string>
#include <vector>

/// Log-log plots as SVG.
namespace polhode::bench {

struct PlotPoint {
  double x;
  double y;
};
struct Curve {
  std::string name;
  bool is_peer;  ///< drawn black and dashed
  std::vector<PlotPoint> points;
};
/// One frame. Curves of the same place in different panels have the same name and look.
struct Panel {
  std::string title;
  std::vector<Curve> curves;
};
struct Axes {
  std::string x_label;
  std::string y_label;
  int x_first, x_last;  ///< powers of ten
  int y_first, y_last;
};

/// Panels side by side, the legend to the right of them. Parts of curves outside the axes are cut off.
std::string log_log_plot(const std::string& title, const Axes& axes, const std::vector<Panel>& panels);

}  // namespace polhode::bench
