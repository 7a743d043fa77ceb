// A scenario is written as TOML and read back equal, whatever it says.
#include "polhode/catalog/examples.h"
#include "polhode/io/scenario_toml.h"
#include "support/any_scenario.h"

#include <doctest/doctest.h>

#include <random>
#include <set>

using namespace polhode;

namespace {

/// The scenario that a text says; whatever is wrong in form fails the test.
Scenario read_back(const std::string& text) {
  const io::ScenarioFile file(text, "written.toml");
  for (const Problem& problem : file.problems()) {
    CAPTURE(problem.what);
    FAIL_CHECK("a mistake of form");
  }
  return file.scenario();
}

auto chance(std::uint64_t seed) {
  return [random = std::mt19937_64(seed)](std::size_t n) mutable { return static_cast<std::size_t>(random() % n); };
}

}  // namespace

TEST_CASE("every example, written as TOML, reads back equal and has the same hash") {
  REQUIRE(catalog::examples().size() > 20);
  std::set<std::string> hashes;
  for (const catalog::Example& example : catalog::examples()) {
    CAPTURE(example.name);
    const io::ScenarioFile file(example.text, std::string(example.name));
    if (!file.problems().empty()) { continue; }  // a chain file
    const std::string text = io::to_toml(file.scenario());
    const Scenario again = read_back(text);
    CHECK(again == file.scenario());
    CHECK(io::to_toml(again) == text);
    CHECK(io::hash_of(again) == io::hash_of(file.scenario()));
    hashes.insert(io::hash_of(again));
  }
  CHECK(hashes.size() > 20);  // no two examples mean the same
}

TEST_CASE("any scenario, every key of it filled by chance, reads back equal and has the same hash") {
  std::size_t longest = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    const Scenario scenario = test::AnyScenario(chance(seed))();
    const std::string text = io::to_toml(scenario);
    longest = std::max(longest, text.size());
    const Scenario again = read_back(text);
    REQUIRE(again == scenario);
    CHECK(io::hash_of(again) == io::hash_of(scenario));
    CHECK(io::to_toml(again) == text);
  }
  CHECK(longest > 2000);
}

TEST_CASE("a scenario with any one number, text or truth changed is another one, with another hash") {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    CAPTURE(seed);
    const Scenario scenario = test::AnyScenario(chance(seed))();
    const std::string hash = io::hash_of(scenario);
    std::size_t leaves = 0;
    Scenario counted = scenario;
    test::each_leaf(counted, [&leaves](auto&) { ++leaves; });
    for (std::size_t k = 0; k < leaves; ++k) {
      Scenario other = scenario;
      std::size_t i = 0;
      test::each_leaf(other, [&i, k](auto& leaf) {
        using Leaf = std::remove_cvref_t<decltype(leaf)>;
        if (i++ != k) { return; }
        if constexpr (std::is_same_v<Leaf, bool>) {
          leaf = !leaf;
        } else if constexpr (std::is_same_v<Leaf, std::string>) {
          leaf += "x";
        } else if (leaf.formula.empty()) {
          leaf.value = std::nextafter(leaf.value, 1);
        } else {
          leaf.formula += "+1";
        }
      });
      CAPTURE(k);
      CHECK(other != scenario);
      CHECK(io::hash_of(other) != hash);
    }
  }
}

TEST_CASE("blanks in formulas, comments, defaults and the sign of a zero are no part of the hash") {
  const auto hash = [](const std::string& text) { return io::hash_of(read_back(text)); };
  const std::string plain = "title = \"x\"\n[parameters]\na = 1\n[run]\nduration = \"2*a\"\n";
  CHECK(hash(plain) == hash("# said differently\ntitle = 'x'\n[run]\nintegrator = \"dop853\"\nduration = \"2 * "
                            "a\"\n[parameters]\na = 1.0\n"));
  CHECK(hash(plain) != hash("title = \"x\"\n[parameters]\na = 1\n[run]\nduration = \"2+a\"\n"));
  CHECK(hash("title = \"x\"\n[parameters]\na = 0\n") == hash("title = \"x\"\n[parameters]\na = -0.0\n"));
}
