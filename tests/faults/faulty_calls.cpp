// Loaded in front of a program (LD_PRELOAD), makes one of its calls to the system fail, or ends the program there.
//
//   POLHODE_FAULT        write | fsync | rename | open | close | read | any: the calls that are counted
//   POLHODE_FAULT_AT     n: the n-th of them, from 1; 0 or more than there are: none
//   POLHODE_FAULT_ERROR  a number of errno: what it fails with; 0: the program is killed (SIGKILL) in its place
//   POLHODE_FAULT_LASTS  1: all that follow fail too, as on a full disk
//   POLHODE_FAULT_TALLY  a file that gets the number of calls counted, where the program comes to its end
//
// A filter in the kernel hands the calls over, whoever makes them: also the C library on behalf of fwrite, which a
// replaced write() would not see. Writes to standard error are left alone. A write that fails or is killed has written
// the first half of its bytes.
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

/// The sixth argument of a call that is ours: none of the counted calls has one.
constexpr std::uint64_t kOurs = 0x504f4c484f4445ULL;
constexpr const char* kKinds[] = {"write", "fsync", "rename", "open", "close", "read"};
enum Kind { kWrite, kFsync, kRename, kOpen, kClose, kRead };

struct Counted {
  int number;
  Kind kind;
};
constexpr Counted kCounted[] = {
    {SYS_write, kWrite},      {SYS_writev, kWrite},    {SYS_pwrite64, kWrite}, {SYS_fsync, kFsync},
    {SYS_fdatasync, kFsync},  {SYS_renameat, kRename}, {SYS_openat, kOpen},    {SYS_close, kClose},
    {SYS_read, kRead},        {SYS_pread64, kRead},
#ifdef SYS_rename
    {SYS_rename, kRename},    {SYS_open, kOpen},
#endif
#ifdef SYS_renameat2
    {SYS_renameat2, kRename},
#endif
};

const char* wanted_kind = "";
long wanted_number = 0;
int wanted_error = 0;
bool lasts = false;
std::atomic<long> counted{0};

long number_from(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? 0 : std::atol(text);
}

/// Returns -errno, as the kernel does.
long make_call(long number, const long* arguments) {
  const long result = syscall(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], kOurs);
  return result == -1 ? -errno : result;
}

bool is_wanted(Kind kind) {
  return std::strcmp(wanted_kind, "any") == 0 || std::strcmp(wanted_kind, kKinds[kind]) == 0;
}

long with_fault(long number, const long* arguments) {
  const Counted* found = nullptr;
  for (const Counted& one : kCounted) {
    if (one.number == number) { found = &one; }
  }
  // a disk that is full does not keep a terminal from showing what is said about it
  const bool is_talk = found != nullptr && found->kind == kWrite && arguments[0] == STDERR_FILENO;
  if (found == nullptr || is_talk || !is_wanted(found->kind)) { return make_call(number, arguments); }
  const long now = ++counted;
  if (now < wanted_number || wanted_number == 0 || (now > wanted_number && !lasts)) {
    return make_call(number, arguments);
  }
  const bool in_pieces = number == SYS_write || number == SYS_pwrite64;
  if (in_pieces && now == wanted_number && arguments[2] > 1) {
    const long half[] = {arguments[0], arguments[1], arguments[2] / 2, arguments[3], 0};
    make_call(number, half);
  }
  if (wanted_error == 0) { raise(SIGKILL); }
  if (found->kind == kClose) { make_call(number, arguments); }  // closed all the same, as Linux does
  return -wanted_error;
}

void on_call(int /*signal*/, siginfo_t* info, void* context) {
  const int before = errno;
  auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  auto& r = registers.gregs;
  const long arguments[] = {r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8]};
  r[REG_RAX] = with_fault(info->si_syscall, arguments);
#elif defined(__aarch64__)
  auto& r = registers.regs;
  const long arguments[] = {static_cast<long>(r[0]), static_cast<long>(r[1]), static_cast<long>(r[2]),
                            static_cast<long>(r[3]), static_cast<long>(r[4])};
  r[0] = static_cast<unsigned long>(with_fault(info->si_syscall, arguments));
#endif
  errno = before;
}

/// Before main(), after the loader.
__attribute__((constructor)) void begin() {
  const char* kind = std::getenv("POLHODE_FAULT");
  if (kind == nullptr) { return; }
  wanted_kind = kind;
  wanted_number = number_from("POLHODE_FAULT_AT");
  wanted_error = static_cast<int>(number_from("POLHODE_FAULT_ERROR"));
  lasts = number_from("POLHODE_FAULT_LASTS") != 0;

  struct sigaction action = {};
  action.sa_sigaction = on_call;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGSYS, &action, nullptr);

  constexpr std::size_t kCount = sizeof kCounted / sizeof *kCounted;
  constexpr std::uint32_t kLow = static_cast<std::uint32_t>(kOurs);
  constexpr std::uint32_t kHigh = static_cast<std::uint32_t>(kOurs >> 32U);
  constexpr std::uint32_t kSixth = offsetof(seccomp_data, args) + 5 * sizeof(std::uint64_t);
  sock_filter program[kCount + 8];
  std::size_t n = 0;
  program[n++] = BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kSixth);
  program[n++] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kLow, 0, 3);
  program[n++] = BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kSixth + 4);
  program[n++] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kHigh, 0, 1);
  program[n++] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  program[n++] = BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
  for (std::size_t i = 0; i < kCount; ++i) {
    const auto past = static_cast<std::uint8_t>(kCount - i);
    program[n++] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(kCounted[i].number), past, 0);
  }
  program[n++] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  program[n++] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
  const sock_fprog filter{static_cast<unsigned short>(n), program};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
    std::fputs("faulty_calls: this system takes no filter of calls\n", stderr);
    _exit(99);
  }
}

__attribute__((destructor)) void end() {
  const char* name = std::getenv("POLHODE_FAULT_TALLY");
  if (name == nullptr) { return; }
  const long all = counted;
  wanted_number = 0;
  if (std::FILE* tally = std::fopen(name, "w")) {
    std::fprintf(tally, "%ld\n", all);
    std::fclose(tally);
  }
}

}  // namespace
