#include "samplers/cuda/hooks/heard_call.h"

#include <cuda.h>

#include "samplers/cuda/cupti/fence.h"
#include "samplers/cuda/devices.h"
#include "samplers/cuda/hooks/call_names.h"
#include "samplers/cuda/hooks/own_line.h"
#include "samplers/cuda/shared.h"
#include "samplers/cuda/state.h"

namespace gprofx::cuda {
namespace {

// One call in this many is timed and counts for all of them, because reading the clock has a cost.
constexpr uint32_t kTimedCalls = 7;  // not a power of two, which may be a loop's period

struct OfThread {
  uint32_t calls;
  uint32_t node;  // stack node of the thread's memory call in progress
  bool recorded;  // whether that call is recorded
};
__attribute__((tls_model("initial-exec"))) constinit thread_local OfThread t_own{};

// Returns the program's handle of the launched kernel or graph. Returns 0 for other calls.
uint64_t Launched(const ToldCall& told) {
  const wire::GpuCall call = told.what.call;
  if (told.parameters == nullptr ||
      (call != wire::kCallLaunch && call != wire::kCallLaunchCooperative &&
       call != wire::kCallGraphLaunch))
    return 0;
  return told.parameters[told.what.handle_second ? 1 : 0];
}

void CountLaunch(uint32_t node) {
  if (const int32_t line = OwnLine::Index(); line < 0) {
    g_state.Count(wire::kGpuLaunches);
  } else {
    std::atomic<uint64_t>& launches = g_state.header->lines[line].launches;
    launches.store(launches.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  if (node == 0) g_state.Count(wire::kGpuLaunchesLost);
}

void CountTime(bool puts_work, uint64_t spent, uint32_t calls) {
  g_state.Count(wire::kGpuLaunchNs, spent * calls);
  if (!puts_work) return;
  g_state.header->launch_ns[wire::HandlerBucket(spent)].fetch_add(calls, std::memory_order_relaxed);
}

void CountTimed(bool puts_work, uint32_t correlation, int64_t begin) {
  if (correlation != wire::kNoCorrelation)
    g_state.correlation.store(correlation, std::memory_order_relaxed);
  if (puts_work && correlation == wire::kNoCorrelation)
    g_state.Count(wire::kGpuLaunchesHooked, kTimedCalls);
  CountTime(puts_work, static_cast<uint64_t>(g_state.Now() - begin), kTimedCalls);
}

[[gnu::hot]] uint32_t BeginCall(const ToldCall& told, uint32_t correlation) {
  const int64_t begin = g_state.Now();
  const wire::GpuCall call = told.what.call;
  const bool puts_work = PutsWork(call);
  if (call == wire::kCallGraphLaunch || call == wire::kCallGraphBuild) [[unlikely]]
    KeepCupti();
  const uint32_t node =
      g_state.agent->begin_call(call, Launched(told), puts_work ? correlation : 0, begin);
  if ((!puts_work && !OnlyWaits(call)) || !g_state.sampling()) return node;
  if (puts_work) CountLaunch(node);
  // Select the timed calls by our own count. Correlation ids would not do, because calls of the
  // runtime have some, too: in a loop the same calls might always be skipped.
  if (++t_own.calls % kTimedCalls == 0) CountTimed(puts_work, correlation, begin);
  return node;
}

// Returns the current device. Describes it if needed: CUPTI may have been away when the first
// context of the device was created.
uint32_t DescribedCurrentDevice() {
  const uint32_t device = CurrentDevice();
  if (!IsDescribed(device)) DescribeDevice(device);
  return device;
}

void TellMemory(const ToldCall& told, bool begins, bool failed) {
  auto event = EventOfCall(told.what.memory, begins, failed, told.parameters);
  if (!event) return;
  if (event->kind != wire::kMemoryCreate) {  // a record of a creation names its device itself
    event->context = told.context;
    if (told.context == 0) event->device = static_cast<uint16_t>(DescribedCurrentDevice());
  }
  event->node = t_own.node;
  g_state.agent->memory(*event);
}

void EndMemoryCall(const ToldCall& told, uint32_t result) {
  TellMemory(told, false, result != CUDA_SUCCESS);
  const wire::GpuCall call = told.what.call;
  g_state.agent->end_call(call, t_own.recorded ? LeastDurationNs(call) : UINT64_MAX);
}

}  // namespace

[[gnu::hot]] void HearBegin(const ToldCall& told, uint32_t correlation, bool recorded) {
  const uint32_t node = BeginCall(told, correlation);
  if (!told.what.is_memory()) return;
  t_own.node = node;
  t_own.recorded = recorded;
  TellMemory(told, true, false);
}

[[gnu::hot]] void HearEnd(const ToldCall& told, uint32_t result) {
  const wire::GpuCall call = told.what.call;
  if (told.what.is_memory()) {
    EndMemoryCall(told, result);
  } else {
    g_state.agent->end_call(call, LeastDurationNs(call));
  }
  if (result == CUDA_ERROR_OUT_OF_MEMORY &&
      (call == wire::kCallAlloc || call == wire::kCallAllocAsync))
    TheShared().out_of_memory.store(true, std::memory_order_relaxed);
}

[[gnu::hot]] void HearLaunch(const ToldCall& told, wire::BegunCall* launch) {
  g_state.agent->begin_launch(told.what.call, Launched(told), launch);
  if (g_state.sampling()) CountLaunch(launch->node);
}

[[gnu::hot]] void HearLaunchEnd(const ToldCall& told, const wire::BegunCall& launch) {
  const wire::GpuCall call = told.what.call;
  g_state.agent->end_launch(call, LeastDurationNs(call), launch);
}

void CountHookTime(int64_t ns, uint32_t launches) {
  g_state.Count(wire::kGpuLaunchesHooked, launches);
  CountTime(true, static_cast<uint64_t>(ns > 0 ? ns : 0), launches);
}

}  // namespace gprofx::cuda
