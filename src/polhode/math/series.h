#pragma once

#include "polhode/math/elementary.h"
#include "polhode/math/piecewise.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

/// Taylor series of the solutions of ẏ = f(t, y) by automatic recurrence. f is evaluated once on numbers that record
/// what is done with them; the list of operations then gives the coefficients of all orders, one order after the other
/// [JorbaZou2005, section 2]: p orders of n operations take some n p²/2 products. (A Jet does all orders of an
/// operation at once; a solution whose next order waits for f would take p of them, n p³/6 products.)
namespace polhode {

template <class S>
class SeriesRecorder;

/// A number that is recorded: a constant, or a function of time by its place in a list of operations.
template <class S>
class SeriesTerm {
 public:
  constexpr SeriesTerm() = default;
  constexpr SeriesTerm(const S& x) : number_(x) {}  // NOLINT(google-explicit-constructor): a constant is a series
  template <class T>
    requires(std::is_arithmetic_v<T> && !std::is_same_v<T, S>)
  constexpr SeriesTerm(T x) : number_(static_cast<S>(x)) {}  // NOLINT(google-explicit-constructor)

  constexpr bool is_constant() const { return recorder_ == nullptr; }
  /// Of a constant.
  constexpr const S& number() const { return number_; }
  /// nullptr for a constant.
  SeriesRecorder<S>* recorder() const { return recorder_; }
  std::uint32_t node() const { return node_; }

  SeriesTerm& operator+=(const SeriesTerm& b) { return *this = *this + b; }
  SeriesTerm& operator-=(const SeriesTerm& b) { return *this = *this - b; }
  SeriesTerm& operator*=(const SeriesTerm& b) { return *this = *this * b; }
  SeriesTerm& operator/=(const SeriesTerm& b) { return *this = *this / b; }

  friend constexpr SeriesTerm operator+(const SeriesTerm& a) { return a; }
  friend constexpr SeriesTerm operator-(const SeriesTerm& a) {
    return a.is_constant() ? SeriesTerm(-a.number_) : a.recorder_->scaled(a, S(-1));
  }
  friend constexpr SeriesTerm operator+(const SeriesTerm& a, const SeriesTerm& b) {
    if (a.is_constant() && b.is_constant()) { return SeriesTerm(a.number_ + b.number_); }
    return recorder_of(a, b)->sum(a, b, S(1));
  }
  friend constexpr SeriesTerm operator-(const SeriesTerm& a, const SeriesTerm& b) {
    if (a.is_constant() && b.is_constant()) { return SeriesTerm(a.number_ - b.number_); }
    return recorder_of(a, b)->sum(a, b, S(-1));
  }
  friend constexpr SeriesTerm operator*(const SeriesTerm& a, const SeriesTerm& b) {
    if (a.is_constant() && b.is_constant()) { return SeriesTerm(a.number_ * b.number_); }
    return recorder_of(a, b)->product(a, b);
  }
  friend constexpr SeriesTerm operator/(const SeriesTerm& a, const SeriesTerm& b) {
    if (a.is_constant() && b.is_constant()) { return SeriesTerm(a.number_ / b.number_); }
    return recorder_of(a, b)->quotient(a, b);
  }

  /// Whether two are known to be equal: what changes with time is not.
  friend constexpr bool operator==(const SeriesTerm& a, const SeriesTerm& b) {
    return a.is_constant() && b.is_constant() && a.number_ == b.number_;
  }
  /// Of constants; anything else is an edge, across which there is no series.
  friend constexpr bool operator<(const SeriesTerm& a, const SeriesTerm& b) {
    if (a.is_constant() && b.is_constant()) { return a.number_ < b.number_; }
    recorder_of(a, b)->note_edge("<");
    return false;
  }
  friend constexpr bool operator>(const SeriesTerm& a, const SeriesTerm& b) { return b < a; }
  friend constexpr bool operator<=(const SeriesTerm& a, const SeriesTerm& b) { return !(b < a); }
  friend constexpr bool operator>=(const SeriesTerm& a, const SeriesTerm& b) { return !(a < b); }

 private:
  friend class SeriesRecorder<S>;
  static constexpr SeriesRecorder<S>* recorder_of(const SeriesTerm& a, const SeriesTerm& b) {
    return a.recorder_ != nullptr ? a.recorder_ : b.recorder_;
  }

