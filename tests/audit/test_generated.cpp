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
