// What a command leaves behind when the system fails it: every call that writes, opens, renames, closes or reads fails
// once, and every one is the last before a kill. A sample of the calls; all of them with POLHODE_LONG=1.
#include "faulty_run.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <random>

namespace {

bool all_wanted() { return std::getenv("POLHODE_LONG") != nullptr; }

/// Numbers of calls from 1 to `count` that are tried: all, or the first, the last, and `few` drawn between.
std::vector<long> tried_calls(long count, int few, std::mt19937_64& bits) {
  std::vector<long> list;
  if (all_wanted()) {
    for (long n = 1; n <= count; ++n) { list.push_back(n); }
    return list;
  }
  list = {1, count};
  for (int i = 0; i < few && count > 2; ++i) {
    list.push_back(2 + static_cast<long>(bits() % static_cast<unsigned long>(count - 2)));
  }
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

/// Of what the folder holds under final names, what is neither whole nor told to be unfinished; "" where all is well.
std::string what_is_wrong(const FolderBytes& found, const FolderBytes& whole, const FolderBytes& before) {
  for (const auto& [name, bytes] : found) {
    if (is_part(name)) { continue; }
    const auto right = whole.find(name);
    if (right != whole.end() && right->second == bytes) { continue; }
    if (const auto old = before.find(name); old != before.end() && old->second == bytes) { continue; }
    if (is_log(name)) {
      // frames with checksums: what is there is where the whole log begins (of a sweep no log is left to compare with)
      if (right == whole.end() || right->second.starts_with(bytes)) { continue; }
      return name + " is not the beginning of the whole log";
    }
    if (name != "manifest.json") { return name + " is not whole"; }
    const auto manifest = nlohmann::json::parse(bytes, nullptr, false);
    if (manifest.is_discarded()) { return "manifest.json cannot be read"; }
    // a sweep takes its log out of the list after all else
    if (manifest.at("finished") && whole.contains("run.plog")) { return "manifest.json says finished"; }
  }
  return "";
}

struct Fault {
  const char* calls;
  int error;
  bool lasts;
  int few;  ///< calls between the first and the last that the short version tries
};
constexpr Fault kFaults[] = {{"write", ENOSPC, true, 1}, {"write", EIO, false, 1},   {"fsync", EIO, false, 1},
                             {"rename", EIO, false, 1},  {"open", ENOSPC, false, 2}, {"open", EMFILE, false, 1},
                             {"close", EIO, false, 1},   {"read", EIO, false, 1}};

}  // namespace

TEST_CASE("a call that fails is told in one line with its cause, nothing half is left, and doing it again mends it") {
  std::mt19937_64 bits(4);
  for (const Job& job : kJobs) {
    CAPTURE(std::string(job.name));
    const FaultyRun faulty(job);
    for (const Fault& fault : kFaults) {
      CAPTURE(std::string(fault.calls));
      CAPTURE(fault.error);
      const long count = faulty.calls(fault.calls);
      REQUIRE(count > 0);
      for (const long n : tried_calls(count, fault.few, bits)) {
        CAPTURE(n);
        faulty.prepare();
        const Workshop::Result result = faulty.with_fault(fault.calls, n, fault.error, fault.lasts);
        CAPTURE(result.err);
        const FolderBytes found = faulty.folder();
        if (result.status == 0) {  // what failed was not needed: a file that was closed after reading
          CHECK(found == faulty.whole());
          CHECK(result.out == faulty.output());
          continue;
        }
        // 2: the input is wrong, or cannot be read
        CHECK(result.status == (result.err.starts_with("polhode: cannot read ") ? 2 : 1));
        CHECK(result.err.starts_with("polhode: "));
        CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
        CHECK(result.err.find(std::strerror(fault.error)) != std::string::npos);
        CHECK(result.err.find('/') + result.err.find('\'') != 2 * std::string::npos);  // a file is named
        CHECK(what_is_wrong(found, faulty.whole(), faulty.before()) == "");
        CHECK(std::none_of(found.begin(), found.end(), [](const auto& file) { return is_part(file.first); }));
        const Workshop::Result again = faulty.again();
        CAPTURE(again.err);
        CHECK(again.status == 0);
        CHECK(again.out == faulty.output());
        CHECK(faulty.folder() == faulty.whole());
      }
    }
  }
}

TEST_CASE("a command that is killed at any call goes on to the same bytes as an undisturbed one") {
  std::mt19937_64 bits(9);
  for (const Job& job : kJobs) {
    CAPTURE(std::string(job.name));
    const FaultyRun faulty(job);
    const long count = faulty.calls("any");
    REQUIRE(count > 0);
    for (const long n : tried_calls(count, 2, bits)) {
      CAPTURE(n);
      faulty.prepare();
      const Workshop::Result killed = faulty.with_fault("any", n, 0, false);
      CHECK(killed.status == 128 + 9);
      CHECK(what_is_wrong(faulty.folder(), faulty.whole(), faulty.before()) == "");
      const Workshop::Result again = faulty.again();
      CAPTURE(again.err);
      CHECK(again.status == 0);
      CHECK(again.out == faulty.output());
      CHECK(faulty.folder() == faulty.whole());
    }
  }
}

TEST_CASE("a command that is killed over and over comes to its end with the same bytes") {
  std::mt19937_64 bits(16);
  const int times = all_wanted() ? 20 : 1;
  for (const Job& job : kJobs) {
    if (job.resume == nullptr) { continue; }
    CAPTURE(std::string(job.name));
    const FaultyRun faulty(job);
    const auto count = static_cast<unsigned long>(faulty.calls("any"));
    for (int time = 0; time < times; ++time) {
      faulty.prepare();
      Workshop::Result last = faulty.with_fault("any", static_cast<long>(count / 2 + bits() % (count / 2)), 0, false);
      // the later the kill, the more is there already: with a kill behind the last call the command comes to its end
      int kills = 1;
      for (; last.status == 128 + 9 && kills < 100; ++kills) {
        last = faulty.again_with_fault("any", static_cast<long>(30 + bits() % count), 0);
      }
      CAPTURE(last.err);
      CHECK(kills > 1);
      CHECK(last.status == 0);
      CHECK(last.out == faulty.output());
      CHECK(faulty.folder() == faulty.whole());
    }
  }
}

TEST_CASE("a sweep that is killed has lost no row that it had finished") {
  const Job& job = *std::find_if(std::begin(kJobs), std::end(kJobs),
                                 [](const Job& one) { return std::string_view(one.name) == "sweep"; });
  const FaultyRun faulty(job);
  const long count = faulty.calls("write");
  std::vector<int> kept;  // rows that are gone on with, by the write at which the sweep was killed
  for (long n = 1; n <= count; ++n) {
    faulty.prepare();
    CHECK(faulty.with_fault("write", n, 0, false).status == 128 + 9);
    const Workshop::Result again = faulty.again("");
    CHECK(again.status == 0);
    const std::size_t at = again.err.find("Going on with ");
    kept.push_back(at == std::string::npos ? 0 : std::stoi(again.err.substr(at + 14)));
  }
  // one by one: a row is there before anything of the next is written; all of them, until the table is finished
  const auto all = std::find(kept.rbegin(), kept.rend(), 6).base();
  REQUIRE(all - kept.begin() > 6);
  CHECK(kept.front() == 0);
  for (auto one = kept.begin() + 1; one != all; ++one) {
    CHECK(*one >= *(one - 1));
    CHECK(*one <= *(one - 1) + 1);
  }
  CHECK(kept.end() - all <= 3);  // the manifest without the log, and what is printed
}

TEST_CASE("a twin that writes straight to the final name is caught") {
  const FolderBytes whole{{"results.csv", "1,2\n3,4\n"}, {"run.plog", "PLHDabc"}};
  CHECK(what_is_wrong(whole, whole, {}) == "");
  CHECK(what_is_wrong({{"results.csv.polhode-part", "1,"}}, whole, {}) == "");
  CHECK(what_is_wrong({{"results.csv", "1,2\n"}}, whole, {}) == "results.csv is not whole");
  CHECK(what_is_wrong({{"results.csv", "old"}}, whole, {{"results.csv", "old"}}) == "");
  CHECK(what_is_wrong({{"run.plog", "PLHDa"}}, whole, {}) == "");
  CHECK(what_is_wrong({{"run.plog", "PLHDx"}}, whole, {}) == "run.plog is not the beginning of the whole log");
  CHECK(what_is_wrong({{"manifest.json", "{\"fin"}}, whole, {}) == "manifest.json cannot be read");
  CHECK(what_is_wrong({{"manifest.json", "{\"finished\":true}"}}, whole, {}) == "manifest.json says finished");
}
