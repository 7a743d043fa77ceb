// Steps compiled together with a right-hand side: the bits of the steppers, in numbers and in packs of them; and the
// dense output of extrapolated steps.
#include "integrator/free_body.h"
#include "polhode/integrator/midpoint_dense.h"
#include "polhode/math/explicit_kernels.h"
#include "polhode/math/group_kernels.h"
#include "polhode/math/pack.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>

using namespace polhode;

namespace {

constexpr FreeRotorRates<double> kRotor{{(2.0 - 3.0) / 1.0, (3.0 - 1.0) / 2.0, (1.0 - 2.0) / 3.0}};
constexpr std::array<double, 7> kTumbling{0.5, 0.5, -0.5, 0.5, 0.3, 1, -0.4};

/// The same system without kernels of its own.
class WithoutKernels final : public System<double> {
 public:
  explicit WithoutKernels(const System<double>& system) : system_(&system) {}
  std::size_t size() const override { return system_->size(); }
  void rhs(const double& t, std::span<const double> y, std::span<double> ydot) const override {
    system_->rhs(t, y, ydot);
  }

 private:
  const System<double>* system_;
};

/// Two numbers, a size that no body has, with kernels and without: y0' = y1, y1' = −y0 + t.
struct DrivenOscillator {
  void operator()(const double& t, const double* y, double* ydot) const {
    ydot[0] = y[1];
    ydot[1] = t - y[0];
  }
};
class OscillatorWithKernels final : public System<double> {
 public:
  std::size_t size() const override { return 2; }
  void rhs(const double& t, std::span<const double> y, std::span<double> ydot) const override {
    f_(t, y.data(), ydot.data());
  }
  ExplicitKernels<double> explicit_kernels() const override { return explicit_kernels_of<2, double>(f_); }

 private:
  DrivenOscillator f_;
};

const std::vector<std::string> kExplicit{"explicit-euler", "rk4", "dopri5", "dop853", "extrapolation"};

/// All states and error estimates of some steps, with dense output in each.
std::vector<double> trace(const std::string& method, const System<double>& system, std::vector<double> y) {
  const auto stepper = integrator<double>(method).bind(system);
  if (stepper->description().adaptive) { stepper->set_tolerance(1e-10, 1e-10); }
  std::vector<double> all;
  std::vector<double> inside(y.size());
  for (int n = 0; n < 5; ++n) {
    REQUIRE(stepper->step(0.1 * n, 0.1, y) == StepStatus::ok);
    all.insert(all.end(), y.begin(), y.end());
    for (const double e : stepper->error_estimate()) { all.push_back(std::fabs(e)); }
    if (n % 2 == 1 && stepper->interpolate(0.3, inside)) { all.insert(all.end(), inside.begin(), inside.end()); }
  }
  all.push_back(static_cast<double>(stepper->evaluations()));
  return all;
}

template <class T>
void check_lanes() {
  constexpr std::size_t kLanes = 4;
  using Lanes = Pack<kLanes>;
  std::array<Lanes, 7> packed;
  std::array<std::array<double, 7>, kLanes> alone;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    for (std::size_t i = 0; i < 7; ++i) {
      alone[lane][i] = kTumbling[i] * (1 + 0.25 * static_cast<double>(lane));
      packed[i][lane] = alone[lane][i];
    }
  }
  for (int n = 0; n < 20; ++n) {
    packed = explicit_step<T>(kRotor, Lanes(0.01 * n), Lanes(0.01), packed);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      alone[lane] = explicit_step<T>(kRotor, 0.01 * n, 0.01, alone[lane]);
    }
  }
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    for (std::size_t i = 0; i < 7; ++i) { CHECK(packed[i][lane] == alone[lane][i]); }
  }
  CHECK(packed[4][0] != packed[4][1]);
}

