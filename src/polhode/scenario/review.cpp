#include "polhode/scenario/review.h"

#include <fmt/format.h>

#include <algorithm>

namespace polhode::scenario {

void Review::add(Finding finding) {
  const std::vector<Path::Step>& steps = finding.table.steps;
  for (const Path& table : distrusted_) {
    if (table.steps.size() <= steps.size() && std::equal(table.steps.begin(), table.steps.end(), steps.begin())) {
      return;
    }
  }
  findings_.push_back(std::move(finding));
}

void Review::fail_if_any() const {
  Problems problems;
  for (const Finding& finding : findings_) {
    Problem problem = finding.problem;
    if (problem.where.file.empty() && !finding.path.steps.empty()) { problem.where.file = to_text(finding.path); }
    problems.add(std::move(problem));
  }
  std::move(problems).fail_if_any();
}

std::string table_name(const Path& path) {
  std::string text;
  for (const Path::Step& step : path.steps) {
    if (step.index >= 0) {
      text = fmt::format("[[{}]] {}", step.key, step.index + 1);
    } else {
      text = text.empty() ? fmt::format("[{}]", step.key) : fmt::format("{} {}", text, step.key);
    }
  }
  return text;
}

void Desk::problem(std::string_view key, Problem problem) {
  review_->add({path_.then(key), path_, -1, std::move(problem)});
}

void Desk::problem(std::string_view key, std::string what, std::string allowed, std::string cure) {
  problem(key, Problem{.what = std::move(what), .allowed = std::move(allowed), .cure = std::move(cure)});
}

void Desk::problem(std::string_view key, const Error& error) {
  for (const Problem& one : error.problems()) { problem(key, one); }
}

void Desk::missing(std::string_view key, std::string_view wanted) {
  const std::string table = name();
  problem("", fmt::format("{} is missing{}", key, table.empty() ? "" : " in " + table),
          fmt::format("wanted: {}", wanted));
}

void Desk::problems(std::string_view key, std::string_view formula, const std::vector<formula::Mistake>& mistakes,
                    int index) {
  for (const formula::Mistake& mistake : mistakes) {
    Problem problem = mistake.problem;
    const bool here = mistake.definition.empty();
    problem.what = (here ? fmt::format("formula \"{}\": ", formula.substr(0, 60))
                         : fmt::format("definition '{}': ", mistake.definition)) +
                   problem.what;
    Path at = here ? path_.then(key, index) : Path{}.then("definitions").then(mistake.definition);
    review_->add({std::move(at), path_, static_cast<int>(mistake.at), std::move(problem)});
  }
}

void Desk::unknown_key(std::string_view key, const std::vector<std::string_view>& known) {
  Problem unknown = unknown_name("key", key, known);
  const std::string table = name();
  if (!table.empty()) { unknown.what += " in " + table; }
  review_->add({path_.then(key), path_, Review::kAtKey, std::move(unknown)});
}

}  // namespace polhode::scenario
