#include "polhode/core/error.h"
#include "polhode/formulation/chart_forms.h"
#include "polhode/formulation/formulation.h"
#include "support/random.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

using namespace polhode;

namespace {

/// A body with full inertia, any number of loads, at a random state; with or without changing inertia.
struct Case {
  InertiaNow<double> inertia;
  Load<double> load;
  BodyState<double> state;
};

Case random_case(test::Random& random, bool varying) {
  Case c;
  const Mat3<double> U = rotation_matrix(random.attitude());
  const Vec3<double> m{random.between(0.3, 2), random.between(0.3, 2), random.between(0.3, 2)};
  const Mat3<double> J = U * diagonal(m.y + m.z, m.x + m.z, m.x + m.y) * transpose(U);
  Mat3<double> Jdot{};
  if (varying) {
    const Mat3<double> V = rotation_matrix(random.attitude());
    Jdot = V * diagonal(random.between(-1, 1), random.between(-1, 1), random.between(-1, 1)) * transpose(V);
  }
  c.inertia = inertia_now(J, Jdot);
  c.load.add_force_space(random.vector(2), random.vector(1));
  c.load.add_force_body(random.vector(2), random.vector(1));
  c.load.add_moment_body(random.vector(1));
  c.load.add_moment_space(random.vector(1));
  c.load.add_gravity(1.5, {0, 0, -9.81}, random.vector(0.1));
  c.load.add_moment([](const BodyState<double>& s) { return Vec3<double>{std::sin(s.t), s.e_NB.e0, -0.3 * s.w_B.z}; });
  c.state = {0.7, {}, {}, random.attitude(), random.vector(1)};
  return c;
}

}  // namespace

TEST_CASE("every form gives the acceleration of Euler's equation, and its multiplier is the closed form") {
  test::Random random;
  for (int n = 0; n < 60; ++n) {
    Case c = random_case(random, n % 3 == 0);
    const LoadNow<double> load(c.load, c.state);
    const Vec3<double> w_B = c.state.w_B;
    const Vec3<double> expected =
        c.inertia.J_inverse_B * (load.torque_B() - c.inertia.Jdot_B * w_B - cross(w_B, c.inertia.J_B * w_B));
    for (const auto& form : formulations<double>()) {
      const FormDescription& d = form->description();
      CAPTURE(d.name);
      std::vector<double> y(d.size);
      std::vector<double> ydot(d.size);
      form->to_state(c.inertia, c.state.e_NB, w_B, y);
      EulerParameters<double> e_back;
      Vec3<double> w_back;
      form->from_state(c.inertia, y, e_back, w_back);
      // charts near a singularity amplify rounding by their condition number, squared in SᵀJS
      const bool angles = !d.singularity.empty();
      const double tolerance = angles ? 1e-7 : 1e-12;
      CHECK(norm(nearest_sign(e_back, c.state.e_NB) - c.state.e_NB) < 1e-13);
      CHECK(norm(w_back - w_B) < tolerance);
      const FormResult<double> result = form->rates(c.inertia, load, y, ydot);
      CHECK(result.solvable);
      CHECK(norm(result.wdot_B - expected) < tolerance * (1 + norm(expected)));
      CHECK(result.multiplier.has_value() == d.row_scale.has_value());
      if (result.multiplier) {
        CHECK(std::fabs(*result.multiplier - *form->expected_multiplier(c.inertia, load, c.state.e_NB, w_B)) < 1e-11);
      }
    }
  }
}

