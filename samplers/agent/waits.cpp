#include "samplers/agent/waits.h"

#include <sys/mman.h>

#include <atomic>

#include "samplers/agent/late.h"
#include "samplers/agent/limits.h"
#include "samplers/agent/python/runtime.h"
#include "samplers/agent/safe_load.h"
#include "samplers/agent/stack.h"
#include "samplers/agent/stack_table.h"
#include "samplers/agent/threads.h"
#include "samplers/agent/timers.h"

namespace gprofx::agent {
namespace {

constexpr uint32_t kMostLooks = 16;  // of a process

struct Look {
  const ThreadState* state;
  uint64_t python;
  int64_t cpu;
};

struct Scratch {
  PyFrame frames[kMaxPythonFrames];
  StackPath path;
  CopiedMemory copies;
};

std::atomic<bool> g_looking{false};
Scratch* g_scratch = nullptr;  // of who looks; kept

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

// Threads with Python frames whose ring a CUDA call has made large.
uint32_t FirstLook(Look* looks) {
  uint32_t count = 0;
  const uint32_t high = g_session.header().threads_high.load(std::memory_order_relaxed);
  for (uint32_t slot = 0; slot < high && count < kMostLooks; ++slot) {
    const ThreadState* state = ActiveThread(slot);
    if (state == nullptr || state->ring->grown.load(std::memory_order_relaxed) == 0) continue;
    const uint64_t python = state->python_thread.load(std::memory_order_relaxed);
    if (python != 0) looks[count++] = {state, python, CpuNsOf(state->tid)};
  }
  return count;
}

bool StandsStill(const Look& look) { return look.cpu >= 0 && CpuNsOf(look.state->tid) == look.cpu; }

// The node of the thread's Python frames; 0 = it has none that can be told.
uint32_t PythonNode(uint64_t python, Scratch& scratch) {
  scratch.path.Forget();  // the recording may be another one than the last time
  const UseCopies copies(&scratch.copies);
  const PyWalkResult walk = WalkPythonInto(scratch.frames, kMaxPythonFrames, python);
  if (walk.torn || walk.cut) return 0;
  NextStack next(scratch.path);
  for (uint32_t i = walk.count; i-- > 0;) next.Put(scratch.frames[i].frame);
  bool full = false;
  const uint32_t node = StackNode(g_session, scratch.path, next, &full);
  return full ? 0 : node;
}

}  // namespace

uint32_t FindWaiting(wire::WaitingThread* out, uint32_t room) {
  const InAgent here;
  if (!MayLook() || g_looking.exchange(true, std::memory_order_acquire)) return 0;
  Look looks[kMostLooks];
  const uint32_t count = MakeScratch() ? FirstLook(looks) : 0;
  uint32_t found = 0;
  for (uint32_t i = 0; i < count && found < room; ++i) {
    if (!StandsStill(looks[i])) continue;
    const int64_t now = g_session.Now();
    const uint32_t node = PythonNode(looks[i].python, *g_scratch);
    if (node != 0 && StandsStill(looks[i])) out[found++] = {looks[i].state->slot, node, now};
  }
  g_looking.store(false, std::memory_order_release);
  return found;
}

}  // namespace gprofx::agent
