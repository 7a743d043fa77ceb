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

void write_data(LogReader& log, const ResultHead& head, const Write& write) {
  Base64 text(write);
  Deflate data(text);
  Json json = Json::parse(to_json(head));
  json["certificate"] =
      head.certificate_json.empty() ? Json(nullptr) : Json::parse(head.certificate_json, nullptr, false);
  const std::string head_text = json.dump();
  data.add("H" + number_of_4_bytes(head_text.size()) + head_text);

  Json events = Json::array();
  Blocks blocks(head.columns.size(), data);
  while (const std::optional<LogReader::Frame> frame = log.next()) {
    if (frame->kind == FrameKind::rows) {
      each_row(frame->content, head.columns.size(), [&](std::span<const double> row) { blocks.add(row); });
    } else if (frame->kind == FrameKind::event) {
      const simulation::Happening happening = read_event(frame->content);
      events.push_back(
          {{"name", happening.event < head.events.size() ? head.events[happening.event] : "?"}, {"t", happening.t}});
    }
  }
  blocks.flush();
  const std::string event_text = events.dump(-1, ' ', false, Json::error_handler_t::replace);
  data.add("E" + number_of_4_bytes(event_text.size()) + event_text + "Z");
  data.end();
  text.end();
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

void write_viewer_page(LogReader& log, const ResultHead& head, const Write& write) {
  const std::array<std::string, 4>& page = viewer_template();
  if (page[0].empty()) {
    write(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n<title>" +
        html_text(head.title) +
        "</title>\n</head>\n<body>\n<p>This polhode was built without its viewer, because Node.js was missing (Debian: "
        "nodejs npm): there is no picture here.</p>\n" +
        plain_part(head) + "</body>\n</html>\n");
    return;
  }
  write(page[0]);
  write(html_text(head.title));
  write(page[1]);
  write(plain_part(head));
  write(page[2]);
  write_data(log, head, write);
  write(page[3]);
}

}  // namespace polhode::io
