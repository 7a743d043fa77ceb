#include "command.h"
#include "numbers.h"
#include "polhode/body/mass_properties.h"
#include "polhode/comparison/scheme_table.h"
#include "polhode/core/error.h"

#include <fmt/format.h>

#include <memory>
#include <optional>

namespace polhode::app {
namespace {

struct SchemesOptions {
  std::optional<std::string> moments;
  std::optional<std::string> inertia;
  std::optional<std::string> spin;
  std::optional<std::string> spin_rpm;
  std::optional<std::string> step;
  std::optional<std::string> hz;
  std::optional<std::string> turns;
  std::string precision = "both";
  std::string plot;
};

constexpr double kTurn = 2 * math::kPi<double>;
/// Of the angle turned in a step: less would run for too long, more is no motion that steps could follow.
constexpr double kLeastAngle = 1e-4;
constexpr double kMostAngle = 20;
constexpr double kMostTurns = 1e5;

double parse_positive(const char* option, const std::string& text) {
  const double value = parse_list(option, text, 1)[0];
  if (!(value > 0)) {
    fail(Error(Problem{.what = fmt::format("{} {}", option, text), .allowed = "wanted: more than 0", .cure = {}}));
  }
  return value;
}

void refuse_both(const std::optional<std::string>& a, const std::optional<std::string>& b, const char* names) {
  if (a && b) { fail(Error(fmt::format("{} say the same thing; give one of them", names))); }
}

Vec3<double> parse_inertia(const SchemesOptions& options) {
  refuse_both(options.moments, options.inertia, "--moments and --inertia");
  if (options.inertia) {
    const std::vector<double> v = parse_list("--inertia", *options.inertia, 6);
    const Mat3<double> J{{{v[0], v[3], v[4]}, {v[3], v[1], v[5]}, {v[4], v[5], v[2]}}};
    return principal_axes(from_inertia_matrix(1, J).J_B).moments;
  }
  const Vec3<double> J = options.moments ? parse_vector("--moments", *options.moments) : Vec3<double>{1, 2, 3};
  return principal_axes(from_principal_moments(1, J).J_B).moments;
}

comparison::SchemeQuestion parse_question(const SchemesOptions& options) {
  refuse_both(options.spin, options.spin_rpm, "--spin and --spin-rpm");
  refuse_both(options.step, options.hz, "--step and --hz");
  constexpr double kDefaultSpin = 6;
  constexpr double kDefaultRate = 60;
  comparison::SchemeQuestion q;
  q.body.moments = parse_inertia(options);
  q.body.rate = options.spin       ? parse_positive("--spin", *options.spin)
                : options.spin_rpm ? parse_positive("--spin-rpm", *options.spin_rpm) * kTurn / 60
                                   : kDefaultSpin;
  q.step = options.step ? parse_positive("--step", *options.step)
                        : 1 / (options.hz ? parse_positive("--hz", *options.hz) : kDefaultRate);
  if (options.turns) { q.turns = parse_positive("--turns", *options.turns); }
  if (q.turns > kMostTurns) {
    fail(Error(Problem{.what = fmt::format("--turns {:g}", q.turns), .allowed = "allowed: up to 1e5", .cure = {}}));
  }
  if (!(q.angle() >= kLeastAngle && q.angle() <= kMostAngle)) {
    fail(Error(Problem{.what = fmt::format("a spin of {:g} rad/s and a step of {:g} s make {:g} rad a step",
                                           q.body.rate, q.step, q.angle()),
                       .allowed = fmt::format("allowed: {:g} to {:g}", kLeastAngle, kMostAngle),
                       .cure = "give --spin in rad/s (or --spin-rpm) and --step in seconds (or --hz)"}));
  }
  return q;
}

int schemes(const SchemesOptions& options, const Session& session) {
  if (options.plot == "-" && session.json) {
    fail(Error("--json and '--plot -' both want standard output; give the picture a file name"));
  }
  const comparison::SchemeQuestion question = parse_question(options);
  catch_interrupt();
  const comparison::SchemeTable table = comparison::try_schemes(question, options.precision, goes_on);
  if (table.interrupted) { return interrupted_status(); }
  if (!options.plot.empty()) {
    const std::optional<drawing::Chart> chart = comparison::error_chart(table, goes_on);
    if (!chart) { return interrupted_status(); }
    write_file(options.plot, drawing::draw(*chart));
  }
  const int status = table.advice.empty() ? kCheckFailed : kDone;
  if (session.json) {
    write_out(comparison::to_json(table, options.plot) + '\n');
    return status;
  }
  session.say(comparison::in_words(table));
  if (options.plot != "-") {
    write_out(comparison::to_text(table));
    if (!options.plot.empty()) { session.say("Wrote " + options.plot); }
  }
  session.suggest(options.plot.empty() ? "polhode schemes --moments 1,2,3 --plot schemes.svg"
                                       : "polhode schemes --moments 0.05,1,1.04 --spin-rpm 600 --hz 60");
  return status;
}

}  // namespace

void add_schemes(CLI::App& program, Session& session) {
  auto options = std::make_shared<SchemesOptions>();
  Command command = add_command(
      program, session, "schemes",
      "  polhode schemes --moments 1,2,3 --spin 6 --hz 60             every fixed-step scheme, judged by numbers\n"
      "  polhode schemes --moments 0.05,1,1.04 --spin-rpm 600 --step 0.01 --precision float\n"
      "  polhode schemes --moments 1,2,3 --plot schemes.svg           and a plot over step size",
      "stability, drift, flip period and cost of the fixed-step schemes",
      [options, &session] { return schemes(*options, session); });
  command.add_option("--moments", options->moments, "principal moments of inertia: J1,J2,J3 (default 1,2,3)");
  command.add_option("--inertia", options->inertia, "or the inertia matrix: Jxx,Jyy,Jzz,Jxy,Jxz,Jyz");
  command.add_option("--spin", options->spin, "angular velocity, rad/s (default 6)");
  command.add_option("--spin-rpm", options->spin_rpm, "or in turns a minute");
  command.add_option("--step", options->step, "time step, s");
  command.add_option("--hz", options->hz, "or steps a second (default 60)");
  command.add_option("--turns", options->turns, "how long to run (default 100)");
  command.add_option("--precision", options->precision, "float, double or both (default)");
  command.add_option("--plot", options->plot, "energy and period errors over step size, as SVG ('-': standard output)");
}

}  // namespace polhode::app
