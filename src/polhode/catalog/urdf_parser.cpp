#include "polhode/catalog/urdf.h"
#include "polhode/catalog/urdf_robot.h"
#include "polhode/core/error.h"
#include "polhode/io/toml_bytes.h"

#include <fmt/format.h>
#include <tinyxml2.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace polhode::catalog {
namespace {

using tinyxml2::XMLAttribute;
using tinyxml2::XMLElement;

/// A tag that is longer is no tag of a robot, and the XML library takes time by the square of its attributes.
constexpr std::size_t kLongestTag = std::size_t{1} << 14U;
/// Farther out a position is a mistake, m or rad.
constexpr double kFarthest = 1e9;

[[noreturn]] void refuse_text(const std::string& file, int line, std::string what, std::string allowed,
                              std::string cure) {
  fail(Error(Problem{std::move(what), std::move(allowed), std::move(cure), {file, line, 0}}));
}

/// What the XML library does not see, or takes too long for, is refused before it: bytes that are zero, declarations of
/// a document type, which are where entities are made, and tags of absurd length.
void require_harmless(std::string_view text, const std::string& file) {
  int line = 1;
  std::size_t at = 0;
  const auto skip_to = [&](std::size_t end) {
    line += static_cast<int>(std::count(text.begin() + static_cast<std::ptrdiff_t>(at),
                                        text.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
    at = end;
  };
  const auto behind = [&](std::string_view mark) {
    const std::size_t found = text.find(mark, at);
    return found == std::string_view::npos ? text.size() : found + mark.size();
  };
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
    skip_to(zero);
    refuse_text(file, line, "a byte that is zero: this is no text", "wanted: a robot in URDF, which is XML", "");
  }
  while (at < text.size()) {
    const std::size_t tag = std::min(text.find('<', at), text.size());
    skip_to(tag);
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("<!--")) {
      skip_to(behind("-->"));
    } else if (rest.starts_with("<![CDATA[")) {
      skip_to(behind("]]>"));
    } else if (rest.starts_with("<?")) {
      skip_to(behind("?>"));
    } else if (rest.starts_with("<!")) {
      refuse_text(file, line, "a declaration '<!': robots in URDF have none, and entities are not read", "",
                  "remove it");
    } else if (!rest.empty()) {
      char quote = '\0';
      std::size_t n = 1;
      for (; n < rest.size() && (quote != '\0' || rest[n] != '>'); ++n) {
        if (quote != '\0') {
          quote = rest[n] == quote ? '\0' : quote;
        } else if (rest[n] == '"' || rest[n] == '\'') {
          quote = rest[n];
        }
        if (n > kLongestTag) {
          refuse_text(file, line, fmt::format("a tag of more than {} bytes", kLongestTag), "", "is this a robot?");
        }
      }
      skip_to(at + n);
    }
  }
}

/// What the XML library found, in our words.
std::string why_no_xml(tinyxml2::XMLError error) {
  switch (error) {
    case tinyxml2::XML_ERROR_EMPTY_DOCUMENT:
      return "there is no XML in it";
    case tinyxml2::XML_ERROR_MISMATCHED_ELEMENT:
      return "no XML: an element ends that is not the one that is open, or one never ends";
    case tinyxml2::XML_ERROR_PARSING_ATTRIBUTE:
      return "no XML: an attribute without quotes, or given twice";
    case tinyxml2::XML_ELEMENT_DEPTH_EXCEEDED:
      return fmt::format("elements more than {} deep in each other", TINYXML2_MAX_ELEMENT_DEPTH);
    case tinyxml2::XML_ERROR_PARSING_COMMENT:
      return "no XML: a comment without an end";
    case tinyxml2::XML_ERROR_PARSING_TEXT:
      return "no XML: text that belongs to no element";
    default:
      return "no XML";
  }
}

/// One file, from bytes to links and joints.
class UrdfParser {
 public:
  explicit UrdfParser(const std::string& file) : file_(&file) {}

