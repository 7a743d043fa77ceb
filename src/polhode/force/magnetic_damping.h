#pragma once

#include "polhode/force/kind.h"

namespace polhode::force {

/// Eddy currents, or a magnetic controller that answers to the change of the field b:
///
///   n' = −k b' × (ω' × b')
struct MagneticDamping {
  static constexpr Kind kind{"magnetic_damping", "a magnetic field that brakes what turns across it",
                             "n' = -k b' x (w' x b')", true, true};
  std::string body{};              ///< of a mechanism
  Number coefficient{};            ///< k, N m s/T²
  ExpressionVector field_space{};  ///< b, T
  friend bool operator==(const MagneticDamping&, const MagneticDamping&) = default;

  template <class Self, class Keys>
  static void keys(Self& self, Keys& keys) {
    keys.may("body", self.body);
    keys.must("coefficient", self.coefficient);
    keys.must("field_space", self.field_space);
  }
  void check(Complaints& complaints, Where where) const {
    check_body(complaints, where, body);
    check_not_negative(complaints, "coefficient", coefficient, "a negative coefficient adds energy",
                       "wanted: N m s/T2, 0 or more");
  }

  template <class S>
  struct Law {
    S k;
    VectorFunction<S> field_N;
    Vec3<S> operator()(const BodyState<S>& s) const {
      const Vec3<S> b_B = rotate_back(s.e_NB, field_N.law ? field_N.law(s) : field_N.constant);
      return -k * cross(b_B, cross(s.w_B, b_B));
    }
  };
  template <class S>
  Effects<S> add_to(Load<S>& load, const BodyFacts<S>&, const Binder<S>& binder) const {
    load.add_moment(Law<S>{S(coefficient.value), binder.vector(field_space)});
    return {};
  }
};

}  // namespace polhode::force
