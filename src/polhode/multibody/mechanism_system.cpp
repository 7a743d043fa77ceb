#include "polhode/multibody/mechanism_system.h"

#include "polhode/core/error.h"
#include "polhode/multibody/constraint_rows.h"
#include "polhode/multibody/derivatives.h"
#include "polhode/multibody/force_values.h"
#include "polhode/multibody/linearised_mechanism.h"
#include "polhode/multibody/mechanism_jacobian.h"
#include "polhode/multibody/node_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace polhode {
namespace {

Vec3<double> three_of(std::span<const double> v, std::size_t i) { return {v[i], v[i + 1], v[i + 2]}; }
void put_three(std::span<double> v, std::size_t i, const Vec3<double>& x) {
  for (std::size_t k = 0; k < 3; ++k) { v[i + k] = x[k]; }
}

}  // namespace

struct MechanismSystem::Memory {
  explicit Memory(const MechanismSystem& system) : scratch(*system.model_) { scratch.turns = system.turns_; }
  Scratch scratch;
  std::vector<ListedRow> rows;  ///< of constraints()
  std::vector<double> ydot;
};

class MechanismSystem::Loan {
 public:
  explicit Loan(const MechanismSystem& system) : system_(system) {
    for (std::atomic<Memory*>& slot : system_.store_) {
      if (slot.load(std::memory_order_relaxed) == nullptr) { continue; }
      memory_.reset(slot.exchange(nullptr, std::memory_order_acquire));
      if (memory_) { return; }
    }
    memory_ = std::make_unique<Memory>(system_);
  }
  ~Loan() {
    for (std::atomic<Memory*>& slot : system_.store_) {
      Memory* empty = nullptr;
      if (slot.compare_exchange_strong(empty, memory_.get(), std::memory_order_release, std::memory_order_relaxed)) {
        memory_.release();  // NOLINT(bugprone-unused-return-value): the store has it
        return;
      }
    }
  }
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;
  Memory* operator->() const { return memory_.get(); }

 private:
  const MechanismSystem& system_;
  std::unique_ptr<Memory> memory_;
};

MechanismSystem::MechanismSystem(const Model& model, const MechanismOptions& options)
    : model_(&model), options_(options), turns_(model.counted().size(), 0.0) {
  if (options.form != nullptr && (options.count_work || options.baumgarte_rate > 0)) {
    fail(Error(Problem{.what = "a form with Euler parameters counts no work and knows no rate of closing",
                       .allowed = {},
                       .cure = "take Newton-Euler velocities for them"}));
  }
  store_[0].store(std::make_unique<Memory>(*this).release());
}

void MechanismSystem::set_turns(std::span<const double> turns) {
  POLHODE_ASSERT(turns.size() == turns_.size());
  std::copy(turns.begin(), turns.end(), turns_.begin());
}

void MechanismSystem::use(const Model& model) {
  POLHODE_ASSERT(model.state_size() == model_->state_size() && model.counted().size() == turns_.size());
  model_ = &model;
  for (std::atomic<Memory*>& slot : store_) { std::unique_ptr<Memory> owned(slot.exchange(nullptr)); }
  store_[0].store(std::make_unique<Memory>(*this).release());
}

MechanismSystem::~MechanismSystem() {
  for (std::atomic<Memory*>& slot : store_) { std::unique_ptr<Memory> owned(slot.exchange(nullptr)); }
}

std::string MechanismSystem::entry_name(std::size_t i) const {
  static constexpr std::array<const char*, 13> kNames{"r_N.x", "r_N.y", "r_N.z", "e0",    "e1",    "e2",   "e3",
                                                      "v_N.x", "v_N.y", "v_N.z", "w_B.x", "w_B.y", "w_B.z"};
  if (i >= model_->state_size()) { return i == model_->state_size() ? "work supplied" : "energy dissipated"; }
  if (i >= model_->bodies_size()) {
    return "rate in space of wheel '" + model_->wheels()[i - model_->bodies_size()].name + "'";
  }
  return std::string(kNames[i % 13]) + " of body '" + model_->bodies()[i / 13].name + "'";
}

std::string MechanismSystem::trouble(const double& t, std::span<const double> y) const {
  for (const ModelConstraint& constraint : model_->constraints()) {
    std::string found = model_->with(constraint.id, [&](const auto& one) { return constraint::trouble(one, t); });
    if (!found.empty()) { return found; }
  }
  if (!std::all_of(y.begin(), y.end(), [](double x) { return std::isfinite(x); })) { return {}; }
  for (std::size_t w = 0; w < model_->wheel_count(); ++w) {
    if (std::isfinite(motor_torque({*model_, t, y.first(model_->state_size()), turns()}, w))) { continue; }
    return fmt::format("the motor torque of wheel '{}' is not finite at t = {:.6g}", model_->wheels()[w].name, t);
  }
  for (const WrenchLaw& law : model_->wrench_laws()) {
    const Pair acts = law.law({*model_, t, y.first(model_->state_size()), turns()});
    if (is_finite(acts.lin) && is_finite(acts.ang)) { continue; }
    return (law.name.empty() ? "a force or moment" : "'" + law.name + "'") + " on body '" +
           model_->bodies()[static_cast<std::size_t>(law.body)].name + "' is not finite there";
  }
  return {};
}

