// The equations of mechanisms differentiated entry by entry: against differences in long double, against the derivative
// of the evaluation, and what stiff methods make of it, with a twin that has a sign wrong.

// constants of forces and joints are double, also where they meet long double
#pragma GCC diagnostic ignored "-Wdouble-promotion"

#include "multibody/mechanisms.h"
#include "multibody/random_mechanism.h"
#include "polhode/integrator/generalised_alpha.h"
#include "polhode/multibody/acting.h"
#include "polhode/multibody/derivatives.h"
#include "polhode/multibody/linearised_mechanism.h"

#include <cmath>
#include <functional>

using namespace polhode;
using test::Random;

namespace {

using Long = long double;

/// What the equations of a mechanism say at a state, in long double: Cᵀ λ − f by velocity, then Φ, C v − rate and
/// C v̇ − γ by row.
class LongEquations {
 public:
  using Number = Long;
  const Model& model;
  double t;
  std::span<const Long> y;
  std::span<const double> turns{};
  PowerOf<Long> power{};

  LongEquations(const Model& of, double time, std::span<const Long> state)
      : model(of),
        t(time),
        y(state),
        R_(of.elimination().nodes.size()),
        w_(R_.size()),
        applied_(R_.size()),
        wheel_rates_(of.wheel_count()) {
    for (std::size_t k = 0; k < 3; ++k) { R_[0](k, k) = 1; }
    for (std::size_t b = 0; b < of.body_count(); ++b) {
      const BodyViewOf<Long> body = Model::view(y, static_cast<BodyId>(b));
      R_[node(b)] = rotation_matrix(body.e_NB);
      w_[node(b)] = R_[node(b)] * body.w_B;
    }
  }
  const Mat3<Long>& R(std::size_t node) const { return R_[node]; }
  const Vec3<Long>& w(std::size_t node) const { return w_[node]; }
  PairOf<Long>& applied(std::size_t node) { return applied_[node]; }
  PairOf<Long>& supplied(BodyId body) { return applied_[acting::node_of(model, body)]; }
  Long& wheel_rate(std::size_t wheel) { return wheel_rates_[wheel]; }
  void at_point(std::size_t, const Vec3<Long>&, const Vec3<Long>&) {}

  std::vector<Long> all(std::span<const double> lambda_in_double, std::span<const double> vdot_in_double) {
    const std::vector<Long> lambda(lambda_in_double.begin(), lambda_in_double.end());
    const std::vector<Long> vdot(vdot_in_double.begin(), vdot_in_double.end());
    const std::size_t velocities = 6 * model.body_count() + model.wheel_count();
    std::vector<Long> result(velocities + 3 * model.row_count());
    acting::each_element(model, [&](const auto&... element) { acting::act(*this, element...); });
    for (std::size_t b = 0; b < model.body_count(); ++b) {
      const Mat3<Long> J_B = as<Long>(model.carrier_J_B(static_cast<BodyId>(b)));
      const Vec3<Long> w_B = Model::view(y, static_cast<BodyId>(b)).w_B;
      const Vec3<Long> moment = transpose_times(R_[node(b)], applied_[node(b)].ang) - cross(w_B, J_B * w_B);
      for (std::size_t k = 0; k < 3; ++k) {
        result[6 * b + k] -= moment[k];
        result[6 * b + 3 + k] -= applied_[node(b)].lin[k];
      }
    }
    for (const ModelConstraint& constraint : model.constraints()) {
      std::array<ConstraintRow<Long>, kMostRows> rows{};
      model.rows(constraint.id, t, [&](std::size_t s) { return end(constraint.ends[s]); }, rows.data());
      for (std::size_t r = 0; r < static_cast<std::size_t>(constraint.rows); ++r) {
        const std::size_t number = static_cast<std::size_t>(constraint.first_row) + r;
        const bool on_positions =
            model.with(constraint.id, [&](const auto& one) { return constraint::on_positions(one, r); });
        if (on_positions) { result[velocities + number] = rows[r].value; }
        Long& speed = result[velocities + model.row_count() + number];
        Long& acceleration = result[velocities + 2 * model.row_count() + number];
        speed = -rows[r].rate;
        acceleration = -rows[r].gamma;
        for (std::size_t s = 0; s < constraint.ends.size(); ++s) {
          if (constraint.ends[s].body < 0) { continue; }
          const auto b = static_cast<std::size_t>(constraint.ends[s].body);
          const Vec3<Long> moment_B = transpose_times(R_[node(b)], rows[r].sides[s].ang);
          const BodyViewOf<Long> body = Model::view(y, static_cast<BodyId>(b));
          for (std::size_t k = 0; k < 3; ++k) {
            result[6 * b + k] += lambda[number] * moment_B[k];
            result[6 * b + 3 + k] += lambda[number] * rows[r].sides[s].lin[k];
            speed += moment_B[k] * body.w_B[k] + rows[r].sides[s].lin[k] * body.v_N[k];
            acceleration += moment_B[k] * vdot[6 * b + k] + rows[r].sides[s].lin[k] * vdot[6 * b + 3 + k];
          }
        }
      }
    }
    return result;
  }

