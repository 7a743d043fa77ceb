#include "command.h"
#include "polhode/core/error.h"
#include "polhode/verification/verification.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

namespace polhode::app {
namespace {

using verification::Item;
using verification::Measurement;
using verification::Report;
using verification::Verification;
using verification::VerifyOptions;

struct VerifyChoice {
  std::string what = "all";
  std::string traceability;
  bool list = false;
  bool longer = false;
};

constexpr double kTurns = 1e5;
constexpr double kLongTurns = 1e6;

/// The verifications meant by WHAT.
std::vector<const Verification*> chosen(const std::string& what) {
  std::vector<const Verification*> found;
  std::vector<std::string_view> known{"all"};
  for (const Verification& v : verification::verifications()) {
    known.push_back(v.name);
    if (what == "all" || what == v.name) { found.push_back(&v); }
  }
  if (found.empty()) { fail(Error(unknown_name("verification", what, known))); }
  return found;
}

/// All in one report, named as asked for.
template <class Make>
Report gathered(const std::string& what, const std::vector<const Verification*>& parts, const Make& make) {
  Report all{what, {}};
  for (const Verification* part : parts) {
    if (interrupted()) { break; }
    Report one = make(*part);
    std::move(one.items.begin(), one.items.end(), std::back_inserter(all.items));
    std::move(one.measured.begin(), one.measured.end(), std::back_inserter(all.measured));
  }
  return all;
}

/// One line a source; the verdict in green or red where `colour` is welcome.
std::string table(const Report& report, bool colour) {
  const auto verdict = [&](bool passed) {
    const char* word = passed ? "ok" : "FAILED";
    return colour ? fmt::format("\x1b[{}m{}\x1b[0m", passed ? 32 : 31, word) : word;
  };
  static constexpr char kRow[] = "{:<20}{:>8}{:>8}{:>10}{:>13}{:>8}{:>8}{:>14}{:>8}  {}\n";
  std::string text = fmt::format(kRow, "source", "checks", "exact", "50-digit", "long double", "double", "failed",
                                 "twins killed", "errata", "verdict");
  for (const std::string& source : verification::sources_of(report)) {
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

int verify(const Session& session, const VerifyChoice& choice) {
  const std::vector<const Verification*> parts = chosen(choice.what);
  if (!choice.traceability.empty() || choice.list) {
    const Report described = gathered(choice.what, parts, [](const Verification& v) { return v.describe(); });
    if (!choice.traceability.empty()) {
      write_file(choice.traceability, verification::traceability(described));
      if (choice.traceability != "-" && !session.json) {
        const auto written = std::count_if(described.items.begin(), described.items.end(),
                                           [](const Item& item) { return item.everywhere; });
        session.say(fmt::format("{} relations written to {}", written, choice.traceability));
      }
    }
    if (session.json && choice.traceability != "-") {
      write_out(verification::to_json(described, false) + '\n');
    } else if (choice.list) {
      std::string text;
      for (const Item& item : described.items) {
        text += fmt::format("{:<4} {:<24} {:<9} {}\n", item.source, item.equation, item.arithmetic, item.statement);
      }
      write_out(text);
    }
    return kDone;
  }
  const auto start = std::chrono::steady_clock::now();
  catch_interrupt();
  VerifyOptions options;
  options.turns = choice.longer ? kLongTurns : kTurns;
  options.stop = interrupted;
  options.progress = [&](std::string_view line) { session.say(line); };
  const Report report = gathered(choice.what, parts, [&](const Verification& v) { return v.run(options); });
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const int status = interrupted() ? interrupted_status() : report.passed() ? kDone : kCheckFailed;
  if (session.json) {
    write_out(verification::to_json(report) + '\n');
    return status;
  }
  write_out(table(report, session.colour()) + margins(report) + measurements(report) + failures(report) +
            fmt::format("{}{} checks, {} failed; {} of {} wrong twins caught\n", interrupted() ? "interrupted: " : "",
                        report.checks(), report.failed(), report.twins_killed(), report.twins()));
  session.say(fmt::format("took {:.1f} s", seconds.count()));
  if (!interrupted()) { session.suggest("polhode verify --list"); }
  return status;
}

}  // namespace

void add_verify(CLI::App& program, Session& session) {
  auto choice = std::make_shared<VerifyChoice>();
  Command command =
      add_command(program, session, "verify",
                  "  polhode verify identities                            every numbered equation, and its wrong twin\n"
                  "  polhode verify forms                                 every form of the equations of motion\n"
                  "  polhode verify joints                                joints and forces of mechanisms\n"
                  "  polhode verify integrators                           order and long runs: minutes\n"
                  "  polhode verify --traceability docs/traceability.md   which function computes which equation",
                  "check the library against the equations of its sources",
                  [choice, &session] { return verify(session, *choice); });
  std::string known = "what to verify: all";
  for (const Verification& v : verification::verifications()) { known += fmt::format(", {} ({})", v.name, v.summary); }
  command.add_option("WHAT", choice->what, known);
  command.add_option("--traceability", choice->traceability,
                     "write the table equation, label, function, check as Markdown to this file, and check nothing");
  command.add_flag("--list", choice->list, "list the relations, and check nothing");
  command.add_flag("--long", choice->longer, "integrators: long runs of 1e6 turns, not 1e5");
}

}  // namespace polhode::app
