#include "polhode/analysis/solve.h"

#include "polhode/analysis/continuation.h"
#include "polhode/analysis/driven.h"
#include "polhode/analysis/freedoms.h"
#include "polhode/analysis/motion_table.h"
#include "polhode/core/counted.h"
#include "polhode/core/error.h"
#include "polhode/core/index.h"
#include "polhode/core/version.h"
#include "polhode/drawing/chart.h"
#include "polhode/io/files.h"
#include "polhode/io/scenario_toml.h"
#include "polhode/io/table.h"
#include "polhode/math/quintic_spline.h"
#include "polhode/run/sweep.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>

namespace polhode::analysis {
namespace {

namespace fs = std::filesystem;
using SolveJson = nlohmann::ordered_json;

constexpr std::size_t kMostSolvedRows = 10'000;  // in JSON
constexpr std::size_t kMostTimes = 10'000'000;
constexpr std::size_t kFirstTold = 5;  // column of a curve: the first of a coordinate

bool is_slide_of(Coordinate coordinate) {
  return coordinate == Coordinate::slide_x || coordinate == Coordinate::slide_y || coordinate == Coordinate::slide_z;
}
std::string unit_of(Coordinate coordinate) { return is_slide_of(coordinate) ? "m" : "rad"; }

SolveJson finite_or_null(double x) { return std::isfinite(x) ? SolveJson(x) : SolveJson(nullptr); }
SolveJson json_of(const Vec3<double>& v) {
  return SolveJson::array({finite_or_null(v.x), finite_or_null(v.y), finite_or_null(v.z)});
}
SolveJson json_of(const io::TableCell& cell) {
  if (const auto* x = std::get_if<double>(&cell)) { return finite_or_null(*x); }
  if (const auto* n = std::get_if<std::uint64_t>(&cell)) { return *n; }
  if (const auto* words = std::get_if<std::string>(&cell)) { return *words; }
  return nullptr;
}
/// Numbers for people: what is rounding beside `size` is zero.
std::string shown(double x, double size) { return fmt::format("{:.6g}", std::fabs(x) <= 1e-12 * size ? 0.0 : x); }
std::string shown(const Vec3<double>& v, double size) {
  return fmt::format("({}, {}, {})", shown(v.x, size), shown(v.y, size), shown(v.z, size));
}

/// Text on the left as wide as the widest, text on the right.
std::string in_two_columns(const std::vector<std::pair<std::string, std::string>>& lines) {
  std::size_t width = 0;
  for (const auto& [left, right] : lines) { width = std::max(width, left.size()); }
  std::string text;
  for (const auto& [left, right] : lines) { text += fmt::format("  {:<{}}  {}\n", left, width, right); }
  return text;
}

std::string plural_list(const std::vector<std::string>& list) { return fmt::format("{}", fmt::join(list, "; ")); }

class Solving {
 public:
  Solving(const std::string& text, const std::string& file, const run::Source& source, const SolveOptions& options)
      : options_(options), source_(source), path_(file), text_(text), file_(text, file) {
    folder_ = fs::path(path_).parent_path().string();
    if (folder_.empty()) { folder_ = "."; }
  }

  Solved operator()() {
    if (options_.what != "statics" && options_.what != "kinematics" && options_.what != "inverse") {
      fail(Error(unknown_name("question", options_.what, {"statics", "kinematics", "inverse"})));
    }
    check_options();
    if (file_.problems().empty() && !file_.scenario().is_mechanism()) {
      fail(Error(Problem{.what = fmt::format("{} is a scenario of one body", path_),
                         .allowed = "polhode solve wants a mechanism",
                         .cure = "write the body as one of [[bodies]]"}));
    }
    Solved solved = options_.what == "statics" ? options_.over.empty() ? statics() : curve() : driven();
    solved.files = written_;
    if (!written_.empty()) { solved.text += fmt::format("files: {}\n", fmt::join(written_, ", ")); }
    return solved;
  }

 private:
  void check_options() const {
    const bool statics = options_.what == "statics";
    const auto refuse = [&](bool given, std::string_view option, std::string_view belongs) {
      if (given) { fail(Error(fmt::format("{} belongs to {}, not to '{}'", option, belongs, options_.what))); }
    };
    refuse(!statics && options_.nearest, "--nearest", "'statics'");
    refuse(!statics && !options_.over.empty(), "--over", "'statics'");
    refuse(!statics && !options_.write.empty(), "--write", "'statics'");
    refuse(statics && !options_.along.empty(), "--along", "'kinematics' and 'inverse'");
    refuse(statics && !options_.table.empty(), "--table", "'kinematics' and 'inverse'");
    refuse(statics && !options_.times.empty(), "--times", "'kinematics' and 'inverse'");
    refuse(statics && options_.over.empty() && !options_.csv.empty(), "--csv",
           "'statics --over' and the other questions");
    refuse(statics && options_.over.empty() && !options_.svg.empty(), "--svg",
           "'statics --over' and the other questions");
    refuse(!options_.over.empty() && !options_.write.empty(), "--write", "'statics' without --over");
  }

  catalog::MechanismScenario read(const Named<double>& values) const {
    return catalog::read_mechanism(text_, path_, source_.meshes, values);
  }

  // ---- statics ------------------------------------------------------------------------------------------------------

