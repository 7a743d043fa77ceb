#pragma once

#include "polhode/multibody/dynamics.h"

#include <array>
#include <span>
#include <vector>

namespace polhode {

/// One direction of the tree: a coordinate of a node's joint, or its rate.
struct TreeDirection {
  std::size_t node = 0;
  std::size_t freedom = 0;  ///< of the joint
  bool is_rate = false;
  std::size_t column = 0;  ///< of the result
};

/// What a direction does to the body of its joint, where all q̈ stay; about the body's mass centre as it is now.
struct DirectionChange {
  Pair carried;                  ///< how the coordinate moves the body; zero for a rate
  Pair velocity;                 ///< of the body's points as they pass there
  Pair acceleration;             ///< the same
  std::array<double, 6> lack{};  ///< of the joint's own equations: by their columns, which change, and by what acts
};

/// A joint whose columns do not turn with its bodies when these turn together: how what it takes for its rates and
/// accelerations changes by that, along each axis.
struct FixedColumns {
  std::size_t node = 0;
  std::array<std::array<double, 6>, 3> rate{};               ///< by a turn
  std::array<std::array<double, 6>, 3> acceleration{};       ///< by a turn, motion carried along
  std::array<std::array<double, 6>, 3> acceleration_by_w{};  ///< by an angular velocity
};

/// The derivatives of all q̈ of a tree without loops, by the motion of subtrees as rigid wholes: what a subtree lacks
/// are products with sums over it, and the factors of the elimination turn it into q̈. See docs/theory/mechanisms.md,
/// MEC-40.
class TreeColumns {
 public:
  explicit TreeColumns(const Model& model);

  /// Sums over subtrees at a state that has been evaluated; `velocity`, `acceleration` and `force` follow.
  void begin(const Model& model, std::span<const double> y, const Scratch& scratch);
  /// Of a node, about its mass centre, seen from a frame that moves along with the first body.
  const Pair& velocity(std::size_t node) const { return nodes_[node].V; }
  /// The same, less gravity.
  const Pair& acceleration(std::size_t node) const { return nodes_[node].A; }
  /// What moves the subtree of a node.
  const Pair& force(std::size_t node) const { return nodes_[node].F; }

  /// Adds the change of a hinge by its coordinate, and by its rate; and of any other joint.
  void put(std::size_t direction, const DirectionChange& change) { changes_[direction] = change; }
  void put_hinge(std::size_t node, std::size_t by_coordinate, std::size_t by_rate, const Pair& column,
                 double force_by_coordinate, double force_by_rate);

  /// `columns` as Directional::tree_jacobian has them, of changes that are complete. `fixed` in the order of nodes.
  void solve(const EliminationOrder& elimination, std::span<const TreeDirection> directions,
             std::span<const FixedColumns> fixed, std::span<double> columns);

 private:
  static constexpr std::size_t kWide = 8;
  using Two = double __attribute__((vector_size(16)));
  static constexpr std::size_t kTwos = kWide / 2;
  using Lanes = std::array<Two, kTwos>;

  struct Node {
    Pair V{}, A{}, F{};
    ArticulatedInertia inertia{};         ///< of the subtree
    Mat3<double> by_w_ang{}, by_w_lin{};  ///< force by a change of angular velocity, of the subtree
    Vec3<double> shift{};
    std::size_t first = 0, end = 0;  ///< columns
  };
  struct Column {
    Pair S{}, W{};  ///< W: U D⁻¹
    Vec3<double> by_w{};
    Pair by_a{};
    std::array<double, 6> inverse_D{};
  };
  struct Moving {
    std::array<Lanes, 3> w;
    std::array<Lanes, 6> a;
    std::array<Lanes, 6> p;
    std::array<Lanes, 6> b;
    bool moves = false;
    bool pushed = false;  ///< p and u are not zero
    bool begun = false;   ///< p is known
  };
  std::vector<Node> nodes_;
  std::vector<Column> columns_;
  std::vector<DirectionChange> changes_;
  std::vector<Moving> moving_;
  std::vector<Lanes> u_;
  std::vector<double> turned_;  ///< by node, three columns: what fixed columns of the subtree add for a turn

  void move(const EliminationOrder& elimination, std::span<const TreeDirection> some, std::size_t first);
  void push(std::size_t i, std::size_t parent);
  void follow(std::size_t i, std::size_t parent);
  void mend(const EliminationOrder& elimination, std::span<const TreeDirection> directions,
            std::span<const FixedColumns> fixed, std::span<double> columns);
};

}  // namespace polhode
