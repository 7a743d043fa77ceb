// Exact derivatives of mechanisms: accelerations, reactions, multipliers and projections, against differences of the
// evaluation itself, against the dense equations, and against a twin that leaves a part out.
#include "multibody/mechanisms.h"
#include "multibody/random_mechanism.h"
#include "polhode/multibody/derivatives.h"

#include <algorithm>
#include <cmath>
#include <functional>

using namespace polhode;
using test::Random;

namespace {

/// d/dε f(y + ε dy) by differences of sixth order: for f of size 1 that is smooth on a scale of 1, truncation (h⁶) and
/// rounding (1e-16/h) meet near 1e-12 for h = 5e-3.
std::vector<double> difference(const std::function<std::vector<double>(std::span<const double>)>& f,
                               std::span<const double> y, std::span<const double> dy, double h = 5e-3) {
  constexpr std::array<double, 3> kWeights{45.0 / 60, -9.0 / 60, 1.0 / 60};
  std::vector<double> sum;
  for (std::size_t k = 0; k < 3; ++k) {
    for (const double sign : {1.0, -1.0}) {
      std::vector<double> moved(y.begin(), y.end());
      for (std::size_t i = 0; i < y.size(); ++i) { moved[i] += sign * static_cast<double>(k + 1) * h * dy[i]; }
      const std::vector<double> value = f(moved);
      sum.resize(value.size());
      for (std::size_t i = 0; i < value.size(); ++i) { sum[i] += sign * kWeights[k] * value[i] / h; }
    }
  }
  return sum;
}

double largest(std::span<const double> x) {
  double most = 0;
  for (const double one : x) { most = one > most || -one > most || std::isnan(one) ? std::fabs(one) : most; }
  return most;
}
double largest_difference(std::span<const double> a, std::span<const double> b) {
  REQUIRE(a.size() == b.size());
  std::vector<double> d(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) { d[i] = a[i] - b[i]; }
  return largest(d);
}

std::vector<double> random_direction(Random& random, std::size_t n) {
  std::vector<double> dy(n);
  for (double& x : dy) { x = random.between(-1, 1) / std::sqrt(static_cast<double>(n)); }
  return dy;
}

std::vector<double> rates_at(const Model& model, double t, std::span<const double> y) {
  Scratch scratch(model);
  std::vector<double> ydot(y.size());
  evaluate(model, t, y, ydot, scratch);
  return ydot;
}

}  // namespace

TEST_CASE("the derivative of accelerations along any direction is that of the evaluation: trees of all joints") {
  Random random(11);
  for (int n = 0; n < 30; ++n) {
    const Model model = test::random_mechanism(random, {.bodies = 1 + n % 6, .floating = n % 3 == 0}).build();
    const std::vector<double> y = test::consistent_start(model);
    Directional derivative(model);
    derivative.at(0.3, y);
    for (int k = 0; k < 3; ++k) {
      const std::vector<double> dy = random_direction(random, y.size());
      std::vector<double> exact(y.size());
      derivative.along(dy, exact);
      const std::vector<double> differences =
          difference([&](std::span<const double> x) { return rates_at(model, 0.3, x); }, y, dy, 1e-3);
      CAPTURE(n);
      // of the differences: rounding of accelerations that reach 1e3, over h
      CHECK(largest_difference(exact, differences) < 1e-9 * (1 + largest(exact)));
    }
  }
}

TEST_CASE("the same with loops, redundant ones too, and with a rate of closing") {
  Random random(12);
  for (int n = 0; n < 30; ++n) {
    const Model model = test::random_mechanism(random, {.bodies = 3 + n % 5,
                                                        .loops = 1 + n % 3,
                                                        .loop_kinds = {"spherical-spherical", "distance", "revolute"}})
                            .build();
    const std::vector<double> y = test::consistent_start(model);
    Scratch scratch(model);
    std::vector<double> ydot0(y.size());
    evaluate(model, 0, y, ydot0, scratch);
    // where loops nearly repeat each other differences say nothing
    if (scratch.least_pivot < 1e-3 || scratch.loop_rank < model.elimination().row_count) { continue; }
    const double beta = n % 2 == 0 ? 0 : 3;
    Directional derivative(model);
    derivative.at(0.3, y, {}, beta);
    const std::vector<double> dy = random_direction(random, y.size());
    std::vector<double> exact(y.size());
    derivative.along(dy, exact);
    const std::vector<double> differences = difference(
        [&](std::span<const double> x) {
          std::vector<double> ydot(x.size());
          evaluate(model, 0.3, x, ydot, scratch, beta);
          return ydot;
        },
        y, dy, 3e-4);
    CAPTURE(n);
    CHECK(largest_difference(exact, differences) < 1e-8 * (1 + largest(exact)) / scratch.least_pivot);
  }
}

