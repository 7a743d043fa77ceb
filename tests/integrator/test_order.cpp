// Measured orders against Taylor series in long double; long double throughout, so that order 8 shows above rounding.
#include "integrator/free_body.h"

#include <doctest/doctest.h>

using namespace polhode;

namespace {

using Real = long double;

/// Slope of the error over step sizes h, h/2, h/4, far enough down that the next power does not count.
double measured_order(const MethodDescription& method, const OneBody<Real>& body, const BodyState<Real>& reference,
                      Real t_end) {
  const auto error = [&](int count) {
    return static_cast<double>(test::difference(test::state_after<Real>(method.name, body, t_end, count), reference));
  };
  const double start = method.order < 4 ? 5e-4 : method.order == 4 ? 1e-6 : method.order == 5 ? 1e-9 : 2e-8;
  for (int steps = 8; steps < 3000000; steps *= 2) {
    const double coarse = error(steps);
    if (coarse > start) { continue; }
    const double fine = error(4 * steps);
    CHECK(fine > 1e-14);  // far above the rounding of long double
    return std::log2(coarse / fine) / 2;
  }
  return 0;
}

}  // namespace

TEST_CASE("every method of fixed order: the measured order is the declared order") {
  const Real t_end = 4;
  const OneBody<Real> free_body = test::free_asymmetric_body<Real>();
  const OneBody<Real> top = test::heavy_top<Real>();
  const BodyState<Real> free_reference = test::reference_after(free_body, t_end);
  const BodyState<Real> top_reference = test::reference_after(top, t_end);
  for (const auto& method : integrators<Real>()) {
    const MethodDescription& description = method->description();
    if (description.order == 0) { continue; }
    CAPTURE(description.name);
    const double tolerance = description.order < 6 ? 0.1 : 0.2;
    CHECK(std::fabs(measured_order(description, free_body, free_reference, t_end) - description.order) < tolerance);
    CHECK(std::fabs(measured_order(description, top, top_reference, t_end) - description.order) < tolerance);
  }
}
