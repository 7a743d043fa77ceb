#include "polhode/core/counted.h"
#include "polhode/core/error.h"
#include "polhode/io/blanks.h"
#include "polhode/io/moment.h"
#include "polhode/io/result.h"
#include "polhode/math/degree.h"
#include "polhode/motion/state.h"
#include "polhode/rotation/euler_angles.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

/// The attitude ephemeris message of CCSDS 504.0-B. An attitude from frame X to frame Y is the turn that takes the axes
/// of X to those of Y; its quaternion has the components of our e_XY, the scalar in the last place, and with A the
/// space frame and B the body an A2B message holds our e_NB [CCSDS2008].
namespace polhode::io {
namespace {

constexpr std::string_view kVersion = "CCSDS_AEM_VERS";
constexpr std::string_view kPlain = "QUATERNION";
constexpr std::string_view kWithRates = "QUATERNION/DERIVATIVE";
constexpr std::string_view kAemAtZero = "t = 0 at ";
constexpr std::string_view kAemHash = ", SHA-256 ";
constexpr std::size_t kLongestLine = 254;

constexpr std::string_view kRateColumns[] = {"wx_body_rad_s", "wy_body_rad_s", "wz_body_rad_s"};

Calendar calendar_of(std::string_view time_system) { return time_system == "UTC" ? Calendar::utc : Calendar::uniform; }

// ---- writing --------------------------------------------------------------------------------------------------------

/// Printable ASCII in one line, as the standard asks for: everything else becomes %XX, and % itself %25.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte > 0x7e || c == '%') {
      result += fmt::format("%{:02X}", byte);
    } else {
      result += c;
    }
  }
  return result;
}

std::string comment(const std::string& text) { return "COMMENT " + text.substr(0, kLongestLine - 8) + '\n'; }

bool has_rates(const ResultHead& head) {
  return std::all_of(std::begin(kRateColumns), std::end(kRateColumns), [&](std::string_view name) {
    return std::any_of(head.columns.begin(), head.columns.end(),
                       [&](const simulation::Column& column) { return column.name == name; });
  });
}

void check_aem(const ResultHead& head) {
  if (head.is_mechanism()) {
    fail(
        Error(Problem{.what = fmt::format("an AEM holds the attitude of one object, and this result has {}",
                                          counted(head.bodies.size(), "body", "bodies")),
                      .allowed = {},
                      .cure = "take one of them: polhode convert RESULT --to aem --body " + head.bodies.front().name}));
  }
  for (const char* name : {"e0", "e1", "e2", "e3"}) {
    if (std::any_of(head.columns.begin(), head.columns.end(), [&](const auto& c) { return c.name == name; })) {
      continue;
    }
    fail(Error(Problem{.what = fmt::format("an AEM holds the attitude, and this result has no column '{}'", name),
                       .allowed = {},
                       .cure = "run again with e0, e1, e2 and e3 among the columns of [output]"}));
  }
  if (head.epoch.empty()) {
    fail(Error(Problem{.what = "times of an AEM are dates, and this result has no epoch",
                       .allowed = {},
                       .cure = "give the date of t = 0: epoch = \"2026-01-31T12:00:00\" in the scenario, or convert "
                               "--epoch"}));
  }
  if (!read_moment(head.epoch, calendar_of(head.time_system))) {
    fail(Error(Problem{.what = "the epoch '" + head.epoch + "' is no moment",
                       .allowed = "wanted: such as 2026-01-31T12:00:00",
                       .cure = {}}));
  }
  const std::string type = head.message_value("attitude_type", kPlain);
  if (type != kPlain && type != kWithRates) { fail(Error(unknown_name("attitude_type", type, {kPlain, kWithRates}))); }
}

bool with_rates(const ResultHead& head) {
  return head.message_value("attitude_type", kPlain) == kWithRates && has_rates(head);
}

