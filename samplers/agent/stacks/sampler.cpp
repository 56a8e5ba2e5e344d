// Runs in signal handlers: no allocation, no locks, no exceptions, fixed memory, bounded loops.
#include "samplers/agent/stacks/sampler.h"

#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "samplers/agent/confinement/limits.h"
#include "samplers/agent/libc/raw_syscall.h"
#include "samplers/agent/machine/machine.h"
#include "samplers/agent/process/late.h"
#include "samplers/agent/process/process.h"
#include "samplers/agent/process/threads.h"
#include "samplers/agent/process/timers.h"
#include "samplers/agent/signals/interrupted_call.h"
#include "samplers/agent/signals/safe_load.h"
#include "samplers/agent/signals/signal_stack.h"
#include "samplers/agent/signals/signals.h"
#include "samplers/agent/stacks/rows.h"
#include "samplers/agent/stacks/scratch.h"
#include "samplers/agent/stacks/stack.h"
#include "samplers/agent/stacks/stack_room.h"
#include "samplers/agent/stacks/warm_up.h"

namespace gprofx::agent {

constinit thread_local ThreadState* t_current = nullptr;
static constinit thread_local OwnStack t_stack{};
// Stack of the first thread. A `high` of 0 means unknown.
static constinit OwnStack g_first_stack{};
namespace {

// The action for SIGBUS is checked in one of this many samples. It is rarely needed: neither stacks
// nor Python objects are file-backed.
constexpr uint32_t kThoroughInterval = 256;

// Number of samples at a thread's start whose total weight must not exceed the CPU clock, which
// they read.
constexpr uint32_t kExactSamples = 64;

constexpr uint64_t kPreempted = 500000;  // ns; a handler that took longer was preempted

enum class Source { kForeign, kTimer, kPerf, kCollector };

// Returns the source of a signal. If it is ours, sets *state to the state of its thread. Leaves
// *state null if the thread is ending, if it no longer uses its perf event, or if it belongs to a
// fork child that has not joined.
Source Identify(int signal, const siginfo_t* info, ThreadState** state) {
  const auto cookie = reinterpret_cast<uint64_t>(info->si_value.sival_ptr);
  if (signal == wire::kTickSignal) {
    if (info->si_code != SI_TIMER || !IsCookie(cookie)) return Source::kForeign;
    *state = ActiveThread(SlotOf(cookie));
    return Source::kTimer;
  }
  const uint64_t wall = cookie & ~uint64_t{0xffff};
  if (info->si_code == SI_QUEUE && wall == wire::kWallSignalCookie && g_session.joined() &&
      g_session.FromCollector(info->si_pid)) {
    *state = ActiveThread(SlotOf(cookie));
    return Source::kCollector;
  }
  const bool poll =
      info->si_code == POLL_IN || info->si_code == POLL_HUP || info->si_code == SI_SIGIO;
  if (poll && PerfWasOpened()) {
    if (info->si_fd != NumberOfPerfSignals()) return Source::kForeign;
    ThreadState* own = CurrentThread();  // null if the thread is ending
    *state = own != nullptr && own->perf_armed ? own : nullptr;
    return Source::kPerf;
  }
  return Source::kForeign;
}

// How a sample reads memory.
enum class Loads {
  kFaulting,  // by safe loads, which may fault
  kCopying,   // the kernel copies the memory
  kNone,      // not at all
};

// True if the thread's memory can be read by copying. A seccomp filter that is older than the agent
// may forbid it.
bool CanCopy(ThreadState* state) {
  if (!Allowed(kNeedCopies)) return false;
  char byte = 0;
  state->copies.Forget();
  return state->copies.Read(reinterpret_cast<uint64_t>(&byte), &byte, sizeof byte);
}

// Chooses how a sample reads memory.
//
// A safe load may fault. Then our fault handler must be installed and have room for its frame, and
// the fault signals must not be blocked; otherwise the kernel kills the process. If the thread
// blocks the fault signals and memory can be copied, they stay blocked, because one may be pending
// for the program.
Loads ChooseLoads(ThreadState* state, const ucontext_t& context, Place place, bool on_alternate) {
  const bool thorough = state->samples++ % kThoroughInterval == 0;
  const bool ours = Allowed(kNeedActions) ? FaultsAreOurs(thorough) : FaultsWereOurs();
  if (!ours) g_session.Count(wire::kHandlersReplaced);
  NoteMask(state, FirstWord(context.uc_sigmask));
  if (g_session.plan().wall_clock != 0 && Allowed(kNeedActions) && !AsksAreOurs())
    state->ring->asks.store(wire::kAsksBlocked, std::memory_order_relaxed);
  const bool blocked = state->blocked_faults != 0;
  if (blocked && CanCopy(state)) return Loads::kCopying;
  if (!ours || (place != Place::kHere && on_alternate) || (blocked && !Allowed(kNeedMask)))
    return CanCopy(state) ? Loads::kCopying : Loads::kNone;
  // The return from our signal restores the mask.
  if (blocked) ChangeOwnMask(SIG_UNBLOCK, kFaultBits);
  return Loads::kFaulting;
}

void Drop(ThreadState* state, uint64_t weight) {
  wire::ThreadRing* ring = state->ring;
  ring->dropped.fetch_add(1, std::memory_order_relaxed);
  ring->dropped_ns.fetch_add(weight, std::memory_order_relaxed);
  g_session.Count(wire::kDroppedSamples);
  g_session.Count(wire::kDroppedNs, weight);
}

void Append(ThreadState* state, int64_t time_ns, const Stack& stack, uint64_t weight) {
  if (!AppendRecord(state, time_ns, stack.flags, stack.node, weight)) return Drop(state, weight);
  state->ring->last_node.store(stack.node, std::memory_order_relaxed);
  g_session.Count(wire::kSamples);
}

// True if the signal interrupted the thread right after a system call instruction. If a timer
// expires in kernel mode, its signal is delivered there, on the return to user mode.
bool LeavesKernel(ucontext_t& context) {
  const auto ip = static_cast<uint64_t>(machine::InstructionPointerOf(context));
  return machine::FollowsSystemCall(SafeMemory{}, ip);
}

void SkipPaused(ThreadState* state, uint64_t weight) {
  g_session.Count(wire::kSkippedPaused);
  state->ring->paused_ns.fetch_add(weight, std::memory_order_relaxed);
}

// Called for the first sample of a recorded period, and for ticks during a pause, which come at a
// low rate. Returns the CPU time in ns that the sample represents, which is at most the time since
// the pause ended. CPU time used during the pause is attributed to no sample.
uint64_t TakePause(ThreadState* state, uint32_t stretch) {
  state->stretch = stretch;
  const int64_t cpu = ThreadCpuNs(), paid = state->ledger.paid();
  state->ring->last_cpu_ns.store(cpu, std::memory_order_relaxed);
  const int64_t all = state->ledger.TakeAll(cpu);
  const int64_t begin = g_session.control().stretch_begin_ns.load(std::memory_order_relaxed);
  const int64_t since = stretch != 0 ? g_session.Now() - begin - paid : 0;
  const int64_t inside = std::clamp<int64_t>(since, 0, all);
  SkipPaused(state, static_cast<uint64_t>(all - inside));
  return static_cast<uint64_t>(inside);
}

uint64_t TakeWeight(ThreadState* state, Source source, bool leaves_kernel) {
  const uint32_t stretch = g_session.stretch();
  if (source == Source::kTimer && (stretch == 0 || stretch != state->stretch))
    return TakePause(state, stretch);
  const wire::SamplingPlan plan = g_session.plan();
  // The weight of a perf sample comes from the event's period, which may exceed the CPU time of a
  // short-lived thread. The first samples of a thread therefore read the clock.
  const bool ask = source != Source::kPerf || state->samples < kExactSamples;
  const int64_t cpu = ask ? ThreadCpuNs() : -1;
  if (ask) state->ring->last_cpu_ns.store(cpu, std::memory_order_relaxed);
  const int64_t weight = source == Source::kPerf ? state->ledger.OnPerf(plan, cpu)
                                                 : state->ledger.OnTick(plan, cpu, leaves_kernel);
  return weight > 0 ? static_cast<uint64_t>(weight) : 0;
}

void Sample(ThreadState* state, Source source, ucontext_t& context) {
  int64_t begin = MonotonicNs();
  g_rows.FetchLeaf(static_cast<uint64_t>(machine::InstructionPointerOf(context)));
  const bool leaves_kernel = source != Source::kPerf && LeavesKernel(context);
  const uint64_t weight = TakeWeight(state, source, leaves_kernel);
  if (weight == 0) return;
  if (!g_session.sampling()) {
    SkipPaused(state, weight);
    return;
  }
  Stack stack = TakeStack(state, RegistersOf(&context), StackOf::kSample, OwnerForSample(state));
  Append(state, begin - g_session.facts().start_ns, stack, weight);
  auto spent = static_cast<uint64_t>(MonotonicNs() - begin);
  if (spent < kPreempted) g_session.Count(wire::kHandlerNs, spent);
  g_session.header().handler_ns[wire::HandlerBucket(spent)].fetch_add(1, std::memory_order_relaxed);
}

// Called if there is no room to take a stack. Records the CPU time of the sample in a row of its
// own.
void SampleWithoutStack(ThreadState* state, Source source, ucontext_t& context) {
  g_session.Count(wire::kSkippedNoStack);
  const UseCopies copies(Allowed(kNeedCopies) ? &state->copies : nullptr);
  if (source != Source::kPerf && Allowed(kNeedCopies)) RestartCall(context);
  if (source == Source::kCollector) return;  // the collector itself counts the wait as unseen
  const uint64_t weight = TakeWeight(state, source, false);
  if (weight == 0) return;
  if (!g_session.sampling()) return SkipPaused(state, weight);
  const auto ip = static_cast<uint64_t>(machine::InstructionPointerOf(context));
  if (!AppendUnseen(state, g_session.Now(), wire::Unseen::kNoRoom, ip, weight)) Drop(state, weight);
}

// True if the collector no longer exists. Called when the ring is full. Makes the check only one
// time in 256, because mostly the collector is just late.
bool CollectorIsGone(const ThreadState* state) {
  const uint64_t dropped = state->ring->dropped.load(std::memory_order_relaxed);
  return dropped % 256 == 1 && Allowed(kNeedKill) && g_session.CollectorIsGone();
}

constexpr int64_t kPausedRest = 25'000'000;

// If the recording's sampling rate has changed, sets the thread's timer to it.
void FollowRate(ThreadState* state) {
  const uint32_t periods = g_session.periods();
  if (state->periods == periods) return;
  state->periods = periods;
  RestTimer(state, static_cast<int64_t>(g_session.plan().posix_period_ns));
}

// Opens or closes the thread's perf event as needed. The thread gets none if the kernel switches to
// it often, or if it blocks the event's signal.
void FollowPerf(ThreadState* state, const ucontext_t& context) {
  const wire::SamplingPlan plan = g_session.plan();
  if (plan.use_perf == 0) return;
  const bool is_open = state->ring->perf.load(std::memory_order_relaxed) == wire::kPerfHandedOver;
  const bool may_ask = (FirstWord(context.uc_sigmask) & kAskBit) == 0 && !ProgramReadsAsks() &&
                       (!Allowed(kNeedActions) || AsksAreOurs());
  if (!may_ask) {
    if (is_open) RestPerfEvent(state);
    return;
  }
  const bool rests =
      state->ring->last_cpu_ns.load(std::memory_order_relaxed) < state->perf_rests_until;
  const bool may_try = !state->perf_tried || (!is_open && state->perf_rests != 0 && !rests);
  if (plan.spares_switches == 0) {
    if (may_try) OpenPerfEvent(state);
    return;
  }
  const Switching switching = HowOftenItSwitches(state);
  if (is_open && switching == Switching::kOften) {
    g_session.Count(wire::kPerfRested);
    return RestPerfEvent(state);
  }
  if (may_try && switching == Switching::kSeldom) OpenPerfEvent(state);
}

// Does the periodic work that follows a sample. The time it takes is not measured.
void Housekeeping(ThreadState* state, Source source, const ucontext_t& context) {
  if (g_session.over() || CollectorIsGone(state)) {
    NoteClock(state, ThreadCpuNs());
    DisarmTimer(state);
    if (g_session.over()) state->timer = kTimersAreOver;
    return;
  }
  if (source == Source::kTimer) {
    FollowRate(state);
    if (!g_session.sampling())
      RestTimer(state,
                std::max(kPausedRest, static_cast<int64_t>(g_session.plan().posix_period_ns)));
  }
  if (source == Source::kTimer && g_session.sampling()) FollowPerf(state, context);
  // libc installs its own action for the tick signal when it creates the first thread itself.
  if (source != Source::kTimer && state->samples % kThoroughInterval == 0 && Allowed(kNeedActions))
    RetakeTicks();
  std::atomic<int32_t>& request = g_session.header().arm_request;
  if (int32_t tid = request.load(std::memory_order_relaxed);
      tid != 0 && request.compare_exchange_strong(tid, 0)) {
    AdoptThread(tid);
  }
}

struct Interruption {
  ThreadState* state;
  Source source;
  ucontext_t* context;
};

void SampleAndKeepHouse(const Interruption& at) {
  Sample(at.state, at.source, *at.context);
  Housekeeping(at.state, at.source, *at.context);
  GiveSignalStackAtReturn(at.state, *at.context);
  if (at.source == Source::kPerf) {
    BeginStoppedCallAnew(*at.context);
  } else {
    RestartCall(*at.context);
  }
}

// Returns the stack pointer for a sample that is taken below the interrupted frames. Returns 0 if
// there is no room.
uint64_t TopBelow(const Interruption& at) {
  const uint64_t interrupted = machine::StackPointerOf(*at.context);
  char lowest = 0;
  if (!at.state->copies.Read(interrupted - kBelowBytes, &lowest, 1)) return 0;
  const uint64_t over = SignalsOnAlternateStack();
  if (over != 0 && !Allowed(kNeedMask)) return 0;
  // Block fault signals too. If another process sends one, its frame would overwrite ours. The
  // return from our signal restores the mask.
  if (Allowed(kNeedMask)) ChangeOwnMask(SIG_BLOCK, over | kFaultBits);
  return (interrupted - machine::kRedZoneBytes) & ~uint64_t{15};
}

// Returns the stack pointer for a sample on a stack of the agent. Returns 0 if signals cannot be
// blocked.
uint64_t TopAside(const Interruption& at, bool on_alternate) {
  if (!Allowed(kNeedMask)) return 0;
  ChangeOwnMask(SIG_BLOCK, on_alternate ? ~uint64_t{0} : ~kFaultBits);
  return reinterpret_cast<uint64_t>(std::end(at.state->aside));
}

uint64_t TopFor(const Interruption& at, Place place, bool on_alternate) {
  const uint64_t below = place == Place::kInterrupted ? TopBelow(at) : 0;
  return below != 0 ? below : TopAside(at, on_alternate);
}

const OwnStack& KnownStack(const ThreadState& state) {
  if (t_stack.high == 0) {
    t_stack = state.tid == RawSyscall(SYS_getpid)
                  ? g_first_stack
                  : StackBelow(reinterpret_cast<uint64_t>(__builtin_thread_pointer()));
  }
  return t_stack;
}

// Chooses a stack that has room for the sample and takes the sample on it.
void SampleOnGoodStack(Interruption at) {
  WarmUp(*at.state);
  const uint64_t interrupted = machine::StackPointerOf(*at.context);
  const auto here = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  const Place place = PlaceOfSample(at.context->uc_stack, interrupted, here,
                                    machine::SignalFrameBytes(*at.context), KnownStack(*at.state));
  const bool on_alternate = RunsOn(at.context->uc_stack, here);
  const Loads loads = ChooseLoads(at.state, *at.context, place, on_alternate);
  UseCopies copies(loads == Loads::kCopying ? &at.state->copies : nullptr);
  if (loads == Loads::kNone) return SampleWithoutStack(at.state, at.source, *at.context);
  if (place == Place::kHere) return SampleAndKeepHouse(at);
  const uint64_t top = TopFor(at, place, on_alternate);
  if (top == 0) return SampleWithoutStack(at.state, at.source, *at.context);
  GprofxCallOnStack(
      &at, [](void* moved) { SampleAndKeepHouse(*static_cast<Interruption*>(moved)); }, top);
}

}  // namespace

std::atomic<uint32_t> InAgent::count{0};

void SetCurrentThread(ThreadState* state) { t_current = state; }

// Assumed size of what a thread's stack contains above the thread's first frame: frames of the
// loader or libc, the environment, thread-local storage.
static constexpr uint64_t kAbove = 256 << 10;

void NoteOwnStack(uint64_t begin, uint64_t bytes) {
  t_stack = {begin - std::min(begin, bytes), begin + kAbove};
}

void NoteFirstStack(uint64_t begin, uint64_t bytes) {
  if (begin != 0) g_first_stack = {begin - std::min(begin, bytes), begin + kAbove};
}

void ForgetFirstStack() {
  const auto here = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  if (!g_first_stack.Holds(here)) g_first_stack = {};
}

ThreadState* AdoptedThread(ThreadState* state) {
  const InAgent here;
  const auto tid = static_cast<int32_t>(RawSyscall(SYS_gettid));
  if (state != nullptr && state->tid == tid && state->active.load(std::memory_order_acquire))
    return state;
  return ThreadOfTid(tid);
}

namespace {

// If the calling thread was adopted, stores its state in thread-local storage. Called for each
// signal of a timer; does nothing after the first one.
void RememberThread(ThreadState* state) {
  if (t_current == state || !AnyAdopted()) return;
  if (state->tid == static_cast<int32_t>(RawSyscall(SYS_gettid))) t_current = state;
}

}  // namespace

bool HandleSample(int signal, siginfo_t* info, void* ucontext) {
  const InAgent here;
  ThreadState* state = nullptr;
  Source source = Identify(signal, info, &state);
  if (source == Source::kForeign) return false;
  if (state == nullptr && source == Source::kTimer) state = JoinPostponed(Signal::kAsItIs);
  if (state == nullptr) return true;  // the signal is ours, but came too late
  const Scratch scratch(state, *static_cast<const ucontext_t*>(ucontext));
  if (!scratch) {
    g_session.Count(wire::kSkippedOverlap);
    return true;
  }
  if (source == Source::kTimer) RememberThread(state);
  SampleOnGoodStack({state, source, static_cast<ucontext_t*>(ucontext)});
  return true;
}

}  // namespace gprofx::agent
