// What the referee says about logs made on purpose. A sample here; all of them with POLHODE_LONG=1.
#include "audit/generated_logs.h"
#include "support/words.h"

#include <doctest/doctest.h>

#include <map>

using namespace polhode;
using namespace polhode::audit;
using namespace polhode::test;

namespace {

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

TEST_CASE("a planted fault of each of ten kinds is named in at least 95 of 100 logs") {
  const int each = long_run() ? 100 : 6;
  int named = 0;
  int alone = 0;
  std::map<std::string, int> missed;
  for (std::size_t kind = 0; kind < kPlanted.size(); ++kind) {
    for (int i = 0; i < each; ++i) {
      const MadeLog made = LogMaker(1000 * (kind + 1) + static_cast<std::uint64_t>(i)).with_fault(kPlanted[kind]);
      const std::vector<std::string> faults = audit::audit(made.log, made.request).faults();
      const bool found = contains(faults, made.fault);
      named += found ? 1 : 0;
      alone += found && faults.size() == 1 ? 1 : 0;
      if (!found) { ++missed[made.fault]; }
      if (!found || faults.size() != 1) { MESSAGE(made.fault, " -> ", test::joined(faults), "|", made.story); }
    }
  }
  const int all = each * static_cast<int>(kPlanted.size());
  MESSAGE(named, " of ", all, " faults named, ", alone, " of them alone");
  for (const auto& [fault, count] : missed) { MESSAGE(fault, " missed ", count, " times"); }
  CHECK(named * 100 >= all * 95);
}

TEST_CASE("a clean log is accused in at most 1 of 100") {
  const int all = long_run() ? 500 : 40;
  int accused = 0;
  for (int i = 0; i < all; ++i) {
    const MadeLog made = LogMaker(50000 + static_cast<std::uint64_t>(i)).clean();
    const std::vector<std::string> faults = audit::audit(made.log, made.request).faults();
    if (!faults.empty()) {
      ++accused;
      MESSAGE("clean -> ", test::joined(faults), "|", made.story);
    }
  }
  MESSAGE(accused, " of ", all, " clean logs accused");
  CHECK(accused * 100 <= all);
}

TEST_CASE("where nothing can be seen the answer is cannot tell, and nobody is accused") {
  const int all = long_run() ? 200 : 24;
  for (int i = 0; i < all; ++i) {
    const MadeLog made = LogMaker(90000 + static_cast<std::uint64_t>(i)).ambiguous(i % kAmbiguousKinds);
    CAPTURE(made.story);
    const Report report = audit::audit(made.log, made.request);
    CHECK(test::joined(report.faults()) == "");
    for (const std::string& question : made.questions) {
      CAPTURE(question);
      CAPTURE(report.verdict(question).reason);
      CHECK(report.verdict(question).answer == Answer::cannot_tell);
    }
  }
}

TEST_CASE("a clean log with few rows, few digits, interpolated or missing rows is not accused") {
  const int all = long_run() ? 6000 : 300;
  int accused = 0;
  int told = 0;
  for (int i = 0; i < all; ++i) {
    const MadeLog made = LogMaker(200000 + static_cast<std::uint64_t>(i)).rough().clean();
    const Report report = audit::audit(made.log, made.request);
    const std::vector<std::string> faults = report.faults();
    told += report.verdict("attitude").answer == Answer::yes ? 1 : 0;
    if (!faults.empty()) {
      ++accused;
      MESSAGE(i, " clean -> ", test::joined(faults), "|", made.story);
    }
  }
  MESSAGE(accused, " of ", all, " rough clean logs accused; in ", told, " the attitude is found to follow the rates");
  CHECK(accused == 0);
  CHECK(told * 3 >= all * 2);  // and not because nothing is ever told
}

TEST_CASE("a faulty log with few rows, few digits, interpolated or missing rows is never called free of faults") {
  const int each = long_run() ? 200 : 12;
  int all = 0;
  int named = 0;
  int missed = 0;
  for (std::size_t kind = 0; kind < kRoughFaults.size(); ++kind) {
    const RoughFault& fault = kRoughFaults[kind];
    int named_here = 0;
    int missed_here = 0;
    for (int i = 0; i < each; ++i) {
      const MadeLog made =
          LogMaker(300000 + 1000 * kind + static_cast<std::uint64_t>(i)).rough().with_fault(fault.name);
      if (made.fault.empty()) { continue; }
      ++all;
      const Report report = audit::audit(made.log, made.request);
      const bool found = !report.faults().empty();
      const bool miss = !found && report.verdict(fault.question).answer == Answer::yes;
      named_here += found ? 1 : 0;
      missed_here += miss ? 1 : 0;
      if (miss) {
        MESSAGE(i, " ", std::string(fault.name), " missed: ", report.verdict(fault.question).reason, "|", made.story);
      }
    }
    MESSAGE(std::string(fault.name), ": ", named_here, " of ", each, " accused, ", missed_here, " missed");
    named += named_here;
    missed += missed_here;
  }
  MESSAGE(named, " of ", all, " rough faulty logs accused, ", missed, " called free of faults");
  CHECK(missed == 0);
  CHECK(named * 3 >= all * 2);
}
