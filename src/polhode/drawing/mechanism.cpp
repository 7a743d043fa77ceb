#include "polhode/drawing/mechanism.h"

#include "polhode/core/error.h"
#include "polhode/drawing/palette.h"
#include "polhode/drawing/pieces.h"
#include "polhode/drawing/scene.h"
#include "polhode/drawing/solid.h"
#include "polhode/drawing/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace polhode::drawing {
namespace {

constexpr const char* kMetal = "#7C8793";
constexpr const char* kRubber = "#4A4F55";
constexpr const char* kFloorColour = "#D5DAE0";
/// More of either would cover the picture.
constexpr std::size_t kMostNames = 12;
constexpr std::size_t kMostTrails = 6;
constexpr std::size_t kGhosts = 4;

/// Lengths of the picture, in units of the mechanism's own size.
constexpr double kGhostWay = 0.9;    ///< that the fastest body goes from the first ghost to the end
constexpr double kTrailWay = 3;      ///< and over which trails are drawn
constexpr double kLeastPin = 0.009;  ///< radii of pins
constexpr double kMostPin = 0.018;
constexpr double kBone = 0.013;  ///< radius of rods of bodies without shape
constexpr double kLeastLength = 0.004;
constexpr double kLineWidth = 1.1;  ///< of edges, on paper

/// The shortest turn that takes one unit vector to another.
EulerParameters<double> turn_between(const Vector& from, const Vector& to) {
  const double cosine = dot(from, to);
  if (cosine < -0.999999) { return {0, across(from)}; }
  const Vector sine = cross(from, to);
  const double size = math::sqrt((1 + cosine) * (1 + cosine) + norm_squared(sine));
  return {(1 + cosine) / size, sine / size};
}

struct Bounds {
  Vector low{1e300, 1e300, 1e300};
  Vector high{-1e300, -1e300, -1e300};

  void add(const Vector& p) {
    for (std::size_t k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], p[k]);
      high[k] = std::max(high[k], p[k]);
    }
  }
  double size() const { return norm(high - low); }
  Vector middle() const { return 0.5 * (low + high); }
};

/// A frame of a joint at a moment.
struct Pose {
  Vector origin;
  EulerParameters<double> e;
  Vector axis(std::size_t k) const {
    Vector v{};
    v[k] = 1;
    return rotate(e, v);
  }
};

bool has_axis(const std::string& kind) {
  return kind == "revolute" || kind == "prismatic" || kind == "cylindrical" || kind == "screw" || kind == "planar" ||
         kind == "point-on-line";
}
bool slides(const std::string& kind) {
  return kind == "prismatic" || kind == "cylindrical" || kind == "screw" || kind == "point-on-line";
}
bool is_rod(const std::string& kind) {
  return kind == "distance" || kind == "spherical-spherical" || kind == "revolute-spherical";
}

/// A joint whose second body is the ground, told the other way round: x of the first frame and y of the second, which a
/// cross turns about, are exchanged by a quarter turn about z.
io::PicturedJoint ground_first(const io::PicturedJoint& joint) {
  if (joint.second >= 0) { return joint; }
  const double half = math::sqrt(0.5);
  io::PicturedJoint turned = joint;
  std::swap(turned.first, turned.second);
  turned.r_first = joint.r_second;
  turned.e_first = joint.e_second * EulerParameters<double>{half, {0, 0, half}};
  turned.r_second = joint.r_first;
  turned.e_second = joint.e_first * EulerParameters<double>{half, {0, 0, -half}};
  return turned;
}

/// The mechanism turned so that up is z, with its solids in the frames of their bodies (origin: the mass centre).
class Stage {
 public:
  explicit Stage(const MechanismPicture& picture) : picture_(picture) {
    const Vector up = picture.up_N ? unit(*picture.up_N) : Vector{0, 0, 1};
    e_PN_ = turn_between(up, {0, 0, 1});
    for (const std::vector<Stance>& moment : picture.moments) {
      std::vector<Stance>& turned = moments_.emplace_back();
      for (const Stance& stance : moment) { turned.push_back({rotate(e_PN_, stance.r_N), e_PN_ * stance.e_NB}); }
    }
    joint_points_.resize(bodies());
    for (const io::PicturedJoint& joint : picture.joints) {
      if (joint.first >= 0) { add_point(joint.first, joint.r_first); }
      add_point(joint.second, joint.r_second);
    }
    measure();
    make_solids();
  }

  std::size_t bodies() const { return picture_.bodies.size(); }
  std::size_t last() const { return moments_.size() - 1; }
  double size() const { return size_; }
  const std::vector<Solid>& solids(std::size_t body) const { return solids_[body]; }
  const std::vector<Vector>& joint_points(std::size_t body) const { return joint_points_[body]; }
  const Stance& stance(std::size_t moment, std::size_t body) const { return moments_[moment][body]; }
  Vector at(std::size_t moment, std::size_t body, const Vector& r_B) const {
    const Stance& stance = moments_[moment][body];
    return stance.r_N + rotate(stance.e_NB, r_B);
  }
  Vector turned(const Vector& v_N) const { return rotate(e_PN_, v_N); }

  /// A point given from the origin of a body's frame, or of space.
  Vector point(std::size_t moment, int body, const Vector& r) const {
    if (body < 0) { return turned(r); }
    const auto b = static_cast<std::size_t>(body);
    return at(moment, b, r - picture_.bodies[b].reference_B);
  }
  Pose pose(std::size_t moment, int body, const Vector& r, const EulerParameters<double>& e) const {
    const EulerParameters<double> e_PB = body < 0 ? e_PN_ : moments_[moment][static_cast<std::size_t>(body)].e_NB;
    return {point(moment, body, r), e_PB * e};
  }