  SeriesRecorder<S>* recorder_ = nullptr;
  std::uint32_t node_ = 0;
  S number_{};
};

/// Comparisons and choices record an edge rather than a branch.
template <class S>
inline constexpr bool kHoldsOneValue<SeriesTerm<S>> = false;

/// The first coefficient of a function whose others follow from its slope.
enum class FirstOf : std::uint8_t {
  nothing,
  exp,
  log,
  log10,
  sin,
  cos,
  sinh,
  cosh,
  tan,
  tanh,
  asin,
  acos,
  atan,
  atan2,
  atan2_of_x,
  pow,
  cbrt
};

/// Σ a_i b_i, in four parts that are added up in the end, whatever the processor does at once: the same bits
/// everywhere.
template <class S>
class SumOfProducts {
 public:
  void add(const S* a, const S* b, std::size_t n) {
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4) {
      for (std::size_t j = 0; j < 4; ++j) { parts_[j] = parts_[j] + a[i + j] * b[i + j]; }
    }
    for (; i < n; ++i) { rest_ = rest_ + a[i] * b[i]; }
  }
  void add(const S& x) { rest_ = rest_ + x; }
  S total() const { return ((parts_[0] + parts_[1]) + (parts_[2] + parts_[3])) + rest_; }

 private:
  std::array<S, 4> parts_{S(0), S(0), S(0), S(0)};
  S rest_ = S(0);
};
#if defined(__GNUC__)
template <>
class SumOfProducts<double> {
 public:
  void add(const double* a, const double* b, std::size_t n) {
    std::size_t i = 0;
    // Built here, not by a function: a vector of this width has no agreed way to be returned without AVX.
    for (; i + 4 <= n; i += 4) {
      const Four a_four{a[i], a[i + 1], a[i + 2], a[i + 3]};
      const Four b_four{b[i], b[i + 1], b[i + 2], b[i + 3]};
      parts_ = parts_ + a_four * b_four;
    }
    for (; i < n; ++i) { rest_ = rest_ + a[i] * b[i]; }
  }
  void add(double x) { rest_ = rest_ + x; }
  double total() const { return ((parts_[0] + parts_[1]) + (parts_[2] + parts_[3])) + rest_; }

 private:
  using Four = double __attribute__((vector_size(32)));
  Four parts_{0, 0, 0, 0};
  double rest_ = 0;
};
#endif

/// A list of operations that gives the coefficients of a solution, order by order. Constant once made.
template <class S>
class SeriesProgram {
 public:
  std::size_t state_size() const { return rates_.size(); }
  std::size_t operation_count() const { return ops_.size(); }
  /// Numbers of scratch memory for each order, 0 included.
  std::size_t memory_size() const { return 2 * slot_count_; }

  /// Rows 0 ... order of the solution through (t, y), `stride` numbers apart. `memory`: memory_size() (order + 1)
  /// numbers. Does not allocate.
  void expand(const S& t, std::span<const S> y, std::size_t order, std::size_t stride, S* rows, S* memory) const;

 private:
  friend class SeriesRecorder<S>;
  enum class Code : std::uint8_t { sum, quotient, root, integral, power, slope };
  /// A part of a sum: factor × a, or factor × a × b.
  struct Part {
    S factor;
    std::uint32_t a;
    std::uint32_t b;
  };
  struct Op {
    Code code = Code::sum;
    FirstOf first = FirstOf::nothing;
    std::uint32_t to = 0;
    std::uint32_t a = 0, b = 0, c = 0, d = 0;  ///< slots; of a sum: parts from a, products from b, up to c
    S number{};
  };
  /// The memory of one expansion: of each slot the coefficients, and the same backwards.
  struct Memory {
    S* numbers;
    std::size_t order;
    S* at(std::uint32_t slot) const { return numbers + slot * 2 * (order + 1); }
    const S& first(std::uint32_t slot) const { return at(slot)[0]; }
    void set(std::uint32_t slot, std::size_t k, const S& x) const {
      S* const to = at(slot);
      to[k] = x;
      to[2 * order + 1 - k] = x;
    }
    /// += Σ a_j b_{k−j}, j = 1 ... k − 1
    void add_middle(SumOfProducts<S>& sum, std::uint32_t a, std::uint32_t b, std::size_t k) const {
      if (k > 1) { sum.add(at(a) + 1, at(b) + (2 * order + 2 - k), k - 1); }
    }
  };

