// Interposes prctl(2), and handles seccomp requests that are made through syscall(2). The agent
// must prepare before the program gives up system calls (limits.h). Each wrapper calls the real
// function exactly once with the program's arguments.
//
// The wrapper of prctl(2) also records the names that threads set, and the threads whose system
// calls are dispatched to the program (dispatch.h).
//
// libseccomp installs its filters through syscall(2). A filter that is installed by an inlined
// system call is not noticed.
#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cstddef>

#include "samplers/agent/calls/call_loads.h"
#include "samplers/agent/calls/waits.h"
#include "samplers/agent/confinement/limits.h"
#include "samplers/agent/machine/machine.h"
#include "samplers/agent/process/clock.h"
#include "samplers/agent/process/late.h"
#include "samplers/agent/process/process.h"
#include "samplers/agent/process/session.h"
#include "samplers/agent/process/timers.h"
#include "samplers/agent/signals/dispatch.h"
#include "samplers/agent/signals/syscall_front.h"
#include "samplers/agent/stacks/sampler.h"
#include "samplers/agent/stacks/scratch.h"

namespace gprofx::agent {
namespace {

// Returns the number of instructions in the filter that `fprog`, a sock_fprog, describes, and sets
// *program to the first one. Returns 0 if the filter cannot be read. The kernel reports the error
// later.
uint32_t LengthOf(uint64_t fprog, const sock_filter** program) {
  uint16_t length = 0;
  uint64_t address = 0, last = 0;
  if (!SafeLoad(fprog, &length) || !SafeLoad(fprog + offsetof(sock_fprog, filter), &address) ||
      length == 0 || length > BPF_MAXINSNS)
    return 0;
  for (uint32_t i = 0; i < length; ++i) {
    if (!SafeLoad(address + i * sizeof(sock_filter), &last)) return 0;
  }
  *program = reinterpret_cast<const sock_filter*>(address);
  return length;
}

uint32_t AllowedBy(uint64_t fprog) {
  ThreadState* state = CurrentThread();
  const Scratch scratch(state, __builtin_frame_address(0));
  if (!scratch) return 0;
  const CallLoads loads(state);
  const sock_filter* program = nullptr;
  const uint32_t length = LengthOf(fprog, &program);
  return length != 0 ? NeedsThatPass(program, length) : kNeedAll;
}

// Keeps programs that are started from now on from joining the recording. Under the filter, their
// first system calls could kill them. Overwrites the first byte of the session variable in our own
// environment.
void ForbidJoining() {
  char* session = getenv(wire::kSessionVariable);
  if (session != nullptr && *session != 0) *session = '!';
}

// Prepares for a seccomp restriction, then calls `enter`, which makes the program's system call.
// Undoes the preparation if that call fails. Returns its result.
template <class Enter>
long Confine(bool strict, bool all_threads, uint64_t fprog, Enter enter) {
  const InAgent here;
  JoinPostponed();  // otherwise the timer of a fork child that has not joined would continue
  const uint32_t allowed = strict ? 0 : AllowedBy(fprog);
  const bool sampled = CurrentThread() != nullptr;
  const bool stop = (allowed & kNeedSampling) != kNeedSampling;
  // A thread that cannot stop its perf event later must not keep one.
  if (sampled && (allowed & kNeedStopPerf) == 0 && Allowed(kNeedReaders))
    EndPerfEvent(CurrentThread());
  if (stop && sampled) StopThisThread();
  if (stop && all_threads) StopOtherThreads();
  const uint32_t before = Restrict(strict ? kNeedAll : allowed);
  if (all_threads) WaitForLook();
  const long result = enter();
  if (result < 0) {
    LiftRestriction(before);
    if (stop && sampled) StartThisThread(ClaimThread(), ThreadCpuNs());
  } else if (!strict && !Allowed(kNeedFiles | kNeedActions | kNeedNewThread | kNeedSignalStack)) {
    ForbidJoining();
  }
  return result;
}

using PrctlFunction = int (*)(int, ...);

}  // namespace

long ConfineBySyscall(const SyscallArguments& call) {
  const auto enter = [&] { return RealSyscall(call); };
  const auto program = static_cast<uint64_t>(call.c);
  if (call.number == SYS_prctl && call.a == PR_SET_NAME) {
    const long result = enter();
    if (result == 0) NoteOwnName();
    return result;
  }
  if (call.number == SYS_prctl && call.a == PR_SET_SYSCALL_USER_DISPATCH)
    return ChangeDispatch(call.b != PR_SYS_DISPATCH_OFF, enter);
  if (call.number == SYS_prctl && call.a == PR_SET_TSC) ReadClockBySystemCall();
  if (call.number == SYS_prctl && call.a == PR_SET_SECCOMP)
    return Confine(call.b == SECCOMP_MODE_STRICT, false, program, enter);
  const bool strict = call.a == SECCOMP_SET_MODE_STRICT;
  if (call.number == SYS_seccomp && (strict || call.a == SECCOMP_SET_MODE_FILTER)) {
    const bool all_threads = (call.b & SECCOMP_FILTER_FLAG_TSYNC) != 0;
    return Confine(strict, all_threads, program, enter);
  }
  return enter();
}

extern "C" __attribute__((visibility("default"))) int prctl(int option, ...) {
  static constinit PrctlFunction real = nullptr;
  if (real == nullptr) real = reinterpret_cast<PrctlFunction>(dlsym(RTLD_NEXT, "prctl"));
  va_list list;
  va_start(list, option);
  long arguments[4];
  for (long& argument : arguments) argument = va_arg(list, long);
  va_end(list);
  const auto enter = [&] {
    return real(option, arguments[0], arguments[1], arguments[2], arguments[3]);
  };
  if (option == PR_SET_NAME) {
    const int result = enter();
    if (result == 0) NoteOwnName();
    return result;
  }
  if (option == PR_SET_SYSCALL_USER_DISPATCH)
    return static_cast<int>(ChangeDispatch(arguments[0] != PR_SYS_DISPATCH_OFF, enter));
  if (option == PR_SET_TSC) ReadClockBySystemCall();
  if (option != PR_SET_SECCOMP || !g_session.joined()) return enter();
  const bool strict = arguments[0] == SECCOMP_MODE_STRICT;
  return static_cast<int>(Confine(strict, false, static_cast<uint64_t>(arguments[1]), enter));
}

}  // namespace gprofx::agent
