#include "polhode/audit/audit.h"

#include "polhode/audit/dynamics.h"
#include "polhode/audit/exact_error.h"
#include "polhode/audit/integrals.h"
#include "polhode/audit/kinematics.h"
#include "polhode/audit/updates.h"
#include "polhode/math/symmetric_eigen.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace polhode::audit {
namespace {

constexpr double kTwoPi = 2 * math::kPi<double>;

// Below these nothing can be said, whatever the noise.
constexpr double kLeastTurn = 0.2;   // rad: the body must get this far from its first attitude
constexpr double kUnrelated = 0.25;  // part of the turns that the best reading may leave unexplained
// What is left of a right reading or a right inertia is noise and the error of the quadrature; a wrong one must stand
// out by a factor, or by a floor where there is no noise.
constexpr double kStandsOut = 3;
constexpr double kReadingFloor = 5e-3;
constexpr double kInertiaFloor = 5e-4;
constexpr double kFits = 0.02;             // an inertia that leaves more of the momentum over a turn does not fit
constexpr double kSameInertia = 0.02;      // distance of two inertias of norm 1 that count as the same
constexpr double kUnitTolerance = 0.02;    // of the factor between attitudes and rates
constexpr double kFollowTolerance = 3e-4;  // the same, once units are right
constexpr double kSignificant = 6;         // standard errors
constexpr double kBlind = 0.05;            // where a smaller change over the log would not be seen, nothing can be said
constexpr double kNormTolerance = 0.01;
constexpr double kFewestTurns = 2;         // that an estimated inertia or a direction in space must come from to judge
constexpr double kLeastLag = 0.05;         // steps: less is not worth a row at the end
constexpr double kFrozen = 1e-6;           // rad: no turn at all, but for rounding
constexpr double kSinglePrecision = 1e-7;  // many engines compute in it

double squared(double x) { return x * x; }

/// 1 : 1.23 : 1.5 of ascending moments.
std::string ratios(const Vec3<double>& moments) {
  return fmt::format("1 : {:.4g} : {:.4g}", moments.y / moments.x, moments.z / moments.x);
}
Vec3<double> moments_of(const Mat3<double>& J_B) {
  const SymmetricEigen<double, 3> eigen = symmetric_eigen(J_B);
  return {eigen.values[2], eigen.values[1], eigen.values[0]};
}
std::string percent(double part) { return fmt::format("{:.3g} %", 100 * part); }

/// A usual factor between logged and true rates. What is logged is multiplied by `times` and
/// divided by `by`: the one that is 1 or a whole number is exact.
struct KnownFactor {
  double rates_over_turns;
  std::string_view what;
  double rate_times = 1;
  double time_by = 1;
  double time_times = 1;
};
constexpr double kDegree = 57.295779513082321;
constexpr double kTurnsPerMinute = 9.5492965855137201;
constexpr std::array<KnownFactor, 18> kKnownFactors{{
    {kDegree, "the rates are in degree/s", 1 / kDegree},
    {1 / kDegree, "the rates were divided by 57.3 once too often: they are radians taken for degrees", kDegree},
    {kTurnsPerMinute, "the rates are in revolutions a minute", 1 / kTurnsPerMinute},
    {0.15915494309189534, "the rates are in revolutions a second", kTwoPi},
    {0.5, "the rates are half of what they should be: the factor 2 of w = 2 e* de/dt is missing", 2},
    {2, "the rates are twice what they should be: the factor 1/2 of de/dt = e w/2 is missing", 0.5},
    {1e3, "the times are in milliseconds", 1, 1e3},
    {1e6, "the times are in microseconds", 1, 1e6},
    {1e9, "the times are in nanoseconds", 1, 1e9},
    {1.0 / 60, "the times are in minutes", 1, 1, 60},
    {1.0 / 3600, "the times are in hours", 1, 1, 3600},
    {1e-3, "the times are in kiloseconds, or the rates in 1/ms", 1, 1, 1e3},
    {kDegree * 1e3, "the rates are in degree/s and the times in milliseconds", 1 / kDegree, 1e3},
    {kDegree * 1e6, "the rates are in degree/s and the times in microseconds", 1 / kDegree, 1e6},
    {kDegree * 1e9, "the rates are in degree/s and the times in nanoseconds", 1 / kDegree, 1e9},
    {kTurnsPerMinute * 1e3, "the rates are in revolutions a minute and the times in milliseconds", 1 / kTurnsPerMinute,
     1e3},
    {kTurnsPerMinute * 1e6, "the rates are in revolutions a minute and the times in microseconds", 1 / kTurnsPerMinute,
     1e6},
    {kTurnsPerMinute * 1e9, "the rates are in revolutions a minute and the times in nanoseconds", 1 / kTurnsPerMinute,
     1e9},
}};

/// The work of one audit.
class Referee {
 public:
  Referee(const RotationLog& log, const Request& request) : log_(log), request_(request) {}

  Report run() {
    find_rounding();
    if (request_.degrees) {
      for (Vec3<double>& w : log_.w) { w *= math::kPi<double> / 180; }
    }
    report_.rows = log_.size();
    report_.repeated_rows = log_.repeated_rows;
    report_.assumed = report_.found = log_.assumed;
    report_.inertia_given = request_.J_B.has_value();
    judge_norm();
    kinematics_ = compare_conventions(log_);
    put_units_right();
    find_roughness(log_.t, log_.w);
    judge_reading();
    if (readable_) {
      find_scheme();
      judge_rates();
      judge_conservation();
      judge_scheme();
      judge_accuracy();
    } else {
      for (const char* name : {"gyroscopic", "inertia", "energy", "momentum", "scheme", "accuracy"}) {
        add(name, Answer::cannot_tell, why_not_);
      }
    }
    sort_verdicts();
    report_.motion = {std::move(t_), std::move(e_NB_), std::move(w_B_)};
    return std::move(report_);
  }