bool keeps_aem(const ResultHead& head, std::string_view column) {
  const bool rate = std::find(std::begin(kRateColumns), std::end(kRateColumns), column) != std::end(kRateColumns);
  return column == "t_s" || column == "e0" || column == "e1" || column == "e2" || column == "e3" ||
         (rate && with_rates(head));
}

void append_scenario(std::string& to, std::string_view scenario) {
  constexpr std::size_t kPiece = 200;
  to += comment("text of the scenario, %XX for bytes that are not printable ASCII:");
  while (!scenario.empty()) {
    const std::size_t end = scenario.find('\n');
    std::string line = escaped(scenario.substr(0, end));
    // a text without a line break at its end is told by the sign of its last line
    const char sign = end == std::string_view::npos ? '.' : '|';
    do {
      std::size_t cut = std::min(kPiece, line.size());
      while (cut < line.size() && (line[cut - 1] == '%' || line[cut - 2] == '%')) { --cut; }
      const bool last = cut == line.size();
      to += comment(std::string(1, last ? sign : '+') + line.substr(0, cut));
      line.erase(0, cut);
    } while (!line.empty());
    scenario.remove_prefix(end == std::string_view::npos ? scenario.size() : end + 1);
  }
}

struct Times {
  std::string epoch;
  std::string start;
  std::string stop;
};

std::string head_text(const ResultHead& head, const Times& times, bool rates) {
  std::string text = fmt::format("{} = 1.0\n", kVersion);
  text += comment("polhode " + escaped(head.version) + ": " + escaped(head.title));
  text += comment(std::string(kAemAtZero) + times.epoch);
  if (!head.scenario_file.empty() || !head.scenario_sha256.empty()) {
    text += comment("scenario: " + escaped(head.scenario_file) + std::string(kAemHash) + head.scenario_sha256);
  }
  if (!head.parameters.empty()) { text += comment("set: " + escaped(parameters_to_json(head.parameters))); }
  for (const std::string& law : head.laws) { text += comment("law as code: " + escaped(law)); }
  if (!head.formulation.empty()) { text += comment("formulation: " + escaped(head.formulation)); }
  if (!head.integrator.empty()) { text += comment("integrator: " + escaped(head.integrator)); }
  if (!head.portable) { text += comment("not portable: last bits may differ elsewhere"); }
  if (!head.scenario_text.empty()) { append_scenario(text, head.scenario_text); }
  const auto line = [&](std::string_view keyword, const std::string& value) {
    text += fmt::format("{} = {}\n", keyword, value.empty() ? "UNKNOWN" : escaped(value).substr(0, 200));
  };
  line("CREATION_DATE", times.epoch);
  line("ORIGINATOR", head.message_value("originator", "POLHODE"));
  text += "\nMETA_START\n";
  text += comment("REF_FRAME_A is the space frame, REF_FRAME_B the body; Q1 Q2 Q3 QC are e1 e2 e3 e0 of body to space");
  line("OBJECT_NAME", head.message_value("object_name", head.title));
  line("OBJECT_ID", head.message_value("object_id", "UNKNOWN"));
  const std::string center = head.message_value("center_name", "");
  if (!center.empty()) { line("CENTER_NAME", center); }
  line("REF_FRAME_A", head.message_value("ref_frame_a", "EME2000"));
  line("REF_FRAME_B", head.message_value("ref_frame_b", "SC_BODY_1"));
  line("ATTITUDE_DIR", "A2B");
  line("TIME_SYSTEM", head.time_system);
  line("START_TIME", times.start);
  line("STOP_TIME", times.stop);
  line("ATTITUDE_TYPE", std::string(rates ? kWithRates : kPlain));
  line("QUATERNION_TYPE", "LAST");
  return text + "META_STOP\n\nDATA_START\n";
}

