#pragma once

#include "polhode/audit/audit.h"
#include "polhode/body/inertia.h"
#include "polhode/formulation/schemes.h"
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
/// rates at least 5 degrees off every principal axis; clean, with one fault, or with nothing to be seen. A rough log is
/// poor as logs are: few rows a turn, few digits, rows between rows interpolated, uneven and missing rows.
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
  double momentum_change = 0;  ///< by a planted torque: from the first row to the last, as a vector, over its size
};

inline constexpr std::array<const char*, 10> kPlanted{
    "order",           "direction", "frame",   "units", "attitude", "gyroscopic-missing",
    "gyroscopic-sign", "inertia",   "damping", "growth"};
inline constexpr int kAmbiguousKinds = 8;
/// Faults of rough logs, and the question that must not be answered by yes.
struct RoughFault {
  const char* name;
  const char* question;
};
inline constexpr std::array<RoughFault, 24> kRoughFaults{{{"order", "order"},
                                                          {"direction", "direction"},
                                                          {"frame", "frame"},
                                                          {"units", "units"},
                                                          {"time", "units"},
                                                          {"factor", "units"},
                                                          {"attitude", "attitude"},
                                                          {"gyroscopic-missing", "gyroscopic"},
                                                          {"gyroscopic-sign", "gyroscopic"},
                                                          {"inertia", "inertia"},
                                                          {"damping", "energy"},
                                                          {"growth", "energy"},
                                                          {"frozen attitude", "attitude"},
                                                          {"attitude frozen later", "accuracy"},
                                                          {"frozen rates", "gyroscopic"},
                                                          {"zero rates", "attitude"},
                                                          {"scheme world", "accuracy"},
                                                          {"scheme world-no-gyro", "accuracy"},
                                                          {"scheme body", "accuracy"},
                                                          {"scheme body-no-gyro", "accuracy"},
                                                          {"scheme world implicit", "accuracy"},
                                                          {"scheme body implicit", "accuracy"},
                                                          {"step explicit", "accuracy"},
                                                          {"step linear-implicit", "accuracy"}}};

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
    } else if (fault.starts_with("scheme ") || fault.starts_with("step ")) {
      stepped(fault);
    } else {
      free_motion();
    }
    if (fault == "order") { assumed.order = other(assumed.order, audit::Order::wxyz, audit::Order::xyzw); }
    if (fault == "direction") {
      assumed.direction = other(assumed.direction, audit::Direction::body_to_space, audit::Direction::space_to_body);
    }
    if (fault == "frame") { assumed.frame = other(assumed.frame, audit::RateFrame::body, audit::RateFrame::space); }
    if (fault == "units") {
      constexpr std::array<double, 5> kFactors{57.29577951308232, 9.549296585513721, 2, 0.5, 0.15915494309189534};
      rate_unit_ *= kFactors[static_cast<std::size_t>(random_.between(0, 5))];
    }
    if (fault == "time") {
      constexpr std::array<double, 5> kFactors{1e3, 1e6, 1e9, 1.0 / 60, 1.0 / 3600};
      time_unit_ = kFactors[static_cast<std::size_t>(random_.between(0, 5))];
    }
    if (fault == "factor") { rate_unit_ *= random_.between(0, 1) < 0.5 ? random_.between(1.2, 1.8) : 0.8; }
    if (fault == "inertia") { made_.request.J_B = wrong_inertia(); }
    if (fault == "frozen attitude") { freeze(0); }
    if (fault == "attitude frozen later") { freeze(random_.between(0.3, 0.9)); }
    if (fault == "frozen rates" || fault == "zero rates") {
      const Vec3<double> w = fault == "zero rates" ? Vec3<double>{} : w_B_;
      for (State& state : states_) { state.w_B = w; }
    }
    return finish();
  }

  /// Makes the log as poor as logs are; before clean() or with_fault().
  LogMaker& rough() {
    const auto chance = [&](double p) { return random_.between(0, 1) < p; };
    rows_per_turn_ = random_.logarithmic(4, 200);
    turns_ = random_.logarithmic(0.3, 30);
    if (chance(0.7)) { noise_ = 0; }
    if (chance(0.6)) { digits_ = 3 + static_cast<int>(random_.between(0, 4)); }
    if (chance(0.3)) { time_digits_ = 1 + static_cast<int>(random_.between(0, 4)); }
    if (chance(0.4)) { resample_ = random_.between(1.3, 8); }
    if (resample_ > 0 && chance(0.5)) { resample_ = std::round(resample_); }
    if (chance(0.25)) { unevenness_ = random_.between(0.1, 0.45); }
    if (chance(0.2)) {
      rate_unit_ = 57.29577951308232;
      made_.request.degrees = true;
    }
    if (chance(0.15)) { missing_ = random_.between(0.02, 0.3); }
    if (resample_ > 0) {  // between rows that are too far apart another motion is written
      rows_per_turn_ = std::max(rows_per_turn_, 8.0);
      missing_ = 0;
    }
    return *this;
  }

  /// The rates of a row are those of `steps` rows earlier, later where negative; after rough().
  LogMaker& lagging(double steps) {
    lag_ = steps / (resample_ > 0 ? resample_ : 1);
    return *this;
  }

  /// A constant torque, in space or in body components, that would change the momentum by `change` of itself over the
  /// log if it acted along it.
  MadeLog with_torque(double change, audit::RateFrame frame) {
    made_.fault = "torque";
    made_.request.J_B = J_B_;
    constant_torque(change, frame);
    return finish();
  }

  /// All numbers with this many decimals, rates in units of a power of ten near them; this many turns.
  LogMaker& digits(int count) {
    digits_ = count;
    noise_ = 0;
    return *this;
  }
  LogMaker& turns(double count) {
    turns_ = count;
    return *this;
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

  struct State {
    double t = 0;
    EulerParameters<double> e_NB;
    Vec3<double> w_B;
  };
  void write(double t, const EulerParameters<double>& e_NB, const Vec3<double>& w_B) {
    states_.push_back({t, e_NB, w_B});
  }
  double time_of(std::size_t k) {
    return step() * (static_cast<double>(k) + (k > 0 ? unevenness_ * random_.between(-1, 1) : 0));
  }

  static double rounded(double x, int digits, double unit) {
    if (digits == 0) { return x; }
    const double scale = std::pow(10, digits) / unit;
    return std::round(x * scale) / scale;
  }

  /// Rows as an engine with the true convention writes them: rows dropped, rows between rows, noise, a random sign,
  /// few digits.
  void write_rows() {
    std::vector<State> rows;
    for (State& state : states_) {
      if (rows.size() > 1 && random_.between(0, 1) < missing_) { continue; }
      rows.push_back(state);
      if (truth_.frame == audit::RateFrame::space) { rows.back().w_B = rotate(state.e_NB, state.w_B); }
    }
    if (resample_ > 0) { rows = resampled(rows); }
    // the unit of the rates that digits count from: a power of ten near them
    const double w_unit = std::pow(10, std::floor(std::log10(norm(w_B_) * rate_unit_)));
    for (const State& row : rows) {
      EulerParameters<double> e = truth_.direction == audit::Direction::body_to_space ? row.e_NB : conjugate(row.e_NB);
      if (random_.between(0, 1) < 0.05) { sign_ = -sign_; }
      e = sign_ * EulerParameters<double>{e.e0 + noise_ * gaussian(),
                                          e.ev + noise_ * Vec3<double>{gaussian(), gaussian(), gaussian()}};
      const double w_noise = noise_ * norm(row.w_B);
      const Vec3<double> w = rate_unit_ * (row.w_B + w_noise * Vec3<double>{gaussian(), gaussian(), gaussian()});
      std::array<double, 4> q = truth_.order == audit::Order::wxyz
                                    ? std::array<double, 4>{e.e0, e.ev.x, e.ev.y, e.ev.z}
                                    : std::array<double, 4>{e.ev.x, e.ev.y, e.ev.z, e.e0};
      for (double& x : q) { x = rounded(x, digits_, 1); }
      const double step_between = step() / (resample_ > 0 ? resample_ : 1);
      const double t = time_unit_ * rounded(row.t, time_digits_, step_between);
      if (!made_.log.t.empty() && !(time_unit_ * start_ + t > made_.log.t.back())) { continue; }
      made_.log.t.push_back(time_unit_ * start_ + t);
      made_.log.q.push_back(q);
      made_.log.w.push_back(
          {rounded(w.x, digits_, w_unit), rounded(w.y, digits_, w_unit), rounded(w.z, digits_, w_unit)});
    }
  }

  /// Between two rows: the attitude turned evenly, the rates as they are written on a straight line.
  std::vector<State> resampled(const std::vector<State>& rows) const {
    std::vector<State> all;
    const double h = step() / resample_;
    std::size_t k = 0;
    for (std::size_t j = 0;; ++j) {
      const double t = rows.front().t + h * static_cast<double>(j);
      while (k + 2 < rows.size() && rows[k + 1].t <= t) { ++k; }
      if (t > rows.back().t) { break; }
      const double part = (t - rows[k].t) / (rows[k + 1].t - rows[k].t);
      const Vec3<double> turn = rotation_vector(relative_rotation(rows[k].e_NB, rows[k + 1].e_NB));
      all.push_back({t, rows[k].e_NB * exp(part * turn), rows[k].w_B + part * (rows[k + 1].w_B - rows[k].w_B)});
    }
    return all;
  }

  /// From this part of the log on the attitude stays as it is.
  void freeze(double part) {
    const auto first = static_cast<std::size_t>(part * static_cast<double>(states_.size()));
    for (std::size_t k = first; k < states_.size(); ++k) { states_[k].e_NB = states_[first].e_NB; }
  }

  /// One of the schemes of game engines, or a step of another engine and a turn by the new rate; one step a row. As
  /// many steps as it takes to be off by 1 rad, 20 at least.
  void stepped(const std::string& kind) {
    unevenness_ = 0;
    resample_ = 0;
    missing_ = 0;
    rows_per_turn_ = std::clamp(rows_per_turn_, 12.0, 60.0);
    const Mat3<double> J_inverse = inverse(J_B_);
    const double h = step();
    const FreeMotion<double> exact(J_B_, e_NB_, w_B_);
    const bool is_scheme = kind.starts_with("scheme ");
    const bool implicit = kind.ends_with(" implicit");
    const std::string name = kind.substr(is_scheme ? 7 : 5, kind.find(' ', 7) - (is_scheme ? 7 : 5));
    const Scheme& which = scheme(is_scheme ? std::string_view(name) : "body");
    SchemeState<double> state{.e_NB = e_NB_};
    state.L = which.world ? rotate(e_NB_, J_B_ * w_B_) : J_B_ * w_B_;
    constexpr std::size_t kMost = 20000;
    double off = 0;
    for (std::size_t k = 0; k < kMost; ++k) {
      const Vec3<double> L_B = scheme_momentum_B(which, state);
      write(h * static_cast<double>(k), state.e_NB, J_inverse * L_B);
      off = std::max(off, rotation_angle(relative_rotation(exact.at(h * static_cast<double>(k)).e_NB, state.e_NB)));
      if (k >= 20 && off > 1) { break; }
      bool done = true;
      if (is_scheme) {
        done =
            scheme_step(which, implicit ? SchemeIndex::implicit : SchemeIndex::lagged, J_inverse, {0, 0, 0}, h, state);
      } else {
        const Vec3<double> w = J_inverse * L_B;
        state.L = kind == "step explicit" ? L_B - h * cross(w, L_B) : J_B_ * (inverse(J_B_ - h * skew(L_B)) * L_B);
        state.e_NB = normalized(state.e_NB * exp(h * (J_inverse * state.L)));
      }
      if (!done || !(norm(state.L) < 1e6 * norm(J_B_ * w_B_))) { break; }
    }
    if (off <= 1 && states_.size() == kMost) { made_.fault.clear(); }  // so good that nothing is wrong with it
  }

  void free_motion() {
    const FreeMotion<double> motion(J_B_, e_NB_, w_B_);
    for (std::size_t k = 0; k < rows(); ++k) {
      const double t = time_of(k);
      const MotionState<double> state = motion.at(t);
      write(t, state.e_NB, lag_ == 0 ? state.w_B : as_if_now(state, motion.at(t - lag_ * step())));
    }
  }

  /// The body rate that makes a row at `now` show the rate of `then` in the components in which rates are written.
  Vec3<double> as_if_now(const MotionState<double>& now, const MotionState<double>& then) const {
    return truth_.frame == audit::RateFrame::body ? then.w_B : rotate_back(now.e_NB, rotate(then.e_NB, then.w_B));
  }

  /// h' decays as exp(−βt): the free motion at the time (1 − exp(−βt))/β, its rates times exp(−βt).
  void damped(double change) {
    const FreeMotion<double> motion(J_B_, e_NB_, w_B_);
    const double beta = change / (step() * static_cast<double>(rows() - 1));
    for (std::size_t k = 0; k < rows(); ++k) {
      const double t = time_of(k);
      const MotionState<double> state = motion.at((1 - std::exp(-beta * t)) / beta);
      const double t_rate = t - lag_ * step();
      const MotionState<double> then = motion.at((1 - std::exp(-beta * t_rate)) / beta);
      write(t, state.e_NB, std::exp(-beta * t_rate) * (lag_ == 0 ? state.w_B : as_if_now(state, then)));
    }
  }

  void steady(const Vec3<double>& w_B) {
    for (std::size_t k = 0; k < rows(); ++k) {
      const double t = time_of(k);
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

  /// J ω̇' = τ' − ω' × Jω', integrated as in wrong_sign().
  void constant_torque(double change, audit::RateFrame frame) {
    const Mat3<double> J_inverse = inverse(J_B_);
    const Vec3<double> tau =
        (change * norm(J_B_ * w_B_) / (step() * static_cast<double>(rows() - 1))) * random_.direction();
    std::array<double, 7> y{e_NB_.e0, e_NB_.ev.x, e_NB_.ev.y, e_NB_.ev.z, w_B_.x, w_B_.y, w_B_.z};
    const auto slope = [&](double, const std::array<double, 7>& at, std::array<double, 7>& rate) {
      const EulerParameters<double> e{at[0], {at[1], at[2], at[3]}};
      const Vec3<double> w{at[4], at[5], at[6]};
      const Vec3<double> tau_B = frame == audit::RateFrame::body ? tau : rotate_back(normalized(e), tau);
      const EulerParameters<double> edot = rate_from_body(e, w);
      const Vec3<double> wdot = J_inverse * (tau_B - cross(w, J_B_ * w));
      rate = {edot.e0, edot.ev.x, edot.ev.y, edot.ev.z, wdot.x, wdot.y, wdot.z};
    };
    for (std::size_t k = 0; k < rows(); ++k) {
      write(step() * static_cast<double>(k), normalized(EulerParameters<double>{y[0], {y[1], y[2], y[3]}}),
            {y[4], y[5], y[6]});
      for (int i = 0; i < 16; ++i) { rk4_step(slope, 0.0, step() / 16, y); }
    }
    const auto momentum_N = [&](const State& state) { return rotate(state.e_NB, J_B_ * state.w_B); };
    const Vec3<double> first_N = momentum_N(states_.front());
    made_.momentum_change = norm(momentum_N(states_.back()) - first_N) / norm(first_N);
  }

  /// Exact rates; the attitude by e + ½ h e ∘ (0; ω'_{n+1}), normalised.
  void first_order_attitude() {
    const FreeMotion<double> motion(J_B_, e_NB_, w_B_);
    EulerParameters<double> e = e_NB_;
    for (std::size_t k = 0; k < rows(); ++k) {
      const double t = step() * static_cast<double>(k);
      const Vec3<double> w = motion.at(t).w_B;
      if (k > 0) { e = normalized(e + step() * rate_from_body(e, w)); }
      const Vec3<double> w_then = motion.at(t - lag_ * step()).w_B;
      const MotionState<double> now{e, w};
      write(t, e, lag_ == 0 ? w : as_if_now(now, {e * exp((-lag_ * step()) * w), w_then}));
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
    write_rows();
    made_.story += " moments " + std::to_string(moments_.x) + ' ' + std::to_string(moments_.y) + ' ' +
                   std::to_string(moments_.z) + ", turns " + std::to_string(turns_) + ", rows a turn " +
                   std::to_string(rows_per_turn_) + ", noise " + std::to_string(1e6 * noise_) + "e-6";
    if (digits_ > 0) { made_.story += ", digits " + std::to_string(digits_); }
    if (time_digits_ > 0) { made_.story += ", digits of the time in a step " + std::to_string(time_digits_); }
    if (resample_ > 0) { made_.story += ", rows a row " + std::to_string(resample_); }
    if (unevenness_ > 0) { made_.story += ", uneven by " + std::to_string(unevenness_); }
    if (lag_ != 0) { made_.story += ", rates late by steps " + std::to_string(lag_); }
    if (missing_ > 0) { made_.story += ", missing " + std::to_string(missing_); }
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
  int digits_ = 0;         ///< decimals of the quaternion, and of rates of size 1 to 10; 0: all
  int time_digits_ = 0;    ///< decimals of the time in units of a step; 0: all
  double resample_ = 0;    ///< rows written for each row of the motion, interpolated; 0: the rows themselves
  double unevenness_ = 0;  ///< of the times, in steps
  double lag_ = 0;         ///< of the rates behind the attitudes, in steps of the motion
  double missing_ = 0;     ///< part of the rows that is lost
  double rate_unit_ = 1;   ///< logged over true
  double time_unit_ = 1;
  std::vector<State> states_;
  audit::Convention truth_;
  MadeLog made_;
};

}  // namespace polhode::test
