#include "polhode/simulation/mechanism.h"

#include "polhode/core/counted.h"
#include "polhode/core/error.h"
#include "polhode/core/index.h"
#include "polhode/integrator/integrator.h"
#include "polhode/multibody/force_values.h"
#include "polhode/multibody/least_reactions.h"
#include "polhode/simulation/mechanism_columns.h"
#include "polhode/simulation/subject.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace polhode::simulation {
namespace {

/// A joint that is open by more than this part of the length of the model, or by more than the run's own tolerance, is
/// no joint any more.
constexpr double kTornApart = 1e-6;

/// What a joint may turn in a step where its whole turns are counted, by its rates at both ends of the step, rad: below
/// half a turn, with room for rates that are larger in between.
constexpr double kMostTurn = 2;

/// (ω, v) of a body in space components; of ground, zero.
Pair velocity_of(std::span<const double> y, BodyId body) {
  if (body == kGround) { return {}; }
  const BodyView b = Model::view(y, body);
  return {rotate(b.e_NB, b.w_B), b.v_N};
}
Pair acceleration_or_zero(const Model& model, const Scratch& scratch, BodyId body) {
  return body == kGround ? Pair{} : acceleration_of(model, scratch, body);
}

}  // namespace

double joint_gap(const Model& model, std::span<const double> y, int joint) {
  const JointDescription& j = model.joints()[at(joint)];
  const auto [first, second] = model.ends(y, joint);
  const Pair open = position_correction(*j.kind, j.parameter, first, second);
  return std::max(norm(open.lin), model.length() * norm(open.ang));
}

std::string widest_gap(const Model& model, double t, std::span<const double> y) {
  double most = -1;
  std::string text = "no joint is open";
  for (std::size_t j = 0; j < model.joint_count(); ++j) {
    const double gap = joint_gap(model, y, static_cast<int>(j));
    if (gap > most || std::isnan(gap)) {
      most = std::isnan(gap) ? most : gap;
      text =
          fmt::format("joint '{}' ({}) is open by {:.3g} m", model.joints()[j].name, model.joints()[j].kind->name, gap);
    }
  }
  std::array<ConstraintRow<double>, kMostRows> rows;
  for (const ModelConstraint& constraint : model.constraints()) {
    if (constraint.id.is_joint()) { continue; }
    model.rows(constraint, t, y, rows.data());
    model.with(constraint.id, [&](const auto& one) {
      for (std::size_t r = 0; r < at(constraint.rows); ++r) {
        const double gap = std::fabs(rows[r].value) * constraint::unit(one, model.length());
        if (!constraint::on_positions(one, r) || gap <= most) { continue; }
        if (std::isnan(gap)) {
          text = model.in_words(constraint.id) + " has no value or no direction there";
          continue;
        }
        most = gap;
        text = fmt::format("{} {:.3g} m", constraint::gap_in_words(one, model.in_words(constraint.id)), gap);
      }
    });
  }
  return text;
}

double acceleration_residual(const Model& model, double t, std::span<const double> y, const Scratch& scratch) {
  double most = 0;
  std::array<ConstraintRow<double>, kMostRows> rows;
  for (const ModelConstraint& constraint : model.constraints()) {
    model.rows(constraint, t, y, rows.data());
    const double unit =
        model.with(constraint.id, [&](const auto& one) { return constraint::unit(one, model.length()); });
    for (std::size_t r = 0; r < at(constraint.rows); ++r) {
      double left = -rows[r].gamma;
      for (std::size_t s = 0; s < constraint.ends.size(); ++s) {
        left += dot(rows[r].sides[s], acceleration_or_zero(model, scratch, constraint.ends[s].body));
      }
      // of a joint, rows that hold a rotation are angles
      const bool is_angle = constraint.id.is_joint() && norm_squared(rows[r].sides[1].lin) == 0;
      most = std::max(most, std::fabs(left) * (is_angle ? model.length() : unit));
    }
  }
  return most;
}

