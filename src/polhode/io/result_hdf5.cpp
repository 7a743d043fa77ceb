#include "polhode/core/counted.h"
#include "polhode/core/error.h"
#include "polhode/io/result.h"
#include "polhode/io/table.h"
#include "polhode/io/write_error.h"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <optional>
#include <set>

namespace polhode::io {
namespace {

constexpr std::string_view kFormat = "polhode result 1";
constexpr std::size_t kChunkRows = 4096;  // rows that are written and read at once: a chunk
constexpr unsigned kDeflate = 4;

// ---- the library ----------------------------------------------------------------------------------------------------

/// What the library says of its last failure: the system's words where there are some, else its own innermost.
std::string cause() {
  std::string text;
  const auto look = [](unsigned, const H5E_error2_t* error, void* to) -> herr_t {
    auto& found = *static_cast<std::string*>(to);
    const std::string words = error->desc == nullptr ? "" : error->desc;
    constexpr std::string_view kWords = "error message = '";
    if (const std::size_t at = words.find(kWords); at != std::string::npos) {
      const std::size_t begin = at + kWords.size();
      found = words.substr(begin, words.find('\'', begin) - begin);
      return 1;
    }
    if (found.empty()) { found = words; }
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, look, &text);
  return text;
}

/// Silent, and without work at the end of the program: what could not be written is not tried again there.
void set_library_up() {
  static const bool kDone = [] {
    H5dont_atexit();
    H5open();
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    H5PLset_loading_state(0);  // a file names filters, and no file may have code loaded
    return true;
  }();
  static_cast<void>(kDone);
}

/// Something of the library's, given back at the end.
class Handle {
 public:
  Handle() = default;
  explicit Handle(hid_t id) : id_(id) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  ~Handle() {
    if (id_ >= 0) { H5Idec_ref(id_); }
  }
  hid_t operator*() const { return id_; }
  bool there() const { return id_ >= 0; }
  bool close() { return H5Idec_ref(std::exchange(id_, H5I_INVALID_HID)) >= 0; }

