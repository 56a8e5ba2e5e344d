#include "samplers/cuda/levels/level_switch.h"

#include <chrono>
#include <string>
#include <string_view>

#include "samplers/cuda/cupti/activity.h"
#include "samplers/cuda/cupti/callbacks.h"
#include "samplers/cuda/cupti/cupti_api.h"
#include "samplers/cuda/cupti/cupti_session.h"
#include "samplers/cuda/cupti/driver_calls.h"
#include "samplers/cuda/cupti/fence.h"
#include "samplers/cuda/cupti/resources.h"
#include "samplers/cuda/shared.h"
#include "samplers/cuda/state.h"

namespace gprofx::cuda {
namespace {

constexpr std::chrono::milliseconds kWithin{2};
constexpr int64_t kMillisecond = 1'000'000;
constexpr int64_t kPauseNs = 100 * kMillisecond;  // time from the end of records until CUPTI leaves
constexpr int64_t kLookNs = 400 * kMillisecond;

// Adds its lifetime to the counter of the time in which CUPTI comes back or leaves.
class Stopwatch {
 public:
  ~Stopwatch() { g_state.Count(wire::kGpuFetchNs, static_cast<uint64_t>(g_state.Now() - begin_)); }

 private:
  const int64_t begin_ = g_state.Now();
};

struct Moment {
  uint64_t time = static_cast<uint64_t>(g_state.Now());
  uint64_t launches = wire::LaunchesOf(*g_state.header);
};

// Writes a record of the change to level `recorded`, and stores `level` in the header. The two
// differ if threads that stay inside CUDA calls block the last step, from counting calls to
// nothing. `recorded` is then the lower level, because recording has ended all the same.
void Tell(const Moment& left, wire::GpuLevel level, wire::GpuLevel recorded) {
  const Moment entered;
  wire::GpuLevelRecord record{};
  record.left = left.time;
  record.launches_left = left.launches;
  record.entered = entered.time;
  record.launches = entered.launches;
  record.level = recorded;
  WriteRecord(wire::kGpuLevelChange, record);
  g_state.header->level.store(level, std::memory_order_release);
}

// Ends records. If a thread was inside a CUDA call, changes nothing and returns false. Completed
// records are flushed at the last moment, while no thread can make CUPTI's own thread deliver any
// (call_gate.h).
bool EndRecords() {
  Shared& shared = TheShared();
  const CallGate::Quiet quiet(shared.gate, kWithin);
  if (!quiet) return false;
  if (shared.pc.active()) shared.pc.GiveUp(shared.names);
  g_cupti.ActivityFlushAll(0);
  DisableRecords();
  TheFence().Clear();
  return true;
}

// Tells the user that CUPTI does not come back. `problem` is the message of JoinCupti. Its first
// words are removed, because they are for a program in which CUPTI never worked.
void NoticeLoss(wire::GpuNotice kind, std::string_view problem) {
  constexpr std::string_view kNone = "no GPU data: ";
  if (problem.starts_with(kNone)) problem.remove_prefix(kNone.size());
  Notice(kind, "GPU records are missing for a time from second " +
                   std::to_string(g_state.Now() / 1'000'000'000) + " on: " + std::string(problem));
}

// Collects records of work that was still running when its window ended, which CUPTI would lose. (A
// flush without force would also lose a whole buffer of completed records.) Flushes while records
// are on, for the reason that call_gate.h gives, and while nothing is launched. Returns false if
// that is not possible now.
bool TakeLateRecords() {
  const CallGate::Quiet quiet(TheShared().gate, kWithin);
  if (!quiet || !LetLaunchesEnd({})) return false;
  if (EnableRecordsOfWork() == CUPTI_SUCCESS)
    g_cupti.ActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  DisableRecordsOfWork();
  return true;
}

// True if all GPUs have reached the fence (fence.h). Sets the fence if it is due. That is safe
// here, because hooks report stream captures that begin, which setting the fence would end.
bool FenceIsReached() {
  TheFence().SetIfDue(TheShared().gate, kWithin);
  return TheFence().IsReached();
}

}  // namespace

LevelSwitch::LevelSwitch() { Tell(Moment(), level_, level_); }

// Begins records, and brings CUPTI back if needed. Launches that hooks heard must end first,
// because records of work whose launch CUPTI has not seen would have no call path. Returns false if
// that is not possible now.
bool LevelSwitch::BeginRecords() {
  if (!FetchCupti() || !LetLaunchesEnd(kWithin)) return false;
  TheFence().Clear();
  if (EnableRecords() == CUPTI_SUCCESS) return true;
  g_state.Count(wire::kGpuErrors);
  DisableRecords();
  return false;
}

// Raises the level by one. Returns false if CUPTI refuses or threads stay inside CUDA calls.
bool LevelSwitch::Up() {
  if (level_ == wire::kLevelOff) {
    if (HooksHear()) {
      SetHearing(Hearing::kHooks);
    } else {
      ListenToCalls();
    }
  } else if (!BeginRecords()) {
    return false;
  }
  level_ = static_cast<wire::GpuLevel>(level_ + 1);
  return true;
}

// Lowers the level by one. Records must end before the reporting of calls, because otherwise CUPTI
// would lose count of the calls that run at that moment. Returns false if that is not possible now.
bool LevelSwitch::Down() {
  if (records()) {
    if (!EndRecords()) return false;
    records_ended_ = g_state.Now();
  } else if (HooksHear()) {
    SetHearing(Hearing::kHooksOfMemory);
  } else if (!IgnoreCalls(kWithin)) {
    return false;
  }
  level_ = static_cast<wire::GpuLevel>(level_ - 1);
  return true;
}

// Makes CUPTI report calls again, as the level requires. Returns false if another client has
// CUPTI's subscription.
bool LevelSwitch::FetchCupti() {
  if (!HooksHear()) return true;
  const bool calls = level_ != wire::kLevelOff;
  if (CuptiIsJoined()) return FollowCalls(calls) == CUPTI_SUCCESS;
  const Stopwatch watch;
  std::string problem;
  wire::GpuNotice refusal = wire::kNoticeLost;
  const bool joined = JoinCupti(calls, &problem, &refusal);
  SetCuptiRefused(!joined);
  if (joined) {
    ForgetContexts();
    TakePresentContexts();
  } else {
    NoticeLoss(refusal, problem);
  }
  return joined;
}

bool LevelSwitch::CuptiCanLeave() { return g_cupti.CanLeave() && !CuptiIsKept(); }

// True if CUPTI may leave the process now (or stop reporting calls, if this version cannot leave).
// Then only launches are counted, all calls pass through our hooks, and GPUs no longer use CUPTI's
// memory.
bool LevelSwitch::MayLeave() {
  if (level_ != wire::kLevelLaunches || HooksHear() || !hooks_.trusted() || CuptiIsKept())
    return false;
  return !g_cupti.CanLeave() || (g_state.Now() - records_ended_ >= kPauseNs && FenceIsReached());
}

// Takes CUPTI out of the process while the gate is closed. No thread is then in a call that CUPTI
// follows, and none begins one, because hooks wait at the gate. Returns false if that is not
// possible now.
bool LevelSwitch::TakeCuptiOut() {
  const CallGate::Quiet quiet(TheShared().gate, kWithin);
  if (!quiet || CuptiIsKept() || !EndCallbacks()) return false;
  TranslateCompleted(TheShared().names);
  const Stopwatch watch;
  FreeCupti(true);
  return true;
}

bool LevelSwitch::LetCuptiLeave() {
  const bool goes = g_cupti.CanLeave();
  if ((goes && !TakeLateRecords()) || !HandOverToHooks(kWithin)) return false;
  if (IgnoreAll(kWithin) && (!goes || TakeCuptiOut())) {
    SetHearing(Hearing::kHooks);
    return true;
  }
  std::string problem;
  if (!EnableCallbacks(true, &problem)) g_state.Count(wire::kGpuErrors);
  return false;
}

void LevelSwitch::Watch(int64_t worked_ns, bool records_wanted) {
  hooks_.SetWorked(worked_ns);
  // Check early whether the hooks are sufficient, because that must be known when windows begin to
  // alternate.
  const bool looks = !HooksHear() && g_state.facts().gpu.budget != 0 && !hooks_.trusted();
  if (looks && g_state.Now() - looked_ >= kLookNs) LookAtHooks();
  const bool comes = HooksHear() && (!hooks_.trusted() || CuptiIsWanted());
  if (!comes && (records_wanted || !MayLeave())) return tries_.Reset();
  const int64_t now = g_state.Now();
  if (!tries_.IsDue(now)) return;
  if (comes ? FetchCupti() : LetCuptiLeave()) {
    tries_.Reset();
  } else {
    tries_.Failed(now);
  }
}

// Lets the hooks check whether all calls pass through them. CUPTI's reports show that, so CUPTI
// must report calls.
void LevelSwitch::LookAtHooks() {
  looked_ = g_state.Now();
  hooks_.Look();
  if (!g_cupti.CanLeave() && MayLeave()) LetCuptiLeave();
}

bool LevelSwitch::Set(wire::GpuLevel level) {
  const wire::GpuLevel before = level_;
  const Moment left;
  bool done = true;
  while (done && level_ < level) done = Up();
  while (done && level_ > level) done = Down();
  if (level_ != before) Tell(left, level_, level == wire::kLevelOff ? level : level_);
  if (before == wire::kLevelRecords && level == wire::kLevelLaunches && done) LookAtHooks();
  return done;
}

}  // namespace gprofx::cuda