 private:
  static std::string question(std::string_view name) {
    struct Asked {
      std::string_view name;
      std::string_view question;
    };
    static constexpr std::array<Asked, 12> kQuestions{{
        {"order", "is the scalar part of the quaternion where it was assumed?"},
        {"direction", "does the quaternion map as assumed?"},
        {"frame", "are the rates in the components assumed?"},
        {"units", "are rates and times in the units assumed?"},
        {"norm", "are the quaternions of unit length?"},
        {"attitude", "does the attitude follow the rates?"},
        {"gyroscopic", "is the gyroscopic term there?"},
        {"inertia", "do the rates move as the given inertia says?"},
        {"energy", "is the energy kept?"},
        {"momentum", "is the momentum kept, in size and direction?"},
        {"scheme", "can the update scheme be recognised?"},
        {"accuracy", "does the attitude stay near the exact motion?"},
    }};
    const auto* found =
        std::find_if(kQuestions.begin(), kQuestions.end(), [&](const Asked& asked) { return asked.name == name; });
    return std::string(found->question);
  }

  Verdict& add(const std::string& name, Answer answer, std::string reason, std::string fault = "") {
    report_.verdicts.push_back({name, question(name), answer, std::move(reason), std::move(fault), {}});
    return report_.verdicts.back();
  }

  /// In the order of the questions, which is that of causes before effects.
  void sort_verdicts() {
    constexpr std::array<std::string_view, 12> kOrder{"order",  "direction", "frame",      "units",
                                                      "norm",   "attitude",  "gyroscopic", "inertia",
                                                      "energy", "momentum",  "scheme",     "accuracy"};
    const auto rank = [&](const Verdict& verdict) { return std::find(kOrder.begin(), kOrder.end(), verdict.name); };
    std::sort(report_.verdicts.begin(), report_.verdicts.end(),
              [&](const Verdict& a, const Verdict& b) { return rank(a) < rank(b); });
  }

  void judge_norm() {
    double worst = 0;
    for (const std::array<double, 4>& q : log_.q) {
      const double size = std::sqrt(squared(q[0]) + squared(q[1]) + squared(q[2]) + squared(q[3]));
      worst = std::max(worst, std::fabs(size - 1));
    }
    const bool unit = worst <= kNormTolerance;
    Verdict& verdict =
        add("norm", unit ? Answer::yes : Answer::no,
            fmt::format("| |q| - 1 | is {:.2g} at most{}", worst, unit ? "" : "; the rest is judged after normalising"),
            unit ? "" : "norm");
    verdict.numbers.emplace_back("largest_norm_error", worst);
  }

  // ---- how to read the columns -------------------------------------------------------------------

  /// Rates or times in a known unit are put into rad/s and s, by the exact factor, and all is compared again.
  void put_units_right() {
    const ConventionFit& best = kinematics_.fits.front();
    // where the body hardly turns, noise could be taken for a small factor
    const bool turns =
        (kinematics_.largest_turn >= kLeastTurn || best.scale < 0.2) && kinematics_.step_angle <= kCoarsestStep;
    const bool certain = best.residual <= kUnrelated && 3 * best.scale_error < kUnitTolerance * best.scale;
    unit_ = turns && certain ? known_factor(best.scale) : nullptr;
    if (unit_ == nullptr) { return; }
    for (double& t : log_.t) { t = t * unit_->time_times / unit_->time_by; }
    for (Vec3<double>& w : log_.w) { w *= unit_->rate_times; }
    report_.rate_factor = unit_->rate_times;
    report_.time_factor = unit_->time_times / unit_->time_by;
    logged_over_true_ = 1 / best.scale;
    kinematics_ = compare_conventions(log_);
  }

  /// The unit that turns `scale` times as fast as the rates say point to; nullptr where they point to none, or agree.
  const KnownFactor* known_factor(double scale) const {
    const auto agrees = [&](double factor) { return std::fabs(scale * factor - 1) < kUnitTolerance; };
    const auto agrees_to_first_order = [&](double factor) {
      return loses_first_order(scale * factor, kinematics_.logged_angle / factor);
    };
    if (agrees(1) || agrees_to_first_order(1)) { return nullptr; }
    for (const KnownFactor& known : kKnownFactors) {
      if (agrees(known.rates_over_turns)) { return &known; }
    }
    for (const KnownFactor& known : kKnownFactors) {
      if (agrees_to_first_order(known.rates_over_turns)) { return &known; }
    }
    return nullptr;
  }

  /// Rounding to few digits is no noise: neighbouring rows have the same error.
  void find_rounding() {
    double square = 0;
    for (const Vec3<double>& w : log_.w) { square += norm_squared(w) / static_cast<double>(log_.w.size()); }
    if (square > 0) { rounding_ = rounding_of(log_.w) / std::sqrt(square); }
    std::vector<Vec3<double>> parts;
    parts.reserve(log_.size());
    for (const std::array<double, 4>& q : log_.q) { parts.push_back({q[0], q[1], q[2]}); }
    attitude_rounding_ = rounding_of(parts);
  }

  void find_roughness(const std::vector<double>& t, const std::vector<Vec3<double>>& w) {
    double square = 0;
    for (const Vec3<double>& each : w) { square += norm_squared(each) / static_cast<double>(w.size()); }
    if (square > 0) { roughness_ = std::max(roughness_, roughness_of(t, w) / std::sqrt(square)); }
  }

