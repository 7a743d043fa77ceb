#include "command.h"
#include "convert_result.h"
#include "polhode/catalog/conversion.h"
#include "polhode/core/counted.h"
#include "polhode/core/refuse.h"
#include "polhode/io/row_reader.h"

#include <fmt/compile.h>
#include <fmt/format.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>

namespace polhode::app {
namespace {

using catalog::Conversion;
using catalog::Rates;
using io::RowReader;

constexpr const char* kConvertExample =
    "  polhode convert --from euler:3-2-1 --to quaternion_wxyz --deg -- 30 20 10\n"
    "  polhode convert --from quaternion_xyzw:space-to-body --to euler:3-1-3 --deg -- 0 0 -0.6 0.8\n"
    "  polhode convert --from quaternion@scipy --to euler@ros -i poses.csv -o angles.csv\n"
    "  polhode convert --from euler:3-1-3 --to quaternion_wxyz --rates-from values --rates-to body -- 0.1 0.2 0.3 1 2 "
    "3\n"
    "  polhode convert t-handle.run --to json -o t-handle.json";

constexpr const char* kConvertFooter =
    "REP is one of quaternion_wxyz, quaternion_xyzw, matrix, axis_angle, rotation_vector, rodrigues, mrp, reduced,\n"
    "euler:3-1-3[:extrinsic]; all describe body to space, and REP:space-to-body the inverse. REP@TOOL means the "
    "numbers\n"
    "as TOOL writes them, in its direction, and then quaternion and euler alone follow its habit. See: polhode list\n"
    "representations, polhode list conventions.\n"
    "RATES is values (time derivatives of the values), body or space (angular velocity in these components);\n"
    "rate columns follow the values in a row. Angles are in radians unless --deg says otherwise.\n"
    "RESULT is a result file (told by its content), the log of a run, also of one that was killed, or the folder of a\n"
    "run; then --to is one of csv, hdf5, json, aem. See: polhode list formats, docs/formats.md.\n";

struct ConvertOptions {
  std::string from;
  std::string to;
  std::vector<std::string> values;
  std::string input;
  std::string output = "-";
  std::string rates_from;
  std::string rates_to;
  bool rates = false;
  bool deg = false;
  bool deg_in = false;
  bool deg_out = false;
  bool nearest = false;
  bool header = false;
  bool csv = false;
  std::string epoch;
  std::string body;
};

Conversion plan(const ConvertOptions& options) {
  if (options.from.empty() || options.to.empty()) {
    refuse(options.from.empty() ? "--from is missing" : "--to is missing",
           "both are needed, such as --from quaternion_wxyz --to euler:3-2-1");
  }
  const bool rates = options.rates || !options.rates_from.empty() || !options.rates_to.empty();
  const auto kind = [&](const std::string& name) {
    return name.empty() ? (rates ? Rates::values : Rates::none) : catalog::rates_named(name);
  };
  return Conversion({.from = catalog::representation(options.from),
                     .to = catalog::representation(options.to),
                     .rates_from = kind(options.rates_from),
                     .rates_to = kind(options.rates_to),
                     .degrees_in = options.deg || options.deg_in,
                     .degrees_out = options.deg || options.deg_out,
                     .noise = options.nearest ? catalog::Noise::project : catalog::Noise::refuse});
}

/// Text of the values on the command line as one row: its mistakes are told by value, not by line and column.
RowReader::Fill command_line(const std::vector<std::string>& values) {
  auto text = std::make_shared<std::string>(fmt::format("{}", fmt::join(values, " ")));
  return [text, given = false](char* to, std::size_t size) mutable {
    if (given || text->size() > size) { return std::size_t{0}; }
    given = true;
    return text->copy(to, size);
  };
}

/// The largest of something over the rows, and which row had it.
struct Worst {
  long count = 0;  ///< rows that had it at all
  double value = 0;
  int row = 0;
  double distance = 0;