  UrdfRobot parse(std::string_view text) {
    if (text.starts_with("\xEF\xBB\xBF")) { text.remove_prefix(3); }  // a byte order mark
    if (text.size() > kMostUrdfBytes) {
      refuse_text(*file_, 0, "the file is larger than 4 MiB", "", "robots are smaller: is it one?");
    }
    require_harmless(text, *file_);
    tinyxml2::XMLDocument document;
    const tinyxml2::XMLError error = document.Parse(text.data(), text.size());
    if (error != tinyxml2::XML_SUCCESS) {
      refuse_text(*file_, document.ErrorLineNum(), why_no_xml(error), "wanted: a robot in URDF, which is XML", "");
    }
    const XMLElement* root = document.RootElement();
    if (root == nullptr) { refuse_text(*file_, 1, "there is no element in it", "wanted: <robot>", ""); }
    require_robot(*root);
    robot_.name = text_of(*root, "name", "");
    read_robot(*root);
    std::move(problems_).fail_if_any();
    return std::move(robot_);
  }

 private:
  /// Fails where it is something else that robots are written in.
  void require_robot(const XMLElement& root) const {
    const std::string name = root.Name();
    const int line = root.GetLineNum();
    if (name == "sdf" || name == "mujoco" || name == "gazebo" || name == "COLLADA") {
      refuse_text(*file_, line, fmt::format("<{}>: this is no URDF but {}", name, name == "COLLADA" ? "a mesh" : name),
                  "wanted: <robot>", "write the robot as URDF in the program that made it");
    }
    if (name != "robot") {
      refuse_text(*file_, line, fmt::format("<{}>: this is no URDF", plain_text(name)), "wanted: <robot>", "");
    }
    // elements of xacro anywhere in it; the tree is walked without recursion
    for (const XMLElement* at = &root; at != nullptr;) {
      if (std::string_view(at->Name()).starts_with("xacro:")) {
        refuse_text(*file_, at->GetLineNum(),
                    fmt::format("<{}>: this is a xacro file, which makes a robot", plain_text(at->Name())), "",
                    "make the URDF of it first: xacro FILE -o robot.urdf");
      }
      const XMLElement* next = at->FirstChildElement();
      while (next == nullptr && at != nullptr && at != &root) {
        next = at->NextSiblingElement();
        if (next == nullptr) { at = at->Parent() == nullptr ? nullptr : at->Parent()->ToElement(); }
      }
      at = next;
    }
  }

  void read_robot(const XMLElement& root) {
    for (const XMLElement* one = root.FirstChildElement(); one != nullptr; one = one->NextSiblingElement()) {
      const std::string tag = one->Name();
      if (tag == "link") {
        read_link(*one);
      } else if (tag == "joint") {
        read_joint(*one);
      } else {
        leave_out(fmt::format("<{}>", plain_text(tag)), one->GetLineNum());
      }
    }
    if (robot_.links.empty() && problems_.empty()) {
      problem(root.GetLineNum(), "the robot has no link", "wanted: one or more <link>");
    }
  }

  void read_link(const XMLElement& element) {
    UrdfLink link;
    link.line = element.GetLineNum();
    link.name = text_of(element, "name");
    if (link.name.empty()) { problem(link.line, "a link without name", "wanted: <link name=\"...\">"); }
    for (const XMLElement* one = element.FirstChildElement(); one != nullptr; one = one->NextSiblingElement()) {
      const std::string tag = one->Name();
      if (tag == "inertial") {
        if (link.inertial) {
          problem(one->GetLineNum(), fmt::format("link '{}' has a second <inertial>", plain_text(link.name)),
                  "wanted: one", "add both up");
        }
        link.inertial = inertial_of(*one, link.name);
      } else if (tag == "visual") {
        if (std::optional<UrdfVisual> visual = visual_of(*one, link.name)) {
          link.visuals.push_back(std::move(*visual));
        }
      } else {
        leave_out(fmt::format("<{}> of links", plain_text(tag)), one->GetLineNum());
      }
    }
    robot_.links.push_back(std::move(link));
  }

  UrdfInertial inertial_of(const XMLElement& element, const std::string& link) {
    UrdfInertial inertial;
    inertial.line = element.GetLineNum();
    inertial.origin = origin_in(element);
    const XMLElement* mass = element.FirstChildElement("mass");
    const XMLElement* inertia = element.FirstChildElement("inertia");
    for (const auto& [one, tag] : {std::pair{mass, "mass"}, std::pair{inertia, "inertia"}}) {
      if (one == nullptr) {
        problem(inertial.line, fmt::format("<inertial> of link '{}' without <{}>", plain_text(link), tag),
                "wanted: <mass> and <inertia>");
      }
    }
    if (mass != nullptr) { inertial.mass = number_in(*mass, "value"); }
    if (inertia == nullptr) { return inertial; }
    const double xy = number_in(*inertia, "ixy");
    const double xz = number_in(*inertia, "ixz");
    const double yz = number_in(*inertia, "iyz");
    inertial.J = {{{number_in(*inertia, "ixx"), xy, xz},
                   {xy, number_in(*inertia, "iyy"), yz},
                   {xz, yz, number_in(*inertia, "izz")}}};
    return inertial;
  }

