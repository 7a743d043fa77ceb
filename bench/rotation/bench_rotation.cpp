// Quaternion product, rotation of a vector, rotation matrix and Euler angles against Eigen: one at a time, each waiting
// for the one before, and over arrays of a million. After the usual lines a table gives the ratios of the same run.
#include "polhode/rotation.h"

#include <benchmark/benchmark.h>
#include <Eigen/Geometry>

#include <cstdio>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace polhode;

constexpr std::size_t kMany = 1'000'000;
constexpr EulerSequence kSequence{{2, 1, 0}, false};  // 3-2-1, Eigen's eulerAngles(2, 1, 0)

/// The same million attitudes and vectors in both libraries' types.
struct Data {
  std::vector<EulerParameters<double>> e;
  std::vector<EulerParameters<double>> f;
  std::vector<Vec3<double>> v;
  std::vector<Eigen::Quaterniond> eigen_q;
  std::vector<Eigen::Quaterniond> eigen_r;
  std::vector<Eigen::Vector3d> eigen_v;

  Data() {
    std::mt19937_64 engine(1);
    std::normal_distribution<double> normal;
    for (std::size_t i = 0; i < kMany; ++i) {
      e.push_back(
          normalized(EulerParameters<double>{normal(engine), {normal(engine), normal(engine), normal(engine)}}));
      v.push_back({normal(engine), normal(engine), normal(engine)});
      eigen_q.emplace_back(e[i].e0, e[i].ev.x, e[i].ev.y, e[i].ev.z);
      eigen_v.emplace_back(v[i].x, v[i].y, v[i].z);
    }
    f.assign(e.rbegin(), e.rend());
    eigen_r.assign(eigen_q.rbegin(), eigen_q.rend());
  }
};
const Data& data() {
  static const Data kData;
  return kData;
}

/// Small enough to leave the attitude alone, large enough to make each turn of the loop wait for the last.
constexpr double kTouch = 1e-300;

// ---- one at a time ----

void product_single_polhode(benchmark::State& state) {
  EulerParameters<double> e = data().e[0];
  const EulerParameters<double> r = data().e[1];
  for (auto _ : state) { e = e * r; }
  benchmark::DoNotOptimize(e);
}
void product_single_eigen(benchmark::State& state) {
  Eigen::Quaterniond q = data().eigen_q[0];
  const Eigen::Quaterniond r = data().eigen_q[1];
  for (auto _ : state) { q = q * r; }
  benchmark::DoNotOptimize(q);
}

void rotate_single_polhode(benchmark::State& state) {
  const EulerParameters<double> e = data().e[0];
  Vec3<double> v = data().v[0];
  for (auto _ : state) { v = rotate(e, v); }
  benchmark::DoNotOptimize(v);
}
void rotate_single_eigen(benchmark::State& state) {
  const Eigen::Quaterniond q = data().eigen_q[0];
  Eigen::Vector3d v = data().eigen_v[0];
  for (auto _ : state) { v = q._transformVector(v); }
  benchmark::DoNotOptimize(v);
}

void matrix_single_polhode(benchmark::State& state) {
  EulerParameters<double> e = data().e[0];
  for (auto _ : state) {
    Mat3<double> A = rotation_matrix(e);
    benchmark::DoNotOptimize(A);
    e.e0 += kTouch * A(1, 0);
  }
}
void matrix_single_eigen(benchmark::State& state) {
  Eigen::Quaterniond q = data().eigen_q[0];
  for (auto _ : state) {
    Eigen::Matrix3d A = q.toRotationMatrix();
    benchmark::DoNotOptimize(A);
    q.w() += kTouch * A(1, 0);
  }
}

void euler_single_polhode(benchmark::State& state) {
  const EulerAngles chart{kSequence};
  EulerParameters<double> e = data().e[0];
  for (auto _ : state) {
    Vec3<double> angles = chart.from_euler_parameters(e);
    benchmark::DoNotOptimize(angles);
    e.e0 += kTouch * angles.x;
  }
}
void euler_single_eigen(benchmark::State& state) {
  Eigen::Quaterniond q = data().eigen_q[0];
  for (auto _ : state) {
    Eigen::Vector3d angles = q.toRotationMatrix().eulerAngles(2, 1, 0);
    benchmark::DoNotOptimize(angles);
    q.w() += kTouch * angles.x();
  }
}

// ---- a million ----

