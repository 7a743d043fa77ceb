#include "polhode/catalog/conversion.h"

#include "polhode/core/error.h"
#include "polhode/math/degree.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace polhode::catalog {
namespace {

constexpr std::size_t kMostValues = 9;  // a matrix

/// One column: its name with the unit, and what the numbers in it are multiplied by.
struct RowColumn {
  std::string name;
  double unit;
};

/// RowColumns of one rotation: values, rates, accelerations.
class RowColumns {
 public:
  RowColumns(bool degrees, std::string prefix) : degrees_(degrees), prefix_(std::move(prefix)) {}

  void add_rotation(const Representation& rep, Rates rates, Rates accelerations) {
    for (const Column& column : rep.columns()) { add(column.name, column.is_angle, column.is_angle ? "" : "1", ""); }
    add_derivatives(rep, rates, "_rate", "w_", "_s");
    add_derivatives(rep, accelerations, "_acceleration", "wdot_", "_s2");
  }
  const std::vector<RowColumn>& list() const { return list_; }

 private:
  void add_derivatives(const Representation& rep, Rates kind, const char* suffix, const char* of_vector,
                       const char* by_time) {
    if (kind == Rates::values) {
      for (const Column& column : rep.columns()) {
        add(column.name + suffix, column.is_angle, column.is_angle ? "" : "1", by_time);
      }
    } else if (kind != Rates::none) {
      for (const char* axis : {"x", "y", "z"}) {
        add(std::string(of_vector) + (kind == Rates::body ? "body_" : "space_") + axis, true, "", by_time);
      }
    }
  }
  /// `plain` is the unit of what is no angle; without a time in it, it is left out.
  void add(const std::string& name, bool is_angle, std::string_view plain, std::string_view by_time) {
    std::string unit = is_angle          ? std::string(degrees_ ? "_deg" : "_rad") + std::string(by_time)
                       : by_time.empty() ? ""
                                         : "_" + std::string(plain) + std::string(by_time);
    list_.push_back({prefix_ + name + unit, is_angle && degrees_ ? math::kDegree : 1});
  }

  bool degrees_;
  std::string prefix_;
  std::vector<RowColumn> list_;
};

/// "v_body_x" and its like: lengths, or whatever the user has.
std::vector<std::string> components(const char* what, bool in_body) {
  std::vector<std::string> names;
  for (const char* axis : {"x", "y", "z"}) {
    names.push_back(fmt::format("{}_{}_{}", what, in_body ? "body" : "space", axis));
  }
  return names;
}

std::size_t count_of(const Representation& rep, Rates rates) {
  return rates == Rates::none ? 0 : rates == Rates::values ? rep.size() : 3;
}

bool all_finite(std::span<const double> numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}

/// The last gate: what is not finite is not handed out.
void require_in_range(std::span<const double> numbers, const char* what, const Representation& rep) {
  if (all_finite(numbers)) { return; }
  fail(Error(Problem{.what = fmt::format("the {} of '{}' leave the range of numbers", what, rep.name()),
                     .allowed = "at most 1.8e308 in size",
                     .cure = {}}));
}

}  // namespace

Rates rates_named(std::string_view name) {
  if (name == "none") { return Rates::none; }
  if (name == "values") { return Rates::values; }
  if (name == "body") { return Rates::body; }
  if (name == "space") { return Rates::space; }
  fail(Error(unknown_name("kind of rates", name, {"values", "body", "space", "none"})));
}

Direction direction_named(std::string_view name) {
  if (name == "body-to-space") { return Direction::body_to_space; }
  if (name == "space-to-body") { return Direction::space_to_body; }
  fail(Error(unknown_name("direction", name, {"body-to-space", "space-to-body"})));
}

std::string output_name(const ConversionPlan& plan) {
  if (plan.turning == Turning::none) { return plan.to->name(); }
  return fmt::format("{} {}", plan.turning == Turning::point ? "point" : "vector",
                     plan.direction == Direction::body_to_space ? "body-to-space" : "space-to-body");
}

