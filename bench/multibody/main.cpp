// Forward dynamics of mechanisms: time of one evaluation, against other engines in the same run.
#include "multibody/chain.h"
#include "one_body/clock.h"

#include <sys/resource.h>

#include <cmath>
#include <cstdio>

using namespace polhode::bench;

namespace {

/// So many evaluations that the clock sees more than its own grain.
std::function<void()> repeated(const std::function<void()>& run, std::size_t times) {
  return [&run, times] {
    for (std::size_t i = 0; i < times; ++i) { run(); }
  };
}

void chains() {
  std::printf("open chain of n hinged rods, one evaluation, microseconds of CPU\n");
  std::printf("%8s %12s %12s %10s %12s\n", "n", "polhode", "us a body", "Bullet", "ratio");
  for (const std::size_t n : {10UL, 100UL, 1000UL, 10000UL, 100000UL}) {
    const Evaluation ours = polhode_chain(n);
    const Evaluation theirs = n <= 10000 ? bullet_chain(n) : Evaluation{};
    const std::size_t times = 1 + 20000 / n;
    ours.run();
    if (!theirs.run) {
      const double seconds = quick_cpu_seconds(repeated(ours.run, times), 0.3) / static_cast<double>(times);
      std::printf("%8zu %12.2f %12.3f %10s %12s\n", n, 1e6 * seconds, 1e6 * seconds / static_cast<double>(n), "-", "-");
      continue;
    }
    const double difference = ours.first_hinge_acceleration() - theirs.first_hinge_acceleration();
    const std::vector<double> seconds =
        quick_cpu_seconds_in_turn({repeated(ours.run, times), repeated(theirs.run, times)}, 40);
    const double ours_us = 1e6 * seconds[0] / static_cast<double>(times);
    const double theirs_us = 1e6 * seconds[1] / static_cast<double>(times);
    std::printf("%8zu %12.2f %12.3f %10.2f %12.2f   accelerations of the first hinge differ by %.1e\n", n, ours_us,
                ours_us / static_cast<double>(n), theirs_us, theirs_us / ours_us, std::fabs(difference));
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("largest memory: %.0f MB\n", static_cast<double>(usage.ru_maxrss) / 1024);
}

/// All uprights stay parallel: ((N+1)/3 + N) θ̈ = ((N+1)/2 + N) g sin θ, by RK4 in small steps.
double exact_angle(int windows) {
  const double n = windows;
  const double k = ((n + 1) / 2 + n) / ((n + 1) / 3 + n) * 9.81;
  double a = 0;
  double w = 1;
  const double h = 1e-4;
  for (int i = 0; i < 100000; ++i) {
    const double k1 = k * std::sin(a);
    const double k2 = k * std::sin(a + h / 2 * w);
    const double k3 = k * std::sin(a + h / 2 * (w + h / 2 * k1));
    const double k4 = k * std::sin(a + h * (w + h / 2 * k2));
    a += h * w + h * h / 6 * (k1 + k2 + k3);
    w += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  return a;
}

void four_bars(int windows) {
  std::printf("\nN-four-bar, N = %d, 10 s\n", windows);
  std::printf("%-24s %16s %12s %14s %14s\n", "", "CPU s a second", "gap, m", "energy, J", "angle, rad");
  const double exact = exact_angle(windows);
  double ours = 0;
  for (const FourBarRun& run : {polhode_four_bar(windows), mujoco_four_bar(windows)}) {
    if (!run.installed) {
      std::printf("MuJoCo is not installed (Debian: libmujoco-dev)\n");
      continue;
    }
    std::printf("%-24s %16.4f %12.1e %14.1e %14.1e\n", run.method.c_str(), run.cpu_seconds, run.gap, run.energy_error,
                std::fabs(std::remainder(run.angle - exact, 8 * std::atan(1.0))));
    if (ours > 0) { std::printf("ratio of CPU: %.2f\n", run.cpu_seconds / ours); }
    ours = run.cpu_seconds;
  }
}

}  // namespace

int main() {
  chains();
  four_bars(2);
  four_bars(40);
  return 0;
}
