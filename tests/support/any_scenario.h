#pragma once

#include "polhode/scenario/keys.h"

#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

/// Scenarios that mean nothing and say everything: every key that the structs list, filled by chance.
namespace polhode::test {

template <class T>
concept NumberOrExpression = std::is_same_v<T, Number> || std::is_same_v<T, Expression>;

/// Fills whatever a scenario is made of. `choose(n)` gives a whole number from 0 to n − 1.
template <class Choose>
class AnyScenario {
 public:
  explicit AnyScenario(Choose choose) : choose_(std::move(choose)) {}

  Scenario operator()() {
    Scenario scenario;
    fill(scenario);
    return scenario;
  }

  template <class T>
  void fill(T& field) {
    if constexpr (NumberOrExpression<T>) {
      field = choose_(3) == 0 ? T(text(true)) : T(number());
    } else if constexpr (std::is_same_v<T, std::string>) {
      field = text(false);
    } else if constexpr (std::is_same_v<T, bool>) {
      field = choose_(2) == 1;
    } else if constexpr (scenario::kIsOptional<T>) {
      field.reset();
      if (choose_(2) == 1) { fill(field.emplace()); }
    } else if constexpr (scenario::kIsArray<T>) {
      for (auto& one : field) { fill(one); }
    } else if constexpr (scenario::kIsList<T>) {
      field.resize(choose_(3));
      for (auto& one : field) { fill(one); }
    } else if constexpr (scenario::kIsNamed<T>) {
      for (std::size_t i = choose_(4); i > 0; --i) { fill(field[text(false) + std::to_string(choose_(1000))]); }
    } else if constexpr (requires { field.valueless_by_exception(); }) {
      fill_kind<0>(field, choose_(std::variant_size_v<T>));
    } else {
      if constexpr (requires { field.what; }) { fill(field.what); }
      scenario::each_key(field, [this](std::string_view, auto& inner) { this->fill(inner); });
    }
  }

 private:
  template <std::size_t I, class V>
  void fill_kind(V& what, std::size_t chosen) {
    if constexpr (I < std::variant_size_v<V>) {
      if (I == chosen) {
        what.template emplace<I>();
      } else {
        fill_kind<I + 1>(what, chosen);
      }
    }
  }

  double number() {
    using Limits = std::numeric_limits<double>;
    switch (choose_(8)) {
      case 0:
        return static_cast<double>(choose_(1000)) - 500;
      case 1:
        return Limits::denorm_min() * static_cast<double>(choose_(1000));
      case 2:
        return -Limits::max();
      case 3:
        return -0.0;
      case 4:
        return 1e-6;
      case 5:  // next to a default
        return std::nextafter(1e-6, 1);
      default:
        return std::ldexp(static_cast<double>(choose_(std::size_t{1} << 53U)) - 0x1p52,
                          static_cast<int>(choose_(200)) - 150);
    }
  }

  /// What stands in texts: blanks, quotes, what TOML escapes or takes for its own, letters of other alphabets. Other
  /// control characters are refused by the reader. A formula is not empty: an empty one is none.
  std::string text(bool formula) {
    constexpr std::string_view kPieces[] = {"a",  "Z",  "_",     "-",    "9",      " ",   "\t",       "\n",
                                            "\"", "\\", "'",     "#",    "[",      "]",   "{i+1}",    "=",
                                            ".",  "ω",  "\\u00", "true", "\"\"\"", "1e3", "sin(2*a)", ","};
    std::string all;
    for (std::size_t i = choose_(6) + (formula ? 1 : 0); i > 0; --i) { all += kPieces[choose_(std::size(kPieces))]; }
    return all;
  }

  Choose choose_;
};

/// Calls `visit` for every leaf: texts, truths, numbers and expressions.
template <class T, class Visit>
void each_leaf(T& field, const Visit& visit) {
  if constexpr (NumberOrExpression<T> || std::is_same_v<T, std::string> || std::is_same_v<T, bool>) {
    visit(field);
  } else if constexpr (scenario::kIsOptional<T>) {
    if (field) { each_leaf(*field, visit); }
  } else if constexpr (scenario::kIsArray<T> || scenario::kIsList<T>) {
    for (auto& one : field) { each_leaf(one, visit); }
  } else if constexpr (scenario::kIsNamed<T>) {
    for (auto& [name, one] : field) { each_leaf(one, visit); }
  } else {
    scenario::each_key(field, [&visit](std::string_view, auto& inner) { each_leaf(inner, visit); });
  }
}

}  // namespace polhode::test
