#pragma once

#include "polhode/io/scenario_toml.h"
#include "polhode/scenario/keys.h"

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cmath>
#include <set>

/// Scenarios as Python has them, dictionaries with the keys of scenario files, and back: both follow from the keys that
/// each struct lists.
namespace polhode::python {

namespace nb = nanobind;
using scenario::kIsArray;
using scenario::kIsList;
using scenario::kIsNamed;
using scenario::kIsOptional;
using scenario::Path;

template <class T>
concept NumberLike = std::is_same_v<T, Number> || std::is_same_v<T, Expression>;

// ---- from Python ----------------------------------------------------------------------------------------------------

/// Fills the fields of a struct from a dictionary; what is wrong is noted with its path.
class Filler {
 public:
  Filler(nb::dict table, Path path, Problems& problems)
      : table_(std::move(table)), path_(std::move(path)), problems_(&problems) {}

  template <class T>
  static void fill(const nb::dict& table, const Path& path, Problems& problems, T& field) {
    Filler filler(table, path, problems);
    T::keys(field, filler);
    filler.tell_unknown_keys();
  }

  template <class T>
  void must(std::string_view key, T& field) {
    asked_.insert(std::string(key));
    if (!has(key)) {
      note(path_, fmt::format("'{}' is missing", key));
    } else {
      take(at(key), path_.then(key), field);
    }
  }
  template <class T>
  void may(std::string_view key, T& field) {
    asked_.insert(std::string(key));
    if (has(key)) { take(at(key), path_.then(key), field); }
  }
  template <class T>
  void of(T& inlined) {
    T::keys(inlined, *this);
  }
  template <class V>
  void kind(std::string_view key, V& what) {
    std::string name;
    must(key, name);
    if (name.empty() || !scenario::choose_kind(name, what)) {
      if (!name.empty()) {
        Problem problem = scenario::unknown_kind<V>(name, path_);
        problem.where.file = to_text(path_.then(key));
        problems_->add(std::move(problem));
      }
      knows_keys_ = false;  // what its keys should be is not known either
      return;
    }
    std::visit([&](auto& one) { of(one); }, what);
  }

 private:
  bool has(std::string_view key) const {
    const nb::str name(key.data(), key.size());
    return table_.contains(name) && !table_[name].is_none();
  }
  nb::object at(std::string_view key) const { return table_[nb::str(key.data(), key.size())]; }

  void note(const Path& path, std::string what, std::string allowed = {}) {
    problems_->add({.what = std::move(what), .allowed = std::move(allowed), .cure = {}, .where = {to_text(path)}});
  }
  void note_type(const Path& path, nb::handle value, std::string wanted) {
    std::string shown = nb::cast<std::string>(nb::repr(value));
    constexpr std::size_t kLongest = 60;
    if (shown.size() > kLongest) { shown = shown.substr(0, kLongest) + " ..."; }
    note(path, fmt::format("{} is a {}", shown, nb::cast<std::string>(nb::str(value.type().attr("__name__")))),
         "wanted: " + std::move(wanted));
  }
  void tell_unknown_keys() {
    if (!knows_keys_) { return; }
    const std::vector<std::string_view> known(asked_.begin(), asked_.end());
    for (const auto& [key, value] : table_) {
      const std::string name = nb::cast<std::string>(nb::str(key));
      if (asked_.contains(name)) { continue; }
      Problem problem = unknown_name("key", name, known);
      problem.where.file = to_text(path_);
      problems_->add(std::move(problem));
    }
  }

  static bool is_text(nb::handle value) { return nb::isinstance<nb::str>(value); }
  static bool is_sequence(nb::handle value) {
    return nb::isinstance<nb::list>(value) || nb::isinstance<nb::tuple>(value);
  }

