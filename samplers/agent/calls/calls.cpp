// The functions of the agent that libgprofx-cuda.so and libgprofx-memory.so call
// (wire/agent_entry.h). They take the stacks of CUDA calls and write the records of these calls and
// of GPU memory.
//
// Runs in CUPTI callbacks on the program's threads. As in signal handlers, there is no allocation
// (except one mapping per thread), no lock and no exception. While a function uses the thread's
// state, it holds the Scratch (scratch.h), which keeps our signal handlers from using that state.
#include <sys/syscall.h>
#include <sys/uio.h>

#include "samplers/agent/calls/call_loads.h"
#include "samplers/agent/calls/call_memo.h"
#include "samplers/agent/calls/memory_ring.h"
#include "samplers/agent/calls/waits.h"
#include "samplers/agent/confinement/heavy_fence.h"
#include "samplers/agent/confinement/limits.h"
#include "samplers/agent/libc/raw_syscall.h"
#include "samplers/agent/process/clock.h"
#include "samplers/agent/process/late.h"
#include "samplers/agent/process/process.h"
#include "samplers/agent/signals/safe_load.h"
#include "samplers/agent/signals/signals.h"
#include "samplers/agent/stacks/sampler.h"
#include "samplers/agent/stacks/scratch.h"
#include "samplers/agent/stacks/stack.h"
#include "samplers/wire/agent_entry.h"

