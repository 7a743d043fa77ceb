#include "polhode/catalog/representation_support.h"
#include "polhode/core/error.h"
#include "polhode/math/dual.h"
#include "polhode/rotation/checks.h"
#include "polhode/rotation/euler_angles.h"
#include "polhode/rotation/vector_charts.h"

#include <fmt/format.h>

namespace polhode::catalog {
namespace {

/// Any chart of the rotation room as a row of three numbers.
template <Chart C>
class ThreeNumbers : public Representation {
 public:
  ThreeNumbers(std::string name, std::vector<Column> columns, const C& chart, const char* what, const char* cure)
      : Representation(std::move(name), std::move(columns)), chart_(chart), what_(what), cure_(cure) {}

  Reading read(std::span<const double> x, Noise) const override {
    return {chart_.to_euler_parameters(require_finite(vec3(x), what_)), 0};
  }
  void write(const EulerParameters<double>& e_NB, std::span<double> x) const override {
    const Vec3<double> at = chart_.from_euler_parameters(e_NB);
    if (!finite(at)) { refuse_singular("have no finite value at this attitude"); }
    put(at, x);
  }
  RateReading read_rates(const EulerParameters<double>&, std::span<const double> x, std::span<const double> xdot,
                         Noise) const override {
    constexpr double kLongest = 1e153;  // its square is still finite
    const double size = norm(vec3(x));
    if (size > kLongest) {
      fail(Error(Problem{.what = fmt::format("{} of length {:.3g} with rates", what_, size),
                         .allowed = fmt::format("at most {:g}", kLongest),
                         .cure = {}}));
    }
    const BodyVector<double> w = angular_velocity<Body>(chart_, vec3(x), vec3(xdot));
    if (!finite(w.raw()) && singular(x)) { refuse_singular("give no angular velocity at this attitude"); }
    return {w, 0};
  }
  void write_rates(const EulerParameters<double>&, const BodyVector<double>& w, std::span<const double> x,
                   std::span<double> xdot) const override {
    const Vec3<double> at = coordinate_rate(chart_, vec3(x), w);
    if (!finite(at) && singular(x)) { refuse_singular("have no finite rates at this attitude"); }
    put(at, xdot);
  }
  RateReading read_accelerations(const EulerParameters<double>&, const BodyVector<double>&, std::span<const double> x,
                                 std::span<const double> xdot, std::span<const double> xddot, Noise) const override {
    return {angular_acceleration<Body>(chart_, vec3(x), vec3(xdot), vec3(xddot)), 0};
  }
  void write_accelerations(const AttitudeMotion<double>& motion, std::span<const double> x,
                           std::span<const double> xdot, std::span<double> xddot) const override {
    put(coordinate_acceleration(chart_, vec3(x), vec3(xdot), motion.wdot), xddot);
  }
  Conditioning<double> conditioning(std::span<const double> x) const override { return chart_.conditioning(vec3(x)); }

 private:
  static bool finite(const Vec3<double>& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }
  bool singular(std::span<const double> x) const { return std::isinf(conditioning(x).condition_number); }
  [[noreturn]] void refuse_singular(const char* why) const {
    fail(Error(Problem{
        .what = fmt::format("{} {}: it is a singularity of '{}'", what_, why, name()), .allowed = {}, .cure = cure_}));
  }
  C chart_;
  const char* what_;
  const char* cure_;
};

/// Reduced Euler parameters ask for |x| ≤ 1, up to rounding.
class Reduced final : public ThreeNumbers<ReducedEulerParameters> {
 public:
  using ThreeNumbers::ThreeNumbers;

  Reading read(std::span<const double> x, Noise noise) const override {
    const Vec3<double> v = vec3(x);
    const double size = norm(v);
    if (!(size > 1)) { return ThreeNumbers::read(x, noise); }
    if (noise == Noise::refuse && std::isfinite(size) && size > 1 + kRounding) {
      fail(Error(Problem{.what = fmt::format("reduced Euler parameters ({:.9g} {:.9g} {:.9g}) have length {:.9g}", v.x,
                                             v.y, v.z, size),
                         .allowed = "at most 1, since the scalar is the square root of 1 - length^2",
                         .cure = {}}));
    }
    require_finite(v, "reduced Euler parameters");
    return {{0, v / size}, size - 1};  // a half turn
  }
  void write(const EulerParameters<double>& e_NB, std::span<double> x) const override {
    put(canonical(e_NB).ev / norm(e_NB), x);
  }
  /// Of a half turn the length may be rounded to more than 1.
  Conditioning<double> conditioning(std::span<const double> x) const override {
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    return norm(vec3(x)) < 1 ? ThreeNumbers::conditioning(x) : Conditioning<double>{kInfinite, kInfinite, 0};
  }

 private:
  /// |x| of a half turn as we write it: three rounded components.
  static constexpr double kRounding = 4 * std::numeric_limits<double>::epsilon();
};

/// Modified Rodrigues parameters; rates of |x| > 1 by the other set, which stays away from the singularity at infinity.
class Modified final : public ThreeNumbers<ModifiedRodrigues> {
 public:
  using ThreeNumbers::ThreeNumbers;

