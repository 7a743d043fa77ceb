#include "module.h"

#include "polhode/core/error.h"
#include "polhode/core/version.h"
#include "polhode/integrator/integrator.h"
#include "polhode/io/result.h"
#include "polhode/io/viewer_page.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

/// The Python module: it passes arguments on and hands results over; physics, files and words are the library's.

namespace polhode::python {

namespace {

/// polhode.Error, made in Python (polhode/_errors.py): a ValueError with fields of its own.
PyObject* error_type = nullptr;

void raise(const Error& error) {
  nb::list problems;
  for (const Problem& problem : error.problems()) {
    problems.append(nb::make_tuple(problem.what, problem.allowed, problem.cure, problem.where.file, problem.where.line,
                                   problem.where.column));
  }
  const nb::object made = nb::borrow(error_type)(error.what(), problems);
  PyErr_SetObject(error_type, made.ptr());
}

}  // namespace

void bind_errors(nb::module_& m) {
  error_type = PyExc_ValueError;
  m.def("set_error", [](nb::type_object type) { error_type = type.release().ptr(); });
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Error& error) { raise(error); }
  });
}

}  // namespace polhode::python

NB_MODULE(_polhode, m) {
  using namespace polhode::python;
  nb::set_leak_warnings(false);  // what a session still holds at its end is no leak of ours
  m.def("version", [] { return std::string(polhode::version()); });
  m.def("features", [] {
    nb::dict features;
    features["sundials"] = polhode::absent_integrators().empty();
    bool hdf5 = false;
    for (const auto* writer : polhode::io::result_writers()) { hdf5 = hdf5 || writer->name == "hdf5"; }
    features["hdf5"] = hdf5;
    features["viewer"] = polhode::io::has_viewer();
    return features;
  });
  bind_errors(m);
  bind_scenario(m);
  bind_rotation(m);
  bind_run(m);
  bind_simulator(m);
  bind_motions(m);
  bind_questions(m);
}
