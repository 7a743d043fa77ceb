// Prints one line `scene digest` for each scene: SHA-256 of the very bits of its results. The same source must print
// the same lines whatever the compiler, the optimisation and the instruction set.
#include "polhode/math/elementary.h"
#include "polhode/motion.h"
#include "polhode/step.hpp"
#include "scenes.h"

#include <cstdint>
#include <cstdio>

using namespace polhode;
using portability::Hash;
using portability::Scene;

namespace {

/// Numbers in [-1, 1) that repeat everywhere: Knuth's 64-bit linear congruence, top 53 bits.
class Samples {
 public:
  double next() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<double>(static_cast<std::int64_t>(state_ >> 11U) - (std::int64_t{1} << 52)) * 0x1p-52;
  }
  Vec3<double> next_vector() {
    const double x = next();
    const double y = next();
    return {x, y, next()};
  }

 private:
  std::uint64_t state_ = 20060910;
};

constexpr int kSamples = 10'000;

/// + - * / and sqrt only.
void vectors(Hash& hash, Samples& samples) {
  Mat3<double> product = identity<double, 3>();
  for (int i = 0; i < kSamples; ++i) {
    const Vec3<double> a = samples.next_vector();
    const Vec3<double> b = samples.next_vector();
    product = (1.0 / frobenius_norm(product)) * (product * (skew(a) + outer(a, b) + identity<double, 3>()));
    hash << cross(a, b) << norm(a) << dot(a, b) / norm_squared(b) << product;
  }
}

/// Each elementary function over small, ordinary and large arguments.
void elementary(Hash& hash, Samples& samples) {
  for (int i = 0; i < kSamples; ++i) {
    const double x = samples.next();
    const double y = samples.next();
    for (const double scale : {1e-9, 1.0, 10.0, 1e6}) {
      hash << math::sin(scale * x) << math::cos(scale * x) << math::tan(scale * x) << math::atan(scale * x);
      hash << math::atan2(scale * y, x);
    }
    hash << math::asin(x) << math::acos(x);
  }
}

/// Products, rotations and explicit steps of ė = ½ e ∘ (0; ω'), renormalised: + - * / and sqrt only.
void euler_parameters(Hash& hash, Samples& samples) {
  EulerParameters<double> e_NB{1.0, {0.0, 0.0, 0.0}};
  for (int i = 0; i < kSamples; ++i) {
    const Vec3<double> w_B = samples.next_vector();
    e_NB = normalized(e_NB + 0.01 * rate_from_body(e_NB, w_B));
    hash << e_NB << rotate(e_NB, w_B) << from_matrix(rotation_matrix(e_NB)) << body_rate(e_NB, e_NB * pure(w_B));
  }
}

/// Every representation there and back, with its rate matrix.
void conversions(Hash& hash, Samples& samples) {
  const auto through = [&hash](const auto& chart, const EulerParameters<double>& e_NB) {
    const Vec3<double> x = chart.from_euler_parameters(e_NB);
    hash << x << chart.to_euler_parameters(x) << rate_matrix<Body>(chart, x);
  };
  for (int i = 0; i < kSamples / 10; ++i) {
    const EulerParameters<double> e_NB = exp(3.0 * samples.next_vector());
    hash << e_NB << log(e_NB) << slerp(e_NB, EulerParameters<double>::identity(), 0.3);
    for (const EulerSequence& sequence : all_sequences()) { through(EulerAngles{sequence}, e_NB); }
    through(RotationVector{}, e_NB);
    through(Rodrigues{}, e_NB);
    through(ModifiedRodrigues{}, e_NB);
    through(ReducedEulerParameters{}, e_NB);
  }
}

/// The free body, also next to the unstable axis and with a full inertia matrix, and the top.
void exact_motions(Hash& hash, Samples& samples) {
  for (int i = 0; i < kSamples / 20; ++i) {
    const EulerParameters<double> e_NB = exp(3.0 * samples.next_vector());
    const Vec3<double> J_B = samples.next_vector() + Vec3<double>{3, 3, 3};
    Vec3<double> w_B = samples.next_vector();
    if (i % 3 == 0) { w_B = {1e-6 * w_B.x, w_B.y, 1e-7 * w_B.z}; }
    const Mat3<double> full = diagonal(J_B.x, J_B.y, J_B.z) + 0.1 * outer(w_B, w_B);
    const FreeMotion<double> free(J_B, e_NB, w_B);
    const FreeMotion<double> free_full(full, e_NB, w_B);
    const QuickFreeMotion quick(J_B, e_NB, w_B);
    const LagrangeTop<double> top({J_B.x, J_B.y, samples.next()}, e_NB, w_B);
    hash << free.period() << free.advance() << free.h_N() << top.roots();
    for (const double t : {-200.0, 0.3, 1000.0 * samples.next()}) {
      for (const MotionState<double>& state : {free.at(t), free_full.at(t), quick.at(t), top.at(t)}) {
        hash << state.e_NB << state.w_B;
      }
    }
  }
}

/// polhode/step.hpp in float and double: short steps, long ones, pieces, pushes.
template <class S>
void run_rotors(Hash& hash, Samples& samples) {
  const auto next = [&samples] { return static_cast<S>(samples.next()); };
  for (int i = 0; i < kSamples / 100; ++i) {
    const S a = S(1.5) + next();
    const S b = S(1.5) + next();
    const step::Inertia<S> inertia(a, b, a + b - S(0.01) - (a < b ? a : b) * (S(0.5) + S(0.5) * next()));
    const step::Quaternion<S> e_NB{next(), next(), next(), 1};
    const step::Vector<S> w_B{next(), next(), next()};
    step::Rotor<S> rotor = step::start(inertia, e_NB, w_B);
    for (int k = 0; k < 200; ++k) {
      if (k % 20 == 0) { step::push(inertia, rotor, {S(0.1) * next(), S(0.1) * next(), S(0.1) * next()}); }
      step::advance(inertia, rotor, k < 100 ? S(0.1) : k < 190 ? S(1) : S(7));
    }
    hash << static_cast<double>(rotor.e_NB.w) << static_cast<double>(rotor.e_NB.x) << static_cast<double>(rotor.e_NB.y)
         << static_cast<double>(rotor.n_B.z) << static_cast<double>(rotor.h) << static_cast<double>(rotor.energy);
  }
}
void rotors(Hash& hash, Samples& samples) {
  run_rotors<float>(hash, samples);
  run_rotors<double>(hash, samples);
}

using Run = void (*)(Hash&, Samples&);
constexpr std::pair<const char*, Run> kFormulas[] = {
    {"vectors", vectors},         {"euler_parameters", euler_parameters}, {"elementary", elementary},
    {"conversions", conversions}, {"exact_motions", exact_motions},       {"rotors", rotors}};

}  // namespace

int main() {
  std::vector<Scene> scenes;
  for (const auto& [name, run] : kFormulas) {
    scenes.push_back({name, [formula = run](Hash& hash) {
                        Samples samples;
                        formula(hash, samples);
                      }});
  }
  portability::add_body_scenes(scenes);
  portability::add_mechanism_scenes(scenes);
  for (const Scene& scene : scenes) {
    Hash hash;
    scene.run(hash);
    std::printf("%s %s\n", scene.name.c_str(), hash.hex().c_str());
  }
}
