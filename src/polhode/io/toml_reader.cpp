#include "polhode/io/toml_reader.h"

#include "polhode/core/counted.h"
#include "polhode/io/file_kind.h"
#include "polhode/io/toml_bytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

// The library asserts on input that find_bad_bytes has kept out; it must never end the program.
#define TOML_ASSERT(expr) static_cast<void>(0)
#include <toml++/toml.h>

namespace polhode::io {
namespace {

Location location_of(const toml::source_region& region, const std::string& file) {
  return {file, static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
}

/// "text", "a number": what a value is, in words; a number that is not finite by its name.
std::string_view kind_of(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::none:
      return "nothing";
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "a list";
    case toml::node_type::string:
      return "text";
    case toml::node_type::integer:
      return "a number";
    case toml::node_type::floating_point: {
      const double value = node.as_floating_point()->get();
      return std::isfinite(value) ? "a number" : std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
    }
    case toml::node_type::boolean:
      return "true or false";
    case toml::node_type::date:
    case toml::node_type::time:
    case toml::node_type::date_time:
      return "a date or time";
  }
  return "something else";
}

/// A whole number beyond 2^53 is rounded to the nearest double, as a decimal fraction is.
std::optional<double> finite_number(const toml::node& node) {
  if (const toml::value<std::int64_t>* whole = node.as_integer()) { return static_cast<double>(whole->get()); }
  const toml::value<double>* value = node.as_floating_point();
  return value != nullptr && std::isfinite(value->get()) ? std::optional(value->get()) : std::nullopt;
}

const toml::table& table_at(const void* table) { return *static_cast<const toml::table*>(table); }

/// One line, without the library's line ends.
std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

constexpr const char* kStart = "polhode new t-handle writes a scenario to start from";

/// What is wrong with bytes that are no TOML: `problem`, or that they are something else altogether.
Problem not_toml(Problem problem, std::string_view bytes, const std::string& file) {
  const std::optional<FileKind> kind = file_kind_of(bytes);
  if (!kind || kind->form == FileKind::Form::scenario) { return problem; }
  Problem other = wrong_kind(*kind, "TOML", file);
  if (other.cure.empty()) { other.cure = kStart; }
  return other;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// A grammar mistake at `where` that is a decimal comma: with what should be written. Otherwise as it is.
Problem decimal_comma(Problem problem, std::string_view bytes) {
  for (int line = 1; line < problem.where.line; ++line) {
    bytes.remove_prefix(std::min(bytes.find('\n') + 1, bytes.size()));
  }
  const std::string_view text = bytes.substr(0, bytes.find('\n'));
  const std::size_t comma = text.find(',', static_cast<std::size_t>(std::max(0, problem.where.column - 2)));
  if (comma == std::string_view::npos || comma == 0 || comma + 1 >= text.size() || !is_digit(text[comma - 1]) ||
      !is_digit(text[comma + 1])) {
    return problem;
  }
  std::size_t begin = comma;
  while (begin > 0 && (is_digit(text[begin - 1]) || text[begin - 1] == '-' || text[begin - 1] == '+')) { --begin; }
  std::size_t end = comma + 1;
  while (end < text.size() && (is_digit(text[end]) || text[end] == 'e' || text[end] == '-')) { ++end; }
  const std::string_view number = text.substr(begin, std::min<std::size_t>(end - begin, 40));
  std::string right(number);
  right[comma - begin] = '.';
  return {.what = fmt::format("'{}' has a decimal comma", number),
          .allowed = "numbers are written with a point",
          .cure = fmt::format("write {}", right),
          .where = problem.where};
}

/// A hint for lists that are too long and hold whole numbers only: 1,5 for 1.5 makes two entries of one.
std::string comma_hint(const toml::array& list, std::size_t wanted) {
  const bool whole = std::all_of(list.begin(), list.end(), [](const toml::node& entry) { return entry.is_integer(); });
  return whole && list.size() > wanted ? "is a comma meant as a decimal point? write 1.5, not 1,5" : "";
}

}  // namespace

struct TomlReader::Document {
  std::string file;
  toml::table root;
  /// Tables that were handed out, and the keys asked of each.
  std::map<const void*, std::set<std::string, std::less<>>> asked;
  /// The same tables in order, with the name each has in messages.
  std::vector<std::pair<const void*, std::string>> handed_out;
  std::vector<Problem> noted;
};

TomlReader::TomlReader(std::string_view bytes, std::string file) : document_(std::make_unique<Document>()) {
  if (std::optional<Problem> bad = find_bad_bytes(bytes, file)) { fail(Error(not_toml(std::move(*bad), bytes, file))); }
  try {
    document_->root = toml::parse(bytes, file);
  } catch (const toml::parse_error& error) {
    const Problem problem{.what = "not TOML: " + one_line(std::string(error.description())),
                          .allowed = {},
                          .cure = {},
                          .where = location_of(error.source(), file)};
    fail(Error(not_toml(decimal_comma(problem, bytes), bytes, file)));
  }
  if (document_->root.empty()) {
    fail(Error(Problem{.what = "there is nothing in this file", .allowed = {}, .cure = kStart, .where = {file, 1, 1}}));
  }
  document_->file = std::move(file);
}

TomlReader::~TomlReader() = default;

TomlTable TomlReader::root() {
  document_->handed_out.emplace_back(&document_->root, "");
  document_->asked[&document_->root];
  return {*document_, &document_->root, ""};
}

void TomlReader::finish() {
  Problems problems;
  for (Problem& problem : take_problems()) { problems.add(std::move(problem)); }
  std::move(problems).fail_if_any();
}

std::size_t TomlReader::noted() const { return document_->noted.size(); }

std::vector<Problem> TomlReader::take_problems() {
  std::vector<Problem>& noted = document_->noted;
  for (const auto& [table, name] : document_->handed_out) {
    const auto& asked = document_->asked[table];
    const std::vector<std::string_view> known(asked.begin(), asked.end());
    for (const auto& [key, node] : table_at(table)) {
      if (asked.contains(key.str())) { continue; }
      Problem problem = unknown_name("key", key.str(), known);
      if (!name.empty()) { problem.what += " in " + name; }
      problem.where = location_of(key.source(), document_->file);
      noted.push_back(std::move(problem));
    }
  }
  std::stable_sort(noted.begin(), noted.end(), [](const Problem& a, const Problem& b) {
    return std::pair(a.where.line, a.where.column) < std::pair(b.where.line, b.where.column);
  });
  const auto same = [](const Problem& a, const Problem& b) {
    return a.what == b.what && a.where.line == b.where.line && a.where.column == b.where.column;
  };
  noted.erase(std::unique(noted.begin(), noted.end(), same), noted.end());
  return std::exchange(noted, {});
}

Location TomlReader::location(const std::vector<Step>& steps, int offset, bool at_key) const {
  const toml::node* node = &document_->root;
  const auto entry_of = [](const toml::node& list, int index) {
    const toml::array* array = list.as_array();
    return array == nullptr ? nullptr : array->get(static_cast<std::size_t>(index));
  };
  bool whole = true;
  const toml::key* at = nullptr;  // of the last step
  for (const auto& [key, index] : steps) {
    const toml::node* next = node;
    if (!key.empty()) {
      next = node->is_table() ? node->as_table()->get(key) : nullptr;
      at = next == nullptr ? nullptr : &node->as_table()->find(key)->first;
    }
    const toml::node* entry = next != nullptr && index >= 0 ? entry_of(*next, index) : next;
    whole = entry != nullptr;
    if (next != nullptr) { node = entry != nullptr ? entry : next; }
    if (!whole) { break; }
  }
  Location where = location_of(whole && at_key && at != nullptr ? at->source() : node->source(), document_->file);
  if (where.line == 0) { where = {document_->file, 1, 0}; }  // the root has no location of its own
  if (whole && offset >= 0 && node->is_string()) { where.column += 1 + offset; }
  return where;
}

void TomlTable::note_asked(std::string_view key) const { document_->asked[table_].emplace(key); }

bool TomlTable::has(std::string_view key) const {
  note_asked(key);
  return table_at(table_).contains(key);
}

bool TomlTable::is_text(std::string_view key) const {
  note_asked(key);
  const toml::node* node = table_at(table_).get(key);
  return node != nullptr && node->is_string();
}

void TomlTable::problem(std::string_view key, Problem problem) {
  const toml::node* node = table_at(table_).get(key);
  problem.where = location_of(node != nullptr ? node->source() : table_at(table_).source(), document_->file);
  if (problem.where.line == 0) { problem.where.line = 1; }  // the root has no location of its own
  document_->noted.push_back(std::move(problem));
}

void TomlTable::problem(std::string_view key, std::string what, std::string allowed, std::string cure) {
  problem(key, Problem{.what = std::move(what), .allowed = std::move(allowed), .cure = std::move(cure)});
}

void TomlTable::wrong_type(std::string_view key, std::string_view wanted) {
  const toml::node* node = table_at(table_).get(key);
  problem(key, fmt::format("{} is {}, not {}", key, kind_of(*node), wanted));
}

void TomlTable::missing(std::string_view key, std::string_view wanted) {
  problem("", fmt::format("{} is missing{}", key, name_.empty() ? "" : " in " + name_),
          fmt::format("wanted: {}", wanted));
}

bool TomlTable::is_list(std::string_view key, std::string_view wanted) {
  if (!has(key)) {
    missing(key, wanted);
    return false;
  }
  const bool found = table_at(table_).get(key)->is_array();
  if (!found) { wrong_type(key, wanted); }
  return found;
}

std::optional<std::string> TomlTable::optional_text(std::string_view key) {
  note_asked(key);
  const toml::node* node = table_at(table_).get(key);
  if (node == nullptr) { return {}; }
  const toml::value<std::string>* value = node->as_string();
  if (value == nullptr) {
    wrong_type(key, "text");
    return {};
  }
  const std::string& text = value->get();
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') {
      problem(key, fmt::format("{} has the control character 0x{:02X} in it", key, static_cast<int>(c)));
      return {};
    }
  }
  return text;
}

