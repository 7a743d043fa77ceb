#include "polhode/core/refuse.h"
#include "polhode/io/result.h"
#include "polhode/io/table.h"

// Stands in for result_hdf5.cpp where the library is not installed.
namespace polhode::io {
namespace {

[[noreturn]] void not_here() {
  refuse("this build has no HDF5", "install it (Debian: libhdf5-dev) and build again, or take another format");
}

}  // namespace

extern const ResultWriter kWriter_hdf5{"hdf5",
                                       "results.h5",
                                       "not in this build: needs HDF5 (Debian: libhdf5-dev)",
                                       [](const OpenResult&, const ResultOutput&) -> std::uint64_t { not_here(); },
                                       [](const ResultHead&) { not_here(); },
                                       nullptr};
extern const ResultFormat kReader_hdf5{"hdf5",
                                       [](std::string_view bytes) { return bytes.starts_with("\x89HDF\r\n\x1a\n"); },
                                       [](const std::string&) -> std::unique_ptr<ResultReader> { not_here(); }};

struct Hdf5Table::Data {};
Hdf5Table::Hdf5Table(const TableHead&, const std::string&) { not_here(); }
Hdf5Table::~Hdf5Table() = default;
void Hdf5Table::row(std::span<const TableCell>) {}
void Hdf5Table::finish(std::string_view, std::string_view) {}
void require_hdf5() { not_here(); }

}  // namespace polhode::io
