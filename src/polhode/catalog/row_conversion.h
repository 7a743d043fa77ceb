#pragma once

#include "polhode/catalog/conversion.h"
#include "polhode/io/row_reader.h"

#include <functional>

namespace polhode::catalog {

/// How rows of rotations are written.
struct RowOptions {
  bool one_row = false;  ///< values of a command line: told about as values, not by line and column
  bool nearest = false;  ///< the conversion projects noisy numbers: it is told how far
  bool header = false;   ///< a first line with the names of the columns
  bool csv = false;      ///< commas between numbers; otherwise as in the input
  bool json = false;     ///< one JSON object
  std::function<bool()> keep_going{};
};

/// What was noticed on the way.
struct RowNotes {
  long rows = 0;
  std::vector<std::string> warnings;
};

/// Rows of text in, converted rows out, piece by piece. Fails with the mistakes of all rows, each with its location,
/// and nothing is written from the first of them on.
RowNotes convert_rows(const Conversion& conversion, io::RowReader& reader, const RowOptions& options,
                      const std::function<void(std::string_view)>& write);

}  // namespace polhode::catalog
