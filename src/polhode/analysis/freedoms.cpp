#include "polhode/analysis/freedoms.h"

#include "polhode/analysis/eigen.h"
#include "polhode/core/index.h"
#include "polhode/math/elementary.h"
#include "polhode/rotation/axis_angle.h"
#include "polhode/rotation/rotation_matrix.h"

#include <fmt/format.h>
#include <Eigen/Cholesky>
#include <Eigen/QR>

#include <algorithm>
#include <cmath>

namespace polhode::analysis {
namespace {

Eigen::Index row_of(std::size_t body) { return static_cast<Eigen::Index>(6 * body); }

Vec3<double> three_of(const Eigen::VectorXd& x, Eigen::Index row) { return {x(row), x(row + 1), x(row + 2)}; }

void put_three(const Vec3<double>& v, Eigen::Ref<Eigen::VectorXd> to) {
  to(0) = v.x;
  to(1) = v.y;
  to(2) = v.z;
}

/// G of J = G Gᵀ. Of a body without inertia about some axis a little is added: what spins about it then has a size.
Eigen::Matrix3d root_of(const Mat3<double>& J, double mass, double length) {
  Eigen::Matrix3d matrix;
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) { matrix(i, k) = J(at(i), at(k)); }
  }
  Eigen::LLT<Eigen::Matrix3d> factor(matrix);
  const auto bad = [&] { return factor.info() != Eigen::Success || !(factor.rcond() > 1e-14); };
  if (bad()) {
    constexpr double kLittle = 1e-12;
    factor.compute(matrix + kLittle * (matrix.trace() + mass * length * length) * Eigen::Matrix3d::Identity());
  }
  return factor.matrixL();
}

}  // namespace

Model with_drivers(const Model& model, std::vector<Driver> drivers) {
  ModelBuilder builder;
  for (const BodyDescription& body : model.bodies()) { builder.body(body.name, body.mass, body.start, body.physical); }
  model.each([&](const auto& one, const ConstraintId&) {
    if constexpr (!std::is_same_v<std::remove_cvref_t<decltype(one)>, Driver>) { builder.add(one); }
  });
  for (Driver& driver : drivers) { builder.add(std::move(driver)); }
  builder.gravity(model.gravity_N());
  const auto add_all = [&](const auto& forces) {
    for (const auto& force : forces) { builder.add(force); }
  };
  add_all(model.wrenches());
  add_all(model.springs());
  add_all(model.joint_springs());
  add_all(model.joint_limits());
  add_all(model.joint_frictions());
  add_all(model.bushings());
  add_all(model.drags());
  add_all(model.central_gravities());
  add_all(model.force_laws());
  add_all(model.joint_laws());
  add_all(model.wrench_laws());
  add_all(model.wheels());
  for (const CountedAngle& angle : model.counted()) { builder.count_turns(angle.joint, angle.coordinate); }
  return builder.build();
}

bool holds_velocities(const Model& model) {
  bool some = false;
  model.each([&](const auto& one, const ConstraintId&) {
    if constexpr (!std::is_same_v<std::remove_cvref_t<decltype(one)>, Driver>) {
      for (std::size_t r = 0; r < one.row_count(); ++r) { some = some || !constraint::on_positions(one, r); }
    }
  });
  return some;
}

std::string coordinate_in_words(const Model& model, int joint, Coordinate coordinate) {
  return fmt::format("{} of joint '{}'", to_text(coordinate), model.joints()[at(joint)].name);
}

double coordinate_at(const Model& model, std::span<const double> y, std::span<const double> turns, int joint,
                     Coordinate coordinate) {
  const auto [first, second] = model.ends(y, joint);
  return model.unwrapped(turns, joint, coordinate, joint_coordinate(coordinate, first, second).value);
}

