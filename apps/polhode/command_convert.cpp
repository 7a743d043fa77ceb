#include "command.h"
#include "polhode/catalog/row_conversion.h"
#include "polhode/catalog/urdf.h"
#include "polhode/core/counted.h"
#include "polhode/core/refuse.h"
#include "polhode/io/result_conversion.h"
#include "polhode/run/run.h"
#include "progress.h"
#include "read_apart.h"

#include <fmt/format.h>
#include <unistd.h>

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
    "  polhode convert --from euler:3-2-1 --then quaternion_wxyz --to matrix --deg -- 30 20 10 0.8 0 0.6 0\n"
    "  polhode convert --from quaternion_wxyz --vector body-to-space -- 0.8 0 0.6 0 1 0 0\n"
    "  polhode convert t-handle.run --to json -o t-handle.json\n"
    "  polhode convert robot.toml --to urdf -o robot.urdf";

constexpr const char* kConvertFooter =
    "REP is one of quaternion_wxyz, quaternion_xyzw, matrix, axis_angle, rotation_vector, rodrigues, mrp, reduced,\n"
    "euler:3-1-3[:extrinsic]; all describe body to space, and REP:space-to-body the inverse. REP@TOOL means the "
    "numbers\n"
    "as TOOL writes them, in its direction, and then quaternion and euler alone follow its habit. See: polhode list\n"
    "representations, polhode list conventions.\n"
    "RATES is values (time derivatives of the values), body or space (angular velocity in these components);\n"
    "rate columns follow the values in a row, and acceleration columns the rates. Angles are in radians unless --deg\n"
    "says otherwise.\n"
    "--then REP: a second rotation follows in each row, of a frame that the first one leads to: R = R1 R2. May be "
    "given\n"
    "several times. With --relative R = R1^T R2: the second frame as the first one sees it.\n"
    "--vector DIRECTION: three components follow, and are turned (body-to-space, space-to-body). --point DIRECTION: "
    "the\n"
    "location of the body's origin follows, then that of a point. Both in place of --to.\n"
    "RESULT is a result file (told by its content), the log of a run, also of one that was killed, or the folder of a\n"
    "run; then --to is one of csv, hdf5, json, aem. See: polhode list formats, docs/formats.md.\n"
    "A scenario of a mechanism goes --to urdf where it is a tree: docs/urdf.md.\n";

struct ConvertOptions {
  std::string from;
  std::string to;
  std::vector<std::string> values;
  std::string input;
  std::string output = "-";
  std::string rates_from;
  std::string rates_to;
  std::string accelerations_from;
  std::string accelerations_to;
  std::vector<std::string> then;
  std::string vector;
  std::string point;
  bool relative = false;
  bool rates = false;
  bool accelerations = false;
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
  const bool turns = !options.vector.empty() || !options.point.empty();
  if (!options.vector.empty() && !options.point.empty()) {
    refuse("--vector and --point are given together", "one of them");
  }
  if (turns && !options.to.empty()) {
    refuse("--to beside " + std::string(options.vector.empty() ? "--point" : "--vector"),
           "what comes out are the components that are turned: leave out --to");
  }
  if (options.from.empty() || (options.to.empty() && !turns)) {
    refuse(options.from.empty() ? "--from is missing" : "--to is missing",
           "both are needed, such as --from quaternion_wxyz --to euler:3-2-1");
  }
  if (options.relative && options.then.empty()) {
    refuse("--relative without --then",
           "give the second rotation with --then REP; the inverse of one alone is REP:space-to-body");
  }
  const bool accelerations =
      options.accelerations || !options.accelerations_from.empty() || !options.accelerations_to.empty();
  const bool rates = accelerations || options.rates || !options.rates_from.empty() || !options.rates_to.empty();
  if (turns &&
      (options.rates || !options.rates_to.empty() || options.accelerations || !options.accelerations_to.empty())) {
    refuse("rates are asked for beside components that are turned",
           "leave out --rates-to; --rates-from says of rate columns that are there, and they are passed over");
  }
  const auto kind = [&](bool any, const std::string& name) {
    return name.empty() ? (any ? Rates::values : Rates::none) : catalog::rates_named(name);
  };
  catalog::ConversionPlan plan{.from = catalog::representation(options.from),
                               .rates_from = kind(rates, options.rates_from),
                               .rates_to = kind(rates, options.rates_to),
                               .accelerations_from = kind(accelerations, options.accelerations_from),
                               .accelerations_to = kind(accelerations, options.accelerations_to),
                               .degrees_in = options.deg || options.deg_in,
                               .degrees_out = options.deg || options.deg_out,
                               .noise = options.nearest ? catalog::Noise::project : catalog::Noise::refuse};
  for (const std::string& name : options.then) { plan.then.push_back(catalog::representation(name)); }
  plan.relative = options.relative;
  if (turns) {
    plan.turning = options.point.empty() ? catalog::Turning::vector : catalog::Turning::point;
    plan.direction = catalog::direction_named(options.point.empty() ? options.vector : options.point);
    plan.rates_to = plan.accelerations_to = Rates::none;
  } else {
    plan.to = catalog::representation(options.to);
  }
  return Conversion(std::move(plan));
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

/// Rows of rotations.
class RowsCommand {
 public:
  RowsCommand(const ConvertOptions& options, const Session& session)
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
    const catalog::RowNotes notes = catalog::convert_rows(conversion_, reader,
                                                          {.one_row = one_row(),
                                                           .nearest = options_.nearest,
                                                           .header = options_.header,
                                                           .csv = options_.csv,
                                                           .json = session_.json,
                                                           .keep_going = goes_on},
                                                          [&](std::string_view text) { output.write(text); });
    output.commit();
    for (const std::string& line : session_.json ? std::vector<std::string>{} : notes.warnings) { session_.warn(line); }
    if (!interrupted()) {
      session_.suggest("polhode convert " + next());
      return kDone;
    }
    session_.warn(fmt::format("interrupted after {}; {} complete",
                              counted(static_cast<std::uint64_t>(notes.rows), "row"),
                              notes.rows == 1 ? "it is" : "these are"));
    return interrupted_status();
  }

