#include "samplers/collector/drain/wall.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "core/base/file_io.h"
#include "samplers/collector/drain/wait_place.h"
#include "samplers/wire/restart.h"

namespace gprofx {
namespace {

// Maximum CPU time in ns that a waiting thread used after the agent had read its clock, to finish
// the handler and to restart the system call.
constexpr int64_t kIdleNs = 100'000;
constexpr int64_t kMaxLateNs = 10'000'000;
// After this many signals without an answer, the thread is assumed to block the signal. Its time is
// then counted without a sample.
constexpr int64_t kMaxUnanswered = 5;
// Maximum time in ns that is collected for a running thread while its own timer takes no sample
// (the timer fires when the thread leaves the kernel). A weight holds at most 4 s.
constexpr int64_t kMaxPendingNs = 1'000'000'000;

void SendSample(int64_t pid, int64_t tid, uint32_t slot) {
  siginfo_t info;
  std::memset(&info, 0, sizeof info);
  info.si_signo = wire::kAskSignal;
  info.si_code = SI_QUEUE;
  info.si_pid = getpid();
  info.si_uid = getuid();
  info.si_value.sival_ptr = reinterpret_cast<void*>(wire::kWallSignalCookie | slot);
  syscall(SYS_rt_tgsigqueueinfo, static_cast<pid_t>(pid), static_cast<pid_t>(tid), wire::kAskSignal,
          &info);
}

// True if the thread is in a call that the agent restarts, so that the program cannot notice a
// signal. Reads the memory of the process. That memory may be a page that the process's user
// serves; the read then blocks for as long as the user likes.
bool AgentRestartsCall(int64_t pid, std::string_view syscall) {
  const uint64_t after = ReturnInSyscall(syscall);
  if (after == 0) return false;
  uint8_t code[wire::kCallBytes];
  iovec to{code, sizeof code};
  iovec from{reinterpret_cast<void*>(after - sizeof code), sizeof code};
  if (process_vm_readv(static_cast<pid_t>(pid), &to, 1, &from, 1, 0) != sizeof code) return false;
  return wire::AgentRestarts(wire::FormOfCall(code).number);
}

// True if the program would not notice a signal, although the kernel's own rules say that it would.
// `may_wait` is false if memory of the process must not be read.
bool IsUnseenIn(int64_t pid, int64_t tid, std::string_view syscall, bool may_wait) {
  if (ReadsFromPipe(pid, tid, syscall)) return true;
  return may_wait && !ReceivesAll(syscall) && AgentRestartsCall(pid, syscall);
}

// True if the thread blocks our signal. A signal would then stay pending, and code of the program
// that reads pending signals would see it.
bool BlocksAsks(const wire::ThreadRing& ring, int64_t pid, int64_t tid) {
  const uint32_t asks = ring.asks.load(std::memory_order_relaxed);
  if (asks != wire::kAsksUnknown) return asks == wire::kAsksBlocked;
  const auto status = ReadSmallFile(ThreadPath(pid, tid, "status"), 1 << 16);
  return !status || (MaskInStatus(*status, "SigBlk") >> (wire::kAskSignal - 1) & 1) != 0;
}

struct ThreadClock {
  int64_t cpu_ns = 0, runs = 0;
};
std::optional<ThreadClock> ClockOf(SlotState& state, int64_t pid) {
  if (!state.schedstat) {
    const std::string path = ThreadPath(pid, state.tid, "schedstat");
    state.schedstat.Reset(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  }
  char text[96];
  const ssize_t got = pread(state.schedstat.get(), text, sizeof text, 0);
  if (got <= 0) return std::nullopt;
  const std::string_view schedstat(text, static_cast<size_t>(got));
  const auto cpu = CpuInSchedstat(schedstat), runs = RunsInSchedstat(schedstat);
  return cpu && runs ? std::optional(ThreadClock{*cpu, *runs}) : std::nullopt;
}

}  // namespace

VisitAction DecideVisit(const VisitFacts& facts) {
  if (facts.waiting == Waiting::kNot || facts.waiting == Waiting::kUnknown) {
    // Send no signal. It cannot be known from outside whether the thread is in a system call that a
    // signal would end early. A thread that hardly ran was just woken and will most likely wait
    // again.
    if (!facts.is_busy && facts.has_stack) return VisitAction::kCountIdle;
    return facts.pending_ns < kMaxPendingNs ? VisitAction::kAwait : VisitAction::kCountBusy;
  }
  const bool is_asked = facts.waiting == Waiting::kRestarts && facts.unanswered < kMaxUnanswered &&
                        facts.pending_ns < kMaxPendingNs;
  // The program cannot notice a signal here. Send one if the stack of this wait is not known yet.
  // CPU time is no criterion for that: on a busy machine the signal alone may cost more than the
  // program's work between two waits.
  if (is_asked && (facts.is_new_wait || !facts.has_stack)) return VisitAction::kSignal;
  const bool is_known = facts.is_at_stack && (facts.ran_ns <= kIdleNs || !facts.is_new_wait);
  return is_asked || is_known ? VisitAction::kCountIdle : VisitAction::kCountUnseen;
}

void WallSampler::Tick(ProcessTable& processes, HostNs now, std::vector<SampleRow>& rows) {
  if (now < next_) return;
  next_ = next_ == 0 || now - next_ > period_ns_ ? now + period_ns_ : next_ + period_ns_;
  processes.VisitActive([&](LiveProcess& process) {
    const auto slots = static_cast<uint32_t>(process.drain.slots().size());
    const bool may_wait = !process.is_foreign();
    for (uint32_t slot = 0; slot < slots; ++slot) {
      if (process.drain.slots()[slot].thread) Visit(process.drain, slot, may_wait, now, rows);
    }
  });
}

void WallSampler::Restart(ProcessTable& processes, HostNs now) {
  next_ = now;
  for (const auto& process : processes.live()) {
    for (SlotState& state : process->drain.slots()) {
      state.last_visit = now;
      state.pending_wall_ns = 0;
    }
  }
}

void WallSampler::Visit(ProcessDrain& drain, uint32_t slot, bool may_wait, HostNs now,
                        std::vector<SampleRow>& rows) {
  SlotState& state = drain.slots()[slot];
  const wire::ThreadRing* ring = drain.region().Ring(slot);
  if (ring == nullptr || now <= state.last_visit) return;
  const auto clock = ClockOf(state, drain.pid());
  if (!clock) return;  // the thread has ended; when it is closed, its time until then is counted
  const auto text = ReadSmallFile(ThreadPath(drain.pid(), state.tid, "syscall"), 256);
  const int64_t passed = now - state.last_visit;
  VisitFacts facts;
  const int64_t ran = std::clamp<int64_t>(clock->cpu_ns - state.visit_cpu_ns, 0, passed);
  facts.is_busy = 2 * ran >= passed;
  state.pending_wall_ns += passed;
  state.last_visit = now;
  state.visit_cpu_ns = clock->cpu_ns;
  facts.ran_ns = clock->cpu_ns - ring->last_cpu_ns.load(std::memory_order_relaxed);
  facts.waiting = text ? WaitingInSyscall(*text) : Waiting::kUnknown;
  if (facts.waiting == Waiting::kInterrupts && IsUnseenIn(drain.pid(), state.tid, *text, may_wait))
    facts.waiting = Waiting::kRestarts;
  if (facts.waiting == Waiting::kRestarts && BlocksAsks(*ring, drain.pid(), state.tid))
    facts.waiting = Waiting::kInterrupts;
  // If this visit is late, the wait may have begun long ago. Send no signal then if the restarted
  // call would wait for its full timeout again.
  if (facts.waiting == Waiting::kRestarts && passed > std::max(kMaxLateNs, 2 * period_ns_) &&
      ForgetsTime(*text))
    facts.waiting = Waiting::kInterrupts;
  const std::string_view place = text ? PlaceInSyscall(*text) : std::string_view{};
  facts.has_stack = state.node != 0;
  facts.is_at_stack = EndsIn(drain.region(), state.node, place);
  // A thread runs once to handle our signal. If it ran more often since then, it is in a new wait.
  if (place != state.asked_in) state.unanswered = 0;
  facts.is_new_wait = place != state.asked_in || clock->runs - state.asked_runs > 1;
  facts.unanswered = state.unanswered;
  facts.pending_ns = state.pending_wall_ns;
  const VisitAction action = DecideVisit(facts);
  // The thread ran for part of the time since the last visit, because many threads share the
  // processors.
  const bool runs = facts.waiting == Waiting::kNot || facts.waiting == Waiting::kUnknown;
  if (runs && action == VisitAction::kCountIdle) state.awaited_ns += ran;
  if (action == VisitAction::kSignal) state.asked_runs = clock->runs;
  Count(drain, slot, action, place, passed, now, rows);
}

void WallSampler::Count(ProcessDrain& drain, uint32_t slot, VisitAction action,
                        std::string_view place, int64_t passed, HostNs now,
                        std::vector<SampleRow>& rows) {
  SlotState& state = drain.slots()[slot];
  if (action == VisitAction::kSignal) {
    ++state.unanswered;
    state.asked_in = place;
    return SendSample(drain.pid(), state.tid, slot);
  }
  if (action == VisitAction::kAwait) {
    state.awaited_ns += passed;
    state.asked_in.clear();
    return;
  }
  // Time in which the thread ran before this wait is not idle time. Count it separately.
  const int64_t waited = state.pending_wall_ns - state.awaited_ns;
  if (action != VisitAction::kCountBusy && state.awaited_ns > 0) {
    drain.AddTime(slot, now, state.awaited_ns, false, rows);
    state.pending_wall_ns = waited;
  }
  if (action == VisitAction::kCountUnseen) {
    drain.AddUnseen(slot, now, ReturnInSyscall(place), rows);
  } else {
    drain.AddTime(slot, now, state.pending_wall_ns, action == VisitAction::kCountIdle, rows);
  }
}

}  // namespace gprofx
