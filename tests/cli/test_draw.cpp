#include "support/run_program.h"
#include "support/xml.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>
#include <iterator>
#include <vector>

namespace {

struct Drawn {
  const char* arguments;
  const char* message;
};

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

const char* const kElbow =
    "title = 'Elbow'\n"
    "[[joint]]\nname = 'a'\nparent = 'base'\naxis = 'z'\nangle_deg = 30\nposition = [0, 0, 0]\n";

}  // namespace

TEST_CASE("draw answers bad input with one line that says what is wrong and what would be right, and exit code 2") {
  const Workshop shop;
  const std::vector<Drawn> corpus{
      {"", "nothing to draw; wanted: a SEQUENCE such as 3-1-3, a mechanism's scenario or run, or --chain FILE"},
      {"3-1-3 --chain arm.toml",
       "both a sequence and a chain; wanted: a SEQUENCE such as 3-1-3, a mechanism's scenario or run, or --chain FILE"},
      {"--chain arm.toml --angles 1,2,3",
       "--angles and --rates belong to a sequence; write the angles of a chain into its file (angle_deg)"},
      {"3-1-3 --json -o -", "--json and '-o -' both want standard output; give the picture a file name"},
      {"3-1-3 --angles 1,2", "--angles 1,2: 2 numbers; wanted: 3 finite numbers with commas between"},
      {"3-1-3 --angles 1", "--angles 1: 1 number; wanted: 3 finite numbers with commas between"},
      {"3-1-3 --angles 1,2,3,4", "--angles 1,2,3,4: 4 numbers; wanted: 3 finite numbers with commas between"},
      {"3-1-3 --angles ''", "--angles : an empty entry; wanted: 3 finite numbers with commas between"},
      {"3-1-3 --angles 1,,3", "--angles 1,,3: an empty entry; wanted: 3 finite numbers with commas between"},
      {"3-1-3 --angles '1, ,3'", "--angles 1, ,3: an empty entry; wanted: 3 finite numbers with commas between"},
      {"3-1-3 --angles '1 2 3'",
       "--angles 1 2 3: '1 2 3' is not a number; wanted: 3 finite numbers with commas between"},
      {"3-1-3 --angles 1,x,3", "--angles 1,x,3: 'x' is not a number; wanted: 3 finite numbers with commas between"},
      {"3-1-3 --angles 1,+-2,3",
       "--angles 1,+-2,3: '+-2' is not a number; wanted: 3 finite numbers with commas between"},
      {"3-1-3 --angles 1,nan,3", "--angles 1,nan,3: 'nan' is not finite; wanted: 3 finite numbers with commas between"},
      {"3-1-3 --rates 1,-inf,3",
       "--rates 1,-inf,3: '-inf' is not finite; wanted: 3 finite numbers with commas between"},
      {"3-1-3 --angles 1e400,0,0",
       "--angles 1e400,0,0: '1e400' is beyond the range of numbers; wanted: 3 finite numbers with commas between"},
      {"3-1-3 --angles 1,1e308,3", "angle 2 is 1e+308 rad; allowed in a drawing: -1e9 to 1e9"},
      {"3-1-3 --deg --angles 1e308,1,3", "angle 1 is 1.74533e+306 rad; allowed in a drawing: -1e9 to 1e9"},
      {"3-1-3 --rates 1,2,-1e308", "rate 3 is -1e+308 rad/s; allowed in a drawing: -1e30 to 1e30"},
      {"3-1-3 --view 1", "--view 1: 1 number; wanted: 2 finite numbers with commas between"},
      {"3-1-3 --view 1e9,0", "--view 1e9,0: 1e+09 degrees; allowed: -360 to 360"},
      {"--chain missing.toml", "cannot read 'missing.toml': No such file or directory"},
      {"3-1-3 -o missing/cans.svg", "cannot write 'missing/cans.svg': No such file or directory"},
  };
  for (const Drawn& example : corpus) {
    CAPTURE(example.arguments);
    const Workshop::Result result = shop.polhode(std::string("draw ") + example.arguments);
    CHECK(result.status == 2);
    CHECK(result.out == "");
    CHECK(result.err == std::string("polhode: ") + example.message + "\n");
  }
  CHECK(shop.count_files() == 0);
}

