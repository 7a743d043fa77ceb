#include "polhode/formulation/chart_forms.h"
#include "polhode/rotation/axis_angle.h"
#include "polhode/verification/coordinates.h"
#include "polhode/verification/identity.h"

/// [Bernstein2023]: three coordinates with ω' = S(q) q̇, Euler's equation from Lagrange's, Proposition 1, and its three
/// examples: 3-2-1 and 3-1-3 angles (last turn first) and reduced Euler parameters (its q1 … q4 are our e0 … e3).
namespace polhode::verification {
namespace {

/// The largest residual over the three examples.
template <class Residual>
Exact on_examples(X& t, const Residual& residual) {
  const CoordinateMotion a(last_turn_first(k321, t.turns()), t);
  const CoordinateMotion b(last_turn_first(k313, t.turns()), t);
  EulerParameters<Exact> e = t.unit();
  if (e.e0 < Exact(0)) { e = -e; }
  const CoordinateMotion c(reduced_parameters(e), t);
  return larger(larger(residual(a), residual(b)), residual(c));
}

Exact kinetic_energy(const Mat3<Exact>& J, const Vec3<Exact>& w) { return dot(w, J * w) / 2; }

/// T along w + ẇ ε, its derivative: ẇᵀ J w, J symmetric.
Exact energy_rate(const Mat3<Exact>& J, const Vec3<Dual<Exact>>& w) { return dot(derivative(w), J * value(w)); }

Mat3<Dual<Exact>> constant(const Mat3<Exact>& m) {
  Mat3<Dual<Exact>> c;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) { c(i, j) = Dual<Exact>(m(i, j)); }
  }
  return c;
}
Vec3<Dual<Exact>> constant(const Vec3<Exact>& v) { return along(v, Vec3<Exact>{}); }

/// (q̇ᵀ (∂ᵢS)ᵀ J S q̇), i = 1, 2, 3: ∂T/∂q by the library's partial derivatives.
Vec3<Exact> energy_gradient(const CoordinateMotion& c) {
  const Vec3<Exact> h = c.J * (c.S * c.qdot);
  return {dot(c.D[0] * c.qdot, h), dot(c.D[1] * c.qdot, h), dot(c.D[2] * c.qdot, h)};
}

/// Ṡᵀ J S q̇ − ∂T/∂q.
Vec3<Exact> gyroscopic(const CoordinateMotion& c, const Exact& sign) {
  return transpose_times(c.Sdot, c.J * (c.S * c.qdot)) - sign * energy_gradient(c);
}

/// (26): [∂1S x, ∂2S x, ∂3S x] − Σ xᵢ ∂ᵢS.
Mat3<Exact> L_of(const CoordinateMotion& c, const Vec3<Exact>& x) {
  return c.columns_D(x) - (x.x * c.D[0] + x.y * c.D[1] + x.z * c.D[2]);
}
/// (27): [S2×S3, S3×S1, S1×S2] x̃.
Mat3<Exact> R_of(const CoordinateMotion& c, const Vec3<Exact>& x) { return cofactor(c.S) * skew(x); }

/// Rows q̇ᵀ (∂ᵢS)ᵀ.
Mat3<Exact> rows_D(const CoordinateMotion& c) { return tr(c.columns_D(c.qdot)); }

const Vec3<Exact> kNoChange{};
Vec3<Exact> axis(std::size_t i) { return axis_vector<Exact>(i - 1); }

/// The example of section III or IV at one point: sines and cosines of its angles.
struct Angles {
  Turns<Exact> turns;
  CoordinateMotion c;
  Angles(const EulerSequence& sequence, X& t) : turns(t.turns()), c(last_turn_first(sequence, turns), t) {}
  Exact s1() const { return turns[2].sin; }  ///< of q1, the last turn: Φ of 3-2-1, Ψ of 3-1-3
  Exact c1() const { return turns[2].cos; }
  Exact s2() const { return turns[1].sin; }  ///< of q2 = Θ
  Exact c2() const { return turns[1].cos; }
  Exact s3() const { return turns[0].sin; }  ///< of q3, the first turn
  Exact c3() const { return turns[0].cos; }
};

/// Section V: (q1; q2 q3 q4) with q1 > 0.
struct Reduced {
  EulerParameters<Exact> e;
  CoordinateMotion c;
  explicit Reduced(X& t) : e(positive(t.unit())), c(reduced_parameters(e), t) {}
  static EulerParameters<Exact> positive(const EulerParameters<Exact>& e) { return e.e0 < Exact(0) ? -e : e; }
  const Exact& q(std::size_t i) const { return i == 1 ? e.e0 : e.ev[i - 2]; }
  /// ∂S_j/∂q_i with the source's count, i = 2, 3, 4.
  Vec3<Exact> d(std::size_t i, std::size_t j) const { return c.d(i - 1, j); }
  Mat3<Exact> M() const { return from_columns(d(4, 2) - d(3, 3), d(2, 3) - d(4, 1), d(3, 1) - d(2, 2)); }
};