namespace {

/// A mechanism.
class MechanismSubject final : public Subject {
 public:
  explicit MechanismSubject(const MechanismPlan& plan);

  const System<double>& system() const override { return system_; }
  const Plan& now() const override { return *now_; }
  const ColumnChoice& columns() const override { return columns_; }
  void begin(std::span<double> y, LedgerState& ledger) override;
  /// Whole turns counted so far, by Model::counted().
  std::vector<double> discrete() const override { return {turns().begin(), turns().end()}; }
  void set_discrete(std::span<const double> numbers) override;
  void use_parameters(std::span<const double> values) override;
  const std::vector<double>& parameters() const override { return now_->parameters; }
  StepLimit<double> step_limit() const override;
  void add(const Piece<double>& piece, LedgerState& ledger) override;
  std::string objection(const Piece<double>& piece) override;
  void fill(double t, std::span<const double> y, std::span<double> row, LedgerState& ledger) override;
  std::size_t event_count() const override { return now_->events.size(); }
  const EventHead& event(std::size_t i) const override { return now_->events[i]; }
  double event_value(std::size_t i, double t, std::span<const double> y) const override {
    return now_->events[i].function({*model_, t, y, turns()});
  }
  bool event_counts(std::size_t i, double t, std::span<const double> y) const override {
    return !now_->events[i].counts || now_->events[i].counts({*model_, t, y, turns()});
  }
  void look_of_law(std::size_t i, double t, std::span<const double> y, std::span<double> inputs) const override {
    now_->looks[i]({*model_, t, y, turns()}, inputs);
  }
  void look_of_event(std::size_t i, double t, std::span<const double> y, std::span<double> inputs) const override {
    now_->events[i].look({*model_, t, y, turns()}, inputs);
  }
  std::string change(std::optional<std::size_t> i, double t, std::span<double> y, LedgerState& ledger,
                     const std::function<std::string()>& set) override;
  BodyState<double> seen(double t, std::span<const double> y) const override;

 private:
  std::span<const double> turns() const { return system_.turns(); }
  void add_work(const Piece<double>& piece, LedgerState& ledger);
  std::string too_fast_for_step(const Piece<double>& piece);
  /// Fails where an angle with its whole turns is asked for, and the model does not count them.
  void require_counted() const;

