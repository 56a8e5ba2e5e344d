// Gives threads of programs that run Python an alternate signal stack.
//
// The kernel writes a signal's frame below the stack pointer. Some code moves the stack pointer
// through memory that is not a stack: matrix products in oneDNN until March 2026 (its issue 4845),
// which TensorFlow uses on processors with AVX-512. The frame then overwrites the memory before a
// heap buffer, and malloc aborts the program. A thread without an alternate stack therefore gets
// one when it starts, or at its first sample if Python is found later. The program does not see it
// (sigaltstack is interposed). If the thread sets a stack of its own, that replaces ours until the
// thread disables it.
//
// Only programs with Python get one. In other programs a garbage collector may stop threads by a
// signal, and its handler assumes that the stack pointer is in the thread's own stack (Boehm's
// does). The stack is large enough for any handler of the program that is set to run on an
// alternate stack but expects to run on the thread's own.
//
// A program that is entered late gets none, because functions are not interposed in it. The program
// would see the stack, and nothing would report the end of a thread.
//
// The memory belongs to a slot (threads.h) and is reused with it. Async-signal-safe; for the
// calling thread only.
#pragma once

#include <ucontext.h>

#include <csignal>

#include "samplers/agent/process/threads.h"

namespace gprofx::agent {

// Gives the thread the alternate stack. Do not call from signal handlers, because the return from a
// signal restores the previous stack.
void GiveSignalStack(ThreadState* state);
// Gives the thread the alternate stack from within a signal handler, whose context is `context`.
// Takes effect at the return from the signal.
void GiveSignalStackAtReturn(ThreadState* state, ucontext_t& context);
// Takes the stack back from the thread, which is about to end. The next thread in the slot can then
// have it.
void TakeSignalStack(ThreadState* state);
// Called when the slot is reused. An earlier thread may still use the stack or may have unmapped
// it. If so, the stack is leaked and the next thread gets a new one.
void ForgetSignalStack(ThreadState* state);

// True if `stack` is the one that we gave the calling thread.
bool IsSignalStack(const stack_t& stack);

}  // namespace gprofx::agent
