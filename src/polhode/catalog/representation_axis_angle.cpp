#include "polhode/catalog/representation_support.h"
#include "polhode/core/refuse.h"
#include "polhode/rotation/axis_angle.h"

#include <fmt/format.h>

namespace polhode::catalog {
namespace {

AxisAngle<double> axis_angle_in(std::span<const double> x) { return {vec3(x), x[3]}; }

/// Unit axis and angle; no rotation is the third axis and angle 0.
class AxisAndAngle final : public Representation {
 public:
  explicit AxisAndAngle(std::string name) : Representation(std::move(name), columns()) {}

  Reading read(std::span<const double> x, Noise noise) const override {
    AxisAngle<double> a = axis_angle_in(x);
    require_finite({x[3], 0, 0}, "angle");
    const double size = norm(a.axis);
    if (noise == Noise::project && size > 0) {
      a.axis = unit(a.axis);
    } else {
      require_unit(a.axis, "axis");
    }
    return {to_euler_parameters(a), std::fabs(size - 1)};  // (KIN-50)
  }
  void write(const EulerParameters<double>& e_NB, std::span<double> x) const override {
    const AxisAngle<double> a = axis_angle(e_NB);
    put(a.axis, x);
    x[3] = a.angle;
  }
  /// n·ṅ = 0, since |n| stays 1. Of an axis a = |a| n the rest of ȧ is |a| ṅ.
  RateReading read_rates(const EulerParameters<double>&, std::span<const double> x, std::span<const double> xdot,
                         Noise noise) const override {
    AxisAngle<double> a = axis_angle_in(x);
    if (noise == Noise::project) { a.axis = unit(a.axis); }
    const double unit_rate = std::max(largest_of(xdot), std::numeric_limits<double>::denorm_min());
    const double along = dot(a.axis, vec3(xdot) / unit_rate) / norm(a.axis);
    const Vec3<double> across = vec3(xdot) - (unit_rate * along / norm(a.axis)) * a.axis;
    if (noise == Noise::refuse && std::fabs(along) > stray_allowed(x[3], vec3(xdot) / unit_rate, xdot[3] / unit_rate)) {
      refuse(fmt::format("axis rate ({:.9g} {:.9g} {:.9g}) is not that of a unit vector: n·ṅ is {:.3g}, not 0 "
                         "(tolerance {:g} of the rates)",
                         xdot[0], xdot[1], xdot[2], unit_rate * along, kRateTolerance),
             fmt::format("without its part along the axis it would be {:.17g} {:.17g} {:.17g}", across.x, across.y,
                         across.z));
    }
    const Vec3<double> axis_rate = noise == Noise::project ? over_norm(across, vec3(x)) : across;
    return {angular_velocity<Body>(a, AxisAngleRate<double>{axis_rate, xdot[3]}),
            norm(vec3(xdot) - axis_rate)};  // (KIN-51)
  }
  void write_rates(const EulerParameters<double>&, const BodyVector<double>& w, std::span<const double> x,
                   std::span<double> xdot) const override {
    const AxisAngleRate<double> a = axis_angle_rate(axis_angle_in(x), w);  // (KIN-52)
    require_regular(a.axis_rate, "the axis of no rotation has no rate: its direction jumps with the first turn",
                    "take rotation_vector or a quaternion instead");
    put(a.axis_rate, xdot);
    xdot[3] = a.angle_rate;
  }
  /// n·n̈ = −ṅ·ṅ, since |n| stays 1. Of an axis a that grows n is a/|a|:
  ///
  ///   n̈ = (ä − (n·ä) n − 2 (n·ȧ) ṅ)/|a| − (ṅ·ṅ) n
  RateReading read_accelerations(const EulerParameters<double>&, const BodyVector<double>&, std::span<const double> x,
                                 std::span<const double> xdot, std::span<const double> xddot,
                                 Noise noise) const override {
    AxisAngle<double> a = axis_angle_in(x);
    Vec3<double> rate = vec3(xdot);
    Vec3<double> second = vec3(xddot);
    const double stray = (dot(a.axis, second) + dot(rate, rate)) / norm(a.axis);
    if (noise == Noise::project) {
      const double size = norm(a.axis);
      a.axis = unit(a.axis);
      const double growth = dot(a.axis, rate);
      rate = (rate - growth * a.axis) / size;
      second = (second - dot(a.axis, second) * a.axis - (2 * growth) * rate) / size - dot(rate, rate) * a.axis;
    } else if (std::fabs(stray) > acceleration_stray_allowed(x[3], vec3(xdot), xdot[3], vec3(xddot), xddot[3])) {
      refuse(
          fmt::format("axis acceleration ({:.9g} {:.9g} {:.9g}) is not that of a unit vector with these rates: n·n̈ + "
                      "ṅ·ṅ is {:.3g}, not 0 (tolerance {:g} of their size)",
                      xddot[0], xddot[1], xddot[2], stray, kAccelerationTolerance),
          "");
    }
    return {
        angular_acceleration<Body>(a, AxisAngleRate<double>{rate, xdot[3]}, AxisAngleRate<double>{second, xddot[3]}),
        std::fabs(stray)};  // (KIN-53)
  }
  void write_accelerations(const AttitudeMotion<double>& motion, std::span<const double> x,
                           std::span<const double> xdot, std::span<double> xddot) const override {
    const AxisAngleRate<double> second =
        axis_angle_acceleration(axis_angle_in(x), AxisAngleRate<double>{vec3(xdot), xdot[3]}, motion.w, motion.wdot);
    put(second.axis_rate, xddot);
    xddot[3] = second.angle_rate;
  }
  Conditioning<double> conditioning(std::span<const double> x) const override {
    return polhode::conditioning(axis_angle_in(x));
  }

