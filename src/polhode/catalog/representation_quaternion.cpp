#include "polhode/catalog/representation_support.h"
#include "polhode/core/refuse.h"

#include <fmt/format.h>

#include <array>

namespace polhode::catalog {
namespace {

/// The four Euler parameters themselves; passed on as they are, not normalised.
class Quaternion final : public Representation {
 public:
  Quaternion(std::string name, bool scalar_last)
      : Representation(std::move(name),
                       scalar_last ? columns_named("x", "y", "z", "w") : columns_named("w", "x", "y", "z")),
        scalar_(scalar_last ? 3 : 0),
        vector_(scalar_last ? 0 : 1) {}

  Reading read(std::span<const double> x, Noise noise) const override {
    const EulerParameters<double> e = get(x);
    const double size = norm(e);
    if (noise == Noise::project && size > 0) { return {unit(e), std::fabs(size - 1)}; }
    return {require_unit(e), std::fabs(size - 1)};
  }
  void write(const EulerParameters<double>& e_NB, std::span<double> x) const override {
    x[scalar_] = e_NB.e0;
    x[vector_] = e_NB.ev.x;
    x[vector_ + 1] = e_NB.ev.y;
    x[vector_ + 2] = e_NB.ev.z;
  }
  /// e·ė = 0, since |e| stays 1. Of q = |q| e the rest of q̇ is |q| ė.
  RateReading read_rates(const EulerParameters<double>& e_NB, std::span<const double> x, std::span<const double> xdot,
                         Noise noise) const override {
    const EulerParameters<double> q = noise == Noise::project ? get(x) : EulerParameters<double>::identity();
    const BodyVector<double> w(over_norm(angular_velocity<Body>(e_NB, get(xdot)).raw(), q));  // (KIN-14)
    const double unit_rate = largest_of(xdot);
    if (unit_rate == 0) { return {w, 0}; }
    const EulerParameters<double> qdot = get(xdot) / unit_rate;
    const double along = dot(e_NB, qdot) / norm(e_NB);
    const EulerParameters<double> across = qdot - (along / norm(e_NB)) * e_NB;
    if (noise == Noise::refuse && std::fabs(along) > kRateTolerance * norm(qdot)) {
      std::array<double, 4> rest{};
      write(unit_rate * across, rest);
      refuse(fmt::format("quaternion rates ({:.9g} {:.9g} {:.9g} {:.9g}) are not those of a rotation: e·ė is {:.3g}, "
                         "not 0 (tolerance {:g} of their size)",
                         xdot[0], xdot[1], xdot[2], xdot[3], unit_rate * along, kRateTolerance),
             fmt::format("without their part along e they would be {:.17g} {:.17g} {:.17g} {:.17g}", rest[0], rest[1],
                         rest[2], rest[3]));
    }
    return {w, unit_rate * norm(qdot - over_norm(across, q))};
  }
  void write_rates(const EulerParameters<double>& e_NB, const BodyVector<double>& w, std::span<const double>,
                   std::span<double> xdot) const override {
    write(rate(e_NB, w), xdot);  // (KIN-12)
  }
  /// e·ë = −ė·ė, since |e| stays 1. q̈ of a quaternion that grows tells of the motion of q/|q|.
  RateReading read_accelerations(const EulerParameters<double>& e_NB, const BodyVector<double>&,
                                 std::span<const double> x, std::span<const double> xdot, std::span<const double> xddot,
                                 Noise noise) const override {
    if (noise == Noise::project) {
      const BodyVector<double> wdot = angular_acceleration<Body>(get(x), get(xdot), get(xddot));  // (KIN-16)
      const double along = (dot(get(x), get(xddot)) + dot(get(xdot), get(xdot))) / norm(get(x));
      return {wdot, std::fabs(along)};
    }
    const EulerParameters<double> edot = get(xdot);
    const EulerParameters<double> eddot = get(xddot);
    const double stray = (dot(e_NB, eddot) + dot(edot, edot)) / norm(e_NB);
    if (std::fabs(stray) > kAccelerationTolerance * (norm(eddot) + dot(edot, edot))) {
      std::array<double, 4> rest{};
      write(eddot - (stray / norm(e_NB)) * e_NB, rest);
      refuse(
          fmt::format("quaternion accelerations ({:.9g} {:.9g} {:.9g} {:.9g}) are not those of a rotation with these "
                      "rates: e·ë + ė·ė is {:.3g}, not 0 (tolerance {:g} of their size)",
                      xddot[0], xddot[1], xddot[2], xddot[3], stray, kAccelerationTolerance),
          fmt::format("without what is wrong along e they would be {:.17g} {:.17g} {:.17g} {:.17g}", rest[0], rest[1],
                      rest[2], rest[3]));
    }
    return {angular_acceleration<Body>(e_NB, edot, eddot), std::fabs(stray)};  // (KIN-16)
  }
  void write_accelerations(const AttitudeMotion<double>& motion, std::span<const double>, std::span<const double>,
                           std::span<double> xddot) const override {
    write(acceleration(motion.e_NB, motion.w, motion.wdot), xddot);  // (KIN-18)
  }

 private:
  EulerParameters<double> get(std::span<const double> x) const {
    return {x[scalar_], {x[vector_], x[vector_ + 1], x[vector_ + 2]}};
  }
  std::size_t scalar_;
  std::size_t vector_;
};

RepresentationPtr make_wxyz(std::string name, std::string_view parameter) {
  refuse_parameter("quaternion_wxyz", parameter);
  return std::make_shared<Quaternion>(std::move(name), false);
}
RepresentationPtr make_xyzw(std::string name, std::string_view parameter) {
  refuse_parameter("quaternion_xyzw", parameter);
  return std::make_shared<Quaternion>(std::move(name), true);
}

}  // namespace

extern const RepresentationFamily quaternion_wxyz_family{
    .name = "quaternion_wxyz",
    .usage = "quaternion_wxyz",
    .summary = "unit quaternion, body to space, Hamilton product, scalar first: w x y z",
    .source = "SchwabMeijaard2006",
    .make = make_wxyz};
extern const RepresentationFamily quaternion_xyzw_family{.name = "quaternion_xyzw",
                                                         .usage = "quaternion_xyzw",
                                                         .summary = "the same, scalar last: x y z w",
                                                         .source = "SchwabMeijaard2006",
                                                         .make = make_xyzw};

}  // namespace polhode::catalog
