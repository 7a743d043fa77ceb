// Any bytes as a file of triangles, OBJ or STL: read, weighed, and thinned for a picture.
#include "fuzz/fuzz.h"
#include "polhode/io/mesh_file.h"

using namespace polhode;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return test::must_not_break(data, size, [](std::string_view bytes) {
    // the first byte chooses the format
    const bool stl = bytes.starts_with('S');
    const io::MeshFile mesh = io::read_mesh(bytes.substr(bytes.empty() ? 0 : 1), stl ? "fuzz.stl" : "fuzz.obj");
    pictured(mesh.surface, 8);
    shape::mesh(Amount::density(1), mesh.surface.points, mesh.surface.triangles);
  });
}
