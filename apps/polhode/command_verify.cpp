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
using verification::Report;
using verification::Verification;

struct Choice {
  std::string what = "all";
  std::string traceability;
  bool list = false;
};

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
Report gathered(const std::string& what, const std::vector<const Verification*>& parts, bool run) {
  Report all{what, {}};
  for (const Verification* part : parts) {
    Report one = run ? part->run() : part->describe();
    std::move(one.items.begin(), one.items.end(), std::back_inserter(all.items));
  }
  return all;
}

void print_table(const Report& report) {
  fmt::print("{:<6}{:>8}{:>8}{:>10}{:>8}{:>8}{:>14}{:>8}  {}\n", "seed", "checks", "exact", "50-digit", "double",
             "failed", "twins killed", "errata", "verdict");
  for (const std::string& seed : verification::seeds_of(report)) {
    Report part{seed, {}};
    std::copy_if(report.items.begin(), report.items.end(), std::back_inserter(part.items),
                 [&](const Item& item) { return item.seed == seed; });
    const auto count = [&](auto property) { return std::count_if(part.items.begin(), part.items.end(), property); };
    fmt::print("{:<6}{:>8}{:>8}{:>10}{:>8}{:>8}{:>14}{:>8}  {}\n", seed, part.checks(),
               count([](const Item& i) { return i.arithmetic == "exact"; }),
               count([](const Item& i) { return i.arithmetic == "50-digit"; }),
               count([](const Item& i) { return i.arithmetic == "double"; }), part.failed(),
               fmt::format("{}/{}", part.twins_killed(), part.twins()),
               count([](const Item& i) { return !i.erratum.empty(); }), part.passed() ? "ok" : "FAILED");
  }
}

/// Checks in double leave a margin: the worst found, as a fraction of what is allowed.
void print_margins(const Report& report) {
  bool first = true;
  for (const Item& item : report.items) {
    if (item.arithmetic != "double") { continue; }
    if (first) { fmt::print("\n{:<44}{:>12}{:>14}\n", "worst error as a fraction of its bound", "", "wrong twin"); }
    first = false;
    fmt::print("{:<44}{:>12.3g}{:>14.3g}\n", item.equation, item.residual, item.twin_residual);
  }
  if (!first) { fmt::print("\n"); }
}

void print_failures(const Report& report) {
  for (const Item& item : report.items) {
    if (!item.ok) {
      fmt::print("failed: {} ({}) {}: {}\n", item.seed, item.equation, item.statement,
                 item.trouble.empty() ? fmt::format("residual {:.3g}", item.residual) : item.trouble);
    }
    if (!item.twin_killed) {
      fmt::print("twin survived: {} ({}) {}; wrong: {}\n", item.seed, item.equation, item.statement, item.twin);
    }
  }
}

int verify(const Session& session, const Choice& choice) {
  const std::vector<const Verification*> parts = chosen(choice.what);
  if (!choice.traceability.empty() || choice.list) {
    const Report described = gathered(choice.what, parts, false);
    if (!choice.traceability.empty()) {
      write_file(choice.traceability, verification::traceability(described));
      if (choice.traceability != "-" && !session.json) {
        session.say(fmt::format("{} relations written to {}", described.checks(), choice.traceability));
      }
    }
    if (session.json && choice.traceability != "-") {
      fmt::print("{}\n", verification::to_json(described, false));
    } else if (choice.list) {
      for (const Item& item : described.items) {
        fmt::print("{:<4} {:<24} {:<9} {}\n", item.seed, item.equation, item.arithmetic, item.statement);
      }
    }
    return kDone;
  }
  const auto start = std::chrono::steady_clock::now();
  const Report report = gathered(choice.what, parts, true);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const int status = report.passed() ? kDone : kCheckFailed;
  if (session.json) {
    fmt::print("{}\n", verification::to_json(report));
    return status;
  }
  print_table(report);
  print_margins(report);
  print_failures(report);
  fmt::print("{} checks, {} failed; {} of {} wrong twins caught\n", report.checks(), report.failed(),
             report.twins_killed(), report.twins());
  session.say(fmt::format("took {:.1f} s", seconds.count()));
  session.suggest("polhode verify --list");
  return status;
}

}  // namespace

void add_verify(CLI::App& program, Session& session) {
  auto choice = std::make_shared<Choice>();
  CLI::App& command =
      add_command(program, session, "verify",
                  "  polhode verify identities                            every numbered equation, and its wrong twin\n"
                  "  polhode verify forms                                 every form of the equations of motion\n"
                  "  polhode verify --traceability docs/traceability.md   which function computes which equation",
                  "check the library against the equations of its sources",
                  [choice, &session] { return verify(session, *choice); });
  std::string known = "what to verify: all";
  for (const Verification& v : verification::verifications()) { known += fmt::format(", {} ({})", v.name, v.summary); }
  command.add_option("WHAT", choice->what, known);
  command.add_option("--traceability", choice->traceability,
                     "write the table equation, label, function, check as Markdown to this file, and check nothing");
  command.add_flag("--list", choice->list, "list the relations, and check nothing");
}

}  // namespace polhode::app
