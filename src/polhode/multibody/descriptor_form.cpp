#include "polhode/multibody/descriptor_form.h"

#include "polhode/multibody/node_state.h"

namespace polhode {
namespace {

using Dense = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Index = Eigen::Index;

void add_three(Vector& v, Index i, const Vec3<double>& x) {
  for (std::size_t k = 0; k < 3; ++k) { v(i + static_cast<Index>(k)) += x[k]; }
}

}  // namespace

DescriptorForm::DescriptorForm(const Model& model)
    : model_(model), scratch_(model), n_(6 * static_cast<Index>(model.body_count())) {}

Dense DescriptorForm::jacobian(const std::vector<ConditionRow>& rows, std::span<const double> y) const {
  Dense C = Dense::Zero(static_cast<Index>(rows.size()), n_);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t s = 0; s < 4; ++s) {
      const BodyId body = rows[r].bodies[s];
      if (body < 0) { continue; }
      const Vec3<double> moment_B = rotate_back(Model::view(y, body).e_NB, rows[r].sides[s].ang);
      for (std::size_t k = 0; k < 3; ++k) {
        C(static_cast<Index>(r), 6 * static_cast<Index>(body) + static_cast<Index>(k)) += moment_B[k];
        C(static_cast<Index>(r), 6 * static_cast<Index>(body) + 3 + static_cast<Index>(k)) += rows[r].sides[s].lin[k];
      }
    }
  }
  return C;
}

Vector DescriptorForm::transposed(const std::vector<ConditionRow>& rows, std::span<const double> y,
                                  const Vector& x) const {
  Vector sum = Vector::Zero(n_);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const double factor = x(static_cast<Index>(r));
    for (std::size_t s = 0; s < 4; ++s) {
      const BodyId body = rows[r].bodies[s];
      if (body < 0) { continue; }
      const Index i = 6 * static_cast<Index>(body);
      add_three(sum, i, factor * rotate_back(Model::view(y, body).e_NB, rows[r].sides[s].ang));
      add_three(sum, i + 3, factor * rows[r].sides[s].lin);
    }
  }
  return sum;
}

Vector DescriptorForm::divided_by_mass(const Vector& f) const {
  Vector x = Vector::Zero(n_);
  for (Index b = 0; b < n_ / 6; ++b) {
    const MassProperties& mass = model_.bodies()[static_cast<std::size_t>(b)].mass;
    add_three(x, 6 * b, inverse(mass.J_B) * three_of(f, 6 * b));
    add_three(x, 6 * b + 3, three_of(f, 6 * b + 3) / mass.mass);
  }
  return x;
}

Vector DescriptorForm::dynamics(double t, std::span<const double> y, const Vector& vdot, const Vector& lambda,
                                const std::vector<ConditionRow>& rows) {
  sweep::read_bodies(model_.plan(), y, scratch_.nodes);
  const bool loaded = sweep::apply_forces(model_, t, y, scratch_);
  Vector left = transposed(rows, y, lambda);
  for (Index b = 0; b < n_ / 6; ++b) {
    const BodyView body = Model::view(y, static_cast<BodyId>(b));
    const MassProperties& mass = model_.bodies()[static_cast<std::size_t>(b)].mass;
    const Pair f =
        loaded ? scratch_.applied[sweep::at(model_.plan().node_of_body[static_cast<std::size_t>(b)])] : Pair{};
    add_three(left, 6 * b,
              mass.J_B * three_of(vdot, 6 * b) + cross(body.w_B, mass.J_B * body.w_B) - rotate_back(body.e_NB, f.ang));
    add_three(left, 6 * b + 3, mass.mass * (three_of(vdot, 6 * b + 3) - model_.gravity_N()) - f.lin);
  }
  return left;
}

double DescriptorForm::speed(const ConditionRow& row, std::span<const double> y) {
  double sum = -row.rate;
  for (std::size_t s = 0; s < 4; ++s) {
    if (row.bodies[s] < 0) { continue; }
    const BodyView body = Model::view(y, row.bodies[s]);
    sum += dot(row.sides[s], {rotate(body.e_NB, body.w_B), body.v_N});
  }
  return sum;
}

Vector DescriptorForm::accelerations(std::span<const double> ydot) const {
  Vector a(n_);
  for (Index b = 0; b < n_ / 6; ++b) {
    for (Index k = 0; k < 3; ++k) {
      a(6 * b + k) = ydot[static_cast<std::size_t>(13 * b + 10 + k)];
      a(6 * b + 3 + k) = ydot[static_cast<std::size_t>(13 * b + 7 + k)];
    }
  }
  return a;
}

}  // namespace polhode
