#pragma once

#include "polhode/body/outline.h"
#include "polhode/catalog/kept.h"
#include "polhode/catalog/scenario.h"
#include "polhode/core/error.h"
#include "polhode/core/sha256.h"
#include "polhode/io/mesh_file.h"

#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace polhode::catalog {

/// All of a file; of one that is too large for a mesh, enough to see it.
std::string mesh_bytes(const std::string& path);

/// The files of meshes that a scenario names, each read once.
struct MeshFiles {
  /// Files are found from the folder of the scenario.
  MeshFiles(const ScenarioHead& scenario, MeshLocations where);

  std::string folder;
  MeshLocations locations = MeshLocations::below_scenario;
  Sha256 of_text;             ///< of the scenario
  Kept<Sha256> hashes;        ///< of the text and the bytes of files in a row, by their names
  Kept<io::MeshFile> meshes;  ///< by the name of the file
};

/// The meshes of one instance of a scenario. Each file is looked at once, however many bodies are made of it, and
/// counts in the scenario's hash: a run is not gone on with when its mesh has changed.
class MeshShelf {
 public:
  /// `files` must outlive it.
  explicit MeshShelf(const MeshFiles& files) : files_(&files), hash_(files.of_text) {}

  /// What a file's mesh weighs, lengths times `scale`, and its picture. Fails as io::read_mesh and shape::mesh do.
  MassProperties take(const std::string& file, double scale, const Amount& amount, Outline& outline);

  /// Its picture alone: the surface may be open. Fails as io::read_mesh does.
  void show(const std::string& file, double scale, Outline& outline);

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
  /// The surface of a file, lengths times `scale`; fails where a point lies too far out.
  Surface scaled(const std::string& file, double scale);
  std::shared_ptr<const io::MeshFile> mesh_of(const std::string& file);

  const MeshFiles* files_;
  Sha256 hash_;
  std::set<std::string> hashed_;
  std::string in_a_row_;  ///< names of the files hashed
  std::map<Key, Book> books_;
  std::map<std::pair<std::string, double>, std::shared_ptr<const Surface>> shown_;  ///< by file and scale
  std::vector<MeshFacts> facts_;
};

}  // namespace polhode::catalog
