#pragma once

#include "polhode/io/table.h"
#include "polhode/run/simulate.h"

#include <cstdint>
#include <optional>

/// Sweeps: one scenario at every point of a grid over its parameters, a row a run.
namespace polhode {

/// A parameter of a scenario, and the values that a sweep gives it.
struct SweepAxis {
  std::string parameter;
  double from = 0;
  double to = 0;
  std::size_t count = 1;
  bool logarithmic = false;  ///< the same ratio from each value to the next; else the same difference

  /// Value i of `count`: the first is `from` and the last is `to`, to the bit. A value that rounding alone keeps from
  /// having few decimals has few decimals.
  double value(std::size_t i) const;

  /// "spin=1:10:4", or "spin=0.1:10:3:log". Fails with what is wrong.
  static SweepAxis read(std::string_view text);
};
/// "spin from 1 to 10, 4 values"
std::string to_text(const SweepAxis& axis);

/// Points that a grid has at most.
inline constexpr std::size_t kMostSweepPoints = 1'000'000;

struct SweepOptions {
  /// Columns of the runs (docs/formats.md); none: a handful that says most.
  std::vector<std::string> columns{};
  /// Values of parameters that are the same at every point.
  Named<double> parameters{};
  /// As for simulate(); called by many threads at once.
  force::Laws laws{};
  /// A certificate for every run.
  bool certify = false;
  /// 0: as many as the machine has. The rows do not depend on it.
  unsigned threads = 0;
  /// Runs whose curves are kept, spread over the grid: about as many.
  std::size_t curves = 16;
  /// Asked often, by any thread; false ends the sweep.
  std::function<bool()> keep_going{};
  /// After every row, by one thread at a time.
  std::function<void(std::uint64_t done, std::uint64_t total)> on_progress{};
  /// Where meshes are found, and whether they may lie elsewhere.
  std::string folder{};
  catalog::MeshLocations meshes = catalog::MeshLocations::below_scenario;
};

/// What all rows of a sweep share.
struct SweepHead {
  std::string title;
  std::vector<SweepAxis> axes;  ///< the last one varies fastest
  Named<double> parameters;     ///< the same at every point
  std::vector<simulation::Column> columns;
  std::vector<std::string> events;  ///< their names, each once
  bool certified = false;
  std::size_t points = 0;
  std::size_t first_that_runs = 0;
  /// By axis: which of its values are drawn. The points at which all are have curves.
  std::vector<std::vector<std::size_t>> drawn;

  /// Where a point lies on each axis, and the values there.
  std::vector<std::size_t> indices(std::size_t point) const;
  std::vector<double> values(std::size_t point) const;
  bool is_drawn(std::size_t axis, std::size_t index) const;
};

/// What a sweep tells of a column of a run. Extremes are those of the rows.
struct ColumnFacts {
  double final = 0;
  Peak largest;
  Peak smallest;
};
/// What a sweep tells of an event of a run.
struct EventFacts {
  std::uint64_t count = 0;
  double first = 0;  ///< s; counts where there is one
  double last = 0;
};

/// One point of the grid.
struct SweepRow {
  static constexpr std::string_view kRefused = "refused";

  std::size_t point = 0;
  std::vector<double> values;  ///< of the axes
  std::string ending;          ///< as simulation::to_text says it; "refused" where nothing could be run
  std::string reason;          ///< why the run failed, one line; empty where the scenario ended it
  double t_end = 0;
  std::vector<std::optional<ColumnFacts>> columns;  ///< by SweepHead::columns; none where the run has no such column
  std::vector<EventFacts> events;                   ///< by SweepHead::events
  std::optional<simulation::Verdict> verdict;
  std::optional<double> attitude_error;  ///< rad, as the certificate has it
  /// By SweepHead::columns, (t, value), thinned; of few runs, else empty.
  std::vector<std::vector<std::pair<double, double>>> curves;

  bool has_run() const { return ending != kRefused; }
  /// It reached its duration, or an event stopped it.
  bool done() const;
};

/// Rows that outlast a sweep that is ended early. Both are called by one thread at a time, and may be empty.
struct SweepMemory {
  /// The row of a point that was run before; nothing: it has to be run.
  std::function<std::optional<SweepRow>(std::size_t point)> recall{};
  /// Told every row that was run, as soon as it is there: not in the order of the points.
  std::function<void(const SweepRow&)> remember{};
};

/// A sweep, ready to be run: the scenario is compiled once.
class Sweep {
 public:
  /// Fails where an axis or a column is not in the scenario, and where the scenario can be run at no point: then
  /// with what is wrong at the first.
  Sweep(const Scenario& scenario, std::vector<SweepAxis> over, SweepOptions options = {});

  const SweepHead& head() const { return head_; }

  /// Runs every point on all threads and hands the rows out in the order of the points, one at a time; only those wait
  /// in memory that were done before their turn. A run that fails is a row. False: interrupted; rows that were done are
  /// handed out all the same.
  bool run(const std::function<void(const SweepRow&)>& take, const SweepMemory& memory = {}) const;

 private:
  Named<double> parameters_at(std::size_t point) const;
  Trajectory run_with(const Named<double>& parameters, const std::function<bool()>& keep_going, bool certify) const;
  std::optional<SweepRow> row_at(std::size_t point, const std::function<bool()>& keep_going) const;
  void find_columns();
  void choose_curves();
  bool has_curves(std::size_t point) const;

  CompiledScenario compiled_;
  SweepOptions options_;
  SweepHead head_;
};

/// All rows in memory.
struct SweepTable {
  SweepHead head;
  std::vector<SweepRow> rows;
  bool interrupted = false;
};
SweepTable sweep(const Scenario& scenario, const std::vector<SweepAxis>& over, const SweepOptions& options = {});

/// The columns of the table: point, parameters, ending, and for every column its final value and its extremes, for
/// every event how often and when.
std::vector<io::TableColumn> table_columns(const SweepHead& head);
std::vector<io::TableCell> table_row(const SweepHead& head, const SweepRow& row);
/// What the head of the table says besides: axes, parameters that were set.
std::vector<std::pair<std::string, std::string>> table_facts(const SweepHead& head);

}  // namespace polhode
