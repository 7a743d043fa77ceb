#pragma once

#include "polhode/verification/report.h"

#include <cstddef>
#include <vector>

namespace polhode::verification {

/// All forms in double at random states, against Euler's equation in 50 digits: full inertia up to condition number
/// 1e3, loads of every kind, half of the states near the singularity of some chart, condition number up to 1e4. An item
/// for each family of forms; its residual is the worst error as a fraction of what is allowed. With no states, what
/// would be checked.
std::vector<Item> sweep_forms(std::size_t states);

}  // namespace polhode::verification
