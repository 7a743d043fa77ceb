#pragma once

#include "polhode/body/outline.h"
#include "polhode/catalog/scenario.h"
#include "polhode/core/error.h"
#include "polhode/core/sha256.h"

#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace polhode::catalog {

/// The meshes of one scenario. Each file is looked at once, however many bodies are made of it, and counts in the
/// scenario's hash: a run is not gone on with when its mesh has changed.
class MeshShelf {
 public:
  MeshShelf() = default;
  /// Files are found from the folder of the scenario.
  MeshShelf(const ScenarioHead& scenario, MeshPlaces places);

  /// What a file's mesh weighs, lengths times `scale`, and its picture. Fails as io::read_mesh and shape::mesh do.
  MassProperties take(const std::string& file, double scale, const Amount& amount, Outline& outline);

  /// Hash and facts.
  void finish(ScenarioHead& scenario) const;

 private:
  struct Book {
    MassProperties body;
    std::shared_ptr<const Surface> picture;
    std::optional<Error> error;
  };
  /// File, scale, kind and value of the amount.
  using Key = std::tuple<std::string, double, Amount::Kind, double>;
  Book read(const std::string& file, double scale, const Amount& amount);

  std::string folder_;
  MeshPlaces places_ = MeshPlaces::below_scenario;
  Sha256 hash_;
  std::set<std::string> hashed_;
  std::map<Key, Book> books_;
  std::vector<MeshFacts> facts_;
};

}  // namespace polhode::catalog
