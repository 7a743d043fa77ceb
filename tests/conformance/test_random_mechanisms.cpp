// Mechanisms drawn by lot, as scenario files, against Newton, Euler and Kane by hand in long double: accelerations,
// reactions, energy, momentum, and every form of the equations. A sample; 10 000 with POLHODE_LONG=1.
#include "conformance/minimal_coordinates.h"
#include "polhode/catalog/mechanism_scenario.h"
#include "polhode/io/scenario_toml.h"
#include "polhode/multibody/dynamics.h"
#include "polhode/multibody/euler_forms.h"
#include "polhode/polhode.h"

#include <doctest/doctest.h>

#include <cstdlib>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdouble-promotion"  // doubles are taken as exact numbers here, on purpose

using namespace polhode;
using namespace polhode::drawn;

namespace {

int how_many(int few, int many) { return std::getenv("POLHODE_LONG") != nullptr ? many : few; }

/// Few bodies more often than many: 1 to 30.
int bodies_by_lot(Lot& lot, int least) {
  const double x = lot.between(0, 1);
  return least + static_cast<int>((30.999 - least) * x * x * x);
}

/// Rates of the freedoms of a tree, and velocities of its bodies by them.
std::vector<Real> rates_by_lot(Lot& lot, Mechanism& m) {
  std::vector<Real> u(freedoms_of(m));
  for (Real& rate : u) { rate = lot.between(-2, 2); }
  const std::vector<BodyMotion> motions = motions_at(m, u);
  for (std::size_t b = 0; b < m.bodies.size(); ++b) {
    const Vec3<Real> w_B = transpose_times(motions[b].R, motions[b].w);
    for (std::size_t i = 0; i < 3; ++i) {
      m.bodies[b].v_N[i] = static_cast<double>(motions[b].v[i]);
      m.bodies[b].w_B[i] = static_cast<double>(w_B[i]);
    }
  }
  return u;
}

/// Columns of one row of a run, by name.
class RowOfRun {
 public:
  RowOfRun(const Trajectory& run, std::size_t row) : numbers_(run.row(row)) {
    for (std::size_t i = 0; i < run.columns().size(); ++i) { index_[run.columns()[i].name] = i; }
  }
  double operator()(const std::string& name) const { return numbers_[index_.at(name)]; }
  Vec3<Real> vector(const std::string& begin, const std::string& end) const {
    return {(*this)(begin + "x" + end), (*this)(begin + "y" + end), (*this)(begin + "z" + end)};
  }

