// What threads of the program believe that they block of kAskSignal, which stays open for samples.
//
// A thread that blocks every signal, as those of many libraries do, is sampled nevertheless: the signal
// is left out of what gets blocked, and the program is shown the mask that it set. A signal of
// somebody else's that comes meanwhile is blocked and sent again: it waits, as it would without us,
// for sigwait(3), a signalfd(2) or the end of the block. Where the program has a handler for the
// signal its masks are as it sets them.
//
// Thread-local; async-signal-safe.
#pragma once

#include <csignal>
#include <cstdint>
#include <ucontext.h>

namespace gprofx::agent {

using MaskFunction = int (*)(int, const sigset_t*, sigset_t*);

// pthread_sigmask(3) and sigprocmask(3) by the `real` one, and what it answers.
int ChangeMask(MaskFunction real, int how, const sigset_t* set, sigset_t* old);

// Does the calling thread believe that it blocks the signal, which is open?
bool HidesAsk();
// A thread that begins has that from its creator, or from what it was exec'ed by.
void SetHidesAsk(bool hides);

// In a handler, of a signal that is not ours: true if it waits now.
bool KeepWaiting(const siginfo_t& info, ucontext_t* context);

// From here on the signal is blocked where the calling thread believes so.
void BlockHidden();

// While one lives, the kernel's mask of the calling thread is the one that the program set: it outlives
// an exec. Also in a vfork child.
class MaskAsSet {
 public:
  MaskAsSet();
  ~MaskAsSet();
  MaskAsSet(const MaskAsSet&) = delete;
  MaskAsSet& operator=(const MaskAsSet&) = delete;

 private:
  const bool changed_;
};

}  // namespace gprofx::agent
