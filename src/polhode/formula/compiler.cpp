#include "polhode/formula/compiler.h"

#include "polhode/core/index.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace polhode::formula {
namespace {

/// Expressions inside each other in one text, and through all definitions that are being read; a pair of parentheses
/// counts twice. The second keeps the stack small.
constexpr int kDeepest = 400;
constexpr int kDeepestOfAll = 1000;
constexpr std::size_t kLongest = 2000;

struct KnownFunction {
  std::string_view name;
  int arguments;
  Code code;
};
constexpr KnownFunction kFunctions[] = {
#define FUNCTION(name, arguments) {#name, arguments, Code::name},
#include "polhode/formula/functions.def"
#undef FUNCTION
};
const KnownFunction* function_of(std::string_view name) {
  for (const KnownFunction& f : kFunctions) {
    if (f.name == name) { return &f; }
  }
  return nullptr;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
/// The name at the start of a text; "" where there is none.
std::string_view leading_name(std::string_view text) {
  if (text.empty() || !is_letter(text[0])) { return {}; }
  std::size_t length = 1;
  while (length < text.size() && (is_letter(text[length]) || is_digit(text[length]))) { ++length; }
  return text.substr(0, length);
}

/// Operators between two operands, longer spellings first; from loosest to tightest.
struct Operator {
  std::string_view sign;
  int tightness;
  Code code;
  bool swapped = false;  ///< a > b is b < a
  bool negated = false;  ///< a != b is !(a == b)
};
constexpr int kComparison = 3;
constexpr Operator kOperators[] = {
    {"||", 1, Code::either},
    {"&&", 2, Code::both},
    {"<=", kComparison, Code::less_or_equal},
    {">=", kComparison, Code::less_or_equal, true},
    {"!=", kComparison, Code::equal, false, true},
    {"==", kComparison, Code::equal},
    {"<", kComparison, Code::less},
    {">", kComparison, Code::less, true},
    {"+", 4, Code::add},
    {"-", 4, Code::subtract},
    {"*", 5, Code::multiply},
    {"/", 5, Code::divide},
};

struct CodeFacts {
  int arguments;
  bool switches;
};
constexpr CodeFacts kFacts[] = {
#define CODE(name, arguments, expression) {arguments, false},
#include "polhode/formula/codes.def"
#undef CODE
#define SWITCH(name, arguments, value, mode, with_mode) {arguments, true},
#include "polhode/formula/switches.def"
#undef SWITCH
    {2, false},
    {2, false},
};
const CodeFacts& facts(Code code) { return kFacts[static_cast<std::size_t>(code)]; }

bool is_skip(Code code) { return code == Code::skip_if_zero || code == Code::skip_unless_zero; }
/// Whether an operation takes longer than a skip, by much.
bool is_elementary(Code code) { return code == Code::power || (code >= Code::sin && code <= Code::hypot); }

}  // namespace

int argument_count(Code code) { return is_skip(code) ? 1 : facts(code).arguments; }

const std::vector<std::pair<std::string, int>>& functions() {
  static const std::vector<std::pair<std::string, int>> kAll = [] {
    std::vector<std::pair<std::string, int>> all;
    for (const KnownFunction& f : kFunctions) { all.emplace_back(f.name, f.arguments); }
    return all;
  }();
  return kAll;
}

bool is_name(std::string_view text) { return !text.empty() && leading_name(text) == text; }
bool is_reserved(std::string_view name) { return function_of(name) != nullptr || name == "pi"; }

std::span<const Op> Tape::ops(Pace pace) const {
  const std::span<const Op> all(ops_);
  switch (pace) {
    case Pace::constant:
      return all.first(parameters_from_);
    case Pace::parameter:
      return all.subspan(parameters_from_, state_from_ - parameters_from_);
    case Pace::state:
      break;
  }
  return all.subspan(state_from_);
}

bool Tape::uses(std::uint32_t id) const {
  return std::any_of(inputs_.begin(), inputs_.end(), [&](const Input& input) { return input.id == id; });
}

bool Tape::reads_only(std::uint32_t slot, const std::function<bool(const Input&)>& allowed) const {
  std::vector<bool> seen(slot_count());
  std::vector<std::uint32_t> open{slot};
  const std::size_t first_op = constants_.size() + inputs_.size();
  while (!open.empty()) {
    const std::uint32_t one = open.back();
    open.pop_back();
    if (one < constants_.size() || seen[one]) { continue; }
    seen[one] = true;
    if (one < first_op) {
      if (!allowed(inputs_[one - constants_.size()])) { return false; }
      continue;
    }
    const Op& op = ops_[one - first_op];
    const std::uint32_t arguments[] = {op.a, op.b, op.c};
    for (int i = 0; i < argument_count(op.code); ++i) { open.push_back(arguments[i]); }
  }
  return true;
}

// ---- nodes ---------------------------------------------------------------------------------------------------------

std::uint32_t Compiler::node(Node made) {
  // the same operation on the same arguments is the same node
  std::string key(30, '\0');
  std::memcpy(key.data(), &made.code, 2);
  std::memcpy(key.data() + 2, &made.kind, 1);
  std::memcpy(key.data() + 4, &made.a, 4);
  std::memcpy(key.data() + 8, &made.b, 4);
  std::memcpy(key.data() + 12, &made.c, 4);
  std::memcpy(key.data() + 16, &made.number, 8);
  const auto [found, is_new] = known_.emplace(std::move(key), static_cast<std::uint32_t>(nodes_.size()));
  if (is_new) { nodes_.push_back(made); }
  return found->second;
}
std::uint32_t Compiler::constant(double number) {
  return node({.kind = Node::Kind::constant, .truth = number == 0 || number == 1, .number = number});
}
std::uint32_t Compiler::input(const Input& input) {
  return node({.kind = Node::Kind::input, .pace = input.pace, .a = input.id});
}
std::uint32_t Compiler::operation(Code code, std::size_t at, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  Pace pace = Pace::constant;
  const std::uint32_t arguments[] = {a, b, c};
  int choices = 0;
  for (int i = 0; i < facts(code).arguments; ++i) {
    pace = std::max(pace, nodes_[arguments[i]].pace);
    choices = std::max(choices, nodes_[arguments[i]].choices);
  }
  if (code == Code::choose) { ++choices; }
  bool is_truth = code == Code::less || code == Code::less_or_equal || code == Code::equal || code == Code::both ||
                  code == Code::either || code == Code::negation || code == Code::step;
  if (code == Code::choose) { is_truth = nodes_[b].truth && nodes_[c].truth; }
  return node({.code = code, .pace = pace, .truth = is_truth, .choices = choices, .a = a, .b = b, .c = c, .at = at});
}
/// x as a truth: x ≠ 0, a comparison like any other.
std::uint32_t Compiler::truth(std::uint32_t x, std::size_t at) {
  if (nodes_[x].truth) { return x; }
  return operation(Code::negation, at, operation(Code::equal, at, x, constant(0)));
}

// ---- text ----------------------------------------------------------------------------------------------------------

class Compiler::Reader {
 public:
  Reader(Compiler& compiler, std::string_view text, const std::string& definition)
      : compiler_(&compiler), text_(text), definition_(&definition) {}