void come_to_rest(const Model& model, std::span<double> y) {
  std::vector<double> speeds(model.wheel_count());
  for (std::size_t w = 0; w < speeds.size(); ++w) { speeds[w] = model.wheel_speed(y, w); }
  for (std::size_t b = 0; b < model.body_count(); ++b) {
    BodyView body = Model::view(y, static_cast<BodyId>(b));
    body.v_N = {};
    body.w_B = {};
    Model::set(y, static_cast<BodyId>(b), body);
  }
  for (std::size_t w = 0; w < speeds.size(); ++w) { model.set_wheel_speed(y, w, speeds[w]); }
}

Freedoms::Freedoms(const Model& model) : model_(&model), J_N_(model.body_count()) {}

void Freedoms::at(std::span<const double> y, const Scratch& scratch) {
  using polhode::at;
  const EliminationOrder& elimination = model_->elimination();
  const std::size_t n = model_->body_count();
  T_.setZero(row_of(n), elimination.tree_freedoms);

  // motions of the tree: each joint moves what hangs on it
  Eigen::Index column = 0;
  for (std::size_t i = 1; i < elimination.nodes.size(); ++i) {
    const TreeNode& tree = elimination.nodes[i];
    const Scratch::Node& node = scratch.nodes[i];
    const Eigen::Index own = row_of(at(tree.body));
    if (tree.parent > 0) {
      const Eigen::Index parent = row_of(at(elimination.nodes[at(tree.parent)].body));
      for (Eigen::Index c = 0; c < column; ++c) {
        const Vec3<double> ang = three_of(T_.col(c), parent);
        put_three(ang, T_.col(c).segment(own, 3));
        put_three(three_of(T_.col(c), parent + 3) + cross(ang, node.shift), T_.col(c).segment(own + 3, 3));
      }
    }
    for (int k = 0; k < tree.freedoms; ++k) {
      const Pair S = tree.joint < 0
                         ? (k < 3 ? Pair{axis_vector<double>(at(k)), {}} : Pair{{}, axis_vector<double>(at(k - 3))})
                     : tree.hinge ? node.S
                                  : scratch.S[at(tree.columns + k)];
      put_three(S.ang, T_.col(column).segment(own, 3));
      put_three(S.lin, T_.col(column).segment(own + 3, 3));
      ++column;
    }
  }

  // Gᵀ T, G by body
  std::vector<Eigen::Matrix3d> roots(n);
  std::vector<double> root_masses(n);
  Eigen::MatrixXd weighed(T_.rows(), T_.cols());
  for (std::size_t b = 0; b < n; ++b) {
    const BodyView body = Model::view(y, static_cast<BodyId>(b));
    const Mat3<double> R = rotation_matrix(normalized(body.e_NB));
    J_N_[b] = R * model_->carrier_J_B(static_cast<BodyId>(b)) * transpose(R);
    const double mass = model_->bodies()[b].mass.mass;
    roots[b] = root_of(J_N_[b], mass, model_->length());
    root_masses[b] = std::sqrt(mass);
    weighed.middleRows(row_of(b), 3) = roots[b].transpose() * T_.middleRows(row_of(b), 3);
    weighed.middleRows(row_of(b) + 3, 3) = root_masses[b] * T_.middleRows(row_of(b) + 3, 3);
  }
  const Eigen::Index f = T_.cols();
  const Eigen::HouseholderQR<Eigen::MatrixXd> tree_factor(weighed);
  const Eigen::MatrixXd B = tree_factor.householderQ() * Eigen::MatrixXd::Identity(weighed.rows(), f);

  // rows of what closes, as G⁻¹ sees them, each of size 1
  rows_.setZero(elimination.row_count, f);
  on_basis_.setZero(elimination.row_count, f);
  for (const Closure& closure : elimination.closures) {
    for (int r = 0; r < closure.rows; ++r) {
      const Eigen::Index row = closure.first_row + r;
      const ConstraintRow<double>& now = scratch.rows[at(row)];
      Eigen::VectorXd c = Eigen::VectorXd::Zero(T_.rows());
      for (std::size_t s = 0; s < closure.sides.size(); ++s) {
        if (closure.sides[s] == 0) { continue; }
        const Eigen::Index own = row_of(at(elimination.nodes[at(closure.sides[s])].body));
        for (Eigen::Index k = 0; k < 3; ++k) {
          c(own + k) += now.sides[s].ang[at(k)];
          c(own + 3 + k) += now.sides[s].lin[at(k)];
        }
      }
      Eigen::VectorXd seen = c;
      for (std::size_t b = 0; b < n; ++b) {
        const Eigen::Vector3d ang = c.segment(row_of(b), 3);
        const Eigen::Vector3d turned = roots[b].triangularView<Eigen::Lower>().solve(ang);
        seen.segment(row_of(b), 3) = turned;
        seen.segment(row_of(b) + 3, 3) /= root_masses[b];
      }
      const double size = seen.norm();
      if (!(size > 0)) { continue; }
      rows_.row(row) = (T_.transpose() * (c / size)).transpose();
      on_basis_.row(row) = (B.transpose() * (seen / size)).transpose();
    }
  }

  Eigen::MatrixXd N = Eigen::MatrixXd::Identity(f, f);
  if (on_basis_.rows() > 0 && f > 0) {
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> factor(on_basis_.transpose());
    const Eigen::Index most = std::min(on_basis_.rows(), f);
    Eigen::Index rank = 0;
    while (rank < most && std::fabs(factor.matrixR()(rank, rank)) > kIndependent) { ++rank; }
    if (rank == f) {  // nothing is left to move
      Q_ = Eigen::MatrixXd(B.rows(), 0);
      return;
    }
    N = (factor.householderQ() * Eigen::MatrixXd::Identity(f, f)).rightCols(f - rank);
  }
  Q_ = B * N;
  for (std::size_t b = 0; b < n; ++b) {
    const Eigen::MatrixXd turned =
        roots[b].transpose().triangularView<Eigen::Upper>().solve(Q_.middleRows(row_of(b), 3));
    Q_.middleRows(row_of(b), 3) = turned;
    Q_.middleRows(row_of(b) + 3, 3) /= root_masses[b];
  }
}

