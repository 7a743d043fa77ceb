#include "command.h"
#include "numbers.h"
#include "polhode/analysis/identify.h"
#include "polhode/core/error.h"
#include "polhode/io/scenario_toml.h"
#include "polhode/run/run.h"
#include "read_apart.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

namespace polhode::app {
namespace {

struct IdentifyChoice {
  std::string file;
  std::vector<std::string> logs;
  std::vector<std::string> unknown, own, inertia, measured, noise, bias, scale, misalignment, time_offset;
  bool unknown_start = false;
  bool robust = false;
  std::string svg, csv, write;
};

std::vector<std::string> parts_of_list(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

/// "NAME=NUMBER" of an option.
Named<double> numbers_by_name(const char* option, const std::vector<std::string>& list) {
  Named<double> result;
  for (const std::string& one : list) {
    const std::size_t equals = one.find('=');
    if (equals == std::string::npos || equals == 0) {
      fail(Error(Problem{.what = fmt::format("{} {}: no value", option, one),
                         .allowed = "wanted: SENSOR=VALUE, such as w_body_rad_s=0.01",
                         .cure = {}}));
    }
    const std::string name = one.substr(0, equals);
    result[name] = parse_list(fmt::format("{} {} =", option, name).c_str(), one.substr(equals + 1), 1)[0];
  }
  return result;
}

int identify_file(const Session& session, const IdentifyChoice& choice) {
  const int outputs = static_cast<int>(session.json) + static_cast<int>(choice.csv == "-") +
                      static_cast<int>(choice.svg == "-") + static_cast<int>(choice.write == "-");
  if (outputs > 1) { fail(Error("--json, '--csv -', '--svg -' and '--write -' all want standard output; choose one")); }
  IdentifyOptions options;
  options.unknown = choice.unknown;
  options.own = choice.own;
  for (const std::string& one : choice.inertia) { options.inertias.push_back(parts_of_list(one)); }
  options.unknown_start = choice.unknown_start;
  options.measured = choice.measured;
  options.noise = numbers_by_name("--noise", choice.noise);
  options.bias = choice.bias;
  options.scale = choice.scale;
  options.misalignment = choice.misalignment;
  options.time_offset = numbers_by_name("--time-offset", choice.time_offset);
  options.robust = choice.robust;
  const run::Source source = session.source();
  options.parameters = source.parameters;
  options.folder = std::filesystem::path(choice.file).parent_path().string();
  options.meshes = source.meshes;

  const std::string text = read_file(choice.file);
  const io::ScenarioFile file(text, choice.file);
  // mistakes with their locations, as a run would tell them
  const std::unique_ptr<run::Run> run = run::read(text, choice.file, source);
  const MeasuredLog log = read_measured(choice.logs, open_result_apart);
  catch_interrupt();
  options.keep_going = goes_on;
  Identification found = identify(file.scenario(), log, options);
  found.scenario_file = run->head().scenario_file;
  found.scenario_sha256 = run->head().scenario_sha256;

  if (!choice.csv.empty()) { write_file(choice.csv, to_csv(found)); }
  if (!choice.svg.empty()) { write_file(choice.svg, drawing::draw(to_chart(found))); }
  if (!choice.write.empty()) { write_file(choice.write, io::to_toml(fitted(file.scenario(), found))); }
  if (session.json) {
    write_out(to_json(found) + "\n");
  } else if (outputs == 0) {
    write_out(to_text(found));
    if (choice.svg.empty()) { session.suggest("--svg residuals.svg with the same command: what is left, to look at"); }
  }
  if (found.interrupted && interrupted()) { return interrupted_status(); }
  return found.converged ? kDone : kCheckFailed;
}

}  // namespace

void add_identify(CLI::App& program, Session& session) {
  auto choice = std::make_shared<IdentifyChoice>();
  Command command =
      add_command(program, session, "identify",
                  "  polhode identify racket.toml tosses.csv --inertia J1,J2,J3 --unknown-start\n"
                  "  polhode identify pendulum.toml swing.csv --unknown damping,length --bias rod.w_body_rad_s\n"
                  "  polhode identify top.toml run.csv --unknown spin --noise w_body_rad_s=0.01 --svg residuals.svg",
                  "parameters of a scenario from measured data, with uncertainties (docs/identify.md)",
                  [choice, &session] { return identify_file(session, *choice); });
  command.add_option("FILE", choice->file, "the scenario, TOML (docs/scenario.md)").required();
  command
      .add_option(
          "LOG", choice->logs,
          "what was measured: CSV with t_s and columns named as in results, or a result; several: several recordings")
      .required();
  command.add_scenario_flags(session);
  command.add_option("--unknown", choice->unknown, "parameters that the log shall tell, separated by commas")
      .delimiter(',')
      .one_word();
  command
      .add_option("--own", choice->own,
                  "parameters with another value in every recording; NAME=COLUMN: the first number of a column is "
                  "where the search starts")
      .delimiter(',')
      .one_word();
  command
      .add_option("--inertia", choice->inertia,
                  "three parameters that are principal moments, or J11,J22,J33,J12,J13,J23: unknown, and kept physical")
      .one_word();
  command.add_flag("--unknown-start", choice->unknown_start,
                   "of one body: rate, attitude, position and velocity where a recording begins are its own");
  command
      .add_option("--measured", choice->measured, "columns of the log to go by; all that can be measured if not given")
      .delimiter(',')
      .one_word();
  command.add_option("--noise", choice->noise, "SENSOR=SIGMA: its standard deviation; estimated if not given")
      .one_word();
  command.add_option("--bias", choice->bias, "sensors with a constant error").delimiter(',').one_word();
  command.add_option("--scale", choice->scale, "sensors with an error of their scale").delimiter(',').one_word();
  command.add_option("--misalignment", choice->misalignment, "sensors turned against the body")
      .delimiter(',')
      .one_word();
  command.add_option("--time-offset", choice->time_offset, "SENSOR=MOST: its times are off, by no more than MOST s")
      .one_word();
  command.add_flag("--robust", choice->robust, "few wrong numbers do no harm");
  command.add_option("--svg", choice->svg, "measured, fitted and residuals as a plot to this file");
  command.add_option("--csv", choice->csv, "values and uncertainties as CSV to this file ('-': standard output)");
  command.add_option("--write", choice->write, "the scenario with the fitted values to this file");
}

}  // namespace polhode::app