  RateReading read_rates(const EulerParameters<double>& e_NB, std::span<const double> x, std::span<const double> xdot,
                         Noise noise) const override {
    const double rho = norm_squared(vec3(x));
    if (!(rho > 1 && std::isfinite(rho))) { return ThreeNumbers::read_rates(e_NB, x, xdot, noise); }
    return {angular_velocity<Body>(ModifiedRodrigues{}, ModifiedRodrigues::shadow(vec3(x)),
                                   ModifiedRodrigues::shadow_rate(vec3(x), vec3(xdot))),  // (KIN-48)
            0};
  }
  RateReading read_accelerations(const EulerParameters<double>& e_NB, const BodyVector<double>& w,
                                 std::span<const double> x, std::span<const double> xdot, std::span<const double> xddot,
                                 Noise noise) const override {
    const double rho = norm_squared(vec3(x));
    if (!(rho > 1 && std::isfinite(rho))) { return ThreeNumbers::read_accelerations(e_NB, w, x, xdot, xddot, noise); }
    // the rate of the other set, followed on along the motion
    Vec3<Dual<double>> at;
    Vec3<Dual<double>> rate;
    for (std::size_t i = 0; i < 3; ++i) {
      at[i] = {x[i], xdot[i]};
      rate[i] = {xdot[i], xddot[i]};
    }
    const Vec3<Dual<double>> other_rate = ModifiedRodrigues::shadow_rate(at, rate);
    Vec3<double> first;
    Vec3<double> second;
    for (std::size_t i = 0; i < 3; ++i) {
      first[i] = other_rate[i].value;
      second[i] = other_rate[i].derivative;
    }
    return {angular_acceleration<Body>(ModifiedRodrigues{}, ModifiedRodrigues::shadow(vec3(x)), first, second), 0};
  }
};

RepresentationPtr make_rotation_vector(std::string name, std::string_view parameter) {
  refuse_parameter("rotation_vector", parameter);
  return std::make_shared<ThreeNumbers<RotationVector>>(std::move(name), angles_named("rx", "ry", "rz"),
                                                        RotationVector{}, "rotation vector", "");
}
RepresentationPtr make_rodrigues(std::string name, std::string_view parameter) {
  refuse_parameter("rodrigues", parameter);
  return std::make_shared<ThreeNumbers<Rodrigues>>(std::move(name), columns_named("g1", "g2", "g3"), Rodrigues{},
                                                   "Rodrigues parameters",
                                                   "half turns are regular in mrp and in quaternions");
}
RepresentationPtr make_mrp(std::string name, std::string_view parameter) {
  refuse_parameter("mrp", parameter);
  return std::make_shared<Modified>(std::move(name), columns_named("s1", "s2", "s3"), ModifiedRodrigues{},
                                    "modified Rodrigues parameters", "");
}
RepresentationPtr make_reduced(std::string name, std::string_view parameter) {
  refuse_parameter("reduced", parameter);
  return std::make_shared<Reduced>(std::move(name), columns_named("e1", "e2", "e3"), ReducedEulerParameters{},
                                   "reduced Euler parameters", "half turns are regular in mrp and in quaternions");
}
RepresentationPtr make_euler(std::string name, std::string_view parameter) {
  if (parameter.empty()) {
    fail(Error(Problem{.what = "'euler' does not say in which order the axes are turned",
                       .allowed = {},
                       .cure = "add the sequence, such as euler:3-2-1 or euler:1-2-3:extrinsic"}));
  }
  return std::make_shared<ThreeNumbers<EulerAngles>>(
      std::move(name), angles_named("theta1", "theta2", "theta3"), EulerAngles{EulerSequence::parse(parameter)},
      "Euler angles", "this is gimbal lock: give the angular velocity in body or space components instead");
}

}  // namespace

extern const RepresentationFamily rotation_vector_family{
    .name = "rotation_vector",
    .usage = "rotation_vector",
    .summary = "angle times unit axis, angle up to 180 deg when written",
    .source = "Shuster1993",
    .make = make_rotation_vector};
extern const RepresentationFamily rodrigues_family{
    .name = "rodrigues",
    .usage = "rodrigues",
    .summary = "Rodrigues parameters (Gibbs vector), axis times tan(angle/2); infinite at 180 deg",
    .source = "Shuster1993",
    .make = make_rodrigues};
extern const RepresentationFamily mrp_family{
    .name = "mrp",
    .usage = "mrp",
    .summary = "modified Rodrigues parameters, axis times tan(angle/4); the set of length at most 1 when written",
    .source = "SchaubJunkins1996",
    .make = make_mrp};
extern const RepresentationFamily reduced_family{
    .name = "reduced",
    .usage = "reduced",
    .summary = "reduced Euler parameters: the vector part of the quaternion whose scalar is not negative",
    .source = "Bernstein2023",
    .make = make_reduced};
extern const RepresentationFamily euler_family{
    .name = "euler",
    .usage = "euler:3-1-3[:extrinsic]",
    .summary = "Euler angles of one of the 12 sequences, in the order of the turns",
    .source = "SchwabMeijaard2006",
    .make = make_euler};

}  // namespace polhode::catalog
