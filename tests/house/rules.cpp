#include "house/rules.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

namespace house {
namespace {

namespace fs = std::filesystem;
using List = std::vector<std::string>;

/// Calls visit("path:line", match) for every match of `pattern`, line by line.
template <class Visit>
void each_match(const std::string& path, const std::string& text, const std::regex& pattern, const Visit& visit) {
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    const std::string where = path + ':' + std::to_string(number);
    for (std::sregex_iterator match(line.begin(), line.end(), pattern), end; match != end; ++match) {
      visit(where, *match);
    }
  }
}

/// Low to high. A room sees all below it, except where `sees_only` says less.
const List& rooms() {
  static const List list{"core",     "math",        "formula",   "rotation",    "body",     "force",
                         "motion",   "formulation", "multibody", "integrator",  "scenario", "simulation",
                         "ensemble", "io",          "drawing",   "audit",       "catalog",  "comparison",
                         "report",   "run",         "analysis",  "verification"};
  return list;
}
const std::map<std::string, std::set<std::string>>& sees_only() {
  static const std::map<std::string, std::set<std::string>> map{
      {"multibody", {"core", "math", "formula", "rotation", "body", "force", "motion"}},
      {"integrator", {"core", "math"}},
      {"drawing", {"core", "math", "rotation", "io"}},
  };
  return map;
}
std::ptrdiff_t height(const std::string& room) {
  const auto found = std::find(rooms().begin(), rooms().end(), room);
  return found == rooms().end() ? -1 : found - rooms().begin();
}
bool may_include(const std::string& room, const std::string& other) {
  if (room == other) { return true; }
  if (const auto special = sees_only().find(room); special != sees_only().end()) {
    return special->second.contains(other);
  }
  return height(other) >= 0 && height(other) < height(room);
}

bool is_code(const std::string& path) {
  return path.ends_with(".h") || path.ends_with(".cpp") || path.ends_with(".def");
}
/// "src/polhode/rotation/x.h" and "src/polhode/rotation.h" -> "rotation"; "" outside the library.
std::string room_of(const std::string& path) {
  const std::string library = "src/polhode/";
  if (!path.starts_with(library) || !is_code(path)) { return {}; }
  const std::size_t end = path.find('/', library.size());
  return path.substr(library.size(),
                     (end == std::string::npos ? path.find('.', library.size()) : end) - library.size());
}
/// Where labels and citations are looked for. The tests of these rules plant mistakes and are left out.
bool is_ours_to_read(const std::string& path) {
  return !path.starts_with("tests/house/") && (is_code(path) || path.ends_with(".hpp") || path.ends_with(".md"));
}

}  // namespace

