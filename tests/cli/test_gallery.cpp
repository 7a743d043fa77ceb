// polhode gallery, as a user meets it.
#include "support/run_program.h"
#include "support/xml.h"

#include <nlohmann/json.hpp>

TEST_CASE("gallery runs every example and leads to a page of each") {
  const Workshop work;
  const auto examples = nlohmann::json::parse(work.polhode("list examples --json").out).at("kinds").at(0).at("entries");
  const auto run = work.polhode("gallery --json -o site");
  CHECK(run.status == 0);
  const auto json = nlohmann::json::parse(run.out);
  CHECK(json.at("index") == "site/index.html");
  CHECK(json.at("pages").size() == examples.size());
  const std::string index = work.read("site/index.html");
  CHECK(index.find("<script") == std::string::npos);
  CHECK(index.find("default-src 'none'; style-src 'sha256-") != std::string::npos);
  for (const auto& example : examples) {
    const std::string name = example.at("name");
    CAPTURE(name);
    CHECK(index.find("href=\"" + name + "/report.html\"") != std::string::npos);
    CHECK(work.read("site/" + name + "/report.html").ends_with("</html>\n"));
  }
  // mechanisms show what they are, small in the index and large beside their pages; one style, which the policy knows
  CHECK(index.find(">3 bodies: crank, coupler, rocker.") != std::string::npos);
  CHECK(polhode::test::count(index, "<style") == 1);
  CHECK(polhode::test::why_not_xml(work.read("site/four-bar/picture.svg")) == "");
  CHECK(index.find("cosmonaut") != std::string::npos);  // the story of the T-handle
  CHECK(work.polhode("gallery -o /proc/none").status == 2);
}
