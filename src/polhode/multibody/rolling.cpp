#include "polhode/multibody/rolling.h"

#include <cmath>

namespace polhode {

Vec3<double> contact_lever(const Rolling& rolling, const End<double>& end) {
  const Vec3<double> n = rolling.normal_N;
  Vec3<double> lever = end.lever - rolling.edge_radius * n;
  if (rolling.radius > 0) {
    const Vec3<double> a = end.axis(2);
    const Vec3<double> m = n - dot(n, a) * a;
    lever -= (rolling.radius / norm(m)) * m;
  }
  return lever;
}

std::array<Row, 3> rolling_rows(const Rolling& rolling, const End<double>& end) {
  const Vec3<double> n = rolling.normal_N;
  const Vec3<double> lever = contact_lever(rolling, end);
  // how the lever changes: the ring's lowest point wanders along it
  Vec3<double> lever_dot = cross(end.w, end.lever);
  if (rolling.radius > 0) {
    const Vec3<double> a = end.axis(2);
    const Vec3<double> adot = cross(end.w, a);
    const Vec3<double> m = n - dot(n, a) * a;
    const Vec3<double> mdot = -(dot(n, adot) * a) - dot(n, a) * adot;
    const double size = norm(m);
    const Vec3<double> e = m / size;
    lever_dot -= (rolling.radius / size) * (mdot - dot(e, mdot) * e);
  }
  const bool x_is_least = std::fabs(n.x) <= std::fabs(n.y) && std::fabs(n.x) <= std::fabs(n.z);
  const Vec3<double> other = axis_vector<double>(x_is_least ? 0 : std::fabs(n.y) <= std::fabs(n.z) ? 1 : 2);
  const Vec3<double> t1 = cross(other, n) / norm(cross(other, n));
  const Vec3<double> t2 = cross(n, t1);
  std::array<Row, 3> rows;
  const Vec3<double> directions[3] = {t1, t2, n};
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3<double>& d = directions[k];
    rows[k].second = {cross(lever, d), d};
    rows[k].gamma = -dot(d, cross(end.w, lever_dot));
  }
  rows[2].value = dot(n, end.r + lever - rolling.point_N);
  return rows;
}

Row blade_row(const End<double>& end) {
  const Vec3<double> b = end.axis(2);
  Row row;
  row.second = {cross(end.lever, b), b};
  row.gamma = -(dot(cross(end.w, b), end.point_velocity()) + dot(b, end.centripetal()));
  return row;
}

}  // namespace polhode
