#include "polhode/verification/report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <map>

namespace polhode::verification {
namespace {

/// Text in a cell of a Markdown table, as code; a bar would end the cell.
std::string code(const std::string& text) {
  std::string safe = "`";
  for (const char c : text) {
    if (c == '|') { safe += '\\'; }
    safe += c;
  }
  return safe + '`';
}

/// Title of a source: its key in docs/references.bib.
std::string heading(const std::string& source) { return source == "own" ? "Relations of our own" : "[" + source + "]"; }

/// The items of a source in the order of its equations: an item that starts with no number follows the one before it.
std::vector<const Item*> in_order(const Report& report, const std::string& source) {
  std::vector<std::pair<double, const Item*>> numbered;
  double number = 0;
  for (const Item& item : report.items) {
    if (item.source != source) { continue; }
    if (std::isdigit(static_cast<unsigned char>(item.equation[0])) != 0) { number = std::stod(item.equation); }
    numbered.emplace_back(number, &item);
  }
  std::stable_sort(numbered.begin(), numbered.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const Item*> items;
  items.reserve(numbered.size());
  for (const auto& [key, item] : numbered) { items.push_back(item); }
  return items;
}

}  // namespace

std::size_t Report::failed() const {
  return static_cast<std::size_t>(std::count_if(items.begin(), items.end(), [](const Item& item) { return !item.ok; }));
}

std::size_t Report::twins_killed() const {
  return static_cast<std::size_t>(
      std::count_if(items.begin(), items.end(), [](const Item& item) { return item.twin_killed; }));
}

std::vector<std::string> sources_of(const Report& report) {
  std::vector<std::string> sources;
  for (const Item& item : report.items) {
    if (std::find(sources.begin(), sources.end(), item.source) == sources.end()) { sources.push_back(item.source); }
  }
  return sources;
}

std::string to_json(const Report& report, bool evaluated) {
  nlohmann::ordered_json items = nlohmann::ordered_json::array();
  for (const Item& item : report.items) {
    nlohmann::ordered_json one{{"source", item.source},       {"equation", item.equation},
                               {"label", item.label},         {"function", item.function},
                               {"statement", item.statement}, {"arithmetic", item.arithmetic},
                               {"twin", item.twin},           {"erratum", item.erratum}};
    if (evaluated) {
      one["ok"] = item.ok;
      one["residual"] = item.residual;
      one["twin_killed"] = item.twin_killed;
      one["twin_residual"] = item.twin_residual;
      one["trouble"] = item.trouble;
    }
    items.push_back(std::move(one));
  }
  nlohmann::ordered_json all{{"what", report.what}, {"checks", report.checks()}};
  if (evaluated) {
    all["failed"] = report.failed();
    all["twins"] = report.twins();
    all["twins_killed"] = report.twins_killed();
  }
  all["items"] = std::move(items);
  if (!report.measured.empty()) {
    nlohmann::ordered_json measured = nlohmann::ordered_json::array();
    for (const Measurement& m : report.measured) {
      measured.push_back({{"quantity", m.quantity}, {"of", m.of}, {"on", m.on}, {"value", m.value}});
    }
    all["measured"] = std::move(measured);
  }
  return all.dump(2);
}

std::string traceability(const Report& report) {
  std::string text =
      "# Traceability\n\n"
      "Every numbered equation that the library covers: our label, the function that computes it, the relation\n"
      "that `polhode verify` checks, how, and the wrong twin that must fail. Body quantities carry a prime, space\n"
      "quantities none, whatever the source writes. Written by\n"
      "`polhode verify --traceability docs/traceability.md`.\n";
  for (const std::string& source : sources_of(report)) {
    text += fmt::format(
        "\n## {}\n\n| equation | label | function | check | arithmetic | wrong twin | print |\n"
        "|---|---|---|---|---|---|---|\n",
        heading(source));
    for (const Item* item : in_order(report, source)) {
      if (!item->everywhere) { continue; }
      text += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", item->equation, item->label, code(item->function),
                          code(item->statement), item->arithmetic, code(item->twin), item->erratum);
    }
  }
  return text;
}

}  // namespace polhode::verification
