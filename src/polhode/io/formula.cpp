#include "polhode/io/formula.h"

#include "polhode/math/elementary.h"

#include <muParserBase.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace polhode::io {
namespace {

using One = double (*)(double);
using Two = double (*)(double, double);

struct Function1 {
  const char* name;
  One call;
};
struct Function2 {
  const char* name;
  Two call;
};

double sign_of(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }
double step_at_zero(double x) { return x < 0 ? 0 : 1; }

constexpr Function1 kFunctions1[] = {
    {"sin", [](double x) { return math::sin(x); }},
    {"cos", [](double x) { return math::cos(x); }},
    {"tan", [](double x) { return math::tan(x); }},
    {"asin", [](double x) { return math::asin(x); }},
    {"acos", [](double x) { return math::acos(x); }},
    {"atan", [](double x) { return math::atan(x); }},
    {"sinh", [](double x) { return math::sinh(x); }},
    {"cosh", [](double x) { return math::cosh(x); }},
    {"tanh", [](double x) { return math::tanh(x); }},
    {"exp", [](double x) { return math::exp(x); }},
    {"log", [](double x) { return math::log(x); }},
    {"log10", [](double x) { return math::log10(x); }},
    {"sqrt", [](double x) { return math::sqrt(x); }},
    {"cbrt", [](double x) { return math::cbrt(x); }},
    {"abs", [](double x) { return std::fabs(x); }},
    {"floor", [](double x) { return std::floor(x); }},
    {"sign", sign_of},
    {"step", step_at_zero},
};
constexpr Function2 kFunctions2[] = {
    {"atan2", [](double y, double x) { return math::atan2(y, x); }},
    {"hypot", [](double x, double y) { return math::hypot(x, y); }},
    {"min", [](double x, double y) { return std::fmin(x, y); }},
    {"max", [](double x, double y) { return std::fmax(x, y); }},
    {"mod", [](double x, double y) { return x - y * std::floor(x / y); }},
};

constexpr const char* kNameCharacters = "0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// What is wrong, in words, without the parser's own.
std::string in_words(const mu::ParserError& error) {
  const std::string& token = error.GetToken();
  switch (error.GetCode()) {
    case mu::ecUNEXPECTED_EOF:
      return "the formula ends too early";
    case mu::ecEMPTY_EXPRESSION:
      return "the formula is empty";
    case mu::ecMISSING_PARENS:
      return "a parenthesis is not closed";
    case mu::ecUNEXPECTED_PARENS:
      return "a parenthesis too many";
    case mu::ecTOO_MANY_PARAMS:
      return "too many arguments for '" + token + "'";
    case mu::ecTOO_FEW_PARAMS:
      return "too few arguments for '" + token + "'";
    default:
      return "'" + token + "' is not expected here";
  }
}

/// The name that starts at `position`.
std::string_view name_at(std::string_view text, std::size_t position) {
  if (position >= text.size()) { return {}; }
  const std::string_view rest = text.substr(position);
  const std::size_t end = std::min(rest.find_first_not_of(kNameCharacters), rest.size());
  const std::string_view name = rest.substr(0, end);
  return name.empty() || (name[0] >= '0' && name[0] <= '9') ? std::string_view{} : name;
}

}  // namespace

class Formula::Parser final : public mu::ParserBase {
 public:
  Parser() {
    EnableBuiltInOprt(false);
    AddValIdent(read_number);
    InitCharSets();
    InitFun();
    InitConst();
    InitOprt();
  }

 private:
  static int read_number(const mu::char_type* text, int* position, mu::value_type* value) {
    const std::string_view rest(text);
    double number = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (error != std::errc() || rest[0] == '-' || rest[0] == 'i' || rest[0] == 'n' || rest[0] == 'I' ||
        rest[0] == 'N') {
      return 0;
    }
    *position += static_cast<int>(end - rest.data());
    *value = number;
    return 1;
  }
  void InitCharSets() override {
    DefineNameChars(kNameCharacters);
    DefineOprtChars("+-*^/?<>=!&|");
    DefineInfixOprtChars("+-!");
  }
  void InitFun() override {
    for (const Function1& f : kFunctions1) { DefineFun(f.name, f.call); }
    for (const Function2& f : kFunctions2) { DefineFun(f.name, f.call); }
  }
  void InitConst() override { DefineConst("pi", math::kPi<double>); }
  void InitOprt() override {
    const auto add = [this](const char* name, Two call, unsigned priority, mu::EOprtAssociativity side = mu::oaLEFT) {
      DefineOprt(name, call, priority, side);
    };
    add("||", [](double a, double b) { return a != 0 || b != 0 ? 1.0 : 0.0; }, mu::prLOR);
    add("&&", [](double a, double b) { return a != 0 && b != 0 ? 1.0 : 0.0; }, mu::prLAND);
    add("<=", [](double a, double b) { return a <= b ? 1.0 : 0.0; }, mu::prCMP);
    add(">=", [](double a, double b) { return a >= b ? 1.0 : 0.0; }, mu::prCMP);
    add("!=", [](double a, double b) { return a != b ? 1.0 : 0.0; }, mu::prCMP);
    add("==", [](double a, double b) { return a == b ? 1.0 : 0.0; }, mu::prCMP);
    add("<", [](double a, double b) { return a < b ? 1.0 : 0.0; }, mu::prCMP);
    add(">", [](double a, double b) { return a > b ? 1.0 : 0.0; }, mu::prCMP);
    add("+", [](double a, double b) { return a + b; }, mu::prADD_SUB);
    add("-", [](double a, double b) { return a - b; }, mu::prADD_SUB);
    add("*", [](double a, double b) { return a * b; }, mu::prMUL_DIV);
    add("/", [](double a, double b) { return a / b; }, mu::prMUL_DIV);
    add("^", [](double a, double b) { return math::pow(a, b); }, mu::prPOW, mu::oaRIGHT);
    DefineInfixOprt("-", [](double a) { return -a; });
    DefineInfixOprt("+", [](double a) { return a; });
    DefineInfixOprt("!", [](double a) { return a == 0 ? 1.0 : 0.0; });
  }
  void OnDetectVar(mu::string_type*, int&, int&) override {}
};

