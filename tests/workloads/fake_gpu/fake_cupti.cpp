// The pretended CUPTI, as far as libgprofx-cuda.so uses it: its client, callbacks and records.
#include <cupti.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "fake_device.h"
#include "fake_gpu.h"

using namespace fake;

namespace {

// As the kernel sees it: whoever wraps pthread_sigmask does not count.
bool FaultsAreBlocked() {
  uint64_t mask = 0;
  syscall(SYS_rt_sigprocmask, SIG_BLOCK, nullptr, &mask, sizeof mask);
  return (mask & (uint64_t{1} << (SIGSEGV - 1) | uint64_t{1} << (SIGBUS - 1))) != 0;
}

}  // namespace

FAKE_EXPORT const char* fake_left_in_cupti() {
  static char text[256];
  const Device& device = TheDevice();
  std::snprintf(text, sizeof text, "subscribers %d, kinds %d, clock %s, faults %s",
                device.subscribers, static_cast<int>(device.kinds.size()),
                device.clock == nullptr ? "own" : "set",
                device.faults_blocked ? "blocked" : "open");
  if (device.would_deadlock != 0) std::strcat(text, ", deadlock");
  if (device.left_open != 0) std::strcat(text, ", calls left open");
  if (device.spoiled != 0) std::strcat(text, ", heap spoiled");
  if (device.lost != 0) std::strcat(text, ", records lost");
  if (device.finalised_beside != 0) std::strcat(text, ", finalised beside a call");
  if (device.finalised_with_graphs) std::strcat(text, ", a launch failure");
  std::snprintf(text + std::strlen(text), 32, ", finalised %d", device.finalised);
  return text;
}
FAKE_EXPORT CUptiResult cuptiGetVersion(uint32_t* version) {
  *version = Trouble("FAKE_CUPTI", "old") ? 24 : CUPTI_API_VERSION;  // 12.6
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle*, CUpti_CallbackFunc callback,
                                          void*, CUpti_SubscriberParams* params) {
  if (const char* other = getenv("FAKE_OTHER")) {
    std::strncpy(params->oldSubscriberName, other, params->oldSubscriberSize - 1);
    return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  }
  // The second time: somebody else has come meanwhile.
  if (const char* other = getenv("FAKE_OTHER_LATER");
      other != nullptr && TheDevice().finalised > 0) {
    std::strncpy(params->oldSubscriberName, other, params->oldSubscriberSize - 1);
    return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  }
  usleep(10'000);
  TheDevice().callback = callback;
  ++TheDevice().subscribers;
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle) {
  TheDevice().callback = nullptr;
  --TheDevice().subscribers;
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult cuptiSubscribe(CUpti_SubscriberHandle*, CUpti_CallbackFunc callback,
                                       void*) {
  TheDevice().callback = callback;
  return CUPTI_SUCCESS;
}
// As the real one: numbers of calls begin anew, the clock is its own again, records and buffers are
// lost.
FAKE_EXPORT CUptiResult cuptiFinalize() {
  Device& device = TheDevice();
  ++device.finalised;
  // The next replay of a graph fails.
  device.finalised_with_graphs = device.finalised_with_graphs || device.has_graphs;
  // The real one takes two milliseconds, and frees what threads in calls that it follows use.
  for (int i = 0; i < 20; ++i, usleep(100)) device.finalised_beside += device.followed;
  const std::lock_guard<std::mutex> guard(device.lock);
  device.lost += device.buffer != nullptr && device.used != 0 ? 1 : 0;
  device.buffer = nullptr;
  device.kinds.clear();
  device.records = false;
  device.clock = nullptr;
  device.request = nullptr;
  device.correlation = 0;
  for (auto& one : device.listened) one = false;
  for (auto& one : device.resources) one = false;
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult cuptiEnableCallback(uint32_t on, CUpti_SubscriberHandle,
                                            CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  if (Trouble("FAKE_CUPTI", "enable")) return CUPTI_ERROR_NOT_COMPATIBLE;
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API) TheDevice().listened[id] = on != 0;
  if (domain == CUPTI_CB_DOMAIN_RESOURCE) TheDevice().resources[id] = on != 0;
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain, uint32_t id, const char** name) {
  if (CallName(id) == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  *name = CallName(id);
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                                       CUpti_BuffersCallbackCompleteFunc complete) {
  TheDevice().request = request;
  TheDevice().complete = complete;
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  Device& device = TheDevice();
  const std::lock_guard<std::mutex> guard(device.lock);
  // The third of them: two are enabled then.
  if (Trouble("FAKE_CUPTI", "activity") && device.kinds.size() == 2)
    return CUPTI_ERROR_NOT_COMPATIBLE;
  // As the real one: records of kernels cannot be begun beside samples.
  if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL && device.sampling)
    return CUPTI_ERROR_NOT_COMPATIBLE;
  device.kinds.insert(kind);
  if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) device.records = true;
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
  Device& device = TheDevice();
  const std::lock_guard<std::mutex> guard(device.lock);
  device.kinds.erase(kind);
  if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
    device.spoiled += device.records && device.inside != 0 ? 1 : 0;
    device.records = false;
  }
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult cuptiActivityFlushAll(uint32_t flags) {
  if ((flags & CUPTI_ACTIVITY_FLAG_FLUSH_FORCED) != 0 && getenv("FAKE_HANG") != nullptr) pause();
  Device& device = TheDevice();
  const std::lock_guard<std::mutex> guard(device.lock);
  device.faults_blocked |= FaultsAreBlocked();
  device.spoiled += device.records ? 0 : 1;
  if (device.spoiled != 0 && (flags & CUPTI_ACTIVITY_FLAG_FLUSH_FORCED) != 0)
    abort();  // nobody asks after it
  Complete(device);
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult cuptiActivityGetNextRecord(uint8_t* buffer, size_t valid,
                                                   CUpti_Activity** record) {
  uint8_t* next = buffer;
  if (*record != nullptr) {
    next = reinterpret_cast<uint8_t*>(*record);
    next += (*record)->kind == CUPTI_ACTIVITY_KIND_MEMCPY ? sizeof(CUpti_ActivityMemcpy6)
                                                          : sizeof(CUpti_ActivityKernel10);
  }
  if (next >= buffer + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, uint32_t, size_t* dropped) {
  *dropped = 0;
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute, size_t*, void*) {
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult cuptiGetResultString(CUptiResult, const char** text) {
  *text = "CUPTI_ERROR_PRETENDED";
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult cuptiGetContextId(CUcontext, uint32_t* id) {
  *id = 1;
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult cuptiGetDeviceId(CUcontext, uint32_t* id) {
  *id = 0;
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc clock) {
  TheDevice().clock = clock;
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult cuptiGetGraphNodeId(CUgraphNode node, uint64_t* id) {
  *id = reinterpret_cast<uint64_t>(node);
  return CUPTI_SUCCESS;
}
FAKE_EXPORT CUptiResult cuptiRegisterComputeCrcCallback(CUpti_ComputeCrcCallbackFunc crc) {
  TheDevice().crc = crc;
  return CUPTI_SUCCESS;
}
