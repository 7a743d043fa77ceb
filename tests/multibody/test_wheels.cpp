// Wheels with motors inside bodies of mechanisms: what they conserve, and what they are held against.
#include "multibody/mechanisms.h"
#include "multibody/random_mechanism.h"
#include "polhode/core/error.h"
#include "polhode/multibody/force_values.h"

#include <cmath>

using namespace polhode;

namespace {

ReactionWheel wheel_in(BodyId body, const Vec3<double>& axis, double inertia, double speed,
                       std::function<double(const MechanismView&)> command = {}) {
  ReactionWheel wheel;
  wheel.body = body;
  wheel.axis_B = axis / norm(axis);
  wheel.inertia = inertia;
  wheel.speed_at_start = speed;
  wheel.command = std::move(command);
  return wheel;
}

/// Angular momentum about the common mass centre: J' of each body as given, with its wheels, and their speeds relative
/// to it.
Vec3<double> momentum_of_all(const Model& model, std::span<const double> y) {
  double mass = 0;
  Vec3<double> center{};
  Vec3<double> velocity{};
  for (BodyId b = 0; b < static_cast<BodyId>(model.body_count()); ++b) {
    const double m = model.bodies()[static_cast<std::size_t>(b)].mass.mass;
    mass += m;
    center += m * Model::view(y, b).r_N;
    velocity += m * Model::view(y, b).v_N;
  }
  Vec3<double> sum{};
  for (BodyId b = 0; b < static_cast<BodyId>(model.body_count()); ++b) {
    const BodyView body = Model::view(y, b);
    const MassProperties& own = model.bodies()[static_cast<std::size_t>(b)].mass;
    Vec3<double> h_B = own.J_B * body.w_B;
    for (std::size_t w = 0; w < model.wheel_count(); ++w) {
      const ReactionWheel& wheel = model.wheels()[w];
      if (wheel.body == b) { h_B += (wheel.inertia * model.wheel_speed(y, w)) * wheel.axis_B; }
    }
    sum += own.mass * cross(body.r_N - center / mass, body.v_N - velocity / mass) + rotate(body.e_NB, h_B);
  }
  return sum;
}

/// A hub that floats and a panel on a hinge with spring and damper, turning as one about the origin.
struct PanelSatellite {
  ModelBuilder builder;
  BodyId hub = 0;
  BodyId panel = 0;
  int hinge = 0;
  static constexpr Vec3<double> kRate{0.2, -0.3, 0.4};

  explicit PanelSatellite(const MassProperties& hub_mass) {
    hub = builder.body("hub", hub_mass, turning({0, 0, 0}));
    panel = builder.body("panel", from_principal_moments(3, {0.2, 0.05, 0.24}), turning({1, 0, 0}));
    hinge = builder.joint_at("revolute", "hinge", hub, panel, {0.5, 0, 0}, {0, 1, 0});
    builder.add(JointSpring{hinge, Coordinate::turn, 5, 0.1, 0.3, 0});
  }
  static BodyStart turning(const Vec3<double>& r_N) {
    return {r_N, EulerParameters<double>::identity(), cross(kRate, r_N), kRate};
  }
};
MassProperties plain_hub() { return from_principal_moments(20, {1.0, 1.3, 0.9}, {0.1, 0, 0.05}); }

double pose_apart(std::span<const double> a, std::span<const double> b, BodyId body) {
  const BodyView one = Model::view(a, body);
  const BodyView two = Model::view(b, body);
  return 2 * norm((conjugate(one.e_NB) * two.e_NB).ev) + norm(one.r_N - two.r_N) + norm(one.v_N - two.v_N) +
         norm(one.w_B - two.w_B);
}

}  // namespace

