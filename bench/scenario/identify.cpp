#include "polhode/analysis/identify.h"
#include "polhode/catalog/examples.h"
#include "polhode/io/scenario_toml.h"
#include "polhode/run/simulate.h"

#include <benchmark/benchmark.h>

#include <random>

// Parameters from measured data: a whole search, from guesses 7 % off. Racket: tosses at 100 Hz, rates alone, two
// moments and the start of every toss unknown; 100 of them are 10^4 rows. Long: one recording of as many rows.

namespace {

using namespace polhode;

const char* const kTossed = R"toml(title = "racket"
[parameters]
J1 = 0.00121
J2 = 0.01646
J3 = 0.01748
wx = 0.4
wy = 6.3
wz = 0.3
rows = 100
[body]
principal_moments = ["J1", "J2", "J3"]
[initial]
w_body = ["wx", "wy", "wz"]
[run]
duration = "(rows - 1)/100"
output_interval = 0.01
tolerance = 1e-8
)toml";

MeasuredLog measured(const Scenario& scenario, int recordings, int rows) {
  const CompiledScenario compiled(scenario);
  MeasuredLog log{{"wx_body_rad_s", "wy_body_rad_s", "wz_body_rad_s"}, {}};
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  for (int k = 0; k < recordings; ++k) {
    SimulateOptions options;
    options.parameters = {{"rows", rows}, {"wx", normal(random)}, {"wy", 7 + normal(random)}, {"wz", normal(random)}};
    const Trajectory run = simulate(compiled, options);
    Recording recording{"toss", run.column("t_s"), {}};
    for (std::size_t i = 0; i < run.rows(); ++i) {
      for (const std::string& column : log.columns) {
        recording.numbers.push_back(run.column(column)[i] + 0.02 * normal(random));
      }
    }
    log.recordings.push_back(std::move(recording));
  }
  return log;
}

void identify_racket(benchmark::State& bench, int recordings, int rows) {
  const Scenario scenario = io::ScenarioFile(kTossed, "").scenario();
  const MeasuredLog log = measured(scenario, recordings, rows);
  IdentifyOptions options;
  options.unknown = {"J2", "J3"};
  options.own = {"wx=wx_body_rad_s", "wy=wy_body_rad_s", "wz=wz_body_rad_s"};
  options.parameters = {{"J2", 0.0153}, {"J3", 0.0163}};
  for (auto _ : bench) {
    const Identification found = identify(scenario, log, options);
    if (!found.converged) { bench.SkipWithError("the search did not come to an end"); }
    benchmark::DoNotOptimize(found);
  }
  bench.counters["rows"] = static_cast<double>(log.samples());
}

BENCHMARK_CAPTURE(identify_racket, racket 100 tosses, 100, 100)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(identify_racket, long, 1, 10'000)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
