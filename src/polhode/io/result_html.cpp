#include "polhode/io/viewer_page.h"

namespace polhode::io {
namespace {

void write_html(LogReader& log, const ResultHead& head, const Write& write) {
  ViewerPage page(head, write);
  while (const std::optional<LogReader::Frame> frame = log.next()) {
    if (frame->kind == FrameKind::rows) {
      each_row(frame->content, head.columns.size(), [&](std::span<const double> row) { page.row(row); });
    } else if (frame->kind == FrameKind::event) {
      const simulation::Happening happening = read_event(frame->content);
      page.event(happening.event < head.events.size() ? head.events[happening.event] : "?", happening.t);
    }
  }
  page.end();
}

}  // namespace

extern const ResultWriter kWriter_html{
    "html", "viewer.html", "a page that shows the run in the browser: picture, plots, certificate", write_html};

}  // namespace polhode::io