  /// What attitudes and rates say that cannot both be true, or "".
  std::string contradiction() const {
    if (kinematics_.largest_turn >= kLeastTurn && !(kinematics_.rate_sum > 0)) {
      return fmt::format("the attitude turns by up to {:.3g} rad, and all rates are zero", kinematics_.largest_turn);
    }
    const double least = std::max(3 * kLeastTurn, kStandsOut * kinematics_.largest_turn);
    const bool rates_turn = kinematics_.logged_angle <= kCoarsestStep && kinematics_.rate_turn > least &&
                            kinematics_.rate_sum > kSignificant * kinematics_.rate_walk;
    if (kinematics_.largest_turn < kLeastTurn && rates_turn) {
      return fmt::format("the attitude {}, while the rates add up to {:.3g} rad",
                         kinematics_.largest_turn < kFrozen
                             ? std::string("stays as it is in the first row")
                             : fmt::format("turns by no more than {:.2g} rad in all", kinematics_.largest_turn),
                         kinematics_.rate_sum);
    }
    return "";
  }

  /// "" or why attitudes and rates cannot be compared.
  std::string why_unreadable() const {
    if (kinematics_.largest_turn < kLeastTurn) {
      return fmt::format("the body turns by no more than {:.2g} rad in all", kinematics_.largest_turn);
    }
    if (kinematics_.step_angle > kCoarsestStep) {
      return fmt::format("there are only {:.2g} rows a turn; at least {:.0f} are needed",
                         kTwoPi / kinematics_.step_angle, std::ceil(kTwoPi / kCoarsestStep));
    }
    if (kinematics_.logged_angle > kCoarsestStep) {
      return fmt::format("by the rates the body turns {:.2g} rad between rows; at most {:.2g} can be followed",
                         kinematics_.logged_angle, kCoarsestStep);
    }
    return "";
  }

  void judge_reading() {
    constexpr std::array<const char*, 4> kNames{"order", "direction", "frame", "units"};
    const ConventionFit& best = kinematics_.fits.front();
    why_not_ = contradiction();
    bool unrelated = !why_not_.empty();
    const char* fault = unrelated ? "attitude" : "unrelated";
    if (why_not_.empty()) { why_not_ = why_unreadable(); }
    if (why_not_.empty() && best.residual > kUnrelated) {
      unrelated = best.residual > kUnrelated + kSignificant * roughness_;
      why_not_ = fmt::format(
          "in no reading do attitudes and rates belong together: the best leaves {} of the turns unexplained{}",
          percent(best.residual),
          unrelated ? "" : fmt::format("; but between rows the rates are known to {} only", percent(roughness_)));
    }
    readable_ = why_not_.empty();
    if (!readable_) {
      for (const char* name : kNames) {
        if (unit_ == nullptr || std::string_view(name) != "units") { add(name, Answer::cannot_tell, why_not_); }
      }
      if (unit_ != nullptr) { blame_units(logged_over_true_); }
      add("attitude", unrelated ? Answer::no : Answer::cannot_tell, why_not_, unrelated ? fault : "");
      return;
    }

    std::vector<ConventionFit> matching;
    for (const ConventionFit& fit : kinematics_.fits) {
      if (squared(fit.residual) <= squared(kStandsOut * best.residual) + squared(kReadingFloor)) {
        matching.push_back(fit);
      }
    }
    fit_ = matching.front();
    for (const ConventionFit& fit : matching) {
      if (fit.convention == log_.assumed) { fit_ = fit; }
    }
    report_.found = fit_.convention;

    judge_part("order", matching, [](const Convention& c) { return c.order; });
    judge_part("direction", matching, [](const Convention& c) { return c.direction; });
    judge_part("frame", matching, [](const Convention& c) { return c.frame; });
    judge_units();
  }

  /// One of order, direction and frame: what the readings that match agree on.
  template <class Part>
  void judge_part(const char* name, const std::vector<ConventionFit>& matching, const Part& part) {
    const auto assumed = part(log_.assumed);
    double right = 1;
    double wrong = 1;
    for (const ConventionFit& fit : kinematics_.fits) {
      double& least = part(fit.convention) == assumed ? right : wrong;
      least = std::min(least, fit.residual);
    }
    const auto agrees = [&](const ConventionFit& fit) { return part(fit.convention) == assumed; };
    const bool all = std::all_of(matching.begin(), matching.end(), agrees);
    const bool none = std::none_of(matching.begin(), matching.end(), agrees);
    const std::string values = fmt::format("read so, {} of the turns are left unexplained; read the other way, {}",
                                           percent(right), percent(wrong));
    Verdict& verdict =
        all    ? add(name, Answer::yes, fmt::format("it is {}: {}", to_string(assumed), values))
        : none ? add(name, Answer::no,
                     fmt::format("it is {}, not {}: {}", to_string(part(fit_.convention)), to_string(assumed), values),
                     name)
               : add(name, Answer::cannot_tell, fmt::format("both fit this motion: {}", values));
    verdict.numbers = {{"unexplained_as_assumed", right}, {"unexplained_otherwise", wrong}};
    if (log_.mrp && std::string_view(name) == "order") {
      verdict.reason = "modified Rodrigues parameters have no scalar part";
      verdict.numbers.clear();
    }
  }