  static S first_of(const Op& op, const Memory& memory);
  S coefficient(const Op& op, std::size_t k, const Memory& memory) const;

  std::size_t slot_count_ = 0;
  std::uint32_t time_slot_ = 0;
  std::vector<std::pair<std::uint32_t, S>> constants_;  ///< slots that hold one
  std::vector<Op> ops_;
  std::vector<Part> parts_;
  std::vector<std::uint32_t> rates_;  ///< slot of ẏ_i; y_i has slot i
};

/// Records the right-hand side of a system.
template <class S>
class SeriesRecorder {
 public:
  using Term = SeriesTerm<S>;

  explicit SeriesRecorder(std::size_t state_size) : state_size_(state_size) {
    for (std::size_t i = 0; i <= state_size; ++i) { nodes_.push_back({Kind::input, 0, 0, 0, S(0), FirstOf::nothing}); }
  }
  SeriesRecorder(const SeriesRecorder&) = delete;
  SeriesRecorder& operator=(const SeriesRecorder&) = delete;

  Term state(std::size_t i) { return term(static_cast<std::uint32_t>(i)); }
  Term time() { return term(static_cast<std::uint32_t>(state_size_)); }

  /// What is being recorded, for messages.
  void set_place(std::string_view place) { place_ = place; }
  /// A function with an edge was met: there is no series across it.
  void note_edge(std::string_view function) {
    note_obstacle("'" + std::string(function) + "' has an edge, across which there is no series");
  }
  /// Something that has no series was met.
  void note_obstacle(std::string_view what) {
    if (obstacle_.empty()) { obstacle_ = (place_.empty() ? "" : place_ + ": ") + std::string(what); }
  }
  /// The first of them, with the place where it was; "": none.
  const std::string& obstacle() const { return obstacle_; }

  /// The program of ẏ = rates.
  SeriesProgram<S> finish(std::span<const Term> rates);

