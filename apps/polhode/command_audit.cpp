#include "command.h"
#include "polhode/audit/audit.h"
#include "polhode/body/mass_properties.h"
#include "polhode/core/error.h"
#include "polhode/core/version.h"
#include "polhode/report/audit_page.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <memory>

namespace polhode::app {
namespace {

constexpr const char* kAuditExample =
    "  polhode audit log.csv --inertia 1,2,3                   columns t qw qx qy qz wx wy wz, found by name\n"
    "  polhode audit bullet.csv --map bullet --inertia 1,2,3   scalar last, rates in space components\n"
    "  polhode audit log.csv --json | jq .faults               for other programs";

constexpr const char* kAuditFooter =
    "The log is CSV: a header and one row a time, of one free body. Without a header: time, quaternion, rates.\n"
    "--inertia takes three principal moments, or six numbers Jxx,Jyy,Jzz,Jxy,Jxz,Jyz of the matrix (products of "
    "inertia\n"
    "with their minus sign), in any unit: only ratios count. Without it the ratios are estimated from the motion, and\n"
    "whether the gyroscopic term is right cannot be told. Verdicts and faults: docs/audit.md. Maps: polhode list "
    "maps.\n"
    "Exit code 0: no fault found, 1: a fault, 2: the log cannot be read.\n";

struct AuditOptions {
  std::string log;
  std::string map;
  std::optional<std::string> inertia;
  std::string columns;
  std::string order;
  std::string direction;
  std::string rates;
  bool deg = false;
  double drift = audit::Request{}.drift;
  double limit = audit::Request{}.error_limit;
  std::string page;
};

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',') {
      parts.emplace_back();
    } else if (c != ' ') {
      parts.back() += c;
    }
  }
  return parts;
}

double number(const std::string& option, const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
    fail(Error(Problem{.what = fmt::format("{}: '{}' is not a number", option, text),
                       .allowed = "a number is written like -1.5e-3",
                       .cure = {}}));
  }
  return value;
}

Mat3<double> parse_inertia(const std::string& text) {
  std::vector<double> values;
  bool decimal_commas = false;  // 0,02 makes a number that begins with 0
  for (const std::string& part : split(text)) {
    values.push_back(number("--inertia", part));
    decimal_commas = decimal_commas || (part.size() > 1 && part[0] == '0' && part[1] >= '0' && part[1] <= '9');
  }
  if ((values.size() != 3 && values.size() != 6) || decimal_commas) {
    fail(Error(Problem{
        .what = fmt::format("--inertia has {} numbers", values.size()),
        .allowed = "3 principal moments, or 6 numbers Jxx,Jyy,Jzz,Jxy,Jxz,Jyz",
        .cure = values.size() > 3 ? "commas stand between numbers, decimals behind a point: 0.02,0.03,0.04" : ""}));
  }
  values.resize(6);
  const Mat3<double> J_B{
      {{values[0], values[3], values[4]}, {values[3], values[1], values[5]}, {values[4], values[5], values[2]}}};
  return require_physical({1, {}, J_B}, Physical::require, "--inertia: ").J_B;
}

/// One of two words, or nothing where the option is not given.
template <class E>
std::optional<E> choice(const char* option, const std::string& text, std::string_view first, E first_value,
                        std::string_view second, E second_value) {
  if (text.empty()) { return std::nullopt; }
  if (text == first) { return first_value; }
  if (text == second) { return second_value; }
  fail(Error(unknown_name(option, text, {first, second})));
}

audit::LogColumns columns_of(const AuditOptions& options) {
  audit::LogColumns columns;
  if (!options.map.empty()) { columns.map = &audit::log_map(options.map); }
  if (!options.columns.empty()) { columns.names = split(options.columns); }
  columns.order = choice("order", options.order, "wxyz", audit::Order::wxyz, "xyzw", audit::Order::xyzw);
  columns.direction = choice("direction", options.direction, "body-to-space", audit::Direction::body_to_space,
                             "space-to-body", audit::Direction::space_to_body);
  columns.frame = choice("rates", options.rates, "body", audit::RateFrame::body, "space", audit::RateFrame::space);
  return columns;
}

