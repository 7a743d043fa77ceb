#include "polhode/io/mesh_file.h"

#include "polhode/core/counted.h"
#include "polhode/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>
#include <tuple>

namespace polhode::io {
namespace {

constexpr std::size_t kMostTriangles = std::size_t{1} << 22U;
constexpr std::size_t kStlHead = 84;
constexpr std::size_t kStlTriangle = 50;

char small_letter(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
std::string in_small_letters(std::string_view text) {
  std::string small(text);
  std::transform(small.begin(), small.end(), small.begin(), small_letter);
  return small;
}

/// A word of a file as a message may show it.
std::string quoted(std::string_view word) {
  constexpr std::size_t kMost = 40;
  std::string text = "'";
  for (const char c : word.substr(0, kMost)) { text += c > ' ' && c <= '~' ? c : '?'; }
  return text + (word.size() > kMost ? "...'" : "'");
}

/// Words of a text, line by line, each with its location.
class Words {
 public:
  Words(std::string_view bytes, const std::string& file) : bytes_(bytes), where_{file, 0, 1} {}

  /// Goes to the start of the next line; false at the end.
  bool next_line() {
    if (where_.line > 0) {
      while (i_ < bytes_.size() && bytes_[i_] != '\n') { ++i_; }
      ++i_;
    }
    if (i_ >= bytes_.size()) { return false; }
    begin_line();
    return true;
  }
  /// The next word of the line; a \ at its end joins the next line to it.
  std::optional<std::string_view> next() {
    while (i_ < bytes_.size() && bytes_[i_] != '\n') {
      if (is_joint()) {
        next_line();
      } else if (is_blank(bytes_[i_])) {
        ++i_;
      } else {
        break;
      }
    }
    word_ = std::min(i_, bytes_.size());
    while (i_ < bytes_.size() && bytes_[i_] != '\n' && !is_blank(bytes_[i_]) && !is_joint()) { ++i_; }
    if (word_ >= i_) { return {}; }
    return bytes_.substr(word_, i_ - word_);
  }

  /// Of the last word, or of where one should have stood.
  Location location() const {
    return {where_.file, where_.line, static_cast<int>(word_ - std::min(word_, line_begin_)) + 1};
  }
  int line() const { return where_.line; }

  [[noreturn]] void refuse(std::string what, std::string allowed, std::string cure = {}) const {
    fail(Error(Problem{std::move(what), std::move(allowed), std::move(cure), location()}));
  }

  Vec3<double> three_numbers(std::string_view of) {
    Vec3<double> p;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::optional<std::string_view> word = next();
      if (!word) { refuse(fmt::format("{} with {} numbers", of, i), "wanted: x, y and z"); }
      p[i] = number(*word);
    }
    return p;
  }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }
  bool is_joint() const {
    const std::string_view rest = bytes_.substr(i_, 3);
    return rest.starts_with("\\\n") || rest.starts_with("\\\r\n");
  }
  void begin_line() {
    ++where_.line;
    line_begin_ = word_ = i_;
  }
  double number(std::string_view word) const {
    double x = 0;
    const char* begin = word.data() + (word.starts_with('+') && !word.starts_with("+-") ? 1 : 0);
    const char* end = word.data() + word.size();
    const auto [rest, error] = std::from_chars(begin, end, x);
    if (error == std::errc::result_out_of_range) {
      refuse(quoted(word) + " is beyond the range of numbers", "between 4.9e-324 and 1.8e308 in size, or 0");
    }
    if (error != std::errc{} || rest != end) {
      refuse(quoted(word) + " is not a number", "a number is written like -1.5e-3");
    }
    if (!std::isfinite(x)) { refuse(quoted(word) + " is not finite", "coordinates are finite numbers"); }
    return x;
  }

  std::string_view bytes_;
  Location where_;
  std::size_t i_ = 0;
  std::size_t line_begin_ = 0;
  std::size_t word_ = 0;
};

[[noreturn]] void too_many(const std::string& file) {
  fail(Error(Problem{.what = "more than " + counted(kMostTriangles, "triangle") + ", or three times as many vertices",
                     .allowed = {},
                     .cure = "make the mesh coarser in the program that made it",
                     .where = {file}}));
}

// ---- OBJ ------------------------------------------------------------------------------------------------------------

class ObjReader {
 public:
  ObjReader(std::string_view bytes, const std::string& file) : words_(bytes, file), file_(file) {}

  MeshFile read() {
    while (words_.next_line()) {
      const std::optional<std::string_view> word = words_.next();
      if (word == "v") { mesh_.surface.points.push_back(words_.three_numbers("a vertex")); }
      if (mesh_.surface.points.size() > 3 * kMostTriangles) { too_many(file_); }
      if (word == "f") { read_face(); }
    }
    for (const auto& [corner, where] : ahead_) {
      if (corner > mesh_.surface.points.size()) {
        fail(Error(Problem{fmt::format("vertex {}, and the file has {}", corner, mesh_.surface.points.size()),
                           "vertices count from 1",
                           {},
                           where}));
      }
    }
    return std::move(mesh_);
  }

