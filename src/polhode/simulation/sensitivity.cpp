#include "polhode/simulation/sensitivity.h"

#include "polhode/core/error.h"
#include "polhode/math/pi.h"
#include "polhode/simulation/subject.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace polhode::simulation {
namespace {

// φ'(0) h = (45 (φ₁ − φ₋₁) − 9 (φ₂ − φ₋₂) + (φ₃ − φ₋₃))/60 + h⁷ φ⁽⁷⁾/140
constexpr double kFine = 3e-4;
constexpr std::array<double, 6> kFineAt{-3 * kFine, -2 * kFine, -kFine, kFine, 2 * kFine, 3 * kFine};
constexpr std::array<double, 6> kFineWeight{-1 / (60 * kFine), 9 / (60 * kFine),  -45 / (60 * kFine),
                                            45 / (60 * kFine), -9 / (60 * kFine), 1 / (60 * kFine)};
constexpr double kQuick = 1e-5;
constexpr std::array<double, 2> kQuickAt{-kQuick, kQuick};
constexpr std::array<double, 2> kQuickWeight{-1 / (2 * kQuick), 1 / (2 * kQuick)};

/// Derivatives this many times as large as the state itself are still taken at the points of the stencil.
constexpr double kMostGrowth = 30;

/// One direction, as a run carries it.
struct Varied {
  std::vector<std::unique_ptr<Subject>> subjects;  ///< by point of the stencil
  std::vector<LedgerState> ledgers;
};

/// What varies, and its scratch memory: shared by system and subject.
class Variation {
 public:
  Variation(const SensitivityPlan& plan, const Subject& nominal)
      : stencil_(plan.stencil), nominal_(&nominal), size_(nominal.system().size()) {
    for (const SensitivityDirection& direction : plan.directions) {
      Varied& varied = directions_.emplace_back();
      for (const std::shared_ptr<const Plan>& one : direction.plans) {
        varied.subjects.push_back(one->subject());
        if (varied.subjects.back()->system().size() != size_) {
          fail(Error(fmt::format("'{}' changes the number of states, and has no derivative", direction.name)));
        }
      }
      varied.ledgers.resize(varied.subjects.size());
    }
    const double length = plan.length();
    floor_ = length > 0 ? std::fmin(1, length) : 1;
    y_.resize(size_);
    f_.resize(size_);
  }

  std::size_t size() const { return size_; }
  std::size_t count() const { return directions_.size(); }
  std::vector<Varied>& directions() { return directions_; }
  const Stencil& stencil() const { return stencil_; }
  const Subject& nominal() const { return *nominal_; }
  std::span<const double> state(std::span<const double> all) const { return all.first(size_); }
  std::span<double> state(std::span<double> all) const { return all.first(size_); }
  template <class T>
  std::span<T> direction(std::span<T> all, std::size_t k) const {
    return all.subspan((k + 1) * size_, size_);
  }

  /// ∂f/∂y s + ∂f/∂p dp/dε
  void rate(std::size_t k, double t, std::span<const double> y, std::span<const double> s, std::span<double> to) const {
    const Varied& varied = directions_[k];
    std::fill(to.begin(), to.end(), 0.0);
    const double growth = size_of(s, y);
    const bool together = growth <= kMostGrowth;
    for (std::size_t j = 0; j < stencil_.at.size(); ++j) {
      move(y, s, together ? stencil_.at[j] : 0, y_);
      add(varied.subjects[j]->system(), t, stencil_.weight[j], to);
    }
    if (together) { return; }
    for (std::size_t j = 0; j < stencil_.at.size(); ++j) {
      move(y, s, stencil_.at[j] / growth, y_);
      add(nominal_->system(), t, growth * stencil_.weight[j], to);
    }
  }

  /// How large a change is against the state.
  double size_of(std::span<const double> change, std::span<const double> y) const {
    double most = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      most = std::fmax(most, std::fabs(change[i]) / std::fmax(std::fabs(y[i]), floor_));
    }
    return most;
  }

  static void move(std::span<const double> y, std::span<const double> s, double by, std::span<double> to) {
    for (std::size_t i = 0; i < y.size(); ++i) { to[i] = y[i] + by * s[i]; }
  }

 private:
  void add(const System<double>& system, double t, double weight, std::span<double> to) const {
    system.rhs(t, y_, f_);
    for (std::size_t i = 0; i < size_; ++i) { to[i] += weight * f_[i]; }
  }

  Stencil stencil_;
  const Subject* nominal_;
  std::size_t size_;
  double floor_ = 1;
  std::vector<Varied> directions_;
  mutable std::vector<double> y_, f_;
};

