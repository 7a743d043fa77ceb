#include "polhode/catalog/conventions.h"
#include "polhode/catalog/conversion.h"
#include "polhode/core/error.h"
#include "polhode/math/degree.h"
#include "polhode/rotation.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <numeric>
#include <random>
#include <sstream>
#include <string>

using namespace polhode;
using namespace polhode::catalog;

namespace {

using E = EulerParameters<double>;

/// Every family, Euler angles by four sequences, and every form that a convention knows.
std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const RepresentationFamily* family : representation_families()) {
    if (family->name != "euler") { names.emplace_back(family->name); }
  }
  for (const char* name : {"euler:3-1-3",
                           "euler:3-2-1",
                           "euler:1-2-3:extrinsic",
                           "euler:2-3-2:extrinsic",
                           "quaternion@scipy",
                           "quaternion@spice",
                           "matrix@matlab-aerospace",
                           "matrix@spice",
                           "euler:3-1-3@spice",
                           "euler:3-2-1@spice",
                           "euler:zyx@scipy",
                           "euler@mujoco",
                           "euler@ros",
                           "euler:3-2-1@bernstein2023",
                           "reduced@bernstein2023",
                           "quaternion@multibodynotes",
                           "matrix@multibodynotes",
                           "quaternion_wxyz:space-to-body",
                           "quaternion_xyzw:space-to-body",
                           "matrix:space-to-body",
                           "axis_angle:space-to-body",
                           "rotation_vector:space-to-body",
                           "rodrigues:space-to-body",
                           "mrp:space-to-body",
                           "reduced:space-to-body",
                           "euler:3-1-3:space-to-body",
                           "euler:1-2-3:extrinsic:space-to-body",
                           "matrix:body-to-space"}) {
    names.emplace_back(name);
  }
  return names;
}

/// Attitudes worth trying: none, tiny, half turns, both signs, random.
std::vector<E> attitudes() {
  std::vector<E> list{
      E::identity(),   -E::identity(),       exp(Vec3<double>{1e-8, 0, 0}), exp(Vec3<double>{-3e-9, 1e-8, 2e-9}),
      E{0, {1, 0, 0}}, E{0, {0, -0.6, 0.8}}, E{1e-9, {0.6, 0, 0.8}},        E{0.5, {0.5, 0.5, 0.5}}};
  std::mt19937_64 engine(7);
  std::normal_distribution<double> normal;
  for (int n = 0; n < 30; ++n) {
    list.push_back(normalized(E{normal(engine), {normal(engine), normal(engine), normal(engine)}}));
  }
  return list;
}

Vec3<double> vec3_of(const std::vector<double>& x) { return {x[0], x[1], x[2]}; }

double angle_between(const E& a, const E& b) { return rotation_angle(relative_rotation(a, b)); }

bool infinite_there(const std::string& name, const E& e) {
  return name.starts_with("rodrigues") && std::fabs(e.e0) < 1e-300;  // n tan(90°)
}

/// One row of `to` from one row of `from`, or its error.
std::vector<double> convert(const std::string& from, const std::string& to, const std::vector<double>& row) {
  const Conversion conversion({.from = representation(from), .to = representation(to)});
  REQUIRE(row.size() == conversion.input_names().size());
  std::vector<double> out(conversion.output_names().size());
  conversion(row, out);
  return out;
}

void check_near(const std::vector<double>& got, const std::vector<double>& expected, double tolerance) {
  REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) { CHECK(std::fabs(got[i] - expected[i]) <= tolerance); }
}

}  // namespace

TEST_CASE("every representation gives every attitude back") {
  for (const std::string& name : all_names()) {
    CAPTURE(name);
    const RepresentationPtr rep = representation(name);
    std::vector<double> x(rep->size());
    for (const E& e : attitudes()) {
      if (infinite_there(name, e)) { continue; }
      CAPTURE(e.e0);
      CAPTURE(e.ev.x);
      rep->write(e, x);
      // a few roundings; e0 = √(1 − x²) amplifies them by 1/e0 near a half turn, up to the root of a rounding
      const bool root = name.starts_with("reduced") || name.starts_with("rodrigues");
      const double tolerance = root ? std::min(1e-7, 2e-15 + 1e-15 / std::fabs(e.e0)) : 2e-15;
      CHECK(angle_between(rep->read(x, Noise::refuse).e_NB, e) < tolerance);
    }
  }
}

TEST_CASE("every pair of representations converts there and back with rates") {
  std::mt19937_64 engine(11);
  std::normal_distribution<double> normal;
  const std::vector<std::string> names = all_names();
  for (const std::string& from : names) {
    for (const std::string& to : names) {
      CAPTURE(from);
      CAPTURE(to);
      const Conversion forth({.from = representation(from),
                              .to = representation(to),
                              .rates_from = Rates::values,
                              .rates_to = Rates::values});
      const Conversion back({.from = representation(to),
                             .to = representation(from),
                             .rates_from = Rates::values,
                             .rates_to = Rates::body});
      for (int n = 0; n < 3; ++n) {
        const E e = normalized(E{1.5 + std::fabs(normal(engine)), {normal(engine), normal(engine), normal(engine)}});
        const BodyVector<double> w{normal(engine), normal(engine), normal(engine)};
        const RepresentationPtr rep = representation(from);
        std::vector<double> in(2 * rep->size());
        const std::span<double> x(in.data(), rep->size());
        rep->write(e, x);
        rep->write_rates(e, w, x, std::span<double>(in).subspan(rep->size()));

        std::vector<double> middle(forth.output_names().size());
        const double condition = forth(in, middle).conditioning.condition_number;
        std::vector<double> again(back.output_names().size());
        back(middle, again);
        const std::span<const double> w_again = std::span<const double>(again).last(3);
        // rounding, amplified by the rate matrices of both representations
        const double scale = condition * rep->conditioning(x).condition_number;
        CHECK(norm(BodyVector<double>{w_again[0], w_again[1], w_again[2]} - w) < 1e-13 * scale * (1 + norm(w)));
      }
    }
  }
}

