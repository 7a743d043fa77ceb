#pragma once

#include "polhode/io/result.h"

#include <array>
#include <memory>

/// The page that shows a run in the browser: one file, which asks nothing of the network.
namespace polhode::io {

/// The page of viewer/ in four pieces; between them go the title, what is read without script, and the data. All four
/// are empty in a library that was built without Node.js.
const std::array<std::string, 4>& viewer_template();

/// The whole page, row by row: memory does not grow with their number. Without the viewer's script it holds certificate
/// and scenario as text, and says what is missing.
///
/// Data are zlib's deflate of frames, in base64; integers and numbers little endian:
///
///   'H' | length, 4 bytes | head, JSON with the certificate       'E' | length, 4 bytes | events, JSON       'Z'
///   'R' | rows, 4 bytes | bytes a number, 1 | columns: the lowest byte of every number, then the next lowest, ...
///
/// Time, the first column, always has 8 bytes a number, and so have all columns of the first rows; later ones have 4,
/// enough for a picture: a page of 10⁶ rows stays one that a browser opens.
class ViewerPage {
 public:
  ViewerPage(const ResultHead& head, const Write& write);
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
};

/// Text for HTML: what would be markup is not.
std::string html_text(std::string_view text);

}  // namespace polhode::io
