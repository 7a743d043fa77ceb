#include "polhode/report/run_page.h"

#include "polhode/core/counted.h"
#include "polhode/drawing/thinned_line.h"
#include "polhode/math/degree.h"
#include "polhode/math/pi.h"
#include "polhode/rotation/euler_angles.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

namespace polhode::report {
namespace {

using drawing::Chart;
using drawing::ThinnedLine;
using simulation::Verdict;

/// Rows that are shown in detail, where there are many times as many.
constexpr std::uint64_t kBeginning = 600;
constexpr std::uint64_t kManyTimes = 10;
constexpr double kPlotWidth = 360;
constexpr double kPlotHeight = 200;

/// A plot that is filled row by row.
struct Plot {
  std::string name;
  std::string title;
  std::string caption;
  std::vector<std::string> lines;
  bool last_is_closed_form = false;
  std::vector<ThinnedLine> values{};

  void add(std::size_t line, double t, double y) {
    if (values.empty()) { values.resize(lines.size()); }
    values[line].add(t, y);
  }
  void add(double t, const Vec3<double>& v) {
    add(0, t, v.x);
    add(1, t, v.y);
    add(2, t, v.z);
  }
};

Figure to_figure(const Plot& plot, const std::vector<drawing::ChartMoment>& moments) {
  Figure figure;
  figure.name = plot.name;
  figure.caption = plot.caption;
  Chart& chart = figure.chart;
  chart.title = plot.title;
  chart.columns = 1;
  chart.panel_width = kPlotWidth;
  chart.panel_height = kPlotHeight;
  chart.legend = Chart::Legend::above;
  drawing::ChartPanel panel;
  panel.x.label = "t (s)";
  panel.moments = moments;
  for (std::size_t i = 0; i < plot.values.size(); ++i) {
    const bool closed_form = plot.last_is_closed_form && i + 1 == plot.values.size();
    panel.lines.push_back({plot.values.size() == 1 ? "" : plot.lines[i], plot.values[i].points(), static_cast<int>(i),
                           false, closed_form});
  }
  chart.panels.push_back(std::move(panel));
  return figure;
}

/// Index of a column; their number where there is none.
std::size_t find(const std::vector<simulation::Column>& columns, std::string_view name) {
  return static_cast<std::size_t>(
      std::find_if(columns.begin(), columns.end(), [&](const auto& c) { return c.name == name; }) - columns.begin());
}

/// Index of the first of some columns that follow each other; nothing where one of them is left out.
std::optional<std::size_t> find_all(const std::vector<simulation::Column>& columns,
                                    std::initializer_list<std::string_view> names) {
  const std::size_t first = find(columns, *names.begin());
  if (first + names.size() > columns.size()) { return {}; }
  std::size_t i = first;
  for (const std::string_view name : names) {
    if (columns[i++].name != name) { return {}; }
  }
  return first;
}

Vec3<double> three(std::span<const double> row, std::size_t first) {
  return {row[first], row[first + 1], row[first + 2]};
}

/// Where rows hold the state of the body: an output plan may leave columns out.
struct StateColumns {
  explicit StateColumns(const std::vector<simulation::Column>& columns)
      : e(find_all(columns, {"e0", "e1", "e2", "e3"})),
        w(find_all(columns, {"wx_body_rad_s", "wy_body_rad_s", "wz_body_rad_s"})),
        h(find_all(columns, {"hx_space_Nms", "hy_space_Nms", "hz_space_Nms"})),
        r(find_all(columns, {"rx_space_m", "ry_space_m", "rz_space_m"})),
        v(find_all(columns, {"vx_space_m_s", "vy_space_m_s", "vz_space_m_s"})) {}
  std::optional<std::size_t> e, w, h, r, v;