 private:
  std::size_t node(std::size_t body) const { return acting::node_of(model, static_cast<BodyId>(body)); }
  End<Long> end(const ConstraintEnd& frame) const {
    if (frame.body < 0) { return {{}, {}, {}, as<Long>(frame.lever_B), as<Long>(frame.axes_B)}; }
    const BodyViewOf<Long> body = Model::view(y, frame.body);
    const std::size_t n = node(static_cast<std::size_t>(frame.body));
    return {body.r_N, body.v_N, w_[n], R_[n] * as<Long>(frame.lever_B), R_[n] * as<Long>(frame.axes_B)};
  }
  std::vector<Mat3<Long>> R_;
  std::vector<Vec3<Long>> w_;
  std::vector<PairOf<Long>> applied_;
  std::vector<Long> wheel_rates_;
};

std::vector<double> some_numbers(Random& random, std::size_t n) {
  std::vector<double> result(n);
  for (double& x : result) { x = random.between(-2, 2); }
  return result;
}

/// All entries against differences of sixth order in long double; `lambda_of_twin` is what the matrix is given.
double largest_error(const Model& model, std::span<const double> y, std::span<const double> lambda,
                     std::span<const double> lambda_of_twin, std::span<const double> vdot) {
  const auto linear = linearised_mechanism(model, {});
  REQUIRE(linear->at(0.3, y, lambda_of_twin, vdot));
  constexpr std::array<Long, 3> kWeights{45.0L / 60, -9.0L / 60, 1.0L / 60};
  const Long h = 1e-3L;  // h⁶, and 1e-19/h: near 1e-16
  double most = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    std::vector<Long> sum;
    for (std::size_t k = 0; k < 3; ++k) {
      for (const Long sign : {1.0L, -1.0L}) {
        std::vector<Long> moved(y.begin(), y.end());
        moved[i] += sign * static_cast<Long>(k + 1) * h;
        const std::vector<Long> value = LongEquations(model, 0.3, moved).all(lambda, vdot);
        sum.resize(value.size());
        for (std::size_t n = 0; n < sum.size(); ++n) { sum[n] += sign * kWeights[k] * value[n] / h; }
      }
    }
    std::size_t row = 0;
    for (const SparseRows<double>* m :
         {&linear->forces(), &linear->positions(), &linear->speeds(), &linear->accelerations()}) {
      for (std::size_t r = 0; r < m->row_count(); ++r, ++row) {
        double entry = 0;
        m->each(r, [&](std::size_t c, double value) { entry = c == i ? value : entry; });
        const auto right = static_cast<double>(sum[row]);
        most = std::fmax(most, std::fabs(entry - right) / (1 + std::fabs(right)));
      }
    }
    CHECK(row == sum.size());
  }
  return most;
}