TEST_CASE("draw names the nearest sequence, option and key") {
  const Workshop shop;
  const Workshop::Result sequence = shop.polhode("draw 3-3-1");
  CHECK(sequence.status == 2);
  CHECK(contains(sequence.err, "3-3-1"));
  CHECK(contains(sequence.err, "3-1-3"));

  const Workshop::Result option = shop.polhode("draw 3-1-3 --degs");
  CHECK(option.status == 2);
  CHECK(contains(option.err, "did you mean '--deg'?"));
  CHECK(contains(option.err, "See: polhode draw --help"));

  shop.write("arm.toml", std::string(kElbow) + "angel_deg = 3\n");
  const Workshop::Result key = shop.polhode("draw --chain arm.toml");
  CHECK(key.status == 2);
  CHECK(contains(key.err, "arm.toml:8:1: "));
  CHECK(contains(key.err, "did you mean 'angle_deg'?"));
  CHECK(shop.count_files() == 1);
}

TEST_CASE("draw tells all mistakes of a chain at once, each with its location") {
  const Workshop shop;
  shop.write("arm.toml",
             "title = 'Arm'\n"
             "[[joint]]\nname = 'a'\nparent = 'bse'\naxis = 'w'\nangle_deg = 1e300\nposition = [0, 0]\n"
             "[[shape]]\nlink = 'a'\nkind = 'cone'\n");
  const Workshop::Result result = shop.polhode("draw --chain arm.toml");
  CHECK(result.status == 2);
  CHECK(result.out == "");
  for (const char* location : {"arm.toml:4:", "arm.toml:5:", "arm.toml:6:", "arm.toml:7:", "arm.toml:10:"}) {
    CAPTURE(location);
    CHECK(contains(result.err, location));
  }
  CHECK(contains(result.err, "angle_deg is 1e+300; allowed: -1e9 to 1e9"));

  shop.write("arm.toml", std::string("view_deg = [0, 400]\n") + kElbow);
  CHECK(contains(shop.polhode("draw --chain arm.toml").err, "arm.toml:1:12: view_deg holds 400; allowed: -360 to 360"));
  CHECK(shop.count_files() == 1);
}

TEST_CASE("draw --help opens with an example and names every option, on standard output") {
  const Workshop shop;
  const Workshop::Result result = shop.polhode("draw --help");
  CHECK(result.status == 0);
  CHECK(result.out.starts_with("Example:\n  polhode draw 3-1-3"));
  CHECK(result.err == "");
  for (const char* option : {"SEQUENCE", "--angles", "--rates", "--deg", "--view", "--chain", "--output", "--json"}) {
    CAPTURE(option);
    CHECK(contains(result.out, option));
  }
}

TEST_CASE("draw writes an SVG under the name of the sequence or the chain, or the one it is given") {
  const Workshop shop;
  shop.write("elbow.toml", kElbow);
  const std::vector<Drawn> corpus{{"draw 3-1-3", "cans-3-1-3.svg"},
                                  {"draw 1-2-3:extrinsic", "cans-3-2-1-extrinsic.svg"},
                                  {"draw --chain elbow.toml", "elbow.svg"},
                                  {"draw 3-2-1 -o mine.svg", "mine.svg"}};
  for (const Drawn& example : corpus) {
    CAPTURE(example.arguments);
    const Workshop::Result result = shop.polhode(example.arguments);
    CHECK(result.status == 0);
    CHECK(result.out == "");
    CHECK(contains(result.err, std::string("Wrote ") + example.message + "\n"));
    CHECK(polhode::test::why_not_xml(shop.read(example.message)) == "");
  }
  CHECK(shop.polhode("draw 3-2-1 -q -o quiet.svg").err == "");
  CHECK(shop.read("quiet.svg") == shop.read("mine.svg"));
}

