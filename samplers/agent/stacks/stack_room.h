// Signal path. Chooses the stack on which a sample is taken. Pure, except GprofxCallOnStack.
//
// A handler runs on the thread's alternate stack if there is one, and that may be as small as 8 KiB
// (gdb, Rust's main thread, a JVM): with AVX-512 a signal's frame alone takes 3.6 KiB of it. Then
// there is no room for the frame of a fault in a safe load, nor for that of a program signal that
// arrives meanwhile, and the kernel kills. So a sample does not stay on a small alternate stack: it
// is taken below the interrupted frames, where the program's own handlers would run as well. This
// is not done if the interrupted stack is not the thread's own (a goroutine, a coroutine): the
// memory below it belongs to someone else.
//
// If a thread runs on a stack that is not its own and has no alternate one, the kernel's signal
// frame is already there (1.2 to 3.7 KiB), and a sample takes up to 3.5 KiB more. The sample is
// taken only if memory continues below; otherwise only the instruction pointer is recorded.
//
// Rejected: a stack of our own. A handler of the program that arrives meanwhile may leave it by
// swapcontext(3) with the frames of the interrupted code, and collectors scan from a handler's
// stack pointer. Rejected: blocking the program's signals meanwhile. The kernel then delivers them
// to other threads (gdb waited forever for a SIGCHLD that another thread had received).
#pragma once

#include <ucontext.h>

#include <algorithm>
#include <csignal>
#include <cstdint>

#include "samplers/agent/machine/machine.h"

namespace gprofx::agent {

enum class Place {
  kHere,         // where the handler runs
  kInterrupted,  // below the interrupted frames, without loads that may fault
  kNone,         // there is no room for a sample
};

// Stack use of the fault handler.
constexpr uint64_t kFaultBytes = 512;
// Room left for a handler of the program.
constexpr uint64_t kForeignBytes = 8192;
// Minimum room below the interrupted frames.
constexpr uint64_t kBelowBytes = 16384;

// Approximate stack of a thread; high 0: unknown.
struct OwnStack {
  uint64_t low = 0, high = 0;

  bool Holds(uint64_t address) const { return high == 0 || (address >= low && address <= high); }
  // True if there is room for a sample below `interrupted`, as far as known.
  bool HasRoomBelow(uint64_t interrupted) const {
    return high == 0 || (interrupted <= high && interrupted >= low + kBelowBytes);
  }
};

// Returns the assumed stack of a thread that started before the agent: glibc places the thread
// pointer above it. The assumed size is kUsual and not more, because other memory may follow:
// Erlang's code has its stack in the heap. Smaller stacks are rare.
inline OwnStack StackBelow(uint64_t thread_pointer) {
  constexpr uint64_t kUsual = 128 << 10;
  return {thread_pointer - std::min(thread_pointer, kUsual), thread_pointer};
}

// Returns where to take the sample. `alternate` and `interrupted` (the stack pointer) come from the
// interrupted context. `here` is an address in the handler's frame. `signal_frame` is the size of
// the kernel's signal frame.
inline Place PlaceOfSample(const stack_t& alternate, uint64_t interrupted, uint64_t here,
                           uint64_t signal_frame, const OwnStack& own = {}) {
  const auto base = reinterpret_cast<uint64_t>(alternate.ss_sp);
  if ((alternate.ss_flags & SS_DISABLE) != 0 || here - base >= alternate.ss_size) {
    return Place::kHere;
  }
  const uint64_t room = here - base;
  const uint64_t needed = machine::kSampleBytes + signal_frame + kFaultBytes;
  if (room >= needed + kForeignBytes) return Place::kHere;
  const bool elsewhere = interrupted - base >= alternate.ss_size;
  if (elsewhere && own.HasRoomBelow(interrupted)) return Place::kInterrupted;
  return room >= needed ? Place::kHere : Place::kNone;
}

// Calls `function(argument)` with the stack pointer at `top`, a multiple of 16.
extern "C" void GprofxCallOnStack(void* argument, void (*function)(void*), uint64_t top);

}  // namespace gprofx::agent
