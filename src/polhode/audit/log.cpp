#include "polhode/audit/log.h"

#include "polhode/core/counted.h"
#include "polhode/rotation/vector_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

namespace polhode::audit {
namespace {

using Names = std::vector<std::string>;
using Indices = std::vector<std::size_t>;

/// Times and rates beyond this are slips of the pen, and their squares must not overflow.
constexpr double kLargest = 1e30;

Names split(std::string_view text) {
  Names words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) { words.emplace_back(text.substr(0, end)); }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

/// A name as it is looked up: small letters, '_' for marks between words, without its unit.
struct PlainName {
  std::string text;
  bool degrees = false;
};
PlainName plain(std::string_view name) {
  PlainName result;
  for (const char c : name) {
    const char small = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const bool letter = (small >= 'a' && small <= 'z') || (small >= '0' && small <= '9');
    if (letter) {
      result.text += small;
    } else if (!result.text.empty() && result.text.back() != '_') {
      result.text += '_';
    }
  }
  while (result.text.ends_with('_')) { result.text.pop_back(); }
  for (const std::string_view unit : {"_deg_s", "_degps", "_dps", "_deg_per_s"}) {
    if (result.text.ends_with(unit)) {
      result.text.resize(result.text.size() - unit.size());
      result.degrees = true;
    }
  }
  for (const std::string_view unit : {"_rad_s", "_radps", "_rad_per_s", "_s", "_sec", "_seconds"}) {
    if (result.text.ends_with(unit) && result.text.size() > unit.size()) {
      result.text.resize(result.text.size() - unit.size());
    }
  }
  return result;
}

/// Finds columns in a header.
class Header {
 public:
  explicit Header(const Names& names) {
    for (const std::string& name : names) { names_.push_back(plain(name)); }
  }

  bool find(std::string_view name, std::size_t& index) const {
    const auto found =
        std::find_if(names_.begin(), names_.end(), [&](const PlainName& known) { return known.text == name; });
    index = static_cast<std::size_t>(found - names_.begin());
    return found != names_.end();
  }
  /// All of `names`, or nothing.
  bool find_all(const Names& names, Indices& indices) const {
    indices.resize(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!find(names[i], indices[i])) { return false; }
    }
    return !names.empty();
  }
  /// prefix + "" or "_" + each of `endings`.
  bool find_family(std::string_view prefix, const Names& endings, Indices& indices) const {
    for (const std::string_view joint : {"", "_"}) {
      if (prefix.empty() && !joint.empty()) { continue; }
      Names names;
      for (const std::string& ending : endings) { names.push_back(fmt::format("{}{}{}", prefix, joint, ending)); }
      if (find_all(names, indices)) { return true; }
    }
    return false;
  }
  bool degrees(std::size_t index) const { return names_[index].degrees; }

