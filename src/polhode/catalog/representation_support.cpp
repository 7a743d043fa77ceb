#include "polhode/catalog/representation_support.h"

#include "polhode/core/error.h"

namespace polhode::catalog {

void refuse_parameter(std::string_view family, std::string_view parameter) {
  if (parameter.empty()) { return; }
  const std::string name(family);
  fail(Error(Problem{
      .what = "'" + name + "' takes nothing but a direction after a colon, got '" + std::string(parameter) + "'",
      .allowed = {},
      .cure = "write " + name + ", " + name + ":body-to-space or " + name + ":space-to-body"}));
}

void require_regular(const Vec3<double>& v, std::string_view what, std::string_view cure) {
  if (std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z)) { return; }
  fail(Error(Problem{.what = std::string(what), .allowed = {}, .cure = std::string(cure)}));
}

}  // namespace polhode::catalog