  EulerParameters<double> attitude(std::span<const double> row) const { return {row[*e], three(row, *e + 1)}; }
};

/// Every plot that a run may have.
struct PlotsOfRun {
  Plot attitude{"attitude", "Attitude: Euler parameters", "Body to space, scalar first.", {"e_0", "e_1", "e_2", "e_3"}};
  Plot angles{"angles", "", "In the order of the turns.", {"first", "second", "third"}};
  Plot rates_body{"rates-body", "Angular velocity, body components (rad/s)", "", {"ω′_x", "ω′_y", "ω′_z"}};
  Plot rates_space{"rates-space", "Angular velocity, space components (rad/s)", "", {"ω_x", "ω_y", "ω_z"}};
  Plot momentum{"momentum", "Angular momentum, space components (N m s)", "", {"h_x", "h_y", "h_z"}};
  Plot energy{"energy", "Energy (J)", "", {"kinetic", "potential", "total"}};
  Plot path{"path", "Position of the mass centre (m)", "Space components.", {"x", "y", "z"}};
  Plot energy_drift{"energy-drift",
                    "Energy balance, relative",
                    "Energy error, zero for a perfect run; relative to the largest energy.",
                    {"balance"}};
  Plot momentum_drift{"momentum-drift",
                      "Momentum balance, relative",
                      "Size of the angular momentum error, relative to the largest angular momentum.",
                      {"balance"}};
  Plot norm_drift{"norm", "Norm of the Euler parameters, |e| − 1", "", {"|e| - 1"}};
  Plot multiplier{"multiplier",
                  "Multiplier of the norm constraint (J)",
                  "Scaled as its form has it; the closed form is drawn over it.",
                  {"λ", "closed form"},
                  true};

  std::array<const Plot*, 11> all() const {
    return {&attitude, &angles,       &rates_body,     &rates_space, &momentum,  &energy,
            &path,     &energy_drift, &momentum_drift, &norm_drift,  &multiplier};
  }
};

/// All plots of a run that its columns allow.
class Gather {
 public:
  explicit Gather(const RunStory& story)
      : plan_(story.plan),
        ledger_(&story.outcome->ledger),
        state_(story.head->columns),
        moments_(story.head->events.size(), ThinnedLine(256)) {
    const auto& columns = story.head->columns;
    count_ = columns.size();
    kinetic_ = find(columns, "kinetic_J");
    potential_ = plan_->body.load.empty() ? count_ : find(columns, "potential_J");  // of nothing it is nothing
    if (potential_ >= count_) { plots_.energy.lines.resize(1); }
    energy_balance_ = find(columns, "energy_balance_J");
    momentum_balance_ = find(columns, "momentum_balance_Nms");
    norm_ = find(columns, "norm_error");
    multiplier_ = find(columns, "multiplier");
    closed_form_ = find(columns, "multiplier_closed_form");
    if (!story.sequence.empty()) {
      angles_.emplace(EulerAngles{EulerSequence::parse(story.sequence)});
      plots_.angles.title = fmt::format("Euler angles {} (°)", story.sequence);
    }
  }

  void row(std::span<const double> row) {
    if (rows_++ == kBeginning) { beginning_ = {plots_.attitude, plots_.angles, plots_.rates_body, plots_.rates_space}; }
    const double t = row[0];
    if (state_.e) {
      const EulerParameters<double> e_NB = state_.attitude(row);
      for (std::size_t i = 0; i < 4; ++i) { plots_.attitude.add(i, t, row[*state_.e + i]); }
      if (angles_) { add_angles(t, e_NB); }
      if (state_.w) { plots_.rates_space.add(t, rotate(e_NB, three(row, *state_.w)) / norm_squared(e_NB)); }
    }
    if (state_.w) { plots_.rates_body.add(t, three(row, *state_.w)); }
    if (state_.h) { plots_.momentum.add(t, three(row, *state_.h)); }
    if (plan_->body.mass && state_.r) { plots_.path.add(t, three(row, *state_.r)); }
    if (kinetic_ < count_) {
      plots_.energy.add(0, t, row[kinetic_]);
      if (potential_ < count_) {
        plots_.energy.add(1, t, row[potential_]);
        plots_.energy.add(2, t, row[kinetic_] + row[potential_]);
      }
    }
    if (energy_balance_ < count_) {
      plots_.energy_drift.add(0, t, relative(row[energy_balance_], ledger_->energy_scale));
    }
    if (momentum_balance_ < count_) {
      plots_.momentum_drift.add(0, t, relative(row[momentum_balance_], ledger_->momentum_scale));
    }
    if (norm_ < count_) { plots_.norm_drift.add(0, t, row[norm_]); }
    if (multiplier_ < count_ && closed_form_ < count_) {
      plots_.multiplier.add(0, t, row[multiplier_]);
      plots_.multiplier.add(1, t, row[closed_form_]);
    }
  }

