// The certificate must not lie: it says yes to what is right, and no to planted faults.
#include "simulation/plans.h"
#include "simulation/spoilt_form.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace polhode;
using simulation::Certificate;
using simulation::OneBodyPlan;
using simulation::Verdict;

namespace {

Certificate certified(const OneBodyPlan& plan, const OneBodyPlan* claimed = nullptr) {
  test::Keep sink;
  const simulation::Outcome outcome = simulation::Simulation(plan).run(sink);
  const OneBodyPlan& claim = claimed != nullptr ? *claimed : plan;
  Certificate certificate = certificate_of(claim, outcome);
  certify(certificate, claim, sink.poses(plan));
  return certificate;
}

/// What a body does whose gyroscopic term has the wrong sign: τ' + 2 ω' × J ω' in place of τ'.
void spoil_gyroscopic_sign(OneBodyPlan& plan) {
  const Mat3<double> J_B = plan.body.J_B;
  plan.body.load.add_moment([J_B](const BodyState<double>& s) { return 2.0 * cross(s.w_B, J_B * s.w_B); });
}

}  // namespace

TEST_CASE("a good run is certified: by the exact motion where there is one, else by finer steps") {
  OneBodyPlan top = test::top_plan();
  top.body.J_B = diagonal(1.5, 1.5, 0.6);
  top.body.load = {};
  top.body.load.add_gravity(1, {0, 0, -2}, {0, 0, 0.5});
  top.potential = [](const BodyState<double>& s) { return 2 * rotate(s.e_NB, Vec3<double>{0, 0, 0.5}).z; };
  OneBodyPlan spin = test::free_plan();
  spin.start.w_B = {0, 0, 1};
  spin.body.load.add_moment_body({0, 0, 0.25});
  spin.potential = {};
  spin.momentum = OneBodyPlan::Momentum::balance;
  OneBodyPlan fixed = test::forced_plan();
  fixed.integrator = "rk4";
  fixed.step = 0.01;
  const std::pair<OneBodyPlan, std::string> cases[] = {{test::free_plan(), "exact motion (free body)"},
                                                       {top, "exact motion (Lagrange top)"},
                                                       {spin, "exact motion (spin under a constant moment)"},
                                                       {test::top_plan(), "a run with a hundredth of the tolerance"},
                                                       {test::forced_plan(), "a run with a hundredth of the tolerance"},
                                                       {fixed, "step halving"}};
  for (const auto& [plan, method] : cases) {
    CAPTURE(method);
    const Certificate certificate = certified(plan);
    CHECK(certificate.method == method);
    CHECK(certificate.verdict == Verdict::yes);
    REQUIRE(certificate.attitude_error.has_value());
    CHECK(*certificate.attitude_error < 1e-6);
    if (method == "step halving") {
      REQUIRE(certificate.observed_order.has_value());
      CHECK(std::fabs(*certificate.observed_order - 4) < 0.2);
    }
  }
}

TEST_CASE("what the last digit of a full inertia matrix is worth is told where it counts, and can forbid a yes") {
  const auto certificate_at = [](double off_axis, double accuracy, bool principal) {
    OneBodyPlan plan = test::free_plan();
    const Mat3<double> R_BP = rotation_matrix(normalized(EulerParameters<double>{0.8, {0.3, -0.4, 0.2}}));
    plan.start.w_B = {off_axis, 1, 0};
    if (!principal) {
      // two roundings of a product are not the same: the matrix is symmetric by hand
      plan.body.J_B = R_BP * diagonal(1.0, 2.0, 3.0) * transpose(R_BP);
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < i; ++j) { plan.body.J_B(i, j) = plan.body.J_B(j, i); }
      }
      plan.start.w_B = R_BP * plan.start.w_B;
    }
    plan.relative_tolerance = plan.absolute_tolerance = 1e-13;
    plan.accuracy = accuracy;
    return certified(plan);
  };
  const auto rounding = [](const Certificate& certificate) {
    const simulation::Evidence* found = nullptr;
    for (const simulation::Evidence& one : certificate.evidence) {
      if (one.name == "rounding of the input") { found = &one; }
    }
    return found != nullptr ? found->value : 0;
  };
  // far from the middle axis nothing is lost
  CHECK(rounding(certificate_at(0.3, 1e-6, false)) == 0);
  // m1 is about the square of the angle between rate and axis
  const Certificate near = certificate_at(1e-5, 1e-4, false);
  CHECK(rounding(near) > 1e-5);
  CHECK(rounding(near) < 1e-4);
  CHECK(near.verdict == Verdict::yes);
  const Certificate nearer = certificate_at(1e-6, 1e-4, false);
  CAPTURE(nearer.reason);
  CHECK(rounding(nearer) > 1e-4);
  CHECK(nearer.verdict == Verdict::not_established);
  CHECK(nearer.reason.find("the last digit of the inertia matrix decides") != std::string::npos);
  // principal axes are given, not found: the numbers are taken as they stand
  CHECK(rounding(certificate_at(1e-6, 1e-4, true)) == 0);
}

