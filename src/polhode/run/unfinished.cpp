#include "polhode/run/unfinished.h"

#include "polhode/core/error.h"
#include "polhode/io/result_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace polhode::run {
namespace {

/// Whether there is more in the log than its header.
bool log_holds_rows(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::exists(path, none)) { return false; }
  io::LogReader log(path);
  while (const std::optional<io::LogReader::Frame> frame = log.next()) {
    if (frame->kind == io::FrameKind::rows || frame->kind == io::FrameKind::point) { return true; }
  }
  return false;
}

}  // namespace

void require_nothing_unfinished(const io::OutputFolder& folder, const io::FolderOrigin& origin) {
  const auto& last = folder.last();
  if (!last || last->finished) { return; }
  // what grows in place has no size and hash until it is whole
  const bool rows = std::any_of(last->files.begin(), last->files.end(), [&](const io::OutputFolder::File& file) {
    return file.sha256.empty() && log_holds_rows(folder.path_of(file.name));
  });
  if (!rows) { return; }
  const bool same_file = last->origin.scenario == origin.scenario;
  const bool same_command = last->origin.what == origin.what;
  const bool same = same_file && same_command;
  const bool changed = same && last->origin.scenario_sha256 != origin.scenario_sha256;
  const char* const with = changed ? " and the scenario as it was" : same_file ? "" : " and its own scenario";
  fail(Error(
      Problem{.what = fmt::format("'{}' holds a {}{} that did not come to its end{}", folder.path(), last->origin.what,
                                  same ? "" : fmt::format(" of '{}'", last->origin.scenario),
                                  changed ? ", and the scenario has changed since" : ""),
              .allowed = {},
              .cure = fmt::format("go on with it by {}--resume{}, choose another folder with -o, or discard it with "
                                  "--overwrite",
                                  same_command ? "" : fmt::format("polhode {} ", last->origin.what), with)}));
}

}  // namespace polhode::run
