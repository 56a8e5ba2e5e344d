#include "samplers/cuda/cupti/callbacks.h"

#include <sched.h>

#include <exception>

#include "samplers/cuda/cupti/cupti_api.h"
#include "samplers/cuda/cupti/driver_calls.h"
#include "samplers/cuda/cupti/resources.h"
#include "samplers/cuda/hooks/asymmetric_fence.h"
#include "samplers/cuda/hooks/driver_hooks.h"
#include "samplers/cuda/hooks/sharded_count.h"
#include "samplers/cuda/shared.h"
#include "samplers/cuda/state.h"

namespace gprofx::cuda {
namespace {

CUpti_SubscriberHandle g_subscriber{};
ShardedCount g_inside;  // threads that are in a callback

struct Inside {
  Inside() { g_inside.Enter(); }
  ~Inside() { g_inside.Leave(); }
};

constexpr CUpti_CallbackId kResources[] = {
    CUPTI_CBID_RESOURCE_CONTEXT_CREATED, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING,
    CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED};
// Events of modules. While they are enabled, CUPTI copies the code of each module and keeps it.
// They are needed only for instruction samples.
constexpr CUpti_CallbackId kModules[] = {CUPTI_CBID_RESOURCE_MODULE_LOADED,
                                         CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING};

// CUPTI calls this function for each event. No exception may leave it, because CUPTI is built
// without exception tables.
void OnCallback(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) try {
  const Inside inside;
  if (!g_state.live.load(std::memory_order_acquire)) {
    // In a fork child, the header is in the parent's memory, where a child may only add to
    // counters. Calls that pass through a hook are counted by the hook.
    if (g_state.forked.load(std::memory_order_relaxed) && domain == CUPTI_CB_DOMAIN_DRIVER_API &&
        static_cast<const CUpti_CallbackData*>(data)->callbackSite == CUPTI_API_ENTER && !InHook())
      g_state.Count(wire::kGpuForkedCalls);
    return;
  }
  switch (domain) {
    case CUPTI_CB_DOMAIN_DRIVER_API:
      OnDriverCall(id, *static_cast<const CUpti_CallbackData*>(data));
      break;
    case CUPTI_CB_DOMAIN_RESOURCE:
      OnResource(id, *static_cast<const CUpti_ResourceData*>(data));
      break;
    case CUPTI_CB_DOMAIN_STATE:
      if (id == CUPTI_CBID_STATE_FATAL_ERROR) TheShared().cupti_ended.store(true);
      break;
    default:
      break;
  }
} catch (const std::exception&) {
  g_state.Count(wire::kGpuErrors);  // out of memory
}

CUptiResult AskForSubscription(std::string* other) {
  if (g_cupti.Subscribe_v2 == nullptr) return g_cupti.Subscribe(&g_subscriber, OnCallback, nullptr);
  char name[256] = {};
  CUpti_SubscriberParams params{};
  params.structSize = CUpti_SubscriberParams_STRUCT_SIZE;
  params.subscriberName = "gprof-x";
  params.oldSubscriberName = name;
  params.oldSubscriberSize = sizeof(name);
  const CUptiResult result = g_cupti.Subscribe_v2(&g_subscriber, OnCallback, nullptr, &params);
  name[sizeof(name) - 1] = 0;
  *other = name;
  return result;
}

std::string CannotBeUsed(CUptiResult result) {
  return std::string("no GPU data: CUPTI cannot be used: ") + g_cupti.Text(result);
}

}  // namespace

CUptiResult EnableCallback(CUpti_CallbackDomain domain, CUpti_CallbackId id, bool on) {
  return g_cupti.EnableCallback(on ? 1 : 0, g_subscriber, domain, id);
}

bool Subscribe(std::string* problem) {
  std::string other;
  const CUptiResult result = AskForSubscription(&other);
  if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) {
    *problem = "no GPU data: another CUPTI client is in this process already" +
               (other.empty() ? std::string() : " (" + other + ")") +
               "; run without it, or with --gpu off";
  } else if (result != CUPTI_SUCCESS) {
    *problem = CannotBeUsed(result);
  }
  return result == CUPTI_SUCCESS;
}

bool EnableCallbacks(bool calls, std::string* problem) {
  for (const CUpti_CallbackId id : kResources) EnableCallback(CUPTI_CB_DOMAIN_RESOURCE, id);
  if (g_state.facts().gpu.mode >= wire::kModePc && TheShared().pc.active()) {
    for (const CUpti_CallbackId id : kModules) EnableCallback(CUPTI_CB_DOMAIN_RESOURCE, id);
  }
  EnableCallback(CUPTI_CB_DOMAIN_STATE, CUPTI_CBID_STATE_FATAL_ERROR);
  const CUptiResult result = FollowCalls(calls);
  if (result != CUPTI_SUCCESS) *problem = CannotBeUsed(result);
  return result == CUPTI_SUCCESS;
}

bool EndCallbacks() {
  for (const CUpti_CallbackId id : kResources) EnableCallback(CUPTI_CB_DOMAIN_RESOURCE, id, false);
  for (const CUpti_CallbackId id : kModules) EnableCallback(CUPTI_CB_DOMAIN_RESOURCE, id, false);
  HeavyFence();
  for (int looks = 200; g_inside.Sum() != 0 && looks > 0; --looks) sched_yield();
  return g_inside.Sum() == 0;
}

void Unsubscribe() {
  if (g_cupti.Unsubscribe(g_subscriber) != CUPTI_SUCCESS) g_state.Count(wire::kGpuErrors);
}

}  // namespace gprofx::cuda
