#include "command.h"
#include "polhode/catalog/mechanism_scenario.h"
#include "polhode/core/counted.h"
#include "polhode/core/error.h"
#include "polhode/core/version.h"
#include "polhode/io/output_folder.h"
#include "polhode/run/sweep_page.h"
#include "progress.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>

namespace polhode::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct SweepChoice {
  std::string file;
  std::vector<std::string> over;
  std::vector<std::string> columns;
  std::vector<std::string> formats{"csv"};
  std::string folder;
  std::string csv;
  unsigned threads = 0;
  bool certify = false;
  bool overwrite = false;
  bool no_report = false;

  bool has_format(std::string_view name) const {
    return std::find(formats.begin(), formats.end(), name) != formats.end();
  }
};

/// Rows that JSON and the terminal hold; all are in the table.
constexpr std::size_t kMostJsonRows = 10'000;
constexpr std::size_t kMostPrintedRows = 24;

Json json_cell(const io::TableCell& cell) {
  if (const auto* x = std::get_if<double>(&cell)) { return number_or_null(*x); }
  if (const auto* n = std::get_if<std::uint64_t>(&cell)) { return *n; }
  if (const auto* words = std::get_if<std::string>(&cell)) { return *words; }
  return nullptr;
}

/// Columns as wide as they need, numbers to the right; what is empty in all rows is left out.
std::string printed(const report::Table& table) {
  const std::size_t rows = std::min(table.rows.size(), kMostPrintedRows);
  std::vector<std::size_t> widths;
  for (std::size_t k = 0; k < table.heads.size(); ++k) {
    std::size_t width = 0;
    for (std::size_t i = 0; i < rows; ++i) { width = std::max(width, table.rows[i][k].size()); }
    widths.push_back(width == 0 ? 0 : std::max(width, table.heads[k].size()));
  }
  std::string text;
  const auto add = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t k = 0; k < cells.size(); ++k) {
      if (widths[k] == 0) { continue; }
      const bool words = table.heads[k] == "ending" || table.heads[k] == "certificate" || table.heads[k] == "reason";
      line += words ? fmt::format("{:<{}}  ", cells[k], widths[k]) : fmt::format("{:>{}}  ", cells[k], widths[k]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  };
  add(table.heads);
  for (std::size_t i = 0; i < rows; ++i) { add(table.rows[i]); }
  return text;
}

class SweepCommand {
 public:
  SweepCommand(const Session& session, const SweepChoice& choice, std::string text)
      : session_(session),
        choice_(choice),
        text_(std::move(text)),
        file_(text_, choice.file),
        folder_(choice.folder.empty() ? fs::path(choice.file).stem().string() + ".sweep" : choice.folder) {
    for (const std::string& one : choice.over) { axes_.push_back(SweepAxis::read(one)); }
    for (const std::string& format : choice.formats) {
      if (format != "csv" && format != "hdf5") { fail(Error(unknown_name("format", format, {"csv", "hdf5"}))); }
      if (format == "hdf5") { io::require_hdf5(); }
    }
    if (choice.has_format("hdf5") && choice.no_report) {
      fail(Error("--format hdf5 writes into the folder, and --no-report makes none; leave one of them out"));
    }
    if (session.allow_outside) {
      fail(Error(Problem{.what = "a sweep takes meshes from the folder of its scenario, and from folders below it",
                         .allowed = {},
                         .cure = "copy them there, and leave --allow-outside out"}));
    }
    options_.columns = choice.columns;
    options_.certify = choice.certify;
    options_.threads = choice.threads;
    options_.curves = choice.no_report ? 0 : options_.curves;
    options_.keep_going = [] { return !interrupted(); };
    options_.folder = fs::path(choice.file).parent_path().string();
    if (options_.folder.empty()) { options_.folder = "."; }
  }

  int operator()() {
    const catalog::ScenarioHead scenario = prepare();
    const SweepHead& head = sweep_->head();
    table_ = {.title = scenario.title,
              .version = std::string(version()),
              .scenario_file = fs::path(choice_.file).filename().string(),
              .scenario_sha256 = scenario.sha256,
              .facts = table_facts(head),
              .columns = table_columns(head)};
    if (!choice_.no_report) {
      folder_files_.emplace(folder_);
      folder_files_->start(
          {.origin = {"sweep", std::string(version()), io::way_to(choice_.file, folder_), scenario.sha256},
           .names = {"sweep.csv", "sweep.h5", "sweep.html"},
           .kept = {},
           .same_scenario = choice_.folder.empty(),
           .overwrite = choice_.overwrite});
    }
    catch_interrupt();
    SweepPage page(head);
    const bool whole = write_tables(page);
    write_page(page);
    show(page, whole);
    if (!whole) { return interrupted_status(); }
    const bool failed = page.verdicts().contains(std::string(simulation::to_text(simulation::Verdict::no)));
    return failed || page.done() < page.rows() ? kCheckFailed : kDone;
  }

