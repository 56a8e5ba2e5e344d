#include "samplers/cuda/levels.h"

#include <algorithm>

#include "samplers/cuda/activity.h"
#include "samplers/cuda/busy.h"
#include "samplers/cuda/callbacks.h"
#include "samplers/cuda/cupti_api.h"
#include "samplers/cuda/state.h"

namespace gprofx::cuda {
namespace {

uint64_t Count(wire::GpuCounter counter) {
  return g_state.header->counters[counter].load(std::memory_order_relaxed);
}

// What the recorder wants; kLevelAuto = the schedule decides.
wire::GpuLevel Wanted() {
  if (!g_state.sampling()) return wire::kLevelOff;
  const uint32_t asked = g_state.control().gpu_level.load(std::memory_order_relaxed);
  return asked < wire::kLevelAuto ? static_cast<wire::GpuLevel>(asked) : wire::kLevelAuto;
}

}  // namespace

Levels::Levels()
    : schedule_(g_state.control().gpu.budget, static_cast<uint64_t>(g_state.Now())),
      begin_(Look()),
      change_at_(begin_.time + schedule_.First().ns) {}

Levels::Counts Levels::Look() {
  return {g_state.Now(), Count(wire::kGpuLaunches), Count(wire::kGpuLaunchNs)};
}

// What is not possible now is tried again with the next window.
void Levels::Enter(LevelSchedule::Step step) {
  switch_.Set(step.level);
  begin_ = Look();
  TheBusyMeter().Restart();
  change_at_ = begin_.time + step.ns;
}

void Levels::Follow() {
  const wire::GpuLevel wanted = Wanted();
  if (wanted != wire::kLevelAuto) {
    switch_.Set(wanted);
    scheduled_ = false;
    return;
  }
  if (!scheduled_) {
    scheduled_ = true;
    Enter(schedule_.First());
    return;
  }
  const Counts now = Look();
  if (now.time < change_at_) return;
  double busy = -1;
  if (switch_.level() > wire::kLevelLaunches) {
    g_cupti.ActivityFlushAll(0);
    TranslateCompleted(TheShared().names);
    busy = TheBusyMeter().Share();
  }
  Enter(schedule_.Next({switch_.level(), now.time - begin_.time, now.launches - begin_.launches,
                        now.own_ns - begin_.own_ns, busy}));
}

std::chrono::nanoseconds Levels::Until(std::chrono::nanoseconds most) const {
  if (!scheduled_) return std::min<std::chrono::nanoseconds>(most, std::chrono::milliseconds(5));
  const std::chrono::nanoseconds left(std::max<int64_t>(change_at_ - g_state.Now(), 0));
  return std::min(most, left);
}

}  // namespace gprofx::cuda
