#pragma once

#include "polhode/formula/tape.h"

#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace polhode::formula {

/// The names that formulas may use.
class Scope {
 public:
  virtual ~Scope() = default;
  virtual std::optional<Input> find(std::string_view name) const = 0;
  /// The text of a named expression, which may use all other names; nullptr where there is none.
  virtual const std::string* definition(std::string_view name) const {
    static_cast<void>(name);
    return nullptr;
  }
  /// For messages: all names, or those worth showing.
  virtual std::vector<std::string_view> names() const = 0;
  /// For messages: why there is no such name, where more is known than that: "joint 'ball' is spherical and has no
  /// turn". "": nothing is.
  virtual std::string why_unknown(std::string_view name) const {
    static_cast<void>(name);
    return {};
  }
  /// For messages: how a name could be declared, "declare it in [parameters]: k = 1.5"; "" where it cannot.
  virtual std::string how_to_declare(std::string_view name) const {
    static_cast<void>(name);
    return {};
  }
};

/// Something wrong in a formula.
struct Mistake {
  std::string definition;  ///< the named expression that it stands in; "": in the formula itself
  std::size_t at = 0;      ///< how many characters before it
  Problem problem;         ///< without its location
};

/// The functions, with how many arguments each takes, for messages and documents.
const std::vector<std::pair<std::string, int>>& functions();
/// Whether a text has the form of a name: letters, digits and _, no digit first.
bool is_name(std::string_view text);
/// Whether a name has a meaning already: a function, or pi.
bool is_reserved(std::string_view name);

/// Makes one tape of any number of formulas; what they have in common is computed once. Formulas are made of numbers,
/// names, + - * / ^, comparisons, && || !, a ? b : c and functions:
///
///   looser to tighter   ? :   ||   &&   < > <= >= == !=   + -   * /   signs and !   ^ (to the right)
///
/// Nothing else can be reached from them.
class Compiler {
 public:
  /// The scope must outlive it.
  explicit Compiler(const Scope& scope) : scope_(&scope) {}

  /// Adds a formula; returns its number among the outputs. Its mistakes, all that can be found at once, are added to
  /// mistakes(); its value is 0 then.
  std::size_t add(std::string_view text);
  const std::vector<Mistake>& mistakes() const { return mistakes_; }
  /// The tape of all formulas added.
  Tape finish() const;

 private:
  class Reader;
  struct Node {
    Code code = Code::pi;
    enum class Kind : std::uint8_t { constant, input, operation } kind = Kind::operation;
    Pace pace = Pace::constant;
    bool truth = false;  ///< 0 or 1, nothing else
    int choices = 0;     ///< inside each other, this one and those that it is made of
    std::uint32_t a = 0, b = 0, c = 0;
    double number = 0;
    std::size_t at = 0;
  };
  struct Schedule;
  static Side side_of(const Tape& tape, std::size_t skip);

  std::uint32_t node(Node made);
  std::uint32_t constant(double number);
  std::uint32_t input(const Input& input);
  std::uint32_t operation(Code code, std::size_t at, std::uint32_t a = 0, std::uint32_t b = 0, std::uint32_t c = 0);
  std::uint32_t truth(std::uint32_t x, std::size_t at);
  std::uint32_t read(std::string_view text, const std::string& definition);
  std::uint32_t defined(std::string_view name, const std::string& text);

  const Scope* scope_;
  std::vector<Node> nodes_;                               ///< each behind those that it is made of
  std::unordered_map<std::string, std::uint32_t> known_;  ///< nodes by what they are
  std::map<std::string, std::optional<std::uint32_t>, std::less<>> definitions_;  ///< empty while it is being read
  std::vector<std::string> reading_;                                              ///< definitions being read
  int depth_ = 0;  ///< of expressions inside each other, through definitions
  std::vector<std::uint32_t> outputs_;
  std::vector<Mistake> mistakes_;
};

}  // namespace polhode::formula
