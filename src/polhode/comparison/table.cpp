#include "polhode/comparison/table.h"

#include "polhode/core/counted.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

namespace polhode::comparison {
namespace {

/// Two digits are what an error is known to.
std::string error_text(double value) { return value == 0 ? "0" : fmt::format("{:.1e}", value); }

/// Five digits, but of a rounding error no more than of any error.
std::string multiplier_text(const Multiplier& m, double value) {
  return std::fabs(value) < 1e-12 * m.size ? error_text(value) : fmt::format("{:#.5g}", value);
}

std::string row_name(int c) { return c == 1 ? "e^T" : fmt::format("{}e^T", c); }

/// Text of a CSV cell.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') { out += '"'; }
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out + '"';
}

/// Comment lines hold no line break of others.
std::string comment(std::string_view name, const std::string& text) {
  std::string line = fmt::format("# {}: {}", name, text);
  std::replace_if(line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return line + '\n';
}

}  // namespace

PrintedTable printed(const Comparison& comparison) {
  std::set<std::string> methods;
  for (const Row& row : comparison.rows) { methods.insert(row.choice.integrator); }
  const bool many = methods.size() > 1;
  const bool finer = std::any_of(comparison.rows.begin(), comparison.rows.end(),
                                 [](const Row& row) { return row.finer_difference.has_value(); });

  PrintedTable table;
  table.heads = {"formulation"};
  if (many) { table.heads.emplace_back("integrator"); }
  table.heads.emplace_back("attitude rad");
  if (finer) { table.heads.emplace_back("finer rad"); }
  for (const char* head : {"rate rad/s", "||e|-1|", "energy", "momentum", "lambda from", "to", "off", "note", "steps",
                           "evals", "flops", "verdict"}) {
    table.heads.emplace_back(head);
  }
  std::map<std::pair<int, std::string>, std::string> letters;
  for (const Row& row : comparison.rows) {
    std::vector<std::string> cells{row.choice.formulation};
    if (many) { cells.push_back(row.choice.integrator); }
    if (row.has_run()) {
      cells.push_back(error_text(row.attitude_difference));
      if (finer) { cells.push_back(row.finer_difference ? error_text(*row.finer_difference) : "-"); }
      for (const double value : {row.rate_difference, row.norm_error, row.energy_drift, row.momentum_drift}) {
        cells.push_back(error_text(value));
      }
      if (row.multiplier) {
        const Multiplier& m = *row.multiplier;
        const std::string letter(1, static_cast<char>('a' + letters.size() % 26));
        const auto [found, is_new] = letters.try_emplace({m.row_scale, m.closed_form}, letter);
        if (is_new) {
          table.notes.push_back(
              fmt::format("{}: constraint row {}, lambda = {}", letter, row_name(m.row_scale), m.closed_form));
        }
        for (const std::string& text :
             {multiplier_text(m, m.least), multiplier_text(m, m.most), error_text(m.error), found->second}) {
          cells.push_back(text);
        }
      } else {
        cells.insert(cells.end(), 4, "-");
      }
      for (const std::size_t n : {row.statistics.steps, row.statistics.evaluations, row.flops}) {
        cells.push_back(fmt::format("{}", n));
      }
    } else {
      cells.insert(cells.end(), table.heads.size() - cells.size() - 1, "-");
    }
    cells.emplace_back(to_text(row.standing));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

std::string in_words(const Reference& reference) {
  std::string text =
      reference.exact
          ? reference.name
          : fmt::format("{}; an independent one (momentum-space with extrapolation) differs from it by {:.1e} rad",
                        reference.name, reference.uncertainty);
  if (!reference.reason.empty()) { text += "; it did not reach the end: " + reference.reason; }
  return text;
}

std::string in_words(const Comparison& comparison) {
  std::string text;
  for (const Standing standing : kStandings) {
    const std::size_t count = comparison.count(standing);
    if (count == 0) { continue; }
    const std::array<const char*, 6> words{
        "agree",  "agree only with finer steps", "off", "met a singularity of their chart", "cannot run this",
        "not run"};
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, words[static_cast<std::size_t>(standing)]);
  }
  return fmt::format("{} of {}", text, counted(comparison.rows.size(), "row"));
}

std::vector<std::string> reasons(const Comparison& comparison) {
  struct Group {
    Standing standing;
    std::string reason;
    std::vector<std::string> names;
  };
  std::vector<Group> groups;
  for (const Row& row : comparison.rows) {
    if (row.reason.empty() || row.standing == Standing::coarse) { continue; }  // its numbers stand in the table
    // up to the cure, and without the name of the form: many forms share a reason
    std::string reason = row.reason.substr(0, std::min(row.reason.find("; "), row.reason.find('\n')));
    const std::string own = "formulation '" + row.choice.formulation + "' ";
    if (reason.starts_with(own)) { reason.erase(0, own.size()); }
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
      return group.standing == row.standing && group.reason == reason;
    });
    if (same != groups.end()) {
      same->names.push_back(row.choice.formulation);
    } else {
      groups.push_back({row.standing, reason, {row.choice.formulation}});
    }
  }
  std::vector<std::string> lines;
  lines.reserve(groups.size());
  for (const Group& group : groups) {
    lines.push_back(fmt::format("{}: {}: {}", to_text(group.standing), fmt::join(group.names, ", "), group.reason));
  }
  return lines;
}

