#include "polhode/catalog/conversion.h"
#include "polhode/core/error.h"
#include "polhode/rotation.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

using namespace polhode;
using namespace polhode::catalog;

namespace {

using E = EulerParameters<double>;

const char* const kNames[] = {"quaternion_wxyz", "quaternion@spice",      "matrix",           "matrix@spice",
                              "axis_angle",      "rotation_vector",       "rodrigues",        "mrp",
                              "reduced",         "euler:3-1-3",           "euler:3-2-1",      "euler:1-2-3:extrinsic",
                              "euler@ros",       "euler:2-3-2:extrinsic", "euler:3-1-3@spice"};

bool all_finite(std::span<const double> numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}

/// Numbers from everywhere: zero, small integers, multiples of a quarter turn, and any size from 1e-320 to 1e308.
class Numbers {
 public:
  double any() {
    switch (pick(6)) {
      case 0:
        return 0;
      case 1:
        return static_cast<double>(pick(5)) - 2;
      case 2:
        return (static_cast<double>(pick(17)) - 8) * math::kPi<double> / 4;
      case 3:
        return normal_(engine_);
      default: {
        const double exponent = -320 + 628 * std::generate_canonical<double, 53>(engine_);
        return (pick(2) == 0 ? 1 : -1) * std::pow(10.0, exponent);
      }
    }
  }
  /// A unit quaternion: any, a half turn, or one with components of very different size.
  E attitude() {
    const E raw{pick(4) == 0 ? 0 : any_bounded(), {any_bounded(), any_bounded(), any_bounded()}};
    const double size = norm(raw);
    return size > 1e-300 ? raw / size : E::identity();
  }
  std::size_t pick(std::size_t count) { return engine_() % count; }

 private:
  double any_bounded() { return pick(3) == 0 ? std::fmin(std::fabs(any()), 1.0) : normal_(engine_); }
  std::mt19937_64 engine_{2024};
  std::normal_distribution<double> normal_;
};

Vec3<long double> widened(const Vec3<double>& v) {
  using L = long double;
  return {static_cast<L>(v.x), static_cast<L>(v.y), static_cast<L>(v.z)};
}

/// ω' of long double, whose range of exponents is far beyond what a double can ask of it.
template <class C>
Vec3<double> angular_velocity_in_long_double(const Vec3<double>& x, const Vec3<double>& xdot) {
  const Vec3<long double> w = angular_velocity<Body>(C{}, widened(x), widened(xdot)).raw();
  return {static_cast<double>(w.x), static_cast<double>(w.y), static_cast<double>(w.z)};
}

}  // namespace

TEST_CASE("whatever the numbers, a conversion fails or gives finite numbers of the same attitude") {
  Numbers numbers;
  int converted = 0;
  int failed = 0;
  for (int n = 0; n < 60000; ++n) {
    const std::string from = kNames[numbers.pick(std::size(kNames))];
    const std::string to = kNames[numbers.pick(std::size(kNames))];
    const auto rates_from = static_cast<Rates>(numbers.pick(4));
    const Conversion conversion(
        {.from = representation(from),
         .to = representation(to),
         .rates_from = rates_from,
         .rates_to = rates_from == Rates::none ? Rates::none : static_cast<Rates>(numbers.pick(4)),
         .noise = numbers.pick(2) == 0 ? Noise::refuse : Noise::project});
    const Representation& source = *conversion.plan().from;
    const Representation& target = *conversion.plan().to;
    std::vector<double> in(conversion.input_names().size());
    std::vector<double> out(conversion.output_names().size());
    for (double& x : in) { x = numbers.any(); }
    try {
      // half of the rows describe an attitude to begin with
      if (numbers.pick(2) == 0) { source.write(numbers.attitude(), std::span<double>(in).first(source.size())); }
      const Conversion::Outcome outcome = conversion(in, out);
      ++converted;
      CAPTURE(from);
      CAPTURE(to);
      CAPTURE(in);
      CAPTURE(out);
      REQUIRE(all_finite(out));
      REQUIRE(!std::isnan(outcome.conditioning.condition_number));
      REQUIRE(!std::isnan(outcome.conditioning.distance));
      REQUIRE(!std::isnan(outcome.distance));
      const E before = source.read(std::span<const double>(in).first(source.size()), conversion.plan().noise).e_NB;
      const E after = target.read(std::span<const double>(out).first(target.size()), Noise::refuse).e_NB;
      // a few roundings; e0 = √(1 − x²) near a half turn is good to the root of a rounding only
      REQUIRE(rotation_angle(relative_rotation(before, after)) < (to == "reduced" ? 1e-7 : 1e-14));
    } catch (const Error&) { ++failed; }
  }
  CHECK(converted > 15000);
  CHECK(failed > 5000);
}

TEST_CASE("Rodrigues and modified Rodrigues parameters of any size are the attitude that long double finds") {
  for (const double size : {1e-320, 1e-160, 1e-8, 0.9, 1.1, 1e8, 1e77, 1e100, 1e155, 1e200, 1e307}) {
    CAPTURE(size);
    const Vec3<double> x{0.6 * size, -0.3 * size, 0.7 * size};
    const Vec3<long double> wide = widened(x);
    const auto narrow = [](const EulerParameters<long double>& e) {
      return E{static_cast<double>(e.e0),
               {static_cast<double>(e.ev.x), static_cast<double>(e.ev.y), static_cast<double>(e.ev.z)}};
    };
    // a few roundings
    CHECK(rotation_angle(relative_rotation(Rodrigues{}.to_euler_parameters(x),
                                           narrow(Rodrigues{}.to_euler_parameters(wide)))) < 1e-15);
    CHECK(rotation_angle(relative_rotation(ModifiedRodrigues{}.to_euler_parameters(x),
                                           narrow(ModifiedRodrigues{}.to_euler_parameters(wide)))) < 1e-15);
  }
}

