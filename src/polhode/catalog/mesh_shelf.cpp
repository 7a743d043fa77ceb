#include "polhode/catalog/mesh_shelf.h"

#include "polhode/core/counted.h"
#include "polhode/io/mesh_file.h"
#include "polhode/io/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace polhode::catalog {
namespace {

/// A page draws so many triangles of a mesh, and says so where there are more.
constexpr std::size_t kMostDrawn = 20'000;
/// Farther out a coordinate is a mistake, m.
constexpr double kFarthest = 1e15;

/// All of a file; of one that is too large, enough to see it.
std::string all_of(const std::string& path) {
  io::SourceFile file(path);
  std::string bytes(std::min<std::uint64_t>(file.size(), io::kMostMeshBytes + 1), '\0');
  std::size_t got = 0;
  while (got < bytes.size()) {
    const std::size_t more = file.read(bytes.data() + got, bytes.size() - got);
    if (more == 0) { break; }
    got += more;
  }
  bytes.resize(got);
  return bytes;
}

/// Fails where a file lies outside the folder of its scenario, by its name or by a link on the way to it: a scenario
/// from somebody else reads nothing that its user did not put beside it.
void require_below(const std::string& folder, const std::string& file, const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path home = fs::weakly_canonical(fs::absolute(folder.empty() ? "." : folder, error), error);
  const fs::path way = fs::weakly_canonical(fs::absolute(path, error), error).lexically_relative(home);
  if (!way.empty() && *way.begin() != "..") { return; }
  fail(Error(Problem{.what = fmt::format("the mesh '{}' lies outside the folder of the scenario", file),
                     .allowed = "meshes beside the scenario or in folders below it",
                     .cure = "copy it there, or allow it with --allow-outside"}));
}

/// What is wrong in a line of the mesh is told with that line; what is wrong with all of it with the place in the
/// scenario, which who calls adds.
io::MeshFile read_placed(std::string_view bytes, const std::string& path, const std::string& file) {
  try {
    return io::read_mesh(bytes, path);
  } catch (const Error& error) {
    std::vector<Problem> problems = error.problems();
    for (Problem& problem : problems) {
      if (problem.where.file.empty() || problem.where.line > 0) { continue; }
      problem.what = fmt::format("{}: {}", file, problem.what);
      problem.where = {};
    }
    fail(Error(std::move(problems)));
  }
}

}  // namespace

std::string to_text(const MeshFacts& mesh) {
  Vec3<double> c = mesh.body.center_B;
  const Mat3<double>& J = mesh.body.J_B;
  const double size = std::sqrt((J(0, 0) + J(1, 1) + J(2, 2)) / mesh.body.mass);
  for (std::size_t i = 0; i < 3; ++i) {
    if (std::fabs(c[i]) < 1e-12 * size) { c[i] = 0; }  // rounding
  }
  std::string text = fmt::format("{}, {:.6g} kg, mass centre at {:.6g} {:.6g} {:.6g} m in its axes",
                                 counted(mesh.triangles, "triangle"), mesh.body.mass, c.x, c.y, c.z);
  if (mesh.drawn < mesh.triangles) { text += fmt::format("; drawn with {}", counted(mesh.drawn, "triangle")); }
  return text;
}

MeshShelf::MeshShelf(const ScenarioHead& scenario, MeshPlaces places)
    : folder_(std::filesystem::path(scenario.file).parent_path().string()), places_(places) {
  hash_.add(scenario.text);
}

MassProperties MeshShelf::take(const std::string& file, double scale, const Amount& amount, Outline& outline) {
  const auto [found, is_new] = books_.try_emplace(Key{file, scale, amount.kind, amount.value});
  Book& book = found->second;
  if (is_new) {
    try {
      book = read(file, scale, amount);
    } catch (const Error& error) { book.error = error; }
  }
  if (book.error) { fail(*book.error); }
  outline.surface = book.picture;
  return book.body;
}

MeshShelf::Book MeshShelf::read(const std::string& file, double scale, const Amount& amount) {
  const std::string path = (std::filesystem::path(folder_) / file).string();
  if (places_ == MeshPlaces::below_scenario) { require_below(folder_, file, path); }
  const std::string bytes = all_of(path);
  if (hashed_.insert(file).second) { hash_.add(bytes); }
  io::MeshFile mesh = read_placed(bytes, path, file);
  const std::vector<Vec3<double>> as_in_file = mesh.surface.points;
  const auto point = [&](std::size_t n) {
    const auto& [x, y, z] = as_in_file[n];
    return fmt::format("({:.9g} {:.9g} {:.9g})", x, y, z);
  };
  for (std::size_t n = 0; n < as_in_file.size(); ++n) {
    Vec3<double>& p = mesh.surface.points[n];
    p = scale * p;
    for (std::size_t i = 0; i < 3; ++i) {
      if (!(std::fabs(p[i]) <= kFarthest)) {
        fail(
            Error(Problem{.what = fmt::format("mesh {}: the point {} times {:g} is too far out", file, point(n), scale),
                          .allowed = "coordinates up to 1e15 m",
                          .cure = "change scale"}));
      }
    }
  }
  Book book;
  try {
    book.body = shape::mesh(amount, mesh.surface.points, mesh.surface.triangles,
                            {.point = point, .triangle = [&](std::size_t n) { return mesh.triangle_name(n); }});
  } catch (const Error& error) {
    Problem problem = error.problems().front();
    problem.what = fmt::format("{}: {}", file, problem.what);
    fail(Error(std::move(problem)));
  }
  book.picture = std::make_shared<const Surface>(pictured(mesh.surface, kMostDrawn));
  facts_.push_back({file, mesh.surface.triangles.size(), book.picture->triangles.size(), book.body});
  return book;
}

void MeshShelf::finish(ScenarioHead& scenario) const {
  scenario.sha256 = hash_.hex();
  scenario.meshes = facts_;
}

}  // namespace polhode::catalog
