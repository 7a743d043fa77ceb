#include "polhode/formulation/formulation.h"
#include "polhode/formulation/schemes.h"
#include "polhode/motion/free_motion_impl.h"
#include "polhode/motion/lagrange_top_impl.h"
#include "polhode/rotation/euler_angles.h"
#include "polhode/rotation/rotation_matrix.h"
#include "polhode/rotation/vector_charts.h"
#include "polhode/verification/larger.h"
#include "polhode/verification/motion_check.h"

#include <cmath>
#include <limits>
#include <string>
#include <utility>

/// Golden values: the table of the equation catalogue, computed once in 30-digit arithmetic by formulas of its own and
/// printed to 15 digits. Unless a row says otherwise e = (2, 4, 5, 6)/9, J' = diag(2, 3, 4), ω' = (0.3, −0.2, 0.5),
/// under the force f = (1, −2, 0.5), space, at u' = (0.2, 0.1, −0.3).
namespace polhode::verification {
namespace {

/// Motions: 15 digits printed, and rounding that grows over some turns.
constexpr double kGolden = 1e-13;
/// One instant: half a unit of the 15th digit is at most 5e-15 of the number; a few roundings of 1e-16 come to it.
constexpr double kPoint = 1e-14;

const EulerParameters<double> kTableAttitude{2.0 / 9, {4.0 / 9, 5.0 / 9, 6.0 / 9}};

// ---- rows 1 to 10: one body at one instant -----------------------------------------------------------

const Mat3<double> kTableInertia = diagonal(2.0, 3.0, 4.0);
const Vec3<double> kTableRate{0.3, -0.2, 0.5};  // ω'
const Vec3<double> kTableForce{1, -2, 0.5};     // f, space
const Vec3<double> kTableArm{0.2, 0.1, -0.3};   // u', body

/// Largest error of the entries, of each as a share of itself where it is above 1.
double off_row(const std::vector<double>& values, const std::vector<double>& golden) {
  if (values.size() != golden.size()) { return std::numeric_limits<double>::infinity(); }
  double off = 0;
  for (std::size_t i = 0; i < golden.size(); ++i) {
    const double error = std::fabs(values[i] - golden[i]) / std::fmax(1, std::fabs(golden[i]));
    off = larger(off, error);
  }
  return off;
}
std::vector<double> entries(const Vec3<double>& v) { return {v.x, v.y, v.z}; }
std::vector<double> entries(const EulerParameters<double>& e) { return {e.e0, e.ev.x, e.ev.y, e.ev.z}; }
std::vector<double> joined(std::vector<double> a, const std::vector<double>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// The body under its force, as every form sees it.
struct Pushed {
  InertiaNow<double> inertia = inertia_now(kTableInertia);
  BodyState<double> state{0, {}, {}, kTableAttitude, kTableRate};
  Load<double> load;

  explicit Pushed(const Vec3<double>& f_N) { load.add_force_space(f_N, kTableArm); }
  LoadNow<double> load_now() const { return {load, state}; }
  /// Rates of a form, and what it returns with them.
  FormResult<double> rates(const Formulation<double>& form, std::vector<double>& ydot) const {
    std::vector<double> y(form.size());
    ydot.assign(form.size(), 0);
    form.to_state(inertia, kTableAttitude, kTableRate, y);
    return form.rates(inertia, load_now(), y, ydot);
  }
};
Pushed pushed(bool reversed) { return Pushed(reversed ? -kTableForce : kTableForce); }

double off_matrix(bool twin) {
  const Mat3<double> A = rotation_matrix(kTableAttitude);
  const Mat3<double> shown = twin ? transpose(A) : A;
  const std::vector<double> values =
      joined(joined(entries(row(shown, 0)), entries(row(shown, 1))), entries(row(shown, 2)));
  // clang-format off
  return off_row(values, {-0.506172839506173, 0.197530864197531, 0.839506172839506,
                          0.790123456790123, -0.283950617283951, 0.543209876543210,
                          0.345679012345679, 0.938271604938272, -0.0123456790123457});
  // clang-format on
}
double off_space_rate(bool twin) {
  return off_row(entries(twin ? rotate_back(kTableAttitude, kTableRate) : rotate(kTableAttitude, kTableRate)),
                 {0.228395061728395, 0.565432098765432, -0.0901234567901235});
}
double off_edot(bool twin) {
  return off_row(
      entries(twin ? rate_from_space(kTableAttitude, kTableRate) : rate_from_body(kTableAttitude, kTableRate)),
      {-0.177777777777778, 0.238888888888889, -0.0333333333333333, -0.0722222222222222});
}
double off_torque(bool twin) {
  const Pushed body(twin ? rotate(kTableAttitude, rotate(kTableAttitude, kTableForce)) : kTableForce);
  return off_row(entries(body.load_now().torque_B()), {0.345061728395062, 0.624691358024691, 0.438271604938272});
}
double off_wdot(bool twin) {
  const Pushed body = pushed(twin);
  double worst = 0;
  std::vector<double> ydot;
  for (const auto& form : formulations<double>()) {
    const double off =
        off_row(entries(body.rates(*form, ydot).wdot_B), {0.222530864197531, 0.308230452674897, 0.124567901234568});
    worst = larger(worst, off);
  }
  return worst;
}
double off_eddot(bool twin) {
  const Pushed body = pushed(twin);
  double worst = 0;
  std::vector<double> ydot;
  for (const auto& form : formulations<double>()) {
    if (!form->description().unknowns.starts_with("e0 e1 e2 e3 e0.")) { continue; }
    body.rates(*form, ydot);
    const double off = off_row({ydot.begin() + 4, ydot.end()},
                               {-0.197704618198445, -0.0856378600823045, 0.0279652491998171, -0.0428109282121628});
    worst = larger(worst, off);
  }
  return worst;
}
double off_products(bool twin) {
  const Vec3<double> arm_N = twin ? rotate_back(kTableAttitude, kTableArm) : rotate(kTableAttitude, kTableArm);
  return off_row({dot(kTableRate, kTableInertia * kTableRate), dot(kTableForce, arm_N), dot(kTableArm, kTableForce)},
                 {1.30000000000000, -0.183333333333333, -0.150000000000000});
}
double off_multipliers(bool twin) {
  const Pushed body = pushed(twin);
  std::vector<double> lambda;
  std::vector<double> ydot;
  for (const char* name : {"f1", "f2", "f3", "f5", "f6", "f7"}) {
    for (const char* solver : {"", ":numeric"}) {
      lambda.push_back(body.rates(formulation<double>(std::string(name) + solver), ydot).multiplier.value());
    }
  }
  const double golden[] = {
      0, -0.366666666666667, -0.666666666666667, 2.60000000000000, 2.23333333333333, 1.93333333333333};
  std::vector<double> twice;  // closed form and elimination
  for (const double value : golden) { twice.insert(twice.end(), {value, value}); }
  return off_row(lambda, twice);
}
double off_angles(bool twin) {
  const EulerParameters<double> e = twin ? conjugate(kTableAttitude) : kTableAttitude;
  const auto angles = [&](const char* sequence) {
    return entries(EulerAngles{EulerSequence::parse(sequence)}.from_euler_parameters(e));
  };
  return off_row(joined(angles("3-2-1"), angles("3-1-3")), {2.14055278027788, -0.352962310309272, 1.58395346226765,
                                                            2.14510115696960, 1.58314231944149, 0.352990387826910});
}
double off_reduced(bool twin) {
  const Mat3<double> S = ReducedEulerParameters{}.body_rate_matrix(twin ? -kTableAttitude.ev : kTableAttitude.ev);
  return off_row(joined({determinant(S)}, entries(row(S, 0))),
                 {36.0000000000000, 2.22222222222222, 3.55555555555556, 1.55555555555556});
}

// ---- rows 11 to 14: exact motions ----------------------------------------------------------------------

struct GoldenFree {
  Vec3<double> w0;
  double t, m, period;
  Vec3<double> w;
  EulerParameters<double> e;
};
/// Moments 2, 3, 4; the twin has its second rate reversed.
double off_golden(const GoldenFree& golden, bool twin) {
  const Vec3<double> w0{golden.w0.x, twin ? -golden.w0.y : golden.w0.y, golden.w0.z};
  const FreeMotion<double> motion(Vec3<double>{2, 3, 4}, kTableAttitude, w0);
  const MotionState<double> state = motion.at(golden.t);
  double off = larger(norm(state.w_B - golden.w), norm(canonical(state.e_NB) - golden.e));
  off = larger(off, std::fabs(motion.m() - golden.m));
  return golden.period > 0 ? larger(off, std::fabs(motion.period() - golden.period) / golden.period) : off;
}

/// The twin has its nutation rate reversed.
double off_golden_top(bool twin) {
  const EulerAngles chart{EulerSequence::parse("3-1-3")};
  const Vec3<double> angles{0.3, 0.9, -0.4};
  const Vec3<double> rates{0.5, twin ? 0.3 : -0.3, 12};
  const LagrangeTop<double> top({1.3, 0.4, 2.1}, chart.to_euler_parameters(angles),
                                chart.body_rate_matrix(angles) * rates);
  const EulerParameters<double> e = top.at(2.9).e_NB;
  const EulerParameters<double> golden =
      chart.to_euler_parameters(Vec3<double>{1.38967319097767, 0.890536148255486, 34.6411346790623});
  double off = norm(nearest_sign(golden, e) - e);
  off = larger(off, norm(top.roots() - Vec3<double>{0.551899487892822, 0.696641362212212, 3.88960639649708}));
  return larger(off, std::fabs(top.period() - 1.93465251272365));
}

// ---- row 15: one free step of each scheme --------------------------------------------------------------

double off_schemes(bool twin) {
  std::vector<double> values;
  for (Scheme scheme : kSchemes) {
    const Vec3<double> h_B = kTableInertia * kTableRate;
    SchemeState<double> state{kTableAttitude, scheme.world ? rotate(kTableAttitude, h_B) : h_B, {}, {}};
    if (twin) { scheme.gyroscopic = !scheme.gyroscopic; }
    scheme_step(scheme, SchemeIndex::lagged, inverse(kTableInertia), Vec3<double>{0, 0, 0}, 0.1, state);
    values = joined(std::move(values), entries(state.e_NB));
  }
  // clang-format off
  return off_row(values, {0.204347402470269, 0.468111033376186, 0.551960103411541, 0.659131431337524,
                          0.204786178362376, 0.468347250427850, 0.551716031816812, 0.659031785579964,
                          0.203908562179928, 0.467874667843339, 0.552203999276183, 0.659230867483910,
                          0.204347402470269, 0.468111033376186, 0.551960103411541, 0.659131431337524});
  // clang-format on
}

}  // namespace

std::vector<MotionCheck> golden_checks() {
  const auto golden = [](const GoldenFree& row) { return [row](bool twin) { return off_golden(row, twin); }; };
  return {
      {"golden 1: rotation matrix", "KIN-4", "rotation_matrix", "A to 15 digits", "Aᵀ", "double", kPoint, off_matrix},
      {"golden 2: rate in space", "KIN-3", "rotate", "ω = A ω' to 15 digits", "Aᵀ ω'", "double", kPoint,
       off_space_rate},
      {"golden 3: rate of the parameters", "KIN-12", "rate_from_body", "ė to 15 digits", "½ (0; ω') ∘ e", "double",
       kPoint, off_edot},
      {"golden 4: torque", "DYN-1", "LoadNow::torque_B", "n' = u' × Aᵀf to 15 digits", "u' × A f", "double", kPoint,
       off_torque},
      {"golden 5: angular acceleration", "DYN-3", "Formulation::rates (every form)", "ω̇' to 15 digits", "f reversed",
       "double", kPoint, off_wdot},
      {"golden 6: second derivative", "DYN-16 KIN-18", "Formulation::rates (f1 to f12)", "ë to 15 digits", "f reversed",
       "double", kPoint, off_eddot},
      {"golden 7: products", "DYN-17", "rotate, dot", "2T, f·A u', u'·f to 15 digits", "f·Aᵀ u'", "double", kPoint,
       off_products},
      {"golden 8: multipliers", "DYN-17", "Formulation::rates (f1 f2 f3 f5 f6 f7, both solvers)",
       "λ of two gyroscopic terms times three forces to 15 digits", "f reversed", "double", kPoint, off_multipliers},
      {"golden 9: angles", "KIN-36 KIN-37", "EulerAngles::from_euler_parameters", "3-2-1 and 3-1-3 to 15 digits",
       "of e*", "double", kPoint, off_angles},
      {"golden 10: reduced parameters", "KIN-40 KIN-49", "ReducedEulerParameters::body_rate_matrix",
       "det S and row 1 of S to 15 digits", "at −x", "double", kPoint, off_reduced},
      {"golden 11: about the largest moment", "MOT-13 MOT-14", "FreeMotion", "m, period, ω'(10), e(10) to 15 digits",
       "ω'2(0) reversed", "double", kGolden,
       golden({{0.3, -0.2, 0.5},
               10,
               0.226415094339623,
               22.5187112226838,
               {-0.220811995669616, 0.308203531384487, 0.478935244804347},
               {0.126007750994200, {0.161233214960650, 0.880143298799491, 0.428338266631860}}})},
      {"golden 12: about the smallest moment", "MOT-13 MOT-14", "FreeMotion", "m, period, ω'(10), e(10) to 15 digits",
       "ω'2(0) reversed", "double", kGolden,
       golden({{0.9, 0.2, 0.1},
               10,
               0.0595238095238095,
               17.0511369804522,
               {0.889420186906368, -0.255425739040899, -0.0231113486901777},
               {0.474754403554784, {-0.285530105302511, -0.608829780430211, 0.567809046892156}}})},
      {"golden 13: separatrix", "MOT-10 MOT-13 MOT-14", "FreeMotion", "ω'(2), e(2) to 15 digits", "ω'2(0) reversed",
       "double", kGolden,
       golden({{0.4 * std::sqrt(2.0), 0.1, 0.4},
               2,
               1,
               0,
               {0.477581479084030, 0.364080450515927, 0.337701102429419},
               {0.406193414419768, {-0.505382249530146, -0.625475131620404, -0.434023676389086}}})},
      {"golden 14: Lagrange top", "MOT-23 MOT-24", "LagrangeTop", "u1, u2, u3, period, e(2.9) to 15 digits",
       "rate of nutation reversed", "double", kGolden, off_golden_top},
      {"golden 15: update schemes", "SCH-1 SCH-2", "scheme_step", "e after one free step of each of four to 15 digits",
       "gyroscopic term where there is none, none where there is one", "double", kPoint, off_schemes},
  };
}

}  // namespace polhode::verification