TEST_CASE("draw -o - gives the bytes of the file to standard output and writes no file") {
  const Workshop shop;
  REQUIRE(shop.polhode("draw 3-1-3 -o cans.svg").status == 0);
  const Workshop::Result result = shop.polhode("draw 3-1-3 -o -");
  CHECK(result.status == 0);
  CHECK(result.out == shop.read("cans.svg"));
  CHECK_FALSE(contains(result.err, "Wrote"));
  CHECK(shop.count_files() == 1);
}

TEST_CASE("draw takes blanks and plus signs in lists of numbers") {
  const Workshop shop;
  const std::string plain = shop.polhode("draw 3-1-3 --angles 1,2,-3 --view 30,20 -o -").out;
  CHECK(plain.starts_with("<svg"));
  CHECK(shop.polhode("draw 3-1-3 --angles ' 1, +2 ,-3 ' --view '30, 20' -o -").out == plain);
}

TEST_CASE("draw --json prints one object: file, axes, determinant, lock, angular velocity and view") {
  const Workshop shop;
  const Workshop::Result result =
      shop.polhode("draw 3-1-3 --json -q --deg --angles 0,90,0 --rates 10,20,30 --view 30,20 -o cans.svg");
  CHECK(result.status == 0);
  CHECK(result.err == "");
  const nlohmann::json object = nlohmann::json::parse(result.out);
  CHECK(object["what"] == "draw");
  CHECK(object["file"] == "cans.svg");
  CHECK(object["sequence"] == "3-1-3");
  CHECK(object["lock"] == false);
  CHECK(object["axes_N"].size() == 3);
  // sin 90°, and axes z, x, -y: rounding of sine and cosine
  CHECK(std::fabs(object["determinant"].get<double>() + 1) < 1e-15);
  const double degree = std::acos(-1.0) / 180;
  const double w_N_deg[3] = {20, -30, 10};
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(std::fabs(object["w_N_rad_s"][i].get<double>() - degree * w_N_deg[i]) < 1e-15);
  }
  CHECK(std::fabs(object["view_deg"][0].get<double>() - 30) < 1e-13);
  CHECK(shop.exists("cans.svg"));

  // at lock the condition number is infinite, which JSON cannot say
  const nlohmann::json lock = nlohmann::json::parse(shop.polhode("draw 3-1-3 --json --angles 1,0,2 -o lock.svg").out);
  CHECK(lock["lock"] == true);
  CHECK(lock["condition_number"].is_null());
}

TEST_CASE("draw --json: the axes stand in the order of the angles, so they have the determinant and give w_N") {
  const Workshop shop;
  const double rates[3] = {0.2, -0.3, 0.45};
  for (const std::string name :
       {"1-2-1", "1-2-3", "1-3-1", "1-3-2", "2-1-2", "2-1-3", "2-3-1", "2-3-2", "3-1-2", "3-1-3", "3-2-1", "3-2-3"}) {
    for (const std::string about : {":intrinsic", ":extrinsic"}) {
      CAPTURE(name + about);
      const nlohmann::json object = nlohmann::json::parse(
          shop.polhode("draw " + name + about + " --json -q --angles 0.4,0.7,-1.1 --rates 0.2,-0.3,0.45 -o cans.svg")
              .out);
      const auto axis = [&](std::size_t n, std::size_t i) { return object["axes_N"][n % 3][i % 3].get<double>(); };
      double determinant = 0;
      for (std::size_t i = 0; i < 3; ++i) {
        determinant += axis(0, i) * (axis(1, i + 1) * axis(2, i + 2) - axis(1, i + 2) * axis(2, i + 1));
        const double w_N = rates[0] * axis(0, i) + rates[1] * axis(1, i) + rates[2] * axis(2, i);
        CHECK(std::fabs(w_N - object["w_N_rad_s"][i].get<double>()) < 1e-15);  // rounding of three products
      }
      CHECK(std::fabs(determinant - object["determinant"].get<double>()) < 1e-15);
    }
  }
}

