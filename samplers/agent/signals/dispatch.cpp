#include "samplers/agent/signals/dispatch.h"

#include <sys/prctl.h>
#include <sys/syscall.h>

#include <algorithm>

#include "samplers/agent/confinement/limits.h"
#include "samplers/agent/libc/raw_syscall.h"
#include "samplers/agent/process/late.h"
#include "samplers/agent/process/process.h"
#include "samplers/agent/process/timers.h"
#include "samplers/agent/stacks/sampler.h"
#include "samplers/agent/stacks/stack.h"

namespace gprofx::agent {
namespace {

ThreadState* ThisThread() {
  const bool may_look = g_session.joined() && Allowed(kNeedThread | kNeedTimers);
  return may_look && IsOwnProcess() ? CurrentThread() : nullptr;
}

}  // namespace

void RestThisThread() {
  const InAgent here;
  ThreadState* state = ThisThread();
  if (state == nullptr || state->is_dispatched) return;
  DisarmTimer(state);
  // Disable the perf event now. The collector closes it only later, and until then it would send
  // signals.
  if (state->perf_armed && Allowed(kNeedStopPerf))
    RawSyscall(SYS_prctl, PR_TASK_PERF_EVENTS_DISABLE);
  state->perf_armed = false;
  if (state->ring->perf.load() == wire::kPerfHandedOver) RestPerfEvent(state);
  NoteClock(state, ThreadCpuNs());
  state->ring->asks.store(wire::kAsksBlocked, std::memory_order_relaxed);
  state->is_dispatched = true;
}

void WakeThisThread() {
  const InAgent here;
  ThreadState* state = ThisThread();
  if (state == nullptr || !state->is_dispatched) return;
  const int64_t cpu = ThreadCpuNs();
  NoteClock(state, cpu);
  state->is_dispatched = false;
  state->ring->asks.store(wire::kAsksUnknown, std::memory_order_relaxed);
  state->ledger.TakeAll(cpu);  // removes the CPU time until now, which a row of its own contains
  if (!ArmTimer(state)) g_session.Count(wire::kTimersFailed);
}

void NoteDispatched(ThreadState* state, int64_t ns) {
  // CPU time before the recorded period began is attributed to nothing.
  const bool records = g_session.sampling();
  const int64_t begin = g_session.control().stretch_begin_ns.load(std::memory_order_relaxed);
  const int64_t inside = records ? std::clamp<int64_t>(g_session.Now() - begin, 0, ns) : 0;
  state->ring->paused_ns.fetch_add(static_cast<uint64_t>(ns - inside), std::memory_order_relaxed);
  ns = inside;
  if (state->busy.exchange(true, std::memory_order_acquire)) return;
  state->taken_in_agent = false;
  while (ns > 0) {
    const int64_t part = std::min<int64_t>(ns, UINT32_MAX);
    if (!AppendUnseen(state, g_session.Now(), wire::Unseen::kDispatched, 0,
                      static_cast<uint64_t>(part)))
      break;
    ns -= part;
  }
  state->busy.store(false, std::memory_order_release);
}

}  // namespace gprofx::agent
