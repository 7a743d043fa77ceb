#include "command.h"
#include "numbers.h"
#include "polhode/body/mass_properties.h"
#include "polhode/core/error.h"
#include "polhode/drawing/chart.h"
#include "scheme_trials.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

namespace polhode::app {
namespace {

using Json = nlohmann::ordered_json;

struct SchemesOptions {
  std::optional<std::string> moments;
  std::optional<std::string> inertia;
  std::optional<std::string> spin;
  std::optional<std::string> spin_rpm;
  std::optional<std::string> step;
  std::optional<std::string> hz;
  std::optional<std::string> turns;
  std::string precision = "both";
  std::string plot;
};

constexpr double kTurn = 2 * math::kPi<double>;
/// Of the angle turned in a step: less would run for too long, more is no motion that steps could follow.
constexpr double kLeastAngle = 1e-4;
constexpr double kMostAngle = 20;
constexpr double kMostTurns = 1e5;

struct Question {
  FreeSpin body{};
  double step = 0;
  double turns = 100;

  double angle() const { return body.rate * step; }  ///< ωh, rad
};

double parse_positive(const char* option, const std::string& text) {
  const double value = parse_list(option, text, 1)[0];
  if (!(value > 0)) {
    fail(Error(Problem{.what = fmt::format("{} {}", option, text), .allowed = "wanted: more than 0", .cure = {}}));
  }
  return value;
}

void refuse_both(const std::optional<std::string>& a, const std::optional<std::string>& b, const char* names) {
  if (a && b) { fail(Error(fmt::format("{} say the same thing; give one of them", names))); }
}

Vec3<double> parse_inertia(const SchemesOptions& options) {
  refuse_both(options.moments, options.inertia, "--moments and --inertia");
  if (options.inertia) {
    const std::vector<double> v = parse_list("--inertia", *options.inertia, 6);
    const Mat3<double> J{{{v[0], v[3], v[4]}, {v[3], v[1], v[5]}, {v[4], v[5], v[2]}}};
    return principal_axes(from_inertia_matrix(1, J).J_B).moments;
  }
  const Vec3<double> J = options.moments ? parse_vector("--moments", *options.moments) : Vec3<double>{1, 2, 3};
  return principal_axes(from_principal_moments(1, J).J_B).moments;
}

Question parse_question(const SchemesOptions& options) {
  refuse_both(options.spin, options.spin_rpm, "--spin and --spin-rpm");
  refuse_both(options.step, options.hz, "--step and --hz");
  constexpr double kDefaultSpin = 6;
  constexpr double kDefaultRate = 60;
  Question q;
  q.body.moments = parse_inertia(options);
  q.body.rate = options.spin       ? parse_positive("--spin", *options.spin)
                : options.spin_rpm ? parse_positive("--spin-rpm", *options.spin_rpm) * kTurn / 60
                                   : kDefaultSpin;
  q.step = options.step ? parse_positive("--step", *options.step)
                        : 1 / (options.hz ? parse_positive("--hz", *options.hz) : kDefaultRate);
  if (options.turns) { q.turns = parse_positive("--turns", *options.turns); }
  if (q.turns > kMostTurns) {
    fail(Error(Problem{.what = fmt::format("--turns {:g}", q.turns), .allowed = "allowed: up to 1e5", .cure = {}}));
  }
  if (!(q.angle() >= kLeastAngle && q.angle() <= kMostAngle)) {
    fail(Error(Problem{.what = fmt::format("a spin of {:g} rad/s and a step of {:g} s make {:g} rad a step",
                                           q.body.rate, q.step, q.angle()),
                       .allowed = fmt::format("allowed: {:g} to {:g}", kLeastAngle, kMostAngle),
                       .cure = "give --spin in rad/s (or --spin-rpm) and --step in seconds (or --hz)"}));
  }
  return q;
}

struct TrialRow {
  const SchemeEntry* scheme = nullptr;
  Trial trial{};
  std::optional<double> cost_ns;
};

const char* verdict(const TrialRow& row) {
  if (!row.scheme->right_physics) { return row.trial.stable() ? "wrong physics" : "explodes, wrong"; }
  if (!row.trial.stable()) { return "explodes"; }
  return row.trial.holds() ? "holds" : "drifts";
}

/// Relative errors as the reader wants them: exponents, and words where there is no number.
std::string shown(double error) { return std::isfinite(error) ? fmt::format("{:+.1e}", error) : "-"; }

std::string table(const std::vector<TrialRow>& rows) {
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

struct Advice {
  const TrialRow* row = nullptr;
  std::string reason;
};

/// The cheapest that holds energy and momentum within 1 % and flips on time within 1 %; where none does, the nearest.
std::optional<Advice> advise(const std::vector<TrialRow>& rows, const std::string& precision, bool flips) {
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
    return Advice{cheapest, fmt::format("the cheapest of {} (out of {}) that hold energy and momentum within 1 %{}; "
                                        "{:.0f} ns a step, the cheapest of all ({}) takes {:.0f} ns",
                                        good, all, flips ? " and flip on time within 1 %" : "", *cheapest->cost_ns,
                                        quickest->scheme->name, *quickest->cost_ns)};
  }
  if (nearest != nullptr) {
    return Advice{nearest, fmt::format("none flips on time within 1 % at this step; of those that hold energy and "
                                       "momentum it comes nearest ({})",
                                       nearest->trial.period_error ? shown(*nearest->trial.period_error) : "no flip")};
  }
  return {};
}

Json to_json(const TrialRow& row) {
  const Trial& t = row.trial;
  return {{"name", row.scheme->name},
          {"precision", row.scheme->precision},
          {"summary", row.scheme->summary},
          {"right_physics", row.scheme->right_physics},
          {"stable", t.stable()},
          {"verdict", verdict(row)},
          {"turns", t.turns},
          {"energy_drift_per_turn", number_or_null(t.energy_drift_per_turn)},
          {"energy_worst", number_or_null(t.energy_worst)},
          {"momentum_worst", number_or_null(t.momentum_worst)},
          {"flips", t.flips},
          {"period_error", t.period_error ? number_or_null(*t.period_error) : Json(nullptr)},
          {"ns_per_step", row.cost_ns ? number_or_null(*row.cost_ns) : Json(nullptr)}};
}

/// Angles per step of the plot, rad.
constexpr std::array<double, 13> kSweep{0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.25, 0.4, 0.6, 0.85, 1.2, 1.7, 2.5};
constexpr double kSweepTurns = 30;

drawing::Chart sweep(const std::vector<SchemeEntry>& schemes, const Question& q) {
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
        if (interrupted()) { return chart; }
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

std::vector<SchemeEntry> chosen_schemes(const std::string& precision) {
  const std::vector<std::string_view> known{"float", "double", "both"};
  if (std::find(known.begin(), known.end(), precision) == known.end()) {
    fail(Error(unknown_name("precision", precision, known)));
  }
  std::vector<SchemeEntry> schemes = scheme_entries();
  std::erase_if(schemes, [&](const SchemeEntry& s) { return precision != "both" && s.precision != precision; });
  return schemes;
}

int schemes(const SchemesOptions& options, const Session& session) {
  if (options.plot == "-" && session.json) {
    fail(Error("--json and '--plot -' both want standard output; give the picture a file name"));
  }
  const Question q = parse_question(options);
  const std::vector<SchemeEntry> entries = chosen_schemes(options.precision);
  catch_interrupt();
  const double period = q.body.period();
  const bool flips = std::isfinite(period);

  std::vector<TrialRow> rows;
  for (const SchemeEntry& scheme : entries) {
    if (interrupted()) { return interrupted_status(); }
    rows.push_back({&scheme, try_scheme(scheme, q.body, q.step, q.turns), cost_ns(scheme, q.body, q.step)});
  }
  if (!options.plot.empty()) {
    const drawing::Chart chart = sweep(entries, q);
    if (interrupted()) { return interrupted_status(); }
    write_file(options.plot, drawing::draw(chart));
  }
  std::map<std::string, Advice> advice;
  for (const char* precision : {"float", "double"}) {
    if (auto found = advise(rows, precision, flips)) { advice[precision] = std::move(*found); }
  }
  const int status = advice.empty() ? kCheckFailed : kDone;

  if (session.json) {
    Json object{{"what", "schemes"},
                {"moments_kg_m2", {q.body.moments.x, q.body.moments.y, q.body.moments.z}},
                {"spin_rad_s", q.body.rate},
                {"step_s", q.step},
                {"angle_per_step_rad", q.angle()},
                {"period_s", number_or_null(period)},
                {"schemes", Json::array()},
                {"recommended", Json::object()}};
    for (const TrialRow& row : rows) { object["schemes"].push_back(to_json(row)); }
    for (const auto& [precision, a] : advice) {
      object["recommended"][precision] = {{"name", a.row->scheme->name}, {"reason", a.reason}};
    }
    if (!options.plot.empty()) { object["plot"] = options.plot; }
    write_json(object);
    return status;
  }
  session.say(
      fmt::format("Free body, moments {:g} {:g} {:g}, spin {:g} rad/s next to the middle axis, step {:g} s: "
                  "{:.3g} rad a step; {}",
                  q.body.moments.x, q.body.moments.y, q.body.moments.z, q.body.rate, q.step, q.angle(),
                  flips ? fmt::format("it flips every {:.4g} s", period / 2) : "it does not flip"));
  if (options.plot != "-") {
    std::string text = table(rows);
    for (const char* precision : {"float", "double"}) {
      const auto found = advice.find(precision);
      if (found == advice.end()) { continue; }
      text +=
          fmt::format("Recommended in {}: {}, {}.\n", precision, found->second.row->scheme->name, found->second.reason);
    }
    if (advice.empty()) { text += "Recommended: a smaller step; no scheme holds energy and momentum within 1 %.\n"; }
    write_out(text);
    if (!options.plot.empty()) { session.say("Wrote " + options.plot); }
  }
  session.suggest(options.plot.empty() ? "polhode schemes --moments 1,2,3 --plot schemes.svg"
                                       : "polhode schemes --moments 0.05,1,1.04 --spin-rpm 600 --hz 60");
  return status;
}

}  // namespace

void add_schemes(CLI::App& program, Session& session) {
  auto options = std::make_shared<SchemesOptions>();
  Command command = add_command(
      program, session, "schemes",
      "  polhode schemes --moments 1,2,3 --spin 6 --hz 60             every fixed-step scheme, judged by numbers\n"
      "  polhode schemes --moments 0.05,1,1.04 --spin-rpm 600 --step 0.01 --precision float\n"
      "  polhode schemes --moments 1,2,3 --plot schemes.svg           and a plot over step size",
      "stability, drift, flip period and cost of the fixed-step schemes",
      [options, &session] { return schemes(*options, session); });
  command.add_option("--moments", options->moments, "principal moments of inertia: J1,J2,J3 (default 1,2,3)");
  command.add_option("--inertia", options->inertia, "or the inertia matrix: Jxx,Jyy,Jzz,Jxy,Jxz,Jyz");
  command.add_option("--spin", options->spin, "angular velocity, rad/s (default 6)");
  command.add_option("--spin-rpm", options->spin_rpm, "or in turns a minute");
  command.add_option("--step", options->step, "time step, s");
  command.add_option("--hz", options->hz, "or steps a second (default 60)");
  command.add_option("--turns", options->turns, "how long to run (default 100)");
  command.add_option("--precision", options->precision, "float, double or both (default)");
  command.add_option("--plot", options->plot, "energy and period errors over step size, as SVG ('-': standard output)");
}

}  // namespace polhode::app