  /// The node of the whole text; nothing where it is not a formula. Mistakes have been added then.
  std::optional<std::uint32_t> whole() {
    if (text_.size() > kLongest) {
      refuse(0, {.what = std::to_string(text_.size()) + " characters", .allowed = "allowed: 2000", .cure = {}});
      return {};
    }
    for (std::size_t i = 0; i < text_.size(); ++i) {
      const auto c = static_cast<unsigned char>(text_[i]);
      if (c < 0x20 || c >= 0x7F || c == '"' || c == '\'') {
        refuse(i, "character " + std::to_string(i + 1) + " has no meaning in a formula");
        return {};
      }
    }
    skip_blanks();
    if (rest().empty()) {
      refuse(0, "the formula is empty");
      return {};
    }
    const std::uint32_t result = choice();
    if (gave_up_) { return {}; }
    if (rest().empty()) { return result; }
    if (rest()[0] == ')') {
      refuse(position_, "a parenthesis too many");
    } else if (rest()[0] == ',') {
      refuse(0, {.what = "gives more than one number", .allowed = {}, .cure = "write decimals with a point: 2.5"});
    } else {
      refuse_here();
    }
    return {};
  }

 private:
  std::string_view rest() const { return text_.substr(position_); }
  void skip_blanks() {
    while (position_ < text_.size() && text_[position_] == ' ') { ++position_; }
  }
  void advance(std::size_t count) {
    position_ += count;
    skip_blanks();
  }
  bool take(std::string_view sign) {
    if (!rest().starts_with(sign)) { return false; }
    advance(sign.size());
    return true;
  }
  void refuse(std::size_t at, Problem problem) {
    compiler_->mistakes_.push_back({*definition_, at, std::move(problem)});
  }
  void refuse(std::size_t at, std::string what) {
    refuse(at, Problem{.what = std::move(what), .allowed = {}, .cure = {}});
  }
  /// After this nothing can be understood: everything returns at once.
  std::uint32_t give_up(std::size_t at, std::string what, std::string cure = {}) {
    if (!gave_up_) { refuse(at, {.what = std::move(what), .allowed = {}, .cure = std::move(cure)}); }
    gave_up_ = true;
    return compiler_->constant(0);
  }
  void refuse_here() {
    if (rest().empty()) {
      give_up(position_, "the formula ends too early");
      return;
    }
    std::string_view token = leading_name(rest());
    if (token.empty()) { token = rest().substr(0, 1); }
    if (is_digit(token[0])) {
      std::size_t length = 1;
      while (length < rest().size() && is_digit(rest()[length])) { ++length; }
      token = rest().substr(0, length);
    }
    give_up(position_, "'" + std::string(token) + "' is not expected here",
            token == "="       ? "write == to compare"
            : is_second_star() ? "write ^ for powers"
                               : std::string());
  }