TEST_CASE("what acts is differentiated exactly, every kind of force, and constraints of every kind") {
  Random random(13);
  for (int n = 0; n < 12; ++n) {
    ModelBuilder builder = test::random_mechanism(
        random, {.bodies = 4, .kinds = {"revolute", "universal", "spherical", "cylindrical", "prismatic"}});
    builder.add(Wrench{1, random.vector(0.3), random.vector(2), random.vector(2), n % 2 == 0});
    builder.add(Spring{0, random.vector(0.3), 2, random.vector(0.3), 30, 2, 0.4, 1});
    builder.add(Spring{kGround, random.vector(0.3), 3, random.vector(0.3), 30, 2, 0.4, 1});
    builder.add(Drag{2, random.vector(0.3), 0.3, 0.2, random.vector(1)});
    builder.add(CentralGravity{random.vector(5), 30});
    Bushing bushing{1, test::random_frame(random), 3, test::random_frame(random)};
    for (std::size_t i = 0; i < 6; ++i) {
      bushing.stiffness(i, i) = random.between(1, 20);
      bushing.damping(i, i) = random.between(0, 2);
    }
    builder.add(bushing);
    // laws for any number type
    builder.add(WrenchLaw{
        .body = 2, .r_BP_B = random.vector(0.2), .in_body = true, .law = []<class S>(const MechanismViewOf<S>& now) {
          const BodyViewOf<S> other = Model::view(now.y, 1);
          return PairOf<S>{math::sin(other.r_N.x) * other.w_B, other.v_N};
        }});
    // and code for double alone: differences
    builder.add(WrenchLaw{.body = 1, .law = [](const MechanismView& now) {
                            const BodyView other = Model::view(now.y, 3);
                            return Pair{std::cos(other.r_N.y) * other.v_N, 0.3 * other.w_B};
                          }});
    builder.add(ForceLaw([](const MechanismView& now, std::span<Pair> f) {
      f[3].lin += -0.4 * Model::view(now.y, 0).v_N;
      f[0].ang += 0.1 * Model::view(now.y, 3).r_N;
    }));
    ReactionWheel wheel;
    wheel.name = "wheel";
    wheel.body = 0;
    wheel.axis_B = {0.6, 0, 0.8};
    wheel.inertia = 0.001;
    wheel.friction = 0.02;
    wheel.speed_at_start = 3;
    wheel.command = []<class S>(const MechanismViewOf<S>& now) { return S(0.1) * Model::view(now.y, 2).w_B.y; };
    builder.add(wheel);
    const Model model = builder.build();
    const std::vector<double> y = test::consistent_start(model);
    CHECK(laws_without_derivatives(model).size() == 2);
    Directional derivative(model);
    derivative.at(0.3, y);
    const std::vector<double> dy = random_direction(random, y.size());
    std::vector<double> exact(y.size());
    derivative.along(dy, exact);
    const std::vector<double> differences =
        difference([&](std::span<const double> x) { return rates_at(model, 0.3, x); }, y, dy, 1e-3);
    CAPTURE(n);
    // 1e-9 is what the differences inside the two laws without derivatives leave (6e-6 squared, and rounding over it)
    CHECK(largest_difference(exact, differences) < 3e-9 * (1 + largest(exact)));
  }
}

