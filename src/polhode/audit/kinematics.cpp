#include "polhode/audit/kinematics.h"

#include "polhode/audit/integrals.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace polhode::audit {
namespace {

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// One stretch of the log: its turn by the attitudes, seen from both sides, and the sums of its rates.
struct Window {
  Vec3<double> right[2];  ///< log(q_k* ∘ q_{k+m}) for the order w x y z, x y z w
  Vec3<double> left[2];   ///< log(q_{k+m} ∘ q_k*)
  Vec3<double> W;
  Vec3<double> commutator;  ///< W × M/H
  Vec3<double> change;      ///< ω at its end less ω at its start
};

/// `gap` is the time between rows beyond which the turn between them cannot be followed.
std::vector<Window> windows_of(const RotationLog& log, const std::vector<RateIntegrals>& sums, std::size_t length,
                               double gap) {
  std::vector<Window> windows;
  const std::size_t stride = std::max<std::size_t>(1, length / 2);
  for (std::size_t k = 0; k + length < log.size(); k += stride) {
    Window window{};
    const double middle = 0.5 * (log.t[k] + log.t[k + length]);
    Vec3<double> moment{};
    bool followed = true;
    for (std::size_t j = k; j < k + length; ++j) {
      followed = followed && log.t[j + 1] - log.t[j] <= gap;
      window.W += sums[j].w;
      moment += sums[j].moment + (0.5 * (log.t[j] + log.t[j + 1]) - middle) * sums[j].w;
    }
    if (!followed) { continue; }
    window.change = log.w[k + length] - log.w[k];
    window.commutator = cross(window.W, moment) / (log.t[k + length] - log.t[k]);
    for (const Order order : {Order::wxyz, Order::xyzw}) {
      const auto i = static_cast<std::size_t>(order);
      const Convention reading{order, Direction::body_to_space, RateFrame::body};
      const EulerParameters<double> from = attitude_as(reading, log.q[k]);
      const EulerParameters<double> to = attitude_as(reading, log.q[k + length]);
      window.right[i] = rotation_vector(relative_rotation(from, to));
      window.left[i] = rotate(from, window.right[i]);
    }
    windows.push_back(window);
  }
  return windows;
}

/// (AUD-2)
Vec3<double> turn_of(const Window& window, const Convention& convention) {
  const auto i = static_cast<std::size_t>(convention.order);
  const bool body = convention.frame == RateFrame::body;
  if (convention.direction == Direction::body_to_space) { return body ? window.right[i] : window.left[i]; }
  return body ? -window.left[i] : -window.right[i];
}

ConventionFit fit_of(const std::vector<Window>& windows, const Convention& convention, double step) {
  const double sign = convention.frame == RateFrame::body ? 1 : -1;
  double turned = 0;
  double logged = 0;
  for (const Window& window : windows) {
    turned += norm_squared(turn_of(window, convention));
    logged += norm_squared(window.W);
  }
  ConventionFit fit{.convention = convention};
  if (!(turned > 0 && logged > 0)) { return fit; }
  const double guess = std::sqrt(turned / logged);
  const auto turn_by_rates = [&](const Window& window) {
    return guess * window.W + (sign * guess * guess) * window.commutator;  // (AUD-3)
  };

  // turn = scale/guess Ω + lag D, least squares
  double OO = 0;
  double DD = 0;
  double OD = 0;
  double TO = 0;
  double TD = 0;
  for (const Window& window : windows) {
    const Vec3<double> turn = turn_of(window, convention);
    const Vec3<double> Omega = turn_by_rates(window);
    const Vec3<double> D = (guess * step) * window.change;
    OO += norm_squared(Omega);
    DD += norm_squared(D);
    OD += dot(Omega, D);
    TO += dot(turn, Omega);
    TD += dot(turn, D);
  }
  const double freedom = DD - OD * OD / OO;
  double lag = 0;
  if (freedom > 1e-9 * OO) { lag = std::clamp((TD - TO * OD / OO) / freedom, -kLongestLag, kLongestLag); }
  const double scale = (TO - lag * OD) / OO;
  if (!(scale > 0)) { return fit; }
  fit.scale = guess * scale;
  fit.lag = lag;

  // what is left, and the scatter of the scale over blocks of windows
  constexpr std::size_t kBlocks = 8;
  std::array<double, kBlocks> along{};
  std::array<double, kBlocks> square{};
  double rest = 0;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const std::size_t b = i * kBlocks / windows.size();
    const Vec3<double> Omega = turn_by_rates(windows[i]);
    const Vec3<double> turn = turn_of(windows[i], convention) - (lag * guess * step) * windows[i].change;
    rest += norm_squared(turn - scale * Omega);
    along[b] += dot(turn, Omega);
    square[b] += norm_squared(Omega);
  }
  fit.residual = std::min(1.0, std::sqrt(rest / turned));
  double scatter = 0;
  double blocks = 0;
  for (std::size_t b = 0; b < kBlocks; ++b) {
    if (!(square[b] > 0)) { continue; }
    const double off = guess * along[b] / square[b] - fit.scale;
    scatter += off * off;
    blocks += 1;
  }
  fit.scale_error = blocks > 1 ? std::sqrt(scatter / (blocks * (blocks - 1))) : fit.scale;
  return fit;
}