TEST_CASE("rates of every representation are the derivatives of its values") {
  // central differences of the values along e(t) = e exp(w t): error h² from the formula, 1e-16/h from rounding
  const double h = 1e-5;
  const Vec3<double> w{0.3, -0.2, 0.5};
  const E e = normalized(E{2, {0.4, -0.5, 0.6}});
  for (const std::string& name : all_names()) {
    CAPTURE(name);
    const RepresentationPtr rep = representation(name);
    std::vector<double> x(rep->size());
    std::vector<double> before(rep->size());
    std::vector<double> after(rep->size());
    std::vector<double> xdot(rep->size());
    rep->write(e, x);
    rep->write(e * exp(-h * w), before);
    rep->write(e * exp(h * w), after);
    rep->write_rates(e, BodyVector<double>(w), x, xdot);
    for (std::size_t i = 0; i < x.size(); ++i) { CHECK(std::fabs((after[i] - before[i]) / (2 * h) - xdot[i]) < 1e-8); }
    for (const Noise noise : {Noise::refuse, Noise::project}) {
      const RateReading read = rep->read_rates(e, x, xdot, noise);
      CHECK(norm(read.w - BodyVector<double>(w)) < 1e-13);
      CHECK(read.distance < 1e-15);
    }
  }
}

namespace {

/// Columns of a moving attitude in one representation: values, rates, accelerations.
std::vector<double> row_of(const std::string& name, const AttitudeMotion<double>& motion) {
  const RepresentationPtr rep = representation(name);
  const std::size_t n = rep->size();
  std::vector<double> row(3 * n);
  const std::span<double> all(row);
  rep->write(motion.e_NB, all.first(n));
  rep->write_rates(motion.e_NB, motion.w, all.first(n), all.subspan(n, n));
  rep->write_accelerations(motion, all.first(n), all.subspan(n, n), all.last(n));
  return row;
}

/// Where the motion is a little later: exact to dt³.
E moved(const AttitudeMotion<double>& motion, double dt) {
  return motion.e_NB * exp(dt * motion.w.raw() + (dt * dt / 2) * motion.wdot.raw());
}

double norm_of_difference(const BodyVector<double>& a, const BodyVector<double>& b) { return norm((a - b).raw()); }

const AttitudeMotion<double> kMoving{normalized(E{2, {0.4, -0.5, 0.6}}), {0.3, -0.2, 0.5}, {-0.7, 0.4, 0.9}};

}  // namespace

TEST_CASE("accelerations of every representation are the second derivatives of its values") {
  // central second differences: error h² from the formula, 1e-16/h² from rounding
  const double h = 1e-4;
  for (const std::string& name : all_names()) {
    CAPTURE(name);
    const RepresentationPtr rep = representation(name);
    const std::size_t n = rep->size();
    const std::vector<double> row = row_of(name, kMoving);
    const std::span<const double> all(row);
    std::vector<double> before(n);
    std::vector<double> after(n);
    rep->write(moved(kMoving, -h), before);
    rep->write(moved(kMoving, h), after);
    double wrong_twin = 0;  // what is left without ω' in it
    std::vector<double> at_rest(n);
    rep->write_accelerations({kMoving.e_NB, {}, kMoving.wdot}, all.first(n), std::vector<double>(n), at_rest);
    for (std::size_t i = 0; i < n; ++i) {
      const double second = (after[i] - 2 * row[i] + before[i]) / (h * h);
      CHECK(std::fabs(second - row[2 * n + i]) < 2e-7);
      wrong_twin = std::max(wrong_twin, std::fabs(second - at_rest[i]));
    }
    CHECK(wrong_twin > 1e-3);
    for (const Noise noise : {Noise::refuse, Noise::project}) {
      const RateReading read =
          rep->read_accelerations(kMoving.e_NB, kMoving.w, all.first(n), all.subspan(n, n), all.last(n), noise);
      CHECK(norm_of_difference(read.w, kMoving.wdot) < 1e-13);
      CHECK(read.distance < 1e-14);
    }
  }
  // the other set of modified Rodrigues parameters
  const RepresentationPtr mrp = representation("mrp");
  const auto shadow = [](const E& e) {
    return ModifiedRodrigues::shadow(ModifiedRodrigues{}.from_euler_parameters(e));
  };
  const Vec3<double> x = shadow(kMoving.e_NB);
  REQUIRE(norm(x) > 1);
  const Vec3<double> xdot = coordinate_rate(ModifiedRodrigues{}, x, kMoving.w);
  const Vec3<double> xddot = coordinate_acceleration(ModifiedRodrigues{}, x, xdot, kMoving.wdot);
  const Vec3<double> difference = (1 / (h * h)) * (shadow(moved(kMoving, h)) - 2.0 * x + shadow(moved(kMoving, -h)));
  CHECK(norm(difference - xddot) < 1e-5 * norm(xddot));
  const auto numbers = [](const Vec3<double>& v) { return std::array{v.x, v.y, v.z}; };
  CHECK(
      norm_of_difference(
          mrp->read_accelerations(kMoving.e_NB, kMoving.w, numbers(x), numbers(xdot), numbers(xddot), Noise::refuse).w,
          kMoving.wdot) < 1e-12);
}

