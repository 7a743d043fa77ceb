// Forces: each against its potential and its losses, and what is known of its motion.
#include "multibody/mechanisms.h"
#include "multibody/random_mechanism.h"

#include <cmath>
#include <functional>

using namespace polhode;
using test::Random;

namespace {

/// d/dt of the energy, as another model counts it, along the motion, by differences; and what the power says it is.
struct EnergyRate {
  double measured;
  Power power;
  double wrong_by() const { return std::fabs(measured - (power.supplied - power.dissipated)); }
};
EnergyRate energy_rate(const Model& model, const Model& counted, const std::vector<double>& y) {
  Scratch scratch(model);
  std::vector<double> ydot(y.size());
  evaluate(model, 0, y, ydot, scratch);
  const double dt = 1e-6;
  const auto energy_at = [&](double by) {
    std::vector<double> moved = y;
    for (std::size_t i = 0; i < y.size(); ++i) { moved[i] += by * ydot[i]; }
    return energy(counted, moved).total();
  };
  return {(energy_at(dt) - energy_at(-dt)) / (2 * dt), power(model, scratch)};
}

/// One more thing on a mechanism of two bodies that hang on each other by joints of one kind.
struct Loaded {
  const char* name;
  const char* joint;
  std::function<void(ModelBuilder&, Random&)> add;
  bool has_power;  ///< supplied or dissipated
};

Matrix<double, 6, 6> random_symmetric(Random& random) {
  Matrix<double, 6, 6> A;
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j <= i; ++j) { A(i, j) = A(j, i) = random.between(-1, 1) + (i == j ? 6 : 0); }
  }
  return A;
}

const std::vector<Loaded>& loads() {
  static const std::vector<Loaded> list{
      {"wrench", "revolute",
       [](ModelBuilder& b, Random& r) {
         b.add(Wrench{1, r.vector(1), r.vector(5), r.vector(5), r.between(0, 1) < 0.5});
       },
       true},
      {"spring", "revolute",
       [](ModelBuilder& b, Random& r) { b.add(Spring{0, r.vector(1), 1, r.vector(1), 30, 2, 0.4, 3}); }, true},
      {"joint spring", "revolute",
       [](ModelBuilder& b, Random&) { b.add(JointSpring{1, Coordinate::turn, 20, 2, 2.5, 3}); }, true},
      {"joint spring on a cross", "universal",
       [](ModelBuilder& b, Random&) {
         b.add(JointSpring{1, Coordinate::cross_x, 20, 2, 0.3, 3});
         b.add(JointSpring{1, Coordinate::cross_y, 20, 2, 0.3, 3});
       },
       true},
      {"spring, friction and limit of a swing", "spherical",
       [](ModelBuilder& b, Random&) {
         b.add(JointSpring{1, Coordinate::swing, 20, 2, 0.3, 3});
         b.add(JointFriction{1, Coordinate::swing, 2, 0.3, 0.5});
         b.add(JointLimit{1, Coordinate::swing, 0, 0.2, 20, 3, 0.1});
       },
       true},
      {"limit, soft", "revolute",
       [](ModelBuilder& b, Random&) { b.add(JointLimit{1, Coordinate::turn, 3.0, 3.01, 20, 3, 5}); }, true},
      {"limit, full", "cylindrical",
       [](ModelBuilder& b, Random&) { b.add(JointLimit{1, Coordinate::slide_z, 1, 2, 200, 3, 1e-3}); }, true},
      {"limits of a cross", "universal",
       [](ModelBuilder& b, Random&) {
         b.add(JointLimit{1, Coordinate::cross_x, 3.0, 3.01, 20, 3, 0.1});
         b.add(JointLimit{1, Coordinate::cross_y, 1.4, 1.5, 20, 3, 0.1});
       },
       true},
      {"friction", "cylindrical",
       [](ModelBuilder& b, Random&) {
         b.add(JointFriction{1, Coordinate::turn, 2, 0.3, 0.5});
         b.add(JointFriction{1, Coordinate::slide_z, 2, 0.3, 0.5});
       },
       true},
      {"bushing", "spherical",
       [](ModelBuilder& b, Random& r) {
         b.add(Bushing{0, test::random_frame(r), 1, test::random_frame(r), random_symmetric(r), random_symmetric(r)});
       },
       true},
      {"drag", "spherical", [](ModelBuilder& b, Random& r) { b.add(Drag{1, r.vector(1), 0.5, 0.8, r.vector(1)}); },
       true},
      {"central gravity", "spherical", [](ModelBuilder& b, Random&) { b.add(CentralGravity{{3, 4, -2}, 50}); }, false},
      {"driver", "revolute",
       [](ModelBuilder& b, Random&) {
         b.add(Driver{"motor", 1, Coordinate::turn, [](double t) { return std::array<double, 3>{2 * t, 2, 0}; }});
       },
       true},
      {"law", "revolute",
       [](ModelBuilder& b, Random&) {
         b.add(ForceLaw([](const MechanismView& now, std::span<Pair> f) {
           f[1] += Pair{{0.5, 1, 2}, -3.0 * Model::view(now.y, 1).r_N};
         }));
       },
       true},
  };
  return list;
}

}  // namespace

