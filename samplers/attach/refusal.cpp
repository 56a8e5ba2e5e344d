#include "samplers/attach/refusal.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "core/base/file_io.h"
#include "core/base/unique_fd.h"
#include "samplers/collector/processes/procfs.h"
#include "samplers/collector/session.h"

namespace gprofx::attach {
namespace {

constexpr size_t kMaxThreadStatus = 1 << 16, kMaxMaps = size_t{64} << 20;

// Returns the number in column `column` of the line that begins with "`name`:"; -1 if there is
// none.
int64_t Field(std::string_view status, std::string_view name, int column = 0) {
  const std::string line = "\n" + std::string(name) + ":";
  const size_t at = status.find(line);
  if (at == std::string_view::npos) return -1;
  std::string_view rest = status.substr(at + line.size());
  rest = rest.substr(0, rest.find('\n'));
  int64_t value = -1;
  for (int i = 0; i <= column; ++i) {
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (read.ec != std::errc()) return -1;
    rest.remove_prefix(static_cast<size_t>(read.ptr - rest.data()));
  }
  return value;
}

// Returns the seccomp mode of a thread from its status file. `own` is the text of our own status
// file. The mode counts as 0 if the thread has as many filters as we do: those of a container that
// we share apply to us as well, and allow what gprof-x may do.
int SeccompOf(std::string_view status, std::string_view own) {
  const int64_t mode = std::max<int64_t>(Field(status, "Seccomp"), 0);
  const bool shared = mode == 2 && Field(own, "Seccomp") == 2 &&
                      Field(status, "Seccomp_filters") == Field(own, "Seccomp_filters");
  return shared ? 0 : static_cast<int>(mode);
}

// Returns the highest seccomp mode of the threads, because each may set its own.
int SeccompOfThreads(int64_t pid) {
  const auto own = ReadSmallFile("/proc/self/status", kMaxThreadStatus);
  int seccomp = 0;
  for (const int64_t tid : ThreadsOf(pid)) {
    const auto status = ReadSmallFile(ThreadPath(pid, tid, "status"), kMaxThreadStatus);
    if (status) seccomp = std::max(seccomp, SeccompOf(*status, own.value_or("")));
  }
  return seccomp;
}

bool OthersRun(int64_t pid) {
  const std::vector<int64_t> threads = ThreadsOf(pid);
  return std::any_of(threads.begin(), threads.end(), [](int64_t tid) {
    const char state = ProcessState(tid);
    return state != 0 && state != 'Z' && state != 'X';
  });
}

std::string Who(const TargetFacts& facts) { return "process " + std::to_string(facts.pid); }

}  // namespace

bool SharesMemoryWithParent(int64_t pid) {
  constexpr int kVm = 1;  // KCMP_VM
  const int64_t parent = ParentOf(pid);
  return parent > 0 && syscall(SYS_kcmp, pid, parent, kVm, 0, 0) == 0;
}

void ReadStatus(std::string_view status, TargetFacts& facts) {
  facts.thread_group = Field(status, "Tgid");
  facts.tracer = std::max<int64_t>(Field(status, "TracerPid"), 0);
  facts.user = Field(status, "Uid", 1);
  const size_t state = status.find("\nState:");
  if (state != std::string_view::npos) {
    const size_t at = status.find_first_not_of(" \t", state + 7);
    if (at != std::string_view::npos) facts.state = status[at];
  }
  facts.kernel_thread = Field(status, "VmSize") < 0 && facts.state != 'Z' && facts.state != 'X';
}

void SetTracer(int64_t tracer, TargetFacts& facts) {
  facts.tracer = tracer;
  facts.tracer_name = ThreadName(tracer, tracer).value_or("");
}

TargetFacts LookAtTarget(int64_t pid) {
  TargetFacts facts;
  facts.pid = pid;
  facts.is_self = pid == getpid();
  facts.own_user = geteuid();
  facts.may_trace_others = HasCapability(CAP_SYS_PTRACE);
  const std::string folder = "/proc/" + std::to_string(pid);
  const auto status = ReadSmallFile(folder + "/status", kMaxThreadStatus);
  facts.exists = status.has_value();
  if (const auto scope = ReadSmallFile("/proc/sys/kernel/yama/ptrace_scope", 16); scope) {
    std::from_chars(scope->data(), scope->data() + scope->size(), facts.yama);
  }
  if (!status) return facts;
  ReadStatus(*status, facts);
  facts.seccomp = SeccompOfThreads(pid);
  if (facts.tracer != 0) SetTracer(facts.tracer, facts);
  facts.others_run = facts.state == 'Z' && OthersRun(pid);
  const auto maps = ReadSmallFile(folder + "/maps", kMaxMaps);
  facts.readable = maps && !maps->empty();
  facts.has_c_library = maps && (maps->find("/libc.so") != std::string::npos ||
                                 maps->find("/libc-2.") != std::string::npos);
  facts.in_vfork = SharesMemoryWithParent(pid);
  const UniqueFd file(
      open((folder + "/exe").c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!file) return facts;
  const auto read = [&file](void* to, uint64_t offset, uint64_t bytes) {
    return offset < uint64_t{1} << 62 &&
           pread(file.get(), to, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
  };
  wire::ProgramFile program(read);
  facts.fitness = program.Judge();
  facts.musl = program.musl();
  return facts;
}

bool IsBeingLoaded(const TargetFacts& facts) {
  if (facts.has_c_library || facts.fitness != wire::Fitness::kFits) return false;
  TargetFacts loaded = facts;
  loaded.has_c_library = true;
  return bool(WhyNot(loaded));
}

TargetFacts LookOnceLoaded(int64_t pid, const std::atomic<bool>* give_up) {
  constexpr HostNs kLoadedWithin = 5'000'000'000, kBetween = 2'000'000;
  const HostNs until = MonotonicNs() + kLoadedWithin;
  TargetFacts facts = LookAtTarget(pid);
  const auto goes_on = [&] {
    return MonotonicNs() < until && (give_up == nullptr || !give_up->load());
  };
  while (IsBeingLoaded(facts) && goes_on()) {
    const timespec pause{0, kBetween};
    nanosleep(&pause, nullptr);
    facts = LookAtTarget(pid);
  }
  return facts;
}

Error Forbidden(const TargetFacts& facts) {
  const std::string what = "cannot attach to " + Who(facts);
  if (!facts.may_trace_others && facts.user != facts.own_user) {
    return {ErrorId::kNotPermitted,
            what + ": it runs as another user (uid " + std::to_string(facts.user) + ")",
            "run gprof-x as that user or as root (sudo)"};
  }
  if (facts.yama == 3) {
    return {ErrorId::kNotPermitted, what + ": kernel.yama.ptrace_scope is 3",
            "start it with gprof-x record -- COMMAND; the setting stays until the next boot"};
  }
  if (facts.yama == 2 || (facts.yama == 1 && !facts.may_trace_others)) {
    return {ErrorId::kNotPermitted,
            what + ": kernel.yama.ptrace_scope is " + std::to_string(facts.yama),
            std::string("run gprof-x as root, or run ") +
                "sudo sysctl kernel.yama.ptrace_scope=" + (facts.yama == 2 ? "1" : "0")};
  }
  return {ErrorId::kNotPermitted, what + ": ptrace(2) is not permitted",
          "start the container with --cap-add=SYS_PTRACE; if the program changed its user, run "
          "gprof-x as root"};
}

Error CannotEnter(int64_t pid) {
  return {ErrorId::kUnsupportedProcess,
          "cannot attach to process " + std::to_string(pid) + ": on " + wire::kMachineName +
              " gprof-x records only programs that it starts",
          "start it with gprof-x record -- COMMAND"};
}

Status WhyNot(const TargetFacts& facts) {
  const std::string who = Who(facts);
  const std::string start = "start it with gprof-x record -- COMMAND";
  if (facts.pid <= 0 || !facts.exists) {
    return Error{ErrorId::kNoSuchProcess, "there is no process " + std::to_string(facts.pid),
                 "ps -e lists all; a container has its own process numbers"};
  }
  if (facts.is_self) {
    return Error{ErrorId::kNoSuchProcess, who + " is gprof-x itself", "name another process"};
  }
  if (!wire::kEntersPrograms) return CannotEnter(facts.pid);
  if (facts.thread_group > 0 && facts.thread_group != facts.pid) {
    return Error{
        ErrorId::kNoSuchProcess,
        std::to_string(facts.pid) + " is a thread of process " + std::to_string(facts.thread_group),
        "use --pid " + std::to_string(facts.thread_group)};
  }
  if (facts.state == 'Z' && facts.others_run) {
    return Error{ErrorId::kNoSuchProcess,
                 "cannot attach to " + who +
                     ": its first thread has ended, and /proc no longer shows its memory",
                 start};
  }
  if (facts.state == 'Z' || facts.state == 'X') {
    return Error{ErrorId::kNoSuchProcess, who + " has already ended (it is a zombie)",
                 "name another process"};
  }
  if (facts.kernel_thread) {
    return Error{ErrorId::kUnsupportedProcess, who + " is a kernel thread",
                 "use perf record -a to record the kernel"};
  }
  if (facts.tracer != 0) {
    const std::string name = facts.tracer_name.empty() ? "" : " (" + facts.tracer_name + ")";
    return Error{ErrorId::kBusyProcess,
                 who + " is traced by process " + std::to_string(facts.tracer) + name,
                 "end that debugger or tracer first"};
  }
  if (!facts.readable && facts.user != facts.own_user && !facts.may_trace_others)
    return Forbidden(facts);
  if (!facts.readable) return Forbidden(facts);
  if (facts.state == 'T' || facts.state == 't') {
    return Error{ErrorId::kBusyProcess, who + " is stopped",
                 "continue it with kill -CONT " + std::to_string(facts.pid)};
  }
  if (facts.seccomp != 0) {
    return Error{ErrorId::kUnsupportedProcess,
                 who + " uses a seccomp filter, which may kill it for system calls of the agent",
                 start};
  }
  if (facts.in_vfork) {
    return Error{ErrorId::kBusyProcess, who + " is about to run another program (vfork)",
                 "try again"};
  }
  switch (facts.fitness) {
    case wire::Fitness::k32Bit:
      return Error{ErrorId::kUnsupportedProcess, who + " is a 32-bit program",
                   std::string("only ") + wire::kMachineName + " programs can be recorded"};
    case wire::Fitness::kOtherMachine:
      return Error{ErrorId::kUnsupportedProcess, who + " is not built for " + wire::kMachineName,
                   "use a gprof-x that is built for its processor"};
    case wire::Fitness::kSanitizer:
      return Error{ErrorId::kUnsupportedProcess, who + " is built with AddressSanitizer",
                   "record a build without it"};
    default:
      break;
  }
  if (facts.musl) {
    return Error{ErrorId::kUnsupportedProcess,
                 who + " uses musl, whose loader cannot load the agent at run time", start};
  }
  if (!facts.has_c_library) {
    return Error{ErrorId::kUnsupportedProcess,
                 who + (facts.fitness == wire::Fitness::kStatic
                            ? " is statically linked and has no loader for the agent"
                            : " does not use glibc, whose loader the agent needs"),
                 "link it dynamically, or use perf record -p " + std::to_string(facts.pid)};
  }
  return Ok();
}

}  // namespace gprofx::attach
