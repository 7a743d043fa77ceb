// The page of a run: its head comes back from JSON, what is text stays text, the same run gives the same bytes.
#include "polhode/io/viewer_page.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

using namespace polhode;

namespace {

const std::string kNasty = "</title><script>alert('x')</script>&\"";

io::ResultHead page_head() {
  io::ResultHead head;
  head.title = kNasty;
  head.scenario_file = "a.toml";
  head.scenario_text = "# " + kNasty;
  head.version = "1";
  head.formulation = "euler-body";
  head.integrator = "rk4";
  head.columns = {{"t_s", "s", "time"}, {"e0", "1", "scalar"}, {"e1", "1", "x"}, {"e2", "1", "y"}, {"e3", "1", "z"}};
  head.events = {kNasty};
  head.bodies.push_back({.name = kNasty,
                         .mass = 2,
                         .reference_B = {0, 0, 0.5},
                         .held = true,
                         .J_B = diagonal(1.0, 2.0, 3.0),
                         .outlines = {{"box", {1, 2, 3}, {0, {1, 0, 0}}, {4, 5, 6}, true}}});
  const auto surface = std::make_shared<const Surface>(
      Surface{{{0, 0, 0.125}, {1, 0, static_cast<double>(0.1F)}, {-0.0, 0x1p-99, 0}, {0x1p68, 0, 1}},
              {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}}});
  for (int i = 0; i < 2; ++i) {
    head.bodies[0].outlines.push_back({.shape = "mesh", .lengths = {}, .surface = surface});
  }
  head.joints.push_back({.name = kNasty,
                         .kind = "revolute",
                         .first = -1,
                         .second = 0,
                         .r_first = {1, 2, 3},
                         .e_first = {0, {0, 1, 0}},
                         .r_second = {4, 5, 6},
                         .e_second = {0, {0, 0, 1}}});
  head.bodies[0].shaped = false;
  head.scene.up_N = {0, 9.81, 0.1};
  head.scene.floor = io::PicturedPlane{{0, 0, -0.25}, {0, 0, 1}};
  head.scene.other_floors = {{{1, 0, 0}, {0.6, 0, 0.8}}, {{0, 0, 3}, {0, 0, -1}}};
  head.scene.springs = {{"spring", -1, {1, 0, 0}, 0, {0, 0.5, 0}}, {"bushing", 0, {0, 0, 1}, -1, {2, 0, 0}}};
  head.certificate_json = R"({"verdict": "yes", "reason": "<b>"})";
  return head;
}

struct Log {
  explicit Log(int rows)
      : path((std::filesystem::temp_directory_path() /
              ("polhode-viewer-page-" + std::to_string(rows) + "-" + std::to_string(::getpid()) + ".plog"))
                 .string()) {
    io::LogWriter log = io::LogWriter::create(path, io::to_json(page_head()));
    for (int i = 0; i < rows; ++i) {
      const double row[] = {0.1 * i, 1.0 / (1 + i), 0, 0, 0};
      log.row(row);
    }
    log.event({0, 0.1 * rows, {}});
    log.end("{}");
  }
  ~Log() { std::filesystem::remove(path); }
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;
  std::string path;
};

std::string page_of(const std::string& path) {
  std::string page;
  const auto open = [&] {
    std::unique_ptr<io::ResultReader> result = io::open_result(path);
    result->head().certificate_json = page_head().certificate_json;
    return result;
  };
  io::result_writer("html").write(open, {[&](std::string_view text) { page += text; }, ""});
  return page;
}

}  // namespace

