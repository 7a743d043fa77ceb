#include "polhode/integrator/driver.h"

#include "polhode/core/error.h"
#include "polhode/integrator/method.h"
#include "polhode/integrator/rough_power.h"
#include "polhode/integrator/singular_configuration.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <type_traits>

namespace polhode {
namespace {

template <class S>
std::string number(const S& x) {
  std::array<char, 40> text{};
  const S shown = std::isnan(x) ? std::fabs(x) : x;  // the sign of a NaN means nothing
  std::snprintf(text.data(), text.size(), "%.6Lg", static_cast<long double>(shown));
  return text.data();
}

/// The larger of two numbers, neither of them a NaN: an instruction, where std::fmax is a call.
template <class S>
S larger(const S& a, const S& b) {
  return a < b ? b : a;
}

/// The step just taken as a function of time: the method's own dense output, or else a polynomial of degree 5.
///
///   u' = Σ dt f_i L_i(θ) + κ ω(θ),  nodes θ_i = 0, 1/3, 2/3, 1,  ω = Π (θ − θ_i),  κ such that u(1) − u(0) = Δ
///   (INT-21)
///
/// L_i are Lagrange's polynomials. The slopes inside come from the cubic Hermite polynomial, then once more from the
/// result: its error is of order dt⁶.
template <class S>
class DenseStep {
 public:
  DenseStep(const System<S>& system, const Stepper<S>& stepper)
      : system_(&system), stepper_(&stepper), own_(stepper.description().dense), inside_(system.size()) {
    for (auto& f : f_) { f.assign(system.size(), S(0)); }
  }

  /// Both ends stay where they are while the step is looked at.
  void set(const S& t, const S& dt, std::span<const S> y0, std::span<const S> y1) {
    t_ = t;
    dt_ = dt;
    y0_ = y0;
    y1_ = y1;
    ready_ = false;
    bad_index_ = y0.size();
  }
  std::size_t evaluations() const { return evaluations_; }
  /// The entry of y that was not finite where the step was looked at; size of y: none.
  std::size_t bad_index() const { return bad_index_; }

  /// y at t + θ dt. Both ends are finite; the slopes between them, which no step need have seen, may not be.
  void at(const S& theta, std::span<S> y) {
    if (theta == S(0)) { return copy_row(y0_, y); }
    if (theta == S(1)) { return copy_row(y1_, y); }
    if (!own_ || !stepper_->interpolate(theta, y)) {
      if (!ready_) { prepare(); }
      quintic(theta, y);
    }
    if (bad_index_ == y.size()) { bad_index_ = first_not_finite(y); }
  }

 private:
  void prepare() {
    evaluations_ += 6;
    system_->rhs(t_, y0_, f_[0]);
    system_->rhs(t_ + dt_, y1_, f_[3]);
    const S third = S(1) / 3;
    for (const bool again : {false, true}) {
      // both slopes from the same polynomial: f_[4], f_[5] wait until both are there
      for (const std::size_t node : {std::size_t{1}, std::size_t{2}}) {
        const S theta = S(static_cast<double>(node)) * third;
        again ? quintic(theta, inside_) : cubic(theta, inside_);
        system_->rhs(t_ + theta * dt_, inside_, f_[3 + node]);
      }
      std::swap(f_[1], f_[4]);
      std::swap(f_[2], f_[5]);
    }
    ready_ = true;
  }

  void cubic(const S& x, std::span<S> y) const {
    for (std::size_t i = 0; i < y.size(); ++i) {
      const S change = y1_[i] - y0_[i];
      const S r = dt_ * f_[0][i] - change;
      y[i] = y0_[i] + x * (change + (1 - x) * (r + x * (change - dt_ * f_[3][i] - r)));
    }
  }
  void quintic(const S& x, std::span<S> y) const {
    // integrals of the L_i and of ω from 0 to x, and from 0 to 1
    const S L0 = x * (1 + x * (S(-11) / 4 + x * (3 - x * S(9) / 8)));
    const S L1 = x * x * (S(9) / 2 + x * (S(-15) / 2 + x * S(27) / 8));
    const S L2 = x * x * (S(-9) / 4 + x * (6 - x * S(27) / 8));
    const S L3 = x * x * (S(1) / 2 + x * (S(-3) / 2 + x * S(9) / 8));
    const S w = x * x * (S(-1) / 9 + x * (S(11) / 27 + x * (S(-1) / 2 + x / 5)));
    for (std::size_t i = 0; i < y.size(); ++i) {
      const S whole = dt_ * (f_[0][i] + 3 * (f_[1][i] + f_[2][i]) + f_[3][i]) / 8;
      const S kappa = ((y1_[i] - y0_[i]) - whole) * S(-270);
      y[i] = y0_[i] + (dt_ * (L0 * f_[0][i] + L1 * f_[1][i] + L2 * f_[2][i] + L3 * f_[3][i]) + kappa * w);
    }
  }

  const System<S>* system_;
  const Stepper<S>* stepper_;
  bool own_;
  bool ready_ = false;
  S t_{};
  S dt_{};
  std::size_t evaluations_ = 0;
  std::size_t bad_index_ = 0;
  std::span<const S> y0_;
  std::span<const S> y1_;
  std::vector<S> inside_;
  std::array<std::vector<S>, 6> f_;
};

template <class S>
class DensePiece final : public Piece<S> {
 public:
  /// `projection`: nullptr for none.
  DensePiece(DenseStep<S>& dense, const Projection<S>* projection, S t_begin, S t_end, S theta_begin, S theta_end)
      : dense_(&dense),
        projection_(projection),
        t_begin_(t_begin),
        t_end_(t_end),
        theta_begin_(theta_begin),
        theta_end_(theta_end) {}
  S t_begin() const override { return t_begin_; }
  S t_end() const override { return t_end_; }
  void at(const S& theta, std::span<S> y) const override {
    unprojected(theta, y);
    if (projection_ != nullptr && dense_->bad_index() == y.size()) {
      projection_->project_at(t_begin_ + theta * (t_end_ - t_begin_), y);
    }
  }
  void unprojected(const S& theta, std::span<S> y) const override {
    dense_->at(theta_begin_ + theta * (theta_end_ - theta_begin_), y);
  }

 private:
  DenseStep<S>* dense_;
  const Projection<S>* projection_;
  S t_begin_;
  S t_end_;
  S theta_begin_;
  S theta_end_;
};

/// A zero of g in [a, b], g(a) g(b) < 0, to `tolerance`, from the side of b: g has its later sign there, so that a run
/// that starts anew at an event does not meet it again. Brent's method: inverse quadratic or linear interpolation as
/// long as the bracket shrinks well, else halving [Brent1973, chapter 4].
template <class S, class G>
S bracketed_zero(const G& g, S a, S ga, S b, S gb, const S& tolerance) {
  const bool later_sign = gb > S(0);
  S c = a;
  S gc = ga;
  S step = b - a;
  S step_before = step;
  for (;;) {
    if (std::fabs(gc) < std::fabs(gb)) {
      // b is the best value, c the other side
      a = b;
      b = c;
      c = a;
      ga = gb;
      gb = gc;
      gc = ga;
    }
    const S least = 2 * std::numeric_limits<S>::epsilon() * std::fabs(b) + tolerance / 2;
    const S half = (c - b) / 2;
    if (std::fabs(half) <= least || gb == S(0)) { return gb == S(0) || (gb > S(0)) == later_sign ? b : c; }
    if (std::fabs(step_before) >= least && std::fabs(ga) > std::fabs(gb)) {
      const S s = gb / ga;
      S p;
      S q;
      if (a == c) {
        p = 2 * half * s;
        q = 1 - s;
      } else {
        const S u = ga / gc;
        const S v = gb / gc;
        p = s * (2 * half * u * (u - v) - (b - a) * (v - 1));
        q = (u - 1) * (v - 1) * (s - 1);
      }
      if (p > S(0)) {
        q = -q;
      } else {
        p = -p;
      }
      if (2 * p < std::fmin(3 * half * q - std::fabs(least * q), std::fabs(step_before * q))) {
        step_before = step;
        step = p / q;
      } else {
        step = half;
        step_before = half;
      }
    } else {
      step = half;
      step_before = half;
    }
    a = b;
    ga = gb;
    b += std::fabs(step) > least ? step : (half > S(0) ? least : -least);
    gb = g(b);
    if ((gb > S(0)) == (gc > S(0))) {
      c = a;
      gc = ga;
      step = b - a;
      step_before = step;
    }
  }
}

/// Where g begins to be zero in (a, zero], to `tolerance`: g(a) has a sign, g(zero) = 0. An isolated zero stays where
/// it was found: g has the sign of g(a) at `just_before` it. A g that arrives at zero and stays there, such as
/// max(0, x), has its zero found anywhere on the flat part: halving leads back to the beginning of it.
template <class S, class G>
S beginning_of_zero(const G& g, S a, const S& ga, S zero, const S& just_before, const S& tolerance) {
  const auto still_before = [&](const S& theta) {
    const S value = g(theta);
    return ga > S(0) ? value > S(0) : value < S(0);
  };
  if (just_before <= a || still_before(just_before)) { return zero; }
  S b = just_before;
  while (b - a > tolerance) {
    const S middle = a + (b - a) / 2;
    if (middle <= a || middle >= b) { break; }
    (still_before(middle) ? a : b) = middle;
  }
  return b;
}

template <class S>
class Run {
 public:
  Run(const System<S>& system, Stepper<S>& stepper, const RunOptions<S>& options, const S& t0, const S& t1,
      std::span<S> y, const Observer<S>& observer)
      : system_(&system),
        stepper_(&stepper),
        options_(&options),
        observer_(&observer),
        t0_(t0),
        t1_(t1),
        y_(y),
        dense_(system, stepper),
        trial_(y.size()),
        value_(y.size()),
        chart_value_(y.size()),
        direction_(t1 < t0 ? -1 : 1),
        evaluations_before_(stepper.evaluations()) {}

