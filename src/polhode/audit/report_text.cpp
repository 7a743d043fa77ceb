#include "polhode/audit/audit.h"
#include "polhode/core/counted.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

/// What an audit has found, for people and for programs.
namespace polhode::audit {
namespace {

using Json = nlohmann::ordered_json;

/// JSON knows no infinity.
Json finite_or_null(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

Json json_of(const Convention& convention) {
  return {{"order", convention.order == Order::wxyz ? "wxyz" : "xyzw"},
          {"direction", convention.direction == Direction::body_to_space ? "body-to-space" : "space-to-body"},
          {"rates", to_string(convention.frame)}};
}

}  // namespace

std::string to_json(const Report& report, const std::string& file) {
  Json verdicts = Json::array();
  for (const Verdict& verdict : report.verdicts) {
    Json numbers = Json::object();
    for (const auto& [name, value] : verdict.numbers) { numbers[name] = finite_or_null(value); }
    verdicts.push_back({{"name", verdict.name},
                        {"question", verdict.question},
                        {"answer", to_string(verdict.answer)},
                        {"reason", verdict.reason},
                        {"fault", verdict.fault},
                        {"numbers", numbers}});
  }
  Json inertia = nullptr;
  if (report.J_B) {
    for (std::size_t i = 0; i < 3; ++i) {
      inertia.push_back({(*report.J_B)(i, 0), (*report.J_B)(i, 1), (*report.J_B)(i, 2)});
    }
  }
  const Json json{{"what", "audit"},
                  {"file", file},
                  {"rows", report.rows},
                  {"repeated_rows", report.repeated_rows},
                  {"duration_s", finite_or_null(report.duration)},
                  {"turns", finite_or_null(report.turns)},
                  {"rows_per_turn", finite_or_null(report.rows_per_turn)},
                  {"assumed", json_of(report.assumed)},
                  {"found", json_of(report.found)},
                  {"rate_factor", report.rate_factor},
                  {"time_factor", report.time_factor},
                  {"inertia_given", report.inertia_given},
                  {"J_B", inertia},
                  {"faults", report.faults()},
                  {"cannot_tell", report.open_questions()},
                  {"verdicts", verdicts}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

std::string to_text(const Report& report, const std::string& file, bool colour) {
  const auto painted = [&](Answer answer) {
    std::string word = fmt::format("{:<12}", to_string(answer));
    if (!colour) { return word; }
    const char* code = answer == Answer::yes ? "32" : answer == Answer::no ? "31" : "33";
    return fmt::format("\x1b[{}m{}\x1b[0m", code, word);
  };
  std::string text = fmt::format("{}: {}", file, counted(report.rows, "row"));
  if (report.repeated_rows > 0) { text += fmt::format(" (and {} that repeat one)", report.repeated_rows); }
  if (report.turns > 0) {
    text += fmt::format(", {:.6g} s, {:.3g} turns, {:.3g} rows a turn", report.duration, report.turns,
                        report.rows_per_turn);
  }
  text += fmt::format("\nassumed: quaternion {}, {}; rates in {} components\n\n", to_string(report.assumed.order),
                      to_string(report.assumed.direction), to_string(report.assumed.frame));
  for (const Verdict& verdict : report.verdicts) {
    text += fmt::format("{:<10} {} {}\n{:<23} {}\n", verdict.name, painted(verdict.answer), verdict.question, "",
                        verdict.reason);
  }
  return text + fmt::format("\n{}\n", report.conclusion());
}

}  // namespace polhode::audit
