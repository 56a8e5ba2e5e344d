// Interposed functions that tell how much CPU time processes used, to the end. Each does what the
// real one does, and nothing else that the program can see.
//
//   _exit, _Exit              the last look at the clocks: destructors do not run
//   wait, waitpid, wait3,     the parent alone learns all that a child used, its end in the kernel
//   wait4                     included
#include <dlfcn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "samplers/agent/interpose.h"
#include "samplers/agent/process.h"
#include "samplers/agent/raw_syscall.h"
#include "samplers/agent/session.h"

#define GPROFX_EXPORT extern "C" __attribute__((visibility("default")))

namespace gprofx::agent {
namespace {

using WaitFunction = pid_t (*)(pid_t, int*, int, rusage*);
WaitFunction g_wait4;
using ExitFunction = void (*)(int);
ExitFunction g_exit, g_exit_too;

int64_t Nanoseconds(const timeval& t) {
  return t.tv_sec * int64_t{1000000000} + t.tv_usec * int64_t{1000};
}

pid_t Wait(pid_t pid, int* status, int options, rusage* used) {
  if (g_wait4 == nullptr) ResolveWait();
  if (!g_session.joined()) return g_wait4(pid, status, options, used);
  int own_status = 0;
  rusage own_used{};
  if (status == nullptr) status = &own_status;
  if (used == nullptr) used = &own_used;
  const pid_t got = g_wait4(pid, status, options, used);
  if (got > 0 && (WIFEXITED(*status) || WIFSIGNALED(*status))) {
    g_session.Note(wire::kNoteReaped, got, g_session.pid(),
                   Nanoseconds(used->ru_utime) + Nanoseconds(used->ru_stime));
  }
  return got;
}

[[noreturn]] void End(ExitFunction real, int status) {
  NoteProcessEnd();
  if (real != nullptr) real(status);  // another tool may listen there
  while (true) RawSyscall(SYS_exit_group, status);
}

}  // namespace

void ResolveWait() {
  g_wait4 = reinterpret_cast<WaitFunction>(dlsym(RTLD_NEXT, "wait4"));
  g_exit = reinterpret_cast<ExitFunction>(dlsym(RTLD_NEXT, "_exit"));
  g_exit_too = reinterpret_cast<ExitFunction>(dlsym(RTLD_NEXT, "_Exit"));
}

GPROFX_EXPORT void _exit(int status) { End(g_exit, status); }
GPROFX_EXPORT void _Exit(int status) noexcept { End(g_exit_too, status); }

GPROFX_EXPORT pid_t wait(int* status) { return Wait(-1, status, 0, nullptr); }
GPROFX_EXPORT pid_t waitpid(pid_t pid, int* status, int options) {
  return Wait(pid, status, options, nullptr);
}
GPROFX_EXPORT pid_t wait3(int* status, int options, rusage* used) noexcept {
  return Wait(-1, status, options, used);
}
GPROFX_EXPORT pid_t wait4(pid_t pid, int* status, int options, rusage* used) noexcept {
  return Wait(pid, status, options, used);
}

}  // namespace gprofx::agent
