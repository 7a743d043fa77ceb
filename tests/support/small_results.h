#pragma once

#include "polhode/core/error.h"
#include "polhode/core/sha256.h"
#include "polhode/io/result.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

/// Small result files for tests: whole ones of every format, and broken ones with what must be said of them.
namespace small_results {

using namespace polhode;

/// A folder of its own that goes with the object.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("polhode-results-" + std::to_string(getpid()))) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string operator()(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

inline std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
inline void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// A head with everything that a head can have.
inline io::ResultHead head() {
  io::ResultHead head;
  head.title = "a \"small\" run: ä, 50 %, two\nlines";
  head.scenario_file = "small.toml";
  head.scenario_text = "title = \"ä\"\r\n\n# no line break at the end, %41, " + std::string(450, 'x') + "\n\tend";
  head.scenario_sha256 = sha256(head.scenario_text);
  head.version = "0.1.0";
  head.formulation = "euler-body";
  head.integrator = "dop853";
  head.portable = false;
  head.epoch = "2016-12-31T23:59:59.25";
  head.message = {{"object_id", "2026-001A"}, {"ref_frame_a", "ICRF"}, {"attitude_type", "QUATERNION/DERIVATIVE"}};
  head.columns = {{"t_s", "s", "time"}};
  for (const char* name : {"e0", "e1", "e2", "e3"}) {
    head.columns.push_back({name, "1", "Euler parameter of body to space, scalar first"});
  }
  for (const char* axis : {"x", "y", "z"}) {
    head.columns.push_back(
        {std::string("w") + axis + "_body_rad_s", "rad/s", std::string("angular velocity, ") + axis + " of body"});
  }
  head.columns.push_back({"kinetic_J", "J", "kinetic energy"});
  head.scene.up_N = {0, 9.81, -0.1};
  head.scene.springs = {{"spring", -1, {0.1, 0, 0}, 0, {0, 1.0 / 3, 0}}};
  head.events = {"flip", "a name; with e = signs at t_s = 3"};
  return head;
}

/// Row k: unit attitudes to rounding, numbers that need all their digits, times such as 0.1 k.
inline std::vector<double> row(int k) {
  const double angle = 0.37 * k;
  const double x = std::sqrt(1.0 / 3);
  return {0.1 * k,
          std::cos(angle / 2),
          x * std::sin(angle / 2),
          x * std::sin(angle / 2),
          x * std::sin(angle / 2),
          1.0 / 3 + k,
          -1e-300 * k,
          4.9406564584124654e-324,
          k % 2 == 0 ? -0.0 : 1.7976931348623157e+308};
}

inline void write_log(const std::string& path, int rows, bool ended = true) {
  io::LogWriter log = io::LogWriter::create(path, io::to_json(head()));
  for (int k = 0; k < rows; ++k) {
    log.row(row(k));
    if (k % 3 == 1) {
      simulation::EventOccurrence occurrence;
      occurrence.event = static_cast<std::size_t>(k % 2);
      occurrence.t = 0.1 * k + 0.03;
      occurrence.state.e_NB = {0.6, {0, 0.8, 0}};
      occurrence.state.w_B = {0.1, 1e-17, -3};
      log.event(occurrence);
    }
  }
  if (ended) {
    log.end("{}");
  } else {
    log.flush();
  }
}

/// Writes the result at `from` to `to`, as convert does.
inline void convert(const std::string& from, const std::string& format, const std::string& to) {
  std::ofstream file(to, std::ios::binary);
  io::result_writer(format).write([&] { return io::open_result(from); },
                                  {[&](std::string_view text) { file << text; }, to});
}

struct Whole {
  io::ResultHead head;
  std::vector<std::vector<double>> rows;
  std::vector<std::pair<std::size_t, io::ResultEvent>> events;  ///< with the number of rows before it
  std::vector<std::string> notes;
};
inline Whole read(const std::string& path) {
  const std::unique_ptr<io::ResultReader> reader = io::open_result(path);
  Whole whole;
  whole.head = reader->head();
  while (true) {
    const io::ResultReader::Item item = reader->next();
    if (item == io::ResultReader::Item::end) { break; }
    if (item == io::ResultReader::Item::row) { whole.rows.emplace_back(reader->row().begin(), reader->row().end()); }
    if (item == io::ResultReader::Item::event) { whole.events.emplace_back(whole.rows.size(), reader->event()); }
  }
  whole.notes = reader->notes();
  return whole;
}

/// Whether this build has HDF5.
inline bool has_hdf5() {
  const io::ResultWriter& writer = io::result_writer("hdf5");
  return writer.summary.find("not in this build") == std::string_view::npos;
}

// ---- broken files ---------------------------------------------------------------------------------------------------

struct Broken {
  std::string name;
  std::string bytes;
  std::string says;  ///< part of the message; "%" stands for the path
};

inline std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), by);
}