  bool is_second_star() const { return rest()[0] == '*' && position_ > 0 && text_[position_ - 1] == '*'; }

  struct Deeper {
    explicit Deeper(Reader& reader) : reader_(&reader) {
      ++reader.depth_;
      ++reader.compiler_->depth_;
    }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    ~Deeper() {
      --reader_->depth_;
      --reader_->compiler_->depth_;
    }
    Reader* reader_;
  };

  bool too_deep() const { return depth_ > kDeepest || compiler_->depth_ > kDeepestOfAll; }

  std::uint32_t choice() {
    const Deeper deeper(*this);
    if (too_deep()) { return give_up(position_, "too many parentheses or choices inside each other"); }
    const std::uint32_t condition = operators(1);
    const std::size_t at = position_;
    if (gave_up_ || !take("?")) { return condition; }
    const std::uint32_t then = choice();
    if (gave_up_) { return then; }
    if (!take(":")) { return give_up(position_, "a '?' without its ':'"); }
    const std::uint32_t otherwise = choice();
    if (gave_up_) { return otherwise; }
    const std::uint32_t result =
        compiler_->operation(Code::choose, at, compiler_->truth(condition, at), then, otherwise);
    // definitions that were read before count too
    if (compiler_->nodes_[result].choices > kDeepestOfAll) { return give_up(at, "too many choices inside each other"); }
    return result;
  }

