#include "polhode/simulation/state_watch.h"

#include <fmt/format.h>

#include <algorithm>

namespace polhode::simulation {

StateWatch::StateWatch(const Subject& subject, double blur) : subject_(&subject), y_(subject.system().size()) {
  const auto watch = [&](const formula::LawOfState& law) {
    return Watched{&law, std::make_unique<formula::StateSearch>(law, blur, blur)};
  };
  if (const auto& laws = subject.now().laws_of_state) {
    for (const formula::LawOfState& law : *laws) { laws_.push_back(watch(law)); }
  }
  for (std::size_t i = 0; i < subject.event_count(); ++i) {
    const EventHead& event = subject.event(i);
    if (event.in_time) {
      events_.push_back({});
    } else if (event.in_state) {
      events_.push_back(watch(*event.in_state));
    } else {
      signs_.push_back(
          std::make_unique<const formula::LawOfState>(formula::sign_of_number(fmt::format("event '{}'", event.name))));
      events_.push_back(watch(*signs_.back()));
    }
  }
}

template <class Do>
bool StateWatch::decided(Watched& watched, const Do& something) {
  const std::size_t before = watched.search->undecided();
  something();
  if (watched.search->undecided() == before) { return true; }
  ++undecided_;
  const std::string& name = watched.law->name();
  if (std::find(undecided_names_.begin(), undecided_names_.end(), name) == undecided_names_.end()) {
    undecided_names_.push_back(name);
  }
  return false;
}

formula::Path::Look StateWatch::along(const Piece<double>& step, const Look& look) {
  return [this, &step, look](double theta, std::span<double> inputs) {
    step.unprojected(theta, y_);
    look(theta == 1 ? step.t_end() : step.t_begin() + theta * (step.t_end() - step.t_begin()), y_, inputs);
  };
}

bool StateWatch::is_short(const Piece<double>& step) const {
  constexpr double kShort = 1e-9;
  return step.t_end() - step.t_begin() <= kShort * subject_->now().duration;
}

std::optional<Jump<double>> StateWatch::first_switch(const Piece<double>& step) {
  std::optional<Jump<double>> first;
  for (std::size_t i = 0; i < laws_.size(); ++i) {
    Watched& watched = laws_[i];
    const formula::Path::Look look =
        along(step, [this, i](double t, std::span<const double> y, std::span<double> inputs) {
          subject_->look_of_law(i, t, y, inputs);
        });
    decided(watched, [&] {
      std::optional<formula::TimeJump> found;
      watched.followed = !is_short(step);
      if (!watched.followed) {
        watched.search->along_short(look);
        found = watched.search->switch_by_ends();
      } else {
        watched.followed = watched.search->along(look);
        if (!watched.followed) { return; }
        found = watched.search->first_switch(0);
      }
      if (found && (!first || found->before < first->before)) { first = {found->before, found->after}; }
    });
  }
  return first;
}

double StateWatch::shown_until() {
  double until = 1;
  for (Watched& watched : laws_) {
    if (!watched.followed) { continue; }
    decided(watched, [&] { until = std::min(until, watched.search->shown_until()); });
  }
  return until;
}

std::optional<std::vector<Jump<double>>> StateWatch::changes(std::size_t event, const Piece<double>& step) {
  Watched& watched = events_[event];
  std::vector<Jump<double>> found;
  const bool all = decided(watched, [&] {
    const bool by_formula = subject_->event(event).in_state != nullptr;
    const formula::Path::Look look =
        along(step, [this, event, by_formula](double t, std::span<const double> y, std::span<double> inputs) {
          if (by_formula) {
            subject_->look_of_event(event, t, y, inputs);
          } else {
            inputs[0] = subject_->event_value(event, t, y);
          }
        });
    if (is_short(step)) {
      watched.search->along_short(look);
      if (const std::optional<formula::TimeJump> one = watched.search->switch_by_ends()) {
        found.push_back({one->before, one->after});
      }
      return;
    }
    if (!watched.search->along(look)) { return; }
    double from = 0;
    while (const std::optional<formula::TimeJump> next = watched.search->first_switch(from)) {
      found.push_back({next->before, next->after});
      from = next->after;
    }
  });
  if (!all) { return {}; }
  return found;
}

}  // namespace polhode::simulation
