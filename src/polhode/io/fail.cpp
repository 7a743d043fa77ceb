#include "polhode/core/error.h"

namespace polhode {

// The one definition of the way out that core declares: above it, errors are exceptions.
void fail(Error error) { throw error; }

}  // namespace polhode
