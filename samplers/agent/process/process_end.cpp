// Interposed functions that report how much CPU time processes used until their end. Each calls the
// real function and changes nothing that the program can see.
//
//   _exit, _Exit              read the clocks a last time: destructors do not run
//   wait, waitpid, wait3,     only the parent learns all that a child used, including its exit
//   wait4                     in the kernel
#include <dlfcn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "samplers/agent/confinement/limits.h"
#include "samplers/agent/libc/raw_syscall.h"
#include "samplers/agent/process/interpose.h"
#include "samplers/agent/process/late.h"
#include "samplers/agent/process/process.h"
#include "samplers/agent/process/session.h"

#define GPROFX_EXPORT extern "C" __attribute__((visibility("default")))

namespace gprofx::agent {
namespace {

using WaitFunction = pid_t (*)(int*);
using WaitpidFunction = pid_t (*)(pid_t, int*, int);
using Wait3Function = pid_t (*)(int*, int, rusage*);
using Wait4Function = pid_t (*)(pid_t, int*, int, rusage*);
WaitFunction g_wait;
WaitpidFunction g_waitpid;
Wait3Function g_wait3;
Wait4Function g_wait4;
using ExitFunction = void (*)(int);
ExitFunction g_exit, g_exit_too;

// CPU time of all reaped children, in ns, as of the latest one.
std::atomic<int64_t> g_children_ns{0};

// Calls the real wait function and reports the CPU time of the child that it reaped. That time is
// the growth of the total over all reaped children. wait and waitpid do not report it, and calling
// wait4 instead would bypass other tools that interpose them. If several threads wait at the same
// time, only the sum over their children is right.
template <class Call>
pid_t Reap(int* status, Call call) {
  if (!g_session.joined() || !Allowed(kNeedAll)) return call(status);
  int own_status = 0;
  if (status == nullptr) status = &own_status;
  const int64_t before = ChildrenCpuNs();
  const pid_t got = call(status);
  if (got <= 0 || !(WIFEXITED(*status) || WIFSIGNALED(*status))) return got;
  const int64_t after = ChildrenCpuNs();
  const int64_t seen = std::max(before, g_children_ns.exchange(after));
  const InAgent here;  // begins after the wait, during which the recording may have ended
  if (g_session.joined())
    g_session.Note(wire::kNoteReaped, got, g_session.pid(), after > seen ? after - seen : 0);
  return got;
}

[[noreturn]] void End(ExitFunction real, int status) {
  NoteProcessEnd();
  // End by the next definition of the function, because another tool may interpose it.
  if (real != nullptr) real(status);
  while (true) RawSyscall(SYS_exit_group, status);
}

}  // namespace

void ForgetReaped() { g_children_ns.store(0); }

void ResolveWait() {
  g_wait = reinterpret_cast<WaitFunction>(dlsym(RTLD_NEXT, "wait"));
  g_waitpid = reinterpret_cast<WaitpidFunction>(dlsym(RTLD_NEXT, "waitpid"));
  g_wait3 = reinterpret_cast<Wait3Function>(dlsym(RTLD_NEXT, "wait3"));
  g_wait4 = reinterpret_cast<Wait4Function>(dlsym(RTLD_NEXT, "wait4"));
  g_exit = reinterpret_cast<ExitFunction>(dlsym(RTLD_NEXT, "_exit"));
  g_exit_too = reinterpret_cast<ExitFunction>(dlsym(RTLD_NEXT, "_Exit"));
}

GPROFX_EXPORT void _exit(int status) { End(g_exit, status); }
GPROFX_EXPORT void _Exit(int status) noexcept { End(g_exit_too, status); }

GPROFX_EXPORT pid_t wait(int* status) {
  if (g_wait == nullptr) ResolveWait();
  return Reap(status, [](int* to) { return g_wait(to); });
}
GPROFX_EXPORT pid_t waitpid(pid_t pid, int* status, int options) {
  if (g_waitpid == nullptr) ResolveWait();
  return Reap(status, [=](int* to) { return g_waitpid(pid, to, options); });
}
GPROFX_EXPORT pid_t wait3(int* status, int options, rusage* used) noexcept {
  if (g_wait3 == nullptr) ResolveWait();
  return Reap(status, [=](int* to) { return g_wait3(to, options, used); });
}
GPROFX_EXPORT pid_t wait4(pid_t pid, int* status, int options, rusage* used) noexcept {
  if (g_wait4 == nullptr) ResolveWait();
  return Reap(status, [=](int* to) { return g_wait4(pid, to, options, used); });
}

}  // namespace gprofx::agent
