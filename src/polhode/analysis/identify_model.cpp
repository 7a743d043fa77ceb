#include "polhode/analysis/identify_model.h"

#include "polhode/catalog/varied.h"
#include "polhode/core/error.h"
#include "polhode/math/dual.h"
#include "polhode/math/matrix.h"
#include "polhode/math/pi.h"
#include "polhode/rotation/euler_parameters.h"
#include "polhode/rotation/rotation_matrix.h"
#include "polhode/simulation/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <map>
#include <set>
#include <thread>

namespace polhode::analysis {
namespace {

// ---- sensors --------------------------------------------------------------------------------------------------------

/// "tip.ax_space_m_s2": what stands before the name, the symbol with its axis, and what stands behind.
struct ColumnParts {
  std::string prefix;  ///< "tip."
  std::string symbol;  ///< "ax"
  std::string rest;    ///< "_space_m_s2"
};
ColumnParts parts_of_column(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  const std::size_t begin = dot == std::string::npos ? 0 : dot + 1;
  const std::size_t end = std::min(name.find('_', begin), name.size());
  return {name.substr(0, begin), name.substr(begin, end - begin), name.substr(end)};
}

/// Units that an instrument measures, by the end of a column's name; and Euler parameters.
bool is_measurable(const std::string& column) {
  const ColumnParts parts = parts_of_column(column);
  if (parts.rest.empty()) { return parts.symbol.size() == 2 && parts.symbol[0] == 'e'; }
  for (const char* unit : {"_rad", "_rad_s", "_rad_s2", "_m", "_m_s", "_m_s2"}) {
    if (parts.rest.ends_with(unit)) { return !column.starts_with("residual"); }
  }
  return false;
}

// ---- inertia --------------------------------------------------------------------------------------------------------

using Six = std::array<double, 6>;

/// Σ of J, and J of Σ is the same with tr Σ = ½ tr J.
Six second_moments(const Six& J) {
  const double half = (J[0] + J[1] + J[2]) / 2;
  return {half - J[0], half - J[1], half - J[2], -J[3], -J[4], -J[5]};
}

Mat3<double> matrix_of(const Six& a) {
  Mat3<double> m;
  for (std::size_t i = 0; i < 3; ++i) { m(i, i) = a[i]; }
  m(0, 1) = m(1, 0) = a[3];
  m(0, 2) = m(2, 0) = a[4];
  m(1, 2) = m(2, 1) = a[5];
  return m;
}

[[noreturn]] void fail_at_unknown_sensor(const std::vector<Sensor>& sensors, const std::string& name) {
  std::vector<std::string_view> known;
  for (const Sensor& one : sensors) { known.push_back(one.name); }
  fail(Error(unknown_name("sensor", name, known)));
}
std::size_t sensor_index(const std::vector<Sensor>& sensors, const std::string& name) {
  for (std::size_t i = 0; i < sensors.size(); ++i) {
    if (sensors[i].name == name) { return i; }
  }
  fail_at_unknown_sensor(sensors, name);
}

std::size_t log_column(const MeasuredLog& log, const std::string& name) {
  const auto found = std::find(log.columns.begin(), log.columns.end(), name);
  if (found == log.columns.end()) {
    fail(Error(unknown_name("column of the log", name, {log.columns.begin(), log.columns.end()})));
  }
  return static_cast<std::size_t>(found - log.columns.begin());
}

bool has_column(const MeasuredLog& log, const std::string& name) {
  return std::find(log.columns.begin(), log.columns.end(), name) != log.columns.end();
}

/// Keeps the rows of a run.
class RowKeeper final : public simulation::Sink {
 public:
  bool row(std::span<const double> row) override {
    rows.emplace_back(row.begin(), row.end());
    return true;
  }
  bool event(const simulation::EventOccurrence&) override { return true; }
  bool go_on() override { return !keep_going || keep_going(); }
  bool checkpoint(const simulation::Snapshot&) override { return true; }

