#include "house/rules.h"

#include <doctest/doctest.h>

using namespace house;

namespace {

const Files& project() {
  static const Files files = read_project(POLHODE_SOURCE_DIR);
  return files;
}

void check_nothing_wrong(const std::vector<std::string>& wrong) {
  for (const std::string& line : wrong) { FAIL_CHECK(line); }
}

const std::string kEquation = "**(KIN-1)** a = b\n";

}  // namespace

TEST_CASE("the project is read where it lies") {
  CHECK(project().count("CMakeLists.txt") == 1);
  CHECK(project().count("src/polhode/core/error.h") == 1);
}

TEST_CASE("rooms include only lower rooms") { check_nothing_wrong(wrong_includes(project())); }

TEST_CASE("an include of a higher room, a forbidden neighbour or a bare name is found") {
  const auto count = [](const std::string& path, const std::string& include) {
    return wrong_includes({{path, "#include " + include + "\n"}}).size();
  };
  CHECK(count("src/polhode/rotation/a.h", "\"polhode/math/vec3.h\"") == 0);
  CHECK(count("src/polhode/rotation/a.h", "\"polhode/rotation/b.h\"") == 0);
  CHECK(count("src/polhode/rotation.h", "\"polhode/rotation/b.h\"") == 0);
  CHECK(count("src/polhode/rotation.h", "\"polhode/io/csv.h\"") == 1);
  CHECK(count("src/polhode/math/a.h", "\"polhode/rotation.h\"") == 1);
  CHECK(count("src/polhode/rotation/a.h", "\"polhode/io/csv.h\"") == 1);
  CHECK(count("src/polhode/math/a.cpp", "\"polhode/rotation/b.h\"") == 1);
  CHECK(count("src/polhode/core/a.cpp", "\"polhode/math/vec3.h\"") == 1);
  CHECK(count("src/polhode/formulation/a.cpp", "\"polhode/multibody/b.h\"") == 1);
  CHECK(count("src/polhode/multibody/a.cpp", "\"polhode/formulation/b.h\"") == 1);
  CHECK(count("src/polhode/multibody/a.cpp", "\"polhode/rotation/b.h\"") == 0);
  CHECK(count("src/polhode/integrator/a.cpp", "\"polhode/rotation/b.h\"") == 1);
  CHECK(count("src/polhode/integrator/a.cpp", "\"polhode/math/vec3.h\"") == 0);
  CHECK(count("src/polhode/simulation/a.cpp", "\"polhode/integrator/b.h\"") == 0);
  CHECK(count("src/polhode/simulation/a.cpp", "\"polhode/ensemble/b.h\"") == 1);
  CHECK(count("src/polhode/ensemble/a.cpp", "\"polhode/io/b.h\"") == 1);
  CHECK(count("src/polhode/drawing/a.cpp", "\"polhode/io/b.h\"") == 0);
  CHECK(count("src/polhode/drawing/a.cpp", "\"polhode/simulation/b.h\"") == 1);
  CHECK(count("src/polhode/audit/a.cpp", "\"polhode/io/b.h\"") == 0);
  CHECK(count("src/polhode/audit/a.cpp", "\"polhode/catalog/b.h\"") == 1);
  CHECK(count("src/polhode/catalog/a.cpp", "\"polhode/drawing/b.h\"") == 0);
  CHECK(count("src/polhode/catalog/a.cpp", "\"polhode/verification/b.h\"") == 1);
  CHECK(count("src/polhode/comparison/a.cpp", "\"polhode/simulation/b.h\"") == 0);
  CHECK(count("src/polhode/comparison/a.cpp", "\"polhode/report/b.h\"") == 1);
  CHECK(count("src/polhode/report/a.cpp", "\"polhode/drawing/b.h\"") == 0);
  CHECK(count("src/polhode/drawing/a.cpp", "\"polhode/report/b.h\"") == 1);
  CHECK(count("src/polhode/verification/a.cpp", "\"polhode/catalog/b.h\"") == 0);
  CHECK(count("src/polhode/verification/a.cpp", "\"polhode/nowhere/b.h\"") == 1);
  CHECK(count("src/polhode/nowhere/a.cpp", "<vector>") == 1);
  CHECK(count("src/polhode/rotation/a.cpp", "\"b.h\"") == 1);
  CHECK(count("src/polhode/io/a.cpp", "<toml++/toml.h>") == 0);
  CHECK(count("src/polhode/io/a.h", "<toml++/toml.h>") == 1);
  CHECK(count("src/polhode/rotation/eigen.h", "<Eigen/Geometry>") == 0);
  CHECK(count("src/polhode/rotation/a.h", "<Eigen/Geometry>") == 1);
  CHECK(count("src/polhode/comparison/a.cpp", "\"polhode/step.hpp\"") == 0);
  CHECK(count("src/polhode/a.hpp", "<cmath>") == 0);
  CHECK(count("src/polhode/a.hpp", "\"polhode/math/vec3.h\"") == 1);
  CHECK(count("src/polhode/a.hpp", "<vector>") == 1);
}

TEST_CASE("every cited label is defined once in docs/theory") { check_nothing_wrong(wrong_labels(project())); }