/// A mechanism whose matrix has forces of constraints with the wrong sign: geometric stiffness turned round.
class WrongSign final : public System<double>, public Constraints<double> {
 public:
  explicit WrongSign(const MechanismSystem& right) : right_(&right) {}
  std::size_t size() const override { return right_->size(); }
  void rhs(const double& t, std::span<const double> y, std::span<double> ydot) const override {
    right_->rhs(t, y, ydot);
  }
  const SecondOrder<double>* second_order() const override { return right_->second_order(); }
  const Constraints<double>* constraints() const override { return this; }

  std::size_t row_count() const override { return right_->row_count(); }
  std::vector<bool> on_positions() const override { return right_->on_positions(); }
  std::string row_name(std::size_t r) const override { return right_->row_name(r); }
  SparseRows<double> empty_rows() const override { return right_->empty_rows(); }
  void rows(const double& t, std::span<const double> y, std::span<double> phi, std::span<double> speed,
            SparseRows<double>& C) const override {
    right_->rows(t, y, phi, speed, C);
  }
  void force(const double& t, std::span<const double> y, std::span<double> f) const override { right_->force(t, y, f); }
  void times_mass(std::span<const double> x, std::span<double> result) const override { right_->times_mass(x, result); }
  void over_mass(std::span<const double> f, std::span<double> result) const override { right_->over_mass(f, result); }
  void coordinate_rate(std::span<const double> y, std::span<const double> v, std::span<double> ydot) const override {
    right_->coordinate_rate(y, v, ydot);
  }
  double typical_length() const override { return right_->typical_length(); }
  double typical_mass() const override { return right_->typical_mass(); }
  std::unique_ptr<LinearisedConstraints<double>> linearised() const override {
    return std::make_unique<Linearised>(right_->linearised());
  }

 private:
  class Linearised final : public LinearisedConstraints<double> {
   public:
    explicit Linearised(std::unique_ptr<LinearisedConstraints<double>> right) : right_(std::move(right)) {}
    bool at(const double& t, std::span<const double> y, std::span<const double> lambda,
            std::span<const double> vdot) override {
      std::vector<double> turned(lambda.begin(), lambda.end());
      for (double& x : turned) { x = -x; }
      const bool good = right_->at(t, y, turned, vdot);
      return good;
    }
    const SparseRows<double>& mass() const override { return right_->mass(); }
    const SparseRows<double>& C() const override { return right_->C(); }
    const SparseRows<double>& reach() const override { return right_->reach(); }
    const SparseRows<double>& forces() const override { return right_->forces(); }
    const SparseRows<double>& positions() const override { return right_->positions(); }
    const SparseRows<double>& speeds() const override { return right_->speeds(); }
    const SparseRows<double>& accelerations() const override { return right_->accelerations(); }
    const SparseRows<double>& rates() const override { return right_->rates(); }
    const SparseRows<double>& rates_by_velocity() const override { return right_->rates_by_velocity(); }
    void move(std::span<const double> x, std::span<const double> a) override { right_->move(x, a); }
    const SparseRows<double>& moves() const override { return right_->moves(); }
    std::span<const std::size_t> velocity_entries() const override { return right_->velocity_entries(); }
    std::span<const std::size_t> block_of_entry() const override { return right_->block_of_entry(); }
    std::span<const std::size_t> block_of_row() const override { return right_->block_of_row(); }
    bool is_exact() const override { return false; }

   private:
    std::unique_ptr<LinearisedConstraints<double>> right_;
  };
  const MechanismSystem* right_;
};

