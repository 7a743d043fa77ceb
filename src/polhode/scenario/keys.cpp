#include "polhode/scenario/keys.h"

namespace polhode::scenario {

std::string to_text(const Path& path) {
  std::string text;
  for (const Path::Step& step : path.steps) {
    if (!text.empty() && !step.key.empty()) { text += '.'; }
    text += step.key;
    if (step.index >= 0) { text += '[' + std::to_string(step.index) + ']'; }
  }
  return text;
}

}  // namespace polhode::scenario