TEST_CASE("every force: energy changes by what is supplied less what is dissipated") {
  Random random(41);
  for (const Loaded& load : loads()) {
    CAPTURE(load.name);
    double felt = 0;
    double in_power = 0;
    for (int k = 0; k < 8; ++k) {
      ModelBuilder builder = test::random_mechanism(random, {2, 0, false, {load.joint}, {}});
      const Model bare = builder.build();
      load.add(builder, random);
      const Model model = builder.build();
      std::vector<double> y = test::consistent_start(model);
      const EnergyRate rate = energy_rate(model, model, y);
      // differences of an energy of up to 1e4 J over 2e-6 s keep some 1e-6 W; of third derivatives 1e-12 times 1e4
      CHECK(rate.wrong_by() < 2e-5);
      in_power = std::max({in_power, std::fabs(rate.power.supplied), std::fabs(rate.power.dissipated)});
      felt = std::max(felt, std::fabs(energy_rate(model, bare, y).measured));
    }
    CHECK(felt > 0.01);  // counted without the force, energy does not stay
    CHECK((in_power > 0.01) == load.has_power);
  }
}

TEST_CASE("a run keeps energy less work supplied plus energy dissipated") {
  ModelBuilder builder;
  builder.gravity({0, -9.81, 0});
  const MassProperties rod = from_principal_moments(1, {0.01, 0.08, 0.08});
  BodyStart start;
  start.r_N = {0.5, 0, 0};
  const BodyId arm = builder.body("arm", rod, start);
  start.r_N = {1.5, 0, 0};
  const BodyId forearm = builder.body("forearm", rod, start);
  start.r_N = {2.2, 0, 0};
  const BodyId hand = builder.body("hand", rod, start);
  const int shoulder = builder.joint_at("revolute", "shoulder", kGround, arm, {0, 0, 0}, {0, 0, 1});
  const int elbow = builder.joint_at("revolute", "elbow", arm, forearm, {1, 0, 0}, {0, 0, 1});
  builder.add(Driver{"motor", shoulder, Coordinate::turn, [](double t) {
                       return std::array<double, 3>{math::sin(2 * t), 2 * math::cos(2 * t), -4 * math::sin(2 * t)};
                     }});
  builder.add(JointLimit{elbow, Coordinate::turn, -1, 1, 500, 5, 0.01});
  builder.add(JointFriction{elbow, Coordinate::turn, 0.5, 0.1, 0.1});
  Bushing bushing{forearm, {{0.5, 0, 0}, {}}, hand, {{-0.2, 0, 0}, {}}, {}, {}};
  for (std::size_t i = 0; i < 6; ++i) {
    bushing.stiffness(i, i) = i < 3 ? 2000 : 50;
    bushing.damping(i, i) = i < 3 ? 5 : 0.2;
  }
  builder.add(bushing);
  builder.add(Drag{hand, {}, 0.1, 0.2, {1, 0, 0}});
  builder.add(Wrench{hand, {}, {0, 1, 0.5}, {}, true});
  const Model model = builder.build();
  const MechanismSystem system(model, {.count_work = true});
  std::vector<double> y = test::consistent_start(model);
  const double before = energy(model, y).total();
  y.resize(system.size());
  CHECK(system.entry_name(y.size() - 1) == "energy dissipated");
  const std::size_t n = model.state_size();
  test::run(system, y, {1, 2}, 1e-10, [&](std::size_t, std::span<const double> at) {
    const double change = energy(model, at).total() - before;
    CHECK(std::fabs(change - at[n] + at[n + 1]) < 1e-7);
    // neither alone would do
    CHECK(std::fabs(change) > 0.1);
    CHECK(std::fabs(change - at[n]) > 0.1);
    CHECK(std::fabs(change + at[n + 1]) > 0.1);
  });
}

