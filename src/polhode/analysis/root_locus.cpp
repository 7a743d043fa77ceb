#include "polhode/analysis/root_locus.h"

#include "polhode/core/counted.h"
#include "polhode/core/error.h"
#include "polhode/core/version.h"
#include "polhode/report/page.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>

namespace polhode {
namespace {

using Complex = std::complex<double>;
using Eigenvalues = std::vector<Complex>;

/// `values` in the order of the lines whose next points are expected at `expected`: the nearest pairs first.
Eigenvalues in_lines(const Eigenvalues& expected, const Eigenvalues& values) {
  if (expected.size() != values.size()) { return values; }
  const std::size_t n = values.size();
  struct LineAndValue {
    double distance;
    std::size_t line, value;
  };
  std::vector<LineAndValue> pairs;
  pairs.reserve(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) { pairs.push_back({std::abs(expected[i] - values[k]), i, k}); }
  }
  std::sort(pairs.begin(), pairs.end(), [](const LineAndValue& a, const LineAndValue& b) {
    return std::tie(a.distance, a.line, a.value) < std::tie(b.distance, b.line, b.value);
  });
  Eigenvalues result(n);
  std::vector<bool> has(n);
  std::vector<bool> taken(n);
  for (const LineAndValue& one : pairs) {
    if (has[one.line] || taken[one.value]) { continue; }
    has[one.line] = taken[one.value] = true;
    result[one.line] = values[one.value];
  }
  return result;
}

/// Growth that is more than rounding: against the eigenvalue itself, which must be more than what rounding makes of a
/// double zero, the root of it.
std::size_t count_growing(const Eigenvalues& values) {
  double largest = 0;
  for (const Complex& x : values) { largest = std::fmax(largest, std::abs(x)); }
  return static_cast<std::size_t>(std::count_if(values.begin(), values.end(), [&](const Complex& x) {
    return x.real() > 1e-9 * std::abs(x) && x.real() > 1e-6 * largest;
  }));
}
Complex nearest(const Eigenvalues& values, const Complex& to) {
  return *std::min_element(values.begin(), values.end(),
                           [&](const Complex& x, const Complex& y) { return std::abs(x - to) < std::abs(y - to); });
}
/// Of those that grow, the one that grows least.
Complex least_growing(const Eigenvalues& values) {
  double largest = 0;
  for (const Complex& x : values) { largest = std::fmax(largest, std::abs(x)); }
  Complex least{std::numeric_limits<double>::infinity(), 0};
  for (const Complex& x : values) {
    if (x.real() > 1e-6 * largest && x.imag() >= 0 && x.real() < least.real()) { least = x; }
  }
  return least;
}

/// Where f, known as f_p at p and f_q at q with different signs, is zero: by the secant [DowellJarratt1971].
template <class F>
double zero_between(double p, double f_p, double q, double f_q, const F& f) {
  double best = std::fabs(f_p) < std::fabs(f_q) ? p : q;
  double least = std::fmin(std::fabs(f_p), std::fabs(f_q));
  for (int i = 0, side = 0; i < 60 && f_p != f_q; ++i) {
    if (std::fabs(q - p) <= 4e-16 * std::fmax(std::fabs(p), std::fabs(q))) { break; }
    double s = p - f_p * (q - p) / (f_q - f_p);
    if (!(std::fmin(p, q) < s && s < std::fmax(p, q))) { s = 0.5 * (p + q); }
    const std::optional<double> now = f(s);
    if (!now) { break; }
    if (std::fabs(*now) <= least) {
      least = std::fabs(*now);
      best = s;
    }
    if (*now == 0) { break; }
    if ((*now > 0) == (f_q > 0)) {
      q = s;
      f_q = *now;
      if (side == 1) { f_p /= 2; }
      side = 1;
    } else {
      p = s;
      f_p = *now;
      if (side == -1) { f_q /= 2; }
      side = -1;
    }
  }
  return best;
}

/// The first change between p and q, where as many grow as at p up to there: roughly by halves; then where the real
/// part of the eigenvalue that begins or ends to grow is zero, or its square is, where two real ones become a swing
/// that neither grows nor decays.
template <class ValuesAt>
StabilityChange find_change(double p, double q, const ValuesAt& at, std::size_t before) {
  double low = p;
  double high = q;
  while (std::fabs(high - low) > 1e-6 * std::fabs(q - p)) {
    const double s = 0.5 * (low + high);
    const Eigenvalues values = at(s);
    if (values.empty()) { break; }
    (count_growing(values) == before ? low : high) = s;
  }
  StabilityChange change{0.5 * (low + high), {}, false};
  // away from there on both sides, until the eigenvalue tells the sides apart
  for (double away = 1e-4 * std::fabs(q - p); away <= 0.1 * std::fabs(q - p); away *= 3) {
    const double sign = q > p ? 1 : -1;
    const double one = std::fabs(change.parameter - p) > away ? change.parameter - sign * away : p;
    const double two = std::fabs(q - change.parameter) > away ? change.parameter + sign * away : q;
    const Eigenvalues at_one = at(one);
    const Eigenvalues at_two = at(two);
    if (at_one.empty() || at_two.empty()) { break; }
    const bool more = count_growing(at_two) > count_growing(at_one);
    if (count_growing(at_two) == count_growing(at_one)) { continue; }
    change.becomes_unstable = more;
    const Complex growing = least_growing(more ? at_two : at_one);
    // its counterpart on the other side; what rounding makes of zeros is none
    Eigenvalues others = more ? at_one : at_two;
    std::erase_if(others, [&](const Complex& x) { return std::abs(x) < 1e-2 * std::abs(growing); });
    if (others.empty()) { continue; }
    const Complex other = nearest(others, growing);
    change.eigenvalue = {0, other.imag() == 0 ? 0 : std::fabs(0.5 * (growing.imag() + std::fabs(other.imag())))};
    const auto track = [&](double s) -> std::optional<Complex> {
      const Eigenvalues values = at(s);
      if (values.empty()) { return {}; }
      const double part = (s - one) / (two - one);
      return nearest(values, (more ? other : growing) + ((more ? growing : other) - (more ? other : growing)) * part);
    };
    if (other.real() < -1e-9 * std::abs(other)) {
      const auto real = [&](double s) -> std::optional<double> {
        const std::optional<Complex> x = track(s);
        if (!x) { return {}; }
        return x->real();
      };
      const double a = (more ? other : growing).real();
      const double b = (more ? growing : other).real();
      change.parameter = zero_between(one, a, two, b, real);
      if (const std::optional<Complex> x = track(change.parameter)) {
        change.eigenvalue = {x->real(), std::fabs(x->imag())};
      }
      return change;
    }
    if (growing.imag() == 0 && other.imag() != 0) {
      const auto square = [&](const Complex& x) { return (x * x).real(); };
      const auto at_square = [&](double s) -> std::optional<double> {
        // of the pair that meets: the largest of those that are near both, growing or swinging
        const Eigenvalues values = at(s);
        if (values.empty()) { return {}; }
        double largest = 0;
        double result = 0;
        for (const Complex& x : values) {
          if (std::abs(x) > 1.5 * std::fmax(std::abs(growing), std::abs(other)) || x.real() < -1e-9 * std::abs(x)) {
            continue;
          }
          if (std::abs(x) >= largest) {
            largest = std::abs(x);
            result = square(x);
          }
        }
        return result;
      };
      const double a = square(more ? other : growing);
      const double b = square(more ? growing : other);
      if ((a > 0) != (b > 0)) { change.parameter = zero_between(one, a, two, b, at_square); }
      change.eigenvalue = 0;
      return change;
    }
  }
  const Eigenvalues at_low = at(low);
  const Eigenvalues at_high = at(high);
  change.becomes_unstable = count_growing(at_high) > count_growing(at_low);
  if (!at_low.empty() && !at_high.empty()) {
    const Complex growing = least_growing(change.becomes_unstable ? at_high : at_low);
    change.eigenvalue = {0, std::isfinite(growing.real()) ? growing.imag() : 0};
  }
  return change;
}

std::string label(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

}  // namespace

RootLocus root_locus(const CompiledScenario& scenario, const SweepAxis& axis, const LinearizeOptions& options,
                     const std::function<bool()>& keep_going,
                     const std::function<void(std::uint64_t done, std::uint64_t total)>& on_progress) {
  RootLocus locus;
  locus.title = scenario.scenario().title;
  locus.axis = axis;
  const auto& parameters = scenario.scenario().parameters;
  if (parameters.find(axis.parameter) == nullptr) {
    std::vector<std::string_view> known;
    for (const auto& [name, number] : parameters) { known.push_back(name); }
    fail(Error(unknown_name("parameter", axis.parameter, known)));
  }
  LinearizeOptions at = options;
  at.outputs.clear();
  at.inputs.clear();
  const auto all_at = [&](double value) {
    at.parameters[axis.parameter] = value;
    return linearize(scenario, at).eigenvalues();
  };
  std::vector<std::size_t> zeros;
  for (std::size_t i = 0; i < axis.count; ++i) {
    if (keep_going && !keep_going()) {
      locus.interrupted = true;
      break;
    }
    RootLocus::Point point{axis.value(i), {}, {}};
    try {
      point.eigenvalues = all_at(point.parameter);
    } catch (const Error& error) {
      // the first problem with its cause says enough of one point
      point.refused = error.problems().front().what;
      if (!error.problems().front().allowed.empty()) { point.refused += "; " + error.problems().front().allowed; }
    }
    if (point.refused.empty()) {
      zeros.push_back(
          static_cast<std::size_t>(std::count(point.eigenvalues.begin(), point.eigenvalues.end(), Complex(0))));
    }
    locus.points.push_back(std::move(point));
    if (on_progress) { on_progress(i + 1, axis.count); }
  }
  if (zeros.empty() && !locus.points.empty() && !locus.interrupted) {
    at.parameters[axis.parameter] = locus.points.front().parameter;
    static_cast<void>(linearize(scenario, at));  // says what is wrong
  }
  locus.zeros = zeros.empty() ? 0 : *std::min_element(zeros.begin(), zeros.end());
  for (RootLocus::Point& point : locus.points) {
    std::size_t left = locus.zeros;
    std::erase_if(point.eigenvalues, [&](const Complex& x) { return x == Complex(0) && left > 0 && left-- > 0; });
  }

  // lines, by where the two points before lead
  for (std::size_t i = 1; i < locus.points.size(); ++i) {
    const Eigenvalues& last = locus.points[i - 1].eigenvalues;
    Eigenvalues expected = last;
    if (i > 1 && locus.points[i - 2].eigenvalues.size() == last.size()) {
      for (std::size_t k = 0; k < last.size(); ++k) {
        const Complex step = last[k] - locus.points[i - 2].eigenvalues[k];
        // where two meet on the real axis the step is no guide
        if (std::abs(step) < 0.2 * std::abs(last[k])) { expected[k] += step; }
      }
    }
    locus.points[i].eigenvalues = in_lines(expected, locus.points[i].eigenvalues);
  }
  const auto values_at = [&](double value) {
    try {
      Eigenvalues values = all_at(value);
      std::size_t left = locus.zeros;
      std::erase_if(values, [&](const Complex& x) { return x == Complex(0) && left > 0 && left-- > 0; });
      return values;
    } catch (const Error&) {  // a value between two good ones that cannot be: the search ends there
      return Eigenvalues{};
    }
  };
  const RootLocus::Point* last = nullptr;
  for (const RootLocus::Point& point : locus.points) {
    if (!point.refused.empty() || locus.interrupted) { continue; }
    if (last != nullptr) {
      double from = last->parameter;
      const double width = point.parameter - from;
      std::size_t before = count_growing(last->eigenvalues);
      const std::size_t after = count_growing(point.eigenvalues);
      for (int k = 0; k < 8 && before != after; ++k) {  // several in one interval, one after the other
        locus.changes.push_back(find_change(from, point.parameter, values_at, before));
        // on, to where it has happened
        const double found = locus.changes.back().parameter;
        std::size_t now = before;
        for (double on = 1e-4; on < 1 && now == before; on *= 3) {
          from = found + on * width;
          if ((point.parameter - from) * width <= 0) { break; }
          const Eigenvalues values = values_at(from);
          if (values.empty()) { break; }
          now = count_growing(values);
        }
        if (now == before) { break; }
        before = now;
      }
    }
    last = &point;
  }
  return locus;
}

std::string to_text(const RootLocus& locus) {
  std::string text = fmt::format("{}\nover: {}\n", locus.title, to_text(locus.axis));
  std::size_t refused = 0;
  std::string first;
  for (const RootLocus::Point& point : locus.points) {
    if (point.refused.empty()) { continue; }
    ++refused;
    if (first.empty()) { first = fmt::format("{} = {:.6g}: {}", locus.axis.parameter, point.parameter, point.refused); }
  }
  if (locus.zeros > 0) {
    text += fmt::format("{} of exactly 0 everywhere, left out\n", counted(locus.zeros, "eigenvalue"));
  }
  if (refused > 0) { text += fmt::format("refused: {} of {}; first {}\n", refused, locus.points.size(), first); }
  if (locus.changes.empty()) { text += "stability does not change\n"; }
  for (const StabilityChange& one : locus.changes) {
    text += fmt::format("{} = {:.12g}: {} {}\n", locus.axis.parameter, one.parameter,
                        one.eigenvalue.imag() > 0 ? fmt::format("a swing of {:.9g} rad/s", one.eigenvalue.imag())
                                                  : std::string("a motion that does not swing"),
                        one.becomes_unstable ? "begins to grow" : "begins to decay");
  }
  return text;
}

std::string to_json(const RootLocus& locus) {
  using Object = nlohmann::ordered_json;
  Object points = Object::array();
  for (const RootLocus::Point& point : locus.points) {
    Object values = Object::array();
    for (const Complex& x : point.eigenvalues) { values.push_back(Object::array({x.real(), x.imag()})); }
    Object entry{{"parameter", point.parameter}, {"eigenvalues", std::move(values)}};
    if (!point.refused.empty()) { entry["refused"] = point.refused; }
    points.push_back(std::move(entry));
  }
  Object changes = Object::array();
  for (const StabilityChange& one : locus.changes) {
    changes.push_back(Object{{"parameter", one.parameter},
                             {"imaginary", one.eigenvalue.imag()},
                             {"becomes_unstable", one.becomes_unstable}});
  }
  return Object{{"title", locus.title},
                {"parameter", locus.axis.parameter},
                {"zeros", locus.zeros},
                {"interrupted", locus.interrupted},
                {"stability_changes", std::move(changes)},
                {"points", std::move(points)}}
      .dump(2);
}

std::string to_csv(const RootLocus& locus) {
  std::size_t most = 0;
  for (const RootLocus::Point& point : locus.points) { most = std::max(most, point.eigenvalues.size()); }
  std::string text = fmt::format("# {}\n# eigenvalues, 1/s; polhode {}\n", locus.title, version());
  for (const StabilityChange& one : locus.changes) {
    text += fmt::format("# stability changes at {} = {}\n", locus.axis.parameter, one.parameter);
  }
  text += locus.axis.parameter;
  for (std::size_t k = 1; k <= most; ++k) { text += fmt::format(",real_{},imaginary_{}", k, k); }
  text += "\n";
  for (const RootLocus::Point& point : locus.points) {
    text += fmt::format("{}", point.parameter);
    for (std::size_t k = 0; k < most; ++k) {
      if (k < point.eigenvalues.size()) {
        text += fmt::format(",{},{}", point.eigenvalues[k].real(), point.eigenvalues[k].imag());
      } else {
        text += ",,";
      }
    }
    text += "\n";
  }
  return text;
}

drawing::Chart to_chart(const RootLocus& locus) {
  drawing::Chart chart;
  chart.title = locus.title + ": eigenvalues against " + label(locus.axis.parameter);
  chart.columns = 1;
  chart.panel_width = 620;
  chart.panel_height = 280;
  chart.legend = drawing::Chart::Legend::above;
  const auto [low, high] = std::minmax(locus.axis.from, locus.axis.to);
  const drawing::Scale scale = locus.axis.logarithmic ? drawing::Scale::logarithmic : drawing::Scale::linear;
  drawing::ChartPanel real{"real part (1/s)", {label(locus.axis.parameter), scale, low, high}, {}, {}};
  drawing::ChartPanel imaginary{"imaginary part (1/s)", {label(locus.axis.parameter), scale, low, high}, {}, {}};
  drawing::ChartPanel plane{"imaginary part against real part (1/s)", {"real part (1/s)"}, {}, {}};
  std::size_t most = 0;
  for (const RootLocus::Point& point : locus.points) { most = std::max(most, point.eigenvalues.size()); }
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t k = 0; k < most; ++k) {
    drawing::ChartLine line;
    line.style = static_cast<int>(k);
    drawing::ChartLine re = line;
    drawing::ChartLine im = line;
    drawing::ChartLine both = line;
    bool swings = false;
    for (const RootLocus::Point& point : locus.points) {
      const bool has = k < point.eigenvalues.size();
      const Complex x = has ? point.eigenvalues[k] : Complex(kNone, kNone);
      re.points.emplace_back(point.parameter, x.real());
      im.points.emplace_back(point.parameter, x.imag() == 0 ? kNone : x.imag());
      both.points.emplace_back(x.real(), x.imag());
      swings = swings || (has && x.imag() != 0);
    }
    real.lines.push_back(std::move(re));
    if (swings) { imaginary.lines.push_back(std::move(im)); }
    plane.lines.push_back(std::move(both));
  }
  for (const StabilityChange& one : locus.changes) {
    for (drawing::ChartPanel* panel : {&real, &imaginary}) {
      panel->moments.push_back({one.parameter, fmt::format("{:.6g}", one.parameter)});
    }
  }
  chart.panels = {std::move(real)};
  if (!imaginary.lines.empty()) { chart.panels.push_back(std::move(imaginary)); }
  chart.panels.push_back(std::move(plane));
  return chart;
}

std::string to_page(const RootLocus& locus, const std::string& command, const std::string& scenario_file,
                    const std::string& scenario_text) {
  std::string body = fmt::format("<h1>{}: eigenvalues against {}</h1>\n", report::escape(locus.title),
                                 report::escape(locus.axis.parameter));
  body += report::preformatted(to_text(locus));
  body +=
      report::figures({{"root-locus", "Eigenvalues of the linearised motion; those that are 0 everywhere are left out.",
                        to_chart(locus)}});
  body += report::heading("Make it again") + report::commands({command});
  body += report::facts({{"scenario", scenario_file}, {"program", "polhode " + std::string(version())}});
  body += report::details("The scenario, " + scenario_file, report::preformatted(scenario_text));
  return report::page(locus.title + ": eigenvalues", body);
}

}  // namespace polhode