FormulaNames::FormulaNames() = default;
FormulaNames::~FormulaNames() = default;

const std::vector<std::pair<std::string, int>>& FormulaNames::functions() {
  static const std::vector<std::pair<std::string, int>> kAll = [] {
    std::vector<std::pair<std::string, int>> all;
    for (const Function1& f : kFunctions1) { all.emplace_back(f.name, 1); }
    for (const Function2& f : kFunctions2) { all.emplace_back(f.name, 2); }
    return all;
  }();
  return kAll;
}

void FormulaNames::add(const std::string& name, double* number) {
  if (name_at(name, 0) != name || name.empty()) {
    fail(Error(Problem{.what = "'" + name + "' cannot be a name in formulas",
                       .allowed = "allowed: letters, digits and _, a letter first",
                       .cure = {}}));
  }
  const bool is_function =
      std::any_of(functions().begin(), functions().end(), [&](const auto& f) { return f.first == name; });
  const bool is_taken = is_function || name == "pi" || numbers_.contains(name);
  if (is_taken) { fail(Error("the name '" + name + "' is taken: choose another")); }
  in_order_.push_back(&numbers_.emplace(name, number).first->first);
}

const double* FormulaNames::find(std::string_view name) const {
  const auto found = numbers_.find(name);
  return found == numbers_.end() ? nullptr : found->second;
}

Formula::Formula(std::string_view text, const FormulaNames& names, const Place& where)
    : parser_(std::make_unique<Parser>()) {
  constexpr std::size_t kLongest = 2000;
  const auto refuse = [&](std::size_t position, Problem problem) {
    problem.what = "formula \"" + std::string(text.substr(0, 60)) + "\": " + problem.what;
    problem.where = where;
    if (where.column > 0) { problem.where.column += static_cast<int>(std::min(position, text.size())); }
    fail(Error(std::move(problem)));
  };
  if (text.size() > kLongest) {
    refuse(0, {.what = std::to_string(text.size()) + " characters", .allowed = "allowed: 2000", .cure = {}});
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    // strings and what is no ASCII mean nothing in a formula
    if (text[i] == '"' || text[i] == '\'' || static_cast<unsigned char>(text[i]) >= 0x7F ||
        static_cast<unsigned char>(text[i]) < 0x20) {
      refuse(
          i,
          {.what = "character " + std::to_string(i + 1) + " has no meaning in a formula", .allowed = {}, .cure = {}});
    }
  }
  // of all names, of which there may be millions, the parser is told those that stand in the text
  for (std::size_t i = 0; i < text.size();) {
    double number = 0;
    const char* const from = text.data() + i;
    const std::from_chars_result read = std::from_chars(from, text.data() + text.size(), number);
    const bool is_number = (*from >= '0' && *from <= '9') || *from == '.';
    const std::string_view name = name_at(text, i);
    if (is_number && read.ec != std::errc::invalid_argument) {
      i += static_cast<std::size_t>(read.ptr - from);
    } else if (!name.empty()) {
      const auto known = names.numbers_.find(name);
      if (known != names.numbers_.end()) { parser_->DefineVar(known->first, known->second); }
      i += name.size();
    } else {
      ++i;
    }
  }
  try {
    parser_->SetExpr(std::string(text));
    // one value: "1, 2" compiles to two
    int count = 0;
    static_cast<void>(parser_->Eval(count));
    if (count != 1) { refuse(0, {.what = "gives more than one number", .allowed = {}, .cure = {}}); }
    static_cast<void>(parser_->Eval());
  } catch (const mu::ParserError& error) {
    const auto position =
        static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, static_cast<std::ptrdiff_t>(error.GetPos())));
    const std::string_view name = name_at(text, position);
    if (!name.empty() && error.GetCode() == mu::ecUNASSIGNABLE_TOKEN) {
      std::vector<std::string_view> known;
      for (const std::string* one : names.in_order_) { known.push_back(*one); }
      known.push_back("pi");
      for (const auto& f : FormulaNames::functions()) { known.push_back(f.first); }
      Problem problem = unknown_name("name", name, known);
      if (!problem.cure.empty()) { problem.allowed.clear(); }  // the list is long
      refuse(position, std::move(problem));
    }
    refuse(position, {.what = in_words(error), .allowed = {}, .cure = {}});
  }
}
Formula::Formula(Formula&&) noexcept = default;
Formula& Formula::operator=(Formula&&) noexcept = default;
Formula::~Formula() = default;

bool Formula::uses(const std::string& name) const { return parser_->GetUsedVar().contains(name); }

std::vector<const double*> Formula::used_numbers() const {
  std::vector<const double*> numbers;
  for (const auto& [name, number] : parser_->GetUsedVar()) { numbers.push_back(number); }
  return numbers;
}

double Formula::operator()() const { return parser_->Eval(); }

}  // namespace polhode::io
