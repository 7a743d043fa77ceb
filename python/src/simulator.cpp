#include "polhode/run/simulator.h"
#include "calls.h"
#include "module.h"
#include "plain.h"
#include "polhode/core/error.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

/// Control loops: a scenario that its caller carries forward.

namespace polhode::python {
namespace {

/// A Simulator and what functions of Python throw in its steps.
class SteppedScenario {
 public:
  SteppedScenario(const nb::dict& scenario, const std::string& folder, const nb::dict& parameters, const nb::dict& laws)
      : caught_(std::make_shared<Caught>()), goes_on_(goes_on(caught_)) {
    const force::Laws bound = laws_from(laws, caught_);
    simulator_.emplace(
        scenario_from(scenario),
        SimulateOptions{
            .parameters = values_from(parameters), .laws = bound, .keep_going = goes_on_, .folder = folder});
    throw_if_any();
  }

  Simulator& simulator() { return *simulator_; }
  const Simulator& simulator() const { return *simulator_; }

  bool step(double dt) {
    const bool goes = simulator_->step(dt);
    throw_if_any();
    return goes;
  }

 private:
  void throw_if_any() const {
    if (caught_->any()) { std::rethrow_exception(caught_->error()); }
  }

  std::shared_ptr<Caught> caught_;
  std::function<bool()> goes_on_;
  std::optional<Simulator> simulator_;
};

/// The row of the last step; a copy, which later steps leave as it is.
Array row_of(const SteppedScenario& s) {
  const std::span<const double> row = s.simulator().row();
  return array(std::vector<double>(row.begin(), row.end()), std::array{row.size()});
}

nb::list events_of(const SteppedScenario& s) {
  nb::list list;
  for (const EventRecord& event : s.simulator().events()) { list.append(nb::make_tuple(event.name, event.t)); }
  return list;
}

/// A state as plain data, which pickle takes.
nb::dict state_of(const SteppedScenario& s) {
  const Simulator::State state = s.simulator().state();
  nb::dict entries;
  entries["segment"] = state.segment;
  entries["rows"] = state.rows;
  entries["t"] = state.t;
  entries["y"] = nb::cast(state.y);
  entries["parameters"] = nb::cast(state.parameters);
  entries["ledger"] = nb::cast(state.ledger);
  entries["discrete"] = nb::cast(state.discrete);
  entries["just_happened"] = nb::cast(state.just_happened);
  return entries;
}

void restore(SteppedScenario& s, const nb::dict& entries) {
  Simulator::State state;
  const auto take = [&](const char* key, auto& field) {
    using Field = std::remove_reference_t<decltype(field)>;
    if (!entries.contains(key) || !nb::try_cast<Field>(entries[key], field)) {
      fail(Error(fmt::format("this is no state of a Simulator: its '{}' is missing, or of another kind", key)));
    }
  };
  take("segment", state.segment);
  take("rows", state.rows);
  take("t", state.t);
  take("y", state.y);
  take("parameters", state.parameters);
  take("ledger", state.ledger);
  take("discrete", state.discrete);
  take("just_happened", state.just_happened);
  s.simulator().restore(state);
}

}  // namespace

void bind_simulator(nb::module_& m) {
  nb::class_<SteppedScenario>(m, "Simulator")
      .def(nb::init<const nb::dict&, const std::string&, const nb::dict&, const nb::dict&>())
      .def_prop_ro("inputs", [](const SteppedScenario& s) { return s.simulator().inputs(); })
      .def("input", [](const SteppedScenario& s, std::string_view name) { return s.simulator().input(name); })
      .def("set", [](SteppedScenario& s, std::string_view name, double value) { s.simulator().set(name, value); })
      .def("step", &SteppedScenario::step)
      .def("reset", [](SteppedScenario& s) { s.simulator().reset(); })
      .def_prop_ro("t", [](const SteppedScenario& s) { return s.simulator().t(); })
      .def_prop_ro("row", &row_of, nb::rv_policy::automatic)
      .def_prop_ro("columns",
                   [](const SteppedScenario& s) {
                     nb::list names;
                     for (const auto& column : s.simulator().columns()) {
                       names.append(nb::make_tuple(column.name, column.unit, column.meaning));
                     }
                     return names;
                   })
      .def("__getitem__", [](const SteppedScenario& s, std::string_view column) { return s.simulator()[column]; })
      .def_prop_ro("events", &events_of)
      .def_prop_ro("end",
                   [](const SteppedScenario& s) {
                     const simulation::Outcome end = s.simulator().end();
                     return nb::make_tuple(std::string(simulation::to_text(end.ending)), end.message, end.t);
                   })
      .def("state", &state_of)
      .def("restore", &restore);
}

}  // namespace polhode::python
