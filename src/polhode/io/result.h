#pragma once

#include "polhode/body/outline.h"
#include "polhode/core/error.h"
#include "polhode/formula/number.h"
#include "polhode/io/result_log.h"

#include <memory>
#include <optional>
#include <utility>

/// Result files: one form in memory, item by item, and a reader and a writer for each format.
namespace polhode::io {

/// A body as pictures show it.
struct PicturedBody {
  std::string name;
  double mass = 0;
  Vec3<double> reference_B{};  ///< the point that rows speak of: the mass centre, or the point where the body is held
  bool held = false;
  Mat3<double> J_B{};  ///< about that point, kg m²
  std::vector<Outline> outlines;
  bool shaped = true;  ///< false: known by its moments alone, and the outline, which has them, is not how it looks

  friend bool operator==(const PicturedBody&, const PicturedBody&) = default;
};

/// A joint as pictures show it: a frame on each of two bodies, by their index in the list of bodies.
struct PicturedJoint {
  std::string name;
  std::string kind;  ///< of multibody/joints.def
  int first = -1;    ///< -1: the ground
  int second = 0;
  Vec3<double> r_first{};  ///< from the origin of the body's frame (of space, on the ground), in its components
  EulerParameters<double> e_first = EulerParameters<double>::identity();  ///< joint frame to body frame
  Vec3<double> r_second{};
  EulerParameters<double> e_second = EulerParameters<double>::identity();

  friend bool operator==(const PicturedJoint&, const PicturedJoint&) = default;
};

/// A spring or a bushing as pictures show it: a point on each of two bodies, by their index in the list of bodies.
struct PicturedSpring {
  std::string kind = "spring";  ///< or "bushing"
  int first = -1;               ///< -1: the ground
  Vec3<double> on_first{};      ///< from the origin of the body's frame (of space, on the ground), in its components
  int second = -1;
  Vec3<double> on_second{};

  friend bool operator==(const PicturedSpring&, const PicturedSpring&) = default;
};

struct PicturedPlane {
  Vec3<double> point;
  Vec3<double> normal;

  friend bool operator==(const PicturedPlane&, const PicturedPlane&) = default;
};

/// What a picture shows besides bodies and joints.
struct PicturedScene {
  std::optional<Vec3<double>> up_N;    ///< against gravity, or off the floor; of any length
  std::optional<PicturedPlane> floor;  ///< something rolls on it
  std::vector<PicturedSpring> springs;
  std::vector<PicturedPlane> other_floors{};  ///< other planes that something rolls on; none where there is no floor

  bool empty() const { return !up_N && !floor && springs.empty(); }
  friend bool operator==(const PicturedScene&, const PicturedScene&) = default;
};

/// What stands at the head of every result: where it comes from and how to read it.
struct ResultHead {
  std::string title;
  std::string scenario_file;  ///< its name, without folders
  std::string scenario_text;
  std::string scenario_sha256;
  Named<double> parameters;       ///< values given in place of the scenario's own (--set)
  std::vector<std::string> laws;  ///< names of what acted as code of the program that ran it
  std::string version;            ///< of the program
  std::string formulation;
  std::string integrator;
  bool portable = true;             ///< the same bits on every machine
  std::string epoch;                ///< "2026-01-31T12:00:00.5" at t = 0, or "" where none is known
  std::string time_system = "UTC";  ///< of the epoch
  /// What only an attitude message asks for: ("object_id", "2026-001A"); see kMessageKeys.
  std::vector<std::pair<std::string, std::string>> message;
  std::vector<simulation::Column> columns;
  std::vector<std::string> events;  ///< their names
  std::vector<PicturedBody> bodies;
  std::vector<PicturedJoint> joints;
  PicturedScene scene;
  /// Of a run that has ended, as JSON; "" where none is known. For pages: the header of a log does not hold it.
  std::string certificate_json;

  /// Index of a column in a row; fails where there is none of this name.
  std::size_t column(std::string_view name) const;
  /// Whether its columns are those of a mechanism: NAME.e0 for every body.
  bool is_mechanism() const;
  /// The scenario in a command that makes this result again: its file, with --set for parameters.
  std::string scenario_arguments() const;
  /// Of `message`, or `otherwise`.
  std::string message_value(std::string_view key, std::string_view otherwise) const;
};

/// The keys of [aem] in a scenario and of ResultHead::message, with what they mean.
struct MessageKey {
  std::string_view name;
  std::string_view meaning;
};
inline constexpr MessageKey kMessageKeys[] = {
    {"object_name", "OBJECT_NAME; the title if not given"},
    {"object_id", "OBJECT_ID, by habit the international designator; UNKNOWN if not given"},
    {"originator", "ORIGINATOR; POLHODE if not given"},
    {"center_name", "CENTER_NAME; left out if not given"},
    {"ref_frame_a", "REF_FRAME_A, what our space frame is; EME2000 if not given"},
    {"ref_frame_b", "REF_FRAME_B, what our body frame is; SC_BODY_1 if not given"},
    {"attitude_type", "ATTITUDE_TYPE: QUATERNION, or QUATERNION/DERIVATIVE with the rates; QUATERNION if not given"},
};

/// The convention of every file, in one line.
inline constexpr std::string_view kConvention =
    "Euler parameters scalar first, Hamilton product, body to space; SI units and radians; _body and _space say whose "
    "components";

/// The header of a log, and back.
std::string to_json(const ResultHead& head);
ResultHead head_from_json(const std::string& json_text, const std::string& file);

/// An event of a run as result files tell it.
struct ResultEvent {
  std::string name;
  double t = 0;
  EulerParameters<double> e_NB;
  Vec3<double> w_B;
};

/// A result file, item by item in the order of the run: memory does not grow with the number of rows. Fails where the
/// file is damaged, with its name and the location.
class ResultReader {
 public:
  explicit ResultReader(std::string file) : file_(std::move(file)) {}
  virtual ~ResultReader() = default;
  ResultReader(const ResultReader&) = delete;
  ResultReader& operator=(const ResultReader&) = delete;

