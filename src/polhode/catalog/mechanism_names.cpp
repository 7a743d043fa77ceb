#include "polhode/catalog/mechanism_scenario.h"
#include "polhode/core/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace polhode::catalog {
namespace {

/// What formulas call the numbers of a body, in the order of MechanismFunction.
constexpr std::array<std::string_view, 16> kOfBody{"x",       "y",        "z",        "vx",      "vy",      "vz",
                                                   "e0",      "e1",       "e2",       "e3",      "wx_body", "wy_body",
                                                   "wz_body", "wx_space", "wy_space", "wz_space"};

std::string as_name(std::string_view text) {
  std::string name(text);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

/// Names of a coordinate behind that of its joint, in the order of their numbers: value, rate, and the value without
/// whole turns where those are counted.
std::vector<std::string> names_of(Coordinate coordinate) {
  const std::string name(to_text(coordinate));
  std::vector<std::string> names{name, name + "_rate"};
  if (counts_turns(coordinate)) { names.push_back(name + "_wrapped"); }
  return names;
}

/// Whether bodies or joints of some kind have a quantity of this name.
bool is_quantity(std::string_view text) {
  if (std::find(kOfBody.begin(), kOfBody.end(), text) != kOfBody.end()) { return true; }
  for (const JointKind& kind : joint_kinds()) {
    for (const Coordinate coordinate : kind.coordinates) {
      const std::vector<std::string> known = names_of(coordinate);
      if (std::find(known.begin(), known.end(), text) != known.end()) { return true; }
    }
  }
  return false;
}

/// What follows "ELEMENT_" in a name; "" where the name begins otherwise.
std::string_view quantity_in(std::string_view name, const std::string& element) {
  const std::string begin = as_name(element) + '_';
  return name.starts_with(begin) ? name.substr(begin.size()) : std::string_view();
}

}  // namespace

MechanismNames::MechanismNames(const polhode::Scenario& scenario, const std::vector<std::string>& bodies,
                               const std::vector<NamedJoint>& joints, const std::vector<NamedJoint>& unusable,
                               const std::vector<std::string>& wheels)
    : Names(scenario), body_names_(bodies), named_joints_(joints) {
  std::uint32_t id = state_id() + 1;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const auto [first, is_new] = bodies_.emplace(as_name(bodies[b]), static_cast<int>(b));
    // two of one name are told as such
    if (!is_new && bodies[static_cast<std::size_t>(first->second)] != bodies[b]) {
      taken_.push_back(as_name(bodies[b]) + "_x");
    }
    id += static_cast<std::uint32_t>(kOfBody.size());
  }
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const std::string name = as_name(joints[j].first);
    joint_ids_.push_back(id);
    kinds_.push_back(joints[j].second);
    const auto [first, is_new] = joints_.emplace(name, static_cast<int>(j));
    const bool clashes = !is_new && joints[static_cast<std::size_t>(first->second)].first != joints[j].first;
    for (const Coordinate coordinate : joints[j].second->coordinates) {
      for (const std::string& one : names_of(coordinate)) {
        const std::string full = name + "_" + one;
        if (clashes || find_body(full)) { taken_.push_back(full); }
        ++id;
      }
    }
  }
  wheel_id_ = id;
  for (std::size_t w = 0; w < wheels.size(); ++w) {
    const std::string name = as_name(wheels[w]) + "_speed";
    const bool is_taken = find_state(name).has_value();
    const auto [first, is_new] = wheel_speeds_.emplace(name, static_cast<int>(w));
    // two of one name are told as such
    const bool clashes = !is_new && wheels[static_cast<std::size_t>(first->second)] != wheels[w];
    if (clashes || (is_new && is_taken)) { taken_.push_back(name); }
  }
  for (const auto& [joint, kind] : unusable) { unusable_.emplace(as_name(joint), kind); }
  for (const std::string_view name : Names::names()) {
    if (name == "t" || find_state(name)) { taken_.emplace_back(name); }
  }
}

std::optional<formula::Input> MechanismNames::find_body(std::string_view name) const {
  for (std::size_t k = 0; k < kOfBody.size(); ++k) {
    if (!name.ends_with(kOfBody[k]) || name.size() < kOfBody[k].size() + 2) { continue; }
    const std::size_t length = name.size() - kOfBody[k].size() - 1;
    if (name[length] != '_') { continue; }
    const auto found = bodies_.find(std::string(name.substr(0, length)));
    if (found == bodies_.end()) { continue; }
    const std::size_t number = kOfBody.size() * static_cast<std::size_t>(found->second) + k;
    return formula::Input{state_id() + 1 + static_cast<std::uint32_t>(number), formula::Pace::state};
  }
  return {};
}

std::optional<formula::Input> MechanismNames::find_state(std::string_view name) const {
  if (const std::optional<formula::Input> body = find_body(name)) { return body; }
  if (const auto wheel = wheel_speeds_.find(std::string(name)); wheel != wheel_speeds_.end()) {
    return formula::Input{wheel_id_ + static_cast<std::uint32_t>(wheel->second), formula::Pace::state};
  }
  // the joint is what stands before one of the underscores
  for (std::size_t at = name.find('_'); at != std::string_view::npos; at = name.find('_', at + 1)) {
    const std::string joint(name.substr(0, at));
    const std::string_view rest = name.substr(at + 1);
    if (const auto found = joints_.find(joint); found != joints_.end()) {
      std::uint32_t id = joint_ids_[static_cast<std::size_t>(found->second)];
      for (const Coordinate coordinate : kinds_[static_cast<std::size_t>(found->second)]->coordinates) {
        for (const std::string& one : names_of(coordinate)) {
          if (one == rest) { return formula::Input{id, formula::Pace::state}; }
          ++id;
        }
      }
    }
    const auto broken = unusable_.find(joint);
    if (broken == unusable_.end()) { continue; }
    // formulas that use a joint that cannot be built are not at fault, and are never evaluated
    for (const JointKind& kind : joint_kinds()) {
      if (broken->second != nullptr && broken->second != &kind) { continue; }
      for (const Coordinate coordinate : kind.coordinates) {
        for (const std::string& one : names_of(coordinate)) {
          if (one == rest) { return formula::Input{state_id(), formula::Pace::state}; }
        }
      }
    }
  }
  return {};
}

