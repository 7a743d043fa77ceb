// The steps of math/explicit_kernels.h and math/group_kernels.h on a GPU: a batch of free bodies, one thread a body,
// and the same functions on the processor. Without fused multiply-adds both make the same numbers; the program ends
// with 1 where they do not. From the root of the repository, in one line:
//
//   nvcc -std=c++20 -O3 -fmad=false --expt-relaxed-constexpr -Xcompiler -ffp-contract=off -Isrc
//     -o gpu_kernels bench/gpu/gpu_kernels.cu
//   ./gpu_kernels [BODIES [STEPS]]
#include "polhode/formulation/free_rotor_rates.h"
#include "polhode/math/explicit_kernels.h"
#include "polhode/math/group_kernels.h"
#include "polhode/rotation/euler_parameters.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

using namespace polhode;

using State = std::array<double, 7>;    // e0 e1 e2 e3 | w1 w2 w3
using Algebra = std::array<double, 6>;  // turn | change of w'
using Bodies = FreeRotorRates<double>;

constexpr double kStep = 0.01;             // s
constexpr std::size_t kOnProcessor = 256;  // bodies, on one thread

// ---- the group of rotations -----------------------------------------------------------------------------------------

/// Stumpff function c_n(ρ) = Σ_k (−ρ)^k / (2k + n)! for ρ < 1, from its series (KIN-60). n = 0 to 3.
template <int n>
POLHODE_KERNEL double stumpff_series(double rho) {
  constexpr int kTerms = 10;  // the next one is below 1/22!
  double sum = 1;
  for (int k = kTerms; k > 0; --k) { sum = 1 - sum * rho / static_cast<double>((2 * k + n - 1) * (2 * k + n)); }
  return n < 2 ? sum : n == 2 ? 0.5 * sum : sum / 6;
}

/// A free body in principal axes: attitudes move by the group of rotations, w' by addition. Turns of one step are below
/// one radian.
struct FreeRotorGroup {
  Bodies rates;

  POLHODE_KERNEL void algebra(double t, const State& y, Algebra& xi) const {
    State ydot;
    rates(t, y.data(), ydot.data());
    for (std::size_t i = 0; i < 3; ++i) {
      xi[i] = y[4 + i];
      xi[3 + i] = ydot[4 + i];
    }
  }
  ///   e ← e ∘ (c0(ρ); ½ c1(ρ) a),   ρ = |a|²/4              (KIN-9)
  POLHODE_KERNEL void act(State& y, const Algebra& a) const {
    const Vec3<double> turn{a[0], a[1], a[2]};
    const double rho = 0.25 * dot(turn, turn);
    const EulerParameters<double> by{stumpff_series<0>(rho), (0.5 * stumpff_series<1>(rho)) * turn};
    const EulerParameters<double> e = EulerParameters<double>{y[0], {y[1], y[2], y[3]}} * by;
    y[0] = e.e0;
    y[1] = e.ev.x;
    y[2] = e.ev.y;
    y[3] = e.ev.z;
    for (std::size_t i = 3; i < 6; ++i) { y[i + 1] += a[i]; }
  }
  ///   S⁻¹ w = c1/(2 c2) w + ½ a × w + (c2² − c1 c3)/(2 c2) (a·w) a                     (KIN-45)
  POLHODE_KERNEL void dexp_inverse(const Algebra& a, const Algebra& xi, Algebra& adot) const {
    const Vec3<double> turn{a[0], a[1], a[2]};
    const Vec3<double> w{xi[0], xi[1], xi[2]};
    const double rho = dot(turn, turn);
    const double c1 = stumpff_series<1>(rho);
    const double c2 = stumpff_series<2>(rho);
    const double c3 = stumpff_series<3>(rho);
    const double half_inverse = 0.5 / c2;
    const double along = (half_inverse * (c2 * c2 - c1 * c3)) * dot(turn, w);
    const Vec3<double> rate = (half_inverse * c1) * w + 0.5 * cross(turn, w) + along * turn;
    adot = {rate.x, rate.y, rate.z, xi[3], xi[4], xi[5]};
  }
};

