#include "polhode/drawing/thinned_line.h"

#include <cmath>
#include <limits>

namespace polhode::drawing {

ThinnedLine::ThinnedLine(std::size_t columns) : columns_(columns) { stretches_.reserve(2 * columns); }

void ThinnedLine::join(Stretch& a, const Stretch& b) {
  if (b.least.second < a.least.second) { a.least = b.least; }
  if (b.most.second > a.most.second) { a.most = b.most; }
  a.last = b.last;
}

void ThinnedLine::add(double x, double y) {
  if (!std::isfinite(y)) {
    broken_ = true;
    return;
  }
  const Point p{x, y};
  const Stretch one{p, p, p, p, broken_};
  broken_ = false;
  if (in_last_ > 0 && in_last_ < in_stretch_) {
    join(stretches_.back(), one);
    ++in_last_;
    return;
  }
  if (stretches_.size() == 2 * columns_) { halve(); }
  stretches_.push_back(one);
  in_last_ = 1;
}

void ThinnedLine::halve() {
  for (std::size_t i = 0; i < columns_; ++i) {
    stretches_[i] = stretches_[2 * i];
    join(stretches_[i], stretches_[2 * i + 1]);
  }
  stretches_.resize(columns_);
  in_stretch_ *= 2;
}

std::vector<std::pair<double, double>> ThinnedLine::points() const {
  std::vector<Point> list;
  const auto put = [&](const Point& p) {
    if (list.empty() || list.back() != p) { list.push_back(p); }
  };
  for (const Stretch& s : stretches_) {
    if (s.after_break && !list.empty()) { list.emplace_back(s.first.first, std::numeric_limits<double>::quiet_NaN()); }
    put(s.first);
    const bool least_first = s.least.first <= s.most.first;
    put(least_first ? s.least : s.most);
    put(least_first ? s.most : s.least);
    put(s.last);
  }
  return list;
}

}  // namespace polhode::drawing
