#pragma once

#include "polhode/audit/log.h"
#include "polhode/math/matrix.h"
#include "polhode/motion/state.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace polhode::audit {

enum class Answer { yes, no, cannot_tell };
std::string_view to_string(Answer answer);

/// The answer to one question about a log.
struct Verdict {
  std::string name;      ///< "gyroscopic"
  std::string question;  ///< "is the gyroscopic term there?"
  Answer answer = Answer::cannot_tell;
  std::string reason;  ///< in words, with the numbers that decided
  std::string fault;   ///< what is wrong, one of kFaults; "" where nothing is, or where it follows from another fault
  std::vector<std::pair<std::string, double>> numbers{};
};

/// Every fault that has a name.
///   order         the scalar stands at the other end        direction     the quaternion is the conjugate
///   frame         rates in components of the other frame    units         rates or times in another unit
///   unrelated     attitudes and rates do not belong together norm         quaternions are not of unit length
///   attitude      the attitude turns faster or slower than the rates say, or stays while they turn it, or turns while
///                 they are zero
///   gyroscopic-missing, gyroscopic-sign                      inertia      another inertia moves like this
///   torque        no inertia moves like this                 damping, growth
///   accuracy      leaves the exact motion by more than the limit, and none of the above is the cause
inline constexpr std::string_view kFaults[] = {
    "order",           "direction", "frame",  "units",   "unrelated", "norm",    "attitude", "gyroscopic-missing",
    "gyroscopic-sign", "inertia",   "torque", "damping", "growth",    "accuracy"};

struct Request {
  std::optional<Mat3<double>> J_B{};  ///< without it the ratios of the moments are estimated from the motion
  bool degrees = false;               ///< the rates are in degree/s
  double drift = 1e-3;                ///< a relative change of energy or momentum over the log beyond this is a fault
  double error_limit = 0.1;           ///< rad
};

struct Report {
  std::size_t rows = 0;
  std::size_t repeated_rows = 0;  ///< that were left out
  double duration = 0;            ///< s
  double turns = 0;               ///< ∫|ω| dt/2π
  double rows_per_turn = 0;
  Convention assumed;
  Convention found;        ///< the way to read the columns that the rest is judged in
  double rate_factor = 1;  ///< logged rates were multiplied by this, or
  double time_factor = 1;  ///< logged times, to make both agree
  bool inertia_given = false;
  std::optional<Mat3<double>> J_B;  ///< the inertia that the rest is judged with; estimated: of norm 1
  std::vector<Verdict> verdicts;

  /// The log as it was found to be meant; empty where it could not be read.
  struct Motion {
    std::vector<double> t;
    std::vector<EulerParameters<double>> e_NB;
    std::vector<Vec3<double>> w_B;
  };
  Motion motion;
  /// Where the exact motion begins that the log is compared with.
  std::optional<MotionState<double>> exact_start;

  const Verdict& verdict(std::string_view name) const;
  std::vector<std::string> faults() const;
  /// Questions but that of the scheme that could not be answered.
  std::vector<std::string> open_questions() const;
  /// Both in one line.
  std::string conclusion() const;
};

/// Judges a log of one free body. Never fails: what cannot be judged is answered by `cannot_tell` and the reason.
Report audit(const RotationLog& log, const Request& request);

/// For people, with colours of a terminal where they are welcome; and one JSON object.
std::string to_text(const Report& report, const std::string& file, bool colour);
std::string to_json(const Report& report, const std::string& file);

}  // namespace polhode::audit