TEST_CASE(
    "the rates of every form are those of the motion: its state after a short time, by the exact rates of e and w'") {
  test::Random random;
  const double h = 1e-6;
  for (int n = 0; n < 10; ++n) {
    Case c = random_case(random, false);
    const auto wdot_at = [&](const BodyState<double>& s) {
      const LoadNow<double> load(c.load, s);
      return c.inertia.J_inverse_B * (load.torque_B() - cross(s.w_B, c.inertia.J_B * s.w_B));
    };
    // central difference of the state along the motion
    const auto moved = [&](double dt) {
      BodyState<double> s = c.state;
      const Vec3<double> wdot = wdot_at(c.state);
      s.e_NB = c.state.e_NB + dt * rate_from_body(c.state.e_NB, c.state.w_B) +
               (0.5 * dt * dt) * acceleration_from_body(c.state.e_NB, c.state.w_B, wdot);
      s.w_B = c.state.w_B + dt * wdot;
      return s;
    };
    for (const auto& form : formulations<double>()) {
      const FormDescription& d = form->description();
      CAPTURE(d.name);
      std::vector<double> y(d.size);
      std::vector<double> ydot(d.size);
      std::vector<double> later(d.size);
      std::vector<double> before(d.size);
      form->to_state(c.inertia, c.state.e_NB, c.state.w_B, y);
      // keep the sign branch of reduced coordinates
      form->to_state(c.inertia, moved(h).e_NB, moved(h).w_B, later);
      form->to_state(c.inertia, moved(-h).e_NB, moved(-h).w_B, before);
      form->rates(c.inertia, LoadNow<double>(c.load, c.state), y, ydot);
      double scale = 1;
      for (const double rate : ydot) { scale = std::max(scale, std::fabs(rate)); }
      for (std::size_t i = 0; i < d.size; ++i) {
        if (std::fabs(later[i] - before[i]) > 1) { continue; }  // an angle that wrapped between the two
        CHECK(std::fabs((later[i] - before[i]) / (2 * h) - ydot[i]) < 1e-4 * scale * scale);
      }
    }
  }
}

TEST_CASE("angles counted from the body have the determinant of their own rate matrix, sign included") {
  test::Random random(12);
  for (const EulerSequence& sequence : all_sequences()) {
    for (int n = 0; n < 5; ++n) {
      const Vec3<double> x = random.vector(1.2);
      const ReversedAngles chart{EulerAngles{sequence}};
      const Mat3<double> S = chart.body_rate_matrix(x);
      CHECK(chart.conditioning(x).determinant == doctest::Approx(determinant(S)).epsilon(1e-12));
      // the same angles, the columns of S in reverse
      const Vec3<double> forward{x.z, x.y, x.x};
      CHECK(chart.conditioning(x).determinant == -chart.angles.conditioning(forward).determinant);
      CHECK(norm(chart.inverse_body_rate_matrix(x) * (S * x) - x) < 1e-10 * (1 + norm(x) / std::fabs(determinant(S))));
    }
  }
}

TEST_CASE("f11 is a named error, an unknown form suggests the nearest") {
  CHECK_THROWS_WITH_AS(formulation<double>("f11"),
                       "formulation 'f11' (M4 e'' + g = Q without the constraint row) is rank 3: needs the constraint "
                       "row; 'f1' is the same with it",
                       Error);
  try {
    formulation<double>("eulr-body");
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(std::string(error.what()).find("did you mean 'euler-body'?") != std::string::npos);
  }
  CHECK(formulation<double>("a1:3-1-3").description().size == 10);
}

TEST_CASE("charts switch and keep attitude and rate") {
  const InertiaNow<double> inertia = inertia_now(diagonal(1.0, 2.0, 2.5));
  for (const char* name : {"a1:3-2-1", "a2:3-2-1:last-first", "a3:3-2-1", "s1:3-2-1"}) {
    const Formulation<double>& form = formulation<double>(name);
    const EulerParameters<double> e = exp(Vec3<double>{0, 1.5, 0});  // 0.07 rad from lock
    const Vec3<double> w_B{0.3, -0.2, 0.5};
    std::vector<double> y(form.size());
    form.to_state(inertia, e, w_B, y);
    CHECK_FALSE(form.switch_chart(y, 0.01));
    CHECK(form.switch_chart(y, 0.2));
    EulerParameters<double> e_after;
    Vec3<double> w_after;
    form.from_state(inertia, y, e_after, w_after);
    CHECK(norm(nearest_sign(e_after, e) - e) < 1e-14);
    CHECK(norm(w_after - w_B) < 1e-13);
    CHECK_FALSE(form.switch_chart(y, 0.2));
  }
}

