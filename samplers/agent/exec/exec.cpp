// Interposes execve, its relatives and posix_spawn. Each wrapper calls the real function once. It
// passes the environment on unchanged, with two exceptions:
//
//  - If our entry in LD_PRELOAD would make the new program's loader complain or end the program,
//    the wrapper passes a copy without that entry.
//  - If a script replaced LD_PRELOAD with its own value (an allocator), the wrapper passes a copy
//    with our entries appended.
//
// This code runs in vfork children, which share the memory of the suspended parent. The copy of the
// environment is therefore on the stack, and the only other write is the count in shared memory.
// Programs that libc starts internally (system, popen) do not pass through here.
#include "samplers/agent/exec/exec.h"

#include <alloca.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

#include "samplers/agent/confinement/limits.h"
#include "samplers/agent/exec/exec_target.h"
#include "samplers/agent/libc/real_function.h"
#include "samplers/agent/process/process.h"
#include "samplers/agent/process/session.h"

#define GPROFX_EXPORT extern "C" __attribute__((visibility("default")))

namespace gprofx::agent {
namespace {

using Strings = char* const*;
using ExecFunction = int (*)(const char*, Strings, Strings);
using ExecFdFunction = int (*)(int, Strings, Strings);
using ExecAtFunction = int (*)(int, const char*, Strings, Strings, int);
using SpawnFunction = int (*)(pid_t*, const char*, const posix_spawn_file_actions_t*,
                              const posix_spawnattr_t*, Strings, Strings);

ExecFunction g_execve, g_execvpe;
ExecFdFunction g_fexecve;
ExecAtFunction g_execveat;
SpawnFunction g_spawn, g_spawnp;

// Our entries of LD_PRELOAD, as they were when the agent was loaded. vfork children read them.
char g_own_entries[kPathRoom];

struct Target {  // arguments of execveat(2)
  int folder;
  const char* path;  // null: the program was not found, and nothing is known about it
  int flags;
  const char* name;  // name under which the program is counted
};

bool Opens(const char* agent) {
  const size_t bytes = std::strcspn(agent, " :");
  char path[kPathRoom];
  if (bytes >= sizeof path) return true;
  std::memcpy(path, agent, bytes);
  path[bytes] = 0;
  return access(path, R_OK) == 0;
}

ExecPlan PlanFor(const Target& target, const EnvironmentFacts& environment) {
  ExecFacts facts;
  facts.preloaded = environment.agent != nullptr;
  facts.replaced = !facts.preloaded && environment.preload != nullptr &&
                   environment.preload[0] != 0 && g_own_entries[0] != 0;
  facts.session = environment.session;
  facts.confined = environment.confined;
  facts.valgrind = environment.valgrind;
  if (target.path != nullptr) facts.target = LookAt(target.folder, target.path, target.flags);
  const char* agent = facts.replaced ? g_own_entries : environment.agent;
  facts.agent_opens =
      agent == nullptr ||
      (Opens(agent) && (g_session.InCollectorsRoot() || facts.target.musl || LibrariesOpen()));
  facts.reachable = g_session.attached() && CanReach(g_session.name());
  return Decide(facts);
}

// Calls `start` with the environment for the new program and returns its result: 0 if the program
// was started (posix_spawn), nonzero if it was not.
template <class Start>
int StartProgram(const Target& target, Strings environment, bool is_child, Start start) {
  const int saved = errno;
  const EnvironmentFacts facts = ReadEnvironment(environment);
  // If a seccomp filter forbids reading the program file, the file is not examined. The program
  // counts as confined, because the filter would keep the agent from working there.
  const bool may_look = Allowed(kNeedLook);
  ExecPlan plan = may_look ? PlanFor(target, facts)
                           : ExecPlan{.counted = true, .reason = wire::NotSampled::kConfined};
  if (plan.strip || plan.add) {
    const char* own = plan.add ? g_own_entries : "";
    if (const size_t bytes = ChangedBytes(facts, own); bytes != 0) {
      environment = WriteChanged(environment, facts, own, alloca(bytes));
    } else if (plan.add) {
      plan = {.counted = true, .reason = wire::NotSampled::kCleared};
    }
  }
  std::atomic<int64_t>* counted = nullptr;
  const pid_t caller = !is_child && may_look ? getpid() : -1;
  if (plan.counted && g_session.attached() && g_session.follows(caller)) {
    counted = g_session.CountNotSampled(plan.reason, target.name);
  }
  if (!is_child) {
    g_session.Replaced(false);
    NoteUnsampledExec(plan.counted);
  }
  errno = saved;
  const int result = start(environment);
  if (result != 0 && counted != nullptr) counted->fetch_sub(1, std::memory_order_relaxed);
  if (!is_child) {
    g_session.Replaced(true);
    NoteUnsampledExec(false);
  }
  return result;
}

int Execve(const char* path, Strings arguments, Strings environment) {
  return StartProgram({AT_FDCWD, path, 0, path}, environment, false, [&](Strings changed) {
    NoteExec();
    return Real(g_execve, "execve")(path, arguments, changed);
  });
}

int Execvpe(const char* file, Strings arguments, Strings environment) {
  char room[kPathRoom];
  const char* path = Allowed(kNeedLook) ? FindInPath(file, getenv("PATH"), room) : nullptr;
  return StartProgram({AT_FDCWD, path, 0, file}, environment, false, [&](Strings changed) {
    NoteExec();
    return Real(g_execvpe, "execvpe")(file, arguments, changed);
  });
}

// CountArguments returns the number of arguments of execl or a relative, `first` included.
// CopyArguments writes them to `room` as a null-terminated array.
size_t CountArguments(const char* first, va_list rest) {
  va_list list;
  va_copy(list, rest);
  size_t n = 0;
  for (const char* a = first; a != nullptr; a = va_arg(list, const char*)) ++n;
  va_end(list);
  return n;
}

void CopyArguments(const char* first, va_list* rest, char** room) {
  for (const char* a = first; a != nullptr; a = va_arg(*rest, const char*)) {
    *room++ = const_cast<char*>(a);
  }
  *room = nullptr;
}

}  // namespace

void PrepareExecFunctions() {
  CopyOwnEntries(getenv("LD_PRELOAD"), g_own_entries);
  Real(g_execve, "execve");
  Real(g_execvpe, "execvpe");
  Real(g_fexecve, "fexecve");
  Real(g_execveat, "execveat");
  Real(g_spawn, "posix_spawn");
  Real(g_spawnp, "posix_spawnp");
}

GPROFX_EXPORT int execve(const char* path, Strings arguments, Strings environment) noexcept {
  return Execve(path, arguments, environment);
}
GPROFX_EXPORT int execv(const char* path, Strings arguments) noexcept {
  return Execve(path, arguments, environ);
}
GPROFX_EXPORT int execvp(const char* file, Strings arguments) noexcept {
  return Execvpe(file, arguments, environ);
}
GPROFX_EXPORT int execvpe(const char* file, Strings arguments, Strings environment) noexcept {
  return Execvpe(file, arguments, environment);
}

GPROFX_EXPORT int execl(const char* path, const char* first, ...) noexcept {
  va_list rest;
  va_start(rest, first);
  auto** arguments = static_cast<char**>(alloca((CountArguments(first, rest) + 1) * sizeof(char*)));
  CopyArguments(first, &rest, arguments);
  va_end(rest);
  return Execve(path, arguments, environ);
}

GPROFX_EXPORT int execlp(const char* file, const char* first, ...) noexcept {
  va_list rest;
  va_start(rest, first);
  auto** arguments = static_cast<char**>(alloca((CountArguments(first, rest) + 1) * sizeof(char*)));
  CopyArguments(first, &rest, arguments);
  va_end(rest);
  return Execvpe(file, arguments, environ);
}

GPROFX_EXPORT int execle(const char* path, const char* first, ...) noexcept {
  va_list rest;
  va_start(rest, first);
  auto** arguments = static_cast<char**>(alloca((CountArguments(first, rest) + 1) * sizeof(char*)));
  CopyArguments(first, &rest, arguments);
  Strings environment = va_arg(rest, Strings);
  va_end(rest);
  return Execve(path, arguments, environment);
}

// A program may be started without any argument, although libc declares that there is always one.
// Keep this test out of line, where the compiler cannot use that declaration.
__attribute__((noinline)) const char* FirstOf(Strings arguments) {
  return arguments != nullptr ? arguments[0] : nullptr;
}

GPROFX_EXPORT int fexecve(int fd, Strings arguments, Strings environment) noexcept {
  return StartProgram({fd, "", AT_EMPTY_PATH, FirstOf(arguments)}, environment, false,
                      [&](Strings changed) {
                        NoteExec();
                        return Real(g_fexecve, "fexecve")(fd, arguments, changed);
                      });
}

GPROFX_EXPORT int execveat(int folder, const char* path, Strings arguments, Strings environment,
                           int flags) noexcept {
  return StartProgram({folder, path, flags, path}, environment, false, [&](Strings changed) {
    NoteExec();
    if (auto real = Real(g_execveat, "execveat"))
      return real(folder, path, arguments, changed, flags);
    return static_cast<int>(syscall(SYS_execveat, folder, path, arguments, changed, flags));
  });
}

GPROFX_EXPORT int posix_spawn(pid_t* pid, const char* path,
                              const posix_spawn_file_actions_t* actions,
                              const posix_spawnattr_t* attributes, Strings arguments,
                              Strings environment) {
  return StartProgram({AT_FDCWD, path, 0, path}, environment, true, [&](Strings changed) {
    return Real(g_spawn, "posix_spawn")(pid, path, actions, attributes, arguments, changed);
  });
}

GPROFX_EXPORT int posix_spawnp(pid_t* pid, const char* file,
                               const posix_spawn_file_actions_t* actions,
                               const posix_spawnattr_t* attributes, Strings arguments,
                               Strings environment) {
  char room[kPathRoom];
  const char* path = Allowed(kNeedLook) ? FindInPath(file, getenv("PATH"), room) : nullptr;
  return StartProgram({AT_FDCWD, path, 0, file}, environment, true, [&](Strings changed) {
    return Real(g_spawnp, "posix_spawnp")(pid, file, actions, attributes, arguments, changed);
  });
}

}  // namespace gprofx::agent
