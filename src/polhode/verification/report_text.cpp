#include "polhode/verification/report.h"

#include <fmt/format.h>

#include <algorithm>

/// What a verification has found, for people.
namespace polhode::verification {
namespace {

/// One line a source; the verdict in green or red where `colour` is welcome.
std::string table_of_sources(const Report& report, bool colour) {
  const auto verdict = [&](bool passed) {
    const char* word = passed ? "ok" : "FAILED";
    return colour ? fmt::format("\x1b[{}m{}\x1b[0m", passed ? 32 : 31, word) : word;
  };
  static constexpr char kRow[] = "{:<20}{:>8}{:>8}{:>10}{:>13}{:>8}{:>8}{:>14}{:>8}  {}\n";
  std::string text = fmt::format(kRow, "source", "checks", "exact", "50-digit", "long double", "double", "failed",
                                 "twins killed", "errata", "verdict");
  for (const std::string& source : sources_of(report)) {
    Report part{source, {}};
    std::copy_if(report.items.begin(), report.items.end(), std::back_inserter(part.items),
                 [&](const Item& item) { return item.source == source; });
    const auto count = [&](auto property) { return std::count_if(part.items.begin(), part.items.end(), property); };
    const auto in = [&](const char* arithmetic) {
      return count([&](const Item& i) { return i.arithmetic == arithmetic; });
    };
    text += fmt::format(kRow, source, part.checks(), in("exact"), in("50-digit"), in("long double"), in("double"),
                        part.failed(), fmt::format("{}/{}", part.twins_killed(), part.twins()),
                        count([](const Item& i) { return !i.erratum.empty(); }), verdict(part.passed()));
  }
  return text;
}

/// Checks in double leave a margin: the worst found, as a fraction of what is allowed.
std::string margins(const Report& report) {
  std::string text;
  for (const Item& item : report.items) {
    if (item.arithmetic != "double" || item.in_table) { continue; }
    if (text.empty()) {
      text = fmt::format("\n{:<44}{:>12}{:>14}\n", "worst error as a fraction of its bound", "", "wrong twin");
    }
    text += fmt::format("{:<44}{:>12.3g}{:>14.3g}\n", item.equation, item.residual, item.twin_residual);
  }
  return text.empty() ? text : text + '\n';
}

/// What was measured: a table for each quantity, a row for each thing, a column for each case.
std::string measurements(const Report& report) {
  const auto distinct = [&](std::string Measurement::* field, const auto& chosen) {
    std::vector<std::string> found;
    for (const Measurement& m : report.measured) {
      if (chosen(m) && std::find(found.begin(), found.end(), m.*field) == found.end()) { found.push_back(m.*field); }
    }
    return found;
  };
  std::string text;
  for (const std::string& quantity : distinct(&Measurement::quantity, [](const Measurement&) { return true; })) {
    const auto here = [&](const Measurement& m) { return m.quantity == quantity; };
    const std::vector<std::string> columns = distinct(&Measurement::on, here);
    text += fmt::format("\n{:<36}", quantity);
    for (const std::string& column : columns) { text += fmt::format("{:>18}", column); }
    text += '\n';
    for (const std::string& row : distinct(&Measurement::of, here)) {
      text += fmt::format("  {:<34}", row);
      for (const std::string& column : columns) {
        const auto found = std::find_if(report.measured.begin(), report.measured.end(),
                                        [&](const Measurement& m) { return here(m) && m.of == row && m.on == column; });
        text += found == report.measured.end() ? fmt::format("{:>18}", "-") : fmt::format("{:>18.4g}", found->value);
      }
      text += '\n';
    }
  }
  return text.empty() ? text : text + '\n';
}

std::string failures(const Report& report) {
  std::string text;
  for (const Item& item : report.items) {
    if (!item.ok) {
      text += fmt::format("failed: {} ({}) {}: {}\n", item.source, item.equation, item.statement,
                          item.trouble.empty() ? fmt::format("residual {:.3g}", item.residual) : item.trouble);
    }
    if (!item.twin_killed) {
      text +=
          fmt::format("twin survived: {} ({}) {}; wrong: {}\n", item.source, item.equation, item.statement, item.twin);
    }
  }
  return text;
}

}  // namespace

std::string to_text(const Report& report, bool colour) {
  return table_of_sources(report, colour) + margins(report) + measurements(report) + failures(report);
}

}  // namespace polhode::verification
