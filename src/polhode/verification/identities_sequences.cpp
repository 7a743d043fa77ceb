#include "polhode/math/symmetric_eigen.h"
#include "polhode/verification/coordinates.h"
#include "polhode/verification/identity.h"

/// Relations of our own: all 12 Euler sequences, intrinsic and extrinsic, and Proposition 1 of Bernstein2023 for every
/// chart that has rational points.
namespace polhode::verification {
namespace {

/// The largest residual over the 12 sequences: residual(sequence, turns).
template <class Residual>
Exact on_sequences(X& t, const Residual& residual) {
  Exact worst(0);
  for (const EulerSequence& sequence : all_sequences()) { worst = larger(worst, residual(sequence, t.turns())); }
  return worst;
}

/// The same over motions in Euler angles.
template <class Residual>
Exact on_motions(X& t, const Residual& residual) {
  return on_sequences(t, [&](const EulerSequence& s, const Turns<Exact>& turns) {
    return residual(CoordinateMotion(euler_angles(s, turns), t));
  });
}

/// Over the 12 sequences, both branches of the reduced Euler parameters, Rodrigues and modified Rodrigues parameters.
template <class Residual>
Exact on_charts(X& t, const Residual& residual) {
  Exact worst = on_motions(t, residual);
  const EulerParameters<Exact> e = t.unit();
  for (const Coordinates& c : {reduced_parameters(e), reduced_parameters(-e), rodrigues(e), modified_rodrigues(e)}) {
    worst = larger(worst, residual(CoordinateMotion(c, t)));
  }
  return worst;
}

/// Over the 24 conventions in 50 digits, far from lock and near it, where extraction goes another way:
/// residual(chart, angles), the middle angle inside its range.
template <class Residual>
Fine on_angles(F& t, const Residual& residual) {
  Fine worst(0);
  for (EulerSequence sequence : all_sequences()) {
    for (const bool extrinsic : {false, true}) {
      sequence.extrinsic = extrinsic;
      const bool proper = sequence.proper();
      const Fine far = proper ? Fine(0.1) + size(t.number()) / Fine(4) : t.number() / Fine(7);
      const Fine near = (proper ? Fine(0) : Fine(1.4)) + size(t.number()) / Fine(60);
      for (const Fine& middle : {far, near}) {
        const Fine first = t.number() / Fine(3);
        worst = larger(worst, residual(EulerAngles{sequence}, Vec3<Fine>{first, middle, t.number() / Fine(3)}));
      }
    }
  }
  return worst;
}

/// The table of the catalogue: angles from the entries of A, intrinsic.
Vec3<Fine> angles_of_matrix(const EulerSequence& s, const Mat3<Fine>& A) {
  const auto i = static_cast<std::size_t>(s.axes[0]);
  const auto j = static_cast<std::size_t>(s.axes[1]);
  const std::size_t l = 3 - i - j;
  const Fine epsilon(sequence::sign(s));
  const auto hypotenuse = [](const Fine& x, const Fine& y) { return sqrt(x * x + y * y); };
  if (s.proper()) {
    return {atan2(A(j, i), -epsilon * A(l, i)), atan2(hypotenuse(A(i, j), A(i, l)), A(i, i)),
            atan2(A(i, j), epsilon * A(i, l))};
  }
  return {atan2(-epsilon * A(j, l), A(l, l)), atan2(epsilon * A(i, l), hypotenuse(A(i, i), A(i, j))),
          atan2(-epsilon * A(i, j), A(i, i))};
}

constexpr std::string_view kSequencePartials =
    "sequence::body_rate_partials, body_rate_partials of ReducedEulerParameters, Rodrigues, ModifiedRodrigues";

}  // namespace

std::vector<Identity> identities_sequences() {
  return {
      {"KIN-30", "KIN-30", "sequence::matrix, sequence::euler_parameters",
       "12 sequences: R_i(θ1) R_j(θ2) R_k(θ3) = A(e_i ∘ e_j ∘ e_k) of the half angles", "angles in reverse order",
       exact([](X& t) {
         return on_sequences(t, [&](const EulerSequence& s, const Turns<Exact>& half) {
           Turns<Exact> whole = half;
           for (math::SinCos<Exact>& a : whole) { a = {2 * a.sin * a.cos, a.cos * a.cos - a.sin * a.sin}; }
           const Turns<Exact> used = t.pick(whole, Turns<Exact>{whole[2], whole[1], whole[0]});
           return size(sequence::matrix(s, used) - rotation_matrix(sequence::euler_parameters(s, half)));
         });
       })},
      {"KIN-30 extrinsic", "KIN-30", "EulerAngles::matrix, EulerAngles::to_euler_parameters",
       "24 conventions: A = R_i R_j R_k (body axes), A = R_k R_j R_i (space axes), = A(e)", "orders exchanged",
       digits50([](F& t) {
         return on_angles(t, [&](const EulerAngles& chart, const Vec3<Fine>& angles) {
           const auto about = [&](std::size_t n) {
             const auto axis = static_cast<std::size_t>(chart.sequence.axes[n]);
             return rotation_matrix(exp(angles[n] * axis_vector<Fine>(axis)));
           };
           const Mat3<Fine> body_axes = about(0) * about(1) * about(2);
           const Mat3<Fine> space_axes = about(2) * about(1) * about(0);
           const bool extrinsic = t.pick(chart.sequence.extrinsic, !chart.sequence.extrinsic);
           return size(chart.matrix(angles) - (extrinsic ? space_axes : body_axes),
                       chart.matrix(angles) - rotation_matrix(chart.to_euler_parameters(angles)));
         });
       })},
      {"KIN-31", "KIN-31", "sequence::body_rate_matrix", "12 sequences: ω' = B θ̇", "C for B", exact([](X& t) {
         return on_motions(t, [&](const CoordinateMotion& c) { return size(c.w() - t.pick(c.S, c.C) * c.qdot); });
       })},
      {"KIN-32", "KIN-32", "sequence::space_rate_matrix", "12 sequences: ω = C θ̇, C = A B", "C = Aᵀ B", exact([](X& t) {
         return on_motions(t, [&](const CoordinateMotion& c) {
           return size(c.turning.w_N - c.C * c.qdot, c.C - t.pick(c.A, tr(c.A)) * c.S);
         });
       })},
      {"KIN-33", "KIN-33", "sequence::determinant",
       "12 sequences: det B = det C = −sin θ2 (proper), ε cos θ2 (Tait-Bryan); BᵀB = [1 0 c; 0 1 0; c 0 1]", "−det",
       exact([](X& t) {
         return on_sequences(t, [&](const EulerSequence& s, const Turns<Exact>& turns) {
           const Mat3<Exact> B = sequence::body_rate_matrix(s, turns);
           const Mat3<Exact> C = sequence::space_rate_matrix(s, turns);
           const Exact det = t.sign * sequence::determinant(s, turns[1]);
           const Exact c = s.proper() ? turns[1].cos : sequence::sign(s) * turns[1].sin;
           return size(determinant(B) - det, determinant(C) - det,
                       tr(B) * B - Mat3<Exact>{{{1, 0, c}, {0, 1, 0}, {c, 0, 1}}});
         });
       })},
      {"KIN-33 conditioning", "KIN-33", "EulerAngles::conditioning",
       "24 conventions: condition number and determinant are those of the rate matrix",
       "square of the condition number", digits50([](F& t) {
         return on_angles(t, [&](const EulerAngles& chart, const Vec3<Fine>& angles) {
           const Conditioning<Fine> said = chart.conditioning(angles);
           const Mat3<Fine> S = chart.body_rate_matrix(angles);
           const SymmetricEigen<Fine, 3> squares = symmetric_eigen(tr(S) * S);
           const Fine square = squares.values[0] / squares.values[2];
           return size(said.condition_number - t.pick(sqrt(square), square), said.determinant - determinant(S));
         });
       })},
      {"KIN-33 distance", "KIN-33", "EulerAngles::conditioning",
       "24 conventions: turning by the distance about the middle axis reaches lock, det = 0", "by half of it",
       digits50([](F& t) {
         return on_angles(t, [&](const EulerAngles& chart, const Vec3<Fine>& angles) {
           const Fine step = t.pick(Fine(1), Fine(0.5)) * chart.conditioning(angles).distance;
           const auto det_at = [&](const Fine& middle) {
             return size(chart.conditioning(Vec3<Fine>{angles.x, middle, angles.z}).determinant);
           };
           const Fine up = det_at(angles.y + step);
           const Fine down = det_at(angles.y - step);
           return up < down ? up : down;
         });
       })},
      {"KIN-34", "KIN-34", "sequence::body_rate_partials",
       "12 sequences: ∂B/∂θ1 = 0, ∂B/∂θ2 = [b1×b2, 0, 0], ∂B/∂θ3 = [b1×b3, b2×b3, 0]", "sign changed", exact([](X& t) {
         return on_motions(t, [&](const CoordinateMotion& c) {
           Exact worst(0);
           for (std::size_t i = 0; i < 3; ++i) {
             worst = larger(worst, size(t.sign * c.D[i] - derivative(c.S_along(axis_vector<Exact>(i)))));
           }
           return worst;
         });
       })},
      {"KIN-35", "KIN-35", "sequence::inverse_rate_matrix", "12 sequences: B⁻¹ = [b2×b3, b3×b1, b1×b2]ᵀ/det B",
       "transpose left out", exact([](X& t) {
         return on_motions(t, [&](const CoordinateMotion& c) {
           const Mat3<Exact> inverse = t.pick(c.S_inverse, tr(c.S_inverse));
           return size(inverse * c.S - unit3<Exact>(), c.S * inverse - unit3<Exact>());
         });
       })},
      {"rate of B", "KIN-34 KIN-57", "sequence::body_rate_partials",
       "12 sequences: Ḃ = [b1×(θ̇2 b2 + θ̇3 b3), θ̇3 b2×b3, 0],  ω̇' = B θ̈ + Ḃ θ̇", "θ̇2 b2 − θ̇3 b3", exact([](X& t) {
         return on_motions(t, [&](const CoordinateMotion& c) {
           const Vec3<Exact> b1 = column(c.S, 0);
           const Vec3<Exact> b2 = column(c.S, 1);
           const Vec3<Exact> b3 = column(c.S, 2);
           const Mat3<Exact> Bdot =
               from_columns(cross(b1, c.qdot.y * b2 + (t.sign * c.qdot.z) * b3), c.qdot.z * cross(b2, b3), {});
           return size(Bdot - c.Sdot, c.wdot() - c.S * c.qddot - Bdot * c.qdot);
         });
       })},
      {"KIN-36", "KIN-36 KIN-37", "EulerAngles::from_euler_parameters",
       "24 conventions: the angles of e(θ1, θ2, θ3) are θ1, θ2, θ3, whatever sign and norm of e", "angles of e*",
       digits50([](F& t) {
         return on_angles(t, [&](const EulerAngles& chart, const Vec3<Fine>& angles) {
           const EulerParameters<Fine> e = t.number() * chart.to_euler_parameters(angles);
           return size(chart.from_euler_parameters(t.pick(e, conjugate(e))) - angles);
         });
       })},
      {"KIN-36 by entries", "KIN-36 KIN-37", "EulerAngles::from_euler_parameters",
       "12 sequences: the same angles as from the entries of A by atan2", "from the entries of Aᵀ", digits50([](F& t) {
         return on_angles(t, [&](const EulerAngles& chart, const Vec3<Fine>& angles) {
           if (chart.sequence.extrinsic) { return Fine(0); }
           const Mat3<Fine> A = chart.matrix(angles);
           return size(angles_of_matrix(chart.sequence, t.pick(A, tr(A))) -
                       chart.from_euler_parameters(chart.to_euler_parameters(angles)));
         });
       })},
      {"KIN-36 at lock", "KIN-36 KIN-37", "EulerAngles::from_euler_parameters",
       "24 conventions: at lock the angles found give the same attitude", "first and last angle exchanged",
       digits50([](F& t) {
         return on_angles(t, [&](const EulerAngles& chart, const Vec3<Fine>& angles) {
           Fine worst(0);
           const Fine quarter = math::pi<Fine>() / Fine(2);
           for (const Fine& middle : chart.sequence.proper() ? std::array<Fine, 2>{Fine(0), Fine(2) * quarter}
                                                             : std::array<Fine, 2>{quarter, -quarter}) {
             const EulerParameters<Fine> e = chart.to_euler_parameters(Vec3<Fine>{angles.x, middle, angles.z});
             const Vec3<Fine> found = chart.from_euler_parameters(e);
             const EulerParameters<Fine> again =
                 chart.to_euler_parameters(t.pick(found, Vec3<Fine>{found.z, found.y, Fine(2) * found.x}));
             worst = larger(worst, size(nearest_sign(again, e) - e));
           }
           return worst;
         });
       })},
      {"Proposition 1 (15)", "KIN-34 KIN-43", kSequencePartials, "16 charts: Ṡ + [S q̇]~ S = [∂1S q̇, ∂2S q̇, ∂3S q̇]",
       "− [S q̇]~ S", exact([](X& t) {
         return on_charts(t, [&](const CoordinateMotion& c) {
           return size(c.Sdot + t.sign * (skew(c.S * c.qdot) * c.S) - c.columns_D(c.qdot));
         });
       })},
      {"Proposition 1 (16)", "KIN-34 KIN-43", kSequencePartials,
       "16 charts: Σ q̇ᵢ ∂ᵢS + [S2×S3, S3×S1, S1×S2] q̇~ = [∂1S q̇, ∂2S q̇, ∂3S q̇]", "− [S2×S3, S3×S1, S1×S2] q̇~",
       exact([](X& t) {
         return on_charts(t, [&](const CoordinateMotion& c) {
           return size(c.Sdot + t.sign * (cofactor(c.S) * skew(c.qdot)) - c.columns_D(c.qdot));
         });
       })},
      {"Proposition 1 (17)-(19)", "KIN-61", kSequencePartials, "16 charts: ∂jSi − ∂iSj = Si × Sj for i < j", "Sj × Si",
       exact([](X& t) {
         return on_charts(t, [&](const CoordinateMotion& c) {
           const auto gap = [&](std::size_t i, std::size_t j) {
             return c.d(j, i) - c.d(i, j) - t.sign * cross(c.S_column(i), c.S_column(j));
           };
           return size(gap(1, 2), gap(1, 3), gap(2, 3));
         });
       })},
      {"Proposition 1 (20)", "KIN-33 KIN-42", kSequencePartials,
       "16 charts: Sᵀ[∂3S2 − ∂2S3, ∂1S3 − ∂3S1, ∂2S1 − ∂1S2] = det(S) I", "−det(S) I", exact([](X& t) {
         return on_charts(t, [&](const CoordinateMotion& c) {
           const Mat3<Exact> M = from_columns(c.d(3, 2) - c.d(2, 3), c.d(1, 3) - c.d(3, 1), c.d(2, 1) - c.d(1, 2));
           return size(tr(c.S) * M - (t.sign * c.determinant) * unit3<Exact>());
         });
       })},
      {"Proposition 1 in space", "KIN-32 KIN-61", "sequence::space_rate_matrix, body_rate_matrix of the vector charts",
       "16 charts: ∂jCi − ∂iCj = −Ci × Cj for the space rate matrix", "+Ci × Cj, as for the body", exact([](X& t) {
         return on_charts(t, [&](const CoordinateMotion& c) {
           const auto gap = [&](std::size_t i, std::size_t j) {
             return column(c.D_space[j], i) - column(c.D_space[i], j) + t.sign * cross(column(c.C, i), column(c.C, j));
           };
           return size(gap(0, 1), gap(0, 2), gap(1, 2));
         });
       })},
  };
}

}  // namespace polhode::verification
