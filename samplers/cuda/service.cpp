#include "samplers/cuda/service.h"

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <iterator>
#include <string>

#include "samplers/cuda/cupti/activity.h"
#include "samplers/cuda/cupti/callbacks.h"
#include "samplers/cuda/cupti/cupti_api.h"
#include "samplers/cuda/cupti/cupti_session.h"
#include "samplers/cuda/cupti/driver_calls.h"
#include "samplers/cuda/cupti/fence.h"
#include "samplers/cuda/environment.h"
#include "samplers/cuda/hooks/driver_hooks.h"
#include "samplers/cuda/hooks/flag.h"
#include "samplers/cuda/hooks/nameless.h"
#include "samplers/cuda/levels/levels.h"
#include "samplers/cuda/levels/seldom.h"
#include "samplers/cuda/shared.h"
#include "samplers/cuda/state.h"

namespace gprofx::cuda {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kRound{25};
constexpr int kDrainEvery = 2;  // in rounds of our thread
constexpr int kFlushEvery = 8;
constexpr int kForgiveFirst = 16, kForgiveEvery = 40;
constexpr milliseconds kFinishWithin{4000};
constexpr milliseconds kIgnoreWithin{10};  // fully used up if the program makes no calls
constexpr std::chrono::seconds kHeardWithin{1}, kFenceWithin{1};
constexpr milliseconds kQuietWithin{20};
// If launches continue but no record arrives for this many rounds (ten seconds), records count as
// missing. A long kernel delays the records of the work that is queued after it, but not for ever:
// the driver's queues take a few thousand launches, and then launches block.
constexpr int kSilentRounds = 400;
constexpr uint64_t kSilentLaunches = 20'000;

Flag g_stop, g_ended;
std::atomic<bool> g_running{false};
std::atomic<bool> g_leaving{false};  // the recording of this process ends and the program continues

struct Silence {                       // what happened since the latest record arrived
  uint64_t launches = 0, records = 0;  // their numbers at the latest record
  int rounds = 0;
};

uint64_t Load(wire::GpuCounter counter) {
  return g_state.header->counters[counter].load(std::memory_order_relaxed);
}

void WatchForSilence(Silence* silence) {
  const uint64_t launches = wire::LaunchesOf(*g_state.header), records = Load(wire::kGpuRecords);
  const bool traced = g_state.header->level.load(std::memory_order_relaxed) >= wire::kLevelRecords;
  if (records != silence->records || !traced) *silence = {launches, records, 0};
  if (++silence->rounds < kSilentRounds || launches - silence->launches < kSilentLaunches) return;
  const int64_t seconds = g_state.Now() / 1'000'000'000;
  Notice(wire::kNoticeLost, "GPU data is missing from second " + std::to_string(seconds) +
                                " on, because CUPTI delivers no more; if the program uses CUPTI "
                                "itself, for example by torch.profiler, turn that off");
}

// Sets up instruction sampling again, or ends it, while no thread is inside a CUDA call. Each try
// delays the other threads by at most two milliseconds. If tries find a thread inside, they become
// rarer.
class SampleRepair {
 public:
  static constexpr milliseconds kQuietWithin{2};

  void Try(Shared* shared) {
    const bool release = shared->out_of_memory.load();
    if (!release && !shared->pc.needs_repair()) return tries_.Reset();
    const int64_t now = g_state.Now();
    if (!tries_.IsDue(now)) return;
    const CallGate::Quiet quiet(shared->gate, kQuietWithin);
    if (!quiet) return tries_.Failed(now);
    if (shared->out_of_memory.exchange(false)) shared->pc.ReleaseMemory(shared->names);
    shared->pc.Repair(shared->names);
  }

 private:
  Seldom tries_;
};

// Records which threads wait (wire::AgentEntry::waiting), at random times. Fixed times could fall
// into step with the program.
class WaitLooks {
 public:
  void Look() {
    const int64_t now = g_state.Now();
    if (now < next_ || !g_state.sampling()) return;
    random_ = random_ * 1'103'515'245 + 12'345;
    next_ = now + kMean / 2 + kMean * (random_ >> 16) / (1 << 16);
    wire::WaitingThread waiting[16];
    const uint32_t count = g_state.agent->waiting(waiting, std::size(waiting));
    for (uint32_t i = 0; i < count; ++i) {
      wire::GpuWaitRecord record{};
      record.time = static_cast<uint64_t>(waiting[i].time);
      record.slot = waiting[i].slot;
      record.generation = waiting[i].generation;
      record.node = waiting[i].node;
      WriteRecord(wire::kGpuWait, record);
    }
  }

