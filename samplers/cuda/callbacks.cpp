#include "samplers/cuda/callbacks.h"

#include <dlfcn.h>
#include <sched.h>

#include <exception>
#include <mutex>
#include <type_traits>

#include "samplers/cuda/call_names.h"
#include "samplers/cuda/cupti_api.h"
#include "samplers/cuda/heard_call.h"
#include "samplers/cuda/latecomers.h"
#include "samplers/cuda/launch_hooks.h"
#include "samplers/cuda/memory_calls.h"
#include "samplers/cuda/modules.h"
#include "samplers/cuda/state.h"

namespace gprofx::cuda {
namespace {

constexpr CUpti_CallbackId kMostCalls = 2048;  // driver functions that CUPTI can have
wire::GpuCall g_calls[kMostCalls];             // by callback id; constant after EnableCallbacks
bool g_handle_second[kMostCalls];              // likewise: the handle is the second parameter
MemoryCall g_memory_calls[kMostCalls];         // likewise
bool g_may_be_hooked[kMostCalls];              // likewise
bool g_hands_out[kMostCalls];                  // likewise: functions of the driver, to libraries
std::atomic<bool> g_launches_ignored{false};   // those that may be hooked; under the latecomers' lock
CUpti_SubscriberHandle g_subscriber{};

CUptiResult Enable(CUpti_CallbackDomain domain, CUpti_CallbackId id, bool on = true) {
  return g_cupti.EnableCallback(on ? 1 : 0, g_subscriber, domain, id);
}

void Follow(CUpti_CallbackId call, bool on) {
  if (Enable(CUPTI_CB_DOMAIN_DRIVER_API, call, on) != CUPTI_SUCCESS)
    g_state.Count(wire::kGpuErrors);
}
Latecomers g_latecomers{Follow};

// The kernel or the graph that is launched, as the program's handle; 0 for other calls.
uint64_t Launched(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  const wire::GpuCall call = g_calls[id];
  if (data.functionParams == nullptr ||
      (call != wire::kCallLaunch && call != wire::kCallLaunchCooperative &&
       call != wire::kCallGraphLaunch))
    return 0;
  return static_cast<const uint64_t*>(data.functionParams)[g_handle_second[id] ? 1 : 0];
}

uint32_t BeginCall(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  return HearBegin(g_calls[id], Launched(id, data), data.correlationId);
}

void EndCall(wire::GpuCall call, const CUpti_CallbackData& data) {
  HearEnd(call);
  if (call != wire::kCallAlloc && call != wire::kCallAllocAsync) return;
  const auto* result = static_cast<const CUresult*>(data.functionReturnValue);
  if (result != nullptr && *result == CUDA_ERROR_OUT_OF_MEMORY)
    TheShared().out_of_memory.store(true, std::memory_order_relaxed);
}

// Memory is followed on every level: who misses a part of it knows nothing. While nobody listens to
// calls (`t_listened` is false) there is a call path, but no record of the call.
void OnMemoryCall(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  static __attribute__((tls_model("initial-exec"))) constinit thread_local uint32_t t_node = 0;
  static __attribute__((tls_model("initial-exec"))) constinit thread_local bool t_listened = false;
  const bool begins = data.callbackSite == CUPTI_API_ENTER;
  if (begins) {
    TheShared().gate.Enter(true);
    t_listened = TheShared().gate.listened();
    t_node = BeginCall(id, data);
  }
  const auto* result = static_cast<const CUresult*>(data.functionReturnValue);
  const bool failed = !begins && result != nullptr && *result != CUDA_SUCCESS;
  if (auto event = EventOfCall(g_memory_calls[id], begins, failed,
                               static_cast<const uint64_t*>(data.functionParams))) {
    if (event->kind != wire::kMemoryCreate) event->context = data.contextUid;  // it says its device
    event->node = t_node;
    g_state.agent->memory(*event);
  }
  if (begins) return;
  if (t_listened) {
    EndCall(g_calls[id], data);
  } else {
    g_state.agent->end_call(g_calls[id], UINT64_MAX);
  }
  TheShared().gate.Leave();
}

bool LaunchesAreListenedTo() {
  return TheShared().gate.listened() && !g_launches_ignored.load();
}

// A launch of a kernel. One that is followed although it is not to be is not counted: it came by way of our
// function, and was heard there, or it is one that nobody can hear now.
void OnLaunch(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  CallGate& gate = TheShared().gate;
  if (data.callbackSite != CUPTI_API_ENTER) {
    if (g_latecomers.Inside()) return g_latecomers.End(LaunchesAreListenedTo);
    if (HeardByHook() || !gate.Inside()) return;
    EndCall(g_calls[id], data);
    return gate.Leave();
  }
  if (!InHook()) CountBypass();
  if (!g_launches_ignored.load()) {
    if (HeardByHook()) return;
    const bool entered = gate.Enter();
    // Only now: launches are not ignored while somebody is inside.
    if (entered && !g_launches_ignored.load()) {
      if (InHook()) CountPassage();
      BeginCall(id, data);
      return;
    }
    g_latecomers.Begin(id);
    if (entered) gate.Leave();
    return;
  }
  g_latecomers.Begin(id);
}

// Who asks the driver for its functions later than hooks were placed gets ours, too.
void OnHandOut(const CUpti_CallbackData& data) {
  CallGate& gate = TheShared().gate;
  if (data.callbackSite == CUPTI_API_ENTER) {
    gate.Enter(true);
    return;
  }
  const auto* result = static_cast<const CUresult*>(data.functionReturnValue);
  if (data.functionParams != nullptr && result != nullptr && *result == CUDA_SUCCESS) {
    auto* function = static_cast<void** const*>(data.functionParams)[1];
    if (function != nullptr && InPlaceOf(*function) != *function) *function = InPlaceOf(*function);
  }
  gate.Leave();
}

void OnDriverCall(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  if (id < kMostCalls && g_hands_out[id]) return OnHandOut(data);
  const wire::GpuCall call = id < kMostCalls ? g_calls[id] : wire::kCallNone;
  if (call == wire::kCallNone) return;
  if (g_memory_calls[id] != MemoryCall::kNone) return OnMemoryCall(id, data);
  if (g_may_be_hooked[id]) return OnLaunch(id, data);
  CallGate& gate = TheShared().gate;
  if (data.callbackSite == CUPTI_API_ENTER) {
    if (gate.Enter()) {
      BeginCall(id, data);
    } else {
      g_latecomers.Begin(id);
    }
  } else if (gate.Inside()) {
    EndCall(call, data);
    gate.Leave();
  } else {
    g_latecomers.End([&gate] { return gate.listened(); });
  }
}

void ContextCreated(CUcontext context) {
  uint32_t id = 0, device = 0;
  g_cupti.GetContextId(context, &id);
  g_cupti.GetDeviceId(context, &device);
  const DeviceFacts facts = DescribeDevice(device);
  wire::GpuContextRecord record{};
  record.context = id;
  record.device = device;
  WriteRecord(wire::kGpuContext, record);
  TheShared().pc.ContextCreated(context, id, device, facts);
}

// The stack at capture is what tells a graph's kernels apart: the replay is one call for all.
void GraphNode(CUpti_CallbackId id, const CUpti_GraphData& data) {
  wire::GpuGraphNodeRecord record{};
  uint64_t node = 0;
  if (g_cupti.GetGraphNodeId == nullptr ||
      g_cupti.GetGraphNodeId(data.node, &node) != CUPTI_SUCCESS)
    return;
  record.graph_node = node;
  if (id == CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED) {
    if (g_cupti.GetGraphNodeId(data.originalNode, &node) != CUPTI_SUCCESS) return;
    record.original = node;
  } else {
    record.node = g_state.agent->begin_call(wire::kCallGraphBuild, 0, 0, g_state.Now());
    g_state.agent->end_call(wire::kCallGraphBuild, UINT64_MAX);
    g_state.Count(wire::kGpuCaptures);
  }
  WriteRecord(wire::kGpuGraphNode, record);
}

void OnResource(CUpti_CallbackId id, const CUpti_ResourceData& data) {
  Shared& shared = TheShared();
  switch (id) {
    case CUPTI_CBID_RESOURCE_CONTEXT_CREATED:
      ContextCreated(data.context);
      break;
    case CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING:
      shared.pc.ContextDestroyed(data.context, shared.names);
      break;
    case CUPTI_CBID_RESOURCE_MODULE_LOADED: {
      const auto* module = static_cast<const CUpti_ModuleResourceData*>(data.resourceDescriptor);
      if (module != nullptr) KeepModule(module->pCubin, module->cubinSize);
      break;
    }
    case CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING:
      shared.pc.Drain(shared.names);  // while CUPTI still knows the module's names
      break;
    case CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED:
    case CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED:
      if (data.resourceDescriptor != nullptr)
        GraphNode(id, *static_cast<const CUpti_GraphData*>(data.resourceDescriptor));
      break;
    default:
      break;
  }
}

// Callers are built without exception tables: nothing may be thrown through them.
void OnCallback(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) try {
  if (!g_state.live.load(std::memory_order_acquire)) {
    // The parent's memory: a count is all that a child may add to it.
    if (g_state.forked.load(std::memory_order_relaxed)) g_state.Count(wire::kGpuForkedCalls);
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
  g_state.Count(wire::kGpuErrors);  // no memory
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

// CUPTI_SUCCESS if at least one of them can be listened to, else the latest refusal.
CUptiResult EnableDriverCalls() {
  CUptiResult refusal = CUPTI_ERROR_NOT_INITIALIZED;
  bool any = false;
  for (CUpti_CallbackId id = 1; id < kMostCalls; ++id) {
    const char* name = nullptr;
    if (g_cupti.GetCallbackName(CUPTI_CB_DOMAIN_DRIVER_API, id, &name) != CUPTI_SUCCESS ||
        name == nullptr)
      continue;
    g_calls[id] = CallOfName(name);
    g_handle_second[id] = TakesHandleSecond(name);
    g_may_be_hooked[id] = MayBeHooked(name);
    g_memory_calls[id] = MemoryCallOfName(name);
    g_hands_out[id] = HandsOutFunctions(name) &&
                      Enable(CUPTI_CB_DOMAIN_DRIVER_API, id) == CUPTI_SUCCESS;
    if (g_calls[id] == wire::kCallNone) continue;
    const CUptiResult result = Enable(CUPTI_CB_DOMAIN_DRIVER_API, id);
    if (result == CUPTI_SUCCESS) {
      any = true;
    } else {
      g_calls[id] = wire::kCallNone;
      refusal = result;
    }
  }
  return any ? CUPTI_SUCCESS : refusal;
}

template <class Predicate>
void FollowCalls(Predicate chosen, bool on) {
  for (CUpti_CallbackId id = 1; id < kMostCalls; ++id) {
    if (g_calls[id] != wire::kCallNone && chosen(id)) Follow(id, on);
  }
}

std::string CannotBeUsed(CUptiResult result) {
  return std::string("no GPU data: CUPTI cannot be used: ") + g_cupti.Text(result);
}

}  // namespace

namespace {

std::atomic<Shared*> g_shared{nullptr};

}  // namespace

// The first call is made by one thread, before there is a callback.
Shared& TheShared() {
  Shared* shared = g_shared.load(std::memory_order_acquire);
  if (shared != nullptr) return *shared;
  g_shared.store(shared = new Shared, std::memory_order_release);
  return *shared;
}

// What a callback of before still holds stays where it is.
void ForgetShared() { g_shared.store(nullptr, std::memory_order_release); }

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

bool EnableCallbacks(std::string* problem) {
  const CUptiResult result = EnableDriverCalls();
  if (result != CUPTI_SUCCESS) {
    *problem = CannotBeUsed(result);
    return false;
  }
  for (const CUpti_CallbackId id :
       {CUPTI_CBID_RESOURCE_CONTEXT_CREATED, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING,
        CUPTI_CBID_RESOURCE_MODULE_LOADED, CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING,
        CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED})
    Enable(CUPTI_CB_DOMAIN_RESOURCE, id);
  Enable(CUPTI_CB_DOMAIN_STATE, CUPTI_CBID_STATE_FATAL_ERROR);
  g_launches_ignored.store(false);
  SetHearing(Hearing::kCupti);
  return true;
}

void TakePresentContexts() {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  const auto find = [=](auto& function, const char* name) {
    void* found = driver == nullptr ? nullptr : dlsym(driver, name);
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(found);
    return found != nullptr;
  };
  CUresult (*get)(CUdevice*, int) = nullptr;
  CUresult (*state)(CUdevice, unsigned*, int*) = nullptr;
  CUresult (*retain)(CUcontext*, CUdevice) = nullptr;
  CUresult (*release)(CUdevice) = nullptr;
  CUresult (*push)(CUcontext) = nullptr;
  CUresult (*pop)(CUcontext*) = nullptr;
  if (!find(get, "cuDeviceGet") || !find(state, "cuDevicePrimaryCtxGetState") ||
      !find(retain, "cuDevicePrimaryCtxRetain") || !find(release, "cuDevicePrimaryCtxRelease_v2") ||
      !find(push, "cuCtxPushCurrent_v2") || !find(pop, "cuCtxPopCurrent_v2"))
    return;
  constexpr int kMostDevices = 64;
  CUdevice device = 0;
  for (int i = 0; i < kMostDevices && get(&device, i) == CUDA_SUCCESS; ++i) {
    unsigned flags = 0;
    int active = 0;
    CUcontext context = nullptr;
    if (state(device, &flags, &active) != CUDA_SUCCESS || active == 0) continue;
    if (retain(&context, device) != CUDA_SUCCESS) continue;
    if (push(context) == CUDA_SUCCESS) {
      ContextCreated(context);
      pop(&context);
    }
    release(device);
  }
}

void ListenToCalls(bool by_hooks) {
  const std::lock_guard<std::mutex> guard(g_latecomers.lock());
  TheShared().gate.Listen(true);
  FollowCalls(
      [by_hooks](CUpti_CallbackId id) {
        return g_memory_calls[id] == MemoryCall::kNone && !(by_hooks && g_may_be_hooked[id]);
      },
      true);
  g_launches_ignored.store(by_hooks);
  SetHearing(by_hooks ? Hearing::kHooks : Hearing::kCupti);
}

// Launches that hooks began to hear just before CUPTI told again may be followed by it, and are not in the
// gate.
bool HearByHooks(std::chrono::nanoseconds limit) {
  if (!LetHeardEnd({})) return false;
  SetHearing(Hearing::kHooksBeside);
  const bool done = TheShared().gate.AtAnEnd(
      [] {
        const std::lock_guard<std::mutex> guard(g_latecomers.lock());
        g_launches_ignored.store(true);
        SetHearing(Hearing::kHooks);
        FollowCalls([](CUpti_CallbackId id) { return g_may_be_hooked[id] && !g_latecomers.Has(id); },
                    false);
      },
      limit);
  if (!done) SetHearing(Hearing::kCupti);
  return done;
}

void HearByCupti() {
  const std::lock_guard<std::mutex> guard(g_latecomers.lock());
  FollowCalls([](CUpti_CallbackId id) { return g_may_be_hooked[id]; }, true);
  g_launches_ignored.store(false);
  SetHearing(Hearing::kCupti);
}

bool IgnoreCalls(std::chrono::nanoseconds limit) {
  if (HearingNow() == Hearing::kCupti && !LetHeardEnd({})) return false;  // as in HearByHooks
  return TheShared().gate.AtAnEnd(
      [] {
        const std::lock_guard<std::mutex> guard(g_latecomers.lock());
        TheShared().gate.Listen(false);
        g_launches_ignored.store(true);
        SetHearing(Hearing::kNobody);
        FollowCalls(
            [](CUpti_CallbackId id) {
              return g_memory_calls[id] == MemoryCall::kNone && !g_latecomers.Has(id);
            },
            false);
      },
      limit);
}

void IgnoreAll(std::chrono::nanoseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!g_latecomers.None() && std::chrono::steady_clock::now() < end) sched_yield();
  TheShared().gate.AtAnEnd(
      [] {
        FollowCalls([](CUpti_CallbackId id) { return g_memory_calls[id] != MemoryCall::kNone; },
                    false);
        for (CUpti_CallbackId id = 1; id < kMostCalls; ++id) {
          if (g_hands_out[id]) Follow(id, false);
        }
      },
      limit);
}

void Unsubscribe() {
  if (g_cupti.Unsubscribe(g_subscriber) != CUPTI_SUCCESS) g_state.Count(wire::kGpuErrors);
}

}  // namespace gprofx::cuda