 private:
  hid_t id_ = H5I_INVALID_HID;
};

Handle text_type() {
  Handle type(H5Tcopy(H5T_C_S1));
  H5Tset_size(*type, H5T_VARIABLE);
  H5Tset_cset(*type, H5T_CSET_UTF8);
  return type;
}

Handle file_access() {
  Handle access(H5Pcreate(H5P_FILE_ACCESS));
#if H5_VERSION_GE(1, 10, 7)
  H5Pset_file_locking(*access, 0, 1);  // the caller holds the lock
#endif
  return access;
}

/// A group or a dataset, which never says when it was made: two runs have the same bytes.
Handle timeless(hid_t kind) {
  Handle properties(H5Pcreate(kind));
  H5Pset_obj_track_times(*properties, 0);
  return properties;
}

// ---- checksum -------------------------------------------------------------------------------------------------------

// The library trusts what it reads, and a flipped byte in its tables can end the program. So a line behind its last
// byte, where it does not look, holds the checksum of all bytes before; a file without the line was written, or
// changed, by another program, and is read as it is.
constexpr std::string_view kMark = "\npolhode CRC-32 ";
constexpr std::size_t kTrailer = kMark.size() + 8 + 1;

std::string trailer_of(std::uint32_t sum) { return fmt::format("{}{:08x}\n", kMark, sum); }

/// Of the first `size` bytes.
std::uint32_t sum_of(const std::string& path, std::uint64_t size) {
  SourceFile file(path);
  std::string block(std::size_t{1} << 18U, '\0');
  std::uint32_t sum = 0;
  while (size > 0) {
    const std::size_t got = file.read(block.data(), std::min<std::uint64_t>(size, block.size()));
    if (got == 0) { break; }
    sum = crc32(std::string_view(block).substr(0, got), sum);
    size -= got;
  }
  return sum;
}

void append_trailer(const std::string& path) {
  const std::string line = trailer_of(sum_of(path, SourceFile(path).size()));
  std::FILE* file = std::fopen(path.c_str(), "ab");
  const bool written = file != nullptr && std::fwrite(line.data(), 1, line.size(), file) == line.size();
  const bool closed = file != nullptr && std::fclose(file) == 0;
  if (!written || !closed) {
    throw WriteError(
        Problem{.what = "cannot write '" + path + "': " + std::strerror(errno), .allowed = {}, .cure = {}});
  }
}

/// Whether there is a checksum that the bytes do not have.
bool is_damaged(const std::string& path) {
  SourceFile file(path);
  if (file.size() < kTrailer) { return false; }
  std::string line(kTrailer, '\0');
  file.go_to(file.size() - kTrailer);
  line.resize(file.read(line.data(), line.size()));
  return line.starts_with(kMark) && line != trailer_of(sum_of(path, file.size() - kTrailer));
}

// ---- layout ---------------------------------------------------------------------------------------------------------

/// Columns that are one dataset: the components of a vector, the parameters of the attitude, or one alone.
struct Quantity {
  std::string name;
  std::vector<std::size_t> columns;
};

/// "wx_body_rad_s", "wy_...", "wz_..." have the name "w_body_rad_s"; others "".
std::string name_of_vector(const std::string& x, const std::string& y, const std::string& z) {
  const auto parts = std::mismatch(x.begin(), x.end(), y.begin(), y.end());
  if (parts.first == x.end() || *parts.first != 'x') { return {}; }
  const auto at = static_cast<std::size_t>(parts.first - x.begin());
  const auto with = [&](char c) { return x.substr(0, at) + c + x.substr(at + 1); };
  return y == with('y') && z == with('z') ? x.substr(0, at) + x.substr(at + 1) : "";
}

std::vector<Quantity> quantities_of(const std::vector<simulation::Column>& columns) {
  std::vector<Quantity> list;
  std::set<std::string> taken;
  for (std::size_t i = 0; i < columns.size();) {
    const auto name = [&](std::size_t k) { return i + k < columns.size() ? columns[i + k].name : std::string(); };
    Quantity one;
    std::size_t width = 1;
    // of one body "e0", of a body of a mechanism "NAME.e0"
    const std::string body = name(0).ends_with("e0") ? name(0).substr(0, name(0).size() - 2) : std::string();
    if (name(0) == body + "e0" && name(1) == body + "e1" && name(2) == body + "e2" && name(3) == body + "e3") {
      one.name = body + "quaternion_wxyz";
      width = 4;
    } else if (one.name = name_of_vector(name(0), name(1), name(2)); !one.name.empty()) {
      width = 3;
    } else {
      one.name = name(0);
    }
    std::replace(one.name.begin(), one.name.end(), '/', '_');
    if (one.name.empty() || one.name == "." || !taken.insert(one.name).second) {
      one.name = fmt::format("column_{}", i);
    }
    for (std::size_t k = 0; k < width; ++k) { one.columns.push_back(i + k); }
    i += width;
    list.push_back(std::move(one));
  }
  return list;
}

std::string frame_of(const std::string& name) {
  return name.ends_with("quaternion_wxyz")          ? "body to space"
         : name.find("_body") != std::string::npos  ? "body"
         : name.find("_space") != std::string::npos ? "space"
                                                    : "";
}

// ---- writing --------------------------------------------------------------------------------------------------------

/// A file that is being written.
class Hdf5File {
 protected:
  explicit Hdf5File(std::string path) : path_(std::move(path)) {
    set_library_up();
    file_ = must(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, *timeless(H5P_FILE_CREATE), *file_access()));
  }

  struct Table {
    Handle dataset;
    hsize_t width = 1;
    hsize_t rows = 0;
  };

  [[noreturn]] void cannot_write() const {
    throw WriteError(Problem{.what = "cannot write '" + path_ + "': " + cause(), .allowed = {}, .cure = {}});
  }
  Handle must(hid_t id) const {
    if (id < 0) { cannot_write(); }
    return Handle(id);
  }
  void must(herr_t status) const {
    if (status < 0) { cannot_write(); }
  }

  Handle group(const char* name) const {
    return must(H5Gcreate2(*file_, name, H5P_DEFAULT, *timeless(H5P_GROUP_CREATE), H5P_DEFAULT));
  }
  void attribute(hid_t of, const char* name, const std::string& text) const {
    const Handle type = text_type();
    const Handle space = must(H5Screate(H5S_SCALAR));
    const Handle attribute = must(H5Acreate2(of, name, *type, *space, H5P_DEFAULT, H5P_DEFAULT));
    const char* const bytes = text.c_str();
    must(H5Awrite(*attribute, *type, static_cast<const void*>(&bytes)));
  }
  void attribute(hid_t of, const char* name, const std::vector<std::string>& texts) const {
    const Handle type = text_type();
    const hsize_t size = texts.size();
    const Handle space = must(texts.empty() ? H5Screate(H5S_NULL) : H5Screate_simple(1, &size, nullptr));
    const Handle attribute = must(H5Acreate2(of, name, *type, *space, H5P_DEFAULT, H5P_DEFAULT));
    std::vector<const char*> bytes;
    bytes.reserve(texts.size());
    for (const std::string& text : texts) { bytes.push_back(text.c_str()); }
    if (!texts.empty()) { must(H5Awrite(*attribute, *type, static_cast<const void*>(bytes.data()))); }
  }