inline const std::string kCsv = "# polhode 0.1.0: small\nt_s,e0,e1,e2,e3\n0,1,0,0,0\n0.5,0.8,0.6,0,0\n1,0.6,0.8,0,0\n";

inline const std::string kAem =
    "CCSDS_AEM_VERS = 1.0\nCREATION_DATE = 2026-01-31T12:00:00\nORIGINATOR = US\n\nMETA_START\nOBJECT_NAME = BODY\n"
    "OBJECT_ID = 2026-001A\nREF_FRAME_A = EME2000\nREF_FRAME_B = SC_BODY_1\nATTITUDE_DIR = A2B\nTIME_SYSTEM = UTC\n"
    "START_TIME = 2026-01-31T12:00:00\nSTOP_TIME = 2026-01-31T12:00:01\nATTITUDE_TYPE = QUATERNION\n"
    "QUATERNION_TYPE = LAST\nMETA_STOP\n\nDATA_START\n2026-01-31T12:00:00 0 0 0 1\n"
    "2026-01-31T12:00:00.5 0 0 0.6 0.8\n2026-01-31T12:00:01 0 0 1 0\nDATA_STOP\n";

inline std::vector<Broken> broken_texts() {
  std::vector<Broken> list{
      {"empty", "", "% is empty"},
      {"blank.csv", " \n\n", "% is no result that we know; known: log hdf5 aem json csv"},
      {"bytes.bin",
       std::string("\x7f"
                   "ELF\x02\x01\x01\0\0\0",
                   10),
       "% is no result that we know"},
      {"message.xml", "<?xml version=\"1.0\"?><aem/>", "% is no result that we know"},
      // CSV
      {"number.csv", replaced(kCsv, "0.8,0.6", "0.8,abc"), "%:4:9: 'abc' is not a number"},
      {"nan.csv", replaced(kCsv, "0.8,0.6", "nan,0.6"), "%:4:5: 'nan' is not finite"},
      {"range.csv", replaced(kCsv, "0.8,0.6", "0.8,1e999"), "%:4:9: '1e999' is beyond the range of numbers"},
      {"few.csv", replaced(kCsv, "0.8,0.6,0,0", "0.8,0.6,0"), "%:4:1: 4 numbers; 5 needed"},
      {"many.csv", replaced(kCsv, "0.8,0.6,0,0", "0.8,0.6,0,0,0"), "%:4:1: 6 numbers; 5 needed"},
      {"gap.csv", replaced(kCsv, "0.8,0.6", "0.8,,0.6"), "%:4:9: an empty field"},
      {"cut.csv", kCsv.substr(0, kCsv.size() - 6), "%:5:1: 3 numbers; 5 needed"},
      {"back.csv", replaced(kCsv, "\n1,", "\n0.25,"), "%:5:1: row 3: time goes back from 0.5 to 0.25 s"},
      {"column.csv", replaced(kCsv, ",e3", ",e4"), "%: columns that every result has once: e3"},
      {"twice.csv", replaced(kCsv, ",e3", ",e1"), "%: columns that every result has once: e1 (twice) e3"},
      {"bare.csv", "0,1,0,0,0\n1,1,0,0,0\n", "% has no line that names its columns"},
      {"event.csv", replaced(kCsv, "0.5,", "# event: flip at t_s = x\n0.5,"), "%:4:1: this comment tells of no event"},
      // AEM
      {"version.aem", replaced(kAem, "1.0", "3.0"), "%:1: CCSDS_AEM_VERS is '3.0'; known: 1.0"},
      {"frame.aem", replaced(kAem, "REF_FRAME_A = EME2000\n", ""),
       "%:15: the metadata before this line lack REF_FRAME_A"},
      {"direction.aem", replaced(kAem, "ATTITUDE_DIR = A2B\n", ""), "lack ATTITUDE_DIR"},
      {"direction2.aem", replaced(kAem, "= A2B", "= A_TO_B"), "%:16: ATTITUDE_DIR is 'A_TO_B'; known: A2B B2A"},
      {"order.aem", replaced(kAem, "QUATERNION_TYPE = LAST\n", ""), "lack QUATERNION_TYPE"},
      {"order2.aem", replaced(kAem, "= LAST", "= MIDDLE"), "QUATERNION_TYPE is 'MIDDLE'; known: FIRST LAST"},
      {"type.aem", replaced(kAem, "= QUATERNION\n", "= MATRIX\n"), "unknown ATTITUDE_TYPE 'MATRIX'; known: QUATERNION"},
      {"spin.aem", replaced(kAem, "= QUATERNION\n", "= SPIN\n"), "ATTITUDE_TYPE SPIN is not read"},
      {"sequence.aem", replaced(kAem, "= QUATERNION\n", "= EULER_ANGLE\n"), "lack EULER_ROT_SEQ"},
      {"sequence2.aem", replaced(kAem, "= QUATERNION\n", "= EULER_ANGLE\nEULER_ROT_SEQ = 331\n"),
       "EULER_ROT_SEQ '331' is no sequence of axes; wanted: such as 321 or ZYX"},
      {"rate.aem", replaced(kAem, "= QUATERNION\n", "= QUATERNION/RATE\n"),
       "RATE_FRAME is ''; wanted: REF_FRAME_A or REF_FRAME_B"},
      {"clock.aem", replaced(kAem, "= UTC", "= SCLK"), "TIME_SYSTEM SCLK has no calendar"},
      {"start.aem", replaced(kAem, "= 2026-01-31T12:00:00\nSTOP", "= 2026-02-31T12:00:00\nSTOP"),
       "START_TIME '2026-02-31T12:00:00' is no moment"},
      {"time.aem", replaced(kAem, "12:00:00.5", "12:00:61"), "%:20: '2026-01-31T12:00:61' is no moment"},
      {"back.aem", replaced(kAem, "12:00:00.5", "11:00:00.5"), "%:20: row 2: time goes back from 0 to -3599.5 s"},
      {"count.aem", replaced(kAem, "0 0 0.6 0.8", "0 0.6 0.8"), "%:20: 3 numbers after the time; 4 needed"},
      {"word.aem", replaced(kAem, "0 0 0.6 0.8", "0 0 0.6 0,8"), "%:20: '0,8' is not a number"},
      {"unit.aem", replaced(kAem, "0.6 0.8", "0.6 0.9"), "%:20: the quaternion has length 1.08167; 1 to 0.0001"},
      {"cut.aem", kAem.substr(0, kAem.size() - 11), "the file ends before DATA_STOP"},
      {"cut2.aem", kAem.substr(0, kAem.find("TIME_SYSTEM")), "the file ends before META_STOP"},
      {"line.aem", replaced(kAem, "TIME_SYSTEM = UTC", "TIME_SYSTEM UTC"),
       "%:11: 'TIME_SYSTEM UTC' is no keyword with a value"},
      {"double.aem", replaced(kAem, "TIME_SYSTEM", "OBJECT_ID = X\nTIME_SYSTEM"),
       "%:11: OBJECT_ID stands here for the second time"},
      {"after.aem", kAem + "more\n", "%:23: 'more' stands after DATA_STOP"},
      {"segments.aem", kAem + replaced(kAem.substr(kAem.find("META_START")), "EME2000", "ICRF"),
       "this segment has other frames, another time system or type than the first"},
  };
  return list;
}