TEST_CASE("every pair of representations converts there and back with accelerations of every kind") {
  for (const std::string& from : all_names()) {
    for (const std::string& to : all_names()) {
      CAPTURE(from);
      CAPTURE(to);
      const Conversion forth({.from = representation(from),
                              .to = representation(to),
                              .rates_from = Rates::values,
                              .rates_to = Rates::space,
                              .accelerations_from = Rates::values,
                              .accelerations_to = Rates::values});
      const Conversion back({.from = representation(to),
                             .to = representation(from),
                             .rates_from = Rates::space,
                             .rates_to = Rates::values,
                             .accelerations_from = Rates::values,
                             .accelerations_to = Rates::body});
      const std::vector<double> in = row_of(from, kMoving);
      REQUIRE(in.size() == forth.input_names().size());
      std::vector<double> middle(forth.output_names().size());
      const double condition = forth(in, middle).conditioning.condition_number;
      std::vector<double> again(back.output_names().size());
      back(middle, again);
      const std::size_t n = representation(from)->size();
      const double scale =
          condition * representation(from)->conditioning(std::span<const double>(in).first(n)).condition_number;
      for (std::size_t i = 0; i < 2 * n; ++i) { CHECK(std::fabs(again[i] - in[i]) < 2e-14 * scale); }
      CHECK(norm_of_difference({again[2 * n], again[2 * n + 1], again[2 * n + 2]}, kMoving.wdot) <
            1e-13 * scale * scale);
    }
  }
}

TEST_CASE("accelerations that no rotation has are refused, or taken as those of the nearest rotation as it moves") {
  // a quaternion, a matrix and an axis that grow, q(t) = s(t) e(t): what belongs to e(t) comes out
  const double s = 1.5;
  const double sdot = -0.4;
  const double sddot = 0.8;
  for (const char* name :
       {"quaternion_wxyz", "quaternion_xyzw", "matrix", "axis_angle", "quaternion_wxyz:space-to-body"}) {
    CAPTURE(name);
    const RepresentationPtr rep = representation(name);
    const std::size_t n = rep->size();
    const std::vector<double> row = row_of(name, kMoving);
    std::vector<double> grown(row);
    for (std::size_t i = 0; i < n; ++i) {
      if (std::string(name) == "axis_angle" && i == 3) { continue; }  // the angle does not grow with the axis
      grown[i] = s * row[i];
      grown[n + i] = s * row[n + i] + sdot * row[i];
      grown[2 * n + i] = s * row[2 * n + i] + 2 * sdot * row[n + i] + sddot * row[i];
    }
    const std::span<const double> all(grown);
    const E e = rep->read(all.first(n), Noise::project).e_NB;
    const BodyVector<double> w = rep->read_rates(e, all.first(n), all.subspan(n, n), Noise::project).w;
    CHECK(norm_of_difference(w, kMoving.w) < 1e-13);
    const RateReading read =
        rep->read_accelerations(e, w, all.first(n), all.subspan(n, n), all.last(n), Noise::project);
    CHECK(norm_of_difference(read.w, kMoving.wdot) < 1e-12);
    CHECK(read.distance > 0.1);
    // rates of a rotation, accelerations of none
    const std::span<const double> good(row);
    std::vector<double> stretched(good.last(n).begin(), good.last(n).end());
    for (std::size_t i = 0; i < n; ++i) { stretched[i] += 0.01 * row[i]; }
    CHECK_THROWS_AS(
        rep->read_accelerations(kMoving.e_NB, kMoving.w, good.first(n), good.subspan(n, n), stretched, Noise::refuse),
        Error);
    // with six digits they pass
    std::vector<double> short_row(row);
    for (double& x : short_row) { x = std::round(x * 1e6) / 1e6; }
    const std::span<const double> few(short_row);
    CHECK(norm_of_difference(rep->read_accelerations(kMoving.e_NB, kMoving.w, few.first(n), few.subspan(n, n),
                                                     few.last(n), Noise::refuse)
                                 .w,
                             kMoving.wdot) < 1e-5);
  }
}

TEST_CASE(
    "one motion after another: attitude, rate and acceleration of the product, of the inverse and of what one "
    "frame sees of another") {
  const AttitudeMotion<double> a{normalized(E{1, {-0.3, 0.8, 0.2}}), {1.1, -0.6, 0.4}, {0.5, 0.2, -1.3}};
  const AttitudeMotion<double>& b = kMoving;
  // second differences along the two motions
  const double h = 1e-4;
  const auto differences = [&](const auto& attitude, const AttitudeMotion<double>& expected) {
    const E now = attitude(0.0);
    const E rate = (1 / (2 * h)) * (attitude(h) - attitude(-h));
    const E second = (1 / (h * h)) * (attitude(h) - 2.0 * now + attitude(-h));
    CHECK(angle_between(now, expected.e_NB) < 1e-15);
    CHECK(norm_of_difference(angular_velocity<Body>(now, rate), expected.w) < 1e-7);
    CHECK(norm_of_difference(angular_acceleration<Body>(now, rate, second), expected.wdot) < 1e-6);
  };
  differences([&](double t) { return moved(a, t) * moved(b, t); }, a * b);
  differences([&](double t) { return conjugate(moved(a, t)); }, inverse(a));
  differences([&](double t) { return conjugate(moved(a, t)) * moved(b, t); }, inverse(a) * b);
  // without the last product of KIN-68 it is another acceleration
  CHECK(norm(cross(BodyVector<double>(rotate_back(b.e_NB, a.w.raw())), b.w).raw()) > 0.1);
  const AttitudeMotion<double> none = inverse(a) * a;
  CHECK(norm(none.w.raw()) < 1e-15);
  CHECK(norm(none.wdot.raw()) < 1e-15);

  // the same through rows, by several representations
  for (const bool relative : {false, true}) {
    const AttitudeMotion<double> expected = relative ? inverse(a) * b * a : a * b * a;
    const Conversion conversion({.from = representation("euler:3-1-3"),
                                 .then = {representation("mrp"), representation("matrix:space-to-body")},
                                 .relative = relative,
                                 .to = representation("quaternion_wxyz"),
                                 .rates_from = Rates::values,
                                 .rates_to = Rates::body,
                                 .accelerations_from = Rates::values,
                                 .accelerations_to = Rates::body});
    std::vector<double> in = row_of("euler:3-1-3", a);
    for (const std::vector<double>& more : {row_of("mrp", b), row_of("matrix:space-to-body", a)}) {
      in.insert(in.end(), more.begin(), more.end());
    }
    REQUIRE(conversion.input_names().size() == in.size());
    CHECK(conversion.input_names()[9] == "then_s1");
    CHECK(conversion.input_names()[18] == "then2_r11");
    std::vector<double> out(10);
    conversion(in, out);
    CHECK(angle_between({out[0], {out[1], out[2], out[3]}}, expected.e_NB) < 1e-14);
    CHECK(norm_of_difference({out[4], out[5], out[6]}, expected.w) < 1e-13);
    CHECK(norm_of_difference({out[7], out[8], out[9]}, expected.wdot) < 1e-13);
  }
}