 private:
  /// Of n·ṅ. An axis rate is ω over 2 sin(μ/2) (KIN-52), and so is its rounding: near no rotation that is all of it
  /// when the turn is about the axis itself.
  static double stray_allowed(double angle, const Vec3<double>& axis_rate, double angle_rate) {
    const double sine = 2 * std::fabs(math::sin(angle / 2));
    const double rounding = sine > 0 ? 4 * std::numeric_limits<double>::epsilon() * std::fabs(angle_rate) / sine : 0;
    return kRateTolerance * std::hypot(norm(axis_rate), angle_rate) + rounding;
  }
  /// Of n·n̈ + ṅ·ṅ; rounding of an axis acceleration is that of its rate over sin(μ/2) once more.
  static double acceleration_stray_allowed(double angle, const Vec3<double>& axis_rate, double angle_rate,
                                           const Vec3<double>& second, double angle_second) {
    const double sine = 2 * std::fabs(math::sin(angle / 2));
    const double squares = dot(axis_rate, axis_rate) + angle_rate * angle_rate;
    const double rounding =
        8 * std::numeric_limits<double>::epsilon() * (std::fabs(angle_second) / sine + squares / (sine * sine));
    return kAccelerationTolerance * (std::hypot(norm(second), angle_second) + squares) + (sine > 0 ? rounding : 0);
  }
  static std::vector<Column> columns() {
    return {{"axis_x", false}, {"axis_y", false}, {"axis_z", false}, {"angle", true}};
  }
};

RepresentationPtr make_axis_angle(std::string name, std::string_view parameter) {
  refuse_parameter("axis_angle", parameter);
  return std::make_shared<AxisAndAngle>(std::move(name));
}

}  // namespace

extern const RepresentationFamily axis_angle_family{.name = "axis_angle",
                                                    .usage = "axis_angle",
                                                    .summary = "unit axis and angle: x y z angle; singular at angle 0",
                                                    .source = "SchwabMeijaard2006",
                                                    .make = make_axis_angle};

}  // namespace polhode::catalog