/// Also those that are made from whole files: logs, JSON and, where it is there, HDF5.
inline std::vector<Broken> broken_results(const Folder& folder) {
  std::vector<Broken> list = broken_texts();
  write_log(folder("whole.plog"), 5);
  const std::string log = bytes_of(folder("whole.plog"));
  list.push_back({"magic.plog", "PLHX" + log.substr(4), "% is no result that we know"});
  list.push_back(
      {"start.plog", log.substr(0, 100), "% is not the log of a run: it does not begin with a whole header"});
  std::string flipped = log;
  flipped[50] = static_cast<char>(flipped[50] ^ 1);
  list.push_back({"flipped.plog", flipped, "% is not the log of a run: it does not begin with a whole header"});
  {
    io::LogWriter other = io::LogWriter::create(folder("other.plog"), "{\"format\": \"polhode log 7\"}");
    other.end("{}");
  }
  list.push_back({"version.plog", bytes_of(folder("other.plog")), "%: the head is not one that this version wrote"});
  {
    io::LogWriter odd = io::LogWriter::create(folder("odd.plog"), io::to_json(head()));
    odd.row(std::vector<double>{1, 2, 3});
    odd.end("{}");
  }
  list.push_back({"width.plog", bytes_of(folder("odd.plog")), "does not fit the header; run the scenario again"});
  {
    io::LogWriter odd = io::LogWriter::create(folder("odd2.plog"), io::to_json(head()));
    odd.event({7, 0, {}});
    odd.end("{}");
  }
  list.push_back({"event.plog", bytes_of(folder("odd2.plog")), "does not fit the header"});

  convert(folder("whole.plog"), "json", folder("whole.json"));
  const std::string json = bytes_of(folder("whole.json"));
  const std::size_t rows = json.find("\"rows\": [\n") + 10;
  const std::string second = json.substr(json.find('\n', rows) + 1, 12);
  list.push_back({"cut.json", json.substr(0, json.size() / 2), "the file ends here; wanted: the end of"});
  list.push_back({"cut2.json", json.substr(0, rows + 30), "the file ends here; wanted: the end of the rows"});
  list.push_back({"end.json", json + "}", "'}' stands here; wanted: the end of the file"});
  list.push_back({"none.json", "{}", "%: a JSON object without \"head\""});
  list.push_back({"head.json", "{\"head\": {}, \"rows\": []}", "%: the head is not one that this version wrote"});
  list.push_back({"rows.json", replaced(json, "\"rows\"", "\"rws\""), "%: a JSON object without \"rows\""});
  list.push_back({"other.json", "{\"a\": 1}", "%: a JSON object without \"head\""});
  list.push_back({"null.json", replaced(json, "\n" + second, "\n[null" + second.substr(second.find(','))),
                  "'null' is not a number"});
  list.push_back({"few.json", replaced(json, "\n" + second, "\n[0" + second.substr(second.find(',') + 4)),
                  "fewer numbers than columns; 9 columns"});
  list.push_back(
      {"many.json", replaced(json, "\n" + second, "\n[0," + second.substr(1)), "more numbers than columns; 9 columns"});
  list.push_back(
      {"events.json", replaced(json, "\"row\":", "\"raw\":"), "%: the events are not what this version wrote"});
  list.push_back({"word.json", replaced(json, "\"rows\": [", "\"rows\": oops ["), "wanted: '[' before the rows"});

  if (!has_hdf5()) { return list; }
  convert(folder("whole.plog"), "hdf5", folder("whole.h5"));
  const std::string h5 = bytes_of(folder("whole.h5"));
  list.push_back({"cut.h5", h5.substr(0, h5.size() / 2), "%: cannot be opened: its HDF5 is damaged"});
  list.push_back({"start.h5", h5.substr(0, 40), "%: cannot be opened: its HDF5 is damaged"});
  const std::string bare = h5.substr(0, h5.rfind("\npolhode CRC-32 "));  // as another program would write it
  list.push_back({"foreign.h5", replaced(bare, "polhode result 1", "somebody else's!"),
                  "% is HDF5, but not a result that this version wrote"});
  std::string flipped_h5 = h5;
  flipped_h5[h5.size() / 2] = static_cast<char>(flipped_h5[h5.size() / 2] ^ 1);
  list.push_back({"flipped.h5", flipped_h5, "%: its bytes do not have the checksum at its end: it is damaged"});
  return list;
}

}  // namespace small_results