  std::vector<std::vector<double>> rows;
  std::function<bool()> keep_going;
};

}  // namespace

std::vector<Sensor> sensors_of(const MeasuredLog& log, const std::vector<std::string>& measured) {
  std::vector<Sensor> sensors;
  std::set<std::string> taken;
  const auto is_wanted = [&](const std::string& name) {
    return std::find(measured.begin(), measured.end(), name) != measured.end();
  };
  for (const std::string& name : measured) {
    if (taken.contains(name)) { continue; }
    Sensor sensor;
    const ColumnParts parts = parts_of_column(name);
    const auto take = [&](Sensor::Kind kind, const std::string& called, const std::vector<std::string>& names) {
      if (!std::all_of(names.begin(), names.end(), is_wanted)) { return false; }
      sensor.kind = kind;
      sensor.name = called;
      sensor.names = names;
      return true;
    };
    const bool of_attitude = parts.rest.empty() && parts.symbol.size() == 2 && parts.symbol[0] == 'e' &&
                             take(Sensor::Kind::attitude, parts.prefix + "e",
                                  {parts.prefix + "e0", parts.prefix + "e1", parts.prefix + "e2", parts.prefix + "e3"});
    const std::string stem =
        parts.symbol.substr(0, parts.symbol.size() - std::min<std::size_t>(1, parts.symbol.size()));
    const bool of_vector = !of_attitude && !stem.empty() && parts.symbol.find_last_of("xyz") == stem.size() &&
                           take(Sensor::Kind::vector, parts.prefix + stem + parts.rest,
                                {parts.prefix + stem + "x" + parts.rest, parts.prefix + stem + "y" + parts.rest,
                                 parts.prefix + stem + "z" + parts.rest});
    if (!of_attitude && !of_vector) {
      if (parts.rest.empty() && parts.symbol.size() == 2 && parts.symbol[0] == 'e') {
        fail(Error(fmt::format("'{}' is a part of an attitude: all of e0 to e3 are measured, or none", name)));
      }
      sensor.name = name;
      sensor.names = {name};
      sensor.is_angle = name.ends_with("_rad") && !name.ends_with("_unwrapped_rad");
    }
    for (const std::string& one : sensor.names) {
      taken.insert(one);
      sensor.columns.push_back(log_column(log, one));
    }
    double most = 0;
    for (const Recording& recording : log.recordings) {
      for (std::size_t i = 0; i < recording.t.size(); ++i) {
        for (const std::size_t column : sensor.columns) {
          most = std::fmax(most, std::fabs(log.row(recording, i)[column]));
        }
      }
    }
    sensor.size = most > 0 ? most : 1;
    sensors.push_back(std::move(sensor));
  }
  return sensors;
}

std::vector<double> inertia_from(std::span<const double> theta) {
  Mat3<double> L;
  for (std::size_t i = 0; i < 3; ++i) { L(i, i) = std::exp(theta[i]); }
  if (theta.size() == 6) {
    L(1, 0) = theta[3];
    L(2, 0) = theta[4];
    L(2, 1) = theta[5];
  }
  const Mat3<double> sigma = L * transpose(L);
  const Mat3<double> J = trace(sigma) * identity<double, 3>() - sigma;
  if (theta.size() == 3) { return {J(0, 0), J(1, 1), J(2, 2)}; }
  return {J(0, 0), J(1, 1), J(2, 2), J(0, 1), J(0, 2), J(1, 2)};
}

std::vector<double> coordinates_of_inertia(std::span<const double> inertia) {
  Six J{};
  std::copy(inertia.begin(), inertia.end(), J.begin());
  const Mat3<double> sigma = matrix_of(second_moments(J));
  const double size = J[0] + J[1] + J[2];
  constexpr double kEdge = 1e-4;  // of the size
  Mat3<double> L;
  for (std::size_t c = 0; c < 3; ++c) {
    double left = sigma(c, c);
    for (std::size_t k = 0; k < c; ++k) { left -= L(c, k) * L(c, k); }
    if (!(left > -1e-9 * size)) {
      fail(Error(Problem{
          .what = fmt::format("no body has the inertia {:g} that the fit starts from", fmt::join(inertia, ", ")),
          .allowed = "wanted: positive moments, none above the sum of the other two",
          .cure = {}}));
    }
    L(c, c) = std::sqrt(std::fmax(left, kEdge * size));
    for (std::size_t r = c + 1; r < 3; ++r) {
      double sum = sigma(r, c);
      for (std::size_t k = 0; k < c; ++k) { sum -= L(r, k) * L(c, k); }
      L(r, c) = sum / L(c, c);
    }
  }
  std::vector<double> theta{std::log(L(0, 0)), std::log(L(1, 1)), std::log(L(2, 2))};
  if (inertia.size() == 6) { theta.insert(theta.end(), {L(1, 0), L(2, 0), L(2, 1)}); }
  return theta;
}

// ---- the question ---------------------------------------------------------------------------------------------------

IdentifyModel::IdentifyModel(const Scenario& scenario, const MeasuredLog& log, const IdentifyOptions& options)
    : log_(&log), options_(&options) {
  Scenario with_rows = scenario;
  for (const Recording& recording : log.recordings) {
    const double span = recording.t.back() - recording.t.front();
    interval_.push_back(recording.t.size() > 1 ? span / static_cast<double>(recording.t.size() - 1) : 0);
  }
  if (options.unknown_start) { add_start(with_rows); }
  // all columns that a run could have, to see which of the log they are
  if (!with_rows.output) { with_rows.output.emplace(); }
  with_rows.output->times.clear();
  with_rows.output->columns = {"*"};
  with_rows.output->extra.clear();
  compiled_.emplace(with_rows, options.folder, options.laws, options.meshes);
  choose_sensors(options);
  with_rows.output->columns.clear();
  for (const Sensor& sensor : sensors_) {
    with_rows.output->columns.insert(with_rows.output->columns.end(), sensor.names.begin(), sensor.names.end());
  }
  compiled_.emplace(with_rows, options.folder, options.laws, options.meshes);
  choose_unknowns(with_rows);
}

/// Attitude, rate, position and velocity of one body at its start as parameters: a small turn a after a reference e,
///
///   e_NB = e ∘ (1; a/2)/√(1 + a²/4)
void IdentifyModel::add_start(Scenario& scenario) {
  if (scenario.is_mechanism() || !scenario.body) {
    fail(Error(Problem{.what = "--unknown-start knows what the start of one body is, and this is a mechanism",
                       .allowed = {},
                       .cure = "make what is unknown of its start parameters, and name them with --own"}));
  }
  const catalog::OneBodyScenario now =
      catalog::CompiledScenario(scenario, options_->folder, options_->laws, options_->meshes)
          .one_body(options_->parameters);
  const BodyState<double>& start = now.plan.start;
  const std::size_t count = log_->recordings.size();
  if (!scenario.initial) { scenario.initial.emplace(); }
  scenario::Initial& initial = *scenario.initial;

  const auto first = [&](std::size_t recording, const std::string& column, double otherwise) {
    if (!has_column(*log_, column)) { return otherwise; }
    return log_->row(log_->recordings[recording], 0)[log_column(*log_, column)];
  };
  const auto add = [&](std::vector<OwnUnknown>& to, const std::string& name, const std::string& column,
                       double otherwise, double unit) {
    if (scenario.parameters.contains(name)) {
      fail(Error(fmt::format("the scenario has a parameter '{}', which --unknown-start wants to add", name)));
    }
    scenario.parameters[name] = otherwise;
    OwnUnknown one{name, unit, {}};
    for (std::size_t r = 0; r < count; ++r) { one.start.push_back(first(r, column, otherwise)); }
    to.push_back(std::move(one));
    return Number(name);
  };
  const auto vector = [&](const std::string& symbol, const std::string& rest, const Vec3<double>& otherwise) {
    NumberVector numbers;
    const double unit = norm(otherwise) > 0 ? norm(otherwise) : 1;
    const char axes[] = {'x', 'y', 'z'};
    for (std::size_t i = 0; i < 3; ++i) {
      numbers[i] = add(own_, fmt::format("start_{}{}", symbol, axes[i]), fmt::format("{}{}{}", symbol, axes[i], rest),
                       otherwise[i], unit);
    }
    return numbers;
  };
  initial.rate = {};
  initial.rate.w_body = vector("w", "_body_rad_s", start.w_B);
  static_cast<void>(vector("a", "", Vec3<double>{}));
  const double e[] = {start.e_NB.e0, start.e_NB.ev.x, start.e_NB.ev.y, start.e_NB.ev.z};
  for (std::size_t i = 0; i < 4; ++i) { add(fixed_, fmt::format("start_e{}", i), fmt::format("e{}", i), e[i], 1); }
  for (std::size_t r = 0; r < count; ++r) {
    double size = 0;
    for (const OwnUnknown& one : fixed_) { size += one.start[r] * one.start[r]; }
    for (OwnUnknown& one : fixed_) { one.start[r] /= std::sqrt(size); }
  }
  const std::string over = "/sqrt(1 + (start_ax^2 + start_ay^2 + start_az^2)/4)";
  initial.attitude = {};
  initial.attitude.quaternion_wxyz = {
      "(start_e0 - (start_e1*start_ax + start_e2*start_ay + start_e3*start_az)/2)" + over,
      "(start_e1 + (start_e0*start_ax + start_e2*start_az - start_e3*start_ay)/2)" + over,
      "(start_e2 + (start_e0*start_ay + start_e3*start_ax - start_e1*start_az)/2)" + over,
      "(start_e3 + (start_e0*start_az + start_e1*start_ay - start_e2*start_ax)/2)" + over};
  if (!now.plan.body.mass) { return; }
  initial.position = vector("r", "_space_m", start.r_N);
  initial.velocity = vector("v", "_space_m_s", start.v_N);
}

void IdentifyModel::choose_sensors(const IdentifyOptions& options) {
  const std::shared_ptr<const simulation::Plan> plan = catalog::plan_of(*compiled_, options.parameters);
  std::vector<std::string> offered;
  for (const simulation::OfferedColumn& column : plan->offered_columns()) { offered.push_back(column.name); }
  const auto is_offered = [&](const std::string& name) {
    return std::find(offered.begin(), offered.end(), name) != offered.end();
  };
  std::vector<std::string> measured = options.measured;
  for (const std::string& name : measured) {
    static_cast<void>(log_column(*log_, name));
    if (!is_offered(name)) { fail(Error(unknown_name("column of a run", name, {offered.begin(), offered.end()}))); }
  }
  if (measured.empty()) {
    std::vector<std::string> left;
    for (const std::string& name : log_->columns) {
      (is_offered(name) && is_measurable(name) ? measured : left).push_back(name);
    }
    if (measured.empty()) {
      fail(Error(Problem{.what = "no column of the log is one of a run of this scenario that can be measured",
                         .allowed = fmt::format("the log has: {}", fmt::join(log_->columns, ", ")),
                         .cure = "name its columns as those of results (docs/formats.md)"}));
    }
    if (!left.empty()) { notes_.push_back(fmt::format("not looked at in the log: {}", fmt::join(left, ", "))); }
  }
  sensors_ = sensors_of(*log_, measured);
  for (const auto& [name, most] : options.time_offset) {
    Sensor& sensor = sensors_[sensor_index(sensors_, name)];
    if (!(most > 0)) { fail(Error(fmt::format("--time-offset {}: wanted is the most that it may be, s", name))); }
    sensor.is_late = true;
    sensor.most_late = most;
  }
  noise.assign(sensors_.size(), 0);
  for (const auto& [name, sigma] : options.noise) {
    const std::size_t sensor = sensor_index(sensors_, name);
    if (!(sigma > 0)) { fail(Error(fmt::format("--noise {}: wanted is a standard deviation above 0", name))); }
    noise[sensor] = sigma;
  }
}

void IdentifyModel::choose_unknowns(const Scenario& scenario) {
  const std::shared_ptr<const simulation::Plan> plan = catalog::plan_of(*compiled_, options_->parameters);
  const auto size = [](double value) { return value != 0 ? std::fabs(value) : 1; };
  std::set<std::string> taken;
  const auto take = [&](const std::string& name) {
    const double value = catalog::value_of_parameter(*compiled_, *plan, name);
    if (!taken.insert(name).second) { fail(Error(fmt::format("'{}' is unknown twice", name))); }
    return value;
  };
  for (const std::string& name : options_->unknown) {
    const double value = take(name);
    shared_.push_back(
        {.kind = SharedUnknown::Kind::parameter, .name = name, .parameter = name, .start = value, .unit = size(value)});
  }
  for (std::size_t g = 0; g < options_->inertias.size(); ++g) {
    const std::vector<std::string>& group = options_->inertias[g];
    if (group.size() != 3 && group.size() != 6) {
      fail(Error(Problem{.what = fmt::format("--inertia {}: {} parameters", fmt::join(group, ","), group.size()),
                         .allowed = "wanted: three principal moments, or J11, J22, J33, J12, J13, J23 of a matrix",
                         .cure = {}}));
    }
    std::vector<double> J;
    for (const std::string& name : group) { J.push_back(take(name)); }
    const std::vector<double> theta = coordinates_of_inertia(J);
    const double length = std::sqrt(J[0] + J[1] + J[2]);
    for (std::size_t i = 0; i < group.size(); ++i) {
      shared_.push_back({.kind = SharedUnknown::Kind::inertia,
                         .name = group[i],
                         .parameter = group[i],
                         .group = g,
                         .index = i,
                         .start = J[i],
                         .unit = i < 3 ? 1 : length});
    }
  }
  const auto of_sensors = [&](const std::vector<std::string>& names, SharedUnknown::Kind kind, const char* word) {
    for (const std::string& name : names) {
      const std::size_t s = sensor_index(sensors_, name);
      const Sensor& sensor = sensors_[s];
      if (sensor.kind == Sensor::Kind::attitude ||
          (kind == SharedUnknown::Kind::misalignment && sensor.kind != Sensor::Kind::vector)) {
        fail(Error(fmt::format("sensor '{}' has no {}: it is no {}", name, word,
                               kind == SharedUnknown::Kind::misalignment ? "vector" : "number")));
      }
      for (std::size_t i = 0; i < sensor.columns.size(); ++i) {
        const bool turns = kind == SharedUnknown::Kind::misalignment;
        const std::string called =
            turns ? fmt::format("misalignment of {} about {}", name, std::string("xyz").substr(i, 1))
                  : fmt::format("{} of {}", word, sensor.names[i]);
        shared_.push_back({.kind = kind,
                           .name = called,
                           .parameter = {},
                           .index = i,
                           .sensor = s,
                           .unit = kind == SharedUnknown::Kind::bias ? sensor.size : 1});
      }
    }
  };
  of_sensors(options_->bias, SharedUnknown::Kind::bias, "bias");
  of_sensors(options_->scale, SharedUnknown::Kind::scale, "scale error");
  of_sensors(options_->misalignment, SharedUnknown::Kind::misalignment, "misalignment");
  for (std::size_t s = 0; s < sensors_.size(); ++s) {
    if (!sensors_[s].is_late) { continue; }
    shared_.push_back({.kind = SharedUnknown::Kind::time_offset,
                       .name = "time offset of " + sensors_[s].name,
                       .parameter = {},
                       .sensor = s,
                       .unit = sensors_[s].most_late});
  }

  for (const std::string& text : options_->own) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const double value = take(name);
    OwnUnknown one{name, size(value), {}};
    for (const Recording& recording : log_->recordings) {
      one.start.push_back(
          equals == std::string::npos ? value : log_->row(recording, 0)[log_column(*log_, text.substr(equals + 1))]);
    }
    own_.push_back(std::move(one));
  }
  for (const auto& [name, value] : options_->parameters) {
    if (taken.contains(name)) { continue; }  // --set says where it starts
  }
  if (shared_.empty() && own_.empty()) {
    fail(Error(Problem{.what = "nothing is unknown",
                       .allowed = fmt::format("parameters of the scenario: {}",
                                              [&] {
                                                std::string names;
                                                for (const auto& [name, number] : scenario.parameters) {
                                                  names += (names.empty() ? "" : ", ") + name;
                                                }
                                                return names.empty() ? std::string("none") : names;
                                              }()),
                       .cure = "name some with --unknown"}));
  }
}

