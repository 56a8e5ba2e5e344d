#include "samplers/cuda/cupti/pc_sampling.h"

#include <algorithm>
#include <string>

#include "samplers/cuda/state.h"

namespace gprofx::cuda {
namespace {

void Explain(CUptiResult result) {
  const std::string code = g_cupti.Text(result);
  switch (result) {
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
      Notice(wire::kNoticePcPermission,
             "no PC sampling: the driver permits it to administrators only; run as root or with "
             "CAP_SYS_ADMIN, or load the driver with NVreg_RestrictProfilingToAdminUsers=0 "
             "(gprof-x doctor)");
      break;
    case CUPTI_ERROR_OUT_OF_MEMORY:
      Notice(wire::kNoticePcSmaller,
             "no PC sampling: the GPU has too little free memory for its buffer");
      break;
    case CUPTI_ERROR_HARDWARE_BUSY:
      Notice(
          wire::kNoticePcUnavailable,
          "no PC sampling: another process or tool (DCGM, a profiler, a second recording) uses the "
          "GPU's counters");
      break;
    default:
      Notice(wire::kNoticePcUnavailable, "no PC sampling on this GPU: " + code);
  }
}

}  // namespace

void PcSampling::ContextCreated(CUcontext context, uint32_t id, uint32_t device,
                                const DeviceFacts& facts) {
  if (g_state.facts().gpu.mode < wire::kModePc) return;
  if (!g_cupti.CanSamplePcs()) {
    Notice(wire::kNoticePcUnavailable, "no PC sampling: " + g_cupti.path + " cannot do it");
    return;
  }
  const std::lock_guard<std::mutex> guard(lock_);
  if (given_up_) return;
  if (!Claim(facts.id)) {
    Explain(CUPTI_ERROR_HARDWARE_BUSY);
    return;
  }
  auto fresh = std::make_unique<PcContext>(context, id, device, facts);
  // Make room first. If memory ran out after the start, a context that is sampled would be lost.
  contexts_.reserve(contexts_.size() + 1);
  const CUptiResult result = fresh->Start();
  if (result == CUPTI_SUCCESS) {
    contexts_.push_back(std::move(fresh));
  } else {
    Explain(result);
  }
}

void PcSampling::ContextDestroyed(CUcontext context, Names& names) {
  const std::lock_guard<std::mutex> guard(lock_);
  const auto at = std::find_if(contexts_.begin(), contexts_.end(),
                               [=](const auto& c) { return c->context() == context; });
  if (at == contexts_.end()) return;
  (*at)->Stop(names);
  contexts_.erase(at);
}

void PcSampling::Drain(Names& names) {
  const std::lock_guard<std::mutex> guard(lock_);
  for (auto& context : contexts_) context->Drain(names);
}

bool PcSampling::needs_repair() {
  const std::lock_guard<std::mutex> guard(lock_);
  return std::any_of(contexts_.begin(), contexts_.end(),
                     [](const auto& c) { return c->full() || c->broken(); });
}

void PcSampling::Repair(Names& names) {
  const std::lock_guard<std::mutex> guard(lock_);
  for (auto& context : contexts_) {
    if (context->full()) context->RestartSlower();
  }
  const auto broken =
      std::find_if(contexts_.begin(), contexts_.end(), [](const auto& c) { return c->broken(); });
  if (broken == contexts_.end()) return;
  Notice(wire::kNoticePcUnavailable, "PC sampling ended early: CUPTI reported an error");
  (*broken)->Stop(names);
  contexts_.erase(broken);
}

void PcSampling::ReleaseMemory(Names& names) {
  StopAll(names);
  const std::lock_guard<std::mutex> guard(lock_);
  if (!given_up_)
    Notice(wire::kNoticePcSmaller, "PC sampling ended early: the program needed its GPU memory");
  given_up_ = true;
}

void PcSampling::GiveUp(Names& names) {
  StopAll(names);
  const std::lock_guard<std::mutex> guard(lock_);
  given_up_ = true;
}

bool PcSampling::active() {
  const std::lock_guard<std::mutex> guard(lock_);
  return !contexts_.empty() || !given_up_;
}

void PcSampling::StopAll(Names& names) {
  const std::lock_guard<std::mutex> guard(lock_);
  for (auto& context : contexts_) context->Stop(names);
  contexts_.clear();
  claims_.clear();
}

// Claims the GPU for this process. Returns false if another process has claimed it. Returns true
// also for a second context of a GPU that we have claimed; CUPTI refuses that context if it cannot
// sample it.
bool PcSampling::Claim(const DeviceId& device) {
  const auto [claim, is_new] = claims_.try_emplace(device);
  if (!is_new || claim->second.Take(device)) return true;
  claims_.erase(claim);
  return false;
}

}  // namespace gprofx::cuda
