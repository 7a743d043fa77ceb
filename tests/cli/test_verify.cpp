// `polhode verify`: what it prints, in both ways, and how it ends.
#include "support/run_program.h"

#include <nlohmann/json.hpp>

#include <set>

namespace {

/// The keys that every verification shares.
void check_shape(const nlohmann::json& object, const std::string& what, bool evaluated) {
  CHECK(object.at("what") == what);
  CHECK(object.at("checks") == object.at("items").size());
  CHECK(object.at("items").size() > 10);
  CHECK(object.contains("failed") == evaluated);
  std::set<std::string> names;
  for (const auto& item : object.at("items")) {
    for (const char* key : {"source", "equation", "label", "function", "statement", "arithmetic", "twin", "erratum"}) {
      CHECK(item.at(key).is_string());
    }
    CHECK(item.contains("ok") == evaluated);
    CHECK(names.insert(item.at("source").get<std::string>() + ' ' + item.at("equation").get<std::string>()).second);
  }
}

}  // namespace

TEST_CASE("verify forms, verify motions and verify joints pass, as a table and as JSON") {
  const Workshop shop;
  for (const std::string what : {"forms", "motions", "joints"}) {
    CAPTURE(what);
    const Workshop::Result as_json = shop.polhode("verify " + what + " --json");
    CHECK(as_json.status == 0);
    CHECK(as_json.err.find("Next") == std::string::npos);
    const auto object = nlohmann::json::parse(as_json.out);
    check_shape(object, what, true);
    CHECK(object.at("failed") == 0);
    CHECK(object.at("twins_killed") == object.at("twins"));
    CHECK_FALSE(object.contains("measured"));
  }
  const Workshop::Result table = shop.polhode("verify motions -q");
  CHECK(table.status == 0);
  CHECK(table.err.empty());
  CHECK(table.out.starts_with("source "));
  CHECK(table.out.find("0 failed; ") != std::string::npos);
}

TEST_CASE("verify integrators lists its checks in the shape of the others") {
  const Workshop shop;
  const Workshop::Result list = shop.polhode("verify integrators --list --json");
  CHECK(list.status == 0);
  check_shape(nlohmann::json::parse(list.out), "integrators", false);
  CHECK(shop.polhode("verify integrators --list").out.find("order of rk4, heavy top") != std::string::npos);
}

TEST_CASE("verify integrators ends soon after Ctrl-C, says so, and shows what was finished") {
  const Workshop shop;
  const Workshop::Result stopped = shop.interrupted("verify integrators -q");
  CHECK(stopped.out.find("interrupted: ") != std::string::npos);
  CHECK(stopped.out.find(" failed; ") != std::string::npos);
  CHECK(stopped.status == 130);
}
