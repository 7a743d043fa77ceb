#pragma once

#include "polhode/formula/tape.h"

#include <algorithm>
#include <memory>

namespace polhode::formula {

/// One or several formulas whose parameters have been given their values: a pure function of the remaining inputs,
/// which any number of threads may call.
class Function {
 public:
  Function() = default;
  /// `parameters`: what the inputs of pace `parameter` are, by their id in the scope.
  Function(Tape tape, std::span<const double> parameters);

  const Tape& tape() const { return book_->tape; }
  std::size_t output_count() const { return book_->tape.output_count(); }
  /// The inputs of pace `state`, in the order in which their values are wanted.
  std::span<const Input> inputs() const { return book_->inputs; }
  /// The slot of the tape that input i goes to.
  std::size_t slot_of_input(std::size_t i) const { return book_->slot_of_input[i]; }
  /// The first slots of the tape: constants, inputs, and what is made of constants and parameters.
  std::span<const double> constant_slots() const { return book_->constant_slots; }

  /// Values of all formulas; `inputs` as inputs() lists them. Does not allocate, but for a thread's first calls.
  template <class S>
  void operator()(std::span<const S> inputs, std::span<S> values) const {
    const Book& book = *book_;
    thread_local detail::Slots<S> memory;
    if (memory.values.size() < book.tape.slot_count()) { memory.resize(book.tape.slot_count()); }
    std::vector<S>& slots = memory.values;
    const std::size_t constants = book.tape.constants().size();
    for (std::size_t i = 0; i < constants; ++i) { memory.set(i, book.constant_slots[i]); }
    for (std::size_t i = constants; i < book.constant_slots.size(); ++i) { slots[i] = S(book.constant_slots[i]); }
    for (std::size_t i = 0; i < inputs.size(); ++i) { slots[book.slot_of_input[i]] = inputs[i]; }
    detail::run<S>(book.tape, book.tape.ops(Pace::state), memory, nullptr);
    for (std::size_t i = 0; i < values.size(); ++i) { values[i] = slots[book.tape.output(i)]; }
  }

 private:
  struct Book {
    Tape tape;
    std::vector<Input> inputs;
    std::vector<std::size_t> slot_of_input;
    /// Constants, inputs, and what is made of constants and parameters: all slots before those of the state's pace.
    std::vector<double> constant_slots;
  };
  std::shared_ptr<const Book> book_;
};

}  // namespace polhode::formula
