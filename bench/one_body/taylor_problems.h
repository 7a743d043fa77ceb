#pragma once

namespace polhode::bench {

/// Least CPU time of method `taylor` for 1e-9 rad at the end of five motions, as a table of JSON for heyoka_peer.py.
int taylor_problems();

}  // namespace polhode::bench
