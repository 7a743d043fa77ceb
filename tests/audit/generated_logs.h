#pragma once

#include "polhode/audit/audit.h"
#include "polhode/body/inertia.h"
#include "polhode/integrator/rk4_step.h"
#include "polhode/motion/free_motion.h"
#include "support/random.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

/// Logs made on purpose: moments in ratios of at least 1.1, 2 to 50 turns, 20 rows a turn or more, noise 0 to 1e-4,
/// rates at least 5 degrees off every principal axis; clean, with one fault, or with nothing to be seen.
namespace polhode::test {

/// 1 with POLHODE_LONG=1 in the environment: all logs instead of a sample.
inline bool long_run() {
  const char* text = std::getenv("POLHODE_LONG");
  return text != nullptr && std::string(text) == "1";
}

struct MadeLog {
  audit::RotationLog log;
  audit::Request request;
  std::string fault;                   ///< planted, "" for none
  std::vector<std::string> questions;  ///< that must be answered by cannot tell
  std::string story;
};

inline constexpr std::array<const char*, 10> kPlanted{
    "order",           "direction", "frame",   "units", "attitude", "gyroscopic-missing",
    "gyroscopic-sign", "inertia",   "damping", "growth"};
inline constexpr int kAmbiguousKinds = 8;

class LogMaker {
 public:
  explicit LogMaker(std::uint64_t seed) : random_(seed) { draw(); }

  MadeLog clean() {
    free_motion();
    made_.request.J_B = random_.between(0, 1) < 0.75 ? std::optional(J_B_) : std::nullopt;
    return finish();
  }

  MadeLog with_fault(const std::string& fault) {
    made_.fault = fault;
    made_.request.J_B = J_B_;
    audit::Convention& assumed = made_.log.assumed;
    if (fault == "gyroscopic-missing") {
      steady(w_B_);
    } else if (fault == "gyroscopic-sign") {
      wrong_sign();
    } else if (fault == "attitude") {
      rows_per_turn_ = random_.between(20, 60);
      first_order_attitude();
    } else if (fault == "damping" || fault == "growth") {
      const double change = random_.logarithmic(0.01, 0.5);
      damped(fault == "damping" ? change : -change);
    } else {
      free_motion();
    }
    if (fault == "order") { assumed.order = other(assumed.order, audit::Order::wxyz, audit::Order::xyzw); }
    if (fault == "direction") {
      assumed.direction = other(assumed.direction, audit::Direction::body_to_space, audit::Direction::space_to_body);
    }
    if (fault == "frame") { assumed.frame = other(assumed.frame, audit::RateFrame::body, audit::RateFrame::space); }
    if (fault == "units") { change_units(); }
    if (fault == "inertia") { made_.request.J_B = wrong_inertia(); }
    return finish();
  }

  /// kind 0 to kAmbiguousKinds - 1
  MadeLog ambiguous(int kind) {
    const Vec3<double> axis = column(R_BP_, static_cast<std::size_t>(random_.between(0, 3)));
    const double w = norm(w_B_);
    made_.questions = {"gyroscopic"};
    switch (kind) {
      case 0:
        made_.story = "spin about a principal axis";
        made_.request.J_B = J_B_;
        steady(w * axis);
        break;
      case 1:
        made_.story = "no gyroscopic term, inertia not given";
        steady(w_B_);
        break;
      case 2:
        made_.story = "a sphere";
        made_.request.J_B = moments_.x * identity<double, 3>();
        steady(w_B_);
        break;
      case 3:
        made_.story = "gyroscopic term of the wrong sign, inertia not given";
        wrong_sign();
        break;
      case 4:
        made_.story = "spin about an axis that space and body share";
        e_NB_ = exp(random_.between(-3, 3) * w_B_ / w);
        steady(w_B_);
        made_.questions = {"frame", "gyroscopic"};
        break;
      case 5:
        made_.story = "a body at rest";
        steady({0, 0, 0});
        made_.request.J_B = J_B_;
        made_.questions = {"order", "direction", "frame", "units", "attitude", "gyroscopic", "energy", "accuracy"};
        break;
      case 6:
        made_.story = "too few rows a turn";
        rows_per_turn_ = random_.between(0.8, 4);
        turns_ = 50;
        free_motion();
        made_.request.J_B = J_B_;
        made_.questions = {"order", "direction", "frame", "units", "attitude", "gyroscopic", "energy", "accuracy"};
        break;
      default:
        made_.story = "too short";
        turns_ = 0.02;
        rows_per_turn_ = 3000;
        free_motion();
        made_.request.J_B = J_B_;
        made_.questions = {"order", "direction", "frame", "units", "attitude", "gyroscopic", "energy", "accuracy"};
    }
    return finish();
  }