 private:
  std::vector<PlainName> names_;
};

/// A unit of time at the end of a name. Times are multiplied and divided by whole numbers, which is exact where it can.
struct TimeUnit {
  std::string_view name;
  double times = 1;
  double by = 1;
};
constexpr std::array<TimeUnit, 11> kTimeUnits{{{"_ms", 1, 1e3},
                                               {"_msec", 1, 1e3},
                                               {"_milliseconds", 1, 1e3},
                                               {"_us", 1, 1e6},
                                               {"_usec", 1, 1e6},
                                               {"_microseconds", 1, 1e6},
                                               {"_ns", 1, 1e9},
                                               {"_nsec", 1, 1e9},
                                               {"_nanoseconds", 1, 1e9},
                                               {"_min", 60, 1},
                                               {"_minutes", 60, 1}}};
/// The unit that a plain name ends with; seconds where it says none.
TimeUnit time_unit_of(std::string_view name) {
  for (const TimeUnit& unit : kTimeUnits) {
    if (name.ends_with(unit.name)) { return unit; }
  }
  return {};
}

/// Which columns hold what.
struct Layout {
  std::size_t time = 0;
  Indices quaternion;
  Indices rates;
  TimeUnit time_unit{};
};

const Names& quaternion_words() {
  static const Names kWords{"q",        "quat", "quaternion", "orientation", "pose_orientation",
                            "rotation", "rot",  "attitude",   "e",           "ep",
                            "ori",      ""};
  return kWords;
}

bool find_quaternion(const Header& header, const LogMap& map, Indices& found, std::optional<Order>& said) {
  if (header.find_all(split(map.quaternion), found)) { return true; }
  if (map.mrp) {
    return header.find_family("sigma", {"1", "2", "3"}, found) || header.find_family("sigma", {"0", "1", "2"}, found) ||
           header.find_family("mrp", {"1", "2", "3"}, found) || header.find_family("mrp", {"0", "1", "2"}, found);
  }
  for (const std::string& word : quaternion_words()) {
    if (header.find_family(word, {"w", "x", "y", "z"}, found)) {
      // letters say which is the scalar; the numbers stay in the order of the file
      said = found[0] > found[1] ? Order::xyzw : Order::wxyz;
      if (said == Order::xyzw) { std::rotate(found.begin(), found.begin() + 1, found.end()); }
      return true;
    }
  }
  if (header.find_all({"q1", "q2", "q3", "qc"}, found)) {
    said = found[3] < found[0] ? Order::wxyz : Order::xyzw;
    if (said == Order::wxyz) { std::rotate(found.begin(), found.begin() + 3, found.end()); }
    return true;
  }
  for (const std::string& word : quaternion_words()) {
    if (word.empty()) { continue; }
    if (header.find_family(word, {"0", "1", "2", "3"}, found) ||
        header.find_family(word, {"1", "2", "3", "4"}, found)) {
      return true;
    }
  }
  return false;
}

bool find_rates(const Header& header, const LogMap& map, Indices& found, std::optional<RateFrame>& said) {
  if (header.find_all(split(map.rates), found)) { return true; }
  struct FrameWord {
    std::string_view word;
    std::optional<RateFrame> frame;
  };
  static const std::array<FrameWord, 10> kFrames{{{"", {}},
                                                  {"_body", RateFrame::body},
                                                  {"_b", RateFrame::body},
                                                  {"_local", RateFrame::body},
                                                  {"_bn_b", RateFrame::body},
                                                  {"_space", RateFrame::space},
                                                  {"_n", RateFrame::space},
                                                  {"_world", RateFrame::space},
                                                  {"_inertial", RateFrame::space},
                                                  {"_global", RateFrame::space}}};
  static const std::array<Names, 3> kEndings{{{"x", "y", "z"}, {"1", "2", "3"}, {"0", "1", "2"}}};
  for (const std::string_view word :
       {"w", "omega", "angvel", "ang_vel", "angular_velocity", "twist_angular", "gyro", "rate", "av"}) {
    for (const FrameWord& frame : kFrames) {
      for (const Names& endings : kEndings) {
        if (header.find_family(fmt::format("{}{}", word, frame.word), endings, found)) {
          said = frame.frame;
          return true;
        }
        // the frame may stand last: w_x_body
        Names names;
        for (const std::string& ending : endings) { names.push_back(fmt::format("{}{}{}", word, ending, frame.word)); }
        Names parted;
        for (const std::string& ending : endings) {
          parted.push_back(fmt::format("{}_{}{}", word, ending, frame.word));
        }
        if (!frame.word.empty() && (header.find_all(names, found) || header.find_all(parted, found))) {
          said = frame.frame;
          return true;
        }
      }
    }
  }
  if (header.find_all({"p", "q", "r"}, found)) {
    said = RateFrame::body;
    return true;
  }
  return false;
}

[[noreturn]] void refuse(const std::string& file, int line, std::string what, std::string allowed, std::string cure) {
  fail(Error(Problem{
      .what = std::move(what), .allowed = std::move(allowed), .cure = std::move(cure), .where = {file, line, 1}}));
}

constexpr const char* kNameThem = "or name them: --columns t,qw,qx,qy,qz,wx,wy,wz";

/// Names of a header for a message: not longer than a line can bear.
std::string listed(const Names& names) {
  constexpr std::size_t kMost = 12;
  std::string text;
  constexpr std::size_t kLongest = 40;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i) {
    text += ' ' + (names[i].size() > kLongest ? names[i].substr(0, kLongest) + "..." : names[i]);
  }
  return names.size() > kMost ? text + " ..." : text;
}

