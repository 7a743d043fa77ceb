#pragma once

#include "polhode/integrator/method.h"

namespace polhode {

/// Lets go of a C library's object by its own function.
template <auto Free>
struct FreeBy {
  template <class T>
  void operator()(T* thing) const {
    Free(thing);
  }
};

/// A method of another library, which keeps a history and chooses its steps itself: `propose` makes one of them, and
/// `step` reads the state off its polynomial, which is also the dense output. It evaluates a little beyond the end of a
/// run. A requested step is divided into as many internal steps as the solver needs, up to a bound; it cannot be
/// interrupted inside.
class OwnSteps : public Stepper<double> {
 public:
  OwnSteps(const MethodDescription& description, const System<double>& system)
      : Stepper<double>(description), end_(system.size()) {}

  double propose(const double& t, std::span<const double> y, int direction) final {
    start_from(t, y, direction);
    if (direction_ * (t_reached_ - t) <= 0 && !go_on(t + direction)) { return 0; }
    return t_reached_ - t;
  }
  StepStatus step(const double& t, const double& dt, std::span<double> y) final {
    start_from(t, y, dt < 0 ? -1 : 1);
    const double t_end = t + dt;
    too_many_ = false;
    for (int own = 0; direction_ * (t_reached_ - t_end) < 0; ++own) {
      too_many_ = own == kMostOwn;
      if (too_many_ || !go_on(t_end)) { return failed(); }
    }
    t_ = t;
    dt_ = dt;
    one_polynomial_ = direction_ * (t - (t_reached_ - last_length())) >= 0;
    if (!read(t_end, y)) { return failed(); }
    end_.set(t_end, y);
    return StepStatus::ok;
  }
  bool interpolate(const double& theta, std::span<double> y) const final {
    return one_polynomial_ && read(t_ + theta * dt_, y);
  }
  void restart() final { end_.forget(); }
  std::string trouble() const final {
    return too_many_ ? "the step takes more than " + std::to_string(kMostOwn) + " of the method's own"
                     : trouble_of_own();
  }

 private:
  static constexpr int kMostOwn = 100'000;

  virtual void start(double t, std::span<const double> y) = 0;
  /// One internal step; `towards` gives the first one its direction and scale. Says where it ended; false: it failed.
  virtual bool advance(double towards, double& t_reached) = 0;
  virtual double last_length() const = 0;
  /// The state at t, inside its last step.
  virtual bool read(double t, std::span<double> y) const = 0;
  /// What kind of failure the last one was.
  virtual StepStatus failure() const { return StepStatus::no_convergence; }
  /// What the last of its own steps did not solve, in words, or "".
  virtual std::string trouble_of_own() const { return {}; }

  /// Goes on from the last step where (t, y) is its end, else starts anew.
  void start_from(const double& t, std::span<const double> y, int direction) {
    if (direction == direction_ && end_.is_at(t, y)) { return; }
    start(t, y);
    t_reached_ = t;
    direction_ = direction;
    end_.set(t, y);
  }
  bool go_on(double towards) {
    const double before = t_reached_;
    // before a point that it cannot pass its steps shrink to nothing, and are successes all the same
    const double least = 16 * std::numeric_limits<double>::epsilon() * std::fabs(before);
    if (advance(towards, t_reached_) && direction_ * (t_reached_ - before) > least) { return true; }
    end_.forget();
    return false;
  }
  StepStatus failed() {
    end_.forget();
    return too_many_ ? StepStatus::no_convergence : failure();
  }

  Point<double> end_;  ///< of the last step that was handed out
  double t_reached_ = 0;
  int direction_ = 0;
  double t_ = 0;
  double dt_ = 0;
  bool one_polynomial_ = false;  ///< the last step lies inside one of its own
  bool too_many_ = false;        ///< the last step was given up because it took too many of its own
};

}  // namespace polhode