  /// Half of what a body measures across its length: how thick it looks.
  double girth(std::size_t body) const { return girths_[body]; }

  /// Points by which the motion of a body is seen: its joints, mass centre, and ends of what it is made of.
  std::vector<Vector> marks(std::size_t body) const {
    std::vector<Vector> list = joint_points_[body];
    list.push_back({});
    for (const Outline& outline : picture_.bodies[body].outlines) {
      const Vector center = outline.r_BC_B - picture_.bodies[body].reference_B;
      if (outline.surface) {
        list.push_back(center + rotate(outline.e_BC, farthest(*outline.surface)));
        continue;
      }
      const double reach = 0.5 * *std::max_element(outline.lengths.begin(), outline.lengths.end());
      list.push_back(center + reach * rotate(outline.e_BC, {0, 0, 1}));
      if (outline.shape == "box") { list.push_back(center + reach * rotate(outline.e_BC, {1, 0, 0})); }
    }
    return list;
  }

 private:
  /// The point of a surface that is farthest from its origin.
  static Vector farthest(const Surface& surface) {
    return *std::max_element(surface.points.begin(), surface.points.end(),
                             [](const Vector& a, const Vector& b) { return norm_squared(a) < norm_squared(b); });
  }
  void add_point(int body, const Vector& r) {
    const auto b = static_cast<std::size_t>(body);
    joint_points_[b].push_back(r - picture_.bodies[b].reference_B);
  }

  void measure() {
    Bounds bounds;
    for (std::size_t b = 0; b < bodies(); ++b) {
      bounds.add(stance(last(), b).r_N);
      for (const Vector& r : joint_points_[b]) { bounds.add(at(last(), b, r)); }
      for (const Outline& outline : picture_.bodies[b].outlines) {
        for (const Vector& p : solid_of(outline, 0).points) {
          bounds.add(at(last(), b, p - picture_.bodies[b].reference_B));
        }
      }
    }
    size_ = bounds.size() > 0 ? bounds.size() : 1;
  }

  void make_solids() {
    for (std::size_t b = 0; b < bodies(); ++b) {
      const io::PicturedBody& body = picture_.bodies[b];
      std::vector<Solid>& solids = solids_.emplace_back();
      double girth = 1e300;
      for (const Outline& outline : body.outlines) {
        if (outline.hole) { continue; }
        solids.push_back(
            moved(solid_of(outline, kLeastLength * size_), EulerParameters<double>::identity(), -body.reference_B));
        Bounds own;
        for (const Vector& p : solid_of(outline, 0).points) { own.add(rotate(inverse_of(outline.e_BC), p)); }
        std::array<double, 3> edges{own.high.x - own.low.x, own.high.y - own.low.y, own.high.z - own.low.z};
        std::sort(edges.begin(), edges.end());
        const bool ring = outline.shape == "tube";
        const bool plate = edges[0] < 0.2 * edges[1] && edges[1] > 0.3 * edges[2];
        girth = std::min(girth, ring ? outline.lengths[0] - outline.lengths[1] : edges[plate ? 0 : 1] / 2);
      }
      if (solids.empty()) {
        girth = kBone * size_;
        for (const Vector& r : joint_points_[b]) {
          if (norm(r) > 0) { solids.push_back(rod_solid({}, r, kBone * size_, 14)); }
        }
        solids.push_back(ball_solid({}, ball_of(b), 28));
      }
      girths_.push_back(girth);
    }
  }

  /// Radius of the ball that stands for a body without shape: the smallest half-axis of an ellipsoid of its inertia,
  /// within reason; small on a link between joints.
  double ball_of(std::size_t b) const {
    const io::PicturedBody& body = picture_.bodies[b];
    const Vector J{column(body.J_B, 0).x, column(body.J_B, 1).y, column(body.J_B, 2).z};
    const double squared = 2.5 * (J.x + J.y + J.z - 2 * std::max({J.x, J.y, J.z})) / std::max(body.mass, 1e-300);
    double most = 0.2 * size_;
    if (joint_points_[b].size() > 1) {
      double longest = 0;
      for (const Vector& r : joint_points_[b]) { longest = std::max(longest, norm(r)); }
      most = std::min(most, 0.2 * longest);
    }
    const double least = 1.5 * kBone * size_;
    return std::clamp(squared > 0 ? math::sqrt(squared) : 0, least, std::max(least, most));
  }

  static EulerParameters<double> inverse_of(const EulerParameters<double>& e) { return {e.e0, -e.ev}; }

  const MechanismPicture& picture_;
  EulerParameters<double> e_PN_;
  std::vector<std::vector<Stance>> moments_;
  std::vector<std::vector<Vector>> joint_points_;
  std::vector<std::vector<Solid>> solids_;
  std::vector<double> girths_;
  double size_ = 1;
};

// ---- the way it came ----

/// Of the body that went farthest, how far it has still to go at each moment.
std::vector<double> way_to_go(const Stage& stage) {
  std::vector<double> way(stage.last() + 1, 0);
  for (std::size_t m = stage.last(); m-- > 0;) {
    double farthest = 0;
    for (std::size_t b = 0; b < stage.bodies(); ++b) {
      for (const Vector& mark : stage.marks(b)) {
        farthest = std::max(farthest, norm(stage.at(m, b, mark) - stage.at(m + 1, b, mark)));
      }
    }
    way[m] = way[m + 1] + farthest;
  }
  return way;
}

/// Whether nothing holds it to the ground and it goes farther than its size.
bool travels(const MechanismPicture& picture, const Stage& stage, const std::vector<double>& way) {
  const bool held = std::any_of(picture.joints.begin(), picture.joints.end(),
                                [](const io::PicturedJoint& joint) { return joint.first < 0; });
  if (held || way.empty()) { return false; }
  Bounds positions;
  for (std::size_t m = 0; m <= stage.last(); ++m) { positions.add(stage.stance(m, 0).r_N); }
  return positions.size() > 1.5 * stage.size();
}

