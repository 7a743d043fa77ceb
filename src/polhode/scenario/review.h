#pragma once

#include "polhode/core/error.h"
#include "polhode/formula/compiler.h"
#include "polhode/scenario/keys.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace polhode::scenario {

/// What is wrong with a scenario: each problem with where it is. The reader of a scenario file knows lines
/// and columns; otherwise the path is told.
class Review {
 public:
  static constexpr int kAtKey = -2;

  struct Finding {
    Path path;        ///< of what is at fault
    Path table;       ///< that it belongs to
    int offset = -1;  ///< characters into a formula; kAtKey: its key is at fault
    Problem problem;
  };

  /// True where parameters have changed during a run: what holds for the initial state alone is not looked at.
  bool during_run = false;

  /// What follows from a table that is not to be trusted is left out.
  void add(Finding finding);
  /// Numbers of a table, or of those inside it, are not what was meant: no more is told about them.
  void distrust(const Path& table) { distrusted_.push_back(table); }
  bool empty() const { return findings_.empty(); }
  std::size_t size() const { return findings_.size(); }
  const std::vector<Finding>& findings() const { return findings_; }
  /// Fails with everything found, each at its path; returns if there is nothing.
  void fail_if_any() const;

 private:
  std::vector<Finding> findings_;
  std::vector<Path> distrusted_;
};

/// "[[load]] 2", "[initial] euler": a table as messages call it; "" for the whole scenario.
std::string table_name(const Path& path);

/// A table of a scenario under review: takes what is wrong with its keys.
class Desk final : public force::Complaints {
 public:
  Desk(Review& review, Path path) : review_(&review), path_(std::move(path)) {}

  bool at_start() const override { return !review_->during_run; }
  const Path& path() const { return path_; }
  std::string name() const { return table_name(path_); }
  /// A table inside this one.
  Desk inner(std::string_view key, int index = -1) const { return {*review_, path_.then(key, index)}; }

  /// At `key`; "": at the table itself.
  void problem(std::string_view key, std::string what, std::string allowed = {}, std::string cure = {}) override;
  void problem(std::string_view key, Problem problem);
  /// What `error` found.
  void problem(std::string_view key, const Error& error);
  /// "KEY is missing in TABLE; wanted: ..."
  void missing(std::string_view key, std::string_view wanted) override;
  /// Mistakes of a formula at `key`, or in definitions that it uses.
  void problems(std::string_view key, std::string_view formula, const std::vector<formula::Mistake>& mistakes,
                int index = -1);

  /// What another review of the same table has found.
  void take(const Review& other) {
    for (const Review::Finding& finding : other.findings()) { review_->add(finding); }
  }

  /// Keys that are given and not among the known ones are told as unknown.
  template <Table T>
  void only(const T& table, const std::vector<std::string_view>& known) {
    for (const std::string_view key : given_keys(table)) {
      if (std::find(known.begin(), known.end(), key) == known.end()) { unknown_key(key, known); }
    }
  }
  void unknown_key(std::string_view key, const std::vector<std::string_view>& known) override;

  /// What a library function refuses becomes a problem at `key`.
  template <class F>
  auto noting(std::string_view key, const F& f) -> std::optional<decltype(f())> {
    try {
      return f();
    } catch (const Error& error) {
      problem(key, error);
      return {};
    }
  }

 private:
  Review* review_;
  Path path_;
};

}  // namespace polhode::scenario
