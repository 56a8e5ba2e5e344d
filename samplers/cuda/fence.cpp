#include "samplers/cuda/fence.h"

#include <time.h>

#include <algorithm>
#include <atomic>

#include "samplers/cuda/cupti_api.h"
#include "samplers/cuda/driver_lookup.h"
#include "samplers/cuda/primary_contexts.h"

namespace gprofx::cuda {
namespace {

std::atomic<bool> g_graphs_are_used{false};

// Never destroyed: our thread may outlive main. CUPTI's numbers stay when it leaves and comes back.
std::vector<uint32_t>& ContextsWithWork() {
  static auto* contexts = new std::vector<uint32_t>;
  return *contexts;
}

struct Driver {
  decltype(&cuEventCreate) create = nullptr;
  decltype(&cuCtxRecordEvent) record = nullptr;
  decltype(&cuEventQuery) query = nullptr;
  decltype(&cuEventDestroy) destroy = nullptr;

  bool Find() {
    if (destroy != nullptr) return true;
    return FindInDriver(create, "cuEventCreate") && FindInDriver(record, "cuCtxRecordEvent") &&
           FindInDriver(query, "cuEventQuery") && FindInDriver(destroy, "cuEventDestroy_v2");
  }
};
constinit Driver g_driver;

// Null: the driver refuses.
CUevent RecordedEvent(CUcontext context) {
  CUevent event = nullptr;
  if (g_driver.create(&event, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS) return nullptr;
  if (g_driver.record(context, event) == CUDA_SUCCESS) return event;
  g_driver.destroy(event);
  return nullptr;
}

}  // namespace

void GraphIsUsed() { g_graphs_are_used.store(true, std::memory_order_relaxed); }
bool GraphsAreUsed() { return g_graphs_are_used.load(std::memory_order_relaxed); }

void SawWorkIn(uint32_t context) {
  std::vector<uint32_t>& seen = ContextsWithWork();
  if (std::find(seen.begin(), seen.end(), context) == seen.end()) seen.push_back(context);
}

Fence& TheFence() {
  static auto* fence = new Fence;
  return *fence;
}

void Fence::Clear() {
  for (CUevent event : events_) g_driver.destroy(event);
  events_.clear();
  state_ = kDue;
}

void Fence::Set() {
  Clear();
  state_ = kUnreachable;
  // An event in a context would end captures in it.
  if (GraphsAreUsed() || !g_driver.Find()) return;
  std::vector<uint32_t> others = ContextsWithWork();
  bool all = true;
  ForEachPrimaryContext([&](CUcontext context) {
    uint32_t id = 0;
    g_cupti.GetContextId(context, &id);
    std::erase(others, id);
    events_.reserve(events_.size() + 1);
    CUevent event = RecordedEvent(context);
    if (event == nullptr) {
      all = false;
    } else {
      events_.push_back(event);
    }
  });
  if (all && others.empty()) state_ = kSet;
}

bool Fence::IsReached() {
  if (state_ != kSet || GraphsAreUsed()) return false;
  while (!events_.empty()) {
    const CUresult result = g_driver.query(events_.back());
    if (result == CUDA_ERROR_NOT_READY) return false;
    g_driver.destroy(events_.back());
    events_.pop_back();
    if (result != CUDA_SUCCESS) state_ = kUnreachable;
  }
  return state_ == kSet;
}

bool Fence::IsReachedWithin(std::chrono::nanoseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!IsReached()) {
    if (events_.empty() || std::chrono::steady_clock::now() >= end) return false;
    const timespec pause{0, 1'000'000};
    nanosleep(&pause, nullptr);
  }
  return true;
}

}  // namespace gprofx::cuda