/// Moments at which the mechanism is drawn pale: equal ways apart.
std::vector<std::size_t> ghosts_of(const std::vector<double>& way, double total) {
  std::vector<std::size_t> moments;
  const double span = std::min(total, way.empty() ? 0.0 : way[0]);
  for (std::size_t n = kGhosts; n > 0; --n) {
    const double wanted = span * static_cast<double>(n) / kGhosts;
    std::size_t m = way.size() - 1;
    while (m > 0 && way[m] < wanted * (1 - 1e-12)) { --m; }
    if (way[m] > 0.05 * total && (moments.empty() || moments.back() != m)) { moments.push_back(m); }
  }
  return moments;
}

// ---- joints ----

/// Stretches of a line inside a body, origin and direction in space; a little off so that no edge is met.
std::vector<Stretch> inside_body(const Stage& stage, int body, const Vector& origin, const Vector& direction) {
  std::vector<Stretch> all;
  if (body < 0) { return all; }
  const auto b = static_cast<std::size_t>(body);
  const Stance& stance = stage.stance(stage.last(), b);
  const double off = 1e-5 * stage.size();
  for (const Solid& solid : stage.solids(b)) {
    const Solid here = moved(solid, stance.e_NB, stance.r_N);
    for (const Stretch& stretch : inside(here, origin + Vector{0.71 * off, -0.43 * off, 0.56 * off}, direction)) {
      all.push_back(stretch);
    }
  }
  std::sort(all.begin(), all.end(), [](const Stretch& f, const Stretch& g) { return f.from < g.from; });
  return all;
}

/// What a joint is drawn with.
struct JointLook {
  std::vector<Painted> solids;
  std::optional<std::array<Vector, 2>> axis;  ///< a thin line
  Vector middle;
};

class JointDrawing {
 public:
  JointDrawing(const Stage& stage, const io::PicturedJoint& joint, const View& view)
      : stage_(stage),
        joint_(joint),
        view_(view),
        first_(stage.pose(stage.last(), joint.first, joint.r_first, joint.e_first)),
        second_(stage.pose(stage.last(), joint.second, joint.r_second, joint.e_second)) {
    girth_ = stage.girth(static_cast<std::size_t>(joint.second));
    if (joint.first >= 0) { girth_ = std::min(girth_, stage.girth(static_cast<std::size_t>(joint.first))); }
    // seen, but not much thicker than what it holds
    const double least = std::min(kLeastPin * stage.size(), std::max(1.3 * girth_, kLeastLength * stage.size()));
    pin_ = std::clamp(0.42 * girth_, least, kMostPin * stage.size());
  }

  JointLook look() {
    look_.middle = second_.origin;
    const std::string& kind = joint_.kind;
    if (is_rod(kind)) {
      add(rod_solid(first_.origin, second_.origin, 0.6 * pin_), kMetal);
      add(ball_solid(first_.origin, 1.2 * pin_, 12), kMetal);
      add(ball_solid(second_.origin, 1.2 * pin_, 12), kMetal);
      if (grounded()) { stand(first_.origin); }
    } else if (slides(kind)) {
      rail();
    } else if (kind == "revolute") {
      hinge();
    } else if (kind == "universal") {
      const double reach = std::max(3 * pin_, 1.7 * girth_);
      for (const Vector& axis : {first_.axis(0), second_.axis(1)}) {
        add(rod_solid(first_.origin - reach * axis, first_.origin + reach * axis, 0.8 * pin_), kMetal);
      }
      if (grounded()) { stand(first_.origin); }
    } else if (kind == "planar" || kind == "point-on-plane") {
      const Vector half{6 * pin_, 6 * pin_, 0.3 * pin_};
      add(moved(box_solid(half), first_.e, second_.origin), kLinkColours[0]);
      add(ball_solid(second_.origin, 1.3 * pin_, 12), kMetal);
    } else if (kind != "weld") {
      add(ball_solid(second_.origin, 1.8 * pin_, 16), kMetal);
      if (grounded()) { stand(second_.origin); }
    } else if (grounded()) {
      stand(second_.origin);
    }
    return std::move(look_);
  }

 private:
  bool grounded() const { return joint_.first < 0; }
  void add(Solid solid, const std::string& colour) { look_.solids.push_back({std::move(solid), colour, false}); }

  /// A plate of the ground that faces along `normal`.
  void plate(const Vector& at, const Vector& normal, double radius) {
    add(rod_solid(at, at - 0.9 * pin_ * normal, radius, 24), kLinkColours[0]);
  }
  /// A cone on a plate, from below.
  void stand(const Vector& tip) {
    const double height = 6 * pin_;
    const std::array<Point, 3> profile{Point{0, -height}, {2.2 * pin_, -height}, {0, 0}};
    add(moved(lathe(profile, false, 20), EulerParameters<double>::identity(), tip), kLinkColours[0]);
    plate(tip - Vector{0, 0, height}, {0, 0, 1}, 3.6 * pin_);
  }
  /// A ring around a shaft, held from below or, where the shaft is upright, by a plate.
  void bearing(const Vector& axis, double radius) {
    const Vector half = 2 * pin_ * axis;
    const Vector at = second_.origin;
    add(rod_solid(at - half, at + half, radius, 24), kLinkColours[0]);
    if (std::fabs(axis.z) > 0.7) {
      const Vector down = axis.z > 0 ? -half : half;
      plate(at + down, {0, 0, 1}, 1.7 * radius);
      return;
    }
    const Vector foot = at - Vector{0, 0, radius + 5 * pin_};
    add(rod_solid(at - Vector{0, 0, 0.8 * radius}, foot, 1.1 * pin_), kLinkColours[0]);
    plate(foot, {0, 0, 1}, 3.6 * pin_);
  }