/// (ANA-50): y and behind it s of every direction.
class VariedSystem final : public System<double>, private Projection<double> {
 public:
  explicit VariedSystem(Variation& variation) : variation_(&variation) {}

  std::string name() const override { return base().name(); }
  std::size_t size() const override { return (variation_->count() + 1) * variation_->size(); }
  std::string entry_name(std::size_t i) const override {
    const std::string entry = base().entry_name(i % variation_->size());
    return i < variation_->size() ? entry : "a derivative of " + entry;
  }
  void rhs(const double& t, std::span<const double> y, std::span<double> ydot) const override {
    const Variation& v = *variation_;
    base().rhs(t, v.state(y), v.state(ydot));
    for (std::size_t k = 0; k < v.count(); ++k) { v.rate(k, t, v.state(y), v.direction(y, k), v.direction(ydot, k)); }
  }
  std::string trouble(const double& t, std::span<const double> y) const override {
    return base().trouble(t, variation_->state(y));
  }
  std::string absence(std::string_view capability) const override { return base().absence(capability); }
  const Projection<double>* projection() const override { return base().projection() != nullptr ? this : nullptr; }

 private:
  const System<double>& base() const { return variation_->nominal().system(); }
  void project(std::span<double> y) const override { project_at(0, y); }
  /// y and its neighbours go to their manifolds, and s is what is then between them.
  void project_at(const double& t, std::span<double> y) const override {
    Variation& v = *variation_;
    const Stencil& stencil = v.stencil();
    std::vector<double> neighbour(v.size());
    for (std::size_t k = 0; k < v.count(); ++k) {
      const std::span<double> s = v.direction(y, k);
      if (v.size_of(s, v.state(y)) > kMostGrowth) { continue; }
      std::vector<double> projected(v.size());
      for (std::size_t j = 0; j < stencil.at.size(); ++j) {
        Variation::move(v.state(y), s, stencil.at[j], neighbour);
        v.directions()[k].subjects[j]->system().projection()->project_at(t, neighbour);
        for (std::size_t i = 0; i < v.size(); ++i) { projected[i] += stencil.weight[j] * neighbour[i]; }
      }
      std::copy(projected.begin(), projected.end(), s.begin());
    }
    base().projection()->project_at(t, v.state(y));
  }

  Variation* variation_;
};

/// The first numbers of a piece.
class StatePiece final : public Piece<double> {
 public:
  StatePiece(const Piece<double>& piece, std::vector<double>& all) : piece_(&piece), all_(&all) {}
  double t_begin() const override { return piece_->t_begin(); }
  double t_end() const override { return piece_->t_end(); }
  void at(const double& theta, std::span<double> y) const override {
    piece_->at(theta, *all_);
    std::copy_n(all_->begin(), y.size(), y.begin());
  }
  void unprojected(const double& theta, std::span<double> y) const override {
    piece_->unprojected(theta, *all_);
    std::copy_n(all_->begin(), y.size(), y.begin());
  }

 private:
  const Piece<double>* piece_;
  std::vector<double>* all_;
};

class SensitivitySubject final : public Subject {
 public:
  explicit SensitivitySubject(const SensitivityPlan& plan)
      : plan_(&plan), nominal_(plan.inner->subject()), variation_(plan, *nominal_), system_(variation_) {
    if (nominal_->system().chart_switching() != nullptr) {
      fail(Error(Problem{.what = "a form in charts that are switched has no continuous derivatives",
                         .allowed = {},
                         .cure = "choose formulation = \"euler-body\" in [run]"}));
    }
    all_.resize(system_.size());
    choose_columns();
  }

  const System<double>& system() const override { return system_; }
  const Plan& now() const override { return nominal_->now(); }
  const ColumnChoice& columns() const override { return columns_; }
  void begin(std::span<double> y, LedgerState& ledger) override;
  std::vector<double> discrete() const override { return nominal_->discrete(); }
  void set_discrete(std::span<const double> numbers) override { nominal_->set_discrete(numbers); }
  void use_parameters(std::span<const double> values) override;
  const std::vector<double>& parameters() const override { return nominal_->parameters(); }
  StepLimit<double> step_limit() const override {
    StepLimit<double> limit = nominal_->step_limit();
    if (limit.longest) {
      limit.longest = [this, inner = limit.longest](const double& t, std::span<const double> y) {
        return inner(t, variation_.state(y));
      };
    }
    return limit;
  }
  void add(const Piece<double>& piece, LedgerState& ledger) override { nominal_->add(StatePiece(piece, all_), ledger); }
  std::string objection(const Piece<double>& piece) override { return nominal_->objection(StatePiece(piece, all_)); }
  void fill(double t, std::span<const double> y, std::span<double> row, LedgerState& ledger) override;

