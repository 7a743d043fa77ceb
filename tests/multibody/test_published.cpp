// Published motions of mechanisms; each file in tests/cases names its source.
#include "multibody/mechanisms.h"

#include "polhode/math/degree.h"
#include "polhode/rotation/rotation_matrix.h"

#include <algorithm>
#include <cmath>
#include <functional>

using namespace polhode;

namespace {

/// One body on one joint, as ADAMS had it.
struct AdamsCase {
  const char* kind;  ///< "" for a spring alone
  Vec3<double> point_N;
  Vec3<double> centre_N;
  EulerParameters<double> e_NB;
  Vec3<double> other_end_N;         ///< of a rod
  double position, attitude, rate;  ///< how far ADAMS is from the motion computed again
};

std::vector<AdamsCase> adams_cases() {
  const double h = std::sqrt(0.5);
  const EulerParameters<double> one{1, {0, 0, 0}};
  const EulerParameters<double> quarter{h, {-h, 0, 0}};
  const EulerParameters<double> eighth{0.9238795325112867, {-0.3826834323650897, 0, 0}};
  return {
      {"revolute", {0, 0, 0}, {2, 0, 0}, quarter, {}, 5.0e-6, 5.0e-7, 4.9e-6},
      {"revolute", {1, 2, 3}, {3, 2, 3}, eighth, {}, 4.9e-6, 5.0e-7, 4.9e-6},
      {"spherical", {0, 0, 0}, {2, 0, 0}, one, {}, 8.4e-4, 2.1e-4, 1.0e-3},
      {"spherical", {1, 2, 3}, {3, 2, 3}, eighth, {}, 5.0e-6, 5.0e-7, 4.9e-6},
      {"distance", {0, 0, 0}, {0, 2, 0}, one, {0, 2, 0}, 5.0e-7, 1e-12, 1e-12},
      {"distance", {1, 2, 3}, {-1, 4, 3}, one, {1, 4, 3}, 1.7e-5, 1.0e-5, 5.5e-4},
      {"distance", {0, 0, 0}, {0, 4, 0}, {h, {0, 0, -h}}, {0, 2, 0}, 5.7e-7, 6.5e-7, 2.3e-6},
      {"revolute", {0, 0, 0}, {2, 0, 0}, quarter, {}, 1.3e-6, 2.3e-7, 5.0e-6},
      {"", {0, 0, 0}, {0, 2, 0}, one, {}, 4.9e-7, 1e-12, 1e-12},
  };
}

Model adams_model(std::size_t n) {
  const AdamsCase c = adams_cases()[n];
  ModelBuilder builder;
  builder.gravity({0, 0, -9.80665});
  BodyStart start;
  start.r_N = c.centre_N;
  start.e_NB = c.e_NB;
  const BodyId body = builder.body("body", from_principal_moments(1, {0.04, 0.1, 0.1}), start);
  const std::string kind = c.kind;
  if (kind == "distance") {
    builder.rod_at("rod", kGround, c.point_N, body, c.other_end_N);
  } else if (!kind.empty()) {
    const int joint = builder.joint_at(kind, "joint", kGround, body, c.point_N, rotate(c.e_NB, Vec3<double>{0, 0, 1}));
    if (n == 7) {
      JointSpring spring;
      spring.joint = joint;
      spring.stiffness = 200;
      spring.damping = 10;
      builder.add(spring);
    }
  } else {
    Spring spring;
    spring.second = body;
    spring.stiffness = 100;
    spring.damping = 5;
    spring.free_length = 2;
    builder.add(spring);
  }
  return builder.build();
}

struct Difference {
  double position = 0, attitude = 0, velocity = 0, rate = 0, force = 0, moment = 0;
};

Difference adams_difference(std::size_t n, const std::string& file) {
  const Model model = adams_model(n);
  const MechanismSystem system(model);
  std::vector<double> y = model.start();
  std::vector<std::vector<double>> rows;
  std::vector<double> times;
  for (const std::vector<double>& row : test::rows_of(file)) {
    if (row[0] != static_cast<double>(n)) { continue; }
    rows.push_back(row);
    times.push_back(row[1]);
  }
  Difference most;
  Scratch scratch(model);
  std::vector<double> ydot(y.size());
  test::run(system, y, times, 1e-12, [&](std::size_t i, std::span<const double> at) {
    const std::vector<double>& row = rows[i];
    const auto three = [&](std::size_t k) { return Vec3<double>{row[k], row[k + 1], row[k + 2]}; };
    const BodyView b = Model::view(at, 0);
    const EulerParameters<double> e{row[5], three(6)};
    most.position = std::max(most.position, norm(b.r_N - three(2)));
    most.attitude = std::max(most.attitude, norm(nearest_sign(e, b.e_NB) - b.e_NB));
    most.velocity = std::max(most.velocity, norm(b.v_N - three(9)));
    most.rate = std::max(most.rate, norm(rotate(b.e_NB, b.w_B) - three(12)));
    if (row.size() > 15 && model.joint_count() > 0) {
      evaluate(model, times[i], at, ydot, scratch);
      std::vector<Reaction> reaction(1);
      reactions(model, at, scratch, reaction);
      // ADAMS' files have what the joint does to ground
      most.force = std::max(most.force, norm(reaction[0].force_N + three(15)));
      most.moment = std::max(most.moment, norm(reaction[0].moment_N + three(18)));
    }
  });
  return most;
}

}  // namespace