Conversion::Conversion(ConversionPlan plan) : plan_(std::move(plan)) {
  const auto need = [](Rates from, Rates to, const char* what) {
    if (from == Rates::none && to != Rates::none) {
      fail(Error(
          Problem{.what = fmt::format("{} are asked for but none are given", what),
                  .allowed = {},
                  .cure = fmt::format("say what the columns of {} in the input are: values, body or space", what)}));
    }
  };
  need(plan_.rates_from, plan_.rates_to, "rates");
  need(plan_.accelerations_from, plan_.accelerations_to, "accelerations");
  if (plan_.accelerations_from != Rates::none && plan_.rates_from == Rates::none) {
    fail(
        Error(Problem{.what = "accelerations without rates",
                      .allowed = {},
                      .cure = "rates stand before accelerations in a row: second derivatives alone do not tell them"}));
  }
  if (plan_.relative && plan_.then.empty()) {
    fail(Error(Problem{.what = "the first rotation is to be seen by none",
                       .allowed = {},
                       .cure = "give the second rotation; the inverse of one alone is REP:space-to-body"}));
  }
  POLHODE_ASSERT((plan_.to == nullptr) == (plan_.turning != Turning::none));
  const auto take = [](const RowColumns& columns, std::vector<std::string>& names, std::vector<double>& units) {
    for (const RowColumn& column : columns.list()) {
      names.push_back(column.name);
      units.push_back(column.unit);
    }
  };
  for (std::size_t k = 0; k <= plan_.then.size(); ++k) {
    const Representation& rep = k == 0 ? *plan_.from : *plan_.then[k - 1];
    POLHODE_ASSERT(rep.size() <= kMostValues);
    RowColumns columns(plan_.degrees_in, k == 0 ? "" : k == 1 ? "then_" : fmt::format("then{}_", k));
    columns.add_rotation(rep, plan_.rates_from, plan_.accelerations_from);
    take(columns, input_names_, input_units_);
  }
  if (plan_.turning == Turning::none) {
    RowColumns columns(plan_.degrees_out, "");
    columns.add_rotation(*plan_.to, plan_.rates_to, plan_.accelerations_to);
    take(columns, output_names_, output_units_);
    return;
  }
  const bool to_space = plan_.direction == Direction::body_to_space;
  const char* what = plan_.turning == Turning::point ? "p" : "v";
  const auto append = [](std::vector<std::string>& names, std::vector<double>& units,
                         const std::vector<std::string>& more) {
    names.insert(names.end(), more.begin(), more.end());
    units.insert(units.end(), more.size(), 1.0);
  };
  if (plan_.turning == Turning::point) { append(input_names_, input_units_, components("r", false)); }
  append(input_names_, input_units_, components(what, to_space));
  append(output_names_, output_units_, components(what, !to_space));
}

/// One rotation, from its columns in radians.
AttitudeMotion<double> Conversion::read(const Representation& rep, std::span<const double> in, Outcome& outcome) const {
  const auto farther = [](double& distance, double another) {
    if (!(another <= distance)) { distance = another; }
  };
  const std::span<const double> x = in.first(rep.size());
  const std::span<const double> xdot = in.subspan(rep.size(), count_of(rep, plan_.rates_from));
  const std::span<const double> xddot = in.subspan(rep.size() + xdot.size());
  const Reading reading = rep.read(x, plan_.noise);
  const auto& [e0, ev] = reading.e_NB;
  if (!all_finite(std::array{e0, ev.x, ev.y, ev.z}) || norm(reading.e_NB) == 0) {
    fail(Error(Problem{.what = fmt::format("the values of '{}' are too large to tell the attitude", rep.name()),
                       .allowed = {},
                       .cure = {}}));
  }
  farther(outcome.distance, reading.distance);
  AttitudeMotion<double> motion{.e_NB = reading.e_NB};
  const auto vector_of = [&](Rates kind, std::span<const double> numbers) {
    return kind == Rates::body
               ? BodyVector<double>{numbers[0], numbers[1], numbers[2]}
               : to_body(normalized(reading.e_NB), SpaceVector<double>{numbers[0], numbers[1], numbers[2]});
  };
  if (plan_.rates_to == Rates::none) { return motion; }
  if (plan_.rates_from == Rates::values) {
    const RateReading rates = rep.read_rates(reading.e_NB, x, xdot, plan_.noise);
    farther(outcome.rate_distance, rates.distance);
    motion.w = rates.w;
  } else {
    motion.w = vector_of(plan_.rates_from, xdot);
  }
  if (plan_.accelerations_to == Rates::none) { return motion; }
  if (plan_.accelerations_from == Rates::values) {
    // ẋ of the values, whatever kind the rates were
    std::array<double, kMostValues> rates{};
    const std::span<double> of_values(rates.data(), rep.size());
    if (plan_.rates_from == Rates::values) {
      std::copy(xdot.begin(), xdot.end(), of_values.begin());
    } else {
      rep.write_rates(reading.e_NB, motion.w, x, of_values);
    }
    const RateReading accelerations = rep.read_accelerations(reading.e_NB, motion.w, x, of_values, xddot, plan_.noise);
    farther(outcome.acceleration_distance, accelerations.distance);
    motion.wdot = accelerations.w;
  } else {
    motion.wdot = vector_of(plan_.accelerations_from, xddot);
  }
  return motion;
}

