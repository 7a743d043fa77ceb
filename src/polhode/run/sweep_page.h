#pragma once

#include "polhode/drawing/thinned_line.h"
#include "polhode/report/page.h"
#include "polhode/run/sweep.h"

#include <map>

namespace polhode {

/// A sweep in words and pictures: curves of some runs over each other, finals and events against a parameter, and the
/// table. Takes the rows one by one and keeps of them what is drawn.
class SweepPage {
 public:
  explicit SweepPage(const SweepHead& head);

  void row(const SweepRow& row);

  /// The whole page. `origin` says where the table comes from; `command` makes it again, `table` is where all rows are.
  std::string html(const io::TableHead& origin, const std::string& scenario_text, const std::string& command,
                   const std::string& table) const;

  /// The first rows, final values of their columns: words and numbers with few digits.
  report::Table table() const;

  /// How many rows had each ending.
  struct Ending {
    std::uint64_t count = 0;
    std::string first_reason;  ///< of the first row with one, and which it was; "" where there is none
  };
  const std::map<std::string, Ending>& endings() const { return endings_; }
  /// How many rows had each verdict.
  const std::map<std::string, std::uint64_t>& verdicts() const { return verdicts_; }
  std::uint64_t rows() const { return rows_; }
  /// Rows that came to their end.
  std::uint64_t done() const { return done_; }
  /// "19 of 21 runs came to their end, 2 refused"
  std::string in_words() const;

 private:
  struct Line {
    std::string name;
    std::map<std::string, drawing::ThinnedLine> quantities;  ///< by the column of the table: (parameter, value)
  };
  struct Curves {
    std::string name;
    std::vector<std::vector<std::pair<double, double>>> by_column;
  };

  bool marks() const;
  void add_panel(drawing::Chart& chart, const std::string& title,
                 const std::vector<std::pair<std::string, std::string>>& quantities) const;
  drawing::Chart finals() const;
  drawing::Chart events() const;
  drawing::Chart over_time() const;

  const SweepHead* head_;
  std::size_t x_axis_ = 0;  ///< that with most values
  std::vector<Curves> curves_;
  std::vector<Line> lines_;  ///< along x_axis_, one for every choice of the others that is drawn
  std::vector<std::vector<std::string>> shown_;
  std::map<std::string, Ending> endings_;
  std::map<std::string, std::uint64_t> verdicts_;
  std::uint64_t rows_ = 0;
  std::uint64_t done_ = 0;
};

}  // namespace polhode