FitPoint IdentifyModel::start() const {
  FitPoint point;
  point.shared.assign(shared_.size(), 0);
  for (std::size_t k = 0; k < shared_.size(); ++k) {
    const SharedUnknown& one = shared_[k];
    if (one.kind == SharedUnknown::Kind::parameter) { point.shared[k] = one.start; }
    if (one.kind == SharedUnknown::Kind::inertia && one.index == 0) {
      std::vector<double> J;
      for (std::size_t i = 0; i < options_->inertias[one.group].size(); ++i) { J.push_back(shared_[k + i].start); }
      const std::vector<double> theta = coordinates_of_inertia(J);
      for (std::size_t i = 0; i < theta.size(); ++i) { point.shared[k + i] = theta[i]; }
    }
  }
  for (std::size_t r = 0; r < log_->recordings.size(); ++r) {
    std::vector<double> own(own_.size());
    for (std::size_t k = 0; k < own_.size(); ++k) { own[k] = own_[k].start[r]; }
    point.own.push_back(own);
  }
  return point;
}

std::vector<double> IdentifyModel::shared_scale() const {
  std::vector<double> scale(shared_.size());
  for (std::size_t k = 0; k < shared_.size(); ++k) { scale[k] = shared_[k].unit; }
  return scale;
}
std::vector<double> IdentifyModel::own_scale() const {
  std::vector<double> scale(own_.size());
  for (std::size_t k = 0; k < own_.size(); ++k) { scale[k] = own_[k].unit; }
  return scale;
}

