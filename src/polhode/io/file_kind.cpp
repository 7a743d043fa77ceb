#include "polhode/io/file_kind.h"

#include <algorithm>
#include <array>

namespace polhode::io {
namespace {

using Form = FileKind::Form;

struct Signature {
  std::string_view bytes;
  FileKind kind;
};

constexpr std::string_view kConvertIt = "polhode convert FILE --to csv -o results.csv makes a table of it";
constexpr std::string_view kUtf8 = "save it as UTF-8";
constexpr std::string_view kNumbers =
    "polhode audit judges such a log of a free body, polhode convert -i FILE converts rotations";

/// Files that are no text, by how they begin.
constexpr std::array<Signature, 13> kSignatures{{
    {"PLHD", {"the log of a run", kConvertIt}},
    {"\x89HDF\r\n\x1a\n", {"an HDF5 file", "if it is a result: polhode convert FILE --to csv -o results.csv"}},
    {"CCSDS_AEM_VERS", {"an attitude ephemeris (AEM)", kConvertIt}},
    {"\x89PNG", {"a PNG picture", ""}},
    {"\xFF\xD8\xFF", {"a JPEG picture", ""}},
    {"GIF8", {"a GIF picture", ""}},
    {"%PDF", {"a PDF document", ""}},
    {"PK\x03\x04", {"a ZIP archive (or a document of an office program)", "save or unpack it as plain text"}},
    {"\x1f\x8b", {"a gzip archive", "unpack it: gunzip FILE"}},
    {"\x7f"
     "ELF",
     {"a program", ""}},
    {"\xFF\xFE", {"text in UTF-16", kUtf8}},
    {"\xFE\xFF", {"text in UTF-16", kUtf8}},
    {"#!/", {"a script", ""}},
}};

/// Kinds of XML, by the name of an element near the beginning.
constexpr std::array<Signature, 6> kElements{{
    {"<robot", {"a robot model (URDF)", ""}},
    {"<mujoco", {"a MuJoCo model (MJCF)", ""}},
    {"<sdf", {"a robot model (SDF)", ""}},
    {"<html", {"a web page (HTML)", "the report of a run is for the browser; its scenario is the TOML file"}},
    {"<!doctype html", {"a web page (HTML)", "the report of a run is for the browser; its scenario is the TOML file"}},
    {"<svg", {"a drawing (SVG)", ""}},
}};

constexpr std::string_view kBlank = " \t\r\n";

/// The first line in which something stands that is no comment, without blanks at its ends.
std::string_view first_line(std::string_view text) {
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    line.remove_prefix(std::min(line.find_first_not_of(kBlank), line.size()));
    line = line.substr(0, line.find_last_not_of(kBlank) + 1);
    if (!line.empty() && line.front() != '#') { return line; }
  }
  return {};
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool same_letters(std::string_view text, std::string_view part) {
  const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b; };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

}  // namespace

std::optional<FileKind> file_kind_of(std::string_view bytes) {
  constexpr std::size_t kLooked = 4096;
  bytes = bytes.substr(0, kLooked);
  for (const Signature& signature : kSignatures) {
    if (bytes.starts_with(signature.bytes)) { return signature.kind; }
  }
  const auto odd = std::count_if(bytes.begin(), bytes.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && !contains(kBlank, std::string_view(&c, 1)) && c != '\f';
  });
  if (odd > 3 && 20 * odd > static_cast<std::ptrdiff_t>(bytes.size())) {
    const bool wide = 3 * std::count(bytes.begin(), bytes.end(), '\0') > static_cast<std::ptrdiff_t>(bytes.size());
    return wide ? FileKind{"text in UTF-16, or no text", kUtf8} : FileKind{"a binary file, not text", ""};
  }
  if (bytes.starts_with("\xEF\xBB\xBF")) { bytes.remove_prefix(3); }
  const std::string_view line = first_line(bytes);
  if (line.empty()) { return {}; }
  if (line.front() == '<') {
    for (const Signature& element : kElements) {
      if (same_letters(bytes, element.bytes)) { return element.kind; }
    }
    return FileKind{"XML", ""};
  }
  if (line.front() == '{' || line.starts_with("[{")) {
    return FileKind{"JSON", "if it is a result: polhode convert FILE --to csv -o results.csv"};
  }
  const std::size_t name_end =
      static_cast<std::size_t>(std::find_if_not(line.begin(), line.end(), is_name) - line.begin());
  const std::string_view rest = line.substr(name_end);
  const bool separated = contains(line, ",") || contains(line, ";") || contains(line, "\t");
  if (line == "---" || (!separated && name_end > 0 && rest.starts_with(':') && (rest.size() == 1 || rest[1] == ' '))) {
    return FileKind{"YAML", ""};
  }
  if (contains(line, " = ") || (name_end > 0 && rest.starts_with('=')) ||
      (line.front() == '[' && line.back() == ']' && !contains(line, ","))) {
    return FileKind{"a scenario (TOML)", "polhode run FILE simulates it", Form::scenario};
  }
  const bool number = line.front() == '-' || line.front() == '.' || (line.front() >= '0' && line.front() <= '9');
  if (!contains(line, "=") && !contains(line, "(") && (separated || (number && contains(line, " ")))) {
    return FileKind{"a table of numbers (CSV)", kNumbers, Form::rows};
  }
  return {};
}

Problem wrong_kind(const FileKind& kind, std::string_view wanted, const std::string& file) {
  std::string cure(kind.cure);
  if (const std::size_t at = cure.find("FILE"); at != std::string::npos) { cure.replace(at, 4, file); }
  return {.what = "this is " + std::string(kind.what),
          .allowed = "wanted: " + std::string(wanted),
          .cure = std::move(cure),
          .where = {file, 1, 1}};
}

}  // namespace polhode::io
