#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The folder that a command writes its files into.
///
/// manifest.json in the folder says which command wrote there, from which scenario, whether it came to its end, and
/// names every file with its size and SHA-256. A file is ours as long as it is listed and has these bytes; only such
/// files are ever removed, and nothing that is not ours is written over or written through (a symbolic link). One
/// command at a time writes there: it holds a lock that the system takes back however the command ends.
namespace polhode::io {

/// An unfinished file is called NAME and this ending. No other program uses the ending, so that what a killed command
/// left can be told from files of others.
inline constexpr std::string_view kPartEnding = ".polhode-part";

/// Where the files of a folder come from.
struct FolderOrigin {
  std::string what;      ///< the command: "run"
  std::string version;   ///< of the program
  std::string scenario;  ///< its file, by the way from the folder to it; "" where there is none
  std::string scenario_sha256;

  friend bool operator==(const FolderOrigin&, const FolderOrigin&) = default;
};

/// The way from a folder to a file, links resolved: the same from wherever the command is called.
std::string way_to(const std::string& file, const std::string& folder);

class OutputFolder {
 public:
  static constexpr const char* kManifest = "manifest.json";
  static constexpr const char* kLock = ".polhode-lock";

  /// Makes the folder, where it is not there, and takes its lock. Fails where another command holds it.
  explicit OutputFolder(std::string path);
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  struct File {
    std::string name;  ///< from the folder
    std::uint64_t bytes = 0;
    std::string sha256;  ///< "" of a file that is being written in place
  };
  struct Manifest {
    FolderOrigin origin;
    bool finished = false;
    std::vector<File> files;
  };
  /// What the last command left; nothing where there is no manifest of ours.
  const std::optional<Manifest>& last() const { return last_; }
  const std::string& path() const { return path_; }
  std::string path_of(const std::string& name) const;

  struct Start {
    FolderOrigin origin;
    std::vector<std::string> names;  ///< of files that the command may write
    std::string kept;                ///< a file of the last command that this one goes on with, or ""
    /// Fails where the last command had another scenario file: for a folder that the user did not choose.
    bool same_scenario = false;
    bool overwrite = false;  ///< whatever the last command was, and also over files with these names that are not ours
  };
  /// Takes away what the last command left and begins a manifest. Fails, before anything is changed, where a file that
  /// is not ours stands in the way.
  void start(const Start& start);

  /// Where to write a file. Fails where one that is not ours is there.
  std::string claim(const std::string& name);
  /// Lists a file that will be written in place, such as a log.
  void add_growing(const std::string& name);
  /// Lists a file that is whole; to be called before it gets its name, while its bytes are at `whole`.
  void add(const std::string& name, const std::string& whole);
  /// The command has come to its end.
  void finish();
  /// Takes a file away that is no longer needed then.
  void drop(const std::string& name);

 private:
  bool is_ours(const File& file) const;
  void require_free(const std::string& name, bool removed) const;
  void write_manifest() const;

  std::string path_;
  int lock_ = -1;
  bool strange_manifest_ = false;  ///< there is one, and it is not ours
  bool overwrite_ = false;
  std::optional<Manifest> last_;
  Manifest now_;
};

}  // namespace polhode::io