  /// A text that may be longer than an attribute can be.
  void long_text(const char* name, const std::string& content) const {
    const Handle type = text_type();
    const Handle space = must(H5Screate(H5S_SCALAR));
    const Handle dataset =
        must(H5Dcreate2(*file_, name, *type, *space, H5P_DEFAULT, *timeless(H5P_DATASET_CREATE), H5P_DEFAULT));
    const char* const text = content.c_str();
    must(H5Dwrite(*dataset, *type, H5S_ALL, H5S_ALL, H5P_DEFAULT, static_cast<const void*>(&text)));
  }

  /// A dataset that grows: chunks, shuffled, deflated, each with a checksum.
  Table table(hid_t in, const char* name, hid_t type, hsize_t width) const {
    const int rank = width > 1 ? 2 : 1;
    const hsize_t size[] = {0, width};
    const hsize_t most[] = {H5S_UNLIMITED, width};
    const hsize_t chunk[] = {kChunkRows, width};
    const Handle space = must(H5Screate_simple(rank, size, most));
    const Handle properties = timeless(H5P_DATASET_CREATE);
    must(H5Pset_chunk(*properties, rank, chunk));
    if (H5Tis_variable_str(type) <= 0) {  // texts are kept elsewhere in the file, where no filter goes
      must(H5Pset_shuffle(*properties));
      must(H5Pset_deflate(*properties, kDeflate));
      must(H5Pset_fletcher32(*properties));
    }
    Table result;
    result.dataset = must(H5Dcreate2(in, name, type, *space, H5P_DEFAULT, *properties, H5P_DEFAULT));
    result.width = width;
    return result;
  }

  void append(Table& table, hid_t memory_type, const void* data, hsize_t count) const {
    const int rank = table.width > 1 ? 2 : 1;
    const hsize_t size[] = {table.rows + count, table.width};
    must(H5Dset_extent(*table.dataset, size));
    const hsize_t start[] = {table.rows, 0};
    const hsize_t extent[] = {count, table.width};
    const Handle file_space = must(H5Dget_space(*table.dataset));
    must(H5Sselect_hyperslab(*file_space, H5S_SELECT_SET, start, nullptr, extent, nullptr));
    const Handle memory_space = must(H5Screate_simple(rank, extent, nullptr));
    must(H5Dwrite(*table.dataset, memory_type, *memory_space, *file_space, H5P_DEFAULT, data));
    table.rows += count;
  }

  /// After all else of the file was given back.
  void close() {
    must(H5Fflush(*file_, H5F_SCOPE_GLOBAL));
    if (!file_.close()) { cannot_write(); }
    append_trailer(path_);
  }

  std::string path_;
  Handle file_;
};

class Hdf5Writer : Hdf5File {
 public:
  Hdf5Writer(const ResultHead& head, const std::string& path) : Hdf5File(path) {
    write_head(head);
    trajectory_ = group("trajectory");
    std::vector<std::string> names;
    std::vector<std::string> units;
    std::vector<std::string> meanings;
    for (const simulation::Column& column : head.columns) {
      names.push_back(column.name);
      units.push_back(column.unit);
      meanings.push_back(column.meaning);
    }
    attribute(*trajectory_, "columns", names);
    attribute(*trajectory_, "units", units);
    attribute(*trajectory_, "meanings", meanings);
    for (const Quantity& quantity : quantities_of(head.columns)) { add_quantity(head, quantity); }
    events_ = group("events");
    attribute(*events_, "names", head.events);
    event_index_ = table(*events_, "event", H5T_STD_U32LE, 1);
    event_row_ = table(*events_, "row", H5T_STD_U64LE, 1);
    event_t_ = table(*events_, "t_s", H5T_IEEE_F64LE, 1);
    event_e_ = table(*events_, "quaternion_wxyz", H5T_IEEE_F64LE, 4);
    event_w_ = table(*events_, "w_body_rad_s", H5T_IEEE_F64LE, 3);
    attribute(*event_index_.dataset, "description", "place in the names of this group");
    attribute(*event_row_.dataset, "description", "how many rows stand before the event");
    names_ = head.events;
  }

  void add_row(std::span<const double> row) {
    for (std::size_t i = 0; i < quantities_.size(); ++i) {
      for (const std::size_t column : quantities_[i].columns) { blocks_[i].push_back(row[column]); }
    }
    if (++waiting_ == kChunkRows) { flush(); }
  }