namespace gprofx::agent {
namespace {

constexpr uint16_t Flags(uint16_t kind, uint32_t call) {
  return static_cast<uint16_t>(kind | call << 8);
}

__attribute__((always_inline)) inline Registers Here() {
  Registers registers{};
  machine::ReadOwnRegisters(registers.r);
  return registers;
}

// Arguments of a lookup in the CallMemo. If the lookup finds nothing, the walk and the new entry
// use them too.
struct Asked {
  PythonOwner owner;
  CallMemo::Key key;
};

// Returns the node of the call's stack if the CallMemo contains the stack, else 0. `sp` is the
// stack pointer of the frame in which a walk would begin. Sets *asked, the arguments of that walk.
[[gnu::hot]] uint32_t RememberedNode(ThreadState* state, uint64_t sp, uint32_t call,
                                     uint64_t object, Asked* asked) {
  asked->owner = OwnerForCall(state);
  if (state->memo == nullptr) state->memo = CallMemo::Make();
  if (state->memo == nullptr) return 0;
  asked->key = CallMemo::MakeKey(sp, asked->owner, call, object);
  return state->memo->Find(asked->key, state->path);
}

[[gnu::cold]] uint32_t WalkedNode(ThreadState* state, const Registers& registers,
                                  const Asked& asked) {
  const Stack stack = TakeStack(state, registers, StackOf::kCall, asked.owner);
  if (state->memo != nullptr) state->memo->Add(asked.key, *state, stack);
  return stack.node;
}

// Returns the node of the call's stack. Walks the stack if the CallMemo does not contain it; only
// then are the registers read. Always inlined, because they must be the registers of the caller's
// frame.
__attribute__((always_inline)) inline uint32_t NodeOfCall(ThreadState* state, uint32_t call,
                                                          uint64_t object) {
  Asked asked;
  const uint32_t node = RememberedNode(state, machine::OwnStackPointer(), call, object, &asked);
  return node != 0 ? node : WalkedNode(state, Here(), asked);
}

std::atomic<bool> g_entry_is_held{false};

uint32_t Region() {
  const InAgent here;
  JoinPostponed();
  return g_session.joined() && !g_session.postponed() ? g_session.region() : wire::kNoRegion;
}
[[gnu::hot]] int64_t Now() { return g_session.Now(); }

// True if the processor's tick counter shows that the call took less than `least_ns`. The counter
// is tried first because reading a clock is expensive, and nearly all launches are shorter than the
// limit. False for calls that wait: they may end on another processor, whose counter may differ.
// False also if the counter cannot be read or its rate is unknown.
bool IsShorter(const wire::BegunCall& open, uint32_t call, uint64_t least_ns) {
  const uint64_t rate = machine::LeastTicksPerMicrosecond();
  return !wire::IsWaitingCall(call) && rate != 0 && open.ticks != 0 && !ClockMayFault() &&
         !ClockMayFault() && (machine::Ticks() - open.ticks) / rate < least_ns / 1000;
}

[[gnu::noinline, gnu::cold]] void WriteEnd(ThreadState* state, uint32_t call,
                                           const wire::BegunCall& open, uint64_t least_ns) {
  const InAgent here;
  if (CurrentThread() != state) return;  // the recording of `state` has ended
  const int64_t now = Now();
  if (now < open.begin || static_cast<uint64_t>(now - open.begin) < least_ns) return;
  const Scratch scratch(state, __builtin_frame_address(0));
  if (!scratch) return;
  // A wait may be longer than the 32 bits of a record's duration allow. Such a wait is written as
  // several records.
  for (int64_t begin = open.begin; begin < now;) {
    const int64_t end = now - begin > int64_t{UINT32_MAX} ? begin + int64_t{UINT32_MAX} : now;
    if (!AppendRecord(state, end, Flags(wire::kRecordCall, call), open.node,
                      static_cast<uint64_t>(end - begin)))
      break;
    begin = end;
  }
}

bool Copy(uint64_t from, void* to, uint64_t bytes) {
  const InAgent here;
  if (!Allowed(kNeedCopies)) return false;
  iovec local{to, bytes}, remote{reinterpret_cast<void*>(from), bytes};
  return RawSyscall(SYS_process_vm_readv, RawSyscall(SYS_getpid), AsArgument(&local), 1,
                    AsArgument(&remote), 1, 0) == static_cast<long>(bytes);
}
bool Replace(uint64_t address, uint64_t from, uint64_t to) {
  const InAgent here;
  uint64_t now = 0;
  if (address % sizeof(now) != 0 || !Allowed(kNeedActions) || !FaultsAreOurs(true)) return false;
  return SafeLoad(address, &now) && now == from && SafeStore(address, to);
}
int Spool() { return g_session.OpenSpool(); }
void* Map(uint64_t offset, uint64_t bytes) {
  const InAgent here;
  return g_session.MapAgain(offset, bytes, Session::Ask::kYes);
}

}  // namespace

bool EntryIsHeld() { return g_entry_is_held.load(); }

// Never inlined, because the walk of the stack begins in this function's frame.
[[gnu::hot]] __attribute__((noinline)) uint32_t BeginCall(uint32_t call, uint64_t object,
                                                          uint32_t correlation, int64_t now) {
  const InAgent here;
  ThreadState* state = CurrentThread();
  if (state == nullptr) return 0;
  const uint32_t depth = state->call_depth++;
  if (depth >= kMaxCallDepth) return 0;
  wire::BegunCall& open = state->calls[depth];
  open = {now, ClockMayFault() ? 0 : machine::Ticks(), 0, 0};
  if (!g_session.joined() || !g_session.sampling()) return 0;
  const Scratch scratch(state, __builtin_frame_address(0));
  if (!scratch) return 0;
  {
    const CallLoads loads(state);
    open.node = NodeOfCall(state, call, object);
  }
  const bool written =
      correlation == 0 || AppendRecord(state, now, Flags(wire::kRecordLaunch, call), open.node,
                                       correlation == wire::kNoCorrelation ? 0 : correlation);
  return written ? open.node : 0;
}

[[gnu::hot]] void EndCall(uint32_t call, uint64_t least_ns) {
  // No InAgent (late.h) is needed to read the thread state, because states are never unmapped.
  ThreadState* state = CurrentThread();
  if (state == nullptr || state->call_depth == 0) return;
  const uint32_t depth = --state->call_depth;
  if (depth >= kMaxCallDepth || state->calls[depth].node == 0) return;
  const wire::BegunCall open = state->calls[depth];
  if (IsShorter(open, call, least_ns)) return;
  WriteEnd(state, call, open, least_ns);
}

// Never inlined, because the walk of the stack begins in this function's frame. Holds no InAgent
// (late.h): the caller guarantees that the recording stays until this function returns.
[[gnu::hot]] __attribute__((noinline)) void BeginLaunch(uint32_t call, uint64_t object,
                                                        wire::BegunCall* launch) {
  ThreadState* state = CurrentThread();
  if (state == nullptr || !g_session.joined() || !g_session.sampling()) return;
  const Scratch scratch(state, __builtin_frame_address(0), Scratch::Of::kLaunch);
  if (!scratch) return;
  launch->recording = state->recording;
  launch->ticks = ClockMayFault() ? 0 : machine::Ticks();
  launch->begin = state->clock.Now(launch->ticks);
  uint32_t node = 0;
  {
    const CallLoads loads(state);
    node = NodeOfCall(state, call, object);
  }
  constexpr uint16_t kRecord = wire::kRecordLaunch;
  if (AppendRecord(state, launch->begin, Flags(kRecord, call), node, 0)) launch->node = node;
}

[[gnu::hot]] void EndLaunch(uint32_t call, uint64_t least_ns, const wire::BegunCall& launch) {
  if (launch.node == 0 || IsShorter(launch, call, least_ns)) return;
  ThreadState* state = CurrentThread();
  // Write nothing if another recording has begun since the launch began.
  if (state != nullptr && state->recording == launch.recording)
    WriteEnd(state, call, launch, least_ns);
}

// Never inlined, because the walk of the stack begins in this function's frame.
__attribute__((noinline)) void Memory(const wire::MemoryEvent& event) {
  const InAgent here;
  JoinPostponed();
  ThreadState* state = CurrentThread();
  uint32_t node = event.node;
  if (event.take_stack && g_session.joined() && g_session.sampling()) {
    const Scratch scratch(state, __builtin_frame_address(0));
    if (scratch) {
      const CallLoads loads(state);
      node = NodeOfCall(state, wire::kCallAlloc, event.kind);
    }
  }
  WriteMemoryEvent(event, node, state);
}

}  // namespace gprofx::agent

extern "C" __attribute__((visibility("default"))) const gprofx::wire::AgentEntry*
gprofx_agent_entry(uint32_t version) {
  using gprofx::agent::g_session;
  static gprofx::wire::AgentEntry entry;
  if (version != gprofx::wire::kAgentEntryVersion || !g_session.joined()) return nullptr;
  gprofx::agent::JoinPostponed();
  // The caller keeps the entry until the process ends, so the recording's mappings must stay. In a
  // program that was entered late, the caller instead requests the entry for each recording and
  // releases it at the recording's end.
  if (!g_session.late()) gprofx::agent::g_entry_is_held.store(true);
  entry = {version,
           sizeof(entry),
           &g_session.facts(),
           &g_session.control(),
           gprofx::agent::Spool,
           gprofx::agent::Region,
           gprofx::agent::BeginCall,
           gprofx::agent::EndCall,
           gprofx::agent::BeginLaunch,
           gprofx::agent::EndLaunch,
           gprofx::agent::Now,
           gprofx::agent::Memory,
           gprofx::agent::Map,
           gprofx::agent::FindWaiting,
           gprofx::agent::Copy,
           gprofx::agent::Replace,
           gprofx::agent::MakeFencesLight,
           gprofx::agent::HeavyFence};
  return &entry;
}
