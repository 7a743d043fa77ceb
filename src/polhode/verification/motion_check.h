#pragma once

#include <functional>
#include <string_view>
#include <vector>

namespace polhode::verification {

/// One motion: what it comes to, right or made wrong.
struct MotionCheck {
  std::string_view equation;
  std::string_view label;
  std::string_view function;
  std::string_view statement;
  std::string_view twin;
  std::string_view arithmetic;
  double tolerance;
  std::function<double(bool twin)> residual;
};

/// The table of golden values, a check for each of its rows 1 to 15.
std::vector<MotionCheck> golden_checks();

}  // namespace polhode::verification