std::vector<std::string> IdentifyModel::drop_own_without_effect(const std::vector<RecordingRows>& rows) {
  std::vector<double> effects(own_.size());
  for (const RecordingRows& one : rows) {
    for (std::size_t k = 0; k < own_.size(); ++k) {
      double sum = 0;
      for (std::size_t i = 0; i < one.by_own.rows; ++i) { sum += one.by_own(i, k) * one.by_own(i, k); }
      effects[k] = std::fmax(effects[k], own_[k].unit * std::sqrt(sum));
    }
  }
  const double most = effects.empty() ? 0 : *std::max_element(effects.begin(), effects.end());
  std::vector<std::string> dropped;
  for (std::size_t k = own_.size(); k-- > 0;) {
    if (effects[k] > 1e-9 * most) { continue; }
    dropped.insert(dropped.begin(), own_[k].parameter);
    fixed_.push_back(own_[k]);
    own_.erase(own_.begin() + static_cast<std::ptrdiff_t>(k));
  }
  return dropped;
}

// ---- predictions ----------------------------------------------------------------------------------------------------

std::vector<double> IdentifyModel::values(const std::vector<double>& shared) const {
  std::vector<double> result = shared;
  for (std::size_t k = 0; k < shared_.size(); ++k) {
    if (shared_[k].kind != SharedUnknown::Kind::inertia || shared_[k].index != 0) { continue; }
    const std::size_t count = options_->inertias[shared_[k].group].size();
    const std::vector<double> J = inertia_from({shared.data() + k, count});
    for (std::size_t i = 0; i < count; ++i) { result[k + i] = J[i]; }
  }
  return result;
}