std::string TomlTable::text(std::string_view key) {
  if (!has(key)) {
    missing(key, "text");
    return {};
  }
  return optional_text(key).value_or("");
}

std::vector<std::string> TomlTable::texts(std::string_view key, std::size_t count) {
  const std::string wanted = fmt::format("a list of {} texts", count);
  if (!is_list(key, wanted)) { return {}; }
  const toml::array* list = table_at(table_).get(key)->as_array();
  std::vector<std::string> texts;
  for (const toml::node& entry : *list) {
    if (const toml::value<std::string>* text = entry.as_string()) { texts.push_back(text->get()); }
  }
  if (texts.size() != count || list->size() != count) {
    problem(key,
            fmt::format("{} has {}, {} of them text", key, counted(list->size(), "entry", "entries"), texts.size()),
            "wanted: " + wanted);
    return {};
  }
  return texts;
}

std::vector<std::string> TomlTable::texts(std::string_view key) {
  const std::string wanted = "a list of texts";
  if (!is_list(key, wanted)) { return {}; }
  std::vector<std::string> texts;
  for (const toml::node& entry : *table_at(table_).get(key)->as_array()) {
    const toml::value<std::string>* text = entry.as_string();
    if (text == nullptr) {
      problem(key, fmt::format("entry {} of {} is {}", texts.size() + 1, key, kind_of(entry)), "wanted: " + wanted);
      return {};
    }
    texts.push_back(text->get());
  }
  return texts;
}

