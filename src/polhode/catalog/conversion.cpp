#include "polhode/catalog/conversion.h"

#include "polhode/core/error.h"
#include "polhode/math/degree.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace polhode::catalog {
namespace {

constexpr std::size_t kMostNumbers = 18;  // a matrix and its rate

std::vector<std::string> names_of(const Representation& rep, Rates rates, bool degrees) {
  const std::string angle = degrees ? "_deg" : "_rad";
  std::vector<std::string> names;
  for (const Column& column : rep.columns()) { names.push_back(column.name + (column.is_angle ? angle : "")); }
  if (rates == Rates::values) {
    for (const Column& column : rep.columns()) {
      names.push_back(column.name + "_rate" + (column.is_angle ? angle + "_s" : "_1_s"));
    }
  } else if (rates != Rates::none) {
    for (const char* axis : {"x", "y", "z"}) {
      names.push_back(std::string(rates == Rates::body ? "w_body_" : "w_space_") + axis + angle + "_s");
    }
  }
  return names;
}

std::vector<double> units_of(const Representation& rep, Rates rates, bool degrees) {
  const double angle = degrees ? math::kDegree : 1;
  std::vector<double> units;
  for (const Column& column : rep.columns()) { units.push_back(column.is_angle ? angle : 1); }
  if (rates == Rates::values) {
    const std::vector<double> of_values = units;
    units.insert(units.end(), of_values.begin(), of_values.end());
  } else if (rates != Rates::none) {
    units.insert(units.end(), 3, angle);
  }
  return units;
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

Conversion::Conversion(ConversionPlan plan)
    : plan_(std::move(plan)),
      input_names_(names_of(*plan_.from, plan_.rates_from, plan_.degrees_in)),
      output_names_(names_of(*plan_.to, plan_.rates_to, plan_.degrees_out)),
      input_units_(units_of(*plan_.from, plan_.rates_from, plan_.degrees_in)),
      output_units_(units_of(*plan_.to, plan_.rates_to, plan_.degrees_out)) {
  POLHODE_ASSERT(input_names_.size() <= kMostNumbers && output_names_.size() <= kMostNumbers);
  if (plan_.rates_from == Rates::none && plan_.rates_to != Rates::none) {
    fail(Error(Problem{.what = "rates are asked for but none are given",
                       .allowed = {},
                       .cure = "say what the rate columns of the input are: values, body or space"}));
  }
}

Conversion::Outcome Conversion::operator()(std::span<const double> in, std::span<double> out) const {
  std::array<double, kMostNumbers> numbers;
  for (std::size_t i = 0; i < in.size(); ++i) { numbers[i] = in[i] * input_units_[i]; }
  const std::span<const double> x(numbers.data(), plan_.from->size());
  const std::span<const double> xdot(numbers.data() + x.size(), in.size() - x.size());

  const Reading reading = plan_.from->read(x, plan_.noise);
  const auto& [e0, ev] = reading.e_NB;
  if (!all_finite(std::array{e0, ev.x, ev.y, ev.z}) || norm(reading.e_NB) == 0) {
    fail(Error(Problem{.what = fmt::format("the values of '{}' are too large to tell the attitude", plan_.from->name()),
                       .allowed = {},
                       .cure = {}}));
  }
  const std::span<double> y = out.first(plan_.to->size());
  const std::span<double> ydot = out.subspan(plan_.to->size());
  plan_.to->write(reading.e_NB, y);

  RateReading rates;
  if (plan_.rates_to != Rates::none) {
    BodyVector<double>& w = rates.w;
    switch (plan_.rates_from) {
      case Rates::values:
        rates = plan_.from->read_rates(reading.e_NB, x, xdot, plan_.noise);
        break;
      case Rates::body:
        w = {xdot[0], xdot[1], xdot[2]};
        break;
      case Rates::space:
        w = to_body(normalized(reading.e_NB), SpaceVector<double>{xdot[0], xdot[1], xdot[2]});
        break;
      case Rates::none:
        break;
    }
    if (plan_.rates_to == Rates::values) {
      plan_.to->write_rates(reading.e_NB, w, y, ydot);
    } else {
      const Vec3<double> components =
          plan_.rates_to == Rates::body ? w.raw() : to_space(normalized(reading.e_NB), w).raw();
      for (std::size_t i = 0; i < 3; ++i) { ydot[i] = components[i]; }
    }
  }
  const Outcome outcome{reading.distance, rates.distance, plan_.to->conditioning(y)};
  for (std::size_t i = 0; i < out.size(); ++i) { out[i] = out[i] / output_units_[i]; }
  require_in_range(y, "values", *plan_.to);
  require_in_range(ydot, "rates", *plan_.to);
  return outcome;
}

}  // namespace polhode::catalog