std::uint64_t write_aem(const OpenResult& open, const ResultOutput& output) {
  constexpr std::size_t kPiece = 1 << 18;
  constexpr double kOffUnit = 1e-6;
  std::unique_ptr<ResultReader> result = open();
  check_aem(result->head());
  const bool rates = with_rates(result->head());
  const Calendar calendar = calendar_of(result->head().time_system);
  const Moment epoch = *read_moment(result->head().epoch, calendar);
  const std::size_t t = result->head().column("t_s");
  std::array<std::size_t, 4> e{};
  for (std::size_t i = 0; i < 4; ++i) { e[i] = result->head().column("e" + std::to_string(i)); }
  std::array<std::size_t, 3> w{};
  for (std::size_t i = 0; rates && i < 3; ++i) { w[i] = result->head().column(kRateColumns[i]); }
  const auto attitude = [&](std::span<const double> row) {
    return EulerParameters<double>{row[e[0]], {row[e[1]], row[e[2]], row[e[3]]}};
  };

  // the head tells when it ends
  double first = 0;
  double last = 0;
  for (ResultReader::Item item = result->next(); item != ResultReader::Item::end; item = result->next()) {
    if (item != ResultReader::Item::row) { continue; }
    last = result->row()[t];
    if (result->rows() == 1) { first = last; }
    const double length = norm(attitude(result->row()));
    if (!(std::fabs(length - 1) <= kOffUnit)) {
      fail(Error(Problem{.what = fmt::format("{}, row {}: |e| is {:.9g}, and a message must hold rotations",
                                             result->file(), result->rows(), length),
                         .allowed = fmt::format("1 to {:g}", kOffUnit),
                         .cure = "a smaller step or tolerance, or projection = \"every_step\" in [run]"}));
    }
  }
  if (result->rows() == 0) { fail(Error(result->file() + " holds no rows, and a message needs one")); }

  result = open();
  const auto date = [&](double time) { return to_text(later(epoch, time), calendar); };
  std::string text = head_text(result->head(), {date(0), date(first), date(last)}, rates);
  for (ResultReader::Item item = result->next(); item != ResultReader::Item::end; item = result->next()) {
    if (item != ResultReader::Item::row) { continue; }
    const std::span<const double> row = result->row();
    text += date(row[t]);
    const auto put = [&](const EulerParameters<double>& q) {
      for (const double x : {q.ev.x, q.ev.y, q.ev.z, q.e0}) {
        text += ' ';
        append_number(text, x);
      }
    };
    put(attitude(row));
    if (rates) { put(rate_from_body(attitude(row), {row[w[0]], row[w[1]], row[w[2]]})); }
    text += '\n';
    if (text.size() >= kPiece) {
      output.write(text);
      text.clear();
    }
  }
  output.write(text + "DATA_STOP\n");
  return result->rows();
}

// ---- reading --------------------------------------------------------------------------------------------------------

std::string unescaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(text.data() + i + 1, text.data() + i + 3, byte, 16).ptr == text.data() + i + 3) {
      result += static_cast<char>(byte);
      i += 2;
    } else {
      result += text[i];
    }
  }
  return result;
}

/// Lines of a file, in blocks.
class LineReader {
 public:
  explicit LineReader(const std::string& path) : source_(path) {}
  bool next(std::string_view& line) {
    while (true) {
      if (const std::size_t end = block_.find('\n', at_); end != std::string::npos) {
        line = std::string_view(block_).substr(at_, end - at_);
        at_ = end + 1;
        ++number_;
        return true;
      }
      block_.erase(0, at_);
      at_ = 0;
      const std::size_t before = block_.size();
      block_.resize(before + kBlock);
      const std::size_t got = source_.read(block_.data() + before, kBlock);
      block_.resize(before + got);
      if (got > 0) { continue; }
      if (block_.empty()) { return false; }
      block_ += '\n';  // the last line has none
    }
  }
  int number() const { return number_; }
  const SourceFile& source() const { return source_; }

 private:
  static constexpr std::size_t kBlock = 1 << 18;
  SourceFile source_;
  std::string block_;
  std::size_t at_ = 0;
  int number_ = 0;
};

