// Robots in URDF on the command line: import, and convert --to urdf.
#include "support/run_program.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace {

const std::string kArm = R"(<?xml version="1.0"?>
<robot name="arm">
  <link name="base">
    <inertial><mass value="4"/><inertia ixx="0.04" ixy="0" ixz="0" iyy="0.04" iyz="0" izz="0.03"/></inertial>
  </link>
  <link name="upper">
    <inertial>
      <origin xyz="0 0 0.2" rpy="0 0 0.3"/>
      <mass value="2"/>
      <inertia ixx="0.03" ixy="0.001" ixz="0" iyy="0.03" iyz="0" izz="0.005"/>
    </inertial>
    <visual><origin xyz="0 0 0.2"/><geometry><mesh filename="package://arm/upper.obj"/></geometry></visual>
    <collision><geometry><box size="1 1 1"/></geometry></collision>
  </link>
  <link name="tool"/>
  <joint name="shoulder" type="revolute">
    <origin xyz="0 0 0.1" rpy="0 1.5707963267948966 0"/>
    <parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="2" effort="40" velocity="3"/>
    <dynamics damping="0.1" friction="0"/>
  </joint>
  <joint name="mount" type="fixed"><origin xyz="0 0 0.4"/><parent link="upper"/><child link="tool"/></joint>
</robot>
)";

void make_arm(const Workshop& work) {
  work.command("mkdir -p arm");
  work.write("arm/upper.obj", "v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  work.write("arm.urdf", kArm);
}

}  // namespace

TEST_CASE("a robot is imported, checked, run, written as URDF again, and imported again") {
  const Workshop work;
  make_arm(work);
  const auto import = work.polhode("import arm.urdf --package-path . -o arm.toml");
  CHECK(import.status == 0);
  CHECK(import.out.empty());
  CHECK(import.err.find("left out: 1 <collision> of links (line 13)\n") != std::string::npos);
  CHECK(import.err.find("changed: links without mass are part of what they are fixed to: 'tool' of 'upper'\n") !=
        std::string::npos);
  CHECK(import.err.find("chosen: ground holds the root link 'base'; --floating leaves it free\n") != std::string::npos);
  CHECK(import.err.find("3 links of robot 'arm' written to arm.toml: 2 bodies, 2 joints\n") != std::string::npos);
  CHECK(import.err.find("Next: polhode check arm.toml\n") != std::string::npos);
  const std::string toml = work.read("arm.toml");
  CHECK(toml.starts_with("# Robot 'arm', read from arm.urdf by polhode import.\n"));
  CHECK(toml.find("# - 1 <collision> of links (line 13)\n") != std::string::npos);
  CHECK(toml.find("file = \"arm/upper.obj\"") != std::string::npos);

  const auto check = work.polhode("check arm.toml");
  CHECK(check.status == 0);
  CHECK(check.out.find("2 bodies, 2 joints: 1 degree of freedom\n") != std::string::npos);
  CHECK(work.polhode("run arm.toml -q").status == 0);
  CHECK(work.exists("arm.run/report.html"));

  const auto back = work.polhode("convert arm.toml --to urdf -o back.urdf");
  CHECK(back.status == 0);
  CHECK(back.err.find("3 links and 2 joints of arm.toml written to back.urdf (urdf)\n") != std::string::npos);
  CHECK(back.err.find("Next: polhode import back.urdf -o again.toml\n") != std::string::npos);
  CHECK(work.polhode("import back.urdf -o again.toml -q").status == 0);
  CHECK(work.polhode("run again.toml -q").status == 0);
  // the same motion, but for rounding
  const auto last_row = [&](const std::string& run) { return work.command("tail -n 1 " + run + "/results.csv").out; };
  const auto numbers = [](const std::string& row) {
    std::vector<double> all;
    std::istringstream words(row);
    for (std::string word; std::getline(words, word, ',');) { all.push_back(std::stod(word)); }
    return all;
  };
  const std::vector<double> one = numbers(last_row("arm.run"));
  const std::vector<double> other = numbers(last_row("again.run"));
  REQUIRE(one.size() == other.size());
  REQUIRE(one.size() > 20);
  for (std::size_t i = 0; i < one.size(); ++i) {
    CAPTURE(i);
    // rounding, after some hundred steps of tolerance 1e-10 with stops
    CHECK(std::abs(one[i] - other[i]) < 1e-7 * std::max(1.0, std::abs(one[i])));
  }
}