  std::vector<Stretch> around(int body) const { return inside_body(stage_, body, second_.origin, first_.axis(2)); }
  /// The stretch of a body that the joint's point lies in or close to.
  std::optional<Stretch> own_stretch(int body) const {
    for (const Stretch& stretch : around(body)) {
      if (stretch.from < 2 * pin_ && stretch.to > -2 * pin_) { return stretch; }
    }
    return std::nullopt;
  }
  /// Whether the axis runs along the body rather than across it.
  bool runs_along(int body, const std::optional<Stretch>& stretch) const {
    return body >= 0 && stretch && stretch->to - stretch->from > 5 * stage_.girth(static_cast<std::size_t>(body));
  }
  void axis_line(double from, double to) {
    const Vector axis = first_.axis(2);
    look_.axis = {second_.origin + (from - 4 * pin_) * axis, second_.origin + (to + 4 * pin_) * axis};
  }

  void pin(double from, double to) {
    const Vector axis = first_.axis(2);
    add(rod_solid(second_.origin + from * axis, second_.origin + to * axis, pin_), kMetal);
  }
  /// A pin goes into a plate of the ground: below where it is upright, otherwise behind.
  void mount(double from, double to, bool both) {
    const Vector axis = first_.axis(2);
    const double down = std::fabs(axis.z) > 0.5 ? axis.z : dot(axis, view_.toward());
    if (both || down > 0) { plate(second_.origin + from * axis, axis, 3.2 * pin_); }
    if (both || down <= 0) { plate(second_.origin + to * axis, -axis, 3.2 * pin_); }
  }

  void hinge() {
    const std::optional<Stretch> one = own_stretch(joint_.first);
    const std::optional<Stretch> two = own_stretch(joint_.second);
    const Vector axis = first_.axis(2);
    if (runs_along(joint_.second, two) && grounded()) {
      axis_line(two->from, two->to);
      bearing(axis, 1.5 * stage_.girth(static_cast<std::size_t>(joint_.second)));
      return;
    }
    if (!one && !two) {
      const std::vector<Stretch> outer = around(joint_.first);
      const std::vector<Stretch> inner = around(joint_.second);
      if (outer.size() + inner.size() > 0) { return hollow(outer, inner); }
    }
    if (one && !two && !around(joint_.second).empty()) { return hollow(around(joint_.first), around(joint_.second)); }
    if (two && !one && !around(joint_.first).empty()) { return hollow(around(joint_.first), around(joint_.second)); }
    double from = -pin_;
    double to = pin_;
    const auto long_of = [](const std::optional<Stretch>& stretch) {
      return stretch ? stretch->to - stretch->from : 0;
    };
    for (const auto& [body, stretch] : {std::pair{joint_.first, one}, {joint_.second, two}}) {
      // not all the way through a body that is much larger than the other
      const double other = long_of(body == joint_.first ? two : one);
      const bool larger = other > 0 && long_of(stretch) > 4 * other;
      if (!stretch || larger || runs_along(body, stretch)) { continue; }
      from = std::min(from, stretch->from);
      to = std::max(to, stretch->to);
    }
    from -= (grounded() ? 1.6 : 0.7) * pin_;
    to += (grounded() ? 1.6 : 0.7) * pin_;
    pin(from, to);
    if (grounded()) { mount(from, to, false); }
    axis_line(from, to);
  }

  /// A ring turns about an axis through its empty middle: pins where the axis meets it.
  void hollow(const std::vector<Stretch>& outer, const std::vector<Stretch>& inner) {
    const auto ends = [](const std::vector<Stretch>& list, bool upper) {
      // the stretch farthest out on that side
      return upper ? list.back() : list.front();
    };
    double from = 0;
    double to = 0;
    for (const bool upper : {false, true}) {
      std::vector<Stretch> both;
      if (!outer.empty()) { both.push_back(ends(outer, upper)); }
      if (!inner.empty()) { both.push_back(ends(inner, upper)); }
      double low = 1e300;
      double high = -1e300;
      for (const Stretch& stretch : both) {
        low = std::min(low, stretch.from);
        high = std::max(high, stretch.to);
      }
      if (grounded()) { (upper ? high : low) += (upper ? 4 : -4) * pin_; }
      pin(low, high);
      (upper ? to : from) = upper ? high : low;
    }
    if (grounded()) { mount(from, to, true); }
    axis_line(from, to);
  }

  void rail() {
    const std::optional<Stretch> one = own_stretch(joint_.first);
    const std::optional<Stretch> two = own_stretch(joint_.second);
    const Vector axis = first_.axis(2);
    if (runs_along(joint_.first, one)) {
      axis_line(one->from, one->to);
      return;
    }
    if (runs_along(joint_.second, two) && grounded()) {
      axis_line(two->from, two->to);
      bearing(axis, 1.5 * stage_.girth(static_cast<std::size_t>(joint_.second)));
      return;
    }
    // as long as the slide went
    double from = 0;
    double to = 0;
    const double now = dot(second_.origin - first_.origin, axis);
    for (std::size_t m = 0; m <= stage_.last(); ++m) {
      const Pose rail = stage_.pose(m, joint_.first, joint_.r_first, joint_.e_first);
      const Vector slider = stage_.point(m, joint_.second, joint_.r_second);
      const double position = dot(slider - rail.origin, rail.axis(2)) - now;
      from = std::min(from, position);
      to = std::max(to, position);
    }
    const double margin = 5 * pin_;
    from = from - margin + (two ? two->from : 0);
    to = to + margin + (two ? two->to : 0);
    const Vector a = second_.origin + from * axis;
    const Vector b = second_.origin + to * axis;
    add(rod_solid(a, b, 0.7 * pin_), kMetal);
    if (grounded()) {
      plate(a, axis, 3.2 * pin_);
      plate(b, -axis, 3.2 * pin_);
    }
    axis_line(from, to);
  }

