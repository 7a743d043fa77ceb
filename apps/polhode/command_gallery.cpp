#include "command.h"
#include "polhode/run/gallery.h"
#include "progress.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

namespace polhode::app {
namespace {

int gallery(const Session& session, run::GalleryOptions options) {
  catch_interrupt();
  Progress progress(session, "running", "examples", 1);
  options.keep_going = goes_on;
  options.on_progress = [&](std::uint64_t done, std::uint64_t total) { progress.set(done, total); };
  const run::Gallery gallery = run::write_gallery(options);
  progress.clear();
  if (gallery.interrupted) { return interrupted_status(); }
  if (session.json) {
    nlohmann::ordered_json pages = nlohmann::ordered_json::array();
    for (const run::Gallery::Page& page : gallery.pages) {
      pages.push_back({{"example", page.example}, {"page", page.file}, {"exit", page.good ? kDone : kCheckFailed}});
    }
    write_json({{"index", gallery.index}, {"pages", pages}});
  } else {
    write_out(gallery.index + "\n");
    session.say(fmt::format("Wrote {} examples; open {} in a browser.", gallery.pages.size(), gallery.index));
  }
  return kDone;
}

}  // namespace

void add_gallery(CLI::App& program, Session& session) {
  auto choice = std::make_shared<run::GalleryOptions>();
  Command command =
      add_command(program, session, "gallery",
                  "  polhode gallery             runs all examples; open gallery/index.html\n"
                  "  polhode gallery -o public   into a folder of your own",
                  "all examples as a static site to look at", [choice, &session] { return gallery(session, *choice); });
  command.add_option("-o,--output", choice->folder, "folder to write into; gallery if not given");
  command.add_flag("--overwrite", choice->overwrite, "also over files of the same names that are not of a gallery");
}

}  // namespace polhode::app
