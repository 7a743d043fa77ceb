#pragma once

#include "polhode/formula/function.h"
#include "polhode/math/dual.h"
#include "polhode/math/interval.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

/// What formulas do with time alone: where they switch, and whether they vary unseen between a few looks at them.
/// Proved by intervals: what is said not to switch in a stretch of time does not.
namespace polhode::formula {

/// Two neighbouring numbers between which a formula switches.
struct TimeJump {
  double before = 0;
  double after = 0;
};

/// A formula whose time dependence is looked at. Constant once made.
struct LawInTime {
  std::string name;
  Function function;
  std::vector<std::size_t> time_slots;  ///< inputs that are time
  std::vector<bool> of_time;            ///< by slot: a function of time alone, parameters and constants
  std::vector<std::size_t> switches;    ///< of time alone, by their number on the tape
  std::vector<std::uint32_t> values;    ///< slots of time alone that the rest, or the user, looks at
  std::vector<std::size_t> of_state;    ///< switches that look at the state, by their number on the tape
  bool watches_sign = false;            ///< of output 0: a change of it counts as a switch

  /// `is_time`: which input is time.
  LawInTime(std::string name, Function function, const std::function<bool(const Input&)>& is_time);
  bool looks_at_time() const { return !switches.empty() || !values.empty(); }
  /// Switch i of `switches` as a formula of t and numbers.
  std::string in_words(std::size_t i) const;
  /// Whether no formula looks at anything but time.
  bool is_of_time_alone() const;
};

class Path;

/// Looks for the switches of some laws; with its own memory, for one thread. The laws must outlive it.
class TimeSearch {
 public:
  /// With a `path`, which must outlive it: time is the place on a step, 0 to 1, and input i of a law what the path has
  /// as its number i.
  explicit TimeSearch(const std::vector<LawInTime>& laws, const Path* path = nullptr);

  /// The first switch in (t, until] (INT-34). Where g is the difference that a switch looks at, and I a stretch of
  /// time:
  ///
  ///   0 ∉ g(I) ⇒ none;  0 ∉ g'(I) ⇒ the signs at its ends tell;  otherwise I is halved
  ///
  /// What can neither be shown nor excluded in a stretch of 1e-12 of its time is counted as undecided.
  std::optional<TimeJump> first_switch(double t, double until);
  /// A switch between two times at which laws are not on the same pieces: what comes and goes between is not seen.
  std::optional<TimeJump> switch_by_ends(double t, double until);
  /// Whether some switch, or the sign that is watched, is on its edge at t, by the numbers as they are.
  bool is_on_edge(double t);
  /// Whether all modes are certain at t.
  bool is_settled_at(double t);
  /// Of a step from t to `until`: a time that it must not go beyond, because a law that varies with time alone leaves
  /// the range of nine looks at it by more than half of that range (INT-35); `until` where none does. What 1000
  /// stretches do not show is counted as undecided.
  double shown_until(double t, double until);

  std::size_t undecided() const { return undecided_; }
  /// Of the laws that have something undecided.
  const std::vector<std::string>& undecided_names() const { return undecided_names_; }

 private:
  using Slope = Dual<Interval>;
  template <class S>
  struct Memory {
    detail::Slots<S> slots;
    std::vector<bool> reached;
    std::vector<S> modes;
  };
  struct Scratch {
    Memory<double> exact;
    Memory<double> other;
    Memory<Interval> range;
    Memory<Slope> slope;
    std::vector<double> sizes;   ///< by value, the largest seen
    std::vector<double> frozen;  ///< modes of all switches of the tape
  };

  template <class S>
  void prepare(const LawInTime& law, Memory<S>& memory) const;
  template <class S>
  void evaluate(const LawInTime& law, const S& t, Memory<S>& memory, const double* frozen = nullptr) const;
  template <class S>
  void find_modes(const LawInTime& law, Memory<S>& memory) const;
  bool is_settled(std::size_t i, const Interval& t);
  bool is_monotone(std::size_t i, const Interval& t);
  bool keeps_sign(std::size_t i, const Interval& t);
  double blur_at(std::size_t i, std::uint32_t slot, double t);
  bool differ(std::size_t i, double a, double b);
  TimeJump between(std::size_t i, double a, double b);
  std::optional<TimeJump> first_switch_of(std::size_t i, double t, double until);
  Interval range_by_slope(std::size_t i, std::uint32_t slot, double begin, double end);
  void note_undecided(const LawInTime& law);

  const std::vector<LawInTime>* laws_;
  const Path* path_;
  std::vector<Scratch> scratch_;  ///< by law
  std::size_t undecided_ = 0;
  std::vector<std::string> undecided_names_;
};

}  // namespace polhode::formula
