#pragma once

#include "polhode/comparison/scheme_trials.h"
#include "polhode/drawing/chart.h"

#include <map>

/// Every fixed-step scheme on one body, with advice: what `polhode schemes` shows.
namespace polhode::comparison {

/// A free body that spins next to its middle axis, advanced by fixed steps.
struct SchemeQuestion {
  FreeSpin body{};
  double step = 0;
  double turns = 100;

  double angle() const { return body.rate * step; }  ///< ωh, rad
};

/// A scheme and what it did.
struct TrialRow {
  const SchemeEntry* scheme = nullptr;  ///< of the table
  Trial trial{};
  std::optional<double> cost_ns;
};

/// The cheapest that holds energy and momentum within 1 % and flips on time within 1 %; where none does, the nearest.
struct SchemeAdvice {
  std::string scheme;
  std::string reason;
};

struct SchemeTable {
  SchemeQuestion question;
  double period = 0;  ///< of the exact motion, s; infinite where the body does not flip
  std::vector<SchemeEntry> entries;
  std::vector<TrialRow> rows;                  ///< one for each entry
  std::map<std::string, SchemeAdvice> advice;  ///< by "float" and "double"
  bool interrupted = false;
};

/// `precision`: "float", "double" or "both". Fails with the nearest name.
SchemeTable try_schemes(const SchemeQuestion& question, const std::string& precision,
                        const std::function<bool()>& keep_going = {});
/// Errors of energy and period over the size of the step; nothing where it was interrupted.
std::optional<drawing::Chart> error_chart(const SchemeTable& table, const std::function<bool()>& keep_going = {});

/// The table and the advice for people; one JSON object, with the file of the plot where there is one.
std::string to_text(const SchemeTable& table);
std::string to_json(const SchemeTable& table, const std::string& plot);
/// "Free body, moments 1 2 3, spin 6 rad/s ..."
std::string in_words(const SchemeTable& table);

}  // namespace polhode::comparison