void MechanismSystem::rhs(const double& t, std::span<const double> y, std::span<double> ydot) const {
  const Loan loan(*this);
  const std::size_t n = model_->state_size();
  if (options_.form != nullptr) { return evaluate_form(t, y, ydot); }
  loan->scratch.fades_out = options_.fades_out;
  evaluate(*model_, t, y.first(n), ydot.first(n), loan->scratch, options_.baumgarte_rate);
  if (options_.count_work) {
    const Power now = power(*model_, loan->scratch);
    ydot[n] = now.supplied;
    ydot[n + 1] = now.dissipated;
  }
}

void MechanismSystem::evaluate_form(double t, std::span<const double> y, std::span<double> ydot) const {
  std::vector<double> unit(y.begin(), y.end());
  for (std::size_t b = 0; b < model_->body_count(); ++b) {
    BodyView body = Model::view(y, static_cast<BodyId>(b));
    body.e_NB = normalized(body.e_NB);
    Model::set(unit, static_cast<BodyId>(b), body);
  }
  const EulerSolution solution = euler_solution(*model_, t, unit, *options_.form, options_.jacobian, turns_);
  for (std::size_t b = 0; b < model_->body_count(); ++b) {
    const BodyView body = Model::view(y, static_cast<BodyId>(b));
    const EulerParameters<double> edot = rate_from_body(body.e_NB, body.w_B);
    const EulerParameters<double> e_NB = Model::view(unit, static_cast<BodyId>(b)).e_NB;
    put_three(ydot, 13 * b, body.v_N);
    ydot[13 * b + 3] = edot.e0;
    put_three(ydot, 13 * b + 4, edot.ev);
    put_three(ydot, 13 * b + 7, solution.a[b].lin);
    put_three(ydot, 13 * b + 10, rotate_back(e_NB, solution.a[b].ang));
  }
  std::copy(solution.wheel_rates.begin(), solution.wheel_rates.end(), ydot.data() + model_->bodies_size());
}

void MechanismSystem::project_at(const double& t, std::span<double> y) const {
  const Loan loan(*this);
  polhode::project(*model_, t, y.first(model_->state_size()), loan->scratch);
}

// ---- the equations as they stand ------------------------------------------------------------------------------------

void MechanismSystem::velocity(std::span<const double> y, std::span<double> v) const {
  for (std::size_t b = 0; b < model_->body_count(); ++b) {
    put_three(v, 6 * b, three_of(y, 13 * b + 10));
    put_three(v, 6 * b + 3, three_of(y, 13 * b + 7));
  }
  each_wheel([&](std::size_t w, std::size_t i) { v[i] = y[model_->bodies_size() + w]; });
}

void MechanismSystem::set_velocity(std::span<double> y, std::span<const double> v) const {
  for (std::size_t b = 0; b < model_->body_count(); ++b) {
    put_three(y, 13 * b + 10, three_of(v, 6 * b));
    put_three(y, 13 * b + 7, three_of(v, 6 * b + 3));
  }
  each_wheel([&](std::size_t w, std::size_t i) { y[model_->bodies_size() + w] = v[i]; });
}

void MechanismSystem::move(std::span<double> y, std::span<const double> a) const {
  for (std::size_t b = 0; b < model_->body_count(); ++b) {
    BodyView body = Model::view(y, static_cast<BodyId>(b));
    body.e_NB = normalized(body.e_NB * exp(three_of(a, 6 * b)));
    body.r_N += three_of(a, 6 * b + 3);
    Model::set(y, static_cast<BodyId>(b), body);
  }
}

void MechanismSystem::acceleration(const double& t, std::span<const double> y, std::span<double> vdot) const {
  const Loan loan(*this);
  loan->ydot.resize(y.size());
  rhs(t, y, loan->ydot);
  velocity(loan->ydot, vdot);
}

std::size_t MechanismSystem::row_count() const { return model_->row_count(); }

std::vector<bool> MechanismSystem::on_positions() const {
  std::vector<bool> result;
  for (const ModelConstraint& constraint : model_->constraints()) {
    for (std::size_t r = 0; r < at(constraint.rows); ++r) {
      result.push_back(model_->with(constraint.id, [&](const auto& one) { return constraint::on_positions(one, r); }));
    }
  }
  return result;
}

std::string MechanismSystem::row_name(std::size_t r) const {
  const auto next = std::find_if(model_->constraints().begin(), model_->constraints().end(),
                                 [&](const ModelConstraint& one) { return at(one.first_row + one.rows) > r; });
  return model_->in_words(next->id);
}