DenseMatrix IdentifyModel::values_by_shared(const std::vector<double>& shared) const {
  DenseMatrix by(shared.size(), shared.size());
  for (std::size_t k = 0; k < shared.size(); ++k) { by(k, k) = 1; }
  for (std::size_t k = 0; k < shared_.size(); ++k) {
    if (shared_[k].kind != SharedUnknown::Kind::inertia) { continue; }
    // central differences of a smooth map of exponentials and squares
    const double h = 1e-5 * shared_[k].unit;
    std::vector<double> there = shared;
    there[k] += h;
    const std::vector<double> up = values(there);
    there[k] -= 2 * h;
    const std::vector<double> down = values(there);
    for (std::size_t i = 0; i < up.size(); ++i) { by(i, k) = (up[i] - down[i]) / (2 * h); }
  }
  return by;
}

catalog::ParameterValues IdentifyModel::values_at(std::size_t recording, const std::vector<double>& shared,
                                                  const std::vector<double>& own) const {
  catalog::ParameterValues result = options_->parameters;
  const std::vector<double> known = values(shared);
  for (std::size_t k = 0; k < shared_.size(); ++k) {
    if (!shared_[k].of_sensor()) { result[shared_[k].parameter] = known[k]; }
  }
  for (std::size_t k = 0; k < own_.size(); ++k) { result[own_[k].parameter] = own[k]; }
  for (const OwnUnknown& one : fixed_) { result[one.parameter] = one.start[recording]; }
  return result;
}

double IdentifyModel::time_of(std::size_t recording, std::size_t sample) const {
  const std::vector<double>& t = log_->recordings[recording].t;
  return options_->unknown_start ? t[sample] - t.front() : t[sample];
}

