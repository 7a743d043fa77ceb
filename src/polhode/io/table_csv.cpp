#include "polhode/io/result.h"
#include "polhode/io/table.h"

#include <cmath>

namespace polhode::io {
namespace {

/// In quotes where a reader would take it for something else.
std::string csv_words(std::string_view text) {
  if (text.find_first_of(",\"#\r\n\t ") == std::string_view::npos) { return std::string(text); }
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') { out += '"'; }
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out + '"';
}

}  // namespace

std::string csv_comment(std::string_view name, std::string_view text) {
  std::string line = "# " + std::string(name) + ": " + std::string(text);
  for (char& c : line) {
    if (c == '\n' || c == '\r') { c = ' '; }
  }
  return line + '\n';
}

std::string csv_head(const TableHead& head) {
  std::string text = csv_comment("polhode " + head.version, head.title);
  text += csv_comment("scenario", head.scenario_file + ", SHA-256 " + head.scenario_sha256);
  for (const auto& [name, value] : head.facts) { text += csv_comment(name, value); }
  for (const TableColumn& column : head.columns) {
    text += csv_comment("column",
                        column.name + (column.unit.empty() ? "" : " [" + column.unit + "]") + " " + column.meaning);
  }
  for (std::size_t i = 0; i < head.columns.size(); ++i) {
    text += (i > 0 ? "," : "") + csv_words(head.columns[i].name);
  }
  return text + '\n';
}

std::string csv_row(std::span<const TableCell> row) {
  std::string text;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i > 0) { text += ','; }
    if (const auto* x = std::get_if<double>(&row[i]); x != nullptr && std::isfinite(*x)) { append_number(text, *x); }
    if (const auto* n = std::get_if<std::uint64_t>(&row[i])) { text += std::to_string(*n); }
    if (const auto* words = std::get_if<std::string>(&row[i])) { text += csv_words(*words); }
  }
  return text + '\n';
}

}  // namespace polhode::io