TEST_CASE("vectors and points are turned from body to space and back") {
  // 90 degrees about the third axis: the body's first axis is the second of space
  const std::vector<double> quarter{90, 0, 0};
  const auto turned = [&](Turning turning, Direction direction, const std::vector<double>& more, const char* from) {
    const Conversion conversion(
        {.from = representation(from), .degrees_in = true, .turning = turning, .direction = direction});
    std::vector<double> in(quarter);
    in.insert(in.end(), more.begin(), more.end());
    REQUIRE(conversion.input_names().size() == in.size());
    std::vector<double> out(conversion.output_names().size());
    conversion(in, out);
    return out;
  };
  check_near(turned(Turning::vector, Direction::body_to_space, {1, 0, 2}, "euler:3-2-1"), {0, 1, 2}, 1e-15);
  check_near(turned(Turning::vector, Direction::space_to_body, {0, 1, 2}, "euler:3-2-1"), {1, 0, 2}, 1e-15);
  // the direction of the numbers is another matter: the angles of the turns back
  check_near(turned(Turning::vector, Direction::body_to_space, {0, 1, 2}, "euler:3-2-1:space-to-body"), {1, 0, 2},
             1e-15);
  check_near(turned(Turning::point, Direction::body_to_space, {10, 20, 30, 1, 0, 2}, "euler:3-2-1"), {10, 21, 32},
             1e-14);
  check_near(turned(Turning::point, Direction::space_to_body, {10, 20, 30, 10, 21, 32}, "euler:3-2-1"), {1, 0, 2},
             1e-14);
  CHECK(Conversion({.from = representation("mrp"), .turning = Turning::point}).input_names() ==
        std::vector<std::string>{"s1", "s2", "s3", "r_space_x", "r_space_y", "r_space_z", "p_body_x", "p_body_y",
                                 "p_body_z"});
}

TEST_CASE("angular velocity in space components is the rotated body one") {
  const E e = normalized(E{2, {4, 5, 6}});
  const Conversion conversion({.from = representation("quaternion_wxyz"),
                               .to = representation("euler:3-1-3"),
                               .rates_from = Rates::body,
                               .rates_to = Rates::space});
  std::vector<double> out(6);
  conversion(std::vector<double>{e.e0, e.ev.x, e.ev.y, e.ev.z, 0.3, -0.2, 0.5}, out);
  // exact: R = (-41 16 68; 64 -23 44; 28 76 -1)/81
  const double expected[] = {(-41 * 0.3 - 16 * 0.2 + 68 * 0.5) / 81, (64 * 0.3 + 23 * 0.2 + 44 * 0.5) / 81,
                             (28 * 0.3 - 76 * 0.2 - 0.5) / 81};
  for (std::size_t i = 0; i < 3; ++i) { CHECK(std::fabs(out[3 + i] - expected[i]) < 1e-15); }
}

TEST_CASE("degrees apply to angles and angular rates, in and out, and to nothing else") {
  const Conversion conversion({.from = representation("euler:3-2-1"),
                               .to = representation("axis_angle"),
                               .rates_from = Rates::values,
                               .rates_to = Rates::body,
                               .degrees_in = true,
                               .degrees_out = true});
  CHECK(conversion.input_names() == std::vector<std::string>{"theta1_deg", "theta2_deg", "theta3_deg",
                                                             "theta1_rate_deg_s", "theta2_rate_deg_s",
                                                             "theta3_rate_deg_s"});
  CHECK(conversion.output_names() == std::vector<std::string>{"axis_x", "axis_y", "axis_z", "angle_deg",
                                                              "w_body_x_deg_s", "w_body_y_deg_s", "w_body_z_deg_s"});
  std::vector<double> out(7);
  conversion(std::vector<double>{90, 0, 0, 10, 0, 0}, out);
  check_near(out, {0, 0, 1, 90, 0, 0, 10}, 1e-13);
}