TEST_CASE("one body on a hinge, a ball joint, a rod or a spring moves as it does in ADAMS") {
  for (std::size_t n = 0; n < adams_cases().size(); ++n) {
    CAPTURE(n);
    const AdamsCase c = adams_cases()[n];
    const Difference d = adams_difference(n, "adams_joints.csv");
    CHECK(d.position < 3 * c.position);
    CHECK(d.attitude < 3 * c.attitude);
    CHECK(d.rate < 3 * c.rate);
    // six digits of up to 30 N or N m, and what the motion is off by; case 7 counts the spring's moment in
    CHECK(d.force < (n == 2 ? 0.03 : 1e-3));
    CHECK((n == 7 || d.moment < 2e-3));
  }
}

TEST_CASE("one body on a hinge, a ball joint, a rod or a spring: the motion computed again elsewhere") {
  for (std::size_t n = 0; n < adams_cases().size(); ++n) {
    CAPTURE(n);
    const Difference d = adams_difference(n, "adams_joints_recomputed.csv");
    CHECK(d.position < 1e-7);
    CHECK(d.attitude < 1e-7);
    CHECK(d.velocity < 1e-6);
    CHECK(d.rate < 1e-6);
  }
}

TEST_CASE("the heavy top of Bruls and Cardona as a free body with a ball joint") {
  const auto worst = [](double spin) {
    ModelBuilder builder;
    builder.gravity({0, 0, -9.81});
    BodyStart start;
    start.w_B = {0, spin, -4.61538};
    // the body's frame is at the tip; the mass centre is not
    const BodyId top = builder.body("top", from_principal_moments(15, {0.234375, 0.46875, 0.234375}, {0, 1, 0}), start);
    builder.joint("spherical", "tip", kGround, {}, top, {});
    const Model model = builder.build();
    const MechanismSystem system(model);
    std::vector<double> y = model.start();
    std::vector<std::vector<double>> rows;
    std::vector<double> times;
    for (const std::vector<double>& row : test::rows_of("heavy_top.csv")) {
      if (row[0] > 0.5) { continue; }
      rows.push_back(row);
      times.push_back(row[0]);
    }
    double most = 0;
    test::run(system, y, times, 1e-13, [&](std::size_t i, std::span<const double> at) {
      const BodyView b = Model::view(at, 0);
      const EulerParameters<double> e{rows[i][1], {rows[i][2], rows[i][3], rows[i][4]}};
      most = std::max(most, norm(nearest_sign(e, b.e_NB) - b.e_NB));
    });
    return most;
  };
  CHECK(worst(150) < 1e-9);
  CHECK(worst(150 * (1 + 1e-8)) > 1e-9);
}

TEST_CASE("two bodies with full inertia on a hinge and a ball joint, from mass centres and from other points") {
  const auto worst = [](const Vec3<double>& reference, double product) {
    ModelBuilder builder;
    builder.gravity({0, -9.81, 0});
    const Mat3<double> J{{{10, product, 2}, {product, 7, 3}, {2, 3, 6}}};
    BodyId bodies[2];
    const Physical any = Physical::allow_any_positive;  // no rigid body has these moments
    for (int b = 0; b < 2; ++b) {
      BodyStart start;
      start.r_N = Vec3<double>{0.3 + 0.6 * b, 0, 0} - reference;
      bodies[b] = builder.body("body " + std::to_string(b), from_inertia_matrix(25, J, reference, any), start, any);
    }
    builder.joint_at("revolute", "hinge", kGround, bodies[0], {0, 0, 0}, {0, 0, 1});
    builder.joint_at("spherical", "ball", bodies[0], bodies[1], {0.6, 0, 0}, {0, 0, 1});
    const Model model = builder.build();
    const MechanismSystem system(model);
    std::vector<double> y = model.start();
    const std::vector<std::vector<double>> rows = test::rows_of("two_body_chain.csv");
    std::vector<double> times;
    for (const std::vector<double>& row : rows) { times.push_back(row[0]); }
    double most = 0;
    test::run(system, y, times, 1e-12, [&](std::size_t i, std::span<const double> at) {
      for (int b = 0; b < 2; ++b) {
        const std::size_t k = b == 0 ? 1 : 8;
        const std::vector<double>& row = rows[i];
        const BodyView view = Model::view(at, b);
        const EulerParameters<double> e{row[k + 3], {row[k + 4], row[k + 5], row[k + 6]}};
        most = std::max({most, norm(view.r_N - Vec3<double>{row[k], row[k + 1], row[k + 2]}),
                         norm(nearest_sign(e, view.e_NB) - view.e_NB)});
      }
    });
    const Vec3<double> moved = Model::view(y, 1).r_N - Vec3<double>{0.9, 0, 0};
    CHECK(std::fabs(norm(moved) - 1.70471573) < (product == 1 ? 1e-5 : 10));  // recorded, steps of 0.01 s
    return most;
  };
  CHECK(worst({0, 0, 0}, 1) < 1e-8);
  CHECK(worst({0.4, 0.22, -0.35}, 1) < 1e-8);
  CHECK(worst({0, 0, 0}, -1) > 1e-3);  // the other sign of a product of inertia
}

