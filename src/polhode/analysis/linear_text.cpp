#include "polhode/analysis/linearize.h"
#include "polhode/core/counted.h"
#include "polhode/core/version.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace polhode {
namespace {

using Json = nlohmann::ordered_json;
using analysis::DenseMatrix;
using analysis::Mode;

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, ", ")); }

/// The states of which a mode is mostly made, the largest first: "steer_turn_rate 1, frame_turn_x 0.22".
std::string parts_of(const Mode& mode, const std::vector<LinearName>& states) {
  std::vector<std::size_t> order(mode.shape.size());
  for (std::size_t i = 0; i < order.size(); ++i) { order[i] = i; }
  // sizes that are equal but for rounding keep their order
  const auto size = [&](std::size_t i) { return std::nearbyint(1e6 * std::abs(mode.shape[i])); };
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return size(a) != size(b) ? size(a) > size(b) : a < b; });
  std::string text;
  for (std::size_t k = 0; k < std::min<std::size_t>(3, order.size()); ++k) {
    const std::complex<double> x = mode.shape[order[k]];
    if (std::abs(x) < 0.01) { break; }
    text += fmt::format("{}{} {:.2g}", text.empty() ? "" : ", ", states[order[k]].name, std::abs(x));
    constexpr double kDegree = 57.29577951308232;
    const double phase = std::arg(x) * kDegree;
    if (std::fabs(phase) >= 0.5) { text += fmt::format(" at {:.0f}°", phase < -179.5 ? 180 : phase); }
  }
  return text;
}

Json to_rows(const DenseMatrix& a) {
  Json rows = Json::array();
  for (std::size_t r = 0; r < a.rows; ++r) {
    Json row = Json::array();
    for (std::size_t c = 0; c < a.columns; ++c) { row.push_back(a(r, c)); }
    rows.push_back(std::move(row));
  }
  return rows;
}

Json names_of(const std::vector<LinearName>& names) {
  Json list = Json::array();
  for (const LinearName& one : names) {
    Json entry{{"name", one.name}};
    if (!one.unit.empty()) { entry["unit"] = one.unit; }
    list.push_back(std::move(entry));
  }
  return list;
}

/// One line.
std::string one_line(std::string text) {
  std::replace_if(text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}
/// A number that reads back to the same bits.
std::string exactly(double x) { return fmt::format("{}", x); }

}  // namespace

std::string to_text(const Linearization& linear) {
  std::string text = linear.title + "\n";
  text += fmt::format("about: {}{}\n", linear.about, linear.t > 0 ? fmt::format(", at t = {:g} s", linear.t) : "");
  if (!linear.steady) {
    text += fmt::format("  accelerations are {:.3g} times the forces: the matrices hold at this moment alone\n",
                        linear.residual);
  }
  const std::size_t rates = linear.states.size() - linear.position_count;
  text += fmt::format("states: {}, {}\n", counted(linear.position_count, "coordinate"), counted(rates, "rate"));
  std::vector<std::string> names;
  for (const LinearName& one : linear.states) { names.push_back(one.name); }
  text += "  " + joined(names) + "\n";
  std::vector<std::string> ignorable = linear.left_out;
  for (std::size_t i = 0; i < linear.position_count; ++i) {
    if (linear.ignorable[i]) { ignorable.push_back(linear.states[i].name); }
  }
  if (!ignorable.empty()) {
    text += fmt::format("ignorable: {}{}\n", joined(ignorable),
                        linear.left_out.empty() ? ": no rate depends on them" : ": left out");
  }
  if (!linear.differences.empty()) { text += fmt::format("differences, not exact: {}\n", joined(linear.differences)); }
  for (const std::string& note : linear.notes) { text += "note: " + note + "\n"; }

  text += fmt::format("\n{:>15}  {:>15}  {:>11}  {:>8}  mode, by its largest parts\n", "real, 1/s", "imaginary, 1/s",
                      "period, s", "damping");
  std::size_t zeros = 0;
  for (const Mode& mode : linear.modes()) {
    const std::complex<double>& value = mode.eigenvalue;
    if (value == std::complex<double>(0)) {
      ++zeros;
      continue;
    }
    if (value.imag() < 0) { continue; }
    const bool swings = value.imag() > 0;
    constexpr double kTurn = 6.283185307179586;
    // what rounding leaves of a swing that neither grows nor decays
    const double real = std::fabs(value.real()) <= 1e-9 * std::fabs(value.imag()) ? 0 : value.real();
    text +=
        fmt::format("{:>15.8g}  {:>15}  {:>11}  {:>8}  {}\n", real, swings ? fmt::format("±{:.8g}", value.imag()) : "",
                    swings ? fmt::format("{:.5g}", kTurn / value.imag()) : "",
                    swings ? fmt::format("{:.4g}", real == 0 ? 0 : mode.damping()) : "", parts_of(mode, linear.states));
  }
  if (zeros > 0) {
    text += fmt::format("and {} of exactly 0: ignorable coordinates, and rates that nothing changes\n", zeros);
  }
  return text;
}

