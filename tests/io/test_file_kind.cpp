#include "polhode/io/file_kind.h"

#include "polhode/core/error.h"
#include "polhode/io/row_reader.h"
#include "polhode/io/toml_reader.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

using namespace polhode;
using namespace std::string_literals;

namespace {

std::string told_of_toml(const std::string& bytes) {
  try {
    const io::TomlReader reader(bytes, "f");
  } catch (const Error& error) { return error.what(); }
  return "";
}

std::string told_of_rows(const std::string& bytes) {
  try {
    bool given = false;
    io::RowReader reader("f", {"a", "b"}, [&](char* to, std::size_t size) {
      return std::exchange(given, true) ? std::size_t{0} : bytes.copy(to, size);
    });
    std::vector<double> row(2);
    Problem problem;
    return reader.next(row, problem) == io::RowReader::Found::mistake ? to_line(problem) : "";
  } catch (const Error& error) { return error.what(); }
}

struct Other {
  std::string bytes;
  std::string what;
};

const std::vector<Other> kOthers{
    {"<?xml version=\"1.0\"?>\n<robot name=\"r\"><link name=\"base\"/></robot>\n", "a robot model (URDF)"},
    {"<mujoco model='x'></mujoco>", "a MuJoCo model (MJCF)"},
    {"\n<!DOCTYPE html><html></html>", "a web page (HTML)"},
    {"<note/>", "XML"},
    {"{\"a\": [1, 2]}\n", "JSON"},
    {"[{\"a\": 1}]", "JSON"},
    {"\x89HDF\r\n\x1a\n\0\0"s, "an HDF5 file"},
    {"\x89PNG\r\n\x1a\n\0\0\0"s, "a PNG picture"},
    {"PLHD\0\0\1"s, "the log of a run"},
    {"CCSDS_AEM_VERS = 1.0\nMETA_START\n", "an attitude ephemeris (AEM)"},
    {"%PDF-1.4\n", "a PDF document"},
    {"PK\x03\x04xxxx", "a ZIP archive (or a document of an office program)"},
    {"\x1f\x8b\x08", "a gzip archive"},
    {"\xff\xfet\0i\0"s, "text in UTF-16"},
    {"t\0i\0t\0l\0e\0 \0"s, "text in UTF-16, or no text"},
    {"a\x01\x02\x03\x04\x05\x06zz", "a binary file, not text"},
    {"body:\n  mass: 2\n", "YAML"},
    {"#!/bin/sh\necho\n", "a script"},
};

}  // namespace

TEST_CASE("a file of another kind is told by what it is, at its first character, by readers of scenarios and of rows") {
  for (const Other& other : kOthers) {
    CAPTURE(other.what);
    CHECK(told_of_toml(other.bytes).starts_with("f:1:1: this is " + other.what + "; wanted: TOML; "));
    CHECK(
        told_of_rows(other.bytes).starts_with("f:1:1: this is " + other.what + "; wanted: text with rows of numbers"));
  }
  CHECK(
      told_of_toml("t,x,y\n0,1,2\n") ==
      "f:1:1: this is a table of numbers (CSV); wanted: TOML; polhode audit judges such a log of a free body, polhode "
      "convert -i f converts rotations");
  CHECK(told_of_toml("0 1 2\n").starts_with("f:1:1: this is a table of numbers (CSV); wanted: TOML"));
  CHECK(told_of_rows("# mine\ntitle = \"a\"\n[body]\n") ==
        "f:1:1: this is a scenario (TOML); wanted: text with rows of numbers; polhode run f simulates it");
  CHECK(told_of_toml("PLHD\1") ==
        "f:1:1: this is the log of a run; wanted: TOML; polhode convert f --to csv -o results.csv makes a table of it");
}

TEST_CASE("what is TOML or rows of numbers is never taken for another kind") {
  for (const char* good :
       {"a = 1", "[a]\nb = '<robot'", "[[a]]\n", "a.b = '{'", "'a: b' = 1", "\xEF\xBB\xBF# x\na=1"}) {
    CAPTURE(good);
    CHECK(told_of_toml(good) == "");
  }
  for (const char* good : {"1,2", "1;2", "1 2", "a,b\n1,2", "# <robot>\n1 2", "#! {\n1,2", "a: x,b\n1,2", "-1\t.5"}) {
    CAPTURE(good);
    CHECK(told_of_rows(good) == "");
  }
  CHECK(told_of_toml("a = \x01") == "f:1:5: control character 0x01; allowed: printable text, tabs and line ends");
  CHECK(told_of_toml("\n# nothing\n") ==
        "f:1:1: there is nothing in this file; polhode new t-handle writes a scenario to start from");
}

TEST_CASE("a decimal comma is told, with what to write") {
  CHECK(told_of_toml("[body]\nmass = 2,5\n") ==
        "f:2:9: '2,5' has a decimal comma; numbers are written with a point; write 2.5");
  CHECK(told_of_toml("mass = -12,25e-3 # kg\n").ends_with("write -12.25e-3"));
  CHECK(told_of_toml("mass = 2, 5\n").find("decimal") == std::string::npos);
  CHECK(told_of_rows("0,5,1,5\n") == "f:1:1: 4 numbers; 2 needed: a b; decimal commas are not read: write points");
  CHECK(told_of_rows("0,5;1,5\n").ends_with("decimal commas are not read: write points"));
  CHECK(told_of_rows("0,5 1,5\n").ends_with("decimal commas are not read: write points"));
  CHECK(told_of_rows("1,2,3,4,5,6,7\n") == "f:1:1: 7 numbers; 2 needed: a b");
  const auto list = [](const char* text, std::size_t count) {
    io::TomlReader reader(text, "f");
    io::TomlTable root = reader.root();
    root.optional_numbers("w", count);
    try {
      reader.finish();
    } catch (const Error& error) { return std::string(error.what()); }
    return std::string();
  };
  CHECK(list("w = [1,5, 2, 3]", 3).ends_with("is a comma meant as a decimal point? write 1.5, not 1,5"));
  CHECK(list("w = [1.5, 2, 3, 4]", 3).find("decimal") == std::string::npos);
}

TEST_CASE("rows: line ends of CR alone, separators at the end and quotes are told with their cure") {
  CHECK(told_of_rows("a,b\r1,2\r3,4\r") ==
        "f:1:1: 'a' is not a number; a number is written like -1.5e-3; the lines end with CR alone: save the file with "
        "LF or CR LF");
  CHECK(told_of_rows("1,2,\n") == "f:1:5: an empty field; a number must stand here; no separator at the end of a line");
  CHECK(told_of_rows("1,,2\n") == "f:1:3: an empty field; a number must stand here");
  CHECK(told_of_rows("\"1\",2\n").ends_with("numbers stand without quotes"));
}