 private:
  bool one_row() const { return !options_.values.empty(); }

  /// What is worth doing after this: many rows after one, rows to keep after rows shown, the way back from rows kept.
  std::string next() const {
    if (one_row()) { return same(false) + " -i FILE"; }
    if (options_.output != "-" && has_way_back()) { return same(true) + " -i " + in_shell(options_.output); }
    const bool named = !options_.input.empty() && options_.input != "-";
    return same(false) + (options_.header ? "" : " --header") + " -i " +
           (named ? in_shell(options_.input) : std::string("FILE")) + " -o OUTPUT";
  }
  /// Several rotations in a row, or what was turned by one, do not come back.
  bool has_way_back() const {
    return conversion_.plan().then.empty() && conversion_.plan().turning == catalog::Turning::none;
  }

  /// The options that make this conversion, or the one back.
  std::string same(bool back) const {
    const catalog::ConversionPlan& plan = conversion_.plan();
    const auto choose = [&](const auto& forth, const auto& when_back) { return back ? when_back : forth; };
    std::string text = fmt::format("--from {}", choose(plan.from, plan.to)->name());
    for (const catalog::RepresentationPtr& rep : plan.then) { text += " --then " + rep->name(); }
    if (plan.relative) { text += " --relative"; }
    if (plan.turning == catalog::Turning::none) {
      text += fmt::format(" --to {}", choose(plan.to, plan.from)->name());
    } else {
      text += " --" + catalog::output_name(plan);
    }
    const bool degrees_in = choose(plan.degrees_in, plan.degrees_out);
    const bool degrees_out = choose(plan.degrees_out, plan.degrees_in);
    if (degrees_in || degrees_out) {
      text += degrees_in && degrees_out ? " --deg" : degrees_in ? " --deg-in" : " --deg-out";
    }
    const auto derivatives = [&](const char* what, Rates from, Rates to) {
      if (to != Rates::none) {
        text += fmt::format(" --{0}-from {1} --{0}-to {2}", what, name_of(choose(from, to)), name_of(choose(to, from)));
      } else if (from != Rates::none && !back) {
        text += plan.turning == catalog::Turning::none
                    ? fmt::format(" --{0}-from {1} --{0}-to none", what, name_of(from))
                    : fmt::format(" --{0}-from {1}", what, name_of(from));
      }
    };
    derivatives("rates", plan.rates_from, plan.rates_to);
    derivatives("accelerations", plan.accelerations_from, plan.accelerations_to);
    if (!back && options_.nearest) { text += " --nearest"; }
    if (!back && options_.header) { text += " --header"; }
    if (options_.csv) { text += " --csv"; }
    return text;
  }

  const ConvertOptions& options_;
  const Session& session_;
  Conversion conversion_;
};

