// Runs in signal handlers: system calls only.
#include "samplers/agent/process/timers.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstring>
#include <utility>

#include "samplers/agent/confinement/limits.h"
#include "samplers/agent/libc/raw_syscall.h"
#include "samplers/agent/signals/signal_room.h"
#include "samplers/agent/signals/signals.h"
#include "samplers/wire/hash.h"

namespace gprofx::agent {
namespace {

timespec ToTimespec(uint64_t ns) {
  return {static_cast<time_t>(ns / 1000000000), static_cast<long>(ns % 1000000000)};
}

// Returns the CPU time in ns after which a timer first expires.
//
// A thread that lives for less than a period must be sampled with probability lifetime / period.
// The kernel checks timers only on its tick, which occurs at a random phase of the thread's life.
// If the period is one tick or less, the timer therefore expires at the first tick. For a longer
// period, a random time of up to the rest of the period is added.
uint64_t FirstExpiry(const wire::SamplingPlan& plan, int32_t tid) {
  if (plan.posix_period_ns <= plan.tick_ns) return 1;
  const uint64_t seed = static_cast<uint64_t>(MonotonicNs()) ^ static_cast<uint64_t>(tid) << 40;
  return 1 + wire::MixBits(seed) % (plan.posix_period_ns - plan.tick_ns);
}

std::atomic<bool> g_perf_was_opened{false};
// Descriptor number that the signals of the thread's perf event carry. The thread may receive such
// signals when its state is already gone.
constinit thread_local int t_perf_number = -1;

int32_t MakeTimer(int32_t tid, uint32_t slot) {
  if (!HasRoomForTimer()) return -1;
  const wire::SamplingPlan plan = g_session.plan();
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = wire::kTickSignal;
  event.sigev_value.sival_ptr = reinterpret_cast<void*>(CookieOf(slot));
  event._sigev_un._tid = tid;
  int32_t timer = -1;
  if (RawSyscall(SYS_timer_create, CpuClockOf(tid), AsArgument(&event), AsArgument(&timer)) != 0)
    return -1;
  itimerspec times{ToTimespec(plan.posix_period_ns), ToTimespec(FirstExpiry(plan, tid))};
  if (RawSyscall(SYS_timer_settime, timer, 0, AsArgument(&times)) == 0) return timer;
  DeleteTimer(timer);
  return -1;
}

int OpenTaskClock(const wire::SamplingPlan& plan) {
  perf_event_attr attr{};
  attr.size = sizeof(attr);
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_TASK_CLOCK;
  attr.sample_period = plan.perf_period_ns;
  attr.wakeup_events = 1;
  // The event counts user mode only; the POSIX timer covers kernel mode. Such an event needs no
  // privilege. Its signal also cannot arrive inside execve(2), where it would reach the new
  // program, which has no handler.
  attr.exclude_kernel = 1;
  attr.exclude_hv = 1;
  attr.remove_on_exec = 1;
  return static_cast<int>(
      RawSyscall(SYS_perf_event_open, AsArgument(&attr), 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

// Moves the descriptor to a high number and returns that. The event's signals carry the number that
// it had when they were requested, even after it is closed. A low number could by then be a file of
// the program.
int UnderHighNumber(int fd) {
  for (const int least : {1000, 200}) {
    const int high = fcntl(fd, F_DUPFD_CLOEXEC, least);
    if (high < 0) continue;
    close(fd);
    return high;
  }
  return fd;
}

bool SignalOnOverflow(int fd, int32_t tid) {
  f_owner_ex owner{F_OWNER_TID, tid};
  return fcntl(fd, F_SETOWN_EX, &owner) == 0 && fcntl(fd, F_SETSIG, wire::kAskSignal) == 0 &&
         fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK) == 0;
}

// Closes the perf event that was open in OpenPerfEvent when a handler of the program abandoned that
// call (scratch.h). By now its number may belong to a file of the program, which stays open.
void CloseLeftEvent(ThreadState* state) {
  const int fd = std::exchange(state->perf_fd, -1);
  f_owner_ex owner{};
  const bool is_ours = fd >= 0 && fcntl(fd, F_GETSIG) == wire::kAskSignal &&
                       fcntl(fd, F_GETOWN_EX, &owner) == 0 && owner.pid == state->tid;
  if (is_ours) close(fd);
}

enum class Sent { kYes, kLater, kNo };

// Sends the descriptor of a perf event to the collector. Returns kLater if the collector's queue is
// full; on many machines it holds 10 datagrams (net.unix.max_dgram_qlen).
Sent HandOver(int fd, const ThreadState& state) {
  int socket_fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket_fd < 0) return Sent::kNo;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const SessionName& name = g_session.name();
  size_t length = strnlen(name.socket_name, sizeof(name.socket_name));
  std::memcpy(address.sun_path + 1, name.socket_name, length);
  wire::PerfEventMessage message{name.secret, g_session.facts().token,       g_session.region(),
                                 state.slot,  state.ring->generation.load(), 0};
  iovec part{&message, sizeof(message)};
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int))] = {};
  msghdr header{};
  header.msg_name = &address;
  header.msg_namelen = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = room;
  header.msg_controllen = sizeof(room);
  cmsghdr* extra = CMSG_FIRSTHDR(&header);
  extra->cmsg_level = SOL_SOCKET;
  extra->cmsg_type = SCM_RIGHTS;
  extra->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(extra), &fd, sizeof(fd));
  ssize_t bytes = sendmsg(socket_fd, &header, MSG_NOSIGNAL | MSG_DONTWAIT);
  bool full = bytes < 0 && (errno == EAGAIN || errno == ENOBUFS || errno == ETOOMANYREFS);
  close(socket_fd);
  if (full) return Sent::kLater;
  return bytes == sizeof(message) ? Sent::kYes : Sent::kNo;
}

