#include "samplers/attach/stopped_thread.h"

#include <elf.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#include <cerrno>
#include <charconv>
#include <string>
#include <string_view>

#include "core/base/file_io.h"
#include "samplers/collector/processes/procfs.h"
#include "samplers/collector/session.h"
#include "samplers/wire/layout.h"

namespace gprofx::attach {
namespace {

constexpr size_t kMaxVectors = 64 << 10;
constexpr HostNs kLook = 20'000;

// All signals except faults. A fault that is blocked ends the process.
constexpr uint64_t Bit(int signal) { return uint64_t{1} << (signal - 1); }
constexpr uint64_t kAllButFaults =
    ~(Bit(SIGSEGV) | Bit(SIGBUS) | Bit(SIGILL) | Bit(SIGFPE) | Bit(SIGTRAP));

void Sleep(HostNs ns) {
  const timespec pause{0, ns};
  nanosleep(&pause, nullptr);
}

}  // namespace

StoppedThread::StoppedThread(const ProcessHandle& process, pid_t tid)
    : process_(process), tid_(tid) {
  registers_.orig_rax = ~uint64_t{0};
}

bool StoppedThread::InCall(const user_regs_struct& registers) {
  return static_cast<int64_t>(registers.orig_rax) >= 0;
}

// Waits until the thread stops, but not longer than `until`. Returns false if it does not stop or
// has ended. Polls instead of blocking, because a thread in uninterruptible sleep may not stop for
// hours.
bool StoppedThread::WaitForStop(HostNs until, int* status) {
  while (true) {
    const pid_t got = waitpid(tid_, status, __WALL | WNOHANG);
    if (got == tid_) {
      if (WIFSTOPPED(*status)) return true;
      traced_ = false;  // the thread has ended
      return false;
    }
    if (got < 0 && errno != EINTR) {
      traced_ = false;
      return false;
    }
    if (MonotonicNs() > until) return false;
    Sleep(kLook);
  }
}

StoppedThread::Answer StoppedThread::Stop(HostNs patience) {
  since_ = MonotonicNs();
  if (ptrace(PTRACE_SEIZE, tid_, nullptr, nullptr) != 0) {
    return errno == EPERM ? Answer::kForbidden : Answer::kGone;
  }
  traced_ = true;
  // The thread is traced, so its id is not reused from here on. Check that it is a thread of our
  // process.
  if (!process_.HasThread(tid_)) return Answer::kGone;
  if (ptrace(PTRACE_INTERRUPT, tid_, nullptr, nullptr) != 0) return Answer::kGone;
  const HostNs until = since_ + patience;
  int status = 0;
  while (WaitForStop(until, &status)) {
    stopped_ = true;
    since_ = MonotonicNs();
    const bool event = status >> 16 == PTRACE_EVENT_STOP;
    if (event && WSTOPSIG(status) != SIGTRAP) return Answer::kHalted;
    if (event) {
      if (ptrace(PTRACE_GETREGS, tid_, nullptr, &registers_) != 0) return Answer::kGone;
      return RestartEndedCall() ? Answer::kStopped : Answer::kGone;
    }
    // A signal stopped the thread before our own stop did. Deliver the signal and wait again.
    user_regs_struct now{};
    const bool in_call = ptrace(PTRACE_GETREGS, tid_, nullptr, &now) == 0 && InCall(now);
    const int signal = in_call ? NotOurs(WSTOPSIG(status)) : WSTOPSIG(status);
    stopped_ = false;
    if (ptrace(PTRACE_CONT, tid_, nullptr, signal) != 0) return Answer::kGone;
    if (MonotonicNs() > until) break;
  }
  if (!traced_) return Answer::kGone;
  return Answer::kNoAnswer;
}

// If the stop itself ended the thread's system call, as it does for a few calls, makes the thread
// repeat the call. Sets the result with which the kernel restarts a call unless a handler of the
// program runs first (include/linux/errno.h). The timeout of such a call starts over.
bool StoppedThread::RestartEndedCall() {
  constexpr int64_t kRestartWithoutHandler = -514;
  if (!IsMadeAgain(static_cast<int64_t>(registers_.orig_rax)) ||
      static_cast<int64_t>(registers_.rax) != -EINTR) {
    return true;
  }
  registers_.rax = static_cast<uint64_t>(kRestartWithoutHandler);
  return SetRegisters(registers_);
}

CallInProgress StoppedThread::call() const {
  CallInProgress call;
  call.number = static_cast<int64_t>(registers_.orig_rax);
  call.first = registers_.rdi;
  call.second = registers_.rsi;
  return call;
}

bool StoppedThread::InRestartableSequence(const RemoteMemory& memory) const {
  struct {
    uint64_t area;
    uint32_t bytes, signature, flags, pad;
  } configuration{};
  constexpr auto kGetRseq = static_cast<__ptrace_request>(0x420f);  // since Linux 5.13
  const long got =
      ptrace(kGetRseq, tid_, reinterpret_cast<void*>(sizeof configuration), &configuration);
  if (got <= 0 || configuration.area == 0) return false;
  constexpr uint64_t kSequenceOffset = 8;
  uint64_t sequence = 0;
  return !memory.Get(configuration.area + kSequenceOffset, &sequence) || sequence != 0;
}

bool StoppedThread::Prepare() {
  vectors_.resize(kMaxVectors);
  iovec room{vectors_.data(), vectors_.size()};
  if (ptrace(PTRACE_GETREGSET, tid_, NT_X86_XSTATE, &room) != 0) return false;
  vectors_.resize(room.iov_len);
  if (ptrace(PTRACE_GETSIGMASK, tid_, sizeof mask_, &mask_) != 0) return false;
  uint64_t blocked = mask_ | kAllButFaults;
  if (ptrace(PTRACE_SETSIGMASK, tid_, sizeof blocked, &blocked) != 0) return false;
  changed_ = true;
  return true;
}

bool StoppedThread::SignalsWait() const {
  const auto status = ReadSmallFile(ThreadPath(process_.pid(), tid_, "status"), 1 << 16);
  if (!status) return true;
  const uint64_t waiting = MaskInStatus(*status, "SigPnd") | MaskInStatus(*status, "ShdPnd");
  return (waiting & ~MaskInStatus(*status, "SigBlk")) != 0;
}

int StoppedThread::NotOurs(int signal) const {
  siginfo_t info{};
  if (ptrace(PTRACE_GETSIGINFO, tid_, nullptr, &info) != 0) return signal;
  const auto value = reinterpret_cast<uint64_t>(info.si_value.sival_ptr);
  const bool timer = info.si_code == SI_TIMER && value >> 16 == wire::kTimerCookie >> 16;
  const bool perf = info.si_code == POLL_IN || info.si_code == POLL_HUP || info.si_code == SI_SIGIO;
  return (signal == wire::kTickSignal && timer) || (signal == wire::kAskSignal && perf) ? 0
                                                                                        : signal;
}

// Discards a signal of the agent's timer and returns any other signal that arrived, for Release to
// deliver; 0 = none. If the agent is already in the process, its timer may expire because of what a
// stop makes the thread do. Its signal would then end the interrupted call, if that must not be
// interrupted by a handler.
int StoppedThread::TakeOwnSignal() {
  if (!InCall(registers_) || !SignalsWait()) return 0;
  int status = 0;
  stopped_ = false;
  if (ptrace(PTRACE_CONT, tid_, nullptr, nullptr) != 0) return 0;
  if (!WaitForStop(MonotonicNs() + 100'000'000, &status)) return 0;
  stopped_ = true;
  if (status >> 16 != 0) return 0;  // a ptrace event, not a signal
  return NotOurs(WSTOPSIG(status));
}

bool StoppedThread::SetRegisters(const user_regs_struct& registers) const {
  return ptrace(PTRACE_SETREGS, tid_, nullptr, &registers) == 0;
}

// Lets the thread run until it reaches our trap. It cannot be restored in the middle of a libc
// function, because it may hold a lock. Stops for other reasons are therefore passed over: SIGCONT
// makes each traced thread of a process stop, and SIGSTOP cannot be blocked. `patience` limits the
// wait even if such signals are sent for ever.
bool StoppedThread::RunToTrap(int how, HostNs patience, user_regs_struct* at) {
  const HostNs until = MonotonicNs() + patience;
  while (true) {
    stopped_ = false;
    if (ptrace(static_cast<__ptrace_request>(how), tid_, nullptr, nullptr) != 0) return false;
    int status = 0;
    if (!WaitForStop(until, &status)) return false;
    stopped_ = true;
    const bool event = status >> 16 == PTRACE_EVENT_STOP;
    const int signal = WSTOPSIG(status);
    if (!event && signal == SIGTRAP) return ptrace(PTRACE_GETREGS, tid_, nullptr, at) == 0;
    if (MonotonicNs() > until) return false;
    if (event) continue;
    if ((Bit(signal) & kAllButFaults) == 0) return false;
    came_ = signal;
  }
}

std::optional<int64_t> StoppedThread::SystemCall(uint64_t instruction, int64_t number,
                                                 const uint64_t (&arguments)[6]) {
  user_regs_struct registers = registers_;
  registers.rip = instruction;
  registers.rax = static_cast<uint64_t>(number);
  registers.orig_rax = ~uint64_t{0};
  registers.rdi = arguments[0];
  registers.rsi = arguments[1];
  registers.rdx = arguments[2];
  registers.r10 = arguments[3];
  registers.r8 = arguments[4];
  registers.r9 = arguments[5];
  constexpr HostNs kPatience = 5'000'000'000;
  user_regs_struct after{};
  if (!SetRegisters(registers) || !RunToTrap(PTRACE_SINGLESTEP, kPatience, &after))
    return std::nullopt;
  if (after.rip != instruction + 2) return std::nullopt;
  return static_cast<int64_t>(after.rax);
}

std::optional<uint64_t> StoppedThread::Call(uint64_t code, uint64_t trap, uint64_t stack,
                                            uint64_t function, const uint64_t (&arguments)[4],
                                            HostNs patience) {
  user_regs_struct registers = registers_;
  registers.rip = code;
  registers.rsp = stack;
  registers.rbp = 0;
  registers.rax = function;
  registers.orig_rax = ~uint64_t{0};
  registers.rdi = arguments[0];
  registers.rsi = arguments[1];
  registers.rdx = arguments[2];
  registers.rcx = arguments[3];
  registers.eflags &= ~uint64_t{0x400};  // clear the direction flag, as the ABI requires
  user_regs_struct after{};
  if (!SetRegisters(registers) || !RunToTrap(PTRACE_CONT, patience, &after)) return std::nullopt;
  if (after.rip != trap) return std::nullopt;
  return after.rax;
}

void StoppedThread::Release() {
  if (!traced_) return;
  if (!stopped_) {  // the thread never stopped or runs again, but must be stopped to be detached
    int status = 0;
    ptrace(PTRACE_INTERRUPT, tid_, nullptr, nullptr);
    // If the thread does not stop now, the kernel releases it when our tracing thread ends.
    constexpr HostNs kPatience = 100'000'000;
    stopped_ = WaitForStop(MonotonicNs() + kPatience, &status);
    if (!traced_) return;
  }
  int deliver = 0;
  if (changed_) {
    iovec state{vectors_.data(), vectors_.size()};
    ptrace(PTRACE_SETREGSET, tid_, NT_X86_XSTATE, &state);
    SetRegisters(registers_);
    ptrace(PTRACE_SETSIGMASK, tid_, sizeof mask_, &mask_);
  }
  if (stopped_) {
    deliver = TakeOwnSignal();
    if (!traced_) return;
    if (!stopped_) {
      ptrace(PTRACE_INTERRUPT, tid_, nullptr, nullptr);
      int status = 0;
      if (!WaitForStop(MonotonicNs() + 2'000'000'000, &status)) return;
      if (status >> 16 == 0) deliver = WSTOPSIG(status);
    }
    if (deliver == 0) deliver = came_;
  }
  ptrace(PTRACE_DETACH, tid_, nullptr, static_cast<long>(deliver));
  traced_ = false;
  held_for_ = MonotonicNs() - since_;
}

}  // namespace gprofx::attach