  void add_event(const ResultEvent& event, std::uint64_t row) {
    const auto found = std::find(names_.begin(), names_.end(), event.name);
    const auto index = static_cast<std::uint32_t>(found - names_.begin());
    if (found == names_.end()) { fail(Error(path_ + ": event '" + event.name + "' is not in the list of events")); }
    const double e[] = {event.e_NB.e0, event.e_NB.ev.x, event.e_NB.ev.y, event.e_NB.ev.z};
    const double w[] = {event.w_B.x, event.w_B.y, event.w_B.z};
    append(event_index_, H5T_NATIVE_UINT32, &index, 1);
    append(event_row_, H5T_NATIVE_UINT64, &row, 1);
    append(event_t_, H5T_NATIVE_DOUBLE, &event.t, 1);
    append(event_e_, H5T_NATIVE_DOUBLE, e, 1);
    append(event_w_, H5T_NATIVE_DOUBLE, w, 1);
  }

  void finish() {
    flush();
    tables_.clear();
    for (Table* one : {&event_index_, &event_row_, &event_t_, &event_e_, &event_w_}) { one->dataset = Handle(); }
    trajectory_ = Handle();
    events_ = Handle();
    close();
  }

 private:
  void write_head(const ResultHead& head) const {
    attribute(*file_, "format", std::string(kFormat));
    attribute(*file_, "convention", std::string(kConvention));
    attribute(*file_, "title", head.title);
    attribute(*file_, "version", head.version);
    attribute(*file_, "scenario_file", head.scenario_file);
    attribute(*file_, "scenario_sha256", head.scenario_sha256);
    if (!head.parameters.empty()) { attribute(*file_, "set", parameters_to_json(head.parameters)); }
    if (!head.laws.empty()) { attribute(*file_, "laws", head.laws); }
    attribute(*file_, "formulation", head.formulation);
    attribute(*file_, "integrator", head.integrator);
    attribute(*file_, "portable", std::string(head.portable ? "yes" : "no"));
    attribute(*file_, "epoch", head.epoch);
    attribute(*file_, "time_system", head.time_system);
    for (const auto& [key, value] : head.message) { attribute(*file_, ("aem_" + key).c_str(), value); }
    long_text("scenario", head.scenario_text);
    if (!head.bodies.empty()) { long_text("bodies", bodies_to_json(head.bodies)); }
    if (!head.joints.empty()) { long_text("joints", joints_to_json(head.joints)); }
    if (!head.scene.empty()) { long_text("scene", scene_to_json(head.scene)); }
  }

  void add_quantity(const ResultHead& head, const Quantity& quantity) {
    const hsize_t width = quantity.columns.size();
    Table one = table(*trajectory_, quantity.name.c_str(), H5T_IEEE_F64LE, width);
    std::vector<std::string> names;
    names.reserve(quantity.columns.size());
    for (const std::size_t column : quantity.columns) { names.push_back(head.columns[column].name); }
    const simulation::Column& first = head.columns[quantity.columns.front()];
    attribute(*one.dataset, "columns", names);
    attribute(*one.dataset, "unit", first.unit);
    attribute(*one.dataset, "description", first.meaning.substr(0, first.meaning.find(", x of ")));
    if (const std::string frame = frame_of(quantity.name); !frame.empty()) { attribute(*one.dataset, "frame", frame); }
    quantities_.push_back(quantity);
    tables_.push_back(std::move(one));
    blocks_.emplace_back().reserve(kChunkRows * width);
  }

  void flush() {
    if (waiting_ == 0) { return; }
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      append(tables_[i], H5T_NATIVE_DOUBLE, blocks_[i].data(), waiting_);
      blocks_[i].clear();
    }
    waiting_ = 0;
  }

  Handle trajectory_;
  Handle events_;
  std::vector<Quantity> quantities_;
  std::vector<Table> tables_;
  std::vector<std::vector<double>> blocks_;  ///< rows that wait, one block a table
  std::size_t waiting_ = 0;
  Table event_index_;
  Table event_row_;
  Table event_t_;
  Table event_e_;
  Table event_w_;
  std::vector<std::string> names_;  ///< of events
};

std::uint64_t write_hdf5(const OpenResult& open, const ResultOutput& output) {
  if (output.path.empty()) {
    fail(Error(Problem{.what = "HDF5 is written back and forth in a file, not to standard output",
                       .allowed = {},
                       .cure = "give -o FILE"}));
  }
  const std::unique_ptr<ResultReader> result = open();
  Hdf5Writer writer(result->head(), output.path);
  while (true) {
    const ResultReader::Item item = result->next();
    if (item == ResultReader::Item::end) { break; }
    if (item == ResultReader::Item::row) { writer.add_row(result->row()); }
    if (item == ResultReader::Item::event) { writer.add_event(result->event(), result->rows()); }
  }
  writer.finish();
  return result->rows();
}