TEST_CASE("draw --json answers a file name that is not UTF-8 with one that JSON can hold") {
  const Workshop shop;
  const Workshop::Result result = shop.polhode("draw 3-1-3 --json -q -o \"$(printf 'a\\377.svg')\"");
  CHECK(result.status == 0);
  CHECK(result.err == "");
  CHECK(nlohmann::json::parse(result.out)["file"] == "a\xEF\xBF\xBD.svg");
  CHECK(shop.exists("a\xFF.svg"));
}

TEST_CASE("draw says so when standard output takes no more") {
  if (!std::filesystem::exists("/dev/full")) { return; }
  const Workshop shop;
  for (const char* arguments : {"draw 3-1-3 --json -q -o cans.svg", "draw 3-1-3 -o -"}) {
    CAPTURE(arguments);
    const Workshop::Result result = shop.polhode(std::string(arguments) + " > /dev/full");
    CHECK(result.status == 1);
    CHECK(result.err == "polhode: cannot write 'standard output': No space left on device\n");
  }
}

TEST_CASE("draw shows a mechanism at its start and a run at its end") {
  const Workshop shop;
  CHECK(shop.polhode("new four-bar").status == 0);
  const Workshop::Result start = shop.polhode("draw four-bar.toml --json");
  CHECK(start.status == 0);
  const auto facts = nlohmann::json::parse(start.out);
  CHECK(facts.at("bodies") == nlohmann::json({"crank", "coupler", "rocker"}));
  CHECK(facts.at("joints") == nlohmann::json({"motor", "upper", "knee", "foot"}));
  const std::string still = shop.read("four-bar.svg");
  CHECK(polhode::test::why_not_xml(still) == "");
  CHECK(contains(still, ">coupler</text>"));
  CHECK_FALSE(contains(still, "Pale:"));

  CHECK(shop.polhode("run four-bar.toml --no-report -q").status == 0);
  CHECK(shop.polhode("draw four-bar.run -q -o end.svg").status == 0);
  CHECK(contains(shop.read("end.svg"), "Pale: where it was before"));
  std::ifstream shown(std::string(POLHODE_SOURCE_DIR) + "/docs/images/four-bar.svg", std::ios::binary);
  const std::string picture{std::istreambuf_iterator<char>(shown), std::istreambuf_iterator<char>()};
  CHECK((shop.read("end.svg") == picture));
  CHECK(shop.polhode("draw four-bar.run/run.plog -q -o again.svg").status == 0);
  CHECK(shop.read("again.svg") == shop.read("end.svg"));
}

TEST_CASE("draw says what is wrong with a mechanism") {
  const Workshop shop;
  CHECK(shop.polhode("new t-handle").status == 0);
  CHECK(shop.polhode("draw t-handle.toml").err ==
        "polhode: 't-handle.toml' is no mechanism: it has no [[bodies]]; polhode run shows one body in its report; "
        "polhode "
        "draw --chain draws a chain file\n");
  CHECK(shop.polhode("draw missing.toml").err == "polhode: cannot read 'missing.toml': No such file or directory\n");
  CHECK(shop.polhode("draw t-handle.toml --angles 1,2,3").err ==
        "polhode: --angles and --rates belong to a sequence; write the start of a mechanism into its file\n");
  CHECK(shop.polhode("run t-handle.toml --no-report -q").status == 0);
  const Workshop::Result one = shop.polhode("draw t-handle.run");
  CHECK(one.status == 2);
  CHECK(contains(one.err, "is a run of one body; wanted: a run of a mechanism"));
}
