#include "polhode/audit/dynamics.h"

#include "polhode/audit/integrals.h"
#include "polhode/math/symmetric_eigen.h"

#include <algorithm>
#include <cmath>

namespace polhode::audit {
namespace {

using Six = std::array<double, 6>;
constexpr double kRootHalf = 0.70710678118654752440;

/// J of the unit vector i of u.
Mat3<double> unit_inertia(std::size_t i) {
  Mat3<double> J{};
  if (i < 3) {
    J(i, i) = 1;
  } else {
    const std::size_t row = i == 5 ? 1 : 0;
    const std::size_t column = i == 3 ? 1 : 2;
    J(row, column) = J(column, row) = kRootHalf;
  }
  return J;
}

Six to_u(const Mat3<double>& J) {
  return {J(0, 0), J(1, 1), J(2, 2), J(0, 1) / kRootHalf, J(0, 2) / kRootHalf, J(1, 2) / kRootHalf};
}

Mat3<double> to_inertia(const Six& u) {
  Mat3<double> J{};
  for (std::size_t i = 0; i < 6; ++i) { J = J + u[i] * unit_inertia(i); }
  return J;
}

///   (∫ω × Jω dt)_i = ε_ijk J_kl S_jl,   S = ∫ω ωᵀ dt
Vec3<double> gyroscopic(const Mat3<double>& J, const Mat3<double>& S) {
  const Mat3<double> C = S * transpose(J);  // C_jk = S_jl J_kl
  return {C(1, 2) - C(2, 1), C(2, 0) - C(0, 2), C(0, 1) - C(1, 0)};
}

}  // namespace

RateEquations::RateEquations(std::span<const double> t, std::span<const Vec3<double>> w_B) {
  const std::size_t n = t.size();
  for (const Vec3<double>& w : w_B) { w_rms_ += norm_squared(w) / static_cast<double>(n); }
  w_rms_ = std::sqrt(w_rms_);
  const double duration = t[n - 1] - t[0];
  if (!(w_rms_ > 0)) { return; }

  // everything in units of the rms rate and of the time in which it turns by 1 rad
  const std::vector<RateIntegrals> sums = integrate_rates(t, w_B);
  const double turns = w_rms_ * duration / (2 * math::kPi<double>);
  const double rows = static_cast<double>(n - 1);
  const auto length = static_cast<std::size_t>(std::clamp(std::round(rows / turns), 1.0, std::max(1.0, rows / 2)));
  const std::size_t stride = std::max<std::size_t>(1, length / 8);
  std::array<Mat3<double>, kParts> units;
  for (std::size_t i = 0; i < kParts; ++i) { units[i] = unit_inertia(i); }

  std::vector<RateIntegrals> upto(n);  // sums from the first row on
  for (std::size_t k = 0; k + 1 < n; ++k) {
    upto[k + 1].w = upto[k].w + sums[k].w;
    for (std::size_t c = 0; c < 6; ++c) { upto[k + 1].ww[c] = upto[k].ww[c] + sums[k].ww[c]; }
  }
  for (std::size_t k = 0; k + length < n; k += stride) {
    const Vec3<double> change = (w_B[k + length] - w_B[k]) / w_rms_;
    const Vec3<double> W = upto[k + length].w - upto[k].w;
    Six s{};
    for (std::size_t c = 0; c < 6; ++c) { s[c] = (upto[k + length].ww[c] - upto[k].ww[c]) / w_rms_; }
    const Mat3<double> S{{{s[0], s[3], s[4]}, {s[3], s[1], s[5]}, {s[4], s[5], s[2]}}};
    std::array<Vec3<double>, 3 * kParts> columns;
    for (std::size_t i = 0; i < kParts; ++i) {
      columns[i] = units[i] * change;
      columns[kParts + i] = gyroscopic(units[i], S);
      columns[2 * kParts + i] = units[i] * W;
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
      for (std::size_t j = 0; j < columns.size(); ++j) { gram_(i, j) += dot(columns[i], columns[j]); }
    }
    windows_ += 1;
  }
  find_fit(duration);
}

double RateEquations::residual(const Mat3<double>& J_B, double alpha) const {
  if (!(windows_ > 0)) { return 0; }
  // Gram matrix of r = Δ + α G, the damping β, the damping d
  const Six u = to_u((1 / frobenius_norm(J_B)) * J_B);
  const Six sphere = to_u(identity<double, 3>());
  std::array<std::array<double, 3 * kParts>, 3> vectors{};
  for (std::size_t i = 0; i < kParts; ++i) {
    vectors[0][i] = u[i];
    vectors[0][kParts + i] = alpha * u[i];
    vectors[1][2 * kParts + i] = u[i];
    vectors[2][2 * kParts + i] = sphere[i];
  }
  Mat3<double> gram{};
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = 0; b < 3; ++b) {
      for (std::size_t i = 0; i < 3 * kParts; ++i) {
        for (std::size_t j = 0; j < 3 * kParts; ++j) { gram(a, b) += vectors[a][i] * gram_(i, j) * vectors[b][j]; }
      }
    }
  }
  // what the two kinds of damping explain is taken out, one after the other
  double rest = gram(0, 0);
  if (gram(1, 1) > 0) {
    rest -= gram(0, 1) * gram(0, 1) / gram(1, 1);
    const double second = gram(2, 2) - gram(1, 2) * gram(1, 2) / gram(1, 1);
    const double along = gram(0, 2) - gram(0, 1) * gram(1, 2) / gram(1, 1);
    if (second > 1e-9 * gram(2, 2)) { rest -= along * along / second; }  // else both are the same kind
  }
  return std::sqrt(std::max(0.0, rest) / windows_);
}

