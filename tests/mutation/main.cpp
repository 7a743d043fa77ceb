// The test program of a room whose sources hold mutants (tests/mutation/run). The environment says what to do:
//   POLHODE_MUTANT=17        runs with mutant 17
//   POLHODE_MUTATION_TESTS=F only the test cases that the lines of file F name, and stops at the first failure
//   POLHODE_MUTATION_MAP=F   writes a line for each test case: its seconds, the sites it reached, its name
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

namespace polhode_mutation {
int active = 0;
unsigned char reached[kMost] = {};
namespace {
__attribute__((constructor(101))) void choose() {
  const char* const chosen = std::getenv("POLHODE_MUTANT");
  active = chosen != nullptr ? std::atoi(chosen) : 0;
}

unsigned int taken = 0;  ///< test cases that the filters let through

/// What each test case reaches.
struct Map : doctest::IReporter {
  std::ofstream out;
  std::string name;
  unsigned char before[kMost] = {};
  std::chrono::steady_clock::time_point start;
  explicit Map(const doctest::ContextOptions&) {
    if (const char* const file = std::getenv("POLHODE_MUTATION_MAP")) { out.open(file); }
    std::memcpy(before, reached, sizeof reached);  // at start-up: belongs to every test
  }
  void test_case_start(const doctest::TestCaseData& data) override {
    name = data.m_name;
    std::memset(reached, 0, sizeof reached);
    start = std::chrono::steady_clock::now();
  }
  void test_case_end(const doctest::CurrentTestCaseStats& stats) override {
    if (!out.is_open()) { return; }
    out << std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() << '\t'
        << (stats.failure_flags == 0 ? "ok" : "failed") << '\t';
    for (int id = 1; id < kMost; ++id) {
      if (reached[id] != 0 || before[id] != 0) { out << id << ' '; }
    }
    out << '\t' << name << std::endl;
  }
  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats& stats) override { taken = stats.numTestCasesPassingFilters; }
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}
};
REGISTER_LISTENER("map", 1, Map);
}  // namespace
}  // namespace polhode_mutation

int main(int count, char** arguments) {
  doctest::Context context(count, arguments);
  unsigned int asked = 0;
  if (const char* const file = std::getenv("POLHODE_MUTATION_TESTS")) {
    std::ifstream names(file);
    for (std::string name; std::getline(names, name); ++asked) {
      std::replace(name.begin(), name.end(), ',', '?');  // doctest takes commas apart
      context.addFilter("test-case", name.c_str());
    }
    const char* const stop = std::getenv("POLHODE_MUTATION_STOP");
    if (stop == nullptr || stop[0] == '1') { context.setOption("abort-after", 1); }
  }
  const int result = context.run();
  if (result == 0 && polhode_mutation::taken < asked) {
    std::fputs("not all test cases were found by their names\n", stderr);
    return 99;
  }
  return result;
}