  const Stage& stage_;
  const io::PicturedJoint& joint_;
  const View& view_;
  Pose first_;
  Pose second_;
  double girth_ = 0;
  double pin_ = 0;
  JointLook look_;
};

// ---- pieces ----

/// Sticks from the mass centre to joints that lie outside of what a body is made of.
std::vector<Solid> sticks(const Stage& stage, std::size_t body) {
  std::vector<Solid> list;
  const double near = 0.02 * stage.size();
  for (const Vector& r : stage.joint_points(body)) {
    const double far = norm(r);
    if (far < near) { continue; }
    // free way from the joint to the first material towards the mass centre
    double free_way = far;
    for (const Solid& solid : stage.solids(body)) {
      for (const Stretch& stretch : inside(solid, r + Vector{1e-6, 2e-6, 3e-6} * stage.size(), -r / far)) {
        if (stretch.to > 0) { free_way = std::min(free_way, std::max(0.0, stretch.from)); }
      }
    }
    if (free_way > near) { list.push_back(rod_solid({}, r, 0.6 * kBone * stage.size(), 12)); }
  }
  return list;
}

/// A body that wholly holds another is drawn as glass.
bool holds_another(const Stage& stage, std::size_t body) {
  for (std::size_t other = 0; other < stage.bodies(); ++other) {
    if (other == body || stage.solids(other).empty()) { continue; }
    bool all = true;
    for (const Solid& solid : stage.solids(other)) {
      for (std::size_t i = 0; i < solid.points.size() && all; ++i) {
        const Vector p = stage.at(stage.last(), other, solid.points[i]);
        const Stance& own = stage.stance(stage.last(), body);
        const Vector p_B = rotate({own.e_NB.e0, -own.e_NB.ev}, p - own.r_N);
        const std::vector<Solid>& list = stage.solids(body);
        all = std::any_of(list.begin(), list.end(), [&](const Solid& one) { return is_inside(one, p_B); });
      }
    }
    if (all) { return true; }
  }
  return false;
}

std::string closed_path(const std::vector<Point>& rim) {
  std::string path;
  for (const Point& p : rim) { path += (path.empty() ? "M" : "L") + svg::point(p); }
  return path + "Z";
}

/// One pale solid.
Piece ghost(Solid solid, const std::string& colour, double strength) {
  Piece piece;
  for (const Vector& p : solid.points) { piece.hull.push_back({p, p, 0}); }
  piece.draw = [solid = std::move(solid), colour, strength](const Projection& projection, const std::string&) {
    std::string path;
    if (solid.convex) {
      std::vector<Point> points;
      points.reserve(solid.points.size());
      for (const Vector& p : solid.points) { points.push_back(projection(p)); }
      path = closed_path(convex_rim(std::move(points)));
    } else {
      // faces that face us, all of one sense: filled, they are one shape
      for (const std::vector<std::size_t>& face : solid.faces) {
        const Vector& a = solid.points[face[0]];
        const Vector normal = cross(solid.points[face[1]] - a, solid.points[face[2]] - a);
        if (dot(normal, projection.toward()) <= 0) { continue; }
        std::vector<Point> rim;
        rim.reserve(face.size());
        for (const std::size_t i : face) { rim.push_back(projection(solid.points[i])); }
        path += closed_path(rim);
      }
    }
    const double line = solid.convex ? 0.9 : 0;
    return fmt::format(
        "<path d=\"{}\" fill=\"{}\" fill-opacity=\"{}\" stroke=\"{}\" stroke-opacity=\"{}\" "
        "stroke-width=\"{}\" stroke-linejoin=\"round\"/>\n",
        path, colour, svg::number(strength), svg::shade(colour, 0.5), svg::number(1.2 * strength), svg::number(line));
  };
  return piece;
}

/// A line through points of space.
Piece line(std::vector<Vector> points, const std::string& colour, double width, const char* dashes, double opacity) {
  Piece piece;
  for (const Vector& p : points) { piece.hull.push_back({p, p, 0}); }
  piece.draw = [points = std::move(points), colour, width, dashes, opacity](const Projection& projection,
                                                                            const std::string&) {
    std::string path;
    Point drawn{1e300, 1e300};
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Point p = projection(points[i]);
      // no more points than can be seen
      if (i > 0 && i + 1 < points.size() && length(p - drawn) < 1.2) { continue; }
      path += (i == 0 ? "M" : "L") + svg::point(p);
      drawn = p;
    }
    return fmt::format(
        "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" stroke-opacity=\"{}\""
        " stroke-linejoin=\"round\" stroke-linecap=\"round\"{}/>\n",
        path, colour, svg::number(width), svg::number(opacity),
        *dashes == 0 ? std::string() : fmt::format(" stroke-dasharray=\"{}\"", dashes));
  };
  return piece;
}

/// Largest of 1, 2, 5, 10, ... times a power of ten that is not above x.
double nice_below(double x) {
  double power = 1;
  while (power > x) { power /= 10; }
  while (power * 10 <= x) { power *= 10; }
  return power * (x >= 5 * power ? 5 : x >= 2 * power ? 2 : 1);
}

