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

TEST_CASE("a clean log whose rates are up to one and a half steps late or early is not accused, and its lag is told") {
  constexpr std::array<double, 10> kLags{0.25, -0.25, 0.5, -0.5, 0.75, -0.75, 1, -1, 1.5, -1.5};
  const int each = long_run() ? 200 : 8;
  int accused = 0;
  int rough_followed = 0;
  for (const double lag : kLags) {
    for (int i = 0; i < each; ++i) {
      const std::uint64_t seed = 400000 + static_cast<std::uint64_t>(i);
      const MadeLog good = LogMaker(seed).lagging(lag).clean();
      const Report report = audit::audit(good.log, good.request);
      CAPTURE(good.story);
      CHECK(test::joined(report.faults()) == "");
      const Verdict& attitude = report.verdict("attitude");
      CAPTURE(attitude.reason);
      CHECK(attitude.answer == Answer::yes);
      REQUIRE(attitude.numbers.back().first == "lag_steps");
      CHECK(std::fabs(attitude.numbers.back().second - lag) < 0.1);  // noise 1e-4 at 200 rows a turn

      const MadeLog poor = LogMaker(seed).rough().lagging(lag).clean();
      const Report rough = audit::audit(poor.log, poor.request);
      rough_followed += rough.verdict("attitude").answer == Answer::yes ? 1 : 0;
      if (!rough.faults().empty()) {
        ++accused;
        MESSAGE(i, " clean -> ", test::joined(rough.faults()), "|", poor.story);
      }
    }
  }
  const int all = each * static_cast<int>(kLags.size());
  MESSAGE(accused, " of ", all, " rough clean logs with a lag accused; in ", rough_followed, " the attitude follows");
  CHECK(accused == 0);
  CHECK(rough_followed * 2 >= all);  // and not because nothing is ever told
}

TEST_CASE("a lag of the rates does not hide a fault") {
  const int each = long_run() ? 100 : 4;
  constexpr std::array<const char*, 11> kLaggingFaults{"order",
                                                       "direction",
                                                       "frame",
                                                       "units",
                                                       "time",
                                                       "factor",
                                                       "inertia",
                                                       "damping",
                                                       "growth",
                                                       "attitude",
                                                       "attitude frozen later"};
  int named = 0;
  int all = 0;
  for (std::size_t kind = 0; kind < kLaggingFaults.size(); ++kind) {
    for (int i = 0; i < each; ++i) {
      const double lag = (i % 2 == 0 ? 1 : -1) * (0.5 + 0.25 * (i / 2 % 5));
      const MadeLog made =
          LogMaker(600000 + 1000 * kind + static_cast<std::uint64_t>(i)).lagging(lag).with_fault(kLaggingFaults[kind]);
      const Report report = audit::audit(made.log, made.request);
      ++all;
      const bool found = !report.faults().empty();
      named += found ? 1 : 0;
      CAPTURE(made.story);
      CAPTURE(made.fault);
      CHECK((found || !report.open_questions().empty()));
      if (!found) { MESSAGE(made.fault, " not found: ", report.conclusion(), "|", made.story); }
    }
  }
  MESSAGE(named, " of ", all, " faults found in logs with a lag");
  CHECK(named * 100 >= all * 95);
}

TEST_CASE("a small constant torque is found, or cannot be told; a body without one is not accused") {
  struct Kind {
    int digits;  // 0: all
    double change;
    RateFrame frame;
  };
  constexpr std::array<Kind, 10> kKinds{{{4, 0.01, RateFrame::space},
                                         {4, 0.01, RateFrame::body},
                                         {4, 0.003, RateFrame::space},
                                         {4, 0.003, RateFrame::body},
                                         {3, 0.01, RateFrame::space},
                                         {3, 0.01, RateFrame::body},
                                         {0, 0.003, RateFrame::space},
                                         {0, 0.003, RateFrame::body},
                                         {4, 0, RateFrame::space},
                                         {3, 0, RateFrame::space}}};
  constexpr double kSeen = 0.002;  // of the momentum: twice the drift that is allowed
  const int each = long_run() ? 200 : 10;
  for (const Kind& kind : kKinds) {
    int changed = 0;
    int named = 0;
    for (int i = 0; i < each; ++i) {
      const MadeLog made = LogMaker(500000 + static_cast<std::uint64_t>(i))
                               .digits(kind.digits)
                               .turns(14)
                               .with_torque(kind.change, kind.frame);
      const Report report = audit::audit(made.log, made.request);
      CAPTURE(made.story);
      CAPTURE(kind.digits);
      CAPTURE(kind.change);
      CAPTURE(made.momentum_change);
      if (kind.change == 0) { CHECK(test::joined(report.faults()) == ""); }
      if (made.momentum_change < kSeen) { continue; }
      ++changed;
      named += report.faults().empty() ? 0 : 1;
      CAPTURE(report.verdict("momentum").reason);
      CHECK((!report.faults().empty() || report.verdict("momentum").answer == Answer::cannot_tell));
    }
    MESSAGE(kind.digits, " digits, torque ", kind.change,
            std::string(kind.frame == RateFrame::body ? " in the body: " : " in space: "), named, " of ", changed,
            " that change the momentum accused");
    if (kind.digits != 3) { CHECK(named * 100 >= changed * 90); }
  }
}

TEST_CASE("a given inertia that is off by a thousandth makes a fault of a log of one turn in at most 2 of 100") {
  const int all = long_run() ? 200 : 40;
  int accused = 0;
  test::Random random(7);
  for (int i = 0; i < all; ++i) {
    MadeLog made = LogMaker(700000 + static_cast<std::uint64_t>(i)).turns(1).clean();
    if (!made.request.J_B) { continue; }
    const auto factor = [&] { return 1 + 1e-3 * random.between(-1, 1); };
    const std::array<double, 3> factors{factor(), factor(), factor()};  // in this order
    const Mat3<double> stretch = diagonal(factors[0], factors[1], factors[2]);
    made.request.J_B = stretch * *made.request.J_B * stretch;
    const std::vector<std::string> faults = audit::audit(made.log, made.request).faults();
    if (!faults.empty()) {
      ++accused;
      MESSAGE("inertia off by a thousandth -> ", test::joined(faults), "|", made.story);
    }
  }
  MESSAGE(accused, " of ", all, " logs accused");
  CHECK(accused * 100 <= 2 * all);
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