// ---- methods --------------------------------------------------------------------------------------------------------

template <class T>
struct Explicit {
  POLHODE_KERNEL static State step(const Bodies& body, double t, double dt, const State& y) {
    return explicit_step<T>(body, t, dt, y);
  }
};
struct Rkmk4 {
  POLHODE_KERNEL static State step(const Bodies& body, double t, double dt, const State& y) {
    Rkmk4Rows<State, Algebra> rows;
    rkmk4_step(FreeRotorGroup{body}, t, dt, y, rows);
    return rows.y;
  }
};

template <class Method>
POLHODE_KERNEL void advance(const Bodies& body, State& y, int steps) {
  const double dt = kStep;  // methods take it by reference, which a constant of the host has none of on the device
  State at = y;
  for (int n = 0; n < steps; ++n) { at = Method::step(body, dt * n, dt, at); }
  y = at;
}

template <class Method>
__global__ void advance_all(const Bodies* bodies, State* states, std::size_t count, int steps) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) { advance<Method>(bodies[i], states[i], steps); }
}

// ---- the batch ------------------------------------------------------------------------------------------------------

struct Batch {
  std::vector<Bodies> bodies;
  std::vector<State> states;
};

/// Bodies with moments 1, 2 and from 2 to 2.9, at rates of some rad/s.
Batch batch_of(std::size_t count) {
  Batch batch;
  for (std::size_t i = 0; i < count; ++i) {
    const double s = static_cast<double>(i) / static_cast<double>(count);
    const double J1 = 1, J2 = 2, J3 = 2 + 0.9 * s;
    batch.bodies.push_back({{(J2 - J3) / J1, (J3 - J1) / J2, (J1 - J2) / J3}});
    batch.states.push_back({1, 0, 0, 0, 0.01 + s, 5 - 2 * s, 0.01 + 3 * s});
  }
  return batch;
}

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) { return; }
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(2);
}

template <class T>
class OnDevice {
 public:
  explicit OnDevice(const std::vector<T>& values) : count_(values.size()) {
    check(cudaMalloc(&data_, count_ * sizeof(T)), "cudaMalloc");
    check(cudaMemcpy(data_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice), "to the GPU");
  }
  ~OnDevice() { cudaFree(data_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

  T* data() const { return static_cast<T*>(data_); }
  std::vector<T> read() const {
    std::vector<T> values(count_);
    check(cudaMemcpy(values.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost), "from the GPU");
    return values;
  }

 private:
  void* data_ = nullptr;
  std::size_t count_;
};

struct Ends {
  std::vector<State> states;
  double seconds;
};

template <class Method>
Ends on_gpu(const Batch& batch, int steps) {
  constexpr unsigned kThreads = 128;
  const std::size_t count = batch.bodies.size();
  const unsigned blocks = static_cast<unsigned>((count + kThreads - 1) / kThreads);
  const OnDevice<Bodies> bodies(batch.bodies);
  {  // loads the program
    const OnDevice<State> warm(batch.states);
    advance_all<Method><<<blocks, kThreads>>>(bodies.data(), warm.data(), count, 1);
    check(cudaDeviceSynchronize(), "a first step");
  }
  const OnDevice<State> states(batch.states);
  cudaEvent_t begin;
  cudaEvent_t end;
  check(cudaEventCreate(&begin), "cudaEventCreate");
  check(cudaEventCreate(&end), "cudaEventCreate");
  check(cudaEventRecord(begin), "cudaEventRecord");
  advance_all<Method><<<blocks, kThreads>>>(bodies.data(), states.data(), count, steps);
  check(cudaEventRecord(end), "cudaEventRecord");
  check(cudaEventSynchronize(end), "the steps");
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return {states.read(), 1e-3 * milliseconds};
}

/// `count` bodies of the batch, evenly spread over it.
Batch sample_of(const Batch& batch, std::size_t count) {
  Batch sample;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t n = i * batch.bodies.size() / count;
    sample.bodies.push_back(batch.bodies[n]);
    sample.states.push_back(batch.states[n]);
  }
  return sample;
}

/// One thread.
template <class Method>
Ends on_processor(const Batch& batch, int steps) {
  std::vector<State> states = batch.states;
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < states.size(); ++i) { advance<Method>(batch.bodies[i], states[i], steps); }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  return {states, seconds.count()};
}