  std::optional<UrdfVisual> visual_of(const XMLElement& element, const std::string& link) {
    UrdfVisual visual;
    visual.line = element.GetLineNum();
    visual.origin = origin_in(element);
    const XMLElement* geometry = element.FirstChildElement("geometry");
    const XMLElement* shape = geometry == nullptr ? nullptr : geometry->FirstChildElement();
    if (shape == nullptr) {
      problem(visual.line, fmt::format("a <visual> of link '{}' without geometry", plain_text(link)),
              "wanted: <geometry> with box, cylinder, sphere, capsule or mesh");
      return {};
    }
    visual.shape = shape->Name();
    const auto length = [&](const char* key) {
      const std::size_t before = found_;
      const double x = number_in(*shape, key);
      if (!(x > 0 && x < kFarthest) && found_ == before) {
        problem(shape->GetLineNum(), fmt::format("{} of a {} is {}", key, visual.shape, x),
                "wanted: above 0, up to 1e9 m");
      }
      return x;
    };
    if (visual.shape == "box") {
      const std::size_t before = found_;
      visual.size = vector_in(*shape, "size");
      const auto [least, most] = std::minmax({visual.size.x, visual.size.y, visual.size.z});
      if (found_ == before && !(least > 0 && most < kFarthest)) {
        problem(shape->GetLineNum(), fmt::format("a box with an edge of {} m", least > 0 ? most : least),
                "wanted: three lengths above 0, up to 1e9 m");
      }
    } else if (visual.shape == "sphere") {
      visual.radius = length("radius");
    } else if (visual.shape == "cylinder" || visual.shape == "capsule") {
      visual.radius = length("radius");
      visual.length = length("length");
    } else if (visual.shape == "mesh") {
      visual.file = text_of(*shape, "filename");
      if (visual.file.empty()) { problem(shape->GetLineNum(), "a mesh without filename"); }
      visual.size = shape->FindAttribute("scale") == nullptr ? Vec3<double>{1, 1, 1} : vector_in(*shape, "scale");
    } else {
      leave_out(fmt::format("visuals of shape <{}>", plain_text(visual.shape)), shape->GetLineNum());
      return {};
    }
    return visual;
  }

  void read_joint(const XMLElement& element) {
    static const std::vector<std::string_view> kTypes{"revolute", "continuous", "prismatic",
                                                      "fixed",    "floating",   "planar"};
    UrdfJoint joint;
    joint.line = element.GetLineNum();
    joint.name = text_of(element, "name");
    joint.type = text_of(element, "type");
    const std::string who = fmt::format("joint '{}'", plain_text(joint.name));
    if (joint.name.empty()) {
      problem(joint.line, "a joint without name", "wanted: <joint name=\"...\" type=\"...\">");
    }
    if (joint.type.empty()) {
      problem(joint.line, who + " without type", fmt::format("known: {}", fmt::join(kTypes, " ")));
    } else if (std::find(kTypes.begin(), kTypes.end(), joint.type) == kTypes.end()) {
      Problem unknown = unknown_name("type of joint", plain_text(joint.type), kTypes);
      problem(joint.line, who + ": " + unknown.what, unknown.allowed, unknown.cure);
    }
    joint.origin = origin_in(element);
    for (const auto& [tag, to] : {std::pair{"parent", &joint.parent}, std::pair{"child", &joint.child}}) {
      const XMLElement* end = element.FirstChildElement(tag);
      if (end != nullptr) { *to = text_of(*end, "link"); }
      if (to->empty()) {
        problem(end == nullptr ? joint.line : end->GetLineNum(), fmt::format("{} without {}", who, tag),
                fmt::format("wanted: <{} link=\"...\"/>", tag));
      }
    }
    for (const XMLElement* one = element.FirstChildElement(); one != nullptr; one = one->NextSiblingElement()) {
      const std::string tag = one->Name();
      if (tag == "axis") {
        read_axis(*one, who, joint);
      } else if (tag == "limit") {
        read_limit(*one, who, joint);
      } else if (tag == "dynamics") {
        for (const auto& [key, to] : {std::pair{"damping", &joint.damping}, std::pair{"friction", &joint.friction}}) {
          *to = number_in(*one, key, 0);
          if (*to < 0) {
            problem(one->GetLineNum(), fmt::format("{} of {} is {}", key, who, *to), "wanted: 0 or more");
          }
        }
      } else if (tag == "mimic") {
        UrdfMimic mimic;
        mimic.line = one->GetLineNum();
        mimic.joint = text_of(*one, "joint");
        if (mimic.joint.empty()) { problem(mimic.line, who + " mimics nothing", "wanted: <mimic joint=\"...\"/>"); }
        mimic.multiplier = number_in(*one, "multiplier", 1);
        mimic.offset = number_in(*one, "offset", 0);
        if (std::fabs(mimic.multiplier) > kFarthest || std::fabs(mimic.offset) > kFarthest) {
          problem(mimic.line, fmt::format("{} mimics with {} and {}", who, mimic.multiplier, mimic.offset),
                  "allowed: multiplier and offset up to 1e9");
        }
        joint.mimic = std::move(mimic);
      } else if (tag != "origin" && tag != "parent" && tag != "child") {
        leave_out(fmt::format("<{}> of joints", plain_text(tag)), one->GetLineNum());
      }
    }
    robot_.joints.push_back(std::move(joint));
  }

