#include "polhode/formula/function.h"

namespace polhode::formula {

Function::Function(Tape tape, std::span<const double> parameters) {
  auto book = std::make_shared<Book>();
  book->tape = std::move(tape);
  Evaluation<double> evaluation(book->tape);
  const std::span<double> all = evaluation.inputs();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Input& input = book->tape.inputs()[i];
    if (input.pace == Pace::parameter) {
      all[i] = parameters[input.id];
    } else {
      book->inputs.push_back(input);
      book->slot_of_input.push_back(book->tape.first_input() + i);
    }
  }
  evaluation.parameters_changed();
  const std::size_t count = book->tape.slot_count() - book->tape.ops(Pace::state).size();
  book->constant_slots.reserve(count);
  for (std::size_t i = 0; i < count; ++i) { book->constant_slots.push_back(evaluation.slot(i)); }
  book_ = std::move(book);
}

}  // namespace polhode::formula
