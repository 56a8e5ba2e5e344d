// Decides whether the agent can enter a process, from what /proc says. A refusal is one line with a
// remedy. WhyNot is pure.
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
  bool others_run = false;   // threads other than the first one are running
  int64_t thread_group = 0;  // id of the process that this thread belongs to
  int64_t tracer = 0;
  std::string tracer_name;
  int seccomp = 0;  // maximum over all threads: 1 strict, 2 filters that we do not share
  bool kernel_thread = false;
  int64_t user = 0, own_user = 0;  // effective
  bool may_trace_others = false;   // we have CAP_SYS_PTRACE
  bool readable = false;           // its memory map is readable
  bool in_vfork = false;           // shares memory with its parent until it runs another program
  wire::Fitness fitness = wire::Fitness::kUnknown;
  bool musl = false, has_c_library = false;
  int yama = -1;  // kernel.yama.ptrace_scope; -1 = the kernel has no Yama
};

TargetFacts LookAtTarget(int64_t pid);
// Reads in_vfork alone, at lower cost.
bool SharesMemoryWithParent(int64_t pid);
// As LookAtTarget, for a process that is to be entered: repeats for at most a few seconds while its
// loader has not mapped the C library yet (the process has just started). `give_up`: ends the wait
// once true; may be null.
TargetFacts LookOnceLoaded(int64_t pid, const std::atomic<bool>* give_up);
// True if the process will load a C library and there is no other reason to refuse it.
bool IsBeingLoaded(const TargetFacts& facts);
void SetTracer(int64_t tracer, TargetFacts& facts);
// Fills `facts` from the text of /proc/PID/status.
void ReadStatus(std::string_view status, TargetFacts& facts);

// Returns the reason not to enter the process as an error; Ok: there is none.
Status WhyNot(const TargetFacts& facts);
// The error for processors on which no process can be entered.
Error CannotEnter(int64_t pid);
// The error for EPERM from ptrace(2).
Error Forbidden(const TargetFacts& facts);

}  // namespace gprofx::attach
