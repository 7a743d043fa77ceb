// Files of triangles: what they mean, and what every mistake in them is told as.
#include "polhode/core/error.h"
#include "polhode/io/mesh_file.h"

#include <doctest/doctest.h>

#include <bit>
#include <limits>
#include <random>

using namespace polhode;

namespace {

/// Four faces, outside out; its edges along the axes.
const std::string kTetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

MassProperties solid(const io::MeshFile& mesh) {
  return shape::mesh(Amount::density(1), mesh.surface.points, mesh.surface.triangles);
}
double volume_of(const std::string& bytes, const std::string& file) { return solid(io::read_mesh(bytes, file)).mass; }

std::string mesh_message(const std::string& bytes, const std::string& file) {
  try {
    io::read_mesh(bytes, file);
  } catch (const Error& error) { return error.what(); }
  return "no error";
}

/// The same triangles as STL, as text and in bytes.
std::string stl_text(const io::MeshFile& mesh) {
  std::string text = "solid made here\n";
  for (const shape::Triangle& triangle : mesh.surface.triangles) {
    text += "  facet normal nan nan nan\n    outer loop\n";
    for (const std::uint32_t n : triangle) {
      const auto& [x, y, z] = mesh.surface.points[n];
      text += "      VERTEX " + std::to_string(x) + " " + std::to_string(y) + "\t" + std::to_string(z) + "\r\n";
    }
    text += "    endloop\n  endfacet\n";
  }
  return text + "endsolid made here\n";
}
void append_4_bytes(std::string& bytes, std::uint32_t n) {
  for (unsigned i = 0; i < 4; ++i) { bytes += static_cast<char>(n >> (8 * i) & 0xFFU); }
}
std::string stl_binary(const io::MeshFile& mesh, const std::string& head = "solid, but binary all the same") {
  std::string bytes = head;
  bytes.resize(80);
  append_4_bytes(bytes, static_cast<std::uint32_t>(mesh.surface.triangles.size()));
  for (const shape::Triangle& triangle : mesh.surface.triangles) {
    bytes.append(12, '\x7F');  // a normal, which is not read
    for (const std::uint32_t n : triangle) {
      for (std::size_t i = 0; i < 3; ++i) {
        append_4_bytes(bytes, std::bit_cast<std::uint32_t>(static_cast<float>(mesh.surface.points[n][i])));
      }
    }
    bytes.append(2, '\0');
  }
  return bytes;
}

}  // namespace

TEST_CASE("OBJ, STL in text and STL in bytes give the same solid") {
  const io::MeshFile obj = io::read_mesh(kTetrahedron, "t.obj");
  CHECK(obj.surface.points.size() == 4);
  CHECK(obj.lines == std::vector<int>{5, 6, 7, 8});
  CHECK(obj.triangle_name(2) == "the triangle in line 7");
  CHECK(solid(obj).mass == doctest::Approx(1.0 / 6).epsilon(1e-15));
  const io::MeshFile text = io::read_mesh(stl_text(obj), "t.STL");
  const io::MeshFile binary = io::read_mesh(stl_binary(obj), "t.stl");
  for (const io::MeshFile* stl : {&text, &binary}) {
    CHECK(stl->surface.points.size() == 4);  // twelve corners, joined
    CHECK(stl->surface.triangles.size() == 4);
    CHECK(solid(*stl).J_B == solid(io::read_mesh(stl_text(obj), "t.stl")).J_B);
    CHECK(frobenius_norm(solid(*stl).J_B - solid(obj).J_B) < 1e-16);  // the sums have another order
  }
  CHECK(text.triangle_name(1) == "the triangle in line 9");
  CHECK(binary.triangle_name(1) == "triangle 2");
}

TEST_CASE("what OBJ allows is read: polygons, indices from the end, textures, joined lines, all else left out") {
  const std::string box =
      "# a box\nmtllib x.mtl\no box\nv 0 0 0 1.0\nv 2 0 0\nv +2 1 0\nv 0 1e0 0\r\nv 0 0 3\nv 2 0 3\nv 2 1 3\nv 0 1 3\n"
      "vt 0 0\nvn 0 0 1\nusemtl steel\ns off\nl 1 2\ncurv nonsense\n"
      "f 4 3 2 1 # bottom\nf -4/1 -3/1/1 -2//1 -1\nf 1 2 \\\n 6 5\nf 2 3 7 6\nf 3\\\n 4 8 7\nf 4 1 5 8";
  const io::MeshFile mesh = io::read_mesh(box, "box.obj");
  CHECK(mesh.surface.triangles.size() == 12);
  CHECK(solid(mesh).mass == doctest::Approx(6).epsilon(1e-15));
  CHECK(norm(solid(mesh).center_B - Vec3<double>{1, 0.5, 1.5}) < 1e-15);
  // a byte order mark does not hide the first vertex
  CHECK(volume_of("\xEF\xBB\xBF" + kTetrahedron, "t.obj") > 0.16);
  // faces may come before their vertices
  CHECK(volume_of("f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n", "t.obj") > 0.16);
}

TEST_CASE("points at the same position are one, and triangles that bound nothing are left out") {
  // every face with vertices of its own, -0 among them, and a face of two points
  const std::string split =
      "v 0 0 0\nv 0 1 0\nv 1 0 0\nv -0 0 0\nv 1 0 0\nv 0 0 1\nv 0 0 0\nv 0 0 1\nv 0 1 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
      "f 1 2 3\nf 4 5 6\nf 1 4 6\nf 7 8 9\nf 10 11 12\n";
  const io::MeshFile mesh = io::read_mesh(split, "t.obj");
  CHECK(mesh.surface.points.size() == 4);
  CHECK(mesh.lines == std::vector<int>{13, 14, 16, 17});
  CHECK(solid(mesh).mass == doctest::Approx(1.0 / 6).epsilon(1e-15));
  // a wrong twin: a last digit off, and the surface is open
  std::string off = split;
  off.replace(off.find("v -0 0 0"), 8, "v 1e-9 0 0");
  CHECK_THROWS_AS(solid(io::read_mesh(off, "t.obj")), Error);
}