std::string to_json(const Linearization& linear) {
  Json object{{"title", linear.title},
              {"about", linear.about},
              {"steady", linear.steady},
              {"residual", linear.residual},
              {"drift", linear.drift},
              {"t_s", linear.t},
              {"position_count", linear.position_count},
              {"states", names_of(linear.states)},
              {"inputs", names_of(linear.inputs)},
              {"outputs", names_of(linear.outputs)}};
  Json ignorable = Json::array();
  for (std::size_t i = 0; i < linear.states.size(); ++i) {
    if (linear.ignorable[i]) { ignorable.push_back(linear.states[i].name); }
  }
  object["ignorable"] = std::move(ignorable);
  object["left_out"] = linear.left_out;
  object["differences"] = linear.differences;
  object["notes"] = linear.notes;
  for (const auto& [name, matrix] :
       {std::pair{"A", &linear.A}, std::pair{"B", &linear.B}, std::pair{"C", &linear.C}, std::pair{"D", &linear.D}}) {
    object[name] = to_rows(*matrix);
  }
  Json list = Json::array();
  for (const Mode& mode : linear.modes()) {
    Json shape = Json::array();
    for (const auto& x : mode.shape) { shape.push_back(Json::array({x.real(), x.imag()})); }
    list.push_back(Json{{"real", mode.eigenvalue.real()},
                        {"imaginary", mode.eigenvalue.imag()},
                        {"damping", mode.damping()},
                        {"shape", std::move(shape)}});
  }
  object["modes"] = std::move(list);
  return object.dump(2);
}

std::string to_matlab(const Linearization& linear) {
  std::string text = fmt::format("% {}\n% about: {}\n% polhode {}\n", one_line(linear.title), linear.about, version());
  for (const auto& [name, matrix] :
       {std::pair{"A", &linear.A}, std::pair{"B", &linear.B}, std::pair{"C", &linear.C}, std::pair{"D", &linear.D}}) {
    if (matrix->entries.empty()) {
      text += fmt::format("{} = zeros({}, {});\n", name, matrix->rows, matrix->columns);
      continue;
    }
    text += fmt::format("{} = [\n", name);
    for (std::size_t r = 0; r < matrix->rows; ++r) {
      for (std::size_t c = 0; c < matrix->columns; ++c) { text += " " + exactly((*matrix)(r, c)); }
      text += "\n";
    }
    text += "];\n";
  }
  const auto names = [&](const char* name, const std::vector<LinearName>& list) {
    text += fmt::format("{} = {{", name);
    for (const LinearName& one : list) { text += " '" + one.name + "'"; }
    text += " };\n";
  };
  names("states", linear.states);
  names("inputs", linear.inputs);
  names("outputs", linear.outputs);
  return text;
}

std::string to_csv(const Linearization& linear) {
  std::string text =
      fmt::format("# {}\n# about: {}\n# polhode {}\nmatrix,row", one_line(linear.title), linear.about, version());
  for (const LinearName& one : linear.states) { text += "," + one.name; }
  for (const LinearName& one : linear.inputs) { text += "," + one.name; }
  text += "\n";
  const auto rows = [&](const char* name, const std::vector<LinearName>& of, const DenseMatrix& by_state,
                        const DenseMatrix& by_input) {
    for (std::size_t r = 0; r < of.size(); ++r) {
      text += fmt::format("{},{}", name, of[r].name);
      for (std::size_t c = 0; c < by_state.columns; ++c) { text += "," + exactly(by_state(r, c)); }
      for (std::size_t c = 0; c < by_input.columns; ++c) { text += "," + exactly(by_input(r, c)); }
      text += "\n";
    }
  };
  rows("A B", linear.states, linear.A, linear.B);
  rows("C D", linear.outputs, linear.C, linear.D);
  return text;
}

}  // namespace polhode
