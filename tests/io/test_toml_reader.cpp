#include "polhode/core/error.h"
#include "polhode/drawing/chain.h"
#include "polhode/io/toml_reader.h"

#include <doctest/doctest.h>

#include <fstream>
#include <random>
#include <sstream>

using namespace polhode;

namespace {

std::string message_of_reader(const std::string& bytes) {
  try {
    drawing::read_chain(bytes, "f.toml");
  } catch (const Error& error) { return error.what(); }
  return "";
}

const std::string kJoint = "[[joint]]\nname = 'a'\nparent = 'base'\naxis = 'z'\nangle_deg = 5\nposition = [0, 0, 0]\n";
const std::string kGood = "title = 'T'\n" + kJoint;

/// kGood with one line replaced.
std::string with(const std::string& old_line, const std::string& new_line) {
  std::string text = kGood;
  const std::size_t at = text.find(old_line);
  REQUIRE(at != std::string::npos);
  return text.replace(at, old_line.size(), new_line);
}

struct Bad {
  std::string bytes;
  std::string message;  ///< must start with this
};

}  // namespace

TEST_CASE("a good file is read, with comments, tabs, Greek in strings, both line ends and a byte order mark") {
  CHECK(message_of_reader(kGood) == "");
  CHECK(message_of_reader("\xEF\xBB\xBF# Größe θ\r\n" + kGood) == "");
  CHECK(message_of_reader(with("name = 'a'", "name\t= \"θ \\\" x\"")) == "");
  CHECK(message_of_reader(with("name = 'a'", "name = \"\"\"a\"\"\"")) == "");
  CHECK(message_of_reader(with("name = 'a'", "name = '''it's'''")) == "");
  CHECK(message_of_reader(with("name = 'a'", "name = \"\"\"a\"\"\"\"\"")) == "");
  CHECK(message_of_reader(with("axis = 'z'", "axis = [1, 2.5, -3]")) == "");
  // strings wherever they may stand, with letters beyond ASCII
  for (const char* good :
       {"a='ψ'", "a=['ψ','ψ']", "a=[['ψ'],\n 'ψ',\n]", "a={b='ψ',c=['ψ'], d=1}", "'ψ'=1", "a.'ψ'.b='ψ'",
        "['ψ'.a]\nb='\\ψ'", "a={'ψ'={b.'ψ'='ψ'}}", "a=[{b='ψ'},{'ψ'=1}]", "a = 1 # ψ", "a = 1 # c\n'ψ' = 2",
        "a = [ # c\n'ψ']", "a='ψ'#ψ", "a='''ψ\\ψ'''\n'ψ'='ψ'", "a=[1,'ψ']\n[['b'.'ψ']]\nc={d='ψ'}"}) {
    CAPTURE(good);
    CHECK_NOTHROW(io::TomlReader(good, "f.toml"));
  }
}