TEST_CASE("a label without its equation, and one with two, are found") {
  const std::string theory = "docs/theory/kinematics.md";
  CHECK(wrong_labels({{theory, kEquation}, {"src/polhode/rotation/a.h", "/// a = b  (KIN-1)"}}).empty());
  CHECK(wrong_labels({{theory, kEquation}, {"src/polhode/rotation/a.h", "/// a = b  (KIN-2)"}}).size() == 1);
  CHECK(wrong_labels({{theory, kEquation}, {"src/polhode/rotation/a.h", "/// (KIN-1, KIN-3)"}}).size() == 1);
  CHECK(wrong_labels({{theory, kEquation + kEquation}}).size() == 1);
  CHECK(wrong_labels({{theory, kEquation}, {"docs/theory/other.md", kEquation}}).size() == 1);
  CHECK(wrong_labels({{"src/polhode/io/a.h", "// UTF-8 is no label"}}).empty());
}

TEST_CASE("every citation is in docs/references.bib") { check_nothing_wrong(wrong_citations(project())); }

TEST_CASE("a citation without an entry and a second entry are found") {
  const std::string bibliography = "docs/references.bib";
  const std::string entry = "@book{Kane1983,\n}\n";
  const auto count = [&](const std::string& text) {
    return wrong_citations({{bibliography, entry}, {"src/polhode/rotation/a.h", text}}).size();
  };
  CHECK(count("/// [Kane1983 §1.13]") == 0);
  CHECK(count("/// [Kane1985]") == 1);
  CHECK(count("/// [Kane1983, eq. 2; Nobody1999, eq. 3]") == 1);
  CHECK(count("/// [Nobody, eq. 1]") == 1);
  CHECK(count("/// in [Body] and [Space]") == 0);
  CHECK(wrong_citations({{bibliography, entry + entry}}).size() == 1);
}

TEST_CASE("nothing is marked as unfinished and no path belongs to one machine") {
  check_nothing_wrong(wrong_words(project()));
}

TEST_CASE("a word of unfinished work and a path of one machine are found") {
  CHECK(wrong_words({{"a.md", "TODO: more"}}).size() == 1);
  CHECK(wrong_words({{"a.h", "// FIXME"}}).size() == 1);
  CHECK(wrong_words({{"a.h", "see /home/someone/file"}}).size() == 1);
  CHECK(wrong_words({{"a.h", "#!/usr/bin/env bash"}}).empty());
}

TEST_CASE("the library does not print, exit or abort") { check_nothing_wrong(wrong_calls(project())); }

TEST_CASE("a print or an exit in the library is found") {
  const auto count = [](const std::string& line) {
    return wrong_calls({{"src/polhode/io/a.cpp", line}, {"apps/polhode/main.cpp", line}}).size();
  };
  CHECK(count("std::cout << 1;") == 1);
  CHECK(count("std::printf(\"x\");") == 1);
  CHECK(count("exit(1);") == 1);
  CHECK(count("std::snprintf(buffer, 3, \"x\");") == 0);
}

TEST_CASE("no text of the program or of the page counts one thing in the plural") {
  check_nothing_wrong(wrong_plurals(project()));
}

TEST_CASE("a number before a plural is found, in C++ and in the viewer") {
  const auto count = [](const std::string& path, const std::string& line) {
    return wrong_plurals({{path, line}}).size();
  };
  CHECK(count("src/polhode/io/a.cpp", "fmt::format(\"{} rows\", n);") == 1);
  CHECK(count("apps/polhode/a.cpp", "fmt::format(\"{} of {} bodies and {} joints\", k, n, m);") == 2);
  CHECK(count("src/polhode/io/a.cpp", "counted(n, \"row\")") == 0);
  CHECK(count("viewer/src/views/a.ts", "`${a.length} bodies, ${n} joints`") == 2);
  CHECK(count("viewer/src/a.ts", "`${counted(n, 'row')}`; const rows = 1;") == 0);
  CHECK(count("tests/io/a.cpp", "\"{} rows\"") == 0);
}

TEST_CASE("presets named in the documents exist") { check_nothing_wrong(wrong_presets(project())); }

TEST_CASE("the workflows dev, release, asan, tsan and clang exist, and a missing one is found") {
  const std::string presets = "CMakePresets.json";
  for (const char* name : {"dev", "release", "asan", "tsan", "clang"}) {
    CAPTURE(name);
    CHECK(wrong_presets({{presets, project().at(presets)}, {"a.md", std::string("--preset ") + name}}).empty());
  }
  CHECK(wrong_presets({{presets, project().at(presets)}, {"a.md", "--preset nonsense"}}).size() == 1);
}

TEST_CASE("links between documents lead somewhere") { check_nothing_wrong(wrong_links(project())); }

TEST_CASE("a broken link is found") {
  const Files files{{"docs/a.md", "[b](b.md) [c](../c.md#part) [d](theory/) [web](https://example.org)"},
                    {"docs/b.md", ""},
                    {"docs/theory/x.md", ""}};
  CHECK(wrong_links(files).size() == 1);
  CHECK(wrong_links({{"docs/a.md", "```cpp\n[](int x)\n```\n[b](b.md)"}}).size() == 1);
}