std::optional<double> TomlTable::optional_number(std::string_view key) {
  note_asked(key);
  const toml::node* node = table_at(table_).get(key);
  if (node == nullptr) { return {}; }
  const std::optional<double> value = finite_number(*node);
  if (!value) { wrong_type(key, "a finite number"); }
  return value;
}

double TomlTable::number(std::string_view key) {
  if (!has(key)) {
    missing(key, "a finite number");
    return 0;
  }
  return optional_number(key).value_or(0);
}

std::optional<bool> TomlTable::optional_boolean(std::string_view key) {
  note_asked(key);
  const toml::node* node = table_at(table_).get(key);
  if (node == nullptr) { return {}; }
  const std::optional<bool> value = node->is_boolean() ? node->value<bool>() : std::nullopt;
  if (!value) { wrong_type(key, "true or false"); }
  return value;
}

std::optional<std::vector<double>> TomlTable::optional_numbers(std::string_view key, std::size_t count) {
  note_asked(key);
  const toml::node* node = table_at(table_).get(key);
  if (node == nullptr) { return {}; }
  const std::string wanted = fmt::format("a list of {} finite numbers", count);
  const toml::array* list = node->as_array();
  if (list == nullptr) {
    wrong_type(key, wanted);
    return {};
  }
  if (list->size() != count) {
    problem(key, fmt::format("{} has {}", key, counted(list->size(), "entry", "entries")), "wanted: " + wanted,
            comma_hint(*list, count));
    return {};
  }
  std::vector<double> values;
  for (const toml::node& entry : *list) {
    const std::optional<double> value = finite_number(entry);
    if (!value) {
      problem(key, fmt::format("entry {} of {} is {}", values.size() + 1, key, kind_of(entry)), "wanted: " + wanted);
      return {};
    }
    values.push_back(*value);
  }
  return values;
}

