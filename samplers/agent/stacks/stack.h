// Runs in signal handlers. Takes one stack of the calling thread: walks the native and the Python
// frames, merges them and finds the node of the result.
#pragma once

#include <cstdint>

#include "samplers/agent/process/threads.h"

namespace gprofx::agent {

enum class StackOf { kSample, kCall };

// The thread whose Python frames belong to a stack.
struct PythonOwner {
  uint64_t thread = 0;    // PyThreadState, 0 = none
  uint64_t frame = 0;     // its innermost frame; only set for CUDA calls
  uint16_t gil = 0;       // whether the calling thread holds the GIL (a bit of wire::SampleFlags)
  bool borrowed = false;  // the frames belong to another thread (python/autograd.h)
  bool known = false;     // false if no interpreter was found yet when this was filled in
};
PythonOwner OwnerForSample(ThreadState* state);
PythonOwner OwnerForCall(ThreadState* state);

struct Stack {
  uint32_t node = 0;
  uint32_t code = 0;    // node of the stack without its PyTorch modules
  uint16_t flags = 0;   // wire::SampleFlags
  bool whole = false;   // complete; nothing is torn, cut or guessed
  uint32_t python = 0;  // number of Python frames in state->python
};

// TakeStack takes the calling thread's stack. `what` selects the quality counters. For a CUDA call,
// the leaf frames of the driver, CUPTI and the agent are left out. The caller holds the Scratch
// (scratch.h).
//
// AppendUnseen appends a sample without a stack to the thread's ring. `ip` is where the thread runs
// (0 = unknown). Returns false if the ring is full. Needs little stack.
bool AppendUnseen(ThreadState* state, int64_t time_ns, wire::Unseen why, uint64_t ip,
                  uint64_t weight);

Stack TakeStack(ThreadState* state, const Registers& registers, StackOf what, PythonOwner owner);

// Walks only the native frames, into the caller's buffer, without a ThreadState. `previous` is the
// result of the previous walk in the same buffer.
WalkResult WalkInto(NativeFrame* buffer, uint32_t capacity, const Registers& registers,
                    const WalkResult& previous = {});

// Walks the Python frames of the PyThreadState `thread` (not 0), into the caller's buffer.
PyWalkResult WalkPythonInto(PyFrame* buffer, uint32_t capacity, uint64_t thread);

// Converts a native frame to its wire format.
uint64_t WireFrameOf(const NativeFrame& frame);

// True if the frame belongs to the CUDA driver, CUPTI or the agent.
bool IsCudaPlumbing(const NativeFrame& frame);

// Appends an entry to the thread's ring. The first entry of a CUDA call enlarges the ring, unless
// unread entries prevent that. If there is no room, writes nothing and returns false.
bool AppendRecord(ThreadState* state, int64_t time_ns, uint16_t flags, uint32_t node,
                  uint64_t weight);

}  // namespace gprofx::agent
