// bench_one_body [options of Google Benchmark]
// bench_one_body work-precision [FILE.svg]
// bench_one_body taylor-order
// bench_one_body taylor-problems
#include "one_body/taylor_order.h"
#include "one_body/taylor_problems.h"
#include "one_body/work_precision.h"

#include <benchmark/benchmark.h>

int main(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == "work-precision") {
    return polhode::bench::work_precision(argc > 2 ? argv[2] : "");
  }
  if (argc > 1 && std::string(argv[1]) == "taylor-order") { return polhode::bench::taylor_order(); }
  if (argc > 1 && std::string(argv[1]) == "taylor-problems") { return polhode::bench::taylor_problems(); }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) { return 1; }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
