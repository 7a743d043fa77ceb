#include "calls.h"
#include "module.h"
#include "polhode/body/mass_properties.h"
#include "polhode/motion/free_motion.h"
#include "polhode/motion/lagrange_top.h"

#include <nanobind/stl/string.h>

/// Motions in closed form.

namespace polhode::python {
namespace {

using Times = Doubles<nb::ndim<1>>;

Vec3<double> three(const Doubles<nb::shape<3>>& v) { return {v(0), v(1), v(2)}; }
EulerParameters<double> four(const Doubles<nb::shape<4>>& e) { return {e(0), {e(1), e(2), e(3)}}; }

std::string_view name_of(FreeBranch branch) {
  switch (branch) {
    case FreeBranch::rest:
      return "rest";
    case FreeBranch::steady:
      return "steady";
    case FreeBranch::axisymmetric:
      return "axisymmetric";
    case FreeBranch::about_largest:
      return "about the largest moment";
    case FreeBranch::about_smallest:
      return "about the smallest moment";
    case FreeBranch::separatrix:
      return "separatrix";
  }
  return "";
}

/// Attitudes and rates at times: arrays (n, 4) and (n, 3).
template <class Motion>
nb::tuple states_at(const Motion& motion, const Times& times) {
  const std::size_t n = times.shape(0);
  std::vector<double> e;
  std::vector<double> w;
  {
    const nb::gil_scoped_release unlocked;
    e.reserve(4 * n);
    w.reserve(3 * n);
    for (std::size_t i = 0; i < n; ++i) {
      const MotionState<double> s = motion.at(times.data()[i]);
      e.insert(e.end(), {s.e_NB.e0, s.e_NB.ev.x, s.e_NB.ev.y, s.e_NB.ev.z});
      w.insert(w.end(), {s.w_B.x, s.w_B.y, s.w_B.z});
    }
  }
  return nb::make_tuple(array(std::move(e), std::array<std::size_t, 2>{n, 4}),
                        array(std::move(w), std::array<std::size_t, 2>{n, 3}));
}

}  // namespace

void bind_motions(nb::module_& m) {
  using Free = FreeMotion<double>;
  nb::class_<Free>(m, "FreeMotion")
      .def("__init__",
           [](Free* self, const Doubles<nb::shape<3, 3>>& J, const Doubles<nb::shape<4>>& e,
              const Doubles<nb::shape<3>>& w) {
             Mat3<double> J_B;
             for (std::size_t i = 0; i < 3; ++i) {
               for (std::size_t j = 0; j < 3; ++j) { J_B(i, j) = J(i, j); }
             }
             new (self) Free(J_B, four(e), three(w));
           })
      .def("at", &states_at<Free>)
      .def_prop_ro("branch", [](const Free& f) { return std::string(name_of(f.branch())); })
      .def_prop_ro("period", &Free::period)
      .def_prop_ro("advance", &Free::advance)
      .def_prop_ro("kinetic_energy", &Free::kinetic_energy)
      .def_prop_ro("momentum", &Free::momentum);
  using Top = LagrangeTop<double>;
  nb::class_<Top>(m, "LagrangeTop")
      .def("__init__",
           [](Top* self, double transverse, double axial, double k, const Doubles<nb::shape<4>>& e,
              const Doubles<nb::shape<3>>& w) {
             new (self) Top(TopBody<double>{.transverse = transverse, .axial = axial, .k = k}, four(e), three(w));
           })
      .def("at", &states_at<Top>)
      .def_prop_ro("period", &Top::period);
}

}  // namespace polhode::python
