// The log of a run: frames come back, a cut or damaged tail is left out, writing can go on after a cut.
#include "polhode/core/error.h"
#include "polhode/io/output_folder.h"
#include "polhode/io/result.h"

#include <doctest/doctest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

using namespace polhode;
using io::FrameKind;

namespace {

struct TemporaryFile {
  explicit TemporaryFile(const char* name) : path((std::filesystem::temp_directory_path() / name).string()) {}
  ~TemporaryFile() { std::filesystem::remove(path); }
  std::string bytes() const {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write(const std::string& text) const { std::ofstream(path, std::ios::binary) << text; }
  std::string path;
};

simulation::Snapshot snapshot(std::uint64_t segment) {
  simulation::Snapshot s;
  s.segment = segment;
  s.rows = 10 * segment + 1;
  s.t = 0.5 * static_cast<double>(segment);
  s.y = {1, 0, 0, 0, 0.1, 0.2, 0.3};
  s.parameters = {7};
  s.ledger = {-3, 1, 2, 3};
  s.statistics.steps = 99;
  if (segment % 2 == 1) { s.discrete = {1e6 + 0.1, -7}; }  // runs that count nothing have none
  return s;
}

void write_run(const std::string& path) {
  io::LogWriter log = io::LogWriter::create(path, "{\"format\": \"test\"}");
  for (std::uint64_t segment = 0; segment < 4; ++segment) {
    for (int i = 0; i < 300; ++i) {
      const double row[] = {static_cast<double>(segment), static_cast<double>(i), 1.5};
      CHECK(log.row(row));
    }
    CHECK(log.event({2, 0.25, {}}));
    CHECK(log.checkpoint(snapshot(segment)));
  }
  log.end("{}");
}

/// Kinds of the frames after the header: "RRECRREC...Z".
std::string kinds(const std::string& path, std::uint64_t* rows = nullptr) {
  io::LogReader log(path);
  std::string found;
  while (const auto frame = log.next()) {
    found += static_cast<char>(frame->kind);
    if (frame->kind == FrameKind::rows && rows != nullptr) {
      io::each_row(frame->content, 3, [&](std::span<const double>) { ++*rows; });
    }
  }
  return found;
}

}  // namespace

TEST_CASE("CRC-32 has its published check value") {
  CHECK(io::crc32("123456789") == 0xCBF43926U);  // of the catalogue of parametrised CRC algorithms
  CHECK(io::crc32("6789", io::crc32("12345")) == 0xCBF43926U);
  CHECK(io::crc32("123456780") != 0xCBF43926U);
}

TEST_CASE("a log comes back as it was written") {
  const TemporaryFile file("polhode_test_log.plog");
  write_run(file.path);
  std::uint64_t rows = 0;
  CHECK(kinds(file.path, &rows) == "RRECRRECRRECRRECZ");
  CHECK(rows == 1200);
  io::LogReader log(file.path);
  CHECK(log.header_json() == "{\"format\": \"test\"}");
  while (const auto frame = log.next()) {
    if (frame->kind == FrameKind::event) {
      const simulation::EventOccurrence h = io::read_event(frame->content);
      CHECK(h.event == 2);
      CHECK(h.t == 0.25);
    }
    if (frame->kind == FrameKind::checkpoint) {
      const simulation::Snapshot s = io::read_checkpoint(frame->content);
      CHECK(s.y == snapshot(0).y);
      CHECK(s.parameters == snapshot(0).parameters);
      CHECK(s.ledger == snapshot(0).ledger);
      CHECK(s.statistics.steps == 99);
      CHECK(s.discrete == snapshot(s.segment).discrete);
      CHECK(s.rows == 10 * s.segment + 1);
    }
  }
  CHECK_FALSE(log.cut_off());
}

TEST_CASE("wherever a log is cut, everything before the cut frame is read and nothing after") {
  const TemporaryFile whole("polhode_test_whole.plog");
  write_run(whole.path);
  const std::string bytes = whole.bytes();
  const std::string all = kinds(whole.path);
  const TemporaryFile cut("polhode_test_cut.plog");
  std::mt19937_64 random(1);
  std::size_t shorter = 0;
  for (int n = 0; n < 160; ++n) {
    const std::size_t size = random() % bytes.size();
    cut.write(bytes.substr(0, size));
    if (size < 35) { continue; }  // not even a header
    const std::string found = kinds(cut.path);
    CHECK(all.starts_with(found));
    if (found.size() < all.size()) { ++shorter; }
  }
  CHECK(shorter > 100);
  // damage inside ends it there as well
  std::string damaged = bytes;
  damaged[bytes.size() / 2] = static_cast<char>(damaged[bytes.size() / 2] ^ 1);
  cut.write(damaged);
  CHECK(kinds(cut.path).size() < all.size());
  // a length that would fill the memory is damage too
  damaged = bytes.substr(0, 35) + "PLHDR" + std::string(8, '\x7f');
  cut.write(damaged);
  CHECK(kinds(cut.path).size() <= 1);
}

TEST_CASE("a log that has a name has a whole header, whenever its writer is killed") {
  const TemporaryFile file("polhode_begun.plog");
  const io::LogWriter log = io::LogWriter::create(file.path, "{\"format\": \"test\"}");
  // nothing was flushed by us: what the file holds now is what a kill would leave
  CHECK(io::LogReader(file.path).header_json() == "{\"format\": \"test\"}");
  CHECK(kinds(file.path).empty());
  CHECK_FALSE(std::filesystem::exists(file.path + std::string(io::kPartEnding)));
}

TEST_CASE("writing goes on after a cut as if it had never been interrupted") {
  const TemporaryFile whole("polhode_test_a.plog");
  write_run(whole.path);
  const TemporaryFile other("polhode_test_b.plog");
  const std::string bytes = whole.bytes();
  other.write(bytes.substr(0, bytes.size() * 2 / 3));
  std::uint64_t end = 0;
  std::uint64_t segment = 0;
  {
    io::LogReader log(other.path);
    while (const auto frame = log.next()) {
      if (frame->kind == FrameKind::checkpoint) {
        end = frame->end_at;
        segment = io::read_checkpoint(frame->content).segment + 1;
      }
    }
  }
  io::LogWriter log = io::LogWriter::go_on_at(other.path, end);
  for (; segment < 4; ++segment) {
    for (int i = 0; i < 300; ++i) {
      const double row[] = {static_cast<double>(segment), static_cast<double>(i), 1.5};
      log.row(row);
    }
    log.event({2, 0.25, {}});
    log.checkpoint(snapshot(segment));
  }
  log.end("{}");
  CHECK(other.bytes() == bytes);
}

TEST_CASE("what is no log, or cannot be written, is told with its name") {
  const TemporaryFile file("polhode_test_none.plog");
  file.write("t,e0,e1\n0,1,0\n");
  CHECK_THROWS_WITH_AS(io::LogReader(file.path), doctest::Contains("is not the log of a run"), Error);
  CHECK_THROWS_WITH_AS(io::LogReader("/nonexistent/x.plog"), doctest::Contains("/nonexistent/x.plog"), Error);
  CHECK_THROWS_WITH_AS(io::LogWriter::create("/nonexistent/x.plog", "{}"), doctest::Contains("cannot write"), Error);
  CHECK_THROWS_AS(io::head_from_json("{}", "x"), Error);
  CHECK_THROWS_AS(io::head_from_json("not json", "x"), Error);
}

TEST_CASE("a full disk is told with file and cause") {
  if (!std::filesystem::exists("/dev/full")) { return; }
  io::LogWriter log = io::LogWriter::create("/dev/full", "{}");
  CHECK_THROWS_WITH_AS(log.checkpoint(snapshot(1)), doctest::Contains("No space left"), Error);
}
