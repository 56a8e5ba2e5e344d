#include "samplers/cuda/driver_calls.h"

#include <sched.h>

#include <atomic>
#include <mutex>

#include "samplers/cuda/call_names.h"
#include "samplers/cuda/callbacks.h"
#include "samplers/cuda/cupti_api.h"
#include "samplers/cuda/heard_call.h"
#include "samplers/cuda/latecomers.h"
#include "samplers/cuda/launch_hooks.h"
#include "samplers/cuda/memory_calls.h"
#include "samplers/cuda/shared.h"
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

void Follow(CUpti_CallbackId call, bool on) {
  if (EnableCallback(CUPTI_CB_DOMAIN_DRIVER_API, call, on) != CUPTI_SUCCESS)
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
  if (g_launches_ignored.load()) return g_latecomers.Begin(id);
  if (HeardByHook()) return;
  const bool entered = gate.Enter();
  // Asked again: launches are not ignored while somebody is inside.
  if (entered && !g_launches_ignored.load()) {
    if (InHook()) CountPassage();
    BeginCall(id, data);
    return;
  }
  g_latecomers.Begin(id);
  if (entered) gate.Leave();
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
    void* ours = function != nullptr ? InPlaceOf(*function) : nullptr;
    if (ours != nullptr && ours != *function) *function = ours;
  }
  gate.Leave();
}

template <class Predicate>
void FollowCalls(Predicate chosen, bool on) {
  for (CUpti_CallbackId id = 1; id < kMostCalls; ++id) {
    if (g_calls[id] != wire::kCallNone && chosen(id)) Follow(id, on);
  }
}

}  // namespace

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

CUptiResult EnableDriverCalls() {
  CUptiResult refusal = CUPTI_ERROR_NOT_INITIALIZED;
  bool any = false;
  g_launches_ignored.store(false);
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
                      EnableCallback(CUPTI_CB_DOMAIN_DRIVER_API, id) == CUPTI_SUCCESS;
    if (g_calls[id] == wire::kCallNone) continue;
    const CUptiResult result = EnableCallback(CUPTI_CB_DOMAIN_DRIVER_API, id);
    if (result == CUPTI_SUCCESS) {
      any = true;
    } else {
      g_calls[id] = wire::kCallNone;
      refusal = result;
    }
  }
  return any ? CUPTI_SUCCESS : refusal;
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
  if (HearingNow() != Hearing::kCupti) return HearingNow() == Hearing::kHooks;
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

bool IgnoreAll(std::chrono::nanoseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!g_latecomers.None() && std::chrono::steady_clock::now() < end) sched_yield();
  const bool done = TheShared().gate.AtAnEnd(
      [] {
        FollowCalls([](CUpti_CallbackId id) { return g_memory_calls[id] != MemoryCall::kNone; },
                    false);
        for (CUpti_CallbackId id = 1; id < kMostCalls; ++id) {
          if (g_hands_out[id]) Follow(id, false);
        }
      },
      limit);
  return done && g_latecomers.None();
}

}  // namespace gprofx::cuda