  void see(double x, int at, double further = 0) {
    ++count;
    if (!(x <= value)) {
      value = x;
      row = at;
      distance = further;
    }
  }
};

std::string_view name_of(Rates rates) {
  switch (rates) {
    case Rates::none:
      return "none";
    case Rates::values:
      return "values";
    case Rates::body:
      return "body";
    case Rates::space:
      return "space";
  }
  return "";
}

/// A file name as a shell takes it for one word.
std::string shell_word(const std::string& text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("._-/+=:,@").find(c) != std::string_view::npos;
  });
  if (plain) { return text; }
  std::string word = "'";
  for (const char c : text) { word += c == '\'' ? std::string("'\\''") : std::string(1, c); }
  return word + "'";
}

/// A distance in words.
std::string far(double distance) {
  return std::isfinite(distance) ? fmt::format("{:.3g}", distance) : "more than 1.8e+308";
}

/// Rows in, rows out: text of the output, what was noticed, and every mistake.
class Run {
 public:
  Run(const ConvertOptions& options, const Session& session)
      : options_(options), session_(session), conversion_(plan(options)) {}

  int operator()() {
    if (one_row() && !options_.input.empty()) {
      refuse("values and -i are given together", "give values after --, or a file with -i");
    }
    std::unique_ptr<io::InputFile> file;
    RowReader::Fill fill;
    std::string name;
    if (one_row()) {
      fill = command_line(options_.values);
    } else {
      if (options_.input.empty() && isatty(STDIN_FILENO) != 0) {
        refuse("there is nothing to convert", "give values after --, a file with -i FILE, or rows on standard input");
      }
      const std::string path = options_.input.empty() ? "-" : options_.input;
      name = path == "-" ? "stdin" : path;
      file = std::make_unique<io::InputFile>(path, goes_on);
      fill = [&](char* to, std::size_t size) { return file->read(to, size); };
    }
    RowReader reader(name, conversion_.input_names(), fill);
    catch_interrupt();
    OutputFile output(options_.output, stdout);
    if (session_.json) { begin_json(); }
    convert(reader, output);
    finish(reader, output);
    if (!interrupted()) { return kDone; }
    session_.warn(fmt::format("interrupted after {}; {} complete", counted(static_cast<std::uint64_t>(rows_), "row"),
                              rows_ == 1 ? "it is" : "these are"));
    return interrupted_status();
  }

 private:
  /// Values on the command line are one row, and are told about as such.
  bool one_row() const { return !options_.values.empty(); }
  bool has_rates() const { return conversion_.plan().rates_to != Rates::none; }

  void convert(RowReader& reader, OutputFile& output) {
    constexpr std::size_t kFlush = std::size_t{1} << 20;
    std::vector<double> in(conversion_.input_names().size());
    std::vector<double> out(conversion_.output_names().size());
    Problem problem;
    while (true) {
      const RowReader::Found found = reader.next(in, problem);
      if (found == RowReader::Found::end || (interrupted() && !reader.line_complete())) { return; }
      ++rows_;
      if (found == RowReader::Found::mistake) {
        add(std::move(problem));
        continue;
      }
      Conversion::Outcome outcome;
      try {
        outcome = conversion_(in, out);
      } catch (const Error& error) {
        for (Problem what : error.problems()) { add(placed(std::move(what), reader, in)); }
        continue;
      }
      if (bad_rows_ > 0) { continue; }  // what is already wrong is not written; the rest is checked only
      notice(outcome);
      if (session_.json) {
        append_json(out, outcome);
      } else {
        append_text(out, reader);
        if (text_.size() > kFlush) {
          output.write({text_.data(), text_.size()});
          text_.clear();
        }
      }
    }
  }

