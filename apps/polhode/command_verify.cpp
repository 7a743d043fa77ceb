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
  write_out(verification::to_text(report, session.colour()) +
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