  RunResult<S> go() {
    check();
    t_ = t0_;
    looked_at_t_ = t0_;
    clear_until_ = t0_;
    stepper_->restart();
    start_events();
    if (start_output() && t0_ != t1_) {
      if (adaptive()) {
        adaptive_run();
      } else {
        fixed_run();
      }
    }
    result_.t = t_;
    result_.statistics.evaluations =
        stepper_->evaluations() - evaluations_before_ + dense_.evaluations() + own_evaluations_;
    return std::move(result_);
  }

 private:
  static constexpr S kEpsilon = std::numeric_limits<S>::epsilon();
  static constexpr double kLeastLog2Error = -13.3;  ///< log2 of 1e-4: what a step with less error counts as

  bool adaptive() const { return options_->step == S(0); }

  // ---- a caller's mistakes ------------------------------------------------------------------------------------------

  void check() const {
    Problems problems;
    const std::string& name = stepper_->description().name;
    const auto add = [&](std::string what, std::string allowed, std::string cure) {
      problems.add({std::move(what), std::move(allowed), std::move(cure)});
    };
    if (y_.size() != system_->size()) {
      add("state has " + std::to_string(y_.size()) + " numbers",
          "this system (" + system_->name() + ") has " + std::to_string(system_->size()), {});
    } else if (const std::size_t bad = first_not_finite(y_); bad < y_.size()) {
      add("initial state: " + system_->entry_name(bad) + " is " + number(y_[bad]), "finite numbers", {});
    }
    if (!std::isfinite(t0_) || !std::isfinite(t1_)) {
      add("run from t = " + number(t0_) + " to " + number(t1_), "finite times", {});
    }
    if (!(options_->step >= S(0)) || !std::isfinite(options_->step)) {
      add("step " + number(options_->step), "positive steps",
          "for a run backwards in time exchange the two times, not the sign of the step");
    }
    if (adaptive()) { check_tolerances(name, add); }
    if (options_->projection != ProjectionUse::none && system_->projection() == nullptr) {
      add("this system (" + system_->name() + ") has no projection", {}, "projection = none");
    }
    for (std::size_t i = 0; i < options_->output_times.size(); ++i) { check_output_time(i, add); }
    for (const Event<S>& event : options_->events) {
      if (!event.function) { add("event '" + event.name + "' has no function", {}, {}); }
    }
    std::move(problems).fail_if_any();
  }
  template <class Add>
  void check_tolerances(const std::string& name, const Add& add) const {
    const S relative = options_->relative_tolerance;
    const S absolute = options_->absolute_tolerance;
    if (relative == S(0) && absolute == S(0)) {
      add("neither a step nor a tolerance is given", {}, "set step > 0, or a tolerance for an adaptive method");
      return;
    }
    if (!stepper_->description().adaptive) {
      add("integrator '" + name + "' has no error estimate", {}, "give it a step, or try 'dop853' with tolerances");
    }
    S size(0);
    for (const S& entry : y_) { size = std::fmax(size, std::fabs(entry)); }
    const S least = 4 * kEpsilon;
    if (!(relative >= S(0)) || !(absolute >= S(0)) || !std::isfinite(relative + absolute)) {
      add("tolerances " + number(relative) + " (relative) and " + number(absolute) + " (absolute)",
          "numbers that are not negative", {});
    } else if (relative < least && absolute < least * size) {
      add("tolerance " + number(std::fmax(relative, size > S(0) ? absolute / size : absolute)) +
              " is below the rounding of these numbers",
          "relative tolerance at least " + number(least), "try 1e-12");
    }
    for (const auto& [what, value] : {std::pair<const char*, S>{"first", options_->first_step},
                                      std::pair<const char*, S>{"largest", options_->largest_step}}) {
      if (!(value >= S(0)) || !std::isfinite(value)) {
        add(std::string(what) + " step " + number(value), "positive, or 0 to leave it open", {});
      }
    }
  }
  template <class Add>
  void check_output_time(std::size_t i, const Add& add) const {
    const S time = options_->output_times[i];
    const S before = i > 0 ? options_->output_times[i - 1] : t0_;
    const bool in_order = S(direction_) * (time - before) >= S(0) && S(direction_) * (t1_ - time) >= S(0);
    if (!in_order) {
      add("output time " + number(time) + " after " + number(before),
          "times in the order of the run from " + number(t0_) + " to " + number(t1_), {});
    }
  }

  // ---- steps --------------------------------------------------------------------------------------------------------

  /// Time is t0 + n dt, never a running sum; the last step lands on t1.
  void fixed_run() {
    const S dt = S(direction_) * options_->step;
    const S rounding = 8 * kEpsilon * std::fmax(std::fabs(t0_), std::fabs(t1_));
    S n(0);
    for (bool last = false; !last;) {
      const S next = t0_ + (n + 1) * dt;
      last = S(direction_) * (t1_ - next) <= rounding;
      // a last step that is whole but for rounding is a whole step
      const S length = last && std::fabs(t1_ - next) > rounding ? t1_ - t_ : dt;
      if (too_many()) { return; }
      copy_row(y_, trial_);
      const StepStatus status = stepper_->step(t_, length, trial_);
      if (status != StepStatus::ok) { return bad_day(status, length, stepper_->bad_index()); }
      if (longest_step(length) < std::fabs(length)) { return too_long(length); }
      if (!accept(length, last ? t1_ : next)) { return; }
      n += 1;
    }
  }