  /// A problem of a row with its place, and with the way to take noisy numbers where there is one.
  Problem placed(Problem problem, const RowReader& reader, const std::vector<double>& in) const {
    if (!options_.nearest) {
      catalog::ConversionPlan nearest = conversion_.plan();
      nearest.noise = catalog::Noise::project;
      try {
        std::vector<double> out(conversion_.output_names().size());
        const double distance = Conversion(nearest)(in, out).distance;
        problem.cure = problem.cure.empty()
                           ? fmt::format("--nearest takes the nearest rotation, {} away", far(distance))
                           : problem.cure + "; --nearest takes that";
      } catch (const Error&) {  // NOLINT(bugprone-empty-catch): not noise, nothing to offer
      }
    }
    if (!reader.place().file.empty()) { problem.where = reader.place(); }
    return problem;
  }

  void add(Problem problem) {
    constexpr long kShown = 11;  // and one line that counts the rest
    if (problem.where.file.empty()) {
      if (problem.where.column > 0) { problem.what = "values: " + problem.what; }
      problem.where = {};
    }
    if (bad_rows_++ < kShown) { problems_.push_back(std::move(problem)); }
  }

  void notice(const Conversion::Outcome& outcome) {
    const double condition = outcome.conditioning.condition_number;
    if (!(condition <= catalog::kWorryingCondition)) {
      near_.see(condition, static_cast<int>(rows_), outcome.conditioning.distance);
    }
    if (options_.nearest && outcome.distance > 0) { projected_.see(outcome.distance, static_cast<int>(rows_)); }
    if (options_.nearest && outcome.rate_distance > 0) {
      projected_rates_.see(outcome.rate_distance, static_cast<int>(rows_));
    }
  }

  void append_number(double x) { fmt::format_to(std::back_inserter(text_), FMT_COMPILE("{}"), x + 0.0); }  // -0 is 0

  void append_text(const std::vector<double>& out, const RowReader& reader) {
    const char separator = options_.csv ? ',' : reader.separator() == '\0' ? ' ' : reader.separator();
    if (rows_ == 1 && options_.header) {
      const std::string between(1, separator);
      fmt::format_to(std::back_inserter(text_), "{}\n", fmt::join(conversion_.output_names(), between));
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (i > 0) { text_.push_back(separator); }
      append_number(out[i]);
    }
    text_.push_back('\n');
  }

  void begin_json() {
    const auto unit = [](bool degrees) { return degrees ? "deg" : "rad"; };
    const catalog::ConversionPlan& plan = conversion_.plan();
    std::string head = nlohmann::ordered_json{{"what", "convert"},
                                              {"from", plan.from->name()},
                                              {"to", plan.to->name()},
                                              {"angle_unit_in", unit(plan.degrees_in)},
                                              {"angle_unit_out", unit(plan.degrees_out)},
                                              {"columns_in", conversion_.input_names()},
                                              {"columns", conversion_.output_names()}}
                           .dump();
    head.back() = ',';
    text_.append(head);
    if (!one_row()) { text_.append(std::string_view("\"rows\":[")); }
  }

