#include "polhode/io/viewer_page.h"

#include "polhode/core/error.h"

#include <zlib.h>
#include <nlohmann/json.hpp>

#include <cstring>

namespace polhode::io {
namespace {

using Json = nlohmann::ordered_json;

/// Rows that are laid out together.
constexpr std::size_t kBlockRows = 1 << 16;
/// Rows that keep all their digits.
constexpr std::size_t kExactRows = 2 * kBlockRows;

/// Base64 in pieces; RFC 4648 with padding at the end.
class Base64 {
 public:
  explicit Base64(const Write& write) : write_(&write) {}
  void add(std::string_view bytes) {
    left_ += bytes;
    const std::size_t whole = left_.size() / 3 * 3;
    encode(std::string_view(left_).substr(0, whole));
    left_.erase(0, whole);
  }
  void end() {
    encode(left_);
    left_.clear();
  }

 private:
  void encode(std::string_view bytes) {
    static constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    text_.clear();
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
      const auto byte = [&](std::size_t k) {
        return i + k < bytes.size() ? static_cast<unsigned>(static_cast<unsigned char>(bytes[i + k])) : 0U;
      };
      const unsigned word = byte(0) << 16U | byte(1) << 8U | byte(2);
      for (unsigned k = 0; k < 4; ++k) { text_ += i + k > bytes.size() ? '=' : kDigits[word >> (18U - 6U * k) & 63U]; }
    }
    (*write_)(text_);
  }

  const Write* write_;
  std::string left_;  ///< fewer than three bytes, between calls
  std::string text_;
};

/// zlib's deflate in pieces.
class Deflate {
 public:
  explicit Deflate(Base64& to) : to_(&to), room_(1 << 16, '\0') {
    if (deflateInit(&stream_, 6) != Z_OK) { fail(Error("zlib has no memory for the page")); }
  }
  ~Deflate() { deflateEnd(&stream_); }
  Deflate(const Deflate&) = delete;
  Deflate& operator=(const Deflate&) = delete;

  void add(std::string_view bytes, int flush = Z_NO_FLUSH) {
    // zlib does not write through this pointer
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // NOLINT
    stream_.avail_in = static_cast<uInt>(bytes.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(room_.data());
      stream_.avail_out = static_cast<uInt>(room_.size());
      deflate(&stream_, flush);
      to_->add(std::string_view(room_.data(), room_.size() - stream_.avail_out));
    } while (stream_.avail_out == 0);
  }
  void end() { add({}, Z_FINISH); }

