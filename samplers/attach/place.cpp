#include "samplers/attach/place.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <utility>
#include <vector>

#include "core/base/file_io.h"
#include "samplers/attach/handler_frames.h"
#include "samplers/attach/refusal.h"
#include "samplers/attach/safe_place.h"
#include "samplers/collector/processes/procfs.h"
#include "samplers/collector/session.h"

namespace gprofx::attach {
namespace {

constexpr HostNs kFindPlace = 3'000 * kNsPerMillisecond;  // total time for the search
constexpr HostNs kStopWithin = 50 * kNsPerMillisecond;
constexpr size_t kThreadsARound = 16;

CallInProgress CallOf(const StoppedThread& thread, const RemoteMemory& memory) {
  CallInProgress call = thread.call();
  if (call.number != SYS_restart_syscall) return call;
  std::array<std::byte, 16> code{};
  const uint64_t begin = thread.registers().rip - code.size();
  if (!memory.Read(begin, code.data(), code.size())) return call;
  call.number = NumberOfRestarted(code);
  return call;
}

bool StandsSafely(const StoppedThread& thread, const Place& at) {
  // The read only tests whether the process still runs the same program. If it fails, what is known
  // of the memory is no longer valid.
  char byte;
  if (!at.memory.Get(thread.registers().rsp, &byte)) return false;
  const CallInProgress call = CallOf(thread, at.memory);
  const auto waits_for = [&](uint64_t fd) {
    char name[256];
    const std::string path =
        "/proc/" + std::to_string(at.process.pid()) + "/fd/" + std::to_string(fd);
    const ssize_t n = readlink(path.c_str(), name, sizeof name);
    return std::string(name, n > 0 ? static_cast<size_t>(n) : 0);
  };
  const user_regs_struct& registers = thread.registers();
  const bool in_call = call.number >= 0;
  const bool harmless = in_call && WaitsHarmlessly(call, waits_for);
  if (!IsSafePlace(at.objects.RoomOf(registers.rip), in_call, harmless)) return false;
  if (thread.InRestartableSequence(at.memory)) return false;
  if (in_call && AllocatorsSleepBy(call.number) &&
      AllocatorCalled(at.memory, at.objects, registers.rsp)) {
    return false;
  }
  return HandlersInterruptedProgram(at.memory, at.objects, registers.rsp);
}

// Ranks a thread; lower is better. A low rank means that the thread is likely to be at a safe
// place, and that a stop affects it little.
int Suitability(pid_t pid, int64_t tid) {
  const auto text = ReadSmallFile(ThreadPath(pid, tid, "syscall"), 256);
  if (!text) return 4;
  if (text->starts_with("running")) return 1;
  CallInProgress call;
  const char* end = text->data() + text->size();
  std::from_chars(text->data(), end, call.number);
  unsigned long long first = 0, second = 0;
  if (std::sscanf(text->c_str(), "%*d %llx %llx", &first, &second) == 2) {
    call.first = first;
    call.second = second;
  }
  if (call.number == SYS_restart_syscall) return 1;
  if (!WaitsHarmlessly(call, [](uint64_t) { return std::string("pipe:"); })) return 3;
  return EndsByStop(call.number) ? 2 : 0;
}

std::vector<pid_t> InOrder(pid_t pid, const std::vector<int64_t>& threads) {
  std::vector<std::pair<int, pid_t>> order;
  for (const int64_t tid : threads) {
    // Leave out a thread in uninterruptible sleep. It would stop when it wakes, even if we no
    // longer waited for it.
    if (ProcessState(tid) == 'D') continue;
    order.emplace_back(Suitability(pid, tid), static_cast<pid_t>(tid));
    if (order.size() >= 64 && order.back().first == 0) break;
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<pid_t> ordered;
  for (const auto& one : order) ordered.push_back(one.second);
  if (ordered.size() > kThreadsARound) ordered.resize(kThreadsARound);
  return ordered;
}

// Called when ptrace(2) has failed with EPERM. Returns the reason as an error. Returns Ok if the
// reason concerns only this thread, which has ended or which we have not released yet.
Status WhyForbidden(pid_t pid, pid_t tid) {
  TargetFacts thread;
  const auto status = ReadSmallFile(ThreadPath(pid, tid, "status"), 1 << 16);
  if (!status) return Ok();
  ReadStatus(*status, thread);
  if (thread.state == 'Z' || thread.state == 'X') return Ok();
  if (thread.tracer == static_cast<int64_t>(syscall(SYS_gettid))) return Ok();
  TargetFacts now = LookAtTarget(pid);
  if (now.tracer == 0 && thread.tracer != 0) SetTracer(thread.tracer, now);
  if (Status why = WhyNot(now); !why) return why;
  return Forbidden(now);
}

}  // namespace

std::string ProcessName(pid_t pid) { return "process " + std::to_string(pid); }

Error ProcessIsGone(pid_t pid) {
  return {ErrorId::kNoSuchProcess,
          ProcessName(pid) + " ended or ran another program while gprof-x attached", "try again"};
}

Result<std::unique_ptr<StoppedThread>> StopSomewhereSafe(const Place& at,
                                                         const std::atomic<bool>* give_up,
                                                         AttachFacts& facts) {
  const HostNs until = MonotonicNs() + kFindPlace;
  const pid_t pid = at.process.pid();
  do {
    const std::vector<int64_t> threads = ThreadsOf(pid);
    if (threads.empty() || !at.process.is_there()) return ProcessIsGone(pid);
    for (const pid_t tid : InOrder(pid, threads)) {
      if (MonotonicNs() > until) break;
      auto thread = std::make_unique<StoppedThread>(at.process, tid);
      const auto answer = thread->Stop(kStopWithin);
      if (answer == StoppedThread::Answer::kForbidden) {
        if (const Status why = WhyForbidden(pid, tid); !why) return why.error();
        continue;
      }
      if (answer == StoppedThread::Answer::kHalted) {
        return Error{ErrorId::kBusyProcess, ProcessName(pid) + " is stopped",
                     "continue it with kill -CONT " + std::to_string(pid)};
      }
      if (answer == StoppedThread::Answer::kStopped) {
        ++facts.attempts;
        if (StandsSafely(*thread, at)) return thread;
      }
      thread->Release();
      facts.held += thread->held_for();
    }
    const timespec pause{0, 2 * kNsPerMillisecond};
    nanosleep(&pause, nullptr);
  } while (MonotonicNs() < until && (give_up == nullptr || !give_up->load()));
  return Error{
      ErrorId::kNotEntered,
      ProcessName(pid) +
          " cannot be entered now: all its threads are in the allocator, the loader or the kernel",
      "the process is unchanged; try again, or start it with gprof-x record -- COMMAND"};
}

}  // namespace gprofx::attach
