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

void bind_errors(nb::module_& m) {
  // made in Python (polhode/_errors.py), so that it can be a ValueError with fields of its own
  nb::module_ errors = nb::module_::import_("polhode._errors");
  m.attr("Error") = errors.attr("Error");
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Error& error) {
      nb::object type = nb::module_::import_("polhode._errors").attr("Error");
      nb::list problems;
      for (const Problem& problem : error.problems()) {
        problems.append(nb::make_tuple(problem.what, problem.allowed, problem.cure, problem.where.file,
                                       problem.where.line, problem.where.column));
      }
      nb::object made = type(error.what(), problems);
      PyErr_SetObject(type.ptr(), made.ptr());
    }
  });
}

}  // namespace polhode::python

NB_MODULE(_polhode, m) {
  using namespace polhode::python;
  m.attr("__version__") = nb::str(std::string(polhode::version()).c_str());
  bind_errors(m);
  bind_scenario(m);
  bind_rotation(m);
  bind_run(m);
  bind_simulator(m);
  bind_motions(m);
  bind_questions(m);
}
