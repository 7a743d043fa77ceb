#include "calls.h"
#include "module.h"
#include "plain.h"
#include "polhode/analysis/root_locus.h"
#include "polhode/analysis/solve.h"
#include "polhode/catalog/conversion.h"
#include "polhode/catalog/model_check.h"
#include "polhode/catalog/urdf.h"
#include "polhode/comparison/scheme_table.h"
#include "polhode/core/error.h"
#include "polhode/drawing/euler_cans.h"
#include "polhode/drawing/mechanism.h"
#include "polhode/io/files.h"
#include "polhode/report/pictures.h"
#include "polhode/run/compare.h"
#include "polhode/run/sweep.h"

#include <filesystem>
#include <variant>

#include <nanobind/stl/complex.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

/// What is asked of a scenario besides running it.

namespace polhode::python {
namespace {

void throw_if_any(const std::shared_ptr<Caught>& caught) {
  if (caught->any()) { std::rethrow_exception(caught->error()); }
}

catalog::MeshLocations meshes(bool outside) {
  return outside ? catalog::MeshLocations::anywhere : catalog::MeshLocations::below_scenario;
}

/// Answers in words and as JSON.
using Answer = std::pair<std::string, std::string>;

Answer check(const std::string& text, const std::string& file, bool outside, const nb::dict& parameters) {
  const Named<double> values = values_from(parameters);
  const nb::gil_scoped_release unlocked;
  std::string title;
  const catalog::ModelCheck found = catalog::check_file(text, file, meshes(outside), values, title);
  return {catalog::to_text(found, title), catalog::to_json(found, title)};
}

nb::tuple compare(const std::string& text, const std::string& file, bool outside, const nb::dict& parameters,
                  std::vector<std::string> formulations, std::vector<std::string> integrators,
                  std::optional<double> step) {
  const auto caught = std::make_shared<Caught>();
  const run::Source source{.meshes = meshes(outside), .parameters = values_from(parameters)};
  const run::CompareOptions options{.formulations = std::move(formulations),
                                    .integrators = std::move(integrators),
                                    .step = step,
                                    .csv = "-",
                                    .report = false,
                                    .keep_going = goes_on(caught)};
  run::Compared compared;
  {
    const nb::gil_scoped_release unlocked;
    compared = run::compare(text, file, source, options);
  }
  throw_if_any(caught);
  return nb::make_tuple(compared.text, compared.json, compared.csv);
}

Answer solve(const std::string& text, const std::string& file, bool outside, const nb::dict& parameters,
             const std::string& what, bool nearest, const std::string& over, std::vector<std::string> along,
             const std::string& table, const std::string& times, const std::string& write, const std::string& csv,
             const std::string& svg) {
  const auto caught = std::make_shared<Caught>();
  const run::Source source{.meshes = meshes(outside), .parameters = values_from(parameters)};
  const analysis::SolveOptions options{.what = what,
                                       .nearest = nearest,
                                       .over = over,
                                       .along = std::move(along),
                                       .table = table,
                                       .times = times,
                                       .write = write,
                                       .csv = csv,
                                       .svg = svg,
                                       .json = true,
                                       .keep_going = goes_on(caught)};
  analysis::Solved solved;
  {
    const nb::gil_scoped_release unlocked;
    solved = analysis::solve(text, file, source, options);
  }
  throw_if_any(caught);
  return {solved.text, solved.json};
}

// ---- linear equations -----------------------------------------------------------------------------------------------

Array matrix(const analysis::DenseMatrix& m) { return array(m.entries, std::array<std::size_t, 2>{m.rows, m.columns}); }
nb::list names(const std::vector<LinearName>& list) {
  nb::list all;
  for (const LinearName& one : list) { all.append(nb::make_tuple(one.name, one.unit)); }
  return all;
}

LinearizeOptions options_from(const nb::dict& given) {
  LinearizeOptions options;
  const auto take = [&](const char* key, auto& field) {
    if (given.contains(key)) { field = nb::cast<std::remove_reference_t<decltype(field)>>(given[key]); }
  };
  take("inputs", options.inputs);
  take("outputs", options.outputs);
  take("states", options.states);
  take("at", options.at);
  take("without_ignorable", options.without_ignorable);
  take("folder", options.folder);
  bool outside = false;
  take("outside", outside);
  options.meshes = meshes(outside);
  if (given.contains("parameters")) { options.parameters = values_from(nb::cast<nb::dict>(given["parameters"])); }
  std::string about = "steady";
  take("about", about);
  if (about != "steady" && about != "state") { fail(Error(unknown_name("about", about, {"steady", "state"}))); }
  options.about = about == "state" ? About::state : About::steady;
  return options;
}

nb::dict linearized(const nb::dict& scenario, const nb::dict& given) {
  const Scenario data = scenario_from(scenario);
  const LinearizeOptions options = options_from(given);
  std::optional<Linearization> found;
  {
    const nb::gil_scoped_release unlocked;
    found.emplace(linearize(data, options));
  }
  nb::list modes;
  for (const analysis::Mode& mode : found->modes()) {
    modes.append(nb::make_tuple(mode.eigenvalue, mode.damping(), nb::cast(mode.shape)));
  }
  nb::dict all;
  all["title"] = nb::str(found->title.c_str());
  all["about"] = nb::str(found->about.c_str());
  all["steady"] = found->steady;
  all["residual"] = found->residual;
  all["drift"] = found->drift;
  all["t"] = found->t;
  all["states"] = names(found->states);
  all["position_count"] = found->position_count;
  all["ignorable"] = nb::cast(std::vector<bool>(found->ignorable));
  all["left_out"] = nb::cast(found->left_out);
  all["inputs"] = names(found->inputs);
  all["outputs"] = names(found->outputs);
  all["A"] = matrix(found->A);
  all["B"] = matrix(found->B);
  all["C"] = matrix(found->C);
  all["D"] = matrix(found->D);
  all["modes"] = modes;
  all["differences"] = nb::cast(found->differences);
  all["notes"] = nb::cast(found->notes);
  all["text"] = nb::str(to_text(*found).c_str());
  all["matlab"] = nb::str(to_matlab(*found).c_str());
  return all;
}

nb::dict locus(const nb::dict& scenario, const nb::dict& given, const std::string& over) {
  const auto caught = std::make_shared<Caught>();
  const Scenario data = scenario_from(scenario);
  const LinearizeOptions options = options_from(given);
  std::optional<RootLocus> found;
  std::string svg;
  {
    const nb::gil_scoped_release unlocked;
    const CompiledScenario compiled(data, options.folder, {}, options.meshes);
    found.emplace(root_locus(compiled, SweepAxis::read(over), options, goes_on(caught)));
    svg = drawing::draw(to_chart(*found));
  }
  throw_if_any(caught);
  nb::list points;
  for (const RootLocus::Point& point : found->points) {
    points.append(nb::make_tuple(point.parameter, nb::cast(point.eigenvalues), point.refused));
  }
  nb::list changes;
  for (const StabilityChange& change : found->changes) {
    changes.append(nb::make_tuple(change.parameter, change.eigenvalue, change.becomes_unstable));
  }
  nb::dict all;
  all["parameter"] = nb::str(found->axis.parameter.c_str());
  all["points"] = points;
  all["changes"] = changes;
  all["zeros"] = found->zeros;
  all["text"] = nb::str(to_text(*found).c_str());
  all["svg"] = nb::str(svg.c_str());
  return all;
}

// ---- sweeps ---------------------------------------------------------------------------------------------------------

nb::tuple swept(const nb::dict& scenario, const std::string& folder, bool outside, const std::vector<std::string>& over,
                std::vector<std::string> columns, const nb::dict& parameters, const nb::dict& laws, bool certify,
                unsigned threads) {
  const auto caught = std::make_shared<Caught>();
  const Scenario data = scenario_from(scenario);
  std::vector<SweepAxis> axes;
  for (const std::string& one : over) { axes.push_back(SweepAxis::read(one)); }
  const SweepOptions options{.columns = std::move(columns),
                             .parameters = values_from(parameters),
                             .laws = laws_from(laws, caught),
                             .certify = certify,
                             .threads = threads,
                             .curves = 0,
                             .keep_going = goes_on(caught),
                             .folder = folder,
                             .meshes = meshes(outside)};
  SweepTable table;
  {
    const nb::gil_scoped_release unlocked;
    table = sweep(data, axes, options);
  }
  throw_if_any(caught);
  nb::list names;
  for (const io::TableColumn& column : table_columns(table.head)) {
    names.append(nb::make_tuple(column.name, column.meaning));
  }
  nb::list rows;
  for (const SweepRow& row : table.rows) {
    nb::list cells;
    for (const io::TableCell& cell : table_row(table.head, row)) {
      std::visit(
          [&](const auto& value) {
            using Value = std::remove_cvref_t<decltype(value)>;
            if constexpr (std::is_same_v<Value, std::monostate>) {
              cells.append(nb::none());
            } else {
              cells.append(nb::cast(value));
            }
          },
          cell);
    }
    rows.append(cells);
  }
  return nb::make_tuple(names, rows);
}

// ---- schemes, robots, drawings, conversions -------------------------------------------------------------------------

Answer schemes(const Doubles<nb::shape<3>>& moments, double spin, double step, double turns,
               const std::string& precision) {
  const auto caught = std::make_shared<Caught>();
  comparison::SchemeQuestion question;
  question.body.moments =
      principal_axes(from_principal_moments(1, Vec3<double>{moments(0), moments(1), moments(2)}).J_B).moments;
  question.body.rate = spin;
  question.step = step;
  question.turns = turns;
  Answer answer;
  {
    const nb::gil_scoped_release unlocked;
    const comparison::SchemeTable table = comparison::try_schemes(question, precision, goes_on(caught));
    answer = {comparison::to_text(table), comparison::to_json(table, "")};
  }
  throw_if_any(caught);
  return answer;
}

nb::tuple import_urdf(const std::string& path, std::vector<std::string> packages, bool floating) {
  catalog::UrdfReading how;
  how.packages = std::move(packages);
  how.scenario_folder = std::filesystem::path(path).parent_path().string();
  how.floating = floating;
  const catalog::ImportedRobot robot = catalog::read_urdf(io::read_file(path), path, how);
  nb::list notes;
  for (const catalog::RobotNote& note : catalog::in_order_of_kind(robot.notes)) {
    notes.append(nb::make_tuple(std::string(catalog::to_text(note.kind)), note.text, note.line));
  }
  return nb::make_tuple(plain(robot.scenario), notes, how.scenario_folder);
}

std::string draw_sequence(const std::string& sequence, std::optional<std::vector<double>> angles,
                          std::optional<std::vector<double>> rates) {
  drawing::EulerCans cans;
  cans.sequence = EulerSequence::parse(sequence);
  const auto three = [](const std::vector<double>& v, const char* name) {
    if (v.size() != 3) { fail(Error(fmt::format("{}: {} numbers; wanted: 3", name, v.size()))); }
    return Vec3<double>{v[0], v[1], v[2]};
  };
  cans.angles = angles ? three(*angles, "angles") : drawing::pleasant_angles(cans.sequence);
  if (rates) { cans.rates = three(*rates, "rates"); }
  cans.rates_in_degrees = false;
  const drawing::Linkage linkage = drawing::to_linkage(cans);
  return drawing::draw(linkage, drawing::best_view(linkage));
}

std::string draw_mechanism(const std::string& text, const std::string& file, bool outside, const nb::dict& parameters) {
  if (!catalog::is_mechanism(text, file)) {
    fail(Error("one body has no picture of its own; run it: trajectory.view() shows it move"));
  }
  const auto picture =
      report::start_picture(catalog::read_mechanism(text, file, meshes(outside), values_from(parameters)), "mechanism");
  return drawing::draw(picture, drawing::best_view(picture));
}

nb::tuple convert(const Doubles<nb::ndim<2>>& rows, const std::string& from, const std::string& to, bool degrees,
                  bool nearest) {
  catalog::ConversionPlan plan{.from = catalog::representation(from),
                               .to = catalog::representation(to),
                               .degrees_in = degrees,
                               .degrees_out = degrees,
                               .noise = nearest ? catalog::Noise::project : catalog::Noise::refuse};
  const catalog::Conversion conversion(std::move(plan));
  const std::size_t n = rows.shape(0);
  const std::size_t in = conversion.input_names().size();
  const std::size_t out = conversion.output_names().size();
  if (rows.shape(1) != in) {
    fail(Error(fmt::format("rows of {} numbers; '{}' has {}: {}", rows.shape(1), from, in,
                           fmt::join(conversion.input_names(), " "))));
  }
  std::vector<double> numbers(n * out);
  {
    const nb::gil_scoped_release unlocked;
    for (std::size_t i = 0; i < n; ++i) {
      try {
        conversion(std::span(rows.data() + i * in, in), std::span(numbers).subspan(i * out, out));
      } catch (const Error& error) { fail(Error(fmt::format("row {}: {}", i, error.what()))); }
    }
  }
  return nb::make_tuple(array(std::move(numbers), std::array<std::size_t, 2>{n, out}), conversion.output_names());
}

}  // namespace

void bind_questions(nb::module_& m) {
  m.def("check", &check);
  m.def("compare", &compare);
  m.def("solve", &solve);
  m.def("linearize", &linearized);
  m.def("root_locus", &locus);
  m.def("sweep", &swept);
  m.def("schemes", &schemes);
  m.def("import_urdf", &import_urdf);
  m.def("draw_sequence", &draw_sequence, nb::arg(), nb::arg().none(), nb::arg().none());
  m.def("draw_mechanism", &draw_mechanism);
  m.def("convert", &convert);
}

}  // namespace polhode::python