  /// By how much the turn of a first-order step e + ½ h e ω, normalised, is too small: 1 − 2 atan(θ/2)/θ.
  static double first_order_loss(double theta) { return theta > 0 ? 1 - 2 * math::atan2(0.5 * theta, 1.0) / theta : 0; }
  /// Whether an attitude that turns `scale` times as fast as the rates say loses what a first-order step loses.
  static bool loses_first_order(double scale, double theta) {
    const double loss = first_order_loss(theta);
    return theta <= kCoarsestStep && loss > kFollowTolerance && std::fabs((1 - scale) / loss - 1) < 0.3;
  }

  void blame_units(double factor) {
    add("units", Answer::no,
        fmt::format(
            "rates are {:.5g} times what the attitudes turn by{}{}; the rest is judged after putting that right",
            factor, unit_ != nullptr ? ": " : "", unit_ != nullptr ? unit_->what : ""),
        "units")
        .numbers.emplace_back("rates_over_turns", factor);
  }

  void judge_units() {
    const double factor = 1 / fit_.scale;
    const double off = std::fabs(factor - 1);
    const bool follows = off <= kUnitTolerance || loses_first_order(fit_.scale, kinematics_.logged_angle);
    if (unit_ != nullptr) {
      blame_units(logged_over_true_);
    } else if (follows || off <= kUnitTolerance + kSignificant * std::max(roughness_, fit_.scale_error)) {
      add("units", follows ? Answer::yes : Answer::cannot_tell,
          fmt::format("rates are {:.5g} times what the attitudes turn by{}", factor,
                      follows ? "" : "; they are not known well enough to tell"))
          .numbers.emplace_back("rates_over_turns", factor);
    } else {
      report_.rate_factor = fit_.scale;
      for (Vec3<double>& w : log_.w) { w *= fit_.scale; }
      blame_units(factor);
      add("attitude", Answer::yes, "it does, up to that factor");
      prepare();
      return;
    }
    prepare();
    judge_following();
  }

  void judge_following() {
    const double off = fit_.scale - 1;
    const double loss = first_order_loss(kinematics_.logged_angle);
    const double tolerance = kFollowTolerance + squared(squared(kinematics_.step_angle)) / 50;
    const double noise = kSignificant * fit_.scale_error + kStandsOut * roughness_;
    std::string how =
        fmt::format("the attitude turns {} {} than the rates say ({} at least would be seen)", percent(std::fabs(off)),
                    off < 0 ? "slower" : "faster", percent(std::max(tolerance, noise)));
    if (lags_) {
      how += fmt::format("; the rates are those of {:.3g} steps {}", std::fabs(fit_.lag),
                         fit_.lag > 0 ? "earlier" : "later");
    }
    // an engine may turn the body by the rate of one end of the step, which is not what the rates add up to
    const UpdateFit& step = attitude_fits_.front();
    if (step.name.starts_with("exponential") && step.residual < 0.1 * kFollowTolerance) {
      add("attitude", Answer::yes,
          fmt::format("each row is the one before {}, to {:.2g} of the turn", step.summary, step.residual))
          .numbers = {
          {"scale", fit_.scale}, {"scale_error", fit_.scale_error}, {"roughness", roughness_}, {"lag_steps", fit_.lag}};
      return;
    }
    const bool wrong = std::fabs(off) > tolerance && std::fabs(off) > noise;
    const bool blind = noise > kUnitTolerance || std::fabs(off) > tolerance;
    Verdict& verdict =
        wrong   ? add("attitude", Answer::no,
                    loses_first_order(fit_.scale, kinematics_.logged_angle)
                          ? fmt::format("{}; a first-order update e + h/2 e w would lose {}", how, percent(loss))
                          : how,
                      "attitude")
        : blind ? add("attitude", Answer::cannot_tell, fmt::format("the rates are not known well enough: {}", how))
                : add("attitude", Answer::yes, how);
    verdict.numbers = {
        {"scale", fit_.scale}, {"scale_error", fit_.scale_error}, {"roughness", roughness_}, {"lag_steps", fit_.lag}};
  }

  // ---- how the rates change ----------------------------------------------------------------------

  /// Times, attitudes and body rates as they are judged from here on. Rates that lag are taken at the times of their
  /// rows, unless a step of an engine explains the rows by their own rates as well: such a step only looks like a lag.
  void prepare() {
    read_rows(log_);
    attitude_fits_ = attitude_updates(t_, e_NB_, w_B_);
    if (std::fabs(fit_.lag) >= kLeastLag) {
      const RotationLog shifted = without_lag(log_, fit_.lag * kinematics_.step);
      if (shifted.size() >= kFewestRows) {
        read_rows(shifted);
        const std::vector<UpdateFit> fits = attitude_updates(t_, e_NB_, w_B_);
        const auto exact = std::find_if(fits.begin(), fits.end(), [](const UpdateFit& f) { return f.name == "exact"; });
        lags_ = exact->residual < attitude_fits_.front().residual;
        if (lags_) {
          attitude_fits_ = fits;
          lost_at_start_ = shifted.t.front() - log_.t.front();
        } else {
          read_rows(log_);
        }
      }
    }
    for (std::size_t k = 1; k < t_.size(); ++k) {
      report_.turns += 0.5 * (norm(w_B_[k]) + norm(w_B_[k - 1])) * (t_[k] - t_[k - 1]) / kTwoPi;
    }
    report_.duration = t_.back();
    report_.rows_per_turn = static_cast<double>(t_.size() - 1) / report_.turns;
    find_roughness(t_, w_B_);
  }

