// Which order of a Taylor series costs least CPU time for a tolerance? The method's own steps (INT-18) with the order
// left free: a free body with moments (1, 2, 3), 100 s, from two starts.
#include "one_body/taylor_order.h"

#include "one_body/clock.h"
#include "polhode/formulation/body_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace polhode::bench {
namespace {

constexpr double kEnd = 100;
constexpr std::size_t kLeastOrder = 6;
constexpr std::size_t kMostOrder = 40;

using Row = std::array<double, 7>;

void run(const TaylorSeries<double>& series, std::size_t order, double tolerance, Row y) {
  static std::vector<double> rows((kMostOrder + 1) * 7);
  const double last = 1.0 / static_cast<double>(order);
  const double before = 1.0 / static_cast<double>(order - 1);
  for (double t = 0; t < kEnd;) {
    series.coefficients(t, y, order, std::span<double>(rows).first((order + 1) * 7));
    double size = 0;
    double size_before = 0;
    for (std::size_t i = 0; i < 7; ++i) {
      const double weight = 1 / (tolerance + tolerance * std::fabs(y[i]));
      size = std::max(size, weight * std::fabs(rows[order * 7 + i]));
      size_before = std::max(size_before, weight * std::fabs(rows[(order - 1) * 7 + i]));
    }
    const double h = std::min(std::min(std::pow(size, -last), std::pow(size_before, -before)), kEnd - t);
    for (std::size_t i = 0; i < 7; ++i) { y[i] = rows[order * 7 + i]; }
    for (std::size_t k = order; k-- > 0;) {
      for (std::size_t i = 0; i < 7; ++i) { y[i] = y[i] * h + rows[k * 7 + i]; }
    }
    t += h;
  }
}

}  // namespace

int taylor_order() {
  OneBody<double> body;
  body.J_B = diagonal(1.0, 2.0, 3.0);
  const BodySystem<double> system(formulation<double>("euler-body"), body);
  const TaylorSeries<double>& series = *system.taylor_series();
  for (const Row& start : {Row{1, 0, 0, 0, 0.01, 5, 0.01}, Row{1, 0, 0, 0, 1, 2, 3}}) {
    fmt::print("\nω′ = ({}, {}, {}) rad/s; f: order = ⌈1 − f ln ε⌉\n", start[4], start[5], start[6]);
    fmt::print("{:>9} {:>11} {:>6}   CPU time, least = 1, at f = 0.5, 0.65, 0.8, 0.95\n", "ε", "best order", "f");
    for (int n = 6; n <= 14; n += 2) {
      const double tolerance = std::pow(10.0, -n);
      std::vector<std::function<void()>> runs;
      for (std::size_t order = kLeastOrder; order <= kMostOrder; ++order) {
        runs.emplace_back([&series, order, tolerance, start] { run(series, order, tolerance, start); });
      }
      const std::vector<double> seconds = quick_cpu_seconds_in_turn(runs, 40);
      const auto best = std::min_element(seconds.begin(), seconds.end());
      const std::size_t order = kLeastOrder + static_cast<std::size_t>(best - seconds.begin());
      fmt::print("{:9.0e} {:11} {:6.2f}  ", tolerance, order, (static_cast<double>(order) - 1) / -std::log(tolerance));
      for (const double f : {0.5, 0.65, 0.8, 0.95}) {
        const auto at = static_cast<std::size_t>(std::ceil(1 - f * std::log(tolerance)));
        fmt::print("{:6.2f}", seconds[at - kLeastOrder] / *best);
      }
      fmt::print("\n");
    }
  }
  return 0;
}

}  // namespace polhode::bench
