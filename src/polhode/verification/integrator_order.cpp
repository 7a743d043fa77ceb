#include "polhode/integrator/driver.h"
#include "polhode/verification/integrator_checks.h"
#include "polhode/verification/larger.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <type_traits>

namespace polhode::verification {
namespace {

/// A little more than a turn: every term has acted, and errors have not yet grown by themselves.
constexpr double kEnd = 6;

const BodyState<long double>& reference(Case which, Law law) {
  constexpr std::array kLaws{Law::whole, Law::without_gyroscopic_term};
  static const std::array<std::array<BodyState<long double>, kCases.size()>, kLaws.size()> kAll = [&] {
    std::array<std::array<BodyState<long double>, kCases.size()>, kLaws.size()> all;
    for (const Law by : kLaws) {
      for (const Case one : kCases) {
        all[static_cast<std::size_t>(by)][static_cast<std::size_t>(one)] = reference_state(one, by, kEnd);
      }
    }
    return all;
  }();
  return kAll[static_cast<std::size_t>(law)][static_cast<std::size_t>(which)];
}

/// Distance of attitude and rate from the reference: root of the sum of squares, or the root mean square of its entries
/// each weighed by 1/(1 + |y|).
template <class S>
double distance_to_reference(Case which, Law law, const BodyState<S>& state, bool weigh) {
  const BodyState<long double>& exact = reference(which, law);
  const auto wide = [](const S& x) { return static_cast<long double>(x); };
  const EulerParameters<long double> e{wide(state.e_NB.e0),
                                       {wide(state.e_NB.ev.x), wide(state.e_NB.ev.y), wide(state.e_NB.ev.z)}};
  const EulerParameters<long double> e_exact = nearest_sign(exact.e_NB, e);
  const std::array<long double, 7> reached{
      e.e0, e.ev.x, e.ev.y, e.ev.z, wide(state.w_B.x), wide(state.w_B.y), wide(state.w_B.z)};
  const std::array<long double, 7> right{e_exact.e0,  e_exact.ev.x, e_exact.ev.y, e_exact.ev.z,
                                         exact.w_B.x, exact.w_B.y,  exact.w_B.z};
  long double sum = 0;
  for (std::size_t i = 0; i < right.size(); ++i) {
    const long double off = (reached[i] - right[i]) / (weigh ? 1 + std::fabs(right[i]) : 1);
    sum += off * off;
  }
  return static_cast<double>(std::sqrt(weigh ? sum / right.size() : sum));
}

[[noreturn]] void give_up(const std::string& why) { throw std::runtime_error(why); }

/// One case under one method, ready to run many times.
template <class S>
class Bench {
 public:
  Bench(const MethodDescription& method, Case which)
      : which_(which),
        law_(law_of(method)),
        body_(body_of<S>(which)),
        system_(formulation<S>(form_for(method, false)), body_),
        stepper_(integrator<S>(method.name).bind(system_)) {}

  /// Error at the end of `steps` equal steps, each too long by the share `stretch`.
  double error(int steps, double stretch) {
    RunOptions<S> options;
    const S end = S(kEnd) * (S(1) + S(stretch));
    options.step = end / S(steps);
    return error_of(options, end);
  }
  /// Error over the tolerance, in the norm that steps by tolerance are judged by: root mean square of the errors of the
  /// entries of y, each against absolute + relative |y|.
  double error_over(double tolerance) {
    RunOptions<S> options;
    options.relative_tolerance = S(tolerance);
    options.absolute_tolerance = S(tolerance);
    return error_of(options, S(kEnd), true) / tolerance;
  }

 private:
  double error_of(const RunOptions<S>& options, const S& end, bool weigh = false) {
    std::vector<S> y(system_.size());
    system_.set_state(start_state<S>(), y);
    const RunResult<S> result = integrate<S>(system_, *stepper_, options, S(0), end, y);
    // steps that are too long for the method's equations have an error beyond all bounds
    if (result.status == RunStatus::no_convergence) { return std::numeric_limits<double>::infinity(); }
    if (result.status != RunStatus::done) { give_up(result.message); }
    return distance_to_reference(which_, law_, system_.body_state(end, y), weigh);
  }