std::vector<double> TomlTable::numbers(std::string_view key, std::size_t count) {
  if (!has(key)) { missing(key, fmt::format("a list of {} finite numbers", count)); }
  return optional_numbers(key, count).value_or(std::vector<double>(count, 0.0));
}

std::optional<Vec3<double>> TomlTable::optional_vector(std::string_view key) {
  const std::optional<std::vector<double>> values = optional_numbers(key, 3);
  if (!values) { return {}; }
  return Vec3<double>{(*values)[0], (*values)[1], (*values)[2]};
}

Vec3<double> TomlTable::vector(std::string_view key) {
  const std::vector<double> values = numbers(key, 3);
  return {values[0], values[1], values[2]};
}

std::vector<Vec3<double>> TomlTable::vectors(std::string_view key, std::size_t least) {
  const std::string wanted = fmt::format("a list of {} or more vectors such as [0, 0, 1]", least);
  if (!is_list(key, wanted)) { return {}; }
  const toml::array* list = table_at(table_).get(key)->as_array();
  std::vector<Vec3<double>> vectors;
  for (const toml::node& entry : *list) {
    const toml::array* numbers = entry.as_array();
    Vec3<double> v{};
    std::string found;  // instead of three numbers
    if (numbers == nullptr) { found = fmt::format("is {}", kind_of(entry)); }
    std::string hint;
    if (numbers != nullptr && numbers->size() != 3) {
      found = fmt::format("is a list of {}", numbers->size());
      hint = comma_hint(*numbers, 3);
    }
    for (std::size_t i = 0; found.empty() && i < 3; ++i) {
      const std::optional<double> value = finite_number((*numbers)[i]);
      if (!value) { found = fmt::format("has {} in it", kind_of((*numbers)[i])); }
      v[i] = value.value_or(0);
    }
    if (!found.empty()) {
      problem(key, fmt::format("entry {} of {} {}, not three finite numbers", vectors.size() + 1, key, found), {},
              hint);
      return {};
    }
    vectors.push_back(v);
  }
  if (vectors.size() < least) {
    problem(key, fmt::format("{} has {}", key, counted(vectors.size(), "entry", "entries")), "wanted: " + wanted);
  }
  return vectors;
}

std::vector<TomlTable> TomlTable::tables(std::string_view key) {
  note_asked(key);
  const toml::node* node = table_at(table_).get(key);
  std::vector<TomlTable> tables;
  if (node == nullptr) { return tables; }
  const toml::array* list = node->as_array();
  if (list == nullptr || !std::all_of(list->begin(), list->end(), [](const toml::node& n) { return n.is_table(); })) {
    problem(key, fmt::format("{} is {}, not a list of tables", key, kind_of(*node)),
            fmt::format("start each one with [[{}]]", key));
    return tables;
  }
  for (const toml::node& entry : *list) {
    const std::string name = fmt::format("[[{}]] {}", key, tables.size() + 1);
    document_->handed_out.emplace_back(entry.as_table(), name);
    document_->asked[entry.as_table()];
    tables.push_back(TomlTable(*document_, entry.as_table(), name));
  }
  return tables;
}

std::size_t TomlTable::problem_count() const { return document_->noted.size(); }

void TomlTable::problem(std::string_view key, const Error& error) {
  for (const Problem& one : error.problems()) {
    if (one.where.file.empty()) {
      problem(key, one);
    } else {
      document_->noted.push_back(one);
    }
  }
}

namespace {
/// A number or the text of a formula; nothing for anything else.
std::optional<TomlValue> value_of(const toml::node& node, const std::string& file) {
  if (const toml::value<std::string>* text = node.as_string()) {
    TomlValue value{0, text->get(), location_of(node.source(), file)};
    ++value.where.column;  // behind the quote
    if (value.formula.empty()) { value.formula = " "; }
    return value;
  }
  const std::optional<double> number = finite_number(node);
  if (!number) { return {}; }
  return TomlValue{*number, {}, {}};
}
}  // namespace

