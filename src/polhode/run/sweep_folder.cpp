#include "polhode/run/sweep_folder.h"

#include "polhode/core/counted.h"
#include "polhode/core/error.h"
#include "polhode/core/shell.h"
#include "polhode/core/version.h"
#include "polhode/io/files.h"
#include "polhode/run/sweep_log.h"
#include "polhode/run/sweep_page.h"
#include "polhode/run/unfinished.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>

namespace polhode::run {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// Rows that JSON and the terminal hold; all are in the table.
constexpr std::size_t kMostJsonRows = 10'000;
constexpr std::size_t kMostPrintedRows = 24;

constexpr const char* kSweepLogName = "sweep.plog";

Json json_cell(const io::TableCell& cell) {
  if (const auto* x = std::get_if<double>(&cell)) { return std::isfinite(*x) ? Json(*x) : Json(nullptr); }
  if (const auto* n = std::get_if<std::uint64_t>(&cell)) { return *n; }
  if (const auto* words = std::get_if<std::string>(&cell)) { return *words; }
  return nullptr;
}

/// Columns as wide as they need, numbers to the right; what is empty in all rows is left out.
std::string printed_table(const report::Table& table) {
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

class FolderSweep {
 public:
  FolderSweep(const std::string& text, const std::string& file, const Source& source, const SweepFolderOptions& choice)
      : choice_(choice),
        source_(source),
        path_(file),
        text_(text),
        file_(text_, file),
        folder_(choice.folder.empty() ? fs::path(file).stem().string() + ".sweep" : choice.folder) {
    for (const std::string& one : choice.over) { axes_.push_back(SweepAxis::read(one)); }
    for (const std::string& format : choice.formats) {
      if (format != "csv" && format != "hdf5") { fail(Error(unknown_name("format", format, {"csv", "hdf5"}))); }
      if (format == "hdf5") { io::require_hdf5(); }
    }
    if (choice.has_format("hdf5") && !choice.report) {
      fail(Error("--format hdf5 writes into the folder, and --no-report makes none; leave one of them out"));
    }
    if (choice.resume && choice.overwrite) {
      fail(Error("--resume goes on with what is in the folder and --overwrite discards it; give one of them"));
    }
    if (choice.resume && !choice.report) {
      fail(Error("--resume goes on with what is in the folder, and --no-report makes none; leave one of them out"));
    }
    options_.columns = choice.columns;
    options_.parameters = source_.parameters;
    options_.meshes = source_.meshes;
    for (const SweepAxis& axis : axes_) {
      if (options_.parameters.contains(axis.parameter)) {
        fail(Error(fmt::format("--over and --set both give '{}' its values; leave one of them out", axis.parameter)));
      }
    }
    options_.certify = choice.certify;
    options_.threads = choice.threads;
    options_.curves = choice.report ? options_.curves : 0;
    options_.keep_going = choice.keep_going;
    options_.folder = fs::path(path_).parent_path().string();
    if (options_.folder.empty()) { options_.folder = "."; }
  }

  Swept operator()() {
    const catalog::ScenarioHead scenario = prepare();
    const SweepHead& head = sweep_->head();
    table_ = {.title = scenario.title,
              .version = std::string(version()),
              .scenario_file = fs::path(path_).filename().string(),
              .scenario_sha256 = scenario.sha256,
              .facts = table_facts(head),
              .columns = table_columns(head)};
    if (choice_.report) { take_folder(scenario); }
    SweepPage page(head);
    const bool whole = write_tables(page);
    if (folder_files_) {
      write_page(page);
      if (whole) { finish_folder(); }
    }
    Swept swept;
    swept.text = in_text(page, whole);
    if (choice_.json) { swept.json = in_json(page, whole); }
    swept.files = written_;
    swept.points = head.points;
    swept.rows = page.rows();
    swept.interrupted = !whole;
    swept.good = page.done() == page.rows() &&
                 !page.verdicts().contains(std::string(simulation::to_text(simulation::Verdict::no)));
    return swept;
  }

 private:
  /// With every mistake at its location in the file.
  catalog::ScenarioHead read(const Named<double>& values) const {
    if (file_.scenario().is_mechanism()) {
      return static_cast<const catalog::ScenarioHead&>(catalog::read_mechanism(text_, path_, source_.meshes, values));
    }
    return static_cast<const catalog::ScenarioHead&>(catalog::read_scenario(text_, path_, source_.meshes, values));
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
      options_.on_progress = choice_.on_progress;
      sweep_.emplace(file_.scenario(), axes_, options_);
    } catch (const Error&) {
      const bool known = std::all_of(axes_.begin(), axes_.end(), [this](const SweepAxis& axis) {
        return file_.scenario().parameters.contains(axis.parameter);
      });
      if (known) { static_cast<void>(read(values_at(0))); }  // says the same with locations, if it is the file's
      throw;
    }
    return read(values_at(sweep_->head().first_that_runs));
  }

  /// Settles what becomes of what is in the folder.
  void take_folder(const catalog::ScenarioHead& scenario) {
    folder_files_.emplace(folder_);
    log_.emplace(folder_files_->path_of(kSweepLogName), sweep_->head(), table_);
    std::error_code none;
    const bool resumed = choice_.resume && fs::exists(folder_files_->path_of(kSweepLogName), none);
    const io::FolderOrigin origin{"sweep", std::string(version()), io::way_to(path_, folder_), scenario.sha256};
    if (resumed) {
      log_->find_rows();
    } else if (!choice_.overwrite) {
      require_nothing_unfinished(*folder_files_, origin);
    }
    const bool goes_on = log_->rows_found() > 0;
    folder_files_->start({.origin = origin,
                          .names = {kSweepLogName, "sweep.csv", "sweep.h5", "sweep.html"},
                          .kept = goes_on ? kSweepLogName : "",
                          .same_scenario = choice_.folder.empty(),
                          .overwrite = choice_.overwrite});
    if (!goes_on) { folder_files_->add_growing(kSweepLogName); }
    log_->open();
    if (goes_on && choice_.say) {
      choice_.say(fmt::format("Going on with {} of {}.", log_->rows_found(), counted(sweep_->head().points, "point")));
    }
  }

  /// The rows are in the table: their log has done its work.
  void finish_folder() {
    log_->close();
    folder_files_->finish();
    folder_files_->drop(kSweepLogName);
  }

  /// What of the rows outlasts the program.
  SweepMemory memory() {
    if (!log_) { return {}; }
    return {.recall = [this](std::size_t point) { return log_->recall(point); },
            .remember = [this](const SweepRow& row) { log_->remember(row); }};
  }

  /// Whether all points were run.
  bool write_tables(SweepPage& page) {
    std::optional<io::OutputFile> csv;
    std::optional<io::OutputFile> hdf5;
    std::optional<io::Hdf5Table> hdf5_table;
    const auto in_folder = [&](const char* name) {
      written_.push_back(folder_files_->path_of(name));
      return folder_files_->claim(name);
    };
    if (!choice_.csv.empty()) {
      csv.emplace(choice_.csv, choice_.standard_output);
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
    const auto take = [&](const SweepRow& row) {
      const std::vector<io::TableCell> cells = table_row(head, row);
      if (csv) { csv->write(io::csv_row(cells)); }
      if (hdf5_table) { hdf5_table->row(cells); }
      if (choice_.json && json_rows_.size() < kMostJsonRows) {
        Json one = Json::object();
        for (std::size_t i = 0; i < cells.size(); ++i) { one[table_.columns[i].name] = json_cell(cells[i]); }
        json_rows_.push_back(std::move(one));
      }
      page.row(row);
    };
    const bool whole = sweep_->run(take, memory());
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
    for (const auto& [name, value] : source_.parameters) { text += fmt::format(" --set {}={}", name, value); }
    for (const std::string& one : choice_.over) { text += " --over " + in_shell(one); }
    if (!choice_.columns.empty()) {
      text += " --columns " + in_shell(fmt::format("{}", fmt::join(choice_.columns, ",")));
    }
    if (choice_.certify) { text += " --certify"; }
    return text;
  }

  void write_page(const SweepPage& page) {
    const char* const where = !choice_.csv.empty() ? "the table" : choice_.has_format("csv") ? "sweep.csv" : "sweep.h5";
    io::write_into(*folder_files_, "sweep.html", page.html(table_, text_, command(), where));
    written_.push_back(folder_files_->path_of("sweep.html"));
  }

  std::string in_json(const SweepPage& page, bool whole) const {
    const SweepHead& head = sweep_->head();
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
    return json.dump(2, ' ', false, Json::error_handler_t::replace);
  }

  std::string in_text(const SweepPage& page, bool whole) const {
    const SweepHead& head = sweep_->head();
    std::string text = table_.title + "\n";
    for (const auto& [name, value] : table_.facts) {
      if (name != "points") { text += fmt::format("{}: {}\n", name, value); }
    }
    text += '\n' + printed_table(page.table());
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
    return text;
  }

  const SweepFolderOptions& choice_;
  const Source& source_;
  std::string path_;
  std::string text_;
  io::ScenarioFile file_;
  std::string folder_;
  std::vector<SweepAxis> axes_;
  SweepOptions options_;
  std::optional<Sweep> sweep_;
  io::TableHead table_;
  std::optional<io::OutputFolder> folder_files_;
  std::optional<SweepLog> log_;
  std::vector<std::string> written_;
  std::vector<Json> json_rows_;
};

}  // namespace

Swept sweep_into_folder(const std::string& text, const std::string& file, const Source& source,
                        const SweepFolderOptions& options) {
  return FolderSweep(text, file, source, options)();
}

}  // namespace polhode::run