TEST_CASE("balances alone establish nothing") {
  test::Keep sink;
  const OneBodyPlan plan = test::free_plan();
  const Certificate certificate = certificate_of(plan, simulation::Simulation(plan).run(sink));
  CHECK(certificate.verdict == Verdict::not_established);
  CHECK_FALSE(certificate.attitude_error.has_value());
}

TEST_CASE("a too large step: no") {
  for (OneBodyPlan plan : {test::free_plan(), test::top_plan(), test::forced_plan()}) {
    CAPTURE(plan.title);
    plan.integrator = "rk4";
    plan.step = 0.5;
    CHECK(certified(plan).verdict == Verdict::no);
    // splitting keeps every balance for ever, and is late all the same: only the error itself tells
    if (plan.title != "forced") {
      plan.integrator = "splitting2";
      plan.step = 0.1;
      plan.accuracy = 1e-3;
      CHECK(certified(plan).verdict == Verdict::no);
    }
  }
}

TEST_CASE("a wrong gyroscopic sign: no, with a body that claims to be free, from the balances alone") {
  for (const OneBodyPlan& good : {test::free_plan(), test::top_plan()}) {
    CAPTURE(good.title);
    OneBodyPlan bad = good;
    spoil_gyroscopic_sign(bad);
    test::Keep sink;
    const simulation::Outcome outcome = simulation::Simulation(bad).run(sink);
    const Certificate certificate = certificate_of(good, outcome);
    CHECK(certificate.verdict == Verdict::no);
    CHECK(certificate.reason.find("angular momentum") != std::string::npos);
  }
}

TEST_CASE("a rate taken in the wrong frame: no, by the exact motion of what was meant") {
  const OneBodyPlan good = test::free_plan();
  OneBodyPlan bad = good;
  bad.start.w_B = rotate(good.start.e_NB, good.start.w_B);
  const Certificate certificate = certified(bad, &good);
  CHECK(certificate.verdict == Verdict::no);
  CHECK(*certificate.attitude_error > 0.1);
}

TEST_CASE("a run that did not reach its end: no") {
  OneBodyPlan plan = test::free_plan();
  plan.body.load.add_moment([](const BodyState<double>& s) { return Vec3<double>{s.t > 5 ? std::nan("") : 0, 0, 0}; });
  plan.potential = {};
  plan.momentum = OneBodyPlan::Momentum::balance;
  CHECK(certified(plan).verdict == Verdict::no);
}

TEST_CASE("the multiplier's evidence comes with the note on what it shows") {
  OneBodyPlan plan = test::top_plan();
  plan.formulation = "f5";
  const Certificate certificate = certified(plan);
  CHECK(certificate.verdict == Verdict::yes);
  bool seen = false;
  for (const simulation::Evidence& one : certificate.evidence) { seen = seen || one.name == "multiplier"; }
  CHECK(seen);
  REQUIRE(certificate.notes.size() == 2);
  CHECK(certificate.notes[1].find("'extrapolation'") != std::string::npos);  // the second opinion
  CHECK(certificate.notes[0].find("index 1") != std::string::npos);
}

TEST_CASE("a multiplier of half its size: no, and no less for a body of 1e-9 kg m²") {
  for (const double unit : {1.0, 1e-9}) {
    CAPTURE(unit);
    OneBodyPlan plan = test::free_plan();
    plan.body.J_B = diagonal(1.0 * unit, 2.0 * unit, 3.0 * unit);
    plan.formulation = "f5";
    CHECK(certified(plan).verdict == Verdict::yes);
    plan.own_form = std::make_shared<test::Spoilt>("f5", 0, 0.5);
    const Certificate certificate = certified(plan);
    CHECK(certificate.verdict == Verdict::no);
    CHECK(certificate.reason.find("multiplier") != std::string::npos);
  }
}

