// Gives threads of programs that run Python an alternate signal stack.
//
// The kernel writes a signal's frame below the stack pointer, and some code moves the stack pointer
// through memory that is not a stack: matrix products in oneDNN until March 2026 (its issue 4845),
// which TensorFlow uses on processors with AVX-512. The frame then overwrites the memory before a
// heap buffer, and malloc aborts the program. So a thread without an alternate stack gets one: when
// it starts, or at its first sample if Python is found later. The thread does not see it
// (sigaltstack is interposed). A stack that the thread sets itself replaces it until the thread
// disables that stack.
//
// Only programs with Python get one. Elsewhere a garbage collector may stop threads by a signal,
// and its handler takes the stack pointer for one of the thread's own stack (Boehm's does). The
// stack is large enough for any handler that the program set to run on an alternate stack and that
// expects to find the thread's own.
//
// A program that is entered late gets none, because functions are not interposed in it: the program
// would see the stack, and nothing would report the end of a thread.
//
// The memory belongs to a slot and stays with it (threads.h). Async-signal-safe; for the calling
// thread only.
#pragma once

#include <ucontext.h>

#include <csignal>

#include "samplers/agent/process/threads.h"

namespace gprofx::agent {

// Not for handlers: the return from a signal restores the previous stack.
void GiveSignalStack(ThreadState* state);
// For handlers: takes effect at the return from this signal.
void GiveSignalStackAtReturn(ThreadState* state, ucontext_t& context);
// Takes the stack from the thread, so that the next thread in the slot can have it. Called when the
// thread ends.
void TakeSignalStack(ThreadState* state);
// Called when the slot is reused. If an earlier thread may still use the stack or may have unmapped
// it, the stack is leaked and the next thread gets a new one.
void ForgetSignalStack(ThreadState* state);

// True if `stack` is the one that we gave the calling thread.
bool IsSignalStack(const stack_t& stack);

}  // namespace gprofx::agent
