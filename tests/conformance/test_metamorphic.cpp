// The same motion described in another way must come out the same: world turned, body frame turned, axes relabelled,
// units changed, body welded from parts. Over 10 turns a motion may change by 1e-11 of itself; where the motion is
// unstable, by that times the growth of a small change of the start, which is measured.
#include "motion/bodies.h"
#include "polhode/body.h"
#include "polhode/formulation/body_system.h"
#include "polhode/integrator/driver.h"
#include "polhode/motion.h"
#include "support/random.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>

using namespace polhode;

namespace {

constexpr double kAllowed = 1e-11;
constexpr double kTurns = 10;
/// Steps of dop853 at which truncation is below rounding; coordinates of a chart move faster than the body.
constexpr int kStepsPerTurn = 100;
constexpr int kStepsPerTurnInChart = 250;

/// One body at its start. Loads are constants, so that they can be turned and scaled.
struct Case {
  OneBody<double> body;
  BodyState<double> start;
  double turn() const { return 2 * math::kPi<double> / norm(start.w_B); }  ///< time of one turn at the first rate
};

/// A change of description, and the way back for what comes out.
struct Change {
  std::string name;
  std::function<Case(const Case&)> apply;
  std::function<BodyState<double>(const BodyState<double>&)> back;
  std::function<Case(const Case&)> wrong;  ///< the same with a mistake
};

BodyState<double> unchanged(const BodyState<double>& s) { return s; }

// ---- changes -----------------------------------------------------------------------------------

Case in_turned_world(Case c, const EulerParameters<double>& e_WN, bool with_load) {
  c.start.e_NB = e_WN * c.start.e_NB;
  c.start.r_N = rotate(e_WN, c.start.r_N);
  c.start.v_N = rotate(e_WN, c.start.v_N);
  if (with_load) {
    for (PointForce<double>& p : c.body.load.forces_space) { p.f_N = rotate(e_WN, p.f_N); }
    for (Vec3<double>& m_N : c.body.load.moments_space) { m_N = rotate(e_WN, m_N); }
  }
  return c;
}
Change turned_world(const EulerParameters<double>& e_WN) {
  return {"world turned", [e_WN](const Case& c) { return in_turned_world(c, e_WN, true); },
          [e_WN](BodyState<double> s) {
            s.e_NB = conjugate(e_WN) * s.e_NB;
            s.r_N = rotate_back(e_WN, s.r_N);
            s.v_N = rotate_back(e_WN, s.v_N);
            return s;
          },
          [e_WN](const Case& c) { return in_turned_world(c, e_WN, false); }};
}

/// Body components in the frame C; R_CB is the matrix of conj(e_BC), given apart so that it may be exact.
Case in_body_frame(Case c, const EulerParameters<double>& e_BC, const Mat3<double>& R_CB, bool with_inertia) {
  c.start.e_NB = c.start.e_NB * e_BC;
  c.start.w_B = R_CB * c.start.w_B;
  if (with_inertia) { c.body.J_B = turned(R_CB, c.body.J_B); }
  for (PointForce<double>& p : c.body.load.forces_space) { p.u_B = R_CB * p.u_B; }
  for (auto& p : c.body.load.forces_body) { p = {R_CB * p.f_B, R_CB * p.u_B}; }
  for (Vec3<double>& m_B : c.body.load.moments_body) { m_B = R_CB * m_B; }
  return c;
}
Change turned_body_frame(std::string name, const EulerParameters<double>& e_BC, const Mat3<double>& R_CB) {
  return {std::move(name), [=](const Case& c) { return in_body_frame(c, e_BC, R_CB, true); },
          [=](BodyState<double> s) {
            s.e_NB = s.e_NB * conjugate(e_BC);
            s.w_B = transpose_times(R_CB, s.w_B);
            return s;
          },
          [=](const Case& c) { return in_body_frame(c, e_BC, R_CB, false); }};
}

/// Factors by which the numbers of lengths, masses and times grow.
struct Units {
  double length;
  double mass;
  double time;
};
Case in_units(Case c, const Units& u, double exponent_of_time) {
  const double inertia = u.mass * u.length * u.length;
  const double force = u.mass * u.length / std::pow(u.time, exponent_of_time);
  c.body.J_B = inertia * c.body.J_B;
  if (c.body.mass) { *c.body.mass *= u.mass; }
  for (PointForce<double>& p : c.body.load.forces_space) { p = {force * p.f_N, u.length * p.u_B}; }
  for (auto& p : c.body.load.forces_body) { p = {force * p.f_B, u.length * p.u_B}; }
  for (Vec3<double>& m_B : c.body.load.moments_body) { m_B = (force * u.length) * m_B; }
  for (Vec3<double>& m_N : c.body.load.moments_space) { m_N = (force * u.length) * m_N; }
  c.start.w_B = c.start.w_B / u.time;
  c.start.r_N = u.length * c.start.r_N;
  c.start.v_N = (u.length / u.time) * c.start.v_N;
  return c;
}
Change other_units(std::string name, const Units& u) {
  return {std::move(name), [u](const Case& c) { return in_units(c, u, 2); },
          [u](BodyState<double> s) {
            s.w_B = u.time * s.w_B;
            s.r_N = s.r_N / u.length;
            s.v_N = (u.time / u.length) * s.v_N;
            return s;
          },
          [u](const Case& c) { return in_units(c, u, 1); }};
}

/// A box with a corner at the origin, cut into four bricks, each described in a frame of its own.
std::vector<Part> cut_box(const Vec3<double>& size, double density, test::Random& random) {
  std::vector<Part> parts;
  const double x = size.x * random.between(0.2, 0.8);
  const double y = size.y * random.between(0.2, 0.8);
  for (const auto& [x0, x1] : {std::pair(0.0, x), std::pair(x, size.x)}) {
    for (const auto& [y0, y1] : {std::pair(0.0, y), std::pair(y, size.y)}) {
      const EulerParameters<double> e_CB = random.attitude();
      const Vec3<double> r_CB_C = random.vector(1);
      MassProperties brick = shape::box(Amount::density(density), {x1 - x0, y1 - y0, size.z});
      brick.center_B = {0.5 * (x0 + x1), 0.5 * (y0 + y1), 0.5 * size.z};
      parts.push_back({in_frame(e_CB, r_CB_C, brick), conjugate(e_CB), -rotate_back(e_CB, r_CB_C), false});
    }
  }
  return parts;
}

/// All changes but the welding, which makes its own bodies.
std::vector<Change> changes(test::Random& random) {
  const EulerParameters<double> e_BC = random.attitude();
  const double half = std::sqrt(0.5);
  const Mat3<double> in_turn{{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}};   // x → y → z → x
  const Mat3<double> quarter{{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}};  // x → y → −x
  return {turned_world(random.attitude()),
          turned_body_frame("body frame turned", e_BC, transpose(rotation_matrix(e_BC))),
          turned_body_frame("axes relabelled in turn", {0.5, {-0.5, -0.5, -0.5}}, in_turn),
          turned_body_frame("axes relabelled, one reversed", {half, {0, 0, -half}}, quarter),
          other_units("small units of all", {1e9, 1e9, 1e9}),
          other_units("large units of all", {1e-9, 1e-9, 1e-9}),
          other_units("small unit of length, large of time", {1e9, 1, 1e-9}),
          other_units("large unit of mass, small of time", {1, 1e-9, 1e9})};
}

// ---- cases -------------------------------------------------------------------------------------

Case free_case(test::Random& random, double m1) {
  const test::Start start = test::random_start(random, m1);
  Case c;
  c.body.J_B = diagonal(start.J.x, start.J.y, start.J.z);
  c.start.e_NB = start.e;
  c.start.w_B = start.w;
  return c;
}
/// Free to translate, under every kind of constant load.
Case pushed_case(test::Random& random) {
  Case c = free_case(random, 0.3);
  const double size = 0.02 * c.body.J_B(0, 0) * norm_squared(c.start.w_B);
  c.body.mass = 1.3;
  c.start.r_N = random.vector(1);
  c.start.v_N = random.vector(1);
  c.body.load.add_force_space(size * random.direction(), random.vector(0.5));
  c.body.load.add_force_body(size * random.direction(), random.vector(0.5));
  c.body.load.add_moment_body(size * random.direction());
  c.body.load.add_moment_space(size * random.direction());
  return c;
}
Case top_case(test::Random& random) {
  Case c = free_case(random, 0.3);
  c.body.load.add_gravity(1, {0, 0, -0.2 * c.body.J_B(0, 0) * norm_squared(c.start.w_B)}, random.direction());
  return c;
}

// ---- runs --------------------------------------------------------------------------------------

/// Attitude up to sign, rate and position: differences in parts of the sizes at the start.
double relative_difference(const BodyState<double>& a, const BodyState<double>& b, const BodyState<double>& start) {
  const double attitude = norm(nearest_sign(a.e_NB, b.e_NB) - b.e_NB);
  const double rate = norm(a.w_B - b.w_B) / norm(start.w_B);
  const double size = norm(start.r_N) + norm(b.r_N);
  const double position = size > 0 ? norm(a.r_N - b.r_N) / size : 0;
  return std::max({attitude, rate, position});
}

/// Whether the form's chart is far from its singularity at the start.
bool starts_well(const Case& c, const std::string& form) {
  const BodySystem<double> system(formulation<double>(form), c.body);
  std::vector<double> y(system.size());
  system.set_state(c.start, y);
  return system.form().chart_condition(std::span<const double>(y).first(system.form().size())) < 3;
}

/// Where 10 turns of the start lead.
BodyState<double> after(Case c, const std::string& form, const std::string& method) {
  c.body.least_chart_distance = 0.8;
  const BodySystem<double> system(formulation<double>(form), c.body);
  std::vector<double> y(system.size());
  system.set_state(c.start, y);
  const auto stepper = integrator<double>(method).bind(system);
  const double t_end = kTurns * c.turn();
  RunOptions<double> options;
  const bool in_chart = !system.form().description().singularity.empty();
  options.step = c.turn() / (in_chart ? kStepsPerTurnInChart : kStepsPerTurn);
  const RunResult<double> result = integrate<double>(system, *stepper, options, 0, t_end, y);
  CAPTURE(result.message);
  REQUIRE(result.status == RunStatus::done);
  return system.body_state(t_end, y);
}

/// The same by Taylor series, in a few long steps.
BodyState<double> quick_after(const Case& c) {
  const BodySystem<double> system(formulation<double>("euler-body"), c.body);
  std::vector<double> y(system.size());
  system.set_state(c.start, y);
  RunOptions<double> options;
  options.step = c.turn() / 20;
  const double t_end = kTurns * c.turn();
  REQUIRE(integrate<double>(system, *integrator<double>("taylor").bind(system), options, 0, t_end, y).status ==
          RunStatus::done);
  return system.body_state(t_end, y);
}

/// How much a small change of the start has grown after 10 turns; at least 1.
template <class After>
double amplification(const Case& c, const After& end_of) {
  const double small = 1e-8;  // far above rounding, and its square below
  const BodyState<double> end = end_of(c);
  double most = 1;
  for (std::size_t i = 0; i < 6; ++i) {
    Case moved = c;
    Vec3<double> push{0, 0, 0};
    push[i % 3] = small;
    if (i < 3) {
      moved.start.e_NB = moved.start.e_NB * exp(push);
    } else {
      moved.start.w_B = moved.start.w_B + norm(c.start.w_B) * push;
    }
    most = std::max(most, relative_difference(end_of(moved), end, c.start) / small);
  }
  return most;
}

/// In the default run a form takes half of the changes, and of each family of charts a few come; in a long run all.
bool is_chosen(const FormDescription& form, std::size_t change, std::size_t index) {
  if (test::long_run()) { return true; }
  const bool is_typical = form.singularity.empty() || form.name.ends_with(":3-2-1") || form.name.ends_with(":3-1-3") ||
                          form.name.ends_with(":reduced");
  return is_typical && (change / 2 + index) % 2 == 0;
}

/// The box itself, or what its parts are welded to.
MassProperties whole_box(const Vec3<double>& size, double density) {
  MassProperties whole = shape::box(Amount::density(density), size);
  whole.center_B = 0.5 * size;
  return whole;
}
/// Free under a load, or held at its corner and heavy.
Case box_case(const MassProperties& box, const Vec3<double>& size, bool held) {
  Case c;
  c.start.e_NB = {0.5, {0.5, -0.1, 0.7}};
  c.start.w_B = {1, -0.6, 0.8};
  if (held) {
    c.body.J_B = inertia_about(box, {0, 0, 0});
    c.body.load.add_gravity(box.mass, {0, 0, -0.3}, box.center_B);
  } else {
    c.body.J_B = box.J_B;
    c.body.mass = box.mass;
    c.body.load.add_force_space({0.02, 0.01, -0.03}, size - box.center_B);
  }
  return c;
}

/// The exact motion after 10 turns.
BodyState<double> exact_after(const Case& c) {
  const double t_end = kTurns * c.turn();
  const MotionState<double> state = FreeMotion<double>(c.body.J_B, c.start.e_NB, c.start.w_B).at(t_end);
  return {t_end, {}, {}, state.e_NB, state.w_B};
}

struct Outcome {
  double difference;  ///< of what comes out
  double grown;       ///< a change of the start by 1
};

/// For one form and method and the n-th change, at the first start at which no chart is nearly singular.
template <class Make>
Outcome outcome_of(const std::string& form, const std::string& method, std::size_t n, const Make& make,
                   test::Random& random) {
  for (int attempt = 0; attempt < 200; ++attempt) {
    const Change change = changes(random)[n];
    const Case c = make();
    if (!starts_well(c, form) || !starts_well(change.apply(c), form)) { continue; }
    const BodyState<double> end = after(c, form, method);
    const BodyState<double> changed = after(change.apply(c), form, method);
    return {relative_difference(change.back(changed), end, c.start), amplification(c, quick_after)};
  }
  FAIL("no start without a nearly singular chart");
  return {};
}

constexpr std::size_t kChanges = 8;

}  // namespace