  void read_rows(const RotationLog& log) {
    const std::size_t n = log.size();
    t_.resize(n);
    e_NB_.resize(n);
    w_B_.resize(n);
    for (std::size_t k = 0; k < n; ++k) {
      t_[k] = log.t[k] - log.t[0];
      e_NB_[k] = attitude_as(report_.found, log.q[k]);
      w_B_[k] = report_.found.frame == RateFrame::body ? log.w[k] : rotate_back(e_NB_[k], log.w[k]);
    }
    make_continuous(std::span<EulerParameters<double>>(e_NB_));
  }

  void judge_rates() {
    // Euler's equations of body rates need no attitude: a lag does not matter to them, and interpolation would
    const bool as_logged = lags_ && report_.found.frame == RateFrame::body;
    const RateEquations equations = as_logged ? RateEquations(log_.t, log_.w) : RateEquations(t_, w_B_);
    const RateEquations::Fit& fit = equations.fit();
    unexplained_ = fit.residual;
    const double fits_squared = squared(kInertiaFloor) + squared(kStandsOut * fit.residual);
    const double floor_squared = fits_squared + squared(kTwoPi * roughness_);  // over a turn
    const auto matches = [&](double residual) { return squared(residual) <= floor_squared; };
    const bool determined = squared(fit.second) > 25 * floor_squared / squared(kStandsOut) && fit.moments.x > 0;
    const std::string estimate = determined ? fmt::format("moments {} fit best", ratios(fit.moments))
                                            : std::string("the motion does not determine the inertia");
    const auto numbers = [&](Verdict& verdict) {
      if (!determined) { return; }
      verdict.numbers.emplace_back("estimated_moment_2_over_1", fit.moments.y / fit.moments.x);
      verdict.numbers.emplace_back("estimated_moment_3_over_1", fit.moments.z / fit.moments.x);
    };

    if (!request_.J_B) {
      const bool constant = matches(equations.residual(identity<double, 3>(), 0));
      if (constant) { report_.J_B = identity<double, 3>(); }
      if (determined && !constant) {
        report_.J_B = fit.J_B;
        estimate_error_ = fit.residual / fit.second;
      }
      add("gyroscopic", Answer::cannot_tell,
          constant
              ? "the body rate does not change: a body without the term moves so, and so does a sphere or a spin about "
                "a principal axis; --inertia would tell"
              : fmt::format("the body rate changes as that of a free body ({}), but a term of the wrong sign looks "
                            "like a body with other moments; --inertia would tell",
                            estimate));
      numbers(add("inertia", Answer::cannot_tell, fmt::format("no inertia is given; {}", estimate)));
      return;
    }

    const Mat3<double>& J_B = *request_.J_B;
    report_.J_B = J_B;
    const double free = equations.residual(J_B, 1);
    unexplained_ = free;
    const double missing = equations.residual(J_B, 0);
    const double reversed = equations.residual(J_B, -1);
    const std::string values = fmt::format(
        "of the momentum over a turn Euler's equations leave {} unexplained, without the term {}, with the wrong sign "
        "{}",
        percent(free), percent(missing), percent(reversed));
    // an inertia that is right but for the error of the engine's own step
    const double distance = frobenius_norm((1 / frobenius_norm(J_B)) * J_B - fit.J_B);
    const bool near = determined && distance < kSameInertia && free < missing / kStandsOut;
    if (matches(free) && matches(missing)) {
      add("gyroscopic", Answer::cannot_tell,
          fmt::format("it makes no difference to this motion that could be seen: the body rate does not change, as "
                      "about a principal axis, by more than {} a turn ({})",
                      percent(std::sqrt(floor_squared)), values));
      add("inertia", Answer::cannot_tell, "the body rate does not change enough, which many bodies allow");
    } else if (squared(free) <= fits_squared || near) {
      add("gyroscopic", Answer::yes, values);
      add("inertia", Answer::yes, fmt::format("given {}; {}", ratios(moments_of(J_B)), estimate));
    } else if (const std::string step = step_with_term(); !step.empty()) {
      add("gyroscopic", Answer::yes, fmt::format("{}; {}", step, values));
      add("inertia", Answer::yes, fmt::format("given {}; {}", ratios(moments_of(J_B)), step));
    } else if (matches(free)) {
      const std::string open =
          fmt::format("between rows the rates are known to {} only: {}", percent(roughness_), values);
      add("gyroscopic", Answer::cannot_tell, open);
      add("inertia", Answer::cannot_tell, open);
    } else if (matches(missing)) {
      add("gyroscopic", Answer::no, fmt::format("it is missing: the body rate stays ({})", values),
          "gyroscopic-missing");
      add("inertia", Answer::cannot_tell, "without the gyroscopic term the inertia does not show");
    } else if (matches(reversed)) {
      add("gyroscopic", Answer::no, fmt::format("it has the wrong sign: {}", values), "gyroscopic-sign");
      add("inertia", Answer::cannot_tell, "with the sign put right the given inertia fits");
    } else if (determined && fit.residual < std::min(free / kStandsOut, kFits)) {
      add("gyroscopic", Answer::cannot_tell,
          fmt::format("the given inertia does not fit with or without it: {}", values));
      add("inertia", Answer::no,
          fmt::format("given {} leaves {}; {} and leaves {}", ratios(moments_of(J_B)), percent(free), estimate,
                      percent(fit.residual)),
          "inertia");
      judged_inertia_ = fit.J_B;
    } else {
      add("gyroscopic", Answer::cannot_tell, fmt::format("no inertia moves like this: {}", values));
      add("inertia", Answer::no,
          fmt::format("no inertia moves like this: the given one leaves {}, the best {}; a torque acts, the engine "
                      "errs, or the rates are "
                      "not those of one free body",
                      percent(free), percent(fit.residual)),
          "torque");
    }
    Verdict& inertia = report_.verdicts.back();
    inertia.numbers = {{"unexplained_given", free},
                       {"unexplained_without_term", missing},
                       {"unexplained_wrong_sign", reversed},
                       {"unexplained_best", fit.residual}};
    numbers(inertia);
  }