Eigen::VectorXd Freedoms::times_mass(const Eigen::VectorXd& x) const {
  Eigen::VectorXd result(x.size());
  for (std::size_t b = 0; b < J_N_.size(); ++b) {
    put_three(J_N_[b] * three_of(x, row_of(b)), result.segment(row_of(b), 3));
    put_three(model_->bodies()[b].mass.mass * three_of(x, row_of(b) + 3), result.segment(row_of(b) + 3, 3));
  }
  return result;
}

double Freedoms::largest_turn(const Eigen::VectorXd& x) const {
  double most = 0;
  for (std::size_t b = 0; b < J_N_.size(); ++b) { most = std::fmax(most, norm(three_of(x, row_of(b)))); }
  return most;
}

double Freedoms::largest_shift(const Eigen::VectorXd& x) const {
  double most = 0;
  for (std::size_t b = 0; b < J_N_.size(); ++b) { most = std::fmax(most, norm(three_of(x, row_of(b) + 3))); }
  return most / model_->length();
}

void Freedoms::as_change(std::span<const double> y, const Eigen::VectorXd& x, std::span<double> dy) const {
  std::fill(dy.begin(), dy.end(), 0.0);
  for (std::size_t b = 0; b < J_N_.size(); ++b) {
    const EulerParameters<double> e = Model::view(y, static_cast<BodyId>(b)).e_NB;
    const EulerParameters<double> half{0, 0.5 * three_of(x, row_of(b))};
    const EulerParameters<double> de = half * e;
    const Vec3<double> d = three_of(x, row_of(b) + 3);
    double* const to = dy.data() + 13 * b;
    for (std::size_t k = 0; k < 3; ++k) {
      to[k] = d[k];
      to[4 + k] = de.ev[k];
    }
    to[3] = de.e0;
  }
}