 private:
  template <class E>
  static E other(E value, E one, E two) {
    return value == one ? two : one;
  }

  void draw() {
    const double middle = random_.between(1.1, 3);
    const double size = random_.logarithmic(1e-3, 1e3);
    std::array<double, 3> moments{size, size * middle, size * middle * random_.between(1.1, 1 + 1 / middle)};
    for (std::size_t i = 2; i > 0; --i) {
      std::swap(moments[i], moments[static_cast<std::size_t>(random_.between(0, static_cast<double>(i + 1)))]);
    }
    moments_ = {moments[0], moments[1], moments[2]};
    R_BP_ = random_.between(0, 1) < 0.5 ? identity<double, 3>() : rotation_matrix(random_.attitude());
    J_B_ = turned(R_BP_, diagonal(moments_.x, moments_.y, moments_.z));
    Vec3<double> direction{};
    do {
      direction = random_.direction();
    } while (std::max({std::fabs(direction.x), std::fabs(direction.y), std::fabs(direction.z)}) > 0.9961);  // cos 5°
    w_B_ = random_.logarithmic(0.01, 100) * (R_BP_ * direction);
    e_NB_ = random_.between(0, 1) < 0.2 ? EulerParameters<double>::identity() : random_.attitude();
    turns_ = random_.logarithmic(2, 50);
    rows_per_turn_ = random_.logarithmic(20, 200);
    noise_ = random_.between(0, 1) < 0.25 ? 0 : random_.logarithmic(1e-8, 1e-4);
    const auto coin = [&] { return random_.between(0, 1) < 0.5; };
    made_.log.assumed = {
        coin() ? audit::Order::wxyz : audit::Order::xyzw,
        random_.between(0, 1) < 0.8 ? audit::Direction::body_to_space : audit::Direction::space_to_body,
        coin() ? audit::RateFrame::body : audit::RateFrame::space};
    truth_ = made_.log.assumed;
    start_ = random_.between(-100, 100);
  }

  double step() const { return 2 * math::kPi<double> / (norm(w_B_) * rows_per_turn_); }
  std::size_t rows() const { return static_cast<std::size_t>(std::max(20.0, turns_ * rows_per_turn_)) + 1; }

