// Rows of joints against derivatives by dual numbers, and the motions they leave.
#include "multibody/random_mechanism.h"
#include "polhode/math/dual.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace polhode;
using test::Random;

namespace {

using D = Dual<double>;
using D2 = Dual<Dual<double>>;

/// A body in any motion, with a frame on it.
struct Moving {
  Vec3<double> r, v, a;
  EulerParameters<double> e;
  Vec3<double> w_B, wdot_B;
  FrameOnBody frame;  ///< from the mass centre

  explicit Moving(Random& random)
      : r(random.vector(1)),
        v(random.vector(1)),
        a(random.vector(1)),
        e(random.attitude()),
        w_B(random.vector(1)),
        wdot_B(random.vector(1)),
        frame(test::random_frame(random)) {}

  End<double> end() const {
    const Mat3<double> R = rotation_matrix(e);
    return {r, v, R * w_B, R * frame.r_BF_B, R * rotation_matrix(frame.e_BF)};
  }
  Pair velocity() const { return {rotate(e, w_B), v}; }
  Pair acceleration() const { return {rotate(e, wdot_B), a}; }

  template <class S>
  static Vec3<S> lift(const Vec3<double>& x) {
    return {S(x.x), S(x.y), S(x.z)};
  }
  /// Where it is a little later, to second order.
  template <class S>
  End<S> later(const S& t) const {
    const EulerParameters<double> edot = rate_from_body(e, w_B);
    const EulerParameters<double> eddot = acceleration_from_body(e, w_B, wdot_B);
    const auto taylor = [&](double x0, double x1, double x2) { return S(x0) + t * S(x1) + t * t * S(0.5 * x2); };
    const EulerParameters<S> now{taylor(e.e0, edot.e0, eddot.e0),
                                 {taylor(e.ev.x, edot.ev.x, eddot.ev.x), taylor(e.ev.y, edot.ev.y, eddot.ev.y),
                                  taylor(e.ev.z, edot.ev.z, eddot.ev.z)}};
    return at(Vec3<S>{taylor(r.x, v.x, a.x), taylor(r.y, v.y, a.y), taylor(r.z, v.z, a.z)}, now);
  }
  template <class S>
  End<S> at(const Vec3<S>& position, const EulerParameters<S>& attitude) const {
    const Mat3<S> R = rotation_matrix(attitude);
    const EulerParameters<S> e_BF{S(frame.e_BF.e0), lift<S>(frame.e_BF.ev)};
    return {position, {}, {}, R * lift<S>(frame.r_BF_B), R * rotation_matrix(e_BF)};
  }
};

}  // namespace

TEST_CASE("every joint: Jacobian and γ are the first and second derivative of its values, at any state") {
  Random random(11);
  double twin = 0;
  for (const JointKind& kind : joint_kinds()) {
    CAPTURE(std::string(kind.name));
    for (int k = 0; k < 20; ++k) {
      const Moving first(random);
      const Moving second(random);
      const double parameter = 0.4;
      std::array<Row, kMostRows> rows;
      const std::size_t n = joint_rows(kind, parameter, first.end(), second.end(), rows);
      CHECK(n == kind.row_count());
      const D2 t{D{0, 1}, D{1, 0}};
      std::array<D2, kMostRows> values;
      CHECK(joint_values(kind, parameter, first.later(t), second.later(t), values) == n);
      for (std::size_t i = 0; i < n; ++i) {
        const Row& row = rows[i];
        const double lead = 2 * math::kPi<double> * parameter;
        const double turns = (values[i].value.value - row.value) / lead;
        CHECK(std::fabs(turns - std::nearbyint(turns)) < 1e-13);
        const double rate = dot(row.first, first.velocity()) + dot(row.second, second.velocity());
        CHECK(std::fabs(values[i].value.derivative - rate) < 1e-12 * (1 + std::fabs(rate)));
        const double second_rate =
            dot(row.first, first.acceleration()) + dot(row.second, second.acceleration()) - row.gamma;
        // the angle of a screw is steep where the frames stand back to back
        CHECK(std::fabs(values[i].derivative.derivative - second_rate) < 1e-9 * (1 + std::fabs(second_rate)));
        twin = std::max(twin, std::fabs(row.gamma));
      }
    }
  }
  CHECK(twin > 0.1);  // without γ it would not pass
}

TEST_CASE("every joint: the Jacobian for rates of Euler parameters is the derivative across e") {
  Random random(12);
  double along = 0;
  for (const JointKind& kind : joint_kinds()) {
    CAPTURE(std::string(kind.name));
    for (int k = 0; k < 10; ++k) {
      const Moving first(random);
      const Moving second(random);
      std::array<Row, kMostRows> rows;
      const std::size_t n = joint_rows(kind, 0.4, first.end(), second.end(), rows);
      EulerParameters<double> change{random.between(-1, 1), random.vector(1)};
      const auto derivative = [&](const EulerParameters<double>& by, std::size_t i) {
        const auto lifted = [](const Moving& m) { return Moving::lift<D>(m.r); };
        const EulerParameters<D> e{D{second.e.e0, by.e0},
                                   {D{second.e.ev.x, by.ev.x}, D{second.e.ev.y, by.ev.y}, D{second.e.ev.z, by.ev.z}}};
        const EulerParameters<D> e1{D(first.e.e0), Moving::lift<D>(first.e.ev)};
        std::array<D, kMostRows> values;
        joint_values(kind, 0.4, first.at(lifted(first), e1), second.at(lifted(second), e), values);
        return values[i].derivative;
      };
      for (std::size_t i = 0; i < n; ++i) {
        const EulerParameters<double> row = jacobian_for_edot(second.e, rows[i].second.ang);
        CHECK(std::fabs(dot(row, second.e)) < 1e-14 * (1 + norm(row)));
        const EulerParameters<double> across = change - dot(change, second.e) * second.e;
        CHECK(std::fabs(derivative(across, i) - dot(row, across)) < 1e-12 * (1 + norm(row)));
        along = std::max(along, std::fabs(derivative(second.e, i) - dot(row, second.e)));
      }
    }
  }
  CHECK(along > 0.1);  // along e the raw derivative says something else
}

