#pragma once

#include "polhode/core/error.h"
#include "polhode/integrator/integrator.h"

#include <array>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

/// What the files of methods share.
namespace polhode {

/// Turns a description and a generic factory, `make.template operator()<S>(description, system)`, into an
/// Integrator<S>.
template <class S, class Make>
class DescribedMethod final : public Integrator<S> {
 public:
  DescribedMethod(MethodDescription description, Make make)
      : description_(std::move(description)), make_(std::move(make)) {}
  const MethodDescription& description() const override { return description_; }
  std::unique_ptr<Stepper<S>> bind(const System<S>& system) const override {
    for (const std::string& need : description_.needs) {
      if (offers<S>(system, need)) { continue; }
      const std::string why = system.absence(need);
      // what runs by tolerance is to run by tolerance after the cure
      fail(Error(Problem{.what = "integrator '" + description_.name + "' needs " + need + ", which this system (" +
                                 system.name() + ") does not offer" + (why.empty() ? "" : ": " + why),
                         .allowed = {},
                         .cure = description_.adaptive ? "try 'dop853'" : "try 'gauss4'"}));
    }
    return make_.template operator()<S>(description_, system);
  }

 private:
  MethodDescription description_;
  Make make_;
};

/// The list that a file of methods fills: one object for each number type in use.
struct MethodList {
  std::vector<std::shared_ptr<const Integrator<double>>> in_double;
  std::vector<std::shared_ptr<const Integrator<long double>>> in_long_double;
  std::vector<AbsentMethod> absent;

  template <class Make>
  void add(const MethodDescription& description, const Make& make) {
    in_double.push_back(std::make_shared<DescribedMethod<double, Make>>(description, make));
    in_long_double.push_back(std::make_shared<DescribedMethod<long double, Make>>(description, make));
  }
};

/// The factory of most methods: Method<S>(description, system).
template <template <class> class Method>
struct Bind {
  template <class S>
  std::unique_ptr<Stepper<S>> operator()(const MethodDescription& description, const System<S>& system) const {
    return std::make_unique<Method<S>>(description, system);
  }
};

/// A row of N numbers; N = 0: as many as the system has. Loops over rows of known size are unrolled by the compiler.
template <class S, std::size_t N>
class StateArray {
 public:
  explicit StateArray(std::size_t) {}
  static constexpr std::size_t size() { return N; }
  S& operator[](std::size_t i) { return entries_[i]; }
  const S& operator[](std::size_t i) const { return entries_[i]; }
  S* data() { return entries_.data(); }
  const S* data() const { return entries_.data(); }
  operator std::span<S>() { return entries_; }
  operator std::span<const S>() const { return entries_; }

 private:
  std::array<S, N> entries_{};
};
template <class S>
class StateArray<S, 0> {
 public:
  explicit StateArray(std::size_t n) : entries_(n) {}
  std::size_t size() const { return entries_.size(); }
  S& operator[](std::size_t i) { return entries_[i]; }
  const S& operator[](std::size_t i) const { return entries_[i]; }
  S* data() { return entries_.data(); }
  const S* data() const { return entries_.data(); }
  operator std::span<S>() { return entries_; }
  operator std::span<const S>() const { return entries_; }

 private:
  std::vector<S> entries_;
};

template <class S, std::size_t N, std::size_t Count>
std::array<StateArray<S, N>, Count> rows(std::size_t n) {
  return [n]<std::size_t... J>(std::index_sequence<J...>) {
    return std::array<StateArray<S, N>, Count>{((void)J, StateArray<S, N>(n))...};
  }(std::make_index_sequence<Count>{});
}

/// Calls `use(std::integral_constant<std::size_t, N>{})` with N = n for the sizes that one body has, else with 0.
template <class Use>
auto with_size(std::size_t n, const Use& use) {
  switch (n) {
    case 6:
      return use(std::integral_constant<std::size_t, 6>{});
    case 7:
      return use(std::integral_constant<std::size_t, 7>{});
    case 8:
      return use(std::integral_constant<std::size_t, 8>{});
    case 13:
      return use(std::integral_constant<std::size_t, 13>{});
    default:
      return use(std::integral_constant<std::size_t, 0>{});
  }
}

/// Binds Method<S, N> with N the size of the system where it is one of the sizes of one body.
template <template <class, std::size_t> class Method>
struct BindBySize {
  template <class S>
  std::unique_ptr<Stepper<S>> operator()(const MethodDescription& description, const System<S>& system) const {
    return with_size(system.size(), [&](auto n) -> std::unique_ptr<Stepper<S>> {
      return std::make_unique<Method<S, decltype(n)::value>>(description, system);
    });
  }
};

template <class A, class B>
void copy_row(const A& from, B&& to) {
  for (std::size_t i = 0; i < from.size(); ++i) { to[i] = from[i]; }
}

/// Index of the first entry that is not finite, or the size.
template <class A>
std::size_t first_not_finite(const A& row) {
  std::size_t i = 0;
  while (i < row.size() && std::isfinite(row[i])) { ++i; }
  return i;
}

/// Times that differ by no more than the rounding of t0 + n dt against t + dt.
template <class S>
bool same_time(const S& a, const S& b) {
  constexpr S kSame = 8 * std::numeric_limits<S>::epsilon();
  const S off = std::fabs(a - b);
  return off <= kSame * std::fabs(a) || off <= kSame * std::fabs(b);
}
template <class A, class B>
bool same_row(const A& a, const B& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (b[i] != a[i]) { return false; }
  }
  return true;
}

