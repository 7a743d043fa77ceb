#include "calls.h"
#include "module.h"
#include "plain.h"
#include "polhode/io/result.h"
#include "polhode/io/result_conversion.h"
#include "polhode/run/peaks.h"
#include "polhode/run/run_folder.h"
#include "polhode/run/simulate.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

/// Runs: a scenario in, a table of numbers out.

namespace polhode::python {
namespace {

nb::tuple from(const Vec3<double>& v) { return nb::make_tuple(v.x, v.y, v.z); }
nb::tuple from(const EulerParameters<double>& e) { return nb::make_tuple(e.e0, e.ev.x, e.ev.y, e.ev.z); }
nb::tuple from(const EulerParameters<double>& e, const Vec3<double>& w) { return nb::make_tuple(from(e), from(w)); }

Vec3<double> vector_from(const nb::handle& value, const char* name) {
  if (value.is_none()) { return {}; }
  std::vector<double> numbers;
  if (!nb::try_cast<std::vector<double>>(value, numbers) || numbers.size() != 3) {
    throw nb::type_error(fmt::format("{}: wanted are three numbers", name).c_str());
  }
  return {numbers[0], numbers[1], numbers[2]};
}

nb::list from(const std::vector<simulation::Column>& columns) {
  nb::list list;
  for (const simulation::Column& one : columns) { list.append(nb::make_tuple(one.name, one.unit, one.meaning)); }
  return list;
}

/// How a run is asked for: the text of its file, or the data, and what is the same of both.
struct Asked {
  nb::dict scenario;
  std::string text;  ///< "": there is no file
  std::string file;
  std::string folder;
  bool outside = false;  ///< meshes may lie outside the folder
  Named<double> parameters;
};

std::unique_ptr<run::Run> prepared(const Asked& asked, const force::Laws& laws) {
  if (!asked.text.empty() && laws.empty()) {
    const run::Source source{
        .meshes = asked.outside ? catalog::MeshLocations::anywhere : catalog::MeshLocations::below_scenario,
        .parameters = asked.parameters};
    return run::read(asked.text, asked.file, source);
  }
  return run::prepare(scenario_from(asked.scenario), asked.parameters, asked.folder, laws);
}

/// A trajectory, and what a function of Python threw on the way (None: nothing).
nb::tuple simulated(const nb::dict& scenario, const std::string& text, const std::string& file,
                    const std::string& folder, bool outside, const nb::dict& parameters, const nb::dict& laws,
                    bool certify, std::vector<std::string> by) {
  const auto caught = std::make_shared<Caught>();
  const Asked asked{scenario, text, file, folder, outside, values_from(parameters)};
  const force::Laws bound = laws_from(laws, caught);
  SimulateOptions options{.parameters = asked.parameters,
                          .laws = bound,
                          .sensitivities = std::move(by),
                          .certify = certify,
                          .keep_going = goes_on(caught),
                          .folder = folder};
  std::optional<Trajectory> trajectory;
  if (options.sensitivities.empty()) {
    std::unique_ptr<run::Run> run = prepared(asked, bound);
    const nb::gil_scoped_release unlocked;
    trajectory.emplace(simulate(std::move(run), options));
  } else {
    const Scenario given = scenario_from(scenario);
    const nb::gil_scoped_release unlocked;
    trajectory.emplace(simulate(given, options));
  }
  caught->let_go();
  nb::object thrown = nb::none();
  if (caught->any()) {
    try {
      std::rethrow_exception(caught->error());
    } catch (nb::python_error& error) {
      error.restore();
      nb::python_error again;
      thrown = nb::borrow(again.value());
    } catch (const std::exception& error) { thrown = nb::module_::import_("builtins").attr("TypeError")(error.what()); }
  }
  return nb::make_tuple(std::move(*trajectory), thrown);
}

/// All rows, without a copy.
nb::ndarray<nb::numpy, const double, nb::ndim<2>> table(nb::handle self) {
  const auto& trajectory = nb::cast<const Trajectory&>(self);
  const std::size_t shape[2] = {trajectory.rows(), trajectory.columns().size()};
  return {trajectory.all_rows().numbers.data(), 2, shape, self};
}

nb::list events_of(const Trajectory& trajectory) {
  nb::list list;
  for (const EventRecord& event : trajectory.events()) {
    list.append(nb::make_tuple(event.name, event.t, from(event.state.e_NB, event.state.w_B), nb::cast(event.time_by)));
  }
  return list;
}

nb::dict end_of(const Trajectory& trajectory) {
  const simulation::RunEnd& end = trajectory.end();
  nb::dict entries;
  entries["ending"] = nb::str(std::string(simulation::to_text(end.ending)).c_str());
  entries["message"] = nb::str(end.message.c_str());
  entries["t"] = end.t;
  entries["steps"] = end.statistics.steps;
  entries["rejected"] = end.statistics.rejected;
  entries["evaluations"] = end.statistics.evaluations;
  return entries;
}

nb::dict head_of(const io::ResultHead& head) {
  nb::dict entries;
  entries["title"] = nb::str(head.title.c_str());
  entries["scenario_file"] = nb::str(head.scenario_file.c_str());
  entries["scenario_text"] = nb::str(head.scenario_text.c_str());
  entries["scenario_sha256"] = nb::str(head.scenario_sha256.c_str());
  entries["version"] = nb::str(head.version.c_str());
  entries["formulation"] = nb::str(head.formulation.c_str());
  entries["integrator"] = nb::str(head.integrator.c_str());
  entries["epoch"] = nb::str(head.epoch.c_str());
  nb::dict parameters;
  for (const auto& [name, value] : head.parameters) { parameters[nb::str(name.c_str())] = value; }
  entries["parameters"] = parameters;
  return entries;
}

/// A result file: head, columns, rows, events, notes.
nb::tuple read_result(const std::string& path) {
  const auto caught = std::make_shared<Caught>();
  const std::function<bool()> keep_going = goes_on(caught);
  std::unique_ptr<io::ResultReader> reader;
  std::vector<double> numbers;
  std::vector<io::ResultEvent> events;
  {
    const nb::gil_scoped_release unlocked;
    reader = io::open_result(io::result_file_in(path));
    for (io::ResultReader::Item item = reader->next(); item != io::ResultReader::Item::end; item = reader->next()) {
      if (item == io::ResultReader::Item::event) {
        events.push_back(reader->event());
      } else {
        const std::span<const double> row = reader->row();
        numbers.insert(numbers.end(), row.begin(), row.end());
      }
      if (!keep_going()) { break; }
    }
  }
  if (caught->any()) { std::rethrow_exception(caught->error()); }
  nb::list told;
  for (const io::ResultEvent& event : events) {
    told.append(nb::make_tuple(event.name, event.t, from(event.e_NB, event.w_B), nb::list()));
  }
  nb::list notes;
  for (const std::string& note : reader->notes()) { notes.append(nb::str(note.c_str())); }
  const std::size_t width = reader->head().columns.size();
  const std::array<std::size_t, 2> shape{numbers.size() / width, width};
  return nb::make_tuple(head_of(reader->head()), from(reader->head().columns), array(std::move(numbers), shape), told,
                        notes, reader->head().certificate_json);
}

void bind_law(nb::module_& m) {
  using State = BodyState<double>;
  using Wrench = force::BodyWrench<double>;
  nb::class_<State>(m, "State", "The state of a body, as a law sees it; frames in the names.")
      .def_ro("t", &State::t, "time, s")
      .def_prop_ro(
          "r_N", [](const State& s) { return from(s.r_N); }, "mass centre, or fixed point, in space, m")
      .def_prop_ro(
          "v_N", [](const State& s) { return from(s.v_N); }, "its velocity, space components, m/s")
      .def_prop_ro(
          "e_NB", [](const State& s) { return from(s.e_NB); }, "Euler parameters, scalar first, body to space")
      .def_prop_ro("w_B", [](const State& s) { return from(s.w_B); }, "angular velocity, body components, rad/s");
  nb::class_<Wrench>(m, "Wrench", "What a law returns: a force at the mass centre, and a moment about it.")
      .def(
          "__init__",
          [](Wrench* self, const nb::object& force_space, const nb::object& moment_body) {
            new (self) Wrench{.force_N = vector_from(force_space, "force_space"),
                              .moment_B = vector_from(moment_body, "moment_body")};
          },
          nb::kw_only(), nb::arg("force_space").none() = nb::none(), nb::arg("moment_body").none() = nb::none())
      .def_prop_ro(
          "force_space", [](const Wrench& w) { return from(w.force_N); }, "space components, N")
      .def_prop_ro("moment_body", [](const Wrench& w) { return from(w.moment_B); }, "body components, N m");
}

}  // namespace

void bind_run(nb::module_& m) {
  bind_law(m);
  nb::class_<Trajectory>(m, "Trajectory")
      .def_prop_ro("columns", [](const Trajectory& t) { return from(t.columns()); })
      .def_prop_ro("table", &table)
      .def_prop_ro("events", &events_of)
      .def_prop_ro("end", &end_of)
      .def_prop_ro("head", [](const Trajectory& t) { return head_of(t.run().head()); })
      .def_prop_ro("certificate_json", [](const Trajectory& t) { return run::to_json(t.certificate()); })
      .def_prop_ro("certificate_text", [](const Trajectory& t) { return run::to_text(t.certificate()); })
      .def("save", [](const Trajectory& t, const std::string& folder, std::vector<std::string> formats, bool report,
                      bool svg, bool overwrite) {
        const nb::gil_scoped_release unlocked;
        return save(t, folder, {.formats = std::move(formats), .report = report, .svg = svg, .overwrite = overwrite});
      });
  m.def("simulate", &simulated);
  m.def("read_result", &read_result);
}

}  // namespace polhode::python
