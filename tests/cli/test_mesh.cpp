// A body given as a mesh, from the file to the page.
#include "support/run_program.h"

#include <nlohmann/json.hpp>

TEST_CASE(
    "an example with a mesh is written with its mesh, checked, run and gone on with only while the mesh is the same") {
  const Workshop work;
  CHECK(work.polhode("new wing-nut").err.find("Wrote wing-nut.obj, which it reads") != std::string::npos);
  CHECK(work.exists("wing-nut.obj"));
  CHECK(work.polhode("new wing-nut -o other.toml").err.find("'wing-nut.obj' is already there") != std::string::npos);
  CHECK_FALSE(work.exists("other.toml"));
  CHECK(work.polhode("new wing-nut -o -").out.find("shape = \"mesh\"") != std::string::npos);

  const auto check = work.polhode("check wing-nut.toml");
  CHECK(check.status == 0);
  CHECK(check.out.find("note: mesh wing-nut.obj: ") != std::string::npos);
  CHECK(check.out.find("mass centre at ") != std::string::npos);

  const auto run = work.polhode("run wing-nut.toml --certify --format csv,json --json -q");
  CHECK(run.status == 0);
  const auto json = nlohmann::json::parse(run.out);
  CHECK(json.at("certificate").at("verdict") == "yes");
  CHECK(json.at("meshes").at(0).at("triangles") == json.at("meshes").at(0).at("triangles_drawn"));
  const auto results = nlohmann::json::parse(work.read("wing-nut.run/results.json"));
  CHECK(results.at("head").at("bodies").at(0).at("parts").at(0).at("surface").contains("points"));
  // to the bit through other formats
  CHECK(work.polhode("convert wing-nut.run/results.json --to csv -o again.csv -q").status == 0);
  CHECK(work.read("again.csv") == work.read("wing-nut.run/results.csv"));
  // the hash is that of both files one after the other
  const auto hash = work.command("cat wing-nut.toml wing-nut.obj | sha256sum");
  CHECK(hash.out.starts_with(json.at("scenario_sha256").get<std::string>()));

  CHECK(work.polhode("run wing-nut.toml -q --resume").status == 0);
  work.command("sed -i 's/^v 6 -2.4853 8$/v 6 -2.4853 8.001/' wing-nut.obj");
  CHECK(work.polhode("run wing-nut.toml -q --resume").err.find("the log of another scenario") != std::string::npos);
  work.command("rm wing-nut.obj");
  const auto gone = work.polhode("run wing-nut.toml -q");
  CHECK(gone.status == 2);
  CHECK(gone.err.find("wing-nut.toml:7:8: cannot read 'wing-nut.obj'") != std::string::npos);
}

TEST_CASE("a mesh outside the folder of its scenario is read when the command line allows it") {
  const Workshop work;
  work.polhode("new wing-nut -q");
  work.command("mkdir in; sed 's|wing-nut.obj|../wing-nut.obj|' wing-nut.toml >in/w.toml");
  for (const std::string command : {"run", "compare --formulation f1 --no-report --no-times", "check"}) {
    CAPTURE(command);
    const auto refused = work.polhode(command + " in/w.toml -q");
    CHECK(refused.status == (command == "check" ? 1 : 2));
    CHECK((refused.out + refused.err)
              .find("in/w.toml:7:8: the mesh '../wing-nut.obj' lies outside the folder of the scenario; meshes beside "
                    "the scenario or in folders below it; copy it there, or allow it with --allow-outside") !=
          std::string::npos);
    CHECK(work.polhode(command + " in/w.toml -q --allow-outside").status == 0);
  }
}

TEST_CASE("the commands in docs/scenario.md print what the page says") {
  const Workshop work;
  std::ifstream page(std::string(POLHODE_SOURCE_DIR) + "/docs/scenario.md");
  REQUIRE(page.good());
  const std::vector<PageCommand> commands = console_of(std::string(std::istreambuf_iterator<char>(page), {}));
  for (const auto& [command, expected] : commands) {
    CAPTURE(command);
    const Workshop::Result result = work.command(command);
    CHECK(result.out + without_next(result.err) == expected);
  }
  CHECK(commands.size() >= 2);
}