 private:
  void read_face() {
    const int line = words_.line();
    std::vector<std::uint32_t> corners;
    while (const std::optional<std::string_view> word = words_.next()) {
      if (word->starts_with('#')) { break; }
      corners.push_back(corner(*word));
      if (corners.size() > kMostTriangles) { too_many(file_); }
    }
    if (corners.size() < 3) { words_.refuse(fmt::format("a face with {} corners", corners.size()), "three or more"); }
    for (std::size_t i = 1; i + 1 < corners.size(); ++i) {
      mesh_.surface.triangles.push_back({corners[0], corners[i], corners[i + 1]});
      mesh_.lines.push_back(line);
    }
    if (mesh_.surface.triangles.size() > kMostTriangles) { too_many(file_); }
  }

  /// 7, 7/2, 7//3, 7/2/3, or -1 for the vertex before; only the first number counts.
  std::uint32_t corner(std::string_view word) {
    std::int64_t n = 0;
    const char* end = word.data() + word.size();
    const auto [rest, error] = std::from_chars(word.data(), end, n);
    const std::string_view others(rest, static_cast<std::size_t>(end - rest));
    const bool plain = others.empty() || others.starts_with('/');
    if (error != std::errc{} || !plain || others.find_first_not_of("/-0123456789") != std::string_view::npos) {
      words_.refuse(quoted(word) + " is no corner of a face", "wanted: the number of a vertex, such as 7, 7/2/3 or -1");
    }
    const auto count = static_cast<std::int64_t>(mesh_.surface.points.size());
    if (n == 0 || n < -count || n > UINT32_MAX) {
      words_.refuse(fmt::format("vertex {}, and {} stand above", n, count),
                    "vertices count from 1; -1 is the last one above");
    }
    const auto number = static_cast<std::size_t>(std::max<std::int64_t>(n, 0));
    if (n > count && (ahead_.empty() || ahead_.back().first < number)) {
      ahead_.emplace_back(number, words_.location());
    }
    return static_cast<std::uint32_t>(n > 0 ? n - 1 : count + n);
  }

  Words words_;
  const std::string& file_;
  MeshFile mesh_;
  std::vector<std::pair<std::size_t, Location>> ahead_;  ///< corners above their vertices, each with a larger number
};

// ---- STL ------------------------------------------------------------------------------------------------------------

MeshFile read_stl_text(std::string_view bytes, const std::string& file) {
  Words words(bytes, file);
  MeshFile mesh;
  int corners = -1;  // of the facet that is open, or -1
  while (words.next_line()) {
    const std::optional<std::string_view> word = words.next();
    if (!word) { continue; }
    const std::string keyword = in_small_letters(*word);
    if (keyword == "facet") {
      if (corners >= 0) { words.refuse("a facet in a facet", "wanted: endfacet before it"); }
      corners = 0;
      mesh.lines.push_back(words.line());
    } else if (keyword == "vertex") {
      if (corners < 0 || corners > 2) {
        words.refuse(corners < 0 ? "a vertex outside of a facet" : "a fourth vertex in a facet",
                     "three between facet and endfacet");
      }
      mesh.surface.points.push_back(words.three_numbers("a vertex"));
      ++corners;
    } else if (keyword == "endfacet") {
      if (corners != 3) {
        words.refuse(corners < 0 ? "endfacet without facet" : fmt::format("a facet with {} vertices", corners),
                     "wanted: three");
      }
      const auto first = static_cast<std::uint32_t>(mesh.surface.points.size() - 3);
      mesh.surface.triangles.push_back({first, first + 1, first + 2});
      if (mesh.surface.triangles.size() > kMostTriangles) { too_many(file); }
      corners = -1;
    } else if (keyword != "solid" && keyword != "outer" && keyword != "endloop" && keyword != "endsolid") {
      words.refuse(quoted(*word) + " is no word of STL",
                   "known: solid facet outer vertex endloop endfacet endsolid, a line each");
    }
  }
  if (corners >= 0) { words.refuse("the file ends in a facet", "wanted: endfacet"); }
  return mesh;
}

std::uint32_t number_of_4_bytes(std::string_view bytes, std::size_t at) {
  std::uint32_t n = 0;
  for (std::size_t i = 4; i-- > 0;) { n = n << 8U | static_cast<unsigned char>(bytes[at + i]); }
  return n;
}

MeshFile read_stl_binary(std::string_view bytes, const std::string& file) {
  const std::uint32_t count = number_of_4_bytes(bytes, kStlHead - 4);
  if (count > kMostTriangles) { too_many(file); }
  MeshFile mesh;
  mesh.binary = true;
  for (std::uint32_t n = 0; n < count; ++n) {
    // a normal, which follows from the corners, three corners, two bytes that mean nothing
    const std::size_t corners = kStlHead + kStlTriangle * n + 12;
    for (std::size_t i = 0; i < 9; ++i) {
      const std::size_t at = corners + 4 * i;
      const auto x = static_cast<double>(std::bit_cast<float>(number_of_4_bytes(bytes, at)));
      if (!std::isfinite(x)) {
        fail(Error(Problem{.what = fmt::format("triangle {}, byte {}: the coordinate is {}", n + 1, at, x),
                           .allowed = "coordinates are finite numbers",
                           .cure = {},
                           .where = {file}}));
      }
      if (i % 3 == 0) { mesh.surface.points.emplace_back(); }
      mesh.surface.points.back()[i % 3] = x;
    }
    mesh.surface.triangles.push_back({3 * n, 3 * n + 1, 3 * n + 2});
    mesh.lines.push_back(static_cast<int>(n) + 1);
  }
  return mesh;
}

MeshFile read_stl(std::string_view bytes, const std::string& file) {
  // text begins with "solid", but so do some binary files: their size tells
  const std::uint64_t count = bytes.size() < kStlHead ? 0 : number_of_4_bytes(bytes, kStlHead - 4);
  if (bytes.size() >= kStlHead && bytes.size() == kStlHead + kStlTriangle * count) {
    return read_stl_binary(bytes, file);
  }
  const std::size_t first = std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size());
  if (in_small_letters(bytes.substr(first, 5)) == "solid") { return read_stl_text(bytes, file); }
  if (bytes.size() < kStlHead) {
    fail(Error(Problem{.what = fmt::format("{} bytes are no STL", bytes.size()),
                       .allowed = "text begins with 'solid'; a binary file has 84 bytes and 50 for each triangle",
                       .cure = {},
                       .where = {file}}));
  }
  fail(Error(Problem{.what = fmt::format("byte 80 says {}, which take {} bytes; the file has {}",
                                         counted(count, "triangle"), kStlHead + kStlTriangle * count, bytes.size()),
                     .allowed = {},
                     .cure = "it was cut off, or is no STL: write it again",
                     .where = {file}}));
}

