#pragma once

#include "polhode/catalog/representations.h"

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

/// From one row of numbers to another.
struct ConversionPlan {
  RepresentationPtr from;
  RepresentationPtr to;
  Rates rates_from = Rates::none;
  Rates rates_to = Rates::none;
  bool degrees_in = false;  ///< angles in degrees, angular rates in degrees per second
  bool degrees_out = false;
  Noise noise = Noise::refuse;
};

/// Converts rows of numbers: values, then rates where the plan has them.
///
/// Fails when the plan asks for rates on one side only.
class Conversion {
 public:
  explicit Conversion(ConversionPlan plan);

  const ConversionPlan& plan() const { return plan_; }
  /// Names of the columns with their units: "theta1_deg", "theta1_rate_rad_s", "w_body_x_rad_s".
  const std::vector<std::string>& input_names() const { return input_names_; }
  const std::vector<std::string>& output_names() const { return output_names_; }

  /// What is worth knowing about one converted row.
  struct Outcome {
    double distance = 0;                ///< of the input from an exact rotation
    double rate_distance = 0;           ///< of its rates from those of a rotation
    Conditioning<double> conditioning;  ///< of the representation converted to
  };
  /// One row; the sizes are those of the names. Fails with one line when the input describes no attitude or the output
  /// does not exist.
  Outcome operator()(std::span<const double> in, std::span<double> out) const;

 private:
  ConversionPlan plan_;
  std::vector<std::string> input_names_;
  std::vector<std::string> output_names_;
  std::vector<double> input_units_;  ///< radians (or 1) in one unit of each column
  std::vector<double> output_units_;
};

}  // namespace polhode::catalog