/// Columns that the caller names himself.
Layout layout_named(const std::string& file, int line, const Names& header, const LogColumns& columns,
                    const LogMap& map, Convention& assumed) {
  const std::size_t attitude = map.mrp ? 3 : 4;
  const Names& names = columns.names;
  if (names.size() != 4 + attitude) {
    fail(Error(Problem{.what = "--columns names " + counted(names.size(), "column"),
                       .allowed = fmt::format("{} needed: time, {} of the attitude, 3 rates", 4 + attitude, attitude),
                       .cure = "such as: --columns t,qw,qx,qy,qz,wx,wy,wz"}));
  }
  Indices found;
  for (const std::string& name : names) {
    const auto at = std::find_if(header.begin(), header.end(),
                                 [&](const std::string& known) { return plain(known).text == plain(name).text; });
    if (at == header.end()) {
      Problem problem = unknown_name("column", name, {header.begin(), header.end()});
      problem.where = {file, line, 1};
      fail(Error(std::move(problem)));
    }
    found.push_back(static_cast<std::size_t>(at - header.begin()));
  }
  Layout layout{found[0],
                {found.begin() + 1, found.begin() + 1 + static_cast<std::ptrdiff_t>(attitude)},
                {found.end() - 3, found.end()},
                time_unit_of(plain(names[0]).text)};
  const bool starts_with_w = plain(names[1]).text.ends_with('w');
  const bool ends_with_w = !map.mrp && plain(names[4]).text.ends_with('w');
  if (starts_with_w || ends_with_w) { assumed.order = ends_with_w ? Order::xyzw : Order::wxyz; }
  return layout;
}

Layout layout_found(const std::string& file, int line, const Names& names, const Header& header, const LogMap& map,
                    Convention& assumed) {
  Layout layout;
  std::optional<Order> order;
  std::optional<RateFrame> frame;
  const auto missing = [&](const char* what, const char* known) {
    refuse(file, line, fmt::format("no columns for {} in{}", what, listed(names)),
           fmt::format("known names: {}", known), kNameThem);
  };
  bool has_time = false;
  for (const std::string_view name : {"t", "time", "timestamp", "stamp", "sec", "seconds", "simtime", "sim_time"}) {
    has_time = has_time || header.find(name, layout.time);
    for (const TimeUnit& unit : kTimeUnits) {
      if (has_time || !header.find(fmt::format("{}{}", name, unit.name), layout.time)) { continue; }
      has_time = true;
      layout.time_unit = unit;
    }
  }
  if (!has_time) { missing("time", "t, time, timestamp, seconds"); }
  if (!find_quaternion(header, map, layout.quaternion, order)) {
    missing("the attitude", map.mrp ? "sigma_BN_0 .. sigma_BN_2, sigma_1 .. sigma_3, mrp_1 .. mrp_3"
                                    : "qw qx qy qz, q0 .. q3, quat_w .. quat_z, orientation.x .. orientation.w");
  }
  if (!find_rates(header, map, layout.rates, frame)) {
    missing("the angular velocity", "wx wy wz, w_body_x, w_world_x, omega_x, angular_velocity.x, gyro_x, p q r");
  }
  if (order) { assumed.order = *order; }
  if (frame) { assumed.frame = *frame; }
  Indices used = layout.quaternion;
  used.insert(used.end(), layout.rates.begin(), layout.rates.end());
  used.push_back(layout.time);
  for (const std::size_t index : used) {
    const auto again = std::find(names.begin() + static_cast<std::ptrdiff_t>(index) + 1, names.end(), names[index]);
    if (again == names.end()) { continue; }
    refuse(file, line, fmt::format("two columns have the name '{}'", names[index]), "one body a log",
           "rename one, or take one out");
  }
  return layout;
}

std::array<double, 4> from_mrp(const Vec3<double>& sigma) {
  const EulerParameters<double> e = ModifiedRodrigues{}.to_euler_parameters(sigma);
  return {e.e0, e.ev.x, e.ev.y, e.ev.z};
}

/// What is wrong with the numbers of one row, or "".
Problem wrong_row(const RotationLog& log, double t, const std::array<double, 4>& q, const Vec3<double>& w) {
  const double size = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (std::fabs(t) > kLargest || !(norm(w) <= kLargest)) {
    return {.what = fmt::format("time {:g} and rates {:g} {:g} {:g}", t, w.x, w.y, w.z),
            .allowed = "none may be beyond 1e30",
            .cure = {}};
  }
  if (!log.t.empty() && !(t > log.t.back())) {
    return {.what = fmt::format("time {:g} does not come after {:g} of the row before", t, log.t.back()),
            .allowed = "times must rise from row to row",
            .cure = "one body and one run a log"};
  }
  if (!(size >= 0.5 && size <= 2)) {
    return {.what = fmt::format("quaternion ({:g} {:g} {:g} {:g}) has norm {:g}", q[0], q[1], q[2], q[3], size),
            .allowed = "an attitude has norm 1; up to 0.5 and 2 are read",
            .cure = "are these the right columns? --columns names them"};
  }
  return {};
}

}  // namespace

