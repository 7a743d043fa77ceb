#include "polhode/body/mass_properties.h"

#include "polhode/core/error.h"
#include "polhode/math/symmetric_eigen.h"
#include "polhode/rotation/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace polhode {
namespace {

/// Eigenvalues in ascending order with their vectors as columns: those of −J, largest first.
SymmetricEigen<double, 3> ascending_eigen(const Mat3<double>& J) {
  SymmetricEigen<double, 3> eigen = symmetric_eigen(-J);
  for (double& value : eigen.values) { value = 0 - value; }  // 0 − 0 is +0
  return eigen;
}

double largest_entry(const Mat3<double>& a) {
  double largest = 0;
  for (const auto& line : a.m) {
    for (const double entry : line) { largest = std::max(largest, std::fabs(entry)); }
  }
  return largest;
}

bool is_finite(const Mat3<double>& a) {
  return std::all_of(&a.m[0][0], &a.m[0][0] + 9, [](double entry) { return std::isfinite(entry); });
}

constexpr const char* kAxisNames[] = {"xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz"};
const char* entry_name(std::size_t i, std::size_t j) { return kAxisNames[3 * i + j]; }

void check_mass(double mass, const std::string& who, Problems& problems) {
  if (!std::isfinite(mass)) {
    problems.add({.what = fmt::format("{}mass {} is not a number", who, mass),
                  .allowed = "a mass is finite and positive, in kg",
                  .cure = {}});
  } else if (mass <= 0) {
    problems.add({.what = fmt::format("{}mass {:.9g} kg is not positive", who, mass),
                  .allowed = "a mass is positive, in kg",
                  .cure = mass < 0 ? "material that is missing is a part with hole = true" : ""});
  }
}

/// Finite and symmetric: what is needed before eigenvalues mean anything.
bool check_matrix(const Mat3<double>& J, const std::string& who, Problems& problems) {
  if (!is_finite(J)) {
    problems.add({.what = who + "inertia is not finite", .allowed = "all entries must be finite numbers", .cure = {}});
    return false;
  }
  const double scale = largest_entry(J);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = i + 1; j < 3; ++j) {
      if (std::fabs(J(i, j) - J(j, i)) > kSymmetryTolerance * scale) {
        problems.add({.what = fmt::format("{}inertia is not symmetric: J{} = {:.9g} but J{} = {:.9g} kg m²", who,
                                          entry_name(i, j), J(i, j), entry_name(j, i), J(j, i)),
                      .allowed = fmt::format("they may differ by {:g} of the largest entry", kSymmetryTolerance),
                      .cure = "give both the same value, −∫ products dm"});
        return false;
      }
    }
  }
  return true;
}

void check_moments(const Mat3<double>& J, Physical physical, const std::string& who, Problems& problems) {
  constexpr double kLargest = 1e100;
  const double size = largest_entry(J);
  if (size > kLargest || (physical != Physical::allow_lines_and_points && size > 0 && size < 1 / kLargest)) {
    problems.add({.what = fmt::format("{}the largest entry of the inertia is {:.3g} kg m²", who, size),
                  .allowed = "allowed: 1e-100 to 1e100, which is as far as numbers go",
                  .cure = "check the units"});
    return;
  }
  const auto moments = ascending_eigen(J).values;
  const auto [J1, J2, J3] = moments;
  const std::string list = fmt::format("principal moments {:.9g} {:.9g} {:.9g} kg m²", J1, J2, J3);
  const double scale = std::max(std::fabs(J1), std::fabs(J3));
  const double zero = kZeroMomentTolerance * scale;

  if (physical == Physical::allow_lines_and_points ? J1 < -zero : J1 <= zero) {
    const bool is_zero = std::fabs(J1) <= zero;
    problems.add({.what = is_zero ? fmt::format("{}the smallest principal moment is zero{}: J1 = {:.3g} kg m²", who,
                                                J1 == 0 ? "" : " beside the largest", J1)
                                  : fmt::format("{}inertia is not positive definite: J1 = {:.9g} kg m², {:.9g} missing",
                                                who, J1, -J1),
                  .allowed = list,
                  .cure = is_zero ? "a line or a point has no attitude about itself; give it a thickness"
                                  : "check the products of inertia: some programs write them with the other sign"});
  }
  const double missing = J3 - J1 - J2;
  if (physical != Physical::allow_any_positive && J1 >= -zero && missing > kFlatTolerance * 0.5 * trace(J)) {
    problems.add({.what = fmt::format("{}no rigid body has these moments: J1 + J2 = {:.9g} < J3 = {:.9g} kg m², {:.9g} "
                                      "missing",
                                      who, J1 + J2, J3, missing),
                  .allowed = list + "; two of them add up to at least the third (a flat body: exactly)",
                  .cure =
                      "check units and signs of products; a scenario with any positive moments can be computed with "
                      "allow_impossible_inertia = true (in C++ Physical::allow_any_positive)"});
  }
}