Sent OpenAndHandOver(ThreadState* state) {
  int fd = OpenTaskClock(g_session.plan());
  if (fd >= 0) fd = UnderHighNumber(fd);
  state->perf_fd = fd;
  if (fd >= 0) t_perf_number = fd;
  state->perf_armed = fd >= 0;  // the event may send a signal before the collector has it
  if (fd < 0) return Sent::kNo;
  g_perf_was_opened.store(true, std::memory_order_relaxed);
  // Store this before the collector has the event. Otherwise the collector could receive the event
  // and still read the older value.
  state->ring->perf.store(wire::kPerfHandedOver, std::memory_order_release);
  const Sent sent = SignalOnOverflow(fd, state->tid) ? HandOver(fd, *state) : Sent::kNo;
  if (sent != Sent::kYes) state->ring->perf.store(wire::kPerfNone, std::memory_order_release);
  state->perf_fd = -1;
  close(fd);
  return sent;
}

}  // namespace

int64_t CpuNsOf(int32_t tid) {
  timespec t;
  if (clock_gettime(CpuClockOf(tid), &t) != 0) return -1;
  return t.tv_sec * int64_t{1000000000} + t.tv_nsec;
}

bool ArmTimer(ThreadState* state) {
  if (g_session.over()) {
    state->timer = kTimersAreOver;
    return true;
  }
  state->periods = g_session.periods();
  state->timer = MakeTimer(state->tid, state->slot);
  return state->timer >= 0;
}

void DisarmTimer(ThreadState* state) {
  DeleteTimer(state->timer);
  state->timer = -1;
}

void RestTimer(const ThreadState* state, int64_t ns) {
  if (state->timer < 0 || !Allowed(kNeedTimers)) return;
  const itimerspec times{ToTimespec(g_session.plan().posix_period_ns),
                         ToTimespec(static_cast<uint64_t>(ns))};
  RawSyscall(SYS_timer_settime, state->timer, 0, AsArgument(&times));
}

int32_t ArmPostponedTimer(int32_t tid) { return MakeTimer(tid, kPostponedSlot); }

void DeleteTimer(int32_t timer) {
  if (timer >= 0 && Allowed(kNeedTimers)) RawSyscall(SYS_timer_delete, timer);
}

int NumberOfPerfSignals() { return t_perf_number; }

bool PerfWasOpened() { return g_perf_was_opened.load(std::memory_order_relaxed); }

void OpenPerfEvent(ThreadState* state) {
  if (!Allowed(kNeedPerf | kNeedStopPerf)) {
    state->perf_tried = true;
    return;
  }
  // Set these first. A handler of the program may abandon this call, and opening a second event
  // would count all time twice.
  state->perf_opening = state->perf_tried = true;
  CloseLeftEvent(state);
  const Sent sent = OpenAndHandOver(state);
  state->perf_tried = sent != Sent::kLater;
  state->perf_armed = sent == Sent::kYes;
  if (sent == Sent::kYes) state->ledger.StartPerf();
  state->perf_opening = false;
  if (sent != Sent::kLater)
    g_session.Count(sent == Sent::kYes ? wire::kPerfOpened : wire::kPerfFailed);
}

void GiveUpOpening(ThreadState* state) {
  state->perf_opening = false;
  RestPerfEvent(state);  // the collector may have the event or not
}

Switching HowOftenItSwitches(ThreadState* state) {
  // Ns of CPU time per switch; min ns of CPU time between two full checks; number of switches.
  constexpr int64_t kNsOfSwitch = 1'000'000, kLook = 50'000'000, kFew = 20;
  rusage usage{};
  if (!Allowed(kNeedPerf) || RawSyscall(SYS_getrusage, RUSAGE_THREAD, AsArgument(&usage)) != 0) {
    return Switching::kSeldom;
  }
  Switches& before = state->switches;
  const Switches now{usage.ru_nvcsw, state->ring->last_cpu_ns.load(std::memory_order_relaxed)};
  const int64_t cpu_ns = now.cpu_ns - before.cpu_ns;
  const bool often = now.count - before.count > kFew + cpu_ns / kNsOfSwitch;
  if (cpu_ns < kLook) return often ? Switching::kUnknown : Switching::kSeldom;
  before = now;
  return often ? Switching::kOften : Switching::kSeldom;
}

void EndPerfEvent(ThreadState* state) {
  constexpr int kMaxLooks = 200;
  const std::atomic<uint32_t>& perf = state->ring->perf;
  if (perf.load() == wire::kPerfHandedOver) RestPerfEvent(state);
  const timespec pause{0, 1'000'000};
  for (int i = 0; i < kMaxLooks && perf.load(std::memory_order_acquire) == wire::kPerfUnwanted;
       ++i) {
    RawSyscall(SYS_nanosleep, AsArgument(&pause), 0);
  }
}

void RestPerfEvent(ThreadState* state) {
  constexpr int64_t kRest = 1'000'000'000;  // ns of CPU time
  constexpr uint8_t kMaxDoublings = 6;
  state->ledger.StopPerf();
  state->ring->perf.store(wire::kPerfUnwanted, std::memory_order_release);
  const int64_t now = state->ring->last_cpu_ns.load(std::memory_order_relaxed);
  state->perf_rests_until = now + (kRest << state->perf_rests);
  if (state->perf_rests < kMaxDoublings) ++state->perf_rests;
}

}  // namespace gprofx::agent
