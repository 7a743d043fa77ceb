#pragma once

#include "polhode/core/sha256.h"
#include "polhode/math/matrix.h"
#include "polhode/rotation.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace polhode::portability {

/// SHA-256 over the bytes of doubles.
class Hash {
 public:
  Hash& operator<<(double x) {
    hash_.add(x);
    return *this;
  }
  Hash& operator<<(const Vec3<double>& v) { return *this << v.x << v.y << v.z; }
  Hash& operator<<(const EulerParameters<double>& e) { return *this << e.e0 << e.ev; }
  Hash& operator<<(const Mat3<double>& a) { return *this << row(a, 0) << row(a, 1) << row(a, 2); }
  Hash& operator<<(std::span<const double> y) {
    for (const double entry : y) { hash_.add(entry); }
    return *this;
  }
  std::string hex() const { return hash_.hex(); }

 private:
  Sha256 hash_;
};

struct Scene {
  std::string name;
  std::function<void(Hash&)> run;
};

/// Motions of one body: every form and every method that is portable, free and forced, by steps and by tolerance.
void add_body_scenes(std::vector<Scene>& scenes);
/// Mechanisms of every kind of constraint, and formulas on every number type that is made of doubles.
void add_mechanism_scenes(std::vector<Scene>& scenes);

}  // namespace polhode::portability