  void append_json(const std::vector<double>& out, const Conversion::Outcome& outcome) {
    if (!one_row()) { text_.append(std::string_view(rows_ > 1 ? ",\n{" : "\n{")); }
    text_.append(std::string_view("\"values\":["));
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (i > 0) { text_.push_back(','); }
      append_number(out[i]);
    }
    const auto append = [&](std::string_view key, double x) {
      text_.append(key);
      if (std::isfinite(x)) {
        append_number(x);
      } else {
        text_.append(std::string_view("null"));
      }
    };
    append("],\"condition_number\":", outcome.conditioning.condition_number);
    append(",\"distance_to_singularity\":", outcome.conditioning.distance);
    append(",\"distance_to_rotation\":", outcome.distance);
    if (has_rates()) { append(",\"distance_to_rotation_rates\":", outcome.rate_distance); }
    if (!one_row()) { text_.push_back('}'); }
  }

  std::vector<std::string> warnings() const {
    std::vector<std::string> lines;
    const std::string& to = conversion_.plan().to->name();
    const std::string all = counted(static_cast<std::uint64_t>(rows_), "row");
    if (near_.count > 0) {
      const std::string how_near =
          fmt::format("condition number {:.3g}, {:.3g} rad from the singularity", near_.value, near_.distance);
      lines.push_back(one_row()
                          ? fmt::format("{} is near its singularity here: {}; small changes of attitude become large "
                                        "changes of these numbers",
                                        to, how_near)
                          : fmt::format("{} of {} are near the singularity of {} (condition number above {:g}); "
                                        "the worst is row {}: {}",
                                        near_.count, all, to, catalog::kWorryingCondition, near_.row, how_near));
    }
    const auto tell = [&](const Worst& projected, const char* taken) {
      if (projected.count == 0) { return; }
      lines.push_back(one_row() ? fmt::format("{} taken, {} away", taken, far(projected.value))
                                : fmt::format("{} taken in {} of {}; farthest away in row {}: {}", taken,
                                              projected.count, all, projected.row, far(projected.value)));
    };
    tell(projected_, "the nearest rotation was");
    tell(projected_rates_, "the nearest rates of a rotation were");
    return lines;
  }

  void finish(const RowReader& reader, OutputFile& output) {
    if (bad_rows_ > static_cast<long>(problems_.size())) {
      problems_.push_back(
          {.what = fmt::format("... and {} more; {} in all", bad_rows_ - static_cast<long>(problems_.size()),
                               counted(static_cast<std::uint64_t>(rows_), "row")),
           .allowed = {},
           .cure = {}});
    }
    if (!problems_.empty()) { fail(Error(std::move(problems_))); }
    if (rows_ == 0 && one_row()) {
      fail(Error(Problem{.what = "the values hold no numbers",
                         .allowed = fmt::format("{} needed: {}", conversion_.input_names().size(),
                                                fmt::join(conversion_.input_names(), " ")),
                         .cure = {}}));
    }
    if (rows_ == 0 && !interrupted()) {
      refuse(fmt::format("{} holds no rows", reader.place().file), "one row of numbers a line");
    }

    const std::vector<std::string> lines = warnings();
    if (session_.json) {
      const auto of = [](const Worst& worst, const char* what) {
        return nlohmann::ordered_json{
            {"count", worst.count}, {"worst_row", worst.row}, {what, number_or_null(worst.value)}};
      };
      nlohmann::ordered_json summary{{"count", rows_},
                                     {"near_singularity", of(near_, "condition_number")},
                                     {"projected", of(projected_, "distance")}};
      if (has_rates()) { summary["projected_rates"] = of(projected_rates_, "distance"); }
      summary["warnings"] = lines;
      std::string tail = summary.dump();
      tail.front() = ',';
      if (!one_row()) { text_.push_back(']'); }
      text_.append(tail);
      text_.push_back('\n');
    }
    output.write({text_.data(), text_.size()});
    output.commit();
    if (!session_.json) {
      for (const std::string& line : lines) { session_.warn(line); }
    }
    if (!interrupted()) { session_.suggest("polhode convert " + next()); }
  }

  /// What is worth doing after this: many rows after one, rows to keep after rows shown, the way back from rows kept.
  std::string next() const {
    if (one_row()) { return same(false) + " -i FILE"; }
    if (options_.output != "-") { return same(true) + " -i " + shell_word(options_.output); }
    const bool named = !options_.input.empty() && options_.input != "-";
    return same(false) + (options_.header ? "" : " --header") + " -i " +
           (named ? shell_word(options_.input) : std::string("FILE")) + " -o OUTPUT";
  }

  /// The options that make this conversion, or the one back.
  std::string same(bool back) const {
    const catalog::ConversionPlan& plan = conversion_.plan();
    const auto choose = [&](const auto& forth, const auto& when_back) { return back ? when_back : forth; };
    std::string text =
        fmt::format("--from {} --to {}", choose(plan.from, plan.to)->name(), choose(plan.to, plan.from)->name());
    const bool degrees_in = choose(plan.degrees_in, plan.degrees_out);
    const bool degrees_out = choose(plan.degrees_out, plan.degrees_in);
    if (degrees_in || degrees_out) {
      text += degrees_in && degrees_out ? " --deg" : degrees_in ? " --deg-in" : " --deg-out";
    }
    if (has_rates()) {
      text += fmt::format(" --rates-from {} --rates-to {}", name_of(choose(plan.rates_from, plan.rates_to)),
                          name_of(choose(plan.rates_to, plan.rates_from)));
    } else if (plan.rates_from != Rates::none && !back) {
      text += fmt::format(" --rates-from {} --rates-to none", name_of(plan.rates_from));
    }
    if (!back && options_.nearest) { text += " --nearest"; }
    if (!back && options_.header) { text += " --header"; }
    if (options_.csv) { text += " --csv"; }
    return text;
  }

  const ConvertOptions& options_;
  const Session& session_;
  Conversion conversion_;
  fmt::memory_buffer text_;
  long rows_ = 0;
  long bad_rows_ = 0;
  std::vector<Problem> problems_;
  Worst near_;
  Worst projected_;
  Worst projected_rates_;
};

