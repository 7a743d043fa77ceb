#include "multibody/chain.h"
#include "polhode/math/degree.h"
#include "polhode/multibody/dynamics.h"

namespace polhode::bench {

Evaluation polhode_chain(std::size_t n) {
  ModelBuilder builder;
  builder.gravity({0, 0, -9.81});
  const double half = 22.5 * math::kDegree;
  const EulerParameters<double> e{math::cos(half), {0, math::sin(half), 0}};
  const Vec3<double> step = rotate(e, Vec3<double>{0, 0, -1});
  const MassProperties rod = from_principal_moments(1, {1.01 / 12, 1.01 / 12, 0.02 / 12}, {0, 0, -0.5});
  // frames whose z is the hinge axis: y, then x of the rod
  const EulerParameters<double> to_y = exp(Vec3<double>{-90 * math::kDegree, 0, 0});
  const EulerParameters<double> to_x = exp(Vec3<double>{0, 90 * math::kDegree, 0});
  for (std::size_t i = 0; i < n; ++i) {
    BodyStart start;
    start.r_N = static_cast<double>(i) * step;
    start.e_NB = e;
    const BodyId body = builder.body("rod " + std::to_string(i), rod, start);
    const EulerParameters<double> frame = i % 2 == 0 ? to_y : to_x;
    const FrameOnBody above = i == 0 ? FrameOnBody{{0, 0, 0}, e * frame} : FrameOnBody{{0, 0, -1}, frame};
    builder.joint("revolute", "hinge " + std::to_string(i), i == 0 ? kGround : body - 1, above, body,
                  {{0, 0, 0}, frame});
  }
  struct Kept {
    Model model;
    Scratch scratch;
    std::vector<double> y, ydot;
    explicit Kept(Model m) : model(std::move(m)), scratch(model), y(model.start()), ydot(y.size()) {}
  };
  const auto kept = std::make_shared<Kept>(builder.build());
  return {[kept] { evaluate(kept->model, 0, kept->y, kept->ydot, kept->scratch); },
          [kept] { return norm(acceleration_of(kept->model, kept->scratch, 0).ang); }};
}

}  // namespace polhode::bench