  Case which_;
  Law law_;
  OneBody<S> body_;
  BodySystem<S> system_;
  std::unique_ptr<Stepper<S>> stepper_;
};

/// The three step sizes, as counts of steps in a whole number of the coarsest, and where the coarsest error should be:
/// low enough that the next power of h does not count, high enough that the finest is above 1e-11.
struct Ladder {
  std::array<int, 3> counts;
  double coarse_error;
};
Ladder ladder_of(int order) {
  switch (order) {
    case 1:
      return {{2, 4, 8}, 1e-3};
    case 2:
    case 3:
      return {{2, 4, 8}, 2e-4};
    case 4:
      return {{2, 4, 8}, 1e-6};
    case 5:
      return {{2, 3, 4}, 1e-9};
    case 6:
    case 7:
      return {{2, 3, 4}, 1e-8};
    default:
      return {{2, 3, 4}, 3e-8};
  }
}

/// Slope of log error over log step by least squares.
double slope_of(const std::array<double, 3>& errors, const std::array<int, 3>& counts) {
  std::array<double, 3> x{};
  std::array<double, 3> y{};
  for (std::size_t i = 0; i < 3; ++i) {
    x[i] = -std::log2(counts[i]);
    y[i] = std::log2(errors[i]);
  }
  const double x_mean = (x[0] + x[1] + x[2]) / 3;
  double xx = 0;
  double xy = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    xx += (x[i] - x_mean) * (x[i] - x_mean);
    xy += (x[i] - x_mean) * y[i];
  }
  return xy / xx;
}

/// Half the number of steps whose error is just below the target.
template <class S>
int coarse_count(Bench<S>& bench, int order, double target) {
  constexpr int kMostSteps = 1000000;
  const auto error = [&](int half) { return bench.error(2 * half, 0); };
  // up by the declared order, at most four times as many steps at once: coarse steps may mislead
  int above = 0;  // its error is too large
  int count = 4;
  double found = error(count);
  while (found > target) {
    above = count;
    const double factor = std::pow(found / target, 1.0 / order);
    count = static_cast<int>(std::ceil(count * std::clamp(factor, 1.02, 4.0)));
    if (count > kMostSteps) { give_up("the error does not come down to the window"); }
    found = error(count);
  }
  // and back down if that went too far
  while (count - above > 1 && found < target / 2) {
    const int middle = (above + count) / 2;
    const double there = error(middle);
    (there > target ? above : count) = middle;
    if (there <= target) { found = there; }
  }
  return count;
}

template <class S>
MeasuredOrder order_in(const MethodDescription& method, Case which, bool twin) {
  Bench<S> bench(method, which);
  const int order = order_on(method, which);
  const Ladder ladder = ladder_of(order);
  const int half = coarse_count(bench, order, ladder.coarse_error);
  std::array<double, 3> errors{};
  for (std::size_t i = 0; i < 3; ++i) {
    // the twin's own error is three times the coarse one and falls off with one power less
    const double share = std::pow(static_cast<double>(ladder.counts[i]) / ladder.counts[0], 1 - order);
    errors[i] = bench.error(ladder.counts[i] * half, twin ? 3 * ladder.coarse_error / kEnd * share : 0);
  }
  return {slope_of(errors, ladder.counts), errors.front(), errors.back()};
}

}  // namespace

MeasuredOrder measured_order(const MethodDescription& method, Case which, bool twin) {
  constexpr int kLongFrom = 6;
  return method.order < kLongFrom ? order_in<double>(method, which, twin) : order_in<long double>(method, which, twin);
}

double error_of_exact(const MethodDescription& method, Case which, bool twin) {
  Bench<double> bench(method, which);
  double worst = 0;
  for (const int steps : {1, 2, 4}) { worst = larger(worst, bench.error(steps, twin ? 1e-9 : 0)); }
  return worst;
}

double error_over_tolerance(const MethodDescription& method, Case which, bool twin) {
  Bench<double> bench(method, which);
  double worst = 0;
  for (const double tolerance : {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12}) {
    const double asked = twin ? 1e-4 : tolerance;
    worst = larger(worst, bench.error_over(asked) * asked / (10 * tolerance));
  }
  return worst;
}

}  // namespace polhode::verification
