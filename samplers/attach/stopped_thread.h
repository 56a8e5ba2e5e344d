// One thread of another process, held by ptrace(2) for a moment: its state kept, used for a system
// call or a function call, and put back so that it does not notice.
//
// Put back are all registers with those of vector units, the signal mask, and a system call that
// was interrupted: the kernel starts it again by what stands in the registers. Signals that come
// meanwhile wait. Nothing is done to other threads. Made and used by one thread of ours; the
// destructor lets go. A number that has become another process's thread is let go untouched. Where
// the process ends or becomes another program meanwhile, calls fail.
#pragma once

#include <signal.h>
#include <sys/types.h>
#include <sys/user.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "core/model/ids.h"
#include "samplers/attach/process_handle.h"
#include "samplers/attach/safe_place.h"

namespace gprofx::attach {

class StoppedThread {
 public:
  enum class Answer {
    kStopped,
    kForbidden,  // ptrace(2) says EPERM
    kGone,
    kHalted,    // by SIGSTOP or a debugger: the whole process stands
    kNoAnswer,  // it does not stop in time: it sleeps in the kernel where no signal comes through
  };

  StoppedThread(const ProcessHandle& process, pid_t tid);
  ~StoppedThread() { Release(); }
  StoppedThread(const StoppedThread&) = delete;
  StoppedThread& operator=(const StoppedThread&) = delete;

  Answer Stop(HostNs patience);
  // Puts everything back and lets go. Safe to call twice.
  void Release();

  const user_regs_struct& registers() const { return registers_; }
  CallInProgress call() const;
  // Is it within a sequence that the kernel starts over when it is interrupted (rseq(2))?
  bool InRestartableSequence(const RemoteMemory& memory) const;

  // Keeps the rest of its state; before the first call.
  bool Prepare();
  // Result of a system call that it makes; none: it could not.
  std::optional<int64_t> SystemCall(uint64_t instruction, int64_t number,
                                    const uint64_t (&arguments)[6]);
  // Lets it run at `code` with this stack and these registers until it traps at `trap`.
  // Result: rax.
  std::optional<uint64_t> Call(uint64_t code, uint64_t trap, uint64_t stack, uint64_t function,
                               const uint64_t (&arguments)[4], HostNs patience);
  // From when it stood still until it ran again; after Release.
  HostNs held_for() const { return held_for_; }

 private:
  bool WaitForStop(HostNs until, int* status);
  // Resumes it by `how` until it traps; what else stops it meanwhile waits for Release, but for
  // faults, which end the try.
  bool RunToTrap(int how, HostNs patience, user_regs_struct* at);
  bool SetRegisters(const user_regs_struct& registers) const;
  bool RestartEndedCall();
  static bool InCall(const user_regs_struct& registers);
  bool SignalsWait() const;
  // 0 if the signal that it stopped for is one of the agent's, otherwise `signal`.
  int NotOurs(int signal) const;
  int TakeOwnSignal();

  const ProcessHandle& process_;
  const pid_t tid_;
  bool traced_ = false, stopped_ = false, changed_ = false;
  int came_ = 0;  // a signal that stops processes, which no mask keeps away
  user_regs_struct registers_{};
  std::vector<std::byte> vectors_;
  uint64_t mask_ = 0;
  HostNs since_ = 0, held_for_ = 0;
};

}  // namespace gprofx::attach