  void event(const simulation::EventOccurrence& occurrence) {
    if (occurrence.event < moments_.size()) { moments_[occurrence.event].add(occurrence.t, 0); }
  }

  RunPlots plots(const RunStory& story) {
    RunPlots result;
    std::vector<drawing::ChartMoment> moments;
    for (std::size_t i = 0; i < moments_.size(); ++i) {
      for (const auto& [t, zero] : moments_[i].points()) { moments.push_back({t, story.head->events[i]}); }
    }
    for (const Plot* plot : plots_.all()) {
      if (!plot->values.empty()) { result.figures.push_back(to_figure(*plot, moments)); }
    }
    if (rows_ > kManyTimes * kBeginning) {
      for (Plot& plot : beginning_) {
        if (plot.values.empty()) { continue; }
        plot.name += "-beginning";
        plot.caption = fmt::format("The first {} of {}.", kBeginning, counted(rows_, "row"));
        result.beginning.push_back(to_figure(plot, {}));
      }
    }
    return result;
  }

 private:
  static double relative(double error, double scale) { return scale > 0 ? error / scale : error; }

  void add_angles(double t, const EulerParameters<double>& e_NB) {
    const Vec3<double> x = angles_->from_euler_parameters(e_NB);
    for (std::size_t i = 0; i < 3; ++i) {
      // from 180 to -180 degrees is no motion
      if (std::fabs(x[i] - last_angles_[i]) > math::kPi<double>) {
        plots_.angles.add(i, t, std::numeric_limits<double>::quiet_NaN());
      }
      plots_.angles.add(i, t, x[i] / math::kDegree);
    }
    last_angles_ = x;
  }

