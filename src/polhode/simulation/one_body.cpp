#include "polhode/simulation/one_body.h"

#include "polhode/core/error.h"
#include "polhode/simulation/one_body_ledger.h"
#include "polhode/simulation/subject.h"

#include <algorithm>
#include <cmath>

namespace polhode::simulation {
namespace {

/// What further columns of one body are made of.
struct BodyNow {
  const OneBodyPlan& plan;  ///< with the parameters as they now are
  BodyState<double> state;
  Vec3<double> wdot_B;
  Vec3<double> vdot_N;  ///< of the mass centre; zero where the body does not travel
};

/// What the form of a plan knows of the multiplier of the norm constraint.
struct MultiplierKnown {
  MultiplierKnown(const OneBodyPlan& plan, const BodySystem<double>& system) {
    std::vector<double> y(system.size());
    system.set_state(plan.start, y);
    value = system.result(plan.start.t, y).multiplier.has_value();
    const LoadNow<double> load(plan.body.load, plan.start);
    closed_form =
        value && system.form()
                     .expected_multiplier(system.inertia_at(plan.start.t), load, plan.start.e_NB, plan.start.w_B)
                     .has_value();
  }
  bool value = false;
  bool closed_form = false;
};

std::vector<Column> columns_of(const OneBodyPlan& plan, const MultiplierKnown& multiplier) {
  std::vector<Column> columns{{"t_s", "s", "time"}};
  for (const char* name : {"e0", "e1", "e2", "e3"}) {
    columns.push_back({name, "1", "Euler parameter of body to space, scalar first"});
  }
  add_vector(columns, "w", "body", "rad/s", "rad_s", "angular velocity");
  add_vector(columns, "h", "space", "N m s", "Nms",
             plan.body.mass ? "angular momentum about the mass centre" : "angular momentum");
  if (plan.body.mass) {
    add_vector(columns, "r", "space", "m", "m", "position of the mass centre");
    add_vector(columns, "v", "space", "m/s", "m_s", "velocity of the mass centre");
  }
  columns.push_back({"kinetic_J", "J", "kinetic energy"});
  if (plan.potential) { columns.push_back({"potential_J", "J", "potential energy"}); }
  columns.push_back(
      {"energy_balance_J", "J",
       plan.potential ? "total energy less that at the start" : "kinetic energy less that at the start and work done"});
  columns.push_back({"momentum_balance_Nms", "N m s", "size of what the angular momentum is off"});
  columns.push_back({"norm_error", "1", "|e| - 1"});
  if (multiplier.value) {
    columns.push_back({"multiplier", "J", "multiplier of the norm constraint, scaled as its form has it"});
  }
  if (multiplier.closed_form) {
    columns.push_back({"multiplier_closed_form", "J", plan.form().description().multiplier});
  }
  for (const MotorWheel<double>& wheel : plan.body.load.wheels) { add_wheel(columns, wheel.name); }
  return columns;
}

/// Everything that is not there by default.
std::vector<ColumnGroup<BodyNow>> further_columns(const OneBodyPlan& plan) {
  std::vector<ColumnGroup<BodyNow>> groups;
  const auto add = [&](const char* group, const std::string& symbol, const char* frame, const char* unit,
                       const char* unit_name, const std::string& meaning, auto value) {
    ColumnGroup<BodyNow> one{group, {}, [value](const BodyNow& now, std::span<double> to) {
                               const Vec3<double> v = value(now);
                               to[0] = v.x;
                               to[1] = v.y;
                               to[2] = v.z;
                             }};
    add_vector(one.columns, symbol, frame, unit, unit_name, meaning);
    groups.push_back(std::move(one));
  };
  // rotate scales with |e|², a vector in space does not
  const auto in_space = [](const BodyNow& now, const Vec3<double>& v_B) {
    return rotate(now.state.e_NB, v_B) / norm_squared(now.state.e_NB);
  };
  add("rates", "w", "space", "rad/s", "rad_s", "angular velocity",
      [in_space](const BodyNow& now) { return in_space(now, now.state.w_B); });
  add("accelerations", "alpha", "body", "rad/s2", "rad_s2", "angular acceleration",
      [](const BodyNow& now) { return now.wdot_B; });
  add("accelerations", "alpha", "space", "rad/s2", "rad_s2", "angular acceleration",
      [in_space](const BodyNow& now) { return in_space(now, now.wdot_B); });
  if (plan.body.mass) {
    add("accelerations", "a", "space", "m/s2", "m_s2", "acceleration of the mass centre",
        [](const BodyNow& now) { return now.vdot_N; });
    add("forces", "f", "space", "N", "N", "force of all loads",
        [](const BodyNow& now) { return LoadNow<double>(now.plan.body.load, now.state).force_N(); });
  }
  add("forces", "m", "body", "N m", "Nm", "moment of all loads about the point that the inertia counts from",
      [](const BodyNow& now) { return LoadNow<double>(now.plan.body.load, now.state).torque_B(); });
  for (std::size_t i = 0; i < plan.each_load.size(); ++i) {
    const std::string& name = plan.each_load[i].first;
    add("forces", name + ".f", "space", "N", "N", "force of load " + name,
        [i](const BodyNow& now) { return LoadNow<double>(now.plan.each_load[i].second, now.state).force_N(); });
    add("forces", name + ".m", "body", "N m", "Nm",
        "moment of load " + name + " about the point that the inertia counts from",
        [i](const BodyNow& now) { return LoadNow<double>(now.plan.each_load[i].second, now.state).torque_B(); });
  }
  for (const TrackedPoint& point : plan.output.points) {
    const std::string dot = point.name + ".";
    const auto arm = [u_B = point.r_BP_B, in_space](const BodyNow& now) { return in_space(now, u_B); };
    const auto w = [in_space](const BodyNow& now) { return in_space(now, now.state.w_B); };
    const char* group = kPointGroup.data();
    add(group, dot + "r", "space", "m", "m", "position of point " + point.name,
        [=](const BodyNow& now) { return now.state.r_N + arm(now); });
    add(group, dot + "v", "space", "m/s", "m_s", "velocity of point " + point.name,
        [=](const BodyNow& now) { return now.state.v_N + cross(w(now), arm(now)); });
    add(group, dot + "a", "space", "m/s2", "m_s2", "acceleration of point " + point.name, [=](const BodyNow& now) {
      return now.vdot_N + cross(in_space(now, now.wdot_B), arm(now)) + cross(w(now), cross(w(now), arm(now)));
    });
  }
  return groups;
}

/// One body under a form.
class OneBodySubject final : public Subject {
 public:
  explicit OneBodySubject(const OneBodyPlan& plan)
      : plan_(&plan), now_(&plan), system_(plan.form(), plan.body), ledger_(plan, system_), multiplier_(plan, system_) {
    std::vector<Column> columns = columns_of(plan, multiplier_);
    default_count_ = columns.size();
    if (!plan.output.has_default_columns()) {
      further_ = further_columns(plan);
      ydot_.resize(system_.size());
    }
    require_sound(plan.output, plan.duration, columns, further_);
    columns_ = choose_columns(plan.output, std::move(columns), further_);
  }