TEST_CASE("every bad file is refused with what is wrong and where") {
  const std::vector<Bad> corpus{
      // bytes
      {"[\x02", "f.toml:1:2: control character 0x02; allowed: printable text"},
      {std::string("title = 'a\0b'", 13), "f.toml:1:11: control character 0x00"},
      {"title = 'T'\n# \x7F", "f.toml:2:3: control character 0x7F"},
      {"a = 1\rb = 2", "f.toml:1:6: control character 0x0D"},
      {"\xEF\xBA\xBF", "f.toml:1:1: '\xEF\xBA\xBF' outside a string; put letters beyond ASCII in quotes"},
      {"x = 1\n\xCE\xB8 = 2", "f.toml:2:1: 'θ' outside a string"},
      {"title = '\xFF'", "f.toml:1:10: byte 0xFF is not UTF-8; save the file as UTF-8"},
      {"title = '\xC0\x80'", "f.toml:1:10: byte 0xC0 is not UTF-8"},
      {"title = '\xED\xA0\x80'", "f.toml:1:10: byte 0xED is not UTF-8"},
      {"title = '\xF5\x80\x80\x80'", "f.toml:1:10: byte 0xF5 is not UTF-8"},
      {"title = 'T", "f.toml:1:9: a string that starts here has no end"},
      {"title = \"T\nx = 1", "f.toml:1:9: a string that starts here has no end"},
      {"title = \"\"\"T\n\n", "f.toml:1:9: a string that starts here has no end"},
      {"x = 0\"ψ\"", "f.toml:1:6: a string that starts in the middle of something else; a string stands alone"},
      {"x = [1, 0.'ψ']", "f.toml:1:11: a string that starts in the middle"},
      {"x = 0['ψ']", "f.toml:1:7: a string that starts in the middle"},
      {"x = 0='ψ'", "f.toml:1:7: a string that starts in the middle"},
      {"x = 0{a='ψ'}", "f.toml:1:9: a string that starts in the middle"},
      {"x = { a = 1, b = true'ψ' }", "f.toml:1:22: a string that starts in the middle"},
      {"x = \"\\ψ\"", "f.toml:1:6: a backslash before a letter beyond ASCII"},
      {"x = \"\"\"\\ψ\"\"\"", "f.toml:1:8: a backslash before a letter beyond ASCII"},
      {"title = \"\"\"T\"\"\"\"\"\"", "f.toml:1:13: more than five quotes in a row"},
      {[] {
         std::string deep = "a";
         for (int n = 0; n < 100000; ++n) { deep += ".a"; }
         return deep + " = 1";
       }(),
       "f.toml:1:64: a key of more than 32 parts"},
      {"a = " + std::string(100000, '['), "f.toml:1:69: more than 64 brackets inside one another"},
      // grammar
      {"title = ", "f.toml:1:"},
      {"title 'T'", "f.toml:1:"},
      {"title = 'T'\ntitle = 'U'", "f.toml:2:"},
      {"[joint", "f.toml:1:"},
      {"a = 1e", "f.toml:1:"},
      {"a = {b = 1", "f.toml:1:"},
      // meaning
      {kJoint, "f.toml:1:1: title is missing; wanted: text"},
      {"title = 'T'", "f.toml:1:1: no [[joint]]; a chain has at least one"},
      {"title = 3\n" + kJoint, "f.toml:1:9: title is a number, not text"},
      {"titel = 'T'\ntitle = 'T'\n" + kJoint, "f.toml:1:1: unknown key 'titel'; known: can_length can_radius joint"},
      {with("name = 'a'", "nam = 'a'\nname = 'a'"), "f.toml:3:1: unknown key 'nam' in [[joint]] 1; known: angle_deg"},
      {with("name = 'a'", "name = 'base'"), "f.toml:3:8: name 'base' is not free"},
      {kGood + kJoint, "f.toml:9:8: name 'a' is used twice"},
      {with("parent = 'base'", "parent = 'bse'"),
       "f.toml:4:10: unknown parent 'bse'; allowed: base and the joints listed above (none); did you mean 'base'?"},
      {with("axis = 'z'", "axis = 'w'"), "f.toml:5:8: axis is 'w'; allowed: x, y, z, -x, -y, -z or three numbers"},
      {with("axis = 'z'", "axis = [0, 0, 0]"), "f.toml:5:8: axis has length 0; allowed: 1e-9 to 1e6"},
      {with("axis = 'z'", "axis = [0, 1]"), "f.toml:5:8: axis has 2 entries; wanted: a list of 3 finite numbers"},
      {with("axis = 'z'", "axis = [0, 1, 'x']"), "f.toml:5:8: entry 3 of axis is text"},
      {with("axis = 'z'", ""), "f.toml:2:1: axis is missing in [[joint]] 1; wanted: a list of 3 finite numbers"},
      {with("angle_deg = 5", "angle_deg = nan"), "f.toml:6:13: angle_deg is nan, not a finite number"},
      {with("angle_deg = 5", "angle_deg = inf"), "f.toml:6:13: angle_deg is inf, not a finite number"},
      {with("angle_deg = 5", "angle_deg = -inf"), "f.toml:6:13: angle_deg is -inf, not a finite number"},
      {with("angle_deg = 5", "angle_deg = 9223372036854775807"),
       "f.toml:6:13: angle_deg is 9.22337e+18; allowed: -1e9 to 1e9"},
      {with("angle_deg = 5", "angle_deg = 2024-01-01"),
       "f.toml:6:13: angle_deg is a date or time, not a finite number"},
      {with("angle_deg = 5", ""), "f.toml:2:1: angle_deg is missing in [[joint]] 1"},
      {with("[0, 0, 0]", "[0, 0, 1e300]"), "f.toml:7:12: position holds 1e+300; allowed: -1e6 to 1e6"},
      {with("[0, 0, 0]", "[0, 0, inf]"), "f.toml:7:12: entry 3 of position is inf; wanted: a list of 3 finite"},
      {with("[0, 0, 0]", "[0, -nan, 0]"), "f.toml:7:12: entry 2 of position is nan; wanted: a list of 3 finite"},
      {"title = 'T'\njoint = 3", "f.toml:2:9: joint is a number, not a list of tables; start each one with [[joint]]"},
      {"title = 'T'\ncan_radius = 0\n" + kJoint, "f.toml:2:14: can_radius is 0; allowed: 1e-6 to 1e6"},
      {"title = \"\\u0001\"\n" + kJoint, "f.toml:1:9: title has the control character 0x01 in it"},
      {kGood + "[[shape]]\nlink = 'a'\nkind = 'whel'",
       "f.toml:10:8: unknown kind 'whel'; known: rod wheel box plate frame; did you mean 'wheel'?"},
      {kGood + "[[shape]]\nlink = 'a'\nkind = 'rod'\npoints = [[0, 0, 0]]",
       "f.toml:11:10: points has 1 entry; wanted: a list of 2 or more vectors"},
      {kGood + "[[shape]]\nlink = 'a'\nkind = 'rod'\npoints = [[0, 0, 0], 1]",
       "f.toml:11:10: entry 2 of points is a number, not three finite numbers"},
      {kGood + "[[shape]]\nlink = 'a'\nkind = 'rod'\npoints = [[0, 0, 0], [1, 0]]",
       "f.toml:11:10: entry 2 of points is a list of 2, not three finite numbers"},
      {kGood + "[[shape]]\nlink = 'a'\nkind = 'rod'\npoints = [[0, 0, 0], [1, 0, -inf]]",
       "f.toml:11:10: entry 2 of points has -inf in it, not three finite numbers"},
      {kGood + "[[shape]]\nlink = 'a'\nkind = 'box'\ncenter = [0, 0, 0]\nsize = [1, 1, 0]",
       "f.toml:12:8: the edges of a box must be positive"},
  };
  for (const Bad& bad : corpus) {
    const std::string said = message_of_reader(bad.bytes);
    CAPTURE(bad.bytes.substr(0, 120));
    CAPTURE(said);
    CHECK(said.starts_with(bad.message));
  }
}

