#include "samplers/agent/calls/waits.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include <atomic>

#include "samplers/agent/confinement/limits.h"
#include "samplers/agent/libc/raw_syscall.h"
#include "samplers/agent/process/late.h"
#include "samplers/agent/process/threads.h"
#include "samplers/agent/process/timers.h"
#include "samplers/agent/python/runtime.h"
#include "samplers/agent/signals/safe_load.h"
#include "samplers/agent/stacks/stack.h"
#include "samplers/agent/stacks/stack_table.h"

namespace gprofx::agent {
namespace {

constexpr uint32_t kMaxThreads = 64;  // threads whose clocks one call reads

struct Known {  // latest result for the thread in a slot
  uint64_t python;
  int64_t cpu;
  uint32_t recording, generation, node;
};

struct Scratch {
  PyFrame frames[kMaxPythonFrames];
  StackPath path;
  CopiedMemory copies;
  Known known[wire::kMaxThreads];
};

std::atomic<bool> g_looking{false};
// The next two variables belong to the thread that set g_looking.
Scratch* g_scratch = nullptr;  // never unmapped
uint32_t g_first = 0;          // slot at which the next call of FindWaiting begins

bool MakeScratch() {
  if (g_scratch != nullptr) return true;
  void* p = mmap(nullptr, sizeof(Scratch), PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p != MAP_FAILED) g_scratch = static_cast<Scratch*>(p);
  return p != MAP_FAILED;
}

bool MayLook() {
  return g_session.joined() && g_session.sampling() && g_python.found() &&
         g_session.plan().python != 0 && g_session.plan().wall_clock == 0 &&
         Allowed(kNeedClock | kNeedCopies);
}

// True if the PyThreadState at `python` belongs to thread `tid`. It may not: the state may have
// been freed and its memory reused for another thread. Up to CPython 3.10 the state does not store
// the thread id; the result is then true without a check.
bool IsOf(uint64_t python, int32_t tid) {
  const uint16_t offset = g_python.layout().ts_native_id;
  uint64_t id = 0;
  return offset == 0 || (SafeLoad(python + offset, &id) && id == static_cast<uint64_t>(tid));
}

// Returns the node of the Python frames of thread `tid`. Returns 0 if they cannot be read.
uint32_t PythonNode(uint64_t python, int32_t tid) {
  g_scratch->path.Forget();  // the recording may have changed
  const UseCopies copies(&g_scratch->copies);
  if (!IsOf(python, tid)) return 0;
  const PyWalkResult walk = WalkPythonInto(g_scratch->frames, kMaxPythonFrames, python);
  if (walk.torn || walk.cut) return 0;
  NextStack next(g_scratch->path);
  for (uint32_t i = walk.count; i-- > 0;) next.Put(g_scratch->frames[i].frame);
  bool full = false;
  const uint32_t node = StackNode(g_session, g_scratch->path, next, &full);
  return full ? 0 : node;
}

// True if the thread makes CUDA calls from Python: a CUDA call has enlarged its ring, and it has a
// PyThreadState.
bool Launches(const ThreadState* state) {
  return state != nullptr && state->ring->grown.load(std::memory_order_relaxed) != 0 &&
         state->ring->state.load() == wire::kThreadActive &&
         state->python_thread.load(std::memory_order_relaxed) != 0;
}

// Returns the node of the Python frames in which the thread waits. Returns 0 if the thread ran
// during the check or its frames cannot be read. If the thread used no CPU time since the latest
// check, that check's result is still valid.
uint32_t WaitingNode(const ThreadState* state) {
  const int64_t cpu = CpuNsOf(state->tid);
  if (cpu < 0 || CpuNsOf(state->tid) != cpu) return 0;
  Known look{state->python_thread.load(std::memory_order_relaxed), cpu, state->recording,
             state->ring->generation.load(std::memory_order_relaxed), 0};
  Known& known = g_scratch->known[state->slot];
  if (known.cpu == cpu && known.python == look.python && known.recording == look.recording &&
      known.generation == look.generation)
    return known.node;
  look.node = PythonNode(look.python, state->tid);
  if (CpuNsOf(state->tid) != cpu) return 0;
  known = look;
  return look.node;
}

}  // namespace

uint32_t FindWaiting(wire::WaitingThread* out, uint32_t room) {
  const InAgent here;
  if (g_looking.exchange(true, std::memory_order_acquire)) return 0;
  const uint32_t high = MayLook() && MakeScratch() ? g_session.used_slots() : 0;
  uint32_t found = 0, asked = 0;
  for (uint32_t i = 0; i < high && found < room && asked < kMaxThreads && MayLook(); ++i) {
    const uint32_t slot = (g_first + i) % high;
    const ThreadState* state = ActiveThread(slot);
    if (!Launches(state)) continue;
    if (asked++ == 0) g_first = slot + 1;
    const int64_t now = g_session.Now();
    const uint32_t generation = state->ring->generation.load(std::memory_order_relaxed);
    if (const uint32_t node = WaitingNode(state); node != 0)
      out[found++] = {slot, generation, node, now};
  }
  g_looking.store(false, std::memory_order_release);
  return found;
}

void WaitForLook() {
  constexpr int kMaxYields = 1000;
  for (int i = 0; i < kMaxYields && g_looking.load(); ++i) RawSyscall(SYS_sched_yield);
}

}  // namespace gprofx::agent