  Solved statics() {
    const catalog::MechanismScenario scenario = read(source_.parameters);
    const simulation::MechanismPlan& plan = scenario.plan;
    const Model rest = at_rest(*plan.model, 0, plan.start, plan.start_turns);
    const Equilibrium found =
        find_equilibrium(rest, {plan.start, plan.start_turns}, {options_.nearest, 1000, options_.keep_going});
    Solved solved;
    solved.good = found.found();
    solved.interrupted = found.end == SearchEnd::interrupted;
    if (found.found() && !options_.write.empty()) {
      Scenario written = drawn_at(file_.scenario(), *plan.model, found.position.y, found.position.turns);
      for (const auto& [name, value] : source_.parameters) { written.parameters[name] = value; }
      io::write_file(options_.write, io::to_toml(written), options_.standard_output);
      if (options_.write != "-") { written_.push_back(options_.write); }
    }
    if (options_.json) { solved.json = statics_json(scenario, rest, found); }
    solved.text = statics_text(scenario, rest, found);
    return solved;
  }

  std::string statics_text(const catalog::ScenarioHead& head, const Model& model, const Equilibrium& found) const {
    std::string text = head.title + "\n";
    if (!found.found()) { return text + found.reason + "\n"; }
    const Stability& stability = found.stability;
    text += fmt::format("equilibrium: {}, {}, {} tried\n", to_text(stability.kind),
                        counted(static_cast<std::uint64_t>(found.freedoms), "freedom"),
                        counted(static_cast<std::uint64_t>(found.steps), "step"));
    if (stability.negative > 0) {
      text +=
          fmt::format("  {} of {} eigenvalues of the stiffness {} below zero; the least moves most the {}\n",
                      stability.negative, found.freedoms, stability.negative == 1 ? "is" : "are", stability.weakest);
    } else if (stability.kind == Stability::Kind::flutter) {
      text += "  eigenvalues of the stiffness are complex: small oscillations grow where nothing damps them\n";
    } else if (stability.neutral > 0) {
      text += fmt::format("  nothing holds the {} there, and nothing pushes it\n", stability.weakest);
    }
    if (!stability.eigenvalues.empty()) {
      const double least = stability.eigenvalues.front().real();
      double largest = 0;
      for (const std::complex<double>& kappa : stability.eigenvalues) { largest = std::fmax(largest, std::abs(kappa)); }
      const bool zero = stability.neutral > 0 && stability.negative == 0;
      text += fmt::format("  least eigenvalue: {} 1/s²", zero ? "0" : shown(least, largest));
      if (stability.kind == Stability::Kind::stable) {
        text += fmt::format(", a frequency of {:.6g} Hz", std::sqrt(least) / (2 * math::kPi<double>));
      }
      text += '\n';
    }
    text += fmt::format("residual: {:.3g} N\n", found.residual);
    std::vector<std::pair<std::string, std::string>> lines;
    for (std::size_t j = 0; j < model.joint_count(); ++j) {
      for (const Coordinate coordinate : model.joints()[j].kind->coordinates) {
        const double q = coordinate_at(model, found.position.y, found.position.turns, static_cast<int>(j), coordinate);
        lines.emplace_back(fmt::format("{}.{}", model.joints()[j].name, to_text(coordinate)),
                           is_slide_of(coordinate)
                               ? fmt::format("{} m", shown(q, model.length()))
                               : fmt::format("{} rad = {} deg", shown(q, 1), shown(q * 180 / math::kPi<double>, 100)));
      }
    }
    if (!lines.empty()) { text += "coordinates\n" + in_two_columns(lines); }
    lines.clear();
    for (std::size_t b = 0; b < model.body_count(); ++b) {
      const BodyView body = Model::view(found.position.y, static_cast<BodyId>(b));
      lines.emplace_back(model.bodies()[b].name, shown(body.r_N, model.length()) + " m");
    }
    text += "mass centres\n" + in_two_columns(lines);
    lines.clear();
    double size = 0;
    for (const Reaction& reaction : found.reactions) {
      size = std::max({size, norm(reaction.force_N), norm(reaction.moment_N)});
    }
    for (std::size_t j = 0; j < model.joint_count(); ++j) {
      const Reaction& reaction = found.reactions[j];
      lines.emplace_back(model.joints()[j].name,
                         fmt::format("{} N, {} N m{}", shown(reaction.force_N, size), shown(reaction.moment_N, size),
                                     found.determined[j] ? "" : "   (the least of many)"));
    }
    if (!lines.empty()) { text += "reactions: force and moment on the second body\n" + in_two_columns(lines); }
    lines.clear();
    const std::vector<Driver>& drivers = model.all<Driver>();
    for (std::size_t d = 0; d < drivers.size(); ++d) {
      lines.emplace_back(drivers[d].name, fmt::format("{:.6g} {}", found.driver_forces[d],
                                                      is_slide_of(drivers[d].coordinate) ? "N" : "N m"));
    }
    if (!lines.empty()) { text += "drivers, which hold\n" + in_two_columns(lines); }
    return text;
  }

  SolveJson head_json(const catalog::ScenarioHead& head) const {
    SolveJson set = SolveJson::object();
    for (const auto& [name, value] : source_.parameters) { set[name] = value; }
    return {{"what", options_.what},
            {"title", head.title},
            {"version", version()},
            {"scenario_sha256", head.sha256},
            {"set", set}};
  }

  static SolveJson stability_json(const Stability& stability) {
    SolveJson eigenvalues = SolveJson::array();
    for (const std::complex<double>& kappa : stability.eigenvalues) {
      if (stability.symmetric) {
        eigenvalues.push_back(finite_or_null(kappa.real()));
      } else {
        eigenvalues.push_back(SolveJson::array({finite_or_null(kappa.real()), finite_or_null(kappa.imag())}));
      }
    }
    return {{"kind", to_text(stability.kind)},  {"negative", stability.negative}, {"neutral", stability.neutral},
            {"symmetric", stability.symmetric}, {"weakest", stability.weakest},   {"eigenvalues_1_s2", eigenvalues}};
  }