  // ---- what is kept ------------------------------------------------------------------------------

  void judge_conservation() {
    const std::optional<Mat3<double>> J_B = judged_inertia_ ? judged_inertia_ : report_.J_B;
    if (!J_B) {
      for (const char* name : {"energy", "momentum"}) {
        add(name, Answer::cannot_tell, "no inertia is given, and the motion does not determine it");
      }
      return;
    }
    if (!report_.inertia_given && report_.turns < kFewestTurns) {
      for (const char* name : {"energy", "momentum"}) {
        add(name, Answer::cannot_tell,
            fmt::format("the inertia is estimated, and {:.2g} turns are too few for that", report_.turns));
      }
      return;
    }
    std::vector<double> energy(t_.size());
    std::vector<double> momentum(t_.size());
    for (std::size_t k = 0; k < t_.size(); ++k) {
      const Vec3<double> h_B = *J_B * w_B_[k];
      energy[k] = math::log(std::max(dot(w_B_[k], h_B), 1e-300));
      momentum[k] = math::log(std::max(norm(h_B), 1e-300));
    }
    judge_trend("energy", energy);
    judge_trend("momentum", momentum);
    judge_direction(*J_B);
  }

  /// The direction of the momentum in space, as part of the question about momentum: a torque across the momentum turns
  /// it and leaves its size.
  ///
  ///   n = h_N/|h_N|,   h_N = R_NB J ω'           constant for a free body; its straight trend decides (AUD-10)
  void judge_direction(const Mat3<double>& J_B) {
    const std::size_t n = t_.size();
    std::array<std::vector<double>, 3> parts;
    for (std::vector<double>& part : parts) { part.reserve(n); }
    for (std::size_t k = 0; k < n; ++k) {
      const Vec3<double> h_N = rotate(e_NB_[k], J_B * w_B_[k]);
      const Vec3<double> direction_N = h_N / std::max(norm(h_N), 1e-300);
      parts[0].push_back(direction_N.x);
      parts[1].push_back(direction_N.y);
      parts[2].push_back(direction_N.z);
    }
    double turn_squared = 0;
    double error_squared = 0;
    for (const std::vector<double>& part : parts) {
      const Trend trend = trend_of(t_, part);
      turn_squared += squared(trend.slope * report_.duration);
      error_squared += squared(trend.error * report_.duration);
    }
    const double turn = std::sqrt(turn_squared);
    // a small error of the inertia makes the direction nod, which a short log shows as a trend
    const double noise = kSignificant * (std::sqrt(error_squared) + 2 * rounding_ + 2 * attitude_rounding_) +
                         4 * roughness_ + 2 * estimate_error_ + kStandsOut * unexplained_;
    Verdict& verdict = report_.verdicts.back();
    verdict.numbers.emplace_back("direction_change_rad", turn);
    verdict.reason += fmt::format("; its direction in space turns by {:.2g} rad ({:.2g} rad at least would be seen)",
                                  turn, std::max(request_.drift, noise));
    const bool blind = noise > kBlind;
    if (verdict.answer != Answer::yes || !(turn > request_.drift || blind)) { return; }
    // read in another way the log would have another direction
    const bool certain = std::none_of(report_.verdicts.begin(), report_.verdicts.end(), [](const Verdict& v) {
      const bool reading = v.name == "order" || v.name == "direction" || v.name == "frame" || v.name == "attitude";
      return reading && v.answer == Answer::cannot_tell;
    });
    if (!(turn > noise) || !certain || !report_.inertia_given || report_.turns < kFewestTurns) {
      verdict.answer = Answer::cannot_tell;
      verdict.reason += "; noise, another reading or a small error of the inertia would do the same";
      return;
    }
    verdict.answer = Answer::no;
    if (report_.faults().empty()) {
      verdict.reason += "; a torque acts across it, or the engine errs";
      verdict.fault = "torque";
    }
  }

  void judge_trend(const char* name, const std::vector<double>& logarithms) {
    const Trend trend = trend_of(t_, logarithms);
    const double fitted = trend.slope * report_.duration;
    // over less than a few turns a small error of the inertia looks like a trend; a known step explains its own
    // error
    const bool stepped = rate_ && rate_->name != "exact" && !step_with_term().empty();
    const double nodding = report_.turns < kFewestTurns && !stepped ? kStandsOut * unexplained_ : 0;
    // a block of rows has one rounding error in common at worst, and energy twice the relative error of the rates
    const double noise = kSignificant * (trend.error * report_.duration + 2 * rounding_) + 4 * roughness_ +
                         2 * estimate_error_ + nodding;
    const bool drifts = std::fabs(fitted) > request_.drift && std::fabs(fitted) > noise;
    const double change = math::exp(logarithms.back() - logarithms.front()) - 1;
    const std::string how = fmt::format(
        "from the first row to the last it changes by {:.3g} %; fitted over all rows it changes at {:.3g} 1/s, {:.3g} "
        "% a turn ({:.2g} % over the log at least would be seen)",
        100 * change, trend.slope, 100 * (math::exp(fitted / report_.turns) - 1),
        100 * std::max(request_.drift, noise));
    const bool blind = noise > kBlind || std::fabs(fitted) > request_.drift;
    const bool first = std::string_view(name) == "energy" || report_.verdicts.back().fault.empty();
    Verdict& verdict = drifts  ? add(name, Answer::no, how, first ? (fitted < 0 ? "damping" : "growth") : "")
                       : blind ? add(name, Answer::cannot_tell, fmt::format("it varies too much: {}", how))
                               : add(name, Answer::yes, how);
    verdict.numbers = {{"relative_change", change},
                       {"fitted_change", math::exp(fitted) - 1},
                       {"rate_per_second", trend.slope},
                       {"rate_error", trend.error}};
  }