void Conversion::write(const AttitudeMotion<double>& motion, std::span<double> out, Outcome& outcome) const {
  const Representation& rep = *plan_.to;
  const std::span<double> y = out.first(rep.size());
  const std::span<double> ydot = out.subspan(rep.size(), count_of(rep, plan_.rates_to));
  const std::span<double> yddot = out.subspan(rep.size() + ydot.size());
  const auto put_vector = [&](Rates kind, const BodyVector<double>& w, std::span<double> to) {
    const Vec3<double> components = kind == Rates::body ? w.raw() : to_space(normalized(motion.e_NB), w).raw();
    for (std::size_t i = 0; i < 3; ++i) { to[i] = components[i]; }
  };
  rep.write(motion.e_NB, y);
  if (plan_.rates_to == Rates::values) {
    rep.write_rates(motion.e_NB, motion.w, y, ydot);
  } else if (plan_.rates_to != Rates::none) {
    put_vector(plan_.rates_to, motion.w, ydot);
  }
  if (plan_.accelerations_to == Rates::values) {
    std::array<double, kMostValues> rates{};
    const std::span<double> of_values(rates.data(), rep.size());
    rep.write_rates(motion.e_NB, motion.w, y, of_values);
    rep.write_accelerations(motion, y, of_values, yddot);
  } else if (plan_.accelerations_to != Rates::none) {
    put_vector(plan_.accelerations_to, motion.wdot, yddot);
  }
  outcome.conditioning = rep.conditioning(y);
  for (std::size_t i = 0; i < out.size(); ++i) { out[i] = out[i] / output_units_[i]; }
  require_in_range(y, "values", rep);
  require_in_range(ydot, "rates", rep);
  require_in_range(yddot, "accelerations", rep);
}

/// v_N = A v_B, p_N = r_N + A p_B, and back.
void Conversion::turn(const AttitudeMotion<double>& motion, std::span<const double> in, std::span<double> out) const {
  const EulerParameters<double> e_NB = normalized(motion.e_NB);
  const Vec3<double> v{in[in.size() - 3], in[in.size() - 2], in[in.size() - 1]};
  const Vec3<double> r_N = plan_.turning == Turning::point ? Vec3<double>{in[0], in[1], in[2]} : Vec3<double>{};
  const Vec3<double> turned =
      plan_.direction == Direction::body_to_space ? r_N + rotate(e_NB, v) : rotate_back(e_NB, v - r_N);
  for (std::size_t i = 0; i < 3; ++i) { out[i] = turned[i]; }
  if (!all_finite(out)) {
    fail(Error(Problem{
        .what = "the turned components leave the range of numbers", .allowed = "at most 1.8e308 in size", .cure = {}}));
  }
}

Conversion::Outcome Conversion::operator()(std::span<const double> in, std::span<double> out) const {
  Outcome outcome;
  AttitudeMotion<double> motion;
  std::size_t begin = 0;
  for (std::size_t k = 0; k <= plan_.then.size(); ++k) {
    const Representation& rep = k == 0 ? *plan_.from : *plan_.then[k - 1];
    std::array<double, 3 * kMostValues> numbers;
    const std::size_t count = rep.size() + count_of(rep, plan_.rates_from) + count_of(rep, plan_.accelerations_from);
    for (std::size_t i = 0; i < count; ++i) { numbers[i] = in[begin + i] * input_units_[begin + i]; }
    begin += count;
    AttitudeMotion<double> next = read(rep, {numbers.data(), count}, outcome);
    // one rotation is handed on as it is, products are those of unit quaternions
    if (!plan_.then.empty()) { next.e_NB = normalized(next.e_NB); }
    motion = k == 0 ? (plan_.relative ? inverse(next) : next) : motion * next;
  }
  if (plan_.turning == Turning::none) {
    write(motion, out, outcome);
  } else {
    turn(motion, in.subspan(begin), out);
  }
  return outcome;
}

}  // namespace polhode::catalog
