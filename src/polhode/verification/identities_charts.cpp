#include "polhode/math/symmetric_eigen.h"
#include "polhode/verification/coordinates.h"
#include "polhode/verification/identity.h"

/// Relations of our own: the charts along the axis of rotation, and what holds for every chart in both frames.
namespace polhode::verification {
namespace {

/// Over the vector charts at a rational attitude, the reduced parameters on both branches.
template <class Residual>
Exact on_vector_charts(X& t, const Residual& residual) {
  const EulerParameters<Exact> e = t.unit();
  Exact worst(0);
  for (const Coordinates& c : {reduced_parameters(e), reduced_parameters(-e), rodrigues(e), modified_rodrigues(e)}) {
    worst = larger(worst, residual(CoordinateMotion(c, t)));
  }
  return worst;
}

/// Over every chart of the library in 50 digits: residual(chart, x), x away from the singularity.
template <class Residual>
Fine on_all_charts(F& t, const Residual& residual) {
  const Vec3<Fine> v = t.vector();
  Fine worst = residual(RotationVector{}, v / Fine(3));
  worst = larger(worst, residual(RotationVector{}, v / Fine(50)));  // by the series
  worst = larger(worst, residual(Rodrigues{}, v / Fine(4)));
  worst = larger(worst, residual(ModifiedRodrigues{}, v / Fine(17)));  // within |x| < 1, where it is its own image
  worst = larger(worst, residual(ReducedEulerParameters{}, v / Fine(17)));
  for (EulerSequence sequence : all_sequences()) {
    for (const bool extrinsic : {false, true}) {
      sequence.extrinsic = extrinsic;
      const Fine middle = sequence.proper() ? Fine(0.1) + size(t.number()) / Fine(4) : t.number() / Fine(7);
      const Fine first = t.number() / Fine(3);
      worst = larger(worst, residual(EulerAngles{sequence}, Vec3<Fine>{first, middle, t.number() / Fine(3)}));
    }
  }
  return worst;
}

/// The same with a motion x(t) and what it does to the body: residual(chart, motion).
struct ChartMotion {
  Vec3<Fine> x, xdot, xddot;
  Turning<Fine> turning;
};
template <class Residual>
Fine on_chart_motions(F& t, const Residual& residual) {
  return on_all_charts(t, [&](const auto& chart, const Vec3<Fine>& x) {
    const Vec3<Fine> xdot = t.vector();
    const Vec3<Fine> xddot = t.vector();
    return residual(
        chart,
        ChartMotion{x, xdot, xddot, Turning<Fine>(rotation_matrix(chart.to_euler_parameters(path(x, xdot, xddot))))});
  });
}

/// The angle of a rotation, in [0, 2π].
Fine full_angle(const EulerParameters<Fine>& e) { return Fine(2) * atan2(norm(e.ev), e.e0); }

template <class C>
Mat3<Fine> isotropic(const C&, const Vec3<Fine>& x) {
  const IsotropicRate<Fine> r = C::isotropic_rate(x);
  return r.a * unit3<Fine>() - r.b * skew(x) + r.c * outer(x, x);
}

}  // namespace

std::vector<Identity> identities_charts() {
  return {
      {"KIN-40", "KIN-40 KIN-46 KIN-47 KIN-49", "VectorChart::body_rate_matrix",
       "3 charts: ω' = S ẋ, S = a I − b x̃ + c x xᵀ", "a I + b x̃ + c x xᵀ", exact([](X& t) {
         return on_vector_charts(
             t, [&](const CoordinateMotion& c) { return size(c.w() - t.pick(c.S, tr(c.S)) * c.qdot); });
       })},
      {"KIN-41", "KIN-41", "VectorChart::inverse_body_rate_matrix",
       "3 charts: S⁻¹ = (a I + b x̃ + (b² − ac)/(a + cρ) x xᵀ)/(a² + b²ρ)", "transposed", exact([](X& t) {
         return on_vector_charts(t, [&](const CoordinateMotion& c) {
           const Mat3<Exact> inverse = t.pick(c.S_inverse, tr(c.S_inverse));
           return size(inverse * c.S - unit3<Exact>(), c.S * inverse - unit3<Exact>());
         });
       })},
      {"KIN-42", "KIN-42", "VectorChart::isotropic_rate", "3 charts: det S = (a + cρ)(a² + b²ρ)", "−det S",
       exact([](X& t) {
         return on_vector_charts(
             t, [&](const CoordinateMotion& c) { return size(determinant(c.S) - t.sign * c.determinant); });
       })},
      {"KIN-42 conditioning", "KIN-42", "VectorChart::conditioning",
       "4 charts: singular values a + cρ and √(a² + b²ρ): condition number and determinant are those of S",
       "square of the condition number", digits50([](F& t) {
         return on_all_charts(t, [&](const auto& chart, const Vec3<Fine>& x) {
           const Conditioning<Fine> said = chart.conditioning(x);
           const Mat3<Fine> S = chart.body_rate_matrix(x);
           const SymmetricEigen<Fine, 3> squares = symmetric_eigen(tr(S) * S);
           const Fine square = squares.values[0] / squares.values[2];
           return size(said.condition_number - t.pick(sqrt(square), square), said.determinant - determinant(S));
         });
       })},
      {"KIN-42 distance", "KIN-42 KIN-46 KIN-47 KIN-49", "angle_left",
       "distance = 2π − μ (rotation vector, modified Rodrigues), π − μ (Rodrigues, reduced)", "π and 2π exchanged",
       digits50([](F& t) {
         const Vec3<Fine> x = t.vector() / Fine(17);
         const Fine turn = math::pi<Fine>() * t.pick(Fine(2), Fine(1));
         const Fine half_turn = math::pi<Fine>() * t.pick(Fine(1), Fine(2));
         const auto left = [&](const auto& chart, const Fine& limit) {
           return chart.conditioning(x).distance - (limit - full_angle(chart.to_euler_parameters(x)));
         };
         return size(left(RotationVector{}, turn), left(ModifiedRodrigues{}, turn), left(Rodrigues{}, half_turn),
                     left(ReducedEulerParameters{}, half_turn));
       })},
      {"KIN-43", "KIN-43", "VectorChart::body_rate_partials",
       "3 charts: ∂ᵢS = 2xᵢ (a' I − b' x̃ + c' x xᵀ) − b ẽᵢ + c (eᵢxᵀ + x eᵢᵀ)", "transposed", exact([](X& t) {
         return on_vector_charts(t, [&](const CoordinateMotion& c) {
           Exact worst(0);
           for (std::size_t i = 0; i < 3; ++i) {
             worst = larger(worst, size(t.pick(c.D[i], tr(c.D[i])) - derivative(c.S_along(axis_vector<Exact>(i)))));
           }
           return worst;
         });
       })},
      {"KIN-44", "KIN-44", "VectorChart::body_rate_matrix", "3 charts: C = A S = Sᵀ", "C = S", exact([](X& t) {
         return on_vector_charts(t, [&](const CoordinateMotion& c) {
           return size(c.A * c.S - t.pick(tr(c.S), c.S), c.turning.w_N - tr(c.S) * c.qdot);
         });
       })},
      {"KIN-60", "KIN-45 KIN-60", "stumpff",
       "c0 = cos φ, c1 = sin φ/φ, c_n = 1/n! − ρ c_{n+2}, dc_n/dρ = ½ (n c_{n+2} − c_{n+1}), ρ = φ²",
       "½ (n c_{n+2} + c_{n+1})", digits50([](F& t) {
         const Fine far = t.number();
         Fine worst(0);
         for (const Fine& phi : {far, far / Fine(9), far / Fine(1e9)}) {
           const Fine rho = phi * phi;
           const Stumpff<Fine> c = stumpff(rho);
           const Stumpff<Dual<Fine>> d = stumpff(Dual<Fine>(rho, Fine(1)));
           const Fine half(0.5);
           const Fine s = t.sign;
           worst = larger(worst, size(c.c0 - math::cos(phi), c.c1 - math::sin(phi) / phi, c.c0 - Fine(1) + rho * c.c2,
                                      c.c1 - Fine(1) + rho * c.c3, c.c2 - half + rho * c.c4,
                                      c.c3 - Fine(1) / Fine(6) + rho * c.c5, d.c1.derivative - half * (c.c3 - s * c.c2),
                                      d.c2.derivative - half * (Fine(2) * c.c4 - s * c.c3),
                                      d.c3.derivative - half * (Fine(3) * c.c5 - s * c.c4)));
         }
         return worst;
       })},
      {"KIN-45 rotation vector", "KIN-40 KIN-45", "RotationVector::isotropic_rate",
       "a = c1, b = c2, c = c3: ω' = S ẋ for x = μ n", "a = c2, b = c1", digits50([](F& t) {
         const Vec3<Fine> x = t.vector();
         const Vec3<Fine> xdot = t.vector();
         const Turning<Fine> turning(rotation_matrix(exp(path(x, xdot, Vec3<Fine>{}))));
         const Stumpff<Fine> c = stumpff(norm_squared(x));
         const Mat3<Fine> S = t.pick(c.c1, c.c2) * unit3<Fine>() - t.pick(c.c2, c.c1) * skew(x) + c.c3 * outer(x, x);
         return size(turning.w_B - S * xdot, S - t.pick(isotropic(RotationVector{}, x), S),
                     turning.w_B - RotationVector{}.body_rate_matrix(x) * xdot);
       })},
      {"KIN-46", "KIN-46", "Rodrigues", "x = e/e0, e = (1; x)/√(1 + ρ), S = 2/(1 + ρ) (I − x̃)", "I + x̃",
       exact([](X& t) {
         const EulerParameters<Exact> e = t.unit();
         const Vec3<Exact> x = Rodrigues{}.from_euler_parameters(e);
         const Mat3<Exact> S = (2 / (1 + norm_squared(x))) * (unit3<Exact>() - t.sign * skew(x));
         return size(Rodrigues{}.to_euler_parameters(x) - canonical(e), Rodrigues{}.body_rate_matrix(x) - S,
                     e.e0 * x - e.ev);
       })},
      {"KIN-47", "KIN-47", "ModifiedRodrigues",
       "x = e/(1 + e0), S = 4/(1 + ρ)² ((1 − ρ) I − 2 x̃ + 2 x xᵀ),  S⁻¹ = ¼ ((1 − ρ) I + 2 x̃ + 2 x xᵀ)", "+ 2 x̃ in S",
       exact([](X& t) {
         const EulerParameters<Exact> e = t.unit();
         const Vec3<Exact> x = ModifiedRodrigues{}.from_euler_parameters(e);
         const Exact rho = norm_squared(x);
         const Mat3<Exact> even = (1 - rho) * unit3<Exact>() + Exact(2) * outer(x, x);
         const Mat3<Exact> S = (4 / ((1 + rho) * (1 + rho))) * (even - (2 * t.sign) * skew(x));
         const Mat3<Exact> inverse = (Exact(1) / 4) * (even + Exact(2) * skew(x));
         return size(ModifiedRodrigues{}.to_euler_parameters(x) - canonical(e),
                     ModifiedRodrigues{}.body_rate_matrix(x) - S,
                     ModifiedRodrigues{}.inverse_body_rate_matrix(x) - inverse);
       })},
      {"KIN-48", "KIN-48", "ModifiedRodrigues::shadow, shadow_rate",
       "x̂ = −x/|x|²: e(x̂) = −e(x), d/dt x̂ = (2 x xᵀ/ρ − I) ẋ/ρ", "x̂ = x/|x|²", exact([](X& t) {
         const Vec3<Exact> x = t.vector();
         const Vec3<Exact> xdot = t.vector();
         const Vec3<Exact> other = ModifiedRodrigues::shadow(x);
         return size(
             ModifiedRodrigues{}.to_euler_parameters(t.sign * other) + ModifiedRodrigues{}.to_euler_parameters(x),
             derivative(ModifiedRodrigues::shadow(along(x, xdot))) - ModifiedRodrigues::shadow_rate(x, xdot));
       })},
      {"KIN-48 rotation vector", "KIN-48", "RotationVector::shadow", "x̂ = (1 − 2π/|x|) x: exp(x̂) = −exp(x)",
       "exp(x̂) = exp(x)", digits50([](F& t) {
         const Vec3<Fine> x = t.vector();
         return size(exp(RotationVector::shadow(x)) + t.sign * exp(x));
       })},
      {"KIN-49", "KIN-49", "ReducedEulerParameters",
       "S = 2 (e0 I − x̃ + x xᵀ/e0), S⁻¹ = ½ (e0 I + x̃), det S = 8/e0, both signs of e0", "+ x̃ in S", exact([](X& t) {
         Exact worst(0);
         EulerParameters<Exact> e = t.unit();
         for (int branch = 0; branch < 2; ++branch) {
           const Coordinates c = reduced_parameters(e);
           const Vec3<Exact>& x = e.ev;
           const Mat3<Exact> S = Exact(2) * (e.e0 * unit3<Exact>() - t.sign * skew(x) + (1 / e.e0) * outer(x, x));
           worst = larger(worst, size(c.S - S, c.S_inverse - (Exact(1) / 2) * (e.e0 * unit3<Exact>() + skew(x)),
                                      c.determinant - 8 / e.e0, c.A - rotation_matrix(e)));
           e = -e;
         }
         return worst;
       })},
      {"charts there and back", "KIN-9 KIN-46 KIN-47 KIN-49", "to_euler_parameters, from_euler_parameters",
       "every chart: e(x(e)) = ±e", "e(−x)", digits50([](F& t) {
         return on_all_charts(t, [&](const auto& chart, const Vec3<Fine>& x) {
           const EulerParameters<Fine> e = chart.to_euler_parameters(x);
           const EulerParameters<Fine> again = chart.to_euler_parameters(t.sign * chart.from_euler_parameters(e));
           return size(nearest_sign(again, e) - e, norm_squared(e) - Fine(1));
         });
       })},
      {"KIN-54", "KIN-54", "rate_matrix<F>, inverse_rate_matrix<F>, angular_velocity<F>, coordinate_rate",
       "every chart: ω' = S ẋ, ω = C ẋ with C = A S, and back", "frames exchanged", digits50([](F& t) {
         return on_chart_motions(t, [&](const auto& chart, const ChartMotion& m) {
           const Vec3<Fine> body = angular_velocity<Body>(chart, m.x, m.xdot).raw();
           const Vec3<Fine> space = angular_velocity<Space>(chart, m.x, m.xdot).raw();
           return size(m.turning.w_B - t.pick(body, space), m.turning.w_N - space,
                       m.xdot - coordinate_rate(chart, m.x, BodyVector<Fine>(m.turning.w_B)),
                       m.xdot - coordinate_rate(chart, m.x, SpaceVector<Fine>(m.turning.w_N)));
         });
       })},
      {"KIN-55", "KIN-55", "rate_partials<F>",
       "every chart: ∂ᵢC = A (s̃ᵢ S + ∂ᵢS); ∂ᵢS and ∂ᵢC are the derivatives of S and C", "∂ᵢC = A ∂ᵢS",
       digits50([](F& t) {
         return on_all_charts(t, [&](const auto& chart, const Vec3<Fine>& x) {
           const auto body = rate_partials<Body>(chart, x);
           const auto space = rate_partials<Space>(chart, x);
           const Mat3<Fine> A = rotation_matrix(chart.to_euler_parameters(x));
           Fine worst(0);
           for (std::size_t i = 0; i < 3; ++i) {
             const Vec3<Dual<Fine>> moved = along(x, axis_vector<Fine>(i));
             worst = larger(worst, size(body[i] - derivative(rate_matrix<Body>(chart, moved)),
                                        t.pick(space[i], A * body[i]) - derivative(rate_matrix<Space>(chart, moved))));
           }
           return worst;
         });
       })},
      {"KIN-56", "KIN-56", "rate_matrix_rate<F>", "every chart, both frames: Ṡ = Σ ẋᵢ ∂ᵢS", "−Ṡ", digits50([](F& t) {
         return on_chart_motions(t, [&](const auto& chart, const ChartMotion& m) {
           const Vec3<Dual<Fine>> moved = along(m.x, m.xdot);
           return size(
               rate_matrix_rate<Body>(chart, m.x, m.xdot) - t.sign * derivative(rate_matrix<Body>(chart, moved)),
               rate_matrix_rate<Space>(chart, m.x, m.xdot) - derivative(rate_matrix<Space>(chart, moved)));
         });
       })},
      {"KIN-57", "KIN-57", "angular_acceleration<F>", "every chart, both frames: ω̇ = S ẍ + Ṡ ẋ", "S ẍ − Ṡ ẋ",
       digits50([](F& t) {
         return on_chart_motions(t, [&](const auto& chart, const ChartMotion& m) {
           const Vec3<Fine> extra = Fine(2) * (rate_matrix_rate<Body>(chart, m.x, m.xdot) * m.xdot);
           const Vec3<Fine> body = angular_acceleration<Body>(chart, m.x, m.xdot, m.xddot).raw();
           return size(m.turning.wdot_B - t.pick(body, body - extra),
                       m.turning.wdot_N - angular_acceleration<Space>(chart, m.x, m.xdot, m.xddot).raw());
         });
       })},
      {"KIN-58", "KIN-58", "coordinate_acceleration", "every chart, both frames: ẍ = S⁻¹ (ω̇ − Ṡ ẋ)", "ẋ = 0 in Ṡ ẋ",
       digits50([](F& t) {
         return on_chart_motions(t, [&](const auto& chart, const ChartMotion& m) {
           const Vec3<Fine> xdot = t.pick(Fine(1), Fine(0)) * m.xdot;
           return size(m.xddot - coordinate_acceleration(chart, m.x, xdot, BodyVector<Fine>(m.turning.wdot_B)),
                       m.xddot - coordinate_acceleration(chart, m.x, m.xdot, SpaceVector<Fine>(m.turning.wdot_N)));
         });
       })},
      {"KIN-59", "KIN-59", "ChartPoint, recentered, switch_chart",
       "every chart: moving the reference keeps the attitude, e_NC ∘ e(x)", "e(x) ∘ e_NC", digits50([](F& t) {
         return on_all_charts(t, [&](const auto& chart, const Vec3<Fine>& x) {
           ChartPoint<Fine> point{t.unit(), x};
           const EulerParameters<Fine> e =
               t.pick(point.e_NC * chart.to_euler_parameters(x), chart.to_euler_parameters(x) * point.e_NC);
           const ChartPoint<Fine> moved = recentered(chart, point);
           const Fine before = size(to_euler_parameters(chart, point) - e);
           // any distance is below 7 rad: the switch must act, and take the same point
           const bool switched = switch_chart(chart, point, Fine(7));
           return size(before, to_euler_parameters(chart, moved) - e, to_euler_parameters(chart, point) - e,
                       point.x - moved.x, Fine(switched ? 0 : 1));
         });
       })},
  };
}

}  // namespace polhode::verification