Mat3<double> symmetric_part(const Mat3<double>& J) {
  Mat3<double> mean = J;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = i + 1; j < 3; ++j) {
      if (J(i, j) != J(j, i)) { mean(i, j) = mean(j, i) = 0.5 * J(i, j) + 0.5 * J(j, i); }
    }
  }
  return mean;
}

/// R(e) = A(e)/|e|²: orthogonal for every e ≠ 0.
Mat3<double> orthogonal_matrix(const EulerParameters<double>& e) {
  return (1 / norm_squared(e)) * rotation_matrix(require_unit(e));
}

}  // namespace

MassProperties require_physical(const MassProperties& body, Physical physical, const char* who) {
  Problems problems;
  const std::string begin = who;
  check_mass(body.mass, begin, problems);
  if (!std::isfinite(body.center_B.x) || !std::isfinite(body.center_B.y) || !std::isfinite(body.center_B.z)) {
    problems.add({.what = fmt::format("{}mass centre ({} {} {}) is not finite", begin, body.center_B.x, body.center_B.y,
                                      body.center_B.z),
                  .allowed = "all three components must be finite numbers, in m",
                  .cure = {}});
  }
  if (check_matrix(body.J_B, begin, problems)) { check_moments(body.J_B, physical, begin, problems); }
  std::move(problems).fail_if_any();
  return body;
}

double missing_moment(const Mat3<double>& J_B) {
  const auto [J1, J2, J3] = ascending_eigen(J_B).values;
  return J3 - J1 - J2;
}

MassProperties from_principal_moments(double mass, const Vec3<double>& moments, const Vec3<double>& center_B,
                                      Physical physical) {
  return require_physical({.mass = mass, .center_B = center_B, .J_B = diagonal(moments.x, moments.y, moments.z)},
                          physical);
}

MassProperties from_inertia_matrix(double mass, const Mat3<double>& J_B, const Vec3<double>& center_B,
                                   Physical physical) {
  MassProperties body = require_physical({.mass = mass, .center_B = center_B, .J_B = J_B}, physical);
  body.J_B = symmetric_part(J_B);
  return body;
}

MassProperties from_inertia_about(const Vec3<double>& r_BP_B, double mass, const Mat3<double>& J_P_B,
                                  const Vec3<double>& center_B, Physical physical) {
  // symmetry is a matter of what was given; after the shift the scale is another
  Problems problems;
  check_mass(mass, "", problems);
  check_matrix(J_P_B, "", problems);
  std::move(problems).fail_if_any();
  const Vec3<double> d_B = center_B - require_finite(r_BP_B, "reference point");
  return require_physical({.mass = mass, .center_B = center_B, .J_B = symmetric_part(J_P_B) - point_inertia(mass, d_B)},
                          physical, "inertia taken to the mass centre: ");
}

