#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace polhode::analysis {

/// Wanted values of joint coordinates over time, as a CSV file gives them.
struct MotionTable {
  struct Column {
    std::string joint;
    std::string coordinate;  ///< "" where the header names the joint alone
    double unit = 1;         ///< of the values: degrees become radians
    std::string name;        ///< as in the header
    std::vector<double> values;
  };
  std::vector<double> times;  ///< s, increasing
  std::vector<Column> columns;
};

/// Header "t, JOINT.COORDINATE, ...": t or t_s first; a coordinate may end in _rad, _m or, for degrees, _deg, as
/// columns of results do. Lines that begin with # are comments. Fails with every mistake, each with its line: NaN,
/// times that do not increase, rows that are too short, fewer than three rows.
MotionTable read_motion_table(std::string_view text, const std::string& file);

}  // namespace polhode::analysis
