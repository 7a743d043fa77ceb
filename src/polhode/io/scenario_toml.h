#pragma once

#include "polhode/core/error.h"
#include "polhode/scenario/keys.h"

#include <memory>
#include <string>
#include <string_view>

/// Scenarios as TOML: read into plain data, and written back.
namespace polhode::io {

/// A scenario file, read: the data, and where each of its entries stands.
class ScenarioFile {
 public:
  /// Fails where the bytes are no TOML. Mistakes of form (types, unknown or missing keys) are kept in problems().
  ScenarioFile(std::string_view bytes, std::string file);
  ~ScenarioFile();
  ScenarioFile(const ScenarioFile&) = delete;
  ScenarioFile& operator=(const ScenarioFile&) = delete;

  const Scenario& scenario() const { return scenario_; }
  /// Of form.
  const std::vector<Problem>& problems() const { return problems_; }
  /// Whether something of form is wrong in the table at `path`, or in tables inside it.
  bool is_broken(const scenario::Path& path) const;

  /// Line and column of what a path names, or of the innermost table on the way to it that is there. `offset` is
  /// counted in characters from the first one of a text; Review::kAtKey: of its key.
  Location location(const scenario::Path& path, int offset = -1) const;
  /// "[[load]] 2": a table as messages call it; "" for the whole file.
  static std::string name(const scenario::Path& path);

 private:
  struct Document;
  std::unique_ptr<Document> document_;
  Scenario scenario_;
  std::vector<Problem> problems_;
};

/// A scenario as a file that reads back equal: what has its default is left out.
std::string to_toml(const Scenario& scenario);

/// SHA-256 of what a scenario means: of its file without comments, order of keys, blanks in formulas and defaults.
std::string hash_of(const Scenario& scenario);

}  // namespace polhode::io
