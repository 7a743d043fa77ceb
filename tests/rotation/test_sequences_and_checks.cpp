#include "polhode/core/error.h"
#include "polhode/rotation.h"
#include "support/random.h"

#include <doctest/doctest.h>

#include <limits>
#include <set>
#include <string>

using namespace polhode;

namespace {

template <class F>
std::string message_of(F&& call) {
  try {
    call();
  } catch (const Error& error) { return error.what(); }
  return "no error";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a sequence is read from numbers or capital letters, with or without dashes, and named back") {
  CHECK(EulerSequence::parse("3-1-3") == EulerSequence{{2, 0, 2}, false});
  CHECK(EulerSequence::parse("321") == EulerSequence{{2, 1, 0}, false});
  CHECK(EulerSequence::parse("XYZ:extrinsic") == EulerSequence{{0, 1, 2}, true});
  CHECK(EulerSequence::parse("1-2-3:intrinsic") == EulerSequence{{0, 1, 2}, false});
  std::set<std::string> names;
  for (const EulerSequence& sequence : all_sequences()) {
    CHECK(EulerSequence::parse(sequence.name()) == sequence);
    names.insert(sequence.name());
  }
  CHECK(names.size() == 12);
}

TEST_CASE("a wrong sequence is refused in one line that says what would be right") {
  CHECK(contains(message_of([] { EulerSequence::parse("3-3-1"); }), "neighbouring axes must differ"));
  CHECK(contains(message_of([] { EulerSequence::parse("zyx"); }), "3-2-1:extrinsic"));
  CHECK(contains(message_of([] { EulerSequence::parse("3-1-3:extrinsinc"); }), "allowed: intrinsic, extrinsic"));
  for (const char* text :
       {"", "3", "3-1", "3-1-", "-3-1-3", "3--1-3", "3-1-3-1", "4-1-2", "3 1 3", "313-", "3-1-3\n"}) {
    CAPTURE(text);
    const std::string message = message_of([&] { EulerSequence::parse(text); });
    CHECK(contains(message, "is not three axes"));
    CHECK(contains(message, "known: 1-2-1"));
  }
}

TEST_CASE("quaternions from outside are refused when not finite, zero or not of unit norm") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(contains(message_of([&] { require_unit(EulerParameters<double>{nan, {0, 0, 0}}); }), "is not finite"));
  for (std::size_t i = 0; i < 3; ++i) {
    EulerParameters<double> one{1, {0, 0, 0}};
    one.ev[i] = nan;
    CHECK(contains(message_of([&] { require_unit(one); }), "is not finite"));
    // no norm overflows, whichever component is large
    EulerParameters<double> large{3e200, {0, 0, 0}};
    large.ev[i] = 4e200;
    CHECK(norm(large) == doctest::Approx(5e200));
  }
  CHECK(contains(message_of([] { require_unit(EulerParameters<double>{0, {0, 0, 0}}); }), "is zero"));
  CHECK(message_of([] { require_unit(EulerParameters<double>{1, {1, 1, 1}}); }) ==
        "quaternion (1 1 1 1) has norm 2, not 1 (tolerance 1e-06); divided by its norm it would be 0.5 0.5 0.5 0.5");
  CHECK(contains(message_of([] { require_unit(EulerParameters<double>{2, {4, 5, 6}}); }),
                 "has norm 9, not 1 (tolerance 1e-06); divided by its norm it would be 0.22222222222222221 "
                 "0.44444444444444442 0.55555555555555558 0.66666666666666663"));
  CHECK(message_of([] { require_unit(EulerParameters<double>{1, {1e-7, 0, 0}}); }) == "no error");
}

TEST_CASE("matrices from outside are refused when not finite, not orthogonal or left-handed") {
  Mat3<double> A = identity<double, 3>();
  CHECK(message_of([&] { require_rotation(A); }) == "no error");
  A(2, 2) = -1;
  CHECK(contains(message_of([&] { require_rotation(A); }), "left-handed: det A = -1"));
  A(2, 2) = 1.01;
  CHECK(contains(message_of([&] { require_rotation(A); }), "the nearest rotation is 0.01 away"));
  A(2, 2) = std::numeric_limits<double>::infinity();
  CHECK(contains(message_of([&] { require_rotation(A); }), "not finite"));
}

TEST_CASE("axes from outside are refused when zero or not of unit length") {
  CHECK(contains(message_of([] { require_unit(Vec3<double>{0, 0, 0}, "axis"); }), "give the direction"));
  CHECK(contains(message_of([] { require_unit(Vec3<double>{0, 0, 2}, "axis"); }), "it would be 0 0 1"));
}

