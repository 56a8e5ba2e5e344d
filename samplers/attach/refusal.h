// Decides from /proc whether the agent can enter a process. A refusal is an error of one line that
// names a remedy. WhyNot is pure.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "samplers/wire/program_file.h"

namespace gprofx::attach {

struct TargetFacts {
  int64_t pid = 0;
  bool exists = false, is_self = false;
  char state = 0;            // as in /proc/PID/stat
  bool others_run = false;   // threads other than the first one run
  int64_t thread_group = 0;  // id of the process that this thread belongs to
  int64_t tracer = 0;
  std::string tracer_name;
  int seccomp = 0;  // highest of all threads: 0 none, 1 strict, 2 filters that we do not have
  bool kernel_thread = false;
  int64_t user = 0, own_user = 0;  // effective user ids
  bool may_trace_others = false;   // we have CAP_SYS_PTRACE
  bool readable = false;           // its memory map is readable
  bool in_vfork = false;           // it shares its parent's memory until it runs another program
  wire::Fitness fitness = wire::Fitness::kUnknown;
  bool musl = false, has_c_library = false;
  int yama = -1;  // kernel.yama.ptrace_scope; -1 = the kernel has no Yama
};

TargetFacts LookAtTarget(int64_t pid);
// Returns the value of TargetFacts::in_vfork alone, at lower cost.
bool SharesMemoryWithParent(int64_t pid);
// Does the work of LookAtTarget for a process that will be entered. If the process has just started
// and its loader has not mapped the C library yet, looks again for at most a few seconds. If
// *give_up becomes true, the wait ends; `give_up` may be null.
TargetFacts LookOnceLoaded(int64_t pid, const std::atomic<bool>* give_up);
// True if the process has not loaded its C library yet and there is no other reason to refuse it.
bool IsBeingLoaded(const TargetFacts& facts);
void SetTracer(int64_t tracer, TargetFacts& facts);
// Fills `facts` from the text of /proc/PID/status.
void ReadStatus(std::string_view status, TargetFacts& facts);

// Returns an error with the reason not to enter the process. Returns Ok if there is no reason.
Status WhyNot(const TargetFacts& facts);
// Returns the error for processors on which gprof-x can enter no process.
Error CannotEnter(int64_t pid);
// Returns the error that explains an EPERM from ptrace(2).
Error Forbidden(const TargetFacts& facts);

}  // namespace gprofx::attach
