#include "module.h"

namespace polhode::python {

void bind_rotation(nb::module_&) {}

}  // namespace polhode::python