TEST_CASE("more tables than a picture can show are one mistake, whatever stands in them") {
  const auto many = [](const std::string& table) {
    std::string text;
    for (int n = 0; n < 300; ++n) { text += table; }
    return text;
  };
  CHECK(message_of_reader("title = 'T'\n" + many(kJoint)) == "f.toml:2:1: 300 tables [[joint]]; allowed: 200");
  CHECK(message_of_reader(kGood + many("[[shape]]\nlink = 'a'\nkind = 'wheel'\nradius = 1\n")) ==
        "f.toml:8:1: 300 tables [[shape]]; allowed: 200");
  CHECK(message_of_reader(kGood + many("[[shape]]\nlink = 'b'\n")) == "f.toml:8:1: 300 tables [[shape]]; allowed: 200");
}

TEST_CASE("a whole number is a number, rounded like any other where a double does not hold it") {
  for (const std::string number :
       {"9007199254740993", "9223372036854775807", "-9223372036854775808", "0x7fffffffffffff01"}) {
    CAPTURE(number);
    const std::string bytes = "a = " + number + "\nb = [" + number + "]\nc = [[" + number + ", 0, 0]]\n";
    io::TomlReader reader(bytes, "f.toml");
    io::TomlTable root = reader.root();
    const auto wanted = static_cast<double>(std::stoll(number, nullptr, 0));
    CHECK(root.number("a") == wanted);
    CHECK(root.value("a").number == wanted);
    CHECK(root.numbers("b", 1)[0] == wanted);
    CHECK(root.values("b", 1).at(0).number == wanted);
    CHECK(root.vectors("c", 1).at(0).x == wanted);
    reader.finish();
  }
}

