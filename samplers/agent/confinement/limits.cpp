#include "samplers/agent/confinement/limits.h"

#include <linux/perf_event.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>

#include <atomic>

#include "samplers/agent/confinement/seccomp_filter.h"
#include "samplers/wire/machine/machine.h"

namespace gprofx::agent {
namespace {

std::atomic<uint32_t> g_allowed{kNeeds};

// A system call that the agent makes, with its arguments. Pointers and descriptors vary, so they
// are 0 here. The agent assumes that a filter which checks them gives the same answer for all
// values.
struct Probe {
  Need need;
  int number;
  uint64_t a = 0, b = 0, c = 0, d = 0;
};

constexpr Probe kProbes[] = {
    {kNeedReturn, SYS_rt_sigreturn},
    {kNeedClock, SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID},
    {kNeedThread, SYS_gettid},
    {kNeedThread, SYS_getpid},
    {kNeedThread, SYS_getrusage},
    {kNeedThread, SYS_prctl, PR_GET_NAME},
    {kNeedThread, SYS_mprotect},
    {kNeedTimers, SYS_timer_create},
    {kNeedTimers, SYS_timer_settime},
    {kNeedTimers, SYS_timer_delete},
    {kNeedPerf, SYS_perf_event_open, 0, 0, ~uint64_t{0}, ~uint64_t{0}},
    {kNeedPerf, SYS_fcntl},
    {kNeedPerf, SYS_socket, AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK},
    {kNeedPerf, SYS_sendmsg},
    {kNeedPerf, SYS_close},
    {kNeedPerf, SYS_getrusage, RUSAGE_THREAD},
    {kNeedMask, SYS_rt_sigprocmask, SIG_BLOCK},
    {kNeedMask, SYS_rt_sigprocmask, SIG_UNBLOCK},
    {kNeedMask, SYS_rt_sigprocmask, SIG_SETMASK},
    {kNeedActions, SYS_rt_sigaction, SIGSEGV},
    {kNeedCopies, SYS_process_vm_readv},
    {kNeedCopies, SYS_getpid},
    {kNeedFiles, SYS_openat},
    {kNeedFiles, SYS_read},
    {kNeedFiles, SYS_pread64},
    {kNeedFiles, SYS_newfstatat},
    {kNeedFiles, SYS_fstat},
    {kNeedFiles, SYS_close},
    {kNeedFiles, SYS_faccessat},
    {kNeedFiles, SYS_mmap},
    {kNeedFiles, SYS_mprotect},
    {kNeedFiles, SYS_mremap},
    {kNeedFiles, SYS_munmap},
    {kNeedFiles, SYS_prlimit64},
    {kNeedFiles, SYS_madvise},
    {kNeedFiles, SYS_getpid},
    {kNeedFiles, SYS_getppid},
    {kNeedFiles, SYS_readlinkat},
    {kNeedLook, SYS_newfstatat},
    {kNeedLook, SYS_openat},
    {kNeedLook, SYS_pread64},
    {kNeedLook, SYS_faccessat},
    {kNeedLook, SYS_fgetxattr},
    {kNeedLook, SYS_close},
    {kNeedLook, SYS_getuid},
    {kNeedLook, SYS_geteuid},
    {kNeedLook, SYS_getgid},
    {kNeedLook, SYS_getegid},
    {kNeedLook, SYS_getpid},
    {kNeedLook, SYS_prctl, PR_GET_NO_NEW_PRIVS},
    {kNeedLook, SYS_socket, AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK},
    {kNeedLook, SYS_bind},
    {kNeedLook, SYS_connect},
    {kNeedLook, SYS_sendmsg},
    {kNeedLook, SYS_setsockopt},
    {kNeedLook, SYS_ppoll},
    {kNeedLook, SYS_recvmsg},
    {kNeedSignalStack, SYS_sigaltstack},
    {kNeedSignalStack, SYS_gettid},
    {kNeedSignalStack, SYS_mmap},
    {kNeedSignalStack, SYS_mprotect},
    {kNeedStopPerf, SYS_prctl, PR_TASK_PERF_EVENTS_DISABLE},
    {kNeedReaders, SYS_rt_sigtimedwait},
    {kNeedReaders, SYS_rt_sigqueueinfo},
    {kNeedReaders, SYS_rt_tgsigqueueinfo},
    {kNeedReaders, SYS_nanosleep},
    {kNeedFence, SYS_membarrier},
    {kNeedKill, SYS_kill},
    {kNeedKill, SYS_sched_yield},
};

}  // namespace

bool Allowed(uint32_t needs) {
  return (g_allowed.load(std::memory_order_relaxed) & needs) == needs;
}

uint32_t NeedsThatPass(const sock_filter* program, uint32_t length) {
  uint32_t passed = kNeeds;
  for (const Probe& probe : kProbes) {
    seccomp_data call{};
    call.nr = probe.number;
    call.arch = wire::kAuditMachine;
    call.args[0] = probe.a;
    call.args[1] = probe.b;
    call.args[2] = probe.c;
    call.args[3] = probe.d;
    if (!LetsThrough(RunSeccompFilter(program, length, call))) passed &= ~uint32_t{probe.need};
  }
  return passed;
}

uint32_t Restrict(uint32_t allowed) { return g_allowed.fetch_and(allowed); }

void LiftRestriction(uint32_t before) { g_allowed.store(before); }

}  // namespace gprofx::agent
