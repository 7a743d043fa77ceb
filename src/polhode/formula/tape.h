#pragma once

#include "polhode/core/error.h"
#include "polhode/math/elementary.h"
#include "polhode/math/piecewise.h"

#include <complex>
#include <cstdint>
#include <functional>
#include <new>
#include <span>
#include <string>
#include <type_traits>
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
  skip_if_zero,      ///< where slot a is 0, the next b operations are not needed; they are side c of the tape
  skip_unless_zero,  ///< the same where slot a is not 0
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

/// Operations that only one side of a choice needs, and that are skipped where the other is taken. Where only some
/// lanes of a pack take the side, it may be computed in a pack that holds just these.
struct Side {
  bool is_costly = false;        ///< holds an elementary function: it takes longer than looking at all lanes of a pack
  bool is_worth_moving = false;  ///< its elementary functions take longer than moving lanes to a narrower pack and back
  std::vector<std::uint32_t> reads;  ///< slots that must be there beforehand, but for constants
  std::vector<std::uint32_t> gives;  ///< slots of it that are looked at afterwards
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
  const std::vector<Side>& sides() const { return sides_; }
  /// Of formula i, the slot that holds its value.
  std::uint32_t output(std::size_t i = 0) const { return outputs_[i]; }
  std::size_t output_count() const { return outputs_.size(); }
  std::size_t slot_count() const { return constants_.size() + inputs_.size() + ops_.size(); }
  std::size_t first_input() const { return constants_.size(); }
  /// The slot of an operation of this tape.
  std::size_t slot_of(const Op* op) const {
    return constants_.size() + inputs_.size() + static_cast<std::size_t>(op - ops_.data());
  }

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
  std::vector<Side> sides_;
  std::vector<std::uint32_t> outputs_;
};

/// How many arguments an operation has.
int argument_count(Code code);

namespace detail {

struct NoSlots {
  void resize(std::size_t) {}
  void set(std::size_t, double) {}
};
/// Memory for the slots of a tape, and of the narrower number types that sides of choices may be computed in.
template <class S>
struct Slots {
  std::vector<S> values;
  std::conditional_t<Narrows<S>, Slots<Narrower<S>>, NoSlots> narrower;

