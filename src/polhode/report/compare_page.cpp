#include "polhode/report/compare_page.h"

#include "polhode/core/counted.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <set>

namespace polhode::report {
namespace {

using comparison::Comparison;
using comparison::Row;
using comparison::Standing;
using drawing::Chart;
using drawing::ChartLine;

/// Points that a line of a figure has at most: there may be many lines.
constexpr std::size_t kMostPoints = 220;

/// Forms that are drawn together.
struct Family {
  const char* key;
  const char* words;
};
constexpr std::array<Family, 3> kFamilies{{{"rates", "rates or momenta"},
                                           {"parameters", "Euler parameters and their rates"},
                                           {"charts", "three coordinates"}}};

std::size_t family_of(const std::string& form) {
  const bool parameters = form.size() > 1 && form[0] == 'f' && form[1] >= '0' && form[1] <= '9';
  const bool chart = form.size() > 2 && (form[0] == 'a' || form[0] == 's') && form[1] >= '0' && form[1] <= '9';
  return parameters ? 1 : chart ? 2 : 0;
}

/// The largest value of each of a few stretches.
std::vector<std::pair<double, double>> envelope(const std::vector<double>& times, const std::vector<double>& values) {
  std::vector<std::pair<double, double>> points;
  const std::size_t count = std::min(times.size(), values.size());
  const std::size_t stretch = count / kMostPoints + 1;
  for (std::size_t begin = 0; begin < count; begin += stretch) {
    std::size_t most = begin;
    for (std::size_t i = begin; i < std::min(count, begin + stretch); ++i) {
      if (values[i] > values[most]) { most = i; }
    }
    points.emplace_back(times[most], values[most]);
  }
  return points;
}

std::vector<std::pair<double, double>> points_of(const std::vector<double>& times, const std::vector<double>& values) {
  std::vector<std::pair<double, double>> points;
  for (std::size_t i = 0; i < std::min(times.size(), values.size()); ++i) { points.emplace_back(times[i], values[i]); }
  return points;
}

Chart empty_chart(std::string title, const drawing::ChartAxis& y) {
  Chart chart;
  chart.title = std::move(title);
  chart.columns = 1;
  chart.panel_width = 360;
  chart.panel_height = 220;
  chart.legend = Chart::Legend::above;
  chart.panels.resize(1);
  chart.panels[0].x.label = "t (s)";
  chart.panels[0].y = y;
  return chart;
}

/// One quantity of a row that is drawn on a logarithmic axis.
struct Quantity {
  const char* key;
  const char* title;
  const char* caption;
  std::vector<double> comparison::Series::* values;
};
const std::array<Quantity, 4> kQuantities{
    {{"attitude", "Attitude difference (rad)", "Angle to the reference.", &comparison::Series::attitude_difference},
     {"energy", "Energy drift, relative", "Size of the energy balance.", &comparison::Series::energy},
     {"momentum", "Momentum drift, relative", "Size of the momentum balance.", &comparison::Series::momentum},
     {"norm", "||e| − 1|", "Drift off the unit sphere.", &comparison::Series::norm}}};

std::vector<std::string> methods_of(const Comparison& comparison) {
  std::vector<std::string> methods;
  for (const Row& row : comparison.rows) {
    if (std::find(methods.begin(), methods.end(), row.choice.integrator) == methods.end()) {
      methods.push_back(row.choice.integrator);
    }
  }
  return methods;
}

/// Of those that came through, short enough for a heading: "9 agree, 23 only with finer steps, 1 off".
std::string not_all_in_words(const Comparison& comparison) {
  std::string text = fmt::format("{} agree", comparison.count(Standing::agrees));
  if (const std::size_t coarse = comparison.count(Standing::coarse); coarse > 0) {
    text += fmt::format(", {} only with finer steps", coarse);
  }
  if (comparison.any_off()) { text += fmt::format(", {} off", comparison.count(Standing::off)); }
  return text;
}

io::PageWords words_of(const Comparison& comparison, const comparison::Origin& origin) {
  const comparison::PrintedTable printed = comparison::printed(comparison);
  io::PageWords words;
  words.kind = "compare";
  // green, red, or neither: nothing is wrong, and not all agree as they were run
  words.verdict = comparison.any_off() ? "no" : comparison.all_agree() && !comparison.interrupted ? "yes" : "open";
  words.reason = comparison.interrupted   ? "Interrupted: what was computed stands below"
                 : comparison.all_agree() ? "All that can run this agree"
                                          : not_all_in_words(comparison);
  words.summary = {{"rows", in_words(comparison)},
                   {"accuracy asked for", fmt::format("{:g} rad", comparison.accuracy)},
                   {"reference", in_words(comparison.reference)}};
  Table table{fmt::format("Largest differences and drifts over {} of {}; energy and momentum relative; off: largest "
                          "difference of λ from its closed form, relative; flops of one evaluation under one force.",
                          comparison.times.size(), counted(comparison.rows_in_all, "row")),
              printed.heads,
              printed.rows,
              {}};
  for (const Row& row : comparison.rows) {
    table.row_classes.emplace_back(row.standing <= Standing::coarse     ? ""
                                   : row.standing == Standing::off      ? "off"
                                   : row.standing == Standing::singular ? "singular"
                                                                        : "cannot");
  }
  words.tables.push_back(std::move(table));
  words.notes = printed.notes;
  for (std::string& reason : comparison::reasons(comparison)) { words.notes.push_back(std::move(reason)); }
  words.commands = {fmt::format("polhode compare {}", origin.scenario_file)};
  return words;
}

std::string words_before(const io::PageWords& words, const comparison::Origin& origin) {
  std::string html = fmt::format("<h1>{}: all forms compared</h1>\n", escape(origin.title));
  html += fmt::format("<div class=\"verdict {}\"><strong>{}</strong>\n", words.verdict, words.reason);
  html += facts(words.summary) + "</div>\n" + to_html(words.tables[0]);
  for (const std::string& note : words.notes) { html += fmt::format("<p class=\"note\">{}</p>\n", escape(note)); }
  return html;
}

std::string words_after(const io::PageWords& words, const comparison::Origin& origin) {
  return heading("Make it again") + commands(words.commands) +
         facts({{"scenario", origin.scenario_file},
                {"SHA-256", origin.scenario_sha256},
                {"program", "polhode " + origin.version}}) +
         details("The scenario, " + origin.scenario_file, preformatted(origin.scenario_text));
}

}  // namespace

std::vector<Figure> plots_of_comparison(const Comparison& comparison) {
  std::vector<Figure> figures;
  const std::vector<std::string> methods = methods_of(comparison);
  const auto add = [&](Figure figure) {
    const auto& lines = figure.chart.panels[0].lines;
    const bool any =
        std::any_of(lines.begin(), lines.end(), [](const ChartLine& line) { return !line.points.empty(); });
    if (any) { figures.push_back(std::move(figure)); }
  };
  const auto with = [&](const std::string& method) { return methods.size() > 1 ? ", " + method : std::string(); };
  for (const std::string& method : methods) {
    for (const Quantity& quantity : kQuantities) {
      for (std::size_t f = 0; f < kFamilies.size(); ++f) {
        Figure figure{fmt::format("{}-{}-{}", quantity.key, kFamilies[f].key, method),
                      fmt::format("{} Unknowns: {}.", quantity.caption, kFamilies[f].words),
                      empty_chart(quantity.title + with(method), {"", drawing::Scale::logarithmic})};
        int style = 0;
        for (const Row& row : comparison.rows) {
          if (row.choice.integrator != method || family_of(row.choice.formulation) != f || !row.has_run()) { continue; }
          figure.chart.panels[0].lines.push_back(
              {row.choice.formulation, envelope(comparison.times, row.series.*quantity.values), style++});
        }
        add(std::move(figure));
      }
    }
    Figure multipliers{"multiplier-" + method,
                       "Each as its form scales it. The closed forms, dashed in black, lie over them.",
                       empty_chart("Multipliers λ (J)" + with(method), {})};
    int style = 0;
    std::vector<ChartLine> closed;
    std::set<std::pair<int, std::string>> shown;
    for (const Row& row : comparison.rows) {
      if (row.choice.integrator != method || !row.multiplier) { continue; }
      multipliers.chart.panels[0].lines.push_back(
          {row.choice.formulation, points_of(comparison.times, row.series.multiplier), style++});
      // forms that share a closed form share a line
      if (shown.insert({row.multiplier->row_scale, row.multiplier->closed_form}).second) {
        closed.push_back({"", points_of(comparison.times, row.series.closed_form), 0, false, true});
      }
    }
    auto& lines = multipliers.chart.panels[0].lines;
    lines.insert(lines.end(), closed.begin(), closed.end());
    add(std::move(multipliers));
  }
  return figures;
}

std::string compare_page(const Comparison& comparison, const comparison::Origin& origin,
                         const std::vector<Figure>& plots) {
  const io::PageWords words = words_of(comparison, origin);
  return page(origin.title + ": all forms compared",
              words_before(words, origin) + heading("Over time") + figures(plots) + words_after(words, origin));
}

void write_compare_viewer(const Comparison& comparison, const comparison::Origin& origin, const io::PicturedBody& body,
                          const io::PicturedScene& scene, const io::Write& write) {
  io::ResultHead head;
  head.title = origin.title + ": all forms compared";
  head.scenario_file = origin.scenario_file;
  head.scenario_text = origin.scenario_text;
  head.scenario_sha256 = origin.scenario_sha256;
  head.version = origin.version;
  head.columns = {{"t_s", "s", "time"}};
  head.scene.up_N = scene.up_N;
  const std::vector<std::string> methods = methods_of(comparison);

  // one column after the other, and its values
  std::vector<std::function<double(std::size_t)>> columns{[&](std::size_t i) { return comparison.times[i]; }};
  const auto add = [&](const std::string& name, const char* unit, std::function<double(std::size_t)> value) {
    head.columns.push_back({name, unit, ""});
    columns.push_back(std::move(value));
  };
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const auto add_motion = [&](const std::string& name, const comparison::Series& series) {
    head.bodies.push_back(body);
    head.bodies.back().name = name;
    for (std::size_t k = 0; k < 4; ++k) {
      add(fmt::format("{}.e{}", name, k), "1", [&series, k](std::size_t i) {
        if (i >= series.e_NB.size()) { return kNone; }
        return k == 0 ? series.e_NB[i].e0 : series.e_NB[i].ev[k - 1];
      });
    }
    for (std::size_t k = 0; k < 3; ++k) {
      add(fmt::format("{}.w{}_body_rad_s", name, "xyz"[k]), "rad/s",
          [&series, k](std::size_t i) { return i < series.w_B.size() ? series.w_B[i][k] : kNone; });
    }
  };
  const auto add_series = [&](const std::string& name, const char* unit, const std::vector<double>& values) {
    if (values.empty()) { return; }
    add(name, unit, [&values](std::size_t i) { return i < values.size() ? values[i] : kNone; });
  };
  add_motion("reference", comparison.reference_series);
  for (const Row& row : comparison.rows) {
    if (!row.has_run() || row.series.e_NB.empty()) { continue; }
    const std::string name = row.choice.formulation + (methods.size() > 1 ? " " + row.choice.integrator : "");
    add_motion(name, row.series);
    add_series(name + ".attitude_difference_rad", "rad", row.series.attitude_difference);
    add_series(name + ".energy_off", "1", row.series.energy);
    add_series(name + ".momentum_off", "1", row.series.momentum);
    add_series(name + ".norm_off", "1", row.series.norm);
    add_series(name + ".multiplier", "J", row.series.multiplier);
    add_series(name + ".multiplier_closed_form", "J", row.series.closed_form);
  }

  io::PageWords words = words_of(comparison, origin);
  words.plain = words_before(words, origin) + words_after(words, origin);
  io::ViewerPage page(head, words, write);
  std::vector<double> numbers(columns.size());
  for (std::size_t i = 0; i < comparison.times.size(); ++i) {
    for (std::size_t k = 0; k < columns.size(); ++k) { numbers[k] = columns[k](i); }
    page.row(numbers);
  }
  page.end();
}

}  // namespace polhode::report
