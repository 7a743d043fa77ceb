#pragma once

#include "support/files.h"
#include "support/run_program.h"

#include <map>
#include <string>

/// Commands whose calls to the system fail, or that are killed at one (faulty_calls.cpp).

/// One of the commands; it leaves its files in the folder d.
struct Job {
  const char* name;
  const char* command;
  const char* resume;  ///< what is added to go on with it; null where it is done again
  bool folder_first;   ///< the folder is there, with older files of the same names
};

constexpr const char* kSpinningBody =
    "title = \"one\"\n[parameters]\nspin = 1\n[body]\nprincipal_moments = [1, 2, 3]\n[initial]\nw_body = [0.3, "
    "\"spin\", "
    "-0.4]\n[run]\nduration = 2\noutput_interval = 0.02\nintegrator = \"gauss4\"\nstep = 0.02\ncheckpoint_rows = 20\n";

/// An arm in gravity, which a law turns.
constexpr const char* kFaultyArm =
    "title = \"arm\"\n[gravity]\ng_space = [0, 0, -9.81]\n[[bodies]]\nname = \"arm\"\nmass = 2\n"
    "principal_moments = [0.1, 0.2, 0.2]\nposition = [0, 0, -0.5]\n[[joints]]\nname = \"hinge\"\nkind = \"revolute\"\n"
    "bodies = [\"ground\", \"arm\"]\npoint = [0, 0, 0]\naxis = [0, 1, 0]\n[run]\nduration = 1\noutput_interval = 0.1\n";

constexpr Job kJobs[] = {
    {"run", "run x.toml -o d --format csv,json", " --resume", false},
    {"run --certify", "run x.toml -o d --certify --no-report", " --resume", false},
    {"sweep", "sweep x.toml --over spin=1:3:6 -o d --threads 1", " --resume", false},
    {"convert", "convert --from quaternion_wxyz --to euler:3-2-1 -i rows -o d/angles.csv", nullptr, true},
    {"compare", "compare x.toml --formulation f1,f5 --no-times -o d", nullptr, false},
    {"linearize", "linearize arm.toml -o d/model.m", nullptr, true},
    {"solve", "solve arm.toml inverse --along 'hinge=sin(t)' --csv d/table.csv --svg d/plot.svg", nullptr, true}};

/// What a folder holds, by name.
using FolderBytes = std::map<std::string, std::string>;

inline bool is_part(const std::string& name) { return name.ends_with(".polhode-part"); }
inline bool is_log(const std::string& name) { return name.ends_with(".plog"); }

/// A job, and what it leaves behind when nothing fails.
class FaultyRun {
 public:
  explicit FaultyRun(const Job& job) : job_(job) {
    work_.write("x.toml", kSpinningBody);
    work_.write("arm.toml", kFaultyArm);
    std::string rows;
    for (int i = 0; i < 400; ++i) { rows += "0.6 0 0.8 0\n0 0.6 0 -0.8\n"; }
    work_.write("rows", rows);
    std::filesystem::create_directory(work_.path() / "d");
    const Workshop::Result result = work_.polhode(std::string(job.command) + " -q");
    CAPTURE(result.err);
    REQUIRE(result.status == 0);
    output_ = result.out;
    whole_ = folder();
    REQUIRE_FALSE(whole_.empty());
    if (job.folder_first) {
      for (const auto& [name, bytes] : whole_) { before_[name] = "older\n"; }
    }
  }

  const FolderBytes& whole() const { return whole_; }
  const FolderBytes& before() const { return before_; }
  const std::string& output() const { return output_; }

  /// How many calls of a kind the job makes.
  long calls(const std::string& kind) const {
    prepare();
    const Workshop::Result result = faulty(kind, 0, 0, false, "");
    CAPTURE(result.err);
    REQUIRE(result.status == 0);
    REQUIRE(folder() == whole_);
    return std::stol(work_.read("tally"));
  }

  /// The folder as it is before the job.
  void prepare() const {
    std::filesystem::remove_all(work_.path() / "d");
    if (!job_.folder_first) { return; }
    std::filesystem::create_directory(work_.path() / "d");
    for (const auto& [name, bytes] : before_) { work_.write("d/" + name, bytes); }
  }

  /// `error` 0: killed in the place of call n.
  Workshop::Result with_fault(const std::string& kind, long n, int error, bool lasts) const {
    return faulty(kind, n, error, lasts, "");
  }
  Workshop::Result again_with_fault(const std::string& kind, long n, int error) const {
    return faulty(kind, n, error, false, job_.resume);
  }
  Workshop::Result again(const std::string& options = " -q") const {
    return work_.polhode(job_.command + options + (job_.resume == nullptr ? "" : job_.resume));
  }

  FolderBytes folder() const {
    FolderBytes found;
    if (!work_.exists("d")) { return found; }
    for (const auto& entry : std::filesystem::directory_iterator(work_.path() / "d")) {
      const std::string name = entry.path().filename().string();
      if (name != ".polhode-lock") { found[name] = polhode::test::text_of(entry.path()); }
    }
    return found;
  }

 private:
  Workshop::Result faulty(const std::string& kind, long n, int error, bool lasts, const std::string& more) const {
    return work_.command("POLHODE_FAULT=" + kind + " POLHODE_FAULT_AT=" + std::to_string(n) +
                         " POLHODE_FAULT_ERROR=" + std::to_string(error) +
                         " POLHODE_FAULT_LASTS=" + (lasts ? "1" : "0") + " POLHODE_FAULT_TALLY=tally LD_PRELOAD='" +
                         POLHODE_FAULTY_CALLS + "' polhode " + job_.command + " -q" + more);
  }

  const Job& job_;
  Workshop work_;
  FolderBytes whole_;
  FolderBytes before_;
  std::string output_;
};
