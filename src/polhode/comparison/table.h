#pragma once

#include "polhode/comparison/comparison.h"
#include "polhode/comparison/mechanism_forms.h"

namespace polhode::comparison {

/// The table as one would print it: words and numbers with few digits. Nothing in it depends on the clock.
struct PrintedTable {
  std::vector<std::string> heads;
  std::vector<std::vector<std::string>> rows;  ///< the last cell: how the row came out
  std::vector<std::string> notes;              ///< on the multipliers: "a: row e^T, lambda = 4T"
};
PrintedTable printed(const Comparison& comparison);

/// The reference in one sentence.
std::string in_words(const Reference& reference);
/// How many rows agree, are off, singular, cannot run or were not run, in one sentence.
std::string in_words(const Comparison& comparison);

/// Why rows are off, singular or cannot run, a line a reason: "off: f5: it computes another motion".
std::vector<std::string> reasons(const Comparison& comparison);

/// Where it comes from, for the head of files.
struct Origin {
  std::string title;
  std::string scenario_file;
  std::string scenario_text;
  std::string scenario_sha256;
  std::string version;
};

/// All numbers, in the shortest form that reads back to the same bits; comment lines begin with '#'.
std::string to_csv(const Comparison& comparison, const Origin& origin);
std::string to_csv(const FormComparison& comparison, const Origin& origin);
/// Where the states of a mechanism come from, in one sentence.
std::string in_words(const FormComparison& comparison);

}  // namespace polhode::comparison