/// Lines of a net under everything in `bounds`, in the plane through a point, across a unit vector.
std::vector<Piece> net(const Bounds& bounds, const Vector& through, const Vector& normal, double step) {
  // turns the plane so that it is level
  const EulerParameters<double> level = turn_between(normal, {0, 0, 1});
  const EulerParameters<double> back = turn_between({0, 0, 1}, normal);
  Bounds turned;
  for (const double x : {bounds.low.x, bounds.high.x}) {
    for (const double y : {bounds.low.y, bounds.high.y}) {
      for (const double z : {bounds.low.z, bounds.high.z}) { turned.add(rotate(level, Vector{x, y, z})); }
    }
  }
  const double height = rotate(level, through).z;
  std::vector<Piece> lines;
  const auto add = [&](double xa, double ya, double xb, double yb) {
    lines.push_back(
        line({rotate(back, Vector{xa * step, ya * step, height}), rotate(back, Vector{xb * step, yb * step, height})},
             kFloorColour, 1, "", 1));
  };
  const auto count = [&](double x, double way) { return std::floor(x / step + way); };
  const double x0 = count(turned.low.x, -0.02);
  const double x1 = -count(-turned.high.x, -0.02);
  const double y0 = count(turned.low.y, -0.02);
  const double y1 = -count(-turned.high.y, -0.02);
  for (double x = x0; x <= x1; ++x) { add(x, y0, x, y1); }
  for (double y = y0; y <= y1; ++y) { add(x0, y, x1, y); }
  return lines;
}

/// A zigzag between two points.
Piece spring_piece(const Vector& a, const Vector& b, double width, const Vector& side) {
  std::vector<Vector> points{a};
  constexpr int kTurns = 9;
  for (int n = 0; n < kTurns; ++n) {
    const double along = 0.15 + 0.7 * (n + 0.5) / kTurns;
    points.push_back(a + along * (b - a) + (n % 2 == 0 ? width : -width) * side);
  }
  points.push_back(b);
  Piece piece = line(std::move(points), kInk, 1.6, "", 0.9);
  piece.hull = {{a, b, width}};
  return piece;
}

void require_sound(const MechanismPicture& picture) {
  const auto wrong = [&](const std::string& what) {
    fail(Error(Problem{.what = fmt::format("picture of '{}': {}", picture.title, what), .allowed = {}, .cure = {}}));
  };
  const int bodies = static_cast<int>(picture.bodies.size());
  if (bodies == 0 || picture.moments.empty()) { wrong("no body or no moment"); }
  const auto finite = [](const Vector& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); };
  for (const std::vector<Stance>& moment : picture.moments) {
    if (moment.size() != picture.bodies.size()) { wrong("a moment without one of the bodies"); }
    for (const Stance& stance : moment) {
      if (!finite(stance.r_N) || !finite(stance.e_NB.ev) || !std::isfinite(stance.e_NB.e0)) {
        wrong("a position that is not finite");
      }
    }
  }
  for (const io::PicturedBody& body : picture.bodies) {
    for (const Outline& outline : body.outlines) {
      bool sound =
          (outline.surface ? !outline.surface->triangles.empty() : !outline.lengths.empty()) && finite(outline.r_BC_B);
      for (const double length : outline.lengths) { sound = sound && std::isfinite(length) && length >= 0; }
      if (!sound || (outline.shape == "tube" && outline.lengths.size() < 2)) {
        wrong(fmt::format("body '{}' has a shape without lengths", body.name));
      }
    }
  }
  for (const io::PicturedSpring& spring : picture.springs) {
    if (std::max(spring.first, spring.second) >= bodies || std::min(spring.first, spring.second) < -1) {
      wrong("a spring is on a body that is not there");
    }
    if (!finite(spring.on_first) || !finite(spring.on_second)) {
      wrong("a spring is at a position that is not finite");
    }
  }
  for (const io::PicturedJoint& joint : picture.joints) {
    if (joint.first >= bodies || joint.second >= bodies || joint.first < -1 || joint.second < -1 ||
        (joint.first == -1 && joint.second == -1)) {
      wrong(fmt::format("joint '{}' is on a body that is not there", joint.name));
    }
    if (!finite(joint.r_first) || !finite(joint.r_second)) {
      wrong(fmt::format("joint '{}' is at a position that is not finite", joint.name));
    }
  }
}

/// The picture with every joint on a body, the ground first; fails where it cannot be drawn.
MechanismPicture prepared(MechanismPicture picture) {
  require_sound(picture);
  for (io::PicturedJoint& joint : picture.joints) { joint = ground_first(joint); }
  return picture;
}

double area_of(const std::vector<Point>& rim) {
  double twice = 0;
  for (std::size_t i = 0; i < rim.size(); ++i) { twice += dot(quarter_turn(rim[i]), rim[(i + 1) % rim.size()]); }
  return std::fabs(twice) / 2;
}

/// How wide the way of the first body is on paper, and how little of it the body itself, with this rim, covers.
double way_seen(const Stage& stage, const Projection& plain, const std::vector<Point>& rim) {
  std::vector<Point> way;
  double covered = 0;
  for (std::size_t m = 0; m <= stage.last(); ++m) {
    const Point p = plain(stage.stance(m, 0).r_N);
    way.push_back(p);
    bool within = true;
    for (std::size_t i = 0; i < rim.size() && within; ++i) {
      within = dot(quarter_turn(rim[(i + 1) % rim.size()] - rim[i]), p - rim[i]) >= 0;
    }
    covered += within ? 1 : 0;
  }
  return 3 * math::sqrt(area_of(convex_rim(way))) - 5 * covered / static_cast<double>(way.size());
}

