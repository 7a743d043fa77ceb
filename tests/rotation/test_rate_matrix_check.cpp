#include "polhode/rotation/euler_angles.h"
#include "polhode/rotation/own_chart.h"
#include "polhode/rotation/rate_matrix_check.h"
#include "polhode/rotation/vector_charts.h"
#include "support/random.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace polhode;

namespace {

/// Inside the unit ball, where every chart is regular but those of Euler angles next to their lock.
std::vector<Vec3<double>> some_points() {
  test::Random random;
  std::vector<Vec3<double>> points;
  while (points.size() < 40) {
    const Vec3<double> q = random.vector(0.5);
    if (norm(q) < 0.9) { points.push_back(q); }
  }
  return points;
}

template <class C>
RateMatrixCheck body_check(const C& chart) {
  return check_rate_matrix([&](const auto& q) { return chart.body_rate_matrix(q); }, some_points());
}
template <class C>
RateMatrixCheck space_check(const C& chart) {
  return check_rate_matrix([&](const auto& q) { return rate_matrix<Space>(chart, q); }, some_points());
}

/// Some hundred roundings of numbers the size of the largest term.
constexpr double kRounding = 2e-14;

template <class C>
void check_both(const C& chart) {
  const RateMatrixCheck body = body_check(chart);
  CHECK(body.verdict == RateMatrixVerdict::body);
  CHECK(body.residual < kRounding);
  CHECK(body.residual_in_space > 0.1);
  const RateMatrixCheck space = space_check(chart);
  CHECK(space.verdict == RateMatrixVerdict::space);
  CHECK(space.residual_in_space < kRounding);
  CHECK(space.residual > 0.1);
}

/// Wiener and Milenkovic: x = 4 n tan(μ/4), four times modified Rodrigues parameters.
struct WienerMilenkovic : OwnChart<WienerMilenkovic> {
  template <class S>
  EulerParameters<S> to_euler_parameters(const Vec3<S>& x) const {
    return ModifiedRodrigues{}.to_euler_parameters(S(0.25) * x);
  }
  template <class S>
  Vec3<S> from_euler_parameters(const EulerParameters<S>& e) const {
    return S(4) * ModifiedRodrigues{}.from_euler_parameters(e);
  }
  ///   S = 2/(4 − c0)² (c0 I − x̃ + ¼ x xᵀ),  c0 = 2 − x·x/8
  template <class S>
  Mat3<S> body_rate_matrix(const Vec3<S>& x) const {
    const S c0 = S(2) - norm_squared(x) / S(8);
    const S k = S(1) / ((S(4) - c0) * (S(4) - c0));
    return (S(2) * k) * (c0 * identity<S, 3>() - skew(x) + S(0.25) * outer(x, x));
  }
};
static_assert(Chart<WienerMilenkovic>);

}  // namespace

TEST_CASE("Proposition 1 holds for the rate matrix of every chart, and in space with the other sign") {
  for (const EulerSequence& sequence : all_sequences()) {
    CAPTURE(sequence.name());
    check_both(EulerAngles{sequence});
  }
  check_both(RotationVector{});
  check_both(Rodrigues{});
  check_both(ModifiedRodrigues{});
  check_both(ReducedEulerParameters{});
  check_both(WienerMilenkovic{});
}

TEST_CASE("Proposition 1 does not hold for a matrix that is wrong in one entry, scaled, or transposed") {
  const EulerAngles angles{EulerSequence::parse("3-2-1")};
  const auto wrong_entry = [&](const auto& q) {
    auto S = angles.body_rate_matrix(q);
    S(1, 0) = S(1, 0) * 1.001;
    return S;
  };
  const RateMatrixCheck entry = check_rate_matrix(wrong_entry, some_points());
  CHECK(entry.verdict == RateMatrixVerdict::neither);
  CHECK(entry.residual > 1e-5);
  CHECK(norm(entry.at) > 0);
  // a constant factor, as of a rate matrix in degrees, changes both sides by different powers
  const auto scaled = [&](const auto& q) { return 0.5 * angles.body_rate_matrix(q); };
  CHECK(check_rate_matrix(scaled, some_points()).verdict == RateMatrixVerdict::neither);
  const auto transposed = [&](const auto& q) { return transpose(angles.body_rate_matrix(q)); };
  CHECK(check_rate_matrix(transposed, some_points()).verdict == RateMatrixVerdict::neither);
  // of a vector chart the transpose is the space rate matrix (KIN-44)
  const auto of_vector = [](const auto& q) { return transpose(Rodrigues{}.body_rate_matrix(q)); };
  CHECK(check_rate_matrix(of_vector, some_points()).verdict == RateMatrixVerdict::space);
}