// ---- reading --------------------------------------------------------------------------------------------------------

/// What the library itself does with a file whose tables were forged is the library's: it may end the process. A
/// program that is given files by strangers reads them in a process of its own. What can be seen from outside the
/// library is checked here: links and data stay inside the file, and no number of rows is believed that its bytes
/// cannot hold.
class Hdf5Reader final : public ResultReader {
 public:
  explicit Hdf5Reader(const std::string& path) : ResultReader(path), size_(SourceFile(path).size()) {
    if (is_damaged(path)) { damaged("its bytes do not have the checksum at its end: it is damaged"); }
    set_library_up();
    file_ = Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, *file_access()));
    if (!file_.there()) {
      const std::string why = cause();
      damaged("cannot be opened: " + (why.empty() ? "its HDF5 is damaged" : why));
    }
    if (text(*file_, "format") != kFormat) {
      fail(Error(Problem{.what = path + " is HDF5, but not a result that this version wrote",
                         .allowed = "wanted: the attribute format = \"" + std::string(kFormat) + "\"",
                         .cure = {}}));
    }
    read_head();
    read_columns();
    read_events();
    row_.resize(head_.columns.size());
  }
  std::uint64_t done() const override { return given_ * row_.size() * sizeof(double); }
  std::uint64_t total() const override { return count_ * row_.size() * sizeof(double); }

 private:
  struct Source {
    Handle dataset;
    std::vector<std::size_t> columns;
    std::vector<double> block;
  };

  Item take() override {
    if (next_event_ < events_.size() && (rows_before_[next_event_] <= given_ || given_ == count_)) {
      event_ = events_[next_event_++];
      return Item::event;
    }
    if (given_ == count_) { return Item::end; }
    const std::size_t at = given_ % kChunkRows;
    if (at == 0) { read_block(); }
    for (const Source& source : sources_) {
      const std::size_t width = source.columns.size();
      for (std::size_t k = 0; k < width; ++k) { row_[source.columns[k]] = source.block[at * width + k]; }
    }
    ++given_;
    return Item::row;
  }
  Location location() const override { return {file_name(), 0, 0}; }
  const std::string& file_name() const { return ResultReader::file_; }

  [[noreturn]] void damaged(const std::string& what) const {
    fail(Error(Problem{.what = file_name() + ": " + what, .allowed = {}, .cure = {}}));
  }

  std::vector<std::string> texts(hid_t of, const char* name) const {
    const Handle attribute(H5Aopen(of, name, H5P_DEFAULT));
    if (!attribute.there()) { damaged(fmt::format("there is no attribute '{}'", name)); }
    return strings(*attribute, H5Aget_space, H5Aget_type, name,
                   [&](hid_t type, char** to) { return H5Aread(*attribute, type, static_cast<void*>(to)); });
  }
  std::string text(hid_t of, const char* name) const {
    if (H5Aexists(of, name) <= 0) { return {}; }
    const std::vector<std::string> all = texts(of, name);
    return all.size() == 1 ? all.front() : "";
  }
  /// Strings of any length, of an attribute or a dataset; none where it holds something else.
  template <class Read>
  std::vector<std::string> strings(hid_t of, hid_t (*space_of)(hid_t), hid_t (*type_of)(hid_t), const char* name,
                                   const Read& read) const {
    const Handle space(space_of(of));
    const Handle type(type_of(of));
    if (H5Tget_class(*type) != H5T_STRING || H5Tis_variable_str(*type) <= 0) { return {}; }
    const hssize_t count = H5Sget_simple_extent_npoints(*space);
    if (count <= 0) { return {}; }
    if (static_cast<std::uint64_t>(count) > size_) { damaged(fmt::format("'{}' cannot have {} texts", name, count)); }
    std::vector<char*> bytes(static_cast<std::size_t>(count), nullptr);
    const Handle memory = text_type();
    if (read(*memory, bytes.data()) < 0) { damaged(fmt::format("'{}' cannot be read: {}", name, cause())); }
    std::vector<std::string> list;
    list.reserve(bytes.size());
    for (const char* one : bytes) { list.emplace_back(one == nullptr ? "" : one); }
    H5Dvlen_reclaim(*memory, *space, H5P_DEFAULT, static_cast<void*>(bytes.data()));
    return list;
  }

  void read_head() {
    head_.title = text(*file_, "title");
    head_.version = text(*file_, "version");
    head_.scenario_file = text(*file_, "scenario_file");
    head_.scenario_sha256 = text(*file_, "scenario_sha256");
    if (H5Aexists(*file_, "set") > 0) { head_.parameters = parameters_from_json(text(*file_, "set"), location()); }
    if (H5Aexists(*file_, "laws") > 0) { head_.laws = texts(*file_, "laws"); }
    head_.formulation = text(*file_, "formulation");
    head_.integrator = text(*file_, "integrator");
    head_.portable = text(*file_, "portable") != "no";
    head_.epoch = text(*file_, "epoch");
    head_.time_system = text(*file_, "time_system");
    for (const MessageKey& key : kMessageKeys) {
      const std::string name = "aem_" + std::string(key.name);
      if (H5Aexists(*file_, name.c_str()) > 0) { head_.message.emplace_back(key.name, text(*file_, name.c_str())); }
    }
    head_.scenario_text = long_text("scenario");
    if (H5Lexists(*file_, "bodies", H5P_DEFAULT) > 0) {
      head_.bodies = bodies_from_json(long_text("bodies"), location());
    }
    if (H5Lexists(*file_, "joints", H5P_DEFAULT) > 0) {
      head_.joints = joints_from_json(long_text("joints"), location());
    }
    if (H5Lexists(*file_, "scene", H5P_DEFAULT) > 0) { head_.scene = scene_from_json(long_text("scene"), location()); }
  }
  std::string long_text(const char* name) const {
    const Handle dataset = open_dataset(name);
    const std::vector<std::string> texts =
        strings(*dataset, H5Dget_space, H5Dget_type, name, [&](hid_t type, char** to) {
          return H5Dread(*dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, static_cast<void*>(to));
        });
    return texts.size() == 1 ? texts.front() : "";
  }

  /// Fails where a part of the way to an object is no link inside this file.
  void require_inside(const std::string& name) const {
    for (std::size_t end = name.find('/'); true; end = name.find('/', end + 1)) {
      const std::string part = name.substr(0, end);
      H5L_info_t link;
      if (H5Lget_info(*file_, part.c_str(), &link, H5P_DEFAULT) < 0) { damaged(fmt::format("there is no '{}'", name)); }
      if (link.type != H5L_TYPE_HARD) { damaged(fmt::format("'{}' is a link to somewhere else", part)); }
      if (end == std::string::npos) { return; }
    }
  }
  Handle open_dataset(const std::string& name) const {
    require_inside(name);
    Handle dataset(H5Dopen2(*file_, name.c_str(), H5P_DEFAULT));
    if (!dataset.there()) { damaged(fmt::format("there is no '{}'", name)); }
    const Handle properties(H5Dget_create_plist(*dataset));
    if (H5Pget_layout(*properties) == H5D_VIRTUAL || H5Pget_external_count(*properties) != 0) {
      damaged(fmt::format("the data of '{}' are in another file", name));
    }
    return dataset;
  }
  Handle open_group(const char* name) const {
    require_inside(name);
    Handle group(H5Gopen2(*file_, name, H5P_DEFAULT));
    if (!group.there()) { damaged(fmt::format("there is no '{}'", name)); }
    return group;
  }
  /// Rows of a dataset of `width` numbers each.
  std::uint64_t rows_of(const Handle& dataset, const std::string& name, hsize_t width) const {
    const Handle space(H5Dget_space(*dataset));
    hsize_t size[2] = {0, 1};
    const int rank = H5Sget_simple_extent_ndims(*space);
    if (rank < 1 || rank > 2 || H5Sget_simple_extent_dims(*space, size, nullptr) < 0 || size[1] != width) {
      damaged(fmt::format("'{}' does not have rows of {} numbers", name, width));
    }
    constexpr std::uint64_t kMostRowsInByte = 138;  // deflate makes of 1032 bytes one, and a number has eight
    if (size[0] > kMostRowsInByte * size_) {
      damaged(fmt::format("'{}' cannot have {}", name, counted(size[0], "row")));
    }
    require_chunks(*dataset, *space, name, rank, size);
    return size[0];
  }
  /// Fails where rows would be made up because they are not in the file.
  void require_chunks(hid_t dataset, hid_t space, const std::string& name, int rank, const hsize_t* size) const {
#if H5_VERSION_GE(1, 10, 5)
    const Handle properties(H5Dget_create_plist(dataset));
    hsize_t chunk[2] = {1, 1};
    if (H5Pget_layout(*properties) != H5D_CHUNKED || size[0] == 0) { return; }
    hsize_t wanted = 1;
    const bool readable = H5Pget_chunk(*properties, rank, chunk) == rank;
    for (int i = 0; readable && i < rank; ++i) { wanted *= (size[i] + chunk[i] - 1) / std::max<hsize_t>(1, chunk[i]); }
    hsize_t found = 0;
    if (!readable || H5Dget_num_chunks(dataset, space, &found) < 0 || found != wanted) {
      damaged(fmt::format("of '{}' some rows are not in the file", name));
    }
#endif
  }

  void read_columns() {
    const Handle group = open_group("trajectory");
    const std::vector<std::string> names = texts(*group, "columns");
    const std::vector<std::string> units = texts(*group, "units");
    const std::vector<std::string> meanings = texts(*group, "meanings");
    if (units.size() != names.size() || meanings.size() != names.size()) {
      damaged("columns, units and meanings differ in number");
    }
    for (std::size_t i = 0; i < names.size(); ++i) { head_.columns.push_back({names[i], units[i], meanings[i]}); }
    std::optional<std::uint64_t> count;
    for (Quantity& quantity : quantities_of(head_.columns)) {
      const std::string name = "trajectory/" + quantity.name;
      Source source;
      source.dataset = open_dataset(name);
      const std::uint64_t rows = rows_of(source.dataset, name, quantity.columns.size());
      if (count && rows != *count) {
        damaged(fmt::format("'{}' has {}, others have {}", name, counted(rows, "row"), *count));
      }
      count = rows;
      source.block.resize(kChunkRows * quantity.columns.size());
      source.columns = std::move(quantity.columns);
      sources_.push_back(std::move(source));
    }
    count_ = count.value_or(0);
  }

  template <class T>
  std::vector<T> all_of(const std::string& name, hid_t memory_type, hsize_t width, std::optional<std::uint64_t> rows) {
    const Handle dataset = open_dataset(name);
    const std::uint64_t count = rows_of(dataset, name, width);
    if (rows && count != *rows) {
      damaged(fmt::format("'{}' has {}, others have {}", name, counted(count, "row"), *rows));
    }
    std::vector<T> values(count * width);
    if (count > 0 && H5Dread(*dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) {
      damaged(fmt::format("'{}' cannot be read: {}", name, cause()));
    }
    return values;
  }

  void read_events() {
    const Handle group = open_group("events");
    head_.events = texts(*group, "names");
    const auto index = all_of<std::uint32_t>("events/event", H5T_NATIVE_UINT32, 1, {});
    const std::uint64_t count = index.size();
    rows_before_ = all_of<std::uint64_t>("events/row", H5T_NATIVE_UINT64, 1, count);
    const auto t = all_of<double>("events/t_s", H5T_NATIVE_DOUBLE, 1, count);
    const auto e = all_of<double>("events/quaternion_wxyz", H5T_NATIVE_DOUBLE, 4, count);
    const auto w = all_of<double>("events/w_body_rad_s", H5T_NATIVE_DOUBLE, 3, count);
    for (std::size_t i = 0; i < count; ++i) {
      if (index[i] >= head_.events.size()) { damaged(fmt::format("event {} has no name", i)); }
      events_.push_back({head_.events[index[i]],
                         t[i],
                         {e[4 * i], {e[4 * i + 1], e[4 * i + 2], e[4 * i + 3]}},
                         {w[3 * i], w[3 * i + 1], w[3 * i + 2]}});
    }
  }

  void read_block() {
    for (Source& source : sources_) {
      const hsize_t start[] = {given_, 0};
      const hsize_t extent[] = {std::min<std::uint64_t>(kChunkRows, count_ - given_), source.columns.size()};
      const int rank = extent[1] > 1 ? 2 : 1;
      const Handle file_space(H5Dget_space(*source.dataset));
      const Handle memory_space(H5Screate_simple(rank, extent, nullptr));
      if (H5Sselect_hyperslab(*file_space, H5S_SELECT_SET, start, nullptr, extent, nullptr) < 0 ||
          H5Dread(*source.dataset, H5T_NATIVE_DOUBLE, *memory_space, *file_space, H5P_DEFAULT, source.block.data()) <
              0) {
        damaged(fmt::format("rows from {} on cannot be read: {}", given_ + 1, cause()));
      }
    }
  }

  std::uint64_t size_;  ///< bytes of the file
  Handle file_;
  std::vector<Source> sources_;
  std::uint64_t count_ = 0;
  std::uint64_t given_ = 0;
  std::vector<ResultEvent> events_;
  std::vector<std::uint64_t> rows_before_;
  std::size_t next_event_ = 0;
};

}  // namespace

