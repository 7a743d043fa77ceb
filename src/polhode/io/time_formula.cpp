#include "polhode/io/time_formula.h"

#include "polhode/math/dual.h"
#include "polhode/math/elementary.h"

#include <cctype>
#include <charconv>
#include <cmath>

namespace polhode::io {
namespace {

using Jet = Dual<Dual<double>>;

double value_in(const Jet& x) { return x.value.value; }
Jet truth(bool b) { return Jet(b ? 1.0 : 0.0); }
/// Constant from here on.
Jet still(double x) { return Jet(x); }

/// x^y; whole powers by multiplication, whose derivatives are right at x = 0 too.
Jet power(const Jet& x, const Jet& y) {
  const double n = value_in(y);
  const bool constant = y.derivative == Dual<double>(0.0) && y.value.derivative == 0;
  if (!constant || n != std::floor(n) || std::fabs(n) > 64) { return math::pow(x, y); }
  Jet result(1.0);
  for (int i = 0; i < static_cast<int>(std::fabs(n)); ++i) { result = result * x; }
  return n < 0 ? Jet(1.0) / result : result;
}

using JetOfOne = Jet (*)(const Jet&);
using JetOfTwo = Jet (*)(const Jet&, const Jet&);
struct JetFunction1 {
  std::string_view name;
  JetOfOne call;
};
struct JetFunction2 {
  std::string_view name;
  JetOfTwo call;
};

constexpr JetFunction1 kJetFunctions1[] = {
    {"sin", [](const Jet& x) { return math::sin(x); }},
    {"cos", [](const Jet& x) { return math::cos(x); }},
    {"tan", [](const Jet& x) { return math::tan(x); }},
    {"asin", [](const Jet& x) { return math::asin(x); }},
    {"acos", [](const Jet& x) { return math::acos(x); }},
    {"atan", [](const Jet& x) { return math::atan(x); }},
    {"sinh", [](const Jet& x) { return math::sinh(x); }},
    {"cosh", [](const Jet& x) { return math::cosh(x); }},
    {"tanh", [](const Jet& x) { return math::tanh(x); }},
    {"exp", [](const Jet& x) { return math::exp(x); }},
    {"log", [](const Jet& x) { return math::log(x); }},
    {"log10", [](const Jet& x) { return math::log10(x); }},
    {"sqrt", [](const Jet& x) { return math::sqrt(x); }},
    {"cbrt", [](const Jet& x) { return math::cbrt(x); }},
    {"abs", [](const Jet& x) { return value_in(x) < 0 ? -x : x; }},
    {"floor", [](const Jet& x) { return still(std::floor(value_in(x))); }},
    {"sign", [](const Jet& x) { return still(value_in(x) > 0   ? 1
                                             : value_in(x) < 0 ? -1
                                                               : 0); }},
    {"step", [](const Jet& x) { return still(value_in(x) < 0 ? 0 : 1); }},
};
constexpr JetFunction2 kJetFunctions2[] = {
    {"atan2", [](const Jet& y, const Jet& x) { return math::atan2(y, x); }},
    {"hypot", [](const Jet& x, const Jet& y) { return math::hypot(x, y); }},
    {"min", [](const Jet& x, const Jet& y) { return value_in(y) < value_in(x) ? y : x; }},
    {"max", [](const Jet& x, const Jet& y) { return value_in(y) > value_in(x) ? y : x; }},
    {"mod", [](const Jet& x, const Jet& y) { return x - y * still(std::floor(value_in(x) / value_in(y))); }},
    {"+", [](const Jet& x, const Jet& y) { return x + y; }},
    {"-", [](const Jet& x, const Jet& y) { return x - y; }},
    {"*", [](const Jet& x, const Jet& y) { return x * y; }},
    {"/", [](const Jet& x, const Jet& y) { return x / y; }},
    {"^", power},
    {"<=", [](const Jet& x, const Jet& y) { return truth(value_in(x) <= value_in(y)); }},
    {">=", [](const Jet& x, const Jet& y) { return truth(value_in(x) >= value_in(y)); }},
    {"!=", [](const Jet& x, const Jet& y) { return truth(value_in(x) != value_in(y)); }},
    {"==", [](const Jet& x, const Jet& y) { return truth(value_in(x) == value_in(y)); }},
    {"<", [](const Jet& x, const Jet& y) { return truth(value_in(x) < value_in(y)); }},
    {">", [](const Jet& x, const Jet& y) { return truth(value_in(x) > value_in(y)); }},
    {"&&", [](const Jet& x, const Jet& y) { return truth(value_in(x) != 0 && value_in(y) != 0); }},
    {"||", [](const Jet& x, const Jet& y) { return truth(value_in(x) != 0 || value_in(y) != 0); }},
};

JetOfOne function1(std::string_view name) {
  for (const JetFunction1& f : kJetFunctions1) {
    if (f.name == name) { return f.call; }
  }
  return nullptr;
}
JetOfTwo function2(std::string_view name) {
  for (const JetFunction2& f : kJetFunctions2) {
    if (f.name == name) { return f.call; }
  }
  return nullptr;
}

}  // namespace

/// The formula as a tree; nodes stand behind those that they are made of.
struct TimeFormula::Tree {
  struct Node {
    enum class Kind { number, name, time, one, two, choice } kind = Kind::number;
    double number = 0;
    const double* place = nullptr;
    JetOfOne one = nullptr;
    JetOfTwo two = nullptr;
    std::size_t a = 0, b = 0, c = 0;
  };
  std::vector<Node> nodes;