Files read_project(const std::string& top) {
  static const std::set<std::string> skipped{".git", "build", "out", "node_modules", ".venv", "__pycache__"};
  Files files;
  for (fs::recursive_directory_iterator entry(top), end; entry != end; ++entry) {
    if (skipped.contains(entry->path().filename().string())) {
      if (entry->is_directory()) { entry.disable_recursion_pending(); }
      continue;
    }
    if (!entry->is_regular_file()) { continue; }
    const std::ifstream file(entry->path(), std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    const bool is_text = text.str().find('\0') == std::string::npos;
    files[fs::relative(entry->path(), top).generic_string()] = is_text ? text.str() : "";
  }
  return files;
}

std::vector<std::string> wrong_includes(const Files& files) {
  static const std::regex include(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
  static const std::regex private_part(R"(^(boost|toml\+\+|nlohmann|CLI|Eigen|doctest|benchmark)/)");
  List wrong;
  for (const auto& [path, text] : files) {
    if (path.starts_with("src/polhode/") && path.ends_with(".hpp")) {  // for copying: it stands alone
      each_match(path, text, include, [&](const std::string& where, const std::smatch& match) {
        if (match[2] != "cmath" && match[2] != "limits") { wrong.push_back(where + ": a single header stands alone"); }
      });
    }
    const std::string room = room_of(path);
    if (room.empty() || path == "src/polhode/polhode.h") { continue; }  // the front door leads into every room
    if (height(room) < 0) {
      wrong.push_back(path + ": '" + room + "' is not a room");
      continue;
    }
    const bool is_header = !path.ends_with(".cpp");
    const bool is_for_eigen = path.ends_with("/eigen.h");  // for those who have Eigen, and no other header is
    each_match(path, text, include, [&](const std::string& where, const std::smatch& match) {
      const std::string name = match[2];
      if (name.starts_with("polhode/") && name.ends_with(".hpp")) { return; }  // stands alone, for any room
      if (name.starts_with("polhode/")) {
        const std::string other = room_of("src/" + name);
        if (!may_include(room, other)) { wrong.push_back(where + ": " + room + " may not include " + name); }
      } else if (match[1] == "\"") {
        wrong.push_back(where + ": write the full name, \"polhode/room/" + name + "\"");
      } else if (is_header && std::regex_search(name, private_part) && !(is_for_eigen && name.starts_with("Eigen/"))) {
        wrong.push_back(where + ": <" + name + "> in a header would have to be installed by every user");
      }
    });
  }
  return wrong;
}

std::vector<std::string> wrong_labels(const Files& files) {
  static const std::regex definition(R"(\*\*\(([A-Z]{3}-\d+)\)\*\*)");
  static const std::regex citation(R"(\b([A-Z]{3})-(\d+)\b)");
  List wrong;
  std::map<std::string, std::string> defined;
  std::set<std::string> families{"KIN", "DYN"};
  for (const auto& [path, text] : files) {
    if (!path.starts_with("docs/theory/")) { continue; }
    each_match(path, text, definition, [&](const std::string& where, const std::smatch& match) {
      const auto [first, is_new] = defined.emplace(match[1], where);
      if (!is_new) { wrong.push_back(where + ": " + first->first + " is already defined at " + first->second); }
      families.insert(first->first.substr(0, 3));
    });
  }
  for (const auto& [path, text] : files) {
    if (!is_ours_to_read(path)) { continue; }
    each_match(path, text, citation, [&](const std::string& where, const std::smatch& match) {
      if (families.contains(match[1]) && !defined.contains(match[0])) {
        wrong.push_back(where + ": " + std::string(match[0]) + " is not defined in docs/theory");
      }
    });
  }
  return wrong;
}

std::vector<std::string> wrong_citations(const Files& files) {
  static const std::regex entry(R"(^\s*@\w+\{([^,\s]+),)");
  // [Key2007 ...], or a key without a year, [Key, eq. 3]; several keys are parted by semicolons
  static const std::regex bracket(R"(\[([A-Z][A-Za-z]+(\d{4}[a-z]?\b|, (eqs?|section|after|page|chapter)\b)[^\]]*)\])");
  static const std::regex key(R"((^|; )([A-Z][A-Za-z]+\d*[a-z]?)\b)");
  const std::string bibliography = "docs/references.bib";
  List wrong;
  std::set<std::string> known;
  if (files.contains(bibliography)) {
    each_match(bibliography, files.at(bibliography), entry, [&](const std::string& where, const std::smatch& match) {
      if (!known.insert(match[1]).second) { wrong.push_back(where + ": a second entry " + std::string(match[1])); }
    });
  }
  for (const auto& [path, text] : files) {
    if (!is_ours_to_read(path)) { continue; }
    each_match(path, text, bracket, [&, &file = path](const std::string& where, const std::smatch& match) {
      each_match(file, match[1], key, [&](const std::string&, const std::smatch& cited) {
        if (!known.contains(cited[2])) {
          wrong.push_back(where + ": " + std::string(cited[2]) + " is not in " + bibliography);
        }
      });
    });
  }
  return wrong;
}

std::vector<std::string> wrong_words(const Files& files) {
  static const std::regex word(R"(\b(TO)"
                               R"(DO|FIX)"
                               R"(ME|XX)"
                               R"(X)\b|/(home|root|work|Users|tmp)/\w)");
  List wrong;
  for (const auto& [path, text] : files) {
    if (path.starts_with("tests/house/")) { continue; }
    each_match(path, text, word, [&](const std::string& where, const std::smatch& match) {
      wrong.push_back(where + ": '" + std::string(match[0]) + "'");
    });
  }
  return wrong;
}

std::vector<std::string> wrong_calls(const Files& files) {
  static const std::regex call(
      R"(\b(printf|puts|putchar|exit|_Exit|quick_exit|abort)\s*\(|\bstd::(cout|cerr|clog|terminate)\b|\bfmt::print\b)");
  List wrong;
  for (const auto& [path, text] : files) {
    if (room_of(path).empty()) { continue; }
    each_match(path, text, call, [&](const std::string& where, const std::smatch& match) {
      wrong.push_back(where + ": '" + std::string(match[0]) + "' in the library");
    });
  }
  return wrong;
}

std::vector<std::string> wrong_plurals(const Files& files) {
  const std::string words = " (rows|bodies|joints|springs|motions|traces|cells|columns|triangles|events)\\b";
  static const std::regex of_format(R"(\{\})" + words);
  static const std::regex of_template(R"(\$\{[^{}]*\})" + words);
  List wrong;
  for (const auto& [path, text] : files) {
    const bool program = !room_of(path).empty() || path.starts_with("apps/");
    const bool viewer = path.starts_with("viewer/src/");
    if (!program && !viewer) { continue; }
    each_match(path, text, viewer ? of_template : of_format, [&](const std::string& where, const std::smatch& match) {
      wrong.push_back(where + ": '" + std::string(match[0]) + "' for one, too; counted() knows the singular");
    });
  }
  return wrong;
}

std::vector<std::string> wrong_presets(const Files& files) {
  static const std::regex used(R"(--preset[ =]([a-z]+))");
  static const std::regex name(R"re(^\s*\{ "name": "([a-z]+)", "steps")re");
  List wrong;
  std::set<std::string> known;
  const std::string presets = "CMakePresets.json";
  each_match(presets, files.at(presets), name,
             [&](const std::string&, const std::smatch& match) { known.insert(match[1]); });
  for (const auto& [path, text] : files) {
    if (!path.ends_with(".md")) { continue; }
    each_match(path, text, used, [&](const std::string& where, const std::smatch& match) {
      if (!known.contains(match[1])) { wrong.push_back(where + ": no preset '" + std::string(match[1]) + "'"); }
    });
  }
  return wrong;
}

namespace {

/// The text with empty lines in place of what stands between ``` and ```.
std::string without_code(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  std::string rest;
  for (bool in_code = false; std::getline(lines, line); rest += '\n') {
    const bool fence = line.starts_with("```");
    if (!fence && !in_code) { rest += line; }
    in_code = in_code != fence;
  }
  return rest;
}

}  // namespace

std::vector<std::string> wrong_links(const Files& files) {
  static const std::regex link(R"(\]\(([^)#]+)[^)]*\))");
  List wrong;
  for (const auto& [path, text] : files) {
    if (!path.ends_with(".md")) { continue; }
    each_match(path, without_code(text), link, [&, &file = path](const std::string& where, const std::smatch& match) {
      const std::string target = match[1];
      if (target.find("://") != std::string::npos) { return; }
      const std::string to = (fs::path(file).parent_path() / target).lexically_normal().generic_string();
      const auto at = files.lower_bound(to);  // a file, or a folder with files in it
      if (at == files.end() || !at->first.starts_with(to)) { wrong.push_back(where + ": no file " + to); }
    });
  }
  return wrong;
}

}  // namespace house
