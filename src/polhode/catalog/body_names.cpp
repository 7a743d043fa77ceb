#include "polhode/catalog/scenario.h"

namespace polhode::catalog {

const std::vector<std::pair<std::string, std::string>>& BodyNames::meanings() {
  static const std::vector<std::pair<std::string, std::string>> kAll = [] {
    std::vector<std::pair<std::string, std::string>> all{{"t", "time, s"}};
    for (const char* name : {"e0", "e1", "e2", "e3"}) { all.emplace_back(name, "Euler parameter, body to space"); }
    for (const char* axis : {"x", "y", "z"}) {
      all.emplace_back(std::string("w") + axis + "_body", "angular velocity, body component, rad/s");
    }
    for (const char* axis : {"x", "y", "z"}) {
      all.emplace_back(std::string("w") + axis + "_space", "angular velocity, space component, rad/s");
    }
    for (const char* axis : {"x", "y", "z"}) { all.emplace_back(axis, "position of the reference point, space, m"); }
    for (const char* axis : {"x", "y", "z"}) {
      all.emplace_back(std::string("v") + axis, "velocity of the reference point, space, m/s");
    }
    for (const char* ij : {"11", "12", "13", "21", "22", "23", "31", "32", "33"}) {
      all.emplace_back(std::string("R") + ij, "entry of the rotation matrix, body to space");
    }
    return all;
  }();
  return kAll;
}

std::optional<formula::Input> BodyNames::find(std::string_view name) const {
  for (std::size_t i = 0; i < meanings().size(); ++i) {
    if (meanings()[i].first == name) {
      return formula::Input{state_id() + static_cast<std::uint32_t>(i), formula::Pace::state};
    }
  }
  return Names::find(name);
}

std::vector<std::string_view> BodyNames::names() const {
  std::vector<std::string_view> all;
  for (const auto& [name, meaning] : meanings()) { all.push_back(name); }
  for (const std::string_view name : Names::names()) { all.push_back(name); }
  return all;
}

}  // namespace polhode::catalog