/// What the numbers of a line are.
enum class Rates { none, derivatives, of_angles, angular_velocity };
struct AttitudeType {
  std::string_view name;
  bool euler;
  Rates rates;
};
constexpr AttitudeType kTypes[] = {{"QUATERNION", false, Rates::none},
                                   {"QUATERNION/DERIVATIVE", false, Rates::derivatives},
                                   {"QUATERNION/RATE", false, Rates::angular_velocity},
                                   {"QUATERNION/ANGVEL", false, Rates::angular_velocity},
                                   {"EULER_ANGLE", true, Rates::none},
                                   {"EULER_ANGLE/RATE", true, Rates::of_angles},
                                   {"EULER_ANGLE/DERIVATIVE", true, Rates::of_angles},
                                   {"EULER_ANGLE/ANGVEL", true, Rates::angular_velocity}};

constexpr std::string_view kKeywords[] = {"CREATION_DATE",       "ORIGINATOR",         "MESSAGE_ID",
                                          "CLASSIFICATION",      "OBJECT_NAME",        "OBJECT_ID",
                                          "CENTER_NAME",         "REF_FRAME_A",        "REF_FRAME_B",
                                          "ATTITUDE_DIR",        "TIME_SYSTEM",        "START_TIME",
                                          "STOP_TIME",           "USEABLE_START_TIME", "USEABLE_STOP_TIME",
                                          "ATTITUDE_TYPE",       "QUATERNION_TYPE",    "EULER_ROT_SEQ",
                                          "RATE_FRAME",          "ANGVEL_FRAME",       "INTERPOLATION_METHOD",
                                          "INTERPOLATION_DEGREE"};

class AemReader final : public ResultReader {
 public:
  explicit AemReader(const std::string& path) : ResultReader(path), lines_(path) {
    read_head();
    row_.resize(head_.columns.size());
  }
  std::uint64_t done() const override { return lines_.source().position(); }
  std::uint64_t total() const override { return lines_.source().size(); }

 private:
  Item take() override {
    while (in_data_) {
      const std::string_view line = next_line("DATA_STOP");
      if (line == "DATA_STOP") {
        if (!read_metadata()) { in_data_ = false; }
      } else if (!line.starts_with("COMMENT")) {
        take_row(line);
        return Item::row;
      }
    }
    return Item::end;
  }
  Location location() const override { return {file_, lines_.number(), 0}; }

  [[noreturn]] void wrong(std::string what, std::string allowed = {}, std::string cure = {}) const {
    fail(Error(
        Problem{.what = std::move(what), .allowed = std::move(allowed), .cure = std::move(cure), .where = location()}));
  }

  /// The next line that is not empty; fails where the file ends before `wanted`.
  std::string_view next_line(std::string_view wanted) {
    std::string_view line;
    while (lines_.next(line)) {
      line = trimmed(line);
      if (!line.empty()) { return line; }
    }
    wrong(fmt::format("the file ends before {}", wanted), {}, "it was cut off: get it again");
  }

  /// KEYWORD = value
  void take_keyword(std::string_view line, std::map<std::string, std::string, std::less<>>& to) {
    const std::size_t sign = line.find('=');
    if (sign == std::string_view::npos) {
      wrong(fmt::format("'{}' is no keyword with a value", line.substr(0, 40)), "wanted: KEYWORD = value");
    }
    const std::string name(trimmed(line.substr(0, sign)));
    if (std::find(std::begin(kKeywords), std::end(kKeywords), name) == std::end(kKeywords)) {
      notes_.push_back(fmt::format("{}:{}: {} is not a keyword that we know; left out", file_, lines_.number(), name));
    }
    if (!to.emplace(name, trimmed(line.substr(sign + 1))).second) { wrong(name + " stands here for the second time"); }
  }

