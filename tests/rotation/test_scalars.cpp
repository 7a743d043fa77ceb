// Every function of the room that is not of fractions alone, on dual numbers, on complex ones (complex step), on float
// and on long double: derivatives agree with one another and with differences, values with those of double.
#include "polhode/math/dual.h"
#include "polhode/rotation.h"

#include <doctest/doctest.h>

#include <complex>
#include <vector>

#include "support/random.h"

using namespace polhode;

namespace {

// what a function gives, as a row of numbers

template <class S>
void append(std::vector<S>& row, const S& value) {
  row.push_back(value);
}
template <class S>
void append(std::vector<S>& row, const Vec3<S>& v) {
  row.insert(row.end(), {v.x, v.y, v.z});
}
template <class S>
void append(std::vector<S>& row, const EulerParameters<S>& e) {
  row.insert(row.end(), {e.e0, e.ev.x, e.ev.y, e.ev.z});
}
template <class S, std::size_t R, std::size_t C>
void append(std::vector<S>& row, const Matrix<S, R, C>& a) {
  for (std::size_t i = 0; i < R; ++i) {
    for (std::size_t j = 0; j < C; ++j) { row.push_back(a(i, j)); }
  }
}
template <class S>
void append(std::vector<S>& row, const Conditioning<S>& c) {
  row.insert(row.end(), {c.determinant, c.condition_number, c.distance});
}
template <class S>
void append(std::vector<S>& row, const AxisAngleRate<S>& a) {
  append(row, a.axis_rate);
  row.push_back(a.angle_rate);
}
template <class S, class First, class... Rest>
std::vector<S> row_of(const First& first, const Rest&... rest) {
  std::vector<S> row;
  append(row, first);
  (append(row, rest), ...);
  return row;
}

/// Numbers of a function's argument, taken one after the other.
template <class S>
struct Argument {
  const std::vector<S>& numbers;
  std::size_t next = 0;

  S number() { return numbers.at(next++); }
  Vec3<S> vector() {
    const S x = number();
    const S y = number();
    return {x, y, number()};
  }
  EulerParameters<S> quaternion() {
    const S e0 = number();
    return {e0, vector()};
  }
};

/// Two quaternions and two vectors.
template <class S>
struct Given {
  EulerParameters<S> e, f;
  Vec3<S> v, u;

