#include "symbolize/sandbox/sandbox_filter.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "symbolize/machine/machine.h"

namespace gprofx {
namespace {

constexpr uint32_t kWriting =
    O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND | (O_TMPFILE & ~O_DIRECTORY);

// Allows a system call if its argument number `argument`, masked with `mask`, equals `value`. With
// a mask of 0, the call is always allowed.
struct Rule {
  uint32_t call;
  uint32_t argument = 0, mask = 0, value = 0;
};

std::vector<Rule> Rules(Confined what) {
  const bool program = what == Confined::kProgram;
  const uint32_t code = program ? 0 : PROT_EXEC;  // protection bits that no page may have
  std::vector<Rule> rules = {
      {SYS_openat, 2, kWriting, 0}, {SYS_mmap, 2, code, 0}, {SYS_mprotect, 2, code, 0}};
  for (const uint32_t call : kOldOpen) rules.push_back({call, 1, kWriting, 0});
  for (const uint32_t call : kMoreCalls) rules.push_back({call});
  const auto self = static_cast<uint32_t>(getpid());
  // Needed by abort, and by raise in library code.
  for (const uint32_t call : {SYS_kill, SYS_tgkill}) rules.push_back({call, 0, UINT32_MAX, self});
  rules.push_back({SYS_prlimit64, 0, UINT32_MAX, 0});  // only for pid 0, which is this process
  // Allow F_DUPFD, F_GETFD, F_SETFD and F_GETFL, which are 0 to 3. F_SETOWN could make the kernel
  // signal other processes.
  rules.push_back({SYS_fcntl, 1, ~uint32_t{3}, 0});
  for (const uint32_t call : {SYS_read,
                              SYS_pread64,
                              SYS_readv,
                              SYS_write,
                              SYS_writev,
                              SYS_close,
                              SYS_lseek,
                              SYS_fstat,
                              SYS_newfstatat,
                              SYS_statx,
                              SYS_readlinkat,
                              SYS_getcwd,
                              SYS_fadvise64,
                              SYS_munmap,
                              SYS_mremap,
                              SYS_madvise,
                              SYS_brk,
                              SYS_futex,
                              SYS_clock_gettime,
                              SYS_clock_nanosleep,
                              SYS_nanosleep,
                              SYS_gettimeofday,
                              SYS_getrandom,
                              SYS_getpid,
                              SYS_gettid,
                              SYS_sched_yield,
                              SYS_rt_sigaction,
                              SYS_rt_sigprocmask,
                              SYS_rt_sigreturn,
                              SYS_sigaltstack,
                              SYS_sysinfo,
                              SYS_uname,
                              SYS_restart_syscall,
                              SYS_exit,
                              SYS_exit_group})
    rules.push_back({call});
  if (!program) return rules;
  // Calls that the loader and the startup of a C library need.
  for (const uint32_t call : {SYS_execve, SYS_faccessat, SYS_faccessat2, SYS_set_tid_address,
                              SYS_set_robust_list, SYS_rseq})
    rules.push_back({call});
  for (const uint32_t call : kStartCalls) rules.push_back({call});
  return rules;
}

constexpr uint32_t LowWord(uint32_t argument) {
  return offsetof(seccomp_data, args) + argument * sizeof(uint64_t);
}

std::vector<sock_filter> Program(Confined what) {
  constexpr uint16_t kLoad = BPF_LD | BPF_W | BPF_ABS, kReturn = BPF_RET | BPF_K;
  constexpr uint16_t kEqual = BPF_JMP | BPF_JEQ | BPF_K, kAtLeast = BPF_JMP | BPF_JGE | BPF_K;
  constexpr uint16_t kAnd = BPF_ALU | BPF_AND | BPF_K;
  constexpr uint32_t kDeny = SECCOMP_RET_ERRNO | EPERM;
  std::vector<sock_filter> program = {
      BPF_STMT(kLoad, offsetof(seccomp_data, arch)), BPF_JUMP(kEqual, kAuditMachine, 1, 0),
      BPF_STMT(kReturn, SECCOMP_RET_KILL),           BPF_STMT(kLoad, offsetof(seccomp_data, nr)),
      BPF_JUMP(kAtLeast, kFirstForeignCall, 0, 1),   BPF_STMT(kReturn, SECCOMP_RET_KILL),
  };
  for (const Rule& rule : Rules(what)) {
    const sock_filter check[] = {
        BPF_JUMP(kEqual, rule.call, 0, 5),
        BPF_STMT(kLoad, LowWord(rule.argument)),
        BPF_STMT(kAnd, rule.mask),
        BPF_JUMP(kEqual, rule.value, 0, 1),
        BPF_STMT(kReturn, SECCOMP_RET_ALLOW),
        BPF_STMT(kReturn, kDeny),
    };
    program.insert(program.end(), std::begin(check), std::end(check));
  }
  program.push_back(BPF_STMT(kReturn, kDeny));
  return program;
}

}  // namespace

bool RestrictSystemCalls(Confined what) {
  std::vector<sock_filter> program = Program(what);
  const sock_fprog filter = {static_cast<unsigned short>(program.size()), program.data()};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0;
}

}  // namespace gprofx
