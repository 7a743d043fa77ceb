// HDF5 from strangers: whatever its tables say, the program ends by itself and says what is wrong.
#include "polhode/io/result_log.h"
#include "support/run_program.h"
#include "support/small_results.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <random>

namespace {

/// Sanitizers take memory of their own.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kInstrumented = true;
#elif defined(__has_feature)
constexpr bool kInstrumented = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool kInstrumented = false;
#endif

/// With the line at its end that says that nothing was changed.
std::string sealed(const std::string& bytes) {
  return bytes + fmt::format("\npolhode CRC-32 {:08x}\n", polhode::io::crc32(bytes));
}

/// What a program may do with a file that is not as it should be: read it, or say in one line what is wrong.
void check_ends_well(const Workshop& work, const std::string& file) {
  const auto result = work.polhode("convert " + file + " --to json -o out -q");
  CAPTURE(result.err);
  CHECK((result.status == 0 || result.status == 2));
  if (result.status == 2) {
    CHECK(result.err.starts_with("polhode: "));
    CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
    CHECK_FALSE(work.exists("out"));
  }
  std::filesystem::remove(work.path() / "out");
}

}  // namespace

TEST_CASE("an HDF5 file with damaged tables and a right checksum is told to be damaged") {
  if (!small_results::has_hdf5()) { return; }
  const Workshop work;
  std::filesystem::copy(std::string(POLHODE_SOURCE_DIR) + "/tests/cases/attack/forged.h5", work.path() / "forged.h5");
  const auto result = work.polhode("convert forged.h5 --to csv -o out.csv");
  CHECK(result.status == 2);
  CHECK(result.err == "polhode: forged.h5 is damaged: its HDF5 cannot be read; convert the log of the run again\n");
  CHECK(work.count_files() == 1);
}

TEST_CASE("an HDF5 file that leads to another file, or to rows that it does not hold, is refused") {
  if (!small_results::has_hdf5()) { return; }
  const Workshop work;
  const std::string cases = std::string(POLHODE_SOURCE_DIR) + "/tests/cases/attack/";
  // a whole result of three rows in which one dataset, /trajectory/t_s, was replaced
  for (const auto& [name, says] :
       {std::pair{"external-link.h5", "'trajectory/t_s' is a link to somewhere else"},  // to other.h5
        std::pair{"many-rows.h5", "'trajectory/t_s' cannot have 1000000000000 rows"},
        std::pair{"missing-rows.h5", "of 'trajectory/t_s' some rows are not in the file"}}) {
    CAPTURE(name);
    std::filesystem::copy(cases + name, work.path() / name);
    const auto result = work.polhode(std::string("convert ") + name + " --to csv");
    CHECK(result.status == 2);
    CHECK(result.out.empty());
    CHECK(result.err == std::string("polhode: ") + name + ": " + says + "\n");
  }
}

TEST_CASE("no change of the bytes of an HDF5 file makes the program die or take memory without bound") {
  if (!small_results::has_hdf5()) { return; }
  const Workshop work;
  const small_results::Folder folder;
  small_results::write_log(folder("whole.plog"), 5);
  small_results::convert(folder("whole.plog"), "hdf5", folder("whole.h5"));
  const std::string whole = small_results::bytes_of(folder("whole.h5"));
  const std::string bare = whole.substr(0, whole.rfind("\npolhode CRC-32 "));
  small_results::write_bytes((work.path() / "same.h5").string(), sealed(bare));
  CHECK((sealed(bare) == whole));
  std::mt19937_64 random(20);
  const int tries = std::getenv("POLHODE_LONG") != nullptr ? 3000 : 200;
  for (int n = 0; n < tries; ++n) {
    std::string bytes = bare;
    const auto changes = 1 + random() % 6;
    for (std::uint64_t i = 0; i < changes; ++i) {
      // lengths, counts and addresses are eight bytes with zeros: every other change is of one of these
      const std::size_t at = random() % (bytes.size() - 8);
      constexpr unsigned char kTelling[] = {0, 1, 0x7f, 0x80, 0xff};
      if (random() % 2 == 0) {
        bytes[at] = static_cast<char>(random());
      } else {
        std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), 1 + random() % 8,
                    static_cast<char>(kTelling[random() % 5]));
      }
    }
    CAPTURE(n);
    small_results::write_bytes((work.path() / "changed.h5").string(), sealed(bytes));
    check_ends_well(work, "changed.h5");
  }
  struct rusage used = {};
  getrusage(RUSAGE_CHILDREN, &used);
  if (!kInstrumented) { CHECK(used.ru_maxrss < 1200 * 1024); }  // KiB, the largest of all: a reader is allowed 1 GiB
}

TEST_CASE("an HDF5 file is read through a process of its own to the same bytes, also in the middle of a pipe") {
  if (!small_results::has_hdf5()) { return; }
  const Workshop work;
  const small_results::Folder folder;
  small_results::write_log(folder("whole.plog"), 10000);  // several frames and chunks
  for (const char* format : {"hdf5", "csv", "json", "aem"}) {
    small_results::convert(folder("whole.plog"), format, folder(format));
    CHECK(work.polhode("convert " + folder("hdf5") + " --to " + format + " -o out -q").status == 0);
    CHECK((work.read("out") == small_results::bytes_of(folder(format))));
  }
  // the other process goes with the reader
  CHECK(work.command("polhode convert " + folder("hdf5") + " --to csv -q | head -n 1").out.starts_with("# polhode "));
}
