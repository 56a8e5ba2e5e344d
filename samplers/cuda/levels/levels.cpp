#include "samplers/cuda/levels/levels.h"

#include <algorithm>

#include "samplers/cuda/cupti/activity.h"
#include "samplers/cuda/cupti/cupti_api.h"
#include "samplers/cuda/levels/busy.h"
#include "samplers/cuda/shared.h"
#include "samplers/cuda/state.h"

namespace gprofx::cuda {
namespace {

uint64_t Count(wire::GpuCounter counter) {
  return g_state.header->counters[counter].load(std::memory_order_relaxed);
}

}  // namespace

// Returns the level that the recorder requests; kLevelAuto means that the schedule decides. Until
// --delay is over, everything stays as it was set up, because some things cannot be started again
// once they were ended.
wire::GpuLevel Levels::Wanted() {
  const bool sampling = g_state.sampling();
  sampled_ = sampled_ || sampling;
  if (!sampling) return sampled_ || g_state.over() ? wire::kLevelOff : wire::kLevelAuto;
  const uint32_t asked = g_state.control().gpu_level.load(std::memory_order_relaxed);
  return asked < wire::kLevelAuto ? static_cast<wire::GpuLevel>(asked) : wire::kLevelAuto;
}

void Levels::Obey(wire::GpuLevel wanted) {
  if (wanted != obeyed_) tries_.Reset();
  obeyed_ = wanted;
  const int64_t now = g_state.Now();
  if (!tries_.IsDue(now)) return;
  if (switch_.Set(wanted)) {
    tries_.Reset();
  } else {
    tries_.Failed(now);  // threads stay inside CUDA calls
  }
}

Levels::Levels()
    : schedule_(g_state.facts().gpu.budget, static_cast<uint64_t>(g_state.Now())),
      seen_(Look()),
      begin_(seen_),
      change_at_(schedule_.First().ns) {}

Levels::Counts Levels::Look() const {
  return {g_state.Now(), working_ns_, wire::LaunchesOf(*g_state.header), Count(wire::kGpuLaunchNs)};
}

void Levels::CountWork() {
  const Counts now = Look();
  const int64_t before = now.time - seen_.time < kGap ? seen_.time : looked_;
  looked_ = now.time;
  if (now.launches == seen_.launches) return;
  working_ns_ += now.time - before;
  seen_ = now;
}

void Levels::Enter(LevelSchedule::Step step) {
  if (step.level == wire::kLevelRecords)
    TheBusyMeter().Begin(g_state.correlation.load(std::memory_order_relaxed));
  waits_ = step;
  tries_.Reset();
  TryToEnter();
}

// Switches to the level of the next window. If that is not possible now, the level stays as it is,
// and the time belongs to no window.
void Levels::TryToEnter() {
  const int64_t now = g_state.Now();
  if (!tries_.IsDue(now)) return;
  if (!switch_.Set(waits_->level)) return tries_.Failed(now);
  CountWork();
  begin_ = Look();
  change_at_ = working_ns_ + waits_->ns;
  waits_.reset();
}

// Evaluates the present window and returns the next one.
LevelSchedule::Step Levels::End() {
  if (switch_.records()) {
    g_cupti.ActivityFlushAll(0);
    TranslateCompleted(TheShared().names);
  }
  CountWork();
  const Counts now = Look();
  const int64_t working_ns = now.working_ns - begin_.working_ns;
  if (switch_.level() == wire::kLevelRecords)
    TheBusyMeter().End(working_ns, now.launches - begin_.launches);
  schedule_.SetLeaves(switch_.leaves());
  const LevelSchedule::Step next = schedule_.Next(
      {switch_.level(), working_ns, now.launches - begin_.launches, now.own_ns - begin_.own_ns,
       TheShared().times.MostOfRecords(), TheBusyMeter().Recent()});
  g_state.header->host_is_limit.store(schedule_.host_is_limit() ? 1 : 0, std::memory_order_relaxed);
  return next;
}

void Levels::Follow() {
  CountWork();
  const bool records_wanted =
      obeyed_ == wire::kLevelRecords || (waits_ && waits_->level == wire::kLevelRecords);
  switch_.Watch(working_ns_, records_wanted);
  const wire::GpuLevel wanted = Wanted();
  if (wanted != wire::kLevelAuto) {
    if (scheduled_ && !waits_) End();
    scheduled_ = false;
    waits_.reset();
    Obey(wanted);
    return;
  }
  if (!scheduled_) {
    scheduled_ = true;
    Enter(schedule_.First());
    return;
  }
  if (waits_) return TryToEnter();
  if (Left() > 0) return;
  Enter(End());
}

std::chrono::nanoseconds Levels::Until(std::chrono::nanoseconds most) const {
  // After a command, react quickly, because its sender waits for the acknowledgement.
  const bool commanded = g_state.control().gpu_level.load() != wire::kLevelAuto;
  if (commanded) return std::min<std::chrono::nanoseconds>(most, std::chrono::milliseconds(5));
  if (!scheduled_ || waits_ || !Works()) return most;
  return std::min(most, std::chrono::nanoseconds(std::max<int64_t>(Left(), 0)));
}

}  // namespace gprofx::cuda
