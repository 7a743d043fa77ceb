#include "polhode/io/scenario_toml.h"

#include "polhode/core/sha256.h"
#include "polhode/io/toml_reader.h"
#include "polhode/scenario/review.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

namespace polhode::io {

using scenario::kIsArray;
using scenario::kIsList;
using scenario::kIsNamed;
using scenario::kIsOptional;
using scenario::Path;

struct ScenarioFile::Document {
  Document(std::string_view bytes, std::string file) : reader(bytes, std::move(file)) {}
  TomlReader reader;
  std::set<std::string> broken;  ///< tables, by their paths as text
};

namespace {

/// A list of tables: [[key]]. Other lists stand on one line.
template <class T>
inline constexpr bool kIsTableList = false;
template <class T>
inline constexpr bool kIsTableList<std::vector<T>> = scenario::Table<T>;

template <class T>
concept NumberLike = std::is_same_v<T, Number> || std::is_same_v<T, Expression>;

template <NumberLike T>
T number_from(TomlValue value) {
  return value.formula.empty() ? T(value.number) : T(std::move(value.formula));
}

// ---- reading --------------------------------------------------------------------------------------------------------

/// Fills the fields of a struct from a table of the file.
class Filler {
 public:
  Filler(TomlTable& table, Path path, TomlReader& reader, std::set<std::string>& broken)
      : table_(&table), path_(std::move(path)), reader_(&reader), broken_(&broken) {}

  template <class T>
  void must(std::string_view key, T& field) {
    read(key, field);
  }
  template <class T>
  void may(std::string_view key, T& field) {
    if (table_->has(key)) { read(key, field); }
  }
  template <class T>
  void of(T& inlined) {
    T::keys(inlined, *this);
  }
  /// The kind of what acts or constrains; the keys of that kind.
  template <class V>
  void kind(std::string_view key, V& what) {
    const std::string name = table_->text(key);
    if (!scenario::choose_kind(name, what)) {
      if (table_->is_text(key)) { table_->problem(key, scenario::unknown_kind<V>(name, path_)); }
      table_->keys();  // what its keys should be is not known either
      return;
    }
    std::visit([&](auto& one) { of(one); }, what);
  }

 private:
  template <class T>
  void fill_table(TomlTable& table, const Path& path, T& field) {
    const std::size_t before = reader_->noted();
    Filler inner(table, path, *reader_, *broken_);
    T::keys(field, inner);
    if (reader_->noted() != before) { broken_->insert(to_text(path)); }
  }

  template <class T>
  void read(std::string_view key, T& field) {
    if constexpr (NumberLike<T>) {
      field = number_from<T>(table_->value(key));
    } else if constexpr (std::is_same_v<T, std::string>) {
      field = table_->text(key);
    } else if constexpr (std::is_same_v<T, bool>) {
      field = table_->optional_boolean(key).value_or(field);
    } else if constexpr (kIsOptional<T>) {
      // a wrong value leaves the field empty; its problem is noted once
      const std::size_t before = reader_->noted();
      typename T::value_type value{};
      read(key, value);
      if (scenario::Table<typename T::value_type> || reader_->noted() == before) { field = std::move(value); }
    } else if constexpr (std::is_same_v<T, std::array<std::string, 2>>) {
      const std::vector<std::string> texts = table_->texts(key, 2);
      if (texts.size() == 2) { field = {texts[0], texts[1]}; }
    } else if constexpr (std::is_same_v<T, NumberMatrix>) {
      std::vector<std::vector<TomlValue>> rows = table_->value_rows(key, 3, 3);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t j = 0; j < 3; ++j) { field[i][j] = number_from<Number>(std::move(rows[i][j])); }
      }
    } else if constexpr (kIsArray<T>) {
      std::vector<TomlValue> values = table_->values(key, field.size());
      for (std::size_t i = 0; i < values.size(); ++i) {
        field[i] = number_from<typename T::value_type>(std::move(values[i]));
      }
    } else if constexpr (kIsNamed<T>) {
      std::optional<TomlTable> table = table_->optional_table(key);
      if (!table) { return; }
      Filler inner(*table, path_.then(key), *reader_, *broken_);
      for (const std::string& name : table->keys()) { inner.read(name, field[name]); }
    } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
      field = table_->texts(key);
    } else if constexpr (std::is_same_v<T, std::vector<Number>>) {
      field.clear();
      for (TomlValue& value : table_->values(key)) { field.push_back(number_from<Number>(std::move(value))); }
    } else if constexpr (kIsTableList<T>) {
      std::vector<TomlTable> tables = table_->tables(key);
      field.resize(tables.size());
      for (std::size_t i = 0; i < tables.size(); ++i) {
        fill_table(tables[i], path_.then(key, static_cast<int>(i)), field[i]);
      }
    } else {
      std::optional<TomlTable> table = table_->optional_table(key);
      if (table) { fill_table(*table, path_.then(key), field); }
    }
  }

  TomlTable* table_;
  Path path_;
  TomlReader* reader_;
  std::set<std::string>* broken_;
};

}  // namespace