  /// Operators at least as tight as `tightness`; all group to the left.
  std::uint32_t operators(int tightness) {
    std::uint32_t left = sign();
    bool is_comparison = false;  // what stands left of the next operator
    while (!gave_up_) {
      const auto* const found = std::find_if(std::begin(kOperators), std::end(kOperators),
                                             [&](const Operator& one) { return rest().starts_with(one.sign); });
      if (found == std::end(kOperators) || found->tightness < tightness) { break; }
      const std::size_t at = position_;
      if (is_comparison && found->tightness == kComparison) {
        return give_up(at,
                       "'" + std::string(found->sign) + "' behind another comparison would compare its truth, 1 or 0",
                       "write a < b && b < c, or put the first comparison into parentheses");
      }
      is_comparison = found->tightness == kComparison;
      advance(found->sign.size());
      std::uint32_t right = operators(found->tightness + 1);
      if (gave_up_) { break; }
      if (found->code == Code::both || found->code == Code::either) {
        left = compiler_->truth(left, at);
        right = compiler_->truth(right, at);
      }
      if (found->swapped) { std::swap(left, right); }
      left = compiler_->operation(found->code, at, left, right);
      if (found->negated) { left = compiler_->operation(Code::negation, at, left); }
    }
    return left;
  }

  /// One sign or none, then a power: −a^b is −(a^b).
  std::uint32_t sign() {
    const std::size_t at = position_;
    const char first = rest().empty() ? '\0' : rest()[0];
    if (first != '-' && first != '+' && first != '!') { return power(); }
    advance(1);
    const char second = rest().empty() ? '\0' : rest()[0];
    if (second == '-' || second == '+' || second == '!') {
      return give_up(position_, "'" + std::string(1, second) + "' is not expected here",
                     "put a signed number behind a sign into parentheses");
    }
    const std::uint32_t x = power();
    if (gave_up_) { return x; }
    switch (first) {
      case '-':
        return compiler_->operation(Code::negative, at, x);
      case '!':
        return compiler_->operation(Code::negation, at, compiler_->truth(x, at));
      default:
        return x;
    }
  }

  /// a^b^c is a^(b^c), and b may have a sign.
  std::uint32_t power() {
    const Deeper deeper(*this);
    if (too_deep()) { return give_up(position_, "too many parentheses or powers inside each other"); }
    const std::uint32_t base = primary();
    const std::size_t at = position_;
    if (gave_up_ || !take("^")) { return base; }
    const std::uint32_t exponent = sign();
    return gave_up_ ? exponent : compiler_->operation(Code::power, at, base, exponent);
  }

  std::uint32_t primary() {
    const std::size_t at = position_;
    if (rest().empty()) { return give_up(position_, "the formula ends too early"); }
    if (take("(")) {
      const std::uint32_t inside = choice();
      return close() ? inside : compiler_->constant(0);
    }
    if (is_digit(rest()[0]) || rest()[0] == '.') { return number(); }
    const std::string_view name = leading_name(rest());
    if (name.empty()) {
      refuse_here();
      return compiler_->constant(0);
    }
    advance(name.size());
    if (const KnownFunction* function = function_of(name)) { return call(*function, at); }
    if (name == "pi") { return compiler_->operation(Code::pi, at); }
    if (const std::optional<Input> input = compiler_->scope_->find(name)) { return compiler_->input(*input); }
    if (const std::string* text = compiler_->scope_->definition(name)) { return defined(name, *text, at); }
    refuse_unknown(name, at);
    if (!rest().empty() && rest()[0] == '(') { gave_up_ = true; }  // a call of what is no function
    return compiler_->constant(0);
  }

  std::uint32_t number() {
    const std::string_view text = rest();
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const auto length = static_cast<std::size_t>(end - text.data());
    if (error == std::errc::result_out_of_range) {
      return give_up(position_, "'" + std::string(text.substr(0, length)) + "' is too large or too small a number");
    }
    if (error != std::errc()) {
      refuse_here();
      return compiler_->constant(0);
    }
    const std::string_view behind = text.substr(length);
    if (!behind.empty() && (is_letter(behind[0]) || behind[0] == '.')) {
      const std::string_view name = leading_name(behind);
      return give_up(position_ + length,
                     "'" + std::string(name.empty() ? behind.substr(0, 1) : name) + "' is not expected here",
                     name.empty() ? std::string() : "write * between factors");
    }
    advance(length);
    return compiler_->constant(value);
  }

