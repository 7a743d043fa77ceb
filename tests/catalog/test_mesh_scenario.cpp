// Bodies given as files of triangles.
#include "polhode/catalog/mechanism_scenario.h"
#include "polhode/core/sha256.h"
#include "polhode/motion/free_motion.h"
#include "polhode/simulation/simulation.h"
#include "support/files.h"
#include "support/sinks.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

using namespace polhode;

namespace {

/// A folder with meshes and scenarios that goes with the object.
class MeshFolder {
 public:
  MeshFolder() : path_(std::filesystem::temp_directory_path() / ("polhode-meshes-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_ / "parts");
  }
  ~MeshFolder() { std::filesystem::remove_all(path_); }
  MeshFolder(const MeshFolder&) = delete;
  MeshFolder& operator=(const MeshFolder&) = delete;

  void write(const std::string& name, const std::string& text) const { std::ofstream(path_ / name) << text; }
  std::string scenario_file() const { return (path_ / "s.toml").string(); }

 private:
  std::filesystem::path path_;
};

/// A box from low to high, the edges in the file's unit; `faces` may be changed.
std::string obj_box(const Vec3<double>& low, const Vec3<double>& high,
                    const std::string& faces = "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n") {
  std::string text;
  for (const double z : {low.z, high.z}) {
    for (const auto& [x, y] : {std::pair{low.x, low.y}, {high.x, low.y}, {high.x, high.y}, {low.x, high.y}}) {
      text += "v " + std::to_string(x) + " " + std::to_string(y) + " " + std::to_string(z) + "\n";
    }
  }
  return text + faces;
}

std::string mesh_scenario(const std::string& body) {
  return "title = \"m\"\n[body]\n" + body + "\n[initial]\nw_body = [0.1, 0.2, 0.3]\n[run]\nduration = 1\n";
}
std::string mesh_told(const std::string& text, const MeshFolder& folder) {
  try {
    catalog::read_scenario(text, folder.scenario_file());
  } catch (const Error& error) { return error.what(); }
  return "no error";
}

}  // namespace

TEST_CASE("a mesh is the shape it encloses: mass, mass centre and inertia, with scale and density") {
  const MeshFolder folder;
  folder.write("parts/box.obj", obj_box({0, 0, 0}, {200, 100, 50}));  // mm
  const catalog::OneBodyScenario s =
      catalog::read_scenario(mesh_scenario("shape = \"mesh\"\nfile = \"parts/box.obj\"\nscale = 0.001\ndensity = 1000"),
                             folder.scenario_file());
  const MassProperties box = shape::box(Amount::density(1000), {0.2, 0.1, 0.05});
  CHECK(s.mass_properties.mass == doctest::Approx(box.mass).epsilon(1e-14));
  CHECK(norm(s.mass_properties.center_B - Vec3<double>{0.1, 0.05, 0.025}) < 1e-16);
  CHECK(frobenius_norm(s.mass_properties.J_B - box.J_B) < 1e-14 * frobenius_norm(box.J_B));
  CHECK(frobenius_norm(s.plan.body.J_B - box.J_B) < 1e-14 * frobenius_norm(box.J_B));  // about the mass centre
  REQUIRE(s.outlines.size() == 1);
  CHECK(s.outlines[0].shape == "mesh");
  CHECK(s.outlines[0].surface->triangles.size() == 12);
  REQUIRE(s.meshes.size() == 1);
  CHECK(catalog::to_text(s.meshes[0]) == "12 triangles, 1 kg, mass centre at 0.1 0.05 0.025 m in its axes");
  catalog::MeshFacts thinned = s.meshes[0];
  thinned.drawn = 7;
  CHECK(catalog::to_text(thinned).ends_with("in its axes; drawn with 7 triangles"));
  // a wrong twin: without the scale it is a house
  const catalog::OneBodyScenario house = catalog::read_scenario(
      mesh_scenario("shape = \"mesh\"\nfile = \"parts/box.obj\"\nmass = 1"), folder.scenario_file());
  CHECK(frobenius_norm(house.mass_properties.J_B) > 1e5 * frobenius_norm(box.J_B));
}

TEST_CASE("a mesh can be a part, a hole and a body of a mechanism; copies share it") {
  const MeshFolder folder;
  folder.write("box.obj", obj_box({-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}));
  const catalog::OneBodyScenario s = catalog::read_scenario(
      mesh_scenario("[[body.part]]\nshape = \"box\"\nedges = [2, 2, 2]\ndensity = 10\n[[body.part]]\nshape = "
                    "\"mesh\"\nfile = \"box.obj\"\ndensity = 10\nhole = true\nposition = [0.5, 0, 0]"),
      folder.scenario_file());
  CHECK(s.mass_properties.mass == doctest::Approx(70).epsilon(1e-14));
  CHECK(s.mass_properties.center_B.x == doctest::Approx(-0.5 / 7).epsilon(1e-13));
  const catalog::MechanismScenario m = catalog::read_mechanism(
      "title = \"m\"\n[[bodies]]\nname = \"b\"\ncopies = 3\ncopy_offset = [2, 0, 0]\nshape = \"mesh\"\nfile = "
      "\"box.obj\"\nmass = 2\n[[joints]]\nname = \"j\"\nkind = \"spherical\"\nbodies = [\"ground\", \"b1\"]\npoint = "
      "[0, 0, 0.5]\n[run]\nduration = 1\n",
      folder.scenario_file());
  REQUIRE(m.outlines.size() == 3);
  CHECK(m.outlines[0][0].surface == m.outlines[2][0].surface);
  CHECK(m.meshes.size() == 1);
  CHECK(m.plan.model->bodies()[1].mass.J_B(0, 0) == doctest::Approx(2.0 / 6).epsilon(1e-14));
}

TEST_CASE("a scenario's hash counts its meshes, each once, and is that of its text where it has none") {
  const MeshFolder folder;
  const std::string box = obj_box({0, 0, 0}, {1, 1, 1});
  folder.write("a.obj", box);
  const std::string text = mesh_scenario(
      "[[body.part]]\nshape = \"mesh\"\nfile = \"a.obj\"\nmass = 1\n[[body.part]]\nshape = \"mesh\"\nfile = "
      "\"a.obj\"\nmass = 2\nposition = [3, 0, 0]");
  CHECK(catalog::read_scenario(text, folder.scenario_file()).sha256 == sha256(text + box));
  folder.write("a.obj", box + "# changed\n");
  CHECK(catalog::read_scenario(text, folder.scenario_file()).sha256 == sha256(text + box + "# changed\n"));
  const std::string plain = mesh_scenario("principal_moments = [1, 2, 3]");
  CHECK(catalog::read_scenario(plain, folder.scenario_file()).sha256 == sha256(plain));
}

TEST_CASE("a mesh lies below the folder of its scenario, by its name and by every link, unless that is allowed") {
  namespace fs = std::filesystem;
  const MeshFolder folder;
  const fs::path home = fs::path(folder.scenario_file()).parent_path();
  folder.write("box.obj", obj_box({0, 0, 0}, {1, 1, 1}));
  fs::create_directories(home / "in/parts");
  const std::string scenario = (home / "in/s.toml").string();
  folder.write("in/parts/box.obj", obj_box({0, 0, 0}, {1, 1, 1}));
  fs::create_symlink("parts/box.obj", home / "in/inside.obj");
  fs::create_symlink("../box.obj", home / "in/outside.obj");
  fs::create_directory_symlink("..", home / "in/up");
  const auto told = [&](const std::string& file, catalog::MeshLocations locations) {
    try {
      catalog::read_scenario(mesh_scenario("shape = \"mesh\"\nmass = 1\nfile = \"" + file + "\""), scenario, locations);
    } catch (const Error& error) { return std::string(error.what()); }
    return std::string();
  };
  using catalog::MeshLocations;
  for (const std::string file : {"parts/box.obj", "inside.obj", "parts/../inside.obj", "up/in/inside.obj"}) {
    CAPTURE(file);
    CHECK(told(file, MeshLocations::below_scenario).empty());
  }
  for (const std::string& file : {std::string("../box.obj"), std::string("outside.obj"), std::string("up/box.obj"),
                                  (home / "box.obj").string()}) {
    CAPTURE(file);
    CHECK(told(file, MeshLocations::below_scenario).find("lies outside the folder of the scenario") !=
          std::string::npos);
    CHECK(told(file, MeshLocations::anywhere).empty());
  }
  // whether there is a file outside is not told either
  CHECK(told("../none.obj", MeshLocations::below_scenario).find("lies outside") != std::string::npos);
}

TEST_CASE("what is wrong with a mesh is told at the scenario's line, with the edge by its points") {
  const MeshFolder folder;
  const std::string shape = "shape = \"mesh\"\nmass = 1\nfile = ";
  const auto told = [&](const std::string& rest) { return mesh_told(mesh_scenario(shape + rest), folder); };
  const auto has = [](const std::string& text, const std::string& part) {
    CAPTURE(text);
    CAPTURE(part);
    CHECK(text.find(part) != std::string::npos);
  };
  has(told("\"none.obj\""), "s.toml:5:8: cannot read ");
  has(told("\"parts\""), "s.toml:5:8: cannot read ");
  has(told("7"), "s.toml:5:8: ");
  has(mesh_told(mesh_scenario("shape = \"mesh\"\nmass = 1"), folder), "file");
  folder.write("box.obj", obj_box({0, 0, 0}, {1, 1, 1}));
  CHECK(told("\"box.obj\"") == "no error");
  has(told("\"box.obj\"\nscale = 0"), "scale is 0");
  has(told("\"box.obj\"\nscale = -1"), "scale is -1");
  has(told("\"box.obj\"\nscale = 1e300"), "too far out");
  has(told("\"box.obj\"\nscale = 1e-300"), "s.toml:5:8: ");
  has(told("\"box.obj\"\nedges = [1, 1, 1]"), "unknown key 'edges'");
  folder.write("open.obj", obj_box({0, 0, 0}, {1, 1, 1}, "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\n"));
  has(told("\"open.obj\""), "s.toml:5:8: open.obj: mesh: open at edge (0 0 0)-(0 1 0): the triangle in line 9 has no");
  folder.write("turned.obj",
               obj_box({0, 0, 0}, {1, 1, 1}, "f 1 2 3 4\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n"));
  has(told("\"turned.obj\""),
      "the triangle in line 9 and the triangle in line 11 run the same way along edge (0 0 0)-(1 0");
  folder.write("inside.obj",
               obj_box({0, 0, 0}, {1, 1, 1}, "f 1 2 3 4\nf 8 7 6 5\nf 5 6 2 1\nf 6 7 3 2\nf 7 8 4 3\nf 8 5 1 4\n"));
  has(told("\"inside.obj\""), "inside.obj: mesh: inside out: the shell of the triangle in line 9 has the volume -1 m³");
  has(told("\"inside.obj\""), "flipping normals");
  folder.write("word.obj", "v 0 0 0\nv 1 0 x\n");
  has(told("\"word.obj\""), "word.obj:2:7: 'x' is not a number");
  // of the whole file, in which no line is to blame
  folder.write("empty.stl", "solid nothing\nendsolid nothing\n");
  has(told("\"empty.stl\""), "s.toml:5:8: empty.stl: there is no triangle in it; wanted: a closed surface, with faces");
  folder.write("points.obj", "v 0 0 0\nv 1 0 0\n");
  has(told("\"points.obj\""), "s.toml:5:8: points.obj: there is no triangle in it");
  folder.write("short.stl", "1234");
  has(told("\"short.stl\""), "s.toml:5:8: short.stl: 4 bytes are no STL; text begins with 'solid'");
  folder.write("cut.stl", std::string(90, ' '));
  has(told("\"cut.stl\""), "s.toml:5:8: cut.stl: byte 80 says ");
}

TEST_CASE("the wing nut flips at the half period of the exact motion of its mesh's own moments") {
  const std::string file = std::string(POLHODE_SOURCE_DIR) + "/examples/wing-nut.toml";
  const catalog::OneBodyScenario s = catalog::read_scenario(test::text_of(file), file);
  const Vec3<double> moments = principal_axes(s.mass_properties.J_B).moments;
  CHECK(s.mass_properties.J_B(2, 2) == doctest::Approx(moments.y).epsilon(1e-12));  // the bore is the middle axis
  test::EventTimes sink;
  simulation::Simulation(s.plan).run(sink);
  REQUIRE(sink.list.size() >= 6);
  const FreeMotion<double> exact(s.plan.body.J_B, s.plan.start.e_NB, s.plan.start.w_B);
  for (std::size_t i = 1; i < sink.list.size(); ++i) {
    // tolerance 1e-11 a step: measured 1.1e-11
    CHECK(sink.list[i] - sink.list[i - 1] == doctest::Approx(exact.period() / 2).epsilon(1e-9));
  }
  // a wrong twin: moments about the origin of the file in place of the mass centre
  const Mat3<double> off = inertia_about(s.mass_properties, Vec3<double>{});
  const FreeMotion<double> other(off, s.plan.start.e_NB, s.plan.start.w_B);
  CHECK(std::fabs(other.period() / exact.period() - 1) > 0.01);
}

TEST_CASE(
    "an outline says how a body of a mechanism looks and weighs nothing; its mesh may be open, and counts in the "
    "hash") {
  const MeshFolder folder;
  folder.write("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  const auto text_with = [](const std::string& outline) {
    return "title = \"o\"\n[[bodies]]\nname = \"a\"\nmass = 2\nprincipal_moments = [1, 2, 2]\n" + outline +
           "[run]\nduration = 1\n";
  };
  const std::string mesh =
      "[[bodies.outline]]\nshape = \"mesh\"\nfile = \"open.obj\"\nscale = 0.5\nposition = [0, 0, 1]\n";
  const std::string box =
      "[[bodies.outline]]\nshape = \"box\"\nedges = [1, 2, 3]\naxis_angle = { axis = [0, 0, 1], angle_deg = 90 }\n";
  const auto read = [&](const std::string& outline) {
    return catalog::read_mechanism(text_with(outline), folder.scenario_file());
  };
  const catalog::MechanismScenario plain = read("");
  const catalog::MechanismScenario shown = read(mesh + box);
  CHECK_FALSE(plain.has_shape[0]);
  CHECK(shown.has_shape[0]);
  CHECK(shown.plan.model->bodies()[0].mass == plain.plan.model->bodies()[0].mass);
  REQUIRE(shown.outlines[0].size() == 2);
  REQUIRE(shown.outlines[0][0].surface);
  CHECK(shown.outlines[0][0].surface->points[1] == Vec3<double>{0.5, 0, 0});
  CHECK(shown.outlines[0][0].r_BC_B == Vec3<double>{0, 0, 1});
  CHECK(shown.outlines[0][1].lengths == std::vector<double>{1, 2, 3});
  CHECK(std::fabs(shown.outlines[0][1].e_BC.ev.z - std::sqrt(0.5)) < 1e-15);
  folder.write("open.obj", "v 0 0 0\nv 1 0 0\nv 0 2 0\nf 1 2 3\n");
  CHECK(read(mesh + box).sha256 != shown.sha256);
  const auto told = [&](const std::string& outline) -> std::string {
    try {
      read(outline);
    } catch (const Error& error) { return error.what(); }
    return "no error";
  };
  CHECK(told("[[bodies.outline]]\nshape = \"sphere\"\nradius = 1\nmass = 1\n").find("unknown key 'mass'") !=
        std::string::npos);
  CHECK(told("[[bodies.outline]]\nshape = \"sphere\"\n").find("radius") != std::string::npos);
  CHECK(told("[[bodies.outline]]\nradius = 1\n").find("shape") != std::string::npos);
  CHECK(told("[[bodies.outline]]\nshape = \"mesh\"\nfile = \"../x.obj\"\n").find("lies outside the folder") !=
        std::string::npos);
  CHECK(told("[[bodies.outline]]\nshape = \"mesh\"\nfile = \"none.obj\"\n").find("none.obj'") != std::string::npos);
}