/// A hanging chain of rods with springs and dampers in its hinges, at 45 degrees.
Model chain(std::size_t n, double stiffness) {
  ModelBuilder builder;
  builder.gravity({0, 0, -9.81});
  const Vec3<double> along{std::sqrt(0.5), 0, -std::sqrt(0.5)};
  BodyId before = kGround;
  for (std::size_t i = 0; i < n; ++i) {
    const Vec3<double> a = static_cast<double>(i) * along;
    const BodyId rod = test::add_rod(builder, std::to_string(i), a, a + along, 0.1, 0.01);
    const int hinge = builder.joint_at("revolute", "hinge" + std::to_string(i), before, rod, a,
                                       i % 2 == 0 ? Vec3<double>{0, 1, 0} : Vec3<double>{1, 0, 1});
    if (stiffness > 0) { builder.add(JointSpring{hinge, Coordinate::turn, stiffness, 0.01 * stiffness, 0, 0}); }
    before = rod;
  }
  return builder.build();
}

}  // namespace

TEST_CASE("entries of the linearised equations are those of differences in long double: joints of every kind") {
  Random random(71);
  for (const JointKind& kind : joint_kinds()) {
    const std::string name(kind.name);
    CAPTURE(name);
    const Model model = test::random_mechanism(random, {.bodies = 3, .loops = 1, .kinds = {name}}).build();
    const std::vector<double> y = test::consistent_start(model);
    const std::vector<double> lambda = some_numbers(random, model.row_count());
    const std::vector<double> vdot = some_numbers(random, 6 * model.body_count());
    const double error = largest_error(model, y, lambda, lambda, vdot);
    CAPTURE(error);
    CHECK(error < 1e-11);
    if (model.row_count() == 0) { continue; }
    // the twin: without geometric stiffness
    const std::vector<double> none(lambda.size(), 0.0);
    CHECK(largest_error(model, y, lambda, none, vdot) > 1e-3);
  }
}

TEST_CASE("the same for forces of every kind, and constraints that are no joints") {
  Random random(72);
  for (int n = 0; n < 4; ++n) {
    ModelBuilder builder = test::random_mechanism(random, {.bodies = 4, .kinds = {"revolute", "cylindrical"}});
    builder.add(Wrench{1, random.vector(0.3), random.vector(2), random.vector(2), n % 2 == 0});
    builder.add(Spring{0, random.vector(0.3), 2, random.vector(0.3), 30, 2, 0.4, 1});
    builder.add(Spring{kGround, random.vector(0.3), 3, random.vector(0.3), 30, 2, 0.4, 1});
    builder.add(Drag{2, random.vector(0.3), 0.3, 0.2, random.vector(1)});
    builder.add(CentralGravity{random.vector(5) + Vec3<double>{20, 0, 0}, 30});
    builder.add(JointSpring{1, Coordinate::turn, 20, 1, 0.2, 0.5});
    Bushing bushing{1, test::random_frame(random), 3, test::random_frame(random)};
    for (std::size_t i = 0; i < 6; ++i) {
      bushing.stiffness(i, i) = random.between(1, 20);
      bushing.damping(i, i) = random.between(0, 2);
    }
    builder.add(bushing);
    builder.add(Coupling{"gear", 0, Coordinate::turn, 1, 1, Coordinate::turn, 2, 0.1});
    const Model model = builder.build();
    const std::vector<double> y = test::consistent_start(model);
    const std::vector<double> lambda = some_numbers(random, model.row_count());
    const std::vector<double> vdot = some_numbers(random, 6 * model.body_count());
    const double error = largest_error(model, y, lambda, lambda, vdot);
    CAPTURE(error);
    CHECK(error < 1e-10);
  }
}