 private:
  std::span<const double> numbers_;
  std::map<std::string, std::size_t> index_;
};

std::vector<BodyMotion> motions_in(const Mechanism& m, const RowOfRun& row) {
  std::vector<BodyMotion> motions;
  for (const DrawnBody& body : m.bodies) {
    const std::string name = body.name + ".";
    BodyMotion motion;
    motion.R = matrix_of({row(name + "e0"), {row(name + "e1"), row(name + "e2"), row(name + "e3")}});
    motion.r = row.vector(name + "r", "_space_m");
    motion.v = row.vector(name + "v", "_space_m_s");
    motion.a = row.vector(name + "a", "_space_m_s2");
    motion.w = motion.R * row.vector(name + "w", "_body_rad_s");
    motion.alpha = row.vector(name + "alpha", "_space_rad_s2");
    motions.push_back(motion);
  }
  return motions;
}

/// With the whole turns that the springs of hinges have been wound by.
Mechanism at_row(Mechanism m, const RowOfRun& row) {
  for (DrawnJointSpring& spring : m.joint_springs) {
    if (spring.turn) { spring.near = row(m.tree[static_cast<std::size_t>(spring.joint)].name + ".turn_unwrapped_rad"); }
  }
  return m;
}

Real size_of(const Vec3<Real>& v) { return std::sqrt(dot(v, v)); }

/// Largest difference of accelerations, relative to the largest of them or to 10 m/s².
Real acceleration_difference(std::span<const BodyMotion> one, std::span<const BodyMotion> other) {
  Real most = 0;
  Real size = 10;
  for (std::size_t b = 0; b < one.size(); ++b) {
    most = std::max({most, size_of(one[b].a - other[b].a), size_of(one[b].alpha - other[b].alpha)});
    size = std::max({size, size_of(one[b].a), size_of(one[b].alpha)});
  }
  return most / size;
}

/// What is left of each body's equations of motion under all loads and reactions, relative to the largest of them.
Real newton_euler_rest(const Mechanism& m, std::span<const BodyMotion> bodies, const RowOfRun& row, Mistake mistake) {
  std::vector<Effort> rest = loads_on(m, bodies, row("t_s"), mistake);
  Real size = 1;
  for (const Effort& load : rest) { size = std::max({size, size_of(load.force), size_of(load.moment)}); }
  for (const std::vector<DrawnJoint>* list : {&m.tree, &m.loops}) {
    for (const DrawnJoint& joint : *list) {
      if (joint.kind.empty()) { continue; }
      const Vec3<Real> force = row.vector(joint.name + ".f", "_space_N");
      const Vec3<Real> moment = row.vector(joint.name + ".m", "_space_Nm");
      // on the second body at its point of the joint, and the opposite on the first one at the same point of space
      const Vec3<Real> at = frame_of(m, bodies, joint.second, joint.on_second).point.r;
      const Vec3<Real> on_first =
          mistake == Mistake::reaction_at_wrong_point
              ? frame_of(m, bodies, joint.first, joint.on_first).point.r + Vec3<Real>{0.1L, 0, 0}
              : at;
      push_at(rest, bodies, joint.second, at, force);
      push_at(rest, bodies, joint.first, on_first, -force);
      if (joint.second != kSpace) { rest[static_cast<std::size_t>(joint.second)].moment += moment; }
      if (joint.first != kSpace) { rest[static_cast<std::size_t>(joint.first)].moment -= moment; }
      size = std::max({size, size_of(force), size_of(moment)});
    }
  }
  Real most = 0;
  for (std::size_t b = 0; b < m.bodies.size(); ++b) {
    const Effort needs = needed(m.bodies[b], bodies[b], mistake);
    size = std::max({size, size_of(needs.force), size_of(needs.moment)});
    most = std::max({most, size_of(rest[b].force - needs.force), size_of(rest[b].moment - needs.moment)});
  }
  return most / size;
}

Real widest_gap_of(const Mechanism& m, std::span<const BodyMotion> bodies) {
  Real most = 0;
  for (const std::vector<DrawnJoint>* list : {&m.tree, &m.loops}) {
    for (const DrawnJoint& joint : *list) {
      if (!joint.kind.empty()) { most = std::max(most, gap_of(m, bodies, joint)); }
    }
  }
  return most;
}

/// What a check found: the numbers that should be small, each with what it may be.
class Findings {
 public:
  void add(const char* what, Real value, Real allowed) {
    if (value <= allowed) { return; }  // a NaN is not
    text_ +=
        fmt::format("{}: {:.3g}, allowed {:.3g}\n", what, static_cast<double>(value), static_cast<double>(allowed));
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// A row of a run against the equations of every body, one by one.
void check_row(const Mechanism& m, const RowOfRun& row, Mistake mistake, Findings& found) {
  const std::vector<BodyMotion> bodies = motions_in(m, row);
  // rounding of reactions that are found by elimination: measured up to 3e-10
  found.add("rest of the equations of motion", newton_euler_rest(m, bodies, row, mistake), 1e-8L);
  // projection goes to 1e-12 or so of the length
  found.add("joints are open", widest_gap_of(m, bodies), 1e-9L);
}

/// The first and the last row: what should have stayed the same has.
void check_conserved(const Mechanism& m, const RowOfRun& first, const RowOfRun& last, Mistake mistake,
                     Findings& found) {
  const std::vector<BodyMotion> before = motions_in(m, first);
  const std::vector<BodyMotion> after = motions_in(m, last);
  const Real size = std::fabs(energy_of(m, before)) + first("kinetic_J") + last("kinetic_J") + 1;
  const Real gained = energy_of(at_row(m, last), after) - energy_of(m, before);
  const Real work = last("work_supplied_J") - last("work_dissipated_J");
  // steps by a tolerance of 1e-10: measured up to 1e-9 of the energies
  constexpr Real kSteps = 1e-7L;
  found.add("energy ledger", std::fabs(last("energy_balance_J")) / size, kSteps);
  found.add("energy gained is work", std::fabs(gained - work) / size, kSteps);
  if (m.is_conservative()) { found.add("energy", std::fabs(gained) / size, kSteps); }
  if (!m.is_alone()) { return; }
  const Effort start = momentum_of(m, before);
  Effort end = momentum_of(m, after);
  if (mistake == Mistake::no_gyroscopic_moment) { end.moment += Vec3<Real>{0.01L, 0, 0}; }
  Real momenta = 1;
  for (std::size_t b = 0; b < m.bodies.size(); ++b) { momenta += m.bodies[b].mass * size_of(before[b].v); }
  found.add("momentum", size_of(end.force - start.force) / momenta, kSteps);
  found.add("angular momentum", size_of(end.moment - start.moment) / momenta, kSteps);
}

Trajectory run_of(const std::string& text) {
  const io::ScenarioFile file(text, "drawn.toml");
  REQUIRE(file.problems().empty());
  return simulate(file.scenario());
}

/// Every form in Euler parameters against the elimination along the tree.
void check_forms(const std::string& text, Findings& found) {
  const catalog::MechanismScenario scenario = catalog::read_mechanism(text, "drawn.toml");
  const Model& model = *scenario.plan.model;
  const std::vector<double>& y = scenario.plan.start;
  Scratch scratch(model);
  std::vector<double> ydot(y.size());
  evaluate(model, 0, y, ydot, scratch);
  Real size = 10;
  std::vector<Pair> right;
  for (std::size_t b = 0; b < model.body_count(); ++b) {
    right.push_back(acceleration_of(model, scratch, static_cast<BodyId>(b)));
    size = std::max({size, static_cast<Real>(norm(right[b].ang)), static_cast<Real>(norm(right[b].lin))});
  }
  for (const EulerForm& form : euler_forms()) {
    for (const JointJacobian jacobian : {JointJacobian::through_rate, JointJacobian::raw}) {
      const EulerSolution solution = euler_solution(model, 0, y, form, jacobian);
      Real most = 0;
      for (std::size_t b = 0; b < right.size(); ++b) {
        const Pair d = solution.a[b] - right[b];
        most = std::max({most, static_cast<Real>(norm(d.ang)), static_cast<Real>(norm(d.lin))});
      }
      // dense matrices of badly conditioned rows: measured up to 1e-9
      found.add(fmt::format("accelerations by {}", form.name).c_str(), most / size, 1e-7L);
    }
  }
}

bool has_constant_velocity(const Mechanism& m) {
  return std::any_of(m.tree.begin(), m.tree.end(),
                     [](const DrawnJoint& joint) { return joint.kind == "constant-velocity"; });
}

/// "" where all is well with a tree, by the engine and by a check that may have a mistake of its own.
std::string what_is_wrong(const Mechanism& m, std::span<const Real> u, const Trajectory& run, Mistake mistake) {
  Findings found;
  const RowOfRun first(run, 0);
  if (!u.empty()) {
    const KaneSolution right = kane(m, u, mistake);
    // rounding in double, times how far the mass matrix makes it grow
    const Real allowed = 1e-12L + 1e-14L * right.condition;
    found.add("accelerations", acceleration_difference(right.bodies, motions_in(m, first)), allowed);
  }
  check_row(m, first, mistake, found);
  const RowOfRun last(run, run.rows() - 1);
  check_row(at_row(m, last), last, mistake, found);
  check_conserved(m, first, last, mistake, found);
  return found.text();
}

}  // namespace

TEST_CASE("random trees do what Kane's equations in minimal coordinates say, body by body and in sum") {
  Lot lot(20260501);
  const int count = how_many(110, 7000);
  int alone = 0;
  int locked = 0;
  for (int n = 0; n < count; ++n) {
    Mechanism m = tree_by_lot(lot, bodies_by_lot(lot, 1));
    const std::vector<Real> u = rates_by_lot(lot, m);
    const std::string text = to_toml(m);
    CAPTURE(n);
    CAPTURE(text);
    const Trajectory run = run_of(text);
    CAPTURE(run.end().message);
    CHECK(run.done());
    const std::string wrong = what_is_wrong(m, u, run, Mistake::none);
    // a coupling of constant velocity that bends by half a turn locks, and is torn through: the certificate tells
    if (!wrong.empty() && run.certificate().verdict == simulation::Verdict::no) {
      ++locked;
      CHECK(has_constant_velocity(m));
    } else {
      CHECK(wrong == "");
    }
    alone += m.is_alone() ? 1 : 0;
  }
  CHECK(30 * alone > count);  // momentum was looked at
  CHECK(50 * locked <= count);
}

TEST_CASE("random loops move as every body's own equations of motion say, and stay closed") {
  Lot lot(20260502);
  const int count = how_many(40, 3000);
  int stopped = 0;
  for (int n = 0; n < count; ++n) {
    Mechanism m = tree_by_lot(lot, bodies_by_lot(lot, 2));
    rates_by_lot(lot, m);
    add_loops_by_lot(lot, m, 1 + lot.number(4));
    const std::string text = to_toml(m);
    CAPTURE(n);
    CAPTURE(text);
    const Trajectory run = run_of(text);
    CAPTURE(run.end().message);
    // a loop may come to a position where it locks: the run ends there, or its certificate tells
    const std::string wrong = run.done() ? what_is_wrong(m, {}, run, Mistake::none) : "";
    if (!run.done() || (!wrong.empty() && run.certificate().verdict == simulation::Verdict::no)) {
      ++stopped;
    } else {
      CHECK(wrong == "");
    }
  }
  CHECK(20 * stopped <= count);
}

TEST_CASE("all forms in Euler parameters give random mechanisms the same accelerations") {
  Lot lot(20260503);
  const int count = how_many(30, 1000);
  for (int n = 0; n < count; ++n) {
    Mechanism m = tree_by_lot(lot, 1 + lot.number(8));
    rates_by_lot(lot, m);
    if (n % 3 == 0 && m.bodies.size() > 1) { add_loops_by_lot(lot, m, 1); }
    const std::string text = to_toml(m);
    CAPTURE(n);
    CAPTURE(text);
    Findings found;
    check_forms(text, found);
    CHECK(found.text() == "");
  }
}

TEST_CASE("a twin of the equations with a mistake is caught on nearly every mechanism that it concerns") {
  Lot lot(20260504);
  constexpr int kCount = 12;
  std::map<Mistake, int> caught;
  for (int n = 0; n < kCount; ++n) {
    Mechanism m = tree_by_lot(lot, 3);
    if (m.springs.empty()) { m.springs.push_back({{kSpace, 2}, {lot.vector(0.5), lot.vector(0.5)}, 20, 1, 0.3}); }
    const std::vector<Real> u = rates_by_lot(lot, m);
    const Trajectory run = run_of(to_toml(m));
    for (const Mistake mistake : {Mistake::no_gyroscopic_moment, Mistake::no_lever_of_springs, Mistake::no_coriolis,
                                  Mistake::reaction_at_wrong_point}) {
      caught[mistake] += what_is_wrong(m, u, run, mistake).empty() ? 0 : 1;
    }
  }
  for (const auto& [mistake, times] : caught) {
    CAPTURE(static_cast<int>(mistake));
    CHECK(times >= kCount - 2);
  }
}

#pragma GCC diagnostic pop
