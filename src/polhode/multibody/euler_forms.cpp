#include "polhode/multibody/euler_forms.h"

#include "polhode/core/error.h"
#include "polhode/core/index.h"
#include "polhode/math/dual.h"
#include "polhode/multibody/constraint_rows.h"

#include <Eigen/QR>

#include <array>
#include <cmath>
#include <utility>

namespace polhode {
namespace {

using Index = Eigen::Index;
using D = Dual<double>;
using VectorL = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

constexpr std::array<EulerForm, 9> kForms{{
    {"f1", false, false, false, 1},
    {"f2", false, true, false, 1},
    {"f3", false, true, true, 1},
    {"f4", false, true, false, 1},
    {"f5", true, false, false, 1},
    {"f6", true, true, false, 1},
    {"f7", true, true, true, 1},
    {"f8", true, true, false, 1},
    {"f12", true, false, false, 2},
}};

Eigen::Vector4d column_of(const EulerParameters<double>& e) { return {e.e0, e.ev.x, e.ev.y, e.ev.z}; }

Vec3<D> constant(const Vec3<double>& v) { return {D(v.x), D(v.y), D(v.z)}; }

/// ∂Φ/∂e of every row of a joint with respect to the Euler parameters of one of its bodies.
Eigen::Matrix<double, Eigen::Dynamic, 4> raw_jacobian(const Model& model, std::span<const double> y, int joint,
                                                      bool of_second) {
  const JointDescription& j = model.joints()[static_cast<std::size_t>(joint)];
  const Index rows = static_cast<Index>(j.kind->row_count());
  Eigen::Matrix<double, Eigen::Dynamic, 4> result(rows, 4);
  for (std::size_t k = 0; k < 4; ++k) {
    const auto end = [&](BodyId body, const FrameOnBody& frame, bool varies) -> End<D> {
      const EulerParameters<D> e_BF{D(frame.e_BF.e0), constant(frame.e_BF.ev)};
      if (body < 0) { return {{}, {}, {}, constant(frame.r_BF_B), rotation_matrix(e_BF)}; }
      const BodyView b = Model::view(y, body);
      EulerParameters<D> e{D(b.e_NB.e0), constant(b.e_NB.ev)};
      if (varies) { (k == 0 ? e.e0 : e.ev[k - 1]).derivative = 1; }
      const Mat3<D> R = rotation_matrix(e);
      const Vec3<double> lever = frame.r_BF_B - model.bodies()[static_cast<std::size_t>(body)].mass.center_B;
      return {constant(b.r_N), {}, {}, R * constant(lever), R * rotation_matrix(e_BF)};
    };
    std::array<D, kMostRows> values;
    joint_values(*j.kind, j.parameter, end(j.first, j.on_first, !of_second), end(j.second, j.on_second, of_second),
                 values);
    for (Index r = 0; r < rows; ++r) { result(r, static_cast<Index>(k)) = values[at(r)].derivative; }
  }
  return result;
}

/// The power of two nearest to 1/√size, or to 1/size.
double power_of_two_for(double size, bool root) {
  return size > 0 && std::isfinite(size) ? std::exp2(-std::round(std::log2(size) / (root ? 2 : 1))) : 1;
}

/// Factors D of rows and columns with which the blocks of D K D are about as large as one, for bodies far lighter or
/// heavier than a kilogram: K x = b is solved as (D K D) z = D b, x = D z. They are powers of two and bring no rounding
/// of their own; all are 1 where every mass and moment of inertia is within 2^±20 of one, so that ordinary mechanisms
/// keep their numbers to the last bit.
Eigen::VectorXd balancing_factors(const Eigen::MatrixXd& K, Index bodies) {
  constexpr double kOrdinary = 0x1p20;
  Eigen::VectorXd d = Eigen::VectorXd::Ones(K.rows());
  bool ordinary = true;
  for (Index b = 0; b < bodies; ++b) {
    for (const auto& [first, size] : {std::pair<Index, Index>{7 * b, 3}, std::pair<Index, Index>{7 * b + 3, 4}}) {
      const double largest = K.block(first, first, size, size).cwiseAbs().maxCoeff();
      ordinary = ordinary && largest > 1 / kOrdinary && largest < kOrdinary;
      d.segment(first, size).setConstant(power_of_two_for(largest, true));
    }
  }
  if (ordinary) { return Eigen::VectorXd::Ones(K.rows()); }
  for (Index r = 7 * bodies; r < K.rows(); ++r) {
    const double largest = K.row(r).head(7 * bodies).transpose().cwiseProduct(d.head(7 * bodies)).cwiseAbs().maxCoeff();
    d(r) = power_of_two_for(largest, false);
  }
  return d;
}

}  // namespace

std::span<const EulerForm> euler_forms() { return kForms; }

const EulerForm& euler_form(std::string_view name) {
  std::vector<std::string_view> known;
  for (const EulerForm& form : kForms) {
    if (form.name == name) { return form; }
    known.push_back(form.name);
  }
  fail(Error(unknown_name("form with Euler parameters", name, known)));
}

bool has_joints_only(const Model& model) { return model.constraints().size() == model.joint_count(); }

EulerSolution euler_solution(const Model& model, double t, std::span<const double> y, const EulerForm& form,
                             JointJacobian jacobian, std::span<const double> turns) {
  if (jacobian == JointJacobian::raw && !has_joints_only(model)) {
    fail(Error(Problem{.what = "the raw Jacobian knows joints only",
                       .allowed = {},
                       .cure = "take the Jacobian through rates for couplings, drivers, rolling and blades"}));
  }
  const Index n = static_cast<Index>(model.body_count());
  std::vector<ListedRow> constraints;
  constraint_rows(model, t, y, constraints);
  const Index constraint_count = static_cast<Index>(constraints.size());
  const Index size = 8 * n + constraint_count;
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(size, size);
  Eigen::VectorXd right = Eigen::VectorXd::Zero(size);

  // resultant forces and moments, and what each force at a point adds along e
  Scratch scratch(model);
  scratch.turns = turns;
  std::vector<ForceAtPoint> at_points;
  scratch.at_points = &at_points;
  std::vector<double> ydot(y.size());
  evaluate(model, t, y, ydot, scratch);
  std::vector<double> along(scratch.nodes.size(), 0.0);
  for (const ForceAtPoint& force : at_points) {
    const Vec3<double> u_B = transpose_times(scratch.nodes[force.node].R, force.lever_N);
    if (form.force_along_e) { along[force.node] += 2 * dot(force.f_N, force.lever_N); }
    if (form.mixed_force_along_e) { along[force.node] += 2 * dot(u_B, force.f_N); }
  }

  const double c = form.row_factor;
  for (Index b = 0; b < n; ++b) {
    const BodyView body = Model::view(y, static_cast<BodyId>(b));
    const MassProperties& mass = model.bodies()[at(b)].mass;
    const Mat3<double>& J_B = model.carrier_J_B(static_cast<BodyId>(b));
    const std::size_t node = at(model.elimination().node_of_body[at(b)]);
    const Pair& applied = scratch.applied[node];
    const Mat34<double> L = E_body(body.e_NB);
    const Eigen::Vector4d e = column_of(body.e_NB);
    const Eigen::Vector4d edot = column_of(rate_from_body(body.e_NB, body.w_B));
    const double T = 0.5 * dot(body.w_B, J_B * body.w_B);
    const Vec3<double> force_N = applied.lin + mass.mass * model.gravity_N();
    const Vec3<double> torque_B = rotate_back(body.e_NB, applied.ang);
    // 2Lᵀ (n' − ω'×J'ω'), and what the form keeps along e
    const Vec3<double> turning_B = torque_B - cross(body.w_B, J_B * body.w_B);
    const Eigen::Vector4d free_of_joints =  // Q − g
        2 * column_of(transpose_times(L, turning_B)) + (along[node] + (form.simplified_gyro ? 4 * T : 0)) * e;
    const Index r = 7 * b;
    const Mat4<double> M4 = 4.0 * (transpose(L) * (J_B * L));
    for (Index i = 0; i < 3; ++i) {
      K(r + i, r + i) = mass.mass;
      right(r + i) = force_N[at(i)];
    }
    for (Index i = 0; i < 4; ++i) {
      for (Index k = 0; k < 4; ++k) { K(r + 3 + i, r + 3 + k) = M4(at(i), at(k)); }
      K(r + 3 + i, 7 * n + b) = c * e(i);
      K(7 * n + b, r + 3 + i) = c * e(i);
      right(r + 3 + i) = free_of_joints(i);
    }
    right(7 * n + b) = -c * edot.squaredNorm();
  }
  // by rows of a joint: ∂Φ/∂e of its first and second body
  std::array<Eigen::Matrix<double, Eigen::Dynamic, 4>, 2> raw;
  Index row_of_joint = 0;
  for (Index r = 0; r < constraint_count; ++r) {
    const ListedRow& constraint = constraints[at(r)];
    if (jacobian == JointJacobian::raw) {
      row_of_joint = r > 0 && constraints[at(r - 1)].id == constraint.id ? row_of_joint + 1 : 0;
      for (std::size_t s = 0; s < 2 && row_of_joint == 0; ++s) {
        if (constraint.bodies[s] >= 0) { raw[s] = raw_jacobian(model, y, constraint.id.index, s == 1); }
      }
    }
    right(8 * n + r) += constraint.gamma;
    for (std::size_t s = 0; s < constraint.bodies.size(); ++s) {
      const BodyId body = constraint.bodies[s];
      if (body < 0) { continue; }
      const BodyView b = Model::view(y, body);
      Eigen::Vector4d by_e = column_of(jacobian_for_edot(b.e_NB, constraint.sides[s].ang));
      if (jacobian == JointJacobian::raw) {
        by_e = raw[s].row(row_of_joint).transpose();
        right(8 * n + r) -= by_e.dot(column_of(b.e_NB)) * 0.25 * norm_squared(b.w_B);  // e·ë = −ė·ė
      }
      for (Index k = 0; k < 3; ++k) {
        K(8 * n + r, Index{7} * body + k) += constraint.sides[s].lin[at(k)];
        K(Index{7} * body + k, 8 * n + r) += constraint.sides[s].lin[at(k)];
      }
      for (Index k = 0; k < 4; ++k) {
        K(8 * n + r, Index{7} * body + 3 + k) += by_e(k);
        K(Index{7} * body + 3 + k, 8 * n + r) += by_e(k);
      }
    }
  }
  const Eigen::VectorXd d = balancing_factors(K, n);
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver;
  solver.setThreshold(1e-11);
  solver.compute(d.asDiagonal() * K * d.asDiagonal());
  Eigen::VectorXd x = d.cwiseProduct(solver.solve(d.cwiseProduct(right)));
  // light bodies among heavy ones: what the solution leaves over, in more digits, is solved for again
  for (int again = 0; again < 2 && !(d.array() == 1).all(); ++again) {
    const VectorL left = right.cast<long double>() - K.cast<long double>() * x.cast<long double>();
    x += d.cwiseProduct(solver.solve(d.cwiseProduct(left.cast<double>())));
  }

  EulerSolution result;
  result.wheel_rates = scratch.wheel_rates;
  for (Index b = 0; b < n; ++b) {
    const BodyView body = Model::view(y, static_cast<BodyId>(b));
    const Index r = 7 * b;
    const EulerParameters<double> eddot{x(r + 3), {x(r + 4), x(r + 5), x(r + 6)}};
    const EulerParameters<double> edot = rate_from_body(body.e_NB, body.w_B);
    result.eddot.push_back(eddot);
    result.a.push_back({space_acceleration(body.e_NB, edot, eddot), {x(r), x(r + 1), x(r + 2)}});
    result.norm_multipliers.push_back(x(7 * n + b));
  }
  for (Index k = 0; k < constraint_count; ++k) { result.lambda.push_back(x(8 * n + k)); }
  return result;
}

}  // namespace polhode