  std::string statics_json(const catalog::ScenarioHead& head, const Model& model, const Equilibrium& found) const {
    SolveJson json = head_json(head);
    json["ending"] = to_text(found.end);
    json["reason"] = found.reason;
    json["steps"] = found.steps;
    json["freedoms"] = found.freedoms;
    json["residual_N"] = finite_or_null(found.residual);
    if (found.unheld) {
      json["unheld"] = {{"freedom", found.unheld->text},
                        {"force", finite_or_null(found.unheld->force)},
                        {"unit", found.unheld->turns ? "N m" : "N"}};
    }
    if (found.found()) {
      json["stability"] = stability_json(found.stability);
      SolveJson joints = SolveJson::object();
      for (std::size_t j = 0; j < model.joint_count(); ++j) {
        SolveJson one = SolveJson::object();
        for (const Coordinate coordinate : model.joints()[j].kind->coordinates) {
          one[fmt::format("{}_{}", to_text(coordinate), unit_of(coordinate))] = finite_or_null(
              coordinate_at(model, found.position.y, found.position.turns, static_cast<int>(j), coordinate));
        }
        one["force_space_N"] = json_of(found.reactions[j].force_N);
        one["moment_space_Nm"] = json_of(found.reactions[j].moment_N);
        one["determined"] = static_cast<bool>(found.determined[j]);
        joints[model.joints()[j].name] = one;
      }
      json["joints"] = joints;
      SolveJson bodies = SolveJson::object();
      for (std::size_t b = 0; b < model.body_count(); ++b) {
        const BodyView body = Model::view(found.position.y, static_cast<BodyId>(b));
        bodies[model.bodies()[b].name] = {
            {"position_space_m", json_of(body.r_N)},
            {"quaternion_wxyz", {body.e_NB.e0, body.e_NB.ev.x, body.e_NB.ev.y, body.e_NB.ev.z}}};
      }
      json["bodies"] = bodies;
      SolveJson drivers = SolveJson::object();
      for (std::size_t d = 0; d < found.driver_forces.size(); ++d) {
        drivers[model.all<Driver>()[d].name] = finite_or_null(found.driver_forces[d]);
      }
      json["drivers"] = drivers;
    }
    json["files"] = written_;
    return json.dump(2, ' ', false, SolveJson::error_handler_t::replace);
  }

  // ---- a curve of equilibria ----------------------------------------------------------------------------------------

