// Runs in signal handlers: no allocation, no locks, bounded loops.
#include "samplers/agent/signals/fatal_fault.h"

#include <sys/prctl.h>
#include <ucontext.h>

#include "samplers/agent/confinement/limits.h"
#include "samplers/agent/libc/raw_syscall.h"
#include "samplers/agent/process/session.h"
#include "samplers/agent/signals/safe_load.h"
#include "samplers/agent/stacks/copied_memory.h"
#include "samplers/agent/stacks/stack.h"
#include "samplers/agent/stacks/stack_room.h"

namespace gprofx::agent {
namespace {

constexpr uint32_t kDeepest = 256;  // max frames to walk; the innermost ones are kept
CopiedMemory g_copies;              // safe loads copy into this, because SIGSEGV is blocked
NativeFrame g_frames[kDeepest];

void WaitFor(const std::atomic<uint32_t>& done) {
  constexpr int64_t kLongest = 20'000'000;
  const int64_t end = MonotonicNs() + kLongest;
  while (done.load(std::memory_order_acquire) == 0 && Allowed(kNeedKill) && MonotonicNs() < end) {
    RawSyscall(SYS_sched_yield);
  }
}

// True if this process has joined the recording and has its own region. False in a vfork child.
bool HasRegion() {
  return g_session.joined() && !g_session.postponed() && Allowed(kNeedThread) &&
         RawSyscall(SYS_getpid) == g_session.pid();
}

bool HasRoom(const ucontext_t& context) {
  const auto here = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  return PlaceOfSample(context.uc_stack, machine::StackPointerOf(context), here,
                       machine::SignalFrameBytes(context)) == Place::kHere;
}

void NoteStack(const Registers& registers, wire::FaultNote& note) {
  const UseCopies copies(&g_copies);
  const WalkResult walk = WalkInto(g_frames, kDeepest, registers);
  uint32_t kept = 0;
  while (kept < walk.count && kept < wire::kFaultFrames) {
    note.stack[kept] = WireFrameOf(walk.frames[kept]);
    ++kept;
  }
  if (kept > 0) note.frames.store(kept, std::memory_order_release);
}

}  // namespace

void NoteFatalFault(int signal, const siginfo_t& info, const void* ucontext) {
  if (!HasRegion()) return;
  wire::FaultNote& note = g_session.header().fault;
  uint32_t none = 0;
  if (!note.begun.compare_exchange_strong(none, 1)) return WaitFor(note.done);
  const auto& context = *static_cast<const ucontext_t*>(ucontext);
  note.signal = signal;
  note.code = info.si_code;
  note.address = reinterpret_cast<uint64_t>(info.si_addr);
  RawSyscall(SYS_prctl, PR_GET_NAME, AsArgument(note.thread));
  const Registers registers = RegistersOf(ucontext);
  note.stack[0] = wire::MakeAbsolute(registers.ip());
  note.frames.store(1, std::memory_order_release);
  if (Allowed(kNeedCopies) && HasRoom(context)) NoteStack(registers, note);
  note.done.store(1, std::memory_order_release);
}

}  // namespace gprofx::agent
