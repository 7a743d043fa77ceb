#include "polhode/core/error.h"

#include <algorithm>
#include <numeric>

namespace polhode {
namespace {

constexpr std::size_t kMostLines = 12;

std::string join(const std::vector<Problem>& problems) {
  std::string text;
  const std::size_t shown = problems.size() > kMostLines ? kMostLines - 1 : problems.size();
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) { text += '\n'; }
    text += to_line(problems[i]);
  }
  if (shown < problems.size()) { text += "\n... and " + std::to_string(problems.size() - shown) + " more"; }
  return text;
}

/// Restricted Damerau-Levenshtein distance, letter case ignored: a swap of neighbours counts as one.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  const auto same = [](char x, char y) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return lower(x) == lower(y);
  };
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> now(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (same(a[i - 1], b[j - 1]) ? 0U : 1U)});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1])) {
        now[j] = std::min(now[j], before[j - 2] + 1);
      }
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

}  // namespace

std::string to_line(const Problem& problem) {
  std::string text;
  if (!problem.where.file.empty()) {
    text += problem.where.file;
    if (problem.where.line > 0) {
      text += ':' + std::to_string(problem.where.line);
      if (problem.where.column > 0) { text += ':' + std::to_string(problem.where.column); }
    }
    text += ": ";
  }
  text += problem.what;
  if (!problem.allowed.empty()) { text += "; " + problem.allowed; }
  if (!problem.cure.empty()) { text += "; " + problem.cure; }
  return text;
}

Error::Error(std::string what) : Error(Problem{.what = std::move(what), .allowed = {}, .cure = {}}) {}

Error::Error(Problem problem) : Error(std::vector<Problem>{std::move(problem)}) {}

Error::Error(std::vector<Problem> problems) : problems_(std::move(problems)), message_(join(problems_)) {
  POLHODE_ASSERT(!problems_.empty());
}

void Problems::fail_if_any() && {
  if (!list_.empty()) { fail(Error(std::move(list_))); }
}

std::string nearest_name(std::string_view name, const std::vector<std::string_view>& known) {
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string_view candidate : known) {
    // the difference in length is the least that it can be
    const std::size_t shorter = std::min(name.size(), candidate.size());
    if (std::max(name.size(), candidate.size()) - shorter >= best_distance) { continue; }
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return std::string(best);
}

Problem unknown_name(std::string_view kind, std::string_view name, const std::vector<std::string_view>& known) {
  Problem problem{
      .what = "unknown " + std::string(kind) + " '" + std::string(name) + "'", .allowed = "known:", .cure = {}};
  constexpr std::size_t kMostNames = 60;
  for (std::size_t i = 0; i < std::min(known.size(), kMostNames); ++i) {
    problem.allowed += ' ' + std::string(known[i]);
  }
  if (known.size() > kMostNames) {
    problem.allowed += " ... and " + std::to_string(known.size() - kMostNames) + " more";
  }
  if (const std::string near = nearest_name(name, known); !near.empty()) {
    problem.cure = "did you mean '" + near + "'?";
  }
  return problem;
}

}  // namespace polhode