  void read_head() {
    std::string_view line = next_line(kVersion);
    const std::string_view version = trimmed(line.substr(std::min(line.size(), line.find('=') + 1)));
    if (version != "1.0" && version != "2.0") {
      wrong(fmt::format("{} is '{}'", kVersion, version), "known: 1.0 (CCSDS 504.0-B-1) 2.0 (504.0-B-2)");
    }
    second_ = version == "2.0";
    std::map<std::string, std::string, std::less<>> header;
    for (line = next_line("META_START"); line != "META_START"; line = next_line("META_START")) {
      if (line.starts_with("COMMENT")) {
        take_comment(line.size() > 8 ? line.substr(8) : "");
      } else {
        take_keyword(line, header);
      }
    }
    if (const auto found = header.find("ORIGINATOR"); found != header.end()) {
      head_.message.emplace_back("originator", unescaped(found->second));
    }
    read_segment();
    const auto text = [&](const char* keyword) {
      const auto found = metadata_.find(keyword);
      return found == metadata_.end() ? std::string() : unescaped(found->second);
    };
    for (const auto& [key, keyword] :
         {std::pair{"object_name", "OBJECT_NAME"}, {"object_id", "OBJECT_ID"}, {"center_name", "CENTER_NAME"}}) {
      if (!text(keyword).empty()) { head_.message.emplace_back(key, text(keyword)); }
    }
    head_.message.emplace_back("ref_frame_a", text(body_is_a_ ? "REF_FRAME_B" : "REF_FRAME_A"));
    head_.message.emplace_back("ref_frame_b", text(body_is_a_ ? "REF_FRAME_A" : "REF_FRAME_B"));
    if (head_.title.empty()) { head_.title = text("OBJECT_NAME"); }
    head_.time_system = text("TIME_SYSTEM");
    if (head_.epoch.empty()) { head_.epoch = text("START_TIME"); }
    const std::optional<Moment> epoch = read_moment(head_.epoch, calendar_);
    if (!epoch) { wrong(fmt::format("'{}' is no moment", head_.epoch), "wanted: such as 2026-01-31T12:00:00"); }
    epoch_ = *epoch;
    head_.epoch = to_text(epoch_, calendar_);

    head_.columns.push_back({"t_s", "s", "time"});
    for (const char* name : {"e0", "e1", "e2", "e3"}) {
      head_.columns.push_back({name, "1", "Euler parameter of body to space, scalar first"});
    }
    if (type_->rates == Rates::none) { return; }
    head_.message.emplace_back("attitude_type", kWithRates);
    for (std::size_t i = 0; i < 3; ++i) {
      head_.columns.push_back(
          {std::string(kRateColumns[i]), "rad/s", std::string("angular velocity, ") + "xyz"[i] + " of body"});
    }
  }

  /// What our own writer says of itself.
  void take_comment(std::string_view text) {
    const auto after = [&](std::string_view name) {
      return text.starts_with(name) ? std::optional(std::string(text.substr(name.size()))) : std::nullopt;
    };
    if (in_scenario_ && !text.empty() && (text[0] == '|' || text[0] == '+' || text[0] == '.')) {
      head_.scenario_text += unescaped(text.substr(1));
      if (text[0] == '|') { head_.scenario_text += '\n'; }
    } else if (text.starts_with("text of the scenario")) {
      in_scenario_ = true;
    } else if (const auto polhode = after("polhode ")) {
      const std::size_t colon = polhode->find(": ");
      head_.version = unescaped(polhode->substr(0, colon));
      if (colon != std::string::npos) { head_.title = unescaped(polhode->substr(colon + 2)); }
    } else if (const auto epoch = after(kAemAtZero)) {
      head_.epoch = *epoch;
    } else if (const auto scenario = after("scenario: ")) {
      const std::size_t at = scenario->rfind(kAemHash);
      head_.scenario_file = unescaped(scenario->substr(0, at));
      if (at != std::string::npos) { head_.scenario_sha256 = scenario->substr(at + kAemHash.size()); }
    } else if (const auto set = after("set: ")) {
      head_.parameters = parameters_from_json(unescaped(*set), location());
    } else if (const auto law = after("law as code: ")) {
      head_.laws.push_back(unescaped(*law));
    } else if (const auto formulation = after("formulation: ")) {
      head_.formulation = unescaped(*formulation);
    } else if (const auto integrator = after("integrator: ")) {
      head_.integrator = unescaped(*integrator);
    } else if (text.starts_with("not portable")) {
      head_.portable = false;
    }
  }

