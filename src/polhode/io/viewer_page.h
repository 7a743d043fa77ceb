#pragma once

#include "polhode/io/result.h"

#include <array>

/// The page that shows a run in the browser: one file, which asks nothing of the network.
namespace polhode::io {

/// The page of viewer/ in four pieces; between them go the title, what is read without script, and the data. All four
/// are empty in a library that was built without Node.js.
const std::array<std::string, 4>& viewer_template();

/// The whole page. Without the viewer's script it holds certificate and scenario as text, and says what is missing.
///
/// Data are zlib's deflate of frames, in base64; integers and numbers little endian:
///
///   'H' | length, 4 bytes | head, JSON with the certificate       'E' | length, 4 bytes | events, JSON       'Z'
///   'R' | rows, 4 bytes | bytes a number, 1 | columns: the lowest byte of every number, then the next lowest, ...
///
/// Time always has 8 bytes a number, and so have all columns of the first rows; later ones have 4, enough for a
/// picture: a page of 10⁶ rows stays one that a browser opens.
void write_viewer_page(LogReader& log, const ResultHead& head, const Write& write);

/// Text for HTML: what would be markup is not.
std::string html_text(std::string_view text);

}  // namespace polhode::io
