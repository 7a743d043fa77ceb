#include "polhode/report/audit_page.h"

#include "polhode/motion/free_motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace polhode::report {
namespace {

io::PageWords words_of(const audit::Report& report, const std::string& file) {
  io::PageWords words;
  words.kind = "audit";
  const std::vector<std::string> open = report.open_questions();
  const bool unread = std::find(open.begin(), open.end(), "attitude") != open.end();
  words.verdict = !report.faults().empty() ? "no" : unread ? "cannot tell" : "yes";
  words.reason = report.conclusion();
  words.summary = {{"log", file},
                   {"rows", std::to_string(report.rows)},
                   {"turns", fmt::format("{:.3g}, {:.3g} rows a turn", report.turns, report.rows_per_turn)},
                   {"read as", fmt::format("quaternion {}, {}; rates in {} components", to_string(report.found.order),
                                           to_string(report.found.direction), to_string(report.found.frame))},
                   {"inertia", report.inertia_given ? "given" : "estimated from the motion, up to a factor"}};
  Table table{"", {"what", "answer", "question", "reason"}, {}, {}};
  for (const audit::Verdict& verdict : report.verdicts) {
    table.rows.push_back({verdict.name, std::string(to_string(verdict.answer)), verdict.question, verdict.reason});
    table.row_classes.emplace_back(verdict.answer == audit::Answer::no ? "off" : "");
  }
  words.commands = {fmt::format("polhode audit {} --json", file), "polhode list schemes"};
  words.plain =
      fmt::format("<h1>{}</h1>\n", escape(file)) + paragraph(words.reason) + facts(words.summary) + to_html(table);
  words.tables.push_back(std::move(table));
  return words;
}

io::PicturedBody body_named(std::string name, const std::optional<Mat3<double>>& J_B) {
  io::PicturedBody body{.name = std::move(name), .mass = 1, .J_B = {}, .outlines = {}};
  if (J_B) {
    // of the size of a metre: only ratios of the moments count
    body.J_B = (1 / ((*J_B)(0, 0) + (*J_B)(1, 1) + (*J_B)(2, 2))) * *J_B;
    body.outlines = {equivalent_outline({1, {}, body.J_B})};
  }
  return body;
}

}  // namespace

void write_audit_viewer(const audit::Report& report, const std::string& file, const std::string& version,
                        const io::Write& write) {
  const audit::Report::Motion& log = report.motion;
  std::optional<FreeMotion<double>> exact;
  if (report.exact_start && report.J_B) {
    exact.emplace(*report.J_B, report.exact_start->e_NB, report.exact_start->w_B);
  }
  io::ResultHead head;
  head.title = "Audit of " + file.substr(file.rfind('/') + 1);
  head.version = version;
  head.columns = {{"t_s", "s", "time from the first row"}};
  const auto add_motion = [&](const std::string& name) {
    head.bodies.push_back(body_named(name, report.J_B));
    for (const char* part : {"e0", "e1", "e2", "e3"}) { head.columns.push_back({name + "." + part, "1", ""}); }
    for (const char* axis : {"x", "y", "z"}) {
      head.columns.push_back({fmt::format("{}.w{}_body_rad_s", name, axis), "rad/s", ""});
    }
  };
  add_motion("log");
  if (exact) {
    add_motion("exact");
    head.columns.push_back({"attitude_difference_rad", "rad", "angle between the log and the exact motion"});
  }
  if (report.J_B) {
    head.columns.push_back({"energy_off", "1", "energy of the log, relative to its first row, less 1"});
    head.columns.push_back({"momentum_off", "1", "change of the momentum of the log since its first row, relative"});
  }
  io::PageWords words = words_of(report, file);
  words.every = io::rows_between(log.t.size(), head.columns.size());

  io::ViewerPage page(head, words, write);
  std::vector<double> row;
  const auto put = [&](const EulerParameters<double>& e, const Vec3<double>& w) {
    row.insert(row.end(), {e.e0, e.ev.x, e.ev.y, e.ev.z, w.x, w.y, w.z});
  };
  const auto momentum = [&](std::size_t k) { return rotate(normalized(log.e_NB[k]), *report.J_B * log.w_B[k]); };
  for (std::size_t k = 0; k < log.t.size(); ++k) {
    row.assign(1, log.t[k] - log.t[0]);
    put(log.e_NB[k], log.w_B[k]);
    if (exact) {
      const MotionState<double> state = exact->at(log.t[k] - log.t[0]);
      put(state.e_NB, state.w_B);
      row.push_back(rotation_angle(relative_rotation(state.e_NB, log.e_NB[k])));
    }
    if (report.J_B) {
      // a log that starts at rest has nothing to refer to
      const auto relative = [](double change, double first) { return first > 0 ? change / first : 0; };
      const auto energy = [&](std::size_t i) { return dot(log.w_B[i], *report.J_B * log.w_B[i]); };
      row.push_back(relative(energy(k) - energy(0), energy(0)));
      row.push_back(relative(norm(momentum(k) - momentum(0)), norm(momentum(0))));
    }
    page.row(row);
  }
  page.end();
}

}  // namespace polhode::report