ResultConversion of_result(const ConvertOptions& options) {
  if (options.values.size() > 1) {
    refuse(fmt::format("{} names for one result", options.values.size()), "name one, such as t-handle.run");
  }
  if (!options.values.empty() && !options.input.empty()) { refuse("a result is named twice", "leave out -i"); }
  return {.input = options.values.empty() ? options.input : options.values.front(),
          .format = options.to,
          .output = options.output,
          .epoch = options.epoch,
          .body = options.body};
}

/// Whether a file is to be converted, and nothing says that it holds rows of rotations.
bool names_a_result(const ConvertOptions& options) {
  std::error_code none;
  return options.from.empty() && !options.to.empty() && options.values.size() == 1 &&
         std::filesystem::exists(options.values.front(), none);
}

}  // namespace

void add_convert(CLI::App& program, Session& session) {
  auto options = std::make_shared<ConvertOptions>();
  Command command =
      add_command(program, session, "convert", kConvertExample,
                  "rotations between representations and conventions; results between formats", [options, &session] {
                    if (options->from.empty() && (is_result_format(options->to) || names_a_result(*options))) {
                      return convert_result(session, of_result(*options));
                    }
                    return Run(*options, session)();
                  });
  command.footer(kConvertFooter);
  command.add_option("--from", options->from, "what the input is: REP or REP@TOOL").type_name("REP");
  command.add_option("--to", options->to, "what the output is: REP, REP@TOOL, or the format of a result")
      .type_name("REP");
  command.add_option("VALUES", options->values, "one row of numbers, after --; or RESULT, a file to convert")
      .type_name("");
  command.add_option("-i,--input", options->input, "rows of numbers, CSV or blanks between; - is standard input")
      .type_name("FILE");
  command.add_option("-o,--output", options->output, "where the rows go (standard output)").type_name("FILE");
  command.add_flag("--deg", options->deg, "angles in degrees, rates in deg/s, in and out");
  command.add_flag("--deg-in", options->deg_in, "only in");
  command.add_flag("--deg-out", options->deg_out, "only out");
  command.add_option("--rates-from", options->rates_from, "rate columns of the input").type_name("RATES");
  command.add_option("--rates-to", options->rates_to, "rate columns of the output").type_name("RATES");
  command.add_flag("--rates", options->rates, "rate columns on both sides, of the values where not said otherwise");
  command.add_flag("--nearest", options->nearest,
                   "take the nearest rotation of noisy numbers and say how far away it is");
  command.add_flag("--header", options->header, "a first line that names the columns with their units");
  command.add_option("--epoch", options->epoch, "date of t = 0, UTC, for --to aem of a result that has none")
      .type_name("DATE");
  command.add_option("--body", options->body, "of a mechanism's result: this body alone").type_name("NAME");
  command.add_flag("--csv", options->csv, "commas between the numbers (otherwise as in the input)");
}

}  // namespace polhode::app