  Solved curve() {
    const SweepAxis axis = SweepAxis::read(options_.over);
    if (axis.logarithmic) {
      fail(Error(fmt::format("'{}': a curve wants even spacing; leave :log away", options_.over)));
    }
    if (axis.count < 2) { fail(Error(fmt::format("'{}': COUNT must be 2 or more", options_.over))); }
    const Scenario& data = file_.scenario();
    if (file_.problems().empty() && !data.parameters.contains(axis.parameter)) {
      std::vector<std::string_view> known;
      for (const auto& [name, value] : data.parameters) { known.push_back(name); }
      fail(Error(unknown_name("parameter", axis.parameter, known)));
    }
    if (source_.parameters.contains(axis.parameter)) {
      fail(Error(fmt::format("--over and --set both give '{}' its values; leave one of them out", axis.parameter)));
    }
    Named<double> values = source_.parameters;
    values[axis.parameter] = axis.from;
    const catalog::MechanismScenario first = read(values);
    const catalog::CompiledScenario compiled(data, folder_, {}, source_.meshes);
    const ModelAt model_at = [&](double parameter) {
      Named<double> now = values;
      now[axis.parameter] = parameter;
      const catalog::MechanismScenario made = compiled.mechanism(now);
      return std::make_shared<const Model>(at_rest(*made.plan.model, 0, made.plan.start, made.plan.start_turns));
    };
    const std::shared_ptr<const Model> model = model_at(axis.from);
    const Equilibrium start = find_equilibrium(*model, {first.plan.start, first.plan.start_turns},
                                               {options_.nearest, 1000, options_.keep_going});
    Solved solved;
    Curve found;
    if (start.found()) {
      found = follow(model_at, start.position, {axis.from, axis.to, axis.count, 5000, options_.keep_going});
    } else {
      found.end = fmt::format("at {} = {:g}: {}", axis.parameter, axis.from, start.reason);
      found.interrupted = start.end == SearchEnd::interrupted;
    }
    solved.good = found.complete;
    solved.interrupted = found.interrupted;

    // a row a point
    io::TableHead table = table_head(first);
    table.facts.emplace_back("over", to_text(axis));
    table.columns = {{axis.parameter, "", "the parameter"},
                     {"mark", "", "grid, fold, branching, end, or between", io::TableColumn::Holds::words},
                     {"stability", "", "stable, neutral, unstable or flutter", io::TableColumn::Holds::words},
                     {"negative", "", "eigenvalues of the stiffness below zero", io::TableColumn::Holds::whole_numbers},
                     {"least_eigenvalue_1_s2", "1/s2", "least eigenvalue of the stiffness"}};
    std::vector<std::pair<int, Coordinate>> coordinates;
    for (std::size_t j = 0; j < model->joint_count(); ++j) {
      for (const Coordinate coordinate : model->joints()[j].kind->coordinates) {
        coordinates.emplace_back(static_cast<int>(j), coordinate);
        const std::string name =
            fmt::format("{}.{}_{}", model->joints()[j].name, to_text(coordinate), unit_of(coordinate));
        table.columns.push_back(
            {name, unit_of(coordinate), coordinate_in_words(*model, static_cast<int>(j), coordinate)});
      }
    }
    for (const BodyDescription& body : model->bodies()) {
      for (const char axis_name : {'x', 'y', 'z'}) {
        table.columns.push_back({fmt::format("{}.r{}_space_m", body.name, axis_name), "m",
                                 fmt::format("position of the mass centre of {}", body.name)});
      }
    }
    table.columns.push_back({"residual_N", "N", "largest force that is not balanced"});
    // what is printed and drawn: coordinates of joints; of a mechanism without any, its bodies
    const std::size_t told = coordinates.empty() ? table.columns.size() - 1 : kFirstTold + coordinates.size();
    std::vector<std::vector<io::TableCell>> rows;
    for (const CurvePoint& point : found.points) {
      std::vector<io::TableCell> row{point.parameter, std::string(to_text(point.mark)),
                                     std::string(to_text(point.stability.kind)),
                                     static_cast<std::uint64_t>(point.stability.negative)};
      row.emplace_back(point.stability.eigenvalues.empty() ? 0.0 : point.stability.eigenvalues.front().real());
      for (const auto& [joint, coordinate] : coordinates) {
        row.emplace_back(coordinate_at(*model, point.position.y, point.position.turns, joint, coordinate));
      }
      for (std::size_t b = 0; b < model->body_count(); ++b) {
        const Vec3<double> r = Model::view(point.position.y, static_cast<BodyId>(b)).r_N;
        row.insert(row.end(), {r.x, r.y, r.z});
      }
      row.emplace_back(point.residual);
      rows.push_back(std::move(row));
    }
    write_table(table, rows, found.end);
    if (!options_.svg.empty()) { write_svg(curve_chart(first.title, axis.parameter, table, rows, told)); }

    std::vector<std::string> folds;
    std::vector<std::string> branchings;
    for (const CurvePoint& point : found.points) {
      if (point.mark == CurvePoint::Mark::fold) { folds.push_back(fmt::format("{:.10g}", point.parameter)); }
      if (point.mark == CurvePoint::Mark::branching) { branchings.push_back(fmt::format("{:.8g}", point.parameter)); }
    }
    if (options_.json) {
      SolveJson json = head_json(first);
      json["over"] = {{"parameter", axis.parameter}, {"from", axis.from}, {"to", axis.to}, {"count", axis.count}};
      json["ending"] = found.complete ? "complete" : found.interrupted ? "interrupted" : "broken-off";
      json["reason"] = found.end;
      SolveJson folded = SolveJson::array();
      SolveJson branched = SolveJson::array();
      for (const CurvePoint& point : found.points) {
        if (point.mark == CurvePoint::Mark::fold) { folded.push_back(point.parameter); }
        if (point.mark == CurvePoint::Mark::branching) { branched.push_back(point.parameter); }
      }
      json["folds"] = folded;
      json["branchings"] = branched;
      add_rows(json, table, rows);
      solved.json = json.dump(2, ' ', false, SolveJson::error_handler_t::replace);
    }
    solved.text = first.title + "\n" +
                  fmt::format("equilibria over {}: {}\n", to_text(axis), counted(found.points.size(), "point"));
    solved.text += fmt::format("folds at {} = {}\n", axis.parameter, folds.empty() ? "none" : plural_list(folds));
    if (!branchings.empty()) {
      solved.text += fmt::format("other branches leave at {} = {}\n", axis.parameter, plural_list(branchings));
    }
    solved.text += printed_grid(axis.parameter, table, found, rows, told);
    solved.text += found.end + "\n";
    return solved;
  }

  /// The points that were asked for, folds and branchings, with the first coordinates.
  static std::string printed_grid(const std::string& parameter, const io::TableHead& table, const Curve& found,
                                  const std::vector<std::vector<io::TableCell>>& rows, std::size_t told) {
    constexpr std::size_t kMostShown = 3;
    constexpr std::size_t kMostLines = 60;
    const std::size_t last = std::min(kFirstTold + kMostShown, told);
    std::string text = fmt::format("\n{:>14}  {:<9}  {:<8}", parameter, "", "");
    for (std::size_t k = kFirstTold; k < last; ++k) { text += fmt::format("  {:>20}", table.columns[k].name); }
    text += '\n';
    std::size_t lines = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (found.points[i].mark == CurvePoint::Mark::between) { continue; }
      if (++lines > kMostLines) { continue; }
      const std::string mark(to_text(found.points[i].mark));
      text += fmt::format("{:>14.8g}  {:<9}  {:<8}", found.points[i].parameter,
                          mark == "fold" || mark == "branching" ? mark : "", to_text(found.points[i].stability.kind));
      for (std::size_t k = kFirstTold; k < last; ++k) {
        text += fmt::format("  {:>20.8g}", std::get<double>(rows[i][k]));
      }
      text += '\n';
    }
    if (lines > kMostLines) { text += fmt::format("and {}\n", counted(lines - kMostLines, "more row")); }
    return text + '\n';
  }

