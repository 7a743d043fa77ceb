#include "polhode/comparison/scheme_table.h"

#include "polhode/core/error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace polhode::comparison {
namespace {

using Json = nlohmann::ordered_json;

/// JSON knows no infinity.
Json finite(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

const char* verdict(const TrialRow& row) {
  if (!row.scheme->right_physics) { return row.trial.stable() ? "wrong physics" : "explodes, wrong"; }
  if (!row.trial.stable()) { return "explodes"; }
  return row.trial.holds() ? "holds" : "drifts";
}

/// Relative errors as the reader wants them: exponents, and words where there is no number.
std::string shown(double error) { return std::isfinite(error) ? fmt::format("{:+.1e}", error) : "-"; }

std::string table_of(const std::vector<TrialRow>& rows) {
  std::string text = fmt::format("{:<24}{:<8}{:<17}{:>12}{:>12}{:>12}{:>12}{:>9}\n", "scheme", "number", "verdict",
                                 "energy/turn", "energy max", "|dh| max", "period", "ns/step");
  for (const TrialRow& row : rows) {
    const Trial& t = row.trial;
    text += fmt::format(
        "{:<24}{:<8}{:<17}{:>12}{:>12}{:>12}{:>12}{:>9}\n", row.scheme->name, row.scheme->precision, verdict(row),
        shown(t.energy_drift_per_turn), t.finished ? fmt::format("{:.1e}", t.energy_worst) : "-",
        t.finished ? fmt::format("{:.1e}", t.momentum_worst) : "-", t.period_error ? shown(*t.period_error) : "-",
        row.cost_ns ? fmt::format("{:.0f}", *row.cost_ns) : "-");
  }
  return text;
}

/// The cheapest that holds energy and momentum within 1 % and flips on time within 1 %; where none does, the nearest.
std::optional<SchemeAdvice> advise(const std::vector<TrialRow>& rows, const std::string& precision, bool flips) {
  constexpr double kOnTime = 0.01;
  const auto lateness = [](const TrialRow& row) {
    return row.trial.period_error ? std::fabs(*row.trial.period_error) : HUGE_VAL;
  };
  const TrialRow* cheapest = nullptr;
  const TrialRow* nearest = nullptr;
  const TrialRow* quickest = nullptr;
  int good = 0;
  int all = 0;
  for (const TrialRow& row : rows) {
    if (row.scheme->precision != precision || !row.cost_ns) { continue; }
    ++all;
    if (quickest == nullptr || *row.cost_ns < *quickest->cost_ns) { quickest = &row; }
    if (!row.scheme->right_physics || !row.trial.holds()) { continue; }
    if (nearest == nullptr || lateness(row) < lateness(*nearest)) { nearest = &row; }
    if (flips && lateness(row) > kOnTime) { continue; }
    ++good;
    if (cheapest == nullptr || *row.cost_ns < *cheapest->cost_ns) { cheapest = &row; }
  }
  if (cheapest != nullptr) {
    return SchemeAdvice{cheapest->scheme->name,
                        fmt::format("the cheapest of {} (out of {}) that hold energy and momentum within 1 %{}; "
                                    "{:.0f} ns a step, the cheapest of all ({}) takes {:.0f} ns",
                                    good, all, flips ? " and flip on time within 1 %" : "", *cheapest->cost_ns,
                                    quickest->scheme->name, *quickest->cost_ns)};
  }
  if (nearest != nullptr) {
    return SchemeAdvice{nearest->scheme->name,
                        fmt::format("none flips on time within 1 % at this step; of those that hold energy and "
                                    "momentum it comes nearest ({})",
                                    nearest->trial.period_error ? shown(*nearest->trial.period_error) : "no flip")};
  }
  return {};
}

Json json_of(const TrialRow& row) {
  const Trial& t = row.trial;
  return {{"name", row.scheme->name},
          {"precision", row.scheme->precision},
          {"summary", row.scheme->summary},
          {"right_physics", row.scheme->right_physics},
          {"stable", t.stable()},
          {"verdict", verdict(row)},
          {"turns", t.turns},
          {"energy_drift_per_turn", finite(t.energy_drift_per_turn)},
          {"energy_worst", finite(t.energy_worst)},
          {"momentum_worst", finite(t.momentum_worst)},
          {"flips", t.flips},
          {"period_error", t.period_error ? finite(*t.period_error) : Json(nullptr)},
          {"ns_per_step", row.cost_ns ? finite(*row.cost_ns) : Json(nullptr)}};
}

std::vector<SchemeEntry> chosen_schemes(const std::string& precision) {
  const std::vector<std::string_view> known{"float", "double", "both"};
  if (std::find(known.begin(), known.end(), precision) == known.end()) {
    fail(Error(unknown_name("precision", precision, known)));
  }
  std::vector<SchemeEntry> schemes = scheme_entries();
  std::erase_if(schemes, [&](const SchemeEntry& s) { return precision != "both" && s.precision != precision; });
  return schemes;
}

/// Angles per step of the plot, rad.
constexpr std::array<double, 13> kSweep{0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.25, 0.4, 0.6, 0.85, 1.2, 1.7, 2.5};
constexpr double kSweepTurns = 30;

}  // namespace

std::optional<drawing::Chart> error_chart(const SchemeTable& table, const std::function<bool()>& keep_going) {
  const std::vector<SchemeEntry>& schemes = table.entries;
  const SchemeQuestion& q = table.question;
  drawing::Chart chart;
  chart.title = fmt::format("Fixed-step schemes, free body, moments {:g}, {:g}, {:g}", q.body.moments.x,
                            q.body.moments.y, q.body.moments.z);
  chart.note = fmt::format(
      "Spin next to the middle axis, {:g} turns or two and a half periods. Lines end where a scheme "
      "breaks down or no longer flips.",
      kSweepTurns);
  std::map<std::string, int> styles;  // by name: float and double look the same
  for (const SchemeEntry& scheme : schemes) { styles.try_emplace(scheme.name, static_cast<int>(styles.size())); }
  for (const char* precision : {"float", "double"}) {
    const drawing::ChartAxis x{"angle turned in a step, |ω| h (rad)", drawing::Scale::logarithmic};
    const auto y = [](const char* label) { return drawing::ChartAxis{label, drawing::Scale::logarithmic, 1e-9, 10}; };
    drawing::ChartPanel energy{fmt::format("energy, {}", precision), x, y("largest relative error"), {}};
    drawing::ChartPanel period{fmt::format("flip period, {}", precision), x, y("relative error"), {}};
    for (const SchemeEntry& scheme : schemes) {
      if (scheme.precision != precision) { continue; }
      drawing::ChartLine energy_line{scheme.name, {}, styles.at(scheme.name)};
      drawing::ChartLine period_line = energy_line;
      for (const double angle : kSweep) {
        const Trial trial = try_scheme(scheme, q.body, angle / q.body.rate, kSweepTurns);
        energy_line.points.emplace_back(angle, trial.energy_worst);
        period_line.points.emplace_back(angle, trial.period_error ? std::fabs(*trial.period_error) : std::nan(""));
        if (keep_going && !keep_going()) { return {}; }
      }
      energy.lines.push_back(std::move(energy_line));
      period.lines.push_back(std::move(period_line));
    }
    if (energy.lines.empty()) { continue; }
    chart.panels.push_back(std::move(energy));
    chart.panels.push_back(std::move(period));
  }
  return chart;
}

SchemeTable try_schemes(const SchemeQuestion& question, const std::string& precision,
                        const std::function<bool()>& keep_going) {
  SchemeTable table;
  table.question = question;
  table.period = question.body.period();
  table.entries = chosen_schemes(precision);
  for (const SchemeEntry& scheme : table.entries) {
    table.interrupted = keep_going && !keep_going();
    if (table.interrupted) { return table; }
    table.rows.push_back({&scheme, try_scheme(scheme, question.body, question.step, question.turns),
                          cost_ns(scheme, question.body, question.step)});
  }
  for (const char* one : {"float", "double"}) {
    if (auto found = advise(table.rows, one, std::isfinite(table.period))) { table.advice[one] = std::move(*found); }
  }
  return table;
}

std::string to_json(const SchemeTable& table, const std::string& plot) {
  const SchemeQuestion& q = table.question;
  Json object{{"what", "schemes"},
              {"moments_kg_m2", {q.body.moments.x, q.body.moments.y, q.body.moments.z}},
              {"spin_rad_s", q.body.rate},
              {"step_s", q.step},
              {"angle_per_step_rad", q.angle()},
              {"period_s", finite(table.period)},
              {"schemes", Json::array()},
              {"recommended", Json::object()}};
  for (const TrialRow& row : table.rows) { object["schemes"].push_back(json_of(row)); }
  for (const auto& [precision, a] : table.advice) {
    object["recommended"][precision] = {{"name", a.scheme}, {"reason", a.reason}};
  }
  if (!plot.empty()) { object["plot"] = plot; }
  return object.dump(2);
}

std::string to_text(const SchemeTable& table) {
  std::string text = table_of(table.rows);
  for (const auto& [precision, advice] : table.advice) {
    text += fmt::format("Recommended in {}: {}, {}.\n", precision, advice.scheme, advice.reason);
  }
  if (table.advice.empty()) {
    text += "Recommended: a smaller step; no scheme holds energy and momentum within 1 %.\n";
  }
  return text;
}

std::string in_words(const SchemeTable& table) {
  const SchemeQuestion& q = table.question;
  return fmt::format(
      "Free body, moments {:g} {:g} {:g}, spin {:g} rad/s next to the middle axis, step {:g} s: "
      "{:.3g} rad a step; {}",
      q.body.moments.x, q.body.moments.y, q.body.moments.z, q.body.rate, q.step, q.angle(),
      std::isfinite(table.period) ? fmt::format("it flips every {:.4g} s", table.period / 2) : "it does not flip");
}

}  // namespace polhode::comparison