  void read_axis(const XMLElement& element, const std::string& who, UrdfJoint& joint) {
    const std::size_t before = found_;
    const Vec3<double> axis = vector_in(element, "xyz");
    if (found_ != before) { return; }
    if (const double length = norm(axis); length > 0) {
      // an axis of unit length stays as it is written
      joint.axis = std::fabs(length - 1) < 1e-15 ? axis : axis / length;
    } else if (joint.moves() && joint.type != "floating") {
      problem(element.GetLineNum(), fmt::format("the axis of {} is zero: it gives no direction", who),
              "wanted: a vector that is not zero");
    }
  }

  void read_limit(const XMLElement& element, const std::string& who, UrdfJoint& joint) {
    joint.has_limit = true;
    for (const auto& [key, to] : {std::pair{"lower", &joint.lower}, std::pair{"upper", &joint.upper},
                                  std::pair{"effort", &joint.effort}, std::pair{"velocity", &joint.velocity}}) {
      *to = number_in(element, key, 0, Range::limit);
    }
    if (joint.lower > joint.upper) {
      problem(element.GetLineNum(),
              fmt::format("the lower limit of {} is above the upper one: {} > {}", who, joint.lower, joint.upper),
              "wanted: lower up to upper", "change them");
    }
    if (joint.effort < 0) {
      problem(element.GetLineNum(), fmt::format("the effort of {} is {}", who, joint.effort), "wanted: 0 or more");
    }
  }

  UrdfOrigin origin_in(const XMLElement& element) {
    UrdfOrigin origin;
    const XMLElement* given = element.FirstChildElement("origin");
    if (given == nullptr) { return origin; }
    if (given->FindAttribute("xyz") != nullptr) { origin.xyz = vector_in(*given, "xyz"); }
    if (given->FindAttribute("rpy") != nullptr) { origin.rpy = vector_in(*given, "rpy"); }
    for (std::size_t i = 0; i < 3; ++i) {
      if (std::fabs(origin.xyz[i]) > kFarthest || std::fabs(origin.rpy[i]) > kFarthest) {
        problem(given->GetLineNum(), fmt::format("<origin> of {} m and {} rad", origin.xyz[i], origin.rpy[i]),
                "allowed: 1e9 m, 1e9 rad", "check the units");
        return {};
      }
    }
    return origin;
  }

  // ---- attributes ---------------------------------------------------------------------------------------------------

  static std::string text_of(const XMLElement& element, const char* key, const char* fallback = "") {
    const XMLAttribute* given = element.FindAttribute(key);
    return given == nullptr ? fallback : given->Value();
  }

  /// Of a limit infinity is allowed: there is none then.
  enum class Range { finite, limit };

  double number_in(const XMLElement& element, const char* key, std::optional<double> fallback = {},
                   Range range = Range::finite) {
    const XMLAttribute* given = element.FindAttribute(key);
    if (given == nullptr) {
      if (!fallback) {
        problem(element.GetLineNum(), fmt::format("<{}> without {}", plain_text(element.Name()), key),
                "wanted: a number");
      }
      return fallback.value_or(0);
    }
    return numbers_of<1>(*given, range)[0];
  }