  const System<double>& system() const override { return system_; }
  const Plan& now() const override { return *now_; }
  const ColumnChoice& columns() const override { return columns_; }
  void begin(std::span<double> y, LedgerState& ledger) override;
  void use_parameters(std::span<const double> values) override;
  const std::vector<double>& parameters() const override { return now_->parameters; }
  void add(const Piece<double>& piece, LedgerState& ledger) override { ledger_.add(piece, ledger); }
  void fill(double t, std::span<const double> y, std::span<double> row, LedgerState& ledger) override;
  std::size_t event_count() const override { return now_->events.size(); }
  const EventHead& event(std::size_t i) const override { return now_->events[i]; }
  double event_value(std::size_t i, double t, std::span<const double> y) const override;
  bool event_counts(std::size_t i, double t, std::span<const double> y) const override;
  void look_of_law(std::size_t i, double t, std::span<const double> y, std::span<double> inputs) const override {
    now_->looks[i](system_.body_state(t, y), system_.wheel_speeds(y), inputs);
  }
  void look_of_event(std::size_t i, double t, std::span<const double> y, std::span<double> inputs) const override {
    now_->events[i].look(system_.body_state(t, y), system_.wheel_speeds(y), inputs);
  }
  std::string change(std::optional<std::size_t> i, double t, std::span<double> y, LedgerState& ledger,
                     const std::function<std::string()>& set) override;
  BodyState<double> seen(double t, std::span<const double> y) const override { return system_.body_state(t, y); }