  // ---- which scheme, how good --------------------------------------------------------------------

  /// Of fits, best first: those that cannot be told from the best.
  static std::vector<UpdateFit> nearest(const std::vector<UpdateFit>& fits) {
    std::vector<UpdateFit> group;
    for (const UpdateFit& fit : fits) {
      if (fit.residual <= kStandsOut * fits.front().residual + kSinglePrecision) { group.push_back(fit); }
    }
    return group;
  }
  static bool holds(const std::vector<UpdateFit>& group, std::string_view name) {
    return std::any_of(group.begin(), group.end(), [&](const UpdateFit& fit) { return fit.name == name; });
  }
  static std::string names_of(const std::vector<UpdateFit>& group) {
    std::string text;
    for (const UpdateFit& fit : group) { text += fmt::format("{}{}", text.empty() ? "" : ", ", fit.name); }
    return text;
  }
  /// One fit that stands out, or the exact one where only accurate ones fit; nothing where the best cannot be told from
  /// another.
  static std::optional<UpdateFit> recognised(const std::vector<UpdateFit>& group) {
    if (group.size() == 1) { return group.front(); }
    const auto accurate = [](const UpdateFit& fit) {
      return fit.name == "exact" || fit.name == "exponential-mean" || fit.name == "momentum";
    };
    const auto exact =
        std::find_if(group.begin(), group.end(), [](const UpdateFit& fit) { return fit.name == "exact"; });
    if (exact != group.end() && std::all_of(group.begin(), group.end(), accurate)) { return *exact; }
    return std::nullopt;
  }
  /// Where the rate is constant, old, new and mean rate are the same.
  static std::optional<UpdateFit> recognised_at_constant_rate(const std::vector<UpdateFit>& group) {
    const auto first_order = [](const UpdateFit& fit) { return fit.name.starts_with("first-order"); };
    if (std::all_of(group.begin(), group.end(), first_order)) {
      return UpdateFit{.name = "first-order", .summary = "e + h/2 e w, normalised"};
    }
    if (std::none_of(group.begin(), group.end(), first_order)) {
      return UpdateFit{.name = "exponential", .summary = "turned by h times the rate"};
    }
    return std::nullopt;
  }

  void find_scheme() {
    if (request_.J_B) { rate_fits_ = rate_updates(t_, e_NB_, w_B_, *request_.J_B); }
    rates_ = nearest(rate_fits_);
    rate_ = recognised(rates_);
  }

  /// Where each row follows from the one before by a step that has the gyroscopic term: in words; otherwise "".
  std::string step_with_term() const {
    if (!rate_ || rate_->name == "constant") { return ""; }
    const auto constant =
        std::find_if(rate_fits_.begin(), rate_fits_.end(), [](const UpdateFit& fit) { return fit.name == "constant"; });
    if (rate_->residual > kFits * constant->residual) { return ""; }
    return fmt::format(
        "each row follows from the one before by the step '{}' of the given inertia, to {:.2g} of the rate",
        rate_->name, rate_->residual);
  }

  void judge_scheme() {
    if (judged_inertia_) {
      rates_.clear();
      rate_.reset();
    } else if (!request_.J_B && report_.J_B) {
      rates_ = nearest(rate_updates(t_, e_NB_, w_B_, *report_.J_B));
      rate_ = recognised(rates_);
    }
    const std::vector<UpdateFit>& rates = rates_;
    const std::optional<UpdateFit>& rate = rate_;
    const std::vector<UpdateFit> attitudes = nearest(attitude_fits_);
    const bool constant = rate && rate->name == "constant";
    const std::optional<UpdateFit> attitude = constant ? recognised_at_constant_rate(attitudes) : recognised(attitudes);

    std::string text = attitude ? fmt::format("attitude: {} ({})", attitude->name, attitude->summary)
                                : fmt::format("attitude: cannot tell {} apart", names_of(attitudes));
    text += rate            ? fmt::format("; rates: {} ({})", rate->name, rate->summary)
            : rates.empty() ? std::string("; rates: needs the inertia")
                            : fmt::format("; rates: cannot tell {} apart", names_of(rates));
    const bool known = attitude && rate;
    const std::string scheme = known ? scheme_name(rate->name, attitude->name) : "";
    if (!scheme.empty()) { text += fmt::format("; this is the scheme '{}' (polhode list schemes)", scheme); }
    if (!known) { text += "; each row must be one step of the engine, and the noise below its error"; }
    Verdict& verdict = add("scheme", known ? Answer::yes : Answer::cannot_tell, text);
    verdict.numbers.emplace_back("attitude_residual", attitudes.front().residual);
    if (!rates.empty()) { verdict.numbers.emplace_back("rate_residual", rates.front().residual); }
  }

  /// Name of formulation/schemes.def, or "".
  static std::string scheme_name(std::string_view rates, std::string_view attitude) {
    if (rates == "momentum" && attitude == "first-order-old") { return "world"; }
    if (rates == "momentum" && attitude == "first-order-new") { return "world, implicit"; }
    if (rates == "explicit" && attitude == "first-order-new") { return "body"; }
    if (rates == "implicit" && attitude == "first-order-new") { return "body, implicit"; }
    if (rates == "constant" && attitude.starts_with("first-order")) { return "body-no-gyro"; }
    return "";
  }

