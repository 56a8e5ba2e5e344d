#include "samplers/cuda/level_switch.h"

#include "samplers/cuda/activity.h"
#include "samplers/cuda/callbacks.h"
#include "samplers/cuda/state.h"

namespace gprofx::cuda {
namespace {

void Tell(int64_t left, wire::GpuLevel level) {
  wire::GpuLevelRecord record{};
  record.left = static_cast<uint64_t>(left);
  record.entered = static_cast<uint64_t>(g_state.Now());
  record.launches = g_state.header->counters[wire::kGpuLaunches].load(std::memory_order_relaxed);
  record.level = level;
  WriteRecord(wire::kGpuLevelChange, record);
  g_state.header->level.store(level, std::memory_order_release);
}

// What a level has more than the one below.
void Turn(wire::GpuLevel level, bool on) {
  switch (level) {
    case wire::kLevelLaunches:
      ListenToCalls(on);
      break;
    case wire::kLevelRecords:
      if (!on) DisableRecords();
      if (on && EnableRecords() != CUPTI_SUCCESS) g_state.Count(wire::kGpuErrors);
      break;
    default:
      break;
  }
}

wire::GpuLevel Above(wire::GpuLevel level) { return static_cast<wire::GpuLevel>(level + 1); }
wire::GpuLevel Below(wire::GpuLevel level) { return static_cast<wire::GpuLevel>(level - 1); }

}  // namespace

LevelSwitch::LevelSwitch() { Tell(g_state.Now(), level_); }

void LevelSwitch::Set(wire::GpuLevel level) {
  if (level == level_) return;
  const int64_t left = g_state.Now();
  for (; level_ < level; level_ = Above(level_)) Turn(Above(level_), true);
  for (; level_ > level; level_ = Below(level_)) Turn(level_, false);
  Tell(left, level_);
}

}  // namespace gprofx::cuda