std::string_view to_string(Order order) { return order == Order::wxyz ? "w x y z" : "x y z w"; }
std::string_view to_string(Direction direction) {
  return direction == Direction::body_to_space ? "body to space" : "space to body";
}
std::string_view to_string(RateFrame frame) { return frame == RateFrame::body ? "body" : "space"; }

const std::vector<LogMap>& log_maps() {
  static const std::vector<LogMap> kMaps{
#define MAP(name, summary, order, frame, quaternion, rates, mrp) \
  {name, summary, {Order::order, Direction::body_to_space, RateFrame::frame}, quaternion, rates, mrp},
#include "polhode/audit/maps.def"
#undef MAP
  };
  return kMaps;
}

const LogMap& log_map(std::string_view name) {
  std::vector<std::string_view> known;
  for (const LogMap& map : log_maps()) {
    if (map.name == name) { return map; }
    known.push_back(map.name);
  }
  fail(Error(unknown_name("map", name, known)));
}

RotationLog read_log(const std::string& file, const LogColumns& columns, io::RowReader::Fill fill) {
  const LogMap& map = columns.map != nullptr ? *columns.map : log_maps().front();
  const std::size_t attitude = map.mrp ? 3 : 4;
  Names plain_names{"t"};
  for (const char* name : {"q1", "q2", "q3", "q4"}) {
    if (plain_names.size() < 1 + attitude) { plain_names.emplace_back(name); }
  }
  for (const char* name : {"wx", "wy", "wz"}) { plain_names.emplace_back(name); }
  io::RowReader reader(file, plain_names, std::move(fill));

  RotationLog log;
  log.assumed = map.convention;
  log.mrp = map.mrp;
  Names names;
  Layout layout;
  if (reader.take_header(names)) {
    const Header header(names);
    const int line = reader.location().line;
    layout = columns.names.empty() ? layout_found(file, line, names, header, map, log.assumed)
                                   : layout_named(file, line, names, columns, map, log.assumed);
    log.degrees = header.degrees(layout.rates[0]);
  } else {
    if (!columns.names.empty()) {
      refuse(file, 1, "there is no header that names the columns", "--columns looks for names in the first line",
             fmt::format("without --columns a row is: {}", fmt::join(plain_names, " ")));
    }
    for (std::size_t i = 0; i < attitude; ++i) { layout.quaternion.push_back(1 + i); }
    for (std::size_t i = 0; i < 3; ++i) { layout.rates.push_back(1 + attitude + i); }
    names = plain_names;
  }
  log.assumed.order = columns.order.value_or(log.assumed.order);
  log.assumed.direction = columns.direction.value_or(log.assumed.direction);
  log.assumed.frame = columns.frame.value_or(log.assumed.frame);

  constexpr long kShown = 11;  // and one line that counts the rest
  std::vector<Problem> problems;
  long bad = 0;
  std::vector<double> row(names.size());
  Problem problem;
  for (auto found = reader.next(row, problem); found != io::RowReader::Found::end; found = reader.next(row, problem)) {
    if (found == io::RowReader::Found::row) {
      const Vec3<double> w{row[layout.rates[0]], row[layout.rates[1]], row[layout.rates[2]]};
      const Vec3<double> sigma{row[layout.quaternion[0]], row[layout.quaternion[1]], row[layout.quaternion[2]]};
      const std::array<double, 4> q =
          map.mrp ? from_mrp(sigma) : std::array<double, 4>{sigma.x, sigma.y, sigma.z, row[layout.quaternion[3]]};
      const double t = row[layout.time] * layout.time_unit.times / layout.time_unit.by;
      if (log.size() > 0 && log.t.back() == t && log.q.back() == q && log.w.back() == w) {
        ++log.repeated_rows;
        continue;
      }
      problem = wrong_row(log, t, q, w);
      if (problem.what.empty()) {
        log.t.push_back(t);
        log.q.push_back(q);
        log.w.push_back(w);
        continue;
      }
      problem.where = reader.location();
    }
    if (bad++ < kShown) { problems.push_back(problem); }
  }
  if (bad > kShown) {
    problems.push_back({.what = fmt::format("... and {} more", bad - kShown), .allowed = {}, .cure = {}});
  }
  if (!problems.empty()) { fail(Error(std::move(problems))); }
  if (log.size() < kFewestRows) {
    refuse(file, std::max(reader.location().line, 1),
           fmt::format("the log holds {} {}", log.size(), log.size() == 1 ? "row" : "rows"),
           fmt::format("at least {} of one body's motion are needed", counted(kFewestRows, "row")), "");
  }
  return log;
}

}  // namespace polhode::audit
