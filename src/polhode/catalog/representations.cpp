#include "polhode/catalog/representations.h"

#include "polhode/catalog/conventions.h"
#include "polhode/catalog/representation_support.h"
#include "polhode/core/refuse.h"

#include <algorithm>

namespace polhode::catalog {
namespace {

constexpr std::string_view kBodyToSpace = "body-to-space";
constexpr std::string_view kSpaceToBody = "space-to-body";

bool is_direction(std::string_view word) { return word == kBodyToSpace || word == kSpaceToBody; }

/// A name in two: "euler:3-1-3:extrinsic" and "space-to-body", or "" where no direction is given.
struct Directed {
  std::string rest;
  std::string_view direction;
};

/// Fails when a direction is given twice, stands before another word, or is nearly one.
Directed take_direction(std::string_view name) {
  Directed found;
  bool moved = false;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find(':', begin), name.size());
    const std::string_view word = name.substr(begin, end - begin);
    if (begin > 0 && is_direction(word)) {
      if (!found.direction.empty()) {
        refuse("'" + std::string(name) + "' gives two directions",
               "write " + found.rest + ":body-to-space or " + found.rest + ":space-to-body");
      }
      found.direction = word;
    } else {
      if (begin > 0 && !nearest_name(word, {kBodyToSpace, kSpaceToBody}).empty()) {
        fail(Error(unknown_name("direction", word, {kBodyToSpace, kSpaceToBody})));
      }
      moved = !found.direction.empty();
      found.rest += (begin > 0 ? ":" : "") + std::string(word);
    }
    begin = end + 1;
  }
  if (moved) {
    refuse("'" + std::string(name) + "': a direction stands last",
           "write " + found.rest + ":" + std::string(found.direction));
  }
  return found;
}

}  // namespace

#define REPRESENTATION(name) extern const RepresentationFamily name##_family;
#include "polhode/catalog/representations.def"
#undef REPRESENTATION

const std::vector<const RepresentationFamily*>& representation_families() {
  static const std::vector<const RepresentationFamily*> kAll{
#define REPRESENTATION(name) &name##_family,
#include "polhode/catalog/representations.def"
#undef REPRESENTATION
  };
  return kAll;
}

RepresentationPtr representation(std::string_view name, std::string shown_name) {
  if (shown_name.empty()) { shown_name = name; }
  if (const std::size_t at = name.find('@'); at != std::string_view::npos) {
    const Directed rep = take_direction(name.substr(0, at));
    const Directed tool = take_direction(name.substr(at + 1));
    const std::string_view direction = rep.direction.empty() ? tool.direction : rep.direction;
    if (!direction.empty()) { refuse_direction(convention(tool.rest), name, rep.rest, direction); }
    return representation_of(convention(tool.rest), rep.rest);
  }
  if (const auto [rest, direction] = take_direction(name); !direction.empty()) {
    RepresentationPtr rep = representation(rest, shown_name);
    return direction == kBodyToSpace ? rep : inverse_of(std::move(shown_name), std::move(rep));
  }
  const std::size_t colon = name.find(':');
  const std::string_view family_name = name.substr(0, colon);
  const std::string_view parameter = colon == std::string_view::npos ? "" : name.substr(colon + 1);

  std::vector<std::string_view> known;
  for (const RepresentationFamily* family : representation_families()) {
    if (family->name == family_name) { return family->make(std::move(shown_name), parameter); }
    known.push_back(family->name);
  }
  if (family_name == "quaternion") {
    fail(Error(Problem{.what = "'quaternion' does not say where the scalar stands",
                       .allowed = "write quaternion_wxyz (scalar first) or quaternion_xyzw (scalar last)",
                       .cure = "or name the program that wrote it, such as quaternion@scipy"}));
  }
  fail(Error(unknown_name("representation", family_name, known)));
}

Kind representation_kind() {
  Kind kind{.name = "representations",
            .summary =
                "ways to write an attitude as a row of numbers, for convert; REP:space-to-body for the "
                "inverse, REP@TOOL for another program's",
            .entries = {}};
  for (const RepresentationFamily* family : representation_families()) {
    kind.entries.push_back({std::string(family->usage), std::string(family->summary), std::string(family->source)});
  }
  return kind;
}

}  // namespace polhode::catalog
