#include "polhode/verification/form_sweep.h"

#include "polhode/formulation/augmented.h"
#include "polhode/rotation/euler_angles.h"
#include "polhode/verification/larger.h"
#include "polhode/verification/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <string_view>

namespace polhode::verification {
namespace {

constexpr double kFormRounding = 1e-14;  ///< allowed, times (1 + chart condition² + condition of J)
constexpr double kMultiplier = 1e-12;    ///< allowed, times 1 + the size of the parts that λ can have

constexpr std::string_view kReducedChart = ":reduced";

class Draw {
 public:
  double between(double low, double high) {
    return low + (high - low) * (static_cast<double>(engine_() >> 11U) * 0x1p-53);
  }
  /// Sizes spread evenly over the exponents.
  double logarithmic(double low, double high) { return math::exp(between(math::log(low), math::log(high))); }
  Vec3<double> vector(double size) { return {between(-size, size), between(-size, size), between(-size, size)}; }
  EulerParameters<double> attitude() {
    for (;;) {
      const EulerParameters<double> e{between(-1, 1), vector(1)};
      if (norm(e) > 0.1 && norm(e) < 1) { return normalized(e); }
    }
  }
  std::size_t below(std::size_t end) { return static_cast<std::size_t>(engine_() % end); }

 private:
  std::mt19937_64 engine_{20240229};
};

Fine fine(double x) { return x; }
Vec3<Fine> fine(const Vec3<double>& v) { return {v.x, v.y, v.z}; }
EulerParameters<Fine> fine(const EulerParameters<double>& e) { return {e.e0, fine(e.ev)}; }
Mat3<Fine> fine(const Mat3<double>& m) {
  return from_columns(fine(column(m, 0)), fine(column(m, 1)), fine(column(m, 2)));
}
Vec3<double> rounded(const Vec3<Fine>& v) { return {v.x.rounded(), v.y.rounded(), v.z.rounded()}; }

/// A body, what acts on it and how it moves.
struct State {
  InertiaNow<double> inertia;
  double least_moment, inertia_condition;
  Load<double> load;
  BodyState<double> body;
  double load_size = 0;    ///< Σ |u'||f|
  double moment_size = 0;  ///< Σ |m|

  explicit State(Draw& draw) {
    // second moments of mass: every inertia is that of some body, thin rods among them
    const Vec3<double> m{draw.logarithmic(1e-3, 1), draw.logarithmic(1e-3, 1), draw.logarithmic(1e-3, 1)};
    const double size = draw.logarithmic(1e-2, 1e2);
    const Vec3<double> moments = size * Vec3<double>{m.y + m.z, m.x + m.z, m.x + m.y};
    const Mat3<double> U = rotation_matrix(draw.attitude());
    const Mat3<double> J = U * diagonal(moments.x, moments.y, moments.z) * transpose(U);
    inertia = inertia_now(0.5 * (J + transpose(J)));
    least_moment = std::min({moments.x, moments.y, moments.z});
    inertia_condition = std::max({moments.x, moments.y, moments.z}) / least_moment;
    const auto force = [&] { return draw.vector(draw.logarithmic(1e-2, 1e2)); };
    for (std::size_t n = draw.below(3); n > 0; --n) { load.add_force_space(force(), draw.vector(1)); }
    for (std::size_t n = draw.below(3); n > 0; --n) { load.add_force_body(force(), draw.vector(1)); }
    for (std::size_t n = draw.below(2); n > 0; --n) { load.add_moment_space(force()); }
    for (std::size_t n = draw.below(2); n > 0; --n) { load.add_moment_body(force()); }
    body.e_NB = draw.below(2) == 0 ? draw.attitude() : near_lock(draw);
    body.w_B = draw.vector(draw.logarithmic(1e-2, 1e2));
    LoadNow<double>(load, body).each_force([&](const auto& p) { load_size += norm(p.f_N) * norm(p.u_B); });
    for (const auto& moment : load.moments_space) { moment_size += norm(moment); }
    for (const auto& moment : load.moments_body) { moment_size += norm(moment); }
  }

