// The folder that a command writes into: which files are ours, which are removed, which command may write.
#include "polhode/core/error.h"
#include "polhode/core/sha256.h"
#include "polhode/io/files.h"
#include "polhode/io/output_folder.h"
#include "polhode/io/write_error.h"
#include "support/files.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

using namespace polhode;
using io::OutputFolder;

namespace {

/// A folder that goes with the object.
struct Room {
  Room() : path(std::filesystem::temp_directory_path() / ("polhode-room-" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(path);
  }
  ~Room() { std::filesystem::remove_all(path); }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;
  void write(const std::string& name, const std::string& text) const { std::ofstream(path / name) << text; }
  bool has(const std::string& name) const { return std::filesystem::exists(path / name); }
  std::filesystem::path path;
};

const io::FolderOrigin kOrigin{"run", "1", "../x.toml", "abc"};

/// What a command does that writes these files; killed before it ends where `finished` is false.
void write_files(const Room& room, const std::vector<std::string>& names, bool finished = true) {
  OutputFolder folder(room.path.string());
  folder.start({.origin = kOrigin, .names = {"a", "b"}, .kept = {}});
  for (const std::string& name : names) {
    const std::string path = folder.claim(name);
    room.write(name + ".part-of-test", "text of " + name);
    folder.add(name, path + ".part-of-test");
    std::filesystem::rename(path + ".part-of-test", path);
  }
  if (finished) { folder.finish(); }
}

std::string why_not(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) { return error.what(); }
  return "";
}

}  // namespace

TEST_CASE("the manifest of a folder says what the last command left, and the next one takes just that away") {
  const Room room;
  write_files(room, {"a", "c"});
  room.write("mine", "mine");
  {
    const OutputFolder folder(room.path.string());
    REQUIRE(folder.last().has_value());
    CHECK(folder.last()->origin == kOrigin);
    CHECK(folder.last()->finished);
    REQUIRE(folder.last()->files.size() == 2);
    CHECK(folder.last()->files[0].name == "a");
    CHECK(folder.last()->files[0].bytes == 9);
    CHECK(folder.last()->files[0].sha256 == sha256("text of a"));
  }
  write_files(room, {"b"}, false);
  CHECK_FALSE(room.has("a"));
  CHECK_FALSE(room.has("c"));
  CHECK(room.has("mine"));
  CHECK_FALSE(OutputFolder(room.path.string()).last()->finished);
}

TEST_CASE("a file that was changed is not ours any more; it stays, and stands in the way where it is wanted") {
  const Room room;
  write_files(room, {"a", "c"});
  room.write("c", "changed");
  write_files(room, {"a"});  // does not write c
  CHECK(test::text_of(room.path / "c") == "changed");
  room.write("a", "text of A");  // as long as before
  CHECK(why_not([&] { write_files(room, {"b"}); }).find("a' is not a file that the last command left here") !=
        std::string::npos);
  CHECK(test::text_of(room.path / "a") == "text of A");
  CHECK(OutputFolder(room.path.string()).last()->finished);  // and nothing else has changed
}

TEST_CASE("a name that turns up as taken only when it is written is not written over") {
  const Room room;
  OutputFolder folder(room.path.string());
  folder.start({.origin = kOrigin, .names = {"a"}, .kept = {}});
  room.write("later", "mine");
  CHECK(why_not([&] { folder.claim("later"); }).find("later' is not a file that the last command") !=
        std::string::npos);
  std::filesystem::create_symlink("elsewhere", room.path / "link");
  CHECK(why_not([&] { folder.claim("link"); }).find("link' is not a plain file") != std::string::npos);
  CHECK(why_not([&] { folder.claim("link/new"); }).find("link/new' is not a plain file") != std::string::npos);
}

TEST_CASE("a folder has one writer at a time") {
  const Room room;
  {
    const OutputFolder first(room.path.string());
    CHECK(why_not([&] { const OutputFolder second(room.path.string()); }).find("another command is writing there") !=
          std::string::npos);
  }
  CHECK(why_not([&] { const OutputFolder second(room.path.string()); }).empty());
}

TEST_CASE("a file that grows in place is kept by the command that goes on with it, and hashed at the end") {
  const Room room;
  {
    OutputFolder folder(room.path.string());
    folder.start({.origin = kOrigin, .names = {"log"}, .kept = {}});
    folder.add_growing("log");
    room.write("log", "begun");
  }
  OutputFolder folder(room.path.string());
  REQUIRE(folder.last()->files.size() == 1);
  CHECK(folder.last()->files[0].sha256.empty());
  folder.start({.origin = kOrigin, .names = {"log"}, .kept = "log"});
  CHECK(room.has("log"));
  folder.finish();
  CHECK(test::text_of(room.path / "manifest.json").find(sha256("begun")) != std::string::npos);
}

TEST_CASE("what a manifest lists without a hash is taken away only if it is a log") {
  const Room room;
  std::filesystem::create_directories(room.path);
  room.write("thesis", "mine");
  room.write("log", "PLHD and so on");
  room.write("manifest.json",
             R"({"format":"polhode folder 1","command":"run","version":"1","scenario":"","scenario_sha256":"",)"
             R"("finished":false,"files":[{"name":"thesis"},{"name":"log"}]})");
  write_files(room, {"a"});
  CHECK(room.has("thesis"));
  CHECK_FALSE(room.has("log"));
}

TEST_CASE("the way from a folder to a file does not depend on how either is written") {
  const Room room;
  std::filesystem::create_directories(room.path / "a/b");
  room.write("a/x", "");
  std::filesystem::create_directory_symlink("a", room.path / "link");
  for (const char* file : {"a/x", "a/b/../x", "link/x", "./a//x"}) {
    for (const char* folder : {"a/b", "link/b", "a/b/."}) {
      CAPTURE(file);
      CAPTURE(folder);
      CHECK(io::way_to((room.path / file).string(), (room.path / folder).string()) == "../x");
    }
  }
}

TEST_CASE("a file that cannot get its name is a failed write, and leaves nothing under its temporary name") {
  const Room room;
  std::filesystem::create_directories(room.path);
  const std::string path = (room.path / "a").string();
  {
    io::OutputFile file(path);
    file.write("text");
    std::filesystem::create_directory(path);  // a name that no file can take
    CHECK_THROWS_AS(file.commit(), io::WriteError);
    CHECK_FALSE(room.has("a.polhode-part"));
  }
  CHECK(std::filesystem::is_directory(path));
  // the twin: a name that is free
  io::write_file((room.path / "b").string(), "text");
  CHECK(test::text_of(room.path / "b") == "text");
  CHECK_FALSE(room.has("b.polhode-part"));
}

TEST_CASE("a manifest that cannot be written is a failed write, and leaves no part of it") {
  const Room room;
  OutputFolder folder(room.path.string());
  folder.start({.origin = kOrigin, .names = {"a"}, .kept = {}});
  std::filesystem::remove(room.path / "manifest.json");
  std::filesystem::create_directory(room.path / "manifest.json");
  CHECK_THROWS_AS(folder.finish(), io::WriteError);
  CHECK_FALSE(room.has("manifest.json.polhode-part"));
  std::filesystem::remove(room.path / "manifest.json");
  folder.finish();
  CHECK(room.has("manifest.json"));
}