std::string to_csv(const Comparison& comparison, const Origin& origin) {
  std::string text = comment("polhode " + origin.version, origin.title);
  text += comment("scenario", origin.scenario_file + ", SHA-256 " + origin.scenario_sha256);
  text += comment("reference", in_words(comparison.reference));
  text += comment("accuracy asked for", fmt::format("{} rad", comparison.accuracy));
  text += comment("rows looked at", fmt::format("{} of {}", comparison.times.size(), comparison.rows_in_all));
  text +=
      "formulation,integrator,standing,attitude_difference_rad,attitude_difference_end_rad,finer_difference_rad,"
      "rate_difference_rad_s,"
      "norm_error,energy_drift,momentum_drift,multiplier_row_scale,multiplier_closed_form,multiplier_least_J,"
      "multiplier_most_J,closed_form_least_J,closed_form_most_J,multiplier_error,steps,rejected,evaluations,"
      "flops_per_evaluation,chart_switches,chart_condition,reason\n";
  for (const Row& row : comparison.rows) {
    text += fmt::format("{},{},{},", row.choice.formulation, row.choice.integrator, to_text(row.standing));
    if (row.has_run()) {
      text += fmt::format("{},{},{},{},{},{},{},", row.attitude_difference, row.attitude_difference_end,
                          row.finer_difference ? fmt::format("{}", *row.finer_difference) : "", row.rate_difference,
                          row.norm_error, row.energy_drift, row.momentum_drift);
      if (const std::optional<Multiplier>& m = row.multiplier) {
        text += fmt::format("{},{},{},{},{},{},{},", m->row_scale, quoted(m->closed_form), m->least, m->most,
                            m->closed_least, m->closed_most, m->error);
      } else {
        text += ",,,,,,,";
      }
      text += fmt::format("{},{},{},{},{},{},", row.statistics.steps, row.statistics.rejected,
                          row.statistics.evaluations, row.flops, row.statistics.chart_switches, row.chart_condition);
    } else {
      text += std::string(7 + 7 + 6, ',');
    }
    text += (row.reason.empty() ? "" : quoted(row.reason)) + '\n';
  }
  return text;
}

std::string in_words(const FormComparison& comparison) {
  std::string text = fmt::format("Newton-Euler velocities, at {} state{} along the run", comparison.states,
                                 comparison.states == 1 ? "" : "s");
  if (!comparison.reached_end()) {
    text += fmt::format(", which ended at t = {:g} s: {}", comparison.end.t, comparison.end.message);
  }
  return text;
}

std::string to_csv(const FormComparison& comparison, const Origin& origin) {
  std::string text = comment("polhode " + origin.version, origin.title);
  text += comment("scenario", origin.scenario_file + ", SHA-256 " + origin.scenario_sha256);
  text += comment("reference", in_words(comparison));
  text +=
      "form,jacobian,standing,acceleration_difference,reaction_difference,multiplier_least_J,multiplier_most_J,"
      "multiplier_off\n";
  for (const FormRow& row : comparison.rows) {
    text += fmt::format("{},{},{},{},{},{},{},{}\n", row.form, row.raw ? "raw" : "rate",
                        to_text(row.agrees() ? Standing::agrees : Standing::off), row.acceleration,
                        row.reaction ? fmt::format("{}", *row.reaction) : "", row.multiplier_least, row.multiplier_most,
                        row.multiplier_off);
  }
  return text;
}

}  // namespace polhode::comparison
