#pragma once

#include <nanobind/nanobind.h>

/// The parts of the module, a file each.
namespace polhode::python {

namespace nb = nanobind;

void bind_errors(nb::module_& m);
void bind_scenario(nb::module_& m);
void bind_rotation(nb::module_& m);
void bind_run(nb::module_& m);
void bind_simulator(nb::module_& m);
void bind_motions(nb::module_& m);
void bind_questions(nb::module_& m);

}  // namespace polhode::python