ScenarioFile::ScenarioFile(std::string_view bytes, std::string file)
    : document_(std::make_unique<Document>(bytes, std::move(file))) {
  TomlTable root = document_->reader.root();
  Filler filler(root, {}, document_->reader, document_->broken);
  Scenario::keys(scenario_, filler);
  problems_ = document_->reader.take_problems();
}

ScenarioFile::~ScenarioFile() = default;

bool ScenarioFile::is_broken(const Path& path) const {
  Path shorter = path;
  while (!shorter.steps.empty()) {
    if (document_->broken.contains(to_text(shorter))) { return true; }
    shorter.steps.pop_back();
  }
  return false;
}

Location ScenarioFile::location(const Path& path, int offset) const {
  std::vector<TomlReader::Step> steps;
  steps.reserve(path.steps.size());
  for (const Path::Step& step : path.steps) { steps.emplace_back(step.key, step.index); }
  return document_->reader.location(steps, offset, offset == scenario::Review::kAtKey);
}

std::string ScenarioFile::name(const Path& path) {
  std::string text;
  for (const Path::Step& step : path.steps) {
    if (step.index >= 0) {
      text = fmt::format("[[{}]] {}", step.key, step.index + 1);
    } else {
      text = text.empty() ? fmt::format("[{}]", step.key) : fmt::format("{} {}", text, step.key);
    }
  }
  return text;
}

// ---- writing --------------------------------------------------------------------------------------------------------

namespace {

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
          out += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
        } else {
          out += c;
        }
    }
  }
  return out + '"';
}

std::string key_text(std::string_view key) {
  const auto bare = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  return !key.empty() && std::all_of(key.begin(), key.end(), bare) ? std::string(key) : in_quotes(key);
}

enum class Blanks { keep, drop };

/// Writes tables. A struct at the top is a table [name]; inside another one it stands on one line, { ... }.
class Writer {
 public:
  explicit Writer(Blanks blanks) : blanks_(blanks) {}

  template <class T>
  std::string table(const T& table, const std::string& path) const {
    std::string lines;
    std::string below;
    scenario::each_with_default(table, [&](std::string_view key, const auto& field, const auto& standard, bool needed) {
      using Field = std::remove_cvref_t<decltype(field)>;
      if (!needed && field == standard) { return; }
      const std::string inner = path.empty() ? key_text(key) : path + "." + key_text(key);
      if constexpr (kIsTableList<Field>) {
        for (const auto& one : field) { below += fmt::format("\n[[{}]]\n{}", inner, this->table(one, inner)); }
      } else if constexpr (is_section<Field>()) {
        if (path.empty()) {
          below += fmt::format("\n[{}]\n{}", inner, section(field, inner));
        } else {
          lines += fmt::format("{} = {}\n", key_text(key), value(field));
        }
      } else {
        lines += fmt::format("{} = {}\n", key_text(key), value(field));
      }
    });
    return lines + below;
  }