TEST_CASE("every form: a free motion does not depend on how it is described") {
  test::Random random;
  std::size_t index = 0;
  for (const auto& form : formulations<double>()) {
    const FormDescription& description = form->description();
    CAPTURE(description.name);
    ++index;
    for (std::size_t n = 0; n < kChanges; ++n) {
      if (!is_chosen(description, n, index)) { continue; }
      CAPTURE(n);
      for (const double m1 : {0.02, 0.5}) {
        if (m1 > 0.1 && !description.singularity.empty()) { continue; }  // charts cost most
        const auto make = [&] { return free_case(random, m1); };
        // measured over all forms and changes: up to 6.5e-12, in angles
        CHECK(outcome_of(description.name, "dop853", n, make, random).difference < kAllowed);
      }
    }
  }
}

TEST_CASE("every form: a forced motion does not depend on how it is described") {
  test::Random random;
  std::size_t index = 0;
  for (const auto& form : formulations<double>()) {
    const FormDescription& description = form->description();
    CAPTURE(description.name);
    ++index;
    for (std::size_t n = 0; n < kChanges; ++n) {
      if (!is_chosen(description, n, index)) { continue; }
      CAPTURE(n);
      const auto make = [&] { return n % 2 == 0 ? top_case(random) : pushed_case(random); };
      const Outcome outcome = outcome_of(description.name, "dop853", n, make, random);
      CAPTURE(outcome.grown);
      CHECK(outcome.difference < kAllowed * outcome.grown);  // measured: 8e-13 of the growth
    }
  }
}