  std::size_t event_count() const override { return nominal_->event_count(); }
  const EventHead& event(std::size_t i) const override { return nominal_->event(i); }
  double event_value(std::size_t i, double t, std::span<const double> y) const override {
    return nominal_->event_value(i, t, variation_.state(y));
  }
  bool event_counts(std::size_t i, double t, std::span<const double> y) const override {
    return nominal_->event_counts(i, t, variation_.state(y));
  }
  void look_of_law(std::size_t i, double t, std::span<const double> y, std::span<double> inputs) const override {
    nominal_->look_of_law(i, t, variation_.state(y), inputs);
  }
  void look_of_event(std::size_t i, double t, std::span<const double> y, std::span<double> inputs) const override {
    nominal_->look_of_event(i, t, variation_.state(y), inputs);
  }
  std::string change(std::optional<std::size_t> i, double t, std::span<double> y, LedgerState& ledger,
                     const std::function<std::string()>& set) override;
  BodyState<double> seen(double t, std::span<const double> y) const override {
    return nominal_->seen(t, variation_.state(y));
  }
  std::vector<double> event_time_by(std::size_t i, double t, std::span<const double> y) const override {
    std::vector<double> by = time_slopes(i, t, y);
    for (std::size_t k = 0; k < by.size(); ++k) { by[k] /= plan_->directions[k].unit; }
    return by;
  }

 private:
  std::vector<double> time_slopes(std::size_t i, double t, std::span<const double> y) const;
  void choose_columns();
  void share_discrete();

  const SensitivityPlan* plan_;
  std::unique_ptr<Subject> nominal_;
  mutable Variation variation_;
  VariedSystem system_;
  ColumnChoice columns_;
  std::vector<std::size_t> differentiated_;  ///< columns of the nominal row, by index
  std::vector<bool> is_angle_;               ///< of these: may jump by a turn
  std::vector<double> all_;                  ///< scratch
  bool in_change_ = false;                   ///< change() gives every neighbour its own values
};

/// Values that events had set before a run that goes on hold for all neighbours.
void SensitivitySubject::use_parameters(std::span<const double> values) {
  nominal_->use_parameters(values);
  if (in_change_) { return; }
  for (std::size_t k = 0; k < variation_.count(); ++k) {
    for (std::size_t j = 0; j < variation_.stencil().at.size(); ++j) {
      std::vector<double> own = plan_->directions[k].plans[j]->parameters;
      for (std::size_t p = 0; p < own.size(); ++p) {
        if (values[p] != plan_->parameters[p]) { own[p] = values[p]; }
      }
      variation_.directions()[k].subjects[j]->use_parameters(own);
    }
  }
}

void SensitivitySubject::choose_columns() {
  const ColumnChoice& inner = nominal_->columns();
  columns_ = inner;
  if (columns_.given.empty()) {
    for (std::size_t i = 0; i < inner.columns.size(); ++i) { columns_.given.push_back(i); }
  }
  for (const std::size_t i : columns_.given) {
    if (!has_derivative(inner.columns[i].name)) { continue; }
    differentiated_.push_back(i);
    is_angle_.push_back(inner.columns[i].unit == "rad");
  }
  for (const SensitivityDirection& direction : plan_->directions) {
    for (const std::size_t i : differentiated_) {
      const Column& column = inner.columns[i];
      columns_.given.push_back(columns_.columns.size());
      columns_.columns.push_back({derivative_column(column.name, direction.name),
                                  fmt::format("{} per unit of {}", column.unit, direction.name),
                                  fmt::format("derivative of {} with respect to {}", column.name, direction.name)});
    }
  }
}

/// Whole turns are counted once, for all.
void SensitivitySubject::share_discrete() {
  const std::vector<double> discrete = nominal_->discrete();
  if (discrete.empty()) { return; }
  for (Varied& varied : variation_.directions()) {
    for (const std::unique_ptr<Subject>& subject : varied.subjects) { subject->set_discrete(discrete); }
  }
}