  // What the operators and functions of SeriesTerm record.
  Term scaled(const Term& a, const S& factor) {
    if (factor == S(0)) { return S(0); }
    if (factor == S(1)) { return a; }
    const Node node = nodes_[a.node_];
    if (node.kind == Kind::scale) { return scaled(term(node.a), factor * node.number); }
    return record({Kind::scale, a.node_, 0, 0, factor, FirstOf::nothing});
  }
  /// a + factor b
  Term sum(const Term& a, const Term& b, const S& factor) {
    if (b.is_constant()) {
      if (b.number_ == S(0)) { return a; }
      return record({Kind::shift, a.node_, 0, 0, factor * b.number_, FirstOf::nothing});
    }
    const Term other = scaled(b, factor);
    if (a.is_constant()) { return sum(other, a, S(1)); }
    return record({Kind::add, a.node_, other.node_, 0, S(0), FirstOf::nothing});
  }
  Term product(const Term& a, const Term& b) {
    if (a.is_constant()) { return scaled(b, a.number_); }
    if (b.is_constant()) { return scaled(a, b.number_); }
    for (const auto& [one, other] : {std::pair{a, b}, std::pair{b, a}}) {
      const Node node = nodes_[one.node_];
      if (node.kind == Kind::scale) { return scaled(product(term(node.a), other), node.number); }
    }
    return record({Kind::multiply, std::min(a.node_, b.node_), std::max(a.node_, b.node_), 0, S(0), FirstOf::nothing});
  }
  Term quotient(const Term& a, const Term& b) {
    if (b.is_constant()) { return scaled(a, S(1) / b.number_); }
    if (a == Term(S(0))) { return S(0); }
    return record({Kind::divide, slot_for(a), b.node_, 0, S(0), FirstOf::nothing});
  }
  Term root(const Term& a) { return record({Kind::root, a.node_, 0, 0, S(0), FirstOf::nothing}); }
  /// f with f' = factor g u', the first coefficient by a function of u (and of v).
  Term integral(FirstOf first, const Term& u, const Term& g, const S& factor, const Term& v = S(0)) {
    return record({Kind::integral, slope(u).node_, slot_for(g), u.node_, factor, first, slot_for(v)});
  }
  /// uⁿ where u is not 0.
  Term power(const Term& u, const S& n, bool of_either_sign) {
    const FirstOf first = of_either_sign ? FirstOf::cbrt : FirstOf::pow;
    const Term made = record({Kind::power, u.node_, slope(u).node_, 0, n, first});
    const std::uint32_t own_slope = slope(made).node_;
    nodes_[made.node_].c = own_slope;
    return made;
  }
  /// sin u and cos u, or sinh u and cosh u.
  std::array<Term, 2> waves(const Term& u, bool hyperbolic) {
    const std::uint32_t du = slope(u).node_;
    const Node first{Kind::integral, du, 0, u.node_, S(1), hyperbolic ? FirstOf::sinh : FirstOf::sin};
    if (const auto known = waves_.find({u.node_, hyperbolic}); known != waves_.end()) {
      return {term(known->second), term(known->second + 1)};
    }
    const auto at = static_cast<std::uint32_t>(nodes_.size());
    waves_[{u.node_, hyperbolic}] = at;
    nodes_.push_back(first);
    nodes_.push_back(
        {Kind::integral, du, at, u.node_, S(hyperbolic ? 1 : -1), hyperbolic ? FirstOf::cosh : FirstOf::cos});
    nodes_[at].b = at + 1;
    return {term(at), term(at + 1)};
  }
  /// f with f' = (1 + sign f²) u', or f' = f u' where the sign is 0.
  Term of_itself(FirstOf first, const Term& u, int sign) {
    const std::uint32_t du = slope(u).node_;
    const auto key = std::tuple(u.node_, static_cast<int>(first));
    if (const auto known = of_itself_.find(key); known != of_itself_.end()) { return term(known->second); }
    const auto at = static_cast<std::uint32_t>(nodes_.size());
    of_itself_[key] = at;
    nodes_.push_back({Kind::integral, du, at, u.node_, S(1), first});
    if (sign != 0) { nodes_[at].b = (Term(S(1)) + Term(S(sign)) * (term(at) * term(at))).node_; }
    return term(at);
  }

 private:
  enum class Kind : std::uint8_t { input, constant, add, scale, shift, multiply, divide, root, integral, power, slope };
  struct Node {
    Kind kind = Kind::input;
    std::uint32_t a = 0, b = 0, c = 0;
    S number{};
    FirstOf first = FirstOf::nothing;
    std::uint32_t d = 0;  ///< second argument of the first coefficient
  };
  using Program = SeriesProgram<S>;

  Term term(std::uint32_t node) {
    Term made;
    made.recorder_ = this;
    made.node_ = node;
    return made;
  }
  /// What was recorded before is not recorded again.
  Term record(const Node& node) {
    const auto key = std::tuple(static_cast<int>(node.kind), node.a, node.b, node.c, node.d,
                                static_cast<int>(node.first), node.number);
    if (node.kind != Kind::power) {
      if (const auto known = known_.find(key); known != known_.end()) { return term(known->second); }
      known_.emplace(key, static_cast<std::uint32_t>(nodes_.size()));
    }
    nodes_.push_back(node);
    return term(static_cast<std::uint32_t>(nodes_.size() - 1));
  }
  /// k u_k
  Term slope(const Term& u) { return record({Kind::slope, u.node_, 0, 0, S(0), FirstOf::nothing}); }
  std::uint32_t slot_for(const Term& a) {
    return a.is_constant() ? record({Kind::constant, 0, 0, 0, a.number_, FirstOf::nothing}).node_ : a.node_;
  }
  static bool is_linear(Kind kind) { return kind == Kind::add || kind == Kind::scale || kind == Kind::shift; }
  /// Nodes that a node is made of.
  template <class Visit>
  static void each_argument(const Node& node, Visit&& visit) {
    if (node.kind == Kind::input || node.kind == Kind::constant) { return; }
    visit(node.a);
    if (node.kind == Kind::add || node.kind == Kind::multiply || node.kind == Kind::divide) { visit(node.b); }
    if (node.kind == Kind::integral || node.kind == Kind::power) {
      visit(node.b);
      visit(node.c);
    }
    if (node.kind == Kind::integral && (node.first == FirstOf::atan2 || node.first == FirstOf::atan2_of_x)) {
      visit(node.d);
    }
  }
  /// Adds factor × node to a sum; sums and products that nothing else needs are taken apart.
  void collect(std::uint32_t at, const S& factor, bool outermost, const std::vector<int>& uses, S& constant,
               std::vector<typename Program::Part>& linear, std::vector<typename Program::Part>& products) const {
    const Node& node = nodes_[at];
    const bool open = outermost || uses[at] == 1;
    const auto go_on = [&](std::uint32_t to, const S& times) {
      collect(to, times, false, uses, constant, linear, products);
    };
    if (open && node.kind == Kind::add) {
      go_on(node.a, factor);
      go_on(node.b, factor);
    } else if (open && node.kind == Kind::scale) {
      go_on(node.a, factor * node.number);
    } else if (open && node.kind == Kind::shift) {
      constant = constant + factor * node.number;
      go_on(node.a, factor);
    } else if (open && node.kind == Kind::multiply) {
      products.push_back({factor, node.a, node.b});
    } else {
      linear.push_back({factor, at, 0});
    }
  }