/// What the user may want next.
std::string next_command(const audit::Report& report, const AuditOptions& options) {
  const std::string file = (options.log == "-" ? "LOG" : in_shell(options.log)) +
                           (options.columns.empty() ? "" : " --columns " + in_shell(options.columns));
  if (!report.inertia_given) { return fmt::format("polhode audit {} --inertia J1,J2,J3", file); }
  if (report.found != report.assumed) {
    return fmt::format("polhode audit {} --inertia {} --order {} --direction {} --rates {}", file, *options.inertia,
                       report.found.order == audit::Order::wxyz ? "wxyz" : "xyzw",
                       report.found.direction == audit::Direction::body_to_space ? "body-to-space" : "space-to-body",
                       to_string(report.found.frame));
  }
  return "polhode list schemes";
}

int run(const AuditOptions& options, const Session& session) {
  audit::Request request;
  const audit::LogColumns columns = columns_of(options);
  if (options.inertia) { request.J_B = parse_inertia(*options.inertia); }
  for (const auto& [name, value] : {std::pair{"--drift", options.drift}, std::pair{"--limit", options.limit}}) {
    if (!(value > 0) || !std::isfinite(value)) {
      fail(Error(
          Problem{.what = fmt::format("{} is {:g}", name, value), .allowed = "a finite number above 0", .cure = {}}));
    }
  }
  request.drift = options.drift;
  request.error_limit = options.limit;

  catch_interrupt();
  const std::string name = options.log == "-" ? "stdin" : options.log;
  io::InputFile file(options.log, goes_on);
  audit::RotationLog log;
  try {
    log = audit::read_log(name, columns, [&](char* to, std::size_t size) { return file.read(to, size); });
  } catch (const Error&) {
    if (!interrupted()) { throw; }  // otherwise the log only seems to end here
  }
  request.degrees = options.deg || log.degrees;
  if (interrupted()) { return interrupted_status(); }
  const audit::Report report = audit::audit(log, request);
  if (interrupted()) { return interrupted_status(); }
  if (!options.page.empty()) {
    OutputFile page(options.page, stdout);
    report::write_audit_viewer(report, name, std::string(version()), [&](std::string_view text) { page.write(text); });
    page.commit();
  }
  if (session.json) {
    write_out(audit::to_json(report, name) + '\n');
  } else {
    write_out(audit::to_text(report, printable(name), session.colour()));
    session.suggest(next_command(report, options));
  }
  return report.faults().empty() ? kDone : kCheckFailed;
}

}  // namespace

void add_audit(CLI::App& program, Session& session) {
  auto options = std::make_shared<AuditOptions>();
  Command command =
      add_command(program, session, "audit", kAuditExample,
                  "judge another engine's log of a free body: conventions, gyroscopic term, damping, scheme, error",
                  [options, &session] { return run(*options, session); });
  command.footer(kAuditFooter);
  command.add_option("LOG", options->log, "CSV with time, quaternion and angular velocity; - is standard input")
      .required();
  command.add_option("--inertia", options->inertia, "the body's inertia: J1,J2,J3 or Jxx,Jyy,Jzz,Jxy,Jxz,Jyz")
      .type_name("J");
  command
      .add_option("--map", options->map, "what the engine writes: mujoco, bullet, ode, drake, basilisk, jolt, generic")
      .type_name("MAP");
  command.add_option("--columns", options->columns, "names of time, quaternion and rates in the header, in this order")
      .type_name("NAMES");
  command.add_option("--order", options->order, "assume the quaternion wxyz or xyzw").type_name("ORDER");
  command.add_option("--direction", options->direction, "assume body-to-space or space-to-body").type_name("DIR");
  command.add_option("--rates", options->rates, "assume rates in body or space components").type_name("FRAME");
  command.add_flag("--deg", options->deg, "assume rates in degree/s");
  command.add_option("--drift", options->drift, "relative change of energy or momentum that counts (0.001)")
      .type_name("X");
  command.add_option("--page", options->page, "a page that shows log and exact motion in the browser, to this file")
      .type_name("FILE");
  command.add_option("--limit", options->limit, "attitude error that counts, rad (0.1)").type_name("RAD");
}

}  // namespace polhode::app
