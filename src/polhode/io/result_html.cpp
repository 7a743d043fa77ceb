#include "polhode/io/viewer_page.h"

namespace polhode::io {
namespace {

std::uint64_t write_html(const OpenResult& open, const ResultOutput& output) {
  const std::unique_ptr<ResultReader> result = open();
  ViewerPage page(result->head(), {}, output.write);
  while (true) {
    const ResultReader::Item item = result->next();
    if (item == ResultReader::Item::end) { break; }
    if (item == ResultReader::Item::row) {
      page.row(result->row());
    } else {
      page.event(result->event().name, result->event().t);
    }
  }
  page.end();
  return result->rows();
}

}  // namespace

extern const ResultWriter kWriter_html{
    "html",     "report.html", "a page that shows every row in the browser: picture, plots, certificate",
    write_html, nullptr,       nullptr};

}  // namespace polhode::io
