#include "polhode/multibody/loop_group.h"

#include "polhode/core/index.h"
#include "polhode/multibody/model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

namespace polhode {
namespace {

/// An angular and a linear velocity in one frame, at its origin; lengths in a unit of the loop.
using Screw = std::array<double, 6>;

/// What differs by less is equal up to rounding: screws have the size 1.
constexpr double kSameScrew = 1e-12;

double product(const Screw& a, const Screw& b) {
  double sum = 0;
  for (std::size_t i = 0; i < 6; ++i) { sum += a[i] * b[i]; }
  return sum;
}
/// What is left of a vector without its parts along an orthonormal basis; twice is enough.
Screw without(const std::vector<Screw>& basis, Screw v) {
  for (int pass = 0; pass < 2; ++pass) {
    for (const Screw& b : basis) {
      const double part = product(b, v);
      for (std::size_t i = 0; i < 6; ++i) { v[i] -= part * b[i]; }
    }
  }
  return v;
}
/// Adds to an orthonormal basis what it lacks.
void add_direction(std::vector<Screw>& basis, const Screw& v) {
  Screw rest = without(basis, v);
  const double size = std::sqrt(product(rest, rest));
  if (!(size > kSameScrew)) { return; }
  for (double& x : rest) { x /= size; }
  basis.push_back(rest);
}

Screw screw_of(const Vec3<double>& ang, const Vec3<double>& lin) { return {ang.x, ang.y, ang.z, lin.x, lin.y, lin.z}; }
Vec3<double> angular(const Screw& s) { return {s[0], s[1], s[2]}; }
Vec3<double> linear(const Screw& s) { return {s[3], s[4], s[5]}; }
Screw bracket(const Screw& a, const Screw& b) {
  return screw_of(cross(angular(a), angular(b)), cross(angular(a), linear(b)) + cross(linear(a), angular(b)));
}

/// A frame seen from the top of the loop, where all joints of the tree are at zero.
struct Placed {
  Mat3<double> axes = identity<double, 3>();
  Vec3<double> origin{};
};
Placed end_on(const Placed& body, const Vec3<double>& lever_B, const Mat3<double>& axes_B) {
  return {body.axes * axes_B, body.origin + body.axes * lever_B};
}

/// A joint of the tree that a loop passes: its frame, and what turns and slides there.
struct Passed {
  Placed frame;
  FreeTurns turns;
  FreeSlides slides;
  double pitch;
};

/// From the top down to a side; false where a joint or free body leaves every motion, or one that is not known here.
bool walk_down(const Model& model, const EliminationOrder& elimination, int top, int side, std::vector<Passed>& passed,
               Placed& body) {
  std::vector<int> way;
  for (int node = side; node != top; node = elimination.nodes[at(node)].parent) { way.push_back(node); }
  body = {};
  for (auto node = way.rbegin(); node != way.rend(); ++node) {
    const TreeNode& tree = elimination.nodes[at(*node)];
    if (tree.joint < 0) { return false; }
    const JointDescription& joint = model.joints()[at(tree.joint)];
    const FreeSlides slides = joint.kind->slides;
    if (slides == FreeSlides::circle || slides == FreeSlides::sphere || slides == FreeSlides::all) { return false; }
    const JointEnds& ends = elimination.ends[at(tree.joint)];
    const Placed frame =
        tree.is_second ? end_on(body, ends.lever1_B, ends.axes1_B) : end_on(body, ends.lever2_B, ends.axes2_B);
    passed.push_back({frame, joint.kind->turns, slides, joint.parameter});
    body.axes = frame.axes * transpose(tree.is_second ? ends.axes2_B : ends.axes1_B);
    body.origin = frame.origin - body.axes * (tree.is_second ? ends.lever2_B : ends.lever1_B);
  }
  return true;
}

/// The Lie algebra of all joints passed, in a frame: an orthonormal basis.
std::vector<Screw> algebra_in(const std::vector<Passed>& passed, const Placed& frame, double unit) {
  std::vector<Screw> basis;
  const auto add = [&](const Passed& joint, const Vec3<double>& ang, const Vec3<double>& lin) {
    const Vec3<double> at_frame = lin + (1 / unit) * cross(ang, frame.origin - joint.frame.origin);
    Screw s = screw_of(transpose_times(frame.axes, ang), transpose_times(frame.axes, at_frame));
    const double size = std::sqrt(product(s, s));
    for (double& x : s) { x /= size; }
    add_direction(basis, s);
  };
  for (const Passed& joint : passed) {
    if (basis.size() == 6) { return basis; }
    const auto axis = [&](std::size_t k) { return column(joint.frame.axes, k); };
    switch (joint.turns) {
      case FreeTurns::none:
        break;
      case FreeTurns::about_z:
        add(joint, axis(2), joint.slides == FreeSlides::screw ? (joint.pitch / unit) * axis(2) : Vec3<double>{});
        break;
      case FreeTurns::about_x1_y2:
        add(joint, axis(0), {});
        add(joint, axis(1), {});
        break;
      case FreeTurns::no_twist:
      case FreeTurns::all:
        for (std::size_t k = 0; k < 3; ++k) { add(joint, axis(k), {}); }
        break;
    }
    if (joint.slides == FreeSlides::along_z) { add(joint, {}, axis(2)); }
    if (joint.slides == FreeSlides::in_plane) {
      add(joint, {}, axis(0));
      add(joint, {}, axis(1));
    }
  }
  // as the basis grows, so do the brackets that are asked for
  for (std::size_t i = 0; i < basis.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) { add_direction(basis, bracket(basis[i], basis[j])); }
  }
  return basis;
}

/// Kinds whose motions are a group: what their rows hold is the same, seen from the first frame, wherever they stand.
bool is_group(const JointKind& kind) {
  if (kind.turns == FreeTurns::all) { return kind.slides == FreeSlides::none; }
  if (kind.turns == FreeTurns::none) { return kind.slides == FreeSlides::none || kind.slides == FreeSlides::along_z; }
  return kind.turns == FreeTurns::about_z && (kind.slides == FreeSlides::none || kind.slides == FreeSlides::along_z ||
                                              kind.slides == FreeSlides::screw || kind.slides == FreeSlides::in_plane);
}

/// What acts of a joint's rows, seen from one of its frames.
struct Acting {
  std::array<bool, 6> rows{};
  int turns = 0;     ///< rows that hold rotations
  int slides = 0;    ///< rows that hold positions
  int meeting = -1;  ///< the first of three rows of points that meet
  int of_meeting = 0;
  Vec3<double> direction{};  ///< of the one that acts among them, or of the one that does not
};

Acting acting_rows(const JointKind& kind, double parameter, const std::vector<Screw>& algebra, double unit) {
  // a row as it acts on the algebra: its numbers along the basis
  const auto on_algebra = [&](const Vec3<double>& ang, const Vec3<double>& lin) {
    Screw numbers{};
    for (std::size_t i = 0; i < algebra.size(); ++i) { numbers[i] = product(screw_of(ang, lin), algebra[i]); }
    return numbers;
  };
  Acting found;
  std::vector<std::pair<int, Screw>> turns;
  std::vector<std::pair<int, Screw>> slides;
  int row = 0;
  for (const PartUse& part : kind.parts) {
    switch (part.type) {
      case PartUse::Type::meet:
        found.meeting = row;
        row += 2;
        break;
      case PartUse::Type::across:
        turns.emplace_back(
            row, on_algebra(cross(axis_vector<double>(part.second_axis), axis_vector<double>(part.first_axis)), {}));
        break;
      case PartUse::Type::along:
        slides.emplace_back(row, on_algebra({}, axis_vector<double>(part.first_axis)));
        break;
      case PartUse::Type::screw:
        slides.emplace_back(row, on_algebra({0, 0, -parameter / unit}, {0, 0, 1}));
        break;
      case PartUse::Type::distance:
      case PartUse::Type::no_twist:
        break;  // not of a group
    }
    ++row;
  }
  // the largest first, among what those before do not hold
  std::vector<Screw> held;
  const auto choose = [&](const std::vector<std::pair<int, Screw>>& list) {
    int count = 0;
    for (;;) {
      int best = -1;
      double most = kSameScrew;
      for (const auto& [r, numbers] : list) {
        const Screw rest = without(held, numbers);
        const double size = std::sqrt(product(rest, rest));
        if (!found.rows[at(r)] && size > most * (1 + 1e-9)) {
          most = size;
          best = r;
        }
      }
      if (best < 0) { return count; }
      found.rows[at(best)] = true;
      for (const auto& [r, numbers] : list) {
        if (r == best) { add_direction(held, numbers); }
      }
      ++count;
    }
  };
  found.turns = choose(turns);
  if (found.meeting < 0) {
    found.slides = choose(slides);
    return found;
  }
  std::array<Screw, 3> rest;
  std::vector<Screw> span;
  Mat3<double> gram;
  for (std::size_t k = 0; k < 3; ++k) {
    rest[k] = without(held, on_algebra({}, axis_vector<double>(k)));
    add_direction(span, rest[k]);
  }
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t l = 0; l < 3; ++l) { gram(k, l) = product(rest[k], rest[l]); }
  }
  found.of_meeting = found.slides = static_cast<int>(span.size());
  const auto longest = [](const std::array<Vec3<double>, 3>& list) {
    const Vec3<double>& v = *std::max_element(
        list.begin(), list.end(), [](const auto& a, const auto& b) { return norm(a) < norm(b) * (1 - 1e-9); });
    return v / norm(v);
  };
  const std::array<Vec3<double>, 3> columns{column(gram, 0), column(gram, 1), column(gram, 2)};
  if (found.of_meeting == 1) { found.direction = longest(columns); }
  if (found.of_meeting == 2) {
    found.direction =
        longest({cross(columns[0], columns[1]), cross(columns[1], columns[2]), cross(columns[2], columns[0])});
  }
  for (int k = 0; k < 3; ++k) { found.rows[at(found.meeting + k)] = found.of_meeting == 3; }
  return found;
}

}  // namespace

