#include "polhode/catalog/mechanism_scenario.h"
#include "polhode/core/error.h"

#include <algorithm>

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
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    bodies_.push_back({static_cast<int>(b), number_names_.size(), std::size(kOfBody), false});
    for (const char* one : kOfBody) { number_names_.push_back(as_name(bodies[b]) + "_" + one); }
  }
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const auto& coordinates = joints[j].second->coordinates;
    const std::size_t first = number_names_.size();
    for (const Coordinate coordinate : coordinates) {
      const std::string name = as_name(joints[j].first) + "_" + std::string(to_text(coordinate));
      number_names_.push_back(name);
      number_names_.push_back(name + "_rate");
      if (!counts_turns(coordinate)) { continue; }
      number_names_.push_back(name + "_wrapped");
      turn_names_.emplace_back(name, CountedAngle{static_cast<int>(j), coordinate});
    }
    joints_.push_back({static_cast<int>(j), first, number_names_.size() - first, false});
  }
  numbers_.resize(number_names_.size());
  for (std::size_t i = 0; i < numbers_.size(); ++i) { names.add(number_names_[i], &numbers_[i]); }
}

std::shared_ptr<const io::Formula> MechanismScope::formula(const io::TomlValue& value) {
  auto made = std::make_shared<io::Formula>(value.formula, names, value.where);
  for (std::vector<Element>* elements : {&bodies_, &joints_}) {
    for (Element& element : *elements) {
      for (std::size_t i = 0; i < element.count && !element.used; ++i) {
        element.used = made->uses(number_names_[element.first + i]);
      }
    }
  }
  for (const auto& [name, angle] : turn_names_) {
    if (joints_[static_cast<std::size_t>(angle.joint)].used && made->uses(name)) { counted_.push_back(angle); }
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