  /// Step sizes by a PI controller [HairerWanner1996, section IV.2], unless the method proposes its own.
  void adaptive_run() {
    const S relative = options_->relative_tolerance;
    const S absolute = options_->absolute_tolerance;
    stepper_->set_tolerance(relative, absolute);
    S proposed = stepper_->propose(t_, y_, direction_);
    S length = proposed;
    if (options_->first_step > S(0)) { length = S(direction_) * options_->first_step; }
    if (length == S(0)) { length = first_step(); }
    if (length == S(0)) { return bad_day(StepStatus::not_finite, length, 0); }
    double log2_error_before = kLeastLog2Error;
    bool rejected = false;
    for (;;) {
      if (options_->largest_step > S(0) && std::fabs(length) > options_->largest_step) {
        length = S(direction_) * options_->largest_step;
      }
      if (options_->step_limit.longest) {
        const S most = options_->step_limit.longest(t_, y_);
        if (std::fabs(length) > most) {
          stepper_->restart();                        // what a method has prepared beyond it counts for nothing
          length = S(direction_) * (S(0.9L) * most);  // with room for what the end allows
        }
      }
      // the end is not left a sliver
      bool last = S(direction_) * (t_ + S(1.01L) * length - t1_) >= S(0);
      if (last) { length = t1_ - t_; }
      const S uncut = length;
      if (options_->foresight.shown_until) { look_ahead(length); }
      const bool lands = ends_at_jump(length);
      if (lands && jump_->before <= t_) {
        if (!cross_jump()) { return; }
        if (t_ >= t1_) { return; }
        proposed = stepper_->propose(t_, y_, direction_);
        length = proposed != S(0) ? proposed : first_step();
        if (length == S(0)) { return bad_day(StepStatus::not_finite, length, 0); }
        log2_error_before = kLeastLog2Error;
        continue;
      }
      last = last && length == uncut;
      // a method that chooses its own steps may begin with one that is tiny against the run
      const S scale = proposed != S(0) ? std::fabs(t_) : larger(std::fabs(t_), std::fabs(t1_));
      if (!last && !lands && std::fabs(length) <= 4 * kEpsilon * scale) {
        // an error estimate that is not finite shortens the step as a large one does
        if (const NotFinite found = not_finite_rate(length); found.index < y_.size()) {
          return bad_day(StepStatus::not_finite, length, found.index);
        }
        result_.status = RunStatus::step_too_small;
        result_.message =
            "at t = " + number(t_) + " the step became too small (" + number(length) + "): " + why_too_small(length);
        return;
      }
      if (too_many()) { return; }
      copy_row(y_, trial_);
      const StepStatus status = stepper_->step(t_, length, trial_);
      if (status != StepStatus::ok) {
        // a shorter step may not leave the region where the system is defined
        if (std::fabs(length) <= 1024 * kEpsilon * std::fmax(std::fabs(t_), std::fabs(t1_ - t0_))) {
          return bad_day(status, length, stepper_->bad_index());
        }
        ++result_.statistics.rejected;
        rejected = true;
        length /= 4;
        continue;
      }
      if (zigzags(length)) { return; }
      const double error = stepper_->keeps_tolerance()
                               ? 0
                               : static_cast<double>(error_norm<S>(stepper_->error_estimate(), y_,
                                                                   std::span<const S>(trial_), relative, absolute));
      const double k = 1.0 / (stepper_->error_order() + 1);
      if (error > 1) {
        ++result_.statistics.rejected;
        rejected = true;
        proposed = stepper_->propose(t_, y_, direction_);
        const S shorter = length * S(std::fmax(0.2, 0.9 * rough_power(error, -k)));
        length = proposed != S(0) && std::fabs(proposed) < std::fabs(length) ? proposed : shorter;
        continue;
      }
      if (const S most = longest_step(length); most < std::fabs(length)) {
        ++result_.statistics.rejected;
        rejected = true;
        stepper_->restart();
        length = S(direction_) * std::fmin(most, std::fabs(length) / 2);
        continue;
      }
      if (options_->hindsight.first_switch && must_take_again(length)) {
        ++result_.statistics.rejected;
        continue;
      }
      if (lands && jump_->after >= t1_) {
        // the end is on the other side of the jump, and what happens between belongs to this step
        ++result_.jumps.landed;
        last = true;
      }
      const S end = last ? t1_ : lands ? jump_->before : t_ + length;
      if (!accept(length, end) || last || chatters() || has_no_end()) { return; }
      if (crosses_switch_) {
        stepper_->restart();
        crosses_switch_ = false;
        ++result_.jumps.crossed;
        proposed = stepper_->propose(t_, y_, direction_);
        length = proposed != S(0) ? proposed : first_step();
        if (length == S(0)) { return bad_day(StepStatus::not_finite, length, 0); }
        log2_error_before = kLeastLog2Error;
        rejected = false;
        continue;
      }
      proposed = stepper_->propose(t_, y_, direction_);
      if (proposed != S(0)) {
        length = proposed;
      } else {
        const double e = larger(error, 1e-10);
        const double log2_error = rough_log2(e);
        const double factor = 0.9 * rough_exp2(k * (0.4 * log2_error_before - 0.7 * log2_error));
        const double most = rejected ? 1.0 : 5.0;
        length *= S(factor < 0.2 ? 0.2 : factor < most ? factor : most);
        log2_error_before = larger(log2_error, kLeastLog2Error);
      }
      rejected = false;
    }
  }

  // ---- jumps by time alone ------------------------------------------------------------------------------------------

  /// Shortens a step that a jump comes before the end of, or close behind it: says whether it now ends just before one.
  bool ends_at_jump(S& length) {
    constexpr std::size_t kMost = 100'000;
    constexpr S kFarther = S(4);  // steps that are looked through at once
    if (!options_->foresight.next_jump || direction_ < 0) { return false; }
    if (jump_ && jump_->before < t_) { jump_.reset(); }
    const S wanted = std::fmin(t_ + S(1.01L) * length, t1_);
    if (!jump_ && clear_until_ < wanted) {
      if (result_.jumps.landed == kMost) {
        result_.jumps.has_given_up = true;
        return false;
      }
      const S from = std::fmax(t_, clear_until_);
      const S until = std::fmin(t_ + kFarther * length, t1_);
      jump_ = options_->foresight.next_jump(from, until);
      clear_until_ = jump_ ? jump_->before : until;
    }
    if (!jump_ || jump_->before > wanted) { return false; }
    length = jump_->before - t_;
    while (t_ + length > jump_->before) { length = std::nextafter(length, S(0)); }
    return true;
  }
  /// From one side of a jump to the other, with the same y. False: stop here.
  bool cross_jump() {
    ++result_.jumps.landed;
    t_ = std::fmin(jump_->after, t1_);
    clear_until_ = t_;
    jump_.reset();
    stepper_->restart();
    while (next_output_ < options_->output_times.size() && options_->output_times[next_output_] <= t_) {
      const S time = options_->output_times[next_output_++];
      if (!show(time, y_)) { return false; }
    }
    return true;
  }
  /// Looks into the step to trial_ for a jump of what acts. True: it must be taken again, with the length that is left
  /// here. Else `crosses_switch_` says whether the step leads over one.
  bool must_take_again(S& length) {
    constexpr std::size_t kMost = 20'000;
    constexpr int kMostAgain = 200;
    constexpr S kShortest = S(1e-3L);  // of the step, for what is not seen
    crosses_switch_ = false;
    if (direction_ < 0 || result_.jumps.has_given_up) { return false; }
    if (result_.jumps.crossed == kMost || again_ == kMostAgain) {
      result_.jumps.has_given_up = true;
      return false;
    }
    // what times can tell apart, and a method can step over
    const S least = 64 * kEpsilon * larger(std::fabs(t_), std::fabs(t1_));
    dense_.set(t_, length, y_, trial_);
    const DensePiece<S> step(dense_, nullptr, t_, t_ + length, S(0), S(1));
    const std::optional<Jump<S>> found = options_->hindsight.first_switch(step);
    const S whole = length;
    if (found && found->after * whole <= least) {
      if (whole > 2 * least) { length = S(1.5L) * least; }
      crosses_switch_ = length == whole;
    } else if (found && (S(1) - found->after) * whole <= least) {
      crosses_switch_ = true;
    } else if (found) {
      length = larger(found->before * whole, least);
    } else if (options_->hindsight.shown_until && whole > 2 * least) {
      const S shown = options_->hindsight.shown_until(step);
      if (shown < S(1)) { length = larger(larger(shown, kShortest) * whole, least); }
    }
    again_ = length == whole ? 0 : again_ + 1;
    return length != whole;
  }
  /// Shortens a step over which what acts varies more with time than looks at it show.
  void look_ahead(S& length) {
    if (direction_ < 0) { return; }
    const S until = options_->foresight.shown_until(t_, t_ + length);
    if (until < t_ + length && until > t_) { length = until - t_; }
  }