 private:
  template <class Field>
  static constexpr bool is_section() {
    if constexpr (kIsOptional<Field>) {
      return is_section<typename Field::value_type>();
    } else {
      return kIsNamed<Field> || scenario::Table<Field>;
    }
  }
  template <class Field>
  std::string section(const Field& field, const std::string& path) const {
    if constexpr (kIsOptional<Field>) {
      return section(*field, path);
    } else if constexpr (kIsNamed<Field>) {
      std::string lines;
      for (const auto& [name, one] : field) { lines += fmt::format("{} = {}\n", key_text(name), value(one)); }
      return lines;
    } else {
      return table(field, path);
    }
  }

  /// A whole number has no −0 in TOML; in hashes, as where scenarios are compared, no zero has a sign.
  std::string number_text(double number) const {
    if (number != 0) { return fmt::format("{}", number); }
    return std::signbit(number) && blanks_ == Blanks::keep ? "-0.0" : "0";
  }

  /// On one line.
  template <class T>
  std::string value(const T& field) const {
    if constexpr (NumberLike<T>) {
      if (field.formula.empty()) { return number_text(field.value); }
      if (blanks_ == Blanks::keep) { return in_quotes(field.formula); }
      std::string tight = field.formula;
      std::erase_if(tight, [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; });
      return in_quotes(tight);
    } else if constexpr (std::is_same_v<T, std::string>) {
      return in_quotes(field);
    } else if constexpr (std::is_same_v<T, bool>) {
      return field ? "true" : "false";
    } else if constexpr (kIsOptional<T>) {
      return value(*field);
    } else if constexpr (kIsArray<T> || kIsList<T>) {
      std::string list;
      for (const auto& one : field) { list += (list.empty() ? "" : ", ") + value(one); }
      return "[" + list + "]";
    } else if constexpr (kIsNamed<T>) {
      std::string list;
      for (const auto& [name, one] : field) {
        list += fmt::format("{} {} = {}", list.empty() ? "" : ",", key_text(name), value(one));
      }
      return "{" + list + " }";
    } else {
      std::string list;
      scenario::each_with_default(
          field, [&](std::string_view key, const auto& inner, const auto& standard, bool needed) {
            if constexpr (!kIsTableList<std::remove_cvref_t<decltype(inner)>>) {
              if (!needed && inner == standard) { return; }
              list += fmt::format("{} {} = {}", list.empty() ? "" : ",", key_text(key), value(inner));
            }
          });
      return "{" + list + " }";
    }
  }

  Blanks blanks_;
};

}  // namespace

std::string to_toml(const Scenario& scenario) { return Writer(Blanks::keep).table(scenario, ""); }

std::string hash_of(const Scenario& scenario) {
  Sha256 hash;
  hash.add("polhode scenario 1\n" + Writer(Blanks::drop).table(scenario, ""));
  return hash.hex();
}

}  // namespace polhode::io

namespace polhode::scenario {

Scenario Scenario::read(const std::string& file) {
  constexpr std::uintmax_t kLongest = std::uintmax_t{16} << 20U;
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) { fail(Error(fmt::format("'{}' is no file", file))); }
  if (std::filesystem::file_size(file, error) > kLongest) {
    fail(Error(Problem{.what = fmt::format("'{}' is longer than 16 MiB", file), .allowed = {}, .cure = {}}));
  }
  std::ifstream stream(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  if (!stream) { fail(Error(fmt::format("'{}' cannot be read", file))); }
  const io::ScenarioFile read(bytes, file);
  Problems problems;
  for (const Problem& problem : read.problems()) { problems.add(problem); }
  std::move(problems).fail_if_any();
  return read.scenario();
}

}  // namespace polhode::scenario