  const std::string& required(const char* keyword) const {
    const auto found = metadata_.find(keyword);
    if (found == metadata_.end() || found->second.empty()) {
      wrong(fmt::format("the metadata before this line lack {}", keyword));
    }
    return found->second;
  }
  std::string optional(const char* keyword) const {
    const auto found = metadata_.find(keyword);
    return found == metadata_.end() ? "" : found->second;
  }

  /// The rest of a segment's metadata, and what they mean. META_START has been read.
  void read_segment() {
    metadata_.clear();
    std::string_view line = next_line("META_STOP");
    for (; line != "META_STOP"; line = next_line("META_STOP")) {
      if (!line.starts_with("COMMENT")) { take_keyword(line, metadata_); }
    }
    const std::string& time_system = required("TIME_SYSTEM");
    for (const char* odd : {"MET", "MRT", "SCLK"}) {
      if (time_system == odd) {
        wrong(fmt::format("TIME_SYSTEM {} has no calendar", odd), "wanted: UTC, TAI, TT, GPS, TDB or the like");
      }
    }
    calendar_ = calendar_of(time_system);
    for (const char* name : {"START_TIME", "STOP_TIME"}) {
      if (!read_moment(required(name), calendar_)) {
        wrong(fmt::format("{} '{}' is no moment", name, required(name)), "wanted: such as 2026-01-31T12:00:00");
      }
    }
    read_type();
    read_direction();
    line = next_line("DATA_START");
    if (line != "DATA_START") { wrong(fmt::format("'{}' stands here", line.substr(0, 40)), "wanted: DATA_START"); }
    in_data_ = true;
  }

  void read_type() {
    std::string type = required("ATTITUDE_TYPE");
    std::replace(type.begin(), type.end(), ' ', '_');
    const auto* const found =
        std::find_if(std::begin(kTypes), std::end(kTypes), [&](const AttitudeType& t) { return t.name == type; });
    if (found == std::end(kTypes)) {
      std::string known = "known:";
      for (const AttitudeType& one : kTypes) { known += fmt::format(" {}", one.name); }
      wrong(type.starts_with("SPIN")
                ? fmt::format("ATTITUDE_TYPE {} is not read: a spin axis is no whole attitude", type)
                : fmt::format("unknown ATTITUDE_TYPE '{}'", type),
            known);
    }
    type_ = found;
    rates_ = found->rates;
    const std::string sequence = optional("EULER_ROT_SEQ");
    // version 1 does not say what rates beside a quaternion are: of the angles where it names a sequence, else of the
    // body
    if (type == "QUATERNION/RATE" && !sequence.empty()) { rates_ = Rates::of_angles; }
    if (found->euler || rates_ == Rates::of_angles) {
      const std::string& axes = required("EULER_ROT_SEQ");
      try {
        sequence_ = EulerSequence::parse(axes);
      } catch (const Error&) {
        wrong(fmt::format("EULER_ROT_SEQ '{}' is no sequence of axes", sequence), "wanted: such as 321 or ZYX");
      }
    }
    scalar_first_ = false;
    if (!found->euler) {
      const std::string scalar = second_ ? optional("QUATERNION_TYPE") : required("QUATERNION_TYPE");
      if (scalar != "FIRST" && scalar != "LAST" && !(second_ && scalar.empty())) {
        wrong(fmt::format("QUATERNION_TYPE is '{}'", scalar), "known: FIRST LAST");
      }
      scalar_first_ = scalar == "FIRST";
    }
  }