  std::size_t state_size_;
  std::vector<Node> nodes_;
  std::map<std::tuple<int, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, int, S>, std::uint32_t> known_;
  std::map<std::pair<std::uint32_t, bool>, std::uint32_t> waves_;
  std::map<std::tuple<std::uint32_t, int>, std::uint32_t> of_itself_;
  std::string place_;
  std::string obstacle_;
};

template <class S>
SeriesProgram<S> SeriesRecorder<S>::finish(std::span<const Term> rates) {
  std::vector<std::uint32_t> outputs;
  outputs.reserve(rates.size());
  for (const Term& rate : rates) { outputs.push_back(slot_for(rate)); }
  // what the rates need, and by how many it is needed; an output counts twice, so that it keeps a slot of its own
  std::vector<int> uses(nodes_.size(), 0);
  std::vector<std::uint32_t> waiting = outputs;
  for (const std::uint32_t output : outputs) { uses[output] += 2; }
  std::vector<char> seen(nodes_.size(), 0);
  while (!waiting.empty()) {
    const std::uint32_t at = waiting.back();
    waiting.pop_back();
    if (seen[at] != 0) { continue; }
    seen[at] = 1;
    const bool sums = is_linear(nodes_[at].kind);
    each_argument(nodes_[at], [&](std::uint32_t argument) {
      uses[argument] += sums ? 1 : 2;  // all but sums look at a slot
      waiting.push_back(argument);
    });
  }
  // slots: the state, then whatever is needed by others than one sum
  Program program;
  std::vector<std::uint32_t> slot(nodes_.size(), 0);
  for (std::uint32_t at = 0; at < nodes_.size(); ++at) {
    const Kind kind = nodes_[at].kind;
    const bool inside = (is_linear(kind) || kind == Kind::multiply) && uses[at] == 1;
    if (at > state_size_ && (uses[at] == 0 || inside)) { continue; }
    slot[at] = static_cast<std::uint32_t>(program.slot_count_++);
  }
  program.time_slot_ = slot[state_size_];
  for (std::uint32_t at = static_cast<std::uint32_t>(state_size_) + 1; at < nodes_.size(); ++at) {
    if (slot[at] == 0) { continue; }
    const Node& node = nodes_[at];
    typename Program::Op op;
    op.to = slot[at];
    op.first = node.first;
    op.number = node.number;
    op.a = slot[node.a];
    op.b = slot[node.b];
    op.c = slot[node.c];
    op.d = slot[node.d];
    switch (node.kind) {
      case Kind::input:
        continue;
      case Kind::constant:
        program.constants_.emplace_back(slot[at], node.number);
        continue;
      case Kind::add:
      case Kind::scale:
      case Kind::shift:
      case Kind::multiply: {
        std::vector<typename Program::Part> linear;
        std::vector<typename Program::Part> products;
        S constant(0);
        collect(at, S(1), true, uses, constant, linear, products);
        // products of one factor side by side: they are summed together
        std::sort(products.begin(), products.end(), [](const auto& x, const auto& y) {
          return std::tie(x.factor, x.a, x.b) < std::tie(y.factor, y.a, y.b);
        });
        op.number = constant;
        op.a = static_cast<std::uint32_t>(program.parts_.size());
        op.b = op.a + static_cast<std::uint32_t>(linear.size());
        op.c = op.b + static_cast<std::uint32_t>(products.size());
        for (const auto& part : linear) { program.parts_.push_back({part.factor, slot[part.a], 0}); }
        for (const auto& part : products) { program.parts_.push_back({part.factor, slot[part.a], slot[part.b]}); }
        break;
      }
      case Kind::divide:
        op.code = Program::Code::quotient;
        break;
      case Kind::root:
        op.code = Program::Code::root;
        break;
      case Kind::integral:
        op.code = Program::Code::integral;
        break;
      case Kind::power:
        op.code = Program::Code::power;
        break;
      case Kind::slope:
        op.code = Program::Code::slope;
        break;
    }
    program.ops_.push_back(op);
  }
  for (const std::uint32_t output : outputs) { program.rates_.push_back(slot[output]); }
  return program;
}