TEST_CASE("a stop pushes smoothly, and never pulls") {
  const JointLimit limit{0, Coordinate::slide_z, -1, 2, 1000, 50, 0.01};
  CHECK(force_on(limit, 1.999, 5.0).Q == 0);
  CHECK(force_on(limit, 2.005, 0.0).Q == doctest::Approx(-1000 * 0.005 * 0.005 / 0.02));
  CHECK(force_on(limit, -1.1, 0.0).Q == doctest::Approx(1000 * (0.1 - 0.005)));
  // deeper: the damper helps; on the way out only the spring is left
  CHECK(force_on(limit, 2.1, 3.0).Q == doctest::Approx(-1000 * 0.095 - 150));
  CHECK(force_on(limit, 2.1, -3.0).Q == doctest::Approx(-1000 * 0.095));
  CHECK(force_on(limit, 2.1, 3.0).power.dissipated == doctest::Approx(450));
  // first derivatives meet at both edges
  for (const double q : {2.0, 2.01}) {
    const double d = 1e-7;
    const double left = (force_on(limit, q, 0.0).Q - force_on(limit, q - d, 0.0).Q) / d;
    const double right = (force_on(limit, q + d, 0.0).Q - force_on(limit, q, 0.0).Q) / d;
    CHECK(std::fabs(left - right) < 0.02);
  }
  // an angle beyond a stop next to half a turn is still beyond it
  const JointLimit near_turn{0, Coordinate::turn, -3, 3, 1000, 0, 0.01};
  CHECK(force_on(near_turn, 3.1, 0.0).Q < 0);
  // whole turns count, or with wrap they do not
  JointLimit from_one{0, Coordinate::turn, 1, 5, 1000, 0, 0.01};
  CHECK(force_on(from_one, -2.0, 0.0).Q == doctest::Approx(1000 * (3 - 0.005)));
  from_one.wrap = true;
  CHECK(force_on(from_one, -2.0, 0.0).Q == 0);  // the same as 4.28
  CHECK(force_on(from_one, -1.0, 0.0).Q < 0);   // 5.28
  CHECK(force_on(from_one, 0.5, 0.0).Q > 0);
}

TEST_CASE("a ball joint with a stop keeps its swing inside a cone") {
  const double cone = 0.5;
  const auto farthest = [&](bool stopped) {
    ModelBuilder builder;
    builder.gravity({0, 0, -9.81});
    BodyStart start;
    start.r_N = {0, 0, -0.5};
    start.v_N = {1.3, 0.6, 0};  // free it swings far beyond
    start.w_B = {1.2, -2.6, 0};
    const BodyId bob = builder.body("bob", from_principal_moments(1, {0.09, 0.09, 0.01}), start);
    const int ball = builder.joint_at("spherical", "ball", kGround, bob, {0, 0, 0}, {0, 0, 1});
    if (stopped) { builder.add(JointLimit{ball, Coordinate::swing, 0, cone, 5e3, 50, 1e-3}); }
    const Model model = builder.build();
    std::vector<double> y = test::consistent_start(model);
    const MechanismSystem system(model);
    double most = 0;
    std::vector<double> times;
    for (int k = 1; k <= 300; ++k) { times.push_back(0.01 * k); }
    test::run(system, y, times, 1e-8, [&](std::size_t, std::span<const double> at) {
      const auto [first, second] = model.ends(at, ball);
      most = std::max(most, joint_coordinate(Coordinate::swing, first, second).value);
    });
    return most;
  };
  CHECK(farthest(false) > cone + 0.1);
  const double stopped = farthest(true);
  CHECK(stopped > cone - 0.1);
  CHECK(stopped < cone + 0.05);  // some energy of 1 J against 5000 N m/rad
}

