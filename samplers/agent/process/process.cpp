// All functions except MakeThreadKey are async-signal-safe.
#include "samplers/agent/process/process.h"

#include <pthread.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "samplers/agent/calls/memory_ring.h"
#include "samplers/agent/confinement/limits.h"
#include "samplers/agent/libc/raw_syscall.h"
#include "samplers/agent/process/late.h"
#include "samplers/agent/process/own_time.h"
#include "samplers/agent/process/timers.h"
#include "samplers/agent/python/codes.h"
#include "samplers/agent/python/layers.h"
#include "samplers/agent/signals/signals.h"
#include "samplers/agent/stacks/modules.h"
#include "samplers/agent/stacks/sampler.h"

namespace gprofx::agent {
namespace {

pthread_key_t g_end_key;

struct PostponedChild {
  std::atomic<bool> joining;
  bool sampled;
  int32_t tid, timer;
  int64_t own_ns;  // our own CPU time so far
};
constinit PostponedChild g_child{};

int32_t ThisTid() { return static_cast<int32_t>(RawSyscall(SYS_gettid)); }

// True if the state belongs to the calling thread. A state may be left from an earlier recording,
// and another thread may use its slot by now.
bool IsOfThisThread(const ThreadState& state) {
  if (!g_session.joined() || state.recording != g_session.recording()) return false;
  if (!state.active.load()) return false;
  return !Allowed(kNeedThread) || state.tid == ThisTid();
}

void EndThisThread(void* value) {
  const InAgent here;
  auto* state = static_cast<ThreadState*>(value);
  SetCurrentThread(nullptr);
  if (!IsOfThisThread(*state)) return;
  const OwnTime ours;
  EndThread(state);
}

// Claims a region for a fork child, in which the calling thread is the only one. If `sampled`,
// returns a state for that thread, otherwise null. Returns null on failure, too.
ThreadState* Rejoin(bool sampled) {
  if (!g_session.Rejoin()) return nullptr;
  g_modules.Start();
  g_codes.Start();
  g_layers.Start();
  return sampled ? ClaimThread() : nullptr;
}

}  // namespace

bool IsOwnProcess() { return static_cast<pid_t>(RawSyscall(SYS_getpid)) == g_session.pid(); }

int64_t ChildrenCpuNs() {
  rusage used{};
  if (getrusage(RUSAGE_CHILDREN, &used) != 0) return 0;
  const auto ns = [](const timeval& t) {
    return t.tv_sec * int64_t{1000000000} + t.tv_usec * int64_t{1000};
  };
  return ns(used.ru_utime) + ns(used.ru_stime);
}

void MakeThreadKey() { pthread_key_create(&g_end_key, EndThisThread); }

void StartThisThread(ThreadState* state, int64_t from_cpu_ns, Signal signal) {
  if (state == nullptr) return;
  SetCurrentThread(state);
  ThreadState* begun = BeginThread(state, from_cpu_ns, signal);
  if (begun != state) SetCurrentThread(begun);
  pthread_setspecific(g_end_key, begun);
}

void StopThisThread() {
  const InAgent here;
  ThreadState* state = CurrentThread();
  if (state == nullptr) return;
  pthread_setspecific(g_end_key, nullptr);
  const bool counts = state->perf_armed;
  EndThisThread(state);
  // Disable the perf event now. The collector closes it only later, and until then it would send
  // signals.
  if (counts && Allowed(kNeedStopPerf)) RawSyscall(SYS_prctl, PR_TASK_PERF_EVENTS_DISABLE);
}

void NoteOwnName() {
  const InAgent here;
  ThreadState* state = Allowed(kNeedThread) && IsOwnProcess() ? CurrentThread() : nullptr;
  if (state != nullptr) NoteName(state);
}

void StartForkChild(bool sampled) {
  sampled = sampled || (g_session.postponed() && g_child.sampled);
  const int64_t begin = ThreadCpuNs();
  const pid_t parent = g_session.pid();
  ForgetThreads();
  ForgetFirstStack();
  ForgetMemoryRing();
  pthread_setspecific(g_end_key, nullptr);
  if (!g_session.attached()) return;
  // Leave if there is no handler for the timer's signal. That happens if the child was forked while
  // the agent was entering the parent.
  if (g_session.late() && !TicksAreOurs()) return g_session.Leave();
  if (!Allowed(kNeedFiles | kNeedNewThread)) return g_session.Leave();
  if (!g_session.Postpone(begin)) return;
  g_session.Note(wire::kNoteForked, g_session.pid(), parent, begin);
  g_child.sampled = sampled;
  g_child.tid = ThisTid();
  // In wall-clock mode a child joins now. The collector sends signals only to threads that are in a
  // region, so the child would wait for its first signal forever.
  const bool waits = g_session.plan().wall_clock == 0;
  g_child.timer = waits && sampled ? ArmPostponedTimer(g_child.tid) : -1;
  g_child.own_ns = ThreadCpuNs() - begin;
  // In another PID namespace the child joins now, too. A note cannot name it, because process ids
  // in notes are those of the collector's PID namespace.
  if (!waits || g_session.foreign()) JoinPostponed();
}

ThreadState* JoinPostponed(Signal signal) {
  if (!g_session.postponed() || !Allowed(kNeedFiles | kNeedNewThread)) return nullptr;
  if (!IsOwnProcess() || ThisTid() != g_child.tid) return nullptr;
  if (g_child.joining.exchange(true)) return nullptr;
  const int64_t begin = ThreadCpuNs();
  DeleteTimer(g_child.timer);
  ThreadState* state = Rejoin(g_child.sampled);
  g_child.joining.store(false);
  if (!g_session.joined()) return nullptr;
  g_child.own_ns += ThreadCpuNs() - begin;
  g_session.Count(wire::kOwnCpuNs, static_cast<uint64_t>(g_child.own_ns));
  StartThisThread(state, g_session.header().start_cpu_ns + g_child.own_ns, signal);
  return state;
}

void EndPostponed() {
  const NoJoining no_joining;
  if (!g_session.postponed()) return;
  DeleteTimer(g_child.timer);
  g_child.timer = -1;
}

NoJoining::NoJoining() : held_(g_session.postponed() && !g_child.joining.exchange(true)) {}

NoJoining::~NoJoining() {
  if (held_) g_child.joining.store(false);
}

void NoteProcessEnd() {
  const InAgent here;
  if (!g_session.joined() || !Allowed(kNeedAll) || !IsOwnProcess()) return;
  if (g_session.postponed()) {
    g_session.Note(wire::kNoteEnd, g_session.pid(), 0, ThreadCpuNs());
    return;
  }
  wire::ProcessHeader& header = g_session.header();
  NoteThreadClocks();
  header.children_cpu_ns.store(ChildrenCpuNs(), std::memory_order_relaxed);
  header.end_cpu_ns.store(ProcessCpuNs(), std::memory_order_relaxed);
}

void NoteExec() {
  const InAgent here;
  if (!g_session.joined() || !Allowed(kNeedAll) || !IsOwnProcess()) return;
  if (g_session.postponed()) {
    g_session.Note(wire::kNoteExec, g_session.pid(), 0, ThreadCpuNs());
  } else {
    NoteProcessEnd();
  }
}

void NoteUnsampledExec(bool is_next) {
  const InAgent here;
  if (!g_session.joined() || g_session.postponed() || !Allowed(kNeedAll) || !IsOwnProcess()) return;
  g_session.header().goes_unsampled.store(is_next ? 1 : 0, std::memory_order_relaxed);
}

}  // namespace gprofx::agent
