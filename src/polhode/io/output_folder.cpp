#include "polhode/io/output_folder.h"

#include "polhode/core/error.h"
#include "polhode/core/sha256.h"
#include "polhode/io/write_error.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>

namespace polhode::io {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kManifestFormat = "polhode folder 1";
/// A manifest of ours is shorter.
constexpr std::uint64_t kLongestManifest = std::uint64_t{1} << 24U;

enum class There { nothing, file, something_else };
/// What has this name in the folder; a symbolic link is something else, wherever it leads, and so is what lies behind
/// one.
There what_is_at(const fs::path& folder, const fs::path& name) {
  std::error_code none;
  for (fs::path above = name.parent_path(); !above.empty(); above = above.parent_path()) {
    if (fs::is_symlink(folder / above, none)) { return There::something_else; }
  }
  struct stat about = {};
  if (lstat((folder / name).c_str(), &about) != 0) { return There::nothing; }
  return S_ISREG(about.st_mode) ? There::file : There::something_else;
}

/// Our own files are looked through without a word to `on_opened`: they are no inputs.
void each_block(const std::string& path, const std::function<void(std::string_view)>& use) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  std::string block(std::size_t{1} << 18U, '\0');
  bool good = file != nullptr;
  while (good) {
    const std::size_t got = std::fread(block.data(), 1, block.size(), file);
    good = std::ferror(file) == 0;
    if (!good || got == 0) { break; }
    use(std::string_view(block).substr(0, got));
  }
  const int cause = errno;
  if (file != nullptr) { std::fclose(file); }
  if (!good) { fail(Error("cannot read '" + path + "': " + std::strerror(cause))); }
}

OutputFolder::File facts_of(const std::string& name, const std::string& path) {
  OutputFolder::File facts{name, 0, ""};
  Sha256 hash;
  each_block(path, [&](std::string_view block) {
    hash.add(block);
    facts.bytes += block.size();
  });
  facts.sha256 = hash.hex();
  return facts;
}

/// Whether a file begins as a log does.
bool is_log(const std::string& path) {
  constexpr std::string_view kMagic = "PLHD";
  std::string front(kMagic.size(), '\0');
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) { return false; }
  front.resize(std::fread(front.data(), 1, front.size(), file));
  std::fclose(file);
  return front == kMagic;
}

std::optional<OutputFolder::Manifest> read_manifest(const std::string& path) {
  using Json = nlohmann::ordered_json;
  try {
    std::string text;
    if (fs::file_size(path) > kLongestManifest) { return {}; }
    each_block(path, [&](std::string_view block) { text += block; });
    const Json json = Json::parse(text);
    if (json.at("format") != kManifestFormat) { return {}; }
    OutputFolder::Manifest manifest;
    manifest.origin = {json.at("command"), json.at("version"), json.at("scenario"), json.at("scenario_sha256")};
    manifest.finished = json.at("finished");
    for (const Json& one : json.at("files")) {
      OutputFolder::File listed{one.at("name"), 0, ""};
      if (one.contains("sha256")) {
        one.at("bytes").get_to(listed.bytes);
        one.at("sha256").get_to(listed.sha256);
      }
      // a manifest from elsewhere must not lead out of the folder
      const fs::path name(listed.name);
      const bool inside =
          !name.empty() && name.is_relative() && name == name.lexically_normal() && *name.begin() != "..";
      if (!inside) { return {}; }
      manifest.files.push_back(std::move(listed));
    }
    return manifest;
  } catch (const std::exception&) { return {}; }
}

}  // namespace

std::string way_to(const std::string& file, const std::string& folder) {
  if (file == "-") { return file; }
  std::error_code none;
  const fs::path to = fs::weakly_canonical(fs::absolute(file, none), none);
  const std::string way =
      to.lexically_relative(fs::weakly_canonical(fs::absolute(folder, none), none)).generic_string();
  // as a manifest holds it, which is UTF-8: bytes of a name that are not are replaced
  using Json = nlohmann::ordered_json;
  return Json::parse(Json(way).dump(-1, ' ', false, Json::error_handler_t::replace));
}