TEST_CASE("a block comes to rest by friction where it should, and all its energy is in the loss") {
  ModelBuilder builder;
  BodyStart start;
  start.v_N = {2, 0, 0};
  const BodyId block = builder.body("block", from_principal_moments(3, {1, 1, 1}), start);
  const int rail = builder.joint_at("prismatic", "rail", kGround, block, {0, 0, 0}, {1, 0, 0});
  builder.add(JointFriction{rail, Coordinate::slide_z, 6, 0, 1e-4});
  const Model model = builder.build();
  const MechanismSystem system(model, {.count_work = true});
  std::vector<double> y = model.start();
  y.resize(system.size());
  test::run(system, y, {0.5, 1.05}, 1e-9, [&](std::size_t i, std::span<const double> at) {
    // v = 2 − 2 t until it stands; the last creep within 1e-4 m/s
    const double v = i == 0 ? 1 : 0;
    CHECK(std::fabs(at[7] - v) < (i == 0 ? 1e-6 : 1e-4));
    CHECK(std::fabs(at[model.state_size() + 1] - (6 - 1.5 * v * v)) < 1e-5);
  });
  CHECK(std::fabs(y[0] - 1) < 1e-4);
}

TEST_CASE("a falling body in air reaches the speed where drag bears its weight") {
  ModelBuilder builder;
  builder.gravity({0, 0, -10});
  const BodyId body = builder.body("body", from_principal_moments(2, {1, 1, 1}), {});
  builder.add(Drag{body, {}, 0, 0.8, {}});
  const Model model = builder.build();
  const MechanismSystem system(model);
  std::vector<double> y = model.start();
  const double last = std::sqrt(2 * 10 / 0.8);
  test::run(system, y, {0.3, 3}, 1e-11, [&](std::size_t i, std::span<const double> at) {
    CHECK(std::fabs(at[9] + last * std::tanh(10 * (i == 0 ? 0.3 : 3) / last)) < 1e-9);
  });
}

TEST_CASE("central gravity: a circular orbit, and angular momentum of travel and rotation together") {
  ModelBuilder builder;
  BodyStart start;
  start.r_N = {7, 0, 0};
  const double mu = 40;
  start.v_N = {0, std::sqrt(mu / 7), 0};
  start.w_B = {0.4, 0.1, -0.3};
  const MassProperties box = from_principal_moments(2, {0.3, 0.9, 1.1});
  const BodyId body = builder.body("box", box, start);
  builder.add(CentralGravity{{0, 0, 0}, mu});
  const Model model = builder.build();
  const MechanismSystem system(model);
  std::vector<double> y = model.start();
  const auto momentum = [&](std::span<const double> at, bool with_turning) {
    const BodyView b = Model::view(at, body);
    return box.mass * cross(b.r_N, b.v_N) + (with_turning ? 1.0 : 0.0) * rotate(b.e_NB, box.J_B * b.w_B);
  };
  const std::vector<double> first = y;
  const double before = energy(model, y).total();
  test::run(system, y, {20}, 1e-12, [&](std::size_t, std::span<const double> at) {
    CHECK(norm(momentum(at, true) - momentum(first, true)) < 1e-9);
    CHECK(norm(momentum(at, false) - momentum(first, false)) > 1e-3);  // one alone is not kept
    CHECK(std::fabs(energy(model, at).total() - before) < 1e-9);
    CHECK(std::fabs(norm(Model::view(at, body).r_N) - 7) < 0.2);  // the next order bends the circle
  });
}