TEST_CASE("numbers or formulas: an entry that is neither is named with what it is") {
  const auto said = [](const std::string& list) {
    io::TomlReader reader("a = " + list, "f.toml");
    io::TomlTable root = reader.root();
    root.values("a", 3);
    try {
      reader.finish();
    } catch (const Error& error) { return std::string(error.what()); }
    return std::string("nothing");
  };
  const std::string wanted = "; wanted: a list of 3 finite numbers or formulas in quotes";
  CHECK(said("[1, 'x', 2.5]") == "nothing");
  CHECK(said("[1, 'x', nan]") == "f.toml:1:5: entry 3 of a is nan" + wanted);
  CHECK(said("[true, 'x', 1]") == "f.toml:1:5: entry 1 of a is true or false" + wanted);
  CHECK(said("[1, 2]") == "f.toml:1:5: a has 2 entries" + wanted);
}

TEST_CASE("all mistakes of a file are told at once, in the order of the file, one line each") {
  const std::string said = message_of_reader(
      "title = 1\nview = 3\n[[joint]]\nname = 'a'\nparent = 'b'\naxis = 'q'\nangle = 5\nposition = 7\n");
  std::istringstream lines(said);
  std::vector<std::string> list;
  for (std::string line; std::getline(lines, line);) { list.push_back(line); }
  REQUIRE(list.size() == 7);
  const char* starts[] = {"f.toml:1:9: title",
                          "f.toml:2:1: unknown key 'view'",
                          "f.toml:3:1: angle_deg is missing",
                          "f.toml:5:10: unknown parent",
                          "f.toml:6:8: axis",
                          "f.toml:7:1: unknown key 'angle'",
                          "f.toml:8:12: position"};
  for (std::size_t n = 0; n < 7; ++n) { CHECK(list[n].starts_with(starts[n])); }
}

TEST_CASE("random damage to a good file never gets past the reader as anything but an Error") {
  std::mt19937_64 engine(7);
  std::ifstream file(std::string(POLHODE_SOURCE_DIR) + "/examples/chain-bicycle.toml");
  std::stringstream content;
  content << file.rdbuf();
  const std::string good = content.str();
  REQUIRE(message_of_reader(good) == "");
  int refused = 0;
  for (int n = 0; n < 3000; ++n) {
    std::string bytes = good.substr(engine() % good.size(), engine() % 400);
    for (int k = 0; k < 4 && !bytes.empty(); ++k) {
      static const std::string kNasty = "[]{}=.,\"'\\#\n\r\t\x02\x7F\xEF\xBA\xBF\xCE\x80 0e-+_:T";
      bytes[engine() % bytes.size()] = kNasty[engine() % kNasty.size()];
    }
    refused += message_of_reader(bytes).empty() ? 0 : 1;
  }
  CHECK(refused > 2900);  // hardly any damaged piece is a chain with a title and a joint
}
