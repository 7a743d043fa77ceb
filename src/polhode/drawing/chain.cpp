#include "polhode/drawing/chain.h"

#include "polhode/drawing/pieces.h"
#include "polhode/drawing/svg.h"
#include "polhode/io/toml_reader.h"
#include "polhode/rotation/axis_angle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace polhode::drawing {
namespace {

constexpr double kLargestCoordinate = 1e6;
constexpr double kLargestAngle = 1e9;     // degrees
constexpr std::size_t kMostThings = 200;  // joints, and shapes: more than a picture can show
const std::vector<std::string_view> kKinds{"rod", "wheel", "box", "plate", "frame"};

/// Longest text on one label: more would not fit on paper.
constexpr std::size_t kLongestLabel = 60;

void require_moderate(io::TomlTable& table, std::string_view key, const Vector& v) {
  for (std::size_t i = 0; i < 3; ++i) {
    if (std::fabs(v[i]) > kLargestCoordinate) {
      table.problem(key, fmt::format("{} holds {:g}", key, v[i]), "allowed: -1e6 to 1e6");
      return;
    }
  }
}

Vector position(io::TomlTable& table, std::string_view key) {
  const Vector v = table.vector(key);
  require_moderate(table, key, v);
  return v;
}

double positive(io::TomlTable& table, std::string_view key, double fallback) {
  const double value = table.optional_number(key).value_or(fallback);
  if (!(value >= 1e-6 && value <= kLargestCoordinate)) {
    table.problem(key, fmt::format("{} is {:g}", key, value), "allowed: 1e-6 to 1e6");
    return fallback;
  }
  return value;
}

/// "x", "-y" ... or three numbers, made a unit vector.
Vector direction(io::TomlTable& table, std::string_view key) {
  if (!table.is_text(key)) {
    const Vector v = table.has(key) ? table.optional_vector(key).value_or(Vector{0, 0, 1}) : table.vector(key);
    const double size = norm(v);
    if (size < 1e-9 || size > kLargestCoordinate) {
      if (table.has(key)) { table.problem(key, fmt::format("{} has length {:g}", key, size), "allowed: 1e-9 to 1e6"); }
      return {0, 0, 1};
    }
    return v / size;
  }
  const std::string name = table.text(key);
  const bool minus = name.starts_with('-');
  const std::string letter = minus ? name.substr(1) : name;
  if (letter != "x" && letter != "y" && letter != "z") {
    table.problem(key, fmt::format("{} is '{}'", key, name), "allowed: x, y, z, -x, -y, -z or three numbers");
    return {0, 0, 1};
  }
  const Vector axis = axis_vector<double>(static_cast<std::size_t>(letter[0] - 'x'));
  return minus ? -axis : axis;
}

std::string label(io::TomlTable& table, std::string_view key, const std::string& fallback) {
  std::string text = table.optional_text(key).value_or(fallback);
  if (text.size() > kLongestLabel) {
    table.problem(key, fmt::format("{} is {} bytes long", key, text.size()), fmt::format("allowed: {}", kLongestLabel));
    return "";
  }
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

/// Number of the link that `key` names: "base" or a joint that was listed before.
std::size_t link(io::TomlTable& table, std::string_view key, const std::vector<ChainJoint>& joints) {
  const std::string name = table.text(key);
  if (name.empty() || name == "base") { return 0; }
  std::vector<std::string_view> known{"base"};
  for (std::size_t n = 0; n < joints.size(); ++n) {
    if (joints[n].name == name) { return n + 1; }
    known.push_back(joints[n].name);
  }
  Problem problem = unknown_name(key, name, known);
  problem.allowed =
      fmt::format("allowed: base and the joints listed above ({})", joints.empty() ? "none" : problem.allowed);
  table.problem(key, problem);
  return 0;
}

ChainJoint read_joint(io::TomlTable table, const std::vector<ChainJoint>& before) {
  ChainJoint joint;
  joint.name = table.text("name");
  const bool known =
      std::any_of(before.begin(), before.end(), [&](const ChainJoint& j) { return j.name == joint.name; });
  if (table.has("name") && (joint.name.empty() || joint.name == "base" || known)) {
    table.problem("name", fmt::format("name '{}' is {}", joint.name, known ? "used twice" : "not free"),
                  "wanted: a name of its own, other than base");
  }
  joint.label = label(table, "label", joint.name);
  joint.parent = link(table, "parent", before);
  joint.axis = direction(table, "axis");
  const double angle_deg = table.number("angle_deg");
  if (std::fabs(angle_deg) > kLargestAngle) {
    table.problem("angle_deg", fmt::format("angle_deg is {:g}", angle_deg), "allowed: -1e9 to 1e9");
  }
  joint.angle = kDegree * angle_deg;
  joint.position = position(table, "position");
  joint.connect = table.optional_boolean("connect").value_or(true);
  return joint;
}

ChainShape read_shape(io::TomlTable table, const std::vector<ChainJoint>& joints) {
  ChainShape shape;
  shape.link = link(table, "link", joints);
  const std::string kind = table.text("kind");
  const auto found = std::find(kKinds.begin(), kKinds.end(), kind);
  if (found == kKinds.end()) {
    if (table.has("kind")) { table.problem("kind", unknown_name("kind", kind, kKinds)); }
    // no complaint about keys whose meaning hangs on the kind
    for (const char* key : {"points", "center", "axis", "radius", "size", "arm", "name"}) { table.has(key); }
    return shape;
  }
  shape.kind = static_cast<ChainShape::Kind>(found - kKinds.begin());
  switch (shape.kind) {
    case ChainShape::Kind::rod:
      shape.points = table.vectors("points", 2);
      for (const Vector& p : shape.points) { require_moderate(table, "points", p); }
      shape.size = table.has("radius") ? positive(table, "radius", 1) : 0;
      return shape;
    case ChainShape::Kind::wheel:
    case ChainShape::Kind::plate:
      shape.points = {position(table, "center")};
      shape.axis = direction(table, "axis");
      shape.size = positive(table, "radius", 1);
      return shape;
    case ChainShape::Kind::box:
      shape.points = {position(table, "center")};
      shape.edges = position(table, "size");
      if (!(shape.edges.x > 0 && shape.edges.y > 0 && shape.edges.z > 0)) {
        table.problem("size", "the edges of a box must be positive");
      }
      return shape;
    case ChainShape::Kind::frame:
      shape.points = {position(table, "center")};
      shape.size = positive(table, "arm", 1);
      shape.name = label(table, "name", "");
      return shape;
  }
  return shape;
}

}  // namespace

Chain read_chain(std::string_view bytes, const std::string& file) {
  io::TomlReader reader(bytes, file);
  io::TomlTable root = reader.root();
  Chain chain;
  chain.title = root.text("title");
  chain.note = root.optional_text("note").value_or("");
  chain.can_radius = positive(root, "can_radius", chain.can_radius);
  chain.can_length = positive(root, "can_length", chain.can_length);
  if (const auto view_deg = root.optional_numbers("view_deg", 2)) {
    for (const double angle_deg : *view_deg) {
      if (std::fabs(angle_deg) <= kLargestViewAngle) { continue; }
      root.problem("view_deg", fmt::format("view_deg holds {:g}", angle_deg), "allowed: -360 to 360");
    }
    chain.view = View{kDegree * (*view_deg)[0], kDegree * (*view_deg)[1]};
  }
  std::vector<io::TomlTable> joints = root.tables("joint");
  if (joints.empty()) { root.problem("joint", "no [[joint]]", "a chain has at least one"); }
  std::vector<io::TomlTable> shapes = root.tables("shape");
  for (const auto& [name, list] : {std::pair{"joint", &joints}, std::pair{"shape", &shapes}}) {
    if (list->size() > kMostThings) {
      root.problem(name, fmt::format("{} tables [[{}]]", list->size(), name), fmt::format("allowed: {}", kMostThings));
      for (const io::TomlTable& table : *list) { table.keys(); }  // none is looked at: no complaint about their keys
      list->clear();
    }
  }
  for (io::TomlTable& table : joints) { chain.joints.push_back(read_joint(table, chain.joints)); }
  for (io::TomlTable& table : shapes) { chain.shapes.push_back(read_shape(table, chain.joints)); }
  reader.finish();
  return chain;
}

Linkage to_linkage(const Chain& chain) {
  Linkage linkage;
  linkage.can_radius = chain.can_radius;
  linkage.can_length = chain.can_length;
  const double half = linkage.half_pair();
  const double stub = 0.7 * chain.can_length;
  const double rod_radius = 0.2 * chain.can_radius;

  // attitude and origin of every link
  std::vector<EulerParameters<double>> e_N{EulerParameters<double>::identity()};
  std::vector<Vector> origin{{0, 0, 0}};
  const auto point_N = [&](std::size_t link, const Vector& p_L) { return origin[link] + rotate(e_N[link], p_L); };

  for (std::size_t n = 0; n < chain.joints.size(); ++n) {
    const ChainJoint& joint = chain.joints[n];
    const std::size_t parent = joint.parent;
    const Vector center = point_N(parent, joint.position);
    if (joint.connect && parent > 0) {
      // out of the parent's turned can, across, into this fixed can
      const Vector& out = chain.joints[parent - 1].axis;  // a turn keeps its axis: the same in both of its links
      const Vector in = joint.position - half * joint.axis;
      RodShape rod{{}, parent, rod_radius};
      for (const Vector& p : {half * out, (half + stub) * out, in - stub * joint.axis, in}) {
        rod.points.push_back(point_N(parent, p));
      }
      linkage.rods.push_back(std::move(rod));
    }
    linkage.turns.push_back({.symbol = joint.label,
                             .axis_name = "",
                             .angle = joint.angle,
                             .axis = rotate(e_N[parent], joint.axis),
                             .center = center,
                             .fixed_link = parent,
                             .turned_link = n + 1});
    e_N.push_back(e_N[parent] * to_euler_parameters(AxisAngle<double>{joint.axis, joint.angle}));
    origin.push_back(center);
  }

  for (const ChainShape& shape : chain.shapes) {
    const Mat3<double> R_NL = rotation_matrix(e_N[shape.link]);
    std::vector<Vector> points;
    points.reserve(shape.points.size());
    for (const Vector& p : shape.points) { points.push_back(point_N(shape.link, p)); }
    switch (shape.kind) {
      case ChainShape::Kind::rod:
        linkage.rods.push_back({points, shape.link, shape.size > 0 ? shape.size : rod_radius});
        break;
      case ChainShape::Kind::wheel:
        linkage.wheels.push_back({points[0], R_NL * shape.axis, R_NL * across(shape.axis), shape.size, shape.link});
        break;
      case ChainShape::Kind::box:
        linkage.boxes.push_back({points[0], 0.5 * shape.edges, R_NL, shape.link});
        break;
      case ChainShape::Kind::plate:
        linkage.plates.push_back({points[0], R_NL * shape.axis, shape.size});
        break;
      case ChainShape::Kind::frame: {
        const std::string suffix = shape.name.empty() ? "" : "_{" + shape.name + "}";
        linkage.triads.push_back({points[0], R_NL, {"x" + suffix, "y" + suffix, "z" + suffix}, shape.size});
        break;
      }
    }
  }

  linkage.name = "chain";
  linkage.title = chain.title;
  linkage.heading = {{.text = chain.title, .size = 25, .bold = true}};
  if (!chain.note.empty()) { linkage.caption = {{.text = chain.note, .size = 15, .colour = "#444444"}}; }
  linkage.description = chain.title + ". Pairs of cans at the joints:";
  for (const Turn& turn : linkage.turns) {
    linkage.description += fmt::format(" {} = {};", turn.symbol, svg::degrees(turn.angle));
  }
  linkage.description.back() = '.';
  return linkage;
}

}  // namespace polhode::drawing
