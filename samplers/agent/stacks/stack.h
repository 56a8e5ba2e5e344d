// Signal path. Takes one stack of the calling thread: native walk, Python walk, merge, intern.
#pragma once

#include <cstdint>

#include "samplers/agent/process/threads.h"

namespace gprofx::agent {

enum class StackOf { kSample, kCall };

// The thread whose Python frames belong to a stack.
struct PythonOwner {
  uint64_t thread = 0;    // PyThreadState, 0 = none
  uint64_t frame = 0;     // its innermost frame, set for CUDA calls
  uint16_t gil = 0;       // wire::SampleFlags: state of the calling thread
  bool borrowed = false;  // from another thread: see python/autograd.h
  bool known = false;     // false: the interpreter had not been found yet
};
PythonOwner OwnerForSample(ThreadState* state);
PythonOwner OwnerForCall(ThreadState* state);

struct Stack {
  uint32_t node = 0;
  uint32_t code = 0;    // the node without its layer
  uint16_t flags = 0;   // wire::SampleFlags
  bool whole = false;   // complete, nothing torn, cut or guessed
  uint32_t python = 0;  // number of Python frames in state->python
};

// TakeStack takes the calling thread's stack. `what` selects the quality counters. For a call, the
// leaf frames of the CUDA driver, CUPTI and the agent are left out. The caller holds the Scratch.
// AppendUnseen appends a sample without a stack, for a thread that runs at `ip` (0 = unknown).
// Returns false if the ring is full. Needs little stack.
bool AppendUnseen(ThreadState* state, int64_t time_ns, wire::Unseen why, uint64_t ip,
                  uint64_t weight);

Stack TakeStack(ThreadState* state, const Registers& registers, StackOf what, PythonOwner owner);

// Walks only the native frames, into the caller's buffer. Uses no state of a thread. `previous` is
// the previous walk in the same buffer.
WalkResult WalkInto(NativeFrame* buffer, uint32_t capacity, const Registers& registers,
                    const WalkResult& previous = {});

// Walks the Python frames of a PyThreadState (not 0), into the caller's buffer.
PyWalkResult WalkPythonInto(PyFrame* buffer, uint32_t capacity, uint64_t thread);

// Converts a native frame to its wire format.
uint64_t WireFrameOf(const NativeFrame& frame);

// True if the code belongs to the driver, CUPTI or the agent.
bool IsCudaPlumbing(const NativeFrame& frame);

// Appends an entry to the thread's ring. The first entry of a CUDA call enlarges the ring if its
// unread entries allow that. Returns false, with nothing written, if there is no room.
bool AppendRecord(ThreadState* state, int64_t time_ns, uint16_t flags, uint32_t node,
                  uint64_t weight);

}  // namespace gprofx::agent