void find_acting_rows(const Model& model, const EliminationOrder& elimination, Closure& closure) {
  closure.acting = closure.rows;
  closure.acts.fill(true);
  if (closure.joint < 0) { return; }
  const JointDescription& joint = model.joints()[at(closure.joint)];
  if (!is_group(*joint.kind)) { return; }
  std::vector<Passed> passed;
  std::array<Placed, 2> bodies;
  for (std::size_t s = 0; s < 2; ++s) {
    if (!walk_down(model, elimination, closure.top, closure.sides[s], passed, bodies[s])) { return; }
  }
  const JointEnds& ends = elimination.ends[at(closure.joint)];
  const std::array<Placed, 2> frames{end_on(bodies[0], ends.lever1_B, ends.axes1_B),
                                     end_on(bodies[1], ends.lever2_B, ends.axes2_B)};
  double unit = 0;
  for (const Passed& one : passed) { unit = std::max(unit, norm(one.frame.origin - frames[0].origin)); }
  if (!(unit > 0)) { unit = 1; }
  std::array<Acting, 2> seen;
  for (std::size_t s = 0; s < 2; ++s) {
    seen[s] = acting_rows(*joint.kind, joint.parameter, algebra_in(passed, frames[s], unit), unit);
  }
  const Acting& first = seen[0];
  // where the frames disagree the loop can not be closed as the rows say
  if (first.turns != seen[1].turns || first.slides != seen[1].slides) { return; }
  closure.acting = first.turns + first.slides;
  if (closure.acting == closure.rows) { return; }
  closure.acts = first.rows;
  if (first.of_meeting == 1 || first.of_meeting == 2) {
    closure.meeting = first.meeting;
    closure.of_meeting = first.of_meeting;
    closure.direction_B = ends.axes1_B * first.direction;
  }
}

std::array<int, 6> row_order(const Closure& closure, const Mat3<double>& R) {
  std::array<bool, 6> acts = closure.acts;
  if (closure.meeting >= 0) {
    // the first axis of space that is near enough, so that no rounding decides: one of a unit vector's is above 0.57
    const Vec3<double> d = R * closure.direction_B;
    const int near = std::fabs(d.x) > 0.5 ? 0 : std::fabs(d.y) > 0.5 ? 1 : 2;
    for (int k = 0; k < 3; ++k) { acts[at(closure.meeting + k)] = (k == near) == (closure.of_meeting == 1); }
  }
  std::array<int, 6> order{};
  std::size_t next = 0;
  for (const bool wanted : {true, false}) {
    for (int r = 0; r < closure.rows; ++r) {
      if (acts[at(r)] == wanted) { order[next++] = r; }
    }
  }
  return order;
}

}  // namespace polhode