  Vec3<double> vector_in(const XMLElement& element, const char* key) {
    const XMLAttribute* given = element.FindAttribute(key);
    if (given == nullptr) {
      problem(element.GetLineNum(), fmt::format("<{}> without {}", plain_text(element.Name()), key),
              "wanted: three numbers");
      return {};
    }
    const std::array<double, 3> three = numbers_of<3>(*given, Range::finite);
    return {three[0], three[1], three[2]};
  }

  template <std::size_t N>
  std::array<double, N> numbers_of(const XMLAttribute& attribute, Range range) {
    std::array<double, N> numbers{};
    std::size_t count = 0;
    const std::string_view text = attribute.Value();
    constexpr std::string_view kBlanks = " \t\r\n";
    for (std::size_t at = text.find_first_not_of(kBlanks); at != std::string_view::npos;) {
      const std::size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
      const std::string_view word = text.substr(at, end - at);
      const std::optional<double> number = number_of(attribute, word, range);
      if (!number) { return {}; }
      if (count < N) { numbers[count] = *number; }
      ++count;
      at = text.find_first_not_of(kBlanks, end);
    }
    if (count == N) { return numbers; }
    problem(attribute.GetLineNum(),
            fmt::format("{}=\"{}\" has {} number{}", plain_text(attribute.Name()), plain_text(text), count,
                        count == 1 ? "" : "s"),
            N == 1 ? "wanted: one" : "wanted: three, with blanks between");
    return {};
  }

  std::optional<double> number_of(const XMLAttribute& attribute, std::string_view word, Range range) {
    double x = 0;
    const char* begin = word.data() + (word.starts_with('+') && !word.starts_with("+-") ? 1 : 0);
    const char* end = word.data() + word.size();
    const auto [rest, error] = std::from_chars(begin, end, x);
    const std::string who = fmt::format("{}: '{}'", plain_text(attribute.Name()), plain_text(word));
    const int line = attribute.GetLineNum();
    if (error == std::errc::result_out_of_range) {
      problem(line, who + " is beyond the range of numbers", "between 4.9e-324 and 1.8e308 in size, or 0");
    } else if (word.find("${") != std::string_view::npos || word.find("$(") != std::string_view::npos) {
      problem(line, who + " is an expression of xacro", "wanted: a number",
              "make the URDF of it first: xacro FILE -o robot.urdf");
    } else if (error != std::errc{} || rest != end) {
      problem(line, who + " is not a number", "a number is written like -1.5e-3");
    } else if (std::isnan(x) || (!std::isfinite(x) && range == Range::finite)) {
      problem(line, who + (std::isnan(x) ? " is not a number" : " is not finite"), "wanted: a finite number");
    } else {
      return x;
    }
    return {};
  }

  // ---- notes --------------------------------------------------------------------------------------------------------

  void problem(int line, std::string what, std::string allowed = {}, std::string cure = {}) {
    ++found_;
    problems_.add({std::move(what), std::move(allowed), std::move(cure), {*file_, line, 0}});
  }

  void leave_out(const std::string& what, int line) {
    constexpr std::size_t kMostKinds = 100;  // told apart
    std::vector<UrdfRobot::LeftOut>& list = robot_.left_out;
    auto same = std::find_if(list.begin(), list.end(), [&](const auto& one) { return one.what == what; });
    if (same == list.end() && list.size() > kMostKinds) { same = list.end() - 1; }
    if (same == list.end()) {
      list.push_back({list.size() < kMostKinds ? what : "elements of other kinds", 0, line});
      same = list.end() - 1;
    }
    ++same->count;
  }

  const std::string* file_;
  UrdfRobot robot_;
  Problems problems_;
  std::size_t found_ = 0;
};

}  // namespace

UrdfRobot parse_urdf(std::string_view text, const std::string& file) { return UrdfParser(file).parse(text); }

std::string plain_text(std::string_view text) {
  constexpr std::size_t kMost = 80;
  std::string plain(text.substr(0, kMost));
  if (text.size() > kMost) {
    while (!plain.empty() && (static_cast<unsigned char>(plain.back()) & 0x80U) != 0) { plain.pop_back(); }
    plain += "...";
  }
  for (char& c : plain) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) { c = '?'; }
  }
  if (io::find_bad_bytes("# " + plain, "")) {
    for (char& c : plain) {
      if ((static_cast<unsigned char>(c) & 0x80U) != 0) { c = '?'; }
    }
  }
  return plain;
}

}  // namespace polhode::catalog
