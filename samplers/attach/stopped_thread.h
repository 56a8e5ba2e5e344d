// Stops one thread of another process for a moment by ptrace(2). Saves the thread's state, uses the
// thread for a system call or a function call, and restores the state. The thread does not notice.
//
// All registers including vector registers, the signal mask and an interrupted system call are
// restored; the kernel restarts that call from the register values. Signals that arrive meanwhile
// wait. Other threads are not affected. Use the object in the thread that created it; the
// destructor detaches. If another process has reused the thread id, the thread that was stopped by
// mistake is released unchanged. If the process ends or runs another program, calls fail.
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
    kForbidden,  // ptrace(2) fails with EPERM
    kGone,
    kHalted,    // the whole process is stopped, by SIGSTOP or a debugger
    kNoAnswer,  // the thread did not stop in time: it is in uninterruptible sleep
  };

  StoppedThread(const ProcessHandle& process, pid_t tid);
  ~StoppedThread() { Release(); }
  StoppedThread(const StoppedThread&) = delete;
  StoppedThread& operator=(const StoppedThread&) = delete;

  Answer Stop(HostNs patience);
  // Restores the thread's state and detaches from it. May be called twice.
  void Release();

  const user_regs_struct& registers() const { return registers_; }
  CallInProgress call() const;
  // True if the thread is in a restartable sequence (rseq(2)), which the kernel would restart if
  // the thread were used.
  bool InRestartableSequence(const RemoteMemory& memory) const;

  // Saves the rest of the thread's state. Must be called before SystemCall and Call.
  bool Prepare();
  // Makes the thread make a system call. Returns the result. Returns none if that was not possible.
  std::optional<int64_t> SystemCall(uint64_t instruction, int64_t number,
                                    const uint64_t (&arguments)[6]);
  // Runs the thread at `code` with this stack and these registers until it traps at `trap`. Returns
  // the value of rax. Returns none if the thread did not reach the trap.
  std::optional<uint64_t> Call(uint64_t code, uint64_t trap, uint64_t stack, uint64_t function,
                               const uint64_t (&arguments)[4], HostNs patience);
  // Returns for how long the thread was stopped. Valid after Release.
  HostNs held_for() const { return held_for_; }

 private:
  bool WaitForStop(HostNs until, int* status);
  // Resumes the thread by the ptrace(2) request `how` until it traps. If another signal stops it
  // meanwhile, Release delivers that signal. A fault ends the attempt.
  bool RunToTrap(int how, HostNs patience, user_regs_struct* at);
  bool SetRegisters(const user_regs_struct& registers) const;
  bool RestartEndedCall();
  static bool InCall(const user_regs_struct& registers);
  bool SignalsWait() const;
  // Returns `signal`, or 0 if it is a signal of the agent.
  int NotOurs(int signal) const;
  int TakeOwnSignal();

  const ProcessHandle& process_;
  const pid_t tid_;
  bool traced_ = false, stopped_ = false, changed_ = false;
  int came_ = 0;  // job-control stop (SIGSTOP) that arrived; Release delivers it
  user_regs_struct registers_{};
  std::vector<std::byte> vectors_;
  uint64_t mask_ = 0;
  HostNs since_ = 0, held_for_ = 0;
};

}  // namespace gprofx::attach