TEST_CASE("methods of high order: a motion does not depend on how it is described") {
  test::Random random;
  for (const std::string method : {"taylor", "extrapolation", "gauss6"}) {
    CAPTURE(method);
    for (std::size_t n = 0; n < kChanges; ++n) {
      CAPTURE(n);
      const Outcome free = outcome_of("euler-body", method, n, [&] { return free_case(random, 0.05); }, random);
      CHECK(free.difference < kAllowed);
      const Outcome top = outcome_of("euler-body", method, n, [&] { return top_case(random); }, random);
      CHECK(top.difference < kAllowed * top.grown);
    }
  }
}

TEST_CASE("near the separatrix a change of description grows no more than a change of the start") {
  test::Random random;
  for (const std::string form : {"euler-body", "momentum-space", "canonical", "f5", "s1:3-2-1"}) {
    for (const double m1 : {1e-4, 1e-7, 1e-10}) {
      CAPTURE(form);
      CAPTURE(m1);
      for (std::size_t n = 0; n < kChanges; ++n) {
        CAPTURE(n);
        const Outcome outcome = outcome_of(form, "dop853", n, [&] { return free_case(random, m1); }, random);
        CAPTURE(outcome.grown);
        CHECK(outcome.difference < kAllowed * outcome.grown);
      }
    }
  }
}