  const MechanismPlan* plan_;
  const MechanismPlan* now_;  ///< the plan with the parameters as they now are
  std::shared_ptr<const MechanismPlan> changed_;
  const Model* model_;
  MechanismSystem system_;
  bool does_work_ = false;  ///< anything that may supply or dissipate
  mutable Scratch scratch_;
  std::vector<double> y_;  ///< scratch
  std::vector<double> ydot_;
  std::vector<Reaction> reactions_;
  std::optional<LeastReactionSolver> least_reactions_;
  std::vector<ColumnGroup<MechanismNow>> further_;  ///< behind the columns by default
  std::size_t default_count_ = 0;                   ///< of these
  ColumnChoice columns_;
};

MechanismSubject::MechanismSubject(const MechanismPlan& plan)
    : plan_(&plan),
      now_(&plan),
      model_(plan.model.get()),
      system_(*model_, {.fades_out = !polhode::integrator<double>(plan.integrator).description().keeps_history,
                        .form = plan.formulation == kNewtonEuler ? nullptr : &euler_form(plan.formulation),
                        .jacobian = plan.jacobian}),
      scratch_(*model_),
      y_(model_->state_size()),
      ydot_(model_->state_size()),
      reactions_(model_->joint_count()),
      least_reactions_(*model_) {
  scratch_.turns = system_.turns();
  does_work_ = model_->has_forces();
  model_->each([&](const auto& one, const ConstraintId&) { does_work_ = does_work_ || constraint::does_work(one); });
  std::vector<Column> columns = mechanism_columns(*model_);
  default_count_ = columns.size();
  if (!plan.output.has_default_columns()) { further_ = further_columns(*model_, plan.output.points, plan.jacobian); }
  require_sound(plan.output, plan.duration, columns, further_);
  columns_ = choose_columns(plan.output, std::move(columns), further_);
  require_counted();
}

void MechanismSubject::require_counted() const {
  for (std::size_t j = 0; j < model_->joint_count(); ++j) {
    for (const Coordinate coordinate : model_->joints()[j].kind->coordinates) {
      const CountedAngle angle{static_cast<int>(j), coordinate};
      const auto& counted = model_->counted();
      if (!counts_turns(coordinate) || std::find(counted.begin(), counted.end(), angle) != counted.end()) { continue; }
      const std::string column = unwrapped_column(model_->joints()[j].name, coordinate);
      const auto is_given = [&](std::size_t i) { return columns_.columns[i].name == column; };
      if (std::any_of(columns_.given.begin(), columns_.given.end(), is_given)) {
        fail(Error(
            Problem{.what = fmt::format("the run is asked for {}, and the model does not count its turns", column),
                    .allowed = {},
                    .cure = "ModelBuilder::count_turns"}));
      }
    }
  }
}

void MechanismSubject::begin(std::span<double> y, LedgerState& ledger) {
  std::copy(plan_->start.begin(), plan_->start.end(), y.begin());
  std::vector<double> turns = plan_->start_turns;
  turns.resize(model_->counted().size());
  system_.set_turns(turns);
  system_.count_turns(y);
  const Energy energy = polhode::energy(*model_, y, system_.turns());
  ledger = {};
  ledger.energy_start = energy.total();
  ledger.potential_start = energy.potential;
  evaluate(*model_, 0, y, ydot_, scratch_);
  ledger.rank_at_start = ledger.least_rank = ledger.most_rank = ledger.last_rank = scratch_.loop_rank;
}

void MechanismSubject::set_discrete(std::span<const double> numbers) {
  if (numbers.size() != model_->counted().size()) {
    fail(
        Error(Problem{.what = fmt::format("the checkpoint counts the whole turns of {} angles, and the mechanism of {}",
                                          numbers.size(), model_->counted().size()),
                      .allowed = "wanted: a checkpoint of this scenario by this version",
                      .cure = "run from the start"}));
  }
  system_.set_turns(numbers);
}

void MechanismSubject::use_parameters(std::span<const double> values) {
  const bool as_planned = std::equal(values.begin(), values.end(), plan_->parameters.begin(), plan_->parameters.end());
  if (as_planned && now_ == plan_) { return; }
  const std::shared_ptr<const MechanismPlan> other = as_planned ? nullptr : plan_->with(values);
  const MechanismPlan& next = other ? *other : *plan_;
  if (!further_.empty() && next.offered_columns().size() != now_->offered_columns().size()) {
    fail(Error("the number of forces cannot jump: the run hands out what each of them does"));
  }
  now_ = &next;
  model_ = now_->model.get();
  // in place: methods hold on to the system
  system_.use(*model_);
  scratch_ = Scratch(*model_);
  scratch_.turns = system_.turns();
  least_reactions_.emplace(*model_);
  changed_ = other;
}

StepLimit<double> MechanismSubject::step_limit() const {
  if (model_->counted().empty()) { return {}; }
  const auto longest = [this](const double&, std::span<const double> y) {
    double most = 0;
    for (const CountedAngle& angle : model_->counted()) {
      const auto [first, second] = model_->ends(y, angle.joint);
      most = std::fmax(most, std::fabs(joint_coordinate(angle.coordinate, first, second).rate));
    }
    return kMostTurn / most;
  };
  return {longest, "for whole turns of joints are counted, and half a turn in a step is too much"};
}

void MechanismSubject::add(const Piece<double>& piece, LedgerState& ledger) {
  if (does_work_) { add_work(piece, ledger); }
  if (model_->counted().empty()) { return; }
  piece.unprojected(1, y_);
  system_.count_turns(y_);
}

void MechanismSubject::add_work(const Piece<double>& piece, LedgerState& ledger) {
  // Gauss' nodes and weights on (0, 1)
  constexpr double kNodes[] = {0.06943184420297371, 0.33000947820757187, 0.66999052179242813, 0.93056815579702629};
  constexpr double kWeights[] = {0.17392742256872693, 0.32607257743127307, 0.32607257743127307, 0.17392742256872693};
  const double dt = piece.t_end() - piece.t_begin();
  for (std::size_t i = 0; i < 4; ++i) {
    piece.unprojected(kNodes[i], y_);
    evaluate(*model_, piece.t_begin() + kNodes[i] * dt, y_, ydot_, scratch_);
    const Power p = power(*model_, scratch_);
    ledger.supplied += kWeights[i] * dt * p.supplied;
    ledger.dissipated += kWeights[i] * dt * p.dissipated;
  }
}

/// Where a body turns by much in a fixed step, the step is at fault, not the joints.
std::string MechanismSubject::too_fast_for_step(const Piece<double>& piece) {
  constexpr double kMuch = 1;  // rad
  if (!(plan_->step > 0)) { return {}; }
  piece.unprojected(0, y_);
  BodyId fastest = 0;
  const auto rate = [&](BodyId b) { return norm(Model::view(y_, b).w_B); };
  for (std::size_t b = 1; b < model_->body_count(); ++b) {
    if (rate(static_cast<BodyId>(b)) > rate(fastest)) { fastest = static_cast<BodyId>(b); }
  }
  const double turn = rate(fastest) * plan_->step;
  if (!(turn > kMuch)) { return {}; }
  return fmt::format(
      "at t = {:.9g} s body '{}' turns by {:.3g} rad in a step of {:g} s, which is too long; a shorter step "
      "may help",
      piece.t_begin(), model_->bodies()[at(fastest)].name, turn, plan_->step);
}

std::string MechanismSubject::objection(const Piece<double>& piece) {
  if (plan_->projection != ProjectionUse::every_step) { return {}; }  // closed joints were not asked for
  // as dense output leaves it, a state is open by the error of the step: where that is much, the projected one counts
  const double tolerance = plan_->step > 0 ? plan_->accuracy : plan_->relative_tolerance;
  const double allowed = std::fmax(kTornApart, tolerance) * model_->length();
  // what is not finite is told by the right side, which knows why
  const auto is_open = [&] { return residuals(*model_, piece.t_end(), y_, scratch_).position > allowed; };
  piece.unprojected(1, y_);
  if (!is_open()) { return {}; }
  piece.at(1, y_);
  if (!is_open()) { return {}; }
  if (std::string why = too_fast_for_step(piece); !why.empty()) { return why; }
  piece.at(1, y_);
  return fmt::format("the mechanism cannot be closed at t = {:.9g} s: {}", piece.t_end(),
                     widest_gap(*model_, piece.t_end(), y_));
}

void MechanismSubject::fill(double t, std::span<const double> y, std::span<double> row, LedgerState& ledger) {
  RowFiller filler(row);
  LedgerState& s = ledger;
  filler.put(t);
  for (std::size_t b = 0; b < model_->body_count(); ++b) {
    const BodyView body = Model::view(y, static_cast<BodyId>(b));
    filler.put(body.e_NB.e0);
    filler.put(body.e_NB.ev);
    filler.put(body.w_B);
    filler.put(body.r_N);
    filler.put(body.v_N);
    s.norm_error = std::fmax(s.norm_error, std::fabs(norm(body.e_NB) - 1));
  }
  const Residuals open = residuals(*model_, t, y, scratch_);
  evaluate(*model_, t, y, ydot_, scratch_);
  if (model_->elimination().closures.empty()) {
    reactions(*model_, y, scratch_, reactions_);
  } else {
    least_reactions_->solve(y, scratch_, reactions_);
  }
  for (std::size_t j = 0; j < model_->joint_count(); ++j) {
    const auto [first, second] = model_->ends(y, static_cast<int>(j));
    for (const Coordinate coordinate : model_->joints()[j].kind->coordinates) {
      const CoordinateValue q = joint_coordinate(coordinate, first, second);
      filler.put(q.value);
      filler.put(q.rate);
    }
    filler.put(reactions_[j].force_N);
    filler.put(reactions_[j].moment_N);
  }
  for (std::size_t b = 0; b < model_->body_count(); ++b) {
    const auto size = [&](const Pair& x) { return std::fmax(norm(x.lin), model_->length() * norm(x.ang)); };
    s.speed_scale = std::fmax(s.speed_scale, size(velocity_of(y, static_cast<BodyId>(b))));
    s.acceleration_scale =
        std::fmax(s.acceleration_scale, size(acceleration_of(*model_, scratch_, static_cast<BodyId>(b))));
  }
  const Energy energy = polhode::energy(*model_, y, system_.turns());
  const double balance = energy.total() - s.supplied + s.dissipated - s.energy_start;
  const double acceleration = acceleration_residual(*model_, t, y, scratch_);
  filler.put(energy.kinetic);
  filler.put(energy.potential);
  filler.put(balance);
  filler.put(s.supplied);
  filler.put(s.dissipated);
  filler.put(open.position);
  filler.put(open.velocity);
  filler.put(acceleration);
  for (std::size_t w = 0; w < model_->wheel_count(); ++w) {
    filler.put(model_->wheel_speed(y, w));
    filler.put(motor_torque({*model_, t, y, turns()}, w));
  }

  s.energy_scale = std::fmax(s.energy_scale, energy.kinetic + std::fabs(energy.potential - s.potential_start) +
                                                 std::fabs(s.supplied) + s.dissipated);
  s.energy_error = std::fmax(s.energy_error, std::fabs(balance));
  s.energy_terms = std::fmax(s.energy_terms, energy.terms + std::fabs(s.supplied) + s.dissipated);
  s.position_error = std::fmax(s.position_error, open.position);
  s.velocity_error = std::fmax(s.velocity_error, open.velocity);
  s.acceleration_error = std::fmax(s.acceleration_error, acceleration);
  const double rank = scratch_.loop_rank;
  if (rank != s.last_rank) { s.rank_changes += 1; }
  s.last_rank = rank;
  s.least_rank = std::fmin(s.least_rank, rank);
  s.most_rank = std::fmax(s.most_rank, rank);
  s.least_pivot = std::fmin(s.least_pivot, scratch_.least_pivot);

  if (further_.empty()) { return; }
  fill_further(further_, MechanismNow{*model_, t, y, turns(), scratch_}, row.subspan(default_count_));
}

std::string MechanismSubject::change(std::optional<std::size_t> i, double t, std::span<double> y, LedgerState& ledger,
                                     const std::function<std::string()>& set) {
  const double before = polhode::energy(*model_, y, system_.turns()).total();
  // what constraints other than joints say of the same positions before and after
  const auto values = [&] {
    std::vector<double> all;
    std::array<ConstraintRow<double>, kMostRows> rows;
    for (const ModelConstraint& constraint : model_->constraints()) {
      if (constraint.id.is_joint()) { continue; }
      model_->rows(constraint, t, y, rows.data());
      for (std::size_t r = 0; r < at(constraint.rows); ++r) { all.push_back(rows[r].value); }
    }
    return all;
  };
  const std::vector<double> before_set = values();
  const auto change = i ? now_->events[*i].change : nullptr;  // the plan may go with its parameters
  if (std::string wrong = set(); !wrong.empty()) { return wrong; }
  if (change) { change(*model_, t, y); }
  const std::vector<double> after_set = values();
  std::size_t row = 0;
  for (const ModelConstraint& constraint : model_->constraints()) {
    if (constraint.id.is_joint()) { continue; }
    const double unit =
        model_->with(constraint.id, [&](const auto& one) { return constraint::unit(one, model_->length()); });
    for (int r = 0; r < constraint.rows; ++r, ++row) {
      double jump = after_set[row] - before_set[row];
      if (unit != 1) { jump = std::remainder(jump, 2 * math::kPi<double>); }
      if (std::fabs(unit * jump) <= kTornApart * model_->length()) { continue; }
      return fmt::format(
          "at t = {:.6g} {} makes {} jump by {:.3g} {}, and no body can follow; set what changes its rate alone, such "
          "as a parameter of a driver with rate = \"...\"",
          t, i ? "event '" + plan_->events[*i].name + "'" : "a new value of a parameter",
          model_->in_words(constraint.id), std::fabs(jump), unit == 1 ? "m" : "rad");
    }
  }
  polhode::project(*model_, t, y, scratch_);
  // energy jumps, and that is no error
  ledger.energy_start += polhode::energy(*model_, y, system_.turns()).total() - before;
  return {};
}

BodyState<double> MechanismSubject::seen(double t, std::span<const double> y) const {
  const BodyView first = Model::view(y, 0);
  return {t, first.r_N, first.v_N, first.e_NB, first.w_B};
}

}  // namespace

