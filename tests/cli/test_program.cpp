#include "support/run_program.h"

#include <fcntl.h>
#include <nlohmann/json.hpp>

#include <vector>

namespace {

struct Said {
  const char* arguments;
  const char* message;  ///< the first line on stderr, after "polhode: "
};

void check_refused(const Workshop& shop, const std::vector<Said>& corpus) {
  for (const Said& said : corpus) {
    const std::string arguments = said.arguments;
    CAPTURE(arguments);
    const Workshop::Result result = shop.polhode(arguments);
    CHECK(result.status == 2);
    CHECK(result.out.empty());
    CHECK(result.err.substr(0, result.err.find('\n')) == std::string("polhode: ") + said.message);
  }
}

/// What a command writes to a terminal.
std::string on_a_terminal(const Workshop& shop, const std::string& command) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  REQUIRE(terminal >= 0);
  REQUIRE(grantpt(terminal) == 0);
  REQUIRE(unlockpt(terminal) == 0);
  const int other_end = open(ptsname(terminal), O_RDWR | O_NOCTTY);  // keeps what was written
  CHECK(shop.command(command + " >" + ptsname(terminal)).status == 0);
  std::string text(1 << 16, '\0');
  const ssize_t count = read(terminal, text.data(), text.size());
  close(other_end);
  close(terminal);
  return text.substr(0, count > 0 ? static_cast<std::size_t>(count) : 0);
}

}  // namespace

TEST_CASE("a wrong command line is answered by the word to blame and the nearest right one") {
  const Workshop shop;
  check_refused(
      shop,
      {{"lst",
        "unknown command 'lst'; known: run compare audit check convert draw gallery identify import linearize list new "
        "schemes "
        "solve sweep "
        "verify; did "
        "you "
        "mean "
        "'list'?"},
       {"--json list", "'--json' stands before the command; options follow the command, such as: polhode list --json"},
       {"-q list", "'-q' stands before the command; options follow the command, such as: polhode list --json"},
       {"--jsn", "unknown option '--jsn'; did you mean '--json'?"},
       {"--versoin", "unknown option '--versoin'; did you mean '--version'?"},
       {"convert --form mrp --to matrix -- 1 2 3", "unexpected '--form'; did you mean '--from'?"},
       {"convert --from mrp --to matrix --degree -- 1 2 3", "unexpected '--degree'; did you mean '--deg'?"},
       {"convert --from mrp --to matrix --near -- 1 2 3", "unexpected '--near'; did you mean '--nearest'?"},
       {"list sequences --jsn more", "unexpected '--jsn'; did you mean '--json'?"},
       {"list sequences more", "unexpected 'more'"},
       {"convert --from mrp --to", "--to needs a value"},
       {"verify --traceability", "--traceability needs a value"},
       {"help lst",
        "unknown command 'lst'; known: run compare audit check convert draw gallery identify import linearize list new "
        "schemes "
        "solve sweep "
        "verify; did "
        "you "
        "mean "
        "'list'?"},
       {"'li\x9b\x1bst'",
        "unknown command 'li??st'; known: run compare audit check convert draw gallery identify import linearize list "
        "new "
        "schemes solve sweep "
        "verify; "
        "did "
        "you mean "
        "'list'?"}});
}

TEST_CASE("help is shown by every command, and by the word help") {
  const Workshop shop;
  const std::string all = shop.polhode("--help").out;
  CHECK(all.starts_with("Example:\n"));
  CHECK(shop.polhode("").out == all);
  CHECK(shop.polhode("help").out == all);
  for (const std::string command : {"run", "compare", "audit", "convert", "list", "schemes", "verify"}) {
    CAPTURE(command);
    const Workshop::Result help = shop.polhode(command + " --help");
    CHECK(help.status == 0);
    CHECK(help.err.empty());
    CHECK(help.out.starts_with("Example:\n"));
    CHECK(help.out.find("--json") != std::string::npos);
    CHECK(shop.polhode("help " + command).out == help.out);
  }
  CHECK(shop.polhode("--version").out.starts_with("polhode "));
}