  template <NumberLike T>
  void take(nb::handle value, const Path& path, T& field) {
    if (is_text(value)) {
      field = T(nb::cast<std::string>(value));
      return;
    }
    double number = 0;
    if (nb::isinstance<nb::bool_>(value) || !nb::try_cast<double>(value, number)) {
      return note_type(path, value, "a number, or a text with a formula");
    }
    if (!std::isfinite(number)) { return note(path, fmt::format("{} is not finite", number)); }
    field = T(number);
  }
  void take(nb::handle value, const Path& path, std::string& field) {
    if (!is_text(value)) { return note_type(path, value, "a text"); }
    field = nb::cast<std::string>(value);
  }
  void take(nb::handle value, const Path& path, bool& field) {
    if (!nb::isinstance<nb::bool_>(value)) { return note_type(path, value, "True or False"); }
    field = nb::cast<bool>(value);
  }
  template <class T>
  void take(nb::handle value, const Path& path, std::optional<T>& field) {
    T inner{};
    take(value, path, inner);
    field = std::move(inner);
  }
  template <class T, std::size_t N>
  void take(nb::handle value, const Path& path, std::array<T, N>& field) {
    if (!is_sequence(value) || nb::len(value) != N) { return note_type(path, value, fmt::format("a list of {}", N)); }
    for (std::size_t i = 0; i < N; ++i) { take(nb::object(value[i]), path.then("", static_cast<int>(i)), field[i]); }
  }
  template <class T>
  void take(nb::handle value, const Path& path, std::vector<T>& field) {
    if (!is_sequence(value)) { return note_type(path, value, "a list"); }
    field.resize(nb::len(value));
    for (std::size_t i = 0; i < field.size(); ++i) {
      Path inner = path;
      if (inner.steps.back().index < 0) {
        inner.steps.back().index = static_cast<int>(i);
      } else {
        inner.steps.push_back({"", static_cast<int>(i)});
      }
      take(nb::object(value[i]), inner, field[i]);
    }
  }
  template <class T>
  void take(nb::handle value, const Path& path, Named<T>& field) {
    if (!nb::isinstance<nb::dict>(value)) { return note_type(path, value, "a dictionary"); }
    for (const auto& [name, one] : nb::borrow<nb::dict>(value)) {
      const std::string text = nb::cast<std::string>(nb::str(name));
      take(one, path.then(text), field[text]);
    }
  }
  template <scenario::Table T>
  void take(nb::handle value, const Path& path, T& field) {
    if (!nb::isinstance<nb::dict>(value)) { return note_type(path, value, "a dictionary"); }
    fill(nb::borrow<nb::dict>(value), path, *problems_, field);
  }

  nb::dict table_;
  Path path_;
  Problems* problems_;
  std::set<std::string> asked_;
  bool knows_keys_ = true;
};

/// Fails with everything of form that is wrong, each at its path.
inline Scenario scenario_from(const nb::dict& plain) {
  Problems problems;
  Scenario scenario;
  Filler::fill(plain, {}, problems, scenario);
  std::move(problems).fail_if_any();
  return scenario;
}

// ---- to Python ------------------------------------------------------------------------------------------------------

template <scenario::Table T>
nb::object plain(const T& table);
template <class T>
  requires(kIsArray<T> || kIsList<T>)
nb::object plain(const T& fields);
template <class T>
nb::object plain(const Named<T>& fields);

template <NumberLike T>
nb::object plain(const T& number) {
  return number.formula.empty() ? nb::object(nb::float_(number.value)) : nb::object(nb::str(number.formula.c_str()));
}
inline nb::object plain(const std::string& text) { return nb::str(text.c_str(), text.size()); }
inline nb::object plain(bool value) { return nb::bool_(value); }
template <class T>
nb::object plain(const std::optional<T>& field) {
  return plain(*field);
}
template <class T>
  requires(kIsArray<T> || kIsList<T>)
nb::object plain(const T& fields) {
  nb::list list;
  for (const auto& one : fields) { list.append(plain(one)); }
  return list;
}
template <class T>
nb::object plain(const Named<T>& fields) {
  nb::dict table;
  for (const auto& [name, one] : fields) { table[nb::str(name.c_str())] = plain(one); }
  return table;
}
template <scenario::Table T>
nb::object plain(const T& table) {
  nb::dict entries;
  scenario::each_with_default(table, [&](std::string_view key, const auto& field, const auto& standard, bool must) {
    if (must || !(field == standard)) { entries[nb::str(key.data(), key.size())] = plain(field); }
  });
  return entries;
}

}  // namespace polhode::python