  const std::string& file() const { return file_; }
  const ResultHead& head() const { return head_; }
  ResultHead& head() { return head_; }

  enum class Item { row, event, end };
  /// The next item; row() or event() holds it until the next call. Every number is finite, time never goes back.
  Item next();
  std::span<const double> row() const { return row_; }
  const ResultEvent& event() const { return event_; }
  std::uint64_t rows() const { return rows_; }
  std::uint64_t events() const { return events_; }
  /// What a user should be told about the file; complete after the end.
  const std::vector<std::string>& notes() const { return notes_; }

  /// How far it is, in bytes.
  virtual std::uint64_t done() const = 0;
  virtual std::uint64_t total() const = 0;

  /// To be called once, when the columns are known to be there.
  void find_time() { time_column_ = head_.column("t_s"); }

 protected:
  /// Puts a row into row_ or an event into event_.
  virtual Item take() = 0;
  /// Of the last item.
  virtual Location location() const = 0;

  std::string file_;
  ResultHead head_;
  std::vector<double> row_;
  ResultEvent event_;
  std::vector<std::string> notes_;

 private:
  std::uint64_t rows_ = 0;
  std::uint64_t events_ = 0;
  std::size_t time_column_ = 0;
  double t_ = 0;
};

/// Opens a result anew; a writer that must look ahead calls it twice.
using OpenResult = std::function<std::unique_ptr<ResultReader>()>;

/// Receives pieces of text.
using Write = std::function<void(std::string_view)>;

/// Where a writer puts its bytes: `write` one after the other, or into the file at `path` ("" where there is none, as
/// for standard output), which the caller has made and will give its name.
struct ResultOutput {
  Write write;
  std::string path;
};

/// A format that results are written in: a file result_NAME.cpp and a line in writers.def.
struct ResultWriter {
  std::string_view name;       ///< "csv"
  std::string_view file_name;  ///< "results.csv"
  std::string_view summary;
  /// Returns how many rows it has written.
  std::uint64_t (*write)(const OpenResult& open, const ResultOutput& output);
  /// Fails where a result with this head cannot be written, with the cure. May be null.
  void (*check)(const ResultHead& head);
  /// Whether the format has room for a column. Null: for every one, and for events.
  bool (*keeps)(const ResultHead& head, std::string_view column);
};

const std::vector<const ResultWriter*>& result_writers();
/// By name; fails with the nearest.
const ResultWriter& result_writer(std::string_view name);

/// A format that results are read from: a function in result_NAME.cpp and a line in readers.def.
struct ResultFormat {
  std::string_view name;
  /// Whether a file that begins like this is one.
  bool (*begins)(std::string_view bytes);
  std::unique_ptr<ResultReader> (*open)(const std::string& path);
};

const std::vector<const ResultFormat*>& result_formats();
/// What a file is, by its content. Fails where it is none of them.
const ResultFormat& result_format_of(const std::string& path);
/// Opens a result of any format. Fails where it lacks time or attitude.
std::unique_ptr<ResultReader> open_result(const std::string& path);

// ---- for the formats ------------------------------------------------------------------------------------------------

/// The shortest decimal form that reads back to the same bits.
void append_number(std::string& to, double x);
/// Masses and shapes in one line, and back.
std::string bodies_to_json(const std::vector<PicturedBody>& bodies);
std::vector<PicturedBody> bodies_from_json(std::string_view text, const Location& where);
std::string joints_to_json(const std::vector<PicturedJoint>& joints);
std::vector<PicturedJoint> joints_from_json(std::string_view text, const Location& where);
std::string scene_to_json(const PicturedScene& scene);
PicturedScene scene_from_json(std::string_view text, const Location& where);
/// Values given for parameters, in one line: {"spin":20.0}.
std::string parameters_to_json(const Named<double>& parameters);
Named<double> parameters_from_json(std::string_view text, const Location& where);
/// Unit of a column by the end of its name: "wx_body_rad_s" has "rad/s". "1" where it has none.
std::string unit_of(std::string_view column);
/// A file open for reading; fails naming it and the cause.
class SourceFile {
 public:
  explicit SourceFile(const std::string& path);
  ~SourceFile();
  SourceFile(const SourceFile&) = delete;
  SourceFile& operator=(const SourceFile&) = delete;
  /// Up to `size` bytes; 0 at the end.
  std::size_t read(char* to, std::size_t size);
  void go_to(std::uint64_t position);
  std::uint64_t size() const { return size_; }
  std::uint64_t position() const { return position_; }

 private:
  std::string path_;
  std::FILE* file_;
  std::uint64_t size_ = 0;
  std::uint64_t position_ = 0;
};

}  // namespace polhode::io
