#pragma once

#include "polhode/io/result.h"

#include <array>
#include <memory>

/// The page that shows results in the browser: one file, which asks nothing of the network.
namespace polhode::io {

/// A table with a row of heads; cells are text. The first column is the name of the row.
struct PageTable {
  std::string caption;
  std::vector<std::string> heads;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> row_classes;  ///< empty, or one a row
};

/// What a page says besides its head and its rows.
struct PageWords {
  std::string kind = "run";  ///< which file of viewer/src/pages shows it
  std::string plain{};       ///< markup, read where there is no script; made from the head where it is empty
  std::string verdict{};     ///< "yes", "no" or "open"; "" where the certificate says it
  std::string reason{};
  std::vector<std::pair<std::string, std::string>> summary{};  ///< names and values
  std::vector<PageTable> tables{};
  std::vector<std::string> notes{};
  std::vector<std::string> commands{};  ///< to be typed: this page again, and what is next
  std::uint64_t every = 1;              ///< of so many rows the page holds one, and the last
};

/// PageWords::every that keeps a page small: no more than two million numbers on it.
std::uint64_t rows_between(std::uint64_t rows, std::size_t columns);

/// The page of viewer/ in four pieces; between them go the title, what is read without script, and the data. All four
/// are empty in a library that was built without Node.js.
const std::array<std::string, 4>& viewer_template();

bool has_viewer();

/// The whole page, row by row: memory does not grow with their number. Without the viewer's script it holds the plain
/// part only, and says what is missing.
///
/// Data are zlib's deflate of frames, in base64; integers and numbers little endian:
///
///   'H' | length, 4 bytes | head, JSON with certificate and words       'E' | length, 4 bytes | events, JSON       'Z'
///   'R' | rows, 4 bytes | bytes a number, 1 | columns: the lowest byte of every number, then the next lowest, ...
///
/// Time, the first column, always has 8 bytes a number, and so have all columns of the first rows; later ones have 4,
/// enough for a picture: a page of 10⁶ rows stays one that a browser opens.
class ViewerPage {
 public:
  ViewerPage(const ResultHead& head, const PageWords& words, const Write& write);
  ~ViewerPage();
  ViewerPage(const ViewerPage&) = delete;
  ViewerPage& operator=(const ViewerPage&) = delete;

  void row(std::span<const double> row);
  void event(std::string_view name, double t);
  /// To be called once, after the last row.
  void end();

 private:
  struct Data;
  const Write* write_;
  std::unique_ptr<Data> data_;  ///< none where there is no viewer
  std::uint64_t every_;
  std::uint64_t rows_ = 0;
  std::vector<double> last_{};  ///< a row that was left out, until the next
};

/// Text for HTML: what would be markup is not.
std::string html_text(std::string_view text);

}  // namespace polhode::io