 private:
  Base64* to_;
  z_stream stream_{};
  std::string room_;
};

std::string number_of_4_bytes(std::size_t n) {
  const auto value = static_cast<std::uint32_t>(n);
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

/// Rows in, frames of columns out.
class Blocks {
 public:
  Blocks(std::size_t columns, Deflate& to) : columns_(columns), to_(&to) { numbers_.reserve(columns * 1024); }

  void add(std::span<const double> row) {
    numbers_.insert(numbers_.end(), row.begin(), row.end());
    if (numbers_.size() == columns_ * kBlockRows) { flush(); }
  }
  void flush() {
    const std::size_t rows = numbers_.size() / columns_;
    if (rows == 0) { return; }
    const bool exact = done_ < kExactRows;
    to_->add("R" + number_of_4_bytes(rows) + (exact ? '\x08' : '\x04'));
    for (std::size_t c = 0; c < columns_; ++c) {
      if (exact || c == 0) {
        put<double>(c, rows);
      } else {
        put<float>(c, rows);
      }
    }
    done_ += rows;
    numbers_.clear();
  }

 private:
  template <class T>
  void put(std::size_t column, std::size_t rows) {
    planes_.resize(rows * sizeof(T));
    for (std::size_t i = 0; i < rows; ++i) {
      const auto value = static_cast<T>(numbers_[i * columns_ + column]);
      char bytes[sizeof(T)];
      std::memcpy(bytes, &value, sizeof value);
      for (std::size_t k = 0; k < sizeof(T); ++k) { planes_[k * rows + i] = bytes[k]; }
    }
    to_->add(planes_);
  }

  std::size_t columns_;
  Deflate* to_;
  std::vector<double> numbers_;  ///< row by row
  std::string planes_;
  std::size_t done_ = 0;
};

/// What a page holds by default: some 15 MB of it, for digits of measured numbers are not compressed much.
constexpr std::uint64_t kMostNumbers = 2'000'000;

Json json_of(const PageWords& words) {
  Json json{{"verdict", words.verdict}, {"reason", words.reason},     {"summary", words.summary},
            {"notes", words.notes},     {"commands", words.commands}, {"every", words.every}};
  json["tables"] = Json::array();
  for (const PageTable& table : words.tables) {
    json["tables"].push_back(
        {{"caption", table.caption}, {"heads", table.heads}, {"rows", table.rows}, {"row_classes", table.row_classes}});
  }
  return json;
}

/// What a reader without script gets.
std::string plain_part(const ResultHead& head) {
  std::string text = "<h1>" + html_text(head.title) + "</h1>\n<p>" + html_text(head.formulation) + " with " +
                     html_text(head.integrator) + "; polhode " + html_text(head.version) + "; scenario " +
                     html_text(head.scenario_file) + ", SHA-256 " + html_text(head.scenario_sha256) + "</p>\n<p>" +
                     html_text(kConvention) + "</p>\n";
  if (!head.certificate_json.empty()) {
    const Json certificate = Json::parse(head.certificate_json, nullptr, false);
    text += "<h2>Certificate</h2>\n<pre>" + html_text(certificate.dump(2, ' ', false, Json::error_handler_t::replace)) +
            "</pre>\n";
  }
  return text + "<h2>Scenario</h2>\n<pre>" + html_text(head.scenario_text) + "</pre>\n";
}

}  // namespace

std::string html_text(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

struct ViewerPage::Data {
  Data(std::size_t columns, const Write& write) : text(write), deflate(text), blocks(columns, deflate) {}
  Base64 text;
  Deflate deflate;
  Blocks blocks;
  Json events = Json::array();
};

std::uint64_t rows_between(std::uint64_t rows, std::size_t columns) { return rows * columns / kMostNumbers + 1; }

bool has_viewer() { return !viewer_template()[0].empty(); }

ViewerPage::ViewerPage(const ResultHead& head, const PageWords& words, const Write& write)
    : write_(&write), every_(words.every) {
  const std::array<std::string, 4>& page = viewer_template();
  const std::string plain = words.plain.empty() ? plain_part(head) : words.plain;
  if (!has_viewer()) {
    write(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n<title>" +
        html_text(head.title) +
        "</title>\n</head>\n<body>\n<p>This polhode was built without its viewer, because Node.js was missing (Debian: "
        "nodejs npm): there is no picture here.</p>\n" +
        plain);
    return;
  }
  write(page[0]);
  write(html_text(head.title));
  write(page[1]);
  write(plain);
  write(page[2]);
  data_ = std::make_unique<Data>(head.columns.size(), write);
  Json json = Json::parse(to_json(head));
  json["certificate"] =
      head.certificate_json.empty() ? Json(nullptr) : Json::parse(head.certificate_json, nullptr, false);
  json["page"] = words.kind;
  json["words"] = json_of(words);
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  data_->deflate.add("H" + number_of_4_bytes(text.size()) + text);
}
ViewerPage::~ViewerPage() = default;

void ViewerPage::row(std::span<const double> row) {
  if (!data_) { return; }
  const bool kept = rows_++ % every_ == 0;
  if (kept) { data_->blocks.add(row); }
  if (every_ > 1) { last_.assign(row.begin(), kept ? row.begin() : row.end()); }
}

void ViewerPage::event(std::string_view name, double t) {
  if (data_) { data_->events.push_back({{"name", name}, {"t", t}}); }
}

void ViewerPage::end() {
  if (!data_) {
    (*write_)("</body>\n</html>\n");
    return;
  }
  if (!last_.empty()) { data_->blocks.add(last_); }
  data_->blocks.flush();
  const std::string text = data_->events.dump(-1, ' ', false, Json::error_handler_t::replace);
  data_->deflate.add("E" + number_of_4_bytes(text.size()) + text + "Z");
  data_->deflate.end();
  data_->text.end();
  (*write_)(viewer_template()[3]);
}

}  // namespace polhode::io
