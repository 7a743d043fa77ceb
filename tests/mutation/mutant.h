// Included before everything else by tests/mutation/run: what mutated sources are written with. Nothing here is part of
// the library.
#pragma once

#include <cmath>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace polhode_mutation {

inline constexpr int kMost = 1 << 15;
extern int active;                    // the mutant that runs; 0: none
extern unsigned char reached[kMost];  // sites that were evaluated

inline bool at_run_time(int id) {
  reached[id] = 1;
  return active == id;
}
constexpr bool mutant(int id) { return std::is_constant_evaluated() ? false : at_run_time(id); }

/// A constant: one more; 0 for a whole 1.
template <int id, class T>
constexpr T number(T x) {
  if (!mutant(id)) { return x; }
  if constexpr (std::is_integral_v<T>) {
    return x == 1 ? T(0) : T(x + 1);
  } else {
    return x + T(1);
  }
}
/// An index in brackets: a neighbour that is there.
template <int id, class T>
constexpr T index(T x) {
  return !mutant(id) ? x : x == T(0) ? T(1) : T(x - 1);
}

/// ± x: written before the second operand of + and −.
template <int id>
struct Sign {
  template <class T>
  friend constexpr T operator*(Sign, const T& x)
    requires requires { T(-x); }
  {
    return mutant(id) ? T(-x) : x;
  }
};

/// a * Times<id>{} * b: a / b, or with the first operand transposed, or b / a, or b a.
template <int id>
struct Times {};
template <int id, class A>
struct Factor {
  const A& a;
  template <class B>
  friend constexpr auto operator*(const Factor& f, const B& b) {
    using R = std::remove_cvref_t<decltype(f.a * b)>;
    if constexpr (requires { R(f.a / b); }) {
      return mutant(id) ? R(f.a / b) : R(f.a * b);
    } else if constexpr (requires { R(transpose(f.a) * b); }) {
      return mutant(id) ? R(transpose(f.a) * b) : R(f.a * b);
    } else if constexpr (requires { R(b / f.a); }) {
      return mutant(id) ? R(b / f.a) : R(f.a * b);
    } else {
      static_assert(std::is_same_v<A, B>);  // b a of a number and a vector would be the same
      return mutant(id) ? R(b * f.a) : R(f.a * b);
    }
  }
};
template <int id, class A>
constexpr Factor<id, A> operator*(const A& a, Times<id>) {
  return {a};
}
/// a / Over<id>{} / b: a * b.
template <int id>
struct Over {};
template <int id, class A>
struct Dividend {
  const A& a;
  template <class B>
  friend constexpr auto operator/(const Dividend& f, const B& b) {
    using R = std::remove_cvref_t<decltype(f.a / b)>;
    return mutant(id) ? R(f.a * b) : R(f.a / b);
  }
};
template <int id, class A>
constexpr Dividend<id, A> operator/(const A& a, Over<id>) {
  return {a};
}

/// a < Edge<id>{} < b: a <= b for whole numbers, a > b for others, where a tie is an accident; <=, > and >= likewise;
/// == and != exchanged.
template <int id>
struct Edge {};
template <int id, class A>
struct Compared {
  const A& a;
  template <class B>
  friend constexpr bool operator<(const Compared& c, const B& b) {
    if constexpr (std::is_integral_v<A> && std::is_integral_v<B>) {
      return mutant(id) ? bool(c.a <= b) : bool(c.a < b);
    } else {
      return mutant(id) ? bool(c.a > b) : bool(c.a < b);
    }
  }
  template <class B>
  friend constexpr bool operator<=(const Compared& c, const B& b) {
    if constexpr (std::is_integral_v<A> && std::is_integral_v<B>) {
      return mutant(id) ? bool(c.a < b) : bool(c.a <= b);
    } else {
      return mutant(id) ? bool(c.a >= b) : bool(c.a <= b);
    }
  }
  template <class B>
  friend constexpr bool operator>(const Compared& c, const B& b) {
    if constexpr (std::is_integral_v<A> && std::is_integral_v<B>) {
      return mutant(id) ? bool(c.a >= b) : bool(c.a > b);
    } else {
      return mutant(id) ? bool(c.a < b) : bool(c.a > b);
    }
  }
  template <class B>
  friend constexpr bool operator>=(const Compared& c, const B& b) {
    if constexpr (std::is_integral_v<A> && std::is_integral_v<B>) {
      return mutant(id) ? bool(c.a > b) : bool(c.a >= b);
    } else {
      return mutant(id) ? bool(c.a <= b) : bool(c.a >= b);
    }
  }
  template <class B>
  friend constexpr bool operator==(const Compared& c, const B& b) {
    return mutant(id) ? !bool(c.a == b) : bool(c.a == b);
  }
  template <class B>
  friend constexpr bool operator!=(const Compared& c, const B& b) {
    return mutant(id) ? bool(c.a == b) : !bool(c.a == b);
  }
};
// clang-format off
template <int id, class A> constexpr Compared<id, A> operator<(const A& a, Edge<id>) { return {a}; }
template <int id, class A> constexpr Compared<id, A> operator<=(const A& a, Edge<id>) { return {a}; }
template <int id, class A> constexpr Compared<id, A> operator>(const A& a, Edge<id>) { return {a}; }
template <int id, class A> constexpr Compared<id, A> operator>=(const A& a, Edge<id>) { return {a}; }
template <int id, class A> constexpr Compared<id, A> operator==(const A& a, Edge<id>) { return {a}; }
template <int id, class A> constexpr Compared<id, A> operator!=(const A& a, Edge<id>) { return {a}; }
// clang-format on

/// One function for another of the same arguments.
#define POLHODE_MUTATION_PAIR(right, wrong)               \
  template <int id, class... A>                           \
  constexpr auto m_##right(const A&... a) {               \
    using R = std::remove_cvref_t<decltype(right(a...))>; \
    return mutant(id) ? R(wrong(a...)) : R(right(a...));  \
  }
POLHODE_MUTATION_PAIR(rotate, rotate_back)
POLHODE_MUTATION_PAIR(rotate_back, rotate)
#undef POLHODE_MUTATION_PAIR
template <int id, class A, class B>
constexpr auto m_cross(const A& a, const B& b) {
  return mutant(id) ? cross(b, a) : cross(a, b);
}
template <int id, class A>
constexpr auto m_conjugate(const A& a) {
  return mutant(id) ? a : conjugate(a);
}
template <int id, class A>
constexpr auto m_transpose(const A& a) {
  return mutant(id) ? a : transpose(a);
}

}  // namespace polhode_mutation