void SensitivitySubject::begin(std::span<double> y, LedgerState& ledger) {
  const Stencil& stencil = variation_.stencil();
  nominal_->begin(variation_.state(y), ledger);
  std::vector<double> neighbour(variation_.size());
  for (std::size_t k = 0; k < variation_.count(); ++k) {
    Varied& varied = variation_.directions()[k];
    const std::span<double> s = variation_.direction(y, k);
    std::fill(s.begin(), s.end(), 0.0);
    for (std::size_t j = 0; j < stencil.at.size(); ++j) {
      Subject& subject = *varied.subjects[j];
      subject.begin(neighbour, varied.ledgers[j]);
      for (std::size_t i = 0; i < s.size(); ++i) { s[i] += stencil.weight[j] * neighbour[i]; }
    }
  }
}

void SensitivitySubject::fill(double t, std::span<const double> y, std::span<double> row, LedgerState& ledger) {
  const Stencil& stencil = variation_.stencil();
  const std::size_t width = nominal_->columns().columns.size();
  nominal_->fill(t, variation_.state(y), row.first(width), ledger);
  share_discrete();
  std::vector<double> neighbour(variation_.size());
  std::vector<double> seen(width);
  std::size_t to = width;
  for (std::size_t k = 0; k < variation_.count(); ++k, to += differentiated_.size()) {
    Varied& varied = variation_.directions()[k];
    const std::span<double> slopes = row.subspan(to, differentiated_.size());
    std::fill(slopes.begin(), slopes.end(), 0.0);
    const std::span<const double> s = variation_.direction(y, k);
    // far from the start derivatives may be much larger than the state: then the points move together
    const double growth = std::fmax(1, variation_.size_of(s, variation_.state(y)) / kMostGrowth);
    const auto add = [&](Subject& subject, LedgerState& of, double at, double weight) {
      Variation::move(variation_.state(y), s, at, neighbour);
      subject.fill(t, neighbour, seen, of);
      for (std::size_t c = 0; c < slopes.size(); ++c) {
        double difference = seen[differentiated_[c]] - row[differentiated_[c]];
        if (is_angle_[c]) { difference = std::remainder(difference, 2 * math::kPi<double>); }
        slopes[c] += weight * difference;
      }
    };
    for (std::size_t j = 0; j < stencil.at.size(); ++j) {
      add(*varied.subjects[j], varied.ledgers[j], growth > 1 ? 0 : stencil.at[j], stencil.weight[j]);
    }
    for (std::size_t j = 0; growth > 1 && j < stencil.at.size(); ++j) {
      LedgerState scratch = ledger;
      add(*nominal_, scratch, stencil.at[j] / growth, growth * stencil.weight[j]);
    }
    for (double& slope : slopes) { slope /= plan_->directions[k].unit; }
  }
}

/// dt*/dε of an event, g(t*, y(t*; ε); p(ε)) = 0                                       (ANA-51)
///
///   dt*/dε = −(∂g/∂y s + ∂g/∂p dp/dε) / (∂g/∂t + ∂g/∂y f)
std::vector<double> SensitivitySubject::time_slopes(std::size_t i, double t, std::span<const double> all) const {
  const Stencil& stencil = variation_.stencil();
  const std::span<const double> y = variation_.state(all);
  std::vector<double> f(y.size());
  nominal_->system().rhs(t, y, f);
  std::vector<double> neighbour(y.size());
  // along the motion, over times in which the state changes by its own size
  const double rate = std::fmax(variation_.size_of(f, y), 1e-3);
  double gdot = 0;
  for (std::size_t j = 0; j < stencil.at.size(); ++j) {
    const double dt = stencil.at[j] / rate;
    Variation::move(y, f, dt, neighbour);
    gdot += stencil.weight[j] * rate * nominal_->event_value(i, t + dt, neighbour);
  }
  std::vector<double> by;
  for (std::size_t k = 0; k < variation_.count(); ++k) {
    double g = 0;
    const std::span<const double> s = variation_.direction(all, k);
    const double growth = std::fmax(1, variation_.size_of(s, y) / kMostGrowth);
    for (std::size_t j = 0; j < stencil.at.size(); ++j) {
      Variation::move(y, s, growth > 1 ? 0 : stencil.at[j], neighbour);
      g += stencil.weight[j] * variation_.directions()[k].subjects[j]->event_value(i, t, neighbour);
    }
    for (std::size_t j = 0; growth > 1 && j < stencil.at.size(); ++j) {
      Variation::move(y, s, stencil.at[j] / growth, neighbour);
      g += growth * stencil.weight[j] * nominal_->event_value(i, t, neighbour);
    }
    by.push_back(-g / gdot);
  }
  return by;
}