  /// How long the step to trial_ may be at most, by the states at both of its ends.
  S longest_step(const S& length) const {
    const StepLimit<S>& limit = options_->step_limit;
    if (!limit.longest) { return std::numeric_limits<S>::infinity(); }
    return std::fmin(limit.longest(t_, y_), limit.longest(t_ + length, trial_));
  }
  void too_long(const S& length) {
    result_.status = RunStatus::no_convergence;
    result_.message = "the step of " + number(length) + " from t = " + number(t_) + " is too long, " +
                      options_->step_limit.reason + "; a shorter step may help";
  }

  /// A step that is too short for the digits of t: because of a rate that it cannot follow, or else.
  std::string why_too_small(const S& length) {
    if (const NotFinite ahead = not_finite_ahead(length); !ahead.cause.empty()) { return ahead.cause; }
    if (std::string singular = singular_configuration(); !singular.empty()) { return singular; }
    if (std::string jump = jump_ahead(length); !jump.empty()) { return jump; }
    std::vector<S> rate(y_.size());
    ++own_evaluations_;
    system_->rhs(t_, y_, rate);
    std::size_t fastest = 0;
    const auto speed = [&](std::size_t i) { return std::fabs(rate[i]) / (1 + std::fabs(y_[i])); };
    for (std::size_t i = 1; i < y_.size(); ++i) {
      if (speed(i) > speed(fastest)) { fastest = i; }
    }
    constexpr S kMuch = S(1e-3L);
    if (y_.empty() || !(speed(fastest) * std::fabs(length) > kMuch)) {
      const std::string name = stepper_->description().name;
      const bool is_for_stiff = name == "cvode-bdf" || name == "ida";
      return std::string("the solution is not smooth there, ") +
             (is_for_stiff ? "" : "is stiff (then try integrator cvode-bdf), ") + "or tolerance " +
             number(options_->relative_tolerance) + " asks for more than it can give (then try a larger one)";
    }
    const std::size_t largest = largest_entry();
    return system_->entry_name(largest) + " is " + number(y_[largest]) + " and " + system_->entry_name(fastest) +
           " changes by " + number(rate[fastest]) +
           " a second, too fast to follow for so long; shorten the run, or look at what makes it so fast";
  }
  std::size_t largest_entry() const {
    std::size_t largest = 0;
    for (std::size_t i = 1; i < y_.size(); ++i) {
      if (std::fabs(y_[i]) > std::fabs(y_[largest])) { largest = i; }
    }
    return largest;
  }

  /// Whether steps have become so short that more are left than anybody waits for, and stay so: at the pace of the
  /// second half of the steps so far, whenever these have doubled.
  bool has_no_end() {
    constexpr double kMost = 1e9;
    const std::size_t tried = result_.statistics.steps + result_.statistics.rejected;
    if (tried < doubled_at_) { return false; }
    const auto half = static_cast<double>(tried - half_at_);
    const double left = half * static_cast<double>((t1_ - t_) / (t_ - half_at_t_));
    const bool first = half_at_ == 0;  // steps may begin short and grow
    half_at_ = tried;
    half_at_t_ = t_;
    doubled_at_ = 2 * tried;
    if (first || !(left > kMost)) { return false; }
    result_.status = RunStatus::too_many_steps;
    result_.message =
        "at t = " + number(t_) + " some " + number(S(left)) + " steps are left: " +
        (2 * result_.jumps.landed > result_.statistics.steps ? "what acts switches with time, and each switch ends a "
                                                               "step; replace it by its mean, or let it switch more "
                                                               "slowly"
                                                             : why_too_small(length_));
    return true;
  }

  /// Whether the run hangs on a jump of the right-hand side: the state is pushed back to it from both sides, and every
  /// step ends there. Looked for where a thousand steps come no farther than a thousandth of the way, in the next
  /// `kSeen`: an entry of y that stays within some tolerances of its value while its rate jumps from sign to sign. That
  /// it jumps, and is not just steep, is found by halving.
  bool chatters() {
    constexpr std::size_t kBetween = 1000;
    constexpr std::size_t kSeen = 64;
    constexpr int kJumps = 3;
    constexpr S kStays = S(1000);  // tolerances
    const std::size_t tried = result_.statistics.steps + result_.statistics.rejected;
    if (!watching_) {
      if (tried - looked_at_step_ < kBetween) { return false; }
      watching_ = std::fabs(t_ - looked_at_t_) < S(1e-3L) * std::fabs(t1_ - t0_);
      looked_at_step_ = tried;
      looked_at_t_ = t_;
      if (!watching_) { return false; }
      seen_ = 0;
      signs_.assign(y_.size(), {});
      y_seen_.assign(kSeen * y_.size(), S(0));
      t_seen_.assign(kSeen, S(0));
      for (std::size_t i = 0; i < y_.size(); ++i) { signs_[i].least = signs_[i].most = y_[i]; }
    }
    std::vector<S> rate(y_.size());
    ++own_evaluations_;
    system_->rhs(t_, y_, rate);
    t_seen_[seen_] = t_;
    copy_row(y_, std::span<S>(y_seen_).subspan(seen_ * y_.size(), y_.size()));
    for (std::size_t i = 0; i < y_.size(); ++i) {
      Signs& one = signs_[i];
      const S change = rate[i] - one.rate;
      // a smooth rate has changed by as much in the step before, and to the same side
      const bool jumps = std::fabs(change) > 10 * std::fabs(one.change) ||
                         (change * one.change < S(0) && 2 * std::fabs(change) > std::fabs(one.change));
      if (seen_ > 1 && rate[i] * one.rate < S(0) && jumps) {
        ++one.jumps;
        one.from = one.rate;
        one.to = rate[i];
        one.at = seen_;
      }
      one.change = change;
      one.rate = rate[i];
      one.least = std::fmin(one.least, y_[i]);
      one.most = std::fmax(one.most, y_[i]);
    }
    if (++seen_ < kSeen) { return false; }
    watching_ = false;
    const S step = std::fabs(t_ - looked_at_t_) / S(static_cast<double>(kSeen));
    looked_at_step_ = result_.statistics.steps + result_.statistics.rejected;
    looked_at_t_ = t_;
    const Signs* worst = nullptr;
    for (std::size_t i = 0; i < y_.size(); ++i) {
      const Signs& one = signs_[i];
      const S jump = std::fabs(one.to - one.from);
      if (one.jumps < kJumps || !is_felt(i, jump, step) || one.most - one.least > kStays * tolerance_of(i)) {
        continue;
      }
      if (worst == nullptr || jump > std::fabs(worst->to - worst->from)) { worst = &one; }
    }
    // steps of an implicit method can stay on one side of the jump for long
    if (worst == nullptr) { return end_at_jump(jump_ahead(S(direction_) * step)); }
    const auto y_at = [&](std::size_t k) { return std::span<const S>(y_seen_).subspan(k * y_.size(), y_.size()); };
    return end_at_jump(jump_between(static_cast<std::size_t>(worst - signs_.data()), t_seen_[worst->at - 1],
                                    y_at(worst->at - 1), t_seen_[worst->at], y_at(worst->at)));
  }

  /// Of entry i; of fixed steps, which have none, a usual one.
  S tolerance_of(std::size_t i) const {
    if (!adaptive()) { return S(1e-6L) * (1 + std::fabs(y_[i])); }
    return options_->absolute_tolerance + options_->relative_tolerance * std::fabs(y_[i]);
  }
  /// Rounding makes a rate jump as well, but not by as much as a thousand thousand steps could feel.
  bool is_felt(std::size_t i, const S& jump, const S& step) const {
    return std::fabs(jump * step) > S(1e-6L) * tolerance_of(i);
  }