double IdentifyModel::offset_of(std::size_t sensor, const std::vector<double>& shared) const {
  for (std::size_t k = 0; k < shared_.size(); ++k) {
    if (shared_[k].kind == SharedUnknown::Kind::time_offset && shared_[k].sensor == sensor) { return shared[k]; }
  }
  return 0;
}

/// Samples near the start are not there at every time offset.
bool IdentifyModel::is_used(const Sensor& sensor, std::size_t recording, std::size_t sample) const {
  if (!sensor.is_late) { return true; }
  return time_of(recording, sample) >= 1.01 * sensor.most_late;
}

namespace {

/// Part of the mean interval between samples over which predictions are differenced in time.
constexpr double kTimeStep = 1e-3;

}  // namespace

/// Rows of the run: where samples are, those of a sensor that is late a little before and behind.
std::vector<double> IdentifyModel::times_of(std::size_t recording, const std::vector<double>& shared) const {
  std::set<double> times;
  for (std::size_t s = 0; s < sensors_.size(); ++s) {
    for (std::size_t i = 0; i < log_->recordings[recording].t.size(); ++i) {
      if (!is_used(sensors_[s], recording, i)) { continue; }
      const double t = time_of(recording, i) - offset_of(s, shared);
      times.insert(t);
      if (!sensors_[s].is_late) { continue; }
      times.insert(t - kTimeStep * interval_[recording]);
      times.insert(t + kTimeStep * interval_[recording]);
    }
  }
  return {times.begin(), times.end()};
}

/// What a run of a recording shows.
struct IdentifyModel::Table {
  std::vector<double> t;
  std::map<std::string, std::size_t> columns;
  std::vector<std::vector<double>> rows;
  std::string trouble;

  const std::vector<double>& row_at(double when) const {
    return rows[static_cast<std::size_t>(std::lower_bound(t.begin(), t.end(), when) - t.begin())];
  }
};

IdentifyModel::Table IdentifyModel::predicted(std::size_t recording, const FitPoint& point) const {
  Table table;
  table.t = times_of(recording, point.shared);
  for (std::size_t s = 0; s < sensors_.size(); ++s) {
    if (std::fabs(offset_of(s, point.shared)) > sensors_[s].most_late) {
      table.trouble = fmt::format("the time offset of '{}' is beyond what it may be", sensors_[s].name);
      return table;
    }
  }
  if (table.t.empty()) { return table; }
  if (table.t.front() < 0) {
    table.trouble = fmt::format("{} begins at t = {:g} s, before the scenario does", log_->recordings[recording].name,
                                table.t.front());
    return table;
  }
  const std::vector<double>& own = point.own[recording];
  try {
    const auto edit = [&](simulation::Plan& plan) {
      plan.output.times = table.t;
      plan.duration = std::fmax(table.t.back(), 1e-9);
      plan.output_interval = plan.duration;
      plan.rows_per_checkpoint = table.t.size() + 1;
    };
    std::shared_ptr<simulation::Plan> plan = catalog::plan_of(*compiled_, values_at(recording, point.shared, own));
    edit(*plan);
    std::vector<simulation::SensitivityDirection> directions;
    const auto along_shared = [&](std::size_t k) {
      return [&, k](double by) {
        std::vector<double> there = point.shared;
        there[k] += by;
        return values_at(recording, there, own);
      };
    };
    const auto along_own = [&](std::size_t k) {
      return [&, k](double by) {
        std::vector<double> there = own;
        there[k] += by;
        return values_at(recording, point.shared, there);
      };
    };
    const simulation::Stencil stencil = simulation::quick_stencil();
    for (std::size_t k = 0; k < shared_.size(); ++k) {
      if (shared_[k].of_sensor()) { continue; }
      directions.push_back(catalog::direction_along(*compiled_, shared_[k].parameter, shared_[k].unit,
                                                    1e-6 * shared_[k].unit, along_shared(k), stencil, edit));
    }
    for (std::size_t k = 0; k < own_.size(); ++k) {
      directions.push_back(catalog::direction_along(*compiled_, own_[k].parameter, own_[k].unit, 1e-6 * own_[k].unit,
                                                    along_own(k), stencil, edit));
    }
    const simulation::SensitivityPlan whole(std::move(plan), std::move(directions), stencil);
    simulation::Simulation simulation(whole);
    RowKeeper keeper;
    keeper.keep_going = options_->keep_going;
    keeper.rows.reserve(table.t.size());
    const simulation::Outcome outcome = simulation.run(keeper);
    if (keeper.rows.size() < table.t.size()) {
      table.trouble = fmt::format("the run of {} ends at t = {:.6g} s{}{}", log_->recordings[recording].name, outcome.t,
                                  outcome.message.empty() ? "" : ": ", outcome.message);
      return table;
    }
    table.rows = std::move(keeper.rows);
    for (const simulation::Column& column : simulation.columns()) {
      table.columns.emplace(column.name, table.columns.size());
    }
  } catch (const Error& error) { table.trouble = error.what(); }
  return table;
}

