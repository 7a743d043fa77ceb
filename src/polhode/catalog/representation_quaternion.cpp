#include "polhode/catalog/representation_support.h"
#include "polhode/rotation/checks.h"

namespace polhode::catalog {
namespace {

/// The four Euler parameters themselves; passed on as they are, not normalised.
class Quaternion final : public Representation {
 public:
  Quaternion(std::string name, bool scalar_last)
      : Representation(std::move(name),
                       scalar_last ? columns_named("x", "y", "z", "w") : columns_named("w", "x", "y", "z")),
        scalar_(scalar_last ? 3 : 0),
        vector_(scalar_last ? 0 : 1) {}

  Reading read(std::span<const double> x, Noise noise) const override {
    const EulerParameters<double> e = get(x);
    const double size = norm(e);
    if (noise == Noise::project && size > 0) { return {unit(e), std::fabs(size - 1)}; }
    return {require_unit(e), std::fabs(size - 1)};
  }
  void write(const EulerParameters<double>& e_NB, std::span<double> x) const override {
    x[scalar_] = e_NB.e0;
    x[vector_] = e_NB.ev.x;
    x[vector_ + 1] = e_NB.ev.y;
    x[vector_ + 2] = e_NB.ev.z;
  }
  BodyVector<double> angular_velocity(const EulerParameters<double>& e_NB, std::span<const double>,
                                      std::span<const double> xdot) const override {
    return polhode::angular_velocity<Body>(e_NB, get(xdot));  // (KIN-14)
  }
  void write_rates(const EulerParameters<double>& e_NB, const BodyVector<double>& w, std::span<const double>,
                   std::span<double> xdot) const override {
    write(rate(e_NB, w), xdot);  // (KIN-12)
  }

 private:
  EulerParameters<double> get(std::span<const double> x) const {
    return {x[scalar_], {x[vector_], x[vector_ + 1], x[vector_ + 2]}};
  }
  std::size_t scalar_;
  std::size_t vector_;
};

RepresentationPtr make_wxyz(std::string name, std::string_view parameter) {
  refuse_parameter("quaternion_wxyz", parameter);
  return std::make_shared<Quaternion>(std::move(name), false);
}
RepresentationPtr make_xyzw(std::string name, std::string_view parameter) {
  refuse_parameter("quaternion_xyzw", parameter);
  return std::make_shared<Quaternion>(std::move(name), true);
}

}  // namespace

extern const RepresentationFamily quaternion_wxyz_family{
    .name = "quaternion_wxyz",
    .usage = "quaternion_wxyz",
    .summary = "unit quaternion, body to space, Hamilton product, scalar first: w x y z",
    .source = "SchwabMeijaard2006",
    .make = make_wxyz};
extern const RepresentationFamily quaternion_xyzw_family{.name = "quaternion_xyzw",
                                                         .usage = "quaternion_xyzw",
                                                         .summary = "the same, scalar last: x y z w",
                                                         .source = "SchwabMeijaard2006",
                                                         .make = make_xyzw};

}  // namespace polhode::catalog
