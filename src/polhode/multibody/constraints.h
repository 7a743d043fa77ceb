#pragma once

#include "polhode/multibody/blade.h"
#include "polhode/multibody/coupling.h"
#include "polhode/multibody/driver.h"
#include "polhode/multibody/joint_description.h"
#include "polhode/multibody/point_on_curve.h"
#include "polhode/multibody/rolling.h"
#include "polhode/multibody/rolling_ellipsoid.h"
#include "polhode/multibody/velocity_constraint.h"

#include <tuple>
#include <utility>
#include <variant>

namespace polhode {

/// All kinds of constraints; joints come first. Rows of a model are in this order.
using ConstraintLists = std::tuple<std::vector<JointDescription>, std::vector<Coupling>, std::vector<Driver>,
                                   std::vector<Rolling>, std::vector<Blade>, std::vector<VelocityConstraint>,
                                   std::vector<PointOnCurve>, std::vector<RollingEllipsoid>>;

namespace detail {
template <class C, class Lists>
struct KindOf;
template <class C, class... Cs>
struct KindOf<C, std::tuple<std::vector<Cs>...>> {
  static constexpr std::size_t value = [] {
    std::size_t i = 0;
    static_cast<void>(((std::is_same_v<C, Cs> ? false : (++i, true)) && ...));
    return i;
  }();
};

template <class C>
concept HasKeys = requires { typename C::Given; };
template <class... Givens>
struct GivenList {
  using Variant = std::variant<Givens...>;
};
template <class Found, class... Cs>
struct GivenOf {
  using Type = typename Found::Variant;
};
template <class... Found, class C, class... Cs>
struct GivenOf<GivenList<Found...>, C, Cs...> : GivenOf<GivenList<Found...>, Cs...> {};
template <class... Found, HasKeys C, class... Cs>
struct GivenOf<GivenList<Found...>, C, Cs...> : GivenOf<GivenList<Found..., typename C::Given>, Cs...> {};
template <class Lists>
struct GivenOfLists;
template <class... Cs>
struct GivenOfLists<std::tuple<std::vector<Cs>...>> : GivenOf<GivenList<>, Cs...> {};
}  // namespace detail

/// The place of a kind in the list.
template <class C>
inline constexpr std::size_t kConstraintKind = detail::KindOf<C, ConstraintLists>::value;
template <class C>
concept Constraint = kConstraintKind<C> < std::tuple_size_v<ConstraintLists>;

/// What a scenario may write under [[constraints]]: one of the kinds that have keys of their own.
using GivenConstraint = detail::GivenOfLists<ConstraintLists>::Type;

/// A constraint of a model: its kind, and its number among those of the kind.
struct ConstraintId {
  std::size_t kind = 0;
  int index = 0;

  bool is_joint() const { return kind == kConstraintKind<JointDescription>; }
  friend bool operator==(const ConstraintId&, const ConstraintId&) = default;
};

/// Calls `use(constraint)` with the constraint as its own type.
template <std::size_t I = 0, class Use>
decltype(auto) with_constraint(const ConstraintLists& lists, const ConstraintId& id, const Use& use) {
  if constexpr (I + 1 < std::tuple_size_v<ConstraintLists>) {
    if (id.kind != I) { return with_constraint<I + 1>(lists, id, use); }
  }
  return use(std::get<I>(lists)[static_cast<std::size_t>(id.index)]);
}
/// Calls `use(constraint, id)` for all, in order.
template <class Use>
void each_constraint(const ConstraintLists& lists, const Use& use) {
  const auto of_kind = [&](std::size_t kind, const auto& list) {
    for (std::size_t i = 0; i < list.size(); ++i) { use(list[i], ConstraintId{kind, static_cast<int>(i)}); }
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (of_kind(I, std::get<I>(lists)), ...);
  }(std::make_index_sequence<std::tuple_size_v<ConstraintLists>>{});
}

}  // namespace polhode