  std::uint32_t call(const KnownFunction& function, std::size_t at) {
    const std::string name(function.name);
    if (!take("(")) {
      return give_up(at, "'" + name + "' is a function", "put what it is of into parentheses: " + name + "(...)");
    }
    std::uint32_t arguments[2] = {0, 0};
    int count = 0;
    if (rest().empty() || rest()[0] != ')') {
      do {
        const std::uint32_t one = choice();
        if (gave_up_) { return one; }
        if (count < 2) { arguments[count] = one; }
        ++count;
      } while (take(","));
    }
    if (!close()) { return compiler_->constant(0); }
    if (count != function.arguments) {
      refuse(at, {.what = std::string(count < function.arguments ? "too few" : "too many") + " arguments for '" + name +
                          "'",
                  .allowed = "allowed: " + std::to_string(function.arguments),
                  .cure = {}});
      return compiler_->constant(0);
    }
    return compiler_->operation(function.code, at, arguments[0], arguments[1]);
  }

  bool close() {
    if (gave_up_ || take(")")) { return !gave_up_; }
    if (rest().empty()) {
      give_up(position_, "a parenthesis is not closed");
    } else if (rest()[0] == ',') {
      give_up(position_, "',' is not expected here", "only functions of two numbers have a comma");
    } else {
      refuse_here();
    }
    return false;
  }

  std::uint32_t defined(std::string_view name, const std::string& text, std::size_t at) {
    std::vector<std::string>& reading = compiler_->reading_;
    const auto begin = std::find(reading.begin(), reading.end(), name);
    if (begin != reading.end()) {
      std::string way;
      for (auto one = begin; one != reading.end(); ++one) { way += *one + " -> "; }
      refuse(at, "the definitions go in a circle: " + way + std::string(name));
      return compiler_->constant(0);
    }
    return compiler_->defined(name, text);
  }

  void refuse_unknown(std::string_view name, std::size_t at) {
    if (std::string why = compiler_->scope_->why_unknown(name); !why.empty()) {
      refuse(at, Problem{.what = "unknown name '" + std::string(name) + "'", .allowed = std::move(why), .cure = {}});
      return;
    }
    std::vector<std::string_view> known = compiler_->scope_->names();
    known.push_back("pi");
    for (const KnownFunction& f : kFunctions) { known.push_back(f.name); }
    Problem problem = unknown_name("name", name, known);
    constexpr std::size_t kListed = 60;
    if (!problem.cure.empty() || known.size() > kListed) { problem.allowed.clear(); }  // the list is long
    const std::string declare = compiler_->scope_->how_to_declare(name);
    if (!declare.empty()) { problem.cure += (problem.cure.empty() ? "" : " or ") + declare; }
    refuse(at, std::move(problem));
  }

