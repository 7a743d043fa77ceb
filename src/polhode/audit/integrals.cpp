#include "polhode/audit/integrals.h"

#include <algorithm>
#include <cmath>

namespace polhode::audit {
namespace {

constexpr std::size_t kRows = 6;

/// Rows that interval k is interpolated by.
struct Stencil {
  std::size_t first = 0;
  std::size_t count = 0;
};
Stencil stencil_of(std::span<const double> t, std::size_t k) {
  constexpr double kUneven = 4;
  const std::size_t n = t.size();
  const std::size_t count = std::min(kRows, n);
  const std::size_t first = std::min(k < 2 ? 0 : k - 2, n - count);
  double shortest = t[first + 1] - t[first];
  double longest = shortest;
  for (std::size_t j = first; j + 1 < first + count; ++j) {
    shortest = std::min(shortest, t[j + 1] - t[j]);
    longest = std::max(longest, t[j + 1] - t[j]);
  }
  return longest > kUneven * shortest ? Stencil{k, 2} : Stencil{first, count};
}

Vec3<double> interpolate(std::span<const double> t, std::span<const Vec3<double>> w, const Stencil& stencil,
                         double at) {
  Vec3<double> sum{};
  for (std::size_t j = stencil.first; j < stencil.first + stencil.count; ++j) {
    double above = 1;
    double below = 1;
    for (std::size_t i = stencil.first; i < stencil.first + stencil.count; ++i) {
      if (i == j) { continue; }
      above *= at - t[i];
      below *= t[j] - t[i];
    }
    sum += (above / below) * w[j];
  }
  return sum;
}

}  // namespace

std::vector<RateIntegrals> integrate_rates(std::span<const double> t, std::span<const Vec3<double>> w) {
  constexpr double kNode = 0.77459666924148337704;  // √(3/5)
  constexpr std::array<double, 3> kNodes{-kNode, 0, kNode};
  constexpr std::array<double, 3> kWeights{5.0 / 18, 8.0 / 18, 5.0 / 18};
  std::vector<RateIntegrals> all(t.size() - 1);
  for (std::size_t k = 0; k + 1 < t.size(); ++k) {
    const Stencil stencil = stencil_of(t, k);
    const double h = t[k + 1] - t[k];
    RateIntegrals& sum = all[k];
    for (std::size_t i = 0; i < 3; ++i) {
      const double from_middle = 0.5 * h * kNodes[i];
      const double weight = h * kWeights[i];
      const Vec3<double> at = interpolate(t, w, stencil, t[k] + 0.5 * h + from_middle);
      sum.w += weight * at;
      sum.moment += (weight * from_middle) * at;
      const std::array<double, 6> ww{at.x * at.x, at.y * at.y, at.z * at.z, at.x * at.y, at.x * at.z, at.y * at.z};
      for (std::size_t c = 0; c < 6; ++c) { sum.ww[c] += weight * ww[c]; }
    }
  }
  return all;
}

ShiftedRates shift_rates(std::span<const double> t, std::span<const Vec3<double>> w, double shift) {
  const std::size_t n = t.size();
  ShiftedRates shifted;
  shifted.w.reserve(n);
  while (shifted.first < n && t[shifted.first] + shift < t[0]) { ++shifted.first; }
  std::size_t interval = 0;
  for (std::size_t k = shifted.first; k < n && t[k] + shift <= t[n - 1]; ++k) {
    const double at = t[k] + shift;
    while (interval + 2 < n && t[interval + 1] < at) { ++interval; }
    shifted.w.push_back(interpolate(t, w, stencil_of(t, interval), at));
  }
  return shifted;
}

double roughness_of(std::span<const double> t, std::span<const Vec3<double>> w) {
  constexpr std::size_t kRowsLookedAt = 400;  // rows looked at for each m
  constexpr double kUneven = 4;
  constexpr double kKinkGrowth = 8;  // of the squared distance from the line when m doubles, at kinks; 16 where smooth
  constexpr double kNoiseOfBoth = 1.25 * 1.25;  // noise of the polynomial's miss over that of the line's, with a margin
  const std::size_t n = t.size();
  const std::size_t reach = n > 10 ? 5 : 3;  // rows to each side, in units of m
  std::array<double, 2> line_squared{};      // for m = 1 and 2
  double worst = 0;
  for (std::size_t m = 1; 2 * reach * m < n; m += std::max<std::size_t>(1, m / 4)) {
    const std::size_t first = reach * m;
    const std::size_t stride = std::max<std::size_t>(1, (n - 2 * first) / kRowsLookedAt);
    double poly = 0;
    double line = 0;
    double count = 0;
    for (std::size_t k = first; k + first < n; k += stride) {
      const double before = t[k - m] - t[k - first];
      const double beside = t[k + m] - t[k - m];
      const double after = t[k + first] - t[k + m];
      const double even = 0.5 * static_cast<double>(reach - 1);
      if (std::max({before / even, beside, after / even}) > kUneven * std::min({before / even, beside, after / even})) {
        continue;
      }
      Vec3<double> smooth{};
      for (std::size_t j = k - first; j <= k + first; j += 2 * m) {
        double factor = 1;
        for (std::size_t i = k - first; i <= k + first; i += 2 * m) {
          if (i != j) { factor *= (t[k] - t[i]) / (t[j] - t[i]); }
        }
        smooth += factor * w[j];
      }
      const double part = (t[k] - t[k - m]) / beside;
      poly += norm_squared(w[k] - smooth);
      line += norm_squared(w[k] - w[k - m] - part * (w[k + m] - w[k - m]));
      count += 1;
    }
    if (!(count > 0)) { continue; }
    if (m <= 2) { line_squared[m - 1] = line / count; }
    worst = std::max(worst, poly / count);
    if (4 * poly < line) { break; }
  }
  const double grown = std::max(0.0, line_squared[1] - line_squared[0]) / (kKinkGrowth - 1);
  const double noise = line_squared[1] > 0 ? std::max(0.0, line_squared[0] - grown) : 0;
  return std::sqrt(std::max(0.0, worst - kNoiseOfBoth * noise));
}

double rounding_of(std::span<const Vec3<double>> values) {
  constexpr int kMostDecimals = 8;
  constexpr int kMostDigits = 9;
  const auto power_of_ten = [](int n) { return std::pow(10.0, n); };
  // a double holds 15 digits: what is left of a whole number is its rounding
  const auto whole = [](double x) { return std::fabs(x - std::round(x)) <= 1e-6 + 1e-15 * std::fabs(x); };
  const auto exponent = [](double x) { return static_cast<int>(std::floor(std::log10(std::fabs(x)))); };
  int decimals = 0;
  int digits = 1;
  for (const Vec3<double>& value : values) {
    for (const double x : {value.x, value.y, value.z}) {
      if (x == 0) { continue; }
      while (decimals <= kMostDecimals && !whole(x * power_of_ten(decimals))) { ++decimals; }
      while (digits <= kMostDigits && !whole(x * power_of_ten(digits - 1 - exponent(x)))) { ++digits; }
    }
    if (decimals > kMostDecimals && digits > kMostDigits) { return 0; }
  }
  if (decimals <= kMostDecimals) { return power_of_ten(-decimals) / std::sqrt(12.0); }
  double square = 0;  // of the step of the largest component
  for (const Vec3<double>& value : values) {
    const double largest = std::max({std::fabs(value.x), std::fabs(value.y), std::fabs(value.z)});
    const double step = largest > 0 ? power_of_ten(exponent(largest) - digits + 1) : 0;
    square += step * step / static_cast<double>(values.size());
  }
  return std::sqrt(square / 12);
}

Trend trend_of(std::span<const double> t, std::span<const double> values) {
  constexpr std::size_t kBlocks = 16;
  const std::size_t n = t.size();
  const std::size_t count = std::min(kBlocks, n / 2);
  if (count < 3) { return {}; }
  std::vector<double> at(count);
  std::vector<double> mean(count);
  for (std::size_t b = 0; b < count; ++b) {
    const std::size_t from = b * n / count;
    const std::size_t to = (b + 1) * n / count;
    for (std::size_t k = from; k < to; ++k) {
      at[b] += t[k] - t[0];
      mean[b] += values[k];
    }
    at[b] /= static_cast<double>(to - from);
    mean[b] /= static_cast<double>(to - from);
  }
  const double blocks = static_cast<double>(count);
  double t_mean = 0;
  double v_mean = 0;
  for (std::size_t b = 0; b < count; ++b) {
    t_mean += at[b] / blocks;
    v_mean += mean[b] / blocks;
  }
  double tt = 0;
  double tv = 0;
  for (std::size_t b = 0; b < count; ++b) {
    tt += (at[b] - t_mean) * (at[b] - t_mean);
    tv += (at[b] - t_mean) * (mean[b] - v_mean);
  }
  Trend trend;
  trend.slope = tv / tt;
  double rest = 0;
  for (std::size_t b = 0; b < count; ++b) {
    const double off = mean[b] - v_mean - trend.slope * (at[b] - t_mean);
    rest += off * off;
  }
  trend.error = std::sqrt(rest / (blocks - 2) / tt);
  return trend;
}

}  // namespace polhode::audit
