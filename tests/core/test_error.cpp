#include "polhode/core/error.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

using namespace polhode;

TEST_CASE("an error says where, what, what is allowed and the cure, in one line") {
  const Error error(Problem{.what = "unknown key 'spni'",
                            .allowed = "known: spin",
                            .cure = "did you mean 'spin'?",
                            .where = {"top.toml", 3, 8}});
  CHECK(std::string(error.what()) == "top.toml:3:8: unknown key 'spni'; known: spin; did you mean 'spin'?");
}

TEST_CASE("an error with many problems shows them all, in at most 12 lines") {
  for (const int count : {1, 11, 12, 13, 500}) {
    std::vector<Problem> problems(static_cast<std::size_t>(count), Problem{.what = "x", .allowed = {}, .cure = {}});
    const std::string text = Error(problems).what();
    CHECK(std::count(text.begin(), text.end(), '\n') + 1 == std::min(count, 12));
    CHECK((text.find("more") != std::string::npos) == (count > 12));
  }
}

TEST_CASE("collected problems fail together and an empty collection does not fail") {
  CHECK_NOTHROW(Problems{}.fail_if_any());
  Problems problems;
  problems.add({.what = "a", .allowed = {}, .cure = {}});
  problems.add({.what = "b", .allowed = {}, .cure = {}});
  CHECK_THROWS_WITH_AS(std::move(problems).fail_if_any(), "a\nb", Error);
}

TEST_CASE("the nearest name forgives a swap, a slip and letter case, but not a different word") {
  const std::vector<std::string_view> known{"euler-body", "momentum", "3-1-3"};
  CHECK(nearest_name("eulr-body", known) == "euler-body");
  CHECK(nearest_name("mometnum", known) == "momentum");
  CHECK(nearest_name("Momentum", known) == "momentum");
  CHECK(nearest_name("3-3-1", known) == "");
  CHECK(nearest_name("pendulum-with-spring", known) == "");
  CHECK(to_line(unknown_name("formulation", "momentun", known)) ==
        "unknown formulation 'momentun'; known: euler-body momentum 3-1-3; did you mean 'momentum'?");
}