TEST_CASE("an extrinsic sequence is the reversed intrinsic one with reversed angles") {
  test::Random random;
  for (const EulerSequence& sequence : all_sequences()) {
    const Vec3<double> angles = random.vector(1.3);
    const EulerAngles intrinsic{sequence};
    const EulerAngles extrinsic{sequence::reversed(sequence)};
    CHECK(extrinsic.sequence.extrinsic);
    CHECK(intrinsic.to_euler_parameters(angles) ==
          extrinsic.to_euler_parameters(Vec3<double>{angles.z, angles.y, angles.x}));
    // by definition: first about the space axis written first
    const auto about = [](int axis, double angle) {
      return exp(angle * axis_vector<double>(static_cast<std::size_t>(axis)));
    };
    const EulerSequence e{sequence.axes, true};
    const EulerParameters<double> by_hand =
        about(e.axes[2], angles.z) * (about(e.axes[1], angles.y) * about(e.axes[0], angles.x));
    CHECK(norm(EulerAngles{e}.to_euler_parameters(angles) - by_hand) < 1e-15);
  }
}

TEST_CASE("angles follow a motion through lock without a jump when the previous ones are given") {
  for (const EulerSequence& sequence : all_sequences()) {
    const EulerAngles chart{sequence};
    Vec3<double> previous{0.4, sequence.proper() ? 0.5 : 1.2, -0.7};
    // the middle angle runs through lock and on for several turns; the last two turn as well
    double largest_jump = 0;
    for (int n = 1; n <= 4000; ++n) {
      const double t = n * 0.005;
      const Vec3<double> truth{0.4 + 0.3 * t, (sequence.proper() ? 0.5 : 1.2) + t, -0.7 - 0.2 * t};
      const Vec3<double> found = chart.from_euler_parameters(chart.to_euler_parameters(truth), previous);
      largest_jump = std::max(largest_jump, norm(found - previous));
      CHECK(norm(found - truth) < 1e-10);  // near lock each angle is known to rounding over the distance, ≥ 1e-3
      previous = found;
    }
    CHECK(largest_jump < 0.01);
  }
  // exactly at lock: θ3 is kept and θ1 makes up for it
  const EulerAngles chart{EulerSequence::parse("3-1-3")};
  const Vec3<double> kept = chart.from_euler_parameters(exp(Vec3<double>{0, 0, 1}), Vec3<double>{0.2, 0, 0.3});
  CHECK(norm(kept - Vec3<double>{0.7, 0, 0.3}) < 1e-15);
}

TEST_CASE("a chart near its singularity is left by recentering: same attitude, best conditioned again") {
  const auto check = [](const auto& chart, const Vec3<double>& x) {
    ChartPoint<double> point{EulerParameters<double>::identity(), x};
    const EulerParameters<double> e = to_euler_parameters(chart, point);
    CHECK_FALSE(switch_chart(chart, point, 1e-3));
    CHECK(switch_chart(chart, point, 0.5));
    CHECK(norm(to_euler_parameters(chart, point) - e) < 1e-15);
    CHECK(chart.conditioning(point.x).distance > 1);
    CHECK(chart.conditioning(point.x).condition_number < 1.0001);
  };
  check(EulerAngles{EulerSequence::parse("3-2-1")}, {0.3, 1.5, 0.2});
  check(EulerAngles{EulerSequence::parse("3-1-3")}, {0.3, 0.05, 0.2});
  check(Rodrigues{}, {0, 0, std::tan(1.5)});
  check(ModifiedRodrigues{}, {0, 0, std::tan(1.5)});
  check(RotationVector{}, {0, 6.1, 0});
  check(ReducedEulerParameters{}, {0, 0, std::sin(1.5)});
}

TEST_CASE("the distance to the singularity is the smallest turn that gets there") {
  CHECK(EulerAngles{EulerSequence::parse("3-2-1")}.conditioning(Vec3<double>{1, 1.5, 2}).distance ==
        doctest::Approx(math::pi<double>() / 2 - 1.5).epsilon(1e-13));
  CHECK(EulerAngles{EulerSequence::parse("3-1-3")}.conditioning(Vec3<double>{1, 3, 2}).distance ==
        doctest::Approx(math::pi<double>() - 3).epsilon(1e-13));
  const EulerParameters<double> e = exp(Vec3<double>{0, 3, 0});
  CHECK(Rodrigues{}.conditioning(Rodrigues{}.from_euler_parameters(e)).distance ==
        doctest::Approx(math::pi<double>() - 3));
  CHECK(ReducedEulerParameters{}.conditioning(e.ev).distance == doctest::Approx(math::pi<double>() - 3));
  CHECK(ModifiedRodrigues{}.conditioning(ModifiedRodrigues{}.from_euler_parameters(e)).distance ==
        doctest::Approx(2 * math::pi<double>() - 3));
  const double turn = 2 * math::pi<double>();
  for (const double angle : {0.0, 3.0, 4.0, 6.0, 7.0, 10.0, 4 * math::pi<double>(), 100.0}) {
    const double whole_turns = std::max(1.0, std::round(angle / turn));
    CHECK(RotationVector{}.conditioning(Vec3<double>{0, angle, 0}).distance ==
          doctest::Approx(std::fabs(whole_turns * turn - angle)).epsilon(1e-14));
  }
}

