#include "polhode/motion/forced.h"
#include "polhode/motion/free_motion_impl.h"
#include "polhode/motion/lagrange_top_impl.h"
#include "polhode/verification/larger.h"
#include "polhode/verification/motion_check.h"
#include "polhode/verification/taylor.h"
#include "polhode/verification/verification.h"

#include <boost/multiprecision/cpp_bin_float.hpp>

#include <array>
#include <cmath>
#include <exception>

namespace polhode::verification {
namespace {

using Precise = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<50>, boost::multiprecision::et_off>;

/// Attitude in double over 100 turns, rad: what is promised.
constexpr double kDouble = 1e-11;
/// 50 digits less the amplification of these motions, up to 1e7, and some thousand steps.
constexpr double kFine = 1e-36;

Vec3<Precise> precise(const Vec3<double>& v) { return {Precise(v.x), Precise(v.y), Precise(v.z)}; }
EulerParameters<Precise> precise(const EulerParameters<double>& e) { return {Precise(e.e0), precise(e.ev)}; }

const EulerParameters<double> kAttitude{2.0 / 9, {4.0 / 9, 5.0 / 9, 6.0 / 9}};

// ---- against integration ------------------------------------------------------------------------------

double off(const MotionState<Precise>& state, const Taylor<Precise>& series) {
  const Precise e = norm_squared(state.e_NB - series.e());  // sign included
  const Precise w = norm_squared(state.w_B - series.w());
  return larger(static_cast<double>(sqrt(e)), static_cast<double>(sqrt(w)));
}

/// The twin integrates towards the other side in time.
double off_free(const Vec3<double>& J, const Vec3<double>& w, double t, bool twin) {
  const FreeMotion<Precise> motion(precise(J), precise(kAttitude), precise(w));
  Taylor<Precise> series({precise(J)}, precise(kAttitude), precise(w));
  series.advance(Precise(t));
  return off(motion.at(Precise(twin ? -t : t)), series);
}

/// The twin hangs where the top stands.
double off_top(const EulerParameters<double>& e, const Vec3<double>& w, double t, bool twin) {
  const Precise I(1.3);
  const Precise C(0.4);
  const Precise k(2.1);
  const LagrangeTop<Precise> top({I, C, twin ? Precise(-k) : k}, precise(e), precise(w));
  Taylor<Precise> series({{I, I, C}, {Precise(0), Precise(0), Precise(0)}, {Precise(0), Precise(0), k}}, precise(e),
                         precise(w));
  series.advance(Precise(t));
  return off(top.at(Precise(t)), series);
}

double off_forced_spin(bool twin) {
  const Precise C(0.7);
  const Vec3<Precise> zero{Precise(0), Precise(0), Precise(0)};
  Taylor<Precise> series({{Precise(2), Precise(3), C}, {Precise(0), Precise(0), Precise(0.3)}}, precise(kAttitude),
                         {zero.x, zero.y, Precise(-2)});
  series.advance(Precise(6));
  const ForcedSpin<Precise> spin(C, 2, precise(kAttitude), Precise(-2));
  const std::array<Precise, 1> torque{Precise(twin ? -0.3 : 0.3)};
  return off(spin.at(Precise(6), torque), series);
}

double off_constant_torque(bool twin) {
  const Precise I(1.25);
  const Precise C(3);
  const Vec3<double> w{0.4, -0.3, 2};
  Taylor<Precise> series({{I, I, C}, {Precise(0.2), Precise(0.7), Precise(0)}}, precise(kAttitude), precise(w));
  series.advance(Precise(6));
  const ConstantTorqueRate<Precise> rate(I, C, precise(w), Precise(0.2), Precise(twin ? -0.7 : 0.7));
  return static_cast<double>(sqrt(norm_squared(rate.at(Precise(6)) - series.w())));
}

/// Largest angle between double and 50 digits over 100 turns for moments 1, 2, 3, from m1 of order 1 down to 1e-15. The
/// twin's initial middle rate has an error of 1e-9.
double off_in_double(bool twin) {
  double worst = 0;
  for (int n = 0; n < 16; ++n) {
    const Vec3<double> w{std::sqrt(3.0) * 0.5 * (1 + std::pow(10.0, -n)), 0.3, 0.5};
    const FreeMotion<double> motion(Vec3<double>{1, 2, 3}, kAttitude, {w.x, twin ? w.y + 1e-9 : w.y, w.z});
    const FreeMotion<Precise> exact(precise(Vec3<double>{1, 2, 3}), precise(kAttitude), precise(w));
    for (const double t : {-628.0, 100.0, 628.0}) {
      const EulerParameters<Precise> turn = relative_rotation(precise(motion.at(t).e_NB), exact.at(Precise(t)).e_NB);
      worst = larger(worst, static_cast<double>(2 * sqrt(norm_squared(turn.ev))));
    }
  }
  return worst;
}

const std::vector<MotionCheck>& motion_checks() {
  const auto free = [](const Vec3<double>& J, const Vec3<double>& w, double t) {
    return [J, w, t](bool twin) { return off_free(J, w, t, twin); };
  };
  const auto top = [](const EulerParameters<double>& e, const Vec3<double>& w, double t) {
    return [e, w, t](bool twin) { return off_top(e, w, t, twin); };
  };
  static const char* const kSeries =
      "closed form in 50 digits = Taylor integration of J ω̇' = −ω' × Jω', ė = ½ e ∘ (0; ω')";
  static const char* const kTopSeries = "closed form in 50 digits = Taylor integration with the torque k γ × e3";
  static const std::vector<MotionCheck> kOwn{
      {"free: spin about an axis", "MOT-16", "FreeMotion", kSeries, "at −t", "50-digit", kFine,
       free({2, 3, 4}, {0, 0, 1.5}, 7)},
      {"free: spherical", "MOT-16", "FreeMotion", kSeries, "at −t", "50-digit", kFine, free({2, 2, 2}, {1, 2, -1}, 7)},
      {"free: axisymmetric", "MOT-17", "FreeMotion", kSeries, "at −t", "50-digit", kFine,
       free({2, 2, 3}, {1, 0.5, -1}, 7)},
      {"free: about the largest", "MOT-13 MOT-14", "FreeMotion", kSeries, "at −t", "50-digit", kFine,
       free({2, 3, 4}, {0.3, -0.2, 0.5}, 30)},
      {"free: about the smallest", "MOT-13 MOT-14", "FreeMotion", kSeries, "at −t", "50-digit", kFine,
       free({4, 2, 3}, {0.1, 0.9, 0.2}, 30)},
      {"free: near the separatrix", "MOT-10 MOT-13 MOT-14", "FreeMotion", kSeries, "at −t", "50-digit", kFine,
       free({1, 2, 3}, {1e-6, 1.5, 1e-5}, 20)},
      {"free: separatrix", "MOT-10 MOT-13 MOT-14", "FreeMotion", kSeries, "at −t", "50-digit", kFine,
       free({2, 4, 4.5}, {1.5, 0.7, 2}, 6)},

      {"top: nutation", "MOT-24 MOT-28", "LagrangeTop", kTopSeries, "k reversed", "50-digit", kFine,
       top(kAttitude, {0.4, -0.7, 5}, 5)},
      {"top: through upright", "MOT-24 MOT-28", "LagrangeTop", kTopSeries, "k reversed", "50-digit", kFine,
       top({1, {0, 0, 0}}, {0.3, -0.2, 1}, 5)},
      {"top: through hanging", "MOT-24 MOT-28", "LagrangeTop", kTopSeries, "k reversed", "50-digit", kFine,
       top({0, {1, 0, 0}}, {0.7, 0.4, 1}, 5)},
      {"top: released at rest", "MOT-24 MOT-28", "LagrangeTop", kTopSeries, "k reversed", "50-digit", kFine,
       top(kAttitude, {0, 0, 6}, 5)},

      {"forced spin", "MOT-29", "ForcedSpin", "closed form in 50 digits = Taylor integration with the torque",
       "torque reversed", "50-digit", kFine, off_forced_spin},
      {"constant torque", "MOT-30", "ConstantTorqueRate", "rate in 50 digits = Taylor integration with the torque",
       "M2 reversed", "50-digit", kFine, off_constant_torque},

      {"free: double, 100 turns", "MOT-12 MOT-18", "FreeMotion",
       "attitude in double = 50 digits to 1e-11 rad, 16 bodies down to m1 = 1e-15", "ω'2(0) off by 1e-9", "double",
       kDouble, off_in_double},
  };
  static const std::vector<MotionCheck> kAll = [] {
    std::vector<MotionCheck> all = golden_checks();
    all.insert(all.end(), kOwn.begin(), kOwn.end());
    return all;
  }();
  return kAll;
}

Item describe(const MotionCheck& check) {
  Item item;
  item.source = "own";
  item.equation = check.equation;
  item.label = check.label;
  item.function = check.function;
  item.statement = check.statement;
  item.twin = check.twin;
  item.arithmetic = check.arithmetic;
  return item;
}

}  // namespace

Report verify_motions() {
  Report report{"motions", {}};
  for (const MotionCheck& check : motion_checks()) {
    Item item = describe(check);
    try {
      item.residual = check.residual(false);
      item.ok = item.residual < check.tolerance;
      item.twin_residual = check.residual(true);
      item.twin_killed = item.twin_residual >= check.tolerance;  // a NaN is no catch
    } catch (const std::exception& trouble) { item.trouble = trouble.what(); }
    report.items.push_back(std::move(item));
  }
  return report;
}

Report describe_motions() {
  Report report{"motions", {}};
  for (const MotionCheck& check : motion_checks()) { report.items.push_back(describe(check)); }
  return report;
}

}  // namespace polhode::verification
