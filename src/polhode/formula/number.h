#pragma once

#include <array>
#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Numbers as a user writes them: a value, or a formula that gives it.
namespace polhode {

/// A number of a scenario: a value, or a formula of the scenario's parameters.
///
///   Number mass = 2.5;   Number length = "2*a";
struct Number {
  double value = 0;     ///< counts where there is no formula
  std::string formula;  ///< "": the value counts

  Number() = default;
  Number(double number) : value(number) {}                // NOLINT(google-explicit-constructor)
  Number(std::string text) : formula(std::move(text)) {}  // NOLINT(google-explicit-constructor)
  Number(const char* text) : formula(text) {}             // NOLINT(google-explicit-constructor)
  friend bool operator==(const Number&, const Number&) = default;
};

/// A number that may change during a run: a value, or a formula of time, state and parameters.
struct Expression {
  double value = 0;
  std::string formula;

  Expression() = default;
  Expression(double number) : value(number) {}                // NOLINT(google-explicit-constructor)
  Expression(std::string text) : formula(std::move(text)) {}  // NOLINT(google-explicit-constructor)
  Expression(const char* text) : formula(text) {}             // NOLINT(google-explicit-constructor)
  friend bool operator==(const Expression&, const Expression&) = default;
};

/// Three components; the name of what holds them says in which frame.
using NumberVector = std::array<Number, 3>;
using ExpressionVector = std::array<Expression, 3>;
/// Three rows.
using NumberMatrix = std::array<NumberVector, 3>;

/// Things by name, in the order in which they were added.
template <class T>
class Named {
 public:
  using Entry = std::pair<std::string, T>;

  Named() = default;
  Named(std::initializer_list<Entry> entries) : entries_(entries) {}

  /// The one of that name, added where there is none.
  T& operator[](std::string_view name) {
    if (T* found = find(name)) { return *found; }
    return entries_.emplace_back(std::string(name), T{}).second;
  }
  /// nullptr where there is none of that name.
  T* find(std::string_view name) {
    for (Entry& entry : entries_) {
      if (entry.first == name) { return &entry.second; }
    }
    return nullptr;
  }
  const T* find(std::string_view name) const { return const_cast<Named*>(this)->find(name); }
  bool contains(std::string_view name) const { return find(name) != nullptr; }

  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  auto begin() { return entries_.begin(); }
  auto end() { return entries_.end(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  friend bool operator==(const Named& a, const Named& b)
    requires std::equality_comparable<T>
  {
    return a.entries_ == b.entries_;
  }

 private:
  std::vector<Entry> entries_;
};

}  // namespace polhode
