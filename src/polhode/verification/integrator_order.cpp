#include "polhode/integrator/driver.h"
#include "polhode/verification/integrator_checks.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <type_traits>

namespace polhode::verification {
namespace {

/// Two thirds of a turn: every term of the equations has acted, and errors have not yet grown by themselves.
constexpr double kEnd = 4;

const BodyState<long double>& reference(Case which) {
  static const std::array<BodyState<long double>, kCases.size()> kAll = [] {
    std::array<BodyState<long double>, kCases.size()> all;
    for (const Case one : kCases) { all[static_cast<std::size_t>(one)] = reference_state(one, kEnd); }
    return all;
  }();
  return kAll[static_cast<std::size_t>(which)];
}

template <class S>
double distance_to_reference(Case which, const BodyState<S>& state) {
  const BodyState<long double>& exact = reference(which);
  const auto wide = [](const Vec3<S>& v) {
    return Vec3<long double>{static_cast<long double>(v.x), static_cast<long double>(v.y),
                             static_cast<long double>(v.z)};
  };
  BodyState<long double> reached;
  reached.e_NB = {static_cast<long double>(state.e_NB.e0), wide(state.e_NB.ev)};
  reached.w_B = wide(state.w_B);
  return static_cast<double>(difference(reached, exact));
}

[[noreturn]] void give_up(const std::string& why) { throw std::runtime_error(why); }

/// One case under one method, ready to run many times.
template <class S>
class Bench {
 public:
  Bench(const MethodDescription& method, Case which)
      : which_(which),
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
  double error_by_tolerance(double tolerance) {
    RunOptions<S> options;
    options.relative_tolerance = S(tolerance);
    options.absolute_tolerance = S(tolerance);
    return error_of(options, S(kEnd));
  }

 private:
  double error_of(const RunOptions<S>& options, const S& end) {
    std::vector<S> y(system_.size());
    system_.set_state(start_state<S>(), y);
    const RunResult<S> result = integrate<S>(system_, *stepper_, options, S(0), end, y);
    if (result.status != RunStatus::done) { give_up(result.message); }
    return distance_to_reference(which_, system_.body_state(end, y));
  }

  Case which_;
  OneBody<S> body_;
  BodySystem<S> system_;
  std::unique_ptr<Stepper<S>> stepper_;
};

/// Where the coarsest of three errors should be: low enough that the next power of h does not count, high enough that
/// the finest, 4^order times smaller, is above 1e-11.
double coarse_target(int order) {
  return order == 1 ? 1e-3 : order < 4 ? 2e-4 : order == 4 ? 1e-6 : order == 5 ? 2e-8 : order < 8 ? 1e-7 : 8e-7;
}

template <class S>
MeasuredOrder order_in(const MethodDescription& method, Case which, bool twin) {
  Bench<S> bench(method, which);
  const double target = coarse_target(method.order);
  int steps = 8;
  double coarse = bench.error(steps, 0);
  // towards the target by the declared order, at most four times as many steps at once: coarse steps may mislead
  for (int round = 0; coarse > target; ++round) {
    constexpr int kMostRounds = 40;
    constexpr int kMostSteps = 1000000;
    if (round == kMostRounds || steps > kMostSteps) { give_up("the error does not come down to the window"); }
    const double factor = std::pow(coarse / target, 1.0 / method.order);
    steps = static_cast<int>(std::ceil(steps * std::min(4.0, std::max(1.02, factor))));
    coarse = bench.error(steps, 0);
  }
  const auto error = [&](int times) {
    // the twin's own error is three times the coarse one and falls off with one power less
    const double stretch = twin ? 3 * coarse / kEnd * std::pow(times, 1 - method.order) : 0;
    return bench.error(times * steps, stretch);
  };
  const MeasuredOrder found{0, error(1), error(4)};
  return {std::log2(found.coarse / found.fine) / 2, found.coarse, found.fine};
}

}  // namespace

MeasuredOrder measured_order(const MethodDescription& method, Case which, bool twin) {
  constexpr int kLongFrom = 6;
  return method.order < kLongFrom ? order_in<double>(method, which, twin) : order_in<long double>(method, which, twin);
}

double error_of_exact(const MethodDescription& method, Case which, bool twin) {
  Bench<double> bench(method, which);
  double worst = 0;
  for (const int steps : {1, 2, 4}) { worst = std::fmax(worst, bench.error(steps, twin ? 1e-9 : 0)); }
  return worst;
}

double error_over_tolerance(const MethodDescription& method, Case which, bool twin) {
  Bench<double> bench(method, which);
  double worst = 0;
  for (const double tolerance : {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12}) {
    worst = std::fmax(worst, bench.error_by_tolerance(twin ? 1e-4 : tolerance) / (10 * tolerance));
  }
  return worst;
}

}  // namespace polhode::verification