TEST_CASE("derivatives of reactions and multipliers are those of the evaluation") {
  Random random(14);
  int counted = 0;
  for (int n = 0; n < 12; ++n) {
    const Model model =
        test::random_mechanism(random, {.bodies = 4, .loops = n % 2, .loop_kinds = {"spherical-spherical"}}).build();
    const std::vector<double> y = test::consistent_start(model);
    Directional derivative(model);
    derivative.at(0, y);
    if (derivative.scratch().least_pivot < 1e-2) { continue; }
    ++counted;
    const std::vector<double> dy = random_direction(random, y.size());
    std::vector<double> ignored(y.size());
    derivative.along(dy, ignored);
    std::vector<Reaction> exact(model.joint_count());
    derivative.reactions_along(exact);
    std::vector<double> flat;
    for (const Reaction& one : exact) {
      for (const Vec3<double>& v : {one.force_N, one.moment_N}) {
        for (std::size_t k = 0; k < 3; ++k) { flat.push_back(v[k]); }
      }
    }
    for (const double one : derivative.multipliers_along()) { flat.push_back(one); }
    const std::vector<double> differences = difference(
        [&](std::span<const double> x) {
          Scratch scratch(model);
          std::vector<double> ydot(x.size());
          evaluate(model, 0, x, ydot, scratch);
          std::vector<Reaction> now(model.joint_count());
          reactions(model, x, scratch, now);
          std::vector<double> values;
          for (const Reaction& one : now) {
            for (const Vec3<double>& v : {one.force_N, one.moment_N}) {
              for (std::size_t k = 0; k < 3; ++k) { values.push_back(v[k]); }
            }
          }
          values.insert(values.end(), scratch.lambda.begin(), scratch.lambda.end());
          return values;
        },
        y, dy, 1e-3);
    CAPTURE(n);
    CHECK(largest_difference(flat, differences) < 1e-8 * (1 + largest(flat)));
  }
  CHECK(counted >= 8);
}

TEST_CASE("the derivative of the projection is that of project()") {
  Random random(15);
  int counted = 0;
  for (int n = 0; n < 12; ++n) {
    const Model model =
        test::random_mechanism(random, {.bodies = 4, .loops = n % 2, .loop_kinds = {"spherical-spherical"}}).build();
    const std::vector<double> y = test::consistent_start(model);
    Directional derivative(model);
    derivative.at(0, y);
    if (derivative.scratch().least_pivot < 1e-2) { continue; }
    ++counted;
    const std::vector<double> dy = random_direction(random, y.size());
    std::vector<double> exact = dy;
    derivative.project_along(exact);
    Scratch scratch(model);
    const std::vector<double> differences = difference(
        [&](std::span<const double> x) {
          std::vector<double> moved(x.begin(), x.end());
          project(model, 0, moved, scratch);
          return moved;
        },
        y, dy, 2e-3);
    CAPTURE(n);
    // project() closes joints to 1e-14 and better, h = 2e-3; it weighs by the inertia on its way, not at its end, so
    // that only the first derivative agrees: h⁶ times what the higher ones are
    CHECK(largest_difference(exact, differences) < 1e-8);
    // what is allowed stays
    std::vector<double> again = exact;
    derivative.project_along(again);
    CHECK(largest_difference(again, exact) < 1e-12 * (1 + largest(exact)));
  }
  CHECK(counted >= 8);
}