  const simulation::OneBodyPlan* plan_;
  const simulation::LedgerState* ledger_;
  StateColumns state_;
  std::vector<ThinnedLine> moments_;  ///< of events, a bounded number of each
  std::size_t count_ = 0, kinetic_ = 0, potential_ = 0, energy_balance_ = 0, momentum_balance_ = 0, norm_ = 0;
  std::size_t multiplier_ = 0, closed_form_ = 0;
  std::optional<EulerAngles> angles_;
  Vec3<double> last_angles_{};
  std::uint64_t rows_ = 0;
  std::vector<Plot> beginning_;
  PlotsOfRun plots_;
};

/// With a capital letter and a full stop.
std::string sentence(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') { text[0] = static_cast<char>(text[0] - 'a' + 'A'); }
  return text + '.';
}

std::string verdict_html(const simulation::Certificate& certificate) {
  const char* const look = certificate.verdict == Verdict::yes  ? "yes"
                           : certificate.verdict == Verdict::no ? "no"
                                                                : "open";
  const char* const head = certificate.verdict == Verdict::yes  ? "Certified"
                           : certificate.verdict == Verdict::no ? "Not to be trusted"
                                                                : "Not established";
  std::string html = fmt::format("<div class=\"verdict {}\"><strong>{}</strong>\n", look, head);
  html += paragraph(sentence(certificate.reason));
  if (certificate.attitude_error) {
    html += paragraph(fmt::format("Attitude error {:.3g} rad, by {}; asked for {:g} rad.", *certificate.attitude_error,
                                  certificate.method, certificate.accuracy));
  }
  if (certificate.observed_order) {
    html += paragraph(fmt::format("Order {:.2f} observed, {} declared.", *certificate.observed_order,
                                  certificate.declared_order.value_or(0)));
  }
  return html + "</div>\n";
}

std::string evidence_html(const simulation::Certificate& certificate) {
  Table table{"", {"evidence", "found", "allowed", "holds", "what it is"}, {}, {}};
  for (const simulation::Evidence& one : certificate.evidence) {
    table.rows.push_back({one.name, fmt::format("{:.3g}", one.value), fmt::format("{:g}", one.bound),
                          one.holds() ? "yes" : "no", one.meaning});
    table.row_classes.emplace_back(one.holds() ? "" : "off");
  }
  std::string html = to_html(table);
  for (const std::string& note : certificate.notes) { html += paragraph(sentence(note)); }
  return html;
}

std::string numbers(const EulerParameters<double>& e) {
  return fmt::format("{:.9f} {:.9f} {:.9f} {:.9f}", e.e0, e.ev.x, e.ev.y, e.ev.z);
}

std::vector<std::pair<std::string, std::string>> summary_of(const RunStory& story) {
  const simulation::Outcome& outcome = *story.outcome;
  std::vector<std::pair<std::string, std::string>> list{
      {"ended", fmt::format("{} at t = {:g} s of {:g} s{}{}", simulation::to_text(outcome.ending), outcome.t,
                            story.plan->duration, outcome.message.empty() ? "" : ": ", outcome.message)},
      {"work", fmt::format("{} ({} rejected), {}", counted(outcome.statistics.steps, "step"),
                           outcome.statistics.rejected, counted(outcome.statistics.evaluations, "evaluation"))},
      {"final attitude", numbers(outcome.state.e_NB) + " (scalar first, body to space)"},
      {"final rate", fmt::format("{:.9g} {:.9g} {:.9g} rad/s (body)", outcome.state.w_B.x, outcome.state.w_B.y,
                                 outcome.state.w_B.z)}};
  for (const auto& [name, often] : story.events) { list.emplace_back("event '" + name + "'", often); }
  list.insert(list.end(), story.more.begin(), story.more.end());
  return list;
}

/// The run again, and what is next.
std::vector<std::string> commands_of(const RunStory& story) {
  const bool certified = !story.certificate->method.empty();
  const std::string file = story.head->scenario_arguments();
  std::vector<std::string> list{fmt::format("polhode run {}{}", file, certified ? " --certify" : "")};
  if (!certified) { list.push_back(fmt::format("polhode run {} --certify    # find the attitude error", file)); }
  list.push_back(fmt::format("polhode compare {}    # the same under every form of the equations", file));
  list.emplace_back("polhode list examples");
  return list;
}

std::string words_before(const RunStory& story) {
  const io::ResultHead& head = *story.head;
  const simulation::Outcome& outcome = *story.outcome;
  const bool well =
      outcome.ending == simulation::Ending::done || outcome.ending == simulation::Ending::stopped_by_event;
  return fmt::format("<h1>{}</h1>\n", escape(head.title)) +
         paragraph(fmt::format("One body, formulation {} with integrator {}, from t = 0 to {:g} s in {}.{}",
                               head.formulation, head.integrator, outcome.t, counted(outcome.rows, "row"),
                               well ? "" : " It did not reach its end: " + outcome.message)) +
         (StateColumns(head.columns).e
              ? ""
              : paragraph("There is no picture of the motion: [output] of the scenario leaves out the attitude, e0 to "
                          "e3.")) +
         verdict_html(*story.certificate) + facts(summary_of(story));
}

std::string words_after(const RunStory& story) {
  const io::ResultHead& head = *story.head;
  std::string html = heading("Certificate") + evidence_html(*story.certificate);
  html += heading("Make it again");
  html += paragraph(
      fmt::format("With polhode {}, and the text below as {}. The same input gives the same bytes{}.", head.version,
                  head.scenario_file,
                  head.portable ? "" : "; on another machine the last bits may differ, for the method is not ours"));
  html += commands(commands_of(story));
  html += heading("Where it comes from");
  std::vector<std::pair<std::string, std::string>> source{{"scenario", head.scenario_file},
                                                          {"SHA-256", head.scenario_sha256},
                                                          {"program", "polhode " + head.version},
                                                          {"convention", std::string(io::kConvention)}};
  if (!head.epoch.empty()) { source.emplace_back("epoch", head.epoch + " UTC at t = 0"); }
  html += facts(source);
  return html + details("The scenario, " + head.scenario_file, preformatted(head.scenario_text));
}

}  // namespace

std::vector<std::string> plot_names(const RunStory& story) {
  const PlotsOfRun plots;
  const auto& columns = story.head->columns;
  const StateColumns state(columns);
  const auto lacks = [&](std::string_view name) { return find(columns, name) == columns.size(); };
  std::vector<std::string> names;
  names.reserve(plots.all().size());
  for (const Plot* plot : plots.all()) {
    const bool absent =
        (plot == &plots.attitude && !state.e) || (plot == &plots.angles && (story.sequence.empty() || !state.e)) ||
        (plot == &plots.rates_body && !state.w) || (plot == &plots.rates_space && (!state.e || !state.w)) ||
        (plot == &plots.momentum && !state.h) || (plot == &plots.energy && lacks("kinetic_J")) ||
        (plot == &plots.path && (!story.plan->body.mass || !state.r)) ||
        (plot == &plots.energy_drift && lacks("energy_balance_J")) ||
        (plot == &plots.momentum_drift && lacks("momentum_balance_Nms")) ||
        (plot == &plots.norm_drift && lacks("norm_error")) ||
        (plot == &plots.multiplier && (lacks("multiplier") || lacks("multiplier_closed_form")));
    if (!absent) { names.push_back(plot->name); }
  }
  return names;
}

RunPlots plots_of_run(io::LogReader& log, const RunStory& story) {
  Gather gather(story);
  while (const std::optional<io::LogReader::Frame> frame = log.next()) {
    if (frame->kind == io::FrameKind::rows) {
      io::each_row(frame->content, story.head->columns.size(), [&](std::span<const double> row) { gather.row(row); });
    } else if (frame->kind == io::FrameKind::event) {
      gather.event(io::read_event(frame->content));
    }
  }
  return gather.plots(story);
}

std::string run_page(const RunStory& story, const RunPlots& plots) {
  std::string body = words_before(story);
  body += heading("Motion");
  if (!story.events.empty()) { body += paragraph("Events are marked by dotted lines."); }
  if (!plots.beginning.empty()) {
    body += figures(plots.beginning);
    body += heading("All of it");
  }
  body += figures(plots.figures);
  return page(story.head->title, body + words_after(story));
}

void write_run_viewer(io::LogReader& log, const RunStory& story, const io::Write& write) {
  const io::ResultHead& head = *story.head;
  io::PageWords words;
  words.plain = words_before(story) + words_after(story);
  words.summary = summary_of(story);
  words.commands = commands_of(story);
  words.every = io::rows_between(story.outcome->rows, head.columns.size());
  io::ViewerPage page(head, words, write);
  while (const std::optional<io::LogReader::Frame> frame = log.next()) {
    if (frame->kind == io::FrameKind::rows) {
      io::each_row(frame->content, head.columns.size(), [&](std::span<const double> row) { page.row(row); });
    } else if (frame->kind == io::FrameKind::event) {
      const simulation::EventOccurrence occurrence = io::read_event(frame->content);
      if (occurrence.event < head.events.size()) { page.event(head.events[occurrence.event], occurrence.t); }
    }
  }
  page.end();
}

}  // namespace polhode::report