  Jet at(std::size_t i, const Jet& t) const {
    const Node& n = nodes[i];
    switch (n.kind) {
      case Node::Kind::number:
        return Jet(n.number);
      case Node::Kind::name:
        return Jet(*n.place);
      case Node::Kind::time:
        return t;
      case Node::Kind::one:
        return n.one(at(n.a, t));
      case Node::Kind::two:
        return n.two(at(n.a, t), at(n.b, t));
      case Node::Kind::choice:
        return at(value_in(at(n.a, t)) != 0 ? n.b : n.c, t);
    }
    return Jet(0.0);
  }
};

/// Reads what Formula has accepted. Looser to tighter: ? :, ||, &&, comparisons, + -, * /, signs, ^.
struct TimeFormula::Reader {
  std::string_view rest;
  const FormulaNames* names;
  std::vector<Tree::Node>* nodes;

  using Kind = Tree::Node::Kind;
  std::size_t add(const Tree::Node& node) const {
    nodes->push_back(node);
    return nodes->size() - 1;
  }
  std::size_t add_two(std::string_view sign, std::size_t a, std::size_t b) const {
    return add({.kind = Kind::two, .two = function2(sign), .a = a, .b = b});
  }
  bool take(std::string_view sign) {
    while (!rest.empty() && (rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\n')) { rest.remove_prefix(1); }
    if (!rest.starts_with(sign)) { return false; }
    rest.remove_prefix(sign.size());
    return true;
  }
  [[noreturn]] void give_up() const {
    fail(Error("formula: '" + std::string(rest.substr(0, 20)) + "' cannot be differentiated"));
  }

  std::size_t choice() {
    const std::size_t a = level(0);
    if (!take("?")) { return a; }
    const std::size_t b = choice();
    if (!take(":")) { give_up(); }
    const std::size_t c = choice();
    return add({.kind = Kind::choice, .a = a, .b = b, .c = c});
  }
  /// One level of binary signs, all of which group to the left.
  std::size_t level(std::size_t depth) {
    static const std::vector<std::vector<std::string_view>> kSigns{
        {"||"}, {"&&"}, {"<=", ">=", "!=", "==", "<", ">"}, {"+", "-"}, {"*", "/"}};
    if (depth == kSigns.size()) { return sign(); }
    std::size_t a = level(depth + 1);
    for (bool found = true; found;) {
      found = false;
      for (const std::string_view one : kSigns[depth]) {
        if (!take(one)) { continue; }
        a = add_two(one, a, level(depth + 1));
        found = true;
        break;
      }
    }
    return a;
  }
  std::size_t sign() {
    if (take("-")) {
      return add({.kind = Kind::one, .one = [](const Jet& x) { return -x; }, .a = sign()});
    }
    if (take("+")) { return sign(); }
    if (take("!")) {
      return add({.kind = Kind::one, .one = [](const Jet& x) { return truth(value_in(x) == 0); }, .a = sign()});
    }
    const std::size_t base = primary();
    return take("^") ? add_two("^", base, sign()) : base;
  }
  std::size_t primary() {
    if (take("(")) {
      const std::size_t inside = choice();
      if (!take(")")) { give_up(); }
      return inside;
    }
    double number = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    const bool digits = !rest.empty() && (rest[0] == '.' || (rest[0] >= '0' && rest[0] <= '9'));
    if (digits && error == std::errc()) {
      rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
      return add({.kind = Kind::number, .number = number});
    }
    std::size_t length = 0;
    while (length < rest.size() &&
           (std::isalnum(static_cast<unsigned char>(rest[length])) != 0 || rest[length] == '_')) {
      ++length;
    }
    const std::string_view name = rest.substr(0, length);
    rest.remove_prefix(length);
    if (name == "t") { return add({.kind = Kind::time}); }
    if (name == "pi") { return add({.kind = Kind::number, .number = math::kPi<double>}); }
    if (const double* place = names->find(name)) { return add({.kind = Kind::name, .place = place}); }
    if (!take("(")) { give_up(); }
    const std::size_t a = choice();
    std::size_t result = 0;
    if (take(",")) {
      result = add_two(name, a, choice());
    } else {
      result = add({.kind = Kind::one, .one = function1(name), .a = a});
    }
    const bool known = function1(name) != nullptr || function2(name) != nullptr;
    if (!known || !take(")")) { give_up(); }
    return result;
  }
};

TimeFormula::TimeFormula(std::string_view text, const FormulaNames& names, const Place& where)
    : plain_(text, names, where), tree_(std::make_unique<Tree>()) {
  Reader reader{text, &names, &tree_->nodes};
  reader.choice();
  reader.take("");
  if (!reader.rest.empty()) { reader.give_up(); }
}
TimeFormula::TimeFormula(TimeFormula&&) noexcept = default;
TimeFormula& TimeFormula::operator=(TimeFormula&&) noexcept = default;
TimeFormula::~TimeFormula() = default;

std::array<double, 3> TimeFormula::operator()(double t) const {
  const Jet x = tree_->at(tree_->nodes.size() - 1, Jet{{t, 1}, {1, 0}});
  return {x.value.value, x.value.derivative, x.derivative.derivative};
}

}  // namespace polhode::io