/// The jump of s where an event changes y to c(t, y; p), and f before it to f₊ behind it:
///
///   s₊ = d/dε c(t + ε τ, y + ε (s + f₋ τ); p(ε)) − f₊ τ,   τ = dt*/dε               (ANA-51)
std::string SensitivitySubject::change(std::optional<std::size_t> i, double t, std::span<double> all,
                                       LedgerState& ledger, const std::function<std::string()>& set) {
  const Stencil& stencil = variation_.stencil();
  const std::span<double> y = variation_.state(all);
  const std::size_t n = y.size();
  std::vector<double> tau(variation_.count());
  std::vector<double> f_before(n);
  const std::vector<double> values_before = nominal_->parameters();
  if (i) {
    tau = time_slopes(*i, t, all);
    nominal_->system().rhs(t, y, f_before);
    for (const double one : tau) {
      if (!std::isfinite(one)) {
        return fmt::format("event '{}' only touches its zero: its time has no derivative", nominal_->event(*i).name);
      }
    }
  }
  share_discrete();
  const std::vector<double> y_before(y.begin(), y.end());
  in_change_ = true;
  const std::string wrong_itself = nominal_->change(i, t, y, ledger, set);
  in_change_ = false;
  if (!wrong_itself.empty()) { return wrong_itself; }
  const std::vector<double>& values_after = nominal_->parameters();
  std::vector<double> f_after(n);
  nominal_->system().rhs(t, y, f_after);

  std::vector<double> neighbour(n);
  for (std::size_t k = 0; k < variation_.count(); ++k) {
    Varied& varied = variation_.directions()[k];
    const std::span<double> s = variation_.direction(all, k);
    std::vector<double> with_time(n);
    for (std::size_t e = 0; e < n; ++e) { with_time[e] = s[e] + f_before[e] * tau[k]; }
    std::vector<double> jumped(n);
    for (std::size_t j = 0; j < stencil.at.size(); ++j) {
      Subject& subject = *varied.subjects[j];
      const auto set_own = [&]() -> std::string {
        std::vector<double> values = subject.parameters();
        if (i) {
          for (const auto& [parameter, value] : subject.event(*i).set) { values[parameter] = value; }
        } else {
          for (std::size_t p = 0; p < values.size(); ++p) {
            if (values_after[p] != values_before[p]) { values[p] = values_after[p]; }
          }
        }
        try {
          subject.use_parameters(values);
        } catch (const Error& error) { return error.what(); }
        return {};
      };
      Variation::move(y_before, with_time, stencil.at[j], neighbour);
      LedgerState scratch = varied.ledgers[j];
      if (std::string wrong = subject.change(i, t + stencil.at[j] * tau[k], neighbour, scratch, set_own);
          !wrong.empty()) {
        return wrong;
      }
      for (std::size_t e = 0; e < n; ++e) { jumped[e] += stencil.weight[j] * neighbour[e]; }
    }
    for (std::size_t e = 0; e < n; ++e) { s[e] = jumped[e] - f_after[e] * tau[k]; }
  }
  return {};
}

}  // namespace

Stencil fine_stencil() { return {kFineAt, kFineWeight}; }
Stencil quick_stencil() { return {kQuickAt, kQuickWeight}; }

SensitivityPlan::SensitivityPlan(std::shared_ptr<const Plan> plan, std::vector<SensitivityDirection> along,
                                 Stencil differences)
    : Plan(*plan), inner(std::move(plan)), directions(std::move(along)), stencil(differences) {
  for (const SensitivityDirection& direction : directions) {
    POLHODE_ASSERT(direction.plans.size() == stencil.at.size());
    static_cast<void>(direction);
  }
  const MethodDescription& method = polhode::integrator<double>(integrator).description();
  if (method.needs.empty() && !method.holds_constraints) { return; }
  integrator = "dop853";
  step = 0;
  relative_tolerance = std::fmin(relative_tolerance, 1e-10);
  absolute_tolerance = std::fmin(absolute_tolerance, 1e-10);
  projection = inner->usual_projection();
}

std::unique_ptr<Subject> SensitivityPlan::subject() const { return std::make_unique<SensitivitySubject>(*this); }

std::string derivative_column(std::string_view column, std::string_view parameter) {
  return fmt::format("{}_by_{}", column, parameter);
}

bool has_derivative(std::string_view column) {
  constexpr std::string_view kErrorsAndSums[] = {"balance", "norm_error", "work_", "residual_"};
  return column != "t_s" && std::none_of(std::begin(kErrorsAndSums), std::end(kErrorsAndSums),
                                         [&](auto part) { return column.find(part) != std::string_view::npos; });
}

}  // namespace polhode::simulation
