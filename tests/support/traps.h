#pragma once

#include <unistd.h>

#include <cfenv>
#include <csignal>
#include <cstdio>
#include <string>

/// Floating-point traps: while one of these lives, the first division by zero, overflow or NaN made of numbers ends the
/// program with exit code 1 and a line that names the scene. Where the system or the processor knows no traps, the
/// flags remain to be asked: `clean()`.
namespace polhode::test {

class Traps {
 public:
  static constexpr int kKinds = FE_DIVBYZERO | FE_OVERFLOW | FE_INVALID;

  explicit Traps(const std::string& scene) {
    std::snprintf(text(), kTextSize, "floating-point trap in: %s\n", scene.c_str());
    before_ = std::signal(SIGFPE, report);
    std::feclearexcept(FE_ALL_EXCEPT);
#ifdef __GLIBC__
    on_ = feenableexcept(kKinds) != -1;
#endif
  }
  ~Traps() {
#ifdef __GLIBC__
    fedisableexcept(kKinds);
#endif
    std::signal(SIGFPE, before_);
  }
  Traps(const Traps&) = delete;
  Traps& operator=(const Traps&) = delete;

  bool on() const { return on_; }
  bool clean() const { return std::fetestexcept(kKinds) == 0; }

 private:
  static constexpr std::size_t kTextSize = 200;
  static char* text() {
    static char buffer[kTextSize];
    return buffer;
  }
  static void report(int) {
    std::size_t length = 0;
    while (length < kTextSize && text()[length] != '\0') { ++length; }
    static_cast<void>(!write(STDERR_FILENO, text(), length));
    _exit(1);
  }

  void (*before_)(int) = nullptr;
  bool on_ = false;
};

}  // namespace polhode::test
