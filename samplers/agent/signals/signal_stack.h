// Alternate stacks of ours for signals, in programs that run Python.
//
// The kernel lays a signal's frame below the stack pointer, and some code lets that walk through
// memory which is no stack: products of matrices in oneDNN until March 2026 (its issue 4845), which
// TensorFlow uses on processors with AVX-512. The frame then destroys what lies before a buffer on
// the heap, and malloc ends the program. So a thread that has no alternate stack gets one: at its
// begin, or at its first sample where Python is found later. It does not see it (sigaltstack is
// interposed), and one of its own takes its place until it is given up.
//
// Only where Python is: elsewhere a garbage collector may stop threads by a signal, and its handler
// takes the stack pointer for one of the thread's own stack (Boehm's does). Large enough for any
// handler that the program set to run on an alternate stack and expects to find the thread's.
//
// Not where a program is entered late: there nothing hides the stack, and nothing tells of a
// thread's end.
//
// The memory belongs to a slot and stays with it (threads.h). Async-signal-safe; for the calling
// thread only.
#pragma once

#include <ucontext.h>

#include <csignal>

#include "samplers/agent/process/threads.h"

namespace gprofx::agent {

// Not in a handler, whose return puts back what was before.
void GiveSignalStack(ThreadState* state);
// In a handler: from the return of this signal on.
void GiveSignalStackAtReturn(ThreadState* state, ucontext_t& context);
// The thread ends, and its slot may become another's.
void TakeSignalStack(ThreadState* state);
// The slot becomes another's. Nobody gets what an earlier thread may still have, or has unmapped.
void ForgetSignalStack(ThreadState* state);

// Is it the one that the calling thread has from us?
bool IsSignalStack(const stack_t& stack);

}  // namespace gprofx::agent
