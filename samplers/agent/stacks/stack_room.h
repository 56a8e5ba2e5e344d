// Signal path. On which stack a sample is taken. Pure, but for CallOnStack.
//
// A handler runs on the thread's alternate stack where there is one, and that may be as small as
// 8 KiB (gdb, Rust's main thread, a JVM): with AVX-512 a signal's frame alone takes 3.6 KiB of it.
// Then there is no room for the frame that a fault in a safe load needs, nor for that of a signal
// of the program's that arrives meanwhile, and the kernel kills. So a sample does not stay on a
// small one: it is taken below the interrupted frames, where the program's own handlers would run
// as well. Not where the interrupted stack is none of the thread's own (a goroutine, a coroutine):
// what lies below it is somebody else's memory. Where a thread runs on such a stack and has no
// alternate one, the kernel's frame of the signal lies there already, 1.2 to 3.7 KiB, and a sample
// takes up to 3.5 more: only where memory goes on below, else the place where the thread runs is
// all that is taken. Rejected: a stack of ours, as a handler of the program's that comes meanwhile
// may leave it by swapcontext(3) with the frames of what it interrupted, and collectors scan from a
// handler's stack pointer. Rejected: blocking the program's signals meanwhile, because the kernel
// then gives them to other threads (gdb waited forever for a SIGCHLD that one of them had got).
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

// Of the fault handler.
constexpr uint64_t kFaultBytes = 512;
// Left for a handler of the program's.
constexpr uint64_t kForeignBytes = 8192;
// Below the interrupted frames there must be that much.
constexpr uint64_t kBelowBytes = 16384;

// The stack of a thread, roughly; high 0: not known.
struct OwnStack {
  uint64_t low = 0, high = 0;

  bool Holds(uint64_t address) const { return high == 0 || (address >= low && address <= high); }
  // Has it room for a sample below `interrupted`, as far as is known?
  bool HasRoomBelow(uint64_t interrupted) const {
    return high == 0 || (interrupted <= high && interrupted >= low + kBelowBytes);
  }
};

// What belongs to a thread that ran before us, whose stack nobody has told: glibc lays the thread
// pointer above it. No more than that, as other memory may follow: Erlang's code has its stack in
// the heap. Smaller stacks are rare.
inline OwnStack StackBelow(uint64_t thread_pointer) {
  constexpr uint64_t kUsual = 128 << 10;
  return {thread_pointer - std::min(thread_pointer, kUsual), thread_pointer};
}

// `alternate`, `interrupted`: of the interrupted context, the latter its stack pointer. `here`: an
// address in the handler's frame. `signal_frame`: what the kernel puts on the stack for a signal.
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