OutputFolder::OutputFolder(std::string path) : path_(std::move(path)) {
  std::error_code error;
  fs::create_directories(path_, error);
  if (error) {
    fail_to_open(
        {.what = fmt::format("cannot make the folder '{}': {}", path_, error.message()), .allowed = {}, .cure = {}},
        error.value());
  }
  const std::string lock = path_of(kLock);
  lock_ = open(lock.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (lock_ < 0) {
    const int cause = errno;
    fail_to_open({.what = fmt::format("cannot write into the folder '{}': {}", path_, std::strerror(cause)),
                  .allowed = {},
                  .cure = {}},
                 cause);
  }
  if (flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    const bool busy = errno == EWOULDBLOCK;
    const std::string cause = busy ? "another command is writing there" : std::strerror(errno);
    close(lock_);
    fail(Error(Problem{.what = fmt::format("cannot write into the folder '{}': {}", path_, cause),
                       .allowed = {},
                       .cure = busy ? "wait for it, or choose another folder with -o" : ""}));
  }
  const There there = what_is_at(path_, kManifest);
  if (there == There::file) { last_ = read_manifest(path_of(kManifest)); }
  strange_manifest_ = !last_ && there != There::nothing;
}

OutputFolder::~OutputFolder() { close(lock_); }

std::string OutputFolder::path_of(const std::string& name) const { return (fs::path(path_) / name).string(); }

bool OutputFolder::is_ours(const File& file) const {
  const std::string path = path_of(file.name);
  if (what_is_at(path_, file.name) != There::file) { return false; }
  if (file.sha256.empty()) { return is_log(path); }  // nothing else grows in place
  std::error_code error;
  return fs::file_size(path, error) == file.bytes && !error && facts_of(file.name, path).sha256 == file.sha256;
}

void OutputFolder::require_free(const std::string& name, bool removed) const {
  const There there = removed ? There::nothing : what_is_at(path_, name);
  if (there == There::nothing || (there == There::file && overwrite_)) { return; }
  fail(Error(Problem{
      .what =
          fmt::format("'{}' {}", path_of(name),
                      there == There::file ? "is not a file that the last command left here" : "is not a plain file"),
      .allowed = {},
      .cure = there == There::file ? "move it away, choose another folder with -o, or write over it with --overwrite"
                                   : "move it away, or choose another folder with -o"}));
}

void OutputFolder::start(const Start& start) {
  overwrite_ = start.overwrite;
  if (strange_manifest_) { require_free(kManifest, false); }
  if (start.same_scenario && !start.overwrite && last_ && last_->origin.scenario != start.origin.scenario) {
    fail(Error(Problem{
        .what = fmt::format("'{}' belongs to another scenario, '{}' as seen from there", path_, last_->origin.scenario),
        .allowed = {},
        .cure = "choose another folder with -o, or write over it with --overwrite"}));
  }
  std::vector<std::string> removed;
  for (const File& file : last_ ? last_->files : std::vector<File>{}) {
    if (file.name != start.kept && is_ours(file)) { removed.push_back(file.name); }
  }
  for (const std::string& name : start.names) {
    if (name == start.kept) {
      if (what_is_at(path_, name) != There::file) { require_free(name, false); }  // not through a link
      continue;
    }
    const bool ours = std::find(removed.begin(), removed.end(), name) != removed.end();
    require_free(name, ours);
    if (!ours) { removed.push_back(name); }  // not there, or to be written over
    removed.push_back(name + std::string(kPartEnding));
  }
  now_ = {start.origin, false, {}};
  if (!start.kept.empty()) { now_.files.push_back({start.kept, 0, ""}); }
  // Listed as they are until they are gone: a kill in between leaves a manifest that still knows them.
  for (const File& file : last_ ? last_->files : std::vector<File>{}) {
    if (file.name != start.kept) { now_.files.push_back(file); }
  }
  write_manifest();
  for (const std::string& name : removed) { std::remove(path_of(name).c_str()); }
  now_.files.resize(start.kept.empty() ? 0 : 1);
  write_manifest();
}

std::string OutputFolder::claim(const std::string& name) {
  require_free(name, false);
  return path_of(name);
}

void OutputFolder::add_growing(const std::string& name) {
  std::erase_if(now_.files, [&](const File& file) { return file.name == name; });
  now_.files.push_back({name, 0, ""});
  write_manifest();
}

void OutputFolder::add(const std::string& name, const std::string& whole) {
  std::erase_if(now_.files, [&](const File& file) { return file.name == name; });
  now_.files.push_back(facts_of(name, whole));
  write_manifest();
}

void OutputFolder::finish() {
  for (File& file : now_.files) {
    if (file.sha256.empty()) { file = facts_of(file.name, path_of(file.name)); }
  }
  now_.finished = true;
  write_manifest();
  put_names_on_disk(path_);
}

void OutputFolder::drop(const std::string& name) {
  std::remove(
      path_of(name).c_str());  // a manifest may list what is gone, but a file that no manifest lists is a stranger
  std::erase_if(now_.files, [&](const File& file) { return file.name == name; });
  write_manifest();
  put_names_on_disk(path_);
}

void OutputFolder::write_manifest() const {
  nlohmann::ordered_json json{{"format", kManifestFormat},
                              {"command", now_.origin.what},
                              {"version", now_.origin.version},
                              {"scenario", now_.origin.scenario},
                              {"scenario_sha256", now_.origin.scenario_sha256},
                              {"finished", now_.finished},
                              {"files", nlohmann::ordered_json::array()}};
  for (const File& file : now_.files) {
    json["files"].push_back({{"name", file.name}});
    if (file.sha256.empty()) { continue; }
    json["files"].back()["bytes"] = file.bytes;
    json["files"].back()["sha256"] = file.sha256;
  }
  const std::string text = json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
  const std::string path = path_of(kManifest);
  const std::string part = path + std::string(kPartEnding);
  const int descriptor = open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
  std::FILE* file = descriptor < 0 ? nullptr : fdopen(descriptor, "wb");
  const bool written = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size() &&
                       std::fflush(file) == 0 && put_on_disk(fileno(file));
  int cause = errno;
  bool whole = written;
  if (file != nullptr && std::fclose(file) != 0) {
    if (written) { cause = errno; }
    whole = false;
  }
  if (whole && std::rename(part.c_str(), path.c_str()) != 0) {
    cause = errno;
    whole = false;
  }
  if (whole) { return; }
  if (file != nullptr) { std::remove(part.c_str()); }  // ours alone, and no manifest
  throw WriteError(Problem{.what = "cannot write '" + path + "': " + std::strerror(cause), .allowed = {}, .cure = {}});
}

}  // namespace polhode::io