std::optional<formula::Input> MechanismNames::find(std::string_view name) const {
  if (name == "t") { return formula::Input{state_id(), formula::Pace::state}; }
  if (const std::optional<formula::Input> state = find_state(name)) { return state; }
  return Names::find(name);
}

std::vector<std::string_view> MechanismNames::names() const {
  std::call_once(list_once_, [this] {
    listed_.emplace_back("t");
    for (const auto& [body, index] : bodies_) {
      for (const std::string_view one : kOfBody) { listed_.push_back(body + "_" + std::string(one)); }
    }
    for (const auto& [joint, index] : joints_) {
      for (const Coordinate coordinate : kinds_[static_cast<std::size_t>(index)]->coordinates) {
        for (const std::string& one : names_of(coordinate)) { listed_.push_back(joint + "_" + one); }
      }
    }
    for (const auto& [speed, index] : wheel_speeds_) { listed_.push_back(speed); }
  });
  std::vector<std::string_view> all(listed_.begin(), listed_.end());
  for (const std::string_view name : Names::names()) { all.push_back(name); }
  return all;
}

std::string MechanismNames::why_unknown(std::string_view name) const {
  for (const std::string& body : body_names_) {
    const std::string_view quantity = quantity_in(name, body);
    if (!is_quantity(quantity)) { continue; }
    std::string text = fmt::format("body '{}' has no {}; it has", body, quantity);
    for (const std::string_view one : kOfBody) { text += fmt::format(" {}_{}", as_name(body), one); }
    return text;
  }
  for (const auto& [joint, kind] : named_joints_) {
    const std::string_view quantity = quantity_in(name, joint);
    if (!is_quantity(quantity)) { continue; }
    std::string text = fmt::format("joint '{}' is {} and has no {}; ", joint, kind->name, quantity);
    if (kind->coordinates.empty()) { return text + "it does not move"; }
    text += "it has";
    for (const Coordinate coordinate : kind->coordinates) {
      for (const std::string& one : names_of(coordinate)) { text += fmt::format(" {}_{}", as_name(joint), one); }
    }
    return text;
  }
  return {};
}

std::optional<MechanismNames::Source> MechanismNames::source(std::uint32_t id) const {
  if (id <= state_id()) { return {}; }
  const std::size_t number = id - state_id() - 1;
  if (number < kOfBody.size() * bodies_.size()) {
    return Source{Of::body, static_cast<int>(number / kOfBody.size()), static_cast<int>(number % kOfBody.size()), {}};
  }
  if (id >= wheel_id_) { return Source{Of::wheel, static_cast<int>(id - wheel_id_), 0, {}}; }
  const auto behind = std::upper_bound(joint_ids_.begin(), joint_ids_.end(), id);
  const auto joint = static_cast<std::size_t>(behind - joint_ids_.begin()) - 1;
  Source source{Of::joint, static_cast<int>(joint), static_cast<int>(id - joint_ids_[joint]), {}};
  std::uint32_t first = joint_ids_[joint];
  for (const Coordinate coordinate : kinds_[joint]->coordinates) {
    // the first name of an angle is the one with its whole turns
    if (first == id && counts_turns(coordinate)) { source.turns_of = coordinate; }
    first += counts_turns(coordinate) ? 3U : 2U;
  }
  return source;
}

std::size_t MechanismNames::numbers_of(Of of, int index) const {
  if (of == Of::body) { return kOfBody.size(); }
  if (of == Of::wheel) { return 1; }
  std::size_t count = 0;
  for (const Coordinate coordinate : kinds_[static_cast<std::size_t>(index)]->coordinates) {
    count += counts_turns(coordinate) ? 3U : 2U;
  }
  return count;
}

// ---- functions ------------------------------------------------------------------------------------------------------

MechanismFunction::MechanismFunction(formula::Function function, const MechanismNames& names)
    : function_(std::move(function)) {
  for (const formula::Input& input : function_.inputs()) {
    const std::optional<MechanismNames::Source> source = names.source(input.id);
    if (!source) {
      from_.push_back(0);
      continue;
    }
    if (source->turns_of) { counted_.push_back({source->index, *source->turns_of}); }
    auto element = std::find_if(elements_.begin(), elements_.end(),
                                [&](const Element& e) { return e.of == source->of && e.index == source->index; });
    if (element == elements_.end()) {
      elements_.push_back({source->of, source->index, count_});
      element = elements_.end() - 1;
      count_ += names.numbers_of(source->of, source->index);
    }
    from_.push_back(element->first + static_cast<std::size_t>(source->component));
  }
}

Reads MechanismFunction::reads() const {
  Reads reads;
  for (const Element& element : elements_) {
    switch (element.of) {
      case MechanismNames::Of::body:
        reads.bodies.push_back(element.index);
        break;
      case MechanismNames::Of::joint:
        reads.joints.push_back(element.index);
        break;
      case MechanismNames::Of::wheel:
        reads.wheels.push_back(static_cast<std::size_t>(element.index));
        break;
    }
  }
  return reads;
}

}  // namespace polhode::catalog
