#pragma once

#include "polhode/formula/in_time.h"
#include "polhode/formula/path.h"

#include <memory>

/// What formulas of the state do along a step: where they switch, and whether they vary unseen.
namespace polhode::formula {

/// A formula that looks at the state. Constant once made.
struct LawOfState {
  std::vector<LawInTime> one;  ///< itself, all that it looks at taken as functions of one variable
  std::vector<bool> is_time;   ///< by input
  bool can_hide = true;        ///< whether it can do something between nine looks at a smooth path

  /// `is_time`: which input is time. `watches_sign`: of output 0, as for events.
  LawOfState(std::string name, Function function, const std::function<bool(const Input&)>& is_time,
             bool watches_sign = false);
  const std::string& name() const { return one.front().name; }
  bool looks_at_state() const;
  /// Whether steps must be looked into: it switches, or it is no polynomial of low degree.
  bool must_be_watched() const { return looks_at_state() && (can_hide || !one.front().switches.empty()); }
};

/// The number that it looks at, for its sign.
LawOfState sign_of_number(std::string name);

/// Looks at one law along one step after the other. For one thread; the law must outlive it.
class StateSearch {
 public:
  /// `relative`, `absolute`: what the state may be off by.
  StateSearch(const LawOfState& law, double relative, double absolute);

  /// The step that is looked at from here on: what the law looks at there. False, and counted as undecided, where
  /// polynomials do not follow.
  bool along(Path::Look look);
  /// The same for a step that is too short to look into: its ends tell, by switch_by_ends().
  void along_short(Path::Look look) { path_.look_at(std::move(look)); }
  std::optional<TimeJump> switch_by_ends() { return search_.switch_by_ends(0, 1); }
  /// The first switch in (θ, 1] (INT-34, on the path). With a blur: what is nearer to a switch than the state is known
  /// is undecided, unless it passes it.
  /// A law that starts on an edge is looked at from where it has left it by more than the state is known; before, its
  /// ends tell.
  std::optional<TimeJump> first_switch(double theta);
  /// As TimeSearch has it (INT-35): 1 where looks at the step show all of the law.
  double shown_until() { return law_->can_hide ? search_.shown_until(0, 1) : 1; }

  std::size_t undecided() const { return search_.undecided() + not_followed_; }

 private:
  const LawOfState* law_;
  double relative_;
  double absolute_;
  Path path_;
  TimeSearch search_;
  std::size_t not_followed_ = 0;
  double clear_ = 0;          ///< of the step: from here on it is clear of the edge that it started on
  bool leaves_edge_ = false;  ///< it started on an edge, and is not yet clear of it
};

}  // namespace polhode::formula