TEST_CASE("a noisy quaternion or matrix is refused, or projected with its distance") {
  const std::vector<double> long_quaternion{1.01, 0, 0, 0};
  CHECK_THROWS_AS(convert("quaternion_wxyz", "matrix", long_quaternion), Error);
  const Reading nearest = representation("quaternion_wxyz")->read(long_quaternion, Noise::project);
  CHECK(nearest.distance == doctest::Approx(0.01));
  CHECK(nearest.e_NB == E::identity());

  const std::vector<double> sheared{1, 0.1, 0, 0, 1, 0, 0, 0, 1};
  CHECK_THROWS_AS(convert("matrix", "quaternion_wxyz", sheared), Error);
  const Reading rotation = representation("matrix")->read(sheared, Noise::project);
  CHECK(rotation.distance == doctest::Approx(0.0707).epsilon(0.01));
  CHECK(std::fabs(norm(rotation.e_NB) - 1) < 1e-15);

  const std::vector<double> mirrored{1, 0, 0, 0, 1, 0, 0, 0, -1};
  CHECK_THROWS_AS(representation("matrix")->read(mirrored, Noise::project), Error);
  const std::vector<double> zero{0, 0, 0, 0};
  CHECK_THROWS_AS(representation("quaternion_wxyz")->read(zero, Noise::project), Error);
}

TEST_CASE("rates that no rotation has are refused, or left out with their distance") {
  const auto rates_of = [](const char* name, const std::vector<double>& in, Noise noise) {
    const RepresentationPtr rep = representation(name);
    const std::span<const double> x = std::span<const double>(in).first(rep->size());
    return rep->read_rates(rep->read(x, noise).e_NB, x, std::span<const double>(in).last(rep->size()), noise);
  };
  struct Stray {
    const char* name;
    std::vector<double> in;
    Vec3<double> w;
    double distance;
  };
  const double s = std::sqrt(0.5);
  // Values first. In the second half the values are no rotations either: q = |q| e, a = |a| n and A = 2 R keep their
  // direction, so their rates over 2 are those of e, n and R. The stretch P = diag(2 1 1) of the last one turns about z
  // by RᵀȦ = w z̃ P + Ṗ, with w = 0.5 and Ṗ = 0: entries (2 1) = 2 w and (1 2) = -w.
  const std::vector<Stray> strays{
      {"axis_angle", {1, 0, 0, 0.5, 3, 0, 0, 1}, {1, 0, 0}, 3},
      {"quaternion_wxyz", {1, 0, 0, 0, 5, 1, 0, 0}, {2, 0, 0}, 5},
      {"quaternion_xyzw:space-to-body", {0, 0, 0, 1, 1, 0, 0, 5}, {-2, 0, 0}, 5},
      {"matrix", {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 5, 0, 0, 0, 0, 0, 0, 0}, {0, 0, -2.5}, 5 * s},
      {"quaternion_wxyz", {2, 0, 0, 0, 6, 2, 0, 0}, {2, 0, 0}, std::sqrt(37.0)},
      {"axis_angle", {0, 0, 2, 0.5, 0, 0, 4, 1}, {0, 0, 1}, 4},
      {"matrix", {2, 0, 0, 0, 2, 0, 0, 0, 2, 0, -2, 0, 2, 0, 0, 0, 0, 0}, {0, 0, 1}, 2 * s},
      {"matrix", {2, 0, 0, 0, 1, 0, 0, 0, 1, 0, -0.5, 0, 1, 0, 0, 0, 0, 0}, {0, 0, 0.5}, 0.5},
  };
  for (const Stray& stray : strays) {
    CAPTURE(stray.name);
    CAPTURE(stray.distance);
    CHECK_THROWS_AS(rates_of(stray.name, stray.in, Noise::refuse), Error);
    const RateReading read = rates_of(stray.name, stray.in, Noise::project);
    CHECK(norm(read.w.raw() - stray.w) < 1e-15);
    CHECK(read.distance == doctest::Approx(stray.distance).epsilon(1e-14));
    // of any size
    for (const double size : {1e-300, 1e300}) {
      std::vector<double> scaled = stray.in;
      for (std::size_t i = scaled.size() / 2; i < scaled.size(); ++i) { scaled[i] *= size; }
      CHECK_THROWS_AS(rates_of(stray.name, scaled, Noise::refuse), Error);
      CHECK(rates_of(stray.name, scaled, Noise::project).distance == doctest::Approx(size * stray.distance));
    }
  }
}

TEST_CASE("a quaternion longer than any number turns as fast as its rates say") {
  // q = 1e308 (1 1 1 1), |q| = 2e308, q·q̇ = 0: ω' = 2 (e* ⊗ q̇)/|q| = 2e307 (1 0 1)/2e308
  const std::vector<double> q{1e308, 1e308, 1e308, 1e308};
  const std::vector<double> qdot{-1e307, 1e307, 0, 0};
  const RepresentationPtr rep = representation("quaternion_wxyz");
  const RateReading read = rep->read_rates(rep->read(q, Noise::project).e_NB, q, qdot, Noise::project);
  CHECK(norm(read.w.raw() - Vec3<double>{0.1, 0, 0.1}) < 1e-15);
}

