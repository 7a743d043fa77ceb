#pragma once

#include "polhode/core/error.h"
#include "polhode/math/elementary.h"
#include "polhode/math/piecewise.h"

#include <complex>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

/// Formulas as flat lists of operations: pure, shared by any number of threads, evaluated for any number type (double,
/// long double, complex, dual numbers, jets in time, intervals, packs of lanes). With double each operation is the one
/// that C++ would do, our own elementary functions included, so results have the same bits everywhere.
namespace polhode::formula {

enum class Code : std::uint32_t {
#define CODE(name, arguments, expression) name,
#include "polhode/formula/codes.def"
#undef CODE
#define SWITCH(name, arguments, value, mode, with_mode) name,
#include "polhode/formula/switches.def"
#undef SWITCH
  skip_if_zero,      ///< where slot a is 0, the next b operations are not needed
  skip_unless_zero,  ///< where slot a is not 0, the next b operations are not needed
};

/// One operation: its result goes into the next slot, its arguments are in slots a, b, c. A switch has two arguments at
/// most, and in c its number among the switches of the tape.
struct Op {
  Code code = Code::pi;
  std::uint32_t a = 0, b = 0, c = 0;
};

/// How often a number changes, from never to all the time. An operation is done anew when the quickest of its
/// arguments has changed.
enum class Pace : std::uint8_t { constant, parameter, state };

/// What a tape reads from outside.
struct Input {
  std::uint32_t id = 0;  ///< as the scope numbers its names
  Pace pace = Pace::state;
};

/// An operation that is not smooth: a comparison, or a function with an edge.
struct Switch {
  Code code = Code::less;
  std::uint32_t a = 0, b = 0;  ///< slots of its arguments; b only where there are two
  std::uint32_t slot = 0;      ///< of its result
  std::size_t at = 0;          ///< where it stands in the text of its formula
};

/// One or several formulas, compiled: slots hold constants, then inputs, then the results of the operations in order of
/// pace. Constant once made.
class Tape {
 public:
  const std::vector<double>& constants() const { return constants_; }
  const std::vector<Input>& inputs() const { return inputs_; }
  std::span<const Op> ops() const { return ops_; }
  std::span<const Op> ops(Pace pace) const;
  const std::vector<Switch>& switches() const { return switches_; }
  /// Of formula i, the slot that holds its value.
  std::uint32_t output(std::size_t i = 0) const { return outputs_[i]; }
  std::size_t output_count() const { return outputs_.size(); }
  std::size_t slot_count() const { return constants_.size() + inputs_.size() + ops_.size(); }
  std::size_t first_input() const { return constants_.size(); }

  /// Whether a formula reads this input of the scope.
  bool uses(std::uint32_t id) const;
  /// Whether a slot is made of constants and of inputs that `allowed` lets pass.
  bool reads_only(std::uint32_t slot, const std::function<bool(const Input&)>& allowed) const;

