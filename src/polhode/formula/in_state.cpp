#include "polhode/formula/in_state.h"

#include "polhode/formula/compiler.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace polhode::formula {
namespace {

/// The degree of a formula in what it looks at; ∞ where it is no polynomial.
double degree_of(const Function& function) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  const Tape& tape = function.tape();
  std::vector<double> degree(tape.slot_count());
  for (std::size_t i = 0; i < function.inputs().size(); ++i) { degree[function.slot_of_input(i)] = 1; }
  const std::size_t first_of_state = tape.slot_count() - tape.ops(Pace::state).size();
  for (const Op& op : tape.ops(Pace::state)) {
    double& to = degree[tape.slot_of(&op)];
    const std::uint32_t arguments[] = {op.a, op.b, op.c};
    double most = 0;
    for (int k = 0; k < argument_count(op.code); ++k) { most = std::fmax(most, degree[arguments[k]]); }
    switch (op.code) {
      case Code::add:
      case Code::subtract:
      case Code::negative:
        to = most;
        break;
      case Code::multiply:
        to = degree[op.a] + degree[op.b];
        break;
      case Code::divide:
        to = degree[op.b] == 0 ? degree[op.a] : kNone;
        break;
      case Code::power: {
        const double n = op.b < first_of_state ? function.constant_slots()[op.b] : -1;
        to = degree[op.b] == 0 && n >= 0 && n == std::floor(n) ? n * degree[op.a] : kNone;
        break;
      }
      default:
        to = most == 0 ? 0 : kNone;
        break;
    }
  }
  double most = 0;
  for (std::size_t i = 0; i < tape.output_count(); ++i) { most = std::fmax(most, degree[tape.output(i)]); }
  return most;
}

class OneName final : public Scope {
 public:
  std::optional<Input> find(std::string_view name) const override {
    return name == "x" ? std::optional<Input>(Input{0, Pace::state}) : std::nullopt;
  }
  std::vector<std::string_view> names() const override { return {"x"}; }
};

}  // namespace

LawOfState::LawOfState(std::string name, Function function, const std::function<bool(const Input&)>& time,
                       bool watches_sign) {
  constexpr double kSeenByLooks = 8;  // nine of them fix a polynomial of this degree
  for (const Input& input : function.inputs()) { is_time.push_back(time(input)); }
  can_hide = !(degree_of(function) <= kSeenByLooks);
  one.emplace_back(std::move(name), std::move(function), [](const Input&) { return true; });
  one.front().watches_sign = watches_sign;
}

bool LawOfState::looks_at_state() const { return std::find(is_time.begin(), is_time.end(), false) != is_time.end(); }

LawOfState sign_of_number(std::string name) {
  const OneName scope;
  Compiler compiler(scope);
  compiler.add("x");
  return {std::move(name), Function(compiler.finish(), {}), [](const Input&) { return false; }, true};
}

StateSearch::StateSearch(const LawOfState& law, double relative, double absolute)
    : law_(&law), relative_(relative), absolute_(absolute), path_(law.is_time.size()), search_(law.one, &path_) {}

std::optional<TimeJump> StateSearch::first_switch(double theta) {
  constexpr double kFirstLook = 0x1p-40;
  if (theta == 0) {
    leaves_edge_ = leaves_edge_ || search_.is_on_edge(0);
    clear_ = 0;
    if (leaves_edge_) {
      clear_ = kFirstLook;
      while (clear_ < 1 && !search_.is_settled_at(clear_)) { clear_ *= 2; }
      leaves_edge_ = clear_ >= 1;
      if (const std::optional<TimeJump> found = search_.switch_by_ends(0, clear_)) { return found; }
    }
  }
  const double from = std::fmax(theta, clear_);
  return from < 1 ? search_.first_switch(from, 1) : std::nullopt;
}

bool StateSearch::along(Path::Look look) {
  if (path_.follow(std::move(look), law_->is_time, relative_, absolute_)) { return true; }
  ++not_followed_;
  return false;
}

}  // namespace polhode::formula