  double gaussian() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) { sum += random_.between(0, 1); }
    return sum;
  }

  /// A row as an engine with the true convention writes it, noise and a random sign included.
  void write(double t, const EulerParameters<double>& e_NB, const Vec3<double>& w_B) {
    const Vec3<double> w = truth_.frame == audit::RateFrame::body ? w_B : rotate(e_NB, w_B);
    EulerParameters<double> e = truth_.direction == audit::Direction::body_to_space ? e_NB : conjugate(e_NB);
    if (random_.between(0, 1) < 0.05) { sign_ = -sign_; }
    e = sign_ * EulerParameters<double>{e.e0 + noise_ * gaussian(),
                                        e.ev + noise_ * Vec3<double>{gaussian(), gaussian(), gaussian()}};
    const double w_noise = noise_ * norm(w_B);
    made_.log.t.push_back(start_ + t);
    made_.log.q.push_back(truth_.order == audit::Order::wxyz ? std::array<double, 4>{e.e0, e.ev.x, e.ev.y, e.ev.z}
                                                             : std::array<double, 4>{e.ev.x, e.ev.y, e.ev.z, e.e0});
    made_.log.w.push_back(w + w_noise * Vec3<double>{gaussian(), gaussian(), gaussian()});
  }

  void free_motion() {
    const FreeMotion<double> motion(J_B_, e_NB_, w_B_);
    for (std::size_t k = 0; k < rows(); ++k) {
      const double t = step() * static_cast<double>(k);
      write(t, motion.at(t).e_NB, motion.at(t).w_B);
    }
  }

  /// h' decays as exp(−βt): the free motion at the time (1 − exp(−βt))/β, its rates times exp(−βt).
  void damped(double change) {
    const FreeMotion<double> motion(J_B_, e_NB_, w_B_);
    const double beta = change / (step() * static_cast<double>(rows() - 1));
    for (std::size_t k = 0; k < rows(); ++k) {
      const double t = step() * static_cast<double>(k);
      const MotionState<double> state = motion.at((1 - std::exp(-beta * t)) / beta);
      write(t, state.e_NB, std::exp(-beta * t) * state.w_B);
    }
  }

  void steady(const Vec3<double>& w_B) {
    for (std::size_t k = 0; k < rows(); ++k) {
      const double t = step() * static_cast<double>(k);
      write(t, e_NB_ * exp(t * w_B), w_B);
    }
  }

  /// J ω̇' = +ω' × Jω', integrated in 16 steps a row: (0.3/16)⁴ is below all noise that matters.
  void wrong_sign() {
    const Mat3<double> J_inverse = inverse(J_B_);
    std::array<double, 7> y{e_NB_.e0, e_NB_.ev.x, e_NB_.ev.y, e_NB_.ev.z, w_B_.x, w_B_.y, w_B_.z};
    const auto slope = [&](double, const std::array<double, 7>& at, std::array<double, 7>& rate) {
      const Vec3<double> w{at[4], at[5], at[6]};
      const EulerParameters<double> edot = rate_from_body({at[0], {at[1], at[2], at[3]}}, w);
      const Vec3<double> wdot = J_inverse * cross(w, J_B_ * w);
      rate = {edot.e0, edot.ev.x, edot.ev.y, edot.ev.z, wdot.x, wdot.y, wdot.z};
    };
    for (std::size_t k = 0; k < rows(); ++k) {
      write(step() * static_cast<double>(k), normalized(EulerParameters<double>{y[0], {y[1], y[2], y[3]}}),
            {y[4], y[5], y[6]});
      for (int i = 0; i < 16; ++i) { rk4_step(slope, 0.0, step() / 16, y); }
    }
  }

  /// Exact rates; the attitude by e + ½ h e ∘ (0; ω'_{n+1}), normalised.
  void first_order_attitude() {
    const FreeMotion<double> motion(J_B_, e_NB_, w_B_);
    EulerParameters<double> e = e_NB_;
    for (std::size_t k = 0; k < rows(); ++k) {
      const double t = step() * static_cast<double>(k);
      const Vec3<double> w = motion.at(t).w_B;
      if (k > 0) { e = normalized(e + step() * rate_from_body(e, w)); }
      write(t, e, w);
    }
  }

  void change_units() {
    constexpr std::array<double, 4> kFactors{57.29577951308232, 9.549296585513721, 2, 0.5};
    const auto kind = static_cast<std::size_t>(random_.between(0, 5));
    for (std::size_t k = 0; k < made_.log.size(); ++k) {
      if (kind < kFactors.size()) {
        made_.log.w[k] *= kFactors[kind];
      } else {
        made_.log.t[k] *= 1000;
      }
    }
  }

  /// Two moments exchanged, or all three moved on.
  Mat3<double> wrong_inertia() {
    std::array<double, 3> m{moments_.x, moments_.y, moments_.z};
    const auto kind = static_cast<std::size_t>(random_.between(0, 5));
    if (kind < 3) {
      std::swap(m[kind], m[(kind + 1) % 3]);
    } else {
      std::rotate(m.begin(), m.begin() + static_cast<std::ptrdiff_t>(kind - 2), m.end());
    }
    return turned(R_BP_, diagonal(m[0], m[1], m[2]));
  }

  MadeLog finish() {
    made_.story += " moments " + std::to_string(moments_.x) + ' ' + std::to_string(moments_.y) + ' ' +
                   std::to_string(moments_.z) + ", turns " + std::to_string(turns_) + ", rows a turn " +
                   std::to_string(rows_per_turn_) + ", noise " + std::to_string(1e6 * noise_) + "e-6";
    return std::move(made_);
  }

  Random random_;
  Vec3<double> moments_{};
  Mat3<double> R_BP_{};
  Mat3<double> J_B_{};
  Vec3<double> w_B_{};
  EulerParameters<double> e_NB_{};
  double turns_ = 0;
  double rows_per_turn_ = 0;
  double noise_ = 0;
  double start_ = 0;
  double sign_ = 1;
  audit::Convention truth_;
  MadeLog made_;
};

}  // namespace polhode::test
