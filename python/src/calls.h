#pragma once

#include "polhode/force/kind.h"
#include "polhode/run/run.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

/// Python's part in long calls: its functions are called, its signals are heard, its lock is not held otherwise.
namespace polhode::python {

namespace nb = nanobind;

template <class... Config>
using Doubles = nb::ndarray<const double, nb::c_contig, nb::device::cpu, Config...>;
using Array = nb::ndarray<nb::numpy, double>;

/// Numbers that Python owns from here on.
template <std::size_t N>
Array array(std::vector<double> numbers, const std::array<std::size_t, N>& shape) {
  auto* held = new std::vector<double>(std::move(numbers));
  const nb::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  return Array(held->data(), N, shape.data(), owner);
}

/// What a function of Python has thrown during a call of ours: the first, to be thrown again behind it. And the
/// functions themselves, which are let go when the call is over: what is kept of a run must not keep them, and all that
/// they see.
class Caught {
 public:
  ~Caught() { let_go(); }

  /// A place that holds a function until let_go().
  std::shared_ptr<nb::object> hold(nb::object function) {
    functions_.push_back(std::make_shared<nb::object>(std::move(function)));
    return functions_.back();
  }
  void let_go() {
    if (functions_.empty()) { return; }
    const nb::gil_scoped_acquire lock;
    for (const std::shared_ptr<nb::object>& function : functions_) { function->reset(); }
    functions_.clear();
  }

  void keep(std::exception_ptr error) {
    const std::scoped_lock lock(mutex_);
    if (!error_) { error_ = std::move(error); }
  }
  bool any() const {
    const std::scoped_lock lock(mutex_);
    return error_ != nullptr;
  }
  const std::exception_ptr& error() const { return error_; }

 private:
  mutable std::mutex mutex_;
  std::exception_ptr error_;
  std::vector<std::shared_ptr<nb::object>> functions_;
};

/// Whether a call goes on: asked often, it looks for Ctrl-C some twenty times a second. `told` is a function of Python
/// for progress, or None.
std::function<bool()> goes_on(const std::shared_ptr<Caught>& caught);

/// Functions of Python, or addresses of C functions, as laws of a scenario: {"pd": function}.
///
/// A function of Python takes a State and returns a Wrench, or None for nothing. Where it throws, the law is NaN, the
/// run ends with the rows before, and the exception comes out of the call. An address (an int) is that of
///
///   void law(const double state[14], double wrench[6])
///
/// state: t, r_N (3), v_N (3), e_NB (4), w_B (3); wrench: force_N (3), moment_B (3).
force::Laws laws_from(const nb::dict& laws, const std::shared_ptr<Caught>& caught);

/// {"spin": 20.0}
Named<double> values_from(const nb::dict& values);

}  // namespace polhode::python
