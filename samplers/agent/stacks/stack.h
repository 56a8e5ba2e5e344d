// Signal path. One stack of the calling thread: native walk, Python walk, merge, intern.
#pragma once

#include <cstdint>

#include "samplers/agent/process/threads.h"

namespace gprofx::agent {

enum class StackOf { kSample, kCall };

// Whose Python frames belong to a stack.
struct PythonOwner {
  uint64_t thread = 0;    // PyThreadState, 0 = there are none
  uint64_t frame = 0;     // its innermost one, where a CUDA call asks
  uint16_t gil = 0;       // wire::SampleFlags: state of the calling thread
  bool borrowed = false;  // of another thread: see python/autograd.h
  bool known = false;     // false: the interpreter had not been met yet when this was asked
};
PythonOwner OwnerForSample(ThreadState* state);
PythonOwner OwnerForCall(ThreadState* state);

struct Stack {
  uint32_t node = 0;
  uint32_t code = 0;    // the node without the layer that it is of
  uint16_t flags = 0;   // wire::SampleFlags
  bool whole = false;   // complete, nothing torn, cut or guessed
  uint32_t python = 0;  // Python frames, state->python
};

// `what` says whose counters the quality of the stack goes to. Of a call, the frames that the CUDA
// driver, CUPTI and we ourselves added at the leaf are left out. The caller holds the Scratch.
// A sample without a stack, of a thread that runs at `ip` (0 = not known); false: the ring is full.
// Asks for little stack.
bool AppendUnseen(ThreadState* state, int64_t time_ns, wire::Unseen why, uint64_t ip,
                  uint64_t weight);

Stack TakeStack(ThreadState* state, const Registers& registers, StackOf what, PythonOwner owner);

// The native frames alone, into the caller's buffer; nothing of a thread's state is used.
// `previous`: the walk before in the same buffer.
WalkResult WalkInto(NativeFrame* buffer, uint32_t capacity, const Registers& registers,
                    const WalkResult& previous = {});

// The Python frames of a PyThreadState (not 0), into the caller's buffer.
PyWalkResult WalkPythonInto(PyFrame* buffer, uint32_t capacity, uint64_t thread);

// A native frame as it is recorded.
uint64_t WireFrameOf(const NativeFrame& frame);

// Is it code of the driver, of CUPTI or our own?
bool IsCudaPlumbing(const NativeFrame& frame);

// Appends an entry to the thread's ring; the first of a CUDA call makes it larger, where what is
// unread allows it. False: no room, nothing was written.
bool AppendRecord(ThreadState* state, int64_t time_ns, uint16_t flags, uint32_t node,
                  uint64_t weight);

}  // namespace gprofx::agent
