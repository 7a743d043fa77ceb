#pragma once

#include "polhode/math/matrix.h"

#include <array>
#include <vector>

/// The order in which a mechanism's freedoms and loops are eliminated: symbolic work, once a model.
namespace polhode {

class Model;

/// A body in the spanning tree. Node 0 is ground; a parent comes before its children.
struct TreeNode {
  int body = -1;
  int parent = 0;
  int joint = -1;         ///< the joint to the parent, or −1: free
  int freedoms = 6;       ///< of that joint
  bool hinge = false;     ///< revolute: the joint that has a path of its own
  bool is_second = true;  ///< the body is the second one of its joint
  bool has_children = false;
  bool is_first_eliminated = false;  ///< the first of its siblings that is eliminated
  bool diagonal = false;             ///< J_B is diagonal
  int columns = 0;                   ///< where its motion begins among those of all joints that are not hinges
  int loops = -1;                    ///< index of NodeLoops, or −1: no loop passes
  double mass = 0;
  Mat3<double> J_B{};             ///< Model::carrier_J_B
  Vec3<double> lever_B{};         ///< from the mass centre to the joint, own components
  Vec3<double> axis_B{};          ///< of a hinge
  Vec3<double> lever_parent_B{};  ///< from the parent's mass centre to the joint, the parent's components
};

/// The two ends of a joint in components of their bodies.
struct JointEnds {
  int node1 = 0;
  int node2 = 0;
  Vec3<double> lever1_B{};
  Vec3<double> lever2_B{};
  Mat3<double> axes1_B{};
  Mat3<double> axes2_B{};
};

/// What closes loops: a joint that is not in the tree, or any other constraint.
struct Closure {
  int constraint = 0;  ///< among Model::constraints()
  int joint = -1;      ///< −1: not a joint
  int rows = 0;
  int first_row = 0;       ///< among the rows of all closures
  std::vector<int> sides;  ///< nodes that its rows act on, in the order of the row's sides; 0: ground
  int top = 0;             ///< the common ancestor of all of them that is farthest from the root; may be one of them
  int acting = 0;          ///< rows that enter the elimination: put first; the others hold by structure (MEC-41)
  std::array<bool, 6> acts{};  ///< by row; of points that meet see below
  int meeting = -1;    ///< the first of three rows of which some act, which ones depending on the attitude; or −1
  int of_meeting = 0;  ///< how many of these: 1, near `direction_B`, or 2, all but the one near it
  Vec3<double> direction_B{};  ///< on the body of the first side
};

/// The closures that pass a node: those that close here first, then those that stay open.
struct NodeLoops {
  struct Link {
    int item;    ///< later in the list
    int offset;  ///< block rows(this) × rows(item)
  };
  struct Item {
    int closure = 0;
    int rows = 0;          ///< that act
    int K = 0;             ///< rows × 6
    int k = 0;             ///< rows
    int diagonal = 0;      ///< rows × rows
    int scale = 0;         ///< rows: what the diagonal would be if the bodies were free; of what closes here
    int inverse = 0;       ///< rows × rows, of what closes here; of an open one: rows × freedoms, K S D⁻¹
    int parent_item = -1;  ///< item of the parent node, of an open one
    std::vector<Link> later;
    std::vector<int> targets;  ///< closing here: blocks that pairs of `later` change, (y, z) with z ≥ y in order
  };
  struct Message {
    int from;  ///< block of this node
    int to;    ///< block of the parent
    int size;
  };
  std::vector<Item> items;
  int closing = 0;
  std::vector<Message> blocks_to_parent;
  int begin = 0;  ///< the numbers of this node, to be cleared before an evaluation
  int end = 0;
};

struct EliminationOrder {
  std::vector<TreeNode> nodes;  ///< nodes[0] is ground
  std::vector<int> node_of_body;
  std::vector<JointEnds> ends;    ///< by joint
  std::vector<Closure> closures;  ///< in the order of elimination
  std::vector<int> closure_of;    ///< by constraint; −1: a joint of the tree
  std::vector<NodeLoops> loops;
  int column_count = 0;  ///< columns of all joints that are not hinges
  int row_count = 0;     ///< rows of all closures
  int loop_numbers = 0;  ///< numbers of all NodeLoops together
  int tree_freedoms = 0;
};

EliminationOrder elimination_order(const Model& model);

}  // namespace polhode