TEST_CASE("a satellite with wheels in hub and panel keeps its angular momentum, and motors and losses balance energy") {
  PanelSatellite satellite(plain_hub());
  const auto motor = [](const MechanismView& now) { return 0.4 * math::cos(2 * now.t) + Model::view(now.y, 0).w_B.y; };
  ReactionWheel in_panel = wheel_in(satellite.panel, {1, 2, -1}, 0.01, 80, motor);
  in_panel.friction = 0.002;
  satellite.builder.add(in_panel);
  satellite.builder.add(wheel_in(satellite.hub, {0, 1, 1}, 0.03, -50));
  const auto run_of = [](const Model& model, double& momentum, double& balance) {
    const MechanismSystem system(model, {.count_work = true});
    std::vector<double> y = test::consistent_start(model);
    const std::vector<double> first = y;
    y.resize(system.size());
    const std::size_t n = model.state_size();
    CHECK(system.entry_name(n - 1) == "rate in space of wheel 'wheel2'");
    CHECK(system.entry_name(n) == "work supplied");
    CHECK(system.is_velocity(n - 1));
    test::run(system, y, {1, 2, 3}, 1e-12, [&](std::size_t, std::span<const double> at) {
      momentum = norm(momentum_of_all(model, at) - momentum_of_all(model, first));
      balance = energy(model, at).total() - energy(model, first).total() - at[n] + at[n + 1];
      CHECK(std::fabs(at[n]) > 1e-2);  // the motor works, the bearing and the hinge lose
      CHECK(at[n + 1] > 1e-2);
    });
  };
  double momentum = 0;
  double balance = 0;
  run_of(satellite.builder.build(), momentum, balance);
  CHECK(momentum < 1e-10);  // of some 2 N m s, at a tolerance of 1e-12
  CHECK(std::fabs(balance) < 1e-9);
  // wrong twin: a moment that takes the gyroscopic one away does no work, so energy does not see it; momentum does
  satellite.builder.add(WrenchLaw{.body = satellite.panel,
                                  .r_BP_B = {},
                                  .in_body = true,
                                  .law = [](const MechanismView& now) { return Pair{-wheel_moment_B(now, 0, 0), {}}; },
                                  .name = {},
                                  .work = WorkOf::potential});
  run_of(satellite.builder.build(), momentum, balance);
  CHECK(momentum > 1e-2);
  CHECK(std::fabs(balance) < 1e-9);
}

TEST_CASE("a wheel as a state and the same wheel as a body on a motored hinge move the satellite alike") {
  // the disc sits off the hub's origin, its axis skew
  const Vec3<double> axis = Vec3<double>{1, 2, 2} / 3.0;
  const Vec3<double> at{-0.2, 0.3, 0.1};
  const EulerParameters<double> e_BC = frame_with_axis(axis, {});
  const MassProperties disc = from_principal_moments(1.5, {0.012, 0.012, 0.02});
  const double speed = 60;
  const double friction = 0.004;
  const auto torque = [](double t) { return 0.3 * math::cos(2 * t); };
  const std::vector<double> times{1, 2};

  PanelSatellite with_body(plain_hub());
  BodyStart start = PanelSatellite::turning(at);
  start.e_NB = e_BC;
  start.w_B = rotate_back(e_BC, PanelSatellite::kRate + speed * axis);
  const BodyId wheel = with_body.builder.body("disc", disc, start);
  const int axle = with_body.builder.joint_at("revolute", "axle", with_body.hub, wheel, at, axis);
  with_body.builder.add(JointLaw{axle, Coordinate::turn,
                                 [torque](const MechanismView& now, const CoordinateValue&) { return torque(now.t); }});
  with_body.builder.add(JointFriction{axle, Coordinate::turn, 0, friction, 1});
  const Model explicit_model = with_body.builder.build();
  std::vector<double> y = test::consistent_start(explicit_model);
  std::vector<std::vector<double>> expected;
  test::run(MechanismSystem(explicit_model), y, times, 1e-12,
            [&](std::size_t, std::span<const double> now) { expected.emplace_back(now.begin(), now.end()); });

  const std::array<Part, 2> parts{Part{.body_C = plain_hub()}, Part{.body_C = disc, .e_BC = e_BC, .r_BC_B = at}};
  const auto off = [&](double inertia) {
    PanelSatellite with_state(composed(parts));
    ReactionWheel inside =
        wheel_in(with_state.hub, axis, inertia, speed, [torque](const MechanismView& now) { return torque(now.t); });
    inside.friction = friction;
    with_state.builder.add(inside);
    const Model model = with_state.builder.build();
    std::vector<double> state = test::consistent_start(model);
    double most = 0;
    test::run(MechanismSystem(model), state, times, 1e-12, [&](std::size_t i, std::span<const double> now) {
      // the mass centre of the hub is elsewhere: a point of it instead
      const Vec3<double> point =
          explicit_model.point_N(expected[i], with_body.hub, {}) - model.point_N(now, with_state.hub, {});
      const BodyView a = Model::view(expected[i], with_body.hub);
      const BodyView b = Model::view(now, with_state.hub);
      most = std::max({most, norm(point), 2 * norm((conjugate(a.e_NB) * b.e_NB).ev), norm(a.w_B - b.w_B),
                       pose_apart(expected[i], now, with_body.panel)});
      const double rate = explicit_model.coordinates(expected[i], axle)[0].rate;
      most = std::max(most, 1e-2 * std::fabs(rate - model.wheel_speed(now, 0)));
    });
    return most;
  };
  CHECK(off(0.02) < 1e-9);
  CHECK(off(0.0202) > 1e-4);  // wrong twin: an inertia that is not the disc's
}