namespace {

/// Where the columns of a sensor and their derivatives stand in a row of a run.
struct Places {
  std::vector<std::size_t> value;
  std::vector<std::vector<std::size_t>> by;  ///< by direction
};

/// R(μ) c and its derivatives by μ, R from body to sensor.
struct Turned {
  Vec3<double> value;
  std::array<Vec3<double>, 3> by{};
};
Turned turned(const Vec3<double>& mu, const Vec3<double>& c) {
  using D = DualPack<double, 3>;
  Vec3<D> x;
  for (std::size_t i = 0; i < 3; ++i) {
    x[i] = D(mu[i]);
    x[i].derivative[i] = 1;
  }
  const Vec3<D> there = rotate(exp(x), Vec3<D>{D(c.x), D(c.y), D(c.z)});
  Turned result;
  for (std::size_t i = 0; i < 3; ++i) {
    result.value[i] = there[i].value;
    for (std::size_t k = 0; k < 3; ++k) { result.by[k][i] = there[i].derivative[k]; }
  }
  return result;
}

EulerParameters<double> quaternion_of(std::span<const double> row, const std::vector<std::size_t>& columns) {
  return {row[columns[0]], {row[columns[1]], row[columns[2]], row[columns[3]]}};
}

}  // namespace

RecordingRows IdentifyModel::rows_of(std::size_t recording, const FitPoint& point, std::string& trouble) const {
  RecordingRows rows;
  const Table table = predicted(recording, point);
  if (!table.trouble.empty()) {
    trouble = table.trouble;
    rows.possible = false;
    return rows;
  }
  const std::size_t shared_count = shared_.size();
  std::size_t count = 0;
  const std::size_t samples = log_->recordings[recording].t.size();
  for (const Sensor& sensor : sensors_) {
    for (std::size_t i = 0; i < samples; ++i) { count += is_used(sensor, recording, i) ? sensor.residuals() : 0; }
  }
  rows.residuals.assign(count, 0);
  rows.by_shared = DenseMatrix(count, shared_count);
  rows.by_own = DenseMatrix(count, own_.size());

  // directions: shared parameters, then own ones
  std::vector<Places> places(sensors_.size());
  std::vector<std::pair<bool, std::size_t>> directions;
  for (std::size_t k = 0; k < shared_count; ++k) {
    if (!shared_[k].of_sensor()) { directions.emplace_back(true, k); }
  }
  for (std::size_t k = 0; k < own_.size(); ++k) { directions.emplace_back(false, k); }
  for (std::size_t s = 0; s < sensors_.size(); ++s) {
    for (const std::string& name : sensors_[s].names) { places[s].value.push_back(table.columns.at(name)); }
    for (const auto& [of_shared, k] : directions) {
      std::vector<std::size_t>& by = places[s].by.emplace_back();
      const std::string& parameter = of_shared ? shared_[k].parameter : own_[k].parameter;
      for (const std::string& name : sensors_[s].names) {
        by.push_back(table.columns.at(simulation::derivative_column(name, parameter)));
      }
    }
  }
  /// By sensor, its unknowns as they are.
  struct Errors {
    std::array<double, 3> bias{}, scale{};
    Vec3<double> turn{};
    std::optional<std::size_t> offset{};
    double late = 0;
  };
  std::vector<Errors> errors(sensors_.size());
  for (std::size_t k = 0; k < shared_count; ++k) {
    const SharedUnknown& one = shared_[k];
    Errors& of = errors[one.sensor];
    const double value = point.shared[k];
    if (one.kind == SharedUnknown::Kind::bias) { of.bias[one.index] = value; }
    if (one.kind == SharedUnknown::Kind::scale) { of.scale[one.index] = value; }
    if (one.kind == SharedUnknown::Kind::misalignment) { of.turn[one.index] = value; }
    if (one.kind == SharedUnknown::Kind::time_offset) {
      of.offset = k;
      of.late = value;
    }
  }

  std::size_t to = 0;
  for (std::size_t i = 0; i < samples; ++i) {
    const std::span<const double> measured = log_->row(log_->recordings[recording], i);
    for (std::size_t s = 0; s < sensors_.size(); ++s) {
      const Sensor& sensor = sensors_[s];
      if (!is_used(sensor, recording, i)) { continue; }
      const Errors& error = errors[s];
      const double t = time_of(recording, i) - error.late;
      const std::vector<double>& row = table.row_at(t);
      const double over_noise = 1 / noise[s];
      // by time: late by more is to show what was earlier
      const double h = kTimeStep * interval_[recording];
      const std::vector<double>* earlier = error.offset ? &table.row_at(t - h) : nullptr;
      const std::vector<double>* later = error.offset ? &table.row_at(t + h) : nullptr;
      const auto by_lateness = [&](std::size_t place) { return ((*earlier)[place] - (*later)[place]) / (2 * h); };

      if (sensor.kind == Sensor::Kind::attitude) {
        EulerParameters<double> seen = quaternion_of(measured, sensor.columns);
        seen = (1 / norm(seen)) * seen;
        const EulerParameters<double> now = quaternion_of(row, places[s].value);
        const EulerParameters<double> error_e = conjugate(now) * seen;
        const double sign = error_e.e0 < 0 ? -2 : 2;
        const auto put = [&](DenseMatrix& in, std::size_t column, const EulerParameters<double>& change) {
          const Vec3<double> slope = -sign * (conjugate(change) * seen).ev;
          for (std::size_t c = 0; c < 3; ++c) { in(to + c, column) = over_noise * slope[c]; }
        };
        for (std::size_t c = 0; c < 3; ++c) { rows.residuals[to + c] = over_noise * sign * error_e.ev[c]; }
        for (std::size_t d = 0; d < directions.size(); ++d) {
          put(directions[d].first ? rows.by_shared : rows.by_own, directions[d].second,
              quaternion_of(row, places[s].by[d]));
        }
        if (error.offset) {
          const std::vector<std::size_t>& p = places[s].value;
          put(rows.by_shared, *error.offset,
              {by_lateness(p[0]), {by_lateness(p[1]), by_lateness(p[2]), by_lateness(p[3])}});
        }
        to += 3;
        continue;
      }

      // z = (1 + scale) R c + bias                                                   (ANA-60)
      const std::size_t width = sensor.columns.size();
      Vec3<double> c{};
      for (std::size_t k = 0; k < width; ++k) { c[k] = row[places[s].value[k]]; }
      const bool turns = norm_squared(error.turn) > 0 || sensor.kind == Sensor::Kind::vector;
      const Turned now = turns ? turned(error.turn, c) : Turned{c, {}};
      const auto put = [&](DenseMatrix& in, std::size_t column, const Vec3<double>& change) {
        const Vec3<double> there = norm_squared(error.turn) > 0 ? turned(error.turn, change).value : change;
        for (std::size_t k = 0; k < width; ++k) { in(to + k, column) = over_noise * (1 + error.scale[k]) * there[k]; }
      };
      for (std::size_t k = 0; k < width; ++k) {
        double difference = measured[sensor.columns[k]] - (1 + error.scale[k]) * now.value[k] - error.bias[k];
        if (sensor.is_angle) { difference = std::remainder(difference, 2 * math::kPi<double>); }
        rows.residuals[to + k] = over_noise * difference;
      }
      for (std::size_t d = 0; d < directions.size(); ++d) {
        Vec3<double> change{};
        for (std::size_t k = 0; k < width; ++k) { change[k] = row[places[s].by[d][k]]; }
        put(directions[d].first ? rows.by_shared : rows.by_own, directions[d].second, change);
      }
      if (error.offset) {
        Vec3<double> change{};
        for (std::size_t k = 0; k < width; ++k) { change[k] = by_lateness(places[s].value[k]); }
        put(rows.by_shared, *error.offset, change);
      }
      for (std::size_t k = 0; k < shared_count; ++k) {
        const SharedUnknown& one = shared_[k];
        if (!one.of_sensor() || one.sensor != s || one.kind == SharedUnknown::Kind::time_offset) { continue; }
        if (one.kind == SharedUnknown::Kind::bias) { rows.by_shared(to + one.index, k) = over_noise; }
        if (one.kind == SharedUnknown::Kind::scale) {
          rows.by_shared(to + one.index, k) = over_noise * now.value[one.index];
        }
        if (one.kind == SharedUnknown::Kind::misalignment) {
          for (std::size_t r = 0; r < 3; ++r) {
            rows.by_shared(to + r, k) = over_noise * (1 + error.scale[r]) * now.by[one.index][r];
          }
        }
      }
      to += width;
    }
  }
  return rows;
}