TomlValue TomlTable::value(std::string_view key) {
  constexpr std::string_view kWanted = "a finite number or a formula in quotes";
  if (!has(key)) {
    missing(key, kWanted);
    return {};
  }
  std::optional<TomlValue> value = value_of(*table_at(table_).get(key), document_->file);
  if (!value) { wrong_type(key, kWanted); }
  return value.value_or(TomlValue{});
}

std::optional<std::vector<TomlValue>> TomlTable::values_wanted(std::string_view key, const std::string& wanted) {
  if (!is_list(key, wanted)) { return {}; }
  std::vector<TomlValue> values;
  for (const toml::node& entry : *table_at(table_).get(key)->as_array()) {
    std::optional<TomlValue> value = value_of(entry, document_->file);
    if (!value) {
      problem(key, fmt::format("entry {} of {} is {}", values.size() + 1, key, kind_of(entry)), "wanted: " + wanted);
      return {};
    }
    values.push_back(std::move(*value));
  }
  return values;
}

std::vector<TomlValue> TomlTable::values(std::string_view key) {
  return values_wanted(key, "a list of finite numbers or formulas in quotes").value_or(std::vector<TomlValue>{});
}

std::vector<TomlValue> TomlTable::values(std::string_view key, std::size_t count) {
  const std::string wanted = fmt::format("a list of {} finite numbers or formulas in quotes", count);
  std::optional<std::vector<TomlValue>> values = values_wanted(key, wanted);
  if (!values) { return {}; }
  if (values->size() != count) {
    problem(key, fmt::format("{} has {}", key, counted(values->size(), "entry", "entries")), "wanted: " + wanted,
            comma_hint(*table_at(table_).get(key)->as_array(), count));
    return {};
  }
  return std::move(*values);
}

std::vector<std::vector<TomlValue>> TomlTable::value_rows(std::string_view key, std::size_t rows, std::size_t columns) {
  const std::string wanted =
      fmt::format("{} of {} finite numbers or formulas in quotes", counted(rows, "row"), columns);
  if (!is_list(key, wanted)) { return {}; }
  const toml::array* list = table_at(table_).get(key)->as_array();
  std::vector<std::vector<TomlValue>> found;
  for (const toml::node& entry : *list) {
    const toml::array* numbers = entry.as_array();
    std::vector<TomlValue>& row = found.emplace_back();
    std::string wrong;
    if (numbers == nullptr) { wrong = fmt::format("is {}", kind_of(entry)); }
    std::string hint;
    if (numbers != nullptr && numbers->size() != columns) {
      wrong = fmt::format("is a list of {}", numbers->size());
      hint = comma_hint(*numbers, columns);
    }
    for (std::size_t i = 0; wrong.empty() && i < columns; ++i) {
      std::optional<TomlValue> value = value_of((*numbers)[i], document_->file);
      if (!value) { wrong = fmt::format("has {} in it", kind_of((*numbers)[i])); }
      row.push_back(value.value_or(TomlValue{}));
    }
    if (!wrong.empty()) {
      problem(key, fmt::format("entry {} of {} {}", found.size(), key, wrong), "wanted: " + wanted, hint);
      return {};
    }
  }
  if (found.size() != rows) {
    problem(key, fmt::format("{} has {}", key, counted(found.size(), "row", "rows")), "wanted: " + wanted);
    return {};
  }
  return found;
}

std::optional<TomlTable> TomlTable::optional_table(std::string_view key) {
  note_asked(key);
  const toml::node* node = table_at(table_).get(key);
  if (node == nullptr) { return {}; }
  const toml::table* table = node->as_table();
  if (table == nullptr) {
    wrong_type(key, fmt::format("a table: [{0}] or {0} = {{ ... }}", key));
    return {};
  }
  const std::string name = name_.empty() ? fmt::format("[{}]", key) : fmt::format("{} {}", name_, key);
  if (!document_->asked.contains(table)) { document_->handed_out.emplace_back(table, name); }
  document_->asked[table];
  return TomlTable(*document_, table, name);
}

std::vector<std::string> TomlTable::keys() const {
  std::vector<std::pair<toml::source_position, std::string>> found;
  for (const auto& [key, node] : table_at(table_)) {
    found.emplace_back(key.source().begin, std::string(key.str()));
    note_asked(key.str());
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> keys;
  keys.reserve(found.size());
  for (auto& [where, key] : found) { keys.push_back(std::move(key)); }
  return keys;
}

}  // namespace polhode::io
