#include "multibody/chain.h"

namespace polhode::bench {

Evaluation ode_chain(std::size_t) { return {}; }

}  // namespace polhode::bench