  /// The same where the method tells of an entry whose rate changes its sign from evaluation to evaluation: such steps
  /// can be long, and their ends show nothing. Some of them, without much progress between them, are chatter.
  bool zigzags(const S& length) {
    constexpr int kOften = 16;
    const std::size_t i = stepper_->zigzag();
    if (i >= y_.size()) { return false; }
    if (std::fabs(t_ - zigzag_t_) > S(1e-3L) * std::fabs(t1_ - t0_)) {
      zigzag_t_ = t_;
      zigzag_count_ = 0;
    }
    if (++zigzag_count_ % kOften != 0) { return false; }
    // the method's first evaluation after the start of the step lies on the other side of the jump
    std::vector<S> rate(y_.size());
    std::vector<S> other(y_.begin(), y_.end());
    ++own_evaluations_;
    system_->rhs(t_, y_, rate);
    for (std::size_t k = 0; k < other.size(); ++k) { other[k] += length * rate[k]; }
    return end_at_jump(jump_between(i, t_, y_, t_ + length, other));
  }
  /// Ends the run where a jump was found.
  bool end_at_jump(const std::string& jump) {
    if (jump.empty()) { return false; }
    result_.status = RunStatus::step_too_small;
    result_.message = "at t = " + number(t_) + " " + jump;
    return true;
  }

  /// In words, where the motion from y_ on comes to a jump of the right-hand side within some steps of this length and
  /// cannot leave it: beyond the jump the rate of an entry has the other sign, and leads back over it; else "".
  std::string jump_ahead(const S& length) {
    constexpr S kFarthest = S(256);  // steps
    constexpr int kTried = 8;        // entries, those of the largest differences
    const std::size_t n = y_.size();
    std::vector<S> rate(n);
    std::vector<S> other(n);
    std::vector<S> rate_there(n);
    ++own_evaluations_;
    system_->rhs(t_, y_, rate);
    for (S reach(1); reach <= kFarthest; reach *= 4) {
      for (std::size_t k = 0; k < n; ++k) { other[k] = y_[k] + reach * length * rate[k]; }
      ++own_evaluations_;
      system_->rhs(t_, other, rate_there);
      const auto difference = [&](std::size_t i) {
        const S change = std::fabs(rate[i] - rate_there[i]);
        return rate[i] * rate_there[i] < S(0) && is_felt(i, change, length) ? change : S(0);
      };
      for (int tried = 0; tried < kTried; ++tried) {
        std::size_t most = 0;
        for (std::size_t i = 1; i < n; ++i) {
          if (difference(i) > difference(most)) { most = i; }
        }
        if (n == 0 || difference(most) == S(0)) { break; }
        if (std::string jump = jump_between(most, t_, y_, t_, other, reach * length); !jump.empty()) { return jump; }
        rate_there[most] = rate[most];  // not it
      }
    }
    return {};
  }

  /// In words, where the rate of entry i has opposite signs at two states, and jumps on the straight line between them:
  /// halving makes the distance small and leaves the difference; and what the jump goes by, time or state. Else "".
  /// With a time `back` the rate beyond the jump must lead to the near side again within it.
  std::string jump_between(std::size_t i, const S& t_a, std::span<const S> y_a, const S& t_b, std::span<const S> y_b,
                           const S& back = S(0)) {
    constexpr int kHalvings = 40;
    std::vector<S> y(y_.size());
    std::vector<S> rate(y_.size());
    const auto rate_at = [&](const S& t_part, const S& y_part) {
      for (std::size_t k = 0; k < y.size(); ++k) { y[k] = y_a[k] + y_part * (y_b[k] - y_a[k]); }
      ++own_evaluations_;
      system_->rhs(t_a + t_part * (t_b - t_a), y, rate);
      return rate[i];
    };
    S a(0);
    S b(1);
    S from = rate_at(a, a);
    S to = rate_at(b, b);
    const S difference = std::fabs(to - from);
    for (int halving = 0; halving < kHalvings; ++halving) {
      S middle = (a + b) / 2;
      S now = rate_at(middle, middle);
      if (now == S(0)) {  // on the jump itself, where sign(w) is 0
        middle = a + S(0.375L) * (b - a);
        now = rate_at(middle, middle);
      }
      (now * from > S(0) ? a : b) = middle;
      (now * from > S(0) ? from : to) = now;
    }
    if (!(from * to < S(0)) || !(2 * std::fabs(to - from) > difference)) { return {}; }
    if (back != S(0)) {
      rate_at(b, b);
      for (std::size_t k = 0; k < y.size(); ++k) { y[k] += back * rate[k]; }
      ++own_evaluations_;
      system_->rhs(t_b, y, rate);
      if (!(rate[i] * from > S(0))) { return {}; }
    }
    const bool with_time = rate_at(b, a) * from < S(0);
    const std::string name = system_->entry_name(i);
    const std::string values =
        "its rate jumps between " + number(std::fmin(from, to)) + " and " + number(std::fmax(from, to));
    return with_time ? name + " cannot be followed: " + values +
                           " again and again, because what acts switches with time, faster than steps of tolerance " +
                           number(options_->relative_tolerance) +
                           " advance; replace it by its mean, or let it switch more slowly"
                     : name + " chatters: " + values +
                           " from step to step, because what acts switches with its sign; make the switch smooth, such "
                           "as tanh(w/w0) in place of sign(w), or take fixed steps of an explicit method, such as rk4";
  }

  /// First step from sizes of y, f and the change of f [HairerNorsettWanner1993, section II.4]; 0: f is not finite.
  S first_step() {
    const std::size_t n = y_.size();
    std::vector<S> f0(n);
    std::vector<S> f1(n);
    own_evaluations_ += 2;
    system_->rhs(t_, y_, f0);
    if (first_not_finite(f0) < n) { return S(0); }
    const auto size = [&](std::span<const S> v) {
      return static_cast<double>(error_norm<S>(v, y_, y_, options_->relative_tolerance, options_->absolute_tolerance));
    };
    const double d0 = size(y_);
    const double d1 = size(f0);
    const double whole = static_cast<double>(std::fabs(t1_ - t0_));
    const double h0 = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 * whole : std::fmin(0.01 * d0 / d1, whole);
    for (std::size_t i = 0; i < n; ++i) { trial_[i] = y_[i] + S(direction_) * S(h0) * f0[i]; }
    system_->rhs(t_ + S(direction_) * S(h0), trial_, f1);
    for (std::size_t i = 0; i < n; ++i) { f1[i] = (f1[i] - f0[i]) / S(h0); }
    const double d2 = size(f1);
    const double most = std::fmax(d1, d2);
    const int order = stepper_->error_order() > 0 ? stepper_->error_order() : 4;
    const double h1 = !(most > 1e-15)       ? std::fmax(1e-6 * whole, h0 * 1e-3)
                      : std::isfinite(most) ? rough_power(0.01 / most, 1.0 / (order + 1))
                                            : h0;
    return S(direction_) * S(std::fmin(std::fmin(100 * h0, h1), whole));
  }

  bool too_many() {
    if (options_->most_steps == 0 || result_.statistics.steps < options_->most_steps) { return false; }
    result_.status = RunStatus::too_many_steps;
    result_.message = "at t = " + number(t_) + " all " + std::to_string(options_->most_steps) + " steps are used up";
    return true;
  }