 private:
  const OneBodyPlan* plan_;
  const OneBodyPlan* now_;  ///< the plan with the parameters as they now are
  std::shared_ptr<const OneBodyPlan> changed_;
  BodySystem<double> system_;
  OneBodyLedger ledger_;
  MultiplierKnown multiplier_;
  std::vector<ColumnGroup<BodyNow>> further_;  ///< behind the columns by default
  std::size_t default_count_ = 0;              ///< of these
  ColumnChoice columns_;
  std::vector<double> ydot_;  ///< scratch
};

void OneBodySubject::use_parameters(std::span<const double> values) {
  const bool as_planned = std::equal(values.begin(), values.end(), plan_->parameters.begin(), plan_->parameters.end());
  if (as_planned && now_ == plan_) { return; }
  const std::shared_ptr<const OneBodyPlan> other = as_planned ? nullptr : plan_->with(values);
  const OneBodyPlan& next = other ? *other : *plan_;
  // in place: methods hold on to the system
  system_ = BodySystem<double>(system_.form(), next.body);
  ledger_.use(next);
  now_ = &next;
  changed_ = other;
}

void OneBodySubject::begin(std::span<double> y, LedgerState& ledger) {
  system_.set_state(plan_->start, y);
  ledger_.open(plan_->start, system_.wheel_speeds(y), ledger);
}

void OneBodySubject::fill(double t, std::span<const double> y, std::span<double> row, LedgerState& ledger) {
  const BodyState<double> state = system_.body_state(t, y);
  const Account account = ledger_.enter(t, y, ledger);
  RowFiller filler(row);
  filler.put(t);
  filler.put(state.e_NB.e0);
  filler.put(state.e_NB.ev);
  filler.put(state.w_B);
  filler.put(account.h_N);
  if (plan_->body.mass) {
    filler.put(state.r_N);
    filler.put(state.v_N);
  }
  filler.put(account.kinetic);
  if (plan_->potential) { filler.put(account.potential); }
  filler.put(account.energy_balance);
  filler.put(norm(account.momentum_balance_N));
  filler.put(account.norm_error);
  if (multiplier_.value) { filler.put(account.multiplier.value_or(0)); }
  if (multiplier_.closed_form) { filler.put(account.multiplier_closed_form.value_or(0)); }
  const std::span<const double> speeds = system_.wheel_speeds(y);
  for (std::size_t w = 0; w < speeds.size(); ++w) {
    filler.put(speeds[w]);
    filler.put(now_->body.load.wheels[w].motor_torque(state, speeds, w));
  }
  if (further_.empty()) { return; }
  system_.rhs(t, y, ydot_);
  const std::size_t v = ydot_.size() - speeds.size() - 3;
  const BodyNow now{*now_, state, system_.result(t, y).wdot_B,
                    plan_->body.mass ? Vec3<double>{ydot_[v], ydot_[v + 1], ydot_[v + 2]} : Vec3<double>{}};
  fill_further(further_, now, row.subspan(default_count_));
}

double OneBodySubject::event_value(std::size_t i, double t, std::span<const double> y) const {
  const OneBodyEvent& event = now_->events[i];
  if (event.function_of_wheels) { return event.function_of_wheels(system_.body_state(t, y), system_.wheel_speeds(y)); }
  return event.function(system_.body_state(t, y));
}

bool OneBodySubject::event_counts(std::size_t i, double t, std::span<const double> y) const {
  const OneBodyEvent& event = now_->events[i];
  return !event.counts || event.counts(system_.body_state(t, y));
}

std::string OneBodySubject::change(std::optional<std::size_t> i, double t, std::span<double> y, LedgerState& ledger,
                                   const std::function<std::string()>& set) {
  const BodyState<double> before = system_.body_state(t, y);
  BodyState<double> after = before;
  const double potential_before = ledger_.potential(before);
  if (std::string wrong = set(); !wrong.empty()) { return wrong; }
  if (i && now_->events[*i].change) { now_->events[*i].change(after); }
  const std::span<const double> speeds = system_.wheel_speeds(y);
  const std::vector<double> speeds_before(speeds.begin(), speeds.end());
  system_.change_state(before, after, y);
  ledger_.jump(before, after, potential_before, speeds_before, speeds, ledger);
  return {};
}

}  // namespace

const Formulation<double>& OneBodyPlan::form() const {
  return own_form ? *own_form : polhode::formulation<double>(formulation);
}

std::unique_ptr<Subject> OneBodyPlan::subject() const { return std::make_unique<OneBodySubject>(*this); }

std::vector<OfferedColumn> OneBodyPlan::offered_columns() const {
  const BodySystem<double> system(form(), body);
  return simulation::offered_columns(columns_of(*this, MultiplierKnown(*this, system)), further_columns(*this));
}

std::vector<Evidence> OneBodyPlan::evidence(const LedgerState& ledger, std::vector<std::string>& notes) const {
  std::vector<Evidence> list;
  list.push_back({"energy", relative_error(ledger.energy_error, ledger.energy_scale), energy_bound(accuracy, ledger),
                  potential ? "largest change of T + V, relative to the largest T + |V - V0|"
                            : "largest T - T0 - work, relative to the largest T"});
  list.push_back({"angular momentum", relative_error(ledger.momentum_error, ledger.momentum_scale), accuracy,
                  momentum == Momentum::whole ? "largest change of h in space, relative to |h|"
                  : momentum == Momentum::along_axis
                      ? "largest change of h along the axis of symmetry of the loads, relative to |h|"
                      : "largest h - h0 - impulse of the loads, relative to |h|"});
  list.push_back({"norm", ledger.norm_error, accuracy, "largest ||e| - 1|"});
  if (ledger.multiplier_least <= ledger.multiplier_most) {
    list.push_back(
        {"multiplier", relative_error(ledger.multiplier_error, ledger.multiplier_scale), std::fmax(1e-6, accuracy),
         "largest difference of the multiplier from its closed form, relative to the largest |closed form| + 4 T"});
    notes.emplace_back(
        "the multiplier is computed from the state at each moment (index 1): its agreement with the closed form shows "
        "rounding of the form, not the error of the run");
  }
  return list;
}

}  // namespace polhode::simulation