/// How large the bodies look, one by one and together, and whether they lie over each other: larger is better.
double merit(const Stage& stage, const MechanismPicture& picture, const View& view) {
  const Projection plain(view, 1 / stage.size(), {});
  double merit = 0;
  double total = 0;
  double seen = 0;
  std::vector<Point> positions;
  std::vector<Point> all;
  for (std::size_t b = 0; b < stage.bodies(); ++b) {
    positions.push_back(plain(stage.stance(stage.last(), b).r_N));
    std::vector<Point> own;
    Bounds bounds;
    for (const Solid& solid : stage.solids(b)) {
      for (const Vector& p : solid.points) {
        const Vector p_P = stage.at(stage.last(), b, p);
        own.push_back(plain(p_P));
        bounds.add(p_P);
      }
    }
    all.insert(all.end(), own.begin(), own.end());
    if (stage.bodies() == 1) { merit += way_seen(stage, plain, convex_rim(own)); }
    total += bounds.size() / stage.size();
    seen += math::sqrt(area_of(convex_rim(std::move(own))));
  }
  // of one body alone the way it goes says more than its face
  const bool alone = stage.bodies() == 1;
  merit += total > 0 ? (alone ? 1 : 6) * seen / total : 0;
  merit += 3 * math::sqrt(area_of(convex_rim(std::move(all))));
  for (std::size_t i = 0; i < positions.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      merit -=
          2 * std::max(0.0, 0.1 - length(positions[i] - positions[j])) * 10 / static_cast<double>(positions.size());
    }
  }
  double end_on = 0;
  double axes = 0;
  for (const io::PicturedJoint& joint : picture.joints) {
    if (!has_axis(joint.kind)) { continue; }
    const Pose pose = stage.pose(stage.last(), joint.first, joint.r_first, joint.e_first);
    end_on += std::max(0.0, std::fabs(dot(pose.axis(2), view.toward())) - 0.86);
    axes += 1;
  }
  if (axes > 0) { merit -= 12 * end_on / axes; }
  // among equals, the view of the textbooks: x to the lower left or right
  const double away = std::min(std::fabs(std::remainder(view.azimuth - 35 * kDegree, 2 * math::kPi<double>)),
                               std::fabs(std::remainder(view.azimuth + 55 * kDegree, 2 * math::kPi<double>)));
  return merit - 0.15 * away - 0.5 * std::fabs(view.elevation - 22 * kDegree);
}

}  // namespace

View best_view(const MechanismPicture& given) {
  const MechanismPicture picture = prepared(given);
  const Stage stage(picture);
  View best;
  double best_merit = -1e300;
  for (int elevation = 14; elevation <= 38; elevation += 6) {
    for (int azimuth = -175; azimuth <= 180; azimuth += 10) {
      const View view{azimuth * kDegree, elevation * kDegree};
      const double found = merit(stage, picture, view);
      if (found > best_merit + 1e-9) {
        best = view;
        best_merit = found;
      }
    }
  }
  return best;
}

std::string describe(const MechanismPicture& picture) {
  const auto name_of = [&](int body) {
    return body < 0 ? std::string("the ground") : picture.bodies[static_cast<std::size_t>(body)].name;
  };
  std::string text = fmt::format("{} {}:", picture.bodies.size(), picture.bodies.size() == 1 ? "body" : "bodies");
  for (std::size_t b = 0; b < picture.bodies.size(); ++b) { text += (b == 0 ? " " : ", ") + picture.bodies[b].name; }
  text += ".";
  if (!picture.joints.empty()) {
    text += fmt::format(" {} {}:", picture.joints.size(), picture.joints.size() == 1 ? "joint" : "joints");
    for (std::size_t j = 0; j < picture.joints.size(); ++j) {
      const io::PicturedJoint& joint = picture.joints[j];
      text += fmt::format("{}{} ({}) between {} and {}", j == 0 ? " " : ", ", joint.name, joint.kind,
                          name_of(joint.first), name_of(joint.second));
    }
    text += ".";
  }
  if (picture.moments.size() > 1) { text += " Pale: where it was before; lines: the ways of mass centres."; }
  return text;
}