/// A fit to first order in the lag, improved by fits to rates that are shifted by it (AUD-9).
ConventionFit refined(const RotationLog& log, const ConventionFit& first, double step, std::size_t length, double gap) {
  constexpr int kRounds = 8;
  constexpr double kSettled = 1e-3;  // steps; the turn by the rates then errs by 1e-6 of a step at most
  constexpr double kNoLag = 0.01;
  constexpr double kHopeless = 0.7;  // part of the turns; a reading that leaves more unexplained is not the right one
  if (std::fabs(first.lag) < kNoLag || first.residual > kHopeless) { return first; }
  ConventionFit best = first;
  double lag = first.lag;
  for (int round = 0; round < kRounds; ++round) {
    const RotationLog shifted = without_lag(log, lag * step);
    if (shifted.size() <= length) { break; }
    const std::vector<Window> windows = windows_of(shifted, integrate_rates(shifted.t, shifted.w), length, gap);
    ConventionFit fit = fit_of(windows, first.convention, step);
    const double rest = fit.lag;
    fit.lag = std::clamp(lag + rest, -kLongestLag, kLongestLag);
    if (fit.residual > best.residual) { break; }
    best = fit;
    if (std::fabs(rest) < kSettled || fit.lag == lag) { break; }
    lag = fit.lag;
  }
  return best;
}

/// What the rates alone say about the motion: rate_turn, rate_sum, rate_walk.
void follow_rates(const RotationLog& log, const std::vector<RateIntegrals>& sums, Kinematics& kinematics) {
  EulerParameters<double> by_body = EulerParameters<double>::identity();
  EulerParameters<double> by_space = by_body;
  double body_turn = 0;
  double space_turn = 0;
  double walk = 0;
  Vec3<double> sum{};
  for (std::size_t k = 0; k < sums.size(); ++k) {
    by_body = by_body * exp(sums[k].w);
    by_space = exp(sums[k].w) * by_space;
    body_turn = std::max(body_turn, rotation_angle(by_body));
    space_turn = std::max(space_turn, rotation_angle(by_space));
    sum += sums[k].w;
    kinematics.rate_sum = std::max(kinematics.rate_sum, norm(sum));
    const double h = log.t[k + 1] - log.t[k];
    walk += 0.5 * h * h * norm_squared(log.w[k + 1] - log.w[k]);
  }
  kinematics.rate_turn = std::min(body_turn, space_turn);
  kinematics.rate_walk = std::sqrt(walk);
}

}  // namespace

