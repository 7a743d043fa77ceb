#include "polhode/core/error.h"
#include "polhode/core/index.h"
#include "polhode/multibody/euler_forms.h"
#include "polhode/rotation/rotation_matrix.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace polhode {
namespace {

/// λ = T-part · T + Σ (2 f·(A u') if plain) + Σ (2 u'·f if mixed), for the row c eᵀ: table C2 of docs/theory/forms.md.
struct MultiplierRule {
  std::string_view form;
  double of_T;
  bool plain;
  bool mixed;
  double c;
};
constexpr std::array<MultiplierRule, 9> kRules{{
    {"f1", 0, false, false, 1},
    {"f2", 0, true, false, 1},
    {"f3", 0, true, true, 1},
    {"f4", 0, true, false, 1},
    {"f5", 4, false, false, 1},
    {"f6", 4, true, false, 1},
    {"f7", 4, true, true, 1},
    {"f8", 4, true, false, 1},
    {"f12", 4, false, false, 2},
}};

const MultiplierRule& rule_of(std::string_view form) {
  for (const MultiplierRule& rule : kRules) {
    if (rule.form == form) { return rule; }
  }
  fail(Error(fmt::format("no rule for the multiplier of form '{}'", form)));
}

/// Calls use(body, u', f) for every force at a point, space components, straight from the model's description.
template <class Use>
void each_described_force(const Model& model, double t, std::span<const double> y, std::span<const double> turns,
                          const Use& use) {
  const auto from_centre = [&](BodyId body, const Vec3<double>& r_BP_B) {
    return r_BP_B - model.bodies()[at(body)].mass.center_B;
  };
  const auto velocity = [&](BodyId body, const Vec3<double>& r_BP_B) -> Vec3<double> {
    if (body == kGround) { return {}; }
    const BodyView b = Model::view(y, body);
    return b.v_N + rotation_matrix(b.e_NB) * cross(b.w_B, from_centre(body, r_BP_B));
  };
  const auto in_space = [&](BodyId body, const Vec3<double>& v, bool in_body) {
    return in_body ? rotation_matrix(Model::view(y, body).e_NB) * v : v;
  };
  for (const Wrench& wrench : model.wrenches()) {
    if (wrench.body == kGround) { continue; }
    use(wrench.body, from_centre(wrench.body, wrench.r_BP_B), in_space(wrench.body, wrench.force, wrench.in_body));
  }
  for (const WrenchLaw& law : model.wrench_laws()) {
    if (!law.r_BP_B) { continue; }
    use(law.body, from_centre(law.body, *law.r_BP_B),
        in_space(law.body, law.law({model, t, y, turns}).lin, law.in_body));
  }
  for (const Spring& spring : model.springs()) {
    const Vec3<double> d =
        model.point_N(y, spring.second, spring.on_second_B) - model.point_N(y, spring.first, spring.on_first_B);
    const double s = norm(d);
    if (s == 0) { continue; }
    const double rate =
        dot(d, velocity(spring.second, spring.on_second_B) - velocity(spring.first, spring.on_first_B)) / s;
    const Vec3<double> f =
        ((spring.stiffness * (s - spring.free_length) + spring.damping * rate + spring.force) / s) * d;  // MEC-13
    if (spring.first != kGround) { use(spring.first, from_centre(spring.first, spring.on_first_B), f); }
    if (spring.second != kGround) { use(spring.second, from_centre(spring.second, spring.on_second_B), -f); }
  }
  for (const Drag& drag : model.drags()) {
    if (drag.body == kGround) { continue; }
    const Vec3<double> through = velocity(drag.body, drag.r_BP_B) - drag.medium_N;
    use(drag.body, from_centre(drag.body, drag.r_BP_B),
        -(drag.linear + drag.quadratic * norm(through)) * through);  // MEC-28
  }
}

/// Φ_e e of every row of a joint, for one of its bodies: how Φ changes as e grows, A being homogeneous in it.
std::vector<double> growth_of_rows(const Model& model, std::span<const double> y, int joint, BodyId body) {
  const JointDescription& j = model.joints()[at(joint)];
  const auto values_at = [&](double growth) {
    std::vector<double> grown(y.begin(), y.end());
    BodyView b = Model::view(y, body);
    b.e_NB = growth * b.e_NB;
    Model::set(grown, body, b);
    const auto [first, second] = model.ends(grown, joint);
    std::array<double, kMostRows> values{};
    joint_values(*j.kind, j.parameter, first, second, values);
    return values;
  };
  // a central difference of fourth order: off by rounding/h and h⁴, both near 1e-12
  constexpr double h = 1e-3;
  const auto ahead = values_at(1 + h);
  const auto behind = values_at(1 - h);
  const auto far_ahead = values_at(1 + 2 * h);
  const auto far_behind = values_at(1 - 2 * h);
  std::vector<double> growth(j.kind->row_count());
  for (std::size_t r = 0; r < growth.size(); ++r) {
    growth[r] = (8 * (ahead[r] - behind[r]) - (far_ahead[r] - far_behind[r])) / (12 * h);
  }
  return growth;
}

}  // namespace

std::vector<double> norm_multipliers_by_rule(const Model& model, double t, std::span<const double> y,
                                             std::string_view form, JointJacobian jacobian,
                                             std::span<const double> lambda, std::span<const double> turns) {
  const MultiplierRule& rule = rule_of(form);
  std::vector<double> result(model.body_count(), 0.0);
  for (std::size_t b = 0; b < result.size(); ++b) {
    const BodyView body = Model::view(y, static_cast<BodyId>(b));
    result[b] = rule.of_T * 0.5 * dot(body.w_B, model.carrier_J_B(static_cast<BodyId>(b)) * body.w_B);
  }
  each_described_force(model, t, y, turns, [&](BodyId body, const Vec3<double>& u_B, const Vec3<double>& f_N) {
    const Mat3<double> A = rotation_matrix(Model::view(y, body).e_NB);
    if (rule.plain) { result[at(body)] += 2 * dot(f_N, A * u_B); }
    if (rule.mixed) { result[at(body)] += 2 * dot(u_B, f_N); }
  });
  if (jacobian == JointJacobian::raw) {
    std::size_t first_row = 0;
    for (std::size_t j = 0; j < model.joint_count(); ++j) {
      const JointDescription& joint = model.joints()[j];
      for (const BodyId body : {joint.first, joint.second}) {
        if (body == kGround) { continue; }
        const std::vector<double> growth = growth_of_rows(model, y, static_cast<int>(j), body);
        for (std::size_t r = 0; r < growth.size(); ++r) { result[at(body)] -= lambda[first_row + r] * growth[r]; }
      }
      first_row += joint.kind->row_count();
    }
  }
  for (double& value : result) { value /= rule.c; }
  return result;
}

}  // namespace polhode
