#include "samplers/cuda/names.h"

#include "samplers/cuda/state.h"

namespace gprofx::cuda {

uint32_t Names::Id(const char* name) {
  if (name == nullptr || *name == 0) return 0;
  const std::lock_guard<std::mutex> guard(lock_);
  const auto [at, fresh] = ids_.try_emplace(name, static_cast<uint32_t>(ids_.size() + 1));
  if (!fresh) return at->second;
  if (WriteText(wire::kGpuName, at->second, at->first)) return at->second;
  ids_.erase(at);  // there is no room now; the name is sent when it is used next
  return 0;
}

}  // namespace gprofx::cuda