 private:
  friend class Compiler;
  std::vector<double> constants_;
  std::vector<Input> inputs_;
  std::vector<Op> ops_;
  std::size_t parameters_from_ = 0;  ///< first operation that is not constant
  std::size_t state_from_ = 0;       ///< first operation that changes with the state
  std::vector<Switch> switches_;
  std::vector<std::uint32_t> outputs_;
};

/// How many arguments an operation has.
int argument_count(Code code);

namespace detail {

/// Whether one of some operations takes as long as it takes to look at all lanes of a pack: an elementary function.
inline bool is_costly(const Op* ops, std::uint32_t count) {
  for (const Op* op = ops; op != ops + count; ++op) {
    if (op->code == Code::power || (op->code >= Code::sin && op->code <= Code::hypot)) { return true; }
  }
  return false;
}

/// Does operations one after the other, results into slots from `to` on. With `modes` every switch stays on the piece
/// that its mode names, whatever its arguments are.
template <class S>
void run(std::span<const Op> ops, S* slots, S* to, const double* modes) {
  for (const Op* op = ops.data(); op != ops.data() + ops.size(); ++op, ++to) {
    const S& a = slots[op->a];
    switch (op->code) {
#define POLHODE_ARGUMENTS_0
#define POLHODE_ARGUMENTS_1
#define POLHODE_ARGUMENTS_2 const S& b = slots[op->b];
#define POLHODE_ARGUMENTS_3  \
  const S& b = slots[op->b]; \
  const S& c = slots[op->c];
#define CODE(name, arguments, expression)           \
  case Code::name: {                                \
    POLHODE_ARGUMENTS_##arguments* to = expression; \
    break;                                          \
  }
#include "polhode/formula/codes.def"
#undef CODE
#define SWITCH(name, arguments, value, mode_of, with_mode) \
  case Code::name: {                                       \
    POLHODE_ARGUMENTS_##arguments if (modes != nullptr) {  \
      const S m = static_cast<S>(modes[op->c]);            \
      *to = with_mode;                                     \
    }                                                      \
    else { *to = value; }                                  \
    break;                                                 \
  }
#include "polhode/formula/switches.def"
#undef SWITCH
#undef POLHODE_ARGUMENTS_0
#undef POLHODE_ARGUMENTS_1
#undef POLHODE_ARGUMENTS_2
#undef POLHODE_ARGUMENTS_3
      case Code::skip_if_zero:
      case Code::skip_unless_zero:
        if constexpr (requires { is_settled(a, true); }) {
          if ((kHoldsOneValue<S> || is_costly(op + 1, op->b)) && is_settled(a, op->code == Code::skip_unless_zero)) {
            to += op->b;
            op += op->b;
          }
        }
        break;
    }
  }
}

}  // namespace detail

/// The numbers of one evaluation of a tape, for one thread: inputs are written in place, evaluating does not allocate.
/// The tape must outlive it.
template <class S>
class Evaluation {
 public:
  explicit Evaluation(const Tape& tape) : tape_(&tape), slots_(tape.slot_count()) {
    for (std::size_t i = 0; i < tape.constants().size(); ++i) { slots_[i] = S(tape.constants()[i]); }
    run(Pace::constant, nullptr);
  }

  /// In the order of Tape::inputs().
  std::span<S> inputs() { return std::span(slots_).subspan(tape_->first_input(), tape_->inputs().size()); }
  /// To be called when inputs of pace `parameter` have changed.
  void parameters_changed() { run(Pace::parameter, nullptr); }
  /// In place of parameters_changed(): takes what does not change with the state from an evaluation by plain numbers.
  /// What stands still has no derivative then, whatever function it is of: √0 and acos(−1) too.
  void take_parameters(const Evaluation<double>& plain) {
    const std::size_t first_op = tape_->first_input() + tape_->inputs().size();
    const std::size_t count = tape_->ops(Pace::constant).size() + tape_->ops(Pace::parameter).size();
    for (std::size_t i = first_op; i < first_op + count; ++i) { slots_[i] = S(plain.slot(i)); }
  }
  /// Does what depends on the state. With `modes`, one number a switch, each switch stays on its piece.
  void update(const double* modes = nullptr) { run(Pace::state, modes); }
  /// Value of formula i, after update().
  const S& operator[](std::size_t i) const { return slots_[tape_->output(i)]; }
  const S& slot(std::size_t i) const { return slots_[i]; }

  /// The modes that the switches are in, after update(): one number each. A switch on the side of a choice that was not
  /// taken keeps the mode that it had when it was.
  void modes(std::span<S> to) const {
    for (std::size_t i = 0; i < tape_->switches().size(); ++i) {
      const Switch& one = tape_->switches()[i];
      const S& a = slots_[one.a];
      const S& b = slots_[one.b];
      static_cast<void>(b);
      switch (one.code) {
#define SWITCH(name, arguments, value, mode, with_mode) \
  case Code::name:                                      \
    to[i] = mode;                                       \
    break;
#include "polhode/formula/switches.def"
#undef SWITCH
        default:
          break;
      }
    }
  }

 private:
  void run(Pace pace, const double* modes) {
    const std::span<const Op> ops = tape_->ops(pace);
    const std::size_t before = static_cast<std::size_t>(ops.data() - tape_->ops().data());
    detail::run<S>(ops, slots_.data(), slots_.data() + tape_->first_input() + tape_->inputs().size() + before, modes);
  }

  const Tape* tape_;
  std::vector<S> slots_;
};

}  // namespace polhode::formula
