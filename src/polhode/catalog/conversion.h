#pragma once

#include "polhode/catalog/representations.h"

#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace polhode::catalog {

/// What the rate columns of a row are.
enum class Rates {
  none,    ///< there are none
  values,  ///< time derivatives of the values: angle rates, quaternion rates
  body,    ///< angular velocity, body components
  space    ///< angular velocity, space components
};

/// "none", "values", "body", "space"; fails naming the nearest.
Rates rates_named(std::string_view name);

/// What the attitude is used for, other than to be written.
enum class Turning {
  none,
  vector,  ///< three components
  point    ///< three coordinates; the row has the place of the body's origin before them
};
enum class Direction { body_to_space, space_to_body };
/// "body-to-space", "space-to-body"; fails naming the nearest.
Direction direction_named(std::string_view name);

/// From one row of numbers to another.
struct ConversionPlan {
  RepresentationPtr from;
  /// Further rotations in the row, each of a frame that the one before it leads to: R = R1 R2 ..., KIN-68.
  std::vector<RepresentationPtr> then{};
  bool relative = false;   ///< R = R1ᵀ R2 ...: the last frame as the first one sees it
  RepresentationPtr to{};  ///< none where a vector or a point is turned
  Rates rates_from = Rates::none;
  Rates rates_to = Rates::none;
  Rates accelerations_from = Rates::none;  ///< of the same kinds: second derivatives of values, ω̇' or ω̇
  Rates accelerations_to = Rates::none;
  bool degrees_in = false;  ///< angles in degrees, angular rates in degrees per second
  bool degrees_out = false;
  Noise noise = Noise::refuse;
  Turning turning = Turning::none;
  Direction direction = Direction::body_to_space;
};

/// What comes out, in words: "euler:3-2-1", "vector body-to-space".
std::string output_name(const ConversionPlan& plan);

/// Converts rows of numbers: for every rotation values, then rates and accelerations where the plan has them; last what
/// is turned.
///
/// Fails when the plan asks for rates or accelerations on one side only.
class Conversion {
 public:
  explicit Conversion(ConversionPlan plan);

  const ConversionPlan& plan() const { return plan_; }
  /// Names of the columns with their units: "theta1_deg", "theta1_rate_rad_s", "w_body_x_rad_s", "then_theta1_deg".
  const std::vector<std::string>& input_names() const { return input_names_; }
  const std::vector<std::string>& output_names() const { return output_names_; }

  /// What is worth knowing about one converted row.
  struct Outcome {
    double distance = 0;               ///< of the input from an exact rotation; the farthest one of several
    double rate_distance = 0;          ///< of its rates from those of a rotation
    double acceleration_distance = 0;  ///< of its accelerations
    Conditioning<double> conditioning{1, 1, std::numeric_limits<double>::infinity()};  ///< of what is converted to
  };
  /// One row; the sizes are those of the names. Fails with one line when the input describes no attitude or the output
  /// does not exist.
  Outcome operator()(std::span<const double> in, std::span<double> out) const;

 private:
  AttitudeMotion<double> read(const Representation& rep, std::span<const double> in, Outcome& outcome) const;
  void write(const AttitudeMotion<double>& motion, std::span<double> out, Outcome& outcome) const;
  void turn(const AttitudeMotion<double>& motion, std::span<const double> in, std::span<double> out) const;

  ConversionPlan plan_;
  std::vector<std::string> input_names_;
  std::vector<std::string> output_names_;
  std::vector<double> input_units_;  ///< radians (or 1) in one unit of each column
  std::vector<double> output_units_;
};

}  // namespace polhode::catalog