template <class S>
S SeriesProgram<S>::first_of(const Op& op, const Memory& memory) {
  const S& u = memory.first(op.code == Code::power ? op.a : op.c);
  switch (op.first) {
    case FirstOf::nothing:
      return S(0);
    case FirstOf::exp:
      return math::exp(u);
    case FirstOf::log:
      return math::log(u);
    case FirstOf::log10:
      return math::log10(u);
    case FirstOf::sin:
      return math::sin(u);
    case FirstOf::cos:
      return math::cos(u);
    case FirstOf::sinh:
      return math::sinh(u);
    case FirstOf::cosh:
      return math::cosh(u);
    case FirstOf::tan:
      return math::tan(u);
    case FirstOf::tanh:
      return math::tanh(u);
    case FirstOf::asin:
      return math::asin(u);
    case FirstOf::acos:
      return math::acos(u);
    case FirstOf::atan:
      return math::atan(u);
    case FirstOf::atan2:
      return math::atan2(u, memory.first(op.d));
    case FirstOf::atan2_of_x:
      return math::atan2(memory.first(op.d), u);
    case FirstOf::pow:
      return math::pow(u, op.number);
    case FirstOf::cbrt:
      return math::cbrt(u);
  }
  return S(0);
}

/// Coefficient k of a slot from those of lower order, and from those of order k before it:
///
///   (a b)_k = Σ_j a_j b_{k−j},   (a/b)_k = (a_k − Σ_{j≥1} b_j (a/b)_{k−j})/b_0
///   (√a)_k = (a_k − Σ_{0<j<k} (√a)_j (√a)_{k−j})/(2 √a_0)                                            (INT-25)
///   f' = g u':   k f_k = Σ_{j≥1} j u_j g_{k−j}
///   f = uⁿ:      k u_0 f_k = n Σ_{j≥1} j u_j f_{k−j} − Σ_{0<j<k} u_j (k − j) f_{k−j}
template <class S>
S SeriesProgram<S>::coefficient(const Op& op, std::size_t k, const Memory& memory) const {
  const S order_now = static_cast<S>(k);
  switch (op.code) {
    case Code::sum: {
      S total = k == 0 ? op.number : S(0);
      for (std::uint32_t i = op.a; i < op.b; ++i) { total = total + parts_[i].factor * memory.at(parts_[i].a)[k]; }
      for (std::uint32_t i = op.b; i < op.c;) {
        const S& factor = parts_[i].factor;
        SumOfProducts<S> sum;
        for (; i < op.c && parts_[i].factor == factor; ++i) {
          const S* a = memory.at(parts_[i].a);
          const S* b = memory.at(parts_[i].b);
          memory.add_middle(sum, parts_[i].a, parts_[i].b, k);
          sum.add(a[0] * b[k]);
          if (k > 0) { sum.add(a[k] * b[0]); }
        }
        total = total + factor * sum.total();
      }
      return total;
    }
    case Code::quotient: {
      const S* a = memory.at(op.a);
      const S* b = memory.at(op.b);
      if (k == 0) { return a[0] / b[0]; }
      SumOfProducts<S> sum;
      memory.add_middle(sum, op.b, op.to, k);
      sum.add(b[k] * memory.first(op.to));
      return (a[k] - sum.total()) / b[0];
    }
    case Code::root: {
      const S* a = memory.at(op.a);
      if (k == 0) { return math::sqrt(a[0]); }
      SumOfProducts<S> sum;
      memory.add_middle(sum, op.to, op.to, k);
      return (a[k] - sum.total()) / (S(2) * memory.first(op.to));
    }
    case Code::integral: {
      if (k == 0) { return first_of(op, memory); }
      SumOfProducts<S> sum;
      memory.add_middle(sum, op.a, op.b, k);
      sum.add(memory.at(op.a)[k] * memory.first(op.b));
      return op.number * sum.total() / order_now;
    }
    case Code::power: {
      if (k == 0) { return first_of(op, memory); }
      SumOfProducts<S> by_u;
      SumOfProducts<S> by_itself;
      memory.add_middle(by_u, op.b, op.to, k);
      by_u.add(memory.at(op.b)[k] * memory.first(op.to));
      memory.add_middle(by_itself, op.a, op.c, k);
      return (op.number * by_u.total() - by_itself.total()) / (order_now * memory.first(op.a));
    }
    case Code::slope:
      return order_now * memory.at(op.a)[k];
  }
  return S(0);
}

