#include "polhode/catalog/mesh_shelf.h"

#include "polhode/core/counted.h"
#include "polhode/io/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace polhode::catalog {
namespace {

/// A page draws so many triangles of a mesh, and says so where there are more.
constexpr std::size_t kMostDrawn = 20'000;
/// Of a mesh that only shows how a body looks: a robot has dozens of them.
constexpr std::size_t kMostDrawnInOutline = 4'000;
/// Farther out a coordinate is a mistake, m.
constexpr double kFarthest = 1e15;

/// Fails where a file lies outside the folder of its scenario, by its name or by a link on the way to it: a scenario
/// from an untrusted source reads nothing that its user did not put beside it.
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

/// What is wrong in a line of the mesh is told with that line; what is wrong with all of it with the location in the
/// scenario, which the caller adds.
io::MeshFile read_located(std::string_view bytes, const std::string& path, const std::string& file) {
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

std::string mesh_bytes(const std::string& path) {
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

MeshFiles::MeshFiles(const ScenarioHead& scenario, MeshLocations where)
    : folder(std::filesystem::path(scenario.file).parent_path().string()), locations(where) {
  of_text.add(scenario.text);
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

std::shared_ptr<const io::MeshFile> MeshShelf::mesh_of(const std::string& file) {
  const bool is_new = hashed_.insert(file).second;
  if (is_new) { in_a_row_ += file + '\n'; }
  std::shared_ptr<const io::MeshFile> mesh = files_->meshes.find(file);
  const std::shared_ptr<const Sha256> hash = is_new ? files_->hashes.find(in_a_row_) : nullptr;
  if (hash) { hash_ = *hash; }
  if (mesh && (hash || !is_new)) { return mesh; }
  const std::string path = (std::filesystem::path(files_->folder) / file).string();
  if (files_->locations == MeshLocations::below_scenario) { require_below(files_->folder, file, path); }
  const std::string bytes = mesh_bytes(path);
  if (is_new && !hash) { files_->hashes.keep(in_a_row_, hash_.add(bytes)); }
  return mesh ? mesh : files_->meshes.keep(file, read_located(bytes, path, file));
}

namespace {

/// A point of a mesh for messages, as its file has it.
std::string point_text(const io::MeshFile& mesh, std::size_t n) {
  const auto& [x, y, z] = mesh.surface.points[n];
  return fmt::format("({:.9g} {:.9g} {:.9g})", x, y, z);
}

}  // namespace

Surface MeshShelf::scaled(const std::string& file, double scale) {
  const std::shared_ptr<const io::MeshFile> source = mesh_of(file);
  Surface surface = source->surface;
  for (std::size_t n = 0; n < surface.points.size(); ++n) {
    Vec3<double>& p = surface.points[n];
    p = scale * p;
    for (std::size_t i = 0; i < 3; ++i) {
      if (!(std::fabs(p[i]) <= kFarthest)) {
        fail(Error(Problem{
            .what = fmt::format("mesh {}: the point {} times {:g} is too far out", file, point_text(*source, n), scale),
            .allowed = "coordinates up to 1e15 m",
            .cure = "change scale"}));
      }
    }
  }
  return surface;
}

void MeshShelf::show(const std::string& file, double scale, Outline& outline) {
  std::shared_ptr<const Surface>& shown = shown_[{file, scale}];
  if (!shown) { shown = std::make_shared<const Surface>(pictured(scaled(file, scale), kMostDrawnInOutline)); }
  outline.surface = shown;
}

MeshShelf::Book MeshShelf::read(const std::string& file, double scale, const Amount& amount) {
  const Surface surface = scaled(file, scale);
  const std::shared_ptr<const io::MeshFile> source = mesh_of(file);
  Book book;
  try {
    book.body = shape::mesh(amount, surface.points, surface.triangles,
                            {.point = [&](std::size_t n) { return point_text(*source, n); },
                             .triangle = [&](std::size_t n) { return source->triangle_name(n); }});
  } catch (const Error& error) {
    Problem problem = error.problems().front();
    problem.what = fmt::format("{}: {}", file, problem.what);
    fail(Error(std::move(problem)));
  }
  book.picture = std::make_shared<const Surface>(pictured(surface, kMostDrawn));
  facts_.push_back({file, surface.triangles.size(), book.picture->triangles.size(), book.body});
  return book;
}

void MeshShelf::finish(ScenarioHead& scenario) const {
  scenario.sha256 = hash_.hex();
  scenario.meshes = facts_;
}

}  // namespace polhode::catalog
