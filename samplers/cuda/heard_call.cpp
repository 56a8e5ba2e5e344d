#include "samplers/cuda/heard_call.h"

#include "samplers/cuda/call_names.h"
#include "samplers/cuda/state.h"

namespace gprofx::cuda {
namespace {

// One of so many calls is timed, and stands for all of them: a look at the clock is not free.
constexpr uint32_t kTimedCalls = 7;  // no power of two, as the period of a loop may be
__attribute__((tls_model("initial-exec"))) constinit thread_local uint32_t t_calls = 0;

}  // namespace

[[gnu::hot]] uint32_t HearBegin(wire::GpuCall call, uint64_t object, uint32_t correlation) {
  const int64_t begin = g_state.Now();
  const bool puts_work = PutsWork(call);
  const uint32_t node =
      g_state.agent->begin_call(call, object, puts_work ? correlation : 0, begin);
  if ((!puts_work && !OnlyWaits(call)) || !g_state.sampling()) return node;
  if (puts_work) {
    g_state.Count(wire::kGpuLaunches);
    if (node == 0) g_state.Count(wire::kGpuLaunchesLost);
  }
  // Not by the correlation id: calls of the runtime have numbers, too, and a loop may skip the same.
  if (++t_calls % kTimedCalls != 0) return node;
  if (correlation == wire::kNoCorrelation) {
    g_state.Count(wire::kGpuLaunchesHooked, kTimedCalls);
  } else {
    g_state.correlation.store(correlation, std::memory_order_relaxed);
  }
  const auto spent = static_cast<uint64_t>(g_state.Now() - begin);
  g_state.Count(wire::kGpuLaunchNs, spent * kTimedCalls);
  if (puts_work) {
    g_state.header->launch_ns[wire::HandlerBucket(spent)].fetch_add(kTimedCalls,
                                                                    std::memory_order_relaxed);
  }
  return node;
}

[[gnu::hot]] void HearEnd(wire::GpuCall call) {
  g_state.agent->end_call(call, LeastDurationNs(call));
}

}  // namespace gprofx::cuda