int convert_result(const Session& session, const ConvertOptions& options) {
  if (options.values.size() > 1) {
    refuse(fmt::format("{} names for one result", options.values.size()), "name one, such as t-handle.run");
  }
  if (!options.values.empty() && !options.input.empty()) { refuse("a result is named twice", "leave out -i"); }
  static_cast<void>(io::result_writer(options.to));  // fails with the nearest name
  const std::string named = options.values.empty() ? options.input : options.values.front();
  if (named.empty()) {
    refuse("there is no result to convert", "name it: polhode convert t-handle.run --to " + options.to);
  }
  if (session.json && options.output == "-") {
    refuse("with --json standard output holds the summary", "give the result a file: -o FILE");
  }
  const std::string input = io::result_file_in(named);
  Progress progress(session, "converting", "bytes", 1);
  const io::ResultConverter converter(
      {.input = input,
       .format = options.to,
       .epoch = options.epoch,
       .body = options.body,
       .open = open_result_apart,
       .keep_going = goes_on,
       .on_progress = [&](std::uint64_t done, std::uint64_t total) { progress.set(done, total); }});
  catch_interrupt();
  OutputFile file(options.output, stdout);
  const io::Converted done = converter.write({[&](std::string_view text) { file.write(text); }, file.writing_to()});
  progress.clear();
  if (done.interrupted) {
    session.say(fmt::format("interrupted; {} is not written", options.output));
    return interrupted_status();
  }
  file.commit();
  if (session.json) {
    write_out(io::to_json(done, input, options.output) + '\n');
    return kDone;
  }
  for (const std::string& note : done.notes) { session.warn(note); }
  session.say(fmt::format("{} and {} of {} ({}) written to {} ({})", counted(done.rows, "row"),
                          counted(done.events, "event"), input, done.input_format,
                          options.output == "-" ? "standard output" : options.output, done.output_format));
  if (const std::string lost = done.lost(); !lost.empty()) { session.say(lost); }
  return kDone;
}

/// A scenario of a mechanism to a robot in URDF.
int convert_robot(const Session& session, const ConvertOptions& options) {
  if (options.values.size() + (options.input.empty() ? 0 : 1) != 1) {
    refuse("which scenario is meant?", "name one: polhode convert robot.toml --to urdf -o robot.urdf");
  }
  const std::string input = options.values.empty() ? options.input : options.values.front();
  if (session.json && options.output == "-") {
    refuse("with --json standard output holds the summary", "give the robot a file: -o FILE");
  }
  const run::Source source = session.source();
  const io::ScenarioFile file(read_file(input), input == "-" ? "stdin" : input);
  if (!file.problems().empty()) { fail(Error(file.problems())); }
  const auto folder = [](const std::string& name) {
    return name == "-" ? std::string() : std::filesystem::path(name).parent_path().string();
  };
  const catalog::WrittenUrdf robot = catalog::to_urdf(file.scenario(), {.scenario_folder = folder(input),
                                                                        .urdf_folder = folder(options.output),
                                                                        .meshes = source.meshes,
                                                                        .parameters = source.parameters});
  write_file(options.output, robot.text);
  if (session.json) {
    write_out(catalog::to_json(robot, input, options.output) + '\n');
    return kDone;
  }
  for (const catalog::RobotNote& note : robot.notes) {
    session.say(fmt::format("{}: {}", to_text(note.kind), note.text));
  }
  session.say(fmt::format("{} and {} of {} written to {} (urdf)", counted(robot.links, "link"),
                          counted(robot.joints, "joint"), input,
                          options.output == "-" ? "standard output" : options.output));
  if (options.output != "-") {
    session.suggest("polhode import " + in_shell(options.output) + (robot.root_free ? " --floating" : "") +
                    " -o again.toml");
  }
  return kDone;
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
                    if (options->from.empty() && options->to == "urdf") { return convert_robot(session, *options); }
                    if (options->from.empty() && (io::is_result_format(options->to) || names_a_result(*options))) {
                      return convert_result(session, *options);
                    }
                    return RowsCommand(*options, session)();
                  });
  command.footer(kConvertFooter);
  command.add_option("--from", options->from, "what the input is: REP or REP@TOOL").type_name("REP");
  command.add_option("--to", options->to, "what the output is: REP, REP@TOOL, the format of a result, or urdf")
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
  command.add_option("--accelerations-from", options->accelerations_from, "acceleration columns of the input")
      .type_name("RATES");
  command.add_option("--accelerations-to", options->accelerations_to, "acceleration columns of the output")
      .type_name("RATES");
  command.add_flag("--accelerations", options->accelerations, "acceleration columns on both sides, as --rates");
  command.add_option("--then", options->then, "a further rotation in each row: R = R1 R2; may be repeated")
      .one_word()
      .type_name("REP");
  command.add_flag("--relative", options->relative, "with --then: R = R1^T R2");
  command.add_option("--vector", options->vector, "turn the three components that follow").type_name("DIRECTION");
  command.add_option("--point", options->point, "the same for a point, after the location of the body's origin")
      .type_name("DIRECTION");
  command.add_flag("--nearest", options->nearest,
                   "take the nearest rotation of noisy numbers and say how far away it is");
  command.add_flag("--header", options->header, "a first line that names the columns with their units");
  command.add_option("--epoch", options->epoch, "date of t = 0, UTC, for --to aem of a result that has none")
      .type_name("DATE");
  command.add_option("--body", options->body, "of a mechanism's result: this body alone").type_name("NAME");
  command.add_flag("--csv", options->csv, "commas between the numbers (otherwise as in the input)");
  command.add_scenario_flags(session);
}

}  // namespace polhode::app
