#include "polhode/report/page.h"

#include "polhode/core/sha256.h"
#include "polhode/drawing/svg.h"

#include <fmt/format.h>

namespace polhode::report {
namespace {

constexpr std::string_view kStyle = R"(
:root{color-scheme:light dark;--ink:#1d2329;--soft:#5a6672;--paper:#f6f7f8;--card:#ffffff;--line:#d8dde2;
--yes:#00694c;--no:#a8380a;--open:#7a5200}
@media (prefers-color-scheme:dark){
:root{--ink:#e4e8ec;--soft:#a3aeb9;--paper:#14171a;--card:#1d2226;--line:#353c43;--yes:#3fd3a6;--no:#ff9a66;--open:#f0bd4a}
}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,"DejaVu Sans",Helvetica,Arial,sans-serif}
main{max-width:1200px;margin:0 auto;padding:20px 16px 48px}
h1{font-size:1.7rem;line-height:1.2;margin:.4em 0 .2em;overflow-wrap:anywhere}
h2{font-size:1.15rem;margin:2em 0 .6em}
p{margin:.4em 0;max-width:75ch;overflow-wrap:anywhere}
.soft,figcaption,.note{color:var(--soft);font-size:.9rem}
.verdict{border:1px solid var(--line);border-left:6px solid var(--soft);background:var(--card);border-radius:8px;
padding:12px 16px;margin:1em 0}
.verdict strong{display:block;font-size:1.1rem}
.verdict.yes{border-left-color:var(--yes)}
.verdict.yes strong{color:var(--yes)}
.verdict.no{border-left-color:var(--no)}
.verdict.no strong{color:var(--no)}
.verdict.open{border-left-color:var(--open)}
.verdict.open strong{color:var(--open)}
.plots{display:grid;gap:16px;grid-template-columns:repeat(auto-fit,minmax(min(100%,420px),1fr))}
figure{margin:0;background:var(--card);border:1px solid var(--line);border-radius:8px;padding:8px}
figure svg{display:block;width:100%;height:auto}
figcaption{padding:2px 8px 4px}
dl{display:grid;grid-template-columns:max-content 1fr;gap:2px 18px;margin:.6em 0}
dt{color:var(--soft)}
dd{margin:0;overflow-wrap:anywhere}
.scroll{overflow-x:auto;background:var(--card);border:1px solid var(--line);border-radius:8px}
table{border-collapse:collapse;width:100%;font-size:.82rem;font-variant-numeric:tabular-nums}
caption{text-align:left;padding:8px 12px;color:var(--soft)}
th,td{padding:3px 8px;text-align:right;white-space:nowrap;border-top:1px solid var(--line)}
th{font-weight:600;vertical-align:bottom}
th:first-child,td:first-child,td:last-child,th:last-child{text-align:left}
td.words{white-space:normal;min-width:22em}
tr.off td:first-child{color:var(--no);font-weight:600}
tr.cannot td,tr.singular td{color:var(--soft)}
pre{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:12px;overflow-x:auto;font-size:.85rem;
line-height:1.45}
details{margin:.6em 0}
summary{cursor:pointer}
@media (max-width:560px){
dl{grid-template-columns:1fr;gap:0}
dd{margin-bottom:6px}
}
)";

/// The 64 hexadecimal digits of a digest in base 64, as security policies want it.
std::string base64_of_hex(std::string_view hex) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto nibble = [](char c) { return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10); };
  std::string out;
  // three hexadecimal digits are two of base 64; 64 of them leave one over: 4 bits, filled up
  for (std::size_t i = 0; i + 2 < hex.size(); i += 3) {
    const unsigned bits = nibble(hex[i]) << 8U | nibble(hex[i + 1]) << 4U | nibble(hex[i + 2]);
    out += kDigits[bits >> 6U];
    out += kDigits[bits & 63U];
  }
  if (hex.size() % 3 == 1) { out += kDigits[nibble(hex.back()) << 2U]; }
  while (out.size() % 4 != 0) { out += '='; }
  return out;
}

/// For the id of an element.
std::string identifier(std::string_view name) {
  std::string id(name);
  for (char& c : id) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (!plain) { c = '-'; }
  }
  return id;
}

const std::string& style() {
  static const std::string kAll = std::string(kStyle) + std::string(drawing::chart_style());
  return kAll;
}

}  // namespace

std::string escape(std::string_view text) { return drawing::svg::escape(text); }

std::string page(std::string_view title, std::string_view body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-{}'; "
      "base-uri 'none'; form-action 'none'\"/>\n"
      "<meta name=\"referrer\" content=\"no-referrer\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<meta name=\"color-scheme\" content=\"light dark\"/>\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<main>\n{}</main>\n</body>\n</html>\n",
      base64_of_hex(sha256(style())), escape(title), style(), body);
}

std::string paragraph(std::string_view text) { return fmt::format("<p>{}</p>\n", escape(text)); }
std::string heading(std::string_view text) { return fmt::format("<h2>{}</h2>\n", escape(text)); }
std::string preformatted(std::string_view text) { return fmt::format("<pre>{}</pre>\n", escape(text)); }

std::string figures(const std::vector<Figure>& list) {
  std::string html = "<div class=\"plots\">\n";
  for (const Figure& figure : list) {
    html += fmt::format("<figure id=\"{}\">\n{}<figcaption>{}</figcaption>\n</figure>\n", identifier(figure.name),
                        drawing::draw(figure.chart), escape(figure.caption));
  }
  return html + "</div>\n";
}

std::string facts(const std::vector<std::pair<std::string, std::string>>& list) {
  std::string html = "<dl>\n";
  for (const auto& [name, value] : list) {
    html += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escape(name), escape(value));
  }
  return html + "</dl>\n";
}

std::string commands(const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& line : list) { text += line + '\n'; }
  return preformatted(text);
}

std::string details(std::string_view summary, std::string_view content) {
  return fmt::format("<details>\n<summary>{}</summary>\n{}</details>\n", escape(summary), content);
}

std::string to_html(const Table& table) {
  constexpr std::size_t kWords = 40;  // longer cells are sentences, and wrap
  std::string html = "<div class=\"scroll\"><table>\n";
  if (!table.caption.empty()) { html += fmt::format("<caption>{}</caption>\n", escape(table.caption)); }
  html += "<thead><tr>";
  for (const std::string& head : table.heads) { html += fmt::format("<th scope=\"col\">{}</th>", escape(head)); }
  html += "</tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    html += i < table.row_classes.size() && !table.row_classes[i].empty()
                ? fmt::format("<tr class=\"{}\">", escape(table.row_classes[i]))
                : "<tr>";
    for (const std::string& cell : table.rows[i]) {
      html += fmt::format("<td{}>{}</td>", cell.size() > kWords ? " class=\"words\"" : "", escape(cell));
    }
    html += "</tr>\n";
  }
  return html + "</tbody>\n</table></div>\n";
}

}  // namespace polhode::report