TEST_CASE("import and convert --to urdf tell programs what they did as one JSON object") {
  const Workshop work;
  make_arm(work);
  const auto import = work.polhode("import arm.urdf --no-meshes --floating -o arm.toml --json");
  CHECK(import.status == 0);
  const auto json = nlohmann::json::parse(import.out);
  CHECK(json.at("what") == "import");
  CHECK(json.at("links") == 3);
  CHECK(json.at("bodies") == 2);
  CHECK(json.at("joints") == 1);
  CHECK(json.at("root") == "base");
  CHECK(json.at("root_free") == true);
  CHECK(json.at("notes").at(0).at("kind") == "left out");
  const auto back = nlohmann::json::parse(work.polhode("convert arm.toml --to urdf -o back.urdf --json").out);
  CHECK(back.at("output_format") == "urdf");
  CHECK(back.at("root_free") == true);
  CHECK(work.polhode("import arm.urdf --json -o -").status == 2);
  // to standard output, and from standard input
  CHECK(work.polhode("import - --no-meshes -o - -q", kArm).out.starts_with("# Robot 'arm', read from stdin"));
  CHECK(
      work.polhode("convert arm.toml --to urdf -q").out.starts_with("<?xml version=\"1.0\"?>\n<robot name=\"arm\">\n"));
}

TEST_CASE("import refuses what is wrong in one line with exit code 2, and writes nothing then") {
  const Workshop work;
  make_arm(work);
  const auto refused = [&](const std::string& arguments, const std::string& part) {
    const std::size_t files = work.count_files();
    const auto result = work.polhode(arguments);
    CAPTURE(arguments);
    CAPTURE(result.err);
    CHECK(result.status == 2);
    CHECK(result.err.find(part) != std::string::npos);
    CHECK(work.count_files() == files);
  };
  refused("import none.urdf -o x.toml", "none.urdf");
  refused(
      "import arm.urdf -o x.toml",
      "arm.urdf:12: the mesh 'package://arm/upper.obj' is not found: no folder of packages is given; give the folder "
      "that holds 'arm' with --package-path");
  refused("import arm.urdf -o x.toml --package-path arm/none", "package 'arm' is not there, or has no such file");
  refused("import arm.urdf --no-meshes --stop-stiffness -1 -o x.toml", "--stop-stiffness is below 0");
  refused("import arm.urdf --no-meshes --stop-stiffness soft -o x.toml", "--stop-stiffness");
  refused("import arm/upper.obj -o x.toml", "arm/upper.obj:1: no XML");
  // an input is not written over, and what is there is not without being asked
  refused("import arm.urdf --no-meshes -o arm.urdf", "arm.urdf");
  CHECK(work.read("arm.urdf") == kArm);
  work.write("arm.toml", "mine");
  refused("import arm.urdf --no-meshes", "'arm.toml' is already there; choose another name with -o, or write over it");
  CHECK(work.read("arm.toml") == "mine");
  CHECK(work.polhode("import arm.urdf --no-meshes --force -q").status == 0);
  refused("convert arm.toml --to urdf -o arm.toml", "arm.toml");
  refused("convert none.toml --to urdf -o x.urdf", "none.toml");
  CHECK(work.polhode("new four-bar -q").status == 0);
  refused("convert four-bar.toml --to urdf -o x.urdf", "closes a loop, and URDF describes trees");
  CHECK(work.polhode("new t-handle -q").status == 0);
  refused("convert t-handle.toml --to urdf -o x.urdf", "one body alone");
}

TEST_CASE("the commands in docs/urdf.md print what the page says") {
  const Workshop work;
  std::ifstream page(std::string(POLHODE_SOURCE_DIR) + "/docs/urdf.md");
  REQUIRE(page.good());
  const std::string text{std::istreambuf_iterator<char>(page), {}};
  // the robot of the page, between its fences
  const std::size_t begin = text.find("```xml\n") + 7;
  work.write("pendulum.urdf", text.substr(begin, text.find("```", begin) - begin));
  const std::vector<PageCommand> commands = console_of(text);
  for (const auto& [command, expected] : commands) {
    CAPTURE(command);
    const Workshop::Result result = work.command(command);
    CHECK(result.out + without_next(result.err) == expected);
  }
  CHECK(commands.size() >= 3);
}