  explicit Given(const std::vector<S>& row) {
    Argument<S> in{row};
    e = in.quaternion();
    f = in.quaternion();
    v = in.vector();
    u = in.vector();
  }
};

/// f: a generic function from a row of numbers to a row of numbers; along x + t d.
template <class F>
void check_scalars(const char* what, const std::vector<double>& x, const std::vector<double>& d, const F& f,
                   double conditioning = 1) {
  CAPTURE(what);
  const auto moved = [&]<class S>(const auto& number) {
    std::vector<S> row;
    for (std::size_t i = 0; i < x.size(); ++i) { row.push_back(number(x[i], d[i])); }
    return row;
  };
  const double h = 1e-40;
  const double t = 1e-4;
  const auto plain = f(x);
  const auto dual = f(moved.template operator()<Dual<double>>([](double a, double b) { return Dual<double>(a, b); }));
  using Complex = std::complex<double>;
  const auto complex = f(moved.template operator()<Complex>([&](double a, double b) { return Complex(a, h * b); }));
  const auto ahead = f(moved.template operator()<double>([&](double a, double b) { return a + t * b; }));
  const auto behind = f(moved.template operator()<double>([&](double a, double b) { return a - t * b; }));
  const auto in_float = f(moved.template operator()<float>([](double a, double) { return static_cast<float>(a); }));
  const auto in_long =
      f(moved.template operator()<long double>([](double a, double) { return static_cast<long double>(a); }));
  REQUIRE(dual.size() == plain.size());
  for (std::size_t i = 0; i < plain.size(); ++i) {
    CAPTURE(i);
    const double derivative = dual[i].derivative;
    const double scale = conditioning * (1 + std::fabs(plain[i]) + std::fabs(derivative));
    CHECK(std::fabs(dual[i].value - plain[i]) < 1e-14 * scale);
    CHECK(std::fabs(complex[i].real() - plain[i]) < 1e-14 * scale);
    CHECK(std::fabs(complex[i].imag() / h - derivative) < 1e-12 * scale);
    CHECK(std::fabs((ahead[i] - behind[i]) / (2 * t) - derivative) < 1e-6 * scale);  // t² times a third derivative
    CHECK(std::fabs(static_cast<double>(in_float[i]) - plain[i]) < 4e-6 * scale);
    CHECK(std::fabs(static_cast<double>(in_long[i]) - plain[i]) < 1e-14 * scale);
  }
}

template <class V>
using ScalarOf = std::remove_cvref_t<decltype(std::declval<V>()[0])>;

/// All that a chart promises; x away from its singularity.
template <class C>
void check_scalars_of_chart(const char* what, const C& chart, const Vec3<double>& x, test::Random& random) {
  const EulerParameters<double> e = chart.to_euler_parameters(x);
  std::vector<double> start{x.x, x.y, x.z, e.e0, e.ev.x, e.ev.y, e.ev.z};
  std::vector<double> direction;
  for (int i = 0; i < 6; ++i) { start.push_back(random.between(-1, 1)); }
  for (std::size_t i = 0; i < start.size(); ++i) { direction.push_back(random.between(-1, 1)); }
  check_scalars(
      what, start, direction,
      [&](const auto& row) {
        using S = ScalarOf<decltype(row)>;
        Argument<S> in{row};
        const Vec3<S> at = in.vector();
        const EulerParameters<S> e_NB = in.quaternion();
        const Vec3<S> rate = in.vector();
        const Vec3<S> second = in.vector();
        const std::array<Mat3<S>, 3> partials = rate_partials<Space>(chart, at);
        const ChartPoint<S> point{normalized(e_NB), at};
        return row_of<S>(
            chart.to_euler_parameters(at), chart.from_euler_parameters(normalized(e_NB)), chart.conditioning(at),
            rate_matrix<Body>(chart, at), rate_matrix<Space>(chart, at), inverse_rate_matrix<Body>(chart, at),
            inverse_rate_matrix<Space>(chart, at), partials[0], partials[1], partials[2],
            rate_matrix_rate<Body>(chart, at, rate), angular_velocity<Space>(chart, at, rate).raw(),
            coordinate_rate(chart, at, BodyVector<S>(rate)), angular_acceleration<Body>(chart, at, rate, second).raw(),
            coordinate_acceleration(chart, at, rate, SpaceVector<S>(second)), recentered(chart, point).e_NC);
      },
      20);
}

}  // namespace

TEST_CASE("every chart works on dual, complex, float and long double numbers") {
  test::Random random;
  for (EulerSequence sequence : all_sequences()) {
    for (const bool extrinsic : {false, true}) {
      sequence.extrinsic = extrinsic;
      const EulerAngles chart{sequence};
      const double middle = sequence.proper() ? random.between(0.7, 2.4) : random.between(-0.8, 0.8);
      const Vec3<double> x{random.between(-2, 2), middle, random.between(-2, 2)};
      check_scalars_of_chart("Euler angles", chart, x, random);
      const EulerParameters<double> e = chart.to_euler_parameters(x);
      check_scalars(
          "Euler angles, continued", {e.e0, e.ev.x, e.ev.y, e.ev.z}, {0.3, -0.4, 0.2, 0.5},
          [&](const auto& row) {
            using S = ScalarOf<decltype(row)>;
            Argument<S> in{row};
            return row_of<S>(chart.from_euler_parameters(in.quaternion(), Vec3<S>{S(9), S(-4), S(7)}));
          },
          20);
    }
  }
  for (int n = 0; n < 10; ++n) {
    check_scalars_of_chart("rotation vector", RotationVector{}, random.between(0.5, 3) * random.direction(), random);
    check_scalars_of_chart("Rodrigues", Rodrigues{}, random.between(0.3, 1.5) * random.direction(), random);
    check_scalars_of_chart("modified Rodrigues", ModifiedRodrigues{}, random.between(0.2, 0.9) * random.direction(),
                           random);
    check_scalars_of_chart("reduced", ReducedEulerParameters{}, random.between(0.2, 0.8) * random.direction(), random);
  }
}