TEST_CASE("a bushing with small strain is six springs, coupled as its matrix says") {
  ModelBuilder builder;
  BodyStart start;
  const BodyId body = builder.body("block", from_principal_moments(2, {0.5, 0.6, 0.7}), start);
  Bushing bushing{kGround, {}, body, {}, {}, {}};
  for (std::size_t i = 0; i < 6; ++i) { bushing.stiffness(i, i) = 100; }
  bushing.stiffness(0, 5) = bushing.stiffness(5, 0) = 30;
  builder.add(bushing);
  const Model model = builder.build();
  std::vector<double> y = model.start();
  y[0] = 1e-3;
  std::vector<double> ydot(y.size());
  Scratch scratch(model);
  evaluate(model, 0, y, ydot, scratch);
  CHECK(std::fabs(ydot[7] + 100 * 1e-3 / 2) < 1e-12);
  CHECK(std::fabs(ydot[12] + 30 * 1e-3 / 0.7) < 1e-12);
  // a large turn about one axis has that angle as its strain
  y[0] = 0;
  Model::set(y, body, {{}, exp(Vec3<double>{0, 2, 0}), {}, {}});
  evaluate(model, 0, y, ydot, scratch);
  CHECK(std::fabs(ydot[11] + 100 * 2 / 0.6) < 1e-10);
}

TEST_CASE("Baumgarte's rate draws open joints together where nothing else would") {
  Random random(42);
  const Model model =
      test::random_mechanism(random, {4, 1, false, {"revolute", "universal", "cylindrical"}, {"spherical"}}).build();
  std::vector<double> start = test::consistent_start(model);
  for (double& x : start) { x += random.between(-1e-4, 1e-4); }
  for (BodyId b = 0; b < static_cast<BodyId>(model.body_count()); ++b) {
    BodyView body = Model::view(start, b);
    body.e_NB = normalized(body.e_NB);
    Model::set(start, b, body);
  }
  Scratch scratch(model);
  const auto left = [&](double rate) {
    const MechanismSystem system(model, {.count_work = false, .baumgarte_rate = rate});
    std::vector<double> y = start;
    RunOptions<double> options;
    options.step = 1e-3;
    const auto stepper = integrator<double>("rk4").bind(system);
    integrate<double>(system, *stepper, options, 0, 0.5, y);
    return residuals(model, 0, y, scratch).position;
  };
  CHECK(left(50) < 1e-6);  // e⁻²⁵ of 1e-4 m, and what the motion opens again in 1/β
  CHECK(left(0) > 1e-5);
}

TEST_CASE("a wrench in body components turns with its body, one in space components does not") {
  Random random(47);
  for (int k = 0; k < 8; ++k) {
    for (const bool in_body : {false, true}) {
      ModelBuilder builder;
      BodyStart start;
      start.r_N = random.vector(1);
      start.e_NB = random.attitude();
      const BodyId body = builder.body("body", test::random_body(random), start);
      const Wrench wrench{body, random.vector(1), random.vector(5), random.vector(5), in_body, {}};
      builder.add(wrench);
      const Model model = builder.build();
      const std::vector<double> y = model.start();
      std::vector<double> ydot(y.size());
      Scratch scratch(model);
      evaluate(model, 0, y, ydot, scratch);
      // v_B = e* ∘ v ∘ e, whatever the library calls a rotation matrix
      const auto in_space = [&](const Vec3<double>& v) {
        return in_body ? (start.e_NB * EulerParameters<double>{0, v} * conjugate(start.e_NB)).ev : v;
      };
      const MassProperties& mass = model.bodies()[0].mass;
      const Vec3<double> lever_B = wrench.r_BP_B - mass.center_B;
      const Vec3<double> lever_N = (start.e_NB * EulerParameters<double>{0, lever_B} * conjugate(start.e_NB)).ev;
      const Pair a = acceleration_of(model, scratch, body);
      const Vec3<double> force_N = mass.mass * a.lin;
      const Vec3<double> moment_B = mass.J_B * rotate_back(start.e_NB, a.ang);  // nothing turns yet
      CHECK(norm(force_N - in_space(wrench.force)) < 1e-12);
      const Vec3<double> moment_N = cross(lever_N, in_space(wrench.force)) + in_space(wrench.moment);
      CHECK(norm(moment_B - rotate_back(start.e_NB, moment_N)) < 1e-11);
    }
  }
}
