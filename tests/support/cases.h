#pragma once

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace polhode::test {

/// The rows of tests/cases/NAME, comments left out: published numbers; each file names its source.
inline std::vector<std::vector<double>> rows_of(const std::string& name) {
  std::ifstream file(std::string(POLHODE_SOURCE_DIR) + "/tests/cases/" + name);
  REQUIRE(file);
  std::vector<std::vector<double>> rows;
  std::string line;
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#') { continue; }
    std::vector<double> row;
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) { row.push_back(std::stod(cell)); }
    rows.push_back(row);
  }
  REQUIRE(rows.size() > 1);
  return rows;
}

}  // namespace polhode::test
