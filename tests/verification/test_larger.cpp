#include "polhode/verification/larger.h"

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <regex>
#include <string>

using polhode::verification::larger;

TEST_CASE("the larger of two deviations keeps a NaN, whichever it is and whatever follows") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(larger(1, 2) == 2);
  CHECK(larger(2, 1) == 2);
  CHECK(larger(1.0, 3.0, 2.0) == 3);
  CHECK(std::isnan(larger(nan, 1)));
  CHECK(std::isnan(larger(1, nan)));
  CHECK(std::isnan(larger(larger(1, nan), std::numeric_limits<double>::infinity())));
  CHECK(std::isnan(larger(1.0, nan, 2.0)));
  CHECK(std::isnan(larger(nan, 1.0, 2.0)));
  CHECK(std::isnan(larger(1.0, 2.0, nan)));
}

TEST_CASE("no check takes the larger of its deviations in a way that drops a NaN") {
  // these are of counts, moments and scales, not of deviations
  const std::regex others(
      R"(std::max<std::size_t>|std::fmax\(turns|std::fmax\(1,|std::max\(\{moments|last = std::max\(last|///)");
  const std::regex blind(R"(std::f?max\b|[?] *worst *:|[?] *off *:)");
  std::size_t files = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(std::filesystem::path(POLHODE_SOURCE_DIR) / "src/polhode/verification")) {
    ++files;
    std::ifstream text(file.path());
    for (std::string line; std::getline(text, line);) {
      CAPTURE(file.path().filename().string());
      CAPTURE(line);
      CHECK((!std::regex_search(line, blind) || std::regex_search(line, others)));
    }
  }
  CHECK(files > 30);  // the folder was found
}
