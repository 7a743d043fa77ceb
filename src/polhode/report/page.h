#pragma once

#include "polhode/drawing/chart.h"
#include "polhode/io/viewer_page.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Pages to look at in a browser: one file, nothing loaded from anywhere, no script. A page is a file of this room.
namespace polhode::report {

/// Text for HTML: what it might obey instead of show is replaced.
std::string escape(std::string_view text);

/// A picture with its words. `name` is that of a file without ending: "rates-body".
struct Figure {
  std::string name;
  std::string caption;
  drawing::Chart chart;
};

/// A whole page. `title` is text, `body` is markup. The security policy lets the page's own style through and nothing
/// else.
std::string page(std::string_view title, std::string_view body);

// Markup; words are escaped.
std::string paragraph(std::string_view text);
std::string heading(std::string_view text);
std::string figures(const std::vector<Figure>& list);
/// Two columns, names and values.
std::string facts(const std::vector<std::pair<std::string, std::string>>& list);
/// Commands to be typed.
std::string commands(const std::vector<std::string>& list);
std::string preformatted(std::string_view text);
/// A line that opens to show more; `content` is markup.
std::string details(std::string_view summary, std::string_view content);

using Table = io::PageTable;
std::string to_html(const Table& table);

}  // namespace polhode::report