  void resize(std::size_t count) {
    values.resize(count);
    narrower.resize(count);
  }
  /// A number that is the same in all lanes.
  void set(std::size_t slot, double number) {
    values[slot] = S(number);
    narrower.set(slot, number);
  }
};

template <class S>
void run(const Tape& tape, std::span<const Op> ops, Slots<S>& memory, const double* modes);

/// Does one side of a choice in the lanes that take it, `count` of them, in the narrowest pack that holds them. Gives
/// whether there is one.
template <class S, class Lanes, class Few>
bool run_side(const Tape& tape, const Op* skip, const Lanes& lanes, std::size_t count, std::vector<S>& slots,
              Slots<Few>& memory, const double* modes) {
  if (count > Few::kLanes) { return false; }
  if constexpr (Narrows<Few>) {
    if (run_side(tape, skip, lanes, count, slots, memory.narrower, modes)) { return true; }
  }
  const Side& side = tape.sides()[skip->c];
  for (const std::uint32_t slot : side.reads) { lanes.take(slots[slot], memory.values[slot]); }
  run<Few>(tape, {skip + 1, skip->b}, memory, modes);
  for (const std::uint32_t slot : side.gives) { lanes.put(memory.values[slot], slots[slot]); }
  return true;
}

/// Whether one side of a choice need not be done: no lane takes it, or those that do have been computed here.
template <class S>
bool is_done(const Tape& tape, const Op* skip, const S& truth, Slots<S>& memory, const double* modes) {
  const bool where_taken = skip->code == Code::skip_if_zero;
  if constexpr (kHoldsOneValue<S>) {
    return is_settled(truth, !where_taken);
  } else {
    const Side& side = tape.sides()[skip->c];
    if (!side.is_costly) { return false; }
    if constexpr (Narrows<S>) {
      const auto lanes = some_lanes(truth, where_taken);
      if (lanes.none() || lanes.all() || !side.is_worth_moving) { return lanes.none(); }
      return run_side(tape, skip, lanes, lanes.count(), memory.values, memory.narrower, modes);
    } else {
      return is_settled(truth, !where_taken);
    }
  }
}

/// Does operations one after the other, each result made where its slot is: packs are not copied. With `modes` every
/// switch stays on the piece that its mode names, whatever its arguments are.
template <class S>
void run(const Tape& tape, std::span<const Op> ops, Slots<S>& memory, const double* modes) {
  S* const slots = memory.values.data();
  S* to = slots + tape.slot_of(ops.data());
  for (const Op* op = ops.data(); op != ops.data() + ops.size(); ++op, ++to) {
    const S& a = slots[op->a];
    switch (op->code) {
#define POLHODE_ARGUMENTS_0
#define POLHODE_ARGUMENTS_1
#define POLHODE_ARGUMENTS_2 const S& b = slots[op->b];
#define POLHODE_ARGUMENTS_3  \
  const S& b = slots[op->b]; \
  const S& c = slots[op->c];
#define CODE(name, arguments, expression)                 \
  case Code::name: {                                      \
    POLHODE_ARGUMENTS_##arguments new (to) S(expression); \
    break;                                                \
  }
#include "polhode/formula/codes.def"
#undef CODE
#define SWITCH(name, arguments, value, mode_of, with_mode) \
  case Code::name: {                                       \
    POLHODE_ARGUMENTS_##arguments if (modes != nullptr) {  \
      const S m = static_cast<S>(modes[op->c]);            \
      new (to) S(with_mode);                               \
    }                                                      \
    else { new (to) S(value); }                            \
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
          if (is_done(tape, op, a, memory, modes)) {
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
  explicit Evaluation(const Tape& tape) : tape_(&tape) {
    slots_.resize(tape.slot_count());
    for (std::size_t i = 0; i < tape.constants().size(); ++i) { slots_.set(i, tape.constants()[i]); }
    run(Pace::constant, nullptr);
  }

  /// In the order of Tape::inputs().
  std::span<S> inputs() { return std::span(slots_.values).subspan(tape_->first_input(), tape_->inputs().size()); }
  /// To be called when inputs of pace `parameter` have changed.
  void parameters_changed() { run(Pace::parameter, nullptr); }
  /// In place of parameters_changed(): takes what does not change with the state from an evaluation by plain numbers.
  /// What stands still has no derivative then, whatever function it is of: √0 and acos(−1) too.
  void take_parameters(const Evaluation<double>& plain) {
    const std::size_t first_op = tape_->first_input() + tape_->inputs().size();
    const std::size_t count = tape_->ops(Pace::constant).size() + tape_->ops(Pace::parameter).size();
    for (std::size_t i = first_op; i < first_op + count; ++i) { slots_.values[i] = S(plain.slot(i)); }
  }
  /// Does what depends on the state. With `modes`, one number a switch, each switch stays on its piece.
  void update(const double* modes = nullptr) { run(Pace::state, modes); }
  /// Value of formula i, after update().
  const S& operator[](std::size_t i) const { return slots_.values[tape_->output(i)]; }
  const S& slot(std::size_t i) const { return slots_.values[i]; }

  /// The modes that the switches are in, after update(): one number each. A switch on the side of a choice that was not
  /// taken keeps the mode that it had when it was; in a pack it may have that of now where another lane took the side.
  void modes(std::span<S> to) const {
    for (std::size_t i = 0; i < tape_->switches().size(); ++i) {
      const Switch& one = tape_->switches()[i];
      const S& a = slots_.values[one.a];
      const S& b = slots_.values[one.b];
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
  void run(Pace pace, const double* modes) { detail::run<S>(*tape_, tape_->ops(pace), slots_, modes); }

  const Tape* tape_;
  detail::Slots<S> slots_;
};

}  // namespace polhode::formula
