#include "polhode/body/shapes.h"

#include "polhode/core/error.h"
#include "polhode/math/pi.h"
#include "polhode/rotation/checks.h"

#include <fmt/format.h>

#include <cmath>

namespace polhode::shape {
namespace {

constexpr double kPi = math::kPi<double>;

void check_length(const char* what, double value, Problems& problems) {
  if (std::isfinite(value) && value >= 0) { return; }
  problems.add({.what = fmt::format("{} {:.9g} m is {}", what, value, value < 0 ? "negative" : "not finite"),
                .allowed = "a length is finite and not negative",
                .cure = {}});
}

/// The mass, from the density where that is given.
double mass_of(const char* shape, Amount amount, double volume, Problems& problems) {
  const bool is_mass = amount.kind == Amount::Kind::mass;
  if (!std::isfinite(amount.value) || amount.value <= 0) {
    problems.add({.what = fmt::format("{}: {} {:.9g} is {}", shape, is_mass ? "mass" : "density", amount.value,
                                      std::isfinite(amount.value) ? "not positive" : "not finite"),
                  .allowed = is_mass ? "a mass is positive, in kg" : "a density is positive, in kg/m³",
                  .cure = amount.value < 0 ? "material that is missing is a part with hole = true" : ""});
  } else if (!is_mass && volume == 0) {
    problems.add({.what = fmt::format("{}: a density, but no volume", shape),
                  .allowed = "a shape with a length of zero needs its mass",
                  .cure = {}});
  }
  return is_mass ? amount.value : amount.value * volume;
}

/// A body whose planes of symmetry are those of its axes, from the means over its volume of x², y², z² about
/// the mass centre: (INE-2) with Σ = m diag(x², y², z²).
MassProperties symmetric_body(double mass, const Vec3<double>& center_B, const Vec3<double>& mean) {
  return {.mass = mass,
          .center_B = center_B,
          .J_B = diagonal(mass * (mean.y + mean.z), mass * (mean.x + mean.z), mass * (mean.x + mean.y))};
}

}  // namespace

///   V = a b c,   mean x² = a²/12                            (INE-11)
MassProperties box(Amount amount, const Vec3<double>& edges) {
  const auto [a, b, c] = edges;
  Problems problems;
  for (const double edge : {a, b, c}) { check_length("box: edge", edge, problems); }
  const double mass = mass_of("box", amount, a * b * c, problems);
  std::move(problems).fail_if_any();
  return symmetric_body(mass, {}, {a * a / 12, b * b / 12, c * c / 12});
}

///   V = (4π/3) a b c,   mean x² = a²/5                      (INE-12)
MassProperties ellipsoid(Amount amount, const Vec3<double>& semi_axes) {
  const auto [a, b, c] = semi_axes;
  Problems problems;
  for (const double semi_axis : {a, b, c}) { check_length("ellipsoid: semi-axis", semi_axis, problems); }
  const double mass = mass_of("ellipsoid", amount, 4 * kPi / 3 * a * b * c, problems);
  std::move(problems).fail_if_any();
  return symmetric_body(mass, {}, {a * a / 5, b * b / 5, c * c / 5});
}

MassProperties sphere(Amount amount, double radius) {
  Problems problems;
  check_length("sphere: radius", radius, problems);
  const double mass = mass_of("sphere", amount, 4 * kPi / 3 * radius * radius * radius, problems);
  std::move(problems).fail_if_any();
  const double mean = radius * radius / 5;
  return symmetric_body(mass, {}, {mean, mean, mean});
}

///   V = π r² l,   mean x² = mean y² = r²/4,   mean z² = l²/12                (INE-13)
MassProperties cylinder(Amount amount, double radius, double length) {
  Problems problems;
  check_length("cylinder: radius", radius, problems);
  check_length("cylinder: length", length, problems);
  const double mass = mass_of("cylinder", amount, kPi * radius * radius * length, problems);
  std::move(problems).fail_if_any();
  const double across = radius * radius / 4;
  return symmetric_body(mass, {}, {across, across, length * length / 12});
}

///   V = π (R² − r²) l,   mean x² = mean y² = (R² + r²)/4,   mean z² = l²/12  (INE-14)
MassProperties tube(Amount amount, double outer_radius, double inner_radius, double length) {
  const auto [R, r] = std::array{outer_radius, inner_radius};
  Problems problems;
  check_length("tube: outer radius", R, problems);
  check_length("tube: inner radius", r, problems);
  check_length("tube: length", length, problems);
  if (r > R) {
    problems.add({.what = fmt::format("tube: inner radius {:.9g} m is greater than outer radius {:.9g} m", r, R),
                  .allowed = "the outer radius comes first",
                  .cure = {}});
  }
  const double mass = mass_of("tube", amount, kPi * (R - r) * (R + r) * length, problems);
  std::move(problems).fail_if_any();
  const double across = (R * R + r * r) / 4;
  return symmetric_body(mass, {}, {across, across, length * length / 12});
}

///   V = π r² (l + 4r/3),  a part k = l/(l + 4r/3) of it in the cylinder,
///   mean x² = mean y² = k r²/4 + (1 − k) r²/5,
///   mean z² = k l²/12 + (1 − k) (l²/4 + 3 l r/8 + r²/5)     (INE-15)
MassProperties capsule(Amount amount, double radius, double cylinder_length) {
  const auto [r, l] = std::array{radius, cylinder_length};
  Problems problems;
  check_length("capsule: radius", r, problems);
  check_length("capsule: length of its cylinder", l, problems);
  const double whole = l + 4 * r / 3;
  const double mass = mass_of("capsule", amount, kPi * r * r * whole, problems);
  std::move(problems).fail_if_any();
  const double k = whole > 0 ? l / whole : 0;
  const double ends = whole > 0 ? 4 * r / 3 / whole : 1;
  const double across = k * (r * r / 4) + ends * (r * r / 5);
  return symmetric_body(mass, {}, {across, across, k * (l * l / 12) + ends * (l * l / 4 + 3 * l * r / 8 + r * r / 5)});
}

///   V = π r² h/3,   c = (0, 0, h/4),   mean x² = mean y² = 3 r²/20,   mean (z − h/4)² = 3 h²/80      (INE-16)
MassProperties cone(Amount amount, double base_radius, double height) {
  const auto [r, h] = std::array{base_radius, height};
  Problems problems;
  check_length("cone: radius", r, problems);
  check_length("cone: height", h, problems);
  const double mass = mass_of("cone", amount, kPi * r * r * h / 3, problems);
  std::move(problems).fail_if_any();
  const double across = 3 * r * r / 20;
  return symmetric_body(mass, {0, 0, h / 4}, {across, across, 3 * h * h / 80});
}

MassProperties point_masses(std::span<const PointMass> points) {
  if (points.empty()) {
    fail(Error(Problem{.what = "a body of no point masses", .allowed = "give at least one", .cure = {}}));
  }
  MassProperties body;
  Vec3<double> first_moment_B{};
  for (std::size_t n = 0; n < points.size(); ++n) {
    const auto& [mass, r_B] = points[n];
    if (!std::isfinite(mass) || mass <= 0) {
      fail(Error(Problem{.what = fmt::format("point_masses[{}]: mass {:.9g} kg is not positive", n, mass),
                         .allowed = "a mass is finite and positive, in kg",
                         .cure = {}}));
    }
    body.mass += mass;
    first_moment_B += mass * require_finite(r_B, "position of a point mass");
  }
  body.center_B = first_moment_B / body.mass;
  for (const auto& [mass, r_B] : points) { body.J_B = body.J_B + point_inertia(mass, r_B - body.center_B); }
  return body;
}

}  // namespace polhode::shape