TEST_CASE("bodies, joints and scene of a head come back from its JSON; the certificate stays out of it") {
  const io::ResultHead again = io::head_from_json(io::to_json(page_head()), "x");
  CHECK(again.bodies == page_head().bodies);
  CHECK(again.joints == page_head().joints);
  CHECK(again.scene == page_head().scene);
  CHECK(again.certificate_json.empty());
  io::ResultHead none = page_head();
  none.bodies.clear();
  none.joints.clear();
  none.scene = {};
  CHECK(io::head_from_json(io::to_json(none), "x").scene.empty());
  CHECK(io::head_from_json(io::to_json(none), "x").bodies.empty());
  CHECK(io::head_from_json(io::to_json(none), "x").joints.empty());
}

TEST_CASE("a surface that two shapes share is written once, and a damaged one is refused") {
  const std::string json = io::bodies_to_json(page_head().bodies);
  CHECK(json.find("\"points\"") == json.rfind("\"points\""));
  const std::vector<io::PicturedBody> again = io::bodies_from_json(json, {});
  CHECK(again[0].outlines[1].surface == again[0].outlines[2].surface);
  CHECK(io::bodies_to_json(again) == json);
  const std::string triangles = "0 2 1 0 1 3 1 2 3";
  for (const char* damaged : {"0 2 1 0 1 4 1 2 3", "0 2 1 0 1 3 1 2", "0 2 1 0 1 -3 1 2 3", "0 2 x", "0  2 1"}) {
    std::string other = json;
    REQUIRE(other.find(triangles) != std::string::npos);
    other.replace(other.find(triangles), triangles.size(), damaged);
    CAPTURE(damaged);
    CHECK_THROWS_AS(io::bodies_from_json(other, {}), Error);
  }
  std::string other = json;
  other.replace(other.find("0 0 0.125"), 9, "0 0 nan  ");
  CHECK_THROWS_AS(io::bodies_from_json(other, {}), Error);
  other = json;
  other.replace(other.find("\"surface\":0"), 11, "\"surface\":7");
  CHECK_THROWS_AS(io::bodies_from_json(other, {}), Error);
}

TEST_CASE("text for HTML has no markup left") {
  CHECK(io::html_text("a<b>&\"'") == "a&lt;b&gt;&amp;&quot;&#39;");
  CHECK(io::html_text("plain ω") == "plain ω");
}

TEST_CASE("a page holds its title, certificate and scenario as text only, and forbids everything that is not its own") {
  const Log log(10);
  const std::string page = page_of(log.path);
  CHECK(page.starts_with("<!doctype html>"));
  CHECK(page.ends_with("</html>\n"));
  CHECK(page.find(io::html_text(kNasty)) != std::string::npos);
  CHECK(page.find("alert('x')") == std::string::npos);
  CHECK(page.find("Content-Security-Policy\" content=\"default-src 'none'") != std::string::npos);
  CHECK(page.find("&lt;b&gt;") != std::string::npos);
}

TEST_CASE("the same run gives the same page, more rows another one") {
  std::string first;
  {
    const Log log(70'000);
    first = page_of(log.path);
    CHECK((page_of(log.path) == first));
  }
  const Log log(70'001);
  const bool viewer = !io::viewer_template()[0].empty();
  CHECK(((page_of(log.path) != first) == viewer));
}

TEST_CASE("a page holds every row, or so few that it stays small, always with the last") {
  CHECK(io::rows_between(3'000, 20) == 1);
  CHECK(io::rows_between(1'000'000, 20) == 11);
  CHECK(io::rows_between(1'000'000, 1300) == 651);
  if (!io::has_viewer()) { return; }
  const auto page_of_every = [](std::uint64_t every, int rows) {
    std::string page;
    const io::Write write = [&](std::string_view text) { page += text; };
    io::PageWords words;
    words.every = every;
    io::ViewerPage viewer(page_head(), words, write);
    for (int i = 0; i < rows; ++i) {
      const double row[] = {0.1 * i, std::sqrt(1.0 + i), 0, 0, 0};
      viewer.row(row);
    }
    viewer.end();
    return page.size();
  };
  CHECK(page_of_every(10, 40'000) + 60'000 < page_of_every(1, 40'000));
}