template <class S>
void SeriesProgram<S>::expand(const S& t, std::span<const S> y, std::size_t order, std::size_t stride, S* rows,
                              S* numbers) const {
  const Memory memory{numbers, order};
  for (std::size_t i = 0; i < rates_.size(); ++i) {
    memory.set(static_cast<std::uint32_t>(i), 0, y[i]);
    rows[i] = y[i];
  }
  for (std::size_t k = 0; k < order; ++k) {
    memory.set(time_slot_, k, k == 0 ? t : S(k == 1 ? 1 : 0));
    for (const auto& [slot, number] : constants_) { memory.set(slot, k, k == 0 ? number : S(0)); }
    for (const Op& op : ops_) { memory.set(op.to, k, coefficient(op, k, memory)); }
    const S next = static_cast<S>(k + 1);
    S* const row = rows + (k + 1) * stride;
    for (std::size_t i = 0; i < rates_.size(); ++i) {
      row[i] = memory.at(rates_[i])[k] / next;
      memory.set(static_cast<std::uint32_t>(i), k + 1, row[i]);
    }
  }
}

// ---- functions
// --------------------------------------------------------------------------------------------------------

namespace math {
template <class S>
inline constexpr SeriesTerm<S> kPi<SeriesTerm<S>>{kPi<S>};
}  // namespace math

template <class S>
SeriesTerm<S> sqrt(const SeriesTerm<S>& u) {
  return u.is_constant() ? SeriesTerm<S>(math::sqrt(u.number())) : u.recorder()->root(u);
}
#define POLHODE_SERIES(function, recorded)                                     \
  template <class S>                                                           \
  SeriesTerm<S> function(const SeriesTerm<S>& u) {                             \
    if (u.is_constant()) { return SeriesTerm<S>(math::function(u.number())); } \
    const SeriesTerm<S> one(S(1));                                             \
    static_cast<void>(one);                                                    \
    return recorded;                                                           \
  }
