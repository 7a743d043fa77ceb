#pragma once

#include <map>
#include <string>
#include <vector>

/// The rules of the house, each a function from files to the list of what breaks it, so that every
/// rule can also be tried on files with a planted mistake.
namespace house {

/// Path from the top of the project, with /, -> text.
using Files = std::map<std::string, std::string>;

/// Every file under `top`, less what is built, fetched or belongs to version control. Pictures have no text.
Files read_project(const std::string& top);

/// A room of src/polhode includes only lower rooms, by the full name "polhode/room/file.h", and its
/// headers do not include libraries that do not travel with the install tree.
std::vector<std::string> wrong_includes(const Files& files);

/// Each label cited in code or text, such as (ABC-1), is defined in docs/theory, as **(ABC-1)**, once.
std::vector<std::string> wrong_labels(const Files& files);

/// Each [Key2007 ...] in code or text is an entry of docs/references.bib, and no entry stands twice.
std::vector<std::string> wrong_citations(const Files& files);

/// Words that say something is unfinished, and paths of one machine.
std::vector<std::string> wrong_words(const Files& files);

/// The library does not print, exit or abort.
std::vector<std::string> wrong_calls(const Files& files);

/// A number before a word in the plural, such as "{} rows" in C++ or `${n} rows` in the viewer, reads "1 rows" some
/// day: counted() finds the right form.
std::vector<std::string> wrong_plurals(const Files& files);

/// Each `--preset NAME` in a text is a workflow of CMakePresets.json.
std::vector<std::string> wrong_presets(const Files& files);

/// A link of a text to a file of the project leads to one.
std::vector<std::string> wrong_links(const Files& files);

}  // namespace house
