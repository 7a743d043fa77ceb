#include "command.h"
#include "polhode/analysis/root_locus.h"
#include "polhode/core/error.h"
#include "polhode/io/scenario_toml.h"
#include "polhode/run/run.h"
#include "progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

namespace polhode::app {
namespace {

struct LinearizeChoice {
  std::string file;
  std::vector<std::string> inputs, outputs, states;
  std::string about = "steady";
  double at = 0;
  bool without_ignorable = false;
  std::string over;
  std::string output, format;
};

/// What a file holds, by --format or by its ending.
std::string format_of(const LinearizeChoice& choice, bool locus) {
  std::string format = choice.format;
  const std::string ending = std::filesystem::path(choice.output).extension().string();
  if (format.empty()) {
    format = ending == ".m"      ? "matlab"
             : ending == ".svg"  ? "svg"
             : ending == ".html" ? "html"
             : ending == ".json" ? "json"
             : ending == ".csv"  ? "csv"
                                 : "";
  }
  const std::vector<std::string_view> known = locus ? std::vector<std::string_view>{"csv", "json", "svg", "html"}
                                                    : std::vector<std::string_view>{"csv", "json", "matlab"};
  if (std::find(known.begin(), known.end(), format) == known.end()) {
    fail(Error(Problem{.what = format.empty()
                                   ? fmt::format("'{}' does not say what it shall hold", choice.output)
                                   : fmt::format("format '{}' is not one of {}", format,
                                                 locus ? "eigenvalues against a parameter" : "state matrices"),
                       .allowed = fmt::format("known: {}", fmt::join(known, ", ")),
                       .cure = "give --format, or a file name that ends with .csv, .json, or the like"}));
  }
  return format;
}

int linearize_file(const Session& session, const LinearizeChoice& choice) {
  LinearizeOptions options;
  options.inputs = choice.inputs;
  options.outputs = choice.outputs;
  options.states = choice.states;
  options.at = choice.at;
  options.without_ignorable = choice.without_ignorable;
  if (choice.about != "steady" && choice.about != "state") {
    fail(Error(unknown_name("kind of state", choice.about, {"steady", "state"})));
  }
  options.about = choice.about == "state" ? About::state : About::steady;
  const run::Source source = session.source();
  options.parameters = source.parameters;
  options.folder = std::filesystem::path(choice.file).parent_path().string();
  options.meshes = source.meshes;
  const std::string text = read_file(choice.file);
  const io::ScenarioFile file(text, choice.file);
  // mistakes with their locations, as a run would tell them
  static_cast<void>(run::read(text, choice.file, source));
  const CompiledScenario scenario(file.scenario(), options.folder, {}, options.meshes);

  if (choice.over.empty()) {
    const Linearization linear = linearize(scenario, options);
    if (!choice.output.empty()) {
      const std::string format = format_of(choice, false);
      write_file(choice.output, format == "matlab" ? to_matlab(linear)
                                : format == "json" ? to_json(linear) + "\n"
                                                   : to_csv(linear));
    }
    if (session.json) {
      write_out(to_json(linear) + "\n");
    } else if (choice.output != "-") {
      write_out(to_text(linear));
      if (choice.output.empty()) {
        session.suggest("polhode linearize " + session.scenario_arguments(choice.file) + " -o model.m");
      }
    }
    return kDone;
  }
  catch_interrupt();
  const SweepAxis axis = SweepAxis::read(choice.over);
  Progress progress(session, "linearising", "points", 1);
  const RootLocus locus = root_locus(scenario, axis, options, goes_on,
                                     [&](std::uint64_t done, std::uint64_t total) { progress.set(done, total); });
  progress.clear();
  const std::string again =
      fmt::format("polhode linearize {} --over {}", session.scenario_arguments(choice.file), in_shell(choice.over));
  if (!choice.output.empty()) {
    const std::string format = format_of(choice, true);
    write_file(choice.output, format == "svg"    ? drawing::draw(to_chart(locus))
                              : format == "json" ? to_json(locus) + "\n"
                              : format == "html" ? to_page(locus, again, choice.file, text)
                                                 : to_csv(locus));
  }
  if (session.json) {
    write_out(to_json(locus) + "\n");
  } else if (choice.output != "-") {
    write_out(to_text(locus));
    if (choice.output.empty()) { session.suggest(again + " -o eigenvalues.svg"); }
  }
  return locus.interrupted ? interrupted_status() : kDone;
}

}  // namespace

void add_linearize(CLI::App& program, Session& session) {
  auto choice = std::make_shared<LinearizeChoice>();
  Command command = add_command(
      program, session, "linearize",
      "  polhode linearize whipple-bicycle.toml --set v=5                 state matrix, eigenvalues and modes\n"
      "  polhode linearize whipple-bicycle.toml --over v=0:10:201 -o eigenvalues.svg\n"
      "  polhode linearize arm.toml --input torque --output-columns tip.rx_space_m -o model.m",
      "equilibrium or steady motion: state matrices, eigenvalues and modes, also against a parameter",
      [choice, &session] { return linearize_file(session, *choice); });
  command.add_option("FILE", choice->file, "the scenario, TOML (docs/scenario.md)").required();
  command.add_scenario_flags(session);
  command
      .add_option("--input", choice->inputs, "parameters that are inputs, separated by commas; forces are made of them")
      .delimiter(',')
      .one_word();
  command.add_option("--output-columns", choice->outputs, "columns of results that are outputs, separated by commas")
      .delimiter(',')
      .one_word();
  command.add_option("--states", choice->states, "coordinates and rates that shall be states, separated by commas")
      .delimiter(',')
      .one_word();
  command
      .add_option("--about", choice->about,
                  "steady: an equilibrium or a steady motion; state: at this moment, whatever it is")
      .type_name("steady|state");
  command.add_option("--at", choice->at, "the moment whose state is meant, s: the scenario is run up to it");
  command.add_flag("--without-ignorable", choice->without_ignorable, "leaves out coordinates on which no rate depends");
  command.add_option("--over", choice->over, "eigenvalues against a parameter: NAME=FROM:TO:COUNT, or ...:log");
  command.add_option("-o,--output", choice->output,
                     "writes a file ('-': standard output): .csv, .json, .m; with --over .csv, .json, .svg, .html");
  command.add_option("--format", choice->format,
                     "what the file holds, where its name does not say: csv, json, matlab, svg, html");
}

}  // namespace polhode::app