 private:
  /// With every mistake at its place in the file.
  catalog::ScenarioHead read(const Named<double>& values) const {
    if (file_.scenario().is_mechanism()) {
      return catalog::read_mechanism(text_, choice_.file, session_.mesh_places(), values);
    }
    return catalog::read_scenario(text_, choice_.file, session_.mesh_places(), values);
  }
  Named<double> values_at(std::size_t point) const {
    SweepHead grid;
    grid.axes = axes_;
    const std::vector<double> at = grid.values(point);
    Named<double> values = options_.parameters;
    for (std::size_t i = 0; i < at.size(); ++i) { values[axes_[i].parameter] = at[i]; }
    return values;
  }

  catalog::ScenarioHead prepare() {
    if (!file_.problems().empty()) { return read({}); }  // fails
    try {
      // the bar comes later than this
      options_.on_progress = [this](std::uint64_t done, std::uint64_t) {
        if (progress_) { progress_->set(done); }
      };
      sweep_.emplace(file_.scenario(), axes_, options_);
    } catch (const Error&) {
      const bool known = std::all_of(axes_.begin(), axes_.end(), [this](const SweepAxis& axis) {
        return file_.scenario().parameters.contains(axis.parameter);
      });
      if (known) { static_cast<void>(read(values_at(0))); }  // says the same with places, if it is the file's
      throw;
    }
    return read(values_at(sweep_->head().first_that_runs));
  }

  /// Whether all points were run.
  bool write_tables(SweepPage& page) {
    std::optional<OutputFile> csv;
    std::optional<OutputFile> hdf5;
    std::optional<io::Hdf5Table> hdf5_table;
    const auto in_folder = [&](const char* name) {
      written_.push_back(folder_files_->path_of(name));
      return folder_files_->claim(name);
    };
    if (!choice_.csv.empty()) {
      csv.emplace(choice_.csv);
      if (choice_.csv != "-") { written_.push_back(choice_.csv); }
    } else if (folder_files_ && choice_.has_format("csv")) {
      csv.emplace(in_folder("sweep.csv"));
    }
    if (choice_.has_format("hdf5")) {
      hdf5.emplace(in_folder("sweep.h5"));
      hdf5_table.emplace(table_, hdf5->writing_to());
    }
    if (csv) { csv->write(csv_head(table_)); }
    const SweepHead& head = sweep_->head();
    progress_.emplace(session_, "sweeping", "runs", head.points);
    const bool whole = sweep_->run([&](const SweepRow& row) {
      const std::vector<io::TableCell> cells = table_row(head, row);
      if (csv) { csv->write(io::csv_row(cells)); }
      if (hdf5_table) { hdf5_table->row(cells); }
      if (session_.json && json_rows_.size() < kMostJsonRows) {
        Json one = Json::object();
        for (std::size_t i = 0; i < cells.size(); ++i) { one[table_.columns[i].name] = json_cell(cells[i]); }
        json_rows_.push_back(std::move(one));
      }
      page.row(row);
    });
    progress_.reset();
    const std::string cut = whole ? "" : fmt::format("{} of {}", page.rows(), counted(head.points, "point"));
    if (csv) {
      if (!whole) { csv->write(io::csv_comment("interrupted", cut)); }
      csv->commit([&](const std::string& bytes) {
        if (choice_.csv.empty()) { folder_files_->add("sweep.csv", bytes); }
      });
    }
    if (hdf5_table) {
      hdf5_table->finish(whole ? "" : "interrupted", cut);
      hdf5->commit([&](const std::string& bytes) { folder_files_->add("sweep.h5", bytes); });
    }
    return whole;
  }

  std::string command() const {
    std::string text = "polhode sweep " + in_shell(table_.scenario_file);
    for (const std::string& one : choice_.over) { text += " --over " + in_shell(one); }
    if (!choice_.columns.empty()) {
      text += " --columns " + in_shell(fmt::format("{}", fmt::join(choice_.columns, ",")));
    }
    if (choice_.certify) { text += " --certify"; }
    return text;
  }

  void write_page(const SweepPage& page) {
    if (!folder_files_) { return; }
    const char* const where = !choice_.csv.empty() ? "the table" : choice_.has_format("csv") ? "sweep.csv" : "sweep.h5";
    write_into(*folder_files_, "sweep.html", page.html(table_, text_, command(), where));
    written_.push_back(folder_files_->path_of("sweep.html"));
    folder_files_->finish();
  }