  static drawing::Chart curve_chart(const std::string& title, const std::string& parameter, const io::TableHead& table,
                                    const std::vector<std::vector<io::TableCell>>& rows, std::size_t told) {
    drawing::Chart chart;
    chart.title = title;
    chart.legend = drawing::Chart::Legend::above;
    constexpr std::size_t kMostPanels = 6;
    for (std::size_t k = kFirstTold; k < told && chart.panels.size() < kMostPanels; ++k) {
      drawing::ChartPanel panel;
      panel.title = table.columns[k].name;
      panel.x.label = parameter;
      panel.y.label = table.columns[k].unit;
      // stretches of one kind; each begins where the last one ended
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto& kind = std::get<std::string>(rows[i][2]);
        const std::pair<double, double> point{std::get<double>(rows[i][0]), std::get<double>(rows[i][k])};
        const auto& mark = std::get<std::string>(rows[i][1]);
        const bool turns = mark == "fold" || mark == "branching";  // the end of a stretch, and of no kind of its own
        if (panel.lines.empty() || (!turns && panel.lines.back().name != kind)) {
          drawing::ChartLine line;
          line.name = kind;
          line.style = kind == "stable" ? 0 : 1;
          if (!panel.lines.empty()) { line.points.push_back(panel.lines.back().points.back()); }
          panel.lines.push_back(std::move(line));
        }
        panel.lines.back().points.push_back(point);
      }
      chart.panels.push_back(std::move(panel));
    }
    return chart;
  }

  // ---- kinematics and inverse dynamics ------------------------------------------------------------------------------

  /// Removes what the scenario says of a coordinate: drivers, and start.
  static void release(Scenario& scenario, const std::string& joint, const std::string& coordinate) {
    std::erase_if(scenario.drivers, [&](const scenario::Driver& driver) {
      return driver.on.joint == joint &&
             (driver.on.coordinate == coordinate || driver.on.coordinate.empty() || coordinate.empty());
    });
    for (scenario::Joint& one : scenario.joints) {
      if (one.name != joint || !one.start) { continue; }
      std::optional<Named<Number>> kept;
      for (const auto& [key, value] : *one.start) {
        if (coordinate.empty() || key.starts_with(coordinate)) { continue; }
        if (!kept) { kept.emplace(); }
        (*kept)[key] = value;
      }
      one.start = kept;
    }
  }

  static void drive(Scenario& scenario, const std::string& joint, const std::string& coordinate, bool degrees,
                    const Expression& value) {
    release(scenario, joint, coordinate);
    scenario::Driver driver;
    driver.name = coordinate.empty() ? "to-" + joint : fmt::format("to-{}-{}", joint, coordinate);
    driver.on = {joint, coordinate};
    (degrees ? driver.value_deg : driver.value) = value;
    scenario.drivers.push_back(std::move(driver));
  }

  static void add_wanted(Scenario& scenario, const std::string& along) {
    const std::size_t equals = along.find('=');
    const std::size_t dot = along.find('.');
    if (equals == std::string::npos || equals == 0 || equals + 1 == along.size()) {
      fail(Error(Problem{.what = fmt::format("--along '{}': no formula", along),
                         .allowed = "wanted: JOINT.COORDINATE=FORMULA",
                         .cure = "such as --along 'hinge.turn=0.5*sin(2*t)'"}));
    }
    const std::string joint = along.substr(0, std::min(dot, equals));
    std::string coordinate = dot < equals ? along.substr(dot + 1, equals - dot - 1) : "";
    const bool degrees = coordinate.ends_with("_deg");
    for (const std::string_view ending : {"_deg", "_rad", "_m"}) {
      if (coordinate.ends_with(ending)) { coordinate.resize(coordinate.size() - ending.size()); }
    }
    drive(scenario, joint, coordinate, degrees, Expression(along.substr(equals + 1)));
  }

  /// Times of rows.
  std::vector<double> times_of(const simulation::Plan& plan, const MotionTable* table) const {
    std::vector<double> times;
    if (!options_.times.empty()) {
      const SweepAxis axis = SweepAxis::read("t=" + options_.times);
      if (axis.from > axis.to) {
        fail(Error(fmt::format("--times {}: time goes from {:g} back to {:g}", options_.times, axis.from, axis.to)));
      }
      for (std::size_t k = 0; k < axis.count; ++k) { times.push_back(axis.value(k)); }
    } else if (!plan.output.times.empty()) {
      times = plan.output.times;
    } else {
      const double count = std::floor(plan.duration / plan.output_interval * (1 + 1e-12));
      if (!(count < static_cast<double>(kMostTimes))) {
        fail(Error(fmt::format("{:g} rows; at most {}", count, kMostTimes)));
      }
      for (std::size_t k = 0; k <= static_cast<std::size_t>(count); ++k) {
        times.push_back(static_cast<double>(k) * plan.output_interval);
      }
    }
    if (table != nullptr) {
      const double first = table->times.front();
      const double last = table->times.back();
      const std::size_t before = times.size();
      if (options_.times.empty()) {
        std::erase_if(times, [&](double t) { return t < first || t > last; });
      }
      for (const double t : times) {
        if (t < first || t > last) {
          fail(Error(fmt::format("time {:g} lies outside of the table, which goes from {:g} to {:g}", t, first, last)));
        }
      }
      if (times.empty() && before > 0) {
        fail(Error(fmt::format("the table goes from {:g} s to {:g} s, outside of the run; give --times", first, last)));
      }
    }
    return times;
  }

