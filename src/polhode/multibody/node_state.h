#pragma once

#include "polhode/core/index.h"
#include "polhode/multibody/dynamics.h"

/// What the sweeps over a mechanism read of one node, after read_bodies().
namespace polhode::tree_sweep {

inline const double* state_of(const TreeNode& node, std::span<const double> y) { return y.data() + 13 * at(node.body); }
inline Vec3<double> three(const double* s) { return {s[0], s[1], s[2]}; }

inline void read_bodies(const EliminationOrder& elimination, std::span<const double> y,
                        std::vector<Scratch::Node>& work) {
  for (std::size_t i = 1; i < elimination.nodes.size(); ++i) {
    const double* s = state_of(elimination.nodes[i], y);
    work[i].R = rotation_matrix(EulerParameters<double>{s[3], {s[4], s[5], s[6]}});
    work[i].w = work[i].R * three(s + 10);
  }
}

inline End<double> end_of(const EliminationOrder& elimination, std::span<const double> y, const Scratch& scratch,
                          int node, const Vec3<double>& lever_B, const Mat3<double>& axes_B) {
  if (node == 0) { return {{}, {}, {}, lever_B, axes_B}; }
  const double* s = state_of(elimination.nodes[at(node)], y);
  const Scratch::Node& x = scratch.nodes[at(node)];
  return {three(s), three(s + 7), x.w, x.R * lever_B, x.R * axes_B};
}
inline std::pair<End<double>, End<double>> ends_of(const EliminationOrder& elimination, std::span<const double> y,
                                                   const Scratch& scratch, int joint) {
  const JointEnds& e = elimination.ends[at(joint)];
  return {end_of(elimination, y, scratch, e.node1, e.lever1_B, e.axes1_B),
          end_of(elimination, y, scratch, e.node2, e.lever2_B, e.axes2_B)};
}

/// Forces other than uniform gravity into scratch.applied, and their power; says whether there are any.
bool apply_forces(const Model& model, double t, std::span<const double> y, Scratch& scratch);

}  // namespace polhode::tree_sweep
