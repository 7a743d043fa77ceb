#include "polhode/core/error.h"
#include "polhode/formulation/describe.h"

namespace polhode {

#define FORMULATION(name) void add_##name(FormList& list);
#include "polhode/formulation/formulations.def"
#undef FORMULATION

namespace {

const FormList& all_forms() {
  static const FormList kAll = [] {
    FormList list;
#define FORMULATION(name) add_##name(list);
#include "polhode/formulation/formulations.def"
#undef FORMULATION
    return list;
  }();
  return kAll;
}

template <class S>
const Formulation<S>& find(std::string_view name) {
  if (name == "f11") {
    fail(Error(Problem{
        .what = "formulation 'f11' (M4 e'' + g = Q without the constraint row) is rank 3: needs the constraint row",
        .allowed = {},
        .cure = "'f1' is the same with it"}));
  }
  std::vector<std::string_view> known;
  for (const auto& form : formulations<S>()) {
    if (form->description().name == name) { return *form; }
    known.emplace_back(form->description().name);
  }
  fail(Error(unknown_name("formulation", name, known)));
}

}  // namespace

template <>
const std::vector<std::shared_ptr<const Formulation<double>>>& formulations<double>() {
  return all_forms().in_double;
}
template <>
const std::vector<std::shared_ptr<const Formulation<long double>>>& formulations<long double>() {
  return all_forms().in_long_double;
}
template <>
const Formulation<double>& formulation<double>(std::string_view name) {
  return find<double>(name);
}
template <>
const Formulation<long double>& formulation<long double>(std::string_view name) {
  return find<long double>(name);
}

}  // namespace polhode
