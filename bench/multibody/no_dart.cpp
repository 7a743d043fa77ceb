#include "multibody/chain.h"

namespace polhode::bench {

Evaluation dart_chain(std::size_t) { return {}; }

}  // namespace polhode::bench
