#pragma once

namespace polhode::bench {

/// The best order of the Taylor method for a tolerance: CPU time against order, printed.
int taylor_order();

}  // namespace polhode::bench