TEST_CASE("angular velocity from rates of large Rodrigues and modified Rodrigues parameters is right, or refused") {
  for (const double size : {1e-200, 0.5, 3.0, 1e50, 1e78, 1e100, 1e150, 1e160}) {
    CAPTURE(size);
    const Vec3<double> x{0.6 * size, -0.3 * size, 0.7 * size};
    const Vec3<double> xdot{0.2 * size, 0.5 * size, 0.1 * size};
    for (const std::string name : {"rodrigues", "mrp"}) {
      CAPTURE(name);
      const Vec3<double> expected = name == "mrp" ? angular_velocity_in_long_double<ModifiedRodrigues>(x, xdot)
                                                  : angular_velocity_in_long_double<Rodrigues>(x, xdot);
      const Conversion conversion({.from = representation(name),
                                   .to = representation("quaternion_wxyz"),
                                   .rates_from = Rates::values,
                                   .rates_to = Rates::body});
      std::vector<double> out(7);
      try {
        conversion(std::vector<double>{x.x, x.y, x.z, xdot.x, xdot.y, xdot.z}, out);
        // rounding, a hundred times
        CHECK(norm(Vec3<double>{out[4], out[5], out[6]} - expected) <= 2e-14 * norm(expected));
      } catch (const Error&) { CHECK(size > 1e153); }  // |x|² leaves the range of numbers
    }
  }
}

TEST_CASE("at and near a singularity the message tells it from numbers that are too large") {
  const auto message = [](const char* from, const char* to, Rates rates_from, Rates rates_to,
                          const std::vector<double>& in) -> std::string {
    const Conversion conversion(
        {.from = representation(from), .to = representation(to), .rates_from = rates_from, .rates_to = rates_to});
    std::vector<double> out(conversion.output_names().size());
    try {
      conversion(in, out);
    } catch (const Error& error) { return error.what(); }
    return "";
  };
  CHECK(message("reduced", "mrp", Rates::values, Rates::space, {0.6, 0.8, 0, 1, 1, 0}) ==
        "reduced Euler parameters give no angular velocity at this attitude: it is a singularity of 'reduced'; half "
        "turns are regular in mrp and in quaternions");
  CHECK(message("quaternion_wxyz", "euler:3-1-3", Rates::body, Rates::values, {1, 1e-4, 0, 0, 1, 1e308, 1}) ==
        "the rates of 'euler:3-1-3' leave the range of numbers; at most 1.8e308 in size");
  CHECK(message("rotation_vector", "mrp", Rates::values, Rates::values, {1e160, 0, 0, 1, 0, 0}) ==
        "rotation vector of length 1e+160 with rates; at most 1e+153");
  const Conversion near({.from = representation("quaternion_wxyz"), .to = representation("rodrigues")});
  std::vector<double> out(3);
  CHECK(near(std::vector<double>{1e-300, 1, 0, 0}, out).conditioning.condition_number == doctest::Approx(1e300));
}

TEST_CASE("the nearest rotation of a matrix of any size is found, and refused where it is not unique") {
  const RepresentationPtr matrix = representation("matrix");
  const double c = 0.6;
  const double s = 0.8;
  for (const double size : {1e-300, 1e-200, 1.0, 1e200, 1e307}) {
    CAPTURE(size);
    const std::vector<double> x{c * size, -s * size, 0, s * size, c * size, 0, 0, 0, size};
    // a few roundings
    CHECK(rotation_angle(relative_rotation(matrix->read(x, Noise::project).e_NB,
                                           from_matrix(Mat3<double>{{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}}))) < 2e-15);
  }
  const auto message = [&](const std::vector<double>& x, Noise noise) -> std::string {
    try {
      matrix->read(x, noise);
    } catch (const Error& error) { return error.what(); }
    return "";
  };
  // rank one: any turn about that axis is as near
  CHECK(message({1, 0, 0, 0, 0, 0, 0, 0, 0}, Noise::project) ==
        "the rotation nearest to this matrix is not unique: the matrix is singular in two directions; at least two of "
        "its columns must be independent");
  CHECK(message({0, 0, 0, 0, 0, 0, 0, 0, 0}, Noise::project).starts_with("the rotation nearest to this matrix is not"));
  CHECK(message({1e200, 0, 0, 0, 1e200, 0, 0, 0, 1e200}, Noise::refuse) ==
        "matrix is not orthogonal: it has an entry of size 1e+200; the entries of a rotation are at most 1");
  CHECK(message({2, 0, 0, 0, 2, 0, 0, 0, -2}, Noise::project).starts_with("matrix is left-handed: "));
  // two independent columns are enough
  CHECK(matrix->read(std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, 0}, Noise::project).e_NB == E::identity());
}

TEST_CASE("a quaternion or an axis of any length has a direction") {
  for (const double size : {5e-324, 1e-320, 1e-160, 1e160, 1.7e308}) {
    CAPTURE(size);
    const Reading e = representation("quaternion_wxyz")->read(std::vector<double>{size, size, 0, 0}, Noise::project);
    CHECK(std::fabs(e.e_NB.e0 - std::sqrt(0.5)) < 2e-16);
    CHECK(std::fabs(e.e_NB.ev.x - std::sqrt(0.5)) < 2e-16);
    const Reading a = representation("axis_angle")->read(std::vector<double>{size, size, 0, 1}, Noise::project);
    CHECK(std::fabs(norm(a.e_NB) - 1) < 4e-16);
  }
}
