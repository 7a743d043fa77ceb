#include "multibody/chain.h"
#include "polhode/math/degree.h"
#include "polhode/multibody/dynamics.h"

#include <cmath>

namespace polhode::bench {
namespace {

/// A model with its state and scratch memory, and the hinge axes in the frames of the rods.
struct ChainAtState {
  Model model;
  Scratch scratch;
  std::vector<double> y, ydot;
  explicit ChainAtState(Model m) : model(std::move(m)), scratch(model), y(model.start()), ydot(y.size()) {}
  void run() { evaluate(model, 0, y, ydot, scratch); }
};

Vec3<double> hinge_axis(std::size_t i) { return i % 2 == 0 ? Vec3<double>{0, 1, 0} : Vec3<double>{1, 0, 0}; }

std::shared_ptr<ChainAtState> chain(const std::vector<double>& angles, const std::vector<double>& rates) {
  ModelBuilder builder;
  builder.gravity({0, 0, -9.81});
  const MassProperties rod = from_principal_moments(1, {1.01 / 12, 1.01 / 12, 0.02 / 12}, {0, 0, -0.5});
  const Vec3<double> length{0, 0, -1};
  // frames whose z is the hinge axis: y, then x of the rod
  const EulerParameters<double> to_y = exp(Vec3<double>{-90 * math::kDegree, 0, 0});
  const EulerParameters<double> to_x = exp(Vec3<double>{0, 90 * math::kDegree, 0});
  BodyStart start;
  for (std::size_t i = 0; i < angles.size(); ++i) {
    if (i > 0) {  // to the end of the rod before
      start.r_N = start.r_N + rotate(start.e_NB, length);
      start.v_N = start.v_N + rotate(start.e_NB, cross(start.w_B, length));
    }
    const EulerParameters<double> turn = exp(angles[i] * hinge_axis(i));
    start.e_NB = start.e_NB * turn;
    start.w_B = rotate(conjugate(turn), start.w_B) + rates[i] * hinge_axis(i);
    const BodyId body = builder.body("rod " + std::to_string(i), rod, start);
    const EulerParameters<double> frame = i % 2 == 0 ? to_y : to_x;
    const FrameOnBody above{i == 0 ? Vec3<double>{} : length, frame};
    builder.joint("revolute", "hinge " + std::to_string(i), i == 0 ? kGround : body - 1, above, body,
                  {{0, 0, 0}, frame});
  }
  return std::make_shared<ChainAtState>(builder.build());
}

/// q̈ᵢ = zᵢ · (αᵢ − αᵢ₋₁): what turns the axis zᵢ itself is across it.
std::vector<double> hinge_accelerations(const ChainAtState& kept) {
  std::vector<double> result;
  Vec3<double> before{};
  for (std::size_t i = 0; i < kept.model.body_count(); ++i) {
    const auto body = static_cast<BodyId>(i);
    const Vec3<double> alpha = acceleration_of(kept.model, kept.scratch, body).ang;
    result.push_back(dot(rotate(Model::view(kept.y, body).e_NB, hinge_axis(i)), alpha - before));
    before = alpha;
  }
  return result;
}

}  // namespace

Evaluation polhode_chain(std::size_t n) {
  std::vector<double> angles(n, 0.0);
  angles[0] = 45 * math::kDegree;
  const auto kept = chain(angles, std::vector<double>(n, 0.0));
  return {[kept] { kept->run(); }, [kept] { return norm(acceleration_of(kept->model, kept->scratch, 0).ang); }};
}

EvaluationAtState polhode_bent_chain(std::size_t n) {
  EvaluationAtState result;
  for (std::size_t i = 0; i < n; ++i) {
    result.angles.push_back(0.5 * std::sin(static_cast<double>(i + 1)));
    result.rates.push_back(std::cos(static_cast<double>(2 * i + 1)));
  }
  const auto kept = chain(result.angles, result.rates);
  result.run = [kept] { kept->run(); };
  result.accelerations = [kept] { return hinge_accelerations(*kept); };
  return result;
}

}  // namespace polhode::bench