 private:
  /// Near the singularity of one of the 12 sequences or of the reduced parameters: condition number 2 to 1e4.
  static EulerParameters<double> near_lock(Draw& draw) {
    const double distance = draw.logarithmic(2e-4, 1);
    const std::size_t chart = draw.below(13);
    if (chart == 12) {
      const Vec3<double> axis = draw.attitude().ev;
      return {math::sin(distance / 2), (math::cos(distance / 2) / norm(axis)) * axis};
    }
    const EulerSequence sequence = all_sequences()[chart];
    const double lock = sequence.proper() ? 0 : math::kPi<double> / 2;
    return EulerAngles{sequence}.to_euler_parameters(
        Vec3<double>{draw.between(-3, 3), lock + distance, draw.between(-3, 3)});
  }
};

/// ω̇' of Euler's equation in 50 digits, and the same with the gyroscopic term's sign wrong.
struct Reference {
  Vec3<double> torque, wdot, wrong_wdot;
  /// |J'⁻¹| (|n'| + |ω'||J'ω'|): not |ω' × J'ω'|, which is as small as one likes beside the rounding of its factors
  /// when the body is nearly spherical or turns about a principal axis.
  double scale;
  explicit Reference(const State& s) {
    Load<Fine> load;
    for (const auto& p : s.load.forces_space) { load.add_force_space(fine(p.f_N), fine(p.u_B)); }
    for (const auto& p : s.load.forces_body) { load.add_force_body(fine(p.f_B), fine(p.u_B)); }
    for (const auto& m : s.load.moments_space) { load.add_moment_space(fine(m)); }
    for (const auto& m : s.load.moments_body) { load.add_moment_body(fine(m)); }
    const BodyState<Fine> body{fine(s.body.t), {}, {}, fine(s.body.e_NB), fine(s.body.w_B)};
    const Mat3<Fine> J = fine(s.inertia.J_B);
    const Mat3<Fine> J_inverse = inverse(J);
    const Vec3<Fine> n = LoadNow<Fine>(load, body).torque_B();
    const Vec3<Fine> gyroscopic = cross(body.w_B, J * body.w_B);
    torque = rounded(n);
    wdot = rounded(J_inverse * (n - gyroscopic));
    wrong_wdot = rounded(J_inverse * (n + gyroscopic));
    scale = (norm(torque) + norm(s.body.w_B) * norm(s.inertia.J_B * s.body.w_B)) / s.least_moment;
  }
};

/// Worst ratio of error to bound, right and wrong.
struct Worst {
  double right = 0;
  double wrong = 0;
  void add(double error, double wrong_error, double bound) {
    right = larger(right, ratio(error, bound));
    wrong = larger(wrong, ratio(wrong_error, bound));
  }
  static double ratio(double error, double bound) { return error == 0 ? 0 : error / bound; }
};

/// "a1:3-2-1" and "f1:numeric" are of the families "a1" and "f1". Lagrange's equations in reduced parameters are a
/// family of their own.
std::string family_of(const std::string& name) {
  return name.ends_with(kReducedChart) ? name : name.substr(0, name.find(':'));
}
/// How rounding may grow with the chart's condition number c: c², since the product SᵀJ'S has it, and since angles or x
/// stored to rounding cost it. The partial derivatives of S for reduced parameters are of size c³, and Lagrange's
/// bracket is a difference of products with them: c³ is lost there.
double chart_growth(const std::string& name, double condition) {
  return name.ends_with(kReducedChart) ? condition * condition * condition : condition * condition;
}

/// A form whose multiplier differs from that of the family in one part of it.
std::string_view unlike(const std::string& family) {
  static const std::map<std::string, std::string_view> kOther{{"f1", "f5"}, {"f2", "f3"},  {"f3", "f4"},
                                                              {"f4", "f3"}, {"f5", "f12"}, {"f6", "f5"},
                                                              {"f7", "f8"}, {"f8", "f7"},  {"f12", "f5"}};
  return kOther.at(family);
}

struct Sweep {
  std::map<std::string, Worst> acceleration, multiplier;
  Worst power;

