#include "polhode/run/gallery.h"

#include "polhode/catalog/examples.h"
#include "polhode/core/counted.h"
#include "polhode/core/sha256.h"
#include "polhode/core/version.h"
#include "polhode/drawing/attitude_sphere.h"
#include "polhode/io/files.h"
#include "polhode/io/viewer_page.h"
#include "polhode/report/pictures.h"
#include "polhode/run/run_folder.h"
#include "polhode/run/unfinished.h"

#include <fmt/format.h>

#include <filesystem>

namespace polhode::run {
namespace {

namespace fs = std::filesystem;

/// What a picture shows: the last of the run, no more than so many rows and eight turns.
constexpr std::size_t kPicturedRows = 1200;
constexpr double kPicturedAngle = 50;

constexpr std::string_view kStyle =
    ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;margin:0 "
    "auto;max-width:76rem;padding:1.5rem}"
    "h1{font-size:1.5rem}ul{display:grid;grid-template-columns:repeat(auto-fill,minmax(17rem,1fr));gap:1rem;padding:0;"
    "list-style:none}li{border:1px solid "
    "#8886;border-radius:10px;overflow:hidden}a{display:block;padding:1rem;color:inherit;"
    "text-decoration:none;height:100%}a:hover,a:focus-visible{outline:3px solid #0072b2}svg{display:block;width:100%;"
    "max-height:15rem}h2{font-size:1.05rem;margin:.6rem 0 .3rem}p{margin:0;font-size:.92rem}";

/// What 'sha256-...' of a content security policy asks for: base64 of the 32 bytes.
std::string policy_hash(std::string_view text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::string hex = sha256(text) + "00";  // 33 bytes: whole groups of three
  std::string base64;
  for (std::size_t i = 0; i < hex.size(); i += 3) {
    const unsigned bits = static_cast<unsigned>(std::stoul(hex.substr(i, 3), nullptr, 16));  // 12 bits, two digits
    base64 += kDigits[bits >> 6U];
    base64 += kDigits[bits & 63U];
  }
  base64.back() = '=';
  return "'sha256-" + base64 + "'";
}

/// The comment that a scenario begins with.
std::string story_of(std::string_view text) {
  std::string story;
  while (text.starts_with("#")) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(1, end - 1);
    if (line.starts_with(" ")) { line.remove_prefix(1); }
    story += (story.empty() ? "" : " ") + std::string(line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return story;
}

/// Of a mechanism: small for the index, and large with names in a file beside its report.
std::string mechanism_picture(const std::string& log_path, io::OutputFolder& folder, const std::string& name) {
  drawing::MechanismPicture picture = report::run_picture(log_path, name);
  const drawing::View view = drawing::best_view(picture);
  io::write_into(folder, name + "/picture.svg", drawing::draw(picture, view));
  picture.words = false;
  return drawing::draw(picture, view);
}

/// From the log of a run: the mechanism, or the ways of the body's axes.
std::string picture_of(io::OutputFolder& folder, const catalog::Example& example) {
  const std::string log_path = folder.path_of(std::string(example.name) + "/run.plog");
  io::LogReader log(log_path);
  const io::ResultHead head = io::head_from_json(log.header_json(), log_path);
  if (head.is_mechanism()) { return mechanism_picture(log_path, folder, std::string(example.name)); }
  std::vector<EulerParameters<double>> attitudes;
  while (const std::optional<io::LogReader::Frame> frame = log.next()) {
    if (frame->kind != io::FrameKind::rows) { continue; }
    io::each_row(frame->content, head.columns.size(),
                 [&](std::span<const double> row) { attitudes.push_back({row[1], {row[2], row[3], row[4]}}); });
  }
  std::size_t count = 1;
  double angle = 0;
  for (std::size_t i = attitudes.size(); i-- > 1 && count < kPicturedRows && angle < kPicturedAngle; ++count) {
    angle += simulation::attitude_difference(attitudes[i - 1], attitudes[i]);
  }
  return drawing::attitude_sphere(std::span(attitudes).last(count), std::string(example.title),
                                  fmt::format("Ways of the body's three axes on the unit sphere over the last {} of "
                                              "the run: x vermilion, y green, z blue.",
                                              counted(static_cast<std::uint64_t>(count), "row")));
}

/// The files that are not of a run.
std::vector<std::string> names_of(const catalog::Example& example) {
  const std::string subfolder = std::string(example.name) + "/";
  std::vector<std::string> names{subfolder + std::string(example.name) + ".toml", subfolder + "picture.svg"};
  for (const auto& [file, text] : example.files) { names.push_back(subfolder + std::string(file)); }
  return names;
}

}  // namespace

Gallery write_gallery(const GalleryOptions& options) {
  io::OutputFolder folder(options.folder);
  io::OutputFolder::Start start{.origin = {"gallery", std::string(version()), "", ""},
                                .names = {"index.html"},
                                .kept = {},
                                .overwrite = options.overwrite};
  for (const catalog::Example& example : catalog::examples()) {
    const std::vector<std::string> names = names_of(example);
    start.names.insert(start.names.end(), names.begin(), names.end());
  }
  if (!options.overwrite) { require_nothing_unfinished(folder, start.origin); }
  folder.start(start);
  std::string cards;
  Gallery gallery;
  {
    std::uint64_t done = 0;
    for (const catalog::Example& example : catalog::examples()) {
      const std::string name(example.name);
      const std::string subfolder = folder.path_of(name);
      fs::create_directories(subfolder);
      io::write_into(folder, name + "/" + name + ".toml", example.text);
      for (const auto& [file, text] : example.files) { io::write_into(folder, name + "/" + std::string(file), text); }
      const std::string scenario = folder.path_of(name + "/" + name + ".toml");
      const std::unique_ptr<Run> run = read(io::read_file(scenario), scenario);
      const Record record = run_into_folder(*run, scenario,
                                            {.folder = subfolder,
                                             .formats = {},
                                             .certify = true,
                                             .overwrite = options.overwrite,
                                             .restart = true,
                                             .keep_going = options.keep_going});
      gallery.interrupted = options.keep_going && !options.keep_going();
      if (gallery.interrupted) { return gallery; }
      cards +=
          fmt::format("<li><a href=\"{}/report.html\">{}<h2>{}</h2><p>{}</p></a></li>\n", name,
                      picture_of(folder, example), io::html_text(example.title), io::html_text(story_of(example.text)));
      gallery.pages.push_back({name, folder.path_of(name + "/report.html"),
                               record.done() && record.certificate.verdict != simulation::Verdict::no});
      if (options.on_progress) { options.on_progress(++done, catalog::examples().size()); }
    }
  }
  gallery.index = folder.path_of("index.html");
  io::write_into(
      folder, "index.html",
      fmt::format("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src {}\">\n"
                  "<title>Polhode: examples</title>\n<style>{}</style>\n</head>\n<body>\n<h1>How bodies turn</h1>\n"
                  "<p>Each picture leads to a run that can be played, seen from space or from the body, and "
                  "plotted. Each is an example of polhode: <code>polhode new NAME</code> writes it.</p>\n"
                  "<ul>\n{}</ul>\n</body>\n</html>\n",
                  policy_hash(kStyle), kStyle, cards));
  folder.finish();
  return gallery;
}

}  // namespace polhode::run
