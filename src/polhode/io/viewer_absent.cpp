#include "polhode/io/viewer_page.h"

namespace polhode::io {

const std::array<std::string, 4>& viewer_template() {
  static const std::array<std::string, 4> kNone;
  return kNone;
}

}  // namespace polhode::io