  Solved driven() {
    Scenario scenario = file_.scenario();
    std::optional<MotionTable> table;
    if (!options_.table.empty()) {
      table = read_motion_table(io::read_file(options_.table, options_.keep_going), options_.table);
      for (const MotionTable::Column& column : table->columns) {
        drive(scenario, column.joint, column.coordinate, false, Expression(column.values.front()));
      }
    }
    for (const std::string& along : options_.along) { add_wanted(scenario, along); }
    const bool as_file = !table && options_.along.empty();
    const catalog::MechanismScenario given = read(source_.parameters);
    const catalog::MechanismScenario wanted =
        as_file ? given
                : catalog::CompiledScenario(scenario, folder_, {}, source_.meshes).mechanism(source_.parameters);
    const catalog::ScenarioHead& head = given;
    const simulation::MechanismPlan& plan = wanted.plan;
    std::vector<Driver> drivers = plan.model->all<Driver>();
    if (table) {
      for (const MotionTable::Column& column : table->columns) {
        const std::string name =
            column.coordinate.empty() ? "to-" + column.joint : fmt::format("to-{}-{}", column.joint, column.coordinate);
        for (Driver& driver : drivers) {
          if (driver.name != name) { continue; }
          driver.law = [spline = std::make_shared<const math::QuinticSpline>(table->times, column.values)](double t) {
            return (*spline)(t);
          };
        }
      }
    }
    const Model model = with_drivers(*plan.model, drivers);
    require_driven(model, plan);
    const std::vector<double> times = times_of(plan, table ? &*table : nullptr);

    DrivenMotion motion(model);
    const double begin = table ? times.front() : std::fmin(0, times.front());
    std::optional<DrivenState> state = motion.start(begin, plan.start, plan.start_turns);
    if (!state) { fail(Error(fmt::format("the mechanism cannot be closed at t = {:g}: {}", begin, motion.trouble()))); }
    Rows rows;
    columns_of(model, rows);
    return march(head, model, motion, *state, times, rows);
  }

  void require_driven(const Model& model, const simulation::MechanismPlan& plan) const {
    const DrivenFaults faults = DrivenMotion::faults(model, 0, plan.start);
    Problems problems;
    for (const std::string& unfit : faults.unfit) { problems.add({unfit, "", "", {}}); }
    std::move(problems).fail_if_any();
    if (faults.singular) {
      fail(Error(Problem{
          .what = fmt::format("a dead point at the start: drivers do not move the {}", plural_list(faults.undriven)),
          .allowed = fmt::format("'solve {}' wants a start at which they do", options_.what),
          .cure = "start elsewhere, or drive another joint"}));
    }
    if (!faults.undriven.empty()) {
      problems.add({fmt::format("nothing drives the {}", plural_list(faults.undriven)),
                    fmt::format("'solve {}' wants all freedoms driven", options_.what),
                    "add [[drivers]], or --along JOINT.COORDINATE=FORMULA",
                    {}});
    }
    for (const std::string& fighting : faults.fighting) {
      problems.add({fighting, "wanted: a driver for each freedom", "remove one", {}});
    }
    std::move(problems).fail_if_any();
  }

  struct Rows {
    io::TableHead table;
    std::vector<std::vector<io::TableCell>> rows;
    std::vector<std::pair<int, Coordinate>> coordinates;
    std::size_t first_force = 0;
    std::size_t first_reaction = 0;
  };

  void columns_of(const Model& model, Rows& rows) const {
    std::vector<io::TableColumn>& columns = rows.table.columns;
    columns.push_back({"t_s", "s", "time"});
    for (std::size_t j = 0; j < model.joint_count(); ++j) {
      for (const Coordinate coordinate : model.joints()[j].kind->coordinates) {
        if (!has_row(coordinate)) { continue; }
        rows.coordinates.emplace_back(static_cast<int>(j), coordinate);
        const std::string unit = unit_of(coordinate);
        const std::string name = fmt::format("{}.{}_{}", model.joints()[j].name, to_text(coordinate), unit);
        columns.push_back({name, unit, coordinate_in_words(model, static_cast<int>(j), coordinate)});
        columns.push_back({name + "_s", unit + "/s", "rate of it"});
        columns.push_back({name + "_s2", unit + "/s2", "acceleration of it"});
      }
    }
    if (options_.what == "kinematics") {
      for (const BodyDescription& body : model.bodies()) {
        for (const auto& [symbol, unit, meaning] :
             {std::array<std::string, 3>{"r", "m", "position"}, std::array<std::string, 3>{"v", "m_s", "velocity"},
              std::array<std::string, 3>{"a", "m_s2", "acceleration"}}) {
          for (const char axis : {'x', 'y', 'z'}) {
            std::string plain = unit;
            std::replace(plain.begin(), plain.end(), '_', '/');
            columns.push_back({fmt::format("{}.{}{}_space_{}", body.name, symbol, axis, unit), plain,
                               fmt::format("{} of the mass centre of {}", meaning, body.name)});
          }
        }
      }
      return;
    }
    rows.first_force = columns.size();
    for (const Driver& driver : model.all<Driver>()) {
      const bool slide = is_slide_of(driver.coordinate);
      columns.push_back({driver.name + (slide ? ".force_N" : ".torque_Nm"), slide ? "N" : "N m",
                         fmt::format("what the wanted motion takes on the {}",
                                     coordinate_in_words(model, driver.joint, driver.coordinate))});
    }
    columns.push_back({"power_W", "W", "power of all of these"});
    rows.first_reaction = columns.size();
    for (const JointDescription& joint : model.joints()) {
      for (const auto& [symbol, unit, plain, meaning] : {std::array<std::string, 4>{"f", "N", "N", "force"},
                                                         std::array<std::string, 4>{"m", "Nm", "N m", "moment"}}) {
        for (const char axis : {'x', 'y', 'z'}) {
          columns.push_back({fmt::format("{}.{}{}_space_{}", joint.name, symbol, axis, unit), plain,
                             fmt::format("{} of joint {} on its second body", meaning, joint.name)});
        }
      }
    }
  }

