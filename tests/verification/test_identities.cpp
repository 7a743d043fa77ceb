#include "polhode/verification/identity.h"
#include "polhode/verification/verification.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>

using namespace polhode;
using namespace polhode::verification;

namespace {

/// All items, not evaluated.
const Report& described() {
  static const Report kReport = describe_identities();
  return kReport;
}

/// All items of all verifications, not evaluated.
const Report& everything() {
  static const Report kReport = [] {
    Report all{"all", {}};
    for (const Verification& v : verifications()) {
      for (Item& item : v.describe().items) { all.items.push_back(std::move(item)); }
    }
    return all;
  }();
  return kReport;
}

/// One small source, evaluated.
Report engine_notes() {
  Report report{"identities", {}};
  check_all(identities_engine_notes(), "EngineNotes", report);
  return report;
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::set<std::string> numbers(int first, int last) {
  std::set<std::string> all;
  for (int n = first; n <= last; ++n) { all.insert(std::to_string(n)); }
  return all;
}

/// What a check of one made-up relation comes to.
Item verdict_on(Check check) {
  Report planted{"planted", {}};
  const Identity identity{"1", "", "", "made up", "made up", std::move(check)};
  check_all({&identity, 1}, "own", planted);
  return planted.items.at(0);
}

}  // namespace

TEST_CASE("every identity holds and every wrong twin is caught") {
  const Report report = verify_identities();
  for (const Item& item : report.items) {
    CAPTURE(item.source);
    CAPTURE(item.equation);
    CAPTURE(item.trouble);
    CHECK(item.ok);
    CHECK(item.twin_killed);
    // exact means exact; 50 digits leave ten for rounding (identity.h)
    CHECK(item.residual <= (item.arithmetic == "exact" ? 0 : 1e-40));
    // a wrong sign or index is not a matter of rounding
    CHECK(item.twin_residual > 1e-6);
  }
  CHECK(report.passed());

  // the description lists the same
  REQUIRE(described().items.size() == report.items.size());
  for (std::size_t n = 0; n < report.items.size(); ++n) {
    CHECK(described().items[n].equation == report.items[n].equation);
  }
}

TEST_CASE("every numbered equation of the sources has a check") {
  std::map<std::string, std::set<std::string>> required;
  required["Sherif2015"] = numbers(1, 84);
  required["Bernstein2023"] = numbers(1, 54);
  required["MultibodyNotes"] = numbers(1, 12);
  required["EngineNotes"] = {"7.47", "7.48", "7.56"};
  required["SchwabMeijaard2006"] = numbers(1, 46);
  for (const Item& item : everything().items) { required[item.source].erase(item.equation); }
  for (const auto& [seed, missing] : required) {
    CAPTURE(seed);
    for (const std::string& equation : missing) { FAIL_CHECK("no check of equation ", equation); }
  }
}

TEST_CASE("every numbered equation of the sources leads to a label of ours") {
  std::size_t numbered = 0;
  for (const Item& item : everything().items) {
    if (item.source == "own" || !std::isdigit(static_cast<unsigned char>(item.equation[0]))) { continue; }
    ++numbered;
    CAPTURE(item.source);
    CAPTURE(item.equation);
    CHECK_FALSE(item.label.empty());
  }
  CHECK(numbered >= 84 + 54 + 12 + 3 + 46);
}

TEST_CASE("every label of kinematics, forms and schemes, in headers and theory, has a check") {
  std::set<std::string> checked;
  for (const Item& item : everything().items) {
    std::istringstream labels(item.label);
    for (std::string label; labels >> label;) { checked.insert(label); }
  }
  std::set<std::string> used;
  const std::regex label("(KIN|DYN|SCH)-[0-9]+");
  const std::filesystem::path root(POLHODE_SOURCE_DIR);
  for (const auto& folder : {root / "src/polhode/rotation", root / "src/polhode/math", root / "src/polhode/formulation",
                             root / "docs/theory"}) {
    for (const auto& file : std::filesystem::recursive_directory_iterator(folder)) {
      if (!file.is_regular_file()) { continue; }
      const std::string text = text_of(file.path());
      for (std::sregex_iterator it(text.begin(), text.end(), label), end; it != end; ++it) { used.insert(it->str()); }
    }
  }
  CHECK(used.size() > 60);  // the search found the headers
  for (const std::string& one : used) {
    if (!checked.contains(one)) { FAIL_CHECK("no check of ", one); }
  }
}

TEST_CASE("items are named once, and say what they check and of which function") {
  std::set<std::pair<std::string, std::string>> names;
  for (const Item& item : everything().items) {
    CAPTURE(item.source);
    CAPTURE(item.equation);
    CHECK(names.emplace(item.source, item.equation).second);
    CHECK_FALSE(item.function.empty());
    CHECK_FALSE(item.statement.empty());
    CHECK_FALSE(item.twin.empty());
    CHECK((item.arithmetic == "exact" || item.arithmetic == "50-digit" || item.arithmetic == "double" ||
           item.arithmetic == "long double"));
  }
}

TEST_CASE("an erratum that has a wrong number in print has the print as its twin") {
  const std::set<std::pair<std::string, std::string>> printed{{"Sherif2015", "16"},
                                                              {"Sherif2015", "54"},
                                                              {"Bernstein2023", "47"},
                                                              {"MultibodyNotes", "9"},
                                                              {"MultibodyNotes", "worked ω1"},
                                                              {"EngineNotes", "general proposition"},
                                                              {"SchwabMeijaard2006", "9"},
                                                              {"SchwabMeijaard2006", "12"},
                                                              {"SchwabMeijaard2006", "14"},
                                                              {"SchwabMeijaard2006", "30 (text)"},
                                                              {"SchwabMeijaard2006", "32"},
                                                              {"Sherif2015", "30"},
                                                              {"Sherif2015", "41"},
                                                              {"EngineNotes", "7.56, meaning"},
                                                              {"EngineNotes", "next line"},
                                                              {"EngineNotes", "table, q update"},
                                                              {"SchwabMeijaard2006", "40"},
                                                              {"SchwabMeijaard2006", "42"},
                                                              {"SchwabMeijaard2006", "45"}};
  std::size_t found = 0;
  for (const Item& item : everything().items) {
    if (!printed.contains({item.source, item.equation})) { continue; }
    ++found;
    CAPTURE(item.equation);
    CHECK_FALSE(item.erratum.empty());
    CHECK(item.twin.starts_with("as "));
  }
  CHECK(found == printed.size());
}

TEST_CASE("the JSON counts what its items say") {
  Report report = engine_notes();
  const std::size_t right = report.items.size();
  report.items.push_back(verdict_on(exact([](X&) { return Exact(1); })));  // wrong
  report.items.push_back(verdict_on(exact([](X&) { return Exact(0); })));  // without teeth
  const auto json = nlohmann::json::parse(to_json(report));
  CHECK(json["what"] == "identities");
  CHECK(json["checks"] == right + 2);
  CHECK(json["failed"] == 1);
  CHECK(json["twins"] == right + 2);
  CHECK(json["twins_killed"] == right + 1);
  REQUIRE(json["items"].size() == right + 2);
  CHECK(json["items"][right]["ok"] == false);
  for (const auto& item : json["items"]) {
    CHECK(item["ok"].is_boolean());
    for (const char* key : {"source", "equation", "label", "arithmetic"}) { CHECK(item[key].is_string()); }
  }
}

TEST_CASE("docs/traceability.md is up to date") {
  const std::string written = text_of(std::filesystem::path(POLHODE_SOURCE_DIR) / "docs/traceability.md");
  // stale: run `polhode verify --traceability docs/traceability.md`
  CHECK((written == traceability(everything())));
}

TEST_CASE("a second run gives the same numbers") {
  const Report first = engine_notes();
  const Report second = engine_notes();
  REQUIRE(first.items.size() == second.items.size());
  for (std::size_t n = 0; n < first.items.size(); ++n) {
    CHECK(first.items[n].twin_residual == second.items[n].twin_residual);
  }
}

TEST_CASE("a wrong relation is reported as failed, however small the error") {
  CHECK_FALSE(verdict_on(exact([](X& t) { return size(t.number()); })).ok);
  CHECK_FALSE(verdict_on(exact([](X&) {
                Exact tiny(1);
                for (int n = 0; n < 100; ++n) { tiny = tiny / 10; }
                return tiny;
              })).ok);
  CHECK_FALSE(verdict_on(digits50([](F&) { return Fine(1e-39); })).ok);
  CHECK(verdict_on(digits50([](F&) { return Fine(1e-41); })).ok);
  CHECK_FALSE(verdict_on(digits50([](F&) { return sqrt(Fine(-1)); })).ok);  // NaN
}

TEST_CASE("a twin that survives is reported, and fails the report") {
  const Item harmless = verdict_on(exact([](X&) { return Exact(0); }));
  CHECK(harmless.ok);
  CHECK_FALSE(harmless.twin_killed);
  CHECK_FALSE(Report{"planted", {harmless}}.passed());
  const Item sharp = verdict_on(exact([](X& t) { return size(t.sign - 1); }));
  CHECK(sharp.twin_killed);
  CHECK(Report{"planted", {sharp}}.passed());
  // a twin that comes to a NaN is not caught by it: the relation says nothing there
  CHECK_FALSE(verdict_on(digits50([](F& t) { return t.pick(Fine(0), sqrt(Fine(-1))); })).twin_killed);
}

TEST_CASE("a relation that divides by zero is reported as failed with the cause") {
  const Item item = verdict_on(exact([](X&) { return Exact(1) / Exact(0); }));
  CHECK_FALSE(item.ok);
  CHECK_FALSE(item.trouble.empty());
}

TEST_CASE("fractions are exact, and only squares have a root") {
  CHECK(sqrt(Exact(49) / Exact(64)) == Exact(7) / Exact(8));
  CHECK_THROWS_AS(sqrt(Exact(2)), std::domain_error);
  CHECK_THROWS_AS(sqrt(Exact(-4)), std::domain_error);
  CHECK(Exact(0.1) * 10 != Exact(1));  // the double 0.1 is not a tenth
}

TEST_CASE("random units are units, random turns are turns") {
  X t(7, false);
  for (int n = 0; n < 20; ++n) {
    CHECK(norm_squared(t.unit()) == Exact(1));
    const auto a = t.turn();
    CHECK(a.sin * a.sin + a.cos * a.cos == Exact(1));
  }
}