/// Angles of the library's charts that count the last turn first, 1 rad apart from any lock of the two examples.
Vec3<Fine> angles_from_body(F& t) {
  const Fine first = t.number() / Fine(3);
  return {first, Fine(1) + t.number() / Fine(20), t.number() / Fine(3)};
}

/// The chart "last-first" of a sequence at q = (last, middle, first angle): its attitude against the turns written one
/// after the other, `swapped` with the first and the last exchanged; its S against the rates of its own attitudes, S⁻¹,
/// ∂ᵢS and det S against S; and its way back.
Fine last_first_error(const EulerSequence& sequence, const Vec3<Fine>& q, bool swapped) {
  const ReversedAngles chart{EulerAngles{sequence}};
  const auto about = [](int n, const Fine& angle) {
    const math::SinCos<Fine> turned{sin(angle), cos(angle)};
    return from_columns(sequence::turn(n, turned, axis_vector<Fine>(0)),
                        sequence::turn(n, turned, axis_vector<Fine>(1)),
                        sequence::turn(n, turned, axis_vector<Fine>(2)));
  };
  const Mat3<Fine> A = rotation_matrix(chart.to_euler_parameters(q));
  const Mat3<Fine> written = about(sequence.axes[0], swapped ? q.x : q.z) * about(sequence.axes[1], q.y) *
                             about(sequence.axes[2], swapped ? q.z : q.x);
  const Mat3<Fine> S = chart.body_rate_matrix(q);
  const std::array<Mat3<Fine>, 3> D = chart.body_rate_partials(q);
  Fine gap =
      size(A - written, chart.inverse_body_rate_matrix(q) * S - unit3<Fine>(),
           chart.conditioning(q).determinant - determinant(S),
           rotation_matrix(chart.to_euler_parameters(chart.from_euler_parameters(chart.to_euler_parameters(q)))) - A);
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3<Dual<Fine>> moved = along(q, axis_vector<Fine>(i));
    const Mat3<Fine> rate = tr(A) * derivative(rotation_matrix(chart.to_euler_parameters(moved)));
    gap = larger(gap, size(rate - skew(column(S, i)), derivative(chart.body_rate_matrix(moved)) - D[i]));
  }
  return gap;
}

constexpr std::string_view kRates = "sequence::body_rate_matrix, ReducedEulerParameters::body_rate_matrix";
constexpr std::string_view kPartials = "sequence::body_rate_partials, ReducedEulerParameters::body_rate_partials";
constexpr std::string_view kInverses =
    "sequence::inverse_rate_matrix, ReducedEulerParameters::inverse_body_rate_matrix";

}  // namespace

