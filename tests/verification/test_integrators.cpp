#include "polhode/verification/integrator_checks.h"
#include "polhode/verification/verification.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

using namespace polhode;
using namespace polhode::verification;

namespace {

/// The full run has 1e5 turns; this one is for every day.
const Report& all_integrators() {
  static const Report kReport = [] {
    VerifyOptions options;
    options.turns = 400;
    return verify_integrators(options);
  }();
  return kReport;
}

const MethodDescription& method(const char* name) { return integrator<double>(name).description(); }

}  // namespace

TEST_CASE("every integrator: order or tolerance, reversal, energy and momentum, and every wrong twin is caught") {
  for (const Item& item : all_integrators().items) {
    CAPTURE(item.equation);
    CAPTURE(item.trouble);
    CAPTURE(item.residual);
    CAPTURE(item.twin_residual);
    CHECK(item.ok);
    CHECK(item.twin_killed);
    CHECK(item.residual <= 1);
    CHECK(item.twin_residual > 2);
  }
  CHECK(all_integrators().passed());
}

TEST_CASE("every integrator is measured on every case, and the description lists the same") {
  const Report described = describe_integrators();
  REQUIRE(described.items.size() == all_integrators().items.size());
  std::set<std::string> named;
  for (std::size_t n = 0; n < described.items.size(); ++n) {
    CHECK(described.items[n].equation == all_integrators().items[n].equation);
    named.insert(described.items[n].equation);
  }
  for (const auto& one : integrators<double>()) {
    const MethodDescription& m = one->description();
    if (m.holds_constraints) { continue; }  // one body has none
    const std::string property = m.order == 0 ? "tolerance" : "order";
    for (const std::string which : {"heavy top", "gravity gradient"}) {
      CHECK(named.contains(property + " of " + m.name + ", " + which));
      CHECK(named.contains("reversal of " + m.name + ", " + which) == m.symmetric);
      CHECK(named.contains("momentum of " + m.name + ", " + which) == m.symplectic);
    }
  }
  CHECK(named.contains("exactness of free-kick2, free body"));
  CHECK_FALSE(named.contains("order of free-kick2, free body"));
}

TEST_CASE("the drift of methods that are not symplectic is told as a number") {
  const auto drift = [](const std::string& of, const std::string& on) {
    const auto found = std::find_if(
        all_integrators().measured.begin(), all_integrators().measured.end(),
        [&](const Measurement& m) { return m.quantity == "energy drift in 100 turns" && m.of == of && m.on == on; });
    REQUIRE(found != all_integrators().measured.end());
    return found->value;
  };
  CHECK(std::fabs(drift("explicit-euler", "free body")) > 0.1);
  CHECK(std::fabs(drift("rk4", "heavy top")) > 1e-6);
  CHECK(std::fabs(drift("dop853", "heavy top")) < 1e-5);
  const auto json = nlohmann::json::parse(to_json(all_integrators()));
  CHECK(json["measured"].size() == all_integrators().measured.size());
  CHECK(json["measured"][0]["quantity"] == "order");
}

TEST_CASE("a stopped verification reports what was finished, and a long run ends at once") {
  VerifyOptions options;
  options.stop = [] { return true; };
  CHECK(verify_integrators(options).items.empty());
  CHECK_FALSE(long_run(method("splitting2"), Case::heavy_top, 1e9, 0, options.stop).finished);
}

TEST_CASE("a long run sees a loss of energy that is smaller than the swing of the energy") {
  const LongRun right = long_run(method("splitting2"), Case::heavy_top, 400, 0, {});
  const LongRun lossy = long_run(method("splitting2"), Case::heavy_top, 400, 1e-3, {});
  CHECK(right.finished);
  CHECK(std::fabs(right.energy_trend) < 3 * right.energy_trend_error);
  CHECK(lossy.energy_trend < -5 * lossy.energy_trend_error);
}

TEST_CASE("rounding does not pile up in momentum and energy") {
  // 1e4 turns, 1.2e5 to 2e5 steps of roundings of some 1e-16: a few 1e-14 if they have no preference for one side, and
  // a multiple of it if they have; the energy of free motion has some hundred roundings a step
  const auto run = [](const char* name, Case which) {
    const LongRun result = long_run(method(name), which, 1e4, 0, {});
    CHECK(result.finished);
    return result;
  };
  CHECK(run("gauss2", Case::free_body).momentum_drift < 6e-14);
  CHECK(run("gauss4", Case::heavy_top).momentum_drift < 6e-14);
  CHECK(run("splitting4", Case::heavy_top).momentum_drift < 4e-14);
  CHECK(run("splitting4", Case::gravity_gradient).momentum_drift < 6e-14);
  CHECK(run("dmv", Case::gravity_gradient).momentum_drift < 6e-14);
  CHECK(std::fabs(run("free-kick2", Case::free_body).energy_drift) < 3e-13);
}

TEST_CASE("the references of the three cases keep what they must, and are three different motions") {
  // what is kept does not know of Taylor series; on the orbit it is Jacobi's integral, tested with the law itself
  for (const Case which : {Case::free_body, Case::heavy_top}) {
    const BodyState<long double> end = reference_state(which, Law::whole, 4);
    BodyState<double> rounded;
    rounded.e_NB = {
        static_cast<double>(end.e_NB.e0),
        {static_cast<double>(end.e_NB.ev.x), static_cast<double>(end.e_NB.ev.y), static_cast<double>(end.e_NB.ev.z)}};
    rounded.w_B = {static_cast<double>(end.w_B.x), static_cast<double>(end.w_B.y), static_cast<double>(end.w_B.z)};
    const OneBody<double> body = body_of<double>(which, Centre::fixed);
    const Kept before = kept_at(which, body, start_state<double>());
    const Kept after = kept_at(which, body, rounded);
    CHECK(std::fabs(after.energy - before.energy) < 2e-15);
    CHECK(norm(after.momentum - before.momentum) < 4e-15);
  }
  const auto w_B = [](Case which) { return reference_state(which, Law::whole, 4).w_B; };
  CHECK(norm(w_B(Case::free_body) - w_B(Case::heavy_top)) > 0.1L);
  CHECK(norm(w_B(Case::gravity_gradient) - w_B(Case::heavy_top)) > 0.1L);
}

TEST_CASE("schemes without the gyroscopic term are measured against their own law, under which a free body keeps w'") {
  const BodyState<long double> start = start_state<long double>();
  const BodyState<long double> steady = reference_state(Case::free_body, Law::without_gyroscopic_term, 4);
  CHECK(norm(steady.w_B - start.w_B) < 1e-18L);
  // and turns about it: e ∘ exp(ω' t), apart from the reference by the rounding of long double
  const EulerParameters<long double> turned = start.e_NB * exp(4.0L * start.w_B);
  CHECK(norm(nearest_sign(turned, steady.e_NB) - steady.e_NB) < 1e-17L);
  for (const Case which : kCases) {
    const BodyState<long double> right = reference_state(which, Law::whole, 4);
    CHECK(norm(reference_state(which, Law::without_gyroscopic_term, 4).w_B - right.w_B) > 0.1L);
  }
  // one order more, and only there
  CHECK(order_on(method("body-no-gyro"), Case::free_body) == 2);
  CHECK(order_on(method("body-no-gyro"), Case::heavy_top) == 1);
  CHECK(order_on(method("body"), Case::free_body) == 1);
  CHECK(law_of(method("body")) == Law::whole);
}