std::string draw(const MechanismPicture& given, const View& view) {
  const MechanismPicture picture = prepared(given);
  const Stage stage(picture);
  const std::size_t last = stage.last();
  Scene scene;
  scene.name = picture.name;
  scene.title = picture.title;
  scene.description = describe(picture);
  if (picture.words) {
    scene.heading = {{.text = picture.title, .size = 22, .colour = kInk, .bold = true, .literal = true}};
  } else {
    scene.width = 400;
    scene.height = 340;
  }

  // what it was and where it went
  const std::vector<double> way = way_to_go(stage);
  const bool far = travels(picture, stage, way);
  const double reach = stage.size() * (far ? 5 : 1);
  std::vector<Piece> pale;
  Bounds bounds;
  std::vector<bool> glass;
  glass.reserve(stage.bodies());
  for (std::size_t b = 0; b < stage.bodies(); ++b) { glass.push_back(holds_another(stage, b)); }
  const std::vector<std::size_t> ghosts = ghosts_of(way, kGhostWay * reach);
  for (std::size_t n = 0; n < ghosts.size(); ++n) {
    const double strength = 0.1 + 0.16 * static_cast<double>(n + 1) / static_cast<double>(ghosts.size());
    for (std::size_t b = 0; b < stage.bodies(); ++b) {
      const Stance& stance = stage.stance(ghosts[n], b);
      for (const Solid& solid : stage.solids(b)) {
        pale.push_back(
            ghost(moved(solid, stance.e_NB, stance.r_N), colour_of(b + 1), glass[b] ? 0.4 * strength : strength));
      }
    }
  }
  std::size_t begin = 0;
  while (begin < last && way[begin] > kTrailWay * reach) { ++begin; }
  std::vector<std::pair<double, std::size_t>> travelled;
  for (std::size_t b = 0; b < stage.bodies(); ++b) {
    double sum = 0;
    for (std::size_t m = begin; m < last; ++m) { sum += norm(stage.stance(m + 1, b).r_N - stage.stance(m, b).r_N); }
    if (sum > 0.03 * stage.size()) { travelled.emplace_back(-sum, b); }
  }
  std::sort(travelled.begin(), travelled.end());
  if (stage.bodies() > kMostTrails) { travelled.resize(std::min<std::size_t>(travelled.size(), 1)); }
  for (const auto& [sum, b] : travelled) {
    std::vector<Vector> points;
    for (std::size_t m = begin; m <= last; ++m) { points.push_back(stage.stance(m, b).r_N); }
    pale.push_back(line(std::move(points), svg::shade(colour_of(b + 1), 0.72), 1.7, "", 0.9));
  }

  // what it is
  std::vector<Painted> solids;
  std::vector<Capsule> hull;
  for (std::size_t b = 0; b < stage.bodies(); ++b) {
    const Stance& stance = stage.stance(last, b);
    for (const Solid& solid : stage.solids(b)) {
      solids.push_back({moved(solid, stance.e_NB, stance.r_N), colour_of(b + 1), glass[b]});
    }
    for (const Solid& stick : sticks(stage, b)) {
      solids.push_back({moved(stick, stance.e_NB, stance.r_N), colour_of(b + 1), false});
    }
  }
  std::vector<JointLook> looks;
  for (const io::PicturedJoint& joint : picture.joints) {
    looks.push_back(JointDrawing(stage, joint, view).look());
    for (const Painted& painted : looks.back().solids) { solids.push_back(painted); }
  }
  for (const io::PicturedSpring& spring : picture.springs) {
    if (spring.kind != "bushing") { continue; }
    const Vector a = stage.point(last, spring.first, spring.on_first);
    const Vector b = stage.point(last, spring.second, spring.on_second);
    const double radius = 0.018 * stage.size();
    solids.push_back({ball_solid(a, radius, 16), kRubber, false});
    if (norm(b - a) < radius) { continue; }
    solids.push_back({rod_solid(a, b, 0.7 * radius), kRubber, false});
    solids.push_back({ball_solid(b, radius, 16), kRubber, false});
  }
  for (const Painted& painted : solids) {
    Bounds own;
    for (const Vector& p : painted.solid.points) {
      bounds.add(p);
      own.add(p);
    }
    // labels keep clear of lines from the middle to the corners
    for (const Vector& p : painted.solid.points) { hull.push_back({p, own.middle(), 0.002 * stage.size()}); }
  }
  for (const Piece& piece : pale) {
    for (const Capsule& capsule : piece.hull) { bounds.add(capsule.a); }
  }
  if ((picture.up_N && picture.words) || picture.floor) {
    const Vector through = picture.floor ? stage.turned(picture.floor->point) : bounds.low;
    const Vector normal = picture.floor ? stage.turned(unit(picture.floor->normal)) : Vector{0, 0, 1};
    const double step = nice_below(0.12 * (bounds.high.x - bounds.low.x + bounds.high.y - bounds.low.y));
    for (Piece& piece : net(bounds, through, normal, step)) { scene.backdrop.push_back(std::move(piece)); }
    for (const io::PicturedPlane& plane : picture.other_floors) {
      for (Piece& piece : net(bounds, stage.turned(plane.point), stage.turned(unit(plane.normal)), step)) {
        scene.backdrop.push_back(std::move(piece));
      }
    }
  }
  for (Piece& piece : pale) { scene.backdrop.push_back(std::move(piece)); }

  // springs and axes lie over it
  std::vector<Piece> over;
  for (const io::PicturedSpring& spring : picture.springs) {
    if (spring.kind == "bushing") { continue; }
    const Vector a = stage.point(last, spring.first, spring.on_first);
    const Vector b = stage.point(last, spring.second, spring.on_second);
    const Vector side = cross(view.toward(), b - a);
    if (norm(side) > 0) { over.push_back(spring_piece(a, b, 0.018 * stage.size(), unit(side))); }
  }
  for (const JointLook& look : looks) {
    if (!look.axis || looks.size() > kMostNames) { continue; }
    over.push_back(line({(*look.axis)[0], (*look.axis)[1]}, kInk, 1, "9 3 2 3", 0.75));
  }
  Piece whole;
  whole.hull = std::move(hull);
  for (const Piece& piece : over) { whole.hull.insert(whole.hull.end(), piece.hull.begin(), piece.hull.end()); }
  whole.draw = [solids = std::move(solids), over = std::move(over)](const Projection& projection,
                                                                    const std::string& id) {
    std::string text = draw_solids(solids, projection, kLineWidth);
    for (const Piece& piece : over) { text += piece.draw(projection, id); }
    return text;
  };
  scene.pieces.push_back(std::move(whole));

  if (picture.words) {
    const Vector middle = bounds.middle();
    const bool all = picture.bodies.size() <= kMostNames;
    for (std::size_t b = 0; b < stage.bodies(); ++b) {
      if (!all && b > 0 && b + 1 < stage.bodies()) { continue; }
      const Vector at = stage.stance(last, b).r_N;
      scene.labels.push_back({{{.text = picture.bodies[b].name,
                                .size = 16,
                                .colour = svg::shade(colour_of(b + 1), 0.5),
                                .bold = true,
                                .literal = true}},
                              at,
                              at - middle,
                              stage.girth(b)});
    }
    for (std::size_t j = 0; j < looks.size() && looks.size() <= kMostNames; ++j) {
      scene.labels.push_back(
          {{{.text = picture.joints[j].name, .size = 13, .colour = kFaint, .italic = true, .literal = true}},
           looks[j].middle,
           looks[j].middle - middle,
           0.01 * stage.size()});
    }
  }
  return to_svg(scene, view);
}

}  // namespace polhode::drawing
