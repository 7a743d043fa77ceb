#include "polhode/multibody/descriptor_form.h"

#include "polhode/multibody/node_state.h"

namespace polhode {
namespace {

using Numbers = DescriptorForm::Numbers;

void add_three(Numbers& v, std::size_t i, const Vec3<double>& x) {
  for (std::size_t k = 0; k < 3; ++k) { v[i + k] += x[k]; }
}

}  // namespace

DescriptorForm::DescriptorForm(const Model& model) : model_(model), scratch_(model), n_(6 * model.body_count()) {}

Numbers DescriptorForm::jacobian(const std::vector<ConditionRow>& rows, std::span<const double> y) const {
  const std::size_t m = rows.size();
  Numbers C(m * n_);
  for (std::size_t r = 0; r < m; ++r) {
    for (std::size_t s = 0; s < 4; ++s) {
      const BodyId body = rows[r].bodies[s];
      if (body < 0) { continue; }
      const Vec3<double> moment_B = rotate_back(Model::view(y, body).e_NB, rows[r].sides[s].ang);
      const std::size_t column = 6 * static_cast<std::size_t>(body);
      for (std::size_t k = 0; k < 3; ++k) {
        C[m * (column + k) + r] += moment_B[k];
        C[m * (column + 3 + k) + r] += rows[r].sides[s].lin[k];
      }
    }
  }
  return C;
}

Numbers DescriptorForm::transposed(const std::vector<ConditionRow>& rows, std::span<const double> y,
                                   std::span<const double> x) const {
  Numbers sum(n_);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t s = 0; s < 4; ++s) {
      const BodyId body = rows[r].bodies[s];
      if (body < 0) { continue; }
      const std::size_t i = 6 * static_cast<std::size_t>(body);
      add_three(sum, i, x[r] * rotate_back(Model::view(y, body).e_NB, rows[r].sides[s].ang));
      add_three(sum, i + 3, x[r] * rows[r].sides[s].lin);
    }
  }
  return sum;
}

Numbers DescriptorForm::divided_by_mass(std::span<const double> f) const {
  Numbers x(n_);
  for (std::size_t b = 0; b < model_.body_count(); ++b) {
    const MassProperties& mass = model_.bodies()[b].mass;
    add_three(x, 6 * b, inverse(mass.J_B) * three_of(f, 6 * b));
    add_three(x, 6 * b + 3, three_of(f, 6 * b + 3) / mass.mass);
  }
  return x;
}

Numbers DescriptorForm::dynamics(double t, std::span<const double> y, std::span<const double> vdot,
                                 std::span<const double> lambda, const std::vector<ConditionRow>& rows) {
  sweep::read_bodies(model_.plan(), y, scratch_.nodes);
  const bool loaded = sweep::apply_forces(model_, t, y, scratch_);
  Numbers left = transposed(rows, y, lambda);
  for (std::size_t b = 0; b < model_.body_count(); ++b) {
    const BodyView body = Model::view(y, static_cast<BodyId>(b));
    const MassProperties& mass = model_.bodies()[b].mass;
    const Pair f = loaded ? scratch_.applied[sweep::at(model_.plan().node_of_body[b])] : Pair{};
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

Numbers DescriptorForm::accelerations(std::span<const double> ydot) const {
  Numbers a(n_);
  for (std::size_t b = 0; b < model_.body_count(); ++b) {
    for (std::size_t k = 0; k < 3; ++k) {
      a[6 * b + k] = ydot[13 * b + 10 + k];
      a[6 * b + 3 + k] = ydot[13 * b + 7 + k];
    }
  }
  return a;
}

}  // namespace polhode
