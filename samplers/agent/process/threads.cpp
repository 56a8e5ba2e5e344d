// Async-signal-safe, because AdoptThread runs in signal handlers and the rest in fork children.
#include "samplers/agent/process/threads.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <utility>

#include "samplers/agent/calls/call_memo.h"
#include "samplers/agent/confinement/heavy_fence.h"
#include "samplers/agent/confinement/limits.h"
#include "samplers/agent/libc/raw_syscall.h"
#include "samplers/agent/process/late.h"
#include "samplers/agent/process/process_stat.h"
#include "samplers/agent/process/timers.h"
#include "samplers/agent/signals/dispatch.h"
#include "samplers/agent/signals/signal_stack.h"
#include "samplers/agent/signals/signals.h"
#include "samplers/agent/stacks/sampler.h"

namespace gprofx::agent {

std::atomic<bool> g_any_adopted{false};
namespace {

std::atomic<ThreadState*> g_states[wire::kMaxThreads];
std::atomic<uint32_t> g_hint{0};

ThreadState* StateOf(uint32_t slot) {
  ThreadState* state = g_states[slot].load(std::memory_order_acquire);
  if (state != nullptr) return state;
  void* p = mmap(nullptr, sizeof(ThreadState), PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return nullptr;
  state = static_cast<ThreadState*>(p);
  g_states[slot].store(state, std::memory_order_release);  // the slot is claimed: no other writer
  return state;
}

// Raises the region's `threads_high`, the number of slots that were ever used, so that it includes
// `slot`. The collector reads only these slots.
void RaiseHigh(uint32_t slot) {
  std::atomic<uint32_t>& high = g_session.header().threads_high;
  uint32_t seen = high.load();
  while (seen <= slot && !high.compare_exchange_weak(seen, slot + 1)) {
  }
}

void Reset(ThreadState* state, wire::ThreadRing* ring, uint32_t slot) {
  // The slot's previous thread may have ended without EndThread, and only the collector noticed.
  // The thread's timer then still exists.
  if (state->slot == slot && state->ring != nullptr) DisarmTimer(state);
  ring->generation.fetch_add(1);
  ring->tid = 0;
  ring->end_ns.store(0);
  ring->dropped.store(0);
  ring->dropped_ns.store(0);
  ring->paused_ns.store(0);
  ring->grown.store(0);  // the collector has read all entries of the slot's previous thread
  ring->last_node.store(0);
  ring->perf.store(wire::kPerfNone);
  ring->python_name.store(0);
  state->ring = ring;
  state->slot = slot;
  state->recording = g_session.recording();
  state->perf_tried = state->perf_armed = state->perf_opening = false;
  state->perf_fd = -1;
  state->is_dispatched = false;
  state->perf_rests = 0;
  state->perf_rests_until = 0;
  state->switches = {};
  state->blocked_faults = 0;
  state->timer = -1;
  state->samples = 0;
  state->name_tries = 0;
  state->path.Forget();
  state->walk = {};
  state->last_generation = 0;
  state->call_depth = 0;
  state->clock = {};
  ForgetSignalStack(state);
  state->python_inner = 0;
  state->python_thread.store(0, std::memory_order_relaxed);
  state->autograd = {};
  state->taken_at = UINT64_MAX;
  state->busy.store(false);
}

void Fill(ThreadState* state, int32_t tid, int64_t cpu_ns) {
  wire::ThreadRing* ring = state->ring;
  ring->tid = tid;
  ring->start_ns = g_session.Now();
  ring->start_cpu_ns = cpu_ns;
  ring->last_cpu_ns.store(cpu_ns, std::memory_order_relaxed);
  ring->asks.store(wire::kAsksUnknown, std::memory_order_relaxed);
  state->tid = tid;
  state->ledger.Start(cpu_ns);
  state->stretch = g_session.stretch();
  state->active.store(true, std::memory_order_release);
}

// Set while the sampling of a thread is started. Two callers that start the same thread would
// otherwise both find it without a state. A handler does not wait, because it may have interrupted
// the owner.
std::atomic<bool> g_beginning{false};

class Beginning {
 public:
  explicit Beginning(int tries) {
    while (!(mine_ = !g_beginning.exchange(true)) && --tries > 0 && Allowed(kNeedKill))
      RawSyscall(SYS_sched_yield);
  }
  ~Beginning() {
    if (mine_) g_beginning.store(false);
  }
  Beginning(const Beginning&) = delete;
  Beginning& operator=(const Beginning&) = delete;
  bool mine() const { return mine_; }

 private:
  bool mine_ = false;
};

}  // namespace

ThreadState* ClaimThread() {
  // Prefer slots that were used before. Each new slot costs memory, and the collector must read one
  // more.
  uint32_t high = g_session.used_slots();
  uint32_t count = g_session.ring_count();
  uint32_t hint = high == 0 ? 0 : g_hint.load(std::memory_order_relaxed) % high;
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t slot = i < high ? (hint + i) % high : i;
    wire::ThreadRing* ring = g_session.OpenRing(slot);
    if (ring == nullptr) break;
    uint32_t expected = wire::kThreadFree;
    if (!ring->state.compare_exchange_strong(expected, wire::kThreadActive)) continue;
    ThreadState* state = StateOf(slot);
    if (state == nullptr) {
      ring->state.store(wire::kThreadFree);
      break;
    }
    g_hint.store(slot + 1, std::memory_order_relaxed);
    Reset(state, ring, slot);
    RaiseHigh(slot);
    return state;
  }
  g_session.Count(wire::kThreadsWithoutRing);
  return nullptr;
}

void NoteClock(ThreadState* state, int64_t cpu_ns) {
  wire::ThreadRing& ring = *state->ring;
  const int64_t before = ring.last_cpu_ns.exchange(cpu_ns, std::memory_order_relaxed);
  // No sample covers CPU time that was used after the recording ended the timers.
  if (state->timer == kTimersAreOver && cpu_ns > before)
    ring.paused_ns.fetch_add(static_cast<uint64_t>(cpu_ns - before), std::memory_order_relaxed);
  if (state->is_dispatched && cpu_ns > before) NoteDispatched(state, cpu_ns - before);
}

void ReleaseUnused(ThreadState* state) { state->ring->state.store(wire::kThreadFree); }

void NoteMask(ThreadState* state, uint64_t blocked) {
  state->blocked_faults = blocked & kFaultBits;
  // Do not report the mask to the collector if the program was entered late. The functions that
  // change the mask are not interposed there, so later changes would be missed.
  if (g_session.late() || state->is_dispatched) return;
  state->ring->asks.store((blocked & kAskBit) != 0 ? wire::kAsksBlocked : wire::kAsksOpen,
                          std::memory_order_relaxed);
}

void NoteName(ThreadState* state) {
  if (Allowed(kNeedThread)) RawSyscall(SYS_prctl, PR_GET_NAME, AsArgument(state->ring->name));
}

ThreadState* BeginThread(ThreadState* state, int64_t from_cpu_ns, Signal signal) {
  const auto tid = static_cast<int32_t>(RawSyscall(SYS_gettid));
  {
    constexpr int kMaxYields = 1000;
    const Beginning alone(kMaxYields);
    // If the collector found the thread first and had it adopted, use the state that the thread has
    // already.
    ThreadState* adopted = AnyAdopted() ? ThreadOfTid(tid) : nullptr;
    if (adopted != nullptr) ReleaseUnused(std::exchange(state, adopted));
    NoteName(state);
    if (adopted == nullptr) {
      Fill(state, tid, from_cpu_ns);
      if (!ArmTimer(state)) g_session.Count(wire::kTimersFailed);
    }
  }
  NoteMask(state, ChangeOwnMask(SIG_UNBLOCK, signal == Signal::kOpened ? kTickBit : 0));
  if (signal == Signal::kOpened) GiveSignalStack(state);
  return state;
}

void EndThread(ThreadState* state) {
  state->active.store(false);
  // If a handler of the program abandoned a Scratch (scratch.h), end its possession of the memory.
  if (state->busy.exchange(false) && state->taken_in_agent) InAgent::Leave();
  NoteClock(state, ThreadCpuNs());
  DisarmTimer(state);
  TakeSignalStack(state);
  wire::ThreadRing* ring = state->ring;
  NoteName(state);
  ring->end_ns.store(g_session.Now(), std::memory_order_relaxed);
  ring->state.store(wire::kThreadEnded, std::memory_order_release);
}

void NoteThreadClocks() {
  const uint32_t high = g_session.used_slots();
  for (uint32_t slot = 0; slot < high; ++slot) {
    ThreadState* state = ActiveThread(slot);
    int64_t cpu = state == nullptr ? -1 : CpuNsOf(state->tid);
    if (cpu >= 0) NoteClock(state, cpu);
  }
}

bool AdoptThread(int32_t tid) {
  // Do not adopt if a system call is forbidden. The thread may be one that was stopped because of a
  // seccomp filter.
  if (!Allowed(kNeedAll)) return true;
  const Beginning alone(1);
  if (!alone.mine()) return false;
  const int64_t cpu = CpuNsOf(tid);
  if (cpu < 0 || ThreadOfTid(tid) != nullptr || StatOf(tid).IsKernelWorker()) return true;
  ThreadState* state = ClaimThread();
  if (state == nullptr) return true;
  g_any_adopted.store(true);
  Fill(state, tid, cpu);
  if (ArmTimer(state)) return true;
  if (CpuNsOf(tid) >= 0) {
    g_session.Count(wire::kTimersFailed);
    return true;
  }
  state->active.store(false);  // the thread ended just now
  state->ring->end_ns.store(g_session.Now(), std::memory_order_relaxed);
  state->ring->state.store(wire::kThreadEnded, std::memory_order_release);
  return true;
}

void WaitForHandlers() {
  // A thread that gets no core stays busy for several time slices, but 1,000 yields take only 0.3
  // ms on a free core. The clock is read after them, because most waits are shorter.
  constexpr int kFreeYields = 1000;
  constexpr int64_t kLongestNs = 30'000'000;
  HeavyFence();  // orders earlier stores of the caller before the reads of `busy` (scratch.h)
  int yields = 0;
  int64_t end = 0;
  const auto goes_on = [&] {
    if (!Allowed(kNeedKill)) return false;
    if (++yields < kFreeYields) return true;
    const int64_t now = MonotonicNs();
    if (end == 0) end = now + kLongestNs;
    return now < end;
  };
  const uint32_t high = g_session.used_slots();
  for (uint32_t slot = 0; slot < high; ++slot) {
    const ThreadState* state = ActiveThread(slot);
    // A handler of the program may have interrupted a taker of its own thread: do not wait for
    // that.
    if (state == nullptr || state == CurrentThread()) continue;
    while (state->busy.load(std::memory_order_acquire) && goes_on()) RawSyscall(SYS_sched_yield);
  }
}

void EndAllThreads() {
  for (auto& cell : g_states) {
    ThreadState* state = cell.load(std::memory_order_acquire);
    if (state == nullptr || !state->active.exchange(false)) continue;
    const int64_t cpu = CpuNsOf(state->tid);
    if (cpu >= 0) NoteClock(state, cpu);
    DisarmTimer(state);
    state->ring->end_ns.store(g_session.Now(), std::memory_order_relaxed);
    state->ring->state.store(wire::kThreadEnded, std::memory_order_release);
  }
}

void StopOtherThreads() {
  const auto own = static_cast<int32_t>(RawSyscall(SYS_gettid));
  for (auto& cell : g_states) {
    ThreadState* state = cell.load(std::memory_order_acquire);
    if (state == nullptr || !state->active.load() || state->tid == own) continue;
    state->active.store(false);
    DisarmTimer(state);
  }
}

ThreadState* ActiveThread(uint32_t slot) {
  if (slot >= wire::kMaxThreads) return nullptr;
  ThreadState* state = g_states[slot].load(std::memory_order_acquire);
  return state != nullptr && state->active.load(std::memory_order_acquire) ? state : nullptr;
}

ThreadState* ThreadOfTid(int32_t tid) {
  const uint32_t high = g_session.used_slots();
  for (uint32_t slot = 0; slot < high; ++slot) {
    ThreadState* state = ActiveThread(slot);
    if (state == nullptr || state->tid != tid) continue;
    // If the slot is not active, its thread has ended and only the collector noticed. The id then
    // belongs to a new thread, which has no state.
    if (state->ring->state.load() == wire::kThreadActive) return state;
  }
  return nullptr;
}

void ForgetThreads() {
  g_any_adopted.store(false);
  g_beginning.store(false);
  for (auto& cell : g_states) {
    ThreadState* state = cell.load(std::memory_order_relaxed);
    if (state == nullptr) continue;
    state->active.store(false);
    state->timer = -1;
    state->ring = nullptr;     // the ring may belong to another recording
    ForgetSignalStack(state);  // this thread still runs on the parent's stack
    // The entries contain nodes of the region that this process leaves or has left. Discard them.
    if (state->memo != nullptr) madvise(state->memo, sizeof(CallMemo), MADV_DONTNEED);
  }
  g_hint.store(0);
}

}  // namespace gprofx::agent