std::unique_ptr<Linearisation<double>> MechanismSystem::linearisation() const {
  return mechanism_linearisation(*model_, *this, turns_, options_.baumgarte_rate);
}
bool MechanismSystem::is_exact() const { return laws_without_derivatives(*model_).empty(); }

SparseRows<double> MechanismSystem::empty_rows() const { return empty_constraint_rows(*model_); }

std::unique_ptr<LinearisedConstraints<double>> MechanismSystem::linearised() const {
  return linearised_mechanism(*model_, turns_);
}

void MechanismSystem::rows(const double& t, std::span<const double> y, std::span<double> phi, std::span<double> speed,
                           SparseRows<double>& C) const {
  const Loan loan(*this);
  std::vector<ListedRow>& rows = loan->rows;
  constraint_rows(*model_, t, y, rows);
  std::fill(C.values.begin(), C.values.end(), 0.0);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const ListedRow& row = rows[r];
    phi[r] = row.on_positions ? row.value : 0;
    speed[r] = -row.rate;
    const auto begin = C.columns.begin() + static_cast<std::ptrdiff_t>(C.starts[r]);
    const auto end = C.columns.begin() + static_cast<std::ptrdiff_t>(C.starts[r + 1]);
    for (std::size_t s = 0; s < row.bodies.size(); ++s) {
      if (row.bodies[s] < 0) { continue; }
      const BodyView body = Model::view(y, row.bodies[s]);
      const Vec3<double> moment_B = rotate_back(body.e_NB, row.sides[s].ang);
      speed[r] += dot(moment_B, body.w_B) + dot(row.sides[s].lin, body.v_N);
      const auto first = std::lower_bound(begin, end, 6 * static_cast<std::size_t>(row.bodies[s]));
      double* to = C.values.data() + (first - C.columns.begin());
      for (std::size_t k = 0; k < 3; ++k) {
        to[k] += moment_B[k];
        to[3 + k] += row.sides[s].lin[k];
      }
    }
  }
}

void MechanismSystem::force(const double& t, std::span<const double> y, std::span<double> f) const {
  const Loan loan(*this);
  tree_sweep::read_bodies(model_->elimination(), y, loan->scratch.nodes);
  const bool loaded = tree_sweep::apply_forces(*model_, t, y, loan->scratch);
  for (std::size_t b = 0; b < model_->body_count(); ++b) {
    const BodyView body = Model::view(y, static_cast<BodyId>(b));
    const MassProperties& mass = model_->bodies()[b].mass;
    const Pair applied = loaded ? loan->scratch.applied[at(model_->elimination().node_of_body[b])] : Pair{};
    const Mat3<double>& J_B = model_->carrier_J_B(static_cast<BodyId>(b));
    put_three(f, 6 * b, rotate_back(body.e_NB, applied.ang) - cross(body.w_B, J_B * body.w_B));
    put_three(f, 6 * b + 3, applied.lin + mass.mass * model_->gravity_N());
  }
  each_wheel([&](std::size_t w, std::size_t i) { f[i] = model_->wheels()[w].inertia * loan->scratch.wheel_rates[w]; });
}

void MechanismSystem::times_mass(std::span<const double> x, std::span<double> result) const {
  for (std::size_t b = 0; b < model_->body_count(); ++b) {
    const MassProperties& mass = model_->bodies()[b].mass;
    put_three(result, 6 * b, model_->carrier_J_B(static_cast<BodyId>(b)) * three_of(x, 6 * b));
    put_three(result, 6 * b + 3, mass.mass * three_of(x, 6 * b + 3));
  }
  each_wheel([&](std::size_t w, std::size_t i) { result[i] = model_->wheels()[w].inertia * x[i]; });
}

void MechanismSystem::over_mass(std::span<const double> f, std::span<double> result) const {
  for (std::size_t b = 0; b < model_->body_count(); ++b) {
    const MassProperties& mass = model_->bodies()[b].mass;
    put_three(result, 6 * b, inverse(model_->carrier_J_B(static_cast<BodyId>(b))) * three_of(f, 6 * b));
    put_three(result, 6 * b + 3, three_of(f, 6 * b + 3) / mass.mass);
  }
  each_wheel([&](std::size_t w, std::size_t i) { result[i] = f[i] / model_->wheels()[w].inertia; });
}

void MechanismSystem::coordinate_rate(std::span<const double> y, std::span<const double> v,
                                      std::span<double> ydot) const {
  for (std::size_t b = 0; b < model_->body_count(); ++b) {
    const EulerParameters<double> edot =
        rate_from_body(Model::view(y, static_cast<BodyId>(b)).e_NB, three_of(v, 6 * b));
    put_three(ydot, 13 * b, three_of(v, 6 * b + 3));
    ydot[13 * b + 3] = edot.e0;
    put_three(ydot, 13 * b + 4, edot.ev);
  }
}

double MechanismSystem::typical_mass() const {
  double total = 0;
  for (const BodyDescription& body : model_->bodies()) { total += body.mass.mass; }
  return total / static_cast<double>(std::max<std::size_t>(1, model_->body_count()));
}

}  // namespace polhode