TEST_CASE("every form gives bodies with wheels the accelerations of Newton-Euler, and its own multipliers") {
  test::Random random(77);
  for (int trial = 0; trial < 4; ++trial) {
    ModelBuilder builder = test::random_mechanism(random, {5, trial % 2, trial > 1, {}, {}});
    for (const BodyId body : {0, 2, 2, 4}) {
      ReactionWheel wheel =
          wheel_in(body, random.direction(), 0.001, random.between(-300, 300),
                   [](const MechanismView& now) { return 0.1 + 0.01 * now.model.wheel_speed(now.y, 0); });
      wheel.max_torque = 1;
      wheel.friction = 1e-4;
      builder.add(wheel);
    }
    const Model model = builder.build();
    const std::vector<double> y = test::consistent_start(model);
    const DenseSolution dense = dense_solution(model, 0, y);
    double size = 1;
    for (const Pair& a : dense.a) { size = std::max({size, norm(a.ang), norm(a.lin)}); }
    CHECK(test::acceleration_difference(model, y, dense) < 1e-9 * size);
    const MechanismSystem plain(model);
    std::vector<double> right(y.size());
    plain.rhs(0, y, right);
    // wrong twin: wheels that stand still in their bodies
    std::vector<double> still = y;
    for (std::size_t w = 0; w < model.wheel_count(); ++w) { model.set_wheel_speed(still, w, 0); }
    std::vector<double> other(y.size());
    plain.rhs(0, still, other);
    double twin = 0;
    for (std::size_t i = 0; i < y.size(); ++i) { twin = std::max(twin, std::fabs(other[i] - right[i])); }
    CHECK(twin > 1e-3 * size);
    for (const EulerForm& form : euler_forms()) {
      CAPTURE(form.name);
      const MechanismSystem system(model, {.form = &form});
      std::vector<double> ydot(y.size());
      system.rhs(0, y, ydot);
      double most = 0;
      for (std::size_t i = 0; i < y.size(); ++i) { most = std::max(most, std::fabs(ydot[i] - right[i])); }
      CHECK(most < 1e-8 * size);
      const EulerSolution solution = euler_solution(model, 0, y, form);
      const std::vector<double> rule =
          norm_multipliers_by_rule(model, 0, y, form.name, JointJacobian::through_rate, solution.lambda);
      for (std::size_t b = 0; b < rule.size(); ++b) {
        CHECK(std::fabs(rule[b] - solution.norm_multipliers[b]) < 1e-8 * (size + std::fabs(rule[b])));
      }
    }
  }
}

