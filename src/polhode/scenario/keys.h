#pragma once

#include "polhode/core/error.h"
#include "polhode/scenario/scenario.h"

#include <array>
#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

/// What follows from the keys that each struct of a scenario lists.
namespace polhode::scenario {

/// Has keys of its own: a table.
template <class T>
concept Table = std::is_class_v<T> && requires(T& table) { &T::template keys<T, int>; };

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <class T>
inline constexpr bool kIsList = false;
template <class T>
inline constexpr bool kIsList<std::vector<T>> = true;
template <class T>
inline constexpr bool kIsArray = false;
template <class T, std::size_t N>
inline constexpr bool kIsArray<std::array<T, N>> = true;
template <class T>
inline constexpr bool kIsNamed = false;
template <class T>
inline constexpr bool kIsNamed<Named<T>> = true;

/// Where something is in a scenario: keys, and indices in lists.
///
///   bodies[2].start.position[1]
struct Path {
  struct Step {
    std::string key;  ///< "" for an entry of a list inside a list
    int index = -1;   ///< in the list, from 0; −1: not a list
    friend bool operator==(const Step&, const Step&) = default;
  };
  std::vector<Step> steps;

  friend bool operator==(const Path&, const Path&) = default;
  Path then(std::string_view key, int index = -1) const {
    Path longer = *this;
    if (!key.empty() || index >= 0) { longer.steps.push_back({std::string(key), index}); }
    return longer;
  }
};
std::string to_text(const Path& path);

namespace detail {

/// Calls `visit(key, field)` for the keys of one table, those of inlined structs too; `kind` with the chosen kind's
/// keys behind it.
template <class Visit>
struct EachKey {
  Visit* visit;
  template <class T>
  void must(std::string_view key, T& field) {
    (*visit)(key, field);
  }
  template <class T>
  void may(std::string_view key, T& field) {
    (*visit)(key, field);
  }
  template <class T>
  void of(T& table) {
    std::remove_const_t<T>::keys(table, *this);
  }
  template <class V>
  void kind(std::string_view, V& what) {
    std::visit([&](auto& one) { of(one); }, what);
  }
};

}  // namespace detail

/// Calls `visit(key, field)` for every key of a table.
template <class T, class Visit>
void each_key(T& table, Visit&& visit) {
  detail::EachKey<std::remove_reference_t<Visit>> each{&visit};
  std::remove_const_t<T>::keys(table, each);
}

/// Calls `visit(number, path)` for every Number of a table, lists and tables inside included. `path` is called for the
/// Path, which costs: only where it is needed.
template <class T, class Visit>
void each_number(T& field, Visit& visit, const std::function<Path()>& path) {
  using Plain = std::remove_const_t<T>;
  if constexpr (std::is_same_v<Plain, Number>) {
    visit(field, path);
  } else if constexpr (kIsOptional<Plain>) {
    if (field) { each_number(*field, visit, path); }
  } else if constexpr (kIsArray<Plain> || kIsList<Plain>) {
    int index = 0;
    for (auto& one : field) {
      each_number(one, visit, [&path, index] {
        Path longer = path();
        if (longer.steps.empty() || longer.steps.back().index >= 0) {
          longer.steps.push_back({"", index});
        } else {
          longer.steps.back().index = index;
        }
        return longer;
      });
      ++index;
    }
  } else if constexpr (kIsNamed<Plain>) {
    for (auto& [name, one] : field) {
      each_number(one, visit, [&path, &key = name] { return path().then(key); });
    }
  } else if constexpr (Table<Plain>) {
    each_key(field, [&](std::string_view key, auto& inner) {
      each_number(inner, visit, [&path, key] { return path().then(key); });
    });
  }
}

namespace detail {

/// The same table with its defaults; of what acts, of the same kind.
template <class T>
T defaults_like(const T& table) {
  T standard{};
  if constexpr (requires { standard.what; }) {
    std::visit([&](const auto& one) { standard.what = std::remove_cvref_t<decltype(one)>{}; }, table.what);
  }
  return standard;
}

struct EachAddress {
  std::vector<const void*>* to;
  template <class T>
  void must(std::string_view, T& field) {
    to->push_back(&field);
  }
  template <class T>
  void may(std::string_view, T& field) {
    to->push_back(&field);
  }
  template <class T>
  void of(T& inlined) {
    std::remove_const_t<T>::keys(inlined, *this);
  }
  template <class V>
  void kind(std::string_view, const V& what) {
    std::visit([&](const auto& one) { of(one); }, what);
  }
};

template <class Visit>
struct EachWithDefault {
  const std::vector<const void*>* defaults;
  const Visit* visit;
  std::size_t next = 0;
  template <class T>
  void must(std::string_view key, const T& field) {
    one(key, field, true);
  }
  template <class T>
  void may(std::string_view key, const T& field) {
    one(key, field, false);
  }
  template <class T>
  void of(const T& inlined) {
    T::keys(inlined, *this);
  }
  template <class V>
  void kind(std::string_view key, const V& what) {
    const std::string name(std::visit([](const auto& alternative) { return alternative.kind.name; }, what));
    (*visit)(key, name, name, true);
    std::visit([&](const auto& alternative) { of(alternative); }, what);
  }