TEST_CASE("rates of values that just pass, and rates with as few digits, pass") {
  std::mt19937_64 engine(5);
  std::normal_distribution<double> normal;
  const double digits = 1e6;  // six decimals
  for (int n = 0; n < 2000; ++n) {
    const E e = normalized(E{normal(engine), {normal(engine), normal(engine), normal(engine)}});
    const BodyVector<double> w{normal(engine), normal(engine), normal(engine)};
    for (const char* name : {"quaternion_wxyz", "matrix", "axis_angle"}) {
      CAPTURE(name);
      const RepresentationPtr rep = representation(name);
      std::vector<double> x(rep->size());
      std::vector<double> xdot(rep->size());
      rep->write(e, x);
      rep->write_rates(e, w, x, xdot);
      const double size = *std::max_element(xdot.begin(), xdot.end(), [](double a, double b) { return a * a < b * b; });
      for (double& number : x) { number = std::round(number * digits) / digits; }
      for (double& number : xdot) { number = size * std::round(number / size * digits) / digits; }
      E read;
      try {
        read = rep->read(x, Noise::refuse).e_NB;
      } catch (const Error&) { continue; }  // rounded to more than the tolerance of values
      // the rounding above, a few times
      CHECK(rep->read_rates(read, x, xdot, Noise::refuse).distance < 4e-6 * std::sqrt(9.0) * std::fabs(size));
    }
  }
  // AᵀA − I = 0.9e-6 of an off-diagonal, its rate Ȧ = A ω̃' with ω' along x
  const std::vector<double> A{1, 0.9e-6, 0, 0, 1, 0, 0, 0, 1};
  const std::vector<double> Adot{0, 0, -0.9e-6, 0, 0, -1, 0, 1, 0};
  const RepresentationPtr matrix = representation("matrix");
  CHECK(matrix->read_rates(matrix->read(A, Noise::refuse).e_NB, A, Adot, Noise::refuse).w.raw().x ==
        doctest::Approx(1));
  // near no rotation the rate of an axis is mostly rounding, when the turn is about that axis
  const RepresentationPtr axis = representation("axis_angle");
  for (const double angle : {1e-3, 1e-8, 1e-12, 1e-15}) {
    CAPTURE(angle);
    const E e = exp(angle * Vec3<double>{0.48, 0.6, 0.64});
    std::vector<double> x(4);
    std::vector<double> xdot(4);
    axis->write(e, x);
    axis->write_rates(e, BodyVector<double>(3.0 * vec3_of(x)), x, xdot);
    CHECK(axis->read_rates(e, x, xdot, Noise::refuse).w.raw().x == doctest::Approx(3 * 0.48));
  }
}

TEST_CASE("a quaternion of nearly unit length is handed on as it is, and its matrix is orthogonal") {
  const std::vector<double> rounded{0.7071068, 0.7071068, 0, 0};  // seven digits
  CHECK(convert("quaternion_wxyz", "quaternion_xyzw", rounded) == std::vector<double>{0.7071068, 0, 0, 0.7071068});
  check_near(convert("quaternion_wxyz", "matrix", rounded), {1, 0, 0, 0, 0, -1, 0, 1, 0}, 4e-16);
}

TEST_CASE("published conversions come out to their printed digits") {
  std::ifstream file(std::string(POLHODE_SOURCE_DIR) + "/tests/cases/rotation_vectors.csv");
  REQUIRE(file.good());
  const auto numbers = [](const std::string& text) {
    std::vector<double> list;
    std::stringstream words(text);
    for (double x = 0; words >> x;) { list.push_back(x); }
    return list;
  };
  int rows = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#' || line.starts_with("source,")) { continue; }
    CAPTURE(line);
    std::vector<std::string> fields;
    std::stringstream rest(line);
    for (std::string field; std::getline(rest, field, ',');) { fields.push_back(field); }
    REQUIRE(fields.size() == 7);
    const std::string to = fields[3] == "matrix_space_to_body" ? "matrix@matlab-aerospace" : fields[3];
    const Conversion conversion({.from = representation(fields[1]),
                                 .to = representation(to),
                                 .degrees_in = fields[2] == "deg",
                                 .noise = Noise::project});  // some quaternions are printed without their norm
    std::vector<double> got(conversion.output_names().size());
    conversion(numbers(fields[4]), got);
    const std::vector<double> wanted = numbers(fields[5]);
    if (to.starts_with("quaternion") && std::inner_product(got.begin(), got.end(), wanted.begin(), 0.0) < 0) {
      for (double& x : got) { x = -x; }
    }
    check_near(got, wanted, std::stod(fields[6]));
    ++rows;
  }
  CHECK(rows >= 30);
}

TEST_CASE("published numbers of other programs come out of their conventions") {
  const double s = std::sqrt(0.5);
  // SciPy's own tests: Rotation.from_quat([1, 2, 3, 4]).as_matrix() = [[0.4, -2, 2.2], [2.8, 1, 0.4], [-1, 2, 2]]/3
  const double n = std::sqrt(30.0);
  check_near(convert("quaternion@scipy", "matrix@scipy", {1 / n, 2 / n, 3 / n, 4 / n}),
             {0.4 / 3, -2.0 / 3, 2.2 / 3, 2.8 / 3, 1.0 / 3, 0.4 / 3, -1.0 / 3, 2.0 / 3, 2.0 / 3}, 1e-15);
  check_near(convert("rotation_vector@scipy", "quaternion@scipy", {0.2, 0.3, 0.4}),
             {0.09879603932153465, 0.14819405898230198, 0.19759207864306931, 0.9639685}, 5e-8);
  check_near(convert("mrp@scipy", "quaternion@scipy", {1, 2, 2}), {0.2, 0.4, 0.4, -0.8}, 1e-15);
  // MathWorks documentation, four digits: angle2dcm(0.7854, 0.1, 0), angle2quat of the same, and with 'YXZ'
  check_near(convert("euler@matlab-aerospace", "matrix@matlab-aerospace", {0.7854, 0.1, 0}),
             {0.7036, 0.7036, -0.0998, -0.7071, 0.7071, 0, 0.0706, 0.0706, 0.9950}, 6e-5);
  check_near(convert("euler@matlab", "quaternion@matlab", {0.7854, 0.1, 0}), {0.9227, -0.0191, 0.0462, 0.3822}, 6e-5);
  check_near(convert("euler:YXZ@matlab", "quaternion@matlab", {0.3, 0.1, 0.5}), {0.9587, 0.0848, 0.1324, 0.2371}, 6e-5);
  // eul2quat([0 pi/2 0]) = 0.7071 0 0.7071 0
  check_near(convert("euler@matlab-robotics", "quaternion@matlab-robotics", {0, math::kPi<double> / 2, 0}),
             {s, 0, s, 0}, 1e-15);
}