  void add_row(const Model& model, DrivenMotion& motion, const DrivenState& state, Rows& rows) const {
    motion.look(state);
    std::vector<io::TableCell> row{state.t};
    for (const auto& [joint, coordinate] : rows.coordinates) {
      const CoordinateMotion q = motion.coordinate(joint, coordinate);
      row.insert(row.end(), {q.value, q.rate, q.acceleration});
    }
    const auto add = [&](const Vec3<double>& v) { row.insert(row.end(), {v.x, v.y, v.z}); };
    if (options_.what == "kinematics") {
      for (std::size_t b = 0; b < model.body_count(); ++b) {
        const BodyView body = Model::view(state.y, static_cast<BodyId>(b));
        add(body.r_N);
        add(body.v_N);
        add(motion.acceleration(static_cast<BodyId>(b)).lin);
      }
    } else {
      for (std::size_t d = 0; d < model.all<Driver>().size(); ++d) {
        row.emplace_back(motion.driver(static_cast<int>(d)));
      }
      row.emplace_back(motion.driver_power());
      for (const Reaction& reaction : motion.reactions()) {
        add(reaction.force_N);
        add(reaction.moment_N);
      }
    }
    rows.rows.push_back(std::move(row));
  }

  Solved march(const catalog::ScenarioHead& head, const Model& model, DrivenMotion& motion, DrivenState state,
               const std::vector<double>& times, Rows& rows) {
    Solved solved;
    std::vector<DeadPoint> dead;
    std::string broken_off;
    std::optional<DrivenState> last;
    std::optional<DrivenState> last_but_one;
    double most = state.least;  // of the least singular values so far
    const auto look_for_dead_point = [&](const DrivenState& a, const DrivenState& b) {
      if (const auto found = dead_point(motion, a, b)) { dead.push_back(*found); }
    };
    for (const double t : times) {
      if (options_.keep_going && !options_.keep_going()) {
        solved.interrupted = true;
        break;
      }
      if (t != state.t && !motion.advance(state, t)) {
        broken_off =
            fmt::format("the mechanism cannot follow its drivers beyond t = {:.9g} s: {}", state.t,
                        state.least < 0.05 * most
                            ? fmt::format("a dead point, where the {} could move by itself", motion.loosest(state))
                            : motion.trouble());
        break;
      }
      add_row(model, motion, state, rows);
      // σ falls and rises, or its sign changes: each dead point once
      if (last) {
        if (last->side * state.side < 0) {
          look_for_dead_point(*last, state);
        } else if (last_but_one && last->side * last_but_one->side >= 0 && last->least < last_but_one->least &&
                   last->least <= state.least && last->least < 0.1 * std::fmax(last_but_one->least, state.least)) {
          look_for_dead_point(*last_but_one, state);
        }
      }
      most = std::fmax(most, state.least);
      last_but_one = last;
      last = state;
    }
    solved.good = broken_off.empty() && !solved.interrupted;
    rows.table = with_columns(table_head(head), std::move(rows.table.columns));
    write_table(rows.table, rows.rows, broken_off);
    if (!options_.svg.empty()) { write_svg(motion_chart(head.title, rows)); }
    if (options_.json) {
      SolveJson json = head_json(head);
      json["ending"] = solved.interrupted ? "interrupted" : broken_off.empty() ? "done" : "cannot-follow";
      json["reason"] = broken_off;
      SolveJson points = SolveJson::array();
      for (const DeadPoint& point : dead) {
        points.push_back({{"t_s", point.t}, {"changes_branch", point.changes}, {"moves", point.text}});
      }
      json["dead_points"] = points;
      add_rows(json, rows.table, rows.rows);
      solved.json = json.dump(2, ' ', false, SolveJson::error_handler_t::replace);
    }
    solved.text = head.title + "\n";
    solved.text +=
        fmt::format("{} from t = {:g} s to {:g} s, all freedoms driven\n", counted(rows.rows.size(), "row"),
                    times.front(), rows.rows.empty() ? times.front() : std::get<double>(rows.rows.back()[0]));
    for (const DeadPoint& point : dead) {
      solved.text += fmt::format("dead point at t = {:.9g} s, where the {} could move by itself{}\n", point.t,
                                 point.text, point.changes ? ": beyond it on another branch" : "");
    }
    solved.text += extremes(rows);
    if (!broken_off.empty()) { solved.text += broken_off + "\n"; }
    if (solved.interrupted) { solved.text += "interrupted\n"; }
    return solved;
  }

  /// Least and largest of coordinates and forces, with their times; of reactions the largest force.
  std::string extremes(const Rows& rows) const {
    if (rows.rows.empty()) { return ""; }
    std::vector<std::pair<std::string, std::string>> lines;
    const bool inverse = options_.what == "inverse";
    const std::size_t begin = inverse ? rows.first_force : 1;
    const std::size_t end = inverse ? rows.first_reaction : 1 + 3 * rows.coordinates.size();
    for (std::size_t k = begin; k < end; ++k) {
      const auto value = [&](const std::vector<io::TableCell>& row) { return std::get<double>(row[k]); };
      const auto [least, most] = std::minmax_element(rows.rows.begin(), rows.rows.end(),
                                                     [&](const auto& a, const auto& b) { return value(a) < value(b); });
      const double size = std::fmax(std::fabs(value(*least)), std::fabs(value(*most)));
      lines.emplace_back(
          rows.table.columns[k].name,
          fmt::format("from {} at {:.6g} s to {} at {:.6g} s", shown(value(*least), size),
                      std::get<double>((*least)[0]), shown(value(*most), size), std::get<double>((*most)[0])));
    }
    std::string text = in_two_columns(lines);
    if (!inverse) { return text; }
    lines.clear();
    for (std::size_t k = rows.first_reaction; k + 5 < rows.table.columns.size(); k += 6) {
      double most = 0;
      double when = 0;
      for (const std::vector<io::TableCell>& row : rows.rows) {
        const double force =
            norm(Vec3<double>{std::get<double>(row[k]), std::get<double>(row[k + 1]), std::get<double>(row[k + 2])});
        if (force > most) {
          most = force;
          when = std::get<double>(row[0]);
        }
      }
      const std::string& name = rows.table.columns[k].name;
      lines.emplace_back(name.substr(0, name.rfind(".fx_")), fmt::format("{:.6g} N at {:.6g} s", most, when));
    }
    return text + (lines.empty() ? "" : "largest forces of joints\n" + in_two_columns(lines));
  }