TEST_CASE(
    "the cost of a form is counted: rates as unknowns are cheapest, elimination costs more than the closed form") {
  const auto flops = [](const char* name) { return formulation<double>(name).description().cost.flops(); };
  for (const auto& form : formulations<double>()) {
    const FormDescription& d = form->description();
    CAPTURE(d.name);
    CHECK(d.cost.flops() > 0);
    // angles, and the length of a rotation vector, have sines; the other charts are made of quotients and a root
    CHECK((d.cost.functions > 0) ==
          (d.singularity.starts_with("middle angle ") || d.name.ends_with(":rotation_vector")));
    if (d.name != "momentum-body") { CHECK(flops("euler-body") <= d.cost.flops() + 3); }
  }
  for (const char* name : {"f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8"}) {
    CHECK(flops(name) < flops((std::string(name) + ":numeric").c_str()));
  }
  // the full gyroscopic term is the simplified one and two products with L more
  CHECK(flops("f5") < flops("f1"));
}

TEST_CASE("the condition number of a chart is 1 without a chart, and grows towards lock") {
  const InertiaNow<double> inertia = inertia_now(diagonal(1.0, 2.0, 2.5));
  const auto condition = [&](const char* name, double angle) {
    const Formulation<double>& form = formulation<double>(name);
    std::vector<double> y(form.size());
    form.to_state(inertia, exp(Vec3<double>{0, angle, 0}), {0.3, -0.2, 0.5}, y);
    return form.chart_condition(y);
  };
  CHECK(condition("f5", 1.5) == 1);
  // 3-2-1 at pitch p: sqrt((1 + sin p)/(1 - sin p))
  CHECK(condition("a1:3-2-1", 1.5) ==
        doctest::Approx(std::sqrt((1 + std::sin(1.5)) / (1 - std::sin(1.5)))).epsilon(1e-12));
  CHECK(condition("s1:3-2-1", 0) == 1);
}

TEST_CASE("no solver's accuracy depends on the unit of mass") {
  const Mat3<double> U = rotation_matrix(normalized(EulerParameters<double>{0.8, {0.1, -0.5, 0.3}}));
  const Mat3<double> J = U * diagonal(0.01, 1.0, 1.005) * transpose(U);
  // e0 small: a pivot that an elimination without scaling would take when J is smaller still, at the cost of six digits
  const BodyState<double> state{
      0, {}, {}, normalized(EulerParameters<double>{1e-6, {0.3, -0.5, 0.8}}), {0.3, -0.2, 0.5}};
  const Load<double> load;
  for (const double unit : {1e-9, 1.0, 1e9}) {
    const InertiaNow<double> inertia = inertia_now(unit * J);
    const Vec3<double> expected = inertia.J_inverse_B * (-cross(state.w_B, inertia.J_B * state.w_B));
    for (const char* name : {"f1", "f1:numeric", "f5:numeric", "f7:numeric", "f9", "f12"}) {
      CAPTURE(name);
      CAPTURE(unit);
      const Formulation<double>& form = formulation<double>(name);
      std::vector<double> y(form.size());
      std::vector<double> ydot(form.size());
      form.to_state(inertia, state.e_NB, state.w_B, y);
      const FormResult<double> result = form.rates(inertia, LoadNow<double>(load, state), y, ydot);
      // rounding times the condition 100 of J: 1e-14
      CHECK(norm(result.wdot_B - expected) < 2e-14);
    }
  }
}

