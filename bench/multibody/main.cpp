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

}  // namespace

int main() {
  chains();
  return 0;
}