MassProperties from_moments_and_products(double mass, const Vec3<double>& moments, const Products& products,
                                         ProductSign sign, const Vec3<double>& center_B, Physical physical) {
  const double s = sign == ProductSign::minus ? 1 : -1;
  // clang-format off
  const Mat3<double> J_B{{{moments.x,       s * products.xy, s * products.xz},
                          {s * products.xy, moments.y,       s * products.yz},
                          {s * products.xz, s * products.yz, moments.z}}};
  // clang-format on
  return from_inertia_matrix(mass, J_B, center_B, physical);
}

Mat3<double> inertia_about(const MassProperties& body, const Vec3<double>& r_BP_B) {
  return body.J_B + point_inertia(body.mass, body.center_B - r_BP_B);
}

MassProperties in_frame(const EulerParameters<double>& e_AB, const Vec3<double>& r_AB_A, const MassProperties& body_B) {
  const Mat3<double> R_AB = orthogonal_matrix(e_AB);
  return {.mass = body_B.mass,
          .center_B = require_finite(r_AB_A, "origin") + R_AB * body_B.center_B,
          .J_B = turned(R_AB, body_B.J_B)};
}

MassProperties composed(std::span<const Part> parts) {
  if (parts.empty()) { fail(Error(Problem{.what = "a body of no parts", .allowed = "give at least one", .cure = {}})); }
  std::vector<MassProperties> placed;
  placed.reserve(parts.size());
  MassProperties whole;
  Vec3<double> first_moment_B{};
  bool any_hole = false;
  for (std::size_t n = 0; n < parts.size(); ++n) {
    const Part& part = parts[n];
    require_physical(part.body_C, Physical::allow_lines_and_points, fmt::format("parts[{}]: ", n).c_str());
    placed.push_back(in_frame(part.e_BC, part.r_BC_B, part.body_C));
    const double mass = part.hole ? -part.body_C.mass : part.body_C.mass;
    whole.mass += mass;
    first_moment_B += mass * placed.back().center_B;
    any_hole = any_hole || part.hole;
  }
  if (whole.mass <= 0) {
    fail(Error(Problem{.what = fmt::format("the holes leave no mass: {:.9g} kg", whole.mass),
                       .allowed = "a mass is positive, in kg",
                       .cure = "a hole has the density of the material it is cut from"}));
  }
  whole.center_B = first_moment_B / whole.mass;
  for (std::size_t n = 0; n < parts.size(); ++n) {
    const Mat3<double> J_B = inertia_about(placed[n], whole.center_B);  // (INE-5)
    whole.J_B = parts[n].hole ? whole.J_B - J_B : whole.J_B + J_B;      // (INE-9)
  }
  return require_physical(whole, Physical::allow_lines_and_points,
                          any_hole ? "what the holes leave (a hole must lie inside the material): " : "");
}

PrincipalAxes principal_axes(const Mat3<double>& J_B) {
  Problems problems;
  check_matrix(J_B, "", problems);
  std::move(problems).fail_if_any();
  const SymmetricEigen<double, 3> eigen = ascending_eigen(J_B);

  // right-handed, then the half turn that brings the axes nearest to those of B: the largest trace
  Mat3<double> R_BP = eigen.vectors;
  if (determinant(R_BP) < 0) { R_BP = -R_BP; }
  const double d[3] = {R_BP(0, 0), R_BP(1, 1), R_BP(2, 2)};
  double best = d[0] + d[1] + d[2];
  std::size_t kept = 3;  // the column that a half turn leaves alone; 3: no half turn
  for (std::size_t i = 0; i < 3; ++i) {
    const double turned_trace = d[i] - d[(i + 1) % 3] - d[(i + 2) % 3];
    if (turned_trace > best) {
      best = turned_trace;
      kept = i;
    }
  }
  for (std::size_t j = 0; j < 3 && kept < 3; ++j) {
    if (j == kept) { continue; }
    for (auto& line : R_BP.m) { line[j] = -line[j]; }
  }
  return {.moments = {eigen.values[0], eigen.values[1], eigen.values[2]}, .e_BP = from_matrix(R_BP)};
}

}  // namespace polhode