POLHODE_SERIES(exp, u.recorder()->of_itself(FirstOf::exp, u, 0))
POLHODE_SERIES(tan, u.recorder()->of_itself(FirstOf::tan, u, 1))
POLHODE_SERIES(tanh, u.recorder()->of_itself(FirstOf::tanh, u, -1))
POLHODE_SERIES(sin, u.recorder()->waves(u, false)[0])
POLHODE_SERIES(cos, u.recorder()->waves(u, false)[1])
POLHODE_SERIES(sinh, u.recorder()->waves(u, true)[0])
POLHODE_SERIES(cosh, u.recorder()->waves(u, true)[1])
POLHODE_SERIES(log, u.recorder()->integral(FirstOf::log, u, one / u, S(1)))
POLHODE_SERIES(log10, u.recorder()->integral(FirstOf::log10, u, one / u, S(1) / math::log(S(10))))
POLHODE_SERIES(asin, u.recorder()->integral(FirstOf::asin, u, one / sqrt((one - u) * (one + u)), S(1)))
POLHODE_SERIES(acos, u.recorder()->integral(FirstOf::acos, u, one / sqrt((one - u) * (one + u)), S(-1)))
POLHODE_SERIES(atan, u.recorder()->integral(FirstOf::atan, u, one / (one + u * u), S(1)))
POLHODE_SERIES(cbrt, u.recorder()->power(u, S(1) / S(3), true))
#undef POLHODE_SERIES
/// θ' = (x y' − y x')/(x² + y²)
template <class S>
SeriesTerm<S> atan2(const SeriesTerm<S>& y, const SeriesTerm<S>& x) {
  if (y.is_constant() && x.is_constant()) { return SeriesTerm<S>(math::atan2(y.number(), x.number())); }
  const SeriesTerm<S> square = x * x + y * y;
  if (y.is_constant()) { return x.recorder()->integral(FirstOf::atan2_of_x, x, y / square, S(-1), y); }
  const SeriesTerm<S> by_y = y.recorder()->integral(FirstOf::atan2, y, x / square, S(1), x);
  return x.is_constant() ? by_y : by_y - x.recorder()->integral(FirstOf::nothing, x, y / square, S(1));
}
template <class S>
SeriesTerm<S> hypot(const SeriesTerm<S>& x, const SeriesTerm<S>& y) {
  return sqrt(x * x + y * y);
}
/// Whole powers up to 64 by multiplication, which is right where u is 0 too.
template <class S>
SeriesTerm<S> pow(const SeriesTerm<S>& u, const SeriesTerm<S>& y) {
  using Term = SeriesTerm<S>;
  if (!y.is_constant()) { return exp(y * log(u)); }
  if (u.is_constant()) { return Term(math::pow(u.number(), y.number())); }
  using std::fabs;
  using std::floor;
  const S n = y.number();
  if (n != floor(n) || fabs(n) > S(64)) { return u.recorder()->power(u, n, false); }
  Term result(S(1));
  Term square = u;
  for (int left = static_cast<int>(fabs(n)); left > 0; left /= 2) {
    if (left % 2 == 1) { result = result * square; }
    if (left > 1) { square = square * square; }
  }
  return n < S(0) ? Term(S(1)) / result : result;
}

// Functions with an edge (piecewise.h): of constants they are what they are; of anything else there is no series.
#define POLHODE_EDGE_1(function, shown)                                  \
  template <class S>                                                     \
  SeriesTerm<S> function(const SeriesTerm<S>& a) {                       \
    if (a.is_constant()) { return SeriesTerm<S>(function(a.number())); } \
    a.recorder()->note_edge(shown);                                      \
    return a;                                                            \
  }
POLHODE_EDGE_1(negation, "!")
POLHODE_EDGE_1(absolute, "abs")
POLHODE_EDGE_1(floor_of, "floor")
POLHODE_EDGE_1(sign_of, "sign")
POLHODE_EDGE_1(step_of, "step")
#undef POLHODE_EDGE_1
#define POLHODE_EDGE_2(function, shown)                                                                 \
  template <class S>                                                                                    \
  SeriesTerm<S> function(const SeriesTerm<S>& a, const SeriesTerm<S>& b) {                              \
    if (a.is_constant() && b.is_constant()) { return SeriesTerm<S>(function(a.number(), b.number())); } \
    (a.is_constant() ? b : a).recorder()->note_edge(shown);                                             \
    return a.is_constant() ? b : a;                                                                     \
  }
POLHODE_EDGE_2(less, "<")
POLHODE_EDGE_2(less_or_equal, "<=")
POLHODE_EDGE_2(equal, "==")
POLHODE_EDGE_2(both, "&&")
POLHODE_EDGE_2(either, "||")
POLHODE_EDGE_2(least, "min")
POLHODE_EDGE_2(largest, "max")
POLHODE_EDGE_2(modulo, "mod")
#undef POLHODE_EDGE_2
template <class S>
SeriesTerm<S> choose(const SeriesTerm<S>& truth, const SeriesTerm<S>& then, const SeriesTerm<S>& otherwise) {
  if (truth.is_constant()) { return truth.number() != S(0) ? then : otherwise; }
  truth.recorder()->note_edge("? :");
  return then;
}

}  // namespace polhode
