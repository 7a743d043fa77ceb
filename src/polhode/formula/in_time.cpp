#include "polhode/formula/in_time.h"

#include "polhode/formula/path.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace polhode::formula {
namespace {

bool skips(Code code) { return code == Code::skip_if_zero || code == Code::skip_unless_zero; }

/// Whether a truth is certainly 1, or certainly 0.
bool is_true(double truth) { return truth != 0; }
bool is_false(double truth) { return truth == 0; }
bool is_true(const Interval& truth) { return !truth.contains(0); }
bool is_false(const Interval& truth) { return truth.low == 0 && truth.high == 0; }
bool is_true(const Dual<Interval>& truth) { return is_true(truth.value); }
bool is_false(const Dual<Interval>& truth) { return is_false(truth.value); }

/// Where a lies to b, −1, 0 or 1: a truth is the same on both sides of the instant at which they are equal.
double order_of(double a, double b) { return a < b ? -1 : a > b ? 1 : 0; }
Interval order_of(const Interval& a, const Interval& b) {
  if (a.high < b.low) { return -1.0; }
  if (a.low > b.high) { return 1.0; }
  return equal(a, b) == Interval(1.0) ? Interval(0.0) : Interval(-1, 1);
}

/// A stretch less a few numbers at either end.
Interval without_ends(Interval stretch) {
  constexpr int kFew = 8;
  for (int i = 0; i < kFew; ++i) {
    stretch = {polhode::detail::above(stretch.low), polhode::detail::below(stretch.high)};
  }
  return stretch;
}

/// Words of operations.
struct Spelling {
  const char* sign;  ///< between two arguments, or "" for a function
  const char* name;  ///< as a function
};
Spelling spelling_of(Code code) {
  switch (code) {
    case Code::add:
      return {" + ", ""};
    case Code::subtract:
      return {" - ", ""};
    case Code::multiply:
      return {"*", ""};
    case Code::divide:
      return {"/", ""};
    case Code::power:
      return {"^", ""};
    case Code::both:
      return {" && ", ""};
    case Code::either:
      return {" || ", ""};
    case Code::less:
      return {" < ", ""};
    case Code::less_or_equal:
      return {" <= ", ""};
    case Code::equal:
      return {" == ", ""};
    case Code::negative:
      return {"", "-"};
    case Code::negation:
      return {"", "!"};
    case Code::choose:
      return {"", "choose"};
#define FUNCTION(name, arguments) \
  case Code::name:                \
    return {"", #name};
#include "polhode/formula/functions.def"
#undef FUNCTION
    default:
      return {"", "?"};
  }
}

double not_reached(double) { return std::nan(""); }
Interval not_reached(const Interval&) { return {std::nan(""), std::nan("")}; }
bool is_reached(double mode) { return !std::isnan(mode); }
bool is_reached(const Interval& mode) { return !std::isnan(mode.low); }

}  // namespace

LawInTime::LawInTime(std::string its_name, Function its_function, const std::function<bool(const Input&)>& is_time)
    : name(std::move(its_name)), function(std::move(its_function)) {
  const Tape& tape = function.tape();
  of_time.assign(tape.slot_count(), true);
  for (std::size_t i = 0; i < function.inputs().size(); ++i) {
    const std::size_t slot = function.slot_of_input(i);
    if (is_time(function.inputs()[i])) {
      time_slots.push_back(slot);
    } else {
      of_time[slot] = false;
    }
  }
  std::vector<bool> looked_at(tape.slot_count());
  for (const Op& op : tape.ops(Pace::state)) {
    const std::size_t slot = tape.slot_of(&op);
    const std::uint32_t arguments[] = {op.a, op.b, op.c};
    const int count = argument_count(op.code);
    for (int i = 0; i < count; ++i) { of_time[slot] = of_time[slot] && of_time[arguments[i]]; }
    if (of_time[slot] || skips(op.code)) { continue; }
    for (int i = 0; i < count; ++i) { looked_at[arguments[i]] = true; }
  }
  for (std::size_t i = 0; i < tape.output_count(); ++i) { looked_at[tape.output(i)] = true; }
  for (const Op& op : tape.ops(Pace::state)) {
    const std::size_t slot = tape.slot_of(&op);
    if (of_time[slot] && looked_at[slot]) { values.push_back(static_cast<std::uint32_t>(slot)); }
  }
  for (std::size_t k = 0; k < tape.switches().size(); ++k) {
    const Switch& one = tape.switches()[k];
    const bool of_both = of_time[one.a] && of_time[one.slot];
    const bool changes = one.slot >= tape.slot_count() - tape.ops(Pace::state).size();
    if (!changes) { continue; }  // made of constants and parameters
    (of_both ? switches : of_state).push_back(k);
  }
}

std::string LawInTime::in_words(std::size_t i) const {
  constexpr std::size_t kLongestShown = 80;
  const Tape& tape = function.tape();
  const std::span<const Op> ops = tape.ops();
  const std::size_t first_op = tape.slot_count() - ops.size();
  const std::size_t first_of_state = tape.slot_count() - tape.ops(Pace::state).size();
  const std::function<std::string(std::uint32_t, bool)> words = [&](std::uint32_t slot, bool whole) -> std::string {
    if (std::find(time_slots.begin(), time_slots.end(), slot) != time_slots.end()) { return "t"; }
    if (slot < first_of_state || slot < first_op) { return fmt::format("{:.9g}", function.constant_slots()[slot]); }
    const Op& op = ops[slot - first_op];
    const Spelling spelling = spelling_of(op.code);
    if (*spelling.sign != '\0') {
      const std::string both = words(op.a, false) + spelling.sign + words(op.b, false);
      return whole ? both : "(" + both + ")";
    }
    const std::uint32_t arguments[] = {op.a, op.b, op.c};
    std::string list;
    for (int k = 0; k < argument_count(op.code) && list.size() < kLongestShown; ++k) {
      list += (k > 0 ? ", " : "") + words(arguments[k], true);
    }
    return fmt::format("{}({})", spelling.name, list);
  };
  std::string text = words(tape.switches()[switches[i]].slot, true);
  if (text.size() > kLongestShown) { text = text.substr(0, kLongestShown) + "..."; }
  return text;
}

bool LawInTime::is_of_time_alone() const { return time_slots.size() == function.inputs().size(); }

TimeSearch::TimeSearch(const std::vector<LawInTime>& laws, const Path* path)
    : laws_(&laws), path_(path), scratch_(laws.size()) {
  for (std::size_t i = 0; i < laws.size(); ++i) {
    const LawInTime& law = laws[i];
    if (!law.looks_at_time() && !law.watches_sign) { continue; }
    prepare(law, scratch_[i].exact);
    prepare(law, scratch_[i].other);
    prepare(law, scratch_[i].range);
    prepare(law, scratch_[i].slope);
    scratch_[i].sizes.assign(law.values.size(), 0);
  }
}

template <class S>
void TimeSearch::prepare(const LawInTime& law, Memory<S>& memory) const {
  const Tape& tape = law.function.tape();
  memory.slots.resize(tape.slot_count());
  const std::span<const double> constants = law.function.constant_slots();
  for (std::size_t i = 0; i < constants.size(); ++i) { memory.slots.values[i] = S(constants[i]); }
  memory.reached.resize(tape.slot_count());
  memory.modes.reserve(law.switches.size() + 1);
}

/// What of a law is of time alone, and what of it counts at these times: not the side of a choice that is not taken.
template <class S>
void TimeSearch::evaluate(const LawInTime& law, const S& t, Memory<S>& memory, const double* frozen) const {
  const Tape& tape = law.function.tape();
  const std::span<const Op> ops = tape.ops(Pace::state);
  std::vector<S>& slots = memory.slots.values;
  for (std::size_t k = 0; k < law.time_slots.size(); ++k) {
    slots[law.time_slots[k]] = path_ != nullptr ? path_->value(k, t) : t;
  }
  for (std::size_t k = 0; k < ops.size(); ++k) {
    if (skips(ops[k].code) || !law.of_time[tape.slot_of(&ops[k])]) { continue; }
    detail::run<S>(tape, ops.subspan(k, 1), memory.slots, frozen);
  }
  std::fill(memory.reached.begin(), memory.reached.end(), false);
  for (std::size_t i = 0; i < tape.output_count(); ++i) { memory.reached[tape.output(i)] = true; }
  for (std::size_t k = ops.size(); k-- > 0;) {
    const Op& op = ops[k];
    if (skips(op.code) || !memory.reached[tape.slot_of(&op)]) { continue; }
    const bool known = law.of_time[op.a];
    const bool no_b = known && ((op.code == Code::choose && is_false(slots[op.a])) ||
                                (op.code == Code::both && is_false(slots[op.a])) ||
                                (op.code == Code::either && is_true(slots[op.a])));
    const bool no_c = known && op.code == Code::choose && is_true(slots[op.a]);
    const int count = argument_count(op.code);
    if (count > 0) { memory.reached[op.a] = true; }
    if (count > 1 && !no_b) { memory.reached[op.b] = true; }
    if (count > 2 && !no_c) { memory.reached[op.c] = true; }
  }
}

template <class S>
void TimeSearch::find_modes(const LawInTime& law, Memory<S>& memory) const {
  const Tape& tape = law.function.tape();
  memory.modes.clear();
  for (const std::size_t k : law.switches) {
    const Switch& one = tape.switches()[k];
    const S& a = memory.slots.values[one.a];
    const S& b = memory.slots.values[one.b];
    static_cast<void>(b);
    if (!memory.reached[one.slot]) {
      memory.modes.push_back(not_reached(S()));
      continue;
    }
    if (one.code == Code::equal) {
      if constexpr (!std::is_same_v<S, Slope>) { memory.modes.push_back(order_of(a, b)); }
      continue;
    }
    switch (one.code) {
#define SWITCH(name, arguments, value, mode, with_mode) \
  case Code::name:                                      \
    memory.modes.push_back(mode);                       \
    break;
#include "polhode/formula/switches.def"
#undef SWITCH
      default:
        break;
    }
  }
  if (law.watches_sign) { memory.modes.push_back(sign_of(memory.slots.values[tape.output(0)])); }
}

bool TimeSearch::is_settled(std::size_t i, const Interval& t) {
  Memory<Interval>& memory = scratch_[i].range;
  evaluate((*laws_)[i], t, memory);
  find_modes((*laws_)[i], memory);
  return std::all_of(memory.modes.begin(), memory.modes.end(),
                     [](const Interval& mode) { return !is_reached(mode) || mode.low == mode.high; });
}

/// Whether what each switch looks at that is open there, only rises or only falls; of the modes that is_settled()
/// found.
bool TimeSearch::is_monotone(std::size_t i, const Interval& t) {
  const LawInTime& law = (*laws_)[i];
  Memory<Slope>& memory = scratch_[i].slope;
  evaluate(law, Slope(t, Interval(1.0)), memory);
  const std::vector<Interval>& modes = scratch_[i].range.modes;
  const auto has_one_sign = [](const Interval& slope) { return !is_whole(slope) && !slope.contains(0); };
  for (std::size_t k = 0; k < law.switches.size(); ++k) {
    if (!is_reached(modes[k]) || modes[k].low == modes[k].high) { continue; }
    const Switch& one = law.function.tape().switches()[law.switches[k]];
    const Slope& a = memory.slots.values[one.a];
    const Slope& b = memory.slots.values[one.b];
    const bool of_two = one.code == Code::less || one.code == Code::less_or_equal || one.code == Code::equal ||
                        one.code == Code::min || one.code == Code::max;
    const Slope g = one.code == Code::mod ? a / b : of_two ? a - b : a;
    if (!has_one_sign(g.derivative)) { return false; }
  }
  if (!law.watches_sign || modes.back().low == modes.back().high) { return true; }
  return has_one_sign(memory.slots.values[law.function.tape().output(0)].derivative) ||
         (path_ != nullptr && keeps_sign(i, t));
}

/// Whether the sign that is watched stays, or the value only rises or falls, as long as no switch is passed: then the
/// modes at the ends tell.
bool TimeSearch::keeps_sign(std::size_t i, const Interval& t) {
  const LawInTime& law = (*laws_)[i];
  const Tape& tape = law.function.tape();
  Scratch& scratch = scratch_[i];
  evaluate(law, t.low, scratch.exact);
  scratch.frozen.assign(tape.switches().size(), 0);
  for (std::size_t k = 0; k < tape.switches().size(); ++k) {
    const Switch& one = tape.switches()[k];
    using S = double;
    const S& a = scratch.exact.slots.values[one.a];
    const S& b = scratch.exact.slots.values[one.b];
    static_cast<void>(b);
    switch (one.code) {
#define SWITCH(name, arguments, value, mode, with_mode) \
  case Code::name:                                      \
    scratch.frozen[k] = mode;                           \
    break;
#include "polhode/formula/switches.def"
#undef SWITCH
      default:
        break;
    }
  }
  evaluate(law, t, scratch.range, scratch.frozen.data());
  const Interval sign = sign_of(scratch.range.slots.values[tape.output(0)]);
  if (sign.low == sign.high) { return true; }
  evaluate(law, Slope(t, Interval(1.0)), scratch.slope, scratch.frozen.data());
  const Interval slope = scratch.slope.slots.values[tape.output(0)].derivative;
  return !is_whole(slope) && !slope.contains(0);
}

/// What the blur of a path makes of a value.
double TimeSearch::blur_at(std::size_t i, std::uint32_t slot, double t) {
  Scratch& scratch = scratch_[i];
  evaluate((*laws_)[i], Interval(t), scratch.range);
  const double width = scratch.range.slots.values[slot].width();
  return scratch.range.reached[slot] && std::isfinite(width) ? width : 0;
}

bool TimeSearch::differ(std::size_t i, double a, double b) {
  Scratch& scratch = scratch_[i];
  for (const auto& [t, memory] : {std::pair{a, &scratch.exact}, std::pair{b, &scratch.other}}) {
    evaluate((*laws_)[i], t, *memory);
    find_modes((*laws_)[i], *memory);
  }
  for (std::size_t k = 0; k < scratch.exact.modes.size(); ++k) {
    const double one = scratch.exact.modes[k];
    const double two = scratch.other.modes[k];
    if (is_reached(one) && is_reached(two) && one != two) { return true; }
  }
  return false;
}

/// Modes at a and b differ: the neighbouring numbers where they begin to.
TimeJump TimeSearch::between(std::size_t i, double a, double b) {
  const double start = a;
  while (polhode::detail::above(a) < b) {
    const double middle = a + (b - a) / 2;
    if (!(middle > a && middle < b)) { break; }
    (differ(i, start, middle) ? b : a) = middle;
  }
  return {a, b};
}

std::optional<TimeJump> TimeSearch::first_switch_of(std::size_t i, double t, double until) {
  const int kMost = path_ != nullptr ? 4'000 : 20'000;  // looks
  constexpr double kNarrow = 1e-12;                     // of the time
  constexpr double kNeighbours = 0x1p-47;
  const double scale = std::fmax(std::fmax(std::fabs(t), std::fabs(until)), until - t);
  const double least = std::fmax(kNarrow * (until - t), kNeighbours * scale);
  double narrow = least;
  double begin = t;
  double width = until - t;
  for (int looks = 0; begin < until; ++looks) {
    if (looks == kMost) {
      note_undecided((*laws_)[i]);
      return {};
    }
    const double end = width >= until - begin ? until : begin + width;
    const Interval stretch{begin, end};
    if (is_settled(i, stretch)) {
      begin = end;
      width *= 2;
      narrow = least;
      continue;
    }
    const bool leaf = end - begin <= narrow;
    // where all that is open only rises or falls, its ends tell
    if (is_monotone(i, stretch)) {
      if (differ(i, begin, end)) { return between(i, begin, end); }
      // steps of floor and mod could lie between two ends of one mode only if it came back
      begin = end;
      continue;
    }
    if (!leaf) {
      width = (end - begin) / 2;
      continue;
    }
    if (differ(i, begin, end)) { return between(i, begin, end); }
    // a zero at the very end of a stretch: all but a few numbers at its ends is settled, and these are looked at
    const Interval inner = without_ends(stretch);
    if (inner.low < inner.high && is_settled(i, inner)) {
      for (double x = begin; x < end; x = x == inner.low ? inner.high : polhode::detail::above(x)) {
        if (differ(i, begin, x)) { return between(i, begin, x); }
      }
      begin = end;
      continue;
    }
    note_undecided((*laws_)[i]);
    begin = end;
    narrow *= 2;
    width = narrow;
  }
  return {};
}

std::optional<TimeJump> TimeSearch::first_switch(double t, double until) {
  std::optional<TimeJump> first;
  for (std::size_t i = 0; i < laws_->size() && until > t; ++i) {
    const LawInTime& law = (*laws_)[i];
    if (law.switches.empty() && !law.watches_sign) { continue; }
    const std::optional<TimeJump> found = first_switch_of(i, t, until);
    if (!found || (first && found->before > first->before)) { continue; }
    first = found;
    until = found->after;
  }
  return first;
}

bool TimeSearch::is_on_edge(double t) {
  for (std::size_t i = 0; i < laws_->size(); ++i) {
    const LawInTime& law = (*laws_)[i];
    if (law.switches.empty() && !law.watches_sign) { continue; }
    Memory<double>& memory = scratch_[i].exact;
    evaluate(law, t, memory);
    const std::vector<double>& slots = memory.slots.values;
    if (law.watches_sign && slots[law.function.tape().output(0)] == 0) { return true; }
    for (const std::size_t k : law.switches) {
      const Switch& one = law.function.tape().switches()[k];
      const bool of_one = one.code == Code::sign || one.code == Code::step || one.code == Code::abs;
      const bool whole = one.code == Code::floor && slots[one.a] == std::floor(slots[one.a]);
      const bool equal = !of_one && one.code != Code::floor && one.code != Code::mod && slots[one.a] == slots[one.b];
      if (memory.reached[one.slot] && ((of_one && slots[one.a] == 0) || whole || equal)) { return true; }
    }
  }
  return false;
}

bool TimeSearch::is_settled_at(double t) {
  for (std::size_t i = 0; i < laws_->size(); ++i) {
    const LawInTime& law = (*laws_)[i];
    if ((!law.switches.empty() || law.watches_sign) && !is_settled(i, Interval(t))) { return false; }
  }
  return true;
}

std::optional<TimeJump> TimeSearch::switch_by_ends(double t, double until) {
  std::optional<TimeJump> first;
  for (std::size_t i = 0; i < laws_->size(); ++i) {
    const LawInTime& law = (*laws_)[i];
    if ((law.switches.empty() && !law.watches_sign) || !differ(i, t, until)) { continue; }
    const TimeJump found = between(i, t, until);
    if (!first || found.before < first->before) { first = found; }
  }
  return first;
}

/// Where nothing switches, g(I) ⊂ g(m) + g'(I) (I − m), m the middle of I; else everything.
Interval TimeSearch::range_by_slope(std::size_t i, std::uint32_t slot, double begin, double end) {
  const LawInTime& law = (*laws_)[i];
  Scratch& scratch = scratch_[i];
  const Interval stretch{begin, end};
  if (!is_settled(i, stretch)) { return {-HUGE_VAL, HUGE_VAL}; }
  const Interval middle(begin + (end - begin) / 2);
  evaluate(law, middle, scratch.range);
  evaluate(law, Slope(stretch, Interval(1.0)), scratch.slope);
  if (!scratch.range.reached[slot]) { return 0.0; }
  return scratch.range.slots.values[slot] + scratch.slope.slots.values[slot].derivative * (stretch - middle);
}

double TimeSearch::shown_until(double t, double until) {
  constexpr int kMost = 200;           // halvings
  constexpr double kPart = 0.5;        // of the range seen
  constexpr double kOfLargest = 1e-6;  // of the largest value seen in the run
  constexpr double kLeast = 1e-14;
  constexpr double kNarrow = 1e-9;  // of the step
  const int slopes_from = path_ != nullptr ? kMost / 20 : kMost;
  // no even parts: what happens at even times would be seen by chance
  constexpr std::array<double, 9> kLookAt{0, 0.0931, 0.2179, 0.3473, 0.4641, 0.5897, 0.7219, 0.8677, 1};
  std::array<double, 9> looks{};
  for (std::size_t i = 0; i < laws_->size(); ++i) {
    const LawInTime& law = (*laws_)[i];
    Scratch& scratch = scratch_[i];
    for (std::size_t v = 0; v < law.values.size() && until > t; ++v) {
      const std::uint32_t slot = law.values[v];
      const auto value_at = [&](double when) {
        evaluate(law, when, scratch.exact);
        return scratch.exact.reached[slot] ? scratch.exact.slots.values[slot] : 0;
      };
      for (std::size_t k = 0; k < looks.size(); ++k) { looks[k] = value_at(t + kLookAt[k] * (until - t)); }
      const auto [low, high] = std::minmax_element(looks.begin(), looks.end());
      if (!std::isfinite(*low) || !std::isfinite(*high)) { continue; }
      double& size = scratch.sizes[v];
      size = std::fmax(size, std::fmax(std::fabs(*low), std::fabs(*high)));
      double margin = kPart * (*high - *low) + kOfLargest * size + kLeast;
      if (path_ != nullptr) {
        double blur = 0;
        for (const double place : kLookAt) { blur = std::fmax(blur, blur_at(i, slot, t + place * (until - t))); }
        margin += 2 * blur;
      }
      const Interval seen{*low - margin, *high + margin};
      double begin = t;
      double width = until - t;
      for (int tried = 0; begin < until; ++tried) {
        if (tried == 5 * kMost) {
          note_undecided(law);
          break;
        }
        const double end = width >= until - begin ? until : begin + width;
        evaluate(law, Interval(begin, end), scratch.range);
        const Interval range = scratch.range.reached[slot] ? scratch.range.slots.values[slot] : Interval(0.0);
        const auto is_seen = [&seen](const Interval& x) { return x.low >= seen.low && x.high <= seen.high; };
        // where halving alone leads nowhere, slopes help
        if (is_seen(range) || (tried >= slopes_from && is_seen(range_by_slope(i, slot, begin, end)))) {
          begin = end;
          width *= 2;
          continue;
        }
        if (end - begin > kNarrow * (until - t)) {
          width = (end - begin) / 2;
          continue;
        }
        const double there = value_at(end);
        if (!seen.contains(there) && end > t) {  // it has left what the looks showed
          until = std::fmax(end, polhode::detail::above(t));
          break;
        }
        begin = end;
        width = 2 * (end - t);
      }
    }
  }
  return until;
}

void TimeSearch::note_undecided(const LawInTime& law) {
  ++undecided_;
  if (std::find(undecided_names_.begin(), undecided_names_.end(), law.name) == undecided_names_.end()) {
    undecided_names_.push_back(law.name);
  }
}

}  // namespace polhode::formula
