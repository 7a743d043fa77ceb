#include "polhode/catalog/scenario.h"

#include <algorithm>

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

std::vector<std::string> BodyNames::wheels(const polhode::Scenario& scenario) {
  std::vector<std::string> names;
  for (const auto* list : {&scenario.load, &scenario.forces}) {
    for (const scenario::Acting& acting : *list) {
      if (!std::holds_alternative<force::ReactionWheel>(acting.what)) { continue; }
      names.push_back(acting.name.empty() ? "wheel" + std::to_string(names.size() + 1) : acting.name);
    }
  }
  return names;
}

BodyNames::BodyNames(const polhode::Scenario& scenario) : Names(scenario), wheel_speeds_(wheels(scenario)) {
  for (std::string& name : wheel_speeds_) {
    std::replace(name.begin(), name.end(), '-', '_');
    name += "_speed";
  }
}

std::optional<formula::Input> BodyNames::find(std::string_view name) const {
  for (std::size_t i = 0; i < meanings().size(); ++i) {
    if (meanings()[i].first == name) {
      return formula::Input{state_id() + static_cast<std::uint32_t>(i), formula::Pace::state};
    }
  }
  for (std::size_t i = 0; i < wheel_speeds_.size(); ++i) {
    if (wheel_speeds_[i] != name) { continue; }
    return formula::Input{state_id() + static_cast<std::uint32_t>(meanings().size() + i), formula::Pace::state};
  }
  return Names::find(name);
}

std::vector<std::string_view> BodyNames::names() const {
  std::vector<std::string_view> all;
  for (const auto& [name, meaning] : meanings()) { all.push_back(name); }
  for (const std::string& name : wheel_speeds_) { all.push_back(name); }
  for (const std::string_view name : Names::names()) { all.push_back(name); }
  return all;
}

}  // namespace polhode::catalog
