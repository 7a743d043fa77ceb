#include "multibody/chain.h"

namespace polhode::bench {

Evaluation bullet_chain(std::size_t) { return {}; }

}  // namespace polhode::bench
