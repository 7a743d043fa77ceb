#include "polhode/io/result.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <charconv>

namespace polhode::io {
namespace {

using Json = nlohmann::ordered_json;

/// {"head": {...}, "events": [...], "rows": [[...], ...]}, a row a line.
void write_json(LogReader& log, const ResultHead& head, const Write& write) {
  constexpr std::size_t kPiece = 1 << 18;
  std::string text = "{\"head\": " + to_json(head) + ",\n\"rows\": [\n";
  Json events = Json::array();
  bool first = true;
  while (const std::optional<LogReader::Frame> frame = log.next()) {
    if (frame->kind == FrameKind::event) {
      const simulation::Happening h = read_event(frame->content);
      events.push_back({{"name", h.event < head.events.size() ? head.events[h.event] : "?"},
                        {"t_s", h.t},
                        {"e", {h.state.e_NB.e0, h.state.e_NB.ev.x, h.state.e_NB.ev.y, h.state.e_NB.ev.z}},
                        {"w_body_rad_s", {h.state.w_B.x, h.state.w_B.y, h.state.w_B.z}}});
    }
    if (frame->kind != FrameKind::rows) { continue; }
    each_row(frame->content, head.columns.size(), [&](std::span<const double> row) {
      text += first ? "[" : ",\n[";
      first = false;
      char number[32];
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (i > 0) { text += ','; }
        text.append(number, std::to_chars(number, number + sizeof number, row[i]).ptr);
      }
      text += ']';
      if (text.size() >= kPiece) {
        write(text);
        text.clear();
      }
    });
  }
  text += "\n],\n\"events\": " + events.dump() + "}\n";
  write(text);
}

}  // namespace

extern const ResultWriter kWriter_json{"json", "results.json",
                                       "head, rows and events as one JSON object, for the viewer", write_json};

}  // namespace polhode::io
