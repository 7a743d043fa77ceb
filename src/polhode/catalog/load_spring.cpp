#include "polhode/catalog/scenario.h"

namespace polhode::catalog {
namespace {

void read_spring_load(io::TomlTable& table, LoadContext& context) {
  const double k = table.number("stiffness");
  const double length = table.optional_number("length").value_or(0);
  const double c = table.optional_number("damping").value_or(0);
  const Vec3<double> anchor_N = table.vector("anchor_space");
  const Vec3<double> at_B = table.vector("at_body");
  const Vec3<double> u_B = at_B - context.reference_B;
  context.turns = norm(u_B) > 0;
  if (k < 0) { table.problem("stiffness", "a negative stiffness", "wanted: N/m, 0 or more"); }
  if (length < 0) { table.problem("length", "a negative length", "wanted: m, 0 or more"); }
  if (c < 0) { table.problem("damping", "a negative damping", "wanted: N s/m, 0 or more"); }
  // d from anchor to point; f = −(k (|d| − l) + c d·v/|d|) d/|d|; a spring of no length has no direction at d = 0
  const auto law = [=](const BodyState<double>& s) {
    const Vec3<double> arm_N = rotate(s.e_NB, u_B);
    const Vec3<double> d_N = s.r_N + arm_N - anchor_N;
    const Vec3<double> v_N = s.v_N + cross(rotate(s.e_NB, s.w_B), arm_N);
    const double size = norm(d_N);
    if (size == 0) { return PointForce<double>{Vec3<double>{0, 0, 0}, u_B}; }
    const Vec3<double> along_N = d_N / size;
    return PointForce<double>{-(k * (size - length) + c * dot(along_N, v_N)) * along_N, u_B};
  };
  context.scene->springs.push_back({"spring", -1, anchor_N, 0, at_B});
  context.plan->body.load.add_force(law, c == 0 ? LawOf::time_and_place : LawOf::rates_too);
  if (c == 0) {
    context.potential = [=](const BodyState<double>& s) {
      const double stretch = norm(s.r_N + rotate(s.e_NB, u_B) - anchor_N) - length;
      return 0.5 * k * stretch * stretch;
    };
  }
}

}  // namespace

extern const LoadKind kLoad_spring{"spring",
                                   "a spring, with damping if asked for, from a point in space to one of the body",
                                   "f = -(k (|d| - l) + c d.v/|d|) d/|d|", read_spring_load};

}  // namespace polhode::catalog
