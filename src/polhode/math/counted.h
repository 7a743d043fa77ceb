#pragma once

#include <cmath>
#include <cstddef>

/// What a formula costs, by running it: a double that counts what is done to it.
namespace polhode {

struct OperationCount {
  std::size_t additions = 0;        ///< + and −; a change of sign is free
  std::size_t multiplications = 0;  ///< all that are written, those by 0 and 1 too
  std::size_t divisions = 0;
  std::size_t roots = 0;
  std::size_t functions = 0;  ///< sines, cosines, arc tangents

  /// Floating-point operations: all but the functions.
  std::size_t flops() const { return additions + multiplications + divisions + roots; }
};

class Counted {
 public:
  Counted() = default;
  Counted(double value) : value_(value) {}  // NOLINT(google-explicit-constructor): 2 is a number

  friend Counted operator+(const Counted& a, const Counted& b) { return done(count().additions, a.value_ + b.value_); }
  friend Counted operator-(const Counted& a, const Counted& b) { return done(count().additions, a.value_ - b.value_); }
  friend Counted operator*(const Counted& a, const Counted& b) {
    return done(count().multiplications, a.value_ * b.value_);
  }
  friend Counted operator/(const Counted& a, const Counted& b) { return done(count().divisions, a.value_ / b.value_); }
  friend Counted operator-(const Counted& a) { return {-a.value_}; }
  friend auto operator<=>(const Counted&, const Counted&) = default;
  friend double value_of(const Counted& x) { return x.value_; }

  friend Counted sqrt(const Counted& x) { return done(count().roots, std::sqrt(x.value_)); }
  friend Counted sin(const Counted& x) { return done(count().functions, std::sin(x.value_)); }
  friend Counted cos(const Counted& x) { return done(count().functions, std::cos(x.value_)); }
  friend Counted atan2(const Counted& y, const Counted& x) {
    return done(count().functions, std::atan2(y.value_, x.value_));
  }

  /// What has been counted in this thread since the last reset.
  static OperationCount& count() {
    thread_local OperationCount kCount;
    return kCount;
  }

 private:
  static Counted done(std::size_t& counter, double value) {
    ++counter;
    return {value};
  }

  double value_ = 0;
};

/// What `work` does to counted numbers.
template <class Work>
OperationCount count_operations(Work&& work) {
  Counted::count() = {};
  work();
  return Counted::count();
}

}  // namespace polhode
