#pragma once

#include "command.h"

namespace polhode::app {

/// convert RESULT --to FORMAT: result files between formats.
struct ResultConversion {
  std::string input;   ///< a file of any format, told by its content, or the folder of a run
  std::string format;  ///< of the output
  std::string output = "-";
  std::string epoch;  ///< date of t = 0, UTC, for a result that has none
  std::string body;   ///< of a mechanism: this one alone
};

/// Whether `name` is a format of results.
bool is_result_format(const std::string& name);
int convert_result(const Session& session, const ResultConversion& choice);

}  // namespace polhode::app