std::vector<RecordingRows> IdentifyModel::rows(const FitPoint& point) const {
  const std::size_t count = log_->recordings.size();
  std::vector<RecordingRows> all(count);
  std::vector<std::string> troubles(count);
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t r = next++; r < count; r = next++) { all[r] = rows_of(r, point, troubles[r]); }
  };
  const std::size_t wanted =
      options_->threads > 0 ? options_->threads : std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::thread> others;
  for (std::size_t n = 1; n < std::min(wanted, count); ++n) { others.emplace_back(work); }
  work();
  for (std::thread& other : others) { other.join(); }
  trouble_.clear();
  for (const std::string& one : troubles) {
    if (trouble_.empty()) { trouble_ = one; }
  }
  return all;
}

std::vector<std::pair<std::size_t, std::size_t>> IdentifyModel::layout(std::size_t recording) const {
  std::vector<std::pair<std::size_t, std::size_t>> result;
  for (std::size_t i = 0; i < log_->recordings[recording].t.size(); ++i) {
    for (std::size_t s = 0; s < sensors_.size(); ++s) {
      if (!is_used(sensors_[s], recording, i)) { continue; }
      for (std::size_t c = 0; c < sensors_[s].residuals(); ++c) { result.emplace_back(s, c); }
    }
  }
  return result;
}

std::vector<std::size_t> IdentifyModel::samples(std::size_t recording) const {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < log_->recordings[recording].t.size(); ++i) {
    for (const Sensor& sensor : sensors_) {
      if (is_used(sensor, recording, i)) { result.insert(result.end(), sensor.residuals(), i); }
    }
  }
  return result;
}

}  // namespace polhode::analysis