/// Where a method was last: what it kept (slopes, compensation) is good only while the caller goes on from there.
template <class S>
class Point {
 public:
  explicit Point(std::size_t n) : y_(n) {}
  void set(const S& t, std::span<const S> y) {
    t_ = t;
    copy_row(y, y_);
    known_ = true;
  }
  void forget() { known_ = false; }
  bool is_at(std::span<const S> y) const { return known_ && same_row(y, y_); }
  bool is_at(const S& t, std::span<const S> y) const { return known_ && same_time(t, t_) && is_at(y); }

 private:
  S t_{};
  std::vector<S> y_;
  bool known_ = false;
};

/// The state where a method was last, y + rest: what sums have rounded away is good only while the caller goes on from
/// that y.
template <class S>
class CarriedState {
 public:
  explicit CarriedState(std::size_t n) : y_(n, std::numeric_limits<S>::quiet_NaN()), rest_(n, S(0)) {}
  void go_on_from(std::span<const S> y) {
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (y_[i] == y[i]) { continue; }
      copy_row(y, y_);
      for (S& rest : rest_) { rest = S(0); }
      return;
    }
  }
  void forget() { y_[0] = std::numeric_limits<S>::quiet_NaN(); }
  std::span<S> y() { return y_; }
  std::span<S> rest() { return rest_; }

 private:
  std::vector<S> y_;
  std::vector<S> rest_;
};

/// Ends an iteration x ← g(x) at rounding: when the changes have become small and for the third time did not shrink.
///
/// Changes are measured against `scale`, entry by entry; [HairerLubichWanner2006, section VIII.6]. The first time that
/// the largest does not shrink [HairerMcLachlanRazakarivony2008] others may be on their way
/// [AntonanaMakazagaMurua2017]; what they still lack has the same sign at every step, and momentum drifts.
template <class S>
class RoundingStop {
 public:
  enum class Verdict { go_on, converged, failed };
  Verdict judge(const S& largest_relative_change) {
    constexpr S kSmall = 4096 * std::numeric_limits<S>::epsilon();
    ++rounds_;
    const bool shrinks = largest_relative_change < last_;
    last_ = largest_relative_change;
    if (!shrinks && largest_relative_change <= kSmall) { ++times_not_smaller_; }
    if (largest_relative_change == S(0) || times_not_smaller_ == 3) { return Verdict::converged; }
    // a NaN compares false with everything and ends here too
    return rounds_ < kMostRounds && largest_relative_change <= std::numeric_limits<S>::max() ? Verdict::go_on
                                                                                             : Verdict::failed;
  }

 private:
  static constexpr int kMostRounds = 200;
  S last_ = std::numeric_limits<S>::max();
  int rounds_ = 0;
  int times_not_smaller_ = 0;
};

/// Error of a step in units of what is allowed: root mean square of e_i / (absolute + relative max(|y0_i|, |y1_i|)).
template <class S>
S error_norm(std::span<const S> error, std::span<const S> y0, std::span<const S> y1, const S& relative,
             const S& absolute) {
  constexpr S kTooMuch = S(1e30);
  S sum(0);
  for (std::size_t i = 0; i < error.size(); ++i) {
    const S before = std::fabs(y0[i]);
    const S after = std::fabs(y1[i]);
    const S allowed = absolute + relative * (before < after ? after : before);
    const S size = std::fabs(error[i]);
    // nothing divides by zero or overflows: an entry that is and stays zero has no error, a huge one is just too much,
    // and so is a NaN, which isless() takes without a floating-point exception
    const S ratio = size == S(0) ? S(0) : std::isless(size, kTooMuch * allowed) ? size / allowed : kTooMuch;
    sum += ratio * ratio;
  }
  return std::sqrt(sum / S(static_cast<double>(error.size())));
}

}  // namespace polhode
