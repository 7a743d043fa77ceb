#pragma once

#include "polhode/formula/in_state.h"
#include "polhode/simulation/subject.h"

namespace polhode::simulation {

/// Looks into the steps of a run, on their dense output, for switches of laws and zeros of events that go by the state
/// (INT-37). The subject must outlive it, and keep its parameters.
class StateWatch {
 public:
  /// `blur`: how well the state is known, in parts of itself and as it stands.
  StateWatch(const Subject& subject, double blur);

  /// The first switch of a law in a step, by parts of it.
  std::optional<Jump<double>> first_switch(const Piece<double>& step);
  /// Of the step that first_switch() has looked at: the part of it over which looks show all of what laws do.
  double shown_until();
  /// All changes of the sign of an event in a step; nothing where they could not be told.
  std::optional<std::vector<Jump<double>>> changes(std::size_t event, const Piece<double>& step);

  /// Of laws and events: steps in which something was left undecided, and whose.
  std::size_t undecided() const { return undecided_; }
  const std::vector<std::string>& undecided_names() const { return undecided_names_; }

 private:
  struct Watched {
    const formula::LawOfState* law;
    std::unique_ptr<formula::StateSearch> search;
    bool followed = false;
  };
  using Look = std::function<void(double t, std::span<const double> y, std::span<double> inputs)>;
  formula::Path::Look along(const Piece<double>& step, const Look& look);
  /// Whether a step is so short that rounding hides how what is looked at changes in it: its ends tell.
  bool is_short(const Piece<double>& step) const;
  /// Does something with a search, and notes what it leaves undecided. Says whether it has decided all.
  template <class Do>
  bool decided(Watched& watched, const Do& something);

  const Subject* subject_;
  std::vector<Watched> laws_;
  std::vector<std::unique_ptr<const formula::LawOfState>> signs_;  ///< of events that are no formulas
  std::vector<Watched> events_;                                    ///< by event; without a search: of time alone
  std::vector<double> y_;
  std::size_t undecided_ = 0;
  std::vector<std::string> undecided_names_;
};

}  // namespace polhode::simulation
