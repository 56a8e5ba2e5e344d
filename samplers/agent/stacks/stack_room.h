// Runs in signal handlers. Chooses the stack on which a sample is taken. Pure, except
// GprofxCallOnStack.
//
// A handler runs on the thread's alternate stack if there is one. It may be as small as 8 KiB (gdb,
// Rust's main thread, a JVM); with AVX-512 a signal's frame alone takes 3.6 KiB of it. Then it has
// no room for the frame of a fault in a safe load, nor for that of a program signal that arrives
// meanwhile, and the kernel kills the process. A sample therefore does not stay on a small
// alternate stack. It is taken below the interrupted frames, where the program's own handlers would
// run as well.
//
// If the interrupted stack is not the thread's own (a coroutine, OCaml 5), the memory below it
// belongs to someone else. Without an alternate stack the kernel's signal frame is already there
// (1.2 to 3.7 KiB). Our handler adds 0.3 KiB to it and continues on a stack of the agent (kAside).
// It blocks the program's signals until it returns. The same happens on a small alternate stack if
// there is no room below the interrupted frames either.
//
// Signals are blocked only in these cases, because meanwhile the kernel delivers a signal to
// another thread (gdb waited forever for a SIGCHLD that another thread had received). Without the
// blocking, a handler of the program could run on our stack. It could leave it by swapcontext(3)
// together with the frames of the interrupted code, and a garbage collector's handler would scan
// from a stack pointer that is not the program's. Fault signals are not blocked there, because safe
// loads need them, unless the handler began on an alternate stack: the kernel would put a fault's
// frame at the top of that stack, over our own.
#pragma once

#include <ucontext.h>

#include <algorithm>
#include <csignal>
#include <cstdint>

#include "samplers/agent/machine/machine.h"

namespace gprofx::agent {

enum class Place {
  kHere,         // on the stack where the handler runs
  kInterrupted,  // below the interrupted frames, without loads that may fault
  kAside,        // on a stack of the agent, with signals blocked
};

// Stack use of our fault handler and its callees, in bytes.
constexpr uint64_t kFaultBytes = 512;
// Bytes of stack that are left free for a signal handler of the program.
constexpr uint64_t kForeignBytes = 8192;
// Free stack required below the interrupted frames to take a sample there, in bytes.
constexpr uint64_t kBelowBytes = 16384;
// Size in bytes of a stack of the agent. It has room for a sample and for a fault within it, with
// all registers.
constexpr uint64_t kAsideBytes = 32768;

// Approximate bounds of a thread's stack. A `high` of 0 means that they are unknown.
struct OwnStack {
  uint64_t low = 0, high = 0;
  uint64_t below = 0;  // bytes below `low` that probably belong to the stack too

  bool Holds(uint64_t address) const {
    return high == 0 || (address >= low - std::min(below, low) && address <= high);
  }
  // True if there is room for a sample below `interrupted`, as far as known.
  bool HasRoomBelow(uint64_t interrupted) const {
    return high == 0 || (interrupted <= high && interrupted >= low + kBelowBytes);
  }
};

// Returns the assumed stack of a thread that started before the agent. It ends at the thread
// pointer, because glibc places that above the stack. Its certain size is only kUsual, because
// other memory may lie below: Erlang's code has its stack in the heap. Smaller stacks are rare.
inline OwnStack StackBelow(uint64_t thread_pointer) {
  constexpr uint64_t kUsual = 128 << 10, kLarge = 8 << 20;
  return {thread_pointer - std::min(thread_pointer, kUsual), thread_pointer, kLarge};
}

// True if `address` is on this alternate stack.
inline bool RunsOn(const stack_t& alternate, uint64_t address) {
  return (alternate.ss_flags & SS_DISABLE) == 0 &&
         address - reinterpret_cast<uint64_t>(alternate.ss_sp) < alternate.ss_size;
}

// Returns where to take the sample. `alternate` is the alternate stack and `interrupted` the stack
// pointer, both from the interrupted context. `here` is an address in the handler's frame.
// `signal_frame` is the size of the kernel's signal frame. `own` is the thread's stack.
inline Place PlaceOfSample(const stack_t& alternate, uint64_t interrupted, uint64_t here,
                           uint64_t signal_frame, const OwnStack& own = {}) {
  if (!RunsOn(alternate, here)) return own.Holds(interrupted) ? Place::kHere : Place::kAside;
  const uint64_t room = here - reinterpret_cast<uint64_t>(alternate.ss_sp);
  if (room >= machine::kSampleBytes + signal_frame + kFaultBytes + kForeignBytes)
    return Place::kHere;
  const bool elsewhere = !RunsOn(alternate, interrupted);
  return elsewhere && own.HasRoomBelow(interrupted) ? Place::kInterrupted : Place::kAside;
}

// Calls `function(argument)` on another stack: with the stack pointer at `top`, a multiple of 16.
extern "C" void GprofxCallOnStack(void* argument, void (*function)(void*), uint64_t top);

}  // namespace gprofx::agent
