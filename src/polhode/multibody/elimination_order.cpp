#include "polhode/multibody/elimination_order.h"

#include "polhode/core/index.h"
#include "polhode/multibody/loop_group.h"
#include "polhode/multibody/model.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>

namespace polhode {
namespace {

/// The spanning tree, by bodies: breadth first from ground, so that loops are cut far from it and meet few others; of
/// the joints of one body those that hold most come first, so that the cut ones have few rows.
struct Tree {
  std::vector<int> parent;                 ///< body, or −1 for ground
  std::vector<int> joint;                  ///< −1: free
  std::vector<std::vector<int>> children;  ///< the last list is that of ground
};

Tree spanning_tree(const Model& model) {
  const int n = static_cast<int>(model.body_count());
  std::vector<std::vector<int>> joints_of(at(n) + 1);
  const auto list = [&](int body) -> std::vector<int>& { return joints_of[body < 0 ? at(n) : at(body)]; };
  for (int j = 0; j < static_cast<int>(model.joint_count()); ++j) {
    list(model.joints()[at(j)].first).push_back(j);
    list(model.joints()[at(j)].second).push_back(j);
  }
  for (std::vector<int>& joints : joints_of) {
    std::sort(joints.begin(), joints.end(), [&](int a, int b) {
      const auto rows = [&](int j) { return model.joints()[at(j)].kind->row_count(); };
      return std::pair(rows(b), a) < std::pair(rows(a), b);
    });
  }
  Tree tree{std::vector<int>(at(n), -1), std::vector<int>(at(n), -1), std::vector<std::vector<int>>(at(n) + 1)};
  std::vector<bool> reached(at(n), false);
  std::deque<int> queue;
  const auto grow = [&] {
    while (!queue.empty()) {
      const int body = queue.front();
      queue.pop_front();
      for (const int j : list(body)) {
        const JointDescription& joint = model.joints()[at(j)];
        const int other = joint.first == body ? joint.second : joint.first;
        if (other < 0 || reached[at(other)]) { continue; }
        reached[at(other)] = true;
        tree.parent[at(other)] = body;
        tree.joint[at(other)] = j;
        tree.children[body < 0 ? at(n) : at(body)].push_back(other);
        queue.push_back(other);
      }
    }
  };
  queue.push_back(kGround);
  grow();
  // what ground does not hold floats: of each such part the body with most joints comes first
  std::vector<int> rest;
  for (int body = 0; body < n; ++body) {
    if (!reached[at(body)]) { rest.push_back(body); }
  }
  std::sort(rest.begin(), rest.end(),
            [&](int a, int b) { return std::pair(list(b).size(), a) < std::pair(list(a).size(), b); });
  for (const int body : rest) {
    if (reached[at(body)]) { continue; }
    reached[at(body)] = true;
    tree.children[at(n)].push_back(body);
    queue.push_back(body);
    grow();
  }
  return tree;
}

void number_nodes(const Model& model, const Tree& tree, EliminationOrder& elimination) {
  const int n = static_cast<int>(model.body_count());
  elimination.nodes.assign(1, TreeNode{});
  elimination.nodes[0].parent = -1;
  elimination.nodes[0].freedoms = 0;
  elimination.node_of_body.assign(at(n), 0);
  std::vector<int> stack(tree.children[at(n)].rbegin(), tree.children[at(n)].rend());
  while (!stack.empty()) {
    const int body = stack.back();
    stack.pop_back();
    const int id = static_cast<int>(elimination.nodes.size());
    elimination.node_of_body[at(body)] = id;
    const BodyDescription& b = model.bodies()[at(body)];
    TreeNode node;
    node.body = body;
    node.parent = tree.parent[at(body)] < 0 ? 0 : elimination.node_of_body[at(tree.parent[at(body)])];
    node.joint = tree.joint[at(body)];
    node.mass = b.mass.mass;
    node.J_B = model.carrier_J_B(body);
    node.diagonal = node.J_B(0, 1) == 0 && node.J_B(0, 2) == 0 && node.J_B(1, 2) == 0;
    if (node.joint >= 0) {
      const JointDescription& joint = model.joints()[at(node.joint)];
      node.is_second = joint.second == body;
      node.freedoms = static_cast<int>(joint.kind->freedoms());
      node.hinge = joint.kind->turns == FreeTurns::about_z && joint.kind->slides == FreeSlides::none;
      const FrameOnBody& own = node.is_second ? joint.on_second : joint.on_first;
      const FrameOnBody& other = node.is_second ? joint.on_first : joint.on_second;
      node.lever_B = own.r_BF_B - b.mass.center_B;
      node.axis_B = rotate(own.e_BF, Vec3<double>{0, 0, 1});
      const int parent_body = tree.parent[at(body)];
      node.lever_parent_B =
          parent_body < 0 ? other.r_BF_B : other.r_BF_B - model.bodies()[at(parent_body)].mass.center_B;
    }
    if (!node.hinge) {
      node.columns = elimination.column_count;
      elimination.column_count += node.freedoms;
    }
    elimination.tree_freedoms += node.freedoms;
    elimination.nodes[at(node.parent)].has_children = true;
    elimination.nodes.push_back(node);
    stack.insert(stack.end(), tree.children[at(body)].rbegin(), tree.children[at(body)].rend());
  }
  std::vector<bool> seen(elimination.nodes.size(), false);
  for (std::size_t i = elimination.nodes.size(); i-- > 1;) {
    const std::size_t parent = at(elimination.nodes[i].parent);
    elimination.nodes[i].is_first_eliminated = !seen[parent];
    seen[parent] = true;
  }
  for (const JointDescription& joint : model.joints()) {
    const auto lever = [&](BodyId body, const FrameOnBody& frame) {
      return body < 0 ? frame.r_BF_B : frame.r_BF_B - model.bodies()[at(body)].mass.center_B;
    };
    const auto node = [&](BodyId body) { return body < 0 ? 0 : elimination.node_of_body[at(body)]; };
    elimination.ends.push_back({node(joint.first), node(joint.second), lever(joint.first, joint.on_first),
                                lever(joint.second, joint.on_second), rotation_matrix(joint.on_first.e_BF),
                                rotation_matrix(joint.on_second.e_BF)});
  }
}

int common_ancestor(const EliminationOrder& elimination, int a, int b) {
  // a parent's number is smaller than its child's
  while (a != b) { (a > b ? a : b) = elimination.nodes[at(a > b ? a : b)].parent; }
  return a;
}

std::vector<Closure> find_closures(const Model& model, const EliminationOrder& elimination) {
  const auto node = [&](BodyId body) { return body < 0 ? 0 : elimination.node_of_body[at(body)]; };
  std::vector<bool> in_tree(model.joint_count(), false);
  for (const TreeNode& n : elimination.nodes) {
    if (n.joint >= 0) { in_tree[at(n.joint)] = true; }
  }
  std::vector<Closure> closures;
  for (std::size_t i = 0; i < model.constraints().size(); ++i) {
    const ModelConstraint& constraint = model.constraints()[i];
    const int joint = constraint.id.is_joint() ? constraint.id.index : -1;
    if (joint >= 0 && in_tree[at(joint)]) { continue; }
    Closure c;
    c.constraint = static_cast<int>(i);
    c.joint = joint;
    c.rows = constraint.rows;
    for (const ConstraintEnd& end : constraint.ends) { c.sides.push_back(node(end.body)); }
    c.top = c.sides.front();
    for (const int side : c.sides) { c.top = common_ancestor(elimination, c.top, side); }
    find_acting_rows(model, elimination, c);
    closures.push_back(std::move(c));
  }
  return closures;
}

/// Nodes that a closure passes on its way toward the root: from each side to its top, which is left out.
template <class Visit>
void each_node_to_top(const EliminationOrder& elimination, const Closure& closure, const Visit& visit) {
  std::set<int> seen;
  for (int node : closure.sides) {
    while (node != closure.top && seen.insert(node).second) {
      visit(node);
      node = elimination.nodes[at(node)].parent;
    }
  }
}

/// Order of the closures that meet at one node: least degree first, [GolubVanLoan2013, section 11.1].
std::vector<int> least_degree_order(std::vector<std::set<int>> neighbours) {
  const int n = static_cast<int>(neighbours.size());
  std::set<std::pair<std::size_t, int>> queue;
  for (int i = 0; i < n; ++i) { queue.insert({neighbours[at(i)].size(), i}); }
  std::vector<int> order;
  while (!queue.empty()) {
    const int i = queue.begin()->second;
    queue.erase(queue.begin());
    order.push_back(i);
    for (const int a : neighbours[at(i)]) {
      queue.erase({neighbours[at(a)].size(), a});
      neighbours[at(a)].erase(i);
      for (const int b : neighbours[at(i)]) {
        if (b != a) { neighbours[at(a)].insert(b); }
      }
      queue.insert({neighbours[at(a)].size(), a});
    }
  }
  return order;
}

/// Sorts closures so that at every node those that close come before those that stay open.
void order_closures(EliminationOrder& elimination, std::vector<Closure> closures) {
  std::vector<int> depth(elimination.nodes.size(), 0);
  for (std::size_t i = 1; i < elimination.nodes.size(); ++i) { depth[i] = depth[at(elimination.nodes[i].parent)] + 1; }
  std::map<std::pair<int, int>, std::vector<int>> by_top;  // deepest top first
  for (int c = 0; c < static_cast<int>(closures.size()); ++c) {
    by_top[{-depth[at(closures[at(c)].top)], closures[at(c)].top}].push_back(c);
  }
  for (const auto& [key, group] : by_top) {
    // two of them are neighbours where they come from the same child
    std::map<int, std::vector<int>> through;
    for (int i = 0; i < static_cast<int>(group.size()); ++i) {
      const Closure& closure = closures[at(group[at(i)])];
      each_node_to_top(elimination, closure, [&](int node) {
        if (elimination.nodes[at(node)].parent == closure.top) { through[node].push_back(i); }
      });
    }
    std::vector<std::set<int>> neighbours(group.size());
    for (const auto& [child, members] : through) {
      for (const int a : members) {
        for (const int b : members) {
          if (a != b) { neighbours[at(a)].insert(b); }
        }
      }
    }
    for (const int i : least_degree_order(std::move(neighbours))) {
      elimination.closures.push_back(std::move(closures[at(group[at(i)])]));
    }
  }
  for (std::size_t c = 0; c < elimination.closures.size(); ++c) {
    Closure& closure = elimination.closures[c];
    closure.first_row = elimination.row_count;
    elimination.row_count += closure.rows;
    elimination.closure_of[at(closure.constraint)] = static_cast<int>(c);
  }
}

/// Which blocks of numbers each node keeps, what changes what, and where it goes in the parent.
void lay_out_loops(EliminationOrder& elimination) {
  std::vector<std::vector<int>> passing(elimination.nodes.size());  // closures by node, ascending
  for (int c = 0; c < static_cast<int>(elimination.closures.size()); ++c) {
    const Closure& closure = elimination.closures[at(c)];
    if (closure.acting == 0) { continue; }
    each_node_to_top(elimination, closure, [&](int node) { passing[at(node)].push_back(c); });
    passing[at(closure.top)].push_back(c);
  }
  std::vector<std::vector<int>> children(elimination.nodes.size());
  for (std::size_t i = 1; i < elimination.nodes.size(); ++i) {
    children[at(elimination.nodes[i].parent)].push_back(static_cast<int>(i));
  }
  const auto take = [&](int count) {
    const int offset = elimination.loop_numbers;
    elimination.loop_numbers += count;
    return offset;
  };
  for (std::size_t i = 0; i < elimination.nodes.size(); ++i) {
    if (passing[i].empty()) { continue; }
    elimination.nodes[i].loops = static_cast<int>(elimination.loops.size());
    NodeLoops loops;
    std::map<int, int> item_of;
    for (const int c : passing[i]) {
      item_of[c] = static_cast<int>(loops.items.size());
      NodeLoops::Item item;
      item.closure = c;
      item.rows = elimination.closures[at(c)].acting;
      loops.items.push_back(item);
      if (elimination.closures[at(c)].top == static_cast<int>(i)) { ++loops.closing; }
    }
    // the pattern: what comes from one child is full; what closes fills in between its neighbours; what
    // stays open is full after the node's own freedoms have gone
    std::vector<std::set<int>> later(loops.items.size());
    const auto join = [&](const std::vector<int>& members) {
      for (const int a : members) {
        for (const int b : members) {
          if (a < b) { later[at(a)].insert(b); }
        }
      }
    };
    for (const int child : children[i]) {
      std::vector<int> members;
      for (const int c : passing[at(child)]) {
        if (elimination.closures[at(c)].top != child) { members.push_back(item_of.at(c)); }
      }
      join(members);
    }
    std::vector<int> open;
    for (int t = loops.closing; t < static_cast<int>(loops.items.size()); ++t) { open.push_back(t); }
    join(open);
    for (int t = 0; t < loops.closing; ++t) { join({later[at(t)].begin(), later[at(t)].end()}); }

    loops.begin = elimination.loop_numbers;
    for (std::size_t t = 0; t < loops.items.size(); ++t) {
      NodeLoops::Item& item = loops.items[t];
      item.K = take(6 * item.rows);
      item.k = take(item.rows);
      item.diagonal = take(item.rows * item.rows);
      for (const int y : later[t]) { item.later.push_back({y, take(item.rows * loops.items[at(y)].rows)}); }
    }
    loops.end = elimination.loop_numbers;
    for (std::size_t t = 0; t < loops.items.size(); ++t) {
      NodeLoops::Item& item = loops.items[t];
      const bool closes = static_cast<int>(t) < loops.closing;
      item.scale = take(item.rows);
      item.inverse = take(item.rows * (closes ? item.rows : elimination.nodes[i].freedoms));
      if (!closes) { continue; }
      for (std::size_t a = 0; a < item.later.size(); ++a) {
        const NodeLoops::Item& first = loops.items[at(item.later[a].item)];
        item.targets.push_back(first.diagonal);
        for (std::size_t b = a + 1; b < item.later.size(); ++b) {
          const int wanted = item.later[b].item;
          const auto found = std::find_if(first.later.begin(), first.later.end(),
                                          [&](const NodeLoops::Link& link) { return link.item == wanted; });
          item.targets.push_back(found->offset);
        }
      }
    }
    elimination.loops.push_back(std::move(loops));
  }
  // open items find themselves in the parent
  for (std::size_t i = 1; i < elimination.nodes.size(); ++i) {
    if (elimination.nodes[i].loops < 0) { continue; }
    NodeLoops& loops = elimination.loops[at(elimination.nodes[i].loops)];
    if (loops.closing == static_cast<int>(loops.items.size())) { continue; }
    const NodeLoops& parent_loops = elimination.loops[at(elimination.nodes[at(elimination.nodes[i].parent)].loops)];
    for (std::size_t t = at(loops.closing); t < loops.items.size(); ++t) {
      NodeLoops::Item& item = loops.items[t];
      item.parent_item =
          static_cast<int>(std::lower_bound(parent_loops.items.begin(), parent_loops.items.end(), item.closure,
                                            [](const NodeLoops::Item& x, int c) { return x.closure < c; }) -
                           parent_loops.items.begin());
    }
    for (std::size_t t = at(loops.closing); t < loops.items.size(); ++t) {
      const NodeLoops::Item& item = loops.items[t];
      const NodeLoops::Item& parent_item = parent_loops.items[at(item.parent_item)];
      loops.blocks_to_parent.push_back({item.diagonal, parent_item.diagonal, item.rows * item.rows});
      for (const NodeLoops::Link& link : item.later) {
        const int wanted = loops.items[at(link.item)].parent_item;
        const auto found = std::find_if(parent_item.later.begin(), parent_item.later.end(),
                                        [&](const NodeLoops::Link& l) { return l.item == wanted; });
        loops.blocks_to_parent.push_back({link.offset, found->offset, item.rows * loops.items[at(link.item)].rows});
      }
    }
  }
}

}  // namespace

EliminationOrder elimination_order(const Model& model) {
  EliminationOrder elimination;
  number_nodes(model, spanning_tree(model), elimination);
  elimination.closure_of.assign(model.constraints().size(), -1);
  order_closures(elimination, find_closures(model, elimination));
  lay_out_loops(elimination);
  return elimination;
}

}  // namespace polhode