/// Points at the same position become one; triangles that lose a corner by it go.
void join_points(MeshFile& mesh) {
  const std::vector<Vec3<double>> points = std::move(mesh.surface.points);
  std::vector<std::uint32_t> order(points.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto position = [&](std::uint32_t n) { return std::tie(points[n].x, points[n].y, points[n].z); };
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return position(a) != position(b) ? position(a) < position(b) : a < b;
  });
  std::vector<std::uint32_t> first(points.size());  // at the same position
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool same = i > 0 && position(order[i]) == position(order[i - 1]);
    first[order[i]] = same ? first[order[i - 1]] : order[i];
  }
  mesh.surface.points.clear();
  std::vector<std::uint32_t> number(points.size());
  for (std::uint32_t n = 0; n < points.size(); ++n) {
    if (first[n] == n) {
      number[n] = static_cast<std::uint32_t>(mesh.surface.points.size());
      mesh.surface.points.push_back(points[n]);
    }
    number[n] = number[first[n]];
  }
  std::size_t kept = 0;
  for (std::size_t t = 0; t < mesh.surface.triangles.size(); ++t) {
    shape::Triangle triangle = mesh.surface.triangles[t];
    for (std::uint32_t& corner : triangle) { corner = number[corner]; }
    const auto& [a, b, c] = triangle;
    if (a == b || b == c || c == a) { continue; }
    mesh.surface.triangles[kept] = triangle;
    mesh.lines[kept++] = mesh.lines[t];
  }
  mesh.surface.triangles.resize(kept);
  mesh.lines.resize(kept);
}

}  // namespace

std::string MeshFile::triangle_name(std::size_t n) const {
  return fmt::format("{} {}", binary ? "triangle" : "the triangle in line", lines[n]);
}

MeshFile read_mesh(std::string_view bytes, const std::string& file) {
  if (bytes.size() > kMostMeshBytes) {
    fail(Error(Problem{.what = "the file is larger than 512 MiB",
                       .allowed = {},
                       .cure = "make the mesh coarser in the program that made it",
                       .where = {file}}));
  }
  if (bytes.starts_with("\xEF\xBB\xBF")) { bytes.remove_prefix(3); }  // a byte order mark
  const std::string name = in_small_letters(file);
  MeshFile mesh;
  if (name.ends_with(".obj")) {
    mesh = ObjReader(bytes, file).read();
  } else if (name.ends_with(".stl")) {
    mesh = read_stl(bytes, file);
  } else {
    fail(Error(Problem{.what = "'" + file + "' is no mesh that we know",
                       .allowed = "known: .obj (Wavefront), .stl (text or binary)",
                       .cure = "save it in one of these formats"}));
  }
  join_points(mesh);
  if (mesh.surface.triangles.empty()) {
    fail(Error(Problem{.what = "there is no triangle in it",
                       .allowed = "wanted: a closed surface, with faces",
                       .cure = {},
                       .where = {file}}));
  }
  return mesh;
}

}  // namespace polhode::io