  drawing::Chart motion_chart(const std::string& title, const Rows& rows) const {
    drawing::Chart chart;
    chart.title = title;
    chart.legend = drawing::Chart::Legend::above;
    const auto add_panel = [&](const std::string& name, const std::vector<std::size_t>& columns) {
      if (columns.empty()) { return; }
      drawing::ChartPanel panel;
      panel.title = name;
      panel.x.label = "t, s";
      panel.y.label = rows.table.columns[columns.front()].unit;
      int style = 0;
      for (const std::size_t k : columns) {
        drawing::ChartLine line;
        line.name = rows.table.columns[k].name;
        line.style = style++;
        for (const std::vector<io::TableCell>& row : rows.rows) {
          line.points.emplace_back(std::get<double>(row[0]), std::get<double>(row[k]));
        }
        panel.lines.push_back(std::move(line));
      }
      chart.panels.push_back(std::move(panel));
    };
    constexpr std::size_t kMostLines = 6;
    const auto of_unit = [&](std::size_t begin, std::size_t end, std::string_view unit) {
      std::vector<std::size_t> found;
      for (std::size_t k = begin; k < end && found.size() < kMostLines; ++k) {
        if (rows.table.columns[k].unit == unit) { found.push_back(k); }
      }
      return found;
    };
    const std::size_t end = 1 + 3 * rows.coordinates.size();
    if (options_.what == "inverse") {
      add_panel("torques", of_unit(rows.first_force, rows.first_reaction, "N m"));
      add_panel("forces", of_unit(rows.first_force, rows.first_reaction, "N"));
      add_panel("power", of_unit(rows.first_force, rows.first_reaction, "W"));
    }
    add_panel("angles", of_unit(1, end, "rad"));
    add_panel("slides", of_unit(1, end, "m"));
    if (options_.what == "kinematics") {
      add_panel("rates of angles", of_unit(1, end, "rad/s"));
      add_panel("rates of slides", of_unit(1, end, "m/s"));
      add_panel("accelerations of angles", of_unit(1, end, "rad/s2"));
      add_panel("accelerations of slides", of_unit(1, end, "m/s2"));
    }
    return chart;
  }

  // ---- files --------------------------------------------------------------------------------------------------------

  io::TableHead table_head(const catalog::ScenarioHead& head) const {
    io::TableHead table;
    table.title = head.title;
    table.version = std::string(version());
    table.scenario_file = fs::path(path_).filename().string();
    table.scenario_sha256 = head.sha256;
    table.facts.emplace_back("solved", options_.what);
    for (const auto& [name, value] : source_.parameters) {
      table.facts.emplace_back("set " + name, fmt::format("{}", value));
    }
    for (const std::string& along : options_.along) { table.facts.emplace_back("along", along); }
    return table;
  }
  static io::TableHead with_columns(io::TableHead table, std::vector<io::TableColumn> columns) {
    table.columns = std::move(columns);
    return table;
  }

  void write_table(const io::TableHead& table, const std::vector<std::vector<io::TableCell>>& rows,
                   const std::string& end) {
    if (options_.csv.empty()) { return; }
    io::OutputFile csv(options_.csv, options_.standard_output);
    csv.write(io::csv_head(table));
    for (const std::vector<io::TableCell>& row : rows) { csv.write(io::csv_row(row)); }
    if (!end.empty()) { csv.write(io::csv_comment("end", end)); }
    csv.commit();
    if (options_.csv != "-") { written_.push_back(options_.csv); }
  }

  void write_svg(const drawing::Chart& chart) {
    io::write_file(options_.svg, drawing::draw(chart), options_.standard_output);
    if (options_.svg != "-") { written_.push_back(options_.svg); }
  }

  void add_rows(SolveJson& json, const io::TableHead& table,
                const std::vector<std::vector<io::TableCell>>& rows) const {
    SolveJson columns = SolveJson::array();
    for (const io::TableColumn& column : table.columns) {
      columns.push_back({{"name", column.name}, {"unit", column.unit}, {"meaning", column.meaning}});
    }
    SolveJson list = SolveJson::array();
    for (const std::vector<io::TableCell>& row : rows) {
      if (list.size() >= kMostSolvedRows) { break; }
      SolveJson one = SolveJson::object();
      for (std::size_t k = 0; k < row.size(); ++k) { one[table.columns[k].name] = json_of(row[k]); }
      list.push_back(std::move(one));
    }
    json["columns"] = columns;
    json["rows"] = list;
    json["rows_left_out"] = rows.size() - list.size();
    json["files"] = written_;
  }

  const SolveOptions& options_;
  const run::Source& source_;
  std::string path_;
  std::string folder_;
  std::string text_;
  io::ScenarioFile file_;
  std::vector<std::string> written_;
};

}  // namespace

Solved solve(const std::string& text, const std::string& file, const run::Source& source, const SolveOptions& options) {
  return Solving(text, file, source, options)();
}

}  // namespace polhode::analysis
