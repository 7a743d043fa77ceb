// A robot, from any bytes: read where they are one. Its scenario, written as TOML, reads back equal; it is written as
// URDF and read again.
#include "fuzz/fuzz.h"
#include "polhode/catalog/urdf.h"

#include <cstdlib>

using namespace polhode;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return test::must_not_break(data, size, [](std::string_view bytes) {
    // the first byte chooses how it is read; no file is looked for
    const unsigned char choice = bytes.empty() ? 0 : static_cast<unsigned char>(bytes.front());
    catalog::UrdfReading how;
    how.meshes = false;
    how.floating = (choice & 1U) != 0;
    how.allow_impossible_inertia = (choice & 2U) != 0;
    const catalog::ImportedRobot robot = catalog::read_urdf(bytes.substr(bytes.empty() ? 0 : 1), "fuzz.urdf", how);
    const std::string text = catalog::to_toml(robot, "fuzz.urdf");
    const io::ScenarioFile file(text, "fuzz.toml");
    if (!file.problems().empty() || !(file.scenario() == robot.scenario)) { std::abort(); }
    if (robot.links > 50) { return; }
    const catalog::WrittenUrdf written = catalog::to_urdf(robot.scenario);
    how.floating = written.root_free;
    const catalog::ImportedRobot again = catalog::read_urdf(written.text, "again.urdf", how);
    if (again.scenario.bodies.size() != robot.scenario.bodies.size()) { std::abort(); }
  });
}
