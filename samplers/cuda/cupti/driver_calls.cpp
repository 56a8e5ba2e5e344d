#include "samplers/cuda/cupti/driver_calls.h"

#include <sched.h>

#include <atomic>
#include <mutex>

#include "samplers/cuda/cupti/callbacks.h"
#include "samplers/cuda/cupti/cupti_api.h"
#include "samplers/cuda/cupti/fence.h"
#include "samplers/cuda/cupti/latecomers.h"
#include "samplers/cuda/hooks/call_names.h"
#include "samplers/cuda/hooks/driver_hooks.h"
#include "samplers/cuda/hooks/followed_call.h"
#include "samplers/cuda/hooks/heard_call.h"
#include "samplers/cuda/shared.h"
#include "samplers/cuda/state.h"

namespace gprofx::cuda {
namespace {

// Upper bound of CUPTI's callback ids for driver functions.
constexpr CUpti_CallbackId kMaxCalls = 2048;
FollowedCall g_calls[kMaxCalls];  // by callback id; constant after LearnCalls

// The calls that CUPTI must not report. Memory calls are followed on every level, because
// incomplete memory data is useless. Changed only with the lock of the latecomers held.
enum class Ignored : uint32_t { kNone, kAllButMemory, kAll };
std::atomic<Ignored> g_ignored{Ignored::kNone};

bool IsIgnored(const FollowedCall& call) {
  const Ignored ignored = g_ignored.load();
  return ignored == Ignored::kAll ||
         (ignored == Ignored::kAllButMemory && !call.is_always_followed());
}

void Follow(CUpti_CallbackId call, bool on) {
  if (EnableCallback(CUPTI_CB_DOMAIN_DRIVER_API, call, on) != CUPTI_SUCCESS)
    g_state.Count(wire::kGpuErrors);
}
Latecomers g_latecomers{Follow};

bool IsFollowed(CUpti_CallbackId id) {
  return g_calls[id].is_heard() || g_calls[id].is_always_followed();
}

// Makes CUPTI ignore the calls `which`, and sets who hears calls from now on
// (hooks/driver_hooks.h). A call that begins while this function runs becomes a latecomer
// (latecomers.h), whoever hears it.
void Ignore(Ignored which, Hearing hearing) {
  const std::lock_guard<std::mutex> guard(g_latecomers.lock());
  g_ignored.store(which);
  SetHearing(hearing);
  for (CUpti_CallbackId id = 1; id < kMaxCalls; ++id) {
    if (IsFollowed(id) && IsIgnored(g_calls[id]) && !g_latecomers.Has(id)) Follow(id, false);
  }
}

ToldCall TellOf(const FollowedCall& call, const CUpti_CallbackData& data) {
  return {call, static_cast<const uint64_t*>(data.functionParams), data.contextUid};
}

uint32_t ResultOf(const CUpti_CallbackData& data) {
  const auto* result = static_cast<const CUresult*>(data.functionReturnValue);
  return result == nullptr ? CUDA_SUCCESS : *result;
}

bool LearnCalls() {
  bool any = false;
  for (CUpti_CallbackId id = 1; id < kMaxCalls; ++id) {
    const char* name = nullptr;
    if (g_cupti.GetCallbackName(CUPTI_CB_DOMAIN_DRIVER_API, id, &name) != CUPTI_SUCCESS ||
        name == nullptr)
      continue;
    g_calls[id] = FollowedCallOfName(name);
    any = any || g_calls[id].is_heard();
  }
  return any;
}

// True if the call is to be recorded. The calling thread must be inside the gate, so that the
// hearing of calls cannot start or stop during the check.
bool IsTold(const FollowedCall& call) {
  return call.is_memory() || (call.is_heard() && TheShared().gate.listened());
}

// Handles the begin of a call that CUPTI reports. A call that is ignored but that CUPTI still
// follows becomes a latecomer (latecomers.h) and does not enter the gate (call_gate.h): either our
// hook heard (recorded) it, or it can no longer be recorded.
void OnBegin(CUpti_CallbackId id, const FollowedCall& call, const CUpti_CallbackData& data) {
  CallGate& gate = TheShared().gate;
  if (call.needs_cupti) KeepCupti();
  if (!InHook() && call.is_heard()) CountBypass();
  if (IsIgnored(call)) return g_latecomers.Begin(id);
  if (HeardByHook()) return;
  const bool entered = gate.Enter(call.is_always_followed());
  // Check again whether the call is ignored. That can no longer change, because this thread is
  // inside the gate now.
  if (entered && !IsIgnored(call)) {
    if (!IsTold(call)) return;
    if (InHook() && PutsWork(call.call)) CountPassage();
    return HearBegin(TellOf(call, data), g_state.Numbered(data.correlationId), gate.listened());
  }
  g_latecomers.Begin(id);
  if (entered) gate.Leave();
}

// Replaces the driver function that the driver hands out to a library with our hook, if there is
// one. Libraries that ask the driver for its functions after the hooks were placed thus get our
// hooks, too.
void HandOut(const CUpti_CallbackData& data) {
  if (data.functionParams == nullptr || ResultOf(data) != CUDA_SUCCESS) return;
  auto* function = static_cast<void** const*>(data.functionParams)[1];
  void* ours = function != nullptr ? InPlaceOf(*function) : nullptr;
  if (ours != nullptr && ours != *function) *function = ours;
}

void OnEnd(const FollowedCall& call, const CUpti_CallbackData& data) {
  CallGate& gate = TheShared().gate;
  if (g_latecomers.Inside() && (HeardByHook() || !gate.Inside()))
    return g_latecomers.End([](CUpti_CallbackId late) { return !IsIgnored(g_calls[late]); });
  if (HeardByHook() || !gate.Inside()) return;
  if (call.hands_out) {
    HandOut(data);
  } else if (IsTold(call)) {
    HearEnd(TellOf(call, data), ResultOf(data));
  }
  gate.Leave();
}

}  // namespace

void OnDriverCall(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  if (id >= kMaxCalls) return;
  const FollowedCall& call = g_calls[id];
  if (!IsFollowed(id)) return;
  if (data.callbackSite == CUPTI_API_ENTER) {
    OnBegin(id, call, data);
  } else {
    OnEnd(call, data);
  }
}

CUptiResult FollowCalls(bool all) {
  static const bool learned = LearnCalls();
  const std::lock_guard<std::mutex> guard(g_latecomers.lock());
  g_ignored.store(!learned ? Ignored::kAll : all ? Ignored::kNone : Ignored::kAllButMemory);
  TheShared().gate.Listen(all);
  CUptiResult refusal = CUPTI_ERROR_NOT_INITIALIZED;
  bool any = false;
  for (CUpti_CallbackId id = 1; id < kMaxCalls; ++id) {
    if (!IsFollowed(id) || IsIgnored(g_calls[id])) continue;
    const CUptiResult result = EnableCallback(CUPTI_CB_DOMAIN_DRIVER_API, id);
    any = any || (g_calls[id].is_heard() && result == CUPTI_SUCCESS);
    if (result != CUPTI_SUCCESS) refusal = result;
  }
  if (!any) return refusal;
  SetHearing(all ? Hearing::kCupti : Hearing::kNobody);
  return CUPTI_SUCCESS;
}

void ListenToCalls() {
  if (FollowCalls(true) != CUPTI_SUCCESS) g_state.Count(wire::kGpuErrors);
}

// Let calls end that hooks hear. Hooks may have heard them just before CUPTI reported calls again,
// and such calls are not in the gate.
bool IgnoreCalls(std::chrono::nanoseconds limit) {
  if (!LetHeardEnd({})) return false;
  return TheShared().gate.AtAnEnd(
      [] {
        TheShared().gate.Listen(false);
        Ignore(Ignored::kAllButMemory, Hearing::kNobody);
      },
      limit);
}

bool HandOverToHooks(std::chrono::nanoseconds limit) {
  if (!LetHeardEnd({})) return false;
  SetHearing(Hearing::kHooksBeside);
  const bool done =
      TheShared().gate.AtAnEnd([] { Ignore(Ignored::kAll, Hearing::kHooksBeside); }, limit);
  if (!done) SetHearing(Hearing::kCupti);
  return done;
}

bool IgnoreAll(std::chrono::nanoseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!g_latecomers.None() && std::chrono::steady_clock::now() < end) sched_yield();
  const bool done = TheShared().gate.AtAnEnd([] { Ignore(Ignored::kAll, HearingNow()); }, limit);
  return done && g_latecomers.None();
}

}  // namespace gprofx::cuda
