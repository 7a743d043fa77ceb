#include "multibody/chain.h"

namespace polhode::bench {

Evaluation simbody_chain(std::size_t) { return {}; }

}  // namespace polhode::bench