TEST_CASE("every joint: the motions it leaves fulfil its rows, and fill what they leave") {
  Random random(13);
  for (const JointKind& kind : joint_kinds()) {
    CAPTURE(std::string(kind.name));
    CHECK(kind.freedoms() + kind.row_count() == 6);
    for (int k = 0; k < 10; ++k) {
      const Model model = test::random_mechanism(random, {2, 0, false, {std::string(kind.name)}, {}}).build();
      const std::vector<double> y = test::consistent_start(model);
      const JointDescription& joint = model.joints()[1];
      const auto [first, second] = model.ends(y, 1);
      JointMotion motion;
      joint_motion(kind, joint.parameter, first, second, motion);
      REQUIRE(motion.freedoms == kind.freedoms());
      std::array<Row, kMostRows> rows;
      const std::size_t n = joint_rows(kind, joint.parameter, first, second, rows);
      for (std::size_t i = 0; i < n; ++i) {
        CHECK(std::fabs(rows[i].value) < 1e-14);
        // both bodies together: nothing changes
        const Pair alike{random.vector(1), random.vector(1)};
        const Pair carried{alike.ang, alike.lin + cross(alike.ang, motion.lever1 - motion.lever2)};
        CHECK(std::fabs(dot(rows[i].first, alike) + dot(rows[i].second, carried)) < 1e-13);
        for (std::size_t c = 0; c < motion.freedoms; ++c) {
          const Pair& m = motion.columns[c];
          const Pair S{m.ang, m.lin + cross(motion.lever2, m.ang)};
          CHECK(std::fabs(dot(rows[i].second, S)) < 1e-13);
        }
        // with q̈ = 0: the bias alone fulfils the row
        const Pair b{motion.bias.ang, motion.bias.lin - cross(motion.bias.ang, motion.lever2) +
                                          cross(first.w, cross(first.w, motion.lever1)) -
                                          cross(second.w, cross(second.w, motion.lever2))};
        CHECK(std::fabs(dot(rows[i].second, b) - rows[i].gamma) < 1e-11);
      }
    }
  }
}

TEST_CASE("every joint: coordinates change at the rates it reports") {
  Random random(14);
  for (const JointKind& kind : joint_kinds()) {
    CAPTURE(std::string(kind.name));
    const Model model = test::random_mechanism(random, {2, 0, false, {std::string(kind.name)}, {}}).build();
    std::vector<double> y = test::consistent_start(model);
    const std::vector<CoordinateValue> before = model.coordinates(y, 1);
    CHECK(before.size() == kind.coordinates.size());
    // rotation vectors report ω in place of their rate
    std::vector<double> ydot(y.size());
    Scratch scratch(model);
    evaluate(model, 0, y, ydot, scratch);
    const double dt = 1e-7;
    std::vector<double> later = y;
    for (std::size_t i = 0; i < y.size(); ++i) {
      later[i] += dt * ydot[i];
      y[i] -= dt * ydot[i];
    }
    for (std::size_t c = 0; c < before.size(); ++c) {
      if (kind.coordinates[c] >= Coordinate::rotation_x) { continue; }
      const double change = model.coordinates(later, 1)[c].value - model.coordinates(y, 1)[c].value;
      CHECK(std::fabs(change / (2 * dt) - before[c].rate) < 1e-6);
    }
  }
}

TEST_CASE("every coordinate that can be acted on: its row and γ are the derivatives of its value, at any state") {
  Random random(15);
  double twin = 0;
  for (const Coordinate coordinate : {Coordinate::turn, Coordinate::slide_x, Coordinate::slide_y, Coordinate::slide_z,
                                      Coordinate::cross_x, Coordinate::cross_y, Coordinate::swing}) {
    CAPTURE(std::string(to_text(coordinate)));
    CHECK(has_row(coordinate));
    for (int k = 0; k < 20; ++k) {
      const Moving first(random);
      const Moving second(random);
      const Row row = coordinate_row(coordinate, first.end(), second.end());
      const D2 t{D{0, 1}, D{1, 0}};
      const D2 value = coordinate_value(coordinate, first.later(t), second.later(t));
      CHECK(std::fabs(value.value.value - row.value) < 1e-13);
      const double rate = dot(row.first, first.velocity()) + dot(row.second, second.velocity());
      CHECK(std::fabs(value.value.derivative - rate) < 1e-11 * (1 + std::fabs(rate)));
      const double second_rate =
          dot(row.first, first.acceleration()) + dot(row.second, second.acceleration()) - row.gamma;
      CHECK(std::fabs(value.derivative.derivative - second_rate) < 1e-9 * (1 + second_rate * second_rate));
      twin = std::max(twin, std::fabs(row.gamma));
    }
  }
  CHECK(twin > 0.1);
  CHECK_FALSE(has_row(Coordinate::rotation_x));
}
