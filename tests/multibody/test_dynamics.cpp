// The fast elimination against dense matrices, on random trees and loops of all kinds of joints.
#include "multibody/mechanisms.h"
#include "multibody/random_mechanism.h"
#include "polhode/multibody/reference.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace polhode;
using test::consistent_start;
using test::Random;
using test::random_mechanism;

namespace {

double largest(const std::vector<Pair>& a) {
  double most = 0;
  for (const Pair& p : a) { most = std::max({most, norm(p.ang), norm(p.lin)}); }
  return most;
}

/// Largest difference of accelerations, relative to the largest of them or to 10 m/s².
double difference(const Model& model, std::span<const double> y) {
  const DenseSolution dense = dense_solution(model, 0, y);
  return test::acceleration_difference(model, y, dense) / std::max(10.0, largest(dense.a));
}

double reaction_difference(const Model& model, std::span<const double> y) {
  Scratch scratch(model);
  std::vector<double> ydot(y.size());
  evaluate(model, 0, y, ydot, scratch);
  std::vector<Reaction> fast(model.joint_count());
  reactions(model, y, scratch, fast);
  const DenseSolution dense = dense_solution(model, 0, y);
  double most = 0;
  double size = 0;
  for (std::size_t j = 0; j < model.joint_count(); ++j) {
    const Reaction& r = dense.reactions[j];
    size = std::max({size, norm(r.force_N), norm(r.moment_N)});
    if (!dense.determined[j]) { continue; }
    most = std::max({most, norm(r.force_N - fast[j].force_N), norm(r.moment_N - fast[j].moment_N)});
  }
  return most / size;
}

}  // namespace

TEST_CASE("one joint of every kind: elimination and dense matrices agree") {
  Random random(1);
  for (const JointKind& kind : joint_kinds()) {
    CAPTURE(std::string(kind.name));
    for (int k = 0; k < 5; ++k) {
      const Model model = random_mechanism(random, {2, 0, k % 2 == 1, {std::string(kind.name)}, {}}).build();
      const std::vector<double> y = consistent_start(model);
      CHECK(difference(model, y) < 1e-11);
      CHECK(reaction_difference(model, y) < 1e-10);
      Scratch scratch(model);
      CHECK(mobility(model, 0, y, scratch).freedoms == dense_solution(model, 0, y).freedoms);
    }
  }
}

TEST_CASE("random trees: elimination and dense matrices agree") {
  Random random(2);
  for (int k = 0; k < 40; ++k) {
    CAPTURE(k);
    const Model model = random_mechanism(random, {2 + k % 9, 0, k % 3 == 0, {}, {}}).build();
    const std::vector<double> y = consistent_start(model);
    Scratch scratch(model);
    CHECK(residuals(model, 0, y, scratch).velocity < 1e-12);
    CHECK(difference(model, y) < 1e-9);
    CHECK(reaction_difference(model, y) < 1e-8);
  }
}

TEST_CASE("random loops: elimination and dense matrices agree") {
  Random random(3);
  for (int k = 0; k < 60; ++k) {
    CAPTURE(k);
    const Model model =
        random_mechanism(
            random, {4 + k % 9,
                     1 + k % 4,
                     k % 3 == 0,
                     {"revolute", "spherical", "universal", "cylindrical", "prismatic"},
                     {"distance", "spherical", "point-on-plane", "point-on-line", "revolute-spherical", "revolute"}})
            .build();
    const std::vector<double> y = consistent_start(model);
    const DenseSolution dense = dense_solution(model, 0, y);
    if (dense.least_kept < 1e-4) { continue; }  // nearly singular: both are right to fewer digits
    CAPTURE(dense.rank);
    CAPTURE(dense.rows);
    CAPTURE(dense.freedoms);
    CAPTURE(dense.least_kept);
    Scratch scratch(model);
    mobility(model, 0, y, scratch);
    CAPTURE(scratch.least_pivot);
    CHECK(residuals(model, 0, y, scratch).velocity < 1e-11);
    CHECK(mobility(model, 0, y, scratch).freedoms == dense.freedoms);
    CHECK(mobility(model, 0, y, scratch).redundant_rows == dense.rows - dense.rank);
    CHECK(difference(model, y) < 1e-7);
    CHECK(reaction_difference(model, y) < 1e-6);
  }
}