std::unique_ptr<Subject> MechanismPlan::subject() const { return std::make_unique<MechanismSubject>(*this); }

std::vector<OfferedColumn> MechanismPlan::offered_columns() const {
  return simulation::offered_columns(mechanism_columns(*model), further_columns(*model, output.points, jacobian));
}

std::vector<std::string> MechanismPlan::column_prefixes() const {
  std::vector<std::string> prefixes;
  for (const BodyDescription& body : model->bodies()) { prefixes.push_back(body.name + "."); }
  return prefixes;
}

std::vector<Evidence> MechanismPlan::evidence(const LedgerState& ledger, std::vector<std::string>& notes) const {
  std::vector<Evidence> list;
  const auto add = [&](const char* name, double value, const char* meaning) {
    list.push_back({name, value, accuracy, meaning});
  };
  add("energy", relative_error(ledger.energy_error, ledger.energy_scale),
      "largest T + V - work supplied + work dissipated, less its start, relative to the largest energy turned over");
  list.back().bound = energy_bound(accuracy, ledger);
  add("joint positions", ledger.position_error / model->length(),
      "how far joints are open at most, relative to the length of the model");
  add("joint velocities", relative_error(ledger.velocity_error, ledger.speed_scale),
      "how fast joints open at most, relative to the largest speed");
  add("joint accelerations", relative_error(ledger.acceleration_error, ledger.acceleration_scale),
      "what is left of the joints' equations at most, relative to the largest acceleration");
  add("norm", ledger.norm_error, "largest ||e| - 1|");
  if (model->elimination().row_count > 0) {
    const int rows = model->elimination().row_count;
    const char* close = rows == 1 ? "closes" : "close";
    std::string note =
        ledger.rank_at_start == rows
            ? fmt::format("{} {} loops, and none is redundant at the start",
                          counted(static_cast<std::uint64_t>(rows), "constraint"), close)
            : fmt::format("{} {} loops; {:g} of them carry force at the start, the others are redundant",
                          counted(static_cast<std::uint64_t>(rows), "constraint"), close, ledger.rank_at_start);
    note += fmt::format(" (a pivot below {:g} of a free body's counts as zero; least one kept: {:.3g})", kRankTolerance,
                        ledger.least_pivot);
    if (ledger.rank_changes > 0) {
      note += fmt::format("; their number changed {} from row to row, between {:g} and {:g}",
                          counted(static_cast<std::uint64_t>(ledger.rank_changes), "time"), ledger.least_rank,
                          ledger.most_rank);
    }
    notes.push_back(std::move(note));
  }
  return list;
}

}  // namespace polhode::simulation