void Freedoms::move(const Eigen::VectorXd& x, std::span<double> y) const {
  for (std::size_t b = 0; b < J_N_.size(); ++b) {
    BodyView body = Model::view(y, static_cast<BodyId>(b));
    const Vec3<double> turn = three_of(x, row_of(b));
    const double angle = norm(turn);
    if (angle > 0) {
      const EulerParameters<double> e{math::cos(0.5 * angle), (math::sin(0.5 * angle) / angle) * turn};
      body.e_NB = normalized(e * body.e_NB);
    }
    body.r_N += three_of(x, row_of(b) + 3);
    Model::set(y, static_cast<BodyId>(b), body);
  }
}

Eigen::VectorXd Freedoms::accelerations(std::span<const double> y, std::span<const double> ydot) const {
  Eigen::VectorXd a(row_of(J_N_.size()));
  for (std::size_t b = 0; b < J_N_.size(); ++b) {
    const double* const s = ydot.data() + 13 * b;
    const EulerParameters<double> e = Model::view(y, static_cast<BodyId>(b)).e_NB;
    put_three(rotate(e, Vec3<double>{s[10], s[11], s[12]}), a.segment(row_of(b), 3));
    put_three({s[7], s[8], s[9]}, a.segment(row_of(b) + 3, 3));
  }
  return a;
}

FreedomInWords Freedoms::in_words(std::span<const double> y, const Eigen::VectorXd& x) const {
  using polhode::at;
  std::vector<double> moving(y.begin(), y.end());
  for (std::size_t b = 0; b < J_N_.size(); ++b) {
    BodyView body = Model::view(moving, static_cast<BodyId>(b));
    body.w_B = rotate_back(body.e_NB, three_of(x, row_of(b)));
    body.v_N = three_of(x, row_of(b) + 3);
    Model::set(moving, static_cast<BodyId>(b), body);
  }
  FreedomInWords words;
  double most = 0;
  const double L = model_->length();
  const auto offer = [&](double rate, bool turns, double weight, const auto& text) {
    const double size = weight * std::fabs(rate) * (turns ? L : 1);
    if (size > most * (1 + 1e-6)) {  // of equal ones the first
      most = size;
      words = {text(), rate, turns};
    }
  };
  for (std::size_t j = 0; j < model_->joint_count(); ++j) {
    const auto [first, second] = model_->ends(moving, static_cast<int>(j));
    for (const Coordinate coordinate : model_->joints()[j].kind->coordinates) {
      const bool turns =
          coordinate != Coordinate::slide_x && coordinate != Coordinate::slide_y && coordinate != Coordinate::slide_z;
      offer(joint_coordinate(coordinate, first, second).rate, turns, 1,
            [&] { return coordinate_in_words(*model_, static_cast<int>(j), coordinate); });
    }
  }
  // bodies that no joint of the tree holds: a joint that moves as much goes first
  for (const TreeNode& tree : model_->elimination().nodes) {
    if (tree.body < 0 || tree.joint >= 0) { continue; }
    const std::string& name = model_->bodies()[at(tree.body)].name;
    const auto told = [&](std::string_view how, const Vec3<double>& v) {
      const Vec3<double> n = v / norm(v);
      const auto tidy = [](double c) { return std::fabs(c) < 5e-4 ? 0.0 : c; };
      return fmt::format("body '{}' {} ({:.3g}, {:.3g}, {:.3g})", name, how, tidy(n.x), tidy(n.y), tidy(n.z));
    };
    const Vec3<double> ang = three_of(x, row_of(at(tree.body)));
    const Vec3<double> lin = three_of(x, row_of(at(tree.body)) + 3);
    offer(norm(lin), false, 0.999, [&] { return told("along", lin); });
    offer(norm(ang), true, 0.999, [&] { return told("about", ang); });
  }
  return words;
}

}  // namespace polhode::analysis