extern const ResultWriter kWriter_hdf5{
    "hdf5",     "results.h5", "one compressed dataset a quantity, with units and frames, for h5py and MATLAB",
    write_hdf5, nullptr,      nullptr};
extern const ResultFormat kReader_hdf5{
    "hdf5", [](std::string_view bytes) { return bytes.starts_with("\x89HDF\r\n\x1a\n"); },
    [](const std::string& path) -> std::unique_ptr<ResultReader> { return std::make_unique<Hdf5Reader>(path); }};

// ---- tables ---------------------------------------------------------------------------------------------------------

struct Hdf5Table::Data : Hdf5File {
  Data(const TableHead& head, const std::string& path) : Hdf5File(path), columns(head.columns), blocks(columns.size()) {
    attribute(*file_, "format", std::string("polhode table 1"));
    attribute(*file_, "convention", std::string(kConvention));
    attribute(*file_, "title", head.title);
    attribute(*file_, "version", head.version);
    attribute(*file_, "scenario_file", head.scenario_file);
    attribute(*file_, "scenario_sha256", head.scenario_sha256);
    for (const auto& [name, text] : head.facts) { attribute(*file_, name.c_str(), text); }
    const Handle all = group("table");
    std::vector<std::string> names;
    std::set<std::string> taken;
    for (const TableColumn& column : columns) {
      std::string name = column.name;
      std::replace(name.begin(), name.end(), '/', '_');
      if (name.empty() || name == "." || !taken.insert(name).second) { name = fmt::format("column_{}", names.size()); }
      const Handle type = column.holds == TableColumn::Holds::words           ? text_type()
                          : column.holds == TableColumn::Holds::whole_numbers ? Handle(H5Tcopy(H5T_STD_U64LE))
                                                                              : Handle(H5Tcopy(H5T_IEEE_F64LE));
      tables.push_back(table(*all, name.c_str(), *type, 1));
      attribute(*tables.back().dataset, "unit", column.unit);
      attribute(*tables.back().dataset, "description", column.meaning);
      names.push_back(name);
    }
    attribute(*all, "columns", names);
  }