TEST_CASE("projection and impulses leave a wheel the momentum that it has about its axis") {
  PanelSatellite satellite(plain_hub());
  satellite.builder.add(wheel_in(satellite.panel, {0, 1, 0}, 0.01, 80));
  const Model model = satellite.builder.build();
  std::vector<double> y = test::consistent_start(model);
  CHECK(model.wheel_speed(y, 0) == doctest::Approx(80).epsilon(1e-14));
  const double rate = y.back();
  BodyView panel = Model::view(y, satellite.panel);
  panel.w_B += Vec3<double>{0.3, 0.2, -0.1};  // against the hinge
  Model::set(y, satellite.panel, panel);
  Scratch scratch(model);
  project(model, 0, y, scratch);
  CHECK(y.back() == rate);
  CHECK(std::fabs(model.wheel_speed(y, 0) - 80) > 1e-3);
}

TEST_CASE("the equations as they stand, with wheels: M v̇ + Cᵀ λ = f for the accelerations of the tree") {
  PanelSatellite satellite(plain_hub());
  satellite.builder.add(wheel_in(satellite.panel, {1, 2, -1}, 0.01, 80, [](const MechanismView&) { return 0.5; }));
  const Model model = satellite.builder.build();
  const MechanismSystem system(model);
  const std::vector<double> y = test::consistent_start(model);
  const std::size_t n = system.velocity_size();
  CHECK(n == 13);
  REQUIRE(system.second_order() != nullptr);
  std::vector<double> vdot(n), f(n), Mv(n), again(n), phi(5), speed(5);
  SparseRows<double> C = system.empty_rows();
  system.acceleration(0, y, vdot);
  system.force(0, y, f);
  system.times_mass(vdot, Mv);
  CHECK(Mv.back() == doctest::Approx(0.5).epsilon(1e-14));
  CHECK(f.back() == doctest::Approx(0.5).epsilon(1e-14));
  system.over_mass(Mv, again);
  for (std::size_t i = 0; i < n; ++i) { CHECK(std::fabs(again[i] - vdot[i]) < 1e-12); }
  REQUIRE(system.row_count() == 5);
  system.rows(0, y, phi, speed, C);
  // f − M v̇ does no work on any motion that the hinge allows: turning as one about the hub's axes is one
  std::vector<double> turned = y;
  std::vector<double> v(n);
  system.velocity(turned, v);
  double power = 0;
  for (std::size_t i = 0; i + 1 < n; ++i) { power += v[i] * (f[i] - Mv[i]); }
  CHECK(std::fabs(power) < 1e-11);
  for (std::size_t r = 0; r < 5; ++r) {
    C.each(r, [&](std::size_t i, double value) { CHECK((i < n - 1 || value == 0)); });
  }
}

TEST_CASE("wheels that cannot be are refused, all at once, and one without a name gets one") {
  const auto told = [](const std::vector<ReactionWheel>& wheels) -> std::string {
    PanelSatellite satellite(plain_hub());
    for (const ReactionWheel& wheel : wheels) { satellite.builder.add(wheel); }
    try {
      const Model model = satellite.builder.build();
      return model.wheels().empty() ? "none" : model.wheels().back().name;
    } catch (const Error& error) { return error.what(); }
  };
  const auto has = [](const std::string& text, const char* words) {
    CAPTURE(text);
    return text.find(words) != std::string::npos;
  };
  const ReactionWheel right = wheel_in(1, {0, 0, 1}, 0.01, 5);
  CHECK(told({right, right}) == "wheel2");
  ReactionWheel wrong = right;
  wrong.body = kGround;
  CHECK(has(told({wrong}), "wheel 'wheel1': no body -1"));
  wrong = right;
  wrong.axis_B = {0, 0, 2};
  CHECK(has(told({right, wrong}), "wheel 'wheel2': its axis is no unit vector"));
  wrong = right;
  wrong.max_speed = 4;
  CHECK(has(told({wrong}), "starts faster than its largest speed"));
  wrong = right;
  wrong.friction = -1;
  CHECK(has(told({wrong}), "friction that is not negative"));
  wrong = right;
  wrong.name = "a";
  CHECK(has(told({wrong, wrong}), "two wheels are called 'a'"));
  wrong.inertia = 0.3;
  wrong.name = "b";
  CHECK(has(told({right, wrong}), "body 'panel' without its reaction wheels has a moment of inertia of"));
}
