#include "command.h"
#include "numbers.h"
#include "polhode/core/error.h"
#include "polhode/drawing/chain.h"
#include "polhode/drawing/euler_cans.h"
#include "polhode/report/pictures.h"
#include "polhode/run/run.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace polhode::app {
namespace {

using drawing::kDegree;
using Json = nlohmann::ordered_json;

struct DrawOptions {
  std::string what;  ///< a sequence, or the path of a mechanism
  std::string chain;
  std::optional<std::string> angles;
  std::optional<std::string> rates;
  std::optional<std::string> view;
  std::string output;
  bool degrees = false;
};

drawing::View parse_view(const std::string& text) {
  const std::vector<double> angles_deg = parse_list("--view", text, 2);
  for (const double angle_deg : angles_deg) {
    if (std::fabs(angle_deg) <= drawing::kLargestViewAngle) { continue; }
    fail(Error(Problem{.what = fmt::format("--view {}: {:g} degrees", text, angle_deg),
                       .allowed = "allowed: -360 to 360",
                       .cure = {}}));
  }
  return {kDegree * angles_deg[0], kDegree * angles_deg[1]};
}

Json to_json(const Vec3<double>& v) { return Json::array({v.x, v.y, v.z}); }

/// "examples/chain-arm.toml" to "chain-arm".
std::string stem(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  return name.ends_with(".toml") ? name.substr(0, name.size() - 5) : name;
}

struct Drawn {
  std::function<drawing::View()> best_view;
  std::function<std::string(const drawing::View&)> svg;
  std::string description;
  std::optional<drawing::View> view{};
  std::string default_file{};
  std::string next{};
  Json facts{};
};

Drawn drawn_from(const drawing::Linkage& linkage) {
  return {.best_view = [linkage] { return drawing::best_view(linkage); },
          .svg = [linkage](const drawing::View& view) { return drawing::draw(linkage, view); },
          .description = linkage.description};
}

/// Whether the words of the user name a file or a folder rather than a sequence.
bool is_path(const std::string& what) {
  std::error_code error;
  return what.ends_with(".toml") || what.find('/') != std::string::npos || std::filesystem::exists(what, error);
}

/// The mechanism of a scenario at its start, or of a run at its end.
Drawn draw_mechanism(const std::string& path, const Session& session) {
  const run::Source source = session.source();
  namespace fs = std::filesystem;
  std::error_code error;
  drawing::MechanismPicture picture;
  std::string next;
  if (path.ends_with(".toml")) {
    const std::string text = read_file(path);
    if (!catalog::is_mechanism(text, path)) {
      fail(Error(Problem{.what = fmt::format("'{}' is no mechanism: it has no [[bodies]]", path),
                         .allowed = {},
                         .cure = "polhode run shows one body in its report; polhode draw --chain draws a chain file"}));
    }
    picture = report::start_picture(catalog::read_mechanism(text, path, source.meshes, source.parameters), "mechanism");
    next = "polhode run " + session.scenario_arguments(path);
  } else {
    const std::string log = fs::is_directory(path, error) ? (fs::path(path) / "run.plog").string() : path;
    picture = report::run_picture(log, "mechanism", source.meshes);
    next = "polhode gallery";
  }
  const fs::path plain = fs::path(path).lexically_normal();
  const fs::path named = plain.has_filename() ? plain : plain.parent_path();
  Drawn drawn{.best_view = [picture] { return drawing::best_view(picture); },
              .svg = [picture](const drawing::View& view) { return drawing::draw(picture, view); },
              .description = drawing::describe(picture),
              .default_file = named.stem().string() + ".svg",
              .next = next,
              .facts = {{"mechanism", path}}};
  for (const char* kind : {"bodies", "joints"}) { drawn.facts[kind] = Json::array(); }
  for (const io::PicturedBody& body : picture.bodies) { drawn.facts["bodies"].push_back(body.name); }
  for (const io::PicturedJoint& joint : picture.joints) { drawn.facts["joints"].push_back(joint.name); }
  return drawn;
}

Drawn draw_chain(const DrawOptions& options) {
  const drawing::Chain chain = drawing::read_chain(read_file(options.chain), options.chain);
  const drawing::Linkage linkage = drawing::to_linkage(chain);
  Drawn drawn = drawn_from(linkage);
  drawn.view = chain.view;
  drawn.default_file = stem(options.chain) + ".svg";
  drawn.next = "polhode draw 3-2-1";
  drawn.facts = {{"chain", options.chain}};
  drawn.facts["joints"] = Json::array();
  for (std::size_t n = 0; n < chain.joints.size(); ++n) {
    drawn.facts["joints"].push_back({{"name", chain.joints[n].name},
                                     {"angle_rad", chain.joints[n].angle},
                                     {"axis_N", to_json(linkage.turns[n].axis)}});
  }
  return drawn;
}

Drawn draw_sequence(const DrawOptions& options) {
  const double unit = options.degrees ? kDegree : 1;
  drawing::EulerCans cans;
  cans.sequence = EulerSequence::parse(options.what);
  cans.angles =
      options.angles ? unit * parse_vector("--angles", *options.angles) : drawing::pleasant_angles(cans.sequence);
  if (options.rates) { cans.rates = unit * parse_vector("--rates", *options.rates); }
  cans.rates_in_degrees = options.degrees;

  const drawing::Linkage linkage = drawing::to_linkage(cans);
  Drawn drawn = drawn_from(linkage);
  drawn.default_file = linkage.name + ".svg";
  const bool lock = linkage.lock.has_value();
  const std::string locked_angles = cans.sequence.proper() ? "30,0,40" : "20,90,-40";
  drawn.next = lock || cans.sequence.extrinsic
                   ? std::string("polhode draw 3-2-1 --rates 0.2,0.1,-0.3")
                   : fmt::format("polhode draw {} --deg --angles {} -o lock.svg    # gimbal lock", cans.sequence.name(),
                                 locked_angles);

  const EulerAngles chart{cans.sequence};
  const Conditioning<double> conditioning = chart.conditioning(cans.angles);
  drawn.facts = {{"sequence", cans.sequence.name()},
                 {"angles_rad", to_json(cans.angles)},
                 {"axes_N", Json::array()},
                 {"determinant", conditioning.determinant},
                 {"condition_number", number_or_null(conditioning.condition_number)},
                 {"distance_to_lock_rad", conditioning.distance},
                 {"lock", lock}};
  // in the order of the angles: ω = Σ rate_i axis_i, (KIN-32); an extrinsic sequence is drawn last turn first
  std::vector<drawing::Turn> turns = linkage.turns;
  if (cans.sequence.extrinsic) { std::reverse(turns.begin(), turns.end()); }
  for (const drawing::Turn& turn : turns) { drawn.facts["axes_N"].push_back(to_json(turn.axis)); }
  if (cans.rates) {
    drawn.facts["w_N_rad_s"] = to_json(angular_velocity<Space>(chart, cans.angles, *cans.rates).raw());
    drawn.facts["w_B_rad_s"] = to_json(angular_velocity<Body>(chart, cans.angles, *cans.rates).raw());
  }
  return drawn;
}

int draw(const DrawOptions& options, const Session& session) {
  const std::string wanted = "wanted: a SEQUENCE such as 3-1-3, a mechanism's scenario or run, or --chain FILE";
  if (options.what.empty() == options.chain.empty()) {
    fail(Error(Problem{.what = options.chain.empty() ? "nothing to draw" : "both a sequence and a chain",
                       .allowed = wanted,
                       .cure = {}}));
  }
  const bool mechanism = options.chain.empty() && is_path(options.what);
  if ((mechanism || !options.chain.empty()) && (options.angles || options.rates)) {
    fail(Error(Problem{.what = "--angles and --rates belong to a sequence",
                       .allowed = {},
                       .cure = mechanism ? "write the start of a mechanism into its file"
                                         : "write the angles of a chain into its file (angle_deg)"}));
  }
  if (session.json && options.output == "-") {
    fail(Error("--json and '-o -' both want standard output; give the picture a file name"));
  }
  Drawn drawn = mechanism               ? draw_mechanism(options.what, session)
                : options.chain.empty() ? draw_sequence(options)
                                        : draw_chain(options);
  if (options.view) { drawn.view = parse_view(*options.view); }
  const drawing::View view = drawn.view ? *drawn.view : drawn.best_view();
  const std::string file = options.output.empty() ? drawn.default_file : options.output;
  write_file(file, drawn.svg(view));

  if (session.json) {
    Json object{{"what", "draw"}, {"file", file}};
    object.update(drawn.facts);
    object["view_deg"] = {view.azimuth / kDegree, view.elevation / kDegree};
    write_json(object);
    return kDone;
  }
  session.say(fmt::format("{}{}", drawn.description, file == "-" ? "" : "\nWrote " + file));
  session.suggest(drawn.next);
  return kDone;
}

}  // namespace