 private:
  template <class T>
  void one(std::string_view key, const T& field, bool needed) {
    (*visit)(key, field, *static_cast<const T*>((*defaults)[next++]), needed);
  }
};

}  // namespace detail

/// Calls `visit(key, field, default, must)` for every key of a table, the kind of what acts as a text.
template <Table T, class Visit>
void each_with_default(const T& table, const Visit& visit) {
  const T standard = detail::defaults_like(table);
  std::vector<const void*> defaults;
  detail::EachAddress each{&defaults};
  T::keys(standard, each);
  detail::EachWithDefault<Visit> with_default{&defaults, &visit};
  T::keys(table, with_default);
}

/// What messages call the alternatives of a kind.
template <class V>
inline constexpr std::string_view kKindOf = std::is_same_v<V, force::Acts> ? "kind of force" : "kind of constraint";

/// Calls `visit(kind)` with a default one of every kind.
template <class V, class Visit>
void each_kind(Visit&& visit) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (visit(std::variant_alternative_t<I, V>{}), ...);
  }(std::make_index_sequence<std::variant_size_v<V>>{});
}

/// Makes `what` a default one of the kind of that name; false where there is none.
template <class V>
bool choose_kind(std::string_view name, V& what) {
  bool found = false;
  each_kind<V>([&](auto&& one) {
    if (!found && one.kind.name == name) {
      what = one;
      found = true;
    }
  });
  return found;
}

/// "unknown kind of force 'NAME'", with the kinds that have a meaning in the table at `path`.
template <class V>
Problem unknown_kind(std::string_view name, const Path& path) {
  std::vector<std::string_view> known;
  const bool on_one_body = !path.steps.empty() && path.steps.front().key == "load";
  each_kind<V>([&](const auto& one) {
    if constexpr (std::is_same_v<V, force::Acts>) {
      if (!(on_one_body ? one.kind.on_one_body : one.kind.in_mechanisms)) { return; }
    }
    known.push_back(one.kind.name);
  });
  return unknown_name(kKindOf<V>, name, known);
}

/// The keys of a table that differ from their defaults.
template <Table T>
std::vector<std::string_view> given_keys(const T& table) {
  static const T kDefault{};
  std::vector<std::pair<std::string_view, const void*>> defaults;
  std::vector<std::string_view> given;
  if constexpr (requires { table.what; }) {
    each_key(table, [&](std::string_view key, const auto& field) {
      if (!(field == std::remove_cvref_t<decltype(field)>{})) { given.push_back(key); }
    });
  } else {
    each_key(kDefault, [&](std::string_view key, const auto& field) { defaults.emplace_back(key, &field); });
    std::size_t i = 0;
    each_key(table, [&](std::string_view key, const auto& field) {
      const auto* other = static_cast<const std::remove_cvref_t<decltype(field)>*>(defaults[i++].second);
      if (!(field == *other)) { given.push_back(key); }
    });
  }
  return given;
}

}  // namespace polhode::scenario
