#include "samplers/cuda/cupti/fence.h"

#include <time.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "samplers/cuda/cupti/cupti_api.h"
#include "samplers/cuda/cupti/primary_contexts.h"
#include "samplers/cuda/hooks/driver_lookup.h"

namespace gprofx::cuda {
namespace {

std::atomic<bool> g_is_kept{false};
std::atomic<uint32_t> g_contexts_ended{0};

// The contexts of the process, by CUPTI's numbers, which stay the same when CUPTI leaves and comes
// back. Never destroyed, because our thread may outlive main.
struct Contexts {
  std::mutex lock;
  std::vector<uint32_t> alive, ended;  // as far as CUPTI reported
};
Contexts& TheContexts() {
  static auto* contexts = new Contexts;
  return *contexts;
}
bool Has(const std::vector<uint32_t>& contexts, uint32_t context) {
  return std::find(contexts.begin(), contexts.end(), context) != contexts.end();
}
std::vector<uint32_t> AliveContexts() {
  Contexts& contexts = TheContexts();
  const std::lock_guard<std::mutex> guard(contexts.lock);
  return contexts.alive;
}

struct Driver {
  decltype(&cuEventCreate) create = nullptr;
  decltype(&cuCtxRecordEvent) record = nullptr;
  decltype(&cuEventQuery) query = nullptr;
  decltype(&cuEventDestroy) destroy = nullptr;
  decltype(&cuThreadExchangeStreamCaptureMode) exchange = nullptr;

  bool Find() {
    if (exchange != nullptr) return true;
    return FindInDriver(create, "cuEventCreate") && FindInDriver(record, "cuCtxRecordEvent") &&
           FindInDriver(query, "cuEventQuery") && FindInDriver(destroy, "cuEventDestroy_v2") &&
           FindInDriver(exchange, "cuThreadExchangeStreamCaptureMode");
  }
};
constinit Driver g_driver;

// During the lifetime of this object, calls of this thread do not end stream captures that other
// threads have begun.
class RelaxedCaptures {
 public:
  RelaxedCaptures() { g_driver.exchange(&mode_); }
  ~RelaxedCaptures() { g_driver.exchange(&mode_); }
  RelaxedCaptures(const RelaxedCaptures&) = delete;
  RelaxedCaptures& operator=(const RelaxedCaptures&) = delete;

 private:
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

// Returns a new event that is reached after all present work of the context. Returns null if the
// driver refuses.
CUevent RecordedEvent(CUcontext context) {
  CUevent event = nullptr;
  if (g_driver.create(&event, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS) return nullptr;
  if (g_driver.record(context, event) == CUDA_SUCCESS) return event;
  g_driver.destroy(event);
  return nullptr;
}

}  // namespace

void KeepCupti() { g_is_kept.store(true, std::memory_order_relaxed); }
bool CuptiIsKept() { return g_is_kept.load(std::memory_order_relaxed); }

void ContextBegins(uint32_t context) {
  Contexts& contexts = TheContexts();
  const std::lock_guard<std::mutex> guard(contexts.lock);
  if (!Has(contexts.alive, context)) contexts.alive.push_back(context);
}

void ContextEnds(uint32_t context) {
  Contexts& contexts = TheContexts();
  const std::lock_guard<std::mutex> guard(contexts.lock);
  std::erase(contexts.alive, context);
  contexts.ended.push_back(context);
  g_contexts_ended.fetch_add(1);
}

// Records that there is work in a context. Most records belong to the same context as the record
// before. Some arrive after their context has ended.
void SawWorkIn(uint32_t context) {
  static uint32_t latest = UINT32_MAX;
  if (context == std::exchange(latest, context)) return;
  Contexts& contexts = TheContexts();
  const std::lock_guard<std::mutex> guard(contexts.lock);
  if (!Has(contexts.alive, context) && !Has(contexts.ended, context))
    contexts.alive.push_back(context);
}

void ForgetContexts() {
  Contexts& contexts = TheContexts();
  const std::lock_guard<std::mutex> guard(contexts.lock);
  contexts.alive.clear();
}

Fence& TheFence() {
  static auto* fence = new Fence;
  return *fence;
}

bool Fence::EventsAreValid() const { return ended_ == g_contexts_ended.load(); }

void Fence::Clear() {
  if (!events_.empty() && EventsAreValid()) {
    const RelaxedCaptures relaxed;
    for (CUevent event : events_) g_driver.destroy(event);
  }
  events_.clear();
  state_ = kDue;
}

void Fence::Set() {
  Clear();
  state_ = kUnreachable;
  if (CuptiIsKept() || !g_driver.Find()) return;
  const RelaxedCaptures relaxed;
  ended_ = g_contexts_ended.load();
  std::vector<uint32_t> others = AliveContexts();
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

void Fence::SetIfDue(CallGate& gate, std::chrono::nanoseconds limit) {
  if (!is_due()) return;
  const CallGate::Quiet quiet(gate, limit);
  if (quiet) Set();
}

bool Fence::IsReached() {
  if (state_ != kSet || CuptiIsKept()) return false;
  if (!EventsAreValid()) state_ = kUnreachable;
  const RelaxedCaptures relaxed;
  while (state_ == kSet && !events_.empty()) {
    const CUresult result = g_driver.query(events_.back());
    if (result == CUDA_ERROR_NOT_READY) return false;
    if (result != CUDA_SUCCESS) state_ = kUnreachable;
    g_driver.destroy(events_.back());
    events_.pop_back();
  }
  return state_ == kSet;
}

bool Fence::IsReachedWithin(std::chrono::nanoseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!IsReached()) {
    if (state_ != kSet || CuptiIsKept() || std::chrono::steady_clock::now() >= end) return false;
    const timespec pause{0, 1'000'000};
    nanosleep(&pause, nullptr);
  }
  return true;
}

}  // namespace gprofx::cuda
