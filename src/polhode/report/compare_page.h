#pragma once

#include "polhode/comparison/table.h"
#include "polhode/report/page.h"

namespace polhode::report {

/// Differences, drifts and multipliers of all rows, overlaid: one figure a kind of form and a method.
std::vector<Figure> plots_of_comparison(const comparison::Comparison& comparison);

/// The page of the viewer: all motions over each other, differences and drifts, the table. `body` is how they look.
void write_compare_viewer(const comparison::Comparison& comparison, const comparison::Origin& origin,
                          const io::PicturedBody& body, const io::PicturedScene& scene, const io::Write& write);

/// Table, plots and scenario of a comparison, where there is no viewer. Nothing depends on the clock.
std::string compare_page(const comparison::Comparison& comparison, const comparison::Origin& origin,
                         const std::vector<Figure>& plots);

}  // namespace polhode::report
