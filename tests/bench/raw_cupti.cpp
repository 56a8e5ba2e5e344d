// What CUPTI costs by itself: CUDA loads this library into a program (CUDA_INJECTION64_PATH), and
// it does what RAW_CUPTI says and nothing else: loaded | subscribed | callbacks (of launches, that
// only count) | records (of kernels, copies and sets, thrown away) | both | past-records (records
// for six seconds, then none) | past-cupti (the same, and CUPTI leaves). See bench_outside.py.
#include <cupti.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <thread>

namespace {

constexpr CUpti_ActivityKind kKinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                         CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET};

std::atomic<unsigned long> g_calls{0};

void OnCallback(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {
  g_calls.fetch_add(1, std::memory_order_relaxed);
}

void BufferRequested(uint8_t** buffer, size_t* size, size_t* most_records) {
  constexpr size_t kBytes = 1 << 20;
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(8, kBytes));
  *size = *buffer == nullptr ? 0 : kBytes;
  *most_records = 0;
}

void BufferCompleted(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t) { std::free(buffer); }

// What was launched with records has ended a second later.
void EndRecords(bool leaves) {
  sleep(6);
  for (const CUpti_ActivityKind kind : kKinds) cuptiActivityDisable(kind);
  cuptiActivityFlushAll(0);
  sleep(1);
  if (leaves) cuptiFinalize();
}

}  // namespace

extern "C" int InitializeInjection() {
  const char* asked = std::getenv("RAW_CUPTI");
  if (asked == nullptr || std::strcmp(asked, "loaded") == 0) return 1;
  const bool both = std::strcmp(asked, "both") == 0;
  const bool leaves = std::strcmp(asked, "past-cupti") == 0;
  const bool ends = leaves || std::strcmp(asked, "past-records") == 0;
  const bool records = both || ends || std::strcmp(asked, "records") == 0;
  const bool callbacks = both || std::strcmp(asked, "callbacks") == 0;
  CUpti_SubscriberHandle subscriber{};
  if (!records || both) cuptiSubscribe(&subscriber, OnCallback, nullptr);
  if (callbacks) {
    for (const int id :
         {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
          CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
          CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz})
      cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API,
                          static_cast<CUpti_CallbackId>(id));
  }
  if (records) {
    cuptiActivityRegisterCallbacks(BufferRequested, BufferCompleted);
    for (const CUpti_ActivityKind kind : kKinds) cuptiActivityEnable(kind);
  }
  if (ends) std::thread(EndRecords, leaves).detach();
  return 1;
}