TEST_CASE("conventions differ where their documentation says so") {
  const double c = std::cos(0.1);
  const double s = std::sin(0.1);
  // a turn of +0.2 about z: SPICE's [0.2]_3 takes space to body components
  check_near(convert("euler:3-1-3@spice", "matrix@spice", {0, 0, 0.2}),
             {std::cos(0.2), std::sin(0.2), 0, -std::sin(0.2), std::cos(0.2), 0, 0, 0, 1}, 1e-15);
  check_near(convert("euler:3-1-3@spice", "quaternion@spice", {0, 0, 0.2}), {c, 0, 0, -s}, 1e-15);
  // its first angle is the last turn
  check_near(convert("euler:3-2-1@spice", "euler:1-2-3", {0.3, 0.2, 0.1}), {0.1, 0.2, 0.3}, 1e-15);
  // roll pitch yaw about fixed axes is yaw pitch roll about moving ones
  check_near(convert("euler@ros", "euler:3-2-1", {0.1, 0.2, 0.3}), {0.3, 0.2, 0.1}, 1e-15);
  check_near(convert("euler@drake", "euler@bullet", {0.1, 0.2, 0.3}), {0.1, 0.2, 0.3}, 1e-15);
  // small letters: extrinsic for SciPy, intrinsic for MuJoCo
  check_near(convert("euler:xyz@scipy", "euler:XYZ@mujoco", {0.1, 0.2, 0.3}), {0.1, 0.2, 0.3}, 1e-15);
  check_near(convert("euler:XYZ@scipy", "euler@mujoco", {0.1, 0.2, 0.3}), {0.1, 0.2, 0.3}, 1e-15);
  // scalar last, the same turn
  check_near(convert("quaternion@ccsds", "quaternion_wxyz", {0, 0, s, c}), {c, 0, 0, s}, 0);
  check_near(convert("quaternion@multibodynotes", "matrix@multibodynotes", {0, 0, s, c}),
             {std::cos(0.2), std::sin(0.2), 0, -std::sin(0.2), std::cos(0.2), 0, 0, 0, 1}, 1e-15);
  check_near(convert("euler:3-2-1@bernstein2023", "euler:3-2-1", {0.3, 0.2, 0.1}), {0.1, 0.2, 0.3}, 1e-15);
  check_near(convert("quaternion_xyzw@eigen", "quaternion_wxyz@eigen", {0, 0, s, c}), {c, 0, 0, s}, 0);
}

TEST_CASE("a direction turns every representation round: space to body is the inverse") {
  // Euler parameters of the turns φ θ ψ = 90° 60° 30° about 3, 1, 3, by the formulas of the textbooks:
  //   e0 = cos θ/2 cos (φ+ψ)/2 = √3/2 · 1/2    e1 = sin θ/2 cos (φ−ψ)/2 = 1/2 · √3/2
  //   e3 = cos θ/2 sin (φ+ψ)/2 = √3/2 · √3/2   e2 = sin θ/2 sin (φ−ψ)/2 = 1/2 · 1/2
  // body to space; the conjugate takes space to body.
  const double r = std::sqrt(3.0) / 4;
  const std::vector<double> angles{90 * math::kDegree, 60 * math::kDegree, 30 * math::kDegree};
  check_near(convert("quaternion_xyzw:space-to-body", "euler:3-1-3", {-r, -0.25, -0.75, r}), angles, 1e-15);
  check_near(convert("quaternion_wxyz:space-to-body", "euler:3-1-3", {r, -r, -0.25, -0.75}), angles, 1e-15);
  check_near(convert("quaternion_xyzw:body-to-space", "euler:3-1-3", {r, 0.25, 0.75, r}), angles, 1e-15);
  // The matrix of the same turns, space to body, is a product of turns of frames, C = [ψ]3 [θ]1 [φ]3:
  //   cψ cφ − cθ sφ sψ    cψ sφ + cθ cφ sψ   sψ sθ        −1/4    √3/2   √3/4
  //  −sψ cφ − cθ sφ cψ   −sψ sφ + cθ cφ cψ   cψ sθ   =   −√3/4   −1/2    3/4
  //   sθ sφ              −sθ cφ              cθ           √3/2     0     1/2
  const std::vector<double> C{-0.25, 2 * r, r, -r, -0.5, 0.75, 2 * r, 0, 0.5};
  check_near(convert("matrix:space-to-body", "euler:3-1-3", C), angles, 1e-15);
  check_near(convert("euler:3-1-3", "matrix:space-to-body", angles), C, 1e-15);
  // vectors along the axis change sign; 3-1-3 turns are undone last first
  check_near(convert("rotation_vector", "rotation_vector:space-to-body", {0.1, 0.2, 0.3}), {-0.1, -0.2, -0.3}, 1e-16);
  check_near(convert("euler:3-2-1", "euler:1-2-3:space-to-body", {0.1, 0.2, 0.3}), {-0.3, -0.2, -0.1}, 1e-15);
  check_near(convert("euler:3-2-1", "euler:3-2-1:extrinsic:space-to-body", {0.1, 0.2, 0.3}), {-0.1, -0.2, -0.3}, 1e-15);
}

