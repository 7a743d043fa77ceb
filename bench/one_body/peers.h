#pragma once

#include "one_body/free_body.h"

#include <span>
#include <string>

/// Methods of Boost.odeint on the free body.
namespace polhode::bench {

struct Peer {
  std::string name;
  bool by_tolerance;  ///< `parameter` is a tolerance (absolute and relative), else a step
  /// From 0 to t_end, in place.
  void (*run)(double parameter, double t_end, State& y);
  /// Evaluations of the right-hand side that `run` makes.
  std::size_t (*evaluations)(double parameter, double t_end, State y);
};

std::span<const Peer> odeint_peers();

}  // namespace polhode::bench