TEST_CASE("the exact motion does not depend on how it is described") {
  test::Random random;
  for (int sample = 0; sample < (test::long_run() ? 2000 : 50); ++sample) {
    for (const double m1 : {0.5, 1e-2, 1e-5, 1e-8}) {
      const Case c = free_case(random, m1);
      const double grown = m1 < 1e-2 ? amplification(c, exact_after) : 1;
      for (const Change& change : changes(random)) {
        CAPTURE(change.name);
        CAPTURE(m1);
        const double difference =
            relative_difference(change.back(exact_after(change.apply(c))), exact_after(c), c.start);
        CHECK(difference < kAllowed * grown);
      }
    }
  }
}

TEST_CASE("the exact top does not depend on how it is described") {
  test::Random random;
  for (int sample = 0; sample < 50; ++sample) {
    const TopBody<double> body{1.0, random.between(0.2, 1.9), random.between(0.5, 2), 2};
    const EulerParameters<double> e_NB = random.attitude();
    const Vec3<double> w_B = random.vector(2);
    const double t_end = kTurns * 2 * math::kPi<double> / norm(w_B);
    const LagrangeTop<double> top(body, e_NB, w_B);
    const BodyState<double> start{0, {}, {}, e_NB, w_B};
    const MotionState<double> at_end = top.at(t_end);
    const BodyState<double> end{t_end, {}, {}, at_end.e_NB, at_end.w_B};
    const auto difference = [&](const MotionState<double>& s, const auto& back) {
      return relative_difference(back(BodyState<double>{t_end, {}, {}, s.e_NB, s.w_B}), end, start);
    };
    // how much a change of the rate has grown
    double grown = 1;
    for (std::size_t i = 0; i < 3; ++i) {
      Vec3<double> moved = w_B;
      moved[i] += 1e-8 * norm(w_B);
      grown = std::max(grown, difference(LagrangeTop<double>(body, e_NB, moved).at(t_end), unchanged) / 1e-8);
    }
    CAPTURE(grown);
    const auto check = [&](double found) { CHECK(found < kAllowed * grown); };
    // the world turned about the vertical
    const EulerParameters<double> e_WN = exp(Vec3<double>{0, 0, random.between(-3, 3)});
    check(difference(LagrangeTop<double>(body, e_WN * e_NB, w_B).at(t_end), turned_world(e_WN).back));
    // the symmetry axis called x
    const Change relabelled = changes(random)[2];
    const Case c = relabelled.apply(Case{{}, start});
    TopBody<double> about_x = body;
    about_x.axis = 0;
    check(difference(LagrangeTop<double>(about_x, c.start.e_NB, c.start.w_B).at(t_end), relabelled.back));
    // and wrongly still called z
    CHECK(difference(LagrangeTop<double>(body, c.start.e_NB, c.start.w_B).at(t_end), relabelled.back) > 1e-3);
    // other units
    const Units u{1e9, 1e-9, 1e9};
    const double inertia = u.mass * u.length * u.length;
    const TopBody<double> scaled{inertia * body.transverse, inertia * body.axial, inertia / (u.time * u.time) * body.k,
                                 2};
    check(difference(LagrangeTop<double>(scaled, e_NB, w_B / u.time).at(u.time * t_end), other_units("", u).back));
  }
}