void RateEquations::find_fit(double duration) {
  const Six sphere = to_u(identity<double, 3>());
  // (AUD-4) with α = 1 as a form in u, the best d taken out
  const auto form_of = [&](double beta) {
    const std::array<double, 3> factors{1, 1, beta};
    Matrix<double, kParts, kParts> form{};
    Six along{};
    double square = 0;
    for (std::size_t i = 0; i < kParts; ++i) {
      for (std::size_t j = 0; j < kParts; ++j) {
        for (std::size_t a = 0; a < 3; ++a) {
          for (std::size_t b = 0; b < 3; ++b) {
            form(i, j) += factors[a] * factors[b] * gram_(a * kParts + i, b * kParts + j);
          }
          along[i] += factors[a] * gram_(a * kParts + i, 2 * kParts + j) * sphere[j];
        }
        square += sphere[i] * gram_(2 * kParts + i, 2 * kParts + j) * sphere[j];
      }
    }
    for (std::size_t i = 0; i < kParts; ++i) {
      for (std::size_t j = 0; j < kParts; ++j) { form(i, j) -= square > 0 ? along[i] * along[j] / square : 0; }
    }
    return form;
  };
  const auto smallest = [&](double beta) { return symmetric_eigen(form_of(beta)).values[kParts - 1]; };

  // β by a coarse search, then by golden sections; rates that change by e⁶ are beyond it
  constexpr int kCoarse = 12;
  constexpr double kGolden = 0.61803398874989484820;
  const double unit = 6 / (w_rms_ * duration * kCoarse);
  double best = 0;
  double least = smallest(0);
  for (int i = -kCoarse; i <= kCoarse; ++i) {
    const double value = smallest(i * unit);
    if (value < least) {
      least = value;
      best = i * unit;
    }
  }
  double low = best - unit;
  double high = best + unit;
  for (int i = 0; i < 40; ++i) {
    const double a = high - kGolden * (high - low);
    const double b = low + kGolden * (high - low);
    if (smallest(a) < smallest(b)) {
      high = b;
    } else {
      low = a;
    }
  }
  const SymmetricEigen<double, kParts> eigen = symmetric_eigen(form_of(0.5 * (low + high)));
  Six u{};
  for (std::size_t i = 0; i < kParts; ++i) { u[i] = eigen.vectors(i, kParts - 1); }
  fit_.J_B = to_inertia(u);
  if (trace(fit_.J_B) < 0) { fit_.J_B = -fit_.J_B; }
  const SymmetricEigen<double, 3> axes = symmetric_eigen(fit_.J_B);
  fit_.moments = {axes.values[2], axes.values[1], axes.values[0]};
  fit_.residual = std::sqrt(std::max(0.0, eigen.values[kParts - 1]) / windows_);
  fit_.second = std::sqrt(std::max(0.0, eigen.values[kParts - 2]) / windows_);
}

}  // namespace polhode::audit
