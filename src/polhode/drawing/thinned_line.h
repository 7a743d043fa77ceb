#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace polhode::drawing {

/// A line of any length in bounded memory: of each of at most 2 × `columns` stretches the first, least, largest and
/// last value are kept. A short line is kept as it is. Which points are kept depends on the points alone.
class ThinnedLine {
 public:
  explicit ThinnedLine(std::size_t columns = 512);

  /// In the order of x. A y that is not finite breaks the line (once stretches hold several points, only between them).
  void add(double x, double y);
  bool empty() const { return stretches_.empty(); }
  std::vector<std::pair<double, double>> points() const;

 private:
  using Point = std::pair<double, double>;
  struct Stretch {
    Point first, least, most, last;
    bool after_break = false;
  };
  static void join(Stretch& a, const Stretch& b);
  void halve();

  std::size_t columns_;
  std::size_t in_stretch_ = 1;  ///< points that a full stretch holds
  std::size_t in_last_ = 0;
  bool broken_ = false;
  std::vector<Stretch> stretches_;
};

}  // namespace polhode::drawing