void add_draw(CLI::App& program, Session& session) {
  auto options = std::make_shared<DrawOptions>();
  Command command = add_command(
      program, session, "draw",
      "  polhode draw 3-1-3                                   cans-3-1-3.svg, with angles that show it well\n"
      "  polhode draw 3-2-1 --deg --angles 20,90,-40          gimbal lock\n"
      "  polhode draw 3-1-3 --deg --angles 40,65,50 --rates 20,-30,45 -o rates.svg\n"
      "  polhode draw four-bar.toml                           a mechanism at its start\n"
      "  polhode draw four-bar.run                            and at the end of its run, with the way it came\n"
      "  polhode draw --chain examples/chain-arm.toml         joints of an arm",
      "Euler angles as cans in series, a mechanism, a chain (SVG)",
      [options, &session] { return draw(*options, session); });
  command.add_option(
      "WHAT", options->what,
      "a sequence such as 3-1-3, 321 or 1-2-3:extrinsic; a mechanism's scenario; the folder or log of its run");
  command.add_option("--angles", options->angles, "three angles in the order of the turns, rad: a,b,c");
  command.add_option("--rates", options->rates, "three angle rates, rad/s: drawn as arrows with two heads");
  command.add_flag("--deg", options->degrees, "angles and rates in degrees");
  command.add_option("--view", options->view,
                     "where to look from: azimuth,elevation in degrees (default: the clearest)");
  command.add_scenario_flags(session);
  command.add_option("--chain", options->chain, "draw the joints of this TOML file instead");
  command.add_option("-o,--output", options->output,
                     "SVG file, '-' for standard output (default: cans-SEQUENCE.svg or NAME.svg)");
}

}  // namespace polhode::app
