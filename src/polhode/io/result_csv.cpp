#include "polhode/io/result.h"

#include <fmt/format.h>

#include <charconv>

namespace polhode::io {
namespace {

/// Handed on in pieces of this size.
constexpr std::size_t kPiece = 1 << 18;
/// "-1.7976931348623157e+308" and a comma
constexpr std::size_t kLongestNumber = 25;

/// Comment lines begin with '#'; no line break gets out of one.
std::string comment(std::string_view name, std::string_view text) {
  std::string lines = "# " + std::string(name) + ": ";
  for (const char c : text) {
    if (c == '\r') { continue; }
    lines += c;
    if (c == '\n') { lines += "#   "; }
  }
  return lines + '\n';
}

void write_csv(LogReader& log, const ResultHead& head, const Write& write) {
  std::string text = comment("polhode " + head.version, head.title);
  text += comment("convention", kConvention);
  text += comment("scenario", head.scenario_file + ", SHA-256 " + head.scenario_sha256);
  text += comment("formulation", head.formulation);
  text +=
      comment("integrator", head.integrator + (head.portable ? "" : " (not portable: last bits may differ elsewhere)"));
  if (!head.epoch.empty()) { text += comment("epoch", head.epoch + " UTC at t = 0"); }
  text += comment("text of the scenario", "\n" + head.scenario_text);
  for (std::size_t i = 0; i < head.columns.size(); ++i) { text += (i > 0 ? "," : "") + head.columns[i].name; }
  text += '\n';
  const std::size_t columns = head.columns.size();
  while (const std::optional<LogReader::Frame> frame = log.next()) {
    if (frame->kind == FrameKind::event) {
      const simulation::Happening happening = read_event(frame->content);
      const std::string name = happening.event < head.events.size() ? head.events[happening.event] : "?";
      text += comment("event", fmt::format("{} at t_s = {}", name, happening.t));
    }
    if (frame->kind != FrameKind::rows) { continue; }
    each_row(frame->content, columns, [&](std::span<const double> row) {
      const std::size_t before = text.size();
      text.resize(before + columns * kLongestNumber);
      char* at = text.data() + before;
      char* const end = text.data() + text.size();
      for (std::size_t i = 0; i < columns; ++i) {
        at = std::to_chars(at, end, row[i]).ptr;
        *at++ = i + 1 < columns ? ',' : '\n';
      }
      text.resize(static_cast<std::size_t>(at - text.data()));
      if (text.size() >= kPiece) {
        write(text);
        text.clear();
      }
    });
  }
  write(text);
}

}  // namespace

extern const ResultWriter kWriter_csv{"csv", "results.csv",
                                      "numbers with commas, shortest form that reads back to the same bits", write_csv};

}  // namespace polhode::io