TEST_CASE("the Jacobian's solver undoes its products: (1 − g J) x, trees and loops, real and complex g") {
  Random random(73);
  for (int n = 0; n < 8; ++n) {
    CAPTURE(n);
    const Model model =
        test::random_mechanism(
            random,
            {.bodies = 5, .loops = n % 2, .kinds = {"revolute", "universal", "spherical"}, .loop_kinds = {"distance"}})
            .build();
    const MechanismSystem system(model);
    std::vector<double> y = test::consistent_start(model);
    const auto jacobian = system.jacobian()->linearisation();
    REQUIRE(jacobian->at(0, y));
    const auto solver = jacobian->solver();
    // a change that the constraints allow: elsewhere the elimination and the equations as they stand differ
    Directional directional(model);
    directional.at(0, y);
    std::vector<double> x = some_numbers(random, y.size());
    directional.project_along(x);
    std::vector<double> Jx(y.size());
    jacobian->times(x, Jx);
    const double g = 0.05;
    std::vector<double> b(y.size());
    for (std::size_t i = 0; i < y.size(); ++i) { b[i] = x[i] - g * Jx[i]; }
    const std::vector<double> right = b;
    REQUIRE(solver->factor(g));
    solver->solve(b);
    double off = 0;
    double size = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      off = std::fmax(off, std::fabs(b[i] - x[i]));
      size = std::fmax(size, std::fabs(right[i]));
    }
    CHECK(off < 1e-9 * (1 + size));
    // a solver that leaves ∂f/∂y out is far off
    double without = 0;
    for (std::size_t i = 0; i < y.size(); ++i) { without = std::fmax(without, std::fabs(right[i] - x[i])); }
    CHECK(without > 1e-2);
    const std::complex<double> G(0.03, 0.04);
    std::vector<std::complex<double>> z(y.size());
    for (std::size_t i = 0; i < y.size(); ++i) { z[i] = x[i] - G * Jx[i]; }
    REQUIRE(solver->factor(G));
    solver->solve(z);
    off = 0;
    for (std::size_t i = 0; i < y.size(); ++i) { off = std::fmax(off, std::abs(z[i] - x[i])); }
    CHECK(off < 1e-9 * (1 + size));
  }
}

TEST_CASE("with the exact matrix stiff steps need few rounds, with a wrong sign in it more") {
  const Model model = chain(12, 2e3);
  const std::vector<double> start = test::consistent_start(model);
  const MechanismSystem right(model);
  const WrongSign wrong(right);
  for (const ConstrainedIndex index : {ConstrainedIndex::three, ConstrainedIndex::two}) {
    const auto method = constrained_alpha({.index = index, .rho_inf = 0.7});
    const auto evaluations = [&](const System<double>& system) {
      const auto stepper = method->bind(system);
      std::vector<double> y = start;
      for (int k = 0; k < 40; ++k) { REQUIRE(stepper->step(0.01 * k, 0.01, y) == StepStatus::ok); }
      return stepper->evaluations();
    };
    const auto few = evaluations(right);
    const auto more = evaluations(wrong);
    CAPTURE(few);
    CAPTURE(more);
    CHECK(few < 40 * 8);
    CHECK(more > few);
  }
}

TEST_CASE("stiff methods agree on a stiff chain") {
  const Model model = chain(5, 2e3);
  const std::vector<double> start = test::consistent_start(model);
  const MechanismSystem system(model);
  std::vector<double> right = start;
  test::run(system, right, {0.2}, 1e-11, [](std::size_t, std::span<const double>) {});
  const auto off = [&](std::span<const double> y) {
    double most = 0;
    for (BodyId b = 0; b < 5; ++b) { most = std::fmax(most, norm(Model::view(y, b).r_N - Model::view(right, b).r_N)); }
    return most;
  };
  for (const char* name : {"ida", "cvode-bdf"}) {
    if (!absent_integrators().empty()) { continue; }
    CAPTURE(name);
    std::vector<double> y = start;
    RunOptions<double> options;
    options.relative_tolerance = 1e-8;
    options.absolute_tolerance = 1e-8;
    const auto stepper = integrator<double>(name).bind(system);
    const RunResult<double> result = integrate<double>(system, *stepper, options, 0, 0.2, y);
    CAPTURE(result.message);
    CHECK(result.status == RunStatus::done);
    CHECK(off(y) < 1e-6);
    // differences would take 65 evaluations for each matrix
    CAPTURE(result.statistics.steps);
    CAPTURE(stepper->evaluations());
    CHECK(stepper->evaluations() < 4 * result.statistics.steps);
  }
}