std::vector<Identity> identities_bernstein() {
  return {
      {"3", "KIN-31 KIN-40 KIN-49", kRates, "ω' = S(q) q̇", "Sᵀ q̇", exact([](X& t) {
         return on_examples(t, [&](const CoordinateMotion& c) { return size(c.w() - t.pick(c.S, tr(c.S)) * c.qdot); });
       })},
      {"4", "KIN-31 KIN-49", kRates, "T = ½ ω'ᵀJ'ω' = ½ q̇ᵀ SᵀJ'S q̇", "½ q̇ᵀ S J'Sᵀ q̇", exact([](X& t) {
         return on_examples(t, [&](const CoordinateMotion& c) {
           return size(kinetic_energy(c.J, c.w()) - kinetic_energy(c.J, t.pick(c.S, tr(c.S)) * c.qdot));
         });
       })},
      {"5", "KIN-31 KIN-49", kRates, "∂T/∂q̇ = SᵀJ'S q̇", "½ SᵀJ'S q̇", exact([](X& t) {
         return on_examples(t, [&](const CoordinateMotion& c) {
           const Vec3<Exact> momentum = transpose_times(c.S, c.J * (c.S * c.qdot));
           Vec3<Exact> gradient{};
           for (std::size_t i = 0; i < 3; ++i) {
             gradient[i] = energy_rate(c.J, constant(c.S) * along(c.qdot, axis_vector<Exact>(i)));
           }
           return size(gradient - t.pick(Exact(1), Exact(1) / 2) * momentum);
         });
       })},
      {"6", "KIN-34 KIN-43", kPartials, "d/dt ∂T/∂q̇ = SᵀJ'S q̈ + SᵀJ'Ṡ q̇ + ṠᵀJ'S q̇", "− ṠᵀJ'S q̇", exact([](X& t) {
         return on_examples(t, [&](const CoordinateMotion& c) {
           const Mat3<Dual<Exact>> S = c.S_along(c.qdot);
           const Vec3<Dual<Exact>> momentum = tr(S) * (constant(c.J) * (S * along(c.qdot, c.qddot)));
           const Vec3<Exact> right = transpose_times(c.S, c.J * (c.S * c.qddot + c.Sdot * c.qdot)) +
                                     t.sign * transpose_times(c.Sdot, c.J * (c.S * c.qdot));
           return size(derivative(momentum) - right);
         });
       })},
      {"7", "KIN-34 KIN-43", kPartials, "∂T/∂qᵢ = q̇ᵀ (∂ᵢS)ᵀ J'S q̇", "q̇ᵀ ∂ᵢS J'S q̇", exact([](X& t) {
         return on_examples(t, [&](const CoordinateMotion& c) {
           const Vec3<Exact> h = c.J * (c.S * c.qdot);
           Vec3<Exact> gap{};
           for (std::size_t i = 0; i < 3; ++i) {
             gap[i] = energy_rate(c.J, c.S_along(axis_vector<Exact>(i)) * constant(c.qdot)) -
                      dot(c.qdot, t.pick(tr(c.D[i]), c.D[i]) * h);
           }
           return size(gap);
         });
       })},
      {"8", "KIN-31 KIN-49", kRates, "Q = Sᵀτ':  Q·δq = τ'·δθ'", "Q = S τ'", exact([](X& t) {
         return on_examples(t, [&](const CoordinateMotion& c) {
           const Vec3<Exact> dq = t.vector();
           const Turning<Exact> varied(c.A_path(dq, kNoChange));
           return size(dot(t.pick(tr(c.S), c.S) * c.torque(), dq) - dot(c.torque(), varied.w_B));
         });
       })},
      {"9", "KIN-34 KIN-43", kPartials, "SᵀJ'S q̈ + SᵀJ'Ṡ q̇ + ṠᵀJ'S q̇ − (q̇ᵀ(∂ᵢS)ᵀJ'S q̇) = Sᵀτ'", "+ (q̇ᵀ(∂ᵢS)ᵀJ'S q̇)",
       exact([](X& t) {
         return on_examples(t, [&](const CoordinateMotion& c) {
           return size(transpose_times(c.S, c.J * (c.S * c.qddot + c.Sdot * c.qdot)) + gyroscopic(c, t.sign) -
                       transpose_times(c.S, c.torque()));
         });
       })},
      {"10", "KIN-35 KIN-41", kInverses, "J'S q̈ + J'Ṡ q̇ + S⁻ᵀṠᵀJ'S q̇ − S⁻ᵀ(q̇ᵀ(∂ᵢS)ᵀJ'S q̇) = τ'", "S⁻¹ for S⁻ᵀ",
       exact([](X& t) {
         return on_examples(t, [&](const CoordinateMotion& c) {
           return size(c.J * (c.S * c.qddot + c.Sdot * c.qdot) +
                       t.pick(tr(c.S_inverse), c.S_inverse) * gyroscopic(c, Exact(1)) - c.torque());
         });
       }),
       "stray ] in the first row of the stacked vector"},
      {"11", "KIN-56 KIN-57", kPartials, "ω̇' = S q̈ + Ṡ q̇", "S q̈ − Ṡ q̇", exact([](X& t) {
         return on_examples(
             t, [&](const CoordinateMotion& c) { return size(c.wdot() - c.S * c.qddot - t.sign * (c.Sdot * c.qdot)); });
       })},
      {"12", "KIN-35 KIN-41", kInverses, "J'ω̇' + S⁻ᵀ(ṠᵀJ'S q̇ − (q̇ᵀ(∂ᵢS)ᵀJ'S q̇)) = τ'", "+ (q̇ᵀ(∂ᵢS)ᵀJ'S q̇)",
       exact([](X& t) {
         return on_examples(t, [&](const CoordinateMotion& c) {
           return size(c.J * c.wdot() + transpose_times(c.S_inverse, gyroscopic(c, t.sign)) - c.torque());
         });
       }),
       "stray ] in the first row of the stacked vector"},
      {"13", "KIN-35 KIN-41", kInverses, "S⁻ᵀ(ṠᵀJ'S q̇ − (q̇ᵀ(∂ᵢS)ᵀJ'S q̇)) = ω' × J'ω'", "J'ω' × ω'", exact([](X& t) {
         return on_examples(t, [&](const CoordinateMotion& c) {
           return size(transpose_times(c.S_inverse, gyroscopic(c, Exact(1))) - t.sign * cross(c.w(), c.J * c.w()));
         });
       })},
      {"14", "KIN-31 KIN-49", kRates, "S = [S1 S2 S3]:  Sᵢ is ω' for q̇ = eᵢ", "rows for columns", exact([](X& t) {
         return on_examples(t, [&](const CoordinateMotion& c) {
           Exact worst(0);
           for (std::size_t i = 0; i < 3; ++i) {
             const Turning<Exact> one(c.A_path(axis_vector<Exact>(i), kNoChange));
             worst = larger(worst, size(t.pick(column(c.S, i), row(c.S, i)) - one.w_B));
           }
           return worst;
         });
       })},
      {"15", "KIN-34 KIN-43", kPartials, "Ṡ + [S q̇]~ S = [∂1S q̇, ∂2S q̇, ∂3S q̇]", "− [S q̇]~ S", exact([](X& t) {
         return on_examples(t, [&](const CoordinateMotion& c) {
           return size(c.Sdot + t.sign * (skew(c.S * c.qdot) * c.S) - c.columns_D(c.qdot));
         });
       })},
      {"16", "KIN-34 KIN-43", kPartials, "Σ q̇ᵢ ∂ᵢS + [S2×S3, S3×S1, S1×S2] q̇~ = [∂1S q̇, ∂2S q̇, ∂3S q̇]",
       "− [S2×S3, S3×S1, S1×S2] q̇~", exact([](X& t) {
         return on_examples(t, [&](const CoordinateMotion& c) {
           return size(c.Sdot + t.sign * (cofactor(c.S) * skew(c.qdot)) - c.columns_D(c.qdot));
         });
       })},
      {"17", "KIN-34 KIN-43", kPartials, "∂2S1 − ∂1S2 = S1 × S2", "S2 × S1", exact([](X& t) {
         return on_examples(t, [&](const CoordinateMotion& c) {
           return size(c.d(2, 1) - c.d(1, 2) - t.sign * cross(c.S_column(1), c.S_column(2)));
         });
       })},
      {"18", "KIN-34 KIN-43", kPartials, "∂3S1 − ∂1S3 = S1 × S3", "S3 × S1", exact([](X& t) {
         return on_examples(t, [&](const CoordinateMotion& c) {
           return size(c.d(3, 1) - c.d(1, 3) - t.sign * cross(c.S_column(1), c.S_column(3)));
         });
       })},
      {"19", "KIN-34 KIN-43", kPartials, "∂3S2 − ∂2S3 = S2 × S3", "S3 × S2", exact([](X& t) {
         return on_examples(t, [&](const CoordinateMotion& c) {
           return size(c.d(3, 2) - c.d(2, 3) - t.sign * cross(c.S_column(2), c.S_column(3)));
         });
       })},
      {"20", "KIN-33 KIN-42", "sequence::determinant, ReducedEulerParameters",
       "Sᵀ[∂3S2 − ∂2S3, ∂1S3 − ∂3S1, ∂2S1 − ∂1S2] = det(S) I", "∂3S1 − ∂1S3 in the middle", exact([](X& t) {
         return on_examples(t, [&](const CoordinateMotion& c) {
           const Mat3<Exact> M =
               from_columns(c.d(3, 2) - c.d(2, 3), t.sign * (c.d(1, 3) - c.d(3, 1)), c.d(2, 1) - c.d(1, 2));
           return size(tr(c.S) * M - c.determinant * unit3<Exact>());
         });
       }),
       "said to follow from (17)-(19) and (21): it uses (22)"},
      {"21", "KIN-65", "skew, determinant", "Xᵀ (X v)~ X = det(X) ṽ", "X (X v)~ Xᵀ", exact([](X& t) {
         const Mat3<Exact> A = t.matrix();
         const Vec3<Exact> v = t.vector();
         return size(t.pick(tr(A), A) * skew(A * v) * t.pick(A, tr(A)) - determinant(A) * skew(v));
       })},
      {"22", "KIN-64", "cofactor, determinant", "Xᵀ [X2×X3, X3×X1, X1×X2] = det(X) I", "X [X2×X3, X3×X1, X1×X2]",
       exact([](X& t) {
         const Mat3<Exact> A = t.matrix();
         return size(t.pick(tr(A), A) * cofactor(A) - determinant(A) * unit3<Exact>());
       })},
      {"23", "KIN-65", "cofactor, skew", "[X2×X3, X3×X1, X1×X2] ṽ = (X v)~ X", "(Xᵀv)~ X", exact([](X& t) {
         const Mat3<Exact> A = t.matrix();
         const Vec3<Exact> v = t.vector();
         return size(cofactor(A) * skew(v) - skew(t.pick(A, tr(A)) * v) * A);
       })},
      {"24", "KIN-56", kPartials, "Ṡ = Σ q̇ᵢ ∂ᵢS", "∂3S left out", exact([](X& t) {
         return on_examples(t, [&](const CoordinateMotion& c) {
           const Mat3<Exact> sum = c.qdot.x * c.D[0] + c.qdot.y * c.D[1];
           return size(derivative(c.S_along(c.qdot)) - sum - t.pick(Exact(1), Exact(0)) * (c.qdot.z * c.D[2]));
         });
       })},
      {"25", "KIN-31 KIN-49", kRates, "[S q̇]~ S = [S2×S3, S3×S1, S1×S2] q̇~", "[S1×S2, S3×S1, S2×S3]", exact([](X& t) {
         return on_examples(t, [&](const CoordinateMotion& c) {
           const Mat3<Exact> cof = cofactor(c.S);
           const Mat3<Exact> twin = from_columns(column(cof, 2), column(cof, 1), column(cof, 0));
           return size(skew(c.w()) * c.S - t.pick(cof, twin) * skew(c.qdot));
         });
       })},
      {"26", "KIN-34 KIN-43", kPartials, "L(x) = [∂1S x, ∂2S x, ∂3S x] − Σ xᵢ ∂ᵢS,  L(q̇) = [S q̇]~ S", "+ Σ xᵢ ∂ᵢS",
       exact([](X& t) {
         return on_examples(t, [&](const CoordinateMotion& c) {
           return size(c.columns_D(c.qdot) - t.sign * c.Sdot - skew(c.w()) * c.S);
         });
       })},
      {"27", "KIN-34 KIN-43", kPartials, "R(x) = [S2×S3, S3×S1, S1×S2] x̃ = L(x)", "R(x) = −L(x)", exact([](X& t) {
         return on_examples(t, [&](const CoordinateMotion& c) {
           const Vec3<Exact> x = t.vector();
           return size(R_of(c, x) - t.sign * L_of(c, x));
         });
       })},
      {"28", "KIN-34 KIN-43", kPartials, "L(eᵢ) = R(eᵢ), i = 1, 2, 3", "L(e1) = R(e2)", exact([](X& t) {
         return on_examples(t, [&](const CoordinateMotion& c) {
           return size(L_of(c, axis(1)) - R_of(c, t.pick(axis(1), axis(2))), L_of(c, axis(2)) - R_of(c, axis(2)),
                       L_of(c, axis(3)) - R_of(c, axis(3)));
         });
       })},
      {"29", "KIN-34 KIN-43", kPartials, "L(e1) = [0, ∂2S1 − ∂1S2, ∂3S1 − ∂1S3] = [S1]~ S", "∂1S3 − ∂3S1",
       exact([](X& t) {
         return on_examples(t, [&](const CoordinateMotion& c) {
           const Mat3<Exact> L = from_columns(kNoChange, c.d(2, 1) - c.d(1, 2), t.sign * (c.d(3, 1) - c.d(1, 3)));
           return size(L_of(c, axis(1)) - L, skew(c.S_column(1)) * c.S - L);
         });
       })},
      {"30", "KIN-34 KIN-43", kPartials, "L(e2) = [∂1S2 − ∂2S1, 0, ∂3S2 − ∂2S3] = [S2]~ S", "∂2S1 − ∂1S2",
       exact([](X& t) {
         return on_examples(t, [&](const CoordinateMotion& c) {
           const Mat3<Exact> L = from_columns(t.sign * (c.d(1, 2) - c.d(2, 1)), kNoChange, c.d(3, 2) - c.d(2, 3));
           return size(L_of(c, axis(2)) - L, skew(c.S_column(2)) * c.S - L);
         });
       })},
      {"31", "KIN-34 KIN-43", kPartials, "L(e3) = [∂1S3 − ∂3S1, ∂2S3 − ∂3S2, 0] = [S3]~ S", "∂3S2 − ∂2S3",
       exact([](X& t) {
         return on_examples(t, [&](const CoordinateMotion& c) {
           const Mat3<Exact> L = from_columns(c.d(1, 3) - c.d(3, 1), t.sign * (c.d(2, 3) - c.d(3, 2)), kNoChange);
           return size(L_of(c, axis(3)) - L, skew(c.S_column(3)) * c.S - L);
         });
       })},
      {"32", "KIN-31 KIN-49", kRates, "R(e1) = [0, S1×S2, S1×S3]", "S3×S1", exact([](X& t) {
         return on_examples(t, [&](const CoordinateMotion& c) {
           const Vec3<Exact> S1 = c.S_column(1);
           return size(R_of(c, axis(1)) -
                       from_columns(kNoChange, cross(S1, c.S_column(2)), t.sign * cross(S1, c.S_column(3))));
         });
       })},
      {"33", "KIN-31 KIN-49", kRates, "R(e2) = [S2×S1, 0, S2×S3]", "S1×S2", exact([](X& t) {
         return on_examples(t, [&](const CoordinateMotion& c) {
           const Vec3<Exact> S2 = c.S_column(2);
           return size(R_of(c, axis(2)) -
                       from_columns(t.sign * cross(S2, c.S_column(1)), kNoChange, cross(S2, c.S_column(3))));
         });
       })},
      {"34", "KIN-31 KIN-49", kRates, "R(e3) = [S3×S1, S3×S2, 0]", "S2×S3", exact([](X& t) {
         return on_examples(t, [&](const CoordinateMotion& c) {
           const Vec3<Exact> S3 = c.S_column(3);
           return size(R_of(c, axis(3)) -
                       from_columns(cross(S3, c.S_column(1)), t.sign * cross(S3, c.S_column(2)), kNoChange));
         });
       }),
       "the next line compares (29)-(31) with (32)-(33): read (32)-(34)"},
      {"35", "KIN-34 KIN-43", kPartials, "Ṡᵀ − (q̇ᵀ(∂ᵢS)ᵀ) = Sᵀ [S q̇]~", "Ṡᵀ + (q̇ᵀ(∂ᵢS)ᵀ)", exact([](X& t) {
         return on_examples(t, [&](const CoordinateMotion& c) {
           return size(tr(c.Sdot) - t.sign * rows_D(c) - tr(c.S) * skew(c.S * c.qdot));
         });
       })},
      {"36", "KIN-35 KIN-41", kInverses, "S⁻ᵀ(Ṡᵀ − (q̇ᵀ(∂ᵢS)ᵀ)) = [S q̇]~", "S⁻¹ for S⁻ᵀ", exact([](X& t) {
         return on_examples(t, [&](const CoordinateMotion& c) {
           return size(t.pick(tr(c.S_inverse), c.S_inverse) * (tr(c.Sdot) - rows_D(c)) - skew(c.w()));
         });
       })},
      {"37", "KIN-35 KIN-41", kInverses, "S⁻ᵀ(ṠᵀJ'S q̇ − (q̇ᵀ(∂ᵢS)ᵀJ'S q̇)) = ω' × J'ω'", "Ṡ for Ṡᵀ", exact([](X& t) {
         return on_examples(t, [&](const CoordinateMotion& c) {
           const Vec3<Exact> h = c.J * (c.S * c.qdot);
           return size(transpose_times(c.S_inverse, t.pick(tr(c.Sdot), c.Sdot) * h - rows_D(c) * h) -
                       cross(c.w(), c.J * c.w()));
         });
       })},
      {"38", "KIN-31", "sequence::body_rate_matrix", "3-2-1: ω' = S(Φ, Θ) q̇", "angles in the order of the turns",
       exact([](X& t) {
         const Angles a(k321, t);
         const Vec3<Exact> qdot = t.pick(a.c.qdot, {a.c.qdot.z, a.c.qdot.y, a.c.qdot.x});
         return size(a.c.w() - a.c.S * qdot);
       })},
      {"39", "KIN-31", "sequence::body_rate_matrix", "3-2-1: S = [S1, S2(Φ), S3(Φ, Θ)]", "S3(Φ)", exact([](X& t) {
         const Angles a(k321, t);
         const auto varies = [&](std::size_t i, std::size_t j) {
           return column(derivative(a.c.S_along(axis(i))), j - 1);
         };
         return size(varies(1, 1), varies(2, 1), varies(3, 1), varies(2, 2), varies(3, 2), varies(3, 3),
                     t.pick(kNoChange, varies(2, 3)));
       })},
      {"40", "KIN-31 KIN-33", "sequence::body_rate_matrix, determinant",
       "3-2-1: S = [1 0 −sΘ; 0 cΦ sΦ cΘ; 0 −sΦ cΦ cΘ],  det S = cos Θ", "+sΘ", exact([](X& t) {
         const Angles a(k321, t);
         const Exact zero(0);
         const Mat3<Exact> S{
             {{Exact(1), zero, -t.sign * a.s2()}, {zero, a.c1(), a.s1() * a.c2()}, {zero, -a.s1(), a.c1() * a.c2()}}};
         return size(a.c.S - S, determinant(a.c.S) - a.c2(), a.c.determinant - a.c2());
       })},
      {"41", "KIN-30", "ReversedAngles (a1 to s1:3-2-1:last-first)",
       "3-2-1: q = (Φ, Θ, Ψ), Ψ turned first:  A = R3(Ψ) R2(Θ) R1(Φ)", "A = R3(Φ) R2(Θ) R1(Ψ)",
       digits50([](F& t) { return last_first_error(k321, angles_from_body(t), t.pick(false, true)); })},
      {"42", "KIN-34", "sequence::body_rate_partials",
       "3-2-1: ∂2S1 − ∂1S2 = (0, sΦ, cΦ) = S1×S2;  ∂3S1 − ∂1S3 = (0, −cΦ cΘ, sΦ cΘ) = S1×S3;  "
       "∂3S2 − ∂2S3 = (cΘ, sΦ sΘ, cΦ sΘ) = S2×S3",
       "(0, cΦ cΘ, sΦ cΘ)", exact([](X& t) {
         const Angles a(k321, t);
         const CoordinateMotion& c = a.c;
         const Vec3<Exact> first{0, a.s1(), a.c1()};
         const Vec3<Exact> second{0, -t.sign * a.c1() * a.c2(), a.s1() * a.c2()};
         const Vec3<Exact> third{a.c2(), a.s1() * a.s2(), a.c1() * a.s2()};
         return size(c.d(2, 1) - c.d(1, 2) - first, c.d(3, 1) - c.d(1, 3) - second, c.d(3, 2) - c.d(2, 3) - third,
                     cross(c.S_column(1), c.S_column(2)) - first, cross(c.S_column(1), c.S_column(3)) - second,
                     cross(c.S_column(2), c.S_column(3)) - third);
       })},
      {"43", "KIN-31", "sequence::body_rate_matrix", "3-1-3: ω' = S(Ψ, Θ) q̇", "angles in the order of the turns",
       exact([](X& t) {
         const Angles a(k313, t);
         const Vec3<Exact> qdot = t.pick(a.c.qdot, {a.c.qdot.z, a.c.qdot.y, a.c.qdot.x});
         return size(a.c.w() - a.c.S * qdot);
       })},
      {"44", "KIN-31", "sequence::body_rate_matrix", "3-1-3: S = [S1, S2(Ψ), S3(Ψ, Θ)]", "S3(Θ)", exact([](X& t) {
         const Angles a(k313, t);
         const auto varies = [&](std::size_t i, std::size_t j) {
           return column(derivative(a.c.S_along(axis(i))), j - 1);
         };
         return size(varies(1, 1), varies(2, 1), varies(3, 1), varies(2, 2), varies(3, 2), varies(3, 3),
                     t.pick(kNoChange, varies(1, 3)));
       })},
      {"45", "KIN-31 KIN-33", "sequence::body_rate_matrix, determinant",
       "3-1-3: S = [0 cΨ sΨ sΘ; 0 −sΨ cΨ sΘ; 1 0 cΘ],  det S = sin Θ", "−cΨ", exact([](X& t) {
         const Angles a(k313, t);
         const Exact zero(0);
         const Mat3<Exact> S{
             {{zero, t.sign * a.c1(), a.s1() * a.s2()}, {zero, -a.s1(), a.c1() * a.s2()}, {Exact(1), zero, a.c2()}}};
         return size(a.c.S - S, determinant(a.c.S) - a.s2(), a.c.determinant - a.s2());
       })},
      {"46", "KIN-30", "ReversedAngles (a1 to s1:3-1-3:last-first)",
       "3-1-3: q = (Ψ, Θ, Φ), Φ turned first:  A = R3(Φ) R1(Θ) R3(Ψ)", "A = R3(Ψ) R1(Θ) R3(Φ)",
       digits50([](F& t) { return last_first_error(k313, angles_from_body(t), t.pick(false, true)); })},
      {"47", "KIN-34", "sequence::body_rate_partials",
       "3-1-3: ∂2S1 − ∂1S2 = (sΨ, cΨ, 0) = S1×S2;  ∂3S1 − ∂1S3 = (−cΨ sΘ, sΨ sΘ, 0) = S1×S3(Ψ, Θ);  "
       "∂3S2 − ∂2S3 = (−sΨ cΘ, −cΨ cΘ, sΘ) = S2×S3",
       "as printed, S1×S3(Φ, Θ)", exact([](X& t) {
         const Angles a(k313, t);
         const CoordinateMotion& c = a.c;
         const Vec3<Exact> first{a.s1(), a.c1(), 0};
         const Vec3<Exact> second{-a.c1() * a.s2(), a.s1() * a.s2(), 0};
         const Vec3<Exact> third{-a.s1() * a.c2(), -a.c1() * a.c2(), a.s2()};
         const Vec3<Exact> printed{a.s3() * a.s2(), a.c3() * a.s2(), a.c2()};  // S3(Φ, Θ)
         return size(c.d(2, 1) - c.d(1, 2) - first, c.d(3, 1) - c.d(1, 3) - second, c.d(3, 2) - c.d(2, 3) - third,
                     cross(c.S_column(1), c.S_column(2)) - first,
                     cross(c.S_column(1), t.pick(c.S_column(3), printed)) - second,
                     cross(c.S_column(2), c.S_column(3)) - third);
       }),
       "second line: S3(Φ, Θ) and a stray comma; read S3(Ψ, Θ)"},
      {"48", "KIN-50", "to_euler_parameters(AxisAngle), rotation_matrix",
       "q̃ = (cos θ/2, n sin θ/2):  A = cos θ I + (1 − cos θ) n nᵀ + sin θ ñ", "cos θ, n sin θ", digits50([](F& t) {
         const Fine angle = t.number();
         const Vec3<Fine> v = t.vector();
         const Vec3<Fine> n = v / norm(v);
         const Fine c = math::cos(angle);
         const Mat3<Fine> A = c * unit3<Fine>() + (Fine(1) - c) * outer(n, n) + math::sin(angle) * skew(n);
         const AxisAngle<Fine> turn{n, t.pick(angle, Fine(2) * angle)};
         return size(rotation_matrix(to_euler_parameters(turn)) - A);
       })},
      {"49", "KIN-40 KIN-49", "ReducedEulerParameters::body_rate_matrix",
       "S = 2 [q1 + q2²/q1, q4 + q2q3/q1, −q3 + q2q4/q1; …],  ω' = S q̇", "−q4 in the first row", exact([](X& t) {
         const Reduced r(t);
         const Exact& q1 = r.q(1);
         const Exact& a = r.q(2);
         const Exact& b = r.q(3);
         const Exact& c = r.q(4);
         const Mat3<Exact> half{{{q1 + a * a / q1, t.sign * c + a * b / q1, -b + a * c / q1},
                                 {-c + a * b / q1, q1 + b * b / q1, a + b * c / q1},
                                 {b + a * c / q1, -a + b * c / q1, q1 + c * c / q1}}};
         return size(r.c.S - 2 * half, r.c.w() - 2 * half * r.c.qdot);
       })},
      {"50", "KIN-43 KIN-49", "ReducedEulerParameters::body_rate_partials", "∂3S1 − ∂2S2 = (4/q1)(−q3, q2, q1)",
       "(q3, q2, q1)", exact([](X& t) {
         const Reduced r(t);
         const Vec3<Exact> right{-t.sign * r.q(3), r.q(2), r.q(1)};
         return size(r.d(3, 1) - r.d(2, 2) - (4 / r.q(1)) * right);
       })},
      {"51", "KIN-43 KIN-49", "ReducedEulerParameters::body_rate_partials", "∂4S1 − ∂2S3 = (4/q1)(−q4, −q1, q2)",
       "(−q4, q1, q2)", exact([](X& t) {
         const Reduced r(t);
         const Vec3<Exact> right{-r.q(4), -t.sign * r.q(1), r.q(2)};
         return size(r.d(4, 1) - r.d(2, 3) - (4 / r.q(1)) * right);
       }),
       "illegible, number lost; this is what it must say"},
      {"52", "KIN-43 KIN-49", "ReducedEulerParameters::body_rate_partials", "∂4S2 − ∂3S3 = (4/q1)(q1, −q4, q3)",
       "(q1, q4, q3)", exact([](X& t) {
         const Reduced r(t);
         const Vec3<Exact> right{r.q(1), -t.sign * r.q(4), r.q(3)};
         return size(r.d(4, 2) - r.d(3, 3) - (4 / r.q(1)) * right);
       }),
       "illegible, number lost; this is what it must say"},
      {"53", "KIN-43 KIN-49", "ReducedEulerParameters::body_rate_partials",
       "M = [∂4S2 − ∂3S3, ∂2S3 − ∂4S1, ∂3S1 − ∂2S2] = (4/q1)(q1 I − q̃),  det M = 64/q1²", "q1 I + q̃", exact([](X& t) {
         const Reduced r(t);
         const Mat3<Exact> M = (4 / r.q(1)) * (r.q(1) * unit3<Exact>() - t.sign * skew(r.e.ev));
         return size(r.M() - M, determinant(r.M()) - 64 / (r.q(1) * r.q(1)));
       })},
      {"54", "KIN-41 KIN-42 KIN-49", "ReducedEulerParameters::inverse_body_rate_matrix",
       "MᵀS = (8/q1) I = det(S) I,  S⁻¹ = ½ (q1 I + q̃)", "M S", exact([](X& t) {
         const Reduced r(t);
         const Mat3<Exact> M = r.M();
         const Exact det = 8 / r.q(1);
         return size(t.pick(tr(M), M) * r.c.S - det * unit3<Exact>(), r.c.determinant - det, determinant(r.c.S) - det,
                     r.c.S_inverse - (Exact(1) / 2) * (r.q(1) * unit3<Exact>() + skew(r.e.ev)));
       })},
  };
}

}  // namespace polhode::verification