TEST_CASE("forms in angles lose the square of the chart's condition number near lock, and no more") {
  const Mat3<double> U = rotation_matrix(normalized(EulerParameters<double>{0.8, {0.1, -0.5, 0.3}}));
  const InertiaNow<double> inertia = inertia_now(U * diagonal(0.01, 1.0, 1.005) * transpose(U));
  const Vec3<double> w_B{0.3, -0.2, 0.5};
  const Vec3<double> expected = inertia.J_inverse_B * (-cross(w_B, inertia.J_B * w_B));
  const Load<double> load;
  for (const char* name : {"a1:3-2-1", "a2:3-2-1", "a3:3-2-1"}) {
    const Formulation<double>& form = formulation<double>(name);
    for (int n = 0; n < 200; ++n) {
      CAPTURE(name);
      CAPTURE(n);
      // pitch 2e-4 rad from lock, any heading and roll
      const EulerParameters<double> e = exp(Vec3<double>{0, 0, 0.03 * n - 3}) *
                                        exp(Vec3<double>{0, 1.5705963267948966, 0}) *
                                        exp(Vec3<double>{0.017 * n, 0, 0});
      const BodyState<double> state{0, {}, {}, e, w_B};
      std::vector<double> y(form.size());
      std::vector<double> ydot(form.size());
      form.to_state(inertia, e, w_B, y);
      const Vec3<double> wdot = form.rates(inertia, LoadNow<double>(load, state), y, ydot).wdot_B;
      // 1e-16 condition² (1e8) |J⁻¹||J||w|² (38), and what the sums add; BᵀJ'B as a product would lose 7e-4
      CHECK(form.chart_condition(y) == doctest::Approx(1e4).epsilon(0.01));
      CHECK(norm(wdot - expected) < 4e-7);
    }
  }
}

TEST_CASE("every form states the degree of its gyroscopic term: twice the unknowns, 2^degree times the term") {
  test::Random random;
  const Case c = random_case(random, false);
  const Load<double> none;
  int without = 0;
  for (const auto& form : formulations<double>()) {
    const FormDescription& d = form->description();
    CAPTURE(d.name);
    CHECK(d.gyroscopic_term.empty() == d.gyroscopic_unknowns.empty());
    CHECK(d.gyroscopic_term.empty() == (d.gyroscopic_degree == 0));
    if (d.gyroscopic_unknowns == "e and e.") { continue; }    // in fractions: `verify forms`, degrees of all terms
    const std::size_t rates = d.singularity.empty() ? 4 : 3;  // where rates or momenta begin
    const bool attitude_too = d.gyroscopic_unknowns.starts_with("e and ");
    std::vector<double> y(d.size);
    form->to_state(c.inertia, c.state.e_NB, c.state.w_B, y);
    // nothing acts: what moves the rates, or the momenta, is the gyroscopic term, and where x is a chart the change of
    // its rate matrix, which is of degree 2 in ẋ as well
    const auto pushed = [&](double scale) {
      std::vector<double> at = y;
      for (std::size_t i = attitude_too ? 0 : rates; i < (d.size == 10 ? 6 : d.size); ++i) { at[i] *= scale; }
      std::vector<double> ydot(d.size);
      form->rates(c.inertia, LoadNow<double>(none, c.state), at, ydot);
      return std::vector<double>(ydot.begin() + static_cast<std::ptrdiff_t>(rates),
                                 ydot.begin() + (d.size == 8 ? 8 : static_cast<std::ptrdiff_t>(rates) + 3));
    };
    const std::vector<double> once = pushed(1);
    const std::vector<double> twice = pushed(2);
    // euler-space solves with A J'⁻¹ Aᵀ, of degree 4 in e
    const int degree = d.gyroscopic_degree + (d.name == "euler-space" ? 4 : 0);
    double largest = 0;
    for (std::size_t i = 0; i < once.size(); ++i) {
      CHECK(twice[i] == doctest::Approx(std::pow(2.0, degree) * once[i]).epsilon(1e-9));
      largest = std::max(largest, std::fabs(once[i]));
    }
    if (d.gyroscopic_term.empty()) {
      ++without;
      CHECK(largest == 0);
    } else {
      CHECK(largest > 1e-3);
    }
  }
  CHECK(without == 1);  // momentum-space: ḣ = τ
}
