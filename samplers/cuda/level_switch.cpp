#include "samplers/cuda/level_switch.h"

#include <chrono>

#include "samplers/cuda/activity.h"
#include "samplers/cuda/cupti_api.h"
#include "samplers/cuda/driver_calls.h"
#include "samplers/cuda/shared.h"
#include "samplers/cuda/state.h"

namespace gprofx::cuda {
namespace {

constexpr std::chrono::milliseconds kWithin{2};

struct Moment {
  uint64_t time = static_cast<uint64_t>(g_state.Now());
  uint64_t launches = g_state.header->counters[wire::kGpuLaunches].load(std::memory_order_relaxed);
};

// `recorded` may be lower than `level`: threads that stay inside of CUDA calls hold up the last step,
// from counting calls to nothing. What is recorded has ended by then.
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

// False: some thread was inside of a CUDA call, and nothing was done. What is done by then is handed
// out at the last moment, while nobody can ask CUPTI's own thread for anything: see CallGate.
bool EndRecords() {
  Shared& shared = TheShared();
  const CallGate::Quiet quiet(shared.gate, kWithin);
  if (!quiet) return false;
  if (shared.pc.active()) shared.pc.GiveUp(shared.names);
  g_cupti.ActivityFlushAll(0);
  DisableRecords();
  return true;
}

}  // namespace

LevelSwitch::LevelSwitch() { Tell(Moment(), level_, level_); }

// Work whose launch CUPTI does not know would have records without a place: so launches that hooks
// heard end before there are records.
bool LevelSwitch::BeginRecords() {
  HearByCupti();
  if (!LetHeardEnd(kWithin)) return false;
  if (EnableRecords() == CUPTI_SUCCESS) return true;
  g_state.Count(wire::kGpuErrors);
  DisableRecords();
  return false;
}

// False: CUPTI refuses, or threads stay inside of launches.
bool LevelSwitch::Up() {
  if (level_ == wire::kLevelOff) {
    ListenToCalls(hooks_.trusted());
  } else if (!BeginRecords()) {
    return false;
  }
  level_ = static_cast<wire::GpuLevel>(level_ + 1);
  return true;
}

// Records go before calls: without both, CUPTI loses count of the calls that run at this moment.
bool LevelSwitch::Down() {
  if (!(records() ? EndRecords() : IgnoreCalls(kWithin))) return false;
  window_ended_ = window_ended_ || records();
  level_ = static_cast<wire::GpuLevel>(level_ - 1);
  return true;
}

void LevelSwitch::Watch() {
  if (HearingNow() == Hearing::kHooks && !hooks_.trusted()) HearByCupti();
}

bool LevelSwitch::Set(wire::GpuLevel level) {
  const wire::GpuLevel before = level_;
  const Moment left;
  bool done = true;
  while (done && level_ < level) done = Up();
  while (done && level_ > level) done = Down();
  if (level_ != before) Tell(left, level_, level == wire::kLevelOff ? level : level_);
  if (level_ == wire::kLevelOff) window_ended_ = false;  // long ago, once there is another one
  if (window_ended_ && level_ == wire::kLevelLaunches && level != wire::kLevelOff) {
    window_ended_ = false;
    hooks_.EndWindow();
    if (hooks_.trusted()) HearByHooks(kWithin);
  }
  return done;
}

}  // namespace gprofx::cuda