/// The largest error inside one step of the oscillator y0' = y1, y1' = −y0 from exact ends, with a number of rows.
template <std::size_t Apart>
long double worst_inside_step(std::size_t rows, long double dt) {
  MidpointDense<long double, Apart> dense(2);
  const std::array<long double, 2> y0{1, 0};
  const std::array<long double, 2> f0{0, -1};
  const std::array<long double, 2> y1{std::cos(dt), -std::sin(dt)};
  const auto f = [](const long double&, std::span<const long double> y, std::span<long double> ydot) {
    ydot[0] = y[1];
    ydot[1] = -y[0];
  };
  dense.prepare(f, 0, dt, y0, f0, y1, 0, 0, rows);
  long double worst = 0;
  std::array<long double, 2> y{};
  for (int k = 1; k < 32; ++k) {
    const long double theta = static_cast<long double>(k) / 32;
    dense.at(theta, y);
    worst = std::max({worst, std::fabs(y[0] - std::cos(theta * dt)), std::fabs(y[1] + std::sin(theta * dt))});
  }
  return worst;
}
template <std::size_t Apart>
double order_inside_step(std::size_t rows, long double dt) {
  return static_cast<double>(std::log2(worst_inside_step<Apart>(rows, dt) / worst_inside_step<Apart>(rows, dt / 2)));
}

/// Translations as a group: y · exp(a) = y + a.
struct Translations {
  template <class S>
  void algebra(const S& t, const std::array<S, 2>& y, std::array<S, 2>& xi) const {
    xi[0] = y[1] * y[0];
    xi[1] = t - y[0];
  }
  template <class S>
  void act(std::array<S, 2>& y, const std::array<S, 2>& a) const {
    for (std::size_t i = 0; i < 2; ++i) { y[i] += a[i]; }
  }
  template <class S>
  void dexp_inverse(const std::array<S, 2>&, const std::array<S, 2>& xi, std::array<S, 2>& adot) const {
    adot = xi;
  }
};
template <class S>
std::array<std::array<S, 2>, 2> ends_on_group(const std::array<S, 2>& y) {
  Rkmk4Rows<std::array<S, 2>, std::array<S, 2>> rkmk4{};
  Cf4Rows<std::array<S, 2>, std::array<S, 2>> cf4{};
  rkmk4_step(Translations{}, S(0.3), S(0.1), y, rkmk4);
  cf4_step(Translations{}, S(0.3), S(0.1), y, cf4);
  return {rkmk4.y, cf4.y};
}

}  // namespace

TEST_CASE("steps compiled with the right-hand side have the bits of steps through rhs()") {
  const OneBody<double> body = test::free_asymmetric_body<double>();
  const BodySystem<double> system(formulation<double>("euler-body"), body);
  REQUIRE(bool(system.explicit_kernels().rk4 != nullptr));
  const WithoutKernels plain(system);
  const OscillatorWithKernels oscillator;
  const WithoutKernels plain_oscillator(oscillator);
  for (const std::string& method : kExplicit) {
    CAPTURE(method);
    CHECK(trace(method, system, test::start_of(system)) == trace(method, plain, test::start_of(system)));
    CHECK(trace(method, oscillator, {1, 0}) == trace(method, plain_oscillator, {1, 0}));
  }
  // a loaded body has none, nor has one whose axes are not principal
  const OneBody<double> top = test::heavy_top<double>();
  CHECK(bool(BodySystem<double>(formulation<double>("euler-body"), top).explicit_kernels().rk4 == nullptr));
  OneBody<double> skew = test::free_asymmetric_body<double>();
  skew.J_B(0, 1) = skew.J_B(1, 0) = 0.1;
  CHECK(bool(BodySystem<double>(formulation<double>("euler-body"), skew).explicit_kernels().rk4 == nullptr));
}

TEST_CASE("a step called directly is that of the stepper; another body's right-hand side is not") {
  const OneBody<double> body = test::free_asymmetric_body<double>();
  const BodySystem<double> system(formulation<double>("euler-body"), body);
  const auto stepper = integrator<double>("dop853").bind(system);
  std::vector<double> y(kTumbling.begin(), kTumbling.end());
  REQUIRE(stepper->step(0, 0.1, y) == StepStatus::ok);
  const std::array<double, 7> end = explicit_step<Dop853Tableau>(kRotor, 0.0, 0.1, kTumbling);
  const FreeRotorRates<double> other{{-1, 1, -0.3}};
  const std::array<double, 7> wrong = explicit_step<Dop853Tableau>(other, 0.0, 0.1, kTumbling);
  for (std::size_t i = 0; i < 7; ++i) { CHECK(end[i] == y[i]); }
  CHECK(wrong[6] != y[6]);
}