TEST_CASE("shadow sets describe the same attitude, and their rates the same angular velocity") {
  test::Random random;
  for (int n = 0; n < 50; ++n) {
    const Vec3<double> x = random.vector(1.5);
    const Vec3<double> xdot = random.vector(1);
    const ModifiedRodrigues mrp;
    const EulerParameters<double> e = mrp.to_euler_parameters(x);
    CHECK(norm(mrp.to_euler_parameters(ModifiedRodrigues::shadow(x)) + e) < 1e-14);
    const BodyVector<double> w = angular_velocity<Body>(mrp, x, xdot);
    CHECK(norm(angular_velocity<Body>(mrp, ModifiedRodrigues::shadow(x), ModifiedRodrigues::shadow_rate(x, xdot)) - w) <
          1e-12);
    CHECK(norm(exp(RotationVector::shadow(x)) + exp(x)) < 1e-14);
    CHECK(norm(x) + norm(RotationVector::shadow(x)) == doctest::Approx(2 * math::pi<double>()));
  }
}

TEST_CASE("axis and angle: rates and accelerations agree with those of the Euler parameters") {
  test::Random random;
  for (int n = 0; n < 100; ++n) {
    const AxisAngle<double> a{random.direction(), random.between(0.1, 3)};
    const EulerParameters<double> e = to_euler_parameters(a);
    const AxisAngle<double> again = axis_angle(e);
    CHECK(norm(again.axis - a.axis) < 1e-14);
    CHECK(again.angle == doctest::Approx(a.angle).epsilon(1e-15));

    const auto check_frame = [&]<class F>(F) {
      const FrameVector<F, double> w(random.vector(1));
      const FrameVector<F, double> wdot(random.vector(1));
      const AxisAngleRate<double> rate_of = axis_angle_rate(a, w);
      const AxisAngleRate<double> second = axis_angle_acceleration(a, rate_of, w, wdot);
      CHECK(std::fabs(dot(a.axis, rate_of.axis_rate)) < 1e-13);
      CHECK(norm(angular_velocity<F>(a, rate_of) - w) < 1e-12);
      CHECK(norm(angular_acceleration<F>(a, rate_of, second) - wdot) < 1e-10);  // 1/sin²(μ/2) ≤ 400
      // the same through e = (cos μ/2; n sin μ/2)
      const double c = std::cos(a.angle / 2);
      const double s = std::sin(a.angle / 2);
      const EulerParameters<double> edot{-0.5 * rate_of.angle_rate * s,
                                         0.5 * rate_of.angle_rate * c * a.axis + s * rate_of.axis_rate};
      CHECK(norm(rate(e, w) - edot) < 1e-13);
    };
    check_frame(Body{});
    check_frame(Space{});
  }
  CHECK(axis_angle(EulerParameters<double>::identity()).angle == 0);
}

TEST_CASE("matrix rates: angular velocity and acceleration from the derivatives of the matrix and back") {
  test::Random random;
  const EulerParameters<double> e = random.attitude();
  const Mat3<double> R_NB = rotation_matrix(e);
  const BodyVector<double> w(random.vector(1));
  const BodyVector<double> wdot(random.vector(1));
  const Mat3<double> Rdot = matrix_rate(R_NB, w);
  CHECK(frobenius_norm(Rdot - matrix_rate(R_NB, to_space(e, w))) < 1e-15);
  CHECK(norm(angular_velocity<Body>(R_NB, Rdot) - w) < 1e-15);
  CHECK(norm(angular_velocity<Space>(R_NB, Rdot) - to_space(e, w)) < 1e-15);
  const Mat3<double> Rddot = matrix_acceleration(R_NB, w, wdot);
  CHECK(frobenius_norm(Rddot - matrix_acceleration(R_NB, to_space(e, w), to_space(e, wdot))) < 2e-15);
  CHECK(norm(angular_acceleration<Body>(R_NB, Rddot) - wdot) < 2e-15);
  CHECK(norm(angular_acceleration<Space>(R_NB, Rddot) - to_space(e, wdot)) < 2e-15);
}