TEST_CASE("a finer run that cannot be finer is no evidence: not established, with the reason and a tolerance that is") {
  OneBodyPlan plan = test::forced_plan();
  plan.duration = 2;
  plan.relative_tolerance = plan.absolute_tolerance = 1e-14;
  const Certificate at_rounding = certified(plan);
  CHECK(at_rounding.verdict == Verdict::not_established);
  CHECK_FALSE(at_rounding.attitude_error.has_value());
  CHECK(at_rounding.reason ==
        "no finer run can show the error: 'dop853' follows tolerances down to 1e-14, and 1e-14 was asked for; ask for "
        "1e-13 or more, or for another integrator");
  plan.relative_tolerance = plan.absolute_tolerance = 1e-13;
  const Certificate ten = certified(plan);
  CHECK(ten.verdict == Verdict::yes);
  CHECK(ten.method == "a run with a tolerance 10 times finer");
  // at rest nothing depends on the tolerance
  plan = test::free_plan();
  plan.start.w_B = {0, 0, 0};
  plan.body.load.add_moment([](const BodyState<double>&) { return Vec3<double>{0, 0, 0}; });
  const Certificate resting = certified(plan);
  CHECK(resting.verdict == Verdict::not_established);
  CHECK(resting.reason.find("took the same steps") != std::string::npos);
  for (const auto& method : integrators<double>()) {
    if (method->description().name != "cvode-bdf") { continue; }
    plan = test::forced_plan();
    plan.duration = 2;
    plan.integrator = "cvode-bdf";
    plan.relative_tolerance = plan.absolute_tolerance = 1e-12;
    CHECK(certified(plan).verdict == Verdict::not_established);
    plan.relative_tolerance = plan.absolute_tolerance = 1e-10;
    CHECK(certified(plan).method == "a run with a hundredth of the tolerance");
  }
}

TEST_CASE(
    "a method that leaves the gyroscopic term out is never certified by its own finer runs, and the note says why") {
  // a moment about one axis that grows in time, and another at the start: no exact motion, all balances are sums
  OneBodyPlan plan = test::forced_plan();
  plan.duration = 0.2;
  plan.output_interval = 0.02;
  plan.step = 1e-5;
  plan.accuracy = 1;  // so wide that the balances hold in spite of it
  plan.integrator = "body-no-gyro";
  const Certificate wrong = certified(plan);
  CHECK(wrong.verdict == Verdict::not_established);
  CHECK_FALSE(wrong.attitude_error.has_value());
  CHECK(wrong.reason ==
        "no finer run can show the error: 'body-no-gyro' leaves out the gyroscopic term, so that its runs agree on "
        "another motion");
  REQUIRE(!wrong.notes.empty());
  CHECK(wrong.notes.back() ==
        "integrator 'body-no-gyro' leaves out the gyroscopic term: where it acts, this is not the motion of the body");
  // the right physics of the same source is
  plan.integrator = "body";
  const Certificate right = certified(plan);
  CHECK(right.verdict == Verdict::yes);
  CHECK(right.method == "step halving");
  CHECK(right.declared_order == 1);
  CHECK(right.observed_order.value() == doctest::Approx(1).epsilon(0.05));
  // where the motion is known the error is found: a free body that should flip and does not
  plan = test::free_plan();
  plan.integrator = "body-no-gyro";
  plan.step = 0.001;
  const Certificate flip = certified(plan);
  CHECK(flip.verdict == Verdict::no);
  CHECK(flip.method == "exact motion (free body)");
  CHECK(flip.attitude_error.value() > 1);
}

TEST_CASE("steps that checkpoints cut short are not finer for being halved: nothing is established") {
  OneBodyPlan plan = test::forced_plan();
  plan.integrator = "rk4";
  plan.step = 1;
  plan.output_interval = 0.1;
  plan.rows_per_checkpoint = 1;
  plan.accuracy = 0.1;  // balances hold
  const Certificate cut = certified(plan);
  CHECK(cut.verdict == Verdict::not_established);
  CHECK(!cut.attitude_error);
  CHECK(cut.reason.find("cut steps of 1 s short") != std::string::npos);
  plan.step = 0.02;  // shorter than what cuts: measured
  CHECK(certified(plan).attitude_error.has_value());
}
