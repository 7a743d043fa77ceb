// Forward dynamics of mechanisms: time of one evaluation, against other engines in the same run.
#include "multibody/chain.h"
#include "one_body/clock.h"

#include <sys/resource.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <string_view>

using namespace polhode::bench;

namespace {

/// So many evaluations that the clock sees more than its own grain.
std::function<void()> repeated(const std::function<void()>& run, std::size_t times) {
  return [run, times] {
    for (std::size_t i = 0; i < times; ++i) { run(); }
  };
}

struct Peer {
  const char* name;
  Evaluation (*chain)(std::size_t n);
  std::size_t longest;  ///< what it can do in seconds
};
constexpr std::array<Peer, 4> kPeers{Peer{"Bullet", bullet_chain, 10000}, Peer{"Simbody", simbody_chain, 1000},
                                     Peer{"DART", dart_chain, 1000}, Peer{"ODE", ode_chain, 100}};

void chains() {
  std::printf("open chain of n hinged rods, one evaluation, microseconds of CPU; others as multiples of ours\n");
  std::printf("%8s %12s %12s", "n", "polhode", "us a body");
  for (const Peer& peer : kPeers) { std::printf(" %20s", peer.name); }
  std::printf("\n");
  for (const std::size_t n : {10UL, 100UL, 1000UL, 10000UL, 100000UL}) {
    const Evaluation ours = polhode_chain(n);
    const std::size_t times = 1 + 20000 / n;
    ours.run();
    std::vector<Evaluation> theirs;
    std::vector<std::function<void()>> runs{repeated(ours.run, times)};
    double apart = 0;
    for (const Peer& peer : kPeers) {
      theirs.push_back(n <= peer.longest ? peer.chain(n) : Evaluation{});
      if (theirs.back().run) {
        apart = std::fmax(apart, std::fabs(ours.first_hinge_acceleration() - theirs.back().first_hinge_acceleration()));
      }
    }
    // ODE's dense step takes a thousand times as long as ours
    const std::size_t few = n >= 100 ? 1 : 20;
    for (std::size_t k = 0; k < theirs.size(); ++k) {
      if (theirs[k].run) { runs.push_back(repeated(theirs[k].run, kPeers[k].chain == ode_chain ? few : times)); }
    }
    const std::vector<double> seconds = quick_cpu_seconds_in_turn(runs, runs.size() > 1 ? 20 : 10);
    const double ours_us = 1e6 * seconds[0] / static_cast<double>(times);
    std::printf("%8zu %12.2f %12.3f", n, ours_us, ours_us / static_cast<double>(n));
    std::size_t next = 1;
    for (std::size_t k = 0; k < theirs.size(); ++k) {
      if (!theirs[k].run) {
        std::printf(" %20s", "-");
        continue;
      }
      const double us = 1e6 * seconds[next++] / static_cast<double>(kPeers[k].chain == ode_chain ? few : times);
      std::printf(" %12.2f (%5.1f)", us, us / ours_us);
    }
    std::printf("   accelerations of the first hinge differ by %.1e at most\n", apart);
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

/// Without words: everything that is linked in. With `stiff`: stiff_chains(). With `answer-requests`: see
/// answer_requests().
int main(int count, char** words) {
  if (count == 2 && std::string_view(words[1]) == "answer-requests") { return answer_requests(); }
  if (count == 2 && std::string_view(words[1]) == "stiff") {
    stiff_chains(10000);
    return 0;
  }
  if (count > 1) {
    std::fprintf(stderr, "bench_multibody: unknown '%s'; known: stiff, answer-requests, or nothing\n", words[1]);
    return 2;
  }
  chains();
  four_bars(2);
  four_bars(40);
  return 0;
}
