// Curves of equilibria against closed forms of a truss that snaps through and of a column that buckles.
#include "polhode/analysis/continuation.h"

#include "polhode/analysis/freedoms.h"
#include "polhode/math/elementary.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace polhode;
using namespace polhode::analysis;

namespace {

constexpr double kHalfSpan = 1, kFree = 1.25, kStiff = 400;

/// Half of a shallow truss: a mass on a vertical slide z, a spring of free length kFree to a point kHalfSpan away at
/// z = 0, and a load that pushes down. Drawn at its height without a load.
std::shared_ptr<const Model> truss(double load) {
  ModelBuilder builder;
  const double z = std::sqrt(kFree * kFree - kHalfSpan * kHalfSpan);
  BodyStart start;
  start.r_N = {0, 0, z};
  const BodyId mass = builder.body("mass", from_principal_moments(1, {0.01, 0.01, 0.01}), start);
  builder.joint_at("prismatic", "slide", kGround, mass, {0, 0, z}, {0, 0, 1});
  Spring spring;
  spring.on_first_B = {kHalfSpan, 0, 0};
  spring.second = mass;
  spring.stiffness = kStiff;
  spring.free_length = kFree;
  builder.add(spring);
  Wrench push;
  push.body = mass;
  push.force = {0, 0, -load};
  builder.add(push);
  return std::make_shared<const Model>(builder.build());
}
/// F = k z (l₀/s − 1), s² = b² + z²
double truss_load(double z) { return kStiff * z * (kFree / std::sqrt(kHalfSpan * kHalfSpan + z * z) - 1); }

}  // namespace

TEST_CASE("a truss snaps through: both folds where the closed form has them, every point on its curve") {
  const std::shared_ptr<const Model> unloaded = truss(0);
  CurveOptions options;
  options.to = 40;
  options.count = 9;
  const Curve curve = follow(truss, {unloaded->start(), {}}, options);
  CAPTURE(curve.end);
  CHECK(curve.complete);
  // dF/dz = 0: s³ = l₀ b²
  const double s = math::cbrt(kFree * kHalfSpan * kHalfSpan);
  const double z = std::sqrt(s * s - kHalfSpan * kHalfSpan);
  const double most = truss_load(z);
  REQUIRE(most > 5);
  REQUIRE(most < 40);
  std::vector<double> folds;
  std::size_t grid = 0;
  for (const CurvePoint& point : curve.points) {
    const double height = Model::view(point.position.y, 0).r_N.z;
    // rounding of Newton's method over the stiffness
    CHECK(std::fabs(truss_load(height) - point.parameter) < 1e-9);
    if (point.mark == CurvePoint::Mark::fold) {
      folds.push_back(point.parameter);
      CHECK(std::fabs(std::fabs(height) - z) < 1e-7);
      continue;
    }
    grid += point.mark == CurvePoint::Mark::grid ? 1 : 0;
    if (std::fabs(std::fabs(height) - z) > 1e-3) { CHECK((point.stability.negative == 1) == (std::fabs(height) < z)); }
  }
  // the curve comes back below zero: it leaves the range there, before the second fold
  REQUIRE(folds.size() == 1);
  CHECK(std::fabs(folds[0] - most) < 1e-10);
  CHECK(std::fabs(folds[0] - kStiff * (kFree - kHalfSpan) * 0.2) > 0.1);  // the twin: a fold of another law
  CHECK(grid == 10);                                                      // 5 to 25 on the way out and on the way back
  CHECK(curve.end == "the curve leaves the range at 0");
}

TEST_CASE("with a range on both sides of zero the truss passes both folds and comes out inverted") {
  CurveOptions options;
  options.from = -40;
  options.to = 40;
  options.count = 2;
  const Position drawn{truss(0)->start(), {}};
  const Model pulled = *truss(-40);
  const Equilibrium start = find_equilibrium(pulled, drawn);
  REQUIRE(start.found());
  const Curve curve = follow(truss, start.position, options);
  CAPTURE(curve.end);
  CHECK(curve.complete);
  std::vector<double> folds;
  for (const CurvePoint& point : curve.points) {
    if (point.mark == CurvePoint::Mark::fold) { folds.push_back(point.parameter); }
  }
  REQUIRE(folds.size() == 2);
  CHECK(std::fabs(folds[0] + folds[1]) < 1e-10);  // one is the mirror of the other
  CHECK(curve.points.back().parameter == 40);
  CHECK(Model::view(curve.points.back().position.y, 0).r_N.z < -0.7);
}

TEST_CASE("a rod on a torsion spring buckles: a branching at the load k/l, none at half of it") {
  constexpr double k = 30, l = 0.8;
  const auto column = [](double load) {
    ModelBuilder builder;
    BodyStart start;
    start.r_N = {0, 0, l / 2};
    const BodyId rod = builder.body("rod", from_principal_moments(1, {0.1, 0.1, 0.01}), start);
    builder.joint_at("revolute", "foot", kGround, rod, {}, {0, 1, 0});
    builder.add(JointSpring{.joint = 0, .stiffness = k});
    Wrench push;
    push.body = rod;
    push.r_BP_B = {0, 0, l / 2};
    push.force = {0, 0, -load};
    builder.add(push);
    return std::make_shared<const Model>(builder.build());
  };
  CurveOptions options;
  options.to = 60;
  options.count = 3;
  const Curve curve = follow(column, {column(0)->start(), {}}, options);
  CAPTURE(curve.end);
  CHECK(curve.complete);
  std::vector<double> branchings;
  for (const CurvePoint& point : curve.points) {
    if (point.mark == CurvePoint::Mark::branching) { branchings.push_back(point.parameter); }
  }
  REQUIRE(branchings.size() == 1);
  // halved 24 times from a step of at most 0.04 of the range
  CHECK(std::fabs(branchings[0] - k / l) < 60 * 0.04 / (1 << 23));
  CHECK(std::fabs(branchings[0] - 0.5 * k / l) > 1);
}