void product_many_polhode(benchmark::State& state) {
  std::vector<EulerParameters<double>> out(kMany);
  for (auto _ : state) {
    batch::product(data().e, data().f, out);
    benchmark::ClobberMemory();
  }
}
void product_many_eigen(benchmark::State& state) {
  const auto& q = data().eigen_q;
  const auto& r = data().eigen_r;
  std::vector<Eigen::Quaterniond> out(kMany);
  for (auto _ : state) {
    for (std::size_t i = 0; i < kMany; ++i) { out[i] = q[i] * r[i]; }
    benchmark::ClobberMemory();
  }
}

void rotate_many_polhode(benchmark::State& state) {
  std::vector<Vec3<double>> out(kMany);
  for (auto _ : state) {
    batch::rotate(data().e, data().v, out);
    benchmark::ClobberMemory();
  }
}
void rotate_many_eigen(benchmark::State& state) {
  const auto& q = data().eigen_q;
  const auto& v = data().eigen_v;
  std::vector<Eigen::Vector3d> out(kMany);
  for (auto _ : state) {
    for (std::size_t i = 0; i < kMany; ++i) { out[i] = q[i]._transformVector(v[i]); }
    benchmark::ClobberMemory();
  }
}

void matrix_many_polhode(benchmark::State& state) {
  std::vector<Mat3<double>> out(kMany);
  for (auto _ : state) {
    batch::rotation_matrix(data().e, out);
    benchmark::ClobberMemory();
  }
}
void matrix_many_eigen(benchmark::State& state) {
  const auto& q = data().eigen_q;
  std::vector<Eigen::Matrix3d> out(kMany);
  for (auto _ : state) {
    for (std::size_t i = 0; i < kMany; ++i) { out[i] = q[i].toRotationMatrix(); }
    benchmark::ClobberMemory();
  }
}

void euler_many_polhode(benchmark::State& state) {
  std::vector<Vec3<double>> out(kMany);
  for (auto _ : state) {
    batch::euler_angles(kSequence, data().e, out);
    benchmark::ClobberMemory();
  }
}
void euler_many_eigen(benchmark::State& state) {
  const auto& q = data().eigen_q;
  std::vector<Eigen::Vector3d> out(kMany);
  for (auto _ : state) {
    for (std::size_t i = 0; i < kMany; ++i) { out[i] = q[i].toRotationMatrix().eulerAngles(2, 1, 0); }
    benchmark::ClobberMemory();
  }
}

/// Keeps the best time of every benchmark beside the usual output.
class Best : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration || run.error_occurred) { continue; }
      const double seconds = run.cpu_accumulated_time / static_cast<double>(run.iterations);
      const auto [at, is_new] = best_.try_emplace(run.run_name.function_name, seconds);
      if (!is_new && seconds < at->second) { at->second = seconds; }
    }
  }
  /// ns of each operation and the ratio ours / Eigen's; above 1 is slower.
  void print_ratios() const {
    std::printf("\n%-10s %-8s %12s %12s %8s\n", "operation", "how", "polhode ns", "eigen ns", "ratio");
    for (const char* operation : {"product", "rotate", "matrix", "euler"}) {
      for (const char* how : {"single", "many"}) {
        const std::string name = std::string(operation) + "_" + how + "_";
        const auto ours = best_.find(name + "polhode");
        const auto theirs = best_.find(name + "eigen");
        if (ours == best_.end() || theirs == best_.end()) { continue; }
        const double to_ns = 1e9 / (std::string(how) == "many" ? double{kMany} : 1.0);
        std::printf("%-10s %-8s %12.2f %12.2f %8.2f\n", operation, how, ours->second * to_ns, theirs->second * to_ns,
                    ours->second / theirs->second);
      }
    }
  }

 private:
  std::map<std::string, double> best_;
};

#define PAIR(name)           \
  BENCHMARK(name##_polhode); \
  BENCHMARK(name##_eigen)
PAIR(product_single);
PAIR(rotate_single);
PAIR(matrix_single);
PAIR(euler_single);
PAIR(product_many);
PAIR(rotate_many);
PAIR(matrix_many);
PAIR(euler_many);

}  // namespace

int main(int argc, char** argv) {
  // several short runs in mixed order, of which the best counts: other load on the machine then matters little
  std::vector<std::string> words{argv[0], "--benchmark_repetitions=7", "--benchmark_min_time=0.05",
                                 "--benchmark_enable_random_interleaving=true"};
  words.insert(words.end(), argv + 1, argv + argc);
  std::vector<char*> arguments;
  arguments.reserve(words.size());
  for (std::string& word : words) { arguments.push_back(word.data()); }
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) { return 2; }
  Best best;
  benchmark::RunSpecifiedBenchmarks(&best);
  best.print_ratios();
  return 0;
}