  void judge_accuracy() {
    const bool estimated = !report_.inertia_given;
    if (!report_.J_B) {
      add("accuracy", Answer::cannot_tell, "no inertia is given, and the motion does not determine it");
      return;
    }
    const ExactError error = exact_error(t_, e_NB_, w_B_, *report_.J_B, request_.error_limit, roughness_);
    if (!error.known) {
      add("accuracy", Answer::cannot_tell, "no exact motion could be fitted to the start of the log");
      return;
    }
    report_.exact_start = error.start;
    const std::string whose = estimated ? "of a body with the estimated moments" : "of the given body";
    const bool passes = error.passes_at >= 0;
    std::string how =
        fmt::format("against the exact motion {} the attitude error is {:.3g} rad at most, {:.3g} rad at the end",
                    whose, error.largest, error.at_end);
    how += passes ? fmt::format("; it passes {:g} rad at t = {:.6g} s after the first row", request_.error_limit,
                                lost_at_start_ + error.passes_at)
                  : fmt::format("; it never passes {:g} rad", request_.error_limit);
    const bool certain = !passes
                             ? 3 * error.uncertainty <= request_.error_limit && error.start_off <= request_.error_limit
                             : kSignificant * error.passes_uncertainty <= request_.error_limit;
    Verdict* verdict = nullptr;
    if (!certain || (estimated && passes)) {
      verdict =
          &add("accuracy", Answer::cannot_tell,
               fmt::format("{}; {}", how,
                           certain ? "estimated moments are not exact"
                                   : fmt::format("from the noise of its start the exact motion is known to {:g} rad "
                                                 "until t = {:.4g} s only",
                                                 request_.error_limit, lost_at_start_ + error.certain_until)));
    } else if (!passes) {
      verdict = &add("accuracy", Answer::yes, how);
    } else {
      const bool explained = !report_.faults().empty();
      verdict = &add("accuracy", Answer::no, explained ? how + "; this follows from the faults above" : how,
                     explained ? "" : "accuracy");
    }
    verdict->numbers = {{"largest_rad", error.largest},
                        {"end_rad", error.at_end},
                        {"uncertainty_rad", error.uncertainty},
                        {"passes_limit_at_s", passes ? lost_at_start_ + error.passes_at : std::nan("")}};
  }

  RotationLog log_;
  const Request& request_;
  Report report_;
  Kinematics kinematics_;
  ConventionFit fit_;
  bool readable_ = false;
  std::string why_not_;
  const KnownFactor* unit_ = nullptr;  ///< of rates or times, where it is another than assumed
  double logged_over_true_ = 1;        ///< rates over turns before units were put right
  bool lags_ = false;                  ///< the rates were taken at other times than those of their rows
  double lost_at_start_ = 0;           ///< from the first row of the log to the first that is judged, s
  double estimate_error_ = 0;          ///< relative, of an estimated inertia
  double rounding_ = 0;                ///< standard error of the rates by their decimals, relative to their rms
  double attitude_rounding_ = 0;       ///< of a component of the quaternions by their decimals
  double unexplained_ = 0;  ///< of the momentum over a turn, by Euler's equations with the given or estimated inertia
  double roughness_ = 0;    ///< of the rates between rows, relative to their rms (AUD-8)
  std::vector<double> t_;
  std::vector<EulerParameters<double>> e_NB_;
  std::vector<Vec3<double>> w_B_;
  std::vector<UpdateFit> attitude_fits_;        ///< best first
  std::vector<UpdateFit> rate_fits_;            ///< with the given inertia, best first
  std::vector<UpdateFit> rates_;                ///< those that cannot be told from the best
  std::optional<UpdateFit> rate_;               ///< the one that is recognised
  std::optional<Mat3<double>> judged_inertia_;  ///< estimated, where the given one is wrong
};

}  // namespace

std::string_view to_string(Answer answer) {
  return answer == Answer::yes ? "yes" : answer == Answer::no ? "no" : "cannot tell";
}

const Verdict& Report::verdict(std::string_view name) const {
  const auto at = std::find_if(verdicts.begin(), verdicts.end(), [&](const Verdict& v) { return v.name == name; });
  if (at == verdicts.end()) {
    std::vector<std::string_view> known;
    known.reserve(verdicts.size());
    for (const Verdict& v : verdicts) { known.push_back(v.name); }
    fail(Error(unknown_name("verdict", name, known)));
  }
  return *at;
}

std::vector<std::string> Report::faults() const {
  std::vector<std::string> names;
  for (const Verdict& verdict : verdicts) {
    const bool is_new = std::find(names.begin(), names.end(), verdict.fault) == names.end();
    if (!verdict.fault.empty() && is_new) { names.push_back(verdict.fault); }
  }
  return names;
}

std::vector<std::string> Report::open_questions() const {
  std::vector<std::string> names;
  for (const Verdict& verdict : verdicts) {
    if (verdict.answer == Answer::cannot_tell && verdict.name != "scheme") { names.push_back(verdict.name); }
  }
  return names;
}

std::string Report::conclusion() const {
  if (!faults().empty()) { return fmt::format("faults: {}", fmt::join(faults(), ", ")); }
  const std::vector<std::string> open = open_questions();
  return open.empty() ? std::string("no fault found")
                      : fmt::format("no fault found, but cannot tell: {}", fmt::join(open, ", "));
}

Report audit(const RotationLog& log, const Request& request) { return Referee(log, request).run(); }

}  // namespace polhode::audit