TEST_CASE("the Jacobian of the tree is that of its joints: hinges against their own coordinates") {
  // a chain of hinges; its states by its angles and rates, from joint to joint
  Random random(16);
  const Model model = test::random_mechanism(random, {.bodies = 7, .kinds = {"revolute"}}).build();
  const std::vector<double> y = test::consistent_start(model);
  Directional derivative(model);
  derivative.at(0, y);
  const std::size_t f = derivative.tree_freedoms();
  REQUIRE(f == 7);
  std::vector<double> jacobian(2 * f * f);
  derivative.tree_jacobian(jacobian);
  // q̈ as a function of (q, q̇): positions by turning each subtree about its hinge
  const EliminationOrder& order = model.elimination();
  const auto moved = [&](const std::vector<double>& q, const std::vector<double>& u) {
    std::vector<double> x = y;
    std::vector<BodyView> bodies(order.nodes.size());
    Scratch scratch(model);
    std::vector<double> ydot(y.size());
    evaluate(model, 0, y, ydot, scratch);
    for (std::size_t i = 1; i < order.nodes.size(); ++i) {
      const TreeNode& tree = order.nodes[i];
      const auto p = static_cast<std::size_t>(tree.parent);
      const BodyView now = Model::view(y, tree.body);
      const BodyView parent_now =
          p == 0 ? BodyView{{}, EulerParameters<double>::identity(), {}, {}} : Model::view(y, order.nodes[p].body);
      const BodyView parent = p == 0 ? parent_now : bodies[p];
      // relative attitude, with a further turn about the hinge axis of the own body
      const EulerParameters<double> relative = conjugate(parent_now.e_NB) * now.e_NB * exp(q[i - 1] * tree.axis_B);
      BodyView b;
      b.e_NB = parent.e_NB * relative;
      const Vec3<double> lever_parent = rotate(parent.e_NB, tree.lever_parent_B);
      const Vec3<double> lever = rotate(b.e_NB, tree.lever_B);
      b.r_N = parent.r_N + lever_parent - lever;
      const Vec3<double> w_parent = rotate(parent.e_NB, parent.w_B);
      const double rate_now =
          dot(tree.axis_B, now.w_B - rotate_back(now.e_NB, rotate(parent_now.e_NB, parent_now.w_B)));
      const Vec3<double> w = w_parent + (rate_now + u[i - 1]) * rotate(b.e_NB, tree.axis_B);
      b.w_B = rotate_back(b.e_NB, w);
      b.v_N = parent.v_N + cross(w_parent, lever_parent) - cross(w, lever);
      bodies[i] = b;
      Model::set(x, tree.body, b);
    }
    evaluate(model, 0, x, ydot, scratch);
    std::vector<double> accelerations;
    for (std::size_t i = 1; i < order.nodes.size(); ++i) { accelerations.push_back(scratch.nodes[i].q); }
    return accelerations;
  };
  for (std::size_t k = 0; k < 2 * f; ++k) {
    const std::vector<double> zero(2 * f);
    std::vector<double> unit(2 * f);
    unit[k] = 1;
    const std::vector<double> differences = difference(
        [&](std::span<const double> x) {
          return moved({x.begin(), x.begin() + static_cast<std::ptrdiff_t>(f)},
                       {x.begin() + static_cast<std::ptrdiff_t>(f), x.end()});
        },
        zero, unit, 2e-3);
    const std::span<const double> exact(jacobian.data() + k * f, f);
    CAPTURE(k);
    CHECK(largest_difference(exact, differences) < 1e-8 * (1 + largest(exact)));
  }
}

TEST_CASE("the Jacobian of a tree is the same by sums over subtrees and by dual numbers, joints of every kind") {
  double noticed = 0;
  for (const JointKind& kind : joint_kinds()) {
    for (std::uint64_t n = 0; n < 4; ++n) {
      // a force of no size makes the tree one that anything may act on: dual numbers, node by node
      const auto tree = [&](bool by_duals, double drag) {
        Random random(200 + n);
        ModelBuilder builder = test::random_mechanism(
            random, {.bodies = 6, .floating = n % 2 == 1, .kinds = {std::string(kind.name), "revolute", "universal"}});
        const Model bare = builder.build();
        for (int j = 0; j < static_cast<int>(bare.joint_count()); ++j) {
          for (const Coordinate coordinate : bare.joints()[static_cast<std::size_t>(j)].kind->acted_on()) {
            builder.add(JointSpring{j, coordinate, 3, 0.4, 0.1, 0.2});
            builder.add(JointFriction{j, coordinate, 0.3, 0.1, 0.5});
          }
        }
        if (by_duals) { builder.add(Drag{0, {}, drag, 0, {}}); }
        return builder.build();
      };
      const Model model = tree(false, 0);
      const std::vector<double> y = test::consistent_start(model);
      const auto jacobian = [&](const Model& of) {
        Directional derivative(of);
        derivative.at(0, y);
        std::vector<double> columns(2 * derivative.tree_freedoms() * derivative.tree_freedoms());
        derivative.tree_jacobian(columns);
        // again, in memory that has been used
        std::vector<double> again(columns.size());
        derivative.tree_jacobian(again);
        CHECK(columns == again);
        return columns;
      };
      const std::vector<double> sums = jacobian(model);
      const std::vector<double> duals = jacobian(tree(true, 0));
      CAPTURE(kind.name);
      CAPTURE(n);
      CHECK(largest_difference(sums, duals) <= 1e-12 * largest(duals));
      noticed = std::max(noticed, largest_difference(sums, jacobian(tree(true, 1e-3))) / largest(duals));
    }
  }
  CHECK(noticed > 1e-6);
}