EulerParameters<double> attitude_as(const Convention& convention, const std::array<double, 4>& q) {
  const EulerParameters<double> read = convention.order == Order::wxyz
                                           ? EulerParameters<double>{q[0], {q[1], q[2], q[3]}}
                                           : EulerParameters<double>{q[3], {q[0], q[1], q[2]}};
  return normalized(convention.direction == Direction::body_to_space ? read : conjugate(read));
}

RotationLog without_lag(const RotationLog& log, double lag) {
  ShiftedRates shifted = shift_rates(log.t, log.w, lag);
  const auto first = static_cast<std::ptrdiff_t>(shifted.first);
  const auto last = first + static_cast<std::ptrdiff_t>(shifted.w.size());
  RotationLog rows;
  rows.t.assign(log.t.begin() + first, log.t.begin() + last);
  rows.q.assign(log.q.begin() + first, log.q.begin() + last);
  rows.w = std::move(shifted.w);
  rows.assumed = log.assumed;
  rows.mrp = log.mrp;
  rows.repeated_rows = log.repeated_rows;
  return rows;
}

Kinematics compare_conventions(const RotationLog& log) {
  constexpr double kWindowAngle = 0.3;
  const std::size_t n = log.size();
  Kinematics kinematics;
  std::vector<double> steps(n - 1);
  std::vector<double> angles(n - 1);
  std::vector<double> logged(n - 1);
  const EulerParameters<double> first = attitude_as(log.assumed, log.q[0]);
  EulerParameters<double> before = first;
  for (std::size_t k = 0; k + 1 < n; ++k) {
    const EulerParameters<double> here = attitude_as(log.assumed, log.q[k + 1]);
    steps[k] = log.t[k + 1] - log.t[k];
    angles[k] = rotation_angle(relative_rotation(before, here));
    logged[k] = steps[k] * norm(log.w[k]);
    kinematics.largest_turn = std::max(kinematics.largest_turn, rotation_angle(relative_rotation(first, here)));
    before = here;
  }
  kinematics.step = median_of(std::move(steps));
  kinematics.step_angle = median_of(std::move(angles));
  kinematics.logged_angle = median_of(std::move(logged));

  const double wanted = kinematics.step_angle > 0 ? kWindowAngle / kinematics.step_angle : 1;
  const double longest = std::max(1.0, 0.25 * static_cast<double>(n - 1));
  const auto length = static_cast<std::size_t>(std::clamp(std::round(wanted), 1.0, longest));
  const std::vector<RateIntegrals> sums = integrate_rates(log.t, log.w);
  follow_rates(log, sums, kinematics);
  const double gap = kinematics.step * std::max(1.0, kCoarsestStep / std::max(kinematics.step_angle, 1e-9));
  const std::vector<Window> windows = windows_of(log, sums, length, gap);
  // best first; the assumed reading comes first among equals
  for (const bool other_order : {false, true}) {
    for (const bool other_direction : {false, true}) {
      for (const bool other_frame : {false, true}) {
        Convention convention = log.assumed;
        if (other_order) { convention.order = convention.order == Order::wxyz ? Order::xyzw : Order::wxyz; }
        if (other_direction) {
          convention.direction =
              convention.direction == Direction::body_to_space ? Direction::space_to_body : Direction::body_to_space;
        }
        if (other_frame) {
          convention.frame = convention.frame == RateFrame::body ? RateFrame::space : RateFrame::body;
        }
        if (other_order && log.mrp) { continue; }
        const ConventionFit fit =
            refined(log, fit_of(windows, convention, kinematics.step), kinematics.step, length, gap);
        const auto better = [](const ConventionFit& a, const ConventionFit& b) { return a.residual < b.residual; };
        kinematics.fits.insert(std::upper_bound(kinematics.fits.begin(), kinematics.fits.end(), fit, better), fit);
      }
    }
  }
  return kinematics;
}

}  // namespace polhode::audit
