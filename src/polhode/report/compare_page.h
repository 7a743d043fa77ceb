#pragma once

#include "polhode/comparison/table.h"
#include "polhode/report/page.h"

namespace polhode::report {

/// Differences, drifts and multipliers of all rows, overlaid: one figure a kind of form and a method.
std::vector<Figure> plots_of_comparison(const comparison::Comparison& comparison);

/// Table, plots and scenario of a comparison. Nothing depends on the clock.
std::string compare_page(const comparison::Comparison& comparison, const comparison::Origin& origin,
                         const std::vector<Figure>& plots);

}  // namespace polhode::report
