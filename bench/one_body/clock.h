#pragma once

#include <functional>
#include <vector>

/// CPU time of this thread.
namespace polhode::bench {

/// Seconds of one run: at least 5 repetitions, then until they have taken `enough` seconds together; of these the least
/// but one, or but a twentieth of many, since the thread's clock may slip once in a while on a virtual machine.
double quick_cpu_seconds(const std::function<void()>& run, double enough = 0.03);
/// The same for several at a time, in turn, so that what disturbs one disturbs all.
std::vector<double> quick_cpu_seconds_in_turn(const std::vector<std::function<void()>>& runs, int rounds);
double cpu_seconds_of(const std::function<void()>& run);

}  // namespace polhode::bench