  void visit(const State& s) {
    const Reference reference(s);
    const LoadNow<double> load(s.load, s.body);
    const double given = dot(reference.torque, s.body.w_B);
    const double speed = norm(s.body.w_B);
    const double momentum = s.inertia_condition * s.least_moment * speed;
    const EulerParameters<double> edot = rate_from_body(s.body.e_NB, s.body.w_B);
    for (const ForceForm form : {ForceForm::qp1, ForceForm::qp1_reduced, ForceForm::qp2, ForceForm::qp2_reduced}) {
      const double work = dot(augmented::generalised_force(form, s.body.e_NB, load), edot);
      power.add(std::fabs(work - given), std::fabs(2 * work - given),
                kFormRounding * speed * (4 * s.load_size + s.moment_size));
    }
    for (const auto& form : formulations<double>()) {
      const FormDescription& d = form->description();
      std::vector<double> y(d.size);
      std::vector<double> ydot(d.size);
      form->to_state(s.inertia, s.body.e_NB, s.body.w_B, y);
      const FormResult<double> result = form->rates(s.inertia, load, y, ydot);
      const double condition = form->chart_condition(y);
      const double allowed =
          kFormRounding * (1 + chart_growth(d.name, condition) + s.inertia_condition) * reference.scale;
      acceleration[family_of(d.name)].add(norm(result.wdot_B - reference.wdot),
                                          norm(result.wdot_B - reference.wrong_wdot), allowed);
      const double gained = dot(s.inertia.J_B * s.body.w_B, result.wdot_B);
      power.add(std::fabs(gained - given), std::fabs(gained + given), allowed * momentum);
      if (result.multiplier) {
        const double energy = dot(s.body.w_B, s.inertia.J_B * s.body.w_B) / 2;
        const double closed = *form->expected_multiplier(s.inertia, load, s.body.e_NB, s.body.w_B);
        const Formulation<double>& other = formulation<double>(unlike(family_of(d.name)));
        const double wrong = *other.expected_multiplier(s.inertia, load, s.body.e_NB, s.body.w_B);
        const double size = 1 + 4 * energy + 4 * s.load_size;
        multiplier[family_of(d.name)].add(std::fabs(*result.multiplier - closed), std::fabs(*result.multiplier - wrong),
                                          kMultiplier * size);
      }
    }
  }
};

Item item(std::string equation, std::string label, std::string function, std::string statement, std::string twin,
          const Worst& worst) {
  Item made;
  made.source = "own";
  made.equation = std::move(equation);
  made.label = std::move(label);
  made.function = std::move(function);
  made.statement = std::move(statement);
  made.twin = std::move(twin);
  made.arithmetic = "double";
  made.ok = worst.right <= 1;
  made.twin_killed = worst.wrong > 1;
  made.residual = worst.right;
  made.twin_residual = worst.wrong;
  return made;
}

}  // namespace

std::vector<Item> sweep_forms(std::size_t states) {
  Sweep sweep;
  Draw draw;
  for (std::size_t n = 0; n < states; ++n) { sweep.visit(State(draw)); }
  std::vector<Item> items;
  std::vector<std::string> families;
  std::vector<std::string> with_multiplier;
  for (const auto& form : formulations<double>()) {
    const std::string family = family_of(form->description().name);
    if (!families.empty() && families.back() == family) { continue; }
    families.push_back(family);
    if (form->description().row_scale) { with_multiplier.push_back(family); }
  }
  for (const std::string& family : families) {
    const char* growth = family.ends_with(kReducedChart) ? "³" : "²";
    items.push_back(item("sweep, acceleration of " + family, "", "Formulation<double>::rates (" + family + ")",
                         fmt::format("|ω̇' − J'⁻¹(n' − ω' × J'ω')| ≤ 1e-14 (1 + chart condition{} + condition of J') "
                                     "|J'⁻¹| (|n'| + |ω'||J'ω'|)",
                                     growth),
                         "n' + ω' × J'ω'", sweep.acceleration[family]));
  }
  for (const std::string& family : with_multiplier) {
    items.push_back(item("sweep, multiplier of " + family, "",
                         "Formulation<double>::expected_multiplier (" + family + ")",
                         "|λ − closed form| ≤ 1e-12 (1 + 4T + 4 Σ |u'||f|)", "that of " + std::string(unlike(family)),
                         sweep.multiplier[family]));
  }
  items.push_back(item("sweep, power", "", "Formulation<double>::rates, augmented::generalised_force",
                       "n'·ω' = Q·ė (four Q) = dT/dt (every form), to the rounding of the accelerations",
                       "2 Q·ė, −dT/dt", sweep.power));
  return items;
}

}  // namespace polhode::verification
