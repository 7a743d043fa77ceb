#include "polhode/catalog/model_check.h"
#include "polhode/simulation/subject.h"

#include <memory>
#include <optional>
#include <span>
#include <utility>

/// What switches by time, and when; and what switches with the state.
namespace polhode::catalog {
namespace {

constexpr std::size_t kMostTimesCounted = 5000;

void enter(const formula::TimeJump& jump, FoundSwitch& found) {
  // a truth for an instant has two switches, one number apart
  if (found.count > 0 && jump.before <= found.last) { return; }
  found.last = jump.after;
  ++found.count;
  if (found.times.size() < ModelCheck::kMostMessages) { found.times.push_back(jump.after); }
}

/// The same law with one of its switches alone.
std::vector<formula::LawInTime> alone(const formula::LawInTime& law, std::size_t k) {
  std::vector<formula::LawInTime> laws{law};
  laws.front().switches = {law.switches[k]};
  laws.front().watches_sign = false;
  return laws;
}

/// The switches of a law, each with its times: where the law switches, what of it does. A side of a choice that is not
/// taken does not.
std::vector<FoundSwitch> switches_of(const formula::LawInTime& law, double duration) {
  const std::vector<formula::LawInTime> laws{law};
  formula::TimeSearch search(laws);
  std::vector<FoundSwitch> found(law.switches.size());
  std::vector<std::vector<formula::LawInTime>> singles;
  for (std::size_t k = 0; k < law.switches.size(); ++k) {
    found[k].law = law.name;
    found[k].words = law.in_words(k);
    singles.push_back(alone(law, k));
  }
  std::vector<formula::TimeSearch> of_single(singles.begin(), singles.end());
  double from = 0;
  std::size_t jumps = 0;
  bool is_more = false;
  while (const std::optional<formula::TimeJump> jump = search.first_switch(from, duration)) {
    from = jump->after;
    if (jumps++ == kMostTimesCounted) {
      is_more = true;
      break;
    }
    for (std::size_t k = 0; k < found.size(); ++k) {
      if (of_single[k].first_switch(jump->before, jump->after)) { enter(*jump, found[k]); }
    }
  }
  for (FoundSwitch& one : found) {
    one.is_more = is_more;
    one.is_decided = search.undecided() == 0;
  }
  return found;
}

/// The zeros of an event whose formula is of time alone. Leaving a zero is none.
FoundSwitch zeros_of(const formula::LawInTime& law, double duration) {
  FoundSwitch found;
  found.law = law.name;
  found.words = "its formula is zero";
  std::vector<formula::LawInTime> laws{law};
  laws.front().switches.clear();
  formula::TimeSearch search(laws);
  const auto value = [&law](double t) {
    const std::vector<double> inputs(law.function.inputs().size(), t);
    double result = 0;
    law.function(std::span<const double>(inputs), std::span(&result, 1));
    return result;
  };
  double from = 0;
  while (const std::optional<formula::TimeJump> jump = search.first_switch(from, duration)) {
    from = jump->after;
    if (value(jump->before) == 0) { continue; }
    if (found.count == kMostTimesCounted) {
      found.is_more = true;
      break;
    }
    enter(*jump, found);
  }
  found.is_decided = search.undecided() == 0;
  return found;
}

}  // namespace

void look_at_switches(const simulation::Plan& plan, ModelCheck& check) {
  const auto has_room = [&check] {
    if (check.switches.size() < ModelCheck::kMostMessages) { return true; }
    ++check.switches_left_out;
    return false;
  };
  if (plan.laws_in_time) {
    for (const formula::LawInTime& law : *plan.laws_in_time) {
      if (check.switches.size() >= ModelCheck::kMostMessages) {
        check.switches_left_out += law.switches.size();
        continue;
      }
      for (FoundSwitch& one : switches_of(law, plan.duration)) {
        if (has_room()) { check.switches.push_back(std::move(one)); }
      }
    }
  }
  const std::unique_ptr<simulation::Subject> subject = plan.subject();
  for (std::size_t i = 0; i < subject->event_count(); ++i) {
    const simulation::EventHead& event = subject->event(i);
    if (event.in_time && has_room()) { check.switches.push_back(zeros_of(event.in_time->front(), plan.duration)); }
  }
  for (const simulation::StateSwitches& one : plan.switches_of_state) {
    if (!has_room()) { continue; }
    FoundSwitch& found = check.switches.emplace_back();
    found.law = one.law;
    found.of_time = false;
    found.count = one.count;
  }
  check.lands = plan.step == 0;
  check.opaque_laws = plan.opaque_laws;
}

}  // namespace polhode::catalog
