#include "polhode/verification/report.h"

#include <fmt/format.h>

#include <algorithm>

namespace polhode::verification {
namespace {

/// A cell of a Markdown table: a bar would end it.
std::string cell(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '|') { safe += '\\'; }
    safe += c;
  }
  return safe;
}

}  // namespace

std::size_t Report::failed() const {
  return static_cast<std::size_t>(std::count_if(items.begin(), items.end(), [](const Item& item) { return !item.ok; }));
}

std::size_t Report::twins_killed() const {
  return static_cast<std::size_t>(
      std::count_if(items.begin(), items.end(), [](const Item& item) { return item.twin_killed; }));
}

std::vector<std::string> seeds_of(const Report& report) {
  std::vector<std::string> seeds;
  for (const Item& item : report.items) {
    if (std::find(seeds.begin(), seeds.end(), item.seed) == seeds.end()) { seeds.push_back(item.seed); }
  }
  return seeds;
}

std::string traceability(const Report& report) {
  std::string text =
      "# Traceability\n\n"
      "Every numbered equation that the library covers: our label, the function that computes it, the relation\n"
      "that `polhode verify` checks, how, and the wrong twin that must fail. Body quantities carry a prime, space\n"
      "quantities none, whatever the source writes. Written by\n"
      "`polhode verify --traceability docs/traceability.md`.\n";
  for (const std::string& seed : seeds_of(report)) {
    text += fmt::format(
        "\n## {}\n\n| equation | label | function | check | arithmetic | wrong twin | print |\n"
        "|---|---|---|---|---|---|---|\n",
        seed == "own" ? "Relations of our own" : "Seed " + seed);
    for (const Item& item : report.items) {
      if (item.seed != seed) { continue; }
      text +=
          fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", cell(item.equation), item.label, cell(item.function),
                      cell(item.statement), item.arithmetic, cell(item.twin), cell(item.erratum));
    }
  }
  return text;
}

}  // namespace polhode::verification