TEST_CASE("every mistake in a file of triangles is told with its location and what is allowed") {
  const io::MeshFile good = io::read_mesh(kTetrahedron, "t.obj");
  struct {
    std::string bytes;
    std::string file;
    std::string told;
  } const mistakes[] = {
      {"v 0 0\n", "a.obj", "a.obj:1:6: a vertex with 2 numbers; wanted: x, y and z"},
      {"v 0 0 zero\n", "a.obj", "a.obj:1:7: 'zero' is not a number"},
      {"v 0 0 nan\n", "a.obj", "a.obj:1:7: 'nan' is not finite"},
      {"\nv 0 -inf 0\n", "a.obj", "a.obj:2:5: '-inf' is not finite"},
      {"v 1e999 0 0\n", "a.obj", "a.obj:1:3: '1e999' is beyond the range of numbers"},
      {"v 0 0 0\nf 1 1\n", "a.obj", "a.obj:2:6: a face with 2 corners; three or more"},
      {"v 0 0 0\nf 1 2 0\n", "a.obj", "a.obj:2:7: vertex 0, and 1 stand above"},
      {"v 0 0 0\nf 1 2 -2\n", "a.obj", "a.obj:2:7: vertex -2, and 1 stand above"},
      {"v 0 0 0\nv 1 0 0\nf 1 2 7\n", "a.obj", "a.obj:3:7: vertex 7, and the file has 2; vertices count from 1"},
      {"v 0 0 0\nf 1 a 1\n", "a.obj", "a.obj:2:5: 'a' is no corner of a face"},
      {"v 0 0 0\nf 1 1x 1\n", "a.obj", "a.obj:2:5: '1x' is no corner of a face"},
      {"v 0 0 0\nf 1 99999999999999999999 1\n", "a.obj", "is no corner of a face"},
      {"v 0 0 0\x1B[31m 0\n", "a.obj", "'0?[31m' is not a number"},
      {"", "a.obj", "a.obj: there is no triangle in it"},
      {"v 0 0 0\nv 1 0 0\nv 0 1 0\n", "a.obj", "a.obj: there is no triangle in it; wanted: a closed surface"},
      {kTetrahedron, "a.ply", "'a.ply' is no mesh that we know; known: .obj (Wavefront), .stl"},
      {"", "a.stl", "a.stl: 0 bytes are no STL"},
      {"solid\nfacet normal 0 0 1\nfacet", "a.stl", "a.stl:3:1: a facet in a facet; wanted: endfacet"},
      {"solid\nvertex 0 0 1\n", "a.stl", "a.stl:2:1: a vertex outside of a facet"},
      {"solid\nfacet\nvertex 0 0\n", "a.stl", "a.stl:3:11: a vertex with 2 numbers"},
      {"solid\nfacet\nvertex 0 0 1\nendfacet\n", "a.stl", "a.stl:4:1: a facet with 1 vertices; wanted: three"},
      {"solid\nendfacet\n", "a.stl", "a.stl:2:1: endfacet without facet"},
      {"solid\nfacet\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nvertex 1 1 0\n", "a.stl", "a.stl:6:1: a fourth vertex"},
      {"solid\nfacet\nvertex 0 0 0\n", "a.stl", "the file ends in a facet"},
      {"solid\nfacets\n", "a.stl", "a.stl:2:1: 'facets' is no word of STL; known: solid facet"},
      {stl_binary(good, "binary").substr(0, 200), "a.stl",
       "a.stl: byte 80 says 4 triangles, which take 284 bytes; the file has 200"},
  };
  for (const auto& mistake : mistakes) {
    const std::string told = mesh_message(mistake.bytes, mistake.file);
    CAPTURE(mistake.told);
    CAPTURE(told);
    CHECK(told.find(mistake.told) != std::string::npos);
  }
  io::MeshFile far = good;
  far.surface.points[2].y = std::numeric_limits<double>::infinity();
  CHECK(mesh_message(stl_binary(far), "a.stl").find("a.stl: triangle 1, byte 112: the coordinate is inf") !=
        std::string::npos);
  std::string many = stl_binary(good);
  many[82] = '\x7F';
  CHECK(mesh_message(many, "a.stl").find("no triangle") == std::string::npos);
  CHECK(mesh_message(kTetrahedron, "a.obj") == "no error");
}

TEST_CASE("random damage to a file of triangles never gets past the reader as anything but an Error") {
  const io::MeshFile good = io::read_mesh(kTetrahedron, "t.obj");
  std::mt19937 random(7);
  for (const auto& [whole, name] :
       {std::pair{kTetrahedron, "t.obj"}, std::pair{stl_text(good), "t.stl"}, std::pair{stl_binary(good), "t.stl"}}) {
    int refused = 0;
    for (int i = 0; i < 2000; ++i) {
      std::string bytes = whole;
      for (int k = 0; k < 3; ++k) { bytes[random() % bytes.size()] = static_cast<char>(random() % 256); }
      if (i % 3 == 0) { bytes.resize(random() % bytes.size()); }
      refused += mesh_message(bytes, name) != "no error" ? 1 : 0;
    }
    CHECK(refused > 200);
  }
}