TEST_CASE("a point mass on a massless bar falls as the simple pendulum does") {
  ModelBuilder builder;
  builder.gravity({0, -9.81, 0});
  BodyStart start;
  start.r_N = {-1, 0, 0};
  const BodyId ball = builder.body("ball", from_principal_moments(1, {0.1, 0.1, 0.1}), start);
  builder.rod_at("bar", kGround, {0, 0, 0}, ball, {-1, 0, 0});
  const Model model = builder.build();
  const MechanismSystem system(model);
  std::vector<double> y = model.start();
  const std::vector<Vec3<double>> expected{{0.98629175113, -0.16501085313, 0},
                                           {-0.79356619534, -0.60848393044, 0},
                                           {-0.94230543504, -0.33475433841, 0},
                                           {-0.27508746258, -0.96141920510, 0}};
  const double before = energy(model, y).total();
  test::run(system, y, {1, 2, 5, 10}, 1e-13, [&](std::size_t i, std::span<const double> at) {
    CHECK(norm(Model::view(at, 0).r_N - expected[i]) < 1e-9);
  });
  CHECK(std::fabs(energy(model, y).total() - before) < 1e-9);
}

namespace {

EulerParameters<double> roll_pitch_yaw(double roll, double pitch, double yaw) {
  return exp(Vec3<double>{0, 0, yaw}) * exp(Vec3<double>{0, pitch, 0}) * exp(Vec3<double>{roll, 0, 0});
}

/// Seven hinges, each driven to an angle by a law of its own.
Model kuka(const std::vector<std::vector<double>>& rows,
           const std::function<std::array<double, 3>(int joint, double t)>& law) {
  ModelBuilder builder;
  FrameOnBody pose;
  BodyId before = kGround;
  for (int j = 0; j < 7; ++j) {
    const std::vector<double>& row = rows[static_cast<std::size_t>(j)];
    const FrameOnBody on_before{{row[0], row[1], row[2]}, roll_pitch_yaw(row[3], row[4], row[5])};
    pose = {pose.r_BF_B + rotate(pose.e_BF, on_before.r_BF_B), pose.e_BF * on_before.e_BF};
    BodyStart start;
    start.r_N = pose.r_BF_B;
    start.e_NB = pose.e_BF;
    const BodyId link =
        builder.body("link " + std::to_string(j + 1),
                     from_inertia_matrix(row[6], diagonal(row[10], row[11], row[12]), {row[7], row[8], row[9]}), start);
    builder.joint("revolute", "joint " + std::to_string(j + 1), before, on_before, link, {});
    builder.add(
        Driver{"motor " + std::to_string(j + 1), j, Coordinate::turn, [law, j](double t) { return law(j, t); }});
    before = link;
  }
  return builder.build();
}

}  // namespace

TEST_CASE("KUKA's arm: the last link is where MotionGenesis has it, and joint torques are its own") {
  const std::vector<std::vector<double>> rows = test::rows_of("kuka_iiwa.csv");
  const double degree = math::kPi<double> / 180;
  const Model model = kuka(rows, [&](int j, double t) {
    return std::array<double, 3>{t * degree * (j % 2 == 0 ? 60 : 30), 0, j == 6 ? 1000.0 : 0.0};
  });
  std::vector<double> y = model.start();
  CHECK(norm(model.point_N(y, 6, {}) - Vec3<double>{0, 0, 1.261}) < 1e-14);
  Scratch scratch(model);
  // at the zero configuration, the last joint accelerating: its torque goes through every second joint
  std::vector<double> ydot(y.size());
  evaluate(model, 0, y, ydot, scratch);
  for (int j = 0; j < 7; ++j) { CHECK(std::fabs(driver_force(model, scratch, j) - (j % 2 == 0 ? 1 : 0)) < 1e-12); }
  // driven there in small turns
  for (int k = 1; k <= 12; ++k) { project(model, k / 12.0, y, scratch); }
  const std::vector<double>& published = rows[7];
  CHECK(norm(model.point_N(y, 6, {}) - Vec3<double>{published[0], published[1], published[2]}) < 2e-14);
  const Mat3<double> R = rotation_matrix(Model::view(y, 6).e_NB);
  for (std::size_t i = 0; i < 9; ++i) { CHECK(std::fabs(R(i / 3, i % 3) - published[3 + i]) < 2e-14); }
}
