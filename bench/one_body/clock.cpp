#include "one_body/clock.h"

#include <time.h>

#include <algorithm>

namespace polhode::bench {
namespace {

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}
double quick_one(std::vector<double>& seconds) {
  const auto place = seconds.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(1, seconds.size() / 20));
  std::nth_element(seconds.begin(), place, seconds.end());
  return *place;
}

}  // namespace

double cpu_seconds_of(const std::function<void()>& run) {
  const double before = cpu_seconds();
  run();
  return cpu_seconds() - before;
}
double quick_cpu_seconds(const std::function<void()>& run, double enough) {
  std::vector<double> seconds;
  double sum = 0;
  while (seconds.size() < 5 || (sum < enough && seconds.size() < 1000)) {
    seconds.push_back(cpu_seconds_of(run));
    sum += seconds.back();
  }
  return quick_one(seconds);
}
std::vector<double> quick_cpu_seconds_in_turn(const std::vector<std::function<void()>>& runs, int rounds) {
  std::vector<std::vector<double>> seconds(runs.size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      runs[i]();  // brings its own code and data into the caches
      seconds[i].push_back(cpu_seconds_of(runs[i]));
    }
  }
  std::vector<double> quick;
  quick.reserve(seconds.size());
  for (std::vector<double>& of_one : seconds) { quick.push_back(quick_one(of_one)); }
  return quick;
}

}  // namespace polhode::bench