  Compiler* compiler_;
  std::string_view text_;
  const std::string* definition_;
  std::size_t position_ = 0;
  int depth_ = 0;
  bool gave_up_ = false;
};

std::uint32_t Compiler::read(std::string_view text, const std::string& definition) {
  const std::size_t before = mistakes_.size();
  const std::optional<std::uint32_t> result = Reader(*this, text, definition).whole();
  return result && mistakes_.size() == before ? *result : constant(0);
}

std::uint32_t Compiler::defined(std::string_view name, const std::string& text) {
  const auto found = definitions_.find(name);
  if (found != definitions_.end()) { return found->second.value_or(constant(0)); }
  if (reading_.size() >= kDeepest) {
    mistakes_.push_back(
        {std::string(name), 0, {.what = "too many definitions inside each other", .allowed = {}, .cure = {}}});
    return constant(0);
  }
  reading_.emplace_back(name);
  const std::uint32_t result = read(text, reading_.back());
  reading_.pop_back();
  definitions_.emplace(std::string(name), result);
  return result;
}

std::size_t Compiler::add(std::string_view text) {
  outputs_.push_back(read(text, {}));
  return outputs_.size() - 1;
}

// ---- from nodes to a tape
// --------------------------------------------------------------------------------------------

/// What is known of the operations behind a skip, which has their number.
Side Compiler::side_of(const Tape& tape, std::size_t skip) {
  const std::span<const Op> ops = std::span(tape.ops_).subspan(skip + 1);
  const auto first = static_cast<std::uint32_t>(tape.slot_of(ops.data()));
  const auto last = static_cast<std::uint32_t>(tape.slot_of(&ops.back()));
  Side side;
  const auto add = [](std::vector<std::uint32_t>& slots, std::uint32_t slot) {
    if (std::find(slots.begin(), slots.end(), slot) == slots.end()) { slots.push_back(slot); }
  };
  std::size_t functions = 0;
  side.gives.push_back(last);  // of all that is in it, the choice reads the last
  for (const Op& op : ops) {
    const std::uint32_t arguments[] = {op.a, op.b, op.c};
    for (int i = 0; i < argument_count(op.code); ++i) {
      if (arguments[i] >= tape.first_input() && arguments[i] < first) { add(side.reads, arguments[i]); }
    }
    if (is_elementary(op.code)) {
      side.is_costly = true;
      functions += op.code == Code::sqrt ? 0 : 1;
    }
    if (is_skip(op.code) || !facts(op.code).switches) { continue; }
    // modes() looks at the arguments of a switch; where its own side of a choice is not taken, they stay what they were
    for (int i = 0; i < argument_count(op.code); ++i) {
      if (arguments[i] < first) { continue; }
      add(side.gives, arguments[i]);
      add(side.reads, arguments[i]);
    }
  }
  side.is_worth_moving = 4 * functions > 2 + side.reads.size() + side.gives.size();
  return side;
}

/// Where each operation is done. What only one side of a choice needs belongs to the region of that side, which is
/// skipped when the other side is taken; a region is the innermost one that holds all uses.
struct Compiler::Schedule {
  struct Region {
    int outer = -1;
    int depth = 0;
    std::vector<std::uint32_t> nodes;
  };
  static constexpr int kUnused = -1;

  explicit Schedule(const Compiler& compiler) : nodes(&compiler.nodes_), region_of(nodes->size(), kUnused) {
    regions.push_back({});
    sides.resize(nodes->size());
    for (const std::uint32_t output : compiler.outputs_) { use(output, 0); }
    for (std::uint32_t i = static_cast<std::uint32_t>(nodes->size()); i-- > 0;) {
      if (region_of[i] == kUnused) { continue; }
      const Node& node = (*nodes)[i];
      if (node.kind != Node::Kind::operation) { continue; }
      const int here = region_of[i];
      const std::uint32_t arguments[] = {node.a, node.b, node.c};
      if (node.code == Code::choose && node.pace == Pace::state) {
        sides[i] = {static_cast<int>(regions.size()), static_cast<int>(regions.size()) + 1};
        for (int side = 0; side < 2; ++side) { regions.push_back({here, regions[at(here)].depth + 1, {}}); }
        use(node.a, here);
        use(node.b, sides[i].first);
        use(node.c, sides[i].second);
        continue;
      }
      for (int k = 0; k < facts(node.code).arguments; ++k) { use(arguments[k], here); }
    }
    for (std::uint32_t i = 0; i < nodes->size(); ++i) {
      if (region_of[i] != kUnused) { regions[at(region_of[i])].nodes.push_back(i); }
    }
  }

  void use(std::uint32_t node, int region) {
    int& now = region_of[node];
    if ((*nodes)[node].pace != Pace::state) { region = 0; }  // done beforehand
    now = now == kUnused ? region : common(now, region);
  }
  int common(int a, int b) const {
    while (a != b) {
      int& deeper = regions[at(a)].depth >= regions[at(b)].depth ? a : b;
      deeper = regions[at(deeper)].outer;
    }
    return a;
  }