  void flush() {
    for (std::size_t i = 0; i < columns.size() && !blocks[i].empty(); ++i) { write_block(i); }
  }

  void finish(std::string_view name, std::string_view text) {
    flush();
    if (!name.empty()) { attribute(*file_, std::string(name).c_str(), std::string(text)); }
    tables.clear();
    close();
  }

  std::vector<TableColumn> columns;
  std::vector<Table> tables;
  std::vector<std::vector<TableCell>> blocks;  ///< rows that wait, by column

 private:
  void write_block(std::size_t i) {
    const std::vector<TableCell>& cells = blocks[i];
    const auto of = [&](auto otherwise, auto&& convert) {
      std::vector<decltype(otherwise)> values;
      values.reserve(cells.size());
      for (const TableCell& cell : cells) { values.push_back(convert(cell, otherwise)); }
      return values;
    };
    if (columns[i].holds == TableColumn::Holds::words) {
      const auto values = of("", [](const TableCell& cell, const char* otherwise) {
        const auto* words = std::get_if<std::string>(&cell);
        return words != nullptr ? words->c_str() : otherwise;
      });
      const Handle type = text_type();
      append(tables[i], *type, static_cast<const void*>(values.data()), values.size());
    } else if (columns[i].holds == TableColumn::Holds::whole_numbers) {
      const auto values = of(std::uint64_t{0}, [](const TableCell& cell, std::uint64_t otherwise) {
        const auto* n = std::get_if<std::uint64_t>(&cell);
        return n != nullptr ? *n : otherwise;
      });
      append(tables[i], H5T_NATIVE_UINT64, values.data(), values.size());
    } else {
      const auto values = of(std::numeric_limits<double>::quiet_NaN(), [](const TableCell& cell, double otherwise) {
        const auto* x = std::get_if<double>(&cell);
        return x != nullptr ? *x : otherwise;
      });
      append(tables[i], H5T_NATIVE_DOUBLE, values.data(), values.size());
    }
    blocks[i].clear();
  }
};

Hdf5Table::Hdf5Table(const TableHead& head, const std::string& path) : data_(std::make_unique<Data>(head, path)) {}
Hdf5Table::~Hdf5Table() = default;

void Hdf5Table::row(std::span<const TableCell> row) {
  for (std::size_t i = 0; i < data_->columns.size(); ++i) { data_->blocks[i].push_back(row[i]); }
  if (data_->blocks[0].size() == kChunkRows) { data_->flush(); }
}

void Hdf5Table::finish(std::string_view name, std::string_view text) { data_->finish(name, text); }

void require_hdf5() {}

}  // namespace polhode::io