  void read_direction() {
    const auto is_of_body = [](std::string_view frame) {
      constexpr std::string_view kBody[] = {"SC_BODY", "ACTUATOR", "CSS", "DSS",         "GYRO", "INSTRUMENT",
                                            "SENSOR",  "BODY",     "IMU", "STARTRACKER", "TAM",  "AST"};
      return std::any_of(std::begin(kBody), std::end(kBody),
                         [&](std::string_view name) { return frame.starts_with(name); });
    };
    const std::string a = required("REF_FRAME_A");
    const std::string b = required("REF_FRAME_B");
    const std::string direction = second_ ? optional("ATTITUDE_DIR") : required("ATTITUDE_DIR");
    if (direction != "A2B" && direction != "B2A" && !(second_ && direction.empty())) {
      wrong(fmt::format("ATTITUDE_DIR is '{}'", direction), "known: A2B B2A");
    }
    body_is_a_ = is_of_body(a) && !is_of_body(b);
    from_body_ = body_is_a_ != (direction == "B2A");
    if (rates_ == Rates::angular_velocity) {
      const std::string frame = second_ ? required("ANGVEL_FRAME") : optional("RATE_FRAME");
      const bool is_a = frame == "REF_FRAME_A" || frame == a;
      const bool is_b = frame == "REF_FRAME_B" || frame == b;
      if (is_a == is_b) {
        wrong(fmt::format("{} is '{}'", second_ ? "ANGVEL_FRAME" : "RATE_FRAME", frame),
              "wanted: REF_FRAME_A or REF_FRAME_B");
      }
      rates_of_body_ = is_a == body_is_a_;
    }
    const std::string frames = a + ' ' + b + ' ' + required("TIME_SYSTEM") + ' ' + std::string(type_->name);
    if (!frames_.empty() && frames != frames_) {
      wrong("this segment has other frames, another time system or type than the first", frames_,
            "take the segments apart");
    }
    frames_ = frames;
  }

  /// Whether another segment follows.
  bool read_metadata() {
    std::string_view line;
    while (lines_.next(line)) {
      line = trimmed(line);
      if (line.empty() || line.starts_with("COMMENT")) { continue; }
      if (line != "META_START") {
        wrong(fmt::format("'{}' stands after DATA_STOP", line.substr(0, 40)), "wanted: META_START or the end");
      }
      read_segment();
      return true;
    }
    return false;
  }

  void take_row(std::string_view line) {
    const std::size_t blank = std::min(line.find_first_of(" \t"), line.size());
    const std::optional<Moment> moment = read_moment(line.substr(0, blank), calendar_);
    if (!moment) {
      wrong(fmt::format("'{}' is no moment", line.substr(0, std::min<std::size_t>(blank, 40))),
            "wanted: such as 2026-01-31T12:00:00.5");
    }
    const std::size_t size = (type_->euler ? 3U : 4U) + (rates_ == Rates::none          ? 0U
                                                         : rates_ == Rates::derivatives ? 4U
                                                                                        : 3U);
    std::array<double, 8> x{};
    std::size_t count = 0;
    const char* p = line.data() + blank;
    const char* const end = line.data() + line.size();
    while (true) {
      while (p != end && (*p == ' ' || *p == '\t')) { ++p; }
      if (p == end) { break; }
      const char* stop = std::find_if(p, end, [](char c) { return c == ' ' || c == '\t'; });
      double value = 0;
      const auto [rest, error] = std::from_chars(*p == '+' ? p + 1 : p, stop, value);
      if (error != std::errc{} || rest != stop) {
        wrong(fmt::format("'{}' is not a number",
                          std::string_view(p, static_cast<std::size_t>(std::min(stop - p, std::ptrdiff_t{40})))),
              "a number is written like -1.5e-3");
      }
      if (count < x.size()) { x[count] = value; }
      ++count;
      p = stop;
    }
    if (count != size) { wrong(fmt::format("{} numbers after the time", count), fmt::format("{} needed", size)); }
    const MotionState<double> state = body_state(x);
    row_[0] = seconds_between(epoch_, *moment);
    row_[1] = state.e_NB.e0;
    row_[2] = state.e_NB.ev.x;
    row_[3] = state.e_NB.ev.y;
    row_[4] = state.e_NB.ev.z;
    if (rates_ == Rates::none) { return; }
    row_[5] = state.w_B.x;
    row_[6] = state.w_B.y;
    row_[7] = state.w_B.z;
  }

