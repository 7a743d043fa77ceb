#include "polhode/catalog/mechanism_scenario.h"
#include "polhode/core/error.h"

#include <algorithm>
#include <set>

namespace polhode::catalog {
namespace {

/// What formulas call the numbers of a body, in the order of MechanismScope::set.
constexpr const char* kOfBody[] = {"x",  "y",  "z",       "vx",      "vy",      "vz",       "e0",       "e1",
                                   "e2", "e3", "wx_body", "wy_body", "wz_body", "wx_space", "wy_space", "wz_space"};

std::string as_name(std::string text) {
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

}  // namespace

MechanismScope::MechanismScope() {
  names.add("t", &t_);
  time_names.add("t", &t_);
}

void MechanismScope::add_elements(const std::vector<std::string>& bodies,
                                  const std::vector<std::pair<std::string, const JointKind*>>& joints) {
  for (std::size_t i = 0; i < parameter_names().size(); ++i) {
    time_names.add(parameter_names()[i], parameters()->data() + i);
  }
  std::size_t count = 0;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    bodies_.push_back({static_cast<int>(b), count, std::size(kOfBody), false});
    count += std::size(kOfBody);
  }
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const std::size_t first = count;
    for (const Coordinate coordinate : joints[j].second->coordinates) { count += counts_turns(coordinate) ? 3U : 2U; }
    joints_.push_back({static_cast<int>(j), first, count - first, false});
  }
  numbers_.resize(count);
  double* number = numbers_.data();
  for (const std::string& body : bodies) {
    for (const char* one : kOfBody) { names.add(as_name(body) + "_" + one, number++); }
  }
  for (std::size_t j = 0; j < joints.size(); ++j) {
    for (const Coordinate coordinate : joints[j].second->coordinates) {
      const std::string name = as_name(joints[j].first) + "_" + std::string(to_text(coordinate));
      if (counts_turns(coordinate)) { turns_.emplace(number, CountedAngle{static_cast<int>(j), coordinate}); }
      names.add(name, number++);
      names.add(name + "_rate", number++);
      if (counts_turns(coordinate)) { names.add(name + "_wrapped", number++); }
    }
  }
}

void MechanismScope::add_unusable(const std::string& joint, const JointKind* kind) {
  std::set<Coordinate> coordinates;
  for (const JointKind& one : joint_kinds()) {
    if (kind == nullptr || kind == &one) { coordinates.insert(one.coordinates.begin(), one.coordinates.end()); }
  }
  for (const Coordinate coordinate : coordinates) {
    const std::string name = as_name(joint) + "_" + std::string(to_text(coordinate));
    for (const std::string& one : {name, name + "_rate", name + "_wrapped"}) {
      if (!names.find(one)) { names.add(one, &t_); }
    }
  }
}

std::shared_ptr<const io::Formula> MechanismScope::formula(const io::TomlValue& value) {
  auto made = std::make_shared<io::Formula>(value.formula, names, value.where);
  for (const double* number : made->used_numbers()) {
    // the element whose numbers it is among; time and parameters are among none
    for (std::vector<Element>* elements : {&bodies_, &joints_}) {
      const auto is_behind = [&](const double* one, const Element& e) { return one < numbers_.data() + e.first; };
      const auto next = std::upper_bound(elements->begin(), elements->end(), number, is_behind);
      if (next == elements->begin()) { continue; }
      Element& element = *(next - 1);
      element.used = element.used || number < numbers_.data() + element.first + element.count;
    }
    const auto turn = turns_.find(number);
    if (turn != turns_.end()) { counted_.push_back(turn->second); }
  }
  return made;
}

void MechanismScope::set(const Model& model, const MechanismView& now) {
  const std::span<const double> y = now.y;
  t_ = now.t;
  for (const Element& element : bodies_) {
    if (!element.used) { continue; }
    const BodyView body = Model::view(y, element.index);
    const Vec3<double> w_N = rotate(body.e_NB, body.w_B);
    double* to = numbers_.data() + element.first;
    for (const Vec3<double>& v : {body.r_N, body.v_N}) {
      for (std::size_t k = 0; k < 3; ++k) { *to++ = v[k]; }
    }
    *to++ = body.e_NB.e0;
    for (const Vec3<double>& v : {body.e_NB.ev, body.w_B, w_N}) {
      for (std::size_t k = 0; k < 3; ++k) { *to++ = v[k]; }
    }
  }
  for (const Element& element : joints_) {
    if (!element.used) { continue; }
    const auto [first, second] = model.ends(y, element.index);
    double* to = numbers_.data() + element.first;
    for (const Coordinate coordinate : model.joints()[static_cast<std::size_t>(element.index)].kind->coordinates) {
      const CoordinateValue q = joint_coordinate(coordinate, first, second);
      *to++ = model.unwrapped(now.turns, element.index, coordinate, q.value);
      *to++ = q.rate;
      if (counts_turns(coordinate)) { *to++ = q.value; }
    }
  }
}

}  // namespace polhode::catalog
