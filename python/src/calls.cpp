#include "calls.h"

#include "polhode/core/error.h"

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

namespace polhode::python {

std::function<bool()> goes_on(const std::shared_ptr<Caught>& caught) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kBetween{50};
  auto next = std::make_shared<std::atomic<Clock::rep>>(0);
  return [caught, next, kBetween] {
    if (caught->any()) { return false; }
    const Clock::rep now = Clock::now().time_since_epoch().count();
    Clock::rep due = next->load(std::memory_order_relaxed);
    if (now < due) { return true; }
    const Clock::rep later = now + std::chrono::duration_cast<Clock::duration>(kBetween).count();
    if (!next->compare_exchange_strong(due, later)) { return true; }
    const nb::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() == 0) { return true; }
    caught->keep(std::make_exception_ptr(nb::python_error()));
    return false;
  };
}

namespace {

using Law = force::BodyLaw<double>;
using Wrench = force::BodyWrench<double>;
using State = BodyState<double>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
const Wrench kNoWrench{.force_N = {kNaN, kNaN, kNaN}, .moment_B = {kNaN, kNaN, kNaN}};

Law law_in_python(const std::string& name, nb::object function, const std::shared_ptr<Caught>& caught) {
  // a weak one: the laws of a run do not keep what holds them
  return [name, function = caught->hold(std::move(function)), weak = std::weak_ptr(caught)](const State& state) {
    const std::shared_ptr<Caught> call = weak.lock();
    if (!call || call->any()) { return kNoWrench; }
    const nb::gil_scoped_acquire lock;
    if (!function->is_valid()) { return kNoWrench; }
    try {
      const nb::object answer = (*function)(state);
      if (answer.is_none()) { return Wrench{}; }
      Wrench wrench;
      if (!nb::try_cast<Wrench>(answer, wrench)) {
        throw nb::type_error(fmt::format("law '{}' returned {}; wanted: polhode.Wrench(force_space=..., "
                                         "moment_body=...), or None for nothing",
                                         name, nb::cast<std::string>(nb::repr(answer)))
                                 .c_str());
      }
      return wrench;
    } catch (...) { call->keep(std::current_exception()); }
    return kNoWrench;
  };
}

Law law_at(std::uintptr_t address) {
  using Function = void (*)(const double*, double*);
  const auto function = reinterpret_cast<Function>(address);  // NOLINT(performance-no-int-to-ptr): as ctypes gives it
  return [function](const State& s) {
    const std::array<double, 14> state{s.t,       s.r_N.x,     s.r_N.y,     s.r_N.z,     s.v_N.x, s.v_N.y, s.v_N.z,
                                       s.e_NB.e0, s.e_NB.ev.x, s.e_NB.ev.y, s.e_NB.ev.z, s.w_B.x, s.w_B.y, s.w_B.z};
    std::array<double, 6> wrench{};
    function(state.data(), wrench.data());
    return Wrench{.force_N = {wrench[0], wrench[1], wrench[2]}, .moment_B = {wrench[3], wrench[4], wrench[5]}};
  };
}

}  // namespace

force::Laws laws_from(const nb::dict& laws, const std::shared_ptr<Caught>& caught) {
  force::Laws bound;
  for (const auto& [key, law] : laws) {
    const auto name = nb::cast<std::string>(nb::str(key));
    if (nb::isinstance<nb::int_>(law)) {
      const auto address = nb::cast<std::uintptr_t>(law);
      if (address == 0) { fail(Error(fmt::format("law '{}' is the address 0: no function is there", name))); }
      bound[name] = law_at(address);
    } else if (PyCallable_Check(law.ptr()) != 0) {
      bound[name] = law_in_python(name, nb::borrow(law), caught);
    } else {
      fail(Error(fmt::format("law '{}' is {}; wanted: a function of a State, or the address of a C function", name,
                             nb::cast<std::string>(nb::repr(law)))));
    }
  }
  return bound;
}

Named<double> values_from(const nb::dict& values) {
  Named<double> named;
  for (const auto& [key, value] : values) {
    const auto name = nb::cast<std::string>(nb::str(key));
    double number = 0;
    if (!nb::try_cast<double>(value, number) || !std::isfinite(number)) {
      fail(Error(
          fmt::format("parameter '{}' is {}; wanted: a finite number", name, nb::cast<std::string>(nb::repr(value)))));
    }
    named[name] = number;
  }
  return named;
}

}  // namespace polhode::python
