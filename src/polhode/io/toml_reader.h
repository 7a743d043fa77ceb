#pragma once

#include "polhode/core/error.h"
#include "polhode/math/vec3.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Files in. The TOML library stays behind this header.
namespace polhode::io {

class TomlTable;

/// A TOML file, read so that all its mistakes are told at once, each with its line and column.
///
///   TomlReader reader(bytes, "arm.toml");          // fails on bytes or grammar that are not TOML
///   TomlTable root = reader.root();
///   const std::string title = root.text("title");  // a wrong type or a missing key is noted; "" comes back
///   reader.finish();                               // fails with everything noted, unknown keys included
///
/// The keys that are asked for are the known ones: any other key in the file is a mistake, told with the nearest known
/// key. Only values read before finish() has passed are to be trusted.
class TomlReader {
 public:
  /// `file` is the name used in messages.
  TomlReader(std::string_view bytes, std::string file);
  ~TomlReader();
  TomlReader(const TomlReader&) = delete;
  TomlReader& operator=(const TomlReader&) = delete;

  TomlTable root();
  /// Fails with all problems noted so far, each told once; call it after everything has been asked for, and again
  /// where more was found later.
  void finish();
  /// The same without failing: what was noted since it was last asked for, in the order of the file.
  std::vector<Problem> take_problems();
  /// How many problems of form and meaning have been noted so far; unknown keys are found at the end.
  std::size_t noted() const;

  /// A key, and the entry of the list that is there (−1: not a list).
  using Step = std::pair<std::string_view, int>;
  /// Where the value at the end of `steps` stands, or the innermost one on the way that is there. `offset`, from 0:
  /// that many characters into a text. `at_key`: where its key stands.
  Location location(const std::vector<Step>& steps, int offset = -1, bool at_key = false) const;

 private:
  friend class TomlTable;
  struct Document;
  std::unique_ptr<Document> document_;
};

/// A number, or text that is a formula for one.
struct TomlValue {
  double number = 0;
  std::string formula;  ///< "": the number counts
  Location where;       ///< of the first character of the formula
};

/// One table of the file. Every question notes its problem in the reader and gives a harmless value back.
class TomlTable {
 public:
  bool has(std::string_view key) const;

  std::string text(std::string_view key);
  std::optional<std::string> optional_text(std::string_view key);
  /// Exactly `count` texts; empty where it is something else.
  std::vector<std::string> texts(std::string_view key, std::size_t count);
  /// Any number of texts; empty where it is something else.
  std::vector<std::string> texts(std::string_view key);
  /// A finite number; integers are numbers too, beyond 2^53 rounded to the nearest.
  double number(std::string_view key);
  std::optional<double> optional_number(std::string_view key);
  std::optional<bool> optional_boolean(std::string_view key);
  /// Exactly `count` finite numbers.
  std::vector<double> numbers(std::string_view key, std::size_t count);
  std::optional<std::vector<double>> optional_numbers(std::string_view key, std::size_t count);
  Vec3<double> vector(std::string_view key);
  std::optional<Vec3<double>> optional_vector(std::string_view key);
  /// A list of at least `least` vectors: [[0, 0, 0], [1, 0, 0]].
  std::vector<Vec3<double>> vectors(std::string_view key, std::size_t least);
  /// Whether the value is a text (and not numbers), for keys that take either.
  bool is_text(std::string_view key) const;

  /// Exactly `count` numbers or formulas; empty where it is something else.
  std::vector<TomlValue> values(std::string_view key, std::size_t count);
  /// Any number of them; empty where it is something else.
  std::vector<TomlValue> values(std::string_view key);
  /// One number or formula.
  TomlValue value(std::string_view key);
  /// `rows` lists of `columns` numbers or formulas; empty where it is something else.
  std::vector<std::vector<TomlValue>> value_rows(std::string_view key, std::size_t rows, std::size_t columns);

  /// [[key]]: an array of tables, empty if it is not there.
  std::vector<TomlTable> tables(std::string_view key);
  /// [key] or key = { ... }
  std::optional<TomlTable> optional_table(std::string_view key);
  /// All keys in the order of the file, for tables whose keys the user makes up: each counts as asked for.
  std::vector<std::string> keys() const;
  /// "[body]", "[[load]] 2", "" for the whole file.
  const std::string& name() const { return name_; }

  /// Problems noted so far, in the whole file.
  std::size_t problem_count() const;
  /// Notes a problem of meaning at the value of `key` ("" or a key that is not there: at the table).
  void problem(std::string_view key, std::string what, std::string allowed = {}, std::string cure = {});
  /// The same for "unknown KIND 'NAME'".
  void problem(std::string_view key, Problem problem);
  /// Notes what `error` found, at `key` where it has no location of its own.
  void problem(std::string_view key, const Error& error);

 private:
  friend class TomlReader;
  TomlTable(TomlReader::Document& document, const void* table, std::string name)
      : document_(&document), table_(table), name_(std::move(name)) {}

  void note_asked(std::string_view key) const;
  void wrong_type(std::string_view key, std::string_view wanted);
  void missing(std::string_view key, std::string_view wanted);
  /// Notes a problem where the value is not a list.
  bool is_list(std::string_view key, std::string_view wanted);
  std::optional<std::vector<TomlValue>> values_wanted(std::string_view key, const std::string& wanted);

  TomlReader::Document* document_;
  const void* table_;  ///< a table of the TOML library, owned by the reader
  std::string name_;   ///< "[[joint]] 2", for messages
};

}  // namespace polhode::io