  void show(const SweepPage& page, bool whole) const {
    const SweepHead& head = sweep_->head();
    if (session_.json) {
      Json over = Json::array();
      for (const SweepAxis& axis : head.axes) {
        over.push_back({{"parameter", axis.parameter},
                        {"from", axis.from},
                        {"to", axis.to},
                        {"count", axis.count},
                        {"spacing", axis.logarithmic ? "logarithmic" : "linear"}});
      }
      Json set = Json::object();
      for (const auto& [name, value] : head.parameters) { set[name] = value; }
      Json columns = Json::array();
      for (const io::TableColumn& column : table_.columns) {
        columns.push_back({{"name", column.name}, {"unit", column.unit}, {"meaning", column.meaning}});
      }
      Json counts = Json::object();
      for (const auto& [name, ending] : page.endings()) { counts[name] = ending.count; }
      Json verdicts = Json::object();
      for (const auto& [name, count] : page.verdicts()) { verdicts[name] = count; }
      Json json{{"what", "sweep"},
                {"title", table_.title},
                {"version", version()},
                {"scenario_sha256", table_.scenario_sha256},
                {"over", over},
                {"set", set},
                {"points", head.points},
                {"interrupted", !whole},
                {"rows_done", page.rows()},
                {"counts", counts},
                {"certificates", verdicts},
                {"columns", columns},
                {"rows", json_rows_},
                {"rows_left_out", page.rows() - json_rows_.size()},
                {"files", written_}};
      write_json(json);
      return;
    }
    if (choice_.csv == "-") {
      if (!whole) {
        session_.warn(fmt::format("interrupted after {} of {}", page.rows(), counted(head.points, "point")));
      }
      return;
    }
    std::string text = table_.title + "\n";
    for (const auto& [name, value] : table_.facts) {
      if (name != "points") { text += fmt::format("{}: {}\n", name, value); }
    }
    text += '\n' + printed(page.table());
    if (page.rows() > kMostPrintedRows) {
      text += fmt::format("and {}\n", counted(page.rows() - kMostPrintedRows, "more row"));
    }
    text += '\n';
    if (!whole) { text += fmt::format("interrupted after {} of {}: ", page.rows(), counted(head.points, "point")); }
    text += page.in_words() + '\n';
    for (const auto& [name, ending] : page.endings()) {
      if (!ending.first_reason.empty()) { text += fmt::format("first {}: {}\n", name, ending.first_reason); }
    }
    if (!written_.empty()) { text += fmt::format("files: {}\n", fmt::join(written_, ", ")); }
    write_out(text);
    if (!choice_.certify) { session_.suggest(suggestion()); }
  }

  std::string suggestion() const {
    std::string text = "polhode sweep " + session_.scenario_arguments(choice_.file);
    for (const std::string& one : choice_.over) { text += " --over " + in_shell(one); }
    return text + " --certify";
  }

  const Session& session_;
  const SweepChoice& choice_;
  std::string text_;
  io::ScenarioFile file_;
  std::string folder_;
  std::vector<SweepAxis> axes_;
  SweepOptions options_;
  std::optional<Sweep> sweep_;
  std::optional<Progress> progress_;
  io::TableHead table_;
  std::optional<io::OutputFolder> folder_files_;
  std::vector<std::string> written_;
  std::vector<Json> json_rows_;
};

}  // namespace

void add_sweep(CLI::App& program, Session& session) {
  auto choice = std::make_shared<SweepChoice>();
  Command command = add_command(
      program, session, "sweep",
      "  polhode sweep top.toml --over spin=100:400:7            a table and a page of plots, a run a value\n"
      "  polhode sweep top.toml --over spin=1:1e3:13:log --over tilt_deg=10:60:6 --certify\n"
      "  polhode sweep arm.toml --over k=0:5:100 --columns elbow.turn_rad,kinetic_J --csv -",
      "a grid over parameters of a scenario: finals, extremes and events of every run, plots over each other",
      [choice, &session] {
        if (choice->csv == "-" && session.json) {
          fail(Error("--json and '--csv -' both want standard output; give the table a file name"));
        }
        if (choice->over.empty()) {
          fail(Error(Problem{.what = "nothing to sweep over",
                             .allowed = "wanted: --over NAME=FROM:TO:COUNT, once or more",
                             .cure = "NAME is one of [parameters] of the scenario"}));
        }
        return SweepCommand(session, *choice, read_file(choice->file))();
      });
  command.add_option("FILE", choice->file, "the scenario, TOML (docs/scenario.md)").required();
  command.add_scenario_flags(session);
  command
      .add_option("--over", choice->over, "a parameter and its values: NAME=FROM:TO:COUNT, or ...:log; may be repeated")
      .one_word();
  command
      .add_option("--columns", choice->columns,
                  "columns of the runs, separated by commas (rates, or joint coordinates)")
      .delimiter(',')
      .one_word();
  command.add_flag("--certify", choice->certify, "a certificate for every run");
  command.add_option("-o,--output", choice->folder, "folder for table and page; FILE without ending + .sweep");
  command.add_option("--csv", choice->csv, "the table as CSV to this file ('-': standard output)");
  command.add_option("--format", choice->formats, "formats of the table in the folder: csv, hdf5; separated by commas")
      .delimiter(',')
      .one_word();
  command.add_option("--threads", choice->threads, "how many; the numbers do not depend on it");
  command.add_flag("--overwrite", choice->overwrite, "also over files in the folder that are not of a sweep");
  command.add_flag("--no-report", choice->no_report, "no page, and no folder");
}

}  // namespace polhode::app
