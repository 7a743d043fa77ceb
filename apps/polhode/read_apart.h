#pragma once

#include "polhode/io/result.h"

namespace polhode::app {

/// Opens a result of any format, as io::open_result does. HDF5 is read by a process of its own, with bounded memory and
/// time: the library that reads it trusts the tables in the file, and forged ones can end the process. The file is
/// called damaged then. To be called before there are threads.
std::unique_ptr<io::ResultReader> open_result_apart(const std::string& path);

}  // namespace polhode::app