  /// Not for two or three quick operations; choices inside count as long.
  bool is_worth_skipping(int region) const {
    int length = 0;
    for (const std::uint32_t i : regions[at(region)].nodes) {
      const Node& node = (*nodes)[i];
      if (node.kind != Node::Kind::operation) { continue; }
      length += is_elementary(node.code) || node.code == Code::choose ? 4 : 1;
    }
    return length > 3;
  }

  const std::vector<Node>* nodes;
  std::vector<int> region_of;
  std::vector<Region> regions;
  std::vector<std::pair<int, int>> sides;  ///< of a choice: the regions of then and otherwise
};

Tape Compiler::finish() const {
  const Schedule schedule(*this);
  Tape tape;
  std::vector<std::uint32_t> slot(nodes_.size());
  for (const std::uint32_t i : schedule.regions[0].nodes) {
    if (nodes_[i].kind != Node::Kind::constant) { continue; }
    slot[i] = static_cast<std::uint32_t>(tape.constants_.size());
    tape.constants_.push_back(nodes_[i].number);
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].kind != Node::Kind::input || schedule.region_of[i] == Schedule::kUnused) { continue; }
    slot[i] = static_cast<std::uint32_t>(tape.constants_.size() + tape.inputs_.size());
    tape.inputs_.push_back({nodes_[i].a, nodes_[i].pace});
  }
  const std::size_t first_op = tape.constants_.size() + tape.inputs_.size();
  const auto emit = [&](std::uint32_t i) {
    const Node& node = nodes_[i];
    slot[i] = static_cast<std::uint32_t>(first_op + tape.ops_.size());
    const int count = facts(node.code).arguments;
    Op op{node.code, count > 0 ? slot[node.a] : 0, count > 1 ? slot[node.b] : 0, count > 2 ? slot[node.c] : 0};
    if (facts(node.code).switches) {
      op.c = static_cast<std::uint32_t>(tape.switches_.size());
      tape.switches_.push_back({node.code, op.a, op.b, slot[i], node.at});
    }
    tape.ops_.push_back(op);
  };
  const auto emit_region = [&](const auto& self, int region) -> void {
    for (const std::uint32_t i : schedule.regions[at(region)].nodes) {
      const Node& node = nodes_[i];
      if (node.kind != Node::Kind::operation || node.pace != Pace::state) { continue; }
      const auto [then, otherwise] = schedule.sides[i];
      for (const auto& [side, code] :
           {std::pair{then, Code::skip_if_zero}, std::pair{otherwise, Code::skip_unless_zero}}) {
        if (side == 0) { continue; }
        const std::size_t skip = tape.ops_.size();
        const bool skips = schedule.is_worth_skipping(side);
        if (skips) { tape.ops_.push_back({code, slot[node.a], 0, 0}); }
        self(self, side);
        if (skips) {
          tape.ops_[skip].b = static_cast<std::uint32_t>(tape.ops_.size() - skip - 1);
          tape.ops_[skip].c = static_cast<std::uint32_t>(tape.sides_.size());
          tape.sides_.push_back(side_of(tape, skip));
        }
      }
      emit(i);
    }
  };
  for (const Pace pace : {Pace::constant, Pace::parameter}) {
    for (const std::uint32_t i : schedule.regions[0].nodes) {
      if (nodes_[i].kind == Node::Kind::operation && nodes_[i].pace == pace) { emit(i); }
    }
    (pace == Pace::constant ? tape.parameters_from_ : tape.state_from_) = tape.ops_.size();
  }
  emit_region(emit_region, 0);
  for (const std::uint32_t output : outputs_) { tape.outputs_.push_back(slot[output]); }
  return tape;
}

}  // namespace polhode::formula
