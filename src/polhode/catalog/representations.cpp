#include "polhode/catalog/representations.h"

#include "polhode/catalog/conventions.h"
#include "polhode/core/error.h"

namespace polhode::catalog {

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
    return representation_of(convention(name.substr(at + 1)), name.substr(0, at));
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
            .summary = "ways to write an attitude as a row of numbers, for convert; REP@TOOL for another program's",
            .entries = {}};
  for (const RepresentationFamily* family : representation_families()) {
    kind.entries.push_back({std::string(family->usage), std::string(family->summary), std::string(family->source)});
  }
  return kind;
}

}  // namespace polhode::catalog
