#include "polhode/core/error.h"
#include "polhode/integrator/method.h"

namespace polhode {

#define INTEGRATOR(name) void add_##name(MethodList& list);
#include "polhode/integrator/integrators.def"
#undef INTEGRATOR

namespace {

const MethodList& all_methods() {
  static const MethodList kAll = [] {
    MethodList list;
#define INTEGRATOR(name) add_##name(list);
#include "polhode/integrator/integrators.def"
#undef INTEGRATOR
    return list;
  }();
  return kAll;
}

template <class S>
const Integrator<S>& find(std::string_view name) {
  std::vector<std::string_view> known;
  for (const auto& method : integrators<S>()) {
    if (method->description().name == name) { return *method; }
    known.emplace_back(method->description().name);
  }
  for (const AbsentMethod& method : absent_integrators()) {
    if (method.name == name) {
      fail(Error(
          Problem{.what = "this build has no integrator '" + method.name + "'", .allowed = {}, .cure = method.cure}));
    }
  }
  fail(Error(unknown_name("integrator", name, known)));
}

template <class S>
bool has(const System<S>& system, std::string_view capability) {
  if (capability == "partition") { return system.partition() != nullptr; }
  if (capability == "group action") { return system.group_action() != nullptr; }
  if (capability == "exact flows") { return system.exact_flows() != nullptr; }
  if (capability == "free flow") { return system.free_flow() != nullptr; }
  if (capability == "second order") { return system.second_order() != nullptr; }
  if (capability == "constraints") { return system.constraints() != nullptr; }
  if (capability == "constrained Hamiltonian") { return system.constrained_hamiltonian() != nullptr; }
  if (capability == "rotor") { return system.rotor() != nullptr; }
  if (capability == "Taylor series") { return system.taylor_series() != nullptr; }
  if (capability == "update schemes") { return system.update_schemes() != nullptr; }
  if (capability == "projection") { return system.projection() != nullptr; }
  if (capability == "chart switching") { return system.chart_switching() != nullptr; }
  return false;
}

}  // namespace

const std::vector<AbsentMethod>& absent_integrators() { return all_methods().absent; }

template <>
const std::vector<std::shared_ptr<const Integrator<double>>>& integrators<double>() {
  return all_methods().in_double;
}
template <>
const std::vector<std::shared_ptr<const Integrator<long double>>>& integrators<long double>() {
  return all_methods().in_long_double;
}
template <>
const Integrator<double>& integrator<double>(std::string_view name) {
  return find<double>(name);
}
template <>
const Integrator<long double>& integrator<long double>(std::string_view name) {
  return find<long double>(name);
}
template <>
bool offers<double>(const System<double>& system, std::string_view capability) {
  return has(system, capability);
}
template <>
bool offers<long double>(const System<long double>& system, std::string_view capability) {
  return has(system, capability);
}

}  // namespace polhode
