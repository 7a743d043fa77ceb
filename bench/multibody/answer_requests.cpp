#include "multibody/chain.h"
#include "one_body/clock.h"
#include "polhode/core/error.h"

#include <cmath>
#include <cstdio>
#include <iostream>
#include <sstream>

namespace polhode::bench {
namespace {

void print_list(const char* name, const std::vector<double>& values, const char* end) {
  std::printf("\"%s\": [", name);
  for (std::size_t i = 0; i < values.size(); ++i) { std::printf("%s%.17g", i == 0 ? "" : ", ", values[i]); }
  std::printf("]%s", end);
}

/// False where it is not a request.
bool answer(const std::string& line, EvaluationAtState& named) {
  std::istringstream words(line);
  std::string what;
  std::string closing;
  int number = 0;
  if (!(words >> what >> number) || number < 1) { return false; }
  if (what == "time" && named.run) {
    std::printf("%.17g\n", cpu_seconds_of([&] {
                  for (int i = 0; i < number; ++i) { named.run(); }
                }));
    return true;
  }
  if (int digits = 0; what == "run" && words >> digits) {
    const FourBarRun run = polhode_four_bar(number, std::pow(10.0, -digits));
    std::printf("{\"steps\": %zu, \"evaluations\": %zu, \"error\": %.3g}\n", run.steps, run.evaluations,
                run.angle_error);
    return true;
  }
  if (what == "chain") {
    named = polhode_bent_chain(static_cast<std::size_t>(number));
  } else if (what == "four-bar" && words >> closing) {
    named = polhode_tilted_four_bar(number, closing);
  } else {
    return false;
  }
  named.run();
  std::printf("{");
  print_list("angles", named.angles, ", ");
  print_list("rates", named.rates, ", ");
  print_list("accelerations", named.accelerations(), "}\n");
  return true;
}

}  // namespace

int answer_requests() {
  EvaluationAtState named;
  std::string line;
  try {
    while (std::getline(std::cin, line)) {
      if (!answer(line, named)) {
        std::fprintf(
            stderr,
            "bench_multibody: cannot answer '%s'; known: 'chain N', 'four-bar N JOINT', after one of them 'time "
            "COUNT', and 'run N DIGITS', with whole numbers from 1\n",
            line.c_str());
        return 2;
      }
      std::fflush(stdout);
    }
  } catch (const Error& error) {
    std::fprintf(stderr, "bench_multibody: request '%s': %s\n", line.c_str(), error.what());
    return 2;
  }
  return 0;
}

}  // namespace polhode::bench
