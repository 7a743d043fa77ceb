#include "polhode/verification/coordinates.h"

namespace polhode::verification {
namespace {

template <class S>
Vec3<S> backwards(const Vec3<S>& v) {
  return {v.z, v.y, v.x};
}
template <class S>
Mat3<S> columns_backwards(const Mat3<S>& m) {
  return from_columns(column(m, 2), column(m, 1), column(m, 0));
}

void differentiate_space(Coordinates& c) {
  for (std::size_t i = 0; i < 3; ++i) { c.D_space[i] = derivative(c.C_along(axis_vector<Exact>(i))); }
}

/// The formulas of all vector charts with the a, b, c of reduced Euler parameters on the branch of the given sign.
template <int sign>
struct ReducedBranch : VectorChart<ReducedBranch<sign>> {
  template <class S>
  EulerParameters<S> to_euler_parameters(const Vec3<S>& x) const {
    return {e0(x), x};
  }
  template <class S>
  static IsotropicRate<S> isotropic_rate(const Vec3<S>& x) {
    return ReducedEulerParameters::isotropic_rate_at(e0(x));
  }

 private:
  template <class S>
  static S e0(const Vec3<S>& x) {
    return S(sign) * math::sqrt(S(1) - norm_squared(x));
  }
};

template <class C>
Coordinates vector_coordinates(const C& chart, const Vec3<Exact>& x) {
  Coordinates c;
  c.A = rotation_matrix(chart.to_euler_parameters(x));
  c.S = chart.body_rate_matrix(x);
  c.S_inverse = chart.inverse_body_rate_matrix(x);
  c.D = chart.body_rate_partials(x);
  const IsotropicRate<Exact> r = C::isotropic_rate(x);
  const Exact rho = norm_squared(x);
  c.determinant = (r.a + r.c * rho) * (r.a * r.a + r.b * r.b * rho);
  c.C = c.A * c.S;
  c.S_along = [chart, x](const Vec3<Exact>& xdot) { return chart.body_rate_matrix(along(x, xdot)); };
  c.C_along = [chart, x](const Vec3<Exact>& xdot) {
    const Vec3<Dual<Exact>> moved = along(x, xdot);
    return rotation_matrix(chart.to_euler_parameters(moved)) * chart.body_rate_matrix(moved);
  };
  c.A_path = [chart, x](const Vec3<Exact>& xdot, const Vec3<Exact>& xddot) {
    return rotation_matrix(chart.to_euler_parameters(path(x, xdot, xddot)));
  };
  differentiate_space(c);
  return c;
}

}  // namespace

Coordinates euler_angles(const EulerSequence& sequence, const Turns<Exact>& turns) {
  Coordinates c;
  c.A = sequence::matrix(sequence, turns);
  c.S = sequence::body_rate_matrix(sequence, turns);
  c.determinant = sequence::determinant(sequence, turns[1]);
  c.S_inverse = sequence::inverse_rate_matrix(c.S, c.determinant);
  c.D = sequence::body_rate_partials(c.S);
  c.C = sequence::space_rate_matrix(sequence, turns);
  c.S_along = [sequence, turns](const Vec3<Exact>& rates) {
    return sequence::body_rate_matrix(sequence, along(turns, rates));
  };
  c.C_along = [sequence, turns](const Vec3<Exact>& rates) {
    return sequence::space_rate_matrix(sequence, along(turns, rates));
  };
  c.A_path = [sequence, turns](const Vec3<Exact>& rates, const Vec3<Exact>& second) {
    return sequence::matrix(sequence, path(turns, rates, second));
  };
  differentiate_space(c);
  return c;
}

Coordinates last_turn_first(const EulerSequence& sequence, const Turns<Exact>& turns) {
  const Coordinates c = euler_angles(sequence, turns);
  Coordinates reversed;
  reversed.A = c.A;
  reversed.S = columns_backwards(c.S);
  reversed.S_inverse = transpose(columns_backwards(transpose(c.S_inverse)));
  reversed.D = {columns_backwards(c.D[2]), columns_backwards(c.D[1]), columns_backwards(c.D[0])};
  reversed.determinant = -c.determinant;
  reversed.C = columns_backwards(c.C);
  reversed.S_along = [c](const Vec3<Exact>& qdot) { return columns_backwards(c.S_along(backwards(qdot))); };
  reversed.C_along = [c](const Vec3<Exact>& qdot) { return columns_backwards(c.C_along(backwards(qdot))); };
  reversed.A_path = [c](const Vec3<Exact>& qdot, const Vec3<Exact>& qddot) {
    return c.A_path(backwards(qdot), backwards(qddot));
  };
  differentiate_space(reversed);
  return reversed;
}

Coordinates reduced_parameters(const EulerParameters<Exact>& e) {
  return e.e0 < Exact(0) ? vector_coordinates(ReducedBranch<-1>{}, e.ev)
                         : vector_coordinates(ReducedEulerParameters{}, e.ev);
}
Coordinates rodrigues(const EulerParameters<Exact>& e) { return vector_coordinates(Rodrigues{}, e.ev / e.e0); }
Coordinates modified_rodrigues(const EulerParameters<Exact>& e) {
  return vector_coordinates(ModifiedRodrigues{}, e.ev / (Exact(1) + e.e0));
}

}  // namespace polhode::verification