TEST_CASE("steps on a pack of lanes have the bits of double in each lane") {
  check_lanes<ExplicitEulerTableau>();
  check_lanes<Rk4Tableau>();
  check_lanes<Dopri5Tableau>();
  check_lanes<Dop853Tableau>();

  // a row of the midpoint rule, the part of extrapolation that steps are made of
  using Lanes = Pack<2>;
  std::array<Lanes, 7> y;
  std::array<Lanes, 7> slope;
  std::array<Lanes, 7> result;
  for (std::size_t i = 0; i < 7; ++i) {
    y[i][0] = kTumbling[i];
    y[i][1] = 2 * kTumbling[i];
  }
  const auto ignore = [](std::size_t, const auto*) {};
  kRotor(Lanes(0.0), y.data(), slope.data());
  midpoint_row<7>(kRotor, 6, Lanes(0.0), Lanes(0.05), y.data(), slope.data(), result.data(), 1, ignore);
  for (std::size_t lane = 0; lane < 2; ++lane) {
    std::array<double, 7> one{};
    std::array<double, 7> rate{};
    std::array<double, 7> end{};
    for (std::size_t i = 0; i < 7; ++i) { one[i] = y[i][lane]; }
    kRotor(0.0, one.data(), rate.data());
    midpoint_row<7>(kRotor, 6, 0.0, 0.05, one.data(), rate.data(), end.data(), 1, ignore);
    for (std::size_t i = 0; i < 7; ++i) { CHECK(result[i][lane] == end[i]); }
  }
}

TEST_CASE("dense output of extrapolation: r rows have an error of order 2r; substeps that are not 4 apart do not") {
  for (const std::size_t rows : {2U, 3U, 4U, 5U}) {
    CAPTURE(rows);
    const double order = order_inside_step<4>(rows, 0.5L);
    CHECK(std::fabs(order - 2 * static_cast<double>(rows)) < 0.1);
  }
  // z at even and at odd substeps have expansions of their own: without n_j/2 odd, extrapolation gains nothing
  CHECK(order_inside_step<6>(4, 0.5L) < 2.5);
  CHECK(order_inside_step<6>(5, 0.5L) < 2.5);
}

TEST_CASE("extrapolation: neither steps nor, beyond one polynomial a step, evaluations depend on the number of rows") {
  const OneBody<double> body = test::heavy_top<double>();
  const BodySystem<double> system(formulation<double>("euler-body"), body);
  const auto run = [&](int rows) {
    std::vector<double> y = test::start_of(system);
    const auto stepper = integrator<double>("extrapolation").bind(system);
    RunOptions<double> options;
    options.relative_tolerance = options.absolute_tolerance = 1e-10;
    for (int k = 1; k <= rows; ++k) { options.output_times.push_back(20.0 * k / rows); }
    return std::pair(integrate<double>(system, *stepper, options, 0, 20, y), y);
  };
  const auto [none, y_none] = run(0);
  const auto [thousand, y_thousand] = run(1000);
  const auto [many, y_many] = run(20000);
  CHECK(y_thousand == y_none);
  CHECK(y_many == y_none);
  CHECK(thousand.statistics.steps == none.statistics.steps);
  CHECK(many.statistics.steps == none.statistics.steps);
  // a step that ends before the first row of a thousand has no polynomial, which is at most 201 evaluations
  CHECK(many.statistics.evaluations - thousand.statistics.evaluations <= 201);
  CHECK(many.statistics.evaluations > none.statistics.evaluations);
  CHECK(many.statistics.evaluations < 4 * none.statistics.evaluations);
}

TEST_CASE("steps on a group: on translations they are the classical step; in packs each lane has the bits of double") {
  const auto f = [](double t, const double* y, double* ydot) {
    ydot[0] = y[1] * y[0];
    ydot[1] = t - y[0];
  };
  const std::array<double, 2> y{0.7, -0.2};
  const std::array<double, 2> classical = explicit_step<Rk4Tableau>(f, 0.3, 0.1, y);
  const std::array<double, 2> euler = explicit_step<ExplicitEulerTableau>(f, 0.3, 0.1, y);
  const auto alone = ends_on_group(y);
  const auto lanes = ends_on_group<Pack<2>>({Pack<2>(0.7), Pack<2>(-0.2)});
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(std::fabs(alone[0][i] - classical[i]) < 4e-16);  // rounding
    CHECK(std::fabs(alone[1][i] - classical[i]) < 4e-16);
    CHECK(std::fabs(euler[i] - classical[i]) > 1e-4);
    for (std::size_t method = 0; method < 2; ++method) {
      for (std::size_t lane = 0; lane < 2; ++lane) { CHECK(lanes[method][i][lane] == alone[method][i]); }
    }
  }
}
