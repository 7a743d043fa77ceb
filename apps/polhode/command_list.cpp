#include "command.h"
#include "polhode/catalog/catalog.h"
#include "polhode/core/error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>

namespace polhode::app {
namespace {

const catalog::Kind& find_kind(const std::string& name) {
  std::vector<std::string_view> known;
  for (const catalog::Kind& kind : catalog::kinds()) {
    if (kind.name == name) { return kind; }
    known.push_back(kind.name);
  }
  fail(Error(unknown_name("kind", name, known)));
}

std::string to_text(const catalog::Kind& kind, bool details) {
  std::string text = fmt::format("{}: {}\n", kind.name, kind.summary);
  std::size_t width = 0;
  for (const catalog::Entry& entry : kind.entries) { width = std::max(width, entry.name.size()); }
  for (const catalog::Entry& entry : kind.entries) {
    text += fmt::format("  {:<{}}  {}{}\n", entry.name, width, entry.summary,
                        entry.source.empty() ? "" : "  [" + entry.source + "]");
    if (!details) { continue; }
    for (const auto& [name, value] : entry.details) {
      text += fmt::format("  {:<{}}    {}: {}\n", "", width, name, value);
    }
  }
  return text;
}

nlohmann::ordered_json to_json(const catalog::Kind& kind) {
  nlohmann::ordered_json entries = nlohmann::ordered_json::array();
  for (const catalog::Entry& entry : kind.entries) {
    nlohmann::ordered_json one{{"name", entry.name}, {"summary", entry.summary}, {"source", entry.source}};
    for (const auto& [name, value] : entry.details) { one["details"][name] = value; }
    entries.push_back(std::move(one));
  }
  return {{"kind", kind.name}, {"summary", kind.summary}, {"entries", entries}};
}

}  // namespace

void add_list(CLI::App& program, Session& session) {
  auto kind_name = std::make_shared<std::string>();
  Command command =
      add_command(program, session, "list",
                  "  polhode list                  every kind of thing that can be chosen by name\n"
                  "  polhode list sequences        the 12 Euler sequences\n"
                  "  polhode list formulations     forms of the equations of motion: unknowns, multiplier, cost",
                  "what can be chosen by name, from the catalog, with sources", [kind_name, &session] {
                    std::vector<const catalog::Kind*> shown;
                    if (kind_name->empty()) {
                      for (const catalog::Kind& kind : catalog::kinds()) { shown.push_back(&kind); }
                    } else {
                      shown.push_back(&find_kind(*kind_name));
                    }
                    if (session.json) {
                      nlohmann::ordered_json kinds = nlohmann::ordered_json::array();
                      for (const catalog::Kind* kind : shown) { kinds.push_back(to_json(*kind)); }
                      write_json({{"what", "list"}, {"kinds", kinds}});
                      return kDone;
                    }
                    std::string text;
                    for (const catalog::Kind* kind : shown) {
                      text += (text.empty() ? "" : "\n") + to_text(*kind, shown.size() == 1);
                    }
                    write_out(text);
                    const bool of_motion = *kind_name == "formulations" || *kind_name == "integrators";
                    session.suggest(of_motion ? "polhode new t-handle && polhode compare t-handle.toml"
                                              : "polhode draw 3-1-3 -o cans.svg");
                    return kDone;
                  });
  command.add_option("KIND", *kind_name, "one kind only");
}

}  // namespace polhode::app