TEST_CASE("a body welded from parts moves as the whole one") {
  test::Random random;
  for (int sample = 0; sample < 5; ++sample) {
    const Vec3<double> size{random.between(0.3, 1), random.between(0.3, 1), random.between(0.3, 1)};
    const MassProperties whole = whole_box(size, 2);
    const std::vector<Part> parts = cut_box(size, 2, random);
    const MassProperties welded = composed(parts);
    const MassProperties without_one = composed(std::span(parts).first(3));
    for (const bool held : {false, true}) {
      CAPTURE(held);
      const Case c = box_case(whole, size, held);
      const double grown = amplification(c, quick_after);
      CAPTURE(grown);
      for (const std::string form : {"euler-body", "momentum-space", "f1", "f12"}) {
        CAPTURE(form);
        const auto difference = [&](const MassProperties& box) {
          return relative_difference(after(box_case(box, size, held), form, "dop853"), after(c, form, "dop853"),
                                     c.start);
        };
        const double found = difference(welded);
        CHECK(found < kAllowed * grown);
        CHECK(difference(without_one) > 1e-3);
      }
    }
  }
}

TEST_CASE("a change of description with a mistake is another motion") {
  test::Random random;
  std::vector<Change> list = changes(random);
  list.resize(4);
  list.push_back(other_units("half the units", {2, 2, 2}));
  for (const Change& change : list) {
    CAPTURE(change.name);
    const Case c = pushed_case(random);
    const BodyState<double> end = after(c, "euler-body", "dop853");
    const auto found = [&](const auto& apply) {
      return relative_difference(change.back(after(apply(c), "euler-body", "dop853")), end, c.start);
    };
    CHECK(found(change.apply) < 1e-8);
    CHECK(found(change.wrong) > 1e-3);
  }
}