struct Difference {
  double largest = 0;
  std::size_t entries = 0;  ///< whose bits are not the same
};
/// Of the sample's ends from those of the whole batch.
Difference difference(const std::vector<State>& sample, const std::vector<State>& all) {
  Difference found;
  for (std::size_t n = 0; n < sample.size(); ++n) {
    const State& a = sample[n];
    const State& b = all[n * all.size() / sample.size()];
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (std::memcmp(&a[i], &b[i], sizeof(double)) == 0) { continue; }
      ++found.entries;
      found.largest = std::max(found.largest, std::fabs(a[i] - b[i]));
    }
  }
  return found;
}

/// Whether both made the same bits. Bodies that differ by an ulp in one coefficient must not: else nothing is compared.
/// `exact`: the ends by a method of high order.
template <class Method>
bool compare(const char* name, const Batch& batch, int steps, const Batch& sample, const std::vector<State>& exact) {
  const Ends gpu = on_gpu<Method>(batch, steps);
  const Ends processor = on_processor<Method>(sample, steps);
  Batch twin = batch;
  for (Bodies& body : twin.bodies) { body.gyration.y = std::nextafter(body.gyration.y, 2.0); }
  const Difference same = difference(processor.states, gpu.states);
  const Difference other = difference(processor.states, on_gpu<Method>(twin, steps).states);
  const double gpu_speed = static_cast<double>(batch.bodies.size()) * steps / gpu.seconds;
  const double processor_speed = static_cast<double>(sample.bodies.size()) * steps / processor.seconds;
  std::printf("%-8s %10.2g %8zu %10.2g %10.2g %13.3e %13.3e %8.1f\n", name, same.largest, same.entries, other.largest,
              difference(exact, gpu.states).largest, gpu_speed, processor_speed, gpu_speed / processor_speed);
  return same.entries == 0 && other.entries > 0;
}

}  // namespace

int main(int argc, char** argv) {
  const long bodies = argc > 1 ? std::atol(argv[1]) : 1 << 18;
  const long steps = argc > 2 ? std::atol(argv[2]) : 1000;
  if (bodies < 1 || steps < 1 || bodies > 1 << 24 || steps > 1 << 24) {
    std::fprintf(stderr, "usage: gpu_kernels [BODIES [STEPS]], each from 1 to %d\n", 1 << 24);
    return 2;
  }
  cudaDeviceProp device{};
  check(cudaGetDeviceProperties(&device, 0), "the first GPU");
  const Batch batch = batch_of(static_cast<std::size_t>(bodies));
  const Batch sample = sample_of(batch, std::min<std::size_t>(batch.bodies.size(), kOnProcessor));
  const int count = static_cast<int>(steps);
  std::printf("%s: %ld free bodies, %ld steps of %g s; %zu of them on one thread of the processor\n", device.name,
              bodies, steps, kStep, sample.bodies.size());
  std::printf("%-8s %10s %8s %10s %10s %13s %13s %8s\n", "method", "difference", "entries", "twin's", "error",
              "steps/s GPU", "processor", "times");
  const std::vector<State> exact = on_processor<Explicit<Dop853Tableau>>(sample, count).states;
  bool same = compare<Explicit<Rk4Tableau>>("rk4", batch, count, sample, exact);
  same = compare<Explicit<Dopri5Tableau>>("dopri5", batch, count, sample, exact) && same;
  same = compare<Explicit<Dop853Tableau>>("dop853", batch, count, sample, exact) && same;
  same = compare<Rkmk4>("rkmk4", batch, count, sample, exact) && same;
  std::printf("%s\n", same ? "the same bits on both" : "NOT the same bits");
  return same ? 0 : 1;
}