 private:
  // Mean time in ns between two checks, without half a round that our thread adds.
  static constexpr int64_t kMean = 40'000'000;
  int64_t next_ = 0;
  uint32_t random_ = 1;
};

// If instruction samples are wanted, calls ForgiveNameless. Called before samples are requested,
// and again from time to time, because it may fail: a fork may be in progress, or CUPTI may not
// have resolved strdup yet.
void ForgiveNamelessIfSampled() try {
  if (g_state.facts().gpu.mode >= wire::kModePc) ForgiveNameless();
} catch (const std::exception&) {
  g_state.Count(wire::kGpuErrors);  // no memory
}

// Does one round of our thread's work. The only exception that it may meet is std::bad_alloc. It is
// caught here, because we must not end the program, and the next round may have memory again.
void Round(int number, Levels* levels, SampleRepair* repair, Silence* silence, WaitLooks* waits,
           Environment* environment) try {
  Shared& shared = TheShared();
  if (shared.cupti_ended.load()) return;
  if (number <= kForgiveFirst || number % kForgiveEvery == 0) ForgiveNamelessIfSampled();
  shared.times.EndRound(g_state.header->host_is_limit.load(std::memory_order_relaxed) != 0);
  levels->Follow();
  const bool records = levels->level() == wire::kLevelRecords;
  if (records && number % kFlushEvery == 0) g_cupti.ActivityFlushAll(0);
  TranslateCompleted(shared.names);
  if (number % kDrainEvery == 0) shared.pc.Drain(shared.names);
  waits->Look();
  repair->Try(&shared);
  WatchForSilence(silence);
  environment->Look();
} catch (const std::exception&) {
  g_state.Count(wire::kGpuErrors);
}

// Fetches the remaining data from CUPTI at the end. Flushes only if records are on, because CUPTI
// must not be flushed while they are off. Drops data that arrives after sampling ended.
void Finish(wire::GpuLevel level) try {
  Shared& shared = TheShared();
  if (shared.cupti_ended.load()) return;
  ForgiveNamelessIfSampled();
  shared.pc.StopAll(shared.names);
  const bool leaving = g_leaving.load();
  bool records = level == wire::kLevelRecords;
  if (level == wire::kLevelLaunches && CuptiIsJoined() && !leaving && g_state.sampling())
    records = LetHeardEnd(SampleRepair::kQuietWithin) && EnableRecords() == CUPTI_SUCCESS;
  if (records) g_cupti.ActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  // Disable records even if threads are inside calls. Nobody would read further records.
  if (records && leaving) DisableRecords();
  TranslateCompleted(shared.names);
  g_state.header->ended.store(1);
} catch (const std::exception&) {
  g_state.Count(wire::kGpuErrors);
}

bool NoCallIsFollowed() { return !CuptiIsJoined() || (IgnoreAll(kIgnoreWithin) && EndCallbacks()); }

// If the fence (fence.h) is due, sets it. Returns false if that is not possible now. Called while
// CUPTI or the hooks still report stream captures that begin, because setting the fence would end a
// capture.
bool FenceStands() {
  if (!CuptiIsJoined()) return true;
  TheFence().SetIfDue(TheShared().gate, kQuietWithin);
  return !TheFence().is_due();
}

// True if the recording has ended for good and no call that CUPTI follows is in progress.
bool MayLeave(wire::GpuLevel level) {
  return level == wire::kLevelOff && g_state.over() && FenceStands() && NoCallIsFollowed();
}

void* Run(void*) {
  prctl(PR_SET_NAME, "gprofx-gpu");
  Silence silence;
  Levels levels;
  SampleRepair repair;
  WaitLooks waits;
  Environment environment;
  bool leaves = false;
  ForgiveNamelessIfSampled();
  for (int number = 1; !leaves && !g_stop.Wait(levels.Until(kRound)); ++number) {
    Round(number, &levels, &repair, &silence, &waits, &environment);
    leaves = MayLeave(levels.level());
  }
  SetCuptiRefused(true);  // threads no longer wait for CUPTI to come back
  if (leaves) g_leaving.store(true);
  Finish(levels.level());
  if (leaves) LeaveCupti();
  g_ended.Set();
  return nullptr;
}

// Returns the signal mask of our thread. All signals except faults are blocked, because they are
// for the program's own threads. The agent's safe loads may fault, and the kernel ends a process
// that faults while it blocks the signal.
sigset_t MaskOfOurThread() {
  sigset_t mask;
  sigfillset(&mask);
  for (const int fault : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP}) sigdelset(&mask, fault);
  return mask;
}

}  // namespace

bool StartService() {
  g_stop.Clear();
  g_ended.Clear();
  g_leaving.store(false);
  const sigset_t ours = MaskOfOurThread();
  sigset_t before;
  pthread_sigmask(SIG_SETMASK, &ours, &before);
  pthread_t thread;
  const bool made = pthread_create(&thread, nullptr, Run, nullptr) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (made) pthread_detach(thread);
  g_running.store(made);
  return made;
}

void FinishService() {
  if (!g_running.exchange(false)) return;
  g_stop.Set();
  // Limit the wait, because the program's exit must not hang. CUPTI's last flush was seen to hang.
  g_ended.Wait(kFinishWithin);
  g_state.live.store(false);
  SetHearing(Hearing::kNobody);
}

bool EndService() {
  if (!g_running.exchange(false)) return true;
  const auto off = [] {
    return g_state.header->level.load(std::memory_order_acquire) == wire::kLevelOff;
  };
  constexpr milliseconds kLook{5};
  for (auto left = kFinishWithin; !off() && left.count() > 0; left -= kLook) {
    const timespec pause{0, 5'000'000};
    nanosleep(&pause, nullptr);
  }
  const bool quiet = off();
  g_leaving.store(true);
  g_stop.Set();
  return g_ended.Wait(kFinishWithin) && quiet;
}

bool LeaveCupti() {
  const bool is_quiet = FenceStands() && NoCallIsFollowed();
  const bool may_go = is_quiet && TheFence().IsReachedWithin(kFenceWithin);
  g_state.live.store(false);
  SetHearing(Hearing::kNobody);
  if (CuptiIsJoined()) FreeCupti(may_go);
  TheFence().Clear();
  return LetHeardEnd(kHeardWithin);
}

void ForgetService() { g_running.store(false); }

}  // namespace gprofx::cuda