  /// Where the right-hand side is not finite, and what is behind it; index past the end: nowhere.
  struct NotFinite {
    std::size_t index;
    std::string cause;
  };
  /// Looks at the last good state, at the start, the middle and the end of the step.
  NotFinite not_finite_rate(const S& length) {
    NotFinite found{y_.size(), {}};
    S good(0);
    for (const S& theta : {S(0), S(0.5), S(1)}) {
      found = not_finite_rate_at(t_ + theta * length, y_);
      if (found.index == y_.size()) {
        good = theta * length;
        continue;
      }
      return theta == S(0) ? found : first_not_finite_rate(good, theta * length);
    }
    return found;
  }
  /// Looks at the last good state, from the end of the step on: before a point where what is given as a function of
  /// time ends, steps shrink and do not reach it.
  NotFinite not_finite_ahead(const S& length) {
    const S whole = t1_ - t0_;
    const S most = S(direction_) * std::fmin(S(0.01L) * std::fabs(whole), std::fabs(t1_ - t_));
    S good(0);
    S ahead = S(direction_) * std::fmax(std::fabs(length), kEpsilon * std::fabs(t_));
    while (std::fabs(good) < std::fabs(most)) {
      if (std::fabs(ahead) > std::fabs(most)) { ahead = most; }
      if (is_broken_at(t_ + ahead)) { return first_not_finite_rate(good, ahead); }
      good = ahead;
      ahead *= 2;
    }
    return {y_.size(), {}};
  }
  /// The first time after t_ + good, by halving, where the rate of the last good state is not finite; at t_ + bad it is
  /// not.
  NotFinite first_not_finite_rate(S good, S bad) {
    for (int halving = 0; halving < 64; ++halving) {
      const S middle = good + (bad - good) / 2;
      if (t_ + middle == t_ + good || t_ + middle == t_ + bad) { break; }
      (is_broken_at(t_ + middle) ? bad : good) = middle;
    }
    NotFinite found = not_finite_rate_at(t_ + bad, y_);
    if (found.index == y_.size()) { found = {0, system_->trouble(t_ + bad, y_)}; }
    return found;
  }
  /// Rates may be finite where what they come from is not: the acceleration of log(1 − t) for t > 1.
  bool is_broken_at(const S& t) {
    return not_finite_rate_at(t, y_).index < y_.size() || !system_->trouble(t, y_).empty();
  }
  /// In words, where constraints lose rank near the last good state and the method is not the one that passes there;
  /// else "".
  std::string singular_configuration() const {
    if constexpr (std::is_same_v<S, double>) {
      if (stepper_->description().name == "dop853") { return {}; }
      const std::optional<double> when = time_of_singular_configuration(*system_, t_, y_);
      if (!when) { return {}; }
      return "near t = " + number(*when) + " the constraints lose rank (a singular configuration), and '" +
             stepper_->description().name +
             "' cannot follow them through it; try integrator 'dop853' with a tolerance, whose steps pass over it";
    }
    return {};
  }
  NotFinite not_finite_rate_at(const S& t, std::span<const S> y) {
    std::vector<S> rate(y.size());
    ++own_evaluations_;
    system_->rhs(t, y, rate);
    const std::size_t index = first_not_finite(rate);
    return {index, index < y.size() ? system_->trouble(t, y) : std::string()};
  }

  /// The largest number of the last good state, where it is too large to be meant.
  std::string growth() const {
    constexpr S kLarge = S(1e9L);
    const std::size_t i = largest_entry();
    return std::fabs(y_[i]) > kLarge ? system_->entry_name(i) + " had become " + number(y_[i]) + "; " : "";
  }
  std::string finer_steps() const {
    return adaptive() ? "a tolerance smaller than " + number(options_->relative_tolerance) + " may help"
                      : "a step shorter than " + number(options_->step) + " may help";
  }
  /// Where rates are finite: what the method says, or that the motion has grown.
  std::string why_not_finite() const {
    const std::string what = stepper_->trouble();
    return what.empty() ? growth() + finer_steps() : what;
  }
  /// A NaN spreads in a step, and an implicit method may only see that it does not converge: so the right-hand side is
  /// asked first.
  void bad_day(StepStatus status, const S& length, std::size_t bad_index) {
    const NotFinite found = not_finite_rate(length);
    bad_day(status, length, bad_index, found);
  }
  void bad_day(StepStatus status, const S& length, std::size_t bad_index, const NotFinite& found) {
    const bool seen = found.index < y_.size();
    const NotFinite ahead = seen ? NotFinite{y_.size(), {}} : not_finite_ahead(length);
    if (!ahead.cause.empty()) {
      result_.bad_index = ahead.index;
      result_.status = RunStatus::not_finite;
      result_.message = "at t = " + number(t_) + " the run cannot go on: " + ahead.cause;
    } else if (seen || status == StepStatus::not_finite) {
      result_.bad_index = seen ? found.index : bad_index;
      result_.status = RunStatus::not_finite;
      result_.message = "in the step from t = " + number(t_) + " " + system_->entry_name(result_.bad_index) +
                        " is no longer finite; " + (found.cause.empty() ? why_not_finite() : found.cause);
    } else {
      result_.bad_index = bad_index;
      result_.status = RunStatus::no_convergence;
      const std::string what = stepper_->trouble();
      std::string why = singular_configuration();
      if (why.empty()) { why = jump_ahead(length); }
      result_.message = "in the step from t = " + number(t_) + " the implicit equations of '" +
                        stepper_->description().name + "' were not solved" + (what.empty() ? "" : ": " + what) + "; " +
                        (why.empty() ? finer_steps() : why);
    }
  }
  /// A good step whose inside is not finite: nothing of it is shown. Says whether it is one.
  bool broken_inside() {
    const std::size_t bad_index = dense_.bad_index();
    if (bad_index == y_.size()) { return false; }
    NotFinite found = not_finite_rate(length_);
    if (found.index == y_.size()) { found = not_finite_rate_at(t_next_, trial_); }
    bad_day(StepStatus::not_finite, length_, bad_index, found);
    return true;
  }

  /// The function of an event became a NaN in a good step: what it would have seen is not known. Says whether one did.
  bool lost_event() {
    if (lost_event_ == g_.size()) { return false; }
    result_.status = RunStatus::not_finite;
    result_.bad_index = y_.size();
    result_.message = "at t = " + number(lost_at_) + " the function of event '" + options_->events[lost_event_].name +
                      "' is nan: whether it crosses zero cannot be told";
    return true;
  }

  /// The step in trial_ is good: events and output inside it, then the new state. False: stop here.
  bool accept(const S& length, const S& t_next) {
    ++result_.statistics.steps;
    dense_.set(t_, length, y_, trial_);
    t_next_ = t_next;
    length_ = length;
    if (!look_inside()) { return false; }
    copy_row(trial_, y_);
    t_ = t_next;
    if (options_->projection == ProjectionUse::every_step) {
      system_->projection()->project_at(t_, y_);
      stepper_->restart();
    }
    if (const ChartSwitching<S>* charts = system_->chart_switching(); charts != nullptr && charts->switch_chart(y_)) {
      ++result_.statistics.chart_switches;
      stepper_->restart();
      for (std::size_t e = 0; e < g_.size(); ++e) { g_[e] = options_->events[e].function(t_, y_); }
    }
    if (options_->output_times.empty()) { return show(t_, y_); }
    return true;
  }

  // ---- inside a step ------------------------------------------------------------------------------------------------

  S time_at(const S& theta) const { return theta == S(1) ? t_next_ : t_ + theta * length_; }
  void state_at(const S& theta) {
    dense_.at(theta, value_);
    if (dense_.bad_index() < value_.size()) { return; }
    if (options_->projection != ProjectionUse::none) { system_->projection()->project_at(time_at(theta), value_); }
  }

  struct Crossing {
    S theta;
    std::size_t event;
  };

  /// Events and output times of the step in the order of time. False: stop there.
  bool look_inside() {
    shown_until_ = S(0);
    find_crossings();
    if (broken_inside() || lost_event()) { return false; }
    for (auto first = crossings_.begin(); first != crossings_.end();) {
      // one instant where one of them is terminal, else each at its own time
      auto last = std::find_if(first + 1, crossings_.end(), [&](const Crossing& later) {
        const S between = std::fabs(time_at(later.theta) - time_at(first->theta));
        return between > one_instant(options_->instant, time_at(first->theta));
      });
      const auto ends_run = [&](const Crossing& one) { return options_->events[one.event].terminal; };
      const bool terminal = std::any_of(first, last, ends_run);
      if (!terminal) { last = first + 1; }
      if (!happen(first, last, terminal)) { return false; }
      first = last;
    }
    return outputs_until(S(1)) && show_piece(S(1));
  }

  /// Shows the events [first, last) at the time of the last of them, where the functions of all have their later sign.
  /// False: stop there.
  using Crossings = typename std::vector<Crossing>::iterator;
  bool happen(Crossings first, Crossings last, bool terminal) {
    const S theta = (last - 1)->theta;
    if (!outputs_until(theta) || !show_piece(theta)) { return false; }
    state_at(theta);
    if (broken_inside()) { return false; }
    hit_.t = time_at(theta);
    hit_.y.assign(value_.begin(), value_.end());
    at_once_.clear();
    for (auto one = first; one != last; ++one) { at_once_.push_back(one->event); }
    if (terminal) { add_just_ahead(); }
    std::sort(at_once_.begin(), at_once_.end());
    at_once_.erase(std::unique(at_once_.begin(), at_once_.end()), at_once_.end());
    for (const std::size_t e : at_once_) {
      hit_.event = e;
      ++result_.statistics.events;
      if (options_->keep_events) { result_.events.push_back(hit_); }
      const bool go_on = !observer_->event || observer_->event(hit_);
      const Event<S>& event = options_->events[e];
      if (result_.status != RunStatus::done || (!event.terminal && go_on)) { continue; }
      result_.status = event.terminal ? RunStatus::stopped_by_event : RunStatus::interrupted;
      result_.message = "at t = " + number(hit_.t) + (event.terminal ? " event '" : " the caller stopped at event '") +
                        event.name + "'";
    }
    if (result_.status == RunStatus::done) { return true; }
    copy_row(hit_.y, y_);
    t_ = hit_.t;
    return false;
  }

