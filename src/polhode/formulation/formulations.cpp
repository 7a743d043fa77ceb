#include "polhode/core/error.h"
#include "polhode/formulation/forms.h"

namespace polhode {
namespace {

struct FormList {
  std::vector<std::shared_ptr<const Formulation<double>>> in_double;
  std::vector<std::shared_ptr<const Formulation<long double>>> in_long_double;

  template <class Form>
  void operator()(const Form& form) {
    in_double.push_back(std::make_shared<DescribedForm<Form, double>>(form));
    in_long_double.push_back(std::make_shared<DescribedForm<Form, long double>>(form));
  }
};

const FormList& all_forms() {
  static const FormList kAll = [] {
    FormList list;
    for_each_form(list);
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