TEST_CASE("a direction stands last, once, and not beside a program that has its own") {
  const std::pair<const char*, const char*> refused[] = {
      {"euler:3-1-3:space-to-body:extrinsic",
       "'euler:3-1-3:space-to-body:extrinsic': a direction stands last; write euler:3-1-3:extrinsic:space-to-body"},
      {"matrix:space-to-body:space-to-body",
       "'matrix:space-to-body:space-to-body' gives two directions; write matrix:body-to-space or "
       "matrix:space-to-body"},
      {"matrix:body-to-space:space-to-body",
       "'matrix:body-to-space:space-to-body' gives two directions; write matrix:body-to-space or "
       "matrix:space-to-body"},
      {"matrix:space_to_body",
       "unknown direction 'space_to_body'; known: body-to-space space-to-body; did you mean 'space-to-body'?"},
      {"euler:3-1-3:space-to-bodies",
       "unknown direction 'space-to-bodies'; known: body-to-space space-to-body; did you mean 'space-to-body'?"},
      {"quaternion:space-to-body",
       "'quaternion' does not say where the scalar stands; write quaternion_wxyz (scalar first) or quaternion_xyzw "
       "(scalar last); or name the program that wrote it, such as quaternion@scipy"},
      {"euler:space-to-body",
       "'euler' does not say in which order the axes are turned; add the sequence, such as euler:3-2-1 or "
       "euler:1-2-3:extrinsic"},
      {"quaternion:space-to-body@ccsds",
       "'quaternion:space-to-body@ccsds': ccsds has its own direction; write quaternion@ccsds, or without @ccsds "
       "quaternion_xyzw:space-to-body"},
      {"quaternion@ccsds:space-to-body",
       "'quaternion@ccsds:space-to-body': ccsds has its own direction; write quaternion@ccsds, or without @ccsds "
       "quaternion_xyzw:space-to-body"},
      {"quaternion_wxyz:space-to-body@eigen",
       "'quaternion_wxyz:space-to-body@eigen': eigen has its own direction; write quaternion_wxyz@eigen, or without "
       "@eigen quaternion_wxyz:space-to-body"},
      {"matrix:body-to-space@spice",
       "'matrix:body-to-space@spice': spice has its own direction; write matrix@spice, or without @spice "
       "matrix:body-to-space"},
      {"euler:space-to-body@ros",
       "'euler:space-to-body@ros': ros has its own direction; write euler@ros, or without @ros our own angles, such as "
       "euler:3-1-3:space-to-body"},
  };
  for (const auto& [name, message] : refused) {
    CAPTURE(name);
    std::string said;
    try {
      representation(name);
    } catch (const Error& error) { said = error.what(); }
    CHECK(said == message);
  }
}

TEST_CASE("near a singularity the condition number says so, at it it is infinite") {
  const RepresentationPtr proper = representation("euler:3-1-3");
  CHECK(std::isinf(proper->conditioning(std::vector<double>{0, 0, 0}).condition_number));
  CHECK(proper->conditioning(std::vector<double>{0, 0, 0}).condition_number > 0);
  CHECK(proper->conditioning(std::vector<double>{0, 1e-3, 0}).condition_number == doctest::Approx(2000).epsilon(1e-3));
  CHECK(proper->conditioning(std::vector<double>{0, 1e-3, 0}).distance == doctest::Approx(1e-3).epsilon(1e-6));
  const RepresentationPtr axis = representation("axis_angle");
  CHECK(std::isinf(axis->conditioning(std::vector<double>{0, 0, 1, 0}).condition_number));
  CHECK(representation("quaternion_wxyz")->conditioning(std::vector<double>{1, 0, 0, 0}).condition_number == 1);
  CHECK_THROWS_AS(convert("quaternion_wxyz", "rodrigues", {0, 1, 0, 0}), Error);
}

TEST_CASE("every convention says what it is, and other programs by which document") {
  for (const Convention& tool : conventions()) {
    CAPTURE(tool.name);
    CHECK(!tool.summary.empty());
    CHECK(!tool.source.empty());
  }
}

TEST_CASE("every convention reads back every form that it writes") {
  int forms = 0;
  for (const Convention& tool : conventions()) {
    std::vector<std::string> candidates{"quaternion", "quaternion_wxyz", "quaternion_xyzw", "matrix",
                                        "euler",      "euler:ZYX",       "euler:3-1-3",     "euler:1-2-3"};
    for (const RepresentationFamily* family : representation_families()) { candidates.emplace_back(family->name); }
    for (const std::string& candidate : candidates) {
      const std::string name = candidate + "@" + std::string(tool.name);
      CAPTURE(name);
      RepresentationPtr rep;
      try {
        rep = representation(name);
      } catch (const Error&) {
        continue;  // not a form of this tool
      }
      ++forms;
      std::vector<double> x(rep->size());
      for (const E& e : attitudes()) {
        rep->write(e, x);
        // a few roundings; the root of one where e0 = √(1 − x²) of a half turn is read
        CHECK(angle_between(rep->read(x, Noise::refuse).e_NB, e) < (candidate == "reduced" ? 1e-7 : 2e-15));
      }
    }
  }
  CHECK(forms > 60);
}

TEST_CASE("text after the colon of a quaternion is refused") {
  for (const char* name : {"quaternion:x@ros", "quaternion_xyzw:3-1-3@ros", "quaternion_wxyz:x@eigen"}) {
    CAPTURE(name);
    CHECK_THROWS_AS(representation(name), Error);
  }
  try {
    representation("quaternion:x@ros");
  } catch (const Error& error) {
    CHECK(std::string(error.what()) == "'quaternion' takes nothing after a colon, got 'x'; write quaternion@ros");
  }
}