  EulerParameters<double> quaternion(const std::array<double, 8>& x, std::size_t at) const {
    return scalar_first_ ? EulerParameters<double>{x[at], {x[at + 1], x[at + 2], x[at + 3]}}
                         : EulerParameters<double>{x[at + 3], {x[at], x[at + 1], x[at + 2]}};
  }

  /// From frame X to frame Y as the message has it, then from body to space.
  MotionState<double> body_state(const std::array<double, 8>& x) const {
    constexpr double kOffUnit = 1e-4;  // numbers with four decimals
    using math::kDegree;
    EulerParameters<double> e_XY;
    Vec3<double> w_Y;  // of Y in X, components of Y
    const EulerAngles angles{sequence_};
    const auto vector = [&](std::size_t at) {
      return Vec3<double>{kDegree * x[at], kDegree * x[at + 1], kDegree * x[at + 2]};
    };
    if (type_->euler) {
      e_XY = angles.to_euler_parameters(vector(0));
    } else {
      e_XY = quaternion(x, 0);
      if (const double length = norm(e_XY); !(std::fabs(length - 1) <= kOffUnit)) {
        wrong(fmt::format("the quaternion has length {:.6g}", length), fmt::format("1 to {:g}", kOffUnit));
      }
    }
    const std::size_t at = type_->euler ? 3 : 4;
    if (rates_ == Rates::derivatives) {
      w_Y = body_rate(e_XY, quaternion(x, at));
    } else if (rates_ == Rates::of_angles) {
      const Vec3<double> turned = type_->euler ? vector(0) : angles.from_euler_parameters(e_XY);
      w_Y = angular_velocity<Body>(angles, turned, vector(at)).raw();
    } else if (rates_ == Rates::angular_velocity) {
      const bool in_Y = rates_of_body_ != from_body_;
      w_Y = in_Y ? vector(at) : rotate_back(e_XY, vector(at));
    }
    if (!from_body_) { return {e_XY, w_Y}; }
    return {conjugate(e_XY), -rotate(e_XY, w_Y)};
  }

  LineReader lines_;
  bool second_ = false;  ///< version 2 of the standard
  std::map<std::string, std::string, std::less<>> metadata_;
  std::string frames_;
  const AttitudeType* type_ = nullptr;
  Rates rates_ = Rates::none;
  EulerSequence sequence_;
  bool scalar_first_ = false;
  bool body_is_a_ = false;
  bool from_body_ = false;      ///< the message turns the body's frame into that of space
  bool rates_of_body_ = false;  ///< components of the body
  Calendar calendar_ = Calendar::utc;
  Moment epoch_;
  bool in_scenario_ = false;
  bool in_data_ = false;
};

}  // namespace

extern const ResultWriter kWriter_aem{"aem",     "results.aem", "CCSDS attitude ephemeris message, 504.0-B-1, in text",
                                      write_aem, check_aem,     keeps_aem};
extern const ResultFormat kReader_aem{
    "aem",
    [](std::string_view bytes) {
      const std::size_t first = std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size());
      return bytes.substr(first).starts_with(kVersion);
    },
    [](const std::string& path) -> std::unique_ptr<ResultReader> { return std::make_unique<AemReader>(path); }};

}  // namespace polhode::io