TEST_CASE("Euler parameters, matrices, axis and angle work on dual, complex, float and long double numbers") {
  test::Random random;
  for (int n = 0; n < 20; ++n) {
    const EulerParameters<double> a = random.attitude();
    const EulerParameters<double> b = random.attitude();
    if (std::fabs(a.e0) < 0.1 || norm(a.ev) < 0.1 || std::fabs(dot(a, b)) < 0.1) { continue; }  // branch points
    std::vector<double> start{a.e0, a.ev.x, a.ev.y, a.ev.z, b.e0, b.ev.x, b.ev.y, b.ev.z};
    std::vector<double> direction;
    for (int i = 0; i < 6; ++i) { start.push_back(random.between(-1, 1)); }
    for (std::size_t i = 0; i < start.size(); ++i) { direction.push_back(random.between(-1, 1)); }
    check_scalars(
        "Euler parameters", start, direction,
        [](const auto& row) {
          using S = ScalarOf<decltype(row)>;
          const auto [e, f, v, u] = Given<S>(row);
          const EulerParameters<S> edot = rate_from_body(e, v);
          return row_of<S>(e * f, inverse(e), norm(e), normalized(e), rotate(e, v), rotation_matrix(e), left_matrix(e),
                           right_matrix(e), E_body(e), E_space(e), body_rate(e, f), space_rate(e, f),
                           body_acceleration(e, edot, f), space_acceleration(e, edot, f),
                           acceleration_from_body(e, v, u), acceleration_from_space(e, v, u), exp(v), log(e),
                           rotation_angle(e), canonical(e), rotation_vector(e), nearest_sign(e, f),
                           relative_rotation(e, f), slerp(normalized(e), normalized(f), S(0.3)));
        },
        20);
    check_scalars(
        "matrix", start, direction,
        [](const auto& row) {
          using S = ScalarOf<decltype(row)>;
          const auto [e, f, v, u] = Given<S>(row);
          const Mat3<S> R_NB = rotation_matrix(normalized(e));
          const Mat3<S> noisy = R_NB + S(0.05) * outer(f.ev, v);
          const NearestRotation<S> nearest = nearest_rotation(noisy);
          const BodyVector<S> w(v);
          return row_of<S>(from_matrix(R_NB), nearest.e_NB, nearest.distance, nearest_rotation(R_NB).e_NB,
                           orthogonality(noisy).defect, orthogonality(noisy).determinant, matrix_rate(R_NB, w),
                           angular_velocity<Space>(R_NB, matrix_rate(R_NB, w)).raw(),
                           matrix_acceleration(R_NB, w, BodyVector<S>(u)));
        },
        50);
    check_scalars(
        "axis and angle", start, direction,
        [](const auto& row) {
          using S = ScalarOf<decltype(row)>;
          const auto [e, f, v, u] = Given<S>(row);
          const AxisAngle<S> at = axis_angle(e);
          const AxisAngleRate<S> rate = axis_angle_rate(at, BodyVector<S>(v));
          const AxisAnglePoint<S> point{normalized(f), at};
          return row_of<S>(at.axis, at.angle, to_euler_parameters(at), rate, angular_velocity<Space>(at, rate).raw(),
                           axis_angle_acceleration(at, rate, BodyVector<S>(v), BodyVector<S>(u)),
                           angular_acceleration<Body>(at, rate, AxisAngleRate<S>{u, f.e0}).raw(), rate_matrix<Body>(at),
                           rate_matrix<Space>(at), inverse_rate_matrix<Body>(at), rate_matrix_rate<Space>(at, rate),
                           conditioning(at), recentered(point).e_NC);
        },
        200);
  }
}

TEST_CASE("the nearest rotation carries second derivatives too, on nested dual numbers") {
  // R(t) = exp(w t) exactly, so the nearest rotation of R(t) + symmetric noise in R's own axes is R(t)
  using D = Dual<Dual<double>>;
  const Vec3<double> w{0.3, -0.8, 0.5};
  const D t({0.7, 1}, {1, 0});
  const EulerParameters<D> e = exp(Vec3<D>{D(w.x) * t, D(w.y) * t, D(w.z) * t});
  const Mat3<D> stretched = rotation_matrix(e) * diagonal(D(1.1), D(0.9), D(1.05));
  const EulerParameters<D> found = nearest_rotation(stretched).e_NB;
  const auto close = [](const D& a, const D& b) {
    CHECK(a.value.value == doctest::Approx(b.value.value).epsilon(1e-14));
    CHECK(a.value.derivative == doctest::Approx(b.value.derivative).epsilon(1e-13));
    CHECK(a.derivative.derivative == doctest::Approx(b.derivative.derivative).epsilon(1e-12));
  };
  close(found.e0, e.e0);
  for (std::size_t i = 0; i < 3; ++i) { close(found.ev[i], e.ev[i]); }
}
