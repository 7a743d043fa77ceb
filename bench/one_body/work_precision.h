#pragma once

#include <string>

namespace polhode::bench {

/// Work and precision on the free body: prints the tables, and writes the plot unless `svg_path` is empty. The exit
/// code: 0, or 1 if the plot cannot be written.
int work_precision(const std::string& svg_path);

}  // namespace polhode::bench