TEST_CASE("list shows all kinds or one, as text or as JSON") {
  const Workshop shop;
  const Workshop::Result one = shop.polhode("list sequences -q");
  CHECK(one.status == 0);
  CHECK(one.err.empty());
  CHECK(one.out.starts_with("sequences: "));
  CHECK(one.out.find("\n  3-1-3  ") != std::string::npos);

  const Workshop::Result all = shop.polhode("list --json");
  CHECK(all.err.empty());
  const auto object = nlohmann::json::parse(all.out);
  CHECK(object.at("what") == "list");
  CHECK(object.at("kinds").size() >= 3);
  CHECK(object.at("kinds").at(0).at("entries").size() == 12);

  CHECK(shop.polhode("list sequence").status == 2);
  CHECK(shop.polhode("list sequence").err.ends_with("did you mean 'sequences'?\n"));
}

TEST_CASE("verify lists and writes its relations, and tells an unknown name from a known one") {
  const Workshop shop;
  const auto object = nlohmann::json::parse(shop.polhode("verify identities --list --json").out);
  CHECK(object.is_object());
  const Workshop::Result list = shop.polhode("verify identities --list");
  CHECK(list.status == 0);
  CHECK(list.out.find("KIN-") != std::string::npos);

  CHECK(shop.polhode("verify identities --traceability table.md").status == 0);
  CHECK(shop.read("table.md").find("KIN-") != std::string::npos);
  const Workshop::Result nowhere = shop.polhode("verify --traceability absent/table.md");
  CHECK(nowhere.status == 2);
  CHECK(nowhere.err == "polhode: cannot write 'absent/table.md': No such file or directory\n");

  const Workshop::Result unknown = shop.polhode("verify identites");
  CHECK(unknown.status == 2);
  CHECK(unknown.out.empty());
  CHECK(unknown.err.ends_with("did you mean 'identities'?\n"));
}

TEST_CASE("verify colours its verdict on a terminal only, and not when NO_COLOR is set") {
  const Workshop shop;
  const std::string green = "\x1b[32mok\x1b[0m";
  CHECK(on_a_terminal(shop, "polhode verify motions -q").find(green) != std::string::npos);
  const std::string plain = on_a_terminal(shop, "NO_COLOR=1 polhode verify motions -q");
  CHECK(plain.find('\x1b') == std::string::npos);
  CHECK(plain.find("ok") != std::string::npos);
  const Workshop::Result piped = shop.polhode("verify motions -q");
  CHECK(piped.status == 0);
  CHECK(piped.out.find('\x1b') == std::string::npos);
}

TEST_CASE("a full device is an error with its cause, whatever the command") {
  const Workshop shop;
  for (const std::string arguments :
       {"list", "list --json", "verify identities --list", "verify identities --list --json", "help",
        "verify identities --traceability -", "convert --from mrp --to matrix -- 0 0 0"}) {
    CAPTURE(arguments);
    const Workshop::Result result = shop.command("polhode " + arguments + " >/dev/full");
    CHECK(result.status == 1);
    CHECK(result.err == "polhode: cannot write 'standard output': No space left on device\n");
  }
}

TEST_CASE("a suggested command works as it stands, with names in quotes where a shell needs them") {
  const Workshop work;
  REQUIRE(work.command("mkdir sub; polhode new wing-nut -q; polhode new double-pendulum -q").status == 0);
  REQUIRE(work.command("sed 's/\"wing-nut.obj/\"..\\/wing-nut.obj/' wing-nut.toml >\"sub/it's a nut.toml\"").status ==
          0);
  for (const std::string& first :
       {std::string("polhode check \"sub/it's a nut.toml\" --allow-outside"),
        std::string("polhode run \"sub/it's a nut.toml\" --allow-outside --format json -o 'a folder' --no-report"),
        std::string("polhode new t-handle -o 'my top.toml'"), std::string("polhode draw double-pendulum.toml"),
        std::string("polhode draw 3-1-3"), std::string("polhode list integrators")}) {
    CAPTURE(first);
    const auto result = work.command(first);
    REQUIRE(result.status == 0);
    const std::size_t at = result.err.find("Next: polhode ");
    REQUIRE(at != std::string::npos);
    const std::string next = result.err.substr(at + 6, result.err.find('\n', at) - at - 6);
    CAPTURE(next);
    CHECK(work.command(next).status == 0);
  }
  CHECK(work.exists("a folder/results.json"));
  CHECK_FALSE(work.exists("a folder/results.csv"));
}