  /// Leaving a zero is no crossing, arriving at one is.
  static bool crosses(const Event<S>& event, const S& before, const S& now) {
    const bool up = before < S(0) && now >= S(0);
    const bool down = before > S(0) && now <= S(0);
    return (up && event.direction >= 0) || (down && event.direction <= 0);
  }

  /// A run that ends at hit_ takes along what would happen at the same instant, but behind the end of the step.
  void add_just_ahead() {
    const S ahead = S(direction_) * one_instant(options_->instant, hit_.t);
    std::vector<S> rate(y_.size());
    ++own_evaluations_;
    system_->rhs(hit_.t, hit_.y, rate);
    if (first_not_finite(rate) < rate.size()) { return; }
    for (std::size_t i = 0; i < rate.size(); ++i) { value_[i] = hit_.y[i] + ahead * rate[i]; }
    for (std::size_t e = 0; e < g_.size(); ++e) {
      const Event<S>& event = options_->events[e];
      if (rests_[e] || std::find(at_once_.begin(), at_once_.end(), e) != at_once_.end()) { continue; }
      if (crosses(event, event.function(hit_.t, hit_.y), event.function(hit_.t + ahead, value_)) &&
          (!event.counts || event.counts(hit_.t + ahead, value_))) {
        at_once_.push_back(e);
      }
    }
  }

  /// What has happened since the last piece, up to theta. False: stop there.
  bool show_piece(const S& theta) {
    if (!observer_->piece || theta == shown_until_) { return true; }
    const Projection<S>* projection = options_->projection == ProjectionUse::none ? nullptr : system_->projection();
    const DensePiece<S> piece(dense_, projection, time_at(shown_until_), time_at(theta), shown_until_, theta);
    shown_until_ = theta;
    const bool go_on = observer_->piece(piece);
    if (broken_inside()) { return false; }
    if (go_on) { return true; }
    state_at(theta);
    copy_row(value_, y_);
    t_ = time_at(theta);
    result_.status = RunStatus::interrupted;
    result_.message = "interrupted by the caller at t = " + number(t_);
    return false;
  }

  void start_events() {
    g_.resize(options_->events.size());
    lost_event_ = g_.size();
    for (std::size_t e = 0; e < g_.size(); ++e) { g_[e] = options_->events[e].function(t_, y_); }
    rests_.assign(g_.size(), false);
    changes_until_.assign(g_.size(), t0_);
    told_at_.assign(g_.size(), std::numeric_limits<S>::infinity());
    for (const std::size_t e : options_->just_happened) { rests_[e] = true; }
    rest_until_ = t0_ + S(direction_) * one_instant(options_->instant, t0_);
  }
  void find_crossings() {
    crossings_.clear();
    if (g_.empty()) { return; }
    const int pieces = std::max(options_->event_checks, 0) + 1;
    told_.assign(g_.size(), false);
    for (std::size_t e = 0; e < g_.size(); ++e) {
      if (is_foreseen(e) && !find_changes(e)) { return; }
      if (options_->events[e].changes && direction_ > 0 && !is_foreseen(e)) {
        told_[e] = find_told(e);
        if (dense_.bad_index() < value_.size() || lost_event_ < g_.size()) { return; }
      }
    }
    S theta_a(0);
    for (int piece = 1; piece <= pieces; ++piece) {
      const S theta_b = piece == pieces ? S(1) : S(piece) / S(pieces);
      for (std::size_t e = 0; e < g_.size(); ++e) {
        if (is_foreseen(e) || told_[e]) { continue; }
        const Event<S>& event = options_->events[e];
        const auto g = [&](const S& theta) {
          state_at(theta);
          return dense_.bad_index() < value_.size() ? S(0) : event.function(time_at(theta), value_);
        };
        S a = theta_a;
        if (rests_[e]) {
          if (S(direction_) * (time_at(theta_b) - rest_until_) <= S(0)) { continue; }
          rests_[e] = false;
          a = std::fmax(theta_a, (rest_until_ - t_) / length_);
          g_[e] = g(a);
        }
        const S ga = g_[e];
        const S gb = g(theta_b);
        if (dense_.bad_index() < value_.size()) { return; }
        if (std::isnan(ga) || std::isnan(gb)) {
          lost_event_ = e;
          lost_at_ = time_at(std::isnan(ga) ? a : theta_b);
          return;
        }
        g_[e] = gb;
        if (!crosses(event, ga, gb)) {
          if (ga * gb > S(0)) { add_pair(e, g, a, ga, theta_b, gb); }
          if (dense_.bad_index() < value_.size()) { return; }
          continue;
        }
        add_crossing(e, g, a, ga, theta_b, gb);
      }
      theta_a = theta_b;
    }
    // in place: a stable sort would ask for memory
    std::sort(crossings_.begin(), crossings_.end(), [](const Crossing& a, const Crossing& b) {
      return a.theta < b.theta || (a.theta == b.theta && a.event < b.event);
    });
  }

  /// The crossing of event e between a and b, at which its function g has different signs.
  template <class G>
  void add_crossing(std::size_t e, const G& g, const S& a, const S& ga, const S& b, const S& gb) {
    const Event<S>& event = options_->events[e];
    const S tolerance = S(1e-14L) / std::fmax(std::fabs(length_), S(1e-14L));
    S theta = gb == S(0) ? b : bracketed_zero<S>(g, a, ga, b, gb, tolerance);
    if (g(theta) == S(0)) {
      const S instant = one_instant(options_->instant, time_at(theta)) / std::fabs(length_);
      theta = beginning_of_zero<S>(g, a, ga, theta, theta - instant, tolerance);
    }
    if (event.counts) {
      state_at(theta);
      if (!event.counts(time_at(theta), value_)) { return; }
    }
    crossings_.push_back({theta, e});
  }
  /// Two crossings between a and b, where g has the same sign: looked for where g turns from toward zero to away from
  /// it, by the golden section.
  template <class G>
  void add_pair(std::size_t e, const G& g, const S& a, const S& ga, const S& b, const S& gb) {
    constexpr int kMost = 40;
    constexpr S kGolden = S(0.61803398874989485L);
    const S sign = ga > S(0) ? S(1) : S(-1);
    const S little = (b - a) / 64;
    const auto size = [&](const S& theta) { return sign * g(theta); };
    if (!(size(a + little) < sign * ga) || !(size(b - little) < sign * gb)) { return; }
    S low = a;
    S high = b;
    S one = high - kGolden * (high - low);
    S two = low + kGolden * (high - low);
    S at_one = size(one);
    S at_two = size(two);
    for (int i = 0; i < kMost && at_one > S(0) && at_two > S(0); ++i) {
      if (at_one < at_two) {
        high = two;
        two = one;
        at_two = at_one;
        one = high - kGolden * (high - low);
        at_one = size(one);
      } else {
        low = one;
        one = two;
        at_one = at_two;
        two = low + kGolden * (high - low);
        at_two = size(two);
      }
    }
    const bool first = at_one < at_two;
    const S least = first ? at_one : at_two;
    if (!(least < S(0))) { return; }
    const S theta = first ? one : two;
    const Event<S>& event = options_->events[e];
    if (crosses(event, ga, sign * least)) { add_crossing(e, g, a, ga, theta, sign * least); }
    if (crosses(event, sign * least, gb)) { add_crossing(e, g, theta, sign * least, b, gb); }
  }