TEST_CASE("each equation of Proposition 1 sees the same error, to the sizes of its terms") {
  const Vec3<double> q{0.3, -0.4, 0.5};
  const Rodrigues chart;
  const std::array<Mat3<double>, 3> partials = chart.body_rate_partials(q);
  const Proposition1 right = proposition_1(chart.body_rate_matrix(q), partials);
  CHECK(right.largest() < kRounding);
  // the wrong twin: b of KIN-40 with the other sign turns the cross products
  const Proposition1 wrong = proposition_1(transpose(chart.body_rate_matrix(q)), partials);
  for (const double residual : {wrong.equation_15, wrong.equation_16, wrong.equations_17_19, wrong.equation_20}) {
    CHECK(residual > 0.1);
  }
  CHECK(proposition_1(chart.body_rate_matrix(q), partials, RateFrame::space).largest() > 0.1);
}

TEST_CASE("what is not finite, has no points or is singular everywhere is no rate matrix") {
  const auto broken = [](const auto& q) {
    auto S = Rodrigues{}.body_rate_matrix(q);
    S(2, 2) = S(2, 2) / (q.x - q.x);
    return S;
  };
  CHECK(check_rate_matrix(broken, some_points()).verdict == RateMatrixVerdict::neither);
  const auto good = [](const auto& q) { return Rodrigues{}.body_rate_matrix(q); };
  CHECK(check_rate_matrix(good, std::span<const Vec3<double>>{}).verdict == RateMatrixVerdict::neither);
  const auto flat = [](const auto& q) {
    auto S = Rodrigues{}.body_rate_matrix(q);
    for (std::size_t i = 0; i < 9; ++i) { S(i / 3, i % 3) = 0.0; }
    S(0, 0) = 1.0;
    return S;
  };
  CHECK(check_rate_matrix(flat, some_points()).verdict == RateMatrixVerdict::undecided);
}

TEST_CASE("a chart of one's own has the rates that its attitudes have") {
  const WienerMilenkovic chart;
  for (const Vec3<double>& x : some_points()) {
    // ω' = 2 e* ∘ ė, ė by dual numbers along each coordinate
    for (std::size_t k = 0; k < 3; ++k) {
      Vec3<Dual<double>> along{Dual<double>(x.x), Dual<double>(x.y), Dual<double>(x.z)};
      along[k].derivative = 1;
      const EulerParameters<Dual<double>> e = chart.to_euler_parameters(along);
      const EulerParameters<double> value{e.e0.value, {e.ev.x.value, e.ev.y.value, e.ev.z.value}};
      const EulerParameters<double> rate{e.e0.derivative, {e.ev.x.derivative, e.ev.y.derivative, e.ev.z.derivative}};
      const Vec3<double> w_B = 2.0 * (conjugate(value) * rate).ev;
      CHECK(norm(w_B - column(chart.body_rate_matrix(x), k)) < 1e-15);
    }
    CHECK(norm(chart.from_euler_parameters(chart.to_euler_parameters(x)) - x) < 1e-14);
    // conformal, as modified Rodrigues parameters are
    CHECK(chart.conditioning(x).condition_number == doctest::Approx(1).epsilon(1e-12));
    const Mat3<double> product = chart.inverse_body_rate_matrix(x) * chart.body_rate_matrix(x);
    CHECK(norm(product * Vec3<double>{1, 2, 3} - Vec3<double>{1, 2, 3}) < 1e-14);
  }
}
