// Can the agent enter this process? What /proc says of it, and the answer as one line with the way
// out. WhyNot is pure.
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
  bool others_run = false;   // threads besides the first one
  int64_t thread_group = 0;  // the process that has this thread
  int64_t tracer = 0;
  std::string tracer_name;
  int seccomp = 0;  // of any thread: 1 strict, 2 filters that we do not have ourselves
  bool kernel_thread = false;
  int64_t user = 0, own_user = 0;  // effective
  bool may_trace_others = false;   // we have CAP_SYS_PTRACE
  bool readable = false;           // its memory map
  bool in_vfork = false;           // shares memory with its parent until it runs another program
  wire::Fitness fitness = wire::Fitness::kUnknown;
  bool musl = false, has_c_library = false;
  int yama = -1;  // kernel.yama.ptrace_scope; -1 = the kernel has no such limit
};

TargetFacts LookAtTarget(int64_t pid);
// Its in_vfork alone, for less.
bool SharesMemoryWithParent(int64_t pid);
// The same for a process that is to be entered: looks again, for some seconds at most, while its
// loader has not come to the C library yet (it has only just begun). `give_up`: true ends it; may
// be null.
TargetFacts LookOnceLoaded(int64_t pid, const std::atomic<bool>* give_up);
// Will it have a C library, and nothing else speaks against it?
bool IsBeingLoaded(const TargetFacts& facts);
void SetTracer(int64_t tracer, TargetFacts& facts);
// `facts` as text of /proc/PID/status.
void ReadStatus(std::string_view status, TargetFacts& facts);

// Ok: nothing speaks against an attempt.
Status WhyNot(const TargetFacts& facts);
// No process is entered on this processor.
Error CannotEnter(int64_t pid);
// ptrace(2) said EPERM.
Error Forbidden(const TargetFacts& facts);

}  // namespace gprofx::attach
