#include "samplers/cuda/level_switch.h"

#include <chrono>

#include "samplers/cuda/activity.h"
#include "samplers/cuda/callbacks.h"
#include "samplers/cuda/state.h"

namespace gprofx::cuda {
namespace {

constexpr std::chrono::milliseconds kCloseWithin{2};

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

// Does it while no thread is inside of a CUDA call. False: some thread was, and nothing was done.
template <class What>
bool WithoutCalls(What what) {
  CallGate& gate = TheShared().gate;
  if (!gate.Close(kCloseWithin)) return false;
  what();
  gate.Open();
  return true;
}

bool EndSamples() {
  Shared& shared = TheShared();
  return !shared.pc.active() || WithoutCalls([&] { shared.pc.GiveUp(shared.names); });
}

bool SetCalls(bool on) {
  return WithoutCalls([=] { ListenToCalls(on); });
}

bool SetRecords(bool on) {
  if (!on) {
    DisableRecords();
  } else if (EnableRecords() != CUPTI_SUCCESS) {
    g_state.Count(wire::kGpuErrors);
  }
  return true;
}

}  // namespace

LevelSwitch::LevelSwitch() { Tell(Moment(), level_, level_); }

bool LevelSwitch::Up() {
  const bool done = level_ == wire::kLevelOff ? SetCalls(true) : SetRecords(true);
  if (done) level_ = static_cast<wire::GpuLevel>(level_ + 1);
  return done;
}

bool LevelSwitch::Down() {
  const bool done =
      level_ == wire::kLevelRecords ? EndSamples() && SetRecords(false) : SetCalls(false);
  if (done) level_ = static_cast<wire::GpuLevel>(level_ - 1);
  return done;
}

bool LevelSwitch::Set(wire::GpuLevel level) {
  const wire::GpuLevel before = level_;
  const Moment left;
  bool done = true;
  while (done && level_ != level) done = level_ < level ? Up() : Down();
  if (level_ != before) Tell(left, level_, level == wire::kLevelOff ? level : level_);
  return done;
}

}  // namespace gprofx::cuda