  bool is_foreseen(std::size_t e) const { return options_->events[e].next_change && direction_ > 0; }
  /// The crossings in the step of an event whose function is of time alone; those between steps belong to the later
  /// one.
  bool find_changes(std::size_t e) {
    const Event<S>& event = options_->events[e];
    S from = changes_until_[e];
    if (rests_[e]) {
      if (t_next_ <= rest_until_) { return true; }
      rests_[e] = false;
      from = std::fmax(from, rest_until_);
    }
    while (const std::optional<Jump<S>> change = event.next_change(from, t_next_)) {
      const S before = event.function(change->before, y_);
      const S now = event.function(change->after, y_);
      from = change->after;
      if (!crosses(event, before, now)) { continue; }
      const S theta = std::fmin(std::fmax((change->after - t_) / length_, S(0)), S(1));
      if (event.counts) {
        state_at(theta);
        if (dense_.bad_index() < value_.size()) { return false; }
        if (!event.counts(change->after, value_)) { continue; }
      }
      crossings_.push_back({theta, e});
    }
    changes_until_[e] = std::fmax(from, t_next_);
    g_[e] = event.function(t_next_, y_);
    if (!std::isnan(g_[e])) { return true; }
    lost_event_ = e;
    lost_at_ = t_next_;
    return false;
  }

  /// The crossings in the step of an event that can tell all changes of its sign. False where it cannot here.
  bool find_told(std::size_t e) {
    const Event<S>& event = options_->events[e];
    const DensePiece<S> step(dense_, nullptr, t_, t_next_, S(0), S(1));
    const std::optional<std::vector<Jump<S>>> changes = event.changes(step);
    if (!changes) { return false; }
    const auto g = [&](const S& theta) {
      state_at(theta);
      return event.function(time_at(theta), value_);
    };
    S from(0);
    S before = g_[e];
    if (rests_[e]) {
      if (t_next_ <= rest_until_) { return true; }
      rests_[e] = false;
      from = std::fmax(S(0), (rest_until_ - t_) / length_);
      before = g(from);
    }
    // the sign of each stretch between two changes is that of its middle
    const auto pass = [&](const S& begin, const S& end) {
      const S now = g(begin + (end - begin) / 2);
      if (std::isnan(now)) {
        lost_event_ = e;
        lost_at_ = time_at(begin);
      } else if (crosses(event, before, now)) {
        // a zero at the end of a step may be met again at the beginning of the next: by rounding, at one instant
        const S when = time_at(begin);
        const bool again = std::fabs(when - told_at_[e]) <= one_instant(options_->instant, when);
        state_at(begin);
        if (!again && (!event.counts || event.counts(when, value_))) {
          crossings_.push_back({begin, e});
          told_at_[e] = when;
        }
      }
      before = now;
    };
    for (const Jump<S>& change : *changes) {
      if (change.before < from) { continue; }
      pass(from, change.before);
      from = change.after;
    }
    pass(from, S(1));
    g_[e] = before;  // at the end itself rounding may have it on the other side again
    return true;
  }

  bool start_output() {
    if (options_->output_times.empty()) { return show(t_, y_); }
    while (next_output_ < options_->output_times.size() && options_->output_times[next_output_] == t0_) {
      if (!show(t_, y_)) { return false; }
      ++next_output_;
    }
    return true;
  }
  bool outputs_until(const S& theta_end) {
    const std::vector<S>& times = options_->output_times;
    while (next_output_ < times.size() && S(direction_) * (times[next_output_] - time_at(theta_end)) <= S(0)) {
      const S time = times[next_output_];
      const S theta = time == t_next_ ? S(1) : (time - t_) / length_;
      if (!show_piece(std::fmin(theta, S(1)))) { return false; }
      state_at(std::fmin(theta, S(1)));
      if (broken_inside()) { return false; }
      ++next_output_;
      if (!show(time, value_)) {
        copy_row(value_, y_);
        t_ = time;
        return false;
      }
    }
    return true;
  }
  bool show(const S& t, std::span<const S> y) {
    if (!observer_->output) { return true; }
    std::span<const S> shown = y;
    if (options_->projection != ProjectionUse::none) {
      copy_row(y, chart_value_);
      system_->projection()->project_at(t, chart_value_);
      shown = chart_value_;
    }
    if (observer_->output(t, shown)) { return true; }
    result_.status = RunStatus::interrupted;
    result_.message = "interrupted by the caller at t = " + number(t);
    return false;
  }

  const System<S>* system_;
  Stepper<S>* stepper_;
  const RunOptions<S>* options_;
  const Observer<S>* observer_;
  S t0_;
  S t1_;
  std::span<S> y_;
  DenseStep<S> dense_;
  std::vector<S> trial_;
  std::vector<S> value_;
  std::vector<S> chart_value_;
  int direction_;
  std::size_t evaluations_before_;
  std::size_t own_evaluations_ = 0;
  S t_{};
  S t_next_{};
  S length_{};
  S shown_until_{};  ///< part of the step of which the observer has seen the pieces
  std::vector<S> g_;
  std::size_t lost_event_ = 0;  ///< whose function is a NaN; size of g_: none
  S lost_at_{};
  std::vector<S> told_at_;       ///< when they were met last
  std::vector<bool> told_;       ///< events that have told their changes in this step
  bool crosses_switch_ = false;  ///< the step leads over a jump that hindsight has found
  int again_ = 0;                ///< times that the step was taken again for it
  std::vector<bool> rests_;      ///< events that are not looked at before rest_until_
  S rest_until_{};
  std::vector<S> changes_until_;  ///< of events by time alone: how far they have been looked at
  EventHit<S> hit_;
  std::vector<std::size_t> at_once_;  ///< events at hit_
  std::vector<Crossing> crossings_;
  std::size_t next_output_ = 0;
  std::optional<Jump<S>> jump_;  ///< the next one
  S clear_until_{};              ///< no jump is left before it but jump_
  // what chatters() has seen
  struct Signs {
    S rate{};
    S change{};
    S from{};  ///< the rate before its last jump
    S to{};    ///< and after it
    S least{};
    S most{};
    int jumps = 0;
    std::size_t at = 0;  ///< of the states seen, the one after the last jump
  };
  std::vector<Signs> signs_;
  std::vector<S> t_seen_;
  std::vector<S> y_seen_;  ///< row by row
  // what zigzags() has seen
  int zigzag_count_ = 0;
  S zigzag_t_{};
  // what has_no_end() has seen
  std::size_t doubled_at_ = 16384;
  std::size_t half_at_ = 0;
  S half_at_t_{};
  bool watching_ = false;
  std::size_t seen_ = 0;
  std::size_t looked_at_step_ = 0;
  S looked_at_t_{};
  RunResult<S> result_;
};

}  // namespace

ProjectionUse projection_use(std::string_view name) {
  const std::vector<std::string_view> known{"none", "every_step", "at_output"};
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (known[i] == name) { return static_cast<ProjectionUse>(i); }
  }
  fail(Error(unknown_name("projection", name, known)));
}

std::string_view to_text(RunStatus status) {
  switch (status) {
    case RunStatus::done:
      return "done";
    case RunStatus::not_finite:
      return "not finite";
    case RunStatus::no_convergence:
      return "no convergence";
    case RunStatus::step_too_small:
      return "step too small";
    case RunStatus::too_many_steps:
      return "too many steps";
    case RunStatus::stopped_by_event:
      return "stopped by event";
    case RunStatus::interrupted:
      return "interrupted";
  }
  return "unknown";
}

template <class S>
RunResult<S> integrate(const System<S>& system, Stepper<S>& stepper, const RunOptions<S>& options, const S& t0,
                       const S& t1, std::span<S> y, const Observer<S>& observer) {
  return Run<S>(system, stepper, options, t0, t1, y, observer).go();
}
template RunResult<double> integrate(const System<double>&, Stepper<double>&, const RunOptions<double>&, const double&,
                                     const double&, std::span<double>, const Observer<double>&);
template RunResult<long double> integrate(const System<long double>&, Stepper<long double>&,
                                          const RunOptions<long double>&, const long double&, const long double&,
                                          std::span<long double>, const Observer<long double>&);

}  // namespace polhode
